//! Golden files: what was looked at once and must not change unseen. `UPDATE_GOLDEN=1` writes them anew.

use std::fs;
use std::path::Path;

use pretty_assertions::StrComparison;

/// Set to anything, the golden files are written instead of compared.
const UPDATE: &str = "UPDATE_GOLDEN";

/// Compares with the golden file of this name, or writes it. Gives what is wrong.
pub(crate) fn difference(name: &str, actual: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/golden").join(name);
    if std::env::var_os(UPDATE).is_some_and(|value| !value.is_empty()) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, actual).unwrap();
        return None;
    }
    match fs::read_to_string(&path) {
        Ok(expected) if expected == actual => None,
        Ok(expected) => Some(format!("{name}:\n{}", StrComparison::new(&expected, actual))),
        Err(error) => Some(format!("{name}: {error}; {UPDATE}=1 writes it")),
    }
}

/// Fails with everything that is wrong.
#[track_caller]
pub(crate) fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "{} found:\n{}", found.len(), found.join("\n"));
}
