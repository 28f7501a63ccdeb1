//! What calls were asked for, as far as their outputs need it: the newest calls only.

use std::collections::{HashMap, VecDeque};

use crate::output::Asked;

/// How many calls are remembered. A turn's open calls are far fewer.
const REMEMBERED: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct AskedCalls {
    by_id: HashMap<String, Asked>,
    order: VecDeque<String>,
}

impl AskedCalls {
    /// Remembers a call; one with the same id before it is over.
    pub(super) fn insert(&mut self, id: &str, asked: Asked) {
        if self.by_id.insert(id.to_owned(), asked).is_none() {
            self.order.push_back(id.to_owned());
            if self.order.len() > REMEMBERED
                && let Some(oldest) = self.order.pop_front()
            {
                self.by_id.remove(&oldest);
            }
        }
    }

    pub(super) fn is_known(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// What was asked under this id.
    pub(super) fn get(&self, id: &str) -> Asked {
        self.by_id.get(id).cloned().unwrap_or_else(Asked::bare)
    }

    pub(super) fn mark_answered(&mut self, id: &str) {
        if let Some(asked) = self.by_id.get_mut(id) {
            asked.is_answered = true;
        }
    }
}
