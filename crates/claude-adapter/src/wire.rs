//! The rows of a transcript as they are written: lenient, borrowed, private to this crate.
//!
//! Every field is optional and of any shape: a row of an unexpected shape costs its odd field, never the row.

use std::borrow::Cow;

use serde::Deserialize;

pub(crate) use larkspan_logtail::json::{
    Raw, array, boolean, is_null, is_object, map, non_empty, object, text, unsigned, value,
};

macro_rules! lenient {
    ($(#[$doc:meta])* $name:ident { $($field:ident $(as $wire:literal)?),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Clone, Deserialize)]
        #[serde(default)]
        pub(crate) struct $name<'a> {
            $(
                #[serde(borrow $(, rename = $wire)?)]
                pub(crate) $field: Raw<'a>,
            )*
        }
    };
}

lenient! {
    /// One line of a transcript, or of `claude -p --output-format stream-json`.
    Row {
        r#type, subtype, uuid, timestamp, message, cwd, version, content, level, error, origin, attachment,
        parent_uuid as "parentUuid",
        is_sidechain as "isSidechain",
        session_id as "sessionId",
        stream_session_id as "session_id",
        agent_id as "agentId",
        is_meta as "isMeta",
        is_companion as "turnCompanion",
        is_compact_summary as "isCompactSummary",
        is_api_error as "isApiErrorMessage",
        prompt_id as "promptId",
        forked_from as "forkedFrom",
        parent_tool as "parent_tool_use_id",
        result_of as "toolUseResult",
        stream_result_of as "tool_use_result",
        denial as "toolDenialKind",
        source_tool as "sourceToolUseID",
        hook_errors as "hookErrors",
        attempt as "retryAttempt",
        attempts as "maxRetries",
        pr_number as "prNumber",
        pr_url as "prUrl",
        // a call and its result as rows of their own (before 1.0), the end of a stream, its first row
        id, name, input, output, result, model, is_error,
        tool_use_id,
        code_version as "claude_code_version",
    }
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
}

lenient! {
    /// What went to the model or came from it.
    Message { id, role, model, content, usage, stop_reason }
}

lenient! {
    /// A block of a message's content.
    Block {
        r#type, text, thinking, id, name, input, source, content, is_error, tool_use_id, tool_name, from, to,
        title,
    }
}

lenient! {
    /// Where an image comes from.
    ImageSource { media_type, data }
}

lenient! {
    /// Something put beside the conversation.
    Attachment {
        r#type, prompt, origin,
        command_mode as "commandMode",
        is_meta as "isMeta",
        hook as "hookName",
        blocking as "blockingError",
    }
}

lenient! {
    /// Who or what sent a message.
    Origin { kind }
}

lenient! {
    /// What the harness recorded of a call's result, for its own display.
    Result {
        stdout, stderr, interrupted, file, content, task, status, mode, filenames,
        background as "backgroundTaskId",
        path as "filePath",
        hunks as "structuredPatch",
        persisted_size as "persistedOutputSize",
        agent_id as "agentId",
        duration_ms as "totalDurationMs",
        elapsed_ms as "durationMs",
        files as "numFiles",
        lines as "numLines",
        matches as "numMatches",
        total_matches as "totalMatches",
    }
}

lenient! {
    /// A file that was read.
    File { content }
}

lenient! {
    /// A piece of a file that was changed, its lines marked as in a diff.
    Hunk {
        lines,
        old_start as "oldStart",
        old_lines as "oldLines",
        new_start as "newStart",
        new_lines as "newLines",
    }
}

lenient! {
    /// An entry of the task list.
    Task { id, subject }
}

lenient! {
    /// Token counts of one answer of the model.
    Usage {
        input as "input_tokens",
        output as "output_tokens",
        cache_creation as "cache_creation_input_tokens",
        cache_read as "cache_read_input_tokens",
    }
}

lenient! {
    /// An error, as it is told in many shapes.
    ApiError { message, formatted, status, error, r#type }
}

/// The text, if there is some, to keep.
pub(crate) fn owned(raw: Raw<'_>) -> Option<String> {
    non_empty(raw).map(Cow::into_owned)
}

/// A text, or a number as one.
pub(crate) fn scalar(raw: Raw<'_>) -> Option<String> {
    owned(raw).or_else(|| unsigned(raw).map(|number| number.to_string()))
}

/// Whether it is said to be so.
pub(crate) fn is_true(raw: Raw<'_>) -> bool {
    boolean(raw) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_shapes_cost_only_themselves() {
        let row = Row::parse(r#"{"timestamp": 3, "message": [1], "type": {"a": 1}, "uuid": "u"}"#);
        let row = row.expect("a row");
        assert_eq!((text(row.r#type), text(row.uuid).as_deref()), (None, Some("u")));
        assert!(object::<Message<'_>>(row.message).content.is_none());
        assert!(Row::parse("[1]").is_err());
    }
}
