//! Collects the records of one line.

use std::sync::Arc;

use larkspan_core::ids::CallId;
use larkspan_core::time::Timestamp;
use larkspan_core::tool_call::{ToolCallEvent, ToolCallStep};
use larkspan_core::transcript::{
    ChatLayer, Message, Notice, NoticeKind, Phase, Reasoning, RecordBody, Role, TranscriptRecord,
    UnknownRecord,
};

pub(super) struct Sink<'a> {
    pub(super) out: &'a mut Vec<TranscriptRecord>,
    pub(super) position: u64,
    pub(super) at: Option<Timestamp>,
}

impl Sink<'_> {
    pub(super) fn push(&mut self, body: RecordBody) {
        self.push_at(self.at, body);
    }

    /// Tells what an earlier line began. It belongs to this line, which shows that it is whole.
    ///
    /// A record never names its turn: Kimi does not in most rows, and the turn that is open is always the one meant.
    pub(super) fn push_at(&mut self, at: Option<Timestamp>, body: RecordBody) {
        self.out.push(TranscriptRecord { at, turn: None, position: self.position, body });
    }

    pub(super) fn notice(&mut self, kind: NoticeKind, text: impl Into<String>) {
        self.push(RecordBody::Notice(Notice { kind, text: text.into() }));
    }

    pub(super) fn unknown(&mut self, kind: impl Into<String>, sample: Option<String>) {
        self.push(RecordBody::Unknown(UnknownRecord { kind: kind.into(), sample }));
    }

    pub(super) fn call(&mut self, at: Option<Timestamp>, id: CallId, step: ToolCallStep) {
        self.push_at(at, RecordBody::ToolCall(Box::new(ToolCallEvent { id, step })));
    }

    pub(super) fn message(&mut self, at: Option<Timestamp>, role: Role, phase: Option<Phase>, text: &str) {
        let text: Arc<str> = text.into();
        let message = Message { role, phase, text, layer: ChatLayer::Item, id: None };
        self.push_at(at, RecordBody::Message(message));
    }

    pub(super) fn reasoning(&mut self, at: Option<Timestamp>, text: &str) {
        let reasoning = Reasoning { text: text.into(), layer: ChatLayer::Item, id: None };
        self.push_at(at, RecordBody::Reasoning(reasoning));
    }
}
