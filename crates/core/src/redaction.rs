//! Masks secrets in text that is about to be shown: titles, bodies, status lines, exports.
//!
//! What is masked:
//! - values of keys that name a secret (`API_KEY=…`, `"password": "…"`, `--token …`, `X-Api-Key: …`), see `key`;
//! - credentials after `Authorization:` and `Bearer`;
//! - tokens that show what they are: `sk-…`, AWS, GitHub, GitLab, Slack, Stripe, Google, npm, Hugging Face, JWTs;
//! - passwords in URLs, and the tokens of chat webhooks (Feishu and Lark, Slack, Discord, `WeCom`);
//! - private-key blocks, also when they are cut at either end.
//!
//! What is not: plain numbers, placeholders (`$VAR`, `<your key>`, `***`), and what reads as code rather than as a
//! value (`token = tokenizer.next()`, `password: String`, `key=self.key`), see `value`. Where a text leaves it open,
//! it is masked: a masked word costs a reader little, a shown secret much.
//!
//! Invariants: only the secret itself changes, so lines, quotes and diff markers stay; masking twice is masking once;
//! the time is linear in the text, and close to that of a plain search where nothing is found.

mod form;
mod key;
mod pem;
mod value;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use key::KeyKind;
use value::{Style, Surroundings};

/// Stands for what is masked; a secret of 16 or more characters keeps its last four behind it.
pub const MASK: &str = "••••";

/// Secrets with fewer characters are masked wholly.
const SHORT: usize = 16;
/// How many characters of a longer secret stay.
const KEPT: usize = 4;
/// A key is no longer than this, in bytes. Like the other bounds it keeps the time linear.
const LONGEST_KEY: usize = 64;
/// An unquoted value that is longer is no code, in bytes.
const LONGEST_CODE: usize = 512;
/// A quoted value is no longer than this, in bytes.
const LONGEST_QUOTED: usize = 4096;
/// Where something may have to be masked: fragments that every secret we know of contains or follows. One search
/// for all of them makes text without any cheap.
const TRIGGERS: &str = concat!(
    "oken|OKEN|ecret|ECRET|pass|PASS|Pass|pwd|PWD|key|KEY|Key|uthorization|UTHORIZATION|earer|EARER|密码|口令|密钥|令牌|",
    "sk-|sk_live_|sk_test_|rk_live_|rk_test_|whsec_|AKIA|ASIA|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|gldt-|glrt-|glptt-|",
    "glcbt-|glsoat-|xoxa-|xoxb-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xapp-|eyJ|AIza|hf_|npm_|",
    "-----BEGIN |-----END |://|/hook/|-webhook/|hooks.slack.com/services/|api/webhooks/|webhook/send"
);

/// A constant pattern of plain words: it compiles, or every test of this module fails.
static TRIGGER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(TRIGGERS).ok());

/// Masks the secrets of a text. Borrows where there are none.
///
/// ```
/// # use larkspan_core::redaction::redact;
/// assert_eq!(redact("curl -H 'Authorization: Bearer abcdefghijklmnop1234'"), "curl -H 'Authorization: Bearer ••••1234'");
/// assert_eq!(redact("+DB_PASSWORD=hunter2 # local"), "+DB_PASSWORD=•••• # local");
/// assert_eq!(redact("max_tokens = 4096; token = next();"), "max_tokens = 4096; token = next();");
/// ```
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(trigger) = TRIGGER.as_ref() else { return Cow::Borrowed(text) };
    let mut redactor = Redactor { text, output: String::new(), copied: 0, pending: Vec::new() };
    let mut position = 0;
    loop {
        let found = trigger.find_at(text, position);
        let start = found.map_or(text.len(), |found| found.start());
        if let Some(end) = redactor.mask_pending(start) {
            position = end;
            continue;
        }
        let Some(found) = found else { break };
        position = redactor.examine(start, found.as_str()).max(found.end());
    }
    redactor.finish()
}

struct Redactor<'a> {
    text: &'a str,
    output: String,
    /// How much of the text is in the output.
    copied: usize,
    /// Secrets ahead: between a key and its value, or in the user of a URL, others may stand that come first.
    pending: Vec<Range<usize>>,
}

impl<'a> Redactor<'a> {
    fn finish(mut self) -> Cow<'a, str> {
        if self.copied == 0 && self.output.is_empty() {
            return Cow::Borrowed(self.text);
        }
        self.output.push_str(self.text.get(self.copied..).unwrap_or_default());
        Cow::Owned(self.output)
    }

    /// Looks at what a trigger stands for. Gives back where to go on, or 0 for right behind the trigger.
    fn examine(&mut self, start: usize, trigger: &str) -> usize {
        match trigger {
            "://" => self.url_password(start + trigger.len()),
            "/hook/" | "-webhook/" | "hooks.slack.com/services/" | "api/webhooks/" | "webhook/send" => {
                self.webhook(start, trigger)
            }
            "-----BEGIN " => self.private_key(start),
            "-----END " => self.private_key_end(start),
            "sk-" => self.secret_key_token(start),
            "AKIA" | "ASIA" => self.aws_key(start),
            "eyJ" => self.json_web_token(start),
            _ => match form::prefix(trigger) {
                Some(prefix) => self.prefixed(start, prefix),
                None => self.key(start, start + trigger.len()),
            },
        }
    }

    // ---- text around a position ----

    fn rest(&self, from: usize) -> &'a str {
        self.text.get(from..).unwrap_or_default()
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at).and_then(|text| text.chars().next_back())
    }

    /// How many bytes from `from` on satisfy the test, at most `most`.
    fn run(&self, from: usize, most: usize, test: impl Fn(u8) -> bool) -> usize {
        self.rest(from).bytes().take(most).take_while(|&byte| test(byte)).count()
    }

    /// Whether a token may begin here: not inside a word, nor in what a mask has left.
    fn begins_word(&self, at: usize) -> bool {
        !self.before(at).is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') && !self.is_left(at)
    }

    /// Whether the place is within the characters that stay behind a mask: what they form with what follows is
    /// nothing of its own.
    fn is_left(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default().chars().rev();
        before.take(KEPT).take_while(|c| may_stay(*c) || *c == '•').any(|c| c == '•')
    }

    /// Masks a part of the text and gives back its end.
    fn mask(&mut self, start: usize, end: usize) -> usize {
        let secret = self.text.get(start..end).unwrap_or_default();
        self.output.push_str(self.text.get(self.copied..start).unwrap_or_default());
        self.output.push_str(MASK);
        if secret.chars().nth(SHORT - 1).is_some() {
            let kept = secret.char_indices().rev().nth(KEPT - 1).map_or(0, |(at, _)| at);
            let kept = secret.get(kept..).unwrap_or_default();
            // Half an escape would change what follows.
            if kept.chars().all(may_stay) {
                self.output.push_str(kept);
            }
        }
        self.copied = end;
        end
    }

    /// Has a part of the text masked when everything before it has been looked at. What is claimed already stays
    /// with its first owner.
    fn claim(&mut self, secret: Range<usize>) -> usize {
        if !self.pending.iter().any(|other| other.start < secret.end && secret.start < other.end) {
            self.pending.push(secret);
        }
        0
    }

    /// Masks the first claimed part that begins up to `limit`, and gives back its end.
    fn mask_pending(&mut self, limit: usize) -> Option<usize> {
        let (at, secret) = self.pending.iter().enumerate().min_by_key(|(_, secret)| secret.start)?;
        if secret.start > limit {
            return None;
        }
        let Range { start, end } = *secret;
        self.pending.swap_remove(at);
        Some(if end > self.copied { self.mask(start.max(self.copied), end) } else { self.copied })
    }

    // ---- private keys ----

    fn private_key(&mut self, start: usize) -> usize {
        let Some(body) = pem::marker(self.rest(start)).map(|length| start + length) else { return 0 };
        let mut end = body;
        for line in pem::lines_after(self.rest(body)) {
            end = self.mask_whole(body + line.start, body + line.end);
        }
        end
    }

    /// The lines before the end of a key whose beginning is cut off.
    fn private_key_end(&mut self, start: usize) -> usize {
        let Some(length) = pem::marker(self.rest(start)) else { return 0 };
        let base = self.copied;
        let before = self.text.get(base..start).unwrap_or_default();
        for line in pem::lines_before(before) {
            self.mask_whole(base + line.start, base + line.end);
        }
        start + length
    }

    /// Masks a line of a key, of which nothing stays.
    fn mask_whole(&mut self, start: usize, end: usize) -> usize {
        self.output.push_str(self.text.get(self.copied..start).unwrap_or_default());
        self.output.push_str(MASK);
        self.copied = end;
        end
    }

    // ---- keys and values ----

    /// A word that may be a key, or part of one.
    fn key(&mut self, start: usize, end: usize) -> usize {
        let word_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let bytes = self.text.as_bytes();
        let from = start.saturating_sub(LONGEST_KEY).max(self.copied);
        let head = bytes.get(from..start).unwrap_or_default();
        let back = head.iter().rev().take_while(|&&byte| word_byte(byte)).count();
        let forward = self.run(end, LONGEST_KEY, word_byte);
        if back >= LONGEST_KEY || forward >= LONGEST_KEY {
            return 0;
        }
        let (mut key_start, key_end) = (start - back, end + forward);
        if self.is_left(key_start) {
            return 0;
        }
        // In a JSON string a line break is two characters, of which the second looks like the key's first.
        let escaped = bytes.get(key_start).is_some_and(|byte| matches!(byte, b'n' | b'r' | b't'));
        if escaped && self.before(key_start) == Some('\\') {
            key_start += 1;
        }
        let word = self.text.get(key_start..key_end).unwrap_or_default();
        let dashes = word.len() - word.trim_start_matches('-').len();
        key_start += dashes;
        let name = word.get(dashes..).unwrap_or_default();
        if name.eq_ignore_ascii_case("bearer") {
            return self.bearer(key_end);
        }
        // Most words are not followed by a value; that is cheaper to see than what they mean.
        let Some((style, value_start)) = self.separator(key_end, dashes == 2, key_start) else { return 0 };
        let Some(kind) = key::kind(name, self.text.get(..key_start).unwrap_or_default()) else { return 0 };
        let place = Place { key_start, value_start };
        match kind {
            KeyKind::Authorization => self.credentials(place.value_start),
            KeyKind::Secret => self.value(name, style, place),
        }
    }

    /// What joins a key to its value, and where that begins.
    fn separator(&self, key_end: usize, is_option: bool, key_start: usize) -> Option<(Style, usize)> {
        let mut at = key_end;
        let quoted = self.quote(at);
        if let Some(quote) = quoted {
            at += quote;
            at += usize::from(self.rest(at).starts_with(']'));
        }
        // `**Password**:`
        at += self.run(at, 2, |byte| byte == b'*');
        let blanks = self.run(at, 8, is_blank);
        at += blanks;
        let rest = self.rest(at);
        let unequal = ["==", "=~", "::"].iter().any(|operator| rest.starts_with(operator));
        if unequal {
            return None;
        }
        let (length, colon) = if rest.starts_with("=>") || rest.starts_with(":=") || rest.starts_with("?=") {
            (2, false)
        } else if rest.starts_with('=') {
            (1, false)
        } else if rest.starts_with(':') {
            (1, true)
        } else if rest.starts_with('：') {
            ('：'.len_utf8(), true)
        } else if is_option && blanks > 0 && quoted.is_none() {
            return Some((Style::Option, at));
        } else if rest.starts_with('>') && blanks == 0 && self.before(key_start) == Some('<') {
            return Some((Style::Element, at + 1));
        } else {
            return None;
        };
        at += length;
        at += self.run(at, 2, |byte| byte == b'*');
        let after = self.run(at, 64, is_blank);
        let style = match (colon, blanks + after) {
            (true, _) => Style::Colon,
            (false, 0) if length == 1 => Style::Tight,
            (false, _) => Style::Spaced,
        };
        Some((style, at + after))
    }

    /// The length of a quote mark here, with the backslashes before it.
    fn quote(&self, at: usize) -> Option<usize> {
        let slashes = self.run(at, 8, |byte| byte == b'\\');
        let mark = self.rest(at + slashes).as_bytes().first()?;
        matches!(mark, b'"' | b'\'' | b'`').then_some(slashes + 1)
    }

    /// The value of a secret's key.
    fn value(&mut self, name: &str, style: Style, place: Place) -> usize {
        let mut at = place.value_start;
        // Prefixes of string literals: f"…", b'…'.
        if self.run(at, 1, |byte| matches!(byte, b'b' | b'f' | b'r' | b'u')) == 1
            && self.quoted(at + 1).is_some()
        {
            at += 1;
        }
        if let Some((start, end)) = self.quoted(at) {
            let text = self.text.get(start..end).unwrap_or_default();
            return if value::is_quoted_secret(name, text) { self.claim(start..end) } else { 0 };
        }
        if self.quote(at).is_some() && style != Style::Option {
            // An opening quote whose closing one is cut off.
            at += self.quote(at).unwrap_or_default();
        }
        if style == Style::Element {
            let length = self.run(at, LONGEST_CODE, |byte| !matches!(byte, b'<' | b'\n'));
            let text = self.rest(at).get(..length).unwrap_or_default();
            let closed = self.rest(at + length).starts_with("</");
            return if closed && value::is_quoted_secret(name, text) {
                self.claim(at..at + length)
            } else {
                0
            };
        }
        if self.begins_code(at) {
            return self.typed_value(name, style, at);
        }
        let length = self.run(at, usize::MAX, is_value_byte);
        let text = self.rest(at).get(..length).unwrap_or_default();
        let around = self.surroundings(place, at + length);
        let trimmed = text.trim_end_matches(['.', ':', '*', '?', '!']);
        if length > LONGEST_CODE || value::is_secret(name, trimmed, style, &around) {
            self.claim(at..at + trimmed.len())
        } else {
            self.typed_value(name, style, at)
        }
    }

    /// Whether an unquoted value begins with what begins an expression, a type or a placeholder.
    fn begins_code(&self, at: usize) -> bool {
        self.rest(at).as_bytes().first().is_some_and(|byte| b"$<{([&*|`%@#!:=".contains(byte))
    }

    /// `token: str = "…"`: the value behind a type.
    fn typed_value(&mut self, name: &str, style: Style, at: usize) -> usize {
        if style != Style::Colon || self.rest(at).starts_with('<') {
            return 0;
        }
        let length = self.run(at, LONGEST_KEY, |byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'&' | b'<' | b'>' | b'[' | b']' | b'|' | b'?' | b'.' | b' ')
        });
        let assigned = self.rest(at + length);
        if !(assigned.starts_with("= ") || assigned.starts_with('=')) || assigned.starts_with("==") {
            return 0;
        }
        let from = at + length + 1;
        let from = from + self.run(from, 8, is_blank);
        let Some((start, end)) = self.quoted(from) else { return 0 };
        let text = self.text.get(start..end).unwrap_or_default();
        if value::is_quoted_secret(name, text) { self.claim(start..end) } else { 0 }
    }

    /// The inside of a quoted text that begins here and ends on the same line.
    fn quoted(&self, at: usize) -> Option<(usize, usize)> {
        let opening = self.quote(at)?;
        let start = at + opening;
        let mark = self.text.get(at..start)?;
        let quote = *mark.as_bytes().last()?;
        let mut window = self.rest(start).as_bytes();
        window = window.get(..LONGEST_QUOTED).unwrap_or(window);
        let slashes = opening - 1;
        for found in memchr::memchr2_iter(quote, b'\n', window) {
            if window.get(found) == Some(&b'\n') {
                return None;
            }
            // With fewer backslashes it ends an outer string, with more it is inside.
            let escapes = window
                .get(..found)
                .unwrap_or_default()
                .iter()
                .rev()
                .take_while(|&&byte| byte == b'\\')
                .count();
            if escapes == slashes {
                return Some((start, start + found - slashes));
            }
            if escapes < slashes {
                return None;
            }
        }
        None
    }

    /// What stands around a key and its value.
    fn surroundings(&self, place: Place, value_end: usize) -> Surroundings {
        let window = self.text.floor_char_boundary(place.key_start.saturating_sub(LONGEST_KEY));
        let head = self
            .text
            .get(window..place.key_start)
            .unwrap_or_default()
            .trim_end_matches([' ', '\t', '"', '\'']);
        let previous = if head.is_empty() { self.before(place.key_start) } else { head.chars().next_back() };
        let rest = self.rest(value_end);
        let after = rest.trim_start_matches([' ', '\t']);
        Surroundings {
            previous: previous.filter(|c| *c != '\n'),
            touching: self.before(place.key_start),
            next: rest.chars().next(),
            follows: after.chars().next(),
            ends_line: after.is_empty()
                || after.starts_with(['\n', '\r', '"', '\'', '`', '#'])
                || after.starts_with("\\n"),
            masked: rest.starts_with('•'),
        }
    }

    /// Credentials after `Authorization:`, with or without a scheme.
    fn credentials(&mut self, value_start: usize) -> usize {
        let mut at = value_start;
        at += self.quote(at).unwrap_or_default();
        let scheme = self.run(at, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let blanks = self.run(at + scheme, 4, is_blank);
        let scheme_name = self.rest(at).get(..scheme).unwrap_or_default();
        let has_scheme = blanks > 0 && value::is_scheme(scheme_name);
        if has_scheme {
            at += scheme + blanks;
        }
        let length = self.run(at, usize::MAX, is_value_byte);
        let text = self.rest(at).get(..length).unwrap_or_default();
        let next = self.rest(at + length);
        let is_assigned = !has_scheme && next.trim_start_matches([' ', '\t']).starts_with('=');
        let is_code = is_assigned || self.begins_code(at) || next.starts_with(['(', '[', '{', '•']);
        if length > LONGEST_CODE || (!is_code && value::is_credential(text, has_scheme)) {
            self.claim(at..at + length)
        } else {
            0
        }
    }

    /// A token after the word `Bearer`.
    fn bearer(&mut self, word_end: usize) -> usize {
        let blanks = self.run(word_end, 4, is_blank);
        let from = word_end + blanks;
        let length =
            self.run(from, usize::MAX, |byte| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte));
        let text = self.rest(from).get(..length).unwrap_or_default().trim_end_matches('.');
        let next = self.rest(from + length);
        if blanks == 0 || next.starts_with(['•', '(', '{']) || !value::is_bearer_token(text) {
            return 0;
        }
        self.claim(from..from + text.len())
    }
}

/// Where a key and its value stand.
#[derive(Clone, Copy)]
struct Place {
    key_start: usize,
    value_start: usize,
}

/// Whether a character may be among those that a mask leaves.
fn may_stay(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !matches!(c, '\\' | '"' | '\'' | '`' | '•')
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// What an unquoted value is made of.
fn is_value_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`\\;|<>,&()[]{}".contains(&byte)
}

#[cfg(test)]
mod tests;
