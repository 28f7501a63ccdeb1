//! What the contributor commands say. A reader who left (a closed pipe) is no reason to stop the work.

use std::io::Write;

/// A line on stdout, before anything that a child process prints after it.
pub(super) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// A line on stderr: progress, and what went wrong.
pub(super) fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
