//! The fake's time: real, or standing still until a test moves it.
//!
//! Invariants
//! - Time never goes back; [`Clock::advance`] wakes everybody who waits for a point that it passed.
//! - Everything in the fake that depends on time (streaming, rates, tokens, redelivery, delays) asks this clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;
use tokio::time::Instant;

/// How time goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Time {
    /// As outside, and it may be moved on.
    #[default]
    Real,
    /// Only when a test moves it.
    Virtual,
}

/// Where a virtual clock starts, in Unix time: some day in October 2025.
const VIRTUAL_EPOCH: Duration = Duration::from_secs(1_760_000_000);

/// The clock of one fake.
#[derive(Debug)]
pub(super) struct Clock {
    time: Time,
    start: Instant,
    epoch: Duration,
    advanced: watch::Sender<Duration>,
}

impl Clock {
    pub(super) fn new(time: Time) -> Self {
        let epoch = match time {
            Time::Real => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(VIRTUAL_EPOCH),
            Time::Virtual => VIRTUAL_EPOCH,
        };
        Self { time, start: Instant::now(), epoch, advanced: watch::Sender::new(Duration::ZERO) }
    }

    /// Since the fake was started.
    pub(super) fn now(&self) -> Duration {
        let advanced = *self.advanced.borrow();
        match self.time {
            Time::Real => self.start.elapsed() + advanced,
            Time::Virtual => advanced,
        }
    }

    /// A point of [`Clock::now`] in milliseconds since 1970.
    pub(super) fn unix_millis(&self, at: Duration) -> u128 {
        (self.epoch + at).as_millis()
    }

    pub(super) fn advance(&self, by: Duration) {
        self.advanced.send_modify(|advanced| *advanced += by);
    }

    /// Returns once it is `due`.
    pub(super) async fn sleep_until(&self, due: Duration) {
        let mut advanced = self.advanced.subscribe();
        loop {
            let left = due.saturating_sub(self.now());
            if left.is_zero() {
                return;
            }
            match self.time {
                // The sender lives in `self`, so the channel cannot close while we wait.
                Time::Virtual => drop(advanced.changed().await),
                Time::Real => {
                    tokio::select! {
                        () = tokio::time::sleep(left) => {}
                        _ = advanced.changed() => {}
                    }
                }
            }
        }
    }
}
