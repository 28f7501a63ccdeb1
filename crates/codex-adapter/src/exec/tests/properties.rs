//! What holds for any input at all.

use proptest::prelude::*;

use crate::exec::{ReadOutcome, ScriptReading, read};

/// Real scripts and the golden shapes, for mutation.
fn scripts() -> Vec<String> {
    let shapes =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/codex/exec-shapes.jsonl"));
    let shapes = shapes.lines().map(|line| {
        let shape: serde_json::Value = serde_json::from_str(line).unwrap();
        shape["input"].as_str().unwrap().to_owned()
    });
    shapes.collect()
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !crate::exec::scan::is_blank(*c)).collect()
}

/// What every reading keeps.
fn holds(source: &str, reading: &ScriptReading) {
    if reading.outcome != ReadOutcome::Parsed {
        assert!(reading.calls.is_empty() && reading.prints.is_empty());
        assert_eq!(reading.statements, source.lines().map(str::to_owned).collect::<Vec<_>>());
        return;
    }
    let code = if reading.pragma.is_some() { source.split_once('\n').unwrap().1 } else { source };
    assert_eq!(without_blanks(&reading.statements.join("\n")), without_blanks(code));
    for call in &reading.calls {
        let site = source.get(call.span.0..call.span.1).expect("a span lies on characters");
        assert!(site.contains(&call.argument_source) || call.argument_source.is_empty(), "{site}");
        assert!(!(call.certain && (call.maybe || call.repeat || call.unawaited)));
    }
    for print in &reading.prints {
        let call = match print.value {
            crate::exec::PrintValue::CallResult { call } | crate::exec::PrintValue::Output { call } => call,
            crate::exec::PrintValue::Other => continue,
        };
        assert!(!reading.calls[call].repeat);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(source in "\\PC{0,200}") {
        holds(&source, &read(&source));
    }

    #[test]
    fn any_soup_of_tokens_is_answered(tokens in prop::collection::vec(prop::sample::select(vec![
        "tools", ".", "x", "(", ")", "{", "}", "[", "]", "`", "${", "\"", "'", "/", "*", "//", "/*", "*/", "\n", "\r\n",
        " ", ";", ",", ":", "?", "?.", "=>", "=", "==", "+", "++", "!", "await ", "async ", "function ", "class ",
        "const ", "let ", "var ", "if", "else ", "for", "of ", "while", "do ", "try", "catch", "finally", "return ",
        "throw ", "new ", "yield ", "switch", "case ", "default", "break", "...", "\\", "é", "😀", "1", "a", "b", "#",
        "@", "export ", "import ", "delete ", "text", "Promise.all",
    ]), 0..80)) {
        let source: String = tokens.concat();
        holds(&source, &read(&source));
    }

    #[test]
    fn a_damaged_script_is_answered(
        script in prop::sample::select(scripts()),
        cut in any::<prop::sample::Index>(),
        length in 0usize..12,
        insert in "[(){}\\[\\]`'\"/*;,.$\\\\\n a-z]{0,6}",
    ) {
        let mut chars: Vec<char> = script.chars().collect();
        let at = cut.index(chars.len() + 1);
        let end = (at + length).min(chars.len());
        chars.splice(at..end, insert.chars());
        let source: String = chars.into_iter().collect();
        holds(&source, &read(&source));
    }

    #[test]
    fn reading_twice_says_the_same(script in prop::sample::select(scripts())) {
        prop_assert_eq!(read(&script), read(&script));
    }
}
