//! Where Claude Code keeps its transcripts, and how logtail reads them.
//!
//! Facts: `<config>/projects/<encoded cwd>/<session>.jsonl`; a sub-agent's own transcript is named `agent-….jsonl` and lies
//! beside it or below it.

use std::path::{Path, PathBuf};

use larkspan_core::transcript::TranscriptRecord;
use larkspan_logtail::{LogCatalog, LogFolder, LogSource, RecordReader, stem};

use crate::log::{LogReader, Memory};

/// The agent's name in tags.
pub const AGENT: &str = "claude";

/// One transcript.
pub type ClaudeSource = LogSource<LogReader>;

/// The sessions of a configuration folder.
pub type ClaudeCatalog = LogCatalog<LogReader>;

/// Where a configuration folder (`$CLAUDE_CONFIG_DIR`, usually `~/.claude`) keeps its transcripts.
pub fn sessions_of(config: impl Into<PathBuf>) -> LogFolder {
    LogFolder { agent: AGENT, path: config.into().join("projects"), is_log, is_subagent }
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
}

fn is_subagent(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"))
}

impl RecordReader for LogReader {
    type Memory = Memory;

    fn new(log: &Path) -> Self {
        Self::new(&stem(log))
    }

    fn resume(memory: Memory) -> Self {
        Self::resume(memory)
    }

    fn memory(&self) -> &Memory {
        self.memory()
    }

    fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>) {
        self.line(bytes, end, out);
    }

    fn oversized(&mut self, head: &[u8], len: u64, end: u64, out: &mut Vec<TranscriptRecord>) {
        self.oversized(head, len, end, out);
    }
}
