//! Whose log it is.

use larkspan_core::ids::SessionId;
use larkspan_core::transcript::{RecordBody, SessionInfo};
use serde::{Deserialize, Serialize};

use super::{LogReader, Sink};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Session {
    info: SessionInfo,
    is_announced: bool,
    /// The configuration has named the model: what a request was sent to is the same under another name.
    model_is_configured: bool,
}

impl Session {
    pub(super) fn new(id: &str) -> Self {
        let info = SessionInfo {
            id: SessionId::new(id),
            agent: crate::AGENT.to_owned(),
            agent_version: None,
            cwd: None,
            model: None,
            parent: None,
            is_subagent: false,
            records_nested: false,
        };
        Self { info, is_announced: false, model_is_configured: false }
    }

    fn change(&mut self, change: impl FnOnce(&mut SessionInfo)) {
        let before = self.info.clone();
        change(&mut self.info);
        if self.info != before {
            self.is_announced = false;
        }
    }

    pub(super) fn configure(&mut self, cwd: Option<String>, model: Option<String>) {
        self.model_is_configured |= model.is_some();
        self.change(|info| {
            info.cwd = cwd.or(info.cwd.take());
            info.model = model.or(info.model.take());
        });
    }

    /// A row in passing names the model.
    pub(super) fn uses_model(&mut self, model: Option<String>) {
        if !self.model_is_configured && model.is_some() {
            self.change(|info| info.model = model);
        }
    }

    /// A call that names no directory ran in this one.
    pub(super) fn runs_in(&mut self, cwd: Option<String>) {
        self.change(|info| info.cwd = info.cwd.take().or(cwd));
    }

    pub(super) fn is_of_subagent(&mut self) {
        self.change(|info| info.is_subagent = true);
    }
}

impl LogReader {
    /// Says whose log this is before anything else of it is said, and whenever that changed.
    pub(super) fn announce(&mut self, sink: &mut Sink<'_>) {
        let session = &mut self.memory.session;
        if !std::mem::replace(&mut session.is_announced, true) {
            sink.push(RecordBody::Session(session.info.clone()));
        }
    }
}
