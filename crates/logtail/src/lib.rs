//! Byte-exact reading and following of log files that other programs append to.
//!
//! - [`LogFile`] reads a log from a saved [`Cursor`] on and says what happened to the file: grown, cut,
//!   replaced, rewritten, compressed, gone. [`LineSplitter`] is the part of it that does no I/O.
//! - [`Watcher`] waits for changes, [`list_files`] finds the newest logs below a folder, [`looks_binary`]
//!   guards against what is none.
//!
//! - [`LogSource`] and [`LogCatalog`] put both behind core's ports, for every agent alike: an adapter brings the
//!   [`RecordReader`] that makes records of lines, and the folder. [`json`] is what it reads a line's members with.
//!
//! The crate knows nothing of what the lines say: they are bytes, and decoding them is the adapter's business.
//!
//! # Invariants
//!
//! 1. A line ends at a line feed and nowhere else; the cursor moves only past one.
//! 2. The lines depend on the log's bytes alone, not on how and when they were written or read.
//! 3. No complete line is lost or handed out twice, across growth, rotation, compression and restarts of the
//!    reader. Where the log itself is not what it was, [`Read::Restarted`] says so.
//! 4. Memory stays bounded whatever the file holds, and no kind of file makes a call hang.
//!
//! # Example
//!
//! ```
//! use std::io::Write;
//! use std::time::Duration;
//!
//! use larkspan_logtail::{Line, LogFile, Read, Watcher};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("session.jsonl");
//! # let mut writer = std::fs::File::create(&path)?;
//! # writer.write_all(b"{\"type\":\"hello\"}\n{\"type\":\"wor")?;
//! let watcher = Watcher::start(|| ())?;
//! watcher.watch_file(&path);
//!
//! let mut log = LogFile::open(&path)?;
//! let mut lines = Vec::new();
//! while lines.len() < 2 {
//!     let read = log.read(|line| match line {
//!         Line::Whole { bytes, .. } => lines.push(String::from_utf8_lossy(bytes).into_owned()),
//!         Line::Oversized { len, .. } | Line::Skipped { len, .. } => lines.push(format!("({len} bytes)")),
//!     })?;
//!     match read {
//!         Read::Lines => {}
//!         Read::AtEnd | Read::Gone => {
//! #           writer.write_all(b"ld\"}\n")?;
//!             watcher.wait(Duration::from_secs(5));
//!         }
//!         Read::Restarted { .. } => lines.clear(),
//!     }
//! }
//! assert_eq!(lines, [r#"{"type":"hello"}"#, r#"{"type":"world"}"#]);
//!
//! // Later, perhaps in another process: only what came after.
//! let saved = serde_json::to_string(&log.cursor())?;
//! let mut log = LogFile::resume(&path, &serde_json::from_str(&saved)?)?;
//! assert_eq!(log.read(|line| panic!("{line:?} was read before"))?, Read::AtEnd);
//! # Ok(())
//! # }
//! ```

mod binary;
mod catalog;
mod cursor;
mod error;
mod file;
pub mod json;
mod lines;
mod list;
mod source;
mod watch;

pub use binary::looks_binary;
pub use catalog::{LogCatalog, LogFolder};
pub use cursor::Cursor;
pub use error::Error;
pub use file::{LogFile, Read, Restart};
pub use lines::{HEAD_LEN, Line, LineSplitter, OVERSIZED_LINE_MAX, WHOLE_LINE_MAX};
pub use list::{FoundFile, Listing, list_files};
pub use source::{Head, LogSource, ReadMode, RecordReader, stem};
pub use watch::{Watcher, Woken};
