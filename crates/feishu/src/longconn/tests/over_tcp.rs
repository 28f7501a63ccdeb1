//! The real handshake.

use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::platform::Domain;

async fn platform(port: u16, times: u64) -> (MockServer, AppSettings) {
    let server = MockServer::start().await;
    let url = format!("ws://127.0.0.1:{port}/ws?device_id=d&service_id=42&ticket=hush");
    let answer = json!({"code": 0, "msg": "", "data": {"URL": url, "ClientConfig": {"PingInterval": 90}}});
    Mock::given(method("POST"))
        .and(path("/callback/ws/endpoint"))
        .and(header("locale", "zh"))
        .and(body_json(json!({"AppID": "cli_1", "AppSecret": "hunter2"})))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .expect(times)
        .mount(&server)
        .await;
    let domain: Domain = server.uri().parse().unwrap();
    (server, AppSettings::new(domain, "cli_1", "hunter2"))
}

#[tokio::test]
async fn an_event_comes_and_goes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (_server, settings) = platform(listener.local_addr().unwrap().port(), 1).await;
    let clock = TestClock::at(Timestamp::from_millis(START));
    let connection = LongConnection::new(settings, Arc::new(MemoryStore::default()), Arc::new(clock));
    let (give, mut events) = mpsc::channel(4);
    let running = tokio::spawn(connection.run(give));
    let (stream, _) = listener.accept().await.unwrap();
    let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
    let event = one("f1", &said("om_1", "ev1", START));
    socket.send(Message::Binary(event.write().into())).await.unwrap();
    assert_eq!(message(events.recv().await.unwrap()).message.as_str(), "om_1");
    loop {
        let Message::Binary(bytes) = socket.next().await.unwrap().unwrap() else { continue };
        let frame = Frame::read(&bytes).unwrap();
        if frame.method == DATA {
            assert!(frame.payload.unwrap().starts_with(b"{\"code\":200"));
            break;
        }
        assert_eq!(frame.service, 42);
    }
    drop(events);
    running.await.unwrap().unwrap();
}

#[expect(clippy::result_large_err, reason = "the signature of the callback of a handshake")]
fn forbid(_: &Request, _: Response) -> Result<Response, ErrorResponse> {
    let refused = Response::builder()
        .status(403)
        .header("Handshake-Status", "403")
        .header("Handshake-Msg", "app hunter2 forbidden");
    Err(refused.body(None).unwrap())
}

#[tokio::test]
async fn a_refused_upgrade_says_why_and_shows_neither_secret_nor_ticket() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (_server, settings) = platform(listener.local_addr().unwrap().port(), 1).await;
    let clock = TestClock::at(Timestamp::from_millis(START));
    let connection = LongConnection::new(settings, Arc::new(MemoryStore::default()), Arc::new(clock));
    let (give, _events) = mpsc::channel(4);
    let running = tokio::spawn(connection.run(give));
    let (stream, _) = listener.accept().await.unwrap();
    let _ = tokio_tungstenite::accept_hdr_async(stream, forbid).await;
    let error = running.await.unwrap().unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("403") && shown.contains("事件与回调"), "{shown}");
    assert!(!shown.contains("hunter2") && !shown.contains("hush"), "{shown}");
}

#[tokio::test]
async fn what_answers_but_is_no_websocket_is_not_used() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (_server, settings) = platform(listener.local_addr().unwrap().port(), 1).await;
    let answers = tokio::spawn(async move {
        for answer in [
            "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi",
        ] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).await.unwrap() > 0);
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let dialer = HttpDialer::new(settings);
    let endpoint = dialer.endpoint().await.unwrap();
    for expected in ["no WebSocket", "HTTP 200"] {
        let Err(failure) = dialer.open(&endpoint).await else { panic!("it was taken for a WebSocket") };
        assert!(failure.to_string().contains(expected), "{failure}");
    }
    answers.await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_reached_shows_neither_secret_nor_ticket() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let (_server, settings) = platform(port, 1).await;
    let dialer = HttpDialer::new(settings);
    let endpoint = dialer.endpoint().await.unwrap();
    let Err(failure) = dialer.open(&endpoint).await else { panic!("connected to nothing") };
    let shown = format!("{failure:?} {endpoint:?} {dialer:?}");
    assert!(shown.contains("cannot be reached"), "{shown}");
    assert!(!shown.contains("hunter2") && !shown.contains("hush"), "{shown}");
}
