//! What a command is for: the classification that titles show.

use super::deed::{Context, Summary, summarise};
use super::lines::LineRange;
use super::syntax::parse;

/// What a command does, as far as it can be told for certain.
///
/// A path is as it is written in the command (relative to its own directory, expansions unresolved). Where a
/// command names several files they stand in one string, with spaces between, quoted where needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// It shows a file.
    Read {
        /// The file.
        path: String,
        /// The lines it asks for; nothing if all, or if they have no numbers.
        lines: Option<LineRange>,
    },
    /// It lists files.
    Browse {
        /// Where; nothing for the working directory.
        path: Option<String>,
    },
    /// It searches in files.
    Search {
        /// The pattern; several are joined with `|`.
        query: String,
        /// Where; nothing for the working directory or unknown files.
        path: Option<String>,
    },
    /// It writes a file, and does nothing else that counts.
    Write {
        /// The file.
        path: String,
    },
    /// Anything else.
    Run,
}

/// What a command writes or changes, or may well change: an interpreter's program, an awk script that opens
/// files, `xargs` with a program that is not known to be harmless.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteEffect {
    /// It writes this file (`>`, `tee`, `sed -i`) and does nothing else that counts.
    File {
        /// The file.
        path: String,
    },
    /// It changes something else, or more than that.
    Other,
}

impl From<WriteEffect> for Action {
    fn from(effect: WriteEffect) -> Self {
        match effect {
            WriteEffect::File { path } => Self::Write { path },
            WriteEffect::Other => Self::Run,
        }
    }
}

/// Classifies a command line.
///
/// A command that changes something, or might, is never a read, a listing or a search; what is unclear is
/// [`Action::Run`].
///
/// ```
/// # use larkspan_core::shell::{Action, LineRange, classify};
/// let lines = Some(LineRange { first: 10, last: Some(20) });
/// assert_eq!(classify("nl -ba a.rs | sed -n '10,20p'"), Action::Read { path: "a.rs".into(), lines });
/// assert_eq!(classify("cat a > b"), Action::Write { path: "b".into() });
/// assert_eq!(classify("cargo test; ls"), Action::Run);
/// ```
pub fn classify(command: &str) -> Action {
    summary(command).action()
}

/// What a command writes or changes. Nothing does not mean that it is harmless, only that no such effect was
/// seen: the program may be one that we do not know.
pub fn write_effect(command: &str) -> Option<WriteEffect> {
    summary(command).effect()
}

/// Classifies a command for which the agent has recorded a classification of its own.
///
/// Our check for write effects comes first, then the record, then our classification. Where the record and ours
/// agree on the kind, ours is given, since it has the whole path and the lines.
pub fn classify_recorded(command: &str, recorded: Option<Action>) -> Action {
    let summary = summary(command);
    if let Some(effect) = summary.effect() {
        return effect.into();
    }
    let own = summary.action();
    match recorded {
        Some(recorded) if std::mem::discriminant(&recorded) != std::mem::discriminant(&own) => recorded,
        Some(_) | None => own,
    }
}

fn summary(command: &str) -> Summary {
    summarise(&parse(command), Context::default())
}
