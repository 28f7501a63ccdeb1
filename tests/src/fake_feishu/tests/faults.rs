//! What a test can make go wrong, and what is then applied, answered and recorded.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Client, Reply, simple, still};
use crate::fake_feishu::{Chaos, Endpoint, ErrorForm, FakeFeishu, Fault, Settings};

/// The status and the code of an answer.
fn shown(reply: Option<&Reply>) -> (Option<u16>, Option<u64>) {
    let code = |reply: &Reply| serde_json::from_str::<serde_json::Value>(&reply.text).ok()?["code"].as_u64();
    (reply.map(|reply| reply.status), reply.and_then(code))
}

#[tokio::test]
async fn each_fault_is_seen_and_recorded() {
    let rows = [
        (Fault::DropBefore, None, None, false),
        (Fault::DropAfter, None, None, true),
        (Fault::Status(503), Some(503), None, false),
        (Fault::StatusAfter(502), Some(502), None, true),
        (Fault::Html(200), Some(200), None, false),
        (Fault::RateLimited(7), Some(429), Some(99_991_400), false),
        (Fault::Refused(300_120, ErrorForm::BadRequest), Some(400), Some(300_120), false),
        (Fault::Refused(300_120, ErrorForm::Ok), Some(200), Some(300_120), false),
        (Fault::TruncatedJson, Some(200), None, true),
        (Fault::RevokeTokens, Some(400), Some(99_991_663), false),
    ];
    for (fault, status, code, is_applied) in rows {
        let client = Client::new(still()).await;
        let card = client.card(&simple()).await;
        client.fake.inject(fault.clone().on(Endpoint::ElementContent).nth(1));
        let path = format!("/open-apis/cardkit/v1/cards/{card}/elements/text/content");
        let reply = client.try_call("PUT", &path, &json!({"content": "new", "sequence": 1})).await;
        assert_eq!(shown(reply.as_ref()), (status, code), "{fault:?}");
        if let Fault::RateLimited(_) = fault {
            let reset = reply.unwrap().headers.get("x-ogw-ratelimit-reset").cloned();
            assert_eq!(reset.as_deref(), Some("7"));
        }
        let text = if is_applied { "new" } else { "hello" };
        assert_eq!(client.fake.card(&card).unwrap().reader().element("text"), Some(text), "{fault:?}");
        let call = client.fake.calls_of(Endpoint::ElementContent).pop().unwrap();
        assert_eq!((call.status, call.applied), (status, is_applied), "{fault:?}");
        assert_eq!(call.code.map(u64::from), code, "{fault:?}");
        assert_eq!((call.sequence, call.card), (Some(1), Some(card)));
        assert!(call.fault.is_some() && call.bytes > 0);
    }
}

#[tokio::test]
async fn a_fault_hits_the_calls_that_it_names() {
    let client = Client::new(still()).await;
    let (one, two) = (client.card(&simple()).await, client.card(&simple()).await);
    client.fake.inject(Fault::Status(500).on(Endpoint::ElementContent).card(&two).between(2, 3));
    let mut seen = Vec::new();
    for (card, sequence) in [(&one, 1), (&two, 1), (&one, 2), (&two, 2), (&two, 3), (&two, 4)] {
        seen.push(client.content(card, "x", sequence).await.status);
    }
    assert_eq!(seen, [200, 200, 200, 500, 500, 200]);
    client.fake.inject(Fault::Status(500).always());
    assert_eq!(client.content(&one, "x", 3).await.status, 500);
    client.fake.clear_faults();
    assert_eq!(client.content(&one, "x", 3).await.status, 200);
}

#[tokio::test]
async fn a_delayed_write_loses_to_a_later_one() {
    let client = Client::new(still()).await;
    let card = client.card(&simple()).await;
    client.fake.inject(Fault::Delay(Duration::from_secs(20)).on(Endpoint::ElementContent).nth(1));
    let before = client.fake.arrived();
    let later = async {
        client.fake.until(|fake| fake.arrived() > before).await;
        assert_eq!(client.content(&card, "second", 2).await.code(), 0);
        client.advance(20);
    };
    let (first, ()) = tokio::join!(client.content(&card, "first", 1), later);
    assert_eq!(first.code(), 300_317);
    assert_eq!(client.fake.card(&card).unwrap().reader().element("text"), Some("second"));
}

#[tokio::test]
async fn a_delayed_answer_was_applied_before() {
    let client = Client::new(still()).await;
    let card = client.card(&simple()).await;
    client.fake.inject(Fault::DelayAnswer(Duration::from_secs(20)).on(Endpoint::ElementContent));
    let wait = async {
        let is_applied = |fake: &FakeFeishu| fake.card(&card).unwrap().sequence == 1;
        client.fake.until(is_applied).await;
        assert!(client.fake.calls_of(Endpoint::ElementContent).is_empty());
        client.advance(20);
    };
    let (reply, ()) = tokio::join!(client.content(&card, "x", 1), wait);
    assert_eq!(reply.code(), 0);
    let call = client.fake.calls_of(Endpoint::ElementContent).pop().unwrap();
    assert_eq!(call.answered_at, call.at + Duration::from_secs(20));
}

#[tokio::test]
async fn silence_leaves_the_call_in_the_journal() {
    for (fault, is_applied) in [(Fault::SilenceBefore, false), (Fault::SilenceAfter, true)] {
        let client = Client::new(still()).await;
        let card = client.card(&simple()).await;
        client.fake.inject(fault.on(Endpoint::ElementContent));
        let recorded = client.fake.until(|fake| !fake.calls_of(Endpoint::ElementContent).is_empty());
        tokio::select! {
            reply = client.content(&card, "x", 1) => panic!("{reply:?}"),
            () = recorded => {}
        }
        let call = client.fake.calls_of(Endpoint::ElementContent).pop().unwrap();
        assert_eq!((call.status, call.applied), (None, is_applied));
    }
}

#[tokio::test]
async fn a_dropped_fake_answers_no_more_on_an_open_connection() {
    let fake = FakeFeishu::start(still()).await.unwrap();
    let mut stream = TcpStream::connect(fake.address).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nhost: fake\r\n\r\n";
    let mut bytes = vec![0; 15];
    stream.write_all(request).await.unwrap();
    stream.read_exact(&mut bytes).await.unwrap();
    assert_eq!(bytes, b"HTTP/1.1 200 OK");
    drop(fake);
    stream.write_all(request).await.unwrap();
    // Whether the end comes with or without a reset does not matter.
    let _ = stream.read_to_end(&mut bytes).await;
    assert_eq!(String::from_utf8_lossy(&bytes).matches("HTTP/1.1").count(), 1);
}

#[tokio::test]
async fn chance_is_the_same_for_the_same_seed() {
    let mut runs = Vec::new();
    for seed in [1, 1, 2] {
        let settings = Settings { chaos: Some(Chaos { seed, percent: 40 }), ..still() };
        let client = Client::new(settings).await;
        let mut faults = Vec::new();
        for _ in 0..40 {
            let body = json!({"type": "card_json", "data": simple().to_string()});
            client.try_call("POST", "/open-apis/cardkit/v1/cards", &body).await;
            faults.push(client.fake.calls().pop().unwrap().fault);
        }
        for kind in ["DropBefore", "DropAfter", "RateLimited(1)"] {
            assert!(faults.iter().flatten().any(|fault| fault == kind), "{kind} in {faults:?}");
        }
        assert!(faults.iter().any(Option::is_none));
        runs.push(faults);
    }
    assert!(runs[0] == runs[1] && runs[1] != runs[2]);
}
