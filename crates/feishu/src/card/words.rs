//! The words of a card, by language. Words that are the same for every surface are core's.

use larkspan_core::presentation::Locale;
use larkspan_core::transcript::TurnOutcome;

/// Picks the words.
pub(super) fn pick(locale: Locale, zh: &'static str, en: &'static str) -> &'static str {
    match locale {
        Locale::ZhCn => zh,
        Locale::En => en,
    }
}

/// What separates a label from what it labels.
pub(super) fn colon(locale: Locale) -> &'static str {
    pick(locale, "：", ": ")
}

/// What a card shows of a turn that did not come to its end.
pub(crate) const INTERRUPTED: &str = "⚠️ Interrupted";

/// What a card shows before anything is there.
pub(crate) const THINKING: &str = "💭 Thinking…";

/// The panel of what happened.
pub(super) fn history(locale: Locale) -> &'static str {
    pick(locale, "历史记录", "History")
}

/// A group of calls.
pub(super) fn calls(locale: Locale, count: usize) -> String {
    format!("{} · {count}", pick(locale, "工具调用", "Tool calls"))
}

/// What stands before a user's text.
pub(super) fn user(locale: Locale) -> String {
    format!("**{}**{}", pick(locale, "用户", "User"), colon(locale))
}

/// What is added to the title of something that began on an earlier card.
pub(super) fn continued(locale: Locale) -> &'static str {
    pick(locale, "（续）", " (continued)")
}

/// What a card shows whose turn goes on in the next.
pub(super) fn goes_on(locale: Locale) -> &'static str {
    pick(locale, "已续接到下一条", "Continued in the next card")
}

/// What stands in the panel of a call whose title says it all.
pub(super) fn nothing_more(locale: Locale) -> &'static str {
    pick(locale, "_没有更多内容_", "_Nothing more to show_")
}

/// What stands for text that no longer fits into a card that was full when it came.
pub(super) fn no_room(locale: Locale) -> &'static str {
    pick(locale, "_后来增加的内容，本卡片放不下_", "_What was added later does not fit into this card_")
}

/// How a turn ended, in a word.
pub(super) fn outcome(locale: Locale, outcome: TurnOutcome) -> &'static str {
    match outcome {
        TurnOutcome::Completed => pick(locale, "已完成", "Done"),
        TurnOutcome::Aborted => pick(locale, "已中断", "Interrupted"),
        TurnOutcome::Failed => pick(locale, "失败", "Failed"),
        TurnOutcome::Superseded | TurnOutcome::Open => pick(locale, "无结束记录", "No end recorded"),
    }
}

/// What runs.
pub(super) fn step(locale: Locale) -> String {
    format!("{}{}", pick(locale, "当前步骤", "Current step"), colon(locale))
}

/// What the agent thinks.
pub(super) fn thought(locale: Locale) -> String {
    format!("{}{}", pick(locale, "当前思考", "Thinking of"), colon(locale))
}

/// The first status.
pub(super) fn working(locale: Locale) -> &'static str {
    pick(locale, "处理中", "Working")
}

/// What a list of chats shows of a turn of which there is nothing yet.
pub(super) fn thinking(locale: Locale) -> &'static str {
    pick(locale, "思考中…", "Thinking…")
}

/// How long the turn has taken.
pub(super) fn has_run(locale: Locale) -> &'static str {
    pick(locale, "已运行", "Ran")
}

/// How long ago the agent said something.
pub(super) fn last_answer(locale: Locale) -> &'static str {
    pick(locale, "上次响应", "Last answer")
}

/// The rest of a long text.
pub(super) fn rest(locale: Locale, characters: usize) -> String {
    match locale {
        Locale::ZhCn => format!("展开其余 {characters} 字"),
        Locale::En => format!("{characters} more characters"),
    }
}

/// The plan.
pub(super) fn tasks(locale: Locale) -> &'static str {
    pick(locale, "任务", "Tasks")
}

/// A turn without a request that could name it.
pub(super) fn untitled(locale: Locale) -> &'static str {
    pick(locale, "新一轮", "A turn")
}

/// The number of a card of a turn that has several.
pub(super) fn part(locale: Locale, number: usize) -> String {
    match locale {
        Locale::ZhCn => format!("续 {number}"),
        Locale::En => format!("part {}", number + 1),
    }
}
