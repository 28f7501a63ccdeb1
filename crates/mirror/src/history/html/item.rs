//! What happened in a turn besides its calls: messages, thoughts, plans, goals, notices.

use std::fmt::Write as _;

use larkspan_core::presentation::{Locale, notice_line, plan_lines};
use larkspan_core::redaction::redact;
use larkspan_core::text::{clip, collapse_whitespace, line_count};
use larkspan_core::transcript::{Goal, Message, NoticeKind, Phase, Reasoning, Role};
use larkspan_core::turn::{ItemContent, Section, TurnItem};

use super::call::{self, line};
use super::{escape, prose, word};

/// A user's message with more code points is folded under its beginning, as on a card.
const LONG: usize = 1600;
/// So is one with more lines.
const LONG_LINES: usize = 24;
/// How much of a folded text stands in its summary, in code points.
const BEGINNING: usize = 240;
/// How much of a thought stands in its summary, in code points.
const GLIMPSE: usize = 120;

/// Appends a section of a turn.
pub(super) fn section(out: &mut String, section: &Section<'_>, locale: Locale) {
    match section {
        Section::Item(item) => self::item(out, item, locale),
        Section::Tools(calls) => {
            let failed = calls.iter().filter(|call| call.went_wrong()).count();
            let name = word(locale, "工具调用", "Tool calls");
            let _ = write!(out, "<details class=\"tools\" open><summary><h3>{name} · {}</h3>", calls.len());
            if failed > 0 {
                let _ = match locale {
                    Locale::ZhCn => write!(out, " <span class=\"count\">{failed} 个失败</span>"),
                    Locale::En => write!(out, " <span class=\"count\">{failed} failed</span>"),
                };
            }
            out.push_str("</summary>\n");
            for call in calls {
                call::call(out, call, locale);
            }
            out.push_str("</details>\n");
        }
    }
}

/// Appends an item.
pub(super) fn item(out: &mut String, item: &TurnItem, locale: Locale) {
    match &item.content {
        ItemContent::Message(message) => self::message(out, message, locale),
        ItemContent::Reasoning(reasoning) => self::reasoning(out, reasoning, locale),
        ItemContent::Plan(items) => {
            let _ = writeln!(out, "<div class=\"plan\"><h3>{}</h3>\n<ul>", word(locale, "计划", "Plan"));
            for line in plan_lines(items) {
                out.push_str("<li>");
                prose::line(out, &line);
                out.push_str("</li>\n");
            }
            out.push_str("</ul></div>\n");
        }
        ItemContent::Goal(goal) => self::goal(out, goal, locale),
        ItemContent::Notice(notice) => {
            let class = match notice.kind {
                NoticeKind::Error => "notice error",
                NoticeKind::Warning => "notice warning",
                NoticeKind::Compaction
                | NoticeKind::Fork
                | NoticeKind::Agents
                | NoticeKind::Log
                | NoticeKind::Info => "notice",
            };
            line(out, class, &notice_line(notice, locale));
        }
        ItemContent::ToolCall(call) => call::call(out, call, locale),
    }
}

fn message(out: &mut String, message: &Message, locale: Locale) {
    let text = redact(message.text.trim());
    match (message.role, message.phase) {
        (Role::User, _) => {
            let _ = writeln!(out, "<div class=\"user\"><h3>{}</h3>", word(locale, "用户", "User"));
            self::user_text(out, &text, locale);
            out.push_str("</div>\n");
            return;
        }
        (Role::Agent, Some(Phase::Commentary)) => out.push_str("<div class=\"agent commentary\">\n"),
        (Role::Agent, Some(Phase::Final)) => {
            let _ = writeln!(out, "<div class=\"agent answer\"><h3>{}</h3>", word(locale, "回答", "Answer"));
        }
        (Role::Agent, None) => out.push_str("<div class=\"agent\">\n"),
    }
    out.push_str("<div class=\"prose\">\n");
    prose::document(out, &text);
    out.push_str("</div></div>\n");
}

/// A person's words stand as they were typed: they may be Markdown, but nobody has promised it.
fn user_text(out: &mut String, text: &str, locale: Locale) {
    let length = text.chars().count();
    let is_long = length > LONG || line_count(text) > LONG_LINES;
    if is_long {
        out.push_str("<details class=\"long\"><summary><span class=\"beginning\">");
        escape::text(out, &clip(text, BEGINNING));
        let _ = match locale {
            Locale::ZhCn => write!(out, "</span><span class=\"more\">全文 · {length} 字符</span></summary>"),
            Locale::En => {
                write!(out, "</span><span class=\"more\">whole text · {length} characters</span></summary>")
            }
        };
    }
    out.push_str("<div class=\"typed\">");
    prose::linked_text(out, text);
    out.push_str("</div>\n");
    if is_long {
        out.push_str("</details>\n");
    }
}

fn reasoning(out: &mut String, reasoning: &Reasoning, locale: Locale) {
    let text = redact(reasoning.text.trim());
    if text.is_empty() {
        return;
    }
    let _ = write!(out, "<details class=\"reasoning\"><summary>💭 {}", word(locale, "思考", "Reasoning"));
    out.push_str(" <span class=\"glimpse\">");
    // A glimpse is no Markdown: its marks would be cut in two.
    let glimpse = text.replace(['*', '`', '#'], "");
    escape::text(out, &clip(&collapse_whitespace(&glimpse), GLIMPSE));
    out.push_str("</span></summary>\n<div class=\"prose\">\n");
    prose::document(out, &text);
    out.push_str("</div></details>\n");
}

fn goal(out: &mut String, goal: &Goal, locale: Locale) {
    let _ = write!(out, "<p class=\"notice\">🎯 {} ", word(locale, "目标", "Goal"));
    escape::text(out, &redact(goal.objective.trim()));
    if let Some(status) = &goal.status {
        out.push_str(" · ");
        escape::text(out, &redact(status));
    }
    out.push_str("</p>\n");
}
