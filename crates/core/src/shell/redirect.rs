//! The reader's redirections, and the here-documents whose bodies follow the next line feed.

use super::reader::{Reader, is_name_byte};
use super::syntax::{Command, Redirect, RedirectOperator, Script, Word};

/// A here-document whose body has not come yet.
pub(super) struct Pending {
    index: usize,
    delimiter: String,
    /// A quoted delimiter: nothing in the body is expanded.
    literal: bool,
    /// `<<-`: leading tabs are dropped.
    strip_tabs: bool,
}

impl Reader<'_> {
    /// Reads a line feed, and the bodies of the here-documents that wait for it.
    pub(super) fn line_feed(&mut self) {
        self.position += 1;
        for pending in std::mem::take(&mut self.pending) {
            let body = self.here_document(&pending);
            if let Some(slot) = self.bodies.get_mut(pending.index) {
                *slot = Some(body);
            }
        }
    }

    /// The redirection at the position, if there is one.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.position;
        let mut fd = None;
        match self.peek()? {
            b'0'..=b'9' => {
                while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    self.position += 1;
                }
                fd = self.slice_from(start).parse().ok();
            }
            b'{' => {
                self.position += 1;
                while self.peek().is_some_and(is_name_byte) {
                    self.position += 1;
                }
                if !(self.position > start + 1 && self.eat("}")) {
                    self.position = start;
                    return None;
                }
            }
            _ => {}
        }
        let Some(operator) = self.redirect_operator(start) else {
            self.position = start;
            return None;
        };
        let strip_tabs = operator == RedirectOperator::HereDocument && self.eat("-");
        self.skip_blanks();
        let before = self.position;
        let mut target = self.word();
        if self.position == before {
            self.give_up();
        }
        let here = (operator == RedirectOperator::HereDocument).then(|| {
            let index = self.bodies.len();
            let delimiter = std::mem::take(&mut target.value);
            self.pending.push(Pending { index, delimiter, literal: target.quoted, strip_tabs });
            self.bodies.push(None);
            index
        });
        Some(Redirect { fd, operator, target, here })
    }

    fn redirect_operator(&mut self, start: usize) -> Option<RedirectOperator> {
        // `<(` and `>(` begin a word.
        if self.looking_at("<(") || self.looking_at(">(") {
            return None;
        }
        let table = [
            ("&>>", RedirectOperator::AppendOutputAndError),
            ("&>", RedirectOperator::OutputAndError),
            ("<<<", RedirectOperator::HereString),
            ("<<", RedirectOperator::HereDocument),
            ("<&", RedirectOperator::DuplicateInput),
            ("<>", RedirectOperator::ReadWrite),
            ("<", RedirectOperator::Input),
            (">>", RedirectOperator::Append),
            (">&", RedirectOperator::DuplicateOutput),
            (">|", RedirectOperator::Output),
            (">", RedirectOperator::Output),
        ];
        let (text, operator) = table.into_iter().find(|(text, _)| self.looking_at(text))?;
        // `1&>f` is the argument 1 and then a redirection.
        if text.starts_with('&') && self.position != start {
            return None;
        }
        self.position += text.len();
        Some(operator)
    }

    /// Reads a body: the lines up to the one that is the delimiter, or all.
    fn here_document(&mut self, pending: &Pending) -> Word {
        let mut body = String::new();
        let mut joined = false;
        while self.position < self.source.len() {
            let rest = self.rest();
            let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
            let line = rest.get(..length).unwrap_or(rest);
            self.position += line.len();
            let content = if pending.strip_tabs { line.trim_start_matches('\t') } else { line };
            let bare = content.strip_suffix('\n').unwrap_or(content);
            if !joined && bare.strip_suffix('\r').unwrap_or(bare) == pending.delimiter {
                break;
            }
            // In an expanded body a backslash joins the next line, which is then no delimiter.
            joined =
                !pending.literal && bare.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1;
            body.push_str(content);
        }
        if pending.literal {
            return Word { value: body, quoted: true, ..Word::empty() };
        }
        let mut reader = Reader::new(&body, self.depth);
        let mut word = reader.expanded_text();
        fill_word(&mut word, &mut reader.bodies);
        if reader.broken {
            self.give_up();
        }
        word.value = body;
        word
    }
}

/// Puts the bodies where their operators stand.
pub(super) fn fill_bodies(script: &mut Script, bodies: &mut [Option<Word>]) {
    for command in script.pipelines.iter_mut().flat_map(|pipeline| &mut pipeline.commands) {
        let redirects = match command {
            Command::Simple(simple) => {
                for word in simple.assignments.iter_mut().chain(&mut simple.words) {
                    fill_word(word, bodies);
                }
                &mut simple.redirects
            }
            Command::Compound(compound) => {
                for word in &mut compound.words {
                    fill_word(word, bodies);
                }
                for body in &mut compound.bodies {
                    fill_bodies(body, bodies);
                }
                &mut compound.redirects
            }
        };
        for redirect in redirects {
            if let Some(index) = redirect.here.take() {
                let body = bodies.get_mut(index).and_then(Option::take);
                redirect.target = body.unwrap_or_else(Word::empty);
            } else {
                fill_word(&mut redirect.target, bodies);
            }
        }
    }
}

fn fill_word(word: &mut Word, bodies: &mut [Option<Word>]) {
    for script in &mut word.scripts {
        fill_bodies(script, bodies);
    }
}
