//! Direct calls: several in one answer, text between them, repeated ids, terminals.

use anyhow::Context;
use larkspan_tests::scripted_model::{Item, ModelRequest, Step};
use serde_json::json;

use super::{DIRECT, Scenario, Turn, Via};

/// Writes to the terminal that an earlier output of this thread named.
fn write_to_terminal(chars: &'static str) -> Step {
    Step::from_request(move |request| {
        let session = running_session(request).context("no output names a running session")?;
        Ok(vec![Item::function_call(
            "write_stdin",
            json!({"session_id": session, "chars": chars, "yield_time_ms": 2000}),
        )])
    })
}

fn running_session(request: &ModelRequest) -> Option<u64> {
    let outputs = request.input().iter().rev().filter_map(|item| item.get("output")?.as_str());
    let mut sessions = outputs.filter_map(|output| {
        let (_, rest) = output.split_once("Process running with session ID ")?;
        rest.lines().next()?.trim().parse().ok()
    });
    sessions.next()
}

fn terminal_turns() -> [Turn; 3] {
    let start = json!({"cmd": "read line; echo got $line", "tty": true, "yield_time_ms": 300});
    let by_itself = json!({"cmd": "sleep 1; echo by itself", "yield_time_ms": 300});
    let never = json!({"cmd": "sleep 600", "yield_time_ms": 300});
    [
        Turn::of("Start it.", [Item::function_call("exec_command", start)]),
        Turn::steps("Finish it.", [write_to_terminal(""), write_to_terminal("hello\n"), Step::say("Done.")]),
        Turn::of(
            "Start two that nobody finishes.",
            [Item::function_call("exec_command", by_itself), Item::function_call("exec_command", never)],
        ),
    ]
}

pub(super) fn all() -> Vec<Scenario> {
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch";
    let [first, second, third] = terminal_turns();
    vec![
        Scenario::turns(
            "parallel",
            DIRECT,
            Via::Exec,
            [Turn::steps(
                "Go.",
                [
                    Step::items([
                        Item::reasoning("Three things at once."),
                        Item::message("Three things at once.").phase("commentary"),
                        Item::command("sleep 1; echo slow"),
                        Item::command("echo quick"),
                        Item::command("exit 3"),
                        Item::apply_patch(patch),
                    ]),
                    Step::items([
                        Item::command("echo before the text"),
                        Item::message("Between two calls.").phase("commentary"),
                        Item::command("echo after the text"),
                    ]),
                    Step::item(Item::message("A message alone does not call.").phase("commentary")),
                ],
            )],
        ),
        Scenario::turns(
            "repeated_ids",
            DIRECT,
            Via::AppServer,
            [
                Turn::steps(
                    "First.",
                    [
                        Step::item(Item::command("echo first").call_id("call_0").field("id", "fc_0")),
                        Step::item(Item::message("Said.").phase("final_answer").field("id", "msg_0")),
                    ],
                ),
                Turn::steps(
                    "Second.",
                    [
                        Step::item(
                            Item::command("echo second; exit 1").call_id("call_0").field("id", "fc_0"),
                        ),
                        Step::item(Item::apply_patch(patch).call_id("call_0").field("id", "fc_0")),
                        Step::item(Item::message("Said.").phase("final_answer").field("id", "msg_0")),
                    ],
                ),
            ],
        ),
        Scenario::turns("terminal", DIRECT, Via::AppServer, [first, second, third.then_ends("by itself")]),
        Scenario::turns("legacy_terminal", DIRECT, Via::Legacy, terminal_turns()),
        Scenario::exec(
            "mcp",
            DIRECT,
            [
                Item::raw(json!({
                    "type": "tool_search_call", "execution": "client",
                    "arguments": {"query": "add numbers", "limit": 5},
                })),
                Item::function_call("add", json!({"a": 1, "b": 2})).namespace("mcp__demo"),
                Item::function_call("view_image", json!({"path": "pixel.png"})),
            ],
        ),
        Scenario::turns(
            "legacy_mcp",
            DIRECT,
            Via::Legacy,
            [Turn::of(
                "Go.",
                [
                    Item::raw(json!({
                        "type": "tool_search_call", "execution": "client",
                        "arguments": {"query": "add numbers", "limit": 5},
                    })),
                    Item::function_call("add", json!({"a": 1, "b": 2})).namespace("mcp__demo"),
                    Item::function_call("view_image", json!({"path": "pixel.png"})),
                    Item::command("exit 3"),
                    Item::apply_patch(patch),
                ],
            )],
        ),
    ]
}
