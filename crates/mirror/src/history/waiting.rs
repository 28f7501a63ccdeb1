//! Ended turns that later rows may still amend: they wait, in order, until nothing of them can change any more.
//!
//! The reducer forgets what may be amended after a bounded number of turns, so the wait is bounded too. Where waiting
//! turns grow too large, the oldest are told as they are; what comes later for them is told where it comes.

use std::collections::VecDeque;
use std::sync::Arc;

use larkspan_core::ids::TurnId;
use larkspan_core::tool_call::ToolCallInfo;
use larkspan_core::turn::{ItemContent, Turn, TurnItem, TurnReducer};

/// How much text waits at most, in bytes.
const WAITING_BYTES: usize = 8 << 20;

/// What waits: turns, and what stands between them.
#[derive(Debug)]
pub(super) enum Entry {
    Turn(Arc<Turn>),
    Item(TurnItem),
}

/// The waiting turns.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    entries: VecDeque<Entry>,
    bytes: usize,
}

impl Waiting {
    pub(super) fn push(&mut self, entry: Entry) {
        if let Entry::Turn(turn) = &entry {
            self.bytes = self.bytes.saturating_add(bytes_of(turn));
        }
        self.entries.push_back(entry);
    }

    /// Amends a call of a waiting turn, or adds it. False: the turn does not wait.
    pub(super) fn amend(&mut self, turn: &TurnId, item: &TurnItem) -> bool {
        let ItemContent::ToolCall(call) = &item.content else { return false };
        let waiting = self.entries.iter_mut().rev().find_map(|entry| match entry {
            Entry::Turn(waiting) if waiting.id == *turn => Some(waiting),
            Entry::Turn(_) | Entry::Item(_) => None,
        });
        let Some(turn) = waiting else { return false };
        let before = bytes_of(turn);
        let items = &mut Arc::make_mut(turn).items;
        let same_call =
            |there: &TurnItem| there.content.tool_call().is_some_and(|there| there.key == call.key);
        match items.iter_mut().find(|there| same_call(there)) {
            Some(there) => *there = item.clone(),
            None => items.push(item.clone()),
        }
        self.bytes = self.bytes.saturating_sub(before).saturating_add(bytes_of(turn));
        true
    }

    /// The next that need not wait any longer.
    pub(super) fn pop(&mut self, reducer: &TurnReducer) -> Option<Entry> {
        let is_settled = match self.entries.front()? {
            Entry::Turn(turn) => !reducer.may_amend(&turn.id),
            Entry::Item(_) => true,
        };
        if is_settled || self.bytes > WAITING_BYTES { self.pop_any() } else { None }
    }

    /// The next, whatever may still come.
    pub(super) fn pop_any(&mut self) -> Option<Entry> {
        let entry = self.entries.pop_front()?;
        if let Entry::Turn(turn) = &entry {
            self.bytes = self.bytes.saturating_sub(bytes_of(turn));
        }
        Some(entry)
    }
}

/// How much text a turn holds, about.
fn bytes_of(turn: &Turn) -> usize {
    let of_call =
        |call: &ToolCallInfo| call.raw_input.len() + call.outcome.output.as_ref().map_or(0, |o| o.text.len());
    let of_item = |item: &TurnItem| match &item.content {
        ItemContent::Message(message) => message.text.len(),
        ItemContent::Reasoning(reasoning) => reasoning.text.len(),
        // What a call asks for stands in its detail again.
        ItemContent::ToolCall(call) => {
            2 * of_call(call) + 2 * call.children.iter().map(of_call).sum::<usize>()
        }
        ItemContent::Plan(_) | ItemContent::Goal(_) | ItemContent::Notice(_) => 0,
    };
    turn.items.iter().map(|item| of_item(item) + 512).sum()
}
