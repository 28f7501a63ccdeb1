//! The board: the newest JSON of each card, by session.
//!
//! Invariants
//! - At most [`MOST_SESSIONS`] sessions with [`MOST_CARDS`] cards each, and [`MOST_BYTES`] in all; a card that is too
//!   large or too deep is not kept, but a card that says so. What falls out is counted.
//! - Every change has a number, greater than all before. Who knows a number needs only what has a greater one.
//! - `show` takes a lock for a comparison and a copy, never for rendering.

mod content;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use content::Content;

/// The session that was changed longest ago falls out beyond so many.
pub(crate) const MOST_SESSIONS: usize = 32;
/// The oldest card of a session falls out beyond so many.
pub(crate) const MOST_CARDS: usize = 64;
/// The card that was changed longest ago falls out beyond so much, in the same bytes: a thousand cards of the platform's
/// largest.
const MOST_BYTES: usize = 32 << 20;
/// Longer names are cut, in bytes.
const LONGEST_NAME: usize = 1024;

/// Which card is shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Card {
    /// Its name, unique in its session.
    pub id: String,
    /// The session whose column it stands in. It is shown to the reader: the last part of a path is its title.
    pub session: String,
}

/// The cards of all sessions. Shared by reference; see [`Board::show`].
#[derive(Debug)]
pub struct Board {
    state: Mutex<State>,
    /// The number of the last change.
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the last change.
    last: u64,
    /// The number of the last change to which cards there are.
    layout: u64,
    /// The last key that was given to a session or a card.
    keys: u64,
    sessions: BTreeMap<String, Session>,
    /// How many sessions have fallen out.
    dropped: u64,
    /// What all cards weigh.
    bytes: usize,
}

#[derive(Debug)]
struct Session {
    key: u64,
    /// When its newest card came: the number of that change.
    opened: u64,
    /// Its last change.
    changed: u64,
    cards: Vec<Kept>,
    /// How many cards have fallen out.
    dropped: u64,
}

#[derive(Debug)]
struct Kept {
    key: u64,
    id: String,
    changed: u64,
    content: Arc<Content>,
}

/// Which cards there are, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The session whose newest card came last stands first.
    pub(crate) sessions: Vec<Column>,
    /// How many sessions have fallen out.
    pub(crate) dropped: u64,
}

/// A session on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) key: u64,
    pub(crate) name: String,
    /// Keys of its cards, the oldest first.
    pub(crate) cards: Vec<u64>,
    /// How many cards have fallen out.
    pub(crate) dropped: u64,
}

/// What has changed since a number.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Layout { number: u64, layout: Layout },
    Card { number: u64, key: u64, content: Arc<Content> },
}

impl Default for Board {
    fn default() -> Self {
        Self { state: Mutex::default(), changed: watch::Sender::new(0) }
    }
}

impl Board {
    /// A board without cards.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows a card, or its newest state. The same state again changes nothing.
    ///
    /// It can be called from any thread or task: it copies the JSON and waits for nobody. The board keeps 32 sessions
    /// with 64 cards each, and 32 MiB in all; older ones fall out, and the page says how many. A card over 1 MiB, or
    /// deeper than any that is read from text, is not shown, but a card that says so.
    pub fn show(&self, card: Card, json: &Value) {
        let Card { mut id, mut session } = card;
        for name in [&mut id, &mut session] {
            name.truncate(name.floor_char_boundary(LONGEST_NAME));
        }
        let number = {
            let mut state = self.state();
            match state.put(id, session, json) {
                Some(number) => number,
                None => return,
            }
        };
        // Numbers are told in any order by threads: the greatest stands.
        self.changed.send_if_modified(|last| {
            let is_newer = number > *last;
            *last = number.max(*last);
            is_newer
        });
    }

    /// Tells when something has changed.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The next change after a number: which cards there are, if that is newer than `layout`, else the card that has
    /// waited longest. A card that changes while it waits is there once, with its newest state.
    pub(crate) fn next(&self, layout: u64, card: u64) -> Option<Change> {
        let state = self.state();
        if state.layout > layout {
            return Some(Change::Layout { number: state.layout, layout: state.layout() });
        }
        let cards = state.sessions.values().flat_map(|session| &session.cards);
        cards.filter(|kept| kept.changed > card).min_by_key(|kept| kept.changed).map(|kept| Change::Card {
            number: kept.changed,
            key: kept.key,
            content: kept.content.clone(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves a state that can still be shown.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn put(&mut self, id: String, name: String, json: &Value) -> Option<u64> {
        let number = self.last + 1;
        let key = self.keys + 1;
        if let Some(session) = self.sessions.get_mut(&name)
            && let Some(kept) = session.cards.iter_mut().find(|kept| kept.id == id)
        {
            if kept.content.json == *json {
                return None;
            }
            let content = Content::of(json);
            if kept.content.json == content.json {
                return None;
            }
            self.bytes = self.bytes - kept.content.weight + content.weight;
            kept.content = Arc::new(content);
            kept.changed = number;
            session.changed = number;
            self.last = number;
            if self.displace() {
                self.layout = number;
            }
            return Some(number);
        }
        self.keys = key;
        let mut new_key = || {
            self.keys += 1;
            self.keys
        };
        let session = self.sessions.entry(name).or_insert_with(|| Session {
            key: new_key(),
            opened: number,
            changed: number,
            cards: Vec::new(),
            dropped: 0,
        });
        session.opened = number;
        session.changed = number;
        let content = Content::of(json);
        self.bytes += content.weight;
        session.cards.push(Kept { key, id, changed: number, content: Arc::new(content) });
        if session.cards.len() > MOST_CARDS {
            self.bytes -= session.cards.remove(0).content.weight;
            session.dropped += 1;
        }
        if self.sessions.len() > MOST_SESSIONS {
            let oldest = self.sessions.iter().min_by_key(|(_, session)| session.changed);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                self.forget(&name);
            }
        }
        self.displace();
        self.last = number;
        self.layout = number;
        Some(number)
    }

    /// Lets cards fall out until the rest is not too much, those first that were changed longest ago. False if none did.
    fn displace(&mut self) -> bool {
        let mut has_displaced = false;
        while self.bytes > MOST_BYTES {
            let cards = self.sessions.iter().flat_map(|(name, session)| {
                session.cards.iter().enumerate().map(move |(at, kept)| (kept.changed, name, at))
            });
            let Some((_, name, at)) = cards.min() else { break };
            let name = name.clone();
            if let Some(session) = self.sessions.get_mut(&name) {
                self.bytes -= session.cards.remove(at).content.weight;
                session.dropped += 1;
                if session.cards.is_empty() {
                    self.forget(&name);
                }
            }
            has_displaced = true;
        }
        has_displaced
    }

    fn forget(&mut self, name: &str) {
        if let Some(session) = self.sessions.remove(name) {
            self.bytes -= session.cards.iter().map(|kept| kept.content.weight).sum::<usize>();
            self.dropped += 1;
        }
    }

    fn layout(&self) -> Layout {
        let mut sessions: Vec<(&String, &Session)> = self.sessions.iter().collect();
        sessions.sort_by_key(|(_, session)| std::cmp::Reverse(session.opened));
        let columns = sessions.into_iter().map(|(name, session)| Column {
            key: session.key,
            name: name.clone(),
            cards: session.cards.iter().map(|kept| kept.key).collect(),
            dropped: session.dropped,
        });
        Layout { sessions: columns.collect(), dropped: self.dropped }
    }
}
