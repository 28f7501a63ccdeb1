//! Cards that nobody means well with: too much, too deep, and anything at all.

use larkspan_html::testing::{ELEMENTS, check};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::{DEEPEST, LONGEST_CARD, LONGEST_TEXT, MOST_ELEMENTS, render};
use super::{OURS, body, check_element, checked};
use crate::words::Language;

#[test]
fn what_a_card_can_hold_is_bounded() {
    let text = json!({"tag": "plain_text", "content": "x"});
    let many = json!({"body": {"elements": vec![text.clone(); MOST_ELEMENTS + 7]}});
    let html = checked(&many);
    assert!(html.contains("7 more components are not shown"), "{}", html.len());
    let mut deep = text;
    for _ in 0..DEEPEST * 2 {
        deep = json!({"tag": "collapsible_panel", "header": {}, "elements": [deep]});
    }
    assert!(checked(&body(&deep)).contains("1 more components are not shown"));
    let long = json!({"tag": "markdown", "content": "y ".repeat(LONGEST_TEXT)});
    let html = checked(&body(&long));
    assert!(html.len() < LONGEST_TEXT * 2 && html.contains("The rest is not shown"), "{}", html.len());
}

#[test]
fn a_table_whose_columns_all_show_one_long_cell_is_bounded() {
    let columns = vec![json!({"name": "x"}); 50];
    let long = "\0".repeat(LONGEST_TEXT);
    let html =
        checked(&body(&json!({"tag": "table", "columns": columns, "rows": [{"x": long}, {"x": long}]})));
    // One cell beyond the bound, and each character as an escape of some thirty.
    assert!(html.len() < LONGEST_CARD + LONGEST_TEXT * 32, "{}", html.len());
    assert!(html.contains("<td class=\"remark\">…</td>") && html.contains("+1"), "what is left out is said");
}

#[test]
fn a_card_of_any_depth_exhausts_no_stack() {
    let mut deep = json!({"tag": "plain_text", "content": "x"});
    for _ in 0..20_000 {
        // `json!` would copy what it is given, and exhaust the stack of this test.
        let mut panel = json!({"tag": "collapsible_panel"});
        panel["elements"] = Value::Array(vec![deep]);
        deep = panel;
    }
    let mut card = body(&json!(null));
    card["body"]["elements"][0] = deep;
    for language in [Language::En, Language::ZhCn] {
        let html = render(&card, language);
        check(&html, &[&ELEMENTS, OURS], |_| false).unwrap();
        assert!(html.contains("class=\"remark\""), "{html}");
    }
    // Dropping it as it is would exhaust the stack of this test.
    let mut inner = card["body"]["elements"][0].take();
    while let Some(next) = inner.pointer_mut("/elements/0").map(Value::take) {
        inner = next;
    }
    // What is not known is bounded too, however deep within what may be.
    let mut unknown = json!("x");
    for _ in 0..120 {
        unknown = json!([unknown]);
    }
    check_element(&json!({"tag": "new", "value": unknown}), &["Unknown component"]);
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
