//! URLs in plain text, and links.

use crate::escape;

/// A longer run of characters in text is no URL that a person would open, in bytes.
const LONGEST_URL: usize = 2048;

/// Appends plain text, its URLs as links.
pub fn linked_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some((start, length)) = find_url(rest) {
        let (before, from_url) = rest.split_at(start);
        let (url, after) = from_url.split_at(length);
        escape::text(out, before);
        open_link(out, url, "");
        escape::text(out, url);
        out.push_str("</a>");
        rest = after;
    }
    escape::text(out, rest);
}

/// The first `http` or `https` URL in a text: where it starts, and its length in bytes.
fn find_url(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let start = from + text.get(from..)?.find("http")?;
        let run = text.get(start..)?;
        from = start + "http".len();
        let Some(scheme) = ["https://", "http://"].into_iter().find(|scheme| run.starts_with(scheme)) else {
            continue;
        };
        // Text without blanks goes on right after a URL in Chinese: only ASCII belongs to it.
        let belongs = |c: char| {
            c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '`' | '\\' | '|' | '^' | '{' | '}')
        };
        let end = run.find(|c| !belongs(c)).unwrap_or(run.len());
        let in_word = text
            .get(..start)
            .and_then(|before| before.chars().next_back())
            .is_some_and(|c| c.is_ascii_alphanumeric());
        let length = without_punctuation(run.get(..end)?).len();
        if !in_word && end <= LONGEST_URL && length > scheme.len() {
            return Some((start, length));
        }
        from = start + end;
    }
}

/// A URL without the punctuation of the sentence it stands in.
fn without_punctuation(mut url: &str) -> &str {
    let count = |c: char| url.matches(c).count();
    let mut unopened =
        [(')', count(')').saturating_sub(count('('))), (']', count(']').saturating_sub(count('[')))];
    while let Some(last) = url.chars().next_back() {
        let bracket = unopened.iter_mut().find(|(bracket, left)| *bracket == last && *left > 0);
        match bracket {
            Some((_, left)) => *left -= 1,
            None if ".,;:!?'*_~".contains(last) => {}
            None => break,
        }
        url = url.get(..url.len() - last.len_utf8()).unwrap_or_default();
    }
    url
}

/// Opens a link. Whoever calls this has seen to where it leads.
pub(super) fn open_link(out: &mut String, url: &str, title: &str) {
    out.push_str("<a href=\"");
    escape::url(out, url);
    out.push_str("\" rel=\"noopener noreferrer\"");
    if !title.is_empty() {
        out.push_str(" title=\"");
        escape::plain(out, title);
        out.push('"');
    }
    out.push('>');
}
