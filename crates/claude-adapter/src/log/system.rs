//! Rows of the harness itself.

use std::borrow::Cow;

use larkspan_core::transcript::{NoticeKind, TurnEnd, TurnOutcome};

use super::commands::Teller;
use super::text::paragraph;
use super::{LogReader, Sink};
use crate::wire::{self, ApiError, Raw, Row};

impl LogReader {
    pub(super) fn system(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        let kind = wire::text(row.subtype).unwrap_or_default();
        match kind.as_ref() {
            // The agent has stopped.
            "turn_duration" => self.completed(sink),
            "stop_hook_summary" => {
                let errors: Vec<Cow<'_, str>> =
                    wire::array(row.hook_errors).into_iter().filter_map(|e| wire::text(Some(e))).collect();
                for error in &errors {
                    self.announce(sink);
                    sink.notice(NoticeKind::Warning, paragraph(error));
                }
                // A hook that failed may have kept it from stopping.
                if errors.is_empty() {
                    self.completed(sink);
                }
            }
            "compact_boundary" => self.compaction(false, sink),
            "api_error" | "error" | "api_refusal" => {
                self.announce(sink);
                let attempt = match (wire::unsigned(row.attempt), wire::unsigned(row.attempts)) {
                    (Some(attempt), Some(attempts)) if attempts > 0 => format!(" ({attempt}/{attempts})"),
                    _ => String::new(),
                };
                let why = error_text(row.error).or_else(|| wire::owned(row.content));
                let why = why.unwrap_or_else(|| kind.replace('_', " "));
                sink.notice(NoticeKind::Error, format!("{}{attempt}", paragraph(&why)));
            }
            "local_command" => {
                let text = wire::text(row.content).unwrap_or_default();
                if !self.command(row, Teller::Harness, &text, sink) {
                    self.tell(NoticeKind::Info, &text, sink);
                }
            }
            "init" => {
                self.see_model(wire::owned(row.model));
                self.announce(sink);
            }
            "session_start" | "microcompact_boundary" | "status" => {}
            other => match wire::non_empty(row.content) {
                Some(text) => {
                    let level = wire::text(row.level).unwrap_or_default();
                    let kind = match level.as_ref() {
                        "error" => NoticeKind::Error,
                        "warning" => NoticeKind::Warning,
                        _ => NoticeKind::Info,
                    };
                    self.tell(kind, &text, sink);
                }
                None if other.is_empty() => sink.unknown("system row without a subtype", None),
                None => sink.unknown(format!("system/{other}"), None),
            },
        }
    }

    fn tell(&mut self, kind: NoticeKind, text: &str, sink: &mut Sink<'_>) {
        self.announce(sink);
        sink.notice(kind, paragraph(text));
    }

    fn completed(&mut self, sink: &mut Sink<'_>) {
        self.end_turn(TurnOutcome::Completed, None, sink);
    }

    /// The last row of `claude -p --output-format stream-json`. (A transcript has rows of this type too, of what a
    /// workflow's agent has found; the agent's own call tells it.)
    pub(super) fn end_of_stream(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        let Some(kind) = wire::owned(row.subtype) else { return };
        let end = if wire::is_true(row.is_error) || kind.starts_with("error") {
            TurnEnd { outcome: TurnOutcome::Failed, reason: wire::owned(row.result).or(Some(kind)) }
        } else {
            TurnEnd { outcome: TurnOutcome::Completed, reason: None }
        };
        self.end_turn(end.outcome, end.reason.as_deref().map(paragraph), sink);
    }
}

/// The words in an error, which nests in several shapes.
fn error_text(raw: Raw<'_>) -> Option<String> {
    /// An error holds the API's answer, which holds its error.
    const DEEPEST: usize = 4;
    let mut raw = raw;
    let mut status = None;
    for _ in 0..DEEPEST {
        if let Some(text) = wire::owned(raw) {
            return Some(text);
        }
        let error: ApiError<'_> = wire::object(raw);
        status = status.or_else(|| wire::unsigned(error.status).filter(|status| *status > 0));
        let said = wire::owned(error.formatted).or_else(|| wire::owned(error.message));
        if let Some(said) = said {
            return Some(match status {
                Some(status) if !said.contains(&status.to_string()) => format!("{status} {said}"),
                Some(_) | None => said,
            });
        }
        if wire::is_null(error.error) {
            return wire::owned(error.r#type).or_else(|| status.map(|status| format!("HTTP {status}")));
        }
        raw = error.error;
    }
    None
}
