//! The wiring of cards: onto Feishu or Lark, or into the local page.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use jiff::tz::TimeZone;
use larkspan_core::ports::{CardSurface, Clock, StateStore, StoreError};
use larkspan_core::presentation::Locale;
use larkspan_core::time::Timestamp;
use larkspan_feishu::delivery::{Hub, Schedule, Style, Target};
use larkspan_feishu::platform::{CardKey, ChatKey, Destination, HttpPlatform, PlatformError, Rejection};
use larkspan_feishu::{Cards, MemoryPlatform, Pacing};
use larkspan_web::{Board, Card};

use super::config::{self, Feishu};
use super::environment::Environment;
use super::say;

/// Where cards go.
pub(super) enum Way {
    /// Into the local page.
    Page { board: Arc<Board>, locale: Locale },
    /// Into a chat.
    Chat { hub: Arc<Hub>, chat: String },
}

/// The local page has no limits to keep to.
fn local_schedule() -> Schedule {
    Schedule {
        interval: Duration::from_millis(200),
        placeholder: Duration::from_secs(1),
        pacing: Pacing::Unlimited,
        ..Schedule::default()
    }
}

impl Way {
    /// The surface of one session.
    pub(super) fn surface(&self, session: &Path) -> Box<dyn CardSurface> {
        let (hub, to) = match self {
            Self::Page { board, locale } => {
                let (board, session) = (board.clone(), session.display().to_string());
                let show = move |card: &CardKey, json: &serde_json::Value| {
                    let id = format!("{session}#{card}");
                    board.show(Card { id, session: session.clone() }, json);
                };
                let platform = Arc::new(MemoryPlatform::new(Box::new(show)));
                let clock = Arc::new(SystemClock);
                let hub = Hub::new(platform, Arc::new(Forgetful), clock, style(*locale), local_schedule());
                (hub, "page".to_owned())
            }
            Self::Chat { hub, chat } => (hub.clone(), chat.clone()),
        };
        let target = Target { to: Destination::Chat(ChatKey(to.clone())), reacts_to: None };
        Box::new(Cards::new(hub, target, &to))
    }

    /// What the state of following is named after.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Page { .. } => "page".to_owned(),
            Self::Chat { chat, .. } => format!("feishu/{chat}"),
        }
    }

    /// Whether cards outlive the process, so that the next one goes on with them.
    pub(super) fn is_remembered(&self) -> bool {
        match self {
            Self::Page { .. } => false,
            Self::Chat { .. } => true,
        }
    }
}

/// The person's language and the time zone of this machine.
fn style(locale: Locale) -> Style {
    Style { locale, zone: TimeZone::system() }
}

/// The client of the configured app.
pub(super) fn platform(feishu: &Feishu) -> Result<HttpPlatform> {
    HttpPlatform::new(feishu.settings()?, Arc::new(SystemClock))
        .context("the client of the Feishu platform could not be made")
}

/// Cards into a chat. Wrong credentials are said at once; what may pass is waited for.
pub(super) async fn chat(
    environment: &Environment,
    chat: Option<String>,
    locale: Locale,
    store: Arc<dyn StateStore>,
) -> Result<Way> {
    let feishu = config::feishu(environment)?;
    let chat = chat.or_else(|| feishu.chat.clone()).context(
        "no chat is named: give --chat oc_…, set LARKSPAN_FEISHU_CHAT, or chat under [feishu] in the configuration; \
         docs/feishu-setup.md shows how to find its id",
    )?;
    let platform = platform(&feishu)?;
    match platform.bot_info().await {
        Ok(bot) => tracing::info!("the bot is {bot:?}"),
        Err(
            error @ PlatformError::Rejected {
                rejection: Rejection::Credentials | Rejection::Forbidden, ..
            },
        ) => {
            return Err(error.into());
        }
        Err(error) => say::warning(&format!("{error}; turns are kept and shown when it works")),
    }
    let clock = Arc::new(SystemClock);
    let hub = Hub::new(Arc::new(platform), store, clock, style(locale), Schedule::default());
    hub.forget_old().await;
    tokio::spawn(end_abandoned(hub.clone()));
    Ok(Way::Chat { hub, chat })
}

/// Ends, now and then, the cards that no process goes on with. Whoever is about to do so has some time first.
async fn end_abandoned(hub: Arc<Hub>) {
    tokio::time::sleep(Duration::from_secs(30)).await;
    loop {
        hub.end_abandoned().await;
        tokio::time::sleep(Duration::from_mins(5)).await;
    }
}

/// The clock of this machine.
pub(super) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// A store that remembers nothing.
pub(super) struct Forgetful;

#[async_trait::async_trait]
impl StateStore for Forgetful {
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
