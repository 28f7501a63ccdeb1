//! The script as a person reads it: one top-level statement a line.
//!
//! Guarantee: the pieces, joined, hold every character of the input in order, but for white space between them.

use super::scan::{Class, Token, is_blank};

/// The lines of an input that is no script.
pub(super) fn lines(input: &str) -> Vec<String> {
    input.lines().map(str::to_owned).collect()
}

/// Why an input is no script at first sight, where the parser's own message would not help a person.
pub(super) fn plainly_no_script(code: &str) -> Option<&'static str> {
    let code = code.trim_start();
    if code.starts_with("*** Begin Patch") {
        return Some("a bare patch, not a script");
    }
    if code.starts_with('{')
        && serde_json::from_str::<serde_json::Value>(code).is_ok_and(|json| !is_empty(&json))
    {
        return Some("JSON, not a script");
    }
    None
}

/// `{}` is an empty block, too.
fn is_empty(json: &serde_json::Value) -> bool {
    json.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Collects the top-level statements of `code` from its tokens; a comment that stands alone is a piece of its own.
pub(super) struct Pieces<'s> {
    code: &'s str,
    done: Vec<String>,
    /// Byte range of the statement being collected.
    current: Option<(usize, usize)>,
    /// Comments behind it that belong to it only if it goes on.
    comments: Vec<Token>,
}

impl<'s> Pieces<'s> {
    pub(super) fn of(code: &'s str) -> Self {
        Self { code, done: Vec::new(), current: None, comments: Vec::new() }
    }

    pub(super) fn add(&mut self, token: Token) {
        if token.class == Class::Comment {
            match &mut self.current {
                // A comment at the end of a statement's line stays there.
                Some((_, end)) if !token.newline_before && self.comments.is_empty() => *end = token.end,
                _ => self.comments.push(token),
            }
            return;
        }
        if token.depth == 0 && token.boundary {
            self.flush();
        }
        let comments = std::mem::take(&mut self.comments);
        if let Some((_, end)) = &mut self.current {
            *end = token.end;
            return;
        }
        // A block comment on the line of the statement behind it leads it.
        let mut start = token.start;
        let mut leading = comments.len();
        while let Some(comment) = leading.checked_sub(1).and_then(|index| comments.get(index)) {
            if self.slice(comment.start, start).is_none_or(|text| text.contains(super::scan::is_line_break)) {
                break;
            }
            start = comment.start;
            leading -= 1;
        }
        for comment in comments.iter().take(leading) {
            self.push(comment.start, comment.end);
        }
        self.current = Some((start, token.end));
    }

    fn slice(&self, start: usize, end: usize) -> Option<&str> {
        self.code.get(start..end)
    }

    fn push(&mut self, start: usize, end: usize) {
        let piece = self.slice(start, end).unwrap_or_default().trim_matches(is_blank);
        if !piece.is_empty() {
            let piece = piece.to_owned();
            self.done.push(piece);
        }
    }

    fn flush(&mut self) {
        if let Some((start, end)) = self.current.take() {
            self.push(start, end);
        }
    }

    /// The pieces, once every token was added.
    pub(super) fn finish(mut self) -> Vec<String> {
        self.flush();
        for comment in std::mem::take(&mut self.comments) {
            self.push(comment.start, comment.end);
        }
        self.done
    }
}
