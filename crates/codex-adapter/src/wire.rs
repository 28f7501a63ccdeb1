//! The rows of a Codex log as they are written: lenient, borrowed, private to this crate.
//!
//! Every field is optional and of any shape: a row of an unexpected shape costs its odd field, never the row.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A value not looked at yet.
pub(crate) type Raw<'a> = Option<&'a RawValue>;

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

/// Reads a raw object of a lenient shape; anything else is the empty one.
pub(crate) fn object<'a, T: Deserialize<'a> + Default>(raw: Raw<'a>) -> T {
    // A list would pass for an object whose members stand in order.
    raw.filter(|raw| raw.get().starts_with('{'))
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// The items of a raw array; anything else has none.
pub(crate) fn array(raw: Raw<'_>) -> Vec<&RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
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

/// A whole number.
pub(crate) fn integer(raw: Raw<'_>) -> Option<i64> {
    raw?.get().parse().ok()
}

/// A whole number that is not negative.
pub(crate) fn unsigned(raw: Raw<'_>) -> Option<u64> {
    raw?.get().parse().ok()
}

/// A truth value.
pub(crate) fn boolean(raw: Raw<'_>) -> Option<bool> {
    raw?.get().parse().ok()
}

/// Any value.
pub(crate) fn value(raw: Raw<'_>) -> Option<Value> {
    serde_json::from_str(raw?.get()).ok()
}

/// Whether a raw value is `null` or missing.
pub(crate) fn is_null(raw: Raw<'_>) -> bool {
    raw.is_none_or(|raw| raw.get() == "null")
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

/// A map of raw values, in key order.
pub(crate) fn map(raw: Raw<'_>) -> BTreeMap<Cow<'_, str>, &RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn any_string_is_text() {
        for (json, expected) in [
            (r#""plain""#, Some("plain")),
            (r#""a\nb\u00e9""#, Some("a\nbé")),
            (r#""x\ud83dy""#, Some("x\u{fffd}y")),
            (r#""\ud83d\ud83d\ude00\ude00""#, Some("\u{fffd}😀\u{fffd}")),
            (r#""\ud83d\u0041\\u0041""#, Some("\u{fffd}A\\u0041")),
            (r#""\"\/\\\b\f\r\t""#, Some("\"/\\\u{8}\u{c}\r\t")),
            ("null", None),
            ("3", None),
        ] {
            let raw: &RawValue = serde_json::from_str(json).expect("JSON");
            assert_eq!(text(Some(raw)).as_deref(), expected, "{json}");
        }
    }

    proptest::proptest! {
        /// Each character as itself, as short as JSON allows, or as a number.
        #[test]
        fn text_is_what_was_written(characters in proptest::collection::vec(
            (proptest::char::any(), proptest::bool::ANY), 0..40)
        ) {
            let written = |(c, as_number): &(char, bool)| {
                if *as_number {
                    let mut units = [0; 2];
                    return c.encode_utf16(&mut units).iter().fold(String::new(), |mut text, unit| {
                        let _ = write!(text, "\\u{unit:04x}");
                        text
                    });
                }
                let json = serde_json::to_string(c).expect("JSON");
                json[1..json.len() - 1].to_owned()
            };
            let json = format!("\"{}\"", characters.iter().map(written).collect::<String>());
            let expected: String = characters.iter().map(|(c, _)| *c).collect();
            let raw: &RawValue = serde_json::from_str(&json).expect("JSON");
            let read = text(Some(raw));
            proptest::prop_assert_eq!(read.as_deref(), Some(expected.as_str()));
        }
    }

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
