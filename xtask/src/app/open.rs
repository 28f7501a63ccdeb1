//! Opening logs: whose they are, and the source that reads them.

use std::path::Path;

use anyhow::{Result, bail};
use larkspan_codex_adapter::{CodexSource, Probe, ReadMode, probe};
use larkspan_core::ports::{SourceError, SourcePosition, TranscriptSource};

/// Checks that the file is a log that can be read, before anything is written anywhere.
pub(super) fn check(path: &Path, mode: ReadMode) -> Result<()> {
    match (probe(path)?, mode) {
        (Probe::Codex, _) | (Probe::Empty, ReadMode::Follow) => Ok(()),
        (Probe::Empty, ReadMode::Whole) => {
            bail!("{} is empty: nothing has been logged yet", path.display())
        }
    }
}

/// Opens a log.
pub(super) fn source(
    path: &Path,
    mode: ReadMode,
    from: Option<&SourcePosition>,
) -> Result<Box<dyn TranscriptSource>, SourceError> {
    Ok(Box::new(CodexSource::open(path, mode, from)?))
}
