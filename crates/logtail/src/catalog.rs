//! The logs below some folders as core's [`SessionCatalog`].

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use larkspan_core::ids::SessionId;
use larkspan_core::ports::{CatalogError, SessionCatalog, SessionSummary};
use larkspan_core::text::{clip, collapse_whitespace};
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{RecordBody, Role};
use tokio::sync::Notify;

use crate::{FoundFile, Line, LogFile, Read, RecordReader, Watcher, list_files, stem};

/// How much of a log is read for its summary, in bytes: the head of a session is at most this far from its first words.
const SUMMARY_BYTES: u64 = 1 << 20;
/// How much of the user's first words is kept, in code points.
const FIRST_WORDS: usize = 120;

/// Where an agent keeps its logs.
#[derive(Debug, Clone)]
pub struct LogFolder {
    /// The agent's name in tags.
    pub agent: &'static str,
    /// The folder.
    pub path: PathBuf,
    /// Which of the files below it are logs.
    pub is_log: fn(&Path) -> bool,
    /// Which of the logs are of sub-agents, where their place tells it.
    pub is_subagent: fn(&Path) -> bool,
}

/// The sessions whose logs lie below a folder.
pub struct LogCatalog<R> {
    folder: LogFolder,
    changed: Arc<Notify>,
    watcher: Mutex<Option<Watcher>>,
    reader: PhantomData<fn() -> R>,
}

impl<R: RecordReader> LogCatalog<R> {
    /// The sessions below this folder.
    pub fn new(folder: LogFolder) -> Self {
        Self { folder, changed: Arc::new(Notify::new()), watcher: Mutex::new(None), reader: PhantomData }
    }

    /// The folder that holds the logs.
    pub fn folder(&self) -> &Path {
        &self.folder.path
    }

    /// The newest logs, newest first.
    pub fn newest(&self, limit: usize) -> Result<Vec<PathBuf>, CatalogError> {
        Ok(self.found(limit)?.into_iter().map(|file| file.path).collect())
    }

    /// Starts the watch, the first time.
    fn watch(&self) -> Result<(), CatalogError> {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        if watcher.is_none() {
            let changed = self.changed.clone();
            let started =
                Watcher::start(move || changed.notify_one()).map_err(|source| CatalogError::Backend {
                    context: format!(
                        "watching {} failed: is the system out of threads?",
                        self.folder.path.display()
                    ),
                    source: source.into(),
                })?;
            started.watch_folder(&self.folder.path);
            *watcher = Some(started);
        }
        Ok(())
    }

    fn found(&self, limit: usize) -> Result<Vec<FoundFile>, CatalogError> {
        let LogFolder { path, is_log, .. } = &self.folder;
        if !path.is_dir() {
            return Err(CatalogError::Missing(path.display().to_string()));
        }
        let listing = list_files(path, is_log, limit);
        for problem in &listing.problems {
            tracing::warn!("{problem}");
        }
        Ok(listing.files)
    }
}

#[async_trait]
impl<R: RecordReader> SessionCatalog for LogCatalog<R> {
    async fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, CatalogError> {
        Ok(self.found(limit)?.iter().map(|file| summary::<R>(file, &self.folder)).collect())
    }

    async fn changed(&self, timeout: Duration) -> Result<(), CatalogError> {
        self.watch()?;
        let _ = tokio::time::timeout(timeout, self.changed.notified()).await;
        Ok(())
    }
}

/// What the head of a log tells. A log that cannot be read is listed all the same.
fn summary<R: RecordReader>(file: &FoundFile, folder: &LogFolder) -> SessionSummary {
    let mut summary = SessionSummary {
        id: SessionId::new(stem(&file.path)),
        agent: folder.agent.to_owned(),
        path: file.path.display().to_string(),
        cwd: None,
        first_message: None,
        modified_at: timestamp(file.modified),
        bytes: file.len,
        is_subagent: (folder.is_subagent)(&file.path),
    };
    let Ok(mut log) = LogFile::open(&file.path) else { return summary };
    let mut reader = R::new(&file.path);
    let mut records = Vec::new();
    while summary.first_message.is_none() && log.cursor().offset() < SUMMARY_BYTES {
        let read = log.read(|line| {
            if let Line::Whole { bytes, end, .. } = line {
                reader.line(bytes, end, &mut records);
            }
        });
        for record in records.drain(..) {
            if let RecordBody::Session(info) = record.body {
                summary.id = info.id;
                summary.cwd = info.cwd;
                summary.is_subagent |= info.is_subagent;
            } else if let RecordBody::Message(message) = record.body
                && message.role == Role::User
                && summary.first_message.is_none()
            {
                let words = collapse_whitespace(&message.text);
                summary.first_message = Some(clip(&words, FIRST_WORDS).into_owned());
            }
        }
        match read {
            Ok(Read::Lines) => {}
            Ok(Read::AtEnd | Read::Gone | Read::Restarted { .. }) | Err(_) => break,
        }
    }
    summary
}

fn timestamp(time: SystemTime) -> Option<Timestamp> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
}
