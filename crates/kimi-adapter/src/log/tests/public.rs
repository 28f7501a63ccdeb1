//! Logs of other builds, gathered from public projects. They are read where they are and are no part of this project.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use larkspan_core::transcript::RecordBody;
use serde_json::Value;

use super::{records, steps};
use crate::log::{LogReader, looks_like_kimi};

/// Names the folder; else it is looked for beside the workspace.
const FOLDER: &str = "LARKSPAN_PUBLIC_FIXTURES";

/// Names the file that takes a line for every skipped test: a runner hides what a passed test prints.
const SKIPPED: &str = "LARKSPAN_SKIPPED_LOG";

/// Says that the test does not run.
fn skip(test: &str, reason: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
    if let Some(log) = std::env::var_os(SKIPPED).filter(|log| !log.is_empty()) {
        let mut log = OpenOptions::new().create(true).append(true).open(log).unwrap();
        log.write_all(format!("{test}: {reason}\n").as_bytes()).unwrap();
    }
}

fn logs(test: &str) -> Vec<(String, String)> {
    let named = std::env::var_os(FOLDER).filter(|named| !named.is_empty()).map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/public");
    let Ok(entries) = std::fs::read_dir(named.unwrap_or(beside)) else {
        skip(test, &format!("no public logs (set {FOLDER})"));
        return Vec::new();
    };
    let mut logs: Vec<(String, String)> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .filter(|(name, _)| name.starts_with("kimi__"))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect();
    logs.sort();
    assert!(!logs.is_empty(), "no kimi__*");
    logs
}

/// The calls and answers that the log holds, counted without the reader.
fn counted(log: &str) -> (usize, usize) {
    let rows = || log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let is = |row: &Value, at: &str, name: &str| row.pointer(at).and_then(Value::as_str) == Some(name);
    let calls = rows()
        .map(|row| {
            let listed = row.pointer("/message/toolCalls").and_then(Value::as_array).map_or(0, Vec::len);
            listed
                + usize::from(is(&row, "/event/type", "tool.call") || is(&row, "/message/type", "ToolCall"))
        })
        .sum();
    let answers = rows()
        .filter(|row| {
            is(row, "/event/type", "tool.result")
                || is(row, "/message/type", "ToolResult")
                || is(row, "/message/role", "tool")
        })
        .count();
    (calls, answers)
}

#[test]
fn no_call_of_a_public_log_is_lost_or_doubled() {
    for (name, log) in logs("no_call_of_a_public_log_is_lost_or_doubled") {
        assert!(log.lines().take(2).any(|line| looks_like_kimi(line.as_bytes())), "{name}");
        let steps = steps(&records(&log));
        let count = |kind: &str| steps.iter().filter(|step| step.starts_with(kind)).count();
        assert_eq!((count("called"), count("answered")), counted(&log), "{name}");
        let called: BTreeSet<&String> = steps.iter().filter(|step| step.starts_with("called")).collect();
        assert_eq!(called.len(), count("called"), "{name}: ids are not unique");
    }
}

#[test]
fn every_row_of_a_public_log_is_known() {
    for (name, log) in logs("every_row_of_a_public_log_is_known") {
        let mut unknown = records(&log);
        unknown.retain(|record| matches!(record.body, RecordBody::Unknown(_)));
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
}

#[test]
fn public_logs_read_the_same_from_any_line_on() {
    for (name, log) in logs("public_logs_read_the_same_from_any_line_on") {
        let mut reader = LogReader::new("s-1");
        let mut out = Vec::new();
        let mut end = 0;
        for line in log.split_inclusive('\n') {
            let memory = serde_json::to_string(reader.memory()).expect("JSON");
            reader = LogReader::resume(serde_json::from_str(&memory).expect("a memory"));
            end += line.len() as u64;
            reader.line(line.trim_end_matches('\n').as_bytes(), end, &mut out);
        }
        reader.finish(end, &mut out);
        assert_eq!(out, records(&log), "{name}");
    }
}
