//! Which cards are refused, and with which code.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::{card_of, markdown, panel};
use crate::fake_feishu::card::validate::{Rules, validate};
use crate::fake_feishu::{Audit, EmptyMarkdown, Images, Limits, Toggles};

fn code_with(card: &Value, toggles: &Toggles) -> u32 {
    let (images, users) = (BTreeSet::from(["img_known".to_owned()]), ["ou_user".to_owned()]);
    let rules = Rules { toggles, limits: &Limits::default(), images: &images, users: &users };
    validate(card, &rules).map_or_else(|refusal| refusal.code, |()| 0)
}

fn code(card: &Value) -> u32 {
    code_with(card, &Toggles::default())
}

fn example(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/feishu");
    serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
}

#[test]
fn the_examples_are_accepted() {
    for name in ["streaming_turn.json", "approval_card.json", "question_form.json"] {
        assert_eq!(code(&example(name)), 0, "{name}");
    }
}

/// An example with one member changed, or taken out by null.
fn changed(name: &str, pointer: &str, value: Value) -> Value {
    let mut card = example(name);
    let (parent, member) = pointer.rsplit_once('/').unwrap();
    let parent = card.pointer_mut(parent).unwrap_or_else(|| panic!("{pointer}"));
    match (parent, value) {
        (Value::Object(members), Value::Null) => drop(members.remove(member)),
        (Value::Object(members), value) => drop(members.insert(member.to_owned(), value)),
        (Value::Array(items), value) => items[member.parse::<usize>().unwrap()] = value,
        (other, _) => panic!("{other}"),
    }
    card
}

#[test]
fn one_wrong_member_is_found() {
    let tags = |count: usize| {
        json!(vec![json!({"tag": "text_tag", "text": {"tag": "plain_text", "content": "t"}}); count])
    };
    let turn = "streaming_turn.json";
    let (ask, form) = ("approval_card.json", "question_form.json");
    let button = |member: &str| format!("/body/elements/1/columns/0/elements/0/{member}");
    let (label, kind, value, given) =
        (button("text/content"), button("type"), button("value"), button("behaviors/0/value"));
    let rows: Vec<(&str, &str, Value, u32)> = vec![
        (turn, "/schema", json!("1.0"), 300_303),
        (turn, "/schema", Value::Null, 300_303),
        (turn, "/config/update_multi", json!(false), 300_302),
        (turn, "/config/update_multi", Value::Null, 0),
        (turn, "/config/wide_screen_mode", json!(true), 200_621),
        (turn, "/config/streaming_mode", json!("true"), 200_621),
        (turn, "/config/streaming_config/print_strategy", json!("slow"), 200_621),
        (turn, "/config/streaming_config/print_step", json!({"web": 1}), 200_621),
        (turn, "/elements", json!([]), 200_621),
        (turn, "/body", Value::Null, 200_621),
        (turn, "/body/elements", json!({}), 200_621),
        (turn, "/header/title", Value::Null, 200_621),
        (turn, "/header/title/tag", json!("markdown"), 200_621),
        (turn, "/header/template", json!("pink"), 200_621),
        (turn, "/header/element_id", json!("header"), 200_621),
        (turn, "/header/text_tag_list", tags(3), 0),
        (turn, "/header/text_tag_list", tags(4), 200_621),
        (turn, "/header/text_tag_list/0/color", json!("grey"), 200_621),
        (turn, "/header/text_tag_list/0/element_id", json!("tool_1"), 300_301),
        (turn, "/body/elements/0/element_id", json!("tool_2"), 300_301),
        (turn, "/body/elements/0/element_id", json!("1_tool"), 10_002),
        (turn, "/body/elements/0/element_id", json!("a2345678901234567890"), 0),
        (turn, "/body/elements/0/element_id", json!("a23456789012345678901"), 10_002),
        (turn, "/body/elements/0/element_id", json!("werkzeug_ß"), 10_002),
        (turn, "/body/elements/0/element_id", json!(1), 10_002),
        (turn, "/body/elements/0/border/color", json!("blue-50"), 0),
        (turn, "/body/elements/0/border/color", json!("#ff0000"), 200_621),
        (turn, "/body/elements/0/header/icon_expanded_angle", json!(45), 200_621),
        (turn, "/body/elements/0/header/elements", json!([]), 200_621),
        (turn, "/body/elements/0/padding", json!("8 8"), 200_621),
        (turn, "/body/elements/0/elements/0", json!({"tag": "table", "columns": [], "rows": []}), 200_621),
        (turn, "/body/elements/0/elements/0", json!({"tag": "form", "name": "f", "elements": []}), 200_621),
        (turn, "/body/elements/3", json!({"tag": "table", "columns": [], "rows": []}), 0),
        (turn, "/body/elements/3", json!({"tag": "code_block", "content": "x"}), 200_621),
        (turn, "/body/elements/3", json!({"content": "x"}), 200_621),
        (turn, "/body/elements/3", json!("x"), 200_621),
        (turn, "/body/elements/3", json!({"tag": "note", "elements": []}), 200_861),
        (turn, "/body/elements/3", json!({"tag": "action", "actions": []}), 200_861),
        (turn, "/body/elements/3", json!({"tag": "img", "img_key": "img_x"}), 0),
        (turn, "/body/elements/3", json!({"tag": "img", "img_key": "https://x/y.png"}), 200_570),
        (turn, "/body/elements/2/content", json!(1), 200_621),
        (turn, "/body/elements/2/text_size", json!("huge"), 200_621),
        (ask, &label, json!("x".repeat(101)), 200_621),
        (ask, &kind, json!("warning"), 200_621),
        (ask, &value, json!({}), 200_621),
        (ask, &given, json!("once"), 200_621),
        (ask, &given, Value::Null, 200_621),
        // What a callback gives back is the app's own.
        (ask, &given, json!({"tag": "note", "element_id": "ask"}), 0),
        (ask, "/body/elements/1/columns/0/width", json!("wide"), 200_621),
        (form, "/body/elements/0/name", Value::Null, 200_621),
        (form, "/body/elements/0/elements/0/name", Value::Null, 200_621),
        (form, "/body/elements/0/elements/0/name", json!("note"), 200_621),
        (form, "/body/elements/0/elements/1/max_length", json!(1001), 200_621),
        (form, "/body/elements/0/elements/2/form_action_type", Value::Null, 200_621),
    ];
    for (name, pointer, value, expected) in rows {
        let card = changed(name, pointer, value.clone());
        assert_eq!(code(&card), expected, "{name} {pointer} {value}");
    }
}

#[test]
fn what_stands_in_markdown_is_looked_at() {
    let table = "| a | b |\n|---|:-:|\n| 1 | 2 |\n";
    let tables = |count: usize| vec![table; count].join("\n");
    let rows = [
        ("", 200_621),
        ("![x](img_v3_1)", 0),
        ("![x](https://h/x.png)", 200_570),
        ("![y](./y.png)", 200_570),
        ("![z](data:image/png;base64,xx)", 200_570),
        ("```\n![x](https://h/x.png)\n```", 0),
        ("code:\n\n    ![x](https://h/x.png)\n", 0),
        ("`![x](https://h/x.png)`", 0),
        ("- item\n\n    ![x](https://h/x.png)", 200_570),
        (&tables(3), 0),
        (&tables(4), 11_310),
        (&format!("{}\n```\n{}\n```", tables(3), tables(3)), 0),
        ("a | b\n--|--\n", 0),
        ("<at id=ou_user></at>", 0),
        ("<at id=all></at>", 0),
        ("<at id=ou_nobody></at>", 230_099),
        ("<person id='ou_nobody'></person>", 230_099),
        ("`<at id=ou_nobody></at>` <attribute>", 0),
    ];
    for (content, expected) in rows {
        assert_eq!(code(&card_of(&[markdown("text", content)])), expected, "{content}");
    }
    let two = card_of(&[markdown("one", &tables(2)), markdown("two", &tables(2))]);
    let wide = Toggles { table_cap: 5, ..Toggles::default() };
    assert_eq!((code(&two), code_with(&two, &wide)), (11_310, 0));
    // More than four in one element are too many under any cap.
    assert_eq!(code_with(&card_of(&[markdown("one", &tables(5))]), &wide), 11_310);
}

#[test]
fn toggles_decide_what_is_not_documented() {
    let card = |content: &str| card_of(&[markdown("text", content)]);
    let empty = Toggles { empty_markdown: EmptyMarkdown::Accepted, ..Toggles::default() };
    assert_eq!(code_with(&card(""), &empty), 0);
    let uploaded = Toggles { images: Images::Uploaded, ..Toggles::default() };
    assert_eq!(code_with(&card("![x](img_known)"), &uploaded), 0);
    assert_eq!(code_with(&card("![x](img_other)"), &uploaded), 200_570);
    let audit = Toggles { audit: Audit::EmailsAndPhones, ..Toggles::default() };
    for (content, expected) in [
        ("Signed-off-by: A <a.b@example.com>", 230_028),
        ("`git@github.com:x/y`", 230_028),
        ("call 13812345678", 230_028),
        ("138123456789 @b a@b 1.13812345678e", 0),
    ] {
        assert_eq!(code_with(&card(content), &audit), expected, "{content}");
    }
    let words = Toggles { sensitive_words: vec!["secret plan".to_owned()], ..Toggles::default() };
    assert_eq!(code_with(&card("the secret plan"), &words), 230_022);
}

#[test]
fn limits_are_kept_to_the_last() {
    // A panel is a tag, its title another; what is in it counts by itself.
    let many = |count: usize| card_of(&vec![json!({"tag": "hr"}); count]);
    assert_eq!((code(&many(200)), code(&many(201))), (0, 300_305));
    let panels = |count: usize| card_of(&vec![panel("", &[]); count]);
    let without_ids = |card: Value| {
        let text = card.to_string().replace("\"element_id\":\"\",", "");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!((code(&without_ids(panels(100))), code(&without_ids(panels(101)))), (0, 300_305));

    let room = 30_000 - card_of(&[markdown("text", "")]).to_string().len();
    let long = |length: usize| card_of(&[markdown("text", &"x".repeat(length))]);
    assert_eq!((code(&long(room)), code(&long(room + 1))), (0, 200_860));
    // Bytes, not characters.
    assert_eq!(code(&card_of(&[markdown("text", &"字".repeat(room / 3 + 1))])), 200_860);

    let nested = |levels: usize| {
        (1..levels).fold(json!({"tag": "hr"}), |inner, level| panel(&format!("p{level}"), &[inner]))
    };
    assert_eq!((code(&card_of(&[nested(5)])), code(&card_of(&[nested(6)]))), (0, 200_621));
}
