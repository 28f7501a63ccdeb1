use std::fs;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;

use super::process::Group;
use super::*;
use crate::scripted_model::{Item, Script, ScriptedModel, Step};
use crate::skip::skip;

/// The real program, or a word about the test that does not run.
fn real_codex(test: &str) -> Option<CodexCli> {
    let cli = CodexCli::find().unwrap();
    if cli.is_none() {
        skip(test, &format!("no Codex CLI (set {CODEX_VARIABLE} or put `codex` on PATH)"));
    }
    cli
}

#[cfg(unix)]
#[test]
fn the_program_or_its_npm_prefix_is_found() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("node_modules/.bin");
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("codex");
    assert_eq!(CodexCli::at(folder.path()), None);
    let write = |said: &str| {
        fs::write(&program, format!("#!/bin/sh\necho '{said}'\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("something else 1.0");
    assert_eq!(CodexCli::at(&program), None);
    write("codex-cli 9.8.7");
    for path in [folder.path(), program.as_path()] {
        let cli = CodexCli::at(path).unwrap();
        assert_eq!((cli.version(), cli.program()), ("9.8.7", program.as_path()));
    }
    let path = std::env::join_paths([folder.path(), bin.as_path()]).unwrap();
    assert_eq!(CodexCli::on(&path).unwrap().version(), "9.8.7");
}

#[test]
fn the_configuration_quotes_what_it_is_given() {
    let cli = CodexCli { program: "codex".into(), version: "0".to_owned() };
    let server = McpServer {
        name: "demo".to_owned(),
        program: "/a b".to_owned(),
        arguments: vec!["\"x\"".to_owned()],
    };
    let options = LabOptions {
        mcp_servers: vec![server],
        config: "show_raw_agent_reasoning = true".to_owned(),
        ..LabOptions::model("m\\1")
    };
    let lab = Lab::new(&cli, "http://127.0.0.1:1/v1", options).unwrap();
    let config = fs::read_to_string(lab.codex_home().join("config.toml")).unwrap();
    for line in [
        "model = \"m\\\\1\"",
        "show_raw_agent_reasoning = true",
        "base_url = \"http://127.0.0.1:1/v1\"",
        "[mcp_servers.demo]",
        "command = \"/a b\"",
        "args = [\"\\\"x\\\"\"]",
    ] {
        assert!(config.lines().any(|found| found == line), "{line} is missing in {config}");
    }
    assert!(lab.rollouts().unwrap().is_empty());
    assert!(lab.rollout("none").is_err());
}

/// The pipe closes only when nobody holds it any more: neither the leader nor what it started.
#[cfg(unix)]
#[tokio::test]
async fn a_dropped_group_leaves_nobody_behind() {
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 600 & echo started; wait"]).stdout(Stdio::piped());
    let mut group = Group::spawn(command).unwrap();
    let mut stdout = group.child.stdout.take().unwrap();
    let mut started = [0; 8];
    stdout.read_exact(&mut started).await.unwrap();
    drop(group);
    let mut rest = Vec::new();
    timeout(Duration::from_secs(30), stdout.read_to_end(&mut rest)).await.unwrap().unwrap();
    assert_eq!((&started, rest.as_slice()), (b"started\n", &b""[..]));
}

#[cfg(unix)]
#[tokio::test]
async fn a_late_process_is_an_error() {
    let mut command = Command::new("sleep");
    command.arg("600");
    let mut group = Group::spawn(command).unwrap();
    let error = group.wait(Duration::from_millis(1)).await.unwrap_err();
    assert!(error.to_string().contains("did not end within 1ms"), "{error}");
}

#[tokio::test]
async fn the_real_codex_plays_a_script_through_exec_and_goes_on() {
    let Some(cli) = real_codex("the_real_codex_plays_a_script_through_exec_and_goes_on") else { return };
    let model = ScriptedModel::start(Script::one([
        Step::item(Item::command("echo hello > made.txt; cat made.txt")),
        Step::say("Made."),
        Step::say("Still here."),
    ]))
    .await
    .unwrap();
    let lab = Lab::new(&cli, &model.base_url(), LabOptions::model("gpt-5.5")).unwrap();
    let run = lab.exec("Make a file.").await.unwrap();
    assert!(run.status.success(), "{}", run.stderr);
    let thread = run.thread_id().unwrap();
    assert!(lab.resume(thread, "And?").await.unwrap().status.success());
    assert_eq!(fs::read_to_string(lab.workspace().join("made.txt")).unwrap(), "hello\n");
    let requests = model.finish().unwrap();
    assert!(requests[1].last_output().unwrap().ends_with("hello\n"));
    assert!(requests.iter().all(|request| request.thread_id() == thread));
    assert_eq!(lab.rollouts().unwrap(), [lab.rollout(thread).unwrap()]);
}

#[tokio::test]
async fn the_real_codex_can_be_interrupted_and_forked_through_the_app_server() {
    let Some(cli) = real_codex("the_real_codex_can_be_interrupted_and_forked_through_the_app_server") else {
        return;
    };
    let script = Script::one([Step::item(Item::command("sleep 600")), Step::say("Stopped.")]);
    let script = script.with(crate::scripted_model::Conversation::new(
        "fork",
        crate::scripted_model::Claim::Prompt("In the fork.".to_owned()),
        [Step::say("Forked.")],
    ));
    let model = ScriptedModel::start(script).await.unwrap();
    let lab = Lab::new(&cli, &model.base_url(), LabOptions::model("gpt-5.5")).unwrap();
    let mut server = lab.app_server().await.unwrap();
    let thread = server.start_thread(json!({})).await.unwrap();
    let turn = server.start_turn(&thread, "Sleep.").await.unwrap();
    server.item_started("commandExecution", |_| true).await.unwrap();
    server.interrupt(&thread, &turn).await.unwrap();
    assert_eq!(server.turn_ended(&turn).await.unwrap(), "interrupted");
    assert_eq!(server.turn(&thread, "And now?").await.unwrap(), "completed");
    let fork = server.fork_thread(&thread, json!({})).await.unwrap();
    assert_eq!(server.turn(&fork, "In the fork.").await.unwrap(), "completed");
    assert!(server.request("no/such/method", json!({})).await.is_err());
    server.close().await.unwrap();
    model.finish().unwrap();
    assert_eq!(lab.rollouts().unwrap().len(), 2);
}
