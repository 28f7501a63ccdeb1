//! The platform over HTTP.
//!
//! One call is one request; retries are the caller's, but for a refused token, after which the same call is made exactly
//! once more with a new one. Bodies are those of the official documentation: JSON strings inside JSON where it says so.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use larkspan_core::ports::Clock;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::call::{self, Body, Call, Endpoint, Verb};
use super::client::{Speaks, client};
use super::token::{Fetched, TokenCache};
use super::{
    AppSettings, CardKey, CardPlatform, ChatKey, Destination, MessageKey, PlatformError, Rejection, Sent,
    Stamp, codes,
};

/// The largest image that the platform takes, in bytes.
pub const IMAGE_MAX: usize = 10 * 1024 * 1024;

macro_rules! endpoints {
    ($($name:ident = $method:ident $path:literal $doing:literal;)*) => {
        $(const $name: Endpoint = Endpoint { method: Verb::$method, path: $path, doing: $doing };)*
    };
}

endpoints! {
    TOKEN = Post "open-apis/auth/v3/tenant_access_token/internal" "getting the app's token";
    CREATE = Post "open-apis/cardkit/v1/cards" "creating the card";
    REPLACE = Put "open-apis/cardkit/v1/cards/:id" "replacing the card";
    SETTINGS = Patch "open-apis/cardkit/v1/cards/:id/settings" "changing the card's settings";
    BATCH = Post "open-apis/cardkit/v1/cards/:id/batch_update" "changing parts of the card";
    CONTENT = Put "open-apis/cardkit/v1/cards/:id/elements/:id/content" "streaming text into the card";
    SEND = Post "open-apis/im/v1/messages" "sending the message";
    REPLY = Post "open-apis/im/v1/messages/:id/reply" "replying to the message";
    REACT = Post "open-apis/im/v1/messages/:id/reactions" "adding a reaction";
    UNREACT = Delete "open-apis/im/v1/messages/:id/reactions/:id" "removing a reaction";
    UPLOAD = Post "open-apis/im/v1/images" "uploading an image";
    BOT = Get "open-apis/bot/v3/info" "reading the bot's information";
    CHAT = Get "open-apis/im/v1/chats/:id" "reading the chat's information";
}

/// Feishu or Lark, over HTTP.
pub struct HttpPlatform {
    settings: AppSettings,
    client: reqwest::Client,
    token: TokenCache,
}

impl std::fmt::Debug for HttpPlatform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpPlatform").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The bot that belongs to the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotInfo {
    /// The app's name.
    pub name: String,
    /// The bot's `open_id` (`ou_…`).
    pub open_id: String,
    /// Whether it can be used.
    pub status: BotStatus,
}

/// Whether a bot can be used (`activate_status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotStatus {
    /// Not installed by the organisation yet (0).
    NotInstalled,
    /// Switched off by the organisation (1).
    Disabled,
    /// In use (2).
    Enabled,
    /// Installed, not switched on (3).
    AwaitsEnabling,
    /// A new version awaits approval (4).
    AwaitsUpgrade,
    /// The licence or the plan has ended (5, 6).
    Expired,
    /// A value that is not documented, or none.
    Unknown,
}

impl BotStatus {
    fn of(status: Option<i64>) -> Self {
        match status {
            Some(0) => Self::NotInstalled,
            Some(1) => Self::Disabled,
            Some(2) => Self::Enabled,
            Some(3) => Self::AwaitsEnabling,
            Some(4) => Self::AwaitsUpgrade,
            Some(5 | 6) => Self::Expired,
            _ => Self::Unknown,
        }
    }
}

/// A chat as the bot sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatInfo {
    /// Its name; empty for a chat of two.
    pub name: String,
    /// `group`, `topic` or `p2p`, as the platform says it.
    pub mode: String,
    /// `normal`, `dissolved` or `dissolved_save`, as the platform says it.
    pub status: String,
}

/// A reaction on a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReactionKey(pub String);

/// An image that the platform keeps (`img_…`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageKey(pub String);

impl HttpPlatform {
    /// A client for this app. Nothing is sent yet. `clock` tells when the token ends.
    ///
    /// # Errors
    ///
    /// [`PlatformError::Unreachable`] when no HTTP client can be made, for want of certificates or for a bad proxy.
    pub fn new(settings: AppSettings, clock: Arc<dyn Clock>) -> Result<Self, PlatformError> {
        let client = client(settings.domain.base(), Speaks::Any, Some(settings.timeout))?;
        Ok(Self { settings, client, token: TokenCache::new(clock) })
    }

    /// Keeps an image for use in cards and messages. Needs the scope `im:resource`.
    ///
    /// # Errors
    ///
    /// [`Rejection::BadImage`] without a call when it is empty or larger than [`IMAGE_MAX`].
    pub async fn upload_image(&self, image: Vec<u8>) -> Result<ImageKey, PlatformError> {
        if image.is_empty() || image.len() > IMAGE_MAX {
            return Err(PlatformError::Rejected {
                rejection: Rejection::BadImage,
                code: 0,
                context: format!(
                    "{}: it has {} bytes; the platform takes from 1 to {IMAGE_MAX}",
                    UPLOAD.doing,
                    image.len()
                ),
            });
        }
        let answer = self.call(&UPLOAD, &[], None, Body::Image(image)).await?;
        text(&answer, "/data/image_key", &UPLOAD).map(ImageKey)
    }

    /// Adds a reaction, and tells its key. Needs the scope `im:message.reactions:write_only` or `im:message`.
    pub async fn add_reaction(
        &self,
        message: &MessageKey,
        emoji: &str,
    ) -> Result<ReactionKey, PlatformError> {
        let body = json!({"reaction_type": {"emoji_type": emoji}});
        let answer = self.call(&REACT, &[message.as_str()], None, Body::json(&body)).await?;
        text(&answer, "/data/reaction_id", &REACT).map(ReactionKey)
    }

    /// Removes a reaction of this app's.
    pub async fn unreact(&self, message: &MessageKey, reaction: &ReactionKey) -> Result<(), PlatformError> {
        self.call(&UNREACT, &[message.as_str(), &reaction.0], None, Body::Empty).await.map(drop)
    }

    /// The app's bot. Needs no scope: what works when the credentials are right and there is a bot.
    pub async fn bot_info(&self) -> Result<BotInfo, PlatformError> {
        let answer = self.call(&BOT, &[], None, Body::Empty).await?;
        // This one endpoint answers beside `data`.
        let bot = answer.get("bot").or_else(|| answer.pointer("/data/bot")).unwrap_or(&Value::Null);
        let member = |name: &str| bot.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(BotInfo {
            name: member("app_name"),
            open_id: text(bot, "/open_id", &BOT)?,
            status: BotStatus::of(bot.get("activate_status").and_then(Value::as_i64)),
        })
    }

    /// A chat that the bot is in. Needs the scope `im:chat:readonly` or `im:chat`.
    pub async fn chat(&self, chat: &ChatKey) -> Result<ChatInfo, PlatformError> {
        let answer = self.call(&CHAT, &[chat.as_str()], None, Body::Empty).await?;
        let member = |name: &str| {
            answer.pointer("/data").and_then(|data| data.get(name)?.as_str()).unwrap_or_default().to_owned()
        };
        Ok(ChatInfo { name: member("name"), mode: member("chat_mode"), status: member("chat_status") })
    }

    async fn call(
        &self,
        endpoint: &'static Endpoint,
        ids: &[&str],
        query: Option<(&'static str, &'static str)>,
        body: Body,
    ) -> Result<Value, PlatformError> {
        let call = Call { endpoint, ids, query, body };
        let token = self.token().await?;
        let first = self.once(&call, &token).await;
        if !first.code.is_some_and(|code| codes::TOKEN.contains(&code)) {
            return first.result;
        }
        self.token.drop_refused(&token).await;
        let token = self.token().await?;
        self.once(&call, &token).await.result
    }

    async fn once(&self, call: &Call<'_>, token: &SecretString) -> super::answer::Outcome {
        let secrets = [self.settings.app_secret.expose_secret(), token.expose_secret()];
        call::send(&self.client, self.settings.domain.base(), call, Some(token), &secrets).await
    }

    async fn token(&self) -> Result<SecretString, PlatformError> {
        self.token.get(|| self.fetch_token()).await
    }

    async fn fetch_token(&self) -> Result<Fetched, PlatformError> {
        let secret = self.settings.app_secret.expose_secret();
        let body = json!({"app_id": self.settings.app_id, "app_secret": secret});
        let call = Call { endpoint: &TOKEN, ids: &[], query: None, body: Body::json(&body) };
        let base = self.settings.domain.base();
        let mut sent = call::send(&self.client, base, &call, None, &[secret]).await.result;
        // This call carries nothing but the credentials: whatever is wrong with it is wrong with them.
        if let Err(PlatformError::Rejected { rejection, context, .. }) = &mut sent
            && *rejection == Rejection::Defect
        {
            *rejection = Rejection::Credentials;
            context.push_str("; check the app id, the app secret and the domain (feishu or lark)");
        }
        let answer = sent?;
        let lives = answer.get("expire").and_then(Value::as_u64).unwrap_or_default();
        let token = text(&answer, "/tenant_access_token", &TOKEN)?;
        Ok(Fetched { token: token.into(), lives: Duration::from_secs(lives) })
    }

    /// Sends a message of any kind. `content` is made a string, as the platform wants it.
    async fn message(
        &self,
        to: &Destination,
        kind: &str,
        content: &Value,
        uuid: &str,
    ) -> Result<Sent, PlatformError> {
        let content = content.to_string();
        let (endpoint, answer) = match to {
            Destination::Chat(chat) => {
                let body = json!({"receive_id": chat, "msg_type": kind, "content": content, "uuid": uuid});
                let query = Some(("receive_id_type", "chat_id"));
                (&SEND, self.call(&SEND, &[], query, Body::json(&body)).await?)
            }
            Destination::Reply(message) => {
                let body =
                    json!({"msg_type": kind, "content": content, "reply_in_thread": false, "uuid": uuid});
                (&REPLY, self.call(&REPLY, &[message.as_str()], None, Body::json(&body)).await?)
            }
        };
        let message = MessageKey(text(&answer, "/data/message_id", endpoint)?);
        let chat = ChatKey(text(&answer, "/data/chat_id", endpoint)?);
        Ok(Sent { message, chat })
    }
}

/// A text that a successful answer must have. It was applied, but what came of it is not known.
fn text(answer: &Value, pointer: &str, endpoint: &Endpoint) -> Result<String, PlatformError> {
    let text = answer.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| PlatformError::Unknown {
        context: format!("{}: the platform says it is done, but its answer has no {pointer}", endpoint.doing),
        source: None,
    })
}

/// A card as the endpoints take it: its JSON as a string.
fn card_json(card: &Value) -> Value {
    json!({"type": "card_json", "data": card.to_string()})
}

#[async_trait]
impl CardPlatform for HttpPlatform {
    async fn create(&self, card: &Value) -> Result<CardKey, PlatformError> {
        let answer = self.call(&CREATE, &[], None, Body::json(&card_json(card))).await?;
        text(&answer, "/data/card_id", &CREATE).map(CardKey)
    }

    async fn send(&self, card: &CardKey, to: &Destination, uuid: &str) -> Result<Sent, PlatformError> {
        let content = json!({"type": "card", "data": {"card_id": card}});
        self.message(to, "interactive", &content, uuid).await
    }

    async fn replace(&self, card: &CardKey, json: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        let body = json!({"card": card_json(json), "sequence": stamp.sequence, "uuid": stamp.uuid});
        self.call(&REPLACE, &[card.as_str()], None, Body::json(&body)).await.map(drop)
    }

    async fn batch(&self, card: &CardKey, actions: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        let body = json!({"actions": actions.to_string(), "sequence": stamp.sequence, "uuid": stamp.uuid});
        self.call(&BATCH, &[card.as_str()], None, Body::json(&body)).await.map(drop)
    }

    async fn content(
        &self,
        card: &CardKey,
        element: &str,
        text: &str,
        stamp: &Stamp,
    ) -> Result<(), PlatformError> {
        let body = json!({"content": text, "sequence": stamp.sequence, "uuid": stamp.uuid});
        self.call(&CONTENT, &[card.as_str(), element], None, Body::json(&body)).await.map(drop)
    }

    async fn settings(&self, card: &CardKey, settings: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        let body = json!({"settings": settings.to_string(), "sequence": stamp.sequence, "uuid": stamp.uuid});
        self.call(&SETTINGS, &[card.as_str()], None, Body::json(&body)).await.map(drop)
    }

    async fn react(&self, message: &MessageKey, emoji: &str) -> Result<(), PlatformError> {
        let body = json!({"reaction_type": {"emoji_type": emoji}});
        self.call(&REACT, &[message.as_str()], None, Body::json(&body)).await.map(drop)
    }

    async fn say(&self, to: &Destination, text: &str, uuid: &str) -> Result<Sent, PlatformError> {
        self.message(to, "text", &json!({"text": text}), uuid).await
    }
}

#[cfg(test)]
mod tests;
