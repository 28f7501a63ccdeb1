//! The connection against a server in this process, on pipes and in paused time; once over TCP with the real handshake.

use std::collections::VecDeque;
use std::sync::Mutex;

use async_trait::async_trait;
use futures_util::{SinkExt as _, StreamExt as _};
use larkspan_core::ports::MockStateStore;
use larkspan_core::testing::{MemoryStore, TestClock};
use larkspan_core::time::Timestamp;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::dial::Io;
use super::endpoint::{Config, Endpoint};
use super::frame::{CONTROL, DATA, Frame, Header};
use super::*;

mod over_tcp;
mod waits;

const START: i64 = 1_800_000_000_000;
const PING: Duration = Duration::from_mins(1);

/// Opens pipes, and hands their other ends to the test. Failures that are queued come first.
struct Pipes {
    /// Bytes that a pipe holds.
    holds: usize,
    failures: Mutex<VecDeque<Failure>>,
    ends: Mutex<Option<mpsc::UnboundedSender<DuplexStream>>>,
    asked: Mutex<Vec<Instant>>,
}

#[async_trait]
impl Dialer for Pipes {
    async fn endpoint(&self) -> Result<Endpoint, Failure> {
        self.asked.lock().unwrap().push(Instant::now());
        match self.failures.lock().unwrap().pop_front() {
            Some(failure) => Err(failure),
            None => Ok(Endpoint {
                url: "ws://pipe".into(),
                service: 42,
                config: Config { ping: PING, reconnect: None },
            }),
        }
    }

    async fn open(&self, _: &Endpoint) -> Result<Box<dyn Io>, Failure> {
        let (ours, theirs) = tokio::io::duplex(self.holds);
        let ends = self.ends.lock().unwrap().clone().unwrap();
        ends.send(theirs).map_err(|_| Failure::Refused("the test is over".to_owned()))?;
        Ok(Box::new(ours))
    }
}

/// The platform's end of a connection.
struct Peer(WebSocketStream<DuplexStream>);

impl Peer {
    async fn frame(&mut self) -> Option<Frame> {
        loop {
            match self.0.next().await? {
                Ok(Message::Binary(bytes)) => return Some(Frame::read(&bytes).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    async fn send(&mut self, frame: &Frame) {
        self.0.send(Message::Binary(frame.write().into())).await.unwrap();
    }

    /// The next frame that is no ping; pings are answered.
    async fn answer(&mut self) -> Option<(Frame, Value)> {
        loop {
            let frame = self.frame().await?;
            if frame.method == CONTROL {
                // The connection may end at this very moment.
                let _ = self.0.send(Message::Binary(pong("").write().into())).await;
                continue;
            }
            let payload = serde_json::from_slice(frame.payload.as_deref().unwrap()).unwrap();
            return Some((frame, payload));
        }
    }

    /// The code that the next event is answered with.
    async fn code(&mut self) -> i64 {
        self.answer().await.unwrap().1["code"].as_i64().unwrap()
    }
}

struct Bench {
    pipes: Arc<Pipes>,
    ends: mpsc::UnboundedReceiver<DuplexStream>,
    events: mpsc::Receiver<Event>,
    state: watch::Receiver<ConnectionState>,
    clock: TestClock,
    running: JoinHandle<Result<(), ConnectionError>>,
}

fn start(
    store: Arc<dyn StateStore>,
    failures: Vec<Failure>,
    actions: Arc<dyn CardActions>,
    room: usize,
) -> Bench {
    let pipes = Pipes {
        holds: 64 * 1024,
        failures: Mutex::new(failures.into()),
        ends: Mutex::default(),
        asked: Mutex::default(),
    };
    start_over(pipes, store, actions, room)
}

fn start_over(pipes: Pipes, store: Arc<dyn StateStore>, actions: Arc<dyn CardActions>, room: usize) -> Bench {
    let pipes = Arc::new(pipes);
    let (give, ends) = mpsc::unbounded_channel();
    *pipes.ends.lock().unwrap() = Some(give);
    let clock = TestClock::at(Timestamp::from_millis(START));
    let connection = LongConnection::over(pipes.clone(), "cli_1".to_owned(), store, Arc::new(clock.clone()))
        .with_actions(actions);
    let state = connection.state();
    let (events_in, events) = mpsc::channel(room);
    let running = tokio::spawn(connection.run(events_in));
    Bench { pipes, ends, events, state, clock, running }
}

fn bench() -> Bench {
    start(Arc::new(MemoryStore::default()), Vec::new(), Arc::new(NoReply), 16)
}

impl Bench {
    async fn peer(&mut self) -> Peer {
        Peer(WebSocketStream::from_raw_socket(self.ends.recv().await.unwrap(), Role::Server, None).await)
    }
}

fn header(key: &str, value: &dyn ToString) -> Header {
    Header { key: key.to_owned(), value: value.to_string() }
}

fn pong(payload: &str) -> Frame {
    let payload = (!payload.is_empty()).then(|| payload.as_bytes().to_vec());
    Frame { method: CONTROL, headers: vec![header("type", &"pong")], payload, ..Frame::default() }
}

/// An event in `sum` frames.
fn frames(id: &str, event: &Value, sum: usize) -> Vec<Frame> {
    let bytes = event.to_string().into_bytes();
    let size = bytes.len().div_ceil(sum);
    let parts = bytes.chunks(size).enumerate().map(|(seq, part)| Frame {
        seq_id: 9,
        service: 42,
        method: DATA,
        headers: vec![
            header("type", &"event"),
            header("message_id", &id),
            header("sum", &sum),
            header("seq", &seq),
            header("trace_id", &"t1"),
        ],
        payload: Some(part.to_vec()),
        ..Frame::default()
    });
    parts.collect()
}

fn one(id: &str, event: &Value) -> Frame {
    frames(id, event, 1).remove(0)
}

fn said(message: &str, event: &str, created: i64) -> Value {
    json!({
        "header": {"event_type": "im.message.receive_v1", "event_id": event},
        "event": {"message": {
            "message_id": message, "chat_id": "oc_1", "chat_type": "p2p", "message_type": "text",
            "content": "{\"text\":\"hello\"}", "create_time": created.to_string(),
        }},
    })
}

fn click(event: &str) -> Value {
    json!({
        "header": {"event_type": "card.action.trigger", "event_id": event},
        "event": {"token": "c-1", "action": {"tag": "button", "value": {"request": event}}},
    })
}

fn message(event: Event) -> MessageReceived {
    let Event::Message(message) = event else { panic!("{event:?}") };
    *message
}

#[tokio::test(start_paused = true)]
async fn a_message_is_handed_on_and_then_acknowledged() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    let ping = peer.frame().await.unwrap();
    assert_eq!((ping.method, ping.service, ping.header("type")), (CONTROL, 42, "ping"));
    let sent = one("f1", &said("om_1", "ev1", START));
    peer.send(&sent).await;
    let (answer, payload) = peer.answer().await.unwrap();
    assert_eq!(payload, json!({"code": 200, "headers": {}}));
    assert_eq!((answer.seq_id, answer.method, answer.header("trace_id")), (9, DATA, "t1"));
    assert!(answer.header("biz_rt").parse::<u64>().is_ok());
    let message = message(bench.events.try_recv().unwrap());
    assert_eq!((message.message.as_str(), message.stale), ("om_1", false));
    assert_eq!(message.content, MessageContent::Text("hello".to_owned()));
    assert_eq!(*bench.state.borrow(), ConnectionState::Connected);
}

#[tokio::test(start_paused = true)]
async fn an_event_in_parts_is_taken_once_whatever_their_order() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    let parts = frames("f1", &said("om_1", "ev1", START), 4);
    for part in [3, 0, 0, 2, 3, 1] {
        peer.send(&parts[part]).await;
    }
    let (answer, payload) = peer.answer().await.unwrap();
    assert_eq!((answer.header("seq"), payload["code"].as_i64()), ("1", Some(200)));
    assert_eq!(message(bench.events.recv().await.unwrap()).message.as_str(), "om_1");
    assert!(bench.events.try_recv().is_err());
}

/// openclaw#… and botmux#328: old messages ran again after a restart or a repetition.
#[tokio::test(start_paused = true)]
async fn a_message_is_not_taken_again_after_repetitions_and_restarts() {
    let store = MemoryStore::default();
    for (restart, event) in ["ev1", "ev2", "ev3"].into_iter().enumerate() {
        let mut bench = start(Arc::new(store.clone()), Vec::new(), Arc::new(NoReply), 16);
        let mut peer = bench.peer().await;
        for _ in 0..3 {
            peer.send(&one("f", &said("om_1", event, START))).await;
            assert_eq!(peer.code().await, 200);
        }
        assert_eq!(bench.events.try_recv().is_ok(), restart == 0);
        assert!(bench.events.try_recv().is_err());
        bench.running.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn an_old_message_is_flagged_and_not_hidden() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    for (id, age_minutes, stale) in [("om_1", 9, false), ("om_2", 11, true), ("om_3", -5, false)] {
        peer.send(&one(id, &said(id, id, START - age_minutes * 60_000))).await;
        assert_eq!(peer.code().await, 200);
        assert_eq!(message(bench.events.recv().await.unwrap()).stale, stale, "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_claimed_or_read_is_asked_for_again() {
    let mut store = MockStateStore::new();
    store.expect_names().returning(|_| Ok(Vec::new()));
    let mut failures = 1;
    store.expect_put().returning(move |_, _| {
        failures -= 1;
        if failures >= 0 { Err(StoreError::InUse("disk".to_owned())) } else { Ok(()) }
    });
    let mut bench = start(Arc::new(store), Vec::new(), Arc::new(NoReply), 16);
    let mut peer = bench.peer().await;
    peer.send(&one("f1", &said("om_1", "ev1", START))).await;
    assert_eq!(peer.code().await, 500);
    assert!(bench.events.try_recv().is_err());
    peer.send(&one("f2", &said("om_1", "ev1", START))).await;
    assert_eq!(peer.code().await, 200);
    assert!(bench.events.try_recv().is_ok());
    peer.send(&Frame { payload: Some(b"not json".to_vec()), ..one("f3", &json!({})) }).await;
    assert_eq!(peer.code().await, 500);
}

#[tokio::test(start_paused = true)]
async fn without_room_an_event_is_asked_for_again_in_time() {
    let mut bench = start(Arc::new(MemoryStore::default()), Vec::new(), Arc::new(NoReply), 1);
    let mut peer = bench.peer().await;
    peer.send(&one("f1", &said("om_1", "ev1", START))).await;
    assert_eq!(peer.code().await, 200);
    let sent = Instant::now();
    peer.send(&one("f2", &said("om_2", "ev2", START))).await;
    peer.send(&one("f3", &said("om_3", "ev3", START))).await;
    assert_eq!((peer.code().await, peer.code().await), (500, 500));
    assert!(sent.elapsed() < Duration::from_secs(3), "{:?}", sent.elapsed());
    // Its repetition is taken when there is room.
    assert!(bench.events.try_recv().is_ok());
    peer.send(&one("f4", &said("om_2", "ev2", START))).await;
    assert_eq!(peer.code().await, 200);
}

/// Answers the first click with a toast, hangs on the second, panics on the third.
#[derive(Default)]
struct Moods(Mutex<u32>);

#[async_trait]
impl CardActions for Moods {
    async fn answer(&self, _: &CardAction) -> ActionReply {
        let mood = {
            let mut count = self.0.lock().unwrap();
            *count += 1;
            *count
        };
        match mood {
            1 => {
                let toast = Toast { kind: ToastKind::Info, text: "working".to_owned() };
                ActionReply { toast: Some(toast), card: None }
            }
            2 => std::future::pending().await,
            _ => panic!("the third click"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_click_is_answered_at_once_whatever_the_answerer_does() {
    let mut bench = start(Arc::new(MemoryStore::default()), Vec::new(), Arc::new(Moods::default()), 16);
    let mut peer = bench.peer().await;
    // base64 of {"toast":{"content":"working","type":"info"}}, {}, and of the repetition's {}.
    let toast = "eyJ0b2FzdCI6eyJjb250ZW50Ijoid29ya2luZyIsInR5cGUiOiJpbmZvIn19";
    for (event, code, data) in [
        ("ev1", 200, json!(toast)),
        ("ev2", 200, json!("e30=")),
        ("ev3", 500, Value::Null),
        ("ev1", 200, json!("e30=")),
    ] {
        let sent = Instant::now();
        peer.send(&one(event, &click(event))).await;
        let (_, payload) = peer.answer().await.unwrap();
        assert_eq!((payload["code"].as_i64(), &payload["data"]), (Some(code), &data), "{event}");
        assert!(sent.elapsed() < Duration::from_millis(2500), "{event}: {:?}", sent.elapsed());
    }
    for event in ["ev1", "ev2", "ev3"] {
        let Event::Action(action) = bench.events.try_recv().unwrap() else { panic!("{event}") };
        assert_eq!(action.value, json!({"request": event}));
    }
    assert!(bench.events.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_slow_click_does_not_hold_up_messages() {
    let moods = Moods(Mutex::new(1));
    let mut bench = start(Arc::new(MemoryStore::default()), Vec::new(), Arc::new(moods), 16);
    let mut peer = bench.peer().await;
    peer.send(&one("c", &click("ev1"))).await;
    peer.send(&one("f", &said("om_1", "ev2", START))).await;
    let (first, _) = peer.answer().await.unwrap();
    let (second, _) = peer.answer().await.unwrap();
    assert_eq!((first.header("message_id"), second.header("message_id")), ("f", "c"));
}

/// The top report of outages: the connection looks alive and brings nothing.
#[tokio::test(start_paused = true)]
async fn withheld_pongs_make_a_new_connection() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    let began = Instant::now();
    let mut pings = 0;
    while let Some(frame) = peer.frame().await {
        assert_eq!(frame.header("type"), "ping");
        pings += 1;
    }
    assert_eq!((pings, began.elapsed().as_secs()), (3, 150), "2.5 intervals");
    let mut next = bench.peer().await;
    assert!(began.elapsed() <= Duration::from_secs(152));
    next.send(&one("f1", &said("om_1", "ev1", START))).await;
    assert_eq!(next.code().await, 200);
}

#[tokio::test(start_paused = true)]
async fn empty_pongs_keep_it_and_pongs_change_the_interval() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    let began = Instant::now();
    for seconds in [0, 60, 120, 180, 240] {
        assert_eq!(peer.frame().await.unwrap().header("type"), "ping");
        assert_eq!(began.elapsed().as_secs(), seconds);
        peer.send(&pong("")).await;
    }
    peer.send(&pong(r#"{"PingInterval":10}"#)).await;
    for seconds in [250, 260, 270] {
        assert_eq!(peer.frame().await.unwrap().header("type"), "ping");
        assert_eq!(began.elapsed().as_secs(), seconds);
        peer.send(&pong("null")).await;
    }
    assert!(bench.ends.try_recv().is_err(), "one connection");
}

#[tokio::test(start_paused = true)]
async fn answered_pings_without_any_event_make_a_new_connection_after_an_hour() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    let began = Instant::now();
    assert!(peer.answer().await.is_none(), "nothing but pings");
    assert_eq!(began.elapsed().as_secs() / 60, 60);
    let _next = bench.peer().await;
    assert_eq!(began.elapsed().as_secs() / 60, 60, "at once");
}

#[tokio::test(start_paused = true)]
async fn after_a_sleep_the_connection_is_made_anew_at_once() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    assert_eq!(peer.frame().await.unwrap().header("type"), "ping");
    bench.clock.advance(Duration::from_hours(1));
    let began = Instant::now();
    assert!(peer.frame().await.is_none());
    let _next = bench.peer().await;
    assert!(began.elapsed() <= Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn an_hour_of_refusals_does_not_end_it() {
    let refusals = vec![Failure::Failed("down".to_owned()); 40];
    let mut bench = start(Arc::new(MemoryStore::default()), refusals, Arc::new(NoReply), 16);
    let began = Instant::now();
    let mut peer = bench.peer().await;
    assert!(began.elapsed() > Duration::from_mins(30));
    let asked = bench.pipes.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 41, "an address for each attempt");
    let waits: Vec<_> = asked.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(waits.iter().all(|wait| *wait <= Duration::from_millis(120_001)), "{waits:?}");
    assert!(waits[0] <= Duration::from_millis(1001) && waits[39] >= Duration::from_mins(1), "{waits:?}");
    peer.send(&one("f1", &said("om_1", "ev1", START))).await;
    assert_eq!(peer.code().await, 200);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_connection_is_made_again_with_a_new_address() {
    let mut bench = bench();
    for round in 1..=3 {
        let mut peer = bench.peer().await;
        assert_eq!(peer.frame().await.unwrap().header("type"), "ping");
        assert_eq!(bench.pipes.asked.lock().unwrap().len(), round);
        if round == 2 {
            peer.0.close(None).await.unwrap();
        }
        drop(peer);
        bench.state.wait_for(|state| matches!(state, ConnectionState::Waiting { .. })).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_final_refusal_ends_it_and_too_many_connections_wait_long() {
    let refused = endpoint::refusal(514, "auth");
    let busy = endpoint::refusal(1_000_040_350, "many");
    let began = Instant::now();
    let bench = start(Arc::new(MemoryStore::default()), vec![busy, refused], Arc::new(NoReply), 16);
    let error = bench.running.await.unwrap().unwrap_err();
    assert_eq!(began.elapsed().as_secs(), 300);
    assert!(error.to_string().contains("514") && error.to_string().contains("check"), "{error}");
    assert!(matches!(&*bench.state.borrow(), ConnectionState::Stopped { why } if *why == error.to_string()));
}

#[tokio::test(start_paused = true)]
async fn it_ends_when_nobody_listens() {
    let mut bench = bench();
    let _peer = bench.peer().await;
    drop(bench.events);
    bench.running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn nonsense_on_the_connection_is_survived() {
    let mut bench = bench();
    let mut peer = bench.peer().await;
    peer.0.send(Message::Binary(vec![0xff; 40].into())).await.unwrap();
    peer.0.send(Message::Text("hello".into())).await.unwrap();
    peer.send(&Frame { method: 7, ..Frame::default() }).await;
    let mut bad = one("f0", &json!({}));
    bad.headers = vec![header("sum", &3), header("seq", &9)];
    peer.send(&bad).await;
    peer.send(&one("f1", &said("om_1", "ev1", START))).await;
    assert_eq!(peer.code().await, 200);
}
