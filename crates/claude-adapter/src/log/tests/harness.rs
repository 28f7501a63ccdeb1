//! What the harness tells: commands, work in the background, errors, costs, the task list.

use larkspan_core::tool_call::ToolCallStep;
use larkspan_core::transcript::RecordBody;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{agent, call, check, read, result, system, text, user, with};
use crate::log::LogReader;

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
