//! What a person sees of a log, as short lines: for golden files and for tables.

use larkspan_core::markdown::detail_markdown;
use larkspan_core::presentation::{DetailLevel, Locale, notice_line, plan_lines, title};
use larkspan_core::text::first_line;
use larkspan_core::tool_call::{ToolCallInfo, ToolCallStatus};
use larkspan_core::transcript::Role;
use larkspan_core::turn::{ItemContent, TurnItem};

use super::reading::State;

/// How much of a text is kept, in code points.
const KEPT: usize = 100;

/// One line of it, cut.
pub(crate) fn short(text: &str) -> String {
    let line = text.trim_end().replace('\n', "⏎");
    match line.char_indices().nth(KEPT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A word for a status.
pub(crate) fn word(status: ToolCallStatus) -> &'static str {
    match status {
        ToolCallStatus::Running => "running",
        ToolCallStatus::Completed => "completed",
        ToolCallStatus::Failed => "failed",
        ToolCallStatus::Aborted => "aborted",
        ToolCallStatus::Unknown => "unknown",
    }
}

/// Everything, with ids and states: what a golden file holds.
pub(crate) fn everything(state: &State) -> String {
    let mut lines = Vec::new();
    if let Some(info) = &state.session {
        let nested = if info.records_nested { " · records nested calls" } else { "" };
        let sub = if info.is_subagent { " · sub-agent" } else { "" };
        let version = info.agent_version.as_deref().unwrap_or("?");
        let model = info.model.as_deref().unwrap_or("?");
        let cwd = info.cwd.as_deref().unwrap_or("?");
        lines.push(format!("session {} {version} · {model} · {cwd}{nested}{sub}", info.agent));
    }
    for item in &state.outside {
        lines.extend(item_lines(item, true));
    }
    for (number, turn) in state.turns.iter().enumerate() {
        lines.push(format!("turn {}", number + 1));
        for item in turn.items.values() {
            lines.extend(item_lines(item, true).into_iter().map(|line| format!("  {line}")));
        }
        let end = turn.end.as_ref().map_or_else(
            || "none".to_owned(),
            |end| {
                let reason = end.reason.as_deref().map(|reason| format!(": {}", short(reason)));
                format!("{}{}", format!("{:?}", end.outcome).to_lowercase(), reason.unwrap_or_default())
            },
        );
        lines.push(format!("  end {end}"));
    }
    lines.extend(state.unknown.iter().map(|(kind, count)| format!("unknown {kind} × {count}")));
    lines.join("\n") + "\n"
}

/// What a person sees, without ids and states: what a table expects.
pub(crate) fn lines(state: &State) -> Vec<String> {
    let outside = state.outside.iter().flat_map(|item| item_lines(item, false));
    let inside =
        state.turns.iter().flat_map(|turn| turn.items.values()).flat_map(|item| item_lines(item, false));
    let unknown = state.unknown.iter().map(|(kind, count)| format!("unknown {kind} × {count}"));
    outside.chain(inside).chain(unknown).collect()
}

fn item_lines(item: &TurnItem, with_ids: bool) -> Vec<String> {
    match &item.content {
        ItemContent::Message(message) => {
            let who = match message.role {
                Role::User => "user",
                Role::Agent => "agent",
            };
            let phase = message.phase.map(|phase| format!(" {phase:?}").to_lowercase()).filter(|_| with_ids);
            vec![format!("{who}{}: {}", phase.unwrap_or_default(), short(&message.text))]
        }
        ItemContent::Reasoning(reasoning) => vec![format!("reasoning: {}", short(&reasoning.text))],
        ItemContent::Plan(items) => {
            plan_lines(items).into_iter().map(|line| format!("plan {line}")).collect()
        }
        ItemContent::ToolCall(call) => call_lines(call, with_ids),
        ItemContent::Goal(goal) => vec![format!("goal: {}", short(&goal.objective))],
        ItemContent::Notice(notice) => vec![format!("notice: {}", short(&notice_line(notice, Locale::ZhCn)))],
    }
}

/// A call: its title, why it failed, its children.
pub(crate) fn call_lines(call: &ToolCallInfo, with_ids: bool) -> Vec<String> {
    let mut lines = vec![title(call, Locale::ZhCn).to_string()];
    if with_ids {
        lines[0].push_str(&format!("  [{} {}]", call.key, word(call.status)));
    }
    if let Some(failure) = &call.outcome.failure {
        lines.push(format!("  ! {}", short(first_line(failure))));
    }
    if let Some(failure) = &call.outcome.script_failure {
        lines.push(format!("  !! {}", short(first_line(failure))));
    }
    for child in &call.children {
        let mut title = title(child, Locale::ZhCn).to_string();
        if with_ids {
            title.push_str(&format!("  [{}]", word(child.status)));
        }
        lines.push(format!("  - {title}"));
        lines.extend(
            child.outcome.failure.as_deref().map(|failure| format!("    ! {}", short(first_line(failure)))),
        );
    }
    lines
}

/// Every word of a call that a surface may show: title and detail, in both languages and on both levels.
pub(crate) fn all_words(call: &ToolCallInfo) -> Vec<String> {
    [Locale::ZhCn, Locale::En]
        .into_iter()
        .flat_map(|locale| {
            [
                title(call, locale).to_string(),
                detail_markdown(call, DetailLevel::Card, locale),
                detail_markdown(call, DetailLevel::Full, locale),
            ]
        })
        .collect()
}
