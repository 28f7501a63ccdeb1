//! For tests, here and downstream: fakes of the ports, and the suites that every adapter and fake of a port passes.
//!
//! Mocks of the ports are beside them (`ports::MockStateStore`, …).

pub mod conformance;
mod fakes;

pub use fakes::{FakeSource, MemoryStore, RecordingSurface, TestClock};
