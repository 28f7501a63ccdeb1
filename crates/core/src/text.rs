//! Text for people: preview limits, fences, inline code, clipping, escaping, and the cleaning of terminal output.
//!
//! Everything counts Unicode code points, never bytes, and never splits one. A line is what a line feed ends;
//! a final line feed begins no further line. Limits are hard.

use std::borrow::Cow;

/// How much of a text a preview may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most code points.
    pub chars: usize,
    /// Most lines.
    pub lines: usize,
}

impl Limits {
    /// For commands, inputs and outputs.
    pub const GENERAL: Self = Self { chars: 4_000, lines: 80 };
    /// For patches.
    pub const PATCH: Self = Self { chars: 8_000, lines: 160 };
}

/// The beginning of a text, within limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview<'a> {
    /// What is shown: with LF line ends, and unfenced.
    pub body: Cow<'a, str>,
    /// Code points of the body.
    pub shown_chars: usize,
    /// Code points of the whole text, with LF line ends.
    pub total_chars: usize,
    /// Lines of the body; a line that is cut counts.
    pub shown_lines: usize,
    /// Lines of the whole text.
    pub total_lines: usize,
    /// Whether something is left out.
    pub cut: bool,
}

impl Preview<'_> {
    /// The note below a preview that leaves something out, in Chinese: `_显示 a/b 字符 · c/d 行_`.
    pub fn note_zh_cn(&self) -> Option<String> {
        let Self { shown_chars, total_chars, shown_lines, total_lines, .. } = self;
        self.cut.then(|| format!("_显示 {shown_chars}/{total_chars} 字符 · {shown_lines}/{total_lines} 行_"))
    }

    /// The note below a preview that leaves something out, in English.
    pub fn note_en(&self) -> Option<String> {
        let Self { shown_chars, total_chars, shown_lines, total_lines, .. } = self;
        self.cut.then(|| {
            format!("_Showing {shown_chars}/{total_chars} characters · {shown_lines}/{total_lines} lines_")
        })
    }
}

/// The beginning of a text within the limits; CRLF becomes LF first.
///
/// ```
/// # use larkspan_core::text::{Limits, preview};
/// let shown = preview("a\r\nb\r\nc\r\n", Limits { chars: 100, lines: 2 });
/// assert_eq!(shown.body, "a\nb\n");
/// assert_eq!(shown.note_zh_cn().unwrap(), "_显示 4/6 字符 · 2/3 行_");
/// ```
pub fn preview(text: &str, limits: Limits) -> Preview<'_> {
    let text = unix_lines(text);
    let (total_chars, total_lines) = (text.chars().count(), line_count(&text));
    let end = char_offset(&text, limits.chars).min(line_offset(&text, limits.lines));
    let body = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(..end).unwrap_or_default()),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    };
    let (shown_chars, shown_lines) = (body.chars().count(), line_count(&body));
    Preview { body, shown_chars, total_chars, shown_lines, total_lines, cut: shown_chars < total_chars }
}

/// CRLF as LF.
fn unix_lines(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'\r', text.as_bytes()) {
        Some(_) if text.contains("\r\n") => Cow::Owned(text.replace("\r\n", "\n")),
        Some(_) | None => Cow::Borrowed(text),
    }
}

/// Where the first `count` code points end, in bytes.
fn char_offset(text: &str, count: usize) -> usize {
    // Most texts are shorter in bytes already.
    if text.len() <= count {
        return text.len();
    }
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

/// Where the first `count` lines end, in bytes.
fn line_offset(text: &str, count: usize) -> usize {
    match count.checked_sub(1) {
        None => 0,
        Some(before) => {
            memchr::memchr_iter(b'\n', text.as_bytes()).nth(before).map_or(text.len(), |at| at + 1)
        }
    }
}

/// How many lines a text has. The empty text has none.
pub fn line_count(text: &str) -> usize {
    let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    feeds + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The first line, without its end.
pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The last `count` lines, with the line feeds that are there.
pub fn last_lines(text: &str, count: usize) -> &str {
    let content = text.strip_suffix('\n').unwrap_or(text);
    match count.checked_sub(1) {
        None => "",
        Some(before) => {
            let feed = memchr::memrchr_iter(b'\n', content.as_bytes()).nth(before);
            feed.map_or(text, |at| text.get(at + 1..).unwrap_or_default())
        }
    }
}

/// The text in a fence that nothing inside can end: one backtick longer than the longest run in it, three at least.
/// The result ends with a line feed, so both fences stand at the beginning of a line wherever the result begins one.
///
/// A language that is no single plain word is left out.
///
/// ```
/// # use larkspan_core::text::fence;
/// assert_eq!(fence("cargo test", "bash"), "```bash\ncargo test\n```\n");
/// assert_eq!(fence("```\nx\n```\n", ""), "````\n```\nx\n```\n````\n");
/// ```
pub fn fence(body: &str, language: &str) -> String {
    let fence = "`".repeat(longest_backtick_run(body).saturating_add(1).max(3));
    let plain = |c: char| c.is_ascii_alphanumeric() || "+#-_.".contains(c);
    let language = if language.chars().all(plain) { language } else { "" };
    let feed = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{body}{feed}{fence}\n")
}

fn longest_backtick_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    let mut after = 0;
    for at in memchr::memchr_iter(b'`', text.as_bytes()) {
        run = if at == after { run + 1 } else { 1 };
        after = at + 1;
        longest = longest.max(run);
    }
    longest
}

/// The text as inline code of one line: white space collapsed, a backtick as `′`, at most `max` code points and
/// then `…`. Empty for a text without anything to show.
///
/// ```
/// # use larkspan_core::text::inline_code;
/// assert_eq!(inline_code("echo  `date`\n", 88), "`echo ′date′`");
/// assert_eq!(inline_code("abcdef", 3), "`abc…`");
/// ```
pub fn inline_code(text: &str, max: usize) -> String {
    let line = collapse_whitespace(text);
    if line.is_empty() {
        return String::new();
    }
    format!("`{}`", clip(&line, max).replace('`', "′"))
}

/// At most `max` code points of a text, and `…` if that leaves something out.
pub fn clip(text: &str, max: usize) -> Cow<'_, str> {
    let end = char_offset(text, max);
    if end == text.len() {
        return Cow::Borrowed(text);
    }
    let kept = text.get(..end).unwrap_or_default().trim_end();
    Cow::Owned(format!("{kept}…"))
}

/// The text as one line: runs of white space are one space, none at either end; control characters and those that
/// reorder or hide text are dropped.
pub fn collapse_whitespace(text: &str) -> Cow<'_, str> {
    let clean = |text: &str| {
        let mut after_space = true;
        for c in text.chars() {
            let space = c.is_whitespace();
            if (space && (after_space || c != ' ')) || is_hidden(c) {
                return false;
            }
            after_space = space;
        }
        text.is_empty() || !after_space
    };
    if clean(text) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = true;
        } else if !is_hidden(c) {
            if space && !line.is_empty() {
                line.push(' ');
            }
            space = false;
            line.push(c);
        }
    }
    Cow::Owned(line)
}

/// The text so that Markdown shows it as it is within a line: every character that could begin markup gets a
/// backslash.
///
/// ```
/// # use larkspan_core::text::escape_markdown;
/// assert_eq!(escape_markdown("a_b *c* <d> 1-2"), r"a\_b \*c\* \<d\> 1-2");
/// ```
pub fn escape_markdown(text: &str) -> Cow<'_, str> {
    let marks = |c: char| {
        matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '~' | '|' | '&' | '$' | '!' | '#')
    };
    if !text.contains(marks) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if marks(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Cow::Owned(escaped)
}

/// The text as a terminal would leave it, simply: escape sequences and control characters are gone, a carriage
/// return or backspace has overwritten what it overwrites (of a line that is drawn again and again the last
/// drawing stays), and characters that reorder text are dropped. Line feeds and tabs stay; CRLF becomes LF.
///
/// ```
/// # use larkspan_core::text::strip_terminal;
/// assert_eq!(strip_terminal("\x1b[31mred\x1b[0m 10%\r 100%\r\nok"), " 100%\nok");
/// ```
pub fn strip_terminal(text: &str) -> Cow<'_, str> {
    let first = plain_length(text);
    if first == text.len() {
        return Cow::Borrowed(text);
    }
    let mut terminal = Terminal { screen: String::with_capacity(text.len()), ..Terminal::default() };
    let (mut plain, mut rest) = text.split_at(first);
    loop {
        terminal.put(plain);
        let mut characters = rest.chars();
        let Some(c) = characters.next() else { return Cow::Owned(terminal.screen) };
        let mut after = characters.as_str();
        match c {
            // Of CRLF the line feed counts.
            '\r' if after.starts_with('\n') => {}
            '\r' => terminal.returned = true,
            '\u{8}' => terminal.backspace(),
            '\u{1b}' => after = escape_sequence(after),
            '\u{9b}' => after = control_sequence(after),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => after = control_string(after),
            // It shows nothing.
            _ => {}
        }
        (plain, rest) = after.split_at(plain_length(after));
    }
}

/// How far a text goes before something that is more, or less, than itself.
fn plain_length(text: &str) -> usize {
    // The first bytes of all that shows nothing: controls, DEL, C1 controls, ALM, and U+2000–206F.
    let is_suspicious = |byte: u8| {
        (byte < b' ' && byte != b'\n' && byte != b'\t') | matches!(byte, 0x7f | 0xc2 | 0xd8 | 0xe2)
    };
    let mut start = 0;
    for chunk in text.as_bytes().chunks(64) {
        // Without a way out of the loop it takes many bytes at a time.
        if chunk.iter().fold(false, |any, byte| any | is_suspicious(*byte)) {
            for (at, byte) in (start..).zip(chunk) {
                let character = || text.get(at..).and_then(|text| text.chars().next());
                if is_suspicious(*byte) && character().is_some_and(is_hidden) {
                    return at;
                }
            }
        }
        start += chunk.len();
    }
    text.len()
}

/// What a terminal shows, line by line.
#[derive(Default)]
struct Terminal {
    screen: String,
    /// Where the current line begins.
    line: usize,
    /// A carriage return has come: the next character begins the line anew.
    returned: bool,
}

impl Terminal {
    /// Text of characters that are just themselves, over any number of lines.
    fn put(&mut self, plain: &str) {
        let Some(first) = plain.as_bytes().first() else { return };
        if std::mem::take(&mut self.returned) && *first != b'\n' {
            self.screen.truncate(self.line);
        }
        if let Some(feed) = memchr::memrchr(b'\n', plain.as_bytes()) {
            self.line = self.screen.len() + feed + 1;
        }
        self.screen.push_str(plain);
    }

    fn backspace(&mut self) {
        if self.screen.len() > self.line && !self.returned {
            self.screen.pop();
        }
    }
}

/// What follows an escape sequence, of which the escape is already taken.
fn escape_sequence(text: &str) -> &str {
    let after = |count: usize| text.get(count..).unwrap_or_default();
    match text.as_bytes() {
        [b'[', ..] => control_sequence(after(1)),
        [b']' | b'P' | b'X' | b'^' | b'_', ..] => control_string(after(1)),
        // An intermediate byte: the final one follows.
        [b' '..=b'/', b' '..=b'~', ..] => after(2),
        [b' '..=b'~', ..] => after(1),
        _ => text,
    }
}

/// What follows parameters and intermediates, and the final byte. One that is broken off ends there.
fn control_sequence(text: &str) -> &str {
    let rest = text.trim_start_matches(|c| (' '..='?').contains(&c));
    rest.strip_prefix(|c| ('@'..='~').contains(&c)).unwrap_or(rest)
}

/// What follows a title or the like, and its terminator; it never takes more than its line.
fn control_string(text: &str) -> &str {
    let Some(end) = text.find(['\n', '\u{7}', '\u{9c}', '\u{1b}']) else { return "" };
    let rest = text.get(end..).unwrap_or_default();
    match rest.strip_prefix('\u{1b}') {
        Some(rest) => rest.strip_prefix('\\').unwrap_or(rest),
        None => rest.strip_prefix(['\u{7}', '\u{9c}']).unwrap_or(rest),
    }
}

/// Characters that show nothing and may deceive: controls, and those that reorder text.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests;
