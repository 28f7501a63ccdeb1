//! What later rows tell of turns that have ended.

use std::collections::HashMap;
use std::sync::Arc;

use larkspan_core::ids::TurnId;
use larkspan_core::ports::SourceError;
use larkspan_core::tool_call::CallKey;
use larkspan_core::turn::{Change, ItemContent, Turn, TurnItem, TurnReducer};

use super::Open;

/// How many amended calls are kept. Past that, a call stands as its own turn told it.
const KEPT: usize = 4096;

/// The last states of calls that were amended after their turn had ended.
#[derive(Debug, Default)]
pub(super) struct Amendments(HashMap<TurnId, HashMap<CallKey, TurnItem>>);

impl Amendments {
    /// Reads the whole log for them.
    pub(super) async fn read(open: Open<'_>) -> Result<Self, SourceError> {
        let mut source = open()?;
        let mut reducer = TurnReducer::new();
        let mut all = Self::default();
        let mut kept = 0;
        let mut current: Option<TurnId> = None;
        loop {
            let batch = source.next().await?;
            let mut changes: Vec<Change> = Vec::new();
            for record in batch.records {
                changes.extend(reducer.apply(record));
            }
            if batch.at_end {
                changes.extend(reducer.finish());
            }
            for change in changes {
                match change {
                    Change::TurnStarted { turn, .. } => current = Some(turn),
                    Change::TurnEnded(_) => current = None,
                    Change::Item { turn: Some(turn), item } if current.as_ref() != Some(&turn) => {
                        if let ItemContent::ToolCall(call) = &item.content {
                            let of_turn = all.0.entry(turn).or_default();
                            let is_new = !of_turn.contains_key(&call.key);
                            if !is_new || kept < KEPT {
                                kept += usize::from(is_new);
                                of_turn.insert(call.key.clone(), item);
                            }
                        }
                    }
                    Change::Session(_)
                    | Change::Item { .. }
                    | Change::Usage { .. }
                    | Change::Unknown { .. } => {}
                }
            }
            if batch.at_end {
                return Ok(all);
            }
        }
    }

    /// The turn with its calls amended, and with those that only late rows tell of at its end.
    pub(super) fn applied_to(&self, turn: Arc<Turn>) -> Arc<Turn> {
        let Some(amended) = self.0.get(&turn.id) else { return turn };
        let mut turn = Arc::unwrap_or_clone(turn);
        let mut left: HashMap<&CallKey, &TurnItem> = amended.iter().collect();
        for item in &mut turn.items {
            if let ItemContent::ToolCall(call) = &item.content
                && let Some(late) = left.remove(&call.key)
            {
                *item = late.clone();
            }
        }
        let mut late: Vec<TurnItem> = left.into_values().cloned().collect();
        late.sort_by_key(|item| item.seq);
        turn.items.extend(late);
        Arc::new(turn)
    }
}
