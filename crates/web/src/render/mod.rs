//! Card JSON as HTML.
//!
//! Invariants
//! - Pure: the same JSON gives the same fragment.
//! - Nothing of a card is markup: text is escaped, Markdown goes through [`larkspan_html`], names become classes by a
//!   table, and whatever else stands in a card does not come out.
//! - Nothing is dropped in silence: a component that is not known stands there as such, with its JSON.
//! - What a card can hold is bounded: components, depth, the length of a text, rows of a table. What lies beyond is
//!   counted where it would stand. No card, however deep, exhausts the stack.
//! - Nothing answers here, so everything that can be pressed is disabled.
//!
//! A component with an `element_id` has it as `data-id`: by that the page knows it again.

mod containers;
mod controls;
mod data;
mod limits;
mod markdown;
mod palette;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use larkspan_html::escape;
use serde_json::Value;

use crate::words::Language;

pub(crate) use limits::is_deep;

/// More components are not shown: the platform takes 200.
const MOST_ELEMENTS: usize = 1000;
/// Deeper components are not shown: the platform takes 5 levels.
const DEEPEST: usize = 16;
/// The rest of a longer text is not shown, in bytes: the platform takes 100 000 characters.
const LONGEST_TEXT: usize = 400_000;
/// Once so much has been written, in bytes, the card ends.
const LONGEST_CARD: usize = 4 << 20;
/// A header shows so many tags.
const HEADER_TAGS: usize = 3;

/// A card as an HTML fragment: one `<article>`. `card` is card JSON 2.0; anything else is shown as what it is.
pub fn render(card: &Value, language: Language) -> String {
    let mut renderer = Renderer {
        out: String::with_capacity(4096),
        language,
        left: MOST_ELEMENTS,
        depth: 0,
        has_controls: false,
    };
    if is_deep(card) {
        renderer.deep();
    } else {
        renderer.card(card);
    }
    renderer.out
}

struct Renderer {
    out: String,
    language: Language,
    /// How many more components may be written.
    left: usize,
    depth: usize,
    /// Whether something stands here that a person could press or fill in on Feishu.
    has_controls: bool,
}

impl Renderer {
    fn word(&self, zh: &'static str, en: &'static str) -> &'static str {
        self.language.pick(zh, en)
    }

    fn card(&mut self, card: &Value) {
        let is_streaming = card.pointer("/config/streaming_mode").and_then(Value::as_bool) == Some(true);
        self.out.push_str(if is_streaming {
            "<article class=\"card streaming\">\n"
        } else {
            "<article class=\"card\">\n"
        });
        if let Some(header) = card.get("header") {
            self.header(header);
        }
        self.out.push_str("<div class=\"body\">\n");
        match card.pointer("/body/elements") {
            Some(elements) => self.elements(elements),
            None if card.get("body").is_some_and(Value::is_object) => {}
            None => {
                let words = self.word("这不是 2.0 版卡片", "No card of version 2.0");
                self.strange(words, "", card);
            }
        }
        self.out.push_str("</div>\n");
        self.foot(card.pointer("/config/summary/content").and_then(Value::as_str), is_streaming);
        self.out.push_str("</article>");
    }

    fn header(&mut self, header: &Value) {
        let colour = palette::colour(str_of(header, "template")).unwrap_or("c-plain");
        let _ = write!(self.out, "<header class=\"head {colour}\">\n<div class=\"titles\">");
        for (key, element) in [("title", "h3"), ("subtitle", "p")] {
            if let Some(text) = header.get(key).filter(|text| !str_of(text, "content").is_empty()) {
                let _ = write!(self.out, "<{element} class=\"{key}\">");
                self.line(text);
                let _ = write!(self.out, "</{element}>");
            }
        }
        self.out.push_str("</div>\n");
        if let Some(tags) = header.get("text_tag_list").and_then(Value::as_array) {
            self.out.push_str("<div class=\"tags\">");
            for tag in tags.iter().take(HEADER_TAGS) {
                self.text_tag(tag);
            }
            self.out.push_str("</div>\n");
        }
        self.out.push_str("</header>\n");
    }

    /// What the list of chats shows of the card, and whether the card still grows.
    fn foot(&mut self, summary: Option<&str>, is_streaming: bool) {
        let generating = self.word("[生成中...]", "[Generating...]");
        let summary = summary.filter(|summary| !summary.is_empty()).or(is_streaming.then_some(generating));
        if summary.is_none() && !self.has_controls {
            return;
        }
        self.out.push_str("<footer class=\"foot\">");
        if let Some(summary) = summary {
            let shows = self.word("会话列表预览", "In the list of chats");
            self.out.push_str("<span class=\"summary\">");
            if is_streaming {
                self.out.push_str("<span class=\"pulse\"></span>");
            }
            let _ = write!(self.out, "<span class=\"lead\">{shows}</span> ");
            self.text(summary);
            self.out.push_str("</span>");
        }
        if self.has_controls {
            let words = self.word("按钮和表单仅在飞书中有效", "Buttons and forms answer only in Feishu");
            let _ = write!(self.out, "<span class=\"remark\">{words}</span>");
        }
        self.out.push_str("</footer>\n");
    }

    /// The components of a container.
    fn elements(&mut self, elements: &Value) {
        let Some(elements) = elements.as_array() else {
            let words = self.word("不是组件列表", "No list of components");
            self.strange(words, "", elements);
            return;
        };
        if self.depth >= DEEPEST && !elements.is_empty() {
            self.more(elements.len());
            return;
        }
        self.depth += 1;
        for (at, element) in elements.iter().enumerate() {
            if self.left == 0 || self.out.len() >= LONGEST_CARD {
                self.more(elements.len() - at);
                break;
            }
            self.left -= 1;
            self.element(element);
        }
        self.depth -= 1;
    }

    fn element(&mut self, element: &Value) {
        match str_of(element, "tag") {
            "markdown" | "lark_md" => {
                let classes = ["md", palette::size(element), palette::align(element, "text_align")];
                self.open("div", &classes, element);
                self.icon(element.get("icon"));
                self.markdown(str_of(element, "content"));
                self.out.push_str("</div>\n");
            }
            "plain_text" => self.plain_text(element, element),
            "div" => self.div(element),
            "hr" => {
                self.open("hr", &[], element);
                self.out.push('\n');
            }
            "text_tag" => self.text_tag(element),
            "collapsible_panel" => self.panel(element),
            "column_set" => self.column_set(element),
            "column" => self.column(element),
            "interactive_container" => self.group("box", element),
            "form" => self.group("form", element),
            "img" => self.image(element),
            "img_combination" => self.images(element),
            "table" => self.table(element),
            "person" => self.people(element, &[str_of(element, "user_id")]),
            "person_list" => {
                let people = element.get("persons").and_then(Value::as_array);
                let ids: Vec<&str> =
                    people.into_iter().flatten().map(|person| str_of(person, "id")).collect();
                self.people(element, &ids);
            }
            tag => {
                if !self.control(tag, element) {
                    let words = self.word("未知组件", "Unknown component");
                    self.strange(words, tag, element);
                }
            }
        }
    }

    /// Opens an element with these classes and the component's id.
    fn open(&mut self, element: &str, classes: &[&str], component: &Value) {
        let _ = write!(self.out, "<{element}");
        let mut classes = classes.iter().filter(|class| !class.is_empty());
        if let Some(first) = classes.next() {
            let _ = write!(self.out, " class=\"{first}");
            for class in classes {
                let _ = write!(self.out, " {class}");
            }
            self.out.push('"');
        }
        let id = str_of(component, "element_id");
        if !id.is_empty() {
            self.out.push_str(" data-id=\"");
            escape::plain(&mut self.out, clip(id, 64).0);
            self.out.push('"');
        }
        self.out.push('>');
    }

    fn markdown(&mut self, source: &str) {
        let (shown, is_whole) = clip(source, LONGEST_TEXT);
        markdown::document(&mut self.out, shown);
        if !is_whole {
            self.cut();
        }
    }

    fn text(&mut self, text: &str) {
        let (shown, is_whole) = clip(text, LONGEST_TEXT);
        escape::text(&mut self.out, shown);
        if !is_whole {
            self.out.push('…');
        }
    }

    /// A text object within a line: plain, or Markdown.
    fn line(&mut self, text: &Value) {
        match str_of(text, "tag") {
            "markdown" | "lark_md" => {
                let (shown, _) = clip(str_of(text, "content"), LONGEST_TEXT);
                markdown::line(&mut self.out, shown);
            }
            _ => self.text(text.as_str().unwrap_or_else(|| str_of(text, "content"))),
        }
    }

    fn plain_text(&mut self, text: &Value, component: &Value) {
        let classes = ["text", palette::size(text), palette::align(text, "text_align")];
        self.open("div", &classes, component);
        self.text(str_of(text, "content"));
        self.out.push_str("</div>\n");
    }

    fn text_tag(&mut self, tag: &Value) {
        let colour = palette::colour(str_of(tag, "color")).unwrap_or("c-grey");
        self.open("span", &["tag", colour], tag);
        self.line(tag.get("text").unwrap_or(&Value::Null));
        self.out.push_str("</span>");
    }
}

/// A member that is text, or nothing.
fn str_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The beginning of a text up to so many bytes, and whether that is all of it.
fn clip(text: &str, longest: usize) -> (&str, bool) {
    let end = text.floor_char_boundary(longest);
    (text.get(..end).unwrap_or_default(), end == text.len())
}
