//! The rows of a Kimi log as they are written: lenient, borrowed, private to this crate.
//!
//! Every field is optional and of any shape: a row of an unexpected shape costs its odd field, never the row.

mod content;
mod rows;

use std::borrow::Cow;

use larkspan_core::time::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use content::{Part, parts, text_of};
pub(crate) use rows::{
    Call, Display, Envelope, Function, LoopEvent, Message, Origin, Payload, Report, Row, ToolReturn,
};

pub(crate) use larkspan_logtail::json::{Raw, array, boolean, is_object, non_empty, object, text, unsigned};

/// The last moment that is taken for a time: the end of the year 9999, in milliseconds. Whatever lies beyond is damage.
const LAST_MILLISECOND: f64 = 253_402_300_799_999.0 - 2.0 * 86_400_000.0;

/// How long an id may be, in characters.
const ID_MAX: usize = 256;

/// The text, or the number as text: an id may be either.
pub(crate) fn id(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let number = || raw.map(RawValue::get).filter(|number| number.bytes().all(|b| b.is_ascii_digit()));
    let id = non_empty(raw).or_else(|| number().map(Cow::Borrowed))?;
    match id.char_indices().nth(ID_MAX) {
        // Nothing remembered is without a bound.
        Some((end, _)) => Some(id.get(..end)?.to_owned().into()),
        None => Some(id),
    }
}

/// A JSON value. `None`: the text is no JSON, or is nested too deep to be read.
pub(crate) fn value(json: &str) -> Option<Value> {
    serde_json::from_str(json).or_else(|_| serde_json::from_str(&mend(json))).ok()
}

/// A point in time: a number of milliseconds, or RFC 3339.
pub(crate) fn millis(raw: Raw<'_>) -> Option<Timestamp> {
    time(raw, 1.0)
}

/// A point in time: a number of seconds, or RFC 3339.
pub(crate) fn seconds(raw: Raw<'_>) -> Option<Timestamp> {
    time(raw, 1000.0)
}

fn time(raw: Raw<'_>, unit: f64) -> Option<Timestamp> {
    if let Some(text) = text(raw) {
        return text.parse().ok();
    }
    let millis = raw?.get().parse::<f64>().ok()? * unit;
    (0.0..=LAST_MILLISECOND).contains(&millis).then(|| Timestamp::from_millis(millis.round() as i64))
}

/// JSON with `\ufffd` in place of every escaped surrogate without its other half.
fn mend(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let (kept, length) = match code_unit(escape) {
            Some(0xd800..0xdc00) if is_low(escape.get(6..).unwrap_or_default()) => (escape.get(..12), 12),
            Some(0xd800..0xe000) => (Some("\\ufffd"), 6),
            Some(_) => (escape.get(..6), 6),
            None => {
                let length = 1 + escape.chars().nth(1).map_or(0, char::len_utf8);
                (escape.get(..length), length)
            }
        };
        out.push_str(kept.unwrap_or_default());
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn is_low(escape: &str) -> bool {
    matches!(code_unit(escape), Some(0xdc00..0xe000))
}

/// The UTF-16 code unit of a `\uXXXX` at the beginning of `text`.
fn code_unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.get(..6)?.strip_prefix("\\u")?, 16).ok()
}

#[cfg(test)]
mod tests;
