//! The header of an output.

use std::time::Duration;

use super::Envelope;

/// How far the header says the call has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Progress {
    ScriptCompleted,
    ScriptFailed,
    ScriptTerminated,
    ScriptRunning(String),
    Exited(i64),
    Running(String),
}

/// A header and its length in bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Header {
    pub(super) progress: Option<Progress>,
    pub(super) exit_code: Option<i64>,
    pub(super) wall_time: Option<Duration>,
    pub(super) total_lines: Option<u64>,
    /// It ended with `Output:`: what follows is what the tool printed.
    pub(super) is_closed: bool,
    pub(super) len: usize,
}

/// Reads the header that `envelope` allows, if the text begins with one.
///
/// A first line of a known kind, then any of the others in any order, ended by `Output:` or by the first other line.
pub(super) fn parse(text: &str, envelope: Envelope) -> Option<Header> {
    let mut header = Header::default();
    let mut rest = text;
    let mut lines = 0;
    loop {
        let (line, after) = match rest.split_once('\n') {
            Some((line, after)) => (line, after),
            None => (rest, ""),
        };
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line == "Output:" {
            if lines == 0 && !matches!(envelope, Envelope::Shell) {
                return None;
            }
            header.len = text.len() - after.len();
            header.is_closed = true;
            return Some(header);
        }
        if rest.is_empty() || !field(line, envelope, lines == 0, &mut header) {
            break;
        }
        lines += 1;
        rest = after;
    }
    header.len = text.len() - rest.len();
    (lines > 0).then_some(header)
}

/// Reads one line of a header; false if it is none.
fn field(line: &str, envelope: Envelope, is_first: bool, header: &mut Header) -> bool {
    let is_script = matches!(envelope, Envelope::Script | Envelope::Wait);
    if is_script && is_first {
        header.progress = match line {
            "Script completed" => Some(Progress::ScriptCompleted),
            "Script failed" => Some(Progress::ScriptFailed),
            "Script terminated" => Some(Progress::ScriptTerminated),
            _ => line
                .strip_prefix("Script running with cell ID ")
                .map(|id| Progress::ScriptRunning(id.trim().to_owned())),
        };
        return header.progress.is_some();
    }
    if let Some(seconds) = line.strip_prefix("Wall time") {
        let seconds = seconds.trim_start_matches(':').trim().strip_suffix(" seconds");
        let seconds = seconds.and_then(|s| s.parse().ok()).and_then(|s| Duration::try_from_secs_f64(s).ok());
        header.wall_time = header.wall_time.or(seconds);
        return seconds.is_some();
    }
    if is_script || matches!(envelope, Envelope::Mcp | Envelope::Image | Envelope::Bare) {
        return false;
    }
    if let Some(code) = line.strip_prefix("Process exited with code ").and_then(|c| c.trim().parse().ok()) {
        header.progress = Some(Progress::Exited(code));
        return true;
    }
    if let Some(id) = line.strip_prefix("Process running with session ID ") {
        header.progress = Some(Progress::Running(id.trim().to_owned()));
        return true;
    }
    if let Some(code) = line.strip_prefix("Exit code: ").and_then(|c| c.trim().parse().ok()) {
        header.exit_code = Some(code);
        return true;
    }
    if let Some(count) = line.strip_prefix("Total output lines: ").and_then(|c| c.trim().parse().ok()) {
        header.total_lines = Some(count);
        return true;
    }
    ["Command: ", "Chunk ID: ", "Original token count: "].iter().any(|name| line.starts_with(name))
}
