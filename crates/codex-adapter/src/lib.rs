//! Codex: its session logs, the scripts of its `exec` tool, and which sessions there are.
//!
//! The flow: bytes → [`log::LogReader`] → transcript records; [`exec`] reads what calls a script makes, without ever
//! running it; [`CodexSource`] puts both behind the port that the use cases ask.
//!
//! Facts about the format are observed with the real Codex CLI (see `tests/fixtures/codex` in the repository).

mod catalog;
pub mod exec;
pub mod log;
mod output;
mod script;
mod source;
mod wire;

pub use catalog::CodexCatalog;
pub use source::{CodexSource, Probe, ReadMode, probe};

/// The agent's name in tags.
pub fn session_agent() -> &'static str {
    "codex"
}
