//! The workspace as Cargo sees it, and the commands that run in it.
//!
//! Facts: `cargo metadata --format-version 1`; `CARGO` and `CARGO_MANIFEST_DIR`, which `cargo run` sets.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The workspace that this program belongs to.
#[derive(Debug)]
pub(super) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    packages: Vec<Package>,
}

/// A member.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    /// Every feature with what it turns on.
    pub(super) features: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
}

impl Workspace {
    /// Asks Cargo.
    pub(super) fn find() -> Result<Self> {
        let manifest =
            std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = Path::new(&manifest).parent().context("xtask lies in no workspace")?.to_owned();
        let mut command = cargo(&root);
        command.args(["metadata", "--format-version", "1", "--no-deps"]).stderr(Stdio::inherit());
        let output = command.output().context("cargo does not start")?;
        if !output.status.success() {
            bail!("`cargo metadata` failed in {}", root.display());
        }
        let metadata: Metadata = serde_json::from_slice(&output.stdout)
            .context("`cargo metadata` printed something unexpected")?;
        Ok(Self { root, target: metadata.target_directory, packages: metadata.packages })
    }

    /// The folder of the root manifest.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where Cargo builds.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// The members.
    pub(super) fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// A cargo command, in the root.
    pub(super) fn cargo(&self) -> Command {
        cargo(&self.root)
    }

    /// A built program.
    pub(super) fn program(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).stdin(Stdio::null());
    // What `cargo run` told about this package is not about what is built next.
    for (name, _) in std::env::vars_os() {
        let about_us = name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"));
        if about_us {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command to its end, with its output shown.
pub(super) fn run(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().with_context(|| format!("{} does not start", shown(command)))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a command prints, when it can be run and succeeds.
pub(super) fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| answer.trim().to_owned())
}

/// A command as one would type it, with the variables that it sets.
pub(super) fn shown(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        let value = value?;
        Some(format!("{}={}", name.to_string_lossy(), quoted(&value.to_os_string())))
    });
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default().to_os_string();
    let arguments = command.get_args().map(|argument| quoted(&argument.to_os_string()));
    variables.chain(std::iter::once(quoted(&program))).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn quoted(argument: &OsString) -> String {
    let text = argument.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_is_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["doc", "a b", "it's", ""]).env("FLAGS", "-D warnings").env_remove("OTHER");
        assert_eq!(shown(&command), r"FLAGS='-D warnings' cargo doc 'a b' 'it'\''s' ''");
    }
}
