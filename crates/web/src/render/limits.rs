//! What is not shown, and says so: what lies beyond a bound, and what is not known.

use std::fmt::Write as _;

use larkspan_html::escape;
use serde_json::Value;

use super::{Renderer, clip};
use crate::words::Language;

/// Deeper JSON is not walked: `serde_json` reads none from text.
const DEEPEST_JSON: usize = 128;
/// How much is shown of the JSON of what is not known, in bytes.
const LONGEST_JSON: usize = 4 << 10;

/// Whether JSON is deeper than any that is read from text, so that walking it might exhaust the stack.
pub(crate) fn is_deep(json: &Value) -> bool {
    fn reaches(json: &Value, levels: usize) -> bool {
        match json {
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
            Value::Array(_) | Value::Object(_) if levels == 0 => true,
            Value::Array(items) => items.iter().any(|item| reaches(item, levels - 1)),
            Value::Object(members) => members.values().any(|value| reaches(value, levels - 1)),
        }
    }
    reaches(json, DEEPEST_JSON)
}

impl Renderer {
    /// All that is said of a card that is too deep.
    pub(super) fn deep(&mut self) {
        let words = self.word("卡片嵌套过深，未显示", "The card is nested too deeply to be shown");
        let _ = write!(
            self.out,
            "<article class=\"card\">\n<div class=\"body\"><p class=\"remark\">{words}</p></div>\n</article>"
        );
    }

    /// Says that the rest of a text is not shown.
    pub(super) fn cut(&mut self) {
        let words = self.word("余下内容未显示", "The rest is not shown");
        let _ = writeln!(self.out, "<p class=\"remark\">{words}</p>");
    }

    /// Says how many components are not shown.
    pub(super) fn more(&mut self, count: usize) {
        let _ = match self.language {
            Language::ZhCn => writeln!(self.out, "<p class=\"remark\">另有 {count} 个组件未显示</p>"),
            Language::En => {
                writeln!(self.out, "<p class=\"remark\">{count} more components are not shown</p>")
            }
        };
    }

    /// What is not known: what it calls itself, and its JSON.
    pub(super) fn strange(&mut self, words: &str, tag: &str, json: &Value) {
        self.open("details", &["unknown"], json);
        let _ = write!(self.out, "<summary>{words}");
        if !tag.is_empty() {
            self.out.push_str(" <code>");
            escape::text(&mut self.out, clip(tag, 64).0);
            self.out.push_str("</code>");
        }
        self.out.push_str("<span class=\"arrow\"></span></summary>\n<pre><code>");
        let pretty = serde_json::to_string_pretty(json).unwrap_or_default();
        let (shown, is_whole) = clip(&pretty, LONGEST_JSON);
        escape::text(&mut self.out, shown);
        self.out.push_str(if is_whole {
            "</code></pre></details>\n"
        } else {
            "…</code></pre></details>\n"
        });
    }
}
