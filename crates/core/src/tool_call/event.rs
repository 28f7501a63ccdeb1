//! The steps in the life of a call, as an adapter reads them from a log.

use std::sync::Arc;

use super::{Mark, Marks, Outcome, Output, ToolCallDetail, ToolCallStatus, ToolKind, ToolName};
use crate::ids::CallId;
use crate::time::Timestamp;

/// One step in the life of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCallEvent {
    /// The id in the log.
    pub id: CallId,
    /// The step.
    pub step: ToolCallStep,
}

/// The steps.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolCallStep {
    /// The agent asked for the call.
    Called(ToolCallRequest),
    /// The call's answer went back to the agent.
    Answered(ToolCallAnswer),
    /// The log records, in a layer of its own, that a call ran.
    Executed(ToolCallExecution),
}

/// What the agent asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCallRequest {
    /// The tool.
    pub name: ToolName,
    /// The input exactly as recorded.
    pub raw_input: Arc<str>,
    /// What it asks for.
    pub detail: ToolCallDetail,
    /// The static reading of a script that makes calls of its own.
    pub script: Option<Arc<Script>>,
    /// The state, for records that are call and end at once; `None` for a call that waits for its answer.
    pub ended: Option<ToolCallStatus>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCallAnswer {
    /// The state the answer tells; `None` when it tells none (a bare output without a status or exit code).
    pub status: Option<ToolCallStatus>,
    /// The agent refused the call before running it: its text is the reason, and a script is not unwrapped.
    pub refused: bool,
    /// Text that a call already answered sends later.
    pub is_late_text: bool,
    /// What the envelope and the body say.
    pub outcome: Outcome,
    /// What a script printed, block by block.
    pub blocks: Vec<PrintedBlock>,
    /// What the answer says of a script that runs in the background.
    pub cell: Option<CellUpdate>,
}

/// One block that a script printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PrintedBlock {
    /// Its text; `None` for an image.
    pub text: Option<Output>,
    /// The block read as the result of a call, where it is one by its shape.
    pub result: Option<Box<Outcome>>,
}

/// What an answer says of a script that runs in the background (a cell).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellUpdate {
    /// The cell's id. Counted per process: it may repeat after a resume.
    pub id: String,
    /// Its state.
    pub state: CellState,
}

/// The state of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellState {
    /// It goes on.
    Running,
    /// It ended with the status of the answer.
    Ended,
    /// It is not there any more.
    Gone,
}

/// A call that the log records as run.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCallExecution {
    /// The tool, in the words of the calls it belongs to.
    pub name: ToolName,
    /// The record's own type, for audit.
    pub item_type: String,
    /// What was done.
    pub detail: ToolCallDetail,
    /// How it ended, or `Running` when only its begin is recorded.
    pub status: ToolCallStatus,
    /// What came of it.
    pub outcome: Outcome,
    /// Who can have made it.
    pub origin: ExecutionOrigin,
    /// When it began, where recorded.
    pub started_at: Option<Timestamp>,
}

/// Who can have made an execution, as its record tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionOrigin {
    /// Only a script: the record's id is of no call.
    Nested,
    /// A call, by its id, or a script.
    Call,
    /// The person at the terminal.
    User,
}

/// The static reading of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// How far it could be read.
    pub reading: ScriptReading,
    /// The calls in it, in source order, loops and helpers unrolled.
    pub calls: Vec<ScriptCall>,
    /// What it prints, in order, as far as that is certain.
    pub prints: Vec<Print>,
    /// The source for display, one top-level statement a line.
    pub source: Arc<str>,
}

/// How far a script could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptReading {
    /// Wholly.
    Read,
    /// It is not in the script's language; why.
    NotAScript(String),
    /// It exceeds a bound of the reader; which.
    Bounded(String),
}

/// A call that a script makes, as its text says.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptCall {
    /// The tool. An empty name: the script computes it.
    pub name: ToolName,
    /// The argument: JSON where it is static, else its source slice.
    pub raw_input: Arc<str>,
    /// What it asks for, as far as static.
    pub detail: ToolCallDetail,
    /// The source slice of an argument that is not static.
    pub unresolved: Option<Arc<str>>,
    /// Maybe, repeat, unawaited, unresolved.
    pub marks: Marks,
    /// If the script completed, this call has run and has not thrown.
    pub certain: bool,
    /// Whether the argument, where static, is of the shape its tool takes.
    pub well_formed: bool,
}

impl ScriptCall {
    /// Whether an execution whose argument is not in the text may be of this call site.
    pub fn is_open(&self) -> bool {
        [Mark::Maybe, Mark::Repeat, Mark::Unresolved].into_iter().any(|m| self.marks.has(m))
    }

    /// Whether a call of `kind` may come from here.
    pub fn may_be(&self, kind: ToolKind) -> bool {
        self.name.name.is_empty()
            || self.detail.kind() == kind
            || self.name.kind() == kind
            || (kind == ToolKind::Patch && self.name.kind() == ToolKind::Command)
    }
}

/// One thing that a script prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Print {
    /// What it is.
    pub part: PrintedPart,
    /// Whether it is printed exactly once, at this place in the order.
    pub certain: bool,
}

/// What a print is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintedPart {
    /// The whole result of a call of the script, by its index.
    Result(usize),
    /// Something else.
    Other,
}
