//! Owns the waiting for changes: the operating system's file events, and a periodic check for what they miss.
//!
//! Guarantees: a change of a watched file is told within about a second even if no event comes (network
//! mounts, exhausted inotify limits, lost events); without changes nothing is told and next to nothing is
//! done. What changed is not told: reading a log that did not change costs microseconds.

mod events;
mod polls;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use self::events::{Events, Interest};
use self::polls::Polls;

/// How often watched files are looked at, events or not. For 100 files that takes about 0.1 % of one
/// processor.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Why [`Watcher::wait`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Something that is watched may have changed.
    Changed,
    /// Nothing changed in the time given.
    TimedOut,
}

/// Watches log files and folders for changes, on a thread of its own.
///
/// Blocking code calls [`Self::wait`]. Async code hands [`Self::start`] something that wakes its task, such
/// as `move || notify.notify_one()` with a `tokio::sync::Notify`. Dropping the watcher ends it.
pub struct Watcher {
    shared: Arc<Shared>,
}

impl Watcher {
    /// Starts watching, as yet nothing. `on_change` is called after each change, from the watcher's thread:
    /// it should only wake somebody.
    ///
    /// If the operating system has no file events to give, one warning is logged and the periodic check alone
    /// does the work.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(on_change: impl Fn() + Send + 'static) -> io::Result<Self> {
        Self::start_with(Settings { interval: CHECK_INTERVAL, sources: Sources::EventsAndChecks }, on_change)
    }

    fn start_with(settings: Settings, on_change: impl Fn() + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let watcher = Self { shared: Arc::clone(&shared) };
        thread::Builder::new()
            .name("larkspan-logtail".to_owned())
            .spawn(move || run(&shared, settings, &on_change))?;
        Ok(watcher)
    }

    /// Watches a log file, which need not exist yet, and its compressed twin. Being new counts as a change:
    /// what was written between the caller's last read and the beginning of the watch is not missed.
    pub fn watch_file(&self, path: &Path) {
        self.add(path, Kind::File);
    }

    /// Watches all files below a folder, which need not exist yet. Being new counts as a change.
    ///
    /// The periodic check of a folder takes longer, the more files there are, and is made the more rarely: at
    /// most every 500th part of the time is spent on it, and at least one check is made in half a minute. A
    /// file that is being followed should be watched by itself, too.
    pub fn watch_folder(&self, path: &Path) {
        self.add(path, Kind::Folder);
    }

    /// Watches a file or folder no longer.
    pub fn forget(&self, path: &Path) {
        let path = absolute(path);
        let mut state = self.shared.lock();
        if Arc::make_mut(&mut state.roots).remove(&path).is_some() {
            state.roots_changed = true;
            self.shared.wake.notify_all();
        }
    }

    /// Waits until something has changed since the last call, at most for `timeout`.
    pub fn wait(&self, timeout: Duration) -> Woken {
        let state = self.shared.lock();
        let waited = self.shared.wake.wait_timeout_while(state, timeout, |state| !state.changed);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut state.changed) { Woken::Changed } else { Woken::TimedOut }
    }

    fn add(&self, path: &Path, kind: Kind) {
        let path = absolute(path);
        let mut state = self.shared.lock();
        if Arc::make_mut(&mut state.roots).insert(path, kind) != Some(kind) {
            state.roots_changed = true;
            self.shared.wake.notify_all();
        }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("watched", &self.shared.lock().roots).finish_non_exhaustive()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.lock().stopped = true;
        self.shared.wake.notify_all();
    }
}

/// Without a working directory to start from, a relative path stays what it is: nothing will be found there.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// What is watched, by absolute path.
type Roots = BTreeMap<PathBuf, Kind>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

#[derive(Debug, Clone, Copy)]
struct Settings {
    interval: Duration,
    sources: Sources,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sources {
    EventsAndChecks,
    #[cfg(test)]
    ChecksAlone,
}

/// What the watcher's users, its thread and the thread that brings file events have in common.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags that do not depend on each other, raised on one thread and lowered on another"
)]
struct State {
    roots: Arc<Roots>,
    roots_changed: bool,
    /// Which file events matter.
    interest: Interest,
    /// An event has come that the thread has not seen yet.
    event: bool,
    /// A change that [`Watcher::wait`] has not told yet.
    changed: bool,
    stopped: bool,
    /// The one warning has been given.
    warned: bool,
}

impl Shared {
    /// The state. Nothing can panic while it is locked, so there is no such thing as a poisoned one.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a file event, on whichever thread brings it.
    fn on_event(&self, event: notify::Result<notify::Event>) {
        let mut state = self.lock();
        let matters = match &event {
            Ok(event) => state.interest.matters(event),
            Err(_) => true,
        };
        if matters {
            state.event = true;
            self.wake.notify_all();
        }
        drop(state);
        if let Err(error) = event {
            self.warn(&error);
        }
    }

    fn warn(&self, error: &notify::Error) {
        // A folder that went while it was subscribed to is looked after when it comes back.
        let went = matches!(&error.kind, notify::ErrorKind::PathNotFound)
            || matches!(&error.kind, notify::ErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound);
        if !went && !std::mem::replace(&mut self.lock().warned, true) {
            tracing::warn!(
                %error,
                "not all file events are available, so logs are checked once a second instead; \
                 on Linux, raising fs.inotify.max_user_watches and fs.inotify.max_user_instances helps"
            );
        }
    }
}

/// The watcher's thread.
fn run(shared: &Arc<Shared>, settings: Settings, on_change: &dyn Fn()) {
    let mut events = Events::new(shared, settings.sources);
    let mut polls = Polls::new(settings.interval);
    let mut next_check = Instant::now() + settings.interval;
    loop {
        let state = shared.lock();
        let timeout = next_check.saturating_duration_since(Instant::now());
        let waited = shared.wake.wait_timeout_while(state, timeout, |state| {
            !state.event && !state.roots_changed && !state.stopped
        });
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.stopped {
            return;
        }
        let mut changed = std::mem::take(&mut state.event);
        let roots_changed = std::mem::take(&mut state.roots_changed);
        let roots = Arc::clone(&state.roots);
        drop(state);

        let now = Instant::now();
        if roots_changed || now >= next_check {
            // Events first: what happens after them is seen by them, what happened before by the check.
            events.follow(&roots, roots_changed, shared);
            changed |= polls.check(&roots);
            next_check = now + settings.interval;
        }
        if changed {
            shared.lock().changed = true;
            shared.wake.notify_all();
            on_change();
        }
    }
}
