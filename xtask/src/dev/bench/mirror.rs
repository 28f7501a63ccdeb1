//! `larkspan mirror`: how soon a written line is told, and what waiting costs.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::process::cpu;
use super::report::{Cell, Column, Table, goal};
use super::{Setting, complain, median, text};

/// So many lines are written, one after the other, each when the one before has been told and after a pause.
const LINES: usize = 200;
const PAUSE: Duration = Duration::from_millis(20);
/// A line that is not told within this is a failure.
const LIMIT: Duration = Duration::from_secs(10);
/// While it starts, it is written to this often until something is told.
const KNOCK: Duration = Duration::from_millis(100);
/// How long it is watched while nothing happens.
const IDLE: Duration = Duration::from_secs(20);
/// The goal for that, in percent of a core.
const IDLE_GOAL: f64 = 0.5;

const TURN: &str = "01a00000-0000-7000-8000-000000000001";

const COLUMNS: &[Column] = &[
    ("lines", "lines"),
    ("median_ms", "median ms"),
    ("p95_ms", "p95 ms"),
    ("worst_ms", "worst ms"),
    ("idle_seconds", "idle s"),
    ("idle_cpu_ms", "idle CPU ms"),
    ("idle_cpu_percent", "idle CPU %"),
    ("idle_goal", "idle goal"),
];

pub(super) fn run(setting: &Setting<'_>) -> Result<Table> {
    let log = setting.log("followed.jsonl", 1, true)?;
    let mut session = Session::open(&log.path)?;
    session.row("event_msg", &json!({ "type": "task_started", "turn_id": TURN }))?;
    let home = setting.file("home");
    let mut mirror = Mirror::start(setting, &log.path, &home)?;
    complain(&format!("== mirror: {LINES} lines, then {} s of nothing", IDLE.as_secs()));
    mirror.wait_until_it_follows(&mut session)?;
    let mut times = Vec::new();
    for number in 0..LINES {
        thread::sleep(PAUSE);
        let word = format!("line {number} of the measured ones");
        let written = Instant::now();
        session.say(&word)?;
        times.push(mirror.told(&word)?.saturating_duration_since(written));
    }
    let before = cpu(&mirror.process);
    thread::sleep(IDLE);
    let idle = cpu(&mirror.process).zip(before).map(|(after, before)| after.saturating_sub(before));
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let middle = median(&mut times).map(milliseconds);
    let late = times.get(times.len() * 95 / 100).copied().map(milliseconds);
    let worst = times.last().copied().map(milliseconds);
    let percent = idle.map(|idle| idle.as_secs_f64() / IDLE.as_secs_f64() * 100.0);
    Ok(Table {
        name: "mirror",
        title: "`larkspan mirror --surface jsonl --session LOG --from now`: from a line's write to its line of JSON"
            .to_owned(),
        columns: COLUMNS,
        rows: vec![vec![
            Cell::Number(LINES as f64, 0),
            Cell::number(middle, 2),
            Cell::number(late, 2),
            Cell::number(worst, 2),
            Cell::Number(IDLE.as_secs_f64(), 0),
            Cell::number(idle.map(milliseconds), 0),
            Cell::number(percent, 2),
            goal(&format!("< {IDLE_GOAL} %"), percent.map(|percent| percent < IDLE_GOAL)),
        ]],
        notes: vec!["processor time is counted by the kernel in ticks, of 10 ms as a rule".to_owned()],
    })
}

/// The log that is followed, and what is appended to it.
struct Session {
    file: File,
    id: String,
    rows: u64,
}

impl Session {
    fn open(path: &Path) -> Result<Self> {
        let log = text(path)?;
        let head: serde_json::Value = serde_json::from_str(log.lines().next().context("the log is empty")?)?;
        let id =
            head.pointer("/payload/id").and_then(serde_json::Value::as_str).context("the log has no id")?;
        let file = OpenOptions::new().append(true).open(path)?;
        Ok(Self { file, id: id.to_owned(), rows: log.lines().count() as u64 })
    }

    /// Appends a row, with one write.
    fn row(&mut self, kind: &str, payload: &serde_json::Value) -> Result<()> {
        let row = json!({
            "timestamp": "2026-12-01T00:00:00.000Z", "ordinal": self.rows, "type": kind, "payload": payload,
        });
        self.rows += 1;
        self.file.write_all(format!("{row}\n").as_bytes()).context("the log cannot be written")
    }

    /// The agent says something.
    fn say(&mut self, word: &str) -> Result<()> {
        let item = json!({
            "type": "AgentMessage", "id": format!("msg_{}", self.rows), "phase": "commentary",
            "content": [{ "type": "Text", "text": word }],
        });
        let payload =
            json!({ "type": "item_completed", "thread_id": self.id, "turn_id": TURN, "item": item });
        self.row("event_msg", &payload)
    }
}

/// The running mirror; dropping it ends it.
struct Mirror {
    process: Child,
    lines: Receiver<(Instant, String)>,
}

impl Mirror {
    fn start(setting: &Setting<'_>, log: &Path, home: &Path) -> Result<Self> {
        if home.exists() {
            fs::remove_dir_all(home).with_context(|| format!("{} cannot be removed", home.display()))?;
        }
        let mut command = Command::new(&setting.larkspan);
        command.args(["mirror", "--surface", "jsonl", "--from", "now", "--session"]).arg(log);
        command.env("LARKSPAN_HOME", home).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.spawn().context("larkspan does not start")?;
        let stdout = process.stdout.take().context("stdout is piped")?;
        let lines = lines(stdout);
        Ok(Self { process, lines })
    }

    /// Writes until something of it is told.
    fn wait_until_it_follows(&mut self, session: &mut Session) -> Result<()> {
        let word = "are you there";
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            session.say(word)?;
            match self.lines.recv_timeout(KNOCK) {
                Ok((_, line)) if line.contains(word) => return Ok(()),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        bail!("larkspan mirror tells nothing of what is written")
    }

    /// When the first line with this word came.
    fn told(&mut self, word: &str) -> Result<Instant> {
        let begun = Instant::now();
        while let Some(left) = LIMIT.checked_sub(begun.elapsed()) {
            match self.lines.recv_timeout(left) {
                Ok((at, line)) if line.contains(word) => return Ok(at),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        bail!("larkspan mirror did not tell {word:?} within {} s", LIMIT.as_secs())
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The lines, each with the time at which it was whole.
fn lines(stdout: ChildStdout) -> Receiver<(Instant, String)> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send((Instant::now(), line)).is_err() {
                break;
            }
        }
    });
    receiver
}
