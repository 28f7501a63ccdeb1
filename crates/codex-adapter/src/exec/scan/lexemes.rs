//! The lexemes of JavaScript: which characters they are made of, and how long they are.

/// White space of JavaScript that is no line break (ECMA-262 §12.2).
pub(super) fn is_white_space(c: char) -> bool {
    c == '\u{FEFF}' || (c.is_whitespace() && !is_line_break(c) && c != '\u{85}')
}

/// A line terminator of JavaScript (ECMA-262 §12.3).
pub(in crate::exec) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// White space or a line terminator of JavaScript.
pub(in crate::exec) fn is_blank(c: char) -> bool {
    is_white_space(c) || is_line_break(c)
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#' | '\\') || (!c.is_ascii() && !is_blank(c))
}

/// Length of a name or keyword, with escapes such as `\u{61}`.
pub(super) fn word_length(text: &str) -> usize {
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

pub(super) fn number_length(text: &str) -> usize {
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
pub(super) fn string_length(text: &str, quote: char) -> usize {
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
pub(super) fn regex_length(text: &str) -> Option<usize> {
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
pub(super) fn operator_length(text: &str) -> usize {
    const OPERATORS: [&str; 34] = [
        ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=",
        ">=", "&&", "||", "??", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
        "=", "?",
    ];
    OPERATORS.iter().find(|operator| text.starts_with(**operator)).map_or(1, |operator| operator.len())
}

/// Whether an operator assigns.
pub(super) fn is_assignment(operator: &str) -> bool {
    operator.ends_with('=') && !matches!(operator, "==" | "===" | "!=" | "!==" | "<=" | ">=")
}
