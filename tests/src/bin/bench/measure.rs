//! What is measured in process.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use larkspan_codex_adapter::exec::{ReadOutcome, read};
use larkspan_codex_adapter::log::LogReader;
use larkspan_core::transcript::TranscriptRecord;
use larkspan_core::turn::TurnReducer;
use serde_json::{Value, json};

use super::captures::{Capture, Captures};

/// How long each is run before and while it is measured.
const WARM_UP: Duration = Duration::from_millis(500);
const MEASURED: Duration = Duration::from_secs(2);

/// How long reading this script takes.
pub(crate) fn reading(script: &str) -> Result<Value> {
    let reading = read(script);
    if reading.outcome != ReadOutcome::Parsed {
        bail!("the script is not read: {:?}", reading.outcome);
    }
    let times = times(|| {
        black_box(read(black_box(script)));
    });
    let calls = reading.calls.len();
    Ok(json!({ "bytes": script.len(), "calls": calls, "median_ns": times.median, "best_ns": times.best }))
}

/// How fast lines become records (scripts are read on the way), and records turns.
pub(crate) fn records(captures: &Captures) -> Result<Value> {
    let bytes: usize = captures.0.iter().flat_map(|capture| &capture.lines).map(|line| line.len() + 1).sum();
    let sessions: Vec<Vec<TranscriptRecord>> = captures.0.iter().map(records_of).collect();
    let count: usize = sessions.iter().map(Vec::len).sum();
    if count == 0 {
        bail!("the captures hold no record");
    }
    let read = times(|| {
        black_box(captures.0.iter().map(records_of).collect::<Vec<_>>());
    });
    // The reducer takes the records, so copies are needed; what they cost is not the reducer's.
    let copy = times(|| {
        black_box(sessions.clone());
    });
    let reduce = times(|| {
        for session in sessions.clone() {
            let mut reducer = TurnReducer::new();
            for record in session {
                black_box(reducer.apply(record));
            }
        }
    });
    let reduce = reduce.median.saturating_sub(copy.median);
    Ok(json!({ "records": count, "bytes": bytes, "read_ns": read.median, "reduce_ns": reduce }))
}

fn records_of(capture: &Capture) -> Vec<TranscriptRecord> {
    let mut reader = LogReader::new(&capture.session);
    let mut records = Vec::new();
    let mut position = 0;
    for line in std::iter::once(&capture.head).chain(&capture.lines) {
        position += line.len() as u64 + 1;
        reader.line(line.as_bytes(), position, &mut records);
    }
    records
}

/// Times of one run, in nanoseconds.
pub(crate) struct Times {
    pub(crate) median: u64,
    /// Least disturbed by whatever else the machine does.
    pub(crate) best: u64,
}

pub(crate) fn times(mut run: impl FnMut()) -> Times {
    let begun = Instant::now();
    while begun.elapsed() < WARM_UP {
        run();
    }
    let mut times = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < MEASURED {
        let one = Instant::now();
        run();
        times.push(u64::try_from(one.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    times.sort_unstable();
    let at = |place: usize| times.get(place).copied().unwrap_or(u64::MAX);
    Times { median: at(times.len() / 2), best: at(0) }
}
