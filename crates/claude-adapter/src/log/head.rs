//! The head of a row, read without parsing the row: enough to leave out rows that say nothing we show.
//!
//! A third of a transcript's rows are progress of something whose end another row tells, and most of the rest beside
//! the conversation itself are states of the harness and words of it to the model.

/// Rows that say nothing, by their type.
const SILENT: [&str; 20] = [
    "progress",
    "file-history-snapshot",
    "queue-operation",
    "last-prompt",
    "summary",
    "ai-title",
    "custom-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "mode",
    "permission-mode",
    "worktree-state",
    "relocated",
    "bridge-session",
    "atis-latch",
    "frame-link",
    "started",
    "stream_event",
    "attribution-snapshot",
];

/// Things put beside the conversation that somebody should read: words of the user, sent while the agent worked, and
/// a hook that kept it from something.
const SPEAKING_ATTACHMENTS: [&str; 2] = ["queued_command", "hook_blocking_error"];

/// Whether the row says nothing that is shown, as far as its head tells. Only the head is looked at: such a row is not
/// checked any further.
pub(super) fn says_nothing(row: &str) -> bool {
    match head(row) {
        Head::Type(kind) => SILENT.contains(&kind),
        Head::Attachment(kind) => !SPEAKING_ATTACHMENTS.contains(&kind),
        Head::Progress => true,
        Head::Unclear => false,
    }
}

/// Whether a row of this type says nothing.
pub(super) fn is_silent(kind: &str) -> bool {
    SILENT.contains(&kind)
}

/// Whether something of this type put beside the conversation is to be read.
pub(super) fn speaks(attachment: &str) -> bool {
    SPEAKING_ATTACHMENTS.contains(&attachment)
}

/// What the first members of a row tell.
#[derive(Debug, PartialEq, Eq)]
enum Head<'a> {
    /// The row's type, which is none of an attachment.
    Type(&'a str),
    /// The type of what is put beside the conversation.
    Attachment(&'a str),
    /// The data of a progress row, which stands before its type.
    Progress,
    Unclear,
}

/// Reads members until one that decides, or until the first that is neither text, number, truth value nor null.
fn head(row: &str) -> Head<'_> {
    let Some(rest) = row.trim_ascii_start().strip_prefix('{') else { return Head::Unclear };
    let mut rest = rest.trim_ascii_start();
    while let Some((name, after)) = name(rest) {
        if name == "type"
            && let Some((kind, after)) = plain_text(after)
        {
            if kind != "attachment" {
                return Head::Type(kind);
            }
            rest = after;
        } else if let Some(after) = scalar(after) {
            rest = after;
        } else if name == "attachment" {
            let inner = after.strip_prefix('{').map(str::trim_ascii_start);
            return match inner.and_then(self::name) {
                Some(("type", value)) => {
                    plain_text(value).map_or(Head::Unclear, |(kind, _)| Head::Attachment(kind))
                }
                _ => Head::Unclear,
            };
        } else {
            // No row but progress has data, and a row of theirs tells its type after it.
            let is_progress =
                name == "data" && after.starts_with(r#"{"type":""#) && after.contains("_progress");
            return if is_progress { Head::Progress } else { Head::Unclear };
        }
        let Some(next) = rest.trim_ascii_start().strip_prefix(',') else { return Head::Unclear };
        rest = next.trim_ascii_start();
    }
    Head::Unclear
}

/// A member's name, and its value with what follows.
fn name(rest: &str) -> Option<(&str, &str)> {
    let (name, after) = plain_text(rest)?;
    Some((name, after.trim_ascii_start().strip_prefix(':')?.trim_ascii_start()))
}

/// A text without escapes at the beginning, and what follows it.
fn plain_text(rest: &str) -> Option<(&str, &str)> {
    let inner = rest.strip_prefix('"')?;
    let end = memchr::memchr2(b'"', b'\\', inner.as_bytes())?;
    (inner.as_bytes()[end] == b'"').then(|| (&inner[..end], &inner[end + 1..]))
}

/// What follows a text, number, truth value or null.
fn scalar(rest: &str) -> Option<&str> {
    let Some(inner) = rest.strip_prefix('"') else {
        let end = rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || b"+-.".contains(&b)))?;
        return (end > 0).then(|| &rest[end..]);
    };
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', inner.as_bytes().get(from..)?)?;
        if inner.as_bytes()[at] == b'"' {
            return inner.get(at + 1..);
        }
        from = at + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::says_nothing;

    #[test]
    fn only_the_head_decides() {
        for (row, expected) in [
            (r#"{"type":"queue-operation","operation":"enqueue","content":"x"}"#, true),
            (r#"{"parentUuid":null,"isSidechain":false,"cwd":"a\"b\\","type":"progress","data":{}}"#, true),
            (r#"{"parentUuid":null,"data":{"type":"bash_progress","output":""},"type":"progress"}"#, true),
            (r#"{ "type" : "file-history-snapshot" , "snapshot":{}}"#, true),
            (r#"{"parentUuid":"u","attachment":{"type":"skill_listing"},"type":"attachment"}"#, true),
            (r#"{"type":"attachment","attachment":{"type":"task_reminder","content":[]}}"#, true),
            (r#"{"parentUuid":"u","attachment":{"type":"queued_command","prompt":"x"}}"#, false),
            (r#"{"parentUuid":"u","attachment":{"prompt":"x","type":"queued_command"}}"#, false),
            (r#"{"parentUuid":"u","type":"user","message":{"content":"\"type\":\"progress\""}}"#, false),
            // What stands in a message is no head.
            (r#"{"message":{"type":"progress"},"type":"user"}"#, false),
            (r#"{"type":"progressive"}"#, false),
            (r#"{"type":"message","data":{"type":"x_progress"}}"#, false),
            ("not json", false),
            ("{", false),
            (r#"{"a"#, false),
            (r#"{"a":"\"#, false),
            ("", false),
        ] {
            assert_eq!(says_nothing(row), expected, "{row}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_head(row in ".*", inner in r#"[{}":,a-z\\é0]*"#) {
            says_nothing(&row);
            says_nothing(&format!("{{\"{inner}"));
        }
    }
}
