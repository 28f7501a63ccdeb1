//! The platform as delivery sees it: cards are opaque JSON, every write carries a sequence and a uuid.
//!
//! [`CardPlatform`] is what delivery drives. [`HttpPlatform`] talks to Feishu or Lark.

mod answer;
mod call;
pub(crate) mod client;
mod codes;
mod error;
mod http;
mod settings;
mod token;

pub use error::{PlatformError, Rejection};
pub use http::{BotInfo, BotStatus, ChatInfo, HttpPlatform, IMAGE_MAX, ImageKey, ReactionKey};
pub use settings::{AppSettings, Domain, DomainError, REQUEST_TIMEOUT};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// As text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// A card entity (`card_id`).
    CardKey
);
id!(
    /// A message (`om_…`).
    MessageKey
);
id!(
    /// A chat (`oc_…`).
    ChatKey
);

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Destination {
    /// Into a chat.
    Chat(ChatKey),
    /// As a reply to a message.
    Reply(MessageKey),
}

/// What makes a write on a card unique and ordered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Strictly greater than that of every write on this card before it; from 1.
    pub sequence: i32,
    /// The same for an identical retry only; at most 64 characters.
    pub uuid: String,
}

/// A message that was delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The message.
    pub message: MessageKey,
    /// The chat it is in.
    pub chat: ChatKey,
}

/// The operations on cards and their messages. One call is one request; retries are the caller's.
#[async_trait]
pub trait CardPlatform: Send + Sync {
    /// Makes a card entity. It is not seen before it is sent.
    async fn create(&self, card: &Value) -> Result<CardKey, PlatformError>;

    /// Sends a card entity, once. `uuid` (at most 50 characters) stays the same when it is tried again.
    async fn send(&self, card: &CardKey, to: &Destination, uuid: &str) -> Result<Sent, PlatformError>;

    /// Replaces the whole card.
    async fn replace(&self, card: &CardKey, json: &Value, stamp: &Stamp) -> Result<(), PlatformError>;

    /// Applies actions (`add_elements`, `delete_elements`, `update_element`, `partial_update_element`,
    /// `partial_update_setting`), an array.
    async fn batch(&self, card: &CardKey, actions: &Value, stamp: &Stamp) -> Result<(), PlatformError>;

    /// Sets the whole text of an element, 1 to 100 000 characters; shown as typing where it grows. Only while the card
    /// streams.
    async fn content(
        &self,
        card: &CardKey,
        element: &str,
        text: &str,
        stamp: &Stamp,
    ) -> Result<(), PlatformError>;

    /// Changes the settings: `{"config": {…}}`.
    async fn settings(&self, card: &CardKey, settings: &Value, stamp: &Stamp) -> Result<(), PlatformError>;

    /// Adds a reaction to a message, such as `DONE`.
    async fn react(&self, message: &MessageKey, emoji: &str) -> Result<(), PlatformError>;

    /// Sends text as a plain message. `uuid` as for [`send`](Self::send).
    async fn say(&self, to: &Destination, text: &str, uuid: &str) -> Result<Sent, PlatformError>;
}
