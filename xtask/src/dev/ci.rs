//! Runs the steps, tells how long each took, and sums up.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::console::{complain, say};
use super::skipped::SkippedTests;
use super::steps::{Plan, Runner, Setting, Step};
use super::workspace::{Workspace, shown};

/// How a step ended.
#[derive(Debug)]
enum Outcome {
    Passed(Duration),
    /// After this time, with the command that failed.
    Failed(Duration, String),
    /// It cannot run here.
    Skipped(String),
    /// A step that it needs has failed.
    Blocked(Step),
}

/// Runs these steps (all, if none is named) and what they need. `names` narrows the end-to-end tests.
pub(super) fn run(workspace: &Workspace, only: &[Step], names: &[String]) -> Result<ExitCode> {
    let skipped = SkippedTests::begin(workspace.target())?;
    let setting = Setting { workspace, runner: Runner::find(workspace), skipped: skipped.file(), names };
    if setting.runner == Runner::CargoTest {
        complain("note: cargo nextest is not installed, so `cargo test` runs the tests");
    }
    let begun = Instant::now();
    let mut done: Vec<(Step, Outcome)> = Vec::new();
    for step in chosen(only) {
        let failed = |needed: &Step| {
            done.iter().any(|(step, outcome)| step == needed && !matches!(outcome, Outcome::Passed(_)))
        };
        let outcome = match step.needs().filter(failed) {
            Some(needed) => Outcome::Blocked(needed),
            None => play(step, &setting)?,
        };
        done.push((step, outcome));
    }
    let passed = done.iter().all(|(_, outcome)| matches!(outcome, Outcome::Passed(_) | Outcome::Skipped(_)));
    for line in summary(&done, &skipped.list()?, begun.elapsed()) {
        say(&line);
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The steps to run, in order.
fn chosen(only: &[Step]) -> Vec<Step> {
    let wanted = |step: &Step| {
        only.is_empty() || only.contains(step) || only.iter().any(|chosen| chosen.needs() == Some(*step))
    };
    Step::all().iter().copied().filter(wanted).collect()
}

fn play(step: Step, setting: &Setting<'_>) -> Result<Outcome> {
    let commands = match step.plan(setting) {
        Plan::Run(commands) => commands,
        Plan::Skip(reason) => {
            say(&format!("\n== {step}: skipped: {reason}"));
            return Ok(Outcome::Skipped(reason));
        }
    };
    let begun = Instant::now();
    for mut command in commands {
        let line = shown(&command);
        say(&format!("\n== {step}: {line}"));
        quieten(&mut command);
        if super::workspace::run(&mut command)? != ExitCode::SUCCESS {
            say(&format!("== {step}: FAILED after {}", seconds(begun.elapsed())));
            return Ok(Outcome::Failed(begun.elapsed(), line));
        }
    }
    say(&format!("== {step}: ok, {}", seconds(begun.elapsed())));
    Ok(Outcome::Passed(begun.elapsed()))
}

/// Where a machine reads the output there is neither colour nor a progress bar.
fn quieten(command: &mut Command) {
    if std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false") {
        command.env("CARGO_TERM_COLOR", "never").env("CARGO_TERM_PROGRESS_WHEN", "never");
    }
}

fn summary(done: &[(Step, Outcome)], skipped: &[String], took: Duration) -> Vec<String> {
    let mut lines = vec![String::new(), "== summary".to_owned()];
    for (step, outcome) in done {
        lines.push(match outcome {
            Outcome::Passed(time) => format!("  ok       {step:<13}{:>9}", seconds(*time)),
            Outcome::Failed(time, command) => {
                format!("  FAILED   {step:<13}{:>9}  {command}", seconds(*time))
            }
            Outcome::Skipped(reason) => format!("  skipped  {step:<13}{:>9}  {reason}", ""),
            Outcome::Blocked(needed) => format!("  NOT RUN  {step:<13}{:>9}  {needed} failed", ""),
        });
    }
    lines.push(format!("  in all   {:<13}{:>9}", "", seconds(took)));
    if !skipped.is_empty() {
        lines.push(format!("== tests that need something absent here: {}", skipped.len()));
        lines.extend(skipped.iter().map(|line| format!("  SKIPPED {line}")));
    }
    lines
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_run_in_order_with_what_they_need() {
        assert_eq!(chosen(&[]), Step::all());
        assert_eq!(chosen(&[Step::Docs, Step::Fmt]), [Step::Fmt, Step::Docs]);
        assert_eq!(chosen(&[Step::E2e]), [Step::Build, Step::E2e]);
    }

    #[test]
    fn the_summary_names_what_failed_and_what_was_skipped() {
        let done = [
            (Step::Fmt, Outcome::Passed(Duration::from_millis(420))),
            (Step::Build, Outcome::Failed(Duration::from_secs(61), "cargo build".to_owned())),
            (Step::E2e, Outcome::Blocked(Step::Build)),
            (Step::Wasm, Outcome::Skipped("no target".to_owned())),
        ];
        let lines = summary(&done, &["a test: no Codex".to_owned()], Duration::from_secs(70));
        assert_eq!(
            lines,
            [
                "",
                "== summary",
                "  ok       fmt              0.4 s",
                "  FAILED   build           61.0 s  cargo build",
                "  NOT RUN  e2e                     build failed",
                "  skipped  wasm                    no target",
                "  in all                   70.0 s",
                "== tests that need something absent here: 1",
                "  SKIPPED a test: no Codex",
            ]
        );
    }
}
