//! Finds the patch in a shell command whose program is `apply_patch`.

use super::launcher::peel_command;
use super::syntax::{Command, RedirectOperator, Separator, SimpleCommand, parse};

/// A patch that a shell command applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeredocPatch {
    /// The patch text: the here-document's body or the argument, as written.
    pub patch: String,
    /// The directory of a `cd` before it: as written, and relative to the call's own if it is relative.
    pub workdir: Option<String>,
}

/// The patch of a command that does nothing else than apply one: `apply_patch` (or `applypatch`) with a
/// here-document or one quoted argument, after an optional `cd DIR &&`.
///
/// The body is taken as it is written even if the delimiter is not quoted: Codex takes such a command over
/// before any shell sees it.
///
/// ```
/// # use larkspan_core::shell::heredoc_patch;
/// let command = "cd app && apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF";
/// let found = heredoc_patch(command).unwrap();
/// assert_eq!(found.workdir.as_deref(), Some("app"));
/// assert_eq!(found.patch, "*** Begin Patch\n*** End Patch\n");
/// ```
pub fn heredoc_patch(command: &str) -> Option<HeredocPatch> {
    // Cheap enough to ask of every command.
    if !(command.contains("apply_patch") || command.contains("applypatch")) {
        return None;
    }
    let script = parse(&peel_command(command));
    let (directory, patch) = match script.pipelines.as_slice() {
        [patch] => (None, patch),
        [directory, patch] if matches!(directory.separator, Separator::And | Separator::Sequence) => {
            (Some(directory), patch)
        }
        _ => return None,
    };
    let workdir = match directory.map(|pipeline| pipeline.commands.as_slice()) {
        None => None,
        Some([Command::Simple(command)]) => Some(changed_directory(command)?),
        Some(_) => return None,
    };
    let [Command::Simple(command)] = patch.commands.as_slice() else { return None };
    if !script.complete {
        return None;
    }
    Some(HeredocPatch { patch: patch_text(command)?, workdir })
}

fn changed_directory(command: &SimpleCommand) -> Option<String> {
    let words: Vec<&str> = command.words.iter().map(|word| word.value.as_str()).collect();
    match words.as_slice() {
        ["cd", directory] | ["cd", "--", directory] => Some((*directory).to_owned()),
        _ => None,
    }
}

fn patch_text(command: &SimpleCommand) -> Option<String> {
    let (program, arguments) = command.words.split_first()?;
    let name = program.literal()?;
    let name = name.rsplit('/').next().unwrap_or(name);
    if !matches!(name, "apply_patch" | "applypatch") {
        return None;
    }
    let mut documents =
        command.redirects.iter().filter(|redirect| redirect.operator == RedirectOperator::HereDocument);
    match (arguments, documents.next(), documents.next()) {
        ([], Some(document), None) => Some(document.target.value.clone()),
        ([argument], None, None) => argument.literal().map(str::to_owned),
        _ => None,
    }
}
