//! Kimi: its session logs (`wire.jsonl`), of both of its programs (`kimi`, `kimi-code`).
//!
//! The flow: bytes → [`log::LogReader`] → transcript records; [`KimiSource`] puts it behind the port that the use cases ask.
//!
//! Facts about the format are gathered from public logs and from the programs' public sources.

pub mod log;
mod wire;

use std::path::{Path, PathBuf};

use larkspan_core::transcript::TranscriptRecord;
use larkspan_logtail::{LogCatalog, LogFolder, LogSource, RecordReader};

/// The agent's name in tags.
pub const AGENT: &str = "kimi";

/// One Kimi log.
pub type KimiSource = LogSource<log::LogReader>;

/// The sessions of a Kimi home.
pub type KimiCatalog = LogCatalog<log::LogReader>;

/// The name of every log.
const LOG: &str = "wire.jsonl";
/// The folder of the agents of a session, and the agent that talks to the user.
const AGENTS: &str = "agents";
const MAIN: &str = "main";

/// Where a Kimi home (`$KIMI_SHARE_DIR`, usually `~/.kimi`, or `$KIMI_CODE_HOME`, usually `~/.kimi-code`) keeps its logs.
pub fn sessions_of(home: impl Into<PathBuf>) -> LogFolder {
    LogFolder { agent: AGENT, path: home.into().join("sessions"), is_log, is_subagent }
}

fn is_log(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == LOG)
}

/// Whether a log lies in a folder of an agent that is not the main one.
fn is_subagent(path: &Path) -> bool {
    agent(path).is_some_and(|agent| agent != MAIN)
}

/// The agent whose folder a log lies in: `…/<session>/agents/<agent>/wire.jsonl`.
fn agent(path: &Path) -> Option<String> {
    let folder = path.parent()?;
    let is_agents = folder.parent()?.file_name()? == AGENTS;
    is_agents.then(|| folder.file_name().map(|name| name.to_string_lossy().into_owned())).flatten()
}

/// The session that a log belongs to, by its place; of a sub-agent with its name.
fn name(path: &Path) -> String {
    let of = |folder: Option<&Path>| {
        let name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| larkspan_logtail::stem(path))
    };
    if !is_log(path) {
        return larkspan_logtail::stem(path);
    }
    match agent(path) {
        None => of(path.parent()),
        Some(agent) => {
            let session = of(path.parent().and_then(Path::parent).and_then(Path::parent));
            if agent == MAIN { session } else { format!("{session}-{agent}") }
        }
    }
}

impl RecordReader for log::LogReader {
    type Memory = log::Memory;

    fn new(log: &Path) -> Self {
        Self::new(&name(log))
    }

    fn resume(memory: log::Memory) -> Self {
        Self::resume(memory)
    }

    fn memory(&self) -> &log::Memory {
        self.memory()
    }

    fn line(&mut self, bytes: &[u8], end: u64, out: &mut Vec<TranscriptRecord>) {
        self.line(bytes, end, out);
    }

    fn oversized(&mut self, head: &[u8], len: u64, end: u64, out: &mut Vec<TranscriptRecord>) {
        self.oversized(head, len, end, out);
    }

    fn finish(&mut self, end: u64, out: &mut Vec<TranscriptRecord>) {
        self.finish(end, out);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_log, is_subagent, name};

    #[test]
    fn the_place_of_a_log_names_its_session() {
        for (path, session, of_subagent) in [
            ("/h/.kimi/sessions/0123abcd/s1/wire.jsonl", "s1", false),
            ("/h/.kimi-code/sessions/wd_x_0123/s2/agents/main/wire.jsonl", "s2", false),
            ("/h/.kimi-code/sessions/wd_x_0123/s2/agents/agent-0/wire.jsonl", "s2-agent-0", true),
            ("/tmp/copy.jsonl", "copy", false),
        ] {
            let path = Path::new(path);
            assert_eq!(
                (name(path).as_str(), is_subagent(path)),
                (session, of_subagent),
                "{}",
                path.display()
            );
        }
        assert!(is_log(Path::new("/s/wire.jsonl")) && !is_log(Path::new("/s/context.jsonl")));
    }
}
