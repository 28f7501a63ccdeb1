//! The real Codex works, and `larkspan mirror` follows it while it does.

#![cfg(all(test, unix))]

use larkspan_tests::codex_cli::{CODEX_VARIABLE, CodexCli, Lab, LabOptions};
use larkspan_tests::scripted_model::{Gate, Item, Script, ScriptedModel, Step};
use larkspan_tests::skip::skip;
use serde_json::Value;

use crate::support::program::{Home, Running, wait_until};

/// A script with a command, a patch and a command that fails.
const SCRIPT: &str = r#"const a = await tools.exec_command({cmd: "echo one"});
text(a.output);
await tools.apply_patch("*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch");
const b = await tools.exec_command({cmd: "echo oops >&2; exit 3"});
text(b.exit_code);"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_followed_while_codex_works() {
    let Some(cli) = CodexCli::find().unwrap() else {
        let why = format!("no Codex CLI (set {CODEX_VARIABLE} or put `codex` on PATH)");
        return skip("a_session_is_followed_while_codex_works", &why);
    };
    let gate = Gate::default();
    let model = ScriptedModel::start(Script::one([
        Step::items([Item::message("I look first.").phase("commentary"), Item::exec(SCRIPT)]).hold(&gate),
        Step::item(Item::exec(r#"text((await tools.exec_command({cmd: "cat made.txt"})).output);"#)),
        Step::say("All of it is done."),
    ]))
    .await
    .unwrap();
    let lab = Lab::new(&cli, &model.base_url(), LabOptions::model("gpt-5.6-sol")).unwrap();
    let home = Home::new();
    let exec = lab.exec("Do it.");
    let follow = async {
        // Codex waits for the model: the turn has begun, and nothing is said yet.
        gate.reached().await;
        let lab = &lab;
        tokio::task::block_in_place(|| {
            wait_until("the session has a log", || !lab.rollouts().unwrap().is_empty());
            let mut command = home.command(["mirror", "--surface", "jsonl", "--latest", "--from", "start"]);
            command.env("CODEX_HOME", lab.codex_home());
            let mirror = Running::start(command);
            let begun = mirror.lines_until(|line| line.contains("\"turn_started\""));
            gate.open();
            let rest = mirror.lines_until(|line| line.contains("\"turn_ended\""));
            mirror.terminate();
            let (status, after, errors) = mirror.end();
            assert_eq!((status.code(), errors.as_str()), (Some(0), ""));
            begun.into_iter().chain(rest).chain(after).collect::<Vec<_>>()
        })
    };
    let (run, lines) = tokio::join!(exec, follow);
    let run = run.unwrap();
    assert!(run.status.success(), "{}", run.stderr);
    model.finish().unwrap();

    let told: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(told.iter().all(|object| object["session"] == run.thread_id().unwrap()), "one session: {told:?}");
    let text = |kind: &str, member: &str| -> Vec<String> {
        let of_kind = told.iter().filter(|object| object["type"] == kind);
        of_kind.map(|object| object[member].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(text("message", "text"), ["Do it.", "I look first.", "All of it is done."]);
    assert_eq!(text("turn_ended", "outcome"), ["completed"]);

    // It was seen running before it was seen done, and each state has its revision.
    let first = told.iter().find(|object| object["type"] == "tool_call").unwrap();
    let of_first: Vec<&Value> = told.iter().filter(|object| object["id"] == first["id"]).collect();
    assert_eq!(first["status"], "running");
    assert_eq!(
        of_first.iter().map(|object| object["rev"].as_u64().unwrap()).collect::<Vec<_>>(),
        (0..of_first.len() as u64).collect::<Vec<_>>()
    );
    let last = of_first.last().unwrap();
    assert_eq!(last["title"], "🧩 编排 3 个工具 · `exec_command` `apply_patch` · 1 个失败");
    let children = last["children"].as_array().unwrap();
    let facts: Vec<(&str, &str, Option<i64>)> = children
        .iter()
        .map(|child| {
            (
                child["name"].as_str().unwrap(),
                child["status"].as_str().unwrap(),
                child["outcome"]["exit_code"].as_i64(),
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            ("exec_command", "completed", Some(0)),
            ("apply_patch", "completed", None),
            ("exec_command", "failed", Some(3))
        ]
    );
    let second = told.iter().rfind(|object| object["type"] == "tool_call").unwrap();
    assert!(second["title"].as_str().unwrap().starts_with("📖 读取 `made.txt`"), "{second}");
    assert_eq!(second["outcome"]["output"]["text"], "made\n");
}
