//! Live and history agree: however a log grows, in the end it shows what reading it at once shows.

#![cfg(test)]

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;

use larkspan_codex_adapter::CodexSource;
use larkspan_core::ports::TranscriptSource;
use larkspan_core::presentation::Locale;
use larkspan_core::turn::TurnReducer;
use larkspan_logtail::ReadMode;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::program::Home;
use crate::support::reading::{Live, State, history, history_json, json_lines};
use crate::support::{Dice, captures, short_name, shown};

/// Up to this size logs are fed byte by byte.
const SMALL: usize = 40 << 10;

/// Every word that is shown of the log.
fn words(state: &State) -> Vec<Vec<String>> {
    state.calls().iter().map(|call| shown::all_words(call)).collect()
}

#[track_caller]
fn assert_same(name: &str, live: &State, history: &State) {
    assert_eq!(shown::everything(live), shown::everything(history), "{name}");
    assert_eq!(live, history, "{name}");
    assert_eq!(words(live), words(history), "{name}");
}

#[test]
fn byte_by_byte() {
    for path in captures() {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() > SMALL {
            continue;
        }
        let mut live = Live::new();
        for byte in &bytes {
            live.push(std::slice::from_ref(byte));
        }
        live.finish();
        assert_same(&short_name(&path), &live.state, &history(&path));
    }
}

/// A file that grows while it is read, in pieces of any size.
#[test]
fn a_growing_file() {
    let home = Home::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for (seed, path) in captures().iter().enumerate() {
        let bytes = std::fs::read(path).unwrap();
        let mut dice = Dice::new(seed as u64);
        let log = home.path(&format!("{seed}.jsonl"));
        File::create(&log).unwrap();
        let mut file = OpenOptions::new().append(true).open(&log).unwrap();
        let mut source = CodexSource::open(&log, ReadMode::Follow, None).unwrap();
        let mut reducer = TurnReducer::new();
        let mut state = State::default();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            // Mostly small pieces, some of several lines, some empty.
            let most = [40, 900, 9_000][dice.below(3)];
            let (piece, after) = rest.split_at(dice.below(most).min(rest.len()));
            file.write_all(piece).unwrap();
            rest = after;
            loop {
                let batch = runtime.block_on(source.next()).unwrap();
                assert_eq!(batch.restarted, None, "{}", path.display());
                for change in batch.records.into_iter().flat_map(|record| reducer.apply(record)) {
                    state.apply(&change);
                }
                if batch.at_end {
                    break;
                }
            }
        }
        for change in reducer.finish() {
            state.apply(&change);
        }
        state.unknown.clone_from(reducer.unknown());
        assert_same(&short_name(path), &state, &history(path));
        // A removed file frees its place for the next.
        std::fs::remove_file(&log).unwrap();
    }
}

/// The objects of calls, by turn and id: the last of each.
fn last_calls(lines: &[Value]) -> BTreeMap<(String, String), Value> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls = lines.iter().filter(|line| line["type"] == "tool_call");
    calls.map(|line| ((text(&line["turn"]), text(&line["id"])), line.clone())).collect()
}

/// The built programs agree: the last revision that `mirror` tells of a call is what `history` shows.
#[test]
fn mirror_ends_where_history_is() {
    let home = Home::new();
    for path in captures() {
        let arguments = ["mirror", "--surface", "jsonl", "--once", "--session"];
        let ran = home.run(arguments.iter().map(std::convert::AsRef::as_ref).chain([path.as_os_str()]));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", path.display());
        let mut told = last_calls(&json_lines(&ran.stdout));
        let mut shown = last_calls(&history_json(&path, Locale::ZhCn));
        // What goes on in the background may still end for one who follows; history knows that the log is over.
        let is_open = |call: &Value| call["status"] == "running";
        let open: Vec<_> =
            told.iter().filter(|(_, call)| is_open(call)).map(|(key, _)| key.clone()).collect();
        for key in &open {
            assert_eq!(shown[key]["status"], "unknown", "{key:?} of {}", path.display());
            told.remove(key);
            shown.remove(key);
        }
        assert_eq!(told, shown, "{}", path.display());
        assert!(open.is_empty() || short_name(&path) == "none", "{open:?} of {}", path.display());
    }
}
