//! Cards: how long one takes to be rendered and planned, what is sent, how often, and how soon after a line is written.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use async_trait::async_trait;
use jiff::tz::TimeZone;
use larkspan_codex_adapter::log::LogReader;
use larkspan_core::ids::SessionId;
use larkspan_core::ports::{CardSurface, Clock, StateStore, StoreError};
use larkspan_core::presentation::Locale;
use larkspan_core::time::Timestamp;
use larkspan_core::turn::{Change, Turn, TurnReducer};
use larkspan_feishu::card::{Content, Delivered, Masking, Phase, View, render};
use larkspan_feishu::delivery::{Hub, Schedule, Style, Target};
use larkspan_feishu::plan::{Plan, Shadow, Trust, plan};
use larkspan_feishu::platform::{
    CardKey, CardPlatform, ChatKey, Destination, MessageKey, PlatformError, Sent, Stamp,
};
use larkspan_feishu::{Cards, MemoryPlatform, document};
use larkspan_tests::fake_feishu::{Endpoint, FakeFeishu, Settings};
use serde_json::{Value, json};

use super::measure::times;

/// Calls of the turn whose bytes are counted.
const CALLS: usize = 100;
/// Live cards at once, for so long, each changing this often.
const LIVE: usize = 200;
const LIVE_FOR: Duration = Duration::from_mins(3);
const CHANGE: Duration = Duration::from_secs(1);
/// Lines that are written, with a pause in which the card comes to rest.
const LINES: usize = 12;
const REST: Duration = Duration::from_millis(2_300);

/// A log that is written row by row, and the turn that it tells of.
struct Log {
    reader: LogReader,
    reducer: TurnReducer,
    position: u64,
    ended: Option<Arc<Turn>>,
}

impl Log {
    fn new() -> Self {
        let mut log =
            Self { reader: LogReader::new("bench"), reducer: TurnReducer::new(), position: 0, ended: None };
        log.row(
            "session_meta",
            &json!({"id": "01a00000-0000-7000-8000-000000000000", "cwd": "/w/demo",
            "cli_version": "0.171.0", "history_mode": "paginated"}),
        );
        log.event(&json!({"type": "task_started", "turn_id": "1"}));
        log.event(&json!({"type": "item_completed", "turn_id": "1", "item": {
            "type": "UserMessage", "id": "u", "content": [{"type": "text", "text": "Fix the flaky test."}]}}));
        log
    }

    fn row(&mut self, kind: &str, payload: &Value) {
        let line =
            json!({"timestamp": "2026-12-01T00:00:00.000Z", "type": kind, "payload": payload}).to_string();
        self.position += line.len() as u64 + 1;
        let mut records = Vec::new();
        self.reader.line(line.as_bytes(), self.position, &mut records);
        for change in records.into_iter().flat_map(|record| self.reducer.apply(record)) {
            if let Change::TurnEnded(turn) = change {
                self.ended = Some(turn);
            }
        }
    }

    fn event(&mut self, payload: &Value) {
        self.row("event_msg", payload);
    }

    fn starts(&mut self, number: usize) {
        let arguments = json!({"cmd": format!("cargo test -p crate{number} -- --nocapture")}).to_string();
        self.row(
            "response_item",
            &json!({"type": "function_call", "name": "exec_command",
            "call_id": format!("c{number}"), "arguments": arguments}),
        );
    }

    fn ends(&mut self, number: usize) {
        let failed = number % 10 == 7;
        self.event(&json!({"type": "item_completed", "turn_id": "1", "item": {"type": "CommandExecution",
            "id": format!("c{number}"), "command": format!("cargo test -p crate{number} -- --nocapture"),
            "status": if failed { "failed" } else { "completed" }, "exit_code": i32::from(failed),
            "duration": {"secs": 1, "nanos": 0}, "aggregated_output": "one\ntwo\nthree\n"}}));
        self.row("response_item", &json!({"type": "function_call_output", "call_id": format!("c{number}"),
            "output": format!("Wall time: 1.0 seconds\nProcess exited with code {}\nOutput:\none\ntwo\n", i32::from(failed))}));
    }

    fn says(&mut self, text: &str) {
        let id = format!("m{}", self.position);
        self.event(&json!({"type": "item_completed", "turn_id": "1", "item": {
            "type": "AgentMessage", "id": id, "content": [{"type": "Text", "text": text}]}}));
    }

    fn done(&mut self) {
        self.event(&json!({"type": "task_complete", "turn_id": "1", "last_agent_message": null}));
    }

    fn turn(&self) -> Result<Turn> {
        self.ended.as_deref().cloned().or_else(|| self.reducer.turn()).context("the log has no turn")
    }
}

fn card(turn: &Turn) -> (Value, bool) {
    let none = Delivered::default();
    let view = View {
        turn,
        session: None,
        locale: Locale::ZhCn,
        zone: &TimeZone::UTC,
        now: Timestamp::from_millis(1_796_032_800_000),
        last_text_at: None,
        phase: Phase::Live,
        masking: Masking::Usual,
        part: 0,
        max_tables: 3,
    };
    let rendered = render(&view, Content::From(&none));
    (rendered.json, rendered.is_complete)
}

/// Rendering the fullest card and planning what one ended call changes.
fn planning() -> Result<Value> {
    let mut log = Log::new();
    let mut full = None;
    for number in 0.. {
        log.starts(number);
        let before = log.turn()?;
        log.ends(number);
        let after = log.turn()?;
        if !card(&after).1 {
            break;
        }
        full = Some((card(&before).0, after));
    }
    let (held, turn) = full.context("no call fits into a card")?;
    let shadow = Shadow { json: held, trust: Trust::Trusted };
    let json = card(&turn).0;
    let Plan::Parts { batch, .. } = plan(&json, &shadow, true) else {
        bail!("one ended call is planned as a refresh")
    };
    let sent: usize = batch.iter().map(|action| document::bytes(&action.to_json())).sum();
    let rendering = times(|| {
        black_box(card(black_box(&turn)));
    });
    let both = times(|| {
        let (json, _) = card(black_box(&turn));
        black_box(plan(&json, &shadow, true));
    });
    Ok(json!({
        "components": document::components(&json), "bytes": document::bytes(&json), "sent": sent,
        "render_ns": rendering.median, "both_ns": both.median,
    }))
}

/// A clock that follows the paused time.
struct Paused(tokio::time::Instant);

impl Clock for Paused {
    fn now(&self) -> Timestamp {
        let passed = i64::try_from(self.0.elapsed().as_millis()).unwrap_or_default();
        Timestamp::from_millis(1_796_032_800_000 + passed)
    }
}

/// A store that forgets: no run follows.
struct Nothing;

#[async_trait]
impl StateStore for Nothing {
    async fn get(&self, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }
    async fn put(&self, _: &str, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }
    async fn remove(&self, _: &str) -> Result<(), StoreError> {
        Ok(())
    }
    async fn names(&self, _: &str) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
}

/// A platform that notes when it is called, and for what.
struct Noted {
    inner: MemoryPlatform,
    begin: tokio::time::Instant,
    calls: Mutex<Vec<(Duration, &'static str, Option<CardKey>)>>,
}

impl Noted {
    fn new() -> Arc<Self> {
        let inner = MemoryPlatform::new(Box::new(|_, _| ()));
        Arc::new(Self { inner, begin: tokio::time::Instant::now(), calls: Mutex::default() })
    }

    fn note(&self, endpoint: &'static str, card: Option<&CardKey>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push((self.begin.elapsed(), endpoint, card.cloned()));
    }
}

#[async_trait]
impl CardPlatform for Noted {
    async fn create(&self, card: &Value) -> Result<CardKey, PlatformError> {
        self.note("create", None);
        self.inner.create(card).await
    }
    async fn send(&self, card: &CardKey, to: &Destination, uuid: &str) -> Result<Sent, PlatformError> {
        self.note("send", None);
        self.inner.send(card, to, uuid).await
    }
    async fn replace(&self, card: &CardKey, json: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        self.note("replace", Some(card));
        self.inner.replace(card, json, stamp).await
    }
    async fn batch(&self, card: &CardKey, actions: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        self.note("batch", Some(card));
        self.inner.batch(card, actions, stamp).await
    }
    async fn content(
        &self,
        card: &CardKey,
        id: &str,
        text: &str,
        stamp: &Stamp,
    ) -> Result<(), PlatformError> {
        self.note("content", Some(card));
        self.inner.content(card, id, text, stamp).await
    }
    async fn settings(&self, card: &CardKey, settings: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        self.note("settings", Some(card));
        self.inner.settings(card, settings, stamp).await
    }
    async fn react(&self, message: &MessageKey, emoji: &str) -> Result<(), PlatformError> {
        self.note("react", None);
        self.inner.react(message, emoji).await
    }
    async fn say(&self, to: &Destination, text: &str, uuid: &str) -> Result<Sent, PlatformError> {
        self.note("say", None);
        self.inner.say(to, text, uuid).await
    }
}

fn hub(platform: &Arc<Noted>) -> Arc<Hub> {
    let clock = Arc::new(Paused(tokio::time::Instant::now()));
    let style = Style { locale: Locale::ZhCn, zone: TimeZone::UTC };
    Hub::new(platform.clone(), Arc::new(Nothing), clock, style, Schedule::default())
}

fn target(chat: &str) -> Target {
    Target { to: Destination::Chat(ChatKey(chat.to_owned())), reacts_to: None }
}

fn paused() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .context("the runtime could not be started")
}

async fn tell(cards: &Cards, log: &Log) -> Result<()> {
    let session = SessionId::new("s");
    match &log.ended {
        Some(turn) => cards.show(&session, &[Change::TurnEnded(turn.clone())], None).await?,
        None => cards.show(&session, &[], Some(Arc::new(log.turn()?))).await?,
    }
    Ok(())
}

/// What a long turn sends, with a flush at each start and each end of a call, against the whole card each time.
fn bytes() -> Result<Value> {
    paused()?.block_on(async {
        let platform = Noted::new();
        let hub = hub(&platform);
        let cards = Cards::new(hub.clone(), target("oc_1"), "oc_1");
        let mut log = Log::new();
        for number in 0..CALLS {
            log.starts(number);
            tell(&cards, &log).await?;
            tokio::time::sleep(Duration::from_secs(3)).await;
            log.ends(number);
            if number % 10 == 9 {
                log.says(&format!("Ten more are done, {number} in all. {}", "On it goes. ".repeat(20)));
            }
            tell(&cards, &log).await?;
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
        log.says("All of them pass.");
        log.done();
        tell(&cards, &log).await?;
        cards.finish().await?;
        let counters = hub.counters();
        Ok(json!({
            "calls": CALLS, "cards": counters.cards, "sent": counters.bytes,
            "refreshes": counters.bytes_of_refreshes, "plans": counters.plans,
        }))
    })
}

/// The most calls within a span, of those with the same key.
fn most<K: Ord>(calls: impl Iterator<Item = (Duration, K)>, span: Duration) -> usize {
    let mut by: BTreeMap<K, Vec<Duration>> = BTreeMap::new();
    for (at, key) in calls {
        by.entry(key).or_default().push(at);
    }
    let within = |times: &Vec<Duration>| {
        let count = |from: usize| times.iter().skip(from).take_while(|at| **at < times[from] + span).count();
        (0..times.len()).map(count).max().unwrap_or_default()
    };
    by.values().map(within).max().unwrap_or_default()
}

/// Many cards at once: how often the platform is called.
fn rates() -> Result<Value> {
    paused()?.block_on(async {
        let platform = Noted::new();
        let hub = hub(&platform);
        let mut all = Vec::new();
        for number in 0..LIVE {
            let cards = Cards::new(hub.clone(), target(&format!("oc_{}", number % 20)), "bench");
            all.push((cards, Log::new(), SessionId::new(format!("s{number}"))));
        }
        let rounds = u32::try_from(LIVE_FOR.as_secs() / CHANGE.as_secs()).unwrap_or(1);
        for round in 0..rounds {
            for (cards, log, session) in &mut all {
                let number = usize::try_from(round / 2)?;
                if round % 2 == 0 { log.starts(number % 30) } else { log.ends(number % 30) }
                cards.show(session, &[], Some(Arc::new(log.turn()?))).await?;
            }
            tokio::time::sleep(CHANGE).await;
        }
        let calls = platform.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let (second, minute) = (Duration::from_secs(1), Duration::from_mins(1));
        let endpoints = || calls.iter().map(|(at, endpoint, _)| (*at, *endpoint));
        let cards = calls.iter().filter_map(|(at, _, card)| Some((*at, card.as_ref()?.0.clone())));
        let batches = calls.iter().filter(|(_, endpoint, _)| *endpoint == "batch").count();
        Ok(json!({
            "cards": LIVE, "seconds": LIVE_FOR.as_secs(), "calls": calls.len(),
            "endpoint_per_second": most(endpoints(), second), "endpoint_per_minute": most(endpoints(), minute),
            "card_per_second": most(cards, second),
            "seconds_between_updates": LIVE_FOR.as_secs_f64() * LIVE as f64 / batches as f64,
        }))
    })
}

/// From a line's write to the platform's call, with the program in between.
fn latency(larkspan: &Path) -> Result<Value> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let fake = FakeFeishu::start(Settings::default()).await?;
        let home = tempfile::tempdir()?;
        let path = home.path().join("log.jsonl");
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        let mut write = |kind: &str, payload: Value| -> Result<()> {
            let line = json!({"timestamp": "2026-12-01T00:00:00.000Z", "type": kind, "payload": payload});
            file.write_all(format!("{line}\n").as_bytes()).context("the log cannot be written")
        };
        write(
            "session_meta",
            json!({"id": "01a00000-0000-7000-8000-000000000000", "cwd": "/w",
            "cli_version": "0.171.0", "history_mode": "paginated"}),
        )?;
        write("event_msg", json!({"type": "task_started", "turn_id": "1"}))?;
        let says = |text: String| {
            json!({"type": "item_completed", "turn_id": "1", "item": {
            "type": "AgentMessage", "id": text, "content": [{"type": "Text", "text": text}]}})
        };
        let mut mirror = Command::new(larkspan)
            .args(["mirror", "--surface", "feishu", "--from", "start", "--session"])
            .arg(&path)
            .env("LARKSPAN_HOME", home.path())
            .env("LARKSPAN_FEISHU_APP_ID", fake.app_id())
            .env("LARKSPAN_FEISHU_APP_SECRET", fake.app_secret())
            .env("LARKSPAN_FEISHU_DOMAIN", fake.base_url())
            .env("LARKSPAN_FEISHU_CHAT", fake.chat_id())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("larkspan does not start")?;
        let mut milliseconds = Vec::new();
        write("event_msg", says("begin".to_owned()))?;
        let measured = async {
            fake.until(|fake| !fake.sent().is_empty()).await;
            for number in 0..LINES {
                tokio::time::sleep(REST).await;
                let writes = |fake: &FakeFeishu| {
                    [Endpoint::CardBatch, Endpoint::ElementContent, Endpoint::CardUpdate]
                        .map(|endpoint| fake.calls_of(endpoint).len())
                        .iter()
                        .sum::<usize>()
                };
                let before = writes(&fake);
                let written = Instant::now();
                write("event_msg", says(format!("line {number}")))?;
                fake.until(|fake| writes(fake) > before).await;
                milliseconds.push(written.elapsed().as_secs_f64() * 1e3);
            }
            anyhow::Ok(())
        };
        let result = tokio::time::timeout(Duration::from_mins(2), measured).await;
        mirror.kill()?;
        mirror.wait()?;
        result.context("the program does not show what is written")??;
        milliseconds.sort_by(f64::total_cmp);
        let middle = milliseconds.get(milliseconds.len() / 2).copied();
        Ok(json!({"lines": LINES, "median_ms": middle, "worst_ms": milliseconds.last()}))
    })
}

/// All of it.
pub(crate) fn run(larkspan: &Path) -> Result<Value> {
    Ok(json!({
        "planning": planning()?, "bytes": bytes()?, "rates": rates()?, "latency": latency(larkspan)?,
    }))
}
