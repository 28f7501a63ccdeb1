//! `larkspan history` over generated logs: throughput, processor time and memory in each format, and how they grow.

use std::process::Command;

use anyhow::{Context, Result};

use super::process::{Cost, cost};
use super::report::{Cell, Column, Table, goal};
use super::{GeneratedLog, MB, Setting, complain};

const FORMATS: &[&str] = &["json", "markdown", "html"];
/// Each is measured so often.
const RUNS: usize = 5;

/// The goals: throughput a core, with every third turn in code mode and with none, in MB/s; and memory, in MiB.
const MIXED_RATE: f64 = 80.0;
const DIRECT_RATE: f64 = 150.0;
const MEMORY: f64 = 64.0;

/// How much longer than the longest Codex log the transcript of Claude Code is: 500 MB to 200.
const CLAUDE_LENGTH: (u64, u64) = (5, 2);

const COLUMNS: &[Column] = &[
    ("log", "log"),
    ("format", "format"),
    ("megabytes", "MB"),
    ("seconds", "s"),
    ("megabytes_per_second", "MB/s"),
    ("cpu_seconds", "CPU s"),
    ("megabytes_per_cpu_second", "MB/s per core"),
    ("growth", "CPU per MB vs shortest"),
    ("peak_memory_mib", "peak MiB"),
    ("rate_goal", "MB/s per core goal"),
    ("memory_goal", "MiB goal"),
];

/// A log, and what to expect of it.
struct Case<'a> {
    log: &'a GeneratedLog,
    name: &'static str,
    rate_goal: f64,
}

pub(super) fn run(setting: &Setting<'_>) -> Result<Table> {
    let sizes = [setting.bytes / 4, setting.bytes / 2, setting.bytes];
    let mixed = sizes
        .iter()
        .map(|bytes| setting.log(&format!("mixed-{}.jsonl", bytes / MB), *bytes, false))
        .collect::<Result<Vec<_>>>()?;
    let direct = [setting.log("direct.jsonl", setting.bytes, true)?];
    let claude = [setting.transcript("claude.jsonl", setting.bytes * CLAUDE_LENGTH.0 / CLAUDE_LENGTH.1)?];
    let mut rows = Vec::new();
    for (logs, name, rate_goal) in [
        (&mixed[..], "mixed", MIXED_RATE),
        (&direct[..], "direct", DIRECT_RATE),
        (&claude[..], "claude", DIRECT_RATE),
    ] {
        for format in FORMATS {
            let mut shortest = None;
            for log in logs {
                let case = Case { log, name, rate_goal };
                let cost = measure(setting, log, format)?;
                let cpu_per_byte = cost.cpu.map(|cpu| cpu.as_secs_f64() / log.contents.bytes as f64);
                shortest = shortest.or(cpu_per_byte);
                let growth = cpu_per_byte.zip(shortest).map(|(this, shortest)| this / shortest);
                rows.push(row(&case, format, cost, growth));
            }
        }
    }
    let longest = &mixed.last().context("there is no log")?.contents;
    Ok(Table {
        name: "history",
        title: format!(
            "`larkspan history LOG --format FORMAT` with its output thrown away; mixed: {} turns in {} lines, {} turns in \
             code mode with {} scripts; direct: {} turns, no script; claude: {} turns of Claude Code, a third of the {} \
             rows progress",
            longest.turns,
            longest.lines,
            longest.code_mode_turns,
            longest.scripts,
            direct[0].contents.turns,
            claude[0].contents.turns,
            claude[0].contents.lines,
        ),
        columns: COLUMNS,
        rows,
        notes: vec![format!(
            "the fastest of {RUNS} runs: other work on the machine only adds; MB = 10^6 bytes; memory is the most of any run"
        )],
    })
}

/// The run with the least processor time; the most memory of all.
fn measure(setting: &Setting<'_>, log: &GeneratedLog, format: &str) -> Result<Cost> {
    complain(&format!("== history: {format} of {}", log.path.display()));
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let mut command = Command::new(&setting.larkspan);
        command.arg("history").arg(&log.path).args(["--format", format, "--locale", "en"]);
        runs.push(cost(&mut command)?);
    }
    let run = runs.iter().min_by_key(|run| run.cpu.unwrap_or(run.wall)).context("nothing was measured")?;
    Ok(Cost { peak_memory: runs.iter().filter_map(|run| run.peak_memory).max(), ..*run })
}

fn row(case: &Case<'_>, format: &str, cost: Cost, growth: Option<f64>) -> Vec<Cell> {
    let megabytes = case.log.contents.bytes as f64 / MB as f64;
    let wall = cost.wall.as_secs_f64();
    let cpu = cost.cpu.map(|cpu| cpu.as_secs_f64());
    let per_core = cpu.map(|cpu| megabytes / cpu);
    let memory = cost.peak_memory.map(|bytes| bytes as f64 / 1024.0 / 1024.0);
    vec![
        Cell::text(case.name),
        Cell::text(format),
        Cell::Number(megabytes, 0),
        Cell::Number(wall, 2),
        Cell::Number(megabytes / wall, 0),
        Cell::number(cpu, 2),
        Cell::number(per_core, 0),
        Cell::number(growth, 2),
        Cell::number(memory, 1),
        goal(&format!("≥ {}", case.rate_goal), per_core.map(|rate| rate >= case.rate_goal)),
        goal(&format!("< {MEMORY}"), memory.map(|memory| memory < MEMORY)),
    ]
}
