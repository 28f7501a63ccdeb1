//! Inputs of every kind: what is no script, pragmas, line ends, and the bounds.

use super::{check, show_calls};
use crate::exec::{Bound, Pragma, ReadOutcome, read};

#[test]
fn what_codex_would_not_run_is_no_script() {
    let inputs = [
        "",
        "  \n\t",
        "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch",
        "git status",
        "ls -la | grep x",
        "this is not js",
        "{\"cmd\":\"cargo test\"}",
        "{\"code\":\"await tools.x()\"}",
        "const r: any = await tools.x({} as any);",
        "return await tools.x();",
        "await tools.x({cmd: \"a",
        "await tools.x({cmd: 1",
        "const a = 1; const a = 2;",
        "with (tools) { x(); }",
        "const f = () => { await tools.x(); }",
        "text(1) text(2)",
        "// @exec: {\"yield_time_ms\": 1}",
        "// @exec: {\"yield_time_ms\": 1}\n  \n",
        "// @exec: {\"nope\": 1}\ntext(1)",
        "// @exec: {\"yield_time_ms\": -1}\ntext(1)",
        "// @exec: {\"yield_time_ms\": 1.5}\ntext(1)",
        "// @exec: {\"yield_time_ms\": \"1\"}\ntext(1)",
        "// @exec: {\"yield_time_ms\": 9007199254740992}\ntext(1)",
        "// @exec: {yield_time_ms: 1}\ntext(1)",
        "// @exec: [1]\ntext(1)",
        "// @exec:\ntext(1)",
        "// @exec: {} tools.x()\ntext(1)",
    ];
    for input in inputs {
        let reading = read(input);
        let ReadOutcome::NotJavaScript { reason } = &reading.outcome else {
            panic!("{input:?} came out as {:?}", reading.outcome);
        };
        assert!(!reason.is_empty(), "{input:?}");
        assert!(reading.calls.is_empty() && reading.prints.is_empty(), "{input:?}");
        assert_eq!(reading.statements, input.lines().map(str::to_owned).collect::<Vec<_>>(), "{input:?}");
    }
}

#[test]
fn scripts_without_calls_are_scripts() {
    for input in [
        "// nothing",
        "/* a */ /* b */",
        "\u{FEFF}",
        ";",
        "\"tools.x()\"",
        "#!/usr/bin/env node",
        "{}",
        "x",
        "```js\ntools\n```",
    ] {
        let reading = read(input);
        assert_eq!(reading.outcome, ReadOutcome::Parsed, "{input:?}");
        assert!(reading.calls.is_empty(), "{input:?}: {}", show_calls(&reading));
    }
}

#[test]
fn pragmas_are_read_as_codex_reads_them() {
    let pragma = |yield_time_ms, max_output_tokens| Some(Pragma { yield_time_ms, max_output_tokens });
    let table = [
        ("text(1)", None),
        ("// @exec: {}\ntext(1)", pragma(None, None)),
        (
            "// @exec: {\"yield_time_ms\": 300, \"max_output_tokens\": 2000}\ntext(1)",
            pragma(Some(300), Some(2000)),
        ),
        (
            "  \t// @exec:{\"max_output_tokens\":9007199254740991}\r\ntext(1)",
            pragma(None, Some(9_007_199_254_740_991)),
        ),
        ("// @exec: {\"yield_time_ms\": null}\ntext(1)", pragma(None, None)),
        ("// @exec: {\"yield_time_ms\": 1, \"yield_time_ms\": 2}\ntext(1)", pragma(Some(2), None)),
        // Elsewhere, or spelt differently, it is a comment.
        ("text(1)\n// @exec: {\"nope\": 1}", None),
        ("\n// @exec: {\"nope\": 1}\ntext(1)", None),
        ("//@exec: {\"nope\": 1}\ntext(1)", None),
        ("/* @exec: {} */ text(1)", None),
    ];
    for (input, expected) in table {
        let reading = read(input);
        assert_eq!(reading.outcome, ReadOutcome::Parsed, "{input:?}");
        assert_eq!(reading.pragma, expected, "{input:?}");
        assert!(!reading.statements.iter().any(|line| line.contains("max_output_tokens")), "{input:?}");
    }
}

#[test]
fn spans_are_byte_ranges_of_the_input() {
    let inputs = [
        "await tools.x(1);",
        "// @exec: {}\r\nawait tools.x(1);",
        "\u{FEFF}await tools.x(1);",
        "#!shebang\nawait tools.x(1);",
        "/* é😀 */ 'é\u{2028}';\r\n\n\rawait tools.x(1); // é",
        "text(`é\r\n${'😀'}`); await tools.x(1);",
    ];
    for input in inputs {
        let reading = read(input);
        let [call] = reading.calls.as_slice() else { panic!("{input:?}: {:?}", reading.outcome) };
        assert_eq!(&input[call.span.0..call.span.1], "tools.x(1)", "{input:?}");
        assert_eq!(call.argument_source, "1", "{input:?}");
    }
    let reading = read("await tools[ /* ] */ \"x\" /* ] */ ]( { a : b [ 1 ] , } , 2 );");
    assert_eq!(reading.calls[0].argument_source, "{ a : b [ 1 ] , }");
    assert_eq!(show_calls(&reading), "x {\"a\":‹b [ 1 ]›} certain\n");
}

#[test]
fn bounds_are_named() {
    let deep =
        |open: &str, close: &str, count: usize| format!("x = {}1{}", open.repeat(count), close.repeat(count));
    let table: Vec<(String, Bound)> = vec![
        (format!("text('{}')", "a".repeat(512 * 1024)), Bound::Source),
        (format!("x = {}", "1".repeat(64 * 1024)), Bound::Code),
        (format!("x = [{}]", "1,".repeat(4_001)), Bound::Names),
        (deep("(", ")", 201), Bound::Depth),
        (deep("`${", "}`", 201), Bound::Depth),
        (deep("!", "", 201), Bound::Run),
        (deep("a => ", "", 201), Bound::Run),
        (format!("x{}", ".b".repeat(1001)), Bound::Links),
        (format!("x = 1{}", "+1".repeat(10_001)), Bound::Operators),
        (format!("const a = '{}'; const b = a + a; tools.x(b);", "a".repeat(300 * 1024)), Bound::Value),
    ];
    for (input, expected) in table.iter().take(9) {
        assert_eq!(read(input).outcome, ReadOutcome::BoundExceeded { bound: *expected }, "{input:.40}");
    }
    let (doubled, _) = &table[9];
    assert_eq!(read(doubled).outcome, ReadOutcome::Parsed);
    let doubling = |rounds: usize| {
        let mut script = "const a0 = 'aaaaaaaaaaaaaaaa';\n".to_owned();
        for round in 1..=rounds {
            script += &[
                "const a",
                &round.to_string(),
                " = a",
                &(round - 1).to_string(),
                " + a",
                &(round - 1).to_string(),
                ";\n",
            ]
            .concat();
        }
        script
    };
    assert_eq!(read(&doubling(16)).outcome, ReadOutcome::Parsed);
    assert_eq!(read(&doubling(40)).outcome, ReadOutcome::BoundExceeded { bound: Bound::Value });
    let arrays = (1..40).fold("const a0 = [1, 2];\n".to_owned(), |script, round| {
        format!("{script}const a{round} = [a{}, a{}];\n", round - 1, round - 1)
    });
    assert_eq!(
        read(&format!("{arrays}tools.x(a39);")).outcome,
        ReadOutcome::BoundExceeded { bound: Bound::Value }
    );
    let many = format!(
        "const a = 'a'.length; const s = '{}'; {}",
        "b".repeat(200 * 1024),
        "tools.x(s + 1);".repeat(30)
    );
    assert_eq!(read(&many).outcome, ReadOutcome::BoundExceeded { bound: Bound::Values });
    let exponential = (1..40).fold("const f0 = () => text(1);\n".to_owned(), |script, round| {
        format!("{script}const f{round} = () => {{ f{}(); f{}(); }};\n", round - 1, round - 1)
    });
    assert_eq!(
        read(&format!("{exponential}f39();")).outcome,
        ReadOutcome::BoundExceeded { bound: Bound::Steps }
    );
    assert_eq!(Bound::Depth.to_string(), "bracket depth > 200");
}

#[test]
fn within_the_bounds_a_script_is_read() {
    let deep =
        |open: &str, close: &str, count: usize| format!("x = {}1{}", open.repeat(count), close.repeat(count));
    let inputs = [
        deep("(", ")", 200),
        deep("`${", "}`", 200),
        deep("[", "]", 200),
        deep("!", "", 190),
        format!("x{}", ".b".repeat(1000)),
        format!("x = 'a'{}", "+'b\\n'\n".repeat(9000)),
        format!("// {}\ntext('{}')", "c".repeat(60 * 1024), "é".repeat(200 * 1024)),
        "text(1);\n".repeat(7000),
    ];
    for input in inputs {
        assert_eq!(read(&input).outcome, ReadOutcome::Parsed, "{input:.40}");
    }
}

#[test]
fn symptoms_seen_in_public() {
    check(
        &[
            (
                "const r = await tools.web__run({search_query:[{q:\"a\"}]}); text(r);",
                "web__run {\"search_query\":[{\"q\":\"a\"}]} certain",
            ),
            (
                "const r = await tools.update_plan({\"plan\":[{\"step\":\"s\",\"status\":\"in_progress\"}]}); text(r);",
                "update_plan {\"plan\":[{\"status\":\"in_progress\",\"step\":\"s\"}]} certain",
            ),
            ("text(await tools.mcp__a__b({}));", "mcp__a__b {} certain"),
        ],
        |source| show_calls(&read(source)),
    );
}
