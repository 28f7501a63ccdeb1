//! The marks: what may not have run, what runs nobody knows how often, what nobody waits for.

use super::check_calls;

#[test]
fn conditions_make_a_call_doubtful() {
    check_calls(&[
        ("if (q) await tools.x(); else await tools.y();", "x () maybe\ny () maybe"),
        ("if (q) await tools.x(); await tools.y();", "x () maybe\ny () certain"),
        (
            "q && await tools.x(); q || await tools.y(); q ?? await tools.z();",
            "x () maybe\ny () maybe\nz () maybe",
        ),
        ("const r = q ? await tools.x() : await tools.y();", "x () maybe\ny () maybe"),
        ("q?.then(await tools.x());", "x () maybe"),
        ("f(await tools.x()) && g(await tools.y());", "x () certain\ny () maybe"),
        ("let v; v ??= await tools.x();", "x () maybe"),
        // A condition that is told has one way only.
        ("if (true) await tools.x(); else await tools.y();", "x () certain"),
        ("const dry = false; if (dry) await tools.x(); else await tools.y();", "y () certain"),
        ("const dry = false; if (!dry) await tools.x();", "x () certain"),
        (
            "const mode = 'a'; if (mode === 'a') await tools.x(); if (mode !== 'a') await tools.y();",
            "x () certain",
        ),
        ("true && await tools.x(); false && await tools.y();", "x () certain"),
        (
            "'' || await tools.x(); null ?? await tools.y(); 1 ?? await tools.z();",
            "x () certain\ny () certain",
        ),
        ("true ? await tools.x() : await tools.y();", "x () certain"),
        (
            "switch (q) { case 1: await tools.x(); break; default: await tools.y(); } await tools.z();",
            "x () maybe\ny () maybe\nz () certain",
        ),
        (
            "switch ('b') { case 'a': await tools.x(); break; case 'b': await tools.y(); case 'c': await tools.z(); break; default: await tools.w(); }",
            "y () certain\nz () certain",
        ),
        ("switch ('q') { case 'a': await tools.x(); default: await tools.y(); }", "y () certain"),
        ("switch (q) { case await tools.x(): }", "x () maybe"),
    ]);
}

#[test]
fn errors_make_a_call_doubtful() {
    check_calls(&[
        ("try { await tools.x(); } catch (e) { await tools.y(); }", "x ()\ny () maybe"),
        (
            "try { await tools.x(); await tools.y(); } catch {} await tools.z();",
            "x ()\ny () maybe\nz () certain",
        ),
        ("try { f(); await tools.x(); } catch {}", "x () maybe"),
        ("const o = {get a() { f(); }}; try { await tools.x(o); } catch {}", "x {\"a\":‹{ f(); }›} maybe"),
        ("try { await tools.x(undeclared); } catch {}", "x ‹undeclared› maybe"),
        ("try { await tools.x(later); const later = 1; } catch {}", "x ‹later› maybe"),
        ("try { text('go'); const s = 'a' + 1; await tools.x(s); } catch {}", "x \"a1\""),
        (
            "try { await tools.x(); } finally { await tools.y(); } await tools.z();",
            "x () certain\ny () certain\nz () certain",
        ),
        ("try { await tools.x(); } catch {} finally { await tools.y(); }", "x ()\ny () certain"),
        (
            "try { throw 1; } catch { } finally { await tools.y(); } await tools.z();",
            "y () certain\nz () certain",
        ),
        (
            "const f = async () => { try { return 1; } finally { await tools.x(); } }; await f();",
            "x () certain",
        ),
        ("const f = async () => { try { await tools.x(); } finally { return 1; } }; await f();", "x ()"),
        ("try { await tools.x(); } finally { if (q) exit(); }", "x ()"),
        (
            "const o = {get a() { f(); }}; try { await tools.x({...o, b: 1}); } catch {}",
            "x {\"a\":‹{ f(); }›,\"b\":1} maybe",
        ),
        ("const o = {get a() { f(); }}; try { o.a; await tools.x(); } catch {}", "x () maybe"),
        ("try { try { await tools.x(); } finally { f(); } await tools.y(); } catch {}", "x ()\ny () maybe"),
        (
            "const f = async c => { await tools.x(c); await tools.y(c); }; try { await f(1); } catch {}",
            "x 1\ny 1 maybe",
        ),
        ("if (q) throw new Error('no'); await tools.x();", "x () maybe"),
        ("throw 1; await tools.x();", "x () maybe"),
        (
            "const f = async c => { const r = await tools.x(c); if (r.exit_code) throw r; return r; }; await f(1); await f(2);",
            "x 1 certain\nx 2 certain",
        ),
        (
            "const f = async c => { const r = await tools.x(c); if (r.exit_code) throw r; await tools.y(); }; await f(1);",
            "x 1 certain\ny () maybe",
        ),
        ("try { await Promise.all([tools.x(), tools.y()]); } catch {}", "x () unawaited\ny () unawaited"),
        ("try { await Promise.all([tools.x()]); } catch {}", "x ()"),
        ("try { await tools.x(); } catch { throw 1; } await tools.y();", "x ()\ny () maybe"),
        ("const g = () => { f(); }; try { g(); await tools.x(); } catch {}", "x () maybe"),
    ]);
}

#[test]
fn what_follows_a_way_out_is_doubtful() {
    check_calls(&[
        ("await tools.x(); exit(); await tools.y();", "x () certain\ny () maybe"),
        ("if (q) exit(); await tools.y();", "y () maybe"),
        ("q && exit(); await tools.y();", "y () maybe"),
        (
            "const r = await tools.x(); if (r.exit_code !== 0) { text(r.output); exit(); } await tools.y(); await tools.z();",
            "x () certain\ny () maybe\nz () maybe",
        ),
        ("const bail = m => { text(m); exit(); }; if (q) bail('no'); await tools.x();", "x () maybe"),
        ("const bail = () => exit(); await tools.x();", "x () certain"),
        ("setTimeout(() => exit(), 9); await tools.x();", "x () maybe"),
        ("try { exit(); } catch {} await tools.x();", "x () maybe"),
        (
            "for (const c of ['a', 'b']) { await tools.x(c); if (q) exit(); } await tools.y();",
            "x \"a\" certain\nx \"b\" maybe\ny () maybe",
        ),
        (
            "const f = async () => { if (q) return; await tools.x(); }; await f(); await tools.y();",
            "x () maybe\ny () certain",
        ),
        ("const f = async () => { return; await tools.x(); }; await f();", "x () maybe"),
        ("l: { if (q) break l; await tools.x(); } await tools.y();", "x () maybe\ny () certain"),
        ("l: { break l; await tools.x(); } await tools.y();", "y () certain"),
        // Named `exit`, but not Codex's.
        ("const exit = () => {}; exit(); await tools.x();", "x () certain"),
        ("const p = tools.x(); if (q) exit(); await p;", "x () unawaited"),
    ]);
}

#[test]
fn functions_nobody_calls_stand_where_they_are_written() {
    check_calls(&[
        ("const f = () => tools.x(); await tools.y();", "x () maybe\ny () certain"),
        ("await tools.y(); function f(c) { return tools.x(c); }", "y () certain\nx ‹c› maybe"),
        ("const o = {f() { tools.x(); }}; await tools.y();", "x () maybe unawaited\ny () certain"),
        ("const f = () => { const g = () => tools.x(); }; await tools.y();", "x () maybe\ny () certain"),
        ("let f; f = () => tools.x(1); await f();", "x 1 maybe repeat"),
        (
            "class A { run() { return tools.x(); } static s() { return tools.y(); } f = tools.z(); }",
            "x () maybe repeat\ny () maybe repeat\nz () maybe repeat unawaited",
        ),
        ("class A { static s = tools.x(); static { tools.y(); } }", "x () unawaited\ny () unawaited"),
        ("const o = {get g() { return tools.x(); }};", "x () maybe repeat"),
        ("function* g() { yield tools.x(); } for (const p of g()) await p;", "x () maybe unawaited"),
        (
            "async function* g() { await tools.x(); } for await (const p of g()) text(p);",
            "x () maybe unawaited",
        ),
        ("f(() => tools.x());", "x () maybe repeat"),
        ("setTimeout(() => tools.x(), 9);", "x () maybe unawaited"),
        ("const o = {toString() { tools.x(); return ''; }}; text(`${o}`);", "x () maybe repeat unawaited"),
        ("if (false) { const f = () => tools.x(); }", ""),
    ]);
}

#[test]
fn waiting_is_proven_or_the_call_is_unawaited() {
    check_calls(&[
        ("tools.x();", "x () unawaited"),
        ("void tools.x();", "x () unawaited"),
        ("const p = tools.x();", "x () unawaited"),
        ("const p = tools.x(); text('a'); await p;", "x () certain"),
        ("const p = tools.x(); if (q) await p;", "x () unawaited"),
        ("const p = tools.x(); for (const i of load('k')) await p;", "x () unawaited"),
        ("const p = tools.x(), r = tools.y(); await p; await r;", "x () certain\ny () certain"),
        ("text(tools.x());", "x () unawaited"),
        ("f(tools.x());", "x () unawaited"),
        ("let p = tools.x(); p = 1; await p;", "x () unawaited"),
        ("await Promise.all([tools.x(), tools.y()]);", "x () certain\ny () certain"),
        ("Promise.all([tools.x(), tools.y()]);", "x () unawaited\ny () unawaited"),
        ("await Promise.all([tools.x(), ...[tools.y()]]);", "x () certain\ny () certain"),
        ("const ps = [tools.x(), tools.y()]; await Promise.all(ps);", "x () certain\ny () certain"),
        ("const ps = [tools.x(), tools.y()]; for (const p of ps) await p;", "x () certain\ny () certain"),
        (
            "const ps = []; for (const c of ['a', 'b']) ps.push(tools.x(c)); await Promise.all(ps);",
            "x \"a\" certain\nx \"b\" certain",
        ),
        ("const ps = []; ps.push(tools.x()); ps.pop(); await Promise.all(ps);", "x () unawaited"),
        ("const ps = []; ps.push(tools.x()); if (q) await Promise.all(ps);", "x () unawaited"),
        ("const ps = []; await Promise.all(ps); ps.push(tools.x());", "x () unawaited"),
        ("const p = tools.x(); const ps = []; if (q) ps.push(p); await Promise.all(ps);", "x () unawaited"),
        ("const ps = []; while (q()) ps.push(tools.x()); await Promise.all(ps);", "x () repeat"),
        ("const o = {p: tools.x()}; await o.p;", "x () certain"),
        ("await (q ? tools.x() : tools.y());", "x () maybe\ny () maybe"),
        ("const p = q ? tools.x() : null; await p;", "x () maybe"),
        ("const p = tools.x(); await (q ? p : null);", "x () unawaited"),
        (
            "const p = q ? tools.x() : tools.y(); await (z ? p : null);",
            "x () maybe unawaited\ny () maybe unawaited",
        ),
        ("await Promise.allSettled([tools.x(), tools.y()]);", "x ()\ny ()"),
        ("await Promise.race([tools.x(), tools.y()]);", "x () unawaited\ny () unawaited"),
        ("await Promise.any([tools.x(), tools.y()]);", "x () unawaited\ny () unawaited"),
        ("await Promise.race([tools.x()]);", "x () certain"),
        ("await Promise.race([tools.x(), new Promise(r => setTimeout(r, 9))]);", "x () unawaited"),
        ("await Promise.resolve(tools.x());", "x () certain"),
        ("await tools.x().then(r => tools.y(1));", "x () certain\ny 1 certain"),
        ("await tools.x().then(r => { tools.y(1); });", "x () certain\ny 1 unawaited"),
        ("tools.x().then(r => tools.y(1));", "x () unawaited\ny 1 maybe unawaited"),
        ("await tools.x().catch(e => tools.y());", "x ()\ny () maybe"),
        ("await tools.x().then(r => tools.y(), e => tools.z());", "x ()\ny () maybe\nz () maybe"),
        ("await tools.x().finally(() => tools.y());", "x () certain\ny () certain"),
        (
            "await tools.x().then(async r => { await tools.y(); await tools.z(); });",
            "x () certain\ny () certain\nz () certain",
        ),
        ("await Promise.all([tools.x().then(r => r.output), tools.y()]);", "x () certain\ny () certain"),
        ("await Promise.all([tools.x().catch(e => null), tools.y()]);", "x ()\ny () certain"),
        (
            "const f = async () => { await tools.x(); await tools.y(); }; f();",
            "x () unawaited\ny () maybe unawaited",
        ),
        (
            "const f = async () => { await tools.x(); await tools.y(); }; await f();",
            "x () certain\ny () certain",
        ),
        (
            "const main = async () => { await tools.x(); await tools.y(); }; await main().catch(e => text(e));",
            "x ()\ny () maybe",
        ),
        (
            "const f = async () => { await tools.x(); await tools.y(); }; const p = f(); await tools.z(); await p;",
            "x () certain\ny () certain\nz () certain",
        ),
        ("(async () => { await tools.x(); })();", "x () unawaited"),
        ("const f = async () => { tools.x(); }; await f();", "x () unawaited"),
        ("const f = () => tools.x(); f();", "x () unawaited"),
        ("const f = async () => tools.x(); await f();", "x () certain"),
        (
            "const rs = await Promise.allSettled(['a', 'b'].map(async c => { const r = await tools.x(c); return r; }));",
            "x \"a\"\nx \"b\"",
        ),
        (
            "await Promise.allSettled(['a'].map(async c => { await tools.x(c); await tools.y(c); }));",
            "x \"a\"\ny \"a\" maybe",
        ),
        ("['a'].forEach(async c => { await tools.x(c); });", "x \"a\" unawaited"),
        ("await new Promise(async r => { await tools.x(); r(); });", "x () unawaited"),
        (
            "const t = (p, ms) => Promise.race([p, new Promise(r => setTimeout(r, ms))]); await t(tools.x(), 9);",
            "x () unawaited",
        ),
        ("const r = await tools.x(); const s = await tools.y(r.id);", "x () certain\ny ‹r.id› certain"),
        ("export const r = await tools.x(); export default await tools.y();", "x () certain\ny () certain"),
        ("let r; try { r = await tools.x(); } catch (e) { text(e); } text(r);", "x ()"),
    ]);
}
