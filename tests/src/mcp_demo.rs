//! A tiny MCP server on stdio, for an agent that is to call one: `add` gives structured content, `boom` an error,
//! `note` plain text.
//!
//! It owns one connection from beginning to end: one JSON-RPC message a line, answered in order.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

/// Speaks MCP until the input ends. A line that is no JSON, and a notification, get no answer.
pub fn serve(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        let Some(id) = message.get("id") else { continue };
        let answer = match respond(&message) {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn respond(message: &Value) -> Result<Value, Value> {
    let params = message.get("params").unwrap_or(&Value::Null);
    match message.get("method").and_then(Value::as_str).unwrap_or_default() {
        "initialize" => Ok(json!({
            // The client names the version that it speaks; every version since the first has these messages.
            "protocolVersion": params.get("protocolVersion").cloned().unwrap_or_else(|| json!("2025-06-18")),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "demo", "version": "0.1.0"},
        })),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": tools()})),
        "tools/call" => call(params),
        other => Err(json!({"code": -32601, "message": format!("unknown method {other}")})),
    }
}

fn tools() -> Value {
    let number = json!({"type": "integer"});
    json!([
        {
            "name": "add", "description": "Adds two whole numbers",
            "inputSchema": {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]},
        },
        {"name": "boom", "description": "Always fails", "inputSchema": {"type": "object", "properties": {}}},
        {
            "name": "note", "description": "Keeps a note",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        },
    ])
}

fn call(params: &Value) -> Result<Value, Value> {
    let argument = |name: &str| params.get("arguments").and_then(|arguments| arguments.get(name));
    let number = |name: &str| argument(name).and_then(Value::as_i64).unwrap_or_default();
    match params.get("name").and_then(Value::as_str).unwrap_or_default() {
        "add" => {
            let sum = number("a").saturating_add(number("b"));
            Ok(json!({
                "content": [{"type": "text", "text": format!("sum={sum}")}], "structuredContent": {"sum": sum},
            }))
        }
        "boom" => Ok(json!({"content": [{"type": "text", "text": "it failed"}], "isError": true})),
        "note" => {
            let text = argument("text").and_then(Value::as_str).unwrap_or_default();
            Ok(json!({"content": [{"type": "text", "text": format!("noted: {text}")}]}))
        }
        other => Err(json!({"code": -32602, "message": format!("unknown tool {other}")})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaks_one_line_a_request() {
        fn check(line: &str, expected: &Value) {
            let mut output = Vec::new();
            serve(line.as_bytes(), &mut output).unwrap();
            let answers: Vec<Value> = output
                .split(|&byte| byte == b'\n')
                .filter_map(|line| serde_json::from_slice(line).ok())
                .collect();
            assert_eq!(json!(answers), *expected, "{line}");
        }
        let result = |result: Value| json!([{"jsonrpc": "2.0", "id": 1, "result": result}]);
        let error = |code: i32, text: &str| json!([{"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": text}}]);
        check("not JSON\n", &json!([]));
        check(r#"{"method":"notifications/initialized"}"#, &json!([]));
        check(r#"{"id":1,"method":"ping"}"#, &result(json!({})));
        check(
            r#"{"id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#,
            &result(json!({
                "protocolVersion": "2025-03-26", "capabilities": {"tools": {}},
                "serverInfo": {"name": "demo", "version": "0.1.0"},
            })),
        );
        check(
            r#"{"id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#,
            &result(json!({"content": [{"type": "text", "text": "sum=3"}], "structuredContent": {"sum": 3}})),
        );
        check(
            r#"{"id":1,"method":"tools/call","params":{"name":"note","arguments":{"text":"hi"}}}"#,
            &result(json!({"content": [{"type": "text", "text": "noted: hi"}]})),
        );
        check(
            r#"{"id":1,"method":"tools/call","params":{"name":"boom"}}"#,
            &result(json!({"content": [{"type": "text", "text": "it failed"}], "isError": true})),
        );
        check(r#"{"id":1,"method":"tools/call","params":{}}"#, &error(-32602, "unknown tool "));
        check(r#"{"id":1,"method":"resources/list"}"#, &error(-32601, "unknown method resources/list"));
    }

    #[test]
    fn lists_its_tools() {
        let tools = tools();
        let names: Vec<&str> =
            tools.as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names, ["add", "boom", "note"]);
    }
}
