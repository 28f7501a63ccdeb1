//! Runs the fake Feishu platform for a person to try Larkspan against.
//!
//!     cargo xtask fake-feishu [--port PORT] [--chaos PERCENT]
//!
//! Prints where it is and what to sign in with; the page at `/` shows the cards as they are.

use anyhow::Result;
use clap::Parser;
use larkspan_tests::fake_feishu::{Chaos, FakeFeishu, Rates, Settings};

/// Runs a strict fake of the Feishu open platform on loopback, until it is interrupted.
#[derive(Debug, Parser)]
struct Arguments {
    /// The port; any free one without it
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Of a hundred calls, so many fail by chance
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100))]
    chaos: u64,
    /// What that chance depends on
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Let any number of calls through
    #[arg(long)]
    no_rates: bool,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the program's own answer")]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut settings = Settings { port: arguments.port, ..Settings::default() };
    if arguments.chaos > 0 {
        settings.chaos = Some(Chaos { seed: arguments.seed, percent: arguments.chaos });
    }
    if arguments.no_rates {
        settings.rates = Rates::unlimited();
    }
    let fake = FakeFeishu::start(settings).await?;
    println!("base URL    {}", fake.base_url());
    println!("app id      {}", fake.app_id());
    println!("app secret  {}", fake.app_secret());
    println!("chat id     {}", fake.chat_id());
    println!("cards       {}/", fake.base_url());
    // It serves until the process is interrupted.
    std::future::pending::<()>().await;
    drop(fake);
    Ok(())
}
