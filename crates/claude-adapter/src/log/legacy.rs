//! Calls and results that are rows of their own, as builds before 1.0 wrote them.

use larkspan_core::transcript::NoticeKind;

use super::text::{content, paragraph};
use super::{LogReader, Sink};
use crate::wire::{self, Block, Row};

impl LogReader {
    pub(super) fn call_row(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        self.agent_acts(row, sink);
        let id =
            wire::owned(row.id).or_else(|| wire::owned(row.tool_use_id)).or_else(|| wire::owned(row.uuid));
        let id = id.unwrap_or_else(|| format!("byte-{}", sink.position));
        self.called(&id, row.name, row.input, sink);
    }

    pub(super) fn result_row(&mut self, row: &Row<'_>, sink: &mut Sink<'_>) {
        let output = row.output.or(row.content);
        if wire::text(row.tool_use_id).is_none() {
            // It says of which tool it is, not of which call.
            self.announce(sink);
            let name = wire::text(row.name).unwrap_or("result".into());
            let text = paragraph(&content(output).text());
            return sink.notice(NoticeKind::Info, format!("{name}: {text}"));
        }
        let block = Block {
            tool_use_id: row.tool_use_id,
            content: output,
            is_error: row.is_error,
            ..Block::default()
        };
        self.result(row, &block, None, sink);
    }
}
