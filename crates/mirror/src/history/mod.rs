//! A log read as history: turn by turn, in constant memory, each call in the last state the whole log tells.
//!
//! A row may tell something of a turn that has ended (a process killed at the end of the session). A turn that ends with
//! calls that may still be amended waits until that cannot happen any more (`waiting`), and the turns after it wait for
//! their place.

mod html;
mod markdown;
mod waiting;

use std::io::{self, Write};

use larkspan_core::ids::{SessionId, TurnId};
use larkspan_core::ports::{SourceError, TranscriptSource};
use larkspan_core::presentation::Locale;
use larkspan_core::transcript::{SessionInfo, UnknownRecord};
use larkspan_core::turn::{Change, Turn, TurnItem, TurnReducer};

use crate::json::{self, JsonOptions};

pub use html::Html;
pub use markdown::Markdown;
use waiting::{Entry, Waiting};

/// What a history is written as.
pub trait Format {
    /// The log names itself. May come again, when the model changes.
    fn session(&mut self, out: &mut dyn Write, info: &SessionInfo) -> io::Result<()>;
    /// A turn, in its last state.
    fn turn(&mut self, out: &mut dyn Write, session: &SessionId, turn: &Turn) -> io::Result<()>;
    /// Something outside any turn, or of a turn that has been told.
    fn item(&mut self, out: &mut dyn Write, session: &SessionId, item: &TurnItem) -> io::Result<()>;
    /// The log is over. `unknown`: what could not be read, and how often.
    fn end(
        &mut self,
        out: &mut dyn Write,
        session: &SessionId,
        unknown: &[(UnknownRecord, u64)],
    ) -> io::Result<()>;
}

/// Why a history could not be written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The log could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The output could not be written.
    #[error("the history could not be written")]
    Output(#[from] io::Error),
}

/// How far the reading has come, for a person who waits.
pub type Progress<'a> = &'a mut dyn FnMut(u64);

/// Reads a whole log and writes it. `progress` is told the byte offset now and then.
pub async fn write(
    source: &mut dyn TranscriptSource,
    format: &mut dyn Format,
    out: &mut dyn Write,
    progress: Progress<'_>,
) -> Result<(), HistoryError> {
    let mut reducer = TurnReducer::new();
    let mut told = Told {
        format,
        out,
        session: SessionId::new(""),
        open_turn: None,
        waiting: Waiting::default(),
        samples: Vec::new(),
    };
    loop {
        let batch = source.next().await?;
        for record in batch.records {
            for change in reducer.apply(record) {
                told.tell(change, &reducer)?;
            }
        }
        progress(batch.end);
        if batch.at_end {
            break;
        }
    }
    for change in reducer.finish() {
        told.tell(change, &reducer)?;
    }
    told.end(&reducer)?;
    Ok(())
}

/// What has been told, and to whom.
struct Told<'a> {
    format: &'a mut dyn Format,
    out: &'a mut dyn Write,
    session: SessionId,
    open_turn: Option<TurnId>,
    waiting: Waiting,
    samples: Vec<UnknownRecord>,
}

impl Told<'_> {
    fn tell(&mut self, change: Change, reducer: &TurnReducer) -> io::Result<()> {
        match change {
            Change::Session(info) => {
                self.session = info.id.clone();
                self.format.session(self.out, &info)
            }
            Change::TurnStarted { turn, .. } => {
                self.open_turn = Some(turn);
                Ok(())
            }
            Change::TurnEnded(turn) => {
                self.open_turn = None;
                self.told_in_order(Entry::Turn(turn), reducer)
            }
            Change::Item { turn: Some(turn), .. } if self.open_turn.as_ref() == Some(&turn) => Ok(()),
            Change::Item { turn: Some(turn), item } if self.waiting.amend(&turn, &item) => Ok(()),
            // Outside any turn, or of one that is told: it stands where it stands in the log.
            Change::Item { item, .. } => self.told_in_order(Entry::Item(item), reducer),
            Change::Unknown { record, .. } => {
                self.samples.push(record);
                Ok(())
            }
            Change::Usage { .. } => Ok(()),
        }
    }

    /// Tells what need not wait, with this last.
    fn told_in_order(&mut self, entry: Entry, reducer: &TurnReducer) -> io::Result<()> {
        self.waiting.push(entry);
        while let Some(entry) = self.waiting.pop(reducer) {
            self.entry(&entry)?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        match entry {
            Entry::Turn(turn) => self.format.turn(self.out, &self.session, turn),
            Entry::Item(item) => self.format.item(self.out, &self.session, item),
        }
    }

    fn end(&mut self, reducer: &TurnReducer) -> io::Result<()> {
        while let Some(entry) = self.waiting.pop_any() {
            self.entry(&entry)?;
        }
        let counted: Vec<(UnknownRecord, u64)> = std::mem::take(&mut self.samples)
            .into_iter()
            .map(|record| {
                let count = reducer.unknown().get(&record.kind).copied().unwrap_or(1);
                (record, count)
            })
            .collect();
        self.format.end(self.out, &self.session, &counted)?;
        self.out.flush()
    }
}

/// One JSON object a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonLines {
    /// How objects are made.
    pub options: JsonOptions,
}

impl Format for JsonLines {
    fn session(&mut self, out: &mut dyn Write, info: &SessionInfo) -> io::Result<()> {
        write_line(out, &json::change(&info.id, &Change::Session(info.clone()), self.options))
    }

    fn turn(&mut self, out: &mut dyn Write, session: &SessionId, turn: &Turn) -> io::Result<()> {
        json::turn(session, turn, self.options).iter().try_for_each(|object| write_line(out, object))
    }

    fn item(&mut self, out: &mut dyn Write, session: &SessionId, item: &TurnItem) -> io::Result<()> {
        let turn = item.content.tool_call().map(|call| call.key.turn.clone());
        let change = Change::Item { turn, item: item.clone() };
        write_line(out, &json::change(session, &change, self.options))
    }

    fn end(
        &mut self,
        out: &mut dyn Write,
        session: &SessionId,
        unknown: &[(UnknownRecord, u64)],
    ) -> io::Result<()> {
        unknown.iter().try_for_each(|(record, count)| {
            let change = Change::Unknown { position: 0, record: record.clone() };
            let mut object = json::change(session, &change, self.options);
            if let Some(members) = object.as_object_mut() {
                members.remove("position");
                members.insert("count".to_owned(), (*count).into());
            }
            write_line(out, &object)
        })
    }
}

fn write_line(out: &mut dyn Write, object: &serde_json::Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, object)?;
    out.write_all(b"\n")
}

/// How a history for reading is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// The language.
    pub locale: Locale,
}
