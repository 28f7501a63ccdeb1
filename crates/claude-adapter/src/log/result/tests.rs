use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

/// What a result comes to, in JSON: status, outcome and what it tells of the request.
fn told(kind: Option<ToolKind>, block: &str, recorded: Option<&str>) -> serde_json::Value {
    let raw = |json: &str| serde_json::value::RawValue::from_string(json.to_owned()).expect("JSON");
    let (block, recorded) = (raw(block), recorded.map(raw));
    let told = read(kind, &wire::object(Some(&block)), recorded.as_deref(), false);
    let found = told.found.map(|(_, detail)| detail);
    json!([told.answer.status, told.answer.outcome, found])
}

const COMMAND: Option<ToolKind> = Some(ToolKind::Command);
const READ: Option<ToolKind> = Some(ToolKind::FileRead);

fn printed(text: &str, lines: u64) -> serde_json::Value {
    json!({"output": {"text": text, "lines": {"count": lines, "at_least": false}, "cut": false}})
}

#[test]
fn only_what_is_marked_as_an_error_is_one() {
    let failed = |text: &str, lines| {
        let mut outcome = printed(text, lines);
        outcome["exit_code"] = 3.into();
        json!(["failed", outcome, null])
    };
    for (block, recorded, expected) in [
        (
            r#"{"content":"Exit code 3\nout\nerr","is_error":true}"#,
            Some(r#""Error: Exit code 3""#),
            failed("out\nerr", 2),
        ),
        (r#"{"content":"Exit code 3\nout\nerr"}"#, Some(r#""Error: Exit code 3""#), failed("out\nerr", 2)),
        // Where nothing is recorded beside the text, the text is all there is.
        (r#"{"content":"Error: Exit code 3\nout"}"#, None, failed("out", 1)),
        (r#"{"content":"Exit code 3","is_error":true}"#, None, json!(["failed", {"exit_code": 3}, null])),
        // What a command prints is no exit code.
        (
            r#"{"content":"Exit code 3\nout","is_error":false}"#,
            Some(r#"{"stdout":"Exit code 3\nout"}"#),
            json!(["completed", printed("Exit code 3\nout", 2), null]),
        ),
        (
            r#"{"content":"Error: Exit code 3"}"#,
            Some(r#"{"stdout":"x"}"#),
            json!(["completed", printed("Error: Exit code 3", 1), null]),
        ),
        (r#"{"content":"Exit code 3"}"#, None, json!(["completed", printed("Exit code 3", 1), null])),
        (
            r#"{"content":"Exit code 143\nCommand timed out after 2m 0s\nout","is_error":true}"#,
            None,
            json!(["failed", {"exit_code": 143, "timed_out": true, "output": printed("Command timed out after 2m 0s\nout", 2)["output"]}, null]),
        ),
        (
            r#"{"content":"Exit code many","is_error":true}"#,
            None,
            json!(["failed", {"failure": "Exit code many"}, null]),
        ),
        (
            r#"{"content":"<tool_use_error>Error: No such tool available: Grep</tool_use_error>"}"#,
            None,
            json!(["failed", {"failure": "No such tool available: Grep"}, null]),
        ),
        (r#"{"content":"","is_error":true}"#, None, json!(["failed", {}, null])),
        (
            r#"{"content":"The user doesn't want to proceed with this tool use. …, the user said:\nnot now","is_error":true}"#,
            None,
            json!(["failed", {"declined": true, "failure": "not now"}, null]),
        ),
        (
            r#"{"content":"Permission to use Bash has been denied.","is_error":true}"#,
            None,
            json!(["failed", {"declined": true}, null]),
        ),
        (
            r#"{"content":"[Request interrupted by user for tool use]","is_error":true}"#,
            None,
            json!(["aborted", {}, null]),
        ),
        (
            r#"{"content":"out"}"#,
            Some(r#"{"stdout":"out","interrupted":true}"#),
            json!(["aborted", printed("out", 1), null]),
        ),
    ] {
        assert_eq!(told(COMMAND, block, recorded), expected, "{block} {recorded:?}");
    }
    // Only commands exit.
    let read = told(READ, r#"{"content":"Exit code 3\nx","is_error":true}"#, None);
    assert_eq!(read, json!(["failed", {"failure": "Exit code 3\nx"}, null]));
}

#[test]
fn content_has_many_shapes() {
    for (content, expected) in [
        (r#""a""#, printed("a", 1)),
        (r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#, printed("a\nb", 2)),
        (r#"["a", 3, null, {"type":"unheard of","text":"b"}]"#, printed("a\nb", 2)),
        (r#"{"type":"text","text":"a"}"#, printed("a", 1)),
        (
            r#"[{"type":"image","source":{"media_type":"image/png","data":"QUJD"}}]"#,
            json!({"media": [{"mime": "image/png", "encoded_bytes": 4}]}),
        ),
        ("[]", json!({})),
        ("null", json!({})),
        ("7", json!({})),
    ] {
        let block = format!(r#"{{"content":{content}}}"#);
        assert_eq!(told(None, &block, None), json!(["completed", expected, null]), "{content}");
    }
}

#[test]
fn what_the_harness_adds_for_the_model_is_no_output() {
    let none = json!({});
    let persisted = r#"{"content":"<persisted-output>\nOutput too large (9KB). Full output saved to: /t/x.txt\n\nPreview (first 2KB):\n1\n2\n...\n</persisted-output>"}"#;
    let part = |text: &str, lines: u64| json!({"output": {"text": text, "lines": {"count": lines, "at_least": true}, "cut": true}});
    for (kind, block, recorded, expected) in [
        (COMMAND, r#"{"content":"(Bash completed with no output)"}"#, None, none.clone()),
        (COMMAND, persisted, None, part("1\n2", 2)),
        (COMMAND, persisted, Some(r#"{"stdout":"1\n2\n3","persistedOutputSize":9000}"#), part("1\n2\n3", 3)),
        (COMMAND, persisted, Some(r#"{"stdout":"1\n2\n3","persistedOutputSize":5}"#), printed("1\n2\n3", 3)),
        (
            COMMAND,
            r#"{"content":"1\n\n... [7 lines truncated] ...\n\n9"}"#,
            None,
            part("1\n\n... [7 lines truncated] ...\n\n9", 5),
        ),
        // What a command prints stays.
        (
            COMMAND,
            r#"{"content":"a\n<system-reminder>b</system-reminder>"}"#,
            None,
            printed("a\n<system-reminder>b</system-reminder>", 2),
        ),
        (READ, r#"{"content":"     1→a\n\n<system-reminder>b</system-reminder>"}"#, None, printed("a", 1)),
        (READ, r#"{"content":"<system-reminder>The file is empty.</system-reminder>"}"#, None, none.clone()),
        (
            READ,
            r#"{"content":"1\tx\n"}"#,
            Some(r#"{"type":"text","file":{"content":"x\ny\n"}}"#),
            printed("x\ny\n", 2),
        ),
        (
            Some(ToolKind::Plan),
            r#"{"content":"Todos have been modified successfully. Ensure …"}"#,
            None,
            none.clone(),
        ),
        (
            Some(ToolKind::FileChange),
            r#"{"content":"The file /a has been updated successfully."}"#,
            None,
            none,
        ),
        (
            Some(ToolKind::Agent),
            r#"{"content":[{"type":"text","text":"found"},{"type":"text","text":"agentId: a1\n<usage>…"}]}"#,
            None,
            printed("found", 1),
        ),
    ] {
        assert_eq!(told(kind, block, recorded), json!(["completed", expected, null]), "{block}");
    }
}

#[test]
fn work_goes_on_in_the_background() {
    let goes_on = |id: &str| json!(["running", {"running_session": id}, null]);
    let said = r#"{"content":"Command running in background with ID: b1. Output is being written to: /t"}"#;
    assert_eq!(told(COMMAND, said, None), goes_on("b1"));
    assert_eq!(told(COMMAND, r#"{"content":"x"}"#, Some(r#"{"backgroundTaskId":"b2"}"#)), goes_on("b2"));
    let launched = r#"{"status":"async_launched","agentId":"a1"}"#;
    assert_eq!(told(Some(ToolKind::Agent), r#"{"content":"x"}"#, Some(launched)), goes_on("a1"));
    // What a file says is no work.
    assert_eq!(told(READ, said, None)[0], "completed");
}

#[test]
fn a_result_tells_what_was_found_and_done() {
    let search = Some(ToolKind::FileSearch);
    let edit = Some(ToolKind::FileChange);
    for (kind, recorded, expected) in [
        (
            search,
            r#"{"mode":"content","numFiles":0,"numLines":4}"#,
            json!({"kind": "file_search", "query": "", "match_count": 4}),
        ),
        (
            search,
            r#"{"mode":"files_with_matches","numFiles":2}"#,
            json!({"kind": "file_search", "query": "", "match_count": 2}),
        ),
        (
            search,
            r#"{"mode":"count","numMatches":7,"numFiles":2}"#,
            json!({"kind": "file_search", "query": "", "match_count": 7}),
        ),
        (
            search,
            r#"{"filenames":["a"],"numFiles":1,"totalMatches":9}"#,
            json!({"kind": "file_search", "query": "", "match_count": 9}),
        ),
        (search, r#"{"numFiles":"many"}"#, json!(null)),
        (
            Some(ToolKind::Agent),
            r#"{"status":"completed","agentId":"a1"}"#,
            json!({"kind": "agent", "description": "", "prompt": "", "is_follow_up": false, "session": "a1"}),
        ),
        (
            edit,
            r#"{"filePath":"/a","structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":1,"lines":[" x","-y"]},{"lines":7},3]}"#,
            json!({"kind": "patch", "patch": "", "changes": [{"path": "/a", "change": {"type": "update", "unified_diff": "@@ -1,2 +1,1 @@\n x\n-y\n", "move_path": null}}],
                "files": [{"path": "/a", "action": "update", "added": 0, "removed": 1}]}),
        ),
        (edit, r#"{"filePath":"/a","structuredPatch":[]}"#, json!(null)),
        (edit, r#"{"structuredPatch":[{"lines":["+x"]}]}"#, json!(null)),
    ] {
        assert_eq!(told(kind, r#"{"content":"x"}"#, Some(recorded))[2], expected, "{recorded}");
    }
    // Nothing is done where it failed.
    let failed = told(
        edit,
        r#"{"content":"no","is_error":true}"#,
        Some(r#"{"filePath":"/a","structuredPatch":[{"lines":["+x"]}]}"#),
    );
    assert_eq!(failed[2], json!(null));
}
