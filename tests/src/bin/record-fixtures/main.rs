//! Records session logs of the real Codex CLI as fixtures.
//!
//!     cargo run -p larkspan-tests --bin record-fixtures -- --codex PATH [--only NAME] --out DIR
//!
//! Every scenario runs Codex offline against a scripted model in an isolated home, takes the session logs it wrote,
//! sanitises them and writes them as `r_<scenario>.jsonl`. The scenarios are listed in [`scenarios::all`].

mod recorder;
mod scenarios;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use larkspan_tests::codex_cli::CodexCli;
use larkspan_tests::mcp_demo;

use recorder::Recorder;

/// Records session logs of the real Codex CLI as fixtures.
#[derive(Debug, Parser)]
struct Arguments {
    /// The Codex CLI, or the folder of an npm installation; without it `LARKSPAN_CODEX` or `codex` on PATH
    #[arg(long, value_name = "PATH")]
    codex: Option<PathBuf>,
    /// Only the scenarios whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Where the logs go
    #[arg(long, value_name = "DIR", required_unless_present = "serve_mcp")]
    out: Option<PathBuf>,
    /// Be the MCP server that some scenarios call
    #[arg(long, hide = true, exclusive = true)]
    serve_mcp: bool,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    if arguments.serve_mcp {
        mcp_demo::serve(std::io::stdin().lock(), std::io::stdout().lock())?;
        return Ok(ExitCode::SUCCESS);
    }
    record(arguments)
}

#[tokio::main]
#[expect(clippy::print_stderr, reason = "the program's own messages")]
async fn record(arguments: Arguments) -> Result<ExitCode> {
    let cli = match &arguments.codex {
        Some(path) => CodexCli::at(path).with_context(|| format!("{} is no Codex CLI", path.display()))?,
        None => CodexCli::find()?.context("no Codex CLI found: name one with --codex")?,
    };
    let out = arguments.out.context("--out is missing")?;
    std::fs::create_dir_all(&out)?;
    eprintln!("codex {} writes to {}", cli.version(), out.display());
    let recorder = Recorder::new(cli, out)?;
    let (mut played, mut failures) = (0_usize, 0_usize);
    for scenario in scenarios::all() {
        if !scenario.is_asked_for(arguments.only.as_deref()) {
            continue;
        }
        played += 1;
        let name = scenario.name;
        match scenario.record(&recorder).await {
            Ok(()) => eprintln!("recorded {name}"),
            Err(error) => {
                failures += 1;
                eprintln!("FAILED {name}: {error:#}");
            }
        }
    }
    if played == 0 {
        bail!("no scenario has such a name");
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
