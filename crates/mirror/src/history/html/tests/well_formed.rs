//! A strict reader of the pages: far less than HTML allows, and all that ours consist of.

/// Elements, and the attributes that each may have besides `class`.
const ELEMENTS: [(&str, &[&str]); 44] = [
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
const VOID: [&str; 4] = ["meta", "input", "br", "hr"];
/// What may stand in a paragraph: anything else would end it for a browser.
const WITHIN_A_LINE: [&str; 9] = ["a", "span", "code", "em", "strong", "del", "br", "time", "input"];

/// Whether the page is made of our elements only, all closed in order, with escaped text, unique ids, links that
/// lead to the web, mail or this page, and no character that hides or reorders.
pub(super) fn check_page(page: &str) -> Result<(), String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").ok_or("no document type")?;
    let mut open: Vec<&str> = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        check_text(text)?;
        let (tag, after) = tag[1..].split_once('>').ok_or("a tag without an end")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes what is not open"));
            }
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let (_, allowed) = ELEMENTS
            .iter()
            .find(|(element, _)| *element == name)
            .ok_or_else(|| format!("an element <{tag}>"))?;
        for (attribute, value) in read_attributes(attributes)? {
            check_text(value)?;
            if attribute != "class" && !allowed.contains(&attribute) {
                return Err(format!("an attribute {attribute} of <{name}>"));
            }
            match attribute {
                "href" => check_link(value)?,
                "id" if ids.contains(&value) => return Err(format!("the id {value} stands twice")),
                "id" => ids.push(value),
                _ => {}
            }
        }
        if open.contains(&"p") && !WITHIN_A_LINE.contains(&name) {
            return Err(format!("<{name}> in a paragraph"));
        }
        if name == "a" && open.contains(&"a") {
            return Err("a link in a link".to_owned());
        }
        if name == "style" {
            rest = rest.split_once("</style>").ok_or("a style without an end")?.1;
        } else if !VOID.contains(&name) {
            open.push(name);
        }
    }
    check_text(rest)?;
    if open.is_empty() { Ok(()) } else { Err(format!("not closed: {open:?}")) }
}

/// `name="value"` or `name`, with one blank before each.
fn read_attributes(mut text: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut attributes = Vec::new();
    while !text.is_empty() {
        let end = text.find(|c: char| !(c.is_ascii_lowercase() || c == '-')).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let (value, rest) = match rest.strip_prefix("=\"") {
            Some(rest) => rest.split_once('"').ok_or("a value without an end")?,
            None => ("", rest),
        };
        if name.is_empty() || !(rest.is_empty() || rest.starts_with(' ')) {
            return Err(format!("attributes {text}"));
        }
        attributes.push((name, value));
        text = rest.trim_start_matches(' ');
    }
    Ok(attributes)
}

fn check_text(text: &str) -> Result<(), String> {
    if let Some(c) = text.chars().find(|c| {
        (c.is_control() && !"\n\t".contains(*c))
            || "<>\"\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}".contains(*c)
            || ('\u{202a}'..='\u{202e}').contains(c)
            || ('\u{2066}'..='\u{2069}').contains(c)
    }) {
        return Err(format!("{c:?} in {text:?}"));
    }
    for reference in text.split('&').skip(1) {
        if !["lt;", "gt;", "amp;", "quot;", "#39;"].iter().any(|known| reference.starts_with(known)) {
            return Err(format!("a reference &{reference}"));
        }
    }
    Ok(())
}

fn check_link(url: &str) -> Result<(), String> {
    let lower = url.to_ascii_lowercase();
    let leads_out = ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    let leads_here = url.strip_prefix("#turn-").is_some_and(|number| number.parse::<u64>().is_ok());
    if leads_out || leads_here { Ok(()) } else { Err(format!("a link to {url}")) }
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
