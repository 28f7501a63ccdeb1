//! What a crash leaves behind: sequences, and cards that are open.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use larkspan_core::ports::{CardSurface as _, StateStore as _};
use larkspan_tests::fake_feishu::{Endpoint, FakeFeishu, Settings, code};
use pretty_assertions::assert_eq;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::toggles::{Setting, every, those};
use super::turns::{done, mark, tell, turn};
use super::world::{World, seconds, under};
use crate::support::program::{Home, LIMIT, Running};
use crate::support::rows::Rows;

/// The store knows a sequence that is so far behind the one that the platform has.
async fn set_back(world: &World, by: i64) {
    let names = world.store.names("feishu/turn/").await.unwrap();
    assert_eq!(names.len(), 1);
    let mut state: Value =
        serde_json::from_slice(&world.store.get(&names[0]).await.unwrap().unwrap()).unwrap();
    let used = world.cards()[0].sequence;
    assert!(used > by, "{used}");
    state["parts"][0]["reserved"] = (used - by).into();
    world.store.put(&names[0], &serde_json::to_vec(&state).unwrap()).await.unwrap();
}

#[test]
fn symptom_03_a_sequence_that_was_lost_refuses_every_later_update() {
    under(every(), async |world| {
        let first = world.process();
        let mut text = String::new();
        for step in 0..10 {
            text.push_str(&mark(step));
            tell(&first, &turn("1", &["Before.", &text])).await;
            world.pass(seconds(4)).await;
        }
        drop(first);
        set_back(world, 5).await;
        let before = world.fake.calls().len();
        let second = world.process();
        for step in 10..14 {
            text.push_str(&mark(step));
            tell(&second, &turn("1", &["Before.", &text])).await;
            world.pass(seconds(12)).await;
            world.assert_once(&["Before.", &text]);
        }
        let since = world.fake.calls()[before..].to_vec();
        let refused: Vec<u32> = since.iter().filter_map(|call| call.code).filter(|code| *code != 0).collect();
        assert_eq!(refused, [code::SEQUENCE], "it jumps once: {:#?}", world.outline());
        let at = since.iter().position(|call| call.code == Some(code::SEQUENCE)).unwrap();
        assert_eq!(since[at + 1].endpoint, Some(Endpoint::CardUpdate), "{:#?}", world.outline());
        assert!(since[at + 1].sequence > since[at].sequence.map(|sequence| sequence + 100));
        // One full refresh; then parts again.
        let updates = since.iter().filter(|call| call.endpoint == Some(Endpoint::CardUpdate)).count();
        assert_eq!(updates, 1, "{:#?}", world.outline());
        tell(&second, &done("1", &["Before.", &text, "The end."])).await;
        world.settle(&second).await;
        world.check_cards();
        world.assert_once(&["Before.", &text, "The end."]);
        assert_eq!((world.cards().len(), world.fake.sent().len()), (1, 1));
    });
}

#[test]
fn symptom_03_sequences_begin_at_one_and_none_is_used_twice() {
    under(every(), async |world| {
        let mut text = String::new();
        for life in 0..5 {
            // Each process dies in the middle of something.
            let cards = world.process();
            for step in 0..3 {
                text.push_str(&mark(life * 3 + step));
                tell(&cards, &turn("1", &["Before.", &text])).await;
                world.pass(seconds(3)).await;
            }
            text.push_str(&mark(100 + life));
            tell(&cards, &turn("1", &["Before.", &text])).await;
        }
        let last = world.process();
        tell(&last, &done("1", &["Before.", &text])).await;
        world.settle(&last).await;
        world.check();
        let sequences: Vec<i64> = world.fake.calls().iter().filter_map(|call| call.sequence).collect();
        assert_eq!(sequences[0], 1);
        assert!(sequences.is_sorted_by(|a, b| a < b), "{sequences:?}");
        assert_eq!(world.cards().len(), 1);
        world.assert_once(&["Before.", &text]);
    });
}

#[test]
fn symptom_22_after_a_restart_the_old_card_stays_generating() {
    under(every(), async |world| {
        for died_after in [1, 3, 5] {
            let id = format!("{died_after}");
            let words = format!("Words of {died_after}.");
            let first = world.process();
            tell(&first, &turn(&id, &[&words])).await;
            world.pass(seconds(died_after)).await;
            drop(first);
            world.pass(seconds(700)).await;
            let second = world.process();
            let answer = format!("Answer of {died_after}.");
            tell(&second, &done(&id, &[&words, &answer])).await;
            world.settle(&second).await;
            world.assert_once(&[&words, &answer]);
        }
        world.check();
        assert_eq!(world.cards().len(), 3, "each has its own card, and no second: {:#?}", world.outline());
        assert_eq!(world.applied(Endpoint::CardCreate).len(), 3);
    });
}

/// What the dead process wrote last, its store does not know.
#[test]
fn symptom_22_a_write_without_its_answer_is_overwritten_by_the_next_process() {
    for endpoint in [
        Endpoint::CardCreate,
        Endpoint::MessageSend,
        Endpoint::CardBatch,
        Endpoint::CardSettings,
        Endpoint::CardUpdate,
    ] {
        under(every(), async |world| {
            let first = world.process();
            world.line.slow(endpoint, 1, 4, super::world::Wait::Never);
            tell(&first, &turn("1", &["One."])).await;
            world.pass(seconds(5)).await;
            tell(&first, &turn("1", &["One.", "Two."])).await;
            world.pass(seconds(5)).await;
            tell(&first, &done("1", &["One.", "Two.", "Three."])).await;
            world.pass(seconds(5)).await;
            drop(first);
            world.pass(seconds(20)).await;
            for _ in 0..2 {
                let next = world.process();
                tell(&next, &done("1", &["One.", "Two.", "Three."])).await;
                world.settle(&next).await;
                next.finish().await.unwrap();
            }
            world.check();
            world.assert_once(&["One.", "Two.", "Three."]);
            assert_eq!((world.cards().len(), world.fake.sent().len()), (1, 1), "{:#?}", world.outline());
        });
    }
}

/// Whoever is told to stop leaves no card that looks alive.
#[test]
fn symptom_22_whoever_stops_leaves_no_card_that_generates() {
    under(every(), async |world| {
        let first = world.process();
        tell(&first, &turn("1", &["One."])).await;
        world.pass(seconds(5)).await;
        first.finish().await.unwrap();
        world.check();
        let second = world.process();
        tell(&second, &done("1", &["One.", "Two."])).await;
        second.finish().await.unwrap();
        world.check();
        world.assert_once(&["One.", "Two."]);
        assert_eq!(world.cards().len(), 1);
    });
}

/// The built program in front of the fake, on real time.
struct Stage {
    runtime: Runtime,
    fake: FakeFeishu,
    home: Home,
}

impl Stage {
    fn new(setting: Setting) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let settings = Settings { toggles: setting.1, ..Settings::default() };
        let fake = runtime.block_on(FakeFeishu::start(settings)).unwrap();
        Self { runtime, fake, home: Home::new() }
    }

    fn start(&self, log: &Path) -> Running {
        let log = log.to_str().unwrap();
        let mut command =
            self.home.command(["mirror", "--surface", "feishu", "--from", "start", "--session", log]);
        command
            .env("LARKSPAN_FEISHU_APP_ID", self.fake.app_id())
            .env("LARKSPAN_FEISHU_APP_SECRET", self.fake.app_secret())
            .env("LARKSPAN_FEISHU_DOMAIN", self.fake.base_url())
            .env("LARKSPAN_FEISHU_CHAT", self.fake.chat_id());
        Running::start(command)
    }

    #[track_caller]
    fn until(&self, what: &str, holds: impl Fn(&FakeFeishu) -> bool) {
        let waited =
            self.runtime.block_on(async { tokio::time::timeout(LIMIT, self.fake.until(holds)).await });
        assert!(waited.is_ok(), "{what}: not within {LIMIT:?}; refused: {:?}", self.fake.rejections());
    }

    fn has(text: &str) -> impl Fn(&FakeFeishu) -> bool + use<> {
        let text = text.to_owned();
        move |fake| {
            fake.cards().iter().any(|card| card.message.is_some() && card.json.to_string().contains(&text))
        }
    }

    #[track_caller]
    fn end(running: Running) {
        running.terminate();
        assert_eq!(running.end().0.code(), Some(0));
    }
}

fn append(log: &PathBuf, lines: &[String]) {
    let bytes = lines.join("\n") + "\n";
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(log)
        .unwrap()
        .write_all(bytes.as_bytes())
        .unwrap();
}

fn said(count: usize) -> Rows {
    let rows = Rows::paginated().turn("1").user("Go.");
    (0..count).fold(rows, |rows, at| rows.agent(&format!("m{at}"), &format!("Text {}", mark(at))))
}

/// Killed twice, the program never uses a sequence again, and never has one refused.
#[test]
fn symptom_03_killed_the_program_goes_on_with_higher_sequences() {
    for setting in those(|name| name.contains("uuid")) {
        let stage = Stage::new(setting);
        let rows = said(3).done();
        let lines = rows.lines();
        let log = stage.home.path("log.jsonl");
        let first_end = lines.iter().position(|line| line.contains("[m0]")).unwrap() + 2;
        append(&log, &lines[..first_end]);
        let running = stage.start(&log);
        stage.until("the first text", Stage::has("[m0]"));
        running.kill();
        append(&log, &lines[first_end..first_end + 2]);
        let running = stage.start(&log);
        stage.until("the second text", Stage::has("[m1]"));
        running.kill();
        append(&log, &lines[first_end + 2..]);
        let running = stage.start(&log);
        stage.until("the reaction", |fake| fake.calls_of(Endpoint::ReactionAdd).len() == 1);
        Stage::end(running);
        let sequences: Vec<i64> = stage.fake.calls().iter().filter_map(|call| call.sequence).collect();
        assert!(sequences[0] >= 1 && sequences.is_sorted_by(|a, b| a < b), "{sequences:?}");
        assert!(!stage.fake.rejections().contains_key(&code::SEQUENCE), "{:?}", stage.fake.rejections());
        assert_eq!(stage.fake.sent().len(), 1);
        let text = stage.fake.cards()[0].reader().text();
        (0..3).for_each(|at| assert_eq!(text.matches(&mark(at)).count(), 1, "{text}"));
    }
}

/// The turn ends while nobody watches.
#[test]
fn symptom_22_killed_the_program_finishes_the_old_card_with_the_answer() {
    for setting in those(|name| name.contains("known everywhere")) {
        let stage = Stage::new(setting);
        let rows = said(2).done();
        let lines = rows.lines();
        let log = stage.home.path("log.jsonl");
        let middle = lines.iter().position(|line| line.contains("[m1]")).unwrap();
        append(&log, &lines[..middle]);
        let running = stage.start(&log);
        stage.until("the card", |fake| !fake.sent().is_empty());
        running.kill();
        let open = stage.fake.cards()[0].json["config"]["streaming_mode"].clone();
        assert_eq!(open, true);
        append(&log, &lines[middle..]);
        let running = stage.start(&log);
        stage.until("the reaction", |fake| fake.calls_of(Endpoint::ReactionAdd).len() == 1);
        Stage::end(running);
        let cards = stage.fake.cards();
        assert_eq!((cards.len(), stage.fake.sent().len()), (1, 1));
        assert_eq!(cards[0].json["config"]["streaming_mode"], false);
        let text = cards[0].reader().text();
        (0..2).for_each(|at| assert_eq!(text.matches(&mark(at)).count(), 1, "{text}"));
    }
}
