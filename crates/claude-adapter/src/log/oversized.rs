//! Rows too large to be read whole: a visible stub in place of what they say.

use larkspan_core::tool_call::{
    InputLanguage, Outcome, Output, ToolCallAnswer, ToolCallDetail, ToolCallRequest, ToolCallStatus,
    ToolCallStep, ToolName,
};
use larkspan_core::transcript::{NoticeKind, TranscriptRecord};

use super::open::Asked;
use super::{LogReader, Sink, head};

/// How far into the row the text of a member may reach, in bytes.
const MEMBER_MAX: usize = 4096;

impl LogReader {
    /// Reads what is there of a line that is too long to be read whole: its beginning.
    pub fn oversized(&mut self, head: &[u8], len: u64, end: u64, out: &mut Vec<TranscriptRecord>) {
        let head = String::from_utf8_lossy(head);
        let is_side = head.contains(r#""isSidechain":true"#) && !self.is_subagent();
        if head::says_nothing(&head) || is_side {
            return;
        }
        let stub = format!("[{len} bytes, too large to be read]");
        // Most rows tell their time and type behind what is so long.
        let at = member(&head, "timestamp").and_then(|at| at.parse().ok());
        let mut sink = Sink { out, position: end, at, turn: self.turn_id() };
        self.announce(&mut sink);
        if let Some(id) = member(&head, "tool_use_id") {
            self.memory.calls.take(id);
            // Its outcome is in what was not read.
            let outcome = Outcome { output: Some(Output::part(stub, None)), ..Outcome::default() };
            let status = Some(ToolCallStatus::Unknown);
            let answer = ToolCallAnswer { status, outcome, ..ToolCallAnswer::default() };
            return sink.call(id, ToolCallStep::Answered(answer));
        }
        let call = head.split_once(r#"{"type":"tool_use","#).map(|(_, call)| call);
        if let Some((call, id)) = call.and_then(|call| Some((call, member(call, "id")?))) {
            let name = ToolName::bare(member(call, "name").unwrap_or_default());
            let asked = Asked { id: id.to_owned(), kind: name.kind(), turn: self.turn_id() };
            self.memory.calls.insert(asked);
            let detail = ToolCallDetail::generic(stub.as_str(), InputLanguage::Text);
            let request = ToolCallRequest { name, raw_input: stub.into(), detail, script: None, ended: None };
            return sink.call(id, ToolCallStep::Called(request));
        }
        sink.notice(NoticeKind::Log, format!("{}: {stub}", member(&head, "type").unwrap_or("row")));
    }
}

/// The text of a member near the beginning of `from`.
fn member<'a>(from: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = from.split_once(&format!("\"{name}\":"))?;
    let inner = after.trim_ascii_start().strip_prefix('"')?;
    let end = inner.find('"').filter(|end| *end <= MEMBER_MAX)?;
    inner.get(..end)
}
