//! `larkspan mirror` over crashes, restarts and whatever happens to the log: nothing is lost, and a file holds each change
//! exactly once.

#![cfg(test)]
#![cfg(all(test, unix))]

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::program::{Home, Running, wait_until};
use crate::support::rows::Rows;
use crate::support::{Dice, rollout};

/// A session of many turns: direct calls, scripts, cells that go on over turns, records that come late.
fn long_session() -> Vec<u8> {
    let mut rows = Rows::paginated();
    for n in 0..40 {
        let turn = format!("t{n}");
        let id = |what: &str| format!("{what}{n}");
        rows = rows.turn(&turn).user(&format!("turn {n}"));
        rows = rows
            .command(&id("c"), &format!("make {n}"))
            .ran(&id("c"), &format!("make {n}"), n % 3)
            .exited(&id("c"), n % 3, "x\n");
        let source = format!("for (const c of ['a', 'b']) await tools.exec_command({{cmd: `${{c}} {n}`}});");
        rows = rows.script(&id("s"), &source).ran(&id("exec-a"), &format!("a {n}"), 0).ran(
            &id("exec-b"),
            &format!("b {n}"),
            1,
        );
        rows = if n % 4 == 0 {
            // The cell goes on into the next turn, which waits for it.
            rows.scripted(&id("s"), &format!("running with cell ID {n}"), &[])
        } else {
            rows.scripted(&id("s"), "completed", &[])
        };
        if n % 4 == 1 {
            let cell = (n - 1).to_string();
            rows = rows.call(&id("w"), "wait", serde_json::json!({"cell_id": cell})).scripted(
                &id("w"),
                "completed",
                &["late"],
            );
        }
        rows = rows.agent(&id("m"), &format!("said {n}"));
        if n % 5 == 0 {
            rows = rows.command(&id("open"), "sleep 1");
        }
        rows = rows.done();
        if n % 5 == 0 {
            rows = rows.ran(&id("open"), "sleep 1", 0);
        }
    }
    rows.bytes()
}

/// The logs to be interrupted in.
fn logs() -> Vec<(&'static str, Vec<u8>)> {
    let read = |name: &'static str| (name, fs::read(rollout(name)).unwrap());
    vec![read("r_cm_cell_across_turns"), read("r_resume_cm"), read("cm_session"), ("long", long_session())]
}

fn mirror(home: &Home, log: &Path, more: &[&str]) -> Running {
    home.start(
        ["mirror".as_ref(), "--surface".as_ref(), "jsonl".as_ref(), "--session".as_ref(), log.as_os_str()]
            .into_iter()
            .chain(more.iter().map(std::convert::AsRef::as_ref)),
    )
}

fn append(log: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).create(true).open(log).unwrap().write_all(bytes).unwrap();
}

/// What an uninterrupted run writes to a file.
fn uninterrupted(bytes: &[u8]) -> String {
    let home = Home::new();
    let log = home.file("log.jsonl", bytes);
    let out = home.path("out");
    let arguments = [
        "mirror".as_ref(),
        "--surface".as_ref(),
        "jsonl".as_ref(),
        "--once".as_ref(),
        "--session".as_ref(),
        log.as_os_str(),
        "--out".as_ref(),
        out.as_os_str(),
    ];
    let ran = home.run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    // A pipe is told the same.
    let piped = home.run([
        "mirror".as_ref(),
        "--surface".as_ref(),
        "jsonl".as_ref(),
        "--once".as_ref(),
        "--session".as_ref(),
        log.as_os_str(),
    ]);
    let text = fs::read_to_string(out).unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), text);
    text
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// Kills it at a moment that the dice choose: as soon as something is written, or after some time.
fn killed(running: Running, out: Option<&Path>, dice: &mut Dice) -> Vec<String> {
    let patience = Duration::from_millis(dice.below(160) as u64);
    let before = out.map_or(0, length);
    let waits_for_output = dice.below(2) == 0;
    let begun = Instant::now();
    while begun.elapsed() < patience {
        if waits_for_output && out.is_some_and(|out| length(out) != before) {
            break;
        }
        std::thread::sleep(Duration::from_micros(300));
    }
    running.kill()
}

#[test]
fn a_file_holds_each_change_once_however_often_it_is_killed() {
    let mut kills = 0;
    for (seed, (name, bytes)) in logs().into_iter().enumerate() {
        let home = Home::new();
        let (log, out) = (home.file("log.jsonl", ""), home.path("out"));
        let mut dice = Dice::new(seed as u64 + 1);
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((dice.below(bytes.len() / 5) + 1).min(rest.len()));
            append(&log, piece);
            rest = after;
            // The log may grow while it runs, too.
            let running = mirror(&home, &log, &["--from", "start", "--out", out.to_str().unwrap()]);
            if dice.below(2) == 0 {
                let (piece, after) = rest.split_at(dice.below(2_000).min(rest.len()));
                append(&log, piece);
                rest = after;
            }
            killed(running, Some(&out), &mut dice);
            kills += 1;
        }
        let ran = home.run([
            "mirror".as_ref(),
            "--surface".as_ref(),
            "jsonl".as_ref(),
            "--once".as_ref(),
            "--session".as_ref(),
            log.as_os_str(),
            "--from".as_ref(),
            "start".as_ref(),
            "--out".as_ref(),
            out.as_os_str(),
        ]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
        assert_eq!(fs::read_to_string(&out).unwrap(), uninterrupted(&bytes), "{name}");
    }
    assert!(kills >= 30, "only {kills} kills");
}

/// What tells two lines of a feed apart.
fn identity(line: &str) -> String {
    let object: Value = serde_json::from_str(line).unwrap();
    ["type", "session", "turn", "seq", "id", "rev", "at", "info", "position", "usage"]
        .map(|name| object[name].to_string())
        .join(" ")
}

#[test]
fn on_a_pipe_nothing_is_lost_and_what_is_repeated_is_the_same() {
    let mut kills = 0;
    for (seed, (name, bytes)) in logs().into_iter().enumerate() {
        let home = Home::new();
        let log = home.file("log.jsonl", "");
        let mut dice = Dice::new(seed as u64 + 100);
        let mut told: Vec<String> = Vec::new();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((dice.below(bytes.len() / 5) + 1).min(rest.len()));
            append(&log, piece);
            rest = after;
            told.extend(killed(mirror(&home, &log, &["--from", "start"]), None, &mut dice));
            kills += 1;
        }
        let expected: Vec<String> = uninterrupted(&bytes).split_inclusive('\n').map(str::to_owned).collect();
        let last = expected.last().unwrap().clone();
        let running = mirror(&home, &log, &["--from", "start"]);
        let all_is_told = told.contains(&last);
        if !all_is_told {
            told.extend(running.lines_until(|line| line == last));
        }
        running.terminate();
        let (status, more, errors) = running.end();
        // Where everything has been told nothing shows that it has begun: the signal may come before it listens.
        let ended_well = status.code() == Some(0) || all_is_told && status.code().is_none();
        assert!(ended_well, "{name}: {status}");
        assert_eq!(errors, "", "{name}");
        told.extend(more);
        let mut first: HashMap<String, &String> = HashMap::new();
        let mut once = Vec::new();
        for line in &told {
            match first.insert(identity(line), line) {
                None => once.push(line.clone()),
                Some(before) => assert_eq!(before, line, "{name}: repeated, but not the same"),
            }
        }
        assert_eq!(once, expected, "{name}");
    }
    assert!(kills >= 15, "only {kills} kills");
}

fn texts(lines: &[String]) -> Vec<String> {
    let objects = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects.filter_map(|object| object["text"].as_str().map(str::to_owned)).collect()
}

/// Two ended turns and one in progress.
fn in_progress() -> Rows {
    let ended = |rows: Rows, n: &str| {
        rows.turn(n).user(&format!("ask {n}")).agent(&format!("m{n}"), &format!("said {n}")).done()
    };
    ended(ended(Rows::paginated(), "1"), "2").turn("3").user("ask 3").command("c", "make")
}

#[test]
fn from_now_begins_with_the_turn_in_progress() {
    let home = Home::new();
    let rows = in_progress();
    let log = home.file("log.jsonl", rows.bytes());
    let running = mirror(&home, &log, &["--from", "now"]);
    let begun = running.lines_until(|line| line.contains("\"tool_call\""));
    append(&log, &Rows::bare().of("3").exited("c", 2, "").agent("m3", "said 3").done().bytes());
    let rest = running.lines_until(|line| line.contains("\"turn_ended\""));
    running.terminate();
    assert_eq!(running.end().0.code(), Some(0));
    assert_eq!(texts(&begun), ["ask 3"]);
    assert_eq!(texts(&rest), ["said 3"]);
    assert!(begun[0].contains("\"type\":\"session\""), "{}", begun[0]);
    assert!(rest[0].contains("exit 2"), "{}", rest[0]);
    // It goes on from there the next time, whatever it is told to begin with.
    append(&log, &Rows::bare().turn("4").user("ask 4").done().bytes());
    let running = mirror(&home, &log, &["--from", "start"]);
    let lines = running.lines_until(|line| line.contains("\"turn_ended\""));
    running.terminate();
    assert_eq!(running.end().0.code(), Some(0));
    assert_eq!(texts(&lines), ["ask 4"]);
}

#[test]
fn from_now_between_turns_begins_with_nothing() {
    let home = Home::new();
    let rows = in_progress().exited("c", 0, "").done();
    let log = home.file("log.jsonl", rows.bytes());
    // A log that was just written still grows: now is the default.
    let running = mirror(&home, &log, &[]);
    // What is there is read before what comes: its state is saved once it waits.
    let state = home.path("larkspan/state");
    wait_until("it waits", || {
        let is_attached = |path: &PathBuf| {
            path.extension().is_some_and(|e| e == "state")
                && fs::read_to_string(path).is_ok_and(|state| state.contains("\"is_attached\":true"))
        };
        files_below(&state).iter().any(is_attached)
    });
    append(&log, &Rows::bare().turn("4").user("ask 4").done().bytes());
    let lines = running.lines_until(|line| line.contains("\"turn_ended\""));
    running.terminate();
    assert_eq!(running.end().0.code(), Some(0));
    assert_eq!(texts(&lines), ["ask 4"]);
    assert!(lines.iter().all(|line| !line.contains("said")), "{lines:?}");
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files
}

/// A whole session with other words.
fn another(words: &str) -> Vec<u8> {
    Rows::paginated().turn("9").user(words).agent("m", &format!("{words} indeed")).done().bytes()
}

#[test]
fn a_log_that_is_cut_or_replaced_is_told_anew_with_a_notice() {
    let replace = |log: &Path, bytes: &[u8]| {
        let new = log.with_extension("new");
        fs::write(&new, bytes).unwrap();
        fs::rename(&new, log).unwrap();
    };
    let cut = |log: &Path, bytes: &[u8]| fs::write(log, bytes).unwrap();
    type Change<'a> = &'a dyn Fn(&Path, &[u8]);
    let changes: [(&str, Change<'_>); 2] = [("replaced", &replace), ("cut", &cut)];
    for (word, change) in changes {
        for is_running in [true, false] {
            let home = Home::new();
            let rows = in_progress().exited("c", 0, "").done();
            let log = home.file("log.jsonl", rows.bytes());
            let running = mirror(&home, &log, &["--from", "start"]);
            // The end of the log that is there.
            running.lines_until(|line| line.contains("\"turn_ended\"") && line.contains("\"turn\":\"3\""));
            let running = if is_running {
                change(&log, &another("new"));
                running
            } else {
                running.terminate();
                assert_eq!(running.end().0.code(), Some(0));
                change(&log, &another("new"));
                mirror(&home, &log, &["--from", "start"])
            };
            let lines = running.lines_until(|line| line.contains("\"turn_ended\""));
            running.terminate();
            assert_eq!(running.end().0.code(), Some(0));
            let texts = texts(&lines);
            let at = format!("{word}, running: {is_running}");
            assert!(lines[0].contains("\"notice\"") && texts[0].contains("read"), "{at}: {lines:?}");
            assert_eq!(texts[1..], ["new", "new indeed"], "{at}");
        }
    }
}

#[test]
fn a_second_one_on_the_same_state_is_refused() {
    let home = Home::new();
    let log = home.file("log.jsonl", in_progress().bytes());
    let out = home.path("out");
    let first = mirror(&home, &log, &["--from", "start", "--out", out.to_str().unwrap()]);
    wait_until("it writes", || length(&out) > 0);
    let second = home.run([
        "mirror".as_ref(),
        "--surface".as_ref(),
        "jsonl".as_ref(),
        "--session".as_ref(),
        log.as_os_str(),
        "--out".as_ref(),
        out.as_os_str(),
    ]);
    assert_eq!(second.code, Some(1), "{}", second.stderr);
    assert!(second.stderr.contains("in use"), "{}", second.stderr);
    assert_eq!(second.stdout, b"");
    // Another output is another state.
    let other = home.run([
        "mirror".as_ref(),
        "--surface".as_ref(),
        "jsonl".as_ref(),
        "--once".as_ref(),
        "--session".as_ref(),
        log.as_os_str(),
        "--out".as_ref(),
        home.path("other").as_os_str(),
    ]);
    assert_eq!((other.code, other.stderr.as_str()), (Some(0), ""));
    first.terminate();
    assert_eq!(first.end().0.code(), Some(0));
    assert_eq!(fs::read_to_string(home.path("other")).unwrap(), fs::read_to_string(&out).unwrap());
}

#[test]
fn half_a_line_is_waited_for() {
    let home = Home::new();
    let rows = in_progress();
    let log = home.file("log.jsonl", rows.bytes());
    let running = mirror(&home, &log, &["--from", "start"]);
    running.lines_until(|line| line.contains("\"tool_call\""));
    let output = Rows::bare().of("3").exited("c", 2, "印\n").bytes();
    // In the midst of a character.
    let middle = output.iter().position(|byte| *byte >= 0x80).unwrap() + 1;
    append(&log, &output[..middle]);
    // It sees the half line, and what comes after is told as one.
    std::thread::sleep(Duration::from_millis(120));
    append(&log, &output[middle..]);
    let line = running.line();
    assert!(line.contains("exit 2") && line.contains("印"), "{line}");
    append(&log, &Rows::bare().of("3").done().bytes());
    let rest = running.lines_until(|line| line.contains("\"turn_ended\""));
    assert_eq!(rest.len(), 1, "{rest:?}");
    running.terminate();
    assert_eq!(running.end().0.code(), Some(0));
}

#[test]
fn it_ends_cleanly_when_asked_and_goes_on_the_next_time() {
    let home = Home::new();
    let bytes = long_session();
    let middle = bytes.len() / 2;
    let log = home.file("log.jsonl", &bytes[..middle]);
    let out = home.path("out");
    let arguments = ["--from", "start", "--out", out.to_str().unwrap()];
    let mut running = mirror(&home, &log, &arguments);
    wait_until("it writes", || length(&out) > 0);
    assert!(!running.has_ended());
    running.terminate();
    let (status, lines, errors) = running.end();
    assert_eq!((status.code(), lines.len(), errors.as_str()), (Some(0), 0, ""));
    append(&log, &bytes[middle..]);
    let expected = uninterrupted(&bytes);
    let running = mirror(&home, &log, &arguments);
    wait_until("it is through", || length(&out) == expected.len() as u64);
    running.terminate();
    assert_eq!(running.end().0.code(), Some(0));
    assert_eq!(fs::read_to_string(&out).unwrap(), expected);
}

#[test]
fn a_reader_that_goes_ends_it() {
    let home = Home::new();
    let log = home.file("log.jsonl", long_session());
    let mut command = home.command([
        "mirror".as_ref(),
        "--surface".as_ref(),
        "jsonl".as_ref(),
        "--from".as_ref(),
        "start".as_ref(),
        "--session".as_ref(),
        log.as_os_str(),
    ]);
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    append(&log, &Rows::bare().turn("new").user("more").done().bytes());
    wait_until("it ends", || child.try_wait().unwrap().is_some());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

/// `--watch` follows what is there and what begins later, each into its own file.
#[test]
fn every_session_is_watched() {
    let home = Home::new();
    let sessions = home.path("codex/sessions/2026/11/30");
    fs::create_dir_all(&sessions).unwrap();
    let name = |n: u32| format!("rollout-2026-11-30T10-00-00-0000000{n}-0000-7000-8000-000000000000.jsonl");
    let id = |n: u32| format!("0000000{n}-0000-7000-8000-000000000000");
    let session = |n: u32| {
        let head = serde_json::json!({"id": id(n), "cwd": "/w", "history_mode": "paginated"});
        Rows::bare().row("session_meta", head).turn("1").user(&format!("ask {n}"))
    };
    let child =
        serde_json::json!({"id": id(3), "cwd": "/w", "thread_source": "subagent", "parent_thread_id": id(1)});
    let child = Rows::bare().row("session_meta", child).turn("1").user("ask 3");
    fs::write(sessions.join(name(3)), child.bytes()).unwrap();
    fs::write(sessions.join(name(1)), session(1).bytes()).unwrap();
    let feed = home.path("feed");
    let running = home.start([
        "mirror".as_ref(),
        "--surface".as_ref(),
        "jsonl".as_ref(),
        "--watch".as_ref(),
        "--from".as_ref(),
        "start".as_ref(),
        "--out".as_ref(),
        feed.as_os_str(),
    ]);
    let holds = |n: u32, word: &str| {
        fs::read_to_string(feed.join(format!("{}.jsonl", id(n)))).is_ok_and(|text| text.contains(word))
    };
    wait_until("the first is told", || holds(1, "ask 1"));
    fs::write(sessions.join(name(2)), session(2).bytes()).unwrap();
    wait_until("the second is told", || holds(2, "ask 2"));
    append(&sessions.join(name(1)), &Rows::bare().of("1").agent("m", "said 1").done().bytes());
    wait_until("the first goes on", || holds(1, "said 1"));
    running.terminate();
    let (status, _, errors) = running.end();
    assert_eq!((status.code(), errors.as_str()), (Some(0), ""));
    assert!(!holds(3, "ask 3"), "a sub-agent's session has no feed of its own");
}
