//! A lexical scanner for JavaScript: just enough to tell code from text, and one statement from the next.
//!
//! It feeds the pre-scan ([`super::bounds`]) and the statement splitter ([`super::statements`]), both of which must
//! work before, or without, a parser. It is iterative, reads the input once, keeps one small frame for each open
//! bracket and accepts any string: what is no JavaScript still comes out as tokens that cover every character but
//! white space. Whether a `/` divides or opens a regular expression follows the grammar of ECMA-262 §12 as far as a
//! bracket stack can; a wrong guess costs a wrong line break, never safety (the parser has its own guards).

mod grammar;
mod lexemes;

pub(super) use lexemes::{is_blank, is_line_break};
use lexemes::{is_white_space, is_word_char, number_length, regex_length, string_length, word_length};

/// What a token is to the two readers of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A comment or a hashbang line.
    Comment,
    /// A string, or a stretch of template text, with its delimiters; `link` for a template that follows an operand.
    Text {
        /// Whether it continues the operand before it.
        link: bool,
    },
    /// An operand: a name, a number, a regular expression, a keyword that nests nothing.
    Operand,
    /// A keyword that declares names.
    Declaration,
    /// What makes a parser nest one level deeper without a bracket: prefix operators, right-associative operators,
    /// `=`, `=>`, `?`, `:` of a conditional or a label, and the keywords that head a statement.
    Nesting,
    /// A left-associative operator.
    Infix,
    /// `.` or `?.`
    Link,
    /// `,`
    Comma,
    /// An opening bracket or `${`; `link` when it follows an operand, as in a call or an index.
    Open {
        /// Whether it continues the operand before it.
        link: bool,
    },
    /// A closing bracket.
    Close,
    /// Anything else: `;`, the `:` of a property, a stray character.
    Other,
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) class: Class,
    /// Byte range in the scanned text.
    pub(super) start: usize,
    pub(super) end: usize,
    /// A line break lies between this token and the one before it.
    pub(super) newline_before: bool,
    /// The statement before this token, at this token's bracket level, is complete and this token does not continue it.
    pub(super) boundary: bool,
    /// How many brackets are open around it (an opening bracket counts from the outside).
    pub(super) depth: usize,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Statement,
    Operand,
    Operator,
    /// The name of a property or a class element.
    Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Statements,
    Members,
    Object,
    Paren,
    Bracket,
    Hole,
}

/// A keyword whose brackets are still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pending {
    Nothing,
    /// `if`, `while`, `for`, `with`: a statement follows the parenthesis.
    Head {
        completes: bool,
    },
    /// `switch`, `catch`: a block follows.
    Block,
    Function(Expect),
    Class(Expect),
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: Kind,
    /// What is expected once the bracket is closed.
    after: Expect,
    /// Closing the bracket completes a statement.
    completes: bool,
    pending: Pending,
    ternaries: u32,
    /// `do` keywords whose `while` is still to come.
    dos: u32,
    /// A `case` or `default` whose colon is still to come.
    case: bool,
}

impl Frame {
    const fn new(kind: Kind, after: Expect, completes: bool) -> Self {
        Self { kind, after, completes, pending: Pending::Nothing, ternaries: 0, dos: 0, case: false }
    }
}

/// The token before the current one, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Previous {
    Other,
    Dot,
    CloseParen,
    Arrow,
    /// The end of an arrow function's block.
    ArrowBody,
    /// `export`, `default` or `async` where a statement begins: a function or class after it is a declaration.
    Modifier,
    /// `break`, `continue`, `return`, `throw`: a line break ends the statement.
    Restricted,
}

/// Where the scanner stands in a template literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Template {
    Outside,
    /// At a `${`.
    Hole,
    /// Behind the `}` of a hole, in text again.
    Text,
}

/// The scanner: an iterator over the tokens of `text`.
pub(super) struct Scanner<'s> {
    text: &'s str,
    position: usize,
    /// The outermost frame is the script itself and is never popped.
    frames: Vec<Frame>,
    expect: Expect,
    previous: Previous,
    /// The statement before the current position is complete.
    complete: bool,
    /// The token being read begins a statement behind a complete one.
    boundary: bool,
    template: Template,
    /// A line break was passed since the last token that is no comment.
    newline: bool,
}

impl<'s> Scanner<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self {
            text,
            position: 0,
            frames: vec![Frame::new(Kind::Statements, Expect::Statement, false)],
            expect: Expect::Statement,
            previous: Previous::Other,
            complete: false,
            boundary: false,
            template: Template::Outside,
            newline: false,
        }
    }

    fn rest(&self) -> &'s str {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.position + ahead).copied().unwrap_or(0)
    }

    fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(Kind::Statements, Expect::Statement, false));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn skip_white_space(&mut self) {
        for c in self.rest().chars() {
            if is_line_break(c) {
                self.newline = true;
            } else if !is_white_space(c) {
                break;
            }
            self.position += c.len_utf8();
        }
    }

    /// Length in bytes, class and role of the token at the current position, which is not white space.
    fn scan(&mut self) -> (usize, Class, Previous) {
        let other = Previous::Other;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return (0, Class::Other, other) };
        match first {
            '"' | '\'' => {
                self.insert_semicolon(true);
                self.expect = Expect::Operator;
                (string_length(rest, first), Class::Text { link: false }, other)
            }
            '`' => {
                // A template that follows an operand is the argument of a tag, across line breaks too.
                let link = self.expect == Expect::Operator;
                (1 + self.template_text(1), Class::Text { link }, other)
            }
            '/' => {
                let operand = self.expect != Expect::Operator
                    || (self.newline
                        && (self.previous == Previous::ArrowBody || self.previous == Previous::Restricted));
                match regex_length(rest) {
                    Some(length) if operand => {
                        self.insert_semicolon(true);
                        self.expect = Expect::Operator;
                        (length, Class::Operand, other)
                    }
                    _ => {
                        self.expect = Expect::Operand;
                        (if rest.starts_with("/=") { 2 } else { 1 }, Class::Infix, other)
                    }
                }
            }
            '.' if self.peek(1).is_ascii_digit() => {
                self.expect = Expect::Operator;
                (number_length(rest), Class::Operand, other)
            }
            '0'..='9' => {
                self.insert_semicolon(true);
                self.expect = Expect::Operator;
                (number_length(rest), Class::Operand, other)
            }
            _ if is_word_char(first) => {
                let length = word_length(rest);
                let (class, previous) = self.word(rest.get(..length).unwrap_or_default());
                (length, class, previous)
            }
            _ if first.is_ascii_punctuation() => self.punctuation(),
            _ => (first.len_utf8(), Class::Other, other),
        }
    }

    /// Length of the template text `from` bytes ahead, up to and with the closing backtick or up to `${`.
    fn template_text(&mut self, from: usize) -> usize {
        let bytes = self.text.as_bytes().get(self.position + from..).unwrap_or_default();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'`' => {
                    self.template = Template::Outside;
                    self.expect = Expect::Operator;
                    return at + 1;
                }
                b'\\' => at += 2,
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    self.template = Template::Hole;
                    return at;
                }
                _ => at += 1,
            }
        }
        self.template = Template::Outside;
        self.expect = Expect::Operator;
        bytes.len()
    }

    /// The comment at the current position, if there is one: its length.
    fn comment_length(&self) -> Option<usize> {
        let rest = self.rest();
        if rest.starts_with("//") || (self.position == 0 && rest.starts_with("#!")) {
            return Some(rest.find(is_line_break).unwrap_or(rest.len()));
        }
        let body = rest.strip_prefix("/*")?;
        Some(body.find("*/").map_or(rest.len(), |end| end + 4))
    }

    fn token(&self, class: Class, start: usize, boundary: bool, depth: usize) -> Token {
        Token { class, start, end: self.position, newline_before: self.newline, boundary, depth }
    }
}

impl Iterator for Scanner<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let start = self.position;
        match self.template {
            Template::Hole => {
                self.template = Template::Outside;
                let depth = self.depth();
                self.expect = Expect::Operand;
                let class = self.open(Frame::new(Kind::Hole, Expect::Operator, false), Expect::Operand);
                self.position += 2;
                return Some(self.token(class, start, false, depth));
            }
            Template::Text => {
                let length = self.template_text(0);
                if length == 0 && self.template == Template::Hole {
                    return self.next();
                }
                if length > 0 {
                    self.position += length;
                    self.newline = false;
                    return Some(self.token(Class::Text { link: false }, start, false, self.depth()));
                }
            }
            Template::Outside => {}
        }
        self.skip_white_space();
        let start = self.position;
        if let Some(length) = self.comment_length() {
            self.position += length;
            let token = self.token(Class::Comment, start, false, self.depth());
            // A line break inside or before a comment still counts for the token after it.
            self.newline |=
                self.text.get(start..self.position).is_some_and(|text| text.contains(is_line_break));
            return Some(token);
        }
        if start >= self.text.len() {
            return None;
        }
        let depth = self.depth();
        self.boundary = std::mem::replace(&mut self.complete, false);
        let (length, class, previous) = self.scan();
        self.position = (start + length.max(1)).min(self.text.len());
        while !self.text.is_char_boundary(self.position) {
            self.position += 1;
        }
        self.previous = previous;
        let token = self.token(class, start, self.boundary, depth);
        self.newline = false;
        Some(token)
    }
}
