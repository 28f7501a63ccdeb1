//! Owns the following of one log file: what was added, and what happened to the file.
//!
//! Guarantees: every complete line is handed out once, in order, byte for byte; the cursor moves only past a
//! line feed; whatever happens to the file is noticed no later than at the next [`LogFile::read`] that finds
//! its time stamps or its name changed.
//!
//! How agents treat their logs: they append, they cut a half-written line back, Codex compresses a cold log
//! to `X.jsonl.zst` (written aside, renamed, then the plain file removed) and decompresses it again before it
//! appends. Log rotation, editors and restored backups do the rest.

mod source;
#[cfg(test)]
mod tests;
mod trail;

use std::fmt;
use std::path::{Path, PathBuf};

use self::source::{Packed, Plain, Source};
use self::trail::Trail;
use crate::cursor::{Cursor, FileId};
use crate::error::Error;
use crate::lines::{Line, LineSplitter};

pub(crate) use self::source::{plain_twin, stamp, twins};

/// What [`LogFile::read`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "more may be there to read, or the log may have started anew"]
pub enum Read {
    /// Bytes came; the lines they finished (none, in the midst of a very long one) have been handed out. Read
    /// again.
    Lines,
    /// Nothing more for now. Read again when the file may have changed.
    AtEnd,
    /// The file does not go on from what was read of it. The log starts again, at offset 0, with the next
    /// read; what was handed out before came from content that is no longer there.
    Restarted {
        /// What happened.
        reason: Restart,
    },
    /// There is no file. It may come back, under its name or compressed: read again later.
    Gone,
}

/// Why a log starts again from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restart {
    /// The file is shorter than what was read of it.
    Truncated,
    /// Another file, with other content, stands under the name: rotated, or overwritten by a rename.
    Replaced,
    /// The file is long enough, but other bytes stand where the lines already read were.
    Rewritten,
}

/// A log file that is read as it grows.
///
/// The log has two names, `X` and, compressed with zstd, `X.zst`: whichever is there is read, and the plain
/// one if both are. A log is its content: as long as that goes on from the cursor, a change of name, inode or
/// compression is not even an event.
///
/// All calls block on the file system. At most 256 KiB are read by one call to [`Self::read`], except when a
/// compressed log is gone on with from a cursor: what lies before has to be decoded first, about a second a
/// gigabyte.
pub struct LogFile {
    plain: PathBuf,
    packed: PathBuf,
    source: Source,
    splitter: LineSplitter,
    trail: Trail,
    /// After the last line handed out.
    cursor: Cursor,
    /// Where the cursor stood before the last read.
    earlier: Cursor,
}

impl fmt::Debug for LogFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFile")
            .field("path", &self.plain)
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}

impl LogFile {
    /// Opens the log at `path`, to be read from its first line. `path` may or may not end in `.zst`.
    ///
    /// # Errors
    /// [`Error::Missing`] if neither name stands for anything; otherwise what is wrong with the one that
    /// does.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::resume(path, &Cursor::default())
    }

    /// Opens the log at `path`, to be read from `cursor` on. If the file no longer is what `cursor` was saved
    /// for, the first read says [`Read::Restarted`].
    ///
    /// # Errors
    /// As [`Self::open`]; and [`Error::Damaged`] if a compressed log cannot be decoded up to the cursor.
    pub fn resume(path: impl AsRef<Path>, cursor: &Cursor) -> Result<Self, Error> {
        let (plain, packed) = twins(path.as_ref());
        let mut log = Self {
            plain,
            packed,
            source: Source::Absent,
            splitter: LineSplitter::at(0),
            trail: Trail::default(),
            cursor: *cursor,
            earlier: *cursor,
        };
        match log.reopen()? {
            None => {}
            Some(Read::Gone) => return Err(Error::Missing { path: log.plain }),
            // To be found and told by the first read, which moves the cursor: until then it is the saved one.
            Some(Read::Lines | Read::AtEnd | Read::Restarted { .. }) => {
                log.source = Source::Absent;
                log.cursor = *cursor;
            }
        }
        Ok(log)
    }

    /// The log's plain name.
    pub fn path(&self) -> &Path {
        &self.plain
    }

    /// The place after the last line handed out.
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// The place before or after any line that the last [`Self::read`] handed out; `offset` is the line's
    /// start or end. None for any other offset.
    pub fn cursor_at(&self, offset: u64) -> Option<Cursor> {
        [self.cursor, self.earlier].into_iter().find(|cursor| cursor.offset == offset).or_else(|| {
            self.trail
                .cursor(self.cursor.identity.file, offset)
                .filter(|cursor| cursor.offset < self.cursor.offset)
        })
    }

    /// Memory held for buffers, in bytes. A decoder's window (2 MiB at the usual compression level, 128 MiB
    /// at most) comes on top.
    pub fn buffered(&self) -> usize {
        self.splitter.buffered() + self.trail.buffered()
    }

    /// Reads the next piece of the log and hands the lines it finishes to `sink`.
    ///
    /// # Errors
    /// The lines before the error have been handed out. Reading again tries again from the cursor, except
    /// that [`Error::Damaged`] is said once and then [`Read::AtEnd`], until the file changes.
    pub fn read(&mut self, mut sink: impl FnMut(Line<'_>)) -> Result<Read, Error> {
        // A second round sees the file that took the name. The number is there so that a file system which
        // contradicts itself about what a file is cannot keep us here.
        for _ in 0..3 {
            let found = match &self.source {
                Source::Plain(_) => self.read_plain(&mut sink),
                Source::Packed(_) => self.read_packed(&mut sink),
                Source::Absent => self.reopen(),
            };
            match found {
                Ok(Some(read)) => return Ok(read),
                Ok(None) => {}
                Err(error) => {
                    // What came of a line before the error is no last line.
                    self.splitter = LineSplitter::at(self.cursor.offset);
                    if !matches!(error, Error::Damaged { .. }) {
                        self.source = Source::Absent;
                    }
                    return Err(error);
                }
            }
        }
        Ok(Read::AtEnd)
    }

    /// The last line, if it has no line feed. Only for a log that has ended, after [`Read::AtEnd`]; the
    /// cursor stays before the line.
    pub fn finish(&self) -> Option<Line<'_>> {
        self.splitter.finish()
    }

    /// Reads on in the open plain file. None: look again.
    fn read_plain(&mut self, sink: &mut impl FnMut(Line<'_>)) -> Result<Option<Read>, Error> {
        let Source::Plain(source) = &mut self.source else { return Ok(None) };
        let failed = |error| Error::from_io(&self.plain, error);

        let Some(len) = source.len_if_unchanged(&self.trail).map_err(failed)? else {
            // Often only the half line behind the cursor was cut back; then the log goes on from the cursor.
            let trail = source.trail_to(self.cursor.offset).map_err(failed)?;
            return Ok(self.go_on(self.cursor.identity.file, trail));
        };
        let position = self.trail.position();
        if len > position {
            let chunk = source.read_on(&mut self.trail, len - position).map_err(failed)?;
            if chunk.is_empty() {
                return Ok(Some(Read::AtEnd));
            }
            let end = push(&mut self.splitter, chunk, sink);
            self.move_to(end);
            return Ok(Some(Read::Lines));
        }

        self.trail.shrink();
        // In this order: when the name is seen to stand for another file, ours may have got its last lines
        // since we read.
        let named = stamp(&self.plain)?;
        if source.len().map_err(failed)? != position {
            return Ok(None);
        }
        if named.is_some_and(|named| named.file == source.named.file && named.len == position) {
            return Ok(Some(Read::AtEnd));
        }
        self.reopen()
    }

    /// Reads on in the open compressed file. None: look again.
    fn read_packed(&mut self, sink: &mut impl FnMut(Line<'_>)) -> Result<Option<Read>, Error> {
        let Source::Packed(source) = &mut self.source else { return Ok(None) };

        let chunk = source.read_on(&self.packed, &mut self.trail, u64::MAX)?;
        if !chunk.is_empty() {
            let end = push(&mut self.splitter, chunk, sink);
            self.move_to(end);
            return Ok(Some(Read::Lines));
        }

        self.trail.shrink();
        let is_same = stamp(&self.packed)? == Some(source.named);
        // A plain twin that is shorter is still being written by a decompressor.
        let has_twin = stamp(&self.plain)?.is_some_and(|plain| plain.len >= self.cursor.offset);
        if is_same && !has_twin {
            return Ok(Some(Read::AtEnd));
        }
        self.reopen()
    }

    /// Opens whatever stands at the log's names now. None: the log goes on from the cursor.
    fn reopen(&mut self) -> Result<Option<Read>, Error> {
        self.source = Source::Absent;
        match self.open_either()? {
            // The plain form may have come, and the compressed one gone, while we looked from the one to the
            // other.
            Some(Read::Gone) => self.open_either(),
            found => Ok(found),
        }
    }

    fn open_either(&mut self) -> Result<Option<Read>, Error> {
        let offset = self.cursor.offset;
        if let Some(mut plain) = Plain::open(&self.plain)? {
            let trail = plain.trail_to(offset).map_err(|error| Error::from_io(&self.plain, error))?;
            if trail.is_none()
                && let Some(mut packed) = Packed::open(&self.packed).ok().flatten()
            {
                let trail = packed.trail_to(&self.packed, offset).ok().flatten();
                if trail.as_ref().is_some_and(|trail| self.is_at_cursor(trail)) {
                    let file = packed.named.file;
                    self.source = Source::Packed(packed);
                    return Ok(self.go_on(file, trail));
                }
            }
            let file = plain.named.file;
            self.source = Source::Plain(plain);
            return Ok(self.go_on(file, trail));
        }

        let Some(mut packed) = Packed::open(&self.packed)? else {
            // A new file may get the old one's inode.
            self.cursor.identity.file = FileId::default();
            return Ok(Some(Read::Gone));
        };
        let file = packed.named.file;
        let trail = match packed.trail_to(&self.packed, offset) {
            Ok(trail) => trail,
            Err(error) => {
                self.source = Source::Packed(packed);
                return Err(error);
            }
        };
        if !trail.as_ref().is_some_and(|trail| self.is_at_cursor(trail)) {
            let Some(fresh) = Packed::open(&self.packed)? else { return Ok(Some(Read::Gone)) };
            packed = fresh;
        }
        self.source = Source::Packed(packed);
        Ok(self.go_on(file, trail))
    }

    /// Follows `trail`, found in `file`, if it leads to the cursor; otherwise starts again.
    fn go_on(&mut self, file: FileId, trail: Option<Trail>) -> Option<Read> {
        let reason = match &trail {
            _ if file != self.cursor.identity.file => Restart::Replaced,
            None => Restart::Truncated,
            Some(_) => Restart::Rewritten,
        };
        let trail = trail.filter(|trail| self.is_at_cursor(trail));
        let restarted = trail.is_none().then_some(Read::Restarted { reason });
        if restarted.is_some() {
            self.cursor = Cursor::default();
        }
        self.cursor.identity.file = file;
        self.earlier = self.cursor;
        self.trail = trail.unwrap_or_default();
        self.splitter = LineSplitter::at(self.cursor.offset);
        restarted
    }

    fn is_at_cursor(&self, trail: &Trail) -> bool {
        trail
            .cursor(FileId::default(), self.cursor.offset)
            .is_some_and(|place| place.same_place(&self.cursor))
    }

    /// Moves the cursor to the end of the last line handed out, if there was one.
    fn move_to(&mut self, end: Option<u64>) {
        self.earlier = self.cursor;
        if let Some(cursor) = end.and_then(|end| self.trail.cursor(self.cursor.identity.file, end)) {
            self.cursor = cursor;
        }
    }
}

/// Hands the lines that `chunk` finishes to `sink`; returns the end of the last.
fn push(splitter: &mut LineSplitter, chunk: &[u8], sink: &mut impl FnMut(Line<'_>)) -> Option<u64> {
    let mut end = None;
    splitter.push(chunk, |line| {
        end = Some(line.end());
        sink(line);
    });
    end
}
