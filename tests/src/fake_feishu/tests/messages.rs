//! Messages, reactions, images, chats.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Client, card_of, entity, inner_code, markdown, simple, still};
use crate::fake_feishu::{App, BotAbility, Chat, Content, EntityPatch, Presence, Settings};

const MESSAGES: &str = "/open-apis/im/v1/messages";

fn text(text: &str) -> Value {
    json!({"text": text})
}

#[tokio::test]
async fn a_card_is_sent_once() {
    let client = Client::new(still()).await;
    let card = client.card(&simple()).await;
    let question = client.fake.user_says("oc_main", "ou_user", "hi");
    let body =
        json!({"msg_type": "interactive", "content": entity(&card).to_string(), "reply_in_thread": false});
    let reply = client.call("POST", &format!("{MESSAGES}/{question}/reply"), &body).await;
    let message = reply.text_at("/data/message_id");
    assert_eq!(reply.text_at("/data/parent_id"), question);
    assert_eq!(inner_code(&client.send_card(&card).await), (230_099, "11310".to_owned()));
    let sent = client.fake.sent();
    assert_eq!(sent.len(), 1);
    assert_eq!((&sent[0].content, &sent[0].reply_to), (&Content::Card(card.clone()), &Some(question)));
    assert_eq!(client.fake.card(&card).unwrap().message, Some(message));
}

#[tokio::test]
async fn each_way_to_send_wrong_has_its_code() {
    let settings =
        Settings { chats: vec![Chat::new("oc_main"), Chat::new("oc_other").without_bot()], ..still() };
    let client = Client::new(settings).await;
    let long = "x".repeat(150 * 1024);
    let rows: Vec<(&str, &str, Value, u64)> = vec![
        ("oc_other", "text", text("hi"), 230_002),
        ("oc_none", "text", text("hi"), 230_001),
        ("oc_main", "text", text(""), 230_001),
        ("oc_main", "text", json!("hi"), 230_001),
        ("oc_main", "text", text(&long), 230_025),
        ("oc_main", "poem", text("hi"), 230_001),
        ("oc_main", "interactive", card_of(&[markdown("text", &long)]), 230_025),
        ("oc_main", "interactive", entity("gone"), 230_099),
        ("oc_main", "interactive", json!({"card_id": "gone"}), 230_099),
        ("oc_main", "interactive", simple(), 0),
    ];
    for (chat, kind, content, expected) in rows {
        let reply = client.send(chat, kind, &content).await;
        assert_eq!(reply.code(), expected, "{chat} {kind}: {}", reply.text);
    }
    let inner = inner_code(&client.send("oc_main", "interactive", &card_of(&[json!({"tag": "note"})])).await);
    assert_eq!(inner, (230_099, "200861".to_owned()));
    let to = |kind: &str, id: &str| {
        let body = json!({"receive_id": id, "msg_type": "text", "content": text("hi").to_string()});
        (format!("{MESSAGES}?receive_id_type={kind}"), body)
    };
    for (kind, id, expected) in
        [("open_id", "ou_user", 0), ("open_id", "ou_nobody", 230_013), ("email", "a", 230_001)]
    {
        let (path, body) = to(kind, id);
        assert_eq!(client.call("POST", &path, &body).await.code(), expected, "{kind}");
    }
    let (_, body) = to("", "oc_main");
    assert_eq!(client.call("POST", MESSAGES, &body).await.code(), 99_992_402);
    let escaped = json!({"receive_id": "oc_main", "msg_type": "text", "content": text("hi")});
    let path = format!("{MESSAGES}?receive_id_type=chat_id");
    assert_eq!(client.call("POST", &path, &escaped).await.code(), 99_992_402);
    client.fake.configure(|settings| settings.app.bot = BotAbility::Missing);
    assert_eq!(client.send("oc_main", "text", &text("hi")).await.code(), 230_006);
}

#[tokio::test]
async fn a_uuid_delivers_once_in_an_hour() {
    let client = Client::new(still()).await;
    let mut ids = Vec::new();
    for minutes in [0, 59, 1] {
        client.advance(minutes * 60);
        let reply = client.send_with("oc_main", "text", &text("hi"), Some("uuid")).await;
        ids.push(reply.text_at("/data/message_id"));
    }
    assert_eq!((ids[0] == ids[1], ids[1] == ids[2]), (true, false));
    assert_eq!(client.fake.sent().len(), 2);
    let long = "u".repeat(51);
    assert_eq!(client.send_with("oc_main", "text", &text("hi"), Some(&long)).await.code(), 99_992_402);
}

#[tokio::test]
async fn a_card_may_be_invisible_at_first() {
    let mut settings = still();
    settings.toggles.card_visible_after = Duration::from_millis(800);
    let client = Client::new(settings).await;
    let card = client.card(&simple()).await;
    let reply = client.send_card(&card).await;
    assert!(reply.text_at("/msg").contains("cardid is invalid"), "{}", reply.text);
    client.advance(1);
    assert_eq!(client.send_card(&card).await.code(), 0);
}

#[tokio::test]
async fn another_apps_card_cannot_be_sent() {
    let settings = Settings { other_apps: vec![App::new("cli_other", "s")], ..still() };
    let mut client = Client::new(settings).await;
    let card = client.card(&simple()).await;
    client.token = client.sign_in("cli_other", "s").await;
    assert_eq!(inner_code(&client.send_card(&card).await), (230_099, "300311".to_owned()));
}

#[tokio::test]
async fn a_patch_of_an_entitys_message_does_nothing_or_is_refused() {
    for (toggle, expected) in [(EntityPatch::SilentNoOp, 0), (EntityPatch::Refused, 300_317)] {
        let mut settings = still();
        settings.toggles.entity_patch = toggle;
        let client = Client::new(settings).await;
        let card = client.card(&simple()).await;
        let message = client.send_card(&card).await.text_at("/data/message_id");
        let patch = json!({"content": card_of(&[markdown("text", "patched")]).to_string()});
        let reply = client.call("PATCH", &format!("{MESSAGES}/{message}"), &patch).await;
        assert_eq!(reply.code(), expected, "{toggle:?}");
        assert_eq!(client.fake.card(&card).unwrap().json, simple());
    }
}

#[tokio::test]
async fn a_card_in_a_message_is_patched() {
    let client = Client::new(still()).await;
    let message = client.send("oc_main", "interactive", &simple()).await.text_at("/data/message_id");
    let path = format!("{MESSAGES}/{message}");
    let new = card_of(&[markdown("text", "patched")]);
    assert_eq!(client.call("PATCH", &path, &json!({"content": new.to_string()})).await.code(), 0);
    assert_eq!(client.fake.message(&message).unwrap().content, Content::Inline(new));
    let note = json!({"content": card_of(&[json!({"tag": "note"})]).to_string()});
    assert_eq!(client.call("PATCH", &path, &note).await.code(), 230_099);
    let mut client = client;
    client.advance(14 * 24 * 3600);
    client.token = client.sign_in("cli_fake", "fake-secret").await;
    assert_eq!(client.call("PATCH", &path, &note).await.code(), 230_031);
}

#[tokio::test]
async fn reactions_are_set_and_taken_away() {
    let client = Client::new(still()).await;
    let message = client.fake.user_says("oc_main", "ou_user", "hi");
    let path = format!("{MESSAGES}/{message}/reactions");
    let emoji = |name: &str| json!({"reaction_type": {"emoji_type": name}});
    let reaction = client.call("POST", &path, &emoji("DONE")).await.text_at("/data/reaction_id");
    assert_eq!(client.fake.message(&message).unwrap().reactions[0].emoji, "DONE");
    assert_eq!(client.call("POST", &path, &emoji("done!")).await.code(), 231_001);
    assert_eq!(client.call("POST", &path, &json!({"emoji_type": "DONE"})).await.code(), 99_992_402);
    let delete = format!("{path}/{reaction}");
    assert_eq!(client.call("DELETE", &delete, &Value::Null).await.code(), 0);
    assert_eq!(client.call("DELETE", &delete, &Value::Null).await.code(), 230_001);
    assert!(client.fake.message(&message).unwrap().reactions.is_empty());
}

#[tokio::test]
async fn a_message_that_is_gone_says_so() {
    let client = Client::new(still()).await;
    let message = client.fake.user_says("oc_main", "ou_user", "hi");
    let body = json!({"msg_type": "text", "content": text("hi").to_string()});
    for (presence, expected) in
        [(Presence::Present, 0), (Presence::Recalled, 230_011), (Presence::Deleted, 230_110)]
    {
        client.fake.set_presence(&message, presence);
        let reply = client.call("POST", &format!("{MESSAGES}/{message}/reply"), &body).await;
        assert_eq!(reply.code(), expected, "{presence:?}");
    }
    assert_eq!(client.call("POST", &format!("{MESSAGES}/om_none/reply"), &body).await.code(), 231_003);
}

#[tokio::test]
async fn images_are_uploaded_as_a_form() {
    let client = Client::new(still()).await;
    let part = |name: &str, data: &str| {
        format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{data}\r\n")
    };
    let large = "x".repeat(10 * 1024 * 1024 + 1);
    let kind = part("image_type", "message");
    for (body, expected) in [
        (format!("{kind}{}--b--\r\n", part("image", "PNG")), 0),
        (format!("{kind}{}--b--\r\n", part("image", "")), 234_010),
        (format!("{kind}{}--b--\r\n", part("image", &large)), 234_006),
        (format!("{kind}--b--\r\n"), 234_001),
        (format!("{}{}--b--\r\n", part("image_type", "photo"), part("image", "PNG")), 234_001),
        (format!("{kind}{}", part("image", "PNG")), 234_001),
        ("{}".to_owned(), 234_001),
    ] {
        let bearer = format!("Bearer {}", client.token);
        let headers =
            [("authorization", bearer.as_str()), ("content-type", "multipart/form-data; boundary=b")];
        let reply = client.raw("POST", "/open-apis/im/v1/images", &headers, body.as_bytes()).await.unwrap();
        assert_eq!(reply.code(), expected, "{}", reply.text);
    }
    assert_eq!(client.fake.images().len(), 1);
    assert!(client.fake.images()[0].starts_with("img_"));
}

#[tokio::test]
async fn a_doctor_can_look_around() {
    let settings =
        Settings { chats: vec![Chat::new("oc_main"), Chat::new("oc_other").without_bot()], ..still() };
    let client = Client::new(settings).await;
    let bot = client.call("GET", "/open-apis/bot/v3/info", &Value::Null).await;
    assert_eq!(bot.text_at("/bot/app_name"), "Larkspan");
    for (chat, expected) in [("oc_main", 0), ("oc_other", 232_011), ("oc_none", 232_006)] {
        let reply = client.call("GET", &format!("/open-apis/im/v1/chats/{chat}"), &Value::Null).await;
        assert_eq!(reply.code(), expected, "{chat}");
    }
    let chats = client.call("GET", "/open-apis/im/v1/chats", &Value::Null).await.data();
    assert_eq!(chats["items"].as_array().unwrap().len(), 1);
    // And a person at the cards.
    let card = client.card(&simple()).await;
    let page = client.raw("GET", "/", &[], b"").await.unwrap();
    assert_eq!(page.json()[&card], simple());
}
