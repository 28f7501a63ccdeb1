use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn detail(name: &str, input: &Value) -> Value {
    let detail = detail_of_call(&ToolName::bare(name), CallInput::Json(input), LineBase::One);
    serde_json::to_value(&detail).expect("a detail is JSON")
}

#[test]
fn arguments_of_every_agent_become_details() {
    let rows = [
        (
            "exec_command",
            json!({"cmd": "ls", "workdir": "/w", "tty": true}),
            json!({"kind": "command", "command": "ls", "workdir": "/w", "tty": true}),
        ),
        (
            "shell",
            json!({"command": ["bash", "-lc", "cd x && ls"]}),
            json!({"kind": "command", "command": "cd x && ls"}),
        ),
        (
            "shell",
            json!({"command": ["git", "log", "a b"]}),
            json!({"kind": "command", "command": "git log 'a b'"}),
        ),
        ("Bash", json!({"command": "npm test"}), json!({"kind": "command", "command": "npm test"})),
        (
            "write_stdin",
            json!({"session_id": 7, "chars": "y\n", "yield_time_ms": 800}),
            json!({"kind": "terminal_input", "session_id": "7", "chars": "y\n", "is_poll": false, "wait_ms": 800}),
        ),
        (
            "write_stdin",
            json!({"sessionId": "7", "chars": ""}),
            json!({"kind": "terminal_input", "session_id": "7", "chars": "", "is_poll": true}),
        ),
        (
            "wait",
            json!({"cell_id": "1", "terminate": true}),
            json!({"kind": "terminal_input", "session_id": "1", "chars": "", "is_poll": true, "terminate": true}),
        ),
        (
            "Read",
            json!({"file_path": "/a", "offset": 10, "limit": "5"}),
            json!({"kind": "file_read", "path": "/a", "first_line": 10, "line_count": 5}),
        ),
        (
            "Grep",
            json!({"pattern": "x", "path": "src", "head_limit": 3}),
            json!({"kind": "file_search", "query": "x", "path": "src", "head_limit": 3}),
        ),
        (
            "Edit",
            json!({"file_path": "a", "old_string": "1", "new_string": "2"}),
            json!({"kind": "file_change", "mode": "edit", "path": "a", "edits": [["1", "2"]]}),
        ),
        (
            "MultiEdit",
            json!({"file_path": "a", "edits": [{"old_string": "1", "new_string": "2"}, {"before": "3", "after": ""}]}),
            json!({"kind": "file_change", "mode": "edit", "path": "a", "edits": [["1", "2"], ["3", ""]]}),
        ),
        (
            "Write",
            json!({"file_path": "a", "content": "c"}),
            json!({"kind": "file_change", "mode": "write", "path": "a", "edits": [], "content": "c"}),
        ),
        (
            "web__run",
            json!({"search_query": [{"q": "a"}, {"q": "b"}]}),
            json!({"kind": "web_search", "query": "a · b"}),
        ),
        (
            "spawn_agent",
            json!({"task_name": "one", "message": "gAAAAABsecret"}),
            json!({"kind": "agent", "description": "one", "prompt": "", "is_follow_up": false}),
        ),
        (
            "wait_agent",
            json!({"timeout_ms": 5}),
            json!({"kind": "agent", "description": "", "prompt": "", "is_follow_up": true}),
        ),
        (
            "update_plan",
            json!({"plan": [{"step": "a", "status": "in_progress"}, {"step": "b"}]}),
            json!({"kind": "plan", "items": [{"text": "a", "status": "in_progress"}, {"text": "b", "status": "pending"}]}),
        ),
        (
            "mcp__demo__add",
            json!({"a": 1}),
            json!({"kind": "mcp", "server": "demo", "tool": "add", "input": "{\n  \"a\": 1\n}"}),
        ),
        (
            "view_image",
            json!({"path": "a.png"}),
            json!({"kind": "image", "target": "a.png", "is_prompt": false}),
        ),
        (
            "image_gen__imagegen",
            json!({"prompt": "a cat"}),
            json!({"kind": "image", "target": "a cat", "is_prompt": true}),
        ),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}),
            json!({"kind": "patch", "patch": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch", "files": [{"path": "a", "action": "add", "added": 1, "removed": 0}]}),
        ),
        (
            "TaskUpdate",
            json!({"taskId": "1", "status": "in_progress"}),
            json!({"kind": "plan", "items": [{"text": "#1", "status": "in_progress"}]}),
        ),
        // No state of an entry: not taken for one.
        (
            "TaskUpdate",
            json!({"taskId": "1", "addBlockedBy": ["2"]}),
            json!({"kind": "generic", "language": "json", "input": "{\n  \"addBlockedBy\": [\n    \"2\"\n  ],\n  \"taskId\": \"1\"\n}"}),
        ),
        (
            "TaskOutput",
            json!({"task_id": "b1", "block": true}),
            json!({"kind": "terminal_input", "session_id": "b1", "chars": "", "is_poll": true}),
        ),
        (
            "SendMessage",
            json!({"to": "a1", "message": "go on"}),
            json!({"kind": "agent", "description": "a1", "prompt": "go on", "is_follow_up": true}),
        ),
        (
            "StrReplaceFile",
            json!({"path": "a", "edit": {"old": "1", "new": "2", "replace_all": true}}),
            json!({"kind": "file_change", "mode": "edit", "path": "a", "edits": [["1", "2"]]}),
        ),
        // Shapes that are not the tool's keep their input.
        (
            "exec_command",
            json!({"nope": 1}),
            json!({"kind": "generic", "language": "json", "input": "{\n  \"nope\": 1\n}"}),
        ),
        (
            "exec_command",
            json!({"cmd": ["ls", 1]}),
            json!({"kind": "generic", "language": "json", "input": "{\n  \"cmd\": [\n    \"ls\",\n    1\n  ]\n}"}),
        ),
        (
            "apply_patch",
            json!({"input": "no patch"}),
            json!({"kind": "generic", "language": "json", "input": "{\n  \"input\": \"no patch\"\n}"}),
        ),
        ("get_goal", json!({}), json!({"kind": "generic", "language": "json", "input": "{}"})),
    ];
    for (name, input, expected) in rows {
        assert_eq!(detail(name, &input), expected, "{name} {input}");
    }
}

#[test]
fn a_here_document_patch_is_a_patch() {
    let input = json!({"cmd": "cd sub && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF"});
    let detail = detail("exec_command", &input);
    assert_eq!(detail["kind"], "patch");
    assert_eq!(detail["workdir"], "sub");
    assert_eq!(detail["files"][0]["path"], "a");
}

#[test]
fn agents_count_lines_differently() {
    let input = json!({"path": "a", "line_offset": 0});
    let read = |base| detail_of_call(&ToolName::bare("read_file"), CallInput::Json(&input), base);
    let first = |detail| {
        let ToolCallDetail::FileRead(read) = detail else { panic!("not a read: {detail:?}") };
        read.first_line
    };
    assert_eq!(first(read(LineBase::Zero)), Some(1));
    assert_eq!(first(read(LineBase::One)), Some(0));
}
