//! A line of prose, as the platform shows it: nothing in it is taken for markup that it is not.
//!
//! Guarantees
//! - Inline code stays as it is; it never reaches over a line.
//! - No tag, entity or mention of the agent's has an effect: `<` and `&` are numeric entities.
//! - Images are keys of the platform, links are http(s); everything else is text that still names its target.

use std::fmt::Write as _;

use larkspan_core::text::{clip, inline_code};

use super::Masking;
use super::mask::{self, Domains};
use super::piece::floor;

/// Bytes of a link, label and target: what is longer is none.
const LINK: usize = 1_500;
/// Code points of a target that is shown instead of a link.
const TARGET: usize = 120;

/// A line, without its indent and its marker of a list or a heading.
pub(super) fn inline(line: &str, masking: Masking) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let (text, from) = rest.split_at(start);
        let run = run_of_backticks(from);
        // An escaped backtick opens nothing.
        let is_escaped = (text.len() - text.trim_end_matches('\\').len()) % 2 == 1;
        match closing(&from[run..], run).filter(|_| !is_escaped) {
            Some(end) => {
                words(&mut out, text, masking, Links::Linked);
                code(&mut out, &from[run..end], run, masking);
                rest = &from[run + end..];
            }
            None => {
                let text = text.strip_suffix('\\').filter(|_| is_escaped).unwrap_or(text);
                words(&mut out, text, masking, Links::Linked);
                (0..run).for_each(|_| out.push_str("&#96;"));
                rest = &from[run..];
            }
        }
    }
    words(&mut out, rest, masking, Links::Linked);
    out
}

fn run_of_backticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Where the run that closes inline code ends.
pub(super) fn closing(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`') {
        let found = run_of_backticks(&text[at + start..]);
        at += start + found;
        if found == run {
            return Some(at);
        }
    }
    None
}

/// Inline code, with no more backticks around it than it needs: three could be taken for a fence.
fn code(out: &mut String, code: &str, run: usize, masking: Masking) {
    let marks = match () {
        () if !code.contains('`') => "`",
        () if !code.contains("``") => "``",
        () => {
            // The rare rest is text.
            let text = format!("{0}{code}{0}", "`".repeat(run));
            text.chars().for_each(|c| if c == '`' { out.push_str("&#96;") } else { character(out, c) });
            return;
        }
    };
    out.push_str(marks);
    match masking {
        Masking::Usual => out.push_str(code),
        Masking::Audit => out.push_str(&mask::phones(&mask::emails(code, Domains::Any))),
    }
    out.push_str(marks);
}

/// Whether a text may hold links. A link's own text holds none, so nothing here nests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    Linked,
    Plain,
}

/// Text without inline code.
fn words(out: &mut String, text: &str, masking: Masking, links: Links) {
    let domains = match masking {
        Masking::Usual => Domains::Real,
        Masking::Audit => Domains::Any,
    };
    let masked = mask::emails(text, domains);
    let masked = match masking {
        Masking::Usual => masked,
        Masking::Audit => mask::phones(&masked).into_owned().into(),
    };
    let mut rest: &str = &masked;
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '\\' => escaped(out, rest),
            '<' => autolink(out, rest),
            '!' if rest.starts_with("![") => match links {
                Links::Linked => Some(image(out, rest)),
                Links::Plain => Some(mark(out)),
            },
            '[' if links == Links::Linked => link(out, rest),
            'h' if !before.is_some_and(is_word) => bare_url(out, rest),
            _ => None,
        };
        let length = taken.unwrap_or_else(|| {
            character(out, c);
            c.len_utf8()
        });
        before = rest[..length].chars().next_back();
        rest = &rest[length..];
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn character(out: &mut String, c: char) {
    match c {
        '<' => out.push_str("&#60;"),
        '&' => out.push_str("&#38;"),
        _ => out.push(c),
    }
}

fn plain(out: &mut String, text: &str) {
    text.chars().for_each(|c| character(out, c));
}

/// `\*`: the platform's own way to write a character that is no markup is its number.
fn escaped(out: &mut String, rest: &str) -> Option<usize> {
    let next = rest[1..].chars().next().filter(char::is_ascii_punctuation)?;
    let _ = write!(out, "&#{};", u32::from(next));
    Some(2)
}

fn is_web(target: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| target.strip_prefix(scheme).is_some_and(|host| !host.is_empty()))
}

/// `<https://…>`.
fn autolink(out: &mut String, rest: &str) -> Option<usize> {
    let (target, _) = rest[1..].split_once('>')?;
    let is_link = is_web(target) && !target.contains(|c: char| c.is_whitespace() || c == '<');
    if !is_link {
        return None;
    }
    bare_url(out, target).filter(|length| *length == target.len())?;
    Some(target.len() + 2)
}

/// `[label](target "title")`: the label, the target and the length of it all.
fn bracketed(rest: &str) -> Option<(&str, &str, usize)> {
    let rest = &rest[..floor(rest, LINK)];
    let mut depth = 0_usize;
    let mut end = None;
    for (at, c) in rest.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            end = Some(at);
            break;
        }
    }
    let end = end?;
    let after = rest[end + 1..].strip_prefix('(')?;
    let mut depth = 1_usize;
    let close = after.char_indices().find(|(_, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let (close, _) = close?;
    let inside = after[..close].trim();
    // A title is left out; a target in angle brackets may hold spaces.
    let target = match inside.strip_prefix('<').and_then(|inside| inside.split_once('>')) {
        Some((target, _)) => target,
        None => inside.split([' ', '\t']).next().unwrap_or_default(),
    };
    Some((&rest[1..end], target, end + 2 + close + 1))
}

fn image(out: &mut String, rest: &str) -> usize {
    let Some((alt, target, length)) = bracketed(&rest[1..]) else {
        return mark(out);
    };
    if target.starts_with("img_") && target.chars().all(|c| is_word(c) || matches!(c, '_' | '-')) {
        out.push_str("![");
        plain(out, alt);
        out.push_str("](");
        out.push_str(target);
        out.push(')');
    } else {
        anchor(out, if alt.is_empty() { "🖼" } else { alt }, target);
    }
    length + 1
}

/// A mark that must not begin an image.
fn mark(out: &mut String) -> usize {
    out.push_str("&#33;");
    1
}

fn link(out: &mut String, rest: &str) -> Option<usize> {
    let (label, target, length) = bracketed(rest)?;
    anchor(out, label, target);
    Some(length)
}

/// A link where the platform takes one, else the label with its target as code.
fn anchor(out: &mut String, label: &str, target: &str) {
    if is_web(target) {
        out.push('[');
        words(out, label, Masking::Usual, Links::Plain);
        out.push_str("](");
        for c in target.chars() {
            match c {
                '&' => out.push_str("&#38;"),
                '<' | '>' | '(' | ')' | '"' | '\\' | '`' | '[' | ']' | '|' => {
                    let _ = write!(out, "%{:02X}", u32::from(c));
                }
                _ => out.push(c),
            }
        }
        out.push(')');
        return;
    }
    words(out, label, Masking::Usual, Links::Plain);
    let shown = clip(target, TARGET);
    if !shown.is_empty() && label != target && !target.starts_with('#') {
        out.push_str(" (");
        out.push_str(&inline_code(&shown, TARGET + 1));
        out.push(')');
    }
}

/// A URL in the text ends where the platform would read on: before other writing there is a space.
fn bare_url(out: &mut String, rest: &str) -> Option<usize> {
    let whole = rest.split(|c: char| !c.is_ascii_graphic() || matches!(c, '<' | '>' | '"')).next()?;
    let url = whole.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', ']', '|', '\\']);
    let url = if url.contains('(') { url } else { url.split(')').next().unwrap_or(url) };
    if !is_web(url) {
        return None;
    }
    plain(out, url);
    let next = rest[url.len()..].chars().next();
    if next.is_some_and(|c| !c.is_ascii()) {
        out.push(' ');
    }
    Some(url.len())
}

#[cfg(test)]
mod tests {
    use super::{Masking, inline};

    #[test]
    fn brackets_without_end_neither_recurse_nor_hang() {
        for line in [
            format!("{}x{}", "[".repeat(1_200), "](y)".repeat(1_200)),
            format!("{}x{}", "![".repeat(1_000), "](y)".repeat(1_000)),
            "[".repeat(6_000),
            "`".repeat(5) + &"`` ".repeat(2_000),
            "\\".repeat(6_000),
        ] {
            assert!(inline(&line, Masking::Usual).len() < line.len() * 8);
        }
    }

    #[test]
    fn lines_of_prose() {
        for (line, shown) in [
            ("a `Vec<T>` & Vec<T>", "a `Vec<T>` &#38; Vec&#60;T>"),
            ("``a`b`` `open <x>", "``a`b`` &#96;open &#60;x>"),
            (r"\*no\* \<b\> \`x\`", "&#42;no&#42; &#60;b&#62; &#96;x&#96;"),
            ("<at id=all></at> <person id='x'>", "&#60;at id=all>&#60;/at> &#60;person id='x'>"),
            ("mail ann@example.com, `git@x.org`", "mail a••••@example.com, `git@x.org`"),
            ("![x](https://h/x.png)", "[x](https://h/x.png)"),
            ("![y](./y.png) ![](a.png)", "y (`./y.png`) 🖼 (`a.png`)"),
            ("![k](img_v3_00-a) ![r][ref]", "![k](img_v3_00-a) &#33;[r][ref]"),
            ("[lib.rs](/src/lib.rs:3)", "lib.rs (`/src/lib.rs:3`)"),
            ("[a.rs](a.rs) [top](#top)", "a.rs top"),
            ("[d](https://x.y/a?b=1&c=(2) \"t\")", "[d](https://x.y/a?b=1&#38;c=%282%29)".trim_end()),
            ("https://a.b中文 (https://c.d/e).", "https://a.b 中文 (https://c.d/e)."),
            ("<https://a.b/?x&y>!", "https://a.b/?x&#38;y!"),
            ("[click](javascript:alert)", "click (`javascript:alert`)"),
            ("**b** _i_ ~~s~~ [ ] done", "**b** _i_ ~~s~~ [ ] done"),
            ("&copy &reg;", "&#38;copy &#38;reg;"),
        ] {
            assert_eq!(inline(line, Masking::Usual), shown, "{line}");
        }
        assert_eq!(inline("`a@b.io` 13812345678", Masking::Audit), "`a••••@b.io` 138••••5678");
    }
}
