//! Tables, and what must hold for any string.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{
    Limits, clip, collapse_whitespace, escape_markdown, fence, first_line, inline_code, last_lines,
    line_count, preview, strip_terminal,
};

#[test]
fn previews_keep_the_limits() {
    let check = |text: &str, chars: usize, lines: usize, body: &str, note: Option<&str>| {
        let shown = preview(text, Limits { chars, lines });
        assert_eq!(shown.body, body, "{text:?}");
        assert_eq!(shown.note_zh_cn().as_deref(), note, "{text:?}");
        assert_eq!(shown.note_en().is_some(), shown.cut);
    };
    check("", 10, 10, "", None);
    check("abc", 3, 1, "abc", None);
    check("abc\n", 4, 1, "abc\n", None);
    check("abc\n", 3, 1, "abc", Some("_显示 3/4 字符 · 1/1 行_"));
    check("abcd", 3, 1, "abc", Some("_显示 3/4 字符 · 1/1 行_"));
    check("a\nb\nc", 99, 2, "a\nb\n", Some("_显示 4/5 字符 · 2/3 行_"));
    check("a\nb\nc\n", 99, 3, "a\nb\nc\n", None);
    check("a\r\nb\r\n", 4, 2, "a\nb\n", None);
    check("中文字", 2, 1, "中文", Some("_显示 2/3 字符 · 1/1 行_"));
    check("\n\n\n", 99, 2, "\n\n", Some("_显示 2/3 字符 · 2/3 行_"));
    check("abc", 0, 1, "", Some("_显示 0/3 字符 · 0/1 行_"));
    check("abc", 9, 0, "", Some("_显示 0/3 字符 · 0/1 行_"));
    let shown = preview("a\nb\n", Limits { chars: 1, lines: 9 });
    assert_eq!(shown.note_en().as_deref(), Some("_Showing 1/4 characters · 1/2 lines_"));
}

#[test]
fn lines_are_counted_and_taken() {
    let check = |text: &str, count: usize, first: &str, last_two: &str| {
        assert_eq!(
            (line_count(text), first_line(text), last_lines(text, 2)),
            (count, first, last_two),
            "{text:?}"
        );
    };
    check("", 0, "", "");
    check("a", 1, "a", "a");
    check("a\n", 1, "a", "a\n");
    check("a\nb", 2, "a", "a\nb");
    check("a\nb\nc\n", 3, "a", "b\nc\n");
    check("a\r\nb\r\nc", 3, "a", "b\r\nc");
    check("\n", 1, "", "\n");
    check("\n\n\n", 3, "", "\n\n");
    assert_eq!(last_lines("a\nb", 0), "");
}

#[test]
fn fences_hold() {
    let check = |body: &str, language: &str, expected: &str| assert_eq!(fence(body, language), expected);
    check("", "", "```\n```\n");
    check("a", "rust", "```rust\na\n```\n");
    check("a\n\n", "c++", "```c++\na\n\n```\n");
    check("a `b` ``c``", "", "```\na `b` ``c``\n```\n");
    check("````", "", "`````\n````\n`````\n");
    check("a", "no `such` language", "```\na\n```\n");
}

#[test]
fn lines_of_titles() {
    assert_eq!(inline_code("a\tb\n\nc ", 88), "`a b c`");
    assert_eq!(inline_code(" \n", 88), "");
    assert_eq!(inline_code("`", 88), "`′`");
    assert_eq!(inline_code(&"中".repeat(89), 88), format!("`{}…`", "中".repeat(88)));
    assert_eq!(inline_code(&"中".repeat(88), 88), format!("`{}`", "中".repeat(88)));
    assert_eq!(inline_code("safe\u{202e}cod\u{2066}e\u{1b}[0m", 88), "`safecode[0m`");
    assert_eq!(clip("abc def", 4), "abc…");
    assert_eq!(clip("abc", 3), "abc");
    assert_eq!(clip("abc", 0), "…");
    assert_eq!(collapse_whitespace("  a \u{3000}\t b\r\n"), "a b");
    assert_eq!(collapse_whitespace("a b"), "a b");
    assert_eq!(escape_markdown("plain text, 1. - ok"), "plain text, 1. - ok");
    assert_eq!(escape_markdown(r"[a](b) `c` \ !x #1 $y & ~z|"), r"\[a\](b) \`c\` \\ \!x \#1 \$y \& \~z\|");
}

#[test]
fn terminal_output_is_cleaned() {
    let check = |text: &str, expected: &str| assert_eq!(strip_terminal(text), expected, "{text:?}");
    check("plain\ttext\n“中文” café …", "plain\ttext\n“中文” café …");
    check("\x1b[1;31mred\x1b[0m", "red");
    check("\x1b[38:2::1:2:3mx\x1b[K\x1b[2J\x1b[?25h", "x");
    check("\x1b]0;title\x07a\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\", "alink");
    check("\x1b]0;never ended\nb", "\nb");
    check("\x1bPdata\x1b\\a\x1b(Bb\x1b7c\x1b=d", "abcd");
    check("\u{9b}31mred\u{9d}0;t\u{9c}x", "redx");
    check("10%\r50%\r100%\ndone", "100%\ndone");
    check("100%\r\x1b[K\r\n", "100%\n");
    check("a\r\nb\r\r\nc", "a\nb\nc");
    check("_\u{8}ab\u{8}\u{8}\u{8}\u{8}c", "c");
    check("a\0b\u{7}c\u{7f}d\u{85}", "abcd");
    check("a\u{202e}b\u{2066}c\u{200f}d\u{61c}", "abcd");
    check("\x1b", "");
    check("\x1b[", "");
    check("\x1b[31\nx", "\nx");
    check("\x1b中", "中");
}

const PIECES: &str = "(\\PC|`{1,5}|\\r?\\n|\\t| |\\x1b\\[?[0-9;]{0,3}[mKH]?|\\x1b\\]0;|\\x07|\\r|\\x08|\u{202e}|\u{9b}|中|e\u{301}|😀){0,24}";

proptest! {
    #[test]
    fn any_preview_is_a_prefix_within_hard_limits(text in PIECES, chars in 0_usize..30, lines in 0_usize..6) {
        let shown = preview(&text, Limits { chars, lines });
        let whole = text.replace("\r\n", "\n");
        prop_assert!(whole.starts_with(shown.body.as_ref()));
        prop_assert!(shown.body.chars().count() <= chars && line_count(&shown.body) <= lines);
        prop_assert_eq!(shown.cut, shown.body.len() < whole.len());
        prop_assert_eq!((shown.shown_chars, shown.shown_lines), (shown.body.chars().count(), line_count(&shown.body)));
        prop_assert_eq!((shown.total_chars, shown.total_lines), (whole.chars().count(), line_count(&whole)));
        // Nothing is left out that would have fitted.
        if shown.cut {
            let next = whole[shown.body.len()..].chars().next().unwrap();
            let longer = format!("{}{next}", shown.body);
            prop_assert!(longer.chars().count() > chars || line_count(&longer) > lines);
        }
    }

    #[test]
    fn any_body_stays_inside_its_fence(body in PIECES, language in "[a-z+`\n ]{0,4}") {
        let fenced = fence(&body, &language);
        let opening: String = fenced.chars().take_while(|c| *c == '`').collect();
        prop_assert!(opening.len() >= 3);
        let (head, rest) = fenced.split_once('\n').unwrap();
        prop_assert!(!head[opening.len()..].contains('`'));
        let inner = rest.strip_suffix(&format!("{opening}\n")).unwrap();
        prop_assert!(!inner.contains(opening.as_str()));
        prop_assert!(inner.is_empty() || inner.ends_with('\n'));
        prop_assert_eq!(inner.strip_suffix('\n').unwrap_or(inner), body.strip_suffix('\n').unwrap_or(&body));
    }

    #[test]
    fn any_inline_code_is_one_line_of_code(text in PIECES, max in 0_usize..20) {
        let code = inline_code(&text, max);
        if !code.is_empty() {
            prop_assert_eq!(code.matches('`').count(), 2);
            prop_assert!(code.starts_with('`') && code.ends_with('`'));
            prop_assert!(code.chars().count() <= max + 3);
            prop_assert!(!code.contains(|c: char| c.is_control()));
        }
    }

    #[test]
    fn any_clip_is_a_prefix(text in PIECES, max in 0_usize..20) {
        let clipped = clip(&text, max);
        match clipped.strip_suffix('…') {
            Some(kept) if clipped != text => prop_assert!(text.starts_with(kept) && kept.chars().count() <= max),
            _ => prop_assert!(clipped == text && text.chars().count() <= max),
        }
    }

    #[test]
    fn any_line_is_collapsed_once(text in PIECES) {
        let once = collapse_whitespace(&text).into_owned();
        prop_assert_eq!(collapse_whitespace(&once), once.as_str());
        prop_assert!(!once.contains("  ") && once.trim() == once);
    }

    #[test]
    fn any_terminal_text_is_clean(text in PIECES) {
        let clean = strip_terminal(&text).into_owned();
        prop_assert!(!clean.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        prop_assert_eq!(strip_terminal(&clean), clean.as_str());
        prop_assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn any_escaped_text_reads_back(text in PIECES) {
        let escaped = escape_markdown(&text).into_owned();
        let mut read = String::new();
        let mut characters = escaped.chars();
        while let Some(c) = characters.next() {
            read.push(if c == '\\' { characters.next().unwrap() } else { c });
        }
        prop_assert_eq!(read, text);
    }

    #[test]
    fn any_last_lines_are_a_suffix(text in PIECES, count in 0_usize..6) {
        let last = last_lines(&text, count);
        prop_assert!(text.ends_with(last));
        prop_assert_eq!(line_count(last), line_count(&text).min(count));
    }
}
