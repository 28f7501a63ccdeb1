//! Tables: for a person in columns, for a program as one JSON object a row.

use serde_json::{Map, Value, json};

/// A column: its key in JSON, and its title.
pub(super) type Column = (&'static str, &'static str);

/// What a benchmark found.
#[derive(Debug)]
pub(super) struct Table {
    /// Its key in JSON.
    pub(super) name: &'static str,
    pub(super) title: String,
    pub(super) columns: &'static [Column],
    /// Each as long as `columns`.
    pub(super) rows: Vec<Vec<Cell>>,
    /// How it was measured, and what could not be.
    pub(super) notes: Vec<String>,
}

/// An entry.
#[derive(Debug, Clone)]
pub(super) enum Cell {
    Text(String),
    /// With so many decimals.
    Number(f64, usize),
    /// Not measured.
    Nothing,
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number that may not have been measured.
    pub(super) fn number(value: Option<f64>, decimals: usize) -> Self {
        value.map_or(Self::Nothing, |value| Self::Number(value, decimals))
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(value, decimals) => format!("{value:.decimals$}"),
            Self::Nothing => "–".to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Number(value, decimals) => {
                let factor = 10_f64.powi(i32::try_from(*decimals).unwrap_or(0));
                json!((value * factor).round() / factor)
            }
            Self::Nothing => Value::Null,
        }
    }
}

/// A goal and whether it was reached: `≥ 80 met`, `< 64 MISSED`.
pub(super) fn goal(wanted: &str, reached: Option<bool>) -> Cell {
    Cell::text(match reached {
        Some(true) => format!("{wanted} met"),
        Some(false) => format!("{wanted} MISSED"),
        None => format!("{wanted} not measured"),
    })
}

impl Table {
    /// For a person: texts to the left, numbers to the right.
    pub(super) fn lines(&self) -> Vec<String> {
        let titles: Vec<Cell> = self.columns.iter().map(|(_, title)| Cell::text(*title)).collect();
        let width = |column: usize| {
            let cells = std::iter::once(&titles).chain(&self.rows).filter_map(|row| row.get(column));
            cells.map(|cell| cell.shown().chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let is_number = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).all(|cell| !matches!(cell, Cell::Text(_)))
        };
        let line = |row: &Vec<Cell>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                let shown = cell.shown();
                if is_number(column) { format!("{shown:>width$}") } else { format!("{shown:<width$}") }
            });
            format!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        let mut lines = vec![String::new(), format!("{}: {}", self.name, self.title), line(&titles)];
        lines.extend(self.rows.iter().map(line));
        lines.extend(self.notes.iter().map(|note| format!("  * {note}")));
        lines
    }

    /// For a program: a row a line, then the notes.
    pub(super) fn json(&self) -> Vec<String> {
        let rows = self.rows.iter().map(|row| {
            let cells = self.columns.iter().zip(row).map(|((key, _), cell)| ((*key).to_owned(), cell.json()));
            let mut object = Map::from_iter([("benchmark".to_owned(), json!(self.name))]);
            object.extend(cells);
            Value::Object(object).to_string()
        });
        let notes = json!({ "benchmark": self.name, "title": self.title, "notes": self.notes }).to_string();
        rows.chain([notes]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_and_its_json_has_the_same_numbers() {
        let table = Table {
            name: "history",
            title: "of two logs".to_owned(),
            columns: &[("log", "log"), ("rate", "MB/s"), ("goal", "goal")],
            rows: vec![
                vec![Cell::text("direct"), Cell::Number(151.26, 1), goal("≥ 150", Some(true))],
                vec![Cell::text("mixed"), Cell::Number(8.0, 1), goal("≥ 80", Some(false))],
                vec![Cell::text("none"), Cell::number(None, 1), goal("≥ 80", None)],
            ],
            notes: vec!["median of 3".to_owned()],
        };
        assert_eq!(
            table.lines(),
            [
                "",
                "history: of two logs",
                "  log      MB/s  goal",
                "  direct  151.3  ≥ 150 met",
                "  mixed     8.0  ≥ 80 MISSED",
                "  none        –  ≥ 80 not measured",
                "  * median of 3",
            ]
        );
        assert_eq!(
            table.json(),
            [
                r#"{"benchmark":"history","goal":"≥ 150 met","log":"direct","rate":151.3}"#,
                r#"{"benchmark":"history","goal":"≥ 80 MISSED","log":"mixed","rate":8.0}"#,
                r#"{"benchmark":"history","goal":"≥ 80 not measured","log":"none","rate":null}"#,
                r#"{"benchmark":"history","notes":["median of 3"],"title":"of two logs"}"#,
            ]
        );
    }
}
