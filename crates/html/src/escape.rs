//! Text as HTML text and attribute values.
//!
//! Invariants
//! - Whatever the text, the result is text: it opens no element, leaves no attribute and is no character reference.
//! - Characters that show nothing or reorder what stands around them are shown as an escape, so a page never reads
//!   differently from what its source says. Which they are: Unicode's `Bidi_Control`, the controls, line and paragraph
//!   separators, annotation marks and tags. Joiners stay: emoji and several scripts need them.

use std::fmt::Write as _;

/// Appends text as the content of an element.
pub fn text(out: &mut String, text: &str) {
    escape(out, text, |out, c| {
        let _ = write!(out, "<span class=\"esc\">{}</span>", c.escape_unicode());
    });
}

/// Appends text as the value of an attribute in double quotes, or as a title, where no element may stand.
pub fn plain(out: &mut String, text: &str) {
    escape(out, text, |out, c| {
        let _ = write!(out, "{}", c.escape_unicode());
    });
}

/// Appends a URL as the value of an attribute in double quotes. What deceives is percent-encoded.
pub fn url(out: &mut String, url: &str) {
    escape(out, url, |out, c| {
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            let _ = write!(out, "%{byte:02X}");
        }
    });
}

fn escape(out: &mut String, text: &str, deceptive: impl Fn(&mut String, char)) {
    out.reserve(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\r' if characters.peek() == Some(&'\n') => {}
            _ if is_deceptive(c) => deceptive(out, c),
            _ => out.push(c),
        }
    }
}

fn is_deceptive(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    #[test]
    fn text_stays_text() {
        let check = |input: &str, in_element: &str, in_attribute: &str, in_url: &str| {
            let escaped = |escape: fn(&mut String, &str)| {
                let mut out = String::new();
                escape(&mut out, input);
                out
            };
            assert_eq!(escaped(super::text), in_element, "{input:?} in an element");
            assert_eq!(escaped(super::plain), in_attribute, "{input:?} in an attribute");
            assert_eq!(escaped(super::url), in_url, "{input:?} as a URL");
        };
        let same = |input: &str, escaped: &str| check(input, escaped, escaped, escaped);
        same("", "");
        same("你好\n\tworld 👨‍👩‍👧", "你好\n\tworld 👨‍👩‍👧");
        same("<b a=\"x\" c='y'>&amp;", "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;amp;");
        same("a\r\nb", "a\nb");
        check("a\u{1b}b", "a<span class=\"esc\">\\u{1b}</span>b", "a\\u{1b}b", "a%1Bb");
        check("\u{202e}", "<span class=\"esc\">\\u{202e}</span>", "\\u{202e}", "%E2%80%AE");
        check("\r", "<span class=\"esc\">\\u{d}</span>", "\\u{d}", "%0D");
        check("\u{e0041}", "<span class=\"esc\">\\u{e0041}</span>", "\\u{e0041}", "%F3%A0%81%81");
        check("\0", "<span class=\"esc\">\\u{0}</span>", "\\u{0}", "%00");
    }
}
