//! What a log says of its calls, read a second time by simpler means: plain rows of JSON and where they stand.
//!
//! The tests hold the reader against this. Nothing of the reader is used here.

use std::time::Duration;

use serde_json::Value;

/// A row of the log.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Counted from 1, as editors do.
    pub(crate) line: usize,
    /// Byte offset after it.
    pub(crate) end: u64,
    pub(crate) value: Value,
}

impl Row {
    pub(crate) fn kind(&self) -> &str {
        self.value["type"].as_str().unwrap_or_default()
    }

    pub(crate) fn payload(&self) -> &Value {
        let payload = &self.value["payload"];
        // Some builds wrap the item once more.
        let is_wrapped = payload["type"].is_null() || payload["type"] == "codex/event/raw_item";
        if is_wrapped && payload["item"].is_object() { &payload["item"] } else { payload }
    }

    pub(crate) fn turn(&self) -> Option<&str> {
        let payload = self.payload();
        let named = [payload, &payload["internal_chat_message_metadata_passthrough"], &payload["metadata"]];
        named.into_iter().find_map(|named| named["turn_id"].as_str())
    }

    fn is_event(&self, kind: &str) -> bool {
        self.kind() == "event_msg" && self.payload()["type"] == kind
    }
}

/// A call that the agent asked for.
#[derive(Debug, Clone)]
pub(crate) struct CallRow {
    pub(crate) line: usize,
    pub(crate) end: u64,
    pub(crate) id: String,
    pub(crate) turn: String,
    /// How many calls of the turn had this id before.
    pub(crate) n: u32,
    pub(crate) name: String,
    /// The script, patch or arguments.
    pub(crate) input: String,
    /// Call and end at once.
    pub(crate) is_ended: bool,
    /// The line of its output, and the output's text.
    pub(crate) output: Option<(usize, String)>,
}

impl CallRow {
    pub(crate) fn is_script(&self) -> bool {
        self.name == "exec" && !self.input.starts_with('{')
    }

    /// The cell it went on as.
    fn cell(&self) -> Option<&str> {
        self.output.as_ref()?.1.strip_prefix("Script running with cell ID ")?.lines().next()
    }
}

/// A call that the log records as run.
#[derive(Debug, Clone)]
pub(crate) struct Executed {
    pub(crate) line: usize,
    pub(crate) end: u64,
    pub(crate) id: String,
    pub(crate) turn: String,
    pub(crate) kind: &'static str,
    /// The command, the files, the tool.
    pub(crate) what: String,
    pub(crate) status: Option<String>,
    pub(crate) exit_code: Option<i64>,
    pub(crate) duration: Option<Duration>,
    pub(crate) is_users: bool,
}

impl Executed {
    /// Only a script can have made it.
    pub(crate) fn is_nested(&self) -> bool {
        self.id.starts_with("exec-")
    }
}

/// All of a log.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) calls: Vec<CallRow>,
    pub(crate) executed: Vec<Executed>,
    /// Whether such logs record every nested command, patch, MCP call and image.
    pub(crate) is_paginated: bool,
}

impl Facts {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let all = rows(bytes);
        let head =
            all.iter().find(|row| row.kind() == "session_meta").map(|row| row.value["payload"].clone());
        let is_paginated = head.is_some_and(|head| head["history_mode"] == "paginated");
        let rows = own_rows(all);
        let calls = calls(&rows);
        let executed = rows.iter().filter_map(executed).collect();
        Self { calls, executed, is_paginated }
    }

    /// The line at which the script ended; none: it never did.
    fn end_of(&self, script: &CallRow) -> Option<usize> {
        let (answered, _) = script.output.as_ref()?;
        let Some(cell) = script.cell() else { return Some(*answered) };
        let waits_for_it = |call: &&CallRow| {
            let arguments: Value = serde_json::from_str(&call.input).unwrap_or_default();
            call.name == "wait" && call.line > *answered && arguments["cell_id"] == cell
        };
        let ends = self.calls.iter().filter(waits_for_it).filter_map(|wait| wait.output.as_ref());
        ends.filter(|(_, text)| !text.starts_with("Script running")).map(|(line, _)| *line).next()
    }

    /// Whose the executed call is, told by position and text alone; `None`: nobody's.
    pub(crate) fn owner(&self, executed: &Executed) -> Option<&CallRow> {
        if executed.is_users {
            return None;
        }
        if !executed.is_nested() {
            let same = |call: &&CallRow| call.id == executed.id && call.turn == executed.turn;
            let before = self.calls.iter().rfind(|call| same(call) && call.line < executed.line);
            return before.or_else(|| self.calls.iter().find(same));
        }
        let began =
            |call: &&CallRow| call.is_script() && call.line < executed.line && call.turn == executed.turn;
        let is_open = |call: &&CallRow| self.end_of(call).is_none_or(|end| executed.line < end);
        // Scripts of one answer run one after the other: of those without an answer only the first runs.
        let is_answered =
            |call: &&CallRow| call.output.as_ref().is_some_and(|(line, _)| *line < executed.line);
        let running = self.calls.iter().filter(began).find(|call| !is_answered(call)).map(|call| call.line);
        let open: Vec<&CallRow> = self
            .calls
            .iter()
            .filter(began)
            .filter(is_open)
            .filter(|call| is_answered(call) || Some(call.line) == running)
            .collect();
        let ended: Vec<&CallRow> = self.calls.iter().filter(began).filter(|call| !is_open(call)).collect();
        let naming = |calls: &[&'_ CallRow]| calls.iter().filter(|call| names(call, executed)).count();
        match (naming(&open), naming(&ended), open.as_slice()) {
            (1, _, _) => open.into_iter().find(|call| names(call, executed)),
            (0, 1, _) => ended.into_iter().find(|call| names(call, executed)),
            (0, _, [only]) => Some(only),
            _ => None,
        }
    }
}

/// Whether the script's text holds what was executed.
fn names(script: &CallRow, executed: &Executed) -> bool {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"");
    let parts: Vec<&str> =
        if executed.kind == "command" { vec![&executed.what] } else { executed.what.split(' ').collect() };
    parts.iter().all(|part| script.input.contains(part) || script.input.contains(&escaped(part)))
}

/// The rows that are JSON objects.
fn rows(bytes: &[u8]) -> Vec<Row> {
    let mut end = 0_u64;
    let mut rows = Vec::new();
    for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        end += line.len() as u64;
        let text = String::from_utf8_lossy(line);
        let parsed = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'));
        if let Ok(value) = parsed
            && value.is_object()
        {
            rows.push(Row { line: at + 1, end, value });
        }
    }
    rows
}

/// Without the rows copied from another log: those before the ordinal that the head names, or, in a log with a second
/// head, those before the first turn that is younger than the session.
fn own_rows(rows: Vec<Row>) -> Vec<Row> {
    let heads: Vec<&Value> =
        rows.iter().filter(|row| row.kind() == "session_meta").map(|row| &row.value["payload"]).collect();
    let Some(head) = heads.first() else { return rows };
    if let Some(first) = head["subagent_history_start_ordinal"].as_u64() {
        return rows
            .into_iter()
            .filter(|row| row.value["ordinal"].as_u64().is_none_or(|at| at >= first))
            .collect();
    }
    let continues_another =
        ["forked_from_id", "parent_thread_id"].iter().any(|member| head[member].is_string());
    if heads.len() < 2 || !continues_another {
        return rows;
    }
    let id = head["id"].as_str().unwrap_or_default().to_owned();
    let is_own =
        |row: &Row| row.is_event("task_started") && row.turn().is_some_and(|turn| turn > id.as_str());
    match rows.iter().position(is_own) {
        Some(first) => rows.into_iter().skip(first).collect(),
        None => Vec::new(),
    }
}

/// The text of an output: its first block.
fn output_text(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().find_map(|b| b["text"].as_str()).unwrap_or_default().to_owned(),
        other => other.to_string(),
    }
}

fn calls(rows: &[Row]) -> Vec<CallRow> {
    let mut calls: Vec<CallRow> = Vec::new();
    for row in rows.iter().filter(|row| matches!(row.kind(), "response_item" | "event_msg")) {
        let payload = row.payload();
        let kind = payload["type"].as_str().unwrap_or_default();
        match kind {
            "function_call"
            | "custom_tool_call"
            | "local_shell_call"
            | "tool_search_call"
            | "web_search_call"
            | "image_generation_call" => {
                let id = payload["call_id"]
                    .as_str()
                    .or_else(|| payload["id"].as_str())
                    .unwrap_or_default()
                    .to_owned();
                let turn = row.turn().unwrap_or_default().to_owned();
                let n = calls.iter().filter(|call| call.id == id && call.turn == turn).count() as u32;
                let input = ["input", "arguments", "action"].iter().find_map(|name| payload.get(*name));
                let input =
                    input.map(|input| input.as_str().map_or_else(|| input.to_string(), str::to_owned));
                calls.push(CallRow {
                    line: row.line,
                    end: row.end,
                    id,
                    turn,
                    n,
                    name: payload["name"].as_str().unwrap_or(kind).to_owned(),
                    input: input.unwrap_or_default(),
                    is_ended: matches!(kind, "web_search_call" | "image_generation_call"),
                    output: None,
                });
            }
            "function_call_output"
            | "custom_tool_call_output"
            | "local_shell_call_output"
            | "tool_search_output" => {
                let id = payload["call_id"].as_str().unwrap_or_default();
                let asking = calls.iter_mut().rev().find(|call| call.id == id && call.output.is_none());
                if let Some(call) = asking {
                    call.output = Some((row.line, output_text(&payload["output"])));
                }
            }
            _ => {}
        }
    }
    calls
}

fn executed(row: &Row) -> Option<Executed> {
    if row.kind() != "event_msg" {
        return None;
    }
    let event = &row.value["payload"];
    let (item, kind) = match event["type"].as_str()? {
        "item_completed" => (&event["item"], event["item"]["type"].as_str()?),
        other => (event, other),
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (kind, what) = match kind {
        "CommandExecution" | "exec_command_end" => {
            let words = item["command"].as_array().map(Vec::as_slice).unwrap_or_default();
            ("command", words.last().map(&text).unwrap_or_default())
        }
        "FileChange" | "patch_apply_end" => {
            let mut files: Vec<String> =
                item["changes"].as_object()?.keys().map(|path| relative(path)).collect();
            files.sort();
            ("patch", files.join(" "))
        }
        "McpToolCall" => ("mcp", format!("{}__{}", text(&item["server"]), text(&item["tool"]))),
        "mcp_tool_call_end" => {
            let call = &item["invocation"];
            ("mcp", format!("{}__{}", text(&call["server"]), text(&call["tool"])))
        }
        "ImageView" | "view_image_tool_call" => ("image", relative(&text(&item["path"]))),
        "WebSearch" | "web_search_end" => ("web", text(&item["query"])),
        "ImageGeneration" | "image_generation_end" => ("image", String::new()),
        "dynamic_tool_call_response" => ("tool", text(&item["tool"])),
        _ => return None,
    };
    let id = item["call_id"].as_str().or_else(|| item["id"].as_str()).unwrap_or_default();
    let duration = &item["duration"];
    let parts = duration["secs"].as_u64().zip(duration["nanos"].as_u64());
    Some(Executed {
        line: row.line,
        end: row.end,
        id: id.to_owned(),
        turn: row.turn().unwrap_or_default().to_owned(),
        kind,
        what,
        status: if item["result"]["Ok"]["isError"] == true {
            // The events of older logs have no status of their own.
            Some("failed".to_owned())
        } else {
            item["status"].as_str().map(str::to_owned)
        },
        exit_code: item["exit_code"].as_i64(),
        duration: parts.map(|(secs, nanos)| Duration::new(secs, nanos as u32)),
        is_users: item["source"] == "user_shell",
    })
}

/// As seen from the folder that all recordings were made in.
fn relative(path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    path.strip_prefix("/workspace/demo/").unwrap_or(path).to_owned()
}
