//! Rows too large to be read whole: a visible stub in place of what they say.

use larkspan_core::ids::TurnId;
use larkspan_core::tool_call::{
    InputLanguage, Outcome, Output, ToolCallAnswer, ToolCallDetail, ToolCallRequest, ToolCallStatus,
    ToolCallStep, ToolName,
};
use larkspan_core::transcript::{NoticeKind, TranscriptRecord};

use super::{LogReader, Sink};
use crate::output::Asked;

/// How far into the row the text of a member may reach, in bytes.
const MEMBER_MAX: usize = 4096;

impl LogReader {
    /// Reads what is there of a line that is too long to be read whole: its beginning.
    pub fn oversized(&mut self, head: &[u8], len: u64, position: u64, out: &mut Vec<TranscriptRecord>) {
        let head = String::from_utf8_lossy(head);
        let stub = format!("[{len} bytes, too large to be read]");
        let (row, payload) = head.split_once("\"payload\":").unwrap_or((&head, ""));
        let at = member(row, "timestamp").and_then(|at| at.parse().ok());
        let turn = member(payload, "turn_id").map(TurnId::new).or_else(|| self.memory.turn.clone());
        let kind = member(payload, "type").or_else(|| member(row, "type")).unwrap_or("row");
        let mut sink = Sink { out, position, at, turn, names_its_turn: false };
        self.announce(&mut sink);
        match (kind, member(payload, "call_id")) {
            // Its outcome is in what was not read.
            ("function_call_output" | "custom_tool_call_output", Some(id)) => {
                self.asked.mark_answered(id);
                let outcome = Outcome { output: Some(Output::part(stub, None)), ..Outcome::default() };
                let answer = ToolCallAnswer {
                    status: Some(ToolCallStatus::Unknown),
                    outcome,
                    ..ToolCallAnswer::default()
                };
                sink.push_call(id, ToolCallStep::Answered(answer));
            }
            ("function_call" | "custom_tool_call", Some(id)) => {
                let name = ToolName::namespaced(
                    member(payload, "namespace"),
                    member(payload, "name").unwrap_or_default(),
                );
                let detail = ToolCallDetail::generic(stub.as_str(), InputLanguage::Text);
                let request =
                    ToolCallRequest { name, raw_input: stub.into(), detail, script: None, ended: None };
                self.asked.insert(id, Asked::bare());
                sink.push_call(id, ToolCallStep::Called(request));
            }
            _ => sink.notice(NoticeKind::Log, format!("{kind}: {stub}")),
        }
    }
}

/// The text of a member near the beginning of `from`.
fn member<'a>(from: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = from.split_once(&format!("\"{name}\":"))?;
    let inner = after.trim_ascii_start().strip_prefix('"')?;
    let end = inner.find('"').filter(|end| *end <= MEMBER_MAX)?;
    inner.get(..end)
}
