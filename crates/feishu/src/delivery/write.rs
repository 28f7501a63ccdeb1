//! What is written to a card.

use serde_json::Value;

use crate::document::Action;

/// A write on a card.
pub(super) enum Write {
    Replace(Value),
    Batch(Vec<Action>),
    Text(String, String),
    Settings(Value),
}

impl Write {
    /// What is sent, as text.
    pub(super) fn body(&self) -> String {
        match self {
            Self::Replace(json) | Self::Settings(json) => json.to_string(),
            Self::Batch(actions) => {
                Value::from(actions.iter().map(Action::to_json).collect::<Vec<_>>()).to_string()
            }
            Self::Text(id, text) => format!("{id}={text}"),
        }
    }

    /// Where it goes.
    pub(super) fn endpoint(&self) -> &'static str {
        match self {
            Self::Replace(_) => "replace",
            Self::Batch(_) => "batch",
            Self::Text(..) => "content",
            Self::Settings(_) => "settings",
        }
    }
}
