//! Markdown and code as HTML that nothing in them can break out of.
//!
//! A support crate: it knows text and nothing of where the text comes from. Every function appends to a `String`, so a
//! page is put together without copies.
//!
//! Invariants
//! - Every element is written and closed here. Of a source there is only escaped text, in elements and in attributes.
//! - Links lead to the web or to mail; nothing is loaded; there are no scripts and no styles, only classes.
//! - What a source can nest is nested to a bounded depth, in time that is linear in its length.
//!
//! [`escape`] is text, [`code`] is blocks of code and patches, [`prose`] is Markdown, and [`Dialect`] is what a
//! platform's Markdown has besides.

pub mod code;
pub mod dialect;
pub mod escape;
mod highlight;
pub mod prose;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use dialect::{Common, Dialect};
