//! Quotes words so that a shell reads them back as they are, and readably.

use std::borrow::Cow;

/// Words that a shell takes for its own when a command begins with them.
const RESERVED: [&str; 17] = [
    "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case", "esac",
    "function", "time", "coproc", "[[",
];

/// Joins the arguments of a command into the line that a shell would run as this command.
///
/// Plain words stay bare, the others get single quotes, or double ones where a single quote is all there is to
/// protect.
///
/// ```
/// # use larkspan_core::shell::join;
/// let arguments = ["git", "commit", "-m", "it's done"].map(String::from);
/// assert_eq!(join(&arguments), r#"git commit -m "it's done""#);
/// ```
pub fn join(arguments: &[String]) -> String {
    let mut line = String::new();
    for (at, argument) in arguments.iter().enumerate() {
        if at > 0 {
            line.push(' ');
        }
        let taken = at == 0 && (argument.contains('=') || RESERVED.contains(&argument.as_str()));
        line.push_str(&if taken { quoted(argument) } else { word(argument) });
    }
    line
}

/// One word, quoted if it needs to be.
pub(super) fn word(text: &str) -> Cow<'_, str> {
    let plain = |c: char| {
        if c.is_ascii() { c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c) } else { c.is_alphanumeric() }
    };
    if !text.is_empty() && text.chars().all(plain) { Cow::Borrowed(text) } else { quoted(text) }
}

fn quoted(text: &str) -> Cow<'_, str> {
    if !text.contains('\'') {
        return Cow::Owned(format!("'{text}'"));
    }
    if !text.contains(['"', '$', '`', '\\', '!']) {
        return Cow::Owned(format!("\"{text}\""));
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}
