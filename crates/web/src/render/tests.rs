//! Cards in, HTML out: components as tables.

mod hostile;

use larkspan_html::testing::{ELEMENTS, Element, check};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::render;
use crate::words::Language;

/// What a card is made of beside prose and code.
const OURS: &[Element] = &[
    ("article", &[]),
    ("header", &[]),
    ("footer", &[]),
    ("details", &["open", "data-id"]),
    ("summary", &[]),
    ("button", &["disabled", "data-id"]),
    ("div", &["data-id"]),
    ("span", &["data-id"]),
    ("hr", &["data-id"]),
];

#[track_caller]
fn checked(card: &Value) -> String {
    let html = render(card, Language::En);
    if let Err(problem) = check(&html, &[&ELEMENTS, OURS], |_| false) {
        panic!("{problem}\n{card:#}\n{html}");
    }
    html
}

fn body(element: &Value) -> Value {
    json!({"schema": "2.0", "body": {"elements": [element]}})
}

#[track_caller]
fn check_element(element: &Value, expected: &[&str]) {
    let html = checked(&body(element));
    for part in expected {
        assert!(html.contains(part), "{part}\nnot in\n{html}");
    }
}

#[test]
fn a_header_has_its_colour_its_titles_and_its_tags() {
    let tag = |text: &str, color: &str| json!({"tag": "text_tag", "color": color, "text": {"tag": "plain_text", "content": text}});
    let html = checked(&json!({
        "header": {
            "template": "blue",
            "title": {"tag": "plain_text", "content": "demo <1>"},
            "subtitle": {"tag": "plain_text", "content": "below"},
            "text_tag_list": [tag("codex", "orange"), tag("m", "turquoise"), tag("x", "evil\" onclick"), tag("4", "red")],
        },
        "config": {"streaming_mode": true, "summary": {"content": "Working"}},
        "body": {"elements": []},
    }));
    for part in
        ["c-blue", "demo &lt;1&gt;", "below", "<span class=\"tag c-orange\">codex</span>", "Working", "pulse"]
    {
        assert!(html.contains(part), "{part}\nnot in\n{html}");
    }
    assert!(!html.contains("onclick") && !html.contains("c-red"), "{html}");
}

#[test]
fn each_component_is_shown() {
    let panel = json!({"tag": "collapsible_panel", "element_id": "st_1_t_1", "expanded": true,
        "border": {"color": "red"},
        "header": {"title": {"tag": "markdown", "content": "💻 run `ls` <b>"}, "icon_position": "follow_text",
            "icon": {"tag": "standard_icon", "token": "down-small-ccm_outlined"}},
        "elements": [{"tag": "markdown", "element_id": "sc_1_0", "content": "```bash\nls\n```"}]});
    check_element(
        &panel,
        &[
            "<details class=\"panel c-red\" data-id=\"st_1_t_1\" open>",
            "<code>ls</code>",
            "arrow",
            "data-id=\"sc_1_0\"",
        ],
    );
    let folded = json!({"tag": "collapsible_panel", "elements": [], "header": {"title": {"tag": "plain_text", "content": "t"}}});
    check_element(&folded, &["<details class=\"panel\">", "t"]);
    check_element(
        &json!({"tag": "markdown", "content": "**a**", "text_size": "notation"}),
        &["<div class=\"md notation\">", "<strong>a</strong>"],
    );
    check_element(&json!({"tag": "plain_text", "content": "**a**"}), &["**a**"]);
    check_element(&json!({"tag": "hr"}), &["<hr>"]);
    check_element(
        &json!({"tag": "div", "text": {"tag": "lark_md", "content": "_a_"}, "fields": [{"text": {"tag": "plain_text", "content": "f"}}]}),
        &["<em>a</em>", "f"],
    );
    check_element(
        &json!({"tag": "column_set", "columns": [{"tag": "column", "width": "weighted", "weight": 2, "elements": [{"tag": "plain_text", "content": "c"}]}]}),
        &["weight-2", "c"],
    );
    check_element(
        &json!({"tag": "img", "img_key": "img_1", "alt": {"tag": "plain_text", "content": "alt"}}),
        &["alt", "<code>img_1</code>"],
    );
    check_element(
        &json!({"tag": "button", "type": "primary", "text": {"tag": "plain_text", "content": "Go"}}),
        &["<button class=\"button primary\" disabled>", "Go"],
    );
    check_element(
        &json!({"tag": "input", "name": "n", "label": {"tag": "plain_text", "content": "L"}, "required": true}),
        &["L", "required"],
    );
    check_element(
        &json!({"tag": "select_static", "initial_option": "b", "options": [{"value": "a", "text": {"tag": "plain_text", "content": "A"}}, {"value": "b", "text": {"tag": "plain_text", "content": "B"}}]}),
        &["<li>A</li>", "B"],
    );
    check_element(
        &json!({"tag": "table", "columns": [{"name": "x", "display_name": "X"}], "rows": [{"x": "<1>"}, {"x": 2}]}),
        &["<th>X</th>", "&lt;1&gt;", "2"],
    );
    check_element(
        &json!({"tag": "new_thing", "content": "<x>"}),
        &["Unknown component", "new_thing", "&lt;x&gt;"],
    );
    check_element(&json!("no object"), &["Unknown component"]);
}

#[test]
fn what_can_be_pressed_or_filled_in_is_shown_and_disabled() {
    let words = |text: &str| json!({"tag": "plain_text", "content": text});
    let option = |value: &str| json!({"value": value, "text": words(&value.to_uppercase())});
    for (element, expected) in [
        (
            json!({"tag": "button", "type": "danger_filled", "element_id": "b", "text": words("Stop")}),
            "<button class=\"button danger filled\" data-id=\"b\" disabled>Stop",
        ),
        (
            json!({"tag": "button", "type": "x\" onclick=\"y", "text": words("Go")}),
            "<button class=\"button\" disabled>Go",
        ),
        (
            json!({"tag": "button", "type": "primary_text", "text": words("Go")}),
            "class=\"button bare primary\"",
        ),
        (
            json!({"tag": "multi_select_static", "options": [option("a"), option("b")]}),
            "<li>A</li><li>B</li>",
        ),
        (json!({"tag": "select_person", "placeholder": words("Who")}), "<span class=\"label\">Who</span>"),
        (json!({"tag": "select_static", "options": []}), "<span class=\"label\">Choose</span>"),
        (json!({"tag": "overflow", "options": [option("a")]}), "<span class=\"label\">···</span>"),
        (json!({"tag": "input", "default_value": "<v>"}), "<span class=\"slot\">&lt;v&gt;</span>"),
        (json!({"tag": "input", "placeholder": words("p")}), "<span class=\"placeholder\">p</span>"),
        (json!({"tag": "date_picker", "initial_date": "2026-12-01"}), "2026-12-01"),
        (json!({"tag": "picker_time", "initial_time": "12:30"}), "12:30"),
        (json!({"tag": "picker_datetime", "initial_datetime": "2026-12-01 12:30"}), "2026-12-01 12:30"),
        (json!({"tag": "checker", "checked": true, "text": words("done")}), "☑</span> done"),
        (json!({"tag": "checker", "text": words("open")}), "☐</span> open"),
        (json!({"tag": "form", "elements": [{"tag": "input", "name": "in_form"}]}), "in_form"),
        (json!({"tag": "interactive_container", "elements": [words("boxed")]}), "<div class=\"box\">"),
    ] {
        check_element(&element, &[expected, "Buttons and forms answer only in Feishu"]);
    }
}

#[test]
fn what_only_shows_is_shown() {
    let words = |text: &str| json!({"tag": "plain_text", "content": text});
    for (element, expected) in [
        (
            json!({"tag": "text_tag", "color": "green", "element_id": "t", "text": words("ok")}),
            "<span class=\"tag c-green\" data-id=\"t\">ok</span>",
        ),
        (json!({"tag": "person", "user_id": "ou_1"}), "<span class=\"mention\">@ou_1</span>"),
        (json!({"tag": "person_list", "persons": [{"id": "ou_1"}, {"id": "ou_2"}]}), "@ou_2"),
        (
            json!({"tag": "img_combination", "img_list": [{"img_key": "img_1"}, {"img_key": "img_2"}]}),
            "<code>img_2</code>",
        ),
        (
            json!({"tag": "column_set", "flex_mode": "bisect", "columns": []}),
            "<div class=\"columns bisect\">",
        ),
        (json!({"tag": "hr", "element_id": "h"}), "<hr data-id=\"h\">"),
        (json!({"tag": "hr", "element_id": "\" onclick=\"x"}), "<hr data-id=\"&quot; onclick=&quot;x\">"),
        (json!({"tag": "markdown", "content": "x", "text_align": "center"}), "<div class=\"md center\">"),
        (
            json!({"tag": "markdown", "icon": {"token": "robot_outlined"}, "content": "x"}),
            "title=\"robot_outlined\"",
        ),
        (
            json!({"tag": "collapsible_panel", "elements": [], "header": {"icon_position": "right", "background_color": "grey",
                "icon": {"token": "right_outlined"}, "title": words("t")}}),
            "<summary class=\"filled right\"><span class=\"label\">t</span><span class=\"arrow\"></span>",
        ),
        (
            json!({"tag": "table", "columns": [{"name": "o", "data_type": "options"}, {"name": "m", "data_type": "lark_md"}, {"name": "n", "data_type": "number"}],
                "rows": [{"o": [{"text": "P0", "color": "red"}], "m": "**b**", "n": 7}]}),
            "<tr><td class=\"\"><span class=\"tag c-red\">P0</span> </td><td class=\"\"><strong>b</strong></td><td class=\"right\">7</td></tr>",
        ),
    ] {
        check_element(&element, &[expected]);
    }
}

#[test]
fn the_page_speaks_its_readers_language() {
    let card = json!({"config": {"streaming_mode": true}, "body": {"elements": [{"tag": "new"}, {"tag": "button"}]}});
    let html = render(&card, Language::ZhCn);
    for word in ["未知组件", "[生成中...]", "按钮和表单仅在飞书中有效"] {
        assert!(html.contains(word), "{word}\nnot in\n{html}");
    }
}

#[test]
fn every_colour_and_size_that_is_given_has_a_look() {
    use super::palette;
    let css = crate::pages::CSS;
    for name in [
        "neutral",
        "blue",
        "turquoise",
        "lime",
        "orange",
        "violet",
        "indigo",
        "wathet",
        "green",
        "yellow",
        "red",
        "purple",
        "carmine",
        "grey",
        "default",
        "red-350",
    ] {
        let class = palette::colour(name).unwrap_or_else(|| panic!("{name} is no colour"));
        assert!(css.contains(&format!(".{class} ")) || css.contains(&format!(".{class}, ")), "{class}");
    }
    assert_eq!(palette::colour("red\" onclick"), None);
    for (size, class) in [("notation", "notation"), ("heading-0", "size-0"), ("heading", "size-4")] {
        assert_eq!(palette::size(&json!({"text_size": size})), class);
        assert!(css.contains(&format!(".{class} ")), "{class}");
    }
}

#[test]
fn what_is_no_card_is_shown_as_what_it_is() {
    for card in [json!(null), json!([1]), json!({"elements": []}), json!({"body": {"elements": "x"}})] {
        let html = checked(&card);
        assert!(html.contains("class=\"unknown\""), "{html}");
    }
}

#[test]
fn cards_of_the_platforms_examples_hold_nothing_unknown() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/feishu");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let card: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let html = checked(&card);
        assert!(!html.contains("class=\"unknown\""), "{}: {html}", path.display());
        seen += 1;
    }
    assert_eq!(seen, 3);
}
