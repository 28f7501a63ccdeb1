//! The event stream of one answer: the frames for an item, the beginning and the end. Pure.
//!
//! Facts: the Responses API's own sequence of events. Codex needs `response.output_item.done` and
//! `response.completed` (whose usage must be whole); the deltas are for clients that show progress.

use serde_json::{Value, json};

/// Writes the frames of one response; numbers them as the API does.
#[derive(Debug)]
pub(super) struct Frames {
    response_id: String,
    sequence: u64,
    output: Vec<Value>,
}

/// How many characters a delta of the script carries: small enough that every text of a few words comes in pieces.
const DELTA_CHARS: usize = 24;

impl Frames {
    pub(super) fn new(response_id: String) -> Self {
        Self { response_id, sequence: 0, output: Vec::new() }
    }

    fn frame(&mut self, kind: &str, mut fields: Value) -> String {
        if let Some(event) = fields.as_object_mut() {
            event.insert("type".to_owned(), json!(kind));
            event.insert("sequence_number".to_owned(), json!(self.sequence));
        }
        self.sequence += 1;
        format!("event: {kind}\ndata: {fields}\n\n")
    }

    fn response(&self, status: &str) -> Value {
        json!({"id": self.response_id, "object": "response", "status": status, "output": self.output})
    }

    /// The frames before the first item.
    pub(super) fn begin(&mut self) -> String {
        let response = self.response("in_progress");
        let created = self.frame("response.created", json!({"response": response}));
        created + &self.frame("response.in_progress", json!({"response": response}))
    }

    /// The frames of one item: added, its deltas, done.
    pub(super) fn item(&mut self, item: &Value) -> String {
        let index = self.output.len();
        let id = item.get("id").cloned().unwrap_or_default();
        let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
        let mut started = item.clone();
        for field in ["arguments", "input"] {
            if started.get(field).is_some_and(Value::is_string) {
                started[field] = json!("");
            }
        }
        for field in ["content", "summary"] {
            if started.get(field).is_some_and(Value::is_array) {
                started[field] = json!([]);
            }
        }
        started["status"] = json!("in_progress");
        let mut frames =
            self.frame("response.output_item.added", json!({"output_index": index, "item": started}));
        match kind {
            "message" => frames += &self.message_parts(item, index, &id),
            "reasoning" => frames += &self.summary_parts(item, index, &id),
            "function_call" => {
                let place = json!({"output_index": index, "item_id": id});
                frames += &self.whole_text("response.function_call_arguments", "arguments", item, &place);
            }
            "custom_tool_call" => {
                let place = json!({"output_index": index, "item_id": id});
                frames += &self.whole_text("response.custom_tool_call_input", "input", item, &place);
            }
            _ => {}
        }
        self.output.push(item.clone());
        frames + &self.frame("response.output_item.done", json!({"output_index": index, "item": item}))
    }

    /// The last frame of a complete response. `request` is the number of the request within its conversation: the
    /// usage grows with it, so that sums can be checked.
    pub(super) fn complete(&mut self, request: usize) -> String {
        let (input, output) = (1000 + request, 50);
        let mut response = self.response("completed");
        response["usage"] = json!({
            "input_tokens": input, "input_tokens_details": {"cached_tokens": 100},
            "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 7},
            "total_tokens": input + output,
        });
        self.frame("response.completed", json!({"response": response}))
    }

    /// The last frame of a response that failed.
    pub(super) fn fail(&mut self, code: &str, message: &str) -> String {
        let mut response = self.response("failed");
        response["error"] = json!({"code": code, "message": message});
        self.frame("response.failed", json!({"response": response}))
    }

    fn message_parts(&mut self, item: &Value, index: usize, id: &Value) -> String {
        let mut frames = String::new();
        for (part_index, part) in list(item, "content").iter().enumerate() {
            let place = json!({"output_index": index, "item_id": id, "content_index": part_index});
            frames += &self.frame("response.content_part.added", with(&place, "part", &emptied(part)));
            frames += &self.whole_text("response.output_text", "text", part, &place);
            frames += &self.frame("response.content_part.done", with(&place, "part", part));
        }
        frames
    }

    fn summary_parts(&mut self, item: &Value, index: usize, id: &Value) -> String {
        let mut frames = String::new();
        for (part_index, part) in list(item, "summary").iter().enumerate() {
            let place = json!({"output_index": index, "item_id": id, "summary_index": part_index});
            frames +=
                &self.frame("response.reasoning_summary_part.added", with(&place, "part", &emptied(part)));
            frames += &self.whole_text("response.reasoning_summary_text", "text", part, &place);
            frames += &self.frame("response.reasoning_summary_part.done", with(&place, "part", part));
        }
        frames
    }

    /// `<event>.delta` for every piece of a text field, then `<event>.done` with all of it.
    fn whole_text(&mut self, event: &str, field: &str, holder: &Value, place: &Value) -> String {
        let text = holder.get(field).and_then(Value::as_str).unwrap_or_default();
        let characters: Vec<char> = text.chars().collect();
        let mut frames = String::new();
        for piece in characters.chunks(DELTA_CHARS) {
            let piece: String = piece.iter().collect();
            frames += &self.frame(&format!("{event}.delta"), with(place, "delta", &json!(piece)));
        }
        frames + &self.frame(&format!("{event}.done"), with(place, field, &json!(text)))
    }
}

fn list<'a>(item: &'a Value, field: &str) -> &'a [Value] {
    item.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn with(place: &Value, field: &str, value: &Value) -> Value {
    let mut event = place.clone();
    event[field] = value.clone();
    event
}

fn emptied(part: &Value) -> Value {
    with(part, "text", &json!(""))
}
