//! What other readers of these logs get wrong, and what no capture shows: small logs written by hand.
//!
//! Each is named after what a person would see. A line of what is expected is a title, `- ` a call within, `! ` why it
//! failed, or a message with who said it.

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

/// How the turns end.
#[track_caller]
fn check_ends(rows: &Rows, expected: &[&str]) {
    let state = Live::of(&rows.bytes()).state;
    let ends =
        state.turns.iter().map(|turn| format!("{:?}", turn.end.as_ref().unwrap().outcome).to_lowercase());
    assert_eq!(ends.collect::<Vec<_>>(), expected);
}

fn turn() -> Rows {
    Rows::paginated().turn("1")
}

#[test]
fn cells_with_other_tools_do_not_vanish() {
    let rows = turn()
        .script("a", "text(await tools.web__run({search_query: [{q: 'rust'}]}));")
        .scripted("a", "completed", &["found"])
        .script("b", "await tools.update_plan({plan: [{step: 'x', status: 'pending'}]}); text('ok');")
        .scripted("b", "completed", &["ok"])
        .script("c", "text(await tools.some_new_tool({depth: 3}));")
        .scripted("c", "completed", &["done"])
        .script("d", "text(await tools.mcp__docs__find({q: 'x'}));")
        .event(json!({"type": "item_completed", "item": {
            "type": "McpToolCall", "id": "exec-1", "server": "docs", "tool": "find", "arguments": {"q": "x"},
            "status": "completed", "result": {"content": [{"type": "text", "text": "y"}]}, "duration": {"secs": 2, "nanos": 0},
        }}))
        .scripted("d", "completed", &["y"])
        .done();
    check(
        &rows,
        &["🌐 搜索网页 `rust`", "☑️ 更新计划 1 项", "🔧 调用 `some_new_tool`", "🔧 调用 `docs/find`"],
    );
}

#[test]
fn a_later_event_with_the_scripts_own_id_does_not_take_its_title() {
    let rows = turn()
        .script("a", "await tools.exec_command({cmd: 'make'}); await tools.exec_command({cmd: 'make test'});")
        .ran("a", "make", 0)
        .ran("a", "make test", 2)
        .scripted("a", "completed", &[])
        .done();
    check(
        &rows,
        &[
            "🧩 编排 2 个工具 · `exec_command` · 1 个失败",
            "  - 💻 运行 `make`",
            "  - ⚠️ 运行 `make test` · exit 2",
        ],
    );
}

#[test]
fn a_patch_in_a_script_is_one_row_with_its_files() {
    let source =
        format!("const patch = {};\ntext(await tools.apply_patch(patch));", json!(patch_of("src/new.rs")));
    let rows = turn()
        .script("a", &source)
        .patched("exec-1", "src/new.rs", "completed")
        .scripted("a", "completed", &["{}"])
        .done();
    check(&rows, &["🛠️ 修改 `src/new.rs`"]);
    let state = Live::of(&rows.bytes()).state;
    let words = shown::all_words(&state.calls()[0]);
    assert!(words[1].contains("+x"), "the card shows the patch: {}", words[1]);
    assert!(words.iter().all(|text| !text.contains("{}")), "{words:?}");
    // The older event tells the same.
    let rows = Rows::legacy()
        .turn("1")
        .script("a", &source)
        .patched("exec-1", "src/new.rs", "completed")
        .scripted("a", "completed", &["{}"])
        .done();
    check(&rows, &["🛠️ 修改 `src/new.rs`"]);
}

#[test]
fn a_bare_patch_as_a_script_is_not_applied() {
    let rows = turn()
        .script("a", &patch_of("a.txt"))
        .scripted("a", "failed", &["Script error:\nSyntaxError: Unexpected token '**'"])
        .done();
    check(
        &rows,
        &["❌ 运行脚本 · SyntaxError: Unexpected token '\\*\\*'", "  ! SyntaxError: Unexpected token '**'"],
    );
}

#[test]
fn a_yielded_cell_that_is_gone_ends_as_unknown() {
    let rows = turn()
        .script("a", "await tools.exec_command({cmd: 'sleep 9'}); await tools.exec_command({cmd: 'ls'});")
        .scripted("a", "running with cell ID 6", &[])
        .call("w", "wait", json!({"cell_id": "6", "yield_time_ms": 1000}))
        .scripted("w", "failed", &["Script error:\nexec cell 6 not found"])
        .done();
    check(
        &rows,
        &[
            "❔ 编排 2 个工具 · `exec_command` · 后台终端 `6` · 无结果记录",
            "  - ❔ 运行 `sleep 9` · 未见执行记录",
            "  - ❔ 浏览 `.` · 未见执行记录",
            "❌ 等待 终端 `6` · 等待 1.0s · 200ms",
            "  ! exec cell 6 not found",
        ],
    );
}

#[test]
fn a_call_without_an_output() {
    let call = || turn().command("a", "ls");
    check(&call().aborted(), &["⏹️ 浏览 `.` · 已中断"]);
    check(&call().done(), &["❔ 浏览 `.` · 无结果记录"]);
    check(&call(), &["❔ 浏览 `.` · 无结果记录"]);
    check_ends(&call(), &["open"]);
    // A script that was cut short: nothing of it is known to have run.
    let script = || turn().script("a", "await tools.exec_command({cmd: 'ls'});");
    check(&script().aborted(), &["⏹️ 浏览 `.` · 已中断"]);
    check(&script(), &["❔ 浏览 `.` · 未见执行记录"]);
}

#[test]
fn an_outcome_that_stands_only_in_the_text() {
    for (output, expected) in [
        (
            "Chunk ID: 1\nWall time: 1.5 seconds\nProcess exited with code 3\nOutput:\nx\ny\n",
            vec!["⚠️ 运行 `make` · exit 3 · 1.5s · 输出 2 行"],
        ),
        (
            "Command: make\nChunk ID: 1\nWall time: 1.5 seconds\nProcess exited with code 0\nOutput:\n",
            vec!["💻 运行 `make` · 1.5s"],
        ),
        // No code, no success.
        ("Wall time: 1.5 seconds\nOutput:\nx\n", vec!["❔ 运行 `make` · 1.5s · 输出 1 行 · 无结果记录"]),
        // What the command prints is no header.
        (
            "Chunk ID: 1\nWall time: 1.5 seconds\nProcess exited with code 1\nOutput:\nProcess exited with code 0\nOutput:\n",
            vec!["⚠️ 运行 `make` · exit 1 · 1.5s · 输出 2 行"],
        ),
        ("aborted by user after 0.3s", vec!["⏹️ 运行 `make` · 300ms · 已中断"]),
        ("Wall time: 0.2 seconds\naborted by user", vec!["⏹️ 运行 `make` · 200ms · 已中断"]),
        (
            "exec_command failed: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }",
            vec![
                "❌ 运行 `make` · 已拒绝",
                "  ! exec_command failed: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }",
            ],
        ),
    ] {
        // Older logs have nothing but the output.
        check(&Rows::legacy().turn("1").command("a", "make").output("a", output).done(), &expected);
    }
    let shell = |output: &str| {
        let call = json!({"command": ["bash", "-lc", "make"], "workdir": "/w"});
        Rows::bare()
            .item(
                json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}),
            )
            .call("a", "shell", call)
            .output("a", output)
    };
    check(
        &shell("{\"output\":\"x\\n\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":1.5}}"),
        &["user: go", "⚠️ 运行 `make` · exit 2 · 1.5s · 输出 1 行"],
    );
    check(
        &shell("Exit code: 0\nWall time: 1.5 seconds\nOutput:\nx\n"),
        &["user: go", "💻 运行 `make` · 1.5s · 输出 1 行"],
    );
    check(&shell("just text"), &["user: go", "❔ 运行 `make` · 输出 1 行 · 无结果记录"]);
}

#[test]
fn the_chat_of_new_builds_is_there_once() {
    let rows = turn().user("hello").agent("m1", "hi").done();
    check(&rows, &["user: hello", "agent: hi"]);
    // Only the user interface's layer.
    let rows = turn()
        .event(json!({"type": "item_completed", "item": {"type": "UserMessage", "id": "u", "content": [{"type": "text", "text": "hello"}]}}))
        .event(json!({"type": "item_completed", "item": {"type": "AgentMessage", "id": "m", "content": [{"type": "Text", "text": "hi"}]}}))
        .done();
    check(&rows, &["user: hello", "agent: hi"]);
    // Only the model's layer, and what stands under the user's name but is not the user's.
    let says = |role: &str, id: &str, text: &str| json!({"type": "message", "role": role, "id": id, "content": [{"type": "input_text", "text": text}]});
    let rows = turn()
        .item(says("developer", "0", "be good"))
        .item(says("user", "1", "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"))
        .item(says("user", "2", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"))
        .item(says("user", "3", "hello"))
        .item(says("assistant", "4", "hi"))
        .item(says("user", "5", "<turn_aborted>\nThe user interrupted\n</turn_aborted>"))
        .item(says("user", "6", "<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>"))
        .item(says("user", "7", "<subagent_notification>\n{}\n</subagent_notification>"))
        .item(says("user", "8", "<goal_context>\nx\n</goal_context>"))
        .item(says("user", "9", "<codex_internal_context source=\"goal\">\nx\n</codex_internal_context>"))
        .done();
    check(&rows, &["user: hello", "agent: hi"]);
}

#[test]
fn text_is_there_once_in_both_orders_and_two_equal_ones_stay_two() {
    let event = |text: &str| json!({"type": "agent_message", "message": text});
    let message = |id: &str, text: &str| json!({"type": "message", "role": "assistant", "id": id, "content": [{"type": "output_text", "text": text}]});
    let legacy = || Rows::legacy().turn("1");
    check(&legacy().row("event_msg", event("hi")).item(message("1", "hi")).done(), &["agent: hi"]);
    check(&legacy().item(message("1", "hi")).row("event_msg", event("hi")).done(), &["agent: hi"]);
    let twice = legacy()
        .row("event_msg", event("hi"))
        .item(message("1", "hi"))
        .row("event_msg", event("hi"))
        .item(message("2", "hi"))
        .done();
    check(&twice, &["agent: hi", "agent: hi"]);
    check(&turn().agent("1", "hi").agent("2", "hi").done(), &["agent: hi", "agent: hi"]);
    // The same item recorded twice is one.
    let item = || json!({"type": "item_completed", "item": {"type": "AgentMessage", "id": "m", "content": [{"type": "Text", "text": "hi"}]}});
    check(&turn().event(item()).event(item()).done(), &["agent: hi"]);
    // An id that a resumed session uses again is another message.
    let resumed = turn().agent("m", "hi").done().turn("2").agent("m", "hi").done();
    check(&resumed, &["agent: hi", "agent: hi"]);
}

#[test]
fn a_parents_history_is_not_repeated() {
    let own = "01b00000-0000-7000-8000-000000000000";
    let (old, new) = ("01a00000-0000-7000-8000-000000000001", "01c00000-0000-7000-8000-000000000000");
    let fork = Rows::bare()
        .row(
            "session_meta",
            json!({"id": own, "forked_from_id": "01a", "cwd": "/w", "history_mode": "legacy"}),
        )
        .row("session_meta", json!({"id": "01a", "cwd": "/w", "history_mode": "legacy"}))
        .turn(old)
        .user("old words")
        .command("a", "ls")
        .exited("a", 0, "x\n")
        .done()
        .turn(new)
        .user("new words")
        .done();
    check(&fork, &["notice: 🔀 延续自会话 01a", "user: new words"]);
    // A sub-agent's log says where its own rows begin.
    let row = |ordinal: u64, kind: &str, payload: serde_json::Value| {
        json!({"ordinal": ordinal, "type": kind, "payload": payload}).to_string()
    };
    let child = Rows::bare()
        .line(row(0, "session_meta", json!({
            "id": own, "forked_from_id": "01a", "parent_thread_id": "01a", "cwd": "/w", "history_mode": "paginated",
            "source": {"subagent": {"thread_spawn": {}}}, "subagent_history_start_ordinal": 3,
        })))
        .line(row(1, "event_msg", json!({"type": "task_started", "turn_id": old})))
        .line(row(2, "response_item", json!({"type": "function_call", "call_id": "a", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}"})))
        .line(row(3, "event_msg", json!({"type": "task_started", "turn_id": new})))
        .line(row(4, "response_item", json!({"type": "function_call", "call_id": "b", "name": "exec_command", "arguments": "{\"cmd\":\"pwd\"}"})))
        .line(row(5, "event_msg", json!({"type": "task_complete", "turn_id": new})));
    check(&child, &["notice: 🔀 延续自会话 01a", "❔ 运行 `pwd` · 无结果记录"]);
    assert!(Live::of(&child.bytes()).state.session.unwrap().is_subagent);
}

#[test]
fn a_used_id_opens_a_new_call() {
    let later_turn = turn()
        .command("c", "one")
        .exited("c", 0, "")
        .done()
        .turn("2")
        .command("c", "two")
        .exited("c", 1, "")
        .done();
    check(&later_turn, &["💻 运行 `one` · 200ms", "⚠️ 运行 `two` · exit 1 · 200ms"]);
    let after_its_output = turn()
        .command("c", "one")
        .ran("c", "one", 0)
        .exited("c", 0, "")
        .custom("c", "apply_patch", &patch_of("a.txt"))
        .patched("c", "a.txt", "completed")
        .output(
            "c",
            "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA a.txt\n",
        )
        .done();
    check(&after_its_output, &["💻 运行 `one`", "🛠️ 修改 `a.txt`"]);
    // Both unanswered: the output is of the newest.
    let both_open = turn().command("c", "one").command("c", "two").exited("c", 3, "").done();
    check(&both_open, &["❔ 运行 `one` · 无结果记录", "⚠️ 运行 `two` · exit 3 · 200ms"]);
}

#[test]
fn an_output_without_its_call() {
    let rows = turn()
        .item(json!({"type": "function_call_output", "name": "goal_objective", "namespace": "agent", "output": "Be done."}))
        .done();
    check(&rows, &["notice: ℹ️ goal\\_objective: Be done."]);
    let unknown = turn().exited("nobody", 0, "x\n").done();
    let lines = shown::lines(&Live::of(&unknown.bytes()).state);
    assert_eq!(lines.len(), 1, "an output of an unknown call is not lost: {lines:?}");
}

#[test]
fn a_superseded_turn() {
    let rows = turn().command("a", "make").turn("2").command("b", "ls").exited("b", 0, "").done();
    check(&rows, &["❔ 运行 `make` · 无结果记录", "📂 浏览 `.` · 200ms"]);
    check_ends(&rows, &["superseded", "completed"]);
}

#[test]
fn a_failed_turn() {
    let rows = turn()
        .command("a", "make")
        .event(json!({"type": "task_complete", "error": {"message": "Unknown model foo", "codex_error_info": "model_not_found"}}));
    check(&rows, &["⏹️ 运行 `make` · 已中断"]);
    check_ends(&rows, &["failed"]);
    let state = Live::of(&rows.bytes()).state;
    assert_eq!(state.turns[0].end.as_ref().unwrap().reason.as_deref(), Some("Unknown model foo"));
}

#[test]
fn a_compaction_is_one_notice() {
    let rows = turn()
        .user("hello")
        .item(json!({"type": "message", "role": "assistant", "id": "s", "content": [{"type": "output_text", "text": "SUMMARY"}],
            "metadata": {"compaction_output": true}}))
        .row("compacted", json!({"message": "Another model started", "replacement_history": []}))
        .event(json!({"type": "item_completed", "item": {"type": "ContextCompaction", "id": "c"}}))
        .event(json!({"type": "context_compacted"}))
        .done();
    check(&rows, &["user: hello", "notice: 🗜️ 上下文已压缩"]);
}

#[test]
fn background_terminals_stand_in_the_title_of_the_call_that_returned_them() {
    let rows = turn()
        .command("a", "npm run dev")
        .output(
            "a",
            "Chunk ID: 1\nWall time: 0.8 seconds\nProcess running with session ID 7\nOutput:\nready\n",
        )
        .call("b", "write_stdin", json!({"session_id": 7, "chars": "", "yield_time_ms": 2000}))
        .output("b", "Chunk ID: 2\nWall time: 2.0 seconds\nProcess running with session ID 7\nOutput:\n")
        .call("c", "write_stdin", json!({"session_id": 7, "chars": "q\n"}))
        .output("c", "Chunk ID: 3\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nbye\n")
        .done();
    check(
        &rows,
        &[
            "💻 运行 `npm run dev` · 800ms · 输出 1 行 · 后台终端 `7`",
            "⏳ 等待 终端 `7` · 等待 2.0s · 2.0s · 后台终端 `7`",
            "⚠️ 输入 终端 `7` · exit 1 · 100ms · 输出 1 行",
        ],
    );
    // Its record comes in a later turn: exit code and duration are added, the title keeps the terminal.
    let late = rows.turn("2").of("1").ran_with("a", "npm run dev", json!({"exit_code": 1, "status": "failed", "duration": {"secs": 75, "nanos": 0}, "aggregated_output": "ready\nbye\n"})).of("2").done();
    let lines = shown::lines(&Live::of(&late.bytes()).state);
    assert_eq!(lines[0], "⚠️ 运行 `npm run dev` · exit 1 · 1m 15s · 输出 2 行 · 后台终端 `7`");
}

#[test]
fn what_a_killed_process_leaves() {
    let killed = |code: i64| {
        turn()
            .script("a", "await tools.exec_command({cmd: 'sleep 60'});")
            .item(json!({"type": "custom_tool_call_output", "call_id": "a", "output": "aborted by user after 0.3s"}))
            .aborted()
            .turn("2")
            .done()
            .of("1")
            .ran_with("exec-1", "sleep 60", json!({"exit_code": code, "status": "failed", "duration": {"secs": 1, "nanos": 0}}))
    };
    check(&killed(-1), &["⏹️ 运行 `sleep 60` · 1.0s · 已中断"]);
}

#[test]
fn an_execution_that_nobody_asked_for_stands_alone() {
    // Two running calls ask for the same: which one it was is not guessed.
    let ambiguous = turn()
        .command("a", "make")
        .command("b", "make")
        .ran("other", "make", 2)
        .exited("a", 0, "")
        .exited("b", 0, "")
        .done();
    check(&ambiguous, &["💻 运行 `make` · 200ms", "💻 运行 `make` · 200ms", "⚠️ 运行 `make` · exit 2"]);
    // The only one takes it.
    check(&turn().command("a", "make").ran("other", "make", 2).done(), &["⚠️ 运行 `make` · exit 2"]);
    // Another command, an id of a script's: never.
    check(
        &turn().command("a", "make").ran("other", "make test", 2).done(),
        &["❔ 运行 `make` · 无结果记录", "⚠️ 运行 `make test` · exit 2"],
    );
    check(
        &turn().command("a", "make").ran("exec-1", "make", 2).done(),
        &["❔ 运行 `make` · 无结果记录", "⚠️ 运行 `make` · exit 2"],
    );
    // The person at the terminal.
    let users = turn()
        .command("a", "make")
        .ran_with("0f", "make", json!({"source": "user_shell", "exit_code": 2, "status": "failed"}))
        .exited("a", 0, "")
        .done();
    check(&users, &["💻 运行 `make` · 200ms", "⚠️ 运行 `make` · exit 2"]);
}

#[test]
fn declined_is_said() {
    let rows = turn()
        .script("a", &format!("text(await tools.apply_patch({}));", json!(patch_of("q.txt"))))
        .event(json!({"type": "item_completed", "item": {"type": "FileChange", "id": "exec-1", "status": "declined", "stderr": "patch rejected by user",
            "stdout": "", "changes": {"/w/q.txt": {"type": "add", "content": "x\n"}}}}))
        .scripted("a", "failed", &["Script error:\npatch rejected by user"])
        .done();
    check(&rows, &["❌ 修改 `q.txt` · 已拒绝", "  ! patch rejected by user"]);
}

#[test]
fn a_patch_that_failed_inside_a_script() {
    let two = format!(
        "await tools.exec_command({{cmd: 'ls'}});\nawait tools.apply_patch({});\nawait tools.exec_command({{cmd: 'pwd'}});",
        json!(patch_of("a.txt"))
    );
    let rows = turn()
        .script("a", &two)
        .ran("exec-1", "ls", 0)
        .scripted("a", "failed", &["Script error:\napply_patch verification failed: no"])
        .done();
    check(
        &rows,
        &[
            "❌ 编排 3 个工具 · `exec_command` `apply_patch`",
            "  ! apply_patch verification failed: no",
            "  - 📂 浏览 `.`",
            "  - ❔ 修改 `a.txt` · 未见执行记录",
            "  - ❔ 运行 `pwd` · 未见执行记录",
        ],
    );
    // The only call of its script is the one that failed.
    let rows = turn()
        .script("a", &format!("await tools.apply_patch({});", json!(patch_of("a.txt"))))
        .scripted("a", "failed", &["Script error:\napply_patch verification failed: no"])
        .done();
    check(&rows, &["❌ 修改 `a.txt`", "  ! apply_patch verification failed: no"]);
}

#[test]
fn a_call_that_codex_refused_is_not_unwrapped() {
    for refusal in
        ["exec expects raw JavaScript source text (non-empty).", "unsupported custom tool call: exec"]
    {
        let rows = turn().script("a", "await tools.exec_command({cmd: 'ls'});").output("a", refusal).done();
        let lines = shown::lines(&Live::of(&rows.bytes()).state);
        assert_eq!((lines[0].starts_with("❌ 运行脚本"), lines.len()), (true, 2), "{lines:?}");
        assert!(!lines[0].contains("浏览"), "{lines:?}");
    }
    let pragma = turn()
        .script("a", "// @exec: {\"nope\": 1}\nawait tools.exec_command({cmd: 'ls'});")
        .output("a", "exec pragma only supports `yield_time_ms` and `max_output_tokens`; got `nope`")
        .done();
    assert!(shown::lines(&Live::of(&pragma.bytes()).state)[0].starts_with("❌ 运行脚本"));
}

#[test]
fn a_printed_exit_code_is_the_calls_only_where_it_is_certain() {
    let result = "{\"chunk_id\":\"1\",\"wall_time_seconds\":1.5,\"exit_code\":3,\"original_token_count\":1,\"output\":\"x\\n\"}";
    // Older logs: what text() prints of the call is all there is.
    let legacy = |source: &str, printed: &[&str]| {
        Rows::legacy().turn("1").script("a", source).scripted("a", "completed", printed).done()
    };
    check(
        &legacy("text(await tools.exec_command({cmd: 'make'}));", &[result]),
        &["⚠️ 运行 `make` · exit 3 · 1.5s · 输出 1 行"],
    );
    // Text that only looks like it, of something else.
    check(
        &legacy("await tools.exec_command({cmd: 'make'}); text(globalThis.x);", &[result]),
        &["💻 运行 `make` · 输出 1 行"],
    );
    // Where an item tells, it wins.
    let rows = turn()
        .script("a", "text(await tools.exec_command({cmd: 'make'}));")
        .ran("exec-1", "make", 4)
        .scripted("a", "completed", &[result])
        .done();
    check(&rows, &["⚠️ 运行 `make` · exit 4"]);
}

#[test]
fn what_an_older_log_does_not_record_is_known_only_where_it_is_certain() {
    let source = "await tools.exec_command({cmd: 'a'});\nif (globalThis.x) await tools.exec_command({cmd: 'b'});\n\
                  tools.exec_command({cmd: 'c'});\ntry { await tools.exec_command({cmd: 'd'}); } catch {}\n\
                  await Promise.allSettled([tools.exec_command({cmd: 'e'})]);";
    let rows = Rows::legacy().turn("1").script("a", source).scripted("a", "completed", &[]).done();
    check(
        &rows,
        &[
            "🧩 编排 5 个工具 · `exec_command`",
            "  - 💻 运行 `a`",
            "  - ❔ 运行 `b` · 无结果记录 · 可能",
            "  - ❔ 运行 `c` · 无结果记录 · 未等待",
            "  - ❔ 运行 `d` · 无结果记录",
            "  - ❔ 运行 `e` · 无结果记录",
        ],
    );
}
