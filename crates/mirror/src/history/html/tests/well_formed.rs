//! What the pages consist of, for the strict reader.

use larkspan_html::testing::{Element, check};

/// Elements, and the attributes that each may have besides `class`.
const ELEMENTS: [Element; 44] = [
    ("html", &["lang"]),
    ("head", &[]),
    ("meta", &["charset", "http-equiv", "name", "content"]),
    ("title", &[]),
    ("style", &[]),
    ("body", &[]),
    ("header", &["id"]),
    ("main", &[]),
    ("footer", &["id"]),
    ("section", &["id"]),
    ("div", &[]),
    ("span", &["title"]),
    ("h1", &[]),
    ("h2", &[]),
    ("h3", &[]),
    ("h4", &[]),
    ("h5", &[]),
    ("h6", &[]),
    ("p", &[]),
    ("a", &["href", "rel", "title"]),
    ("dl", &[]),
    ("dt", &[]),
    ("dd", &[]),
    ("ul", &[]),
    ("ol", &["start"]),
    ("li", &[]),
    ("time", &["datetime"]),
    ("label", &[]),
    ("input", &["type", "id"]),
    ("details", &["open"]),
    ("summary", &[]),
    ("pre", &[]),
    ("code", &[]),
    ("blockquote", &[]),
    ("table", &[]),
    ("thead", &[]),
    ("tr", &[]),
    ("th", &[]),
    ("td", &[]),
    ("em", &[]),
    ("strong", &[]),
    ("del", &[]),
    ("br", &[]),
    ("hr", &[]),
];

/// Whether the page is made of our elements only; see [`check`].
pub(super) fn check_page(page: &str) -> Result<(), String> {
    let rest = page.strip_prefix("<!DOCTYPE html>\n").ok_or("no document type")?;
    check(rest, &[&ELEMENTS], |url| {
        url.strip_prefix("#turn-").is_some_and(|number| number.parse::<u64>().is_ok())
    })
}

#[test]
fn it_refuses_what_is_not_ours() {
    let page = |body: &str| check_page(&format!("<!DOCTYPE html>\n<body>{body}</body>\n"));
    assert_eq!(page("<p class=\"a\">x &lt; <a href=\"https://x\">y</a><br></p>"), Ok(()));
    for body in [
        "<script></script>",
        "<p>",
        "</p>",
        "<p><div></div></p>",
        "<em></p>",
        "<a onclick=\"x\"></a>",
        "<a href=\"javascript:x\"></a>",
        "<a href=\"#x\"></a>",
        "a & b",
        "a > b",
        "\u{202e}",
        "\u{1b}",
        "<a href='x'></a>",
        "<a href=\"x\"y></a>",
        "<a><a></a></a>",
        "<header id=\"a\"></header><header id=\"a\"></header>",
        "<!-- x -->",
        "&#x3c;",
    ] {
        assert!(page(body).is_err(), "{body}");
    }
}
