//! The check of a whole card, after every write and before it counts.
//!
//! Invariant: the order of the checks is the order of their codes in the contract; which of two would come first is not
//! documented.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::refusal::{Refusal, code};
use super::super::settings::{Audit, EmptyMarkdown, Images, Limits, Toggles};
use super::document::{children, count_components, objects, tag, text};
use super::markdown;
use super::{schema, shape};

/// The longest label of a button, in characters.
const BUTTON_TEXT: usize = 100;
/// Tables in one `markdown` element.
const TABLES_AN_ELEMENT: usize = 4;
/// The longest id of an element.
const ID_LENGTH: usize = 20;

/// What a card is held against.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Rules<'a> {
    pub(in super::super) toggles: &'a Toggles,
    pub(in super::super) limits: &'a Limits,
    /// Keys of uploaded images.
    pub(in super::super) images: &'a BTreeSet<String>,
    /// Who may be mentioned.
    pub(in super::super) users: &'a [String],
}

/// Refuses a card that the platform would refuse.
pub(in super::super) fn validate(card: &Value, rules: &Rules<'_>) -> Result<(), Refusal> {
    if !card.is_object() {
        return Err(Refusal::new(code::NO_CARD_CONTENT, "cannot generate card content"));
    }
    if card.as_object().is_some_and(serde_json::Map::is_empty) {
        return Err(Refusal::new(code::EMPTY_CARD, "card DSL is empty"));
    }
    if card.pointer("/config/update_multi") == Some(&Value::Bool(false)) {
        return Err(Refusal::new(code::NOT_SHARED, "update_multi must be true"));
    }
    if text(card, "schema") != "2.0" {
        return Err(Refusal::new(code::NOT_SCHEMA_2, "only schema 2.0 is supported"));
    }
    ids(card)?;
    shape::check(card, schema::CARD, &mut Vec::new())?;
    forms(card)?;
    texts(card, rules)?;
    images(card, rules)?;
    tables(card, rules.toggles.table_cap)?;
    nesting(card, rules.limits.nesting)?;
    if count_components(card) > rules.limits.components {
        return Err(Refusal::new(code::TOO_MANY_COMPONENTS, "element exceeds the limit"));
    }
    if card.to_string().len() > rules.limits.bytes {
        return Err(Refusal::new(code::TOO_LARGE, "card content exceeds limit"));
    }
    Ok(())
}

/// Whether an element may be called this.
pub(super) fn is_element_id(id: &str) -> bool {
    id.len() <= ID_LENGTH
        && id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

fn ids(card: &Value) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    let mut found = Ok(());
    objects(card, &mut |object| {
        let Some(id) = object.get("element_id") else { return };
        let id = id.as_str().unwrap_or_default();
        if found.is_err() {
        } else if !is_element_id(id) {
            found = Err(Refusal::new(code::BAD_PARAMETER, format!("element_id `{id}` is invalid")));
        } else if !seen.insert(id) {
            found = Err(Refusal::new(code::DUPLICATE_ID, format!("element_id `{id}` is duplicated")));
        }
    });
    found
}

/// Stops at the first component that is refused.
fn each<'a>(card: &'a Value, mut check: impl FnMut(&'a Value) -> Result<(), Refusal>) -> Result<(), Refusal> {
    let mut found = Ok(());
    objects(card, &mut |object| {
        if found.is_ok() && object.get("tag").is_some() {
            found = check(object);
        }
    });
    found
}

fn refuse(message: &str) -> Refusal {
    Refusal::new(code::UNKNOWN_PROPERTY, format!("parse card json err, {message}"))
}

const INTERACTIVE: &[&str] = &["button", "input", "select_static", "multi_select_static"];

fn forms(card: &Value) -> Result<(), Refusal> {
    each(card, |component| {
        if tag(component) != "form" {
            return Ok(());
        }
        let (mut names, mut submits) = (BTreeSet::new(), 0);
        each(component, |part| {
            if !INTERACTIVE.contains(&tag(part)) {
                return Ok(());
            }
            let name = text(part, "name");
            if name.is_empty() || !names.insert(name) {
                return Err(refuse(&format!("a {} of a form needs a name of its own", tag(part))));
            }
            submits += usize::from(text(part, "form_action_type") == "submit");
            Ok(())
        })?;
        if submits == 1 { Ok(()) } else { Err(refuse("a form needs one button that submits it")) }
    })?;
    let buttons = |component: &Value| {
        let label = component.pointer("/text/content").and_then(Value::as_str).unwrap_or_default();
        tag(component) == "button" && label.chars().count() > BUTTON_TEXT
    };
    each(card, |component| {
        if buttons(component) {
            return Err(refuse(&format!("the text of a button is longer than {BUTTON_TEXT}")));
        }
        let behaviors = component.get("behaviors").and_then(Value::as_array).into_iter().flatten();
        for behavior in behaviors {
            let needed = if text(behavior, "type") == "callback" { "value" } else { "default_url" };
            if behavior.get(needed).is_none() {
                return Err(refuse(&format!("a behavior without {needed}")));
            }
        }
        Ok(())
    })
}

/// The text of a component that holds some.
fn content(component: &Value) -> &str {
    text(component, "content")
}

fn texts(card: &Value, rules: &Rules<'_>) -> Result<(), Refusal> {
    let refuses_empty = match rules.toggles.empty_markdown {
        EmptyMarkdown::Refused => true,
        EmptyMarkdown::Accepted => false,
    };
    each(card, |component| {
        let content = content(component);
        if tag(component) == "markdown" {
            if refuses_empty && content.is_empty() {
                return Err(refuse("content of markdown is empty"));
            }
            if let Some(nobody) = markdown::mentions(content).into_iter().find(|id| !is_known(id, rules)) {
                let refusal = Refusal::new(code::INVALID_MENTION, format!("invalid user `{nobody}`"));
                return Err(refusal.in_message());
            }
        }
        audit(content, rules.toggles)
    })
}

fn is_known(id: &str, rules: &Rules<'_>) -> bool {
    id == "all" || rules.users.iter().any(|user| user == id)
}

/// What the tenant's audit says to a text.
pub(in super::super) fn audit(text: &str, toggles: &Toggles) -> Result<(), Refusal> {
    if toggles.sensitive_words.iter().any(|word| text.contains(word)) {
        return Err(Refusal::new(code::SENSITIVE_WORD, "the message contains sensitive information"));
    }
    match toggles.audit {
        Audit::EmailsAndPhones if has_email(text) || has_phone(text) => {
            Err(Refusal::new(code::AUDIT, "the message does not pass the audit"))
        }
        Audit::EmailsAndPhones | Audit::Off => Ok(()),
    }
}

fn has_email(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '%');
    text.match_indices('@').any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let domain: &str = text[at + 1..].split(|c| !is_part(c)).next().unwrap_or_default();
        let ending = domain.trim_end_matches('.').rsplit_once('.');
        before && ending.is_some_and(|(host, end)| !host.is_empty() && end.len() >= 2)
    })
}

/// Eleven digits by themselves, as mobile numbers are in China.
fn has_phone(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| word.len() == 11 && word.starts_with('1') && word.bytes().all(|c| c.is_ascii_digit()))
}

fn images(card: &Value, rules: &Rules<'_>) -> Result<(), Refusal> {
    let is_good = |key: &str| {
        key.starts_with("img_")
            && match rules.toggles.images {
                Images::AnyKey => true,
                Images::Uploaded => rules.images.contains(key),
            }
    };
    each(card, |component| {
        let mut keys = Vec::new();
        if tag(component) == "markdown" {
            keys = markdown::image_targets(content(component));
        }
        keys.extend(component.get("img_key").and_then(Value::as_str).map(str::to_owned));
        match keys.iter().find(|key| !is_good(key)) {
            Some(key) => Err(Refusal::new(
                code::INVALID_IMAGE,
                format!("card contains invalid image keys: {}", key.chars().take(60).collect::<String>()),
            )),
            None => Ok(()),
        }
    })
}

fn tables(card: &Value, cap: usize) -> Result<(), Refusal> {
    let over = || Refusal::new(code::CARD_LIMIT, "card table number over limit");
    let mut count = 0;
    each(card, |component| {
        let here = match tag(component) {
            "table" => 1,
            "markdown" => markdown::count_tables(content(component)),
            _ => 0,
        };
        count += here;
        if here > TABLES_AN_ELEMENT { Err(over()) } else { Ok(()) }
    })?;
    if count > cap { Err(over()) } else { Ok(()) }
}

fn nesting(card: &Value, limit: usize) -> Result<(), Refusal> {
    fn depth(elements: &[Value]) -> usize {
        elements.iter().map(|element| 1 + depth(children(element))).max().unwrap_or(0)
    }
    let elements = card.pointer("/body/elements").and_then(Value::as_array);
    let levels = elements.map_or(0, |elements| depth(elements));
    if levels > limit {
        Err(refuse(&format!("{levels} levels of components, {limit} are allowed")))
    } else {
        Ok(())
    }
}
