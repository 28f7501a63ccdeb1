//! Serving a board to browsers of this machine.
//!
//! Invariants
//! - It listens on the loopback address only, and answers under the names of this machine only.
//! - Cards are told to those who have logged in. The page's style and script are the same for everybody.
//! - Nothing is written by a request but that a token is used; only `GET` is answered.
//! - Every answer carries the policy that nothing is loaded from elsewhere, run from within, framed or kept.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt as _;
use futures_util::stream;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::board::Board;
use crate::feed::Feed;
use crate::gate::{Gate, is_here};
use crate::pages::{self, Refusal};
use crate::words::Language;

/// How many pages may be live at once.
const MOST_FEEDS: usize = 32;
/// How long a quiet stream waits before it says that it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How soon a page asks again for a stream that broke.
const RETRY: Duration = Duration::from_secs(1);
/// How long the end waits for browsers that do not take what they are told.
const GRACE: Duration = Duration::from_secs(2);

/// What the page may do: look like itself and listen to its own server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// On every answer.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Why a board cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port cannot be listened on: somebody else does, or it needs rights.
    #[error("cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port that was asked for.
        port: u16,
        /// What the operating system says.
        source: io::Error,
    },
    /// The operating system has no chance to give, without which there is no secret.
    #[error("no random numbers from the operating system: {0}")]
    Chance(getrandom::Error),
}

/// A board that is being served. It ends with [`Server::stop`], or when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    gate: Arc<Gate>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

#[derive(Debug, Clone)]
struct Shared {
    board: Arc<Board>,
    gate: Arc<Gate>,
    address: SocketAddr,
    /// The cookie's name. Cookies do not tell ports apart.
    cookie: Arc<str>,
    feeds: Arc<Semaphore>,
    stop: watch::Receiver<bool>,
}

/// Serves a board on `127.0.0.1`. Port 0 is any that is free.
///
/// It needs a Tokio runtime with I/O and time. Nobody sees a card without the URL that [`Server::url`] gives.
pub async fn serve(port: u16, board: Arc<Board>) -> Result<Server, ServeError> {
    let failed = |source| ServeError::Listen { port, source };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let gate = Arc::new(Gate::default());
    // Better now than when somebody waits.
    gate.token().map_err(ServeError::Chance)?;
    let (stop, stopped) = watch::channel(false);
    let shared = Shared {
        board,
        gate: gate.clone(),
        address,
        cookie: format!("larkspan-{}", address.port()).into(),
        feeds: Arc::new(Semaphore::new(MOST_FEEDS)),
        stop: stopped.clone(),
    };
    let listener = listener.tap_io(|stream| {
        // Without it a small event may wait for the answer to the one before.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY");
        }
    });
    let mut until = stopped;
    let serving = axum::serve(listener, router(shared)).with_graceful_shutdown(async move {
        let _ = until.wait_for(|is_told| *is_told).await;
    });
    let task = tokio::spawn(async move {
        if let Err(error) = serving.await {
            tracing::warn!(%error, "the page is no longer served");
        }
    });
    Ok(Server { address, gate, stop, task })
}

impl Server {
    /// A URL that opens the page in one browser, once. Each call gives another; the eight newest are valid.
    pub fn url(&self) -> String {
        let token = self.gate.token().unwrap_or_default();
        format!("http://{}/login?token={token}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Tells the pages that this is the end, and waits until they know, two seconds at most.
    pub async fn stop(mut self) {
        let _ = self.stop.send(true);
        if tokio::time::timeout(GRACE, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
    }
}

fn router(shared: Shared) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/login", get(login))
        .route("/events", get(events))
        .route("/page.css", get(async || asset("text/css; charset=utf-8", pages::CSS)))
        .route("/page.js", get(async || asset("text/javascript; charset=utf-8", pages::JS)))
        .route("/icon.svg", get(async || asset("image/svg+xml", pages::ICON)))
        .fallback(async |headers: HeaderMap| refuse(StatusCode::NOT_FOUND, Refusal::Nothing, &headers))
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

/// Around every request: who is asked, what is asked, and what stands on the answer.
async fn guard(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let named = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let is_here = named.is_some_and(|host| is_here(host, shared.address))
        && request.uri().authority().is_none_or(|named| is_here(named.as_str(), shared.address));
    let mut response = if !is_here {
        refuse(StatusCode::MISDIRECTED_REQUEST, Refusal::Elsewhere, request.headers())
    } else if request.method() != Method::GET {
        (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET")]).into_response()
    } else {
        next.run(request).await
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn language(headers: &HeaderMap) -> Language {
    let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Language::of_accepted(accepted.unwrap_or_default())
}

fn refuse(status: StatusCode, why: Refusal, headers: &HeaderMap) -> Response {
    let page = pages::refusal(why, language(headers));
    (status, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

fn asset(kind: &'static str, body: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

fn is_known(shared: &Shared, headers: &HeaderMap) -> bool {
    let mut cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.any(|cookies| shared.gate.knows(&shared.cookie, cookies))
}

async fn page(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    if !is_known(&shared, &headers) {
        return refuse(StatusCode::UNAUTHORIZED, Refusal::Unknown, &headers);
    }
    let page = pages::board(language(&headers));
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

#[derive(Debug, Deserialize)]
struct Login {
    #[serde(default)]
    token: String,
}

async fn login(
    State(shared): State<Shared>,
    headers: HeaderMap,
    query: Result<Query<Login>, QueryRejection>,
) -> Response {
    // A browser that only looks ahead must not use the token up.
    if headers.contains_key("sec-purpose")
        || headers.get("purpose").is_some_and(|purpose| purpose == "prefetch")
    {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let token = query.map(|Query(Login { token })| token).unwrap_or_default();
    if let Some(secret) = shared.gate.enter(&token) {
        let cookie = format!("{}={secret}; Path=/; HttpOnly; SameSite=Strict", shared.cookie);
        return (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())])
            .into_response();
    }
    // Somebody who has logged in and goes back to the first URL is where they want to be.
    if is_known(&shared, &headers) {
        return (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
    }
    refuse(StatusCode::FORBIDDEN, Refusal::Used, &headers)
}

async fn events(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    if !is_known(&shared, &headers) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Ok(place) = shared.feeds.clone().try_acquire_owned() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let feed = Feed::new(shared.board.clone(), shared.stop.clone(), language(&headers));
    // The place is given back with the stream.
    let stream = stream::unfold((feed, place), async |(mut feed, place)| {
        let told = feed.next().await?;
        let event = Event::default().event(told.event).retry(RETRY).data(told.data);
        Some((Ok::<_, Infallible>(event), (feed, place)))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

#[cfg(test)]
mod tests;
