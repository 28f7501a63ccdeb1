//! How long to wait before connecting again: longer each time, up to a limit, with chance in it. No I/O.
//!
//! There is no last attempt. The platform's `ReconnectCount` and `ReconnectNonce` are not used: a person who waits for an
//! answer is better served by a first attempt within a second or two.

use std::time::Duration;

/// The first wait, at most.
const FIRST: Duration = Duration::from_secs(1);

/// The wait never grows beyond this, unless the platform asks for another limit.
const LIMIT: Duration = Duration::from_mins(2);

/// Bounds of the limit that the platform may ask for (`ReconnectInterval`).
const LIMIT_BOUNDS: (Duration, Duration) = (Duration::from_secs(10), Duration::from_mins(5));

/// A connection that lasted so long was a good one: the next wait is short again.
pub(crate) const GOOD_AFTER: Duration = Duration::from_mins(1);

/// The waits.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    attempts: u32,
    limit: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { attempts: 0, limit: LIMIT }
    }
}

impl Backoff {
    /// Takes over the interval that the platform asks for.
    pub(crate) fn limit_to(&mut self, interval: Duration) {
        self.limit = interval.clamp(LIMIT_BOUNDS.0, LIMIT_BOUNDS.1);
    }

    /// A connection was good.
    pub(crate) fn reset(&mut self) {
        self.attempts = 0;
    }

    /// The next wait: between half of and the whole of a time that doubles. `chance` is any number.
    pub(crate) fn next(&mut self, chance: u32) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.attempts.min(20)).min(self.limit);
        self.attempts = self.attempts.saturating_add(1);
        let half = whole / 2;
        half + half.mul_f64(f64::from(chance) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn waits_grow_to_the_limit_and_begin_anew() {
        let mut backoff = Backoff::default();
        let millis = |backoff: &mut Backoff, chance| backoff.next(chance).as_millis();
        let waits: Vec<_> = (0..10).map(|_| millis(&mut backoff, u32::MAX)).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 120, 120, 120].map(|seconds| seconds * 1000));
        assert_eq!(millis(&mut backoff, 0), 60_000);
        backoff.reset();
        assert_eq!(millis(&mut backoff, 0), 500);
        for (asked, expected) in [(0, 10), (30, 30), (86_400, 300)] {
            backoff.limit_to(Duration::from_secs(asked));
            let last = (0..40).map(|_| backoff.next(u32::MAX)).last().unwrap();
            assert_eq!(last, Duration::from_secs(expected));
        }
    }

    proptest! {
        #[test]
        fn no_wait_is_zero_or_beyond_the_limit(chances in proptest::collection::vec(any::<u32>(), 1..200)) {
            let mut backoff = Backoff::default();
            for chance in chances {
                let wait = backoff.next(chance);
                prop_assert!(wait >= FIRST / 2 && wait <= LIMIT);
            }
        }
    }
}
