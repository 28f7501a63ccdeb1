//! The page as a whole: what stands on it, and that no log can make it anything else.

use std::sync::Arc;

use larkspan_core::ids::SessionId;
use larkspan_core::patch::{PatchAction, PatchFile};
use larkspan_core::presentation::Locale;
use larkspan_core::time::Timestamp;
use larkspan_core::tool_call::{
    CallKey, CommandDetail, Marks, McpDetail, OrchestrationDetail, Outcome, Output, PatchDetail, PlanItem,
    PlanStatus, ToolCallDetail, ToolCallInfo, ToolCallStatus, ToolName,
};
use larkspan_core::transcript::{
    ChatLayer, Goal, Message, Notice, NoticeKind, Phase, Reasoning, Role, SessionInfo, TurnEnd, TurnOutcome,
    UnknownRecord,
};
use larkspan_core::turn::{ItemContent, Turn, TurnItem};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{CSS, Html};
use crate::history::{Format, Style};

mod well_formed;

use well_formed::check_page;

const AT: Timestamp = Timestamp::from_millis(1_796_059_210_460);

fn session() -> SessionInfo {
    SessionInfo {
        id: "s-1".into(),
        agent: "codex".into(),
        agent_version: Some("0.171.0".into()),
        cwd: Some("/workspace/demo".into()),
        model: None,
        parent: None,
        is_subagent: false,
        records_nested: true,
    }
}

fn turn(items: impl IntoIterator<Item = ItemContent>) -> Turn {
    let items = (0..).zip(items).map(|(seq, content)| TurnItem { seq, at: None, content }).collect();
    let end = Some(TurnEnd { outcome: TurnOutcome::Completed, reason: None });
    Turn { id: "t".into(), started_at: Some(AT), ended_at: None, end, items, usage: None }
}

fn said(role: Role, phase: Option<Phase>, text: &str) -> ItemContent {
    ItemContent::Message(Message { role, phase, text: text.into(), layer: ChatLayer::Item, id: None })
}

fn thought(text: &str) -> ItemContent {
    ItemContent::Reasoning(Reasoning { text: text.into(), layer: ChatLayer::Item, id: None })
}

fn call(detail: ToolCallDetail, status: ToolCallStatus, output: Option<&str>) -> ToolCallInfo {
    ToolCallInfo {
        key: CallKey { turn: "t".into(), id: "c".into(), n: 0 },
        rev: 0,
        name: ToolName::bare("exec_command"),
        raw_input: "".into(),
        status,
        started_at: None,
        ended_at: None,
        detail,
        outcome: Outcome { output: output.map(Output::whole), ..Outcome::default() },
        unresolved: None,
        marks: Marks::default(),
        children: Vec::new(),
    }
}

fn command(text: &str, status: ToolCallStatus) -> ToolCallInfo {
    call(
        ToolCallDetail::Command(CommandDetail { command: text.into(), ..CommandDetail::default() }),
        status,
        None,
    )
}

fn script(children: Vec<ToolCallInfo>) -> ToolCallInfo {
    let detail = ToolCallDetail::Orchestration(OrchestrationDetail::default());
    ToolCallInfo { children, ..call(detail, ToolCallStatus::Completed, None) }
}

fn tool(call: ToolCallInfo) -> ItemContent {
    ItemContent::ToolCall(Arc::new(call))
}

/// A whole page. It is always checked.
fn page(
    locale: Locale,
    sessions: &[SessionInfo],
    turns: &[Turn],
    unknown: &[(UnknownRecord, u64)],
) -> String {
    let mut html = Html::new(Style { locale });
    let mut out = Vec::new();
    let id = SessionId::new("s-1");
    for info in sessions {
        html.session(&mut out, info).unwrap();
    }
    for turn in turns {
        html.turn(&mut out, &id, turn).unwrap();
    }
    html.end(&mut out, &id, unknown).unwrap();
    let page = String::from_utf8(out).unwrap();
    if let Err(wrong) = check_page(&page) {
        panic!("{wrong}\n{page}");
    }
    page
}

/// What stands on the page between its head and its foot.
fn main_of(page: &str) -> &str {
    page.split_once("<main>\n")
        .and_then(|(_, rest)| rest.split_once("</main>"))
        .map(|(main, _)| main)
        .unwrap()
}

/// The page of one turn, in English.
fn main_of_turn(items: impl IntoIterator<Item = ItemContent>) -> String {
    main_of(&page(Locale::En, &[session()], &[turn(items)], &[])).to_owned()
}

fn assert_contains(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "{part}\nis not in\n{html}");
    }
}

#[test]
fn the_head_waits_for_the_model_and_names_the_page() {
    let named = SessionInfo { model: Some("gpt-5.5".into()), ..session() };
    let turns = [turn([said(Role::User, None, "Fix the  lexer\nplease")])];
    let html = page(Locale::ZhCn, &[session(), named], &turns, &[]);
    assert_contains(
        &html,
        &[
            "<html lang=\"zh-CN\">",
            "<title>Fix the lexer please · codex 0.171.0</title>",
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\"",
            "<h1>codex 0.171.0</h1>",
            "<dt>开始</dt><dd><time datetime=\"2026-11-30T17:20:10.460Z\">2026-11-30 17:20:10 UTC</time></dd>",
            "<dt>模型</dt><dd>gpt-5.5</dd>",
            "<dt>目录</dt><dd>/workspace/demo</dd>",
            "<dt>会话</dt><dd>s-1</dd>",
            "<a href=\"#turn-1\">第 1 轮</a>",
            "<footer id=\"turn-2\">共 1 轮 · Larkspan</footer>",
        ],
    );
    assert_contains(
        &page(Locale::En, &[session()], &[], &[]),
        &["<html lang=\"en\">", "<footer id=\"turn-1\">0 turns"],
    );
}

#[test]
fn a_page_without_a_session_is_a_page() {
    assert_contains(&page(Locale::En, &[], &[], &[]), &["<title>Larkspan</title>"]);
}

#[test]
fn a_change_of_the_model_stands_between_the_turns() {
    let mut html = Html::new(Style { locale: Locale::En });
    let mut out = Vec::new();
    html.session(&mut out, &SessionInfo { model: Some("a".into()), ..session() }).unwrap();
    html.turn(&mut out, &"s-1".into(), &turn([])).unwrap();
    let before = out.len();
    html.session(&mut out, &SessionInfo { model: Some("b".into()), ..session() }).unwrap();
    assert_eq!(&out[before..], b"<dl class=\"change\">\n<dt>Model</dt><dd>b</dd>\n</dl>\n");
    let before = out.len();
    html.session(&mut out, &SessionInfo { model: None, ..session() }).unwrap();
    assert_eq!(out.len(), before);
}

#[test]
fn what_happened_reads_as_what_it_is() {
    let plan = vec![PlanItem { text: "a *b*".into(), status: PlanStatus::Completed }];
    let goal = Goal { objective: "<green>".into(), status: Some("active".into()) };
    let notice = |kind| ItemContent::Notice(Notice { kind, text: "x_y".into() });
    for (item, html) in [
        (
            said(Role::User, None, "# a <b>\nhttps://x.y"),
            "<div class=\"user\"><h3>User</h3>\n<div class=\"typed\"># a &lt;b&gt;\n<a href=\"https://x.y\" rel=\"noopener noreferrer\">https://x.y</a></div>\n</div>",
        ),
        (
            said(Role::Agent, Some(Phase::Commentary), "*a*"),
            "<div class=\"agent commentary\">\n<div class=\"prose\">\n<p><em>a</em></p>\n</div></div>",
        ),
        (
            said(Role::Agent, Some(Phase::Final), "a"),
            "<div class=\"agent answer\"><h3>Answer</h3>\n<div class=\"prose\">\n<p>a</p>\n</div></div>",
        ),
        (
            said(Role::Agent, None, "a"),
            "<div class=\"agent\">\n<div class=\"prose\">\n<p>a</p>\n</div></div>",
        ),
        (
            thought("**Looking**\n\nat it"),
            "<details class=\"reasoning\"><summary>💭 Reasoning <span class=\"glimpse\">Looking at it</span></summary>\n<div class=\"prose\">\n<p><strong>Looking</strong></p>\n<p>at it</p>\n</div></details>",
        ),
        (ItemContent::Plan(plan), "<div class=\"plan\"><h3>Plan</h3>\n<ul>\n<li>✅ a *b*</li>\n</ul></div>"),
        (ItemContent::Goal(goal), "<p class=\"notice\">🎯 Goal &lt;green&gt; · active</p>"),
        (notice(NoticeKind::Compaction), "<p class=\"notice\">🗜️ Context compacted x_y</p>"),
        (notice(NoticeKind::Error), "<p class=\"notice error\">❌ Error x_y</p>"),
        (notice(NoticeKind::Warning), "<p class=\"notice warning\">⚠️ Warning x_y</p>"),
    ] {
        assert_contains(&main_of_turn([item]), &[html]);
    }
    assert!(!main_of_turn([thought("  \n")]).contains("reasoning"));
}

#[test]
fn a_long_message_of_the_user_is_folded() {
    for (text, is_folded) in [
        ("a".repeat(1600), false),
        ("a".repeat(1601), true),
        ("a\n".repeat(24), false),
        ("a\n".repeat(26), true),
    ] {
        let html = main_of_turn([said(Role::User, None, &text)]);
        assert_eq!(html.contains("<details class=\"long\">"), is_folded, "{} characters", text.len());
        assert_contains(&html, &[&format!("<div class=\"typed\">{}</div>", text.trim())]);
    }
}

#[test]
fn calls_are_folds_with_their_status() {
    use ToolCallStatus::{Aborted, Completed, Failed, Running, Unknown};
    for (status, html) in [
        (Running, "<details class=\"call running\"><summary>"),
        (Completed, "<details class=\"call completed\"><summary>"),
        (Failed, "<details class=\"call failed\" open><summary>"),
        (Aborted, "<details class=\"call aborted\"><summary>"),
        (Unknown, "<details class=\"call unknown\"><summary>"),
    ] {
        assert_contains(
            &main_of_turn([tool(command("ls <x>", status))]),
            &[html, "<code>ls &lt;x&gt;</code></pre>"],
        );
    }
    let image = ToolCallDetail::Image(larkspan_core::tool_call::ImageDetail {
        target: "a.png".into(),
        is_prompt: false,
    });
    let html = main_of_turn([tool(call(image, Completed, None))]);
    assert_contains(&html, &["<div class=\"call completed\">📖 Read <code>a.png</code></div>"]);
}

#[test]
fn calls_in_a_row_are_a_group_and_failures_stand_open() {
    use ToolCallStatus::{Completed, Failed};
    let children = vec![command("true", Completed), script(vec![command("false", Failed)])];
    let html = main_of_turn([
        tool(command("a", Completed)),
        tool(command("b", Failed)),
        said(Role::Agent, None, "then"),
        tool(script(children)),
    ]);
    assert_contains(
        &html,
        &[
            "<summary><h3>Tool calls · 2</h3> <span class=\"count\">1 failed</span></summary>",
            "<summary><h3>Tool calls · 1</h3></summary>",
            "<details class=\"call completed\" open><summary>🧩",
            "<details class=\"call completed\"><summary><span class=\"number\">1</span> 💻",
            "<details class=\"call completed\" open><summary><span class=\"number\">2</span> 🧩",
            "<details class=\"call failed\" open><summary><span class=\"number\">1</span> ❌",
        ],
    );
}

#[test]
fn what_lies_outside_a_turn_stands_between_them() {
    let told = |content: ItemContent| {
        let mut out = Vec::new();
        let mut html = Html::new(Style { locale: Locale::En });
        html.item(&mut out, &"s-1".into(), &TurnItem { seq: 0, at: None, content }).unwrap();
        html.end(&mut out, &"s-1".into(), &[]).unwrap();
        let page = String::from_utf8(out).unwrap();
        check_page(&page).unwrap();
        main_of(&page).to_owned()
    };
    let notice = Notice { kind: NoticeKind::Fork, text: "s-0".into() };
    assert_eq!(told(ItemContent::Notice(notice)), "<p class=\"notice\">🔀 Continues session s-0</p>\n");
    let late = told(tool(command("ls", ToolCallStatus::Aborted)));
    assert_contains(
        &late,
        &["<div class=\"late\"><h3>Recorded between turns</h3>\n<details class=\"call aborted\">"],
    );
}

#[test]
fn the_head_waits_only_so_long_for_the_first_turn() {
    let notice = || {
        let text = "x".repeat(600);
        TurnItem { seq: 0, at: None, content: ItemContent::Notice(Notice { kind: NoticeKind::Info, text }) }
    };
    for (notices, model_is_in_head) in [(1, true), (1_000, false)] {
        let mut html = Html::new(Style { locale: Locale::En });
        let mut out = Vec::new();
        for _ in 0..notices {
            html.item(&mut out, &"s-1".into(), &notice()).unwrap();
        }
        html.session(&mut out, &SessionInfo { model: Some("m".into()), ..session() }).unwrap();
        html.turn(&mut out, &"s-1".into(), &turn([])).unwrap();
        html.end(&mut out, &"s-1".into(), &[]).unwrap();
        let page = String::from_utf8(out).unwrap();
        check_page(&page).unwrap();
        assert_eq!(main_of(&page).matches("class=\"notice\"").count(), notices);
        assert_eq!(page.contains("<dt>Model</dt><dd>m</dd>"), model_is_in_head);
    }
}

#[test]
fn how_a_turn_ended_stands_at_its_foot() {
    let cut = Turn {
        end: Some(TurnEnd { outcome: TurnOutcome::Aborted, reason: Some("by <you>".into()) }),
        ..turn([])
    };
    let html = page(Locale::En, &[session()], &[cut], &[]);
    assert_contains(&html, &["<p class=\"end cut\">⏹️ Aborted: by &lt;you&gt;</p>\n</section>"]);
    let ended_at = Some(Timestamp::from_millis(AT.as_millis() + 1_500));
    let html = page(Locale::En, &[session()], &[Turn { ended_at, ..turn([]) }], &[]);
    assert_contains(&html, &["<p class=\"end\">Ran 1.5s</p>\n</section>"]);
}

#[test]
fn what_was_not_understood_is_counted() {
    let record = UnknownRecord { kind: "event_msg/<foo>".into(), sample: Some("line 3: why".into()) };
    let html = page(Locale::En, &[session()], &[], &[(record, 3)]);
    let row =
        "<tr><td><code>event_msg/&lt;foo&gt;</code></td><td class=\"right\">3</td><td>line 3: why</td></tr>";
    assert_contains(&html, &["<h2>Records not understood</h2>", row]);
}

#[test]
fn secrets_are_masked_wherever_they_stand() {
    const SECRET: &str = "API_KEY=sk-abcdefghijklmnopqrstuv1234";
    let text = SECRET;
    let record = UnknownRecord { kind: text.into(), sample: Some(text.into()) };
    let info = SessionInfo { cwd: Some(text.into()), model: Some(text.into()), ..session() };
    let items = [
        said(Role::User, None, text),
        said(Role::Agent, None, text),
        thought(text),
        ItemContent::Goal(Goal { objective: text.into(), status: Some(text.into()) }),
        ItemContent::Notice(Notice { kind: NoticeKind::Info, text: text.into() }),
        ItemContent::Plan(vec![PlanItem { text: text.into(), status: PlanStatus::Pending }]),
        tool(command(text, ToolCallStatus::Completed)),
    ];
    let html = page(Locale::En, &[info], &[turn(items)], &[(record, 1)]);
    assert!(!html.contains("abcdefghij"), "{html}");
    assert_eq!(html.matches("API_KEY=••••").count(), 15);
}

#[test]
fn the_look_loads_nothing() {
    for loads in ["url(", "@import", "image(", "src(", "</"] {
        assert!(!CSS.contains(loads), "{loads}");
    }
}

/// Texts that mean something to HTML, Markdown, patches or URLs, in any order, among any characters.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "<script>",
        "</script>",
        "</style>",
        "<!--",
        "-->",
        "]]>",
        "<a href=\"",
        "<br>",
        "<img src=x onerror=y>",
        "javascript:",
        "https://a.b/",
        "mailto:",
        "data:text/html,",
        "&lt;",
        "&#x3c;",
        "&#x202e;",
        "&",
        "<",
        ">",
        "\"",
        "'",
        "`",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "\t",
        "\r",
        "\r\n",
        "[",
        "](",
        ")",
        "![",
        "]: ",
        "<https://a\">",
        "|",
        "|-|\n",
        "---\n",
        "# ",
        "- ",
        "1. ",
        "[x] ",
        "> ",
        "*",
        "**",
        "_",
        "~~",
        "\\",
        "\u{202e}",
        "\u{2066}",
        "\u{0}",
        "\u{1b}[1m",
        "\u{9b}",
        "\u{2028}",
        "\u{e0041}",
        "\u{feff}",
        "*** Begin Patch\n",
        "*** End Patch\n",
        "@@ -1,2 +3,4 @@\n",
        "--- a\n+++ b\n",
        "diff --git ",
        "+",
        "词",
    ];
    let piece =
        prop_oneof![4 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => ".{0,4}"];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// [`page`] checks what it gives: balanced elements of our own, no script, links that lead to the web, mail or
    /// this page, nothing that hides.
    #[test]
    fn no_log_changes_the_page(
        a in hostile(), b in hostile(), c in hostile(), d in hostile(), status in 0..5_usize, locale in prop_oneof![Just(Locale::En), Just(Locale::ZhCn)],
    ) {
        use ToolCallStatus::{Aborted, Completed, Failed, Running, Unknown};
        let status = [Aborted, Completed, Failed, Running, Unknown][status];
        let patch = PatchDetail {
            patch: b.as_str().into(),
            files: vec![PatchFile::new(a.clone(), PatchAction::Update)],
            ..PatchDetail::default()
        };
        let mcp = McpDetail { server: c.clone(), tool: a.clone(), input: d.as_str().into() };
        let mut failing = call(ToolCallDetail::Patch(patch), status, Some(&c));
        failing.outcome.failure = Some(d.as_str().into());
        failing.name = ToolName::bare(b.clone());
        let info = SessionInfo {
            id: a.as_str().into(),
            agent: b.clone(),
            agent_version: Some(c.clone()),
            cwd: Some(d.clone()),
            model: Some(a.clone()),
            parent: Some(b.as_str().into()),
            ..session()
        };
        let items = [
            said(Role::User, None, &a),
            said(Role::Agent, Some(Phase::Final), &b),
            said(Role::Agent, Some(Phase::Commentary), &c),
            thought(&d),
            ItemContent::Plan(vec![PlanItem { text: c.clone(), status: PlanStatus::Pending }]),
            ItemContent::Goal(Goal { objective: d.clone(), status: Some(a.clone()) }),
            ItemContent::Notice(Notice { kind: NoticeKind::Error, text: b.clone() }),
            tool(command(&c, status)),
            tool(script(vec![failing, call(ToolCallDetail::Mcp(mcp), status, Some(&b))])),
        ];
        let ended = TurnEnd { outcome: TurnOutcome::Failed, reason: Some(c.clone()) };
        let record = UnknownRecord { kind: a.clone(), sample: Some(d.clone()) };
        let turns = [Turn { end: Some(ended), ..turn(items) }];
        let html = page(locale, &[info], &turns, &[(record, 1)]);
        prop_assert!(!html.contains("<script"));
    }
}
