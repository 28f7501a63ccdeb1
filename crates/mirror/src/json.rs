//! What happened, as JSON objects, one a line. The shapes are documented in `docs/json.md`.
//!
//! Invariants
//! - Every object has `v`, `type` and `session`; within a version members are only ever added.
//! - Secrets are masked in every string, unless the caller asks for raw output.

use larkspan_core::ids::{SessionId, TurnId};
use larkspan_core::presentation::{Locale, title};
use larkspan_core::redaction::redact;
use larkspan_core::time::Timestamp;
use larkspan_core::tool_call::ToolCallInfo;
use larkspan_core::transcript::TurnEnd;
use larkspan_core::turn::{Change, ItemContent, Turn, TurnItem};
use serde_json::{Map, Value, json};

/// The version of the shapes.
pub const VERSION: u32 = 1;

/// How objects are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JsonOptions {
    /// The language of titles.
    pub locale: Locale,
    /// Whether secrets are masked.
    pub secrets: Secrets,
}

/// Whether secrets are masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Secrets {
    /// They are.
    #[default]
    Masked,
    /// They are not: for a person's own eyes only.
    Raw,
}

/// The object of one change, if it is one that is told: a whole turn was told piece by piece.
pub fn change(session: &SessionId, change: &Change, options: JsonOptions) -> Value {
    let object = match change {
        Change::Session(info) => object("session", session, None, [("info", json!(info))]),
        Change::TurnStarted { turn, at } => turn_started(session, turn, *at),
        Change::Item { turn, item } => self::item(session, turn.as_ref(), item, options),
        Change::Usage { turn, at, usage } => {
            object("usage", session, turn.as_ref(), [("at", json!(at)), ("usage", json!(usage))])
        }
        Change::TurnEnded(turn) => turn_ended(session, turn),
        Change::Unknown { position, record } => object(
            "unknown",
            session,
            None,
            [("position", json!(position)), ("kind", json!(record.kind)), ("sample", json!(record.sample))],
        ),
    };
    masked(object, options)
}

/// The objects of a whole turn, calls in their last state.
pub fn turn(session: &SessionId, turn: &Turn, options: JsonOptions) -> Vec<Value> {
    let mut all = vec![turn_started(session, &turn.id, turn.started_at)];
    all.extend(turn.items.iter().map(|item| self::item(session, Some(&turn.id), item, options)));
    if let Some(usage) = &turn.usage {
        all.push(object(
            "usage",
            session,
            Some(&turn.id),
            [("at", json!(turn.ended_at)), ("usage", json!(usage))],
        ));
    }
    all.push(turn_ended(session, turn));
    all.into_iter().map(|object| masked(object, options)).collect()
}

fn turn_started(session: &SessionId, turn: &TurnId, at: Option<Timestamp>) -> Value {
    object("turn_started", session, Some(turn), [("at", json!(at))])
}

fn turn_ended(session: &SessionId, turn: &Turn) -> Value {
    let end = turn
        .end
        .clone()
        .unwrap_or(TurnEnd { outcome: larkspan_core::transcript::TurnOutcome::Open, reason: None });
    let members =
        [("at", json!(turn.ended_at)), ("outcome", json!(end.outcome)), ("reason", json!(end.reason))];
    object("turn_ended", session, Some(&turn.id), members)
}

fn item(session: &SessionId, turn: Option<&TurnId>, item: &TurnItem, options: JsonOptions) -> Value {
    let place = [("seq", json!(item.seq)), ("at", json!(item.at))];
    let with = |kind: &str, members: Vec<(&str, Value)>| {
        object(kind, session, turn, place.clone().into_iter().chain(members))
    };
    match &item.content {
        ItemContent::Message(message) => with(
            "message",
            vec![
                ("role", json!(message.role)),
                ("phase", json!(message.phase)),
                ("text", json!(message.text)),
            ],
        ),
        ItemContent::Reasoning(reasoning) => with("reasoning", vec![("text", json!(reasoning.text))]),
        ItemContent::Plan(items) => with("plan", vec![("items", json!(items))]),
        ItemContent::Goal(goal) => {
            with("goal", vec![("objective", json!(goal.objective)), ("status", json!(goal.status))])
        }
        ItemContent::Notice(notice) => {
            with("notice", vec![("kind", json!(notice.kind)), ("text", json!(notice.text))])
        }
        ItemContent::ToolCall(call) => with("tool_call", call_members(call, options)),
    }
}

fn call_members(call: &ToolCallInfo, options: JsonOptions) -> Vec<(&'static str, Value)> {
    let children: Vec<Value> =
        call.children.iter().map(|child| Value::Object(members(call_members(child, options)))).collect();
    vec![
        ("id", json!(call.key.to_string())),
        ("rev", json!(call.rev)),
        ("name", json!(call.name.name)),
        ("raw_name", json!(call.name.raw)),
        ("raw_input", json!(call.raw_input)),
        ("kind", json!(call.kind())),
        ("status", json!(call.status)),
        ("title", json!(title(call, options.locale).to_string())),
        ("started_at", json!(call.started_at)),
        ("ended_at", json!(call.ended_at)),
        ("detail", json!(call.detail)),
        ("outcome", json!(call.outcome)),
        ("unresolved", json!(call.unresolved)),
        ("marks", json!(call.marks)),
        ("children", json!(children)),
    ]
}

fn object<'a>(
    kind: &str,
    session: &SessionId,
    turn: Option<&TurnId>,
    more: impl IntoIterator<Item = (&'a str, Value)>,
) -> Value {
    let head =
        [("v", json!(VERSION)), ("type", json!(kind)), ("session", json!(session)), ("turn", json!(turn))];
    Value::Object(members(head.into_iter().chain(more)))
}

/// What is not known is left out.
fn members<'a>(all: impl IntoIterator<Item = (&'a str, Value)>) -> Map<String, Value> {
    all.into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn masked(mut value: Value, options: JsonOptions) -> Value {
    if options.secrets == Secrets::Masked {
        mask(&mut value);
    }
    value
}

fn mask(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(masked) = redact(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(members) => members.values_mut().for_each(mask),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
