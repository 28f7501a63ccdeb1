//! Calls: streamed and malformed arguments, ids, twins, sub-agents, approvals.

use larkspan_core::tool_call::{ToolCallEvent, ToolCallStep};
use larkspan_core::transcript::TranscriptRecord;
use pretty_assertions::assert_eq;

use super::{call_events, event, message, prompt, read, records, sessions, steps, wire};

fn call(id: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).expect("JSON");
    wire(
        "ToolCall",
        &format!(
            r#"{{"type":"function","id":"{id}","function":{{"name":"Shell","arguments":{arguments}}}}}"#
        ),
    )
}

fn more(arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).expect("JSON");
    wire("ToolCallPart", &format!(r#"{{"arguments_part":{arguments}}}"#))
}

fn result(id: &str) -> String {
    wire(
        "ToolResult",
        &format!(r#"{{"tool_call_id":"{id}","return_value":{{"is_error":false,"output":"ok\n"}}}}"#),
    )
}

/// The raw inputs of the calls.
fn inputs(records: &[TranscriptRecord]) -> Vec<String> {
    let input = |event: &ToolCallEvent| match &event.step {
        ToolCallStep::Called(request) => Some(request.raw_input.to_string()),
        ToolCallStep::Answered(_) | ToolCallStep::Executed(_) => None,
    };
    call_events(records).filter_map(input).collect()
}

#[test]
fn arguments_stream_in() {
    let sub = wire(
        "SubagentEvent",
        r#"{"parent_tool_call_id":"a","event":{"type":"ToolCall","payload":{"id":"x","function":{"name":"Shell","arguments":"{}"}}}}"#,
    );
    for (rows, expected) in [
        (vec![call("a", r#"{"command":"ls"}"#)], vec![r#"{"command":"ls"}"#]),
        (
            vec![call("a", r#"{"comm"#), more(r#"and":"}{\""#), sub.clone(), more(r#""}"#)],
            vec![r#"{"command":"}{\""}"#],
        ),
        (vec![call("a", ""), more("{"), more("}")], vec!["{}"]),
        // An answer to another call comes while this one streams in.
        (
            vec![
                call("a", r#"{"command":"ls"}"#),
                call("b", r#"{"com"#),
                result("a"),
                more(r#"mand":"pwd"}"#),
                result("b"),
            ],
            vec![r#"{"command":"ls"}"#, r#"{"command":"pwd"}"#],
        ),
        // Never whole: as it is, once its answer, another call, text or the next step comes.
        (vec![call("a", r#"{"command":"#), result("a")], vec![r#"{"command":"#]),
        (
            vec![call("a", r#"{"comm"#), call("b", r#"{"command":"pwd"}"#)],
            vec![r#"{"comm"#, r#"{"command":"pwd"}"#],
        ),
        (
            vec![call("a", r#"{"comm"#), wire("ContentPart", r#"{"type":"text","text":"x"}"#)],
            vec![r#"{"comm"#],
        ),
        (vec![call("a", r#"{"comm"#), wire("StepBegin", "{}")], vec![r#"{"comm"#]),
        (vec![call("a", r#"{"comm"#), wire("TurnEnd", "{}")], vec![r#"{"comm"#]),
        (vec![call("a", r#"{"comm"#)], vec![r#"{"comm"#]),
    ] {
        assert_eq!(inputs(&records(&rows.concat())), expected, "{rows:?}");
    }
}

#[test]
fn malformed_arguments_are_kept_raw() {
    let rows = [
        wire("TurnBegin", r#"{"user_input":"go"}"#),
        call("a", r#"{"command": ls"#),
        wire(
            "ToolResult",
            r#"{"tool_call_id":"a","return_value":{"is_error":true,"output":"","message":"bad JSON"}}"#,
        ),
        event(r#"{"type":"tool.call","toolCallId":"b","name":"Bash","args":"{\"command\": "}"#),
        event(r#"{"type":"tool.call","toolCallId":"c","name":"Bash","args":[1]}"#),
        event(r#"{"type":"tool.call","toolCallId":"d","name":"Bash"}"#),
        event(r#"{"type":"tool.call","toolCallId":"e","name":"Bash","args":{"command":"echo \ud83d"}}"#),
        event(r#"{"type":"tool.call","toolCallId":"f","name":7,"args":{"command":"ls"}}"#),
    ];
    let log = rows.concat();
    assert_eq!(
        inputs(&records(&log)),
        [
            r#"{"command": ls"#,
            r#"{"command": "#,
            "[1]",
            "",
            r#"{"command":"echo \ud83d"}"#,
            r#"{"command":"ls"}"#
        ],
    );
    assert_eq!(
        read(&log),
        [
            "user: go",
            "❌ Run `Shell`",
            "❔ Run `Bash` · no result recorded",
            "❔ Run `Bash` · no result recorded",
            "❔ Run `Bash` · no result recorded",
            "❔ Run `echo \u{fffd}` · no result recorded",
            "❔ Call · no result recorded",
            "= Open",
        ],
    );
}

#[test]
fn ids_repeat_between_turns_and_steps() {
    let step = |n: u8| {
        [
            event(&format!(r#"{{"type":"step.begin","step":{n}}}"#)),
            event(r#"{"type":"tool.call","toolCallId":"Bash_0","name":"Bash","args":{"command":"ls"}}"#),
            event(r#"{"type":"tool.result","toolCallId":"Bash_0","result":{"output":"ok"}}"#),
        ]
        .concat()
    };
    let log = [prompt("a"), step(1), step(2), prompt("b"), step(1)].concat();
    assert_eq!(
        steps(&records(&log)),
        [
            "called 1.1/Bash_0 Bash",
            "answered 1.1/Bash_0 Completed",
            "called 1.2/Bash_0 Bash",
            "answered 1.2/Bash_0 Completed",
            "called 2.1/Bash_0 Bash",
            "answered 2.1/Bash_0 Completed",
        ],
    );
}

#[test]
fn calls_and_answers_in_both_shapes_are_told_once() {
    let by_event =
        event(r#"{"type":"tool.call","toolCallId":"a","name":"Bash","args":{"command":"ls","timeout":5}}"#);
    let by_message = message(
        r#"{"role":"assistant","content":[],"toolCalls":[{"type":"function","id":"a","function":{"name":"Bash","arguments":"{\"timeout\": 5, \"command\": \"ls\"}"}}]}"#,
    );
    let result = event(r#"{"type":"tool.result","toolCallId":"a","result":{"output":"x\n"}}"#);
    let answer = message(r#"{"role":"tool","content":"x\n","toolCallId":"a"}"#);
    let step = event(r#"{"type":"step.begin"}"#);
    for rows in [
        vec![&step, &by_event, &by_message, &result, &answer],
        vec![&step, &by_event, &result, &by_message, &answer],
        vec![&step, &by_message, &answer, &by_event, &result],
        vec![&step, &by_event, &by_message, &answer, &result],
    ] {
        let log: String = rows.into_iter().map(String::as_str).collect();
        let steps = steps(&records(&log));
        assert_eq!(steps, ["called 1.1/a Bash", "answered 1.1/a Completed"], "{log}");
    }
    // The same id with other arguments is another call.
    let other = message(
        r#"{"role":"assistant","content":[],"toolCalls":[{"id":"a","name":"Bash","arguments":"{}"}]}"#,
    );
    assert_eq!(steps(&records(&[step, by_event, result, other].concat())).len(), 3);
}

#[test]
fn what_has_no_partner_is_not_lost() {
    let log = [
        prompt("go"),
        event(r#"{"type":"tool.result","toolCallId":"ghost","result":{"output":"boo"}}"#),
        event(r#"{"type":"tool.result","result":{"output":"boo"}}"#),
        event(r#"{"type":"tool.call","name":"Bash","args":{}}"#),
        more("more"),
        more(" "),
        message(r#"{"role":"tool","content":"x"}"#),
        wire("ToolResult", r#"{"return_value":{}}"#),
    ];
    assert_eq!(
        read(&log.concat()),
        [
            "unknown: tool.result without a call",
            "unknown: tool.call without an id",
            "unknown: ToolCallPart without a call",
            "unknown: tool message without a call",
            "unknown: ToolResult without a call",
            "user: go",
            "🔧 Call `1.0/ghost`",
            "= Open",
        ],
    );
}

#[test]
fn a_refusal_is_on_the_call_it_stopped() {
    let older = [
        wire("TurnBegin", r#"{"user_input":"go"}"#),
        call("a", r#"{"command":"rm x"}"#),
        wire(
            "ApprovalRequest",
            r#"{"id":"r1","tool_call_id":"a","action":"run command","description":"Run `rm x`"}"#,
        ),
        wire("ApprovalResponse", r#"{"request_id":"r1","response":"reject"}"#),
        wire(
            "ToolResult",
            r#"{"tool_call_id":"a","return_value":{"is_error":true,"output":"","message":"The tool call is rejected by the user."}}"#,
        ),
    ];
    let newer = [
        prompt("go"),
        "{\"type\":\"permission.record_approval_result\",\"toolCallId\":\"a\",\"result\":{\"decision\":\"rejected\"}}\n".to_owned(),
        event(r#"{"type":"tool.call","toolCallId":"a","name":"Bash","args":{"command":"rm x"}}"#),
        event(r#"{"type":"tool.result","toolCallId":"a","result":{"isError":true,"output":"no"}}"#),
    ];
    for log in [older.concat(), newer.concat()] {
        let declined = call_events(&records(&log)).any(|event| match &event.step {
            ToolCallStep::Answered(answer) => answer.outcome.declined,
            ToolCallStep::Called(_) | ToolCallStep::Executed(_) => false,
        });
        assert!(declined, "{log}");
        assert_eq!(
            read(&log).get(1).map(|title| title.starts_with("❌ Run `rm x`")),
            Some(true),
            "{:?}",
            read(&log)
        );
    }
}

#[test]
fn what_a_sub_agent_does_stays_out_of_the_card() {
    let sub = |event: &str| {
        wire("SubagentEvent", &format!(r#"{{"task_tool_call_id":"a","agent_id":"x","event":{event}}}"#))
    };
    let log = [
        wire("TurnBegin", r#"{"user_input":"go"}"#),
        wire(
            "ToolCall",
            r#"{"id":"a","function":{"name":"Agent","arguments":"{\"description\":\"Count\",\"prompt\":\"Count them\"}"}}"#,
        ),
        sub(r#"{"type":"TurnBegin","payload":{"user_input":"Count them"}}"#),
        sub(r#"{"type":"ContentPart","payload":{"type":"text","text":"hidden"}}"#),
        sub(r#"{"type":"ToolCall","payload":{"id":"b","function":{"name":"Shell","arguments":"{}"}}}"#),
        sub(r#"{"type":"TurnEnd","payload":{}}"#),
        sub("3"),
        wire(
            "ToolResult",
            r#"{"tool_call_id":"a","return_value":{"is_error":false,"output":"agent_id: x\nstatus: completed\n\n[summary]\nThree.\nReally."}}"#,
        ),
        wire("TurnEnd", "{}"),
    ];
    assert_eq!(read(&log.concat()), ["user: go", "🤖 Delegate Count", "= Completed"]);
}

#[test]
fn the_sub_agents_own_log_says_so() {
    let log = "{\"type\":\"turn.prompt\",\"input\":[{\"type\":\"text\",\"text\":\"Count\"}],\"origin\":{\"kind\":\"system_trigger\",\"name\":\"subagent\"}}\n";
    let records = records(log);
    let [session] = sessions(&records)[..] else { panic!("one session") };
    assert!(session.is_subagent);
    assert_eq!(read(log), ["user: Count", "= Open"]);
}

#[test]
fn the_directory_is_learned_from_a_command_that_names_none() {
    let shown = |args: &str| {
        event(&format!(
            r#"{{"type":"tool.call","toolCallId":"a","name":"Bash","args":{args},"display":{{"kind":"command","cwd":"/w"}}}}"#
        ))
    };
    for (args, cwd) in [(r#"{"command":"ls"}"#, Some("/w")), (r#"{"command":"ls","cwd":"/w"}"#, None)] {
        let records = records(&shown(args));
        assert_eq!(sessions(&records).last().and_then(|session| session.cwd.as_deref()), cwd);
    }
}

#[test]
fn a_refusal_without_an_answer_is_of_no_later_call() {
    let refused = "{\"type\":\"permission.record_approval_result\",\"toolCallId\":\"a\",\"result\":{\"decision\":\"rejected\"}}\n";
    let call = event(r#"{"type":"tool.call","toolCallId":"a","name":"Bash","args":{"command":"ls"}}"#);
    let failed = event(r#"{"type":"tool.result","toolCallId":"a","result":{"isError":true,"output":"no"}}"#);
    let ok = event(r#"{"type":"tool.result","toolCallId":"a","result":{"output":"x"}}"#);
    for rows in [vec![refused, &call, &ok], vec![refused, &prompt("next"), &call, &failed]] {
        let log = rows.concat();
        let declined = call_events(&records(&log)).any(|event| match &event.step {
            ToolCallStep::Answered(answer) => answer.outcome.declined,
            ToolCallStep::Called(_) | ToolCallStep::Executed(_) => false,
        });
        assert!(!declined, "{log}");
    }
}
