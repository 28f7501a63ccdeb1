//! Scripts, cells, odd shapes and old logs: what no capture shows, as small logs written by hand.

#![cfg(test)]

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::reading::Live;
use crate::support::rows::Rows;
use crate::support::shown;

/// A patch that adds this file.
fn patch_of(path: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch")
}

#[track_caller]
fn check(rows: &Rows, expected: &[&str]) {
    assert_eq!(shown::lines(&Live::of(&rows.bytes()).state), expected);
}

fn turn() -> Rows {
    Rows::paginated().turn("1")
}

#[test]
fn notify_is_added_to_the_script_that_sent_it() {
    let late = |text: &str| json!({"type": "custom_tool_call_output", "call_id": "a", "name": "exec", "output": text});
    let source = "notify('50%'); await tools.exec_command({cmd: 'make'}); await tools.exec_command({cmd: 'make test'}); text('end');";
    let after = turn()
        .script("a", source)
        .ran("exec-1", "make", 0)
        .ran("exec-2", "make test", 0)
        .scripted("a", "completed", &["end"])
        .item(late("50%"))
        .done();
    let before = turn()
        .script("a", source)
        .item(late("50%"))
        .ran("exec-1", "make", 0)
        .ran("exec-2", "make test", 0)
        .scripted("a", "completed", &["end"])
        .done();
    for rows in [&after, &before] {
        check(rows, &["🧩 编排 2 个工具 · `exec_command`", "  - 💻 运行 `make`", "  - 💻 运行 `make test`"]);
    }
    let output = |rows: &Rows| {
        Live::of(&rows.bytes()).state.calls()[0].outcome.output.clone().unwrap().text.to_string()
    };
    assert_eq!(output(&after), "end\n50%");
    assert!(output(&before).contains("50%") && output(&before).contains("end"), "{}", output(&before));
}

#[test]
fn a_heredoc_patch_is_a_patch() {
    let command = format!("apply_patch <<'EOF'\n{}\nEOF", patch_of("here.txt"));
    let answer = "Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA here.txt\n";
    check(
        &turn().command("a", &command).patched("a", "here.txt", "completed").output("a", answer).done(),
        &["🛠️ 修改 `here.txt`"],
    );
    check(
        &Rows::legacy().turn("1").command("a", &command).output("a", answer).done(),
        &["🛠️ 修改 `here.txt`"],
    );
    let source = format!("const r = await tools.exec_command({{cmd: {}}}); text(r.output);", json!(command));
    let rows = turn()
        .script("a", &source)
        .patched("exec-1", "here.txt", "completed")
        .scripted("a", "completed", &["Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n"])
        .done();
    check(&rows, &["🛠️ 修改 `here.txt`"]);
}

#[test]
fn overlapping_cells_keep_their_own() {
    let rows = turn()
        .script("a", "await tools.exec_command({cmd: 'one'}); await tools.exec_command({cmd: 'same'});")
        .scripted("a", "running with cell ID 1", &[])
        .script("b", "await tools.exec_command({cmd: 'two'}); await tools.exec_command({cmd: 'same'});")
        .ran("exec-1", "one", 0)
        .ran("exec-2", "two", 0)
        .ran("exec-3", "same", 0)
        .scripted("b", "completed", &[])
        // Only one script can still make it.
        .ran("exec-4", "same", 1)
        .call("w", "wait", json!({"cell_id": "1"}))
        .scripted("w", "completed", &[])
        .done();
    check(
        &rows,
        &[
            "🧩 编排 2 个工具 · `exec_command` · 1 个失败 · 后台终端 `1`",
            "  - 💻 运行 `one`",
            "  - ⚠️ 运行 `same` · exit 1",
            "🧩 编排 2 个工具 · `exec_command`",
            "  - 💻 运行 `two`",
            "  - ❔ 运行 `same` · 未见执行记录",
            "💻 运行 `same`",
            "⏳ 等待 终端 `1` · 200ms",
        ],
    );
}

/// Cells are counted by the process: a resumed session may have another cell with the number of one that was left open.
#[test]
fn a_cell_number_used_again_after_a_resume() {
    let rows = turn()
        .script("a", "await tools.exec_command({cmd: 'old'}); await tools.exec_command({cmd: 'older'});")
        .scripted("a", "running with cell ID 1", &[])
        .done()
        .turn("2")
        .script("b", "await tools.exec_command({cmd: 'new'}); await tools.exec_command({cmd: 'newer'});")
        .scripted("b", "running with cell ID 1", &[])
        .ran("exec-1", "new", 0)
        .ran("exec-2", "newer", 0)
        .call("w", "wait", json!({"cell_id": "1"}))
        .scripted("w", "completed", &[])
        .done();
    check(
        &rows,
        &[
            "❔ 编排 2 个工具 · `exec_command` · 后台终端 `1` · 无结果记录",
            "  - ❔ 运行 `old` · 未见执行记录",
            "  - ❔ 运行 `older` · 未见执行记录",
            "🧩 编排 2 个工具 · `exec_command` · 后台终端 `1`",
            "  - 💻 运行 `new`",
            "  - 💻 运行 `newer`",
            "⏳ 等待 终端 `1` · 200ms",
        ],
    );
}

#[test]
fn a_terminated_script() {
    let rows = turn()
        .script("a", "await tools.exec_command({cmd: 'sleep 60'}); text('never');")
        .scripted("a", "running with cell ID 3", &[])
        .call("w", "wait", json!({"cell_id": "3", "terminate": true}))
        .output("w", "Script terminated\nWall time 0.0 seconds\nOutput:\n")
        .done();
    check(&rows, &["⏹️ 运行 `sleep 60` · 后台终端 `3` · 已中断", "⏹️ 等待 终端 `3` · 已中断"]);
}

#[test]
fn a_loop_over_what_only_running_tells_is_replaced_by_what_ran() {
    let source = "const r = await tools.exec_command({cmd: 'ls'});\nfor (const f of r.output.split('\\n')) await tools.exec_command({cmd: `wc ${f}`});";
    let rows = turn()
        .script("a", source)
        .ran("exec-1", "ls", 0)
        .ran("exec-2", "wc a", 0)
        .ran("exec-3", "wc b", 1)
        .scripted("a", "completed", &[])
        .done();
    check(
        &rows,
        &[
            "🧩 编排 3 个工具 · `exec_command` · 1 个失败",
            "  - 📂 浏览 `.`",
            "  - 💻 运行 `wc a`",
            "  - ⚠️ 运行 `wc b` · exit 1",
        ],
    );
    // None ran: the one place in the text stands for any number.
    let rows = turn().script("a", source).ran("exec-1", "ls", 0).scripted("a", "completed", &[]).done();
    let lines = shown::lines(&Live::of(&rows.bytes()).state);
    assert!(
        lines[2].starts_with("  - ❔ ") && lines[2].contains("× ?") && lines[2].contains("未求值"),
        "{lines:?}"
    );
}

#[test]
fn an_argument_that_is_only_known_when_it_runs_shows_its_source() {
    let rows = turn()
        .script("a", "await tools.exec_command({cmd: load('c')}); await tools.exec_command({cmd: 'ls'});")
        .scripted("a", "completed", &[])
        .done();
    let state = Live::of(&rows.bytes()).state;
    let words = shown::all_words(&state.calls()[0]);
    assert!(words[1].contains("```javascript\n") && words[1].contains("load('c')"), "{}", words[1]);
    assert!(words[1].contains("未求值"), "{}", words[1]);
}

#[test]
fn searches_and_images_that_are_call_and_end_at_once() {
    let search = |status: &str| json!({"type": "web_search_call", "id": "ws", "status": status, "action": {"type": "search", "query": "rust"}});
    check(&turn().item(search("completed")).done(), &["🌐 搜索网页 `rust`"]);
    check(&turn().item(search("failed")).done(), &["❌ 搜索网页 `rust`"]);
    let item = json!({"type": "item_completed", "item": {"type": "WebSearch", "id": "ws", "query": "rust", "action": {"type": "search", "query": "rust"}}});
    check(&turn().event(item.clone()).item(search("completed")).done(), &["🌐 搜索网页 `rust`"]);
    check(&turn().item(search("completed")).event(item).done(), &["🌐 搜索网页 `rust`"]);
    let open = json!({"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "open_page", "url": "https://example.org/a"}});
    check(&turn().item(open).done(), &["🌐 读取网页 https://example.org/a"]);
    let image = json!({"type": "image_generation_call", "id": "ig", "status": "completed", "revised_prompt": "a cat", "result": "iVBORw0KGgo="});
    check(&turn().item(image).done(), &["🔧 调用 `image_gen__imagegen`"]);
}

#[test]
fn arguments_of_any_shape() {
    let call = |arguments: serde_json::Value| {
        turn().item(json!({"type": "function_call", "call_id": "a", "name": "exec_command", "arguments": arguments})).done()
    };
    check(&call(json!({"cmd": "ls"})), &["❔ 浏览 `.` · 无结果记录"]);
    check(&call(json!("{\"cmd\": [\"bash\", \"-lc\", \"ls\"]}")), &["❔ 浏览 `.` · 无结果记录"]);
    for odd in [json!("not json"), json!(null), json!([1]), json!(3), json!("")] {
        check(&call(odd), &["❔ 运行 `exec_command` · 无结果记录"]);
    }
    let missing = turn().item(json!({"type": "function_call", "call_id": "a", "name": "read_file"})).done();
    check(&missing, &["❔ 调用 `read_file` · 无结果记录"]);
    let nameless = turn().item(json!({"type": "function_call", "call_id": "a", "arguments": "{}"})).done();
    assert_eq!(shown::lines(&Live::of(&nameless.bytes()).state).len(), 1);
    // A custom call whose input stands under another name, or is JSON.
    let odd = json!({"type": "custom_tool_call", "call_id": "a", "name": "apply_patch", "arguments": {"input": patch_of("a.txt")}});
    check(&turn().item(odd).done(), &["❔ 修改 `a.txt` · 无结果记录"]);
}

#[test]
fn outputs_of_any_shape() {
    let output =
        |output: serde_json::Value| turn().call("a", "list_things", json!({})).output("a", output).done();
    for plain in [
        json!("x\ny\n"),
        json!([{"type": "input_text", "text": "x\ny\n"}]),
        json!({"output": "x\ny\n"}),
        json!({"content": "x\ny\n", "success": true}),
    ] {
        let rows = output(plain.clone());
        let call = &Live::of(&rows.bytes()).state.calls()[0];
        assert_eq!(
            call.outcome.output.as_ref().map(|o| o.text.to_string()).as_deref(),
            Some("x\ny\n"),
            "{plain}"
        );
    }
    for empty in [json!(""), json!(null), json!([])] {
        let rows = output(empty.clone());
        assert_eq!(Live::of(&rows.bytes()).state.calls()[0].outcome.output, None, "{empty}");
    }
    let missing = turn()
        .call("a", "list_things", json!({}))
        .item(json!({"type": "function_call_output", "call_id": "a"}))
        .done();
    check(&missing, &["🔧 调用 `list_things`"]);
    let image = output(
        json!([{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}, {"type": "encrypted_content", "encrypted_content": "zz"}]),
    );
    let call = &Live::of(&image.bytes()).state.calls()[0];
    assert_eq!((call.outcome.media.len(), call.outcome.output.is_none()), (1, true));
}

#[test]
fn rows_of_unknown_kinds_are_counted_and_told_once() {
    let rows = turn()
        .row("brand_new", json!({"a": 1}))
        .row("brand_new", json!({"a": 2}))
        .event(json!({"type": "new_event"}))
        .event(json!({"type": "item_completed", "item": {"type": "NewItem", "id": "x"}}))
        .item(json!({"type": "new_item"}))
        .line("{\"id\":\"x\",\"thread_name\":\"y\",\"updated_at\":\"z\"}")
        .done();
    check(
        &rows,
        &[
            "unknown brand_new × 2",
            "unknown event_msg/new_event × 1",
            "unknown item_completed/NewItem × 1",
            "unknown response_item/new_item × 1",
            "unknown row without a type × 1",
        ],
    );
}

/// Builds before turn ids: the running number of the turn stands for it.
#[test]
fn a_log_without_turn_ids() {
    let says = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let rows = Rows::bare()
        .item(says("one"))
        .command("c", "ls")
        .exited("c", 0, "")
        .item(says("two"))
        .command("c", "pwd")
        .exited("c", 1, "");
    check(&rows, &["user: one", "📂 浏览 `.` · 200ms", "user: two", "⚠️ 运行 `pwd` · exit 1 · 200ms"]);
    let keys: Vec<String> =
        Live::of(&rows.bytes()).state.calls().iter().map(|call| call.key.turn.to_string()).collect();
    assert_eq!(keys, ["turn-1", "turn-2"]);
}

#[test]
fn secrets_do_not_reach_a_surface() {
    let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
    let rows = turn()
        .command("a", &format!("curl -H 'Authorization: Bearer {key}' https://example.org"))
        .exited("a", 1, &format!("api_key={key}\n"))
        .script("b", &format!("await tools.exec_command({{cmd: 'export TOKEN={key}'}});"))
        .ran("exec-1", &format!("export TOKEN={key}"), 1)
        .scripted("b", "completed", &[])
        .done();
    let state = Live::of(&rows.bytes()).state;
    for call in state.calls() {
        for words in shown::all_words(&call) {
            assert!(!words.contains("abcdefghijklmnop"), "{words}");
        }
    }
}

#[test]
fn a_cell_that_fails_later() {
    let source = "await tools.exec_command({cmd: 'make'}); await tools.exec_command({cmd: 'make test'});";
    let rows = turn()
        .script("a", source)
        .scripted("a", "running with cell ID 1", &["so far"])
        .ran("exec-1", "make", 0)
        .call("w", "wait", json!({"cell_id": "1"}))
        .scripted("w", "failed", &["more", "Script error:\nError: boom"])
        .done();
    check(
        &rows,
        &[
            "❌ 编排 2 个工具 · `exec_command` · 后台终端 `1`",
            "  ! Error: boom",
            "  - 💻 运行 `make`",
            "  - ❔ 运行 `make test` · 未见执行记录",
            "❌ 等待 终端 `1` · 200ms · 输出 1 行",
            "  ! Error: boom",
        ],
    );
    let calls = Live::of(&rows.bytes()).state.calls();
    assert_eq!(calls[0].outcome.output.as_ref().unwrap().text.as_ref(), "so far\nmore");
}

/// Older builds wrote the head once more when a session was resumed: nothing is copied, nothing is hidden.
#[test]
fn a_second_head_of_the_same_session_hides_nothing() {
    let head = || json!({"id": "01a00000-0000-7000-8000-000000000000", "cwd": "/w"});
    for turn_id in ["01900000-0000-7000-8000-000000000001", "01b00000-0000-7000-8000-000000000001", "turn"] {
        let rows = Rows::bare()
            .row("session_meta", head())
            .turn(turn_id)
            .command("a", "one")
            .exited("a", 0, "")
            .done()
            .row("session_meta", head())
            .turn(&format!("{turn_id}2"))
            .command("b", "two")
            .exited("b", 1, "")
            .done();
        check(&rows, &["💻 运行 `one` · 200ms", "⚠️ 运行 `two` · exit 1 · 200ms"]);
    }
}

#[test]
fn a_tool_that_the_script_computes_has_no_invented_name() {
    let rows = turn()
        .script("a", "await tools[load('t')]({a: 1}); await tools.exec_command({cmd: 'ls'});")
        .ran("exec-1", "ls", 0)
        .scripted("a", "completed", &[])
        .done();
    let lines = shown::lines(&Live::of(&rows.bytes()).state);
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert!(lines.iter().all(|line| !line.contains("``")), "{lines:#?}");
    assert!(lines[1].starts_with("  - ❔ "), "{lines:#?}");
    assert_eq!(lines[2], "  - 📂 浏览 `.`");
}
