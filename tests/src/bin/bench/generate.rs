//! One long session log, made of the captures' turns over and over.
//!
//! The session is introduced once. In every repetition each UUID (turns, messages, executed items) is a new one, the
//! ordinals go on, and the times move on; the calls' own ids repeat, as they do in real logs.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use larkspan_core::time::Timestamp;
use serde_json::{Value, json};

use super::captures::{Capture, Captures};

/// The generated session.
const SESSION: &str = "01a00000-0000-7000-8000-000000000000";
/// Length of a UUID, and of the part that tells one repetition from another.
const UUID: usize = 36;
const UUID_TAIL: usize = 12;
/// Of so many turns one is in code mode.
const CODE_MODE_SHARE: u64 = 3;
/// Between two sessions' turns.
const PAUSE_MS: i64 = 1000;

/// The keys of the numbers that differ between repetitions.
const ORDINAL: &str = "\"ordinal\":";
const STARTED_MS: &str = "\"started_at_ms\":";
const COMPLETED_MS: &str = "\"completed_at_ms\":";
const NUMBERS: &[&str] = &[ORDINAL, STARTED_MS, COMPLETED_MS, "\"started_at\":", "\"completed_at\":"];

/// A part of a line.
#[derive(Debug, PartialEq)]
enum Piece {
    Text(String),
    Session,
    /// The UUID with this number in the capture.
    Uuid(usize),
    Ordinal,
    /// RFC 3339; since the start of the capture, in milliseconds.
    Time(i64),
    /// Numbers, likewise.
    Millis(i64),
    Seconds(i64),
}

/// A capture that can be written again and again.
#[derive(Debug)]
struct Template {
    lines: Vec<Vec<Piece>>,
    uuids: Vec<String>,
    /// From its first to its last line.
    duration_ms: i64,
    turns: u64,
    scripts: u64,
}

/// What is counted on while writing.
#[derive(Debug, Default)]
struct Counters {
    bytes: u64,
    lines: u64,
    turns: u64,
    code_mode_turns: u64,
    scripts: u64,
    ordinal: u64,
    uuid: u64,
    /// In milliseconds since the epoch.
    clock: i64,
}

/// Writes the log; tells what is in it.
pub(crate) fn write(captures: &Captures, out: &Path, bytes: u64, direct: bool) -> Result<Value> {
    let (code_mode, direct_calls): (Vec<_>, Vec<_>) =
        captures.0.iter().partition(|capture| capture.is_code_mode());
    let templates =
        |captures: &[&Capture]| captures.iter().map(|capture| template(capture)).collect::<Result<Vec<_>>>();
    let (code_mode, direct_calls) = (templates(&code_mode)?, templates(&direct_calls)?);
    let first = captures.0.first().context("there is no capture")?;
    let file = File::create(out).with_context(|| format!("{} cannot be written", out.display()))?;
    let mut file = BufWriter::with_capacity(1 << 18, file);
    let mut counters = Counters { clock: start_of(&first.head)?, ..Counters::default() };
    let head = first.head.replace(&first.session, SESSION);
    writeln!(file, "{head}")?;
    counters.bytes += head.len() as u64 + 1;
    counters.lines += 1;
    let (mut code_mode, mut direct_calls) = (code_mode.iter().cycle(), direct_calls.iter().cycle());
    while counters.bytes < bytes {
        let wants_code_mode = !direct && counters.code_mode_turns * CODE_MODE_SHARE <= counters.turns;
        let from = if wants_code_mode { &mut code_mode } else { &mut direct_calls };
        let template = from.next().context("there is no capture of the kind")?;
        template.write(&mut file, &mut counters)?;
    }
    file.flush()?;
    let Counters { bytes, lines, turns, code_mode_turns, scripts, .. } = counters;
    Ok(
        json!({ "bytes": bytes, "lines": lines, "turns": turns, "code_mode_turns": code_mode_turns, "scripts": scripts }),
    )
}

fn start_of(line: &str) -> Result<i64> {
    let row: Value = serde_json::from_str(line)?;
    let time = row["timestamp"].as_str().context("a line has no timestamp")?;
    Ok(time.parse::<Timestamp>()?.as_millis())
}

fn template(capture: &Capture) -> Result<Template> {
    let times = capture.lines.iter().map(|line| start_of(line)).collect::<Result<Vec<_>>>()?;
    let start = times.iter().copied().min().context("a capture is empty")?;
    let end = times.iter().copied().max().unwrap_or(start);
    let mut uuids = Uuids { session: &capture.session, known: HashMap::new(), list: Vec::new() };
    let lines = capture.lines.iter().map(|line| pieces(line, start, &mut uuids)).collect();
    Ok(Template {
        lines,
        uuids: uuids.list,
        duration_ms: end - start,
        turns: capture.turns,
        scripts: capture.scripts.len() as u64,
    })
}

/// The UUIDs of a capture, by number.
struct Uuids<'a> {
    session: &'a str,
    known: HashMap<String, usize>,
    list: Vec<String>,
}

impl Uuids<'_> {
    fn piece(&mut self, uuid: &str) -> Piece {
        if uuid == self.session {
            return Piece::Session;
        }
        let next = self.list.len();
        let number = *self.known.entry(uuid.to_owned()).or_insert(next);
        if number == next {
            self.list.push(uuid.to_owned());
        }
        Piece::Uuid(number)
    }
}

/// Cuts a line where a repetition differs.
fn pieces(line: &str, start: i64, uuids: &mut Uuids<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let Some((piece, key, value)) = special(rest, start, uuids) else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        // The key of a number is text.
        text.push_str(&rest[..key]);
        pieces.extend([Piece::Text(std::mem::take(&mut text)), piece]);
        rest = &rest[key + value..];
    }
    pieces.push(Piece::Text(text));
    pieces
}

/// What stands at the beginning of `rest`, if it differs between repetitions, and the lengths of its key and its value.
fn special(rest: &str, start: i64, uuids: &mut Uuids<'_>) -> Option<(Piece, usize, usize)> {
    if let Some(uuid) = rest.get(..UUID).filter(|text| is_uuid(text)) {
        return Some((uuids.piece(uuid), 0, UUID));
    }
    if let Some(value) = rest.strip_prefix("\"timestamp\":\"") {
        let time = value.split('"').next()?;
        let at = time.parse::<Timestamp>().ok()?.as_millis() - start;
        return Some((Piece::Time(at), rest.len() - value.len(), time.len()));
    }
    let (key, value) = NUMBERS.iter().find_map(|key| Some((*key, rest.strip_prefix(key)?)))?;
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let number: i64 = value[..digits].parse().ok()?;
    let piece = match key {
        ORDINAL => Piece::Ordinal,
        STARTED_MS | COMPLETED_MS => Piece::Millis(number - start),
        _ => Piece::Seconds(number - start.div_euclid(1000)),
    };
    Some((piece, key.len(), digits))
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

impl Template {
    fn write(&self, out: &mut impl Write, counters: &mut Counters) -> io::Result<()> {
        let mut line = Vec::new();
        for pieces in &self.lines {
            line.clear();
            for piece in pieces {
                self.piece(piece, counters, &mut line)?;
            }
            line.push(b'\n');
            out.write_all(&line)?;
            counters.bytes += line.len() as u64;
            counters.lines += 1;
            counters.ordinal += 1;
        }
        counters.uuid += self.uuids.len() as u64;
        counters.clock += self.duration_ms + PAUSE_MS;
        counters.turns += self.turns;
        counters.scripts += self.scripts;
        counters.code_mode_turns += if self.scripts > 0 { self.turns } else { 0 };
        Ok(())
    }

    fn piece(&self, piece: &Piece, counters: &Counters, line: &mut Vec<u8>) -> io::Result<()> {
        match piece {
            Piece::Text(text) => line.extend_from_slice(text.as_bytes()),
            Piece::Session => line.extend_from_slice(SESSION.as_bytes()),
            Piece::Uuid(number) => {
                let uuid = self.uuids.get(*number).map_or("", String::as_str);
                let head = uuid.get(..UUID - UUID_TAIL).unwrap_or_default();
                write!(line, "{head}{:0UUID_TAIL$x}", counters.uuid + *number as u64)?;
            }
            // The session's own line is 0.
            Piece::Ordinal => write!(line, "{}", counters.ordinal + 1)?,
            Piece::Time(at) => write!(line, "{}", Timestamp::from_millis(counters.clock + at))?,
            Piece::Millis(at) => write!(line, "{}", counters.clock + at)?,
            Piece::Seconds(at) => write!(line, "{}", counters.clock.div_euclid(1000) + at)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: &str = "01a22d78-a3f4-73a3-beb9-f126e161a424";
    const SELF: &str = "01a22d78-a271-7212-86d1-e90399e5dd5e";

    fn captured() -> Capture {
        let lines = [
            r#"{"timestamp":"2026-11-30T17:20:10.500Z","ordinal":7,"payload":{"type":"task_started","turn_id":"TURN","thread_id":"SELF","started_at":1796059210,"text":"\"ordinal\":12 日本 \"timestamp\":\"x"}}"#,
            r#"{"timestamp":"2026-11-30T17:20:11.900Z","ordinal":8,"payload":{"id":"exec-2e6dc1f7-d499-4c9b-99c6-12fdefd1b89c","turn_id":"TURN","completed_at_ms":1796059211900,"call_id":"call_000_0"}}"#,
        ];
        Capture {
            session: SELF.to_owned(),
            head: String::new(),
            lines: lines.iter().map(|line| line.replace("TURN", TURN).replace("SELF", SELF)).collect(),
            turns: 1,
            scripts: Vec::new(),
        }
    }

    #[test]
    fn a_repetition_differs_in_its_ids_and_times_alone() {
        let template = template(&captured()).unwrap();
        assert_eq!((template.duration_ms, template.uuids.len()), (1400, 2));
        let mut counters = Counters { clock: start_of(&captured().lines[0]).unwrap(), ..Counters::default() };
        let mut out = Vec::new();
        template.write(&mut out, &mut counters).unwrap();
        template.write(&mut out, &mut counters).unwrap();
        let lines: Vec<String> = String::from_utf8(out).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                r#"{"timestamp":"2026-11-30T17:20:10.500Z","ordinal":1,"payload":{"type":"task_started","turn_id":"01a22d78-a3f4-73a3-beb9-000000000000","thread_id":"SELF","started_at":1796059210,"text":"\"ordinal\":12 日本 \"timestamp\":\"x"}}"#,
                r#"{"timestamp":"2026-11-30T17:20:11.900Z","ordinal":2,"payload":{"id":"exec-2e6dc1f7-d499-4c9b-99c6-000000000001","turn_id":"01a22d78-a3f4-73a3-beb9-000000000000","completed_at_ms":1796059211900,"call_id":"call_000_0"}}"#,
                r#"{"timestamp":"2026-11-30T17:20:12.900Z","ordinal":3,"payload":{"type":"task_started","turn_id":"01a22d78-a3f4-73a3-beb9-000000000002","thread_id":"SELF","started_at":1796059212,"text":"\"ordinal\":12 日本 \"timestamp\":\"x"}}"#,
                r#"{"timestamp":"2026-11-30T17:20:14.300Z","ordinal":4,"payload":{"id":"exec-2e6dc1f7-d499-4c9b-99c6-000000000003","turn_id":"01a22d78-a3f4-73a3-beb9-000000000002","completed_at_ms":1796059214300,"call_id":"call_000_0"}}"#,
            ]
            .map(|line| line.replace("SELF", SESSION))
        );
        assert_eq!((counters.lines, counters.turns, counters.ordinal), (4, 2, 4));
        assert_eq!(counters.bytes, lines.iter().map(|line| line.len() as u64 + 1).sum::<u64>());
    }

    #[test]
    fn a_third_of_the_turns_are_in_code_mode_unless_direct_calls_are_wanted() {
        let direct = captured();
        let code_mode = Capture { scripts: vec!["text(1)".to_owned()], ..captured() };
        let head = direct.lines[0].clone();
        let captures = Captures(vec![Capture { head, ..direct }, code_mode]);
        let file = tempfile::NamedTempFile::new().unwrap();
        for (only_direct, code_mode_turns) in [(false, 4), (true, 0)] {
            let told = write(&captures, file.path(), 6000, only_direct).unwrap();
            assert_eq!(
                (&told["turns"], &told["code_mode_turns"]),
                (&json!(12), &json!(code_mode_turns)),
                "{told}"
            );
            assert_eq!(told["bytes"], json!(file.path().metadata().unwrap().len()));
        }
    }
}
