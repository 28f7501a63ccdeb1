//! Owns the saved position in a log and how it is recognised again.
//!
//! Invariant: a log is its content. The bytes around a position say whether a file continues the log that was
//! read; the inode only helps to say what happened when it does not. So a position survives compression,
//! decompression and a copy to another disk, and an overwritten file is noticed even when name, inode and
//! size are the same.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

/// How many bytes a fingerprint reaches over: 4 KiB at the beginning of the log and as many before the
/// position.
pub(crate) const REACH: usize = 4096;

/// A place between two lines of a log, to be saved and to go on from: see
/// [`LogFile::resume`](crate::LogFile::resume).
///
/// Small and plain: serialise it in any format. The default stands before the first line of any log. The
/// offset counts decompressed bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cursor {
    pub(crate) identity: Identity,
    pub(crate) offset: u64,
}

impl Cursor {
    /// How many bytes of the log lie before this place.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether both stand at the same place of the same content, in whichever file.
    pub(crate) fn same_place(&self, other: &Self) -> bool {
        let same_content =
            self.identity.head == other.identity.head && self.identity.tail == other.identity.tail;
        self.offset == other.offset && (same_content || self.offset == 0)
    }
}

/// What a log is recognised by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// The file it was last read from.
    pub(crate) file: FileId,
    /// Fingerprint of the log's first bytes, at most [`REACH`] and none behind the cursor.
    pub(crate) head: u64,
    /// Fingerprint of the bytes just before the cursor, at most [`REACH`].
    pub(crate) tail: u64,
}

/// Which file it is, whatever its name. All zero where the platform does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Self {
        Self::default()
    }
}

/// How long after its last change a file's time stamps prove nothing: a second change may have left the same
/// stamp. Two seconds is the coarsest clock of a file system in use (FAT).
const STAMP_GRAIN: Duration = Duration::from_secs(2);

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    pub(crate) file: FileId,
    pub(crate) len: u64,
    modified: Option<SystemTime>,
    /// When the file last changed in any way; unlike `modified` no program can set this back.
    changed: Option<SystemTime>,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            file: FileId::of(metadata),
            len: metadata.len(),
            modified: metadata.modified().ok(),
            changed: change_time(metadata),
        }
    }

    /// Whether any change after `now` must show in the stamp.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        let age = self.changed.and_then(|changed| now.duration_since(changed).ok());
        age.is_some_and(|age| age > STAMP_GRAIN)
    }
}

#[cfg(unix)]
fn change_time(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
}

#[cfg(not(unix))]
fn change_time(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// XXH3, 64 bits, without a seed. Saved with cursors, so it must never change; it guards against accidents, not against
/// an attacker.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_fingerprints_stay_valid() {
        // The values of the reference implementation: a change of the function would restart every saved log.
        let long: Vec<u8> = (0..=255).cycle().take(4096).collect();
        for (bytes, expected) in [
            (b"".as_slice(), 0x2d06_8005_38d3_94c2),
            (b"a", 0xe6c6_32b6_1e96_4e1f),
            (b"abc", 0x78af_5f94_892f_3950),
            (&long, 0xeb4b_7c37_0787_9151),
        ] {
            assert_eq!(fingerprint(bytes), expected, "{} bytes", bytes.len());
        }
    }

    #[test]
    fn a_stamp_proves_nothing_while_it_is_new() {
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let stamp = |changed| Stamp { file: FileId::default(), len: 1, modified: None, changed };
        let rows = [
            (Some(changed), 0, false),
            (Some(changed), 2, false),
            (Some(changed), 3, true),
            // A clock that was set back, or another machine's; a platform without the time.
            (Some(changed), -5, false),
            (None, 3, false),
        ];
        for (time, seconds, expected) in rows {
            let age = Duration::from_secs(i64::unsigned_abs(seconds));
            let now = if seconds < 0 { changed - age } else { changed + age };
            assert_eq!(stamp(time).is_settled(now), expected, "{time:?}, {seconds} s later");
        }
    }

    #[test]
    fn a_cursor_survives_serialisation() {
        let cursor = Cursor {
            identity: Identity { file: FileId { device: 1, inode: u64::MAX }, head: 2, tail: u64::MAX - 1 },
            offset: 1 << 60,
        };
        let json = serde_json::to_string(&cursor).unwrap();
        let expected = concat!(
            r#"{"identity":{"file":{"device":1,"inode":18446744073709551615},"head":2,"#,
            r#""tail":18446744073709551614},"offset":1152921504606846976}"#
        );
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Cursor>(&json).unwrap(), cursor);
    }
}
