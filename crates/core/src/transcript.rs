//! The neutral record of an agent's log: what every adapter yields and the turn reducer takes.
//!
//! Invariants
//! - A record stands for something the log says; nothing is inferred here.
//! - Records come in the order of the file. [`TranscriptRecord::position`] is the byte offset just after the line
//!   (or lines) they came from, so a reader can resume exactly there.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ids::{SessionId, TurnId};
use crate::time::Timestamp;
use crate::tool_call::{PlanItem, ToolCallEvent};

/// One thing that a log says.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptRecord {
    /// When, as the log says.
    pub at: Option<Timestamp>,
    /// The turn it belongs to, where the log names it.
    pub turn: Option<TurnId>,
    /// Byte offset after the record's line in the (decompressed) source.
    pub position: u64,
    /// What.
    pub body: RecordBody,
}

/// The kinds of record.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordBody {
    /// Who writes this log. The first one is the identity.
    Session(SessionInfo),
    /// A turn began.
    TurnStarted,
    /// A turn ended.
    TurnEnded(TurnEnd),
    /// Text of the user or the agent.
    Message(Message),
    /// The agent's reasoning summary.
    Reasoning(Reasoning),
    /// A plan as the log records it outside any tool call.
    Plan(Vec<PlanItem>),
    /// A step in the life of a tool call.
    ToolCall(Box<ToolCallEvent>),
    /// Tokens used so far.
    Usage(ContextUsage),
    /// The session's goal changed.
    Goal(Goal),
    /// Something a reader should know that is no speech and no tool: compaction, an internal error, a fork.
    Notice(Notice),
    /// A record of a kind this reader does not know, or a line that is no record at all.
    Unknown(UnknownRecord),
}

/// Who writes the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// The session's own id.
    pub id: SessionId,
    /// The agent's name for tags: `codex`, `claude`, `kimi`.
    pub agent: String,
    /// The agent's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// The session's working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The model, when the log names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The session this one was forked or spawned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// Whether a parent agent spawned this session.
    pub is_subagent: bool,
    /// Whether the log records every nested command, patch, MCP call and image as an item of its own, so that a
    /// missing item means "not seen to run".
    pub records_nested: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The outcome.
    pub outcome: TurnOutcome,
    /// Why, for an aborted or failed turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A turn's outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// The agent finished.
    Completed,
    /// The user or the agent stopped it.
    Aborted,
    /// It ended in an error.
    Failed,
    /// A new turn began while this one was open: the log does not say how it ended.
    Superseded,
    /// The log ends inside the turn.
    Open,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Agent,
}

/// What an agent's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Said while working.
    Commentary,
    /// The turn's answer.
    Final,
}

/// Which layer of the log a chat record comes from. A log may say the same thing in several; the reducer shows one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatLayer {
    /// The user interface's completed items: the truth where they exist.
    Item,
    /// The user interface's older events.
    Event,
    /// What went to and came from the model: read only in turns without a user-interface layer.
    Model,
}

/// Text of the user or the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What the text is, when the log says.
    pub phase: Option<Phase>,
    /// The text, as recorded.
    pub text: Arc<str>,
    /// The layer of the log.
    pub layer: ChatLayer,
    /// The record's own id, which may repeat between turns.
    pub id: Option<String>,
}

/// A reasoning summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reasoning {
    /// The summary's Markdown.
    pub text: Arc<str>,
    /// The layer of the log.
    pub layer: ChatLayer,
    /// The record's own id.
    pub id: Option<String>,
}

/// Tokens, as the log reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContextUsage {
    /// Tokens in the context at the last request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// The model's context window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Input tokens of the session so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Output tokens of the session so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// The session's goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// What is to be reached.
    pub objective: String,
    /// Its state, in the agent's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The kinds of notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The context was compacted.
    Compaction,
    /// An error the agent recorded.
    Error,
    /// A warning the agent recorded.
    Warning,
    /// The session continues another one, whose copied rows are not shown.
    Fork,
    /// Something between agents: a message, a state.
    Agents,
    /// The log itself: a row too large to read, a file replaced, damage.
    Log,
    /// Anything else worth a line.
    Info,
}

/// Something a reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Its kind.
    pub kind: NoticeKind,
    /// One paragraph of plain text.
    pub text: String,
}

/// What could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownRecord {
    /// The kind as the log names it, for example `event_msg/foo`, or `unreadable line`.
    pub kind: String,
    /// Where the first of them was and what was wrong, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
}
