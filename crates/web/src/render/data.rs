//! Components that show data: images, people, tables.

use std::fmt::Write as _;

use larkspan_html::escape;
use serde_json::Value;

use super::{Renderer, clip, markdown, palette, str_of};

/// More rows of a table are not shown. The platform shows them in pages.
const MOST_ROWS: usize = 200;
/// More columns of a table are not shown: the platform takes 50.
const MOST_COLUMNS: usize = 50;
/// More images or people in one component are not shown.
const MOST_PARTS: usize = 50;

impl Renderer {
    /// An image is not at hand: its words and its key in place of it.
    pub(super) fn image(&mut self, image: &Value) {
        self.open("div", &["picture"], image);
        self.picture(image);
        self.out.push_str("</div>\n");
    }

    pub(super) fn images(&mut self, combination: &Value) {
        self.open("div", &["columns", "flow"], combination);
        let list = combination.get("img_list").and_then(Value::as_array);
        for image in list.into_iter().flatten().take(MOST_PARTS) {
            self.out.push_str("<div class=\"picture\">");
            self.picture(image);
            self.out.push_str("</div>");
        }
        self.out.push_str("</div>\n");
    }

    fn picture(&mut self, image: &Value) {
        self.out.push_str("<span class=\"frame\">🖼</span> ");
        let words = image.get("alt").or_else(|| image.get("title"));
        if let Some(words) = words.filter(|words| !str_of(words, "content").is_empty()) {
            self.line(words);
            self.out.push(' ');
        }
        self.out.push_str("<code>");
        escape::text(&mut self.out, clip(str_of(image, "img_key"), 128).0);
        self.out.push_str("</code>");
    }

    pub(super) fn people(&mut self, component: &Value, ids: &[&str]) {
        self.open("div", &["people"], component);
        for id in ids.iter().take(MOST_PARTS) {
            self.out.push_str("<span class=\"mention\">@");
            escape::text(&mut self.out, clip(id, 64).0);
            self.out.push_str("</span> ");
        }
        self.out.push_str("</div>\n");
    }

    pub(super) fn table(&mut self, table: &Value) {
        let array = |key: &str| table.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let columns = array("columns");
        let columns = columns.get(..columns.len().min(MOST_COLUMNS)).unwrap_or_default();
        let rows = array("rows");
        self.open("div", &["scroll"], table);
        self.out.push_str("<table>\n<thead><tr>");
        for column in columns {
            self.out.push_str("<th>");
            let name = str_of(column, "display_name");
            self.text(if name.is_empty() { str_of(column, "name") } else { name });
            self.out.push_str("</th>");
        }
        self.out.push_str("</tr></thead>\n");
        let mut shown = 0;
        for row in rows.iter().take(MOST_ROWS) {
            if self.out.len() >= super::LONGEST_CARD {
                break;
            }
            shown += 1;
            self.out.push_str("<tr>");
            for column in columns {
                // Many columns may name the same member.
                if self.out.len() >= super::LONGEST_CARD {
                    self.out.push_str("<td class=\"remark\">…</td>");
                    break;
                }
                let is_number = str_of(column, "data_type") == "number";
                let align = palette::align(column, "horizontal_align");
                let align = if is_number && align.is_empty() { "right" } else { align };
                let _ = write!(self.out, "<td class=\"{align}\">");
                self.cell(str_of(column, "data_type"), row.get(str_of(column, "name")));
                self.out.push_str("</td>");
            }
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</table>");
        if shown < rows.len() {
            let _ = write!(self.out, "<p class=\"remark\">+{}</p>", rows.len() - shown);
        }
        self.out.push_str("</div>\n");
    }

    fn cell(&mut self, kind: &str, value: Option<&Value>) {
        match value {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if matches!(kind, "lark_md" | "markdown") => {
                markdown::line(&mut self.out, clip(text, super::LONGEST_TEXT).0);
            }
            Some(Value::String(text)) => self.text(text),
            Some(Value::Bool(value)) => self.text(if *value { "true" } else { "false" }),
            Some(Value::Number(number)) => self.text(&number.to_string()),
            Some(Value::Array(parts)) => {
                for part in parts.iter().take(MOST_PARTS) {
                    let text = part.as_str().unwrap_or_else(|| str_of(part, "text"));
                    let colour = palette::colour(str_of(part, "color")).unwrap_or("c-grey");
                    let _ = write!(self.out, "<span class=\"tag {colour}\">");
                    self.text(text);
                    self.out.push_str("</span> ");
                }
            }
            Some(other @ Value::Object(_)) => self.text(&other.to_string()),
        }
    }
}
