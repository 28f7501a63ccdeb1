//! What a click on a card is answered with, at once.
//!
//! Facts (official documentation of card callbacks): the answer must come within 3 s, and is `{}` or has a toast, a card,
//! or both; a click is not sent again.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::event::CardAction;

/// Decides what a person sees at once after a click. The work itself belongs behind the events, which tell the same
/// action: an answer that takes longer than 2 s is replaced by the empty one.
#[async_trait]
pub trait CardActions: Send + Sync {
    /// The answer. Asked once for a click, also when the platform repeats it.
    async fn answer(&self, action: &CardAction) -> ActionReply;
}

/// Answers every click with nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoReply;

#[async_trait]
impl CardActions for NoReply {
    async fn answer(&self, _: &CardAction) -> ActionReply {
        ActionReply::default()
    }
}

/// The answer to a click. The default is the empty one: nothing changes for the person.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActionReply {
    /// A short notice.
    pub toast: Option<Toast>,
    /// A card in place of the one that was clicked; refused by the platform while that one streams.
    pub card: Option<Value>,
}

/// A short notice over the chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    /// Its colour and icon.
    pub kind: ToastKind,
    /// What it says.
    pub text: String,
}

/// The kind of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToastKind {
    /// Neutral.
    Info,
    /// Done.
    Success,
    /// Careful.
    Warning,
    /// It failed.
    Error,
}

impl ActionReply {
    /// As the platform takes it.
    pub(crate) fn json(&self) -> Value {
        let mut out = json!({});
        if let Some(toast) = &self.toast {
            let kind = match toast.kind {
                ToastKind::Info => "info",
                ToastKind::Success => "success",
                ToastKind::Warning => "warning",
                ToastKind::Error => "error",
            };
            out["toast"] = json!({"type": kind, "content": toast.text});
        }
        if let Some(card) = &self.card {
            out["card"] = json!({"type": "raw", "data": card});
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_as_documented() {
        let toast = |kind| Some(Toast { kind, text: "done".to_owned() });
        for (reply, expected) in [
            (ActionReply::default(), json!({})),
            (
                ActionReply { toast: toast(ToastKind::Success), card: None },
                json!({"toast": {"type": "success", "content": "done"}}),
            ),
            (
                ActionReply { toast: toast(ToastKind::Error), card: Some(json!({"schema": "2.0"})) },
                json!({"toast": {"type": "error", "content": "done"}, "card": {"type": "raw", "data": {"schema": "2.0"}}}),
            ),
        ] {
            assert_eq!(reply.json(), expected);
        }
    }
}
