//! The dependency rule: which of our crates may know which, and what core may be made of.
//!
//! Facts: `cargo metadata` for what the manifests declare, `cargo tree` for what the workspace builds.

use std::collections::BTreeSet;
use std::process::Command;

use serde::Deserialize;

use super::{assert_found, assert_nothing, root};

/// For the wiring and the tests.
const ALL: &[&str] = &[
    "larkspan-core",
    "larkspan-logtail",
    "larkspan-codex-adapter",
    "larkspan-claude-adapter",
    "larkspan-kimi-adapter",
    "larkspan-html",
    "larkspan-mirror",
    "larkspan-feishu",
    "larkspan-web",
    "xtask",
];

/// Which of our crates each of our crates may depend on, for building and for testing. An adapter knows core (those of
/// agents also logtail, those that make pages also html) and no other adapter; a use case knows core, and html for its
/// page; only the wiring and the tests know them all.
const ALLOWED: &[(&str, &[&str])] = &[
    ("larkspan-core", &[]),
    ("larkspan-logtail", &["larkspan-core"]),
    ("larkspan-codex-adapter", &["larkspan-core", "larkspan-logtail"]),
    ("larkspan-claude-adapter", &["larkspan-core", "larkspan-logtail"]),
    ("larkspan-kimi-adapter", &["larkspan-core", "larkspan-logtail"]),
    ("larkspan-html", &[]),
    ("larkspan-mirror", &["larkspan-core", "larkspan-html"]),
    ("larkspan-feishu", &["larkspan-core"]),
    ("larkspan-web", &["larkspan-html"]),
    ("xtask", ALL),
    ("larkspan-tests", ALL),
];

/// Crates that only these of ours may name: an error without a type belongs where nobody has to handle it.
const RESERVED: &[(&str, &[&str])] = &[("anyhow", &["xtask", "larkspan-tests"])];

/// Everything that core is built from, on every platform, with the features that the workspace turns on.
const CORE_IS_MADE_OF: &[&str] = &[
    "aho-corasick",
    "async-trait",
    "itoa",
    "jiff",
    "jiff-core",
    "jiff-static",
    "memchr",
    "portable-atomic",
    "portable-atomic-util",
    "proc-macro2",
    "quote",
    "regex",
    "regex-automata",
    "regex-syntax",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "syn",
    "thiserror",
    "thiserror-impl",
    "unicode-ident",
    "zmij",
    // Of jiff on Windows, and only because the wiring asks it for the machine's time zone.
    "windows-link",
];

/// Never in the list above: core has no I/O, no runtime, no clock of its own and no mocks in it.
const NEVER_IN_CORE: &[&str] = &[
    "async-std",
    "axum",
    "chrono",
    "futures",
    "getrandom",
    "hyper",
    "libc",
    "mio",
    "mockall",
    "notify",
    "rand",
    "reqwest",
    "rustix",
    "smol",
    "socket2",
    "sqlx",
    "tempfile",
    "tokio",
    "tokio-util",
    "tower",
    "ureq",
    "uuid",
    "windows-sys",
];

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; none for what is built in.
    kind: Option<String>,
    /// Its folder, when it is in this workspace.
    path: Option<String>,
}

fn cargo(arguments: &[&str]) -> String {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn members() -> Vec<Package> {
    let printed = cargo(&["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    serde_json::from_str::<Metadata>(&printed).unwrap().packages
}

/// Edges between our crates that the table does not allow, crates without a row, and rows without a crate.
fn forbidden_edges(members: &[Package], allowed: &[(&str, &[&str])]) -> Vec<String> {
    let mut found = Vec::new();
    for package in members {
        let Some((_, may)) = allowed.iter().find(|(name, _)| *name == package.name) else {
            found.push(format!("{} has no row in the table of allowed edges", package.name));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| dependency.path.is_some()) {
            if !may.contains(&dependency.name.as_str()) {
                let kind = dependency.kind.as_deref().unwrap_or("normal");
                found.push(format!("{} → {} ({kind})", package.name, dependency.name));
            }
        }
    }
    for (name, _) in allowed {
        if !members.iter().any(|package| package.name == *name) {
            found.push(format!("{name} has a row in the table of allowed edges, but there is no such crate"));
        }
    }
    found
}

/// Uses of a reserved crate elsewhere.
fn misplaced(members: &[Package], reserved: &[(&str, &[&str])]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, users) in reserved {
        for package in members.iter().filter(|package| !users.contains(&package.name.as_str())) {
            if package.dependencies.iter().any(|dependency| dependency.name == *name) {
                found.push(format!("{} → {name}, which is for {}", package.name, users.join(" and ")));
            }
        }
    }
    found
}

/// The crates below `of`, itself not counted, in what `cargo tree --prefix depth --no-dedupe --format {p}` printed for
/// the workspace: `2serde v1.0.0`.
fn closure(tree: &str, of: &str) -> BTreeSet<String> {
    let lines = tree.lines().filter_map(|line| {
        let digits = line.find(|c: char| !c.is_ascii_digit())?;
        let depth: usize = line.get(..digits)?.parse().ok()?;
        Some((depth, line.get(digits..)?.split(' ').next()?))
    });
    lines
        .skip_while(|line| *line != (0, of))
        .skip(1)
        .take_while(|(depth, _)| *depth > 0)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// Where the closure and the list differ.
fn differences(closure: &BTreeSet<String>, list: &[&str]) -> Vec<String> {
    let new = closure.iter().filter(|name| !list.contains(&name.as_str()));
    let gone = list.iter().filter(|name| !closure.contains(**name));
    new.map(|name| format!("core is now also made of {name}"))
        .chain(gone.map(|name| format!("core is no longer made of {name}: strike it from the list")))
        .collect()
}

#[test]
fn our_crates_know_only_those_they_may_know() {
    let members = members();
    assert_nothing(&forbidden_edges(&members, ALLOWED));
    assert_nothing(&misplaced(&members, RESERVED));
}

#[test]
fn core_is_made_of_what_is_listed() {
    // Not with development dependencies: their features (mocks) are not in what users build.
    let tree = cargo(&[
        "tree",
        "--workspace",
        "--locked",
        "--target",
        "all",
        "--edges",
        "normal,build",
        "--no-dedupe",
        "--prefix",
        "depth",
        "--format",
        "{p}",
    ]);
    let closure = closure(&tree, "larkspan-core");
    assert!(!closure.is_empty(), "core is not in the tree:\n{tree}");
    assert_nothing(&differences(&closure, CORE_IS_MADE_OF));
}

#[test]
fn what_core_must_not_have_is_not_in_the_list() {
    let both: Vec<_> = CORE_IS_MADE_OF.iter().filter(|name| NEVER_IN_CORE.contains(name)).collect();
    assert!(both.is_empty(), "{both:?}");
}

fn package(name: &str, dependencies: &[(&str, Option<&str>, bool)]) -> Package {
    Package {
        name: name.to_owned(),
        dependencies: dependencies
            .iter()
            .map(|(name, kind, ours)| Dependency {
                name: (*name).to_owned(),
                kind: kind.map(str::to_owned),
                path: ours.then(|| format!("/{name}")),
            })
            .collect(),
    }
}

#[test]
fn a_forbidden_edge_is_found() {
    let members = [
        package("core", &[("serde", None, false), ("adapter", Some("dev"), true)]),
        package("adapter", &[("core", None, true), ("other-adapter", None, true)]),
        package("other-adapter", &[("core", None, true), ("anyhow", Some("dev"), false)]),
    ];
    let allowed: &[(&str, &[&str])] = &[("core", &[]), ("adapter", &["core"]), ("ghost", &["core"])];
    assert_found(
        &forbidden_edges(&members, allowed),
        &[
            "core → adapter (dev)",
            "adapter → other-adapter (normal)",
            "other-adapter has no row",
            "ghost has a row",
        ],
    );
    assert_found(&misplaced(&members, &[("anyhow", &["core"])]), &["other-adapter → anyhow"]);
    assert_nothing(&misplaced(&members, &[("anyhow", &["other-adapter"])]));
}

#[test]
fn the_tree_below_a_crate_is_read() {
    let tree = "0a v1.0.0 (/a)\n1core v1.0.0 (/core)\n2never v2.0.0\n\n0core v1.0.0 (/core)\n1serde v1.0.0\n\
                2serde_derive v1.0.0 (proc-macro)\n10deep v0.1.0\n\n0z v1.0.0 (/z)\n1tokio v1.0.0\n";
    let core = closure(tree, "core");
    assert_eq!(core, ["deep", "serde", "serde_derive"].map(str::to_owned).into());
    assert_found(&differences(&core, &["serde", "serde_derive", "regex"]), &["deep", "regex"]);
    assert!(closure(tree, "absent").is_empty());
}
