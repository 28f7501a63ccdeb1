//! Feishu's Markdown: what it has besides the common one.
//!
//! Facts, from the platform's documentation: `CommonMark` without HTML blocks; tags within a line for colours, labels,
//! mentions, numbers, times and links; any other tag vanishes; an image has a key and no address; links lead to the web.
//!
//! The parser knows two things that Feishu does not: HTML blocks, and that no underscore stands in the name of a tag. So
//! the source is prepared: a guard stands before every `<` that begins a line, and an underscore in a tag's name is
//! spelled out. Neither the guard nor the spelling occurs in the source, so both are taken back wherever they come out,
//! in code as well.

use std::borrow::Cow;

use larkspan_html::dialect::{Reference, Span, Tag, leads_to_web};
use larkspan_html::{Dialect, prose};

use super::palette;

/// How many spellings are tried. Only a source that is made for it holds them all.
const SPELLINGS: u32 = 64;

/// Appends the elements of a document.
pub(super) fn document(out: &mut String, source: &str) {
    let (prepared, feishu) = prepare(source);
    prose::document_in(out, &prepared, &feishu);
}

/// Appends what stands within a line.
pub(super) fn line(out: &mut String, source: &str) {
    let (prepared, feishu) = prepare(source);
    prose::line_in(out, &prepared, &feishu);
}

/// What a source was prepared with.
struct Feishu {
    /// Stands before a `<` that begins a line.
    guard: Option<char>,
    /// Stands for an underscore in a tag's name.
    underscore: Option<String>,
}

fn prepare(source: &str) -> (Cow<'_, str>, Feishu) {
    if !source.contains('<') {
        return (Cow::Borrowed(source), Feishu { guard: None, underscore: None });
    }
    let guard = ('\u{e000}'..='\u{e0ff}').find(|guard| !source.contains(*guard));
    let underscore = (0..SPELLINGS).map(|n| format!("-z{n}z-")).find(|spelled| !source.contains(spelled));
    let mut prepared = String::with_capacity(source.len() + source.len() / 8);
    let mut rest = source;
    // Whether only what may come before an HTML block stands on the line so far.
    let mut begins_line = true;
    while let Some(at) = rest.find('<') {
        let (before, from_tag) = rest.split_at(at);
        prepared.push_str(before);
        let line = match before.rfind('\n') {
            Some(end) => {
                begins_line = true;
                before.get(end..).unwrap_or_default()
            }
            None => before,
        };
        begins_line &= line.chars().all(|c| c.is_whitespace() || c.is_ascii_digit() || ">-+*.)".contains(c));
        if begins_line {
            prepared.extend(guard);
        }
        begins_line = false;
        let slash = usize::from(from_tag.get(1..).is_some_and(|rest| rest.starts_with('/')));
        let (open, named) = from_tag.split_at(1 + slash);
        prepared.push_str(open);
        let end = named.find(|c: char| !is_of_name(c)).unwrap_or(named.len());
        let (name, after) = named.split_at(end);
        match &underscore {
            Some(spelled) => prepared.push_str(&name.replace('_', spelled)),
            None => prepared.push_str(name),
        }
        rest = after;
    }
    prepared.push_str(rest);
    (Cow::Owned(prepared), Feishu { guard, underscore })
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

impl Dialect for Feishu {
    fn tag(&self, tag: &str) -> Tag {
        let inner = tag.trim_start_matches('<').trim_end_matches('>');
        if let Some(name) = inner.strip_prefix('/') {
            return Tag::Close(name.trim().to_ascii_lowercase());
        }
        let (inner, is_whole) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
        let end = inner.find(|c: char| !is_of_name(c)).unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(end);
        let name = name.to_ascii_lowercase();
        let value = |key: &str| attribute(attributes, key).unwrap_or_default();
        let colour = |key: &str, otherwise: &'static str| palette::colour(value(key)).unwrap_or(otherwise);
        let mut span = Span { name, ..Span::default() };
        match span.name.as_str() {
            "br" => return Tag::LineBreak,
            "hr" => return Tag::Rule,
            "font" => span.class = format!("font {}", colour("color", "c-plain")),
            "text_tag" => span.class = format!("tag {}", colour("color", "c-grey")),
            "number_tag" => span.class = format!("count {}", colour("background_color", "c-grey")),
            "at" | "person" => {
                "mention".clone_into(&mut span.class);
                "@".clone_into(&mut span.before);
                span.fallback = ["id", "ids", "user_id", "email"].map(value).concat();
            }
            "local_datetime" => {
                "time".clone_into(&mut span.class);
                value("millisecond").clone_into(&mut span.fallback);
            }
            "a" | "link" => {
                "path".clone_into(&mut span.class);
                let url = [value("href"), value("url")].concat();
                span.fallback.clone_from(&url);
                span.url = Some(url);
            }
            "audio" => {
                "image".clone_into(&mut span.class);
                "🔊 ".clone_into(&mut span.before);
                value("file_key").clone_into(&mut span.fallback);
            }
            "raw" => "raw".clone_into(&mut span.class),
            _ => return Tag::Nothing,
        }
        if is_whole { Tag::Chip(span) } else { Tag::Open(span) }
    }

    fn link(&self, url: &str) -> Reference {
        if leads_to_web(url) { Reference::Link } else { Reference::Path }
    }

    fn image(&self, _: &str) -> Reference {
        Reference::Image
    }

    fn heading(&self, level: u8) -> Option<&'static str> {
        Some(match level {
            1 => "level-1",
            2 => "level-2",
            3 => "level-3",
            4 => "level-4",
            5 => "level-5",
            _ => "level-6",
        })
    }

    fn highlights(&self) -> bool {
        true
    }

    fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        if let Some(guard) = self.guard.filter(|guard| text.contains(*guard)) {
            text = Cow::Owned(text.replace(guard, ""));
        }
        if let Some(spelled) = self.underscore.as_deref().filter(|spelled| text.contains(*spelled)) {
            text = Cow::Owned(text.replace(spelled, "_"));
        }
        text
    }
}

/// The value of an attribute, with or without quotes.
fn attribute<'t>(mut text: &'t str, key: &str) -> Option<&'t str> {
    loop {
        text = text.trim_start();
        let end = text.find(|c: char| !is_of_name(c))?;
        let (name, rest) = text.split_at(end);
        let Some(rest) = rest.trim_start().strip_prefix('=') else {
            // Without a value, or no name at all: on behind it.
            text = if name.is_empty() { text.get(text.chars().next()?.len_utf8()..)? } else { rest };
            continue;
        };
        let rest = rest.trim_start();
        let (value, after) = match rest.chars().next()? {
            quote @ ('"' | '\'') => rest.get(1..)?.split_once(quote)?,
            _ => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        if name.eq_ignore_ascii_case(key) {
            return Some(value);
        }
        text = after;
    }
}

#[cfg(test)]
mod tests;
