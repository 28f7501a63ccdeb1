use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;

fn asked(envelope: Envelope) -> Asked {
    Asked { envelope, cell: None, carries_patch: false, is_answered: false }
}

fn read_json(asked: &Asked, output: &Value) -> ToolCallAnswer {
    let json = output.to_string();
    let raw: &RawValue = serde_json::from_str(&json).expect("JSON");
    read(asked, Some(raw), false)
}

/// (status, refused, exit code, session, failure, output)
type Row = (
    Option<ToolCallStatus>,
    bool,
    Option<i64>,
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
);

fn check(asked: &Asked, output: &Value, expected: Row) {
    let answer = read_json(asked, output);
    let outcome = &answer.outcome;
    let actual: (_, _, _, Option<&str>, Option<&str>, Option<&str>) = (
        answer.status,
        answer.refused,
        outcome.exit_code,
        outcome.running_session.as_deref(),
        outcome.failure.as_deref(),
        outcome.output.as_ref().map(|o| &*o.text),
    );
    assert_eq!(actual, expected, "{output}");
}

const DONE: Option<ToolCallStatus> = Some(ToolCallStatus::Completed);
const FAILED: Option<ToolCallStatus> = Some(ToolCallStatus::Failed);

#[test]
fn headers_of_direct_calls() {
    let terminal = asked(Envelope::Terminal);
    for (output, expected) in [
        (
            "Chunk ID: 1\nWall time: 0.0247 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nhi\n",
            (DONE, false, Some(0), None, None, Some("hi\n")),
        ),
        (
            "Chunk ID: 1\nWall time: 0.8 seconds\nProcess running with session ID 63413\nOutput:\n>>> ",
            (Some(ToolCallStatus::Running), false, None, Some("63413"), None, Some(">>> ")),
        ),
        (
            "Command: ls\nChunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n",
            (FAILED, false, Some(3), None, None, None),
        ),
        // An exit code that the command printed is only text.
        (
            "Wall time: 0.1 seconds\nOutput:\nExit code: 0\nOutput:\nx",
            (None, false, None, None, None, Some("Exit code: 0\nOutput:\nx")),
        ),
        (
            "write_stdin failed: Unknown process id 424242",
            (FAILED, true, None, None, Some("write_stdin failed: Unknown process id 424242"), None),
        ),
        ("", (FAILED, true, None, None, Some(""), None)),
        ("aborted by user after 0.3s", (Some(ToolCallStatus::Aborted), false, None, None, None, None)),
        (
            "exec_command failed: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }",
            (
                FAILED,
                true,
                None,
                None,
                Some(
                    "exec_command failed: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }",
                ),
                None,
            ),
        ),
    ] {
        check(&terminal, &json!(output), expected);
    }
    let patch = asked(Envelope::Patch);
    for (output, expected) in [
        (
            "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA n\n",
            (DONE, false, Some(0), None, None, Some("Success. Updated the following files:\nA n\n")),
        ),
        (
            "Exit code: 0\nSuccess. Updated the following files:\nA n\n",
            (DONE, false, Some(0), None, None, Some("Success. Updated the following files:\nA n\n")),
        ),
        (
            "Success. Updated the following files:\nA n\n",
            (DONE, false, None, None, None, Some("Success. Updated the following files:\nA n\n")),
        ),
        (
            "apply_patch verification failed: nope",
            (FAILED, true, None, None, Some("apply_patch verification failed: nope"), None),
        ),
        (
            "{\"output\":\"Success.\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}",
            (DONE, false, Some(0), None, None, Some("Success.")),
        ),
    ] {
        check(&patch, &json!(output), expected);
    }
    let shell = asked(Envelope::Shell);
    check(
        &shell,
        &json!("{\"output\":\"x\",\"metadata\":{\"exit_code\":2}}"),
        (FAILED, false, Some(2), None, None, Some("x")),
    );
    check(
        &shell,
        &json!({"output": "x", "metadata": {"exit_code": 0}}),
        (DONE, false, Some(0), None, None, Some("x")),
    );
    check(&shell, &json!("just text"), (None, false, None, None, None, Some("just text")));
    check(
        &shell,
        &json!("unsupported call: shell"),
        (FAILED, true, None, None, Some("unsupported call: shell"), None),
    );
    let mcp = asked(Envelope::Mcp);
    check(
        &mcp,
        &json!("Wall time: 0.0118 seconds\nOutput:\n{\"sum\":3}"),
        (None, false, None, None, None, Some("{\"sum\":3}")),
    );
    check(
        &mcp,
        &json!([{"type": "input_text", "text": "Wall time: 0.0069 seconds\nOutput:"}, {"type": "input_text", "text": "it failed"}]),
        (None, false, None, None, None, Some("it failed")),
    );
    check(
        &mcp,
        &json!("Exit code: 7\nOutput:\nx"),
        (None, false, None, None, None, Some("Exit code: 7\nOutput:\nx")),
    );
    let bare = asked(Envelope::Bare);
    check(&bare, &json!("Plan updated"), (None, false, None, None, None, Some("Plan updated")));
    check(&bare, &json!(null), (None, false, None, None, None, None));
    check(&bare, &json!({"a": 1}), (None, false, None, None, None, Some("{\"a\":1}")));
}

#[test]
fn a_patch_carried_by_a_command_has_two_headers() {
    let carried = Asked { carries_patch: true, ..asked(Envelope::Terminal) };
    let output =
        json!("Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n");
    check(&carried, &output, (DONE, false, Some(0), None, None, Some("Success.\n")));
}

#[test]
fn scripts() {
    let script = asked(Envelope::Script);
    let text = |t: &str| json!({"type": "input_text", "text": t});
    check(
        &script,
        &json!([text("Script completed\nWall time 0.3 seconds\nOutput:\n"), text("hi\n"), text("x")]),
        (DONE, false, None, None, None, Some("hi\nx")),
    );
    check(
        &script,
        &json!("Script completed\nWall time 0.3 seconds\nOutput:\n"),
        (DONE, false, None, None, None, None),
    );
    check(&script, &json!([text("Script completed")]), (DONE, false, None, None, None, None));
    check(
        &script,
        &json!([
            text("Script failed\nWall time 0.3 seconds\nOutput:\n"),
            text("before\n"),
            text("Script error:\nError: boom\n    at exec_main.mjs:3:7")
        ]),
        (FAILED, false, None, None, Some("Error: boom\n    at exec_main.mjs:3:7"), Some("before\n")),
    );
    check(
        &script,
        &json!([text("Script running with cell ID 1\nWall time 0.3 seconds\nOutput:\n"), text("start")]),
        (Some(ToolCallStatus::Running), false, None, Some("1"), None, Some("start")),
    );
    check(
        &script,
        &json!("exec expects raw JavaScript source text"),
        (FAILED, true, None, None, Some("exec expects raw JavaScript source text"), None),
    );
    // What a script prints is never its header.
    check(
        &script,
        &json!([
            text("Script completed\nWall time 0.3 seconds\nOutput:\n"),
            text("Script failed\nOutput:\nx")
        ]),
        (DONE, false, None, None, None, Some("Script failed\nOutput:\nx")),
    );
    let answered = Asked { is_answered: true, ..asked(Envelope::Script) };
    assert!(read_json(&answered, &json!("progress 50%")).is_late_text);
}

#[test]
fn a_wait_tells_of_its_cell() {
    let wait = Asked { cell: Some("1".into()), ..asked(Envelope::Wait) };
    let text = |t: &str| json!({"type": "input_text", "text": t});
    for (output, status, state) in [
        (
            json!("Script running with cell ID 1\nWall time 0.5 seconds\nOutput:\n"),
            ToolCallStatus::Running,
            CellState::Running,
        ),
        (
            json!([text("Script completed\nWall time 1.3 seconds\nOutput:\n"), text("x")]),
            ToolCallStatus::Completed,
            CellState::Ended,
        ),
        (
            json!("Script terminated\nWall time 0.0 seconds\nOutput:\n"),
            ToolCallStatus::Aborted,
            CellState::Ended,
        ),
        (
            json!([
                text("Script failed\nWall time 0.0 seconds\nOutput:\n"),
                text("Script error:\nexec cell 1 not found")
            ]),
            ToolCallStatus::Failed,
            CellState::Gone,
        ),
    ] {
        let answer = read_json(&wait, &output);
        assert_eq!(
            (answer.status, answer.cell),
            (Some(status), Some(CellUpdate { id: "1".into(), state })),
            "{output}"
        );
    }
}

#[test]
fn truncation_becomes_a_fact() {
    for (text, kept, lines, at_least) in [
        (
            "Warning: truncated output (original token count: 42224)\nTotal output lines: 30000\n\n1\n2…3374 tokens truncated…9\n",
            "1\n2\n…\n9\n",
            30_000,
            false,
        ),
        ("a\n... command output truncated for persistence ...\nb", "a\n…\nb", 3, true),
        ("…x tokens truncated… said the model", "…x tokens truncated… said the model", 1, false),
    ] {
        let output = body(text);
        assert_eq!((&*output.text, output.lines.count, output.lines.at_least), (kept, lines, at_least));
    }
}

#[test]
fn a_printed_result_is_read_as_such() {
    let result = result_of_call(
        "{\"chunk_id\":\"7d\",\"wall_time_seconds\":0.5,\"exit_code\":3,\"original_token_count\":2,\"output\":\"hi\\n\"}",
    );
    let result = result.expect("a result");
    assert_eq!((result.exit_code, result.duration), (Some(3), Some(Duration::from_millis(500))));
    assert_eq!(
        result_of_call("{\"wall_time_seconds\":1,\"session_id\":1315,\"output\":\"\"}")
            .and_then(|r| r.running_session),
        Some("1315".into())
    );
    assert_eq!(result_of_call("{}"), Some(Outcome::default()));
    for other in ["", "{", "{\"a\":1}", "{\"wall_time_seconds\":\"x\",\"output\":\"\"}", "[1]"] {
        assert_eq!(result_of_call(other), None, "{other}");
    }
    let carried = "{\"wall_time_seconds\":0,\"output\":\"Exit code: 0\\nWall time: 0 seconds\\nOutput:\\nSuccess.\\n\"}";
    assert_eq!(
        result_of_call(carried).map(|r| (r.exit_code, r.output.map(|o| o.text.to_string()))),
        Some((Some(0), Some("Success.\n".into())))
    );
}

proptest::proptest! {
    #[test]
    fn any_output_is_read(text in "(Script (completed|failed)|Wall time|Exit code: |Output:|\n|[a-z0-9:… ]){0,20}", envelope in 0usize..8) {
        let envelopes = [Envelope::Script, Envelope::Wait, Envelope::Terminal, Envelope::Patch, Envelope::Shell, Envelope::Mcp, Envelope::Image, Envelope::Bare];
        let answer = read_json(&asked(envelopes[envelope]), &json!(text));
        proptest::prop_assert!(answer.outcome.output.is_none_or(|o| o.text.len() <= text.len() + 8));
    }
}
