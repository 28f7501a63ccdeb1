//! A lexical scanner for JavaScript: just enough to tell code from text, and one statement from the next.
//!
//! It feeds the pre-scan ([`super::bounds`]) and the statement splitter ([`super::statements`]), both of which must
//! work before, or without, a parser. It is iterative, reads the input once, keeps one small frame for each open
//! bracket and accepts any string: what is no JavaScript still comes out as tokens that cover every character but
//! white space. Whether a `/` divides or opens a regular expression follows the grammar of ECMA-262 §12 as far as a
//! bracket stack can; a wrong guess costs a wrong line break, never safety (the parser has its own guards).

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

    /// Ends the statement where automatic semicolon insertion would, before a token that begins an operand.
    fn insert_semicolon(&mut self, starts_operand: bool) {
        if !self.newline {
            return;
        }
        let restricted = self.previous == Previous::Restricted;
        let kind = self.frame().kind;
        match kind {
            Kind::Statements if restricted || (self.expect == Expect::Operator && starts_operand) => {
                self.expect = Expect::Statement;
                self.boundary = true;
                let frame = self.frame();
                frame.pending = Pending::Nothing;
                frame.ternaries = 0;
            }
            Kind::Members if self.expect == Expect::Operator && starts_operand => {
                self.expect = Expect::Key;
                self.frame().pending = Pending::Nothing;
            }
            Kind::Statements | Kind::Members | Kind::Object | Kind::Paren | Kind::Bracket | Kind::Hole => {}
        }
    }

    fn open(&mut self, frame: Frame, inside: Expect) -> Class {
        let link = self.expect == Expect::Operator;
        self.frames.push(frame);
        self.expect = inside;
        self.complete = false;
        Class::Open { link }
    }

    fn close(&mut self, closes: &[Kind]) -> Class {
        if self.frames.len() > 1 && closes.contains(&self.frame().kind) {
            let after = self.frame().after;
            self.complete = self.frame().completes;
            self.frames.pop();
            self.expect = after;
        }
        Class::Close
    }

    fn open_brace(&mut self) -> Class {
        self.insert_semicolon(true);
        let previous = self.previous;
        let expect = self.expect;
        let frame = self.frame();
        let (kind, pending) = (frame.kind, frame.pending);
        let block = |after| Frame::new(Kind::Statements, after, after == Expect::Statement);
        let opened = match (pending, expect) {
            (Pending::Class(after), Expect::Operator) => {
                frame.pending = Pending::Nothing;
                Frame::new(Kind::Members, after, after == Expect::Statement)
            }
            (Pending::Function(after), _) if previous == Previous::CloseParen => {
                frame.pending = Pending::Nothing;
                block(after)
            }
            (Pending::Block, Expect::Operator) => {
                frame.pending = Pending::Nothing;
                block(Expect::Statement)
            }
            _ if previous == Previous::Arrow => block(Expect::Operator),
            (_, Expect::Statement) => block(Expect::Statement),
            (_, Expect::Key) if kind == Kind::Members => block(Expect::Key),
            (_, Expect::Operator) if previous == Previous::CloseParen && kind == Kind::Members => {
                block(Expect::Key)
            }
            (_, Expect::Operator) if previous == Previous::CloseParen => block(Expect::Operator),
            _ => Frame::new(Kind::Object, Expect::Operator, false),
        };
        let inside = match opened.kind {
            Kind::Statements => Expect::Statement,
            Kind::Members | Kind::Object => Expect::Key,
            Kind::Paren | Kind::Bracket | Kind::Hole => Expect::Operand,
        };
        self.open(opened, inside)
    }

    fn close_brace(&mut self) -> (Class, Previous) {
        let frame = *self.frame();
        let class = self.close(&[Kind::Statements, Kind::Members, Kind::Object, Kind::Hole]);
        if frame.kind == Kind::Hole {
            self.template = Template::Text;
        }
        let arrow_body = frame.kind == Kind::Statements && frame.after == Expect::Operator;
        (class, if arrow_body { Previous::ArrowBody } else { Previous::Other })
    }

    fn word(&mut self, word: &str) -> (Class, Previous) {
        let property = self.previous == Previous::Dot;
        if property {
            self.expect = Expect::Operator;
            return (Class::Operand, Previous::Other);
        }
        let continues = match word {
            "else" | "catch" | "finally" => true,
            "while" => self.frame().dos > 0 && (self.boundary || self.expect == Expect::Operator),
            _ => false,
        };
        if continues {
            self.boundary = false;
            self.expect = Expect::Statement;
        } else {
            self.insert_semicolon(!matches!(word, "in" | "instanceof"));
        }
        if self.expect == Expect::Key {
            if !matches!(word, "get" | "set" | "static" | "async" | "accessor") {
                self.expect = Expect::Operator;
            }
            return (Class::Operand, Previous::Other);
        }
        let statement = self.expect == Expect::Statement || self.previous == Previous::Modifier;
        let placed = if statement { Expect::Statement } else { Expect::Operator };
        let in_paren = self.frame().kind == Kind::Paren;
        let (class, expect, pending, previous) = match word {
            "if" | "for" | "with" => {
                (Class::Nesting, Expect::Operator, Some(Pending::Head { completes: false }), Previous::Other)
            }
            "while" => {
                if continues {
                    self.frame().dos -= 1;
                }
                (
                    Class::Nesting,
                    Expect::Operator,
                    Some(Pending::Head { completes: continues }),
                    Previous::Other,
                )
            }
            "do" => {
                self.frame().dos += 1;
                (Class::Nesting, Expect::Statement, None, Previous::Other)
            }
            "else" | "try" | "finally" => (Class::Nesting, Expect::Statement, None, Previous::Other),
            "switch" | "catch" => (Class::Operand, Expect::Operator, Some(Pending::Block), Previous::Other),
            "function" => {
                (Class::Declaration, Expect::Operator, Some(Pending::Function(placed)), Previous::Other)
            }
            "class" => (Class::Declaration, Expect::Operator, Some(Pending::Class(placed)), Previous::Other),
            "case" => {
                self.frame().case = true;
                (Class::Operand, Expect::Operand, None, Previous::Other)
            }
            "default" if statement && self.previous != Previous::Modifier => {
                self.frame().case = true;
                (Class::Operand, Expect::Operator, None, Previous::Other)
            }
            "default" if statement => (Class::Operand, Expect::Operand, None, Previous::Modifier),
            "async" | "export" if statement => (Class::Operand, Expect::Operator, None, Previous::Modifier),
            "break" | "continue" => (Class::Operand, Expect::Operator, None, Previous::Restricted),
            "return" | "throw" => (Class::Operand, Expect::Operand, None, Previous::Restricted),
            "typeof" | "void" | "delete" | "await" | "yield" | "new" => {
                (Class::Nesting, Expect::Operand, None, Previous::Other)
            }
            "in" | "instanceof" => (Class::Infix, Expect::Operand, None, Previous::Other),
            "of" if in_paren && self.expect == Expect::Operator => {
                (Class::Infix, Expect::Operand, None, Previous::Other)
            }
            "let" | "const" | "var" => (Class::Declaration, Expect::Operand, None, Previous::Other),
            "import" => (Class::Declaration, Expect::Operator, None, Previous::Other),
            "extends" => (Class::Operand, Expect::Operand, None, Previous::Other),
            _ => (Class::Operand, Expect::Operator, None, Previous::Other),
        };
        if let Some(pending) = pending {
            self.frame().pending = pending;
        }
        self.expect = expect;
        (class, previous)
    }

    fn colon(&mut self) -> Class {
        let frame = self.frame();
        if frame.ternaries > 0 {
            frame.ternaries -= 1;
            self.expect = Expect::Operand;
            return Class::Nesting;
        }
        match frame.kind {
            Kind::Statements => {
                let case = std::mem::replace(&mut frame.case, false);
                self.expect = Expect::Statement;
                if case { Class::Other } else { Class::Nesting }
            }
            Kind::Members | Kind::Object | Kind::Paren | Kind::Bracket | Kind::Hole => {
                self.expect = Expect::Operand;
                Class::Other
            }
        }
    }

    /// An operator, given its text; what it does depends on whether an operand came before it.
    fn operator(&mut self, operator: &str) -> (Class, Previous) {
        let binary = self.expect == Expect::Operator;
        let class = match operator {
            "++" | "--" => {
                if binary && self.newline {
                    self.insert_semicolon(true);
                }
                if self.expect == Expect::Operator {
                    return (Class::Infix, Previous::Other);
                }
                Class::Nesting
            }
            "=>" => {
                self.expect = Expect::Operand;
                return (Class::Nesting, Previous::Arrow);
            }
            "!" | "~" => {
                self.insert_semicolon(true);
                Class::Nesting
            }
            "*" if self.expect == Expect::Key => return (Class::Other, Previous::Other),
            // The star of `function*`; what follows is a name or a parenthesis.
            "*" if matches!(self.frame().pending, Pending::Function(_)) => {
                return (Class::Other, Previous::Other);
            }
            "?" => {
                self.frame().ternaries += 1;
                Class::Nesting
            }
            "..." | "**" | "&&" | "||" | "??" => Class::Nesting,
            _ if is_assignment(operator) => Class::Nesting,
            _ if binary => Class::Infix,
            _ => Class::Nesting,
        };
        self.expect = Expect::Operand;
        (class, Previous::Other)
    }

    fn punctuation(&mut self) -> (usize, Class, Previous) {
        let other = Previous::Other;
        match self.peek(0) {
            b'(' => {
                self.insert_semicolon(false);
                let frame = self.frame();
                let (after, completes) = match frame.pending {
                    Pending::Head { completes } => {
                        frame.pending = Pending::Nothing;
                        (Expect::Statement, completes)
                    }
                    Pending::Nothing | Pending::Block | Pending::Function(_) | Pending::Class(_) => {
                        (Expect::Operator, false)
                    }
                };
                (1, self.open(Frame::new(Kind::Paren, after, completes), Expect::Operand), other)
            }
            b')' => (1, self.close(&[Kind::Paren]), Previous::CloseParen),
            b'[' => {
                let key = self.frame().kind == Kind::Members && self.newline;
                if key && self.expect == Expect::Operator {
                    self.expect = Expect::Key;
                }
                (1, self.open(Frame::new(Kind::Bracket, Expect::Operator, false), Expect::Operand), other)
            }
            b']' => (1, self.close(&[Kind::Bracket]), other),
            b'{' => (1, self.open_brace(), other),
            b'}' => {
                let (class, previous) = self.close_brace();
                (1, class, previous)
            }
            b';' => {
                // It always belongs to what is before it.
                self.boundary = false;
                let frame = self.frame();
                frame.ternaries = 0;
                frame.pending = Pending::Nothing;
                self.expect = match frame.kind {
                    Kind::Statements => Expect::Statement,
                    Kind::Members => Expect::Key,
                    Kind::Object | Kind::Paren | Kind::Bracket | Kind::Hole => Expect::Operand,
                };
                self.complete = self.frame().kind == Kind::Statements;
                (1, Class::Other, other)
            }
            b',' => {
                self.expect = match self.frame().kind {
                    Kind::Object => Expect::Key,
                    Kind::Statements | Kind::Members | Kind::Paren | Kind::Bracket | Kind::Hole => {
                        Expect::Operand
                    }
                };
                (1, Class::Comma, other)
            }
            b':' => (1, self.colon(), other),
            b'.' if !self.rest().starts_with("...") => (1, Class::Link, Previous::Dot),
            b'?' if self.peek(1) == b'.' && !self.peek(2).is_ascii_digit() => (2, Class::Link, Previous::Dot),
            _ => {
                let length = operator_length(self.rest());
                let text = self.rest().get(..length).unwrap_or_default();
                let (class, previous) = self.operator(text);
                (length, class, previous)
            }
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

/// White space of JavaScript that is no line break (ECMA-262 §12.2).
fn is_white_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && !is_line_break(c) && c != '\u{85}')
}

/// A line terminator of JavaScript (ECMA-262 §12.3).
pub(super) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// White space or a line terminator of JavaScript.
pub(super) fn is_blank(c: char) -> bool {
    is_white_space(c) || is_line_break(c)
}

fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#' | '\\') || (!c.is_ascii() && !is_blank(c))
}

/// Length of a name or keyword, with escapes such as `\u{61}`.
fn word_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if text.get(..at).is_some_and(|word| word.ends_with("\\u")) && c == '{' {
            escaped = true;
        } else if escaped && c == '}' {
            escaped = false;
        } else if !is_word_char(c) {
            return at;
        }
    }
    text.len()
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let hexadecimal = bytes.get(1).is_some_and(|b| matches!(b, b'x' | b'X' | b'o' | b'O' | b'b' | b'B'));
    let mut dot = hexadecimal;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let exponent = !hexadecimal && at > 0 && matches!(bytes[at - 1], b'e' | b'E');
        match byte {
            b'.' if !dot => dot = true,
            b'+' | b'-' if exponent => {}
            _ if byte.is_ascii_alphanumeric() || byte == b'_' => {}
            _ => break,
        }
        at += 1;
    }
    at
}

/// Length of a string with its quotes; one that is not closed ends before the line break.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if escaped => {
                escaped = false;
                if c == '\r' {
                    chars.next_if(|&(_, next)| next == '\n');
                }
            }
            '\\' => escaped = true,
            '\n' | '\r' => return at,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of a regular expression with its flags, or `None` when the line ends first.
fn regex_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    let mut class = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_line_break(c) => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => return Some(at + 1 + word_length(text.get(at + 1..).unwrap_or_default())),
            _ => {}
        }
    }
    None
}

/// Length of the longest operator `text` begins with, at least one byte.
fn operator_length(text: &str) -> usize {
    const OPERATORS: [&str; 34] = [
        ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=",
        ">=", "&&", "||", "??", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
        "=", "?",
    ];
    OPERATORS.iter().find(|operator| text.starts_with(**operator)).map_or(1, |operator| operator.len())
}

/// Whether an operator assigns.
fn is_assignment(operator: &str) -> bool {
    operator.ends_with('=') && !matches!(operator, "==" | "===" | "!=" | "!==" | "<=" | ">=")
}
