//! One request to the platform and its answer: sending, bounds, what a failure on the way means, what is logged.
//!
//! Invariants: nothing is logged but the endpoint, status, code, milliseconds and byte counts; no error shows a secret.

use std::error::Error as _;
use std::time::Instant;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::answer::{self, Answer, Outcome};
use super::{PlatformError, Rejection};

/// Most bytes of an answer that are read. No answer that Larkspan asks for comes near it.
const ANSWER_MAX: usize = 1024 * 1024;

/// An endpoint of the platform.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Endpoint {
    /// The method.
    pub(crate) method: Verb,
    /// The path below the base address; `:id` stands for an id of the call, in order.
    pub(crate) path: &'static str,
    /// What it does, for errors: `creating the card`.
    pub(crate) doing: &'static str,
}

/// An HTTP method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }
}

/// What a call carries.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Nothing.
    Empty,
    /// JSON, serialised.
    Json(Vec<u8>),
    /// An image for messages.
    Image(Vec<u8>),
}

impl Body {
    pub(crate) fn json(value: &Value) -> Self {
        Self::Json(value.to_string().into_bytes())
    }

    fn len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Json(bytes) | Self::Image(bytes) => bytes.len(),
        }
    }
}

/// A call: an endpoint with everything that is filled in.
#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    pub(crate) endpoint: &'static Endpoint,
    /// For each `:id` of the path.
    pub(crate) ids: &'a [&'a str],
    /// `?name=value`.
    pub(crate) query: Option<(&'static str, &'static str)>,
    pub(crate) body: Body,
}

/// Makes a call once. `secrets` are left out of errors.
pub(crate) async fn send(
    client: &Client,
    base: &str,
    call: &Call<'_>,
    token: Option<&SecretString>,
    secrets: &[&str],
) -> Outcome {
    let began = Instant::now();
    let sent = attempt(client, base, call, token).await;
    let bytes_in = sent.as_ref().map_or(0, |answer| answer.body.len());
    let status = sent.as_ref().map_or(0, |answer| answer.status);
    let outcome = match sent {
        Ok(answer) => answer::read(&answer, call.endpoint.doing, secrets),
        Err(error) => Outcome { code: None, result: Err(error) },
    };
    tracing::debug!(
        endpoint = call.endpoint.path,
        status,
        code = outcome.code,
        ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        bytes_out = call.body.len(),
        bytes_in,
        "platform call"
    );
    outcome
}

async fn attempt(
    client: &Client,
    base: &str,
    call: &Call<'_>,
    token: Option<&SecretString>,
) -> Result<Answer, PlatformError> {
    let doing = call.endpoint.doing;
    let mut request = client.request(call.endpoint.method.method(), url(base, call)?);
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, bearer(token)?);
    }
    request = match &call.body {
        Body::Empty => request,
        Body::Json(bytes) => {
            request.header(CONTENT_TYPE, "application/json; charset=utf-8").body(bytes.clone())
        }
        Body::Image(bytes) => {
            let image = reqwest::multipart::Part::bytes(bytes.clone()).file_name("image");
            request
                .multipart(reqwest::multipart::Form::new().text("image_type", "message").part("image", image))
        }
    };
    let mut response = request.send().await.map_err(|error| failed(doing, error))?;
    let header = |headers: &HeaderMap, name: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let headers = response.headers();
    let reset = header(headers, "x-ogw-ratelimit-reset").or_else(|| header(headers, "retry-after"));
    let log_id = header(headers, "x-tt-logid");
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| cut(doing, error))? {
        if body.len() + chunk.len() > ANSWER_MAX {
            return Err(PlatformError::Unknown {
                context: format!("{doing}: the answer is larger than {ANSWER_MAX} bytes (HTTP {status})"),
                source: None,
            });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, reset, log_id, body })
}

/// The address of a call. Ids are encoded: they cannot lead to another path.
fn url(base: &str, call: &Call<'_>) -> Result<Url, PlatformError> {
    let wrong = |what: &str| PlatformError::Rejected {
        rejection: Rejection::Defect,
        code: 0,
        context: format!("{}: {what}", call.endpoint.doing),
    };
    let mut url =
        Url::parse(base).map_err(|_| wrong("the domain is no address; check the setting `domain`"))?;
    let mut ids = call.ids.iter();
    {
        let mut segments = url.path_segments_mut().map_err(|()| wrong("the domain is no address"))?;
        segments.pop_if_empty();
        for segment in call.endpoint.path.split('/') {
            if segment == ":id" {
                // `.` and `..` would be taken out of the path, whatever the encoding.
                let id = ids.next().filter(|id| !matches!(**id, "" | "." | ".."));
                segments.push(id.ok_or_else(|| wrong("an id is missing"))?);
            } else {
                segments.push(segment);
            }
        }
    }
    if let Some((name, value)) = call.query {
        url.query_pairs_mut().append_pair(name, value);
    }
    Ok(url)
}

fn bearer(token: &SecretString) -> Result<HeaderValue, PlatformError> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret())).map_err(|_| {
        PlatformError::Unknown {
            context: "the platform gave a token that no header can hold".to_owned(),
            source: None,
        }
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// A request that got no answer. Only while the connection is made it is sure that nothing was applied.
fn failed(doing: &str, error: reqwest::Error) -> PlatformError {
    let error = error.without_url();
    if error.is_connect() || error.is_builder() {
        let reason = innermost(&error);
        PlatformError::Unreachable {
            context: format!(
                "{doing}: the platform cannot be reached ({reason}); check the network, the proxy (HTTPS_PROXY) and \
                 the setting `domain`"
            ),
            source: Some(Box::new(error)),
        }
    } else if error.is_timeout() {
        PlatformError::Unknown {
            context: format!("{doing}: no answer in time"),
            source: Some(Box::new(error)),
        }
    } else {
        cut(doing, error)
    }
}

fn cut(doing: &str, error: reqwest::Error) -> PlatformError {
    let error = error.without_url();
    PlatformError::Unknown {
        context: format!(
            "{doing}: the connection was lost before the answer was complete ({})",
            innermost(&error)
        ),
        source: Some(Box::new(error)),
    }
}

/// The reason at the bottom of a chain of errors, which says most.
fn innermost(error: &reqwest::Error) -> String {
    let mut reason = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        reason = source.to_string();
        next = source.source();
    }
    reason.chars().take(200).collect()
}
