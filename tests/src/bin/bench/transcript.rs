//! One long transcript of Claude Code: a capture's turns over and over, a third of all rows being progress, which says nothing.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// What a row of progress carries, in bytes.
const PROGRESS: usize = 900;

/// Writes the transcript; tells what is in it.
pub(crate) fn write(capture: &Path, out: &Path, bytes: u64) -> Result<Value> {
    let text =
        std::fs::read_to_string(capture).with_context(|| format!("{} cannot be read", capture.display()))?;
    let is_said = |row: &Value| row["type"] == "user" || row["type"] == "assistant";
    let rows: Vec<Value> =
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(is_said).collect();
    let first = rows.first().context("the capture has no row of a conversation")?;
    let (session, at) = (first["sessionId"].clone(), first["timestamp"].clone());
    let file = File::create(out).with_context(|| format!("{} cannot be written", out.display()))?;
    let mut file = BufWriter::new(file);
    let (mut written, mut lines, mut turns) = (0_u64, 0_u64, 0_u64);
    let mut last = Value::Null;
    let noise = "x".repeat(PROGRESS);
    while written < bytes {
        turns += 1;
        for (number, row) in rows.iter().enumerate() {
            let mut row = row.clone();
            row["parentUuid"] = std::mem::replace(&mut last, json!(format!("{turns:08x}-{number}")));
            row["uuid"] = last.clone();
            // Calls and answers of each turn are its own.
            let said = row.to_string().replace("toolu_", &format!("toolu_{turns}_"));
            let mut put = vec![said.replace("\"msg_", &format!("\"msg_{turns}_"))];
            if number % 2 == 0 {
                let progress = json!({"parentUuid": last, "isSidechain": false, "type": "progress", "sessionId": session,
                    "data": {"type": "bash_progress", "output": noise, "elapsedTimeSeconds": 3}, "timestamp": at,
                    "toolUseID": format!("t{turns}"), "uuid": format!("p{turns}-{number}")});
                put.push(progress.to_string());
            }
            for line in put {
                writeln!(file, "{line}")?;
                written += line.len() as u64 + 1;
                lines += 1;
            }
        }
    }
    file.flush()?;
    Ok(json!({"bytes": written, "lines": lines, "turns": turns, "code_mode_turns": 0, "scripts": 0}))
}
