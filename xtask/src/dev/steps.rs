//! The steps of `cargo xtask ci`: what each runs, what it needs first, and when it cannot run.
//!
//! Invariants
//! - Every test of the workspace belongs to exactly one of the steps test, architecture and e2e, with `cargo nextest` as
//!   with `cargo test`.
//! - The steps share one target folder, the same flags and, from build to e2e, the same set of features, so that nothing
//!   is compiled twice: warnings are denied by arguments after `--`, not by RUSTFLAGS.

use std::fmt;
use std::path::Path;
use std::process::Command;

use clap::ValueEnum;

use super::skipped;
use super::workspace::{Package, Workspace, answer};

/// Names the product's program to the end-to-end tests.
const PRODUCT_VARIABLE: &str = "LARKSPAN_BIN";

/// The target that core must build for: it has no operating system to talk to.
const BARE_TARGET: &str = "wasm32-unknown-unknown";

/// The tests of this module of `tests/it` hold the rules between the crates.
const ARCHITECTURE: &str = "architecture::";

/// A step, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Step {
    /// The code is formatted
    Fmt,
    /// clippy on everything, warnings denied
    Clippy,
    /// Each crate by itself, with every set of features it has, warnings denied
    Features,
    /// Everything compiles: libraries, programs, tests
    Build,
    /// The dependency rule and the house rules that no lint holds
    Architecture,
    /// The tests of each crate
    Test,
    /// The end-to-end tests, with the built `larkspan`
    E2e,
    /// The examples in the documentation run
    Doctest,
    /// The documentation has no broken link
    Docs,
    /// core builds where there is no operating system
    Wasm,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.to_possible_value();
        f.pad(name.as_ref().map_or("", |value| value.get_name()))
    }
}

/// What there is to do for a step.
#[derive(Debug)]
pub(super) enum Plan {
    /// These commands, one after the other, until one fails.
    Run(Vec<Command>),
    /// It cannot run here, and why.
    Skip(String),
}

/// What runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    /// One process a test, all at once.
    Nextest,
    /// Comes with Cargo.
    CargoTest,
}

/// Which tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tests {
    Crates,
    Architecture,
    EndToEnd,
}

/// What the steps of one run share.
#[derive(Debug)]
pub(super) struct Setting<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) runner: Runner,
    /// Where skipped tests tell so.
    pub(super) skipped: &'a Path,
    /// Only the end-to-end tests with such a name.
    pub(super) names: &'a [String],
}

impl Step {
    /// Every step.
    pub(super) fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// The step without which this one says nothing.
    pub(super) fn needs(self) -> Option<Self> {
        match self {
            // They start the built program.
            Self::E2e => Some(Self::Build),
            Self::Fmt
            | Self::Clippy
            | Self::Features
            | Self::Build
            | Self::Architecture
            | Self::Test
            | Self::Doctest
            | Self::Docs
            | Self::Wasm => None,
        }
    }

    /// What to do.
    pub(super) fn plan(self, setting: &Setting<'_>) -> Plan {
        let workspace = setting.workspace;
        let cargo = |arguments: &[&str]| {
            let mut command = workspace.cargo();
            command.args(arguments);
            command
        };
        Plan::Run(match self {
            Self::Fmt => vec![cargo(&["fmt", "--all", "--check"])],
            Self::Clippy => vec![cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])],
            Self::Features => feature_sets(workspace.packages())
                .iter()
                .map(|(package, set)| {
                    let mut command = cargo(&["clippy", "--package", package]);
                    command.args(*set).args(["--", "-D", "warnings"]);
                    command
                })
                .collect(),
            Self::Build => vec![cargo(&["build", "--workspace", "--all-targets"])],
            Self::Architecture => vec![setting.tests(Tests::Architecture)],
            Self::Test => vec![setting.tests(Tests::Crates)],
            Self::E2e => vec![setting.tests(Tests::EndToEnd)],
            Self::Doctest => vec![cargo(&["test", "--workspace", "--doc"])],
            Self::Docs => vec![docs(workspace)],
            Self::Wasm if !has_target(BARE_TARGET) => {
                return Plan::Skip(format!(
                    "no standard library for {BARE_TARGET} (rustup target add {BARE_TARGET})"
                ));
            }
            Self::Wasm => vec![cargo(&["build", "--package", "larkspan-core", "--target", BARE_TARGET])],
        })
    }
}

/// The documentation, with warnings denied.
pub(super) fn docs(workspace: &Workspace) -> Command {
    let mut command = workspace.cargo();
    command.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    command
}

impl Runner {
    /// `cargo nextest` where it is installed.
    pub(super) fn find(workspace: &Workspace) -> Self {
        match answer(workspace.cargo().args(["nextest", "--version"])) {
            Some(_) => Self::Nextest,
            None => Self::CargoTest,
        }
    }

    fn arguments(self, tests: Tests) -> &'static [&'static str] {
        match (self, tests) {
            (Self::Nextest, Tests::Crates) => &["-E", "not kind(test)"],
            (Self::Nextest, Tests::Architecture) => &["-E", "kind(test) and test(/^architecture::/)"],
            (Self::Nextest, Tests::EndToEnd) => &["-E", "kind(test) and not test(/^architecture::/)"],
            (Self::CargoTest, Tests::Crates) => &["--lib", "--bins", "--examples"],
            (Self::CargoTest, Tests::Architecture) => &["--test", "*", "--", ARCHITECTURE],
            (Self::CargoTest, Tests::EndToEnd) => &["--test", "*", "--", "--skip", ARCHITECTURE],
        }
    }
}

impl Setting<'_> {
    fn tests(&self, tests: Tests) -> Command {
        let mut command = self.workspace.cargo();
        match self.runner {
            // A line for every test that passed would hide the rest; the slow and the failed ones are shown.
            Runner::Nextest => command.args(["nextest", "run", "--status-level", "slow"]),
            Runner::CargoTest => command.arg("test"),
        };
        command.args(["--workspace", "--no-fail-fast"]).args(self.runner.arguments(tests));
        command.env(skipped::LOG_VARIABLE, self.skipped);
        if tests == Tests::EndToEnd {
            command.env(PRODUCT_VARIABLE, self.workspace.program("debug", "larkspan"));
            command.args(self.names);
        }
        command
    }
}

/// Each package with the arguments of each of its sets of features; sets that are the same stand once.
fn feature_sets(packages: &[Package]) -> Vec<(&str, &'static [&'static str])> {
    let mut sets: Vec<(&str, &'static [&'static str])> = Vec::new();
    for package in packages {
        let default = package.features.get("default").map_or(0, Vec::len);
        let named = package.features.keys().filter(|name| *name != "default").count();
        sets.push((&package.name, &[]));
        if default > 0 {
            sets.push((&package.name, &["--no-default-features"]));
        }
        if named > default {
            sets.push((&package.name, &["--all-features"]));
        }
    }
    sets
}

fn has_target(target: &str) -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    answer(Command::new(rustc).args(["--print", "target-libdir", "--target", target]))
        .is_some_and(|folder| Path::new(&folder).is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_of_features_is_built_once() {
        let package = |name: &str, features: &[(&str, &[&str])]| Package {
            name: name.to_owned(),
            features: features
                .iter()
                .map(|(name, on)| ((*name).to_owned(), on.iter().map(|on| (*on).to_owned()).collect()))
                .collect(),
        };
        let packages = [
            package("plain", &[]),
            package("optional", &[("testing", &["dep:mockall"])]),
            package("whole", &[("default", &["app"]), ("app", &[])]),
            package("both", &[("default", &["app"]), ("app", &[]), ("more", &[])]),
        ];
        assert_eq!(
            feature_sets(&packages),
            [
                ("plain", &[] as &[&str]),
                ("optional", &[]),
                ("optional", &["--all-features"]),
                ("whole", &[]),
                ("whole", &["--no-default-features"]),
                ("both", &[]),
                ("both", &["--no-default-features"]),
                ("both", &["--all-features"]),
            ]
        );
    }

    #[test]
    fn what_a_step_needs_runs_before_it() {
        for step in Step::all() {
            assert!(step.needs().is_none_or(|needed| needed < *step), "{step}");
        }
        assert!(Step::all().is_sorted());
    }
}
