//! The statement splitter.

use crate::exec::read;

fn check(source: &str, expected: &[&str]) {
    assert_eq!(read(source).statements, expected, "{source:?}");
}

#[test]
fn one_top_level_statement_a_line() {
    check("const a = 1; const b = 2;", &["const a = 1;", "const b = 2;"]);
    check("const a = 1\nconst b = 2\n", &["const a = 1", "const b = 2"]);
    check("a()\n  .b()\n  .c();\nd()", &["a()\n  .b()\n  .c();", "d()"]);
    check("x = a +\n b\ny = [1,\n2]", &["x = a +\n b", "y = [1,\n2]"]);
    check("if (a) { b(); } else { c(); } d();", &["if (a) { b(); } else { c(); }", "d();"]);
    check("if (a) b(); else c();\nd()", &["if (a) b(); else c();", "d()"]);
    check("if (a) b()\nelse c()\nd()", &["if (a) b()\nelse c()", "d()"]);
    check("for (const a of b) { c(a); } d();", &["for (const a of b) { c(a); }", "d();"]);
    check("for (let i = 0; i < 3; i++) c(i); d();", &["for (let i = 0; i < 3; i++) c(i);", "d();"]);
    check("while (a) b(); c()", &["while (a) b();", "c()"]);
    check("do { a(); } while (b); c();", &["do { a(); } while (b);", "c();"]);
    check("do { a(); } while (b)\nc();", &["do { a(); } while (b)", "c();"]);
    check("do a(); while (b); c();", &["do a(); while (b);", "c();"]);
    check(
        "try { a(); } catch (e) { b(); } finally { c(); } d();",
        &["try { a(); } catch (e) { b(); } finally { c(); }", "d();"],
    );
    check("try { a(); } catch { b(); }\nd();", &["try { a(); } catch { b(); }", "d();"]);
    check(
        "function f() { a(); } async function g() { b(); } class C { m() {} } f();",
        &["function f() { a(); }", "async function g() { b(); }", "class C { m() {} }", "f();"],
    );
    check(
        "const f = () => { a(); };\nconst g = function() { b() }\nconst h = class {}\nf()",
        &["const f = () => { a(); };", "const g = function() { b() }", "const h = class {}", "f()"],
    );
    check("const {a, b} = c; ({d} = e); [f] = g;", &["const {a, b} = c;", "({d} = e);", "[f] = g;"]);
    check("{ a(); b(); } c();", &["{ a(); b(); }", "c();"]);
    check(
        "switch (a) { case 1: b(); break; default: c(); } d();",
        &["switch (a) { case 1: b(); break; default: c(); }", "d();"],
    );
    check("l: for (;;) { break l; } a();", &["l: for (;;) { break l; }", "a();"]);
    check(
        "export const a = 1; export default function f() {} b();",
        &["export const a = 1;", "export default function f() {}", "b();"],
    );
    check(
        "const a = 1;const b = `;\n${c(`}`)};`;const d = ';';",
        &["const a = 1;", "const b = `;\n${c(`}`)};`;", "const d = ';';"],
    );
    check(
        "const a = /[/;]/g;b();const c = x / y; d(); e = 1 / 2 / 3;",
        &["const a = /[/;]/g;", "b();", "const c = x / y;", "d();", "e = 1 / 2 / 3;"],
    );
    check("if (a) /;/.test(b); c();", &["if (a) /;/.test(b);", "c();"]);
    check("a = {b: 1}\n/c/d", &["a = {b: 1}\n/c/d"]);
    check("function f() {}\n/;/.test(c)", &["function f() {}", "/;/.test(c)"]);
    check("a\n++b", &["a", "++b"]);
    check(
        "const a = {if: 1, class: 2, function: 3}; b.class.if = 1; c()",
        &["const a = {if: 1, class: 2, function: 3};", "b.class.if = 1;", "c()"],
    );
    check(
        "const o = {get a() { return 1; }, async b() {}, *c() {}, [d]() {}}; e();",
        &["const o = {get a() { return 1; }, async b() {}, *c() {}, [d]() {}};", "e();"],
    );
    check("a ? b : c; d ? {e: 1} : {f: 2}\ng()", &["a ? b : c;", "d ? {e: 1} : {f: 2}", "g()"]);
    check("await a()\nawait b()", &["await a()", "await b()"]);
    check("text(1);;text(2)", &["text(1);;", "text(2)"]);
    check("x = a\n(b)", &["x = a\n(b)"]);
    check("x\r\ny\u{2028}z", &["x", "y", "z"]);
}

#[test]
fn comments_stay_where_they_belong() {
    check("// one\na(); // two\n// three\nb();", &["// one", "a(); // two", "// three", "b();"]);
    check("/* one */ a(); /* two */ b();", &["/* one */ a(); /* two */", "b();"]);
    check("a()\n// in between\n.b()", &["a()\n// in between\n.b()"]);
    check("a() /* x\n */ b()", &["a() /* x\n */", "b()"]);
    check("// only", &["// only"]);
    check("#!shebang\na()", &["#!shebang", "a()"]);
    check("/* a */\n\n/* b */", &["/* a */", "/* b */"]);
    check("f(a, // x\n b); c()", &["f(a, // x\n b);", "c()"]);
}

#[test]
fn the_pragma_line_is_left_out() {
    check("// @exec: {\"yield_time_ms\": 1}\r\ntext(1);\r\n", &["text(1);"]);
}

#[test]
fn what_is_no_script_keeps_its_lines() {
    check("git  status\r\n\n ls", &["git  status", "", " ls"]);
}
