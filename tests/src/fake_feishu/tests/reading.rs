//! What a person sees of a card.

use serde_json::json;

use super::{card_of, markdown, panel};
use crate::fake_feishu::{Part, Reader};

#[test]
fn fences_go_and_prose_is_decoded() {
    for (raw, expected) in [
        ("plain", "plain"),
        ("a\n```rust\nlet v: Vec<u8>;\n```\nb", "a\nlet v: Vec<u8>;\nb"),
        ("```\na &#60; b\n```", "a &#60; b"),
        ("a &#60;at&#62; &sim; &#38;&#38; R&D &unknown; `&#60;`", "a <at> ~ && R&D &unknown; `&#60;`"),
        (
            "see:\n\n    echo ${HOME}\n      deeper\n\n    last\n\nend",
            "see:\n\necho ${HOME}\n  deeper\n\nlast\n\nend",
        ),
        ("~~~\n```\n~~~", "```"),
        ("````\n```\n````", "```"),
        ("- item\n    more", "- item\n    more"),
        ("text\n    lazy", "text\n    lazy"),
    ] {
        let reader = Reader::of(&card_of(&[markdown("text", raw)]));
        assert_eq!(reader.text(), expected, "{raw}");
    }
}

#[test]
fn texts_come_in_order_with_their_place() {
    let mut card = card_of(&[
        markdown("text", "one"),
        panel("panel", &[markdown("inner", "two"), panel("deep", &[markdown("deeper", "three")])]),
        json!({"tag": "button", "element_id": "go", "text": {"tag": "plain_text", "content": "Go"}}),
    ]);
    card["header"] = json!({
        "title": {"tag": "plain_text", "content": "Title"},
        "text_tag_list": [{"tag": "text_tag", "element_id": "tag", "text": {"tag": "plain_text", "content": "codex"}}],
    });
    let reader = Reader::of(&card);
    let parts: Vec<(Part, &str)> =
        reader.shown().iter().map(|shown| (shown.part, shown.text.as_str())).collect();
    assert_eq!(
        parts,
        [
            (Part::Header, "Title"),
            (Part::Header, "codex"),
            (Part::Text, "one"),
            (Part::PanelTitle, "a title"),
            (Part::Text, "two"),
            (Part::PanelTitle, "a title"),
            (Part::Text, "three"),
            (Part::Control, "Go"),
        ]
    );
    assert_eq!(reader.body(), "one\ntwo\nthree");
    assert_eq!(reader.panel_titles(), ["a title", "a title"]);
    assert_eq!((reader.element("deeper"), reader.element("tag")), (Some("three"), Some("codex")));
    assert_eq!(Reader::of_all([&card, &card]).shown().len(), 16);
}

#[test]
fn what_no_card_may_have_is_named() {
    for (raw, problems) in [
        ("```\nx\n```", 0),
        ("```\nx", 1),
        ("```\nx\n``", 1),
        ("```\nx\n```x", 1),
        ("a\u{200b}b", 1),
        ("```\n\u{feff}", 2),
    ] {
        let reader = Reader::of(&card_of(&[markdown("text", raw)]));
        assert_eq!(reader.problems().len(), problems, "{raw:?}: {:?}", reader.problems());
    }
    let reader = Reader::of(&card_of(&[markdown(
        "text",
        "<at id=ou_a></at> <person id=\"ou_b\"> `<at id=c>` <attr>",
    )]));
    assert_eq!(reader.mentions(), ["ou_a", "ou_b"]);
}
