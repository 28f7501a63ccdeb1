//! What cards look like, and that what a turn's cards show is the turn: every capture and long turns, in every state on the
//! way, held against the strict platform's check.

#![cfg(test)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use jiff::tz::TimeZone;
use larkspan_core::markdown::detail_markdown;
use larkspan_core::presentation::{DetailLevel, Locale, title};
use larkspan_core::redaction::redact;
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{Role, SessionInfo};
use larkspan_core::turn::{Change, ItemContent, Turn};
use larkspan_feishu::card::{Content, Delivered, Masking, Phase, Slice, View, render};
use larkspan_tests::fake_feishu::{Part, Reader, check_card};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::golden;
use crate::support::program::root;
use crate::support::reading::Live;
use crate::support::rows::Rows;

/// A moment at which something is shown.
struct Moment {
    session: Option<SessionInfo>,
    turn: Turn,
}

impl Moment {
    fn render(
        &self,
        locale: Locale,
        phase: Phase,
        part: usize,
        content: Content<'_>,
    ) -> (Value, Vec<Slice>, bool) {
        let said =
            |role| move |content: &ItemContent| matches!(content, ItemContent::Message(m) if m.role == role);
        let is_agents = said(Role::Agent);
        let view = View {
            turn: &self.turn,
            session: self.session.as_ref(),
            locale,
            zone: &TimeZone::UTC,
            now: Timestamp::from_millis(1_796_032_865_000),
            last_text_at: self
                .turn
                .items
                .iter()
                .rfind(|item| is_agents(&item.content))
                .and_then(|item| item.at),
            phase,
            masking: Masking::Usual,
            part,
            max_tables: 3,
        };
        let rendered = render(&view, content);
        (rendered.json, rendered.shown, rendered.is_complete)
    }
}

/// The cards of a turn over time: divided as the delivery divides them, so that what was sealed stays sealed.
#[derive(Default)]
struct Dealt {
    sealed: Vec<Vec<Slice>>,
}

impl Dealt {
    /// All cards at a moment.
    #[track_caller]
    fn cards(&mut self, moment: &Moment) -> Vec<Value> {
        let phase = if moment.turn.end.is_some() { Phase::Final } else { Phase::Live };
        let last = loop {
            let mut delivered = Delivered::default();
            for slice in self.sealed.iter().flatten() {
                delivered.0.insert(slice.seq, slice.to);
            }
            let (json, shown, is_complete) =
                moment.render(Locale::ZhCn, phase, self.sealed.len(), Content::From(&delivered));
            if is_complete || shown.is_empty() {
                assert!(is_complete, "nothing fits into an empty card");
                break json;
            }
            self.sealed.push(shown);
        };
        let sealed = self.sealed.iter().enumerate();
        let mut cards: Vec<Value> = sealed
            .map(|(at, shown)| moment.render(Locale::ZhCn, Phase::Sealed, at, Content::Exactly(shown)).0)
            .collect();
        cards.push(last);
        for card in &cards {
            let taken = check_card(card).map_err(|refusal| format!("{} {}", refusal.code, refusal.message));
            assert_eq!(taken, Ok(()), "{card:#}");
            assert_eq!(Reader::of(card).problems(), Vec::<String>::new(), "{card:#}");
        }
        cards
    }
}

/// Only letters and digits: what markup, escapes and line breaks do not touch.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Markdown as a reader sees it.
fn seen(markdown: &str) -> String {
    let card = json!({"body": {"elements": [{"tag": "markdown", "content": markdown}]}});
    bare(&Reader::of(&card).text())
}

/// The number of the item that an element belongs to; the last message's elements have names of their own.
fn owner(id: &str, answer: Option<u32>) -> Option<u32> {
    if id == "streaming_content" || id.starts_with("final_content") {
        return answer;
    }
    let rest = ["stream_txt_", "txt_", "rest_", "sc_"].iter().find_map(|name| id.strip_prefix(name))?;
    rest.split('_').next()?.parse().ok()
}

/// Where two texts part.
fn first_difference(shown: &str, expected: &str) -> String {
    let same = shown.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| text.chars().skip(same.saturating_sub(40)).take(120).collect::<String>();
    format!("after {same} characters: {:?}, not {:?}", around(shown), around(expected))
}

/// What a turn's cards show, item by item, is the turn: nothing is left out, nothing stands twice.
#[track_caller]
pub(crate) fn assert_whole(cards: &[Value], turn: &Turn) {
    let is_agents =
        |content: &ItemContent| matches!(content, ItemContent::Message(m) if m.role == Role::Agent);
    let answer = turn.items.iter().rfind(|item| is_agents(&item.content)).map(|item| item.seq);
    let (mut texts, mut titles) = (BTreeMap::<u32, String>::new(), BTreeMap::<u32, Vec<String>>::new());
    for card in cards {
        for shown in Reader::of(card).shown() {
            let call =
                shown.element_id.strip_prefix("st_").and_then(|id| id.split("_t_").nth(1)?.parse().ok());
            match (shown.part, call, owner(&shown.element_id, answer)) {
                (Part::PanelTitle, Some(seq), _) => titles.entry(seq).or_default().push(shown.text.clone()),
                (Part::Text, _, Some(_)) if shown.raw == "💭 Thinking…" => {}
                (Part::Text, _, Some(seq)) => texts.entry(seq).or_default().push_str(&bare(&shown.text)),
                _ => {}
            }
        }
    }
    for item in &turn.items {
        let expected = match &item.content {
            ItemContent::Message(message) if message.role == Role::User => {
                seen(&format!("用户{}", redact(message.text.trim())))
            }
            ItemContent::Message(message) => seen(&redact(message.text.trim())),
            ItemContent::Reasoning(reasoning) => seen(&redact(reasoning.text.trim())),
            ItemContent::ToolCall(call) => {
                let shown = titles.get(&item.seq).unwrap_or_else(|| panic!("call {} is not shown", item.seq));
                let title = bare(&title(call, Locale::ZhCn).to_string());
                assert!(shown.iter().all(|text| bare(text).starts_with(&title)), "{shown:?}, not {title}");
                let detail = detail_markdown(call, DetailLevel::Card, Locale::ZhCn);
                if detail.is_empty() {
                    continue;
                }
                seen(&detail)
            }
            ItemContent::Plan(_) | ItemContent::Goal(_) | ItemContent::Notice(_) => continue,
        };
        if expected.is_empty() {
            continue;
        }
        let shown = texts.get(&item.seq).map(String::as_str).unwrap_or_default();
        assert!(shown == expected, "item {}: {}", item.seq, first_difference(shown, &expected));
    }
}

/// Follows a log and looks at its cards after every `step`th row.
fn follow(lines: &[String], step: usize, mut look: impl FnMut(&mut Dealt, &Moment)) -> usize {
    let mut live = Live::new();
    let mut dealt: BTreeMap<String, Dealt> = BTreeMap::new();
    let mut told = 0;
    let mut ended = 0;
    for (at, line) in lines.iter().enumerate() {
        live.push(format!("{line}\n").as_bytes());
        if at + 1 == lines.len() {
            live.finish();
        }
        let session = live.state.session.clone();
        for (_, change) in &live.told[told..] {
            if let Change::TurnEnded(turn) = change {
                let moment = Moment { session: session.clone(), turn: turn.as_ref().clone() };
                look(dealt.entry(turn.id.to_string()).or_default(), &moment);
                ended += 1;
            }
        }
        told = live.told.len();
        if at % step == 0
            && let Some(turn) = live.open_turn()
        {
            let moment = Moment { session, turn };
            look(dealt.entry(moment.turn.id.to_string()).or_default(), &moment);
        }
    }
    ended
}

#[test]
fn cards_of_every_capture_are_valid_and_whole_at_every_row() {
    let folder = root().join("tests/fixtures/codex/rollouts");
    let mut logs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    logs.sort();
    let mut ended = 0;
    for log in &logs {
        let text = fs::read_to_string(log).unwrap();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        ended += follow(&lines, 1, |dealt, moment| {
            let cards = dealt.cards(moment);
            assert_whole(&cards, &moment.turn);
        });
    }
    assert!(ended >= logs.len(), "{ended} turns");
}

/// A small source of chance, the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn text(&mut self, paragraphs: usize) -> String {
        let mut text = String::new();
        for number in 0..paragraphs {
            match self.roll(8) {
                0 => {
                    text.push_str("```rust\n");
                    for line in 0..self.roll(60) {
                        let _ = writeln!(text, "let v{line}: Vec<u8> = read(\"{number}\")?; // 代码 {line}");
                    }
                    text.push_str("```\n\n");
                }
                1 => text.push_str("```sh\necho ${HOME} && ls <dir>\n\n  done\n```\n\n"),
                2 => {
                    text.push_str("| a | b |\n|---|---|\n");
                    for row in 0..self.roll(6) {
                        let _ = writeln!(text, "| {row} | 值 {number} |");
                    }
                    text.push('\n');
                }
                3 => {
                    for item in 0..=self.roll(9) {
                        let _ = writeln!(text, "{}- item {item} of `list {number}`", "  ".repeat(item % 3));
                    }
                    text.push('\n');
                }
                4 => {
                    let _ = writeln!(text, "## 标题 {number}\n");
                }
                _ => {
                    for sentence in 0..=self.roll(30) {
                        let _ = write!(text, "第{number}段第{sentence}句, with `code<{sentence}>` & words. ");
                    }
                    text.push_str("\n\n");
                }
            }
        }
        text
    }
}

/// A long turn: messages and calls by chance, some of which fail with output.
pub(crate) fn long_turn(seed: u64, calls: usize, paragraphs: usize) -> Rows {
    let mut dice = Dice(seed | 1);
    let text = dice.text(3);
    let mut rows = Rows::paginated().turn("1").user(&text);
    for number in 0..calls {
        if dice.roll(6) == 0 {
            let text = dice.text(paragraphs);
            rows = rows.agent(&format!("m{number}"), &format!("说明 {number}\n\n{text}"));
        }
        let (id, code) = (format!("c{number}"), i64::from(dice.roll(9) == 0));
        let cmd = format!(
            "cargo test -p crate{number} -- --nocapture \"${{NAME}}\" {}",
            "x".repeat(dice.roll(300))
        );
        rows = rows.command(&id, &cmd);
        rows = rows.ran_with(
            &id,
            &cmd,
            json!({"exit_code": code, "status": if code == 0 { "completed" } else { "failed" },
            "aggregated_output": format!("line {number}\n").repeat(12)}),
        );
        rows = rows.exited(&id, code, &format!("line {number}\n").repeat(12));
    }
    let answer = dice.text(paragraphs * 4);
    rows.agent("end", &answer).done()
}

#[test]
fn cards_of_long_turns_are_valid_and_whole_on_the_way() {
    for (seed, calls, paragraphs, step) in
        [(1, 60, 3, 7), (2, 120, 12, 41), (3, 1_000, 2, 997), (4, 12, 400, 13)]
    {
        let rows = long_turn(seed * 7_919, calls, paragraphs);
        let mut most = 0;
        let ended = follow(rows.lines(), step, |dealt, moment| {
            let cards = dealt.cards(moment);
            assert_whole(&cards, &moment.turn);
            most = most.max(cards.len());
        });
        assert_eq!(ended, 1);
        assert!(most > 2, "seed {seed}: {most} cards");
    }
}

/// The card of the newest turn of these rows.
fn card_of(rows: &Rows, locale: Locale, phase: Option<Phase>) -> Value {
    let mut live = Live::new();
    live.push(&rows.bytes());
    let ended = live.told.iter().rev().find_map(|(_, change)| match change {
        Change::TurnEnded(turn) => Some(turn.as_ref().clone()),
        _ => None,
    });
    let turn = live.open_turn().or(ended).unwrap();
    let usual = if turn.end.is_some() { Phase::Final } else { Phase::Live };
    let moment = Moment { session: live.state.session.clone(), turn };
    let all = Delivered::default();
    let (json, shown, _) = moment.render(locale, phase.unwrap_or(usual), 0, Content::From(&all));
    match phase {
        Some(Phase::Sealed) => moment.render(locale, Phase::Sealed, 0, Content::Exactly(&shown)).0,
        _ => json,
    }
}

fn plan(rows: Rows) -> Rows {
    rows.call(
        "p",
        "update_plan",
        json!({"plan": [
            {"step": "Read the code", "status": "completed"},
            {"step": "Fix it", "status": "in_progress"},
            {"step": "Test it", "status": "pending"},
        ]}),
    )
    .output("p", "Plan updated")
}

/// A turn with something of everything, not ended.
fn busy() -> Rows {
    let rows = Rows::paginated()
        .row("turn_context", json!({"model": "gpt-5.6", "cwd": "/w/demo"}))
        .turn("1")
        .user("Fix the *flaky* test, see ann@example.com & <b>.")
        .agent("m1", "I look at it.\n\n```sh\necho ${HOME}\n```\n\n| a | b |\n|---|---|\n| 1 | `x<y>` |");
    plan(rows)
        .command("a", "cargo test")
        .ran("a", "cargo test", 0)
        .exited("a", 0, "ok\n")
        .command("b", "rg -n retry src")
        .ran("b", "rg -n retry src", 2)
        .exited("b", 2, "rg: src: No such file\n")
}

#[test]
fn every_kind_of_card_looks_as_it_did() {
    let error = "unexpected status 429 Too Many Requests: {\"error\":{\"type\":\"rate_limit\",\"message\":\"Slow down.\"}}";
    let failed =
        busy().event(json!({"type": "error", "message": error, "codex_error_info": "other"})).event(json!({
            "type": "task_complete", "last_agent_message": null, "error": {"message": error},
        }));
    let long = Rows::paginated().turn("1").user(&"请修好这个测试。 ".repeat(120)).agent("m", "Done.").done();
    let kinds = [
        ("waiting", card_of(&Rows::paginated().turn("1"), Locale::ZhCn, None)),
        ("asked", card_of(&Rows::paginated().turn("1").user("Fix it."), Locale::ZhCn, None)),
        ("running", card_of(&busy().command("c", "sleep 100"), Locale::ZhCn, None)),
        ("text", card_of(&busy().agent("m2", "Now I know."), Locale::ZhCn, None)),
        ("done", card_of(&busy().agent("m2", "# Done\n\nIt was a race.").done(), Locale::ZhCn, None)),
        ("done.en", card_of(&busy().agent("m2", "# Done\n\nIt was a race.").done(), Locale::En, None)),
        ("interrupted", card_of(&busy().command("c", "sleep 100").aborted(), Locale::ZhCn, None)),
        ("failed", card_of(&failed, Locale::ZhCn, None)),
        ("sealed", card_of(&busy(), Locale::ZhCn, Some(Phase::Sealed))),
        ("folded", card_of(&long, Locale::ZhCn, None)),
    ];
    let mut found = Vec::new();
    for (name, card) in &kinds {
        let taken = check_card(card).map_err(|refusal| format!("{} {}", refusal.code, refusal.message));
        assert_eq!(taken, Ok(()), "{name}: {card:#}");
        let text = serde_json::to_string_pretty(card).unwrap() + "\n";
        found.extend(golden::difference(&format!("cards/{name}.json"), &text));
    }
    golden::assert_none(&found);
}
