//! `event_msg` rows: turns, usage, completed items, and the older events of the user interface.

use std::borrow::Cow;

use larkspan_core::tool_call::{
    ExecutionOrigin, InputLanguage, Outcome, ToolCallDetail, ToolCallExecution, ToolCallStatus, ToolName,
};
use larkspan_core::transcript::{ChatLayer, Goal, NoticeKind, RecordBody, Role, TurnEnd, TurnOutcome};

use super::chat::phase;
use super::items::{command, execution, file_change, image_generation, image_view, mcp, status};
use super::response::{id_of, web_action};
use super::usage::token_count;
use super::{LogReader, Sink};
use crate::output::body;
use crate::wire::{self, Payload};

impl LogReader {
    pub(super) fn event(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let kind = wire::text(payload.r#type).unwrap_or_default();
        match kind.as_ref() {
            "task_started" | "turn_started" => self.turn_started(sink),
            "task_complete" | "turn_complete" => self.turn_complete(payload, sink),
            "turn_aborted" => {
                let reason = wire::non_empty(payload.reason).map(Cow::into_owned);
                self.end_turn(TurnEnd { outcome: TurnOutcome::Aborted, reason }, sink);
            }
            "item_completed" => match &payload.item {
                Some(item) => self.item(payload, item, sink),
                None => sink.unknown("item_completed without an item", None),
            },
            "token_count" => token_count(payload, sink),
            "user_message" => {
                let text = wire::text(payload.message).unwrap_or_default();
                sink.message(Role::User, ChatLayer::Event, &text, None, payload.id);
            }
            "agent_message" => {
                let text = wire::text(payload.message).unwrap_or_default();
                sink.message(Role::Agent, ChatLayer::Event, &text, phase(payload.phase), payload.id);
            }
            "agent_reasoning" => {
                sink.reasoning(ChatLayer::Event, &wire::text(payload.text).unwrap_or_default(), payload.id);
            }
            "exec_command_end" => Self::executed(payload, command(payload, &kind), sink),
            "patch_apply_end" => {
                let executed = file_change(payload, &kind, self.memory.session.cwd());
                Self::executed(payload, executed, sink);
            }
            "mcp_tool_call_end" => Self::executed(payload, mcp(payload, payload, &kind), sink),
            "web_search_end" => {
                let detail = web_action(payload.action, payload.query);
                let executed =
                    execution(ToolName::bare("web_search"), &kind, detail, ToolCallStatus::Completed);
                Self::executed(payload, executed, sink);
            }
            "view_image_tool_call" => Self::executed(payload, image_view(payload, &kind), sink),
            "image_generation_end" => Self::executed(payload, image_generation(payload, &kind), sink),
            "dynamic_tool_call_response" => Self::dynamic_call(payload, &kind, sink),
            "context_compacted" => self.compaction(sink),
            "thread_goal_updated" => goal(payload, sink),
            "error" => sink.notice(NoticeKind::Error, wire::text(payload.message).unwrap_or_default()),
            "stream_error" | "warning" | "background_event" | "deprecation_notice" => {
                sink.notice(NoticeKind::Warning, wire::text(payload.message).unwrap_or_default());
            }
            "entered_review_mode"
            | "exited_review_mode"
            | "undo_completed"
            | "thread_rolled_back"
            | "guardian_assessment" => {
                let detail = wire::non_empty(payload.message).or_else(|| wire::non_empty(payload.status));
                let detail = detail.map(|text| format!(": {text}")).unwrap_or_default();
                sink.notice(NoticeKind::Info, format!("{}{detail}", kind.replace('_', " ")));
            }
            "sub_agent_activity" => self.agent_activity(payload, sink),
            other if other.starts_with("collab_") => self.collab_event(payload, other, sink),
            "web_search_call" | "image_generation_call" => self.response_item(payload, sink),
            "codex/event/raw_item" => match &payload.item {
                Some(item) => self.response_item(item, sink),
                None => sink.unknown("raw_item without an item", None),
            },
            // Begins whose ends say all, twins of other rows, and states of the harness.
            "dynamic_tool_call_request"
            | "exec_command_begin"
            | "patch_apply_begin"
            | "mcp_tool_call_begin"
            | "web_search_begin"
            | "image_generation_begin"
            | "exec_command_output_delta"
            | "agent_message_delta"
            | "agent_reasoning_delta"
            | "agent_reasoning_raw_content"
            | "agent_reasoning_section_break"
            | "item_started"
            | "plan_update"
            | "turn_diff"
            | "session_configured"
            | "thread_settings_applied"
            | "thread_name_updated"
            | "turn.completed"
            | "turn.started"
            | "account/rateLimits/updated"
            | "shutdown_complete"
            | "raw_response_item"
            | "undo_started" => {}
            "" => sink.unknown("event_msg without a type", None),
            other => sink.unknown(format!("event_msg/{other}"), None),
        }
    }

    fn turn_started(&mut self, sink: &mut Sink<'_>) {
        // Without an id of its own the row begins a turn without one: it must not pass for the one before.
        if !sink.names_its_turn {
            sink.turn = None;
        }
        self.memory.turn.clone_from(&sink.turn);
        self.memory.compaction_is_told = false;
        sink.push(RecordBody::TurnStarted);
    }

    fn turn_complete(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let error = wire::map(payload.error);
        let message = wire::non_empty(error.get("message").copied())
            .or_else(|| wire::non_empty(payload.error))
            .map(Cow::into_owned);
        let outcome = if wire::is_null(payload.error) { TurnOutcome::Completed } else { TurnOutcome::Failed };
        self.end_turn(TurnEnd { outcome, reason: message }, sink);
    }

    fn end_turn(&mut self, end: TurnEnd, sink: &mut Sink<'_>) {
        sink.push(RecordBody::TurnEnded(end));
        if self.memory.turn == sink.turn {
            self.memory.turn = None;
        }
    }

    fn executed(payload: &Payload<'_>, ran: ToolCallExecution, sink: &mut Sink<'_>) {
        match id_of(payload) {
            Some(id) => sink.executed(&id, ran),
            // Without an id it can only stand alone.
            None => {
                let id = format!("byte-{}", sink.position);
                sink.executed(&id, ToolCallExecution { origin: ExecutionOrigin::Call, ..ran });
            }
        }
    }

    fn dynamic_call(payload: &Payload<'_>, kind: &str, sink: &mut Sink<'_>) {
        let namespace = wire::text(payload.namespace);
        let name = ToolName::namespaced(namespace.as_deref(), wire::text(payload.tool).unwrap_or_default());
        let input = payload.arguments.map_or("{}", serde_json::value::RawValue::get);
        let status = match wire::boolean(payload.success) {
            Some(false) => ToolCallStatus::Failed,
            Some(true) | None => ToolCallStatus::Completed,
        };
        let printed = super::chat::content(payload.content_items);
        let failure = wire::non_empty(payload.error).filter(|_| status == ToolCallStatus::Failed);
        let outcome = Outcome {
            duration: wire::duration(payload.duration),
            output: (!printed.is_empty()).then(|| body(&printed)),
            failure: failure.map(|text| text.as_ref().into()),
            ..Outcome::default()
        };
        let detail = ToolCallDetail::generic(input, InputLanguage::Json);
        Self::executed(payload, ToolCallExecution { outcome, ..execution(name, kind, detail, status) }, sink);
    }

    fn collab_event(&mut self, payload: &Payload<'_>, kind: &str, sink: &mut Sink<'_>) {
        if kind.ends_with("_begin") {
            return;
        }
        match id_of(payload).filter(|id| self.asked.is_known(id)) {
            Some(id) => {
                let detail = larkspan_core::tool_call::AgentDetail {
                    prompt: wire::text(payload.prompt).unwrap_or_default().as_ref().into(),
                    ..larkspan_core::tool_call::AgentDetail::default()
                };
                let status = status(payload.status).unwrap_or(ToolCallStatus::Completed);
                sink.executed(
                    &id,
                    execution(ToolName::bare("agent"), kind, ToolCallDetail::Agent(detail), status),
                );
            }
            None => {
                let who = wire::non_empty(payload.new_agent_nickname).map(|name| format!(" {name}"));
                sink.notice(
                    NoticeKind::Agents,
                    format!("{}{}", kind.replace('_', " "), who.unwrap_or_default()),
                );
            }
        }
    }
}

fn goal(payload: &Payload<'_>, sink: &mut Sink<'_>) {
    let goal = wire::map(payload.goal);
    let text = |name: &str| wire::non_empty(goal.get(name).copied()).map(Cow::into_owned);
    if let Some(objective) = text("objective") {
        sink.push(RecordBody::Goal(Goal { objective, status: text("status") }));
    }
}
