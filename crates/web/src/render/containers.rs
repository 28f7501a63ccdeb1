//! Components that hold others: panels, columns, groups, and `div` with its fields.

use larkspan_html::escape;
use serde_json::Value;

use super::{Renderer, palette, str_of};

impl Renderer {
    /// A panel that folds: a `<details>`, open as the card has it.
    pub(super) fn panel(&mut self, panel: &Value) {
        let border = panel.pointer("/border/color").and_then(Value::as_str).and_then(palette::colour);
        self.open("details", &["panel", border.unwrap_or_default()], panel);
        if panel.get("expanded").and_then(Value::as_bool) == Some(true) {
            // Into the tag that has just been written.
            self.out.pop();
            self.out.push_str(" open>");
        }
        let header = panel.get("header").unwrap_or(&Value::Null);
        let place = match str_of(header, "icon_position") {
            "left" => "left",
            "right" => "right",
            _ => "",
        };
        let background = palette::colour(str_of(header, "background_color"));
        self.open("summary", &[background.map_or("", |_| "filled"), place], &Value::Null);
        self.out.push_str("<span class=\"label\">");
        self.line(header.get("title").unwrap_or(&Value::Null));
        self.out.push_str("</span>");
        self.icon(header.get("icon"));
        self.out.push_str("</summary>\n<div class=\"inside\">\n");
        if let Some(elements) = panel.get("elements") {
            self.elements(elements);
        }
        self.out.push_str("</div></details>\n");
    }

    /// An icon of the platform. The arrows of folds are drawn; of any other only its name is known here.
    pub(super) fn icon(&mut self, icon: Option<&Value>) {
        let Some(icon) = icon else { return };
        let token = [str_of(icon, "token"), str_of(icon, "img_key")].concat();
        let is_arrow = ["down", "right", "up", "left"].iter().any(|way| token.starts_with(way));
        if is_arrow {
            self.out.push_str("<span class=\"arrow\"></span>");
        } else if !token.is_empty() {
            self.out.push_str("<span class=\"icon\" title=\"");
            escape::plain(&mut self.out, super::clip(&token, 64).0);
            self.out.push_str("\">◆</span>");
        }
    }

    pub(super) fn column_set(&mut self, set: &Value) {
        let mode = match str_of(set, "flex_mode") {
            "flow" => "flow",
            "stretch" => "stretch",
            "bisect" => "bisect",
            "trisect" => "trisect",
            _ => "",
        };
        self.open("div", &["columns", mode, palette::align(set, "horizontal_align")], set);
        self.out.push('\n');
        match set.get("columns") {
            Some(columns) => self.elements(columns),
            None => self.more(0),
        }
        self.out.push_str("</div>\n");
    }

    pub(super) fn column(&mut self, column: &Value) {
        let is_weighted = str_of(column, "width") == "weighted";
        let weight = match column.get("weight").and_then(Value::as_u64) {
            _ if !is_weighted => "",
            Some(2) => "weight-2",
            Some(3) => "weight-3",
            Some(4) => "weight-4",
            Some(5..) => "weight-5",
            Some(0 | 1) | None => "weight-1",
        };
        self.group_of("column", weight, column);
    }

    /// A box around components.
    pub(super) fn group(&mut self, class: &str, group: &Value) {
        self.has_controls = true;
        self.group_of(class, "", group);
    }

    fn group_of(&mut self, class: &str, more: &str, group: &Value) {
        self.open("div", &[class, more], group);
        self.out.push('\n');
        if let Some(elements) = group.get("elements") {
            self.elements(elements);
        }
        self.out.push_str("</div>\n");
    }

    /// A text with an icon, and fields beside each other.
    pub(super) fn div(&mut self, div: &Value) {
        self.open("div", &["div"], div);
        self.icon(div.get("icon"));
        if let Some(text) = div.get("text") {
            self.field(text);
        }
        let fields = div.get("fields").and_then(Value::as_array);
        if let Some(fields) = fields.filter(|fields| !fields.is_empty()) {
            self.out.push_str("<div class=\"columns bisect\">\n");
            let shown = fields.len().min(self.left);
            for field in fields.iter().take(shown) {
                self.left -= 1;
                self.out.push_str("<div class=\"column\">");
                self.field(field.get("text").unwrap_or(&Value::Null));
                self.out.push_str("</div>\n");
            }
            if shown < fields.len() {
                self.more(fields.len() - shown);
            }
            self.out.push_str("</div>\n");
        }
        self.out.push_str("</div>\n");
    }

    fn field(&mut self, text: &Value) {
        if matches!(str_of(text, "tag"), "lark_md" | "markdown") {
            self.open("div", &["md", palette::size(text)], &Value::Null);
            self.markdown(str_of(text, "content"));
            self.out.push_str("</div>\n");
        } else {
            self.plain_text(text, &Value::Null);
        }
    }
}
