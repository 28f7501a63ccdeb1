//! Points in time. Core never reads a clock: a time comes from a record or from the [`Clock`](crate::ports::Clock) port.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Milliseconds since the Unix epoch, UTC. Serialised as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The time from `earlier` to this, or zero if this is before it.
    pub fn since(self, earlier: Self) -> std::time::Duration {
        std::time::Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// The text is no RFC 3339 time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an RFC 3339 time: {0:?}")]
pub struct TimestampError(String);

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let time: jiff::Timestamp =
            text.parse().map_err(|_| TimestampError(text.chars().take(40).collect()))?;
        Ok(Self(time.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            // Beyond the calendar's range: still a number a person can look at.
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Serialises an optional [`std::time::Duration`] as milliseconds with a fraction (`duration_ms`).
pub(crate) mod duration_ms {
    use std::time::Duration;

    use serde::Serializer;

    #[expect(clippy::ref_option, reason = "the signature serde calls")]
    pub(crate) fn serialize<S: Serializer>(value: &Option<Duration>, s: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(duration) => s.serialize_f64((duration.as_secs_f64() * 1e6).round() / 1e3),
            None => s.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_rfc3339() {
        for (text, printed) in [
            ("2026-11-30T17:20:10.460Z", "2026-11-30T17:20:10.460Z"),
            ("2026-11-30T17:20:10Z", "2026-11-30T17:20:10.000Z"),
            ("2026-11-30T18:20:10.5+01:00", "2026-11-30T17:20:10.500Z"),
        ] {
            assert_eq!(text.parse::<Timestamp>().map(|t| t.to_string()), Ok(printed.to_owned()));
        }
        for bad in ["", "yesterday", "2026-13-01T00:00:00Z"] {
            assert!(bad.parse::<Timestamp>().is_err(), "{bad}");
        }
    }

    #[test]
    fn out_of_range_still_prints() {
        assert_eq!(Timestamp::from_millis(i64::MAX).to_string(), format!("{}ms", i64::MAX));
    }
}
