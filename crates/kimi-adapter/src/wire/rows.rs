//! The shapes of rows and of what they hold.

use serde::Deserialize;

use super::Raw;

macro_rules! lenient {
    ($(#[$doc:meta])* $name:ident { $($field:ident $(= $wire:literal)?),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Clone, Deserialize)]
        #[serde(default)]
        pub(crate) struct $name<'a> {
            $(#[serde(borrow $(, rename = $wire)?)] pub(crate) $field: Raw<'a>,)*
        }
    };
}

lenient! {
    /// One line of any shape.
    Row {
        kind = "type", time, timestamp, message, event, input, origin, cwd, model, usage, count, tokens, objective,
        status, reason, result, protocol_version,
        turn_id = "turnId", model_alias = "modelAlias", tool_call_id = "toolCallId", tokens_before = "tokensBefore",
        tokens_after = "tokensAfter", usage_scope = "usageScope",
    }
}

impl<'a> Row<'a> {
    /// Reads a line.
    pub(crate) fn parse(line: &'a str) -> serde_json::Result<Self> {
        if line.trim_ascii_start().starts_with('[') {
            // A list would pass for an object whose members stand in order.
            return Err(serde::de::Error::custom("a list is no row"));
        }
        serde_json::from_str(line)
    }
}

lenient! {
    /// What a row of the older shape wraps.
    Envelope { kind = "type", payload }
}

lenient! {
    /// What any payload of the older shape may hold.
    Payload {
        kind = "type", id, function, user_input, arguments_part, tool_call_id, return_value, result, token_usage,
        context_tokens, max_context_tokens, message_id, request_id, response, title, body, content, reason, action,
        text, think,
    }
}

lenient! {
    /// The function of a call.
    Function { name, arguments }
}

lenient! {
    /// An event of the agent's loop, in the newer shape.
    LoopEvent {
        kind = "type", uuid, part, name, args, display, result, usage,
        turn_id = "turnId", tool_call_id = "toolCallId", parent_uuid = "parentUuid", finish_reason = "finishReason",
    }
}

lenient! {
    /// How a program shows a call while it asks for leave.
    Display { kind, cwd }
}

lenient! {
    /// A message as the model gets it.
    Message {
        role, content, origin, tool_calls = "toolCalls", tool_call_id = "toolCallId", is_error = "isError",
    }
}

lenient! {
    /// A call within a message.
    Call { id, name, arguments, function }
}

lenient! {
    /// Who wrote what stands under the user's name.
    Origin {
        kind, name, phase, status, event,
        skill_name = "skillName", skill_args = "skillArgs", command_name = "commandName",
        command_args = "commandArgs", task_id = "taskId", job_id = "jobId", trigger,
    }
}

lenient! {
    /// What a tool gave back, in the older and in the newer shape.
    ToolReturn { output, message, decision, is_error, has_error = "isError" }
}

lenient! {
    /// Token counts, in the older and in the newer shape.
    Report {
        output, input_other, input_cache_read, input_cache_creation,
        other = "inputOther", cache_read = "inputCacheRead", cache_creation = "inputCacheCreation",
    }
}
