//! Reading may stop after any line and go on with what is remembered.

use larkspan_core::transcript::TranscriptRecord;
use pretty_assertions::assert_eq;

use super::{MESSAGES, NEWER, OLDER, records};
use crate::log::{LogReader, Memory};

/// The records of a log that is read with a new reader from each of the lines in `stops` on.
fn with_stops(log: &str, stops: impl Fn(usize) -> bool) -> Vec<TranscriptRecord> {
    let mut reader = LogReader::new("s-1");
    let mut out = Vec::new();
    let mut end = 0;
    for (at, line) in log.split_inclusive('\n').enumerate() {
        if stops(at) {
            let saved = serde_json::to_string(reader.memory()).expect("JSON");
            let memory: Memory = serde_json::from_str(&saved).expect("a memory");
            reader = LogReader::resume(memory);
        }
        end += line.len() as u64;
        reader.line(line.trim_end_matches('\n').as_bytes(), end, &mut out);
    }
    reader.finish(end, &mut out);
    out
}

#[test]
fn reading_on_after_any_line_gives_the_same_records() {
    for log in [NEWER, OLDER, MESSAGES] {
        let whole = records(log);
        assert_eq!(with_stops(log, |_| true), whole);
        for stop in 0..log.lines().count() {
            assert_eq!(with_stops(log, |at| at == stop), whole, "before line {stop}");
        }
    }
}

#[test]
fn positions_never_go_back() {
    for log in [NEWER, OLDER, MESSAGES] {
        assert!(records(log).is_sorted_by_key(|record| record.position));
    }
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut reader = LogReader::new("s-1");
    let mut out = Vec::new();
    let long = "x".repeat(1000);
    for at in 0..2000_u64 {
        let rows = [
            super::prompt(&format!("{long} {at}")),
            super::event(r#"{"type":"step.begin"}"#),
            super::event(&format!(
                r#"{{"type":"content.part","part":{{"type":"text","text":"{long}{at}"}}}}"#
            )),
            super::event(&format!(
                r#"{{"type":"tool.call","toolCallId":"{long}{at}","name":"Bash","args":{{"command":"{long}"}}}}"#
            )),
            format!(
                r#"{{"type":"permission.record_approval_result","toolCallId":"{long}","result":{{"decision":"rejected"}}}}"#
            ),
            super::wire("ApprovalRequest", &format!(r#"{{"id":"{at}","tool_call_id":"{long}"}}"#)),
        ];
        for row in rows {
            reader.line(row.trim_end().as_bytes(), at, &mut out);
        }
    }
    let size = serde_json::to_string(reader.memory()).expect("JSON").len();
    assert!(size < 256 << 10, "{size}");
}
