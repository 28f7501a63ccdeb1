//! What was called, and what came of it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::endpoint::Endpoint;

/// A call as it was answered.
#[derive(Debug, Clone)]
pub struct Call {
    /// Which; `None` for a path that the platform does not have.
    pub endpoint: Option<Endpoint>,
    /// Method and path.
    pub target: String,
    /// The app that called, once its token was found good.
    pub app: Option<String>,
    /// The card of the path.
    pub card: Option<String>,
    /// The element of the path.
    pub element: Option<String>,
    /// The message of the path.
    pub message: Option<String>,
    /// The operation's number.
    pub sequence: Option<i64>,
    /// The operation's or the message's uuid.
    pub uuid: Option<String>,
    /// The body as JSON; null where it is none, and where it holds a secret.
    pub body: Value,
    /// The length of the body.
    pub bytes: usize,
    /// When it came in.
    pub at: Duration,
    /// When it was answered.
    pub answered_at: Duration,
    /// The HTTP status; `None` when no answer was sent.
    pub status: Option<u16>,
    /// The code of the answer; `None` when there was no JSON to read it from.
    pub code: Option<u32>,
    /// Whether the platform did what it was asked to, whatever it answered.
    pub applied: bool,
    /// What was injected.
    pub fault: Option<String>,
}

/// All calls so far.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// The answered ones.
    pub(super) calls: Vec<Call>,
    /// How many came in.
    pub(super) arrived: usize,
}

impl Journal {
    /// How often each code other than 0 was answered.
    pub(super) fn rejections(&self) -> BTreeMap<u32, usize> {
        let mut counts = BTreeMap::new();
        for code in self.calls.iter().filter_map(|call| call.code).filter(|code| *code != 0) {
            *counts.entry(code).or_default() += 1;
        }
        counts
    }
}
