//! What is pushed, how it is cut and mixed up on its way, and what is known of it afterwards.

use std::time::Duration;

use serde_json::Value;

use super::frame::{DATA, Frame};

/// Which push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PushId(pub(super) u64);

/// In which order the frames of a push come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As they were cut.
    Kept,
    /// The last first.
    Reversed,
}

/// An event or a callback to be pushed.
#[derive(Debug, Clone)]
pub struct Push {
    pub(super) kind: &'static str,
    pub(super) payload: Value,
    frames: usize,
    order: Order,
    pub(super) copies: usize,
}

impl Push {
    /// An event: pushed again when it is not acked.
    pub fn event(payload: Value) -> Self {
        Self { kind: "event", payload, frames: 1, order: Order::Kept, copies: 1 }
    }

    /// A click on a card: pushed once.
    pub fn card(payload: Value) -> Self {
        Self { kind: "card", ..Self::event(payload) }
    }

    /// Cut into so many frames.
    #[must_use]
    pub fn split(mut self, frames: usize) -> Self {
        self.frames = frames.max(1);
        self
    }

    /// In this order.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// So many times in a row, each a whole one.
    #[must_use]
    pub fn copies(mut self, copies: usize) -> Self {
        self.copies = copies.max(1);
        self
    }

    /// The frames of one copy.
    pub(super) fn frames(&self, id: PushId, sequence: u64, service: u64, unix_millis: u128) -> Vec<Frame> {
        let payload = self.payload.to_string().into_bytes();
        let length = payload.len().div_ceil(self.frames).max(1);
        let pieces: Vec<&[u8]> = payload.chunks(length).collect();
        let sum = pieces.len().to_string();
        let frames = pieces.iter().enumerate().map(|(seq, piece)| Frame {
            sequence: sequence + seq as u64,
            log: id.0,
            service,
            method: DATA,
            headers: [
                ("type", self.kind.to_owned()),
                ("message_id", message_id(id)),
                ("sum", sum.clone()),
                ("seq", seq.to_string()),
                ("trace_id", format!("trace_{}", id.0)),
                ("timestamp", unix_millis.to_string()),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .to_vec(),
            payload: piece.to_vec(),
        });
        let mut frames: Vec<Frame> = frames.collect();
        if self.order == Order::Reversed {
            frames.reverse();
        }
        frames
    }
}

/// The header `message_id` of a push's frames.
pub(super) fn message_id(id: PushId) -> String {
    format!("push_{}", id.0)
}

/// A push and what became of it.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Which.
    pub id: PushId,
    /// What was pushed.
    pub payload: Value,
    /// The first time and every repetition.
    pub attempts: Vec<Attempt>,
}

impl Delivery {
    /// Whether an attempt was acked with 200 in time.
    pub fn is_done(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.ack.as_ref().is_some_and(Ack::is_good))
    }
}

/// One time that a push was sent.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// When.
    pub at: Duration,
    /// To the how-manieth connection, from 0; `None` when nobody was connected or the connection is deaf.
    pub connection: Option<usize>,
    /// The client's answer.
    pub ack: Option<Ack>,
}

/// A client's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Ack {
    /// From the push to the ack.
    pub delay: Duration,
    /// 200 or 500.
    pub code: i64,
    /// What `data` held, out of its base64; null without any.
    pub data: Value,
}

impl Ack {
    /// Whether the platform takes it as handled.
    pub fn is_good(&self) -> bool {
        self.code == 200 && self.delay <= super::hub::ACK_DEADLINE
    }
}

/// Base64 with padding, as the SDKs write it; `None` when it is none.
pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    for group in text.as_bytes().chunks(4) {
        let padding = group.iter().rev().take_while(|c| **c == b'=').count();
        let mut bits = 0_u32;
        for c in group.iter().take(4 - padding) {
            let value = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        bits <<= 6 * padding as u32;
        bytes.extend(bits.to_be_bytes().into_iter().skip(1).take(3_usize.checked_sub(padding)?));
    }
    Some(bytes)
}
