//! Whether a line is of a Kimi log.

use crate::wire::{self, Envelope, Message, Row};

/// The kinds of row that no other agent writes.
const KINDS: [&str; 22] = [
    "turn.prompt",
    "turn.steer",
    "turn.cancel",
    "config.update",
    "permission.set_mode",
    "permission.record_approval_result",
    "full_compaction.begin",
    "full_compaction.complete",
    "plan_mode.enter",
    "plan_mode.exit",
    "tools.set_active_tools",
    "tools.register_user_tool",
    "tools.update_store",
    "usage.record",
    "context.clear",
    "context.undo",
    "context.apply_compaction",
    "context_size.measured",
    "goal.create",
    "llm.tools_snapshot",
    "llm.request",
    "mcp.tools_discovered",
];

/// The kinds of message in the older shape.
const MESSAGES: [&str; 17] = [
    "TurnBegin",
    "TurnEnd",
    "SteerInput",
    "StepBegin",
    "StepInterrupted",
    "ContentPart",
    "ToolCall",
    "ToolCallPart",
    "ToolResult",
    "StatusUpdate",
    "ApprovalRequest",
    "ApprovalResponse",
    "ApprovalRequestResolved",
    "SubagentEvent",
    "CompactionBegin",
    "CompactionEnd",
    "Notification",
];

/// Whether a line of a file is a row of a Kimi log.
pub fn looks_like_kimi(line: &[u8]) -> bool {
    let Some(row) = std::str::from_utf8(line).ok().and_then(|line| Row::parse(line).ok()) else {
        return false;
    };
    match wire::text(row.kind).as_deref().unwrap_or_default() {
        "metadata" => row.protocol_version.is_some(),
        "context.append_loop_event" => wire::is_object(row.event),
        "context.append_message" => wire::object::<Message<'_>>(row.message).role.is_some(),
        "" => {
            let envelope: Envelope<'_> = wire::object(row.message);
            let kind = wire::text(envelope.kind).unwrap_or_default();
            wire::is_object(envelope.payload) && MESSAGES.contains(&kind.as_ref())
        }
        kind => KINDS.contains(&kind),
    }
}
