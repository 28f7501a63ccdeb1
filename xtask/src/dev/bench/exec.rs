//! Reading scripts: in process, and as a process that starts cold; beside acorn in Node, which parses and walks the tree to
//! find the calls of `tools.*` by name and nothing else.

use std::fs;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::report::{Cell, Column, Table, goal};
use super::{Setting, answer, complain, median, text};
use crate::dev::workspace;

/// The scripts: their length in bytes, and the goal for reading one, in milliseconds.
const SCRIPTS: &[(usize, f64)] = &[(1_000, 0.3), (20_000, 5.0)];
/// The goal for a cold process: so many times faster than Node with acorn.
const COLD_RATIO: f64 = 5.0;
/// Each cold process is started so often, in turn.
const COLD_RUNS: usize = 21;

const COLUMNS: &[Column] = &[
    ("bytes", "script bytes"),
    ("calls", "calls"),
    ("acorn_calls", "acorn calls"),
    ("read_ms", "ms"),
    ("read_best_ms", "best"),
    ("read_goal", "ms goal"),
    ("acorn_ms", "acorn ms"),
    ("acorn_best_ms", "best"),
    ("acorn_ratio", "acorn/ours"),
    ("cold_ms", "cold ms"),
    ("acorn_cold_ms", "cold acorn ms"),
    ("cold_ratio", "cold acorn/ours"),
    ("cold_goal", "cold goal"),
];

/// What both sides tell about a script.
#[derive(Debug, Deserialize)]
struct Read {
    bytes: usize,
    calls: usize,
    median_ns: f64,
    best_ns: f64,
}

/// What is compared with.
struct Acorn {
    script: PathBuf,
    /// Of acorn and of Node.
    versions: String,
}

pub(super) fn run(setting: &Setting<'_>) -> Result<Table> {
    let acorn = Acorn::find(setting.workspace.target());
    let mut notes = vec![
        "ours also resolves names, follows values and proves what ran; acorn only parses, and finds calls by name".to_owned(),
        format!("warm: the median and the best in one process (the goal is for the best: other work on the machine only adds); cold: the median of {COLD_RUNS} processes that read the script from stdin"),
    ];
    let acorn = match acorn {
        Ok(acorn) => {
            notes.push(acorn.versions.clone());
            Some(acorn)
        }
        Err(error) => {
            notes.push(format!("not compared with acorn: {error:#}"));
            None
        }
    };
    let mut rows = Vec::new();
    for (bytes, wanted) in SCRIPTS {
        complain(&format!("== exec: a script of {bytes} bytes"));
        rows.push(row(setting, acorn.as_ref(), *bytes, *wanted)?);
    }
    Ok(Table {
        name: "exec",
        title: "reading a script of code mode, made of recorded ones".to_owned(),
        columns: COLUMNS,
        rows,
        notes,
    })
}

fn row(setting: &Setting<'_>, acorn: Option<&Acorn>, bytes: usize, wanted: f64) -> Result<Vec<Cell>> {
    let script = setting.file(&format!("script-{bytes}.js"));
    let mut make = setting.bench(&["script", "--bytes", &bytes.to_string(), "--out"]);
    let _: serde_json::Value = answer(make.arg(&script))?;
    let ours: Read = answer(setting.bench(&["read"]).arg(&script))?;
    let theirs: Option<Read> = acorn.map(|acorn| answer(acorn.command("warm").arg(&script))).transpose()?;
    let (mut cold, mut acorn_cold) = (Vec::new(), Vec::new());
    for _ in 0..COLD_RUNS {
        cold.push(cold_run(&mut setting.bench(&["read-once"]), &script)?);
        if let Some(acorn) = acorn {
            acorn_cold.push(cold_run(&mut acorn.command("once"), &script)?);
        }
    }
    let milliseconds = |ns: f64| ns / 1e6;
    let of_times = |times: &mut [Duration]| median(times).map(|time| time.as_secs_f64() * 1e3);
    let (read, best) = (milliseconds(ours.median_ns), milliseconds(ours.best_ns));
    let acorn_read = theirs.as_ref().map(|theirs| milliseconds(theirs.median_ns));
    let acorn_best = theirs.as_ref().map(|theirs| milliseconds(theirs.best_ns));
    let (cold, acorn_cold) = (of_times(&mut cold), of_times(&mut acorn_cold));
    let cold_ratio = acorn_cold.zip(cold).map(|(theirs, ours)| theirs / ours);
    Ok(vec![
        Cell::Number(ours.bytes as f64, 0),
        Cell::Number(ours.calls as f64, 0),
        Cell::number(theirs.map(|theirs| theirs.calls as f64), 0),
        Cell::Number(read, 3),
        Cell::Number(best, 3),
        goal(&format!("≤ {wanted}"), Some(best <= wanted)),
        Cell::number(acorn_read, 3),
        Cell::number(acorn_best, 3),
        Cell::number(acorn_read.map(|theirs| theirs / read), 2),
        Cell::number(cold, 2),
        Cell::number(acorn_cold, 2),
        Cell::number(cold_ratio, 1),
        goal(&format!("≥ {COLD_RATIO}x"), cold_ratio.map(|ratio| ratio >= COLD_RATIO)),
    ])
}

fn cold_run(command: &mut Command, script: &Path) -> Result<Duration> {
    let stdin = File::open(script).with_context(|| format!("{} cannot be read", script.display()))?;
    command.stdin(stdin).stdout(Stdio::null());
    let begun = Instant::now();
    let status = command.status().with_context(|| format!("{} does not start", workspace::shown(command)))?;
    let time = begun.elapsed();
    if !status.success() {
        bail!("{} failed ({status})", workspace::shown(command));
    }
    Ok(time)
}

impl Acorn {
    /// Node, and acorn from npm, installed below the target folder the first time.
    fn find(target: &Path) -> Result<Self> {
        let node = workspace::answer(Command::new("node").arg("--version")).context("node is not found")?;
        let folder = target.join("acorn");
        let manifest = folder.join("node_modules/acorn/package.json");
        if !manifest.is_file() {
            fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
            let mut install = Command::new("npm");
            install.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(&folder);
            workspace::answer(install.arg("acorn@8")).context("npm cannot install acorn")?;
        }
        let manifest: serde_json::Value = serde_json::from_str(&text(&manifest)?)?;
        let script = folder.join("bench.mjs");
        fs::write(&script, include_str!("acorn.mjs"))
            .with_context(|| format!("{} cannot be written", script.display()))?;
        let version =
            manifest.get("version").and_then(serde_json::Value::as_str).unwrap_or("of unknown version");
        Ok(Self { script, versions: format!("acorn {version} in Node {node}") })
    }

    fn command(&self, mode: &str) -> Command {
        let mut command = Command::new("node");
        command.arg(&self.script).arg(mode);
        command
    }
}
