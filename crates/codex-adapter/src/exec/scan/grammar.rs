//! The grammar as far as a bracket stack can follow it: what each token means for the next one.

use super::lexemes::{is_assignment, operator_length};
use super::{Class, Expect, Frame, Kind, Pending, Previous, Scanner, Template};

impl Scanner<'_> {
    /// Ends the statement where automatic semicolon insertion would, before a token that begins an operand.
    pub(super) fn insert_semicolon(&mut self, starts_operand: bool) {
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

    pub(super) fn open(&mut self, frame: Frame, inside: Expect) -> Class {
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

    pub(super) fn word(&mut self, word: &str) -> (Class, Previous) {
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

    pub(super) fn punctuation(&mut self) -> (usize, Class, Previous) {
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
}
