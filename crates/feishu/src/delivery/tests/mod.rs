//! Deliveries against a platform in memory that fails as told, on paused time.

mod faults;
mod lives;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use larkspan_core::ids::{SessionId, TurnId};
use larkspan_core::ports::{CardSurface, Clock};
use larkspan_core::presentation::Locale;
use larkspan_core::testing::MemoryStore;
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{ChatLayer, Message, Role, TurnEnd, TurnOutcome};
use larkspan_core::turn::{Change, ItemContent, Turn, TurnItem};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{Hub, Schedule, Style, Target};
use crate::platform::{
    CardKey, CardPlatform, ChatKey, Destination, MessageKey, PlatformError, Rejection, Sent, Stamp,
};
use crate::{Cards, MemoryPlatform};

/// What goes wrong with a call.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// It is not applied, and that is said.
    Refused(Rejection),
    /// It is not applied, and nobody knows.
    LostBefore,
    /// It is applied, and the answer is lost.
    LostAfter,
    /// It is applied, and no answer ever comes.
    Hangs,
    RateLimited,
}

/// One call, as it came.
#[derive(Debug, Clone)]
struct Call {
    at: Duration,
    endpoint: &'static str,
    has_failed: bool,
}

type Script = Box<dyn FnMut(&'static str, usize) -> Option<Fault> + Send>;

/// A platform that fails as its script says, and keeps a journal.
struct Flaky {
    inner: MemoryPlatform,
    begin: Instant,
    script: Mutex<Script>,
    journal: Mutex<Vec<Call>>,
    /// What is seen of each card that was sent.
    seen: Arc<Mutex<BTreeMap<String, Value>>>,
}

impl Flaky {
    fn new(script: impl FnMut(&'static str, usize) -> Option<Fault> + Send + 'static) -> Arc<Self> {
        let seen: Arc<Mutex<BTreeMap<String, Value>>> = Arc::default();
        let shown = seen.clone();
        let observer = move |card: &CardKey, json: &Value| {
            shown.lock().unwrap().insert(card.0.clone(), json.clone());
        };
        Arc::new(Self {
            inner: MemoryPlatform::new(Box::new(observer)),
            begin: Instant::now(),
            script: Mutex::new(Box::new(script)),
            journal: Mutex::default(),
            seen,
        })
    }

    fn well() -> Arc<Self> {
        Self::new(|_, _| None)
    }

    fn journal(&self) -> Vec<Call> {
        self.journal.lock().unwrap().clone()
    }

    fn calls(&self, endpoint: &str) -> usize {
        self.journal().iter().filter(|call| call.endpoint == endpoint).count()
    }

    /// The cards that were sent, oldest first.
    fn cards(&self) -> Vec<Value> {
        let seen = self.seen.lock().unwrap();
        let mut cards: Vec<(usize, Value)> =
            seen.iter().map(|(id, json)| (id["card_".len()..].parse().unwrap(), json.clone())).collect();
        cards.sort_by_key(|(number, _)| *number);
        cards.into_iter().map(|(_, json)| json).collect()
    }

    /// How often a text stands in all cards.
    fn count(&self, text: &str) -> usize {
        self.cards().iter().map(|card| card["body"].to_string().matches(text).count()).sum()
    }

    async fn call<T>(
        &self,
        endpoint: &'static str,
        call: impl Future<Output = Result<T, PlatformError>>,
    ) -> Result<T, PlatformError> {
        let number = self.journal.lock().unwrap().len();
        let fault = (self.script.lock().unwrap())(endpoint, number);
        let unknown = || PlatformError::Unknown { context: "no answer".to_owned(), source: None };
        let result = match fault {
            None => call.await,
            Some(Fault::Refused(rejection)) => {
                Err(PlatformError::Rejected { rejection, code: 1, context: "refused".to_owned() })
            }
            Some(Fault::RateLimited) => {
                Err(PlatformError::RateLimited { retry_after: Duration::from_secs(3) })
            }
            Some(Fault::LostBefore) => Err(unknown()),
            Some(Fault::LostAfter) => call.await.and_then(|_| Err(unknown())),
            Some(Fault::Hangs) => {
                let _ = call.await;
                self.journal.lock().unwrap().push(Call {
                    at: self.begin.elapsed(),
                    endpoint,
                    has_failed: true,
                });
                std::future::pending().await
            }
        };
        let has_failed = result.is_err();
        self.journal.lock().unwrap().push(Call { at: self.begin.elapsed(), endpoint, has_failed });
        result
    }
}

#[async_trait]
impl CardPlatform for Flaky {
    async fn create(&self, card: &Value) -> Result<CardKey, PlatformError> {
        self.call("create", self.inner.create(card)).await
    }
    async fn send(&self, card: &CardKey, to: &Destination, uuid: &str) -> Result<Sent, PlatformError> {
        assert!(uuid.len() <= 50);
        self.call("send", self.inner.send(card, to, uuid)).await
    }
    async fn replace(&self, card: &CardKey, json: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        self.call("replace", self.inner.replace(card, json, stamp)).await
    }
    async fn batch(&self, card: &CardKey, actions: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        self.call("batch", self.inner.batch(card, actions, stamp)).await
    }
    async fn content(
        &self,
        card: &CardKey,
        id: &str,
        text: &str,
        stamp: &Stamp,
    ) -> Result<(), PlatformError> {
        self.call("content", self.inner.content(card, id, text, stamp)).await
    }
    async fn settings(&self, card: &CardKey, settings: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        self.call("settings", self.inner.settings(card, settings, stamp)).await
    }
    async fn react(&self, message: &MessageKey, emoji: &str) -> Result<(), PlatformError> {
        self.call("react", self.inner.react(message, emoji)).await
    }
    async fn say(&self, to: &Destination, text: &str, uuid: &str) -> Result<Sent, PlatformError> {
        self.call("say", self.inner.say(to, text, uuid)).await
    }
}

/// A clock that follows the paused time.
struct Paused(Instant);

impl Clock for Paused {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_796_032_800_000 + self.0.elapsed().as_millis() as i64)
    }
}

fn cards(platform: &Arc<Flaky>, store: &MemoryStore) -> (Arc<Hub>, Cards) {
    let clock = Arc::new(Paused(Instant::now()));
    let style = Style { locale: Locale::ZhCn, zone: TimeZone::UTC };
    let hub = Hub::new(platform.clone(), Arc::new(store.clone()), clock, style, Schedule::default());
    let target = Target { to: Destination::Chat(ChatKey("oc_1".to_owned())), reacts_to: None };
    (hub.clone(), Cards::new(hub, target, "oc_1"))
}

fn session() -> SessionId {
    SessionId::new("s")
}

/// `[m3]`: a text that stands nowhere else.
fn mark(number: usize) -> String {
    format!("[m{number}]")
}

fn said(number: usize, length: usize) -> TurnItem {
    let text = format!("{} {}", mark(number), "lorem ".repeat(length / 6));
    let message = Message {
        role: Role::Agent,
        phase: None,
        text: text.trim_end().into(),
        layer: ChatLayer::Item,
        id: None,
    };
    TurnItem { seq: number as u32, at: None, content: ItemContent::Message(message) }
}

fn turn(id: &str, messages: usize, length: usize) -> Turn {
    Turn {
        id: TurnId::new(id),
        started_at: Some(Timestamp::from_millis(1_796_032_800_000)),
        ended_at: None,
        end: None,
        items: (0..messages).map(|number| said(number, length)).collect(),
        usage: None,
    }
}

fn ended(mut turn: Turn, outcome: TurnOutcome) -> Turn {
    turn.end = Some(TurnEnd { outcome, reason: None });
    turn
}

async fn tell(cards: &Cards, turn: &Turn) {
    let (changes, open) = match turn.end {
        Some(_) => (vec![Change::TurnEnded(Arc::new(turn.clone()))], None),
        None => (Vec::new(), Some(Arc::new(turn.clone()))),
    };
    cards.show(&session(), &changes, open).await.unwrap();
}

async fn settled(cards: &Cards) -> bool {
    for _ in 0..2_000 {
        if cards.is_settled().await {
            return true;
        }
        sleep(Duration::from_secs(1)).await;
    }
    false
}

/// All of the turn stands in the cards, in order and once.
fn assert_whole(platform: &Flaky, messages: usize) {
    let all: String = platform.cards().iter().map(|card| card["body"].to_string()).collect();
    let counts: VecDeque<usize> = (0..messages).map(|number| all.matches(&mark(number)).count()).collect();
    assert!(counts.iter().all(|count| *count == 1), "{counts:?}");
    for card in platform.cards() {
        assert_eq!(card["config"]["streaming_mode"], false, "no card stays in progress");
    }
}
