//! Reads the lines of a Codex log into transcript records. No I/O.
//!
//! Invariants
//! - One bad line costs one line; a row of a kind that is not known is reported as such, never dropped.
//! - What is remembered between lines is small, whatever the log holds.
//!
//! Two dialects are told apart by their first row: session files (rollouts) and the output of `codex exec --json`.

mod asked;
mod chat;
mod events;
mod exec_json;
mod head;
mod items;
mod oversized;
mod response;
mod session;
mod usage;

use std::borrow::Cow;
use std::path::Path;

use larkspan_core::ids::TurnId;
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{Notice, NoticeKind, RecordBody, TranscriptRecord, UnknownRecord};
use larkspan_logtail::{RecordReader, stem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::{self, Payload, Raw, Row, TurnRef};

use asked::AskedCalls;
use session::Session;

pub use session::looks_like_codex;

/// The reader of one log.
#[derive(Debug)]
pub struct LogReader {
    memory: Memory,
    asked: AskedCalls,
}

/// What the reader must remember between two turns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Memory {
    session: Session,
    /// The turn that rows without a turn id belong to.
    turn: Option<TurnId>,
    /// The turn's compaction is told.
    compaction_is_told: bool,
}

/// Collects the records of one line.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<TranscriptRecord>,
    position: u64,
    at: Option<Timestamp>,
    turn: Option<TurnId>,
    /// Whether the row itself names the turn.
    names_its_turn: bool,
}

impl Sink<'_> {
    fn push(&mut self, body: RecordBody) {
        let (at, turn) = (self.at, self.turn.clone());
        self.out.push(TranscriptRecord { at, turn, position: self.position, body });
    }

    fn notice(&mut self, kind: NoticeKind, text: impl Into<String>) {
        self.push(RecordBody::Notice(Notice { kind, text: text.into() }));
    }

    fn unknown(&mut self, kind: impl Into<String>, sample: Option<String>) {
        self.push(RecordBody::Unknown(UnknownRecord { kind: kind.into(), sample }));
    }
}

impl LogReader {
    /// A reader at the start of a log. `fallback_id` stands for the session's id where the log does not name it.
    pub fn new(fallback_id: &str) -> Self {
        let memory = Memory { session: Session::new(fallback_id), turn: None, compaction_is_told: false };
        Self { memory, asked: AskedCalls::default() }
    }

    /// A reader that goes on between two turns.
    pub fn resume(memory: Memory) -> Self {
        Self { memory, asked: AskedCalls::default() }
    }

    /// What to remember, to go on from here between two turns.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Reads one line, without its line feed; `position` is the byte offset after it.
    pub fn line(&mut self, bytes: &[u8], position: u64, out: &mut Vec<TranscriptRecord>) {
        let text: Cow<'_, str> = match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            // Damaged bytes cost themselves, not the line.
            Err(_) => String::from_utf8_lossy(bytes),
        };
        if head::says_nothing(&text) {
            return;
        }
        let error = match Row::parse(&text) {
            Ok(row) => return self.row(row, position, out),
            Err(_) if text.trim().is_empty() => return,
            Err(error) => error,
        };
        // A member that stands twice: the last one counts, as for every other reader of JSON. An item that is none is
        // an empty one.
        if let Ok(mut value) = serde_json::from_str::<Value>(&text) {
            if let Some(item) = value.pointer_mut("/payload/item").filter(|item| !item.is_object()) {
                *item = Value::Object(serde_json::Map::new());
            }
            if let Ok(row) = Row::parse(&value.to_string()) {
                return self.row(row, position, out);
            }
        }
        if let Ok(row) = Row::parse_odd(&text) {
            return self.row(row, position, out);
        }
        // Raw control characters (NUL bytes of a torn write) are not allowed in JSON: without them it may be whole.
        let cleaned: String = text.chars().filter(|c| !c.is_control()).collect();
        if cleaned.len() != text.len()
            && let Ok(row) = Row::parse(&cleaned)
        {
            return self.row(row, position, out);
        }
        let sample = format!("byte {}: {error}", position.saturating_sub(bytes.len() as u64 + 1));
        let mut sink = Sink { out, position, at: None, turn: None, names_its_turn: false };
        sink.unknown("unreadable line", Some(sample));
    }

    fn row(&mut self, row: Row<'_>, position: u64, out: &mut Vec<TranscriptRecord>) {
        let at = wire::text(row.timestamp).and_then(|t| t.parse().ok());
        let kind = wire::text(row.r#type).unwrap_or_default();
        let mut sink = Sink { out, position, at, turn: self.memory.turn.clone(), names_its_turn: false };
        if row.payload.is_none() && kind.contains('.') || kind == "error" && row.payload.is_none() {
            self.announce(&mut sink);
            self.exec_json(&row, &kind, &mut sink);
            return;
        }
        if kind == "session_meta" {
            self.session_meta(&row.payload.unwrap_or_default());
            return;
        }
        let payload = row.payload.unwrap_or_default();
        let turn = turn_of(&payload);
        if self.memory.session.hides(row.ordinal, &kind, &payload, turn.as_deref()) {
            return;
        }
        self.announce(&mut sink);
        if let Some(turn) = turn {
            sink.turn = Some(TurnId::new(turn));
            sink.names_its_turn = true;
        }
        match kind.as_ref() {
            // What a compaction made is for the model, not speech.
            "response_item" if is_compaction_output(row.metadata) => {}
            "response_item" => self.response_item(&payload, &mut sink),
            "event_msg" => self.event(&payload, &mut sink),
            "turn_context" => self.turn_context(&payload, &mut sink),
            "compacted" => self.compaction(&mut sink),
            // State of the harness, and twins of what other rows say (where the head did not tell).
            "world_state" | "token_usage_record" | "inter_agent_communication_metadata" => {}
            "" => sink.unknown("row without a type", None),
            other => sink.unknown(other, None),
        }
    }

    /// The row, the item and the event that tell of a compaction are one notice.
    fn compaction(&mut self, sink: &mut Sink<'_>) {
        if !std::mem::replace(&mut self.memory.compaction_is_told, true) {
            sink.notice(NoticeKind::Compaction, "");
        }
    }
}

fn is_compaction_output(metadata: Raw<'_>) -> bool {
    metadata.is_some_and(|raw| raw.get().contains("compaction_output"))
        && wire::boolean(wire::map(metadata).get("compaction_output").copied()) == Some(true)
}

/// The turn that a payload names.
fn turn_of<'a>(payload: &Payload<'a>) -> Option<Cow<'a, str>> {
    let inner = |raw: Raw<'a>| wire::non_empty(wire::object::<TurnRef<'_>>(raw).turn_id);
    wire::non_empty(payload.turn_id)
        .or_else(|| inner(payload.internal_chat_message_metadata_passthrough))
        .or_else(|| inner(payload.metadata))
}

impl RecordReader for LogReader {
    type Memory = Memory;

    fn new(log: &Path) -> Self {
        Self::new(&stem(log))
    }

    fn resume(memory: Memory) -> Self {
        Self::resume(memory)
    }

    fn memory(&self) -> &Memory {
        self.memory()
    }

    fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>) {
        self.line(bytes, end, out);
    }

    fn oversized(&mut self, head: &[u8], len: u64, end: u64, out: &mut Vec<TranscriptRecord>) {
        self.oversized(head, len, end, out);
    }
}
