//! The scripts of the recorded sessions, held against what Codex says it ran for them.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::exec::{PrintValue, ReadOutcome, ScriptReading, StaticCall, read};

/// One script of a log: its input, the items recorded while it ran, and its output blocks, the header first.
#[derive(Default)]
struct Run {
    input: String,
    items: Vec<Value>,
    /// What the rest of the log records: a terminal's item comes when its process ends.
    later: Vec<Value>,
    blocks: Vec<String>,
}

/// The scripts of one log that completed without yielding, and the inputs of all.
fn runs(log: &str) -> (Vec<Run>, Vec<String>) {
    let mut inputs = Vec::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut open: Option<(String, Run)> = None;
    for line in log.lines() {
        let Ok(record) = serde_json::from_str::<Value>(line) else { continue };
        let payload = &record["payload"];
        let text = |key: &str| payload[key].as_str().unwrap_or_default().to_owned();
        match payload["type"].as_str() {
            Some("custom_tool_call") if payload["name"] == "exec" => {
                inputs.push(text("input"));
                open = Some((text("call_id"), Run { input: text("input"), ..Run::default() }));
            }
            Some("item_completed") => {
                let nested = payload["item"]["id"].as_str().is_some_and(|id| id.starts_with("exec-"));
                if nested {
                    for run in &mut runs {
                        run.later.push(payload["item"].clone());
                    }
                    if let Some((_, run)) = &mut open {
                        run.items.push(payload["item"].clone());
                    }
                }
            }
            Some("custom_tool_call_output") => {
                let Some((id, mut run)) = open.take() else { continue };
                let output = &payload["output"];
                run.blocks = match output.as_array() {
                    Some(blocks) => blocks
                        .iter()
                        .map(|block| block["text"].as_str().unwrap_or_default().to_owned())
                        .collect(),
                    None => vec![output.as_str().unwrap_or_default().to_owned()],
                };
                if payload["call_id"] == id.as_str() && run.blocks[0].starts_with("Script completed") {
                    runs.push(run);
                }
            }
            _ => {}
        }
    }
    (runs, inputs)
}

fn command(call: &StaticCall) -> Option<String> {
    let cmd = call.argument.value()?.get("cmd")?;
    (call.tool == "exec_command").then(|| cmd.as_str().map(str::to_owned))?
}

fn ran(item: &Value) -> Option<&str> {
    item["command"].as_array()?.last()?.as_str()
}

fn check(file: &str, run: &Run, reading: &ScriptReading, others: &[String]) -> usize {
    let place = || format!("{file}: {}\n{reading:#?}", run.input);
    let mut commands: Vec<&str> = run.items.iter().chain(&run.later).filter_map(ran).collect();
    let patched = run.items.iter().any(|item| item["type"] == "FileChange");
    let mut proven = 0;
    for call in reading.calls.iter().filter(|call| !call.maybe && !call.repeat && !call.unawaited) {
        // Codex takes a patch in a here-document for a patch.
        if let Some(command) =
            command(call).filter(|command| !(patched && command.contains("apply_patch <<")))
        {
            let index = commands.iter().position(|ran| *ran == command);
            let index = index.unwrap_or_else(|| panic!("{command:?} did not run in {}", place()));
            commands.swap_remove(index);
            proven += 1;
        }
        if call.certain && call.tool == "apply_patch" {
            assert!(patched, "{}", place());
        }
    }
    // An item may also end what another script left running.
    for item in run.items.iter().filter_map(ran).filter(|item| !others.iter().any(|command| command == item))
    {
        let explained = reading.calls.iter().any(|call| {
            call.tool == "exec_command"
                && (call.repeat || command(call).is_none_or(|command| command == item))
        });
        assert!(explained, "{item:?} has no row in {}", place());
    }
    for (print, block) in reading.prints.iter().zip(run.blocks.iter().skip(1)) {
        let (call, output) = match print.value {
            PrintValue::Output { call } => (call, block.clone()),
            PrintValue::CallResult { call } => {
                let result: Value = serde_json::from_str(block).unwrap_or_default();
                (call, result["output"].as_str().unwrap_or_default().to_owned())
            }
            PrintValue::Other => continue,
        };
        let Some(command) = command(&reading.calls[call]).filter(|_| print.certain) else { continue };
        let mut twins = run.items.iter().filter(|item| ran(item) == Some(&command));
        let (Some(item), None) = (twins.next(), twins.next()) else { continue };
        // A long output is cut in one of the two places.
        if !output.starts_with("Warning: truncated") && item["exit_code"].is_number() {
            assert_eq!(output, item["aggregated_output"].as_str().unwrap_or_default(), "{}", place());
            proven += 1;
        }
    }
    proven
}

#[test]
fn what_is_shown_as_certain_did_run_in_every_recorded_session() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/codex/rollouts");
    let (mut scripts, mut proven) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let log = fs::read_to_string(&path).unwrap();
        // Other logs do not record what a script runs; a fork repeats calls without their items.
        if !log.contains("\"item_completed\"") || log.contains("forked_from_id") {
            continue;
        }
        let (runs, inputs) = runs(&log);
        let others: Vec<String> =
            inputs.iter().flat_map(|input| read(input).calls).filter_map(|call| command(&call)).collect();
        for run in runs {
            let reading = read(&run.input);
            assert_eq!(reading.outcome, ReadOutcome::Parsed, "{}", run.input);
            proven += check(&path.display().to_string(), &run, &reading, &others);
            scripts += 1;
        }
    }
    assert!(scripts >= 60 && proven >= 70, "{scripts} scripts, {proven} facts: are the recordings there?");
}
