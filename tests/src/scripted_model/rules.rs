//! The protocol rules that every request must keep. Pure: values in, the broken rules out.
//!
//! Facts: the requests that the Codex CLI 0.171.0 sends to a custom provider, and the Responses API's own demands on
//! the order of calls and outputs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::play::Call;
use super::request::{ModelRequest, is_output, text};

/// The rules that a request breaks, each as a sentence. `unanswered` are the calls of the answer that this thread got
/// last.
pub(super) fn broken_rules(request: &ModelRequest, unanswered: &[Call]) -> Vec<String> {
    let mut broken = Vec::new();
    let body = &request.body;
    let mut demand = |kept: bool, rule: &str| {
        if !kept {
            broken.push(rule.to_owned());
        }
    };
    let header = |name: &str| request.headers.get(name).map_or("", String::as_str);
    demand(header("content-type").starts_with("application/json"), "content-type is not application/json");
    demand(header("accept").contains("text/event-stream"), "accept does not name text/event-stream");
    demand(!text(body, "model").is_empty(), "`model` is missing or empty");
    demand(body.get("stream") == Some(&Value::Bool(true)), "`stream` is not true");
    demand(!request.input().is_empty(), "`input` is missing, empty or not a list");
    demand(body.get("previous_response_id").is_none(), "`previous_response_id` without server-side state");
    broken.extend(request.input().iter().filter_map(misshapen));
    broken.extend(broken_pairs(request));
    for Call { id, kind } in unanswered {
        let wanted = output_kind(kind);
        let answers = |item: &Value| text(item, "type") == wanted && text(item, "call_id") == id;
        if !request.input().iter().any(answers) {
            broken.push(format!("{kind} {id} of the last answer has no {wanted}"));
        }
    }
    broken
}

/// What is wrong with the shape of an input item.
fn misshapen(item: &Value) -> Option<String> {
    let is_text = |field: &str| item.get(field).is_some_and(Value::is_string);
    let kind = text(item, "type");
    let rule = match kind {
        "function_call" if !is_text("arguments") => "has no `arguments` string",
        "custom_tool_call" if !is_text("input") => "has no `input` string",
        "function_call" | "custom_tool_call" if text(item, "name").is_empty() => "has no name",
        "function_call_output" | "custom_tool_call_output"
            if !is_text("output") && !item.get("output").is_some_and(Value::is_array) =>
        {
            "has no `output` that is a string or a list"
        }
        "message" if !matches!(text(item, "role"), "user" | "assistant" | "developer" | "system") => {
            "has no known role"
        }
        _ => return None,
    };
    let name = if is_text("call_id") { format!("{kind} {}", text(item, "call_id")) } else { kind.to_owned() };
    Some(format!("{name} {rule}"))
}

/// The item type that answers a call of this type.
fn output_kind(call: &str) -> &'static str {
    match call {
        "custom_tool_call" => "custom_tool_call_output",
        "tool_search_call" => "tool_search_output",
        _ => "function_call_output",
    }
}

/// Outputs without an earlier call of the right kind, and calls without an output. Counted, since a provider may
/// repeat its call ids.
fn broken_pairs(request: &ModelRequest) -> Vec<String> {
    let mut broken = Vec::new();
    let mut open: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for item in request.input() {
        let kind = text(item, "type");
        let call_id = text(item, "call_id");
        if matches!(kind, "function_call" | "custom_tool_call" | "tool_search_call") {
            if call_id.is_empty() {
                broken.push(format!("{kind} without a call_id"));
                continue;
            }
            *open.entry((output_kind(kind), call_id)).or_default() += 1;
        } else if is_output(item) && !call_id.is_empty() {
            match open.get_mut(&(kind, call_id)) {
                // `notify()` gives one call several outputs, so zero is not an error.
                Some(count) => *count = count.saturating_sub(1),
                None => broken.push(format!("{kind} for {call_id}, which nobody called")),
            }
        }
    }
    let unanswered = open.iter().filter(|(_, count)| **count > 0);
    broken.extend(unanswered.map(|((wanted, call_id), _)| format!("call {call_id} has no {wanted}")));
    broken
}

/// The calls in `items` that name a tool which the request does not offer.
pub(super) fn unoffered_calls<'a>(
    request: &ModelRequest,
    items: impl Iterator<Item = &'a Value>,
) -> Vec<String> {
    let offered = request.offered_tools();
    let mut missing = Vec::new();
    for item in items {
        if !matches!(text(item, "type"), "function_call" | "custom_tool_call") {
            continue;
        }
        let name = text(item, "name");
        let full = match text(item, "namespace") {
            "" => name.to_owned(),
            namespace => format!("{namespace}/{name}"),
        };
        // Responses Lite wraps the plain tools in a namespace that the model does not repeat.
        if !offered.contains(&full) && !offered.contains(&format!("functions/{full}")) {
            missing.push(format!("the script calls {full}, which the request does not offer"));
        }
    }
    missing
}
