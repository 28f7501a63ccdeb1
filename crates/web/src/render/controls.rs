//! What a person could press or fill in on Feishu: shown with its words, and disabled.

use std::fmt::Write as _;

use larkspan_html::escape;
use serde_json::Value;

use super::{Renderer, clip, str_of};

/// More options of a menu are not shown.
const MOST_OPTIONS: usize = 100;

impl Renderer {
    /// Writes a control. False if the component is none.
    pub(super) fn control(&mut self, tag: &str, control: &Value) -> bool {
        match tag {
            "button" => self.button(control),
            "select_static"
            | "multi_select_static"
            | "select_person"
            | "multi_select_person"
            | "select_img" => {
                self.menu(control);
            }
            "overflow" => self.options(control, "···"),
            "input" => self.input("text", control),
            "date_picker" => self.input("date", control),
            "picker_time" => self.input("time", control),
            "picker_datetime" => self.input("datetime", control),
            "checker" => self.checker(control),
            _ => return false,
        }
        self.has_controls = true;
        true
    }

    fn button(&mut self, button: &Value) {
        let kind = match str_of(button, "type") {
            "primary" => "primary",
            "danger" => "danger",
            "primary_filled" | "laser" => "primary filled",
            "danger_filled" => "danger filled",
            "text" => "bare",
            "primary_text" => "bare primary",
            "danger_text" => "bare danger",
            _ => "",
        };
        self.open("button", &["button", kind], button);
        self.disable();
        self.icon(button.get("icon"));
        self.line(button.get("text").unwrap_or(&Value::Null));
        self.out.push_str("</button>\n");
    }

    /// Into the tag that has just been written.
    fn disable(&mut self) {
        self.out.pop();
        self.out.push_str(" disabled>");
    }

    fn menu(&mut self, menu: &Value) {
        let initial = str_of(menu, "initial_option");
        let options = menu.get("options").and_then(Value::as_array);
        let chosen = options
            .into_iter()
            .flatten()
            .find(|option| !initial.is_empty() && str_of(option, "value") == initial)
            .and_then(|option| option.pointer("/text/content"))
            .or_else(|| menu.pointer("/placeholder/content"))
            .and_then(Value::as_str);
        let words = chosen.unwrap_or_else(|| self.word("请选择", "Choose")).to_owned();
        self.options(menu, &words);
    }

    /// A menu as a fold: its options can be read, not chosen.
    fn options(&mut self, menu: &Value, words: &str) {
        self.open("details", &["menu"], menu);
        self.out.push_str("<summary><span class=\"label\">");
        self.text(words);
        self.out.push_str("</span><span class=\"arrow\"></span></summary>\n<ul>");
        let options = menu.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for option in options.iter().take(MOST_OPTIONS) {
            self.out.push_str("<li>");
            match option.get("text") {
                Some(text) => self.line(text),
                None => self.text(str_of(option, "value")),
            }
            self.out.push_str("</li>");
        }
        if let Some(more) = options.len().checked_sub(MOST_OPTIONS).filter(|more| *more > 0) {
            let _ = write!(self.out, "<li class=\"remark\">+{more}</li>");
        }
        self.out.push_str("</ul></details>\n");
    }

    fn input(&mut self, kind: &str, input: &Value) {
        self.open("div", &["field", kind], input);
        if let Some(label) = input.get("label") {
            self.out.push_str("<span class=\"name\">");
            self.line(label);
            self.out.push_str("</span>");
        }
        let value = ["default_value", "initial_date", "initial_time", "initial_datetime"]
            .map(|key| str_of(input, key))
            .concat();
        let is_required = input.get("required").and_then(Value::as_bool) == Some(true);
        self.out.push_str("<span class=\"slot\">");
        if value.is_empty() {
            self.out.push_str("<span class=\"placeholder\">");
            match input.get("placeholder") {
                Some(placeholder) => self.line(placeholder),
                None => escape::text(&mut self.out, clip(str_of(input, "name"), 64).0),
            }
            self.out.push_str("</span>");
        } else {
            self.text(&value);
        }
        self.out.push_str(if is_required { "<span class=\"required\">*</span></span>" } else { "</span>" });
        self.out.push_str("</div>\n");
    }

    fn checker(&mut self, checker: &Value) {
        let is_checked = checker.get("checked").and_then(Value::as_bool) == Some(true);
        self.open("div", &["checker"], checker);
        let _ = write!(self.out, "<span class=\"task\">{}</span> ", if is_checked { "☑" } else { "☐" });
        self.line(checker.get("text").unwrap_or(&Value::Null));
        self.out.push_str("</div>\n");
    }
}
