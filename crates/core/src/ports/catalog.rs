//! Which sessions there are.

use async_trait::async_trait;
use serde::Serialize;

use crate::ids::SessionId;
use crate::time::Timestamp;

/// Which sessions exist.
#[cfg_attr(any(test, feature = "testing"), mockall::automock)]
#[async_trait]
pub trait SessionCatalog: Send + Sync {
    /// The sessions, newest first, `limit` at most.
    async fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, CatalogError>;

    /// Waits until a session may have begun or gone on, or at most for `timeout`.
    async fn changed(&self, timeout: std::time::Duration) -> Result<(), CatalogError>;
}

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionSummary {
    /// The session's id.
    pub id: SessionId,
    /// The agent's name.
    pub agent: String,
    /// The log file.
    pub path: String,
    /// The working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The user's first words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_message: Option<String>,
    /// When the log was last written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_at: Option<Timestamp>,
    /// Size of the log in bytes.
    pub bytes: u64,
    /// Whether a parent agent spawned it.
    pub is_subagent: bool,
}

/// Why the sessions could not be listed.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The folder of the sessions is not there.
    #[error("no sessions: {0} does not exist")]
    Missing(String),
    /// It could not be read.
    #[error("{context}")]
    Backend {
        /// What was being done, and where.
        context: String,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
