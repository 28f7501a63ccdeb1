//! A log as core's [`TranscriptSource`]: what every agent's adapter needs between a file and its own reading of lines.
//!
//! An adapter brings a [`RecordReader`]; a [`LogSource`] gives it the lines, keeps its place, and starts it again where the
//! log was replaced. Whose log a file is, is told by its [`Head`].

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use larkspan_core::ports::{Batch, SourceError, SourcePosition, TranscriptSource};
use larkspan_core::transcript::{Notice, NoticeKind, RecordBody, TranscriptRecord, UnknownRecord};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::{Cursor, Error, Line, LogFile, Read, Restart, Watcher, looks_binary};

/// What helps whoever named a wrong file.
const HINT: &str = "`larkspan history --list` shows the sessions there are";
/// How many records a batch has at least before it is handed out, unless the log ends.
const BATCH: usize = 256;
/// How many bytes of the log a batch is made of before it is handed out, however few records they are.
const BATCH_BYTES: u64 = 1 << 20;
/// How many lines are looked at to tell whose log it is.
const HEAD_LINES: usize = 32;
/// How many ends of turns of one batch are remembered.
const PLACES: usize = 64;

/// Reads the lines of one agent's logs into records. No I/O.
pub trait RecordReader: Send + Sync + 'static {
    /// What it must remember between two turns; small, whatever the log holds.
    type Memory: Clone + Serialize + DeserializeOwned + Send + Sync;

    /// At the beginning of a log. Where it lies names the session if the log does not.
    fn new(log: &Path) -> Self;

    /// Behind what this memory is of.
    fn resume(memory: Self::Memory) -> Self;

    /// What must be remembered now.
    fn memory(&self) -> &Self::Memory;

    /// Reads a line. `end`: the byte offset behind it.
    fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>);

    /// Reads what is known of a line that is too long to be read: its first bytes, and its length.
    fn oversized(&mut self, head: &[u8], len: u64, end: u64, out: &mut Vec<TranscriptRecord>);

    /// The log is over, and is not followed any more: tells what waited for its next part.
    fn finish(&mut self, _end: u64, _out: &mut Vec<TranscriptRecord>) {}
}

/// Whether the log still grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMode {
    /// It is read as it is: a last line without a line feed is a line.
    Whole,
    /// It is followed: only lines with their line feed are lines.
    Follow,
}

/// One log.
pub struct LogSource<R: RecordReader> {
    path: PathBuf,
    log: LogFile,
    reader: R,
    mode: ReadMode,
    last_line_is_read: bool,
    places: VecDeque<(R::Memory, Cursor)>,
    watcher: Option<Watcher>,
    changed: Arc<Notify>,
}

/// What a saved position holds for this source.
#[derive(Serialize, Deserialize)]
struct Saved<M> {
    reader: M,
    cursor: Cursor,
}

/// The beginning of a file, by which it is known whose log it is.
#[derive(Debug)]
pub struct Head {
    path: PathBuf,
    lines: Vec<Vec<u8>>,
    is_cut: bool,
}

impl Head {
    /// Reads it.
    pub fn read(path: &Path) -> Result<Self, SourceError> {
        let mut log = LogFile::open(path).map_err(source_error)?;
        let mut head = Self { path: path.to_owned(), lines: Vec::new(), is_cut: false };
        let mut keep = |line: Line<'_>| {
            let (Line::Whole { bytes, .. }
            | Line::Oversized { head: bytes, .. }
            | Line::Skipped { head: bytes, .. }) = line;
            head.is_cut |= !matches!(line, Line::Whole { .. });
            if head.lines.len() < HEAD_LINES && !bytes.is_empty() {
                head.lines.push(bytes.to_vec());
            }
        };
        let mut reads = 0;
        while let Read::Lines = log.read(&mut keep).map_err(source_error)? {
            reads += 1;
            // A few chunks are enough, unless the first line itself is longer.
            if reads >= 4 && log.cursor().offset() > 0 {
                break;
            }
        }
        if log.cursor().offset() == 0
            && let Some(line) = log.finish()
        {
            keep(line);
        }
        Ok(head)
    }

    /// Whether nothing is in the file yet.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether one of the first lines is of this kind.
    pub fn has(&self, is_kind: impl Fn(&[u8]) -> bool) -> bool {
        self.lines.iter().any(|line| is_kind(line))
    }

    /// Whether it may be a log all the same: its first lines are too long to be read.
    pub fn is_cut_json(&self) -> bool {
        self.is_cut && self.lines.first().is_some_and(|first| first.starts_with(b"{"))
    }

    /// Why this is no log of any agent that was asked for. `agents`: their names, for a person.
    pub fn no_log(&self, agents: &str) -> SourceError {
        let first = self.lines.first().map(Vec::as_slice).unwrap_or_default();
        let what = if looks_binary(first) {
            "is no text file: name a session log (.jsonl or .jsonl.zst)".to_owned()
        } else if first.trim_ascii_start().starts_with(b"{") {
            format!("is no log of {agents}: none of its first lines is a row of one")
        } else {
            "is no log: its lines are not JSON objects. Name a session log (.jsonl or .jsonl.zst)".to_owned()
        };
        SourceError::NotALog { path: self.path.display().to_string(), what: format!("{what}; {HINT}") }
    }
}

impl<R: RecordReader> LogSource<R> {
    /// Opens a log, from its start or from a saved position.
    pub fn open(path: &Path, mode: ReadMode, from: Option<&SourcePosition>) -> Result<Self, SourceError> {
        let saved = from
            .and_then(|position| serde_json::from_value::<Saved<R::Memory>>(position.memory.clone()).ok());
        let (log, reader) = match saved {
            Some(Saved { reader, cursor }) => {
                (LogFile::resume(path, &cursor).map_err(source_error)?, R::resume(reader))
            }
            None => (LogFile::open(path).map_err(source_error)?, R::new(path)),
        };
        Ok(Self {
            path: path.to_owned(),
            log,
            reader,
            mode,
            last_line_is_read: false,
            places: VecDeque::new(),
            watcher: None,
            changed: Arc::new(Notify::new()),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn remember_place(&mut self, reader: R::Memory, cursor: Cursor) {
        if self.places.len() == PLACES {
            self.places.pop_front();
        }
        self.places.push_back((reader, cursor));
    }

    fn read_last_line(&mut self, records: &mut Vec<TranscriptRecord>) {
        if self.mode == ReadMode::Whole && !std::mem::replace(&mut self.last_line_is_read, true) {
            match self.log.finish() {
                Some(Line::Whole { bytes, end, .. }) => self.reader.line(bytes, end, records),
                Some(Line::Oversized { head, len, end, .. } | Line::Skipped { head, len, end, .. }) => {
                    self.reader.oversized(head, len, end, records);
                }
                None => {}
            }
            self.reader.finish(self.log.cursor().offset(), records);
        }
    }
}

/// A file's name without the endings of a log.
pub fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    name.strip_suffix(".jsonl").unwrap_or(name).to_owned()
}

#[async_trait]
impl<R: RecordReader> TranscriptSource for LogSource<R> {
    async fn next(&mut self) -> Result<Batch, SourceError> {
        self.places.clear();
        let mut batch = Batch::default();
        let begin = self.log.cursor().offset();
        let read_bytes = |log: &LogFile| log.cursor().offset().saturating_sub(begin);
        while batch.records.len() < BATCH && (batch.records.is_empty() || read_bytes(&self.log) < BATCH_BYTES)
        {
            let mut ends: Vec<(u64, R::Memory)> = Vec::new();
            let (reader, records) = (&mut self.reader, &mut batch.records);
            let read = self.log.read(|line| {
                let before = records.len();
                let position = line.end();
                match line {
                    Line::Whole { bytes, end, .. } => reader.line(bytes, end, records),
                    Line::Oversized { head, len, end, .. } => reader.oversized(head, len, end, records),
                    Line::Skipped { len, end, .. } => records.push(skipped(len, end)),
                }
                let ends_turn = |record: &TranscriptRecord| matches!(record.body, RecordBody::TurnEnded(_));
                if records.get(before..).is_some_and(|new| new.iter().any(ends_turn)) {
                    ends.push((position, reader.memory().clone()));
                }
            });
            for (offset, memory) in ends {
                if let Some(cursor) = self.log.cursor_at(offset) {
                    self.remember_place(memory, cursor);
                }
            }
            match read {
                Ok(Read::Lines) => {}
                Ok(Read::AtEnd | Read::Gone) => {
                    self.read_last_line(&mut batch.records);
                    batch.at_end = true;
                    break;
                }
                Ok(Read::Restarted { reason }) => {
                    self.reader = R::new(&self.path);
                    self.places.clear();
                    batch = Batch { restarted: Some(restart(reason).to_owned()), ..Batch::default() };
                    break;
                }
                // What came before the damage is told; the damage is part of the story.
                Err(error @ Error::Damaged { .. }) => {
                    batch.records.push(damage(&error, self.log.cursor().offset()));
                }
                Err(error) if batch.records.is_empty() => return Err(source_error(error)),
                Err(_) => break,
            }
        }
        let (memory, cursor) = (self.reader.memory().clone(), self.log.cursor());
        batch.end = cursor.offset();
        self.remember_place(memory, cursor);
        Ok(batch)
    }

    async fn changed(&mut self, timeout: Duration) -> Result<(), SourceError> {
        if self.watcher.is_none() {
            let changed = self.changed.clone();
            let watcher =
                Watcher::start(move || changed.notify_one()).map_err(|source| SourceError::Backend {
                    context: format!(
                        "watching {} failed: is the system out of threads?",
                        self.path.display()
                    ),
                    source: source.into(),
                })?;
            watcher.watch_file(self.log.path());
            self.watcher = Some(watcher);
            // What was written before the watch began has to be looked for once.
            return Ok(());
        }
        let _ = tokio::time::timeout(timeout, self.changed.notified()).await;
        Ok(())
    }

    fn position_after(&self, offset: u64) -> Option<SourcePosition> {
        let (reader, cursor) = self.places.iter().find(|(_, cursor)| cursor.offset() == offset)?;
        let saved = Saved { reader: reader.clone(), cursor: *cursor };
        Some(SourcePosition { offset, memory: serde_json::to_value(saved).ok()? })
    }
}

fn restart(reason: Restart) -> &'static str {
    match reason {
        Restart::Truncated => "the log was cut: it is read again from its start",
        Restart::Replaced => "the log was replaced by another file: it is read from its start",
        Restart::Rewritten => "the log was rewritten: it is read again from its start",
    }
}

fn skipped(len: u64, position: u64) -> TranscriptRecord {
    let record = UnknownRecord { kind: "line over 64 MiB".to_owned(), sample: Some(format!("{len} bytes")) };
    TranscriptRecord { at: None, turn: None, position, body: RecordBody::Unknown(record) }
}

fn damage(error: &Error, position: u64) -> TranscriptRecord {
    let notice = Notice { kind: NoticeKind::Log, text: error.to_string() };
    TranscriptRecord { at: None, turn: None, position, body: RecordBody::Notice(notice) }
}

fn source_error(error: Error) -> SourceError {
    match error {
        Error::Missing { .. } | Error::IsDirectory { .. } | Error::NotRegular { .. } => {
            SourceError::NotFound(format!("{error}; {HINT}"))
        }
        Error::Denied { .. } => SourceError::Denied(error.to_string()),
        Error::Damaged { .. } | Error::Io { .. } => {
            SourceError::Backend { context: error.to_string(), source: Box::new(error) }
        }
    }
}
