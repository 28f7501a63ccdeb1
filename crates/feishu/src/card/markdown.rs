//! Outbound Markdown: a text as the platform shows it truly. The only place that knows the platform's dialect.
//!
//! Guarantees, for any text
//! - Fences are balanced and stand at column 0; what is in them is the text's, byte for byte.
//! - A body that the platform would spoil (`${`, three backticks) is a block indented by four spaces instead.
//! - Prose is [`inline`]'s; headings are demoted, nested lists indented by four, tables limited.

use super::Masking;
use super::fence::{Fence, PLAIN_TEXT};
use super::inline::{closing, inline};
use super::mask::{self, Domains};

/// A text on its way out.
struct Writer<'a> {
    out: String,
    masking: Masking,
    /// How many tables may still be shown as such.
    tables: &'a mut usize,
    /// How far the items of the lists are indented that are open here.
    lists: Vec<usize>,
}

/// The text as the platform wants it. `tables`: how many may still be shown as such.
pub(super) fn outbound(text: &str, masking: Masking, tables: &mut usize) -> String {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    let mut writer =
        Writer { out: String::with_capacity(text.len() + 64), masking, tables, lists: Vec::new() };
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        let rest = &lines[at..];
        at += if let Some(fence) = Fence::open(line, !writer.lists.is_empty()) {
            writer.fenced(&fence, rest)
        } else if is_indented(line) && writer.lists.is_empty() && writer.is_after_blank() {
            writer.indented(rest)
        } else if is_table(rest) {
            writer.table(rest)
        } else {
            writer.prose(rest)
        };
    }
    let kept = writer.out.trim_end_matches('\n').len();
    writer.out.truncate(kept);
    writer.out
}

/// One line, such as a title.
pub(super) fn outbound_line(text: &str, masking: Masking) -> String {
    inline(&text.replace(['\r', '\n'], " "), masking)
}

fn is_indented(line: &str) -> bool {
    !line.trim().is_empty() && (line.starts_with("    ") || line.starts_with('\t'))
}

impl Writer<'_> {
    fn is_after_blank(&self) -> bool {
        self.out.is_empty() || self.out.ends_with("\n\n")
    }

    /// A blank line, unless there is one.
    fn blank(&mut self) {
        while !self.is_after_blank() {
            self.out.push('\n');
        }
    }

    fn fenced(&mut self, fence: &Fence<'_>, lines: &[&str]) -> usize {
        let inside = lines.iter().skip(1).take_while(|line| !fence.is_closed_by(line)).count();
        let dedented = lines[1..=inside].iter().map(|line| {
            let spaces = line.len() - line.trim_start_matches(' ').len();
            &line[spaces.min(fence.indent)..]
        });
        let body: Vec<&str> = dedented.collect();
        self.code(fence.language(), &body);
        // The closing line too, where there is one.
        (inside + 2).min(lines.len())
    }

    fn indented(&mut self, lines: &[&str]) -> usize {
        let all = lines.iter().take_while(|line| is_indented(line) || line.trim().is_empty()).count();
        let count = lines[..all].iter().rposition(|line| is_indented(line)).map_or(all, |last| last + 1);
        let body: Vec<&str> = lines[..count]
            .iter()
            .map(|line| {
                line.strip_prefix("    ").or_else(|| line.strip_prefix('\t')).unwrap_or(line.trim_start())
            })
            .collect();
        self.indented_code(&body);
        count
    }

    fn code(&mut self, language: &str, body: &[&str]) {
        let is_spoiled = body.iter().any(|line| line.contains("${") || line.contains("```"));
        if is_spoiled {
            return self.indented_code(body);
        }
        self.blank();
        self.out.push_str("```");
        self.out.push_str(language);
        self.out.push('\n');
        for line in body {
            self.raw(line);
        }
        self.out.push_str("```\n\n");
    }

    /// Four spaces before each line, blank lines around.
    fn indented_code(&mut self, body: &[&str]) {
        self.blank();
        if !std::mem::take(&mut self.lists).is_empty() {
            // Below a list four spaces are part of the list: something that is neither ends it.
            self.out.push_str("&#160;\n\n");
        }
        // Blank lines at the beginning cannot be part of such a block.
        let head = body.iter().take_while(|line| line.trim().is_empty()).count();
        for line in &body[..head] {
            self.raw(line);
        }
        for line in &body[head..] {
            self.out.push_str("    ");
            self.raw(line);
        }
        self.out.push('\n');
    }

    fn raw(&mut self, line: &str) {
        match self.masking {
            Masking::Usual => self.out.push_str(line),
            Masking::Audit => self.out.push_str(&mask::phones(&mask::emails(line, Domains::Any))),
        }
        self.out.push('\n');
    }

    fn table(&mut self, lines: &[&str]) -> usize {
        let count = lines.iter().take_while(|line| line.contains('|')).count().max(2);
        let rows = &lines[..count];
        // A row of dashes further down would be one more table.
        let is_plain = !rows[2..].iter().any(|row| is_delimiter(row));
        self.lists.clear();
        self.blank();
        if is_plain && *self.tables > 0 {
            *self.tables -= 1;
            for row in rows {
                self.out.push_str(&inline(row.trim(), self.masking));
                self.out.push('\n');
            }
            self.out.push('\n');
        } else {
            self.code(PLAIN_TEXT, rows);
        }
        count
    }

    fn prose(&mut self, lines: &[&str]) -> usize {
        let line = lines[0];
        let text = line.trim();
        if text.is_empty() {
            self.blank();
            return 1;
        }
        let indent = line.len() - line.trim_start().len();
        if let Some((level, title)) = heading(text) {
            self.lists.clear();
            return self.heading(level, title, 1);
        }
        // A line below text that would make it a heading.
        let underline = lines.get(1).map(|line| line.trim()).unwrap_or_default();
        let underlined = match underline.chars().next() {
            Some('=') if underline.chars().all(|c| c == '=') => Some(1),
            Some('-') if underline.len() >= 2 && underline.chars().all(|c| c == '-') => Some(2),
            _ => None,
        };
        if let Some(level) = underlined.filter(|_| marker(text).is_none() && !is_rule(text)) {
            self.lists.clear();
            return self.heading(level, text, 2);
        }
        if let Some(length) = marker(text).filter(|_| !is_rule(text)) {
            while self.lists.last().is_some_and(|open| *open > indent) {
                self.lists.pop();
            }
            if self.lists.last().is_none_or(|open| *open < indent) {
                self.lists.push(indent);
            }
            let level = self.lists.len().saturating_sub(1);
            self.out.push_str(&"    ".repeat(level));
            self.out.push_str(&text[..length]);
            self.text(&text[length..]);
            return 1;
        }
        if indent == 0 && self.is_after_blank() {
            self.lists.clear();
        }
        if indent > 0 {
            self.out.push_str(&"    ".repeat(self.lists.len()));
        }
        self.text(text);
        1
    }

    fn heading(&mut self, level: usize, title: &str, lines: usize) -> usize {
        self.out.push_str(if level == 1 { "#### " } else { "##### " });
        self.text(title);
        lines
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(&inline(text, self.masking));
        self.out.push('\n');
    }
}

/// The level and the text of a heading.
fn heading(text: &str) -> Option<(usize, &str)> {
    let title = text.trim_start_matches('#');
    let level = text.len() - title.len();
    let is_heading = (1..=6).contains(&level) && title.starts_with([' ', '\t']) && !title.trim().is_empty();
    is_heading.then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

/// The length of a list's marker with the space behind it.
pub(super) fn marker(text: &str) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let sign = if digits == 0 {
        text.starts_with(['-', '*', '+'])
    } else {
        digits <= 9 && text[digits..].starts_with(['.', ')'])
    };
    (sign && text[digits + 1..].starts_with(' ')).then_some(digits + 2)
}

/// A line across.
fn is_rule(text: &str) -> bool {
    let marks: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
    let first = marks.first().copied().unwrap_or_default();
    marks.len() >= 3 && matches!(first, '-' | '*' | '_') && marks.iter().all(|c| *c == first)
}

/// The cells of a row, counted as the platform may count them: inline code is one cell or is not.
fn cells(row: &str) -> Option<(usize, usize)> {
    let count = |row: &str| {
        let row = row.trim();
        let row = row.strip_prefix('|').unwrap_or(row);
        row.strip_suffix('|').unwrap_or(row).split('|').count()
    };
    row.contains('|').then(|| (count(row), count(&without_code(row))))
}

fn without_code(row: &str) -> String {
    let mut out = String::new();
    let mut rest = row;
    while let Some(start) = rest.find('`') {
        let (before, from) = rest.split_at(start);
        let run = from.len() - from.trim_start_matches('`').len();
        out.push_str(before);
        rest = closing(&from[run..], run).map_or(&from[run..], |end| &from[run + end..]);
    }
    out + rest
}

fn is_delimiter(row: &str) -> bool {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    row.split('|').all(|cell| {
        let dashes = cell.trim().trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.chars().all(|c| c == '-')
    })
}

fn is_table(lines: &[&str]) -> bool {
    let [head, delimiter, ..] = lines else { return false };
    let (Some((raw, plain)), Some((count, _))) = (cells(head), cells(delimiter)) else { return false };
    (raw == count || plain == count) && is_delimiter(delimiter)
}

#[cfg(test)]
mod tests;
