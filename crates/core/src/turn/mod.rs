//! The turn reducer: transcript records in, turns out.
//!
//! Invariants
//! - A function of the records alone: the same records give the same changes with the same revisions, whether a log is
//!   read at once, followed byte by byte, or read again after a restart.
//! - What is shown of a call is derived anew from all its evidence ([`derive`]); nothing is overwritten, so a state that
//!   a turn's end implied yields to evidence that comes later.
//! - The end of a turn forgets all but the calls that later rows may still amend; their number is bounded.

mod call;
mod derive;
mod matching;
mod owner;
mod reducer;
mod state;

pub use reducer::{ReducerSnapshot, TurnReducer};

use std::sync::Arc;

use crate::ids::TurnId;
use crate::time::Timestamp;
use crate::tool_call::{PlanItem, ToolCallInfo};
use crate::transcript::{
    ContextUsage, Goal, Message, Notice, Reasoning, SessionInfo, TurnEnd, UnknownRecord,
};

/// A turn as it can be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Its id: the log's, else `turn-N` with the running number of the session's turns.
    pub id: TurnId,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How it ended; `None` while it goes on.
    pub end: Option<TurnEnd>,
    /// What happened, in the order of the log.
    pub items: Vec<TurnItem>,
    /// Tokens, as last reported.
    pub usage: Option<ContextUsage>,
}

/// Something that happened in a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnItem {
    /// Its place in the turn. Stable, but not gapless: what another layer of the log repeats is left out.
    pub seq: u32,
    /// When.
    pub at: Option<Timestamp>,
    /// What.
    pub content: ItemContent,
}

/// The kinds of item.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemContent {
    /// Text of the user or the agent.
    Message(Message),
    /// A reasoning summary.
    Reasoning(Reasoning),
    /// A plan recorded outside any tool call.
    Plan(Vec<PlanItem>),
    /// A tool call.
    ToolCall(Arc<ToolCallInfo>),
    /// The session's goal changed.
    Goal(Goal),
    /// A notice.
    Notice(Notice),
}

impl ItemContent {
    /// The tool call, if it is one.
    pub fn tool_call(&self) -> Option<&Arc<ToolCallInfo>> {
        if let Self::ToolCall(call) = self { Some(call) } else { None }
    }
}

/// A part of a turn for display: one item, or the calls that follow each other.
#[derive(Debug, Clone, PartialEq)]
pub enum Section<'a> {
    /// One item that is no tool call.
    Item(&'a TurnItem),
    /// Consecutive tool calls.
    Tools(Vec<&'a Arc<ToolCallInfo>>),
}

impl Turn {
    /// The turn in sections. Items that `shows` refuses are left out and do not part a group of calls.
    pub fn sections(&self, shows: impl Fn(&ItemContent) -> bool) -> Vec<Section<'_>> {
        let mut sections: Vec<Section<'_>> = Vec::new();
        for item in self.items.iter().filter(|item| shows(&item.content)) {
            match (&item.content, sections.last_mut()) {
                (ItemContent::ToolCall(call), Some(Section::Tools(calls))) => calls.push(call),
                (ItemContent::ToolCall(call), _) => sections.push(Section::Tools(vec![call])),
                _ => sections.push(Section::Item(item)),
            }
        }
        sections
    }
}

/// What a record changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Who writes the log became known.
    Session(SessionInfo),
    /// A turn began.
    TurnStarted {
        /// The turn.
        turn: TurnId,
        /// When.
        at: Option<Timestamp>,
    },
    /// Something new in a turn.
    Item {
        /// The turn, or `None` for what lies outside any.
        turn: Option<TurnId>,
        /// The item; a tool call stands again, with a higher revision, whenever it changed.
        item: TurnItem,
    },
    /// Tokens were reported.
    Usage {
        /// The turn, if one is open.
        turn: Option<TurnId>,
        /// When.
        at: Option<Timestamp>,
        /// The report.
        usage: ContextUsage,
    },
    /// A turn ended; this is all of it.
    TurnEnded(Arc<Turn>),
    /// The first record of a kind that is not known.
    Unknown {
        /// Byte offset after it.
        position: u64,
        /// The record.
        record: UnknownRecord,
    },
}

#[cfg(test)]
mod tests;
