//! Whose an executed call is where no capture shows it, and what the real Codex is seen to record of odd commands.

#![cfg(test)]

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::reading::Live;
use crate::support::rows::Rows;
use crate::support::shown;

#[track_caller]
fn check(rows: &Rows, expected: &[&str]) {
    assert_eq!(shown::lines(&Live::of(&rows.bytes()).state), expected);
}

fn turn() -> Rows {
    Rows::paginated().turn("1")
}

/// A script that runs commands which only running tells.
const DYNAMIC: &str = "for (const cmd of load('commands')) await tools.exec_command({cmd});";

/// A script of an earlier turn whose text holds the same command cannot have made what a later turn's script made.
#[test]
fn a_script_of_another_turn_does_not_take_it() {
    let ended = turn()
        .script("a", "await tools.exec_command({cmd: 'ls'}); if (load('x')) await tools.exec_command({cmd: 'git status'});")
        .ran("exec-1", "ls", 0)
        .scripted("a", "completed", &[])
        .done()
        .turn("2")
        .script("b", DYNAMIC)
        .ran("exec-2", "git status", 0)
        .ran("exec-3", "git diff", 0)
        .scripted("b", "completed", &[])
        .done();
    let expected = [
        "🧩 编排 2 个工具 · `exec_command`",
        "  - 📂 浏览 `.`",
        "  - ❔ 运行 `git status` · 可能 · 未见执行记录",
        "🧩 编排 2 个工具 · `exec_command`",
        "  - 💻 运行 `git status`",
        "  - 💻 运行 `git diff`",
    ];
    check(&ended, &expected);
    // The same with a script that was left in the background and never ended.
    let left_open = turn()
        .script("a", "await tools.exec_command({cmd: 'ls'}); if (load('x')) await tools.exec_command({cmd: 'git status'});")
        .ran("exec-1", "ls", 0)
        .scripted("a", "running with cell ID 1", &[])
        .done()
        .turn("2")
        .script("b", DYNAMIC)
        .ran("exec-2", "git status", 0)
        .ran("exec-3", "git diff", 0)
        .scripted("b", "completed", &[])
        .done();
    let mut expected = expected;
    expected[0] = "❔ 编排 2 个工具 · `exec_command` · 后台终端 `1` · 无结果记录";
    check(&left_open, &expected);
}

/// What began after a script had ended is not of that script.
#[test]
fn an_ended_script_does_not_take_what_began_later() {
    let rows = turn()
        .script("a", "await tools.exec_command({cmd: 'npm test'});\nthrow new Error('x');")
        .scripted("a", "failed", &["Script error:\nTypeError: no"])
        .script("b", DYNAMIC)
        .ran_from(5, "exec-1", "npm test")
        .scripted("b", "completed", &[])
        .done();
    check(&rows, &["❌ 运行 `npm test`", "  ! TypeError: no", "💻 运行 `npm test`"]);
    // It may have begun before the end, and be told late.
    let late = turn()
        .script("a", "tools.exec_command({cmd: 'npm test'}); await tools.exec_command({cmd: 'ls'});")
        .ran("exec-1", "ls", 0)
        .scripted("a", "completed", &[])
        .script("b", "await tools.exec_command({cmd: 'pwd'});")
        .ran_from(3, "exec-2", "npm test")
        .ran("exec-3", "pwd", 0)
        .scripted("b", "completed", &[])
        .done();
    check(
        &late,
        &["🧩 编排 2 个工具 · `exec_command`", "  - 💻 运行 `npm test`", "  - 📂 浏览 `.`", "💻 运行 `pwd`"],
    );
}

/// Two scripts may have made it: that a third one also names it does not settle it.
#[test]
fn what_two_open_scripts_may_have_made_goes_to_no_ended_one() {
    let same = "await tools.exec_command({cmd: 'sleep 1'}); await tools.exec_command({cmd: 'same'});";
    let rows = turn()
        .script(
            "x",
            "if (load('x')) await tools.exec_command({cmd: 'same'}); await tools.exec_command({cmd: 'ls'});",
        )
        .ran("exec-0", "ls", 0)
        .scripted("x", "completed", &[])
        .script("a", same)
        .scripted("a", "running with cell ID 1", &[])
        .script("b", same)
        .scripted("b", "running with cell ID 2", &[])
        .ran("exec-1", "same", 0);
    let lines = shown::lines(&Live::of(&rows.bytes()).state);
    assert_eq!(lines[1], "  - ❔ 运行 `same` · 可能 · 未见执行记录", "{lines:#?}");
    assert_eq!(lines.last().unwrap(), "💻 运行 `same`", "{lines:#?}");
}

/// As Codex 0.171.0 runs them: the scripts of one answer one after the other, though all are called first.
#[test]
fn scripts_of_one_answer_run_in_order() {
    let same = "await tools.exec_command({cmd: 'same'});";
    let rows = turn()
        .script("a", &format!("await tools.exec_command({{cmd: 'one'}}); {same}"))
        .script("b", &format!("await tools.exec_command({{cmd: 'two'}}); {same}"))
        .script("c", DYNAMIC)
        .ran("exec-1", "one", 0)
        .ran("exec-2", "same", 1)
        .scripted("a", "completed", &[])
        .ran("exec-3", "two", 0)
        .ran("exec-4", "same", 2)
        .scripted("b", "completed", &[])
        .ran("exec-5", "same", 3)
        .ran("exec-6", "more", 4)
        .scripted("c", "completed", &[])
        .done();
    check(
        &rows,
        &[
            "🧩 编排 2 个工具 · `exec_command` · 1 个失败",
            "  - 💻 运行 `one`",
            "  - ⚠️ 运行 `same` · exit 1",
            "🧩 编排 2 个工具 · `exec_command` · 1 个失败",
            "  - 💻 运行 `two`",
            "  - ⚠️ 运行 `same` · exit 2",
            "🧩 编排 2 个工具 · `exec_command` · 2 个失败",
            "  - ⚠️ 运行 `same` · exit 3",
            "  - ⚠️ 运行 `more` · exit 4",
        ],
    );
    // A script whose commands only running tells keeps them, though others wait behind it.
    let rows = turn()
        .script("a", DYNAMIC)
        .script("b", DYNAMIC)
        .ran("exec-1", "one", 0)
        .ran("exec-2", "two", 0)
        .scripted("a", "completed", &[])
        .ran("exec-3", "three", 0)
        .scripted("b", "completed", &[])
        .done();
    check(
        &rows,
        &["🧩 编排 2 个工具 · `exec_command`", "  - 💻 运行 `one`", "  - 💻 运行 `two`", "💻 运行 `three`"],
    );
}

/// As Codex 0.171.0 records it: the command of the item is what the script asked for, launcher and all.
#[test]
fn a_launcher_within_the_command_is_one_call() {
    for cmd in ["bash -lc 'echo d'", "/bin/bash -lc \"echo d\"", "sh -c 'echo d'"] {
        let source = format!("text(await tools.exec_command({{cmd: {}}}));", json!(cmd));
        let rows = turn().script("a", &source).ran("exec-1", cmd, 3).scripted("a", "completed", &[]).done();
        let lines = shown::lines(&Live::of(&rows.bytes()).state);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with("⚠️ 运行 ") && lines[0].ends_with("exit 3"), "{lines:?}");
        check(&turn().command("a", cmd).ran("a", cmd, 3).exited("a", 3, "").done(), &[&lines[0]]);
    }
}

/// As Codex 0.171.0 records it: no exit code, no time, and the reason where the output stands.
#[test]
fn a_process_that_could_not_be_made_failed() {
    let reason = "Failed to create unified exec process: No such file or directory (os error 2)";
    let never_ran = json!({
        "exit_code": -1, "status": "failed", "aggregated_output": reason, "duration": {"secs": 0, "nanos": 0},
        "cwd": "file:///nonexistent",
    });
    let call = "tools.exec_command({cmd: 'make', workdir: '/nonexistent'})";
    let error = format!("exec_command failed: CreateProcess {{ message: \"Rejected(\\\"{reason}\\\")\" }}");
    let failure = format!("  ! {reason}");
    let alone = turn()
        .script("a", &format!("text(await {call});"))
        .ran_with("exec-1", "make", never_ran.clone())
        .scripted("a", "failed", &[&format!("Script error:\n{error}")])
        .done();
    check(&alone, &["❌ 运行 `make`", &failure]);
    let settled = turn()
        .script("a", &format!("await Promise.allSettled([{call}, tools.exec_command({{cmd: 'pwd'}})]);"))
        .ran("exec-2", "pwd", 0)
        .ran_with("exec-1", "make", never_ran.clone())
        .scripted("a", "completed", &[])
        .done();
    check(
        &settled,
        &[
            "🧩 编排 2 个工具 · `exec_command` · 1 个失败",
            "  - ❌ 运行 `make`",
            &format!("  {failure}"),
            "  - 💻 运行 `pwd`",
        ],
    );
    let direct = turn()
        .call("a", "exec_command", json!({"cmd": "make", "workdir": "/nonexistent"}))
        .ran_with("a", "make", never_ran)
        .output("a", error)
        .done();
    check(&direct, &["❌ 运行 `make`", &failure]);
}

/// Windows has exit codes below zero; only -1 stands for none.
#[test]
fn exit_codes_below_zero() {
    let crashed =
        json!({"exit_code": -1_073_741_819, "status": "failed", "duration": {"secs": 2, "nanos": 0}});
    let rows = turn().command("a", "app.exe").ran_with("a", "app.exe", crashed).done();
    check(&rows, &["⚠️ 运行 `app.exe` · exit -1073741819 · 2.0s"]);
}

#[test]
fn what_was_asked_and_what_ran_are_the_same_however_they_are_spelt() {
    let check = |source: &str, ran: &dyn Fn(Rows) -> Rows, expected: &str| {
        let rows = ran(turn().script("a", source)).scripted("a", "completed", &[]).done();
        assert_eq!(shown::lines(&Live::of(&rows.bytes()).state), [expected], "{source}");
    };
    let command = |cmd: &'static str, cwd: &'static str| {
        move |rows: Rows| rows.ran_with("exec-1", cmd, json!({"cwd": cwd, "exit_code": 0}))
    };
    check(
        "await tools.exec_command({cmd: 'pwd', workdir: 'sub dir/é'});",
        &command("pwd", "file:///w/sub%20dir/%C3%A9"),
        "💻 运行 `pwd`",
    );
    check(
        "await tools.exec_command({cmd: 'pwd', workdir: '/w/sub'});",
        &command("pwd", "file:///w/sub"),
        "💻 运行 `pwd`",
    );
    check(
        "await tools.exec_command({cmd: 'pwd', workdir: './sub/../sub'});",
        &command("pwd", "file:///w/sub"),
        "💻 运行 `pwd`",
    );
    check(
        "await tools.exec_command({cmd: '  make\\n'});",
        &command("  make\n", "file:///w"),
        "💻 运行 `make`",
    );
    check("await tools.exec_command({cmd: ''});", &command("", "file:///w"), "💻 运行 `exec_command`");
    check(
        "await tools.exec_command({cmd: 'é 印 🎉'});",
        &command("é 印 🎉", "file:///w"),
        "💻 运行 `é 印 🎉`",
    );
    let patch = |path: &str| format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch");
    for (source, path) in [
        (format!("await tools.apply_patch({});", json!(patch("/w/src/a.rs"))), "src/a.rs"),
        (format!("await tools.apply_patch({});", json!(patch("./src/a.rs"))), "src/a.rs"),
        (
            format!(
                "await tools.exec_command({{cmd: {}}});",
                json!(format!("cd src && apply_patch <<'EOF'\n{}\nEOF", patch("a.rs")))
            ),
            "src/a.rs",
        ),
        (
            format!(
                "await tools.exec_command({{cmd: {}, workdir: 'src'}});",
                json!(format!("apply_patch <<'EOF'\n{}\nEOF", patch("a.rs")))
            ),
            "src/a.rs",
        ),
    ] {
        let rows = turn()
            .script("a", &source)
            .patched("exec-1", path, "completed")
            .scripted("a", "completed", &[])
            .done();
        let lines = shown::lines(&Live::of(&rows.bytes()).state);
        assert!(lines.len() == 1 && lines[0].starts_with("🛠️ 修改 "), "{source}: {lines:?}");
    }
    let mcp = |server: &'static str, tool: &'static str| {
        move |rows: Rows| {
            rows.event(json!({"type": "item_completed", "item": {
                "type": "McpToolCall", "id": "exec-1", "server": server, "tool": tool, "arguments": {"a": 1}, "status": "failed",
                "error": {"message": "no"}, "result": null,
            }}))
        }
    };
    for (source, server, tool) in [
        ("await tools.mcp__my_server__get_pr({a: 1});", "my-server", "get.pr"),
        ("await tools.mcp__a__b__c({a: 1});", "a__b", "c"),
    ] {
        let rows = mcp(server, tool)(turn().script("a", source)).scripted("a", "completed", &[]).done();
        let lines = shown::lines(&Live::of(&rows.bytes()).state);
        assert!(
            lines.len() == 2 && lines[0].starts_with("❌ 调用 ") && lines[1] == "  ! no",
            "{source}: {lines:?}"
        );
    }
}

/// Up to 64 calls stand in a script's text one by one; past that what ran tells.
#[test]
fn a_wide_fan_out_shows_what_ran() {
    for wide in [64, 65, 200] {
        let names: Vec<String> = (0..wide).map(|n| format!("f{n}")).collect();
        let source = format!(
            "await Promise.all({}.map(n => tools.exec_command({{cmd: `wc ${{n}}`}})));",
            json!(names)
        );
        // In the order in which they ended.
        let rows = names.iter().rev().enumerate().fold(turn().script("a", &source), |rows, (at, name)| {
            rows.ran(&format!("exec-{at}"), &format!("wc {name}"), i64::from(at == 0))
        });
        let state = Live::of(&rows.scripted("a", "completed", &[]).done().bytes()).state;
        let calls = state.calls();
        assert_eq!(calls.len(), 1, "{wide}");
        assert_eq!(calls[0].children.len(), wide);
        let title = shown::call_lines(&calls[0], false).remove(0);
        assert_eq!(title, format!("🧩 编排 {wide} 个工具 · `exec_command` · 1 个失败"));
    }
}
