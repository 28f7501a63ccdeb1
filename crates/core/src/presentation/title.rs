//! Titles: `<icon> <action> <target> · <meta> · <meta>`.

use std::fmt;
use std::time::Duration;

use super::locale::{Locale, Unit};
use crate::patch::{PatchFile, relative_to};
use crate::redaction::redact;
use crate::shell::{self, Action};
use crate::text::{clip, collapse_whitespace, escape_markdown, first_line, inline_code};
use crate::tool_call::{
    AgentDetail, ChangeMode, CommandDetail, FileReadDetail, FileSearchDetail, ImageDetail, Mark, PatchDetail,
    TerminalInputDetail, ToolCallDetail, ToolCallInfo, ToolCallStatus,
};

/// Code points of a target.
const TARGET: usize = 110;
/// Code points of one meta.
const META: usize = 120;
/// Code points of inline code.
const CODE: usize = 88;
/// How many names a title lists before `+k`.
const LISTED: usize = 4;

/// A title in its parts. `Display` joins them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title {
    /// The icon.
    pub icon: &'static str,
    /// The action, a word.
    pub action: &'static str,
    /// What it is done to, Markdown. May be empty.
    pub target: String,
    /// What else there is to say, Markdown.
    pub meta: Vec<String>,
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.icon, self.action)?;
        if !self.target.is_empty() {
            write!(f, " {}", self.target)?;
        }
        self.meta.iter().try_for_each(|meta| write!(f, " · {meta}"))
    }
}

/// The icon of a plan's item, by its state.
pub(super) fn plan_icon(status: crate::tool_call::PlanStatus) -> &'static str {
    match status {
        crate::tool_call::PlanStatus::Pending => "⏳",
        crate::tool_call::PlanStatus::InProgress => "🔄",
        crate::tool_call::PlanStatus::Completed => "✅",
        crate::tool_call::PlanStatus::Cancelled => "❌",
    }
}

/// The title of a call.
pub fn title(call: &ToolCallInfo, locale: Locale) -> Title {
    let Headline { icon, action, target, mut meta } = headline(call, locale);
    common_meta(call, locale, &mut meta);
    let icon = status_icon(call).unwrap_or(icon);
    Title { icon, action, target, meta: meta.into_iter().map(|m| clip(&m, META).into_owned()).collect() }
}

fn status_icon(call: &ToolCallInfo) -> Option<&'static str> {
    match (call.outcome.exit_code, call.status) {
        (Some(code), _) if code != 0 => Some("⚠️"),
        (_, ToolCallStatus::Running) => Some("🔄"),
        (_, ToolCallStatus::Failed) => Some("❌"),
        (_, ToolCallStatus::Aborted) => Some("⏹️"),
        (_, ToolCallStatus::Unknown) => Some("❔"),
        (_, ToolCallStatus::Completed) => None,
    }
}

/// The part of a title that depends on the kind.
struct Headline {
    icon: &'static str,
    action: &'static str,
    target: String,
    meta: Vec<String>,
}

fn headline(call: &ToolCallInfo, locale: Locale) -> Headline {
    let plain = |icon, action, target| Headline { icon, action, target, meta: Vec::new() };
    let run = || locale.pick("运行", "Run");
    match &call.detail {
        ToolCallDetail::Command(command) => of_command(call, command, locale),
        ToolCallDetail::TerminalInput(input) => of_terminal(call, input, locale),
        ToolCallDetail::Patch(patch) => plain("🛠️", locale.pick("修改", "Edit"), of_files(patch, locale)),
        ToolCallDetail::FileRead(read) => of_read(call, read, locale),
        ToolCallDetail::FileSearch(search) => of_search(search, locale),
        ToolCallDetail::FileChange(change) => match change.mode {
            ChangeMode::Edit => plain("🛠️", locale.pick("修改", "Edit"), code(&change.path)),
            ChangeMode::Write => plain("📝", locale.pick("写入", "Write"), code(&change.path)),
        },
        ToolCallDetail::WebFetch(fetch) => plain("🌐", locale.pick("读取网页", "Fetch"), prose(&fetch.url)),
        ToolCallDetail::WebSearch(search) => {
            plain("🌐", locale.pick("搜索网页", "Search the web"), code(&search.query))
        }
        ToolCallDetail::Agent(agent) => of_agent(call, agent, locale),
        ToolCallDetail::Plan(steps) => plain(
            "☑️",
            locale.pick("更新计划", "Update plan"),
            locale.count(steps.items.len() as u64, Unit::Item),
        ),
        ToolCallDetail::ToolSearch(search) => {
            let mut headline = plain("🧰", locale.pick("查找工具", "Find tools"), code(&search.query));
            headline.meta.extend(search.found.map(|found| locale.count(found, Unit::Tool)));
            headline
        }
        ToolCallDetail::Mcp(mcp) => {
            plain("🔧", locale.pick("调用", "Call"), code(&format!("{}/{}", mcp.server, mcp.tool)))
        }
        ToolCallDetail::Image(image) => of_image(call, image, locale),
        ToolCallDetail::Script(_) => {
            let mut headline = plain("💻", locale.pick("运行脚本", "Run script"), String::new());
            headline.meta.extend(call.outcome.failure.as_deref().map(|failure| prose(first_line(failure))));
            headline.meta.extend(lines_of_output(call, locale));
            headline
        }
        ToolCallDetail::Orchestration(_) => of_orchestration(call, locale),
        ToolCallDetail::Generic(_) if call.name.kind() == crate::tool_call::ToolKind::Command => {
            plain("💻", run(), code(&call.name.name))
        }
        ToolCallDetail::Generic(_) => plain("🔧", locale.pick("调用", "Call"), code(&call.name.name)),
    }
}

fn of_command(call: &ToolCallInfo, command: &CommandDetail, locale: Locale) -> Headline {
    let mut meta = Vec::new();
    let (icon, action, target) =
        match shell::classify_recorded(&command.command, command.recorded_action.clone()) {
            Action::Read { path, lines } => {
                meta.extend(lines.map(|lines| locale.line_range(lines.first, lines.last)));
                ("📖", locale.pick("读取", "Read"), code(&path))
            }
            Action::Browse { path } => {
                ("📂", locale.pick("浏览", "List"), code(path.as_deref().unwrap_or(".")))
            }
            Action::Search { query, path } => {
                meta.extend(path.map(|path| path_meta(&path, locale)));
                ("🔎", locale.pick("搜索", "Search"), code(&query))
            }
            Action::Write { path } => ("📝", locale.pick("写入", "Write"), code(&path)),
            Action::Run if command.command.is_empty() => {
                ("💻", locale.pick("运行", "Run"), unresolved_target(call))
            }
            Action::Run => ("💻", locale.pick("运行", "Run"), code(&command.command)),
        };
    meta.extend(call.outcome.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}")));
    if call.outcome.timed_out {
        meta.push(locale.timed_out().to_owned());
    }
    meta.extend(call.outcome.duration.and_then(duration));
    meta.extend(lines_of_output(call, locale));
    Headline { icon, action, target, meta }
}

/// What stands in a title for an argument that only running the script would tell.
fn unresolved_target(call: &ToolCallInfo) -> String {
    call.unresolved.as_deref().map_or_else(|| code(&call.name.name), code)
}

fn of_terminal(call: &ToolCallInfo, input: &TerminalInputDetail, locale: Locale) -> Headline {
    let (icon, action) = if input.is_poll {
        ("⏳", locale.pick("等待", "Wait for"))
    } else {
        ("⌨️", locale.pick("输入", "Type into"))
    };
    let target = match input.session_id.as_str() {
        "" => locale.terminal("?"),
        id => format!("{} {}", locale.pick("终端", "terminal"), code(id)),
    };
    let mut meta = Vec::new();
    meta.extend(input.wait_ms.map(|ms| {
        let tenths = ms.saturating_add(50) / 100;
        locale.wait(&format!("{}.{}s", tenths / 10, tenths % 10))
    }));
    meta.extend(input.max_tokens.map(|tokens| format!("≤{} tokens", thousands(tokens))));
    meta.extend(call.outcome.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}")));
    meta.extend(call.outcome.duration.and_then(duration));
    meta.extend(lines_of_output(call, locale));
    Headline { icon, action, target, meta }
}

fn of_files(patch: &PatchDetail, locale: Locale) -> String {
    let shown = |file: &PatchFile| {
        code(&relative_to(file.current_path(), patch.workdir.as_deref().unwrap_or_default()))
    };
    match patch.files.as_slice() {
        [] => locale.count(0, Unit::File),
        [file] => shown(file),
        files => {
            let listed: Vec<String> = files.iter().take(LISTED).map(shown).collect();
            let more = files.len().saturating_sub(LISTED);
            let more = if more == 0 { String::new() } else { format!(" +{more}") };
            format!("{} {}{more}", locale.count(files.len() as u64, Unit::File), listed.join(" "))
        }
    }
}

fn of_read(call: &ToolCallInfo, read: &FileReadDetail, locale: Locale) -> Headline {
    let mut meta = Vec::new();
    let first = read.first_line.map(|first| first.max(1));
    match (first, read.line_count) {
        (None, None) => {}
        (first, count) => {
            let first = first.unwrap_or(1);
            let last = count.map(|count| first.saturating_add(count.max(1) - 1));
            meta.push(locale.line_range(first, last));
        }
    }
    meta.extend(lines_of_output(call, locale));
    Headline { icon: "📖", action: locale.pick("读取", "Read"), target: code(&read.path), meta }
}

fn of_search(search: &FileSearchDetail, locale: Locale) -> Headline {
    let mut meta = Vec::new();
    meta.extend(search.path.as_deref().map(|path| path_meta(path, locale)));
    meta.extend(search.match_count.map(|count| locale.count(count, Unit::Match)));
    Headline { icon: "🔎", action: locale.pick("搜索", "Search"), target: code(&search.query), meta }
}

fn of_agent(call: &ToolCallInfo, agent: &AgentDetail, locale: Locale) -> Headline {
    let (icon, action) = if agent.is_follow_up {
        ("🤖", locale.pick("继续子任务", "Follow up"))
    } else {
        ("🤖", locale.pick("委派", "Delegate"))
    };
    let target = match (agent.description.as_str(), agent.is_follow_up) {
        ("", true) => code(&call.name.name),
        ("", false) => prose(first_line(&agent.prompt)),
        (description, _) => prose(description),
    };
    Headline { icon, action, target, meta: Vec::new() }
}

fn of_image(call: &ToolCallInfo, image: &ImageDetail, locale: Locale) -> Headline {
    let (icon, action) = if image.is_prompt {
        ("🔧", locale.pick("调用", "Call"))
    } else {
        ("📖", locale.pick("读取", "Read"))
    };
    let target = match (image.target.as_str(), image.is_prompt) {
        ("", _) => unresolved_target(call),
        (_, true) => code(&call.name.name),
        (path, false) => code(path),
    };
    Headline { icon, action, target, meta: Vec::new() }
}

fn of_orchestration(call: &ToolCallInfo, locale: Locale) -> Headline {
    let count = call.children.len();
    let mut names: Vec<&str> = Vec::new();
    for child in &call.children {
        let name = child.name.name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut listed: Vec<String> = names.iter().take(LISTED).map(|name| code(name)).collect();
    if names.len() > LISTED {
        listed.push(format!("+{}", names.len() - LISTED));
    }
    let mut meta = vec![listed.join(" ")];
    let failed = call.children.iter().filter(|child| child.went_wrong()).count();
    if failed > 0 {
        meta.push(locale.count(failed as u64, Unit::Failure));
    }
    let target = locale.count(count as u64, Unit::Tool);
    Headline { icon: "🧩", action: locale.pick("编排", "Orchestrate"), target, meta }
}

/// What every kind may say: the background terminal, why there is no result, the marks.
fn common_meta(call: &ToolCallInfo, locale: Locale, meta: &mut Vec<String>) {
    meta.extend(call.outcome.running_session.as_deref().map(|id| locale.background(&code(id))));
    if call.outcome.declined {
        meta.push(locale.declined().to_owned());
    }
    match call.status {
        ToolCallStatus::Aborted => meta.push(locale.aborted().to_owned()),
        ToolCallStatus::Unknown if !call.marks.has(Mark::Unrecorded) => {
            meta.push(locale.no_result().to_owned());
        }
        ToolCallStatus::Running
        | ToolCallStatus::Completed
        | ToolCallStatus::Failed
        | ToolCallStatus::Unknown => {}
    }
    meta.extend(call.marks.iter().map(|mark| locale.mark(mark).to_owned()));
}

fn lines_of_output(call: &ToolCallInfo, locale: Locale) -> Option<String> {
    let lines = call.outcome.output.as_ref()?.lines;
    (lines.count > 0).then(|| locale.output_lines(lines.count, lines.at_least))
}

fn path_meta(path: &str, locale: Locale) -> String {
    format!("{} {}", locale.pick("路径", "in"), code(path))
}

fn code(text: &str) -> String {
    inline_code(&redact(text), CODE)
}

fn prose(text: &str) -> String {
    escape_markdown(&clip(&collapse_whitespace(&redact(text)), TARGET)).into_owned()
}

/// `850ms` · `1.2s` · `3m 5s` · `2h 3m`, rounded; under a millisecond, none.
pub(crate) fn duration(duration: Duration) -> Option<String> {
    if duration < Duration::from_millis(1) {
        return None;
    }
    let ms = (duration.as_micros() + 500) / 1000;
    let tenths = (ms + 50) / 100;
    let seconds = (ms + 500) / 1000;
    Some(match ms {
        0..=999 => format!("{ms}ms"),
        _ if tenths < 600 => format!("{}.{}s", tenths / 10, tenths % 10),
        _ if seconds < 3600 => format!("{}m {}s", seconds / 60, seconds % 60),
        _ => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
    })
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
