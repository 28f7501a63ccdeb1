//! Whose log it is, and where turns begin and end.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{agent, call, check, read, result, system, text, user, with};
use crate::log::looks_like_claude;

#[test]
fn a_turn_ends_where_the_agent_says_so() {
    check(
        &[
            user("u1", "hi"),
            agent("a1", "tool_use", &json!({"type": "thinking", "thinking": "hm"})),
            agent("a1", "tool_use", &text("I look")),
            agent("a1", "tool_use", &call("t1", "Bash", json!({"command": "ls"}))),
            result("r1", "t1", "a"),
            agent("a2", "end_turn", &json!({"type": "thinking", "thinking": "done"})),
            agent("a2", "end_turn", &text("Done")),
            system("stop_hook_summary", &json!({"hookErrors": []})),
            system("turn_duration", &json!({"durationMs": 3})),
        ],
        &[
            "turn u1",
            "user: hi",
            "thinks: hm",
            "agent Commentary: I look",
            "call t1 Bash Command",
            "answer t1 Some(Completed)",
            "thinks: done",
            "agent Final: Done",
            "end Completed -",
        ],
    );
}

#[test]
fn where_no_reason_is_recorded_the_harness_ends_the_turn() {
    for row in [system("turn_duration", &json!({})), system("stop_hook_summary", &json!({}))] {
        check(
            &[user("u1", "hi"), agent("a1", Value::Null, &text("Done")), row],
            &["turn u1", "user: hi", "agent: Done", "end Completed -"],
        );
    }
    check(
        &[user("u1", "hi"), system("stop_hook_summary", &json!({"hookErrors": ["not yet"]}))],
        &["turn u1", "user: hi", "Warning: not yet"],
    );
}

#[test]
fn the_users_rows_begin_turns_or_go_on_with_one() {
    let begun = ["turn u1", "user: hi", "call t1 Bash Command", "answer t1 Some(Completed)"];
    let working = [
        with(user("u1", "hi"), &json!({"promptId": "p1"})),
        agent("a1", "tool_use", &call("t1", "Bash", json!({"command": "ls"}))),
        result("r1", "t1", "a"),
    ];
    for (row, expected) in [
        // Another prompt; the log does not say how the first ended.
        (
            with(user("u2", "also"), &json!({"promptId": "p2", "parentUuid": "x"})),
            vec!["turn u2", "user: also"],
        ),
        (with(user("u2", "also"), &json!({"promptId": "p1"})), vec!["user: also"]),
        // Sent while the agent worked: it follows a result that is not answered yet.
        (with(user("u2", "also"), &json!({"parentUuid": "r1"})), vec!["user: also"]),
        (
            json!({"type": "attachment", "sessionId": "s", "attachment": {"type": "queued_command", "prompt": "also"}}),
            vec!["user: also"],
        ),
        (user("u2", "[Request interrupted by user for tool use]"), vec!["end Aborted -"]),
        (with(user("u2", "for you"), &json!({"isMeta": true})), vec!["Info: for you"]),
        (user("u2", "<system-reminder>x</system-reminder>"), vec![]),
        (
            user(
                "u2",
                json!([text("<ide_opened_file>x</ide_opened_file>"), text("real"),
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}]),
            ),
            vec!["turn u2", "user: real\n[image]"],
        ),
        (with(user("u2", "Summary"), &json!({"isCompactSummary": true})), vec!["Compaction: "]),
    ] {
        let rows: Vec<Value> = working.iter().cloned().chain([row]).collect();
        let expected: Vec<&str> = begun.iter().copied().chain(expected).collect();
        check(&rows, &expected);
    }
}

#[test]
fn where_the_agent_goes_on_by_itself_its_row_begins_a_turn() {
    check(
        &[
            user("u1", "hi"),
            agent("a1", "end_turn", &text("Done")),
            with(user("m1", "Stop hook feedback: no"), &json!({"isMeta": true})),
            agent("a2", "end_turn", &text("Now done")),
        ],
        &[
            "turn u1",
            "user: hi",
            "agent Final: Done",
            "end Completed -",
            "Info: Stop hook feedback: no",
            "turn a2",
            "agent Final: Now done",
            "end Completed -",
        ],
    );
}

#[test]
fn a_log_says_whose_it_is() {
    let side = json!({"isSidechain": true, "agentId": "a1"});
    for (name, row, expected) in [
        ("file", user("u", "x"), "session s -"),
        ("file", json!({"type": "user", "uuid": "u", "message": {"content": "x"}}), "session file -"),
        ("agent-a1", with(user("u", "x"), &side), "session agent-a1 - side of s"),
        ("other", with(user("u", "x"), &side), "session agent-a1 - side of s"),
        ("file", agent("a", "tool_use", &text("x")), "session s m"),
        ("file", agent("a", "tool_use", &json!({"type": "text", "text": "x"})), "session s m"),
    ] {
        assert_eq!(read(name, &[row])[0], expected);
    }
    let told = read("file", &[user("u", "x"), agent("a", "tool_use", &text("x"))]);
    assert_eq!(told[3], "session s m", "the model becomes known");
}

#[test]
fn rows_of_others_are_not_shown() {
    check(
        &[
            user("u1", "hi"),
            agent("a1", "tool_use", &call("t1", "Task", json!({"prompt": "p"}))),
            with(user("s1", "p"), &json!({"isSidechain": true})),
            with(
                agent("s2", "tool_use", &call("t2", "Bash", json!({"command": "ls"}))),
                &json!({"isSidechain": true}),
            ),
            with(agent("s3", "end_turn", &text("found")), &json!({"parent_tool_use_id": "t1"})),
            result("r1", "t1", "found"),
        ],
        &["turn u1", "user: hi", "call t1 Task Agent", "answer t1 Some(Completed)"],
    );
    let copied = json!({"forkedFrom": {"sessionId": "old", "messageUuid": "m"}});
    check(
        &[with(user("u1", "before"), &copied), with(user("u2", "before"), &copied), user("u3", "hi")],
        &["Fork: old", "turn u3", "user: hi"],
    );
}

#[test]
fn a_line_tells_whose_log_it_is_of() {
    for (line, expected) in [
        (user("u", "x").to_string(), true),
        (agent("a", "end_turn", &text("x")).to_string(), true),
        (r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s"}"#.to_owned(), true),
        (r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#.to_owned(), true),
        (r#"{"type":"summary","summary":"x","leafUuid":"l"}"#.to_owned(), true),
        (r#"{"type":"summary","summary":"x"}"#.to_owned(), false),
        (r#"{"type":"system","subtype":"init","session_id":"s"}"#.to_owned(), true),
        (r#"{"timestamp":"t","type":"response_item","payload":{}}"#.to_owned(), false),
        (r#"{"type":"thread.started","thread_id":"t"}"#.to_owned(), false),
        (r#"{"type":"context.append_message","message":{"role":"user"}}"#.to_owned(), false),
        (r#"{"timestamp":1.5,"message":{"type":"TurnBegin","payload":{}}}"#.to_owned(), false),
        (r#"{"sessionId":"s","messages":[]}"#.to_owned(), false),
        (r#"{"type":"user","content":"x"}"#.to_owned(), false),
        ("{".to_owned(), false),
        (String::new(), false),
    ] {
        assert_eq!(looks_like_claude(line.as_bytes()), expected, "{line}");
    }
}
