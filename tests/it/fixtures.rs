//! Every capture is read: no call lost, none doubled, nothing unknown; and what each shows is in a golden file.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::Path;

use larkspan_core::presentation::Locale;
use larkspan_core::tool_call::ToolCallInfo;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::facts::Facts;
use crate::support::program::Home;
use crate::support::reading::{Live, history, history_json, json_lines};
use crate::support::{captures, golden, short_name, shown};

/// How often each id is there.
type Count = BTreeMap<String, usize>;

fn count(ids: impl IntoIterator<Item = String>) -> Count {
    let mut count = Count::new();
    for id in ids {
        *count.entry(id).or_default() += 1;
    }
    count
}

/// Where the record of an executed call went.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// It is the call.
    Itself,
    /// It is this child of the call, counted from 1, of so many.
    Child(usize, usize),
}

/// For each executed call: the call that took its record, and its place there in the end.
pub(crate) fn owners(live: &Live, facts: &Facts) -> Result<Vec<(ToolCallInfo, Place)>, String> {
    let mut owners = Vec::new();
    for executed in &facts.executed {
        let changed: Vec<_> = live
            .told
            .iter()
            .filter(|(position, _)| *position == executed.end)
            .filter_map(|(_, change)| {
                let larkspan_core::turn::Change::Item { item, .. } = change else { return None };
                Some(item.content.tool_call()?.key.clone())
            })
            .collect();
        let [key] = changed.as_slice() else {
            return Err(format!("line {}: {} changes {} calls", executed.line, executed.id, changed.len()));
        };
        let Some(call) = live.state.call(key) else { return Err(format!("{key} is not shown")) };
        let children = &call.children;
        let is_child = |child: &ToolCallInfo| child.key.id.as_str() == executed.id;
        let place = match children.iter().position(is_child) {
            Some(at) => Place::Child(at + 1, children.len()),
            None if children.is_empty() => Place::Itself,
            None => return Err(format!("line {}: {} is lost in {key}", executed.line, executed.id)),
        };
        owners.push(((*call).clone(), place));
    }
    Ok(owners)
}

/// What is wrong with the calls of a log: lost, doubled.
pub(crate) fn miscounted(bytes: &[u8]) -> Vec<String> {
    let facts = Facts::of(bytes);
    let live = Live::of(bytes);
    let mut wrong = Vec::new();
    let owners = match owners(&live, &facts) {
        Ok(owners) => owners,
        Err(error) => return vec![error],
    };
    // What was asked for, and what ran on its own.
    let asked = facts.calls.iter().map(|call| call.id.clone());
    let is_asked = |call: &ToolCallInfo| {
        let (id, turn) = (call.key.id.as_str(), call.key.turn.as_str());
        facts.calls.iter().any(|row| row.id == id && (row.turn == turn || row.turn.is_empty()))
    };
    let alone =
        owners.iter().filter(|(call, _)| !is_asked(call)).map(|(call, _)| call.key.id.as_str().to_owned());
    let expected = count(asked.chain(alone));
    let calls = live.state.calls();
    let actual = count(calls.iter().map(|call| call.key.id.as_str().to_owned()));
    if expected != actual {
        let differ = expected.keys().chain(actual.keys()).filter(|id| expected.get(*id) != actual.get(*id));
        wrong.extend(
            differ.map(|id| format!("{id}: {:?} in the log, {:?} shown", expected.get(id), actual.get(id))),
        );
    }
    // Each record of an execution stands in one place, and no child stands for two.
    let children = calls.iter().flat_map(|call| &call.children).map(|child| child.key.id.as_str().to_owned());
    let children = count(children.filter(|id| id.starts_with("exec-")));
    let placed = owners.iter().zip(&facts.executed).filter(|((_, place), _)| *place != Place::Itself);
    let placed = count(placed.map(|(_, executed)| executed.id.clone()));
    if children != placed {
        wrong.push(format!("children {children:?}\nexecuted {placed:?}"));
    }
    wrong
}

#[test]
fn no_call_is_lost_or_doubled() {
    let mut wrong = Vec::new();
    for path in captures().iter().filter(|path| short_name(path).starts_with("rollouts/")) {
        let bytes = std::fs::read(path).unwrap();
        wrong.extend(miscounted(&bytes).into_iter().map(|what| format!("{}: {what}", short_name(path))));
    }
    golden::assert_none(&wrong);
}

/// The dialect of `codex exec --json` has no calls but those that ran.
#[test]
fn each_item_of_exec_json_is_one_call() {
    for path in captures().iter().filter(|path| short_name(path).starts_with("exec-json/")) {
        let is_call = |kind: &str| {
            ["command_execution", "mcp_tool_call", "file_change", "web_search", "todo_list"].contains(&kind)
        };
        let rows = json_lines(&std::fs::read(path).unwrap());
        let items =
            rows.iter().map(|row| &row["item"]).filter(|item| item["type"].as_str().is_some_and(is_call));
        let mut ids: Vec<String> = items.filter_map(|item| item["id"].as_str()).map(str::to_owned).collect();
        ids.dedup();
        let shown: Vec<String> =
            history(path).calls().iter().map(|call| call.key.id.as_str().to_owned()).collect();
        assert_eq!(shown, ids, "{}", path.display());
    }
}

/// A capture whose miscount is made up is found: the check can fail.
#[test]
fn a_lost_call_would_be_found() {
    let path = crate::support::rollout("cm_parallel");
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(miscounted(&bytes), Vec::<String>::new());
    // A second record with an id that is taken shows as one call only: the plain reading counts two.
    let text = String::from_utf8(bytes).unwrap();
    let call = text.lines().find(|line| line.contains("\"custom_tool_call\"")).unwrap();
    let odd = call.replace("\"call_000_0\"", "\"\"");
    let doubled = text.replacen(call, &format!("{call}\n{odd}"), 1);
    assert_eq!(miscounted(doubled.as_bytes()).len(), 2, "{:?}", miscounted(doubled.as_bytes()));
}

#[test]
fn what_each_capture_shows() {
    let mut wrong = Vec::new();
    for path in captures() {
        let state = history(&path);
        if !state.unknown.is_empty() {
            wrong.push(format!("{}: unknown {:?}", short_name(&path), state.unknown));
        }
        let name = format!("{}.txt", short_name(&path));
        wrong.extend(golden::difference(&name, &shown::everything(&state)));
    }
    golden::assert_none(&wrong);
}

/// What the built program prints is what the crates give.
#[test]
fn the_program_prints_the_same() {
    let home = Home::new();
    for path in captures() {
        let ran = home.run(["history".as_ref(), path.as_os_str(), "--format".as_ref(), "json".as_ref()]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", path.display());
        assert_eq!(json_lines(&ran.stdout), history_json(&path, Locale::ZhCn), "{}", path.display());
    }
}

/// A log that Codex has compressed reads as before.
#[test]
fn a_compressed_log_reads_the_same() {
    let home = Home::new();
    for name in ["cm_long", "r_cm_cells_overlap", "r_terminal"] {
        let plain = crate::support::rollout(name);
        let bytes = std::fs::read(&plain).unwrap();
        // Two frames: Codex compresses again what it has decompressed and gone on with.
        let (head, tail) = bytes.split_at(bytes.len() / 3);
        let mut packed = zstd::encode_all(head, 3).unwrap();
        packed.extend(zstd::encode_all(tail, 3).unwrap());
        let path = home.file(&format!("{name}.jsonl.zst"), packed);
        let read = |path: &Path| -> Vec<Value> { history_json(path, Locale::En) };
        assert_eq!(read(&path), read(&plain), "{name}");
    }
}
