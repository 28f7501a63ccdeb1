//! The words of code told apart: comments, strings, numbers, key words.
//!
//! A lexer of what most languages share, not a parser of any: it never needs to be right for the page to be right. One
//! pass, no look-back; a string that does not end, on its line unless it may go on, is no string. The classes are `com`,
//! `str`, `num`, `key`.

mod syntax;

use syntax::{Syntax, syntax_of};

use crate::escape;

/// How far a word or a string is looked for, in bytes. It bounds the time that a long line takes.
const LOOK_AHEAD: usize = 1024;

/// Appends code. A language that is not known is text.
pub(crate) fn code(out: &mut String, language: &str, body: &str) {
    let Some(syntax) = syntax_of(language) else {
        escape::text(out, body);
        return;
    };
    // Where what has not been written yet begins, and where is read.
    let (mut plain, mut at) = (0, 0);
    // Where the word begins that is being read.
    let mut word: Option<usize> = None;
    while let Some(rest) = body.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or_default();
        let token = match word.and_then(|start| body.get(start..at)) {
            None => token(&syntax, rest, body.get(..at).unwrap_or_default()),
            Some(word) if is_prefix(&syntax, word) => string(&syntax, rest),
            Some(_) => None,
        };
        match token {
            Some((class, length)) => {
                escape::text(out, body.get(plain..at).unwrap_or_default());
                out.push_str("<span class=\"");
                out.push_str(class);
                out.push_str("\">");
                escape::text(out, rest.get(..length).unwrap_or_default());
                out.push_str("</span>");
                at += length;
                (plain, word) = (at, None);
            }
            None => {
                word = is_of_word(first).then(|| word.unwrap_or(at));
                at += first.len_utf8();
            }
        }
    }
    escape::text(out, body.get(plain..).unwrap_or_default());
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What begins here: its class and its length in bytes, which is not 0.
fn token(syntax: &Syntax, rest: &str, before: &str) -> Option<(&'static str, usize)> {
    let line = first_line(rest);
    if let Some((open, close)) = syntax.block_comment
        && let Some(inner) = rest.strip_prefix(open)
    {
        return Some(("com", inner.find(close).map_or(rest.len(), |end| open.len() + end + close.len())));
    }
    // `$#` and `a#b` are no comments of a shell; `://` is none of C.
    let alone = before.chars().next_back().is_none_or(|c| c.is_whitespace() || ";({[,".contains(c));
    if alone && syntax.line_comments.iter().any(|open| line.starts_with(open)) {
        return Some(("com", rest.find('\n').unwrap_or(rest.len())));
    }
    let first = rest.chars().next()?;
    if syntax.quotes.contains(&first) {
        return string(syntax, rest);
    }
    if first.is_ascii_digit() {
        let length = line.find(|c: char| !(is_of_word(c) || c == '.')).unwrap_or(line.len());
        return Some(("num", length));
    }
    if is_of_word(first) {
        let length = line.find(|c: char| !is_of_word(c)).unwrap_or(line.len());
        return syntax.keywords.contains(&line.get(..length)?).then_some(("key", length));
    }
    None
}

/// The string that begins here, if one does.
fn string(syntax: &Syntax, rest: &str) -> Option<(&'static str, usize)> {
    for quotes in syntax.block_quotes {
        if let Some(inner) = rest.strip_prefix(quotes) {
            return Some(("str", inner.find(quotes)? + 2 * quotes.len()));
        }
    }
    let line = first_line(rest);
    let quote = line.chars().next().filter(|first| syntax.quotes.contains(first))?;
    let length = string_length(line, quote)?;
    let is_character = line.get(..length)?.chars().count() <= 3 || line.starts_with("'\\");
    (quote != '\'' || !syntax.has_lone_quotes || is_character).then_some(("str", length))
}

/// Whether a word may stand right before a string, as in `f"{x}"`.
fn is_prefix(syntax: &Syntax, word: &str) -> bool {
    syntax.string_prefixes.iter().any(|prefix| prefix.eq_ignore_ascii_case(word))
}

/// The first line, or what is looked at of it.
fn first_line(text: &str) -> &str {
    let seen = text.get(..text.floor_char_boundary(LOOK_AHEAD)).unwrap_or(text);
    seen.split('\n').next().unwrap_or(seen)
}

/// How long the string is that this line begins with, its quotes included.
fn string_length(line: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in line.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::{code, syntax_of};
    use crate::testing::check_fragment;

    /// `{com …}` stands for an element of that class.
    fn check(language: &str, body: &str, expected: &str) {
        let mut out = String::new();
        code(&mut out, language, body);
        let mut shown = out.replace("</span>", "}");
        for class in ["com", "str", "num", "key"] {
            shown = shown.replace(&format!("<span class=\"{class}\">"), &format!("{{{class} "));
        }
        assert_eq!(shown, expected, "{language}");
    }

    #[test]
    fn words_are_told_apart() {
        for (language, body, expected) in [
            ("rust", "fn x<'a>() -> u8 { 'b' }", "{key fn} x&lt;'a&gt;() -&gt; u8 { {str 'b'} }"),
            (
                "rust",
                "let a1 = 0x1f_u8; // \"c\"\nx",
                "{key let} a1 = {num 0x1f_u8}; {com // &quot;c&quot;}\nx",
            ),
            (
                "python",
                "def f(): return \"a # b\" # c",
                "{key def} f(): {key return} {str &quot;a # b&quot;} {com # c}",
            ),
            ("bash", "if [ $# -gt 1 ]; then x; fi", "{key if} [ $# -gt {num 1} ]; {key then} x; {key fi}"),
            ("js", "/* a\nb */ iffy if", "{com /* a\nb */} iffy {key if}"),
            ("js", "/* open", "{com /* open}"),
            ("js", "'it\nwhile", "'it\n{key while}"),
            ("json", "{\"a\": \"b\\\"c\"}", "{{str &quot;a&quot;}: {str &quot;b\\&quot;c&quot;}}"),
            ("c", "x = http://y", "x = http://y"),
            (
                "python",
                "f\"{in}\" + Rb'if' + of'if'",
                "f{str &quot;{in}&quot;} + Rb{str 'if'} + of'{key if}'",
            ),
            (
                "python",
                "\"\"\"if\n'it\"\"\"\nif \"\"\"in\n",
                "{str &quot;&quot;&quot;if\n'it&quot;&quot;&quot;}\n{key if} &quot;{str &quot;&quot;}{key in}\n",
            ),
            ("rust", "b'x' b\"if\" br", "b{str 'x'} b{str &quot;if&quot;} br"),
            ("klingon", "if 1", "if 1"),
        ] {
            check(language, body, &expected.replace('\'', "&#39;"));
        }
    }

    proptest! {
        /// Without its elements it is the code, escaped.
        #[test]
        fn nothing_is_lost(
            language in proptest::sample::select(vec!["rust", "js", "python", "bash", "sql", "html", "json", "toml"]),
            body in "([a-z0-9'\"`/*#<>&\\\\ \n-]|词|fn |//|/\\*){0,40}",
        ) {
            prop_assert!(syntax_of(language).is_some());
            let mut out = String::new();
            code(&mut out, language, &body);
            prop_assert_eq!(check_fragment(&out), Ok(()));
            let mut escaped = String::new();
            crate::escape::text(&mut escaped, &body);
            let mut bare = out.replace("</span>", "");
            for class in ["com", "str", "num", "key"] {
                bare = bare.replace(&format!("<span class=\"{class}\">"), "");
            }
            prop_assert_eq!(bare, escaped);
        }
    }
}
