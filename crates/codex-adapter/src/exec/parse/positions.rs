//! From the parser's positions (line and column in code points, both from 1) to byte offsets.

use boa_ast::{Position, Span as BoaSpan};

use crate::exec::ast::Span;
use crate::exec::scan::is_blank;

/// The line starts of a text, and its characters' offsets if they are not all one byte.
pub(super) struct Positions<'s> {
    source: &'s str,
    code_start: usize,
    /// Index of each line's first code point in the code.
    lines: Vec<usize>,
    /// Byte offset of each code point in the code; empty for ASCII, where the index is the offset.
    offsets: Vec<usize>,
}

impl<'s> Positions<'s> {
    pub(super) fn new(source: &'s str, code_start: usize) -> Self {
        let code = source.get(code_start..).unwrap_or_default();
        let mut lines = vec![0];
        let mut previous = ' ';
        for (index, c) in code.chars().enumerate() {
            match c {
                '\n' if previous == '\r' => {
                    if let Some(last) = lines.last_mut() {
                        *last = index + 1;
                    }
                }
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => lines.push(index + 1),
                _ => {}
            }
            previous = c;
        }
        let offsets = if code.is_ascii() {
            Vec::new()
        } else {
            code.char_indices().map(|(offset, _)| offset).collect()
        };
        Self { source, code_start, lines, offsets }
    }

    /// The byte offset of a position, within the whole source.
    pub(super) fn byte(&self, position: Position) -> usize {
        let line = self.lines.get(position.line_number() as usize - 1).copied().unwrap_or(usize::MAX / 2);
        let index = line + position.column_number() as usize - 1;
        let offset = match self.offsets.get(index) {
            Some(offset) => *offset,
            None if self.offsets.is_empty() => index,
            None => usize::MAX / 2,
        };
        (self.code_start + offset).min(self.source.len())
    }

    pub(super) fn span(&self, span: BoaSpan) -> Span {
        Span { start: self.byte(span.start()), end: self.byte(span.end()) }
    }

    /// The offset behind the `]` that closes an index ending at `from`: the parser's spans leave it out.
    pub(super) fn behind_bracket(&self, from: usize) -> usize {
        let mut rest = self.source.get(from..).unwrap_or_default();
        loop {
            rest = rest.trim_start_matches(is_blank);
            let comment = if rest.starts_with("/*") {
                rest.find("*/").map(|end| end + 2)
            } else if rest.starts_with("//") {
                rest.find('\n')
            } else {
                None
            };
            match comment.and_then(|end| rest.get(end..)) {
                Some(behind) => rest = behind,
                None => break,
            }
        }
        let at = self.source.len() - rest.len();
        at + usize::from(rest.starts_with(']'))
    }
}
