//! Time that a script may take to be read.
//!
//! It is the reading thread's own processor time where the system tells it, so that a busy machine gives the same
//! answer as an idle one; elsewhere it is the time that passes.

use std::time::Duration;

/// A stretch of the current thread's time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    end: Duration,
}

impl Budget {
    /// Begins now, on the thread that will spend it.
    pub(super) fn begin(time: Duration) -> Self {
        Self { end: spent() + time }
    }

    /// Whether it is used up.
    pub(super) fn is_spent(self) -> bool {
        spent() > self.end
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn spent() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
