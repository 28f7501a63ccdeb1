//! The HTTP side: requests in, faults, answers out; and connections that can be made to break.
//!
//! Invariant: every request is in the journal once it is answered, or once it is certain that it never will be.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{future, io};

use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request as HttpRequest, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::{IncomingStream, Listener};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use super::Shared;
use super::connection::socket;
use super::endpoint::{Endpoint, Route};
use super::faults::Fault;
use super::journal::Call;
use super::platform::{Moment, Request};
use super::refusal::Refusal;
use super::settings::ErrorForm;

/// More than any upload that the platform takes.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Serves for ever.
pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let stopped = Arc::clone(&shared.stopped);
    let app = axum::Router::new()
        .route("/", get(page))
        .route("/ws", get(socket::upgrade))
        .fallback(answer)
        .with_state(shared);
    let _ = axum::serve(Lines { listener, stopped }, app.into_make_service_with_connect_info::<Line>()).await;
}

/// Accepts connections that can be broken.
struct Lines {
    listener: TcpListener,
    /// All of them are, from then on.
    stopped: Arc<AtomicBool>,
}

/// A connection.
struct Wire {
    stream: TcpStream,
    line: Line,
}

/// The end of a connection that the handler of a request holds.
#[derive(Debug, Clone)]
struct Line {
    is_cut: Arc<AtomicBool>,
    stopped: Arc<AtomicBool>,
}

impl Line {
    /// From now on nothing is written; what waits to be written closes it.
    fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }

    fn check(&self) -> io::Result<()> {
        if self.is_cut.load(Ordering::SeqCst) || self.stopped.load(Ordering::SeqCst) {
            Err(io::ErrorKind::ConnectionReset.into())
        } else {
            Ok(())
        }
    }
}

impl Listener for Lines {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Without it an answer waits for the peer's delayed acknowledgement (40 ms on Linux).
        let _ = stream.set_nodelay(true);
        let line = Line { is_cut: Arc::default(), stopped: Arc::clone(&self.stopped) };
        (Wire { stream, line }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Connected<IncomingStream<'_, Lines>> for Line {
    fn connect_info(stream: IncomingStream<'_, Lines>) -> Self {
        stream.io().line.clone()
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.line.check()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// For a person: the cards as they are.
async fn page(State(shared): State<Arc<Shared>>) -> Response {
    let now = shared.clock.now();
    let cards: BTreeMap<String, Value> =
        shared.lock().cards.iter().map(|(id, card)| (id.clone(), card.json(now))).collect();
    let text = serde_json::to_string_pretty(&cards).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json; charset=utf-8")], text).into_response()
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(line): ConnectInfo<Line>,
    request: HttpRequest,
) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, BODY_LIMIT).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let path = head.uri.path();
    let route = Route::of(&head.method, path);
    let request = Request {
        query: query(head.uri.query().unwrap_or_default()),
        authorization: text_of(&head.headers, &header::AUTHORIZATION),
        content_type: text_of(&head.headers, &header::CONTENT_TYPE).unwrap_or_default(),
        json: serde_json::from_slice(&body).ok(),
        body,
    };
    let call = call_of(&request, route.as_ref(), format!("{} {path}", head.method), shared.clock.now());
    let Some(route) = route else {
        answered(&shared, &call, Some(StatusCode::NOT_FOUND), None);
        return (StatusCode::NOT_FOUND, "404 page not found").into_response();
    };
    // In a task of its own: what came in is worked on also when the client has gone.
    match tokio::spawn(work(shared, line, route, request, call)).await {
        Ok(Some(response)) => response,
        Ok(None) => future::pending().await,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Does what a call asks for; `None` when it is never answered.
async fn work(
    shared: Arc<Shared>,
    line: Line,
    route: Route,
    request: Request,
    mut call: Call,
) -> Option<Response> {
    let fault = shared.lock().arrive(&route);
    shared.changed();
    call.fault = fault.as_ref().map(|fault| format!("{fault:?}"));
    if let Some(fault) = &fault {
        match before(&shared, fault, &line, &call).await {
            Early::GoesOn => {}
            Early::Silence => return None,
            Early::Answer(response) => return Some(response),
        }
    }
    let result = {
        let mut platform = shared.lock();
        let now = shared.clock.now();
        call.app = platform.app_of(&request, now).ok().map(|app| app.id.clone());
        let moment = Moment { now, unix_millis: shared.clock.unix_millis(now) };
        platform.answer(&route, &request, moment)
    };
    call.applied = result.is_ok();
    let form = shared.lock().settings.toggles.errors;
    // The long connection's endpoint tells its errors with HTTP 200.
    let form = if route.endpoint == Endpoint::ConnectionEndpoint { ErrorForm::Ok } else { form };
    let answer = Answer::of(result, form);
    after(&shared, fault, &line, call, answer).await
}

/// What is sent unless something goes wrong.
struct Answer {
    status: StatusCode,
    code: u32,
    reset: Option<u64>,
    text: String,
}

impl Answer {
    fn of(result: Result<Value, Refusal>, form: ErrorForm) -> Self {
        match result {
            Ok(body) => Self { status: StatusCode::OK, code: 0, reset: None, text: body.to_string() },
            Err(refusal) => {
                let status = match (refusal.reset, form) {
                    (Some(_), _) => StatusCode::TOO_MANY_REQUESTS,
                    (None, ErrorForm::BadRequest) => StatusCode::BAD_REQUEST,
                    (None, ErrorForm::Ok) => StatusCode::OK,
                };
                Self { status, code: refusal.code, reset: refusal.reset, text: refusal.body().to_string() }
            }
        }
    }

    fn response(self) -> Response {
        let mut response = json_response(self.status, self.text);
        if let Some(reset) = self.reset {
            let headers = response.headers_mut();
            headers.insert(HeaderName::from_static("x-ogw-ratelimit-limit"), 50.into());
            headers.insert(HeaderName::from_static("x-ogw-ratelimit-reset"), reset.into());
        }
        response
    }
}

fn json_response(status: StatusCode, text: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json; charset=utf-8")], text).into_response()
}

/// What a fault does to a call before anything is applied.
enum Early {
    GoesOn,
    Silence,
    Answer(Response),
}

async fn before(shared: &Shared, fault: &Fault, line: &Line, call: &Call) -> Early {
    let (response, code) = match fault {
        Fault::Delay(time) => {
            shared.clock.sleep_until(shared.clock.now() + *time).await;
            return Early::GoesOn;
        }
        Fault::RevokeTokens => {
            shared.lock().revoke_tokens();
            return Early::GoesOn;
        }
        Fault::DelayAnswer(_)
        | Fault::DropAfter
        | Fault::SilenceAfter
        | Fault::StatusAfter(_)
        | Fault::TruncatedJson => return Early::GoesOn,
        Fault::DropBefore => return Early::Answer(broken(shared, line, call)),
        Fault::SilenceBefore => {
            answered(shared, call, None, None);
            return Early::Silence;
        }
        Fault::Status(status) => (gateway(*status), None),
        Fault::Html(status) => {
            let page = "<html><head><title>Bad gateway</title></head><body>nginx</body></html>";
            let html = [(header::CONTENT_TYPE, "text/html")];
            ((status_of(*status), html, page).into_response(), None)
        }
        Fault::RateLimited(reset) => refused(Refusal::rate(*reset), ErrorForm::BadRequest),
        Fault::Refused(code, form) => refused(Refusal::new(*code, "injected"), *form),
    };
    answered(shared, call, Some(response.status()), code);
    Early::Answer(response)
}

/// The faults that hit what was applied, and the answer.
async fn after(
    shared: &Shared,
    fault: Option<Fault>,
    line: &Line,
    call: Call,
    answer: Answer,
) -> Option<Response> {
    let code = Some(answer.code);
    let status = answer.status;
    let (response, code) = match fault {
        Some(Fault::DelayAnswer(time)) => {
            shared.changed();
            shared.clock.sleep_until(shared.clock.now() + time).await;
            (answer.response(), code)
        }
        Some(Fault::DropAfter) => return Some(broken(shared, line, &call)),
        Some(Fault::SilenceAfter) => {
            answered(shared, &call, None, None);
            return None;
        }
        Some(Fault::StatusAfter(status)) => (gateway(status), None),
        Some(Fault::TruncatedJson) => {
            let half: String = answer.text.chars().take(answer.text.chars().count() / 2).collect();
            (json_response(status, half), None)
        }
        Some(
            Fault::Delay(_)
            | Fault::RevokeTokens
            | Fault::DropBefore
            | Fault::SilenceBefore
            | Fault::Status(_)
            | Fault::Html(_)
            | Fault::RateLimited(_)
            | Fault::Refused(..),
        )
        | None => (answer.response(), code),
    };
    answered(shared, &call, Some(response.status()), code);
    Some(response)
}

fn refused(refusal: Refusal, form: ErrorForm) -> (Response, Option<u32>) {
    let code = refusal.code;
    (Answer::of(Err(refusal), form).response(), Some(code))
}

fn gateway(status: u16) -> Response {
    (status_of(status), "upstream request failed").into_response()
}

fn status_of(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// No answer: what is returned is never written.
fn broken(shared: &Shared, line: &Line, call: &Call) -> Response {
    line.cut();
    answered(shared, call, None, None);
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

fn answered(shared: &Shared, call: &Call, status: Option<StatusCode>, code: Option<u32>) {
    let answered_at = shared.clock.now();
    shared.record(Call { status: status.map(|status| status.as_u16()), code, answered_at, ..call.clone() });
}

fn call_of(request: &Request, route: Option<&Route>, target: String, at: Duration) -> Call {
    let endpoint = route.map(|route| route.endpoint);
    let is_secret = matches!(endpoint, Some(Endpoint::Token | Endpoint::ConnectionEndpoint));
    let body = request.json.clone().filter(|_| !is_secret).unwrap_or_default();
    Call {
        endpoint,
        target,
        app: None,
        card: route.and_then(|route| route.card.clone()),
        element: route.and_then(|route| route.element.clone()),
        message: route.and_then(|route| route.message.clone()),
        sequence: body.get("sequence").and_then(Value::as_i64),
        uuid: body.get("uuid").and_then(Value::as_str).map(str::to_owned),
        bytes: request.body.len(),
        body,
        at,
        answered_at: at,
        status: None,
        code: None,
        applied: false,
        fault: None,
    }
}

fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// The parameters of a query; the platform's own need no decoding.
pub(super) fn query(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
