//! Turns as live cards on Feishu or Lark: what a card looks like, what to send, sending it, and the platform itself.
//!
//! Agent events only ever change what a card *should* look like. The [`plan`]ner compares that with what the platform has
//! accepted, and [`delivery`] sends the difference, one call at a time. Cards are opaque JSON to the [`platform`].

pub mod card;
pub mod delivery;
pub mod document;
pub mod longconn;
mod memory;
mod pace;
pub mod plan;
pub mod platform;
mod surface;

pub use memory::{MemoryPlatform, Observer};
pub use pace::Pacing;
pub use surface::Cards;
