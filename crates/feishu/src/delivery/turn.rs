//! The task of one turn: when to flush, and what a flush does.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use larkspan_core::transcript::TurnOutcome;
use larkspan_core::turn::{ItemContent, Turn};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use twox_hash::XxHash3_128;

use super::confirmed::Confirmed;
use super::state::{Part, TurnState};
use super::write::Write;
use super::{Desired, FINAL_TRIES, Hub, LAST_TRIES, Target};
use crate::card::{self, Content, Masking, Phase, Rendered, View};
use crate::document::{self, Action};
use crate::pace::Kind;
use crate::plan::{Plan, Reason, Shadow, Trust, plan};
use crate::platform::{Destination, PlatformError, Rejection, Sent, Stamp};

/// What a card can show natively at most.
const TABLES: usize = 3;
/// How often a new card that is not yet known everywhere is sent.
const SENDS: u32 = 4;
/// Code points of a plain message.
const PLAIN: usize = 8_000;

/// Why a flush stopped.
enum Stop {
    /// Again, not before this.
    Later(Duration),
    /// It failed: again after a time that grows.
    Failed,
    /// Only a person can end this.
    Refused,
    /// The state has changed so that it must be planned anew, at once.
    Again,
}

/// The task of one turn.
pub(crate) struct Delivery {
    hub: Arc<Hub>,
    target: Target,
    /// What the cards' uuids and the state are named after.
    name: String,
    state: TurnState,
    desired: watch::Receiver<Desired>,
    /// Becomes true when the turn before has its first card, so that cards stand in the order of the turns.
    before: Option<watch::Receiver<bool>>,
    /// Whether this turn has its first card.
    has_card: watch::Sender<bool>,
    /// Whether the turn's end is shown.
    is_done: watch::Sender<bool>,
    began: Instant,
    is_dirty: bool,
    not_before: Instant,
    flushed_at: Option<Instant>,
    refreshed_at: Instant,
    opened_at: Option<Instant>,
    failures: u32,
    refusal: Option<String>,
    masking: Masking,
    max_tables: usize,
    /// What the sealed cards are known to show.
    confirmed: HashMap<usize, Confirmed>,
    /// A card of ours was found too large: so many of its pieces stay.
    shrink: Option<usize>,
    /// How often it was tried without any call that succeeded.
    tries: u32,
    has_progress: bool,
    /// Nobody knows whether the last call that failed was carried out.
    is_undecided: bool,
    sends: u32,
}

/// A delivery on its way.
pub(crate) struct Started {
    /// Whether the turn has its first card.
    pub(crate) has_card: watch::Receiver<bool>,
    /// Whether its end is shown.
    pub(crate) is_done: watch::Receiver<bool>,
    pub(crate) task: Task,
}

/// A task that ends when it is let go.
pub(crate) struct Task(tokio::task::AbortHandle);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Delivery {
    /// Loads the turn's state and starts its task, which ends when whoever holds it lets go.
    pub(crate) fn start(
        hub: Arc<Hub>,
        target: Target,
        name: String,
        desired: watch::Receiver<Desired>,
        before: Option<watch::Receiver<bool>>,
    ) -> Started {
        hub.claim(&name);
        let (has_card, first_card) = watch::channel(false);
        let (is_done, done) = watch::channel(false);
        let now = Instant::now();
        let task = tokio::spawn(async move {
            let mut state = TurnState::load(hub.store.as_ref(), &name).await;
            state.is_ended_for_now = false;
            let delivery = Self {
                hub,
                target,
                name,
                state,
                desired,
                before,
                has_card,
                is_done,
                began: now,
                is_dirty: true,
                not_before: now,
                flushed_at: None,
                refreshed_at: now,
                opened_at: None,
                failures: 0,
                refusal: None,
                masking: Masking::Usual,
                max_tables: TABLES,
                confirmed: HashMap::new(),
                shrink: None,
                tries: 0,
                has_progress: false,
                is_undecided: false,
                sends: 0,
            };
            delivery.run().await;
        });
        Started { has_card: first_card, is_done: done, task: Task(task.abort_handle()) }
    }

    async fn run(mut self) {
        if let Some(mut before) = self.before.take() {
            // The one before may have failed for long: this one does not wait for ever.
            let _ = timeout(Duration::from_secs(30), before.wait_for(|has_card| *has_card)).await;
        }
        if self.state.is_done {
            // Shown by an earlier process; only what comes later changes it.
            self.tell_done();
            self.is_dirty = false;
            self.desired.borrow_and_update();
        }
        if self.state.parts.iter().any(|part| part.sent.is_some()) {
            self.has_card.send_replace(true);
        }
        let mut is_open = true;
        loop {
            let due = self.due();
            let is_waiting = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                changed = self.desired.changed(), if is_open => {
                    is_open = changed.is_ok();
                    self.is_dirty |= is_open;
                    if self.desired.borrow().is_left {
                        // Somebody waits for the end: what a long wait was for is tried once more.
                        self.not_before = self.not_before.min(Instant::now() + self.hub.schedule.interval);
                    }
                }
                () = is_waiting => self.flush().await,
            }
            // What was told during the flush is looked at first.
            let has_news = self.desired.has_changed().unwrap_or(false);
            let is_left = self.desired.borrow().is_left;
            if !self.is_dirty && !has_news && (is_left || self.state.is_done && !is_open) {
                return;
            }
        }
    }

    /// When to flush next.
    fn due(&self) -> Option<Instant> {
        let schedule = &self.hub.schedule;
        let desired = self.desired.borrow();
        if self.is_dirty {
            let is_first = self.state.parts.iter().all(|part| part.sent.is_none());
            let has_something = !desired.turn.items.is_empty() || desired.turn.end.is_some();
            if is_first && !has_something && !desired.is_left {
                return Some(self.not_before.max(self.began + schedule.placeholder));
            }
            return Some(self.not_before);
        }
        if self.state.is_done || desired.is_left {
            return None;
        }
        let heartbeat = self.flushed_at.map(|at| at + schedule.heartbeat);
        let reopen = self.opened_at.map(|at| at + schedule.reopen);
        let next = [heartbeat, reopen].into_iter().flatten().min()?;
        Some(next.max(self.not_before))
    }

    async fn flush(&mut self) {
        let is_quiet = !self.is_dirty;
        let desired = self.desired.borrow_and_update().clone();
        self.is_dirty = false;
        let schedule = &self.hub.schedule;
        // With many cards all are slower, and what only counts the time goes first.
        let behind = self.hub.pace.behind(&Kind::Endpoint("batch")).await;
        if is_quiet && behind > schedule.interval {
            self.flushed_at = Some(Instant::now());
            return;
        }
        let stop = loop {
            match self.show(&desired, is_quiet).await {
                Ok(()) => break None,
                Err(Stop::Again) => {}
                Err(stop) => break Some(stop),
            }
        };
        self.save().await;
        let schedule = &self.hub.schedule;
        let now = Instant::now();
        self.flushed_at = Some(now);
        let is_refused = matches!(stop, Some(Stop::Refused));
        let wait = match stop {
            None => {
                self.failures = 0;
                if self.refusal.take().is_some() {
                    tracing::info!("the card can be written to again");
                }
                schedule.interval
            }
            Some(Stop::Later(wait)) => {
                self.is_dirty = true;
                wait
            }
            Some(Stop::Failed | Stop::Again) => {
                self.is_dirty = true;
                self.failures = self.failures.saturating_add(1);
                if self.failures == 1 { schedule.after_failure } else { schedule.after_failures }
            }
            Some(Stop::Refused) => {
                self.is_dirty = true;
                schedule.after_refusal
            }
        };
        self.not_before = now + wait;
        let tries = if std::mem::take(&mut self.has_progress) { 0 } else { self.tries };
        self.tries = tries.saturating_add(1);
        let is_owed = self.is_dirty && desired.turn.end.is_some() && !self.state.is_done;
        // What may have been shown is not said again: trying goes on, and does no harm.
        if is_owed && self.tries >= FINAL_TRIES && !self.is_undecided {
            self.give_up(&desired.turn).await;
        }
        if desired.is_left && (is_refused || self.tries >= LAST_TRIES) {
            // The process ends: the next one adopts the card.
            self.is_dirty = false;
        }
    }

    /// Brings all cards of the turn to what they should show.
    async fn show(&mut self, desired: &Desired, is_quiet: bool) -> Result<(), Stop> {
        let rendered = self.divide(desired);
        let last = self.state.parts.len() - 1;
        for at in 0..last {
            let part = &self.state.parts[at];
            if part.is_dead || part.shown.is_empty() {
                continue;
            }
            let shown = part.shown.clone();
            let now = Confirmed::new(desired, self.masking, self.max_tables);
            let is_sent = part.sent.is_some();
            if is_sent
                && !self.is_doubtful(at)
                && self.confirmed.get(&at).is_some_and(|held| held.covers(&now, &shown))
            {
                continue;
            }
            let json = self.render(desired, Phase::Sealed, at, Content::Exactly(&shown)).json;
            let part = &self.state.parts[at];
            let is_there = part.sent.is_some() && part.shadow.as_ref() == Some(&json);
            if !is_there || self.is_doubtful(at) {
                self.make(at, &json).await?;
                self.replace(at, json, Reason::Frame).await?;
            }
            self.confirmed.insert(at, now);
        }
        let is_final = desired.turn.end.is_some();
        let is_new = self.state.parts[last].card.is_none();
        self.make(last, &rendered.json).await?;
        if is_final {
            self.replace(last, rendered.json, Reason::Frame).await?;
        } else if desired.is_left {
            self.reach(last, rendered.json, is_quiet).await?;
            self.stop_streaming(last).await?;
        } else {
            if !is_new {
                self.keep_streaming(last).await?;
            }
            self.reach(last, rendered.json, is_quiet).await?;
        }
        self.state.parts[last].shown = rendered.shown;
        if is_final && !self.state.is_done {
            self.end(&desired.turn).await;
        }
        Ok(())
    }

    /// Divides the turn among cards: seals the last until what is left fits into it.
    fn divide(&mut self, desired: &Desired) -> Rendered {
        loop {
            let last = self.state.parts.len() - 1;
            let delivered = self.state.delivered();
            let phase = if desired.turn.end.is_some() { Phase::Final } else { Phase::Live };
            if !self.state.parts[last].is_sealed {
                let rendered = self.render(desired, phase, last, Content::From(&delivered));
                let kept = match self.shrink.take() {
                    Some(most) if most < rendered.shown.len() => most.max(1),
                    _ if rendered.is_complete || rendered.shown.is_empty() => return rendered,
                    _ => rendered.shown.len(),
                };
                let part = &mut self.state.parts[last];
                part.shown = rendered.shown.into_iter().take(kept).collect();
                part.is_sealed = true;
            }
            self.state.parts.push(Part::default());
            self.opened_at = None;
        }
    }

    fn render(&self, desired: &Desired, phase: Phase, part: usize, content: Content<'_>) -> Rendered {
        let view = View {
            turn: &desired.turn,
            session: desired.session.as_deref(),
            locale: self.hub.style.locale,
            zone: &self.hub.style.zone,
            now: self.hub.clock.now(),
            last_text_at: desired.last_text_at,
            phase,
            masking: self.masking,
            part,
            max_tables: self.max_tables,
        };
        card::render(&view, content)
    }

    fn is_doubtful(&self, at: usize) -> bool {
        self.state.parts[at].trust == Trust::Unknown
    }

    /// Makes and sends a card that is not there yet.
    async fn make(&mut self, at: usize, json: &Value) -> Result<(), Stop> {
        if self.state.parts[at].card.is_none() {
            self.hub.pace.wait(Kind::Endpoint("create")).await;
            let made = self.timed("create", document::bytes(json), self.hub.clone(), |hub| {
                let json = json.clone();
                async move { hub.platform.create(&json).await }
            });
            let key = match made.await {
                Ok(key) => key,
                Err(error) => return Err(self.failed(at, &error)),
            };
            self.state.parts[at].begin(key, json.clone());
            self.refreshed_at = Instant::now();
            self.opened_at = self.state.parts[at].is_streaming.then(Instant::now);
            self.save().await;
        }
        let Some(card) = self.state.parts[at].card.clone().filter(|_| self.state.parts[at].sent.is_none())
        else {
            return Ok(());
        };
        if let Destination::Chat(chat) = &self.target.to {
            self.hub.pace.wait(Kind::Chat(chat.0.clone())).await;
        }
        self.hub.pace.wait(Kind::Endpoint("send")).await;
        let uuid = self.uuid(&format!("message/{at}"));
        let (to, sent) = (self.target.to.clone(), card.clone());
        let sent: Result<Sent, PlatformError> =
            self.timed("send", 0, self.hub.clone(), |hub| async move {
                hub.platform.send(&sent, &to, &uuid).await
            })
            .await;
        match sent {
            Ok(sent) => {
                self.sends = 0;
                self.has_progress = true;
                self.state.parts[at].sent = Some(sent);
                self.hub.count(|counters| counters.cards += 1);
                self.save().await;
                self.has_card.send_replace(true);
                Ok(())
            }
            Err(PlatformError::Rejected { rejection: Rejection::NotYetVisible, .. })
                if self.sends < SENDS =>
            {
                self.sends += 1;
                Err(Stop::Later(Duration::from_millis(300 << self.sends)))
            }
            Err(PlatformError::Rejected {
                rejection: Rejection::NotYetVisible | Rejection::CardGone,
                ..
            }) => {
                self.sends = 0;
                self.state.parts[at].card = None;
                Err(Stop::Failed)
            }
            Err(error) => Err(self.failed(at, &error)),
        }
    }

    /// Brings the card to `desired` by what the planner says.
    async fn reach(&mut self, at: usize, mut desired: Value, is_quiet: bool) -> Result<(), Stop> {
        let part = &self.state.parts[at];
        desired["config"]["streaming_mode"] = part.is_streaming.into();
        let Some(held) = part.shadow.clone() else { return self.replace(at, desired, Reason::Unknown).await };
        let shadow = Shadow { json: held, trust: part.trust };
        let since_refresh = self.refreshed_at.elapsed();
        let is_owed = part.trust == Trust::Weak
            && (since_refresh >= self.hub.schedule.refresh
                || is_quiet && since_refresh >= self.hub.schedule.refresh / 5);
        let planned = match plan(&desired, &shadow, part.is_streaming) {
            Plan::Parts { .. } | Plan::Nothing if is_owed => Plan::Refresh(Reason::Owed),
            planned @ (Plan::Nothing | Plan::Parts { .. } | Plan::Refresh(_)) => planned,
        };
        let size = document::bytes(&desired);
        match planned {
            Plan::Nothing => self.hub.count(|counters| *counters.plans.entry("nothing").or_default() += 1),
            Plan::Refresh(reason) => self.replace(at, desired, reason).await?,
            Plan::Parts { batch, content } => {
                self.hub.count(|counters| {
                    *counters.plans.entry("parts").or_default() += 1;
                    counters.bytes_of_refreshes += size as u64;
                });
                if !batch.is_empty() {
                    self.write(at, Write::Batch(batch.clone())).await?;
                    let part = &mut self.state.parts[at];
                    let is_applied =
                        part.shadow.as_mut().is_some_and(|held| document::apply(held, &batch).is_ok());
                    part.trust = if is_applied { Trust::Weak } else { Trust::Unknown };
                }
                if let Some((id, text)) = content {
                    self.write(at, Write::Text(id.clone(), text.clone())).await?;
                    let part = &mut self.state.parts[at];
                    let is_applied =
                        part.shadow.as_mut().is_some_and(|held| document::set_text(held, &id, &text).is_ok());
                    if !is_applied {
                        part.trust = Trust::Unknown;
                    }
                }
            }
        }
        Ok(())
    }

    /// Replaces the whole card, unless the platform surely holds it already.
    async fn replace(&mut self, at: usize, json: Value, reason: Reason) -> Result<(), Stop> {
        let streams = json["config"]["streaming_mode"] == true;
        let part = &self.state.parts[at];
        if part.trust == Trust::Trusted && part.shadow.as_ref() == Some(&json) {
            return Ok(());
        }
        if !streams {
            let summary = json["config"]["summary"].clone();
            self.stop_streaming_with(at, Some(summary)).await?;
        }
        self.hub.count(|counters| {
            *counters.plans.entry(reason.name()).or_default() += 1;
            counters.bytes_of_refreshes += document::bytes(&json) as u64;
        });
        self.write(at, Write::Replace(json.clone())).await?;
        let part = &mut self.state.parts[at];
        part.shadow = Some(json);
        part.trust = Trust::Trusted;
        self.refreshed_at = Instant::now();
        Ok(())
    }

    /// Opens the stream again before the platform closes it, and after a restart.
    async fn keep_streaming(&mut self, at: usize) -> Result<(), Stop> {
        if !self.state.parts[at].is_streaming {
            return Ok(());
        }
        let is_due = self.opened_at.is_none_or(|opened| opened.elapsed() >= self.hub.schedule.reopen);
        if !is_due {
            return Ok(());
        }
        for mode in [false, true] {
            let settings = json!({"config": {"streaming_mode": mode}});
            match self.write(at, Write::Settings(settings)).await {
                Ok(()) => self.set_streaming(at, mode),
                // Without a stream it goes on by full updates.
                Err(Stop::Again) => {
                    self.set_streaming(at, false);
                    return Ok(());
                }
                Err(stop) => return Err(stop),
            }
        }
        self.opened_at = Some(Instant::now());
        Ok(())
    }

    async fn stop_streaming(&mut self, at: usize) -> Result<(), Stop> {
        self.stop_streaming_with(at, None).await
    }

    async fn stop_streaming_with(&mut self, at: usize, summary: Option<Value>) -> Result<(), Stop> {
        if !self.state.parts[at].is_streaming {
            return Ok(());
        }
        let mut settings = json!({"config": {"streaming_mode": false}});
        if let Some(summary) = summary {
            settings["config"]["summary"] = summary;
        }
        self.write(at, Write::Settings(settings.clone())).await?;
        self.set_streaming(at, false);
        if let (Some(held), Some(changes)) =
            (&mut self.state.parts[at].shadow, settings["config"].as_object())
        {
            document::set_config(held, changes);
        }
        Ok(())
    }

    fn set_streaming(&mut self, at: usize, mode: bool) {
        let part = &mut self.state.parts[at];
        part.is_streaming = mode;
        if !mode {
            self.opened_at = None;
        }
        if let Some(held) = &mut part.shadow {
            held["config"]["streaming_mode"] = mode.into();
        }
    }

    async fn write(&mut self, at: usize, write: Write) -> Result<(), Stop> {
        let endpoint = write.endpoint();
        self.hub.pace.wait(Kind::Endpoint(endpoint)).await;
        let (sequence, must_save) = self.state.parts[at].next_sequence();
        if must_save {
            self.save().await;
        }
        let Some(card) = self.state.parts[at].card.clone() else { return Err(Stop::Failed) };
        let body = write.body();
        // Only an identical write has the same: where the store is behind, a sequence may come again with another.
        let stamp = Stamp { sequence, uuid: self.uuid(&format!("{card}/{sequence}/{body}")) };
        let (size, is_batch) = (body.len(), matches!(write, Write::Batch(_)));
        let done: Result<(), PlatformError> = self
            .timed(endpoint, size, self.hub.clone(), |hub| async move {
                let platform = hub.platform.as_ref();
                match write {
                    Write::Replace(json) => platform.replace(&card, &json, &stamp).await,
                    Write::Batch(actions) => {
                        let actions = actions.iter().map(Action::to_json).collect::<Vec<_>>();
                        platform.batch(&card, &actions.into(), &stamp).await
                    }
                    Write::Text(id, text) => platform.content(&card, &id, &text, &stamp).await,
                    Write::Settings(settings) => platform.settings(&card, &settings, &stamp).await,
                }
            })
            .await;
        self.has_progress |= done.is_ok();
        if is_batch && done.is_err() {
            // Some of it may have been applied.
            self.state.parts[at].trust = Trust::Unknown;
        }
        done.map_err(|error| self.failed(at, &error))
    }

    /// One call, with its time limit, counted and logged.
    async fn timed<T, F: Future<Output = Result<T, PlatformError>>>(
        &self,
        endpoint: &'static str,
        bytes: usize,
        hub: Arc<Hub>,
        call: impl FnOnce(Arc<Hub>) -> F,
    ) -> Result<T, PlatformError> {
        let begin = Instant::now();
        let result = timeout(hub.schedule.timeout, call(hub.clone())).await.unwrap_or_else(|_| {
            let context = format!("{endpoint}: no answer within {:?}", hub.schedule.timeout);
            Err(PlatformError::Unknown { context, source: None })
        });
        let took = begin.elapsed().as_millis() as u64;
        hub.count(|counters| {
            *counters.calls.entry(endpoint).or_default() += 1;
            counters.bytes += bytes as u64;
            counters.milliseconds += took;
            counters.longest_milliseconds = counters.longest_milliseconds.max(took);
            if let Err(error) = &result {
                *counters.failures.entry(kind_of(error)).or_default() += 1;
            }
        });
        match &result {
            Ok(_) => tracing::debug!(endpoint, bytes, ms = took, "done"),
            Err(error) => tracing::debug!(endpoint, bytes, ms = took, "{error}"),
        }
        result
    }

    /// What a failed call means for the card, and for the flush.
    fn failed(&mut self, at: usize, error: &PlatformError) -> Stop {
        let part = &mut self.state.parts[at];
        self.is_undecided = matches!(error, PlatformError::Unknown { .. });
        match error {
            PlatformError::RateLimited { retry_after } => Stop::Later(*retry_after),
            PlatformError::Unreachable { .. } => {
                self.complain(error);
                Stop::Failed
            }
            PlatformError::Unknown { .. } => {
                part.trust = Trust::Unknown;
                self.complain(error);
                Stop::Failed
            }
            PlatformError::Rejected { rejection, .. } => match rejection {
                Rejection::Sequence => {
                    part.jump();
                    part.trust = Trust::Unknown;
                    if self.failures > 3 { Stop::Failed } else { self.again() }
                }
                Rejection::UuidSeen | Rejection::Diverged => {
                    // No write is sent twice: it is of an earlier process, whose sequences are used too.
                    part.jump();
                    part.trust = Trust::Unknown;
                    if self.failures > 1 { Stop::Failed } else { self.again() }
                }
                Rejection::StreamExpired | Rejection::StreamClosed => {
                    self.set_streaming(at, false);
                    self.again()
                }
                Rejection::TooLarge => {
                    // What the card holds stays; the rest goes on in the next.
                    self.shrink = Some(part.shown.len().max(2) / 2);
                    if self.failures > 5 { Stop::Failed } else { self.again() }
                }
                Rejection::TooManyTables if self.max_tables > 0 => {
                    self.max_tables -= 1;
                    Stop::Again
                }
                Rejection::Audit if self.masking == Masking::Usual => {
                    self.masking = Masking::Audit;
                    Stop::Again
                }
                Rejection::Locked | Rejection::NotYetVisible => Stop::Later(Duration::from_millis(700)),
                Rejection::ChatBusy | Rejection::BeingSent => Stop::Later(Duration::from_secs(2)),
                Rejection::CardGone | Rejection::MessageGone => {
                    tracing::warn!("a card is gone, the turn goes on in a new one: {error}");
                    part.die();
                    self.again()
                }
                Rejection::Chat | Rejection::Credentials | Rejection::Scope | Rejection::Forbidden => {
                    self.complain(error);
                    Stop::Refused
                }
                Rejection::Internal => {
                    self.complain(error);
                    Stop::Failed
                }
                Rejection::TooManyTables | Rejection::BadImage | Rejection::Audit | Rejection::Defect => {
                    part.trust = Trust::Unknown;
                    self.complain(error);
                    Stop::Failed
                }
            },
        }
    }

    /// Planned anew at once, but not for ever.
    fn again(&mut self) -> Stop {
        self.failures = self.failures.saturating_add(1);
        if self.failures > 8 { Stop::Failed } else { Stop::Again }
    }

    /// Says a failure once, until something else fails or it works again.
    fn complain(&mut self, error: &PlatformError) {
        let text = error.to_string();
        if self.refusal.as_ref() != Some(&text) {
            tracing::warn!("{text}");
            self.refusal = Some(text);
        }
    }

    /// The end is shown: the reaction, and nothing more to do.
    async fn end(&mut self, turn: &Turn) {
        let has_failed = turn.end.as_ref().is_some_and(|end| end.outcome == TurnOutcome::Failed);
        let own = self.state.parts.iter().rev().find_map(|part| part.sent.as_ref());
        let message = self.target.reacts_to.clone().or_else(|| own.map(|sent| sent.message.clone()));
        if let Some(message) = message {
            let emoji = if has_failed { "WAIL" } else { "DONE" };
            let reacted: Result<(), PlatformError> = self
                .timed("react", 0, self.hub.clone(), |hub| async move {
                    hub.platform.react(&message, emoji).await
                })
                .await;
            // The card says it all; a reaction is a courtesy.
            if let Err(error) = reacted {
                tracing::info!("no reaction: {error}");
            }
        }
        self.tell_done();
    }

    fn tell_done(&mut self) {
        self.state.is_done = true;
        self.state.done_at.get_or_insert(self.hub.clock.now().as_millis());
        self.is_done.send_replace(true);
    }

    /// The card cannot be brought to its end: the answer goes as plain messages.
    async fn give_up(&mut self, turn: &Turn) {
        tracing::error!(
            "the end of a turn could not be shown on its card: its answer is sent as plain messages"
        );
        let answer = turn.items.iter().rev().find_map(|item| match &item.content {
            ItemContent::Message(message) if message.role == larkspan_core::transcript::Role::Agent => {
                Some(larkspan_core::redaction::redact(&message.text).into_owned())
            }
            ItemContent::Message(_)
            | ItemContent::Reasoning(_)
            | ItemContent::Plan(_)
            | ItemContent::ToolCall(_)
            | ItemContent::Goal(_)
            | ItemContent::Notice(_) => None,
        });
        let characters: Vec<char> = answer.unwrap_or_default().chars().collect();
        for (at, piece) in characters.chunks(PLAIN).enumerate() {
            let (text, uuid) = (piece.iter().collect::<String>(), self.uuid(&format!("plain/{at}")));
            let to = self.target.to.clone();
            let said = self
                .timed("say", text.len(), self.hub.clone(), |hub| async move {
                    hub.platform.say(&to, &text, &uuid).await
                })
                .await;
            if let Err(error) = said {
                tracing::error!("nor as a plain message: {error}");
                break;
            }
        }
        self.is_dirty = false;
        self.tell_done();
        self.save().await;
    }

    async fn save(&mut self) {
        self.state.saved_at = self.hub.clock.now().as_millis();
        self.state.save(self.hub.store.as_ref(), &self.name).await;
    }

    /// The same for the same intent, at most 50 characters.
    fn uuid(&self, what: &str) -> String {
        format!("{:032x}", XxHash3_128::oneshot(format!("{}/{what}", self.name).as_bytes()))
    }
}

fn kind_of(error: &PlatformError) -> String {
    match error {
        PlatformError::RateLimited { .. } => "rate limited".to_owned(),
        PlatformError::Unknown { .. } => "unknown outcome".to_owned(),
        PlatformError::Unreachable { .. } => "unreachable".to_owned(),
        PlatformError::Rejected { code, .. } => code.to_string(),
    }
}
