//! Opening the long connection: an address for each time, then an HTTP request that is upgraded to a WebSocket.
//!
//! The upgrade goes through the same HTTP client as everything else, so that certificates and proxies are the same.
//! Invariant: neither the secret nor the address (it holds a ticket) is in a log or an error.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{
    CONNECTION, CONTENT_TYPE, HeaderMap, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION,
    UPGRADE,
};
use secrecy::ExposeSecret as _;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::tungstenite::handshake::{client::generate_key, derive_accept_key};

use super::endpoint::{self, Endpoint, Failure};
use crate::platform::AppSettings;
use crate::platform::client::{Speaks, client};

/// Most bytes of the endpoint's answer that are read.
const ANSWER_MAX: usize = 64 * 1024;

/// Both directions of a connection.
pub(crate) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// What opens connections.
#[async_trait]
pub(crate) trait Dialer: Send + Sync {
    /// An address for one connection.
    async fn endpoint(&self) -> Result<Endpoint, Failure>;

    /// A connection on which the WebSocket handshake is done.
    async fn open(&self, endpoint: &Endpoint) -> Result<Box<dyn Io>, Failure>;
}

/// Opens connections to the platform.
#[derive(Debug)]
pub(crate) struct HttpDialer {
    settings: AppSettings,
}

impl HttpDialer {
    pub(crate) fn new(settings: AppSettings) -> Self {
        Self { settings }
    }

    async fn ask(&self) -> Result<Endpoint, Failure> {
        let base = self.settings.domain.base();
        let secret = self.settings.app_secret.expose_secret();
        let client = client(base, Speaks::Any, Some(self.settings.timeout)).map_err(failed)?;
        let body = json!({"AppID": self.settings.app_id, "AppSecret": secret});
        let request = client
            .post(format!("{base}/callback/ws/endpoint"))
            .header("locale", "zh")
            .header(CONTENT_TYPE, "application/json; charset=utf-8")
            .body(body.to_string());
        let mut response = request.send().await.map_err(|error| failed(error.without_url()))?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failed(error.without_url()))? {
            if body.len() + chunk.len() > ANSWER_MAX {
                return Err(Failure::Failed(
                    "the endpoint of the long connection answered too much".to_owned(),
                ));
            }
            body.extend_from_slice(&chunk);
        }
        tracing::debug!(status, bytes = body.len(), "endpoint of the long connection");
        endpoint::read(status, &body, secret)
    }

    async fn upgrade(&self, endpoint: &Endpoint) -> Result<Box<dyn Io>, Failure> {
        // `ws` is `http`, `wss` is `https`: the handshake is an HTTP request.
        let url = endpoint.url.expose_secret().replacen("ws", "http", 1);
        let client = client(&url, Speaks::Http1, None).map_err(failed)?;
        let key = generate_key();
        let request = client
            .get(url)
            .header(CONNECTION, "Upgrade")
            .header(UPGRADE, "websocket")
            .header(SEC_WEBSOCKET_VERSION, "13")
            .header(SEC_WEBSOCKET_KEY, &key);
        let response = request.send().await.map_err(|error| failed(error.without_url()))?;
        let status = response.status().as_u16();
        if status != 101 {
            let number =
                |name: &str| header(response.headers(), name).and_then(|text| text.trim().parse().ok());
            let said = header(response.headers(), "handshake-msg").unwrap_or_default();
            let said = endpoint::said(said, self.settings.app_secret.expose_secret());
            let (told, reason) = (number("handshake-status"), number("handshake-autherrcode"));
            return Err(endpoint::handshake(status, told, reason, &said));
        }
        let accepted = response.headers().get(SEC_WEBSOCKET_ACCEPT);
        if accepted.is_none_or(|accepted| accepted.as_bytes() != derive_accept_key(key.as_bytes()).as_bytes())
        {
            return Err(Failure::Failed("what answered is no WebSocket".to_owned()));
        }
        let stream = response.upgrade().await.map_err(|error| failed(error.without_url()))?;
        Ok(Box::new(stream))
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn failed(error: impl std::error::Error) -> Failure {
    let mut reason = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        reason = source.to_string();
        next = source.source();
    }
    let reason: String = reason.chars().take(200).collect();
    Failure::Failed(format!(
        "the platform cannot be reached ({reason}); check the network and the proxy (HTTPS_PROXY)"
    ))
}

async fn in_time<T>(limit: Duration, what: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::time::timeout(limit, what).await.unwrap_or_else(|_| {
        Err(Failure::Failed("the platform did not answer in time; check the network".to_owned()))
    })
}

#[async_trait]
impl Dialer for HttpDialer {
    async fn endpoint(&self) -> Result<Endpoint, Failure> {
        in_time(self.settings.timeout, self.ask()).await
    }

    async fn open(&self, endpoint: &Endpoint) -> Result<Box<dyn Io>, Failure> {
        in_time(self.settings.timeout, self.upgrade(endpoint)).await
    }
}
