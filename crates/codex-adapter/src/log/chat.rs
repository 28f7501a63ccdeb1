//! Text of the user and the agent, in all layers of the log.

use std::borrow::Cow;

use larkspan_core::transcript::{ChatLayer, Message, Phase, Reasoning, RecordBody, Role};

use super::Sink;
use crate::output::shared;
use crate::wire::{self, ContentBlock, Raw};

/// How messages begin that stand under the user's name and that the user never wrote.
const INTERNAL: [&str; 12] = [
    "<environment_context>",
    "# AGENTS.md instructions",
    "<INSTRUCTIONS>",
    "<user_instructions>",
    "<goal_context>",
    "<codex_internal_context",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skills_instructions>",
    "<permissions instructions>",
    "<model_switch>",
];

pub(super) fn is_internal(text: &str) -> bool {
    let text = text.trim_start();
    INTERNAL.iter().any(|begin| text.starts_with(begin))
}

/// The text of a message's content: a string, or a list of blocks. Images stand as `[image]`.
pub(super) fn content(raw: Raw<'_>) -> String {
    if let Some(text) = wire::text(raw) {
        return text.into_owned();
    }
    let mut out = String::new();
    for block in wire::array(raw) {
        let block: ContentBlock<'_> = wire::object(Some(block));
        let piece: Cow<'_, str> = match wire::text(block.text) {
            Some(text) => text,
            None if block.encrypted_content.is_some() => continue,
            None if wire::text(block.r#type).is_some_and(|kind| kind.to_lowercase().contains("image")) => {
                "[image]".into()
            }
            None => continue,
        };
        if is_internal(&piece) {
            continue;
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&piece);
    }
    out
}

pub(super) fn phase(raw: Raw<'_>) -> Option<Phase> {
    match wire::text(raw)?.as_ref() {
        "commentary" => Some(Phase::Commentary),
        "final_answer" | "final" => Some(Phase::Final),
        _ => None,
    }
}

impl Sink<'_> {
    pub(super) fn message(
        &mut self,
        role: Role,
        layer: ChatLayer,
        text: &str,
        phase: Option<Phase>,
        id: Raw<'_>,
    ) {
        if text.trim().is_empty() || (role == Role::User && is_internal(text)) {
            return;
        }
        let id = wire::non_empty(id).map(Cow::into_owned);
        self.push(RecordBody::Message(Message { role, phase, text: text.into(), layer, id }));
    }

    /// A reasoning summary; an empty one says nothing.
    pub(super) fn reasoning(&mut self, layer: ChatLayer, text: &str, id: Raw<'_>) {
        if !text.trim().is_empty() {
            let id = wire::non_empty(id).map(Cow::into_owned);
            self.push(RecordBody::Reasoning(Reasoning { text: shared(text.trim()), layer, id }));
        }
    }
}

/// The paragraphs of a reasoning summary: strings, or blocks with text.
pub(super) fn summary(raw: Raw<'_>) -> String {
    let paragraphs = wire::array(raw).into_iter().filter_map(|part| {
        wire::text(Some(part)).or_else(|| wire::text(wire::object::<ContentBlock<'_>>(Some(part)).text))
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}
