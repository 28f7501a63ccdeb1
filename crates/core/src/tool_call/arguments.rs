//! From a call's arguments to its detail: the argument names of all agents in one place.

use std::sync::Arc;

use serde_json::Value;

use super::{
    AgentDetail, ChangeMode, CommandDetail, FileChangeDetail, FileReadDetail, FileSearchDetail, ImageDetail,
    InputLanguage, McpDetail, PatchDetail, PlanDetail, PlanItem, PlanStatus, TerminalInputDetail,
    ToolCallDetail, ToolKind, ToolName, ToolSearchDetail, WebFetchDetail, WebSearchDetail,
};
use crate::patch::PatchEnvelope;
use crate::shell;

/// A call's input as recorded.
#[derive(Debug, Clone, Copy)]
pub enum CallInput<'a> {
    /// Arguments.
    Json(&'a Value),
    /// Free text: a patch, a script, or arguments that are not JSON.
    Text(&'a str),
}

/// What an agent counts lines from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineBase {
    /// The first line is 0.
    Zero,
    /// The first line is 1.
    One,
}

const COMMAND: [&str; 4] = ["cmd", "command", "args", "argv"];
const WORKDIR: [&str; 3] = ["workdir", "cwd", "working_directory"];
const SESSION: [&str; 6] = ["session_id", "sessionId", "cell_id", "cellId", "bash_id", "task_id"];
const PATH: [&str; 4] = ["path", "file_path", "filePath", "notebook_path"];
const FIRST_LINE: [&str; 3] = ["line_offset", "lineOffset", "offset"];
const LINE_COUNT: [&str; 4] = ["n_lines", "line_count", "lineCount", "limit"];
const QUERY: [&str; 3] = ["pattern", "query", "q"];
const BEFORE: [&str; 3] = ["old_string", "before", "old"];
const AFTER: [&str; 4] = ["new_string", "after", "new_source", "new"];

/// What a call of `name` with `input` asks for. An input of an unexpected shape gives a generic detail: nothing is
/// lost and nothing is guessed.
pub fn detail_of_call(name: &ToolName, input: CallInput<'_>, base: LineBase) -> ToolCallDetail {
    let specific = match input {
        CallInput::Json(value) => from_json(name, value, base),
        CallInput::Text(text) => from_text(name, text),
    };
    specific.unwrap_or_else(|| match input {
        CallInput::Json(value) => ToolCallDetail::generic(pretty(value), InputLanguage::Json),
        CallInput::Text(text) => ToolCallDetail::generic(text, InputLanguage::Text),
    })
}

/// The text of the first member of `value` that is there under one of `names`.
pub fn string_member<'a>(value: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| value.get(name).and_then(Value::as_str))
}

fn from_text(name: &ToolName, text: &str) -> Option<ToolCallDetail> {
    match name.kind() {
        ToolKind::Patch => patch(text, None),
        ToolKind::Mcp => mcp(name, text),
        ToolKind::Command
        | ToolKind::TerminalInput
        | ToolKind::FileRead
        | ToolKind::FileSearch
        | ToolKind::FileChange
        | ToolKind::WebFetch
        | ToolKind::WebSearch
        | ToolKind::Agent
        | ToolKind::Plan
        | ToolKind::ToolSearch
        | ToolKind::Image
        | ToolKind::Script
        | ToolKind::Orchestration
        | ToolKind::Generic => None,
    }
}

fn from_json(name: &ToolName, value: &Value, base: LineBase) -> Option<ToolCallDetail> {
    match name.kind() {
        ToolKind::Command => command(value),
        ToolKind::TerminalInput => terminal_input(name, value),
        ToolKind::Patch => match value {
            Value::String(text) => patch(text, None),
            Value::Object(_) => {
                patch(string_member(value, &["input", "patch", "cmd"])?, string_member(value, &WORKDIR))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        },
        ToolKind::FileRead => file_read(value, base),
        ToolKind::FileSearch => file_search(value),
        ToolKind::FileChange => file_change(name, value),
        ToolKind::WebFetch => {
            let url = string_member(value, &["url", "uri"])?.to_owned();
            Some(ToolCallDetail::WebFetch(WebFetchDetail { url }))
        }
        ToolKind::WebSearch => web_search(value),
        ToolKind::Agent => Some(agent(name, value)),
        ToolKind::Plan => plan(value),
        ToolKind::ToolSearch => {
            let query = string_member(value, &QUERY)?.to_owned();
            Some(ToolCallDetail::ToolSearch(ToolSearchDetail { query, ..ToolSearchDetail::default() }))
        }
        ToolKind::Mcp => mcp(name, &pretty(value)),
        ToolKind::Image => image(value),
        ToolKind::Script | ToolKind::Orchestration | ToolKind::Generic => None,
    }
}

fn command(value: &Value) -> Option<ToolCallDetail> {
    let given = COMMAND.iter().find_map(|name| value.get(name))?;
    let (command, shell) = match given {
        Value::String(line) => (shell::peel_command(line).into_owned(), string_member(value, &["shell"])),
        Value::Array(words) => {
            let words: Option<Vec<String>> = words.iter().map(|w| w.as_str().map(str::to_owned)).collect();
            let words = words.filter(|w| !w.is_empty())?;
            (shell::peel_launcher(&words).unwrap_or_else(|| shell::join(&words)), None)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let workdir = string_member(value, &WORKDIR).filter(|dir| !dir.is_empty()).map(str::to_owned);
    if let Some(carried) = shell::heredoc_patch(&command)
        && let Some(patch) = patch(&carried.patch, carried.workdir.as_deref().or(workdir.as_deref()))
    {
        return Some(patch);
    }
    Some(ToolCallDetail::Command(CommandDetail {
        command: command.into(),
        workdir,
        shell: shell.map(str::to_owned),
        tty: value.get("tty").and_then(Value::as_bool).unwrap_or(false),
        recorded_action: None,
    }))
}

fn terminal_input(name: &ToolName, value: &Value) -> Option<ToolCallDetail> {
    let session_id = SESSION.iter().find_map(|name| value.get(name)).and_then(scalar)?;
    let chars = value.get("chars").and_then(Value::as_str).unwrap_or_default();
    Some(ToolCallDetail::TerminalInput(TerminalInputDetail {
        session_id,
        chars: chars.into(),
        is_poll: chars.is_empty() || name.only_waits(),
        terminate: value.get("terminate").and_then(Value::as_bool).unwrap_or(false),
        wait_ms: number(value, &["yield_time_ms", "timeout_ms"]),
        max_tokens: number(value, &["max_tokens", "max_output_tokens"]),
    }))
}

fn patch(text: &str, workdir: Option<&str>) -> Option<ToolCallDetail> {
    let envelope = PatchEnvelope::parse(text)?;
    Some(ToolCallDetail::Patch(PatchDetail {
        patch: text.into(),
        changes: Vec::new(),
        files: envelope.files,
        workdir: workdir.map(str::to_owned),
    }))
}

fn file_read(value: &Value, base: LineBase) -> Option<ToolCallDetail> {
    let path = string_member(value, &PATH)?.to_owned();
    let first_line = number(value, &FIRST_LINE).map(|first| match base {
        LineBase::Zero => first.saturating_add(1),
        LineBase::One => first,
    });
    Some(ToolCallDetail::FileRead(FileReadDetail {
        path,
        first_line,
        line_count: number(value, &LINE_COUNT),
    }))
}

fn file_search(value: &Value) -> Option<ToolCallDetail> {
    Some(ToolCallDetail::FileSearch(FileSearchDetail {
        query: string_member(value, &QUERY)?.to_owned(),
        path: string_member(value, &["path", "directory"]).map(str::to_owned),
        output_mode: string_member(value, &["output_mode"]).map(str::to_owned),
        head_limit: number(value, &["head_limit", "limit"]),
        match_count: None,
    }))
}

fn file_change(name: &ToolName, value: &Value) -> Option<ToolCallDetail> {
    let path = string_member(value, &PATH)?.to_owned();
    if name.writes_whole_file() {
        let content = string_member(value, &["content", "contents"]).map(Into::into);
        return Some(ToolCallDetail::FileChange(FileChangeDetail {
            mode: ChangeMode::Write,
            path,
            edits: Vec::new(),
            content,
        }));
    }
    let edit = |value: &Value| -> Option<(Arc<str>, Arc<str>)> {
        let after = string_member(value, &AFTER)?;
        Some((string_member(value, &BEFORE).unwrap_or_default().into(), after.into()))
    };
    let edits: Vec<_> = match value.get("edits").or_else(|| value.get("edit")) {
        Some(Value::Array(edits)) => edits.iter().filter_map(edit).collect(),
        Some(one @ Value::Object(_)) => edit(one).into_iter().collect(),
        _ => edit(value).into_iter().collect(),
    };
    Some(ToolCallDetail::FileChange(FileChangeDetail { mode: ChangeMode::Edit, path, edits, content: None }))
}

fn web_search(value: &Value) -> Option<ToolCallDetail> {
    let query = string_member(value, &QUERY).map(str::to_owned).or_else(|| {
        // `web__run` takes lists of queries.
        let queries = value.get("search_query").or_else(|| value.get("queries"))?.as_array()?;
        let all: Vec<&str> =
            queries.iter().filter_map(|q| q.as_str().or_else(|| string_member(q, &QUERY))).collect();
        (!all.is_empty()).then(|| all.join(" · "))
    })?;
    Some(ToolCallDetail::WebSearch(WebSearchDetail { query }))
}

fn agent(name: &ToolName, value: &Value) -> ToolCallDetail {
    let prompt = string_member(value, &["prompt", "message", "instruction", "input"]).unwrap_or_default();
    let description =
        string_member(value, &["description", "task_name", "name", "target", "agent", "id", "to"]);
    ToolCallDetail::Agent(AgentDetail {
        description: description.unwrap_or_default().to_owned(),
        subagent_type: string_member(value, &["subagent_type", "agent_type", "role"]).map(str::to_owned),
        resume: string_member(value, &["resume"]).map(str::to_owned),
        // An encrypted message is no text for a person.
        prompt: if is_encrypted(prompt) { "".into() } else { prompt.into() },
        is_follow_up: name.is_agent_follow_up(),
        session: None,
    })
}

/// Fernet tokens, the form in which agents' messages are recorded when they are encrypted.
fn is_encrypted(text: &str) -> bool {
    text.starts_with("gAAAA") && !text.contains(char::is_whitespace)
}

fn plan(value: &Value) -> Option<ToolCallDetail> {
    let list = ["plan", "todos", "items", "tasks"].iter().find_map(|name| value.get(name)?.as_array());
    let items = match list {
        Some(list) => list.iter().filter_map(plan_item).collect(),
        None => vec![plan_item(value)?],
    };
    let explanation = string_member(value, &["explanation"]).map(str::to_owned);
    Some(ToolCallDetail::Plan(PlanDetail { items, explanation }))
}

fn plan_item(value: &Value) -> Option<PlanItem> {
    // A change of an entry's state names the entry by its number.
    let numbered = || {
        let number = value.get("taskId").and_then(scalar).filter(|_| value.get("status").is_some())?;
        Some(format!("#{number}"))
    };
    let text = value
        .as_str()
        .or_else(|| string_member(value, &["step", "content", "text", "title", "subject", "description"]))
        .map(str::to_owned)
        .or_else(numbered)?;
    let status = match string_member(value, &["status"]).unwrap_or_default() {
        "in_progress" | "inProgress" | "active" => PlanStatus::InProgress,
        "completed" | "done" => PlanStatus::Completed,
        "cancelled" | "canceled" | "deleted" => PlanStatus::Cancelled,
        _ if value.get("completed").and_then(Value::as_bool) == Some(true) => PlanStatus::Completed,
        _ => PlanStatus::Pending,
    };
    Some(PlanItem { text, status })
}

fn mcp(name: &ToolName, input: &str) -> Option<ToolCallDetail> {
    let (server, tool) = name.mcp()?;
    Some(ToolCallDetail::Mcp(McpDetail {
        server: server.to_owned(),
        tool: tool.to_owned(),
        input: input.into(),
    }))
}

fn image(value: &Value) -> Option<ToolCallDetail> {
    let detail = match string_member(value, &PATH) {
        Some(path) => ImageDetail { target: path.to_owned(), is_prompt: false },
        None => ImageDetail {
            target: string_member(value, &["prompt", "revised_prompt"])?.to_owned(),
            is_prompt: true,
        },
    };
    Some(ToolCallDetail::Image(detail))
}

fn number(value: &Value, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| {
        let member = value.get(name)?;
        // Agents write numbers as text now and then.
        member.as_u64().or_else(|| member.as_str()?.trim().parse().ok())
    })
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

#[cfg(test)]
mod tests;
