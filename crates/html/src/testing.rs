//! A strict reader of HTML: far less than HTML allows, and all that ours consists of.
//!
//! For tests only: whoever writes a page with this crate checks it with the elements that the page is made of.

/// An element: its name, and the attributes that it may have besides `class`.
pub type Element = (&'static str, &'static [&'static str]);

/// The elements that this crate writes.
pub const ELEMENTS: [Element; 25] = [
    ("span", &["title"]),
    ("div", &[]),
    ("h3", &[]),
    ("h4", &[]),
    ("h5", &[]),
    ("h6", &[]),
    ("p", &[]),
    ("a", &["href", "rel", "title"]),
    ("ul", &[]),
    ("ol", &["start"]),
    ("li", &[]),
    ("pre", &[]),
    ("code", &[]),
    ("blockquote", &[]),
    ("table", &[]),
    ("thead", &[]),
    ("tbody", &[]),
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

/// Whether this is made of the elements that this crate writes; see [`check`].
pub fn check_fragment(html: &str) -> Result<(), String> {
    check(html, &[&ELEMENTS], |_| false)
}

/// Whether this is made of these elements only, all closed in order, with escaped text, unique ids, links that lead to
/// the web, to mail or where `leads_here` says, and no character that hides or reorders. The error says what is wrong.
pub fn check(html: &str, elements: &[&[Element]], leads_here: impl Fn(&str) -> bool) -> Result<(), String> {
    let mut rest = html;
    let mut open: Vec<&str> = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        check_text(text)?;
        let (tag, after) = tag.split_at(1).1.split_once('>').ok_or("a tag without an end")?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes what is not open"));
            }
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut known = elements.iter().flat_map(|elements| elements.iter());
        if !known.any(|(element, _)| *element == name) {
            return Err(format!("an element <{tag}>"));
        }
        let allowed = |attribute: &str| {
            let mut known = elements.iter().flat_map(|elements| elements.iter());
            known.any(|(element, attributes)| *element == name && attributes.contains(&attribute))
        };
        for (attribute, value) in read_attributes(attributes)? {
            check_text(value)?;
            if attribute != "class" && !allowed(attribute) {
                return Err(format!("an attribute {attribute} of <{name}>"));
            }
            match attribute {
                "href" => {
                    let lower = value.to_ascii_lowercase();
                    let leads_out =
                        ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
                    if !leads_out && !leads_here(value) {
                        return Err(format!("a link to {value}"));
                    }
                }
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
