//! Claude Code and Kimi: what the captures show, live and as history, and the same work on the same cards as Codex's.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

use larkspan_claude_adapter::log::LogReader as Claude;
use larkspan_kimi_adapter::log::LogReader as Kimi;
use larkspan_logtail::RecordReader;
use larkspan_tests::fake_feishu::Reader;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::{Home, root};
use crate::support::reading::{Live, State, history_by};
use crate::support::rows::Rows;
use crate::support::{Dice, golden, shown};

fn captures() -> Vec<PathBuf> {
    let folder = root().join("tests/fixtures/claude");
    let mut logs: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    logs.sort();
    assert_eq!(logs.len(), 3);
    logs
}

fn kimi_logs() -> Vec<PathBuf> {
    let folder = root().join("crates/kimi-adapter/src/log/tests/data");
    ["newer", "older", "messages"].map(|name| folder.join(format!("{name}.jsonl"))).to_vec()
}

/// Followed byte by byte and in chunks, a log ends as it is read at once.
fn assert_live_is_history<R: RecordReader>(path: &Path) -> State {
    let bytes = fs::read(path).unwrap();
    let whole = history_by::<R>(path);
    let mut dice = Dice::new(7);
    for most in [1, 3_000] {
        let mut live = Live::by(R::new(path));
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let size = if most == 1 { 1 } else { 1 + dice.below(most) };
            let (chunk, after) = rest.split_at(size.min(rest.len()));
            live.push(chunk);
            rest = after;
        }
        live.finish();
        assert_eq!(shown::everything(&live.state), shown::everything(&whole), "{} by {most}", path.display());
    }
    whole
}

#[test]
fn what_the_captures_show_is_in_golden_files_and_the_same_live() {
    let mut found = Vec::new();
    for path in captures() {
        let state = assert_live_is_history::<Claude>(&path);
        assert!(state.unknown.is_empty(), "{}: {:?}", path.display(), state.unknown);
        let name = path.file_name().unwrap().to_string_lossy().replace(".transcript.jsonl", "");
        let text = shown::lines(&state).join("\n") + "\n";
        found.extend(golden::difference(&format!("claude/{name}.txt"), &text));
    }
    for path in kimi_logs() {
        let state = assert_live_is_history::<Kimi>(&path);
        assert!(state.unknown.is_empty(), "{}: {:?}", path.display(), state.unknown);
    }
    golden::assert_none(&found);
}

/// The same work in Codex's log: a command that fails, a read, an edit, a search, a plan.
fn codex() -> Vec<u8> {
    Rows::paginated()
        .turn("1")
        .user("Fix it.")
        .agent("m1", "I look.")
        .command("a", "npm test")
        .ran("a", "npm test", 1)
        .exited("a", 1, "1 failing\n")
        .command("b", "cat src/app.ts")
        .ran("b", "cat src/app.ts", 0)
        .exited("b", 0, "let a = 1;\n")
        .custom("c", "apply_patch", "*** Begin Patch\n*** Update File: src/app.ts\n@@\n-let a = 1;\n+let a = 2;\n*** End Patch")
        .patched("c", "src/app.ts", "completed")
        .output("c", "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM src/app.ts\n")
        .command("d", "rg retry src")
        .ran("d", "rg retry src", 0)
        .exited("d", 0, "src/app.ts:1:retry\n")
        .call("e", "update_plan", json!({"plan": [{"step": "Fix", "status": "completed"}, {"step": "Test", "status": "in_progress"}]}))
        .output("e", "Plan updated")
        .agent("m2", "It is fixed.")
        .done()
        .bytes()
}

/// The same in Claude Code's.
fn claude() -> Vec<u8> {
    let mut lines = Vec::new();
    let mut number = 0;
    let mut row = |kind: &str, message: Value, result: Option<Value>| {
        number += 1;
        let mut row = json!({"type": kind, "uuid": format!("u{number}"), "sessionId": "s-claude", "cwd": "/w",
            "version": "2.1.197", "isSidechain": false, "userType": "external",
            "parentUuid": if number == 1 { Value::Null } else { json!(format!("u{}", number - 1)) },
            "timestamp": format!("2026-12-01T10:00:{number:02}.000Z"), "message": message});
        if let Some(result) = result {
            row["toolUseResult"] = result;
        }
        lines.push(row.to_string());
    };
    let says = |id: usize, block: Value, stop: Option<&str>| {
        json!({"id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": "claude-x",
            "content": [block], "stop_reason": stop, "usage": {"input_tokens": 10, "output_tokens": 5}})
    };
    let uses = |id: usize, name: &str, input: Value| {
        says(
            id,
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": name, "input": input}),
            Some("tool_use"),
        )
    };
    let result = |id: usize, content: &str, is_error: bool| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "content": content, "is_error": is_error}]});
    row("user", json!({"role": "user", "content": "Fix it."}), None);
    row("assistant", says(1, json!({"type": "text", "text": "I look."}), None), None);
    row("assistant", uses(2, "Bash", json!({"command": "npm test"})), None);
    row("user", result(2, "Exit code 1\n1 failing", true), Some(json!("Error: Exit code 1\n1 failing")));
    row("assistant", uses(3, "Read", json!({"file_path": "/w/src/app.ts"})), None);
    row(
        "user",
        result(3, "     1\tlet a = 1;\n", false),
        Some(
            json!({"type": "text", "file": {"filePath": "/w/src/app.ts", "content": "let a = 1;\n", "numLines": 1, "startLine": 1, "totalLines": 1}}),
        ),
    );
    row(
        "assistant",
        uses(
            4,
            "Edit",
            json!({"file_path": "/w/src/app.ts", "old_string": "let a = 1;", "new_string": "let a = 2;"}),
        ),
        None,
    );
    row(
        "user",
        result(4, "The file /w/src/app.ts has been updated.", false),
        Some(json!({"filePath": "/w/src/app.ts", "oldString": "let a = 1;", "newString": "let a = 2;"})),
    );
    row("assistant", uses(5, "Grep", json!({"pattern": "retry", "path": "src"})), None);
    row(
        "user",
        result(5, "src/app.ts:1:retry", false),
        Some(json!({"mode": "content", "numFiles": 1, "content": "src/app.ts:1:retry", "numLines": 1})),
    );
    row(
        "assistant",
        uses(
            6,
            "TodoWrite",
            json!({"todos": [{"content": "Fix", "status": "completed", "activeForm": "Fixing"}, {"content": "Test", "status": "in_progress", "activeForm": "Testing"}]}),
        ),
        None,
    );
    row(
        "user",
        result(6, "Todos have been modified successfully.", false),
        Some(json!({"oldTodos": [], "newTodos": []})),
    );
    row("assistant", says(7, json!({"type": "text", "text": "It is fixed."}), Some("end_turn")), None);
    (lines.join("\n") + "\n").into_bytes()
}

/// The same in Kimi's.
fn kimi() -> Vec<u8> {
    let mut time = 1_796_000_000_000_u64;
    let mut lines = Vec::new();
    let mut row = |mut row: Value| {
        time += 500;
        row["time"] = json!(time);
        lines.push(row.to_string());
    };
    let event = |event: Value| json!({"type": "context.append_loop_event", "event": event});
    row(json!({"type": "metadata", "protocol_version": "1.4", "created_at": 1_796_000_000_000_u64}));
    row(json!({"type": "config.update", "cwd": "/w", "modelAlias": "moonshot-ai/kimi-k2"}));
    row(
        json!({"type": "turn.prompt", "input": [{"type": "text", "text": "Fix it."}], "origin": {"kind": "user"}}),
    );
    let calls = [
        (
            "Bash",
            json!({"command": "npm test"}),
            json!({"output": "1 failing\nCommand failed with exit code: 1.", "isError": true}),
        ),
        ("Read", json!({"path": "src/app.ts"}), json!({"output": "     1\tlet a = 1;\n"})),
        (
            "Edit",
            json!({"path": "src/app.ts", "old_string": "let a = 1;", "new_string": "let a = 2;"}),
            json!({"output": ""}),
        ),
        ("Grep", json!({"pattern": "retry", "path": "src"}), json!({"output": "src/app.ts:1:retry\n"})),
        (
            "TodoList",
            json!({"todos": [{"title": "Fix", "status": "done"}, {"title": "Test", "status": "in_progress"}]}),
            json!({"output": "Todo list updated"}),
        ),
    ];
    let begin =
        |step: usize| json!({"type": "step.begin", "uuid": format!("s{step}"), "turnId": "0", "step": step});
    let end = |step: usize, reason: &str| {
        json!({"type": "step.end", "uuid": format!("s{step}"), "turnId": "0", "step": step, "finishReason": reason,
            "usage": {"inputOther": 10, "output": 5, "inputCacheRead": 0, "inputCacheCreation": 0}})
    };
    let says = |step: usize, text: &str| {
        json!({"type": "content.part", "uuid": format!("p{step}"), "turnId": "0", "step": step,
            "stepUuid": format!("s{step}"), "part": {"type": "text", "text": text}})
    };
    for (at, (name, args, result)) in calls.iter().enumerate() {
        let (step, id) = (at + 1, format!("{name}_0"));
        row(event(begin(step)));
        if step == 1 {
            row(event(says(step, "I look.")));
        }
        row(event(
            json!({"type": "tool.call", "uuid": id, "turnId": "0", "step": step, "stepUuid": format!("s{step}"), "toolCallId": id, "name": name, "args": args}),
        ));
        row(event(json!({"type": "tool.result", "parentUuid": id, "toolCallId": id, "result": result})));
        row(event(end(step, "tool_use")));
    }
    row(event(begin(6)));
    row(event(says(6, "It is fixed.")));
    row(event(end(6, "end_turn")));
    (lines.join("\n") + "\n").into_bytes()
}

#[cfg(unix)]
#[test]
fn the_same_work_gives_cards_that_differ_in_the_tag() {
    use larkspan_tests::fake_feishu::{Rates, Settings};

    use crate::cards::Stage;

    let mut cards = Vec::new();
    for (agent, log) in [("codex", codex()), ("claude", claude()), ("kimi", kimi())] {
        let stage = Stage::new(
            &format!("agents-{agent}"),
            Settings { rates: Rates::unlimited(), ..Settings::default() },
        );
        let log = stage.home.file(&format!("{agent}.jsonl"), log);
        let ran = stage.mirror_once(&log);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{agent}");
        stage.check();
        let shown = stage.cards();
        let [card] = shown.as_slice() else { panic!("{agent}: {} cards", shown.len()) };
        let reader = Reader::of(card);
        let tags = reader.element("runtime_meta_tags").unwrap_or_default();
        assert!(tags.contains(&format!("'orange'>{agent}<")), "{tags}");
        // What was done to what; what else was recorded differs.
        let titles: Vec<String> = reader
            .panel_titles()
            .iter()
            .map(|title| title.split(" · ").next().unwrap_or_default().to_owned())
            .collect();
        let tasks = reader.element("streaming_tasks").unwrap_or_default().to_owned();
        let answer = reader.element("final_content").unwrap_or_default().to_owned();
        cards.push((agent, titles, tasks, answer));
    }
    let (_, titles, tasks, answer) = &cards[0];
    assert_eq!(answer, "It is fixed.");
    assert!(tasks.contains("Fix") && tasks.contains("Test"), "{tasks}");
    assert_eq!(titles.len(), 7, "history, a group, five calls: {titles:?}");
    for (agent, others, their_tasks, their_answer) in &cards[1..] {
        assert_eq!((others, their_tasks, their_answer), (titles, tasks, answer), "{agent}");
    }
}

#[test]
fn a_log_is_known_by_what_is_in_it_and_another_agents_is_refused() {
    let home = Home::new();
    for (agent, name, log) in
        [("codex", "Codex", codex()), ("claude", "Claude Code", claude()), ("kimi", "Kimi", kimi())]
    {
        let log = home.file(&format!("{agent}.log.jsonl"), log);
        let log = log.to_str().unwrap();
        let ran = home.run(["history", log, "--format", "json"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{agent}");
        let text = String::from_utf8(ran.stdout).unwrap();
        assert!(text.contains("It is fixed."), "{agent}: {text}");
        for (other, other_name) in [("codex", "Codex"), ("claude", "Claude Code"), ("kimi", "Kimi")] {
            let ran = home.run(["history", log, "--agent", other]);
            if other == agent {
                assert_eq!(ran.code, Some(0), "{agent}");
            } else {
                assert_eq!(ran.code, Some(1), "{name} as {other}");
                assert!(ran.stderr.contains(other_name) && ran.stderr.contains(log), "{}", ran.stderr);
            }
        }
    }
}

#[test]
fn sessions_of_all_agents_are_listed_together() {
    let home = Home::new();
    for (place, log) in [
        (
            "codex/sessions/2026/12/01/rollout-2026-12-01T10-00-00-01a00000-0000-7000-8000-000000000000.jsonl",
            codex(),
        ),
        ("claude/projects/-w/s-claude.jsonl", claude()),
        ("kimi-code/sessions/wd_w_0123/s-kimi/agents/main/wire.jsonl", kimi()),
        ("kimi-code/sessions/wd_w_0123/s-kimi/agents/agent-0/wire.jsonl", kimi()),
    ] {
        let path = home.path(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, log).unwrap();
    }
    let list = |arguments: &[&str]| -> Vec<(String, String, bool)> {
        let mut command = home.command(arguments);
        command.env("CLAUDE_CONFIG_DIR", home.path("claude"));
        command.env("KIMI_CODE_HOME", home.path("kimi-code")).env("KIMI_SHARE_DIR", home.path("kimi"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        let mut sessions: Vec<_> = lines
            .lines()
            .map(|line| {
                let session: Value = serde_json::from_str(line).unwrap();
                let text = |name: &str| session[name].as_str().unwrap_or_default().to_owned();
                assert_eq!(text("first_message"), "Fix it.", "{session}");
                (text("agent"), text("id"), session["is_subagent"].as_bool().unwrap())
            })
            .collect();
        sessions.sort();
        sessions
    };
    let row = |agent: &str, id: &str, is_subagent: bool| (agent.to_owned(), id.to_owned(), is_subagent);
    assert_eq!(
        list(&["history", "--list", "--json"]),
        [
            row("claude", "s-claude", false),
            row("codex", "01a00000-0000-7000-8000-000000000000", false),
            row("kimi", "s-kimi", false),
            row("kimi", "s-kimi-agent-0", true),
        ]
    );
    assert_eq!(
        list(&["history", "--list", "--json", "--agent", "claude"]),
        [row("claude", "s-claude", false)]
    );
}
