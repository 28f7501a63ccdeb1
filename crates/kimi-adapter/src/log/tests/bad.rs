//! Bad input: one bad line costs one line, and nothing panics.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{MESSAGES, NEWER, OLDER, event, message, prompt, read, told, wire};
use crate::log::LogReader;

#[test]
fn one_bad_line_costs_one_line() {
    for (bad, expected) in [
        ("nonsense", Some("unknown: unreadable line")),
        ("[1, 2]", Some("unknown: unreadable line")),
        ("{\"type\":\"turn.prompt\",\"inp", Some("unknown: unreadable line")),
        ("\u{0}\u{0}", Some("unknown: unreadable line")),
        ("   ", None),
        ("", None),
        ("{}", Some("unknown: row without a type")),
        ("{\"type\":7}", Some("unknown: row without a type")),
        ("{\"message\":{}}", Some("unknown: message without a type")),
        ("{\"message\":{\"type\":[]}}", Some("unknown: message without a type")),
        ("{\"type\":\"context.append_message\"}", Some("unknown: context.append_message without a role")),
        (
            "{\"type\":\"context.append_message\",\"message\":{\"role\":\"oracle\"}}",
            Some("unknown: context.append_message/oracle"),
        ),
        (
            "{\"type\":\"context.append_loop_event\",\"event\":3}",
            Some("unknown: context.append_loop_event without a type"),
        ),
        (
            "{\"type\":\"context.append_loop_event\",\"event\":{\"type\":\"x\"}}",
            Some("unknown: context.append_loop_event/x"),
        ),
        ("{\"sessionId\":\"s\",\"messages\":[]}", Some("unknown: row without a type")),
    ] {
        let log =
            format!("{}{bad}\n{}", prompt("a"), event(r#"{"type":"step.end","finishReason":"end_turn"}"#));
        let mut expected: Vec<&str> = expected.into_iter().collect();
        expected.extend(["user: a", "= Completed"]);
        assert_eq!(read(&log), expected, "{bad}");
    }
}

#[test]
fn odd_shapes_cost_only_themselves() {
    for odd in ["null", "3", "-1e400", "\"x\"", "[]", "[[]]", "{}", "{\"type\":3}", "true"] {
        for log in [
            format!("{{\"type\":\"turn.prompt\",\"input\":{odd},\"origin\":{odd},\"time\":{odd}}}\n"),
            format!("{{\"type\":\"config.update\",\"cwd\":{odd},\"modelAlias\":{odd}}}\n"),
            format!("{{\"type\":\"usage.record\",\"usage\":{odd},\"model\":{odd},\"usageScope\":{odd}}}\n"),
            format!(
                "{{\"type\":\"permission.record_approval_result\",\"toolCallId\":{odd},\"result\":{odd}}}\n"
            ),
            format!(
                "{{\"type\":\"goal.create\",\"objective\":{odd}}}\n{{\"type\":\"goal.update\",\"status\":{odd}}}\n"
            ),
            format!("{{\"type\":\"turn.ended\",\"reason\":{odd}}}\n"),
            format!(
                "{{\"type\":\"context.apply_compaction\",\"tokensBefore\":{odd},\"tokensAfter\":{odd}}}\n"
            ),
            event(&format!(
                r#"{{"type":"tool.call","toolCallId":"a","name":{odd},"args":{odd},"display":{odd},"turnId":{odd}}}"#
            )),
            event(&format!(r#"{{"type":"tool.result","toolCallId":"a","result":{odd}}}"#)),
            event(&format!(r#"{{"type":"content.part","part":{odd},"turnId":{odd}}}"#)),
            event(&format!(r#"{{"type":"step.end","usage":{odd},"finishReason":{odd}}}"#)),
            message(&format!(r#"{{"role":"assistant","content":{odd},"toolCalls":{odd},"origin":{odd}}}"#)),
            message(&format!(r#"{{"role":"assistant","content":[{odd}],"toolCalls":[{odd}]}}"#)),
            message(&format!(r#"{{"role":"tool","content":{odd},"toolCallId":"a","isError":{odd}}}"#)),
            wire("TurnBegin", odd),
            wire("TurnBegin", &format!(r#"{{"user_input":{odd}}}"#)),
            wire("ToolCall", &format!(r#"{{"id":"a","function":{odd}}}"#)),
            wire("ToolCall", &format!(r#"{{"id":"a","function":{{"name":{odd},"arguments":{odd}}}}}"#)),
            wire("ToolCallPart", &format!(r#"{{"arguments_part":{odd}}}"#)),
            wire("ToolResult", &format!(r#"{{"tool_call_id":"a","return_value":{odd}}}"#)),
            wire(
                "StatusUpdate",
                &format!(r#"{{"token_usage":{odd},"context_tokens":{odd},"message_id":{odd}}}"#),
            ),
            wire("Notification", odd),
        ] {
            let lines = read(&format!("{log}{}", prompt("still here")));
            assert!(lines.iter().any(|line| line == "user: still here"), "{log}: {lines:?}");
        }
    }
}

#[test]
fn deep_nesting_and_long_runs_are_no_danger() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deeper = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    for value in [&deep, &deeper] {
        let rows = [
            event(&format!(r#"{{"type":"tool.call","toolCallId":"a","name":"Bash","args":{value}}}"#)),
            event(&format!(r#"{{"type":"tool.result","toolCallId":"a","result":{value}}}"#)),
            message(&format!(r#"{{"role":"user","content":{value}}}"#)),
            wire("ToolCall", &format!(r#"{{"id":"b","function":{{"name":"X","arguments":{value}}}}}"#)),
            format!("{{\"type\":\"turn.prompt\",\"input\":{value}}}\n"),
            format!("{value}\n"),
            format!("{{\"type\":\"a\",\"type\":{value}}}\n"),
        ];
        let lines = read(&rows.concat());
        assert!(lines.iter().any(|line| line.contains("`Bash`")), "{}", lines.len());
    }
    // Arguments that stream in piece by piece are looked at once.
    let mut log = wire("ToolCall", r#"{"id":"a","function":{"name":"X","arguments":"{\"a\":\""}}"#);
    log.push_str(&wire("ToolCallPart", r#"{"arguments_part":"}"}"#).repeat(20_000));
    assert!(read(&log).iter().any(|line| line.contains("Call `X`")));
}

#[test]
fn a_member_that_stands_twice_counts_as_it_last_stands() {
    let log = "{\"type\":\"x\",\"type\":\"turn.prompt\",\"input\":\"a\"}\n";
    assert_eq!(read(log), ["user: a", "= Open"]);
    let log = "{\"type\":\"turn.prompt\",\u{0}\u{0}\"input\":\"a\"}\n";
    assert_eq!(read(log), ["user: a", "= Open"]);
}

#[test]
fn rows_too_large_to_be_read_leave_a_stub() {
    for (head, expected) in [
        (
            r#"{"type":"turn.prompt","input":[{"type":"text","text":"xx"#,
            vec!["user: [9 bytes, too large to be read]", "= Open"],
        ),
        (
            r#"{"timestamp": 1.5, "message": {"type": "TurnBegin", "payload": {"user_input": "xx"#,
            vec!["user: [9 bytes, too large to be read]", "= Open"],
        ),
        (
            r#"{"type":"context.append_loop_event","event":{"type":"tool.call","toolCallId":"Write_0","name":"Write","args":{"#,
            vec!["❔ Call `Write` · no result recorded", "= Open"],
        ),
        (
            r#"{"timestamp": 1.5, "message": {"type": "ToolCall", "payload": {"type": "function", "id": "a", "function": {"name": "WriteFile", "#,
            vec!["❔ Call `WriteFile` · no result recorded", "= Open"],
        ),
        (
            r#"{"type":"context.append_loop_event","event":{"type":"tool.result","toolCallId":"a","result":{"output":"xx"#,
            vec!["❔ Call `1.0/a` · no result recorded", "= Open"],
        ),
        (
            r#"{"type":"context.append_loop_event","event":{"type":"tool.call","xx"#,
            vec!["📄 Log call: \\[9 bytes, too large to be read\\]"],
        ),
        (
            r#"{"type":"context.append_message","message":{"role":"user","content":"xx"#,
            vec!["📄 Log context.append\\_message: \\[9 bytes, too large to be read\\]"],
        ),
        ("\"type\"", vec!["📄 Log row: \\[9 bytes, too large to be read\\]"]),
        ("", vec!["📄 Log row: \\[9 bytes, too large to be read\\]"]),
    ] {
        let mut out = Vec::new();
        LogReader::new("s").oversized(head.as_bytes(), 9, 9, &mut out);
        assert_eq!(told(out), expected, "{head}");
    }
}

/// A log of one of the shapes, cut to pieces and put together again.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::collection::vec(
        (0_usize..3, any::<prop::sample::Index>(), 0_usize..300, any::<u8>()),
        1..40,
    );
    pieces.prop_map(|pieces| {
        let mut log = Vec::new();
        for (shape, from, length, junk) in pieces {
            let bytes = [NEWER, OLDER, MESSAGES][shape].as_bytes();
            let from = from.index(bytes.len());
            log.extend_from_slice(&bytes[from..bytes.len().min(from + length)]);
            log.push(junk);
        }
        log
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_damage_makes_it_panic(log in damaged(), lines in proptest::collection::vec(any::<prop::sample::Index>(), 0..60)) {
        let mut reader = LogReader::new("s");
        let mut out = Vec::new();
        for line in log.split(|b| *b == b'\n') {
            reader.line(line, 1, &mut out);
            reader.oversized(line, 7, 1, &mut out);
        }
        // Whole rows in any order.
        let rows: Vec<&str> = [NEWER, OLDER, MESSAGES].iter().flat_map(|log| log.lines()).collect();
        for line in &lines {
            reader.line(rows[line.index(rows.len())].as_bytes(), 1, &mut out);
            let memory = serde_json::to_string(reader.memory()).expect("JSON");
            reader = LogReader::resume(serde_json::from_str(&memory).expect("a memory"));
        }
        told(out);
    }
}
