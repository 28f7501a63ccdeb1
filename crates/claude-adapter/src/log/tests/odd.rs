//! Rows of other shapes than they should have.

use pretty_assertions::assert_eq;

use super::told;
use crate::log::LogReader;

#[test]
fn odd_rows_cost_only_themselves() {
    for (line, expected) in [
        ("", vec![]),
        ("   ", vec![]),
        (r#"{"type":"user","message":"#, vec!["unknown unreadable line"]),
        ("[1, 2]", vec!["unknown unreadable line"]),
        ("3", vec!["unknown unreadable line"]),
        (r#"{"type":"user","message":7}"#, vec!["unknown user row without a message"]),
        (r#"{"type":"user"}"#, vec!["unknown user row without a message"]),
        (r#"{"type":"user","message":{"content":7}}"#, vec!["unknown user row without content"]),
        (r#"{"type":"user","message":{"content":[{"type":"hologram"}]}}"#, vec!["unknown user/hologram"]),
        (
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":"x"}]}}"#,
            vec!["Info: tool_result: x"],
        ),
        (r#"{"type":"assistant","message":[]}"#, vec!["unknown assistant row without a message"]),
        (r#"{"type":"assistant","message":{"content":true}}"#, vec!["unknown assistant row without content"]),
        (r#"{"type":"assistant","message":{}}"#, vec![]),
        (r#"{"type":"assistant","message":"so"}"#, vec!["turn -", "agent: so"]),
        (
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use"},7]}}"#,
            vec!["turn -", "call byte-1-0  Generic", "unknown assistant block without a type"],
        ),
        // A member that stands twice; bytes of a torn write.
        (r#"{"type":"x","type":"user","message":{"content":"hi"}}"#, vec!["turn -", "user: hi"]),
        ("{\"type\":\"user\",\u{0}\"message\":{\"content\":\"hi\"}}", vec!["turn -", "user: hi"]),
        (
            r#"{"type":"tool_use","id":"t","name":"bash","input":{"command":"ls"}}"#,
            vec!["turn -", "call t bash Command"],
        ),
        (
            r#"{"type":"tool_result","tool_use_id":"t","output":"x"}"#,
            vec!["turn -", "answer t Some(Completed)"],
        ),
        (r#"{"type":"tool_result","name":"bash","output":"x"}"#, vec!["Info: bash: x"]),
    ] {
        let mut reader = LogReader::new("file");
        let mut records = Vec::new();
        reader.line(line.as_bytes(), 1, &mut records);
        let mut told: Vec<String> = records.iter().map(told).collect();
        told.retain(|line| !line.starts_with("session "));
        assert_eq!(told, expected, "{line}");
    }
}

#[test]
fn input_nested_without_end_is_kept_as_it_is() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let line = format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t","name":"Bash","input":{deep}}}]}}}}"#
    );
    let mut records = Vec::new();
    LogReader::new("file").line(line.as_bytes(), 1, &mut records);
    assert_eq!(told(records.last().expect("a call")), "call t Bash Generic");
}

#[test]
fn rows_too_large_to_be_read_leave_a_stub() {
    for (head, expected) in [
        (r#"{"parentUuid":"p","isSidechain":false,"type":"progress","data":{"#, vec![]),
        (r#"{"parentUuid":"p","isSidechain":true,"type":"user","message":{"#, vec![]),
        (
            r#"{"type":"user","message":{"content":[{"tool_use_id":"t1","type":"tool_result","content":"xx"#,
            vec!["answer t1 Some(Unknown)"],
        ),
        (
            r#"{"message":{"content":[{"type":"tool_use","id":"t1","name":"Write","input":{"#,
            vec!["call t1 Write Generic"],
        ),
        (r#"{"type":"user","message":{"content":"xxx"#, vec!["Log: user: [9 bytes, too large to be read]"]),
        ("\u{fffd}", vec!["Log: row: [9 bytes, too large to be read]"]),
    ] {
        let mut records = Vec::new();
        LogReader::new("file").oversized(head.as_bytes(), 9, 9, &mut records);
        let mut told: Vec<String> = records.iter().map(told).collect();
        told.retain(|line| !line.starts_with("session "));
        assert_eq!(told, expected, "{head}");
    }
}

proptest::proptest! {
    /// Any value in any place of a row is read, and nothing panics.
    #[test]
    fn any_row_is_read(
        kind in "user|assistant|system|attachment|tool_use|tool_result|result",
        member in "message|toolUseResult|attachment|uuid|error|forkedFrom|origin|subtype",
        block in "text|tool_use|tool_result|thinking|image|x_tool_result|fallback",
        field in "text|content|id|tool_use_id|input|name|from|source",
        value in proptest::sample::select(vec!["null", "1", "-1", "1.5", "true", "\"x\"", "\"\\ud800\"", "[]", "{}", "[1,\"a\",{}]",
            "{\"type\":\"text\",\"text\":3}", "[[[]]]", "\"<command-name>\"", "\"<task-notification>\"", "\"<persisted-output>\""]),
        bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60),
    ) {
        let mut reader = LogReader::new("file");
        let mut records = Vec::new();
        reader.line(format!(r#"{{"type":"{kind}","{member}":{value}}}"#).as_bytes(), 1, &mut records);
        let message = format!(r#"{{"content":[{{"type":"{block}","{field}":{value}}}]}}"#);
        let id = r#""type":"tool_result","tool_use_id":"t""#;
        let results = format!(r#"{{"content":[{{{id},"{field}x":1,"content":{value}}}]}}"#);
        for message in [message, results, value.to_owned()] {
            let line = format!(r#"{{"type":"{kind}","message":{message},"toolUseResult":{value}}}"#);
            reader.line(line.as_bytes(), 2, &mut records);
        }
        reader.line(&bytes, 3, &mut records);
        reader.oversized(&bytes, 3, 4, &mut records);
        let memory = serde_json::to_string(reader.memory()).expect("JSON");
        LogReader::resume(serde_json::from_str(&memory).expect("a memory"));
    }
}
