//! Owns the periodic check: what stood at the watched paths, and whether something else stands there now.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Kind, Roots};
use crate::cursor::Stamp;
use crate::file::{stamp, twins};
use crate::list::walk;

/// A folder's checks take at most one part in this many of the time.
const SHARE: u32 = 500;

/// The longest time between two checks of a folder, however large.
const RAREST: Duration = Duration::from_secs(30);

/// What was seen at the last check.
pub(super) struct Polls {
    interval: Duration,
    files: BTreeMap<PathBuf, [Option<Stamp>; 2]>,
    folders: BTreeMap<PathBuf, Tree>,
}

/// What was seen of a folder.
struct Tree {
    sum: u64,
    due: Instant,
}

impl Polls {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, files: BTreeMap::new(), folders: BTreeMap::new() }
    }

    /// Whether one of `roots` is new or has changed since the last check.
    pub(super) fn check(&mut self, roots: &Roots) -> bool {
        self.files.retain(|path, _| roots.get(path) == Some(&Kind::File));
        self.folders.retain(|path, _| roots.get(path) == Some(&Kind::Folder));
        let mut changed = false;
        for (path, kind) in roots {
            changed |= match kind {
                Kind::File => self.check_file(path),
                Kind::Folder => self.check_folder(path),
            };
        }
        changed
    }

    fn check_file(&mut self, path: &Path) -> bool {
        let (plain, packed) = twins(path);
        // What cannot be looked at counts as missing: the reader will say why.
        let now = [plain, packed].map(|path| stamp(&path).ok().flatten());
        self.files.insert(path.to_path_buf(), now) != Some(now)
    }

    fn check_folder(&mut self, path: &Path) -> bool {
        let begin = Instant::now();
        let before = self.folders.get(path);
        if before.is_some_and(|tree| begin < tree.due) {
            return false;
        }
        let sum = sum(path);
        let changed = before.is_none_or(|tree| tree.sum != sum);
        let rest = (begin.elapsed() * SHARE).min(RAREST).max(self.interval);
        self.folders.insert(path.to_path_buf(), Tree { sum, due: Instant::now() + rest });
        changed
    }
}

/// A sum over all files below a folder, that differs when one of them does; the order in which they are
/// listed does not matter.
fn sum(folder: &Path) -> u64 {
    let mut sum = 0_u64;
    walk(
        folder,
        |_| true,
        |path, metadata| {
            let mut hasher = DefaultHasher::new();
            (path, Stamp::of(metadata)).hash(&mut hasher);
            sum = sum.wrapping_add(hasher.finish());
        },
        // What cannot be looked at counts as empty: the search for files will say why.
        |_, _| {},
    );
    sum
}
