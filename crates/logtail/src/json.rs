//! Values of JSON that are looked at only where they are needed: what the agents' adapters read their rows with.
//!
//! Lenient: a value of an unexpected shape is no value, and costs only itself. Borrowed wherever the row has it as it is.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A value not looked at yet.
pub type Raw<'a> = Option<&'a RawValue>;

/// Reads a raw object of a lenient shape; anything else is the empty one.
pub fn object<'a, T: Deserialize<'a> + Default>(raw: Raw<'a>) -> T {
    // A list would pass for an object whose members stand in order.
    raw.filter(|raw| raw.get().starts_with('{'))
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// The items of a raw array; anything else has none.
pub fn array(raw: Raw<'_>) -> Vec<&RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// Whether a raw value is an object.
pub fn is_object(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get().starts_with('{'))
}

/// The text of a raw string. Lone surrogates, which JSON may escape and no text can hold, become U+FFFD.
pub fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
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
pub fn non_empty(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    text(raw).filter(|text| !text.is_empty())
}

/// A whole number.
pub fn integer(raw: Raw<'_>) -> Option<i64> {
    raw?.get().parse().ok()
}

/// A whole number that is not negative.
pub fn unsigned(raw: Raw<'_>) -> Option<u64> {
    raw?.get().parse().ok()
}

/// A truth value.
pub fn boolean(raw: Raw<'_>) -> Option<bool> {
    raw?.get().parse().ok()
}

/// Any value.
pub fn value(raw: Raw<'_>) -> Option<Value> {
    serde_json::from_str(raw?.get()).ok()
}

/// Whether a raw value is `null` or missing.
pub fn is_null(raw: Raw<'_>) -> bool {
    raw.is_none_or(|raw| raw.get() == "null")
}

/// A map of raw values, in key order.
pub fn map(raw: Raw<'_>) -> BTreeMap<Cow<'_, str>, &RawValue> {
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
}
