//! The contributor commands: what they are called and what they take. Each has a module of its own.

mod bench;
mod ci;
mod console;
mod skipped;
mod steps;
mod workspace;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

use console::say;
use steps::Step;
use workspace::Workspace;

/// What a contributor runs: the checks, the end-to-end tests, the benchmarks, the fixtures, the documentation.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    after_help = "\
The usual day:
  cargo xtask ci                     everything that must hold before a change lands
  cargo xtask ci --only clippy       one step of it
  cargo xtask e2e mirror             the end-to-end tests whose name contains `mirror`
  cargo xtask bench exec             how fast scripts are read, beside acorn in Node

The product itself is `cargo larkspan --help`."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Ci(Ci),
    E2e(E2e),
    Bench(bench::Arguments),
    Fixtures(Fixtures),
    FakeFeishu(FakeFeishu),
    Docs(Docs),
}

/// Everything that must hold before a change lands; what the continuous integration runs.
///
/// Every step runs, also after one that failed; the summary names the failed ones and the command that repeats each, and
/// every test that was skipped since something it needs is absent.
#[derive(Debug, Args)]
struct Ci {
    /// Only this step (may be given several times), and what it needs
    #[arg(long, value_name = "STEP")]
    only: Vec<Step>,
}

/// The end-to-end tests: the built `larkspan` against recorded logs, the mock apps, and the real Codex where it is found.
///
/// The real Codex is the program, or the npm prefix, that `LARKSPAN_CODEX` names, else `codex` on PATH. Without it
/// those tests are reported as skipped.
#[derive(Debug, Args)]
struct E2e {
    /// Only the tests whose name contains one of these
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Records the session logs under tests/fixtures again, with the real Codex CLI and a scripted model; offline.
#[derive(Debug, Args)]
struct Fixtures {
    /// The Codex CLI, or the folder of an npm installation; without it `LARKSPAN_CODEX` or `codex` on PATH
    #[arg(long, value_name = "PATH")]
    codex: Option<PathBuf>,
    /// Only the scenarios whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Where the logs go
    #[arg(long, value_name = "DIR", default_value = "tests/fixtures/codex/rollouts")]
    out: PathBuf,
}

/// Runs the strict fake of the Feishu open platform, to try Larkspan without an account; `-- --help` for its options.
#[derive(Debug, Args)]
struct FakeFeishu {
    /// What the fake is told, as in `-- --port 8080`
    #[arg(value_name = "ARG", last = true)]
    arguments: Vec<OsString>,
}

/// The documentation of the crates, with warnings denied.
#[derive(Debug, Args)]
struct Docs {
    /// Open it in the browser
    #[arg(long)]
    open: bool,
}

/// Runs the command line.
pub(crate) fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            console::complain(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    match command {
        Command::Ci(Ci { only }) => ci::run(&workspace, &only, &[]),
        Command::E2e(E2e { names }) => ci::run(&workspace, &[Step::E2e], &names),
        Command::Bench(arguments) => bench::run(&workspace, &arguments),
        Command::Fixtures(arguments) => fixtures(&workspace, arguments),
        Command::FakeFeishu(FakeFeishu { arguments }) => {
            let mut command = workspace.cargo();
            command.args(["run", "--quiet", "--package", "larkspan-tests", "--bin", "fake-feishu", "--"]);
            command.args(arguments);
            workspace::run(&mut command)
        }
        Command::Docs(Docs { open }) => {
            let mut command = steps::docs(&workspace);
            command.args(open.then_some("--open"));
            workspace::run(&mut command)
        }
    }
}

fn fixtures(workspace: &Workspace, arguments: Fixtures) -> Result<ExitCode> {
    let Fixtures { codex, only, out } = arguments;
    let mut command = workspace.cargo();
    command.args(["run", "--package", "larkspan-tests", "--bin", "record-fixtures", "--", "--out"]).arg(&out);
    for (option, value) in [("--codex", codex.map(OsString::from)), ("--only", only.map(OsString::from))] {
        if let Some(value) = value {
            command.arg(option).arg(value);
        }
    }
    let code = workspace::run(&mut command)?;
    if code == ExitCode::SUCCESS {
        say(&format!("The logs are in {}; review them with `git diff --stat`.", out.display()));
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
