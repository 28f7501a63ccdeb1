//! Over TCP, as a browser does it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{MOST_FEEDS, Server, serve};
use crate::board::{Board, Card};

async fn connect(address: SocketAddr, path: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let host = if headers.contains("Host:") { String::new() } else { format!("Host: {address}\r\n") };
    stream
        .write_all(format!("GET {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n").as_bytes())
        .await
        .unwrap();
    stream
}

async fn ask(address: SocketAddr, path: &str, headers: &str) -> String {
    let mut answer = String::new();
    let mut stream = connect(address, path, headers).await;
    timeout(Duration::from_secs(10), stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    answer
}

/// What a stream says up to a word.
async fn until(stream: &mut TcpStream, word: &str) -> String {
    let mut said = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    let mut seen = 0;
    while !said[seen..].windows(word.len()).any(|window| window == word.as_bytes()) {
        seen = said.len().saturating_sub(word.len());
        let read = timeout(Duration::from_secs(10), stream.read(&mut buffer)).await.unwrap().unwrap();
        assert!(read > 0, "{word} does not come: {}", String::from_utf8_lossy(&said));
        said.extend_from_slice(&buffer[..read]);
    }
    String::from_utf8_lossy(&said).into_owned()
}

async fn served() -> (Server, Arc<Board>, SocketAddr) {
    let board = Arc::new(Board::new());
    let server = serve(0, board.clone()).await.unwrap();
    let address = server.address();
    (server, board, address)
}

fn path(url: &str) -> &str {
    &url[url.find("/login").unwrap()..]
}

fn show(board: &Board, words: &str) {
    let json = json!({"body": {"elements": [{"tag": "plain_text", "content": words}]}});
    board.show(Card { id: "1".into(), session: "s".into() }, &json);
}

async fn log_in(server: &Server) -> String {
    let answer = ask(server.address(), path(&server.url()), "").await;
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
}

#[tokio::test]
async fn the_login_url_opens_the_page_once_and_only_with_it_there_is_one() {
    let (server, _board, address) = served().await;
    assert!(address.ip().is_loopback());
    assert!(ask(address, "/", "").await.starts_with("HTTP/1.1 401"));
    assert!(ask(address, "/events", "").await.starts_with("HTTP/1.1 401"));
    assert!(ask(address, "/login?token=abc", "").await.starts_with("HTTP/1.1 403"));
    assert!(ask(address, "/login", "").await.starts_with("HTTP/1.1 403"));
    let url = server.url();
    let looks_ahead = ask(address, path(&url), "Sec-Purpose: prefetch\r\n").await;
    assert!(looks_ahead.starts_with("HTTP/1.1 503"), "{looks_ahead}");
    assert!(ask(address, path(&url), "").await.starts_with("HTTP/1.1 303"));
    assert!(ask(address, path(&url), "").await.starts_with("HTTP/1.1 403"), "used");
    let cookie = log_in(&server).await;
    let page = ask(address, "/", &cookie).await;
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("id=\"board\""), "{page}");
    for (path, kind) in
        [("/page.css", "text/css"), ("/page.js", "text/javascript"), ("/icon.svg", "image/svg+xml")]
    {
        let answer = ask(address, path, &cookie).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(kind), "{path}");
    }
    assert!(ask(address, "/else", &cookie).await.starts_with("HTTP/1.1 404"));
}

#[tokio::test]
async fn every_answer_forbids_what_comes_from_elsewhere() {
    let (server, _board, address) = served().await;
    let cookie = log_in(&server).await;
    for path in ["/", "/login?token=x", "/page.js", "/nothing"] {
        let answer = ask(address, path, &cookie).await.to_ascii_lowercase();
        assert!(answer.contains("content-security-policy: default-src 'none'"), "{path}: {answer}");
        assert!(
            answer.contains("x-content-type-options: nosniff") && !answer.contains("unsafe-inline"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_name_that_is_led_here_finds_nothing() {
    let (server, _board, address) = served().await;
    let cookie = log_in(&server).await;
    for host in ["evil.example", &format!("evil.example:{}", address.port()), "127.0.0.1:1"] {
        let answer = ask(address, "/", &format!("Host: {host}\r\n{cookie}")).await;
        assert!(answer.starts_with("HTTP/1.1 421"), "{host}: {answer}");
    }
    let answer = ask(address, "/", &format!("Host: localhost:{}\r\n{cookie}", address.port())).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn only_reading_is_answered() {
    let (server, _board, address) = served().await;
    let cookie = log_in(&server).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\n{cookie}Content-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    assert!(until(&mut stream, "\r\n\r\n").await.starts_with("HTTP/1.1 405"));
}

#[tokio::test]
async fn a_stream_tells_what_is_there_and_what_changes_also_after_a_break() {
    let (server, board, address) = served().await;
    let cookie = log_in(&server).await;
    show(&board, "first");
    let mut stream = connect(address, "/events", &cookie).await;
    let told = until(&mut stream, "first").await;
    assert!(told.contains("text/event-stream"), "{told}");
    assert!(told.find("event: layout").unwrap() < told.find("event: card").unwrap(), "{told}");
    show(&board, "second");
    until(&mut stream, "second").await;
    // It breaks; meanwhile the card changes.
    drop(stream);
    show(&board, "third");
    let mut stream = connect(address, "/events", &cookie).await;
    let told = until(&mut stream, "third").await;
    assert!(!told.contains("second"), "only the newest state: {told}");
    let ending = tokio::spawn(server.stop());
    until(&mut stream, "event: ended").await;
    timeout(Duration::from_secs(10), ending).await.unwrap().unwrap();
    assert_eq!(TcpStream::connect(address).await.is_ok(), false);
}

#[tokio::test]
async fn a_browser_that_takes_nothing_is_owed_the_newest_state_and_no_queue() {
    const STATES: usize = 16;
    let (server, board, address) = served().await;
    let cookie = log_in(&server).await;
    let mut stalled = connect(address, "/events", &cookie).await;
    let mut other = connect(address, "/events", &cookie).await;
    // Some 2 MB of HTML each: all of them are far more than the buffers between here and there.
    let large = "\"".repeat(390_000);
    for n in 0..STATES {
        show(&board, &format!("{large} state {n}."));
        until(&mut other, &format!(" state {n}.")).await;
    }
    let told = until(&mut stalled, &format!(" state {}.", STATES - 1)).await;
    let count = told.matches("event: card").count();
    assert!(count < STATES, "{count}");
    // Nor is the end held up by one that takes nothing.
    let stalled = connect(address, "/events", &cookie).await;
    timeout(Duration::from_secs(10), server.stop()).await.unwrap();
    drop(stalled);
}

#[tokio::test]
async fn there_are_only_so_many_live_pages() {
    let (server, _board, address) = served().await;
    let cookie = log_in(&server).await;
    let mut live = Vec::new();
    for _ in 0..MOST_FEEDS {
        let mut stream = connect(address, "/events", &cookie).await;
        until(&mut stream, "event: layout").await;
        live.push(stream);
    }
    let answer = ask(address, "/events", &cookie).await;
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
}
