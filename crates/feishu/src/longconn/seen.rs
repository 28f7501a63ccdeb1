//! Which events were taken already, over restarts.
//!
//! The platform sends an event again at 15 s, 5 min, 1 h and 6 h if it was not acknowledged, and sometimes even if it was
//! (official documentation of events). Messages are known by their `message_id`, because a repetition may have another
//! `event_id`; everything else by its `event_id`.
//!
//! Ids are kept by the hour in which they came, one stored value an hour: a claim rewrites one small value, and hours
//! that are over are removed whole. Invariants: a claim is durable before it is told; ids are known for at least
//! [`KEEP`]; no hour holds more than [`PER_HOUR`] ids, beyond which the oldest of the hour are forgotten.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use larkspan_core::ports::{StateStore, StoreError};
use larkspan_core::time::Timestamp;

/// Ids are known for so long, at least: the last repetition comes after six hours and a bit.
pub(crate) const KEEP: Duration = Duration::from_hours(8);

/// Most ids of one hour.
const PER_HOUR: usize = 5_000;

/// Longest id that is kept as it is, in bytes. The platform's are below 100.
const ID_MAX: usize = 256;

const HOUR_MILLIS: i64 = 3_600_000;

/// What came of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It is new, and now known.
    New,
    /// It was taken before.
    Taken,
}

/// Ids in memory, by hour. No I/O.
#[derive(Debug, Default)]
struct Hours {
    hours: BTreeMap<i64, VecDeque<String>>,
    all: HashSet<String>,
}

impl Hours {
    fn insert(&mut self, hour: i64, id: &str) {
        let ids = self.hours.entry(hour).or_default();
        ids.push_back(id.to_owned());
        self.all.insert(id.to_owned());
        while ids.len() > PER_HOUR {
            if let Some(oldest) = ids.pop_front() {
                self.all.remove(&oldest);
            }
        }
    }

    /// Takes back the last insertion.
    fn take_back(&mut self, hour: i64, id: &str) {
        if let Some(ids) = self.hours.get_mut(&hour)
            && ids.back().is_some_and(|last| last == id)
        {
            ids.pop_back();
        }
        self.all.remove(id);
    }

    fn value(&self, hour: i64) -> Vec<u8> {
        let mut out = Vec::new();
        for id in self.hours.get(&hour).into_iter().flatten() {
            out.extend_from_slice(id.as_bytes());
            out.push(b'\n');
        }
        out
    }

    /// Forgets the hours that are over, and says which.
    fn expire(&mut self, now: i64) -> Vec<i64> {
        let over: Vec<i64> = self.hours.keys().copied().take_while(|hour| is_over(*hour, now)).collect();
        for hour in &over {
            for id in self.hours.remove(hour).into_iter().flatten() {
                self.all.remove(&id);
            }
        }
        over
    }
}

fn hour(now: Timestamp) -> i64 {
    now.as_millis().div_euclid(HOUR_MILLIS)
}

/// Whether even the last id of an hour was kept for long enough.
fn is_over(hour: i64, now: i64) -> bool {
    let keep = i64::try_from(KEEP.as_millis()).unwrap_or(i64::MAX).div_euclid(HOUR_MILLIS);
    hour.saturating_add(keep).saturating_add(1) <= now
}

/// Remembers ids in a store.
pub(crate) struct Seen {
    store: Arc<dyn StateStore>,
    prefix: String,
    hours: Hours,
}

impl Seen {
    /// What the store knows of this app's events.
    pub(crate) async fn load(
        store: Arc<dyn StateStore>,
        app_id: &str,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let prefix = format!("feishu/seen/{app_id}/");
        let mut hours = Hours::default();
        for name in store.names(&prefix).await? {
            let known = name.strip_prefix(&prefix).and_then(|rest| rest.parse::<i64>().ok());
            let Some(known) = known.filter(|known| !is_over(*known, hour(now))) else {
                store.remove(&name).await?;
                continue;
            };
            let value = store.get(&name).await?.unwrap_or_default();
            for id in String::from_utf8_lossy(&value).lines().filter(|id| !id.is_empty()) {
                hours.insert(known, id);
            }
        }
        Ok(Self { store, prefix, hours })
    }

    /// Whether this was taken before.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.hours.all.contains(&*tidy(id))
    }

    /// Takes an id, durably.
    pub(crate) async fn claim(&mut self, id: &str, now: Timestamp) -> Result<Claim, StoreError> {
        let id = tidy(id);
        if self.hours.all.contains(&*id) {
            return Ok(Claim::Taken);
        }
        let now = hour(now);
        self.hours.insert(now, &id);
        let name = format!("{}{now}", self.prefix);
        if let Err(error) = self.store.put(&name, &self.hours.value(now)).await {
            self.hours.take_back(now, &id);
            return Err(error);
        }
        for over in self.hours.expire(now) {
            // It is only tidying up: what is left over is removed when the program starts.
            if let Err(error) = self.store.remove(&format!("{}{over}", self.prefix)).await {
                tracing::debug!(%error, "an old list of seen events could not be removed");
            }
        }
        Ok(Claim::New)
    }
}

/// An id as one line of bounded length.
fn tidy(id: &str) -> std::borrow::Cow<'_, str> {
    if id.len() <= ID_MAX && !id.contains(['\n', '\r']) {
        return id.into();
    }
    // Cut ids could be equal; a fingerprint is not.
    format!("#{:032x}", twox_hash::XxHash3_128::oneshot(id.as_bytes())).into()
}

#[cfg(test)]
mod tests {
    use larkspan_core::ports::MockStateStore;
    use larkspan_core::testing::MemoryStore;

    use super::*;

    const START: i64 = 1_800_000_000_000;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_millis(START + minutes * 60_000)
    }

    async fn load(store: &MemoryStore, minutes: i64) -> Seen {
        Seen::load(Arc::new(store.clone()), "cli_1", at(minutes)).await.unwrap()
    }

    #[tokio::test]
    async fn a_message_is_taken_once_over_restarts_for_eight_hours() {
        let store = MemoryStore::default();
        let mut seen = load(&store, 0).await;
        assert_eq!(seen.claim("m:om_1", at(0)).await.unwrap(), Claim::New);
        for minutes in [0, 5, 60, 360, 480] {
            assert_eq!(seen.claim("m:om_1", at(minutes)).await.unwrap(), Claim::Taken, "after {minutes} min");
            let mut restarted = load(&store, minutes).await;
            assert!(restarted.knows("m:om_1"));
            assert_eq!(
                restarted.claim("m:om_1", at(minutes)).await.unwrap(),
                Claim::Taken,
                "restart at {minutes}"
            );
        }
        // Another id makes room for it to be forgotten.
        assert_eq!(seen.claim("m:om_2", at(10 * 60)).await.unwrap(), Claim::New);
        assert_eq!(seen.claim("m:om_1", at(10 * 60)).await.unwrap(), Claim::New);
        assert_eq!(store.names("feishu/seen/cli_1/").await.unwrap().len(), 1);
        load(&store, 30 * 60).await;
        assert_eq!(store.names("").await.unwrap(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn apps_do_not_share_what_they_saw_and_odd_ids_are_kept_apart() {
        let store = MemoryStore::default();
        let mut seen = load(&store, 0).await;
        let long = "x".repeat(5000);
        for id in ["e:1", "e:a\nb", "a\nc", long.as_str(), &long[1..]] {
            assert_eq!(seen.claim(id, at(0)).await.unwrap(), Claim::New, "{id:.20}");
        }
        let again = load(&store, 1).await;
        for id in ["e:1", "e:a\nb", "a\nc", long.as_str(), &long[1..]] {
            assert!(again.knows(id), "{id:.20}");
        }
        assert!(!again.knows("b") && !again.knows("e:a"));
        let other = Seen::load(Arc::new(store.clone()), "cli_2", at(1)).await.unwrap();
        assert!(!other.knows("e:1"));
    }

    #[tokio::test]
    async fn a_claim_that_cannot_be_kept_is_none() {
        let mut store = MockStateStore::new();
        store.expect_names().returning(|_| Ok(Vec::new()));
        let mut fails = true;
        store.expect_put().times(2).returning(move |_, _| {
            if std::mem::take(&mut fails) { Err(StoreError::InUse("x".to_owned())) } else { Ok(()) }
        });
        let mut seen = Seen::load(Arc::new(store), "cli_1", at(0)).await.unwrap();
        assert!(seen.claim("m:om_1", at(0)).await.is_err());
        assert!(!seen.knows("m:om_1"));
        assert_eq!(seen.claim("m:om_1", at(0)).await.unwrap(), Claim::New);
    }

    #[test]
    fn an_hour_is_bounded() {
        let mut hours = Hours::default();
        for index in 0..PER_HOUR + 10 {
            hours.insert(1, &format!("m{index}"));
        }
        assert_eq!(
            (hours.all.len(), hours.value(1).split(|byte| *byte == b'\n').count() - 1),
            (PER_HOUR, PER_HOUR)
        );
        assert!(!hours.all.contains("m9") && hours.all.contains("m10"));
    }
}
