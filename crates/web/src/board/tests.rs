//! What a board holds, and what a reader of it is told.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::content::LARGEST_CARD;
use super::{Board, Card, Change, Layout, MOST_BYTES, MOST_CARDS, MOST_SESSIONS};
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

#[test]
fn all_cards_together_are_bounded_and_the_newest_stay() {
    let board = Board::new();
    let size = LARGEST_CARD / 2;
    let fit = MOST_BYTES / size;
    let large = |n: usize| text(&format!("{n}:{}", "x".repeat(size)));
    show(&board, "quiet", "1", &large(0));
    for n in 0..fit + 20 {
        show(&board, &format!("s{}", n % 2), &n.to_string(), &large(n));
    }
    let shown = layout(&board);
    let bytes = board.state().bytes;
    assert!(bytes <= MOST_BYTES && bytes > MOST_BYTES - 2 * LARGEST_CARD, "{bytes}");
    // The session that nobody has changed is gone, and of the others the oldest cards.
    assert_eq!((shown.sessions.len(), shown.dropped), (2, 1));
    let kept: usize = shown.sessions.iter().map(|column| column.cards.len()).sum();
    let dropped: u64 = shown.sessions.iter().map(|column| column.dropped).sum();
    assert_eq!((kept as u64 + dropped, kept < fit), (fit as u64 + 20, true));
    let newest = format!("{}:x", fit + 19);
    let last = told(&board, 0).pop().unwrap();
    assert!(last.1.contains(&newest));
    // Cards that shrink give back what they took, and what grows displaces others.
    for n in 0..fit + 20 {
        show(&board, &format!("s{}", n % 2), &n.to_string(), &text("small"));
    }
    assert!(board.state().bytes < LARGEST_CARD, "{}", board.state().bytes);
    let before = layout(&board);
    for n in 0..fit + 20 {
        show(&board, &format!("s{}", n % 2), &n.to_string(), &large(n));
    }
    assert!(board.state().bytes <= MOST_BYTES);
    assert_ne!(layout(&board), before);
}

#[test]
fn html_that_is_far_larger_than_its_card_is_not_kept() {
    let board = Board::new();
    show(&board, "a", "1", &text(&"\0".repeat(10_000)));
    show(&board, "a", "2", &text("x"));
    let mut card = 0;
    for is_kept in [false, true] {
        let Some(Change::Card { number, content, .. }) = board.next(u64::MAX, card) else { panic!("a card") };
        card = number;
        let (first, second) = (content.html(Language::En), content.html(Language::En));
        assert_eq!(first, second);
        assert_eq!(Arc::ptr_eq(&first, &second), is_kept);
    }
}

#[test]
fn a_card_of_any_depth_is_told() {
    let board = Board::new();
    let mut deep = json!("x");
    for _ in 0..20_000 {
        deep = Value::Array(vec![deep]);
    }
    show(&board, "a", "1", &deep);
    show(&board, "a", "1", &deep);
    assert!(told(&board, 0)[0].1.contains("Too large"));
    // Dropping it as it is would exhaust the stack of this test.
    while let Value::Array(mut items) = deep {
        deep = items.pop().unwrap();
    }
}
