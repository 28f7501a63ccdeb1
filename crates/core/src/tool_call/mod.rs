//! Tool calls: what an adapter says of one ([`ToolCallEvent`]) and what is known of one ([`ToolCallInfo`]).
//!
//! Invariants
//! - The raw name and raw input of a call are kept as recorded, whatever is made of them.
//! - [`ToolCallStatus::Completed`] is only ever set on recorded evidence.

mod arguments;
mod detail;
mod event;
mod names;
mod outcome;

pub use arguments::{CallInput, LineBase, detail_of_call, string_member};
pub use detail::{
    AgentDetail, ChangeMode, CommandDetail, FileChangeDetail, FileReadDetail, FileSearchDetail,
    GenericDetail, ImageDetail, InputLanguage, McpDetail, OrchestrationDetail, PatchDetail, PlanDetail,
    PlanItem, PlanStatus, ScriptDetail, TerminalInputDetail, ToolCallDetail, ToolSearchDetail,
    WebFetchDetail, WebSearchDetail,
};
pub use event::{
    CellState, CellUpdate, ExecutionOrigin, Print, PrintedBlock, PrintedPart, Script, ScriptCall,
    ScriptReading, ToolCallAnswer, ToolCallEvent, ToolCallExecution, ToolCallRequest, ToolCallStep,
};
pub use names::{ToolKind, ToolName};
pub use outcome::{Lines, Media, Outcome, Output};

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ids::{CallId, TurnId};
use crate::time::Timestamp;

/// The identity of a call within its session. Ids of the log repeat between turns and even within one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallKey {
    /// The turn the call was made in.
    pub turn: TurnId,
    /// The id in the log.
    pub id: CallId,
    /// How many calls of that turn had this id before.
    pub n: u32,
}

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.n == 0 { write!(f, "{}", self.id) } else { write!(f, "{}#{}", self.id, self.n) }
    }
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallStatus {
    /// Begun, no end recorded yet.
    Running,
    /// Ended, as recorded.
    Completed,
    /// Ended in a failure, as recorded.
    Failed,
    /// Stopped before its end.
    Aborted,
    /// The log does not say how it ended, or whether it ran.
    Unknown,
}

/// A remark on a call that its title shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Read from a script; it may not have run.
    Maybe,
    /// One call site that stands for an unknown number of calls.
    Repeat,
    /// The script did not wait for it.
    Unawaited,
    /// An argument could not be resolved without running the script.
    Unresolved,
    /// Known from its recorded execution only, not from the script's text.
    ExecutedOnly,
    /// The log records such calls, and has no record of this one.
    Unrecorded,
}

/// The remarks on a call, in the order of [`Mark`], each at most once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Marks(Vec<Mark>);

impl Marks {
    /// Adds a mark.
    pub fn insert(&mut self, mark: Mark) {
        if let Err(at) = self.0.binary_search(&mark) {
            self.0.insert(at, mark);
        }
    }

    /// Takes a mark away.
    pub fn remove(&mut self, mark: Mark) {
        self.0.retain(|m| *m != mark);
    }

    /// Whether the mark is there.
    pub fn has(&self, mark: Mark) -> bool {
        self.0.contains(&mark)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Mark> + '_ {
        self.0.iter().copied()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Mark> for Marks {
    fn from_iter<T: IntoIterator<Item = Mark>>(marks: T) -> Self {
        let mut all = Self::default();
        for mark in marks {
            all.insert(mark);
        }
        all
    }
}

/// All that is known of one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCallInfo {
    /// Its identity.
    pub key: CallKey,
    /// How often this information has changed since the call was first seen.
    pub rev: u32,
    /// The tool.
    pub name: ToolName,
    /// The input exactly as recorded.
    pub raw_input: Arc<str>,
    /// How far it has come.
    pub status: ToolCallStatus,
    /// When it was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When its end was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// What was asked for.
    pub detail: ToolCallDetail,
    /// What came of it.
    pub outcome: Outcome,
    /// An argument's source slice, where the script that made the call was not resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved: Option<Arc<str>>,
    /// Remarks.
    pub marks: Marks,
    /// The calls made inside this one, in order.
    pub children: Vec<ToolCallInfo>,
}

impl ToolCallInfo {
    /// The kind of the call.
    pub fn kind(&self) -> ToolKind {
        self.detail.kind()
    }

    /// Whether the call, as far as recorded, went wrong: failed, or exited with a code other than 0.
    pub fn went_wrong(&self) -> bool {
        self.status == ToolCallStatus::Failed
    }
}
