//! When turns begin and end, and what is taken back.

use std::collections::VecDeque;

use larkspan_core::transcript::{NoticeKind, Phase, RecordBody, TurnEnd, TurnOutcome};
use serde::{Deserialize, Serialize};

use super::{LogReader, Sink};

/// How many of the newest prompts are remembered, to name the ones that are taken back.
const PROMPTS: usize = 32;
/// How much of a prompt, in characters.
const PROMPT_HEAD: usize = 60;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that the log has said, or has not")]
pub(super) struct Turns {
    /// How many turns began. Ids of calls repeat between turns: this parts them.
    count: u64,
    /// How many steps of this turn began.
    step: u64,
    is_open: bool,
    /// Nothing but the person's words is in the open turn.
    is_fresh: bool,
    /// The open turn's steps are recorded as such: they tell when it ends.
    has_steps: bool,
    /// The step has called tools: it is not the last one.
    step_has_calls: bool,
    /// The turn's id in the log.
    log_id: Option<String>,
    prompts: VecDeque<String>,
}

impl Turns {
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.is_open && self.is_fresh
    }

    pub(super) fn has_steps(&self) -> bool {
        self.has_steps
    }

    /// Whether the step has called tools.
    pub(super) fn step_has_calls(&self) -> bool {
        self.step_has_calls
    }

    /// The agent has begun to answer.
    pub(super) fn answers(&mut self) {
        self.is_fresh = false;
    }

    pub(super) fn calls_tool(&mut self) {
        self.step_has_calls = true;
    }

    /// An id of the log, made unique within it.
    pub(super) fn scoped(&self, id: &str) -> String {
        format!("{}.{}/{id}", self.count, self.step)
    }

    pub(super) fn remember_prompt(&mut self, text: &str) {
        let words = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
        let head: String = words.take(PROMPT_HEAD).collect();
        let more = if head.len() < text.len() { "…" } else { "" };
        if self.prompts.len() == PROMPTS {
            self.prompts.pop_front();
        }
        self.prompts.push_back(format!("{head}{more}"));
    }

    /// What came before cannot be taken back any more.
    pub(super) fn forget_prompts(&mut self) {
        self.prompts.clear();
    }
}

impl LogReader {
    pub(super) fn start_turn(&mut self, sink: &mut Sink<'_>) {
        self.flush(sink);
        let turns = &mut self.memory.turns;
        turns.count = turns.count.saturating_add(1);
        turns.step = 0;
        turns.is_open = true;
        turns.is_fresh = true;
        turns.has_steps = false;
        turns.step_has_calls = false;
        turns.log_id = None;
        self.memory.said.clear();
        self.memory.calls.forget_answered();
        self.memory.approvals.forget_refusals();
        sink.push(RecordBody::TurnStarted);
        if let Some(goal) = self.memory.untold_goal.take() {
            sink.push(RecordBody::Goal(goal));
        }
    }

    /// Tells a notice, after what came before it.
    pub(super) fn note(&mut self, kind: NoticeKind, text: impl Into<String>, sink: &mut Sink<'_>) {
        self.flush_text(None, sink);
        sink.notice(kind, text);
    }

    /// What is told next lies in a turn, even where the log does not say that one began.
    pub(super) fn in_turn(&mut self, sink: &mut Sink<'_>) {
        if !self.memory.turns.is_open {
            self.start_turn(sink);
        }
    }

    /// The row is of the turn with this id; where that is not the open one, it has begun without a word.
    pub(super) fn in_turn_of(&mut self, id: Option<&str>, sink: &mut Sink<'_>) {
        let is_another = |open: &str| id.is_some_and(|id| id != open);
        if self.memory.turns.log_id.as_deref().is_some_and(is_another) && self.memory.turns.is_open {
            self.start_turn(sink);
        }
        self.in_turn(sink);
        if let Some(id) = id {
            self.memory.turns.log_id = Some(id.to_owned());
        }
    }

    pub(super) fn start_step(&mut self, sink: &mut Sink<'_>) {
        self.flush(sink);
        self.in_turn(sink);
        let turns = &mut self.memory.turns;
        turns.step = turns.step.saturating_add(1);
        turns.step_has_calls = false;
        turns.answers();
    }

    /// The log records the steps of this turn.
    pub(super) fn steps_are_told(&mut self) {
        self.memory.turns.has_steps = true;
    }

    pub(super) fn end_turn(&mut self, outcome: TurnOutcome, reason: Option<String>, sink: &mut Sink<'_>) {
        let phase = (outcome == TurnOutcome::Completed).then_some(Phase::Final);
        self.flush_call(sink);
        self.flush_text(phase, sink);
        if std::mem::take(&mut self.memory.turns.is_open) {
            sink.push(RecordBody::TurnEnded(TurnEnd { outcome, reason }));
        }
    }

    /// The newest prompts, and all that followed them, are taken back.
    ///
    /// What was told of them cannot be untold: records are added, never removed, and a surface has shown them. So a
    /// notice names them; a turn of them that is still open ends here, as undone.
    pub(super) fn undo(&mut self, count: u64, sink: &mut Sink<'_>) {
        self.flush(sink);
        let prompts = &mut self.memory.turns.prompts;
        let kept = prompts.len().saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
        let undone: Vec<String> = prompts.drain(kept..).map(|prompt| format!("“{prompt}”")).collect();
        let what = if undone.is_empty() { "the last turn".to_owned() } else { undone.join(" · ") };
        sink.notice(NoticeKind::Info, format!("undone: {what} and all that followed"));
        self.end_turn(TurnOutcome::Aborted, Some("undone".to_owned()), sink);
    }
}
