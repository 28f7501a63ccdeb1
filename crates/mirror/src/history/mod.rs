//! A log read as history: turn by turn, in constant memory, each call in the last state the whole log tells.
//!
//! A row may tell something of a turn that has long ended (a process killed at the end of the session). Where a turn
//! ends with calls that may still be amended, the log is read once more ahead, for such rows only, before it goes on.

mod amendments;
mod html;
mod markdown;

use std::io::{self, Write};
use std::sync::Arc;

use larkspan_core::ids::{SessionId, TurnId};
use larkspan_core::ports::{SourceError, TranscriptSource};
use larkspan_core::presentation::Locale;
use larkspan_core::transcript::{SessionInfo, UnknownRecord};
use larkspan_core::turn::{Change, ItemContent, Turn, TurnItem, TurnReducer};

use crate::json::{self, JsonOptions};

use amendments::Amendments;
pub use html::Html;
pub use markdown::Markdown;

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

/// Opens the log anew, at its start.
pub type Open<'a> = &'a dyn Fn() -> Result<Box<dyn TranscriptSource>, SourceError>;

/// Reads a whole log and writes it. `progress` is told the byte offset now and then.
pub async fn write(
    open: Open<'_>,
    format: &mut dyn Format,
    out: &mut dyn Write,
    progress: Progress<'_>,
) -> Result<(), HistoryError> {
    let mut source = open()?;
    let mut reducer = TurnReducer::new();
    let mut told = Told {
        format,
        out,
        session: SessionId::new(""),
        open_turn: None,
        amendments: None,
        samples: Vec::new(),
    };
    loop {
        let batch = source.next().await?;
        for record in batch.records {
            let position = record.position;
            let changes = reducer.apply(record);
            let ends_turn = changes.iter().any(|change| matches!(change, Change::TurnEnded(_)));
            if ends_turn && told.amendments.is_none() && reducer.may_amend_ended_turns() {
                told.amendments = Some(Amendments::read(open).await?);
            }
            for change in changes {
                told.tell(change)?;
            }
            progress(position);
        }
        if batch.at_end {
            break;
        }
    }
    for change in reducer.finish() {
        told.tell(change)?;
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
    amendments: Option<Amendments>,
    samples: Vec<UnknownRecord>,
}

impl Told<'_> {
    fn tell(&mut self, change: Change) -> io::Result<()> {
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
                let turn: Arc<Turn> = match &self.amendments {
                    Some(amendments) => amendments.applied_to(turn),
                    None => turn,
                };
                self.format.turn(self.out, &self.session, &turn)
            }
            // Told with the whole turn: with the open one when it ends, with an ended one if it was read ahead.
            Change::Item { turn: Some(turn), .. }
                if self.open_turn.as_ref() == Some(&turn) || self.amendments.is_some() =>
            {
                Ok(())
            }
            Change::Item { item, .. } => self.format.item(self.out, &self.session, &item),
            Change::Unknown { record, .. } => {
                self.samples.push(record);
                Ok(())
            }
            Change::Usage { .. } => Ok(()),
        }
    }

    fn end(&mut self, reducer: &TurnReducer) -> io::Result<()> {
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
        let turn = match &item.content {
            ItemContent::ToolCall(call) => Some(call.key.turn.clone()),
            _ => None,
        };
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
