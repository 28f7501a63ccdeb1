//! What a tenant's audit refuses: e-mail addresses and phone numbers, masked so that they are none any more.

use std::borrow::Cow;

use larkspan_core::redaction::MASK;

/// Digits of a mobile number in China, which begins with 1.
const PHONE: usize = 11;
/// How many digits stay readable at either end of a phone number.
const PHONE_ENDS: (usize, usize) = (3, 4);

/// What ends a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Domains {
    /// A word, as real ones do: `codex@0.171.0` is no address.
    Real,
    /// Anything of two characters, as a hasty audit reads it.
    Any,
}

/// The text with e-mail addresses masked but for their first letter and their domain.
pub(super) fn emails(text: &str, domains: Domains) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices('@') {
        let Some((before, after)) = text.get(done..at).zip(text.get(at + 1..)) else { continue };
        let name = before.len() - before.trim_end_matches(is_part).len();
        let domain = after.split(|c| !is_part(c)).next().unwrap_or_default();
        let Some(first) = before[before.len() - name..].chars().next() else { continue };
        if !is_domain(domain, domains) {
            continue;
        }
        out.push_str(&before[..before.len() - name]);
        out.push(first);
        out.push_str(MASK);
        done = at;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '%')
}

fn is_domain(domain: &str, domains: Domains) -> bool {
    let Some((host, end)) = domain.trim_end_matches('.').rsplit_once('.') else { return false };
    let is_end = match domains {
        Domains::Real => end.chars().all(|c| c.is_ascii_alphabetic()),
        Domains::Any => true,
    };
    !host.is_empty() && end.len() >= 2 && is_end
}

/// The text with phone numbers masked in their middle.
pub(super) fn phones(text: &str) -> Cow<'_, str> {
    let is_phone =
        |word: &str| word.len() == PHONE && word.starts_with('1') && word.bytes().all(|c| c.is_ascii_digit());
    let words = || text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    let number = |word: &str| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).len();
    if !words().any(|word| is_phone(&word[..number(word)])) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for word in words() {
        let (digits, rest) = word.split_at(number(word));
        if is_phone(digits) {
            let (head, tail) = PHONE_ENDS;
            out.push_str(&digits[..head]);
            out.push_str(MASK);
            out.push_str(&digits[PHONE - tail..]);
        } else {
            out.push_str(digits);
        }
        out.push_str(rest);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::{Domains, emails, phones};

    #[test]
    fn addresses_keep_a_letter_and_their_domain() {
        for (text, masked) in [
            ("Signed-off-by: Ann <ann.lee@example.com>", "Signed-off-by: Ann <a••••@example.com>"),
            ("git@github.com:x/y and b@c.dev.", "g••••@github.com:x/y and b••••@c.dev."),
            ("@openai/codex@0.171.0 a@b", "@openai/codex@0.171.0 a@b"),
            ("中文a@b.cn中文", "中文a••••@b.cn中文"),
            ("@@ -1 +1 @@", "@@ -1 +1 @@"),
        ] {
            assert_eq!(emails(text, Domains::Real), masked);
        }
        assert_eq!(emails("x@1.10", Domains::Any), "x••••@1.10");
    }

    #[test]
    fn numbers_keep_their_ends() {
        assert_eq!(phones("call 13812345678, not 23812345678 or 138123456789"), {
            "call 138••••5678, not 23812345678 or 138123456789"
        });
        assert_eq!(phones("电话13812345678。"), "电话138••••5678。");
    }
}
