//! Claude Code: its transcripts, read into the neutral records that every agent's log becomes.
//!
//! The flow: bytes → [`log::LogReader`] → transcript records; [`ClaudeSource`] puts it behind the port that the use cases
//! ask.
//!
//! Facts about the format are observed with the real Claude Code CLI 2.1.197 (see `tests/fixtures/claude` in the
//! repository) and in public transcripts of 2.0.64 to 2.1.71.

pub mod log;
mod sessions;
mod wire;

pub use sessions::{AGENT, ClaudeCatalog, ClaudeSource, sessions_of};
