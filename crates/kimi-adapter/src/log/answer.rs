//! What a tool gave back, taken out of the program's own wrapping.

use std::sync::Arc;

use larkspan_core::tool_call::{Media, Outcome, Output, ToolCallAnswer, ToolCallStatus, ToolKind};

use crate::wire::{self, Message, Part, Raw, ToolReturn};

/// The last line of a command that ended with a code other than 0.
const EXIT: &str = "Command failed with exit code: ";
/// What stands for the output of such a command that printed nothing.
const SILENT_EXIT: &str = "Process exited with code ";
/// The last line of a command that a time limit ended.
const TIMEOUT: &str = "Command killed by timeout";
/// The last line of a command that a person ended.
const INTERRUPTED: &str = "Interrupted by user";
/// What follows an output of which only a part is in the log.
const SAVED: &str = "\n\n[Full output saved]\ntask_id: ";
/// What the newer program puts above the summary of an agent.
const SUMMARY: &str = "\n\n[summary]\n";
/// What it puts above the reason why an agent failed.
const AGENT_ERROR: &str = "\n\nsubagent error: ";
/// What the newer program tells the model of a failure, above what the tool said.
const FAILED: [&str; 2] = ["<system>ERROR: Tool execution failed.</system>", "ERROR: Tool execution failed."];
/// What stands in a message in place of no output.
const EMPTY: [&str; 4] = [
    "Tool output is empty.",
    "<system>Tool output is empty.</system>",
    "ERROR: Tool execution failed. Tool output is empty.",
    "<system>ERROR: Tool execution failed. Tool output is empty.</system>",
];

/// What a row says of an answer.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Whether it says anything.
    is_readable: bool,
    is_error: Option<bool>,
    text: String,
    /// What the program says of it, apart from the output.
    message: String,
    media: Vec<Media>,
}

impl Told {
    /// An event's result, in the older and in the newer shape.
    pub(super) fn by_event(raw: Raw<'_>) -> Self {
        if !wire::is_object(raw) {
            return Self { is_readable: wire::text(raw).is_some(), ..Self::of_content(raw) };
        }
        let result: ToolReturn<'_> = wire::object(raw);
        let is_error = wire::boolean(result.is_error).or_else(|| wire::boolean(result.has_error));
        Self {
            is_readable: is_error.is_some() || result.output.is_some() || result.message.is_some(),
            is_error,
            message: wire::text(result.message).unwrap_or_default().trim().to_owned(),
            ..Self::of_content(result.output)
        }
    }

    /// A message of the role `tool`, which holds the answer as it was worded for the model.
    pub(super) fn by_message(message: &Message<'_>) -> Self {
        let mut told = Self { is_readable: true, ..Self::of_content(message.content) };
        told.is_error = wire::boolean(message.is_error);
        if told.is_error.is_some() {
            // Builds that say so apart from the text leave the text alone.
            return told;
        }
        if EMPTY.contains(&told.text.trim()) {
            told.is_error = told.text.contains("ERROR:").then_some(true);
            told.text.clear();
        }
        if let Some(rest) = FAILED.iter().find_map(|head| told.text.strip_prefix(head)) {
            told.text = rest.strip_prefix('\n').unwrap_or(rest).to_owned();
            told.is_error = Some(true);
        }
        told
    }

    fn of_content(raw: Raw<'_>) -> Self {
        let mut told = Self::default();
        for part in wire::parts(raw) {
            match part {
                Part::Text(text) => {
                    if !told.text.is_empty() && !told.text.ends_with('\n') {
                        told.text.push('\n');
                    }
                    told.text.push_str(&text);
                }
                Part::Media(media) => told.media.push(media),
                Part::Think(_) | Part::Other => {}
            }
        }
        told
    }

    /// The answer to a call of this kind.
    pub(super) fn answer(self, kind: ToolKind) -> ToolCallAnswer {
        let Self { is_readable, is_error, mut text, mut message, media } = self;
        let mut outcome = Outcome { media, ..Outcome::default() };
        let mut is_cut = false;
        match kind {
            ToolKind::Command => {
                if let Some(at) = text.rfind(SAVED) {
                    text.truncate(at);
                    is_cut = true;
                }
                if is_error == Some(true) {
                    unwrap_failure(&mut text, &mut message, &mut outcome);
                } else if let Some(id) = background_task(&text) {
                    outcome.running_session = Some(id);
                    text.clear();
                }
            }
            ToolKind::Agent => unwrap_agent(&mut text),
            ToolKind::TerminalInput
            | ToolKind::Patch
            | ToolKind::FileRead
            | ToolKind::FileSearch
            | ToolKind::FileChange
            | ToolKind::WebFetch
            | ToolKind::WebSearch
            | ToolKind::Plan
            | ToolKind::ToolSearch
            | ToolKind::Mcp
            | ToolKind::Image
            | ToolKind::Script
            | ToolKind::Orchestration
            | ToolKind::Generic => {}
        }
        let failed = is_error == Some(true) || outcome.exit_code.is_some() || outcome.timed_out;
        let said = if message.is_empty() { text.as_str() } else { message.as_str() };
        // Of a command with an exit code the rest is what it printed.
        let is_programs_word = failed && outcome.exit_code.is_none();
        let status = match failed {
            true if is_programs_word && was_stopped(said) => ToolCallStatus::Aborted,
            true => ToolCallStatus::Failed,
            false if is_readable => ToolCallStatus::Completed,
            false => ToolCallStatus::Unknown,
        };
        outcome.declined = is_programs_word && was_refused(said);
        if status == ToolCallStatus::Aborted {
            // That it was stopped is its state; what it had printed is its output.
            let printed = text.trim_end().strip_suffix(INTERRUPTED);
            text = printed.map_or_else(String::new, str::to_owned);
        } else if is_programs_word {
            let reason = said.trim_end();
            outcome.failure = (!reason.is_empty()).then(|| Arc::from(reason));
            if message.is_empty() {
                text.clear();
            }
        }
        if !text.is_empty() {
            outcome.output = Some(if is_cut { Output::part(text, None) } else { Output::whole(text) });
        }
        ToolCallAnswer { status: Some(status), outcome, ..ToolCallAnswer::default() }
    }
}

/// The same answer to a call that a person refused.
pub(super) fn declined(mut answer: ToolCallAnswer) -> ToolCallAnswer {
    answer.status = Some(ToolCallStatus::Failed);
    answer.outcome.declined = true;
    answer
}

/// The id of the task in the background that a command became, where that is all that its answer tells.
fn background_task(text: &str) -> Option<String> {
    let (id, rest) = text.strip_prefix("task_id: ")?.split_once('\n')?;
    let is_running = rest.starts_with("pid: ") && rest.contains("\nautomatic_notification: ");
    is_running.then(|| id.trim().to_owned())
}

/// Takes the exit code and the time limit out of what the program says of a failure. Of a success it says neither: what
/// a command prints never passes for its exit code.
fn unwrap_failure(text: &mut String, message: &mut String, outcome: &mut Outcome) {
    let from_message = !message.is_empty();
    let last =
        if from_message { message.as_str() } else { text.trim_end().rsplit('\n').next().unwrap_or_default() };
    if let Some(code) = exit_code(last) {
        outcome.exit_code = Some(code);
    } else if last.starts_with(TIMEOUT) {
        outcome.timed_out = true;
        if !from_message {
            *message = last.to_owned();
        }
    } else {
        return;
    }
    if outcome.exit_code.is_some() && from_message {
        message.clear();
    } else if !from_message {
        let kept = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
        text.truncate(kept);
    }
    if text.strip_prefix(SILENT_EXIT).is_some_and(|code| code.trim().parse::<i64>().is_ok()) {
        text.clear();
    }
}

fn exit_code(line: &str) -> Option<i64> {
    line.strip_prefix(EXIT)?.trim_end_matches('.').parse().ok()
}

fn unwrap_agent(text: &mut String) {
    if text.starts_with("agent_id: ") {
        if let Some((_, summary)) = text.split_once(SUMMARY) {
            *text = summary.to_owned();
        } else if let Some((_, error)) = text.split_once(AGENT_ERROR) {
            *text = error.to_owned();
        }
    }
}

/// Whether a person or a policy refused the call.
fn was_refused(said: &str) -> bool {
    const REASONS: [&str; 3] = [
        "\" was not run because the user rejected",
        "\" was not run because the approval request was cancelled",
        "\" was denied by permission policy",
    ];
    said.starts_with("The tool call is rejected by the user")
        || said.starts_with("Tool \"") && REASONS.iter().any(|reason| said.contains(reason))
}

/// Whether the call was stopped from outside.
fn was_stopped(said: &str) -> bool {
    let is_about_tool = said.starts_with("Tool \"");
    said.trim_end().ends_with(INTERRUPTED)
        || is_about_tool && said.contains("\" was aborted")
        || said.starts_with("Aborted before command started")
        || said.contains("The user manually interrupted this subagent")
}
