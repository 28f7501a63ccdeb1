//! Following one log onto a surface, over restarts.
//!
//! The saved state is a place in the log where nothing was left open (`safe`), how far the surface had shown what it was
//! told for good (`delivered`), and the surface's own place. After a restart the log is read again from the safe place
//! through the same reducer, and what had been told is not told again: the changes are the same, revision by revision.

use std::sync::Arc;
use std::time::Duration;

use larkspan_core::ids::SessionId;
use larkspan_core::ports::{
    CardSurface, SourceError, SourcePosition, StateStore, StoreError, SurfaceError, SurfacePosition,
    TranscriptSource,
};
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{Notice, NoticeKind, RecordBody, TranscriptRecord};
use larkspan_core::turn::{Change, ItemContent, ReducerSnapshot, TurnItem, TurnReducer};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// How long a wait for the log to grow takes at most.
const WAIT: Duration = Duration::from_mins(1);
/// How much time passes at least between two saves while the log keeps growing.
const SAVE_INTERVAL: Duration = Duration::from_millis(500);
/// The version of the saved state.
const STATE_VERSION: u32 = 1;

/// Where a first attach begins. Afterwards the saved state decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// At the log's start.
    Start,
    /// Now: the turn in progress from its start, else nothing that is there.
    Now,
}

/// When following ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// At the end of what is there.
    End,
    /// When told to stop.
    Stopped,
}

/// Opens the log, at its start or at a saved place.
pub type OpenSource =
    dyn Fn(Option<&SourcePosition>) -> Result<Box<dyn TranscriptSource>, SourceError> + Send + Sync;

/// What following needs.
pub struct Follow<'a> {
    /// Opens the log, at its start or at a saved place.
    pub open: &'a OpenSource,
    /// Where changes are shown.
    pub surface: &'a dyn CardSurface,
    /// Where the state is kept.
    pub store: &'a dyn StateStore,
    /// The state's name in the store: it tells the log and the surface.
    pub name: &'a str,
    /// Where a first attach begins.
    pub from: From,
    /// When it ends.
    pub until: Until,
}

/// Why following ended too early.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The log could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The changes could not be shown.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// The state could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The state between two runs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Saved {
    version: u32,
    /// The first attach is done: until then there is only the surface's place.
    is_attached: bool,
    /// The log, to read on from.
    safe: Option<SourcePosition>,
    reducer: ReducerSnapshot,
    /// The byte offset up to which the surface has been told everything.
    delivered: u64,
    /// That place in the log: whether it is the same log, only this tells.
    seen: Option<SourcePosition>,
    surface: Option<SurfacePosition>,
}

/// Follows until the end, or until `stop` is done. On `stop` the surface is finished and the state saved.
pub async fn follow(follow: Follow<'_>, stop: impl Future<Output = ()>) -> Result<(), FollowError> {
    let mut saved = load(follow.store, follow.name).await?;
    follow.surface.restore(saved.as_ref().and_then(|saved| saved.surface.clone())).await?;
    let replaced = match saved.as_ref().and_then(|saved| saved.seen.as_ref()) {
        Some(seen) => (follow.open)(Some(seen))?.next().await?.restarted,
        None => None,
    };
    if replaced.is_some()
        && let Some(saved) = &mut saved
    {
        *saved = Saved {
            version: STATE_VERSION,
            is_attached: true,
            surface: saved.surface.take(),
            ..Saved::default()
        };
    }
    let safe = saved.as_ref().and_then(|saved| saved.safe.as_ref());
    let source = (follow.open)(safe)?;
    let is_first = saved.as_ref().is_none_or(|saved| !saved.is_attached);
    let saved = saved.unwrap_or(Saved { version: STATE_VERSION, ..Saved::default() });
    let reducer = TurnReducer::resume(saved.reducer.clone());
    let mut run = Run {
        session: reducer.session().map_or_else(|| SessionId::new(""), |info| info.id.clone()),
        told: saved.delivered,
        next_safe: None,
        attaching: (is_first && follow.from == From::Now).then(Vec::new),
        saved_at: None,
        unsaved: false,
        source,
        reducer,
        saved,
        follow,
    };
    if is_first {
        // Whatever is shown from here on can be taken back.
        run.save().await?;
    }
    run.saved.is_attached = true;
    if let Some(reason) = replaced {
        run.restart(reason).await?;
    }
    let ended = tokio::select! {
        ended = run.run() => ended,
        () = stop => Ok(()),
    };
    match ended {
        Ok(()) => {}
        // Whoever read the changes has gone: there is nobody to tell any more.
        Err(FollowError::Surface(SurfaceError::Closed)) => return Ok(()),
        Err(error) => return Err(error),
    }
    run.follow.surface.finish().await?;
    run.save().await
}

async fn load(store: &dyn StateStore, name: &str) -> Result<Option<Saved>, StoreError> {
    let Some(bytes) = store.get(name).await? else { return Ok(None) };
    match serde_json::from_slice::<Saved>(&bytes) {
        Ok(saved) if saved.version == STATE_VERSION => Ok(Some(saved)),
        Ok(saved) => {
            tracing::warn!("the saved state {name} is of version {}: it is not used", saved.version);
            Ok(None)
        }
        Err(error) => {
            tracing::warn!("the saved state {name} cannot be read ({error}): it is not used");
            Ok(None)
        }
    }
}

struct Run<'a> {
    follow: Follow<'a>,
    source: Box<dyn TranscriptSource>,
    reducer: TurnReducer,
    session: SessionId,
    saved: Saved,
    /// The byte offset up to which the surface has been told everything.
    told: u64,
    /// The newest place in the log where nothing was left open; safe once the surface is settled.
    next_safe: Option<(SourcePosition, ReducerSnapshot)>,
    saved_at: Option<Instant>,
    unsaved: bool,
    /// While a first attach looks for the turn in progress: what that turn has told so far.
    attaching: Option<Vec<Change>>,
}

impl Run<'_> {
    async fn run(&mut self) -> Result<(), FollowError> {
        loop {
            let batch = self.source.next().await?;
            if let Some(reason) = batch.restarted {
                self.restart(reason).await?;
            }
            let mut changes = Vec::new();
            for record in batch.records {
                self.apply(record, &mut changes);
            }
            if batch.at_end
                && let Some(turn_in_progress) = self.attaching.take()
            {
                changes = turn_in_progress;
            }
            if self.attaching.is_none() {
                self.show(&changes).await?;
            }
            // While what was told before is read again, there is nothing new to remember.
            if batch.end > self.told {
                self.unsaved = true;
                self.told = batch.end;
                self.saved.seen = self.source.position_after(batch.end);
            }
            let is_due = self.saved_at.is_none_or(|at| at.elapsed() >= SAVE_INTERVAL);
            if self.unsaved && self.attaching.is_none() && (batch.at_end || is_due) {
                self.save().await?;
            }
            if batch.at_end {
                if self.follow.until == Until::End {
                    return Ok(());
                }
                self.source.changed(WAIT).await?;
            } else {
                // Reading does not wait for anything: whoever wants to stop it gets a chance here.
                tokio::task::yield_now().await;
            }
        }
    }

    /// Applies a record; what the surface has not been told yet goes to `changes`.
    fn apply(&mut self, record: TranscriptRecord, changes: &mut Vec<Change>) {
        let position = record.position;
        let ends_turn = matches!(record.body, RecordBody::TurnEnded(_));
        let new = self.reducer.apply(record);
        if let Some(info) = self.reducer.session() {
            self.session = info.id.clone();
        }
        match &mut self.attaching {
            Some(in_progress) => {
                for change in new {
                    if matches!(change, Change::TurnEnded(_)) {
                        in_progress.retain(|c| matches!(c, Change::Session(_)));
                    } else if matches!(change, Change::Session(_)) {
                        in_progress.retain(|c| !matches!(c, Change::Session(_)));
                        in_progress.insert(0, change);
                    } else if !self.reducer.is_between_turns() {
                        in_progress.push(change);
                    }
                }
            }
            None if position > self.told => changes.extend(new),
            None => {}
        }
        if ends_turn
            && let Some(snapshot) = self.reducer.snapshot()
            && let Some(safe) = self.source.position_after(position)
        {
            self.next_safe = Some((safe, snapshot));
        }
    }

    async fn show(&self, changes: &[Change]) -> Result<(), FollowError> {
        if !changes.is_empty() {
            let turn = self.reducer.turn().map(Arc::new);
            self.follow.surface.show(&self.session, changes, turn).await?;
        }
        Ok(())
    }

    /// The log is another one now, or was cut: it is told anew.
    async fn restart(&mut self, reason: String) -> Result<(), FollowError> {
        self.reducer = TurnReducer::new();
        let surface = self.saved.surface.take();
        (self.told, self.next_safe) = (0, None);
        self.saved = Saved { version: STATE_VERSION, is_attached: true, surface, ..Saved::default() };
        let notice = Notice { kind: NoticeKind::Log, text: reason };
        let item = TurnItem { seq: 0, at: None::<Timestamp>, content: ItemContent::Notice(notice) };
        self.show(&[Change::Item { turn: None, item }]).await
    }

    async fn save(&mut self) -> Result<(), FollowError> {
        // Asked first: what is told meanwhile is not settled.
        if self.follow.surface.is_settled().await {
            self.saved.delivered = self.told;
            if let Some((safe, reducer)) = self.next_safe.take() {
                self.saved.safe = Some(safe);
                self.saved.reducer = reducer;
            }
        }
        self.saved.surface = self.follow.surface.save().await?;
        let bytes = serde_json::to_vec(&self.saved).map_err(|source| StoreError::Backend {
            context: format!("the state {} could not be written", self.follow.name),
            source: Box::new(source),
        })?;
        self.follow.store.put(self.follow.name, &bytes).await?;
        self.saved_at = Some(Instant::now());
        self.unsaved = false;
        Ok(())
    }
}
