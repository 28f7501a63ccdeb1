//! The changes that an agent has recorded for a patch, and the diff that shows them.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{PatchAction, PatchFile, relative_to};

/// A change to one file, as an agent has recorded it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedChange {
    /// The file; of a move, the old path.
    pub path: String,
    /// What happened to it.
    pub change: Change,
}

/// What happened to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Add {
        /// All of its text.
        #[serde(default)]
        content: String,
    },
    /// It is gone.
    Delete {
        /// All of the text that it had.
        #[serde(default)]
        content: String,
    },
    /// It is changed, moved, or both.
    Update {
        /// The hunks, with their `@@` lines and without file headers.
        #[serde(default)]
        unified_diff: String,
        /// Its new path, if it was moved.
        #[serde(default)]
        move_path: Option<String>,
    },
}

impl RecordedChange {
    /// The change as a file of a patch, its lines counted.
    pub fn file(&self) -> PatchFile {
        let count = |text: &str| text.lines().count() as u64;
        let new = |action| PatchFile::new(self.path.clone(), action);
        match &self.change {
            Change::Add { content } => PatchFile { added: count(content), ..new(PatchAction::Add) },
            Change::Delete { content } => PatchFile { removed: count(content), ..new(PatchAction::Delete) },
            Change::Update { unified_diff, move_path } => {
                let lines = || hunks(unified_diff).lines();
                PatchFile {
                    to: move_path.clone(),
                    added: lines().filter(|line| line.starts_with('+')).count() as u64,
                    removed: lines().filter(|line| line.starts_with('-')).count() as u64,
                    ..new(if move_path.is_some() { PatchAction::Move } else { PatchAction::Update })
                }
            }
        }
    }
}

/// Puts recorded changes into the order of `files` (a patch's own, or else that of its output); those that are
/// not among them follow by path. Paths are compared as seen from `workdir`, if it is known.
pub fn sort_changes(changes: &mut [RecordedChange], files: &[PatchFile], workdir: Option<&str>) {
    let seen = |path: &str| relative_to(path, workdir.unwrap_or_default());
    let named: Vec<(String, String)> =
        files.iter().map(|file| (seen(&file.path), seen(file.current_path()))).collect();
    changes.sort_by_cached_key(|change| {
        let old = seen(&change.path);
        let new = match &change.change {
            Change::Update { move_path: Some(to), .. } => seen(to),
            Change::Add { .. } | Change::Delete { .. } | Change::Update { move_path: None, .. } => {
                old.clone()
            }
        };
        // The output of a move names the new path only.
        let place = named.iter().position(|(path, current)| *path == old || *current == new);
        (place.unwrap_or(usize::MAX), old)
    });
}

/// Recorded changes as one unified diff, in the given order, with paths as seen from `workdir`.
///
/// ```
/// # use larkspan_core::patch::{Change, RecordedChange, diff};
/// let change = RecordedChange { path: "/w/a.txt".into(), change: Change::Add { content: "x\ny".into() } };
/// let expected = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n";
/// assert_eq!(diff(&[change], Some("/w")), expected);
/// ```
pub fn diff(changes: &[RecordedChange], workdir: Option<&str>) -> String {
    let seen = |path: &str| relative_to(path, workdir.unwrap_or_default());
    let mut text = String::new();
    for RecordedChange { path, change } in changes {
        let path = seen(path);
        match change {
            Change::Add { content } => {
                headers(&mut text, None, Some(&path));
                whole_file(&mut text, content, '+');
            }
            Change::Delete { content } => {
                headers(&mut text, Some(&path), None);
                whole_file(&mut text, content, '-');
            }
            Change::Update { unified_diff, move_path } => {
                let to = move_path.as_deref().map_or_else(|| path.clone(), seen);
                headers(&mut text, Some(&path), Some(&to));
                text.push_str(hunks(unified_diff));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

/// A diff without the file headers that it may begin with.
fn hunks(unified_diff: &str) -> &str {
    let has_headers = unified_diff.starts_with("--- ") || unified_diff.starts_with("diff ");
    match unified_diff.find("\n@@") {
        Some(at) if has_headers => unified_diff.get(at + 1..).unwrap_or_default(),
        Some(_) | None => unified_diff,
    }
}

fn headers(text: &mut String, old: Option<&str>, new: Option<&str>) {
    let side = |letter: char, path: Option<&str>| match path {
        None => "/dev/null".to_owned(),
        // An absolute path says all by itself.
        Some(path) if path.starts_with(['/', '\\']) || path.get(1..2) == Some(":") => path.to_owned(),
        Some(path) => format!("{letter}/{path}"),
    };
    let (old, new) = (side('a', old), side('b', new));
    // Writing to a string cannot fail.
    let _ = write!(text, "--- {old}\n+++ {new}\n");
}

/// One hunk that adds or removes every line.
fn whole_file(text: &mut String, content: &str, mark: char) {
    // A carriage return before the line feed belongs to the line.
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    if lines.is_empty() {
        return;
    }
    let range = if lines.len() == 1 { "1".to_owned() } else { format!("1,{}", lines.len()) };
    let _ = match mark {
        '+' => writeln!(text, "@@ -0,0 +{range} @@"),
        _ => writeln!(text, "@@ -{range} +0,0 @@"),
    };
    for line in lines {
        text.push(mark);
        text.push_str(line);
    }
    if !content.ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}
