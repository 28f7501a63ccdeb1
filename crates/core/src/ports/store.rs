//! Where small durable values are kept.

use async_trait::async_trait;

/// Small durable values by name: cursors, open cards, sequences.
///
/// A value is replaced as a whole or not at all, also when the process dies in between.
#[cfg_attr(any(test, feature = "testing"), mockall::automock)]
#[async_trait]
pub trait StateStore: Send + Sync {
    /// The value, if there is one.
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Sets the value. When this returns, the value outlives the process.
    async fn put(&self, name: &str, value: &[u8]) -> Result<(), StoreError>;

    /// Removes the value, if there is one.
    async fn remove(&self, name: &str) -> Result<(), StoreError>;

    /// The names that start with `prefix`, sorted.
    async fn names(&self, prefix: &str) -> Result<Vec<String>, StoreError>;
}

/// Why a value could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The name cannot be a name: empty, or too long for the store (1024 bytes are always taken).
    #[error("not a name for a stored value: {0:?}")]
    BadName(String),
    /// Another process holds the store.
    #[error("the state is in use by another process: {0}")]
    InUse(String),
    /// The store itself failed.
    #[error("{context}")]
    Backend {
        /// What was being done, and where.
        context: String,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
