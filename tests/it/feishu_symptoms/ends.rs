//! How turns end, and what must stay in sight.

use larkspan_core::ports::CardSurface as _;
use larkspan_core::transcript::TurnOutcome;
use pretty_assertions::assert_eq;

use super::toggles::every;
use super::turns::{Log, ended, tell};
use super::world::{World, seconds, under};
use crate::support::rows::Rows;

/// A text, two tools, a text, then a failure.
fn failing() -> Log {
    let mut rows = Rows::paginated().turn("1").user("Go.").agent("m1", "First I look.");
    for (id, cmd) in [("c1", "ls first"), ("c2", "ls second")] {
        rows = rows.command(id, cmd).ran(id, cmd, 0).exited(id, 0, "");
    }
    let rows = rows.agent("m2", "Half of the answer is 21.");
    Log::new(&rows)
}

const SHOWN: [&str; 4] = ["First I look.", "ls first", "ls second", "Half of the answer is 21."];

async fn fail(world: &World) -> (String, String) {
    let cards = world.process();
    let mut log = failing();
    log.read(&cards, usize::MAX).await;
    world.pass(seconds(5)).await;
    let before = world.reader().text();
    for text in SHOWN {
        assert_eq!(before.matches(text).count(), 1, "{text} in {before}");
    }
    let mut failed = ended(log.turn(), TurnOutcome::Failed);
    let reason = r#"unexpected status 500: {"error":{"type":"server_error","message":"the model is gone"}}"#;
    failed.end.as_mut().unwrap().reason = Some(reason.into());
    tell(&cards, &failed).await;
    world.settle(&cards).await;
    world.check();
    assert_eq!(world.cards().len(), 1);
    assert!(cards.is_settled().await);
    (before, world.reader().text())
}

#[test]
fn symptom_23_a_failure_replaces_the_answer_that_was_already_visible() {
    under(every(), async |world| {
        let (_, after) = fail(world).await;
        world.assert_once(&SHOWN);
        assert!(after.contains("the model is gone"), "the failure is added: {after}");
        assert_eq!(after.matches("the model is gone").count(), 1, "once: {after}");
        let reactions: Vec<String> = world
            .fake
            .sent()
            .iter()
            .flat_map(|message| &message.reactions)
            .map(|reaction| reaction.emoji.clone())
            .collect();
        assert_eq!(reactions, ["WAIL"]);
    });
}

#[test]
fn symptom_23_what_a_failed_turn_showed_stays_where_it_was() {
    under(every(), async |world| {
        let (before, after) = fail(world).await;
        let order = |text: &str| {
            let mut places: Vec<(Option<usize>, &str)> =
                SHOWN.iter().map(|part| (text.find(part), *part)).collect();
            places.sort_unstable();
            places.into_iter().map(|(_, part)| part).collect::<Vec<_>>()
        };
        assert_eq!(order(&after), order(&before), "{after}");
    });
}

#[test]
fn symptom_23_an_interruption_adds_itself_too() {
    under(every(), async |world| {
        let cards = world.process();
        let rows =
            Rows::paginated().turn("1").user("Go.").agent("m1", "First I look.").command("c1", "ls first");
        let mut log = Log::new(&rows.aborted());
        log.read_to(&cards, "ls first").await;
        world.pass(seconds(5)).await;
        world.assert_once(&["First I look."]);
        log.finish(&cards).await;
        world.settle(&cards).await;
        world.check();
        world.assert_once(&["First I look.", "ls first", "⚠️ Interrupted"]);
    });
}
