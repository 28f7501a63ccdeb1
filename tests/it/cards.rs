//! From a session log to cards on the platform: the built program in front of the strict fake.

#![cfg(test)]
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use larkspan_core::presentation::{Locale, title};
use larkspan_core::turn::ItemContent;
use larkspan_tests::fake_feishu::{
    App, Chaos, Chat, Endpoint, FakeFeishu, Fault, Rates, Reader, Settings, code,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::support::program::{Home, LIMIT, Ran, Running, root, wait_until};
use crate::support::reading::Live;
use crate::support::rows::Rows;

/// The platform, and a home whose program is signed in there.
pub(crate) struct Stage {
    runtime: Runtime,
    fake: FakeFeishu,
    pub(crate) home: Home,
    /// Where the final cards are left for a person to look at.
    name: String,
}

impl Stage {
    pub(crate) fn new(name: &str, settings: Settings) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let fake = runtime.block_on(FakeFeishu::start(settings)).unwrap();
        Self { runtime, fake, home: Home::new(), name: name.to_owned() }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(arguments);
        command
            .env("LARKSPAN_FEISHU_APP_ID", self.fake.app_id())
            .env("LARKSPAN_FEISHU_APP_SECRET", self.fake.app_secret())
            .env("LARKSPAN_FEISHU_DOMAIN", self.fake.base_url())
            .env("LARKSPAN_FEISHU_CHAT", self.fake.chat_id());
        command
    }

    /// Mirrors a log to its end.
    pub(crate) fn mirror_once(&self, log: &Path) -> Ran {
        let log = log.to_str().unwrap();
        let output =
            self.command(&["mirror", "--surface", "feishu", "--once", "--session", log]).output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Waits until the platform's state is so.
    #[track_caller]
    fn until(&self, what: &str, holds: impl Fn(&FakeFeishu) -> bool) {
        let waited =
            self.runtime.block_on(async { tokio::time::timeout(LIMIT, self.fake.until(holds)).await });
        assert!(waited.is_ok(), "{what}: not within {LIMIT:?}; refused: {:?}", self.fake.rejections());
    }

    /// The cards that were sent, in the order of their messages.
    pub(crate) fn cards(&self) -> Vec<Value> {
        let cards = self.fake.cards();
        let order: Vec<String> = self.fake.sent().into_iter().map(|message| message.id).collect();
        let mut sent: Vec<_> = cards.into_iter().filter(|card| card.message.is_some()).collect();
        sent.sort_by_key(|card| order.iter().position(|id| Some(id) == card.message.as_ref()));
        sent.into_iter().map(|card| card.json).collect()
    }

    fn reader(&self) -> Reader {
        Reader::of_all(&self.cards())
    }

    /// Nothing that every card must keep to is broken; the cards are left under `target/e2e`.
    #[track_caller]
    pub(crate) fn check(&self) {
        let cards = self.cards();
        let folder = root().join("target/e2e").join(&self.name);
        fs::create_dir_all(&folder).unwrap();
        for (number, card) in cards.iter().enumerate() {
            let file = folder.join(format!("{:03}.json", number + 1));
            fs::write(file, serde_json::to_string_pretty(card).unwrap()).unwrap();
        }
        let reader = Reader::of_all(&cards);
        assert_eq!(reader.problems(), Vec::<String>::new(), "{}", self.name);
        assert_eq!(reader.mentions(), Vec::<String>::new(), "{}", self.name);
        for card in &cards {
            assert_eq!(
                card["config"]["streaming_mode"],
                json!(false),
                "{}: no card stays in progress",
                self.name
            );
        }
        // What a card of ours can be refused for; rates and lost answers are not ours.
        let ours = self
            .fake
            .rejections()
            .into_keys()
            .filter(|code| ![99_991_400, 300_317, 200_770, 230_020, 300_309, 200_850].contains(code));
        assert_eq!(ours.collect::<Vec<_>>(), Vec::<u32>::new(), "{}", self.name);
    }
}

fn generous() -> Settings {
    Settings { rates: Rates::unlimited(), ..Settings::default() }
}

/// What Markdown and cards do to a text that is compared: only letters and digits stay.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[test]
fn a_wrapper_with_a_command_and_a_patch_is_one_call_with_two_children() {
    let patch = "*** Begin Patch\n*** Add File: run.sh\n+echo \"${HOME}\"\n+echo done\n*** End Patch";
    let source = format!(
        "const p = {};\nconst r = await tools.exec_command({{cmd: \"npm test\"}});\nawait tools.apply_patch(p);\ntext(r.output);",
        json!(patch)
    );
    let rows = Rows::legacy()
        .turn("1")
        .user("Make it so.")
        .script("a", &source)
        .event(json!({"type": "patch_apply_end", "call_id": "exec-1", "success": true, "status": "completed",
            "stdout": "Success. Updated the following files:\nA run.sh\n", "stderr": "",
            "changes": {"/w/run.sh": {"type": "add", "content": "echo \"${HOME}\"\necho done\n"}}}))
        .scripted("a", "completed", &["tests passed\n"])
        .done();
    let stage = Stage::new("seed", generous());
    let log = stage.home.file("log.jsonl", rows.bytes());
    let ran = stage.mirror_once(&log);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    stage.check();
    let reader = stage.reader();
    let titles = reader.panel_titles().join("\n");
    assert!(titles.contains("编排 2 个工具"), "{titles}");
    let all = reader.text();
    for absent in ["await tools", "Script completed", "Wall time", "const p"] {
        assert!(!all.contains(absent), "{absent} in {all}");
    }
    for present in ["npm test", "run.sh", "tests passed", "Make it so."] {
        assert!(all.contains(present), "{present} not in {all}");
    }
    // Only the block with the two characters is indented, byte for byte.
    let raw: Vec<String> = reader.shown().iter().map(|shown| shown.raw.clone()).collect();
    let with_patch = raw.iter().find(|raw| raw.contains("${HOME}")).unwrap();
    let indented = format!("    {}", patch.replace('\n', "\n    "));
    assert!(with_patch.contains(&indented), "{with_patch}");
    let with_command = raw.iter().find(|raw| raw.contains("npm test") && raw.contains("```bash"));
    assert!(with_command.is_some(), "{raw:#?}");
}

#[test]
fn every_capture_is_shown_whole_and_never_refused() {
    let folder = root().join("tests/fixtures/codex/rollouts");
    let mut logs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    logs.sort();
    for log in &logs {
        // A place of its own: two captures are of one session, whose first turn is shown once in a chat.
        let name = log.file_stem().unwrap().to_str().unwrap();
        let stage = Stage::new(&format!("captures/{name}"), generous());
        let ran = stage.mirror_once(log);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", log.display());
        stage.check();
        let shown = stage.reader();
        let (text, titles) = (bare(&shown.text()), shown.panel_titles().join("\n"));
        let live = Live::of(&fs::read(log).unwrap());
        for turn in &live.state.turns {
            for item in turn.items.values() {
                match &item.content {
                    ItemContent::ToolCall(call) => {
                        let title = bare(&title(call, Locale::ZhCn).to_string());
                        assert!(bare(&titles).contains(&title), "{}: {title} in {titles}", log.display());
                    }
                    ItemContent::Message(message) => {
                        let first: String =
                            bare(message.text.lines().next().unwrap_or_default()).chars().take(60).collect();
                        assert!(text.contains(&first), "{}: {first}", log.display());
                    }
                    ItemContent::Reasoning(_)
                    | ItemContent::Plan(_)
                    | ItemContent::Goal(_)
                    | ItemContent::Notice(_) => {}
                }
            }
        }
    }
}

/// A turn of many calls, each with a word of its own.
fn many(calls: usize) -> Rows {
    let mut rows = Rows::paginated().turn("1").user("Go.");
    for number in 0..calls {
        let (id, cmd) = (format!("c{number}"), format!("echo word{number}end"));
        rows = rows.command(&id, &cmd).ran(&id, &cmd, i64::from(number % 50 == 7)).exited(&id, 0, "");
    }
    rows.agent("m-end", "All done.").done()
}

#[test]
fn a_turn_of_600_calls_goes_on_in_further_cards() {
    let stage = Stage::new("many", generous());
    let log = stage.home.file("log.jsonl", many(600).bytes());
    let ran = stage.mirror_once(&log);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    stage.check();
    assert!(stage.cards().len() > 5, "{}", stage.cards().len());
    let titles = stage.reader().panel_titles().join("\n");
    for number in 0..600 {
        assert_eq!(titles.matches(&format!("word{number}end")).count(), 1, "call {number}");
    }
}

#[test]
fn nothing_is_lost_or_doubled_when_a_fifth_of_the_calls_fails() {
    for seed in 1..=2 {
        let chaos = Some(Chaos { seed, percent: 20 });
        let stage = Stage::new("chaos", Settings { chaos, ..generous() });
        let log = stage.home.file("log.jsonl", many(60).bytes());
        let ran = stage.mirror_once(&log);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        stage.check();
        let titles = stage.reader().panel_titles().join("\n");
        for number in 0..60 {
            assert_eq!(titles.matches(&format!("word{number}end")).count(), 1, "seed {seed}, call {number}");
        }
    }
}

#[test]
fn a_90_kb_answer_stands_whole_over_several_cards() {
    let paragraph = "这是一个很长的段落，with some English in between, 用来检验续接。\n\n";
    let mut answer = String::new();
    let mut number = 0;
    while answer.len() < 90_000 {
        answer.push_str(&format!("第{number}段 mark{number}end {paragraph}"));
        number += 1;
        if number == 300 {
            answer.push_str("```rust\n");
            for line in 0..400 {
                answer.push_str(&format!("let line{line}end = {line};\n"));
            }
            answer.push_str("```\n\n");
        }
    }
    let stage = Stage::new("long-answer", generous());
    let rows = Rows::paginated().turn("1").user("Tell me.").agent("m", &answer).done();
    let log = stage.home.file("log.jsonl", rows.bytes());
    let ran = stage.mirror_once(&log);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    stage.check();
    assert!(stage.cards().len() >= 3, "{}", stage.cards().len());
    let text = stage.reader().text();
    for at in 0..number {
        assert_eq!(text.matches(&format!("mark{at}end")).count(), 1, "paragraph {at}");
    }
    for line in 0..400 {
        assert_eq!(text.matches(&format!("let line{line}end = {line};")).count(), 1, "line {line}");
    }
}

fn append(log: &Path, bytes: &[u8]) {
    fs::OpenOptions::new().append(true).create(true).open(log).unwrap().write_all(bytes).unwrap();
}

fn start(stage: &Stage, log: &Path) -> Running {
    let log = log.to_str().unwrap();
    Running::start(stage.command(&["mirror", "--surface", "feishu", "--from", "start", "--session", log]))
}

#[test]
fn killed_in_the_middle_the_same_card_goes_on() {
    let stage = Stage::new("killed", generous());
    let rows = many(12).bytes();
    let lines: Vec<&[u8]> = rows.split_inclusive(|byte| *byte == b'\n').collect();
    let log = stage.home.file("log.jsonl", lines[..12].concat());
    let running = start(&stage, &log);
    stage.until("the first card", |fake| !fake.sent().is_empty());
    append(&log, &lines[12..20].concat());
    stage.until("a call is shown", |fake| {
        fake.cards().iter().any(|card| card.json.to_string().contains("word4end"))
    });
    running.kill();
    append(&log, &lines[20..30].concat());
    let running = start(&stage, &log);
    stage.until("it goes on", |fake| {
        fake.cards().iter().any(|card| card.json.to_string().contains("word7end"))
    });
    append(&log, &lines[30..].concat());
    stage
        .until("the end", |fake| fake.cards().iter().any(|card| card.json.to_string().contains("All done.")));
    stage.until("the reaction", |fake| fake.calls_of(Endpoint::ReactionAdd).len() == 1);
    running.terminate();
    assert_eq!(running.end().0.code(), Some(0));
    stage.check();
    assert_eq!(stage.cards().len(), 1, "one turn, one card");
    let titles = stage.reader().panel_titles().join("\n");
    for number in 0..12 {
        assert_eq!(titles.matches(&format!("word{number}end")).count(), 1, "call {number}");
    }
}

#[test]
fn two_sessions_at_once_have_a_card_each() {
    let stage = Stage::new("two-sessions", generous());
    let sessions = stage.home.path("codex/sessions/2026/11/30");
    fs::create_dir_all(&sessions).unwrap();
    let running = Running::start(stage.command(&["mirror", "--surface", "feishu", "--from", "start"]));
    for name in ["one", "two"] {
        let head = json!({"id": format!("01a00000-0000-7000-8000-0000000000{}", if name == "one" { "01" } else { "02" }),
            "cwd": format!("/w/{name}"), "history_mode": "paginated"});
        let rows = Rows::bare()
            .row("session_meta", head)
            .turn("1")
            .user(&format!("ask {name}"))
            .agent("m", &format!("answer {name}"))
            .done();
        let id = if name == "one" { "01" } else { "02" };
        let file = format!("rollout-2026-11-30T10-00-00-01a00000-0000-7000-8000-0000000000{id}.jsonl");
        fs::write(sessions.join(file), rows.bytes()).unwrap();
    }
    stage.until("both", |fake| {
        let cards: Vec<String> = fake.cards().iter().map(|card| card.json.to_string()).collect();
        ["one", "two"].iter().all(|name| cards.iter().any(|card| card.contains(&format!("answer {name}"))))
            && fake.calls_of(Endpoint::ReactionAdd).len() == 2
    });
    running.terminate();
    assert_eq!(running.end().0.code(), Some(0));
    stage.check();
    let cards: Vec<String> = stage.cards().iter().map(Value::to_string).collect();
    assert_eq!(cards.len(), 2);
    for card in cards {
        assert!(card.contains("answer one") != card.contains("answer two"), "each has its own: {card}");
    }
}

#[test]
fn what_is_wrong_is_said_in_one_sentence_and_no_secret_is_shown() {
    let rows = Rows::paginated().turn("1").user("Go.").agent("m", "Done.").done();
    let check = |name: &str,
                 settings: Settings,
                 change: &dyn Fn(&mut Command),
                 expected: &[&str],
                 code: i32| {
        let stage = Stage::new("wrong", settings);
        let log = stage.home.file("log.jsonl", rows.bytes());
        let arguments =
            ["-vvv", "mirror", "--surface", "feishu", "--from", "start", "--session", log.to_str().unwrap()];
        let mut command = stage.command(&arguments);
        change(&mut command);
        let running = Running::start(command);
        let mut said = String::new();
        wait_until(name, || {
            said.push_str(&running.errors_so_far());
            expected.iter().all(|words| said.contains(words))
        });
        running.terminate();
        let (status, _, rest) = running.end();
        said.push_str(&rest);
        if code != 0 {
            assert_eq!(status.code(), Some(code), "{name}: {said}");
        }
        assert!(!said.contains(&stage.fake.app_secret()) && !said.contains("t-fake"), "{name}: {said}");
    };
    let none = |_: &mut Command| {};
    let set = |name: &'static str, value: &'static str| {
        move |command: &mut Command| {
            command.env(name, value);
        }
    };
    check("wrong secret", generous(), &set("LARKSPAN_FEISHU_APP_SECRET", "hunter2-hunter2"), &["secret"], 1);
    let mut unscoped = App::new("cli_fake", "fake-secret");
    unscoped.scopes.retain(|scope| scope != "cardkit:card:write");
    check("missing scope", Settings { app: unscoped, ..generous() }, &none, &["cardkit:card:write"], 0);
    let outside = vec![Chat::new("oc_main").without_bot()];
    check("bot not in chat", Settings { chats: outside, ..generous() }, &none, &["bot"], 0);
    check("bad chat", generous(), &set("LARKSPAN_FEISHU_CHAT", "oc_nowhere"), &["chat"], 0);
    check(
        "no network",
        generous(),
        &set("LARKSPAN_FEISHU_DOMAIN", "http://127.0.0.1:9"),
        &["127.0.0.1:9"],
        0,
    );
    let stage = Stage::new("wrong", generous());
    let log = stage.home.file("log.jsonl", rows.bytes());
    let ran = stage.home.run(["mirror", "--surface", "feishu", "--session", log.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("LARKSPAN_FEISHU_APP_ID") && ran.stderr.contains("feishu-setup"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_turn_goes_on_when_the_network_comes_back() {
    let stage = Stage::new("network", generous());
    stage.fake.inject(Fault::DropBefore.on(Endpoint::CardCreate).between(1, 2));
    let rows = Rows::paginated().turn("1").user("Go.").agent("m", "Done at last.").done();
    let log = stage.home.file("log.jsonl", rows.bytes());
    let ran = stage.mirror_once(&log);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(stage.reader().text().contains("Done at last."));
    stage.check();
}

#[test]
fn an_expired_token_is_renewed_in_the_middle() {
    let stage = Stage::new("token", generous());
    let log = stage.home.file("log.jsonl", many(3).bytes());
    let half = many(3);
    let lines = half.lines();
    fs::write(&log, lines[..6].join("\n") + "\n").unwrap();
    let running = start(&stage, &log);
    stage.until("the first card", |fake| !fake.sent().is_empty());
    stage.fake.revoke_tokens();
    append(&log, (lines[6..].join("\n") + "\n").as_bytes());
    stage.until("the end", |fake| {
        fake.calls_of(Endpoint::ReactionAdd).iter().any(|call| call.code == Some(0))
    });
    running.terminate();
    running.end();
    assert!(stage.reader().text().contains("All done."));
    assert!(
        stage.fake.rejections().keys().all(|refused| *refused == code::INVALID_TOKEN),
        "{:?}",
        stage.fake.rejections()
    );
}

#[test]
fn the_doctor_says_what_works() {
    let stage = Stage::new("doctor", Settings::default());
    let output = stage.command(&["doctor", "--json"]).output().unwrap();
    let checks: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let result = |name: &str| checks.iter().find(|one| one["check"] == name).map(|one| one["state"].clone());
    assert_eq!(result("feishu"), Some(json!("ok")), "{checks:#?}");
    assert_eq!(result("chat"), Some(json!("ok")), "{checks:#?}");
    assert_eq!(output.status.code(), Some(0));
    let output = stage.command(&["doctor", "--chat", "oc_nowhere"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("FAILED"), "{output:?}");
}
