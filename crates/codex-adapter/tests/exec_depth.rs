//! However deep or long a shape of JavaScript is repeated, reading it answers, and soon: no abort, no hang.
//!
//! A stack overflow kills the whole process, so the shapes are read in a child: this test runs itself once more with
//! `EXEC_DEPTH_CHILD` set and looks at how the child ended. It holds in the debug profile, where frames are largest.

use std::env;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use larkspan_codex_adapter::exec::{MAX_CODE, MAX_DEPTH, MAX_RUN, ReadOutcome, read};

const CHILD: &str = "EXEC_DEPTH_CHILD";
const LEVELS: usize = 100_000;
const SOON: Duration = Duration::from_secs(if cfg!(debug_assertions) { 3 } else { 1 });

/// A shape: its name, what is repeated before the middle, the middle, what is repeated after it.
type Shape = (&'static str, &'static str, &'static str, &'static str);

const SHAPES: &[Shape] = &[
    ("parentheses", "(", "1", ")"),
    ("arrays", "[", "1", "]"),
    ("arrays with a comma", "[1,", "1", "]"),
    ("objects", "x={a:", "1", "}"),
    ("object spreads", "({...", "a", "})"),
    ("array spreads", "[...", "a", "]"),
    ("templates", "`${", "1", "}`"),
    ("calls", "f(", "1", ")"),
    ("call chains", "", "f", "()"),
    ("blocks", "{", "1", "}"),
    ("empty statements", ";", "1", ";"),
    ("not", "!", "1", ""),
    ("minus", "- ", "1", ""),
    ("tilde", "~", "1", ""),
    ("typeof", "typeof ", "1", ""),
    ("void", "void ", "1", ""),
    ("delete", "delete ", "a.b", ""),
    ("await", "await ", "1", ""),
    ("yield", "yield ", "1", ""),
    ("increments", "++", "a", ""),
    ("new", "new ", "A", ""),
    ("new with arguments", "new A(", "1", ")"),
    ("conditionals", "a?b:", "c", ""),
    ("conditionals inside", "a?", "b", ":c"),
    ("arrows", "a=>", "1", ""),
    ("async arrows", "async a=>", "1", ""),
    ("arrows in parentheses", "()=>(", "1", ")"),
    ("arrow blocks", "()=>{", "1", "}"),
    ("arrow parameters", "(a=", "1", ")=>1"),
    ("else if", "if(a){}else ", "{}", ""),
    ("if", "if(a)", "1", ""),
    ("if else", "if(a)b;else ", "1", ""),
    ("while", "while(a)", "1", ""),
    ("do", "do ", "1", ";while(0)"),
    ("for", "for(;;)", "1", ""),
    ("for of", "for(const a of b)", "1", ""),
    ("powers", "a**", "1", ""),
    ("assignments", "a=", "1", ""),
    ("compound assignments", "a+=", "1", ""),
    ("logical assignments", "a??=", "1", ""),
    ("member assignments", "a.b=", "1", ""),
    ("sums", "a+", "1", ""),
    ("strings", "'a'+", "'b'", ""),
    ("or", "a||", "1", ""),
    ("and", "a&&", "1", ""),
    ("nullish", "a??", "1", ""),
    ("in", "a in ", "b", ""),
    ("less than", "a<", "1", ""),
    ("instanceof", "a instanceof ", "b", ""),
    ("commas", "a,", "1", ""),
    ("members", "", "a", ".b"),
    ("indices", "", "a", "[0]"),
    ("optional members", "", "a", "?.b"),
    ("optional indices", "", "a", "?.[0]"),
    ("optional calls", "", "a", "?.()"),
    ("tags", "", "a", "``"),
    ("labels", "a:", "1", ""),
    ("functions", "function f(){", "1", "}"),
    ("function expressions", "(function(){", "1", "})"),
    ("async functions", "async function f(){", "1", "}"),
    ("generators", "function*f(){yield ", "1", "}"),
    ("classes", "class A{m(){", "1", "}}"),
    ("class expressions", "(class{a=", "1", "})"),
    ("heritage", "class A extends ", "B", "{}"),
    ("static blocks", "class A{static{", "1", "}}"),
    ("methods", "({m(){return ", "1", "}})"),
    ("getters", "({get a(){return ", "1", "}})"),
    ("computed keys", "({[", "1", "]:1})"),
    ("array patterns", "let [", "a", "]=1"),
    ("nested array patterns", "[", "a", "]=1"),
    ("object patterns", "({a:", "b", "}=1)"),
    ("pattern defaults", "[a=", "1", "]=1"),
    ("switches", "switch(a){case 1:", "1", "}"),
    ("try", "try{", "1", "}finally{}"),
    ("catch", "try{}catch(e){", "1", "}"),
    ("imports", "import(", "'a'", ")"),
    ("import declarations", "import a from 'b';", "1", ""),
    ("exports", "export default ", "1", ""),
    ("regex groups", "", "/a/;", "/(a)/;"),
    ("comments", "/*(*/", "1", "//\n"),
    ("throws", "if(a)throw ", "1", ""),
    ("returns", "()=>{return ", "1", "}"),
    ("declarations", "const a=", "1", ""),
    ("optional parentheses", "(a?.(", "1", "))"),
    ("mixed brackets", "([{a:`${", "1", "}`}])"),
    ("awaited calls", "await f(", "1", ")"),
];

/// Shapes whose repetition lies inside one token.
fn tokens() -> Vec<(&'static str, String)> {
    let text = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(LEVELS), close.repeat(LEVELS))
    };
    vec![
        ("regex with nested groups", format!("/{}/", text("(", "a", ")"))),
        ("regex with nested classes", format!("/{}/v", text("[", "a", "]"))),
        ("regex with lookaheads", format!("/{}/", text("(?=", "a", ")"))),
        ("regex with alternatives", format!("/{}/", text("a|", "a", ""))),
        ("regex with quantifiers", format!("/{}/", text("a*", "a", ""))),
        ("string of brackets", format!("text('{}')", text("(", "a", ""))),
        ("string of escapes", format!("text('{}')", text("\\u{61}", "a", ""))),
        ("template of brackets", format!("text(`{}`)", text("{(", "a", ""))),
        ("long name", format!("{} = 1", text("a", "b", ""))),
        ("long number", format!("x = {}", text("1", "2", ""))),
        ("long bigint", format!("x = {}n", text("1", "2", ""))),
        ("shebang", format!("#!{}", text("(", "a", ""))),
    ]
}

fn repeated((_, open, middle, close): &Shape, levels: usize, closed: bool) -> String {
    let close = if closed { close.repeat(levels) } else { String::new() };
    format!("{}{middle}{close}", open.repeat(levels))
}

/// The processor time this process has used, so that a busy machine does not fail the test; where the system does
/// not tell it, the time that passed.
fn clock(start: Instant) -> Duration {
    let ticks = || {
        let line = fs::read_to_string("/proc/self/stat").ok()?;
        let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 10))
    };
    ticks().unwrap_or_else(|| start.elapsed())
}

fn answered(name: &str, source: &str) {
    let start = Instant::now();
    let before = clock(start);
    let reading = read(source);
    let took = clock(start).saturating_sub(before);
    assert!(took < SOON, "{name}, {} bytes: answered after {took:?}", source.len());
    assert!(
        reading.outcome == ReadOutcome::Parsed || reading.calls.is_empty(),
        "{name}: calls without a parsed script"
    );
}

fn child() {
    for shape in SHAPES {
        let name = shape.0;
        for closed in [true, false] {
            for levels in [1, 10, MAX_RUN / 2, MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, 1_000, 10_000, LEVELS]
            {
                answered(name, &repeated(shape, levels, closed));
            }
        }
        // As much of it as the bounds let through, over and over: what is superlinear shows here.
        for levels in [25, MAX_DEPTH / 2 - 1, MAX_DEPTH - 1] {
            let unit = format!("{};\n", repeated(shape, levels, true));
            answered(name, &unit.repeat(MAX_CODE / unit.len()));
        }
    }
    for (name, source) in tokens() {
        answered(name, &source);
    }
}

#[test]
fn every_recursive_shape_is_answered() {
    if env::var_os(CHILD).is_some() {
        child();
        return;
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["every_recursive_shape_is_answered", "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}: {}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}
