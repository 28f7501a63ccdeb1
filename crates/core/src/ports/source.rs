//! Where records come from.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::transcript::TranscriptRecord;

/// One session's log, read from front to back.
#[cfg_attr(any(test, feature = "testing"), mockall::automock)]
#[async_trait]
pub trait TranscriptSource: Send + Sync {
    /// The next records. Never waits for the log to grow: at its end the batch says so.
    async fn next(&mut self) -> Result<Batch, SourceError>;

    /// Waits until the log may have grown, or at most for `timeout`.
    async fn changed(&mut self, timeout: std::time::Duration) -> Result<(), SourceError>;

    /// The place just after a record of the last batch at byte `offset`, to read on from there later, in another
    /// process. Only known where a turn ended, and at the end of the batch.
    fn position_after(&self, offset: u64) -> Option<SourcePosition>;
}

/// Some records of a log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// The records, in order.
    pub records: Vec<TranscriptRecord>,
    /// Byte offset up to which the log is read, with this batch.
    pub end: u64,
    /// Whether the log ends here for now.
    pub at_end: bool,
    /// Why the records before this batch are void: the log was replaced and is read from its start again.
    pub restarted: Option<String>,
}

/// A place in a log, and the little that a reader must remember of what lies before it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourcePosition {
    /// Byte offset in the (decompressed) log, always just after a line feed.
    pub offset: u64,
    /// The reader's own memory, opaque to everybody else.
    pub memory: serde_json::Value,
}

/// Why a log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// There is no such log. The text says where, and what to do.
    #[error("{0}")]
    NotFound(String),
    /// It may not be read. The text says where, and what to do.
    #[error("{0}")]
    Denied(String),
    /// The file is no log of this agent.
    #[error("{path}: {what}")]
    NotALog {
        /// The file.
        path: String,
        /// What it is instead, and what to do.
        what: String,
    },
    /// The system failed.
    #[error("{context}")]
    Backend {
        /// What was being done, where, and what to do.
        context: String,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
