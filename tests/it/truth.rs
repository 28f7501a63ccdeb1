//! Nothing is shown as run that did not run, and nothing of the transport is shown at all.

#![cfg(test)]

use larkspan_core::presentation::{Locale, title};
use larkspan_core::tool_call::{ToolCallInfo, ToolCallStatus, ToolKind};
use larkspan_core::turn::{Change, ItemContent};

use crate::fixtures::{Place, owners};
use crate::support::facts::Facts;
use crate::support::reading::{Live, history, history_markdown};
use crate::support::{captures, golden, short_name, shown};

fn is_recorded_kind(call: &ToolCallInfo) -> bool {
    let is = |kind: ToolKind| {
        matches!(kind, ToolKind::Command | ToolKind::Patch | ToolKind::Mcp | ToolKind::Image)
    };
    is(call.kind()) || is(call.name.kind())
}

/// In a log that records what ran, only what is recorded is shown as run; of the rest nothing is known, or it is the one
/// call that failed, was refused or was interrupted.
#[test]
fn what_is_not_recorded_is_not_shown_as_run() {
    let mut wrong = Vec::new();
    let mut unrecorded = 0;
    for path in captures() {
        let bytes = std::fs::read(&path).unwrap();
        let (facts, live) = (Facts::of(&bytes), Live::of(&bytes));
        if !facts.is_paginated {
            continue;
        }
        let owners = owners(&live, &facts).unwrap();
        let has_record = |call: &ToolCallInfo, child: Option<usize>| {
            let place = child.map_or(Place::Itself, |at| Place::Child(at + 1, call.children.len()));
            owners.iter().any(|(owner, at)| owner.key == call.key && *at == place)
        };
        for call in live.state.calls() {
            let rows = call.children.iter().enumerate().map(|(at, child)| (child, Some(at)));
            for (row, child) in rows.chain([(&*call, None)]) {
                if !is_recorded_kind(row) || has_record(&call, child) {
                    continue;
                }
                unrecorded += 1;
                if row.status == ToolCallStatus::Completed {
                    wrong.push(format!("{}: {}", short_name(&path), title(row, Locale::ZhCn)));
                }
            }
        }
    }
    golden::assert_none(&wrong);
    assert!(unrecorded > 20, "only {unrecorded} calls without a record");
}

/// A patch is shown as applied only where the log says that it was.
#[test]
fn no_patch_is_applied_without_evidence() {
    let mut applied = 0;
    for path in captures() {
        let bytes = std::fs::read(&path).unwrap();
        let (facts, live) = (Facts::of(&bytes), Live::of(&bytes));
        for call in live.state.calls() {
            for row in call.children.iter().chain([&*call]) {
                if row.kind() != ToolKind::Patch || row.status != ToolCallStatus::Completed {
                    continue;
                }
                let larkspan_core::tool_call::ToolCallDetail::Patch(patch) = &row.detail else { continue };
                let files: Vec<&str> = patch.files.iter().map(|file| file.path.as_str()).collect();
                let is_there = facts.executed.iter().any(|executed| {
                    let ran: Vec<&str> = executed.what.split(' ').collect();
                    executed.kind == "patch"
                        && executed.status.as_deref() == Some("completed")
                        && ran.len() == files.len()
                        && files.iter().all(|file| ran.iter().any(|path| file.ends_with(path)))
                });
                // `codex exec --json` names only what was changed.
                let is_event = short_name(&path).starts_with("exec-json/");
                assert!(is_there || is_event, "{}: {files:?}", short_name(&path));
                applied += 1;
            }
        }
    }
    assert!(applied > 25, "only {applied} patches");
}

/// Words of the transport, as they stand at the start of a line.
const ENVELOPE: [&str; 14] = [
    "Script completed",
    "Script failed",
    "Script terminated",
    "Script running",
    "Script error:",
    "Wall time",
    "Chunk ID",
    "Process exited",
    "Process running",
    "Exit code:",
    "Original token count",
    "Total output lines",
    "Warning: truncated output",
    "Output:",
];

/// The lines of a text that are of the transport.
fn envelope_lines(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| {
            ENVELOPE.iter().any(|word| line.trim_start_matches(['>', ' ', '❌']).starts_with(word))
        })
        .collect()
}

#[test]
fn no_surface_shows_the_transport() {
    let mut wrong = Vec::new();
    for path in captures() {
        for call in history(&path).calls() {
            for words in shown::all_words(&call) {
                wrong.extend(
                    envelope_lines(&words).into_iter().map(|line| format!("{}: {line}", short_name(&path))),
                );
                for marker in ["tokens truncated…", "truncated for persistence", "aborted by user"] {
                    if words.contains(marker) {
                        wrong.push(format!("{}: {}: {marker}", short_name(&path), call.key));
                    }
                }
            }
        }
        for locale in [Locale::ZhCn, Locale::En] {
            let page = history_markdown(&path, locale);
            wrong.extend(
                envelope_lines(&page).into_iter().map(|line| format!("{}: page: {line}", short_name(&path))),
            );
        }
    }
    golden::assert_none(&wrong);
}

#[test]
fn the_transport_would_be_found() {
    for text in ["Wall time 0.1 seconds", "a\n> Output:\n", "❌ Script error: x"] {
        assert_eq!(envelope_lines(text).len(), 1, "{text}");
    }
    assert!(envelope_lines("echo Wall time").is_empty());
}

/// An icon and a fact, never a claim; and each language has its own words.
#[test]
fn titles_claim_nothing() {
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for path in captures() {
        for call in history(&path).calls() {
            for row in call.children.iter().chain([&*call]) {
                let titles = [title(row, Locale::ZhCn).to_string(), title(row, Locale::En).to_string()];
                for claim in ["完成", "成功", "Success", "Completed", "completed", "succeeded", "Done"] {
                    assert!(
                        titles.iter().all(|title| !title.contains(claim)),
                        "{}: {titles:?}",
                        short_name(&path)
                    );
                }
                assert!(
                    is_chinese(&titles[0]) && !is_chinese(&titles[1]),
                    "{}: {titles:?}",
                    short_name(&path)
                );
                assert!(titles.iter().all(|title| !title.contains('\n')), "{titles:?}");
            }
        }
    }
}

/// Before its answer or its record has come, a call is running: nothing runs ahead of the log.
#[test]
fn nothing_is_told_before_the_log_tells_it() {
    for path in captures() {
        let bytes = std::fs::read(&path).unwrap();
        let (facts, live) = (Facts::of(&bytes), Live::of(&bytes));
        for row in facts.calls.iter().filter(|row| !row.is_ended) {
            let at_row = live.told.iter().filter(|(position, _)| *position == row.end);
            let states: Vec<ToolCallStatus> = at_row
                .filter_map(|(_, change)| match change {
                    Change::Item { item, .. } => match &item.content {
                        ItemContent::ToolCall(call) => Some(call.status),
                        _ => None,
                    },
                    _ => None,
                })
                .collect();
            assert_eq!(states, [ToolCallStatus::Running], "{}, line {}", short_name(&path), row.line);
        }
    }
}
