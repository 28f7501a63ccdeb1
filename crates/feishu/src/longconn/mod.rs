//! The long connection: events and clicks from the platform, without an address that it could reach.
//!
//! [`LongConnection::run`] keeps one WebSocket open for as long as it is polled, and hands on typed [`Event`]s. What it
//! promises:
//!
//! - It never gives up, but for a refusal that no repetition can change ([`ConnectionError`]). It asks for a new address
//!   each time, waits longer from time to time up to a limit, and goes on at once after the machine slept.
//! - A dead connection is noticed: the platform must be heard within 2.5 ping intervals.
//! - An event is acknowledged once it is claimed durably and handed on; else the platform is asked to send it again. It
//!   is handed on once, over restarts, for 8 hours; between claim and work a crash loses it rather than doing it twice.
//! - A message that is old when it comes is flagged ([`MessageReceived::stale`]), not hidden.
//! - A click is answered within 2 s, by [`CardActions`] or with nothing.
//!
//! In the console the app must use 长连接 (long connection) for events and for callbacks.

mod assembly;
mod backoff;
mod callback;
mod dial;
mod endpoint;
mod event;
mod frame;
mod intake;
mod seen;
mod session;

use std::sync::Arc;
use std::time::Duration;

use larkspan_core::ports::{Clock, StateStore, StoreError};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

pub use callback::{ActionReply, CardActions, NoReply, Toast, ToastKind};
pub use event::{
    CardAction, ChatEvent, ChatKind, Event, Mention, MessageContent, MessageReceived, OtherEvent, UserIds,
};

use self::backoff::{Backoff, GOOD_AFTER};
use self::dial::{Dialer, HttpDialer};
use self::endpoint::Failure;
use self::intake::{Intake, Job};
use self::seen::Seen;
use self::session::{Ended, Session, WakeWatch};
use crate::platform::AppSettings;

/// A message that is older than this when it comes is stale, unless another limit is set. It covers the platform's first
/// two repetitions (15 s and 5 min).
pub const STALE_AFTER: Duration = Duration::from_mins(10);

/// A connection without an event for so long is made anew, unless another limit is set: reports tell of connections that
/// answer pings and bring no events.
pub const QUIET_LIMIT: Duration = Duration::from_hours(1);

/// The wait while the app has too many connections.
const TOO_MANY_WAIT: Duration = Duration::from_mins(5);

/// Most events that wait to be taken.
const JOBS_MAX: usize = 64;

/// Why the long connection ended for good.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The platform refuses it, and will go on doing so. The text says what to check.
    #[error("{0}")]
    Refused(String),
    /// It cannot be read which events were seen already.
    #[error("the list of events that were seen cannot be read")]
    Store(#[from] StoreError),
}

/// How the connection is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// It is being made.
    Connecting,
    /// It is up.
    Connected,
    /// It is not up, and is made again after a wait.
    Waiting {
        /// Why it is not up.
        why: String,
        /// How long the wait is, from its begin.
        wait: Duration,
    },
    /// It ended for good.
    Stopped {
        /// Why.
        why: String,
    },
}

/// The long connection of an app.
pub struct LongConnection {
    app_id: String,
    dialer: Arc<dyn Dialer>,
    store: Arc<dyn StateStore>,
    clock: Arc<dyn Clock>,
    actions: Arc<dyn CardActions>,
    stale_after: Duration,
    quiet_limit: Duration,
    state: watch::Sender<ConnectionState>,
}

impl std::fmt::Debug for LongConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LongConnection").field("app_id", &self.app_id).finish_non_exhaustive()
    }
}

impl LongConnection {
    /// A connection for this app; nothing is sent yet. `store` keeps which events were seen, `clock` tells the calendar
    /// time. Clicks are answered with nothing.
    pub fn new(settings: AppSettings, store: Arc<dyn StateStore>, clock: Arc<dyn Clock>) -> Self {
        let app_id = settings.app_id.clone();
        Self::over(Arc::new(HttpDialer::new(settings)), app_id, store, clock)
    }

    fn over(
        dialer: Arc<dyn Dialer>,
        app_id: String,
        store: Arc<dyn StateStore>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            app_id,
            dialer,
            store,
            clock,
            actions: Arc::new(NoReply),
            stale_after: STALE_AFTER,
            quiet_limit: QUIET_LIMIT,
            state: watch::Sender::new(ConnectionState::Connecting),
        }
    }

    /// Lets clicks be answered by `actions`.
    #[must_use]
    pub fn with_actions(mut self, actions: Arc<dyn CardActions>) -> Self {
        self.actions = actions;
        self
    }

    /// Sets from which age on a message is stale.
    #[must_use]
    pub fn with_stale_after(mut self, age: Duration) -> Self {
        self.stale_after = age;
        self
    }

    /// Sets how long a connection may be without an event.
    #[must_use]
    pub fn with_quiet_limit(mut self, limit: Duration) -> Self {
        self.quiet_limit = limit;
        self
    }

    /// How the connection is, now and later.
    pub fn state(&self) -> watch::Receiver<ConnectionState> {
        self.state.subscribe()
    }

    /// Keeps the connection and hands on events, until `events` is closed or the platform refuses for good. Dropping the
    /// future ends the connection.
    ///
    /// # Errors
    ///
    /// When the platform will go on refusing, or when it cannot be read which events were seen.
    pub async fn run(self, events: mpsc::Sender<Event>) -> Result<(), ConnectionError> {
        let seen = Seen::load(self.store.clone(), &self.app_id, self.clock.now()).await?;
        let intake = Intake {
            seen,
            clock: self.clock.clone(),
            events,
            actions: self.actions.clone(),
            stale_after: self.stale_after,
        };
        let (jobs, taken) = mpsc::channel(JOBS_MAX);
        let why = tokio::select! {
            why = self.keep(&jobs) => why,
            () = intake.run(taken) => {
                self.state.send_replace(ConnectionState::Stopped { why: "nobody listens any more".to_owned() });
                return Ok(());
            }
        };
        self.state.send_replace(ConnectionState::Stopped { why: why.clone() });
        Err(ConnectionError::Refused(why))
    }

    /// Connects again and again. Ends with a refusal that is final.
    async fn keep(&self, jobs: &mpsc::Sender<Job>) -> String {
        let mut backoff = Backoff::default();
        let mut wake = WakeWatch::new(self.clock.clone());
        loop {
            self.state.send_replace(ConnectionState::Connecting);
            let (why, wait) = match self.once(jobs, &mut backoff, &mut wake).await {
                Ok(Ended::Renewed(why)) => {
                    tracing::info!(why, "the long connection is made anew");
                    continue;
                }
                Ok(Ended::Lost(why)) | Err(Failure::Failed(why)) => (why, backoff.next(chance())),
                Err(Failure::TooMany(why)) => (why, TOO_MANY_WAIT),
                Err(Failure::Refused(why)) => return why,
            };
            tracing::warn!(why, wait_s = wait.as_secs_f64(), "no long connection; it is made again");
            self.state.send_replace(ConnectionState::Waiting { why, wait });
            wake.pause(wait).await;
        }
    }

    /// One connection.
    async fn once(
        &self,
        jobs: &mpsc::Sender<Job>,
        backoff: &mut Backoff,
        wake: &mut WakeWatch,
    ) -> Result<Ended, Failure> {
        let endpoint = self.dialer.endpoint().await?;
        let stream = self.dialer.open(&endpoint).await?;
        let began = Instant::now();
        let session = Session::new(stream, &endpoint, jobs).await;
        tracing::info!("the long connection is up");
        self.state.send_replace(ConnectionState::Connected);
        let (ended, config) = session.run(wake, self.quiet_limit).await;
        if let Some(interval) = config.reconnect {
            backoff.limit_to(interval);
        }
        if began.elapsed() >= GOOD_AFTER {
            backoff.reset();
        }
        Ok(ended)
    }
}

/// Any number, so that many programs do not connect at the same moment.
fn chance() -> u32 {
    getrandom::u32().unwrap_or(u32::MAX / 2)
}

#[cfg(test)]
mod tests;
