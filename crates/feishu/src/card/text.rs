//! What a turn's items say, as Markdown before it goes out. Pieces of it are told by byte offsets.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use larkspan_core::markdown::blocks_markdown;
use larkspan_core::presentation::{Block, DetailLevel, Locale, detail, notice_line, plan_lines};
use larkspan_core::redaction::redact;
use larkspan_core::tool_call::ToolCallInfo;
use larkspan_core::transcript::{NoticeKind, Role};
use larkspan_core::turn::{ItemContent, Turn};

use super::status::is_reason_of_end;
use super::words;

/// Code points of a user's text from which on it is folded, and how many of them stay in sight.
const FOLDED: usize = 800;
const IN_SIGHT: usize = 240;

/// How an item is shown.
pub(super) enum Body<'a> {
    /// As text.
    Text {
        source: Cow<'a, str>,
        /// From where on it is folded.
        folded_from: Option<usize>,
        size: Size,
    },
    /// As a panel of its own within a group.
    Call(&'a Arc<ToolCallInfo>),
}

/// The size of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Usual,
    Small,
}

/// Whether there is anything to show of an item.
pub(super) fn is_shown(turn: &Turn, content: &ItemContent) -> bool {
    match content {
        ItemContent::Message(message) => !message.text.trim().is_empty(),
        ItemContent::Reasoning(reasoning) => !reasoning.text.trim().is_empty(),
        ItemContent::Plan(items) => !items.is_empty(),
        // The status line says it at the end.
        ItemContent::Notice(notice) => {
            notice.kind != NoticeKind::Error || !is_reason_of_end(turn, &notice.text)
        }
        ItemContent::ToolCall(_) | ItemContent::Goal(_) => true,
    }
}

/// What an item says.
pub(super) fn body(content: &ItemContent, locale: Locale) -> Body<'_> {
    let (source, size) = match content {
        ItemContent::ToolCall(call) => return Body::Call(call),
        ItemContent::Message(message) => {
            let text = redact(message.text.trim());
            match message.role {
                Role::Agent => (text, Size::Usual),
                Role::User => {
                    let label = words::user(locale);
                    let is_long = text.chars().count() > FOLDED;
                    let folded_from = is_long.then(|| label.len() + in_sight(&text));
                    return Body::Text { source: Cow::Owned(label + &text), folded_from, size: Size::Usual };
                }
            }
        }
        ItemContent::Reasoning(reasoning) => {
            (Cow::Owned(format!("💭 {}", redact(reasoning.text.trim()))), Size::Small)
        }
        ItemContent::Plan(items) => {
            let lines: Vec<String> = plan_lines(items).iter().map(|line| format!("- {line}")).collect();
            (Cow::Owned(lines.join("\n")), Size::Usual)
        }
        ItemContent::Goal(goal) => {
            let status = goal.status.as_deref().map(|status| format!(" ({status})")).unwrap_or_default();
            (Cow::Owned(format!("🎯 {}{status}", redact(&goal.objective))), Size::Usual)
        }
        ItemContent::Notice(notice) => (Cow::Owned(notice_line(notice, locale)), Size::Small),
    };
    Body::Text { source, folded_from: None, size }
}

/// Where the part of a long text ends that stays in sight: at a space, if there is one not far before.
fn in_sight(text: &str) -> usize {
    let most = text.char_indices().nth(IN_SIGHT).map_or(text.len(), |(at, _)| at);
    let head = &text[..most];
    head.rfind(char::is_whitespace).filter(|at| *at >= most / 2).unwrap_or(most)
}

/// The detail of a call.
pub(super) fn call_source(call: &ToolCallInfo, locale: Locale) -> String {
    let mut out = String::new();
    blocks(&mut out, &detail(call, DetailLevel::Card, locale));
    out
}

/// Blocks, with the calls of a script as paragraphs: below an item of a list code could not be indented.
fn blocks(out: &mut String, all: &[Block]) {
    for run in all.chunk_by(|a, b| !is_child(a) && !is_child(b)) {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        match run {
            [Block::Child { number, title, blocks: inner, .. }] => {
                let _ = write!(out, "**{number}.** {title}");
                blocks(out, inner);
            }
            run => out.push_str(&blocks_markdown(run)),
        }
    }
}

fn is_child(block: &Block) -> bool {
    matches!(block, Block::Child { .. })
}
