//! What one browser is told: which cards there are, and each card that has changed.
//!
//! Invariants
//! - A feed holds two numbers and no queue: it looks at the board when the browser can take more.
//! - Which cards there are is told before the cards. A new feed tells everything.
//! - After it has told all there was, it rests for a moment, so that a burst is told once. The first change after a rest
//!   is told at once.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::board::{Board, Change, Column, Layout};
use crate::words::Language;

/// How long a feed rests once it has told all there was.
const REST: Duration = Duration::from_millis(50);

/// What is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// The event's name: `layout`, `card`, or `ended`.
    pub(crate) event: &'static str,
    /// JSON.
    pub(crate) data: String,
}

/// The way from a board to one browser.
#[derive(Debug)]
pub(crate) struct Feed {
    board: Arc<Board>,
    changes: watch::Receiver<u64>,
    /// Becomes true when the server ends.
    stop: watch::Receiver<bool>,
    language: Language,
    layout: Option<u64>,
    card: u64,
    rests_until: Option<Instant>,
    has_ended: bool,
}

impl Feed {
    pub(crate) fn new(board: Arc<Board>, stop: watch::Receiver<bool>, language: Language) -> Self {
        let changes = board.watch();
        Self { board, changes, stop, language, layout: None, card: 0, rests_until: None, has_ended: false }
    }

    /// The next thing to tell; none once the end has been told.
    pub(crate) async fn next(&mut self) -> Option<Told> {
        if self.has_ended {
            return None;
        }
        loop {
            if *self.stop.borrow() {
                return Some(self.end());
            }
            if let Some(until) = self.rests_until.take() {
                let is_over = tokio::select! {
                    () = tokio::time::sleep_until(until) => false,
                    () = told_to_stop(&mut self.stop) => true,
                };
                if is_over {
                    return Some(self.end());
                }
            }
            // Before looking, so that what changes meanwhile is looked at again.
            self.changes.borrow_and_update();
            if let Some(told) = self.look() {
                return Some(told);
            }
            let is_over = tokio::select! {
                changed = self.changes.changed() => changed.is_err(),
                () = told_to_stop(&mut self.stop) => true,
            };
            if is_over {
                return Some(self.end());
            }
        }
    }

    fn look(&mut self) -> Option<Told> {
        let change = self.board.next(self.layout.unwrap_or(0), self.card);
        let told = match change {
            Some(Change::Layout { number, layout }) => {
                self.layout = Some(number);
                layout_event(&layout)
            }
            // An empty board is told too, so that the page knows that it is.
            _ if self.layout.is_none() => {
                self.layout = Some(0);
                layout_event(&Layout { sessions: Vec::new(), dropped: 0 })
            }
            Some(Change::Card { number, key, content }) => {
                self.card = number;
                card_event(key, &content.html(self.language))
            }
            None => return None,
        };
        if self.board.next(self.layout.unwrap_or(0), self.card).is_none() {
            self.rests_until = Some(Instant::now() + REST);
        }
        Some(told)
    }

    fn end(&mut self) -> Told {
        self.has_ended = true;
        Told { event: "ended", data: "{}".to_owned() }
    }
}

/// A server that is gone has stopped too.
async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|is_told| *is_told).await;
}

#[derive(Serialize)]
struct LayoutEvent<'a> {
    sessions: Vec<ColumnEvent<'a>>,
    dropped: u64,
}

#[derive(Serialize)]
struct ColumnEvent<'a> {
    key: String,
    /// The last part of its name.
    title: &'a str,
    name: &'a str,
    cards: Vec<String>,
    dropped: u64,
}

#[derive(Serialize)]
struct CardEvent<'a> {
    key: String,
    html: &'a str,
}

fn layout_event(layout: &Layout) -> Told {
    let sessions = layout.sessions.iter().map(|Column { key, name, cards, dropped }| ColumnEvent {
        key: name_of('s', *key),
        title: title(name),
        name,
        cards: cards.iter().map(|key| name_of('c', *key)).collect(),
        dropped: *dropped,
    });
    told("layout", &LayoutEvent { sessions: sessions.collect(), dropped: layout.dropped })
}

fn card_event(key: u64, html: &str) -> Told {
    told("card", &CardEvent { key: name_of('c', key), html })
}

fn told(event: &'static str, data: &impl Serialize) -> Told {
    // Text, numbers and lists always are JSON.
    Told { event, data: serde_json::to_string(data).unwrap_or_default() }
}

fn name_of(kind: char, key: u64) -> String {
    let mut name = String::from(kind);
    let _ = write!(name, "{key}");
    name
}

/// The last part of a path, without the ending of a log; any other name as it is.
fn title(name: &str) -> &str {
    let last = name.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(name);
    let last = last.strip_suffix(".zst").unwrap_or(last);
    last.strip_suffix(".jsonl").unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pretty_assertions::assert_eq;
    use serde_json::{Value, json};
    use tokio::sync::watch;
    use tokio::time::Instant;

    use super::{Feed, REST, title};
    use crate::board::{Board, Card};
    use crate::words::Language;

    fn show(board: &Board, id: &str, words: &str) {
        let json = json!({"body": {"elements": [{"tag": "plain_text", "content": words}]}});
        board.show(Card { id: id.into(), session: "/logs/a.jsonl".into() }, &json);
    }

    fn feed(board: &Arc<Board>) -> (Feed, watch::Sender<bool>) {
        let (stop, stopped) = watch::channel(false);
        (Feed::new(board.clone(), stopped, Language::En), stop)
    }

    async fn next(feed: &mut Feed) -> (&'static str, Value) {
        let told = feed.next().await.unwrap();
        (told.event, serde_json::from_str(&told.data).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_feed_tells_everything_in_order() {
        let board = Arc::new(Board::new());
        let (mut feed, _stop) = feed(&board);
        assert_eq!(next(&mut feed).await, ("layout", json!({"sessions": [], "dropped": 0})));
        show(&board, "1", "one");
        show(&board, "2", "two");
        let (event, layout) = next(&mut feed).await;
        assert_eq!(event, "layout");
        let column = layout.pointer("/sessions/0").unwrap();
        assert_eq!((&column["title"], &column["name"]), (&json!("a"), &json!("/logs/a.jsonl")));
        for (at, words) in ["one", "two"].into_iter().enumerate() {
            let (event, card) = next(&mut feed).await;
            assert_eq!((event, &card["key"]), ("card", &column["cards"][at]));
            assert!(card["html"].as_str().unwrap().contains(words));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_change_is_told_at_once_and_a_burst_as_its_last_state() {
        let board = Arc::new(Board::new());
        show(&board, "1", "old");
        let (mut feed, _stop) = feed(&board);
        next(&mut feed).await;
        next(&mut feed).await;
        tokio::time::advance(REST * 2).await;
        let asked = Instant::now();
        show(&board, "1", "first");
        assert!(next(&mut feed).await.1["html"].as_str().unwrap().contains("first"));
        assert_eq!(asked.elapsed(), std::time::Duration::ZERO);
        for n in 0..100 {
            show(&board, "1", &format!("burst {n}"));
        }
        assert!(next(&mut feed).await.1["html"].as_str().unwrap().contains("burst 99"));
        assert!(asked.elapsed() >= REST);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_is_told_once_even_at_rest() {
        let board = Arc::new(Board::new());
        let (mut feed, stop) = feed(&board);
        next(&mut feed).await;
        stop.send(true).unwrap();
        assert_eq!(next(&mut feed).await.0, "ended");
        assert_eq!(feed.next().await, None);
    }

    #[test]
    fn a_path_is_named_by_its_end() {
        for (name, expected) in [
            ("/home/x/rollout-1.jsonl", "rollout-1"),
            ("/x/rollout-1.jsonl.zst", "rollout-1"),
            ("C:\\x\\a.jsonl", "a"),
            ("session 7", "session 7"),
            ("/", "/"),
            ("", ""),
        ] {
            assert_eq!(title(name), expected, "{name}");
        }
    }
}
