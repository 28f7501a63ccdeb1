//! The long connection: handshake, frames, acks, repetitions.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::{Client, still};
use crate::fake_feishu::connection::frame::{CONTROL, DATA, Frame};
use crate::fake_feishu::{FakeFeishu, Hearing, Order, Pongs, Push, PushId};

type Socket = WebSocketStream<TcpStream>;

async fn endpoint(client: &Client, secret: &str) -> Value {
    let body = json!({"AppID": "cli_fake", "AppSecret": secret});
    client.call("POST", "/callback/ws/endpoint", &body).await.json()
}

async fn connect(client: &Client) -> Socket {
    let url = endpoint(client, "fake-secret").await["data"]["URL"].as_str().unwrap().to_owned();
    open(client, &url).await.unwrap()
}

async fn open(client: &Client, url: &str) -> Result<Socket, Error> {
    let stream = TcpStream::connect(client.fake.address).await.unwrap();
    client_async(url, stream).await.map(|(socket, _)| socket)
}

async fn receive(socket: &mut Socket) -> Option<Frame> {
    match socket.next().await? {
        Ok(Message::Binary(bytes)) => Some(Frame::decode(&bytes).unwrap()),
        _ => None,
    }
}

async fn ack(socket: &mut Socket, frame: &Frame, payload: &Value) {
    let mut frame = Frame { payload: payload.to_string().into_bytes(), ..frame.clone() };
    frame.headers.push(("biz_rt".to_owned(), "-3".to_owned()));
    socket.send(Message::Binary(frame.encode().into())).await.unwrap();
}

fn ping(service: u64) -> Message {
    let headers = vec![("type".to_owned(), "ping".to_owned())];
    Message::Binary(Frame { service, method: CONTROL, headers, ..Frame::default() }.encode().into())
}

fn attempts(fake: &FakeFeishu, id: PushId) -> usize {
    fake.long_connection().delivery(id).unwrap().attempts.len()
}

#[test]
fn frames_are_read_as_written() {
    let headers = vec![("type".to_owned(), "event".to_owned()), ("empty".to_owned(), String::new())];
    let frame =
        Frame { sequence: 0, log: u64::MAX, service: 300, method: DATA, headers, payload: vec![0, 255, 128] };
    let bytes = frame.encode();
    assert_eq!(Frame::decode(&bytes), Ok(frame));
    for end in 0..bytes.len() {
        // Cut off where a field ends it is a shorter frame, elsewhere an error; never a panic.
        let _ = Frame::decode(&bytes[..end]);
    }
    for (bytes, expected) in [
        (&[8, 0, 16, 0, 24, 0, 32, 0][..], "ok"),
        (&[8, 0, 16, 0, 24, 0], "the required field 4 is missing"),
        (&[16, 0, 24, 0, 32, 0], "the required field 1 is missing"),
        (&[8], "a number is cut off"),
        (&[66, 5, 1], "a field is cut off"),
        (&[9, 0], "the wire type 1 is not used here"),
        (&[80, 0], "field 10 is unknown or has the wrong type"),
        (&[255; 11], "a number is too long"),
    ] {
        let found = Frame::decode(bytes).map_or_else(|error| error, |_| "ok".to_owned());
        assert_eq!(found, expected, "{bytes:?}");
    }
}

#[tokio::test]
async fn a_ticket_opens_one_connection() {
    let client = Client::new(still()).await;
    let answer = endpoint(&client, "fake-secret").await;
    assert_eq!(answer["data"]["ClientConfig"]["PingInterval"], json!(120));
    let url = answer["data"]["URL"].as_str().unwrap();
    assert!(url.contains("service_id=") && url.contains("device_id="), "{url}");
    let _socket = open(&client, url).await.unwrap();
    let Err(Error::Http(refused)) = open(&client, url).await else { panic!("a ticket was taken twice") };
    assert_eq!(refused.headers()["Handshake-Autherrcode"], "514");
    client.fake.long_connection().connected(1).await;
}

#[tokio::test]
async fn the_endpoint_refuses() {
    let client = Client::new(still()).await;
    assert_eq!(endpoint(&client, "wrong").await["code"], json!(514));
    assert_eq!(endpoint(&client, "").await["code"], json!(1_000_040_344));
    client.fake.long_connection().refuse_endpoint(Some(1_000_040_343));
    assert_eq!(endpoint(&client, "fake-secret").await["code"], json!(1_000_040_343));
    client.fake.long_connection().refuse_endpoint(None);
    let mut sockets = Vec::new();
    for _ in 0..50 {
        sockets.push(connect(&client).await);
    }
    client.fake.long_connection().connected(50).await;
    assert_eq!(endpoint(&client, "fake-secret").await["code"], json!(1_000_040_350));
}

#[tokio::test]
async fn pings_are_answered_or_not() {
    let client = Client::new(still()).await;
    let mut socket = connect(&client).await;
    for (pongs, has_config) in [(Pongs::WithConfig, true), (Pongs::Empty, false)] {
        client.fake.long_connection().set_pongs(pongs);
        socket.send(ping(7)).await.unwrap();
        let pong = receive(&mut socket).await.unwrap();
        assert_eq!((pong.method, pong.header("type")), (CONTROL, Some("pong")));
        assert_eq!(!pong.payload.is_empty(), has_config);
    }
    client.fake.long_connection().set_pongs(Pongs::Withheld);
    socket.send(ping(7)).await.unwrap();
    client.fake.until(|fake| fake.long_connection().pings() == 3).await;
    assert!(client.fake.long_connection().broken_rules().is_empty());
    socket.send(ping(0)).await.unwrap();
    client.fake.until(|fake| fake.long_connection().broken_rules().len() == 1).await;
}

#[tokio::test]
async fn an_event_is_cut_mixed_and_doubled() {
    let client = Client::new(still()).await;
    let mut socket = connect(&client).await;
    client.fake.long_connection().connected(1).await;
    let event = json!({"text": "some event"});
    for (push, expected) in [
        (Push::event(event.clone()), vec!["0"]),
        (Push::event(event.clone()).split(3), vec!["0", "1", "2"]),
        (Push::event(event.clone()).split(3).order(Order::Reversed), vec!["2", "1", "0"]),
        (Push::event(event.clone()).split(2).copies(2), vec!["0", "1", "0", "1"]),
    ] {
        client.fake.long_connection().push(push);
        let mut frames = Vec::new();
        for _ in 0..expected.len() {
            frames.push(receive(&mut socket).await.unwrap());
        }
        let seqs: Vec<&str> = frames.iter().filter_map(|frame| frame.header("seq")).collect();
        assert_eq!(seqs, expected);
        let ids: std::collections::BTreeSet<_> =
            frames.iter().map(|frame| frame.header("message_id")).collect();
        assert_eq!(ids.len(), 1);
        frames.sort_by_key(|frame| frame.header("seq").map(str::to_owned));
        frames.dedup_by_key(|frame| frame.header("seq").map(str::to_owned));
        let payload: Vec<u8> = frames.iter().flat_map(|frame| frame.payload.clone()).collect();
        assert_eq!(serde_json::from_slice::<Value>(&payload).unwrap(), event);
    }
}

#[tokio::test]
async fn an_ack_is_recorded_with_its_delay() {
    let client = Client::new(still()).await;
    let mut socket = connect(&client).await;
    let connection = client.fake.long_connection();
    connection.connected(1).await;
    let click = connection.click_event("om_1", "oc_main", "ou_user", &json!({"a": "perm"}));
    let id = connection.push(Push::card(click));
    let frame = receive(&mut socket).await.unwrap();
    assert_eq!(frame.header("type"), Some("card"));
    client.advance(2);
    // {"toast":1} in base64.
    ack(&mut socket, &frame, &json!({"code": 200, "headers": {}, "data": "eyJ0b2FzdCI6MX0="})).await;
    let recorded = connection.acked(id).await.unwrap();
    assert_eq!((recorded.code, recorded.delay), (200, Duration::from_secs(2)));
    assert_eq!(recorded.data, json!({"toast": 1}));
    assert!(connection.broken_rules().is_empty(), "{:?}", connection.broken_rules());
}

#[tokio::test]
async fn an_event_without_a_good_ack_comes_again() {
    let client = Client::new(still()).await;
    let mut socket = connect(&client).await;
    let connection = client.fake.long_connection();
    connection.connected(1).await;
    let (message, id) = connection.push_message("oc_main", "ou_user", "hi");
    let first = receive(&mut socket).await.unwrap();
    ack(&mut socket, &first, &json!({"code": 500})).await;
    assert_eq!(connection.acked(id).await.unwrap().code, 500);
    for (pause, count) in [(15, 2), (285, 3), (3300, 4), (18_000, 5)] {
        client.advance(pause);
        client.fake.until(|fake| attempts(fake, id) == count).await;
        let again = receive(&mut socket).await.unwrap();
        let event: Value = serde_json::from_slice(&again.payload).unwrap();
        assert_eq!(event["event"]["message"]["message_id"], json!(message));
    }
    client.advance(1_000_000);
    tokio::task::yield_now().await;
    assert_eq!(attempts(&client.fake, id), 5);
}

#[tokio::test]
async fn a_late_ack_does_not_count_and_a_good_one_ends_it() {
    let client = Client::new(still()).await;
    let mut socket = connect(&client).await;
    let connection = client.fake.long_connection();
    connection.connected(1).await;
    let id = connection.push(Push::event(json!({})));
    let first = receive(&mut socket).await.unwrap();
    client.advance(4);
    ack(&mut socket, &first, &json!({"code": 200})).await;
    assert!(!connection.acked(id).await.unwrap().is_good());
    client.advance(11);
    let again = receive(&mut socket).await.unwrap();
    ack(&mut socket, &again, &json!({"code": 200})).await;
    client.fake.until(|fake| fake.long_connection().delivery(id).unwrap().is_done()).await;
    client.advance(1_000_000);
    tokio::task::yield_now().await;
    assert_eq!(attempts(&client.fake, id), 2);
}

#[tokio::test]
async fn nobody_or_the_deaf_get_it_later() {
    let client = Client::new(still()).await;
    let connection = client.fake.long_connection();
    let id = connection.push(Push::event(json!({})));
    let mut socket = connect(&client).await;
    connection.connected(1).await;
    connection.set_hearing(Hearing::Deaf);
    client.advance(15);
    client.fake.until(|fake| attempts(fake, id) == 2).await;
    connection.set_hearing(Hearing::Good);
    client.advance(285);
    receive(&mut socket).await.unwrap();
    let connections = connection.delivery(id).unwrap().attempts.into_iter().map(|attempt| attempt.connection);
    assert_eq!(connections.collect::<Vec<_>>(), [None, None, Some(0)]);
}

#[tokio::test]
async fn connections_end_with_or_without_a_word() {
    let client = Client::new(still()).await;
    let connection = client.fake.long_connection();
    let mut socket = connect(&client).await;
    connection.connected(1).await;
    connection.close_connections();
    assert!(matches!(socket.next().await, Some(Ok(Message::Close(_)))));
    connection.connected(0).await;
    let mut socket = connect(&client).await;
    connection.connected(1).await;
    connection.drop_connections();
    assert!(matches!(socket.next().await, Some(Err(_)) | None));
    connection.connected(0).await;
    assert_eq!(connection.connected_ever(), 2);
}

#[tokio::test]
async fn what_breaks_the_protocol_is_named() {
    let client = Client::new(still()).await;
    let mut socket = connect(&client).await;
    let connection = client.fake.long_connection();
    connection.connected(1).await;
    connection.push(Push::event(json!({})));
    let frame = receive(&mut socket).await.unwrap();
    let without = |key: &str| {
        let mut frame = frame.clone();
        frame.headers.retain(|(found, _)| found != key);
        frame
    };
    let rows: Vec<(Frame, Value, &str)> = vec![
        (without("trace_id"), json!({"code": 200}), "trace_id"),
        (without("message_id"), json!({"code": 200}), "not pushed here"),
        (without("type"), json!({"code": 200}), "type None"),
        (frame.clone(), json!({"code": 0}), "with the code"),
        (frame.clone(), json!({"code": 200, "data": {"toast": 1}}), "base64"),
        (frame.clone(), json!({"code": 200, "data": "***="}), "base64"),
    ];
    for (frame, payload, expected) in rows {
        let before = connection.broken_rules().len();
        ack(&mut socket, &frame, &payload).await;
        client.fake.until(|fake| fake.long_connection().broken_rules().len() > before).await;
        let broken = connection.broken_rules();
        assert!(broken[before..].iter().any(|rule| rule.contains(expected)), "{expected}: {broken:?}");
    }
    socket.send(Message::Binary(vec![8, 0].into())).await.unwrap();
    client
        .fake
        .until(|fake| fake.long_connection().broken_rules().iter().any(|rule| rule.contains("required")))
        .await;
}
