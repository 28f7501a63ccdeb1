//! The same work in the three shapes.

use larkspan_core::transcript::{ContextUsage, RecordBody};
use pretty_assertions::assert_eq;

use super::{MESSAGES, NEWER, OLDER, read, records, sessions, steps};
use crate::log::looks_like_kimi;

const WORK: [&str; 12] = [
    "user: Why does add fail?",
    "thought: Look first.",
    "agent…: I will look.",
    "📖 Read `src/main.rs` · lines 10–14 · 2 lines of output",
    "⚠️ Run `cargo test -p demo` · exit 101 · 2 lines of output",
    "🔎 Search `fn add` · in `src`",
    "🛠️ Edit `src/lib.rs`",
    "📝 Write `NOTES.md`",
    "☑️ Update plan 3 items",
    "❌ Fetch https://example.com/",
    "agent!: It adds now.",
    "= Completed",
];

#[test]
fn the_same_work_reads_the_same_in_every_shape() {
    let newer = read(NEWER);
    assert_eq!(newer, WORK);
    assert_eq!(read(OLDER), newer);
    assert_eq!(read(MESSAGES), newer);
}

#[test]
fn a_log_that_has_both_events_and_messages_tells_each_thing_once() {
    // The events of each step, and after them the same as messages.
    let mut log = String::new();
    let mut messages = MESSAGES
        .lines()
        .filter(|line| line.contains("\"role\":\"assistant\"") || line.contains("\"role\":\"tool\""));
    for line in NEWER.lines() {
        log.push_str(line);
        log.push('\n');
        let twins = if line.contains("\"step.end\"") { 2 } else { 0 };
        for twin in messages.by_ref().take(twins) {
            log.push_str(twin);
            log.push('\n');
        }
    }
    assert_eq!(messages.count(), 0);
    assert_eq!(read(&log), read(NEWER));
}

#[test]
fn ids_are_unique_in_every_shape() {
    for log in [NEWER, OLDER, MESSAGES, &format!("{NEWER}{NEWER}")] {
        let steps = steps(&records(log));
        let mut called: Vec<&String> = steps.iter().filter(|step| step.starts_with("called")).collect();
        assert_eq!(called.len() * 2, steps.len());
        called.dedup();
        let all = called.len();
        called.sort();
        called.dedup();
        assert_eq!(called.len(), all);
    }
}

#[test]
fn the_session_and_its_tokens_are_told() {
    for (log, cwd, model) in [
        (NEWER, Some("/w/demo"), Some("moonshot-ai/kimi-k2")),
        (MESSAGES, Some("/w/demo"), Some("moonshot-ai/kimi-k2")),
        (OLDER, None, None),
    ] {
        let records = records(log);
        let mut last = ContextUsage::default();
        let [session] = sessions(&records)[..] else { panic!("one session") };
        assert_eq!((session.id.as_str(), session.agent.as_str()), ("s-1", "kimi"));
        assert_eq!((session.cwd.as_deref(), session.model.as_deref()), (cwd, model));
        assert!(matches!(records[0].body, RecordBody::Session(_)));
        for record in &records {
            if let RecordBody::Usage(usage) = record.body {
                last = usage;
            }
        }
        assert_eq!(
            last,
            ContextUsage {
                context_tokens: Some(1204),
                context_window: (log == OLDER).then_some(262_144),
                input_tokens: Some(8 * 105),
                output_tokens: Some(280 + 99),
            }
        );
    }
}

#[test]
fn every_row_but_those_of_other_agents_is_known() {
    for line in NEWER.lines().chain(OLDER.lines()).chain(MESSAGES.lines()) {
        assert!(looks_like_kimi(line.as_bytes()), "{line}");
    }
    for line in [
        "",
        "nonsense",
        "[]",
        "[\"metadata\"]",
        "{}",
        r#"{"type":"metadata"}"#,
        r#"{"type":"turn.started"}"#,
        r#"{"type":"session_meta","payload":{"id":"x"}}"#,
        r#"{"type":"response_item","payload":{"type":"message","role":"user"}}"#,
        r#"{"type":"user","message":{"role":"user","content":"hi"},"uuid":"u"}"#,
        r#"{"type":"assistant","message":{"type":"message","role":"assistant","content":[]}}"#,
        r#"{"message":{"type":"message","payload":{}}}"#,
        r#"{"sessionId":"s","projectHash":"p","messages":[{"type":"user","content":"hi"}]}"#,
    ] {
        assert!(!looks_like_kimi(line.as_bytes()), "{line}");
    }
}
