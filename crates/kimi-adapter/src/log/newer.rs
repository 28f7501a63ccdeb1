//! Rows of the newer shape, by their dotted kinds.

use std::borrow::Cow;

use larkspan_core::transcript::{Goal, NoticeKind, RecordBody, TurnOutcome};

use super::speech::is_task_of_subagent;
use super::usage::Reporter;
use super::{LogReader, Sink};
use crate::wire::{self, Row, ToolReturn};

impl LogReader {
    pub(super) fn newer(&mut self, kind: &str, row: &Row<'_>, sink: &mut Sink<'_>) {
        let owned = |raw| wire::non_empty(raw).map(Cow::into_owned);
        match kind {
            // The head says who writes; it is told with the first row that says more.
            "metadata" => return,
            "config.update" => {
                self.memory.session.configure(owned(row.cwd), owned(row.model_alias));
                return;
            }
            "llm.request" => {
                self.memory.session.uses_model(owned(row.model));
                return;
            }
            "usage.record" => self.memory.session.uses_model(owned(row.model)),
            "turn.prompt" if is_task_of_subagent(row.origin) => self.memory.session.is_of_subagent(),
            _ => {}
        }
        self.announce(sink);
        match kind {
            "context.append_loop_event" => self.loop_event(row.event, sink),
            "context.append_message" => self.message(row.message, sink),
            "turn.prompt" => self.prompt(row.input, row.origin, sink),
            "turn.steer" => self.steer(row.input, row.origin, sink),
            "turn.cancel" => {
                self.end_turn(TurnOutcome::Aborted, Some("cancelled".to_owned()), sink);
            }
            "turn.ended" => self.turn_ended(row, sink),
            "usage.record" => {
                let is_of_turn = wire::text(row.usage_scope).is_none_or(|scope| scope == "turn");
                self.tokens(Reporter::Record, row.usage, is_of_turn, sink);
            }
            "context_size.measured" => self.context_size(wire::unsigned(row.tokens), None, sink),
            "context.undo" => self.undo(wire::unsigned(row.count).unwrap_or(1), sink),
            "context.clear" => {
                self.memory.turns.forget_prompts();
                self.note(NoticeKind::Info, "context cleared", sink);
            }
            "context.apply_compaction" => self.compaction(row, sink),
            "permission.record_approval_result" => {
                let result: ToolReturn<'_> = wire::object(row.result);
                let decision = wire::text(result.decision).unwrap_or_default();
                if let Some(call) = wire::id(row.tool_call_id)
                    && matches!(decision.as_ref(), "rejected" | "cancelled" | "denied")
                {
                    self.memory.approvals.refuse(&call);
                }
            }
            "goal.create" => {
                self.memory.goal = owned(row.objective);
                self.tell_goal(None, sink);
            }
            "goal.update" => {
                // Most updates only count tokens and turns.
                if let Some(status) = owned(row.status) {
                    self.tell_goal(Some(status), sink);
                }
            }
            "goal.clear" => {
                self.tell_goal(Some("cleared".to_owned()), sink);
                self.memory.goal = None;
            }
            "forked" => self.note(NoticeKind::Fork, "", sink),
            "plan_mode.enter" => self.note(NoticeKind::Info, "plan mode", sink),
            "plan_mode.exit" | "plan_mode.cancel" => self.note(NoticeKind::Info, "plan mode ended", sink),
            "" => sink.unknown("row without a type", None),
            other if is_state(other) => {}
            other => sink.unknown(other, None),
        }
    }

    fn turn_ended(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        let reason = wire::non_empty(row.reason).or_else(|| wire::non_empty(row.status)).unwrap_or_default();
        match reason.as_ref() {
            "" | "completed" | "end_turn" | "done" => self.end_turn(TurnOutcome::Completed, None, sink),
            "failed" | "error" => self.end_turn(TurnOutcome::Failed, None, sink),
            other => self.end_turn(TurnOutcome::Aborted, Some(other.replace('_', " ")), sink),
        }
    }

    fn compaction(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        self.memory.turns.forget_prompts();
        let (before, after) = (wire::unsigned(row.tokens_before), wire::unsigned(row.tokens_after));
        let text = match (before, after) {
            (Some(before), Some(after)) => format!("{before} → {after} tokens"),
            (None, _) | (_, None) => String::new(),
        };
        self.note(NoticeKind::Compaction, text, sink);
        self.context_size(after, None, sink);
    }

    /// A goal is an item of a turn. Between turns it begins none of its own: the next one tells it.
    fn tell_goal(&mut self, status: Option<String>, sink: &mut Sink<'_>) {
        let Some(objective) = self.memory.goal.clone() else { return };
        let goal = Goal { objective, status };
        if self.memory.turns.is_open() {
            self.flush_text(None, sink);
            sink.push(RecordBody::Goal(goal));
        } else {
            self.memory.untold_goal = Some(goal);
        }
    }
}

/// States of the program, what was sent to the model, and twins of what other rows say.
fn is_state(kind: &str) -> bool {
    const GROUPS: [&str; 10] = [
        "llm.",
        "tools.",
        "mcp.",
        "permission.",
        "full_compaction.",
        "micro_compaction.",
        "swarm_mode.",
        "spine.",
        "token_counting.",
        "runtime.",
    ];
    GROUPS.iter().any(|group| kind.starts_with(group))
        || matches!(
            kind,
            "interaction.request" | "interaction.resolved" | "prompt.accepted" | "plugin.session_start"
        )
}
