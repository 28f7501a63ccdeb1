//! The platform's codes, and an answer that refuses.
//!
//! Facts: the code table of the open platform's documentation. Where a code is not documented, the constant says so.

use serde_json::{Value, json};

/// The codes that the fake answers with, by their meaning.
pub mod code {
    /// A parameter is wrong.
    pub const BAD_PARAMETER: u32 = 10_002;
    /// A card's text is no JSON.
    pub const NO_CARD_CONTENT: u32 = 200_220;
    /// An image key that is none.
    pub const INVALID_IMAGE: u32 = 200_570;
    /// A property, a value or a tag that card JSON 2.0 does not have.
    pub const UNKNOWN_PROPERTY: u32 = 200_621;
    /// No such card.
    pub const NO_CARD: u32 = 200_740;
    /// The card is older than 14 days.
    pub const CARD_EXPIRED: u32 = 200_750;
    /// The uuid was used before.
    pub const UUID_CONFLICT: u32 = 200_770;
    /// Somebody interacts with the card.
    pub const CARD_LOCKED: u32 = 200_810;
    /// From 2.0 back to 1.0.
    pub const DOWNGRADE: u32 = 200_830;
    /// The ten minutes of streaming are over.
    pub const STREAM_TIMEOUT: u32 = 200_850;
    /// The card is too large.
    pub const TOO_LARGE: u32 = 200_860;
    /// A tag of 1.0.
    pub const REMOVED_TAG: u32 = 200_861;
    /// The element was not replaced.
    pub const REPLACE_FAILED: u32 = 300_121;
    /// The configuration was not changed.
    pub const SETTINGS_FAILED: u32 = 300_122;
    /// An element id twice.
    pub const DUPLICATE_ID: u32 = 300_301;
    /// `update_multi` is false.
    pub const NOT_SHARED: u32 = 300_302;
    /// Not schema 2.0.
    pub const NOT_SCHEMA_2: u32 = 300_303;
    /// More than 200 components.
    pub const TOO_MANY_COMPONENTS: u32 = 300_305;
    /// The card has nothing in it.
    pub const EMPTY_CARD: u32 = 300_307;
    /// Streaming is closed.
    pub const STREAM_CLOSED: u32 = 300_309;
    /// Text for an element that holds none.
    pub const NOT_TEXT: u32 = 300_310;
    /// The card of another app.
    pub const FOREIGN_CARD: u32 = 300_311;
    /// A partial update cannot change the tag.
    pub const TAG_CHANGE: u32 = 300_312;
    /// Properties were not changed, as of an element that is not there.
    pub const UPDATE_FAILED: u32 = 300_313;
    /// Nothing to delete.
    pub const DELETE_FAILED: u32 = 300_314;
    /// Nowhere to add.
    pub const ADD_FAILED: u32 = 300_315;
    /// The sequence does not grow.
    pub const SEQUENCE: u32 = 300_317;
    /// Too many calls.
    pub const RATE_LIMIT: u32 = 99_991_400;
    /// No token.
    pub const NO_TOKEN: u32 = 99_991_661;
    /// The token has expired, or never was one.
    pub const INVALID_TOKEN: u32 = 99_991_663;
    /// The token of an app where a tenant's is due.
    pub const WRONG_TOKEN: u32 = 99_991_664;
    /// The token has the wrong form.
    pub const MALFORMED_TOKEN: u32 = 99_991_671;
    /// The app lacks a scope.
    pub const NO_SCOPE: u32 = 99_991_672;
    /// A field is missing, too long or of the wrong type.
    pub const FIELD_VALIDATION: u32 = 99_992_402;
    /// A parameter of a message is wrong.
    pub const BAD_MESSAGE: u32 = 230_001;
    /// The bot is not in the chat.
    pub const NOT_IN_CHAT: u32 = 230_002;
    /// The app has no bot.
    pub const NO_BOT: u32 = 230_006;
    /// The message was recalled.
    pub const RECALLED: u32 = 230_011;
    /// The user is outside the bot's range.
    pub const USER_OUT_OF_RANGE: u32 = 230_013;
    /// Too many messages in one chat.
    pub const CHAT_RATE: u32 = 230_020;
    /// A word that is not allowed.
    pub const SENSITIVE_WORD: u32 = 230_022;
    /// The message is too long.
    pub const MESSAGE_TOO_LONG: u32 = 230_025;
    /// The audit found data that must not leave.
    pub const AUDIT: u32 = 230_028;
    /// The message is older than 14 days.
    pub const MESSAGE_EXPIRED: u32 = 230_031;
    /// The card could not be made; another code says why.
    pub const CARD_FAILED: u32 = 230_099;
    /// The message was deleted.
    pub const DELETED: u32 = 230_110;
    /// No such emoji.
    pub const INVALID_EMOJI: u32 = 231_001;
    /// No such message.
    pub const NO_MESSAGE: u32 = 231_003;
    /// Several things about tables, locks and card ids; the text tells which.
    pub const CARD_LIMIT: u32 = 11_310;
    /// A mention of nobody.
    pub const INVALID_MENTION: u32 = 100_290;
    /// An upload without its fields.
    pub const BAD_UPLOAD: u32 = 234_001;
    /// An upload that is too large.
    pub const UPLOAD_TOO_LARGE: u32 = 234_006;
    /// An upload of nothing.
    pub const UPLOAD_EMPTY: u32 = 234_010;
    /// No such chat, asked for its data.
    pub const NO_CHAT: u32 = 232_006;
    /// The bot is not in the chat whose data it asks for.
    pub const OUTSIDE_CHAT: u32 = 232_011;
    /// No such app or a wrong secret (token endpoint).
    pub const BAD_CREDENTIALS: u32 = 10_014;
    /// The long connection refuses the credentials.
    pub const CONNECTION_AUTH: u32 = 514;
    /// No credentials at the long connection's endpoint.
    pub const CONNECTION_NO_CREDENTIALS: u32 = 1_000_040_344;
    /// More than 50 long connections.
    pub const CONNECTION_LIMIT: u32 = 1_000_040_350;
}

/// Why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The code of the answer.
    pub code: u32,
    /// Its text.
    pub message: String,
    /// Seconds to wait, for a 429.
    pub(super) reset: Option<u64>,
}

impl Refusal {
    pub(super) fn new(code: u32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), reset: None }
    }

    pub(super) fn field(message: impl AsRef<str>) -> Self {
        Self::new(code::FIELD_VALIDATION, format!("field validation failed: {}", message.as_ref()))
    }

    pub(super) fn rate(reset: u64) -> Self {
        Self { reset: Some(reset), ..Self::new(code::RATE_LIMIT, "request trigger frequency limit") }
    }

    /// As the messages API tells that a card could not be made.
    pub(super) fn in_message(self) -> Self {
        // The audit and the frequency are the messages API's own.
        if self.code / 1000 == 230 {
            return self;
        }
        let message =
            format!("Failed to create card content, ext=ErrCode: {}; ErrMsg: {};", self.code, self.message);
        Self::new(code::CARD_FAILED, message)
    }

    pub(super) fn body(&self) -> Value {
        json!({"code": self.code, "msg": self.message, "error": {"log_id": "fake"}})
    }
}
