//! Scenarios about threads: resumed sessions, forks, interrupts, a user who does not wait.

use anyhow::{Context, Result, ensure};
use larkspan_tests::scripted_model::{Claim, Conversation, Gate, Item, Script, Step};
use serde_json::{Value, json};

use super::{CODE_MODE, DIRECT};
use crate::recorder::Recorder;

/// A session that goes on in the same file, in new processes, under the ids of a provider that counts from zero again.
pub(super) async fn resume(recorder: &Recorder, name: &str) -> Result<()> {
    let script = Script::one([
        Step::item(
            Item::exec(r#"store("n", 1); text((await tools.exec_command({cmd: "echo first"})).output);"#)
                .call_id("call_0"),
        ),
        Step::say("One."),
        Step::item(
            Item::exec(r#"text(load("n")); text((await tools.exec_command({cmd: "echo second"})).output);"#)
                .call_id("call_0"),
        ),
        Step::item(
            Item::exec(
                r#"await tools.exec_command({cmd: "echo third"});
await tools.apply_patch("*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch");"#,
            )
            .call_id("call_1"),
        ),
        Step::say("Two."),
        Step::item(
            Item::exec(
                r#"// @exec: {"yield_time_ms": 200}
text((await tools.exec_command({cmd: "sleep 1; echo fourth"})).output);"#,
            )
            .call_id("call_0"),
        ),
        Step::item(Item::function_call("wait", json!({"cell_id": "1", "yield_time_ms": 10_000}))),
        Step::say("Three."),
    ]);
    let (model, lab) = recorder.stage(CODE_MODE, script).await?;
    let first = lab.exec("First.").await?;
    let thread = first.thread_id().context("no thread")?;
    for prompt in ["Second.", "Third."] {
        let run = lab.resume(thread, prompt).await?;
        ensure!(run.status.success(), "codex failed: {:?} {}", run.events, run.stderr);
    }
    model.finish()?;
    recorder.save(&lab, thread, name)
}

/// A thread, a fork of all of it, a fork after its first turn, a fork of the fork; and the original goes on.
pub(super) async fn fork(recorder: &Recorder, name: &str, slug: &str, history_mode: &str) -> Result<()> {
    let work = |word: &str| {
        let command = format!("echo {word}");
        if slug == DIRECT {
            Item::command(&command)
        } else {
            Item::exec(&format!("text((await tools.exec_command({{cmd: \"{command}\"}})).output);"))
        }
    };
    let original = [
        Step::item(work("one")),
        Step::say("One."),
        Step::item(work("two")),
        Step::say("Two."),
        Step::say("The original goes on."),
    ];
    let script = Script::default()
        .with(Conversation::new("original", Claim::Anyone, original))
        .with(Conversation::new(
            "fork",
            Claim::Anyone,
            [Step::item(work("three")), Step::say("Three, in the fork.")],
        ))
        .with(Conversation::new("at_turn", Claim::Anyone, [Step::say("Four, after the first turn.")]))
        .with(Conversation::new(
            "of_fork",
            Claim::Anyone,
            [Step::item(work("five")), Step::say("Five, in a fork of it.")],
        ));
    let (model, lab) = recorder.stage(slug, script).await?;
    let mut server = lab.app_server().await?;
    let thread = server.start_thread(json!({"historyMode": history_mode})).await?;
    let first = server.start_turn(&thread, "First.").await?;
    server.turn_ended(&first).await?;
    server.turn(&thread, "Second.").await?;
    let whole = server.fork_thread(&thread, json!({})).await?;
    server.turn(&whole, "Third.").await?;
    let at_turn = server.fork_thread(&thread, json!({"lastTurnId": first})).await?;
    server.turn(&at_turn, "Fourth.").await?;
    let of_fork = server.fork_thread(&whole, json!({})).await?;
    server.turn(&of_fork, "Fifth.").await?;
    server.turn(&thread, "Sixth.").await?;
    server.close().await?;
    model.finish()?;
    for (thread, part) in
        [(&thread, "original"), (&whole, "whole"), (&at_turn, "at_turn"), (&of_fork, "of_fork")]
    {
        recorder.save(&lab, thread, &format!("{name}_{part}"))?;
    }
    Ok(())
}

/// A person stops a script that has one call behind it, one running and one to come; then goes on.
pub(super) async fn interrupted_script(recorder: &Recorder, name: &str) -> Result<()> {
    let script = Script::one([
        Step::item(Item::exec(
            r#"text((await tools.exec_command({cmd: "echo before"})).output);
await tools.apply_patch("*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch");
await Promise.all([tools.exec_command({cmd: "sleep 60"}), tools.exec_command({cmd: "sleep 61"})]);
await tools.exec_command({cmd: "echo never"});"#,
        )),
        Step::say("Stopped, I see."),
    ]);
    let (model, lab) = recorder.stage(CODE_MODE, script).await?;
    let mut server = lab.app_server().await?;
    let thread = server.start_thread(json!({})).await?;
    let turn = server.start_turn(&thread, "Go.").await?;
    let is_last = |item: &Value| item["command"].as_str().is_some_and(|command| command.contains("sleep 61"));
    server.item_started("commandExecution", is_last).await?;
    server.interrupt(&thread, &turn).await?;
    let status = server.turn_ended(&turn).await?;
    ensure!(status == "interrupted", "the turn ended as {status}");
    server.turn(&thread, "What happened?").await?;
    server.close().await?;
    model.finish()?;
    recorder.save(&lab, &thread, name)
}

/// The user runs a command of their own while the model answers, then adds a sentence: Codex drops the answer that has
/// begun and asks again. (One that has not begun is waited for first.)
pub(super) async fn user_in_turn(recorder: &Recorder, name: &str) -> Result<()> {
    let never = Gate::default();
    let script = Script::one([
        Step::item(Item::command("echo one")),
        Step::items([Item::pause(&never), Item::command("echo dropped")]),
        Step::item(Item::command("echo two")),
        Step::say("Both, and what you added."),
    ]);
    let (model, lab) = recorder.stage(DIRECT, script).await?;
    let mut server = lab.app_server().await?;
    let thread = server.start_thread(json!({})).await?;
    let turn = server.start_turn(&thread, "Go.").await?;
    never.reached().await;
    server
        .request("thread/shellCommand", json!({"threadId": thread, "command": "echo mine; exit 2"}))
        .await?;
    let is_mine = |item: &Value| item["command"].as_str().is_some_and(|command| command.contains("mine"));
    server.item_completed("commandExecution", is_mine).await?;
    let input = json!([{"type": "text", "text": "And be brief.", "text_elements": []}]);
    server.request("turn/steer", json!({"threadId": thread, "expectedTurnId": turn, "input": input})).await?;
    server.turn_ended(&turn).await?;
    server.request("thread/name/set", json!({"threadId": thread, "name": "A name"})).await?;
    server.close().await?;
    model.finish()?;
    recorder.save(&lab, &thread, name)
}
