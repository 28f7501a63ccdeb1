//! Takes the pictures of the README: the bundled session in the local page, in a real browser.
//!
//! `cargo build --release --bin larkspan && cargo run -p larkspan-tests --bin take-pictures -- target/release/larkspan`

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::Parser;
use larkspan_tests::browser::{Browser, chromium};

/// Takes the pictures of the README.
#[derive(Debug, Parser)]
struct Arguments {
    /// The product
    larkspan: PathBuf,
    /// Where to
    #[arg(long, value_name = "DIR", default_value = "docs/images")]
    out: PathBuf,
}

/// Opens what a reader should see: the history, its last group of calls, and the call in it.
const OPEN: &str = "[...document.querySelectorAll('article')].slice(0, 1).forEach(card => {
    const open = fold => { if (fold && !fold.open) fold.querySelector('summary').click(); };
    const history = card.querySelector('[data-id=stream_history]');
    open(history);
    const group = [...history.querySelectorAll('[data-id^=stream_tool_]')][0];
    open(group);
    open(group.querySelector('details'));
    document.querySelector('.cards').scrollTop = 0;
}); true";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let program = chromium().context("no Chromium: install Debian's package, or set LARKSPAN_CHROMIUM")?;
    for (locale, suffix) in [("en", ""), ("zh-CN", ".zh-CN")] {
        pictures(&arguments, &program, locale, suffix).await?;
    }
    Ok(())
}

async fn pictures(arguments: &Arguments, program: &Path, locale: &str, suffix: &str) -> Result<()> {
    let home = tempfile::tempdir()?;
    let mut mirror = Command::new(&arguments.larkspan)
        .args(["mirror", "--locale", locale, "--from", "start", "--session", "examples/demo-session.jsonl"])
        .env("LARKSPAN_HOME", home.path())
        .stdout(Stdio::piped())
        .spawn()
        .context("larkspan does not start")?;
    let lines = BufReader::new(mirror.stdout.take().context("stdout is piped")?).lines();
    let url =
        lines.map_while(Result::ok).find_map(|line| line.find("http://").map(|at| line[at..].to_owned()));
    let mut browser = Browser::open(program, &url.context("no URL")?).await?;
    for (name, width, height, scheme) in
        [("preview", 1280, 1000, "light"), ("preview-phone", 420, 930, "dark")]
    {
        browser.resize(width, height).await?;
        browser.prefer(scheme).await?;
        browser.until("document.body.innerText.includes('all 108,000 values are fine')").await?;
        browser.ask(OPEN).await?;
        // The fold's own movement is over, and the picture is of a page at rest.
        browser.ask("new Promise(done => setTimeout(() => done(true), 600))").await?;
        let file = arguments.out.join(format!("{name}{suffix}.png"));
        fs::write(&file, browser.picture().await?).with_context(|| file.display().to_string())?;
    }
    mirror.kill()?;
    mirror.wait()?;
    Ok(())
}
