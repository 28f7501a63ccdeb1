//! Every kind of card that there is, in front of the strict validator.

use std::collections::BTreeSet;

use larkspan_core::transcript::TurnOutcome;
use larkspan_tests::fake_feishu::{Endpoint, Settings};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::toggles::{every, those};
use super::turns::{Log, ended, tell, turn};
use super::world::{World, seconds, under, under_with};
use crate::support::rows::Rows;
use crate::support::{captures, short_name};

/// The tags and the ids of all cards that were ever sent, ids without their numbers.
fn seen(world: &World) -> BTreeSet<String> {
    fn walk(value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                for (name, prefix) in [("tag", "tag "), ("element_id", "id ")] {
                    if let Some(text) = members.get(name).and_then(Value::as_str) {
                        into.insert(format!(
                            "{prefix}{}",
                            text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
                        ));
                    }
                }
                members.values().for_each(|value| walk(value, into));
            }
            Value::Array(values) => values.iter().for_each(|value| walk(value, into)),
            _ => {}
        }
    }
    let mut seen = BTreeSet::new();
    for call in world.applied(Endpoint::CardCreate).into_iter().chain(world.applied(Endpoint::CardUpdate)) {
        let card = call.body.pointer("/card/data").or_else(|| call.body.get("data")).and_then(Value::as_str);
        walk(&serde_json::from_str(card.unwrap()).unwrap(), &mut seen);
    }
    for call in world.applied(Endpoint::CardBatch) {
        walk(&serde_json::from_str(call.body["actions"].as_str().unwrap()).unwrap(), &mut seen);
    }
    seen
}

/// Everything that a turn can hold.
fn rich() -> Rows {
    let long = "很长的要求。".repeat(300);
    let plan = json!({"plan": [{"step": "look", "status": "completed"}, {"step": "do", "status": "in_progress"},
        {"step": "tell", "status": "pending"}]});
    Rows::paginated()
        .turn("1")
        .user(&long)
        .agent("m1", "# Title\n\nI look, with [a link](https://a.b/c?d=1&e=2) & a table:\n\n| a | b |\n|---|---|\n| 1 | <2> |")
        .call("p1", "update_plan", plan)
        .output("p1", "Plan updated")
        .command("c1", "cargo test")
        .ran("c1", "cargo test", 0)
        .exited("c1", 0, "ok\n")
        .command("c2", "false")
        .ran("c2", "false", 1)
        .exited("c2", 1, "no\n")
        .custom("c3", "apply_patch", "*** Begin Patch\n*** Add File: a.sh\n+echo ${A}\n*** End Patch")
        .patched("c3", "a.sh", "completed")
        .output("c3", "Success.")
        .call("c4", "spawn_agent", json!({"message": "look into it"}))
        .output("c4", "{\"agent_id\":\"01a00000-0000-7000-8000-000000000009\"}")
        .call("c5", "mcp__server__tool", json!({"a": [1, {"b": "`c`"}]}))
        .output("c5", "done")
        .agent("m2", "And now?\n\n1. one\n   - two\n\n> said\n\n---\n\n```js\nlet a = `${1}`;\n```")
        .command("c6", "sleep 1")
}

#[test]
fn symptom_14_leftovers_of_version_1_refuse_the_card() {
    for outcome in [TurnOutcome::Completed, TurnOutcome::Aborted, TurnOutcome::Failed] {
        let settings =
            those(|name| ["Markdown", "deep", "step by step"].iter().any(|part| name.contains(part)));
        under(settings, async |world| {
            let cards = world.process();
            let end = match outcome {
                TurnOutcome::Aborted => rich().aborted(),
                TurnOutcome::Failed => rich().event(json!({"type": "error", "message": "it broke"})).done(),
                _ => rich().ran("c6", "sleep 1", 0).exited("c6", 0, "").agent("m3", "Done.").done(),
            };
            let mut log = Log::new(&end);
            while log.left() > 0 {
                log.read(&cards, 1).await;
                world.pass(seconds(3)).await;
            }
            // The placeholder, an empty turn, and one that nobody ends.
            tell(&cards, &turn("2", &[])).await;
            world.pass(seconds(20)).await;
            tell(&cards, &ended(turn("2", &[]), outcome)).await;
            world.settle(&cards).await;
            let mut refused = world.unexpected();
            // What the audit says to a table of numbers is not this test's.
            refused.retain(|code| *code != larkspan_tests::fake_feishu::code::AUDIT);
            assert_eq!(refused, Vec::<u32>::new(), "{:#?}", world.outline());
            world.check_cards();
        });
    }
    // All of it, with a card that is continued.
    under(every(), async |world| {
        let cards = world.process();
        let mut log = Log::new(&rich());
        log.finish(&cards).await;
        let mut rows = Rows::paginated().turn("3").user("Go.");
        for number in 0..60 {
            let (id, cmd) = (format!("d{number}"), format!("echo {number}"));
            rows = rows.command(&id, &cmd).ran(&id, &cmd, 0).exited(&id, 0, "");
        }
        Log::new(&rows.agent("m", "Done.").done()).finish(&cards).await;
        tell(&cards, &turn("2", &[])).await;
        world.pass(seconds(4)).await;
        tell(&cards, &ended(turn("2", &[]), TurnOutcome::Completed)).await;
        world.settle(&cards).await;
        world.check();
        let seen = seen(world);
        for kind in [
            "tag collapsible_panel",
            "tag markdown",
            "tag plain_text",
            "tag standard_icon",
            "id runtime_meta_tags",
            "id stream_history",
            "id stream_tool",
            "id stream_txt",
            "id stream_rest",
            "id streaming_content",
            "id streaming_status",
            "id streaming_tasks",
            "id stream_done",
            "id final_content",
        ] {
            assert!(seen.contains(kind), "no card had {kind}: {seen:?}");
        }
        for old in ["tag action", "tag note", "tag code_block", "tag div_text"] {
            assert!(!seen.contains(old), "{old}");
        }
    });
}

/// What real logs bring, row by row.
#[test]
fn symptom_14_no_card_of_any_capture_is_refused() {
    let strict = those(|name| name.contains("step by step"));
    for log in captures().iter().filter(|path| short_name(path).starts_with("rollouts")) {
        let text = String::from_utf8_lossy(&std::fs::read(log).unwrap()).into_owned();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        under_with(&Settings::default(), strict[..1].to_vec(), async |world| {
            let cards = world.process();
            let mut log = Log::of(lines.clone());
            let step = log.left().div_ceil(8).max(1);
            while log.left() > 0 {
                log.read(&cards, step).await;
                world.pass(seconds(3)).await;
            }
            log.finish(&cards).await;
            world.settle(&cards).await;
            world.check();
        });
    }
}
