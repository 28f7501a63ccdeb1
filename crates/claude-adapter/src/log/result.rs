//! Results of calls: what the model was told, and what the harness recorded beside it.

use std::fmt::Write as _;

use larkspan_core::patch::{Change, RecordedChange};
use larkspan_core::tool_call::{
    AgentDetail, FileSearchDetail, Outcome, Output, PatchDetail, ToolCallAnswer, ToolCallDetail,
    ToolCallStatus, ToolCallStep, ToolKind, ToolSearchDetail,
};
use larkspan_core::transcript::NoticeKind;

use super::commands::execution;
use super::open::{Asked, InBackground};
use super::text::{content, paragraph};
use super::{LogReader, Sink};
use crate::wire::{self, Block, Hunk, Raw, Result, Row, Task};

mod failure;
mod output;

use failure::{Failure, failure};

impl LogReader {
    /// A call's result. `recorded`: what the harness recorded of it.
    pub(super) fn result(
        &mut self,
        row: &Row<'_>,
        block: &Block<'_>,
        recorded: Raw<'_>,
        sink: &mut Sink<'_>,
    ) {
        let id = wire::owned(block.tool_use_id).or_else(|| wire::owned(row.source_tool));
        let Some(id) = id else {
            self.announce(sink);
            let text = paragraph(&content(block.content.or(block.text)).text());
            return sink.notice(NoticeKind::Info, format!("tool_result: {text}"));
        };
        let asked = self.memory.calls.take(&id);
        if asked.is_none() && self.memory.turn.is_none() {
            // The log begins in the midst of a turn.
            self.begin_turn(row, sink);
        }
        self.announce(sink);
        let kind = asked.as_ref().map(|asked| asked.kind);
        let told = read(kind, block, recorded, wire::text(row.denial).is_some());
        if let Some((task, subject)) = told.task {
            self.memory.tasks.insert(task, subject);
        }
        // Only of a call of the open turn: what is recorded of another would stand for a call of its own.
        let is_here =
            self.memory.turn.is_some() && asked.as_ref().is_some_and(|asked| asked.turn == self.turn_id());
        if let (Some((name, mut detail)), true) = (told.found, is_here) {
            self.shorten_paths(&mut detail);
            let status = told.answer.status.unwrap_or(ToolCallStatus::Completed);
            sink.executed(&id, execution(name, detail, status, Outcome::default()));
        }
        if let (Some(task), Some(call)) = (&told.answer.outcome.running_session, asked) {
            let call = Asked { id: id.clone(), ..call };
            self.memory.background.insert(InBackground { task: task.clone(), call });
        }
        sink.call(&id, ToolCallStep::Answered(told.answer));
    }
}

/// A result as read.
#[derive(Debug, Default)]
struct Told {
    answer: ToolCallAnswer,
    /// What only the result tells of what was asked for, and the tool's name.
    found: Option<(&'static str, ToolCallDetail)>,
    /// The entry of the task list that was made.
    task: Option<(String, String)>,
}

fn read(kind: Option<ToolKind>, block: &Block<'_>, recorded: Raw<'_>, is_denied: bool) -> Told {
    let told = content(block.content.or(block.text));
    let result: Result<'_> = wire::object(recorded);
    let failure = failure(kind, &told.text(), block.is_error, recorded, is_denied);
    if let Some(Failure { status, outcome }) = failure {
        let outcome = Outcome { media: told.media, ..outcome };
        let answer = ToolCallAnswer { status: Some(status), outcome, ..ToolCallAnswer::default() };
        return Told { answer, ..Told::default() };
    }
    let background = output::background(kind, &told.text(), &result);
    let is_interrupted = wire::is_true(result.interrupted);
    let status = match (&background, is_interrupted) {
        (Some(_), _) => ToolCallStatus::Running,
        (None, true) => ToolCallStatus::Aborted,
        // An absent `is_error` is none.
        (None, false) => ToolCallStatus::Completed,
    };
    let duration = wire::unsigned(result.duration_ms).or_else(|| wire::unsigned(result.elapsed_ms));
    let output = if background.is_some() { None } else { output::output(kind, &told, &result, recorded) };
    let outcome = Outcome {
        duration: duration.map(std::time::Duration::from_millis),
        running_session: background,
        output: output.filter(|output: &Output| !output.is_empty()),
        media: told.media,
        ..Outcome::default()
    };
    let task: Task<'_> = wire::object(result.task);
    Told {
        answer: ToolCallAnswer { status: Some(status), outcome, ..ToolCallAnswer::default() },
        found: kind
            .filter(|_| status == ToolCallStatus::Completed)
            .and_then(|k| found(k, &result, &told.tools)),
        task: wire::scalar(task.id).zip(wire::owned(task.subject)),
    }
}

/// What the result tells of what was asked for.
fn found(kind: ToolKind, result: &Result<'_>, tools: &[String]) -> Option<(&'static str, ToolCallDetail)> {
    match kind {
        ToolKind::FileSearch => {
            let count = match wire::text(result.mode).as_deref() {
                Some("content") => result.lines,
                Some("count") => result.matches,
                _ => result.total_matches.or(result.files),
            };
            let detail = FileSearchDetail { match_count: Some(wire::unsigned(count)?), ..Default::default() };
            Some(("Grep", ToolCallDetail::FileSearch(detail)))
        }
        ToolKind::FileChange => {
            let unified_diff = hunks(result);
            let path = wire::owned(result.path).filter(|_| !unified_diff.is_empty())?;
            let change = Change::Update { unified_diff, move_path: None };
            let change = RecordedChange { path, change };
            let (files, changes) = (vec![change.file()], vec![change]);
            Some(("Edit", ToolCallDetail::Patch(PatchDetail { files, changes, ..Default::default() })))
        }
        ToolKind::Agent => {
            let detail = AgentDetail { session: Some(wire::owned(result.agent_id)?), ..Default::default() };
            Some(("Agent", ToolCallDetail::Agent(detail)))
        }
        ToolKind::ToolSearch => {
            let detail = ToolSearchDetail {
                found: Some(tools.len() as u64),
                tools: tools.to_vec(),
                ..ToolSearchDetail::default()
            };
            Some(("ToolSearch", ToolCallDetail::ToolSearch(detail)))
        }
        ToolKind::Command
        | ToolKind::TerminalInput
        | ToolKind::Patch
        | ToolKind::FileRead
        | ToolKind::WebFetch
        | ToolKind::WebSearch
        | ToolKind::Plan
        | ToolKind::Mcp
        | ToolKind::Image
        | ToolKind::Script
        | ToolKind::Orchestration
        | ToolKind::Generic => None,
    }
}

/// The recorded pieces of a change as a unified diff without file headers.
fn hunks(result: &Result<'_>) -> String {
    let mut diff = String::new();
    for hunk in wire::array(result.hunks) {
        let hunk: Hunk<'_> = wire::object(Some(hunk));
        let lines: Vec<_> = wire::array(hunk.lines).into_iter().filter_map(|l| wire::text(Some(l))).collect();
        let number = |raw| wire::unsigned(raw).unwrap_or_default();
        if lines.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            diff,
            "@@ -{},{} +{},{} @@",
            number(hunk.old_start),
            number(hunk.old_lines),
            number(hunk.new_start),
            number(hunk.new_lines)
        );
        for line in lines {
            diff.push_str(&line);
            diff.push('\n');
        }
    }
    diff
}

#[cfg(test)]
mod tests;
