//! Token counts: each answer of the model tells its own, on each of its rows.

use larkspan_core::transcript::{ContextUsage, RecordBody};
use serde::{Deserialize, Serialize};

use super::{LogReader, Sink};
use crate::wire::{self, Message, Usage};

/// What the session has used.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// Of all answers but the newest.
    before: (u64, u64),
    /// The newest answer's id and counts, input and output.
    newest: (Option<String>, u64, u64),
}

impl LogReader {
    pub(super) fn usage(&mut self, message: &Message<'_>, sink: &mut Sink<'_>) {
        let usage: Usage<'_> = wire::object(message.usage);
        let count = |raw| wire::unsigned(raw);
        let parts = [count(usage.input), count(usage.cache_creation), count(usage.cache_read)];
        if parts.iter().all(Option::is_none) {
            return;
        }
        let input = parts.into_iter().flatten().fold(0, u64::saturating_add);
        let output = count(usage.output).unwrap_or_default();
        let id = wire::owned(message.id);
        let tokens = &mut self.memory.tokens;
        let (newest, of_input, of_output) = &tokens.newest;
        if id.is_none() || *newest != id {
            let (all_input, all_output) = tokens.before;
            tokens.before = (all_input.saturating_add(*of_input), all_output.saturating_add(*of_output));
        } else if (*of_input, *of_output) == (input, output) {
            // Another row of the same answer.
            return;
        }
        tokens.newest = (id, input, output);
        sink.push(RecordBody::Usage(ContextUsage {
            context_tokens: Some(input.saturating_add(output)),
            context_window: None,
            input_tokens: Some(tokens.before.0.saturating_add(input)),
            output_tokens: Some(tokens.before.1.saturating_add(output)),
        }));
    }
}
