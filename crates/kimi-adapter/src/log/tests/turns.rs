//! When turns begin and end; undo, cancel, compaction, goals.

use pretty_assertions::assert_eq;

use super::{event, message, prompt, read, wire};

/// Rows, and what is read of them.
#[track_caller]
fn check(rows: &[String], expected: &[&str]) {
    assert_eq!(read(&rows.concat()), expected);
}

fn begin(turn: &str) -> String {
    event(&format!(r#"{{"type":"step.begin","turnId":"{turn}","step":1}}"#))
}

fn says(turn: &str, text: &str) -> String {
    event(&format!(r#"{{"type":"content.part","turnId":"{turn}","part":{{"type":"text","text":"{text}"}}}}"#))
}

fn end(turn: &str, reason: &str) -> String {
    event(&format!(r#"{{"type":"step.end","turnId":"{turn}","finishReason":{reason}}}"#))
}

fn row(row: &str) -> String {
    format!("{row}\n")
}

#[test]
fn a_step_tells_how_its_turn_ends() {
    for (reason, text, outcome) in [
        (r#""end_turn""#, "agent!: done", "= Completed"),
        (r#""""#, "agent!: done", "= Completed"),
        ("null", "agent!: done", "= Completed"),
        ("3", "agent!: done", "= Completed"),
        (r#""tool_use""#, "agent: done", "= Open"),
        (r#""max_tokens""#, "agent: done", "= Aborted (max tokens)"),
        (r#""filtered""#, "agent: done", "= Aborted (filtered)"),
    ] {
        check(&[prompt("go"), begin("0"), says("0", "done"), end("0", reason)], &["user: go", text, outcome]);
    }
}

#[test]
fn a_step_that_called_tools_is_not_the_last_one() {
    let call = event(r#"{"type":"tool.call","toolCallId":"Bash_0","name":"Bash","args":{"command":"ls"}}"#);
    let result = event(r#"{"type":"tool.result","toolCallId":"Bash_0","result":{"output":"a\n"}}"#);
    check(
        &[
            prompt("go"),
            begin("0"),
            call,
            result,
            end("0", r#""""#),
            begin("0"),
            says("0", "done"),
            end("0", r#""end_turn""#),
        ],
        &["user: go", "📂 List `.` · 1 line of output", "agent!: done", "= Completed"],
    );
}

#[test]
fn cancelled_is_aborted_and_late_answers_find_their_call() {
    let call = event(
        r#"{"type":"tool.call","turnId":"0","toolCallId":"Bash_0","name":"Bash","args":{"command":"sleep 9"}}"#,
    );
    let late = event(
        r#"{"type":"tool.result","toolCallId":"Bash_0","result":{"output":"Interrupted by user","isError":true}}"#,
    );
    let cancel = row(r#"{"type":"turn.cancel","turnId":0}"#);
    check(
        &[prompt("go"), begin("0"), call, cancel.clone(), late, end("0", r#""tool_use""#), cancel],
        &["user: go", "⏹️ Run `sleep 9` · aborted", "= Aborted (cancelled)"],
    );
}

#[test]
fn a_turn_begins_without_a_prompt_where_its_events_name_another() {
    check(
        &[
            prompt("go"),
            begin("0"),
            says("0", "one"),
            begin("1"),
            says("1", "two"),
            end("1", r#""end_turn""#),
        ],
        &["user: go", "agent: one", "= Superseded", "agent!: two", "= Completed"],
    );
}

#[test]
fn what_is_undone_does_not_stand() {
    let turn = |n: &str| [prompt(n), begin(n), says(n, "ok"), end(n, r#""end_turn""#)].concat();
    let ended = |n: &str| [format!("user: {n}"), "agent!: ok".to_owned(), "= Completed".to_owned()];
    let undo = row(r#"{"type":"context.undo","count":2}"#);
    let mut expected: Vec<String> = ["a", "b", "c"].iter().flat_map(|n| ended(n)).collect();
    expected.push("ℹ️ undone: “b” · “c” and all that followed".to_owned());
    expected.extend(ended("d"));
    assert_eq!(read(&[turn("a"), turn("b"), turn("c"), undo, turn("d")].concat()), expected);

    // A turn that is still open ends as undone.
    let undo = row(r#"{"type":"context.undo","count":1}"#);
    check(
        &[prompt("a"), begin("0"), says("0", "one"), undo.clone()],
        &["user: a", "agent: one", "ℹ️ undone: “a” and all that followed", "= Aborted (undone)"],
    );
    check(&[undo], &["ℹ️ undone: the last turn and all that followed"]);
    for count in ["null", "\"x\"", "18446744073709551615", "-1"] {
        let undo = row(&format!(r#"{{"type":"context.undo","count":{count}}}"#));
        assert_eq!(
            read(&[turn("a"), undo].concat()).last().map(String::as_str),
            Some("ℹ️ undone: “a” and all that followed")
        );
    }
}

#[test]
fn compaction_is_a_notice_and_bounds_undo() {
    let compaction =
        row(r#"{"type":"context.apply_compaction","summary":"…","tokensBefore":15912,"tokensAfter":654}"#);
    let around = |kind| row(&format!(r#"{{"type":"full_compaction.{kind}"}}"#));
    check(
        &[
            prompt("a"),
            begin("0"),
            says("0", "ok"),
            end("0", r#""end_turn""#),
            around("begin"),
            compaction,
            around("complete"),
            message(
                r#"{"role":"assistant","content":"summary","toolCalls":[],"origin":{"kind":"compaction_summary"}}"#,
            ),
            row(r#"{"type":"context.undo","count":1}"#),
        ],
        &[
            "user: a",
            "agent!: ok",
            "= Completed",
            "🗜️ Context compacted 15912 → 654 tokens",
            "ℹ️ undone: the last turn and all that followed",
        ],
    );
    check(
        &[
            wire("TurnBegin", r#"{"user_input":"a"}"#),
            wire("CompactionBegin", "{}"),
            wire("CompactionEnd", "{}"),
            wire("TurnEnd", "{}"),
        ],
        &["user: a", "🗜️ Context compacted", "= Completed"],
    );
}

#[test]
fn the_older_shape_says_when_turns_begin_and_end() {
    let begin = wire("TurnBegin", r#"{"user_input":"go"}"#);
    let says = wire("ContentPart", r#"{"type":"text","text":"on it"}"#);
    check(
        &[begin.clone(), says.clone(), wire("TurnEnd", "{}")],
        &["user: go", "agent!: on it", "= Completed"],
    );
    check(
        &[begin.clone(), says.clone(), wire("StepInterrupted", "{}"), wire("TurnEnd", "{}")],
        &["user: go", "agent: on it", "= Aborted (interrupted)"],
    );
    check(
        &[begin.clone(), says.clone(), begin.clone()],
        &["user: go", "agent: on it", "= Superseded", "user: go", "= Open"],
    );
    check(
        &[
            begin,
            says,
            wire("SteerInput", r#"{"user_input":[{"type":"text","text":"faster"}]}"#),
            wire("TurnEnd", "{}"),
        ],
        &["user: go", "agent: on it", "user: faster", "= Completed"],
    );
}

#[test]
fn goals_are_items_of_turns() {
    check(
        &[
            row(r#"{"type":"goal.create","goalId":"g","objective":"all green"}"#),
            prompt("go"),
            row(r#"{"type":"goal.update","tokensUsed":3}"#),
            row(r#"{"type":"goal.update","status":"complete"}"#),
            row(r#"{"type":"goal.clear"}"#),
            row(r#"{"type":"goal.clear"}"#),
        ],
        &[
            "goal: all green []",
            "user: go",
            "goal: all green [complete]",
            "goal: all green [cleared]",
            "= Open",
        ],
    );
}

#[test]
fn an_answer_without_steps_ends_its_turn() {
    let user = message(r#"{"role":"user","content":"go"}"#);
    let calls = message(
        r#"{"role":"assistant","content":"I look.","toolCalls":[{"id":"Glob_0","name":"Glob","arguments":"{\"pattern\":\"*\"}"}]}"#,
    );
    let result = message(r#"{"role":"tool","content":[{"type":"text","text":"a"}],"toolCallId":"Glob_0"}"#);
    let answer = message(r#"{"role":"assistant","content":[{"type":"text","text":"Done."}],"toolCalls":[]}"#);
    check(
        &[user.clone(), calls, result, answer.clone(), user, answer],
        &[
            "user: go",
            "agent…: I look.",
            "🔎 Search `*`",
            "agent!: Done.",
            "= Completed",
            "user: go",
            "agent!: Done.",
            "= Completed",
        ],
    );
}
