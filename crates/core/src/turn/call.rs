//! The evidence on one call: every step the log records of it, kept apart.

use std::sync::Arc;

use crate::time::Timestamp;
use crate::tool_call::{
    CallKey, CellState, Mark, Outcome, Output, PrintedBlock, Script, ScriptCall, ScriptReading,
    ToolCallAnswer, ToolCallExecution, ToolCallInfo, ToolCallRequest, ToolCallStatus, ToolKind,
};
use crate::transcript::TurnOutcome;

/// The evidence on one call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) key: CallKey,
    pub(super) seq: u32,
    pub(super) started_at: Option<Timestamp>,
    pub(super) ended_at: Option<Timestamp>,
    pub(super) request: Option<ToolCallRequest>,
    pub(super) answer: Option<ToolCallAnswer>,
    /// Text sent under the call's id after its answer.
    pub(super) late_text: Vec<Output>,
    /// The execution recorded under the call's own id.
    pub(super) execution: Option<Execution>,
    /// The script that went on in the background when this call was answered.
    pub(super) cell: Option<Cell>,
    /// Executions of calls that this call's script made.
    pub(super) nested: Vec<Nested>,
    /// The end of the turn, or of the log, while the call was not answered.
    pub(super) cut_short: Option<TurnOutcome>,
    /// The log is over: nothing goes on in the background any more.
    pub(super) log_ended: bool,
    /// What was last shown.
    pub(super) shown: Option<Arc<ToolCallInfo>>,
}

/// An execution and when its record was written.
#[derive(Debug, Clone)]
pub(super) struct Execution {
    pub(super) at: Option<Timestamp>,
    pub(super) record: Arc<ToolCallExecution>,
}

/// An execution made by a script.
#[derive(Debug, Clone)]
pub(super) struct Nested {
    pub(super) key: CallKey,
    /// The call of the script it is of; `None`: not told by the text.
    pub(super) site: Option<usize>,
    pub(super) execution: Execution,
}

/// A script in the background.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) id: String,
    pub(super) state: CellState,
    /// The answer that ended it.
    pub(super) end: Option<ToolCallAnswer>,
    /// What it printed after the first answer.
    pub(super) printed: Vec<PrintedBlock>,
}

/// The state of a script, as recorded.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ScriptState {
    Running,
    Completed,
    /// Its own failure, with the reason.
    Failed(Option<Arc<str>>),
    /// Refused before it ran.
    Refused,
    Aborted,
    /// Not told.
    Unknown,
}

impl Call {
    pub(super) fn new(key: CallKey, seq: u32, at: Option<Timestamp>) -> Self {
        Self {
            key,
            seq,
            started_at: at,
            ended_at: None,
            request: None,
            answer: None,
            late_text: Vec::new(),
            execution: None,
            cell: None,
            nested: Vec::new(),
            cut_short: None,
            log_ended: false,
            shown: None,
        }
    }

    /// The script this call runs, if it is one whose calls can be read.
    pub(super) fn script(&self) -> Option<&Arc<Script>> {
        self.request.as_ref()?.script.as_ref()
    }

    /// The script, if its calls may be shown: read wholly and not refused.
    pub(super) fn unwrapped(&self) -> Option<&Arc<Script>> {
        let refused = self.answer.as_ref().is_some_and(|a| a.refused);
        self.script().filter(|script| script.reading == ScriptReading::Read && !refused)
    }

    pub(super) fn script_state(&self) -> ScriptState {
        let of_status = |answer: &ToolCallAnswer| match answer.status {
            _ if answer.refused => ScriptState::Refused,
            Some(ToolCallStatus::Completed) => ScriptState::Completed,
            Some(ToolCallStatus::Failed) => ScriptState::Failed(answer.outcome.failure.clone()),
            Some(ToolCallStatus::Aborted) => ScriptState::Aborted,
            Some(ToolCallStatus::Running) => ScriptState::Running,
            Some(ToolCallStatus::Unknown) | None => ScriptState::Unknown,
        };
        match (&self.cell, &self.answer) {
            (Some(cell), _) => match (cell.state, &cell.end) {
                (CellState::Running, _) if self.log_ended => ScriptState::Unknown,
                (CellState::Running, _) => ScriptState::Running,
                (CellState::Ended, Some(end)) => of_status(end),
                (CellState::Ended, None) | (CellState::Gone, _) => ScriptState::Unknown,
            },
            (None, Some(answer)) => of_status(answer),
            (None, None) => match self.cut_short {
                None => ScriptState::Running,
                Some(TurnOutcome::Aborted | TurnOutcome::Failed) => ScriptState::Aborted,
                Some(TurnOutcome::Completed | TurnOutcome::Superseded | TurnOutcome::Open) => {
                    ScriptState::Unknown
                }
            },
        }
    }

    /// Whether its script still runs, as far as recorded, so that an execution may come from it.
    pub(super) fn is_open_wrapper(&self) -> bool {
        self.unwrapped().is_some() && self.script_state() == ScriptState::Running
    }

    /// Whether its script runs in the background.
    pub(super) fn is_open_cell(&self) -> bool {
        self.cell.as_ref().is_some_and(|cell| cell.state == CellState::Running)
    }

    /// Whether the call of the script at `site` has a recorded execution.
    pub(super) fn site_is_taken(&self, site: usize) -> bool {
        self.nested.iter().any(|n| n.site == Some(site))
    }

    /// Whether some call of its script has no recorded execution yet, or may have several.
    pub(super) fn has_free_site(&self) -> bool {
        let Some(script) = self.unwrapped() else { return false };
        (0..script.calls.len())
            .any(|site| script.calls[site].marks.has(Mark::Repeat) || !self.site_is_taken(site))
    }

    /// Whether a later row may still tell something of this call.
    pub(super) fn may_be_amended(&self, records_nested: bool) -> bool {
        if self.is_open_cell() {
            return true;
        }
        if let Some(script) = self.unwrapped() {
            let runs = |site: usize| {
                let call = &script.calls[site];
                !self.site_is_taken(site) && (call.is_open() || is_recorded(call, records_nested))
            };
            return (0..script.calls.len()).any(runs);
        }
        let Some(shown) = &self.shown else { return false };
        let waits_for_end =
            shown.outcome.running_session.is_some() && shown.kind() != ToolKind::TerminalInput;
        let has_no_end = matches!(shown.status, ToolCallStatus::Unknown | ToolCallStatus::Aborted);
        self.execution.is_none() && (waits_for_end || has_no_end)
    }

    /// The answer that told of its script's end, else the first.
    pub(super) fn last_answer(&self) -> Option<&ToolCallAnswer> {
        self.cell.as_ref().and_then(|cell| cell.end.as_ref()).or(self.answer.as_ref())
    }

    /// Everything its script printed, over all answers.
    pub(super) fn printed(&self) -> impl Iterator<Item = &PrintedBlock> {
        let first = self.answer.iter().flat_map(|a| a.blocks.iter());
        first.chain(self.cell.iter().flat_map(|c| c.printed.iter()))
    }
}

/// Whether a log that records nested calls records this one: by its tool, whatever its argument turned out to be.
pub(super) fn is_recorded(call: &ScriptCall, records_nested: bool) -> bool {
    let is_recorded_kind =
        |kind| matches!(kind, ToolKind::Command | ToolKind::Patch | ToolKind::Mcp | ToolKind::Image);
    let is_computed = call.name.name.is_empty();
    records_nested
        && (is_computed || is_recorded_kind(call.detail.kind()) || is_recorded_kind(call.name.kind()))
}

/// An outcome that says nothing but a failure.
pub(super) fn failed_because(reason: Option<Arc<str>>) -> Outcome {
    Outcome { failure: reason, ..Outcome::default() }
}
