//! The detail of a call in neutral blocks, which a surface prints as Markdown, HTML or card elements.

use std::sync::Arc;

use super::locale::Locale;
use super::title::{plan_icon, title};
use crate::patch::{PatchFile, common_language, diff};
use crate::redaction::redact;
use crate::text::{Limits, Preview, first_line, last_lines, line_count, preview, strip_terminal};
use crate::tool_call::{
    AgentDetail, CommandDetail, FileChangeDetail, GenericDetail, InputLanguage, Output, PatchDetail,
    PlanDetail, TerminalInputDetail, ToolCallDetail, ToolCallInfo, ToolCallStatus, ToolKind,
};

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DetailLevel {
    /// A card: what was asked, why it failed.
    Card,
    /// History: outputs too.
    Full,
}

/// A piece of a call's detail. All text is masked and within its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Text that stands as it is, in a fence.
    Code {
        /// The fence's language; empty: none.
        language: &'static str,
        /// The text. Line feeds are LF.
        body: String,
        /// What the preview left out, as Markdown; stands outside the fence.
        note: Option<String>,
    },
    /// A line of Markdown.
    Line(String),
    /// Why the call failed, one paragraph of plain text.
    Failure(String),
    /// A heading within the detail.
    Heading(&'static str),
    /// A call made inside this one.
    Child {
        /// From 1.
        number: usize,
        /// Its title, Markdown.
        title: String,
        /// How far it has come.
        status: ToolCallStatus,
        /// Its detail.
        blocks: Vec<Block>,
    },
}

/// How many lines of the output of a failed call a card shows, and of a script's output.
const CARD_OUTPUT_LINES: usize = 10;

/// The detail of a call.
pub fn detail(call: &ToolCallInfo, level: DetailLevel, locale: Locale) -> Vec<Block> {
    let mut blocks = Builder { level, locale, blocks: Vec::new() };
    blocks.call(call);
    blocks.blocks
}

struct Builder {
    level: DetailLevel,
    locale: Locale,
    blocks: Vec<Block>,
}

impl Builder {
    fn call(&mut self, call: &ToolCallInfo) {
        match &call.unresolved {
            Some(source) => self.unresolved(call, source),
            None => self.request(call),
        }
        for (at, child) in call.children.iter().enumerate() {
            self.blocks.push(Block::Child {
                number: at + 1,
                title: title(child, self.locale).to_string(),
                status: child.status,
                blocks: detail(child, self.level, self.locale),
            });
        }
        self.outcome(call);
    }

    fn request(&mut self, call: &ToolCallInfo) {
        match &call.detail {
            ToolCallDetail::Command(command) => self.command(command),
            ToolCallDetail::TerminalInput(input) => self.terminal(input),
            ToolCallDetail::Patch(patch) => self.patch(patch),
            ToolCallDetail::FileChange(change) => self.file_change(change),
            ToolCallDetail::Agent(agent) => self.agent(agent),
            ToolCallDetail::Plan(plan) => self.plan(plan),
            ToolCallDetail::Mcp(mcp) => self.code("json", &mcp.input, Limits::GENERAL),
            ToolCallDetail::Image(image) if image.is_prompt => self.code("", &image.target, Limits::GENERAL),
            ToolCallDetail::Script(script) => {
                self.code("javascript", &script.source, Limits::GENERAL);
                if let Some(bound) = &script.unread {
                    self.blocks.push(Block::Line(self.locale.unread_script(bound)));
                }
            }
            ToolCallDetail::Generic(generic) => self.generic(generic),
            ToolCallDetail::WebFetch(fetch) => self.code("", &fetch.url, Limits::GENERAL),
            ToolCallDetail::WebSearch(search) => self.code("", &search.query, Limits::GENERAL),
            ToolCallDetail::FileSearch(search) => self.code("", &search.query, Limits::GENERAL),
            // The title says it all.
            ToolCallDetail::FileRead(_)
            | ToolCallDetail::ToolSearch(_)
            | ToolCallDetail::Image(_)
            | ToolCallDetail::Orchestration(_) => {}
        }
    }

    fn unresolved(&mut self, call: &ToolCallInfo, source: &Arc<str>) {
        // What is static of it is shown as such; the rest as the script has it.
        if let ToolCallDetail::Command(CommandDetail { command, .. }) = &call.detail
            && !command.is_empty()
        {
            self.request(call);
        }
        self.code("javascript", source, Limits::GENERAL);
    }

    fn command(&mut self, command: &CommandDetail) {
        self.code("bash", &command.command, Limits::GENERAL);
    }

    fn terminal(&mut self, input: &TerminalInputDetail) {
        if !input.chars.is_empty() {
            self.code("", &input.chars, Limits::GENERAL);
        }
    }

    fn patch(&mut self, patch: &PatchDetail) {
        if patch.patch.is_empty() {
            self.code("diff", &diff(&patch.changes, patch.workdir.as_deref()), Limits::PATCH);
        } else {
            let language =
                common_language(patch.files.iter().map(PatchFile::current_path)).unwrap_or_default();
            self.code(language, &patch.patch, Limits::PATCH);
        }
    }

    fn file_change(&mut self, change: &FileChangeDetail) {
        let language = common_language([change.path.as_str()]).unwrap_or_default();
        if let Some(content) = &change.content {
            self.code(language, content, Limits::PATCH);
        }
        for (before, after) in &change.edits {
            self.code("diff", &replacement(before, after), Limits::PATCH);
        }
    }

    fn agent(&mut self, agent: &AgentDetail) {
        if !agent.prompt.is_empty() {
            self.code("", &agent.prompt, Limits::GENERAL);
        }
    }

    fn plan(&mut self, plan: &PlanDetail) {
        for item in &plan.items {
            let text = crate::text::escape_markdown(&redact(first_line(&item.text))).into_owned();
            self.blocks.push(Block::Line(format!("{} {text}", plan_icon(item.status))));
        }
    }

    fn generic(&mut self, generic: &GenericDetail) {
        let language = match generic.language {
            InputLanguage::Json => "json",
            InputLanguage::JavaScript => "javascript",
            InputLanguage::Text => "",
        };
        if !matches!(generic.input.trim(), "" | "{}") {
            self.code(language, &generic.input, Limits::GENERAL);
        }
    }

    fn outcome(&mut self, call: &ToolCallInfo) {
        let outcome = &call.outcome;
        let is_script = matches!(call.kind(), ToolKind::Orchestration | ToolKind::Script);
        let went_wrong = call.status == ToolCallStatus::Failed;
        if went_wrong {
            let by_exit = outcome.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}"));
            let reason = outcome.failure.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
            match (by_exit, reason) {
                (Some(exit), Some(reason)) => self.failure(&format!("{exit} · {reason}")),
                (Some(exit), None) => self.failure(&exit),
                (None, Some(reason)) => self.failure(reason),
                (None, None) if outcome.declined => self.failure(self.locale.declined()),
                (None, None) => {}
            }
        }
        if let Some(reason) = &outcome.script_failure {
            self.failure(&format!("{}: {reason}", self.locale.script_failed_after()));
        }
        let Some(output) = &outcome.output else { return };
        if is_script {
            self.blocks.push(Block::Heading(self.locale.output_heading()));
        }
        match self.level {
            DetailLevel::Full => self.output(output),
            DetailLevel::Card if is_script => self.last_lines(output),
            DetailLevel::Card if went_wrong => self.last_lines(output),
            DetailLevel::Card => {}
        }
    }

    fn failure(&mut self, reason: &str) {
        let reason = redact(reason);
        let cut = preview(&reason, Limits { chars: 600, lines: 10 });
        let more = if cut.cut { "…" } else { "" };
        self.blocks.push(Block::Failure(format!("{}{more}", cut.body.trim_end())));
    }

    fn output(&mut self, output: &Output) {
        self.code("", &strip_terminal(&output.text), Limits::GENERAL);
        if output.cut {
            self.blocks.push(Block::Line(self.locale.cut_output().to_owned()));
        }
    }

    fn last_lines(&mut self, output: &Output) {
        let text = strip_terminal(&output.text);
        let tail = last_lines(&text, CARD_OUTPUT_LINES);
        if line_count(tail) < line_count(&text) || output.cut {
            self.blocks.push(Block::Line(self.locale.last_lines(line_count(tail))));
        }
        self.code("", tail, Limits::GENERAL);
    }

    fn code(&mut self, language: &'static str, text: &str, limits: Limits) {
        if text.is_empty() {
            return;
        }
        let masked = redact(text);
        let cut = preview(&masked, limits);
        let note = note(&cut, self.locale);
        self.blocks.push(Block::Code { language, body: cut.body.into_owned(), note });
    }
}

fn note(cut: &Preview<'_>, locale: Locale) -> Option<String> {
    match locale {
        Locale::ZhCn => cut.note_zh_cn(),
        Locale::En => cut.note_en(),
    }
}

/// A replaced piece as a diff without line numbers, which the log does not tell.
fn replacement(before: &str, after: &str) -> String {
    let mut diff = "@@\n".to_owned();
    for (sign, text) in [('-', before), ('+', after)] {
        for line in text.lines() {
            diff.push(sign);
            diff.push_str(line);
            diff.push('\n');
        }
    }
    diff
}
