//! What `cargo xtask bench` cannot do without the crates: the logs and scripts to measure with, and what is measured in
//! process. Every command prints one JSON object.

mod captures;
mod cards;
mod generate;
mod measure;
mod scripts;
mod transcript;

use std::io::{Read, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use larkspan_codex_adapter::exec::read;
use serde_json::{Value, json};

use captures::Captures;

/// The benchmarks' own program; `cargo xtask bench` runs it.
#[derive(Debug, Parser)]
struct Arguments {
    /// The folder of recorded session logs
    #[arg(long, value_name = "DIR", default_value = "tests/fixtures/codex/rollouts")]
    captures: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes one long session log: the captures' turns, over and over
    Log {
        /// Where to
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// It ends with the first whole turn past this
        #[arg(long)]
        bytes: u64,
        /// Only turns that call tools directly; else every third turn is in code mode
        #[arg(long)]
        direct: bool,
    },
    /// Writes one long transcript of Claude Code, a third of its rows progress
    Transcript {
        /// Where to
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// It ends with the first whole turn past this
        #[arg(long)]
        bytes: u64,
        /// The recorded transcript
        #[arg(long, value_name = "FILE", default_value = "tests/fixtures/claude/tools2.transcript.jsonl")]
        capture: PathBuf,
    },
    /// Writes one script of about this length, from the captures' scripts
    Script {
        /// Where to
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// How long
        #[arg(long)]
        bytes: usize,
    },
    /// Measures how long reading a script takes, in process
    Read {
        /// The script
        file: PathBuf,
    },
    /// Reads the script on stdin once
    ReadOnce,
    /// Measures cards: rendering and planning, bytes, rates, and the time from a line to the platform
    Cards {
        /// The product
        #[arg(long, value_name = "FILE")]
        larkspan: PathBuf,
    },
    /// Measures how many records a second are read from lines, and reduced to turns
    Records,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let captures = || Captures::load(&arguments.captures);
    let answer = match arguments.command {
        Command::Log { out, bytes, direct } => generate::write(&captures()?, &out, bytes, direct)?,
        Command::Transcript { out, bytes, capture } => transcript::write(&capture, &out, bytes)?,
        Command::Script { out, bytes } => {
            let script = scripts::of_length(&captures()?, bytes)?;
            std::fs::write(&out, &script).with_context(|| format!("{} cannot be written", out.display()))?;
            json!({ "bytes": script.len() })
        }
        Command::Read { file } => {
            let script = std::fs::read_to_string(&file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            measure::reading(&script)?
        }
        Command::ReadOnce => read_once()?,
        Command::Cards { larkspan } => cards::run(&larkspan)?,
        Command::Records => measure::records(&captures()?)?,
    };
    writeln!(std::io::stdout().lock(), "{answer}").context("stdout cannot be written")
}

fn read_once() -> Result<Value> {
    let mut script = String::new();
    std::io::stdin().lock().read_to_string(&mut script).context("no script on stdin")?;
    Ok(json!({ "calls": read(&script).calls.len() }))
}
