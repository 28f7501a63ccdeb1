//! `cargo xtask`: the contributor commands. Builds without the application and starts at once.

mod dev;

use std::process::ExitCode;

fn main() -> ExitCode {
    dev::main()
}
