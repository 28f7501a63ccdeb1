use std::fs::File;
use std::time::Duration;

use tempfile::TempDir;

use super::*;

/// Writes a file, aged by `age` seconds.
fn write(folder: &Path, name: &str, age: u64) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, name).unwrap();
    let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000 - age);
    File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl")
}

fn names(root: &Path, listing: &Listing) -> Vec<String> {
    listing
        .files
        .iter()
        .map(|file| file.path.strip_prefix(root).unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_newest_come_first_then_the_last_by_name() {
    let root = TempDir::new().unwrap();
    for (name, age) in [
        ("b.jsonl", 5),
        ("2026/01/a.jsonl", 1),
        ("2026/02/c.jsonl", 5),
        ("2026/d.jsonl", 9),
        ("a.jsonl", 5),
        ("note.txt", 0),
    ] {
        write(root.path(), name, age);
    }
    let all = ["2026/01/a.jsonl", "b.jsonl", "a.jsonl", "2026/02/c.jsonl", "2026/d.jsonl"];
    for limit in [0, 1, 3, 5, 99] {
        let listing = list_files(root.path(), is_log, limit);
        assert_eq!(names(root.path(), &listing), all[..limit.min(5)], "limit {limit}");
        assert!(listing.problems.is_empty() && !listing.is_partial);
    }
    let listing = list_files(root.path(), is_log, 1);
    assert_eq!(listing.files[0].len, 15);
    assert_eq!(listing.files[0].modified, SystemTime::UNIX_EPOCH + Duration::from_secs(1_999_999_999));
}

#[test]
fn a_compressed_log_counts_under_its_plain_name_and_yields_to_its_twin() {
    let root = TempDir::new().unwrap();
    for (name, age) in [("a.jsonl", 1), ("a.jsonl.zst", 1), ("b.jsonl.zst", 2), ("c.txt.zst", 3)] {
        write(root.path(), name, age);
    }
    assert_eq!(names(root.path(), &list_files(root.path(), is_log, 9)), ["a.jsonl", "b.jsonl.zst"]);
}

#[test]
fn what_cannot_be_looked_at_is_reported() {
    let root = TempDir::new().unwrap();
    let missing = list_files(&root.path().join("none"), is_log, 9);
    assert!(missing.files.is_empty());
    assert!(matches!(missing.problems.as_slice(), [Error::Missing { .. }]), "{:?}", missing.problems);

    write(root.path(), "a.jsonl", 1);
    let file = list_files(&root.path().join("a.jsonl"), is_log, 9);
    assert_eq!((file.files.len(), file.problems.len()), (0, 1));
}

#[test]
fn a_tree_too_deep_is_listed_as_far_as_it_goes() {
    let root = TempDir::new().unwrap();
    let deep = "d/".repeat(MAX_DEPTH);
    write(root.path(), &format!("{deep}a.jsonl"), 1);
    let listing = list_files(root.path(), is_log, 9);
    assert_eq!((listing.files.len(), listing.is_partial), (1, false));
    write(root.path(), &format!("{deep}d/b.jsonl"), 1);
    let listing = list_files(root.path(), is_log, 9);
    assert_eq!((listing.files.len(), listing.is_partial), (1, true));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn links_are_followed_and_loops_end() {
        let root = TempDir::new().unwrap();
        let elsewhere = TempDir::new().unwrap();
        write(root.path(), "sub/a.jsonl", 1);
        write(elsewhere.path(), "b.jsonl", 2);
        write(elsewhere.path(), "c.jsonl", 3);
        symlink(root.path(), root.path().join("sub/up")).unwrap();
        symlink("itself", root.path().join("itself")).unwrap();
        symlink("sub", root.path().join("again")).unwrap();
        symlink(elsewhere.path(), root.path().join("other")).unwrap();
        symlink(elsewhere.path().join("c.jsonl"), root.path().join("link.jsonl")).unwrap();
        symlink("nowhere.jsonl", root.path().join("broken.jsonl")).unwrap();
        let listing = list_files(root.path(), is_log, 99);
        // Once each, under the name that needs no link where there is one.
        assert_eq!(
            names(root.path(), &listing),
            ["sub/a.jsonl", "other/b.jsonl", "other/c.jsonl", "link.jsonl"]
        );
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "a skipped test must be seen to be skipped")]
    fn an_unreadable_folder_costs_its_own_files_only() {
        let root = TempDir::new().unwrap();
        write(root.path(), "open/a.jsonl", 1);
        write(root.path(), "shut/b.jsonl", 1);
        let shut = root.path().join("shut");
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read_dir(&shut).is_ok() {
            eprintln!("skipped: this user may read everything");
            return;
        }
        let listing = list_files(root.path(), is_log, 9);
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(names(root.path(), &listing), ["open/a.jsonl"]);
        assert!(
            matches!(listing.problems.as_slice(), [Error::Denied { path, .. }] if *path == shut),
            "{:?}",
            listing.problems
        );
    }

    #[test]
    fn pipes_are_no_logs() {
        let root = TempDir::new().unwrap();
        let pipe = root.path().join("pipe.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(list_files(root.path(), is_log, 9).files.is_empty());
    }
}
