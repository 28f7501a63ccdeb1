//! Static values: the whitelist, what is beyond it, and how values look as JSON.

use super::check_calls;

#[test]
fn literals_and_operators_of_the_whitelist() {
    check_calls(&[
        (r#"await tools.x("a\n\x41\u0042\u{43}\\'");"#, r#"x "a\nABC\\'" certain"#),
        ("await tools.x('a' + 'b' + 1 + true + null + undefined);", r#"x "ab1truenullundefined" certain"#),
        ("await tools.x(1 + 2 + 'a');", r#"x "3a" certain"#),
        (
            "await tools.x([1, -2, +3, 0.1, 1e21, 1e-7, 0x10, 1_000, -0]);",
            "x [1,-2,3,0.1,1e+21,1e-7,16,1000,0] certain",
        ),
        (
            "await tools.x([0.1 + 0.2, 123456789012345680000, 5e-324, 1.5e300]);",
            "x [0.30000000000000004,1.2345678901234568e+20,5e-324,1.5e+300] certain",
        ),
        (
            "await tools.x(`${1}${1.5}${1e21}${1e-7}${-0}${NaN}${1/0}${123456789.125}`);",
            "x ‹`${1}${1.5}${1e21}${1e-7}${-0}${NaN}${1/0}${123456789.125}`›=\"11.51e+211e-70NaN${1/0}123456789.125\" certain",
        ),
        ("await tools.x({n: NaN, i: Infinity});", r#"x {"i":null,"n":null} certain"#),
        ("await tools.x([!0, !'', !1, !{}, !!'a']);", "x [true,true,false,false,true] certain"),
        (
            "await tools.x({a: 1, 'b-c': [null, true], 3: 'n', ['d' + 1]: 2});",
            r#"x {"3":"n","a":1,"b-c":[null,true],"d1":2} certain"#,
        ),
        (
            "await tools.x({a: undefined, b: () => 1, c: [undefined, () => 1, , 2]});",
            r#"x {"c":[null,null,null,2]} certain"#,
        ),
        ("const p = 'q'; await tools.x(`a${p}b${1 + 1}`);", r#"x "aqb2" certain"#),
        (r"await tools.x(String.raw`\d${1}\n`);", r#"x "\\d1\\n" certain"#),
        (r"const raw = String.raw; await tools.x(raw`\d`);", r#"x "\\d" certain"#),
        ("await tools.x(['a', 'b', null, 1].join('\\n'));", r#"x "a\nb\n\n1" certain"#),
        ("await tools.x(['a', 'b'].join());", r#"x "a,b" certain"#),
        ("const ls = ['a', `b`]; await tools.x(ls.join(' && '));", r#"x "a && b" certain"#),
        (
            r#"await tools.x(JSON.stringify({a: [1, "é\n"], b: undefined}));"#,
            r#"x "{\"a\":[1,\"é\\n\"]}" certain"#,
        ),
        (
            "await tools.x(JSON.stringify({a: [1, {}], b: []}, null, 2));",
            r#"x "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}" certain"#,
        ),
        ("await tools.x(JSON.stringify(undefined));", "x () certain"),
        (
            "const o = {a: {b: ['c']}}; await tools.x([o.a.b[0], o['a'].b.length, o.z, o?.a]);",
            r#"x ["c",1,null,{"b":["c"]}] certain"#,
        ),
        ("const o = {a: 1}; const k = 'a'; await tools.x(o[k]);", "x 1 certain"),
        ("await tools.x((1, 'b'));", r#"x "b" certain"#),
        ("await tools.x(true ? 'a' : 'b');", r#"x "a" certain"#),
        (
            "await tools.x(null ?? 'a'); await tools.x('' || 'b'); await tools.x('c' && 'd');",
            "x \"a\" certain\nx \"b\" certain\nx \"d\" certain",
        ),
        (
            "const a = [1, 2], o = {p: 1}; await tools.x([...a, ...[3]]); await tools.x({...o, q: 2, ...{p: 3}, ...null});",
            "x [1,2,3] certain\nx {\"p\":3,\"q\":2} certain",
        ),
        (
            "const {a, b: [c, d = 'e'], ...r} = {a: 1, b: ['f'], g: 2}; await tools.x([a, c, d, r]);",
            r#"x [1,"f","e",{"g":2}] certain"#,
        ),
        ("const [a, , b, ...r] = [1, 2, 3, 4]; await tools.x([a, b, r]);", "x [1,3,[4]] certain"),
        ("await tools.x(Object.freeze({a: 1}));", r#"x {"a":1} certain"#),
        ("await tools.x(await 'a');", r#"x "a" certain"#),
    ]);
}

#[test]
fn beyond_the_whitelist_nothing_is_told() {
    check_calls(&[
        ("await tools.x('a'.toUpperCase());", "x ‹'a'.toUpperCase()› certain"),
        ("await tools.x({a: 1, d: Date.now()});", r#"x {"a":1,"d":‹Date.now()›} certain"#),
        ("await tools.x([1, f()]);", "x [1,‹f()›] certain"),
        (
            "await tools.x(/re/); await tools.x(10n); await tools.x(f);",
            "x ‹/re/› certain\nx ‹10n› certain\nx ‹f› certain",
        ),
        (
            "await tools.x(2 * 3); await tools.x(5 - 1); await tools.x(1 < 2);",
            "x ‹2 * 3› certain\nx ‹5 - 1› certain\nx ‹1 < 2› certain",
        ),
        ("await tools.x(typeof 'a'); await tools.x(~1);", "x ‹typeof 'a'› certain\nx ‹~1› certain"),
        ("await tools.x(new Date());", "x ‹new Date()› certain"),
        ("await tools.x(tag`a`);", "x ‹tag`a`› certain"),
        ("await tools.x(JSON.parse('1'));", "x ‹JSON.parse('1')› certain"),
        ("await tools.x({get a() { return 1; }, b: 2});", "x {\"a\":‹{ return 1; }›,\"b\":2} certain"),
        ("await tools.x({a: 1, [k]: 2});", "x {\"a\":‹1›,\"...2\":‹2›} certain"),
        ("await tools.x({a: 1, ...o, b: 2});", "x {\"a\":‹1›,\"b\":2,\"...o\":‹o›} certain"),
        ("await tools.x([1, ...o]);", "x [1,‹...o›] certain"),
        ("await tools.x(...o);", "x ‹...o› certain"),
        ("await tools.x({toJSON() { return 1; }, a: 2});", "x ‹{toJSON() { return 1; }, a: 2}› certain"),
        ("await tools.x(this); await tools.x(tools);", "x () certain\nx ‹tools› certain"),
        ("const o = {a: 1}; await tools.x([o.toString, o.valueOf]);", "x [‹o.toString›,‹o.valueOf›] certain"),
        ("await tools.x(`a${b}c` + 'd');", "x ‹`a${b}c` + 'd'›=\"a${b}cd\" certain"),
        ("const c = `rm ${f}`; await tools.x({c});", "x {\"c\":‹c›=\"rm ${f}\"} certain"),
        ("await tools.x(['a', b].join(' '));", "x ‹['a', b].join(' ')› certain"),
        ("await tools.x(`${b}`);", "x ‹`${b}`› certain"),
        ("await tools.x(import('a'));", "x ‹import('a')› certain"),
        ("await tools.x(() => 1);", "x ‹() => 1› certain"),
    ]);
}

#[test]
fn a_prototype_is_no_member() {
    check_calls(&[
        ("await tools.x({c: 'ls', __proto__: {c: 'no'}});", r#"x {"c":"ls"} certain"#),
        ("await tools.x({c: 'ls', '__proto__': {d: 'no'}});", r#"x {"c":"ls"} certain"#),
        ("const o = {__proto__: {c: 'p'}}; await tools.x(o.c);", "x ‹o.c› certain"),
        ("await tools.x({['__proto__']: 1});", r#"x {"__proto__":1} certain"#),
        ("const __proto__ = 1; await tools.x({__proto__});", r#"x {"__proto__":1} certain"#),
        ("await tools.x({c: 1, __proto__: p});", "x ‹{c: 1, __proto__: p}› certain"),
        ("await tools.x({c: 1, __proto__: {toJSON() {}}});", "x ‹{c: 1, __proto__: {toJSON() {}}}› certain"),
    ]);
}

#[test]
fn unicode_comes_out_whole() {
    check_calls(&[
        ("await tools.x('é😀\u{2028}');", "x \"é😀\u{2028}\" certain"),
        ("await tools.x('\\uD83D\\uDE00');", "x \"😀\" certain"),
        ("await tools.x('a\\uD83Db');", "x \"a\u{FFFD}b\" certain"),
        // Halves that may pair up are not computed with.
        ("await tools.x('\\uD83D' + '\\uDE00');", "x ‹'\\uD83D' + '\\uDE00'› certain"),
        ("const é = '日本'; await tools.x({é, 'ключ': é[0]});", "x {\"é\":\"日本\",\"ключ\":‹é[0]›} certain"),
        ("/* 日本 */ await tools.x(b.c); const 日 = 1;", "x ‹b.c› certain"),
        (
            "'😀'; await tools.x(b);\u{2028}await tools.y(c);\r\nawait tools.z(d)",
            "x ‹b› certain\ny ‹c› certain\nz ‹d› certain",
        ),
    ]);
}
