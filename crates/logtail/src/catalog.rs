//! The logs below some folders as core's [`SessionCatalog`].

use std::collections::HashMap;
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
    /// Heads that were read to the user's first words, which later rows do not change.
    known: Mutex<HashMap<PathBuf, SessionSummary>>,
    reader: PhantomData<fn() -> R>,
}

impl<R: RecordReader> LogCatalog<R> {
    /// The sessions below this folder.
    pub fn new(folder: LogFolder) -> Self {
        Self {
            folder,
            changed: Arc::new(Notify::new()),
            watcher: Mutex::default(),
            known: Mutex::default(),
            reader: PhantomData,
        }
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

    /// What a log's head tells. It is read once: while a log only grows, its head stays.
    fn summaries(&self, files: &[FoundFile]) -> Vec<SessionSummary> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let summaries: Vec<SessionSummary> = files
            .iter()
            .map(|file| match known.get(&file.path).filter(|summary| summary.bytes <= file.len) {
                Some(summary) => {
                    let (modified_at, bytes) = (timestamp(file.modified), file.len);
                    SessionSummary { modified_at, bytes, ..summary.clone() }
                }
                None => summary::<R>(file, &self.folder),
            })
            .collect();
        // Only what is listed now is remembered.
        known.clear();
        let whole = files.iter().zip(&summaries).filter(|(_, summary)| summary.first_message.is_some());
        known.extend(whole.map(|(file, summary)| (file.path.clone(), summary.clone())));
        summaries
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
        Ok(self.summaries(&self.found(limit)?))
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use larkspan_core::transcript::{ChatLayer, Message, TranscriptRecord};

    use super::*;

    static LINES: AtomicUsize = AtomicUsize::new(0);

    /// Takes every line for the user's words.
    struct Words;

    impl RecordReader for Words {
        type Memory = ();

        fn new(_: &Path) -> Self {
            Self
        }

        fn resume((): ()) -> Self {
            Self
        }

        fn memory(&self) -> &() {
            &()
        }

        fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>) {
            LINES.fetch_add(1, Ordering::SeqCst);
            let text = String::from_utf8_lossy(bytes).into();
            let message = Message { role: Role::User, phase: None, text, layer: ChatLayer::Item, id: None };
            out.push(TranscriptRecord {
                at: None,
                turn: None,
                position: end,
                body: RecordBody::Message(message),
            });
        }

        fn oversized(&mut self, _: &[u8], _: u64, _: u64, _: &mut Vec<TranscriptRecord>) {}
    }

    #[test]
    fn a_head_is_read_once_while_the_log_grows() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a.jsonl");
        std::fs::write(&log, "first\n").unwrap();
        let catalog = LogCatalog::<Words>::new(LogFolder {
            agent: "test",
            path: folder.path().to_owned(),
            is_log: |path| path.extension().is_some_and(|ending| ending == "jsonl"),
            is_subagent: |_| false,
        });
        let list = || {
            let summaries = catalog.summaries(&catalog.found(8).unwrap());
            let [summary] = summaries.as_slice() else { panic!("{summaries:?}") };
            (summary.first_message.clone().unwrap_or_default(), summary.bytes)
        };
        assert_eq!((list(), LINES.load(Ordering::SeqCst)), (("first".to_owned(), 6), 1));
        std::fs::OpenOptions::new().append(true).open(&log).unwrap().write_all(b"second\n").unwrap();
        assert_eq!((list(), LINES.load(Ordering::SeqCst)), (("first".to_owned(), 13), 1));
        // A shorter file is another log.
        std::fs::write(&log, "new\n").unwrap();
        assert_eq!((list(), LINES.load(Ordering::SeqCst)), (("new".to_owned(), 4), 2));
    }
}
