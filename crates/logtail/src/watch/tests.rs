use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use notify::event::{AccessKind, AccessMode, CreateKind, DataChange, Flag, ModifyKind, RemoveKind};
use notify::{Event, EventKind};
use tempfile::TempDir;

use super::*;

/// Longer than anything here takes on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// No check comes in the time of a test: what is seen is seen by its events.
const EVENTS: Settings = Settings { interval: Duration::from_hours(1), sources: Sources::EventsAndChecks };

const CHECKS: Settings = Settings { interval: Duration::from_millis(5), sources: Sources::ChecksAlone };

const BOTH: Settings = Settings { interval: Duration::from_millis(5), sources: Sources::EventsAndChecks };

/// Starts a watcher whose changes arrive in a channel.
fn start(settings: Settings) -> (Watcher, Receiver<()>) {
    let (sender, receiver) = channel();
    let watcher = Watcher::start_with(settings, move || sender.send(()).unwrap_or_default()).unwrap();
    (watcher, receiver)
}

/// Does something, and waits for the watcher to tell.
fn expect(what: &str, watcher: &Watcher, changes: &Receiver<()>, act: impl FnOnce()) {
    // Rests of what was done before.
    while watcher.wait(Duration::from_millis(20)) == Woken::Changed {}
    while changes.try_recv().is_ok() {}
    act();
    assert_eq!(watcher.wait(PATIENCE), Woken::Changed, "{what}");
    assert_eq!(changes.recv_timeout(PATIENCE), Ok(()), "{what}");
}

fn append(path: &Path, bytes: &str) {
    let mut file = File::options().create(true).append(true).open(path).unwrap();
    file.write_all(bytes.as_bytes()).unwrap();
}

#[test]
fn changes_of_a_file_are_told() {
    for settings in [EVENTS, CHECKS] {
        let folder = TempDir::new().unwrap();
        let log = folder.path().join("log.jsonl");
        let (watcher, changes) = start(settings);
        expect("watching begins", &watcher, &changes, || watcher.watch_file(&log));
        expect("the file appears", &watcher, &changes, || append(&log, "one\n"));
        expect("a line is appended", &watcher, &changes, || append(&log, "two\n"));
        expect("it is truncated", &watcher, &changes, || {
            File::options().write(true).open(&log).unwrap().set_len(0).unwrap();
        });
        let aside = folder.path().join("aside");
        fs::write(&aside, "three\n").unwrap();
        expect("it is replaced", &watcher, &changes, || fs::rename(&aside, &log).unwrap());
        expect("the new file grows", &watcher, &changes, || append(&log, "four\n"));
        expect("it is deleted", &watcher, &changes, || fs::remove_file(&log).unwrap());
        expect("its compressed twin appears", &watcher, &changes, || {
            append(&folder.path().join("log.jsonl.zst"), "x");
        });
    }
}

#[test]
fn changes_below_a_folder_are_told() {
    for settings in [EVENTS, CHECKS] {
        let folder = TempDir::new().unwrap();
        let deep = folder.path().join("2026/01");
        fs::create_dir_all(&deep).unwrap();
        let (watcher, changes) = start(settings);
        expect("watching begins", &watcher, &changes, || watcher.watch_folder(folder.path()));
        expect("a file appears", &watcher, &changes, || append(&deep.join("a.jsonl"), "one\n"));
        expect("a line is appended", &watcher, &changes, || append(&deep.join("a.jsonl"), "two\n"));
        expect("a file within is watched, too", &watcher, &changes, || {
            watcher.watch_file(&deep.join("a.jsonl"));
        });
        expect("that does not stop the folder's events", &watcher, &changes, || {
            append(&deep.join("b.jsonl"), "one\n");
        });
        expect("a file is deleted", &watcher, &changes, || fs::remove_file(deep.join("a.jsonl")).unwrap());
    }
}

#[test]
fn a_new_subfolder_is_watched_too() {
    for settings in [BOTH, CHECKS] {
        let folder = TempDir::new().unwrap();
        let (watcher, changes) = start(settings);
        expect("watching begins", &watcher, &changes, || watcher.watch_folder(folder.path()));
        let deep = folder.path().join("2026/02");
        expect("a file in new folders", &watcher, &changes, || {
            fs::create_dir_all(&deep).unwrap();
            append(&deep.join("a.jsonl"), "one\n");
        });
        expect("it grows", &watcher, &changes, || append(&deep.join("a.jsonl"), "two\n"));
    }
}

#[test]
fn a_folder_may_come_and_go() {
    for settings in [BOTH, CHECKS] {
        let parent = TempDir::new().unwrap();
        let folder = parent.path().join("sessions");
        let log = folder.join("a.jsonl");
        let (watcher, changes) = start(settings);
        expect("a folder that is not there yet", &watcher, &changes, || watcher.watch_folder(&folder));
        expect("a file in it", &watcher, &changes, || watcher.watch_file(&log));
        for round in ["once", "twice"] {
            expect(round, &watcher, &changes, || {
                fs::create_dir(&folder).unwrap();
                append(&log, "one\n");
            });
            expect(round, &watcher, &changes, || append(&log, "two\n"));
            expect(round, &watcher, &changes, || fs::remove_dir_all(&folder).unwrap());
        }
    }
}

#[test]
fn events_come_again_from_a_folder_that_was_replaced() {
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("sessions");
    fs::create_dir(&folder).unwrap();
    let shared = Arc::new(Shared::default());
    let roots = Roots::from([(folder.clone(), Kind::Folder)]);
    let mut events = Events::new(&shared, Sources::EventsAndChecks);
    events.follow(&roots, true, &shared);
    let seen = || {
        let state = shared.wake.wait_timeout_while(shared.lock(), PATIENCE, |state| !state.event).unwrap();
        std::mem::take(&mut { state.0 }.event)
    };
    append(&folder.join("a.jsonl"), "one\n");
    assert!(seen());

    fs::rename(&folder, parent.path().join("old")).unwrap();
    fs::create_dir(&folder).unwrap();
    // What the watcher's thread does once a second.
    events.follow(&roots, false, &shared);
    // Whatever the move itself caused has come by the time that the answer to the new subscription has.
    shared.lock().event = false;
    append(&folder.join("a.jsonl"), "one\n");
    assert!(seen());
}

#[test]
fn what_is_forgotten_is_no_longer_told() {
    let folder = TempDir::new().unwrap();
    let (kept, forgotten) = (folder.path().join("kept"), folder.path().join("forgotten"));
    let mut roots = Roots::from([(kept.clone(), Kind::File), (forgotten.clone(), Kind::File)]);
    let mut polls = Polls::new(Duration::ZERO);
    assert!(polls.check(&roots));
    assert!(!polls.check(&roots));
    append(&forgotten, "x");
    assert!(polls.check(&roots));
    roots.remove(&forgotten);
    append(&forgotten, "x");
    assert!(!polls.check(&roots));
    append(&kept, "x");
    assert!(polls.check(&roots));

    let (watcher, changes) = start(EVENTS);
    expect("two files", &watcher, &changes, || {
        watcher.watch_file(&kept);
        watcher.watch_file(&forgotten);
    });
    watcher.forget(&forgotten);
    expect("the other is still watched", &watcher, &changes, || append(&kept, "x"));
    assert_eq!(watcher.shared.lock().interest.files.len(), 2, "the file and its twin");
}

#[test]
fn reading_and_other_files_are_no_change() {
    let interest =
        Interest { files: HashSet::from(["/a/log".into(), "/a/log.zst".into()]), folders: vec!["/b".into()] };
    let modify = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    let close = |mode| EventKind::Access(AccessKind::Close(mode));
    let rows = [
        (modify, "/a/log", true),
        (modify, "/a/log.zst", true),
        (modify, "/a/log2", false),
        (modify, "/a", false),
        (modify, "/b/c/d", true),
        (modify, "/bb/c", false),
        (EventKind::Create(CreateKind::File), "/a/log", true),
        (EventKind::Remove(RemoveKind::File), "/a/log", true),
        (EventKind::Any, "/a/log", true),
        (close(AccessMode::Write), "/a/log", true),
        (close(AccessMode::Read), "/a/log", false),
        (EventKind::Access(AccessKind::Open(AccessMode::Any)), "/b/c", false),
        (EventKind::Access(AccessKind::Read), "/b/c", false),
    ];
    for (kind, path, expected) in rows {
        assert_eq!(interest.matters(&Event::new(kind).add_path(path.into())), expected, "{kind:?} {path}");
    }
    assert!(interest.matters(&Event::new(EventKind::Other).set_flag(Flag::Rescan)), "events were lost");
}

#[test]
fn trouble_with_events_is_a_reason_to_look_and_to_warn_once() {
    let shared = Shared::default();
    shared.on_event(Err(notify::Error::path_not_found()));
    assert!(!shared.lock().warned, "a folder that went is no trouble");
    shared.on_event(Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch)));
    let state = shared.lock();
    assert!(state.event && state.warned);
}

#[test]
fn a_dropped_watcher_ends_its_thread() {
    let (watcher, changes) = start(EVENTS);
    drop(watcher);
    // The thread owns the sender.
    assert_eq!(changes.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn waiting_ends_when_the_time_is_up() {
    let (watcher, _changes) = start(EVENTS);
    assert_eq!(watcher.wait(Duration::ZERO), Woken::TimedOut);
    assert_eq!(watcher.wait(Duration::from_millis(1)), Woken::TimedOut);
}
