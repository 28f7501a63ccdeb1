//! The client against a server that checks every request: bodies, the token's life, one replay, failures on the way.

use larkspan_core::testing::TestClock;
use larkspan_core::time::Timestamp;
use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use wiremock::matchers::{body_json, header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::platform::Domain;

const SECRET: &str = "s3cret-of-the-app";

struct Bench {
    server: MockServer,
    clock: TestClock,
    platform: HttpPlatform,
}

fn platform(base: &str, timeout: Duration, clock: &TestClock) -> HttpPlatform {
    let domain: Domain = base.parse().unwrap();
    let mut settings = AppSettings::new(domain, "cli_1", SECRET);
    settings.timeout = timeout;
    HttpPlatform::new(settings, Arc::new(clock.clone())).unwrap()
}

fn clock() -> TestClock {
    TestClock::at(Timestamp::from_millis(1_800_000_000_000))
}

fn ok(data: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({"code": 0, "msg": "success", "data": data}))
}

fn token(token: &str) -> ResponseTemplate {
    let body = json!({"code": 0, "msg": "ok", "tenant_access_token": token, "expire": 7200});
    ResponseTemplate::new(200).set_body_json(body)
}

async fn without_token() -> Bench {
    let server = MockServer::start().await;
    let clock = clock();
    let platform = platform(&server.uri(), Duration::from_secs(15), &clock);
    Bench { server, clock, platform }
}

impl Bench {
    /// Gives these tokens, each once, the last for ever; they are asked for exactly `times` times.
    async fn gives_tokens(&self, tokens: &[&str], times: u64) {
        let asked = || {
            Mock::given(method("POST"))
                .and(path("/open-apis/auth/v3/tenant_access_token/internal"))
                .and(body_json(json!({"app_id": "cli_1", "app_secret": SECRET})))
        };
        let (last, first) = tokens.split_last().unwrap();
        for text in first {
            asked().respond_with(token(text)).up_to_n_times(1).expect(1).mount(&self.server).await;
        }
        let rest = times - u64::try_from(first.len()).unwrap();
        asked().respond_with(token(last)).expect(rest).mount(&self.server).await;
    }

    /// Answers any call but that for the token.
    async fn answers(&self, response: ResponseTemplate) {
        Mock::given(wiremock::matchers::any())
            .respond_with(response)
            .with_priority(9)
            .mount(&self.server)
            .await;
    }
}

async fn bench() -> Bench {
    let bench = without_token().await;
    bench.gives_tokens(&["t-1"], 1).await;
    bench
}

fn stamp() -> Stamp {
    Stamp { sequence: 7, uuid: "u-7".to_owned() }
}

/// One request, exactly so, with the token.
async fn expects(bench: &Bench, verb: &str, at: &str, body: Value, data: Value) {
    Mock::given(method(verb))
        .and(path(at))
        .and(header("authorization", "Bearer t-1"))
        .and(header("content-type", "application/json; charset=utf-8"))
        .and(body_json(body))
        .respond_with(ok(&data))
        .expect(1)
        .mount(&bench.server)
        .await;
}

#[tokio::test]
async fn cards_are_written_as_documented() {
    let bench = bench().await;
    let card = json!({"schema": "2.0", "body": {"elements": [{"tag": "markdown", "content": "a \"b\"\n"}]}});
    let text = card.to_string();
    let at = "/open-apis/cardkit/v1/cards";
    expects(&bench, "POST", at, json!({"type": "card_json", "data": text}), json!({"card_id": "735"})).await;
    expects(
        &bench,
        "PUT",
        "/open-apis/cardkit/v1/cards/735",
        json!({"card": {"type": "card_json", "data": text}, "sequence": 7, "uuid": "u-7"}),
        json!({}),
    )
    .await;
    let actions = json!([{"action": "delete_elements", "params": {"element_ids": ["a"]}}]);
    expects(
        &bench,
        "POST",
        "/open-apis/cardkit/v1/cards/735/batch_update",
        json!({"actions": actions.to_string(), "sequence": 7, "uuid": "u-7"}),
        json!({}),
    )
    .await;
    expects(
        &bench,
        "PUT",
        "/open-apis/cardkit/v1/cards/735/elements/answer_1/content",
        json!({"content": "whole text", "sequence": 7, "uuid": "u-7"}),
        json!({}),
    )
    .await;
    let settings = json!({"config": {"streaming_mode": false}});
    expects(
        &bench,
        "PATCH",
        "/open-apis/cardkit/v1/cards/735/settings",
        json!({"settings": settings.to_string(), "sequence": 7, "uuid": "u-7"}),
        json!({}),
    )
    .await;

    let key = bench.platform.create(&card).await.unwrap();
    assert_eq!(key.as_str(), "735");
    bench.platform.replace(&key, &card, &stamp()).await.unwrap();
    bench.platform.batch(&key, &actions, &stamp()).await.unwrap();
    bench.platform.content(&key, "answer_1", "whole text", &stamp()).await.unwrap();
    bench.platform.settings(&key, &settings, &stamp()).await.unwrap();
}

#[tokio::test]
async fn messages_and_reactions_are_sent_as_documented() {
    let bench = bench().await;
    let sent = json!({"message_id": "om_9", "chat_id": "oc_1"});
    let entity = r#"{"data":{"card_id":"735"},"type":"card"}"#;
    Mock::given(query_param("receive_id_type", "chat_id"))
        .and(path("/open-apis/im/v1/messages"))
        .and(body_json(
            json!({"receive_id": "oc_1", "msg_type": "interactive", "content": entity, "uuid": "u"}),
        ))
        .respond_with(ok(&sent))
        .expect(1)
        .mount(&bench.server)
        .await;
    expects(
        &bench,
        "POST",
        "/open-apis/im/v1/messages/om_1/reply",
        json!({"msg_type": "text", "content": r#"{"text":"hi \"you\""}"#, "reply_in_thread": false, "uuid": "u"}),
        sent.clone(),
    )
    .await;
    expects(
        &bench,
        "POST",
        "/open-apis/im/v1/messages/om_9/reactions",
        json!({"reaction_type": {"emoji_type": "DONE"}}),
        json!({"reaction_id": "r/1"}),
    )
    .await;
    Mock::given(method("DELETE"))
        .and(path("/open-apis/im/v1/messages/om_9/reactions/r%2F1"))
        .respond_with(ok(&json!({})))
        .expect(1)
        .mount(&bench.server)
        .await;

    let platform = &bench.platform;
    let chat = Destination::Chat(ChatKey("oc_1".to_owned()));
    let expected = Sent { message: MessageKey("om_9".to_owned()), chat: ChatKey("oc_1".to_owned()) };
    assert_eq!(platform.send(&CardKey("735".to_owned()), &chat, "u").await.unwrap(), expected);
    let reply = Destination::Reply(MessageKey("om_1".to_owned()));
    assert_eq!(platform.say(&reply, "hi \"you\"", "u").await.unwrap(), expected);
    let reaction = platform.add_reaction(&expected.message, "DONE").await.unwrap();
    platform.unreact(&expected.message, &reaction).await.unwrap();
}

#[tokio::test]
async fn images_bots_and_chats() {
    let bench = bench().await;
    Mock::given(path("/open-apis/im/v1/images"))
        .respond_with(ok(&json!({"image_key": "img_v3_1"})))
        .expect(1)
        .mount(&bench.server)
        .await;
    let bot = json!({"code": 0, "msg": "ok", "bot": {"activate_status": 2, "app_name": "Larkspan", "open_id": "ou_1"}});
    Mock::given(path("/open-apis/bot/v3/info"))
        .respond_with(ResponseTemplate::new(200).set_body_json(bot))
        .mount(&bench.server)
        .await;
    let chat = json!({"name": "Builds", "chat_mode": "group", "chat_status": "normal", "owner_id": "ou_2"});
    Mock::given(path("/open-apis/im/v1/chats/oc_1")).respond_with(ok(&chat)).mount(&bench.server).await;

    let platform = &bench.platform;
    for bad in [Vec::new(), vec![0; IMAGE_MAX + 1]] {
        let error = platform.upload_image(bad).await.unwrap_err();
        assert!(matches!(error, PlatformError::Rejected { rejection: Rejection::BadImage, .. }), "{error}");
    }
    let key = platform.upload_image(b"\x89PNG bytes".to_vec()).await.unwrap();
    assert_eq!(key, ImageKey("img_v3_1".to_owned()));
    let requests = bench.server.received_requests().await.unwrap();
    let upload = requests.iter().find(|request| request.url.path().ends_with("/images")).unwrap();
    let body = String::from_utf8_lossy(&upload.body);
    for part in [
        "name=\"image_type\"\r\n\r\nmessage\r\n",
        "name=\"image\"; filename=\"image\"",
        "\u{fffd}PNG bytes\r\n",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }

    let bot = platform.bot_info().await.unwrap();
    let expected =
        BotInfo { name: "Larkspan".to_owned(), open_id: "ou_1".to_owned(), status: BotStatus::Enabled };
    assert_eq!(bot, expected);
    let chat = platform.chat(&ChatKey("oc_1".to_owned())).await.unwrap();
    assert_eq!((chat.name.as_str(), chat.mode.as_str(), chat.status.as_str()), ("Builds", "group", "normal"));
}

#[tokio::test]
async fn one_token_serves_until_half_an_hour_is_left() {
    let bench = without_token().await;
    bench.gives_tokens(&["t-1", "t-2"], 2).await;
    bench.answers(ok(&json!({"card_id": "1"}))).await;
    let card = json!({});
    let (a, b, c) = tokio::join!(
        bench.platform.create(&card),
        bench.platform.create(&card),
        bench.platform.create(&card)
    );
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    bench.clock.advance(Duration::from_mins(91));
    bench.platform.create(&card).await.unwrap();
    let requests = bench.server.received_requests().await.unwrap();
    let tokens: Vec<_> =
        requests.iter().filter_map(|request| request.headers.get("authorization")?.to_str().ok()).collect();
    assert_eq!(tokens, ["Bearer t-1", "Bearer t-1", "Bearer t-1", "Bearer t-2"]);
}

#[tokio::test]
async fn a_refused_token_is_replaced_and_the_same_call_made_once_more() {
    for code in codes::TOKEN {
        let bench = without_token().await;
        bench.gives_tokens(&["t-1", "t-2"], 2).await;
        Mock::given(header("authorization", "Bearer t-1"))
            .respond_with(ResponseTemplate::new(400).set_body_json(json!({"code": code, "msg": "token"})))
            .expect(1)
            .mount(&bench.server)
            .await;
        Mock::given(header("authorization", "Bearer t-2"))
            .and(body_json(json!({"content": "text", "sequence": 7, "uuid": "u-7"})))
            .respond_with(ok(&json!({})))
            .expect(1)
            .mount(&bench.server)
            .await;
        bench.platform.content(&CardKey("1".to_owned()), "e", "text", &stamp()).await.unwrap();
    }
}

#[tokio::test]
async fn a_token_that_is_refused_twice_is_told_and_not_tried_a_third_time() {
    let bench = without_token().await;
    bench.gives_tokens(&["t-1", "t-2"], 2).await;
    Mock::given(path("/open-apis/cardkit/v1/cards"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({"code": 99_991_663, "msg": "bad t-2"})))
        .expect(2)
        .mount(&bench.server)
        .await;
    let error = bench.platform.create(&json!({})).await.unwrap_err();
    assert!(matches!(error, PlatformError::Rejected { rejection: Rejection::Credentials, .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains("t-2"), "{error:?}");
}

#[tokio::test]
async fn wrong_credentials_say_what_to_check_and_show_no_secret() {
    for (status, code) in [(200, 10_003), (400, 10_014), (200, 10_002), (400, 4711)] {
        let bench = without_token().await;
        let body = json!({"code": code, "msg": format!("app secret {SECRET} invalid")});
        bench.answers(ResponseTemplate::new(status).set_body_json(body)).await;
        let error = bench.platform.create(&json!({})).await.unwrap_err();
        assert!(
            matches!(error, PlatformError::Rejected { rejection: Rejection::Credentials, .. }),
            "{error}"
        );
        let shown = format!("{error} {error:?} {:?}", bench.platform);
        assert!(!shown.contains(SECRET), "{shown}");
        assert!(shown.contains("secret") && shown.contains("check"), "{shown}");
    }
}

#[tokio::test]
async fn answers_that_say_nothing_are_unknown_and_limits_wait() {
    for (response, expected) in [
        (ResponseTemplate::new(502).set_body_string("<html>"), "Unknown"),
        (ResponseTemplate::new(200).set_body_string("{\"code\":0,\"da"), "Unknown"),
        (ResponseTemplate::new(200).set_body_string("x".repeat(2 * 1024 * 1024)), "Unknown"),
        (ResponseTemplate::new(302).insert_header("location", "https://elsewhere.example/"), "Unknown"),
        (ok(&json!({})), "Unknown"),
        (
            ResponseTemplate::new(429).insert_header("x-ogw-ratelimit-reset", "3"),
            "RateLimited { retry_after: 3s }",
        ),
        (
            ResponseTemplate::new(400).set_body_json(json!({"code": 300_305, "msg": "m"})),
            "Rejected { rejection: TooLarge",
        ),
    ] {
        let bench = bench().await;
        bench.answers(response).await;
        let error = bench.platform.create(&json!({})).await.unwrap_err();
        assert!(format!("{error:?}").starts_with(expected), "{error:?}");
    }
}

#[tokio::test]
async fn what_never_arrived_is_told_from_what_may_have() {
    // Nobody listens: nothing was applied.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = platform(&base, Duration::from_secs(15), &clock()).create(&json!({})).await.unwrap_err();
    assert!(matches!(error, PlatformError::Unreachable { .. }), "{error:?}");

    // The connection ends after the request was read: it may have been applied.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        for answer in ["", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"code\":0"] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).await.unwrap() > 0);
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        // No answer at all, until the client goes.
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
    });
    let card = json!({});
    for timeout in [15_000, 15_000, 100] {
        let platform = platform(&base, Duration::from_millis(timeout), &clock());
        let error = platform.create(&card).await.unwrap_err();
        assert!(matches!(error, PlatformError::Unknown { .. }), "{error:?}");
    }
    server.await.unwrap();
}

#[tokio::test]
async fn an_id_cannot_lead_to_another_path() {
    let bench = bench().await;
    bench.answers(ok(&json!({}))).await;
    let settings = json!({"config": {}});
    bench.platform.settings(&CardKey("../../im?x#y".to_owned()), &settings, &stamp()).await.unwrap();
    let requests = bench.server.received_requests().await.unwrap();
    let path = requests.last().unwrap().url.path();
    assert_eq!(path, "/open-apis/cardkit/v1/cards/..%2F..%2Fim%3Fx%23y/settings");
    for bad in ["", ".", ".."] {
        let error = bench.platform.settings(&CardKey(bad.to_owned()), &settings, &stamp()).await.unwrap_err();
        assert!(matches!(error, PlatformError::Rejected { rejection: Rejection::Defect, .. }), "{error}");
    }
}
