//! A log read in this process: as it grows ([`Live`]), and as history ([`history`]). Both end in the same [`State`].

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use larkspan_codex_adapter::CodexSource;
use larkspan_codex_adapter::log::LogReader;
use larkspan_core::ids::{SessionId, TurnId};
use larkspan_core::presentation::Locale;
use larkspan_core::tool_call::{CallKey, ToolCallInfo};
use larkspan_core::transcript::{SessionInfo, TranscriptRecord, TurnEnd, UnknownRecord};
use larkspan_core::turn::{Change, ItemContent, Turn, TurnItem, TurnReducer};
use larkspan_logtail::{Line, LineSplitter, LogSource, ReadMode, RecordReader};
use larkspan_mirror::history::{self, Format, JsonLines};
use larkspan_mirror::json::{JsonOptions, Secrets};
use serde_json::Value;

/// What is shown of a log in the end.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct State {
    pub(crate) session: Option<SessionInfo>,
    pub(crate) turns: Vec<TurnState>,
    /// What lies outside any turn.
    pub(crate) outside: Vec<TurnItem>,
    /// How often each unknown kind was met.
    pub(crate) unknown: BTreeMap<String, u64>,
}

/// What is shown of a turn in the end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TurnState {
    pub(crate) id: TurnId,
    pub(crate) items: BTreeMap<u32, TurnItem>,
    pub(crate) end: Option<TurnEnd>,
}

impl State {
    /// All calls, in order.
    pub(crate) fn calls(&self) -> Vec<Arc<ToolCallInfo>> {
        let items = self.turns.iter().flat_map(|turn| turn.items.values());
        items
            .filter_map(|item| match &item.content {
                ItemContent::ToolCall(call) => Some(call.clone()),
                _ => None,
            })
            .collect()
    }

    /// The call with this key.
    pub(crate) fn call(&self, key: &CallKey) -> Option<Arc<ToolCallInfo>> {
        self.calls().into_iter().find(|call| call.key == *key)
    }

    fn turn_mut(&mut self, id: &TurnId) -> &mut TurnState {
        let found = self.turns.iter().rposition(|turn| turn.id == *id);
        let at = found.unwrap_or_else(|| panic!("turn {id} is told of before it began"));
        &mut self.turns[at]
    }

    /// What a program that follows would hold after this change.
    pub(crate) fn apply(&mut self, change: &Change) {
        match change {
            Change::Session(info) => self.session = Some(info.clone()),
            Change::TurnStarted { turn, .. } => {
                assert!(self.turns.iter().all(|known| known.id != *turn), "turn {turn} began twice");
                self.turns.push(TurnState { id: turn.clone(), items: BTreeMap::new(), end: None });
            }
            Change::Item { turn: None, item } => self.outside.push(item.clone()),
            Change::Item { turn: Some(turn), item } => self.item(turn, item),
            Change::TurnEnded(whole) => {
                let turn = self.turn_mut(&whole.id);
                assert!(turn.end.is_none(), "turn {} ended twice", whole.id);
                turn.end.clone_from(&whole.end);
                let told: Vec<&TurnItem> = turn.items.values().collect();
                assert_eq!(told, whole.items.iter().collect::<Vec<_>>(), "the end tells what was told");
            }
            Change::Unknown { record, .. } => {
                self.unknown.entry(record.kind.clone()).or_insert(1);
            }
            Change::Usage { .. } => {}
        }
    }

    fn item(&mut self, turn: &TurnId, item: &TurnItem) {
        let before = self.turn_mut(turn).items.insert(item.seq, item.clone());
        let (Some(before), ItemContent::ToolCall(after)) = (before, &item.content) else { return };
        let ItemContent::ToolCall(before) = before.content else {
            panic!("a call took another item's place")
        };
        assert_eq!(before.key, after.key, "an item is of one call");
        assert_eq!(before.rev + 1, after.rev, "revisions count up: {}", after.key);
        let has_ended = |call: &ToolCallInfo| {
            use larkspan_core::tool_call::ToolCallStatus::{Completed, Failed};
            matches!(call.status, Completed | Failed)
        };
        let is_running = after.status == larkspan_core::tool_call::ToolCallStatus::Running;
        assert!(!(has_ended(&before) && is_running), "{} runs again after its end", after.key);
    }
}

/// A log that is followed, without a file.
pub(crate) struct Live {
    splitter: LineSplitter,
    reader: Box<dyn Reads>,
    reducer: TurnReducer,
    /// Every change with the byte offset after the line that made it.
    pub(crate) told: Vec<(u64, Change)>,
    pub(crate) state: State,
}

/// Any agent's reader of lines.
pub(crate) trait Reads {
    fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>);
    fn oversized(&mut self, head: &[u8], len: u64, end: u64, out: &mut Vec<TranscriptRecord>);
    fn finish(&mut self, end: u64, out: &mut Vec<TranscriptRecord>);
}

impl<R: RecordReader> Reads for R {
    fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>) {
        RecordReader::line(self, bytes, end, out);
    }
    fn oversized(&mut self, head: &[u8], len: u64, end: u64, out: &mut Vec<TranscriptRecord>) {
        RecordReader::oversized(self, head, len, end, out);
    }
    fn finish(&mut self, end: u64, out: &mut Vec<TranscriptRecord>) {
        RecordReader::finish(self, end, out);
    }
}

impl Live {
    /// A Codex log.
    pub(crate) fn new() -> Self {
        Self::by(LogReader::new("fallback"))
    }

    /// Any agent's log.
    pub(crate) fn by(reader: impl RecordReader) -> Self {
        Self {
            splitter: LineSplitter::at(0),
            reader: Box::new(reader),
            reducer: TurnReducer::new(),
            told: Vec::new(),
            state: State::default(),
        }
    }

    /// A log that is read to its end.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut live = Self::new();
        live.push(bytes);
        live.finish();
        live
    }

    /// The next bytes of the log.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let Self { splitter, reader, reducer, told, state } = self;
        splitter.push(bytes, |line| read_line(line, reader.as_mut(), reducer, told, state));
    }

    /// The turn that goes on.
    pub(crate) fn open_turn(&self) -> Option<Turn> {
        self.reducer.turn()
    }

    /// The log is over.
    pub(crate) fn finish(&mut self) {
        let Self { splitter, reader, reducer, told, state } = self;
        if let Some(line) = splitter.finish() {
            read_line(line, reader.as_mut(), reducer, told, state);
        }
        let mut last = Vec::new();
        reader.finish(0, &mut last);
        apply(last, reducer, told, state);
        let end = told.last().map_or(0, |(position, _)| *position);
        for change in reducer.finish() {
            state.apply(&change);
            told.push((end, change));
        }
        state.unknown.clone_from(reducer.unknown());
    }
}

fn read_line(
    line: Line<'_>,
    reader: &mut dyn Reads,
    reducer: &mut TurnReducer,
    told: &mut Vec<(u64, Change)>,
    state: &mut State,
) {
    let mut records = Vec::new();
    match line {
        Line::Whole { bytes, end, .. } => reader.line(bytes, end, &mut records),
        Line::Oversized { head, len, end, .. } => reader.oversized(head, len, end, &mut records),
        Line::Skipped { .. } => panic!("no fixture has such a line"),
    }
    apply(records, reducer, told, state);
}

fn apply(
    records: Vec<TranscriptRecord>,
    reducer: &mut TurnReducer,
    told: &mut Vec<(u64, Change)>,
    state: &mut State,
) {
    for record in records {
        let position = record.position;
        for change in reducer.apply(record) {
            state.apply(&change);
            told.push((position, change));
        }
    }
}

/// Any agent's log as history shows it.
pub(crate) fn history_by<R: RecordReader>(path: &Path) -> State {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut source = LogSource::<R>::open(path, ReadMode::Whole, None).unwrap();
    let mut collect = Collect(State::default());
    let written = runtime.block_on(history::write(&mut source, &mut collect, &mut io::sink(), &mut |_| ()));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    collect.0
}

fn write_history(path: &Path, format: &mut dyn Format, out: &mut dyn Write) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut source = CodexSource::open(path, ReadMode::Whole, None).unwrap();
    let written = runtime.block_on(history::write(&mut source, format, out, &mut |_| ()));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// The log as history shows it.
pub(crate) fn history(path: &Path) -> State {
    let mut collect = Collect(State::default());
    write_history(path, &mut collect, &mut io::sink());
    collect.0
}

/// The objects of `history --format json`.
pub(crate) fn history_json(path: &Path, locale: Locale) -> Vec<Value> {
    let mut format = JsonLines { options: JsonOptions { locale, secrets: Secrets::Masked } };
    let mut out = Vec::new();
    write_history(path, &mut format, &mut out);
    json_lines(&out)
}

/// What `history` prints as Markdown.
pub(crate) fn history_markdown(path: &Path, locale: Locale) -> String {
    let mut out = Vec::new();
    write_history(path, &mut history::Markdown::new(history::Style { locale }), &mut out);
    String::from_utf8(out).unwrap()
}

/// What `history` prints as a page.
pub(crate) fn history_html(path: &Path, locale: Locale) -> String {
    let mut out = Vec::new();
    write_history(path, &mut history::Html::new(history::Style { locale }), &mut out);
    String::from_utf8(out).unwrap()
}

/// Lines of JSON.
pub(crate) fn json_lines(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Collects a history.
struct Collect(State);

impl Format for Collect {
    fn session(&mut self, _: &mut dyn Write, info: &SessionInfo) -> io::Result<()> {
        self.0.session = Some(info.clone());
        Ok(())
    }

    fn turn(&mut self, _: &mut dyn Write, _: &SessionId, turn: &Turn) -> io::Result<()> {
        let items: BTreeMap<u32, TurnItem> = turn.items.iter().map(|item| (item.seq, item.clone())).collect();
        assert_eq!(items.len(), turn.items.len(), "two items of {} have one place", turn.id);
        self.0.turns.push(TurnState { id: turn.id.clone(), items, end: turn.end.clone() });
        Ok(())
    }

    fn item(&mut self, _: &mut dyn Write, _: &SessionId, item: &TurnItem) -> io::Result<()> {
        match &item.content {
            ItemContent::ToolCall(call) => panic!("{} is told outside its turn", call.key),
            _ => self.0.outside.push(item.clone()),
        }
        Ok(())
    }

    fn end(&mut self, _: &mut dyn Write, _: &SessionId, unknown: &[(UnknownRecord, u64)]) -> io::Result<()> {
        self.0.unknown = unknown.iter().map(|(record, count)| (record.kind.clone(), *count)).collect();
        Ok(())
    }
}
