//! One connection, from its first ping to its end.
//!
//! Invariants: a connection on which nothing is heard for 2.5 intervals is given up, whatever TCP says; so is one that
//! lived through a sleep of this machine, and one without any event for a long time, because a connection can look alive
//! and be deaf. Nothing that is sent can block for ever.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use larkspan_core::ports::Clock;
use larkspan_core::time::Timestamp;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::assembly::Assembly;
use super::dial::Io;
use super::endpoint::{Config, Endpoint};
use super::frame::{CONTROL, DATA, Frame};
use super::intake::Job;

/// Between two looks at the clock.
const CHECK: Duration = Duration::from_secs(10);

/// A clock that ran ahead by more than this says that the machine slept.
const SLEPT: Duration = Duration::from_secs(20);

/// Longest time for one frame to be written.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest time to say goodbye.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Most answers that wait to be written.
const ANSWERS_MAX: usize = 256;

/// Largest frame of the platform's that is read, in bytes.
const FRAME_MAX: usize = 4 * 1024 * 1024;

/// Tells whether the machine slept: the calendar goes on, the process does not.
pub(crate) struct WakeWatch {
    clock: Arc<dyn Clock>,
    calendar: Timestamp,
    process: Instant,
}

impl WakeWatch {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { calendar: clock.now(), clock, process: Instant::now() }
    }

    /// Whether it slept since the last look.
    fn slept(&mut self) -> bool {
        let (calendar, process) = (self.clock.now(), Instant::now());
        let slept = calendar.since(self.calendar) > process.duration_since(self.process) + SLEPT;
        (self.calendar, self.process) = (calendar, process);
        slept
    }

    /// Waits, but not beyond a sleep of the machine.
    pub(crate) async fn pause(&mut self, wait: Duration) {
        let until = Instant::now() + wait;
        while Instant::now() < until {
            sleep_until(until.min(Instant::now() + CHECK)).await;
            if self.slept() {
                return;
            }
        }
    }
}

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It was lost.
    Lost(String),
    /// It was given up for a new one, which is made at once.
    Renewed(&'static str),
}

/// A connection that is used.
pub(crate) struct Session<'a> {
    socket: WebSocketStream<Box<dyn Io>>,
    service: i32,
    config: Config,
    jobs: &'a mpsc::Sender<Job>,
    answers: mpsc::Sender<Frame>,
    to_write: mpsc::Receiver<Frame>,
    assembly: Assembly,
    /// When anything came.
    heard: Instant,
    /// When an event came.
    event: Instant,
}

impl<'a> Session<'a> {
    pub(crate) async fn new(stream: Box<dyn Io>, endpoint: &Endpoint, jobs: &'a mpsc::Sender<Job>) -> Self {
        let limits =
            WebSocketConfig::default().max_message_size(Some(FRAME_MAX)).max_frame_size(Some(FRAME_MAX));
        let socket = WebSocketStream::from_raw_socket(stream, Role::Client, Some(limits)).await;
        let (answers, to_write) = mpsc::channel(ANSWERS_MAX);
        let now = Instant::now();
        Self {
            socket,
            service: endpoint.service,
            config: endpoint.config,
            jobs,
            answers,
            to_write,
            assembly: Assembly::default(),
            heard: now,
            event: now,
        }
    }

    /// Uses the connection until it ends. `quiet`: how long it may be without an event.
    pub(crate) async fn run(mut self, wake: &mut WakeWatch, quiet: Duration) -> (Ended, Config) {
        let ended = self.until_it_ends(wake, quiet).await;
        let _ = timeout(CLOSE_TIMEOUT, self.socket.close(None)).await;
        (ended, self.config)
    }

    async fn until_it_ends(&mut self, wake: &mut WakeWatch, quiet: Duration) -> Ended {
        let mut next_ping = Instant::now();
        let mut next_check = Instant::now() + CHECK;
        // What happened before is not this connection's.
        wake.slept();
        loop {
            let deaf = self.heard + self.config.ping.mul_f64(2.5);
            tokio::select! {
                message = self.socket.next() => {
                    self.heard = Instant::now();
                    match message {
                        Some(Ok(Message::Binary(bytes))) => {
                            if self.hear(&bytes) {
                                next_ping = next_ping.min(Instant::now() + self.config.ping);
                            }
                        }
                        Some(Ok(Message::Close(frame))) => {
                            let code = frame.map_or(0, |frame| u16::from(frame.code));
                            return Ended::Lost(format!("the platform closed the connection ({code})"));
                        }
                        Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Text(_) | Message::Frame(_))) => {}
                        Some(Err(error)) => return Ended::Lost(format!("the connection was lost ({error})")),
                        None => return Ended::Lost("the connection was closed".to_owned()),
                    }
                }
                Some(frame) = self.to_write.recv() => {
                    if let Err(ended) = self.send(&frame).await {
                        return ended;
                    }
                }
                () = sleep_until(next_ping) => {
                    next_ping = Instant::now() + self.config.ping;
                    if let Err(ended) = self.send(&Frame::ping(self.service)).await {
                        return ended;
                    }
                }
                () = sleep_until(deaf) => {
                    return Ended::Lost("nothing was heard for two and a half intervals".to_owned());
                }
                () = sleep_until(next_check) => {
                    next_check = Instant::now() + CHECK;
                    self.assembly.expire(Instant::now());
                    if wake.slept() {
                        return Ended::Renewed("the machine slept");
                    }
                    if self.event.elapsed() >= quiet {
                        return Ended::Renewed("there was no event for a long time");
                    }
                }
            }
        }
    }

    /// Takes a frame; tells whether the configuration changed.
    fn hear(&mut self, bytes: &[u8]) -> bool {
        let Ok(mut frame) = Frame::read(bytes) else {
            tracing::warn!(bytes = bytes.len(), "a frame of the long connection cannot be read");
            return false;
        };
        match frame.method {
            CONTROL => {
                let config = frame.payload.as_deref().and_then(Config::in_pong);
                let changed =
                    frame.header("type") == "pong" && config.is_some_and(|config| config != self.config);
                if let Some(config) = config.filter(|_| changed) {
                    self.config = config;
                }
                changed
            }
            DATA => {
                self.event = Instant::now();
                let payload = frame.payload.take().unwrap_or_default();
                let Some(part) = frame.part() else {
                    tracing::warn!("an event's part has a number that cannot be");
                    return false;
                };
                let message = frame.header("message_id").to_owned();
                if let Some(whole) = self.assembly.take(&message, part, payload, self.event) {
                    let job = Job::new(frame, whole, self.event, self.answers.clone());
                    // Without room the job is dropped, which asks the platform to send it again.
                    if self.jobs.try_send(job).is_err() {
                        tracing::warn!("too many events at a time; the platform is asked to send one again");
                    }
                }
                false
            }
            other => {
                tracing::debug!(method = other, "a frame of the long connection of an unknown kind");
                false
            }
        }
    }

    async fn send(&mut self, frame: &Frame) -> Result<(), Ended> {
        match timeout(SEND_TIMEOUT, self.socket.send(Message::Binary(frame.write().into()))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(Ended::Lost(format!("the connection was lost ({error})"))),
            Err(_) => Err(Ended::Lost("nothing can be written to the connection".to_owned())),
        }
    }
}
