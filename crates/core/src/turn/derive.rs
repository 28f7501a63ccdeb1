//! What is shown of a call: derived from all its evidence, anew whenever some is added.
//!
//! Truth before beauty: a call that a script's text makes counts as run only where its execution is recorded, or where
//! the log records none of its kind and the script could not have completed otherwise.

use std::sync::Arc;

use super::call::{Call, Nested, ScriptState, failed_because, is_recorded};
use crate::ids::CallId;
use crate::tool_call::{
    CallKey, Mark, Marks, OrchestrationDetail, Outcome, Output, PrintedPart, Script, ScriptCall,
    ScriptDetail, ScriptReading, ToolCallDetail, ToolCallExecution, ToolCallInfo, ToolCallRequest,
    ToolCallStatus, ToolKind, ToolName,
};
use crate::transcript::{SessionInfo, TurnOutcome};

/// All that is known of the call. The revision is 0: the caller counts.
pub(super) fn derive(call: &Call, session: Option<&SessionInfo>) -> ToolCallInfo {
    let records_nested = session.is_some_and(|s| s.records_nested);
    let mut info = match (call.unwrapped(), call.script(), &call.request) {
        (Some(script), _, Some(request)) => wrapper(call, request, script, records_nested),
        (None, Some(script), Some(request)) => raw_script(call, request, script),
        _ => direct(call),
    };
    for text in &call.late_text {
        append(&mut info.outcome.output, text);
    }
    if info.outcome.output.as_ref().is_some_and(Output::is_empty) {
        info.outcome.output = None;
    }
    info
}

fn blank(call: &Call, name: ToolName, detail: ToolCallDetail) -> ToolCallInfo {
    ToolCallInfo {
        key: call.key.clone(),
        rev: 0,
        name,
        raw_input: call.request.as_ref().map_or_else(|| "".into(), |r| r.raw_input.clone()),
        status: ToolCallStatus::Running,
        started_at: call.started_at,
        ended_at: call.ended_at,
        detail,
        outcome: Outcome::default(),
        unresolved: None,
        marks: Marks::default(),
        children: Vec::new(),
    }
}

/// A call without a script.
fn direct(call: &Call) -> ToolCallInfo {
    let executed = call.execution.as_ref().map(|e| &e.record);
    let mut info = match (&call.request, executed) {
        (Some(request), _) => blank(call, request.name.clone(), request.detail.clone()),
        (None, Some(executed)) => blank(call, executed.name.clone(), executed.detail.clone()),
        (None, None) => {
            let name = ToolName::bare(call.key.id.as_str());
            blank(call, name, ToolCallDetail::default())
        }
    };
    if let Some(executed) = executed {
        info.detail.fill_from(&executed.detail);
        info.started_at = info.started_at.or(executed.started_at);
        info.outcome = executed.outcome.clone();
    }
    if let Some(answer) = &call.answer {
        info.outcome.fill_from(&answer.outcome);
    }
    info.status = direct_status(call, info.kind());
    if executed.is_some_and(|e| e.status == ToolCallStatus::Aborted) {
        // A killed process has no exit code of its own.
        info.outcome.exit_code = None;
    }
    if info.status == ToolCallStatus::Completed {
        info.outcome.failure = None;
    }
    info
}

fn direct_status(call: &Call, kind: ToolKind) -> ToolCallStatus {
    let executed = call.execution.as_ref().map(|e| e.record.status).filter(|s| *s != ToolCallStatus::Running);
    let ended = call.request.as_ref().and_then(|r| r.ended);
    if let Some(status) = executed.or(ended) {
        return status;
    }
    match (&call.answer, call.cut_short) {
        (Some(answer), _) => match answer.status {
            // In the background: the call itself has returned.
            Some(ToolCallStatus::Running) => ToolCallStatus::Completed,
            Some(status) => status,
            // An answer that names no exit code is no success of a command.
            None if kind == ToolKind::Command || kind == ToolKind::Patch => ToolCallStatus::Unknown,
            None => ToolCallStatus::Completed,
        },
        (None, None) => ToolCallStatus::Running,
        (None, Some(TurnOutcome::Aborted | TurnOutcome::Failed)) => ToolCallStatus::Aborted,
        (None, Some(TurnOutcome::Completed | TurnOutcome::Superseded | TurnOutcome::Open)) => {
            ToolCallStatus::Unknown
        }
    }
}

/// A script whose calls cannot be shown, or that has none.
fn raw_script(call: &Call, request: &ToolCallRequest, script: &Script) -> ToolCallInfo {
    let unread = match &script.reading {
        ScriptReading::Read | ScriptReading::NotAScript(_) => None,
        ScriptReading::Bounded(bound) => Some(bound.clone()),
    };
    let detail = ToolCallDetail::Script(ScriptDetail { source: script.source.clone(), unread });
    let mut info = blank(call, request.name.clone(), detail);
    script_outcome(&mut info, call);
    // An execution recorded under the script's own id tells that it ran, where nothing else does.
    if call.answer.is_none()
        && let Some(executed) = &call.execution
        && executed.record.status != ToolCallStatus::Running
    {
        info.status = executed.record.status;
        info.outcome.fill_from(&executed.record.outcome);
    }
    info
}

fn script_outcome(info: &mut ToolCallInfo, call: &Call) {
    let (status, failure) = match call.script_state() {
        ScriptState::Running => (ToolCallStatus::Running, None),
        ScriptState::Completed => (ToolCallStatus::Completed, None),
        ScriptState::Failed(reason) => (ToolCallStatus::Failed, reason),
        ScriptState::Refused => {
            (ToolCallStatus::Failed, call.answer.as_ref().and_then(|a| a.outcome.failure.clone()))
        }
        ScriptState::Aborted => (ToolCallStatus::Aborted, None),
        ScriptState::Unknown => (ToolCallStatus::Unknown, None),
    };
    info.status = status;
    if let Some(answer) = &call.answer {
        info.outcome.running_session.clone_from(&answer.outcome.running_session);
        info.outcome.duration = answer.outcome.duration.filter(|_| call.cell.is_none());
        info.outcome.declined = answer.outcome.declined;
        info.outcome.media.clone_from(&answer.outcome.media);
    }
    info.outcome.failure = failure;
    info.outcome.output = aggregate(call);
}

/// What the script printed, without the results of calls, which are read as such.
fn aggregate(call: &Call) -> Option<Output> {
    let results = results(call);
    let mut all = None;
    for (index, block) in call.printed().enumerate() {
        let bound = results.iter().any(|(at, _)| *at == index);
        if let (Some(text), false) = (&block.text, bound) {
            append(&mut all, text);
        }
    }
    all
}

fn append(all: &mut Option<Output>, more: &Output) {
    match all {
        None => *all = Some(more.clone()),
        Some(all) => {
            let gap = if all.text.is_empty() || all.text.ends_with('\n') { "" } else { "\n" };
            all.text = format!("{}{gap}{}", all.text, more.text).into();
            all.lines.count = all.lines.count.saturating_add(more.lines.count);
            all.lines.at_least |= more.lines.at_least;
            all.cut |= more.cut;
        }
    }
}

/// The printed blocks that are the whole result of a call of the script: (block, call).
///
/// The k-th block is the k-th print only while every print up to there happens exactly once.
fn results(call: &Call) -> Vec<(usize, usize)> {
    let Some(script) = call.unwrapped() else { return Vec::new() };
    let blocks = call.printed();
    let prints = script.prints.iter().take_while(|print| print.certain);
    prints
        .zip(blocks)
        .enumerate()
        .filter_map(|(at, (print, block))| match print.part {
            PrintedPart::Result(site) if block.result.is_some() && site < script.calls.len() => {
                Some((at, site))
            }
            PrintedPart::Result(_) | PrintedPart::Other => None,
        })
        .collect()
}

/// One row: a call of the script's text, or an execution.
struct Row {
    info: ToolCallInfo,
    /// It stands for exactly one call, which was made.
    stands_for_one: bool,
}

fn wrapper(
    call: &Call,
    request: &ToolCallRequest,
    script: &Arc<Script>,
    records_nested: bool,
) -> ToolCallInfo {
    let state = call.script_state();
    let results = results(call);
    let mut rows: Vec<Row> = Vec::new();
    for (site, of_script) in script.calls.iter().enumerate() {
        let executions: Vec<&Nested> = call.nested.iter().filter(|n| n.site == Some(site)).collect();
        let block = results.iter().find(|(_, of)| *of == site).map(|(at, _)| *at);
        let result = block.and_then(|at| call.printed().nth(at)).and_then(|b| b.result.as_deref());
        if executions.is_empty() {
            rows.push(unrecorded(call, of_script, site, result, &state, records_nested));
        } else {
            rows.extend(executions.into_iter().map(|nested| executed(nested, Some(of_script), result)));
        }
    }
    rows.extend(call.nested.iter().filter(|n| n.site.is_none()).map(|nested| executed(nested, None, None)));

    // While it runs, a call site that stands for several may still make more.
    let may_make_more = state == ScriptState::Running
        && script.calls.iter().any(|of_script| of_script.marks.has(Mark::Repeat));
    if let [row] = rows.as_mut_slice() {
        settle_only_row(&mut row.info, &state, call);
        if row.stands_for_one && !may_make_more {
            return become_call(call, request, &row.info, &state);
        }
    }
    let children: Vec<ToolCallInfo> = rows.into_iter().map(|row| row.info).collect();
    let detail = if children.is_empty() {
        ToolCallDetail::Script(ScriptDetail { source: script.source.clone(), unread: None })
    } else {
        ToolCallDetail::Orchestration(OrchestrationDetail { source: script.source.clone() })
    };
    let mut info = blank(call, request.name.clone(), detail);
    script_outcome(&mut info, call);
    info.children = children;
    info
}

/// A call of the text without a recorded execution.
fn unrecorded(
    call: &Call,
    of_script: &ScriptCall,
    site: usize,
    result: Option<&Outcome>,
    state: &ScriptState,
    records_nested: bool,
) -> Row {
    let mut marks = of_script.marks.clone();
    let mut outcome = result.cloned().unwrap_or_default();
    let is_recorded = is_recorded(of_script, records_nested);
    let ended_well = || match outcome.exit_code {
        Some(code) if code != 0 => ToolCallStatus::Failed,
        _ => ToolCallStatus::Completed,
    };
    let status = match state {
        // Its own result was printed: it ran.
        _ if says_something(result) => ended_well(),
        ScriptState::Running => ToolCallStatus::Running,
        ScriptState::Completed if !is_recorded && of_script.certain => ended_well(),
        ScriptState::Completed
        | ScriptState::Failed(_)
        | ScriptState::Refused
        | ScriptState::Aborted
        | ScriptState::Unknown => {
            if is_recorded {
                marks.insert(Mark::Unrecorded);
            }
            ToolCallStatus::Unknown
        }
    };
    if outcome.output.as_ref().is_some_and(Output::is_empty) {
        outcome.output = None;
    }
    let plain = !of_script.is_open() && !marks.has(Mark::Unawaited);
    Row {
        stands_for_one: plain && of_script.well_formed,
        info: ToolCallInfo {
            key: child_key(call, site),
            rev: 0,
            name: of_script.name.clone(),
            raw_input: of_script.raw_input.clone(),
            status,
            started_at: None,
            ended_at: None,
            detail: of_script.detail.clone(),
            outcome,
            unresolved: of_script.unresolved.clone(),
            marks,
            children: Vec::new(),
        },
    }
}

/// Whether a printed result tells more than that there was one: a patch's is an empty object.
fn says_something(result: Option<&Outcome>) -> bool {
    result.is_some_and(|r| r.exit_code.is_some() || r.running_session.is_some() || r.output.is_some())
}

/// A recorded execution, with what the text knew of it.
fn executed(nested: &Nested, of_script: Option<&ScriptCall>, result: Option<&Outcome>) -> Row {
    let record: &ToolCallExecution = &nested.execution.record;
    let mut detail = record.detail.clone();
    let mut marks = Marks::default();
    let mut raw_input: Arc<str> = "".into();
    let mut name = record.name.clone();
    match of_script {
        Some(of_script) => {
            raw_input = of_script.raw_input.clone();
            name.raw.clone_from(&of_script.name.raw);
            if !of_script.marks.has(Mark::Unresolved) {
                // The text of a patch says more than the changes that were recorded.
                detail = of_script.detail.clone();
                detail.fill_from(&record.detail);
            }
        }
        None => marks.insert(Mark::ExecutedOnly),
    }
    let mut outcome = record.outcome.clone();
    if let Some(result) = result {
        // The id it went on under stays in its title; for the rest the record of its end knows better.
        outcome.running_session.clone_from(&result.running_session);
    }
    Row {
        stands_for_one: true,
        info: ToolCallInfo {
            key: nested.key.clone(),
            rev: 0,
            name,
            raw_input,
            status: record.status,
            started_at: record.started_at,
            ended_at: nested.execution.at,
            detail,
            outcome,
            unresolved: None,
            marks,
            children: Vec::new(),
        },
    }
}

/// A script with one row tells more of that row than one with several: what ended the script is of the row.
fn settle_only_row(row: &mut ToolCallInfo, state: &ScriptState, call: &Call) {
    let told = matches!(row.status, ToolCallStatus::Completed | ToolCallStatus::Failed);
    let has_execution = !call.nested.is_empty();
    match state {
        ScriptState::Failed(reason) if !has_execution && !told => {
            let declined = call.last_answer().is_some_and(|a| a.outcome.declined);
            row.status = ToolCallStatus::Failed;
            row.marks.remove(Mark::Unrecorded);
            row.outcome = Outcome { declined, ..failed_because(reason.clone()) };
        }
        ScriptState::Aborted if !has_execution && !told && !row.marks.has(Mark::Maybe) => {
            row.status = ToolCallStatus::Aborted;
            row.marks.remove(Mark::Unrecorded);
        }
        ScriptState::Running
        | ScriptState::Completed
        | ScriptState::Failed(_)
        | ScriptState::Refused
        | ScriptState::Aborted
        | ScriptState::Unknown => {}
    }
}

/// The wrapper becomes its only call: from here on it is as if the agent had called it directly.
fn become_call(
    call: &Call,
    request: &ToolCallRequest,
    row: &ToolCallInfo,
    state: &ScriptState,
) -> ToolCallInfo {
    let name = ToolName { raw: request.name.raw.clone(), name: row.name.name.clone() };
    let mut info = blank(call, name, row.detail.clone());
    info.status = row.status;
    info.outcome = row.outcome.clone();
    info.marks = row.marks.clone();
    info.unresolved.clone_from(&row.unresolved);
    info.marks.remove(Mark::ExecutedOnly);
    if let Some(answer) = &call.answer
        && info.outcome.running_session.is_none()
    {
        info.outcome.running_session.clone_from(&answer.outcome.running_session);
    }
    if call.nested.is_empty() {
        if info.outcome.output.is_none() && !matches!(state, ScriptState::Running) {
            info.outcome.output = aggregate(call);
        }
        if info.outcome.media.is_empty()
            && let Some(answer) = &call.answer
        {
            info.outcome.media.clone_from(&answer.outcome.media);
        }
    } else if let ScriptState::Failed(reason) = state
        && info.outcome.failure.is_none()
        && info.status == ToolCallStatus::Completed
    {
        info.outcome.script_failure.clone_from(reason);
    }
    info
}

fn child_key(call: &Call, site: usize) -> CallKey {
    CallKey { turn: call.key.turn.clone(), id: CallId::new(format!("{}/{site}", call.key)), n: 0 }
}
