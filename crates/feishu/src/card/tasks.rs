//! The plan as the card's list of tasks.

use larkspan_core::presentation::Locale;
use larkspan_core::redaction::redact;
use larkspan_core::text::{clip, collapse_whitespace, escape_markdown};
use larkspan_core::tool_call::{PlanItem, PlanStatus, ToolCallDetail, ToolCallInfo, ToolCallStatus};
use larkspan_core::transcript::TurnOutcome;
use larkspan_core::turn::{ItemContent, Turn};

use super::words;

/// How many tasks are listed, and code points of each.
const LISTED: usize = 20;
const TASK: usize = 100;

/// How a task stands, as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Done,
    Running,
    Waiting,
    NotDone,
    Stopped,
}

impl State {
    const ALL: [Self; 5] = [Self::Done, Self::Running, Self::Waiting, Self::NotDone, Self::Stopped];

    fn of(status: PlanStatus, end: Option<TurnOutcome>) -> Self {
        match (status, end) {
            (PlanStatus::Completed, _) => Self::Done,
            (PlanStatus::InProgress, None) => Self::Running,
            (PlanStatus::Pending, None) => Self::Waiting,
            (PlanStatus::Cancelled, _)
            | (PlanStatus::InProgress, Some(TurnOutcome::Aborted | TurnOutcome::Failed)) => Self::Stopped,
            (PlanStatus::InProgress | PlanStatus::Pending, Some(_)) => Self::NotDone,
        }
    }

    fn label(self, locale: Locale) -> (&'static str, &'static str) {
        match self {
            Self::Done => ("✅", words::pick(locale, "已完成", "done")),
            Self::Running => ("🔄", words::pick(locale, "执行中", "in progress")),
            Self::Waiting => ("⏳", words::pick(locale, "等待中", "waiting")),
            Self::NotDone => ("⚠️", words::pick(locale, "未执行", "not done")),
            Self::Stopped => ("❌", words::pick(locale, "已中断", "interrupted")),
        }
    }
}

/// The newest plan of a turn, as Markdown: how many tasks stand how, then each.
pub(super) fn tasks(turn: &Turn, locale: Locale) -> Option<String> {
    let items = turn.items.iter().rev().find_map(|item| match &item.content {
        ItemContent::Plan(items) => Some(items.as_slice()),
        ItemContent::ToolCall(call) => plan_of(call),
        ItemContent::Message(_)
        | ItemContent::Reasoning(_)
        | ItemContent::Goal(_)
        | ItemContent::Notice(_) => None,
    })?;
    if items.is_empty() {
        return None;
    }
    let end = turn.end.as_ref().map(|end| end.outcome);
    let states: Vec<State> = items.iter().map(|item| State::of(item.status, end)).collect();
    let mut head = vec![format!("**{}**", words::tasks(locale))];
    head.extend(State::ALL.iter().filter_map(|state| {
        let count = states.iter().filter(|other| *other == state).count();
        let (icon, word) = state.label(locale);
        (count > 0).then(|| format!("{icon} {word} {count}"))
    }));
    let mut lines = vec![head.join(" · "), String::new()];
    for (item, state) in items.iter().zip(&states).take(LISTED) {
        let text = escape_markdown(&clip(&collapse_whitespace(&redact(&item.text)), TASK)).into_owned();
        lines.push(format!("- {} {text}", state.label(locale).0));
    }
    if items.len() > LISTED {
        lines.push(format!("- +{}", items.len() - LISTED));
    }
    Some(lines.join("\n"))
}

/// The newest plan that a call, or a call within it, has set.
fn plan_of(call: &ToolCallInfo) -> Option<&[PlanItem]> {
    let within = call.children.iter().rev().find_map(plan_of);
    // A change that was refused changed nothing.
    let has_failed = call.status == ToolCallStatus::Failed;
    let own = if let ToolCallDetail::Plan(plan) = &call.detail { plan.items.as_slice() } else { &[] };
    let own = if has_failed { &[] } else { own };
    within.or((!own.is_empty()).then_some(own))
}
