//! The dialect of `codex exec --json`: threads, turns and items. Scripts are invisible in it; what ran stands alone.

use std::borrow::Cow;

use larkspan_core::patch::{PatchAction, PatchFile};
use larkspan_core::tool_call::{
    PatchDetail, PlanDetail, PlanItem, PlanStatus, ToolCallDetail, ToolCallExecution, ToolCallStatus,
    ToolName,
};
use larkspan_core::transcript::{
    ChatLayer, ContextUsage, NoticeKind, RecordBody, Role, TurnEnd, TurnOutcome,
};

use super::items::{command, execution, mcp, status};
use super::response::web_action;
use super::usage::usage;
use super::{LogReader, Sink};
use crate::wire::{self, Payload, Row};

impl LogReader {
    pub(super) fn exec_json(&mut self, row: &Row<'_>, kind: &str, sink: &mut Sink<'_>) {
        match kind {
            "thread.started" => {
                if let Some(id) = wire::non_empty(row.thread_id) {
                    self.memory.session.name(&id);
                    self.announce(sink);
                }
            }
            "turn.started" => sink.push(RecordBody::TurnStarted),
            "turn.completed" => {
                let tokens = usage(row.usage);
                let usage = ContextUsage {
                    input_tokens: tokens.input_tokens,
                    output_tokens: tokens.output_tokens,
                    ..ContextUsage::default()
                };
                if usage != ContextUsage::default() {
                    sink.push(RecordBody::Usage(usage));
                }
                sink.push(RecordBody::TurnEnded(TurnEnd { outcome: TurnOutcome::Completed, reason: None }));
            }
            "turn.failed" => {
                let error = wire::map(row.error);
                let reason = wire::non_empty(error.get("message").copied()).map(Cow::into_owned);
                sink.push(RecordBody::TurnEnded(TurnEnd { outcome: TurnOutcome::Failed, reason }));
            }
            "error" => sink.notice(NoticeKind::Error, wire::text(row.message).unwrap_or_default()),
            "item.started" | "item.updated" => exec_item(row, false, sink),
            "item.completed" => exec_item(row, true, sink),
            other => sink.unknown(other, None),
        }
    }
}

fn exec_item(row: &Row<'_>, is_done: bool, sink: &mut Sink<'_>) {
    let item: Payload<'_> = wire::object(row.item);
    let kind = wire::text(item.r#type).unwrap_or_default();
    let text = || wire::text(item.text).or_else(|| wire::text(item.message)).unwrap_or_default();
    let executed = match kind.as_ref() {
        "agent_message" if is_done => {
            return sink.message(Role::Agent, ChatLayer::Item, &text(), None, item.id);
        }
        "reasoning" if is_done => return sink.reasoning(ChatLayer::Item, &text(), item.id),
        "error" if is_done => return sink.notice(NoticeKind::Error, text()),
        "agent_message" | "reasoning" | "error" => return,
        "command_execution" => command(&item, &kind),
        "mcp_tool_call" => mcp(&item, &item, &kind),
        "file_change" => files(&item, &kind),
        "web_search" => {
            let ended = if is_done { ToolCallStatus::Completed } else { ToolCallStatus::Running };
            execution(ToolName::bare("web_search"), &kind, web_action(item.action, item.query), ended)
        }
        "todo_list" => todo_list(row, &kind, is_done),
        other => return sink.unknown(format!("item/{other}"), None),
    };
    let id = wire::non_empty(item.id).unwrap_or_default();
    sink.executed(&id, executed);
}

/// Changed files without their changes: this dialect names paths only.
fn files(item: &Payload<'_>, kind: &str) -> ToolCallExecution {
    let changes = wire::array(item.changes).into_iter().filter_map(|change| {
        let change = wire::map(Some(change));
        let text = |name: &str| wire::non_empty(change.get(name).copied()).map(Cow::into_owned);
        let action = match text("kind").as_deref() {
            Some("add") => PatchAction::Add,
            Some("delete") => PatchAction::Delete,
            _ => PatchAction::Update,
        };
        Some(PatchFile::new(text("path")?, action))
    });
    let detail = PatchDetail { files: changes.collect(), ..PatchDetail::default() };
    let status = status(item.status).unwrap_or(ToolCallStatus::Unknown);
    execution(ToolName::bare("apply_patch"), kind, ToolCallDetail::Patch(detail), status)
}

fn todo_list(row: &Row<'_>, kind: &str, is_done: bool) -> ToolCallExecution {
    let list = wire::map(row.item);
    let items = wire::array(list.get("items").copied()).into_iter().filter_map(|item| {
        let item = wire::map(Some(item));
        let text = wire::text(item.get("text").copied())?.into_owned();
        let is_completed = wire::boolean(item.get("completed").copied()) == Some(true);
        let status = if is_completed { PlanStatus::Completed } else { PlanStatus::Pending };
        Some(PlanItem { text, status })
    });
    let detail = ToolCallDetail::Plan(PlanDetail { items: items.collect(), explanation: None });
    let status = if is_done { ToolCallStatus::Completed } else { ToolCallStatus::Running };
    execution(ToolName::bare("todo_list"), kind, detail, status)
}
