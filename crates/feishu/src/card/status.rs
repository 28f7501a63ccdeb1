//! The lines below a card: what is being done, how long it has taken, how it ended.

use std::time::Duration;

use jiff::tz::TimeZone;
use larkspan_core::presentation::{title, usage_parts};
use larkspan_core::redaction::redact;
use larkspan_core::text::{clip, collapse_whitespace, escape_markdown};
use larkspan_core::time::Timestamp;
use larkspan_core::tool_call::{ToolCallInfo, ToolCallStatus};
use larkspan_core::transcript::{TurnEnd, TurnOutcome};
use larkspan_core::turn::{ItemContent, Turn};

use super::{View, words};

/// Code points of a step, a thought or an error.
const LINE: usize = 600;

/// The call that is running: of several the newest.
pub(super) fn running(turn: &Turn) -> Option<&ToolCallInfo> {
    let calls = turn.items.iter().rev().filter_map(|item| item.content.tool_call());
    calls.map(AsRef::as_ref).find(|call| call.status == ToolCallStatus::Running)
}

/// The status of a turn that goes on.
pub(super) fn live(view: &View<'_>) -> String {
    let (turn, locale) = (view.turn, view.locale);
    let mut lines = Vec::new();
    if let Some(call) = running(turn) {
        lines.push(format!("{}{}", words::step(locale), clip(&title(call, locale).to_string(), LINE)));
    }
    if let Some(ItemContent::Reasoning(reasoning)) = turn.items.last().map(|item| &item.content) {
        lines.push(format!("{}{}", words::thought(locale), plain(&reasoning.text)));
    }
    let mut parts = Vec::new();
    if turn.items.is_empty() {
        parts.push(words::working(locale).to_owned());
    }
    parts.extend(times(view, view.now));
    lines.push(parts.join(" · "));
    lines.join("\n\n")
}

/// The status of a turn that has ended.
pub(super) fn done(view: &View<'_>, end: &TurnEnd) -> String {
    let reason = end.reason.as_deref().map(error_line).filter(|reason| !reason.is_empty());
    let with = |word: &str, reason: Option<String>| match reason {
        Some(reason) => format!("{word} · {reason}"),
        None => word.to_owned(),
    };
    let outcome = match end.outcome {
        TurnOutcome::Completed => None,
        TurnOutcome::Aborted => {
            // The reason that most have says what the word says.
            Some(with(
                words::INTERRUPTED,
                reason.filter(|reason| !reason.eq_ignore_ascii_case("interrupted")),
            ))
        }
        TurnOutcome::Failed => {
            let reason = reason.unwrap_or_else(|| words::outcome(view.locale, end.outcome).to_owned());
            Some(format!("❌ {reason}"))
        }
        TurnOutcome::Superseded | TurnOutcome::Open => {
            Some(format!("❔ {}", words::outcome(view.locale, end.outcome)))
        }
    };
    let mut parts: Vec<String> = outcome.into_iter().collect();
    let last = view.turn.items.iter().rev().find_map(|item| item.at);
    if let Some(at) = view.turn.ended_at.or(last) {
        parts.extend(times(view, at));
    } else {
        parts.extend(view.turn.usage.iter().flat_map(usage_parts));
    }
    if parts.is_empty() {
        parts.push(words::outcome(view.locale, end.outcome).to_owned());
    }
    parts.join(" · ")
}

fn times(view: &View<'_>, at: Timestamp) -> Vec<String> {
    let locale = view.locale;
    let mut parts = vec![clock_time(at, view.zone)];
    if let Some(started) = view.turn.started_at {
        parts.push(format!("{} {}", words::has_run(locale), seconds(at.since(started))));
    }
    if let Some(text_at) = view.last_text_at {
        parts.push(format!("{} {}", words::last_answer(locale), seconds(at.since(text_at))));
    }
    parts.extend(view.turn.usage.iter().flat_map(usage_parts));
    parts
}

/// `14:03:07`, where the person is.
fn clock_time(at: Timestamp, zone: &TimeZone) -> String {
    let time = jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or_default();
    zone.to_datetime(time).strftime("%H:%M:%S").to_string()
}

/// `3s` · `1m5s` · `2h3m`.
fn seconds(time: Duration) -> String {
    match time.as_secs() {
        s @ 0..60 => format!("{s}s"),
        s @ 60..3_600 => format!("{}m{}s", s / 60, s % 60),
        s => format!("{}h{}m", s / 3_600, s % 3_600 / 60),
    }
}

fn plain(text: &str) -> String {
    escape_markdown(&clip(&collapse_whitespace(&redact(text)), LINE)).into_owned()
}

/// An error as a line: of a JSON error its type and its message.
fn error_line(text: &str) -> String {
    plain(&json_error(text).unwrap_or_else(|| text.to_owned()))
}

fn json_error(text: &str) -> Option<String> {
    let (from, to) = (text.find('{')?, text.rfind('}')?);
    let value: serde_json::Value = serde_json::from_str(text.get(from..=to)?).ok()?;
    let error = value.get("error").filter(|error| error.is_object()).unwrap_or(&value);
    let of = |name: &str| error.get(name).and_then(serde_json::Value::as_str);
    let message = of("message").or_else(|| value.get("error").and_then(serde_json::Value::as_str))?;
    Some(match of("type").or_else(|| of("code")) {
        Some(kind) => format!("{kind} · {message}"),
        None => message.to_owned(),
    })
}

/// Whether a notice says what the turn's end says.
pub(super) fn is_reason_of_end(turn: &Turn, text: &str) -> bool {
    let reason = turn.end.as_ref().and_then(|end| end.reason.as_deref());
    reason.is_some_and(|reason| collapse_whitespace(reason) == collapse_whitespace(text))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{error_line, seconds};

    #[test]
    fn times_are_short() {
        let of = |s| seconds(Duration::from_secs(s));
        assert_eq!([of(3), of(65), of(7_380)], ["3s", "1m5s", "2h3m"]);
    }

    #[test]
    fn json_errors_are_their_type_and_message() {
        for (text, line) in [
            (
                r#"unexpected status 400: {"error":{"type":"bad_request","message":"no\nmodel"}}"#,
                r"bad\_request · no model",
            ),
            (r#"{"message":"gone"}"#, "gone"),
            (r#"{"error":"quota"}"#, "quota"),
            ("stream {closed}", "stream {closed}"),
            ("{}", "{}"),
        ] {
            assert_eq!(error_line(text), line);
        }
    }
}
