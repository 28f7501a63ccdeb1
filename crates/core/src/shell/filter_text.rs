//! Reads sed scripts and awk programs just far enough to tell what they do: print a range of lines, filter
//! harmlessly, or something that may write or run.

use super::lines::Lines;

/// What a sed script or an awk program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It prints a part of its input unchanged.
    Prints(Lines),
    /// It edits the stream and touches nothing else.
    Filters,
    /// It may write files or run commands, or was not understood.
    Unclear,
}

/// What a sed script does; `quiet` is `-n`. `literal` is false when the shell expands parts of the script:
/// then only an address with `p` is understood.
pub(super) fn sed(script: &str, quiet: bool, literal: bool) -> Effect {
    if !literal {
        let address = script.strip_suffix('p').filter(|_| quiet);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"$,_{}()+- ".contains(&byte);
        return match address {
            Some(address) if address.bytes().all(plain) => Effect::Prints(Lines::Part),
            Some(_) | None => Effect::Unclear,
        };
    }
    SedReader { rest: script }.script(quiet).unwrap_or(Effect::Unclear)
}

/// An address of a sed command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Address {
    Line(u64),
    Last,
    Other,
}

struct SedReader<'a> {
    rest: &'a str,
}

impl SedReader<'_> {
    /// Nothing: not understood.
    fn script(mut self, quiet: bool) -> Option<Effect> {
        let mut printed = Vec::new();
        let mut stopped = None;
        let mut edits = false;
        loop {
            self.rest =
                self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ';' || c == '}');
            if self.rest.is_empty() {
                break;
            }
            if self.rest.starts_with('#') {
                self.skip_line();
                continue;
            }
            let first = self.address()?;
            self.skip_blanks();
            let mut second = None;
            if first.is_some() && self.take(',') {
                self.skip_blanks();
                if self.take('+') || self.take('~') {
                    self.number()?;
                    second = Some(Address::Other);
                } else {
                    second = Some(self.address()??);
                }
                self.skip_blanks();
            }
            let negated = self.take('!');
            self.skip_blanks();
            let command = self.rest.chars().next()?;
            self.rest = self.rest.get(command.len_utf8()..)?;
            match command {
                'p' if !negated && quiet => printed.push(lines(first, second)),
                'q' | 'Q' => {
                    let _exit_code = self.number();
                    stopped = Some(lines(first, None));
                }
                '{' if !negated && self.rest.trim_start().starts_with(['p', 'q']) && first.is_some() => {
                    // `10,20{p}` and `10{p;q}`: the group prints its own range.
                    printed.push(lines(first, second));
                    let group = self.rest.split_once('}')?;
                    if !group.0.chars().all(|c| matches!(c, 'p' | 'q' | ';' | ' ')) {
                        return None;
                    }
                    self.rest = group.1;
                }
                '=' | 'p' | '{' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'l' | 'n' | 'N' | 'P' | 'x' | 'z'
                | 'F' => {
                    edits = true;
                }
                'a' | 'i' | 'c' | 'b' | 't' | 'T' | ':' | 'r' | 'R' => {
                    edits = true;
                    self.skip_line();
                }
                's' => {
                    edits = true;
                    self.delimited(2)?;
                    let flags =
                        self.rest.bytes().take_while(|byte| b"gpiImM0123456789".contains(byte)).count();
                    self.rest = self.rest.get(flags..)?;
                }
                'y' => {
                    edits = true;
                    self.delimited(2)?;
                }
                _ => return None,
            }
            self.skip_blanks();
            if !(self.rest.is_empty() || self.rest.starts_with(['\n', ';', '}', '#'])) && command != '{' {
                return None;
            }
        }
        Some(match (printed.as_slice(), stopped) {
            _ if edits => Effect::Filters,
            ([one], _) => Effect::Prints(*one),
            // `20q`: all lines up to the 20th.
            ([], Some(Lines::Range(range))) if !quiet => Effect::Prints(Lines::range(1, range.last)),
            ([], _) => Effect::Filters,
            (_, _) => Effect::Prints(Lines::Part),
        })
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn skip_line(&mut self) {
        self.rest = self.rest.find('\n').and_then(|at| self.rest.get(at..)).unwrap_or_default();
    }

    fn take(&mut self, mark: char) -> bool {
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest.get(..digits)?.parse().ok()?;
        self.rest = self.rest.get(digits..)?;
        Some(number)
    }

    /// An address, or none; the outer nothing means that it was not understood.
    #[expect(clippy::option_option, reason = "no address and an unreadable address differ")]
    fn address(&mut self) -> Option<Option<Address>> {
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let line = self.number()?;
            if self.take('~') {
                self.number()?;
                return Some(Some(Address::Other));
            }
            return Some(Some(Address::Line(line)));
        }
        if self.take('$') {
            return Some(Some(Address::Last));
        }
        if self.rest.starts_with('/') || self.take('\\') {
            self.delimited(1)?;
            self.rest = self.rest.trim_start_matches(['I', 'M']);
            return Some(Some(Address::Other));
        }
        Some(None)
    }

    /// Skips a delimiter and `parts` texts that it ends, as in `/re/` and `s,a,b,`.
    fn delimited(&mut self, parts: usize) -> Option<()> {
        let mut characters = self.rest.char_indices().peekable();
        let (_, delimiter) = characters.next()?;
        let mut left = parts;
        let mut in_class = false;
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => {
                    characters.next()?;
                }
                // Inside a bracket expression the delimiter is an ordinary character.
                '[' if left == parts && delimiter != '[' && !in_class => {
                    in_class = true;
                    // A `]` that comes first stands for itself.
                    let _ = characters.next_if(|(_, next)| *next == '^');
                    let _ = characters.next_if(|(_, next)| *next == ']');
                }
                ']' => in_class = false,
                _ if character == delimiter && !in_class => {
                    left -= 1;
                    if left == 0 {
                        self.rest = self.rest.get(at + character.len_utf8()..)?;
                        return Some(());
                    }
                }
                _ => {}
            }
        }
        None
    }
}

fn lines(first: Option<Address>, second: Option<Address>) -> Lines {
    match (first, second) {
        (None, _) => Lines::All,
        (Some(Address::Line(line)), None) => Lines::range(line, Some(line)),
        (Some(Address::Line(first)), Some(Address::Line(last))) => Lines::range(first, Some(last.max(first))),
        (Some(Address::Line(first)), Some(Address::Last)) => Lines::range(first, None),
        (Some(Address::Last), None) => Lines::Last(1),
        (Some(Address::Line(_) | Address::Last | Address::Other), _) => Lines::Part,
    }
}

/// What an awk program does.
pub(super) fn awk(program: &str) -> Effect {
    let program = program.trim();
    if let Some(lines) = awk_range(program) {
        return Effect::Prints(lines);
    }
    // Outside an action `>` compares; inside it may open a file, and `|` a command.
    let action = program.find('{').and_then(|at| program.get(at..)).unwrap_or_default();
    let compared = action.replace(">=", "").replace("||", "");
    let runs = ["system", "getline", "@load", "@include"].iter().any(|word| program.contains(word));
    if runs || compared.contains(['>', '|']) || program.replace("||", "").contains('|') {
        Effect::Unclear
    } else {
        Effect::Filters
    }
}

/// `NR>=a && NR<=b`, `NR==a,NR==b` and their like, with no action or one that prints the line.
fn awk_range(program: &str) -> Option<Lines> {
    let (pattern, action) = match program.split_once('{') {
        Some((pattern, action)) => (pattern, Some(action.strip_suffix('}')?)),
        None => (program, None),
    };
    if let Some(action) = action {
        let printed = action.trim().trim_end_matches(';').strip_prefix("print")?;
        let with_number = printed.contains("NR") && printed.contains("$0");
        let plain = !printed.contains(['>', '|', '(', ';']);
        if !(plain && (with_number || matches!(printed.trim(), "" | "$0"))) {
            return None;
        }
    }
    let pattern: String = pattern.chars().filter(|c| !c.is_whitespace()).collect();
    let pattern = pattern.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(&pattern);
    if let Some((first, last)) = pattern.split_once(',') {
        let (first, last) = (comparison(first)?, comparison(last)?);
        return match (first, last) {
            (("==", first), ("==", last)) => Some(Lines::range(first, Some(last))),
            _ => None,
        };
    }
    let mut first = 1_u64;
    let mut last = None;
    for part in pattern.split("&&") {
        match comparison(part)? {
            ("==", line) => (first, last) = (line, Some(line)),
            (">=", line) => first = line,
            (">", line) => first = line.saturating_add(1),
            ("<=", line) => last = Some(line),
            ("<", line) => last = Some(line.saturating_sub(1)),
            _ => return None,
        }
    }
    Some(Lines::range(first, last))
}

/// `NR` or `FNR`, an operator, a number.
fn comparison(text: &str) -> Option<(&str, u64)> {
    let rest = text.strip_prefix('F').unwrap_or(text).strip_prefix("NR")?;
    let operator = rest.bytes().take_while(|byte| b"<>=".contains(byte)).count();
    let number = rest.get(operator..)?.parse().ok()?;
    Some((rest.get(..operator)?, number))
}
