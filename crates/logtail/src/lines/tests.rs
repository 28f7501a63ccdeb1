use proptest::prelude::*;

use super::*;

/// An owned [`Line`]: kind, bytes or head, length, start, end.
type Seen = (&'static str, Vec<u8>, u64, u64, u64);

fn own(line: Line<'_>) -> Seen {
    match line {
        Line::Whole { bytes, start, end } => ("whole", bytes.to_vec(), bytes.len() as u64, start, end),
        Line::Oversized { head, len, start, end } => ("oversized", head.to_vec(), len, start, end),
        Line::Skipped { head, len, start, end } => ("skipped", head.to_vec(), len, start, end),
    }
}

fn split<'a>(limits: Limits, at: u64, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Seen> {
    let mut splitter = LineSplitter::with_limits(at, limits);
    let mut seen = Vec::new();
    for chunk in chunks {
        splitter.push(chunk, |line| seen.push(own(line)));
    }
    assert_eq!(splitter.offset(), seen.last().map_or(at, |line| line.4));
    seen.extend(splitter.finish().map(own));
    seen
}

/// What the rules say, written down the slow way.
fn reference(limits: Limits, content: &[u8]) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut start = 0;
    while start < content.len() {
        let feed = content[start..].iter().position(|&byte| byte == b'\n');
        let end = feed.map_or(content.len(), |feed| start + feed + 1);
        let mut line = &content[start..end - usize::from(feed.is_some())];
        if start == 0 && line.starts_with(BOM) {
            line = &line[3..];
        }
        if line.last() == Some(&b'\r') {
            line = &line[..line.len() - 1];
        }
        let len = line.len() as u64;
        let head = &line[..line.len().min(limits.head)];
        let (kind, bytes) = match len {
            _ if len <= limits.whole => ("whole", line),
            _ if len <= limits.oversized => ("oversized", head),
            _ => ("skipped", head),
        };
        seen.push((kind, bytes.to_vec(), len, start as u64, end as u64));
        start = end;
    }
    seen
}

#[test]
fn a_line_ends_at_a_line_feed_and_nowhere_else() {
    fn check(content: &[u8], expected: &[&[u8]]) {
        for cut in 0..=content.len() {
            let (a, b) = content.split_at(cut);
            let lines = split(LIMITS, 0, [a, b]);
            let bytes: Vec<&[u8]> = lines.iter().map(|line| line.1.as_slice()).collect();
            assert_eq!(bytes, expected, "cut at {cut}");
            assert_eq!(lines, reference(LIMITS, content), "cut at {cut}");
        }
    }
    check(b"", &[]);
    check(b"\n", &[b""]);
    check(b"a\nb\n", &[b"a", b"b"]);
    check(b"a\n\n\nb\n", &[b"a", b"", b"", b"b"]);
    check(b"a\nno final feed", &[b"a", b"no final feed"]);
    // CRLF: one carriage return goes; a lone one is text.
    check(b"a\r\nb\r\r\n\r\n", &[b"a", b"b\r", b""]);
    check(b"a\rb\nc\r", &[b"a\rb", b"c"]);
    // A byte order mark goes at the file's start only.
    check(b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n", &[b"a", b"\xEF\xBB\xBFb"]);
    check(b"\xEF\xBB\xBF\r\n", &[b""]);
    check(b"\xEF\xBB\xBF", &[b""]);
    check(b"\xEF\xBBx\n", &[b"\xEF\xBBx"]);
    // U+2028, U+2029, U+0085, vertical tab and form feed are text.
    check(
        "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\n".as_bytes(),
        &["a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f".as_bytes()],
    );
    // NUL bytes and cut UTF-8 stay as they are, and cost no neighbour.
    check(b"a\0\0b\n{\"t\":\"\xE6\x87\nok\n", &[b"a\0\0b", b"{\"t\":\"\xE6\x87", b"ok"]);
}

#[test]
fn a_byte_order_mark_is_text_when_reading_goes_on_in_mid_file() {
    assert_eq!(
        split(LIMITS, 7, [b"\xEF\xBB\xBFa\n".as_slice()]),
        [("whole", b"\xEF\xBB\xBFa".to_vec(), 4, 7, 12)]
    );
}

#[test]
fn the_limits_count_the_line_without_its_line_end() {
    let limits = Limits { whole: 8, oversized: 12, head: 3 };
    let check = |content: &[u8], kind: &str, bytes: &[u8], len: u64| {
        for size in 1..=content.len() {
            let lines = split(limits, 0, content.chunks(size));
            assert_eq!(
                lines,
                [(lines[0].0, bytes.to_vec(), len, 0, content.len() as u64)],
                "chunks of {size}"
            );
            assert_eq!(lines[0].0, kind, "chunks of {size}");
        }
    };
    check(b"12345678\n", "whole", b"12345678", 8);
    check(b"12345678\r\n", "whole", b"12345678", 8);
    check(b"\xEF\xBB\xBF12345678\r\n", "whole", b"12345678", 8);
    check(b"123456789\n", "oversized", b"123", 9);
    check(b"123456789\r\n", "oversized", b"123", 9);
    check(b"\xEF\xBB\xBF123456789\r\n", "oversized", b"123", 9);
    check(b"123456789abc\r\n", "oversized", b"123", 12);
    check(b"123456789abcd\n", "skipped", b"123", 13);
    check(b"\xEF\xBB\xBF123456789abcd", "skipped", b"123", 13);
}

#[test]
fn an_unfinished_line_can_still_be_finished() {
    let mut splitter = LineSplitter::at(0);
    splitter.push(b"half", |line| panic!("{line:?} has no line feed"));
    assert_eq!(splitter.finish().map(own), Some(("whole", b"half".to_vec(), 4, 0, 4)));
    assert_eq!(splitter.offset(), 0);
    let mut lines = Vec::new();
    splitter.push(b" and half\n", |line| lines.push(own(line)));
    assert_eq!(lines, [("whole", b"half and half".to_vec(), 13, 0, 14)]);
    assert_eq!(splitter.finish(), None);
}

#[test]
fn a_64_mb_line_costs_no_more_memory_than_the_limit() {
    let chunk = vec![b'x'; 256 << 10];
    for (megabytes, kind) in [(8, "whole"), (9, "oversized"), (64, "oversized"), (65, "skipped")] {
        let mut splitter = LineSplitter::at(0);
        let mut lines = Vec::new();
        let mut most = 0;
        for _ in 0..megabytes * 4 {
            splitter.push(&chunk, |line| lines.push(own(line)));
            most = most.max(splitter.buffered());
        }
        assert_eq!(lines, []);
        assert!(most <= (8 << 20) + 4, "{most} bytes held");
        if megabytes > 8 {
            assert_eq!(splitter.buffered(), HEAD_LEN + 3);
        }
        splitter.push(b"\nnext\n", |line| lines.push(own(line)));
        let (found, bytes, len, start, end) = &lines[0];
        assert_eq!((*found, *len, *start, *end), (kind, megabytes << 20, 0, (megabytes << 20) + 1));
        assert_eq!(bytes.len(), if kind == "whole" { 8 << 20 } else { HEAD_LEN });
        assert_eq!(lines[1].1, b"next");
        assert!(splitter.buffered() <= IDLE_CAPACITY);
    }
}

/// Content rich in what matters: line ends, byte order marks, cut characters.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        1 => Just(BOM.to_vec()),
        1 => Just("\u{2028}".as_bytes().to_vec()),
        1 => Just(b"\xE6\x87".to_vec()),
        1 => Just(vec![0]),
        6 => proptest::collection::vec(any::<u8>(), 0..24),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_lines(
        content in content(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
        limits in (1_u64..12, 0_u64..12, 0_usize..8)
            .prop_map(|(whole, more, head)| {
                Limits { whole, oversized: whole + more, head: head.min(whole as usize) }
            }),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(content.len() + 1)).collect();
        cuts.extend([0, content.len()]);
        cuts.sort_unstable();
        let chunks = cuts.windows(2).map(|pair| &content[pair[0]..pair[1]]);
        let expected = reference(limits, &content);
        prop_assert_eq!(&split(limits, 0, chunks), &expected);
        prop_assert_eq!(&split(limits, 0, [content.as_slice()]), &expected);
        prop_assert_eq!(&split(limits, 0, content.chunks(1)), &expected);
    }

    #[test]
    fn the_offsets_reassemble_the_input(content in content()) {
        let mut rebuilt = Vec::new();
        for (_, bytes, _, start, end) in split(LIMITS, 0, content.chunks(7)) {
            prop_assert_eq!(start, rebuilt.len() as u64);
            let raw = &content[start as usize..end as usize];
            let text = raw.strip_suffix(b"\n").unwrap_or(raw);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let text = if start == 0 { text.strip_prefix(BOM).unwrap_or(text) } else { text };
            prop_assert_eq!(&bytes, text);
            rebuilt.extend_from_slice(raw);
        }
        prop_assert_eq!(rebuilt, content);
    }

    #[test]
    fn any_line_end_is_a_place_to_go_on_from(content in content(), stop in any::<prop::sample::Index>()) {
        let all = split(LIMITS, 0, [content.as_slice()]);
        if !all.is_empty() {
            let at = stop.index(all.len());
            let start = all[at].3;
            prop_assert_eq!(split(LIMITS, start, [&content[start as usize..]]), all[at..].to_vec());
        }
    }
}
