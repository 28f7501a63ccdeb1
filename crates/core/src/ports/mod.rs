//! The ports: what the use cases ask of the world outside, and what adapters answer.
//!
//! All are object-safe, `Send + Sync`, and have an error enum of their own, cut by what a caller can do.

mod catalog;
mod clock;
mod source;
mod store;
mod surface;

pub use catalog::{CatalogError, SessionCatalog, SessionSummary};
pub use clock::Clock;
pub use source::{Batch, SourceError, SourcePosition, TranscriptSource};
pub use store::{StateStore, StoreError};
pub use surface::{CardSurface, SurfaceError, SurfacePosition};

#[cfg(feature = "testing")]
pub use {
    catalog::MockSessionCatalog, clock::MockClock, source::MockTranscriptSource, store::MockStateStore,
    surface::MockCardSurface,
};
