//! Applies records, one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::{Call, Cell, Execution, Nested};
use super::derive::derive;
use super::matching::same;
use super::owner::{Candidate, ItsTurn, owner, site_of};
use super::state::{ClosedTurns, OpenTurn, Ordinal, Stub};
use super::{Change, ItemContent, Turn, TurnItem};
use crate::ids::{CallId, TurnId};
use crate::time::Timestamp;
use crate::tool_call::{
    CallKey, CellState, ExecutionOrigin, ToolCallAnswer, ToolCallEvent, ToolCallExecution, ToolCallRequest,
    ToolCallStatus, ToolCallStep,
};
use crate::transcript::{
    Message, Notice, RecordBody, Role, SessionInfo, TranscriptRecord, TurnEnd, TurnOutcome, UnknownRecord,
};

/// How many kinds of unknown record are told apart.
const UNKNOWN_KINDS: usize = 256;

/// The turn reducer of one session.
#[derive(Debug, Default)]
pub struct TurnReducer {
    session: Option<SessionInfo>,
    open: Option<OpenTurn>,
    closed: ClosedTurns,
    turns: Ordinal,
    unknown: BTreeMap<String, u64>,
}

/// The reducer's state between two turns, when nothing is left that a later row may amend.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ReducerSnapshot {
    session: Option<SessionInfo>,
    recent: Vec<Stub>,
    turns: Ordinal,
    unknown: BTreeMap<String, u64>,
}

/// Where a call is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallRef {
    Open(usize),
    Closed(usize, usize),
}

/// The turn that a record belongs to.
enum Home {
    Open,
    Closed(usize),
}

impl TurnReducer {
    /// A reducer that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A reducer that goes on where [`snapshot`](Self::snapshot) was taken.
    pub fn resume(snapshot: ReducerSnapshot) -> Self {
        Self {
            session: snapshot.session,
            open: None,
            closed: ClosedTurns::from_stubs(snapshot.recent),
            turns: snapshot.turns,
            unknown: snapshot.unknown,
        }
    }

    /// The state to go on from, at a point where it is small: between turns, with nothing left to amend.
    pub fn snapshot(&self) -> Option<ReducerSnapshot> {
        (self.open.is_none() && !self.closed.has_calls()).then(|| ReducerSnapshot {
            session: self.session.clone(),
            recent: self.closed.stubs(),
            turns: self.turns,
            unknown: self.unknown.clone(),
        })
    }

    /// Whether no turn is open.
    pub fn is_between_turns(&self) -> bool {
        self.open.is_none()
    }

    /// Whether a later row may still change this turn, which has ended. Only of a bounded number of the newest turns.
    pub fn may_amend(&self, turn: &TurnId) -> bool {
        let place = self.closed.position(turn);
        place.and_then(|at| self.closed.get(at)).is_some_and(|turn| !turn.calls.is_empty())
    }

    /// How many calls are held, for tests of the bounds.
    #[cfg(test)]
    pub(super) fn held_calls(&self) -> usize {
        self.calls().count()
    }

    /// Who writes the log, once known.
    pub fn session(&self) -> Option<&SessionInfo> {
        self.session.as_ref()
    }

    /// The open turn as it is now.
    pub fn turn(&self) -> Option<Turn> {
        self.open.as_ref().map(|turn| turn.view(None, None))
    }

    /// How often each unknown kind was met.
    pub fn unknown(&self) -> &BTreeMap<String, u64> {
        &self.unknown
    }

    /// Applies one record and tells what it changed.
    pub fn apply(&mut self, record: TranscriptRecord) -> Vec<Change> {
        let mut changes = Vec::new();
        let TranscriptRecord { at, turn, position, body } = record;
        match body {
            RecordBody::Session(info) => self.set_session(info, &mut changes),
            RecordBody::TurnStarted => self.start_turn(turn, at, true, &mut changes),
            RecordBody::TurnEnded(end) => {
                if self.open.as_ref().is_some_and(|open| turn.as_ref().is_none_or(|id| *id == open.id)) {
                    self.end_turn(at, end, &mut changes);
                }
            }
            RecordBody::Message(message) => self.message(at, turn.as_ref(), message, &mut changes),
            RecordBody::Reasoning(reasoning) => {
                self.add_item(at, turn.as_ref(), &mut changes, |open| open.add_reasoning(at, reasoning));
            }
            RecordBody::Plan(plan) => {
                self.add_item(at, turn.as_ref(), &mut changes, |open| Some(open.add_plan(at, plan)));
            }
            RecordBody::Goal(goal) => {
                self.add_item(at, turn.as_ref(), &mut changes, |open| Some(open.add_goal(at, goal)));
            }
            RecordBody::Notice(notice) => self.notice(at, notice, &mut changes),
            RecordBody::Usage(usage) => {
                if let Some(open) = &mut self.open {
                    open.usage = Some(usage);
                }
                changes.push(Change::Usage {
                    turn: self.open.as_ref().map(|open| open.id.clone()),
                    at,
                    usage,
                });
            }
            RecordBody::ToolCall(event) => self.tool_call(at, turn.as_ref(), *event, &mut changes),
            RecordBody::Unknown(record) => self.count_unknown(position, record, &mut changes),
        }
        changes
    }

    /// The log is over: an open turn ends as it stands, and nothing goes on in the background.
    pub fn finish(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        let still_open: Vec<CallRef> =
            self.calls().filter(|(_, _, call)| call.is_open_cell()).map(|(at, _, _)| at).collect();
        for at in still_open {
            if let Some(call) = self.call_mut(at) {
                call.log_ended = true;
            }
            self.show(at, &mut changes);
        }
        if self.open.is_some() {
            self.end_turn(None, TurnEnd { outcome: TurnOutcome::Open, reason: None }, &mut changes);
        }
        changes
    }

    fn set_session(&mut self, info: SessionInfo, changes: &mut Vec<Change>) {
        if self.session.as_ref() != Some(&info) {
            self.session = Some(info.clone());
            changes.push(Change::Session(info));
        }
    }

    fn count_unknown(&mut self, position: u64, record: UnknownRecord, changes: &mut Vec<Change>) {
        let is_full = self.unknown.len() >= UNKNOWN_KINDS;
        match self.unknown.get_mut(&record.kind) {
            Some(count) => *count = count.saturating_add(1),
            None if is_full => {}
            None => {
                self.unknown.insert(record.kind.clone(), 1);
                changes.push(Change::Unknown { position, record });
            }
        }
    }

    fn records_nested(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.records_nested)
    }

    // --- turns ---

    fn start_turn(
        &mut self,
        id: Option<TurnId>,
        at: Option<Timestamp>,
        is_explicit: bool,
        changes: &mut Vec<Change>,
    ) {
        if let Some(open) = &mut self.open {
            // The turn's own records came before the one that says it began.
            if id.is_some() && id.as_ref() == Some(&open.id) {
                open.is_explicit |= is_explicit;
                return;
            }
            let reason = None;
            self.end_turn(at, TurnEnd { outcome: TurnOutcome::Superseded, reason }, changes);
        }
        self.turns = self.turns.saturating_add(1);
        let id = match id {
            Some(id) if self.closed.position(&id).is_none() => id,
            _ => TurnId::new(format!("turn-{}", self.turns)),
        };
        changes.push(Change::TurnStarted { turn: id.clone(), at });
        self.open = Some(OpenTurn::new(id, self.turns, is_explicit, at));
    }

    fn end_turn(&mut self, at: Option<Timestamp>, end: TurnEnd, changes: &mut Vec<Change>) {
        let Some(mut open) = self.open.take() else { return };
        for item in open.reveal() {
            changes.push(Change::Item { turn: Some(open.id.clone()), item });
        }
        self.open = Some(open);
        let cut_short = |call: &Call| call.answer.is_none() && !call.is_open_cell();
        let unanswered: Vec<CallRef> = self
            .open
            .iter()
            .flat_map(|open| open.calls.iter().enumerate())
            .filter(|(_, call)| cut_short(call))
            .map(|(index, _)| CallRef::Open(index))
            .collect();
        for at in unanswered {
            if let Some(call) = self.call_mut(at) {
                call.cut_short = Some(end.outcome);
            }
            self.show(at, changes);
        }
        if let Some(open) = self.open.take() {
            changes.push(Change::TurnEnded(Arc::new(open.view(at, Some(end)))));
            let records_nested = self.records_nested();
            self.closed.close(open, records_nested);
        }
    }

    /// The turn that a record with this turn id belongs to; opens one where the log never said that it began.
    fn home(&mut self, id: Option<&TurnId>, at: Option<Timestamp>, changes: &mut Vec<Change>) -> Home {
        if let Some(id) = id {
            if self.is_open(id) {
                return Home::Open;
            }
            if let Some(closed) = self.closed.position(id) {
                return Home::Closed(closed);
            }
        }
        match (&self.open, id) {
            (Some(open), Some(_)) if !open.is_explicit => self.start_turn(id.cloned(), at, false, changes),
            (Some(_), _) => {}
            (None, _) => self.start_turn(id.cloned(), at, false, changes),
        }
        Home::Open
    }

    /// The turn of what the agent asks for or is told: an ended turn asks for nothing any more.
    fn home_of_call(
        &mut self,
        id: Option<&TurnId>,
        at: Option<Timestamp>,
        changes: &mut Vec<Change>,
    ) -> Home {
        let id = id.filter(|id| self.is_open(id) || self.closed.position(id).is_none());
        self.home(id, at, changes)
    }

    fn is_open(&self, id: &TurnId) -> bool {
        self.open.as_ref().is_some_and(|open| open.id == *id)
    }

    /// Adds what is no call to its turn.
    fn add_item(
        &mut self,
        at: Option<Timestamp>,
        turn: Option<&TurnId>,
        changes: &mut Vec<Change>,
        add: impl FnOnce(&mut OpenTurn) -> Option<TurnItem>,
    ) {
        // What a closed turn says late is told where it is told.
        self.home_of_call(turn, at, changes);
        if let Some(open) = &mut self.open
            && let Some(item) = add(open)
        {
            changes.push(Change::Item { turn: Some(open.id.clone()), item });
        }
    }

    fn message(
        &mut self,
        at: Option<Timestamp>,
        turn: Option<&TurnId>,
        message: Message,
        changes: &mut Vec<Change>,
    ) {
        // Where the log does not say when turns begin, the user's next words do.
        let begins_turn = message.role == Role::User
            && turn.is_none()
            && self.open.as_ref().is_some_and(|open| !open.is_explicit && open.has_answer());
        if begins_turn {
            self.start_turn(None, at, false, changes);
        }
        self.add_item(at, turn, changes, |open| open.add_message(at, message));
    }

    fn notice(&mut self, at: Option<Timestamp>, notice: Notice, changes: &mut Vec<Change>) {
        let (turn, item) = match &mut self.open {
            Some(open) => (Some(open.id.clone()), open.add_notice(at, notice)),
            None => (None, TurnItem { seq: 0, at, content: ItemContent::Notice(notice) }),
        };
        changes.push(Change::Item { turn, item });
    }

    // --- calls ---

    fn tool_call(
        &mut self,
        at: Option<Timestamp>,
        turn: Option<&TurnId>,
        event: ToolCallEvent,
        changes: &mut Vec<Change>,
    ) {
        let ToolCallEvent { id, step } = event;
        match step {
            ToolCallStep::Called(request) => self.called(at, turn, &id, request, changes),
            ToolCallStep::Answered(answer) => self.answered(at, turn, &id, answer, changes),
            ToolCallStep::Executed(execution) => self.executed(at, turn, &id, execution, changes),
        }
    }

    fn called(
        &mut self,
        at: Option<Timestamp>,
        turn: Option<&TurnId>,
        id: &CallId,
        request: ToolCallRequest,
        changes: &mut Vec<Change>,
    ) {
        let home = self.home_of_call(turn, at, changes);
        // The record of its execution may come first.
        let waiting = self.newest(&home, id, |call| {
            call.request.is_none() && (call.answer.is_none() || request.ended.is_some())
        });
        let place = match waiting {
            Some(place) => place,
            None => self.new_call(&home, id, at),
        };
        if let Some(call) = self.call_mut(place) {
            if request.ended.is_some() {
                call.ended_at = call.ended_at.or(at);
            }
            call.started_at = call.started_at.or(at);
            call.request = Some(request);
        }
        self.show(place, changes);
    }

    fn answered(
        &mut self,
        at: Option<Timestamp>,
        turn: Option<&TurnId>,
        id: &CallId,
        mut answer: ToolCallAnswer,
        changes: &mut Vec<Change>,
    ) {
        if let Some(open) = &mut self.open {
            open.charge(&mut answer.outcome.output);
            answer.blocks.iter_mut().for_each(|block| open.charge(&mut block.text));
        }
        let cell = answer.cell.clone();
        let newest = || self.newest_anywhere(id, |_| true);
        let target = if answer.is_late_text {
            newest()
        } else {
            self.newest_anywhere(id, |call| call.answer.is_none()).or_else(newest)
        };
        let place = if let Some(place) = target {
            place
        } else {
            // Nothing is lost: an answer without a call is a call of which only the answer is known.
            let home = self.home_of_call(turn, at, changes);
            self.new_call(&home, id, at)
        };
        let to_cell = cell.as_ref().filter(|_| !self.is_script(place)).map(|_| answer.clone());
        if let Some(call) = self.call_mut(place) {
            if call.answer.is_some() || answer.is_late_text {
                call.late_text.extend(answer.outcome.output);
            } else {
                if call.script().is_some()
                    && let Some(cell) = &cell
                    && cell.state == CellState::Running
                {
                    let (id, state) = (cell.id.clone(), CellState::Running);
                    call.cell = Some(Cell { id, state, end: None, printed: Vec::new() });
                }
                call.ended_at = at.filter(|_| !call.is_open_cell());
                call.answer = Some(answer);
            }
        }
        self.show(place, changes);
        if let (Some(update), Some(answer)) = (cell, to_cell) {
            self.update_cell(at, &update.id, update.state, answer, changes);
        }
    }

    /// A wait tells what became of the script it waited for.
    fn update_cell(
        &mut self,
        at: Option<Timestamp>,
        id: &str,
        state: CellState,
        answer: ToolCallAnswer,
        changes: &mut Vec<Change>,
    ) {
        let of_cell =
            |call: &Call| call.is_open_cell() && call.cell.as_ref().is_some_and(|cell| cell.id == id);
        let Some(owner) = self.newest_that(of_cell) else { return };
        if let Some(call) = self.call_mut(owner) {
            if state != CellState::Running {
                call.ended_at = at;
            }
            if let Some(cell) = &mut call.cell {
                cell.state = state;
                match state {
                    CellState::Running => cell.printed.extend(answer.blocks),
                    CellState::Ended => {
                        cell.printed.extend(answer.blocks.iter().cloned());
                        cell.end = Some(answer);
                    }
                    CellState::Gone => {}
                }
            }
        }
        self.show(owner, changes);
    }

    fn executed(
        &mut self,
        at: Option<Timestamp>,
        turn: Option<&TurnId>,
        id: &CallId,
        mut execution: ToolCallExecution,
        changes: &mut Vec<Change>,
    ) {
        let home = self.home(turn, at, changes);
        if let Some(open) = &mut self.open {
            open.charge(&mut execution.outcome.output);
        }
        let origin = execution.origin;
        let is_nested = origin == ExecutionOrigin::Nested;
        let record = Execution { at, record: Arc::new(execution) };

        // An update of an execution that is there.
        if is_nested && let Some(owner) = self.owner_so_far(id) {
            if let Some(call) = self.call_mut(owner)
                && let Some(nested) = call.nested.iter_mut().find(|n| n.key.id == *id)
            {
                nested.execution = record;
            }
            self.show(owner, changes);
            return;
        }
        let of_call = if is_nested { None } else { self.newest(&home, id, |_| true) };
        let cwd = self.session.as_ref().and_then(|session| session.cwd.clone());
        let detail = &record.record.detail;
        if let Some(place) = of_call {
            match self.call(place).and_then(|call| site_of(call, detail, cwd.as_deref())) {
                // Recorded under the script's own id, and one of its calls.
                Some(site) => self.attach(place, Some(site), id, record),
                None => {
                    if let Some(call) = self.call_mut(place) {
                        call.ended_at = call.ended_at.or(at);
                        call.execution = Some(record);
                    }
                }
            }
            self.show(place, changes);
            return;
        }
        let ordinal = self.ordinal(&home);
        let turn = if turn.is_some() { ItsTurn::Named(ordinal) } else { ItsTurn::Open(ordinal) };
        let candidates: Vec<Candidate<'_>> =
            self.scripts().map(|(at, ordinal, call)| Candidate { at, ordinal, call }).collect();
        let owned = match origin {
            ExecutionOrigin::User => None,
            ExecutionOrigin::Nested | ExecutionOrigin::Call => {
                owner(&candidates, turn, &record.record, cwd.as_deref())
            }
        };
        if let Some(owner) = owned {
            let site = self.call(owner).and_then(|call| site_of(call, detail, cwd.as_deref()));
            self.attach(owner, site, id, record);
            self.show(owner, changes);
            return;
        }
        let adopting = match origin {
            ExecutionOrigin::Call => self.only_running_like(&home, &record, cwd.as_deref()),
            ExecutionOrigin::Nested | ExecutionOrigin::User => None,
        };
        let place = match adopting {
            Some(place) => place,
            None => self.new_call(&home, id, record.record.started_at.or(at)),
        };
        if let Some(call) = self.call_mut(place) {
            if record.record.status != ToolCallStatus::Running {
                call.ended_at = at;
            }
            call.execution = Some(record);
        }
        self.show(place, changes);
    }

    /// The call that an execution with this id has been attached to.
    fn owner_so_far(&self, id: &CallId) -> Option<CallRef> {
        let in_open =
            self.open.as_ref().and_then(|open| open.nested.get(id)).map(|index| CallRef::Open(*index));
        let has_it = |call: &Call| call.nested.iter().any(|nested| nested.key.id == *id);
        in_open.or_else(|| self.newest_closed(has_it))
    }

    fn attach(&mut self, owner: CallRef, site: Option<usize>, id: &CallId, execution: Execution) {
        if let CallRef::Open(index) = owner
            && let Some(open) = &mut self.open
        {
            open.nested.insert(id.clone(), index);
        }
        if let Some(call) = self.call_mut(owner) {
            let key = CallKey { turn: call.key.turn.clone(), id: id.clone(), n: 0 };
            call.nested.push(Nested { key, site, execution });
        }
    }

    /// The only running call of the turn that asks for the same.
    fn only_running_like(&self, home: &Home, execution: &Execution, cwd: Option<&str>) -> Option<CallRef> {
        let Home::Open = home else { return None };
        let asks_the_same = |call: &&Call| {
            let runs = |request: &ToolCallRequest| request.script.is_none() && request.ended.is_none();
            let request = call.request.as_ref().filter(|request| runs(request));
            call.answer.is_none()
                && call.execution.is_none()
                && request.is_some_and(|r| same(&r.detail, &execution.record.detail, cwd))
        };
        let mut running = self.open.as_ref()?.pending().filter(|(_, call)| asks_the_same(call));
        let (index, _) = running.next()?;
        running.next().is_none().then_some(CallRef::Open(index))
    }

    fn is_script(&self, call: CallRef) -> bool {
        self.call(call).is_some_and(|call| call.script().is_some())
    }

    // --- where calls are held ---

    fn ordinal(&self, home: &Home) -> Ordinal {
        match home {
            Home::Open => self.turns,
            Home::Closed(at) => self.closed.get(*at).map_or(self.turns, |turn| turn.stub.ordinal),
        }
    }

    fn new_call(&mut self, home: &Home, id: &CallId, at: Option<Timestamp>) -> CallRef {
        if let Home::Closed(index) = home
            && let Some(turn) = self.closed.get_mut(*index)
        {
            let key = CallKey { turn: turn.stub.id.clone(), id: id.clone(), n: 0 };
            let seq = turn.stub.take_seq();
            turn.calls.push(Call::new(key, seq, at));
            return CallRef::Closed(*index, turn.calls.len() - 1);
        }
        match &mut self.open {
            Some(open) => CallRef::Open(open.add_call(id, at)),
            // `home` has opened a turn unless it named a closed one.
            None => CallRef::Open(usize::MAX),
        }
    }

    /// The newest call of the turn with this id of which `is` holds.
    fn newest(&self, home: &Home, id: &CallId, is: impl Fn(&Call) -> bool) -> Option<CallRef> {
        match home {
            Home::Open => self.open.as_ref()?.newest_with_id(id, is).map(CallRef::Open),
            Home::Closed(at) => {
                let calls = &self.closed.get(*at)?.calls;
                calls
                    .iter()
                    .rposition(|call| call.key.id == *id && is(call))
                    .map(|index| CallRef::Closed(*at, index))
            }
        }
    }

    /// The newest call of any turn with this id of which `is` holds.
    fn newest_anywhere(&self, id: &CallId, is: impl Fn(&Call) -> bool) -> Option<CallRef> {
        let in_open = self.open.as_ref().and_then(|open| open.newest_with_id(id, &is)).map(CallRef::Open);
        in_open.or_else(|| self.newest_closed(|call| call.key.id == *id && is(call)))
    }

    /// The newest call of any turn of which `is` holds.
    fn newest_that(&self, is: impl Fn(&Call) -> bool) -> Option<CallRef> {
        let in_open = self.open.as_ref().and_then(|open| open.calls.iter().rposition(&is)).map(CallRef::Open);
        in_open.or_else(|| self.newest_closed(is))
    }

    fn newest_closed(&self, is: impl Fn(&Call) -> bool) -> Option<CallRef> {
        self.closed
            .iter()
            .rev()
            .find_map(|(at, turn)| turn.calls.iter().rposition(&is).map(|index| CallRef::Closed(at, index)))
    }

    /// The calls whose script may own an execution, with the turn of each.
    fn scripts(&self) -> impl Iterator<Item = (CallRef, Ordinal, &Call)> {
        let closed = self.closed_calls().filter(|(_, _, call)| call.unwrapped().is_some());
        let open = self
            .open
            .iter()
            .flat_map(|open| open.scripts().map(|(index, call)| (CallRef::Open(index), open.ordinal, call)));
        closed.chain(open)
    }

    fn closed_calls(&self) -> impl Iterator<Item = (CallRef, Ordinal, &Call)> {
        self.closed.iter().flat_map(|(at, turn)| {
            let ordinal = turn.stub.ordinal;
            turn.calls
                .iter()
                .enumerate()
                .map(move |(index, call)| (CallRef::Closed(at, index), ordinal, call))
        })
    }

    /// All calls held, with the turn of each.
    fn calls(&self) -> impl Iterator<Item = (CallRef, Ordinal, &Call)> {
        let open = self.open.iter().flat_map(|open| {
            open.calls.iter().enumerate().map(|(index, call)| (CallRef::Open(index), open.ordinal, call))
        });
        self.closed_calls().chain(open)
    }

    fn call(&self, at: CallRef) -> Option<&Call> {
        match at {
            CallRef::Open(index) => self.open.as_ref()?.calls.get(index),
            CallRef::Closed(turn, index) => self.closed.get(turn)?.calls.get(index),
        }
    }

    fn call_mut(&mut self, at: CallRef) -> Option<&mut Call> {
        match at {
            CallRef::Open(index) => self.open.as_mut()?.calls.get_mut(index),
            CallRef::Closed(turn, index) => self.closed.get_mut(turn)?.calls.get_mut(index),
        }
    }

    /// Derives what is shown of the call and tells it, if it changed.
    fn show(&mut self, at: CallRef, changes: &mut Vec<Change>) {
        if let CallRef::Open(index) = at
            && let Some(open) = &mut self.open
        {
            open.note(index);
        }
        let session = self.session.take();
        if let Some(call) = self.call_mut(at) {
            let mut info = derive(call, session.as_ref());
            let before = call.shown.as_ref();
            info.rev = before.map_or(0, |shown| shown.rev);
            if before.is_none_or(|shown| **shown != info) {
                if before.is_some() {
                    info.rev = info.rev.saturating_add(1);
                }
                let info = Arc::new(info);
                call.shown = Some(info.clone());
                let item =
                    TurnItem { seq: call.seq, at: info.started_at, content: ItemContent::ToolCall(info) };
                changes.push(Change::Item { turn: Some(call.key.turn.clone()), item });
            }
        }
        self.session = session;
    }
}
