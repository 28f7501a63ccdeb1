//! What a person reads of a call: its title and its detail.
//!
//! Invariants
//! - One title and one detail for every surface, live or from history: a surface only prints [`Title`]s and [`Block`]s.
//! - Secrets are masked here ([`crate::redaction`]), and nowhere before.
//! - Every field that can be long goes through a preview with hard limits.

mod detail;
mod locale;
mod title;
mod turn;

pub use detail::{Block, DetailLevel, detail};
pub use locale::Locale;
pub use title::{Title, title};
pub use turn::{notice_line, plan_lines, turn_footer, usage_parts};
