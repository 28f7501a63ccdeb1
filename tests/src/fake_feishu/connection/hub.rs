//! Who is connected, what was pushed to whom, and when it is pushed again. No I/O: frames go into channels.
//!
//! Invariants
//! - A ticket opens one connection. At most 50 are open.
//! - An event goes to one connection, by chance. Without a good ack in time it goes out again after 15 s, 5 min, 1 h and
//!   6 h; a callback does not.
//! - A clock that jumps over several points of that plan repeats an event once a jump.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::frame::{CONTROL, DATA, Frame};
use super::push::{Ack, Attempt, Delivery, Push, PushId, from_base64, message_id};
use super::{Hearing, Pongs};
use crate::fake_feishu::faults::Dice;
use crate::fake_feishu::refusal::{Refusal, code};
use crate::fake_feishu::settings::ConnectionSettings;

/// The time within which an ack counts.
pub(super) const ACK_DEADLINE: Duration = Duration::from_secs(3);
/// When an event is pushed again, from its first push.
const REDELIVERY: [Duration; 4] =
    [Duration::from_secs(15), Duration::from_mins(5), Duration::from_hours(1), Duration::from_hours(6)];
/// Connections of one app.
const MAX_CONNECTIONS: usize = 50;
/// What the address of a connection names.
const SERVICE: u64 = 7;

/// What goes to a connection.
#[derive(Debug, Clone)]
pub(in super::super) enum Out {
    Frame(Vec<u8>),
    Close,
    Drop,
}

#[derive(Debug)]
struct Pushed {
    push: Push,
    delivery: Delivery,
    first: Duration,
}

/// The state.
#[derive(Debug)]
pub(in super::super) struct Hub {
    pub(super) pings: usize,
    pub(super) broken: Vec<String>,
    pub(super) pongs: Pongs,
    pub(super) hearing: Hearing,
    pub(super) refused: Option<Refusal>,
    pub(super) refused_handshake: Option<u32>,
    settings: ConnectionSettings,
    /// Where connections are made, as in `ws://127.0.0.1:1234/ws`.
    pub(in super::super) address: String,
    tickets: BTreeSet<String>,
    open: BTreeMap<usize, UnboundedSender<Out>>,
    ever: usize,
    pushed: Vec<Pushed>,
    sequence: u64,
    dice: Dice,
}

impl Hub {
    pub(in super::super) fn new(settings: ConnectionSettings) -> Self {
        Self {
            pings: 0,
            broken: Vec::new(),
            pongs: Pongs::default(),
            hearing: Hearing::default(),
            refused: None,
            refused_handshake: None,
            settings,
            address: String::new(),
            tickets: BTreeSet::new(),
            open: BTreeMap::new(),
            ever: 0,
            pushed: Vec::new(),
            sequence: 0,
            dice: Dice::new(0),
        }
    }

    pub(super) fn connections(&self) -> usize {
        self.open.len()
    }

    pub(super) fn connected_ever(&self) -> usize {
        self.ever
    }

    /// Gives out an address with a ticket.
    pub(in super::super) fn endpoint(&mut self, ticket: String) -> Result<Value, Refusal> {
        if let Some(refusal) = &self.refused {
            return Err(refusal.clone());
        }
        if self.open.len() >= MAX_CONNECTIONS {
            return Err(Refusal::new(code::CONNECTION_LIMIT, "the number of connections exceeded the limit"));
        }
        let url = format!("{}?device_id=1&service_id={SERVICE}&ticket={ticket}", self.address);
        self.tickets.insert(ticket);
        Ok(json!({"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": self.client_config()}}))
    }

    fn client_config(&self) -> Value {
        json!({
            "ReconnectCount": -1, "ReconnectInterval": self.settings.reconnect_interval,
            "ReconnectNonce": self.settings.reconnect_nonce, "PingInterval": self.settings.ping_interval,
        })
    }

    /// Takes a ticket; the error is a `Handshake-Autherrcode`.
    pub(super) fn handshake(&mut self, ticket: &str) -> Result<(), u32> {
        match self.refused_handshake {
            Some(code) => Err(code),
            None if self.open.len() >= MAX_CONNECTIONS => Err(code::CONNECTION_LIMIT),
            None if self.tickets.remove(ticket) => Ok(()),
            None => Err(code::CONNECTION_AUTH),
        }
    }

    pub(super) fn connect(&mut self, sender: UnboundedSender<Out>) -> usize {
        let number = self.ever;
        self.ever += 1;
        self.open.insert(number, sender);
        number
    }

    pub(super) fn disconnect(&mut self, connection: usize) {
        self.open.remove(&connection);
    }

    pub(super) fn end_all(&mut self, how: &Out) {
        for sender in self.open.values() {
            // One that has ended itself in the meantime needs no end.
            let _ = sender.send(how.clone());
        }
    }

    /// The platform is gone.
    pub(in super::super) fn stop(&mut self) {
        self.end_all(&Out::Drop);
    }

    pub(super) fn push(&mut self, push: Push, number: u64, now: Duration) -> PushId {
        let id = PushId(number);
        let delivery = Delivery { id, payload: push.payload.clone(), attempts: Vec::new() };
        self.pushed.push(Pushed { push, delivery, first: now });
        self.attempt(self.pushed.len() - 1, now);
        id
    }

    /// Sends a push to one connection.
    fn attempt(&mut self, place: usize, now: Duration) {
        let chosen = self.dice.roll(self.open.len() as u64) as usize;
        let connection = self.open.iter().nth(chosen).filter(|_| self.hearing == Hearing::Good);
        let Some(pushed) = self.pushed.get_mut(place) else { return };
        if let Some((_, sender)) = connection {
            for _ in 0..pushed.push.copies {
                let frames = pushed.push.frames(pushed.delivery.id, self.sequence, SERVICE, now.as_millis());
                self.sequence += frames.len() as u64;
                for frame in frames {
                    // A connection that is just ending loses what is sent to it, as a real one does.
                    let _ = sender.send(Out::Frame(frame.encode()));
                }
            }
        }
        let connection = connection.map(|(number, _)| *number);
        pushed.delivery.attempts.push(Attempt { at: now, connection, ack: None });
    }

    pub(super) fn delivery(&self, id: PushId) -> Option<Delivery> {
        self.pushed.iter().map(|pushed| &pushed.delivery).find(|delivery| delivery.id == id).cloned()
    }

    pub(super) fn deliveries(&self) -> Vec<Delivery> {
        self.pushed.iter().map(|pushed| pushed.delivery.clone()).collect()
    }

    /// When something is to be pushed again.
    pub(in super::super) fn next_due(&self) -> Option<Duration> {
        self.pushed.iter().filter_map(Pushed::due).min()
    }

    /// Pushes again what is due.
    pub(in super::super) fn redeliver(&mut self, now: Duration) {
        for place in 0..self.pushed.len() {
            if self.pushed[place].due().is_some_and(|due| due <= now) {
                self.attempt(place, now);
            }
        }
    }

    /// Takes a frame of a client; what is returned goes back to it.
    pub(super) fn receive(&mut self, connection: usize, bytes: &[u8], now: Duration) -> Option<Out> {
        let frame = match Frame::decode(bytes) {
            Ok(frame) => frame,
            Err(error) => {
                self.complain(connection, &error);
                return None;
            }
        };
        if frame.service != SERVICE {
            self.complain(connection, &format!("service {} is not that of the address", frame.service));
        }
        match (frame.method, frame.header("type")) {
            (CONTROL, Some("ping")) => {
                self.pings += 1;
                self.pong()
            }
            (DATA, Some("event" | "card")) => {
                self.ack(connection, &frame, now);
                None
            }
            (method, kind) => {
                self.complain(connection, &format!("a frame of method {method} and type {kind:?}"));
                None
            }
        }
    }

    fn complain(&mut self, connection: usize, what: &str) {
        self.broken.push(format!("connection {connection}: {what}"));
    }

    fn pong(&self) -> Option<Out> {
        let payload = match self.pongs {
            Pongs::WithConfig => self.client_config().to_string().into_bytes(),
            Pongs::Empty => Vec::new(),
            Pongs::Withheld => return None,
        };
        let headers = vec![("type".to_owned(), "pong".to_owned())];
        let frame = Frame { service: SERVICE, method: CONTROL, headers, payload, ..Frame::default() };
        Some(Out::Frame(frame.encode()))
    }

    fn ack(&mut self, connection: usize, frame: &Frame, now: Duration) {
        let id = frame.header("message_id").unwrap_or_default();
        let wrongs = wrongs_of_ack(frame);
        let found = self.pushed.iter_mut().find(|pushed| message_id(pushed.delivery.id) == id);
        let attempts = found.map(|pushed| &mut pushed.delivery.attempts);
        let attempt = attempts.and_then(|attempts| {
            attempts.iter_mut().rev().find(|attempt| attempt.connection == Some(connection))
        });
        match attempt {
            // Copies are acked one by one; the first ack counts.
            Some(attempt) if attempt.ack.is_none() => {
                let body: Value = serde_json::from_slice(&frame.payload).unwrap_or_default();
                let data = body.get("data").and_then(Value::as_str).and_then(from_base64);
                attempt.ack = Some(Ack {
                    delay: now.saturating_sub(attempt.at),
                    code: body.get("code").and_then(Value::as_i64).unwrap_or_default(),
                    data: data.and_then(|data| serde_json::from_slice(&data).ok()).unwrap_or_default(),
                });
            }
            Some(_) => {}
            None => self.complain(connection, &format!("an ack of `{id}`, which was not pushed here")),
        }
        for wrong in wrongs {
            self.complain(connection, &wrong);
        }
    }
}

impl Pushed {
    /// When it is pushed again, unless it is done.
    fn due(&self) -> Option<Duration> {
        let attempts = &self.delivery.attempts;
        if self.push.kind != "event" || self.delivery.is_done() {
            return None;
        }
        let planned = self.first + *REDELIVERY.get(attempts.len().checked_sub(1)?)?;
        // Not before the last attempt has had its time.
        Some(attempts.last().map_or(planned, |last| planned.max(last.at + ACK_DEADLINE)))
    }
}

/// What is wrong with an ack, whatever it acks.
fn wrongs_of_ack(frame: &Frame) -> Vec<String> {
    let mut wrongs = Vec::new();
    match serde_json::from_slice::<Value>(&frame.payload) {
        Ok(body) => {
            if !matches!(body.get("code").and_then(Value::as_i64), Some(200 | 500)) {
                wrongs.push(format!("an ack with the code {:?}", body.get("code")));
            }
            if let Some(data) = body.get("data") {
                let bytes = data.as_str().and_then(from_base64);
                let is_json = bytes
                    .is_some_and(|bytes| bytes.is_empty() || serde_json::from_slice::<Value>(&bytes).is_ok());
                if !is_json && !data.is_null() {
                    wrongs.push("an ack whose data is not base64 of JSON".to_owned());
                }
            }
        }
        Err(error) => wrongs.push(format!("an ack that is not JSON: {error}")),
    }
    for key in ["sum", "seq", "trace_id", "timestamp", "biz_rt"] {
        if frame.header(key).is_none() {
            wrongs.push(format!("an ack without the header {key}"));
        }
    }
    wrongs
}
