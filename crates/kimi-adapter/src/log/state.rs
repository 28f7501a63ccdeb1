//! What the reader remembers between two lines.

use larkspan_core::transcript::Goal;
use serde::{Deserialize, Serialize};

use super::approvals::Approvals;
use super::calls::Calls;
use super::pending::Pending;
use super::session::Session;
use super::turns::Turns;
use super::twins::Twins;
use super::usage::Totals;

/// What the reader must remember between two lines.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Memory {
    pub(super) session: Session,
    pub(super) turns: Turns,
    pub(super) pending: Pending,
    pub(super) calls: Calls,
    /// What the person said.
    pub(super) heard: Twins,
    /// What the agent said and thought in this turn.
    pub(super) said: Twins,
    pub(super) totals: Totals,
    pub(super) approvals: Approvals,
    /// The session's goal, if it has one.
    pub(super) goal: Option<String>,
    /// Its state, told with the next turn.
    pub(super) untold_goal: Option<Goal>,
}

impl Memory {
    pub(super) fn new(id: &str) -> Self {
        Self {
            session: Session::new(id),
            turns: Turns::default(),
            pending: Pending::default(),
            calls: Calls::default(),
            heard: Twins::default(),
            said: Twins::default(),
            totals: Totals::default(),
            approvals: Approvals::default(),
            goal: None,
            untold_goal: None,
        }
    }
}
