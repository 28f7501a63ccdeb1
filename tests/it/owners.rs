//! Whose each executed call is: a table of all of them, looked at row by row, and the same told by position alone.
//!
//! A line of the table: the row in the log, what ran, `→` the call that it belongs to and its place there.

#![cfg(test)]

use std::fmt::Write as _;
use std::time::Duration;

use larkspan_core::presentation::{Locale, title};
use larkspan_core::tool_call::{ToolCallInfo, ToolCallStatus};
use pretty_assertions::assert_eq;

use crate::fixtures::{Place, owners};
use crate::support::facts::{Executed, Facts};
use crate::support::reading::Live;
use crate::support::{captures, golden, short_name, shown};

/// All captures with a session's rows.
fn logs() -> Vec<(String, Facts, Live)> {
    let sessions = captures().into_iter().filter(|path| short_name(path).starts_with("rollouts/"));
    sessions
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            (short_name(&path), Facts::of(&bytes), Live::of(&bytes))
        })
        .collect()
}

#[test]
fn every_executed_call_has_the_owner_of_the_table() {
    let mut table = String::new();
    for (name, facts, live) in logs() {
        let owners = owners(&live, &facts).unwrap_or_else(|error| panic!("{name}: {error}"));
        if !owners.is_empty() {
            let _ = writeln!(table, "{name}");
        }
        for (executed, (call, place)) in facts.executed.iter().zip(&owners) {
            let is_alone = call.key.id.as_str() == executed.id && executed.is_nested() || executed.is_users;
            let owner = if is_alone { "alone".to_owned() } else { call.key.to_string() };
            let place = match place {
                Place::Itself => String::new(),
                Place::Child(at, of) => format!(" {at}/{of}"),
            };
            let _ = writeln!(
                table,
                "  {} {} {} → {owner}{place}",
                executed.line,
                executed.kind,
                shown::short(&executed.what)
            );
        }
    }
    golden::assert_none(&golden::difference("owners.txt", &table).into_iter().collect::<Vec<_>>());
}

/// A second reading of the rules, by line numbers and by the text of the scripts, gives the same owners.
#[test]
fn position_alone_tells_the_same_owner() {
    let mut compared = 0;
    for (name, facts, live) in logs() {
        let owners = owners(&live, &facts).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (executed, (call, _)) in facts.executed.iter().zip(&owners) {
            let by_position = facts.owner(executed).map(|row| (row.turn.as_str(), row.id.as_str(), row.n));
            let key = &call.key;
            let shown = (key.turn.as_str(), key.id.as_str(), key.n);
            // Some events of older logs name no turn: they are of the one they stand in.
            let turn = if executed.turn.is_empty() { shown.0 } else { executed.turn.as_str() };
            let expected = by_position.unwrap_or((turn, executed.id.as_str(), 0));
            assert_eq!(shown, expected, "{name}, line {}: {}", executed.line, executed.what);
            compared += 1;
        }
    }
    assert!(compared > 230, "only {compared} executed calls");
}

/// The call that shows the executed one.
fn showing<'a>(owner: &'a ToolCallInfo, place: &Place) -> &'a ToolCallInfo {
    match place {
        Place::Itself => owner,
        Place::Child(at, _) => &owner.children[at - 1],
    }
}

fn expected_status(executed: &Executed) -> ToolCallStatus {
    match (executed.exit_code, executed.status.as_deref()) {
        (Some(code), _) if code < 0 => ToolCallStatus::Aborted,
        (Some(code), _) if code != 0 => ToolCallStatus::Failed,
        (_, Some("failed" | "declined")) => ToolCallStatus::Failed,
        _ => ToolCallStatus::Completed,
    }
}

#[test]
fn every_executed_call_is_shown_as_it_ran() {
    for (name, facts, live) in logs() {
        let owners = owners(&live, &facts).unwrap();
        for (executed, (owner, place)) in facts.executed.iter().zip(&owners) {
            let at = format!("{name}, line {}: {}", executed.line, executed.what);
            let call = showing(owner, place);
            assert_eq!(call.status, expected_status(executed), "{at}");
            if executed.kind == "command" {
                assert_eq!(call.outcome.exit_code, executed.exit_code.filter(|code| *code >= 0), "{at}");
                assert_eq!(call.outcome.duration, executed.duration, "{at}");
            } else if executed.kind == "mcp" {
                let duration = executed.duration.filter(|duration| *duration > Duration::ZERO);
                assert_eq!(call.outcome.duration.or(duration), call.outcome.duration, "{at}");
            }
            // Seen in the title of the very call, and of the one that it is in.
            let title_of = |call: &ToolCallInfo| title(call, Locale::ZhCn).to_string();
            if let Some(code) = executed.exit_code.filter(|code| *code > 0) {
                assert!(title_of(call).starts_with("⚠️"), "{at}: {}", title_of(call));
                assert!(title_of(call).contains(&format!("exit {code}")), "{at}: {}", title_of(call));
            }
            if call.status == ToolCallStatus::Failed && *place != Place::Itself {
                assert!(title_of(owner).contains("个失败"), "{at}: {}", title_of(owner));
            }
        }
    }
}
