use larkspan_core::tool_call::{ToolCallEvent, ToolCallStep};
use larkspan_core::transcript::{RecordBody, Role, TranscriptRecord};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{LogReader, looks_like_claude};

/// A record in a few words.
fn told(record: &TranscriptRecord) -> String {
    match &record.body {
        RecordBody::Session(info) => {
            let side = if info.is_subagent { " side" } else { "" };
            let parent = info.parent.as_ref().map(|parent| format!(" of {parent}")).unwrap_or_default();
            let model = info.model.as_deref().unwrap_or("-");
            format!("session {} {model}{side}{parent}", info.id)
        }
        RecordBody::TurnStarted => {
            format!("turn {}", record.turn.as_ref().map_or("-", |turn| turn.as_str()))
        }
        RecordBody::TurnEnded(end) => {
            format!("end {:?} {}", end.outcome, end.reason.as_deref().unwrap_or("-"))
        }
        RecordBody::Message(message) => match (message.role, message.phase) {
            (Role::User, _) => format!("user: {}", message.text),
            (Role::Agent, Some(phase)) => format!("agent {phase:?}: {}", message.text),
            (Role::Agent, None) => format!("agent: {}", message.text),
        },
        RecordBody::Reasoning(thought) => format!("thinks: {}", thought.text),
        RecordBody::Plan(items) => format!("plan {}", items.len()),
        RecordBody::ToolCall(event) => step(event),
        RecordBody::Usage(usage) => format!(
            "usage {} {} {}",
            usage.context_tokens.unwrap_or_default(),
            usage.input_tokens.unwrap_or_default(),
            usage.output_tokens.unwrap_or_default()
        ),
        RecordBody::Goal(goal) => format!("goal {}", goal.objective),
        RecordBody::Notice(notice) => format!("{:?}: {}", notice.kind, notice.text),
        RecordBody::Unknown(unknown) => format!("unknown {}", unknown.kind),
    }
}

fn step(event: &ToolCallEvent) -> String {
    let id = &event.id;
    match &event.step {
        ToolCallStep::Called(request) => {
            format!("call {id} {} {:?}", request.name.name, request.detail.kind())
        }
        ToolCallStep::Answered(answer) => format!("answer {id} {:?}", answer.status),
        ToolCallStep::Executed(executed) => {
            format!("executed {id} {:?} {:?}", executed.status, executed.outcome.exit_code)
        }
    }
}

fn read(name: &str, rows: &[Value]) -> Vec<String> {
    let mut reader = LogReader::new(name);
    let mut records = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        reader.line(row.to_string().as_bytes(), at as u64 + 1, &mut records);
    }
    records.iter().map(told).collect()
}

/// Rows of a session `s`, without the record that names it.
fn check(rows: &[Value], expected: &[&str]) {
    let mut told = read("file", rows);
    told.retain(|line| !line.starts_with("session "));
    assert_eq!(told, expected, "{rows:#?}");
}

fn user(uuid: &str, content: impl Into<Value>) -> Value {
    json!({"type": "user", "uuid": uuid, "sessionId": "s", "message": {"role": "user", "content": content.into()}})
}

fn with(mut row: Value, members: &Value) -> Value {
    for (name, value) in members.as_object().expect("members") {
        row[name] = value.clone();
    }
    row
}

fn agent(uuid: &str, stop: impl Into<Value>, block: &Value) -> Value {
    json!({"type": "assistant", "uuid": uuid, "sessionId": "s", "message":
        {"id": uuid, "role": "assistant", "model": "m", "content": [block], "stop_reason": stop.into()}})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[expect(clippy::needless_pass_by_value, reason = "a call reads better without the borrow")]
fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn result(uuid: &str, id: &str, content: &str) -> Value {
    user(uuid, json!([{"type": "tool_result", "tool_use_id": id, "content": content}]))
}

fn system(subtype: &str, members: &Value) -> Value {
    with(json!({"type": "system", "subtype": subtype, "uuid": "y", "sessionId": "s"}), members)
}

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
fn commands_of_the_harness_are_notices_and_prompts_are_not() {
    let command = "<command-name>/ide</command-name>\n<command-message>ide</command-message>\n<command-args>now</command-args>";
    let caveat =
        with(user("c1", "<local-command-caveat>Caveat: …</local-command-caveat>"), &json!({"isMeta": true}));
    let stdout = user("o1", "<local-command-stdout>\u{1b}[1mConnected\u{1b}[22m</local-command-stdout>");
    check(
        &[caveat, with(user("u1", command), &json!({"parentUuid": "c1"})), stdout.clone()],
        &["Info: /ide now", "Info: Connected"],
    );
    check(
        &[user("u1", command), agent("a1", "end_turn", &text("Reviewed"))],
        &["turn u1", "user: /ide now", "agent Final: Reviewed", "end Completed -"],
    );
    // Without a word in front, only its output tells that it was none.
    check(
        &[user("u1", command), stdout],
        &["turn u1", "user: /ide now", "Info: Connected", "end Completed -"],
    );
    check(&[system("local_command", &json!({"content": command}))], &["Info: /ide now"]);
    check(
        &[
            user("u1", "<bash-input>ls</bash-input>"),
            user("u2", "<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>"),
        ],
        &["Info: ! ls", "Info: a b"],
    );
    check(&[user("u1", "what is <command-name>?")], &["turn u1", "user: what is <command-name>?"]);
}

#[test]
fn work_in_the_background_ends_in_its_own_turn() {
    let notification = |status: &str, summary: &str| {
        let text = format!(
            "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>{status}</status>\n<summary>{summary}</summary>\n</task-notification>"
        );
        with(user("n1", text), &json!({"origin": {"kind": "task-notification"}, "promptId": "p2"}))
    };
    let started = [
        user("u1", "hi"),
        agent("a1", "tool_use", &call("t1", "Bash", json!({"command": "x", "run_in_background": true}))),
        with(
            result("r1", "t1", "Command running in background with ID: b1. …"),
            &json!({"toolUseResult": {"backgroundTaskId": "b1"}}),
        ),
        agent("a2", "end_turn", &text("Later")),
    ];
    for (status, summary, ended) in [
        ("completed", "x completed (exit code 0)", "executed t1 Completed Some(0)"),
        ("completed", "x completed (exit code 3)", "executed t1 Failed Some(3)"),
        ("failed", "x failed with exit code 3", "executed t1 Failed Some(3)"),
        ("killed", "x was stopped", "executed t1 Aborted None"),
        ("odd", "x", "executed t1 Unknown None"),
    ] {
        let rows: Vec<Value> = started.iter().cloned().chain([notification(status, summary)]).collect();
        let notice = format!("Info: {summary}");
        check(
            &rows,
            &[
                "turn u1",
                "user: hi",
                "call t1 Bash Command",
                "answer t1 Some(Running)",
                "agent Final: Later",
                "end Completed -",
                ended,
                "turn n1",
                &notice,
            ],
        );
    }
}

#[test]
fn the_harness_tells_of_errors_and_compactions() {
    let error =
        |error: Value| system("api_error", &json!({"error": error, "retryAttempt": 1, "maxRetries": 10}));
    for (row, expected) in [
        (error(json!({"message": "Overloaded", "status": 529})), vec!["Error: 529 Overloaded (1/10)"]),
        (
            error(json!({"status": 401, "error": {"type": "error", "error": {"message": "no key"}}})),
            vec!["Error: 401 no key (1/10)"],
        ),
        (error(json!({"status": 500})), vec!["Error: HTTP 500 (1/10)"]),
        (error(json!("plain")), vec!["Error: plain (1/10)"]),
        (error(json!(null)), vec!["Error: api error (1/10)"]),
        (
            error(json!({"error": {"error": {"error": {"error": {"error": {"message": "deep"}}}}}})),
            vec!["Error: api error (1/10)"],
        ),
        (system("compact_boundary", &json!({"content": "x"})), vec!["Compaction: "]),
        (system("informational", &json!({"content": "so", "level": "warning"})), vec!["Warning: so"]),
        (system("new_thing", &json!({})), vec!["unknown system/new_thing"]),
        (
            json!({"type": "pr-link", "prNumber": 4, "prUrl": "https://x/4", "sessionId": "s"}),
            vec!["Info: PR #4 https://x/4"],
        ),
        (json!({"type": "new-thing", "sessionId": "s"}), vec!["unknown new-thing"]),
        (json!({"sessionId": "s"}), vec!["unknown row without a type"]),
    ] {
        check(&[row], &expected);
    }
    check(
        &[
            system("compact_boundary", &json!({})),
            with(user("u1", "Summary"), &json!({"isCompactSummary": true})),
            user("u2", "This session is being continued from a previous conversation that ran out."),
        ],
        &["Compaction: ", "Compaction: "],
    );
    let gives_up = json!({"isApiErrorMessage": true});
    check(
        &[user("u1", "hi"), with(agent("a1", "stop_sequence", &text("API Error: 529")), &gives_up)],
        &["turn u1", "user: hi", "Error: API Error: 529", "end Failed API Error: 529"],
    );
}

#[test]
fn an_answer_costs_once_however_many_rows_it_has() {
    let costs = |uuid: &str, id: &str, output: u64| {
        let mut row = agent(uuid, "tool_use", &text("x"));
        row["message"]["id"] = id.into();
        row["message"]["usage"] = json!({"input_tokens": 10, "cache_creation_input_tokens": 5,
            "cache_read_input_tokens": 100, "output_tokens": output});
        row
    };
    let rows = [costs("a", "m1", 1), costs("b", "m1", 1), costs("c", "m1", 7), costs("d", "m2", 2)];
    let told = read("file", &rows);
    let usage: Vec<&str> = told.iter().map(String::as_str).filter(|l| l.starts_with("usage")).collect();
    assert_eq!(usage, ["usage 116 115 1", "usage 122 115 7", "usage 117 230 9"]);
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
fn the_task_list_is_named_by_its_subjects() {
    let rows = [
        agent("a1", "tool_use", &call("t1", "TaskCreate", json!({"subject": "one"}))),
        with(
            result("r1", "t1", "Task #1 created"),
            &json!({"toolUseResult": {"task": {"id": "1", "subject": "one"}}}),
        ),
        agent("a2", "tool_use", &call("t2", "TaskUpdate", json!({"taskId": "1", "status": "completed"}))),
        agent("a3", "tool_use", &call("t3", "TaskUpdate", json!({"taskId": 9, "status": "completed"}))),
    ];
    let mut reader = LogReader::new("file");
    let mut records = Vec::new();
    for row in rows {
        reader.line(row.to_string().as_bytes(), 1, &mut records);
    }
    let details: Vec<Value> = records
        .iter()
        .filter_map(|record| match &record.body {
            RecordBody::ToolCall(event) => Some(&event.step),
            RecordBody::Session(_)
            | RecordBody::TurnStarted
            | RecordBody::TurnEnded(_)
            | RecordBody::Message(_)
            | RecordBody::Reasoning(_)
            | RecordBody::Plan(_)
            | RecordBody::Usage(_)
            | RecordBody::Goal(_)
            | RecordBody::Notice(_)
            | RecordBody::Unknown(_) => None,
        })
        .filter_map(|step| match step {
            ToolCallStep::Called(request) => serde_json::to_value(&request.detail).ok(),
            ToolCallStep::Answered(_) | ToolCallStep::Executed(_) => None,
        })
        .collect();
    let entry =
        |text: &str, status: &str| json!({"kind": "plan", "items": [{"text": text, "status": status}]});
    assert_eq!(details, [entry("one", "pending"), entry("one", "completed"), entry("#9", "completed")]);
}

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
