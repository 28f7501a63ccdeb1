//! Tokens, scopes, rates, owners, ages, locks: and which comes first.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Client, simple, still};
use crate::fake_feishu::{App, ChatLimit, Endpoint, ErrorForm, Rates, Settings, Time};

const CARDS: &str = "/open-apis/cardkit/v1/cards";

#[tokio::test]
async fn a_token_is_there_well_formed_and_known() {
    let client = Client::new(still()).await;
    let good = format!("Bearer {}", client.token);
    for (header, expected) in [
        (None, 99_991_661),
        (Some("t-abc"), 99_991_671),
        (Some("Bearer u-abc"), 99_991_671),
        (Some("Bearer a-abc"), 99_991_664),
        (Some("Bearer t-abc"), 99_991_663),
        (Some(good.as_str()), 0),
    ] {
        let headers: Vec<(&str, &str)> = header.map(|value| ("authorization", value)).into_iter().collect();
        let reply = client.raw("GET", "/open-apis/bot/v3/info", &headers, b"").await.unwrap();
        assert_eq!(reply.code(), expected, "{header:?}");
    }
    client.fake.revoke_tokens();
    assert_eq!(client.call("GET", "/open-apis/bot/v3/info", &Value::Null).await.code(), 99_991_663);
}

#[tokio::test]
async fn a_token_is_given_again_while_half_an_hour_is_left() {
    let client = Client::new(still()).await;
    let first = client.token.clone();
    for (minutes, is_same, first_is_good) in [(89, true, true), (2, false, true), (29, false, false)] {
        client.advance(minutes * 60);
        let token = client.sign_in("cli_fake", "fake-secret").await;
        assert_eq!(token == first, is_same, "after {minutes} minutes");
        let code = client.call("GET", "/open-apis/bot/v3/info", &Value::Null).await.code();
        assert_eq!(code == 0, first_is_good, "after {minutes} minutes");
    }
    let body = json!({"app_id": "cli_fake", "app_secret": "wrong"});
    let reply = client.call("POST", "/open-apis/auth/v3/tenant_access_token/internal", &body).await;
    assert_eq!(reply.code(), 10_014);
    assert!(client.fake.calls_of(Endpoint::Token).iter().all(|call| call.body.is_null()), "a secret is kept");
}

#[tokio::test]
async fn a_missing_scope_is_named() {
    let client = Client::new(still()).await;
    client.fake.configure(|settings| settings.app.scopes.clear());
    let upload = client.call("POST", "/open-apis/im/v1/images", &Value::Null).await;
    assert_eq!(upload.code(), 99_991_672);
    let reply = client.create(&simple()).await;
    assert_eq!(reply.code(), 99_991_672);
    assert!(reply.text_at("/msg").contains("cardkit:card:write"), "{}", reply.text);
}

#[tokio::test]
async fn errors_come_in_both_forms() {
    for (form, status) in [(ErrorForm::BadRequest, 400), (ErrorForm::Ok, 200)] {
        let mut settings = still();
        settings.toggles.errors = form;
        let client = Client::new(settings).await;
        let reply = client.on_card("DELETE", "gone", "/elements/text", &json!({"sequence": 1})).await;
        assert_eq!((reply.status, reply.code()), (status, 200_740));
    }
}

#[tokio::test]
async fn what_comes_first_is_told() {
    let settings = Settings { other_apps: vec![App::new("cli_other", "other-secret")], ..still() };
    let mut client = Client::new(settings).await;
    let card = client.card(&simple()).await;
    let long_ago = client.card(&simple()).await;
    let own = client.token.clone();
    let body = json!({"content": "x", "sequence": 2, "uuid": "u"});
    let path = "/elements/text/content";
    assert_eq!(client.on_card("PUT", &card, path, &body).await.code(), 0);

    // Existence before sequence, shape before existence, owner before uuid.
    assert_eq!(
        client.on_card("PUT", "gone", path, &json!({"content": "x", "sequence": 0})).await.code(),
        200_740
    );
    assert_eq!(
        client.on_card("PUT", "gone", path, &json!({"content": 1, "sequence": 0})).await.code(),
        99_992_402
    );
    client.token = client.sign_in("cli_other", "other-secret").await;
    assert_eq!(client.on_card("PUT", &card, path, &body).await.code(), 300_311);
    client.token = own;
    // The uuid before the sequence, the sequence before the lock, the lock before the endpoint's rule.
    client.fake.lock_card(&card, Duration::from_secs(5));
    assert_eq!(client.on_card("PUT", &card, path, &body).await.code(), 200_770);
    assert_eq!(client.content(&card, "x", 2).await.code(), 300_317);
    let line = json!({"content": "x", "sequence": 3});
    assert_eq!(client.on_card("PUT", &card, "/elements/line/content", &line).await.code(), 200_810);
    client.advance(5);
    assert_eq!(client.on_card("PUT", &card, "/elements/line/content", &line).await.code(), 300_310);
    // The age of a card.
    client.advance(14 * 24 * 3600);
    client.token = client.sign_in("cli_fake", "fake-secret").await;
    assert_eq!(client.content(&long_ago, "x", 0).await.code(), 200_750);
    // Nothing is before the token.
    client.token.clear();
    assert_eq!(client.create(&json!({})).await.code(), 99_991_671);
}

#[tokio::test]
async fn rates_are_per_endpoint_card_and_chat() {
    let client = Client::new(Settings { time: Time::Virtual, ..Settings::default() }).await;
    let card = client.card(&simple()).await;
    // Ten a second for a card, over all of its endpoints; a refused call does not count.
    for sequence in 1..=10 {
        let reply = match sequence % 2 {
            0 => client.content(&card, "x", sequence).await,
            _ => client.stream(&card, true, sequence).await,
        };
        assert_eq!(reply.code(), 0);
    }
    let over = client.content(&card, "x", 11).await;
    assert_eq!((over.status, over.code()), (429, 99_991_400));
    assert_eq!(over.headers.get("x-ogw-ratelimit-reset").map(String::as_str), Some("1"));
    assert!(over.headers.contains_key("x-ogw-ratelimit-limit"));
    client.advance(1);
    assert_eq!(client.content(&card, "x", 11).await.code(), 0);

    // Five a second for a chat, sends and replies together.
    let message = client.fake.user_says("oc_main", "ou_user", "hi");
    let text = json!({"text": "hi"});
    let reply = json!({"msg_type": "text", "content": text.to_string()});
    let path = format!("/open-apis/im/v1/messages/{message}/reply");
    for _ in 0..4 {
        assert_eq!(client.send("oc_main", "text", &text).await.code(), 0);
    }
    assert_eq!(client.call("POST", &path, &reply).await.code(), 0);
    assert_eq!(client.call("POST", &path, &reply).await.status, 429);
    client.fake.configure(|settings| settings.toggles.chat_limit = ChatLimit::Code);
    assert_eq!(client.call("POST", &path, &reply).await.code(), 230_020);
}

#[tokio::test]
async fn an_endpoint_takes_so_many_a_second_and_a_minute() {
    let rates = Rates { endpoint_per_second: 2, endpoint_per_minute: 3, ..Rates::default() };
    let client = Client::new(Settings { time: Time::Virtual, rates, ..Settings::default() }).await;
    let mut seen = Vec::new();
    for pause in [0, 0, 0, 1, 1, 60] {
        client.advance(pause);
        let reply = client.call("POST", CARDS, &json!({})).await;
        seen.push((reply.code(), reply.headers.get("x-ogw-ratelimit-reset").cloned()));
    }
    let good = (99_992_402, None);
    let refused = |reset: &str| (99_991_400, Some(reset.to_owned()));
    assert_eq!(seen, [good.clone(), good.clone(), refused("1"), good.clone(), refused("58"), good]);
}

#[tokio::test]
async fn a_path_that_the_platform_has_not_is_recorded() {
    let client = Client::new(still()).await;
    for (method, path) in [("PUT", CARDS), ("GET", "/open-apis/im/v2/messages"), ("POST", "/open-apis//x")] {
        assert_eq!(client.call(method, path, &Value::Null).await.status, 404, "{path}");
    }
    let unknown = client.fake.calls().into_iter().filter(|call| call.endpoint.is_none());
    assert_eq!(unknown.count(), 3);
}
