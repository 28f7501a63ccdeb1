//! Reads the lines of a Kimi log into transcript records. No I/O.
//!
//! Invariants
//! - One bad line costs one line; a row of a kind that is not known is reported as such, never dropped.
//! - Nothing is told twice, though several shapes of row may say it.
//! - What is remembered between lines is bounded, whatever the log holds, and is all in [`Memory`]: reading may stop
//!   after any line.
//!
//! Three shapes are told apart by the shape of each row, never by the version that a log claims:
//! - *older*: `{timestamp, message: {type, payload}}` (`older`);
//! - *newer*: dotted kinds, the work itself as events of the agent's loop (`newer`, `events`);
//! - *messages*: the newer kinds, but the work as the model's messages (`messages`).

mod answer;
mod approvals;
mod args;
mod calls;
mod events;
mod head;
mod messages;
mod newer;
mod older;
mod oversized;
mod pending;
mod session;
mod sink;
mod speech;
mod state;
mod turns;
mod twins;
mod usage;

use std::borrow::Cow;

use larkspan_core::transcript::{NoticeKind, TranscriptRecord};
use serde_json::Value;

use crate::wire::{self, Envelope, Row};

use sink::Sink;

pub use head::looks_like_kimi;
pub use state::Memory;

/// The reader of one log.
#[derive(Debug)]
pub struct LogReader {
    memory: Memory,
}

impl LogReader {
    /// A reader at the start of a log. No row of a Kimi log names the session: `fallback_id`, which the place of the
    /// file tells, is its id.
    pub fn new(fallback_id: &str) -> Self {
        Self { memory: Memory::new(fallback_id) }
    }

    /// A reader that goes on after any line.
    pub fn resume(memory: Memory) -> Self {
        Self { memory }
    }

    /// What to remember, to go on from here.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Reads one line, without its line feed; `end` is the byte offset after it.
    pub fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>) {
        // Damaged bytes cost themselves, not the line.
        let text = String::from_utf8_lossy(bytes);
        if text.trim().is_empty() {
            return;
        }
        let error = match Row::parse(&text) {
            Ok(row) => return self.row(&row, end, out),
            Err(error) => error,
        };
        // A member that stands twice: the last one counts, as for every other reader of JSON.
        if let Some(Value::Object(members)) = wire::value(&text)
            && let Ok(row) = Row::parse(&Value::Object(members).to_string())
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
        Sink { out, position: end, at: None }.unknown("unreadable line", Some(sample));
    }

    /// The log is over, and is not followed any more: tells what waits for its next part.
    ///
    /// Text that a step says in parts, and arguments that stream in, are told when what comes next shows that they are
    /// whole. At the end of a log nothing comes next.
    pub fn finish(&mut self, end: u64, out: &mut Vec<TranscriptRecord>) {
        let mut sink = Sink { out, position: end, at: None };
        self.flush(&mut sink);
        if let Some(goal) = self.memory.untold_goal.take() {
            sink.notice(NoticeKind::Info, format!("goal: {}", goal.objective));
        }
    }

    fn row(&mut self, row: &Row<'_>, position: u64, out: &mut Vec<TranscriptRecord>) {
        let kind: Cow<'_, str> = wire::text(row.kind).unwrap_or_default();
        let at = wire::millis(row.time).or_else(|| wire::seconds(row.timestamp));
        let mut sink = Sink { out, position, at };
        if kind.is_empty() && wire::is_object(row.message) {
            let envelope: Envelope<'_> = wire::object(row.message);
            self.older(&envelope, &mut sink);
        } else {
            self.newer(&kind, row, &mut sink);
        }
    }
}

#[cfg(test)]
mod tests;
