//! A test that needs something absent says so: skipped, never silently green.
//!
//! A test runner hides what a passed test prints, so the word also goes to the file that [`LOG_VARIABLE`] names, where
//! `cargo xtask ci` finds it.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Names the file that takes a line, `NAME: REASON`, for every skipped test.
pub const LOG_VARIABLE: &str = "LARKSPAN_SKIPPED_LOG";

/// Says that this test does not run, and why: what is absent and how to bring it.
///
/// # Panics
/// If the file that [`LOG_VARIABLE`] names cannot be written: a skipped test must not look like one that passed.
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
pub fn skip(test: &str, reason: &str) {
    let line = format!("{test}: {reason}").replace('\n', " ");
    eprintln!("SKIPPED {line}");
    if let Some(log) = std::env::var_os(LOG_VARIABLE).filter(|log| !log.is_empty())
        && let Err(error) = append(Path::new(&log), &line)
    {
        panic!("{LOG_VARIABLE}: {} cannot be written: {error}", Path::new(&log).display());
    }
}

/// One write: tests that run side by side do not mix their lines.
fn append(log: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(log)?;
    file.write_all(format!("{line}\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_skipped_test_gets_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        append(&log, "a: no server").unwrap();
        append(&log, "b: no Codex").unwrap();
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "a: no server\nb: no Codex\n");
        assert!(append(&folder.path().join("no/folder"), "c").is_err());
    }
}
