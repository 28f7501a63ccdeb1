//! The HTTP side of the model: routes, recording, streaming.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use futures_util::stream;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::Shared;
use super::play::{Call, Play, calls};
use super::request::ModelRequest;
use super::script::{Beat, End, Ready, Stream};
use super::sse::Frames;

/// Bodies carry whole histories with images; a real proxy allows as much.
const BODY_LIMIT: usize = 64 * 1024 * 1024;

/// Serves for ever.
pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let app = axum::Router::new()
        .route("/v1/responses", post(respond))
        .fallback(unexpected)
        .method_not_allowed_fallback(unexpected)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(shared);
    // Without it a delta waits for the peer's delayed acknowledgement (40 ms on Linux).
    let listener = listener.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    let _ = axum::serve(listener, app).await;
}

async fn respond(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers: BTreeMap<String, String> =
        headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect();
    let played = match serde_json::from_slice(&body) {
        Ok(body) => shared.lock().play(ModelRequest { conversation: String::new(), step: 0, headers, body }),
        Err(error) => {
            let broken = vec![format!("the body is not JSON: {error}")];
            shared.lock().complain(&broken);
            Err(broken)
        }
    };
    shared.count.send_modify(|count| *count += 1);
    match played {
        Ok(play) => send(shared, play).await,
        Err(broken) => refuse(&broken),
    }
}

async fn unexpected(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) -> Response {
    let broken = vec![format!("{method} {uri} is no route of the model")];
    shared.lock().complain(&broken);
    refuse(&broken)
}

/// The status that Codex does not retry, and a text that it shows as it is.
fn refuse(broken: &[String]) -> Response {
    let sentence = format!("The scripted model refuses: {}.", broken.join("; "));
    (StatusCode::BAD_REQUEST, [(header::CONTENT_TYPE, "text/plain")], sentence).into_response()
}

/// A piece of the stream. The last one of a complete answer brings the calls that the client now has to answer.
struct Piece {
    bytes: Bytes,
    calls: Vec<Call>,
}

impl From<String> for Piece {
    fn from(frames: String) -> Self {
        Self { bytes: frames.into(), calls: Vec::new() }
    }
}

async fn send(shared: Arc<Shared>, play: Play) -> Response {
    let Play { answer, hold, conversation, place, number } = play;
    if let Some(gate) = hold {
        gate.pass().await;
    }
    let stream = match answer {
        Ready::Stream(stream) => stream,
        Ready::Http { status, content_type, body } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            return (status, [(header::CONTENT_TYPE, content_type)], body).into_response();
        }
    };
    let (sender, mut receiver) = mpsc::channel::<Piece>(1);
    tokio::spawn(async move {
        tokio::select! {
            _ = write_stream(stream, &place, number, &sender) => {}
            // The client went away, perhaps while the model stood at a gate.
            () = sender.closed() => {}
        }
    });
    let pieces = stream::poll_fn(move |context| {
        receiver.poll_recv(context).map(|piece| {
            let Piece { bytes, calls } = piece?;
            // Not when it is written but when it is taken: nobody owes anything for an answer that they dropped.
            if !calls.is_empty() {
                shared.lock().owe(conversation, calls);
            }
            Some(Ok::<_, Infallible>(bytes))
        })
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces)).into_response()
}

/// Writes the whole answer; `None` when the client has gone.
async fn write_stream(
    stream: Stream,
    place: &str,
    number: usize,
    sender: &mpsc::Sender<Piece>,
) -> Option<()> {
    let mut frames = Frames::new(format!("resp_{place}"));
    sender.send(frames.begin().into()).await.ok()?;
    for item in &stream.items {
        match &item.0 {
            Beat::Output(value) => sender.send(frames.item(value).into()).await.ok()?,
            Beat::Pause(gate) => gate.pass().await,
        }
    }
    match stream.end {
        End::Cut => Some(()),
        End::Failed { code, message } => sender.send(frames.fail(&code, &message).into()).await.ok(),
        End::Completed => {
            let calls = calls(&stream.items);
            sender.send(Piece { bytes: frames.complete(number).into(), calls }).await.ok()
        }
    }
}
