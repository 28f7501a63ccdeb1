//! `response_item` rows: what went to the model and came from it. Tool calls are read from here; chat only where no
//! other layer has it (the reducer decides).

use std::borrow::Cow;
use std::sync::Arc;

use larkspan_core::ids::CallId;
use larkspan_core::tool_call::{
    CallInput, LineBase, ToolCallDetail, ToolCallEvent, ToolCallRequest, ToolCallStatus, ToolCallStep,
    ToolKind, ToolName, ToolSearchDetail, WebFetchDetail, WebSearchDetail, detail_of_call,
};
use larkspan_core::transcript::{ChatLayer, NoticeKind, RecordBody, Role};
use serde_json::Value;

use super::chat::{content, phase, summary};
use super::{LogReader, Sink, is_compaction_output};
use crate::output::{self, Asked, Envelope};
use crate::script;
use crate::wire::{self, Payload, Raw};

impl LogReader {
    pub(super) fn response_item(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let kind = wire::text(payload.r#type).unwrap_or_default();
        match kind.as_ref() {
            "message" => Self::model_message(payload, sink),
            "reasoning" => sink.reasoning(ChatLayer::Model, &summary(payload.summary), payload.id),
            "function_call" => self.function_call(payload, sink),
            "custom_tool_call" => self.custom_tool_call(payload, sink),
            "local_shell_call" => self.local_shell_call(payload, sink),
            "tool_search_call" => self.tool_search_call(payload, sink),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.output(payload, payload.output, sink);
            }
            "tool_search_output" => Self::tool_search_output(payload, sink),
            "web_search_call" => self.web_search_call(payload, sink),
            "image_generation_call" => self.image_generation_call(payload, sink),
            "agent_message" => agent_message(payload, sink),
            // What the model was offered, and states of the harness.
            "additional_tools" | "ghost_snapshot" | "compaction" | "compaction_trigger" | "other" => {}
            "" => match &payload.item {
                // Some builds wrap the item once more.
                Some(item) => self.response_item(item, sink),
                None if payload.role.is_some() => Self::model_message(payload, sink),
                None => sink.unknown("response_item without a type", None),
            },
            other => sink.unknown(format!("response_item/{other}"), None),
        }
    }

    fn model_message(payload: &Payload<'_>, sink: &mut Sink<'_>) {
        if is_compaction_output(payload.metadata)
            || is_compaction_output(payload.internal_chat_message_metadata_passthrough)
        {
            return;
        }
        let role = match wire::text(payload.role).as_deref() {
            Some("user") => Role::User,
            Some("assistant") => Role::Agent,
            // Developer and system messages are instructions, not chat.
            _ => return,
        };
        let text = content(payload.content);
        sink.message(role, ChatLayer::Model, &text, phase(payload.phase), payload.id);
    }

    fn function_call(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let name = name_of(payload);
        let (raw_input, arguments) = arguments(payload.arguments.or(payload.input));
        let detail = match &arguments {
            Some(value) => detail_of_call(&name, CallInput::Json(value), LineBase::One),
            None => detail_of_call(&name, CallInput::Text(&raw_input), LineBase::One),
        };
        let cell = match (&detail, name.only_waits()) {
            (ToolCallDetail::TerminalInput(input), true) => Some(input.session_id.clone()),
            _ => None,
        };
        let request = ToolCallRequest { name, raw_input, detail, script: None, ended: None };
        self.call(payload, request, cell, sink);
    }

    fn custom_tool_call(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let name = name_of(payload);
        let Some(text) = wire::text(payload.input) else {
            return self.function_call(payload, sink);
        };
        let raw_input: Arc<str> = text.as_ref().into();
        if name.name == "exec" {
            let script = Arc::new(script::read(&text));
            let detail = ToolCallDetail::generic(
                raw_input.clone(),
                larkspan_core::tool_call::InputLanguage::JavaScript,
            );
            let request = ToolCallRequest { name, raw_input, detail, script: Some(script), ended: None };
            return self.call(payload, request, None, sink);
        }
        // Some builds send arguments where a tool takes text.
        let detail = match serde_json::from_str::<Value>(&text).ok().filter(Value::is_object) {
            Some(value) => detail_of_call(&name, CallInput::Json(&value), LineBase::One),
            None => detail_of_call(&name, CallInput::Text(&text), LineBase::One),
        };
        let request = ToolCallRequest { name, raw_input, detail, script: None, ended: None };
        self.call(payload, request, None, sink);
    }

    fn local_shell_call(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let name = ToolName::bare("local_shell");
        let (raw_input, action) = arguments(payload.action);
        let detail = action.map_or_else(
            || detail_of_call(&name, CallInput::Text(&raw_input), LineBase::One),
            |action| detail_of_call(&name, CallInput::Json(&action), LineBase::One),
        );
        let request = ToolCallRequest { name, raw_input, detail, script: None, ended: None };
        self.call(payload, request, None, sink);
    }

    fn tool_search_call(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let name = ToolName::bare("tool_search");
        let (raw_input, value) = arguments(payload.arguments);
        let detail = value.map_or_else(
            || detail_of_call(&name, CallInput::Text(&raw_input), LineBase::One),
            |value| detail_of_call(&name, CallInput::Json(&value), LineBase::One),
        );
        let request = ToolCallRequest { name, raw_input, detail, script: None, ended: None };
        self.call(payload, request, None, sink);
    }

    fn tool_search_output(payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let Some(id) = id_of(payload) else { return sink.notice(NoticeKind::Info, "tool_search_output") };
        // It answers a call, wherever that stands.
        sink.turn = None;
        let mut found = ToolSearchDetail::default();
        for tool in wire::array(payload.tools) {
            let tool: Payload<'_> = wire::object(Some(tool));
            let name = wire::text(tool.name).unwrap_or_default().into_owned();
            if tool.tools.is_some() {
                let tools = wire::array(tool.tools).into_iter();
                let names = tools.filter_map(|t| wire::text(wire::object::<Payload<'_>>(Some(t)).name));
                found.tools.extend(names.map(Cow::into_owned));
                found.namespaces.push(name);
            } else {
                found.tools.push(name);
            }
        }
        found.found = Some(found.tools.len() as u64);
        let execution = super::items::execution(
            ToolName::bare("tool_search"),
            "tool_search_output",
            ToolCallDetail::ToolSearch(found),
            ToolCallStatus::Completed,
        );
        sink.push_call(&id, ToolCallStep::Executed(execution));
    }

    fn web_search_call(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let detail = web_action(payload.action, payload.query);
        self.ended_call(payload, "web_search", payload.action, detail, sink);
    }

    fn image_generation_call(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let detail = super::items::image_prompt(payload.revised_prompt);
        self.ended_call(payload, "image_gen__imagegen", payload.revised_prompt, detail, sink);
    }

    /// A record that is call and end at once.
    fn ended_call(
        &mut self,
        payload: &Payload<'_>,
        name: &str,
        input: Raw<'_>,
        detail: ToolCallDetail,
        sink: &mut Sink<'_>,
    ) {
        let ended = match wire::text(payload.status).as_deref() {
            Some("failed") => ToolCallStatus::Failed,
            Some("incomplete") => ToolCallStatus::Aborted,
            _ => ToolCallStatus::Completed,
        };
        let raw_input = input.map_or("", serde_json::value::RawValue::get).into();
        let request = ToolCallRequest {
            name: ToolName::bare(name),
            raw_input,
            detail,
            script: None,
            ended: Some(ended),
        };
        self.call(payload, request, None, sink);
    }

    fn call(
        &mut self,
        payload: &Payload<'_>,
        mut request: ToolCallRequest,
        cell: Option<String>,
        sink: &mut Sink<'_>,
    ) {
        let id = id_of(payload).unwrap_or_else(|| format!("byte-{}", sink.position));
        if let ToolCallDetail::Patch(patch) = &mut request.detail
            && patch.workdir.is_none()
        {
            patch.workdir = self.memory.session.cwd().map(str::to_owned);
        }
        self.asked.insert(&id, asked(&request, cell));
        sink.push_call(&id, ToolCallStep::Called(request));
    }

    fn output(&mut self, payload: &Payload<'_>, raw: Raw<'_>, sink: &mut Sink<'_>) {
        let name = wire::non_empty(payload.name);
        // Only outputs are bound by `call_id`: their own id is of the output.
        let Some(id) = wire::non_empty(payload.call_id) else {
            let text = output::read(&Asked::bare(), raw, false).outcome.output.map(|o| o.text);
            let text = text.as_deref().unwrap_or_default();
            return sink.notice(NoticeKind::Info, format!("{}: {text}", name.as_deref().unwrap_or("output")));
        };
        let asked = self.asked.get(&id);
        let answer = output::read(&asked, raw, name.as_deref() == Some("exec"));
        if !answer.is_late_text {
            self.asked.mark_answered(&id);
        }
        sink.push_call(&id, ToolCallStep::Answered(answer));
    }
}

impl Sink<'_> {
    pub(super) fn push_call(&mut self, id: &str, step: ToolCallStep) {
        self.push(RecordBody::ToolCall(Box::new(ToolCallEvent { id: CallId::new(id), step })));
    }
}

/// Which envelope a call's output has.
fn asked(request: &ToolCallRequest, cell: Option<String>) -> Asked {
    let kind = request.name.kind();
    let name = request.name.name.to_ascii_lowercase();
    let envelope = match (name.as_str(), kind) {
        ("exec", _) if request.script.is_some() => Envelope::Script,
        ("wait", _) => Envelope::Wait,
        ("exec_command" | "write_stdin", _) => Envelope::Terminal,
        ("apply_patch", _) => Envelope::Patch,
        (_, ToolKind::Command) => Envelope::Shell,
        (_, ToolKind::Mcp) => Envelope::Mcp,
        (_, ToolKind::Image) => Envelope::Image,
        (_, ToolKind::Agent) => Envelope::Agent,
        _ => Envelope::Bare,
    };
    let carries_patch = kind == ToolKind::Command && request.detail.kind() == ToolKind::Patch;
    Asked { envelope, cell, carries_patch, is_answered: false }
}

fn name_of(payload: &Payload<'_>) -> ToolName {
    let namespace = wire::text(payload.namespace);
    ToolName::namespaced(namespace.as_deref(), wire::text(payload.name).unwrap_or_default())
}

/// The id that a call is known by.
pub(super) fn id_of(payload: &Payload<'_>) -> Option<String> {
    wire::non_empty(payload.call_id).or_else(|| wire::non_empty(payload.id)).map(Cow::into_owned)
}

/// Arguments as recorded, and as a value where they are JSON: text that holds JSON, or JSON itself.
fn arguments(raw: Raw<'_>) -> (Arc<str>, Option<Value>) {
    match wire::text(raw) {
        Some(text) => {
            let value = serde_json::from_str(&text).ok();
            (text.as_ref().into(), value)
        }
        None => {
            let value = wire::value(raw).filter(|value| !value.is_null());
            (
                raw.map_or("", serde_json::value::RawValue::get).into(),
                value.or_else(|| Some(Value::Object(serde_json::Map::new()))),
            )
        }
    }
}

/// What a web search did: search, or open a page.
pub(super) fn web_action(action: Raw<'_>, query: Raw<'_>) -> ToolCallDetail {
    let action = wire::value(action).unwrap_or_default();
    let text =
        |name: &str| action.get(name).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned);
    if let Some(url) = text("url") {
        return ToolCallDetail::WebFetch(WebFetchDetail { url });
    }
    let listed = || {
        let queries = action.get("queries")?.as_array()?.iter().filter_map(Value::as_str).collect::<Vec<_>>();
        (!queries.is_empty()).then(|| queries.join(" · "))
    };
    let query = wire::non_empty(query).map(Cow::into_owned).or_else(|| text("query")).or_else(listed);
    let query = query.or_else(|| text("pattern")).unwrap_or_default();
    ToolCallDetail::WebSearch(WebSearchDetail { query })
}

/// A message between agents.
fn agent_message(payload: &Payload<'_>, sink: &mut Sink<'_>) {
    let name = |raw| wire::non_empty(raw).unwrap_or("?".into());
    let text = content(payload.content);
    // The head repeats who writes to whom.
    let said = text.split_once("Payload:\n").map_or(text.as_str(), |(_, said)| said).trim();
    let said = if said.is_empty() { "…" } else { said };
    sink.notice(
        NoticeKind::Agents,
        format!("{} → {}: {said}", name(payload.author), name(payload.recipient)),
    );
}
