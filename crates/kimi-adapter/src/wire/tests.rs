//! Values of any shape.

use pretty_assertions::assert_eq;

use super::*;

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn times_are_numbers_or_words() {
    for (json, ms, s) in [
        ("1785612803281", Some(1_785_612_803_281), None),
        ("1774273363.887481", Some(1_774_273_364), Some(1_774_273_363_887)),
        ("\"2026-11-30T17:20:10Z\"", Some(1_796_059_210_000), Some(1_796_059_210_000)),
        ("-1", None, None),
        ("1e300", None, None),
        ("\"soon\"", None, None),
        ("{}", None, None),
    ] {
        assert_eq!(millis(Some(raw(json))).map(Timestamp::as_millis), ms, "{json}");
        assert_eq!(seconds(Some(raw(json))).map(Timestamp::as_millis), s, "{json}");
    }
}

#[test]
fn ids_are_short_texts_or_numbers() {
    assert_eq!(id(Some(raw("\"a\""))).as_deref(), Some("a"));
    assert_eq!(id(Some(raw("3"))).as_deref(), Some("3"));
    assert_eq!(id(Some(raw("\"\""))), None);
    assert_eq!(id(Some(raw("-3"))), None);
    assert_eq!(id(Some(raw("[]"))), None);
    let long = format!("\"{}\"", "é".repeat(1000));
    assert_eq!(id(Some(raw(&long))).map(|id| id.chars().count()), Some(ID_MAX));
}
