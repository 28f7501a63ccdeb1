//! The composition root: what wires the crates into one program.
//!
//! The product is behind the feature `app` (on by default); without it, only the contributor commands are built.

#[cfg(feature = "app")]
pub mod app;
