//! The names that a card may use for colours and sizes, as classes. What is not among them has no class: nothing of a
//! card becomes a class by itself.

use serde_json::Value;

/// The colours of tags, headers and borders.
const COLOURS: [(&str, &str); 18] = [
    ("blue", "c-blue"),
    ("wathet", "c-wathet"),
    ("turquoise", "c-turquoise"),
    ("green", "c-green"),
    ("lime", "c-lime"),
    ("yellow", "c-yellow"),
    ("orange", "c-orange"),
    ("red", "c-red"),
    ("carmine", "c-carmine"),
    ("violet", "c-violet"),
    ("purple", "c-purple"),
    ("indigo", "c-indigo"),
    ("grey", "c-grey"),
    ("gray", "c-grey"),
    ("neutral", "c-grey"),
    ("default", "c-plain"),
    ("white", "c-plain"),
    ("black", "c-plain"),
];

const SIZES: [(&str, &str); 14] = [
    ("heading-0", "size-0"),
    ("heading-1", "size-1"),
    ("heading-2", "size-2"),
    ("heading-3", "size-3"),
    ("heading-4", "size-4"),
    ("heading", "size-4"),
    ("normal", ""),
    ("normal_v2", ""),
    ("notation", "notation"),
    ("xxxx-large", "size-0"),
    ("xxx-large", "size-1"),
    ("xx-large", "size-2"),
    ("x-large", "size-3"),
    ("small", "notation"),
];

/// The class of a colour. Shades (`red-350`) look like their colour.
pub(super) fn colour(name: &str) -> Option<&'static str> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    lookup(&COLOURS, name)
}

/// The class of the member `text_size`.
pub(super) fn size(element: &Value) -> &'static str {
    member(&SIZES, element, "text_size")
}

/// The class of the member `text_align` or `horizontal_align`.
pub(super) fn align(element: &Value, key: &str) -> &'static str {
    member(&[("center", "center"), ("right", "right")], element, key)
}

fn member(table: &[(&str, &'static str)], element: &Value, key: &str) -> &'static str {
    element.get(key).and_then(Value::as_str).and_then(|name| lookup(table, name)).unwrap_or_default()
}

fn lookup(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, class)| *class)
}
