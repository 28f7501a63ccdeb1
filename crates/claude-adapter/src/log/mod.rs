//! Reads the lines of a Claude Code transcript into transcript records. No I/O.
//!
//! Invariants
//! - One bad line costs one line; a row of a kind that is not known is reported as such, never dropped.
//! - What is remembered between lines is small, whatever the log holds, and all of it is [`Memory`]: a reader may be
//!   resumed behind any line.
//!
//! Where turns begin and end, which the log does not say in so many words, is decided in `turns`.

mod assistant;
mod commands;
mod head;
mod legacy;
mod open;
mod oversized;
mod result;
mod session;
mod system;
mod text;
mod turns;
mod usage;
mod user;

use std::borrow::Cow;

use larkspan_core::ids::{CallId, TurnId};
use larkspan_core::time::Timestamp;
use larkspan_core::tool_call::{ToolCallEvent, ToolCallStep};
use larkspan_core::transcript::{Notice, NoticeKind, RecordBody, TranscriptRecord, UnknownRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::{self, Row};

use open::{Background, Calls, Tasks};
use session::Session;
use turns::OpenTurn;
use usage::Tokens;

pub use session::looks_like_claude;

/// The reader of one log.
#[derive(Debug)]
pub struct LogReader {
    memory: Memory,
}

/// What the reader must remember between two lines.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Memory {
    session: Session,
    /// The turn that is open.
    turn: Option<OpenTurn>,
    /// The calls that wait for their results.
    calls: Calls,
    /// What runs in the background.
    background: Background,
    /// The agent's task list, which its rows name by number.
    tasks: Tasks,
    tokens: Tokens,
    /// The row that says that what follows it is a local command.
    caveat: Option<String>,
    /// A compaction is told whose summary is still to come.
    compaction_is_told: bool,
}

/// Collects the records of one line.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<TranscriptRecord>,
    position: u64,
    at: Option<Timestamp>,
    turn: Option<TurnId>,
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

    fn call(&mut self, id: &str, step: ToolCallStep) {
        self.push(RecordBody::ToolCall(Box::new(ToolCallEvent { id: CallId::new(id), step })));
    }
}

impl LogReader {
    /// A reader at the start of a log. `fallback_id` stands for the session's id where the log does not name it, and
    /// tells a sub-agent's file (`agent-…`) from a session's.
    pub fn new(fallback_id: &str) -> Self {
        let memory = Memory {
            session: Session::new(fallback_id),
            turn: None,
            calls: Calls::default(),
            background: Background::default(),
            tasks: Tasks::default(),
            tokens: Tokens::default(),
            caveat: None,
            compaction_is_told: false,
        };
        Self { memory }
    }

    /// A reader that goes on behind the line after which the memory was taken.
    pub fn resume(memory: Memory) -> Self {
        Self { memory }
    }

    /// What to remember, to go on from here.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Reads one line, without its line feed; `end` is the byte offset after it.
    pub fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>) {
        let text: Cow<'_, str> = match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            // Damaged bytes cost themselves, not the line.
            Err(_) => String::from_utf8_lossy(bytes),
        };
        if head::says_nothing(&text) {
            return;
        }
        let error = match Row::parse(&text) {
            Ok(row) => return self.row(&row, end, out),
            Err(_) if text.trim().is_empty() => return,
            Err(error) => error,
        };
        // A member that stands twice: the last one counts, as for every other reader of JSON.
        if let Ok(value) = serde_json::from_str::<Value>(&text)
            && let Ok(row) = Row::parse(&value.to_string())
        {
            return self.row(&row, end, out);
        }
        // Raw control characters (NUL bytes of a torn write) are not allowed in JSON: without them it may be whole.
        let cleaned: String = text.chars().filter(|c| !c.is_control()).collect();
        if cleaned.len() != text.len()
            && let Ok(row) = Row::parse(&cleaned)
        {
            return self.row(&row, end, out);
        }
        let sample = format!("byte {}: {error}", end.saturating_sub(bytes.len() as u64 + 1));
        let mut sink = Sink { out, position: end, at: None, turn: None };
        sink.unknown("unreadable line", Some(sample));
    }

    fn row(&mut self, row: &Row<'_>, position: u64, out: &mut Vec<TranscriptRecord>) {
        let at = wire::text(row.timestamp).and_then(|at| at.parse().ok());
        let kind = wire::text(row.r#type).unwrap_or_default();
        let mut sink = Sink { out, position, at, turn: self.turn_id() };
        if head::is_silent(&kind) || !self.is_of_this_log(row, &mut sink) {
            return;
        }
        match kind.as_ref() {
            "user" => self.user(row, &mut sink),
            "assistant" => self.assistant(row, &mut sink),
            "system" => self.system(row, &mut sink),
            "attachment" => self.attachment(row, &mut sink),
            "tool_use" => self.call_row(row, &mut sink),
            "tool_result" => self.result_row(row, &mut sink),
            "result" => self.end_of_stream(row, &mut sink),
            "pr-link" => {
                self.announce(&mut sink);
                let number = wire::unsigned(row.pr_number).map(|number| format!("PR #{number} "));
                let url = wire::text(row.pr_url).unwrap_or_default();
                sink.notice(NoticeKind::Info, format!("{}{url}", number.unwrap_or_default()));
            }
            "" => sink.unknown("row without a type", None),
            other => sink.unknown(other, None),
        }
    }
}

#[cfg(test)]
mod tests;
