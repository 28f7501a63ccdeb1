//! A history as Markdown.

use std::fmt::Write as _;
use std::io::{self, Write};

use larkspan_core::ids::SessionId;
use larkspan_core::markdown::detail_markdown;
use larkspan_core::presentation::{DetailLevel, Locale, notice_line, plan_lines, title, turn_footer};
use larkspan_core::redaction::redact;
use larkspan_core::tool_call::ToolCallInfo;
use larkspan_core::transcript::{Role, SessionInfo, UnknownRecord};
use larkspan_core::turn::{ItemContent, Section, Turn, TurnItem};

use super::{Format, Style};

/// A history as Markdown, for a terminal, an editor or a forge.
#[derive(Debug, Clone, Default)]
pub struct Markdown {
    style: Style,
    has_head: bool,
    turns: u64,
}

impl Markdown {
    /// In this style.
    pub fn new(style: Style) -> Self {
        Self { style, ..Self::default() }
    }

    fn word(&self, zh: &'static str, en: &'static str) -> &'static str {
        match self.style.locale {
            Locale::ZhCn => zh,
            Locale::En => en,
        }
    }

    fn section(&self, text: &mut String, section: &Section<'_>) {
        match section {
            Section::Tools(calls) => {
                let _ = writeln!(text, "### {} · {}\n", self.word("工具调用", "Tool calls"), calls.len());
                for call in calls {
                    self.call(text, call);
                }
            }
            Section::Item(item) => self.item_text(text, item),
        }
    }

    fn item_text(&self, text: &mut String, item: &TurnItem) {
        match &item.content {
            ItemContent::Message(message) => {
                let body = redact(message.text.trim());
                let _ = match message.role {
                    Role::User => writeln!(text, "**{}**：{body}\n", self.word("用户", "User")),
                    Role::Agent => writeln!(text, "{body}\n"),
                };
            }
            ItemContent::Reasoning(reasoning) => {
                let quoted = redact(&reasoning.text).replace('\n', "\n> ");
                let _ = writeln!(text, "> 💭 {quoted}\n");
            }
            ItemContent::Plan(items) => {
                for line in plan_lines(items) {
                    let _ = writeln!(text, "{line}  ");
                }
                text.push('\n');
            }
            ItemContent::Goal(goal) => {
                let status = goal.status.as_deref().map(|status| format!(" ({status})")).unwrap_or_default();
                let _ = writeln!(text, "🎯 {}{status}\n", redact(&goal.objective));
            }
            ItemContent::Notice(notice) => {
                let _ = writeln!(text, "_{}_\n", notice_line(notice, self.style.locale));
            }
            ItemContent::ToolCall(call) => self.call(text, call),
        }
    }

    fn call(&self, text: &mut String, call: &ToolCallInfo) {
        let _ = writeln!(text, "**{}**\n", title(call, self.style.locale));
        let detail = detail_markdown(call, DetailLevel::Full, self.style.locale);
        if !detail.is_empty() {
            let _ = writeln!(text, "{detail}\n");
        }
    }
}

impl Format for Markdown {
    fn session(&mut self, out: &mut dyn Write, info: &SessionInfo) -> io::Result<()> {
        if std::mem::replace(&mut self.has_head, true) {
            return Ok(());
        }
        let version = info.agent_version.as_deref().map(|v| format!(" {v}")).unwrap_or_default();
        writeln!(out, "# {}{version} · {}\n", info.agent, info.id)?;
        let facts = [info.cwd.as_deref(), info.model.as_deref()];
        let facts: Vec<String> = facts.into_iter().flatten().map(|fact| format!("`{fact}`")).collect();
        if !facts.is_empty() {
            writeln!(out, "{}\n", facts.join(" · "))?;
        }
        Ok(())
    }

    fn turn(&mut self, out: &mut dyn Write, _: &SessionId, turn: &Turn) -> io::Result<()> {
        self.turns += 1;
        let at = turn.started_at.map(|at| format!(" · {at}")).unwrap_or_default();
        let mut text = String::new();
        let _ = match self.style.locale {
            Locale::ZhCn => writeln!(text, "## 第 {} 轮{at}\n", self.turns),
            Locale::En => writeln!(text, "## Turn {}{at}\n", self.turns),
        };
        for section in turn.sections(|_| true) {
            self.section(&mut text, &section);
        }
        if let Some(footer) = turn_footer(turn, self.style.locale) {
            let _ = writeln!(text, "_{footer}_\n");
        }
        out.write_all(text.as_bytes())
    }

    fn item(&mut self, out: &mut dyn Write, _: &SessionId, item: &TurnItem) -> io::Result<()> {
        let mut text = String::new();
        self.item_text(&mut text, item);
        out.write_all(text.as_bytes())
    }

    fn end(
        &mut self,
        out: &mut dyn Write,
        _: &SessionId,
        unknown: &[(UnknownRecord, u64)],
    ) -> io::Result<()> {
        if !unknown.is_empty() {
            writeln!(out, "## {}\n", self.word("未识别的记录", "Records not understood"))?;
            for (record, count) in unknown {
                let sample = record
                    .sample
                    .as_deref()
                    .map(|sample| format!(" · {}", redact(sample)))
                    .unwrap_or_default();
                writeln!(out, "- `{}` × {count}{sample}", redact(&record.kind))?;
            }
        }
        Ok(())
    }
}
