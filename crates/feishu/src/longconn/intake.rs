//! Taking events: each is known not to be a repetition, claimed durably, handed on, and only then acknowledged.
//!
//! Invariants: every event is answered, whatever happens to it, within the platform's 3 s unless the store itself is
//! slower; an event for which there is no room, or whose claim fails, is answered with 500 and comes again; events are
//! handed on in the order in which they came. One click is answered by [`CardActions`], in [`ACTION_TIMEOUT`] or with
//! nothing.

use std::sync::Arc;
use std::time::Duration;

use larkspan_core::ports::Clock;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::callback::CardActions;
use super::event::{self, CardAction, Event, Parsed};
use super::frame::{Frame, Reply};
use super::seen::{Claim, Seen};

/// How long an event waits for room behind it. The platform waits 3 s for the answer.
const ROOM_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the answer to a click may take, from when it came.
const ACTION_TIMEOUT: Duration = Duration::from_secs(2);

/// Most clicks that are being answered at a time.
const ACTIONS_MAX: usize = 32;

/// An event that is to be answered. Dropped without an answer, it is answered with 500.
#[derive(Debug)]
pub(crate) struct Job {
    /// The frame that is answered; its payload is taken out.
    frame: Option<Frame>,
    payload: Vec<u8>,
    came: Instant,
    answers: mpsc::Sender<Frame>,
}

impl Job {
    pub(crate) fn new(frame: Frame, payload: Vec<u8>, came: Instant, answers: mpsc::Sender<Frame>) -> Self {
        Self { frame: Some(frame), payload, came, answers }
    }

    fn reply(mut self, reply: &Reply) {
        self.send(reply);
    }

    fn send(&mut self, reply: &Reply) {
        if let Some(frame) = self.frame.take() {
            let millis = u64::try_from(self.came.elapsed().as_millis()).unwrap_or(u64::MAX);
            // The connection may be gone; then the event comes again, and is known.
            let _ = self.answers.try_send(frame.acknowledge(reply, millis));
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.send(&Reply::Failed);
    }
}

/// What takes the events.
pub(crate) struct Intake {
    pub(crate) seen: Seen,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) events: mpsc::Sender<Event>,
    pub(crate) actions: Arc<dyn CardActions>,
    pub(crate) stale_after: Duration,
}

impl Intake {
    /// Takes events until nobody listens any more.
    pub(crate) async fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut answering = JoinSet::new();
        loop {
            let next = tokio::select! {
                next = jobs.recv() => next,
                () = self.events.closed() => None,
                Some(_) = answering.join_next() => continue,
            };
            let Some(job) = next else { return };
            self.take(job, &mut answering).await;
        }
    }

    async fn take(&mut self, mut job: Job, answering: &mut JoinSet<()>) {
        let payload = std::mem::take(&mut job.payload);
        let Some(Parsed { key, mut event }) = event::parse(&payload) else {
            tracing::warn!(
                bytes = payload.len(),
                "an event cannot be read; the platform is asked to send it again"
            );
            return;
        };
        let now = self.clock.now();
        if let Event::Message(message) = &mut event {
            message.stale = message.created.is_some_and(|created| now.since(created) > self.stale_after);
        }
        let action = if let Event::Action(action) = &event { Some(action.clone()) } else { None };
        let taken = if action.is_some() { Reply::Answer(json!({})) } else { Reply::Taken };
        if key.as_ref().is_some_and(|key| self.seen.knows(key)) {
            return job.reply(&taken);
        }
        if action.is_some() && answering.len() >= ACTIONS_MAX {
            tracing::warn!("too many clicks at a time");
            return;
        }
        let Ok(Ok(room)) = timeout_at(job.came + ROOM_TIMEOUT, self.events.reserve()).await else {
            tracing::warn!("no room for an event; the platform is asked to send it again");
            return;
        };
        if let Some(key) = &key {
            match self.seen.claim(key, now).await {
                Ok(Claim::New) => {}
                Ok(Claim::Taken) => return job.reply(&taken),
                Err(error) => {
                    tracing::warn!(%error, "an event cannot be claimed; the platform is asked to send it again");
                    return;
                }
            }
        }
        room.send(event);
        match action {
            Some(action) => {
                answering.spawn(answer(self.actions.clone(), action, job));
            }
            None => job.reply(&taken),
        }
    }
}

async fn answer(actions: Arc<dyn CardActions>, action: Box<CardAction>, job: Job) {
    let reply = match timeout_at(job.came + ACTION_TIMEOUT, actions.answer(&action)).await {
        Ok(reply) => reply.json(),
        Err(_) => {
            tracing::warn!("a click was not answered in time");
            json!({})
        }
    };
    job.reply(&Reply::Answer(reply));
}
