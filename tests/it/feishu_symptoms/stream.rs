//! What streaming does to a card: its ten minutes, frames that are late, lost, refused, or never answered.

use larkspan_core::ports::CardSurface as _;
use larkspan_core::transcript::TurnOutcome;
use larkspan_feishu::delivery::Schedule;
use larkspan_tests::fake_feishu::{Call, Endpoint, ErrorForm, Fault, code};
use pretty_assertions::assert_eq;

use super::toggles::{every, those};
use super::turns::{Log, done, ended, mark, tell, turn};
use super::world::{Wait, World, seconds, under};
use crate::support::rows::Rows;

/// A turn that runs a command for ten minutes and five seconds between its two texts.
fn long_run() -> Log {
    let rows = Rows::paginated().turn("1").user("Go.").agent("m1", "First words.").command("c1", "sleep 605");
    let rows =
        rows.ran("c1", "sleep 605", 0).exited("c1", 0, "slept well\n").agent("m2", "The final answer.");
    Log::new(&rows.done())
}

async fn play_long_run(world: &World, run: u64) {
    let cards = world.process();
    let mut log = long_run();
    log.read_to(&cards, "sleep 605").await;
    world.pass(seconds(run)).await;
    log.read_to(&cards, "The final answer.").await;
    world.pass(seconds(5)).await;
    log.finish(&cards).await;
    world.settle(&cards).await;
    world.assert_once(&["First words.", "The final answer."]);
    assert_eq!(world.cards().len(), 1);
    // Mostly what counts the time, every 15 s.
    let (most, calls) = (run as usize / 15 + 25, world.fake.calls().len());
    assert!(calls <= most, "{calls} of at most {most}: {:#?}", world.outline());
}

#[test]
fn symptom_01_the_stream_dies_after_ten_minutes_and_the_answer_is_missing() {
    under(every(), async |world| {
        play_long_run(world, 605).await;
        world.check();
        let settings: Vec<u64> =
            world.fake.calls_of(Endpoint::CardSettings).iter().map(|call| call.at.as_secs()).collect();
        let (reopened, closed) = settings.split_at(2);
        assert!(reopened.iter().all(|at| (500..600).contains(at)), "{settings:?}");
        assert!(closed.len() == 1 && closed[0] >= 605, "{settings:?}");
    });
}

#[test]
fn symptom_01_the_stream_cannot_be_opened_again_and_it_goes_on_by_full_updates() {
    for fault in [
        Fault::Refused(code::SETTINGS_FAILED, ErrorForm::Ok),
        Fault::Refused(code::SETTINGS_FAILED, ErrorForm::BadRequest),
        Fault::Refused(300_120, ErrorForm::Ok),
        Fault::DropAfter,
        Fault::Status(502),
    ] {
        // The first call closes the stream, the second opens it.
        for nth in 1..=2 {
            under(those(|name| name.contains("stream") || name.contains("sequence")), async |world| {
                world.fake.inject(fault.clone().on(Endpoint::CardSettings).nth(nth));
                play_long_run(world, 905).await;
                world.check();
            });
        }
    }
}

/// A text that grows beyond the ten minutes, of which nobody took note: as after a sleep of the machine.
#[test]
fn symptom_01_after_the_ten_minutes_one_call_fails_and_no_more() {
    under(every(), async |world| {
        let schedule = Schedule { reopen: seconds(3_600), ..Schedule::default() };
        let cards = world.process_with(schedule);
        let mut text = String::new();
        for step in 0..70 {
            text.push_str(&mark(step));
            tell(&cards, &turn("1", &[&text])).await;
            world.pass(seconds(10)).await;
            assert!(world.reader().text().contains(&mark(step)), "step {step}: {:#?}", world.outline());
        }
        text.push_str("The end.");
        tell(&cards, &done("1", &[&text])).await;
        world.settle(&cards).await;
        let refusals = world.unexpected();
        let is_closed = |code: &u32| [code::STREAM_TIMEOUT, code::STREAM_CLOSED].contains(code);
        assert!(refusals.len() <= 1 && refusals.iter().all(is_closed), "{refusals:?}");
        world.check_cards();
        world.assert_once(&[&text]);
    });
}

/// The calls of the first card that came after this one was answered.
fn after(world: &World, is: impl Fn(&Call) -> bool) -> Vec<Call> {
    let calls = world.fake.calls();
    let at = calls.iter().rposition(is).unwrap_or_else(|| panic!("no such call: {:#?}", world.outline()));
    calls[at + 1..].to_vec()
}

#[test]
fn symptom_02_a_flush_races_the_end_and_the_stream_is_closed_under_it() {
    for wait in [
        Wait::Before(seconds(4)),
        Wait::After(seconds(4)),
        // Later than anybody waits for it, and after the end.
        Wait::Before(seconds(60)),
        Wait::Never,
    ] {
        under(every(), async |world| {
            let cards = world.process();
            tell(&cards, &turn("1", &["Some words"])).await;
            world.pass(seconds(5)).await;
            world.line.slow(Endpoint::ElementContent, 1, 1, wait);
            tell(&cards, &turn("1", &["Some words, and more"])).await;
            world.pass(seconds(1)).await;
            tell(&cards, &done("1", &["Some words, and more, and the end."])).await;
            world.settle(&cards).await;
            world.pass(seconds(90)).await;
            let late = matches!(wait, Wait::Before(time) if time > seconds(15));
            // What came too late is refused, and nobody hears of it.
            let expected = if late { vec![code::SEQUENCE] } else { Vec::new() };
            assert_eq!(world.unexpected(), expected, "{wait:?} {:#?}", world.outline());
            world.check_cards();
            world.assert_once(&["Some words, and more, and the end."]);
            assert_eq!(world.fake.calls_of(Endpoint::ReactionAdd).len(), 1);
            let writes = after(world, |call| call.endpoint == Some(Endpoint::CardUpdate) && call.applied);
            assert!(writes.iter().all(|call| !call.applied || call.card.is_none()), "{writes:#?}");
        });
    }
}

#[test]
fn symptom_02_an_end_that_failed_is_not_taken_for_done() {
    for fault in [
        Fault::Refused(300_120, ErrorForm::Ok),
        Fault::Refused(300_120, ErrorForm::BadRequest),
        Fault::Refused(code::STREAM_CLOSED, ErrorForm::Ok),
        Fault::Status(502),
        Fault::Html(502),
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::TruncatedJson,
        Fault::RateLimited(3),
    ] {
        under(
            those(|name| name.contains("errors") || name.contains("sequence") || name.contains("uuid")),
            async |world| {
                world.fake.inject(fault.clone().on(Endpoint::CardUpdate).between(1, 3));
                let cards = world.process();
                tell(&cards, &turn("1", &["Some words"])).await;
                world.pass(seconds(5)).await;
                tell(&cards, &done("1", &["Some words", "The end."])).await;
                let is_shown = || {
                    world
                        .fake
                        .calls_of(Endpoint::CardUpdate)
                        .iter()
                        .any(|call| call.code == Some(0) && call.applied)
                };
                for _ in 0..600 {
                    let is_settled = cards.is_settled().await;
                    assert!(!is_settled || is_shown(), "{fault:?}: it is not shown: {:#?}", world.outline());
                    assert!(is_shown() || world.fake.calls_of(Endpoint::ReactionAdd).is_empty(), "{fault:?}");
                    if is_settled {
                        break;
                    }
                    world.pass(seconds(1)).await;
                }
                world.settle(&cards).await;
                world.check();
                world.assert_once(&["Some words", "The end."]);
                assert_eq!(world.fake.calls_of(Endpoint::ReactionAdd).len(), 1);
            },
        );
    }
}

#[test]
fn symptom_07_only_the_last_fragment_remains() {
    for fault in [None, Some(Fault::DropBefore), Some(Fault::DropAfter), Some(Fault::Status(502))] {
        under(every(), async |world| {
            let cards = world.process();
            if let Some(fault) = &fault {
                world.fake.inject(fault.clone().on(Endpoint::ElementContent).nth(1));
            }
            for text in ["ab", "abc", "abcd"] {
                tell(&cards, &turn("1", &[text])).await;
                world.pass(seconds(if fault.is_some() { 11 } else { 3 })).await;
                assert!(world.reader().text().contains(text), "{text}: {:#?}", world.outline());
            }
            let texts: Vec<String> = world
                .applied(Endpoint::ElementContent)
                .iter()
                .map(|call| call.body["content"].as_str().unwrap().to_owned())
                .collect();
            if fault.is_none() {
                assert_eq!(texts, ["abc", "abcd"], "each holds all of it");
            }
            assert!(texts.iter().all(|text| "abcd".starts_with(text.as_str())), "{texts:?}");
            tell(&cards, &done("1", &["abcd"])).await;
            world.settle(&cards).await;
            world.check();
            assert_eq!(world.reader().element("final_content"), Some("abcd"));
            assert_eq!(world.cards().len(), 1);
        });
    }
}

#[test]
fn symptom_08_one_failed_frame_disables_all_later_ones() {
    for fault in [
        Fault::Refused(300_120, ErrorForm::Ok),
        Fault::Refused(300_120, ErrorForm::BadRequest),
        Fault::Refused(code::UPDATE_FAILED, ErrorForm::Ok),
        Fault::Refused(code::CARD_LOCKED, ErrorForm::BadRequest),
        Fault::Status(500),
        Fault::Html(502),
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::TruncatedJson,
        Fault::RateLimited(2),
        Fault::RevokeTokens,
    ] {
        let settings = those(|name| {
            ["errors", "sequences", "uuid", "step by step", "update"].iter().any(|part| name.contains(part))
        });
        under(settings, async |world| {
            let cards = world.process();
            // Create, send, and with the third update something goes wrong.
            world.fake.inject(fault.clone().on(Endpoint::CardBatch).nth(3));
            let texts: Vec<String> = (0..6).map(mark).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for count in 1..=6 {
                tell(&cards, &turn("1", &texts[..count])).await;
                world.pass(seconds(11)).await;
                // The next flush has it already.
                world.assert_once(&texts[..count]);
            }
            assert!(world.fake.calls().iter().any(|call| call.fault.is_some()), "{:#?}", world.outline());
            tell(&cards, &done("1", &texts)).await;
            world.settle(&cards).await;
            world.check();
            world.assert_once(&texts);
            assert_eq!(world.cards().len(), 1);
        });
    }
}

#[test]
fn symptom_08_the_last_frame_is_tried_whatever_happened_before() {
    under(every(), async |world| {
        let cards = world.process();
        for endpoint in [Endpoint::CardBatch, Endpoint::ElementContent] {
            world.fake.inject(Fault::Refused(300_120, ErrorForm::Ok).on(endpoint));
        }
        world.fake.inject(Fault::DropBefore.on(Endpoint::CardUpdate).between(1, 2));
        for count in 1..=4 {
            tell(&cards, &turn("1", &["a1", "b2", "c3", "d4"][..count])).await;
            world.pass(seconds(2)).await;
        }
        tell(&cards, &ended(turn("1", &["a1", "b2", "c3", "d4", "The end."]), TurnOutcome::Aborted)).await;
        world.settle(&cards).await;
        world.check();
        world.assert_once(&["a1", "b2", "c3", "d4", "The end."]);
    });
}

#[test]
fn symptom_20_an_older_write_wins_over_a_newer_one() {
    for (endpoint, wait) in [
        // It is overtaken: given up after 15 s, it arrives when the newer ones are there.
        (Endpoint::ElementContent, Wait::Before(seconds(40))),
        (Endpoint::CardBatch, Wait::Before(seconds(40))),
        (Endpoint::ElementContent, Wait::Before(seconds(9))),
        (Endpoint::CardBatch, Wait::After(seconds(9))),
    ] {
        under(every(), async |world| {
            let cards = world.process();
            world.line.slow(endpoint, 1, 1, wait);
            let texts: Vec<String> = (0..12).map(|at| (0..=at).map(mark).collect()).collect();
            for text in &texts {
                tell(&cards, &turn("1", &["Before.", text])).await;
                world.pass(seconds(4)).await;
            }
            world.pass(seconds(15)).await;
            world.assert_once(&[&texts[11]]);
            tell(&cards, &done("1", &["Before.", &texts[11], "The end."])).await;
            world.settle(&cards).await;
            world.pass(seconds(60)).await;
            let refused = world.unexpected();
            let late = matches!(wait, Wait::Before(time) if time > seconds(15));
            assert_eq!(refused, if late { vec![code::SEQUENCE] } else { vec![] }, "{:#?}", world.outline());
            // One in flight: the strictest reading is in there.
            world.check_cards();
            world.assert_once(&["Before.", &texts[11], "The end."]);
        });
    }
}

#[test]
fn symptom_20_a_refusal_with_http_200_is_no_success() {
    for endpoint in
        [Endpoint::CardBatch, Endpoint::ElementContent, Endpoint::CardUpdate, Endpoint::CardSettings]
    {
        for refused in [300_120, code::CARD_LOCKED, code::BAD_PARAMETER] {
            under(those(|name| name.contains("errors") || name.contains("sequence")), async |world| {
                let cards = world.process();
                world.fake.inject(Fault::Refused(refused, ErrorForm::Ok).on(endpoint).nth(1));
                for text in ["One.", "One. Two.", "One. Two. Three."] {
                    tell(&cards, &turn("1", &["Before.", text][..])).await;
                    world.pass(seconds(12)).await;
                    world.assert_once(&[text]);
                }
                tell(&cards, &done("1", &["Before.", "One. Two. Three.", "The end."])).await;
                world.settle(&cards).await;
                world.check();
                assert_eq!(world.fake.calls().iter().filter(|call| call.fault.is_some()).count(), 1);
                world.assert_once(&["Before.", "One. Two. Three.", "The end."]);
            });
        }
    }
}

#[test]
fn symptom_21_a_call_that_is_never_answered_ends_everything() {
    for endpoint in [
        Endpoint::CardCreate,
        Endpoint::MessageSend,
        Endpoint::CardBatch,
        Endpoint::ElementContent,
        Endpoint::CardSettings,
        Endpoint::CardUpdate,
        Endpoint::ReactionAdd,
    ] {
        under(every(), async |world| {
            let (cards, other) = (
                world.process(),
                world.process_to("other", super::messages::chat(world), Schedule::default()),
            );
            world.line.slow(endpoint, 1, 2, Wait::Never);
            for text in ["One.", "One. Two.", "One. Two. Three."] {
                tell(&cards, &turn("1", &["Before.", text])).await;
                world.pass(seconds(4)).await;
            }
            // The process goes on with everything else.
            tell(&other, &done("2", &["Another card."])).await;
            tell(&cards, &done("1", &["Before.", "One. Two. Three.", "The end."])).await;
            world.settle(&cards).await;
            world.settle(&other).await;
            world.check();
            world.assert_once(&["Before.", "One. Two. Three.", "The end.", "Another card."]);
            assert_eq!(world.cards().len(), 2, "{endpoint:?} {:#?}", world.outline());
            assert!(world.line.begin_elapsed() < seconds(180), "{:?}", world.line.begin_elapsed());
        });
    }
}

/// What was done is not known: the next write is all of the card, with a higher sequence.
#[test]
fn symptom_21_after_a_call_without_an_answer_the_whole_card_is_sent() {
    under(every(), async |world| {
        let cards = world.process();
        tell(&cards, &turn("1", &["One."])).await;
        world.pass(seconds(5)).await;
        world.line.slow(Endpoint::CardBatch, 1, 1, Wait::Never);
        tell(&cards, &turn("1", &["One.", "Two."])).await;
        world.pass(seconds(30)).await;
        let calls = world.fake.calls();
        let is_hung = |call: &Call| call.endpoint == Some(Endpoint::CardBatch) && call.at >= seconds(5);
        let at = calls.iter().position(is_hung).unwrap();
        let next = &calls[at + 1];
        assert_eq!(next.endpoint, Some(Endpoint::CardUpdate), "{:#?}", world.outline());
        assert!(next.sequence > calls[at].sequence);
        let wait = next.at.checked_sub(calls[at].at).unwrap();
        assert!((seconds(15)..=seconds(25)).contains(&wait), "{wait:?}");
        tell(&cards, &done("1", &["One.", "Two."])).await;
        world.settle(&cards).await;
        world.check();
        world.assert_once(&["One.", "Two."]);
    });
}
