//! Owns the guess whether a file holds text, from a sample of its beginning.

/// Bytes of the sample that are looked at.
const SAMPLE_LEN: usize = 8 << 10;

/// From one byte in this many on, strange bytes make a sample binary. Compressed data has one in two, an
/// executable one in three; a log with a stray NUL or a cut character has far fewer.
const STRANGE_SHARE: usize = 10;

/// Whether the beginning of a file (a few KiB are enough) is no text: full of NUL bytes, control characters
/// or broken UTF-8.
///
/// A log that was damaged here and there is still text, and so is an empty sample. A character cut by the
/// sample's end does not count.
///
/// ```
/// assert!(!larkspan_logtail::looks_binary(b"{\"type\":\"session_meta\"}\n"));
/// assert!(larkspan_logtail::looks_binary(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"));
/// ```
pub fn looks_binary(head: &[u8]) -> bool {
    let sample = head.get(..SAMPLE_LEN).unwrap_or(head);
    let mut strange = 0;
    let mut chunks = sample.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        strange += chunk.valid().bytes().filter(|&byte| is_strange(byte)).count();
        let cut_by_the_end = chunks.peek().is_none()
            && std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
        if !cut_by_the_end {
            strange += chunk.invalid().len();
        }
    }
    strange * STRANGE_SHARE > sample.len()
}

/// Control characters that no text has: not tab, line ends, backspace, form feed, or the escape of coloured
/// terminal output.
fn is_strange(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0b | 0x0c | 0x1b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_binary() {
        let noise: Vec<u8> = (0_u32..4096).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let utf16: Vec<u8> = "{\"a\":1}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let coloured = "\u{1b}[1mbold\u{1b}[0m\r\n".repeat(9);
        let mut damaged = b"{\"text\":\"a line of a log\"}\n".repeat(20);
        damaged.splice(40..40, [0; 16]);
        damaged.splice(200..200, *b"\xE6\x87");
        let long_text_then_noise = [vec![b'x'; SAMPLE_LEN], noise.clone()].concat();
        let rows: [(&str, &[u8], bool); 14] = [
            ("nothing", b"", false),
            ("a line", b"{\"a\":1}\n", false),
            ("a byte order mark", b"\xEF\xBB\xBF{\"a\":1}\r\n", false),
            ("Chinese", "中文日志，全部都是中文。".as_bytes(), false),
            ("a character cut by the sample's end", b"\xE4\xB8\xAD\xE6\x87", false),
            ("a coloured log", coloured.as_bytes(), false),
            ("a damaged log", &damaged, false),
            ("noise behind the sample", &long_text_then_noise, false),
            ("NUL bytes", &[0; 512], true),
            ("noise", &noise, true),
            ("UTF-16", &utf16, true),
            ("an executable", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0", true),
            ("an image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0", true),
            ("a zstd frame", b"\x28\xB5\x2F\xFD\x04\x58\x91\0\0 \x01\x02\x03\x80\x81\xFE", true),
        ];
        for (what, head, expected) in rows {
            assert_eq!(looks_binary(head), expected, "{what}");
        }
    }
}
