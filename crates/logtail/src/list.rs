//! Owns the search for log files below a folder.
//!
//! Guarantees: ends on any tree (loops of symbolic links, bind mounts, millions of files), with bounded
//! memory; a folder that cannot be read costs its own files only.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Error;
use crate::file::plain_twin;

/// How many folders deep is searched. Agents go four deep (`sessions/2026/01/31`).
const MAX_DEPTH: usize = 16;

/// How many names are looked at in one search.
const MAX_NAMES: usize = 1_000_000;

/// How many problems are kept to be reported.
const MAX_PROBLEMS: usize = 100;

/// A log file found by [`list_files`]. The order is by time, then by path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    /// When it was last written.
    pub modified: SystemTime,
    /// Where it is: the folder asked for, and what lies below.
    pub path: PathBuf,
    /// Its length in bytes; of a compressed log, the compressed length.
    pub len: u64,
}

/// What [`list_files`] found.
#[derive(Debug, Default)]
pub struct Listing {
    /// The newest files first; of the same age, the last by name first.
    pub files: Vec<FoundFile>,
    /// Folders and files that could not be looked at (the first hundred).
    pub problems: Vec<Error>,
    /// Whether the tree was too deep or too large to be searched to its end.
    pub is_partial: bool,
}

/// The at most `limit` newest regular files below the folder `root` that `accept` takes.
///
/// `accept` is asked about the plain name (`X.jsonl` for `X.jsonl.zst`). A compressed log beside its plain
/// twin is left out. Symbolic links are followed; every folder is searched once. A missing or unreadable
/// `root` is a problem like any other.
///
/// Blocks on the file system: about 5 µs a file.
pub fn list_files(root: &Path, accept: impl Fn(&Path) -> bool, limit: usize) -> Listing {
    let mut listing = Listing::default();
    // The oldest on top, to be thrown out first.
    let mut newest = BinaryHeap::new();
    let wanted = |path: &Path| match plain_twin(path) {
        Some(plain) => accept(&plain) && !fs::metadata(&plain).is_ok_and(|metadata| metadata.is_file()),
        None => accept(path),
    };
    let found = |path: PathBuf, metadata: &Metadata| {
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        newest.push(Reverse(FoundFile { modified, path, len: metadata.len() }));
        if newest.len() > limit {
            newest.pop();
        }
    };
    let problems = &mut listing.problems;
    let problem = |path: &Path, error| {
        if problems.len() < MAX_PROBLEMS {
            problems.push(Error::from_io(path, error));
        }
    };
    listing.is_partial = walk(root, wanted, found, problem) == Walked::Partly;
    listing.files = newest.into_sorted_vec().into_iter().map(|Reverse(file)| file).collect();
    listing
}

/// How far a walk came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walked {
    Everything,
    Partly,
}

/// Visits every regular file below `root` that is `wanted`.
pub(crate) fn walk(
    root: &Path,
    wanted: impl Fn(&Path) -> bool,
    mut found: impl FnMut(PathBuf, &Metadata),
    mut problem: impl FnMut(&Path, io::Error),
) -> Walked {
    let mut walked = Walked::Everything;
    let mut names = 0;
    let mut visited = HashSet::new();
    let mut folders = vec![(root.to_path_buf(), 0)];
    // Linked folders come last: a folder that is also reachable without a link is listed under that name.
    let mut linked = Vec::new();
    while let Some((folder, depth)) = folders.pop().or_else(|| linked.pop()) {
        let entries = match folder_key(&folder)
            .and_then(|key| if visited.insert(key) { fs::read_dir(&folder).map(Some) } else { Ok(None) })
        {
            Ok(Some(entries)) => entries,
            Ok(None) => continue,
            Err(error) => {
                problem(&folder, error);
                continue;
            }
        };
        for entry in entries {
            names += 1;
            if names > MAX_NAMES {
                return Walked::Partly;
            }
            let looked = entry.and_then(|entry| look(&entry, &wanted));
            match looked {
                Ok(Entry::File(path, metadata)) => found(path, &metadata),
                Ok(Entry::Folder(_) | Entry::LinkedFolder(_)) if depth == MAX_DEPTH => {
                    walked = Walked::Partly;
                }
                Ok(Entry::Folder(path)) => folders.push((path, depth + 1)),
                Ok(Entry::LinkedFolder(path)) => linked.push((path, depth + 1)),
                Ok(Entry::Other) => {}
                // Deleted since it was listed, or a link to nothing.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => problem(&folder, error),
            }
        }
    }
    walked
}

enum Entry {
    File(PathBuf, Metadata),
    Folder(PathBuf),
    LinkedFolder(PathBuf),
    /// Not wanted, or neither file nor folder.
    Other,
}

fn look(entry: &DirEntry, wanted: impl Fn(&Path) -> bool) -> io::Result<Entry> {
    let path = entry.path();
    let kind = entry.file_type()?;
    if kind.is_dir() {
        return Ok(Entry::Folder(path));
    }
    let may_be_file = kind.is_file() || kind.is_symlink();
    let is_wanted = may_be_file && wanted(&path);
    // Whether a link leads to a folder is only known once it is followed.
    if !is_wanted && !kind.is_symlink() {
        return Ok(Entry::Other);
    }
    let metadata = fs::metadata(&path)?;
    Ok(if metadata.is_dir() {
        Entry::LinkedFolder(path)
    } else if metadata.is_file() && is_wanted {
        Entry::File(path, metadata)
    } else {
        Entry::Other
    })
}

/// What tells one folder from another, whichever way it was reached.
#[cfg(unix)]
fn folder_key(path: &Path) -> io::Result<crate::cursor::FileId> {
    fs::metadata(path).map(|metadata| crate::cursor::FileId::of(&metadata))
}

/// What tells one folder from another, whichever way it was reached.
#[cfg(not(unix))]
fn folder_key(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}
