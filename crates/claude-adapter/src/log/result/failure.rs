//! Which results are failures, and why.
//!
//! Invariant: what a command prints can never pass for a failure or an exit code. `Exit code N` is only read where the
//! result is marked as an error.

use larkspan_core::tool_call::{Outcome, Output, ToolCallStatus, ToolKind};

use crate::log::text::tagged;
use crate::wire::{self, Raw};

/// What the model is told when a person refuses a call, and when a rule does.
const DECLINED: [&str; 5] = [
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "Permission to use ",
    "Claude requested permissions to ",
    "This command requires approval",
];
const SAID: &str = "the user said:\n";
const INTERRUPTED: &str = "[Request interrupted by user";
const WRAPPER: &str = "tool_use_error";
const TIMED_OUT: &str = "Command timed out after ";

/// How a call failed.
#[derive(Debug, PartialEq)]
pub(super) struct Failure {
    pub(super) status: ToolCallStatus,
    pub(super) outcome: Outcome,
}

pub(super) fn failure(
    kind: Option<ToolKind>,
    told: &str,
    is_error: Raw<'_>,
    recorded: Raw<'_>,
    is_denied: bool,
) -> Option<Failure> {
    let is_wrapped = told.trim_start().starts_with("<tool_use_error>");
    let text = if is_wrapped { tagged(told, WRAPPER).unwrap_or_default() } else { told };
    let is_failure = match wire::boolean(is_error) {
        Some(is_error) => is_error,
        // A result that tells nothing else says it in its text; of a real command something is always recorded.
        None if wire::is_null(recorded) => {
            kind == Some(ToolKind::Command) && text.starts_with("Error: ") && exit_code(text).is_some()
        }
        None => wire::text(recorded).is_some_and(|recorded| recorded.starts_with("Error: ")),
    };
    if !(is_failure || is_wrapped || is_denied) {
        return None;
    }
    let text = text.trim_end();
    if text.starts_with(INTERRUPTED) {
        return Some(Failure { status: ToolCallStatus::Aborted, outcome: Outcome::default() });
    }
    if is_denied || DECLINED.iter().any(|declined| text.starts_with(declined)) {
        // Where a person has said why, that is the reason.
        let reason = text.split_once(SAID).map(|(_, said)| said.trim()).filter(|said| !said.is_empty());
        let outcome = Outcome { declined: true, failure: reason.map(Into::into), ..Outcome::default() };
        return Some(Failure { status: ToolCallStatus::Failed, outcome });
    }
    if kind == Some(ToolKind::Command)
        && let Some((code, printed)) = exit_code(text)
    {
        let timed_out = printed.starts_with(TIMED_OUT);
        let output = Some(Output::whole(printed)).filter(|output| !output.is_empty());
        let outcome = Outcome { exit_code: Some(code), output, timed_out, ..Outcome::default() };
        return Some(Failure { status: ToolCallStatus::Failed, outcome });
    }
    let reason = text.strip_prefix("Error: ").unwrap_or(text).trim();
    let outcome = Outcome {
        failure: Some(reason).filter(|reason| !reason.is_empty()).map(Into::into),
        timed_out: kind == Some(ToolKind::Command) && reason.starts_with(TIMED_OUT),
        ..Outcome::default()
    };
    Some(Failure { status: ToolCallStatus::Failed, outcome })
}

/// The exit code that heads a failed command's result, and what it printed.
fn exit_code(text: &str) -> Option<(i64, &str)> {
    let after = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    let (code, printed) = after.split_once('\n').unwrap_or((after, ""));
    Some((code.trim().parse().ok()?, printed))
}
