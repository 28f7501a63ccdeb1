//! The tests that could not run: they append a line to the file that a variable names, since a test runner hides what a
//! passed test prints.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Names the file. `larkspan_tests::skip` is the other side.
pub(super) const LOG_VARIABLE: &str = "LARKSPAN_SKIPPED_LOG";

/// The file of one run.
#[derive(Debug)]
pub(super) struct SkippedTests {
    file: PathBuf,
}

impl SkippedTests {
    /// Begins a run with no skipped test.
    pub(super) fn begin(target: &Path) -> Result<Self> {
        let file = target.join("xtask").join("skipped-tests");
        fs::create_dir_all(target.join("xtask"))
            .and_then(|()| fs::write(&file, ""))
            .with_context(|| format!("{} cannot be written", file.display()))?;
        Ok(Self { file })
    }

    /// Where the tests are to write.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// The lines so far, `NAME: REASON`, each once and in order of name.
    pub(super) fn list(&self) -> Result<Vec<String>> {
        match fs::read_to_string(&self.file) {
            Ok(text) => Ok(listed(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error).with_context(|| format!("{} cannot be read", self.file.display())),
        }
    }
}

fn listed(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    lines.sort();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_was_skipped_twice_is_listed_once() {
        assert_eq!(listed("b: no server\na: no Codex\n\nb: no server\n"), ["a: no Codex", "b: no server"]);
        assert!(listed("").is_empty());
    }
}
