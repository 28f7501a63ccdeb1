//! What a platform's Markdown has besides the common one: tags within a line, kinds of links, images.
//!
//! A dialect says what is meant; the elements are written by [`prose`](crate::prose). So it can give no markup of its
//! own, and what it says is escaped like any other text.

use std::borrow::Cow;

/// What a dialect of Markdown does differently from the [`Common`] one.
pub trait Dialect {
    /// What a tag within a line means: `<br>`, `</font>`, `<font color='red'>`, with its angle brackets.
    fn tag(&self, tag: &str) -> Tag {
        if matches!(tag, "<br>" | "<br/>" | "<br />") { Tag::LineBreak } else { Tag::Text }
    }

    /// What a link to this destination becomes.
    fn link(&self, url: &str) -> Reference {
        if leads_to_web(url) || leads_to_mail(url) { Reference::Link } else { Reference::Path }
    }

    /// What an image with this source becomes. It is never loaded.
    fn image(&self, url: &str) -> Reference {
        self.link(url)
    }

    /// The class of a heading of this level, 1 to 6, where headings of a level are to look their own way.
    fn heading(&self, level: u8) -> Option<&'static str> {
        let _ = level;
        None
    }

    /// Whether the words of code are told apart by classes.
    fn highlights(&self) -> bool {
        false
    }

    /// Text as its source had it, for a dialect that has prepared the source for the parser.
    fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }
}

/// Markdown as agents write it: `CommonMark` with tables, strikethrough and tasks. Raw HTML is text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Common;

impl Dialect for Common {}

/// What becomes of a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// A link that can be followed.
    Link,
    /// Words that tell the destination when pointed at.
    Path,
    /// An image's words in place of it. They tell its source when pointed at.
    Image,
}

/// What a tag within a line means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tag {
    /// Nothing: it is text like any other.
    Text,
    /// Nothing, and it vanishes.
    Nothing,
    /// The line ends.
    LineBreak,
    /// A line across.
    Rule,
    /// An element opens.
    Open(Span),
    /// An element that has no content but what it brings.
    Chip(Span),
    /// The element that this name has opened closes, if it is open here.
    Close(String),
}

/// An element within a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span {
    /// What closes it.
    pub name: String,
    /// Its classes.
    pub class: String,
    /// Words it begins with.
    pub before: String,
    /// Words in place of its content, should it have none.
    pub fallback: String,
    /// Where it leads, if it is a link. A destination that is none for [`Dialect::link`] leads nowhere.
    pub url: Option<String>,
}

/// Whether a URL is one of the web.
pub fn leads_to_web(url: &str) -> bool {
    starts_with(url, "https://") || starts_with(url, "http://")
}

/// Whether a URL is an address of mail.
pub fn leads_to_mail(url: &str) -> bool {
    starts_with(url, "mailto:")
}

fn starts_with(url: &str, scheme: &str) -> bool {
    url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}
