//! The head of a row, read without parsing the row: enough to leave out rows that say nothing we show.
//!
//! A log is mostly such rows: states of the harness, instructions to the model, twins of other rows.

/// The text members at the beginning of a row and of its payload.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Head<'a> {
    pub(super) kind: &'a str,
    pub(super) of_payload: &'a str,
    pub(super) role: &'a str,
}

/// Whether the row says nothing that is shown, as far as its head tells. Only the head is looked at: such a row is not
/// checked any further.
pub(super) fn says_nothing(row: &str) -> bool {
    let head = head(row);
    match head.kind {
        "world_state" | "token_usage_record" | "inter_agent_communication_metadata" => true,
        "event_msg" => head.of_payload == "thread_settings_applied",
        "response_item" => {
            head.of_payload == "additional_tools"
                || head.of_payload == "ghost_snapshot"
                || head.of_payload == "message" && matches!(head.role, "developer" | "system")
        }
        _ => false,
    }
}

/// Reads members until the first that is no plain text or number.
fn head(row: &str) -> Head<'_> {
    let mut head = Head::default();
    let Some(mut rest) = row.strip_prefix('{') else { return head };
    let mut is_payload = false;
    while let Some((name, after)) =
        text(rest).and_then(|(name, after)| Some((name, after.strip_prefix(':')?)))
    {
        let after = after.trim_ascii_start();
        let after = match text(after) {
            Some((value, after)) => {
                match (is_payload, name) {
                    (false, "type") => head.kind = value,
                    (true, "type") => head.of_payload = value,
                    (true, "role") => head.role = value,
                    _ => {}
                }
                after
            }
            None if name == "payload" && !is_payload => {
                is_payload = true;
                let Some(inner) = after.strip_prefix('{') else { return head };
                rest = inner.trim_ascii_start();
                continue;
            }
            None => {
                let digits = after.bytes().take_while(u8::is_ascii_digit).count();
                if digits == 0 {
                    return head;
                }
                &after[digits..]
            }
        };
        let Some(next) = after.strip_prefix(',') else { return head };
        rest = next.trim_ascii_start();
    }
    head
}

/// A text without escapes at the beginning, and what follows it.
fn text(rest: &str) -> Option<(&str, &str)> {
    let inner = rest.strip_prefix('"')?;
    let end = memchr::memchr2(b'"', b'\\', inner.as_bytes())?;
    (inner.as_bytes()[end] == b'"').then(|| (&inner[..end], &inner[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::says_nothing;

    #[test]
    fn only_the_head_decides() {
        for (row, expected) in [
            (r#"{"timestamp":"t","ordinal":3,"type":"world_state","payload":{}}"#, true),
            (r#"{"timestamp": "t", "type": "token_usage_record", "payload": {"a": 1}}"#, true),
            (
                r#"{"type":"response_item","payload":{"type":"message","id":"m","role":"developer","content":[]}}"#,
                true,
            ),
            (
                r#"{"type":"response_item","payload":{"type":"message","id":"m","role":"user","content":[]}}"#,
                false,
            ),
            // A role after the content could be part of it: the row is read.
            (
                r#"{"type":"response_item","payload":{"type":"message","content":[{"role":"developer"}]}}"#,
                false,
            ),
            (
                r#"{"type":"response_item","payload":{"type":"message","content":[],"role":"developer"}}"#,
                false,
            ),
            (r#"{"payload":{"type":"message","role":"developer"},"type":"response_item"}"#, false),
            (r#"{"type":"event_msg","payload":{"type":"thread_settings_applied"}}"#, true),
            (r#"{"type":"event_msg","payload":{"type":"user_message","role":"developer"}}"#, false),
            ("not json", false),
            ("{", false),
            (r#"{"type":"world_state"#, false),
            (r#"{"ty\"pe":"world_state"}"#, false),
        ] {
            assert_eq!(says_nothing(row), expected, "{row}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_head(row in ".*") {
            says_nothing(&row);
        }
    }
}
