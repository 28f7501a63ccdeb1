//! What the person and the agent say, and what is put in for the model.

use pretty_assertions::assert_eq;

use super::{event, message, prompt, read, wire};

fn user(text: &str, origin: &str) -> String {
    message(&format!(
        r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}],"toolCalls":[],"origin":{origin}}}"#
    ))
}

#[test]
fn words_come_from_where_their_origin_says() {
    for (origin, expected) in [
        (r#"{"kind":"user"}"#, Some("user: x")),
        ("null", Some("user: x")),
        ("[]", Some("user: x")),
        (r#"{"kind":"injection","variant":"plan_mode"}"#, None),
        (r#"{"kind":"compaction_summary"}"#, None),
        (r#"{"kind":"hook_result","event":"Stop"}"#, None),
        (r#"{"kind":"retry"}"#, None),
        (
            r#"{"kind":"skill_activation","skillName":"tidy","skillArgs":"all","trigger":"user-slash"}"#,
            Some("user: /tidy all"),
        ),
        (r#"{"kind":"skill_activation","skillName":"tidy","trigger":"model-tool"}"#, None),
        (r#"{"kind":"plugin_command","commandName":"ship"}"#, Some("user: /ship")),
        (r#"{"kind":"shell_command","phase":"input"}"#, Some("user: x")),
        (r#"{"kind":"shell_command","phase":"output"}"#, Some("ℹ️ x")),
        (r#"{"kind":"system_trigger","name":"subagent"}"#, Some("user: x")),
        (r#"{"kind":"system_trigger","name":"goal_continuation"}"#, Some("ℹ️ goal continuation")),
        (
            r#"{"kind":"background_task","taskId":"bash-1","status":"completed"}"#,
            Some("🤖 Agents background task bash-1 completed"),
        ),
        (r#"{"kind":"cron_job","jobId":"j"}"#, Some("ℹ️ cron job j: x")),
        (r#"{"kind":"of_tomorrow"}"#, Some("ℹ️ of tomorrow: x")),
    ] {
        let mut said = read(&user("x", origin));
        said.retain(|line| !line.starts_with('='));
        assert_eq!(said.first().map(String::as_str), expected, "{origin}");
    }
}

#[test]
fn what_is_put_in_without_an_origin_is_hidden() {
    let row = message(r#"{"role":"user","content":"<system-reminder>\nUse the list.\n</system-reminder>"}"#);
    assert_eq!(read(&[prompt("go"), row].concat()), ["user: go", "= Open"]);
}

#[test]
fn a_prompt_and_its_message_are_one() {
    let said = user("hi", r#"{"kind":"user"}"#);
    let bare = "{\"type\":\"turn.prompt\",\"turnId\":0}\n".to_owned();
    for (rows, expected) in [
        (vec![prompt("hi"), said.clone()], vec!["user: hi", "= Open"]),
        (vec![said.clone(), prompt("hi")], vec!["user: hi", "= Open"]),
        (vec![said.clone(), bare], vec!["user: hi", "= Open"]),
        (vec![prompt("hi")], vec!["user: hi", "= Open"]),
        (vec![said.clone()], vec!["user: hi", "= Open"]),
        // Said twice, and meant twice.
        (
            vec![prompt("hi"), said.clone(), prompt("hi"), said.clone()],
            vec!["user: hi", "= Superseded", "user: hi", "= Open"],
        ),
        (vec![prompt("hi"), prompt("hi"), said], vec!["user: hi", "= Superseded", "user: hi", "= Open"]),
    ] {
        assert_eq!(read(&rows.concat()), expected, "{rows:?}");
    }
}

#[test]
fn words_in_between_stay_in_their_turn() {
    let call = event(r#"{"type":"tool.call","toolCallId":"Bash_0","name":"Bash","args":{"command":"ls"}}"#);
    let steer = "{\"type\":\"turn.steer\",\"input\":[{\"type\":\"text\",\"text\":\"faster\"}],\"origin\":{\"kind\":\"user\"}}\n";
    let rows = [prompt("go"), call.clone(), steer.to_owned(), user("faster", r#"{"kind":"user"}"#)].concat();
    let expected = ["user: go", "❔ List `.` · no result recorded", "user: faster", "= Open"];
    assert_eq!(read(&rows), expected);
    // Where nothing says so, a call that waits does.
    let rows = [user("go", "null"), call, user("faster", "null")].concat();
    assert_eq!(read(&rows), expected);
}

#[test]
fn parts_are_joined_until_something_else_comes() {
    let part =
        |kind: &str, text: &str| wire("ContentPart", &format!(r#"{{"type":"{kind}","{kind}":"{text}"}}"#));
    let rows = [
        wire("TurnBegin", r#"{"user_input":"go"}"#),
        wire("StepBegin", r#"{"n":1}"#),
        part("think", "Hm"),
        part("think", "m."),
        part("text", "One"),
        wire("StatusUpdate", "{}"),
        part("text", ", two."),
        part("think", "More."),
        part("text", " "),
        wire("StepBegin", r#"{"n":2}"#),
        part("text", "Three"),
    ];
    assert_eq!(
        read(&rows.concat()),
        ["user: go", "thought: Hmm.", "agent: One, two.", "thought: More.", "agent: Three", "= Open"],
    );
}

#[test]
fn equal_words_in_two_steps_are_two() {
    let step = [
        event(r#"{"type":"step.begin","turnId":"0"}"#),
        event(r#"{"type":"content.part","turnId":"0","part":{"type":"text","text":"Next."}}"#),
        event(r#"{"type":"step.end","turnId":"0","finishReason":"tool_use"}"#),
    ]
    .concat();
    assert_eq!(
        read(&[prompt("go"), step.clone(), step].concat()),
        ["user: go", "agent: Next.", "agent: Next.", "= Open"]
    );
}

#[test]
fn media_stand_for_themselves() {
    let input = r#"{"user_input":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}"#;
    assert_eq!(read(&wire("TurnBegin", input)), ["user: What is this?\n[image]", "= Open"]);
}

#[test]
fn plans_notices_and_hooks_are_told() {
    let rows = [
        wire("TurnBegin", r#"{"user_input":"go"}"#),
        wire("PlanDisplay", r##"{"content":"# Plan","file_path":"p.md"}"##),
        wire("Notification", r#"{"title":"Task done","body":"bash-1"}"#),
        wire("HookTriggered", r#"{"event":"Stop"}"#),
        wire("HookResolved", r#"{"event":"PreToolUse","action":"allow"}"#),
        wire("HookResolved", r#"{"event":"PreToolUse","action":"block","reason":"no network"}"#),
        "{\"type\":\"plan_mode.enter\",\"id\":\"x\"}\n".to_owned(),
        "{\"type\":\"forked\"}\n".to_owned(),
        wire("OfTomorrow", "{}"),
        "{\"type\":\"of.tomorrow\"}\n".to_owned(),
    ];
    assert_eq!(
        read(&rows.concat()),
        [
            "unknown: message/OfTomorrow",
            "unknown: of.tomorrow",
            "user: go",
            "agent…: # Plan",
            "ℹ️ Task done: bash-1",
            "⚠️ Warning no network",
            "ℹ️ plan mode",
            "🔀 Continues session",
            "= Open",
        ],
    );
}
