//! Owns the cutting of a byte stream into lines, without I/O.
//!
//! Guarantees: the lines depend on the bytes alone, never on how they were cut into chunks; `start..end` of
//! the lines tile the stream from the first byte to the last line feed; memory stays below [`WHOLE_LINE_MAX`]
//! and a little, whatever the input.
//!
//! The rules follow what agents are seen to write: JSON lines ended by LF, sometimes with a CR before it or a
//! byte order mark at the file's start, with raw U+2028, NUL bytes and cut UTF-8 inside a line, and single
//! lines of tens of megabytes (inlined images).

#[cfg(test)]
mod tests;

/// The longest line, in bytes, that is handed out whole: 8 MiB.
pub const WHOLE_LINE_MAX: u64 = 8 << 20;

/// The longest line, in bytes, that is worth a look at its head: 64 MiB. Longer ones are [`Line::Skipped`].
pub const OVERSIZED_LINE_MAX: u64 = 64 << 20;

/// How many bytes of the beginning of a line over [`WHOLE_LINE_MAX`] are kept: 64 KiB.
pub const HEAD_LEN: usize = 64 << 10;

/// The UTF-8 byte order mark; dropped at offset 0 and nowhere else.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Capacity that may stay allocated from one line to the next. A larger one is given back: a hundred files
/// may be followed at once.
const IDLE_CAPACITY: usize = 64 << 10;

/// One line, without its line feed, without one carriage return before it, and, at offset 0, without a byte
/// order mark.
///
/// The bytes are as they stand in the log: they may be empty, hold NUL bytes or be no UTF-8. `start` and
/// `end` are offsets in the (decompressed) stream: `start` of the line's first byte, byte order mark
/// included, `end` just after its line feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line of at most [`WHOLE_LINE_MAX`] bytes.
    Whole {
        /// The whole line.
        bytes: &'a [u8],
        /// Offset of the first byte.
        start: u64,
        /// Offset just after the line feed.
        end: u64,
    },
    /// A line too long to be kept, of at most [`OVERSIZED_LINE_MAX`] bytes.
    Oversized {
        /// The first [`HEAD_LEN`] bytes; they may end within a character.
        head: &'a [u8],
        /// Length of the whole line in bytes, counted as `bytes` of a whole line would be.
        len: u64,
        /// Offset of the first byte.
        start: u64,
        /// Offset just after the line feed.
        end: u64,
    },
    /// A line over [`OVERSIZED_LINE_MAX`]: hardly a record, more likely damage.
    Skipped {
        /// The first [`HEAD_LEN`] bytes; they may end within a character.
        head: &'a [u8],
        /// Length of the whole line in bytes, counted as `bytes` of a whole line would be.
        len: u64,
        /// Offset of the first byte.
        start: u64,
        /// Offset just after the line feed.
        end: u64,
    },
}

impl Line<'_> {
    /// Offset of the line's first byte.
    pub fn start(&self) -> u64 {
        match *self {
            Self::Whole { start, .. } | Self::Oversized { start, .. } | Self::Skipped { start, .. } => start,
        }
    }

    /// Offset just after the line's line feed: where the next line starts.
    pub fn end(&self) -> u64 {
        match *self {
            Self::Whole { end, .. } | Self::Oversized { end, .. } | Self::Skipped { end, .. } => end,
        }
    }
}

/// The three lengths that bound memory; smaller in tests.
#[derive(Debug, Clone, Copy)]
struct Limits {
    whole: u64,
    oversized: u64,
    head: usize,
}

const LIMITS: Limits = Limits { whole: WHOLE_LINE_MAX, oversized: OVERSIZED_LINE_MAX, head: HEAD_LEN };

/// Cuts a byte stream into lines: chunks in, [`Line`]s out.
///
/// A line that lies within one chunk is handed out where it lies. Only an unfinished one is copied, and waits
/// for its line feed.
///
/// ```
/// use larkspan_logtail::{Line, LineSplitter};
///
/// let mut lines = Vec::new();
/// let mut splitter = LineSplitter::at(0);
/// for chunk in [b"one\r\ntw".as_slice(), b"o\nthr"] {
///     splitter.push(chunk, |line| {
///         if let Line::Whole { bytes, end, .. } = line {
///             lines.push((bytes.to_vec(), end));
///         }
///     });
/// }
/// assert_eq!(lines, [(b"one".to_vec(), 5), (b"two".to_vec(), 9)]);
/// assert_eq!(splitter.offset(), 9);
/// assert_eq!(splitter.finish(), Some(Line::Whole { bytes: b"thr", start: 9, end: 12 }));
/// ```
#[derive(Debug)]
pub struct LineSplitter {
    limits: Limits,
    /// Offset of the unfinished line.
    start: u64,
    /// How many bytes of it have come, kept or not.
    seen: u64,
    /// The last of them, when any has come.
    last: u8,
    /// The unfinished line, or, once it is too long, the part of it that its head is taken from.
    held: Vec<u8>,
}

impl LineSplitter {
    /// A splitter whose first byte stands at `offset` of the stream. `offset` is 0 or the end of a line.
    pub fn at(offset: u64) -> Self {
        Self::with_limits(offset, LIMITS)
    }

    fn with_limits(start: u64, limits: Limits) -> Self {
        Self { limits, start, seen: 0, last: 0, held: Vec::new() }
    }

    /// Offset just after the last line feed: where the unfinished line starts.
    pub fn offset(&self) -> u64 {
        self.start
    }

    /// Memory held for the unfinished line, in bytes.
    pub fn buffered(&self) -> usize {
        self.held.capacity()
    }

    /// Takes the next bytes of the stream and hands each line they finish to `sink`.
    pub fn push(&mut self, chunk: &[u8], mut sink: impl FnMut(Line<'_>)) {
        let mut rest = chunk;
        // One search for all line feeds of the chunk: restarting it at every line would cost more than the
        // search itself.
        let mut from = 0;
        for feed in memchr::memchr_iter(b'\n', chunk) {
            let Some((line, after)) = rest.split_at_checked(feed - from) else { break };
            rest = after.split_first().map_or(after, |(_, after)| after);
            from = feed + 1;

            if self.seen == 0 {
                let seen = line.len() as u64;
                let last = line.last().copied().unwrap_or(0);
                sink(describe(self.limits, line, seen, last, self.start, 1));
                self.start += seen + 1;
            } else {
                self.hold(line);
                sink(describe(self.limits, &self.held, self.seen, self.last, self.start, 1));
                self.start += self.seen + 1;
                self.seen = 0;
                self.held.clear();
                self.held.shrink_to(IDLE_CAPACITY);
            }
        }
        self.hold(rest);
    }

    /// The line that has no line feed yet, if any byte of it has come.
    ///
    /// Only for a stream that has ended: of a log that is still written it would be half a line. Nothing
    /// moves: [`Self::offset`] stays before the line, and if more bytes come after all, the line is handed
    /// out again, whole.
    pub fn finish(&self) -> Option<Line<'_>> {
        (self.seen > 0).then(|| describe(self.limits, &self.held, self.seen, self.last, self.start, 0))
    }

    /// Adds bytes to the unfinished line; past the limit only counts them.
    fn hold(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        self.last = last;
        self.seen += bytes.len() as u64;

        // A byte order mark and a carriage return do not count, but are only known for such once the line is
        // complete.
        let slack = BOM.len() + 1;
        let most = self.limits.whole as usize + slack;
        if self.seen <= most as u64 {
            let need = self.held.len() + bytes.len();
            if need > self.held.capacity() {
                let target = need.max(self.held.capacity() * 2).min(most);
                self.held.reserve_exact(target - self.held.len());
            }
            self.held.extend_from_slice(bytes);
        } else {
            let keep = self.limits.head + BOM.len();
            let missing = keep.saturating_sub(self.held.len()).min(bytes.len());
            self.held.truncate(keep);
            self.held.shrink_to(keep);
            self.held.extend(bytes.iter().take(missing));
        }
    }
}

/// The line that began at `start` with `bytes` (all of it, or as much as its head needs), is `seen` bytes
/// long and ends in the byte `last`, followed by `feed` bytes of line feed.
#[inline]
fn describe(limits: Limits, bytes: &[u8], seen: u64, last: u8, start: u64, feed: u64) -> Line<'_> {
    let end = start + seen + feed;
    let seen = if last == b'\r' { seen - 1 } else { seen };
    let body = if start == 0 { bytes.strip_prefix(BOM).unwrap_or(bytes) } else { bytes };
    let len = seen - (bytes.len() - body.len()) as u64;
    let first = |n: usize| body.get(..n).unwrap_or(body);
    if len <= limits.whole {
        Line::Whole { bytes: first(len as usize), start, end }
    } else if len <= limits.oversized {
        Line::Oversized { head: first(limits.head), len, start, end }
    } else {
        Line::Skipped { head: first(limits.head), len, start, end }
    }
}
