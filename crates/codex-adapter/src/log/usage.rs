//! Token counts.

use larkspan_core::transcript::{ContextUsage, RecordBody};

use super::Sink;
use crate::wire::{self, Payload, Raw, TokenInfo, TokenUsage};

pub(super) fn token_count(payload: &Payload<'_>, sink: &mut Sink<'_>) {
    if wire::is_null(payload.info) {
        return;
    }
    let info: TokenInfo<'_> = wire::object(payload.info);
    let total: TokenUsage = usage(info.total_token_usage);
    let last: TokenUsage = usage(info.last_token_usage);
    let usage = ContextUsage {
        context_tokens: last.total_tokens,
        context_window: wire::unsigned(info.model_context_window),
        input_tokens: total.input_tokens,
        output_tokens: total.output_tokens,
    };
    if usage != ContextUsage::default() {
        sink.push(RecordBody::Usage(usage));
    }
}

pub(super) fn usage(raw: Raw<'_>) -> TokenUsage {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}
