//! Whether a value is a secret, or a placeholder, a plain word, a piece of code.

use super::key;

/// How a value is joined to its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `key=value`
    Tight,
    /// `key = value`, `key := value`, `key => value`
    Spaced,
    /// `key: value`
    Colon,
    /// `--key value`
    Option,
    /// `<key>value</key>`
    Element,
}

/// What stands around an unquoted value and its key. Where that is masked, it speaks against a secret: it was not
/// masked with its surroundings, so it must not be on a second run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    /// The last character before the key that is neither blank nor quote; nothing at the beginning of a line.
    pub(super) previous: Option<char>,
    /// The character right before the key.
    pub(super) touching: Option<char>,
    /// The character right after the value.
    pub(super) next: Option<char>,
    /// The first character after the value that is no blank.
    pub(super) follows: Option<char>,
    /// Whether nothing follows the value on its line but a comment.
    pub(super) ends_line: bool,
    /// Whether the value goes on with something masked.
    pub(super) masked: bool,
}

impl Surroundings {
    /// Whether the key stands behind another word or an expression on its line, as in a declaration.
    fn is_declared(&self) -> bool {
        self.previous.is_some_and(|c| c.is_alphanumeric() || matches!(c, '•' | ')' | '.' | ']'))
    }
}

/// Words that stand where a secret could, and are none: states, types, placeholders, prose.
const PLAIN_WORDS: [&str; 143] = [
    "access_token",
    "admin",
    "and",
    "any",
    "api_key",
    "apikey",
    "argument",
    "array",
    "async",
    "auto",
    "await",
    "base64",
    "basic",
    "bearer",
    "bool",
    "boolean",
    "byte",
    "bytes",
    "bytes16",
    "bytes32",
    "changed",
    "char",
    "client_secret",
    "command-line",
    "const",
    "created",
    "default",
    "deleted",
    "denied",
    "digest",
    "disabled",
    "empty",
    "enabled",
    "env",
    "environment",
    "error",
    "example",
    "expired",
    "expires",
    "failed",
    "false",
    "file",
    "flag",
    "float",
    "float64",
    "for",
    "forbidden",
    "found",
    "from",
    "function",
    "generated",
    "hidden",
    "if",
    "in",
    "incorrect",
    "inherit",
    "instead",
    "int",
    "int32",
    "int64",
    "integer",
    "invalid",
    "is",
    "key",
    "keyring",
    "list",
    "local",
    "masked",
    "md5",
    "missing",
    "mut",
    "never",
    "new",
    "nil",
    "no",
    "none",
    "null",
    "number",
    "oauth",
    "oauth2",
    "object",
    "off",
    "ok",
    "on",
    "option",
    "optional",
    "options",
    "or",
    "parameter",
    "passed",
    "passwd",
    "password",
    "path",
    "present",
    "private",
    "prompt",
    "public",
    "read",
    "readonly",
    "redacted",
    "refresh_token",
    "refreshed",
    "rejected",
    "required",
    "return",
    "revoked",
    "secret",
    "set",
    "sha1",
    "sha256",
    "sha512",
    "static",
    "stdin",
    "str",
    "string",
    "text",
    "that",
    "the",
    "this",
    "to",
    "todo",
    "token",
    "true",
    "type",
    "typeof",
    "uint256",
    "uint32",
    "uint64",
    "undefined",
    "unknown",
    "unset",
    "updated",
    "utf8",
    "valid",
    "value",
    "varchar",
    "vault",
    "verified",
    "void",
    "with",
    "write",
    "wrong",
    "yes",
];

/// HTTP authentication schemes.
const SCHEMES: [&str; 7] = ["apikey", "basic", "bearer", "digest", "negotiate", "token", "api-key"];

pub(super) fn is_scheme(word: &str) -> bool {
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Whether a text only stands for a secret: a variable, a blank to fill in, a mask, a state, a type.
pub(super) fn is_placeholder(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return true };
    let is_variable = match first {
        '$' | '<' | '{' => true,
        '%' => text.len() <= 3 || text.ends_with('%') || text.starts_with("%("),
        '#' => text.starts_with("#{"),
        '[' => text.ends_with(']'),
        ':' | '@' | '&' => text.chars().skip(1).all(|c| c.is_ascii_alphabetic() || c == '_'),
        _ => false,
    };
    let interpolates =
        ["${", "{{", "$(", "#{", "...", "…", "•", "://"].iter().any(|mark| text.contains(mark));
    let says_nothing = !text.chars().any(char::is_alphanumeric);
    let is_one_character = text.len() >= 3 && text.chars().all(|c| c == first);
    let is_crossed_out = text.len() >= 3 && text.chars().all(|c| matches!(c, 'x' | 'X' | '*' | '-' | '_'));
    let asks = text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("your"))
        && text.get(4..).is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-', ' ']));
    let is_plain = text.len() <= 16 && PLAIN_WORDS.binary_search(&text.to_ascii_lowercase().as_str()).is_ok();
    is_variable
        || interpolates
        || says_nothing
        || is_one_character
        || is_crossed_out
        || asks
        || is_plain
        || is_number(text)
}

/// A number, perhaps grouped or with a unit.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let text = text.strip_suffix("ms").or(text.strip_suffix(['%', 'k', 'K', 'm', 'M', 's'])).unwrap_or(text);
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || b".,_".contains(&byte))
}

/// A path or a file name, not base64 that happens to hold slashes.
fn is_path(text: &str) -> bool {
    let rooted = text.starts_with(['/', '~']) || text.starts_with("./") || text.starts_with("../");
    let drive = matches!(text.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    drive || (rooted && (!looks_random(text) || text.contains('.') || !text.starts_with('/')))
}

/// A regular expression, a format, a colour.
fn is_expression(text: &str) -> bool {
    let is_colour = text.strip_prefix('#').is_some_and(|hex| {
        matches!(hex.len(), 3 | 4 | 6 | 8) && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    is_colour || ["(?", "[^", "[a-", "[A-", "\\s", "\\w", "%s"].iter().any(|mark| text.contains(mark))
}

/// Letters of both cases and digits, long enough to be nothing else than made by chance.
pub(super) fn looks_random(text: &str) -> bool {
    let has = |test: fn(&u8) -> bool| text.as_bytes().iter().any(test);
    text.len() >= 20
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !text.contains(['/', ' '].as_slice())
        || text.len() >= 32
            && has(u8::is_ascii_digit)
            && has(u8::is_ascii_uppercase)
            && has(u8::is_ascii_lowercase)
}

fn is_alphabetic(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a text could be a name in code: letters, digits, underscores and dots.
fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
}

/// Whether a name speaks of a secret rather than being one: `db_password`, `authToken`, `token2`.
fn is_reference(name: &str) -> bool {
    is_name(name)
        && !looks_random(name)
        && key::words(name).iter().any(|word| {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            matches!(
                word,
                "token"
                    | "tokens"
                    | "secret"
                    | "secrets"
                    | "password"
                    | "passwd"
                    | "pwd"
                    | "key"
                    | "keys"
                    | "credentials"
            )
        })
}

/// Whether a dotted name is code, `settings.auth.token`, rather than the parts of a token.
fn is_member(text: &str) -> bool {
    text.contains('.')
        && is_name(text)
        && text
            .split('.')
            .all(|part| !has_digit(part) && part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}

/// Whether a name without digits has the form that variables have.
fn is_variable_like(text: &str) -> bool {
    let mixed = text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase());
    text.len() < 24 && is_name(text) && !has_digit(text) && (mixed || text.contains('_'))
}

fn is_upper_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether the text of a quoted value is a secret.
pub(super) fn is_quoted_secret(key: &str, text: &str) -> bool {
    let trimmed = text.trim();
    if is_placeholder(trimmed)
        || is_path(trimmed)
        || is_expression(trimmed)
        || key::words(key) == key::words(trimmed)
    {
        return false;
    }
    // Access keys of HTML, and the icons of Feishu cards, are called so too.
    if trimmed.len() == 1
        || ["_outlined", "_filled", "_colorful"].iter().any(|ending| trimmed.ends_with(ending))
    {
        return false;
    }
    if trimmed.contains(char::is_whitespace) {
        // Prose, unless the key asks for a phrase or a word in it is no word.
        let chunk = |word: &str| {
            word.len() >= 8 && has_digit(word) && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        };
        return key::words(key).last().is_some_and(|word| word == "passphrase")
            || trimmed.split_whitespace().any(chunk);
    }
    // The name of an environment variable, of a member, of a type.
    let is_hidden_name = trimmed.starts_with('_') && is_variable_like(trimmed);
    let is_variable = is_upper_name(trimmed) && !has_digit(trimmed) && is_reference(trimmed);
    !(is_member(trimmed) || is_variable || is_hidden_name)
}

/// Whether an unquoted value is a secret.
pub(super) fn is_secret(key: &str, text: &str, style: Style, around: &Surroundings) -> bool {
    let is_call = matches!(around.next, Some('(' | '[' | '{' | '<'));
    if around.masked || is_call || is_placeholder(text) || is_path(text) || key.eq_ignore_ascii_case(text) {
        return false;
    }
    // Only in code and between variables of an environment does one name stand for another.
    let in_environment =
        is_upper_name(key) && !is_upper_name(text) && matches!(style, Style::Tight | Style::Colon);
    if ((is_reference(text) || is_member(text)) && !in_environment) || text.contains("::") {
        return false;
    }
    match style {
        Style::Tight => is_tight_secret(key, text, around),
        Style::Spaced => is_spaced_secret(key, text, around),
        Style::Colon => is_colon_secret(key, text, around),
        Style::Option => {
            let metavariable = is_upper_name(text) && !has_digit(text);
            let word = text.len() < 6 && is_alphabetic(text);
            !text.starts_with('-') && !metavariable && !is_variable_like(text) && !word
        }
        Style::Element => true,
    }
}

/// `key=value`: an assignment of a shell or a configuration, a query, or an argument in code.
fn is_tight_secret(key: &str, text: &str, around: &Surroundings) -> bool {
    let in_environment = is_upper_name(key) && around.touching.is_none_or(|c| !c.is_alphanumeric());
    let in_query = matches!(around.touching, Some('?' | '&' | ';' | '-'));
    if in_environment || in_query {
        return true;
    }
    let in_code = matches!(around.previous, Some('(' | ',' | '.' | '{' | '•'))
        || matches!(around.next, Some(',' | ')' | ';'));
    if is_variable_like(text) {
        return !in_code && !around.is_declared();
    }
    text.len() >= 3 && !(in_code && is_alphabetic(text))
}

/// `key = value`: an assignment in code, where the value is an expression, or in a configuration.
fn is_spaced_secret(key: &str, text: &str, around: &Surroundings) -> bool {
    if !around.ends_line || around.is_declared() || matches!(around.next, Some(';' | ',')) {
        return false;
    }
    let random = text.len() >= 8 && (has_digit(text) || !is_name(text));
    // In the configuration of a database a password may be a plain word; in code such a variable is rare.
    let is_password =
        key::words(key).last().is_some_and(|word| matches!(word.as_str(), "password" | "passwd" | "pwd"));
    random
        || (is_password
            && around.previous.is_none()
            && text.len() >= 6
            && is_alphabetic(text)
            && !is_variable_like(text))
}

/// `key: value`: a mapping, a header, a log, or a name with its type.
fn is_colon_secret(key: &str, text: &str, around: &Surroundings) -> bool {
    // `token: str = …` gives a type, `token: __u32,` too.
    let is_type = (matches!(around.follows, Some('=' | '•')) && !looks_random(text))
        || text.starts_with("__")
        || (is_upper_name(text) && text.contains('_') && matches!(around.next, Some(',' | ';')));
    // `token:f.token=1` in minified code.
    let assigned = text.trim_end_matches('=').split_once('=').map(|(name, _)| name);
    if is_type || assigned.is_some_and(|name| is_name(name) && !has_digit(name)) {
        return false;
    }
    if is_variable_like(text) {
        // The environment of a container; anywhere else it is a variable or a type.
        return is_upper_name(key) && around.ends_line && text.len() >= 8;
    }
    let is_lower_word = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    if is_lower_word {
        let reference = text.split('-').any(is_reference);
        return !reference && text.len() >= 6 && around.ends_line;
    }
    text.len() >= 5 && !is_alphabetic(text)
}

/// Whether the text after `Authorization:`, and perhaps a scheme, is a credential rather than prose or code.
pub(super) fn is_credential(text: &str, has_scheme: bool) -> bool {
    let is_word = is_placeholder(text)
        || is_scheme(text)
        || is_reference(text)
        || is_member(text)
        || text.contains("::");
    let is_bare_word = is_variable_like(text)
        || is_upper_name(text)
        || (text.len() < 24 && is_name(text) && !has_digit(text));
    text.len() >= 4 && !is_word && (has_scheme || !is_bare_word)
}

/// Whether the word after `Bearer` is a token and no word of prose.
pub(super) fn is_bearer_token(text: &str) -> bool {
    let mixed = text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase());
    let random = (text.len() >= 8 && has_digit(text)) || (text.len() >= 16 && (mixed || !is_name(text)));
    random && !is_placeholder(text) && !is_reference(text) && !is_member(text)
}

#[cfg(test)]
mod tests {
    use super::PLAIN_WORDS;

    #[test]
    fn plain_words_are_sorted_and_short() {
        assert!(PLAIN_WORDS.is_sorted_by(|one, other| one < other));
        assert!(PLAIN_WORDS.iter().all(|word| word.len() <= 16));
    }
}
