//! The reader: words, structure, here-documents, and what any string must survive.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::shell::syntax::{
    Command, CompoundKind, MAX_DEPTH, RedirectOperator, Script, Separator, SimpleCommand, Word, WordKind,
    parse,
};
use crate::shell::{Action, classify, join};

/// The only command of a script.
fn only(source: &str) -> SimpleCommand {
    let script = parse(source);
    assert!(script.complete, "incomplete: {source}");
    assert_eq!(script.pipelines.len(), 1, "{source}");
    match script.pipelines[0].commands.as_slice() {
        [Command::Simple(command)] => command.clone(),
        other => panic!("{source}: {other:?}"),
    }
}

fn values(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.value.as_str()).collect()
}

#[test]
fn words_lose_their_quotes() {
    let check =
        |source: &str, expected: &[&str]| assert_eq!(values(&only(source).words), expected, "{source}");
    check("rg -n 'a b' \"c d\" e\\ f", &["rg", "-n", "a b", "c d", "e f"]);
    check("a'b'\"c\"d", &["abcd"]);
    check("echo '' \"\"", &["echo", "", ""]);
    check(r#"echo "a \"b\" \$c \d \\""#, &["echo", r#"a "b" $c \d \"#]);
    check(r"echo 'it'\''s'", &["echo", "it's"]);
    check(r"printf $'a\tb\n\x41\u00e9\'\101\q'", &["printf", "a\tb\nAé'A\\q"]);
    check("echo $\"x y\"", &["echo", "x y"]);
    check("ls -la \\\n  src", &["ls", "-la", "src"]);
    check("ls a#b # a comment ; rm x", &["ls", "a#b"]);
    check("grep -E 'a|b' f", &["grep", "-E", "a|b", "f"]);
    check("echo 中文 “quoted”", &["echo", "中文", "“quoted”"]);
    check("echo a\u{a0}b", &["echo", "a\u{a0}b"]);
    check("ls\r\n", &["ls"]);
    check("find . \\( -name a -o -name b \\)", &["find", ".", "(", "-name", "a", "-o", "-name", "b", ")"]);
    check("ls @(a|b).txt", &["ls", "@(a|b).txt"]);
    check("echo 2 >/dev/null", &["echo", "2"]);
    check("A=1 B+=2 C[0]=3 env D=4", &["env", "D=4"]);
    check("A=(x 'y z' $w) ls", &["ls"]);
    check("time -p cat f", &["cat", "f"]);
    check("! cat f", &["cat", "f"]);
}

#[test]
fn words_know_what_is_expanded() {
    let check = |source: &str, kind: WordKind, value: &str| {
        let word = only(source).words[1].clone();
        assert_eq!((word.kind, word.value.as_str()), (kind, value), "{source}");
        assert_eq!(word.literal().is_some(), kind == WordKind::Literal, "{source}");
    };
    check("x 'a $b `c`'", WordKind::Literal, "a $b `c`");
    check("x \\$b", WordKind::Literal, "$b");
    check("x \"*\"", WordKind::Literal, "*");
    check("x {}", WordKind::Literal, "{}");
    check("x a~b", WordKind::Literal, "a~b");
    check("x $", WordKind::Literal, "$");
    check("x *.rs", WordKind::Pattern, "*.rs");
    check("x ~/a", WordKind::Pattern, "~/a");
    check("x {a,b}", WordKind::Pattern, "{a,b}");
    check("x [ab]", WordKind::Pattern, "[ab]");
    check("x a$b", WordKind::Dynamic, "a$b");
    check("x \"${b:-'}'}\"/c", WordKind::Dynamic, "${b:-'}'}/c");
    check("x $(a b)", WordKind::Dynamic, "$(a b)");
    check("x `a b`", WordKind::Dynamic, "`a b`");
    check("x $((1 + (2)))", WordKind::Dynamic, "$((1 + (2)))");
    check("x <(a b)", WordKind::Dynamic, "<(a b)");
    check("x $? ", WordKind::Dynamic, "$?");
}

#[test]
fn substitutions_are_read() {
    let check = |source: &str, programs: &[&str]| {
        let command = only(source);
        let mut found = Vec::new();
        for word in command.assignments.iter().chain(&command.words) {
            for script in &word.scripts {
                programs_of(script, &mut found);
            }
        }
        for redirect in &command.redirects {
            for script in &redirect.target.scripts {
                programs_of(script, &mut found);
            }
        }
        assert_eq!(found, programs, "{source}");
    };
    check("x $(a $(b) | c)", &["a", "c", "b"]);
    check("x \"$(a \"b\" ')')\"", &["a"]);
    check("x `a \\`b\\` $(c)`", &["a", "b", "c"]);
    check("x ${y:-$(a)} \"${z:-\"$(b)\"}\"", &["a", "b"]);
    check("x $(( $(a) + `b` ))", &["a", "b"]);
    check("x <(a) >(b)", &["a", "b"]);
    check("X=$(a) Y=($(b)) x", &["a", "b"]);
    check("x $( (a) )", &["a"]);
    check("x $((a); b)", &["a", "b"]);
    check("x $(case y in a) b;; (c|d) e;; esac)", &["b", "e"]);
    check("x $(a # comment )\n)", &["a"]);
    check("x <<E\n$(a) \\$(b) `c`\nE", &["a", "c"]);
    check("x <<'E'\n$(a)\nE", &[]);
    check("x > $(a)", &["a"]);
    check("x \"$(cat <<'E'\nit's )\nE\n)\"", &["cat"]);
}

fn programs_of(script: &Script, found: &mut Vec<String>) {
    for command in script.pipelines.iter().flat_map(|pipeline| &pipeline.commands) {
        match command {
            Command::Simple(simple) => found.extend(simple.words.first().map(|word| word.value.clone())),
            Command::Compound(compound) => {
                for body in &compound.bodies {
                    programs_of(body, found);
                }
            }
        }
    }
    for command in script.pipelines.iter().flat_map(|pipeline| &pipeline.commands) {
        if let Command::Simple(simple) = command {
            for script in simple.words.iter().flat_map(|word| &word.scripts) {
                programs_of(script, found);
            }
        }
    }
}

#[test]
fn lists_and_pipelines() {
    use Separator::{And, Background, Or, Sequence};
    let shape = |source: &str| -> Vec<(usize, Separator)> {
        let script = parse(source);
        assert!(script.complete, "{source}");
        script.pipelines.iter().map(|pipeline| (pipeline.commands.len(), pipeline.separator)).collect()
    };
    assert_eq!(
        shape("a | b |& c && d || e; f & g\nh"),
        [(3, And), (1, Or), (1, Sequence), (1, Background), (1, Sequence), (1, Sequence)]
    );
    assert_eq!(shape("a &&\n # why\n b |\n c"), [(1, And), (2, Sequence)]);
    assert_eq!(shape("\n\n# nothing\n"), []);
    assert_eq!(shape("a; # b\n\n;c".replace("\n;", "\n").as_str()), [(1, Sequence), (1, Sequence)]);
    assert_eq!(shape("a & b &"), [(1, Background), (1, Background)]);
}

#[test]
fn compound_commands() {
    let check = |source: &str, kind: &CompoundKind, bodies: usize, programs: &[&str]| {
        let script = parse(source);
        assert!(script.complete, "{source}");
        let Command::Compound(compound) = &script.pipelines[0].commands[0] else { panic!("{source}") };
        assert_eq!((&compound.kind, compound.bodies.len()), (kind, bodies), "{source}");
        let mut found = Vec::new();
        programs_of(&script, &mut found);
        assert_eq!(found, programs, "{source}");
    };
    let looped = |variable: &str| CompoundKind::For { variable: variable.into() };
    let function = |name: &str| CompoundKind::Function { name: name.into() };
    check("(a; b)", &CompoundKind::Subshell, 1, &["a", "b"]);
    check("{ a; b; }", &CompoundKind::Group, 1, &["a", "b"]);
    check("if a; then b; elif c; then d; else e; fi", &CompoundKind::If, 5, &["a", "b", "c", "d", "e"]);
    check("if a\nthen b\nfi > out", &CompoundKind::If, 2, &["a", "b"]);
    check("while a; do b; done < in", &CompoundKind::While, 2, &["a", "b"]);
    check("until a; do b; done", &CompoundKind::While, 2, &["a", "b"]);
    check("for f in a b; do c $f; done", &looped("f"), 1, &["c"]);
    check("for f\ndo c; done", &looped("f"), 1, &["c"]);
    check("for ((i = 0; i < (3); i++)); do c; done", &looped(""), 1, &["c"]);
    check("select f in a; do c; done", &looped("f"), 1, &["c"]);
    check("case $x in a|b) c ;; *) d;& esac", &CompoundKind::Case, 2, &["c", "d"]);
    check("case x in\n(a) b\n;;\nesac", &CompoundKind::Case, 1, &["b"]);
    check("f() { a; }", &function("f"), 1, &["a"]);
    check("function f { a; }", &function("f"), 1, &["a"]);
    check("function f () (a)", &function("f"), 1, &["a"]);
    check("[[ -f a && ( $b =~ ^(x|y)$ || c < d ) ]]", &CompoundKind::Test, 0, &[]);
    check("((a = 1 + (2)))", &CompoundKind::Arithmetic, 0, &[]);
    check("((a); b)", &CompoundKind::Subshell, 1, &["a", "b"]);
    check("{ echo }; }", &CompoundKind::Group, 1, &["echo"]);
}

#[test]
fn redirections() {
    use RedirectOperator as R;
    let check = |source: &str, expected: &[(Option<u32>, R, &str)]| {
        let command = only(source);
        let found: Vec<_> = command
            .redirects
            .iter()
            .map(|redirect| (redirect.fd, redirect.operator, redirect.target.value.as_str()))
            .collect();
        assert_eq!(found, expected, "{source}");
        assert_eq!(command.words.len(), 1, "{source}: {:?}", command.words);
    };
    check(
        "x >a >>b >|c 2>d",
        &[(None, R::Output, "a"), (None, R::Append, "b"), (None, R::Output, "c"), (Some(2), R::Output, "d")],
    );
    check(
        "x 2>&1 >&2 3>&- <&4",
        &[
            (Some(2), R::DuplicateOutput, "1"),
            (None, R::DuplicateOutput, "2"),
            (Some(3), R::DuplicateOutput, "-"),
            (None, R::DuplicateInput, "4"),
        ],
    );
    check("x &>a &>> b", &[(None, R::OutputAndError, "a"), (None, R::AppendOutputAndError, "b")]);
    check(
        "x < a <> b <<< 'c d'",
        &[(None, R::Input, "a"), (None, R::ReadWrite, "b"), (None, R::HereString, "c d")],
    );
    check("> 'a b' x", &[(None, R::Output, "a b")]);
    check("x {fd}>a", &[(None, R::Output, "a")]);
    check("x > >(tee log)", &[(None, R::Output, ">(tee log)")]);
    check("x 99999999999999>a", &[(None, R::Output, "a")]);
}

#[test]
fn here_documents() {
    use WordKind::{Dynamic, Literal};
    let check = |source: &str, expected: &[(&str, WordKind)]| {
        let script = parse(source);
        assert!(script.complete, "{source}");
        let commands = script.pipelines.iter().flat_map(|pipeline| &pipeline.commands);
        let redirects = commands.flat_map(|command| match command {
            Command::Simple(simple) => &simple.redirects,
            Command::Compound(compound) => &compound.redirects,
        });
        let found: Vec<_> =
            redirects.map(|redirect| (redirect.target.value.as_str(), redirect.target.kind)).collect();
        assert_eq!(found, expected, "{source}");
    };
    check("a <<E\nx\ny\nE\nb", &[("x\ny\n", Literal)]);
    check("a <<'E F' | b <<\\G\nx $y\nE F\nz\nG\n", &[("x $y\n", Literal), ("z\n", Literal)]);
    check("a <<E\nx $y\nE", &[("x $y\n", Dynamic)]);
    check("a <<-E\n\t\tx\n\tE\n", &[("x\n", Literal)]);
    check("a <<E\nx\n", &[("x\n", Literal)]);
    check("a <<E\nx \\\nE\nE", &[("x \\\nE\n", Literal)]);
    check("a <<'E'\nx \\\nE", &[("x \\\n", Literal)]);
    check("a <<E && b\nx\nE\nc", &[("x\n", Literal)]);
    check("{ a; } <<E\nx\nE", &[("x\n", Literal)]);
    check("a <<E\r\nx\r\nE\r\n", &[("x\r\n", Literal)]);
    check("a <<E 'b\nc'\nx\nE", &[("x\n", Literal)]);
}

#[test]
fn what_cannot_be_read_is_incomplete() {
    let broken = [
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "$'",
        "a |",
        "a &&",
        "&& a",
        "; a",
        ";;",
        "a )",
        "(",
        "{ a",
        "if a; then b",
        "fi",
        "for",
        "case x in a",
        "a b(c)",
        "done",
        "[[ a",
        "x $(cat <<E)",
        "echo \"$(\"",
        "a;;b",
        "<",
        "coproc x",
    ];
    for source in broken {
        assert!(!parse(source).complete, "{source}");
    }
    // What was read up to there is kept.
    assert_eq!(parse("rm x; 'open").pipelines.len(), 2);
}

#[test]
fn deep_nesting_and_long_input_end_soon() {
    // A small stack, as threads may have: an overflow would abort the whole process.
    let deep = std::thread::Builder::new().stack_size(512 * 1024).spawn(|| {
        for opening in OPENINGS {
            let source = opening.repeat(5_000);
            assert!(parse(&source).pipelines.len() <= 5_001, "{opening}");
            assert_eq!(classify(&source), Action::Run, "{opening}");
        }
        // Scripts within scripts add up.
        let script = (0..6).fold("cat f".to_owned(), |inner, _| {
            let launched = join(&["bash".into(), "-c".into(), inner]);
            format!("{}{launched}{}", "( ".repeat(14), " )".repeat(14))
        });
        assert_eq!(classify(&script), Action::Run);
    });
    assert!(deep.unwrap().join().is_ok());
    let nested = |depth: usize| format!("{}a{}", "( ".repeat(depth), " )".repeat(depth));
    assert!(parse(&nested(5)).complete);
    assert!(!parse(&nested(MAX_DEPTH as usize + 1)).complete);
}

const OPENINGS: [&str; 30] = [
    "(",
    "( ",
    "{ ",
    "$(",
    "\"$(",
    "${a:-",
    "`",
    "$((",
    "((",
    "if ",
    "while ",
    "f()",
    "! ",
    "<(",
    "a <<E\n$(",
    "case x in a) ",
    "[[ ",
    "time ",
    "\\",
    "x=(",
    "@(",
    "!(",
    "> ",
    "a|",
    "a;",
    "((a) ",
    "cat $( ",
    "x=( $( ",
    "for f in $(",
    "function f ",
];

proptest! {
    #[test]
    fn any_text_is_read(source in "\\PC*") {
        let _ = parse(&source);
    }

    #[test]
    fn any_mix_of_syntax_is_read(parts in proptest::collection::vec(prop::sample::select(PARTS.to_vec()), 0..40)) {
        let source = parts.concat();
        let script = parse(&source);
        // Whatever is read, a literal word holds no more than the source.
        let mut found = Vec::new();
        programs_of(&script, &mut found);
        prop_assert!(found.iter().all(|program| program.len() <= source.len()));
    }
}

const PARTS: [&str; 60] = [
    " ",
    "\n",
    ";",
    "&",
    "|",
    "&&",
    "||",
    "(",
    ")",
    "{ ",
    " }",
    "'",
    "\"",
    "`",
    "$",
    "$(",
    "${",
    "$((",
    "))",
    "}",
    "\\",
    "#",
    "<",
    ">",
    "<<E",
    "<<-'E'",
    "\nE\n",
    "<<<",
    ">&",
    "&>",
    "2>&1",
    "a",
    "b c",
    "é",
    "中",
    "=",
    "a=",
    "A=(",
    "if ",
    "then ",
    "else ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "case x in ",
    "esac",
    ";;",
    "while ",
    "function f ",
    "f()",
    "[[ ",
    " ]]",
    "!",
    "time ",
    "*",
    "@(",
    "<(",
    "\r\n",
    "$'",
];
