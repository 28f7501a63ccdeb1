//! Markdown as HTML.
//!
//! Invariants
//! - Every element is written here and closed here; of the source there is only escaped text. Raw HTML comes out as
//!   the text it is, but for a `<br>`, which is the only line break a table cell of Markdown can have, and for the tags
//!   of a [`Dialect`].
//! - Links lead to `http`, `https` and `mailto` only. Nothing is loaded: an image is a link to it.
//! - Elements are nested to a bounded depth; what lies deeper is still there as text.

use std::fmt::Write as _;

use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TextMergeStream,
};

use crate::dialect::{Common, Dialect, Reference, Span, Tag as InlineTag, leads_to_mail, leads_to_web};
use crate::{code, escape};

#[cfg(test)]
mod tests;
mod urls;

pub use urls::linked_text;
use urls::open_link;

/// How deep elements are nested. Browsers cut at 512.
const DEEPEST: usize = 64;
/// Appends a document.
pub fn document(out: &mut String, markdown: &str) {
    document_in(out, markdown, &Common);
}

/// Appends a document in a dialect.
pub fn document_in(out: &mut String, markdown: &str, dialect: &dyn Dialect) {
    Writer::new(out, Extent::Document, dialect).write(markdown);
}

/// Appends one line of Markdown: no element but those that stand within a line, and no link.
pub fn line(out: &mut String, markdown: &str) {
    line_in(out, markdown, &Common);
}

/// Appends one line of Markdown in a dialect.
pub fn line_in(out: &mut String, markdown: &str, dialect: &dyn Dialect) {
    Writer::new(out, Extent::Line, dialect).write(markdown);
}

/// How much of Markdown is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Document,
    Line,
}

struct Writer<'o> {
    out: &'o mut String,
    dialect: &'o dyn Dialect,
    extent: Extent,
    open: Vec<Open>,
    /// An element of a link is open: links cannot be nested.
    in_link: bool,
    /// The code block being read: its language and its text.
    code: Option<(String, String)>,
    table: Table,
}

/// What ends an open element.
#[derive(Default)]
struct Open {
    close: &'static str,
    is_link: bool,
    /// The name of the tag that opened it, if Markdown did not.
    tag: Option<String>,
    /// Where its content begins, and what stands for it if there is none.
    fallback: Option<(usize, String)>,
}

#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    in_head: bool,
    column: usize,
}

impl<'o> Writer<'o> {
    fn new(out: &'o mut String, extent: Extent, dialect: &'o dyn Dialect) -> Self {
        Self { out, dialect, extent, open: Vec::new(), in_link: false, code: None, table: Table::default() }
    }

    fn write(mut self, markdown: &str) {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        for event in TextMergeStream::new(Parser::new_ext(markdown, options)) {
            self.event(event);
        }
        // The parser closes what it opens; the page does not depend on it.
        while !self.open.is_empty() {
            self.close();
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.out.push_str("<code>");
                escape::text(self.out, &self.dialect.restore(&text));
                self.out.push_str("</code>");
            }
            Event::InlineHtml(tag) => self.tag(&tag),
            Event::Html(text) => escape::text(self.out, &self.dialect.restore(&text)),
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule if self.extent == Extent::Document => self.out.push_str("<hr>"),
            Event::TaskListMarker(is_done) => {
                let _ = write!(self.out, "<span class=\"task\">{}</span> ", if is_done { "☑" } else { "☐" });
            }
            // Rules within a line; the rest are extensions that are off.
            Event::Rule | Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) => {}
        }
    }

    fn text(&mut self, text: &str) {
        let text = self.dialect.restore(text);
        match &mut self.code {
            Some((_, body)) => body.push_str(&text),
            None if self.in_link || self.extent == Extent::Line => escape::text(self.out, &text),
            None => linked_text(self.out, &text),
        }
    }

    /// A tag within a line, which is what the dialect says.
    fn tag(&mut self, tag: &str) {
        let tag = self.dialect.restore(tag);
        match self.dialect.tag(&tag) {
            InlineTag::Text => escape::text(self.out, &tag),
            InlineTag::LineBreak => self.out.push_str("<br>"),
            // An element of its own would end the paragraph.
            InlineTag::Rule if self.extent == Extent::Document => {
                self.out.push_str("<span class=\"rule\"></span>");
            }
            // A rule within a line is nothing either.
            InlineTag::Nothing | InlineTag::Rule => {}
            InlineTag::Open(span) => self.open_span(span),
            InlineTag::Chip(span) => {
                self.open_span(span);
                self.close();
            }
            InlineTag::Close(name) => {
                // Not beyond what Markdown has opened since, and no further than elements are shown.
                let within = self.open.iter().rev().take(DEEPEST).take_while(|open| open.tag.is_some());
                let Some(above) = within.into_iter().position(|open| open.tag.as_ref() == Some(&name)) else {
                    return;
                };
                for _ in 0..=above {
                    self.close();
                }
            }
        }
    }

    fn open_span(&mut self, Span { name, class, before, fallback, url }: Span) {
        let is_shown = self.open.len() < DEEPEST;
        let url = url.filter(|url| {
            is_shown
                && !self.in_link
                && self.extent == Extent::Document
                && self.dialect.link(url) == Reference::Link
                && (leads_to_web(url) || leads_to_mail(url))
        });
        let mut open = Open { tag: Some(name), is_link: url.is_some(), ..Open::default() };
        if let Some(url) = url {
            open_link(self.out, &url, "");
            open.close = "</a>";
            self.in_link = true;
        } else if is_shown {
            self.out.push_str("<span class=\"");
            escape::plain(self.out, &class);
            self.out.push_str("\">");
            open.close = "</span>";
        }
        escape::text(self.out, &before);
        open.fallback = Some((self.out.len(), fallback));
        self.open.push(open);
    }

    fn push(&mut self, open: &str, close: &'static str) {
        let shown = self.open.len() < DEEPEST;
        if shown {
            self.out.push_str(open);
        }
        self.open.push(Open { close: if shown { close } else { "" }, ..Open::default() });
    }

    /// An element that breaks the line, which within a line is none.
    fn push_block(&mut self, open: &str, close: &'static str) {
        match self.extent {
            Extent::Document => self.push(open, close),
            Extent::Line => self.push("", ""),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.push_block("<p>", "</p>\n"),
            Tag::Heading { level, .. } => {
                // The page's own headings stand above.
                let (number, close) = match level {
                    HeadingLevel::H1 => (1, "</h3>\n"),
                    HeadingLevel::H2 => (2, "</h4>\n"),
                    HeadingLevel::H3 => (3, "</h5>\n"),
                    HeadingLevel::H4 => (4, "</h6>\n"),
                    HeadingLevel::H5 => (5, "</h6>\n"),
                    HeadingLevel::H6 => (6, "</h6>\n"),
                };
                let element = (number + 2).min(6);
                match self.dialect.heading(number) {
                    Some(class) => self.push_block(&format!("<h{element} class=\"{class}\">"), close),
                    None => self.push_block(&format!("<h{element}>"), close),
                }
            }
            Tag::BlockQuote(_) => self.push_block("<blockquote>", "</blockquote>\n"),
            Tag::CodeBlock(kind) => {
                if self.extent == Extent::Document {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => self.dialect.restore(&language).into_owned(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    self.code = Some((language, String::new()));
                }
                self.push("", "");
            }
            Tag::HtmlBlock => self.push_block("<p class=\"raw\">", "</p>\n"),
            Tag::List(None) => self.push_block("<ul>\n", "</ul>\n"),
            Tag::List(Some(first)) => self.push_block(&format!("<ol start=\"{first}\">\n"), "</ol>\n"),
            Tag::Item => self.push_block("<li>", "</li>\n"),
            Tag::Table(alignments) => {
                self.table = Table { alignments, ..Table::default() };
                self.push_block("<div class=\"scroll\"><table>\n", "</table></div>\n");
            }
            Tag::TableHead => {
                self.table.in_head = true;
                self.table.column = 0;
                self.push_block("<thead><tr>", "</tr></thead>\n");
            }
            Tag::TableRow => {
                self.table.in_head = false;
                self.table.column = 0;
                self.push_block("<tr>", "</tr>\n");
            }
            Tag::TableCell => self.cell(),
            Tag::Emphasis => self.push("<em>", "</em>"),
            Tag::Strong => self.push("<strong>", "</strong>"),
            Tag::Strikethrough => self.push("<del>", "</del>"),
            Tag::Link { link_type: LinkType::Email, dest_url, title, .. } => {
                let url = format!("mailto:{dest_url}");
                self.reference(self.dialect.link(&url), "", &url, &title);
            }
            Tag::Link { dest_url, title, .. } => {
                self.reference(self.dialect.link(&dest_url), "", &dest_url, &title);
            }
            Tag::Image { dest_url, title, .. } => {
                self.reference(self.dialect.image(&dest_url), "🖼 ", &dest_url, &title);
            }
            // Extensions that are off.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => self.push("", ""),
        }
    }

    fn cell(&mut self) {
        let class = match self.table.alignments.get(self.table.column) {
            Some(Alignment::Right) => " class=\"right\"",
            Some(Alignment::Center) => " class=\"center\"",
            Some(Alignment::Left | Alignment::None) | None => "",
        };
        self.table.column += 1;
        if self.table.in_head {
            self.push_block(&format!("<th{class}>"), "</th>");
        } else {
            self.push_block(&format!("<td{class}>"), "</td>");
        }
    }

    /// A link or an image. One that leads nowhere from here, such as a path, tells where when pointed at.
    fn reference(&mut self, kind: Reference, mark: &'static str, url: &str, title: &str) {
        let (url, title) = (self.dialect.restore(url), self.dialect.restore(title));
        let is_shown = self.open.len() < DEEPEST && !self.in_link && self.extent == Extent::Document;
        // Whatever a dialect says, no link leads into a script.
        let is_link = is_shown && kind == Reference::Link && (leads_to_web(&url) || leads_to_mail(&url));
        let close = if is_link {
            open_link(self.out, &url, &title);
            "</a>"
        } else if is_shown {
            let class = if kind == Reference::Image { "image" } else { "path" };
            let _ = write!(self.out, "<span class=\"{class}\" title=\"");
            escape::plain(self.out, &url);
            self.out.push_str("\">");
            "</span>"
        } else {
            ""
        };
        self.in_link |= is_link;
        self.out.push_str(mark);
        let fallback = Some((self.out.len(), url.into_owned()));
        self.open.push(Open { close, is_link, tag: None, fallback });
    }

    /// What Markdown has opened ends, and so do the tags in it.
    fn end(&mut self) {
        while self.open.last().is_some_and(|open| open.tag.is_some()) {
            self.close();
        }
        self.close();
    }

    fn close(&mut self) {
        let Some(Open { close, is_link, fallback, tag: _ }) = self.open.pop() else { return };
        if let Some((language, body)) = self.code.take() {
            if self.dialect.highlights() {
                code::highlighted(self.out, &language, &body);
            } else {
                code::block(self.out, &language, &body);
            }
            self.out.push('\n');
        }
        if let Some((start, words)) = fallback
            && self.out.len() == start
        {
            escape::text(self.out, &words);
        }
        if is_link {
            self.in_link = false;
        }
        self.out.push_str(close);
    }
}
