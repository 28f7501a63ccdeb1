//! What the program says to a person: errors and the log, on standard error.
#![expect(clippy::print_stderr, reason = "this is the module that speaks to the terminal")]

use std::io::Write as _;
use std::{fmt, io};

use tracing_subscriber::filter::LevelFilter;

/// The program was called in a way that makes no sense.
#[derive(Debug)]
pub(super) struct Usage(pub(super) &'static str);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Usage {}

/// Starts the log. Each `-v` says more.
pub(super) fn start_log(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let started =
        tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_target(false).try_init();
    // Somebody else has started one: theirs is used.
    drop(started);
}

/// Prints a result for a person, on standard output, at once.
pub(super) fn result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Says what does not stop the program but should be known.
pub(super) fn warning(text: &str) {
    eprintln!("larkspan: {text}");
}

/// Prints an error with all its causes.
pub(super) fn error(error: &anyhow::Error) {
    eprintln!("larkspan: {error}");
    for cause in error.chain().skip(1) {
        // Wrappers often repeat the words of their cause.
        if !error.to_string().contains(&cause.to_string()) {
            eprintln!("  because: {cause}");
        }
    }
}
