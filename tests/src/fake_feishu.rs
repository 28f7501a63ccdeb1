//! A Feishu open platform on loopback that is as strict as the real one, and stricter where that is unknown.
//!
//! Owns the HTTP server and the long connection of one platform: tokens, cards, messages, reactions, images, chats.
//! Guarantees
//! - Every call is checked in the platform's order and is in the journal; what is refused changes nothing, except what a
//!   toggle says.
//! - No card is ever kept that the platform would not show: the whole of it is checked after each write.
//! - Time is the fake's own: with [`Time::Virtual`] nothing happens until a test says how much time has gone by.
//!
//! Facts: the documentation of the open platform, its SDKs, and public reports. What these leave open is a toggle.
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! use larkspan_tests::fake_feishu::{Endpoint, FakeFeishu, Fault, Reader, Settings, Time};
//!
//! let fake = FakeFeishu::start(Settings { time: Time::Virtual, ..Settings::default() }).await?;
//! fake.inject(Fault::DropAfter.on(Endpoint::MessageSend).nth(1));
//! // … the program under test, with fake.base_url(), fake.app_id() and fake.app_secret() …
//! fake.until(|fake| fake.messages().len() == 1).await;
//! for card in fake.cards() {
//!     assert!(Reader::of(&card.json).problems().is_empty());
//! }
//! # Ok(())
//! # }
//! ```

mod card;
mod clock;
mod connection;
mod endpoint;
mod faults;
mod http;
mod journal;
mod message;
mod platform;
mod rates;
mod refusal;
mod settings;
#[cfg(test)]
mod tests;
mod upload;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use card::entity::Streaming;
pub use card::reader::{Part, Reader, Shown};
pub use clock::Time;
pub use connection::{Ack, Attempt, Delivery, Hearing, LongConnection, Order, Pongs, Push, PushId};
pub use endpoint::Endpoint;
pub use faults::{Chaos, Fault, FaultRule};
pub use journal::Call;
pub use message::{Content, Message, Presence, Reaction};
pub use refusal::{Refusal, code};
pub use settings::{
    App, Audit, BareSettings, Batch, BotAbility, Chat, ChatLimit, ConnectionSettings, EmptyMarkdown,
    EntityPatch, ErrorForm, FailedOperation, Images, Limits, Membership, PartialUpdate, Rates, Settings,
    StreamClock, StreamExpiry, Toggles, UuidReuse,
};

use clock::Clock;
use platform::Platform;

/// Refuses a card as the platform would, with nothing but the documentation to go by.
pub fn check_card(card: &Value) -> Result<(), Refusal> {
    let (toggles, limits, images) =
        (Toggles::default(), Limits::default(), std::collections::BTreeSet::new());
    let rules = card::validate::Rules { toggles: &toggles, limits: &limits, images: &images, users: &[] };
    card::validate::validate(card, &rules)
}

/// The running platform. Dropping it stops it.
#[derive(Debug)]
pub struct FakeFeishu {
    address: SocketAddr,
    shared: Arc<Shared>,
    tasks: [JoinHandle<()>; 2],
}

/// A card as it is now.
#[derive(Debug, Clone)]
pub struct Card {
    /// Its id.
    pub id: String,
    /// Its whole JSON.
    pub json: Value,
    /// The app that created it.
    pub owner: String,
    /// The last operation's number.
    pub sequence: i64,
    /// Whether text may be streamed.
    pub streaming: Streaming,
    /// The message that shows it.
    pub message: Option<String>,
    /// When it was created.
    pub created_at: Duration,
}

impl Card {
    /// Its texts.
    pub fn reader(&self) -> Reader {
        Reader::of(&self.json)
    }

    /// Objects with a `tag`.
    pub fn components(&self) -> usize {
        card::document::count_components(&self.json)
    }

    /// UTF-8 bytes of its JSON.
    pub fn bytes(&self) -> usize {
        self.json.to_string().len()
    }
}

#[derive(Debug)]
struct Shared {
    clock: Clock,
    platform: Mutex<Platform>,
    /// Moves on with every call and every frame.
    changes: watch::Sender<u64>,
    /// Nothing is answered any more.
    stopped: Arc<AtomicBool>,
}

impl Shared {
    /// A poisoned lock means that another test thread panicked; its data is still worth reading.
    fn lock(&self) -> MutexGuard<'_, Platform> {
        self.platform.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    fn record(&self, call: Call) {
        self.lock().journal.calls.push(call);
        self.changed();
    }
}

impl FakeFeishu {
    /// Starts on loopback, on the current runtime.
    pub async fn start(settings: Settings) -> Result<Self> {
        let listener =
            TcpListener::bind(("127.0.0.1", settings.port)).await.context("no such free loopback port")?;
        let address = listener.local_addr()?;
        let clock = Clock::new(settings.time);
        let mut platform = Platform::new(settings);
        platform.hub.address = format!("ws://{address}/ws");
        let shared = Arc::new(Shared {
            clock,
            platform: Mutex::new(platform),
            changes: watch::Sender::new(0),
            stopped: Arc::default(),
        });
        let tasks = [
            tokio::spawn(http::serve(listener, Arc::clone(&shared))),
            tokio::spawn(connection::socket::redeliver(Arc::clone(&shared))),
        ];
        Ok(Self { address, shared, tasks })
    }

    /// What stands for `https://open.feishu.cn`, without a slash at its end.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The id of the app under test.
    pub fn app_id(&self) -> String {
        self.shared.lock().settings.app.id.clone()
    }

    /// Its secret.
    pub fn app_secret(&self) -> String {
        self.shared.lock().settings.app.secret.clone()
    }

    /// The first chat; empty without any.
    pub fn chat_id(&self) -> String {
        self.shared.lock().settings.chats.first().map(|chat| chat.id.clone()).unwrap_or_default()
    }

    /// All cards, in the order of their creation.
    pub fn cards(&self) -> Vec<Card> {
        let now = self.now();
        let platform = self.shared.lock();
        let cards = platform.cards.values().map(|card| Card {
            id: card.id.clone(),
            json: card.json(now),
            owner: card.owner.clone(),
            sequence: card.sequence,
            streaming: card.streaming(now),
            message: card.message.clone(),
            created_at: card.created_at,
        });
        cards.collect()
    }

    /// One of them.
    pub fn card(&self, id: &str) -> Option<Card> {
        self.cards().into_iter().find(|card| card.id == id)
    }

    /// All messages, in order, those of users included.
    pub fn messages(&self) -> Vec<Message> {
        self.shared.lock().messages.clone()
    }

    /// The messages that the app under test sent.
    pub fn sent(&self) -> Vec<Message> {
        let app = self.app_id();
        self.messages().into_iter().filter(|message| message.sender == app).collect()
    }

    /// One of the messages.
    pub fn message(&self, id: &str) -> Option<Message> {
        self.messages().into_iter().find(|message| message.id == id)
    }

    /// The keys of uploaded images.
    pub fn images(&self) -> Vec<String> {
        self.shared.lock().images.iter().cloned().collect()
    }

    /// Every call that was answered, in that order.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().journal.calls.clone()
    }

    /// Those of one endpoint.
    pub fn calls_of(&self, endpoint: Endpoint) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.endpoint == Some(endpoint)).collect()
    }

    /// How many calls came in, those included that are not answered yet.
    pub fn arrived(&self) -> usize {
        self.shared.lock().journal.arrived
    }

    /// How often each code other than 0 was answered.
    pub fn rejections(&self) -> BTreeMap<u32, usize> {
        self.shared.lock().journal.rejections()
    }

    /// Since the start, on the fake's clock.
    pub fn now(&self) -> Duration {
        self.shared.clock.now()
    }

    /// Moves the clock.
    pub fn advance(&self, by: Duration) {
        self.shared.clock.advance(by);
        self.shared.changed();
    }

    /// Returns once this holds; it is asked after each call, frame, and move of the clock.
    pub async fn until(&self, holds: impl Fn(&Self) -> bool) {
        let mut changes = self.shared.changes.subscribe();
        while !holds(self) {
            // The sender lives in `self`, so the channel cannot close while we wait.
            let _ = changes.changed().await;
        }
    }

    /// Makes calls go wrong.
    pub fn inject(&self, rule: FaultRule) {
        self.shared.lock().faults.add(rule);
    }

    /// Makes calls go wrong by chance, or no longer.
    pub fn set_chaos(&self, chaos: Option<Chaos>) {
        self.shared.lock().faults.set_chaos(chaos);
    }

    /// Nothing goes wrong any more.
    pub fn clear_faults(&self) {
        self.shared.lock().faults.clear();
    }

    /// Changes settings while it runs: toggles, rates, scopes, chats.
    pub fn configure(&self, change: impl FnOnce(&mut Settings)) {
        change(&mut self.shared.lock().settings);
    }

    /// Makes all tokens invalid.
    pub fn revoke_tokens(&self) {
        self.shared.lock().revoke_tokens();
    }

    /// Somebody interacts with a card for so long: it cannot be updated.
    pub fn lock_card(&self, card: &str, time: Duration) {
        let until = self.now() + time;
        if let Some(card) = self.shared.lock().cards.get_mut(card) {
            card.locked_until = until;
        }
    }

    /// Recalls or deletes a message.
    pub fn set_presence(&self, message: &str, presence: Presence) {
        let mut platform = self.shared.lock();
        if let Some(message) = platform.messages.iter_mut().find(|found| found.id == message) {
            message.presence = presence;
        }
    }

    /// A user writes in a chat; no event is pushed. The id of the message.
    pub fn user_says(&self, chat: &str, user: &str, text: &str) -> String {
        let now = self.now();
        self.shared.lock().user_message(chat, user, text, now)
    }

    /// The long connection.
    pub fn long_connection(&self) -> LongConnection<'_> {
        LongConnection(self)
    }
}

impl Drop for FakeFeishu {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
        // The server's connections live in tasks of their own.
        self.shared.stopped.store(true, Ordering::SeqCst);
        self.shared.lock().hub.stop();
    }
}
