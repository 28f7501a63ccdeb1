//! Whatever goes wrong on the way, all cards together show the turn: long turns of calls and texts, of which a fifth of the
//! platform's answers fails, is late, or is lost after the call was carried out.

use larkspan_core::turn::Change;
use larkspan_tests::fake_feishu::{Chaos, Settings};
use serde_json::Value;

use super::toggles::{Setting, every};
use super::turns::Log;
use super::world::{seconds, under_with};
use crate::card_look::{assert_whole, long_turn};
use crate::support::reading::Live;

/// The documented setting and all toggles turned.
fn both() -> Vec<Setting> {
    let mut all = every();
    vec![all.remove(0), all.remove(all.len() - 1)]
}

#[test]
fn a_fifth_of_the_calls_goes_wrong_and_the_cards_still_are_the_turn() {
    for (seed, calls, paragraphs, step) in
        [(11, 40, 3, 11), (12, 150, 10, 67), (13, 1_000, 2, 401), (14, 12, 400, 9)]
    {
        let rows = long_turn(seed * 7_919, calls, paragraphs);
        let ended = Live::of(&rows.bytes()).told.into_iter().find_map(|(_, change)| match change {
            Change::TurnEnded(turn) => Some(turn),
            _ => None,
        });
        let turn = ended.unwrap();
        let base = Settings { chaos: Some(Chaos { seed, percent: 20 }), ..Settings::default() };
        under_with(&base, both(), async |world| {
            let cards = world.process();
            let mut log = Log::new(&rows);
            while log.left() > 0 {
                log.read(&cards, step).await;
                world.pass(seconds(7)).await;
            }
            world.settle(&cards).await;
            world.check_cards();
            let shown: Vec<Value> = world.cards().into_iter().map(|card| card.json).collect();
            assert!(shown.len() > 1, "seed {seed}");
            assert_whole(&shown, &turn);
        });
    }
}
