//! The product: `larkspan`.

fn main() -> std::process::ExitCode {
    xtask::app::main()
}
