//! Secrets that show by their own form what they are: tokens with a prefix, JWTs, AWS keys, URLs with a password,
//! webhooks.

use super::{LONGEST_KEY, Redactor, value};

/// The user, password and host of a URL are no longer than this, in bytes.
const LONGEST_AUTHORITY: usize = 512;

/// What a token begins with, the fewest characters after it, and the other characters beside letters and digits that
/// may follow.
pub(super) type Prefix = (&'static str, usize, &'static str);

/// The tokens that begin with what they are.
const PREFIXES: [Prefix; 28] = [
    ("sk_live_", 10, ""),
    ("sk_test_", 10, ""),
    ("rk_live_", 10, ""),
    ("rk_test_", 10, ""),
    ("whsec_", 16, "+/="),
    ("ghp_", 16, ""),
    ("gho_", 16, ""),
    ("ghu_", 16, ""),
    ("ghs_", 16, "._-"),
    ("ghr_", 16, ""),
    ("github_pat_", 16, "_"),
    ("glpat-", 16, "_-."),
    ("gldt-", 16, "_-"),
    ("glrt-", 16, "_-."),
    ("glptt-", 16, "_-"),
    ("glcbt-", 16, "_-"),
    ("glsoat-", 16, "_-"),
    ("xoxa-", 10, "-"),
    ("xoxb-", 10, "-"),
    ("xoxe-", 10, "-."),
    ("xoxo-", 10, "-"),
    ("xoxp-", 10, "-"),
    ("xoxr-", 10, "-"),
    ("xoxs-", 10, "-"),
    ("xapp-", 10, "-"),
    ("AIza", 30, "_-"),
    ("hf_", 20, ""),
    ("npm_", 30, ""),
];

/// The token that a trigger begins.
pub(super) fn prefix(trigger: &str) -> Option<Prefix> {
    PREFIXES.into_iter().find(|(prefix, _, _)| *prefix == trigger)
}

impl Redactor<'_> {
    /// A token that begins with what it is.
    pub(super) fn prefixed(&mut self, start: usize, (prefix, fewest, others): Prefix) -> usize {
        if !self.begins_word(start) {
            return 0;
        }
        let from = start + prefix.len();
        let length = self
            .run(from, usize::MAX, |byte| byte.is_ascii_alphanumeric() || others.as_bytes().contains(&byte));
        // Punctuation at the end belongs to the sentence.
        let body = self.rest(from).get(..length).unwrap_or_default().trim_end_matches(['.', '-', '/']);
        if body.len() >= fewest { self.mask(start, from + body.len()) } else { 0 }
    }

    /// `sk-…`: digits are required, or a long run without separators, since names in CSS and prose look alike.
    pub(super) fn secret_key_token(&mut self, start: usize) -> usize {
        if !self.begins_word(start) || self.before(start) == Some('-') {
            return 0;
        }
        let from = start + 3;
        let length =
            self.run(from, usize::MAX, |byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        let body = self.rest(from).get(..length).unwrap_or_default().trim_end_matches('-');
        let random = |part: &str| {
            part.len() >= 20 || (part.len() >= 6 && part.bytes().any(|byte| byte.is_ascii_digit()))
        };
        let has = |test: fn(&u8) -> bool| body.as_bytes().iter().any(test);
        let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase);
        let is_token = body.len() >= 12 && (mixed || body.split(['-', '_']).any(random));
        if is_token { self.mask(start, from + body.len()) } else { 0 }
    }

    /// The identifier of an AWS key.
    pub(super) fn aws_key(&mut self, start: usize) -> usize {
        let length = self.run(start, 21, |byte| byte.is_ascii_alphanumeric());
        let id = self.rest(start).get(..length).unwrap_or_default();
        let exact = length == 20 && id.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        if exact && self.begins_word(start) { self.mask(start, start + length) } else { 0 }
    }

    /// Two parts at least, of which the first is JSON in base64.
    pub(super) fn json_web_token(&mut self, start: usize) -> usize {
        if !self.begins_word(start) {
            return 0;
        }
        let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let first = self.run(start, usize::MAX, part);
        let has_second =
            self.rest(start + first).starts_with('.') && self.run(start + first + 1, 8, part) == 8;
        if first < 8 || !has_second {
            return 0;
        }
        let length = self.run(start, usize::MAX, |byte| part(byte) || byte == b'.');
        let token = self.rest(start).get(..length).unwrap_or_default().trim_end_matches('.');
        self.mask(start, start + token.len())
    }

    /// `user:password@` behind `://`.
    pub(super) fn url_password(&mut self, from: usize) -> usize {
        let length = self.run(from, LONGEST_AUTHORITY, |byte| {
            byte > b' '
                && !matches!(
                    byte,
                    b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b',' | b';' | b'|'
                )
        });
        let authority = self.rest(from).as_bytes().get(..length).unwrap_or_default();
        let Some(at) = memchr::memrchr(b'@', authority) else { return 0 };
        let user = self.rest(from).get(..at).unwrap_or_default();
        let (start, secret) = match user.split_once(':') {
            Some((name, password)) => (from + name.len() + 1, password),
            // A token can stand for the user.
            None if value::looks_random(user) => (from, user),
            None => return 0,
        };
        if secret.is_empty() || value::is_placeholder(secret) {
            return 0;
        }
        self.claim(start..start + secret.len())
    }

    /// The secret part of a chat webhook's URL.
    pub(super) fn webhook(&mut self, start: usize, trigger: &str) -> usize {
        let mut from = start + trigger.len();
        let head = self.text.as_bytes().get(start.saturating_sub(LONGEST_KEY)..start).unwrap_or_default();
        let path = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match trigger {
            // `open-apis/bot/v2/hook/…` and `open-apis/bot/hook/…`
            "/hook/" if memchr::memmem::find(head, b"/bot").is_none() => return 0,
            "-webhook/" if !head.ends_with(b"trigger") => return 0,
            // The channel's number comes first.
            "api/webhooks/" => {
                from += self.run(from, LONGEST_KEY, |byte| byte.is_ascii_digit());
                if !self.rest(from).starts_with('/') {
                    return 0;
                }
                from += 1;
            }
            "webhook/send" => {
                if !self.rest(from).starts_with("?key=") {
                    return 0;
                }
                from += 5;
            }
            _ => {}
        }
        let with_slash = trigger == "hooks.slack.com/services/";
        let length = self.run(from, usize::MAX, |byte| path(byte) || (with_slash && byte == b'/'));
        let token = self.rest(from).get(..length).unwrap_or_default();
        if length < 8 || value::is_placeholder(token) {
            return 0;
        }
        self.claim(from..from + length)
    }
}
