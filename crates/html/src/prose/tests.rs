//! Markdown in, HTML out, as tables.

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{DEEPEST, document, line, linked_text};
use crate::testing::check_fragment;

fn rendered(render: fn(&mut String, &str), markdown: &str) -> String {
    let mut out = String::new();
    render(&mut out, markdown);
    out
}

#[test]
fn markdown_becomes_elements() {
    for (markdown, html) in [
        (
            "a *b* **c** ~~d~~ `e<`",
            "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e&lt;</code></p>\n",
        ),
        ("# a\n#### b", "<h3>a</h3>\n<h6>b</h6>\n"),
        (
            "- a\n- [x] b\n- [ ] c",
            "<ul>\n<li>a</li>\n<li><span class=\"task\">☑</span> b</li>\n<li><span class=\"task\">☐</span> c</li>\n</ul>\n",
        ),
        ("3. a\n\n4. b", "<ol start=\"3\">\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n</ol>\n"),
        ("> a\n\n---", "<blockquote><p>a</p>\n</blockquote>\n<hr>"),
        ("```rust\nfn x() {}\n```", "<pre><code>fn x() {}</code></pre>\n"),
        ("    <b>\n", "<pre><code>&lt;b&gt;</code></pre>\n"),
        (
            "| a | b |\n|---|--:|\n| 1<br>2 | `x` |",
            "<div class=\"scroll\"><table>\n<thead><tr><th>a</th><th class=\"right\">b</th></tr></thead>\n<tr><td>1<br>2</td><td class=\"right\"><code>x</code></td></tr>\n</table></div>\n",
        ),
        ("a  \nb\nc", "<p>a<br>b\nc</p>\n"),
    ] {
        assert_eq!(rendered(document, markdown), html, "{markdown}");
    }
}

#[test]
fn raw_html_is_text() {
    for (markdown, html) in [
        ("a <b onclick=x>c</b>", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n"),
        ("<script>alert(1)</script>", "<p class=\"raw\">&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("<br onload=x>", "<p class=\"raw\">&lt;br onload=x&gt;</p>\n"),
        ("&lt;b&gt; &#x202e;", "<p>&lt;b&gt; <span class=\"esc\">\\u{202e}</span></p>\n"),
    ] {
        assert_eq!(rendered(document, markdown), html, "{markdown}");
    }
}

#[test]
fn only_web_and_mail_are_links() {
    const REL: &str = "rel=\"noopener noreferrer\"";
    for (markdown, html) in [
        ("[a](https://x.y/?a=1&b)", format!("<a href=\"https://x.y/?a=1&amp;b\" {REL}>a</a>")),
        ("[a](HTTP://x \"t\\\"\")", format!("<a href=\"HTTP://x\" {REL} title=\"t&quot;\">a</a>")),
        ("<me@x.y>", format!("<a href=\"mailto:me@x.y\" {REL}>me@x.y</a>")),
        ("[a](mailto:me@x.y)", format!("<a href=\"mailto:me@x.y\" {REL}>a</a>")),
        ("[a](javascript:alert)", "<span class=\"path\" title=\"javascript:alert\">a</span>".into()),
        ("[a](JaVaScRiPt&colon;x)", "<span class=\"path\" title=\"JaVaScRiPt:x\">a</span>".into()),
        ("[a](< javascript:x>)", "<span class=\"path\" title=\" javascript:x\">a</span>".into()),
        ("[a](data:text/html,x)", "<span class=\"path\" title=\"data:text/html,x\">a</span>".into()),
        ("[a](//x.y)", "<span class=\"path\" title=\"//x.y\">a</span>".into()),
        ("[m.rs](src/m.rs:3)", "<span class=\"path\" title=\"src/m.rs:3\">m.rs</span>".into()),
        ("[](https://x.y)", format!("<a href=\"https://x.y\" {REL}>https://x.y</a>")),
        ("![](https://x.y/p.png)", format!("<a href=\"https://x.y/p.png\" {REL}>🖼 https://x.y/p.png</a>")),
        ("![p](p.png)", "<span class=\"path\" title=\"p.png\">🖼 p</span>".into()),
        ("[![p](https://x/p)](https://y)", format!("<a href=\"https://y\" {REL}>🖼 p</a>")),
        ("![a [b](https://y) c](https://x)", format!("<a href=\"https://x\" {REL}>🖼 a b c</a>")),
        ("[https://x](https://y)", format!("<a href=\"https://y\" {REL}>https://x</a>")),
        ("see https://x.y/a_b_c.", format!("see <a href=\"https://x.y/a_b_c\" {REL}>https://x.y/a_b_c</a>.")),
    ] {
        assert_eq!(rendered(document, markdown), format!("<p>{html}</p>\n"), "{markdown}");
    }
}

#[test]
fn urls_in_text_end_where_the_sentence_goes_on() {
    for (text, urls) in [
        ("http://a.b/c?d=e#f, and", vec!["http://a.b/c?d=e#f"]),
        ("(https://a.b/c_(d))", vec!["https://a.b/c_(d)"]),
        ("见https://a.b。再见http://c", vec!["https://a.b", "http://c"]),
        ("<https://a.b> \"https://c\"", vec!["https://a.b", "https://c"]),
        ("xhttps://a https:// http:/x https", vec![]),
        ("httphttp://a", vec![]),
    ] {
        let html = rendered(linked_text, text);
        let found: Vec<&str> =
            html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(found, urls, "{text}");
    }
}

#[test]
fn a_line_stays_a_line() {
    for (markdown, html) in [
        ("💻 运行 `ls <x>` · exit 1", "💻 运行 <code>ls &lt;x&gt;</code> · exit 1"),
        ("_显示 1/2_", "<em>显示 1/2</em>"),
        ("# a\n\n- b\n\n    c", "abc"),
        ("[a](https://x) https://y <b>", "a https://y &lt;b&gt;"),
        ("```\ncode", "code"),
        ("|a|\n|-|\n|b|", "ab"),
    ] {
        assert_eq!(rendered(line, markdown).replace('\n', ""), html, "{markdown}");
    }
}

#[test]
fn nesting_is_bounded() {
    let html = rendered(document, &format!("{}deep", "> ".repeat(1000)));
    assert_eq!(html.matches("<blockquote>").count(), DEEPEST);
    assert_eq!(html.matches("</blockquote>").count(), DEEPEST);
    assert!(html.contains("deep"));
}

proptest! {
    /// Whatever is in it, and wherever it is cut, as a text that still grows is.
    #[test]
    fn any_source_is_well_formed(
        source in "(<script>|</p>|<br>|<b onclick=x>|<!--|-->|&lt;|&#60;|&#x202e;|\\*\\*|_|~~|`|```|rust|\n\n|\n|    |> |- |- \\[x\\] |1. |# |---|\
                   \\[x\\]\\(javascript:y\\)|!\\[|\\]\\(https://x\\)|<https://y>|https://z/|\\| a |\\|-|\"|'|\u{202e}|\u{0}|词|x| ){0,40}",
    ) {
        for render in [document, line, linked_text] {
            let html = rendered(render, &source);
            prop_assert_eq!(check_fragment(&html), Ok(()), "{}\n{}", source, html);
        }
    }
}
