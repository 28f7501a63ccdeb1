//! Patches: the `apply_patch` envelope, the changes that an agent has recorded, and how both are shown.
//!
//! The envelope's grammar is that of Codex's `apply_patch` tool. Everything here is text in, values out; paths
//! are strings of either style and no file is ever looked at.
//!
//! | module | owns |
//! |---|---|
//! | `path` | paths relative to a call's own directory |
//! | `language` | the fence language of a file |
//! | `recorded` | recorded changes and their diff |

mod language;
mod path;
mod recorded;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use language::{common_language, language};
pub use path::relative_to;
pub use recorded::{Change, RecordedChange, diff, sort_changes};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// What a patch does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchAction {
    /// The file is new.
    Add,
    /// The file is changed in place.
    Update,
    /// The file is gone.
    Delete,
    /// The file gets another path, and perhaps changes.
    Move,
}

/// A file in a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchFile {
    /// The path as the patch gives it; of a move, the old one.
    pub path: String,
    /// What happens to it.
    pub action: PatchAction,
    /// The new path of a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// How many lines are added, as far as the source tells.
    #[serde(default)]
    pub added: u64,
    /// How many lines are removed, as far as the source tells.
    #[serde(default)]
    pub removed: u64,
}

impl PatchFile {
    /// A file with nothing counted yet.
    pub fn new(path: impl Into<String>, action: PatchAction) -> Self {
        Self { path: path.into(), action, to: None, added: 0, removed: 0 }
    }

    /// The path it has afterwards: the new one of a move, else its own.
    pub fn current_path(&self) -> &str {
        self.to.as_deref().unwrap_or(&self.path)
    }
}

/// A patch text in the `apply_patch` envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchEnvelope {
    /// The files, in the order of the text; a file that is named twice stands twice.
    pub files: Vec<PatchFile>,
    /// Whether `*** End Patch` was there. A text that was cut has none.
    pub complete: bool,
}

impl PatchEnvelope {
    /// Reads a patch text. Nothing if it holds no `*** Begin Patch` line.
    ///
    /// Lenient like the tool itself: text before the first line and after the last one is ignored, as are blanks
    /// around these two and CR line ends; what is wrong inside a file's hunks is not judged here.
    ///
    /// ```
    /// # use larkspan_core::patch::{PatchAction, PatchEnvelope};
    /// let text = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n+z\n*** End Patch";
    /// let patch = PatchEnvelope::parse(text).unwrap();
    /// assert_eq!(patch.files[0].action, PatchAction::Move);
    /// assert_eq!(patch.files[0].to.as_deref(), Some("b.rs"));
    /// assert_eq!((patch.files[0].added, patch.files[0].removed), (2, 1));
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        lines.by_ref().find(|line| line.trim() == BEGIN)?;
        let mut patch = Self { files: Vec::new(), complete: false };
        for line in lines {
            if line.trim() == END {
                patch.complete = true;
                break;
            }
            patch.line(line);
        }
        Some(patch)
    }

    fn line(&mut self, line: &str) {
        // Inside a changed file a leading blank makes a line context, not a header.
        let in_hunks = self.files.last().is_some_and(|file| match file.action {
            PatchAction::Update | PatchAction::Move => true,
            PatchAction::Add | PatchAction::Delete => false,
        });
        let header = if in_hunks { line } else { line.trim_start() };
        let path = |prefix: &str| header.strip_prefix(prefix).map(str::trim);
        if let Some(path) = path("*** Add File:") {
            self.files.push(PatchFile::new(path, PatchAction::Add));
        } else if let Some(path) = path("*** Update File:") {
            self.files.push(PatchFile::new(path, PatchAction::Update));
        } else if let Some(path) = path("*** Delete File:") {
            self.files.push(PatchFile::new(path, PatchAction::Delete));
        } else if let Some(file) = self.files.last_mut() {
            if let (PatchAction::Update, Some(to)) = (file.action, path("*** Move to:")) {
                file.action = PatchAction::Move;
                file.to = Some(to.to_owned());
            } else if line.starts_with('+') {
                file.added += 1;
            } else if line.starts_with('-') {
                file.removed += 1;
            }
        }
    }
}

/// The files that `apply_patch` names when it has succeeded: the `A`, `M` and `D` lines below its success line.
///
/// A move is reported as `M` with the new path, so it is an update here.
///
/// ```
/// # use larkspan_core::patch::files_from_stdout;
/// let files = files_from_stdout("Success. Updated the following files:\nA notes.txt\nM src/a.py\n");
/// assert_eq!(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["notes.txt", "src/a.py"]);
/// ```
pub fn files_from_stdout(stdout: &str) -> Vec<PatchFile> {
    let mut lines = stdout.lines();
    if !lines.by_ref().any(|line| line.trim_end().ends_with("Updated the following files:")) {
        return Vec::new();
    }
    lines
        .map_while(|line| {
            let (letter, path) = line.split_once(' ')?;
            let action = match letter {
                "A" => PatchAction::Add,
                "M" => PatchAction::Update,
                "D" => PatchAction::Delete,
                _ => return None,
            };
            Some(PatchFile::new(path.trim(), action))
        })
        .collect()
}
