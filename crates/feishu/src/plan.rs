//! The planner: from what a card should look like and what the platform holds, what to send.
//!
//! Pure. Guarantee: what a plan leaves behind, applied to the shadow, is the desired card.

use serde_json::{Map, Value};

use crate::document::{self, Action, Place, id_of};

/// What the platform has accepted of a card; never that anybody saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shadow {
    /// The card.
    pub json: Value,
    /// How far that is believed.
    pub trust: Trust,
}

/// How far a shadow is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Trust {
    /// The last write replaced the whole card.
    Trusted,
    /// Parts were written since: a full refresh is owed, not urgently.
    Weak,
    /// The outcome of a write is not known.
    Unknown,
}

/// What to send.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// Nothing.
    Nothing,
    /// Parts: at most one batch, then at most one text that grows.
    Parts {
        /// The batch; empty: none.
        batch: Vec<Action>,
        /// The element and its whole text.
        content: Option<(String, String)>,
    },
    /// The whole card.
    Refresh(Reason),
}

/// Why the whole card is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The outcome of a write is not known.
    Unknown,
    /// What stands outside the body changed.
    Frame,
    /// The order of elements changed, or elements have no id.
    Order,
    /// A batch would be as large as the card.
    Size,
    /// Parts were written for some time.
    Owed,
    /// The card does not stream, and only a text changed that was to grow.
    Closed,
}

impl Reason {
    /// Its name in logs and counters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Frame => "frame",
            Self::Order => "order",
            Self::Size => "size",
            Self::Owed => "owed",
            Self::Closed => "closed",
        }
    }
}

/// The element whose text grows.
pub const GROWING: &str = "streaming_content";

/// Plans what to send. `is_streaming`: whether the platform takes growing texts for this card now.
pub fn plan(desired: &Value, shadow: &Shadow, is_streaming: bool) -> Plan {
    if shadow.trust == Trust::Unknown {
        return Plan::Refresh(Reason::Unknown);
    }
    if *desired == shadow.json {
        return Plan::Nothing;
    }
    let mut batch = Vec::new();
    match frame(desired, &shadow.json) {
        Frame::Same => {}
        Frame::Config(changes) => batch.push(Action::Config(changes)),
        Frame::Other => return Plan::Refresh(Reason::Frame),
    }
    let mut content = None;
    let lists = |card: &Value| card["body"]["elements"].as_array().cloned().unwrap_or_default();
    let mut diff = Diff { batch: &mut batch, content: is_streaming.then_some(&mut content) };
    if diff.list(None, &lists(&shadow.json), &lists(desired)).is_none() {
        return Plan::Refresh(Reason::Order);
    }
    let size: usize = batch.iter().map(|action| document::bytes(&action.to_json())).sum();
    if size >= document::bytes(desired) {
        return Plan::Refresh(Reason::Size);
    }
    Plan::Parts { batch, content }
}

/// What changed outside the elements.
enum Frame {
    Same,
    Config(Map<String, Value>),
    Other,
}

/// What a batch may change of `config` without a refresh.
const CONFIG: [&str; 1] = ["summary"];

fn frame(desired: &Value, held: &Value) -> Frame {
    let (Some(desired), Some(held)) = (desired.as_object(), held.as_object()) else { return Frame::Other };
    let others = |card: &Map<String, Value>| -> Map<String, Value> {
        card.iter().filter(|(name, _)| !matches!(name.as_str(), "body" | "config")).map(clone).collect()
    };
    let without = |value: Option<&Value>, names: &[&str]| -> Map<String, Value> {
        let members = value.and_then(Value::as_object).into_iter().flatten();
        members.filter(|(name, _)| !names.contains(&name.as_str())).map(clone).collect()
    };
    let (body, config) = (
        |card: &Map<String, Value>| without(card.get("body"), &["elements"]),
        |card: &Map<String, Value>| without(card.get("config"), &CONFIG),
    );
    if others(desired) != others(held) || body(desired) != body(held) || config(desired) != config(held) {
        return Frame::Other;
    }
    let mut changes = Map::new();
    for name in CONFIG {
        let of = |card: &Map<String, Value>| card.get("config").and_then(|config| config.get(name)).cloned();
        match (of(desired), of(held)) {
            (new, old) if new == old => {}
            (Some(new), _) => drop(changes.insert(name.to_owned(), new)),
            (None, _) => return Frame::Other,
        }
    }
    if changes.is_empty() { Frame::Same } else { Frame::Config(changes) }
}

fn clone((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

struct Diff<'a> {
    batch: &'a mut Vec<Action>,
    content: Option<&'a mut Option<(String, String)>>,
}

impl Diff<'_> {
    /// `None`: the order changed, or something has no id.
    fn list(&mut self, container: Option<&str>, old: &[Value], new: &[Value]) -> Option<()> {
        let ids = |list: &[Value]| -> Option<Vec<String>> {
            list.iter().map(|element| id_of(element).map(str::to_owned)).collect()
        };
        let (old_ids, new_ids) = (ids(old)?, ids(new)?);
        let gone: Vec<String> = old_ids.iter().filter(|id| !new_ids.contains(id)).cloned().collect();
        let kept = |ids: &[String], others: &[String]| -> Vec<String> {
            ids.iter().filter(|id| others.contains(id)).cloned().collect()
        };
        if kept(&old_ids, &new_ids) != kept(&new_ids, &old_ids) {
            return None;
        }
        // What comes first stands in front of something that stays, or at the end.
        let first_kept = new_ids.iter().find(|id| old_ids.contains(id));
        let mut at = 0;
        while let Some(id) = new_ids.get(at) {
            if old_ids.contains(id) {
                at += 1;
                continue;
            }
            let run = new_ids[at..].iter().take_while(|id| !old_ids.contains(id)).count();
            let place =
                match (at.checked_sub(1).and_then(|before| new_ids.get(before)), first_kept, container) {
                    (Some(before), _, _) => Place::After(before.clone()),
                    (None, Some(first), _) => Place::Before(first.clone()),
                    (None, None, Some(container)) => Place::In(container.to_owned()),
                    (None, None, None) => Place::End,
                };
            self.batch.push(Action::Add { place, elements: new[at..at + run].to_vec() });
            at += run;
        }
        if !gone.is_empty() {
            self.batch.push(Action::Delete(gone));
        }
        for (id, element) in new_ids.iter().zip(new) {
            if let Some(held) = old_ids.iter().position(|old| old == id) {
                self.element(id, &old[held], element);
            }
        }
        Some(())
    }

    fn element(&mut self, id: &str, old: &Value, new: &Value) {
        if old == new {
            return;
        }
        let update = Action::Update { id: id.to_owned(), element: new.clone() };
        let (Some(before), Some(after)) = (old.as_object(), new.as_object()) else {
            return self.batch.push(update);
        };
        let is_lost = before.keys().any(|name| !after.contains_key(name));
        if is_lost || before.get("tag") != after.get("tag") {
            return self.batch.push(update);
        }
        let mut properties: Map<String, Value> =
            after.iter().filter(|(name, value)| before.get(*name) != Some(*value)).map(clone).collect();
        if let Some(Value::String(text)) = properties.get("content")
            && properties.len() == 1
            && id == GROWING
            && !text.is_empty()
            && let Some(content) = &mut self.content
        {
            **content = Some((id.to_owned(), text.clone()));
            return;
        }
        if let (Some(Value::Array(held)), Some(Value::Array(wanted))) =
            (before.get("elements"), after.get("elements"))
            && properties.remove("elements").is_some()
        {
            let mark = self.batch.len();
            if self.list(Some(id), held, wanted).is_none() {
                self.batch.truncate(mark);
                return self.batch.push(update);
            }
        }
        if !properties.is_empty() {
            self.batch.push(Action::Partial { id: id.to_owned(), properties });
        }
    }
}

#[cfg(test)]
mod tests;
