//! Codex: its session logs, the scripts of its `exec` tool, and which sessions there are.
//!
//! The flow: bytes → [`log::LogReader`] → transcript records; [`exec`] reads what calls a script makes, without ever
//! running it; [`CodexSource`] puts both behind the port that the use cases ask.
//!
//! Facts about the format are observed with the real Codex CLI (see `tests/fixtures/codex` in the repository).

pub mod exec;
pub mod log;
mod output;
mod script;
mod wire;

use std::path::{Path, PathBuf};

use larkspan_logtail::{LogCatalog, LogFolder, LogSource};

/// The agent's name in tags.
pub const AGENT: &str = "codex";

/// One Codex log.
pub type CodexSource = LogSource<log::LogReader>;

/// The sessions of a Codex home.
pub type CodexCatalog = LogCatalog<log::LogReader>;

/// Where a Codex home (`$CODEX_HOME`, usually `~/.codex`) keeps its logs.
pub fn sessions_of(home: impl Into<PathBuf>) -> LogFolder {
    let path = home.into().join("sessions");
    // Sub-agents have logs like any session; their first row says so.
    LogFolder { agent: AGENT, path, is_log, is_subagent: |_| false }
}

fn is_log(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"))
}
