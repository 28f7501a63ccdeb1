//! Rows in, records out; and what a person reads of them.

mod answers;
mod bad;
mod calls;
mod public;
mod shapes;
mod speech;
mod splits;
mod turns;

use larkspan_core::presentation::{Locale, notice_line, title};
use larkspan_core::tool_call::{ToolCallEvent, ToolCallStep};
use larkspan_core::transcript::{Phase, RecordBody, Role, SessionInfo, TranscriptRecord};
use larkspan_core::turn::{Change, ItemContent, Turn, TurnReducer};

use super::LogReader;

/// The same work in the three shapes.
const NEWER: &str = include_str!("tests/data/newer.jsonl");
const OLDER: &str = include_str!("tests/data/older.jsonl");
const MESSAGES: &str = include_str!("tests/data/messages.jsonl");

/// The records of a whole log.
fn records(log: &str) -> Vec<TranscriptRecord> {
    let mut reader = LogReader::new("s-1");
    let mut out = Vec::new();
    let mut end = 0;
    for line in log.split_inclusive('\n') {
        end += line.len() as u64;
        reader.line(line.trim_end_matches('\n').as_bytes(), end, &mut out);
    }
    reader.finish(end, &mut out);
    out
}

/// What a person reads of the log: the items of each turn, and between them what lies outside of any.
fn read(log: &str) -> Vec<String> {
    told(records(log))
}

fn told(records: Vec<TranscriptRecord>) -> Vec<String> {
    let mut reducer = TurnReducer::new();
    let mut lines = Vec::new();
    let mut changes: Vec<Change> = records.into_iter().flat_map(|record| reducer.apply(record)).collect();
    changes.extend(reducer.finish());
    for change in changes {
        match change {
            Change::TurnEnded(turn) => lines.extend(turn_lines(&turn)),
            Change::Item { turn: None, item } => lines.push(item_line(&item.content)),
            Change::Unknown { record, .. } => lines.push(format!("unknown: {}", record.kind)),
            Change::Session(_) | Change::TurnStarted { .. } | Change::Item { .. } | Change::Usage { .. } => {}
        }
    }
    lines
}

fn turn_lines(turn: &Turn) -> Vec<String> {
    let mut lines: Vec<String> = turn.items.iter().map(|item| item_line(&item.content)).collect();
    let end = turn.end.as_ref().expect("an end");
    let reason = end.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    lines.push(format!("= {:?}{reason}", end.outcome));
    lines
}

fn item_line(content: &ItemContent) -> String {
    match content {
        ItemContent::Message(message) => {
            let who = match (message.role, message.phase) {
                (Role::User, _) => "user",
                (Role::Agent, None) => "agent",
                (Role::Agent, Some(Phase::Commentary)) => "agent…",
                (Role::Agent, Some(Phase::Final)) => "agent!",
            };
            format!("{who}: {}", message.text)
        }
        ItemContent::Reasoning(reasoning) => format!("thought: {}", reasoning.text),
        ItemContent::Plan(items) => format!("plan of {}", items.len()),
        ItemContent::ToolCall(call) => title(call, Locale::En).to_string(),
        ItemContent::Goal(goal) => {
            format!("goal: {} [{}]", goal.objective, goal.status.as_deref().unwrap_or_default())
        }
        ItemContent::Notice(notice) => notice_line(notice, Locale::En),
    }
}

/// The steps of calls, in order.
fn call_events(records: &[TranscriptRecord]) -> impl Iterator<Item = &ToolCallEvent> {
    records.iter().filter_map(|record| {
        if let RecordBody::ToolCall(event) = &record.body { Some(&**event) } else { None }
    })
}

/// What the log says of itself, as often as it says so.
fn sessions(records: &[TranscriptRecord]) -> Vec<&SessionInfo> {
    records
        .iter()
        .filter_map(
            |record| {
                if let RecordBody::Session(session) = &record.body { Some(session) } else { None }
            },
        )
        .collect()
}

/// Calls and their steps: `called id name`, `answered id status`.
fn steps(records: &[TranscriptRecord]) -> Vec<String> {
    let step = |event: &ToolCallEvent| match &event.step {
        ToolCallStep::Called(request) => format!("called {} {}", event.id, request.name.name),
        ToolCallStep::Answered(answer) => {
            format!("answered {} {:?}", event.id, answer.status.expect("a status"))
        }
        ToolCallStep::Executed(_) => format!("executed {}", event.id),
    };
    call_events(records).map(step).collect()
}

/// A row of the newer shape.
fn event(event: &str) -> String {
    format!("{{\"type\":\"context.append_loop_event\",\"event\":{event},\"time\":1785600000000}}\n")
}

/// A message as the model gets it.
fn message(message: &str) -> String {
    format!("{{\"type\":\"context.append_message\",\"message\":{message}}}\n")
}

/// A row of the older shape.
fn wire(kind: &str, payload: &str) -> String {
    format!(
        "{{\"timestamp\": 1785600000.25, \"message\": {{\"type\": \"{kind}\", \"payload\": {payload}}}}}\n"
    )
}

fn prompt(text: &str) -> String {
    format!(
        "{{\"type\":\"turn.prompt\",\"input\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"origin\":{{\"kind\":\"user\"}}}}\n"
    )
}
