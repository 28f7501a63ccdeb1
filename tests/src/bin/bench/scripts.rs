//! Realistic scripts of a wanted length: the captures' own, one after the other, each in a block of its own so that their
//! names do not clash.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use anyhow::{Result, bail};
use larkspan_codex_adapter::exec::{ReadOutcome, read};

use super::captures::Captures;

/// What ends a script or is not allowed in a block.
const NOT_IN_A_BLOCK: &[&str] = &["exit()", "import ", "export ", "// @exec"];

/// A script of at least `bytes`, and at most one of the captures' scripts longer.
pub(crate) fn of_length(captures: &Captures, bytes: usize) -> Result<String> {
    let usable = |script: &&str| {
        let reading = read(script);
        reading.outcome == ReadOutcome::Parsed
            && !reading.calls.is_empty()
            && !NOT_IN_A_BLOCK.iter().any(|word| script.contains(word))
    };
    let scripts: BTreeSet<&str> =
        captures.0.iter().flat_map(|capture| &capture.scripts).map(String::as_str).filter(usable).collect();
    // The longest first: they are what people's agents write, the short ones each show one thing.
    let mut scripts: Vec<&str> = scripts.into_iter().collect();
    scripts.sort_by_key(|script| Reverse(script.len()));
    let mut made = String::new();
    for script in scripts.iter().cycle() {
        made.extend(["{\n", script.trim(), "\n}\n"]);
        if made.len() >= bytes {
            break;
        }
    }
    let reading = read(&made);
    if reading.outcome != ReadOutcome::Parsed || reading.calls.is_empty() {
        bail!("the made script of {} bytes is not read: {:?}", made.len(), reading.outcome);
    }
    Ok(made)
}
