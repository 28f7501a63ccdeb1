//! Pieces of a Markdown text, each complete by itself.
//!
//! Guarantee: pieces that follow each other hold all of the text and nothing twice; a fence that is cut is closed, and
//! opened again with its language.

use super::fence::Fence;
use super::markdown::marker;

/// What is open at a place of a text.
#[derive(Debug, Clone, Copy, Default)]
struct Open<'a> {
    fence: Option<Fence<'a>>,
    is_in_list: bool,
    is_after_blank: bool,
}

impl<'a> Open<'a> {
    fn line(&mut self, line: &'a str) {
        let text = line.trim_end_matches('\n');
        if let Some(fence) = self.fence {
            if fence.is_closed_by(text) {
                self.fence = None;
            }
            return;
        }
        self.fence = Fence::open(text, self.is_in_list);
        let is_blank = text.trim().is_empty();
        if marker(text.trim_start()).is_some() {
            self.is_in_list = true;
        } else if self.is_after_blank && !is_blank && !text.starts_with(' ') {
            self.is_in_list = false;
        }
        self.is_after_blank = is_blank;
    }

    fn at(text: &'a str, at: usize) -> Self {
        let mut open = Self::default();
        for line in text[..at].split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            open.line(line);
        }
        open
    }
}

/// The next place at or before `at` where the text may be cut.
pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A place in a text, with what is open there: pieces that follow each other are cut without reading the text again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    text: &'a str,
    at: usize,
    open: Open<'a>,
}

impl<'a> Place<'a> {
    /// At `at`, or just before where no character begins.
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        let at = floor(text, at);
        Self { text, at, open: Open::at(text, at) }
    }

    /// How far in the text it is.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Whether it is the text's end.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Goes on to a later place.
    pub(super) fn advance(&mut self, to: usize) {
        let to = floor(self.text, to);
        // Lines that are begun are looked at when they are whole, so the state is that at the last line's beginning.
        let begin = self.text[..self.at].rfind('\n').map_or(0, |feed| feed + 1);
        for line in self.text[begin..to.max(begin)].split_inclusive('\n').filter(|line| line.ends_with('\n'))
        {
            self.open.line(line);
        }
        self.at = to;
    }

    /// The text from here to there, as Markdown of its own.
    pub(super) fn piece(&self, to: usize) -> String {
        let (from, to) = (self.at, floor(self.text, to));
        let Some(mut body) = self.text.get(from..to) else { return String::new() };
        let mut open = self.open;
        let mut out = String::with_capacity(body.len() + 16);
        if let Some(fence) = open.fence {
            let (line, rest) = body.split_once('\n').unwrap_or((body, ""));
            if fence.is_closed_by(line) {
                open.fence = None;
                body = rest;
            } else {
                out.push_str(&fence.opening());
                out.push('\n');
            }
        } else if open.is_in_list && body.starts_with("    ") {
            // By itself it would be code.
            body = body.trim_start_matches(' ');
        }
        out.push_str(body);
        body.split_inclusive('\n').for_each(|line| open.line(line));
        if let Some(fence) = open.fence {
            if !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&fence.closing());
        }
        out
    }

    /// Where a piece from here of at most `most` bytes ends best: at a paragraph's end, else a line's, else a word's. At
    /// least one character further, if there is one.
    pub(super) fn cut(&self, most: usize) -> usize {
        let (text, from) = (self.text, self.at);
        let end = floor(text, from.saturating_add(most));
        if end >= text.len() {
            return text.len();
        }
        let mut open = self.open;
        let (mut paragraph, mut line_end, mut at) = (None, None, from);
        for line in text[from..end].split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let was_open = open.fence.is_some();
            open.line(line);
            at += line.len();
            let opens = !was_open && open.fence.is_some();
            if !opens {
                line_end = Some(at);
            }
            let next = text.as_bytes().get(at).copied().unwrap_or_default();
            let is_paragraph =
                open.fence.is_none() && line.trim().is_empty() && !matches!(next, b' ' | b'\t');
            if is_paragraph {
                paragraph = Some(at);
            }
        }
        let is_late = |at: &usize| *at - from >= (end - from) / 2;
        if let Some(at) = paragraph.filter(is_late).or(line_end.filter(is_late)).or(line_end) {
            return at;
        }
        let space = text[from..end].rfind(' ').map(|at| from + at + 1);
        space.filter(is_late).unwrap_or(if end > from { end } else { ceil(text, from + 1) })
    }
}

fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Place, floor};

    fn piece(text: &str, from: usize, to: usize) -> String {
        Place::new(text, from).piece(to)
    }

    fn cut(text: &str, from: usize, most: usize) -> usize {
        Place::new(text, from).cut(most)
    }

    #[test]
    fn a_fence_is_closed_and_opened_again() {
        let text = "say\n\n```rust\nlet a = 1;\nlet b = 2;\n```\nend";
        let middle = text.find("let b").unwrap();
        assert_eq!(piece(text, 0, middle), "say\n\n```rust\nlet a = 1;\n```");
        assert_eq!(piece(text, middle, text.len()), "```rust\nlet b = 2;\n```\nend");
        // Where only its end is left, nothing is opened.
        let close = text.find("```\nend").unwrap();
        assert_eq!(piece(text, close, text.len()), "end");
        assert_eq!(piece("```\nx", 0, 5), "```\nx\n```");
    }

    #[test]
    fn a_cut_is_at_a_paragraph_then_a_line_then_a_word() {
        assert_eq!(cut("aaaa\n\nbb\ncc dd", 0, 9), 6);
        assert_eq!(cut("aaaa\nbbbb\ncc dd", 0, 12), 10);
        assert_eq!(cut("aaaa bbbb cc", 0, 11), 10);
        assert_eq!(cut("中文", 0, 1), 3);
        // Not just behind a line that opens a fence.
        assert_eq!(cut("aaaa\n```\nbbbbbbbbb", 0, 12), 5);
    }

    proptest! {
        #[test]
        fn pieces_hold_all_and_nothing_twice(text in "(a|中|\n|\n\n|```\n|```js\n| |- x\n){0,60}", most in 1_usize..40) {
            let mut at = 0;
            let mut ends = vec![0];
            let mut walker = Place::new(&text, 0);
            while at < text.len() {
                let next = cut(&text, at, most);
                prop_assert!(next > at && next == floor(&text, next));
                // One that has come here knows what one that begins here knows.
                walker.advance(next);
                let fresh = Place::new(&text, next);
                prop_assert_eq!(format!("{:?}", walker), format!("{:?}", fresh));
                at = next;
                ends.push(at);
            }
            let of = |text: &str, sign: char| text.matches(sign).count();
            for sign in ['a', '中', 'x'] {
                let pieces: usize = ends.windows(2).map(|w| of(&piece(&text, w[0], w[1]), sign)).sum();
                prop_assert_eq!(pieces, of(&text, sign));
            }
        }
    }
}
