//! What a platform can do to a delivery, and that the turn is shown whole all the same.

use std::time::Duration;

use larkspan_core::testing::MemoryStore;
use larkspan_core::transcript::TurnOutcome;
use pretty_assertions::assert_eq;
use tokio::time::sleep;

use super::{Fault, Flaky, assert_whole, cards, ended, mark, settled, tell, turn};
use crate::platform::Rejection;

/// Tells a growing turn and its end.
async fn tell_all(cards: &crate::Cards, messages: usize, length: usize) {
    for told in (1..messages).step_by(3) {
        tell(cards, &turn("1", told, length)).await;
        sleep(Duration::from_secs(4)).await;
    }
    tell(cards, &ended(turn("1", messages, length), TurnOutcome::Completed)).await;
}

#[tokio::test(start_paused = true)]
async fn a_fifth_of_all_calls_fails_and_nothing_is_lost_or_doubled() {
    for seed in 0..30_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let platform = Flaky::new(move |_, _| {
            // xorshift: chance that is the same every time.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.is_multiple_of(5).then_some(match state / 5 % 5 {
                0 => Fault::LostBefore,
                1 => Fault::LostAfter,
                2 => Fault::RateLimited,
                3 => Fault::Hangs,
                _ => Fault::Refused(Rejection::Internal),
            })
        });
        let store = MemoryStore::default();
        let (_, cards) = cards(&platform, &store);
        tell_all(&cards, 80, 900).await;
        assert!(settled(&cards).await, "seed {seed}");
        assert_whole(&platform, 80);
        assert!(platform.inner.said().is_empty(), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_refusal_once_is_survived() {
    for rejection in [
        Rejection::Sequence,
        Rejection::UuidSeen,
        Rejection::StreamExpired,
        Rejection::StreamClosed,
        Rejection::TooLarge,
        Rejection::TooManyTables,
        Rejection::Locked,
        Rejection::Diverged,
        Rejection::Audit,
        Rejection::ChatBusy,
        Rejection::BeingSent,
        Rejection::NotYetVisible,
        Rejection::Internal,
        Rejection::Chat,
        Rejection::Credentials,
        Rejection::Scope,
        Rejection::Forbidden,
        Rejection::Defect,
        Rejection::BadImage,
    ] {
        for wrong in 0..8 {
            let platform =
                Flaky::new(move |_, number| (number == wrong).then_some(Fault::Refused(rejection)));
            let store = MemoryStore::default();
            let (_, cards) = cards(&platform, &store);
            tell_all(&cards, 12, 300).await;
            assert!(settled(&cards).await, "{rejection:?} of call {wrong}");
            assert_whole(&platform, 12);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_dead_card_is_left_and_the_turn_goes_on_in_a_new_one() {
    for rejection in [Rejection::CardGone, Rejection::MessageGone] {
        let platform = Flaky::new(move |endpoint, number| {
            (endpoint != "create" && endpoint != "send" && number == 3).then_some(Fault::Refused(rejection))
        });
        let store = MemoryStore::default();
        let (_, cards) = cards(&platform, &store);
        tell_all(&cards, 12, 300).await;
        assert!(settled(&cards).await, "{rejection:?}");
        assert_eq!(platform.cards().len(), 2);
        for number in 0..12 {
            assert!(platform.count(&mark(number)) >= 1, "{rejection:?} {number}");
        }
        // The last message stands in the new card.
        assert!(platform.cards()[1].to_string().contains(&mark(11)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_card_that_never_answers_does_not_stop_the_others() {
    let platform = Flaky::new(|endpoint, _| (endpoint == "batch").then_some(Fault::Hangs));
    let store = MemoryStore::default();
    let (_, cards) = cards(&platform, &store);
    tell_all(&cards, 12, 300).await;
    assert!(settled(&cards).await);
    assert_whole(&platform, 12);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_to_the_send_is_no_second_message() {
    let platform =
        Flaky::new(|endpoint, number| (endpoint == "send" && number < 6).then_some(Fault::LostAfter));
    let store = MemoryStore::default();
    let (_, cards) = cards(&platform, &store);
    tell_all(&cards, 6, 100).await;
    assert!(settled(&cards).await);
    assert_eq!(platform.cards().len(), 1);
    assert_whole(&platform, 6);
}

#[tokio::test(start_paused = true)]
async fn without_permission_it_waits_and_goes_on_when_it_has_it() {
    let (tell_open, open) = std::sync::mpsc::channel::<()>();
    let mut is_open = false;
    let platform = Flaky::new(move |_, _| {
        is_open |= open.try_recv().is_ok();
        (!is_open).then_some(Fault::Refused(Rejection::Scope))
    });
    let store = MemoryStore::default();
    let (_, cards) = cards(&platform, &store);
    tell(&cards, &turn("1", 3, 50)).await;
    sleep(Duration::from_mins(10)).await;
    assert!(platform.journal().len() <= 12, "{}", platform.journal().len());
    tell_open.send(()).unwrap();
    tell(&cards, &ended(turn("1", 4, 50), TurnOutcome::Completed)).await;
    assert!(settled(&cards).await);
    assert_whole(&platform, 4);
}

#[tokio::test(start_paused = true)]
async fn an_end_that_cannot_be_shown_is_said_plainly() {
    let platform = Flaky::new(|endpoint, _| {
        matches!(endpoint, "replace" | "settings").then_some(Fault::Refused(Rejection::Internal))
    });
    let store = MemoryStore::default();
    let (_, cards) = cards(&platform, &store);
    tell(&cards, &turn("1", 1, 50)).await;
    sleep(Duration::from_secs(4)).await;
    tell(&cards, &ended(turn("1", 2, 50), TurnOutcome::Completed)).await;
    assert!(settled(&cards).await);
    assert_eq!(platform.inner.said().len(), 1);
    assert!(platform.inner.said()[0].contains(&mark(1)));
}
