//! A transcript is a transcript source: the conformance suite on the real captures, and reading that stops at every line.

#![cfg(test)]

use std::path::PathBuf;
use std::time::Duration;

use larkspan_claude_adapter::ClaudeSource;
use larkspan_claude_adapter::log::LogReader;
use larkspan_core::testing::conformance;
use larkspan_core::transcript::TranscriptRecord;
use larkspan_logtail::ReadMode;

fn captures() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/claude");
    ["tools", "tools2", "tools_resume"].map(|name| folder.join(format!("{name}.transcript.jsonl"))).to_vec()
}

#[test]
fn captures_are_transcript_sources() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for path in captures() {
        for mode in [ReadMode::Whole, ReadMode::Follow] {
            let suite =
                conformance::transcript_source(|from| ClaudeSource::open(&path, mode, from).expect("a log"));
            runtime.block_on(async {
                tokio::time::timeout(Duration::from_secs(30), suite).await.expect("in time");
            });
        }
    }
}

/// All records, and what happens to the reader between two lines.
fn records(log: &[u8], between: impl Fn(LogReader) -> LogReader) -> Vec<TranscriptRecord> {
    let (mut reader, mut records, mut end) = (LogReader::new("file"), Vec::new(), 0);
    for line in log.split_inclusive(|byte| *byte == b'\n') {
        end += line.len() as u64;
        reader.line(line.strip_suffix(b"\n").unwrap_or(line), end, &mut records);
        reader = between(reader);
    }
    records
}

#[test]
fn reading_may_stop_after_any_line() {
    for path in captures() {
        let log = std::fs::read(&path).expect("a capture");
        let at_once = records(&log, |reader| reader);
        let resumed = records(&log, |reader| {
            let saved = serde_json::to_string(reader.memory()).expect("a memory");
            LogReader::resume(serde_json::from_str(&saved).expect("the memory"))
        });
        assert!(at_once.len() > 5, "{}", path.display());
        assert_eq!(at_once, resumed, "{}", path.display());
    }
}
