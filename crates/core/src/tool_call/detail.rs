//! What a call asks for, one variant per kind.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ToolKind;
use crate::patch::{PatchFile, RecordedChange};
use crate::shell::Action;

/// What a call asks for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolCallDetail {
    /// A shell command.
    Command(CommandDetail),
    /// Input to a terminal.
    TerminalInput(TerminalInputDetail),
    /// A patch.
    Patch(PatchDetail),
    /// Reading a file.
    FileRead(FileReadDetail),
    /// Searching files.
    FileSearch(FileSearchDetail),
    /// Changing one file.
    FileChange(FileChangeDetail),
    /// Fetching a page.
    WebFetch(WebFetchDetail),
    /// Searching the web.
    WebSearch(WebSearchDetail),
    /// Work for another agent.
    Agent(AgentDetail),
    /// A plan.
    Plan(PlanDetail),
    /// Looking for tools.
    ToolSearch(ToolSearchDetail),
    /// A tool of an MCP server.
    Mcp(McpDetail),
    /// An image.
    Image(ImageDetail),
    /// A script without calls, or one that failed before any.
    Script(ScriptDetail),
    /// A script with several calls: they are the children of the call.
    Orchestration(OrchestrationDetail),
    /// Anything else.
    Generic(GenericDetail),
}

impl Default for ToolCallDetail {
    /// Nothing is known.
    fn default() -> Self {
        Self::Generic(GenericDetail::default())
    }
}

impl ToolCallDetail {
    /// The kind.
    pub fn kind(&self) -> ToolKind {
        match self {
            Self::Command(_) => ToolKind::Command,
            Self::TerminalInput(_) => ToolKind::TerminalInput,
            Self::Patch(_) => ToolKind::Patch,
            Self::FileRead(_) => ToolKind::FileRead,
            Self::FileSearch(_) => ToolKind::FileSearch,
            Self::FileChange(_) => ToolKind::FileChange,
            Self::WebFetch(_) => ToolKind::WebFetch,
            Self::WebSearch(_) => ToolKind::WebSearch,
            Self::Agent(_) => ToolKind::Agent,
            Self::Plan(_) => ToolKind::Plan,
            Self::ToolSearch(_) => ToolKind::ToolSearch,
            Self::Mcp(_) => ToolKind::Mcp,
            Self::Image(_) => ToolKind::Image,
            Self::Script(_) => ToolKind::Script,
            Self::Orchestration(_) => ToolKind::Orchestration,
            Self::Generic(_) => ToolKind::Generic,
        }
    }

    /// A generic detail of an input that is text.
    pub fn generic(input: impl Into<Arc<str>>, language: InputLanguage) -> Self {
        Self::Generic(GenericDetail { language, input: input.into() })
    }

    /// Takes from `other` what this does not say. Same kind: field by field, blank never erases. A specific kind
    /// beats a generic one; a recorded patch beats the command that carried it, and the edit that asked for it;
    /// otherwise this one stays.
    pub fn fill_from(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Command(mine), Self::Command(theirs)) => mine.fill_from(theirs),
            (Self::Patch(mine), Self::Patch(theirs)) => mine.fill_from(theirs),
            (Self::Mcp(mine), Self::Mcp(theirs)) => {
                fill(&mut mine.input, &theirs.input);
            }
            (Self::Image(mine), Self::Image(theirs)) => {
                fill(&mut mine.target, &theirs.target);
            }
            (Self::FileSearch(mine), Self::FileSearch(theirs)) => {
                mine.match_count = mine.match_count.or(theirs.match_count);
            }
            (Self::WebSearch(mine), Self::WebSearch(theirs)) => {
                fill(&mut mine.query, &theirs.query);
            }
            (Self::Agent(mine), Self::Agent(theirs)) => mine.fill_from(theirs),
            (Self::ToolSearch(mine), Self::ToolSearch(theirs)) => {
                fill(&mut mine.query, &theirs.query);
                if mine.found.is_none() {
                    (mine.found, mine.tools, mine.namespaces) =
                        (theirs.found, theirs.tools.clone(), theirs.namespaces.clone());
                }
            }
            (Self::Command(_) | Self::Generic(_), Self::Patch(_)) => *self = other.clone(),
            // What an edit did to the file says more than the pieces it was asked to replace.
            (Self::FileChange(mine), Self::Patch(theirs))
                if mine.mode == ChangeMode::Edit && !theirs.changes.is_empty() =>
            {
                *self = other.clone();
            }
            (Self::Generic(_), specific) if specific.kind() != ToolKind::Generic => *self = other.clone(),
            _ => {}
        }
    }
}

/// Sets a blank text.
fn fill<T: Clone + AsRef<str>>(mine: &mut T, theirs: &T) {
    if mine.as_ref().is_empty() {
        mine.clone_from(theirs);
    }
}

/// A shell command.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CommandDetail {
    /// The command line, without its `bash -lc` launcher. Empty: not known.
    pub command: Arc<str>,
    /// Its working directory, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workdir: Option<String>,
    /// The shell it was given to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<String>,
    /// Whether it got a terminal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tty: bool,
    /// What the agent itself recorded the command to do, where it is one thing.
    #[serde(skip)]
    pub recorded_action: Option<Action>,
}

impl CommandDetail {
    fn fill_from(&mut self, other: &Self) {
        fill(&mut self.command, &other.command);
        if self.workdir.is_none() {
            self.workdir.clone_from(&other.workdir);
        }
        if self.shell.is_none() {
            self.shell.clone_from(&other.shell);
        }
        self.tty |= other.tty;
        if self.recorded_action.is_none() {
            self.recorded_action.clone_from(&other.recorded_action);
        }
    }
}

/// Input to a running terminal, or waiting for a terminal or cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TerminalInputDetail {
    /// The terminal or cell. Empty: not known.
    pub session_id: String,
    /// What was typed; empty when only polled.
    pub chars: Arc<str>,
    /// Whether nothing was typed: it only waits.
    pub is_poll: bool,
    /// Whether it ends the cell.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminate: bool,
    /// How long to wait at most, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// How many tokens of output at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}

/// A patch: its text as the agent wrote it, or the changes as the log recorded them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PatchDetail {
    /// The patch text. Empty: only the changes are known.
    pub patch: Arc<str>,
    /// The changes as recorded, in the order of `files`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<RecordedChange>,
    /// The files, in order.
    pub files: Vec<PatchFile>,
    /// The directory the paths of the patch text are relative to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workdir: Option<String>,
}

impl PatchDetail {
    fn fill_from(&mut self, other: &Self) {
        if self.patch.is_empty() {
            self.patch = other.patch.clone();
            // The order of the patch text is the truth.
            if !other.patch.is_empty() && !other.files.is_empty() {
                self.files.clone_from(&other.files);
            }
        }
        if self.changes.is_empty() {
            self.changes.clone_from(&other.changes);
        }
        if self.files.is_empty() {
            self.files.clone_from(&other.files);
        }
        if self.workdir.is_none() {
            self.workdir.clone_from(&other.workdir);
        }
    }
}

/// Reading a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FileReadDetail {
    /// The file.
    pub path: String,
    /// The first line read, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u64>,
    /// How many lines at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u64>,
}

/// Searching files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FileSearchDetail {
    /// The pattern.
    pub query: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The form of the answer, in the agent's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_mode: Option<String>,
    /// How many results at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_limit: Option<u64>,
    /// How many matches there were, where the log says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_count: Option<u64>,
}

/// Whether a file is edited or written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeMode {
    /// A part is replaced.
    #[default]
    Edit,
    /// The whole file is written.
    Write,
}

/// Changing one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FileChangeDetail {
    /// Edit or write.
    pub mode: ChangeMode,
    /// The file.
    pub path: String,
    /// Replaced pieces: before and after.
    pub edits: Vec<(Arc<str>, Arc<str>)>,
    /// The content written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Arc<str>>,
}

/// Fetching a page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct WebFetchDetail {
    /// The address.
    pub url: String,
}

/// Searching the web.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct WebSearchDetail {
    /// The query.
    pub query: String,
}

/// Work for another agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct AgentDetail {
    /// What for, in a few words.
    pub description: String,
    /// The kind of agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_type: Option<String>,
    /// The agent that goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// The task.
    pub prompt: Arc<str>,
    /// Whether this goes on with work already given.
    pub is_follow_up: bool,
    /// The spawned session's id, where the log tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl AgentDetail {
    fn fill_from(&mut self, other: &Self) {
        fill(&mut self.description, &other.description);
        if self.subagent_type.is_none() {
            self.subagent_type.clone_from(&other.subagent_type);
        }
        if self.resume.is_none() {
            self.resume.clone_from(&other.resume);
        }
        fill(&mut self.prompt, &other.prompt);
        if self.session.is_none() {
            self.session.clone_from(&other.session);
        }
    }
}

/// The state of one item of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Cancelled,
}

/// One item of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanItem {
    /// What is to be done.
    pub text: String,
    /// Its state.
    pub status: PlanStatus,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlanDetail {
    /// The items in order.
    pub items: Vec<PlanItem>,
    /// Why it changed, where the agent says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
}

/// Looking for tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ToolSearchDetail {
    /// The query.
    pub query: String,
    /// How many tools were found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// The namespaces found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// The tools found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct McpDetail {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// Its input as JSON text. Empty: not known.
    pub input: Arc<str>,
}

/// An image viewed or made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImageDetail {
    /// The path of the image, or the prompt it is made from.
    pub target: String,
    /// Whether `target` is a prompt.
    pub is_prompt: bool,
}

/// A script without calls, or one that failed before any.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ScriptDetail {
    /// The source, one top-level statement a line.
    pub source: Arc<str>,
    /// Why its calls are not shown, when they could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// A script with several calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct OrchestrationDetail {
    /// The source, one top-level statement a line. Never shown on a card.
    #[serde(skip)]
    pub source: Arc<str>,
}

/// The language of a generic input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputLanguage {
    /// JSON.
    #[default]
    Json,
    /// A script.
    JavaScript,
    /// Text of no known language.
    Text,
}

/// A call of a tool without a kind of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct GenericDetail {
    /// The language of the input.
    pub language: InputLanguage,
    /// The input.
    pub input: Arc<str>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::Change;

    #[test]
    fn what_the_log_records_fills_what_was_asked() {
        let recorded = ToolCallDetail::Patch(PatchDetail {
            changes: vec![RecordedChange {
                path: "a".to_owned(),
                change: Change::Update { unified_diff: "@@ -1 +1 @@\n-x\n+y\n".to_owned(), move_path: None },
            }],
            ..PatchDetail::default()
        });
        let change = |mode| FileChangeDetail { mode, path: "a".to_owned(), ..FileChangeDetail::default() };
        let mut edit = ToolCallDetail::FileChange(change(ChangeMode::Edit));
        edit.fill_from(&ToolCallDetail::Patch(PatchDetail::default()));
        assert_eq!(edit.kind(), ToolKind::FileChange, "nothing is recorded");
        edit.fill_from(&recorded);
        assert_eq!(edit, recorded);
        let mut write = ToolCallDetail::FileChange(change(ChangeMode::Write));
        write.fill_from(&recorded);
        assert_eq!(write.kind(), ToolKind::FileChange, "the text says more than the difference");

        let search = |query: &str, match_count| {
            let query = query.to_owned();
            ToolCallDetail::FileSearch(FileSearchDetail { query, match_count, ..FileSearchDetail::default() })
        };
        let mut asked = search("x", None);
        asked.fill_from(&search("", Some(3)));
        assert_eq!(asked, search("x", Some(3)));
    }
}
