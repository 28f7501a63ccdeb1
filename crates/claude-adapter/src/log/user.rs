//! Rows under the user's name: words of the user, results of calls, and what the harness says there.

use larkspan_core::transcript::{NoticeKind, Role, TurnOutcome};

use super::commands::Teller;
use super::text::{Content, content, is_content, is_internal, paragraph, tagged};
use super::{LogReader, Sink};
use crate::wire::{self, Attachment, Block, Message, Raw, Row};

const INTERRUPTED: &str = "[Request interrupted by user";
/// What the harness writes in front of a summary, in builds that do not mark its row.
const CONTINUED: &str = "This session is being continued from a previous conversation";

impl LogReader {
    pub(super) fn user(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        if !wire::is_object(row.message) {
            return sink.unknown("user row without a message", None);
        }
        let message: Message<'_> = wire::object(row.message);
        if !is_content(message.content) {
            return sink.unknown("user row without content", None);
        }
        let blocks: Vec<Block<'_>> =
            wire::array(message.content).into_iter().map(|raw| wire::object(Some(raw))).collect();
        if blocks.iter().any(is_result) {
            self.results(row, &blocks, sink);
        } else if let Some(odd) = odd_block(&blocks) {
            sink.unknown(format!("user/{odd}"), None);
        } else {
            self.said(row, message.content, sink);
        }
    }

    fn results(&mut self, row: &Row<'_>, blocks: &[Block<'_>], sink: &mut Sink<'_>) {
        let results: Vec<&Block<'_>> = blocks.iter().filter(|block| is_result(block)).collect();
        // What the harness recorded is of one result; where a row has several, it cannot be told of which.
        let recorded = if results.len() == 1 { row.result_of.or(row.stream_result_of) } else { None };
        for block in results {
            self.result(row, block, recorded, sink);
        }
        self.is_told(row);
        for block in blocks.iter().filter(|block| !is_result(block)) {
            let text = wire::text(block.text).unwrap_or_default();
            if text.starts_with(INTERRUPTED) {
                self.interrupted(sink);
            } else if is_internal(&text) || text.trim().is_empty() {
            } else if wire::is_true(row.is_meta) {
                sink.notice(NoticeKind::Info, paragraph(&text));
            } else {
                sink.message(Role::User, &text, None, wire::owned(row.uuid));
            }
        }
    }

    /// A row without results.
    fn said(&mut self, row: &Row<'_>, raw: Raw<'_>, sink: &mut Sink<'_>) {
        let content = content(raw);
        let words = words(&content);
        if wire::is_true(row.is_compact_summary) || words.starts_with(CONTINUED) {
            return self.compaction(true, sink);
        }
        if words.starts_with(INTERRUPTED) {
            return self.interrupted(sink);
        }
        let is_meta = wire::is_true(row.is_meta) || wire::is_true(row.is_companion);
        if self.command(row, Teller::User, &words, sink) || self.notification(row, row.origin, &words, sink) {
            return;
        }
        if words.is_empty() {
            if is_meta && content.texts.iter().any(|text| is_internal(text)) {
                // What follows it, if that is a command, was not for the agent.
                self.memory.caveat = wire::owned(row.uuid);
            }
            return;
        }
        if is_meta {
            self.announce(sink);
            return sink.notice(NoticeKind::Info, paragraph(&words));
        }
        self.prompt(row, &words, sink);
    }

    /// Words of the user.
    pub(super) fn prompt(&mut self, row: &Row<'_>, words: &str, sink: &mut Sink<'_>) {
        if !self.goes_on(row) {
            self.begin_turn(row, sink);
        }
        sink.message(Role::User, words, None, wire::owned(row.uuid));
    }

    fn interrupted(&mut self, sink: &mut Sink<'_>) {
        self.announce(sink);
        if self.memory.turn.is_some() {
            self.end_turn(TurnOutcome::Aborted, None, sink);
        } else {
            sink.notice(NoticeKind::Info, "Request interrupted by user");
        }
    }

    /// The row that tells of a compaction and the summary that follows it are one notice.
    pub(super) fn compaction(&mut self, is_summary: bool, sink: &mut Sink<'_>) {
        self.announce(sink);
        let is_told = std::mem::replace(&mut self.memory.compaction_is_told, !is_summary);
        if !is_told || !is_summary {
            sink.notice(NoticeKind::Compaction, "");
        }
    }

    /// Something put beside the conversation.
    pub(super) fn attachment(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        let attachment: Attachment<'_> = wire::object(row.attachment);
        let kind = wire::text(attachment.r#type).unwrap_or_default();
        if !super::head::speaks(&kind) {
            return;
        }
        if kind == "hook_blocking_error" {
            let why = wire::map(attachment.blocking);
            let why = wire::text(why.get("blockingError").copied()).unwrap_or_default();
            let hook = wire::text(attachment.hook).unwrap_or_default();
            self.announce(sink);
            return sink.notice(NoticeKind::Warning, paragraph(&format!("{hook}: {why}")));
        }
        // Sent while the agent worked.
        let words = words(&content(attachment.prompt));
        if words.is_empty() || self.notification(row, attachment.origin, &words, sink) {
            return;
        }
        self.announce(sink);
        if wire::is_true(attachment.is_meta) {
            return sink.notice(NoticeKind::Info, paragraph(&words));
        }
        if self.memory.turn.is_none() {
            self.begin_turn(row, sink);
        }
        sink.message(Role::User, &words, None, wire::owned(row.uuid));
    }
}

fn is_result(block: &Block<'_>) -> bool {
    wire::text(block.r#type).as_deref() == Some("tool_result")
}

/// The type of the first block that a user's message cannot have, as far as is known.
fn odd_block(blocks: &[Block<'_>]) -> Option<String> {
    let kinds = blocks.iter().filter_map(|block| wire::owned(block.r#type));
    let mut odd = kinds.filter(|kind| !matches!(kind.as_str(), "text" | "image" | "document"));
    odd.next().filter(|_| blocks.iter().all(|block| block.text.is_none()))
}

/// What a person said in it. Images stand as `[image]`.
fn words(content: &Content) -> String {
    let mut words: Vec<&str> =
        content.texts.iter().map(String::as_str).filter(|text| !is_internal(text)).map(str::trim).collect();
    words.retain(|text| !text.is_empty());
    words.extend(content.media.iter().map(|_| "[image]"));
    words.join("\n")
}

/// The inside of a tag, if the text begins with it.
pub(super) fn leading<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let after = text.strip_prefix('<')?.strip_prefix(tag)?;
    after.starts_with('>').then(|| tagged(text, tag))?
}
