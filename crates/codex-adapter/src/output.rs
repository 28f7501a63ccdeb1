//! Output envelopes: what Codex puts around the output of a tool, read and taken off.
//!
//! Invariants
//! - A header is read from the head of the first text block and nowhere else: what a command prints can never pass for
//!   an exit code.
//! - Nothing of the envelope is left in the output; line feeds of the body are kept.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use larkspan_core::tool_call::{
    CellState, CellUpdate, Media, Outcome, Output, PrintedBlock, ToolCallAnswer, ToolCallStatus,
};
use memchr::memmem;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::wire::{self, ContentBlock, Raw};

mod header;

use header::{Header, Progress};

/// Which envelope a tool's output has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Envelope {
    /// A script: `Script completed` …
    Script,
    /// Waiting for a script.
    Wait,
    /// `exec_command`, `write_stdin`: always a header.
    Terminal,
    /// `apply_patch`: always a header, or the patch's own success line.
    Patch,
    /// A command of an older build: a header, JSON, or bare text.
    Shell,
    /// A tool of an MCP server: only a wall time.
    Mcp,
    /// An image.
    Image,
    /// A tool for sub-agents: nothing or JSON; what went wrong is said in plain words.
    Agent,
    /// Anything else: no header.
    Bare,
}

impl Envelope {
    fn is_required(self) -> bool {
        match self {
            Self::Script | Self::Wait | Self::Terminal | Self::Patch => true,
            Self::Shell | Self::Mcp | Self::Image | Self::Agent | Self::Bare => false,
        }
    }
}

/// What a call was, as far as its output needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) envelope: Envelope,
    /// The cell a `wait` is for.
    pub(crate) cell: Option<String>,
    /// The command carried a patch: its output has two headers in a row.
    pub(crate) carries_patch: bool,
    /// The call is answered: what comes now was sent by a running script.
    pub(crate) is_answered: bool,
}

impl Asked {
    /// An output of which the call is not known.
    pub(crate) fn bare() -> Self {
        Self { envelope: Envelope::Bare, cell: None, carries_patch: false, is_answered: false }
    }
}

/// Texts that are a refusal from any tool.
const REFUSALS: [&str; 4] = [
    "unsupported call:",
    "unsupported custom tool call:",
    "failed to parse function arguments",
    "unable to locate image",
];
const ABORTED: &str = "aborted by user";
const SUCCESS_OF_PATCH: &str = "Success. Updated the following files:";

/// Reads an output. `is_named_exec`: the record itself says that it comes from a running script.
pub(crate) fn read(asked: &Asked, raw: Raw<'_>, is_named_exec: bool) -> ToolCallAnswer {
    let mut blocks = blocks(raw);
    let head = blocks.iter().find_map(|b| b.text.as_deref()).unwrap_or_default().to_owned();
    let is_script = matches!(asked.envelope, Envelope::Script | Envelope::Wait);
    let parsed = header::parse(&head, asked.envelope);

    if is_script && parsed.is_none() && (asked.is_answered || is_named_exec) {
        return ToolCallAnswer {
            is_late_text: true,
            outcome: Outcome { output: join(texts(&blocks)), media: media(&blocks), ..Outcome::default() },
            ..ToolCallAnswer::default()
        };
    }
    if head.starts_with(ABORTED) {
        let outcome = Outcome { duration: seconds_in(&head), ..Outcome::default() };
        return ToolCallAnswer {
            status: Some(ToolCallStatus::Aborted),
            outcome,
            ..ToolCallAnswer::default()
        };
    }
    let is_success_of_patch = asked.envelope == Envelope::Patch && head.starts_with(SUCCESS_OF_PATCH);
    let is_refusal = REFUSALS.iter().any(|refusal| head.starts_with(refusal))
        || (asked.envelope == Envelope::Image && head.starts_with("unable to "))
        || (asked.envelope == Envelope::Agent && is_prose(&head))
        || (asked.envelope.is_required() && parsed.is_none() && !is_success_of_patch);
    if is_refusal {
        return refusal(&head);
    }

    let mut header = parsed.unwrap_or_default();
    strip_head(&mut blocks, header.len);
    if asked.carries_patch && header.progress.is_none() && header.exit_code.is_none() {
        let second = blocks.iter().find_map(|b| b.text.as_deref()).unwrap_or_default().to_owned();
        if let Some(second) = header::parse(&second, Envelope::Patch) {
            strip_head(&mut blocks, second.len);
            header.exit_code = second.exit_code;
            header.wall_time = header.wall_time.or(second.wall_time);
        }
    }
    let says = blocks.iter().find_map(|b| b.text.as_deref()).unwrap_or_default();
    if !header.is_closed && says.starts_with(ABORTED) {
        let outcome = Outcome { duration: header.wall_time, ..Outcome::default() };
        return ToolCallAnswer {
            status: Some(ToolCallStatus::Aborted),
            outcome,
            ..ToolCallAnswer::default()
        };
    }
    if is_script { script(asked, header, blocks) } else { plain(asked, header, &blocks, is_success_of_patch) }
}

fn refusal(text: &str) -> ToolCallAnswer {
    let declined = is_declined(text);
    ToolCallAnswer {
        status: Some(ToolCallStatus::Failed),
        refused: true,
        outcome: Outcome { failure: Some(text.trim_end().into()), declined, ..Outcome::default() },
        ..ToolCallAnswer::default()
    }
}

/// Text that is no JSON.
fn is_prose(text: &str) -> bool {
    !matches!(text.trim_start().as_bytes().first(), None | Some(b'{' | b'[' | b'"'))
}

fn is_declined(text: &str) -> bool {
    text.contains("rejected by user")
}

fn script(asked: &Asked, header: Header, mut blocks: Vec<Block>) -> ToolCallAnswer {
    let mut outcome = Outcome { duration: header.wall_time, ..Outcome::default() };
    let status = match &header.progress {
        Some(Progress::ScriptCompleted) => Some(ToolCallStatus::Completed),
        Some(Progress::ScriptFailed) => Some(ToolCallStatus::Failed),
        Some(Progress::ScriptTerminated) => Some(ToolCallStatus::Aborted),
        Some(Progress::ScriptRunning(_)) => Some(ToolCallStatus::Running),
        Some(Progress::Exited(_) | Progress::Running(_)) | None => None,
    };
    if status == Some(ToolCallStatus::Failed) {
        let error =
            blocks.iter().rposition(|b| b.text.as_deref().is_some_and(|t| t.starts_with(SCRIPT_ERROR)));
        let error = error.map(|at| blocks.remove(at)).and_then(|block| block.text);
        let reason = error.as_deref().and_then(|e| e.strip_prefix(SCRIPT_ERROR)).map(str::trim);
        outcome.failure = reason.filter(|reason| !reason.is_empty()).map(Into::into);
        outcome.declined = reason.is_some_and(is_declined);
    }
    let cell = match (header.progress, &asked.cell) {
        (Some(Progress::ScriptRunning(id)), _) => {
            outcome.running_session = Some(id.clone());
            Some(CellUpdate { id, state: CellState::Running })
        }
        (Some(_), Some(id)) => {
            let gone = outcome.failure.as_deref() == Some(&*format!("exec cell {id} not found"));
            let state = if gone { CellState::Gone } else { CellState::Ended };
            Some(CellUpdate { id: id.clone(), state })
        }
        (Some(_), None) | (None, _) => None,
    };
    outcome.media = media(&blocks);
    let blocks: Vec<PrintedBlock> = blocks.into_iter().map(Block::printed).collect();
    outcome.output = join(blocks.iter().filter_map(|block| block.text.clone()));
    ToolCallAnswer { status, outcome, blocks, cell, ..ToolCallAnswer::default() }
}

fn plain(asked: &Asked, header: Header, blocks: &[Block], is_success_of_patch: bool) -> ToolCallAnswer {
    let mut outcome =
        Outcome { duration: header.wall_time, exit_code: header.exit_code, ..Outcome::default() };
    let mut status = None;
    match header.progress {
        Some(Progress::Exited(code)) => outcome.exit_code = Some(code),
        Some(Progress::Running(id)) => {
            outcome.running_session = Some(id);
            status = Some(ToolCallStatus::Running);
        }
        Some(
            Progress::ScriptCompleted
            | Progress::ScriptFailed
            | Progress::ScriptTerminated
            | Progress::ScriptRunning(_),
        )
        | None => {}
    }
    if is_success_of_patch {
        status = Some(ToolCallStatus::Completed);
    }
    status = status.or(outcome.exit_code.map(|code| match code {
        0 => ToolCallStatus::Completed,
        _ => ToolCallStatus::Failed,
    }));
    outcome.output = join(texts(blocks));
    if let Some(output) = &mut outcome.output
        && let Some(count) = header.total_lines
    {
        output.lines.count = count;
        output.lines.at_least = false;
    }
    if asked.envelope == Envelope::Patch && outcome.output.as_ref().is_some_and(|o| o.text.trim() == "{}") {
        outcome.output = None;
    }
    outcome.media = media(blocks);
    ToolCallAnswer { status, outcome, ..ToolCallAnswer::default() }
}

const SCRIPT_ERROR: &str = "Script error:";

/// A block of an output.
struct Block {
    text: Option<String>,
    media: Option<Media>,
}

impl Block {
    fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), media: None }
    }

    fn printed(self) -> PrintedBlock {
        let Some(text) = self.text else { return PrintedBlock::default() };
        let result = result_of_call(&text).map(Box::new);
        PrintedBlock { text: Some(body(&text)), result }
    }
}

/// The blocks of an output of any shape: text, `{output, metadata}` as text or object, a list of blocks.
fn blocks(raw: Raw<'_>) -> Vec<Block> {
    let Some(value) = raw else { return Vec::new() };
    match value.get().as_bytes().first() {
        Some(b'"') => {
            let text = wire::text(raw).unwrap_or_default();
            vec![Block::text(unpack_json(&text).unwrap_or_else(|| text.into_owned()))]
        }
        Some(b'[') => wire::array(raw).into_iter().filter_map(block).collect(),
        Some(b'{') => {
            let members = wire::map(raw);
            let inner = ["output", "content", "text"].iter().find_map(|name| members.get(*name));
            match inner {
                Some(_) if members.contains_key("metadata") => {
                    vec![Block::text(unpack_json(value.get()).unwrap_or_default())]
                }
                Some(inner) => blocks(Some(inner)),
                None => vec![Block::text(value.get())],
            }
        }
        Some(b'n') | None => Vec::new(),
        Some(_) => vec![Block::text(value.get())],
    }
}

fn block(raw: &RawValue) -> Option<Block> {
    if raw.get().starts_with('"') {
        return wire::text(Some(raw)).map(|text| Block::text(text.into_owned()));
    }
    let block: ContentBlock<'_> = wire::object(Some(raw));
    if let Some(text) = wire::text(block.text) {
        return Some(Block::text(text.into_owned()));
    }
    let data = wire::text(block.image_url).or_else(|| wire::text(block.data));
    match data {
        Some(data) => {
            let mime =
                data.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next()).unwrap_or("image");
            let media = Media { mime: mime.to_owned(), encoded_bytes: data.len() as u64 };
            Some(Block { text: None, media: Some(media) })
        }
        // Encrypted content is nothing to read.
        None if block.encrypted_content.is_some() => None,
        None => Some(Block::text(raw.get())),
    }
}

/// `{"output": …, "metadata": {"exit_code": …, "duration_seconds": …}}` counts as a header: it is rewritten as one.
fn unpack_json(text: &str) -> Option<String> {
    if !text.trim_start().starts_with('{') || !text.contains("\"metadata\"") {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let (output, metadata) = (value.get("output")?.as_str()?, value.get("metadata")?);
    let code = metadata.get("exit_code").and_then(Value::as_i64);
    let seconds = metadata.get("duration_seconds").and_then(Value::as_f64);
    let mut header = String::new();
    if let Some(code) = code {
        let _ = writeln!(header, "Exit code: {code}");
    }
    if let Some(seconds) = seconds {
        let _ = writeln!(header, "Wall time: {seconds} seconds");
    }
    Some(format!("{header}Output:\n{output}"))
}

/// Takes the header off the first text block; a block that was only a header goes.
fn strip_head(blocks: &mut Vec<Block>, len: usize) {
    if len == 0 {
        return;
    }
    if let Some(at) = blocks.iter().position(|block| block.text.is_some()) {
        let rest = blocks[at].text.as_deref().and_then(|text| text.get(len..)).unwrap_or_default().to_owned();
        if rest.is_empty() {
            blocks.remove(at);
        } else {
            blocks[at].text = Some(rest);
        }
    }
}

fn media(blocks: &[Block]) -> Vec<Media> {
    blocks.iter().filter_map(|block| block.media.clone()).collect()
}

fn texts(blocks: &[Block]) -> impl Iterator<Item = Output> {
    blocks.iter().filter_map(|block| block.text.as_deref()).map(body)
}

/// What several blocks say one below the other; blank is no output.
fn join(mut blocks: impl Iterator<Item = Output>) -> Option<Output> {
    let first = blocks.next()?;
    let Some(second) = blocks.next() else { return Some(first).filter(|output| !output.is_empty()) };
    let mut text = first.text.to_string();
    let (mut lines, mut cut) = (first.lines, first.cut);
    for more in std::iter::once(second).chain(blocks) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&more.text);
        lines.count += more.lines.count;
        lines.at_least |= more.lines.at_least;
        cut |= more.cut;
    }
    Some(Output { text: text.into(), lines, cut }).filter(|output| !output.is_empty())
}

/// How the log marks an output that it does not keep whole.
const PERSISTED: &str = "... command output truncated for persistence ...";

/// A body without the remarks that it was cut: they become facts about the output.
pub(crate) fn body(text: &str) -> Output {
    let mut rest = text;
    let mut total = None;
    let mut cut = false;
    if rest.starts_with("Warning: truncated output") {
        cut = true;
        let (_, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        if let Some(line) = rest.strip_prefix("Total output lines: ") {
            let (count, after) = line.split_once('\n').unwrap_or((line, ""));
            total = count.trim().parse().ok();
            rest = after.strip_prefix('\n').unwrap_or(after);
        }
    }
    let mut kept: Cow<'_, str> = rest.into();
    for (open, close) in [("…", " tokens truncated…"), ("…", " chars truncated…")] {
        kept = without_marker(kept, open, close, &mut cut);
    }
    if memmem::find(kept.as_bytes(), PERSISTED.as_bytes()).is_some() {
        cut = true;
        kept = kept.replace(PERSISTED, "…").into();
    }
    if cut { Output::part(kept.as_ref(), total) } else { Output::whole(kept.as_ref()) }
}

/// `…3374 tokens truncated…` in the midst of a text becomes `…` on a line of its own.
fn without_marker<'a>(text: Cow<'a, str>, open: &str, close: &str, cut: &mut bool) -> Cow<'a, str> {
    let Some(end) = memmem::find(text.as_bytes(), close.as_bytes()) else { return text };
    let Some(start) = text[..end].rfind(open) else { return text };
    let number = &text[start + open.len()..end];
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return text;
    }
    *cut = true;
    let (before, after) = (&text[..start], &text[end + close.len()..]);
    let gap = |needed: bool| if needed { "\n" } else { "" };
    let (above, below) = (gap(!before.is_empty() && !before.ends_with('\n')), gap(!after.starts_with('\n')));
    format!("{before}{above}…{below}{after}").into()
}

/// The result object of a call as a script prints it whole.
fn result_of_call(text: &str) -> Option<Outcome> {
    let trimmed = text.trim();
    if trimmed == "{}" {
        return Some(Outcome::default());
    }
    if !trimmed.starts_with('{') || !trimmed.contains("\"wall_time_seconds\"") {
        return None;
    }
    let value: Value = serde_json::from_str(trimmed).ok()?;
    let output = value.get("output")?.as_str()?;
    let seconds = value.get("wall_time_seconds")?.as_f64()?;
    let running_session = value.get("session_id").and_then(|id| match id {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    let exit_code = value.get("exit_code").and_then(Value::as_i64);
    // A patch carried by a command prints the patch tool's own header.
    let carried = (exit_code.is_none() && running_session.is_none())
        .then(|| header::parse(output, Envelope::Patch))
        .flatten();
    let (exit_code, output) = match carried {
        Some(header) => (header.exit_code, output.get(header.len..).unwrap_or_default()),
        None => (exit_code, output),
    };
    Some(Outcome {
        exit_code,
        duration: Duration::try_from_secs_f64(seconds).ok(),
        running_session,
        output: Some(body(output)).filter(|output| !output.is_empty()),
        ..Outcome::default()
    })
}

fn seconds_in(text: &str) -> Option<Duration> {
    let seconds = text.rsplit_once("after ")?.1.trim_end().strip_suffix('s')?;
    Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
}

/// Text as shared, for callers that keep it.
pub(crate) fn shared(text: &str) -> Arc<str> {
    text.into()
}

#[cfg(test)]
mod tests;
