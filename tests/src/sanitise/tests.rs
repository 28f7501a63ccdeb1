use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::json;

use super::*;

const LONG: usize = VENDOR_TEXT_LIMIT + 60;

#[test]
fn only_vendor_texts_are_cut() {
    let long = "é".repeat(LONG);
    let cut = "é".repeat(VENDOR_TEXT_LIMIT) + TRIMMED;
    let check = |row: serde_json::Value, is_cut: bool| {
        let expected = if is_cut { row.to_string().replace(&long, &cut) } else { row.to_string() };
        assert_eq!(rollout(&row.to_string(), &[]), expected.clone() + "\n");
        assert_eq!(long_vendor_texts(&row.to_string()).is_empty(), !is_cut, "{row}");
        assert!(long_vendor_texts(&expected).is_empty(), "{row}");
    };
    let item = |payload: serde_json::Value| json!({"type": "response_item", "payload": payload});
    check(json!({"type": "session_meta", "payload": {"base_instructions": {"text": long}}}), true);
    check(json!({"type": "world_state", "payload": {"state": {"host_skills": {"body": long}}}}), true);
    check(json!({"type": "turn_context", "payload": {"developer_instructions": long}}), true);
    check(json!({"type": "event_msg", "payload": {"type": "thread_settings_applied", "x": [long]}}), true);
    check(
        json!({"type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": long}}),
        false,
    );
    check(item(json!({"type": "message", "role": "developer", "content": [{"text": long}]})), true);
    check(item(json!({"type": "message", "role": "user", "content": [{"text": long}]})), false);
    check(item(json!({"type": "additional_tools", "tools": [{"description": long}]})), true);
    check(item(json!({"type": "tool_search_output", "tools": [{"description": long}]})), true);
    check(item(json!({"type": "function_call_output", "output": long})), false);
    let history = json!([{"type": "message", "role": "developer", "content": [{"text": long}]}]);
    check(json!({"type": "compacted", "payload": {"replacement_history": history}}), true);
    check(json!({"no": "record", "text": long}), false);
}

#[test]
fn paths_are_replaced_everywhere_and_order_stays() {
    let paths = [
        ("/tmp/x/demo".to_owned(), "/workspace/demo".to_owned()),
        ("/tmp/x".to_owned(), "/home/user".to_owned()),
    ];
    let line = r#"{"z":1,"a":{"/tmp/x/demo/f":"file:///tmp/x/demo"},"m":[null,true,-2,0.5,"/tmp/x/.codex"]}"#;
    let expected = r#"{"z":1,"a":{"/workspace/demo/f":"file:///workspace/demo"},"m":[null,true,-2,0.5,"/home/user/.codex"]}"#;
    assert_eq!(rollout(line, &paths), format!("{expected}\n"));
    assert_eq!(rollout("no JSON, kept as it is\n{\n", &paths), "no JSON, kept as it is\n{\n");
}

/// The fixtures that are in the project may hold neither.
#[test]
fn the_fixtures_hold_no_vendor_prompts_and_no_machine_paths() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/codex");
    let mut rows = 0;
    for folder in ["rollouts", "exec-json"] {
        for entry in fs::read_dir(fixtures.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            for line in fs::read_to_string(&path).unwrap().lines() {
                assert_eq!(long_vendor_texts(line), Vec::<String>::new(), "{}", path.display());
                assert!(
                    !line.contains("/tmp/") && !line.contains("codex-lab-"),
                    "{}: {line}",
                    path.display()
                );
                rows += 1;
            }
        }
    }
    assert!(rows > 1000, "only {rows} rows found");
}

proptest! {
    #[test]
    fn a_second_time_changes_nothing(text in ".{0,400}", role in "developer|user") {
        let row = json!({"type": "response_item", "payload": {"type": "message", "role": role, "text": text}}).to_string();
        let once = rollout(&row, &[]);
        prop_assert_eq!(rollout(&once, &[]), once);
    }
}
