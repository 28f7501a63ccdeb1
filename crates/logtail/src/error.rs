//! Owns what can go wrong with a log file. Each message says what happened, where, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither the file nor its compressed twin is there.
    #[error(
        "there is no log {path} (nor {path}.zst): check the path; the log may have been moved or deleted",
        path = path.display()
    )]
    Missing {
        /// The file asked for.
        path: PathBuf,
    },
    /// The path names a folder.
    #[error("{path} is a folder: name a log file in it", path = path.display())]
    IsDirectory {
        /// The folder.
        path: PathBuf,
    },
    /// The path names a pipe, a socket or a device; reading it could wait for ever.
    #[error(
        "{path} is a pipe, a socket or a device: only regular files can be followed",
        path = path.display()
    )]
    NotRegular {
        /// What was asked for.
        path: PathBuf,
    },
    /// The operating system refuses access.
    #[error(
        "no permission to read {path}: give this user read access to the file and its folders",
        path = path.display()
    )]
    Denied {
        /// The file or folder refused.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A compressed log is cut short or corrupt. The lines before the damage have been handed out.
    #[error(
        "the compressed log {path} is damaged after {offset} bytes of text and cannot be read any further: \
         restore the file, or look at it with `zstd --test`",
        path = path.display()
    )]
    Damaged {
        /// The compressed file.
        path: PathBuf,
        /// How many bytes of text could be decoded from the start.
        offset: u64,
        /// The decoder's answer.
        source: io::Error,
    },
    /// Anything else the operating system reports.
    #[error(
        "reading {path} failed: check the disk or the network mount, then try again",
        path = path.display()
    )]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
}

impl Error {
    /// Sorts the operating system's answer about `path`.
    pub(crate) fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        if is_missing(&source) {
            Self::Missing { path }
        } else if source.kind() == io::ErrorKind::PermissionDenied {
            Self::Denied { path, source }
        } else if source.kind() == io::ErrorKind::IsADirectory {
            Self::IsDirectory { path }
        } else {
            Self::Io { path, source }
        }
    }
}

/// Whether the operating system says that nothing stands at a path: no such name, or a parent that is no
/// folder.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
