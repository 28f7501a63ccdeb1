//! The fake itself: each code, the order of the checks, the toggles, the faults, the clocks, the frames.

mod cards;
mod connection;
mod faults;
mod messages;
mod order;
mod reading;
mod streaming;
mod validation;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{FakeFeishu, Rates, Settings, Time};

/// An answer of the fake.
#[derive(Debug)]
struct Reply {
    status: u16,
    headers: BTreeMap<String, String>,
    text: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    fn code(&self) -> u64 {
        self.json()["code"].as_u64().unwrap()
    }

    fn data(&self) -> Value {
        assert_eq!(self.code(), 0, "{}", self.text);
        self.json()["data"].clone()
    }

    fn text_at(&self, pointer: &str) -> String {
        self.json()
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("{}", self.text))
            .to_owned()
    }
}

/// A fake and somebody who calls it, a connection a call.
struct Client {
    fake: FakeFeishu,
    token: String,
}

/// Settings on a clock that stands still, without rates.
fn still() -> Settings {
    Settings { time: Time::Virtual, rates: Rates::unlimited(), ..Settings::default() }
}

impl Client {
    async fn new(settings: Settings) -> Self {
        let mut client = Self { fake: FakeFeishu::start(settings).await.unwrap(), token: String::new() };
        client.token = client.sign_in("cli_fake", "fake-secret").await;
        client
    }

    async fn sign_in(&self, id: &str, secret: &str) -> String {
        let body = json!({"app_id": id, "app_secret": secret});
        let reply = self.call("POST", "/open-apis/auth/v3/tenant_access_token/internal", &body).await;
        reply.text_at("/tenant_access_token")
    }

    /// `None` when the connection broke.
    async fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Reply> {
        let mut stream = TcpStream::connect(self.fake.address).await.unwrap();
        let headers: Vec<String> =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let (headers, length) = (headers.concat(), body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: fake\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body).await.unwrap();
        let mut bytes = Vec::new();
        // A connection that is reset has no answer.
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8(bytes).unwrap();
        let (head, text) = text.split_once("\r\n\r\n")?;
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        Some(Reply { status, headers, text: text.to_owned() })
    }

    async fn try_call(&self, method: &str, path: &str, body: &Value) -> Option<Reply> {
        let bearer = format!("Bearer {}", self.token);
        let headers =
            [("authorization", bearer.as_str()), ("content-type", "application/json; charset=utf-8")];
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.raw(method, path, &headers, body.as_bytes()).await
    }

    async fn call(&self, method: &str, path: &str, body: &Value) -> Reply {
        self.try_call(method, path, body).await.unwrap()
    }

    async fn create(&self, card: &Value) -> Reply {
        let body = json!({"type": "card_json", "data": card.to_string()});
        self.call("POST", "/open-apis/cardkit/v1/cards", &body).await
    }

    /// The id of a new card.
    async fn card(&self, card: &Value) -> String {
        self.create(card).await.text_at("/data/card_id")
    }

    async fn on_card(&self, method: &str, card: &str, rest: &str, body: &Value) -> Reply {
        self.call(method, &format!("/open-apis/cardkit/v1/cards/{card}{rest}"), body).await
    }

    async fn update(&self, card: &str, json: &Value, sequence: i64) -> Reply {
        let body = json!({"card": {"type": "card_json", "data": json.to_string()}, "sequence": sequence});
        self.on_card("PUT", card, "", &body).await
    }

    async fn settings(&self, card: &str, settings: &Value, sequence: i64) -> Reply {
        let body = json!({"settings": settings.to_string(), "sequence": sequence});
        self.on_card("PATCH", card, "/settings", &body).await
    }

    async fn stream(&self, card: &str, mode: bool, sequence: i64) -> Reply {
        self.settings(card, &json!({"config": {"streaming_mode": mode}}), sequence).await
    }

    async fn content(&self, card: &str, text: &str, sequence: i64) -> Reply {
        let body = json!({"content": text, "sequence": sequence});
        self.on_card("PUT", card, "/elements/text/content", &body).await
    }

    async fn batch(&self, card: &str, actions: &Value, sequence: i64) -> Reply {
        let body = json!({"actions": actions.to_string(), "sequence": sequence});
        self.on_card("POST", card, "/batch_update", &body).await
    }

    async fn send_with(&self, chat: &str, kind: &str, content: &Value, uuid: Option<&str>) -> Reply {
        let mut body = json!({"receive_id": chat, "msg_type": kind, "content": content.to_string()});
        if let Some(uuid) = uuid {
            body["uuid"] = json!(uuid);
        }
        self.call("POST", "/open-apis/im/v1/messages?receive_id_type=chat_id", &body).await
    }

    async fn send(&self, chat: &str, kind: &str, content: &Value) -> Reply {
        self.send_with(chat, kind, content, None).await
    }

    async fn send_card(&self, card: &str) -> Reply {
        self.send("oc_main", "interactive", &entity(card)).await
    }

    fn advance(&self, seconds: u64) {
        self.fake.advance(Duration::from_secs(seconds));
    }
}

/// What a message says that shows a card entity.
fn entity(card: &str) -> Value {
    json!({"type": "card", "data": {"card_id": card}})
}

fn markdown(id: &str, content: &str) -> Value {
    json!({"tag": "markdown", "element_id": id, "content": content})
}

fn panel(id: &str, elements: &[Value]) -> Value {
    json!({
        "tag": "collapsible_panel", "element_id": id, "elements": elements,
        "header": {"title": {"tag": "markdown", "content": "a title"}},
    })
}

fn card_of(elements: &[Value]) -> Value {
    json!({
        "schema": "2.0", "config": {"update_multi": true, "streaming_mode": true},
        "body": {"elements": elements},
    })
}

/// A card that streams, with a text, a panel, and a line.
fn simple() -> Value {
    card_of(&[
        markdown("text", "hello"),
        panel("panel", &[markdown("inner", "inside")]),
        json!({"tag": "hr", "element_id": "line"}),
    ])
}

/// The error code of a message about a card.
fn inner_code(reply: &Reply) -> (u64, String) {
    let text = reply.text_at("/msg");
    let inner = text.split("ErrCode: ").nth(1).and_then(|rest| rest.split(';').next()).unwrap_or_default();
    (reply.code(), inner.to_owned())
}
