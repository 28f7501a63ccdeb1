//! One card as it is kept: its JSON, what that weighs, and its HTML once somebody has asked for it.

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::render::{is_deep, render};
use crate::words::Language;

/// A larger card is not kept, in bytes of text and members: the platform takes 30 KB, and 1 MB in one request.
pub(super) const LARGEST_CARD: usize = 1 << 20;
/// What each value and each name weighs beside its text, in bytes.
const MEMBER: usize = 8;
/// HTML that is so much larger than its JSON is made anew for each browser, not kept.
const MOST_HTML: usize = 8;
/// HTML up to so many bytes is always kept.
const SMALLEST_HTML: usize = 16 << 10;

/// A card's JSON, and its HTML once somebody has asked for it.
#[derive(Debug)]
pub(crate) struct Content {
    pub(super) json: Value,
    /// In bytes of text and members.
    pub(super) weight: usize,
    html: [OnceLock<Arc<str>>; 2],
}

impl Content {
    /// The card, or one that says that it is too large.
    pub(super) fn of(json: &Value) -> Self {
        let html = [OnceLock::new(), OnceLock::new()];
        match weight(json) {
            Some(weight) => Self { json: json.clone(), weight, html },
            None => Self { json: too_large(), weight: 0, html },
        }
    }

    /// The card as HTML, made once for a language.
    pub(crate) fn html(&self, language: Language) -> Arc<str> {
        let [en, zh] = &self.html;
        let cell = match language {
            Language::En => en,
            Language::ZhCn => zh,
        };
        if let Some(html) = cell.get() {
            return html.clone();
        }
        let html: Arc<str> = render(&self.json, language).into();
        if html.len() <= SMALLEST_HTML.max(self.weight.saturating_mul(MOST_HTML)) {
            // Another browser may have been faster, with the same.
            let _ = cell.set(html.clone());
        }
        html
    }
}

/// What stands for a card that is not kept.
fn too_large() -> Value {
    json!({
        "schema": "2.0",
        "header": {
            "title": {"tag": "plain_text", "content": "⚠️ 卡片过大，未显示 / Too large to be shown"},
            "template": "grey",
        },
        "body": {"elements": []},
    })
}

/// How large a card is; none if it is too large, or too deep to be walked.
fn weight(json: &Value) -> Option<usize> {
    if is_deep(json) {
        return None;
    }
    let mut left = LARGEST_CARD;
    take(json, &mut left)?;
    Some(LARGEST_CARD - left)
}

/// Takes a value's size from what is left; none if that is too little. Members and items count as well as text.
fn take(json: &Value, left: &mut usize) -> Option<()> {
    let own = match json {
        Value::String(text) => text.len() + MEMBER,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => MEMBER,
    };
    *left = left.checked_sub(own)?;
    match json {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(()),
        Value::Array(items) => items.iter().try_for_each(|item| take(item, left)),
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            *left = left.checked_sub(name.len() + MEMBER)?;
            take(value, left)
        }),
    }
}
