//! What cannot be read says so: what it is, where, and what to do. And damage costs what it damaged, nothing else.

#![cfg(test)]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::program::{Home, Ran};
use crate::support::reading::history;
use crate::support::rows::Rows;
use crate::support::{rollout, shown};

/// Both commands with this log and a file to write to.
fn both(log: &Path, out: &Path) -> [Vec<std::ffi::OsString>; 2] {
    let words = |words: &[&OsStr]| words.iter().map(|word| (*word).to_owned()).collect();
    [
        words(&["history".as_ref(), log.as_ref(), "--out".as_ref(), out.as_ref()]),
        words(&[
            "mirror".as_ref(),
            "--surface".as_ref(),
            "jsonl".as_ref(),
            "--once".as_ref(),
            "--session".as_ref(),
            log.as_ref(),
            "--out".as_ref(),
            out.as_ref(),
        ]),
    ]
}

/// It failed, said why and what to do, and left nothing.
#[track_caller]
fn assert_refused(ran: &Ran, code: i32, said: &[&str], home: &Home) {
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "", "nothing on standard output");
    for word in said {
        assert!(ran.stderr.contains(word), "{word:?} is not in: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    assert!(!home.path("out").exists(), "the output was made: {}", ran.stderr);
}

#[test]
fn what_is_no_log_is_refused() {
    let home = Home::new();
    fs::create_dir(home.path("folder")).unwrap();
    home.file("empty.jsonl", "");
    home.file("blank.jsonl", "\n\n");
    home.file("binary.jsonl", [0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0xff, 0xfe, b'\n', 0]);
    home.file("text.txt", "Dear diary,\ntoday nothing happened.\n");
    home.file("other.jsonl", "{\"a\":1}\n{\"b\":2}\n");
    home.file("bad.jsonl.zst", "this is not compressed\n");
    // A document of an agent that is not read, under the name of a log.
    home.file("gemini.jsonl", "{\n  \"sessionId\": \"x\",\n  \"messages\": [{\"type\": \"user\"}]\n}\n");
    for (name, said, is_followed) in [
        ("absent.jsonl", &["absent.jsonl", "history --list"][..], false),
        ("folder", &["folder", "is a folder"], false),
        ("binary.jsonl", &["binary.jsonl", ".jsonl.zst"], false),
        ("text.txt", &["text.txt", ".jsonl.zst"], false),
        ("other.jsonl", &["other.jsonl", "no log of Codex"], false),
        ("gemini.jsonl", &["gemini.jsonl", "no log of Codex, Claude Code, Kimi"], false),
        ("bad.jsonl.zst", &["bad.jsonl.zst"], false),
        // One who follows waits for what comes.
        ("empty.jsonl", &["empty.jsonl", "nothing has been logged yet"], true),
        ("blank.jsonl", &["blank.jsonl"], true),
    ] {
        let [history, mirror] = both(&home.path(name), &home.path("out"));
        assert_refused(&home.run(&history), 1, said, &home);
        if is_followed {
            let ran = home.run(&mirror);
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
            fs::remove_file(home.path("out")).unwrap();
        } else {
            assert_refused(&home.run(&mirror), 1, said, &home);
        }
    }
    assert!(!home.path("larkspan/state").exists() || home.path("larkspan/state").is_dir());
}

#[cfg(unix)]
#[test]
fn a_log_that_may_not_be_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    let log = home.file("secret.jsonl", fs::read(rollout("cm_single")).unwrap());
    fs::set_permissions(&log, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&log).is_ok() {
        return larkspan_tests::skip::skip(
            "a_log_that_may_not_be_read_is_refused",
            "the superuser may read everything",
        );
    }
    for arguments in both(&log, &home.path("out")) {
        assert_refused(&home.run(arguments), 1, &["secret.jsonl", "permission"], &home);
    }
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let home = Home::new();
    for arguments in both(&rollout("cm_single"), &home.path("no/such/folder/out")) {
        let ran = home.run(arguments);
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains("no/such/folder/out"), "{}", ran.stderr);
    }
}

#[test]
fn wrong_usage_is_told_apart() {
    let home = Home::new();
    let log = rollout("cm_single");
    let log = log.to_str().unwrap();
    for arguments in [
        &[][..],
        &["history"],
        &["history", "--list", log],
        &["history", log, "--format", "pdf"],
        &["history", log, "--locale", "fr"],
        &["history", log, "another"],
        &["mirror", "--latest", "--watch"],
        &["mirror", "--session", log, "--from", "yesterday"],
        &["mirror", "--session", log, "--surface", "feishuu"],
        &["mirro", "--latest"],
        &["history", log, "--raw"],
    ] {
        assert_refused(&home.run(arguments), 2, &["--help"], &home);
    }
    for arguments in [&["--help"][..], &["history", "--help"], &["mirror", "--help"], &["--version"]] {
        let ran = home.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(!ran.stdout.is_empty());
    }
}

#[test]
fn without_any_session_it_says_where_it_looked() {
    let home = Home::new();
    let ran = home.run(["mirror", "--surface", "jsonl", "--latest", "--once"]);
    assert_refused(&ran, 1, &["sessions"], &home);
    fs::remove_dir_all(home.path("codex")).unwrap();
    for arguments in [&["mirror", "--surface", "jsonl", "--latest"][..], &["history", "--list"]] {
        assert_refused(&home.run(arguments), 1, &["codex/sessions", "CODEX_HOME"], &home);
    }
}

/// A log with a turn of calls of every kind.
fn clean() -> Rows {
    Rows::paginated()
        .turn("1")
        .user("go")
        .command("a", "make")
        .ran("a", "make", 0)
        .exited("a", 0, "built\n")
        .script("b", "await tools.exec_command({cmd: 'one'}); await tools.exec_command({cmd: 'two'});")
        .ran("exec-1", "one", 0)
        .ran("exec-2", "two", 3)
        .scripted("b", "completed", &[])
        .custom("c", "apply_patch", "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch")
        .patched("c", "a.txt", "completed")
        .output(
            "c",
            "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA a.txt\n",
        )
        .agent("m", "done")
        .done()
}

/// What is shown of a log with these bytes.
fn shown_of(home: &Home, bytes: &[u8]) -> Vec<String> {
    let path = home.file("log.jsonl", bytes);
    shown::lines(&history(&path))
}

/// The clean log with this line put in before the line that is `at`.
fn with_line(at: usize, line: &[u8]) -> Vec<u8> {
    let rows = clean();
    let mut bytes = Vec::new();
    for (index, row) in rows.lines().iter().enumerate() {
        if index == at {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(row.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

#[test]
fn damage_that_costs_nothing() {
    let home = Home::new();
    let bytes = clean().bytes();
    let expected = shown_of(&home, &bytes);
    assert_eq!(expected.len(), 7, "{expected:#?}");
    let text = String::from_utf8(bytes.clone()).unwrap();
    let bom = [b"\xEF\xBB\xBF".as_slice(), &bytes].concat();
    let crlf = text.replace('\n', "\r\n").into_bytes();
    let no_last_feed = bytes[..bytes.len() - 1].to_vec();
    let blank_lines = text.replace('\n', "\n\n").into_bytes();
    // A torn write leaves zeros before the next row.
    let zeros = with_line(5, b"")
        .into_iter()
        .flat_map(|b| if b == b'\n' { vec![b'\n', 0, 0] } else { vec![b] })
        .collect();
    let duplicate_keys = text
        .replace("\"type\":\"function_call\"", "\"type\":\"function_call\",\"unknown\":1,\"unknown\":2")
        .into_bytes();
    for (what, damaged) in [
        ("byte order mark", bom),
        ("CR LF", crlf),
        ("no last line feed", no_last_feed),
        ("blank lines", blank_lines),
        ("NUL bytes", zeros),
        ("duplicate keys", duplicate_keys),
    ] {
        let shown = shown_of(&home, &damaged);
        let shown: Vec<String> =
            shown.into_iter().filter(|line| !line.starts_with("unknown unreadable line")).collect();
        assert_eq!(shown, expected, "{what}");
    }
}

#[test]
fn text_with_odd_characters_stays_text() {
    let home = Home::new();
    let rows = |text: &str| Rows::paginated().turn("1").agent("m", text).done();
    // A raw line separator is no line's end.
    let separator = rows("a\u{2028}b\u{2029}c\u{85}d");
    assert_eq!(shown_of(&home, &separator.bytes()), ["agent: a\u{2028}b\u{2029}c\u{85}d"]);
    // A character that was cut.
    let mut bytes = rows("abXYc").bytes();
    while let Some(at) = bytes.windows(2).position(|pair| pair == b"XY") {
        bytes.splice(at..at + 2, [0xe6, 0x87]);
    }
    assert_eq!(shown_of(&home, &bytes), ["agent: ab\u{fffd}c"]);
    let surrogate = String::from_utf8(rows("abXYc").bytes()).unwrap().replace("XY", "\\ud83d");
    assert!(shown_of(&home, surrogate.as_bytes())[0].starts_with("agent: ab\u{fffd}"));
}

/// One bad line costs one line: everything else is as in the clean log.
#[test]
fn one_bad_line_costs_one_line() {
    let home = Home::new();
    let expected = shown_of(&home, &clean().bytes());
    let deep = format!("{{\"type\":\"event_msg\",\"payload\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let deep_arguments = json!({"type": "response_item", "payload": {
        "type": "function_call_output", "call_id": null, "output": format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
    }});
    for (line, told) in [
        (&b"this is no JSON"[..], "unknown unreadable line × 1"),
        (b"{\"type\":\"event_msg\",\"payload\":{\"type\":\"task_st", "unknown unreadable line × 1"),
        (b"\xff\xfe\x00garbage", "unknown unreadable line × 1"),
        (b"[1,2,3]", "unknown unreadable line × 1"),
        (b"\"text\"", "unknown unreadable line × 1"),
        (b"{}", "unknown row without a type × 1"),
        (b"{\"payload\":{\"type\":\"task_started\"}}", "unknown row without a type × 1"),
        (b"{\"type\":7,\"payload\":8}", "unknown row without a type × 1"),
        (b"{\"type\":\"response_item\"}", "unknown response_item without a type × 1"),
        (b"{\"type\":\"response_item\",\"payload\":null}", "unknown response_item without a type × 1"),
        (b"{\"type\":\"response_item\",\"payload\":[1]}", "unknown response_item without a type × 1"),
        (b"{\"type\":\"event_msg\",\"payload\":{}}", "unknown event_msg without a type × 1"),
        (deep.as_bytes(), "unknown event_msg without a type × 1"),
        (deep_arguments.to_string().as_bytes(), "notice: "),
        (
            b"{\"type\":\"event_msg\",\"payload\":{\"type\":\"item_completed\",\"item\":3}}",
            "unknown item_completed/ × 1",
        ),
        (b"{\"type\":\"event_msg\",\"payload\":{\"type\":\"token_count\",\"info\":[]}}", ""),
        (b"{\"type\":\"world_state\"}", ""),
    ] {
        for at in [3, 6, 9] {
            let mut shown = shown_of(&home, &with_line(at, line));
            let name = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
            if !told.is_empty() {
                let found = shown.iter().position(|shown| shown.starts_with(told));
                let found = found.unwrap_or_else(|| panic!("{told:?} of {name} is not in {shown:#?}"));
                shown.remove(found);
            }
            assert_eq!(shown, expected, "{name} before line {at}");
        }
    }
}

/// A row cut by a crash, with the next one written right after it: the damage is one line, which holds both.
#[test]
fn a_torn_line_takes_the_row_that_it_ran_into() {
    let home = Home::new();
    let rows = clean();
    let agent = rows.lines().iter().position(|line| line.contains("AgentMessage")).unwrap();
    let mut bytes = Vec::new();
    for (index, line) in rows.lines().iter().enumerate() {
        bytes.extend_from_slice(line.as_bytes());
        if index == agent {
            bytes.truncate(bytes.len() - 9);
        } else {
            bytes.push(b'\n');
        }
    }
    let mut expected = shown_of(&home, &rows.bytes());
    expected.retain(|line| line != "agent: done");
    expected.push("unknown unreadable line × 1".to_owned());
    assert_eq!(shown_of(&home, &bytes), expected);
}

#[test]
fn ids_that_are_no_text() {
    let home = Home::new();
    let rows = Rows::paginated()
        .turn("1")
        .item(json!({"type": "function_call", "call_id": 7, "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}"}))
        .item(json!({"type": "function_call_output", "call_id": 7, "output": "Chunk ID: 1\nWall time: 0.2 seconds\nProcess exited with code 0\nOutput:\n"}))
        .done();
    let shown = shown_of(&home, &rows.bytes());
    let calls = shown.iter().filter(|line| line.contains("浏览")).count();
    assert_eq!(calls, 1, "{shown:#?}");
}

/// A line over 8 MiB is not read whole: its call stands, with a visible stub for what is too large.
#[test]
fn a_large_line_is_a_visible_stub() {
    let home = Home::new();
    let large = "y".repeat(9 << 20);
    let output = |call: &str, text: &str| {
        // In the order in which Codex writes the members.
        format!(
            r#"{{"timestamp":"2026-11-30T10:00:00.000Z","type":"response_item","payload":{{"type":"function_call_output","call_id":{},"output":{}}}}}"#,
            json!(call),
            json!(text)
        )
    };
    let rows = Rows::paginated()
        .turn("1")
        .command("a", "make")
        .line(output(
            "a",
            &format!("Chunk ID: 1\nWall time: 0.2 seconds\nProcess exited with code 0\nOutput:\n{large}"),
        ))
        .command("b", "ls")
        .exited("b", 0, "x\n")
        .done();
    let path = home.file("log.jsonl", rows.bytes());
    let state = history(&path);
    let calls = state.calls();
    let titles: Vec<String> = calls.iter().map(|call| shown::call_lines(call, false).remove(0)).collect();
    assert_eq!(titles.len(), 2, "{titles:?}");
    assert_eq!(titles[1], "📂 浏览 `.` · 200ms · 输出 1 行");
    let words = shown::all_words(&calls[0]);
    assert!(words.iter().any(|words| words.contains("too large to be read")), "{titles:?}: {words:?}");
    assert!(!titles[0].starts_with('💻'), "a call whose outcome was not read is no success: {titles:?}");
}

/// A line over 64 MiB is skipped, with a notice.
#[test]
fn a_huge_line_is_skipped_and_told() {
    let home = Home::new();
    let rows = clean();
    let mut bytes = Vec::new();
    for (index, line) in rows.lines().iter().enumerate() {
        if index == 4 {
            bytes.extend_from_slice(
                b"{\"type\":\"response_item\",\"payload\":{\"type\":\"message\",\"content\":\"",
            );
            bytes.resize(bytes.len() + (70 << 20), b'y');
            bytes.extend_from_slice(b"\"}}\n");
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
    }
    let log = home.file("log.jsonl", &bytes);
    drop(bytes);
    let ran = home.run(["history".as_ref(), log.as_os_str()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let page = String::from_utf8(ran.stdout).unwrap();
    assert!(page.contains("line over 64 MiB"), "{page}");
    let without = |page: &str| {
        page.lines()
            .filter(|line| !line.contains("64 MiB") && !line.contains("未识别的记录"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let clean_log = home.file("clean.jsonl", rows.bytes());
    let clean_page = home.run(["history".as_ref(), clean_log.as_os_str()]).stdout;
    assert_eq!(without(&page).trim(), String::from_utf8(clean_page).unwrap().trim());
}
