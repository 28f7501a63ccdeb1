//! Markdown of a log as HTML.
//!
//! Invariants
//! - Every element is written here and closed here; of the log there is only escaped text. Raw HTML comes out as the
//!   text it is, but for a `<br>`, which is the only line break a table cell of Markdown can have.
//! - Links lead to `http`, `https` and `mailto` only. Nothing is loaded: an image is a link to it.
//! - Elements are nested to a bounded depth; what lies deeper is still there as text.

use std::fmt::Write as _;

use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TextMergeStream,
};

use super::{code, escape};

/// How deep elements are nested. Browsers cut at 512.
const DEEPEST: usize = 64;
/// A longer run of characters in text is no URL that a person would open, in bytes.
const LONGEST_URL: usize = 2048;

/// Appends a document.
pub(super) fn document(out: &mut String, markdown: &str) {
    Writer::new(out, Extent::Document).write(markdown);
}

/// Appends one line of Markdown: no element but those that stand within a line, and no link.
pub(super) fn line(out: &mut String, markdown: &str) {
    Writer::new(out, Extent::Line).write(markdown);
}

/// Appends plain text, its URLs as links.
pub(super) fn linked_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some((start, length)) = find_url(rest) {
        let (before, from_url) = rest.split_at(start);
        let (url, after) = from_url.split_at(length);
        escape::text(out, before);
        open_link(out, url, "");
        escape::text(out, url);
        out.push_str("</a>");
        rest = after;
    }
    escape::text(out, rest);
}

/// The first `http` or `https` URL in a text: where it starts, and its length in bytes.
fn find_url(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let start = from + text.get(from..)?.find("http")?;
        let run = text.get(start..)?;
        from = start + "http".len();
        let Some(scheme) = ["https://", "http://"].into_iter().find(|scheme| run.starts_with(scheme)) else {
            continue;
        };
        // Text without blanks goes on right after a URL in Chinese: only ASCII belongs to it.
        let belongs = |c: char| {
            c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '`' | '\\' | '|' | '^' | '{' | '}')
        };
        let end = run.find(|c| !belongs(c)).unwrap_or(run.len());
        let in_word = text
            .get(..start)
            .and_then(|before| before.chars().next_back())
            .is_some_and(|c| c.is_ascii_alphanumeric());
        let length = without_punctuation(run.get(..end)?).len();
        if !in_word && end <= LONGEST_URL && length > scheme.len() {
            return Some((start, length));
        }
        from = start + end;
    }
}

/// A URL without the punctuation of the sentence it stands in.
fn without_punctuation(mut url: &str) -> &str {
    let count = |c: char| url.matches(c).count();
    let mut unopened =
        [(')', count(')').saturating_sub(count('('))), (']', count(']').saturating_sub(count('[')))];
    while let Some(last) = url.chars().next_back() {
        let bracket = unopened.iter_mut().find(|(bracket, left)| *bracket == last && *left > 0);
        match bracket {
            Some((_, left)) => *left -= 1,
            None if ".,;:!?'*_~".contains(last) => {}
            None => break,
        }
        url = url.get(..url.len() - last.len_utf8()).unwrap_or_default();
    }
    url
}

fn is_link(url: &str) -> bool {
    let starts =
        |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    ["https://", "http://", "mailto:"].into_iter().any(starts)
}

fn open_link(out: &mut String, url: &str, title: &str) {
    out.push_str("<a href=\"");
    escape::url(out, url);
    out.push_str("\" rel=\"noopener noreferrer\"");
    if !title.is_empty() {
        out.push_str(" title=\"");
        escape::plain(out, title);
        out.push('"');
    }
    out.push('>');
}

/// How much of Markdown is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Document,
    Line,
}

struct Writer<'o> {
    out: &'o mut String,
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
    fn new(out: &'o mut String, extent: Extent) -> Self {
        Self { out, extent, open: Vec::new(), in_link: false, code: None, table: Table::default() }
    }

    fn write(mut self, markdown: &str) {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        for event in TextMergeStream::new(Parser::new_ext(markdown, options)) {
            self.event(event);
        }
        // The parser closes what it opens; the page does not depend on it.
        while !self.open.is_empty() {
            self.end();
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.out.push_str("<code>");
                escape::text(self.out, &text);
                self.out.push_str("</code>");
            }
            Event::InlineHtml(html) if matches!(&*html, "<br>" | "<br/>" | "<br />") => {
                self.out.push_str("<br>");
            }
            Event::Html(text) | Event::InlineHtml(text) => escape::text(self.out, &text),
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
        match &mut self.code {
            Some((_, body)) => body.push_str(text),
            None if self.in_link || self.extent == Extent::Line => escape::text(self.out, text),
            None => linked_text(self.out, text),
        }
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
                let (open, close) = match level {
                    HeadingLevel::H1 => ("<h3>", "</h3>\n"),
                    HeadingLevel::H2 => ("<h4>", "</h4>\n"),
                    HeadingLevel::H3 => ("<h5>", "</h5>\n"),
                    HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => ("<h6>", "</h6>\n"),
                };
                self.push_block(open, close);
            }
            Tag::BlockQuote(_) => self.push_block("<blockquote>", "</blockquote>\n"),
            Tag::CodeBlock(kind) => {
                if self.extent == Extent::Document {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.into_string(),
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
                self.reference("", &format!("mailto:{dest_url}"), &title);
            }
            Tag::Link { dest_url, title, .. } => self.reference("", &dest_url, &title),
            Tag::Image { dest_url, title, .. } => self.reference("🖼 ", &dest_url, &title),
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
    fn reference(&mut self, mark: &'static str, url: &str, title: &str) {
        let is_shown = self.open.len() < DEEPEST && !self.in_link && self.extent == Extent::Document;
        let (close, is_link) = if !is_shown {
            ("", false)
        } else if is_link(url) {
            open_link(self.out, url, title);
            ("</a>", true)
        } else {
            self.out.push_str("<span class=\"path\" title=\"");
            escape::plain(self.out, url);
            self.out.push_str("\">");
            ("</span>", false)
        };
        self.in_link |= is_link;
        self.out.push_str(mark);
        self.open.push(Open { close, is_link, fallback: Some((self.out.len(), url.to_owned())) });
    }

    fn end(&mut self) {
        let Some(Open { close, is_link, fallback }) = self.open.pop() else { return };
        if let Some((language, body)) = self.code.take() {
            code::block(self.out, &language, &body);
            self.out.push('\n');
        }
        if let Some((start, url)) = fallback
            && self.out.len() == start
        {
            escape::text(self.out, &url);
        }
        if is_link {
            self.in_link = false;
        }
        self.out.push_str(close);
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::{DEEPEST, document, line, linked_text};

    fn rendered(render: fn(&mut String, &str), markdown: &str) -> String {
        let mut out = String::new();
        render(&mut out, markdown);
        out
    }

    #[test]
    fn markdown_becomes_elements() {
        for (markdown, html) in [
            (
                "a *b* **c** ~~d~~ `e<`",
                "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e&lt;</code></p>\n",
            ),
            ("# a\n#### b", "<h3>a</h3>\n<h6>b</h6>\n"),
            (
                "- a\n- [x] b\n- [ ] c",
                "<ul>\n<li>a</li>\n<li><span class=\"task\">☑</span> b</li>\n<li><span class=\"task\">☐</span> c</li>\n</ul>\n",
            ),
            ("3. a\n\n4. b", "<ol start=\"3\">\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n</ol>\n"),
            ("> a\n\n---", "<blockquote><p>a</p>\n</blockquote>\n<hr>"),
            ("```rust\nfn x() {}\n```", "<pre><code>fn x() {}</code></pre>\n"),
            ("    <b>\n", "<pre><code>&lt;b&gt;</code></pre>\n"),
            (
                "| a | b |\n|---|--:|\n| 1<br>2 | `x` |",
                "<div class=\"scroll\"><table>\n<thead><tr><th>a</th><th class=\"right\">b</th></tr></thead>\n<tr><td>1<br>2</td><td class=\"right\"><code>x</code></td></tr>\n</table></div>\n",
            ),
            ("a  \nb\nc", "<p>a<br>b\nc</p>\n"),
        ] {
            assert_eq!(rendered(document, markdown), html, "{markdown}");
        }
    }

    #[test]
    fn raw_html_is_text() {
        for (markdown, html) in [
            ("a <b onclick=x>c</b>", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n"),
            ("<script>alert(1)</script>", "<p class=\"raw\">&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
            ("<br onload=x>", "<p class=\"raw\">&lt;br onload=x&gt;</p>\n"),
            ("&lt;b&gt; &#x202e;", "<p>&lt;b&gt; <span class=\"esc\">\\u{202e}</span></p>\n"),
        ] {
            assert_eq!(rendered(document, markdown), html, "{markdown}");
        }
    }

    #[test]
    fn only_web_and_mail_are_links() {
        const REL: &str = "rel=\"noopener noreferrer\"";
        for (markdown, html) in [
            ("[a](https://x.y/?a=1&b)", format!("<a href=\"https://x.y/?a=1&amp;b\" {REL}>a</a>")),
            ("[a](HTTP://x \"t\\\"\")", format!("<a href=\"HTTP://x\" {REL} title=\"t&quot;\">a</a>")),
            ("<me@x.y>", format!("<a href=\"mailto:me@x.y\" {REL}>me@x.y</a>")),
            ("[a](mailto:me@x.y)", format!("<a href=\"mailto:me@x.y\" {REL}>a</a>")),
            ("[a](javascript:alert)", "<span class=\"path\" title=\"javascript:alert\">a</span>".into()),
            ("[a](JaVaScRiPt&colon;x)", "<span class=\"path\" title=\"JaVaScRiPt:x\">a</span>".into()),
            ("[a](< javascript:x>)", "<span class=\"path\" title=\" javascript:x\">a</span>".into()),
            ("[a](data:text/html,x)", "<span class=\"path\" title=\"data:text/html,x\">a</span>".into()),
            ("[a](//x.y)", "<span class=\"path\" title=\"//x.y\">a</span>".into()),
            ("[m.rs](src/m.rs:3)", "<span class=\"path\" title=\"src/m.rs:3\">m.rs</span>".into()),
            ("[](https://x.y)", format!("<a href=\"https://x.y\" {REL}>https://x.y</a>")),
            (
                "![](https://x.y/p.png)",
                format!("<a href=\"https://x.y/p.png\" {REL}>🖼 https://x.y/p.png</a>"),
            ),
            ("![p](p.png)", "<span class=\"path\" title=\"p.png\">🖼 p</span>".into()),
            ("[![p](https://x/p)](https://y)", format!("<a href=\"https://y\" {REL}>🖼 p</a>")),
            ("![a [b](https://y) c](https://x)", format!("<a href=\"https://x\" {REL}>🖼 a b c</a>")),
            ("[https://x](https://y)", format!("<a href=\"https://y\" {REL}>https://x</a>")),
            (
                "see https://x.y/a_b_c.",
                format!("see <a href=\"https://x.y/a_b_c\" {REL}>https://x.y/a_b_c</a>."),
            ),
        ] {
            assert_eq!(rendered(document, markdown), format!("<p>{html}</p>\n"), "{markdown}");
        }
    }

    #[test]
    fn urls_in_text_end_where_the_sentence_goes_on() {
        for (text, urls) in [
            ("http://a.b/c?d=e#f, and", vec!["http://a.b/c?d=e#f"]),
            ("(https://a.b/c_(d))", vec!["https://a.b/c_(d)"]),
            ("见https://a.b。再见http://c", vec!["https://a.b", "http://c"]),
            ("<https://a.b> \"https://c\"", vec!["https://a.b", "https://c"]),
            ("xhttps://a https:// http:/x https", vec![]),
            ("httphttp://a", vec![]),
        ] {
            let html = rendered(linked_text, text);
            let found: Vec<&str> =
                html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
            assert_eq!(found, urls, "{text}");
        }
    }

    #[test]
    fn a_line_stays_a_line() {
        for (markdown, html) in [
            ("💻 运行 `ls <x>` · exit 1", "💻 运行 <code>ls &lt;x&gt;</code> · exit 1"),
            ("_显示 1/2_", "<em>显示 1/2</em>"),
            ("# a\n\n- b\n\n    c", "abc"),
            ("[a](https://x) https://y <b>", "a https://y &lt;b&gt;"),
            ("```\ncode", "code"),
            ("|a|\n|-|\n|b|", "ab"),
        ] {
            assert_eq!(rendered(line, markdown).replace('\n', ""), html, "{markdown}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let html = rendered(document, &format!("{}deep", "> ".repeat(1000)));
        assert_eq!(html.matches("<blockquote>").count(), DEEPEST);
        assert_eq!(html.matches("</blockquote>").count(), DEEPEST);
        assert!(html.contains("deep"));
    }
}
