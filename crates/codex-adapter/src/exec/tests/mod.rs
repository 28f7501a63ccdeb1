//! Tests of the reader as a whole. Each file is one table; a row is a script and what it must yield.

mod calls;
mod golden;
mod inputs;
mod marks;
mod prints;
mod properties;
mod real;
mod statements;
mod values;

use std::fmt::Write as _;

use super::{PrintKind, PrintValue, ReadOutcome, ScriptReading, StaticArg, StaticValue, read};

/// A value in one line: JSON where it is told, ‹source› where it is not, with what is told of a string behind it.
fn show_value(value: &StaticValue) -> String {
    match value {
        StaticValue::Json(value) => value.to_string(),
        StaticValue::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", show_value(value))).collect();
            format!("{{{}}}", members.join(","))
        }
        StaticValue::Array(items) => {
            let items: Vec<String> = items.iter().map(show_value).collect();
            format!("[{}]", items.join(","))
        }
        StaticValue::Unresolved { source, partial: None } => format!("‹{source}›"),
        StaticValue::Unresolved { source, partial: Some(partial) } => format!("‹{source}›={partial:?}"),
    }
}

/// The calls, one a line: tool, argument, marks.
fn show_calls(reading: &ScriptReading) -> String {
    let mut lines = String::new();
    for call in &reading.calls {
        let argument = match &call.argument {
            StaticArg::None => "()".to_owned(),
            StaticArg::Value(value) => show_value(value),
        };
        write!(lines, "{} {argument}", call.tool).unwrap();
        let marks = [
            (call.maybe, "maybe"),
            (call.repeat, "repeat"),
            (call.unawaited, "unawaited"),
            (call.certain, "certain"),
        ];
        for (marked, name) in marks {
            if marked {
                write!(lines, " {name}").unwrap();
            }
        }
        lines.push('\n');
    }
    lines
}

/// The prints, one a line.
fn show_prints(reading: &ScriptReading) -> String {
    let mut lines = String::new();
    for print in &reading.prints {
        let kind = match print.kind {
            PrintKind::Text => "text",
            PrintKind::Image => "image",
            PrintKind::Notify => "notify",
        };
        let value = match print.value {
            PrintValue::CallResult { call } => format!("result {call}"),
            PrintValue::Output { call } => format!("output {call}"),
            PrintValue::Other => "other".to_owned(),
        };
        writeln!(lines, "{kind} {value}{}", if print.certain { " certain" } else { "" }).unwrap();
    }
    lines
}

/// Checks a table of scripts against the calls they must yield; every row that differs is reported.
fn check_calls(table: &[(&str, &str)]) {
    check(table, |source| {
        let reading = read(source);
        match &reading.outcome {
            ReadOutcome::Parsed => show_calls(&reading),
            outcome @ (ReadOutcome::NotJavaScript { .. } | ReadOutcome::BoundExceeded { .. }) => {
                format!("{outcome:?}\n")
            }
        }
    });
}

fn check(table: &[(&str, &str)], show: impl Fn(&str) -> String) {
    let mut wrong = String::new();
    for (source, expected) in table {
        let expected: String = expected.lines().flat_map(|line| [line.trim(), "\n"]).collect();
        let found = show(source);
        if found != expected {
            write!(wrong, "\n--- {source}\nexpected:\n{expected}found:\n{found}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
