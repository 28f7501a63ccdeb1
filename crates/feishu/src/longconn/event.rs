//! What the platform tells, in types.
//!
//! Shapes: official documentation of `im.message.receive_v1`, `card.action.trigger`, `im.chat.member.bot.deleted_v1`,
//! `im.chat.disbanded_v1`. Nothing is lost: an event of another kind, or one that lacks what its kind must have, is
//! [`Event::Other`] with everything that it said.

use larkspan_core::time::Timestamp;
use secrecy::SecretString;
use serde_json::Value;

use crate::platform::{ChatKey, MessageKey};

/// Something that happened on the platform.
#[derive(Debug, Clone)]
pub enum Event {
    /// Somebody wrote (`im.message.receive_v1`).
    Message(Box<MessageReceived>),
    /// Somebody used a card (`card.action.trigger`). It was answered already.
    Action(Box<CardAction>),
    /// The bot was removed from a chat (`im.chat.member.bot.deleted_v1`).
    BotRemoved(ChatEvent),
    /// A chat was dissolved (`im.chat.disbanded_v1`).
    ChatDisbanded(ChatEvent),
    /// Anything else.
    Other(OtherEvent),
}

/// A message that somebody wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageReceived {
    /// The event's id; a repetition may have another.
    pub event_id: Option<String>,
    /// The message.
    pub message: MessageKey,
    /// The chat that it is in.
    pub chat: ChatKey,
    /// What kind of chat that is.
    pub chat_kind: ChatKind,
    /// Who wrote it.
    pub sender: UserIds,
    /// `user`, or `app` for another bot.
    pub sender_kind: String,
    /// `text`, `post`, `image`, …
    pub message_kind: String,
    /// What was written.
    pub content: MessageContent,
    /// Who is mentioned; the text has their placeholders.
    pub mentions: Vec<Mention>,
    /// The first message of the replies that this is one of.
    pub root: Option<MessageKey>,
    /// The message that this replies to.
    pub parent: Option<MessageKey>,
    /// The topic (`omt_…`).
    pub thread: Option<String>,
    /// When it was written.
    pub created: Option<Timestamp>,
    /// Whether it was written longer ago than the limit: sent again after an outage. It should not be acted upon unasked.
    pub stale: bool,
}

/// A chat of two, or of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatKind {
    /// A person and the bot (`p2p`).
    Direct,
    /// A group (`group`).
    Group,
    /// As the platform says it.
    Other(String),
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageContent {
    /// Text. Mentions stand in it as [`Mention::key`].
    Text(String),
    /// Of another kind: the content's JSON, or the text itself where it is no JSON.
    Other(Value),
}

/// The ids of a person, as far as the app may see them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserIds {
    /// `ou_…`, this app's.
    pub open_id: Option<String>,
    /// `on_…`, the developer's.
    pub union_id: Option<String>,
    /// The organisation's.
    pub user_id: Option<String>,
}

/// Somebody who is mentioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// What stands in the text (`@_user_1`).
    pub key: String,
    /// Who it is.
    pub who: UserIds,
    /// The name that is shown.
    pub name: String,
}

/// What somebody did to a card.
#[derive(Debug, Clone)]
pub struct CardAction {
    /// The event's id.
    pub event_id: Option<String>,
    /// Who did it.
    pub operator: UserIds,
    /// A credential: changes the card within 30 minutes, twice at most.
    pub token: SecretString,
    /// The component's kind (`button`, `select_static`, …).
    pub tag: String,
    /// The component's name in its form.
    pub name: Option<String>,
    /// What the card put into the component, for this moment.
    pub value: Value,
    /// The form that was submitted: name to value.
    pub form_value: Option<Value>,
    /// What was typed into an input outside of a form.
    pub input_value: Option<String>,
    /// What was chosen.
    pub option: Option<String>,
    /// What was chosen, where more than one may be.
    pub options: Vec<String>,
    /// Whether a checker is on.
    pub checked: Option<bool>,
    /// The message that shows the card.
    pub message: Option<MessageKey>,
    /// The chat it is in.
    pub chat: Option<ChatKey>,
    /// When it was done.
    pub created: Option<Timestamp>,
}

/// Something about a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatEvent {
    /// The chat.
    pub chat: ChatKey,
    /// Its name, where it is told.
    pub name: Option<String>,
}

/// An event of another kind.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherEvent {
    /// `event_type`; empty when it has none.
    pub kind: String,
    /// All of it.
    pub raw: Value,
}

/// An event as it came.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// What a repetition is known by; `None` where nothing tells.
    pub(crate) key: Option<String>,
    pub(crate) event: Event,
}

/// Reads an event. `None`: it is no JSON object.
pub(crate) fn parse(payload: &[u8]) -> Option<Parsed> {
    let raw: Value = serde_json::from_slice(payload).ok().filter(Value::is_object)?;
    let kind = text(&raw, "/header/event_type").or_else(|| text(&raw, "/event/type")).unwrap_or_default();
    let id = text(&raw, "/header/event_id").or_else(|| text(&raw, "/uuid"));
    let mut key = id.as_ref().map(|id| format!("e:{id}"));
    let event = match kind.as_str() {
        "im.message.receive_v1" => message(&raw, id).map(|message| {
            key = Some(format!("m:{}", message.message));
            Event::Message(Box::new(message))
        }),
        "card.action.trigger" => action(&raw, id).map(|action| Event::Action(Box::new(action))),
        "im.chat.member.bot.deleted_v1" => chat(&raw).map(Event::BotRemoved),
        "im.chat.disbanded_v1" => chat(&raw).map(Event::ChatDisbanded),
        _ => None,
    };
    let event = event.unwrap_or_else(|| Event::Other(OtherEvent { kind, raw }));
    Some(Parsed { key, event })
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A time in milliseconds, or in microseconds as callbacks have it; as text or number.
fn time(value: &Value, pointer: &str) -> Option<Timestamp> {
    /// Milliseconds of the year 5138; a larger number is microseconds.
    const MILLIS_MAX: i64 = 100_000_000_000_000;
    let value = value.pointer(pointer)?;
    let number = value.as_i64().or_else(|| value.as_str()?.parse().ok())?;
    let millis = if number > MILLIS_MAX { number / 1000 } else { number };
    (millis > 0).then(|| Timestamp::from_millis(millis))
}

fn user(value: Option<&Value>) -> UserIds {
    let member = |name: &str| text(value?, &format!("/{name}"));
    UserIds { open_id: member("open_id"), union_id: member("union_id"), user_id: member("user_id") }
}

fn message(raw: &Value, event_id: Option<String>) -> Option<MessageReceived> {
    let event = raw.get("event")?;
    let message = event.get("message")?;
    let message_kind = text(message, "/message_type").unwrap_or_default();
    let mentions = message.get("mentions").and_then(Value::as_array).into_iter().flatten();
    Some(MessageReceived {
        event_id,
        message: MessageKey(text(message, "/message_id")?),
        chat: ChatKey(text(message, "/chat_id")?),
        chat_kind: match text(message, "/chat_type").unwrap_or_default().as_str() {
            "p2p" => ChatKind::Direct,
            "group" => ChatKind::Group,
            other => ChatKind::Other(other.to_owned()),
        },
        sender: user(event.pointer("/sender/sender_id")),
        sender_kind: text(event, "/sender/sender_type").unwrap_or_default(),
        content: content(&message_kind, message.get("content").unwrap_or(&Value::Null)),
        message_kind,
        mentions: mentions
            .filter_map(|mention| {
                Some(Mention {
                    key: text(mention, "/key")?,
                    who: user(mention.get("id")),
                    name: text(mention, "/name").unwrap_or_default(),
                })
            })
            .collect(),
        root: text(message, "/root_id").map(MessageKey),
        parent: text(message, "/parent_id").map(MessageKey),
        thread: text(message, "/thread_id"),
        created: time(message, "/create_time").or_else(|| time(raw, "/header/create_time")),
        stale: false,
    })
}

/// The content is JSON in a string.
fn content(kind: &str, content: &Value) -> MessageContent {
    let inner = content.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let content = inner.unwrap_or_else(|| content.clone());
    match content.get("text").and_then(Value::as_str) {
        Some(text) if kind == "text" => MessageContent::Text(text.to_owned()),
        _ => MessageContent::Other(content),
    }
}

fn action(raw: &Value, event_id: Option<String>) -> Option<CardAction> {
    let event = raw.get("event")?;
    let action = event.get("action")?;
    let options = action.get("options").and_then(Value::as_array).into_iter().flatten();
    Some(CardAction {
        event_id,
        operator: user(event.get("operator")),
        token: text(event, "/token").unwrap_or_default().into(),
        tag: text(action, "/tag").unwrap_or_default(),
        name: text(action, "/name"),
        value: action.get("value").cloned().unwrap_or_default(),
        form_value: action.get("form_value").filter(|form| !form.is_null()).cloned(),
        input_value: action.get("input_value").and_then(Value::as_str).map(str::to_owned),
        option: text(action, "/option"),
        options: options.filter_map(Value::as_str).map(str::to_owned).collect(),
        checked: action.get("checked").and_then(Value::as_bool),
        message: text(event, "/context/open_message_id").map(MessageKey),
        chat: text(event, "/context/open_chat_id").map(ChatKey),
        created: time(raw, "/header/create_time"),
    })
}

fn chat(raw: &Value) -> Option<ChatEvent> {
    let event = raw.get("event")?;
    Some(ChatEvent { chat: ChatKey(text(event, "/chat_id")?), name: text(event, "/name") })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;
    use secrecy::ExposeSecret as _;
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Parsed {
        parse(value.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_message_is_read() {
        let raw = json!({
            "schema": "2.0",
            "header": {"event_id": "ev1", "event_type": "im.message.receive_v1", "create_time": "1800000000999"},
            "event": {
                "sender": {"sender_id": {"open_id": "ou_1", "union_id": "on_1", "user_id": null}, "sender_type": "user"},
                "message": {
                    "message_id": "om_1", "root_id": "om_0", "parent_id": "om_0", "thread_id": "omt_1",
                    "create_time": "1800000000000", "chat_id": "oc_1", "chat_type": "group", "message_type": "text",
                    "content": "{\"text\":\"@_user_1 go \\\"on\\\"\"}",
                    "mentions": [{"key": "@_user_1", "id": {"open_id": "ou_bot"}, "name": "Larkspan"}, {"id": {}}],
                },
            },
        });
        let parsed = read(&raw);
        assert_eq!(parsed.key.as_deref(), Some("m:om_1"));
        let Event::Message(message) = parsed.event else { panic!("{:?}", parsed.event) };
        let ids = |open: &str, union: Option<&str>| UserIds {
            open_id: Some(open.to_owned()),
            union_id: union.map(str::to_owned),
            user_id: None,
        };
        let expected = MessageReceived {
            event_id: Some("ev1".to_owned()),
            message: MessageKey("om_1".to_owned()),
            chat: ChatKey("oc_1".to_owned()),
            chat_kind: ChatKind::Group,
            sender: ids("ou_1", Some("on_1")),
            sender_kind: "user".to_owned(),
            message_kind: "text".to_owned(),
            content: MessageContent::Text("@_user_1 go \"on\"".to_owned()),
            mentions: vec![Mention {
                key: "@_user_1".to_owned(),
                who: ids("ou_bot", None),
                name: "Larkspan".to_owned(),
            }],
            root: Some(MessageKey("om_0".to_owned())),
            parent: Some(MessageKey("om_0".to_owned())),
            thread: Some("omt_1".to_owned()),
            created: Some(Timestamp::from_millis(1_800_000_000_000)),
            stale: false,
        };
        assert_eq!(*message, expected);
    }

    #[test]
    fn contents_are_text_or_what_they_are() {
        let other = |value| MessageContent::Other(value);
        for (kind, told, expected) in [
            ("text", json!("{\"text\":\"a\"}"), MessageContent::Text("a".to_owned())),
            ("text", json!("{\"text\":\"\"}"), MessageContent::Text(String::new())),
            ("text", json!("plain"), other(json!("plain"))),
            ("image", json!("{\"image_key\":\"img_1\"}"), other(json!({"image_key": "img_1"}))),
            ("post", json!("{\"text\":\"a\"}"), other(json!({"text": "a"}))),
            ("text", Value::Null, other(Value::Null)),
        ] {
            assert_eq!(content(kind, &told), expected, "{kind} {told}");
        }
    }

    #[test]
    fn a_card_action_is_read_and_its_token_is_not_shown() {
        let raw = json!({
            "schema": "2.0",
            "header": {"event_id": "ev2", "event_type": "card.action.trigger", "create_time": "1800000000000123"},
            "event": {
                "operator": {"open_id": "ou_1", "union_id": "on_1"}, "token": "c-secret", "host": "im_message",
                "action": {
                    "tag": "button", "name": "ok", "value": {"request": "r1"}, "form_value": {"why": ["a", "b"]},
                    "options": ["x", "y"], "option": "x", "checked": true, "input_value": "",
                },
                "context": {"open_message_id": "om_1", "open_chat_id": "oc_1"},
            },
        });
        let parsed = read(&raw);
        assert_eq!(parsed.key.as_deref(), Some("e:ev2"));
        assert!(!format!("{parsed:?}").contains("c-secret"));
        let Event::Action(action) = parsed.event else { panic!("{:?}", parsed.event) };
        assert_eq!(action.token.expose_secret(), "c-secret");
        assert_eq!((action.tag.as_str(), action.name.as_deref()), ("button", Some("ok")));
        assert_eq!(
            (&action.value, &action.form_value),
            (&json!({"request": "r1"}), &Some(json!({"why": ["a", "b"]})))
        );
        assert_eq!(
            (action.option.as_deref(), action.options.len(), action.checked),
            (Some("x"), 2, Some(true))
        );
        assert_eq!(action.input_value.as_deref(), Some(""));
        assert_eq!(action.message, Some(MessageKey("om_1".to_owned())));
        assert_eq!(action.chat, Some(ChatKey("oc_1".to_owned())));
        assert_eq!(action.created, Some(Timestamp::from_millis(1_800_000_000_000)));
    }

    #[test]
    fn the_others_are_told_apart_and_kept() {
        let of = |kind: &str, event: Value| json!({"header": {"event_type": kind, "event_id": "e"}, "event": event});
        let gone = json!({"chat_id": "oc_1", "name": "Builds"});
        for (raw, expected) in [
            (of("im.chat.member.bot.deleted_v1", gone.clone()), "BotRemoved"),
            (of("im.chat.disbanded_v1", gone), "ChatDisbanded"),
            (of("im.chat.disbanded_v1", json!({})), "Other"),
            (of("im.message.receive_v1", json!({"message": {"chat_id": "oc_1"}})), "Other"),
            (of("card.action.trigger", Value::Null), "Other"),
            (of("im.message.message_read_v1", json!({})), "Other"),
        ] {
            let parsed = read(&raw);
            assert!(format!("{:?}", parsed.event).starts_with(expected), "{raw} {:?}", parsed.event);
            assert_eq!(parsed.key.as_deref(), Some("e:e"));
            if let Event::Other(other) = parsed.event {
                assert_eq!(other.raw, raw);
            }
        }
        // The old form, and one that tells nothing.
        let old = read(&json!({"uuid": "u", "event": {"type": "message"}}));
        assert_eq!(old.key.as_deref(), Some("e:u"));
        assert!(matches!(old.event, Event::Other(other) if other.kind == "message"));
        assert_eq!(read(&json!({})).key, None);
        for bad in ["", "[]", "1", "{"] {
            assert!(parse(bad.as_bytes()).is_none(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_an_event_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = parse(&bytes);
        }
    }
}
