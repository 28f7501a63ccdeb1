//! Feishu's Markdown in, HTML out, as tables.

use larkspan_html::testing::check_fragment;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{document, line};

fn rendered(source: &str) -> String {
    let mut out = String::new();
    document(&mut out, source);
    out
}

#[test]
fn tags_of_the_platform_are_elements() {
    for (source, html) in [
        ("<font color='red'>a **b**</font> c", "<span class=\"font c-red\">a <strong>b</strong></span> c"),
        ("<text_tag color='blue'>a_b</text_tag>", "<span class=\"tag c-blue\">a_b</span>"),
        ("x <text_tag color=evil>a</text_tag>", "x <span class=\"tag c-grey\">a</span>"),
        ("<at id=ou_1></at> hi", "<span class=\"mention\">@ou_1</span> hi"),
        ("<at id='ou_1'>Ann</at>", "<span class=\"mention\">@Ann</span>"),
        ("<person id=\"ou_1\"/> hi", "<span class=\"mention\">@ou_1</span> hi"),
        ("a<br>b<br/>c", "a<br>b<br>c"),
        ("<number_tag background_color='green'>3</number_tag>", "<span class=\"count c-green\">3</span>"),
        ("<local_datetime millisecond='17'></local_datetime>", "<span class=\"time\">17</span>"),
        ("<link url='https://x.y'>z</link>", "<a href=\"https://x.y\" rel=\"noopener noreferrer\">z</a>"),
        ("<a href='javascript:x'>z</a>", "<span class=\"path\">z</span>"),
        ("a<hr>b", "a<span class=\"rule\"></span>b"),
    ] {
        assert_eq!(rendered(source), format!("<p>{html}</p>\n"), "{source}");
    }
}

#[test]
fn other_tags_vanish_and_their_words_stay() {
    for (source, html) in [
        ("<div>a</div>", "a"),
        ("a <b onclick=x>c</b>", "a c"),
        ("<script>alert(1)</script>", "alert(1)"),
        ("<!-- a --> b", " b"),
        ("<foo_bar a=\"<\">b</foo_bar>", "b"),
        ("a < b <1>", "a &lt; b &lt;1&gt;"),
        ("&#60;at id=all&#62; &#38;amp; &#42;", "&lt;at id=all&gt; &amp;amp; *"),
        ("\\<at id=all>", "&lt;at id=all&gt;"),
    ] {
        assert_eq!(rendered(source), format!("<p>{html}</p>\n"), "{source}");
    }
}

#[test]
fn tags_close_where_they_can() {
    for (source, html) in [
        ("**a <font color='red'>b** c</font>", "<strong>a <span class=\"font c-red\">b</span></strong> c"),
        ("<font color='red'>a", "<span class=\"font c-red\">a</span>"),
        (
            "<font color='red'><text_tag color='red'>a</font>b</text_tag>",
            "<span class=\"font c-red\"><span class=\"tag c-red\">a</span></span>b",
        ),
        ("a</font>", "a"),
    ] {
        assert_eq!(rendered(source), format!("<p>{html}</p>\n"), "{source}");
    }
}

#[test]
fn code_is_whole_whatever_stands_in_it() {
    for (source, html) in [
        ("`<text_tag>`", "<p><code>&lt;text_tag&gt;</code></p>\n"),
        ("    <b_c>\n", "<pre><code>&lt;b_c&gt;</code></pre>\n"),
        ("```plain_text\n<a_b>\n```", "<pre><code>&lt;a_b&gt;</code></pre>\n"),
        ("\n    echo ${HOME}\n    <x_y>\n\n", "<pre><code>echo ${HOME}\n&lt;x_y&gt;</code></pre>\n"),
        ("-z0z- <a_b> `<c_d>`", "<p>-z0z-  <code>&lt;c_d&gt;</code></p>\n"),
        ("\u{e000} `<c>`", "<p>\u{e000} <code>&lt;c&gt;</code></p>\n"),
    ] {
        assert_eq!(rendered(source), html, "{source}");
    }
}

#[test]
fn images_are_words_and_only_the_web_is_linked() {
    for (source, html) in [
        ("![a](img_v3_x)", "<span class=\"image\" title=\"img_v3_x\">🖼 a</span>"),
        (
            "![](https://x.y/p.png)",
            "<span class=\"image\" title=\"https://x.y/p.png\">🖼 https://x.y/p.png</span>",
        ),
        ("[a](https://x.y)", "<a href=\"https://x.y\" rel=\"noopener noreferrer\">a</a>"),
        ("[a](mailto:x@y.z)", "<span class=\"path\" title=\"mailto:x@y.z\">a</span>"),
        ("[a](javascript:x)", "<span class=\"path\" title=\"javascript:x\">a</span>"),
    ] {
        assert_eq!(rendered(source), format!("<p>{html}</p>\n"), "{source}");
    }
}

#[test]
fn blocks_begin_after_a_tag_of_the_line_before() {
    assert_eq!(rendered("<hr>\n# a"), "<p><span class=\"rule\"></span></p>\n<h3 class=\"level-1\">a</h3>\n");
    assert_eq!(rendered("- <div>\n- b"), "<ul>\n<li></li>\n<li>b</li>\n</ul>\n");
}

#[test]
fn a_title_is_one_line() {
    let mut out = String::new();
    line(&mut out, "🔎 `retry` <text_tag color='red'>x</text_tag> [a](https://b)");
    assert_eq!(out, "🔎 <code>retry</code> <span class=\"tag c-red\">x</span> a");
}

#[test]
fn entities_are_the_characters_they_name() {
    for (source, html) in [
        ("&#60;script&#62;", "&lt;script&gt;"),
        ("&#42;a&#42; &#95;b&#95; &#96;c&#96;", "*a* _b_ `c`"),
        ("&#38;lt; &#x3c; &lt;", "&amp;lt; &lt; &lt;"),
        ("`&#60;`", "<code>&amp;#60;</code>"),
    ] {
        assert_eq!(rendered(source), format!("<p>{html}</p>\n"), "{source}");
    }
}

#[test]
fn a_block_of_code_that_is_indented_is_whole() {
    let source = "Run:\n\n    for f in *; do echo \"${f}\"; done\n\n    <script>```\n\nthen";
    assert_eq!(
        rendered(source),
        "<p>Run:</p>\n<pre><code>for f in *; do echo &quot;${f}&quot;; done\n\n&lt;script&gt;```</code></pre>\n<p>then</p>\n"
    );
}

#[test]
fn the_words_of_code_are_told_apart() {
    let html = rendered("```rust\nlet x = \"</code><script>\"; // y\n```");
    assert_eq!(
        html,
        "<pre><code><span class=\"key\">let</span> x = <span class=\"str\">&quot;&lt;/code&gt;&lt;script&gt;&quot;</span>; \
         <span class=\"com\">// y</span></code></pre>\n"
    );
}

proptest! {
    /// Whatever is in it, and wherever it is cut, as a text that still grows is.
    #[test]
    fn any_source_is_well_formed(
        source in "(<font color='red'>|</font>|<text_tag color=blue>|</text_tag>|<at id=|</at>|<a href='javascript:x'>|\
                   <link url='https://x'>|</a>|<hr>|<br/>|<script>|</p>|<!--|-->|&#60;|&#x202e;|\\*\\*|_|`|```|rust|\n\n|\n|    |> |- |1. |# |\
                   \\[x\\]\\(javascript:y\\)|!\\[|\\]\\(img_v3\\)|\\| a |\\|-|\"|'|\u{e000}|\u{202e}|-z0z-|_z|词|x| ){0,40}",
    ) {
        for render in [document, line] {
            let mut out = String::new();
            render(&mut out, &source);
            prop_assert_eq!(check_fragment(&out), Ok(()), "{}\n{}", source, out);
            prop_assert!(!out.contains("href=\"javascript"));
        }
    }
}
