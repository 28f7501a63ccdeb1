//! What time it is.

use crate::time::Timestamp;

/// What tells the time.
#[cfg_attr(any(test, feature = "testing"), mockall::automock)]
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}
