//! The use cases over a transcript source: following a log onto a surface ([`follow`]), and reading it as history
//! ([`history`]).
//!
//! Generic over the ports of the core: nothing here knows which agent wrote the log or what the surface looks like.
//!
//! Invariants
//! - Both use cases take the same path: source, reducer, presentation. A call reads the same live and from history.
//! - Nothing is lost over a restart, at any point; what may be told twice is told with the same revision.

pub mod follow;
pub mod history;
pub mod json;
pub mod json_lines;
pub mod state_files;
