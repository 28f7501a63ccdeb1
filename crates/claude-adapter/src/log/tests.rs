//! Rows to records, a table for each kind of row.

use larkspan_core::tool_call::{ToolCallEvent, ToolCallStep};
use larkspan_core::transcript::{RecordBody, Role, TranscriptRecord};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::LogReader;

mod harness;
mod odd;
mod turns;

/// A record in a few words.
fn told(record: &TranscriptRecord) -> String {
    match &record.body {
        RecordBody::Session(info) => {
            let side = if info.is_subagent { " side" } else { "" };
            let parent = info.parent.as_ref().map(|parent| format!(" of {parent}")).unwrap_or_default();
            let model = info.model.as_deref().unwrap_or("-");
            format!("session {} {model}{side}{parent}", info.id)
        }
        RecordBody::TurnStarted => {
            format!("turn {}", record.turn.as_ref().map_or("-", |turn| turn.as_str()))
        }
        RecordBody::TurnEnded(end) => {
            format!("end {:?} {}", end.outcome, end.reason.as_deref().unwrap_or("-"))
        }
        RecordBody::Message(message) => match (message.role, message.phase) {
            (Role::User, _) => format!("user: {}", message.text),
            (Role::Agent, Some(phase)) => format!("agent {phase:?}: {}", message.text),
            (Role::Agent, None) => format!("agent: {}", message.text),
        },
        RecordBody::Reasoning(thought) => format!("thinks: {}", thought.text),
        RecordBody::Plan(items) => format!("plan {}", items.len()),
        RecordBody::ToolCall(event) => step(event),
        RecordBody::Usage(usage) => format!(
            "usage {} {} {}",
            usage.context_tokens.unwrap_or_default(),
            usage.input_tokens.unwrap_or_default(),
            usage.output_tokens.unwrap_or_default()
        ),
        RecordBody::Goal(goal) => format!("goal {}", goal.objective),
        RecordBody::Notice(notice) => format!("{:?}: {}", notice.kind, notice.text),
        RecordBody::Unknown(unknown) => format!("unknown {}", unknown.kind),
    }
}

fn step(event: &ToolCallEvent) -> String {
    let id = &event.id;
    match &event.step {
        ToolCallStep::Called(request) => {
            format!("call {id} {} {:?}", request.name.name, request.detail.kind())
        }
        ToolCallStep::Answered(answer) => format!("answer {id} {:?}", answer.status),
        ToolCallStep::Executed(executed) => {
            format!("executed {id} {:?} {:?}", executed.status, executed.outcome.exit_code)
        }
    }
}

fn read(name: &str, rows: &[Value]) -> Vec<String> {
    let mut reader = LogReader::new(name);
    let mut records = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        reader.line(row.to_string().as_bytes(), at as u64 + 1, &mut records);
    }
    records.iter().map(told).collect()
}

/// Rows of a session `s`, without the record that names it.
fn check(rows: &[Value], expected: &[&str]) {
    let mut told = read("file", rows);
    told.retain(|line| !line.starts_with("session "));
    assert_eq!(told, expected, "{rows:#?}");
}

fn user(uuid: &str, content: impl Into<Value>) -> Value {
    json!({"type": "user", "uuid": uuid, "sessionId": "s", "message": {"role": "user", "content": content.into()}})
}

fn with(mut row: Value, members: &Value) -> Value {
    for (name, value) in members.as_object().expect("members") {
        row[name] = value.clone();
    }
    row
}

fn agent(uuid: &str, stop: impl Into<Value>, block: &Value) -> Value {
    json!({"type": "assistant", "uuid": uuid, "sessionId": "s", "message":
        {"id": uuid, "role": "assistant", "model": "m", "content": [block], "stop_reason": stop.into()}})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[expect(clippy::needless_pass_by_value, reason = "a call reads better without the borrow")]
fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn result(uuid: &str, id: &str, content: &str) -> Value {
    user(uuid, json!([{"type": "tool_result", "tool_use_id": id, "content": content}]))
}

fn system(subtype: &str, members: &Value) -> Value {
    with(json!({"type": "system", "subtype": subtype, "uuid": "y", "sessionId": "s"}), members)
}
