//! Where a scenario plays: the fake on a clock that stands still, the product's client, a line between them that can be
//! slow, and a store that outlives processes.
//!
//! Time goes by only while nothing else happens: a call takes none, unless the line is slow.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use larkspan_core::ports::{CardSurface as _, Clock};
use larkspan_core::presentation::Locale;
use larkspan_core::testing::MemoryStore;
use larkspan_core::time::Timestamp;
use larkspan_feishu::Cards;
use larkspan_feishu::delivery::{Hub, Schedule, Style, Target};
use larkspan_feishu::platform::{
    AppSettings, CardKey, CardPlatform, ChatKey, Destination, Domain, HttpPlatform, MessageKey,
    PlatformError, Sent, Stamp,
};
use larkspan_tests::fake_feishu::{Call, Card, Endpoint, FakeFeishu, Reader, Settings, Streaming, Time};
use pretty_assertions::assert_eq;
use serde_json::Value;
use tokio::runtime::{Builder, Handle};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::toggles::Setting;
use super::turns::START;

/// No scenario takes longer, on its own clock.
const PATIENCE: Duration = Duration::from_mins(30);

/// A second, for times that are written often.
pub(super) const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Runs a scenario under each of the settings.
pub(super) fn under(settings: Vec<Setting>, scenario: impl AsyncFn(&World)) {
    under_with(&Settings::default(), settings, scenario);
}

/// The same with more that is set.
#[expect(clippy::needless_pass_by_value, reason = "scenarios are written in place")]
pub(super) fn under_with(base: &Settings, settings: Vec<Setting>, scenario: impl AsyncFn(&World)) {
    let real = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for (name, toggles) in settings {
        let _named = Named(name);
        let settings = Settings { time: Time::Virtual, toggles, ..base.clone() };
        let fake = Arc::new(real.block_on(FakeFeishu::start(settings)).unwrap());
        let paused = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let handle = real.handle().clone();
        paused.block_on(async { scenario(&World::new(fake, handle)).await });
    }
}

/// Says under which setting a test fails.
struct Named(&'static str);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "it fails under the setting: {}", self.0);
        }
    }
}

/// A clock that follows the paused time.
struct Paused(Instant);

impl Clock for Paused {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(START + self.0.elapsed().as_millis() as i64)
    }
}

/// What a scenario has.
pub(super) struct World {
    pub(super) fake: Arc<FakeFeishu>,
    pub(super) line: Arc<Line>,
    pub(super) store: MemoryStore,
}

impl World {
    fn new(fake: Arc<FakeFeishu>, real: Handle) -> Self {
        let begin = Instant::now();
        let domain = Domain::Other(fake.base_url());
        let settings = AppSettings::new(domain, fake.app_id(), fake.app_secret());
        let http = Arc::new(HttpPlatform::new(settings, Arc::new(Paused(begin))).unwrap());
        let (waits, flights) = Default::default();
        let line = Arc::new(Line { fake: fake.clone(), real, begin, http, waits, flights });
        Self { fake, line, store: MemoryStore::default() }
    }

    /// A process that shows one session in the chat. Dropping it is a crash.
    pub(super) fn process(&self) -> Cards {
        self.process_with(Schedule::default())
    }

    /// The same with other times.
    pub(super) fn process_with(&self, schedule: Schedule) -> Cards {
        let chat = Destination::Chat(ChatKey(self.fake.chat_id()));
        self.process_to("chat", Target { to: chat, reacts_to: None }, schedule)
    }

    /// The same with another target.
    pub(super) fn process_to(&self, scope: &str, target: Target, schedule: Schedule) -> Cards {
        let style = Style { locale: Locale::ZhCn, zone: TimeZone::UTC };
        let clock = Arc::new(Paused(self.line.begin));
        let hub =
            Hub::new(Arc::new(Wire(self.line.clone())), Arc::new(self.store.clone()), clock, style, schedule);
        Cards::new(hub, target, scope)
    }

    /// Lets time go by.
    pub(super) async fn pass(&self, time: Duration) {
        sleep(time).await;
        self.line.sync();
    }

    /// Waits for the end of all turns.
    #[track_caller]
    pub(super) fn settle<'a>(&'a self, cards: &'a Cards) -> impl Future<Output = ()> + 'a {
        let caller = std::panic::Location::caller();
        async move {
            let begun = Instant::now();
            while !cards.is_settled().await {
                assert!(begun.elapsed() < PATIENCE, "{caller}: it never ends: {:#?}", self.outline());
                self.pass(seconds(1)).await;
            }
        }
    }

    /// The cards that were sent, in the order of their messages.
    pub(super) fn cards(&self) -> Vec<Card> {
        let order: Vec<String> = self.fake.messages().into_iter().map(|message| message.id).collect();
        let mut sent: Vec<Card> =
            self.fake.cards().into_iter().filter(|card| card.message.is_some()).collect();
        sent.sort_by_key(|card| order.iter().position(|id| Some(id) == card.message.as_ref()));
        sent
    }

    /// What all of them show.
    pub(super) fn reader(&self) -> Reader {
        Reader::of_all(self.cards().iter().map(|card| &card.json))
    }

    /// The calls, a line each, for a person who looks for what went wrong.
    pub(super) fn outline(&self) -> Vec<String> {
        let line = |call: &Call| {
            let Call { at, endpoint, card, sequence, code, applied, fault, .. } = call;
            format!("{at:?} {endpoint:?} {card:?} #{sequence:?}: {code:?} applied: {applied} {fault:?}")
        };
        self.fake.calls().iter().map(line).collect()
    }

    /// The codes that the fake refused calls with by itself.
    pub(super) fn refusals(&self) -> Vec<u32> {
        let own = self.fake.calls().into_iter().filter(|call| call.fault.is_none());
        own.filter_map(|call| call.code).filter(|code| *code != 0).collect()
    }

    /// The codes that were refused but for the ones that a setting is there for: a card that is not yet known everywhere.
    pub(super) fn unexpected(&self) -> Vec<u32> {
        let mut refusals = self.refusals();
        let mut is_slow = false;
        self.fake.configure(|settings| is_slow = !settings.toggles.card_visible_after.is_zero());
        let failed = larkspan_tests::fake_feishu::code::CARD_FAILED;
        refusals.retain(|code| !(is_slow && *code == failed));
        refusals
    }

    /// The successful calls of an endpoint.
    pub(super) fn applied(&self, endpoint: Endpoint) -> Vec<Call> {
        let mut calls = self.fake.calls_of(endpoint);
        calls.retain(|call| call.applied);
        calls
    }

    /// Each of these stands in the cards, once.
    #[track_caller]
    pub(super) fn assert_once(&self, texts: &[&str]) {
        let all = self.reader().text();
        for text in texts {
            assert_eq!(all.matches(text).count(), 1, "{text} in {all}\n{:#?}", self.outline());
        }
    }

    /// What holds of every card at its end, and of all calls.
    #[track_caller]
    pub(super) fn check(&self) {
        self.line.sync();
        assert_eq!(self.unexpected(), Vec::<u32>::new(), "{:#?}", self.outline());
        self.check_cards();
    }

    /// The same without the calls.
    #[track_caller]
    pub(super) fn check_cards(&self) {
        for card in self.cards() {
            let reader = card.reader();
            assert_eq!(reader.problems(), Vec::<String>::new());
            assert_eq!(reader.mentions(), Vec::<String>::new());
            assert_eq!(card.json["config"]["streaming_mode"], false, "{:#?}", self.outline());
            assert!(!matches!(card.streaming, Streaming::Open { .. }), "{:#?}", self.outline());
        }
        let mut last: BTreeMap<String, i64> = BTreeMap::new();
        for call in self.fake.calls() {
            assert!(call.endpoint.is_some(), "{} is no path of the platform", call.target);
            let (Some(card), Some(sequence), true) = (&call.card, call.sequence, call.applied) else {
                continue;
            };
            let before = last.insert(card.clone(), sequence).unwrap_or(0);
            assert!(sequence > before, "{sequence} after {before}: {:#?}", self.outline());
        }
        assert!(self.line.most_in_flight() <= 1, "one call at a time");
    }
}

/// How slow a call is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wait {
    /// It arrives so much later, also when nobody waits for it any more.
    Before(Duration),
    /// It is applied, and its answer arrives so much later.
    After(Duration),
    /// It is applied, and its answer never arrives.
    Never,
}

/// The n-th calls of an endpoint, from 1.
struct Slow {
    endpoint: Endpoint,
    from: usize,
    to: usize,
    wait: Wait,
    seen: usize,
}

/// The client of the product behind a line.
pub(super) struct Line {
    fake: Arc<FakeFeishu>,
    real: Handle,
    begin: Instant,
    http: Arc<HttpPlatform>,
    waits: Mutex<Vec<Slow>>,
    /// By card: how many calls are on their way, and how many there were at most.
    flights: Mutex<BTreeMap<String, (usize, usize)>>,
}

/// A call on its way, as far as its caller knows.
struct Flight<'a> {
    line: &'a Line,
    card: String,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if let Some((now, _)) = self.line.flights.lock().unwrap().get_mut(&self.card) {
            *now -= 1;
        }
    }
}

impl Line {
    /// From the `from`-th to the `to`-th call of an endpoint from now are slow.
    pub(super) fn slow(&self, endpoint: Endpoint, from: usize, to: usize, wait: Wait) {
        self.waits.lock().unwrap().push(Slow { endpoint, from, to, wait, seen: 0 });
    }

    /// Calls that were on their way for one card at the same time.
    pub(super) fn most_in_flight(&self) -> usize {
        self.flights.lock().unwrap().values().map(|(_, most)| *most).max().unwrap_or_default()
    }

    /// How long the scenario has taken, on its clock.
    pub(super) fn begin_elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Sets the fake's clock.
    pub(super) fn sync(&self) {
        self.fake.advance(self.begin.elapsed().saturating_sub(self.fake.now()));
    }

    fn wait_of(&self, endpoint: Endpoint) -> Option<Wait> {
        let mut found = None;
        for slow in self.waits.lock().unwrap().iter_mut().filter(|slow| slow.endpoint == endpoint) {
            slow.seen += 1;
            if (slow.from..=slow.to).contains(&slow.seen) {
                found = found.or(Some(slow.wait));
            }
        }
        found
    }

    fn take_off(&self, card: &str) -> Flight<'_> {
        let mut flights = self.flights.lock().unwrap();
        let (now, most) = flights.entry(card.to_owned()).or_default();
        *now += 1;
        *most = (*most).max(*now);
        Flight { line: self, card: card.to_owned() }
    }

    async fn call<T: Send + 'static, F: Future<Output = Result<T, PlatformError>>>(
        self: &Arc<Self>,
        endpoint: Endpoint,
        card: Option<&CardKey>,
        call: impl FnOnce(Arc<HttpPlatform>) -> F + Send + 'static,
    ) -> Result<T, PlatformError> {
        let _flight = card.map(|card| self.take_off(card.as_str()));
        let wait = self.wait_of(endpoint);
        let line = self.clone();
        let wire = async move {
            if let Some(Wait::Before(time)) = wait {
                sleep(time).await;
            }
            line.sync();
            // The paused clock stands while this runs.
            let result = spawn_blocking(move || line.real.block_on(call(line.http.clone()))).await;
            match wait {
                Some(Wait::After(time)) => sleep(time).await,
                Some(Wait::Never) => std::future::pending().await,
                Some(Wait::Before(_)) | None => {}
            }
            result.unwrap()
        };
        tokio::spawn(wire).await.unwrap()
    }
}

/// The line as delivery sees it.
struct Wire(Arc<Line>);

#[async_trait]
impl CardPlatform for Wire {
    async fn create(&self, card: &Value) -> Result<CardKey, PlatformError> {
        let json = card.clone();
        self.0.call(Endpoint::CardCreate, None, |http| async move { http.create(&json).await }).await
    }

    async fn send(&self, card: &CardKey, to: &Destination, uuid: &str) -> Result<Sent, PlatformError> {
        let (key, to, uuid) = (card.clone(), to.clone(), uuid.to_owned());
        let send = |http: Arc<HttpPlatform>| async move { http.send(&key, &to, &uuid).await };
        self.0.call(Endpoint::MessageSend, Some(card), send).await
    }

    async fn replace(&self, card: &CardKey, json: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        let (key, json, stamp) = (card.clone(), json.clone(), stamp.clone());
        let replace = |http: Arc<HttpPlatform>| async move { http.replace(&key, &json, &stamp).await };
        self.0.call(Endpoint::CardUpdate, Some(card), replace).await
    }

    async fn batch(&self, card: &CardKey, actions: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        let (key, actions, stamp) = (card.clone(), actions.clone(), stamp.clone());
        let batch = |http: Arc<HttpPlatform>| async move { http.batch(&key, &actions, &stamp).await };
        self.0.call(Endpoint::CardBatch, Some(card), batch).await
    }

    async fn content(
        &self,
        card: &CardKey,
        id: &str,
        text: &str,
        stamp: &Stamp,
    ) -> Result<(), PlatformError> {
        let (key, id, text, stamp) = (card.clone(), id.to_owned(), text.to_owned(), stamp.clone());
        let content = |http: Arc<HttpPlatform>| async move { http.content(&key, &id, &text, &stamp).await };
        self.0.call(Endpoint::ElementContent, Some(card), content).await
    }

    async fn settings(&self, card: &CardKey, settings: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        let (key, json, stamp) = (card.clone(), settings.clone(), stamp.clone());
        let settings = |http: Arc<HttpPlatform>| async move { http.settings(&key, &json, &stamp).await };
        self.0.call(Endpoint::CardSettings, Some(card), settings).await
    }

    async fn react(&self, message: &MessageKey, emoji: &str) -> Result<(), PlatformError> {
        let (message, emoji) = (message.clone(), emoji.to_owned());
        let react = |http: Arc<HttpPlatform>| async move { http.react(&message, &emoji).await };
        self.0.call(Endpoint::ReactionAdd, None, react).await
    }

    async fn say(&self, to: &Destination, text: &str, uuid: &str) -> Result<Sent, PlatformError> {
        let (to, text, uuid) = (to.clone(), text.to_owned(), uuid.to_owned());
        let say = |http: Arc<HttpPlatform>| async move { http.say(&to, &text, &uuid).await };
        self.0.call(Endpoint::MessageSend, None, say).await
    }
}
