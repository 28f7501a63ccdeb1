//! Launchers, quoting, and patches in a shell.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::shell::syntax::{Command, parse};
use crate::shell::{HeredocPatch, classify, heredoc_patch, join, peel_command, peel_launcher, write_effect};

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn only_an_exact_launcher_is_peeled() {
    let check = |words: &[&str], expected: Option<&str>| {
        let words = strings(words);
        assert_eq!(peel_launcher(&words).as_deref(), expected, "{words:?}");
        let line = join(&words);
        assert_eq!(peel_command(&line), expected.unwrap_or(&line), "{line}");
    };
    check(&["bash", "-lc", "ls -la"], Some("ls -la"));
    check(&["/bin/bash", "-lc", "echo 'a' \"$b\"\nls"], Some("echo 'a' \"$b\"\nls"));
    check(&["/opt/homebrew/bin/zsh", "-lc", "pwd"], Some("pwd"));
    check(&["sh", "-c", "ls"], Some("ls"));
    check(&["C:\\Program Files\\Git\\bin\\bash.exe", "-lc", "ls"], Some("ls"));
    check(&["bash", "-lc", "bash -lc ls"], Some("bash -lc ls"));
    check(&["bash", "-lc", "ls", "name"], None);
    check(&["bash", "-lc"], None);
    check(&["bash", "-l", "-c", "ls"], None);
    check(&["bash", "-x", "ls"], None);
    check(&["fish", "-lc", "ls"], None);
    check(&["ls"], None);
    check(&[], None);
}

#[test]
fn a_launcher_among_other_things_stays() {
    for command in [
        "bash -lc 'ls' && pwd",
        "A=1 bash -lc ls",
        "bash -lc ls > out",
        "bash -lc \"ls $x\"",
        "bash -lc 'ls",
        "",
        "'bash",
    ] {
        assert_eq!(peel_command(command), command);
    }
    assert_eq!(peel_command("'/bin/sh'   -lc  ls"), "ls");
}

#[test]
fn joined_words_are_readable() {
    let check = |words: &[&str], expected: &str| assert_eq!(join(&strings(words)), expected);
    check(&["cargo", "test", "--all", "a/b.rs:1"], "cargo test --all a/b.rs:1");
    check(&["git", "commit", "-m", "add a thing"], "git commit -m 'add a thing'");
    check(&["echo", "it's", "", "$x", "'\"$"], "echo \"it's\" '' '$x' ''\\''\"$'");
    check(&["cat", "文件.txt"], "cat 文件.txt");
    check(&["A=b", "A=b"], "'A=b' A=b");
    check(&["if", "if"], "'if' if");
    check(&[], "");
}

#[test]
fn patches_in_a_shell() {
    const PATCH: &str = "*** Begin Patch\n*** Add File: it's.txt\n+$x `y`\n*** End Patch\n";
    let check = |command: String, workdir: Option<&str>| {
        let expected = HeredocPatch { patch: PATCH.into(), workdir: workdir.map(str::to_owned) };
        assert_eq!(heredoc_patch(&command), Some(expected), "{command}");
    };
    check(format!("apply_patch <<'EOF'\n{PATCH}EOF"), None);
    check(format!("apply_patch << \"EOF\"\n{PATCH}EOF\n"), None);
    check(format!("applypatch <<PATCH\n{PATCH}PATCH"), None);
    check(format!("cd 'my app' && apply_patch <<'EOF'\n{PATCH}EOF\n"), Some("my app"));
    check(format!("cd /w\napply_patch <<'EOF'\n{PATCH}EOF\n"), Some("/w"));
    check(format!("/usr/bin/apply_patch <<'EOF' 2>&1\n{PATCH}EOF"), None);
    check(join(&strings(&["apply_patch", PATCH])), None);
    check(join(&strings(&["bash", "-lc", &format!("cd a && apply_patch <<'EOF'\n{PATCH}EOF\n")])), Some("a"));

    for other in [
        format!("apply_patch <<'EOF'\n{PATCH}EOF\ncargo test"),
        format!("echo x && apply_patch <<'EOF'\n{PATCH}EOF"),
        format!("cat <<'EOF' | apply_patch\n{PATCH}EOF"),
        format!("cat <<'EOF'\n{PATCH}EOF"),
        "apply_patch".into(),
        "apply_patch \"$patch\"".into(),
        "grep apply_patch src".into(),
        String::new(),
    ] {
        assert_eq!(heredoc_patch(&other), None, "{other}");
    }
}

proptest! {
    #[test]
    fn joined_words_read_back(words in proptest::collection::vec("\\PC{0,8}|[a-z'\"$`\\\\!\n =#~*{}()]{0,6}|if|time|\\[\\[|a=b", 1..5)) {
        let line = join(&words);
        let script = parse(&line);
        prop_assert!(script.complete, "{}", line);
        let Command::Simple(command) = &script.pipelines[0].commands[0] else { return Err(TestCaseError::fail(line)) };
        let read: Vec<Option<&str>> = command.words.iter().map(|word| word.literal()).collect();
        let written: Vec<Option<&str>> = words.iter().map(|word| Some(word.as_str())).collect();
        prop_assert_eq!(read, written);
    }

    #[test]
    fn any_text_is_asked_everything(command in "\\PC*|(apply_patch|cd a &&|<<E|\n|E|bash -lc|'| ){0,12}") {
        let _ = classify(&command);
        let _ = write_effect(&command);
        let _ = heredoc_patch(&command);
        let peeled = peel_command(&command);
        prop_assert!(peeled.len() <= command.len());
    }
}
