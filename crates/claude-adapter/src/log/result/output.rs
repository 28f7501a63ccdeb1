//! What a call printed, without what the harness puts around it for the model.

use larkspan_core::tool_call::{Output, ToolKind};

use crate::log::text::{Content, tagged, without_reminders};
use crate::wire::{self, File, Raw, Result};

/// What the model is told where there is nothing.
const NOTHING: [&str; 2] = ["(Bash completed with no output)", "Tool ran without output or errors"];
/// How the model is told that a change is made: the call says what it was.
const CHANGED: [&str; 5] = [
    "The file ",
    "File created successfully",
    "File written successfully",
    "File edited successfully",
    "Todos have been modified successfully",
];
const BACKGROUND: &str = "Command running in background with ID: ";
/// How the block begins that tells the model how to go on with an agent.
const AGENT_FOOTER: &str = "agentId: ";
const LAUNCHED: &str = "async_launched";

/// The id under which the work goes on after the result.
pub(super) fn background(kind: Option<ToolKind>, text: &str, result: &Result<'_>) -> Option<String> {
    if let Some(id) = wire::owned(result.background) {
        return Some(id);
    }
    if wire::text(result.status).as_deref() == Some(LAUNCHED) {
        return wire::owned(result.agent_id);
    }
    let after = text.strip_prefix(BACKGROUND).filter(|_| kind == Some(ToolKind::Command))?;
    let id = after.split(['.', '\n', ' ']).next().filter(|id| !id.is_empty())?;
    Some(id.to_owned())
}

pub(super) fn output(
    kind: Option<ToolKind>,
    told: &Content,
    result: &Result<'_>,
    recorded: Raw<'_>,
) -> Option<Output> {
    let text = told.text();
    if text.starts_with("<persisted-output>") {
        return Some(persisted(&text, result));
    }
    let is = |kinds: &[ToolKind]| kind.is_some_and(|kind| kinds.contains(&kind));
    if is(&[ToolKind::Command]) {
        let is_nothing = NOTHING.contains(&text.trim_end());
        return (!is_nothing)
            .then(|| if is_cut(&text) { Output::part(text, None) } else { Output::whole(text) });
    }
    if is(&[ToolKind::FileRead]) {
        let file: File<'_> = wire::object(result.file);
        return Some(match wire::text(file.content) {
            Some(file) => Output::whole(file.as_ref()),
            None if wire::is_object(recorded) && wire::is_object(result.file) && !told.media.is_empty() => {
                return None;
            }
            None => Output::whole(without_numbers(&without_reminders(&text))),
        });
    }
    if is(&[ToolKind::FileChange, ToolKind::Plan]) && CHANGED.iter().any(|said| text.starts_with(said)) {
        return None;
    }
    if is(&[ToolKind::Agent]) && told.texts.len() > 1 {
        let said: Vec<&str> =
            told.texts.iter().map(String::as_str).filter(|text| !text.starts_with(AGENT_FOOTER)).collect();
        return Some(Output::whole(said.join("\n")));
    }
    Some(Output::whole(without_reminders(&text).as_ref()))
}

/// An output too large for the model: what the harness recorded of it, else the preview that the model got.
fn persisted(text: &str, result: &Result<'_>) -> Output {
    if let Some(printed) = wire::non_empty(result.stdout) {
        let size = wire::unsigned(result.persisted_size);
        let is_whole = size.is_some_and(|size| printed.len() as u64 >= size);
        return if is_whole { Output::whole(printed.as_ref()) } else { Output::part(printed.as_ref(), None) };
    }
    let inside = tagged(text, "persisted-output").unwrap_or(text);
    let preview = inside.split_once("\n\nPreview (").and_then(|(_, after)| after.split_once(":\n"));
    let preview = preview.map_or(inside, |(_, preview)| preview);
    Output::part(preview.strip_suffix("\n...").unwrap_or(preview), None)
}

/// Whether the harness has left out lines in the middle.
fn is_cut(text: &str) -> bool {
    let before = " lines truncated] ...";
    text.match_indices(before).any(|(at, _)| {
        let number = text.get(..at).and_then(|head| head.rsplit_once("... ["));
        number.is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// The text of a file whose lines are numbered (`1⇥…`, `     1→…`), if they all are.
fn without_numbers(text: &str) -> String {
    let unnumbered = |line: &'_ str| -> Option<usize> {
        let digits = line.trim_start_matches(' ');
        let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let mark = after.chars().next().filter(|c| matches!(c, '\t' | '→'))?;
        (after.len() < digits.len()).then(|| line.len() - after.len() + mark.len_utf8())
    };
    let lines: Option<Vec<&str>> =
        text.split_inclusive('\n').map(|line| line.get(unnumbered(line)?..)).collect();
    lines.map_or_else(|| text.to_owned(), |lines| lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lines_are_taken_off_if_all_lines_have_one() {
        for (text, expected) in [
            ("1\tdef f():\n2\t    return 1\n3\t", "def f():\n    return 1\n"),
            ("     1→a\n    10→\tb", "a\n\tb"),
            ("1\ta\nplain", "1\ta\nplain"),
            ("\ta", "\ta"),
            ("", ""),
        ] {
            assert_eq!(without_numbers(text), expected, "{text:?}");
        }
    }

    #[test]
    fn only_the_harness_leaves_out_lines() {
        assert!(is_cut("a\n\n... [123 lines truncated] ...\n\nb"));
        assert!(!is_cut("... [ lines truncated] ..."));
        assert!(!is_cut(" lines truncated] ... ... [5"));
    }
}
