//! The program `larkspan`: configuration, wiring, and what a person sees of errors.

mod agents;
mod cards;
mod cli;
mod config;
mod doctor;
mod environment;
mod history;
mod mirror;
mod output;
mod progress;
mod say;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};
use environment::Environment;

/// The exit code for wrong usage, as the argument parser has it.
const USAGE: u8 = 2;

/// Runs the program with the process's arguments and environment.
///
/// Exit codes: 0 done, 1 failure, 2 usage.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    say::start_log(cli.verbose);
    let environment = Environment::of_process();
    let result = match cli.command {
        Command::History(arguments) => history::run(&environment, &arguments),
        Command::Mirror(arguments) => mirror::run(&environment, arguments),
        Command::Doctor(arguments) => doctor::run(&environment, arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::error(&error);
            if error.is::<say::Usage>() { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
        }
    }
}
