//! The limits of a card: tables, length, components.

use larkspan_tests::fake_feishu::{Card, Endpoint, Limits, Settings, Shown, Toggles, code};
use pretty_assertions::assert_eq;

use super::toggles::{Setting, every, those};
use super::turns::{Log, done, tell, turn};
use super::world::{World, seconds, under, under_with};
use crate::support::rows::Rows;

/// Tables with two rows, each with words of its own, and one in a fence.
fn tables() -> String {
    let table = |name: &str| format!("| {name} | b |\n|---|---|\n| {name}1 | x |\n| {name}2 | y |\n\n");
    let fenced =
        format!("As in:\n\n```markdown\n{}```\n\n", table("sample").trim_end_matches('\n').to_owned() + "\n");
    let mut text = "Tables.\n\n".to_owned();
    for number in 0..6 {
        text.push_str(&table(&format!("t{number}n")));
        if number == 1 {
            text.push_str(&fenced);
        }
    }
    text + "The end of tables."
}

/// Which of these rows stand in a fence.
fn fenced_rows(world: &World) -> Vec<String> {
    let mut rows = Vec::new();
    for shown in world.reader().shown() {
        let mut is_open = false;
        for line in shown.raw.lines() {
            if line.starts_with("```") {
                is_open = !is_open;
            } else if is_open && line.ends_with("1 | x |") {
                rows.push(line.trim_start_matches("| ").split('1').next().unwrap().to_owned());
            }
        }
    }
    rows
}

#[test]
fn symptom_04_too_many_tables_and_the_whole_reply_is_refused() {
    let text = tables();
    under(every(), async |world| {
        let cards = world.process();
        tell(&cards, &done("1", &["Before.", &text])).await;
        world.settle(&cards).await;
        world.check();
        // Three stand as such: the sample in the fence does not count, the rest is fenced.
        assert_eq!(fenced_rows(world), ["sample", "t3n", "t4n", "t5n"]);
        let rows: Vec<String> =
            (0..6).flat_map(|table| [format!("t{table}n1"), format!("t{table}n2")]).collect();
        world.assert_once(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(world.cards().len(), 1);
        // One success: the card as it was made.
        assert_eq!(
            (
                world.fake.calls_of(Endpoint::CardCreate).len(),
                world.fake.calls_of(Endpoint::CardUpdate).len()
            ),
            (1, 0)
        );
    });
}

#[test]
fn symptom_04_tables_that_come_one_after_the_other_are_never_refused() {
    let text = tables();
    under(every(), async |world| {
        let cards = world.process();
        for (at, _) in text.match_indices("\n\n") {
            tell(&cards, &turn("1", &["Before.", &text[..at]])).await;
            world.pass(seconds(4)).await;
        }
        tell(&cards, &done("1", &["Before.", &text])).await;
        world.settle(&cards).await;
        world.check();
        assert_eq!(fenced_rows(world), ["sample", "t3n", "t4n", "t5n"]);
    });
}

/// A tenant that takes fewer tables than anybody knows of.
#[test]
fn symptom_04_fewer_tables_than_were_thought_are_a_few_refusals() {
    let few = |cap: usize| -> Setting { ("fewer tables", Toggles { table_cap: cap, ..Toggles::default() }) };
    for cap in 0..3 {
        under(vec![few(cap)], async |world| {
            let cards = world.process();
            tell(&cards, &turn("1", &["Before."])).await;
            world.pass(seconds(4)).await;
            tell(&cards, &done("1", &["Before.", &tables()])).await;
            world.settle(&cards).await;
            let refusals = world.refusals();
            assert_eq!(refusals, vec![code::CARD_LIMIT; 3 - cap], "{:#?}", world.outline());
            world.check_cards();
            assert_eq!(fenced_rows(world).len(), 7 - cap);
            assert!(world.fake.sent().len() == 1, "no fallback");
        });
    }
}

/// 90 KB: Chinese and English, with a fence of 40 KB in the middle.
fn long_answer() -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < 90_000 {
        text.push_str(&format!("第{number}段：这是一个很长的段落，with some English in between，用来检验续接 mark{number}end。\n\n"));
        number += 1;
        if number == 180 {
            text.push_str("```rust\n");
            (0..1_000).for_each(|line| text.push_str(&format!("    let line{line}end = \"中文 {line}\";\n")));
            text.push_str("```\n\n");
        }
    }
    text.trim_end().to_owned()
}

fn is_answer(shown: &Shown) -> bool {
    ["stream_txt_", "txt_", "final_content", "streaming_content"]
        .iter()
        .any(|id| shown.element_id.starts_with(id))
}

/// The lines of the agent's texts over all cards, without blank ones.
fn answer_lines(world: &World) -> Vec<String> {
    let reader = world.reader();
    let texts: Vec<&Shown> = reader.shown().iter().filter(|shown| is_answer(shown)).collect();
    let lines = texts.iter().flat_map(|shown| shown.text.lines()).filter(|line| !line.trim().is_empty());
    lines.map(str::to_owned).collect()
}

fn assert_long_answer(world: &World, text: &str) {
    let expected: Vec<&str> =
        text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("```")).collect();
    let shown = answer_lines(world);
    let wrong = expected.iter().zip(&shown).find(|(a, b)| *a != b);
    assert_eq!(wrong, None, "the first line that differs");
    assert_eq!(shown.len(), expected.len());
    // The fence goes on in the next card, with its language.
    let raws: Vec<String> = world
        .reader()
        .shown()
        .iter()
        .filter(|shown| is_answer(shown))
        .map(|shown| shown.raw.clone())
        .collect();
    let with_code: Vec<&String> = raws.iter().filter(|raw| raw.contains("    let line")).collect();
    assert!(with_code.len() > 4, "{}", with_code.len());
    assert!(with_code.iter().all(|raw| raw.matches("```rust\n").count() == 1), "{with_code:#?}");
    let cards = world.cards();
    let has_code = |card: &&Card| card.json.to_string().contains("    let line");
    assert!(cards.len() >= 4 && cards.iter().filter(has_code).count() >= 2, "{}", cards.len());
    assert!(cards.iter().all(|card| card.bytes() <= 30_000));
}

#[test]
fn symptom_05_a_long_answer_is_recalled_cut_or_truncated() {
    let text = long_answer();
    under(every(), async |world| {
        let cards = world.process();
        tell(&cards, &turn("1", &["Before."])).await;
        world.pass(seconds(4)).await;
        tell(&cards, &done("1", &["Before.", &text])).await;
        world.settle(&cards).await;
        world.check();
        let whole = format!("Before.\n\n{text}");
        assert_long_answer(world, &whole);
    });
}

#[test]
fn symptom_05_a_long_answer_that_grows_goes_on_in_further_cards() {
    let text = long_answer();
    under(
        those(|name| {
            ["batches", "sequences", "uuid", "known", "stream", "partial"]
                .iter()
                .any(|part| name.contains(part))
        }),
        async |world| {
            let cards = world.process();
            let mut at = 0;
            while at < text.len() {
                at = text.len().min(at + 7_001);
                at = (0..=at).rfind(|at| text.is_char_boundary(*at)).unwrap();
                tell(&cards, &turn("1", &[&text[..at]])).await;
                world.pass(seconds(4)).await;
                assert_eq!(world.reader().problems(), Vec::<String>::new());
            }
            tell(&cards, &done("1", &[&text])).await;
            world.settle(&cards).await;
            world.check();
            assert_long_answer(world, &text);
            assert!(world.fake.messages().len() == world.cards().len(), "none is recalled, none is plain");
        },
    );
}

/// A turn of so many calls, each with a word of its own, and an answer.
fn calls(count: usize) -> Log {
    let mut rows = Rows::paginated().turn("1").user("Go.");
    for number in 0..count {
        let (id, cmd) = (format!("c{number}"), format!("echo word{number}end"));
        rows = rows.command(&id, &cmd).ran(&id, &cmd, 0).exited(&id, 0, "");
    }
    Log::new(&rows.agent("m", "All has been done.").done())
}

fn assert_calls(world: &World, count: usize) {
    let reader = world.reader();
    let (titles, body) = (reader.panel_titles().join("\n"), reader.body());
    for number in 0..count {
        assert_eq!(titles.matches(&format!("word{number}end")).count(), 1, "call {number}");
        assert_eq!(body.matches(&format!("echo word{number}end")).count(), 1, "the command of {number}");
    }
    world.assert_once(&["All has been done."]);
}

#[test]
fn symptom_06_the_limit_of_200_elements_also_when_a_card_is_sealed() {
    let touching =
        those(|name| ["step by step", "sequences", "deep", "known"].iter().any(|part| name.contains(part)));
    under(touching, async |world| {
        let cards = world.process();
        let mut log = calls(120);
        let mut shown: Vec<Vec<String>> = Vec::new();
        while log.left() > 0 {
            log.read(&cards, 17).await;
            world.pass(seconds(3)).await;
            for (at, card) in world.cards().iter().enumerate() {
                assert!(card.components() <= 200, "{}", card.components());
                let titles: Vec<String> =
                    card.reader().panel_titles().into_iter().map(str::to_owned).collect();
                let words: Vec<String> = titles.into_iter().filter(|title| title.contains("word")).collect();
                match shown.get_mut(at) {
                    // A card that another follows keeps what it shows.
                    Some(before) if at + 1 < world.cards().len() => {
                        assert!(words.starts_with(before) || before.is_empty(), "{words:?} {before:?}");
                        *before = words;
                    }
                    Some(before) => *before = words,
                    None => shown.push(words),
                }
            }
        }
        world.settle(&cards).await;
        world.check();
        assert_calls(world, 120);
        let sizes: Vec<usize> = world.cards().iter().map(Card::components).collect();
        assert!(sizes.len() >= 4 && sizes.iter().all(|size| *size <= 200), "{sizes:?}");
        // Sealed from what it showed: its last write has no more calls than it had before.
        for card in &world.cards()[..sizes.len() - 1] {
            assert!(card.reader().text().contains("已续接到下一条"), "{}", card.reader().text());
            let of_card =
                |call: &&larkspan_tests::fake_feishu::Call| call.card.as_deref() == Some(card.id.as_str());
            let count = world.fake.calls().iter().filter(of_card).count();
            assert!(count < 40, "{count}");
        }
    });
}

/// The whole of it at once, as after a restart.
#[test]
fn symptom_06_many_calls_at_once_are_several_cards() {
    under(every(), async |world| {
        let cards = world.process();
        calls(120).finish(&cards).await;
        world.settle(&cards).await;
        world.check();
        assert_calls(world, 120);
        assert_eq!(world.fake.calls_of(Endpoint::CardCreate).len(), world.cards().len());
    });
}

/// A tenant that counts in a way that nobody knows of: the card is full earlier, also at its end.
#[test]
fn symptom_06_an_earlier_limit_is_found_and_nothing_is_lost() {
    let base = Settings { limits: Limits { components: 110, ..Limits::default() }, ..Settings::default() };
    under_with(
        &base,
        those(|name| ["batches", "sequences", "errors"].iter().any(|part| name.contains(part))),
        async |world| {
            let cards = world.process();
            let mut log = calls(60);
            while log.left() > 0 {
                log.read(&cards, 13).await;
                world.pass(seconds(3)).await;
            }
            world.settle(&cards).await;
            let refusals = world.unexpected();
            let is_full = |code: &u32| [code::TOO_MANY_COMPONENTS, code::CARD_LIMIT].contains(code);
            assert!(
                refusals.iter().all(is_full) && refusals.len() <= 4 * world.cards().len(),
                "{refusals:?}"
            );
            world.check_cards();
            assert_calls(world, 60);
            assert!(world.fake.sent().len() == world.cards().len(), "no fallback");
        },
    );
}
