//! A history as one HTML page: self-contained, without scripts, for a phone, a desktop and paper.
//!
//! Invariants
//! - The page loads nothing and runs nothing, and its policy says so to the browser; see [`escape`] and [`prose`] for
//!   what becomes of the log's text.
//! - It is written piece by piece: no more than one section of a turn is held, and a bounded piece before the first. A
//!   page that was cut off still shows what it has.
//! - Secrets are masked in everything that comes from the log.
//!
//! The look is `html/page.css`. What must not be folded for good can be unfolded at once by a checkbox, which is CSS.

mod call;
mod item;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::{self, Write};

use larkspan_core::ids::SessionId;
use larkspan_core::presentation::{Locale, turn_footer};
use larkspan_core::redaction::redact;
use larkspan_core::text::{clip, collapse_whitespace};
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{Role, SessionInfo, TurnOutcome, UnknownRecord};
use larkspan_core::turn::{ItemContent, Turn, TurnItem};
use larkspan_html::{code, escape, prose};

use super::{Format, Style};

/// How the page looks.
const CSS: &str = include_str!("html/page.css");

/// What the page may do: nothing but look like itself. Unlike the other directives, `base-uri` and `form-action` do
/// not fall back to `default-src`.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// How much of the user's first words names the page, in code points.
const NAME: usize = 60;

/// How much of what comes before the first turn is kept for the head to wait for that turn, in bytes.
const EARLY: usize = 64 << 10;

/// A history as one HTML page.
#[derive(Debug, Clone, Default)]
pub struct Html {
    style: Style,
    /// The session as last told.
    session: Option<SessionInfo>,
    has_head: bool,
    /// What came before the head was written.
    early: String,
    turns: u64,
}

impl Html {
    /// In this style.
    pub fn new(style: Style) -> Self {
        Self { style, ..Self::default() }
    }

    fn word(&self, zh: &'static str, en: &'static str) -> &'static str {
        word(self.style.locale, zh, en)
    }

    /// Writes the head, once. It waits for the first turn: a log names its model late.
    fn head(&mut self, out: &mut dyn Write, first: Option<&Turn>) -> io::Result<()> {
        if std::mem::replace(&mut self.has_head, true) {
            return Ok(());
        }
        let session = self.session.as_ref();
        let mut agent = session.map_or_else(|| "Larkspan".to_owned(), |info| info.agent.clone());
        if let Some(version) = session.and_then(|info| info.agent_version.as_deref()) {
            let _ = write!(agent, " {version}");
        }
        let language = match self.style.locale {
            Locale::ZhCn => "zh-CN",
            Locale::En => "en",
        };
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n<title>"
        );
        if let Some(words) = first.and_then(first_words) {
            escape::plain(&mut text, &words);
            text.push_str(" · ");
        }
        escape::plain(&mut text, &redact(&agent));
        let _ =
            write!(text, "</title>\n<style>\n{CSS}</style>\n</head>\n<body>\n<header id=\"turn-0\">\n<h1>");
        escape::text(&mut text, &redact(&agent));
        text.push_str("</h1>\n<dl>\n");
        let started_at = first.and_then(|turn| turn.started_at);
        if let Some(at) = started_at {
            let _ = write!(text, "<dt>{}</dt><dd>", self.word("开始", "Started"));
            time(&mut text, at);
            text.push_str("</dd>\n");
        }
        if let Some(info) = session {
            self.fact(&mut text, ("模型", "Model"), info.model.as_deref());
            self.fact(&mut text, ("目录", "Directory"), info.cwd.as_deref());
            self.fact(&mut text, ("会话", "Session"), Some(info.id.as_str()));
            let parent =
                if info.is_subagent { ("上级会话", "Spawned by") } else { ("延续自", "Continues") };
            self.fact(&mut text, parent, info.parent.as_ref().map(SessionId::as_str));
        }
        let unfold = self.word("展开全部", "Unfold all");
        let _ = write!(
            text,
            "</dl>\n<label class=\"unfold\"><input type=\"checkbox\" id=\"unfold\"> {unfold}</label>\n</header>\n<main>\n"
        );
        text.push_str(&std::mem::take(&mut self.early));
        out.write_all(text.as_bytes())
    }

    fn fact(&self, text: &mut String, (zh, en): (&'static str, &'static str), value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let _ = write!(text, "<dt>{}</dt><dd>", self.word(zh, en));
            escape::text(text, &redact(value));
            text.push_str("</dd>\n");
        }
    }

    fn turn_heading(&self, turn: &Turn) -> String {
        let number = self.turns;
        let (back, on) = (number.saturating_sub(1), number.saturating_add(1));
        let name = match self.style.locale {
            Locale::ZhCn => format!("第 {number} 轮"),
            Locale::En => format!("Turn {number}"),
        };
        let mut text = format!(
            "<section class=\"turn\" id=\"turn-{number}\">\n<h2><a href=\"#turn-{number}\">{name}</a> "
        );
        if let Some(at) = turn.started_at {
            time(&mut text, at);
        }
        let (to_back, to_on) = (self.word("上一轮", "Turn before"), self.word("下一轮", "Turn after"));
        let _ = writeln!(
            text,
            "<span class=\"steps\"><a href=\"#turn-{back}\" title=\"{to_back}\">↑</a> <a href=\"#turn-{on}\" title=\"{to_on}\">↓</a></span></h2>"
        );
        text
    }
}

/// Picks the words.
fn word(locale: Locale, zh: &'static str, en: &'static str) -> &'static str {
    match locale {
        Locale::ZhCn => zh,
        Locale::En => en,
    }
}

/// What the user said first in a turn, in a few words, masked.
fn first_words(turn: &Turn) -> Option<String> {
    turn.items.iter().find_map(|item| match &item.content {
        ItemContent::Message(message) if message.role == Role::User => {
            // Masked first: a secret that is cut in two is not known as one.
            let masked = redact(&message.text);
            let words = collapse_whitespace(&masked);
            (!words.is_empty()).then(|| clip(&words, NAME).into_owned())
        }
        ItemContent::Message(_)
        | ItemContent::Reasoning(_)
        | ItemContent::Plan(_)
        | ItemContent::ToolCall(_)
        | ItemContent::Goal(_)
        | ItemContent::Notice(_) => None,
    })
}

/// A point in time, to the second.
fn time(text: &mut String, at: Timestamp) {
    let exact = at.to_string();
    // `2026-11-30T17:20:10.460Z`; what is beyond the calendar prints as another form, and stands as it is.
    match (exact.get(..10), exact.get(10..11), exact.get(11..19)) {
        (Some(date), Some("T"), Some(clock)) => {
            let _ = write!(text, "<time datetime=\"{exact}\">{date} {clock} UTC</time>");
        }
        _ => escape::text(text, &exact),
    }
}

impl Format for Html {
    fn session(&mut self, out: &mut dyn Write, info: &SessionInfo) -> io::Result<()> {
        let mut text = String::new();
        if let Some(known) = self.session.as_ref().filter(|_| self.has_head) {
            let mut changed = |words, now: Option<&str>, before: Option<&str>| {
                if now != before && now.is_some() {
                    self.fact(&mut text, words, now);
                }
            };
            changed(("模型", "Model"), info.model.as_deref(), known.model.as_deref());
            changed(("目录", "Directory"), info.cwd.as_deref(), known.cwd.as_deref());
        }
        self.session = Some(info.clone());
        if text.is_empty() { Ok(()) } else { write!(out, "<dl class=\"change\">\n{text}</dl>\n") }
    }

    fn turn(&mut self, out: &mut dyn Write, _: &SessionId, turn: &Turn) -> io::Result<()> {
        self.head(out, Some(turn))?;
        self.turns += 1;
        out.write_all(self.turn_heading(turn).as_bytes())?;
        let mut text = String::new();
        for section in turn.sections(|_| true) {
            text.clear();
            item::section(&mut text, &section, self.style.locale);
            out.write_all(text.as_bytes())?;
        }
        text.clear();
        if let Some(footer) = turn_footer(turn, self.style.locale) {
            let ended_well = turn.end.as_ref().is_none_or(|end| end.outcome == TurnOutcome::Completed);
            call::line(&mut text, if ended_well { "end" } else { "end cut" }, &footer);
        }
        text.push_str("</section>\n");
        out.write_all(text.as_bytes())
    }

    fn item(&mut self, out: &mut dyn Write, _: &SessionId, item: &TurnItem) -> io::Result<()> {
        let mut text = String::new();
        match &item.content {
            // Of a turn that has been told, or of none.
            ItemContent::ToolCall(call) => {
                let title = self.word("两轮之间的记录", "Recorded between turns");
                let _ = writeln!(text, "<div class=\"late\"><h3>{title}</h3>");
                call::call(&mut text, call, self.style.locale);
                text.push_str("</div>\n");
            }
            ItemContent::Message(_)
            | ItemContent::Reasoning(_)
            | ItemContent::Plan(_)
            | ItemContent::Goal(_)
            | ItemContent::Notice(_) => item::item(&mut text, item, self.style.locale),
        }
        if !self.has_head && self.early.len() < EARLY {
            self.early.push_str(&text);
            return Ok(());
        }
        self.head(out, None)?;
        out.write_all(text.as_bytes())
    }

    fn end(
        &mut self,
        out: &mut dyn Write,
        _: &SessionId,
        unknown: &[(UnknownRecord, u64)],
    ) -> io::Result<()> {
        self.head(out, None)?;
        let mut text = String::new();
        if !unknown.is_empty() {
            let [title, kind, count, sample] = match self.style.locale {
                Locale::ZhCn => ["未识别的记录", "类型", "数量", "首例"],
                Locale::En => ["Records not understood", "Kind", "Count", "The first"],
            };
            let _ = write!(
                text,
                "<section class=\"records\">\n<h2>{title}</h2>\n<div class=\"scroll\"><table>\n\
                 <thead><tr><th>{kind}</th><th class=\"right\">{count}</th><th>{sample}</th></tr></thead>\n"
            );
            for (record, count) in unknown {
                text.push_str("<tr><td><code>");
                escape::text(&mut text, &redact(&record.kind));
                let _ = write!(text, "</code></td><td class=\"right\">{count}</td><td>");
                escape::text(&mut text, &redact(record.sample.as_deref().unwrap_or_default()));
                text.push_str("</td></tr>\n");
            }
            text.push_str("</table></div>\n</section>\n");
        }
        // Where the last turn's way on leads.
        let after = self.turns.saturating_add(1);
        let turns = match (self.style.locale, self.turns) {
            (Locale::ZhCn, turns) => format!("共 {turns} 轮"),
            (Locale::En, 1) => "1 turn".to_owned(),
            (Locale::En, turns) => format!("{turns} turns"),
        };
        let _ = write!(
            text,
            "</main>\n<footer id=\"turn-{after}\">{turns} · Larkspan</footer>\n</body>\n</html>\n"
        );
        out.write_all(text.as_bytes())
    }
}
