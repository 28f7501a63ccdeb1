//! The reader behind [`parse`](super::syntax::parse): one pass of recursive descent over the bytes.
//!
//! Lexing and parsing are one on purpose: in shell, only the grammar tells whether a `)` ends a
//! substitution or a `case` pattern, or where the body of a here-document begins.
//!
//! Giving up is one flag: [`Reader::give_up`] jumps to the end of the source, so every loop ends.

use super::redirect::{Pending, fill_bodies};
use super::syntax::{
    Command, CompoundCommand, CompoundKind, MAX_DEPTH, Pipeline, Script, Separator, SimpleCommand, Word,
};

/// Words that a command may not begin with unless its construct is open.
const CLOSING_WORDS: [&str; 8] = ["then", "elif", "else", "fi", "do", "done", "esac", "}"];

/// Where a nested script ends.
#[derive(Clone, Copy)]
pub(super) enum End {
    Source,
    Parenthesis,
    /// One of these reserved words where a command would begin.
    Words(&'static [&'static str]),
    /// `;;`, `;&`, `;;&` or `esac`.
    CaseItem,
}

pub(super) struct Reader<'a> {
    pub(super) source: &'a str,
    pub(super) position: usize,
    pub(super) depth: u32,
    pub(super) broken: bool,
    /// The here-documents whose bodies follow the next line feed.
    pub(super) pending: Vec<Pending>,
    /// The bodies of all here-documents, as they come.
    pub(super) bodies: Vec<Option<Word>>,
    /// How many bytes the look-ahead for `$((` may still read, all in all: keeps the whole linear.
    pub(super) look_ahead: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, depth: u32) -> Self {
        let look_ahead = source.len().saturating_mul(4).saturating_add(1024);
        Self {
            source,
            position: 0,
            depth,
            broken: false,
            pending: Vec::new(),
            bodies: Vec::new(),
            look_ahead,
        }
    }

    /// Reads all of the source.
    pub(super) fn script(mut self) -> Script {
        let mut script = self.list(End::Source);
        if self.position < self.source.len() {
            self.give_up();
        }
        script.complete = !self.broken;
        if !self.bodies.is_empty() {
            fill_bodies(&mut script, &mut self.bodies);
        }
        script
    }

    // ---- bytes ----

    pub(super) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, offset: usize) -> Option<u8> {
        self.source.as_bytes().get(self.position + offset).copied()
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// What is left. The position always stands on a code point's first byte.
    pub(super) fn rest(&self) -> &'a str {
        self.source.get(self.position..).unwrap_or_default()
    }

    pub(super) fn slice_from(&self, start: usize) -> &'a str {
        self.source.get(start..self.position).unwrap_or_default()
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.position += text.len();
        }
        found
    }

    /// Stops reading: the script is incomplete.
    pub(super) fn give_up(&mut self) {
        self.broken = true;
        self.position = self.source.len();
    }

    /// Runs `read` one level deeper, or gives up.
    pub(super) fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.give_up();
            return T::default();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.position += 1,
                Some(b'\r') if matches!(self.peek_at(1), Some(b'\n') | None) => self.position += 1,
                Some(b'\\') if self.looking_at("\\\n") => self.position += 2,
                Some(b'\\') if self.looking_at("\\\r\n") => self.position += 3,
                _ => return,
            }
        }
    }

    pub(super) fn skip_comment(&mut self) {
        if self.peek() == Some(b'#') {
            self.position += memchr::memchr(b'\n', self.rest().as_bytes()).unwrap_or(self.rest().len());
        }
    }

    /// Skips blanks, comments and line feeds (with the here-documents that follow these).
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            self.skip_comment();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.line_feed();
        }
    }

    // ---- lists and pipelines ----

    /// A substitution's script, up to and with its `)`.
    pub(super) fn parenthesised(&mut self) -> Script {
        let waiting = self.pending.len();
        let mut script = self.nested(|reader| reader.list(End::Parenthesis));
        // A here-document that is opened inside and not read by then: shells disagree on where its body is.
        if self.pending.len() != waiting || !self.eat(")") {
            self.give_up();
        }
        script.complete = true;
        script
    }

    pub(super) fn list(&mut self, end: End) -> Script {
        let mut script = Script { pipelines: Vec::new(), complete: true };
        loop {
            self.skip_lines();
            if self.at_end_of_list(end) {
                return script;
            }
            let commands = self.pipeline();
            self.skip_blanks();
            self.skip_comment();
            let separator = match self.peek() {
                None => Separator::Sequence,
                Some(b'\n') => {
                    self.line_feed();
                    Separator::Sequence
                }
                Some(b'&') if self.eat("&&") => Separator::And,
                Some(b'|') if self.eat("||") => Separator::Or,
                Some(b'&') => {
                    self.position += 1;
                    Separator::Background
                }
                Some(b';') if !(self.looking_at(";;") || self.looking_at(";&")) => {
                    self.position += 1;
                    Separator::Sequence
                }
                Some(_) => {
                    if !self.at_end_of_list(end) {
                        self.give_up();
                    }
                    Separator::Sequence
                }
            };
            script.pipelines.push(Pipeline { commands, separator });
            if matches!(separator, Separator::And | Separator::Or) {
                self.skip_lines();
                if self.at_end_of_list(end) {
                    self.give_up();
                }
            }
        }
    }

    fn at_end_of_list(&self, end: End) -> bool {
        if self.position >= self.source.len() {
            return true;
        }
        match end {
            End::Source => false,
            End::Parenthesis => self.peek() == Some(b')'),
            End::Words(words) => self.reserved().is_some_and(|word| words.contains(&word)),
            End::CaseItem => {
                self.looking_at(";;")
                    || self.looking_at(";&")
                    || self.reserved().is_some_and(|word| word == "esac")
            }
        }
    }

    fn pipeline(&mut self) -> Vec<Command> {
        let mut commands = Vec::new();
        loop {
            self.skip_lines();
            while self.reserved() == Some("!") {
                self.position += 1;
                self.skip_blanks();
            }
            if let Some(command) = self.command() {
                commands.push(command);
            }
            self.skip_blanks();
            if self.looking_at("||") || !(self.eat("|&") || self.eat("|")) {
                return commands;
            }
        }
    }

    /// The unquoted word at the position, if it could be a reserved one.
    pub(super) fn reserved(&self) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.bytes().take(9).take_while(|&byte| is_reserved_byte(byte)).count();
        let word = rest.get(..length)?;
        let ended = rest.as_bytes().get(length).is_none_or(|&byte| is_delimiter(byte));
        (length > 0 && ended).then_some(word)
    }

    pub(super) fn expect_reserved(&mut self, word: &str) {
        self.skip_lines();
        if self.reserved() == Some(word) {
            self.position += word.len();
        } else {
            self.give_up();
        }
    }

    // ---- commands ----

    pub(super) fn command(&mut self) -> Option<Command> {
        if self.depth >= MAX_DEPTH {
            self.give_up();
            return None;
        }
        self.depth += 1;
        let command = self.command_body();
        self.depth -= 1;
        command
    }

    fn command_body(&mut self) -> Option<Command> {
        let reserved = self.reserved();
        let start = self.position;
        let mut words = Vec::new();
        let mut bodies = Vec::new();
        if let Some(word) = reserved {
            self.position += word.len();
        }
        let kind = match reserved {
            Some("{") => {
                bodies.push(self.list(End::Words(&["}"])));
                self.expect_reserved("}");
                CompoundKind::Group
            }
            Some("if") => {
                bodies.push(self.list(End::Words(&["then"])));
                self.expect_reserved("then");
                loop {
                    bodies.push(self.list(End::Words(&["elif", "else", "fi"])));
                    match self.reserved() {
                        Some("elif") => {
                            self.position += 4;
                            bodies.push(self.list(End::Words(&["then"])));
                            self.expect_reserved("then");
                        }
                        Some("else") => {
                            self.position += 4;
                            bodies.push(self.list(End::Words(&["fi"])));
                            self.expect_reserved("fi");
                            break;
                        }
                        _ => {
                            self.expect_reserved("fi");
                            break;
                        }
                    }
                }
                CompoundKind::If
            }
            Some("while" | "until") => {
                bodies.push(self.list(End::Words(&["do"])));
                self.loop_body(&mut bodies);
                CompoundKind::While
            }
            Some("for" | "select") => {
                let variable = self.loop_head(&mut words);
                self.loop_body(&mut bodies);
                CompoundKind::For { variable }
            }
            Some("case") => {
                self.case(&mut words, &mut bodies);
                CompoundKind::Case
            }
            Some("function") => {
                self.skip_blanks();
                let name = self.word().value;
                self.skip_blanks();
                if self.eat("(") {
                    self.skip_blanks();
                    if !self.eat(")") {
                        self.give_up();
                    }
                }
                self.function_body(&mut bodies);
                CompoundKind::Function { name }
            }
            Some("[[") => {
                self.test(&mut words);
                CompoundKind::Test
            }
            Some("time") => {
                // Reserved, since it times a whole pipeline; it changes nothing else.
                self.skip_blanks();
                if self.reserved_option("-p") {
                    self.skip_blanks();
                }
                return self.command();
            }
            Some("coproc") => {
                self.give_up();
                return None;
            }
            Some(word) if CLOSING_WORDS.contains(&word) => {
                self.give_up();
                return None;
            }
            _ => {
                self.position = start;
                if self.peek() != Some(b'(') {
                    return self.simple();
                }
                if self.looking_at("((")
                    && let Some(end) = self.arithmetic_end(self.position + 2)
                {
                    self.position += 2;
                    words.push(self.arithmetic(end));
                    CompoundKind::Arithmetic
                } else {
                    self.position += 1;
                    bodies.push(self.parenthesised());
                    CompoundKind::Subshell
                }
            }
        };
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        Some(Command::Compound(CompoundCommand { kind, words, bodies, redirects }))
    }

    fn reserved_option(&mut self, option: &str) -> bool {
        let ended =
            self.source.as_bytes().get(self.position + option.len()).is_none_or(|&byte| is_delimiter(byte));
        ended && self.eat(option)
    }

    fn simple(&mut self) -> Option<Command> {
        let mut command = SimpleCommand::default();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b'\n' | b';' | b'|' | b')') => break,
                Some(b'&') if !self.looking_at("&>") => break,
                Some(b'#') => {
                    self.skip_comment();
                    break;
                }
                Some(b'(') => {
                    self.position += 1;
                    self.skip_blanks();
                    let name = match command.words.as_slice() {
                        [name] if self.eat(")") => name.value.clone(),
                        _ => {
                            self.give_up();
                            break;
                        }
                    };
                    let mut bodies = Vec::new();
                    self.function_body(&mut bodies);
                    let kind = CompoundKind::Function { name };
                    return Some(Command::Compound(CompoundCommand {
                        kind,
                        words: Vec::new(),
                        bodies,
                        redirects: Vec::new(),
                    }));
                }
                Some(_) => {
                    if let Some(redirect) = self.redirect() {
                        command.redirects.push(redirect);
                        continue;
                    }
                    let start = self.position;
                    let mut word = self.word();
                    if self.position == start {
                        self.give_up();
                        break;
                    }
                    if command.words.is_empty() && is_assignment(self.slice_from(start)) {
                        if self.peek() == Some(b'(') && self.slice_from(start).ends_with('=') {
                            self.array(&mut word);
                        }
                        command.assignments.push(word);
                    } else {
                        command.words.push(word);
                    }
                }
            }
        }
        if command == SimpleCommand::default() {
            // An operator with nothing before it.
            self.give_up();
            return None;
        }
        Some(Command::Simple(command))
    }

    /// The list of `NAME=( … )`, folded into the assignment's word.
    fn array(&mut self, assignment: &mut Word) {
        let start = self.position;
        self.position += 1;
        loop {
            self.skip_lines();
            match self.peek() {
                Some(b')') => break,
                None => return self.give_up(),
                Some(_) => {
                    let before = self.position;
                    let word = self.word();
                    if self.position == before {
                        return self.give_up();
                    }
                    assignment.kind = assignment.kind.max(word.kind);
                    assignment.scripts.extend(word.scripts);
                }
            }
        }
        self.position += 1;
        assignment.value.push_str(self.slice_from(start));
    }
}

fn is_reserved_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || matches!(byte, b'{' | b'}' | b'!' | b'[' | b']')
}

pub(super) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether the source of a word is `NAME=…`, `NAME+=…` or `NAME[…]=…`.
fn is_assignment(source: &str) -> bool {
    let name = source.bytes().take_while(|&byte| is_name_byte(byte)).count();
    if name == 0 || source.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let mut rest = source.get(name..).unwrap_or_default();
    if rest.starts_with('[') {
        rest = rest.find(']').and_then(|at| rest.get(at + 1..)).unwrap_or_default();
    }
    rest.starts_with('=') || rest.starts_with("+=")
}
