//! Operations on cards: what each does, and the code of each way to get it wrong.

use serde_json::{Value, json};

use super::{Client, card_of, markdown, panel, simple, still};
use crate::fake_feishu::card::document::{children, text};
use crate::fake_feishu::{BareSettings, Batch, FailedOperation, PartialUpdate, UuidReuse};

/// The ids of the body's elements, each followed by those within it.
fn ids(elements: &[Value]) -> Vec<&str> {
    let with_inner = |element| std::iter::once(text(element, "element_id")).chain(ids(children(element)));
    elements.iter().flat_map(with_inner).collect()
}

#[tokio::test]
async fn operations_change_the_card() {
    let add = |kind: &str, target: &str| {
        json!({"type": kind, "target_element_id": target, "sequence": 1,
            "elements": json!([markdown("new", "new")]).to_string()})
    };
    let append =
        json!({"type": "append", "sequence": 1, "elements": json!([markdown("new", "n")]).to_string()});
    let replace = json!({"element": markdown("other", "x").to_string(), "sequence": 1});
    let rename = json!({"partial_element": "{\"element_id\":\"other\"}", "sequence": 1});
    let number = json!({"sequence": 1});
    let batch = json!({"sequence": 1, "actions": json!([
        {"action": "add_elements", "params": {"type": "append", "elements": [markdown("new", "n")]}},
        {"action": "delete_elements", "params": {"element_ids": ["line", "text"]}},
        {"action": "partial_update_element", "params":
            {"element_id": "inner", "partial_element": {"content": "changed"}}},
        {"action": "update_element", "params": {"element_id": "new", "element": markdown("newer", "n")}},
        {"action": "partial_update_setting", "params": {"settings": {"config": {"streaming_mode": false}}}},
    ]).to_string()});
    let rows: [(&str, &str, &Value, &[&str]); 9] = [
        ("POST", "/elements", &add("insert_before", "text"), &["new", "text", "panel", "inner", "line"]),
        ("POST", "/elements", &add("insert_after", "text"), &["text", "new", "panel", "inner", "line"]),
        ("POST", "/elements", &add("append", "panel"), &["text", "panel", "inner", "new", "line"]),
        ("POST", "/elements", &append, &["text", "panel", "inner", "line", "new"]),
        ("PUT", "/elements/text", &replace, &["other", "panel", "inner", "line"]),
        ("PATCH", "/elements/text", &rename, &["other", "panel", "inner", "line"]),
        ("DELETE", "/elements/panel", &number, &["text", "line"]),
        ("DELETE", "/elements/inner", &number, &["text", "panel", "line"]),
        ("POST", "/batch_update", &batch, &["panel", "inner", "newer"]),
    ];
    let client = Client::new(still()).await;
    for (method, path, body, expected) in rows {
        let card = client.card(&simple()).await;
        let reply = client.on_card(method, &card, path, body).await;
        assert_eq!(reply.code(), 0, "{method} {path}: {}", reply.text);
        let now = client.fake.card(&card).unwrap();
        assert_eq!(ids(now.json["body"]["elements"].as_array().unwrap()), expected, "{method} {path}");
        assert_eq!(now.sequence, 1);
    }
}

#[tokio::test]
async fn each_way_to_get_it_wrong_has_its_code() {
    let sequence = |body: Value| {
        let mut body = body;
        body["sequence"] = json!(1);
        body
    };
    let text = |value: Value| json!(value.to_string());
    let settings = |value: Value| sequence(json!({"settings": value.to_string()}));
    let element = |value: Value| sequence(json!({"element": value.to_string()}));
    let partial = |value: Value| sequence(json!({"partial_element": value.to_string()}));
    let data = |data: &str| sequence(json!({"card": {"type": "card_json", "data": data}}));
    let batch = |action: Value| sequence(json!({"actions": json!([action]).to_string()}));
    let add = |kind: &str, target: &str| {
        sequence(
            json!({"type": kind, "target_element_id": target, "elements": text(json!([markdown("n", "n")]))}),
        )
    };
    let rows: Vec<(&str, &str, Value, u64)> = vec![
        // The shape of the body.
        ("PUT", "", json!({"sequence": 1}), 99_992_402),
        ("PUT", "", json!({"card": {"type": "card_json", "data": "{}"}}), 99_992_402),
        ("PUT", "", sequence(json!({"card": simple().to_string()})), 99_992_402),
        ("PUT", "", sequence(json!({"card": {"type": "card_json", "data": simple()}})), 99_992_402),
        ("PUT", "", sequence(json!({"card": {"type": "template", "data": "{}"}})), 10_002),
        ("PUT", "", data("{"), 200_220),
        ("PUT", "", data("[]"), 200_220),
        ("PUT", "", json!({"card": {"type": "card_json", "data": "{}"}, "sequence": "1"}), 99_992_402),
        (
            "PUT",
            "",
            json!({"card": {"type": "card_json", "data": "{}"}, "sequence": 2_147_483_648_u64}),
            99_992_402,
        ),
        ("DELETE", "/elements/text", json!({"sequence": 1, "uuid": ""}), 99_992_402),
        ("DELETE", "/elements/text", json!({"sequence": 1, "uuid": "u".repeat(65)}), 99_992_402),
        ("DELETE", "/elements/text", json!({"sequence": 1, "force": true}), 99_992_402),
        ("DELETE", "/elements/text", json!({"sequence": 0}), 300_317),
        ("DELETE", "/elements/text", json!({"sequence": -1}), 99_992_402),
        ("DELETE", "/elements/text", Value::Null, 10_002),
        ("PUT", "/elements/text/content", sequence(json!({"content": ""})), 99_992_402),
        ("POST", "/batch_update", sequence(json!({"actions": "[]"})), 99_992_402),
        ("POST", "/batch_update", sequence(json!({"actions": []})), 99_992_402),
        ("POST", "/batch_update", batch(json!({"action": "update_text", "params": {}})), 10_002),
        (
            "POST",
            "/batch_update",
            batch(json!({"action": "add_elements", "params":
            {"type": "append", "elements": text(json!([markdown("n", "n")]))}})),
            99_992_402,
        ),
        (
            "POST",
            "/batch_update",
            batch(json!({"action": "update_element", "params":
            {"element_id": "text", "element": text(markdown("text", "n"))}})),
            99_992_402,
        ),
        ("POST", "/elements", add("insert_before", ""), 10_002),
        ("POST", "/elements", add("prepend", "text"), 10_002),
        // The endpoint's own rule.
        ("PUT", "", data("{}"), 300_307),
        ("PUT", "", data("{\"elements\":[]}"), 200_830),
        ("PATCH", "/settings", settings(json!({"config": {}, "header": {}})), 300_122),
        ("PATCH", "/settings", settings(json!({"config": true})), 300_122),
        ("PATCH", "/settings", settings(json!({"config": {"wide_screen_mode": true}})), 200_621),
        ("PATCH", "/settings", settings(json!({"config": {"update_multi": false}})), 300_302),
        ("POST", "/elements", add("insert_after", "gone"), 300_315),
        ("POST", "/elements", add("append", "text"), 300_315),
        (
            "POST",
            "/elements",
            sequence(json!({"type": "append", "elements": text(json!([markdown("text", "n")]))})),
            300_301,
        ),
        ("PUT", "/elements/gone", element(markdown("gone", "n")), 300_121),
        ("PUT", "/elements/text", element(json!({"element_id": "text"})), 200_621),
        ("PATCH", "/elements/gone", partial(json!({"content": "n"})), 300_313),
        ("PATCH", "/elements/text", partial(json!({"tag": "hr"})), 300_312),
        ("PATCH", "/elements/text", partial(json!({"text": "n"})), 200_621),
        ("DELETE", "/elements/gone", sequence(json!({})), 300_314),
        ("PUT", "/elements/gone/content", sequence(json!({"content": "n"})), 300_313),
        ("PUT", "/elements/line/content", sequence(json!({"content": "n"})), 300_310),
    ];
    let client = Client::new(still()).await;
    let card = client.card(&simple()).await;
    for (method, path, body, expected) in rows {
        let reply = client.on_card(method, &card, path, &body).await;
        assert_eq!(reply.code(), expected, "{method} {path} {body}: {}", reply.text);
        assert_eq!(reply.status, 400);
        let now = client.fake.card(&card).unwrap();
        assert_eq!((now.json, now.sequence), (simple(), 0), "{method} {path} {body} changed something");
    }
    let counts = client.fake.rejections();
    assert_eq!(counts.get(&300_315), Some(&2));
}

#[tokio::test]
async fn creating_has_no_sequence_and_checks_the_card() {
    let client = Client::new(still()).await;
    for (body, expected) in [
        (json!({"type": "card_json", "data": simple().to_string(), "sequence": 1}), 99_992_402),
        (json!({"type": "card_json", "data": ""}), 99_992_402),
        (json!({"type": "card_json", "data": "{}"}), 300_307),
        (json!({"type": "card_json", "data": "{\"schema\":\"1.0\"}"}), 300_303),
        (json!({"data": simple().to_string()}), 99_992_402),
    ] {
        let reply = client.call("POST", "/open-apis/cardkit/v1/cards", &body).await;
        assert_eq!(reply.code(), expected, "{body}");
    }
    assert!(client.fake.cards().is_empty());
}

#[tokio::test]
async fn a_sequence_may_jump_and_never_repeats() {
    let client = Client::new(still()).await;
    let card = client.card(&simple()).await;
    for (sequence, expected) in [(2, 0), (2, 300_317), (1, 300_317), (i64::from(i32::MAX), 0)] {
        assert_eq!(client.content(&card, "text", sequence).await.code(), expected, "{sequence}");
    }
}

#[tokio::test]
async fn a_failed_operation_keeps_or_consumes_its_sequence() {
    for (toggle, expected) in
        [(FailedOperation::KeepsSequence, 0), (FailedOperation::ConsumesSequence, 300_317)]
    {
        let mut settings = still();
        settings.toggles.failed_operation = toggle;
        let client = Client::new(settings).await;
        let card = client.card(&simple()).await;
        let delete = json!({"sequence": 1});
        assert_eq!(client.on_card("DELETE", &card, "/elements/gone", &delete).await.code(), 300_314);
        assert_eq!(client.content(&card, "text", 1).await.code(), expected, "{toggle:?}");
    }
}

#[tokio::test]
async fn a_uuid_is_applied_once() {
    for (toggle, expected) in [(UuidReuse::Conflict, 200_770), (UuidReuse::Replays, 0)] {
        let mut settings = still();
        settings.toggles.uuid_reuse = toggle;
        let client = Client::new(settings).await;
        let card = client.card(&simple()).await;
        let body =
            |content: &str, sequence: i64| json!({"content": content, "sequence": sequence, "uuid": "u"});
        let path = "/elements/text/content";
        assert_eq!(client.on_card("PUT", &card, path, &body("first", 1)).await.code(), 0);
        for sequence in [1, 2] {
            let reply = client.on_card("PUT", &card, path, &body("second", sequence)).await;
            assert_eq!(reply.code(), expected, "{toggle:?}");
        }
        let now = client.fake.card(&card).unwrap();
        assert_eq!((now.reader().element("text"), now.sequence), (Some("first"), 1));
    }
}

#[tokio::test]
async fn a_batch_is_atomic_or_not() {
    let actions = json!([
        {"action": "partial_update_element", "params":
            {"element_id": "text", "partial_element": {"content": "changed"}}},
        {"action": "delete_elements", "params": {"element_ids": ["gone"]}},
    ]);
    for (toggle, text, next) in [(Batch::Atomic, "hello", 1), (Batch::StepByStep, "changed", 2)] {
        let mut settings = still();
        settings.toggles.batch = toggle;
        let client = Client::new(settings).await;
        let card = client.card(&simple()).await;
        assert_eq!(client.batch(&card, &actions, 1).await.code(), 300_314);
        assert_eq!(client.fake.card(&card).unwrap().reader().element("text"), Some(text), "{toggle:?}");
        assert_eq!(client.content(&card, "x", next).await.code(), 0);
    }
}

#[tokio::test]
async fn bare_settings_are_ignored_or_refused() {
    for (toggle, expected) in [(BareSettings::Ignored, 0), (BareSettings::Refused, 300_122)] {
        let mut settings = still();
        settings.toggles.bare_settings = toggle;
        let client = Client::new(settings).await;
        let card = client.card(&simple()).await;
        assert_eq!(client.settings(&card, &json!({"streaming_mode": false}), 1).await.code(), expected);
        assert_eq!(client.content(&card, "still streams", 2).await.code(), 0);
    }
}

#[tokio::test]
async fn a_partial_update_goes_deep_or_not() {
    let partial = json!({"header": {"title": {"tag": "plain_text", "content": "new"}}});
    let patch = json!({"partial_element": partial.to_string(), "sequence": 1});
    for (toggle, keeps) in [(PartialUpdate::Shallow, false), (PartialUpdate::Deep, true)] {
        let mut settings = still();
        settings.toggles.partial_update = toggle;
        let client = Client::new(settings).await;
        let mut panel = panel("panel", &[markdown("inner", "inside")]);
        panel["header"]["width"] = json!("fill");
        let card = client.card(&card_of(&[panel])).await;
        assert_eq!(client.on_card("PATCH", &card, "/elements/panel", &patch).await.code(), 0);
        let now = client.fake.card(&card).unwrap().json;
        assert_eq!(now.pointer("/body/elements/0/header/width").is_some(), keeps, "{toggle:?}");
    }
}
