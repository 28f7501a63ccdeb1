//! The lines of private-key blocks, in files, patches, JSON strings and string literals, cut or whole.

use std::ops::Range;

/// A line of a key is at least this long, but for the last one, in bytes.
const SHORTEST_LINE: usize = 16;
/// A key has no more headers than this.
const MOST_HEADERS: usize = 8;
/// A header is no longer than this, in bytes.
const LONGEST_HEADER: usize = 256;

/// The length of a `-----BEGIN … PRIVATE KEY…-----` or `-----END …` marker that a text begins with.
pub(super) fn marker(text: &str) -> Option<usize> {
    // The longest kind is "ENCRYPTED PRIVATE KEY BLOCK".
    let head = text.get(..text.len().min(64)).or_else(|| text.get(..text.floor_char_boundary(64)))?;
    let inner = head.get(5..)?;
    let end = inner.find("-----")?;
    let name = inner.get(..end)?;
    let named = name.ends_with("PRIVATE KEY") || name.ends_with("PRIVATE KEY BLOCK");
    (named && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '))
        .then_some(end + 10)
}

/// The key's parts in the text behind its first marker: base64 runs, one a line, up to the first line that is none.
pub(super) fn lines_after(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut headers = 0;
    let mut at = 0;
    loop {
        let (skipped, breaks) = separators(text.get(at..).unwrap_or_default());
        at += skipped;
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with("-----") || rest.is_empty() {
            return lines;
        }
        if breaks > 0
            && headers < MOST_HEADERS
            && let Some(length) = header_line(rest)
        {
            headers += 1;
            at += length;
            continue;
        }
        let run = base64_run(rest);
        let fits = if breaks > 0 {
            run > 0 && ends_line(rest.get(run..).unwrap_or_default())
        } else {
            run >= SHORTEST_LINE
        };
        if !fits {
            return lines;
        }
        lines.push(at..at + run);
        at += run;
    }
}

/// The key's parts in the text before its last marker, in order.
pub(super) fn lines_before(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut end = text.len();
    while let Some((start, before)) = line_start(text.get(..end).unwrap_or_default()) {
        let line = text.get(start..end).unwrap_or_default();
        // The text may begin, and end, in the middle of a line.
        let is_whole = start > 0 && !lines.is_empty();
        match key_part(line) {
            Some(part) if part.len() >= SHORTEST_LINE || (!is_whole && !part.is_empty()) => {
                lines.push(start + part.start..start + part.end);
            }
            // The marker stands on a line of its own.
            None if end == text.len() && line.bytes().all(is_decoration) => {}
            Some(_) | None => break,
        }
        match before {
            Some(before) => end = before,
            None => break,
        }
    }
    lines.reverse();
    lines
}

/// Where the last line of a text begins, and where the break before it does: a line feed, or one in a string's
/// escapes. Nothing if the line cannot be one of a key; this is found out at the first byte that does not fit.
fn line_start(text: &str) -> Option<(usize, Option<usize>)> {
    let bytes = text.as_bytes();
    let mut dashes = 0;
    for (at, &byte) in bytes.iter().enumerate().rev() {
        dashes = if byte == b'-' { dashes + 1 } else { 0 };
        match byte {
            b'\n' => return Some((at + 1, Some(at))),
            b'\\' => {
                let slashes = bytes.get(..=at)?.iter().rev().take_while(|&&byte| byte == b'\\').count();
                let is_break = matches!(bytes.get(at + 1), Some(b'n' | b'r'));
                return Some((at + 1 + usize::from(is_break), Some(at + 1 - slashes)));
            }
            _ if dashes > 1 || !(is_base64(byte) || is_decoration(byte) || byte == b':') => return None,
            _ => {}
        }
    }
    Some((0, None))
}

/// The base64 run that a line consists of, but for markers, line numbers, quotes and blanks around it.
fn key_part(line: &str) -> Option<Range<usize>> {
    let mut start = line.bytes().take_while(|&byte| is_decoration(byte)).count();
    let digits = line.bytes().skip(start).take_while(u8::is_ascii_digit).count();
    if (1..=6).contains(&digits) && matches!(line.as_bytes().get(start + digits), Some(b'\t' | b':' | b' ')) {
        start += digits + 1;
        start += line.bytes().skip(start).take_while(|&byte| is_decoration(byte)).count();
    }
    let run = base64_run(line.get(start..)?);
    let rest = line.get(start + run..)?;
    (run > 0 && rest.bytes().all(is_decoration)).then_some(start..start + run)
}

/// What stands around the lines of a key in patches, quotations and string literals.
fn is_decoration(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'"' | b'\'' | b'`' | b',' | b'+' | b'-' | b'>' | b'|')
}

/// How much of a text stands between two lines of a key, and how many line breaks are in it.
fn separators(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut breaks = 0;
    loop {
        match bytes.get(at) {
            Some(b'\n') => breaks += 1,
            Some(b' ' | b'\t' | b'\r' | b'"' | b'\'' | b',') => {}
            // At the beginning of a line: markers of a patch or a quotation.
            Some(b'+' | b'-' | b'>' | b'|') if breaks > 0 && bytes.get(at - 1) == Some(&b'\n') => {
                if text.get(at..).is_some_and(|rest| rest.starts_with("-----")) {
                    return (at, breaks);
                }
            }
            // Between string literals.
            Some(b'+') if bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) => {}
            Some(b'\\') => {
                let slashes =
                    bytes.get(at..).unwrap_or_default().iter().take_while(|&&byte| byte == b'\\').count();
                match bytes.get(at + slashes) {
                    Some(b'n' | b'r') => {
                        breaks += 1;
                        at += slashes;
                    }
                    Some(b'\n' | b'"' | b'\'') => at += slashes - 1,
                    _ => return (at, breaks),
                }
            }
            // A line number, as `nl` and `cat -n` print it.
            Some(byte) if byte.is_ascii_digit() && breaks > 0 => {
                let digits = bytes
                    .get(at..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
                let numbered = digits <= 6 && matches!(bytes.get(at + digits), Some(b'\t' | b':' | b' '));
                if !numbered {
                    return (at, breaks);
                }
                at += digits;
            }
            _ => return (at, breaks),
        }
        at += 1;
    }
}

/// The length of a header of the old form: `Proc-Type: 4,ENCRYPTED`.
fn header_line(text: &str) -> Option<usize> {
    let known = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];
    if !known.iter().any(|name| text.starts_with(name)) {
        return None;
    }
    let window = text.as_bytes().get(..LONGEST_HEADER).unwrap_or(text.as_bytes());
    memchr::memchr2(b'\n', b'\\', window)
}

fn base64_run(text: &str) -> usize {
    text.bytes().take_while(|&byte| is_base64(byte)).count()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether nothing but the end of a line or of a string literal follows.
fn ends_line(text: &str) -> bool {
    let rest = text.trim_start_matches([' ', '\t', '\r', '"', '\'', ',', ';', ')', '+', '`']);
    rest.is_empty() || rest.starts_with(['\n', '\\']) || rest.starts_with("-----")
}
