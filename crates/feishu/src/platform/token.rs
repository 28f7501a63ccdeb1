//! The tenant token: fetched once for everybody, fetched anew before it ends, dropped when the platform refuses it.
//!
//! Facts (official documentation of `tenant_access_token/internal`): it lives two hours at most; the platform gives the
//! same one while at least 30 minutes remain, and a new one, beside the old, when fewer do.
//! Invariants: one fetch at a time; those who wait for it share its outcome, its failure too. A token that still lives
//! is used when a new one cannot be had. The token is in no `Debug` output.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use larkspan_core::ports::Clock;
use larkspan_core::time::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Mutex;

use super::PlatformError;

/// With less than this left, a new token is fetched.
const RENEW_BEFORE: Duration = Duration::from_mins(30);

/// After a renewal that failed, the old token is used for so long before the next attempt.
const RENEW_AGAIN: Duration = Duration::from_secs(30);

/// A token as it was fetched.
#[derive(Debug, Clone)]
pub(crate) struct Fetched {
    /// The token.
    pub(crate) token: SecretString,
    /// How long it lives.
    pub(crate) lives: Duration,
}

#[derive(Debug, Clone)]
struct Held {
    token: SecretString,
    /// Not usable from here on.
    ends: Timestamp,
    /// A new one is fetched from here on.
    renew: Timestamp,
}

/// What a fetch that failed leaves to those who waited for it.
#[derive(Debug)]
struct Slot {
    held: Option<Held>,
    /// Counts the fetches that are over.
    fetches: u64,
    /// Why the last one failed.
    failure: Option<PlatformError>,
}

/// Keeps the token.
pub(crate) struct TokenCache {
    clock: Arc<dyn Clock>,
    slot: Mutex<Slot>,
    /// As [`Slot::fetches`], readable while a fetch goes on.
    fetches: std::sync::atomic::AtomicU64,
}

impl TokenCache {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let slot = Slot { held: None, fetches: 0, failure: None };
        Self { clock, slot: Mutex::new(slot), fetches: std::sync::atomic::AtomicU64::new(0) }
    }

    /// The token, from memory or by `fetch`.
    pub(crate) async fn get<F, T>(&self, fetch: F) -> Result<SecretString, PlatformError>
    where
        F: FnOnce() -> T,
        T: Future<Output = Result<Fetched, PlatformError>>,
    {
        let seen = self.fetches.load(std::sync::atomic::Ordering::Acquire);
        let mut slot = self.slot.lock().await;
        let now = self.clock.now();
        if let Some(held) = slot.held.as_ref().filter(|held| now < held.renew) {
            return Ok(held.token.clone());
        }
        // Somebody fetched while this call waited, and failed: not everybody asks again.
        if slot.fetches != seen
            && let Some(failure) = &slot.failure
        {
            return Err(repeated(failure));
        }
        let fetched = fetch().await;
        slot.fetches = slot.fetches.wrapping_add(1);
        self.fetches.store(slot.fetches, std::sync::atomic::Ordering::Release);
        let now = self.clock.now();
        match fetched {
            Ok(Fetched { token, lives }) => {
                // A token that lives for less than an hour is not fetched again with every call.
                let renew_before = RENEW_BEFORE.min(lives / 2);
                let held = Held {
                    token: token.clone(),
                    ends: after(now, lives),
                    renew: after(now, lives.saturating_sub(renew_before)),
                };
                slot.held = Some(held);
                slot.failure = None;
                Ok(token)
            }
            Err(error) => {
                let usable = slot.held.as_mut().filter(|held| now < held.ends);
                match (usable, &error) {
                    (_, PlatformError::Rejected { .. }) | (None, _) => {
                        slot.held = None;
                        slot.failure = Some(repeated(&error));
                        Err(error)
                    }
                    (Some(held), _) => {
                        held.renew = after(now, RENEW_AGAIN);
                        Ok(held.token.clone())
                    }
                }
            }
        }
    }

    /// Drops a token that the platform refused, unless another took its place already.
    pub(crate) async fn drop_refused(&self, refused: &SecretString) {
        let mut slot = self.slot.lock().await;
        if slot.held.as_ref().is_some_and(|held| held.token.expose_secret() == refused.expose_secret()) {
            slot.held = None;
        }
    }
}

fn after(time: Timestamp, by: Duration) -> Timestamp {
    let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(time.as_millis().saturating_add(by))
}

/// The same failure for somebody else; its cause stays with the first.
fn repeated(error: &PlatformError) -> PlatformError {
    match error {
        PlatformError::RateLimited { retry_after } => {
            PlatformError::RateLimited { retry_after: *retry_after }
        }
        PlatformError::Unknown { context, .. } => {
            PlatformError::Unknown { context: context.clone(), source: None }
        }
        PlatformError::Unreachable { context, .. } => {
            PlatformError::Unreachable { context: context.clone(), source: None }
        }
        PlatformError::Rejected { rejection, code, context } => {
            PlatformError::Rejected { rejection: *rejection, code: *code, context: context.clone() }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use larkspan_core::testing::TestClock;

    use super::*;
    use crate::platform::Rejection;

    struct Bench {
        clock: TestClock,
        cache: Arc<TokenCache>,
        asked: Arc<AtomicU32>,
    }

    fn bench() -> Bench {
        let clock = TestClock::at(Timestamp::from_millis(1_800_000_000_000));
        let cache = Arc::new(TokenCache::new(Arc::new(clock.clone())));
        Bench { clock, cache, asked: Arc::default() }
    }

    impl Bench {
        async fn get(&self, outcome: Result<u64, PlatformError>) -> Result<String, PlatformError> {
            let fetch = || async {
                let number = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::task::yield_now().await;
                let token = SecretString::from(format!("t-{number}"));
                outcome.map(|seconds| Fetched { token, lives: Duration::from_secs(seconds) })
            };
            self.cache.get(fetch).await.map(|token| token.expose_secret().to_owned())
        }

        async fn good(&self) -> String {
            self.get(Ok(7200)).await.unwrap()
        }
    }

    fn down() -> PlatformError {
        PlatformError::Unreachable { context: "no network".to_owned(), source: None }
    }

    fn refused() -> PlatformError {
        PlatformError::Rejected {
            rejection: Rejection::Credentials,
            code: 10014,
            context: "wrong".to_owned(),
        }
    }

    #[tokio::test]
    async fn a_token_is_kept_until_half_an_hour_is_left() {
        let bench = bench();
        for (after_minutes, expected) in [(0, "t-1"), (89, "t-1"), (2, "t-2"), (80, "t-2"), (300, "t-3")] {
            bench.clock.advance(Duration::from_mins(after_minutes));
            assert_eq!(bench.good().await, expected, "{after_minutes} minutes later");
        }
    }

    #[tokio::test]
    async fn a_short_token_is_kept_for_half_of_its_life() {
        let bench = bench();
        assert_eq!(bench.get(Ok(600)).await.unwrap(), "t-1");
        bench.clock.advance(Duration::from_secs(299));
        assert_eq!(bench.get(Ok(600)).await.unwrap(), "t-1");
        bench.clock.advance(Duration::from_secs(1));
        assert_eq!(bench.get(Ok(600)).await.unwrap(), "t-2");
    }

    #[tokio::test]
    async fn many_callers_fetch_once_and_share_a_failure() {
        let bench = bench();
        let (a, b, c) = tokio::join!(bench.get(Err(refused())), bench.get(Ok(7200)), bench.get(Ok(7200)));
        for outcome in [a, b, c] {
            assert!(matches!(outcome, Err(PlatformError::Rejected { code: 10014, .. })), "{outcome:?}");
        }
        assert_eq!(bench.asked.load(Ordering::SeqCst), 1);
        // Whoever comes later asks anew.
        let (a, b) = tokio::join!(bench.good(), bench.good());
        assert_eq!((a.as_str(), b.as_str()), ("t-2", "t-2"));
    }

    #[tokio::test]
    async fn a_living_token_is_used_when_no_new_one_can_be_had() {
        let bench = bench();
        assert_eq!(bench.good().await, "t-1");
        bench.clock.advance(Duration::from_mins(100));
        assert_eq!(bench.get(Err(down())).await.unwrap(), "t-1");
        assert_eq!(bench.get(Err(down())).await.unwrap(), "t-1");
        assert_eq!(bench.asked.load(Ordering::SeqCst), 2, "not asked again at once");
        bench.clock.advance(Duration::from_secs(31));
        assert_eq!(bench.good().await, "t-3");
        // Refused credentials end it, and so does its own end.
        bench.clock.advance(Duration::from_mins(100));
        assert!(matches!(bench.get(Err(refused())).await, Err(PlatformError::Rejected { .. })));
        assert_eq!(bench.good().await, "t-5");
        bench.clock.advance(Duration::from_mins(121));
        assert!(matches!(bench.get(Err(down())).await, Err(PlatformError::Unreachable { .. })));
    }

    #[tokio::test]
    async fn a_refused_token_is_dropped_but_not_its_successor() {
        let bench = bench();
        assert_eq!(bench.good().await, "t-1");
        bench.cache.drop_refused(&SecretString::from("t-1")).await;
        assert_eq!(bench.good().await, "t-2");
        bench.cache.drop_refused(&SecretString::from("t-1")).await;
        assert_eq!(bench.good().await, "t-2");
    }
}
