//! What a sealed card is known to show, so that it is not rendered again as long as nothing of it changes.

use std::sync::Arc;

use larkspan_core::transcript::SessionInfo;
use larkspan_core::turn::{ItemContent, Turn, TurnItem};

use super::Desired;
use crate::card::{Masking, Slice};

/// What a card was rendered from.
#[derive(Debug)]
pub(super) struct Confirmed {
    turn: Arc<Turn>,
    session: Option<Arc<SessionInfo>>,
    masking: Masking,
    max_tables: usize,
}

impl Confirmed {
    /// What cards are rendered from now.
    pub(super) fn new(desired: &Desired, masking: Masking, max_tables: usize) -> Self {
        Self { turn: desired.turn.clone(), session: desired.session.clone(), masking, max_tables }
    }

    /// Whether a card of these pieces would be the same now.
    pub(super) fn covers(&self, now: &Self, shown: &[Slice]) -> bool {
        if Arc::ptr_eq(&self.turn, &now.turn) && self.is_dressed_as(now) {
            return true;
        }
        // Its title is made of the first items.
        let same_head = self.turn.items.iter().zip(&now.turn.items).take(HEAD).all(|(a, b)| is_same(a, b));
        self.is_dressed_as(now)
            && same_head
            && shown.iter().all(|slice| match (find(&self.turn, slice.seq), find(&now.turn, slice.seq)) {
                (Some(old), Some(new)) => is_same(old, new),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            })
    }

    fn is_dressed_as(&self, now: &Self) -> bool {
        self.session == now.session && self.masking == now.masking && self.max_tables == now.max_tables
    }
}

/// How many items a title may depend on.
const HEAD: usize = 8;

/// Items stand in the order of their numbers, but for those that came late.
fn find(turn: &Turn, seq: u32) -> Option<&TurnItem> {
    match turn.items.binary_search_by_key(&seq, |item| item.seq) {
        Ok(at) => turn.items.get(at),
        Err(_) => turn.items.iter().find(|item| item.seq == seq),
    }
}

fn is_same(old: &TurnItem, new: &TurnItem) -> bool {
    match (&old.content, &new.content) {
        (ItemContent::ToolCall(a), ItemContent::ToolCall(b)) => Arc::ptr_eq(a, b) || a == b,
        (a, b) => a == b,
    }
}
