//! Peels the shell that an agent starts its commands with: `/bin/bash -lc "…"`.
//!
//! Codex records `[shell, "-lc", script]`, or `-c` where the call asked for no login shell; both are peeled,
//! once, and only in exactly this form.

use std::borrow::Cow;

use super::syntax::{Command, Word, parse};

const SHELLS: [&str; 3] = ["bash", "zsh", "sh"];

/// The script of a launcher's argument list, or nothing if it is not exactly one.
///
/// ```
/// # use larkspan_core::shell::peel_launcher;
/// let arguments = ["/bin/zsh", "-lc", "ls | head"].map(String::from);
/// assert_eq!(peel_launcher(&arguments), Some("ls | head".into()));
/// ```
pub fn peel_launcher(arguments: &[String]) -> Option<String> {
    match arguments {
        [shell, flag, script] if is_shell(shell) && is_flag(flag) => Some(script.clone()),
        _ => None,
    }
}

/// The script of a launcher that is written as a command line, or the command itself.
///
/// ```
/// # use larkspan_core::shell::peel_command;
/// assert_eq!(peel_command("bash -lc 'cd x && ls'"), "cd x && ls");
/// assert_eq!(peel_command("bash run.sh"), "bash run.sh");
/// ```
pub fn peel_command(command: &str) -> Cow<'_, str> {
    peeled(command).map_or(Cow::Borrowed(command), Cow::Owned)
}

fn peeled(command: &str) -> Option<String> {
    // Most commands are no launcher: do not parse them for that.
    let program = command.split_ascii_whitespace().next()?.trim_matches(['\'', '"']);
    if !is_shell(program) && !program.contains(['\\', '\'', '"']) {
        return None;
    }
    let script = parse(command);
    let [pipeline] = script.pipelines.as_slice() else { return None };
    let [Command::Simple(simple)] = pipeline.commands.as_slice() else { return None };
    let bare = script.complete && simple.assignments.is_empty() && simple.redirects.is_empty();
    let [shell, flag, inner] = simple.words.as_slice() else { return None };
    let exact = bare && is_shell(shell.literal()?) && is_flag(flag.literal()?);
    exact.then(|| inner.literal().map(str::to_owned)).flatten()
}

/// Whether a program is one of the shells, whatever its path.
pub(super) fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    SHELLS.contains(&name.strip_suffix(".exe").unwrap_or(name))
}

fn is_flag(flag: &str) -> bool {
    matches!(flag, "-lc" | "-c")
}

/// The script that a shell command runs, in looser forms too (`sh -ec '…' name`): good enough to see what
/// it does.
pub(super) fn script(words: &[Word]) -> Option<&str> {
    let mut words = words.iter().skip(1);
    loop {
        let flag = words.next()?.literal()?;
        let letters = flag.strip_prefix('-')?;
        if !letters.bytes().all(|letter| b"lceuxi".contains(&letter)) {
            return None;
        }
        if letters.contains('c') {
            return words.next()?.literal();
        }
    }
}
