//! The frames of the long connection: protobuf 2, written by hand so that what is missing is noticed.
//!
//! Facts: `Header {1 key, 2 value}`; `Frame {1 SeqID, 2 LogID, 3 service, 4 method, 5 headers*, 6 payload_encoding,
//! 7 payload_type, 8 payload, 9 LogIDNew}`; fields 1 to 4 are required, also when they are 0.

/// Pings, pongs.
pub(in super::super) const CONTROL: u64 = 0;
/// Events, callbacks, acks.
pub(in super::super) const DATA: u64 = 1;

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in super::super) struct Frame {
    pub(in super::super) sequence: u64,
    pub(in super::super) log: u64,
    pub(in super::super) service: u64,
    pub(in super::super) method: u64,
    pub(in super::super) headers: Vec<(String, String)>,
    pub(in super::super) payload: Vec<u8>,
}

impl Frame {
    /// The first header with this key.
    pub(in super::super) fn header(&self, key: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }

    pub(in super::super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (field, value) in [(1, self.sequence), (2, self.log), (3, self.service), (4, self.method)] {
            write_varint(&mut bytes, field << 3);
            write_varint(&mut bytes, value);
        }
        for (key, value) in &self.headers {
            let mut header = Vec::new();
            write_bytes(&mut header, 1, key.as_bytes());
            write_bytes(&mut header, 2, value.as_bytes());
            write_bytes(&mut bytes, 5, &header);
        }
        if !self.payload.is_empty() {
            write_bytes(&mut bytes, 8, &self.payload);
        }
        bytes
    }

    /// Reads a frame; the error says what is wrong with it.
    pub(in super::super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut frame = Self::default();
        let mut seen = [false; 5];
        for (field, value) in fields(bytes)? {
            match (field, value) {
                (1..=4, Field::Number(number)) => {
                    let place = match field {
                        1 => &mut frame.sequence,
                        2 => &mut frame.log,
                        3 => &mut frame.service,
                        _ => &mut frame.method,
                    };
                    *place = number;
                    seen[field as usize] = true;
                }
                (5, Field::Bytes(header)) => frame.headers.push(read_header(header)?),
                (6 | 7 | 9, Field::Bytes(_)) => {}
                (8, Field::Bytes(payload)) => frame.payload = payload.to_vec(),
                (field, _) => return Err(format!("field {field} is unknown or has the wrong type")),
            }
        }
        match seen.iter().skip(1).position(|seen| !seen) {
            Some(missing) => Err(format!("the required field {} is missing", missing + 1)),
            None => Ok(frame),
        }
    }
}

fn read_header(bytes: &[u8]) -> Result<(String, String), String> {
    let (mut key, mut value) = (None, None);
    for (field, content) in fields(bytes)? {
        let Field::Bytes(text) = content else { return Err("a header's field is a number".to_owned()) };
        let text = String::from_utf8(text.to_vec()).map_err(|_| "a header is not UTF-8".to_owned())?;
        match field {
            1 => key = Some(text),
            2 => value = Some(text),
            _ => return Err(format!("a header has the field {field}")),
        }
    }
    key.zip(value).ok_or_else(|| "a header lacks its key or its value".to_owned())
}

enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, Field<'_>)>, String> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = read_varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Field::Number(read_varint(&mut bytes)?),
            2 => {
                let length = usize::try_from(read_varint(&mut bytes)?).unwrap_or(usize::MAX);
                let (content, rest) = bytes.split_at_checked(length).ok_or("a field is cut off")?;
                bytes = rest;
                Field::Bytes(content)
            }
            other => return Err(format!("the wire type {other} is not used here")),
        };
        fields.push((key >> 3, value));
    }
    Ok(fields)
}

fn write_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value as u8) | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn write_bytes(bytes: &mut Vec<u8>, field: u64, content: &[u8]) {
    write_varint(bytes, field << 3 | 2);
    write_varint(bytes, content.len() as u64);
    bytes.extend_from_slice(content);
}

fn read_varint(bytes: &mut &[u8]) -> Result<u64, String> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().ok_or("a number is cut off")?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("a number is too long".to_owned())
}
