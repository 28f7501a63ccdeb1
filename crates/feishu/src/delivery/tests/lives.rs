//! Cards from their first to their last state, on a platform that works.

use std::time::Duration;

use larkspan_core::ports::CardSurface;
use larkspan_core::testing::MemoryStore;
use larkspan_core::transcript::TurnOutcome;
use pretty_assertions::assert_eq;
use tokio::time::sleep;

use super::{Flaky, assert_whole, cards, ended, settled, tell, turn};

#[tokio::test(start_paused = true)]
async fn a_turn_is_one_card_from_its_first_text_to_its_end() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (hub, cards) = cards(&platform, &store);
    for messages in 1..=4 {
        tell(&cards, &turn("1", messages, 100)).await;
        sleep(Duration::from_secs(3)).await;
    }
    assert_eq!(platform.count("[m3]"), 1);
    tell(&cards, &ended(turn("1", 5, 100), TurnOutcome::Completed)).await;
    assert!(settled(&cards).await);
    assert_whole(&platform, 5);
    assert_eq!((platform.calls("create"), platform.calls("send"), platform.cards().len()), (1, 1, 1));
    assert_eq!(
        platform.inner.reactions().iter().map(|(_, emoji)| emoji.as_str()).collect::<Vec<_>>(),
        ["DONE"]
    );
    assert!(platform.journal().iter().all(|call| !call.has_failed), "{:#?}", platform.journal());
    let counters = hub.counters();
    assert_eq!(counters.cards, 1);
    assert!(counters.plans.get("parts").is_some_and(|parts| *parts >= 2), "{counters:?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_to_show_is_a_placeholder_after_two_seconds() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, cards) = cards(&platform, &store);
    tell(&cards, &turn("1", 0, 0)).await;
    sleep(Duration::from_millis(1_900)).await;
    assert_eq!(platform.calls("create"), 0);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(platform.cards().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_failed_turn_is_wailed_at() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, cards) = cards(&platform, &store);
    tell(&cards, &ended(turn("1", 1, 10), TurnOutcome::Failed)).await;
    assert!(settled(&cards).await);
    assert_eq!(platform.inner.reactions()[0].1, "WAIL");
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_goes_on_in_further_cards_and_nothing_is_lost() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, cards) = cards(&platform, &store);
    for messages in (0..=300).step_by(20) {
        tell(&cards, &turn("1", messages, 600)).await;
        sleep(Duration::from_secs(5)).await;
    }
    tell(&cards, &ended(turn("1", 301, 600), TurnOutcome::Completed)).await;
    assert!(settled(&cards).await);
    assert!(platform.cards().len() > 5, "{}", platform.cards().len());
    assert_whole(&platform, 301);
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_opened_again_before_its_ten_minutes_are_over() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, cards) = cards(&platform, &store);
    tell(&cards, &turn("1", 1, 10)).await;
    sleep(Duration::from_secs(605)).await;
    tell(&cards, &turn("1", 2, 10)).await;
    sleep(Duration::from_secs(5)).await;
    let settings: Vec<u64> = platform
        .journal()
        .iter()
        .filter(|call| call.endpoint == "settings")
        .map(|call| call.at.as_secs())
        .collect();
    assert_eq!(settings.len(), 2, "{settings:?}");
    assert!(settings.iter().all(|at| (540..590).contains(at)), "{settings:?}");
    // What only counts the time is little.
    assert!(platform.journal().len() < 60, "{}", platform.journal().len());
    tell(&cards, &ended(turn("1", 2, 10), TurnOutcome::Completed)).await;
    assert!(settled(&cards).await);
    assert_whole(&platform, 2);
}

#[tokio::test(start_paused = true)]
async fn no_more_than_one_flush_in_two_seconds() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, cards) = cards(&platform, &store);
    for number in 0..100 {
        tell(&cards, &turn("1", number / 4 + 1, 10)).await;
        sleep(Duration::from_millis(100)).await;
    }
    // Ten seconds: the first at once (created and sent), then each two seconds a batch and a growing text.
    assert!(platform.journal().len() <= 2 * 6, "{:#?}", platform.journal());
}

#[tokio::test(start_paused = true)]
async fn turns_stand_in_their_order() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, cards) = cards(&platform, &store);
    for number in 0..8 {
        let mut turn = turn(&number.to_string(), 1, 10);
        turn.items = vec![super::said(number, 10)];
        tell(&cards, &ended(turn, TurnOutcome::Completed)).await;
    }
    assert!(settled(&cards).await);
    let order: Vec<String> = platform.cards().iter().map(ToString::to_string).collect();
    for (number, card) in order.iter().enumerate() {
        assert!(card.contains(&super::mark(number)), "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_card_is_adopted_after_a_crash_and_goes_on() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, first) = cards(&platform, &store);
    tell(&first, &turn("1", 3, 100)).await;
    sleep(Duration::from_secs(3)).await;
    tell(&first, &turn("1", 4, 100)).await;
    sleep(Duration::from_secs(3)).await;
    // A crash: what is not in the store is gone.
    drop(first);
    let (_, second) = cards(&platform, &store);
    tell(&second, &turn("1", 5, 100)).await;
    sleep(Duration::from_secs(3)).await;
    tell(&second, &ended(turn("1", 6, 100), TurnOutcome::Completed)).await;
    assert!(settled(&second).await);
    assert_eq!((platform.calls("create"), platform.cards().len()), (1, 1));
    assert_whole(&platform, 6);
    // Told once more by the next process: nothing happens.
    let before = platform.journal().len();
    let (_, third) = cards(&platform, &store);
    tell(&third, &ended(turn("1", 6, 100), TurnOutcome::Completed)).await;
    assert!(settled(&third).await);
    sleep(Duration::from_mins(1)).await;
    assert_eq!(platform.journal().len(), before);
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_leaves_no_card_in_progress() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, first) = cards(&platform, &store);
    tell(&first, &turn("1", 2, 100)).await;
    sleep(Duration::from_secs(3)).await;
    first.finish().await.unwrap();
    assert_whole(&platform, 2);
    let (_, second) = cards(&platform, &store);
    tell(&second, &ended(turn("1", 3, 100), TurnOutcome::Completed)).await;
    second.finish().await.unwrap();
    assert_eq!(platform.cards().len(), 1);
    assert_whole(&platform, 3);
}

#[tokio::test(start_paused = true)]
async fn a_late_record_changes_the_card_of_an_ended_turn() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, cards) = cards(&platform, &store);
    tell(&cards, &ended(turn("1", 2, 100), TurnOutcome::Completed)).await;
    assert!(settled(&cards).await);
    let late = larkspan_core::turn::Change::Item {
        turn: Some(larkspan_core::ids::TurnId::new("1")),
        item: super::said(2, 50),
    };
    cards.show(&super::session(), &[late], None).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(platform.count("[m2]"), 1);
    assert_eq!(platform.cards().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn two_hundred_cards_stay_within_the_rates() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (hub, _) = cards(&platform, &store);
    let sessions: Vec<crate::Cards> = (0..200)
        .map(|number| {
            let chat = crate::platform::ChatKey(format!("oc_{}", number % 40));
            let to = crate::platform::Destination::Chat(chat);
            crate::Cards::new(hub.clone(), super::Target { to, reacts_to: None }, &format!("c{number}"))
        })
        .collect();
    for messages in (1..=30).chain(std::iter::repeat_n(30, 30)) {
        for cards in &sessions {
            tell(cards, &turn("1", messages, 40)).await;
        }
        sleep(Duration::from_secs(2)).await;
    }
    let journal = platform.journal();
    for endpoint in ["create", "send", "batch", "replace", "content", "settings"] {
        let times: Vec<Duration> =
            journal.iter().filter(|call| call.endpoint == endpoint).map(|call| call.at).collect();
        for (span, most) in [(Duration::from_secs(1), 50), (Duration::from_mins(1), 1_000)] {
            let within =
                |from: &Duration| times.iter().filter(|at| **at >= *from && **at < *from + span).count();
            let worst = times.iter().map(within).max().unwrap_or_default();
            assert!(worst <= most, "{endpoint}: {worst} in {span:?}");
        }
    }
    assert_eq!(platform.cards().len(), 200);
}

#[tokio::test(start_paused = true)]
async fn ended_turns_are_forgotten_after_two_days() {
    use larkspan_core::ports::StateStore;

    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (hub, cards) = cards(&platform, &store);
    tell(&cards, &ended(turn("1", 1, 10), TurnOutcome::Completed)).await;
    tell(&cards, &turn("2", 1, 10)).await;
    sleep(Duration::from_secs(5)).await;
    let held = || async { store.names("feishu/").await.unwrap().len() };
    hub.forget_old().await;
    assert_eq!(held().await, 2);
    sleep(Duration::from_hours(49)).await;
    hub.forget_old().await;
    // The turn that goes on stays.
    assert_eq!(held().await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_card_that_nobody_goes_on_with_is_ended_and_may_be_adopted_later() {
    let (platform, store) = (Flaky::well(), MemoryStore::default());
    let (_, gone) = cards(&platform, &store);
    tell(&gone, &turn("1", 2, 100)).await;
    sleep(Duration::from_secs(3)).await;
    drop(gone);
    // Another process, of another session.
    let (hub, other) = cards(&platform, &store);
    hub.end_abandoned().await;
    assert_eq!(platform.cards()[0]["config"]["streaming_mode"], true, "it may only be slow");
    sleep(Duration::from_mins(6)).await;
    hub.end_abandoned().await;
    let card = platform.cards()[0].clone();
    assert_eq!(card["config"]["streaming_mode"], false);
    assert!(card["body"].to_string().contains("Interrupted"), "{card:#}");
    let calls = platform.journal().len();
    hub.end_abandoned().await;
    assert_eq!(platform.journal().len(), calls, "once");
    // Its session is followed again.
    tell(&other, &ended(turn("1", 3, 100), TurnOutcome::Completed)).await;
    assert!(settled(&other).await);
    assert_whole(&platform, 3);
    assert_eq!(platform.cards().len(), 1, "in the same card");
    assert!(!platform.cards()[0]["body"].to_string().contains("Interrupted"));
}
