//! Where turns are shown.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::ids::SessionId;
use crate::turn::{Change, Turn};

/// Where turns are shown.
#[cfg_attr(any(test, feature = "testing"), mockall::automock)]
#[async_trait]
pub trait CardSurface: Send + Sync {
    /// Shows what changed, in order. `turn` is the open turn as it is after the changes, if one is open.
    ///
    /// A surface may be told the same again after a crash; it can tell by (session, turn, call, revision).
    async fn show(
        &self,
        session: &SessionId,
        changes: &[Change],
        turn: Option<Arc<Turn>>,
    ) -> Result<(), SurfaceError>;

    /// Makes durable what was shown, and tells where that is. A surface that cannot tell gives `None`.
    async fn save(&self) -> Result<Option<SurfacePosition>, SurfaceError>;

    /// Whether everything that was told is shown for good. Until then, after a crash, all since the last time it was is told
    /// again.
    async fn is_settled(&self) -> bool {
        true
    }

    /// Goes back to where [`save`](Self::save) was: what was shown after it is taken back, where that is possible.
    /// `None`: to the beginning, before anything was shown.
    async fn restore(&self, position: Option<SurfacePosition>) -> Result<(), SurfaceError>;

    /// No more changes will come: nothing stays in an unfinished state.
    async fn finish(&self) -> Result<(), SurfaceError>;
}

/// A place in what a surface has shown, opaque to everybody else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SurfacePosition(pub serde_json::Value);

/// Why something could not be shown.
#[derive(Debug, thiserror::Error)]
pub enum SurfaceError {
    /// Nobody is there any more: the reader of a pipe has gone.
    #[error("nobody reads any more")]
    Closed,
    /// The place that was saved is not there: what was shown has been changed by somebody else.
    #[error("{0}")]
    Moved(String),
    /// The surface failed.
    #[error("{context}")]
    Backend {
        /// What was being done, and where.
        context: String,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
