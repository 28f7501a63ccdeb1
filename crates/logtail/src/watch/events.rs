//! Owns the subscription to the operating system's file events.
//!
//! A file is watched through its folder: a watch on the file itself would stay with the old file when another
//! takes its name.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::{Kind, Roots, Shared, Sources};
use crate::cursor::FileId;
use crate::file::twins;

/// The events that matter, by real path.
#[derive(Debug, Default)]
pub(super) struct Interest {
    pub(super) files: HashSet<PathBuf>,
    pub(super) folders: Vec<PathBuf>,
}

impl Interest {
    /// Whether an event tells of a change of something watched. Reading is no change; ours would wake us for
    /// ever.
    pub(super) fn matters(&self, event: &Event) -> bool {
        let is_reading =
            matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
        let is_watched = |path: &PathBuf| {
            self.files.contains(path) || self.folders.iter().any(|folder| path.starts_with(folder))
        };
        event.need_rescan() || (!is_reading && event.paths.iter().any(is_watched))
    }
}

/// Which folder it is. The time tells a new one from an old one whose inode it got.
type FolderId = (FileId, Option<SystemTime>);

/// What is or should be subscribed to: by real path, how, and which folder that is.
type Subscriptions = BTreeMap<PathBuf, (RecursiveMode, Option<FolderId>)>;

/// The file events subscribed to.
pub(super) struct Events {
    /// None if there are no file events to be had.
    watcher: Option<RecommendedWatcher>,
    /// The folders that events are wanted from, as named by the roots, and what stood there when they were
    /// subscribed to.
    folders: BTreeMap<PathBuf, Option<FolderId>>,
    subscribed: Subscriptions,
}

impl Events {
    pub(super) fn new(shared: &Arc<Shared>, sources: Sources) -> Self {
        let watcher = match sources {
            #[cfg(test)]
            Sources::ChecksAlone => None,
            Sources::EventsAndChecks => {
                let target = Arc::clone(shared);
                notify::recommended_watcher(move |event| target.on_event(event))
                    .inspect_err(|error| shared.warn(error))
                    .ok()
            }
        };
        Self { watcher, folders: BTreeMap::new(), subscribed: Subscriptions::new() }
    }

    /// Subscribes to what `roots` need, if they are new, or if one of their folders came, went, or was
    /// replaced.
    pub(super) fn follow(&mut self, roots: &Roots, roots_changed: bool, shared: &Shared) {
        let Some(watcher) = &mut self.watcher else { return };
        if !roots_changed && self.folders.iter().all(|(folder, id)| folder_id(folder) == *id) {
            return;
        }

        let mut wanted = Subscriptions::new();
        let mut interest = Interest::default();
        self.folders.clear();
        for (root, kind) in roots {
            let folder = match kind {
                Kind::File => root.parent().unwrap_or(root),
                Kind::Folder => root,
            };
            let id = *self.folders.entry(folder.to_path_buf()).or_insert_with(|| folder_id(folder));
            let Ok(real) = fs::canonicalize(folder) else { continue };
            match kind {
                Kind::File => {
                    let (plain, packed) = twins(&real.join(root.file_name().unwrap_or_default()));
                    interest.files.extend([plain, packed]);
                    wanted.entry(real).or_insert((RecursiveMode::NonRecursive, id));
                }
                Kind::Folder => {
                    interest.folders.push(real.clone());
                    wanted.insert(real, (RecursiveMode::Recursive, id));
                }
            }
        }
        // Subscribing to a folder within a folder that is subscribed to as a whole would take it out of the
        // whole.
        wanted
            .retain(|path, _| !interest.folders.iter().any(|whole| path != whole && path.starts_with(whole)));
        shared.lock().interest = interest;

        self.subscribed.retain(|path, subscribed| {
            let stays = wanted.get(path) == Some(subscribed);
            if !stays {
                // A folder that went has ended its subscription itself, so a refusal means nothing.
                drop(watcher.unwatch(path));
            }
            stays
        });
        for (path, subscription) in wanted {
            if let Entry::Vacant(entry) = self.subscribed.entry(path) {
                match watcher.watch(entry.key(), subscription.0) {
                    Ok(()) => {
                        entry.insert(subscription);
                    }
                    Err(error) => shared.warn(&error),
                }
            }
        }
    }
}

fn folder_id(path: &Path) -> Option<FolderId> {
    let metadata = fs::metadata(path).ok()?;
    Some((FileId::of(&metadata), metadata.created().ok()))
}
