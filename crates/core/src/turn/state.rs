//! The turns that the reducer holds: the open one, and of closed ones what later rows may still amend.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::Call;
use super::{ItemContent, Turn, TurnItem};
use crate::ids::{CallId, TurnId};
use crate::time::Timestamp;
use crate::tool_call::{CallKey, Output, PlanItem};
use crate::transcript::{ChatLayer, ContextUsage, Goal, Message, Notice, Reasoning, TurnEnd};

/// How many turns after its own a call waits for rows that amend it.
const KEPT_TURNS: usize = 64;
/// How many such calls at most.
const KEPT_CALLS: usize = 512;
/// How much output of one turn is kept whole, in bytes; past that, head and tail of each.
const OUTPUT_BUDGET: usize = 4 << 20;
const CLIPPED_HEAD: usize = 3 << 10;
const CLIPPED_TAIL: usize = 1 << 10;

/// Where a turn stands among the session's.
pub(super) type Ordinal = u64;

/// The open turn.
#[derive(Debug)]
pub(super) struct OpenTurn {
    pub(super) id: TurnId,
    pub(super) ordinal: Ordinal,
    /// Whether the log said that it began; else its first record implied it.
    pub(super) is_explicit: bool,
    pub(super) started_at: Option<Timestamp>,
    pub(super) calls: Vec<Call>,
    pub(super) usage: Option<ContextUsage>,
    items: Vec<Entry>,
    next_seq: u32,
    /// The calls with each id, in order.
    by_id: HashMap<CallId, Vec<usize>>,
    /// The owner of each execution made by a script.
    pub(super) nested: HashMap<CallId, usize>,
    /// The calls whose script may own executions.
    scripts: BTreeSet<usize>,
    /// The calls neither answered nor executed.
    pending: BTreeSet<usize>,
    /// Ids of messages shown, and the place of the newest message.
    message_ids: HashSet<(ChatLayer, String)>,
    last_message: Option<usize>,
    /// The user interface's layers seen: `chat` for messages, `thoughts` for reasoning.
    pub(super) chat_is_ui: bool,
    pub(super) thoughts_are_ui: bool,
    output_bytes: usize,
}

/// An item and whether it waits for the turn's end to tell if another layer says the same.
#[derive(Debug)]
struct Entry {
    seq: u32,
    at: Option<Timestamp>,
    content: EntryContent,
    waits: bool,
    /// Another layer has said the same: it answers for one twin only.
    has_twin: bool,
}

#[derive(Debug)]
enum EntryContent {
    Message(Message),
    Reasoning(Reasoning),
    Plan(Vec<PlanItem>),
    Call(usize),
    Goal(Goal),
    Notice(Notice),
}

impl OpenTurn {
    pub(super) fn new(id: TurnId, ordinal: Ordinal, is_explicit: bool, at: Option<Timestamp>) -> Self {
        Self {
            id,
            ordinal,
            is_explicit,
            started_at: at,
            calls: Vec::new(),
            usage: None,
            items: Vec::new(),
            next_seq: 0,
            by_id: HashMap::new(),
            nested: HashMap::new(),
            scripts: BTreeSet::new(),
            pending: BTreeSet::new(),
            message_ids: HashSet::new(),
            last_message: None,
            chat_is_ui: false,
            thoughts_are_ui: false,
            output_bytes: 0,
        }
    }

    fn push(&mut self, at: Option<Timestamp>, content: EntryContent, waits: bool) -> u32 {
        let seq = self.next_seq;
        self.next_seq = self.next_seq.saturating_add(1);
        self.items.push(Entry { seq, at, content, waits, has_twin: false });
        seq
    }

    /// Whether anything but the user's words is in the turn.
    pub(super) fn has_answer(&self) -> bool {
        self.items.iter().any(|entry| match &entry.content {
            EntryContent::Message(message) => message.role == crate::transcript::Role::Agent,
            EntryContent::Reasoning(_)
            | EntryContent::Plan(_)
            | EntryContent::Call(_)
            | EntryContent::Goal(_) => true,
            EntryContent::Notice(_) => false,
        })
    }

    /// Adds a message. `None`: it is the twin of one that is there, or waits for the turn's end.
    pub(super) fn add_message(&mut self, at: Option<Timestamp>, message: Message) -> Option<TurnItem> {
        if message.layer != ChatLayer::Model {
            self.chat_is_ui = true;
        }
        if self.is_twin(&message) {
            return None;
        }
        let waits = message.layer == ChatLayer::Model;
        if !waits {
            self.last_message = Some(self.items.len());
        }
        let seq = self.push(at, EntryContent::Message(message.clone()), waits);
        (!waits).then_some(TurnItem { seq, at, content: ItemContent::Message(message) })
    }

    /// Whether the message is there already: under its id, or said by another layer right before.
    fn is_twin(&mut self, message: &Message) -> bool {
        if let Some(id) = &message.id
            && !self.message_ids.insert((message.layer, id.clone()))
        {
            return true;
        }
        let Some(entry) = self.last_message.and_then(|at| self.items.get_mut(at)) else { return false };
        let EntryContent::Message(there) = &entry.content else { return false };
        let says_the_same = there.role == message.role && there.text == message.text;
        let is_ui = |layer| layer != ChatLayer::Model;
        let other_layer = there.layer != message.layer && is_ui(there.layer) && is_ui(message.layer);
        // Two layers say the same next to each other; an equal message after that pair is meant.
        says_the_same && other_layer && !std::mem::replace(&mut entry.has_twin, true)
    }

    /// Adds a reasoning summary; as for messages, the user interface's layer wins.
    pub(super) fn add_reasoning(&mut self, at: Option<Timestamp>, reasoning: Reasoning) -> Option<TurnItem> {
        let waits = reasoning.layer == ChatLayer::Model;
        self.thoughts_are_ui |= !waits;
        let seq = self.push(at, EntryContent::Reasoning(reasoning.clone()), waits);
        (!waits).then_some(TurnItem { seq, at, content: ItemContent::Reasoning(reasoning) })
    }

    pub(super) fn add_plan(&mut self, at: Option<Timestamp>, plan: Vec<PlanItem>) -> TurnItem {
        let seq = self.push(at, EntryContent::Plan(plan.clone()), false);
        TurnItem { seq, at, content: ItemContent::Plan(plan) }
    }

    pub(super) fn add_goal(&mut self, at: Option<Timestamp>, goal: Goal) -> TurnItem {
        let seq = self.push(at, EntryContent::Goal(goal.clone()), false);
        TurnItem { seq, at, content: ItemContent::Goal(goal) }
    }

    pub(super) fn add_notice(&mut self, at: Option<Timestamp>, notice: Notice) -> TurnItem {
        let seq = self.push(at, EntryContent::Notice(notice.clone()), false);
        TurnItem { seq, at, content: ItemContent::Notice(notice) }
    }

    /// Adds a call with this id and gives its index.
    pub(super) fn add_call(&mut self, id: &CallId, at: Option<Timestamp>) -> usize {
        let index = self.calls.len();
        let same_id = self.by_id.entry(id.clone()).or_default();
        let n = u32::try_from(same_id.len()).unwrap_or(u32::MAX);
        same_id.push(index);
        let key = CallKey { turn: self.id.clone(), id: id.clone(), n };
        let seq = self.push(at, EntryContent::Call(index), false);
        self.calls.push(Call::new(key, seq, at));
        self.pending.insert(index);
        index
    }

    /// The newest call with this id of which `is` holds.
    pub(super) fn newest_with_id(&self, id: &CallId, is: impl Fn(&Call) -> bool) -> Option<usize> {
        self.by_id.get(id)?.iter().rev().copied().find(|index| is(&self.calls[*index]))
    }

    /// Keeps the lists of calls that wait for something in step with the call.
    pub(super) fn note(&mut self, index: usize) {
        let Some(call) = self.calls.get(index) else { return };
        if call.answer.is_some() || call.execution.is_some() {
            self.pending.remove(&index);
        }
        if call.unwrapped().is_some_and(|_| call.is_open_wrapper() || call.has_free_site()) {
            self.scripts.insert(index);
        } else {
            self.scripts.remove(&index);
        }
    }

    /// The calls whose script may own an execution.
    pub(super) fn scripts(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.scripts.iter().map(|index| (*index, &self.calls[*index]))
    }

    /// The calls neither answered nor executed.
    pub(super) fn pending(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.pending.iter().map(|index| (*index, &self.calls[*index]))
    }

    /// Charges an output to the turn's budget; past the budget it is cut to head and tail.
    pub(super) fn charge(&mut self, output: &mut Option<Output>) {
        if let Some(output) = output {
            self.output_bytes = self.output_bytes.saturating_add(output.text.len());
            if self.output_bytes > OUTPUT_BUDGET {
                clip(output);
            }
        }
    }

    /// The messages and thoughts that waited and that no other layer says.
    pub(super) fn reveal(&mut self) -> Vec<TurnItem> {
        let (chat_is_ui, thoughts_are_ui) = (self.chat_is_ui, self.thoughts_are_ui);
        self.items.retain(|entry| match &entry.content {
            EntryContent::Message(_) => !entry.waits || !chat_is_ui,
            EntryContent::Reasoning(_) => !entry.waits || !thoughts_are_ui,
            EntryContent::Plan(_)
            | EntryContent::Call(_)
            | EntryContent::Goal(_)
            | EntryContent::Notice(_) => true,
        });
        let mut revealed = Vec::new();
        for at in 0..self.items.len() {
            if std::mem::take(&mut self.items[at].waits) {
                revealed.extend(self.item(&self.items[at]));
            }
        }
        revealed
    }

    fn item(&self, entry: &Entry) -> Option<TurnItem> {
        let content = match &entry.content {
            EntryContent::Message(message) => ItemContent::Message(message.clone()),
            EntryContent::Reasoning(reasoning) => ItemContent::Reasoning(reasoning.clone()),
            EntryContent::Plan(plan) => ItemContent::Plan(plan.clone()),
            EntryContent::Call(index) => ItemContent::ToolCall(self.calls.get(*index)?.shown.clone()?),
            EntryContent::Goal(goal) => ItemContent::Goal(goal.clone()),
            EntryContent::Notice(notice) => ItemContent::Notice(notice.clone()),
        };
        Some(TurnItem { seq: entry.seq, at: entry.at, content })
    }

    /// The turn as it is now.
    pub(super) fn view(&self, ended_at: Option<Timestamp>, end: Option<TurnEnd>) -> Turn {
        let items =
            self.items.iter().filter(|entry| !entry.waits).filter_map(|entry| self.item(entry)).collect();
        Turn { id: self.id.clone(), started_at: self.started_at, ended_at, end, items, usage: self.usage }
    }
}

fn clip(output: &mut Output) {
    let text = &output.text;
    if text.len() <= CLIPPED_HEAD + CLIPPED_TAIL {
        return;
    }
    let (head, tail) =
        (text.floor_char_boundary(CLIPPED_HEAD), text.ceil_char_boundary(text.len() - CLIPPED_TAIL));
    output.text = Arc::from(format!("{}\n…\n{}", &text[..head], &text[tail..]));
    output.cut = true;
}

/// A turn that has ended, with the calls that may still be amended.
#[derive(Debug)]
pub(super) struct ClosedTurn {
    pub(super) stub: Stub,
    pub(super) calls: Vec<Call>,
}

/// What is always kept of a recent turn.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Stub {
    pub(super) id: TurnId,
    pub(super) ordinal: Ordinal,
    pub(super) next_seq: u32,
}

impl Stub {
    pub(super) fn take_seq(&mut self) -> u32 {
        let seq = self.next_seq;
        self.next_seq = self.next_seq.saturating_add(1);
        seq
    }
}

/// The recent closed turns, oldest first.
#[derive(Debug, Default)]
pub(super) struct ClosedTurns(VecDeque<ClosedTurn>);

impl ClosedTurns {
    pub(super) fn from_stubs(stubs: Vec<Stub>) -> Self {
        Self(stubs.into_iter().map(|stub| ClosedTurn { stub, calls: Vec::new() }).collect())
    }

    pub(super) fn stubs(&self) -> Vec<Stub> {
        self.0.iter().map(|turn| turn.stub.clone()).collect()
    }

    /// Closes a turn: only what may be amended stays, and only so much.
    pub(super) fn close(&mut self, turn: OpenTurn, records_nested: bool) {
        let mut calls = turn.calls;
        calls.retain(|call| call.may_be_amended(records_nested));
        let stub = Stub { id: turn.id, ordinal: turn.ordinal, next_seq: turn.next_seq };
        self.0.push_back(ClosedTurn { stub, calls });
        if self.0.len() > KEPT_TURNS {
            self.0.pop_front();
        }
        let mut excess = self.0.iter().map(|t| t.calls.len()).sum::<usize>().saturating_sub(KEPT_CALLS);
        for turn in &mut self.0 {
            let gone = excess.min(turn.calls.len());
            turn.calls.drain(..gone);
            excess -= gone;
        }
    }

    pub(super) fn has_calls(&self) -> bool {
        self.0.iter().any(|turn| !turn.calls.is_empty())
    }

    pub(super) fn position(&self, id: &TurnId) -> Option<usize> {
        self.0.iter().rposition(|turn| turn.stub.id == *id)
    }

    pub(super) fn get(&self, at: usize) -> Option<&ClosedTurn> {
        self.0.get(at)
    }

    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut ClosedTurn> {
        self.0.get_mut(at)
    }

    /// With their places, oldest first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &ClosedTurn)> {
        self.0.iter().enumerate()
    }
}
