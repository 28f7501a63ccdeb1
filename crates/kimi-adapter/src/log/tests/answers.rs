//! What a tool gave back, by kind.

use larkspan_core::tool_call::{Media, ToolCallStatus, ToolKind};
use pretty_assertions::assert_eq;
use serde_json::value::RawValue;

use crate::log::answer::Told;

/// The state, exit code, reason and output of an answer.
fn answer(kind: ToolKind, result: &str) -> (ToolCallStatus, Option<i64>, Option<String>, Option<String>) {
    let raw: &RawValue = serde_json::from_str(result).expect("JSON");
    let answer = Told::by_event(Some(raw)).answer(kind);
    let outcome = answer.outcome;
    let failure = outcome.failure.map(|text| text.to_string());
    let output = outcome.output.map(|output| output.text.to_string());
    (answer.status.expect("a status"), outcome.exit_code, failure, output)
}

#[test]
fn answers_are_taken_out_of_their_wrapping() {
    use ToolCallStatus::{Aborted, Completed, Failed, Unknown};
    use ToolKind::{Agent, Command, FileRead, Generic};
    for (kind, result, status, exit, failure, output) in [
        (Command, r#"{"output":"a\n"}"#, Completed, None, None, Some("a\n")),
        (Command, r#"{"output":""}"#, Completed, None, None, None),
        (
            Command,
            r#"{"output":"x\nCommand failed with exit code: 3.","isError":true}"#,
            Failed,
            Some(3),
            None,
            Some("x\n"),
        ),
        (
            Command,
            r#"{"output":"Process exited with code 3\nCommand failed with exit code: 3.","isError":true}"#,
            Failed,
            Some(3),
            None,
            None,
        ),
        (
            Command,
            r#"{"is_error":true,"output":"x\n","message":"Command failed with exit code: -9."}"#,
            Failed,
            Some(-9),
            None,
            Some("x\n"),
        ),
        (
            Command,
            r#"{"is_error":true,"output":"x\n","message":"Command killed by timeout (60s)"}"#,
            Failed,
            None,
            Some("Command killed by timeout (60s)"),
            Some("x\n"),
        ),
        (
            Command,
            r#"{"isError":true,"output":"x\nCommand killed by timeout (1m)"}"#,
            Failed,
            None,
            Some("Command killed by timeout (1m)"),
            Some("x\n"),
        ),
        (Command, r#"{"isError":true,"output":"x\nInterrupted by user"}"#, Aborted, None, None, Some("x\n")),
        (Command, r#"{"isError":true,"output":"Tool \"Bash\" was aborted"}"#, Aborted, None, None, None),
        // What a command prints never passes for its end.
        (
            Command,
            r#"{"output":"Command failed with exit code: 3."}"#,
            Completed,
            None,
            None,
            Some("Command failed with exit code: 3."),
        ),
        (
            Command,
            r#"{"output":"task_id: 7\nstatus: running\n"}"#,
            Completed,
            None,
            None,
            Some("task_id: 7\nstatus: running\n"),
        ),
        (
            Command,
            r#"{"output":"task_id: bash-1\npid: 3\nstatus: running\nautomatic_notification: true\n"}"#,
            Completed,
            None,
            None,
            None,
        ),
        (
            Command,
            r#"{"isError":true,"output":"x\nCommand failed with exit code: 1.\n\n[Full output saved]\ntask_id: b"}"#,
            Failed,
            Some(1),
            None,
            Some("x\n"),
        ),
        (
            FileRead,
            r#"{"output":"1\ta\n","note":"<system>1 line read</system>"}"#,
            Completed,
            None,
            None,
            Some("1\ta\n"),
        ),
        (
            FileRead,
            r#"{"is_error":true,"output":"","message":"`x` does not exist."}"#,
            Failed,
            None,
            Some("`x` does not exist."),
            None,
        ),
        (
            FileRead,
            r#"{"isError":true,"output":"\"x\" does not exist."}"#,
            Failed,
            None,
            Some("\"x\" does not exist."),
            None,
        ),
        (
            Agent,
            r#"{"output":"agent_id: agent-0\nstatus: completed\n\n[summary]\nThree."}"#,
            Completed,
            None,
            None,
            Some("Three."),
        ),
        (
            Agent,
            r#"{"output":"[summary] of it\n\n[summary]\nx"}"#,
            Completed,
            None,
            None,
            Some("[summary] of it\n\n[summary]\nx"),
        ),
        (
            Agent,
            r#"{"isError":true,"output":"agent_id: a\nstatus: failed\n\nsubagent error: out of steps"}"#,
            Failed,
            None,
            Some("out of steps"),
            None,
        ),
        // What a failed command printed last is no word of the program.
        (
            Command,
            r#"{"isError":true,"output":"Interrupted by user\nCommand failed with exit code: 2."}"#,
            Failed,
            Some(2),
            None,
            Some("Interrupted by user\n"),
        ),
        (
            Generic,
            r#"{"output":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
            Completed,
            None,
            None,
            Some("a\nb"),
        ),
        (Generic, r#""bare""#, Completed, None, None, Some("bare")),
        (Generic, "{}", Unknown, None, None, None),
        (Generic, "3", Unknown, None, None, None),
        (Generic, r#"{"output":3}"#, Completed, None, None, None),
        (Generic, r#"{"isError":"yes","output":"x"}"#, Completed, None, None, Some("x")),
    ] {
        let expected = (status, exit, failure.map(str::to_owned), output.map(str::to_owned));
        assert_eq!(answer(kind, result), expected, "{result}");
    }
}

#[test]
fn a_background_task_is_a_running_session_and_images_are_media() {
    let told = |result: &'static str| {
        let raw: &RawValue = serde_json::from_str(result).expect("JSON");
        Told::by_event(Some(raw)).answer(ToolKind::Command).outcome
    };
    let background = told(r#"{"output":"task_id: bash-1\npid: 3\nautomatic_notification: true"}"#);
    assert_eq!(background.running_session.as_deref(), Some("bash-1"));
    let image = told(r#"{"output":[{"type":"image_url","imageUrl":{"url":"data:image/png;base64,AAAA"}}]}"#);
    assert_eq!(image.media, [Media { mime: "image/png".to_owned(), encoded_bytes: 4 }]);
    assert!(told(r#"{"isError":true,"output":"Command killed by timeout (1s)"}"#).timed_out);
}

#[test]
fn messages_hold_answers_as_they_were_worded_for_the_model() {
    for (content, is_failed, output) in [
        ("ok", false, Some("ok")),
        ("Tool output is empty.", false, None),
        ("ERROR: Tool execution failed.\nno such file", true, None),
        ("<system>ERROR: Tool execution failed.</system>\nno such file", true, None),
        ("ERROR: Tool execution failed. Tool output is empty.", true, None),
    ] {
        let row = format!(r#"{{"role":"tool","content":{}}}"#, serde_json::to_string(content).expect("JSON"));
        let message = serde_json::from_str(&row).expect("a message");
        let answer = Told::by_message(&message).answer(ToolKind::Generic);
        let status = if is_failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        assert_eq!(answer.status, Some(status), "{content}");
        assert_eq!(answer.outcome.output.as_ref().map(|o| &*o.text), output, "{content}");
    }
}
