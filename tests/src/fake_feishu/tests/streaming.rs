//! Streaming mode and its ten minutes.

use serde_json::json;

use super::{Client, simple, still};
use crate::fake_feishu::{StreamClock, StreamExpiry, Streaming};

#[tokio::test]
async fn text_needs_streaming_to_be_on() {
    let client = Client::new(still()).await;
    let card = client.card(&simple()).await;
    assert_eq!(client.content(&card, "a", 1).await.code(), 0);
    assert_eq!(client.stream(&card, false, 2).await.code(), 0);
    assert_eq!(client.content(&card, "b", 3).await.code(), 300_309);
    assert_eq!(client.stream(&card, true, 4).await.code(), 0);
    assert_eq!(client.content(&card, "b", 5).await.code(), 0);
    // A full update without the mode turns it off.
    let mut plain = simple();
    plain["config"] = json!({});
    assert_eq!(client.update(&card, &plain, 6).await.code(), 0);
    assert_eq!(client.content(&card, "c", 7).await.code(), 300_309);
}

#[tokio::test]
async fn ten_minutes_after_it_was_opened_it_is_over() {
    for (toggle, first) in [(StreamExpiry::ReportedOnce, 200_850), (StreamExpiry::ClosedAtOnce, 300_309)] {
        let mut settings = still();
        settings.toggles.stream_expiry = toggle;
        let client = Client::new(settings).await;
        let card = client.card(&simple()).await;
        client.advance(599);
        // Neither text nor opening what is open makes it longer.
        assert_eq!(client.content(&card, "a", 1).await.code(), 0);
        assert_eq!(client.stream(&card, true, 2).await.code(), 0);
        client.advance(1);
        assert_eq!(client.fake.card(&card).unwrap().streaming, Streaming::Expired);
        assert_eq!(client.fake.card(&card).unwrap().json["config"]["streaming_mode"], json!(false));
        assert_eq!(client.content(&card, "b", 3).await.code(), first);
        assert_eq!(client.content(&card, "b", 4).await.code(), 300_309);
        // Everything else works, and opening it starts the ten minutes again.
        assert_eq!(client.stream(&card, true, 5).await.code(), 0);
        client.advance(599);
        assert_eq!(client.content(&card, "b", 6).await.code(), 0);
        client.advance(1);
        assert_eq!(client.content(&card, "c", 7).await.code(), first);
    }
}

#[tokio::test]
async fn closing_and_opening_starts_the_ten_minutes_again() {
    let client = Client::new(still()).await;
    let card = client.card(&simple()).await;
    client.advance(540);
    assert_eq!(client.stream(&card, false, 1).await.code(), 0);
    assert_eq!(client.stream(&card, true, 2).await.code(), 0);
    client.advance(540);
    assert_eq!(client.content(&card, "a", 3).await.code(), 0);
}

#[tokio::test]
async fn a_full_update_starts_them_again_or_not() {
    for (toggle, expected) in [(StreamClock::ArmedByOpening, 200_850), (StreamClock::ArmedByFullUpdate, 0)] {
        let mut settings = still();
        settings.toggles.stream_clock = toggle;
        let client = Client::new(settings).await;
        let card = client.card(&simple()).await;
        client.advance(540);
        assert_eq!(client.update(&card, &simple(), 1).await.code(), 0);
        client.advance(540);
        assert_eq!(client.content(&card, "a", 2).await.code(), expected, "{toggle:?}");
    }
}
