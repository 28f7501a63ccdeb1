//! The pace of calls: as many as the platform takes, and no more.
//!
//! Guarantee: of one kind no more than the burst at once, and on average no more than the rate. Whoever waits is served
//! in the order of arrival.

use std::collections::HashMap;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// Calls of one endpoint: 1000 a minute and 50 a second (Feishu's limits for every API), with a little room.
const ENDPOINT: Rate = Rate { interval: Duration::from_micros(62_500), burst: 32 };
/// Messages into one chat: 5 a second, shared by all bots in it.
const CHAT: Rate = Rate { interval: Duration::from_millis(250), burst: 2 };

#[derive(Clone, Copy)]
struct Rate {
    /// Between two calls on average.
    interval: Duration,
    burst: u32,
}

/// What is counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// An endpoint of the platform.
    Endpoint(&'static str),
    /// A chat.
    Chat(String),
}

/// Whether a platform limits its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pacing {
    /// As the open platform does.
    #[default]
    Limited,
    /// Not at all: cards in memory.
    Unlimited,
}

/// The pace of one app.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    pacing: Pacing,
    /// When the next call of each kind would come if all came evenly.
    next: Mutex<HashMap<Kind, Instant>>,
}

impl Pace {
    pub(crate) fn new(pacing: Pacing) -> Self {
        Self { pacing, next: Mutex::default() }
    }

    /// Waits until a call may be made, and counts it.
    pub(crate) async fn wait(&self, kind: Kind) {
        if self.pacing == Pacing::Unlimited {
            return;
        }
        let rate = match kind {
            Kind::Endpoint(_) => ENDPOINT,
            Kind::Chat(_) => CHAT,
        };
        let at = {
            let mut next = self.next.lock().await;
            let now = Instant::now();
            // Chats come and go: what is even again says nothing.
            next.retain(|_, at| *at > now);
            let even = next.get(&kind).copied().unwrap_or(now);
            next.insert(kind, even + rate.interval);
            even.checked_sub(rate.interval * (rate.burst - 1)).unwrap_or(now)
        };
        sleep_until(at).await;
    }

    /// How far behind an endpoint is: zero while there is room.
    pub(crate) async fn behind(&self, kind: &Kind) -> Duration {
        let next = self.next.lock().await;
        next.get(kind).map(|at| at.saturating_duration_since(Instant::now())).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_platform_takes() {
        let pace = Pace::default();
        let begin = Instant::now();
        let mut times = Vec::new();
        for _ in 0..2_000 {
            pace.wait(Kind::Endpoint("batch")).await;
            times.push(begin.elapsed());
        }
        let most_within = |span: Duration| {
            let count =
                |from: &Duration| times.iter().filter(|at| **at >= *from && **at < *from + span).count();
            times.iter().map(count).max().unwrap_or_default()
        };
        assert!(most_within(Duration::from_secs(1)) <= 50, "{}", most_within(Duration::from_secs(1)));
        assert!(most_within(Duration::from_mins(1)) <= 1_000, "{}", most_within(Duration::from_mins(1)));
        assert!(times.last().is_some_and(|last| *last < Duration::from_secs(125)), "{:?}", times.last());
    }

    #[tokio::test(start_paused = true)]
    async fn another_kind_does_not_wait() {
        let pace = Pace::default();
        for _ in 0..10 {
            pace.wait(Kind::Chat("a".to_owned())).await;
        }
        let begin = Instant::now();
        pace.wait(Kind::Chat("b".to_owned())).await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
    }
}
