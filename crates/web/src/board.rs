//! The board: the newest JSON of each card, by session.
//!
//! Invariants
//! - At most [`MOST_SESSIONS`] sessions with [`MOST_CARDS`] cards each; a card that is too large is not kept, but a card
//!   that says so. What falls out is counted.
//! - Every change has a number, greater than all before. Who knows a number needs only what has a greater one.
//! - `show` takes a lock for a comparison and a copy, never for rendering.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::render::render;
use crate::words::Language;

/// The session that was changed longest ago falls out beyond so many.
pub(crate) const MOST_SESSIONS: usize = 32;
/// The oldest card of a session falls out beyond so many.
pub(crate) const MOST_CARDS: usize = 64;
/// A larger card is not kept, in bytes of text and members: the platform takes 30 KB, and 1 MB in one request.
const LARGEST_CARD: usize = 1 << 20;
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

/// A card's JSON, and its HTML once somebody has asked for it.
#[derive(Debug)]
pub(crate) struct Content {
    json: Value,
    html: [OnceLock<Arc<str>>; 2],
}

impl Content {
    fn new(json: Value) -> Arc<Self> {
        Arc::new(Self { json, html: [OnceLock::new(), OnceLock::new()] })
    }

    /// The card as HTML, made once for a language.
    pub(crate) fn html(&self, language: Language) -> Arc<str> {
        let [en, zh] = &self.html;
        let cell = match language {
            Language::En => en,
            Language::ZhCn => zh,
        };
        cell.get_or_init(|| render(&self.json, language).into()).clone()
    }
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
    /// with 64 cards each; older ones fall out, and the page says how many. A card over 1 MiB is not shown, but a card
    /// that says so.
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
            let content = bounded(json);
            if kept.content.json == content {
                return None;
            }
            kept.content = Content::new(content);
            kept.changed = number;
            session.changed = number;
            self.last = number;
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
        session.cards.push(Kept { key, id, changed: number, content: Content::new(bounded(json)) });
        if session.cards.len() > MOST_CARDS {
            session.cards.remove(0);
            session.dropped += 1;
        }
        if self.sessions.len() > MOST_SESSIONS {
            let oldest = self.sessions.iter().min_by_key(|(_, session)| session.changed);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                self.sessions.remove(&name);
                self.dropped += 1;
            }
        }
        self.last = number;
        self.layout = number;
        Some(number)
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

/// The card, or one that says that it is too large.
fn bounded(json: &Value) -> Value {
    let mut left = LARGEST_CARD;
    if fits(json, &mut left) {
        return json.clone();
    }
    json!({
        "schema": "2.0",
        "header": {
            "title": {"tag": "plain_text", "content": "⚠️ 卡片过大，未显示 / Too large to be shown"},
            "template": "grey",
        },
        "body": {"elements": []},
    })
}

/// Whether a value is no larger than what is left, which it is taken from. Members and items count as well as text.
fn fits(json: &Value, left: &mut usize) -> bool {
    let mut take = |bytes: usize| match left.checked_sub(bytes) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    };
    match json {
        Value::Null | Value::Bool(_) | Value::Number(_) => take(8),
        Value::String(text) => take(text.len() + 2),
        Value::Array(items) => take(2) && items.iter().all(|item| fits(item, left)),
        Value::Object(members) => {
            take(2)
                && members.iter().all(|(name, value)| match left.checked_sub(name.len() + 4) {
                    Some(rest) => {
                        *left = rest;
                        fits(value, left)
                    }
                    None => false,
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::{Value, json};

    use super::{Board, Card, Change, LARGEST_CARD, Layout, MOST_CARDS, MOST_SESSIONS};
    use crate::words::Language;

    fn show(board: &Board, session: &str, id: &str, json: &Value) {
        board.show(Card { id: id.into(), session: session.into() }, json);
    }

    fn text(words: &str) -> Value {
        json!({"body": {"elements": [{"tag": "plain_text", "content": words}]}})
    }

    fn layout(board: &Board) -> Layout {
        match board.next(0, u64::MAX) {
            Some(Change::Layout { layout, .. }) => layout,
            other => panic!("{other:?}"),
        }
    }

    /// What a reader who knows `card` is told, card by card.
    fn told(board: &Board, mut card: u64) -> Vec<(u64, String)> {
        let mut told = Vec::new();
        while let Some(change) = board.next(u64::MAX, card) {
            let Change::Card { number, content, .. } = change else { panic!("{change:?}") };
            card = number;
            told.push((number, content.html(Language::En).to_string()));
        }
        told
    }

    #[test]
    fn cards_stand_in_their_order_and_the_session_with_the_newest_card_is_first() {
        let board = Board::new();
        for (session, id) in [("a", "1"), ("b", "1"), ("a", "2"), ("b", "1")] {
            show(&board, session, id, &text(id));
        }
        show(&board, "b", "1", &text("grown"));
        let layout = layout(&board);
        let columns: Vec<(&str, usize)> =
            layout.sessions.iter().map(|column| (column.name.as_str(), column.cards.len())).collect();
        assert_eq!(columns, [("a", 2), ("b", 1)]);
        let [first, second] = layout.sessions[0].cards[..] else { panic!("two cards") };
        assert!(first < second);
        let mut keys: Vec<u64> = layout.sessions.iter().flat_map(|column| column.cards.clone()).collect();
        keys.extend(layout.sessions.iter().map(|column| column.key));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 5);
    }

    #[test]
    fn a_card_that_has_not_changed_is_not_told_again() {
        let board = Board::new();
        let changes = board.watch();
        show(&board, "a", "1", &text("x"));
        let number = *changes.borrow();
        show(&board, "a", "1", &text("x"));
        assert_eq!(*changes.borrow(), number);
        assert_eq!(told(&board, number).len(), 0);
    }

    #[test]
    fn a_burst_is_its_last_state() {
        let board = Board::new();
        show(&board, "a", "1", &text("first"));
        show(&board, "a", "2", &text("other"));
        let known = *board.watch().borrow();
        for n in 0..1000 {
            show(&board, "a", "1", &text(&format!("state {n}")));
        }
        let told = told(&board, known);
        assert_eq!(told.len(), 1);
        assert!(told[0].1.contains("state 999"), "{told:?}");
    }

    #[test]
    fn older_cards_and_sessions_fall_out_and_are_counted() {
        let board = Board::new();
        for n in 0..MOST_CARDS + 3 {
            show(&board, "a", &n.to_string(), &text("x"));
        }
        let column = layout(&board).sessions.remove(0);
        assert_eq!((column.cards.len(), column.dropped), (MOST_CARDS, 3));
        for n in 0..=MOST_SESSIONS {
            show(&board, &format!("s{n}"), "1", &text("x"));
            show(&board, "a", &(MOST_CARDS + 2).to_string(), &text(&n.to_string()));
        }
        let layout = layout(&board);
        assert_eq!((layout.sessions.len(), layout.dropped), (MOST_SESSIONS, 2));
        assert!(layout.sessions.iter().any(|column| column.name == "a"), "changed last, so still there");
        assert_eq!(told(&board, 0).len(), MOST_CARDS + MOST_SESSIONS - 1);
    }

    #[test]
    fn a_card_that_is_too_large_says_so() {
        let board = Board::new();
        let large = text(&"x".repeat(LARGEST_CARD));
        show(&board, "a", "1", &large);
        show(&board, "a", "1", &large);
        let all = told(&board, 0);
        assert_eq!(all.len(), 1);
        assert!(all[0].1.contains("Too large"));
        let many = Value::Array(vec![Value::Null; LARGEST_CARD]);
        show(&board, "a", "2", &many);
        assert!(told(&board, all[0].0)[0].1.contains("Too large"));
    }

    #[test]
    fn names_of_any_length_are_names() {
        let board = Board::new();
        show(&board, &"词".repeat(2000), "", &Value::Null);
        assert!(layout(&board).sessions[0].name.len() <= 1024);
    }

    #[test]
    fn threads_may_show_at_once() {
        let board = Board::new();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let board = &board;
                scope.spawn(move || {
                    for n in 0..200 {
                        show(board, "a", &thread.to_string(), &text(&n.to_string()));
                    }
                });
            }
        });
        assert_eq!(*board.watch().borrow(), 800);
        assert_eq!(told(&board, 0).len(), 4);
    }
}
