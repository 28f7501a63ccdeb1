//! Benchmarks.
use super::workspace::Workspace;
use anyhow::Result;
use clap::Args;
use std::process::ExitCode;
/// Benchmarks.
#[derive(Debug, Args)]
pub(super) struct Arguments {}
pub(super) fn run(_workspace: &Workspace, _arguments: &Arguments) -> Result<ExitCode> {
    Ok(ExitCode::SUCCESS)
}
