//! What the harness tells in tags under the user's name: its own commands, their output, and background work that is
//! over.

use larkspan_core::ids::TurnId;
use larkspan_core::text::strip_terminal;
use larkspan_core::tool_call::{
    AgentDetail, CommandDetail, ExecutionOrigin, Outcome, Output, ToolCallDetail, ToolCallExecution,
    ToolCallStatus, ToolCallStep, ToolKind, ToolName,
};
use larkspan_core::transcript::{NoticeKind, TurnOutcome};

use super::open::Asked;
use super::text::{paragraph, tagged};
use super::user::leading;
use super::{LogReader, Sink};
use crate::wire::{self, Origin, Raw, Row};

/// Tags around the output of what never went to the agent.
const OUTPUTS: [&str; 5] =
    ["local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr", "user-prompt-submit-hook"];
const NOTIFICATION: &str = "task-notification";

/// Whose row tells of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Teller {
    /// The user's: it may be a prompt.
    User,
    /// The harness's own: it is none.
    Harness,
}

impl LogReader {
    /// Reads a command of the harness, or its output. Whether it was one.
    pub(super) fn command(&mut self, row: &Row<'_>, by: Teller, text: &str, sink: &mut Sink<'_>) -> bool {
        if let Some(output) = OUTPUTS.iter().find_map(|tag| leading(text, tag).map(|_| *tag)) {
            self.announce(sink);
            let parts = OUTPUTS.iter().filter_map(|tag| tagged(text, tag)).filter(|part| !part.is_empty());
            let said = paragraph(&strip_terminal(&parts.collect::<Vec<_>>().join("\n")));
            if !said.is_empty() {
                sink.notice(NoticeKind::Info, said);
            }
            let is_over = self.memory.turn.as_ref().is_some_and(|turn| turn.is_bare_command);
            if is_over && output.starts_with("local-command") {
                self.end_turn(TurnOutcome::Completed, None, sink);
            }
            return true;
        }
        if let Some(line) = leading(text, "bash-input") {
            self.announce(sink);
            sink.notice(NoticeKind::Info, paragraph(&format!("! {line}")));
            return true;
        }
        if leading(text, "command-name").or_else(|| leading(text, "command-message")).is_none() {
            return false;
        }
        let name = tagged(text, "command-name").or_else(|| tagged(text, "command-message"));
        let name = name.unwrap_or_default();
        let slash = if name.starts_with('/') { "" } else { "/" };
        let arguments = tagged(text, "command-args").unwrap_or_default();
        let words = format!("{slash}{name} {arguments}");
        let words = words.trim();
        let caveat = self.memory.caveat.take();
        let is_announced = caveat.is_some() && caveat == wire::owned(row.parent_uuid);
        if by == Teller::Harness || is_announced {
            self.announce(sink);
            sink.notice(NoticeKind::Info, paragraph(words));
        } else {
            self.prompt(row, words, sink);
            if let Some(turn) = &mut self.memory.turn {
                turn.is_bare_command = true;
            }
        }
        true
    }

    /// Reads that work in the background is over. Whether it was that.
    pub(super) fn notification(
        &mut self,
        row: &Row<'_>,
        origin: Raw<'_>,
        text: &str,
        sink: &mut Sink<'_>,
    ) -> bool {
        let is_one = leading(text, NOTIFICATION).is_some()
            || wire::text(wire::object::<Origin<'_>>(origin).kind).as_deref() == Some(NOTIFICATION);
        if !is_one {
            return false;
        }
        self.announce(sink);
        let part = |tag| tagged(text, tag).filter(|part| !part.is_empty());
        let summary = part("summary").unwrap_or(text);
        let status = status(part("status"), summary);
        let is_over = status != ToolCallStatus::Running;
        if is_over && let Some(work) = self.memory.background.take(part("tool-use-id"), part("task-id")) {
            let outcome = Outcome {
                exit_code: exit_code(summary),
                output: part("result").map(Output::whole),
                ..Outcome::default()
            };
            sink.ended(&work.call, status, outcome);
        }
        // The agent is told, and answers.
        let goes_on = self.memory.turn.is_some() && (row.prompt_id.is_none() || self.goes_on(row));
        if !goes_on {
            self.begin_turn(row, sink);
        }
        sink.notice(NoticeKind::Info, paragraph(summary));
        true
    }
}

impl Sink<'_> {
    /// A call whose work went on in the background has ended, in the turn it was made in.
    fn ended(&mut self, call: &Asked, status: ToolCallStatus, outcome: Outcome) {
        let Some(turn) = &call.turn else { return };
        let (name, detail) = if call.kind == ToolKind::Agent {
            ("Agent", ToolCallDetail::Agent(AgentDetail::default()))
        } else {
            ("Bash", ToolCallDetail::Command(CommandDetail::default()))
        };
        self.in_turn(turn.clone(), |sink| {
            sink.executed(&call.id, execution(name, detail, status, outcome));
        });
    }

    fn in_turn(&mut self, turn: TurnId, tell: impl FnOnce(&mut Self)) {
        let now = self.turn.replace(turn);
        tell(self);
        self.turn = now;
    }

    pub(super) fn executed(&mut self, id: &str, execution: ToolCallExecution) {
        self.call(id, ToolCallStep::Executed(execution));
    }
}

/// What a row beside the call tells of it.
pub(super) fn execution(
    name: &str,
    detail: ToolCallDetail,
    status: ToolCallStatus,
    outcome: Outcome,
) -> ToolCallExecution {
    ToolCallExecution {
        name: ToolName::bare(name),
        item_type: "user".to_owned(),
        detail,
        status,
        outcome,
        origin: ExecutionOrigin::Call,
        started_at: None,
    }
}

fn status(said: Option<&str>, summary: &str) -> ToolCallStatus {
    match (said.unwrap_or_default(), exit_code(summary)) {
        ("failed" | "error", _) => ToolCallStatus::Failed,
        ("killed" | "stopped" | "cancelled", _) => ToolCallStatus::Aborted,
        ("running", _) => ToolCallStatus::Running,
        (_, Some(code)) if code != 0 => ToolCallStatus::Failed,
        ("completed", _) => ToolCallStatus::Completed,
        _ => ToolCallStatus::Unknown,
    }
}

/// The exit code that a summary names at its end: `… (exit code 0)`, `… with exit code 3`.
fn exit_code(summary: &str) -> Option<i64> {
    let (_, after) = summary.rsplit_once("exit code ")?;
    after.trim_end().trim_end_matches([')', '.']).parse().ok()
}
