//! What leaves the program: pages and JSON of every capture, files that are written, secrets that are not.

#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use larkspan_core::presentation::Locale;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::program::{Home, root};
use crate::support::reading::{history_html, history_json, history_markdown, json_lines};
use crate::support::rows::Rows;
use crate::support::{captures, golden, rollout, short_name};

/// A page stands alone: nothing is fetched, nothing runs.
#[test]
fn every_capture_is_a_page() {
    for path in captures() {
        for locale in [Locale::ZhCn, Locale::En] {
            let page = history_html(&path, locale);
            let name = short_name(&path);
            assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"), "{name}");
            assert!(page.trim_end().ends_with("</html>"), "{name}");
            for fetched in ["<script", "<link", "<img", "<iframe", "src=", "@import", "url(http"] {
                assert!(!page.contains(fetched), "{name}: {fetched}");
            }
            for open in ["details", "pre", "section", "article", "ol", "ul"] {
                let (begins, ends) =
                    (page.matches(&format!("<{open}")).count(), page.matches(&format!("</{open}>")).count());
                // `<pre` is also how `<pretty` begins: no such element is written.
                assert_eq!(begins, ends, "{name}: {open}");
            }
        }
    }
}

/// The name of every member, at any depth.
fn members(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                found.insert(name.clone());
                members(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| members(item, found)),
        _ => {}
    }
}

/// The names in backquotes of a document.
fn documented(text: &str) -> BTreeSet<&str> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect()
}

#[test]
fn every_member_and_word_of_the_json_is_documented() {
    let document = fs::read_to_string(root().join("docs/json.md")).unwrap();
    let documented = documented(&document);
    let (mut names, mut words) = (BTreeSet::new(), BTreeSet::new());
    for path in captures() {
        for object in history_json(&path, Locale::En) {
            members(&object, &mut names);
            for member in ["type", "kind", "status", "outcome", "role", "phase"] {
                words.extend(object[member].as_str().map(str::to_owned));
            }
            words.extend(
                object["marks"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned),
            );
        }
    }
    assert!(names.len() > 40 && words.len() > 20, "{names:?} {words:?}");
    let missing: Vec<String> = names
        .union(&words)
        .filter(|name| !documented.contains(name.as_str()) && !document.contains(&format!("\"{name}\"")))
        .cloned()
        .collect();
    golden::assert_none(&missing);
}

#[test]
fn secrets_do_not_leave_the_program() {
    let home = Home::new();
    let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
    let rows = Rows::paginated()
        .turn("1")
        .user(&format!("use {key}"))
        .command("a", &format!("curl -H 'Authorization: Bearer {key}' https://example.org"))
        .exited("a", 1, &format!("api_key={key}\n"))
        .script("b", &format!("await tools.exec_command({{cmd: 'export TOKEN={key}'}});"))
        .ran("exec-1", &format!("export TOKEN={key}"), 1)
        .scripted("b", "failed", &[&format!("Script error:\nError: {key}")])
        .agent("m", &format!("It is {key}."))
        .event(serde_json::json!({"type": "error", "message": format!("bad key {key}")}))
        .done();
    let log = home.file("log.jsonl", rows.bytes());
    let log = log.to_str().unwrap();
    let secret = "abcdefghijklmnop";
    for arguments in [
        &["history", log][..],
        &["history", log, "--format", "json"],
        &["history", log, "--format", "html"],
        &["mirror", "--surface", "jsonl", "--once", "--session", log],
    ] {
        let ran = home.run(arguments);
        let said = String::from_utf8(ran.stdout).unwrap();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(said.contains("6789") && !said.contains(secret), "{arguments:?}: {said}");
    }
    let raw = home.run(["history", log, "--format", "json", "--raw"]);
    assert!(String::from_utf8(raw.stdout).unwrap().contains(secret), "for the person's own eyes");
}

/// A log is never written over, whatever it is called.
#[test]
fn the_log_itself_is_no_output() {
    let home = Home::new();
    let bytes = fs::read(rollout("cm_parallel")).unwrap();
    let log = home.file("log.jsonl", &bytes);
    #[cfg(unix)]
    std::os::unix::fs::symlink(&log, home.path("alias.jsonl")).unwrap();
    let aliases: &[&str] =
        if cfg!(unix) { &["log.jsonl", "./log.jsonl", "alias.jsonl"] } else { &["log.jsonl", "./log.jsonl"] };
    for out in aliases {
        for arguments in [
            vec!["history", "log.jsonl", "--out", out],
            vec!["mirror", "--surface", "jsonl", "--once", "--session", "log.jsonl", "--out", out],
        ] {
            let ran = home.run(&arguments);
            assert!(fs::read(&log).unwrap() == bytes, "{arguments:?} wrote over the log");
            assert_eq!(ran.code, Some(1), "{arguments:?}: {}", ran.stderr);
            assert!(ran.stderr.contains(out), "{arguments:?}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_file_that_holds_something_else_is_left_alone() {
    let home = Home::new();
    let mirror = |log: &Path, out: &Path| {
        home.run([
            "mirror".as_ref(),
            "--surface".as_ref(),
            "jsonl".as_ref(),
            "--once".as_ref(),
            "--session".as_ref(),
            log.as_os_str(),
            "--out".as_ref(),
            out.as_os_str(),
        ])
    };
    let notes = home.file("notes.txt", "my notes\n");
    let ran = mirror(&rollout("cm_single"), &notes);
    assert_eq!(
        (ran.code, fs::read_to_string(&notes).unwrap().as_str()),
        (Some(1), "my notes\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("notes.txt") && ran.stderr.contains("another file"), "{}", ran.stderr);
    // What was written for one log is not the place of another.
    let out = home.path("out");
    assert_eq!(mirror(&rollout("cm_single"), &out).code, Some(0));
    let before = fs::read(&out).unwrap();
    assert_eq!(mirror(&rollout("cm_parallel"), &out).code, Some(1));
    assert_eq!(fs::read(&out).unwrap(), before);
    // The same again has nothing to add.
    assert_eq!(mirror(&rollout("cm_single"), &out).code, Some(0));
    assert_eq!(fs::read(&out).unwrap(), before);
    // Somebody cut the file: it is not written to at the wrong place.
    fs::write(&out, "").unwrap();
    let ran = mirror(&rollout("cm_single"), &out);
    assert_eq!((ran.code, length(&out)), (Some(1), 0), "{}", ran.stderr);
    assert!(ran.stderr.contains("shorter"), "{}", ran.stderr);
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

#[cfg(unix)]
#[test]
fn a_reader_of_a_history_that_has_seen_enough_is_no_error() {
    let home = Home::new();
    for format in ["markdown", "json", "html"] {
        let mut command = home.command([
            "history".as_ref(),
            rollout("d_exec").as_os_str(),
            "--format".as_ref(),
            format.as_ref(),
        ]);
        let mut child = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(0), ""),
            "{format}"
        );
    }
}

#[test]
fn sessions_are_listed_newest_first() {
    let home = Home::new();
    let folder = home.path("codex/sessions/2026/11/30");
    fs::create_dir_all(&folder).unwrap();
    let add = |n: u32, words: &str| {
        let head =
            serde_json::json!({"id": format!("session-{n}"), "cwd": "/w", "history_mode": "paginated"});
        let rows = Rows::bare().row("session_meta", head).turn("1").user(words);
        let path = folder.join(format!("rollout-2026-11-30T10-00-0{n}-session-{n}.jsonl"));
        fs::write(&path, rows.bytes()).unwrap();
        let at =
            std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_796_000_000 + u64::from(n));
        fs::File::options().append(true).open(&path).unwrap().set_modified(at).unwrap();
    };
    add(1, "first words");
    add(3, "third words\nand more");
    add(2, "token=abcdefghijklmnopqrstuvwxyz012345");
    fs::write(folder.join("notes.txt"), "no log").unwrap();
    let ran = home.run(["history", "--list", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let listed = json_lines(&ran.stdout);
    assert_eq!(
        listed.iter().map(|session| session["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["session-3", "session-2", "session-1"]
    );
    assert_eq!(listed[0]["first_message"], "third words and more");
    let text = String::from_utf8(home.run(["history", "--list", "--limit", "2"]).stdout).unwrap();
    assert!(
        text.contains("third words and more") && text.contains("rollout-") && !text.contains("first words"),
        "{text}"
    );
    let all = [&ran.stdout[..], text.as_bytes()].concat();
    assert!(!String::from_utf8(all).unwrap().contains("abcdefghijklmnop"), "secrets are masked here too");
    // The newest is the one that is followed.
    let ran = home.run(["mirror", "--surface", "jsonl", "--latest", "--once"]);
    assert!(String::from_utf8(ran.stdout).unwrap().contains("third words"), "{}", ran.stderr);
}

/// English in, English out; and both languages tell the same.
#[test]
fn both_languages_have_the_same_structure() {
    let home = Home::new();
    let log = rollout("r_cm_interrupt_script");
    let arguments = [
        "history".as_ref(),
        log.as_os_str(),
        "--format".as_ref(),
        "json".as_ref(),
        "--locale".as_ref(),
        "en".as_ref(),
    ];
    assert_eq!(json_lines(&home.run(arguments).stdout), history_json(&log, Locale::En));
    for path in captures() {
        let without_titles = |locale: Locale| {
            let text = serde_json::to_string(&history_json(&path, locale)).unwrap();
            let mut value: Value = serde_json::from_str(&text).unwrap();
            strip_titles(&mut value);
            value
        };
        assert_eq!(without_titles(Locale::ZhCn), without_titles(Locale::En), "{}", short_name(&path));
        let shape =
            |page: &str| page.lines().filter(|line| line.starts_with('#') || line.starts_with("```")).count();
        let (zh, en) = (history_markdown(&path, Locale::ZhCn), history_markdown(&path, Locale::En));
        assert_eq!(shape(&zh), shape(&en), "{}", short_name(&path));
    }
}

fn strip_titles(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("title");
            map.values_mut().for_each(strip_titles);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_titles),
        _ => {}
    }
}
