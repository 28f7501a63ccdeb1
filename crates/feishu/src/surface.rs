//! Turns as cards: core's [`CardSurface`].
//!
//! What is told becomes what a turn's cards should show; sending it is the deliveries' task, so telling never waits for
//! the platform. The surface is settled when every turn it was told of has its end shown.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use larkspan_core::ids::{SessionId, TurnId};
use larkspan_core::ports::{CardSurface, SurfaceError, SurfacePosition};
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{Role, SessionInfo};
use larkspan_core::turn::{Change, ItemContent, Turn, TurnItem};
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

use crate::delivery::{Delivery, Desired, Hub, Started, Target, Task, state_name};

/// How many ended turns may still be amended by late records.
const KEPT: usize = 16;
/// How long the end waits for what is still to be sent.
const PATIENCE: Duration = Duration::from_mins(2);

/// The cards of one session.
pub struct Cards {
    hub: Arc<Hub>,
    target: Target,
    /// Tells the states of different chats apart.
    scope: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    session: Option<Arc<SessionInfo>>,
    turns: VecDeque<Shown>,
    /// Whether the newest turn has its first card.
    newest: Option<watch::Receiver<bool>>,
}

/// A turn that has cards.
struct Shown {
    id: TurnId,
    desired: watch::Sender<Desired>,
    is_done: watch::Receiver<bool>,
    /// Goes on as long as it is held.
    _task: Task,
}

impl Cards {
    /// The cards of one session, on their way to `target`.
    pub fn new(hub: Arc<Hub>, target: Target, scope: &str) -> Self {
        Self { hub, target, scope: scope.to_owned(), state: Mutex::default() }
    }

    /// Sets what a turn's cards should show.
    fn want(&self, state: &mut State, session: &SessionId, turn: Arc<Turn>) {
        let last_text_at = last_text_at(&turn);
        let info = state.session.clone();
        if let Some(shown) = state.turns.iter().find(|shown| shown.id == turn.id) {
            let desired = Desired { turn, session: info, last_text_at, is_left: false };
            shown.desired.send_if_modified(|held| {
                let is_new = *held.turn != *desired.turn || held.session != desired.session;
                if is_new {
                    *held = desired;
                }
                is_new
            });
            return;
        }
        let id = turn.id.clone();
        let (desired, wanted) = watch::channel(Desired { turn, session: info, last_text_at, is_left: false });
        let name = state_name(&self.scope, session, &id);
        let before = state.newest.take();
        let started = Delivery::start(self.hub.clone(), self.target.clone(), name, wanted, before);
        let Started { has_card, is_done, task } = started;
        state.newest = Some(has_card);
        state.turns.push_back(Shown { id, desired, is_done, _task: task });
        Self::forget(state);
    }

    /// Of the turns whose end is shown the oldest are let go.
    fn forget(state: &mut State) {
        while state.turns.len() > KEPT {
            let Some(at) = state.turns.iter().position(|shown| *shown.is_done.borrow()) else { return };
            state.turns.remove(at);
        }
    }
}

fn last_text_at(turn: &Turn) -> Option<Timestamp> {
    let is_text = |item: &&TurnItem| matches!(&item.content, ItemContent::Message(message) if message.role == Role::Agent);
    turn.items.iter().rev().find(is_text).and_then(|item| item.at)
}

/// A turn with an item that came late.
fn amended(turn: &Turn, item: &TurnItem) -> Turn {
    let mut turn = turn.clone();
    let key = item.content.tool_call().map(|call| &call.key);
    let same =
        |there: &&mut TurnItem| key.is_some() && there.content.tool_call().map(|call| &call.key) == key;
    match turn.items.iter_mut().find(same) {
        Some(there) => there.content = item.content.clone(),
        None => turn.items.push(item.clone()),
    }
    turn
}

#[async_trait]
impl CardSurface for Cards {
    async fn show(
        &self,
        session: &SessionId,
        changes: &[Change],
        turn: Option<Arc<Turn>>,
    ) -> Result<(), SurfaceError> {
        let mut state = self.state.lock().await;
        for change in changes {
            match change {
                Change::Session(info) => state.session = Some(Arc::new(info.clone())),
                Change::TurnEnded(ended) => self.want(&mut state, session, ended.clone()),
                Change::Item { turn: Some(id), item } if turn.as_ref().is_none_or(|open| open.id != *id) => {
                    let shown = state.turns.iter().find(|shown| shown.id == *id);
                    let late = shown.map(|shown| shown.desired.borrow().turn.clone());
                    if let Some(turn) = late.filter(|turn| turn.end.is_some()) {
                        self.want(&mut state, session, Arc::new(amended(&turn, item)));
                    }
                }
                Change::TurnStarted { .. }
                | Change::Item { .. }
                | Change::Usage { .. }
                | Change::Unknown { .. } => {}
            }
        }
        if let Some(turn) = turn {
            self.want(&mut state, session, turn);
        }
        Self::forget(&mut state);
        Ok(())
    }

    async fn save(&self) -> Result<Option<SurfacePosition>, SurfaceError> {
        Ok(None)
    }

    async fn is_settled(&self) -> bool {
        let state = self.state.lock().await;
        state.turns.iter().all(|shown| *shown.is_done.borrow())
    }

    async fn restore(&self, _position: Option<SurfacePosition>) -> Result<(), SurfaceError> {
        Ok(())
    }

    async fn finish(&self) -> Result<(), SurfaceError> {
        let mut state = self.state.lock().await;
        for shown in &state.turns {
            shown.desired.send_modify(|held| held.is_left = true);
        }
        let turns = std::mem::take(&mut state.turns);
        let all = async {
            for shown in &turns {
                shown.desired.closed().await;
            }
        };
        let _ = timeout(PATIENCE, all).await;
        let is_missing =
            |shown: &&Shown| shown.desired.borrow().turn.end.is_some() && !*shown.is_done.borrow();
        match turns.iter().filter(is_missing).count() {
            0 => Ok(()),
            missing => Err(SurfaceError::Backend {
                context: format!(
                    "ended turns that are not shown yet: {missing}; the next run goes on with them"
                ),
                source: "the platform did not take them".into(),
            }),
        }
    }
}
