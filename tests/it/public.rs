//! Logs of other builds, gathered from public projects. They are read where they are and are no part of this project.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use larkspan_core::presentation::Locale;
use larkspan_logtail::RecordReader;
use larkspan_tests::skip::skip;
use serde_json::Value;

use crate::fixtures::miscounted;
use crate::support::program::root;
use crate::support::reading::{Live, history, history_by, history_markdown};
use crate::support::{golden, shown};

/// Names the folder; else it is looked for beside the workspace.
const FOLDER: &str = "LARKSPAN_PUBLIC_FIXTURES";

/// The logs in it whose names begin so, or a word about the test that does not run.
fn logs(test: &str, prefix: &str) -> Vec<PathBuf> {
    let named = std::env::var_os(FOLDER).filter(|named| !named.is_empty()).map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/fixtures/public"));
    let Ok(entries) = std::fs::read_dir(&folder) else {
        skip(test, &format!("no public logs (set {FOLDER})"));
        return Vec::new();
    };
    let named_so = |path: &PathBuf| {
        path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.starts_with(prefix) && name.ends_with(".jsonl")
        })
    };
    let mut logs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(named_so).collect();
    logs.sort();
    assert!(!logs.is_empty(), "no {prefix}*.jsonl in {}", folder.display());
    logs
}

/// Whether all ids of the log were made the same when it was published: nothing in it tells what belongs together.
fn has_trimmed_ids(test: &str, path: &std::path::Path, bytes: &[u8]) -> bool {
    let is_trimmed = |at: &[u8]| at.starts_with(br#""turn_id":"[trimmed"#);
    let is_so = bytes.windows(20).any(is_trimmed);
    if is_so {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        skip(test, &format!("{name}: its ids are trimmed"));
    }
    is_so
}

#[test]
fn no_call_of_a_public_log_is_lost_or_doubled() {
    let mut wrong = Vec::new();
    let test = "no_call_of_a_public_log_is_lost_or_doubled";
    for path in logs(test, "codex__") {
        let bytes = std::fs::read(&path).unwrap();
        if has_trimmed_ids(test, &path, &bytes) {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        wrong.extend(miscounted(&bytes).into_iter().map(|what| format!("{name}: {what}")));
    }
    golden::assert_none(&wrong);
}

#[test]
fn public_logs_read_the_same_live_and_as_history() {
    let test = "public_logs_read_the_same_live_and_as_history";
    for path in logs(test, "codex_") {
        let bytes = std::fs::read(&path).unwrap();
        if has_trimmed_ids(test, &path, &bytes) {
            continue;
        }
        let mut live = Live::new();
        bytes.chunks(777).for_each(|chunk| live.push(chunk));
        live.finish();
        let whole = history(&path);
        assert_eq!(shown::everything(&live.state), shown::everything(&whole), "{}", path.display());
        for call in whole.calls() {
            assert_eq!(shown::all_words(&call).len(), 6);
        }
        assert!(!history_markdown(&path, Locale::En).is_empty(), "{}", path.display());
    }
}

/// What is wrong with the calls of another agent's log: `asked` finds the ids of the calls in a row.
fn lost_or_doubled<R: RecordReader>(
    test: &str,
    prefix: &str,
    is_counted: bool,
    asked: impl Fn(&Value) -> Vec<String>,
) {
    let mut wrong = Vec::new();
    for path in logs(test, prefix) {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut live = Live::by(R::new(&path));
        bytes.chunks(777).for_each(|chunk| live.push(chunk));
        live.finish();
        let whole = history_by::<R>(&path);
        if shown::everything(&live.state) != shown::everything(&whole) {
            wrong.push(format!("{name}: live and history differ"));
        }
        let log = String::from_utf8_lossy(&bytes);
        let rows = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut ids = BTreeMap::<String, usize>::new();
        rows.flat_map(|row| asked(&row)).for_each(|id| *ids.entry(id).or_default() += 1);
        let calls = whole.calls();
        let shown_ids: Vec<&str> = calls.iter().map(|call| call.key.id.as_str()).collect();
        for (id, asked) in &ids {
            // A reader may count ids by turn and step; the log's own id is the last part.
            let count =
                shown_ids.iter().filter(|shown| **shown == id || shown.ends_with(&format!("/{id}"))).count();
            if count == 0 {
                wrong.push(format!("{name}: {id} is lost"));
            }
            // Where a log copies what went before, a call stands in it more often than it was made.
            if count > *asked && is_counted {
                wrong.push(format!("{name}: {id} is shown {count} times, in the log {asked} times"));
            }
        }
    }
    golden::assert_none(&wrong);
}

#[test]
fn no_call_of_a_public_claude_log_is_lost() {
    let test = "no_call_of_a_public_claude_log_is_lost";
    lost_or_doubled::<larkspan_claude_adapter::log::LogReader>(test, "claude__", true, |row| {
        let is_side = row["isSidechain"] == true && row["agentId"].is_null();
        let blocks = row.pointer("/message/content").and_then(Value::as_array);
        let calls = blocks.into_iter().flatten().filter(|block| block["type"] == "tool_use" && !is_side);
        calls.filter_map(|call| call["id"].as_str().map(str::to_owned)).collect()
    });
}

#[test]
fn no_call_of_a_public_kimi_log_is_lost() {
    let test = "no_call_of_a_public_kimi_log_is_lost";
    lost_or_doubled::<larkspan_kimi_adapter::log::LogReader>(test, "kimi__", false, |row| {
        let newer = row
            .pointer("/event/toolCallId")
            .filter(|_| row.pointer("/event/type") == Some(&"tool.call".into()));
        let older = row
            .pointer("/message/payload/id")
            .filter(|_| row.pointer("/message/type") == Some(&"ToolCall".into()));
        newer.or(older).and_then(Value::as_str).map(str::to_owned).into_iter().collect()
    });
}
