//! The two messages of the long connection (protobuf), and what is read from and written into them. No I/O.
//!
//! Facts (official SDKs): `Header {1 key, 2 value}`, `Frame {1 SeqID, 2 LogID, 3 service, 4 method, 5 headers,
//! 6 payload_encoding, 7 payload_type, 8 payload, 9 LogIDNew}`; the required members are written even when they are 0.
//! Invariant: an acknowledgement is the frame that it answers, with another payload and one header more.

use prost::Message as _;
use serde_json::{Value, json};

/// A name and its value.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(crate) struct Header {
    #[prost(string, required, tag = "1")]
    pub(crate) key: String,
    #[prost(string, required, tag = "2")]
    pub(crate) value: String,
}

/// What both sides send, each as one binary WebSocket message.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(crate) struct Frame {
    #[prost(uint64, required, tag = "1")]
    pub(crate) seq_id: u64,
    #[prost(uint64, required, tag = "2")]
    pub(crate) log_id: u64,
    #[prost(int32, required, tag = "3")]
    pub(crate) service: i32,
    #[prost(int32, required, tag = "4")]
    pub(crate) method: i32,
    #[prost(message, repeated, tag = "5")]
    pub(crate) headers: Vec<Header>,
    #[prost(string, optional, tag = "6")]
    pub(crate) payload_encoding: Option<String>,
    #[prost(string, optional, tag = "7")]
    pub(crate) payload_type: Option<String>,
    #[prost(bytes = "vec", optional, tag = "8")]
    pub(crate) payload: Option<Vec<u8>>,
    #[prost(string, optional, tag = "9")]
    pub(crate) log_id_new: Option<String>,
}

/// `method` of a frame that keeps the connection.
pub(crate) const CONTROL: i32 = 0;
/// `method` of a frame that carries an event.
pub(crate) const DATA: i32 = 1;

/// What an event is answered with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// It is taken.
    Taken,
    /// It is taken, and this is what a callback answers with.
    Answer(Value),
    /// It could not be taken: it is to be sent again.
    Failed,
}

impl Frame {
    /// Reads a frame.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, prost::DecodeError> {
        Self::decode(bytes)
    }

    /// The frame as bytes.
    pub(crate) fn write(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    /// The value of a header; empty when there is none.
    pub(crate) fn header(&self, key: &str) -> &str {
        self.headers.iter().find(|header| header.key == key).map_or("", |header| header.value.as_str())
    }

    /// What keeps the connection.
    pub(crate) fn ping(service: i32) -> Self {
        let ping = Header { key: "type".to_owned(), value: "ping".to_owned() };
        Self { service, method: CONTROL, headers: vec![ping], ..Self::default() }
    }

    /// Which part of how many this is: 0 of 1 where the frame does not say. `None` when what it says cannot be.
    pub(crate) fn part(&self) -> Option<(usize, usize)> {
        let number = |key: &str, absent: usize| match self.header(key) {
            "" => Some(absent),
            text => text.parse::<usize>().ok(),
        };
        match (number("seq", 0)?, number("sum", 1)?) {
            // One part is one part, whatever its number.
            (_, 0 | 1) => Some((0, 1)),
            (seq, sum) => (seq < sum).then_some((seq, sum)),
        }
    }

    /// The answer to this frame, `millis` after it came.
    pub(crate) fn acknowledge(mut self, reply: &Reply, millis: u64) -> Self {
        let payload = match reply {
            Reply::Taken => json!({"code": 200, "headers": {}}),
            Reply::Answer(answer) => {
                json!({"code": 200, "headers": {}, "data": base64(answer.to_string().as_bytes())})
            }
            Reply::Failed => json!({"code": 500, "headers": {}}),
        };
        self.payload = Some(payload.to_string().into_bytes());
        self.headers.push(Header { key: "biz_rt".to_owned(), value: millis.to_string() });
        self
    }
}

/// Standard base64 with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| (group << 8) | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS.get((group >> (18 - 6 * place)) as usize & 63).copied().unwrap_or(b'=');
            out.push(if place > chunk.len() { '=' } else { digit.into() });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn base64_is_the_standard_one() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"{}", "e30="),
            (&[255, 254, 253, 0], "//79AA=="),
        ] {
            assert_eq!(base64(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn required_members_are_written_even_when_they_are_zero() {
        // Tags 1 to 4 with the value 0, then the header: type=ping.
        let expected = b"\x08\x00\x10\x00\x18\x07\x20\x00\x2a\x0c\x0a\x04type\x12\x04ping";
        assert_eq!(Frame::ping(7).write(), expected);
    }

    #[test]
    fn parts_are_read() {
        for (seq, sum, expected) in [
            ("", "", Some((0, 1))),
            ("0", "1", Some((0, 1))),
            ("5", "1", Some((0, 1))),
            ("0", "0", Some((0, 1))),
            ("0", "2", Some((0, 2))),
            ("1", "2", Some((1, 2))),
            ("2", "2", None),
            ("-1", "2", None),
            ("x", "2", None),
            ("0", "-2", None),
        ] {
            let header = |key: &str, value: &str| Header { key: key.to_owned(), value: value.to_owned() };
            let frame = Frame { headers: vec![header("seq", seq), header("sum", sum)], ..Frame::default() };
            assert_eq!(frame.part(), expected, "{seq} of {sum}");
        }
    }

    #[test]
    fn an_acknowledgement_keeps_the_frame_and_says_what_came_of_it() {
        let trace = Header { key: "trace_id".to_owned(), value: "t".to_owned() };
        let frame = Frame {
            seq_id: 5,
            log_id: 6,
            service: 7,
            method: DATA,
            headers: vec![trace],
            payload_type: Some("json".to_owned()),
            payload: Some(b"event".to_vec()),
            log_id_new: Some("l".to_owned()),
            payload_encoding: None,
        };
        for (reply, payload) in [
            (Reply::Taken, r#"{"code":200,"headers":{}}"#),
            (Reply::Answer(json!({})), r#"{"code":200,"data":"e30=","headers":{}}"#),
            (Reply::Failed, r#"{"code":500,"headers":{}}"#),
        ] {
            let mut expected = frame.clone();
            expected.payload = Some(payload.as_bytes().to_vec());
            expected.headers.push(Header { key: "biz_rt".to_owned(), value: "12".to_owned() });
            assert_eq!(frame.clone().acknowledge(&reply, 12), expected);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_frame_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(frame) = Frame::read(&bytes) {
                let _ = frame.part();
                prop_assert_eq!(Frame::read(&frame.write()).unwrap(), frame);
            }
        }
    }
}
