//! Sliding windows over calls: who called what how often.
//!
//! Invariants: a refused call does not count; a call counts in all of its windows or in none.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// So many calls in such a time, for one key.
#[derive(Debug, Clone)]
pub(super) struct Quota {
    pub(super) key: String,
    pub(super) calls: usize,
    pub(super) span: Duration,
}

/// Where a quota is used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Exhausted {
    pub(super) key: String,
    /// Whole seconds until a call is let through again, at least one.
    pub(super) reset: u64,
}

/// The calls of late, by key.
#[derive(Debug, Default)]
pub(super) struct Windows(BTreeMap<String, VecDeque<Duration>>);

impl Windows {
    /// Counts a call in all of the quotas, or tells the first that is used up.
    pub(super) fn admit(&mut self, quotas: &[Quota], now: Duration) -> Result<(), Exhausted> {
        for quota in quotas {
            let calls = self.0.entry(quota.key.clone()).or_default();
            while calls.front().is_some_and(|at| now.saturating_sub(*at) >= quota.span) {
                calls.pop_front();
            }
            if calls.len() >= quota.calls {
                let oldest = calls.front().copied().unwrap_or(now);
                let left = (oldest + quota.span).saturating_sub(now);
                let reset = (left.as_millis().div_ceil(1000) as u64).max(1);
                return Err(Exhausted { key: quota.key.clone(), reset });
            }
        }
        for quota in quotas {
            self.0.entry(quota.key.clone()).or_default().push_back(now);
        }
        Ok(())
    }
}
