//! Delivery: the only place that calls the platform. One task a turn, one call at a time.
//!
//! Guarantees
//! - What the cards of a turn show, one after the other, is the turn: nothing is left out and nothing stands twice.
//! - State that arrives during a call only marks the card as due; the next flush takes the newest.
//! - A call whose outcome is not known makes the shadow unknown; what follows is a full refresh with a higher sequence.
//! - Sequences are reserved in the store before they are used, so that none is used twice, whatever crashes.
//! - A turn's end is tried again until the platform has it.

mod abandoned;
mod confirmed;
mod state;
mod turn;
mod write;

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use larkspan_core::ports::{Clock, StateStore};
use larkspan_core::presentation::Locale;
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::SessionInfo;
use larkspan_core::turn::Turn;
use serde::Serialize;

use crate::pace::{Pace, Pacing};
use crate::platform::{CardPlatform, Destination, MessageKey};

pub(crate) use state::state_name;
pub(crate) use turn::{Delivery, Started, Task};

/// The times of delivery.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Between two flushes of a card.
    pub interval: Duration,
    /// After a first failure.
    pub after_failure: Duration,
    /// After further failures.
    pub after_failures: Duration,
    /// After a failure that only a person can end.
    pub after_refusal: Duration,
    /// The status is shown anew when nothing else changed for this long.
    pub heartbeat: Duration,
    /// A turn of which there is nothing to show gets its card after this.
    pub placeholder: Duration,
    /// What a call may take.
    pub timeout: Duration,
    /// The stream is opened again after this; the platform closes it after 600 s.
    pub reopen: Duration,
    /// A full refresh follows parts after this.
    pub refresh: Duration,
    /// Whether calls keep to the platform's limits.
    pub pacing: Pacing,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(2),
            after_failure: Duration::from_secs(5),
            after_failures: Duration::from_secs(10),
            after_refusal: Duration::from_mins(1),
            heartbeat: Duration::from_secs(15),
            placeholder: Duration::from_secs(2),
            timeout: Duration::from_secs(15),
            reopen: Duration::from_mins(9),
            refresh: Duration::from_mins(5),
            pacing: Pacing::Limited,
        }
    }
}

/// How often a turn's end is tried before its answer is sent as plain messages.
const FINAL_TRIES: u32 = 20;

/// How often it is tried without success once the process is to end.
const LAST_TRIES: u32 = 3;

/// How long a turn whose end is shown is remembered, so that it is not shown again.
const REMEMBERED: Duration = Duration::from_hours(48);

/// How cards speak to their readers.
#[derive(Debug, Clone)]
pub struct Style {
    /// The language.
    pub locale: Locale,
    /// Where the readers' clocks are.
    pub zone: TimeZone,
}

/// What all deliveries of an app share.
pub struct Hub {
    pub(crate) platform: Arc<dyn CardPlatform>,
    pub(crate) store: Arc<dyn StateStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) style: Style,
    pub(crate) schedule: Schedule,
    pub(crate) pace: Pace,
    counters: Mutex<Counters>,
    /// The states that this process goes on with.
    claimed: Mutex<HashSet<String>>,
}

impl Hub {
    /// A hub. `store` holds open cards and sequences.
    pub fn new(
        platform: Arc<dyn CardPlatform>,
        store: Arc<dyn StateStore>,
        clock: Arc<dyn Clock>,
        style: Style,
        schedule: Schedule,
    ) -> Arc<Self> {
        let (pace, counters, claimed) = (Pace::new(schedule.pacing), Mutex::default(), Mutex::default());
        Arc::new(Self { platform, store, clock, style, schedule, pace, counters, claimed })
    }

    /// Forgets the turns whose end was shown long ago: nobody tells of them any more.
    pub async fn forget_old(&self) {
        let names = self.store.names(state::PREFIX).await.unwrap_or_default();
        let now = self.clock.now().as_millis();
        for name in names {
            let state = state::TurnState::load(self.store.as_ref(), &name).await;
            let age =
                state.done_at.map(|at| Duration::from_millis(now.saturating_sub(at).try_into().unwrap_or(0)));
            if age.is_some_and(|age| age > REMEMBERED)
                && let Err(error) = self.store.remove(&name).await
            {
                tracing::info!("an old state stays: {error}");
            }
        }
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn claim(&self, name: &str) {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
    }

    fn is_claimed(&self, name: &str) -> bool {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    pub(crate) fn count(&self, count: impl FnOnce(&mut Counters)) {
        count(&mut self.counters.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// What was done, ready for a metrics page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Calls by endpoint.
    pub calls: BTreeMap<&'static str, u64>,
    /// Calls that failed, by what it meant.
    pub failures: BTreeMap<String, u64>,
    /// Flushes by what was sent: `nothing`, `parts`, or the reason of a full refresh.
    pub plans: BTreeMap<&'static str, u64>,
    /// Bytes of card JSON sent.
    pub bytes: u64,
    /// Bytes that full refreshes would have taken.
    pub bytes_of_refreshes: u64,
    /// Time spent in calls, in milliseconds.
    pub milliseconds: u64,
    /// The longest call, in milliseconds.
    pub longest_milliseconds: u64,
    /// Cards that were sent.
    pub cards: u64,
}

/// What a turn's cards should show.
#[derive(Debug, Clone)]
pub(crate) struct Desired {
    pub(crate) turn: Arc<Turn>,
    pub(crate) session: Option<Arc<SessionInfo>>,
    /// When the agent last said something.
    pub(crate) last_text_at: Option<Timestamp>,
    /// Nobody will tell more: what is open is left as it is, and what cannot be shown is left to the next process.
    pub(crate) is_left: bool,
}

/// Where a turn's cards go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Where messages go.
    pub to: Destination,
    /// The message that gets the reaction at the end; none: the card's own.
    pub reacts_to: Option<MessageKey>,
}

#[cfg(test)]
mod tests;
