use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{GROWING, Plan, Reason, Shadow, Trust, plan};
use crate::document::{self, Action};

#[expect(clippy::needless_pass_by_value, reason = "a call reads better without the borrow")]
fn card(elements: Value) -> Value {
    json!({
        "schema": "2.0",
        "config": {"update_multi": true, "streaming_mode": true, "summary": {"content": "s"}},
        "header": {"title": {"tag": "plain_text", "content": "t"}},
        "body": {"elements": elements},
    })
}

fn text(id: &str, content: &str) -> Value {
    json!({"tag": "markdown", "element_id": id, "content": content})
}

#[expect(clippy::needless_pass_by_value, reason = "a call reads better without the borrow")]
fn panel(id: &str, title: &str, elements: Value) -> Value {
    json!({"tag": "collapsible_panel", "element_id": id, "expanded": false,
        "header": {"title": {"tag": "markdown", "content": title}}, "elements": elements})
}

fn shadow(json: &Value) -> Shadow {
    Shadow { json: json.clone(), trust: Trust::Trusted }
}

/// Larger than any batch of these tests.
fn padding() -> Value {
    text("pad", &"x".repeat(4000))
}

/// What the platform holds when the plan is carried out.
fn carried_out(desired: &Value, held: &Value, is_streaming: bool) -> Value {
    let mut card = held.clone();
    match plan(desired, &shadow(held), is_streaming) {
        Plan::Nothing => {}
        Plan::Parts { batch, content } => {
            // Through the wire form, as the platform reads it.
            let batch: Vec<Action> =
                batch.iter().map(|action| Action::from_json(&action.to_json()).unwrap()).collect();
            document::apply(&mut card, &batch).unwrap();
            if let Some((id, text)) = content {
                document::set_text(&mut card, &id, &text).unwrap();
            }
        }
        Plan::Refresh(_) => card = desired.clone(),
    }
    card
}

#[test]
fn what_changed_is_what_is_sent() {
    let held = card(json!([padding(), panel("p", "one", json!([text("a", "1")])), text(GROWING, "ab")]));
    let check = |desired: Value, expected: &[Value], content: Option<&str>| {
        let planned = plan(&desired, &shadow(&held), true);
        let Plan::Parts { batch, content: text } = planned else { panic!("{planned:?}") };
        assert_eq!(batch.iter().map(Action::to_json).collect::<Vec<_>>(), expected);
        assert_eq!(text.as_ref().map(|(_, text)| text.as_str()), content);
    };
    // A text that grows is no batch action.
    check(
        card(json!([padding(), panel("p", "one", json!([text("a", "1")])), text(GROWING, "abc")])),
        &[],
        Some("abc"),
    );
    // A new call and its group's title.
    check(
        card(json!([
            padding(),
            panel("p", "two", json!([text("a", "1"), text("b", "2")])),
            text(GROWING, "ab")
        ])),
        &[
            json!({"action": "add_elements", "params": {
                "type": "insert_after", "target_element_id": "a", "elements": [text("b", "2")]}}),
            json!({"action": "partial_update_element", "params": {"element_id": "p",
                "partial_element": {"header": {"title": {"tag": "markdown", "content": "two"}}}}}),
        ],
        None,
    );
    // The first in a container, and one that goes.
    check(
        card(json!([text("n", "new"), padding(), panel("p", "one", json!([text("b", "2")]))])),
        &[
            json!({"action": "add_elements", "params": {
                "type": "insert_before", "target_element_id": "pad", "elements": [text("n", "new")]}}),
            json!({"action": "delete_elements", "params": {"element_ids": [GROWING]}}),
            json!({"action": "add_elements", "params": {
                "type": "append", "target_element_id": "p", "elements": [text("b", "2")]}}),
            json!({"action": "delete_elements", "params": {"element_ids": ["a"]}}),
        ],
        None,
    );
}

#[test]
fn what_cannot_be_told_in_parts_is_a_refresh() {
    let held = card(json!([padding(), text("a", "1"), text("b", "2")]));
    let check = |desired: &Value, trust: Trust, expected: Reason| {
        let planned = plan(desired, &Shadow { json: held.clone(), trust }, true);
        assert_eq!(planned, Plan::Refresh(expected));
    };
    check(&held, Trust::Unknown, Reason::Unknown);
    let swapped = card(json!([padding(), text("b", "2"), text("a", "1")]));
    check(&swapped, Trust::Trusted, Reason::Order);
    let nameless = card(json!([padding(), {"tag": "hr"}]));
    check(&nameless, Trust::Trusted, Reason::Order);
    let mut titled = held.clone();
    titled["header"]["title"]["content"] = "other".into();
    check(&titled, Trust::Weak, Reason::Frame);
    let mut closed = held.clone();
    closed["config"]["streaming_mode"] = false.into();
    check(&closed, Trust::Trusted, Reason::Frame);
    let many = |content: &str| -> Value {
        card((0..40).map(|n| text(&format!("t{n}"), content)).collect::<Vec<_>>().into())
    };
    let planned = plan(&many("b"), &shadow(&many("a")), true);
    assert_eq!(planned, Plan::Refresh(Reason::Size));
    assert_eq!(plan(&held, &shadow(&held), true), Plan::Nothing);
}

#[test]
fn a_card_that_does_not_stream_takes_its_text_in_the_batch() {
    let held = card(json!([padding(), text(GROWING, "ab")]));
    let desired = card(json!([padding(), text(GROWING, "abc")]));
    let Plan::Parts { batch, content } = plan(&desired, &shadow(&held), false) else { panic!() };
    assert_eq!((batch.len(), content), (1, None));
}

fn elements() -> impl Strategy<Value = Vec<Value>> {
    let leaf = |id: String| {
        ("[ab]{0,3}", 0..3_u8).prop_map(move |(content, kind)| match kind {
            0 => json!({"tag": "plain_text", "element_id": id, "content": content}),
            1 => json!({"tag": "markdown", "element_id": id, "content": content, "text_size": "notation"}),
            _ => text(&id, &content),
        })
    };
    let ids =
        |names: &'static [&'static str]| proptest::sample::subsequence(names, 0..=names.len()).prop_shuffle();
    let inner = ids(&["i", "j", "k", "l"])
        .prop_flat_map(move |ids| ids.into_iter().map(|id| leaf(id.to_owned()).boxed()).collect::<Vec<_>>());
    ids(&["a", "b", "p", "q", GROWING]).prop_flat_map(move |ids| {
        // Ids within two panels must differ, as everywhere in a card.
        let of = |id: &str| match id {
            "p" => (inner.clone(), "[xy]{0,2}")
                .prop_map(|(inner, title)| panel("p", &title, json!(inner)))
                .boxed(),
            id => leaf(id.to_owned()).boxed(),
        };
        ids.into_iter().map(of).collect::<Vec<_>>()
    })
}

proptest! {
    #[test]
    fn a_plan_carried_out_gives_the_desired_card(
        old in elements(), new in elements(), pad in 0..2_usize, summary in "[st]", is_streaming: bool,
    ) {
        let with = |mut elements: Vec<Value>, summary: &str| {
            elements.extend(std::iter::repeat_n(padding(), pad));
            let mut card = card(json!(elements));
            card["config"]["summary"]["content"] = summary.into();
            card
        };
        let (held, desired) = (with(old, "s"), with(new, &summary));
        prop_assert_eq!(carried_out(&desired, &held, is_streaming), desired);
    }
}
