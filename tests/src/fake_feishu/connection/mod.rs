//! The long connection: frames, who is connected, what was pushed, what came back.

pub(super) mod frame;
pub(super) mod hub;
pub(super) mod push;
pub(super) mod socket;

use std::time::Duration;

use serde_json::{Value, json};

use super::FakeFeishu;
use super::refusal::Refusal;
pub use push::{Ack, Attempt, Delivery, Order, Push, PushId};

/// What a client of the long connection gets to see instead of the usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pongs {
    /// A pong with the configuration.
    #[default]
    WithConfig,
    /// A pong without anything.
    Empty,
    /// None.
    Withheld,
}

/// Whether a connection brings what is pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hearing {
    /// It does.
    #[default]
    Good,
    /// It looks alive and brings nothing.
    Deaf,
}

/// The fake's long connection, as a test works it.
#[derive(Debug, Clone, Copy)]
pub struct LongConnection<'a>(pub(super) &'a FakeFeishu);

impl LongConnection<'_> {
    /// How many clients are connected now.
    pub fn connections(&self) -> usize {
        self.0.shared.lock().hub.connections()
    }

    /// How many were ever connected.
    pub fn connected_ever(&self) -> usize {
        self.0.shared.lock().hub.connected_ever()
    }

    /// Pings that came in, and what was wrong with them or with other frames.
    pub fn pings(&self) -> usize {
        self.0.shared.lock().hub.pings
    }

    /// Every rule of the protocol that a client broke.
    pub fn broken_rules(&self) -> Vec<String> {
        self.0.shared.lock().hub.broken.clone()
    }

    /// Returns once so many clients are connected.
    pub async fn connected(&self, count: usize) {
        self.0.until(|fake| fake.long_connection().connections() == count).await;
    }

    /// Pushes an event or a callback to one client. With nobody connected, the attempt counts as failed.
    pub fn push(&self, push: Push) -> PushId {
        let shared = &self.0.shared;
        let now = shared.clock.now();
        let id = {
            let mut platform = shared.lock();
            let number = platform.next_id();
            platform.hub.push(push, number, now)
        };
        shared.changed();
        id
    }

    /// A user writes in a chat: the message exists, and its event is pushed.
    pub fn push_message(&self, chat: &str, user: &str, text: &str) -> (String, PushId) {
        let message = self.0.user_says(chat, user, text);
        let event = self.message_event(&message, chat, user, text);
        (message, self.push(Push::event(event)))
    }

    /// `im.message.receive_v1` for a message, with an `event_id` of its own each time.
    pub fn message_event(&self, message: &str, chat: &str, user: &str, text: &str) -> Value {
        let shared = &self.0.shared;
        let millis = shared.clock.unix_millis(shared.clock.now()).to_string();
        let event_id = format!("ev_{:08}", shared.lock().next_id());
        json!({
            "schema": "2.0",
            "header": {"event_id": event_id, "event_type": "im.message.receive_v1", "create_time": millis,
                "token": "", "app_id": self.0.app_id(), "tenant_key": "fake"},
            "event": {
                "sender": {"sender_id": {"open_id": user, "union_id": format!("on_{user}"), "user_id": ""},
                    "sender_type": "user", "tenant_key": "fake"},
                "message": {"message_id": message, "create_time": millis, "update_time": millis,
                    "chat_id": chat, "chat_type": "group", "message_type": "text",
                    "content": json!({"text": text}).to_string()},
            },
        })
    }

    /// `card.action.trigger` for a click on a card's message, with the value of the button.
    pub fn click_event(&self, message: &str, chat: &str, user: &str, value: &Value) -> Value {
        let shared = &self.0.shared;
        let micros = (shared.clock.unix_millis(shared.clock.now()) * 1000).to_string();
        let number = shared.lock().next_id();
        json!({
            "schema": "2.0",
            "header": {"event_id": format!("ev_{number:08}"), "event_type": "card.action.trigger",
                "create_time": micros, "token": "", "app_id": self.0.app_id(), "tenant_key": "fake"},
            "event": {
                "operator": {"open_id": user, "union_id": format!("on_{user}"), "tenant_key": "fake"},
                "token": format!("c-{number:08}"),
                "action": {"tag": "button", "value": value},
                "host": "im_message",
                "context": {"open_message_id": message, "open_chat_id": chat},
            },
        })
    }

    /// What became of a push.
    pub fn delivery(&self, id: PushId) -> Option<Delivery> {
        self.0.shared.lock().hub.delivery(id)
    }

    /// What became of all pushes.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.0.shared.lock().hub.deliveries()
    }

    /// Returns the first ack of a push, once it is there.
    pub async fn acked(&self, id: PushId) -> Option<Ack> {
        let first = |fake: &FakeFeishu| {
            let delivery = fake.long_connection().delivery(id)?;
            delivery.attempts.into_iter().find_map(|attempt| attempt.ack)
        };
        let known = self.delivery(id).is_some();
        if known {
            self.0.until(|fake| first(fake).is_some()).await;
        }
        first(self.0)
    }

    /// How pings are answered from now on.
    pub fn set_pongs(&self, pongs: Pongs) {
        self.0.shared.lock().hub.pongs = pongs;
    }

    /// Whether pushes arrive from now on.
    pub fn set_hearing(&self, hearing: Hearing) {
        self.0.shared.lock().hub.hearing = hearing;
    }

    /// Breaks all connections, without a word.
    pub fn drop_connections(&self) {
        self.0.shared.lock().hub.end_all(&hub::Out::Drop);
    }

    /// Closes all connections as the protocol has it.
    pub fn close_connections(&self) {
        self.0.shared.lock().hub.end_all(&hub::Out::Close);
    }

    /// The endpoint answers with this code from now on; `None` for the address again.
    pub fn refuse_endpoint(&self, code: Option<u32>) {
        self.0.shared.lock().hub.refused = code.map(|code| Refusal::new(code, "refused by the test"));
    }

    /// Connections themselves are refused with this `Handshake-Autherrcode` from now on.
    pub fn refuse_handshake(&self, code: Option<u32>) {
        self.0.shared.lock().hub.refused_handshake = code;
    }

    /// The time within which an ack counts.
    pub fn ack_deadline() -> Duration {
        hub::ACK_DEADLINE
    }
}
