//! The 24 public symptoms of live cards (contract `feishu.md` §C): each has a test named after it.
//!
//! What runs is the product's own delivery and client in front of the strict fake, on a clock that stands still: the
//! true times of the schedule, and no waiting. Each scenario runs under every setting of what the platform's
//! documentation leaves open ([`toggles`]), and leaves only what [`world::World::check`] says of every card.
//!
//! Only the long connection's part is here of 11 to 13.

// Helpers are those of tests: the lints ask for this very attribute.
#![cfg(test)]
#![cfg(unix)]

mod chaos;
mod connection;
mod content;
mod ends;
mod kinds;
mod limits;
mod messages;
mod restarts;
mod stream;
mod toggles;
mod turns;
mod watchdog;
mod world;
