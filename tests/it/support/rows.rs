//! Builds the rows of a session log, as Codex writes them.

use serde_json::{Value, json};

/// A log that is being written.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    lines: Vec<String>,
    turn: Option<String>,
    mode: Mode,
}

/// In which form the user interface's events are logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// `item_completed`.
    Paginated,
    /// An event of its own for each kind.
    Legacy,
}

impl Rows {
    fn begin(mode: Mode, name: &str) -> Self {
        let rows = Self { lines: Vec::new(), turn: None, mode };
        rows.row(
            "session_meta",
            json!({"id": "01a00000-0000-7000-8000-000000000000", "cwd": "/w", "cli_version": "0.171.0", "history_mode": name}),
        )
    }

    /// A log as Codex writes it now.
    pub(crate) fn paginated() -> Self {
        Self::begin(Mode::Paginated, "paginated")
    }

    /// A log with the older events.
    pub(crate) fn legacy() -> Self {
        Self::begin(Mode::Legacy, "legacy")
    }

    /// A log without a head.
    pub(crate) fn bare() -> Self {
        Self { lines: Vec::new(), turn: None, mode: Mode::Paginated }
    }

    /// The log.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Any line.
    pub(crate) fn line(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    /// A row of this type.
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!({…}) in place")]
    pub(crate) fn row(self, kind: &str, payload: Value) -> Self {
        let at = self.lines.len();
        let timestamp = format!("2026-11-30T10:{:02}:{:02}.000Z", at / 60 % 60, at % 60);
        self.line(json!({"timestamp": timestamp, "type": kind, "payload": payload}).to_string())
    }

    /// An event of the open turn.
    pub(crate) fn event(self, mut payload: Value) -> Self {
        if let Some(turn) = &self.turn {
            payload["turn_id"] = turn.as_str().into();
        }
        self.row("event_msg", payload)
    }

    /// What went to the model or came from it, in the open turn.
    pub(crate) fn item(self, mut payload: Value) -> Self {
        if let Some(turn) = &self.turn {
            payload["internal_chat_message_metadata_passthrough"] = json!({"turn_id": turn});
        }
        self.row("response_item", payload)
    }

    /// A turn begins.
    pub(crate) fn turn(mut self, id: &str) -> Self {
        self.turn = Some(id.to_owned());
        self.event(json!({"type": "task_started"}))
    }

    /// What follows is of this turn.
    pub(crate) fn of(mut self, id: &str) -> Self {
        self.turn = Some(id.to_owned());
        self
    }

    /// The turn ends well.
    pub(crate) fn done(self) -> Self {
        self.event(json!({"type": "task_complete", "last_agent_message": null}))
    }

    /// The turn is interrupted.
    pub(crate) fn aborted(self) -> Self {
        self.event(json!({"type": "turn_aborted", "reason": "interrupted"}))
    }

    /// A function is called.
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!({…}) in place")]
    pub(crate) fn call(self, id: &str, name: &str, arguments: Value) -> Self {
        self.item(
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string()}),
        )
    }

    /// A command is called directly.
    pub(crate) fn command(self, id: &str, cmd: &str) -> Self {
        self.call(id, "exec_command", json!({"cmd": cmd}))
    }

    /// A tool that takes text is called.
    pub(crate) fn custom(self, id: &str, name: &str, input: &str) -> Self {
        self.item(json!({"type": "custom_tool_call", "call_id": id, "name": name, "input": input}))
    }

    /// A script is called.
    pub(crate) fn script(self, id: &str, source: &str) -> Self {
        self.custom(id, "exec", source)
    }

    /// A function's output.
    pub(crate) fn output(self, id: &str, output: impl Into<Value>) -> Self {
        let output: Value = output.into();
        self.item(json!({"type": "function_call_output", "call_id": id, "output": output}))
    }

    /// The output of a command that has ended.
    pub(crate) fn exited(self, id: &str, code: i64, printed: &str) -> Self {
        self.output(
            id,
            format!(
                "Chunk ID: 1\nWall time: 0.2 seconds\nProcess exited with code {code}\nOutput:\n{printed}"
            ),
        )
    }

    /// The output of a script: its state, and what it printed.
    pub(crate) fn scripted(self, id: &str, state: &str, printed: &[&str]) -> Self {
        let header = format!("Script {state}\nWall time 0.2 seconds\nOutput:\n");
        let output = if printed.is_empty() {
            Value::from(header)
        } else {
            let texts = std::iter::once(header.as_str()).chain(printed.iter().copied());
            texts.map(|text| json!({"type": "input_text", "text": text})).collect()
        };
        self.item(json!({"type": "custom_tool_call_output", "call_id": id, "output": output}))
    }

    /// A command has run.
    pub(crate) fn ran(self, id: &str, cmd: &str, code: i64) -> Self {
        self.ran_with(
            id,
            cmd,
            json!({"exit_code": code, "status": if code == 0 { "completed" } else { "failed" }}),
        )
    }

    /// A command has run; `more` is set on its item.
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!({…}) in place")]
    pub(crate) fn ran_with(self, id: &str, cmd: &str, more: Value) -> Self {
        let mut item = json!({
            "type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", cmd], "cwd": "file:///w",
            "parsed_cmd": [{"type": "unknown", "cmd": cmd}], "source": "unified_exec_startup", "status": "completed",
            "aggregated_output": "", "exit_code": 0, "duration": {"secs": 0, "nanos": 1000},
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            item[name] = value.clone();
        }
        self.event(json!({"type": "item_completed", "item": item}))
    }

    /// A command has run, and began at this second of the log's hour.
    pub(crate) fn ran_from(self, second: i64, id: &str, cmd: &str) -> Self {
        let hour = 1_796_032_800_000; // 2026-11-30T10:00:00Z, where the rows begin.
        let mut rows = self.ran(id, cmd, 0);
        let line = rows.lines.pop().unwrap_or_default();
        let mut row: Value = serde_json::from_str(&line).unwrap_or_default();
        row["payload"]["started_at_ms"] = (hour + second * 1000).into();
        rows.line(row.to_string())
    }

    /// Files were changed: `(path, kind of change)`.
    pub(crate) fn patched(self, id: &str, path: &str, status: &str) -> Self {
        let mut changes = serde_json::Map::new();
        changes.insert(format!("/w/{path}"), json!({"type": "add", "content": "x\n"}));
        let stdout = format!("Success. Updated the following files:\nA {path}\n");
        match self.mode {
            Mode::Paginated => self.event(json!({"type": "item_completed", "item": {
                "type": "FileChange", "id": id, "changes": changes, "status": status, "stdout": stdout, "stderr": "",
            }})),
            Mode::Legacy => self.event(json!({
                "type": "patch_apply_end", "call_id": id, "changes": changes, "status": status, "stdout": stdout,
                "stderr": "", "success": status == "completed",
            })),
        }
    }

    /// The user's words, in the layers that this mode writes.
    pub(crate) fn user(self, text: &str) -> Self {
        let model =
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
        match self.mode {
            Mode::Paginated => self.item(model).event(json!({"type": "item_completed", "item": {
                "type": "UserMessage", "id": "u", "content": [{"type": "text", "text": text}],
            }})),
            Mode::Legacy => {
                self.item(model).row("event_msg", json!({"type": "user_message", "message": text}))
            }
        }
    }

    /// The agent's words, in the layers that this mode writes.
    pub(crate) fn agent(self, id: &str, text: &str) -> Self {
        let event = match self.mode {
            Mode::Paginated => self.event(json!({"type": "item_completed", "item": {
                "type": "AgentMessage", "id": id, "content": [{"type": "Text", "text": text}],
            }})),
            Mode::Legacy => self.row("event_msg", json!({"type": "agent_message", "message": text})),
        };
        event.item(json!({
            "type": "message", "role": "assistant", "id": id, "content": [{"type": "output_text", "text": text}],
        }))
    }
}
