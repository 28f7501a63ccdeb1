//! The rows of a transcript as they are written: lenient, borrowed, private to this crate.
//!
//! Every field is optional and of any shape: a row of an unexpected shape costs its odd field, never the row.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A value not looked at yet.
pub(crate) type Raw<'a> = Option<&'a RawValue>;

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

/// Reads a raw object of a lenient shape; anything else is the empty one.
pub(crate) fn object<'a, T: Deserialize<'a> + Default>(raw: Raw<'a>) -> T {
    // A list would pass for an object whose members stand in order.
    let Some(raw) = raw.filter(|raw| raw.get().starts_with('{')) else { return T::default() };
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// The items of a raw array; anything else has none.
pub(crate) fn array(raw: Raw<'_>) -> Vec<&RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// Whether it is an object.
pub(crate) fn is_object(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get().starts_with('{'))
}

/// The text of a raw string. Lone surrogates, which JSON may escape and no text can hold, become U+FFFD.
pub(crate) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let inner = raw?.get().strip_prefix('"')?.strip_suffix('"')?;
    match memchr::memchr(b'\\', inner.as_bytes()) {
        None => Some(Cow::Borrowed(inner)),
        Some(first) => Some(Cow::Owned(unescape(inner, first))),
    }
}

/// The text of a valid JSON string's inside, of which the first escape is at `first`. Whoever wants it has it copied
/// once; the JSON reader, which cannot know its length, copies it three times.
fn unescape(inner: &str, first: usize) -> String {
    let mut text = String::with_capacity(inner.len());
    let mut copied = 0;
    for at in
        memchr::memchr_iter(b'\\', inner.as_bytes().get(first..).unwrap_or_default()).map(|at| at + first)
    {
        // The second half of an escape that is taken already.
        if at < copied {
            continue;
        }
        text.push_str(inner.get(copied..at).unwrap_or_default());
        copied = at + 2;
        match inner.as_bytes().get(at + 1).copied().unwrap_or(b'\\') {
            b'n' => text.push('\n'),
            b't' => text.push('\t'),
            b'r' => text.push('\r'),
            b'b' => text.push('\u{8}'),
            b'f' => text.push('\u{c}'),
            b'u' => {
                let unit = code_unit(inner, at);
                let low = unit.filter(|unit| is_high_surrogate(*unit)).and_then(|_| code_unit(inner, at + 6));
                let pair = unit.zip(low).map(|(high, low)| char::decode_utf16([high, low]).next());
                let (c, length) = match pair {
                    Some(Some(Ok(c))) => (c, 12),
                    _ => (unit.and_then(|unit| char::from_u32(unit.into())).unwrap_or('\u{fffd}'), 6),
                };
                text.push(c);
                copied = at + length;
            }
            // A quote, a slash, a backslash: itself.
            other => text.push(char::from(other)),
        }
    }
    text.push_str(inner.get(copied..).unwrap_or_default());
    text
}

/// The UTF-16 code unit of a `\uXXXX` at `at`.
fn code_unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

fn is_high_surrogate(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

/// The text, if there is some.
pub(crate) fn non_empty(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    text(raw).filter(|text| !text.is_empty())
}

/// The text, if there is some, to keep.
pub(crate) fn owned(raw: Raw<'_>) -> Option<String> {
    non_empty(raw).map(Cow::into_owned)
}

/// A text, or a number as one.
pub(crate) fn scalar(raw: Raw<'_>) -> Option<String> {
    owned(raw).or_else(|| unsigned(raw).map(|number| number.to_string()))
}

/// A whole number that is not negative.
pub(crate) fn unsigned(raw: Raw<'_>) -> Option<u64> {
    raw?.get().parse().ok()
}

/// A truth value.
pub(crate) fn boolean(raw: Raw<'_>) -> Option<bool> {
    raw?.get().parse().ok()
}

/// Whether it is said to be so.
pub(crate) fn is_true(raw: Raw<'_>) -> bool {
    boolean(raw) == Some(true)
}

/// Any value.
pub(crate) fn value(raw: Raw<'_>) -> Option<Value> {
    serde_json::from_str(raw?.get()).ok()
}

/// Whether a raw value is `null` or missing.
pub(crate) fn is_null(raw: Raw<'_>) -> bool {
    raw.is_none_or(|raw| raw.get() == "null")
}

/// A map of raw values, in key order.
pub(crate) fn map(raw: Raw<'_>) -> BTreeMap<Cow<'_, str>, &RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_string_is_text() {
        for (json, expected) in [
            (r#""plain""#, Some("plain")),
            (r#""a\nb\u00e9""#, Some("a\nbé")),
            (r#""x\ud83dy""#, Some("x\u{fffd}y")),
            (r#""\ud83d\ude00\"\\n""#, Some("😀\"\\n")),
            ("null", None),
            ("3", None),
        ] {
            let raw: &RawValue = serde_json::from_str(json).expect("JSON");
            assert_eq!(text(Some(raw)).as_deref(), expected, "{json}");
        }
    }

    #[test]
    fn odd_shapes_cost_only_themselves() {
        let row = Row::parse(r#"{"timestamp": 3, "message": [1], "type": {"a": 1}, "uuid": "u"}"#);
        let row = row.expect("a row");
        assert_eq!((text(row.r#type), text(row.uuid).as_deref()), (None, Some("u")));
        assert!(object::<Message<'_>>(row.message).content.is_none());
        assert!(Row::parse("[1]").is_err());
    }
}
