//! The reader's words: quotes, escapes, expansions and substitutions.
//!
//! A [`Word`]'s value is the text after quote removal, with expansions left as they are written; the
//! scripts inside its substitutions are read too, since they run as well.

use super::reader::{Reader, is_delimiter, is_name_byte};
use super::syntax::{Script, Word, WordKind};

impl Reader<'_> {
    /// Reads one word. Reads nothing when a delimiter stands at the position.
    pub(super) fn word(&mut self) -> Word {
        let mut word = Word::empty();
        let start = self.position;
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | b'>' if self.position == start && self.peek_at(1) == Some(b'(') => {
                    self.position += 2;
                    self.substitution(&mut word, start);
                }
                b'(' if self.opens_pattern_list(start) => self.pattern_list(&mut word),
                b'\r' if !matches!(self.peek_at(1), Some(b'\n') | None) => self.copy(&mut word),
                _ if is_delimiter(byte) => break,
                b'\\' => self.escape(&mut word),
                b'\'' => self.single_quoted(&mut word),
                b'"' => {
                    self.position += 1;
                    self.double_quoted(&mut word);
                }
                b'$' => self.dollar(&mut word, false),
                b'`' => self.backticks(&mut word, false),
                b'*' | b'?' | b'[' => {
                    word.kind = word.kind.max(WordKind::Pattern);
                    self.copy(&mut word);
                }
                b'~' if self.position == start => {
                    word.kind = word.kind.max(WordKind::Pattern);
                    self.copy(&mut word);
                }
                b'{' => {
                    // `{}` is no brace list: find and xargs use it.
                    if self.peek_at(1) != Some(b'}') {
                        word.kind = word.kind.max(WordKind::Pattern);
                    }
                    self.copy(&mut word);
                }
                _ => self.copy(&mut word),
            }
        }
        if word.value == "[" {
            // The program of that name, not a pattern.
            word.kind = WordKind::Literal;
        }
        word
    }

    /// The text of an expanded here-document: like the inside of double quotes, to the end of the source.
    pub(super) fn expanded_text(&mut self) -> Word {
        let mut word = Word::empty();
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.quoted_escape(&mut word),
                b'$' => self.dollar(&mut word, true),
                b'`' => self.backticks(&mut word, true),
                _ => self.copy(&mut word),
            }
        }
        word
    }

    /// Copies up to the next byte that could mean something (at least one code point).
    fn copy(&mut self, word: &mut Word) {
        let rest = self.rest();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let plain = rest.bytes().skip(first).take_while(|&byte| is_plain(byte)).count();
        let text = rest.get(..first + plain).unwrap_or_default();
        word.value.push_str(text);
        self.position += text.len();
    }

    fn escape(&mut self, word: &mut Word) {
        self.position += 1;
        if self.looking_at("\n") {
            self.position += 1;
        } else if self.looking_at("\r\n") {
            self.position += 2;
        } else if let Some(character) = self.rest().chars().next() {
            word.quoted = true;
            word.value.push(character);
            self.position += character.len_utf8();
        } else {
            word.value.push('\\');
        }
    }

    fn single_quoted(&mut self, word: &mut Word) {
        word.quoted = true;
        self.position += 1;
        let rest = self.rest();
        let Some(length) = memchr::memchr(b'\'', rest.as_bytes()) else { return self.give_up() };
        word.value.push_str(rest.get(..length).unwrap_or_default());
        self.position += length + 1;
    }

    /// The inside of double quotes, up to and with the closing one.
    fn double_quoted(&mut self, word: &mut Word) {
        word.quoted = true;
        loop {
            match self.peek() {
                None => return self.give_up(),
                Some(b'"') => {
                    self.position += 1;
                    return;
                }
                Some(b'\\') => self.quoted_escape(word),
                Some(b'$') => self.dollar(word, true),
                Some(b'`') => self.backticks(word, true),
                Some(_) => self.copy(word),
            }
        }
    }

    fn quoted_escape(&mut self, word: &mut Word) {
        match self.peek_at(1) {
            Some(b'\n') => self.position += 2,
            Some(escaped @ (b'$' | b'`' | b'"' | b'\\')) => {
                word.value.push(char::from(escaped));
                self.position += 2;
            }
            _ => {
                word.value.push('\\');
                self.position += 1;
            }
        }
    }

    /// `$…`, whatever it is.
    fn dollar(&mut self, word: &mut Word, quoted: bool) {
        let start = self.position;
        self.position += 1;
        match self.peek() {
            Some(b'\'') if !quoted => {
                word.quoted = true;
                self.position += 1;
                self.ansi_quoted(word);
            }
            Some(b'"') if !quoted => {
                self.position += 1;
                self.double_quoted(word);
            }
            Some(b'(') => {
                if self.peek_at(1) == Some(b'(')
                    && let Some(end) = self.arithmetic_end(self.position + 2)
                {
                    self.position += 2;
                    let inner = self.arithmetic(end);
                    word.scripts.extend(inner.scripts);
                    self.expansion(word, start);
                } else {
                    self.position += 1;
                    self.substitution(word, start);
                }
            }
            Some(b'{') => {
                self.position += 1;
                self.nested(|reader| reader.braced(word, quoted));
                self.expansion(word, start);
            }
            Some(byte) if is_name_byte(byte) && !byte.is_ascii_digit() => {
                while self.peek().is_some_and(is_name_byte) {
                    self.position += 1;
                }
                self.expansion(word, start);
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.position += 1;
                self.expansion(word, start);
            }
            _ => word.value.push('$'),
        }
    }

    /// Puts the source since `start` into the value, as the expansion that it is.
    fn expansion(&mut self, word: &mut Word, start: usize) {
        word.kind = WordKind::Dynamic;
        word.value.push_str(self.slice_from(start));
    }

    /// The script of a substitution whose opening has been read.
    fn substitution(&mut self, word: &mut Word, start: usize) {
        let script = self.parenthesised();
        word.scripts.push(script);
        self.expansion(word, start);
    }

    /// The inside of `${…}`, up to and with the brace. Only its scripts matter.
    fn braced(&mut self, word: &mut Word, quoted: bool) {
        let mut inner = Word::empty();
        loop {
            match self.peek() {
                None => {
                    self.give_up();
                    break;
                }
                Some(b'}') => {
                    self.position += 1;
                    break;
                }
                Some(b'\\') => self.escape(&mut inner),
                Some(b'\'') if !quoted => self.single_quoted(&mut inner),
                Some(b'"') => {
                    self.position += 1;
                    self.nested(|reader| reader.double_quoted(&mut inner));
                }
                Some(b'$') => self.dollar(&mut inner, quoted),
                Some(b'`') => self.backticks(&mut inner, quoted),
                Some(_) => self.copy(&mut inner),
            }
        }
        word.scripts.append(&mut inner.scripts);
    }

    /// `` `…` ``: the text loses one level of backslashes and is a script of its own.
    fn backticks(&mut self, word: &mut Word, quoted: bool) {
        let start = self.position;
        self.position += 1;
        let mut inner = String::new();
        loop {
            let rest = self.rest();
            let Some(length) = memchr::memchr2(b'`', b'\\', rest.as_bytes()) else { return self.give_up() };
            inner.push_str(rest.get(..length).unwrap_or_default());
            self.position += length;
            if self.peek() == Some(b'`') {
                self.position += 1;
                break;
            }
            match self.peek_at(1) {
                Some(escaped @ (b'`' | b'\\' | b'$')) => inner.push(char::from(escaped)),
                Some(b'"') if quoted => inner.push('"'),
                _ => {
                    inner.push('\\');
                    self.position += 1;
                    continue;
                }
            }
            self.position += 2;
        }
        let script: Script = self.nested(|reader| Reader::new(&inner, reader.depth).script());
        if !script.complete {
            return self.give_up();
        }
        word.scripts.push(script);
        self.expansion(word, start);
    }

    /// `$'…'`, whose escapes are C's.
    fn ansi_quoted(&mut self, word: &mut Word) {
        loop {
            let rest = self.rest();
            let Some(length) = memchr::memchr2(b'\'', b'\\', rest.as_bytes()) else { return self.give_up() };
            word.value.push_str(rest.get(..length).unwrap_or_default());
            self.position += length + 1;
            if rest.as_bytes().get(length) == Some(&b'\'') {
                return;
            }
            let Some(escape) = self.rest().chars().next() else { return self.give_up() };
            self.position += escape.len_utf8();
            match escape {
                'n' => word.value.push('\n'),
                't' => word.value.push('\t'),
                'r' => word.value.push('\r'),
                'a' => word.value.push('\u{7}'),
                'b' => word.value.push('\u{8}'),
                'e' | 'E' => word.value.push('\u{1b}'),
                'f' => word.value.push('\u{c}'),
                'v' => word.value.push('\u{b}'),
                '0'..='7' => {
                    self.position -= 1;
                    self.numeric_escape(word, 8, 3);
                }
                'x' => self.numeric_escape(word, 16, 2),
                'u' => self.numeric_escape(word, 16, 4),
                'U' => self.numeric_escape(word, 16, 8),
                '\\' | '\'' | '"' | '?' => word.value.push(escape),
                other => {
                    word.value.push('\\');
                    word.value.push(other);
                }
            }
        }
    }

    fn numeric_escape(&mut self, word: &mut Word, radix: u32, most: usize) {
        let digits = self.rest().chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
        let number = self.rest().get(..digits).and_then(|text| u32::from_str_radix(text, radix).ok());
        word.value.push(number.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
        self.position += digits;
    }

    /// Whether the `(` at the position opens an extended glob such as `@(a|b)`.
    fn opens_pattern_list(&self, start: usize) -> bool {
        self.position > start && self.slice_from(start).ends_with(['@', '?', '*', '+', '!'])
    }

    fn pattern_list(&mut self, word: &mut Word) {
        word.kind = word.kind.max(WordKind::Pattern);
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                b'\\' => {
                    self.escape(word);
                    continue;
                }
                b'\'' => {
                    self.single_quoted(word);
                    continue;
                }
                b'$' => {
                    self.dollar(word, true);
                    continue;
                }
                b'"' | b'`' | b'\n' => return self.give_up(),
                _ => {}
            }
            self.copy_one(word);
            if open == 0 {
                return;
            }
        }
        self.give_up();
    }

    fn copy_one(&mut self, word: &mut Word) {
        if let Some(character) = self.rest().chars().next() {
            word.value.push(character);
            self.position += character.len_utf8();
        }
    }

    // ---- arithmetic ----

    /// Where the `))` of an arithmetic expression begins whose text starts at `from`; nothing if that text is
    /// rather a subshell's. A flat look-ahead with a budget for the whole source.
    pub(super) fn arithmetic_end(&mut self, from: usize) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let mut open = 0_usize;
        let mut at = from;
        let mut quote = None;
        while let Some(&byte) = bytes.get(at) {
            if at - from >= self.look_ahead {
                self.look_ahead = 0;
                self.give_up();
                return None;
            }
            match (byte, quote) {
                (b'\\', _) => at += 1,
                (_, Some(mark)) => quote = Some(mark).filter(|mark| *mark != byte),
                (b'\'' | b'"', None) => quote = Some(byte),
                (b'(', None) => open += 1,
                (b')', None) if open > 0 => open -= 1,
                (b')', None) => {
                    self.look_ahead -= at - from;
                    return (bytes.get(at + 1) == Some(&b')')).then_some(at);
                }
                _ => {}
            }
            at += 1;
        }
        self.look_ahead = self.look_ahead.saturating_sub(at - from);
        None
    }

    /// The expression up to `end` and its `))`, as a word.
    pub(super) fn arithmetic(&mut self, end: usize) -> Word {
        let mut word = Word::empty();
        self.nested(|reader| {
            while reader.position < end {
                match reader.peek() {
                    Some(b'$') => reader.dollar(&mut word, true),
                    Some(b'`') => reader.backticks(&mut word, true),
                    _ => reader.copy_one(&mut word),
                }
            }
        });
        if self.position == end {
            self.position += 2;
        } else {
            self.give_up();
        }
        word.kind = WordKind::Dynamic;
        word
    }
}

/// Whether a byte means nothing to the reader wherever it stands inside a word.
fn is_plain(byte: u8) -> bool {
    !is_delimiter(byte)
        && !matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'`' | b'*' | b'?' | b'[' | b'{' | b'}')
}
