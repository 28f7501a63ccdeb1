//! Which keys name a secret.
//!
//! A key is taken apart at `_`, `-` and changes of case; its last word counts, whole: `OPENAI_API_KEY`, `apiKey`,
//! `client-secret`, but neither `max_tokens` nor `tokenizer` nor `token_count` nor `secretName`.

/// What kind of value a key has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyKind {
    /// A secret by itself.
    Secret,
    /// An HTTP credential, perhaps behind its scheme.
    Authorization,
}

/// Words that name a secret by themselves.
const SECRET_WORDS: [&str; 30] = [
    "accesskey",
    "accesstoken",
    "apikey",
    "apitoken",
    "appkey",
    "appsecret",
    "authkey",
    "authtoken",
    "bottoken",
    "clientsecret",
    "dbpass",
    "dbpassword",
    "idtoken",
    "jwtsecret",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "refreshtoken",
    "rootpassword",
    "secret",
    "secretkey",
    "secrettoken",
    "sessiontoken",
    "token",
    "userpassword",
    "usertoken",
    "webhooksecret",
];

/// What makes a `key` a secret one.
const KEY_WORDS: [&str; 17] = [
    "access",
    "account",
    "api",
    "app",
    "auth",
    "client",
    "deploy",
    "encryption",
    "license",
    "master",
    "private",
    "secret",
    "service",
    "shared",
    "signing",
    "storage",
    "webhook",
];

/// What makes a `pass` a password.
const PASS_WORDS: [&str; 20] = [
    "admin", "auth", "basic", "database", "db", "email", "ftp", "login", "mail", "mongo", "mysql", "pg",
    "postgres", "proxy", "rabbitmq", "redis", "root", "smtp", "ssh", "user",
];

/// What makes a `token` a word of a text or a place in a list.
const HARMLESS_TOKENS: [&str; 26] = [
    "begin",
    "bos",
    "cached",
    "cls",
    "completion",
    "continuation",
    "current",
    "end",
    "eos",
    "input",
    "lookahead",
    "mask",
    "max",
    "min",
    "next",
    "num",
    "output",
    "pad",
    "page",
    "per",
    "prompt",
    "sep",
    "special",
    "start",
    "stop",
    "unk",
];

/// Words behind the telling one that only say which.
const SUFFIXES: [&str; 14] = [
    "backup",
    "default",
    "dev",
    "development",
    "live",
    "new",
    "old",
    "prod",
    "production",
    "stage",
    "staging",
    "test",
    "value",
    "env",
];

/// The Chinese words for password, passphrase, key and token.
const CHINESE: [&str; 4] = ["密码", "口令", "密钥", "令牌"];

/// What a key names, if that is a secret. `before` is the text before it: `key` alone may follow `API`.
pub(super) fn kind(name: &str, before: &str) -> Option<KeyKind> {
    if CHINESE.contains(&name) {
        return Some(KeyKind::Secret);
    }
    // The plurals that counters have are the commonest words by far: `total_tokens`.
    if name.ends_with(['s', 'S']) && !name.to_ascii_lowercase().ends_with("pass") {
        return None;
    }
    let words = words(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while words.len() > 1
        && words
            .last()
            .is_some_and(|word| SUFFIXES.contains(word) || word.bytes().all(|byte| byte.is_ascii_digit()))
    {
        words.pop();
    }
    // `SECRET_KEY_BASE`
    if words.ends_with(&["secret", "key", "base"]) {
        words.pop();
    }
    let (last, head) = words.split_last()?;
    // `token1`
    let last = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let previous = head.last().copied();
    let secret = match last {
        "authorization" => return Some(KeyKind::Authorization),
        "key" => match previous {
            Some(word) => KEY_WORDS.contains(&word),
            None => {
                word_before(before).is_some_and(|word| ["api", "access", "secret"].contains(&word.as_str()))
            }
        },
        "pass" => previous.is_some_and(|word| PASS_WORDS.contains(&word)),
        "token" => !previous.is_some_and(|word| HARMLESS_TOKENS.contains(&word)),
        word => SECRET_WORDS.contains(&word),
    };
    secret.then_some(KeyKind::Secret)
}

/// The words of a name, in lower case.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let bytes = name.as_bytes();
    let mut word = String::new();
    for (at, c) in name.char_indices() {
        if matches!(c, '_' | '-' | '.') {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            continue;
        }
        if c.is_ascii_uppercase() && at > 0 {
            let after_lower =
                bytes.get(at - 1).is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            let before_lower = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
                && bytes.get(at - 1).is_some_and(u8::is_ascii_uppercase);
            if after_lower || before_lower {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            }
        }
        word.push(c.to_ascii_lowercase());
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The word before a single blank.
fn word_before(text: &str) -> Option<String> {
    let text = text.strip_suffix(' ')?;
    let length = text.bytes().rev().take(8).take_while(u8::is_ascii_alphabetic).count();
    let word = text.get(text.len() - length..)?;
    let whole =
        text.len() == length || !text.as_bytes().get(text.len() - length - 1)?.is_ascii_alphanumeric();
    (whole && !word.is_empty()).then(|| word.to_ascii_lowercase())
}
