//! Fakes of the ports: they keep their promises, in memory.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use crate::ids::SessionId;
use crate::ports::{
    Batch, CardSurface, Clock, SourceError, SourcePosition, StateStore, StoreError, SurfaceError,
    SurfacePosition, TranscriptSource,
};
use crate::time::Timestamp;
use crate::transcript::TranscriptRecord;
use crate::turn::{Change, Turn};

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Values in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

#[async_trait]
impl StateStore for MemoryStore {
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(held(&self.0).get(name).cloned())
    }

    async fn put(&self, name: &str, value: &[u8]) -> Result<(), StoreError> {
        if name.is_empty() {
            return Err(StoreError::BadName(String::new()));
        }
        held(&self.0).insert(name.to_owned(), value.to_vec());
        Ok(())
    }

    async fn remove(&self, name: &str) -> Result<(), StoreError> {
        held(&self.0).remove(name);
        Ok(())
    }

    async fn names(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        Ok(held(&self.0).keys().filter(|name| name.starts_with(prefix)).cloned().collect())
    }
}

/// A clock that a test sets.
#[derive(Debug, Clone)]
pub struct TestClock(Arc<Mutex<Timestamp>>);

impl TestClock {
    /// A clock that shows this time.
    pub fn at(now: Timestamp) -> Self {
        Self(Arc::new(Mutex::new(now)))
    }

    /// Moves it on.
    pub fn advance(&self, by: Duration) {
        let mut now = held(&self.0);
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        *now = Timestamp::from_millis(now.as_millis().saturating_add(by));
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        *held(&self.0)
    }
}

/// A surface that remembers what it was told, and takes back what came after a save.
#[derive(Debug, Clone, Default)]
pub struct RecordingSurface(Arc<Mutex<Vec<(SessionId, Change)>>>);

impl RecordingSurface {
    /// What it was told, in order.
    pub fn told(&self) -> Vec<(SessionId, Change)> {
        held(&self.0).clone()
    }
}

#[async_trait]
impl CardSurface for RecordingSurface {
    async fn show(
        &self,
        session: &SessionId,
        changes: &[Change],
        _: Option<Arc<Turn>>,
    ) -> Result<(), SurfaceError> {
        held(&self.0).extend(changes.iter().map(|change| (session.clone(), change.clone())));
        Ok(())
    }

    async fn save(&self) -> Result<Option<SurfacePosition>, SurfaceError> {
        Ok(Some(SurfacePosition(held(&self.0).len().into())))
    }

    async fn restore(&self, position: Option<SurfacePosition>) -> Result<(), SurfaceError> {
        let length = position.as_ref().and_then(|position| position.0.as_u64()).unwrap_or(0);
        let mut told = held(&self.0);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if told.len() < length {
            return Err(SurfaceError::Moved(format!("{} of {length} changes are there", told.len())));
        }
        told.truncate(length);
        Ok(())
    }

    async fn finish(&self) -> Result<(), SurfaceError> {
        Ok(())
    }
}

/// A source that hands out what a test gives it, batch by batch.
#[derive(Debug, Clone, Default)]
pub struct FakeSource {
    batches: VecDeque<Vec<TranscriptRecord>>,
    last: u64,
}

impl FakeSource {
    /// A source of these batches; the log ends after the last.
    pub fn new(batches: impl IntoIterator<Item = Vec<TranscriptRecord>>) -> Self {
        Self { batches: batches.into_iter().collect(), last: 0 }
    }

    /// The same log from a saved position on.
    #[must_use]
    pub fn from(mut self, position: &SourcePosition) -> Self {
        for batch in &mut self.batches {
            batch.retain(|record| record.position > position.offset);
        }
        self
    }
}

#[async_trait]
impl TranscriptSource for FakeSource {
    async fn next(&mut self) -> Result<Batch, SourceError> {
        let records = self.batches.pop_front().unwrap_or_default();
        self.last = records.last().map_or(self.last, |record| record.position);
        Ok(Batch { records, end: self.last, at_end: self.batches.is_empty(), restarted: None })
    }

    async fn changed(&mut self, _: Duration) -> Result<(), SourceError> {
        // Nothing will ever be added.
        std::future::pending().await
    }

    fn position_after(&self, offset: u64) -> Option<SourcePosition> {
        (offset <= self.last).then_some(SourcePosition { offset, memory: serde_json::Value::Null })
    }
}
