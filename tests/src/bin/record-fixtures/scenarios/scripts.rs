//! Code-mode scripts: what a script can do, and what of it stands in the log.

use larkspan_tests::scripted_model::{Item, Step};
use serde_json::json;

use super::{CODE_MODE, Scenario, Turn, Via};

/// A script is one answer of the model.
fn scripts<const N: usize>(name: &'static str, sources: [&str; N]) -> Scenario {
    Scenario::exec(name, CODE_MODE, sources.map(Item::exec))
}

fn wait(cell: &str, milliseconds: u64) -> Item {
    Item::function_call("wait", json!({"cell_id": cell, "yield_time_ms": milliseconds}))
}

pub(super) fn all() -> Vec<Scenario> {
    vec![
        scripts(
            "cm_unawaited",
            [
                r#"tools.exec_command({cmd: "touch a"}); text("x");"#,
                r#"tools.exec_command({cmd: "touch b"});
const r = await tools.exec_command({cmd: "sleep 1; ls"});
text(r.output);"#,
                r#"tools.exec_command({cmd: "sleep 2; touch c"}); text("short");"#,
                r#"const r = await tools.exec_command({cmd: "sleep 3; ls"});
text(r.output);"#,
                r#"tools.apply_patch("*** Begin Patch\n*** Add File: notes.txt\n+one\n*** End Patch"); text("patch");"#,
                r#"tools.exec_command({cmd: "sleep 3; touch d"});
await tools.exec_command({cmd: "echo shorter"});
text("the awaited one is over");"#,
                r#"text((await tools.exec_command({cmd: "sleep 4; ls"})).output);"#,
            ],
        ),
        // Two scripts in one answer: whether they overlap. The second says what the first has left by then.
        Scenario::turns(
            "cm_two_scripts",
            CODE_MODE,
            Via::Exec,
            [Turn::steps(
                "Go.",
                [
                    Step::items([
                        Item::exec(
                            r#"await tools.exec_command({cmd: "echo same"});
await tools.exec_command({cmd: "sleep 2; touch first-is-over"});
text("first");"#,
                        ),
                        Item::exec(
                            r#"await tools.exec_command({cmd: "echo same"});
text((await tools.exec_command({cmd: "ls"})).output);"#,
                        ),
                    ]),
                    Step::say("Done."),
                ],
            )],
        ),
        scripts(
            "cm_loops",
            [
                r#"const listed = await tools.exec_command({cmd: "printf 'a\nb\nc\n'"});
for (const name of listed.output.trim().split("\n")) {
  const r = await tools.exec_command({cmd: `echo file ${name}`});
  text(r.output);
}"#,
                r#"const listed = await tools.exec_command({cmd: "printf 'x\ny\n'"});
const results = await Promise.all(listed.output.trim().split("\n").map((name) => tools.exec_command({cmd: "echo " + name})));
text(results.map((r) => r.output).join(""));"#,
                r#"for (const name of ["one", "two"]) {
  await tools.exec_command({cmd: `echo static ${name}`});
}
for (let i = 0; i < 2; i++) {
  await tools.exec_command({cmd: "echo counted " + i});
}"#,
            ],
        ),
        scripts(
            "cm_seventy",
            [r#"for (let i = 0; i < 70; i++) {
  await tools.exec_command({cmd: `true ${i}`});
}
text("70 calls");"#],
        ),
        scripts(
            "cm_helpers",
            [
                r#"async function run(cmd) {
  const r = await tools.exec_command({cmd});
  return `${cmd}: ${r.exit_code}`;
}
text(await run("echo helped"));
text(await run("false"));
const never = async () => tools.exec_command({cmd: "echo never called"});"#,
                r#"const {exec_command: sh} = tools;
const where = (await sh({cmd: "pwd"})).output.trim();
text(await sh({cmd: "ls", workdir: where}));"#,
            ],
        ),
        scripts(
            "cm_settled",
            [
                r#"const results = await Promise.allSettled([
  tools.exec_command({cmd: "echo fine"}),
  tools.apply_patch("*** Begin Patch\n*** Update File: missing.txt\n@@\n-a\n+b\n*** End Patch"),
  tools.apply_patch("*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch"),
]);
text(results.map((r) => r.status));"#,
                r#"try {
  await tools.apply_patch("*** Begin Patch\n*** Update File: missing.txt\n@@\n-a\n+b\n*** End Patch");
} catch (e) {
  text("caught");
}
text((await tools.exec_command({cmd: "ls"})).output);"#,
                r#"await tools.exec_command({cmd: "echo before"});
await tools.apply_patch("*** Begin Patch\n*** Update File: missing.txt\n@@\n-a\n+b\n*** End Patch");
await tools.exec_command({cmd: "echo after"});"#,
            ],
        ),
        scripts(
            "cm_twins",
            [
                // Two equal commands, one of which must lose.
                r#"const both = await Promise.all([
  tools.exec_command({cmd: "mkdir lock && echo won"}),
  tools.exec_command({cmd: "mkdir lock && echo won"}),
]);
text(both.map((r) => r.exit_code));"#,
                r#"await tools.exec_command({cmd: "echo one"});
const r = await tools.exec_command({cmd: "echo oops >&2; exit 3"});
await tools.exec_command({cmd: "echo three"});
text(r.exit_code);"#,
            ],
        ),
        scripts(
            "cm_conditions",
            [
                r#"const r = await tools.exec_command({cmd: "echo no"});
if (r.output.includes("yes")) {
  await tools.exec_command({cmd: "echo not taken"});
} else {
  await tools.exec_command({cmd: "echo taken"});
}
r.exit_code === 0 || await tools.exec_command({cmd: "echo only on failure"});"#,
                r#"await tools.exec_command({cmd: "echo before the exit"});
text("leaving");
exit();
await tools.exec_command({cmd: "echo after the exit"});"#,
                r#"await tools.exec_command({cmd: "echo before the throw"});
throw new Error("enough");"#,
                r#"store("answer", 42); text(load("answer"));"#,
                r#"text(load("answer")); text(load("nothing"));"#,
            ],
        ),
        scripts(
            "cm_heredoc",
            [
                r#"const r = await tools.exec_command({cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: here.txt\n+here\n*** End Patch\nEOF"});
text(r);"#,
                r#"const r = await tools.exec_command({cmd: "cd . && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: here.txt\n@@\n-here\n+there\n*** End Patch\nEOF"});
text(r.output);"#,
            ],
        ),
        scripts(
            "cm_tools",
            [
                r#"text(ALL_TOOLS.map((tool) => tool.name).join("\n"));"#,
                r#"const sum = await tools.mcp__demo__add({a: 1, b: 2});
text(sum.structuredContent.sum);
text(await tools.mcp__demo__boom({}));
text(await tools.mcp__demo__note({text: "hi"}));"#,
                r#"image(await tools.view_image({path: "pixel.png"}));"#,
                r#"const [r, p] = await Promise.all([
  tools.exec_command({cmd: "echo beside"}),
  tools.update_plan({plan: [{step: "Look", status: "completed"}, {step: "Write", status: "in_progress"}]}),
]);
text(r.output); text(p);"#,
                r#"const [r, goal] = await Promise.all([
  tools.exec_command({cmd: "echo beside a goal"}),
  tools.create_goal({objective: "Be done."}),
]);
text(r.exit_code); text(goal);
text(await tools.get_goal({}));
text(await tools.update_goal({status: "complete"}));"#,
                r#"await tools.view_image({path: "absent.png"});"#,
            ],
        ),
        scripts(
            "cm_changes",
            [
                r#"await tools.apply_patch("*** Begin Patch\n*** Add File: src/a.txt\n+one\n+two\n*** Add File: b.txt\n+b\n*** End Patch");
await tools.apply_patch("*** Begin Patch\n*** Update File: src/a.txt\n*** Move to: src/c.txt\n@@\n one\n-two\n+deux\n*** Delete File: b.txt\n*** End Patch");
text((await tools.exec_command({cmd: "find . -name '*.txt'"})).output);"#,
            ],
        ),
        Scenario::turns(
            "cm_cell_across_turns",
            CODE_MODE,
            Via::AppServer,
            [
                Turn::steps(
                    "Start it.",
                    [
                        Step::item(Item::exec(
                            r#"// @exec: {"yield_time_ms": 300}
text("start");
const a = await tools.exec_command({cmd: "sleep 2; echo first"});
text(a.output);
const b = await tools.exec_command({cmd: "sleep 2; echo second"});
text(b.output);
await tools.apply_patch("*** Begin Patch\n*** Add File: late.txt\n+late\n*** End Patch");"#,
                        )),
                        Step::say("It runs on."),
                    ],
                )
                .then_ends("first"),
                Turn::of("Wait for it.", [wait("1", 20_000)]),
            ],
        ),
        Scenario::turns(
            "cm_cell_unwatched",
            CODE_MODE,
            Via::AppServer,
            [
                Turn::of(
                    "Start it.",
                    [Item::exec(
                        r#"// @exec: {"yield_time_ms": 300}
const a = await tools.exec_command({cmd: "sleep 1; echo first"});
text(a.output);
await tools.apply_patch("*** Begin Patch\n*** Add File: late.txt\n+late\n*** End Patch");
await tools.exec_command({cmd: "echo between"});"#,
                    )],
                )
                .then_ends("first"),
                Turn::of("Something else.", []),
                Turn::of("And the cell?", [wait("1", 10_000)]),
            ],
        ),
        Scenario::turns(
            "cm_cells_overlap",
            CODE_MODE,
            Via::AppServer,
            [
                Turn::of(
                    "Two at once.",
                    [
                        Item::exec(
                            r#"// @exec: {"yield_time_ms": 200}
text((await tools.exec_command({cmd: "sleep 2; echo slow"})).output);
text((await tools.exec_command({cmd: "echo same"})).output);"#,
                        ),
                        Item::exec(
                            r#"// @exec: {"yield_time_ms": 200}
text((await tools.exec_command({cmd: "sleep 1; echo quick"})).output);
text((await tools.exec_command({cmd: "echo same"})).output);"#,
                        ),
                        Item::exec(
                            r#"text((await tools.exec_command({cmd: "sleep 3; echo between"})).output);"#,
                        ),
                        wait("2", 10_000),
                        wait("1", 10_000),
                        wait("1", 1_000),
                    ],
                ),
                Turn::of(
                    "One more.",
                    [Item::exec(
                        r#"// @exec: {"yield_time_ms": 200}
text((await tools.exec_command({cmd: "sleep 1; echo old"})).output);
text((await tools.exec_command({cmd: "sleep 1; echo older"})).output);"#,
                    )],
                ),
                Turn::of(
                    "And another beside it.",
                    [
                        Item::exec(r#"text((await tools.exec_command({cmd: "sleep 3; echo new"})).output);"#),
                        Item::function_call("wait", json!({"cell_id": "4", "terminate": true})),
                    ],
                ),
            ],
        ),
        Scenario::turns(
            "cm_terminal",
            CODE_MODE,
            Via::AppServer,
            [
                Turn::of(
                    "Start it.",
                    [Item::exec(
                        r#"const r = await tools.exec_command({cmd: "read line; echo got $line", tty: true, yield_time_ms: 300});
store("session", r.session_id);
text(r);"#,
                    )],
                ),
                Turn::of(
                    "Finish it.",
                    [
                        Item::exec(
                            r#"text(await tools.write_stdin({session_id: load("session"), chars: "", yield_time_ms: 300}));"#,
                        ),
                        Item::exec(
                            r#"text(await tools.write_stdin({session_id: load("session"), chars: "hello\n", yield_time_ms: 2000}));"#,
                        ),
                        Item::exec(
                            r#"text(await tools.write_stdin({session_id: load("session"), chars: "again\n"}));"#,
                        ),
                    ],
                ),
                Turn::of(
                    "Start two that nobody finishes.",
                    [Item::exec(
                        r#"await tools.exec_command({cmd: "sleep 1; echo by itself", yield_time_ms: 300});
await tools.exec_command({cmd: "sleep 600", yield_time_ms: 300});"#,
                    )],
                )
                .then_ends("by itself"),
            ],
        ),
        Scenario::turns(
            "legacy_cm",
            CODE_MODE,
            Via::Legacy,
            [
                Turn::steps(
                    "Go.",
                    [
                        Step::items([
                            Item::message("First the files.").phase("commentary"),
                            Item::exec(
                                r#"const r = await tools.exec_command({cmd: "echo legacy"});
text(r.output);
await tools.apply_patch("*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch");
const sum = await tools.mcp__demo__add({a: 1, b: 2});
text(sum);
await tools.exec_command({cmd: "exit 4"});"#,
                            ),
                        ]),
                        Step::item(Item::exec(
                            r#"const [one] = await Promise.allSettled([
  tools.apply_patch("*** Begin Patch\n*** Update File: missing.txt\n@@\n-a\n+b\n*** End Patch"),
  tools.apply_patch("*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** End Patch"),
]);
text(one.status);"#,
                        )),
                        Step::say("Done."),
                    ],
                ),
                Turn::of(
                    "A terminal.",
                    [
                        Item::exec(
                            r#"const r = await tools.exec_command({cmd: "read line; echo got $line", tty: true, yield_time_ms: 300});
store("session", r.session_id); text(r);"#,
                        ),
                        Item::exec(
                            r#"text(await tools.write_stdin({session_id: load("session"), chars: "hello\n", yield_time_ms: 2000}));"#,
                        ),
                    ],
                ),
            ],
        ),
    ]
}
