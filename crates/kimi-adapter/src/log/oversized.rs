//! Rows too large to be read whole: a visible stub in place of what they say.

use larkspan_core::tool_call::{
    InputLanguage, Outcome, Output, ToolCallAnswer, ToolCallDetail, ToolCallRequest, ToolCallStatus, ToolName,
};
use larkspan_core::transcript::{NoticeKind, Phase, Role, TranscriptRecord};

use super::twins::{Source, mark_of};
use super::{LogReader, Sink};

/// How far into the row the text of a member may reach, in bytes.
const MEMBER_MAX: usize = 4096;

impl LogReader {
    /// Reads what is there of a line that is too long to be read whole: its beginning.
    pub fn oversized(&mut self, head: &[u8], len: u64, end: u64, out: &mut Vec<TranscriptRecord>) {
        let head = String::from_utf8_lossy(head);
        let stub = format!("[{len} bytes, too large to be read]");
        let mut sink = Sink { out, position: end, at: None };
        self.announce(&mut sink);
        // The kinds of a row and of what it wraps, in this order.
        let mut kinds = head.match_indices("\"type\"").filter_map(|(at, _)| member(&head[at..], "type"));
        let (outer, inner) = (kinds.next().unwrap_or("row"), kinds.next().unwrap_or_default());
        match (outer, inner) {
            ("turn.prompt" | "TurnBegin", _) => {
                self.start_turn(&mut sink);
                sink.message(None, Role::User, None, &stub);
            }
            ("context.append_loop_event", "tool.result") | ("ToolResult", _) => {
                self.answer_stub(&head, &stub, &mut sink);
            }
            ("context.append_loop_event", "tool.call") | ("ToolCall", _) => {
                self.call_stub(&head, &stub, &mut sink);
            }
            ("context.append_message", _) if member(&head, "role") == Some("tool") => {
                self.answer_stub(&head, &stub, &mut sink);
            }
            _ => {
                self.note(NoticeKind::Log, format!("{outer}: {stub}"), &mut sink);
            }
        }
    }

    fn answer_stub(&mut self, head: &str, stub: &str, sink: &mut Sink<'_>) {
        let id = member(head, "toolCallId").or_else(|| member(head, "tool_call_id"));
        let Some(id) = id.or_else(|| member(head, "parentUuid")) else {
            self.note(NoticeKind::Log, format!("answer: {stub}"), sink);
            return;
        };
        let source = if member(head, "role") == Some("tool") { Source::Message } else { Source::Event };
        // Its outcome is in what was not read.
        let outcome = Outcome { output: Some(Output::part(stub, None)), ..Outcome::default() };
        let status = Some(ToolCallStatus::Unknown);
        self.answered(source, id, |_| ToolCallAnswer { status, outcome, ..ToolCallAnswer::default() }, sink);
    }

    fn call_stub(&mut self, head: &str, stub: &str, sink: &mut Sink<'_>) {
        let id = member(head, "toolCallId").or_else(|| member(head, "id")).or_else(|| member(head, "uuid"));
        let Some(id) = id else {
            self.note(NoticeKind::Log, format!("call: {stub}"), sink);
            return;
        };
        self.flush_call(sink);
        self.flush_text(Some(Phase::Commentary), sink);
        self.in_turn(sink);
        self.memory.turns.answers();
        self.memory.turns.calls_tool();
        let request = ToolCallRequest {
            name: ToolName::bare(member(head, "name").unwrap_or_default()),
            raw_input: stub.into(),
            detail: ToolCallDetail::generic(stub, InputLanguage::Text),
            script: None,
            ended: None,
        };
        self.ask(Source::Event, id, mark_of(&[stub]), None, request, sink);
    }
}

/// The text of a member near the beginning of `from`.
fn member<'a>(from: &'a str, name: &str) -> Option<&'a str> {
    let quoted = format!("\"{name}\"");
    let (_, after) = from.split_once(quoted.as_str())?;
    let inner = after.trim_ascii_start().strip_prefix(':')?.trim_ascii_start().strip_prefix('"')?;
    let end = inner.find('"').filter(|end| *end <= MEMBER_MAX)?;
    inner.get(..end)
}
