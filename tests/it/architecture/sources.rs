//! The sources: each file says what it owns, stays short, and turns no lint off without a trace.

use std::fs;
use std::path::{Path, PathBuf};

use super::{assert_found, assert_nothing, root, text};

/// Past this a file owns more than one idea.
const MAX_LINES: usize = 800;

/// The folders with sources.
const FOLDERS: &[&str] = &["crates", "xtask", "tests"];

/// Every Rust file below a folder, in order.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// What is wrong with a source.
fn faults(name: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    // What `foo/tests.rs` holds is said by its name.
    if !name.ends_with("/tests.rs") && !source.starts_with("//! ") {
        found.push(format!("{name}: does not open with `//!`, saying what it owns"));
    }
    let lines = source.lines().count();
    if lines > MAX_LINES {
        found.push(format!("{name}: {lines} lines, more than {MAX_LINES}"));
    }
    found.extend(allowed_lints(source).iter().map(|line| {
        format!("{name}:{line}: turns a lint off with `allow`; use `#[expect(…, reason = \"…\")]`")
    }));
    found
}

/// The lines of attributes that allow a lint, also through `cfg_attr`.
fn allowed_lints(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (start, _) in source.match_indices('#') {
        let line = source[..start].rfind('\n').map_or(0, |end| end + 1);
        if source[line..start].trim_start().starts_with("//") {
            continue;
        }
        let after = source[start + 1..].trim_start_matches('!');
        if after.starts_with('[') && names_allow(attribute(after)) {
            found.push(source[..start].matches('\n').count() + 1);
        }
    }
    found
}

/// From the opening bracket to the one that closes it.
fn attribute(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// Whether the word stands in it, outside of a string, with something to allow.
fn names_allow(attribute: &str) -> bool {
    let code: String = attribute.split('"').step_by(2).collect();
    code.match_indices("allow").any(|(at, word)| {
        let before = code[..at].chars().next_back();
        before.is_some_and(|c| !c.is_alphanumeric() && c != '_')
            && code[at + word.len()..].trim_start().starts_with('(')
    })
}

#[test]
fn sources_say_what_they_own_stay_short_and_allow_nothing() {
    let root = root();
    let files: Vec<PathBuf> = FOLDERS.iter().flat_map(|folder| rust_files(&root.join(folder))).collect();
    assert!(files.len() > 50, "only {} sources found", files.len());
    let found: Vec<String> = files
        .iter()
        .flat_map(|path| faults(&path.strip_prefix(&root).unwrap().display().to_string(), &text(path)))
        .collect();
    assert_nothing(&found);
}

#[test]
fn a_long_or_nameless_source_is_found() {
    let source = |lines: usize| "//! Owns it.\n".repeat(lines);
    assert_nothing(&faults("a.rs", &source(MAX_LINES)));
    assert_found(&faults("a.rs", &source(MAX_LINES + 1)), &["a.rs: 801 lines"]);
    assert_found(&faults("a.rs", "use std::fs;\n"), &["does not open with"]);
    assert_found(&faults("a.rs", ""), &["does not open with"]);
    assert_nothing(&faults("a/tests.rs", "use super::*;\n"));
}

#[test]
fn an_allowed_lint_is_found() {
    // Put together here, so that this file does not hold what it looks for.
    let hash = '#';
    let attribute = |inner: &str| format!("//! Owns it.\n\n{hash}[{inner}]\nfn f() {{}}\n");
    for (inner, found) in [
        ("allow(dead_code)", true),
        ("allow (dead_code, reason = \"none\")", true),
        ("cfg_attr(test, allow(dead_code))", true),
        ("cfg_attr(\n    test,\n    allow(dead_code)\n)", true),
        ("expect(dead_code, reason = \"they allow (or not)\")", false),
        ("expect(dead_code, reason = \"allowed\")", false),
        ("cfg(feature = \"allow\")", false),
        ("disallow(x)", false),
    ] {
        let expected: &[usize] = if found { &[3] } else { &[] };
        assert_eq!(allowed_lints(&attribute(inner)), expected, "{inner}");
    }
    assert_eq!(allowed_lints(&format!("{hash}![allow(missing_docs)]\n")), [1]);
    assert!(allowed_lints(&format!("    // {hash}[allow(dead_code)]\n")).is_empty());
}

/// The crates that do not know which agent it was.
const NEUTRAL: &[&str] =
    &["crates/core/src", "crates/mirror/src", "crates/feishu/src", "crates/html/src", "crates/web/src"];
const AGENTS: [&str; 3] = ["codex", "claude", "kimi"];

/// The lines of code, not of comments and not of tests, that name an agent.
fn named_agents(source: &str) -> Vec<usize> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let names = |line: &str| {
        let line = line.split("//").next().unwrap_or_default().to_ascii_lowercase();
        AGENTS.iter().any(|agent| line.contains(agent))
    };
    code.lines().enumerate().filter(|(_, line)| names(line)).map(|(at, _)| at + 1).collect()
}

#[test]
fn behind_the_adapters_nobody_knows_which_agent_it_was() {
    let root = root();
    let files: Vec<PathBuf> = NEUTRAL.iter().flat_map(|folder| rust_files(&root.join(folder))).collect();
    let is_test = |path: &PathBuf| {
        path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
    };
    let found: Vec<String> = files
        .iter()
        .filter(|path| !is_test(path))
        .flat_map(|path| {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            named_agents(&text(path)).into_iter().map(move |line| format!("{name}:{line} names an agent"))
        })
        .collect();
    assert!(files.len() > 80, "only {} sources found", files.len());
    assert_nothing(&found);
}

#[test]
fn a_named_agent_is_found() {
    let source = "//! Codex.\nfn f() {\n    if agent == \"Claude\" {} // Kimi\n}\n#[cfg(test)]\nmod tests {\n    kimi\n}\n";
    assert_eq!(named_agents(source), [3]);
}
