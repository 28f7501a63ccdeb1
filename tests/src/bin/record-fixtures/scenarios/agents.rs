//! Scenarios about sub-agents: a parent's log and its child's.

use anyhow::{Context, Result, ensure};
use larkspan_tests::codex_cli::Lab;
use larkspan_tests::scripted_model::{Claim, Conversation, Item, ModelRequest, Script, Step};
use serde_json::{Value, json};

use super::{CODE_MODE, UNKNOWN};
use crate::recorder::Recorder;

/// A parent that hands work over, and the sub-agent that does it.
pub(super) async fn sub_agent(recorder: &Recorder, name: &str, fork_turns: &str) -> Result<()> {
    let task = json!({
        "task_name": "sub1", "message": "Count the files, then write notes.txt.", "fork_turns": fork_turns,
    });
    let parent = [
        Step::items([
            Item::message("I hand this to a helper.").phase("commentary"),
            Item::exec(r#"text((await tools.exec_command({cmd: "echo parent"})).output);"#),
        ]),
        Step::item(Item::function_call("spawn_agent", task).namespace("collaboration")),
        Step::item(
            Item::function_call("wait_agent", json!({"timeout_ms": 30_000})).namespace("collaboration"),
        ),
        Step::say("The helper is done."),
    ];
    let child = [
        Step::items([
            Item::message("Counting first.").phase("commentary"),
            Item::exec("const r = await tools.exec_command({cmd: \"ls | wc -l\"});\ntext(r.output);"),
        ]),
        Step::item(Item::exec(
            r#"text(await tools.apply_patch("*** Begin Patch\n*** Add File: notes.txt\n+one\n+two\n*** End Patch"));"#,
        )),
        Step::say("Counted; notes.txt is written."),
    ];
    let script = Script::default()
        .with(Conversation::new("root", Claim::Agent("/root".to_owned()), parent))
        .with(Conversation::new("child", Claim::Agent("/root/sub1".to_owned()), child));
    let (model, lab) = recorder.stage(CODE_MODE, script).await?;
    let run = lab.exec("Use a helper.").await?;
    ensure!(run.status.success(), "codex failed: {:?} {}", run.events, run.stderr);
    let parent = run.thread_id().context("no thread")?;
    save_family(recorder, &lab, name, parent, &model.finish()?)
}

/// A child that is listed, asked again, told something and stopped.
pub(super) async fn tools(recorder: &Recorder, name: &str) -> Result<()> {
    let call = |tool: &str, arguments: Value| {
        Step::item(Item::function_call(tool, arguments).namespace("collaboration"))
    };
    let parent = [
        call("spawn_agent", json!({"task_name": "sub1", "message": "Say one.", "fork_turns": "none"})),
        call("wait_agent", json!({"timeout_ms": 30_000})),
        call("list_agents", json!({})),
        call("followup_task", json!({"target": "/root/sub1", "message": "Say two."})),
        call("wait_agent", json!({"timeout_ms": 30_000})),
        call("send_message", json!({"target": "sub1", "message": "Well done."})),
        call("interrupt_agent", json!({"target": "sub1"})),
        call("send_message", json!({"target": "nobody", "message": "Hello?"})),
        Step::say("Both said."),
    ];
    let child = [Step::say("One."), Step::say("Two.")];
    let script = Script::default()
        .with(Conversation::new("root", Claim::Agent("/root".to_owned()), parent))
        .with(Conversation::new("child", Claim::Agent("/root/sub1".to_owned()), child));
    let (model, lab) = recorder.stage(CODE_MODE, script).await?;
    let run = lab.exec("Use a helper twice.").await?;
    ensure!(run.status.success(), "codex failed: {:?} {}", run.events, run.stderr);
    save_family(recorder, &lab, name, run.thread_id().context("no thread")?, &model.finish()?)
}

/// The agent tools that a model gets which Codex does not know: the child is named by its thread.
pub(super) async fn old_tools(recorder: &Recorder, name: &str) -> Result<()> {
    let call =
        |tool: &str, arguments: Value| Item::function_call(tool, arguments).namespace("multi_agent_v1");
    let with_child = move |make: fn(&str) -> (&'static str, Value)| {
        Step::from_request(move |request| {
            let (tool, arguments) = make(&spawned_agent(request).context("no output names the child")?);
            Ok(vec![call(tool, arguments)])
        })
    };
    let parent = [
        Step::item(call(
            "spawn_agent",
            json!({"message": "Say one, after a command.", "fork_context": true}),
        )),
        with_child(|child| ("wait_agent", json!({"targets": [child], "timeout_ms": 30_000}))),
        with_child(|child| ("send_input", json!({"target": child, "message": "Say two."}))),
        with_child(|child| ("wait_agent", json!({"targets": [child], "timeout_ms": 30_000}))),
        with_child(|child| ("close_agent", json!({"target": child}))),
        Step::say("Both said."),
    ];
    let child = [Step::item(Item::command("echo from the child")), Step::say("One."), Step::say("Two.")];
    let script = Script::default()
        .with(Conversation::new("root", Claim::Prompt("Use a helper the old way.".to_owned()), parent))
        .with(Conversation::new("child", Claim::Anyone, child));
    let (model, lab) = recorder.stage(UNKNOWN, script).await?;
    let run = lab.exec("Use a helper the old way.").await?;
    ensure!(run.status.success(), "codex failed: {:?} {}", run.events, run.stderr);
    save_family(recorder, &lab, name, run.thread_id().context("no thread")?, &model.finish()?)
}

/// The id in the output of `spawn_agent`.
fn spawned_agent(request: &ModelRequest) -> Option<String> {
    let outputs = request.input().iter().filter_map(|item| item.get("output")?.as_str());
    let mut answers = outputs.filter_map(|output| serde_json::from_str::<Value>(output).ok());
    answers.find_map(|answer| Some(answer.get("agent_id")?.as_str()?.to_owned()))
}

/// Writes the logs of the parent and of the one other thread that asked.
fn save_family(
    recorder: &Recorder,
    lab: &Lab,
    name: &str,
    parent: &str,
    requests: &[ModelRequest],
) -> Result<()> {
    let mut threads = requests.iter().map(ModelRequest::thread_id);
    let child = threads.find(|thread| *thread != parent).context("no child asked")?;
    recorder.save(lab, parent, &format!("{name}_parent"))?;
    recorder.save(lab, child, &format!("{name}_child"))
}
