//! What the tests of this binary share: the fixtures, a log read in this process, rows to build logs from, the golden
//! files, the built program.

// It is compiled as a test only; the lints take a helper for one where this is said.
#![cfg(test)]

pub(crate) mod facts;
pub(crate) mod golden;
pub(crate) mod program;
pub(crate) mod reading;
pub(crate) mod rows;
pub(crate) mod shown;

use std::path::{Path, PathBuf};

/// The folder of the fixtures.
pub(crate) fn fixture_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// One log of a real Codex.
pub(crate) fn rollout(name: &str) -> PathBuf {
    fixture_folder().join("codex/rollouts").join(format!("{name}.jsonl"))
}

/// All logs of a real Codex, in order: session logs and outputs of `codex exec --json`.
pub(crate) fn captures() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = ["codex/rollouts", "codex/exec-json"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(fixture_folder().join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    all.sort();
    assert!(all.len() > 80, "only {} captures found", all.len());
    all
}

/// `rollouts/cm_single` of a capture's path.
pub(crate) fn short_name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    format!("{folder}/{}", path.file_stem().unwrap_or_default().to_string_lossy())
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        (number as usize) % bound.max(1)
    }
}
