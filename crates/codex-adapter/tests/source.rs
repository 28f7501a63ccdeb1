//! A Codex log is a transcript source: the conformance suite on real captures.

#![cfg(test)]

use std::path::Path;
use std::time::Duration;

use larkspan_codex_adapter::CodexSource;
use larkspan_core::testing::conformance;
use larkspan_logtail::ReadMode;

#[test]
fn captures_are_transcript_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/codex/rollouts");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for name in ["r_resume_cm", "as_compact", "d_exec", "r_cm_cell_across_turns", "r_subagent_child"] {
        let path = folder.join(format!("{name}.jsonl"));
        for mode in [ReadMode::Whole, ReadMode::Follow] {
            let suite =
                conformance::transcript_source(|from| CodexSource::open(&path, mode, from).expect("a log"));
            runtime.block_on(async {
                tokio::time::timeout(Duration::from_secs(30), suite).await.expect("in time");
            });
        }
    }
}
