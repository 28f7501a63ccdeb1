//! Prints: what is printed in which order, and which call's result it is.

use super::{check, show_prints};
use crate::exec::read;

#[test]
fn prints_are_bound_to_calls() {
    check(
        &[
            ("const r = await tools.x(); text(r);", "text result 0 certain"),
            ("text(await tools.x());", "text result 0 certain"),
            ("const r = await tools.x(); text(r.output);", "text output 0 certain"),
            ("text((await tools.x()).output);", "text output 0 certain"),
            ("text((await tools.x())?.output);", "text output 0 certain"),
            ("const r = await tools.x(); text(r['output']);", "text output 0 certain"),
            (
                "const r = await tools.x(); text(JSON.stringify(r)); text(JSON.stringify(r, null, 2));",
                "text result 0 certain\ntext result 0 certain",
            ),
            ("const {output} = await tools.x(); text(output);", "text output 0 certain"),
            ("const r = await tools.x(); text(`${r.output}`);", "text output 0 certain"),
            ("const r = await tools.x(); text(`> ${r.output}`);", "text other certain"),
            ("const r = await tools.x(); text(r.output.trim());", "text other certain"),
            ("const r = await tools.x(); text(r.output || 'none');", "text other certain"),
            (
                "const r = await tools.x(); text(r.exit_code); text('a'); text();",
                "text other certain\ntext other certain\ntext other certain",
            ),
            ("const r = await tools.x(); text(JSON.stringify(r, f));", "text other certain"),
            (
                "const [a, b] = await Promise.all([tools.x(), tools.y()]); text(b); text(a.output);",
                "text result 1 certain\ntext output 0 certain",
            ),
            (
                "const rs = await Promise.all(['a', 'b'].map(c => tools.x(c))); for (const r of rs) text(r);",
                "text result 0 certain\ntext result 1 certain",
            ),
            (
                "const rs = await Promise.all(['a', 'b'].map(c => tools.x(c))); rs.forEach(r => text(r.output));",
                "text output 0 certain\ntext output 1 certain",
            ),
            (
                "const rs = await Promise.all(['a', 'b'].map(c => tools.x(c))); rs.forEach(text);",
                "text result 0 certain\ntext result 1 certain",
            ),
            (
                "const rs = await Promise.all(['a'].map(c => tools.x(c))); text(rs[0].output); text(rs);",
                "text output 0 certain\ntext other certain",
            ),
            (
                "const p = tools.x(); const q = tools.y(); text(await q); text(await p);",
                "text result 1 certain\ntext result 0 certain",
            ),
            (
                "const run = async c => (await tools.x(c)).output; text(await run('a')); text(await run('b'));",
                "text output 0 certain\ntext output 1 certain",
            ),
            ("const show = r => text(r.output); show(await tools.x());", "text output 0 certain"),
            ("const t = text; t(await tools.x());", "text result 0 certain"),
            ("globalThis.text(await tools.x());", "text result 0 certain"),
            ("await tools.x().then(r => text(r));", "text result 0 certain"),
            ("await tools.x().then(text);", "text result 0 certain"),
            ("text(await tools.x().then(r => r.output));", "text output 0 certain"),
            ("text(await tools.x().catch(e => e));", "text other certain"),
            (
                "let r = await tools.x(); text(r); r = await tools.y(); text(r);",
                "text other certain\ntext other certain",
            ),
            ("const r = q ? await tools.x() : await tools.y(); text(r);", "text other certain"),
            ("for (const c of load('k')) text(await tools.x(c));", "text other"),
            ("const rs = await Promise.allSettled([tools.x()]); text(rs[0].value);", "text other certain"),
            ("const r = await Promise.race([tools.x(), tools.y()]); text(r);", "text other certain"),
            (
                "const img = await tools.v(); image(img); text('a'); notify('b');",
                "image result 0 certain\ntext other certain\nnotify other certain",
            ),
            ("const f = () => text('a');", ""),
            ("await tools.x(); const g = 1;", ""),
            ("const text = x => {}; text(await tools.x());", ""),
        ],
        |source| show_prints(&read(source)),
    );
}

#[test]
fn a_print_is_certain_only_in_its_place() {
    check(
        &[
            ("if (q) text('a'); text(await tools.x());", "text other\ntext result 0"),
            ("text('a'); if (q) text('b'); text('c');", "text other certain\ntext other\ntext other"),
            ("if (q) exit(); text('a');", "text other"),
            (
                "try { text(await tools.x()); } catch (e) { text(e); } text('z');",
                "text result 0\ntext other\ntext other",
            ),
            (
                "try { text(await tools.x()); } finally { text('b'); } text('c');",
                // In a script that failed there, the first block may be the second print's.
                "text result 0\ntext other\ntext other certain",
            ),
            (
                "text(await tools.x()); try { f(); } finally { text('b'); }",
                "text result 0 certain\ntext other",
            ),
            (
                "text(1); await tools.x().finally(() => text('b')); text(2);",
                "text other certain\ntext other\ntext other certain",
            ),
            ("try { text('a'); } catch { } text('b');", "text other certain\ntext other certain"),
            ("while (q()) text('a'); text('b');", "text other\ntext other"),
            (
                "const fs = {a() { text('A'); }}; fs[load('k')](); text(await tools.x());",
                "text other\ntext result 0",
            ),
            ("globalThis[load('k')]('A'); text(await tools.x());", "text other\nnotify other\ntext result 0"),
            (
                "const log = {}; log.info = text; log.info('A'); text(await tools.x());",
                "text other\ntext result 0",
            ),
            // Side by side, nobody knows who prints first.
            (
                "await Promise.all(['a', 'b'].map(async c => { const r = await tools.x(c); text(r); }));",
                "text result 0\ntext result 1",
            ),
            (
                "await Promise.all(['a', 'b'].map(async c => { text(c); await tools.x(c); }));",
                "text other certain\ntext other certain",
            ),
            (
                "const f = async c => { text(await tools.x(c)); }; await f('a'); await f('b');",
                "text result 0 certain\ntext result 1 certain",
            ),
            (
                "const f = async c => { text(await tools.x(c)); }; f('a'); text('b');",
                "text result 0\ntext other",
            ),
            (
                "const f = async c => { text(await tools.x(c)); }; const p = f('a'); text('b'); await p;",
                "text result 0\ntext other",
            ),
            ("tools.x().then(r => text(r)); text('b');", "text result 0\ntext other"),
            ("setTimeout(() => text('a'), 5); text('b');", "text other\ntext other"),
            ("setTimeout(text, 5, 'a'); text('b');", "text other\ntext other"),
            ("let f; f = () => text('a'); f(); text(await tools.x());", "text other\ntext result 0"),
            ("load('k').forEach(x => text(x)); text('b');", "text other\ntext other"),
            ("forward_output(await tools.x()); text('b');", "text other\ntext other"),
            ("generatedImage(await tools.x()); text('b');", "image result 0 certain\ntext other"),
            // Notifications are a channel of their own.
            ("if (q) notify('n'); text('a');", "notify other\ntext other certain"),
            ("eval('text(1)'); text(await tools.x());", "text result 0"),
            ("text = f; text(await tools.x());", ""),
            (
                "for (const c of ['a', 'b']) { const r = await tools.x(c); text(r); if (r.exit_code) break; }",
                "text result 0 certain\ntext result 1",
            ),
        ],
        |source| show_prints(&read(source)),
    );
}

#[test]
fn a_print_keeps_its_call_when_rows_are_reordered() {
    let reading = read("const unused = () => tools.a(); text(await tools.b());");
    assert_eq!(reading.calls[1].tool, "b");
    assert_eq!(show_prints(&reading), "text result 1 certain\n");
}
