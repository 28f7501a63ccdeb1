//! The reader's control structures: loops, `case`, functions, `[[ … ]]`.

use super::reader::{End, Reader};
use super::syntax::{Command, Pipeline, Script, Separator, Word};

impl Reader<'_> {
    /// `NAME [in WORDS]` or `((…))`, and the separator after it.
    pub(super) fn loop_head(&mut self, words: &mut Vec<Word>) -> String {
        self.skip_blanks();
        if self.looking_at("((") {
            if let Some(end) = self.arithmetic_end(self.position + 2) {
                self.position += 2;
                words.push(self.arithmetic(end));
            } else {
                self.give_up();
            }
            self.skip_blanks();
            self.eat(";");
            return String::new();
        }
        let variable = self.word().value;
        self.skip_lines();
        if self.reserved() == Some("in") {
            self.position += 2;
            loop {
                self.skip_blanks();
                self.skip_comment();
                match self.peek() {
                    None | Some(b';' | b'\n') => break,
                    Some(_) => {}
                }
                let before = self.position;
                words.push(self.word());
                if self.position == before {
                    self.give_up();
                }
            }
        }
        self.skip_blanks();
        self.eat(";");
        variable
    }

    /// `do … done`, or the braces that may stand for them.
    pub(super) fn loop_body(&mut self, bodies: &mut Vec<Script>) {
        self.skip_lines();
        let (open, close, ends): (_, _, &'static [&'static str]) =
            if self.reserved() == Some("{") { ("{", "}", &["}"]) } else { ("do", "done", &["done"]) };
        self.expect_reserved(open);
        bodies.push(self.list(End::Words(ends)));
        self.expect_reserved(close);
    }

    /// The rest of `case`: its subject, its patterns and their scripts.
    pub(super) fn case(&mut self, words: &mut Vec<Word>, bodies: &mut Vec<Script>) {
        self.skip_blanks();
        words.push(self.word());
        self.expect_reserved("in");
        loop {
            self.skip_lines();
            if self.reserved() == Some("esac") {
                self.position += 4;
                return;
            }
            if self.peek().is_none() {
                return self.give_up();
            }
            self.eat("(");
            loop {
                self.skip_blanks();
                let before = self.position;
                words.push(self.word());
                if self.position == before {
                    return self.give_up();
                }
                self.skip_blanks();
                if !self.eat("|") {
                    break;
                }
            }
            if !self.eat(")") {
                return self.give_up();
            }
            bodies.push(self.list(End::CaseItem));
            let _ended = self.eat(";;&") || self.eat(";;") || self.eat(";&");
        }
    }

    /// The command that a function is defined as.
    pub(super) fn function_body(&mut self, bodies: &mut Vec<Script>) {
        self.skip_lines();
        let commands: Vec<Command> = self.command().into_iter().collect();
        let pipelines = if commands.is_empty() {
            Vec::new()
        } else {
            vec![Pipeline { commands, separator: Separator::Sequence }]
        };
        bodies.push(Script { pipelines, complete: true });
    }

    /// The operands of `[[ … ]]`; its operators are dropped.
    pub(super) fn test(&mut self, words: &mut Vec<Word>) {
        loop {
            self.skip_lines();
            match self.peek() {
                None => return self.give_up(),
                Some(b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';') => self.position += 1,
                Some(_) if self.reserved() == Some("]]") => {
                    self.position += 2;
                    return;
                }
                Some(_) => words.push(self.word()),
            }
        }
    }
}
