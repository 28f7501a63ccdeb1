//! Cards: what is in one, what may be in one, what an operation does to one, and what a person sees of one.
//!
//! Pure: values in, values or refusals out; the platform around it brings clock, tokens and counters.

pub(super) mod document;
pub(super) mod entity;
pub(super) mod markdown;
pub(super) mod operation;
pub(super) mod reader;
mod schema;
mod shape;
pub(super) mod validate;
