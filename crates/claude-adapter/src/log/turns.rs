//! When turns begin and end.
//!
//! A transcript has no rows for it. What is observed:
//! - **Begin.** A row of the user that carries no results begins a turn, unless it belongs to the open one: it has the
//!   same `promptId` (2.1 and later), or the row it follows is a result that the agent has not answered yet (words
//!   sent while the agent worked). Rows the harness writes under the user's name begin none. Where the agent speaks
//!   while no turn is open (after a hook kept it from stopping, in a log whose beginning is gone), its row begins one.
//! - **End.** The last text of an answer with `stop_reason` `end_turn`, `stop_sequence` or `refusal` ends the turn
//!   (2.1.100 and later); before, `stop_reason` is null and the rows `stop_hook_summary` or `turn_duration` of the
//!   harness do, where they are there. An error of the API ends it as failed, `[Request interrupted by user…]` as
//!   aborted. Else the next turn's begin supersedes it: the log does not say how it ended.

use larkspan_core::ids::TurnId;
use larkspan_core::transcript::{RecordBody, TurnEnd, TurnOutcome};
use serde::{Deserialize, Serialize};

use super::{LogReader, Sink};
use crate::wire::{self, Row};

/// The open turn, as far as the rows to come need it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenTurn {
    pub(super) id: Option<TurnId>,
    /// The prompt that all of the turn's rows of the user name.
    prompt: Option<String>,
    /// The row of the newest result, while the agent has said nothing since.
    newest_result: Option<String>,
    /// A command of the harness began it, and the agent has said nothing yet: it may not have been for the agent.
    pub(super) is_bare_command: bool,
}

impl LogReader {
    pub(super) fn turn_id(&self) -> Option<TurnId> {
        self.memory.turn.as_ref().and_then(|turn| turn.id.clone())
    }

    /// Begins a turn with this row.
    pub(super) fn begin_turn(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        let id = wire::owned(row.uuid).map(TurnId::new);
        sink.turn.clone_from(&id);
        self.memory.turn = Some(OpenTurn {
            id,
            prompt: wire::owned(row.prompt_id),
            newest_result: None,
            is_bare_command: false,
        });
        self.announce(sink);
        sink.push(RecordBody::TurnStarted);
    }

    /// The agent says or does something.
    pub(super) fn agent_acts(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        match &mut self.memory.turn {
            Some(turn) => {
                turn.newest_result = None;
                turn.is_bare_command = false;
            }
            None => self.begin_turn(row, sink),
        }
        self.announce(sink);
    }

    /// A result is told to the agent.
    pub(super) fn is_told(&mut self, row: &Row<'_>) {
        if let Some(turn) = &mut self.memory.turn {
            turn.newest_result = wire::owned(row.uuid);
            if turn.prompt.is_none() {
                turn.prompt = wire::owned(row.prompt_id);
            }
        }
    }

    /// Whether a row of the user goes on with the open turn.
    pub(super) fn goes_on(&self, row: &Row<'_>) -> bool {
        let Some(turn) = &self.memory.turn else { return false };
        let is = |mine: &Option<String>, theirs| mine.is_some() && *mine == wire::owned(theirs);
        is(&turn.prompt, row.prompt_id) || is(&turn.newest_result, row.parent_uuid)
    }

    /// Ends the open turn, if there is one.
    pub(super) fn end_turn(&mut self, outcome: TurnOutcome, reason: Option<String>, sink: &mut Sink<'_>) {
        if self.memory.turn.take().is_some() {
            // Whichever is open: two turns of a log may have begun with rows of the same id.
            sink.turn = None;
            sink.push(RecordBody::TurnEnded(TurnEnd { outcome, reason }));
        }
    }
}
