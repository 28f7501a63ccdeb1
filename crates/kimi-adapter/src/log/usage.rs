//! Token counts: reported twice by the newer shape, counted once.

use larkspan_core::transcript::{ContextUsage, RecordBody};
use serde::{Deserialize, Serialize};

use super::{LogReader, Sink};
use crate::wire::{self, Raw, Report};

/// Which kind of row reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reporter {
    Step,
    Record,
    Status,
}

/// The tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Tokens {
    other: u64,
    cache_read: u64,
    cache_creation: u64,
    output: u64,
}

/// The tokens so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    usage: ContextUsage,
    /// The last report, until another kind of row has repeated it.
    last: Option<(Reporter, Tokens)>,
    /// The message that the last status was of.
    message: Option<String>,
}

impl Totals {
    /// Whether the row says it first.
    fn is_first(&mut self, reporter: Reporter, tokens: Tokens) -> bool {
        let repeats = |(by, there): (Reporter, Tokens)| by != reporter && there == tokens;
        if self.last.is_some_and(repeats) {
            self.last = None;
            return false;
        }
        self.last = Some((reporter, tokens));
        true
    }
}

impl LogReader {
    /// A request's tokens. `is_of_turn`: it was made of the conversation, so it tells how large that is.
    pub(super) fn tokens(&mut self, by: Reporter, raw: Raw<'_>, is_of_turn: bool, sink: &mut Sink<'_>) {
        if !wire::is_object(raw) {
            return;
        }
        let report: Report<'_> = wire::object(raw);
        let number =
            |old: Raw<'_>, new: Raw<'_>| wire::unsigned(old).or_else(|| wire::unsigned(new)).unwrap_or(0);
        let tokens = Tokens {
            other: number(report.input_other, report.other),
            cache_read: number(report.input_cache_read, report.cache_read),
            cache_creation: number(report.input_cache_creation, report.cache_creation),
            output: number(report.output, None),
        };
        let totals = &mut self.memory.totals;
        if tokens == Tokens::default() || !totals.is_first(by, tokens) {
            return;
        }
        // What was read from the cache was paid for before.
        let input = tokens.other.saturating_add(tokens.cache_creation);
        let usage = &mut totals.usage;
        usage.input_tokens = Some(usage.input_tokens.unwrap_or(0).saturating_add(input));
        usage.output_tokens = Some(usage.output_tokens.unwrap_or(0).saturating_add(tokens.output));
        if is_of_turn {
            usage.context_tokens =
                Some(input.saturating_add(tokens.cache_read).saturating_add(tokens.output));
        }
        let usage = *usage;
        sink.push(RecordBody::Usage(usage));
    }

    /// How large the conversation is now.
    pub(super) fn context_size(&mut self, tokens: Option<u64>, window: Option<u64>, sink: &mut Sink<'_>) {
        let usage = &mut self.memory.totals.usage;
        let before = *usage;
        usage.context_tokens = tokens.or(usage.context_tokens);
        usage.context_window = window.or(usage.context_window);
        let usage = *usage;
        if usage != before {
            sink.push(RecordBody::Usage(usage));
        }
    }

    /// A status of the older shape: the same message's may be told again.
    pub(super) fn status(&mut self, payload: &wire::Payload<'_>, sink: &mut Sink<'_>) {
        let message = wire::non_empty(payload.message_id);
        let is_again = message.is_some() && self.memory.totals.message.as_deref() == message.as_deref();
        if let Some(message) = message.filter(|_| wire::is_object(payload.token_usage)) {
            self.memory.totals.message = Some(message.into_owned());
        }
        if !is_again {
            self.tokens(Reporter::Status, payload.token_usage, true, sink);
        }
        let (tokens, window) =
            (wire::unsigned(payload.context_tokens), wire::unsigned(payload.max_context_tokens));
        self.context_size(tokens, window, sink);
    }
}
