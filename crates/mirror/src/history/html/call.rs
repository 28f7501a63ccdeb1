//! Tool calls: each a fold whose summary is the title, with the status as the colour of its left border.
//!
//! A failed call stands open, and so does one in which a call failed: that is what a reader looks for first. A call
//! that has nothing but its title is no fold.

use std::fmt::Write as _;

use larkspan_core::presentation::{Block, DetailLevel, Locale, Title, detail, title};
use larkspan_core::tool_call::{ToolCallInfo, ToolCallStatus};

use super::{code, escape, prose};

/// Appends a call.
pub(super) fn call(out: &mut String, call: &ToolCallInfo, locale: Locale) {
    entry(out, call, None, &detail(call, DetailLevel::Full, locale), locale);
}

fn entry(out: &mut String, call: &ToolCallInfo, number: Option<usize>, blocks: &[Block], locale: Locale) {
    let class = class(call.status);
    let title = title(call, locale);
    if blocks.is_empty() {
        let _ = write!(out, "<div class=\"call {class}\">");
        headline(out, number, &title);
        out.push_str("</div>\n");
        return;
    }
    let open = if has_failed(call) { " open" } else { "" };
    let _ = write!(out, "<details class=\"call {class}\"{open}><summary>");
    headline(out, number, &title);
    out.push_str("</summary>\n");
    for block in blocks {
        self::block(out, block, &call.children, locale);
    }
    out.push_str("</details>\n");
}

/// The class of a status: what colours its border.
fn class(status: ToolCallStatus) -> &'static str {
    match status {
        ToolCallStatus::Running => "running",
        ToolCallStatus::Completed => "completed",
        ToolCallStatus::Failed => "failed",
        ToolCallStatus::Aborted => "aborted",
        ToolCallStatus::Unknown => "unknown",
    }
}

fn has_failed(call: &ToolCallInfo) -> bool {
    call.went_wrong() || call.children.iter().any(has_failed)
}

/// A title with its metas quiet.
fn headline(out: &mut String, number: Option<usize>, title: &Title) {
    if let Some(number) = number {
        let _ = write!(out, "<span class=\"number\">{number}</span> ");
    }
    let Title { icon, action, target, meta } = title;
    let _ = write!(out, "{icon} {action}");
    if !target.is_empty() {
        out.push(' ');
        prose::line(out, target);
    }
    for meta in meta {
        out.push_str(" <span class=\"meta\">· ");
        prose::line(out, meta);
        out.push_str("</span>");
    }
}

fn block(out: &mut String, block: &Block, children: &[ToolCallInfo], locale: Locale) {
    match block {
        Block::Code { language, body, note } => {
            code::block(out, language, body);
            out.push('\n');
            if let Some(note) = note {
                line(out, "note", note);
            }
        }
        Block::Line(text) => line(out, "line", text),
        Block::Failure(reason) => {
            out.push_str("<p class=\"failure\">");
            escape::text(out, reason);
            out.push_str("</p>\n");
        }
        Block::Heading(text) => {
            out.push_str("<h4>");
            escape::text(out, text);
            out.push_str("</h4>\n");
        }
        Block::Child { number, blocks, .. } => {
            if let Some(child) = number.checked_sub(1).and_then(|at| children.get(at)) {
                entry(out, child, Some(*number), blocks, locale);
            }
        }
    }
}

/// Appends a line of Markdown as a paragraph of this class.
pub(super) fn line(out: &mut String, class: &'static str, markdown: &str) {
    let _ = write!(out, "<p class=\"{class}\">");
    prose::line(out, markdown);
    out.push_str("</p>\n");
}
