//! What commands are classified as. The captured commands are those of the Codex captures.

use pretty_assertions::assert_eq;

use crate::shell::{Action, LineRange, WriteEffect, classify, classify_recorded, write_effect};

fn read(path: &str, lines: Option<(u64, u64)>) -> Action {
    let lines = lines.map(|(first, last)| LineRange { first, last: Some(last) });
    Action::Read { path: path.into(), lines }
}

fn read_from(path: &str, first: u64) -> Action {
    Action::Read { path: path.into(), lines: Some(LineRange { first, last: None }) }
}

fn browse(path: &str) -> Action {
    Action::Browse { path: (!path.is_empty()).then(|| path.into()) }
}

fn search(query: &str, path: &str) -> Action {
    Action::Search { query: query.into(), path: (!path.is_empty()).then(|| path.into()) }
}

fn write(path: &str) -> Action {
    Action::Write { path: path.into() }
}

fn check(table: &[(&str, Action)]) {
    for (command, expected) in table {
        assert_eq!(&classify(command), expected, "{command}");
        match expected {
            // What only looks has no effect, and what writes a file says which.
            Action::Read { .. } | Action::Browse { .. } | Action::Search { .. } => {
                assert_eq!(write_effect(command), None, "{command}");
            }
            Action::Write { path } => {
                assert_eq!(
                    write_effect(command),
                    Some(WriteEffect::File { path: path.clone() }),
                    "{command}"
                );
            }
            Action::Run => {}
        }
    }
}

#[test]
fn reading_files() {
    check(&[
        ("cat src/a.py", read("src/a.py", None)),
        ("cat -n src/a.py", read("src/a.py", None)),
        ("cat -- -odd", read("-odd", None)),
        ("cat 'a b.txt'", read("a b.txt", None)),
        ("cat a b 'c d'", read("a b 'c d'", None)),
        ("cat < a.txt", read("a.txt", None)),
        ("/usr/bin/cat a", read("a", None)),
        ("\\cat a", read("a", None)),
        ("cat \"$dir/a\" 2>/dev/null", read("$dir/a", None)),
        ("cat src/*.rs", read("src/*.rs", None)),
        ("bat -p --theme TwoDark -l rust a.rs", read("a.rs", None)),
        ("bat -r 10:20 a.rs", read("a.rs", Some((10, 20)))),
        ("batcat --line-range=5: a.rs", read_from("a.rs", 5)),
        ("nl -ba -w 4 a.rs", read("a.rs", None)),
        ("less -p TODO a.md", read("a.md", None)),
        ("more a.md", read("a.md", None)),
        ("head a", read("a", Some((1, 10)))),
        ("head -n 20 a", read("a", Some((1, 20)))),
        ("head -n20 a", read("a", Some((1, 20)))),
        ("head -20 a", read("a", Some((1, 20)))),
        ("head --lines=20 a", read("a", Some((1, 20)))),
        ("head -n -5 a", read("a", None)),
        ("head -c 100 a", read("a", None)),
        ("head -5 a b", read("a b", None)),
        ("tail -n 5 a", read("a", None)),
        ("tail -n +5 a", read_from("a", 5)),
        ("tail -n+5 a", read_from("a", 5)),
        ("tail -f a", read("a", None)),
        ("sed -n '1,240p' a", read("a", Some((1, 240)))),
        ("sed -n 1,240p a", read("a", Some((1, 240)))),
        ("sed -n -e '5p' -- a", read("a", Some((5, 5)))),
        ("sed -ne '5p' a", read("a", Some((5, 5)))),
        ("sed -n '5,$p' a", read_from("a", 5)),
        ("sed -n '10,20p;20q' a", read("a", Some((10, 20)))),
        ("sed -n '10,20{p;}' a", read("a", Some((10, 20)))),
        ("sed 20q a", read("a", Some((1, 20)))),
        ("sed -n '1,5p;10,15p' a", read("a", None)),
        ("sed -n '/fn main/,/^}/p' a", read("a", None)),
        ("sed -n \"${a},${b}p\" a", read("a", None)),
        ("sed -n '5,10p' a b", read("a b", None)),
        ("awk 'NR>=10 && NR<=20' a", read("a", Some((10, 20)))),
        ("awk 'NR>=10&&NR<=20{print NR\": \"$0}' a", read("a", Some((10, 20)))),
        ("awk 'NR==10,NR==20' a", read("a", Some((10, 20)))),
        ("awk 'FNR == 7 { print; }' a", read("a", Some((7, 7)))),
        ("awk 'NR>100' a", read_from("a", 101)),
    ]);
}

#[test]
fn pipelines_that_read() {
    check(&[
        ("cat f | head -5", read("f", Some((1, 5)))),
        ("cat f | tail -n +5 | head -20", read("f", Some((5, 24)))),
        ("head -50 f | tail -10", read("f", Some((41, 50)))),
        ("tail -10 f | head -5", read("f", None)),
        ("nl -ba src/main.rs | sed -n '1,220p'", read("src/main.rs", Some((1, 220)))),
        ("sed -n '100,200p' f | nl -ba", read("f", Some((100, 200)))),
        ("sed -n '100,200p' f | head -n 11", read("f", Some((100, 110)))),
        ("sed -n '100,200p' f | awk 'NR<=3'", read("f", Some((100, 102)))),
        ("cat f | sort | head -5", read("f", None)),
        ("cat f | wc -l", read("f", None)),
        ("cat f | jq '.a | .b'", read("f", None)),
        ("cat f | awk '{print $1}' | sed 's/a/b/'", read("f", None)),
        ("cat f | less", read("f", None)),
        ("cat f | cat -", read("f", None)),
        ("cat f |& tee /dev/stderr", read("f", None)),
    ]);
}

#[test]
fn listing_files() {
    check(&[
        ("ls", browse("")),
        ("ls -la src", browse("src")),
        ("ls a b", browse("a b")),
        ("ls -I '*.js' src", browse("src")),
        ("ls -la | sed -n '1,120p'", browse("")),
        ("ls -la x/ | grep -E 'test|spec'", browse("x/")),
        ("find . -name '*.py' -type f", browse(".")),
        ("find a b -maxdepth 2 \\( -name x -o -name y \\) 2>/dev/null | sort", browse("a b")),
        ("find -L . -type d", browse(".")),
        ("find \"$d\" -type f | wc -l", browse("$d")),
        ("fd -t f -e rs main src", browse("src")),
        ("fd main", browse("")),
        ("fdfind -E target . crates", browse("crates")),
        ("tree -L 2 src", browse("src")),
        ("eza --level 2 -T src", browse("src")),
        ("rg --files", browse("")),
        ("rg --files -g '*.rs' src | rg test | head", browse("src")),
        ("git ls-files", browse("")),
        ("git ls-files -x target '*.html' | wc -l", browse("*.html")),
        ("git -C sub ls-files", browse("sub")),
        ("rg --files | xargs wc -l", browse("")),
    ]);
}

#[test]
fn searching() {
    check(&[
        ("rg -n return src", search("return", "src")),
        ("rg foo", search("foo", "")),
        ("rg -n -A 3 -t ts 'foo bar' src lib | head -50", search("foo bar", "src lib")),
        ("rg -nA3 -g '*.rs' -e foo -e bar src", search("foo|bar", "src")),
        ("rg --glob '!x' --type rust --context=2 foo", search("foo", "")),
        ("rg -f words.txt src", search("-f words.txt", "src")),
        ("rg -- -x src", search("-x", "src")),
        ("rg 'a;b > c' .", search("a;b > c", ".")),
        ("rg \"$q\" src", search("$q", "src")),
        ("rg -n foo src || true", search("foo", "src")),
        ("grep -rn --include '*.rs' -m 5 foo src", search("foo", "src")),
        ("grep foo a.txt", search("foo", "a.txt")),
        ("grep -E foo < a.txt", search("foo", "a.txt")),
        ("grep -r foo", search("foo", "")),
        ("grep -A 30 \"func x\" a.go", search("func x", "a.go")),
        ("egrep -i -e foo a", search("foo", "a")),
        ("git grep -n foo -- src", search("foo", "src")),
        ("git --no-pager -C sub grep foo", search("foo", "sub")),
        ("git -c color.ui=never grep foo", search("foo", "")),
        ("ag --ignore target foo src", search("foo", "src")),
        ("ack --type rust foo", search("foo", "")),
        ("cat a.log | grep -i error | tail -5", search("error", "a.log")),
        ("find src -name '*.rs' -print0 | xargs -0 grep -n foo", search("foo", "src")),
        ("git ls-files | xargs rg foo", search("foo", "")),
        ("rg -l foo | xargs -I {} grep bar {}", search("foo", "")),
        ("rg -n foo | sort | uniq -c | sort -rn", search("foo", "")),
        ("files=$(rg -l foo src) && echo \"$files\"", search("foo", "src")),
    ]);
}

#[test]
fn writing_files() {
    check(&[
        ("echo hi > a.txt", write("a.txt")),
        ("echo hi >> 'a b.txt'", write("a b.txt")),
        ("echo hi >| a", write("a")),
        ("cat a > b", write("b")),
        ("cat > a.py <<'EOF'\nimport os; os.remove('x')\nEOF", write("a.py")),
        ("cat <<EOF > a.py\nx\nEOF\nls", write("a.py")),
        ("mkdir -p a && cat > a/b <<'EOF' && chmod +x a/b\n$(rm x)\nEOF", write("a/b")),
        ("rg foo | tee out.txt", write("out.txt")),
        ("echo a | tee -a x y", write("x y")),
        ("echo a > x; echo b > y", write("x y")),
        ("sed -i 's/a/b/' f", write("f")),
        ("sed -i '' -e 's/a/b/' f g", write("f g")),
        ("sed -i.bak 's/a/b/' f", write("f")),
        ("sed -ni '1,5p' f", write("f")),
        ("sed --in-place=.bak 's/a/b/' f", write("f")),
        ("sed -Ei 's/a/b/' f", write("f")),
        ("for f in a b; do sed -i 's/x/y/' $f; done", write("a b")),
        ("sort -o out in", write("out")),
        ("sort in -oout", write("out")),
        ("cat in | base64 -o out", write("out")),
        ("uniq in out", write("out")),
        ("tree -o out.txt src", write("out.txt")),
        ("> a", write("a")),
        (": > a", write("a")),
        ("{ echo a; cat b; } > c", write("c")),
        ("rg foo 2> err.txt", write("err.txt")),
        ("ls &> out", write("out")),
        ("ls >& out", write("out")),
        ("echo $x > \"$out/f\"", write("$out/f")),
        ("bash -lc \"echo 'hello' > /var/tmp/x.txt\"", write("/var/tmp/x.txt")),
        ("echo a > /dev/null > b", write("b")),
        ("sudo tee /etc/x < y", write("/etc/x")),
    ]);
}

#[test]
fn effects_win() {
    let runs = [
        "find . -name '*.tmp' -delete",
        "find . -exec cat {} +",
        "find . -execdir ls \\;",
        "find . -fprint out",
        "find . $x",
        "fd -x rm",
        "fd foo --exec-batch vim",
        "rg -l foo | xargs rm",
        "rg -l foo | xargs -n 1 sed -i s/a/b/",
        "ls | xargs -I{} mv {} x",
        "ls | xargs sh -c 'rm \"$@\"' _",
        "ls | xargs unknown-program",
        "git apply x.patch",
        "cat x.patch | git apply",
        "cat x | patch -p1",
        "rm -rf a; cat b",
        "cat b; rm -rf a",
        "cat $(rm x)",
        "cat `rm x`",
        "ls \"$(touch x)\"",
        "X=$(git commit -m x) ls",
        "cat <(rm x)",
        "ls > >(sh)",
        "cat <<E\n$(rm x)\nE",
        "cat ${x:-$(rm y)}",
        "echo $(( $(rm x) ))",
        "[[ -n $(rm x) ]] && ls",
        "for f in $(rm x); do ls; done",
        "case $(rm x) in a) ls;; esac",
        "f() { rm x; }; f; ls",
        "(rm x); ls",
        "if rm x; then ls; fi",
        "ls && { rm x; }",
        "cat f | awk '{print > \"out\"}'",
        "cat f | awk '{system(\"rm x\")}'",
        "awk '{print | \"sh\"}' f",
        "cat f | awk -f p.awk",
        "gawk -i inplace 1 f",
        "cat f | sed 'w out'",
        "sed -n 's/a/b/w out' f",
        "cat f | sed '1e rm x'",
        "sed -n '1,5w out' f",
        "cat f | sed -f script",
        "rg --pre ./x foo",
        "git grep -O foo",
        "git -c core.pager=./x grep foo",
        "bat --pager ./x f",
        "less +!rm f",
        "less -o log f",
        "bat cache --build",
        "sort --compress-program ./x f",
        "cp a b && cat b",
        "mkdir a; ls",
        "touch a && ls",
        "cargo build > log; cat log",
        "cargo test | tee log",
        "python3 -c 'import os; print(os.listdir())'",
        "cat f | python3 -c 'x'",
        "rm x > log",
        "ls; ./cat f",
        "bin/cat f",
        "$cat f",
        "ca* f",
        "cat f | while read l; do rm $l; done",
        "bash -c 'rm x'; ls",
        "sudo rm x",
        "env A=b rm x",
        "eval 'rm x'; ls",
        "source x; ls",
        ". x; ls",
        "trap 'rm x' EXIT; ls",
        "echo x | sudo tee a | sh",
        "curl x | sh",
        "ls & rm x",
        "! rm x",
        "time rm x",
        "command rm x",
        "exec rm x",
        "date -s 12:00; ls",
        "date 01010000 && ls",
        "dd if=a of=b",
        "truncate -s 0 a",
        "git stash; git grep x",
        "echo x > a && cargo test",
        "sed -i s/a/b/",
    ];
    for command in runs {
        assert_eq!(classify(command), Action::Run, "{command}");
    }
}

#[test]
fn what_is_unclear_is_run() {
    let runs = [
        "",
        "   ",
        "# only a comment",
        "pwd",
        "echo hi",
        "echo hi; exit 3",
        "false",
        "cd src",
        "cargo test",
        "git status --short",
        "git log --oneline | grep -i fish",
        "git show main:a.go | head -80",
        "ps aux | grep node",
        "cat",
        "cat <<E\nx\nE",
        "grep foo <<< \"$x\"",
        "python3 -i -q",
        "find . | xargs cat",
        "ls | cat f",
        "cat a | ls",
        "sed 's/a/b/' f",
        "jq . f",
        "awk '{print $1}' f",
        "diff a b",
        "cat 'open",
        "cat $(",
        "cat f |",
        "bash script.sh",
        "bash -lc \"cat $f\"",
        "xargs",
        "find . | while read f; do head -5 \"$f\"; done",
        "rg --version",
        "env",
        "sudo",
        "timeout 5",
        "command -v rg",
        "!",
        "nohup ./server > /dev/null 2>&1 &",
        "Get-Content a.txt",
        "apply_patch <<'E'\n*** Begin Patch\n*** End Patch\nE",
        "seq 1 30000",
        "sleep 2; echo slept",
        "git diff && cat f",
    ];
    for command in runs {
        assert_eq!(classify(command), Action::Run, "{command}");
    }
}

#[test]
fn compound_commands_take_their_own_most_telling_part() {
    check(&[
        ("cd x && cat f", read("f", None)),
        ("cd x && rg foo && cd -", search("foo", "")),
        ("cd /w; ls -la", browse("")),
        ("cd \"$(git rev-parse --show-toplevel)\" && ls src", browse("src")),
        ("cat f; ls", read("f", None)),
        ("ls && cat f", read("f", None)),
        ("rg foo src; ls", search("foo", "src")),
        ("pwd && ls && rg --files | head", browse("")),
        ("cat src/a.py | head -5 && rg -n return src", read("src/a.py", Some((1, 5)))),
        ("test -f Cargo.toml && sed -n '1,220p' Cargo.toml", read("Cargo.toml", Some((1, 220)))),
        ("[ -f a ] && cat a || echo none", read("a", None)),
        ("if [[ -f a ]]; then cat a; fi", read("a", None)),
        ("echo '== a'; cat a; echo '== b'; cat b", read("a b", None)),
        ("sed -n 1,5p a; sed -n 50,60p a", read("a", None)),
        ("for f in a b; do echo \"== $f\"; sed -n '1,20p' \"$f\"; done", read("a b", None)),
        ("for f in one; do sed -n '1,20p' ${f}; done", read("one", Some((1, 20)))),
        ("for f in *.rs; do cat src/$f; done", read("src/$f", None)),
        ("(cd x && cat f)", read("f", None)),
        ("{ cat f; } | head -5", read("f", Some((1, 5)))),
        ("wc -l a && sed -n '1,9p' a", read("a", Some((1, 9)))),
        ("while true; do cat f; sleep 1; done", read("f", None)),
        ("set -e; export A=b\nrg foo", search("foo", "")),
        ("cat f &", read("f", None)),
        ("date -d yesterday +%F; cat f", read("f", None)),
        ("cat $(git ls-files)", read("$(git ls-files)", None)),
    ]);
}

#[test]
fn prefixes_are_seen_through() {
    check(&[
        ("sudo cat f", read("f", None)),
        ("sudo -u root -n cat f", read("f", None)),
        ("env -i A=b C=d cat f", read("f", None)),
        ("A=b cat f", read("f", None)),
        ("LC_ALL=C grep foo f", search("foo", "f")),
        ("command cat f", read("f", None)),
        ("nohup cat f", read("f", None)),
        ("time cat f", read("f", None)),
        ("timeout -k 5 10s rg foo", search("foo", "")),
        ("timeout --signal=KILL 10 rg foo", search("foo", "")),
        ("nice -n 10 ls", browse("")),
        ("stdbuf -oL tail -f f", read("f", None)),
        ("exec cat f", read("f", None)),
        ("bash -lc 'cd x && cat f'", read("f", None)),
        ("bash -lc \"bash -c 'cat f'\"", read("f", None)),
        ("sh -ec 'cat f'", read("f", None)),
        ("sudo bash -c 'cat f'", read("f", None)),
        ("/usr/bin/env rg foo", search("foo", "")),
    ]);
    let wrapped = format!("{}cat f", "sudo ".repeat(50));
    assert_eq!(classify(&wrapped), Action::Run);
}

#[test]
fn effects_that_an_agent_overlooks() {
    // What Codex records for these is a read, a listing or a search: it drops `tee`, `xargs` and awk from pipes.
    let check = |command: &str, recorded: Action, expected: Action| {
        assert_eq!(classify_recorded(command, Some(recorded)), expected, "{command}");
    };
    check("rg foo | tee out.txt", search("foo", ""), write("out.txt"));
    check("find . -delete", browse("."), Action::Run);
    check("rg -l foo | xargs rm", search("foo", ""), Action::Run);
    check("cat f | awk '{system($0)}'", read("f", None), Action::Run);
    check("python3 -c 'os.remove(os.listdir()[0])'", browse(""), Action::Run);
}

#[test]
fn a_record_is_believed_where_ours_differs() {
    let check = |command: &str, recorded: Option<Action>, expected: Action| {
        assert_eq!(classify_recorded(command, recorded), expected, "{command}");
    };
    // A record of another kind wins; one of the same kind knows less of paths and nothing of lines.
    check("find . -name '*.rs'", Some(search("*.rs", ".")), search("*.rs", "."));
    check("pt TODO src", Some(search("TODO", "src")), search("TODO", "src"));
    check("rg --files ./local/parser", Some(browse("parser")), browse("./local/parser"));
    check("sed -n '1,9p' a", Some(read("a", None)), read("a", Some((1, 9))));
    check("cat a", None, read("a", None));
}

/// `parsed_cmd` of the captures, as kinds: (command, what Codex recorded, ours).
#[test]
fn captured_commands_are_classified_as_codex_does_or_better() {
    let table = [
        ("touch approved.txt", Action::Run, Action::Run),
        ("echo hi", Action::Run, Action::Run),
        ("sleep 20", Action::Run, Action::Run),
        ("cat src/a.py", read("src/a.py", None), read("src/a.py", None)),
        ("seq 1 30000", Action::Run, Action::Run),
        ("false", Action::Run, Action::Run),
        ("ls", browse(""), browse("")),
        ("python3 -i -q", Action::Run, Action::Run),
        ("echo out; echo err >&2; exit 3", Action::Run, Action::Run),
        ("sleep 2; echo slept", Action::Run, Action::Run),
        ("touch x.txt", Action::Run, Action::Run),
    ];
    for (command, recorded, ours) in table {
        assert_eq!(classify(command), ours, "{command}");
        let recorded = (recorded != Action::Run).then_some(recorded);
        assert_eq!(classify_recorded(command, recorded), ours, "{command}");
    }
}
