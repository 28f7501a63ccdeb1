//! The WebSocket of the long connection, and the task that pushes again what is due.

use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use tokio::sync::mpsc;

use super::hub::Out;
use crate::fake_feishu::{Shared, http};

pub(in super::super) async fn upgrade(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
    upgrade: WebSocketUpgrade,
) -> Response {
    let query = http::query(query.as_deref().unwrap_or_default());
    let ticket = query.get("ticket").map(String::as_str).unwrap_or_default();
    match shared.lock().hub.handshake(ticket) {
        Ok(()) => {}
        Err(code) => {
            let mut response = StatusCode::FORBIDDEN.into_response();
            let headers = response.headers_mut();
            headers.insert("Handshake-Status", HeaderValue::from_static("514"));
            headers.insert("Handshake-Msg", HeaderValue::from_static("auth failed"));
            headers.insert("Handshake-Autherrcode", HeaderValue::from(code));
            return response;
        }
    }
    upgrade.on_upgrade(move |socket| serve(shared, socket))
}

async fn serve(shared: Arc<Shared>, mut socket: WebSocket) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let connection = shared.lock().hub.connect(sender);
    shared.changed();
    loop {
        let out = tokio::select! {
            out = receiver.recv() => match out {
                Some(out) => out,
                None => break,
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Binary(bytes))) => {
                    let now = shared.clock.now();
                    let reply = shared.lock().hub.receive(connection, &bytes, now);
                    shared.changed();
                    match reply {
                        Some(out) => out,
                        None => continue,
                    }
                }
                Some(Ok(Message::Text(_) | Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            },
        };
        match out {
            Out::Frame(bytes) => {
                if socket.send(Message::Binary(bytes.into())).await.is_err() {
                    break;
                }
            }
            Out::Close => {
                // A peer that is gone already has its connection closed, too.
                let _ = socket.send(Message::Close(None)).await;
                break;
            }
            Out::Drop => break,
        }
    }
    shared.lock().hub.disconnect(connection);
    drop(socket);
    shared.changed();
}

/// Pushes again, for ever.
pub(in super::super) async fn redeliver(shared: Arc<Shared>) {
    let mut changes = shared.changes.subscribe();
    loop {
        let due = shared.lock().hub.next_due();
        let wait = async {
            match due {
                Some(due) => shared.clock.sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = wait => {
                let now = shared.clock.now();
                shared.lock().hub.redeliver(now);
                shared.changed();
            }
            moved = changes.changed() => {
                if moved.is_err() {
                    return;
                }
            }
        }
    }
}
