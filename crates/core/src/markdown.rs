//! Blocks as Markdown: the one place where fences and lists are written.

use std::fmt::Write as _;

use crate::presentation::{Block, DetailLevel, Locale, detail};
use crate::text::{escape_markdown, fence};
use crate::tool_call::ToolCallInfo;

/// The detail of a call as Markdown.
pub fn detail_markdown(call: &ToolCallInfo, level: DetailLevel, locale: Locale) -> String {
    blocks_markdown(&detail(call, level, locale))
}

/// Blocks as Markdown, a blank line between them.
pub fn blocks_markdown(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        if !out.is_empty() {
            // Lines of one list stay together; everything else gets a blank line.
            out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
        }
        match block {
            Block::Code { language, body, note } => {
                out.push_str(fence(body, language).trim_end_matches('\n'));
                if let Some(note) = note {
                    let _ = write!(out, "\n\n{note}");
                }
            }
            Block::Line(line) => out.push_str(line),
            Block::Failure(reason) => {
                let _ = write!(out, "❌ {}", escape_markdown(&reason.replace('\n', " ⏎ ")));
            }
            Block::Heading(text) => {
                let _ = write!(out, "**{text}**");
            }
            Block::Child { number, title, blocks, .. } => {
                let _ = write!(out, "{number}. {title}");
                let body = blocks_markdown(blocks);
                if !body.is_empty() {
                    let _ = write!(out, "\n\n{body}");
                }
            }
        }
    }
    out
}
