//! Envelopes, outputs, recorded changes and paths.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{
    Change, PatchAction, PatchEnvelope, PatchFile, RecordedChange, diff, files_from_stdout, relative_to,
    sort_changes,
};

type Row<'a> = (&'a str, PatchAction, Option<&'a str>, u64, u64);

fn rows(files: &[PatchFile]) -> Vec<Row<'_>> {
    files
        .iter()
        .map(|file| (file.path.as_str(), file.action, file.to.as_deref(), file.added, file.removed))
        .collect()
}

#[test]
fn envelopes_are_read() {
    use PatchAction::{Add, Delete, Move, Update};
    let check = |text: &str, expected: &[Row<'_>], complete: bool| {
        let patch = PatchEnvelope::parse(text).unwrap();
        assert_eq!(rows(&patch.files), expected, "{text}");
        assert_eq!(patch.complete, complete, "{text}");
    };
    let all = "*** Begin Patch\n*** Add File: notes.txt\n+one\n+\n*** Update File: src/a.py\n@@ def f():\n ctx\n-old\n+new\n*** End of File\n\
               *** Delete File: old.txt\n*** Update File: b c.py\n*** Move to: d e.py\n@@\n--- x\n+++ y\n*** End Patch\n";
    let expected = [
        ("notes.txt", Add, None, 2, 0),
        ("src/a.py", Update, None, 1, 1),
        ("old.txt", Delete, None, 0, 0),
        ("b c.py", Move, Some("d e.py"), 1, 1),
    ];
    check(all, &expected, true);
    check(&all.replace('\n', "\r\n"), &expected, true);
    check(&format!("<<'EOF'\n{all}EOF\n*** Add File: never\n"), &expected, true);
    check(&all.replace("*** End Patch\n", ""), &expected, false);
    check(
        "  *** Begin Patch  \n  *** Add File: a\n+x\n  *** Delete File: b\n *** End Patch",
        &[("a", Add, None, 1, 0), ("b", Delete, None, 0, 0)],
        true,
    );
    // A header that is context or content is none.
    check(
        "*** Begin Patch\n*** Update File: a\n@@\n *** Delete File: b\n+*** Add File: c\n-*** Move to: d\n*** End Patch",
        &[("a", Update, None, 1, 1)],
        true,
    );
    check("*** Begin Patch\n*** Add File: a\n*** Move to: b\n*** End Patch", &[("a", Add, None, 0, 0)], true);
    check(
        "*** Begin Patch\n*** Update File: a\n@@\n+1\n*** Update File: a\n@@\n+2\n*** End Patch",
        &[("a", Update, None, 1, 0), ("a", Update, None, 1, 0)],
        true,
    );
    check("*** Begin Patch\n*** End Patch", &[], true);
    check("*** Begin Patch", &[], false);
    for other in [
        "",
        "*** End Patch",
        "text *** Begin Patch",
        "*** Add File: a\n+x",
        "{\"patch\":\"*** Begin Patch\\n\"}",
    ] {
        assert_eq!(PatchEnvelope::parse(other), None, "{other}");
    }
}

#[test]
fn outputs_name_files() {
    use PatchAction::{Add, Delete, Update};
    let check = |stdout: &str, expected: &[(&str, PatchAction)]| {
        let files = files_from_stdout(stdout);
        let found: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.action)).collect();
        assert_eq!(found, expected, "{stdout}");
    };
    check(
        "Success. Updated the following files:\nA notes.txt\nM src/a b.py\nD old.txt\n",
        &[("notes.txt", Add), ("src/a b.py", Update), ("old.txt", Delete)],
    );
    check("Exit code: 0\nOutput:\nSuccess. Updated the following files:\r\nA a\r\n\r\nM b", &[("a", Add)]);
    check("A man\nM b\n", &[]);
    check("", &[]);
}

fn add(path: &str, content: &str) -> RecordedChange {
    RecordedChange { path: path.into(), change: Change::Add { content: content.into() } }
}

fn update(path: &str, unified_diff: &str, to: Option<&str>) -> RecordedChange {
    let change = Change::Update { unified_diff: unified_diff.into(), move_path: to.map(str::to_owned) };
    RecordedChange { path: path.into(), change }
}

fn delete(path: &str, content: &str) -> RecordedChange {
    RecordedChange { path: path.into(), change: Change::Delete { content: content.into() } }
}

#[test]
fn recorded_changes_are_a_diff() {
    use PatchAction::{Add, Delete, Move, Update};
    let changes = [
        add("/w/notes.txt", "one\n"),
        update("/w/src/a.py", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", None),
        delete("/w/old.txt", "x\ny"),
        update("/w/b.py", "@@ -1 +1 @@\n-b\n+c", Some("/w/c.py")),
        update("/w/d.py", "", Some("/else/d.py")),
        update("/w/e.py", "--- a/e.py\n+++ b/e.py\n@@ -1 +1 @@\n-b\n+c\n", None),
        add("/w/empty", ""),
        add("/w/crlf", "a\r\nb\r\n"),
    ];
    let expected = "--- /dev/null\n+++ b/notes.txt\n@@ -0,0 +1 @@\n+one\n\
        --- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\
        --- a/old.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n\\ No newline at end of file\n\
        --- a/b.py\n+++ b/c.py\n@@ -1 +1 @@\n-b\n+c\n\
        --- a/d.py\n+++ /else/d.py\n\
        --- a/e.py\n+++ b/e.py\n@@ -1 +1 @@\n-b\n+c\n\
        --- /dev/null\n+++ b/empty\n\
        --- /dev/null\n+++ b/crlf\n@@ -0,0 +1,2 @@\n+a\r\n+b\r\n";
    assert_eq!(diff(&changes, Some("/w")), expected);
    assert_eq!(diff(&[], None), "");
    assert_eq!(diff(&[add("C:\\w\\a", "x\n")], None), "--- /dev/null\n+++ C:\\w\\a\n@@ -0,0 +1 @@\n+x\n");
    let counted: Vec<PatchFile> = changes.iter().map(RecordedChange::file).collect();
    let counts: Vec<_> = counted.iter().map(|file| (file.action, file.added, file.removed)).collect();
    assert_eq!(
        counts,
        [
            (Add, 1, 0),
            (Update, 1, 1),
            (Delete, 0, 2),
            (Move, 1, 1),
            (Move, 0, 0),
            (Update, 1, 1),
            (Add, 0, 0),
            (Add, 2, 0)
        ]
    );
}

#[test]
fn changes_come_in_the_order_of_the_patch() {
    let check = |files: &[PatchFile], expected: &[&str]| {
        let mut changes =
            [add("/w/z", ""), add("/w/a", ""), update("/w/m", "", Some("/w/n")), add("/w/b", "")];
        sort_changes(&mut changes, files, Some("/w"));
        let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, expected);
    };
    let file = |path: &str| PatchFile::new(path, PatchAction::Update);
    check(&[], &["/w/a", "/w/b", "/w/m", "/w/z"]);
    check(&[file("z"), file("./b")], &["/w/z", "/w/b", "/w/a", "/w/m"]);
    check(&[file("/w/m"), file("a")], &["/w/m", "/w/a", "/w/b", "/w/z"]);
    // The output of a move names the new path.
    check(&[file("n"), file("a")], &["/w/m", "/w/a", "/w/b", "/w/z"]);
}

#[test]
fn paths_are_seen_from_the_directory() {
    let check = |path: &str, workdir: &str, expected: &str| {
        assert_eq!(relative_to(path, workdir), expected, "{path} from {workdir}");
    };
    check("/w/demo/src/a.py", "/w/demo", "src/a.py");
    check("/w/demo//src/./a.py", "/w/demo/", "src/a.py");
    check("/w/demo", "/w/demo", ".");
    check("/w/demolition/a", "/w/demo", "/w/demolition/a");
    check("/w/demo/../x", "/w/demo", "/w/x");
    check("/etc/x", "/", "/etc/x");
    check("/etc/x", "", "/etc/x");
    check("/w/a", "w", "/w/a");
    check("src/a.py", "/w", "src/a.py");
    check("./src//a.py", "/w", "src/a.py");
    check("../a", "/w", "../a");
    check("a/../../b", "/w", "../b");
    check("/../a", "/w", "/a");
    check("", "/w", ".");
    check("/W/a", "/w", "/W/a");
    check("/w/a\\b", "/w", "a\\b");
    check(r"C:\w\demo\src\a.py", r"c:\W\demo", r"src\a.py");
    check(r"C:\w\demo\src\a.py", "C:/w/demo", r"src\a.py");
    check("C:/w/demo/src/a.py", r"C:\w\demo", "src/a.py");
    check(r"\\?\C:\w\a", r"C:\w", "a");
    check(r"D:\w\a", r"C:\w", r"D:\w\a");
    check(r"C:\a", r"C:\", r"C:\a");
    check(r"\\srv\share\w\a", r"\\srv\share\w", "a");
    check("/w/a", r"C:\w", "/w/a");
    check(r"C:\w\a", "/w", r"C:\w\a");
    check("/工作/文件", "/工作", "文件");
}

proptest! {
    #[test]
    fn any_path_is_stable(
        (path, workdir) in prop_oneof![
            ("(/|\\.\\./|\\./|a|é|b c){0,8}", "(/|\\.\\./|a|é){0,6}"),
            ("[Cc]:[/\\\\]([/\\\\]|\\.\\./|\\./|A|a|é){0,8}", "(C:[/\\\\])?([/\\\\]|A|a){0,6}"),
        ],
    ) {
        let once = relative_to(&path, &workdir);
        prop_assert_eq!(relative_to(&once, &workdir), once.clone());
        prop_assert!(!once.is_empty());
    }

    #[test]
    fn any_patch_is_read(text in "(\\*\\*\\* (Begin Patch|End Patch|Add File: a|Update File: b|Delete File: c|Move to: d)|\\+x|-y| z|\\r?\\n|é){0,30}") {
        if let Some(patch) = PatchEnvelope::parse(&text) {
            let lines = text.lines().count() as u64;
            prop_assert!(patch.files.iter().map(|file| file.added + file.removed).sum::<u64>() <= lines);
            for file in &patch.files {
                prop_assert_eq!(file.action == PatchAction::Move, file.to.is_some());
            }
        }
        prop_assert!(files_from_stdout(&text).is_empty());
    }

    #[test]
    fn any_new_file_reads_back(content in "(a|\\+|-|\\r?\\n|\\\\|é){0,20}") {
        let text = diff(&[add("f", &content)], None);
        let body: Vec<&str> = text.split('\n').skip(3).filter_map(|line| line.strip_prefix('+')).collect();
        let cut = text.ends_with("\n\\ No newline at end of file\n");
        let end = if cut || body.is_empty() { "" } else { "\n" };
        prop_assert_eq!(format!("{}{end}", body.join("\n")), content);
    }
}
