//! What a fake platform is told at its start, and the toggles for what the documentation leaves open.
//!
//! Invariants
//! - Defaults are what is documented; where nothing is, the stricter reading.
//! - A product is right when its tests pass under every value of [`Toggles`].

use std::time::Duration;

use super::clock::Time;
use super::faults::Chaos;

/// What there is when the fake starts.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The port on loopback; 0 for any free one.
    pub port: u16,
    /// The app under test.
    pub app: App,
    /// Others that have tokens and cards too.
    pub other_apps: Vec<App>,
    /// The chats; the first is [`super::FakeFeishu::chat_id`].
    pub chats: Vec<Chat>,
    /// The `open_id` of everybody who may be mentioned or written to.
    pub users: Vec<String>,
    /// How time goes by.
    pub time: Time,
    /// How many calls are let through.
    pub rates: Rates,
    /// How large a card may be.
    pub limits: Limits,
    /// What is not documented.
    pub toggles: Toggles,
    /// Failures by chance.
    pub chaos: Option<Chaos>,
    /// What clients of the long connection are told.
    pub connection: ConnectionSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            port: 0,
            app: App::new("cli_fake", "fake-secret"),
            other_apps: Vec::new(),
            chats: vec![Chat::new("oc_main")],
            users: vec!["ou_user".to_owned()],
            time: Time::default(),
            rates: Rates::default(),
            limits: Limits::default(),
            toggles: Toggles::default(),
            chaos: None,
            connection: ConnectionSettings::default(),
        }
    }
}

/// A self-built app.
#[derive(Debug, Clone)]
pub struct App {
    /// As in `cli_…`.
    pub id: String,
    /// What it signs in with.
    pub secret: String,
    /// The scopes that were granted.
    pub scopes: Vec<String>,
    /// Whether it can send messages.
    pub bot: BotAbility,
}

impl App {
    /// An app with a bot and all scopes that Larkspan asks for.
    pub fn new(id: &str, secret: &str) -> Self {
        let scopes = ["cardkit:card:write", "im:message", "im:resource", "im:chat:readonly"];
        Self {
            id: id.to_owned(),
            secret: secret.to_owned(),
            scopes: scopes.map(str::to_owned).to_vec(),
            bot: BotAbility::Enabled,
        }
    }
}

/// Whether the app has the bot ability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotAbility {
    /// It may send.
    Enabled,
    /// Sending is refused with 230006.
    Missing,
}

/// A chat.
#[derive(Debug, Clone)]
pub struct Chat {
    /// As in `oc_…`.
    pub id: String,
    /// Its title.
    pub name: String,
    /// Whether the bot is in it.
    pub bot: Membership,
}

impl Chat {
    /// A group with the bot in it.
    pub fn new(id: &str) -> Self {
        Self { id: id.to_owned(), name: "Larkspan test chat".to_owned(), bot: Membership::Member }
    }

    /// The same without the bot.
    #[must_use]
    pub fn without_bot(mut self) -> Self {
        self.bot = Membership::Outside;
        self
    }
}

/// Whether the bot is in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// It is.
    Member,
    /// It is not.
    Outside,
}

/// How many calls are let through; the documented numbers by default.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// Per endpoint and app, in a second.
    pub endpoint_per_second: usize,
    /// Per endpoint and app, in a minute.
    pub endpoint_per_minute: usize,
    /// Per card, in a second.
    pub card_per_second: usize,
    /// Per chat (sending) and per message (patching), in a second.
    pub chat_per_second: usize,
}

impl Default for Rates {
    fn default() -> Self {
        Self { endpoint_per_second: 50, endpoint_per_minute: 1000, card_per_second: 10, chat_per_second: 5 }
    }
}

impl Rates {
    /// No limits: for tests of something else on a clock that stands still.
    pub fn unlimited() -> Self {
        Self {
            endpoint_per_second: usize::MAX,
            endpoint_per_minute: usize::MAX,
            card_per_second: usize::MAX,
            chat_per_second: usize::MAX,
        }
    }
}

/// How large a card may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Objects with a `tag`.
    pub components: usize,
    /// UTF-8 bytes of the JSON, the stricter reading of “30 KB”.
    pub bytes: usize,
    /// Components within components.
    pub nesting: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { components: 200, bytes: 30_000, nesting: 5 }
    }
}

/// What clients of the long connection are told.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionSettings {
    /// Seconds between two pings.
    pub ping_interval: u32,
    /// Seconds between two attempts.
    pub reconnect_interval: u32,
    /// Seconds of jitter.
    pub reconnect_nonce: u32,
}

impl Default for ConnectionSettings {
    fn default() -> Self {
        Self { ping_interval: 120, reconnect_interval: 120, reconnect_nonce: 30 }
    }
}

/// What the documentation leaves open, or says in two ways.
#[derive(Debug, Clone)]
pub struct Toggles {
    /// How an error with a code comes.
    pub errors: ErrorForm,
    /// What a refused operation does to the sequence.
    pub failed_operation: FailedOperation,
    /// Whether a batch is applied as a whole.
    pub batch: Batch,
    /// What comes of an operation's uuid that was used before.
    pub uuid_reuse: UuidReuse,
    /// What starts the ten minutes of streaming again.
    pub stream_clock: StreamClock,
    /// How the end of the ten minutes is told.
    pub stream_expiry: StreamExpiry,
    /// What `PATCH /im/v1/messages/:id` does to a message that shows a card entity.
    pub entity_patch: EntityPatch,
    /// How long after its creation a card cannot be sent.
    pub card_visible_after: Duration,
    /// Tables a card.
    pub table_cap: usize,
    /// What comes of settings without the wrapper `config`.
    pub bare_settings: BareSettings,
    /// How deep a partial update merges.
    pub partial_update: PartialUpdate,
    /// A `markdown` element with no text.
    pub empty_markdown: EmptyMarkdown,
    /// Which image keys are good.
    pub images: Images,
    /// How “too many messages in this chat” comes.
    pub chat_limit: ChatLimit,
    /// Whether e-mail addresses and phone numbers are refused.
    pub audit: Audit,
    /// Words that are refused (230022).
    pub sensitive_words: Vec<String>,
}

impl Default for Toggles {
    fn default() -> Self {
        Self {
            errors: ErrorForm::BadRequest,
            failed_operation: FailedOperation::KeepsSequence,
            batch: Batch::Atomic,
            uuid_reuse: UuidReuse::Conflict,
            stream_clock: StreamClock::ArmedByOpening,
            stream_expiry: StreamExpiry::ReportedOnce,
            entity_patch: EntityPatch::SilentNoOp,
            card_visible_after: Duration::ZERO,
            table_cap: 3,
            bare_settings: BareSettings::Ignored,
            partial_update: PartialUpdate::Shallow,
            empty_markdown: EmptyMarkdown::Refused,
            images: Images::AnyKey,
            chat_limit: ChatLimit::TooManyRequests,
            audit: Audit::Off,
            sensitive_words: Vec::new(),
        }
    }
}

/// How an error with a code comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorForm {
    /// HTTP 400, as documented.
    BadRequest,
    /// HTTP 200 and a code that is not zero, as seen.
    Ok,
}

/// What a refused operation does to the sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedOperation {
    /// It may be used again.
    KeepsSequence,
    /// It is gone.
    ConsumesSequence,
}

/// Whether a batch is applied as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batch {
    /// All or nothing.
    Atomic,
    /// What came before the failing action stays.
    StepByStep,
}

/// What comes of a uuid that was used before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UuidReuse {
    /// 200770.
    Conflict,
    /// Success, without applying it again.
    Replays,
}

/// What starts the ten minutes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamClock {
    /// Only opening what was closed.
    ArmedByOpening,
    /// Also a full update that says `streaming_mode: true`.
    ArmedByFullUpdate,
}

/// How the end of the ten minutes is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamExpiry {
    /// 200850 once, then 300309.
    ReportedOnce,
    /// 300309 from the first.
    ClosedAtOnce,
}

/// What a patch of a message that shows an entity does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityPatch {
    /// Success, and nothing changes.
    SilentNoOp,
    /// 300317.
    Refused,
}

/// What comes of settings without `config`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareSettings {
    /// Success, and nothing changes.
    Ignored,
    /// 300122.
    Refused,
}

/// How deep a partial update merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartialUpdate {
    /// A property that is given replaces the old one.
    Shallow,
    /// Objects are merged member by member.
    Deep,
}

/// A `markdown` element with no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyMarkdown {
    /// 200621.
    Refused,
    /// Shown as nothing.
    Accepted,
}

/// Which image keys are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// Whatever begins with `img_`.
    AnyKey,
    /// Only what was uploaded.
    Uploaded,
}

/// How “too many messages in this chat” comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatLimit {
    /// HTTP 429 with 99991400.
    TooManyRequests,
    /// The code 230020.
    Code,
}

/// Whether the tenant's audit looks for private data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audit {
    /// No audit.
    Off,
    /// Addresses and phone numbers anywhere in the text are refused with 230028.
    EmailsAndPhones,
}
