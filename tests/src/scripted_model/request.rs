//! One recorded request of a client, and the questions scripts and tests ask of it.
//!
//! Facts: Codex names its thread, turn and agent in the headers `thread-id` and `x-codex-turn-metadata`; a client
//! that sends neither is told apart by `prompt_cache_key`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A `POST /v1/responses` as it came in.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The name of the conversation that answered, empty when none did.
    pub conversation: String,
    /// The step that answered, from 0.
    pub step: usize,
    /// Headers by lower-case name; the last value where a name came twice.
    pub headers: BTreeMap<String, String>,
    /// The JSON body.
    pub body: Value,
}

impl ModelRequest {
    /// The thread that asks. Empty for a client that names none.
    pub fn thread_id(&self) -> &str {
        self.headers
            .get("thread-id")
            .map(String::as_str)
            .or_else(|| self.body.get("prompt_cache_key").and_then(Value::as_str))
            .unwrap_or_default()
    }

    /// A field of Codex's turn metadata, as in `turn_id`, `request_kind`, `agent_name`.
    pub fn turn_metadata(&self, field: &str) -> Option<String> {
        let metadata: Value = serde_json::from_str(self.headers.get("x-codex-turn-metadata")?).ok()?;
        metadata.get(field).and_then(Value::as_str).map(str::to_owned)
    }

    /// The input items.
    pub fn input(&self) -> &[Value] {
        self.body.get("input").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The texts of all messages of this role, in order.
    pub fn texts(&self, role: &str) -> Vec<&str> {
        self.input()
            .iter()
            .filter(|item| text(item, "role") == role)
            .filter_map(|item| item.get("content").and_then(Value::as_array))
            .flatten()
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect()
    }

    /// The output of a call as plain text: a string as it is, the text parts of a list joined. The last one, should
    /// the call have several.
    pub fn output_of(&self, call_id: &str) -> Option<String> {
        self.input()
            .iter()
            .rev()
            .find(|item| is_output(item) && text(item, "call_id") == call_id)
            .map(output_text)
    }

    /// The output of the call made last.
    pub fn last_output(&self) -> Option<String> {
        self.input().iter().rev().find(|item| is_output(item)).map(output_text)
    }

    /// The tools that the request offers, each as `namespace/name` or `name`. Responses Lite sends them in an input
    /// item, found tools come in the output of a search.
    pub fn offered_tools(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        collect_tools(self.body.get("tools"), "", &mut names);
        for item in self.input() {
            if matches!(text(item, "type"), "additional_tools" | "tool_search_output") {
                collect_tools(item.get("tools"), "", &mut names);
            }
        }
        names
    }
}

/// A string field of an item, empty when it is absent.
pub(super) fn text<'a>(item: &'a Value, field: &str) -> &'a str {
    item.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Whether the item answers a call.
pub(super) fn is_output(item: &Value) -> bool {
    matches!(text(item, "type"), "function_call_output" | "custom_tool_call_output" | "tool_search_output")
}

fn output_text(item: &Value) -> String {
    match item.get("output") {
        Some(Value::String(output)) => output.clone(),
        Some(Value::Array(parts)) => parts.iter().map(|part| text(part, "text")).collect(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn collect_tools(tools: Option<&Value>, namespace: &str, names: &mut BTreeSet<String>) {
    for tool in tools.and_then(Value::as_array).into_iter().flatten() {
        // `tool_search` and `web_search` have a type and no name.
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_else(|| text(tool, "type"));
        if text(tool, "type") == "namespace" {
            collect_tools(tool.get("tools"), name, names);
        } else if namespace.is_empty() {
            names.insert(name.to_owned());
        } else {
            names.insert(format!("{namespace}/{name}"));
        }
    }
}
