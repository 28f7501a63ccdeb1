//! Owns the bytes just read and the few before them that a position is recognised by.
//!
//! Guarantees: holds the last chunk, [`REACH`] bytes before it and the log's first [`REACH`] bytes, and no
//! more.

use std::io;

use crate::cursor::{Cursor, FileId, Identity, REACH, fingerprint};

/// The part of a stream that has gone by and is still remembered.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// The stream's first bytes.
    head: Vec<u8>,
    /// `..filled` is what was read last, with up to [`REACH`] bytes before it; the rest is room.
    buffer: Vec<u8>,
    filled: usize,
    /// Stream offset just after `filled`.
    position: u64,
}

impl Trail {
    /// A trail that ends at `position`, of which the first and the last bytes are known.
    pub(super) fn at(position: u64, head: Vec<u8>, tail: Vec<u8>) -> Self {
        Self { head, filled: tail.len(), buffer: tail, position }
    }

    /// How many bytes of the stream have been read.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// The stream's first bytes, as far as they have been read.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes read, at most [`REACH`].
    pub(super) fn tail(&self) -> &[u8] {
        let filled = self.filled();
        filled.get(filled.len().saturating_sub(REACH)..).unwrap_or(filled)
    }

    /// Memory held, in bytes.
    pub(super) fn buffered(&self) -> usize {
        self.buffer.capacity() + self.head.capacity()
    }

    /// Asks `read` for at most `want` bytes and returns what came: nothing at the end of the stream.
    pub(super) fn fill(
        &mut self,
        want: usize,
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<&[u8]> {
        self.keep_tail();
        let kept = self.filled;
        if self.buffer.len() < kept + want {
            self.buffer.resize(kept + want, 0);
        }
        let Some(room) = self.buffer.get_mut(kept..kept + want) else { return Ok(&[]) };
        let got = read(room)?.min(want);
        self.filled = kept + got;
        self.position += got as u64;
        let chunk = self.buffer.get(kept..self.filled).unwrap_or_default();
        if self.head.len() < REACH {
            self.head.extend(chunk.iter().take(REACH - self.head.len()));
        }
        Ok(chunk)
    }

    /// Gives back the room of large chunks; for when nothing more comes for a while.
    pub(super) fn shrink(&mut self) {
        if self.buffer.len() > 4 * REACH {
            self.keep_tail();
            self.buffer.truncate(self.filled);
            self.buffer.shrink_to_fit();
        }
    }

    /// The cursor for the line end at `offset`; none if no line ends there, or if the bytes before it have
    /// been forgotten.
    pub(super) fn cursor(&self, file: FileId, offset: u64) -> Option<Cursor> {
        let reach = usize::try_from(offset).map_or(REACH, |offset| offset.min(REACH));
        let behind = usize::try_from(self.position.checked_sub(offset)?).ok()?;
        let end = self.filled.checked_sub(behind)?;
        let tail = self.buffer.get(end.checked_sub(reach)?..end)?;
        if offset > 0 && tail.last() != Some(&b'\n') {
            return None;
        }
        let head = self.head.get(..reach)?;
        Some(Cursor { identity: Identity { file, head: fingerprint(head), tail: fingerprint(tail) }, offset })
    }

    fn filled(&self) -> &[u8] {
        self.buffer.get(..self.filled).unwrap_or_default()
    }

    fn keep_tail(&mut self) {
        let surplus = self.filled.saturating_sub(REACH);
        self.buffer.copy_within(surplus..self.filled, 0);
        self.filled -= surplus;
    }
}
