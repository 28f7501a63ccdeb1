//! Rows of the agent: one content block each, the blocks of one answer under the same message id.

use std::sync::Arc;

use larkspan_core::patch::relative_to;
use larkspan_core::tool_call::{
    CallInput, LineBase, ToolCallDetail, ToolCallRequest, ToolCallStep, ToolName, detail_of_call,
};
use larkspan_core::transcript::{NoticeKind, Phase, Role, TurnOutcome};

use super::open::Asked;
use super::session::SYNTHETIC;
use super::text::{content, is_content, paragraph};
use super::{LogReader, Sink};
use crate::wire::{self, Block, Message, Raw, Row};

/// What the harness answers itself where nothing was asked.
const NO_RESPONSE: &str = "No response requested.";

impl LogReader {
    pub(super) fn assistant(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        let said = wire::text(row.message);
        if !wire::is_object(row.message) && said.is_none() {
            return sink.unknown("assistant row without a message", None);
        }
        let message: Message<'_> = wire::object(row.message);
        if !wire::is_null(message.content) && !is_content(message.content) {
            return sink.unknown("assistant row without content", None);
        }
        let text = said.or_else(|| wire::text(message.content));
        let blocks: Vec<Block<'_>> =
            wire::array(message.content).into_iter().map(|raw| wire::object(Some(raw))).collect();
        let model = wire::owned(message.model);
        let is_synthetic = model.as_deref() == Some(SYNTHETIC);
        if wire::is_true(row.is_api_error) {
            return self.api_error(&content(message.content).text(), sink);
        }
        if is_synthetic && content(message.content).text().trim() == NO_RESPONSE {
            return;
        }
        self.see_model(model);
        if blocks.is_empty() && text.is_none() {
            // Only what it cost.
            self.announce(sink);
            return self.usage(&message, sink);
        }
        self.agent_acts(row, sink);
        let stop = wire::text(message.stop_reason).unwrap_or_default();
        let calls = blocks.iter().any(|block| is_call(&kind_of(block)));
        let phase = match stop.as_ref() {
            _ if calls => Some(Phase::Commentary),
            "end_turn" | "stop_sequence" | "refusal" => Some(Phase::Final),
            "tool_use" | "pause_turn" => Some(Phase::Commentary),
            _ => None,
        };
        let id = |at: usize| {
            let uuid = wire::owned(row.uuid)?;
            Some(if at == 0 { uuid } else { format!("{uuid}/{at}") })
        };
        if let Some(text) = &text {
            sink.message(Role::Agent, text, phase, id(0));
        }
        let mut has_text = text.is_some();
        for (at, block) in blocks.iter().enumerate() {
            match kind_of(block).as_str() {
                "text" => {
                    has_text = true;
                    sink.message(Role::Agent, &wire::text(block.text).unwrap_or_default(), phase, id(at));
                }
                "thinking" => {
                    let thought = wire::text(block.thinking).or_else(|| wire::text(block.text));
                    sink.thought(&thought.unwrap_or_default(), id(at));
                }
                // Encrypted: no text for a person.
                "redacted_thinking" => {}
                "fallback" => {
                    let model = |raw| {
                        let named = wire::map(raw);
                        wire::owned(named.get("model").copied()).unwrap_or_default()
                    };
                    sink.notice(NoticeKind::Warning, format!("{} → {}", model(block.from), model(block.to)));
                }
                kind if is_call(kind) => {
                    let id = wire::owned(block.id).unwrap_or_else(|| format!("byte-{}-{at}", sink.position));
                    self.called(&id, block.name, block.input, sink);
                }
                // Answered within the same message: a search by the model's own service.
                kind if kind.ends_with("_tool_result") => self.result(row, block, None, sink),
                "" => sink.unknown("assistant block without a type", None),
                other => sink.unknown(format!("assistant/{other}"), None),
            }
        }
        self.usage(&message, sink);
        if has_text && !calls {
            match stop.as_ref() {
                "end_turn" | "stop_sequence" => self.end_turn(TurnOutcome::Completed, None, sink),
                "refusal" => self.end_turn(TurnOutcome::Failed, Some(stop.into_owned()), sink),
                _ => {}
            }
        }
    }

    /// The API could not answer, and the harness has given up.
    fn api_error(&mut self, text: &str, sink: &mut Sink<'_>) {
        self.announce(sink);
        sink.notice(NoticeKind::Error, paragraph(text));
        self.end_turn(TurnOutcome::Failed, Some(paragraph(text)), sink);
    }

    /// The agent asks for a call.
    pub(super) fn called(&mut self, id: &str, name: Raw<'_>, input: Raw<'_>, sink: &mut Sink<'_>) {
        let name = ToolName::bare(wire::text(name).unwrap_or_default());
        let (raw_input, mut detail) = read_input(&name, input);
        self.name_tasks(input, &mut detail);
        self.shorten_paths(&mut detail);
        let asked = Asked { id: id.to_owned(), kind: name.kind(), turn: self.turn_id() };
        self.memory.calls.insert(asked);
        let request = ToolCallRequest { name, raw_input, detail, script: None, ended: None };
        sink.call(id, ToolCallStep::Called(request));
    }

    /// Claude Code names files from the root; within the session's folder a person reads the rest of it.
    pub(super) fn shorten_paths(&self, detail: &mut ToolCallDetail) {
        let Some(cwd) = self.memory.session.cwd() else { return };
        let short = |path: &mut String| *path = relative_to(path, cwd);
        match detail {
            ToolCallDetail::FileRead(read) => short(&mut read.path),
            ToolCallDetail::FileChange(change) => short(&mut change.path),
            ToolCallDetail::FileSearch(search) => search.path.iter_mut().for_each(short),
            ToolCallDetail::Patch(patch) => patch.workdir = Some(cwd.to_owned()),
            ToolCallDetail::Command(_)
            | ToolCallDetail::TerminalInput(_)
            | ToolCallDetail::WebFetch(_)
            | ToolCallDetail::WebSearch(_)
            | ToolCallDetail::Agent(_)
            | ToolCallDetail::Plan(_)
            | ToolCallDetail::ToolSearch(_)
            | ToolCallDetail::Mcp(_)
            | ToolCallDetail::Image(_)
            | ToolCallDetail::Script(_)
            | ToolCallDetail::Orchestration(_)
            | ToolCallDetail::Generic(_) => {}
        }
    }

    /// An update of the task list names its entry by number: what it is about, an earlier row has told.
    fn name_tasks(&self, input: Raw<'_>, detail: &mut ToolCallDetail) {
        let ToolCallDetail::Plan(plan) = detail else { return };
        let named = wire::map(input);
        let task = wire::scalar(named.get("taskId").copied());
        let subject = task.as_deref().and_then(|task| self.memory.tasks.subject(task));
        if let (Some(subject), [item], false) =
            (subject, plan.items.as_mut_slice(), named.contains_key("subject"))
        {
            subject.clone_into(&mut item.text);
        }
    }
}

fn kind_of(block: &Block<'_>) -> String {
    wire::owned(block.r#type).unwrap_or_default()
}

fn is_call(kind: &str) -> bool {
    matches!(kind, "tool_use" | "server_tool_use" | "mcp_tool_use")
}

/// The input as recorded, and what it asks for.
fn read_input(name: &ToolName, input: Raw<'_>) -> (Arc<str>, ToolCallDetail) {
    // Lines are counted from 1 (`Read` with `offset` 1 begins with the first).
    let base = LineBase::One;
    if let Some(text) = wire::text(input) {
        let detail = detail_of_call(name, CallInput::Text(&text), base);
        return (text.as_ref().into(), detail);
    }
    let raw = input.map_or("{}", serde_json::value::RawValue::get);
    let detail = match wire::value(input) {
        Some(value) => detail_of_call(name, CallInput::Json(&value), base),
        // Missing, or nested too deep to be read.
        None => detail_of_call(name, CallInput::Text(raw), base),
    };
    (raw.into(), detail)
}
