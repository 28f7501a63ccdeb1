//! The rules between the crates and of the house that no lint holds, read from Cargo, the manifests and the sources.
//!
//! Each rule is a function from text to what is wrong with it, so that each also has a test in which it finds something.

// It is compiled as a test only; the lints take a helper for one where this is said.
#![cfg(test)]

mod commands;
mod dependencies;
mod manifests;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The text of a file of the workspace.
fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Fails with everything that was found.
#[track_caller]
fn assert_nothing(found: &[String]) {
    assert!(found.is_empty(), "{} found:\n  {}", found.len(), found.join("\n  "));
}

/// The found things are these, in any wording that holds the expected words.
#[track_caller]
fn assert_found(found: &[String], expected: &[&str]) {
    let matching = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, words)| found.contains(words));
    assert!(matching, "found {found:#?}\nexpected {expected:#?}");
}
