//! The lines of patches told apart.
//!
//! Two notations are known: the unified diff (as `diff -u` and git write it) and the `apply_patch` envelope of Codex.
//! Lines are told apart by how they begin, and in a diff also by the counts of its hunk: a removed line that itself
//! begins with `--` is no file header.

use std::iter::Peekable;
use std::str::Lines;

/// How a patch is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// A unified diff.
    Unified,
    /// An `apply_patch` envelope, perhaps within other text, such as the command that carries it.
    Envelope,
}

impl Notation {
    /// How this is written, if it is a patch.
    pub(super) fn of(language: &str, body: &str) -> Option<Self> {
        if body.lines().any(begins_envelope) {
            Some(Self::Envelope)
        } else if matches!(language, "diff" | "patch") || body.starts_with("diff --git ") {
            Some(Self::Unified)
        } else {
            None
        }
    }
}

fn begins_envelope(line: &str) -> bool {
    line.trim_end() == "*** Begin Patch"
}

/// What a line of a patch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Neither of the others.
    Context,
    Added,
    Removed,
    /// Names a file, or what happens to it.
    File,
    /// Begins a hunk.
    Hunk,
    /// A remark, such as the missing end of the last line.
    Remark,
}

impl LineKind {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Context => "ctx",
            Self::Added => "add",
            Self::Removed => "del",
            Self::File => "file",
            Self::Hunk => "hunk",
            Self::Remark => "remark",
        }
    }
}

/// Where in a patch a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Around an envelope.
    Outside,
    /// In an envelope.
    Envelope,
    /// Before a hunk of a diff, or in one that names no counts.
    Open,
    /// After the old file's name: the new one's follows.
    OldNamed,
    /// In a hunk that still has this many lines of the old and of the new file.
    Hunk { old: u64, new: u64 },
}

pub(super) struct PatchLines<'a> {
    lines: Peekable<Lines<'a>>,
    place: Place,
}

impl<'a> PatchLines<'a> {
    pub(super) fn new(notation: Notation, body: &'a str) -> Self {
        let place = match notation {
            Notation::Unified => Place::Open,
            Notation::Envelope => Place::Outside,
        };
        Self { lines: body.lines().peekable(), place }
    }

    fn kind(&mut self, line: &str) -> LineKind {
        match self.place {
            Place::Outside if begins_envelope(line) => {
                self.place = Place::Envelope;
                LineKind::File
            }
            Place::Outside => LineKind::Context,
            Place::Envelope => self.in_envelope(line),
            Place::Hunk { old, new } => self.in_hunk(line, old, new),
            Place::OldNamed => {
                self.place = Place::Open;
                LineKind::File
            }
            Place::Open => self.in_open(line),
        }
    }

    fn in_envelope(&mut self, line: &str) -> LineKind {
        if line.trim_end() == "*** End Patch" {
            self.place = Place::Outside;
        }
        match line.as_bytes() {
            [b'*', b'*', b'*', ..] => LineKind::File,
            [b'@', b'@', ..] => LineKind::Hunk,
            [b'+', ..] => LineKind::Added,
            [b'-', ..] => LineKind::Removed,
            _ => LineKind::Context,
        }
    }

    fn in_hunk(&mut self, line: &str, old: u64, new: u64) -> LineKind {
        let (kind, left) = match line.as_bytes().first() {
            Some(b'+') => (LineKind::Added, new.checked_sub(1).map(|new| (old, new))),
            Some(b'-') => (LineKind::Removed, old.checked_sub(1).map(|old| (old, new))),
            Some(b'\\') => (LineKind::Remark, Some((old, new))),
            // Some tools drop the blank that begins an empty line.
            Some(b' ') | None => (LineKind::Context, old.checked_sub(1).zip(new.checked_sub(1))),
            Some(_) => (LineKind::Context, None),
        };
        match left {
            Some((0, 0)) => self.place = Place::Open,
            Some((old, new)) => self.place = Place::Hunk { old, new },
            // The counts were wrong.
            None => return self.in_open(line),
        }
        kind
    }

    fn in_open(&mut self, line: &str) -> LineKind {
        self.place = Place::Open;
        if line.starts_with("@@") {
            if let Some((old, new)) = hunk_counts(line)
                && old.max(new) > 0
            {
                self.place = Place::Hunk { old, new };
            }
            return LineKind::Hunk;
        }
        if line.starts_with("--- ") && self.lines.peek().is_some_and(|next| next.starts_with("+++ ")) {
            self.place = Place::OldNamed;
            return LineKind::File;
        }
        match line.as_bytes().first() {
            Some(b'+') => LineKind::Added,
            Some(b'-') => LineKind::Removed,
            Some(b'\\') => LineKind::Remark,
            _ if GIT_HEADERS.iter().any(|header| line.starts_with(header)) => LineKind::File,
            _ => LineKind::Context,
        }
    }
}

/// How git's extended headers begin (`git help diff`, "Generating patch text with -p").
const GIT_HEADERS: [&str; 13] = [
    "diff --",
    "index ",
    "old mode ",
    "new mode ",
    "deleted file mode ",
    "new file mode ",
    "copy from ",
    "copy to ",
    "rename from ",
    "rename to ",
    "similarity index ",
    "dissimilarity index ",
    "Binary files ",
];

impl<'a> Iterator for PatchLines<'a> {
    type Item = (LineKind, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.lines.next()?;
        Some((self.kind(line), line))
    }
}

/// The numbers of lines that `@@ -1,2 +3,4 @@` names; one without a count has one line.
fn hunk_counts(line: &str) -> Option<(u64, u64)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    Some((count(old)?, count(new)?))
}
