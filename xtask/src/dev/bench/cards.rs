//! Cards: rendering and planning, what is sent, how often, and how soon.

use anyhow::Result;
use serde::Deserialize;

use super::report::{Cell, Column, Table, goal};
use super::{Setting, answer, complain};

const COLUMNS: &[Column] =
    &[("what", "what"), ("value", "value"), ("unit", "unit"), ("goal", "goal"), ("of", "of")];

#[derive(Debug, Deserialize)]
struct Measured {
    planning: Planning,
    bytes: Bytes,
    rates: Rates,
    latency: Latency,
}

#[derive(Debug, Deserialize)]
struct Planning {
    components: usize,
    bytes: usize,
    sent: usize,
    render_ns: u64,
    both_ns: u64,
}

#[derive(Debug, Deserialize)]
struct Bytes {
    calls: usize,
    cards: usize,
    sent: u64,
    refreshes: u64,
}

#[derive(Debug, Deserialize)]
struct Rates {
    cards: usize,
    seconds: u64,
    calls: usize,
    endpoint_per_second: usize,
    endpoint_per_minute: usize,
    card_per_second: usize,
    seconds_between_updates: f64,
}

#[derive(Debug, Deserialize)]
struct Latency {
    lines: usize,
    median_ms: f64,
    worst_ms: f64,
}

pub(super) fn run(setting: &Setting<'_>) -> Result<Table> {
    complain("== cards: planning, bytes, rates (on a clock of their own), then some 30 s of lines");
    let program = setting.larkspan.to_string_lossy();
    let Measured { planning, bytes, rates, latency } =
        answer(&mut setting.bench(&["cards", "--larkspan", &program]))?;
    let row = |what: &str, value: f64, decimals: usize, unit: &str, most: Option<f64>, of: String| {
        let reached = most.map(|most| value <= most);
        let wanted = most.map(|most| format!("≤ {most}"));
        vec![
            Cell::text(what),
            Cell::Number(value, decimals),
            Cell::text(unit),
            wanted.map_or(Cell::Nothing, |wanted| goal(&wanted, reached)),
            Cell::text(of),
        ]
    };
    let ms = |ns: u64| ns as f64 / 1e6;
    let full = format!("{} components, {} bytes", planning.components, planning.bytes);
    let turn = format!("{} calls, {} cards", bytes.calls, bytes.cards);
    let live = format!("{} live cards, {} s, {} calls", rates.cards, rates.seconds, rates.calls);
    let lines = format!("{} lines", latency.lines);
    let share = bytes.sent as f64 / bytes.refreshes as f64 * 100.0;
    Ok(Table {
        name: "cards",
        title: "Cards onto Feishu".to_owned(),
        columns: COLUMNS,
        rows: vec![
            row("render", ms(planning.render_ns), 2, "ms", None, full.clone()),
            row("render and plan", ms(planning.both_ns), 2, "ms", Some(2.0), full.clone()),
            row("sent when a call ends", planning.sent as f64, 0, "bytes", None, full),
            row("sent, of always the whole card", share, 1, "%", Some(20.0), turn),
            row("calls of an endpoint", rates.endpoint_per_second as f64, 0, "/s", Some(50.0), live.clone()),
            row(
                "calls of an endpoint",
                rates.endpoint_per_minute as f64,
                0,
                "/min",
                Some(1000.0),
                live.clone(),
            ),
            row("calls of a card", rates.card_per_second as f64, 0, "/s", Some(10.0), live.clone()),
            row("between updates of a card", rates.seconds_between_updates, 1, "s", None, live),
            row("from a line to its call, median", latency.median_ms, 1, "ms", Some(50.0), lines.clone()),
            row("from a line to its call, worst", latency.worst_ms, 1, "ms", None, lines),
        ],
        notes: vec![
            "rates: the most in any span of that length, on a clock that is moved on".to_owned(),
            "a line is written when its card was still for 2 s; its call is seen by a platform on loopback"
                .to_owned(),
        ],
    })
}
