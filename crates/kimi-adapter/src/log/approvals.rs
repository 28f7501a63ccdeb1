//! Leave that the agent asked for: only a refusal is told, on the call it stopped.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// How many requests and refusals are remembered.
const REMEMBERED: usize = 64;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Approvals {
    /// Request and call.
    asked: VecDeque<(String, String)>,
    /// Calls that were refused and are not answered yet.
    refused: VecDeque<String>,
}

impl Approvals {
    pub(super) fn ask(&mut self, request: &str, call: &str) {
        push(&mut self.asked, (request.to_owned(), call.to_owned()));
    }

    /// A request was answered.
    pub(super) fn answer(&mut self, request: &str, is_refusal: bool) {
        if let Some(at) = self.asked.iter().position(|(asked, _)| asked == request)
            && let Some((_, call)) = self.asked.remove(at)
            && is_refusal
        {
            self.refuse(&call);
        }
    }

    pub(super) fn refuse(&mut self, call: &str) {
        push(&mut self.refused, call.to_owned());
    }

    /// A new turn began: its calls may have the same ids.
    pub(super) fn forget_refusals(&mut self) {
        self.refused.clear();
    }

    /// Whether the call was refused.
    pub(super) fn take_refusal(&mut self, call: &str) -> bool {
        let at = self.refused.iter().position(|refused| refused == call);
        at.is_some_and(|at| self.refused.remove(at).is_some())
    }
}

fn push<T>(all: &mut VecDeque<T>, one: T) {
    if all.len() == REMEMBERED {
        all.pop_front();
    }
    all.push_back(one);
}
