//! The rows of a Codex log as they are written: lenient, borrowed, private to this crate.
//!
//! Every field is optional and of any shape: a row of an unexpected shape costs its odd field, never the row.

use std::time::Duration;

use serde::Deserialize;

pub(crate) use larkspan_logtail::json::{
    Raw, array, boolean, integer, is_null, map, non_empty, object, text, unsigned, value,
};

macro_rules! lenient {
    ($(#[$doc:meta])* $name:ident { $($field:ident),* $(,)? } $($nested:ident)?) => {
        $(#[$doc])*
        #[derive(Debug, Default, Clone, Deserialize)]
        #[serde(default)]
        pub(crate) struct $name<'a> {
            $(#[serde(borrow)] pub(crate) $field: Raw<'a>,)*
            $(
                /// An object of the same members, read in the same pass.
                #[serde(borrow)]
                pub(crate) $nested: Option<Box<Self>>,
            )?
        }
    };
}

/// One line of a rollout, or of `exec --json`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct Row<'a> {
    #[serde(borrow)]
    pub(crate) timestamp: Raw<'a>,
    #[serde(borrow)]
    pub(crate) ordinal: Raw<'a>,
    #[serde(borrow)]
    pub(crate) r#type: Raw<'a>,
    /// An object in every row that means something, and read in the same pass.
    #[serde(borrow)]
    pub(crate) payload: Option<Payload<'a>>,
    #[serde(borrow)]
    pub(crate) metadata: Raw<'a>,
    #[serde(borrow)]
    pub(crate) item: Raw<'a>,
    #[serde(borrow)]
    pub(crate) thread_id: Raw<'a>,
    #[serde(borrow)]
    pub(crate) usage: Raw<'a>,
    #[serde(borrow)]
    pub(crate) error: Raw<'a>,
    #[serde(borrow)]
    pub(crate) message: Raw<'a>,
}

impl<'a> Row<'a> {
    /// Reads a line as it should be.
    pub(crate) fn parse(line: &'a str) -> serde_json::Result<Self> {
        if line.trim_ascii_start().starts_with('[') {
            // A list would pass for an object whose members stand in order.
            return Err(serde::de::Error::custom("a list is no row"));
        }
        serde_json::from_str(line)
    }

    /// Reads a line whose payload is no object: it is taken for an empty one.
    pub(crate) fn parse_odd(line: &'a str) -> serde_json::Result<Self> {
        if line.trim_ascii_start().starts_with('[') {
            return Err(serde::de::Error::custom("a list is no row"));
        }
        let OddRow { timestamp, ordinal, r#type, payload } = serde_json::from_str(line)?;
        let payload = payload.map(|payload| object(Some(payload)));
        Ok(Row { timestamp, ordinal, r#type, payload, ..Row::default() })
    }
}

lenient! {
    /// A line whose payload has an odd shape.
    OddRow { timestamp, ordinal, r#type, payload }
}

lenient! {
    /// What any payload may hold.
    Payload {
        r#type, id, call_id, turn_id, name, namespace, status, arguments, input, output, role, content, phase,
        summary, action, tools, message, text, reason, error, info, internal_chat_message_metadata_passthrough,
        metadata, query, path, started_at_ms, goal,
        // events of older builds, which carry the fields of an item themselves
        command, cwd, parsed_cmd, aggregated_output, stdout, stderr, exit_code, duration, changes, success,
        invocation, result, tool, revised_prompt, agent_thread_id, agent_path, kind, content_items, author, recipient,
        new_agent_nickname, prompt, source, summary_text, server,
        // the head of a session, and what a turn runs with
        session_id, cli_version, model, thread_source, forked_from_id, parent_thread_id, history_mode,
        subagent_history_start_ordinal,
    } item
}

lenient! {
    /// What names a turn.
    TurnRef { turn_id }
}

lenient! {
    /// A block of content.
    ContentBlock { r#type, text, image_url, encrypted_content, data }
}

lenient! {
    /// An MCP invocation.
    Invocation { server, tool, arguments }
}

lenient! {
    /// Token counts.
    TokenInfo { total_token_usage, last_token_usage, model_context_window }
}

/// One set of token counts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the names on the wire")]
pub(crate) struct TokenUsage {
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) total_tokens: Option<u64>,
}

/// A `{secs, nanos}` duration.
pub(crate) fn duration(raw: Raw<'_>) -> Option<Duration> {
    #[derive(Deserialize)]
    struct Parts {
        secs: u64,
        #[serde(default)]
        nanos: u32,
    }
    let parts: Parts = serde_json::from_str(raw?.get()).ok()?;
    // Nanoseconds beyond a second would carry over; the sum must not overflow.
    Duration::from_secs(parts.secs).checked_add(Duration::from_nanos(parts.nanos.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_shapes_cost_only_themselves() {
        let row = Row::parse_odd(r#"{"timestamp": 3, "payload": [1], "type": {"a": 1}}"#).expect("a row");
        assert!(text(row.r#type).is_none());
        assert!(row.payload.is_some_and(|payload| payload.r#type.is_none()));
        assert_eq!(
            duration(serde_json::from_str("{\"secs\": 18446744073709551615, \"nanos\": 4294967295}").ok()),
            None
        );
    }
}
