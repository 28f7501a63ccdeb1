//! The stores pass the conformance suite; following, on fakes of its ports, tells everything once.

#![cfg(test)]

use std::time::Duration;

use larkspan_core::ports::{SourcePosition, StateStore, StoreError, TranscriptSource};
use larkspan_core::testing::{FakeSource, MemoryStore, RecordingSurface, conformance};
use larkspan_core::transcript::{
    ChatLayer, Message, RecordBody, Role, SessionInfo, TranscriptRecord, TurnEnd, TurnOutcome,
};
use larkspan_core::turn::Change;
use larkspan_mirror::follow::{Follow, From, Until, follow};
use larkspan_mirror::state_files::StateFiles;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), future).await.expect("in time") })
}

#[test]
fn files_are_a_state_store() {
    let folder = tempfile::tempdir().expect("a folder");
    block_on(conformance::state_store(|| StateFiles::new(folder.path().join("not/there/yet"))));
}

#[test]
fn the_fake_is_a_state_store() {
    let store = MemoryStore::default();
    block_on(conformance::state_store(|| store.clone()));
}

#[test]
fn a_value_is_used_by_one_process_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = StateFiles::new(folder.path());
    let lock = store.lock("a/b").expect("a free value");
    assert!(matches!(store.lock("a/b"), Err(StoreError::InUse(_))));
    store.lock("a/c").expect("another value");
    drop(lock);
    store.lock("a/b").expect("a value that is free again");
}

/// Two turns, and a third that is open.
fn records() -> Vec<TranscriptRecord> {
    let info = SessionInfo {
        id: "s".into(),
        agent: "test".into(),
        agent_version: None,
        cwd: None,
        model: None,
        parent: None,
        is_subagent: false,
        records_nested: true,
    };
    let says = |text: &str| {
        let (role, layer) = (Role::Agent, ChatLayer::Item);
        RecordBody::Message(Message { role, phase: None, text: text.into(), layer, id: None })
    };
    let mut bodies = vec![(None, RecordBody::Session(info))];
    for turn in ["1", "2", "3"] {
        bodies.push((Some(turn), RecordBody::TurnStarted));
        bodies.push((Some(turn), says(&format!("in {turn}"))));
        bodies.push((Some(turn), says(&format!("still in {turn}"))));
        if turn != "3" {
            let end = TurnEnd { outcome: TurnOutcome::Completed, reason: None };
            bodies.push((Some(turn), RecordBody::TurnEnded(end)));
        }
    }
    let at = |(index, (turn, body)): (usize, (Option<&str>, RecordBody))| TranscriptRecord {
        at: None,
        turn: turn.map(Into::into),
        position: (index as u64 + 1) * 10,
        body,
    };
    bodies.into_iter().enumerate().map(at).collect()
}

/// Follows the first `length` records of the log to its end.
fn run(length: usize, batch: usize, surface: &RecordingSurface, store: &MemoryStore, from: From) {
    let log: Vec<Vec<TranscriptRecord>> =
        records()[..length].chunks(batch).map(<[TranscriptRecord]>::to_vec).collect();
    let open = move |position: Option<&SourcePosition>| {
        let source = FakeSource::new(log.clone());
        let source = if let Some(position) = position { source.from(position) } else { source };
        Ok(Box::new(source) as Box<dyn TranscriptSource>)
    };
    let what = Follow { open: &open, surface, store, name: "log", from, until: Until::End };
    block_on(follow(what, std::future::pending())).expect("followed");
}

fn texts(surface: &RecordingSurface) -> Vec<String> {
    surface
        .told()
        .into_iter()
        .map(|(session, change)| {
            assert_eq!(session.as_str(), "s");
            match change {
                Change::Session(_) => "session".to_owned(),
                Change::TurnStarted { turn, .. } => format!("start {turn}"),
                Change::TurnEnded(turn) => format!("end {}", turn.id),
                Change::Item { item, .. } => format!("item {}", item.seq),
                Change::Usage { .. } => "usage".to_owned(),
                Change::Unknown { .. } => "unknown".to_owned(),
            }
        })
        .collect()
}

#[test]
fn every_change_is_told_once_however_often_it_is_started_again() {
    let whole = RecordingSurface::default();
    run(records().len(), 100, &whole, &MemoryStore::default(), From::Start);
    let expected = texts(&whole);
    assert_eq!(expected.len(), records().len());
    for batch in [1, 2, 3, 100] {
        for stop in 1..records().len() {
            let (surface, store) = (RecordingSurface::default(), MemoryStore::default());
            run(stop, batch, &surface, &store, From::Start);
            run(records().len(), batch, &surface, &store, From::Start);
            run(records().len(), batch, &surface, &store, From::Start);
            assert_eq!(texts(&surface), expected, "stopped after {stop}, batches of {batch}");
        }
    }
}

#[test]
fn what_a_crash_left_untold_in_the_state_is_told_again_from_there() {
    let (surface, store) = (RecordingSurface::default(), MemoryStore::default());
    run(4, 100, &surface, &store, From::Start);
    let saved = block_on(store.get("log")).expect("a store").expect("a state");
    run(8, 100, &surface, &store, From::Start);
    // The process died after telling and before saving: the surface takes back what the state does not know of.
    block_on(store.put("log", &saved)).expect("a store");
    run(records().len(), 100, &surface, &store, From::Start);
    let whole = RecordingSurface::default();
    run(records().len(), 100, &whole, &MemoryStore::default(), From::Start);
    assert_eq!(texts(&surface), texts(&whole));
}

#[test]
fn a_first_attach_tells_the_turn_in_progress_or_nothing() {
    let last = records().len();
    for (length, expected) in [
        (last, vec!["session", "start 3", "item 0", "item 1"]),
        (last - 3, vec!["session"]),
        (3, vec!["session", "start 1", "item 0"]),
    ] {
        for batch in [1, 3, 100] {
            let surface = RecordingSurface::default();
            run(length, batch, &surface, &MemoryStore::default(), From::Now);
            assert_eq!(texts(&surface), expected, "{length} records in batches of {batch}");
        }
    }
    // What comes after an attach is told, and only that.
    let (surface, store) = (RecordingSurface::default(), MemoryStore::default());
    run(last - 3, 100, &surface, &store, From::Now);
    run(last, 100, &surface, &store, From::Now);
    assert_eq!(texts(&surface), ["session", "start 3", "item 0", "item 1"]);
}
