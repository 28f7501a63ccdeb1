//! How a card comes into the chat: once, in its place, when there is something to show.

use larkspan_core::transcript::TurnOutcome;
use larkspan_feishu::delivery::{Schedule, Target};
use larkspan_feishu::platform::{ChatKey, Destination, MessageKey};
use larkspan_tests::fake_feishu::{Content, Endpoint, Fault};
use pretty_assertions::assert_eq;

use super::toggles::every;
use super::turns::{done, ended, tell, turn};
use super::world::{Wait, World, seconds, under};

/// The chat.
pub(super) fn chat(world: &World) -> Target {
    Target { to: Destination::Chat(ChatKey(world.fake.chat_id())), reacts_to: None }
}

/// The messages that were sent: cards, and plain ones.
fn sent(world: &World) -> (usize, usize) {
    let sent = world.fake.sent();
    let cards = sent.iter().filter(|message| matches!(message.content, Content::Card(_))).count();
    (cards, sent.len() - cards)
}

fn uuids(world: &World, endpoint: Endpoint) -> Vec<String> {
    let mut uuids: Vec<String> =
        world.fake.calls_of(endpoint).into_iter().filter_map(|call| call.uuid).collect();
    uuids.dedup();
    uuids
}

#[test]
fn symptom_09_the_same_answer_twice_as_a_card_and_as_a_fallback() {
    for (endpoint, wait) in [
        (Endpoint::CardCreate, Wait::After(seconds(8))),
        (Endpoint::CardCreate, Wait::Before(seconds(8))),
        (Endpoint::CardCreate, Wait::Never),
        (Endpoint::MessageSend, Wait::After(seconds(8))),
        (Endpoint::MessageSend, Wait::Before(seconds(20))),
        (Endpoint::MessageSend, Wait::Never),
    ] {
        under(every(), async |world| {
            let cards = world.process();
            world.line.slow(endpoint, 1, 1, wait);
            tell(&cards, &turn("1", &["The answer"])).await;
            world.pass(seconds(1)).await;
            // The turn is over before the card is there.
            tell(&cards, &done("1", &["The answer is 42."])).await;
            world.settle(&cards).await;
            world.pass(seconds(60)).await;
            world.check();
            assert_eq!(sent(world), (1, 0), "{endpoint:?} {wait:?} {:#?}", world.outline());
            world.assert_once(&["The answer is 42."]);
            assert_eq!(uuids(world, Endpoint::MessageSend).len(), 1);
        });
    }
}

/// The card is in the chat, and every answer that says so is lost: nobody knows that it was not delivered.
#[test]
fn symptom_09_no_fallback_while_it_is_not_known_that_the_card_was_not_delivered() {
    for endpoint in [Endpoint::MessageSend, Endpoint::CardUpdate] {
        under(every(), async |world| {
            let cards = world.process();
            tell(&cards, &turn("1", &[])).await;
            if endpoint == Endpoint::CardUpdate {
                world.pass(seconds(5)).await;
            }
            world.fake.inject(Fault::DropAfter.on(endpoint).between(1, 20));
            tell(&cards, &done("1", &["The answer is 42."])).await;
            world.settle(&cards).await;
            world.check();
            world.assert_once(&["The answer is 42."]);
            assert_eq!(sent(world), (1, 0), "{endpoint:?}: a card and a fallback: {:#?}", world.outline());
        });
    }
}

/// It is known that the card does not have it.
#[test]
fn symptom_09_a_fallback_where_the_end_was_refused() {
    under(every(), async |world| {
        let cards = world.process();
        tell(&cards, &turn("1", &["Some words."])).await;
        world.pass(seconds(5)).await;
        let form = larkspan_tests::fake_feishu::ErrorForm::BadRequest;
        for endpoint in [Endpoint::CardUpdate, Endpoint::CardSettings] {
            world.fake.inject(Fault::Refused(300_120, form).on(endpoint));
        }
        tell(&cards, &done("1", &["Some words.", "The answer is 42."])).await;
        world.settle(&cards).await;
        assert_eq!(world.unexpected(), Vec::<u32>::new());
        assert_eq!(sent(world), (1, 1), "{:#?}", world.outline());
        let plain: Vec<Content> = world.fake.sent().into_iter().map(|message| message.content).collect();
        assert!(plain.contains(&Content::Text("The answer is 42.".to_owned())), "{plain:?}");
        let ends = world.fake.calls_of(Endpoint::CardSettings).len()
            + world.fake.calls_of(Endpoint::CardUpdate).len();
        assert!(ends <= 30, "{ends}");
    });
}

#[test]
fn symptom_10_a_lost_answer_to_the_send_makes_a_second_message() {
    for fault in [Fault::DropAfter, Fault::StatusAfter(502), Fault::TruncatedJson] {
        for is_reply in [false, true] {
            under(every(), async |world| {
                let asked = world.fake.user_says(&world.fake.chat_id(), "ou_user", "Please.");
                let (endpoint, target) = if is_reply {
                    let asked = MessageKey(asked);
                    let target = Target { to: Destination::Reply(asked.clone()), reacts_to: Some(asked) };
                    (Endpoint::MessageReply, target)
                } else {
                    (Endpoint::MessageSend, chat(world))
                };
                world.fake.inject(fault.clone().on(endpoint).between(1, 3));
                let cards = world.process_to("chat", target, Schedule::default());
                tell(&cards, &turn("1", &["One."])).await;
                world.pass(seconds(60)).await;
                tell(&cards, &done("1", &["One.", "Two."])).await;
                world.settle(&cards).await;
                world.check();
                assert_eq!(sent(world), (1, 0), "{fault:?} {:#?}", world.outline());
                world.assert_once(&["One.", "Two."]);
                let uuids = uuids(world, endpoint);
                assert!(uuids.len() == 1 && uuids[0].len() <= 50, "{uuids:?}");
                let tries = world.fake.calls_of(endpoint).len();
                assert!((4..=7).contains(&tries), "{tries}");
            });
        }
    }
}

#[test]
fn symptom_10_a_send_that_a_crash_left_without_an_answer_is_not_sent_twice() {
    under(every(), async |world| {
        world.line.slow(Endpoint::MessageSend, 1, 4, Wait::Never);
        let first = world.process();
        tell(&first, &turn("1", &["One."])).await;
        world.pass(seconds(10)).await;
        drop(first);
        let second = world.process();
        tell(&second, &done("1", &["One.", "Two."])).await;
        world.settle(&second).await;
        world.check();
        assert_eq!(sent(world), (1, 0), "{:#?}", world.outline());
        assert_eq!(
            (world.applied(Endpoint::CardCreate).len(), uuids(world, Endpoint::MessageSend).len()),
            (1, 1)
        );
        world.assert_once(&["One.", "Two."]);
    });
}

#[test]
fn symptom_24_an_empty_card_stands_before_the_first_text() {
    under(every(), async |world| {
        let cards = world.process();
        world.pass(seconds(8)).await;
        assert_eq!(world.fake.calls().len(), 0, "nothing is known of a turn");
        tell(&cards, &turn("1", &["The first words."])).await;
        world.pass(seconds(3)).await;
        let card = world.applied(Endpoint::CardCreate).remove(0);
        assert!(card.at < seconds(9), "{:?}", card.at);
        assert!(card.body.to_string().contains("The first words."), "{}", card.body);
        world.assert_once(&["The first words."]);
        tell(&cards, &done("1", &["The first words."])).await;
        world.settle(&cards).await;
        world.check();
    });
}

#[test]
fn symptom_24_a_turn_without_words_has_its_placeholder_after_two_seconds() {
    under(every(), async |world| {
        let cards = world.process();
        tell(&cards, &turn("1", &[])).await;
        world.pass(seconds(1)).await;
        assert_eq!(world.fake.calls().len(), 0);
        world.pass(seconds(7)).await;
        let created = world.applied(Endpoint::CardCreate).remove(0);
        assert!((seconds(2)..seconds(3)).contains(&created.at), "{:?}", created.at);
        assert!(created.body.to_string().contains("Thinking"), "{}", created.body);
        assert_eq!(world.cards().len(), 1);
        tell(&cards, &turn("1", &["The first words."])).await;
        world.pass(seconds(3)).await;
        world.assert_once(&["The first words."]);
        assert!(!world.reader().text().contains("Thinking"), "{}", world.reader().text());
        tell(&cards, &done("1", &["The first words."])).await;
        world.settle(&cards).await;
        world.check();
        assert_eq!(world.cards().len(), 1);
    });
}

#[test]
fn symptom_24_later_text_stays_in_its_own_card_and_the_next_turn_opens_below() {
    under(every(), async |world| {
        let cards = world.process();
        tell(&cards, &turn("1", &[])).await;
        world.pass(seconds(8)).await;
        tell(&cards, &turn("1", &["Before the message."])).await;
        world.pass(seconds(4)).await;
        let said = world.fake.user_says(&world.fake.chat_id(), "ou_user", "By the way …");
        tell(&cards, &turn("1", &["Before the message.", "After the message."])).await;
        world.pass(seconds(4)).await;
        assert_eq!(world.cards().len(), 1, "a turn goes on in its own card");
        world.assert_once(&["Before the message.", "After the message."]);
        tell(
            &cards,
            &ended(turn("1", &["Before the message.", "After the message."]), TurnOutcome::Completed),
        )
        .await;
        tell(&cards, &turn("2", &["The next turn."])).await;
        world.pass(seconds(4)).await;
        tell(&cards, &done("2", &["The next turn.", "Its end."])).await;
        world.settle(&cards).await;
        world.check();
        let order: Vec<String> = world.fake.messages().into_iter().map(|message| message.id).collect();
        let shown = world.cards();
        assert_eq!(shown.len(), 2);
        let messages: Vec<Option<String>> = shown.iter().map(|card| card.message.clone()).collect();
        assert_eq!(order, [messages[0].clone().unwrap(), said, messages[1].clone().unwrap()]);
        assert!(shown[0].reader().text().contains("After the message."));
        assert!(shown[1].reader().text().contains("Its end."));
    });
}
