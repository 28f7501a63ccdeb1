//! What a scenario tells: turns built by hand, and logs read by the adapter.

use std::sync::Arc;

use larkspan_codex_adapter::log::LogReader;
use larkspan_core::ids::{SessionId, TurnId};
use larkspan_core::ports::CardSurface as _;
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{ChatLayer, Message, Role, TurnEnd, TurnOutcome};
use larkspan_core::turn::{Change, ItemContent, Turn, TurnItem, TurnReducer};
use larkspan_feishu::Cards;

use crate::support::rows::Rows;

/// When scenarios begin: 2026-11-30T10:00:00Z, as rows do.
pub(super) const START: i64 = 1_796_032_800_000;

/// The session that all turns are of.
pub(super) fn session() -> SessionId {
    SessionId::new("s")
}

fn message(seq: usize, role: Role, text: &str) -> TurnItem {
    let message = Message { role, phase: None, text: text.into(), layer: ChatLayer::Item, id: None };
    TurnItem { seq: seq as u32, at: None, content: ItemContent::Message(message) }
}

/// A turn in which the agent says these texts.
pub(super) fn turn(id: &str, texts: &[&str]) -> Turn {
    let items = texts.iter().enumerate().map(|(seq, text)| message(seq, Role::Agent, text));
    Turn {
        id: TurnId::new(id),
        started_at: Some(Timestamp::from_millis(START)),
        ended_at: None,
        end: None,
        items: items.collect(),
        usage: None,
    }
}

/// The same with an end.
pub(super) fn ended(mut turn: Turn, outcome: TurnOutcome) -> Turn {
    turn.end = Some(TurnEnd { outcome, reason: None });
    turn
}

/// A turn in which the agent says these texts, and which has ended.
pub(super) fn done(id: &str, texts: &[&str]) -> Turn {
    ended(turn(id, texts), TurnOutcome::Completed)
}

/// `[m3]`: a text that stands nowhere else.
pub(super) fn mark(number: usize) -> String {
    format!("[m{number}]")
}

/// Tells a turn as it is now.
pub(super) async fn tell(cards: &Cards, turn: &Turn) {
    let turn = Arc::new(turn.clone());
    let (changes, open) = match turn.end {
        Some(_) => (vec![Change::TurnEnded(turn)], None),
        None => (Vec::new(), Some(turn)),
    };
    cards.show(&session(), &changes, open).await.unwrap();
}

/// A log that is read line by line.
pub(super) struct Log {
    lines: Vec<String>,
    at: usize,
    reader: LogReader,
    reducer: TurnReducer,
    session: SessionId,
}

impl Log {
    pub(super) fn new(rows: &Rows) -> Self {
        Self::of(rows.lines().to_vec())
    }

    pub(super) fn of(lines: Vec<String>) -> Self {
        let (reader, reducer) = (LogReader::new("fallback"), TurnReducer::new());
        Self { lines, at: 0, reader, reducer, session: session() }
    }

    /// How many lines are left.
    pub(super) fn left(&self) -> usize {
        self.lines.len() - self.at
    }

    /// The turn that is open.
    pub(super) fn turn(&self) -> Turn {
        self.reducer.turn().unwrap()
    }

    /// Reads so many lines, and tells what they say.
    pub(super) async fn read(&mut self, cards: &Cards, lines: usize) {
        let mut changes = Vec::new();
        for line in self.lines.iter().skip(self.at).take(lines) {
            let mut records = Vec::new();
            self.at += 1;
            self.reader.line(line.as_bytes(), self.at as u64, &mut records);
            changes.extend(records.into_iter().flat_map(|record| self.reducer.apply(record)));
        }
        self.tell(cards, changes).await;
    }

    /// Reads on up to the first line that has this in it.
    pub(super) async fn read_to(&mut self, cards: &Cards, part: &str) {
        let found = self.lines.iter().skip(self.at).position(|line| line.contains(part));
        let count = found.unwrap_or_else(|| panic!("no line with {part}"));
        self.read(cards, count + 1).await;
    }

    /// Reads the rest; nothing comes after it.
    pub(super) async fn finish(&mut self, cards: &Cards) {
        self.read(cards, usize::MAX).await;
        let changes = self.reducer.finish();
        self.tell(cards, changes).await;
    }

    async fn tell(&self, cards: &Cards, changes: Vec<Change>) {
        let open = self.reducer.turn().map(Arc::new);
        cards.show(&self.session, &changes, open).await.unwrap();
    }
}
