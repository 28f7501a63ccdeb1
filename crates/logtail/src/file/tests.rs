use std::fs::{self, File};
use std::io::Write;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A log in a folder of its own.
struct Lab {
    folder: TempDir,
}

impl Lab {
    fn new(content: &str) -> Self {
        let lab = Self { folder: TempDir::new().unwrap() };
        lab.write(content);
        lab
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn path(&self) -> PathBuf {
        self.at("log.jsonl")
    }

    fn packed(&self) -> PathBuf {
        self.at("log.jsonl.zst")
    }

    /// Overwrites the log in place.
    fn write(&self, content: impl AsRef<[u8]>) {
        fs::write(self.path(), content).unwrap();
    }

    fn append(&self, content: impl AsRef<[u8]>) {
        append(&self.path(), content);
    }

    fn cut(&self, len: u64) {
        File::options().write(true).open(self.path()).unwrap().set_len(len).unwrap();
    }

    /// Puts another file in the log's place, as an editor does.
    fn replace(&self, content: impl AsRef<[u8]>) {
        fs::write(self.at("aside"), content).unwrap();
        fs::rename(self.at("aside"), self.path()).unwrap();
    }

    /// Compresses the log as Codex does, one frame for each piece of at most `frame` bytes.
    fn compress(&self, frame: usize) {
        let content = fs::read(self.path()).unwrap();
        fs::write(self.at("aside"), compressed(&content, frame)).unwrap();
        fs::rename(self.at("aside"), self.packed()).unwrap();
        fs::remove_file(self.path()).unwrap();
    }

    /// Decompresses it again as Codex does.
    fn decompress(&self) {
        let content = zstd::decode_all(File::open(self.packed()).unwrap()).unwrap();
        self.replace(content);
        fs::remove_file(self.packed()).unwrap();
    }

    fn open(&self) -> LogFile {
        LogFile::open(self.path()).unwrap()
    }
}

fn append(path: &Path, content: impl AsRef<[u8]>) {
    File::options().append(true).open(path).unwrap().write_all(content.as_ref()).unwrap();
}

fn compressed(content: &[u8], frame: usize) -> Vec<u8> {
    if content.is_empty() {
        return zstd::encode_all(content, 3).unwrap();
    }
    content.chunks(frame).flat_map(|piece| zstd::encode_all(piece, 3).unwrap()).collect()
}

/// A log of `count` lines.
fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

/// Reads all there is: lines as they are, in `<>` what else is told.
fn drain(log: &mut LogFile) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        let read = log.read(|line| {
            seen.push(match line {
                Line::Whole { bytes, .. } => bytes.escape_ascii().to_string(),
                Line::Oversized { len, .. } => format!("<oversized {len}>"),
                Line::Skipped { len, .. } => format!("<skipped {len}>"),
            });
        });
        match read {
            Ok(Read::Lines) => {}
            Ok(Read::AtEnd) => return seen,
            Ok(Read::Restarted { reason }) => seen.push(format!("<{reason:?}>")),
            Ok(Read::Gone) => {
                seen.push("<gone>".to_owned());
                return seen;
            }
            Err(Error::Damaged { offset, .. }) => {
                seen.push(format!("<damaged {offset}>"));
                return seen;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

const NOTHING: [&str; 0] = [];

#[test]
fn half_a_line_waits_for_its_end() {
    let lab = Lab::new("");
    let mut log = lab.open();
    assert_eq!(drain(&mut log), NOTHING);
    for byte in "one".bytes() {
        lab.append([byte]);
        assert_eq!(drain(&mut log), NOTHING);
        assert_eq!(log.cursor().offset(), 0);
    }
    lab.append("\ntwo\nthr");
    assert_eq!(drain(&mut log), ["one", "two"]);
    assert_eq!(log.cursor().offset(), 8);
    lab.append("ee\n");
    assert_eq!(drain(&mut log), ["three"]);
    assert_eq!(log.cursor().offset(), 14);
}

#[test]
fn damaged_bytes_cost_one_line() {
    let lab = Lab::new("");
    lab.write(b"\xEF\xBB\xBFone\r\ntw\0o\n{\"t\":\"\xE6\x87\nU+2028:\xE2\x80\xA8.\nlast");
    let mut log = lab.open();
    assert_eq!(drain(&mut log), ["one", r"tw\x00o", r#"{\"t\":\"\xe6\x87"#, r"U+2028:\xe2\x80\xa8."]);
    let Some(Line::Whole { bytes: b"last", start, end }) = log.finish() else { panic!("{:?}", log.finish()) };
    assert_eq!((start, end), (log.cursor().offset(), fs::metadata(lab.path()).unwrap().len()));
    // It was not the last, after all.
    lab.append(" of all\n");
    assert_eq!(drain(&mut log), ["last of all"]);
    assert_eq!(log.finish(), None);
}

#[test]
fn what_happens_to_the_file_is_told() {
    type Act = fn(&Lab);
    let rows: [(&str, Act, &[&str]); 20] = [
        ("nothing", |_| {}, &[]),
        ("grows", |lab| lab.append("lf\nthree\n"), &["half", "three"]),
        ("is touched", |lab| lab.append(""), &[]),
        ("is cut", |lab| lab.cut(4), &["<Truncated>", "one"]),
        ("is emptied", |lab| lab.cut(0), &["<Truncated>"]),
        ("is emptied and written", |lab| lab.write("new\n"), &["<Truncated>", "new"]),
        ("is overwritten, same length", |lab| lab.write("uno\ndos\nha"), &["<Rewritten>", "uno", "dos"]),
        ("its first byte changes", |lab| lab.write("One\ntwo\nha"), &["<Rewritten>", "One", "two"]),
        ("its last line changes", |lab| lab.write("one\ntwO\nha"), &["<Rewritten>", "one", "twO"]),
        (
            "is overwritten, longer",
            |lab| lab.write("one\nzwei\ndrei\n"),
            &["<Rewritten>", "one", "zwei", "drei"],
        ),
        ("loses its half line", |lab| lab.cut(8), &[]),
        (
            "its half line is taken back for another",
            |lab| lab.write("one\ntwo\nmore than half\n"),
            &["more than half"],
        ),
        ("its half line changes", |lab| lab.write("one\ntwo\nHA\n"), &["HA"]),
        ("is replaced by something else", |lab| lab.replace("new\nlog\n"), &["<Replaced>", "new", "log"]),
        ("is replaced by a longer copy", |lab| lab.replace("one\ntwo\nhalf\n"), &["half"]),
        ("is replaced by a shorter one", |lab| lab.replace("one\n"), &["<Replaced>", "one"]),
        ("is deleted", |lab| fs::remove_file(lab.path()).unwrap(), &["<gone>"]),
        ("is compressed", |lab| lab.compress(99), &[]),
        (
            "grows and is compressed",
            |lab| {
                lab.append("lf\nthree\n");
                lab.compress(5);
            },
            &["half", "three"],
        ),
        (
            "is compressed, decompressed and grows",
            |lab| {
                lab.compress(5);
                lab.decompress();
                lab.append("lf\n");
            },
            &["half"],
        ),
    ];
    for (what, act, expected) in rows {
        // Once while it is followed, once while nobody looks.
        let lab = Lab::new("one\ntwo\nha");
        let mut log = lab.open();
        assert_eq!(drain(&mut log), ["one", "two"]);
        act(&lab);
        assert_eq!(drain(&mut log), expected, "live: {what}");
        let again: &[&str] = if expected == ["<gone>"] { expected } else { &[] };
        assert_eq!(drain(&mut log), again, "live, again: {what}");

        let lab = Lab::new("one\ntwo\nha");
        let mut log = lab.open();
        assert_eq!(drain(&mut log), ["one", "two"]);
        let cursor = log.cursor();
        drop(log);
        act(&lab);
        match LogFile::resume(lab.path(), &cursor) {
            Ok(mut log) => assert_eq!(drain(&mut log), expected, "resumed: {what}"),
            Err(Error::Missing { path }) => {
                assert_eq!((path, expected), (lab.path(), ["<gone>"].as_slice()), "resumed: {what}");
            }
            Err(error) => panic!("resumed: {what}: {error}"),
        }
    }
}

#[test]
fn a_change_far_behind_the_cursor_is_seen_at_either_end() {
    let line = format!("{}\n", "x".repeat(99));
    let content = line.repeat(200);
    let rows =
        [(0, "<Rewritten>"), (4095, "<Rewritten>"), (20_000 - 4096, "<Rewritten>"), (19_998, "<Rewritten>")];
    for (at, expected) in rows {
        let lab = Lab::new(&content);
        let mut log = lab.open();
        assert_eq!(drain(&mut log).len(), 200);
        let mut changed = content.clone().into_bytes();
        changed[at] = b'!';
        lab.write(changed);
        assert_eq!(drain(&mut log).first().map(String::as_str), Some(expected), "byte {at}");
    }
}

#[test]
fn nothing_read_is_nothing_to_void() {
    let lab = Lab::new("half");
    let mut log = lab.open();
    assert_eq!(drain(&mut log), NOTHING);
    lab.write("new\n");
    assert_eq!(drain(&mut log), ["new"]);
}

#[test]
fn a_rotated_log_is_read_to_its_end_first() {
    let lab = Lab::new("one\n");
    let mut log = lab.open();
    assert_eq!(drain(&mut log), ["one"]);
    lab.append("two\n");
    fs::rename(lab.path(), lab.at("log.1")).unwrap();
    append(&lab.at("log.1"), "three\nhalf");
    lab.write("four\n");
    assert_eq!(drain(&mut log), ["two", "three", "<Replaced>", "four"]);
    lab.append("five\n");
    assert_eq!(drain(&mut log), ["five"]);
}

#[test]
fn a_deleted_log_is_read_to_its_end_and_may_come_back() {
    let rows: [(&str, &[&str]); 3] = [
        ("one\ntwo\nthree\n", &["three"]),
        ("one\n", &["<Replaced>", "one"]),
        ("new\nlog\nfile\n", &["<Replaced>", "new", "log", "file"]),
    ];
    for (content, expected) in rows {
        let lab = Lab::new("one\n");
        let mut log = lab.open();
        assert_eq!(drain(&mut log), ["one"]);
        lab.append("two\n");
        fs::remove_file(lab.path()).unwrap();
        assert_eq!(drain(&mut log), ["two", "<gone>"]);
        assert_eq!(drain(&mut log), ["<gone>"]);
        lab.replace(content);
        assert_eq!(drain(&mut log), expected, "{content:?}");
    }
}

#[test]
fn a_log_can_be_gone_on_with_from_every_line() {
    // Longer than what a fingerprint reaches over, and than a chunk.
    let content = numbered(3000, |n| format!("{n} {}\r\n", "x".repeat(n % 300)));
    for frame in [None, Some(usize::MAX), Some(60_000)] {
        let lab = Lab::new(&content);
        if let Some(frame) = frame {
            lab.compress(frame);
        }
        let mut log = lab.open();
        let mut cursors = vec![log.cursor()];
        loop {
            let mut ends = Vec::new();
            let read = log.read(|line| ends.extend([line.start(), line.end()])).unwrap();
            cursors.extend(
                ends.iter().map(|&end| log.cursor_at(end).unwrap_or_else(|| panic!("no cursor at {end}"))),
            );
            if let Some(&end) = ends.last() {
                assert_eq!(log.cursor_at(end), Some(log.cursor()));
                assert_eq!((log.cursor_at(end - 1), log.cursor_at(end + 1)), (None, None));
            }
            if read == Read::AtEnd {
                break;
            }
        }
        cursors.dedup();
        assert_eq!(cursors.len(), 3001);
        let all: Vec<String> = content.lines().map(str::to_owned).collect();
        for (line, cursor) in cursors.iter().enumerate().step_by(if frame.is_some() { 97 } else { 7 }) {
            let mut log = LogFile::resume(lab.path(), cursor).unwrap();
            assert_eq!(log.cursor(), *cursor);
            assert_eq!(drain(&mut log), all[line..], "from line {line}");
        }
    }
}

#[test]
fn a_cursor_is_valid_in_either_form_of_the_log() {
    let content = numbered(2000, |n| format!("line {n}\n"));
    let all: Vec<&str> = content.lines().collect();
    let lab = Lab::new(&content[..content.len() / 2]);
    let mut log = lab.open();
    let before = drain(&mut log).len();
    let plain = log.cursor();
    lab.append(&content[content.len() / 2..]);
    lab.compress(1000);
    assert_eq!(drain(&mut LogFile::resume(lab.packed(), &plain).unwrap()), all[before..]);
    assert_eq!(drain(&mut log), all[before..]);
    let packed = log.cursor();
    lab.decompress();
    lab.append("more\n");
    assert_eq!(drain(&mut LogFile::resume(lab.packed(), &packed).unwrap()), ["more"]);
    assert_eq!(drain(&mut log), ["more"]);
    assert_eq!(log.path(), lab.path());
}

#[test]
fn frames_may_be_many_empty_or_skippable() {
    let lab = Lab::new("");
    fs::remove_file(lab.path()).unwrap();
    let skippable = b"\x50\x2A\x4D\x18\x03\0\0\0abc";
    let packed =
        [&compressed(b"one\ntw", 99)[..], &compressed(b"", 99), skippable, &compressed(b"o\nthree", 2)]
            .concat();
    fs::write(lab.packed(), packed).unwrap();
    let mut log = lab.open();
    assert_eq!(drain(&mut log), ["one", "two"]);
    assert_eq!(log.finish(), Some(Line::Whole { bytes: b"three", start: 8, end: 13 }));
    // A frame more.
    append(&lab.packed(), compressed(b"\nfour\n", 99));
    assert_eq!(drain(&mut log), ["three", "four"]);
}

#[test]
fn a_plain_twin_wins() {
    let lab = Lab::new("one\ntwo\n");
    lab.compress(99);
    let mut log = lab.open();
    assert_eq!(drain(&mut log), ["one", "two"]);
    // Somebody decompresses it, not all at once.
    lab.write("on");
    assert_eq!(drain(&mut log), NOTHING);
    let mut resumed = LogFile::resume(lab.path(), &log.cursor()).unwrap();
    assert_eq!(drain(&mut resumed), NOTHING);
    lab.append("e\ntwo\nthree\n");
    assert_eq!(drain(&mut log), ["three"]);
    assert_eq!(drain(&mut resumed), ["three"]);
    // The compressed one stays behind, and does not matter any more.
    fs::write(lab.packed(), "no zstd at all").unwrap();
    lab.append("four\n");
    assert_eq!(drain(&mut log), ["four"]);
    assert_eq!(drain(&mut lab.open()), ["one", "two", "three", "four"]);
    // It is something else.
    lab.replace("another\nlog, with more text in it\n");
    assert_eq!(drain(&mut log), ["<Replaced>", "another", "log, with more text in it"]);
}

#[test]
fn a_damaged_compressed_log_is_read_up_to_the_damage() {
    let content = numbered(50_000, |n| format!("line {n} {}\n", n * 7919));
    let lines: Vec<&str> = content.lines().collect();
    let lab = Lab::new(&content);
    lab.compress(content.len() / 3);
    let good = fs::read(lab.packed()).unwrap();

    let mut corrupt = good.clone();
    corrupt[good.len() / 2] ^= 0x55;
    let with_garbage = [good.as_slice(), b"garbage"].concat();
    for (what, bad) in
        [("cut", &good[..good.len() / 2]), ("corrupt", &corrupt), ("garbage behind", &with_garbage)]
    {
        fs::write(lab.packed(), bad).unwrap();
        let mut log = lab.open();
        let mut seen = drain(&mut log);
        let last = seen.pop().unwrap();
        assert!(last.starts_with("<damaged ") || what == "corrupt", "{what}: {last}");
        let sound = seen.iter().zip(&lines).take_while(|(seen, line)| seen == line).count();
        assert!(sound > lines.len() / 4, "{what}: {sound} lines");
        if what == "garbage behind" {
            assert_eq!(sound, lines.len());
        }
        assert_eq!(log.finish(), None, "{what}");
        // Said once, until something changes.
        assert_eq!(drain(&mut log), NOTHING, "{what}");
        let cursor = log.cursor();
        if what != "corrupt" {
            fs::write(lab.packed(), &good).unwrap();
            assert_eq!(drain(&mut log), lines[sound..], "{what}: repaired");
            assert_eq!(
                drain(&mut LogFile::resume(lab.path(), &cursor).unwrap()),
                lines[sound..],
                "{what}: repaired"
            );
        }
    }

    // Damage before the cursor.
    fs::write(lab.packed(), &good).unwrap();
    let mut log = lab.open();
    assert_eq!(drain(&mut log).len(), lines.len());
    fs::write(lab.packed(), &good[..good.len() / 2]).unwrap();
    let Err(Error::Damaged { path, offset, .. }) = LogFile::resume(lab.path(), &log.cursor()) else {
        panic!("not noticed")
    };
    assert_eq!(path, lab.packed());
    assert!(offset > content.len() as u64 / 4 && offset < log.cursor().offset());
    assert_eq!(drain(&mut log), [format!("<damaged {offset}>")]);
    assert_eq!(drain(&mut log), NOTHING);

    for empty in [b"".as_slice(), b"no zstd at all, but long enough to look like some"] {
        fs::write(lab.packed(), empty).unwrap();
        assert_eq!(drain(&mut lab.open()), ["<damaged 0>"]);
    }
}

#[test]
fn what_is_no_log_is_refused_with_advice() {
    let lab = Lab::new("one\n");
    let check = |path: &Path, matches: fn(&Error) -> bool, advice: &str| {
        let error = LogFile::open(path).err().unwrap();
        let message = error.to_string();
        assert!(matches(&error), "{error:?}");
        assert!(message.contains(path.to_str().unwrap()) && message.contains(advice), "{message}");
    };
    check(&lab.at("none"), |error| matches!(error, Error::Missing { .. }), "check the path");
    check(&lab.path().join("below"), |error| matches!(error, Error::Missing { .. }), "check the path");
    check(lab.folder.path(), |error| matches!(error, Error::IsDirectory { .. }), "name a log file in it");
}

#[cfg(unix)]
#[test]
#[expect(clippy::print_stderr, reason = "a skipped test must be seen to be skipped")]
fn pipes_devices_and_locked_files_are_refused_without_waiting() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let lab = Lab::new("one\n");
    let mut log = lab.open();
    assert_eq!(drain(&mut log), ["one"]);
    fs::remove_file(lab.path()).unwrap();
    let pipe = lab.at("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink(&pipe, lab.path()).unwrap();
    for path in [&pipe, Path::new("/dev/zero"), &lab.path()] {
        let error = LogFile::open(path).err().unwrap();
        assert!(matches!(error, Error::NotRegular { .. }), "{error:?}");
        assert!(error.to_string().contains("only regular files"), "{error}");
    }
    // A pipe that took the log's name while it was followed.
    assert!(matches!(log.read(|_| ()), Err(Error::NotRegular { .. })));
    fs::remove_file(lab.path()).unwrap();
    lab.write("one\ntwo\n");
    assert_eq!(drain(&mut log), ["two"]);

    symlink("loop", lab.at("loop")).unwrap();
    assert!(matches!(LogFile::open(lab.at("loop")), Err(Error::Io { .. })));

    fs::set_permissions(lab.path(), fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(lab.path()).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let error = LogFile::open(lab.path()).err().unwrap();
    assert!(matches!(error, Error::Denied { .. }), "{error:?}");
    assert!(error.to_string().contains("give this user read access"), "{error}");
}

#[test]
fn a_huge_line_is_read_in_constant_memory() {
    let lab = Lab::new("first\n");
    // A hole: NUL bytes that take no room.
    lab.cut(6 + (64 << 20));
    lab.append("\nnext\n");
    lab.cut(6 + (64 << 20) + 6 + (70 << 20));
    lab.append("\nlast\n");
    let expected = [
        "first".to_owned(),
        format!("<oversized {}>", 64 << 20),
        "next".into(),
        format!("<skipped {}>", 70 << 20),
        "last".into(),
    ];

    let mut log = lab.open();
    let mut seen = Vec::new();
    let mut most = 0;
    while {
        let read = log.read(|line| seen.push(line.end())).unwrap();
        most = most.max(log.buffered());
        read == Read::Lines
    } {}
    assert_eq!(seen.len(), 5);
    assert!(most < 9 << 20, "{most} bytes");
    assert!(log.buffered() < 100 << 10, "{} bytes at rest", log.buffered());

    lab.compress(usize::MAX);
    assert_eq!(drain(&mut lab.open()), expected);
    assert_eq!(drain(&mut log), NOTHING);
}

#[test]
fn a_log_can_be_read_on_another_thread() {
    fn check<T: Send>() {}
    check::<LogFile>();
    let lab = Lab::new("one\n");
    let mut log = lab.open();
    assert_eq!(std::thread::spawn(move || drain(&mut log)).join().unwrap(), ["one"]);
}

#[test]
fn nothing_is_lost_or_doubled_while_a_log_is_written_and_changes_its_form() {
    const LINES: usize = 3000;
    let lab = Lab::new("");
    let mut log = lab.open();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..LINES {
                // In two pieces, so that half lines are met with.
                lab.append("line ");
                lab.append(format!("{n}\n"));
                if n % 50 == 49 {
                    lab.compress(10_000);
                    lab.decompress();
                }
            }
        });
        let mut seen = Vec::new();
        loop {
            let is_written = writer.is_finished();
            let read = log.read(|line| {
                let Line::Whole { bytes, .. } = line else { panic!("{line:?}") };
                seen.push(String::from_utf8(bytes.to_vec()).unwrap());
            });
            match read {
                Ok(Read::AtEnd) if is_written => break,
                Ok(Read::Lines | Read::AtEnd) => {}
                other => panic!("{other:?} after {} lines", seen.len()),
            }
        }
        assert_eq!(seen, (0..LINES).map(|n| format!("line {n}")).collect::<Vec<_>>());
    });
}

#[test]
fn nothing_is_lost_when_a_log_is_rotated_while_it_is_read() {
    const ROUNDS: usize = 300;
    let deadline = Instant::now() + Duration::from_mins(1);
    let lab = Lab::new("");
    let mut log = lab.open();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let writer = scope.spawn(move || {
            // A second rotation before the reader has seen the first would hide a whole log from anybody.
            for round in 0..ROUNDS {
                lab.append(format!("{round} a\n{round} b\n"));
                lab.append(format!("{round} c\n"));
                fs::rename(lab.path(), lab.at("old")).unwrap();
                lab.write(format!("{round} new\n"));
                let Ok(()) = told.recv() else { break };
            }
        });
        // Dropped with the reader, should it fail: the writer would wait for ever.
        let tell = tell;
        let mut seen = Vec::new();
        for round in 0..ROUNDS {
            loop {
                let is_written = writer.is_finished();
                match log.read(|line| {
                    let Line::Whole { bytes, .. } = line else { panic!("{line:?}") };
                    seen.push(String::from_utf8(bytes.to_vec()).unwrap());
                }) {
                    Ok(Read::Restarted { reason: Restart::Replaced }) => break,
                    Ok(Read::Lines | Read::Gone) => {}
                    Ok(Read::AtEnd) if !is_written && Instant::now() < deadline => {}
                    other => panic!("{other:?} in round {round}: {seen:?}"),
                }
            }
            let mut expected: Vec<String> = ["a", "b", "c"].map(|name| format!("{round} {name}")).into();
            if round > 0 {
                expected.insert(0, format!("{} new", round - 1));
            }
            assert_eq!(seen, expected, "round {round}");
            seen.clear();
            tell.send(()).unwrap();
        }
    });
}

/// Something that happens to a log.
#[derive(Debug, Clone)]
enum Act {
    Append(String),
    Cut(prop::sample::Index),
    Rewrite(String),
    Replace(String),
    /// A copy with something more takes the name.
    ReplaceByCopy(String),
    Rotate(String),
    Delete,
    Compress(usize),
    Decompress,
    Read,
    Restart,
}

fn act() -> impl Strategy<Value = Act> {
    let text = || {
        proptest::collection::vec(
            prop_oneof![3 => Just("\n"), 2 => Just("a"), 1 => Just("b"), 1 => Just("c\r\n")],
            0..9,
        )
        .prop_map(|pieces| pieces.concat())
    };
    prop_oneof![
        6 => text().prop_map(Act::Append),
        1 => any::<prop::sample::Index>().prop_map(Act::Cut),
        1 => text().prop_map(Act::Rewrite),
        1 => text().prop_map(Act::Replace),
        1 => text().prop_map(Act::ReplaceByCopy),
        1 => text().prop_map(Act::Rotate),
        1 => Just(Act::Delete),
        1 => (1_usize..9).prop_map(Act::Compress),
        2 => Just(Act::Decompress),
        4 => Just(Act::Read),
        1 => Just(Act::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever happens, what was handed out since the last restart is what the log holds.
    #[test]
    fn the_reader_always_catches_up_with_the_log(acts in proptest::collection::vec(act(), 1..40)) {
        let lab = Lab::new("");
        let mut log = lab.open();
        let mut known: Vec<String> = Vec::new();
        for act in acts.into_iter().chain([Act::Read]) {
            let is_plain = lab.path().exists();
            let is_packed = lab.packed().exists();
            match act {
                Act::Append(text) if is_plain => lab.append(text),
                Act::Cut(to) if is_plain => {
                    let len = fs::metadata(lab.path()).unwrap().len() as usize;
                    lab.cut(to.index(len + 1) as u64);
                }
                Act::Rewrite(text) if !is_packed => lab.write(text),
                Act::Replace(text) if !is_packed => lab.replace(text),
                Act::ReplaceByCopy(text) if is_plain => {
                    lab.replace([fs::read(lab.path()).unwrap(), text.into()].concat());
                }
                Act::Rotate(text) if is_plain => {
                    fs::rename(lab.path(), lab.at("old")).unwrap();
                    lab.write(text);
                }
                Act::Delete => {
                    drop(fs::remove_file(lab.path()));
                    drop(fs::remove_file(lab.packed()));
                }
                Act::Compress(frame) if is_plain => lab.compress(frame),
                Act::Decompress if is_packed && !is_plain => lab.decompress(),
                Act::Read => {
                    for seen in drain(&mut log) {
                        match seen.as_str() {
                            "<Truncated>" | "<Rewritten>" | "<Replaced>" => known.clear(),
                            "<gone>" => prop_assert!(!is_plain && !is_packed),
                            _ => known.push(seen),
                        }
                    }
                    let content = match (is_plain, is_packed) {
                        (true, _) => fs::read(lab.path()).unwrap(),
                        (false, true) => zstd::decode_all(File::open(lab.packed()).unwrap()).unwrap(),
                        (false, false) => continue,
                    };
                    let content = String::from_utf8(content).unwrap();
                    let complete = content.rfind('\n').map_or("", |feed| &content[..=feed]);
                    let lines: Vec<String> =
                        complete.lines().map(|line| line.escape_default().to_string()).collect();
                    prop_assert_eq!(&known, &lines);
                    prop_assert_eq!(log.cursor().offset(), complete.len() as u64);
                }
                Act::Restart => {
                    let saved = serde_json::to_string(&log.cursor()).unwrap();
                    match LogFile::resume(lab.path(), &serde_json::from_str(&saved).unwrap()) {
                        Ok(resumed) => log = resumed,
                        Err(error) => {
                            let is_missing = matches!(error, Error::Missing { .. });
                            prop_assert!(is_missing && !is_plain && !is_packed);
                        }
                    }
                }
                // Impossible in the log's present form.
                Act::Append(_) | Act::Cut(_) | Act::Rewrite(_) | Act::Replace(_) | Act::ReplaceByCopy(_)
                | Act::Rotate(_) | Act::Compress(_) | Act::Decompress => {}
            }
        }
    }
}
