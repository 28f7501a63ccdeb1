//! From lines to records, and from records to turns, in process.

use anyhow::Result;
use serde::Deserialize;

use super::report::{Cell, Column, Table};
use super::{MB, Setting, answer, complain};

const COLUMNS: &[Column] = &[
    ("step", "step"),
    ("milliseconds", "ms"),
    ("records_per_second", "records/s"),
    ("megabytes_per_second", "MB/s of log"),
    ("share", "share"),
];

#[derive(Debug, Deserialize)]
struct Measured {
    records: u64,
    bytes: u64,
    read_ns: u64,
    reduce_ns: u64,
}

pub(super) fn run(setting: &Setting<'_>) -> Result<Table> {
    complain("== records: reading and reducing the recorded logs");
    let measured: Measured = answer(&mut setting.bench(&["records"]))?;
    let all = (measured.read_ns + measured.reduce_ns) as f64;
    let row = |step: &str, ns: u64| {
        let seconds = ns as f64 / 1e9;
        vec![
            Cell::text(step),
            Cell::Number(seconds * 1e3, 2),
            Cell::Number(measured.records as f64 / seconds, 0),
            Cell::Number(measured.bytes as f64 / MB as f64 / seconds, 0),
            Cell::Number(ns as f64 / all, 2),
        ]
    };
    Ok(Table {
        name: "records",
        title: format!(
            "{} records of {} bytes of recorded logs, in one thread",
            measured.records, measured.bytes
        ),
        columns: COLUMNS,
        rows: vec![row("lines to records", measured.read_ns), row("records to turns", measured.reduce_ns)],
        notes: vec![
            "the median of repetitions over 2 s; scripts are read on the way to records".to_owned(),
            "the reducer's time is without that of the copies that it takes".to_owned(),
        ],
    })
}
