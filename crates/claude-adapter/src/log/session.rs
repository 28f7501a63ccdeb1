//! Whose log it is, and which of its rows are another log's.

use std::borrow::Cow;

use larkspan_core::ids::SessionId;
use larkspan_core::transcript::{NoticeKind, RecordBody, SessionInfo};
use serde::{Deserialize, Serialize};

use super::{LogReader, Sink};
use crate::wire::{self, Row};

/// How the files of sub-agents are named, before their agent's id.
const SIDE_FILE: &str = "agent-";

/// The model that the harness names where it speaks itself.
pub(super) const SYNTHETIC: &str = "<synthetic>";

/// Whose log it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Session {
    info: SessionInfo,
    /// A row of the conversation has been seen.
    is_named: bool,
    is_announced: bool,
    /// The session goes on with another one's history, and that is told.
    fork_is_told: bool,
}

impl Session {
    pub(super) fn new(fallback_id: &str) -> Self {
        let info = SessionInfo {
            id: SessionId::new(fallback_id),
            agent: crate::AGENT.to_owned(),
            agent_version: None,
            cwd: None,
            model: None,
            parent: None,
            is_subagent: fallback_id.starts_with(SIDE_FILE),
            // Nothing is called from within another call.
            records_nested: false,
        };
        Self { info, is_named: false, is_announced: false, fork_is_told: false }
    }

    /// The session's folder.
    pub(super) fn cwd(&self) -> Option<&str> {
        self.info.cwd.as_deref()
    }

    fn change(&mut self, change: impl FnOnce(&mut SessionInfo)) {
        let before = self.info.clone();
        change(&mut self.info);
        self.is_announced &= self.info == before;
    }

    /// Takes from a row what it says of the session. The first one names it.
    fn see(&mut self, row: &Row<'_>) {
        let session = wire::owned(row.session_id).or_else(|| wire::owned(row.stream_session_id));
        let Some(session) = session.filter(|_| !self.is_named) else {
            return self.fill(row);
        };
        self.is_named = true;
        let agent = wire::owned(row.agent_id);
        // A sub-agent's file names its parent; the agent's id is its own. Sub-agents within a main file (before 2.0)
        // have no id.
        let is_side = self.info.is_subagent || wire::is_true(row.is_sidechain) && agent.is_some();
        self.change(|info| {
            info.is_subagent = is_side;
            if is_side {
                info.parent = Some(SessionId::new(session));
                if let Some(agent) = agent {
                    info.id = SessionId::new(format!("{SIDE_FILE}{agent}"));
                }
            } else {
                info.id = SessionId::new(session);
            }
        });
        self.fill(row);
    }

    fn fill(&mut self, row: &Row<'_>) {
        if self.info.cwd.is_none() || self.info.agent_version.is_none() {
            self.change(|info| {
                info.cwd = info.cwd.take().or_else(|| wire::owned(row.cwd));
                let version = || wire::owned(row.version).or_else(|| wire::owned(row.code_version));
                info.agent_version = info.agent_version.take().or_else(version);
            });
        }
    }
}

impl LogReader {
    /// Whether a row is shown. What a sub-agent does within a main file belongs to the call that runs it, and a row
    /// copied from the session that this one was forked from is shown there.
    pub(super) fn is_of_this_log(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) -> bool {
        let session = &mut self.memory.session;
        session.see(row);
        if !wire::is_null(row.forked_from) {
            let from = wire::map(row.forked_from);
            let from = wire::non_empty(from.get("sessionId").copied()).map(Cow::into_owned);
            if let Some(from) = from.filter(|_| !std::mem::replace(&mut session.fork_is_told, true)) {
                session.change(|info| info.parent = Some(SessionId::new(from.as_str())));
                self.announce(sink);
                sink.notice(NoticeKind::Fork, from);
            }
            return false;
        }
        let is_side = wire::is_true(row.is_sidechain) || wire::text(row.parent_tool).is_some();
        !is_side || session.info.is_subagent
    }

    pub(super) fn is_subagent(&self) -> bool {
        self.memory.session.info.is_subagent
    }

    /// Learns the model that answers.
    pub(super) fn see_model(&mut self, model: Option<String>) {
        if let Some(model) = model.filter(|model| model != SYNTHETIC) {
            let session = &mut self.memory.session;
            if session.info.model.as_ref() != Some(&model) {
                session.change(|info| info.model = Some(model));
            }
        }
    }

    /// Says whose log this is before anything else of it is said, and again whenever that has changed.
    pub(super) fn announce(&mut self, sink: &mut Sink<'_>) {
        let session = &mut self.memory.session;
        if !std::mem::replace(&mut session.is_announced, true) {
            sink.push(RecordBody::Session(session.info.clone()));
        }
    }
}

/// Whether a line is of a Claude Code transcript. Rows that many kinds of log have are not enough.
pub fn looks_like_claude(line: &[u8]) -> bool {
    let Some(row) = std::str::from_utf8(line).ok().and_then(|line| Row::parse(line).ok()) else {
        return false;
    };
    let is_of_session = wire::text(row.session_id).is_some() || wire::text(row.stream_session_id).is_some();
    let is_linked = wire::text(row.uuid).is_some();
    match wire::text(row.r#type).unwrap_or_default().as_ref() {
        "user" | "assistant" => wire::is_object(row.message) && (is_of_session || is_linked),
        "system" => wire::text(row.subtype).is_some() && (is_of_session || is_linked),
        "progress" | "attachment" => is_of_session && is_linked,
        "file-history-snapshot" => true,
        "summary" => line.windows(10).any(|at| at == br#""leafUuid""#),
        "queue-operation" | "last-prompt" | "permission-mode" | "mode" | "ai-title" | "custom-title"
        | "agent-name" | "pr-link" => is_of_session,
        _ => false,
    }
}
