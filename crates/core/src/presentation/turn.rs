//! What a person reads of a turn besides its calls: notices, plans, how it ended.

use super::locale::Locale;
use super::title::{duration, plan_icon};
use crate::redaction::redact;
use crate::text::{clip, collapse_whitespace, escape_markdown};
use crate::tool_call::PlanItem;
use crate::transcript::{ContextUsage, Notice, NoticeKind, TurnOutcome};
use crate::turn::Turn;

/// Code points of a notice, and of why a turn ended.
const NOTICE: usize = 600;

/// A notice as one line of Markdown.
pub fn notice_line(notice: &Notice, locale: Locale) -> String {
    let label = match notice.kind {
        NoticeKind::Compaction => locale.pick("🗜️ 上下文已压缩", "🗜️ Context compacted"),
        NoticeKind::Error => locale.pick("❌ 错误", "❌ Error"),
        NoticeKind::Warning => locale.pick("⚠️ 警告", "⚠️ Warning"),
        NoticeKind::Fork => locale.pick("🔀 延续自会话", "🔀 Continues session"),
        NoticeKind::Agents => locale.pick("🤖 子任务", "🤖 Agents"),
        NoticeKind::Log => locale.pick("📄 日志", "📄 Log"),
        NoticeKind::Info => "ℹ️",
    };
    let text = one_line(&notice.text);
    if text.is_empty() { label.to_owned() } else { format!("{label} {text}") }
}

/// The items of a plan, each a line of Markdown.
pub fn plan_lines(items: &[PlanItem]) -> Vec<String> {
    items.iter().map(|item| format!("{} {}", plan_icon(item.status), one_line(&item.text))).collect()
}

/// How a turn ended, as one line of Markdown: why, how long it took, what it used.
pub fn turn_footer(turn: &Turn, locale: Locale) -> Option<String> {
    let end = turn.end.as_ref()?;
    let mut parts = Vec::new();
    let word = match end.outcome {
        TurnOutcome::Completed => None,
        TurnOutcome::Aborted => Some(locale.pick("⏹️ 已中断", "⏹️ Aborted")),
        TurnOutcome::Failed => Some(locale.pick("❌ 失败", "❌ Failed")),
        TurnOutcome::Superseded => Some(locale.pick("❔ 无结束记录", "❔ No end recorded")),
        TurnOutcome::Open => Some(locale.pick("❔ 日志在此结束", "❔ The log ends here")),
    };
    if let Some(word) = word {
        let reason = end.reason.as_deref().map(one_line).filter(|reason| !reason.is_empty());
        parts.push(
            reason.map_or_else(
                || word.to_owned(),
                |reason| format!("{word}{}{reason}", locale.pick("：", ": ")),
            ),
        );
    }
    if let (Some(from), Some(to)) = (turn.started_at, turn.ended_at)
        && let Some(took) = duration(to.since(from))
    {
        parts.push(format!("{} {took}", locale.pick("已运行", "Ran")));
    }
    parts.extend(turn.usage.iter().flat_map(usage_parts));
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Tokens, each count a part of a status line: `Context 42k(16%)` · `↑42k ↓1.2k`.
pub fn usage_parts(usage: &ContextUsage) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(tokens) = usage.context_tokens {
        let share = usage.context_window.filter(|window| *window > 0);
        let share =
            share.map(|window| format!("({}%)", tokens.saturating_mul(100) / window)).unwrap_or_default();
        parts.push(format!("Context {}{share}", short(tokens)));
    }
    if let (Some(input), Some(output)) = (usage.input_tokens, usage.output_tokens) {
        parts.push(format!("↑{} ↓{}", short(input), short(output)));
    }
    parts
}

fn one_line(text: &str) -> String {
    escape_markdown(&clip(&collapse_whitespace(&redact(text)), NOTICE)).into_owned()
}

/// `950` · `1.2k` · `42k` · `1.3M`.
fn short(count: u64) -> String {
    let tenths = |unit: u64| {
        let tenths = count.saturating_mul(10) / unit;
        if tenths < 100 && !tenths.is_multiple_of(10) {
            format!("{}.{}", tenths / 10, tenths % 10)
        } else {
            (tenths / 10).to_string()
        }
    };
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}k", tenths(1_000)),
        1_000_000.. => format!("{}M", tenths(1_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn counts_are_short() {
        for (count, text) in
            [(0, "0"), (999, "999"), (1_000, "1k"), (1_250, "1.2k"), (42_310, "42k"), (1_300_000, "1.3M")]
        {
            assert_eq!(short(count), text);
        }
    }
}
