//! The real Codex CLI, run offline against a [`ScriptedModel`](crate::scripted_model::ScriptedModel).
//!
//! Owns finding the program, an isolated home and workspace ([`Lab`]), and its two ways in: `codex exec` and
//! `codex app-server` ([`AppServer`]). Guarantees: nothing of the user's own Codex is read or written; every wait has
//! a time limit; a dropped run takes its whole process group with it; without a Codex there is `None`, so that a test
//! can say that it was skipped.
//!
//! Facts: the Codex CLI 0.171.0. A custom provider needs no login; stdin must be closed for `exec`.

mod app_server;
mod lab;
mod process;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

pub use app_server::AppServer;
pub use lab::{ExecRun, Lab, LabOptions, McpServer};

/// Names the program, or the folder of an npm installation (`npm install --prefix`).
pub const CODEX_VARIABLE: &str = "LARKSPAN_CODEX";

/// An installed Codex CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodexCli {
    program: PathBuf,
    version: String,
}

impl CodexCli {
    /// The Codex that [`CODEX_VARIABLE`] names, else the one on `PATH`; `None` when neither is there. A variable that
    /// names no Codex is an error: whoever set it does not want the tests to be skipped.
    pub fn find() -> Result<Option<Self>> {
        match std::env::var_os(CODEX_VARIABLE) {
            Some(named) if !named.is_empty() => {
                let path = Path::new(&named);
                let cli = Self::at(path).with_context(|| {
                    format!("{CODEX_VARIABLE} names {}, which is no Codex CLI that starts", path.display())
                })?;
                Ok(Some(cli))
            }
            _ => Ok(std::env::var_os("PATH").and_then(|path| Self::on(&path))),
        }
    }

    /// The Codex at this path: the program itself, or an npm prefix folder.
    pub fn at(path: &Path) -> Option<Self> {
        let program = if path.is_dir() { path.join("node_modules/.bin/codex") } else { path.to_owned() };
        // The program runs in other folders than ours.
        let program = std::path::absolute(program).ok()?;
        let output = Command::new(&program).arg("--version").output().ok()?;
        let said = String::from_utf8(output.stdout).ok()?;
        let version = said.trim().strip_prefix("codex-cli ")?.to_owned();
        Some(Self { program, version })
    }

    fn on(path: &OsStr) -> Option<Self> {
        std::env::split_paths(path)
            .map(|folder| folder.join("codex"))
            .filter(|program| program.is_file())
            .find_map(|program| Self::at(&program))
    }

    /// Its version, as in `0.171.0`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }
}
