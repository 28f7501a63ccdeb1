//! `cargo xtask bench`: which benchmarks there are, what they share, and how their tables come out.
//!
//! The product is measured as a process, as people run it. What must be measured in process is measured by the program
//! `bench` of the tests' package, since this one knows none of the crates.

mod cards;
mod exec;
mod history;
mod machine;
mod mirror;
mod process;
mod records;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde::de::DeserializeOwned;

use super::console::{complain, say};
use super::workspace::{self, Workspace, shown};
use machine::Machine;

/// How fast the product is: a table for each benchmark, with this machine named.
///
/// Logs and scripts to measure with are made of the recorded ones under tests/fixtures. Everything is built with
/// optimisation first. Close other programs: the numbers are of this run only, and ratios compare within it.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Only these
    #[arg(value_name = "NAME")]
    names: Vec<Name>,
    /// One JSON object a row instead of tables; the first describes the machine
    #[arg(long)]
    json: bool,
    /// The length of the longest generated log, in MB
    #[arg(long, value_name = "MB", default_value_t = 200, value_parser = clap::value_parser!(u64).range(4..=100_000))]
    size: u64,
    /// Leave the generated logs and scripts in target/bench
    #[arg(long)]
    keep: bool,
}

/// A benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// `larkspan history` over long logs: throughput, memory, growth
    History,
    /// Reading scripts, beside acorn in Node where both are found
    Exec,
    /// From lines to records, and from records to turns
    Records,
    /// `larkspan mirror`: from a written line to a told change, and what it costs while nothing happens
    Mirror,
    /// Cards: rendering and planning, what is sent, how often, and how soon after a line
    Cards,
}

/// What the benchmarks share.
struct Setting<'a> {
    workspace: &'a Workspace,
    /// The product.
    larkspan: PathBuf,
    /// The tests' own program.
    bench: PathBuf,
    /// For generated files.
    folder: PathBuf,
    /// The length of the longest generated log, in bytes.
    bytes: u64,
}

/// A megabyte, as in MB/s.
const MB: u64 = 1_000_000;

pub(super) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<ExitCode> {
    let names = if arguments.names.is_empty() { Name::value_variants() } else { &arguments.names };
    let setting = Setting::prepare(workspace, arguments.size * MB)?;
    let machine = Machine::here();
    say(&if arguments.json { machine.json() } else { machine.to_string() });
    for name in names {
        let table = match name {
            Name::History => history::run(&setting),
            Name::Exec => exec::run(&setting),
            Name::Records => records::run(&setting),
            Name::Mirror => mirror::run(&setting),
            Name::Cards => cards::run(&setting),
        }?;
        let lines = if arguments.json { table.json() } else { table.lines() };
        for line in &lines {
            say(line);
        }
    }
    if !arguments.keep {
        fs::remove_dir_all(&setting.folder)
            .with_context(|| format!("{} cannot be removed", setting.folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl<'a> Setting<'a> {
    /// Builds what is measured.
    fn prepare(workspace: &'a Workspace, bytes: u64) -> Result<Self> {
        for (package, program) in [("xtask", "larkspan"), ("larkspan-tests", "bench")] {
            let mut build = workspace.cargo();
            build.args(["build", "--release", "--package", package, "--bin", program]);
            complain(&format!("== {}", shown(&build)));
            if workspace::run(&mut build)? != ExitCode::SUCCESS {
                bail!("{program} cannot be built");
            }
        }
        let folder = workspace.target().join("bench");
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Self {
            workspace,
            larkspan: workspace.program("release", "larkspan"),
            bench: workspace.program("release", "bench"),
            folder,
            bytes,
        })
    }

    /// A file for something generated.
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The tests' own program, with these arguments.
    fn bench(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.bench);
        command.current_dir(self.workspace.root()).args(arguments).stdin(Stdio::null());
        command
    }

    /// A generated session log.
    fn log(&self, name: &str, bytes: u64, direct: bool) -> Result<GeneratedLog> {
        complain(&format!("== generating {name}"));
        let path = self.file(name);
        let mut command = self.bench(&["log", "--bytes", &bytes.to_string(), "--out"]);
        command.arg(&path).args(direct.then_some("--direct"));
        Ok(GeneratedLog { contents: answer(&mut command)?, path })
    }

    /// A generated transcript of Claude Code.
    fn transcript(&self, name: &str, bytes: u64) -> Result<GeneratedLog> {
        complain(&format!("== generating {name}"));
        let path = self.file(name);
        let mut command = self.bench(&["transcript", "--bytes", &bytes.to_string(), "--out"]);
        command.arg(&path);
        Ok(GeneratedLog { contents: answer(&mut command)?, path })
    }
}

/// A generated session log.
#[derive(Debug)]
struct GeneratedLog {
    path: PathBuf,
    contents: LogContents,
}

/// What is in it, as the program that wrote it tells.
#[derive(Debug, serde::Deserialize)]
struct LogContents {
    bytes: u64,
    lines: u64,
    turns: u64,
    code_mode_turns: u64,
    scripts: u64,
}

/// The JSON that a command prints.
fn answer<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let line = shown(command);
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("{line} does not start"))?;
    if !output.status.success() {
        bail!("{line} failed ({})", output.status);
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("{line} printed something unexpected"))
}

/// The middle one.
fn median<T: PartialOrd + Copy>(values: &mut [T]) -> Option<T> {
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied()
}

/// A file's text.
fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}
