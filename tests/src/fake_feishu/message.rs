//! Messages and reactions: sending, replying, patching, reacting.
//!
//! Invariants
//! - A uuid delivers once in an hour; the repeated call gets the same message.
//! - A card entity is sent once.

use std::time::Duration;

use serde_json::{Value, json};

use super::card::entity::LIFETIME;
use super::card::operation::Fields;
use super::card::validate::{audit, validate};
use super::endpoint::{Endpoint, Route};
use super::platform::{Moment, Platform, Request, body_of, success};
use super::refusal::{Refusal, code};
use super::settings::{App, BotAbility, EntityPatch, Membership};

/// How long a uuid is known.
const UUID_LIFETIME: Duration = Duration::from_hours(1);
/// The longest uuid of a message.
const UUID_LENGTH: usize = 50;
/// The largest text, in bytes.
const MAX_TEXT: usize = 150 * 1024;
/// The largest card or post, in bytes.
const MAX_CARD: usize = 30 * 1024;

/// Emoji that may stand under a message; some of the documented ones.
const EMOJI: &[&str] = &[
    "OK",
    "THUMBSUP",
    "THANKS",
    "MUSCLE",
    "FINGERHEART",
    "APPLAUSE",
    "FISTBUMP",
    "JIAYI",
    "DONE",
    "SMILE",
    "BLUSH",
    "LAUGH",
    "SMIRK",
    "LOL",
    "FACEPALM",
    "LOVE",
    "WINK",
    "PROUD",
    "WITTY",
    "SMART",
    "SCOWL",
    "THINKING",
    "SOB",
    "CRY",
    "ERROR",
    "NOSEPICK",
    "HAUGHTY",
    "SLAP",
    "SPITBLOOD",
    "TOASTED",
    "GLANCE",
    "DULL",
    "WAIL",
    "EMBARRASSED",
    "OnIt",
    "OneSecond",
    "Typing",
    "Get",
    "LGTM",
    "CheckMark",
    "CrossMark",
    "Hundred",
    "HEART",
    "PARTY",
    "ROSE",
    "FIREWORKS",
    "Alarm",
    "StatusFlashOfInspiration",
    "StatusReading",
    "GoGoGo",
    "ThumbsDown",
    "WAVE",
    "SALUTE",
];

/// What a message holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A text.
    Text(String),
    /// A card entity, by its id.
    Card(String),
    /// A card that is in the message itself.
    Inline(Value),
    /// Something else: its type and its JSON.
    Other(String, Value),
}

/// Whether a message is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    Present,
    /// Recalled by its sender.
    Recalled,
    /// Deleted.
    Deleted,
}

/// A message in a chat.
#[derive(Debug, Clone)]
pub struct Message {
    /// As in `om_…`.
    pub id: String,
    /// Its chat.
    pub chat: String,
    /// The app or the user that sent it.
    pub sender: String,
    /// The message that it replies to.
    pub reply_to: Option<String>,
    /// The uuid that it was sent with.
    pub uuid: Option<String>,
    /// What it holds.
    pub content: Content,
    /// When it came.
    pub at: Duration,
    /// Whether it is still there.
    pub presence: Presence,
    /// What stands under it.
    pub reactions: Vec<Reaction>,
}

/// A reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// What its deletion names.
    pub id: String,
    /// As in `DONE`.
    pub emoji: String,
    /// Who set it.
    pub by: String,
}

impl Message {
    fn new(id: String, chat: String, sender: String, content: Content, at: Duration) -> Self {
        let (reply_to, uuid, reactions) = (None, None, Vec::new());
        Self { id, chat, sender, reply_to, uuid, content, at, presence: Presence::Present, reactions }
    }
}

fn bad(why: impl Into<String>) -> Refusal {
    Refusal::new(code::BAD_MESSAGE, why)
}

impl Platform {
    /// Somebody writes in a chat.
    pub(super) fn user_message(&mut self, chat: &str, user: &str, text: &str, now: Duration) -> String {
        let id = format!("om_user_{:08}", self.next_id());
        let content = Content::Text(text.to_owned());
        self.messages.push(Message::new(id.clone(), chat.to_owned(), user.to_owned(), content, now));
        id
    }

    /// The message, if it is still there.
    fn present(&mut self, id: Option<&str>) -> Result<&mut Message, Refusal> {
        let message = self.messages.iter_mut().find(|message| Some(message.id.as_str()) == id);
        let message = message.ok_or_else(|| Refusal::new(code::NO_MESSAGE, "message not found"))?;
        match message.presence {
            Presence::Present => Ok(message),
            Presence::Recalled => Err(Refusal::new(code::RECALLED, "the message is recalled")),
            Presence::Deleted => Err(Refusal::new(code::DELETED, "the message is deleted")),
        }
    }

    pub(super) fn send(
        &mut self,
        route: &Route,
        request: &Request,
        app: &App,
        at: Moment,
    ) -> Result<Value, Refusal> {
        let mut fields = Fields::of(body_of(request)?)?;
        let kind = fields.text("msg_type", 50)?;
        let content = fields.text("content", usize::MAX)?;
        let uuid = fields.optional("uuid", UUID_LENGTH)?;
        let receiver = if route.endpoint == Endpoint::MessageSend {
            Some(fields.text("receive_id", 100)?)
        } else {
            let in_thread = fields.maybe("reply_in_thread");
            if in_thread.is_some_and(|value| !value.is_boolean()) {
                return Err(Refusal::field("reply_in_thread must be true or false"));
            }
            None
        };
        fields.end()?;
        let content: Value =
            serde_json::from_str(&content).map_err(|_| bad("content is not a string of JSON"))?;
        if app.bot == BotAbility::Missing {
            return Err(Refusal::new(code::NO_BOT, "the app has no bot ability"));
        }
        let (chat, reply_to) = match &receiver {
            Some(receiver) => (self.chat_of(request, receiver)?, None),
            None => {
                let parent = self.present(route.message.as_deref())?;
                (parent.chat.clone(), Some(parent.id.clone()))
            }
        };
        self.in_chat(&chat)?;
        if let Some(sent) = self.delivered(uuid.as_deref(), &app.id, at.now) {
            return Ok(success(&self.described(sent, at)));
        }
        let content = self.content(&kind, content, &app.id, at.now)?;
        let id = format!("om_{:08}", self.next_id());
        if let Content::Card(card) = &content
            && let Some(card) = self.cards.get_mut(card)
        {
            card.message = Some(id.clone());
        }
        let message = Message::new(id, chat, app.id.clone(), content, at.now);
        self.messages.push(Message { reply_to, uuid, ..message });
        Ok(success(&self.described(self.messages.len() - 1, at)))
    }

    /// The chat that a message goes to.
    fn chat_of(&self, request: &Request, receiver: &str) -> Result<String, Refusal> {
        match request.query.get("receive_id_type").map(String::as_str) {
            Some("chat_id") => Ok(receiver.to_owned()),
            Some("open_id") if self.settings.users.iter().any(|user| user == receiver) => {
                Ok(format!("oc_p2p_{receiver}"))
            }
            Some("open_id") => {
                Err(Refusal::new(code::USER_OUT_OF_RANGE, "bot has no availability to this user"))
            }
            Some(other) => Err(bad(format!("receive_id_type {other} is not of the fake"))),
            None => Err(Refusal::field("receive_id_type is required")),
        }
    }

    fn in_chat(&self, id: &str) -> Result<(), Refusal> {
        if id.starts_with("oc_p2p_") {
            return Ok(());
        }
        match self.settings.chats.iter().find(|chat| chat.id == id).map(|chat| chat.bot) {
            Some(Membership::Member) => Ok(()),
            Some(Membership::Outside) => {
                Err(Refusal::new(code::NOT_IN_CHAT, "bot can NOT be out of the chat"))
            }
            None => Err(bad("invalid receive_id")),
        }
    }

    /// The message that a uuid delivered, by its place.
    fn delivered(&self, uuid: Option<&str>, app: &str, now: Duration) -> Option<usize> {
        let uuid = uuid?;
        self.messages.iter().position(|message| {
            message.uuid.as_deref() == Some(uuid)
                && message.sender == app
                && now.saturating_sub(message.at) < UUID_LIFETIME
        })
    }

    fn described(&self, place: usize, at: Moment) -> Value {
        let Some(message) = self.messages.get(place) else { return Value::Null };
        let mut data = json!({
            "message_id": message.id, "chat_id": message.chat, "deleted": false, "updated": false,
            "create_time": at.unix_millis.to_string(), "update_time": at.unix_millis.to_string(),
            "sender": {"id": message.sender, "id_type": "app_id", "sender_type": "app", "tenant_key": "fake"},
        });
        if let Some(parent) = &message.reply_to {
            data["root_id"] = json!(parent);
            data["parent_id"] = json!(parent);
        }
        data
    }

    /// What a message holds, if it may.
    fn content(&self, kind: &str, content: Value, app: &str, now: Duration) -> Result<Content, Refusal> {
        let limit = if kind == "text" { MAX_TEXT } else { MAX_CARD };
        if content.to_string().len() > limit {
            return Err(Refusal::new(code::MESSAGE_TOO_LONG, "the message content is over the limit"));
        }
        match kind {
            "text" => {
                let text = content.get("text").and_then(Value::as_str).filter(|text| !text.is_empty());
                let text = text.ok_or_else(|| bad("a text message needs a text"))?;
                audit(text, &self.settings.toggles)?;
                Ok(Content::Text(text.to_owned()))
            }
            "interactive" => self.card_content(content, app, now).map_err(Refusal::in_message),
            "post" | "image" | "file" => Ok(Content::Other(kind.to_owned(), content)),
            other => Err(bad(format!("msg_type {other} is not supported"))),
        }
    }

    fn card_content(&self, content: Value, app: &str, now: Duration) -> Result<Content, Refusal> {
        if content.get("type").and_then(Value::as_str) != Some("card") {
            validate(&content, &self.rules())?;
            return Ok(Content::Inline(content));
        }
        let invalid = |why: &str| Refusal::new(code::CARD_LIMIT, format!("cardid is invalid ({why})"));
        let id = content.pointer("/data/card_id").and_then(Value::as_str).unwrap_or_default();
        let card = self.cards.get(id).ok_or_else(|| invalid("unknown"))?;
        card.admit(app, now)?;
        if now < card.created_at + self.settings.toggles.card_visible_after {
            return Err(invalid("not yet visible"));
        }
        if card.message.is_some() {
            return Err(invalid("already sent"));
        }
        Ok(Content::Card(id.to_owned()))
    }

    pub(super) fn patch_message(
        &mut self,
        route: &Route,
        request: &Request,
        app: &str,
        now: Duration,
    ) -> Result<Value, Refusal> {
        let mut fields = Fields::of(body_of(request)?)?;
        let content = fields.text("content", usize::MAX)?;
        fields.end()?;
        let content: Value =
            serde_json::from_str(&content).map_err(|_| bad("content is not a string of JSON"))?;
        let entity_patch = self.settings.toggles.entity_patch;
        let message = self.present(route.message.as_deref())?;
        if message.sender != app {
            return Err(bad("only the sender may update a message"));
        }
        if now.saturating_sub(message.at) >= LIFETIME {
            return Err(Refusal::new(code::MESSAGE_EXPIRED, "the message is older than 14 days"));
        }
        match (&message.content, entity_patch) {
            (Content::Card(_), EntityPatch::SilentNoOp) => return Ok(success(&json!({}))),
            (Content::Card(_), EntityPatch::Refused) => {
                return Err(Refusal::new(code::SEQUENCE, "sequence number compare failed"));
            }
            (Content::Text(_) | Content::Other(..), _) => return Err(bad("only cards can be patched")),
            (Content::Inline(_), _) => {}
        }
        if content.to_string().len() > MAX_CARD {
            return Err(Refusal::new(code::MESSAGE_TOO_LONG, "the message content is over the limit"));
        }
        validate(&content, &self.rules()).map_err(Refusal::in_message)?;
        self.present(route.message.as_deref())?.content = Content::Inline(content);
        Ok(success(&json!({})))
    }

    pub(super) fn add_reaction(
        &mut self,
        route: &Route,
        request: &Request,
        app: &str,
        at: Moment,
    ) -> Result<Value, Refusal> {
        let mut fields = Fields::of(body_of(request)?)?;
        let mut kind = Fields::of(fields.value("reaction_type")?)?;
        let emoji = kind.text("emoji_type", 100)?;
        kind.end()?;
        fields.end()?;
        let id = format!("reaction_{:08}", self.next_id());
        let message = self.present(route.message.as_deref())?;
        if !EMOJI.contains(&emoji.as_str()) {
            return Err(Refusal::new(code::INVALID_EMOJI, "reaction type is invalid"));
        }
        message.reactions.push(Reaction { id: id.clone(), emoji: emoji.clone(), by: app.to_owned() });
        Ok(success(&json!({
            "reaction_id": id, "reaction_type": {"emoji_type": emoji},
            "operator": {"operator_id": app, "operator_type": "app"}, "action_time": at.unix_millis.to_string(),
        })))
    }

    pub(super) fn delete_reaction(&mut self, route: &Route, app: &str) -> Result<Value, Refusal> {
        let message = self.present(route.message.as_deref())?;
        let id = route.reaction.as_deref().unwrap_or_default();
        let Some(at) = message.reactions.iter().position(|reaction| reaction.id == id && reaction.by == app)
        else {
            return Err(bad("no such reaction of this app"));
        };
        let reaction = message.reactions.remove(at);
        Ok(success(&json!({"reaction_id": id, "reaction_type": {"emoji_type": reaction.emoji}})))
    }
}
