//! Where to connect: the answer of the endpoint that gives an address with a ticket, and what the platform asks of the
//! connection. No I/O.
//!
//! Source: official SDKs. The address holds a ticket: it is used once, and never logged.

use std::time::Duration;

use secrecy::SecretString;
use serde::Deserialize;

/// Between two pings, until the platform says otherwise.
const PING_DEFAULT: Duration = Duration::from_mins(2);

/// Bounds of the interval that the platform may ask for.
const PING_BOUNDS: (Duration, Duration) = (Duration::from_secs(5), Duration::from_mins(10));

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// It will not help to try again.
    #[error("{0}")]
    Refused(String),
    /// It may help, in a good while.
    #[error("{0}")]
    TooMany(String),
    /// It may help soon.
    #[error("{0}")]
    Failed(String),
}

/// Where to connect, once.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    /// `wss://…?device_id=…&service_id=…` with a ticket.
    pub(crate) url: SecretString,
    /// What pings name.
    pub(crate) service: i32,
    /// What the platform asks for.
    pub(crate) config: Config,
}

/// What the platform asks for (`ClientConfig`), as far as it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Config {
    /// Between two pings.
    pub(crate) ping: Duration,
    /// The longest wait before connecting again, if it says one.
    pub(crate) reconnect: Option<Duration>,
}

impl Default for Config {
    fn default() -> Self {
        Self { ping: PING_DEFAULT, reconnect: None }
    }
}

#[derive(Debug, Default, Deserialize)]
struct WireConfig {
    #[serde(rename = "PingInterval")]
    ping: Option<i64>,
    #[serde(rename = "ReconnectInterval")]
    reconnect: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct Wire {
    code: i64,
    #[serde(default)]
    msg: Option<String>,
    #[serde(default)]
    data: Option<Data>,
}

#[derive(Debug, Deserialize)]
struct Data {
    #[serde(rename = "URL")]
    url: String,
    #[serde(rename = "ClientConfig", default)]
    config: Option<WireConfig>,
}

impl Config {
    fn of(wire: &WireConfig) -> Self {
        let seconds = |number: Option<i64>| {
            number
                .and_then(|number| u64::try_from(number).ok())
                .filter(|number| *number > 0)
                .map(Duration::from_secs)
        };
        Self {
            ping: seconds(wire.ping).unwrap_or(PING_DEFAULT).clamp(PING_BOUNDS.0, PING_BOUNDS.1),
            reconnect: seconds(wire.reconnect),
        }
    }

    /// The configuration in a pong; `None` when it has none.
    pub(crate) fn in_pong(payload: &[u8]) -> Option<Self> {
        serde_json::from_slice::<WireConfig>(payload).ok().map(|wire| Self::of(&wire))
    }
}

/// Reads the endpoint's answer. `secret` is left out of what is repeated.
pub(crate) fn read(status: u16, body: &[u8], secret: &str) -> Result<Endpoint, Failure> {
    let unreadable = |what: &str| {
        Failure::Failed(format!(
            "the platform gave no address for the long connection: {what} (HTTP {status})"
        ))
    };
    let wire: Wire = serde_json::from_slice(body).map_err(|_| unreadable("its answer cannot be read"))?;
    if wire.code != 0 {
        return Err(refusal(wire.code, &said(wire.msg.as_deref().unwrap_or_default(), secret)));
    }
    let data = wire.data.ok_or_else(|| unreadable("its answer is empty"))?;
    let url = reqwest::Url::parse(&data.url).ok().filter(|url| matches!(url.scheme(), "ws" | "wss"));
    let url = url.ok_or_else(|| unreadable("what it gave is no address of a WebSocket"))?;
    let service = url.query_pairs().find(|(name, _)| name == "service_id");
    let service = service.and_then(|(_, value)| value.parse().ok()).unwrap_or_default();
    let config = data.config.as_ref().map(Config::of).unwrap_or_default();
    Ok(Endpoint { url: String::from(url).into(), service, config })
}

/// The platform's own words, as far as they are repeated.
pub(crate) fn said(text: &str, secret: &str) -> String {
    let text = if secret.is_empty() { text.to_owned() } else { text.replace(secret, "…") };
    text.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// What a code of the endpoint, or of a refused upgrade, means.
pub(crate) fn refusal(code: i64, said: &str) -> Failure {
    match code {
        403 => Failure::Refused(format!(
            "the platform forbids the long connection (403, “{said}”): it is for self-built apps (企业自建应用) with a \
             published version; in the console, choose 使用长连接接收事件 under 事件与回调 (Events & Callbacks)"
        )),
        514 => Failure::Refused(format!(
            "the platform does not take the app id and secret for the long connection (514, “{said}”): check both under \
             凭证与基础信息 (Credentials & Basic Info), and the domain (feishu or lark)"
        )),
        1_000_040_344 => Failure::Refused(format!(
            "the platform knows no such credentials for the long connection (1000040344, “{said}”): check the app id \
             and the app secret under 凭证与基础信息 (Credentials & Basic Info)"
        )),
        1_000_040_350 => Failure::TooMany(format!(
            "the app has as many long connections as it may have, 50 (1000040350, “{said}”): end other programs that \
             run with this app"
        )),
        1 => Failure::Failed(format!("the platform is busy (1, “{said}”)")),
        1_000_040_343 => Failure::Failed(format!("the platform failed (1000040343, “{said}”)")),
        code => Failure::Failed(format!("the platform refused the long connection ({code}, “{said}”)")),
    }
}

/// What a refused upgrade means, by its headers `Handshake-Status`, `Handshake-Msg` and `Handshake-Autherrcode`.
pub(crate) fn handshake(http: u16, status: Option<i64>, reason: Option<i64>, said: &str) -> Failure {
    match (status, reason) {
        (_, Some(reason @ 1_000_040_350)) => refusal(reason, said),
        (Some(403), _) => refusal(403, said),
        // The ticket may be too old: the next address has a new one. Wrong credentials are told by the endpoint.
        (Some(514), _) => Failure::Failed(format!("the platform did not take the ticket (514, “{said}”)")),
        (Some(status), _) => {
            Failure::Failed(format!("the platform refused the connection ({status}, “{said}”)"))
        }
        (None, _) => Failure::Failed(format!(
            "no WebSocket can be opened: HTTP {http}; a proxy on the way may not let it through"
        )),
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn an_address_is_read_and_not_shown() {
        let body = r#"{"code":0,"msg":"","data":{"URL":"wss://host/ws?device_id=d&service_id=42&ticket=hush","ClientConfig":{"ReconnectCount":-1,"ReconnectInterval":90,"ReconnectNonce":30,"PingInterval":60}}}"#;
        let endpoint = read(200, body.as_bytes(), "s").unwrap();
        assert!(endpoint.url.expose_secret().ends_with("ticket=hush"));
        assert!(!format!("{endpoint:?}").contains("hush"));
        assert_eq!(endpoint.service, 42);
        let expected = Config { ping: Duration::from_mins(1), reconnect: Some(Duration::from_secs(90)) };
        assert_eq!(endpoint.config, expected);
    }

    #[test]
    fn configurations_are_within_bounds() {
        for (text, expected) in [
            ("{}", Some((120, None))),
            (r#"{"PingInterval":30,"ReconnectInterval":0}"#, Some((30, None))),
            (r#"{"PingInterval":0}"#, Some((120, None))),
            (r#"{"PingInterval":-5}"#, Some((120, None))),
            (r#"{"PingInterval":1}"#, Some((5, None))),
            (r#"{"PingInterval":99999,"ReconnectInterval":99}"#, Some((600, Some(99)))),
            ("", None),
            ("pong", None),
        ] {
            let config = Config::in_pong(text.as_bytes());
            let expected = expected.map(|(ping, reconnect)| Config {
                ping: Duration::from_secs(ping),
                reconnect: reconnect.map(Duration::from_secs),
            });
            assert_eq!(config, expected, "{text}");
        }
    }

    #[test]
    fn refusals_stop_wait_long_or_are_tried_again() {
        let kind = |error: Failure| match error {
            Failure::Refused(_) => "stop",
            Failure::TooMany(_) => "long",
            Failure::Failed(_) => "again",
        };
        for (status, body, expected) in [
            (200, r#"{"code":403,"msg":"forbidden"}"#, "stop"),
            (400, r#"{"code":514,"msg":"auth"}"#, "stop"),
            (200, r#"{"code":1000040344,"msg":""}"#, "stop"),
            (200, r#"{"code":1000040350,"msg":""}"#, "long"),
            (200, r#"{"code":1000040343,"msg":""}"#, "again"),
            (200, r#"{"code":1,"msg":"busy"}"#, "again"),
            (200, r#"{"code":7,"msg":null}"#, "again"),
            (200, r#"{"code":0}"#, "again"),
            (200, r#"{"code":0,"data":{"URL":"https://host"}}"#, "again"),
            (502, "<html>", "again"),
        ] {
            assert_eq!(kind(read(status, body.as_bytes(), "s").unwrap_err()), expected, "{body}");
        }
        for (status, reason, expected) in [
            (Some(403), None, "stop"),
            (Some(514), Some(1_000_040_350), "long"),
            (Some(514), Some(1_000_040_341), "again"),
            (Some(500), None, "again"),
            (None, None, "again"),
        ] {
            assert_eq!(kind(handshake(400, status, reason, "")), expected, "{status:?} {reason:?}");
        }
    }

    #[test]
    fn the_secret_is_not_repeated() {
        let error = read(200, br#"{"code":514,"msg":"bad secret hunter2"}"#, "hunter2").unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
