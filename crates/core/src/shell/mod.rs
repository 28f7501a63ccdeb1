//! Shell commands as agents write them: what a command is for, what it writes, which script its launcher
//! runs, which patch it applies.
//!
//! Everything here reads text and runs nothing. Invariants: no input panics or takes more than linear time; a
//! command that changes state, or might, is never classified as reading, listing or searching.
//!
//! | module | owns |
//! |---|---|
//! | [`syntax`] | the syntax tree, [`syntax::parse`] |
//! | `reader`, `compound`, `redirect`, `word` | the reader behind it |
//! | `program`, `tables`, `options`, `filter_text`, `lines` | what single programs do with their arguments |
//! | `deed` | what pipelines and lists of them come to |
//! | `action` | the classification |
//! | `launcher`, `quote`, `patch_command` | launchers, quoting, `apply_patch` in a shell |

mod action;
mod compound;
mod deed;
mod filter_text;
mod launcher;
mod lines;
mod options;
mod patch_command;
mod program;
mod quote;
mod reader;
mod redirect;
pub mod syntax;
mod tables;
mod word;

#[cfg(test)]
mod tests;

pub use action::{Action, WriteEffect, classify, classify_recorded, write_effect};
pub use launcher::{peel_command, peel_launcher};
pub use lines::LineRange;
pub use patch_command::{HeredocPatch, heredoc_patch};
pub use quote::join;
