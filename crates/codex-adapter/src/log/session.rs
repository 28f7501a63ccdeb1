//! Whose log it is, and which rows at its beginning are copied from another one.

use std::borrow::Cow;

use larkspan_core::ids::SessionId;
use larkspan_core::transcript::{NoticeKind, RecordBody, SessionInfo};
use serde::{Deserialize, Serialize};

use super::{LogReader, Sink};
use crate::wire::{self, Payload, Raw, Row};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that the log has said, or has not")]
pub(super) struct Session {
    info: SessionInfo,
    /// The log has named itself.
    is_named: bool,
    is_announced: bool,
    /// The copied rows that are not shown.
    copied: Option<Copied>,
    /// A second head has begun the copied rows.
    has_second_head: bool,
    /// The session goes on with another one's history, and that is not told yet.
    fork_is_untold: bool,
}

/// How to tell where copied rows end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Copied {
    /// The first row of its own has this ordinal.
    UntilOrdinal(u64),
    /// Ids are UUIDs of version 7: a turn of its own sorts after the session's own id.
    UntilOwnTurn,
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
            is_subagent: false,
            records_nested: false,
        };
        Self {
            info,
            is_named: false,
            is_announced: false,
            copied: None,
            has_second_head: false,
            fork_is_untold: false,
        }
    }

    pub(super) fn cwd(&self) -> Option<&str> {
        self.info.cwd.as_deref()
    }

    /// The identity, the first time it is asked for and whenever it has changed.
    pub(super) fn announce(&mut self) -> Option<SessionInfo> {
        (!std::mem::replace(&mut self.is_announced, true)).then(|| self.info.clone())
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut SessionInfo)) {
        let before = self.info.clone();
        change(&mut self.info);
        if self.info != before {
            self.is_announced = false;
        }
    }

    /// Names the log by the id its dialect gives.
    pub(super) fn name(&mut self, id: &str) {
        if !self.is_named {
            self.is_named = true;
            self.change(|info| info.id = SessionId::new(id));
        }
    }

    /// Whether the row is a copy from another log.
    pub(super) fn hides(
        &mut self,
        ordinal: Raw<'_>,
        kind: &str,
        payload: &Payload<'_>,
        turn: Option<&str>,
    ) -> bool {
        let is_copied = match self.copied {
            None => return false,
            Some(Copied::UntilOrdinal(first)) => {
                wire::unsigned(ordinal).is_some_and(|ordinal| ordinal < first)
            }
            Some(Copied::UntilOwnTurn) => {
                let begins = kind == "turn_context"
                    || kind == "event_msg" && wire::text(payload.r#type).as_deref() == Some("task_started");
                let own_id = self.info.id.as_str();
                !begins || turn.is_some_and(|turn| is_uuid(turn) && is_uuid(own_id) && turn < own_id)
            }
        };
        if !is_copied {
            self.copied = None;
        }
        is_copied
    }

    /// Tells once that the session goes on with another one's history, which is not shown again.
    fn tell_fork(&mut self, sink: &mut Sink<'_>) {
        if std::mem::take(&mut self.fork_is_untold)
            && let Some(parent) = &self.info.parent
        {
            sink.notice(NoticeKind::Fork, parent.as_str());
        }
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

impl LogReader {
    pub(super) fn session_meta(&mut self, meta: &Payload<'_>) {
        let session = &mut self.memory.session;
        if session.is_named {
            // A second head is the first copied row: whose copy it is, the first head has said.
            let continues_another = session.info.parent.is_some();
            if continues_another && session.copied.is_none() && !session.has_second_head {
                session.copied = Some(Copied::UntilOwnTurn);
            }
            session.has_second_head = true;
            return;
        }
        session.is_named = true;
        let owned = |raw| wire::non_empty(raw).map(Cow::into_owned);
        let forked_from = owned(meta.forked_from_id);
        let is_subagent = wire::text(meta.thread_source).as_deref() == Some("subagent")
            || wire::map(meta.source).contains_key("subagent");
        let parent = owned(meta.parent_thread_id).or_else(|| forked_from.clone());
        session.change(|info| {
            if let Some(id) = owned(meta.id).or_else(|| owned(meta.session_id)) {
                info.id = SessionId::new(id);
            }
            info.agent_version = owned(meta.cli_version);
            info.cwd = owned(meta.cwd);
            info.model = owned(meta.model);
            info.parent = parent.map(SessionId::new);
            info.is_subagent = is_subagent;
            info.records_nested = wire::text(meta.history_mode).as_deref() == Some("paginated");
        });
        session.copied = wire::unsigned(meta.subagent_history_start_ordinal).map(Copied::UntilOrdinal);
        session.fork_is_untold = forked_from.is_some();
        self.memory.session.is_announced = false;
    }

    /// Says whose log this is before anything else of it is said.
    pub(super) fn announce(&mut self, sink: &mut Sink<'_>) {
        if let Some(info) = self.memory.session.announce() {
            sink.push(RecordBody::Session(info));
        }
        self.memory.session.tell_fork(sink);
    }

    pub(super) fn turn_context(&mut self, context: &Payload<'_>, sink: &mut Sink<'_>) {
        if let Some(turn) = wire::non_empty(context.turn_id) {
            self.memory.turn = Some(turn.as_ref().into());
        }
        self.memory.session.change(|info| {
            if let Some(model) = wire::non_empty(context.model) {
                info.model = Some(model.into_owned());
            }
            if info.cwd.is_none() {
                info.cwd = wire::non_empty(context.cwd).map(Cow::into_owned);
            }
        });
        self.announce(sink);
    }
}

/// Whether the first lines of a file are of a Codex log.
pub fn looks_like_codex(line: &[u8]) -> bool {
    let Some(row) = std::str::from_utf8(line).ok().and_then(|line| Row::parse(line).ok()) else {
        return false;
    };
    let kind = wire::text(row.r#type).unwrap_or_default();
    match kind.as_ref() {
        "session_meta" | "response_item" | "event_msg" | "turn_context" | "world_state" | "compacted" => {
            row.payload.is_some()
        }
        "thread.started" | "turn.started" | "item.started" | "item.completed" | "turn.completed"
        | "turn.failed" => true,
        _ => false,
    }
}
