use larkspan_html::testing::{ELEMENTS, Element, check};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{DEEPEST, LONGEST_TEXT, MOST_ELEMENTS, render};
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
fn what_is_no_card_is_shown_as_what_it_is() {
    for card in [json!(null), json!([1]), json!({"elements": []}), json!({"body": {"elements": "x"}})] {
        let html = checked(&card);
        assert!(html.contains("class=\"unknown\""), "{html}");
    }
}

#[test]
fn what_a_card_can_hold_is_bounded() {
    let text = json!({"tag": "plain_text", "content": "x"});
    let many = json!({"body": {"elements": vec![text.clone(); MOST_ELEMENTS + 7]}});
    let html = checked(&many);
    assert!(html.contains("7 more components are not shown"), "{}", html.len());
    let mut deep = text;
    for _ in 0..DEEPEST * 4 {
        deep = json!({"tag": "collapsible_panel", "header": {}, "elements": [deep]});
    }
    assert!(checked(&body(&deep)).contains("1 more components are not shown"));
    let long = json!({"tag": "markdown", "content": "y ".repeat(LONGEST_TEXT)});
    let html = checked(&body(&long));
    assert!(html.len() < LONGEST_TEXT * 2 && html.contains("The rest is not shown"), "{}", html.len());
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

/// Any JSON that has something of a card.
fn anything() -> impl Strategy<Value = Value> {
    let text = "(a|<|>|&|\"|'|`|\\$\\{|\n|<script>|</div>|<font color='red'>|</font>|\\[x\\]\\(javascript:y\\)|\u{202e}|\u{0}|```|- |\\|){0,12}";
    let tag = prop::sample::select(vec![
        "markdown",
        "plain_text",
        "div",
        "hr",
        "text_tag",
        "collapsible_panel",
        "column_set",
        "column",
        "form",
        "img",
        "table",
        "button",
        "input",
        "select_static",
        "overflow",
        "checker",
        "person_list",
        "interactive_container",
        "x<y",
    ]);
    let leaf = prop_oneof![
        text.prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from)
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let members = prop::sample::select(vec![
            "content",
            "text",
            "title",
            "header",
            "icon",
            "element_id",
            "color",
            "elements",
            "columns",
            "rows",
            "options",
            "fields",
            "border",
            "name",
            "value",
            "label",
            "placeholder",
            "img_key",
            "alt",
            "persons",
            "expanded",
            "template",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            (tag.clone(), prop::collection::hash_map(members, inner, 0..5)).prop_map(|(tag, members)| {
                let mut object: serde_json::Map<String, Value> =
                    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
                object.insert("tag".to_owned(), tag.into());
                Value::Object(object)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn nothing_in_a_card_breaks_out(header in anything(), elements in prop::collection::vec(anything(), 0..6)) {
        checked(&json!({"header": header, "body": {"elements": elements}}));
    }
}
