//! What is a call, and with which argument: aliases, shadowing, scopes, helpers, unrolling.

use super::{check_calls, show_calls};
use crate::exec::{ReadOutcome, read};

#[test]
fn a_call_is_a_member_of_the_global_tools() {
    check_calls(&[
        ("await tools.a({x:1});", r#"a {"x":1} certain"#),
        ("await tools['a']({x:1});", r#"a {"x":1} certain"#),
        ("await tools[`a`]();", "a () certain"),
        ("const n = 'a'; await tools[n](1);", "a 1 certain"),
        ("await tools?.a('s');", r#"a "s" certain"#),
        ("await tools?.['a']('s');", r#"a "s" certain"#),
        ("await (tools).a(); await (tools.b)();", "a () certain\nb () certain"),
        ("await (0, tools.a)();", "a () certain"),
        ("const t = tools; await t.a();", "a () certain"),
        ("const f = tools.a; await f();", "a () certain"),
        ("const {a, b: c} = tools; await a(); await c();", "a () certain\nb () certain"),
        ("const {['a']: x} = tools; await x();", "a () certain"),
        ("let {a} = tools; await a();", "a () certain"),
        ("var t = tools; await t.a();", "a () certain"),
        ("const o = {t: tools, f: tools.b}; await o.t.a(); await o.f();", "a () certain\nb () certain"),
        ("const [f] = [tools.a]; await f();", "a () certain"),
        ("const f = () => tools; await f().a();", "a () certain"),
        ("const run = (t) => t.a(); await run(tools);", "a () certain"),
        ("await globalThis.tools.a();", "a () certain"),
        ("await tools.a.call(null, 1); await tools.b.apply(null, [2]);", "a 1 certain\nb 2 certain"),
        ("const f = tools.a.bind(tools); await f(1);", "a 1 certain"),
        ("await tools.a(1, 2, 3);", "a 1 certain"),
        ("await tools.a(...[1, 2]);", "a 1 certain"),
        ("await tools.a(await tools.b());", "b () certain\na ‹await tools.b()› certain"),
        // An optional call may not happen: the tool may be missing.
        ("await tools.a?.();", "a () maybe"),
        ("await tools?.a?.(1);", "a 1 maybe"),
        // The name is not told.
        ("await tools[name](1);", "[name] 1 certain"),
        ("const f = tools[load('n')]; await f({});", "[load('n')] {} certain"),
    ]);
}

#[test]
fn what_is_no_call_yields_none() {
    check_calls(&[
        ("text('tools.a()'); text(`tools.a()`); /* tools.a() */ // tools.a()", ""),
        ("const re = /tools.a()/; text(re.test('x'));", ""),
        ("const re = /[/\"'`]tools.a\\({/; text(1)", ""),
        ("await f(\"await tools.a()\");", ""),
        ("text(tools.a); text(typeof tools.a);", ""),
        ("text(Object.keys(tools)); text('a' in tools);", ""),
        ("tools.hasOwnProperty('a'); tools.toString();", ""),
        ("text(String.raw`tools.a()`);", ""),
        ("other.tools.a(); x.y.tools.b();", ""),
        ("\"await tools.exec_command({cmd:'ls'})\"", ""),
        ("text(1+1);", ""),
    ]);
}

#[test]
fn a_shadowed_tools_is_not_the_tools() {
    check_calls(&[
        ("const tools = {a(){}}; tools.a();", ""),
        ("let tools; tools = x; tools.a();", ""),
        ("{ const tools = {a(){}}; tools.a(); } await tools.b();", "b () certain"),
        ("function f(tools) { tools.a(); } f({a(){}}); await tools.b();", "b () certain"),
        ("const f = tools => tools.a(); f({a(){}});", ""),
        ("const f = ({tools}) => tools.a(); f({tools: {a(){}}});", ""),
        ("try { x() } catch (tools) { tools.a(); }", ""),
        ("for (const tools of [{a(){}}]) tools.a();", ""),
        ("class tools { static a(){} } tools.a();", ""),
        ("function tools() {} tools.a();", ""),
        ("import tools from 'x'; tools.a();", ""),
        ("import * as tools from 'x'; tools.a();", ""),
        ("(function tools() { tools.a(); })();", ""),
        ("var tools = {a(){}}; tools.a();", ""),
        ("{ function tools() {} tools.a(); } await tools.b();", "b () certain"),
        ("const {tools} = x; tools.a();", ""),
        // The name is declared further down: what is read before is not the global.
        ("await f(tools.a()); let tools = 1;", ""),
    ]);
}

#[test]
fn what_may_be_the_tools_yields_a_doubtful_row() {
    check_calls(&[
        ("tools = x; await tools.a(1);", "a ‹1› maybe"),
        ("let t = tools; t = x; await t.a(1);", "a ‹1› maybe"),
        ("let f = tools.a; f = tools.b; await f(1);", "a ‹1› maybe\nb ‹1› maybe"),
        (
            "let f = tools.a; if (q) f = tools.b; else if (r) f = tools.c; else f = q ? tools.d : tools.e; await f(1);",
            "(f) ‹1› maybe",
        ),
        (
            "Reflect.apply(tools.a, null, [1]);",
            "a ‹Reflect.apply(tools.a, null, [1])› maybe repeat unawaited",
        ),
        ("let f; f = tools.a; await f(1);", "a ‹1› maybe"),
        ("const f = c ? tools.a : tools.b; await f(1);", "a 1 maybe\nb 1 maybe"),
        ("const t = c ? tools : null; await t.a(1);", "a 1 maybe"),
        ("const o = {}; o.run = tools.a; await o.run(1);", "a ‹1› maybe"),
        ("await wrap(tools).a(1);", "a ‹1› maybe"),
        ("const f = wrap(tools.a); await f(1);", "a ‹wrap(tools.a)› maybe repeat unawaited\na ‹1› maybe"),
        ("await ({...tools}).a(1);", "a ‹1› maybe"),
        ("const {x, ...t} = tools; await t.a(1);", "a ‹1› maybe"),
        ("const t = tools ?? {}; await t.a(1);", "a 1 certain"),
        ("const {a = b} = tools; await a(1);", "a 1 maybe"),
        ("await new tools.a(1);", "a 1 maybe"),
        ("await tools.a`x`;", "a ‹› certain"),
        ("tools.a = f; await tools.a(1);", "a ‹1› maybe"),
        ("Object.assign(tools, {a: f}); await tools.a(1);", "a ‹1› maybe"),
        ("globalThis.tools = x; await tools.a(1);", "a ‹1› maybe"),
        ("Promise.all = f; await tools.a(1);", "a ‹1› maybe"),
        ("Array.prototype.map = f; await tools.a(1);", "a ‹1› maybe"),
        (
            "class R { constructor(t) { this.t = t; } run(c) { return this.t.exec_command({c}); } } await new R(tools).run(1);",
            "exec_command ‹{c}› maybe repeat",
        ),
        (
            "class R { constructor() { this.go = tools.a; } run(c) { return this.go(c); } } await new R().run(1);",
            "a ‹c› maybe repeat",
        ),
        ("const f = () => {}; f.t = tools; await f.t.a(1);", "a ‹1› maybe"),
        (
            "const m = new Map(); m.set('t', tools); await m.get('t').exec_command(1); m.get('t').trim();",
            "exec_command ‹1› maybe",
        ),
        ("const fs = {a: tools.a, b: tools.b}; await fs[load('k')](1);", "a 1 maybe\nb 1 maybe"),
        ("const fs = {a: () => tools.a(1)}; await fs[load('k')]();", "a 1 maybe"),
        ("eval('x'); await tools.a(1);", "a ‹1› maybe"),
        ("new Function('return 1')(); await tools.a(1);", "a ‹1› maybe"),
        ("f.constructor('x')(); await tools.a(1);", "a ‹1› maybe"),
        ("text(e.constructor.name); await tools.a(1);", "a 1 certain"),
        ("import x from 'fs'; await tools.a(1);", "a 1 maybe"),
    ]);
}

#[test]
fn a_name_has_a_value_only_if_it_is_never_reassigned() {
    check_calls(&[
        ("const c = 'a'; await tools.x(c);", r#"x "a" certain"#),
        ("let c = 'a'; await tools.x(c);", r#"x "a" certain"#),
        ("var c = 'a'; await tools.x(c);", r#"x "a" certain"#),
        ("let c = 'a'; c = 'b'; await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; await tools.x(c); c = 'b';", "x ‹c› certain"),
        ("let c = 'a'; c += 'b'; await tools.x(c);", "x ‹c› certain"),
        ("let c = 1; c++; await tools.x(c);", "x ‹c› certain"),
        ("let c = 1; --c; await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; c ??= 'b'; await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; [c] = ['b']; await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; ({c} = {c: 'b'}); await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; ({d: c = 1, ...c} = {}); await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; for (c of ['b']); await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; for (c in {}); await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; function f() { c = 'b'; } await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; const f = () => { c = 'b' }; await tools.x(c);", "x ‹c› certain"),
        ("let c = 'a'; { let c = 'z'; c = 'b'; } await tools.x(c);", r#"x "a" certain"#),
        ("let c = 'a'; const f = c => { c = 'b' }; await tools.x(c);", r#"x "a" certain"#),
        ("var c = 'a'; var c = 'b'; await tools.x(c);", "x ‹c› certain"),
        ("if (q) { var c = 'a'; } await tools.x(c);", "x ‹c› certain"),
        ("await tools.x(c); var c = 'a';", "x ‹c› certain"),
        ("await tools.x(c); const c = 'a';", "x ‹c› certain"),
        ("f(); async function f() { await tools.x(c); } const c = 'a';", "x ‹c› maybe unawaited"),
        ("let c; await tools.x(c);", "x () certain"),
        ("var c; await tools.x(c);", "x ‹c› certain"),
        ("const f = (c) => { c = c || 'd'; return tools.x(c); }; await f('a');", "x ‹c› certain"),
        ("function f(a) { var a; return tools.x(a); } await f('a');", "x ‹a› certain"),
        (
            "const c = 'a'; { const c = 'b'; await tools.x(c); } await tools.x(c);",
            "x \"b\" certain\nx \"a\" certain",
        ),
        (
            "await tools.x(undefined); await tools.x(void 0); await tools.x(null);",
            "x () certain\nx () certain\nx null certain",
        ),
        ("(function(undefined) { tools.x(undefined) })(1);", "x 1 unawaited"),
    ]);
}

#[test]
fn an_object_that_is_changed_is_not_told() {
    check_calls(&[
        ("const o = {c:'a'}; await tools.x(o);", r#"x {"c":"a"} certain"#),
        ("const o = {c:'a'}; o.c = 'b'; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; await tools.x(o); o.c = 'b';", "x ‹o› certain"),
        ("const o = {c:'a'}; o['c'] = 'b'; await tools.x(o);", "x ‹o› certain"),
        ("const o = {n:1}; o.n++; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; delete o.c; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; delete o?.c; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; Object.assign(o, {c:'b'}); await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; mutate(o); await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; const p = o; p.c = 'b'; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; const h = {o}; h.o.c = 'b'; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; [o][0].c = 'b'; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; (q ? o : {}).c = 'b'; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; const f = p => { p.c = 'b' }; f(o); await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; const f = () => { o.c = 'b' }; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; setTimeout(() => { o.c = 'b' }); await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; ({z: o.c} = {z: 'b'}); await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; for (o.c of ['b']); await tools.x(o);", "x ‹o› certain"),
        ("let h = {c:'a'}; const o = h; h.c = 'b'; h = 1; await tools.x(o);", "x ‹o› certain"),
        ("const a = ['p']; a.push('q'); await tools.x(a);", "x ‹a› certain"),
        ("const a = ['p']; a[0] = 'q'; await tools.x(a);", "x ‹a› certain"),
        ("const a = ['p']; a.length = 0; await tools.x(a);", "x ‹a› certain"),
        ("const a = ['q','p']; a.sort(); await tools.x(a);", "x ‹a› certain"),
        ("const a = ['q','p']; a.reverse(); await tools.x(a[0]);", "x ‹a[0]› certain"),
        ("const a = [{c:'a'}]; a.forEach(o => { o.c = 'b' }); await tools.x(a);", "x [‹{c:'a'}›] certain"),
        (
            "const a = [{c:'a'}]; const b = a.filter(o => o.c = 'b'); await tools.x(a);",
            "x [‹{c:'a'}›] certain",
        ),
        ("const a = [{c:'a'}]; for (const o of a) o.c = 'b'; await tools.x(a);", "x [‹{c:'a'}›] certain"),
        // Hidden ways to it.
        ("const a = [{c:'a'}]; a.slice()[0].c = 'b'; await tools.x(a);", "x [‹{c:'a'}›] certain"),
        ("const o = {n:{c:'a'}}; o[load('k')].c = 'b'; await tools.x(o);", "x {\"n\":‹{c:'a'}›} certain"),
        (
            "const o = {c:'a'}; function f() { arguments[0].c = 'b'; } f(o); await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a'}; function f() { (() => { arguments[0].c = 'b'; })(); } f(o); await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a', get w() { this.c = 'b'; return 1; }}; text(o.w); await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a', toString() { this.c = 'b'; return ''; }}; text(`${o}`); await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a'}; const f = function() { this.c = 'b'; }.bind(o); f(); await tools.x(o);",
            "x ‹o› certain",
        ),
        ("const o = {c:'a'}; (function() { this.c = 'b'; }).call(o); await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a', f() { this.c = 'b'; }}; o.f(); await tools.x(o);", "x ‹o› certain"),
        (
            "const o = {c:'a'}; [1].forEach(function() { this.c = 'b'; }, o); await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a'}; JSON.stringify(o, (k, v) => { v.c = 'b'; return v; }); await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a'}; const f = (...r) => { r[0].c = 'b'; }; f(o, ...load('k')); await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a'}; const f = (a, b) => { b.c = 'b'; }; f(...load('k'), o); await tools.x(o);",
            "x ‹o› certain",
        ),
        ("const o = {c:'a'}; [...load('k'), o][0].c = 'b'; await tools.x(o);", "x ‹o› certain"),
        (
            "const o = {c:'a'}; const {z, ...r} = {...load('k'), o}; r.o.c = 'b'; await tools.x(o);",
            "x ‹o› certain",
        ),
        ("const o = {c:'a'}; const q = {o, ...load('k')}; q.o.c = 'b'; await tools.x(o);", "x ‹o› certain"),
        ("const o = {c:'a'}; const q = {o, [load('k')]: 1}; q.o.c = 'b'; await tools.x(o);", "x ‹o› certain"),
        (
            "const o = {n:{c:'a'}}; Object.assign({}, o).n.c = 'b'; await tools.x(o);",
            "x {\"n\":‹{c:'a'}›} certain",
        ),
        (
            "const o = {c:'a'}; const rs = await Promise.allSettled([o]); rs[0].value.c = 'b'; await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a'}; const m = new Map([['k', o]]); m.get('k').c = 'b'; await tools.x(o);",
            "x ‹o› certain",
        ),
        ("const o = {c:'a'}; try { throw o; } catch (e) { e.c = 'b'; } await tools.x(o);", "x ‹o› certain"),
        (
            "const o = {c:'a'}; function* g() { yield o; } for (const p of g()) p.c = 'b'; await tools.x(o);",
            "x ‹o› certain",
        ),
        (
            "const o = {c:'a'}; const p = {z: 1, __proto__: o}; p.__proto__.c = 'b'; await tools.x(o);",
            "x ‹o› certain",
        ),
        // A read leaves it alone.
        (
            "const o = {c:'a'}; text(o); text(JSON.stringify(o)); store('k', o); await tools.x(o);",
            r#"x {"c":"a"} certain"#,
        ),
        (
            "const o = {c:'a'}; text(Object.keys(o)); const {c} = o; await tools.x(o);",
            r#"x {"c":"a"} certain"#,
        ),
        ("const o = {c:'a'}; const f = p => p.c; f(o); await tools.x(o);", r#"x {"c":"a"} certain"#),
        (
            "const o = {c:'a'}; const p = Object.assign({}, o, {d:1}); await tools.x(o);",
            r#"x {"c":"a"} certain"#,
        ),
        ("const a = ['p']; text(a.join()); text(a.includes('p')); await tools.x(a);", r#"x ["p"] certain"#),
        (
            "const b = {w:'/w'}; const o = {...b, c:'a'}; o.c = 'z'; await tools.x({...b});",
            r#"x {"w":"/w"} certain"#,
        ),
    ]);
}

#[test]
fn helpers_are_unrolled() {
    check_calls(&[
        (
            "const f = c => tools.x({c}); await f('a'); await f('b');",
            "x {\"c\":\"a\"} certain\nx {\"c\":\"b\"} certain",
        ),
        ("async function f(c) { return await tools.x({c}); } await f('a');", r#"x {"c":"a"} certain"#),
        ("await f('a'); async function f(c) { await tools.x({c}); }", r#"x {"c":"a"} certain"#),
        (
            "const f = (c, w = '/w') => tools.x({c, w}); await f('a'); await f('b', '/v');",
            "x {\"c\":\"a\",\"w\":\"/w\"} certain\nx {\"c\":\"b\",\"w\":\"/v\"} certain",
        ),
        ("const f = (a, b = a + '!') => tools.x(b); await f('q');", r#"x "q!" certain"#),
        ("const f = (...cs) => tools.x(cs); await f('a', 'b');", r#"x ["a","b"] certain"#),
        ("const f = (a, ...cs) => tools.x(cs.join(' ')); await f('a', 'b', 'c');", r#"x "b c" certain"#),
        ("const f = ({c, w}) => tools.x({c, w}); await f({c:'a'});", r#"x {"c":"a"} certain"#),
        ("const f = ([a, b]) => tools.x(b); await f(['p', 'q']);", r#"x "q" certain"#),
        (
            "const f = ({c = 'd'} = {}) => tools.x(c); await f(); await f({c: 'e'});",
            "x \"d\" certain\nx \"e\" certain",
        ),
        ("const a = ['p', 'q']; const f = (x, y) => tools.x(y); await f(...a);", r#"x "q" certain"#),
        ("const f = c => tools.x(c); const g = c => f(c + '!'); await g('a');", r#"x "a!" certain"#),
        ("const f = c => { const d = `${c}?`; return tools.x(d); }; await f('a');", r#"x "a?" certain"#),
        (
            "const f = (c) => { if (c) return tools.x(c); return tools.y(); }; await f('a'); await f('');",
            "x \"a\" certain\ny () maybe\ny () certain",
        ),
        (
            "const mk = w => c => tools.x({w, c}); const f = mk('/w'); await f('a');",
            r#"x {"c":"a","w":"/w"} certain"#,
        ),
        ("const o = {run(c) { return tools.x(c); }}; await o.run('a');", r#"x "a" certain"#),
        ("const o = {w: '/w', run(c) { return tools.x(this.w); }}; await o.run('a');", r#"x "/w" certain"#),
        ("await (async () => { await tools.x('a'); })();", r#"x "a" certain"#),
        ("await (async function() { await tools.x('a'); })();", r#"x "a" certain"#),
        ("const r = await (async () => { return tools.x('a'); })();", r#"x "a" certain"#),
        ("const f = c => tools.x(c); await f(load('k'));", "x ‹c› certain"),
        ("const f = function g(n) { return tools.x(n); }; await f('a');", r#"x "a" certain"#),
        (
            "const twice = async f => { await f('a'); await f('b'); }; await twice(c => tools.x(c));",
            "x \"a\" certain\nx \"b\" certain",
        ),
        // A recursion is walked once more for all its deeper rounds.
        (
            "const f = async n => { await tools.x(n); if (q) await f(n - 1); }; await f(3);",
            "x 3 certain\nx ‹n› maybe repeat",
        ),
        (
            "const f = async n => { await tools.x(n); await f(n); }; await f(1);",
            "x 1 certain\nx 1 certain\nx 1 certain\nx 1 certain\nx 1 certain\nx 1 certain\nx ‹n› repeat",
        ),
    ]);
}

#[test]
fn collections_that_are_told_are_unrolled() {
    check_calls(&[
        ("for (const c of ['a', 'b']) await tools.x(c);", "x \"a\" certain\nx \"b\" certain"),
        (
            "for (const [n, c] of [['p', 'a'], ['q', 'b']]) await tools.x({n, c});",
            "x {\"c\":\"a\",\"n\":\"p\"} certain\nx {\"c\":\"b\",\"n\":\"q\"} certain",
        ),
        (
            "for (const [i, c] of ['a', 'b'].entries()) await tools.x([i, c]);",
            "x [0,\"a\"] certain\nx [1,\"b\"] certain",
        ),
        (
            "const it = ['a'].entries(); for (const e of it) await tools.x(e); for (const e of it) await tools.y(e);",
            "x [0,\"a\"] certain\ny ‹e› repeat",
        ),
        (
            "for (const [k, v] of Object.entries({p: 1, q: 2})) await tools.x({k, v});",
            "x {\"k\":\"p\",\"v\":1} certain\nx {\"k\":\"q\",\"v\":2} certain",
        ),
        ("for (const k of Object.keys({p: 1, 2: 2})) await tools.x(k);", "x \"2\" certain\nx \"p\" certain"),
        ("for (const v of Object.values({p: 1})) await tools.x(v);", "x 1 certain"),
        (
            "await Promise.all(['a', 'b'].map((c, i) => tools.x({c, i})));",
            "x {\"c\":\"a\",\"i\":0} certain\nx {\"c\":\"b\",\"i\":1} certain",
        ),
        ("await Promise.all(['a'].map(tools.x));", r#"x "a" certain"#),
        ("await Promise.all(Array.from(['a', 'b'], c => tools.x(c)));", "x \"a\" certain\nx \"b\" certain"),
        ("['a', 'b'].forEach(c => { tools.x(c); });", "x \"a\" unawaited\nx \"b\" unawaited"),
        (
            "const cs = ['a', ...['b', 'c']]; for (const c of cs) await tools.x(c);",
            "x \"a\" certain\nx \"b\" certain\nx \"c\" certain",
        ),
        (
            "const steps = [() => tools.x(), () => tools.y()]; for (const s of steps) await s();",
            "x () certain\ny () certain",
        ),
        ("for (const c of ['a', 'b']) { if (c === 'b') continue; await tools.x(c); }", r#"x "a" certain"#),
        ("for (const c of ['a', 'b', 'c']) { if (c === 'b') break; await tools.x(c); }", r#"x "a" certain"#),
        (
            "for (const c of ['a', 'b']) { const r = await tools.x(c); if (r.exit_code) break; } await tools.y();",
            "x \"a\" certain\nx \"b\" maybe\ny () certain",
        ),
        (
            "for (const c of ['a', 'b']) { if (q) continue; await tools.x(c); } await tools.y();",
            "x \"a\" maybe\nx \"b\" maybe\ny () certain",
        ),
        (
            "o: for (const c of ['a', 'b']) { for (const d of [1, 2]) { if (q) continue o; await tools.x(c + d); } } await tools.y();",
            "x \"a1\" maybe\nx \"a2\" maybe\nx \"b1\" maybe\nx \"b2\" maybe\ny () certain",
        ),
        (
            "o: for (const c of ['a', 'b']) { for (const d of [1, 2]) { if (q) break o; await tools.x(c + d); } } await tools.y();",
            "x \"a1\" maybe\nx \"a2\" maybe\nx \"b1\" maybe\nx \"b2\" maybe\ny () certain",
        ),
        (
            "o: for (const c of ['a', 'b']) { for (const d of [1, 2]) { await tools.x(c + d); break o; } } await tools.y();",
            "x \"a1\" certain\ny () certain",
        ),
        ("for await (const r of [tools.x(1), tools.x(2)]) text(r);", "x 1 certain\nx 2 certain"),
    ]);
}

#[test]
fn collections_that_are_not_told_stand_once() {
    check_calls(&[
        ("for (const c of load('cs')) await tools.x(c);", "x ‹c› repeat"),
        (
            "for (const c of load('cs')) { if (c) await tools.x({c, w: 1}); }",
            "x {\"c\":‹c›,\"w\":1} maybe repeat",
        ),
        ("await Promise.all(load('cs').map(c => tools.x(c)));", "x ‹c› repeat"),
        ("load('cs').forEach(c => { tools.x(c); });", "x ‹c› repeat unawaited"),
        ("await Promise.all(['a', 'b'].filter(f).map(c => tools.x(c)));", "x ‹c› repeat"),
        ("await Promise.all('a b'.split(' ').map(c => tools.x(c)));", "x ‹c› repeat"),
        ("await Promise.all([...load('cs'), 'a'].map(c => tools.x(c)));", "x ‹c› repeat"),
        ("await Promise.all(Array.from({length: 3}, (_, i) => tools.x(i)));", "x ‹i› repeat"),
        ("while (await more()) await tools.x(1);", "x 1 repeat"),
        ("do { await tools.x(1); } while (q);", "x 1 repeat"),
        ("for (let i = 0; i < 3; i++) await tools.x(i);", "x ‹i› repeat"),
        ("for (;;) { await tools.x(1); if (q) break; } await tools.y();", "x 1 repeat\ny () certain"),
        ("for (const k in {a: 1}) await tools.x(k);", "x ‹k› repeat"),
        ("for (const c of 'ab') await tools.x(c);", "x ‹c› repeat"),
        ("for (const c of new Set(['a'])) await tools.x(c);", "x ‹c› repeat"),
        ("while ((await tools.x()).session_id) {}", "x () repeat"),
        (
            "await load('p').reduce(async (p, c) => { await p; await tools.x(c); }, Promise.resolve());",
            "x ‹c› maybe repeat",
        ),
        ("const xs = ['a']; xs.push('b'); for (const c of xs) await tools.x(c);", "x ‹c› repeat"),
    ]);
}

#[test]
fn unrolling_ends_at_64_calls() {
    let many: Vec<String> = (0..65).map(|index| index.to_string()).collect();
    let reading = read(&format!("await Promise.all([{}].map(n => tools.x(n)));", many.join(",")));
    assert_eq!(reading.calls.len(), 65);
    assert!(reading.calls.iter().take(64).all(|call| call.certain));
    let last = super::ScriptReading { calls: reading.calls[64..].to_vec(), ..reading };
    assert_eq!(show_calls(&last), "x ‹n› repeat\n");

    // Two sites in one loop share the 64; each stands once more.
    let reading =
        read(&format!("for (const n of [{}]) {{ await tools.x(n); await tools.y(n); }}", many.join(",")));
    assert_eq!(reading.calls.len(), 66);
    assert_eq!(reading.calls.iter().filter(|call| call.repeat).count(), 2);

    // Sites that are written out are no unrolling: each is shown.
    let reading = read(&"await tools.x(1);\n".repeat(100));
    assert_eq!(reading.calls.len(), 100);
    assert!(reading.calls.iter().all(|call| call.certain));
    assert_eq!(reading.outcome, ReadOutcome::Parsed);
}
