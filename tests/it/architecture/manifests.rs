//! The manifests: one place for versions, one for lints, and features named where they are used.

use toml::{Table, Value};

use super::{assert_found, assert_nothing, root, text};

/// Keys of `[package]` that the workspace decides.
const INHERITED: &[&str] = &["version", "edition", "rust-version", "license", "publish"];

const DEPENDENCIES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

fn is_true(table: Option<&Value>, key: &str) -> bool {
    table.and_then(|table| table.get(key)).and_then(Value::as_bool) == Some(true)
}

/// What is wrong with the manifest of a member.
fn member_faults(name: &str, manifest: &Table) -> Vec<String> {
    let mut found = Vec::new();
    if !is_true(manifest.get("lints"), "workspace") {
        found.push(format!("{name}: no `[lints] workspace = true`"));
    }
    for key in INHERITED {
        if !is_true(manifest.get("package").and_then(|package| package.get(key)), "workspace") {
            found.push(format!("{name}: no `{key}.workspace = true`"));
        }
    }
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    for part in platforms.filter_map(Value::as_table).chain([manifest]) {
        let tables = DEPENDENCIES.iter().filter_map(|kind| part.get(*kind)?.as_table());
        for (dependency, entry) in tables.flatten() {
            // Everything else (a version, a path, a repository) has its place in the root.
            let only_features = entry.as_table().is_some_and(|entry| {
                entry.keys().all(|key| ["workspace", "features", "optional"].contains(&key.as_str()))
            });
            if !is_true(Some(entry), "workspace") || !only_features {
                found.push(format!("{name}: `{dependency}` is not just `workspace = true` with features"));
            }
        }
    }
    found
}

/// What is wrong with the root manifest.
fn root_faults(manifest: &Table) -> Vec<String> {
    let Some(dependencies) = manifest
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Value::as_table)
    else {
        return vec!["no [workspace.dependencies]".to_owned()];
    };
    let is_ours = |entry: &Value| entry.get("path").is_some();
    let is_narrow = |entry: &Value| entry.get("default-features").and_then(Value::as_bool) == Some(false);
    dependencies
        .iter()
        .filter(|(_, entry)| !is_ours(entry) && !is_narrow(entry))
        .map(|(name, _)| format!("`{name}` has its default features"))
        .collect()
}

#[test]
fn versions_and_lints_stand_in_the_root_manifest() {
    let root = root();
    let manifest: Table = text(&root.join("Cargo.toml")).parse().unwrap();
    assert_nothing(&root_faults(&manifest));

    let mut folders = vec![root.join("xtask"), root.join("tests")];
    folders.extend(std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()));
    for folder in folders {
        let path = folder.join("Cargo.toml");
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        assert_nothing(&member_faults(&name, &text(&path).parse().unwrap()));
    }
}

#[test]
fn a_version_or_lints_of_its_own_are_found() {
    let good = "\
        package = { name = 'a', version.workspace = true, edition.workspace = true, rust-version.workspace = true, \
                    license.workspace = true, publish.workspace = true }\n\
        lints.workspace = true\n\
        dependencies.serde = { workspace = true, features = ['rc'], optional = true }\n";
    assert_nothing(&member_faults("a", &good.parse().unwrap()));
    for (from, to, expected) in [
        ("lints.workspace = true", "lints.rust.unsafe_code = 'allow'", "[lints]"),
        ("lints.workspace = true\n", "", "[lints]"),
        ("edition.workspace = true", "edition = '2021'", "`edition"),
        ("workspace = true, features", "version = '1.0', features", "`serde`"),
        ("features = ['rc']", "path = '../serde'", "`serde`"),
        (
            "dependencies.serde = { workspace = true, features = ['rc'], optional = true }",
            "dependencies.a = '1'",
            "`a`",
        ),
        ("dependencies.serde = { workspace = true", "dev-dependencies.serde = { version = '1'", "`serde`"),
        (
            "dependencies.serde = { workspace = true",
            "target.'cfg(unix)'.dependencies.serde = { git = 'x'",
            "`serde`",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        assert_found(&member_faults("a", &good.replace(from, to).parse().unwrap()), &[expected]);
    }
}

#[test]
fn default_features_are_found() {
    let manifest = "\
        [workspace.dependencies]\n\
        ours = { path = 'crates/ours' }\n\
        narrow = { version = '1', default-features = false }\n\
        wide = '1'\n\
        wider = { version = '1', features = ['x'] }\n";
    assert_found(&root_faults(&manifest.parse().unwrap()), &["`wide`", "`wider`"]);
    assert_found(&root_faults(&"[workspace]".parse().unwrap()), &["no [workspace.dependencies]"]);
}
