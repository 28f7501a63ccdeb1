//! Markdown line by line, as far as the platform's limits and a reader need it: what is code and what is prose.
//!
//! Facts: fences open with three or more backticks or tildes after at most three spaces; four spaces after a blank line
//! are code, but not within a list; inline code is taken within one line.

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Line<'a> {
    /// Text, in which markup counts.
    Prose(&'a str),
    /// Opens or closes a block of code.
    Fence,
    /// A line of code, without what marks it as such.
    Code(&'a str),
}

/// A text's lines and whether a fence was left open.
#[derive(Debug)]
pub(in super::super) struct Lines<'a> {
    pub(in super::super) lines: Vec<Line<'a>>,
    pub(in super::super) is_open: bool,
}

/// A fence: its character and how often it stands there.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let text = line.trim_start_matches(' ');
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = text.trim_start_matches(mark);
    let count = text.len() - rest.len();
    let is_fence = line.len() - text.len() <= 3 && count >= 3 && !(mark == '`' && rest.contains('`'));
    is_fence.then_some((mark, count, rest))
}

fn is_list_item(line: &str) -> bool {
    let text = line.trim_start();
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = if digits.len() < text.len() {
        digits.strip_prefix(['.', ')'])
    } else {
        text.strip_prefix(['-', '*', '+'])
    };
    after.is_some_and(|after| after.starts_with(' '))
}

/// Cuts a text into lines.
pub(in super::super) fn lines(text: &str) -> Lines<'_> {
    let mut lines = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let (mut after_blank, mut in_code, mut in_list) = (true, false, false);
    for line in text.split('\n') {
        let is_blank = line.trim().is_empty();
        if let Some((mark, count)) = open {
            let closes =
                fence(line).is_some_and(|(c, n, rest)| c == mark && n >= count && rest.trim().is_empty());
            if closes {
                open = None;
            }
            lines.push(if closes { Line::Fence } else { Line::Code(line) });
            (after_blank, in_code) = (false, false);
            continue;
        }
        let indented = line.strip_prefix("    ");
        if let Some((mark, count, _)) = fence(line) {
            open = Some((mark, count));
            in_code = false;
            lines.push(Line::Fence);
        } else if let Some(code) = indented.filter(|_| !is_blank && !in_list && (after_blank || in_code)) {
            in_code = true;
            lines.push(Line::Code(code));
        } else if is_blank && in_code {
            // Blank lines within code belong to it; those after it are blank either way.
            lines.push(Line::Code(indented.unwrap_or("")));
        } else {
            in_code = false;
            if is_list_item(line) {
                in_list = true;
            } else if after_blank && !is_blank && !line.starts_with(' ') {
                in_list = false;
            }
            lines.push(Line::Prose(line));
        }
        after_blank = is_blank;
    }
    Lines { lines, is_open: open.is_some() }
}

/// The prose of a text with inline code taken out, line by line.
pub(super) fn prose(text: &str) -> Vec<String> {
    let lines = lines(text).lines.into_iter();
    lines
        .map(|line| match line {
            Line::Prose(line) => without_inline_code(line),
            Line::Fence | Line::Code(_) => String::new(),
        })
        .collect()
}

fn without_inline_code(line: &str) -> String {
    let mut prose = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let (before, from) = rest.split_at(start);
        prose.push_str(before);
        let run = from.len() - from.trim_start_matches('`').len();
        let (marks, after) = from.split_at(run);
        match closing_run(after, run) {
            Some(end) => rest = &after[end..],
            None => {
                prose.push_str(marks);
                rest = after;
            }
        }
    }
    prose + rest
}

/// Where a run of exactly so many backticks ends.
fn closing_run(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`') {
        let from = at + start;
        let run = text[from..].len() - text[from..].trim_start_matches('`').len();
        at = from + run;
        if run == length {
            return Some(at);
        }
    }
    None
}

/// The cells of a table's row.
fn cells(row: &str) -> Option<Vec<&str>> {
    let row = row.trim();
    if !row.contains('|') {
        return None;
    }
    let row = row.strip_prefix('|').unwrap_or(row);
    Some(row.strip_suffix('|').unwrap_or(row).split('|').map(str::trim).collect())
}

/// How many tables a text shows.
pub(super) fn count_tables(text: &str) -> usize {
    let is_delimiter = |cell: &&str| {
        let dashes = cell.trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.chars().all(|c| c == '-')
    };
    let prose = prose(text);
    let pairs = prose.windows(2).filter(|pair| {
        let [head, delimiter] = pair else { return false };
        let (Some(head), Some(delimiter)) = (cells(head), cells(delimiter)) else { return false };
        head.len() == delimiter.len() && delimiter.iter().all(is_delimiter)
    });
    pairs.count()
}

/// What the images of a text point to.
pub(super) fn image_targets(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        for (start, _) in line.match_indices("![") {
            let after = &line[start..];
            if let Some((_, target)) = after.split_once("](") {
                let target = target.split(')').next().unwrap_or_default();
                found.push(target.split_whitespace().next().unwrap_or_default().to_owned());
            }
        }
    }
    found
}

/// The ids of people who are mentioned; an empty one where there is no id.
pub(in super::super) fn mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        for name in ["<at", "<person"] {
            for (start, _) in line.match_indices(name) {
                let after = &line[start + name.len()..];
                if after.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
                    continue;
                }
                let inside = after.split('>').next().unwrap_or_default();
                let id =
                    inside.split_once("id=").map_or("", |(_, id)| id.trim_matches(['\'', '"', '/', ' ']));
                found.push(id.to_owned());
            }
        }
    }
    found
}
