//! `item_completed` rows: what the user interface showed as done. The truth of what really ran.

use std::borrow::Cow;
use std::time::Duration;

use larkspan_core::patch::{Change, RecordedChange, files_from_stdout, sort_changes};
use larkspan_core::paths::strip_file_url;
use larkspan_core::shell::{Action, join, peel_command, peel_launcher};
use larkspan_core::time::Timestamp;
use larkspan_core::tool_call::{
    AgentDetail, CommandDetail, ExecutionOrigin, ImageDetail, McpDetail, Outcome, Output, PatchDetail,
    ToolCallDetail, ToolCallExecution, ToolCallStatus, ToolCallStep, ToolName,
};
use larkspan_core::transcript::{ChatLayer, NoticeKind, Phase, Role};
use serde_json::Value;

use super::chat::{content, phase, summary};
use super::response::{id_of, web_action};
use super::{LogReader, Sink};
use crate::output::body;
use crate::wire::{self, Invocation, Payload, Raw};

/// Ids of calls that only a script can have made.
const NESTED_ID: &str = "exec-";
/// What is recorded as the exit code of a process that has none: it was killed, or could not be made.
const NO_EXIT_CODE: i64 = -1;

impl LogReader {
    /// `at` holds the times of the item; `item` what it is.
    pub(super) fn item(&mut self, at: &Payload<'_>, item: &Payload<'_>, sink: &mut Sink<'_>) {
        let kind = wire::text(item.r#type).unwrap_or_default();
        let started_at = wire::integer(at.started_at_ms).filter(|ms| *ms > 0).map(Timestamp::from_millis);
        let executed = match kind.as_ref() {
            "UserMessage" => {
                return sink.message(Role::User, ChatLayer::Item, &content(item.content), None, item.id);
            }
            "AgentMessage" => {
                return sink.message(
                    Role::Agent,
                    ChatLayer::Item,
                    &content(item.content),
                    phase(item.phase),
                    item.id,
                );
            }
            "Plan" => {
                let text = wire::text(item.text).unwrap_or_default();
                return sink.message(Role::Agent, ChatLayer::Item, &text, Some(Phase::Commentary), item.id);
            }
            "Reasoning" => return sink.reasoning(ChatLayer::Item, &summary(item.summary_text), item.id),
            "ContextCompaction" => return self.compaction(sink),
            "SubAgentActivity" => return self.agent_activity(item, sink),
            "CommandExecution" => command(item, &kind),
            "FileChange" => file_change(item, &kind, self.memory.session.cwd()),
            "McpToolCall" => mcp(item, item, &kind),
            "WebSearch" => execution(
                ToolName::bare("web_search"),
                &kind,
                web_action(item.action, item.query),
                ToolCallStatus::Completed,
            ),
            "ImageView" => image_view(item, &kind),
            "ImageGeneration" => image_generation(item, &kind),
            "CollabAgentToolCall" => match self.collab_call(item, &kind) {
                Some(executed) => executed,
                None => return self.agent_activity(item, sink),
            },
            "Extension" if item.action.is_some() || item.query.is_some() => execution(
                ToolName::bare("web_search"),
                &kind,
                web_action(item.action, item.query),
                ToolCallStatus::Completed,
            ),
            other => return sink.unknown(format!("item_completed/{other}"), None),
        };
        if matches!(kind.as_ref(), "CommandExecution" | "FileChange" | "McpToolCall" | "ImageView") {
            // Builds that do not name their history mode, but record items.
            self.memory.session.change(|info| info.records_nested = true);
            self.announce(sink);
        }
        let Some(id) = id_of(item) else {
            return sink.unknown(format!("item_completed/{kind} without an id"), None);
        };
        sink.executed(&id, ToolCallExecution { started_at, ..executed });
    }

    /// An agent's state: it belongs to the call with its id, else it is a notice.
    pub(super) fn agent_activity(&mut self, item: &Payload<'_>, sink: &mut Sink<'_>) {
        let session = wire::non_empty(item.agent_thread_id).map(Cow::into_owned);
        let path = wire::non_empty(item.agent_path).map(Cow::into_owned);
        match id_of(item).filter(|id| self.asked.is_known(id)) {
            Some(id) => {
                let detail =
                    AgentDetail { description: path.unwrap_or_default(), session, ..AgentDetail::default() };
                // Whether the call came back, its answer tells.
                let executed = execution(
                    ToolName::bare("agent"),
                    "SubAgentActivity",
                    ToolCallDetail::Agent(detail),
                    ToolCallStatus::Running,
                );
                sink.executed(&id, executed);
            }
            None => {
                let who = path.or(session).unwrap_or_else(|| "agent".to_owned());
                let what = wire::text(item.kind).or_else(|| wire::text(item.tool)).unwrap_or_default();
                sink.notice(NoticeKind::Agents, format!("{who}: {what}"));
            }
        }
    }

    fn collab_call(&self, item: &Payload<'_>, kind: &str) -> Option<ToolCallExecution> {
        id_of(item).filter(|id| self.asked.is_known(id))?;
        let detail = AgentDetail {
            prompt: wire::text(item.prompt).unwrap_or_default().as_ref().into(),
            ..AgentDetail::default()
        };
        let status = status(item.status).unwrap_or(ToolCallStatus::Completed);
        let name = wire::text(item.tool).unwrap_or("agent".into()).into_owned();
        Some(execution(ToolName::bare(name), kind, ToolCallDetail::Agent(detail), status))
    }
}

impl Sink<'_> {
    pub(super) fn executed(&mut self, id: &str, mut executed: ToolCallExecution) {
        if executed.origin == ExecutionOrigin::Call && id.starts_with(NESTED_ID) {
            executed.origin = ExecutionOrigin::Nested;
        }
        self.push_call(id, ToolCallStep::Executed(executed));
    }
}

pub(super) fn execution(
    name: ToolName,
    item_type: &str,
    detail: ToolCallDetail,
    status: ToolCallStatus,
) -> ToolCallExecution {
    ToolCallExecution {
        name,
        item_type: item_type.to_owned(),
        detail,
        status,
        outcome: Outcome::default(),
        origin: ExecutionOrigin::Call,
        started_at: None,
    }
}

pub(super) fn status(raw: Raw<'_>) -> Option<ToolCallStatus> {
    match wire::text(raw)?.as_ref() {
        "completed" | "success" | "succeeded" => Some(ToolCallStatus::Completed),
        "failed" | "error" | "declined" => Some(ToolCallStatus::Failed),
        "in_progress" | "inProgress" | "running" => Some(ToolCallStatus::Running),
        "aborted" | "cancelled" | "canceled" | "interrupted" => Some(ToolCallStatus::Aborted),
        _ => None,
    }
}

/// A command that ran: an item, or an `exec_command_end` event, which has the same fields.
pub(super) fn command(item: &Payload<'_>, kind: &str) -> ToolCallExecution {
    let words: Vec<String> = wire::array(item.command)
        .into_iter()
        .filter_map(|w| wire::text(Some(w)))
        .map(Cow::into_owned)
        .collect();
    let line = match wire::text(item.command) {
        Some(line) => line.into_owned(),
        None => peel_launcher(&words).unwrap_or_else(|| join(&words)),
    };
    // What the agent asked for may be a launcher once more: it is peeled there too.
    let line = peel_command(&line).into_owned();
    let detail = CommandDetail {
        command: line.into(),
        workdir: wire::non_empty(item.cwd).map(|cwd| strip_file_url(&cwd).into_owned()),
        shell: None,
        tty: false,
        recorded_action: recorded_action(item.parsed_cmd),
    };
    let exit_code = wire::integer(item.exit_code);
    let duration = wire::duration(item.duration);
    let never_ran = exit_code == Some(NO_EXIT_CODE) && duration == Some(Duration::ZERO);
    let is_declined = wire::text(item.status).as_deref() == Some("declined");
    let status = match (status(item.status), exit_code) {
        // The process could not be made; what is recorded as its output is why.
        _ if never_ran => ToolCallStatus::Failed,
        // The process was killed: it has no exit code of its own.
        (_, Some(NO_EXIT_CODE)) => ToolCallStatus::Aborted,
        (_, Some(code)) if code != 0 => ToolCallStatus::Failed,
        (Some(status), _) => status,
        (None, Some(_)) => ToolCallStatus::Completed,
        (None, None) => ToolCallStatus::Unknown,
    };
    let printed =
        wire::non_empty(item.aggregated_output).map_or_else(|| two_streams(item), |text| body(&text));
    let outcome = Outcome {
        exit_code: exit_code.filter(|code| *code != NO_EXIT_CODE),
        duration,
        failure: never_ran.then(|| printed.text.clone()).filter(|reason| !reason.is_empty()),
        output: Some(printed).filter(|output| !output.is_empty() && !never_ran),
        declined: is_declined,
        ..Outcome::default()
    };
    let origin = match wire::text(item.source).as_deref() {
        Some("user_shell") => ExecutionOrigin::User,
        _ => ExecutionOrigin::Call,
    };
    let named = execution(ToolName::bare("exec_command"), kind, ToolCallDetail::Command(detail), status);
    ToolCallExecution { outcome, origin, ..named }
}

fn two_streams(item: &Payload<'_>) -> Output {
    let out = wire::text(item.stdout).unwrap_or_default();
    let err = wire::text(item.stderr).unwrap_or_default();
    let gap = if out.is_empty() || out.ends_with('\n') || err.is_empty() { "" } else { "\n" };
    body(&format!("{out}{gap}{err}"))
}

/// What Codex itself took the command for, if it is one thing.
fn recorded_action(raw: Raw<'_>) -> Option<Action> {
    let entries = wire::array(raw);
    let [only] = entries.as_slice() else { return None };
    let entry = wire::map(Some(*only));
    let text = |name: &str| wire::non_empty(entry.get(name).copied()).map(Cow::into_owned);
    match text("type")?.as_str() {
        "read" => Some(Action::Read { path: text("path").or_else(|| text("name"))?, lines: None }),
        "list_files" => Some(Action::Browse { path: text("path") }),
        "search" => Some(Action::Search { query: text("query")?, path: text("path") }),
        _ => None,
    }
}

/// A patch that was applied, or refused: an item, or a `patch_apply_end` event, which has the same fields.
pub(super) fn file_change(item: &Payload<'_>, kind: &str, cwd: Option<&str>) -> ToolCallExecution {
    let mut changes: Vec<RecordedChange> = wire::map(item.changes)
        .into_iter()
        .map(|(path, change)| RecordedChange {
            path: strip_file_url(&path).into_owned(),
            change: recorded(change),
        })
        .collect();
    let stdout = wire::text(item.stdout).unwrap_or_default();
    sort_changes(&mut changes, &files_from_stdout(&stdout), cwd);
    let files = changes.iter().map(RecordedChange::file).collect();
    let detail = PatchDetail { patch: "".into(), changes, files, workdir: cwd.map(str::to_owned) };
    let is_declined = wire::text(item.status).as_deref() == Some("declined");
    let status = match (status(item.status), wire::boolean(item.success)) {
        (Some(status), _) => status,
        (None, Some(true)) => ToolCallStatus::Completed,
        (None, Some(false)) => ToolCallStatus::Failed,
        (None, None) => ToolCallStatus::Unknown,
    };
    let stderr = wire::non_empty(item.stderr);
    let failure = stderr.filter(|_| status == ToolCallStatus::Failed).map(|text| text.trim_end().into());
    let outcome = Outcome { failure, declined: is_declined, ..Outcome::default() };
    let named = execution(ToolName::bare("apply_patch"), kind, ToolCallDetail::Patch(detail), status);
    ToolCallExecution { outcome, ..named }
}

fn recorded(raw: &serde_json::value::RawValue) -> Change {
    let change = wire::map(Some(raw));
    let text = |name: &str| wire::text(change.get(name).copied()).map(Cow::into_owned);
    match text("type").as_deref() {
        Some("add") => Change::Add { content: text("content").unwrap_or_default() },
        Some("delete") => Change::Delete { content: text("content").unwrap_or_default() },
        _ => Change::Update {
            unified_diff: text("unified_diff").unwrap_or_default(),
            move_path: text("move_path").map(|path| strip_file_url(&path).into_owned()),
        },
    }
}

/// An MCP call: an item, or an `mcp_tool_call_end` event, which names the call in `invocation`.
pub(super) fn mcp(item: &Payload<'_>, named: &Payload<'_>, kind: &str) -> ToolCallExecution {
    let invocation: Invocation<'_> = if item.invocation.is_some() {
        wire::object(item.invocation)
    } else {
        Invocation { server: named.server, tool: named.tool, arguments: named.arguments }
    };
    let text = |raw| wire::text(raw).unwrap_or_default().into_owned();
    let (server, tool) = (text(invocation.server), text(invocation.tool));
    let input = match wire::value(invocation.arguments) {
        Some(value) if !value.is_null() => serde_json::to_string_pretty(&value).unwrap_or_default(),
        _ => String::new(),
    };
    let name = ToolName::bare(format!("mcp__{server}__{tool}"));
    let detail = ToolCallDetail::Mcp(McpDetail { server, tool, input: input.into() });
    let result = wire::value(item.result).unwrap_or_default();
    let (ok, mut failure) = match (result.get("Ok"), result.get("Err")) {
        (Some(ok), _) => (ok.clone(), None),
        (None, Some(error)) => (Value::Null, Some(text_of(error))),
        (None, None) => (result, None),
    };
    let printed = text_of(&ok);
    let is_error = ok.get("isError").or_else(|| ok.get("is_error")).and_then(Value::as_bool) == Some(true);
    if failure.is_none() && !wire::is_null(item.error) {
        failure = wire::value(item.error).map(|error| text_of(&error));
    }
    let status = match status(item.status) {
        Some(status) => status,
        None if is_error || failure.is_some() => ToolCallStatus::Failed,
        None => ToolCallStatus::Completed,
    };
    if status == ToolCallStatus::Failed && failure.is_none() {
        failure = Some(printed.clone()).filter(|text| !text.is_empty());
    }
    let outcome = Outcome {
        duration: wire::duration(item.duration).filter(|d| *d > Duration::ZERO),
        output: (!printed.is_empty()).then(|| body(&printed)),
        failure: failure.map(Into::into),
        ..Outcome::default()
    };
    ToolCallExecution { outcome, ..execution(name, kind, detail, status) }
}

/// The text of an MCP result or error.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(map) => {
            if let Some(message) = map.get("message").and_then(Value::as_str) {
                return message.to_owned();
            }
            let Some(blocks) = map.get("content").and_then(Value::as_array) else { return value.to_string() };
            let texts = blocks.iter().map(|block| match block.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => format!("[{}]", block.get("type").and_then(Value::as_str).unwrap_or("content")),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => value.to_string(),
    }
}

pub(super) fn image_view(item: &Payload<'_>, kind: &str) -> ToolCallExecution {
    let path = wire::text(item.path).unwrap_or_default();
    let detail = ImageDetail { target: strip_file_url(&path).into_owned(), is_prompt: false };
    execution(ToolName::bare("view_image"), kind, ToolCallDetail::Image(detail), ToolCallStatus::Completed)
}

pub(super) fn image_generation(item: &Payload<'_>, kind: &str) -> ToolCallExecution {
    let status = status(item.status).unwrap_or(ToolCallStatus::Completed);
    execution(ToolName::bare("image_gen__imagegen"), kind, image_prompt(item.revised_prompt), status)
}

pub(super) fn image_prompt(raw: Raw<'_>) -> ToolCallDetail {
    let target = wire::text(raw).unwrap_or_default().into_owned();
    ToolCallDetail::Image(ImageDetail { target, is_prompt: true })
}
