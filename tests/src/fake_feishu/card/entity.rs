//! One card entity: its document, its counters, its streaming mode, and what an operation makes of them.
//!
//! Invariants
//! - An operation changes a copy; the copy takes the card's place only when the whole of it is valid.
//! - `sequence` grows strictly; one counter for all operations.
//! - Streaming ends by itself ten minutes after it was opened, whatever was written meanwhile.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::refusal::{Refusal, code};
use super::super::settings::{
    BareSettings, Batch, FailedOperation, PartialUpdate, StreamClock, StreamExpiry, Toggles, UuidReuse,
};
use super::document::{body_mut, children_key, find_mut, merge, place_mut, tag, text};
use super::operation::{Edit, Operation, Place};
use super::validate::{Rules, validate};

/// How long streaming stays open.
const STREAM_TIME: Duration = Duration::from_mins(10);
/// How long a card lives.
pub(in super::super) const LIFETIME: Duration = Duration::from_hours(14 * 24);

/// Whether text may be streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streaming {
    /// Since then.
    Open {
        /// On the fake's clock.
        since: Duration,
    },
    /// Ended by itself, and nobody was told yet.
    Expired,
    /// Closed, or never opened.
    Closed,
}

/// A card entity.
#[derive(Debug, Clone)]
pub(in super::super) struct CardEntity {
    pub(in super::super) id: String,
    pub(in super::super) owner: String,
    pub(in super::super) created_at: Duration,
    pub(in super::super) sequence: i64,
    pub(in super::super) message: Option<String>,
    pub(in super::super) locked_until: Duration,
    uuids: BTreeSet<String>,
    draft: Draft,
}

/// What an operation changes.
#[derive(Debug, Clone)]
struct Draft {
    json: Value,
    streaming: Streaming,
}

impl CardEntity {
    /// A new card, if it is a valid one.
    pub(in super::super) fn create(
        id: String,
        owner: &str,
        json: Value,
        rules: &Rules<'_>,
        now: Duration,
    ) -> Result<Self, Refusal> {
        validate(&json, rules)?;
        let streaming =
            if says_streaming(&json) { Streaming::Open { since: now } } else { Streaming::Closed };
        Ok(Self {
            id,
            owner: owner.to_owned(),
            created_at: now,
            sequence: 0,
            message: None,
            locked_until: Duration::ZERO,
            uuids: BTreeSet::new(),
            draft: Draft { json, streaming },
        })
    }

    /// The document as it is at this time.
    pub(in super::super) fn json(&self, now: Duration) -> Value {
        self.draft.at(now).json
    }

    pub(in super::super) fn streaming(&self, now: Duration) -> Streaming {
        self.draft.at(now).streaming
    }

    /// The checks that come before any change: owner and age.
    pub(in super::super) fn admit(&self, app: &str, now: Duration) -> Result<(), Refusal> {
        if self.owner != app {
            return Err(Refusal::new(code::FOREIGN_CARD, "the app has no permission for this card"));
        }
        if now.saturating_sub(self.created_at) >= LIFETIME {
            return Err(Refusal::new(code::CARD_EXPIRED, "the card entity has expired"));
        }
        Ok(())
    }

    /// Does what a call asks for.
    pub(in super::super) fn operate(
        &mut self,
        operation: &Operation,
        rules: &Rules<'_>,
        now: Duration,
    ) -> Result<(), Refusal> {
        let uuid = operation.uuid.as_ref();
        if uuid.is_some_and(|uuid| self.uuids.contains(uuid)) {
            return match rules.toggles.uuid_reuse {
                UuidReuse::Conflict => Err(Refusal::new(code::UUID_CONFLICT, "UUID conflict")),
                UuidReuse::Replays => Ok(()),
            };
        }
        if operation.sequence <= self.sequence {
            return Err(Refusal::new(code::SEQUENCE, "sequence number compare failed"));
        }
        let done = self.change(operation, rules, now);
        let is_consumed = match rules.toggles.failed_operation {
            FailedOperation::KeepsSequence => {
                matches!(done, Ok(()) | Err(Failed { is_partly_applied: true, .. }))
            }
            FailedOperation::ConsumesSequence => true,
        };
        if is_consumed {
            self.sequence = operation.sequence;
        }
        if done.is_ok() {
            self.uuids.extend(uuid.cloned());
        }
        done.map_err(|failed| failed.refusal)
    }

    fn change(&mut self, operation: &Operation, rules: &Rules<'_>, now: Duration) -> Result<(), Failed> {
        self.draft = self.draft.at(now);
        if now < self.locked_until {
            return Err(Refusal::new(code::CARD_LOCKED, "card action is lock").into());
        }
        let mut draft = self.draft.clone();
        for (step, edit) in operation.edits.iter().enumerate() {
            let failed = |refusal| Failed { refusal, is_partly_applied: false };
            match rules.toggles.batch {
                Batch::Atomic => {
                    if let Err(refusal) = draft.apply(edit, rules.toggles, now) {
                        // What expired was told, also when nothing else is changed.
                        self.draft.streaming = told(self.draft.streaming, &refusal);
                        return Err(failed(refusal));
                    }
                }
                Batch::StepByStep => {
                    let applied =
                        draft.apply(edit, rules.toggles, now).and_then(|()| validate(&draft.json, rules));
                    if let Err(refusal) = applied {
                        self.draft.streaming = told(self.draft.streaming, &refusal);
                        return Err(Failed { refusal, is_partly_applied: step > 0 });
                    }
                    self.draft = draft.clone();
                }
            }
        }
        validate(&draft.json, rules)?;
        self.draft = draft;
        Ok(())
    }
}

/// A refusal, and whether something was changed before.
struct Failed {
    refusal: Refusal,
    is_partly_applied: bool,
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, is_partly_applied: false }
    }
}

fn told(streaming: Streaming, refusal: &Refusal) -> Streaming {
    if refusal.code == code::STREAM_TIMEOUT { Streaming::Closed } else { streaming }
}

fn says_streaming(card: &Value) -> bool {
    card.pointer("/config/streaming_mode") == Some(&Value::Bool(true))
}

impl Draft {
    /// The same at a later time: streaming may have ended.
    fn at(&self, now: Duration) -> Self {
        let mut draft = self.clone();
        if let Streaming::Open { since } = draft.streaming
            && now.saturating_sub(since) >= STREAM_TIME
        {
            draft.streaming = Streaming::Expired;
            if let Some(mode) = draft.json.pointer_mut("/config/streaming_mode") {
                *mode = json!(false);
            }
        }
        draft
    }

    fn apply(&mut self, edit: &Edit, toggles: &Toggles, now: Duration) -> Result<(), Refusal> {
        match edit {
            Edit::Update(card) => self.update(card, toggles, now),
            Edit::Settings(settings) => self.set(settings, toggles, now),
            Edit::Add { place, target, elements } => add(&mut self.json, *place, target.as_deref(), elements),
            Edit::Replace { id, element } => match find_mut(&mut self.json, id) {
                Some(old) => {
                    *old = element.clone();
                    Ok(())
                }
                None => Err(Refusal::new(code::REPLACE_FAILED, format!("no element `{id}` to replace"))),
            },
            Edit::Patch { id, partial } => patch(&mut self.json, id, partial, toggles.partial_update),
            Edit::Content { id, text } => self.write(id, text, toggles),
            Edit::Delete(ids) => ids.iter().try_for_each(|id| match place_mut(&mut self.json, id) {
                Some((list, at)) => {
                    list.remove(at);
                    Ok(())
                }
                None => Err(Refusal::new(code::DELETE_FAILED, format!("no element `{id}` to delete"))),
            }),
        }
    }

    fn update(&mut self, card: &Value, toggles: &Toggles, now: Duration) -> Result<(), Refusal> {
        if card.as_object().is_some_and(|members| !members.is_empty()) && text(card, "schema") != "2.0" {
            return Err(Refusal::new(code::DOWNGRADE, "a card of schema 2.0 cannot be updated to 1.0"));
        }
        self.json = card.clone();
        self.streaming = match (says_streaming(card), self.streaming, toggles.stream_clock) {
            (true, open @ Streaming::Open { .. }, StreamClock::ArmedByOpening) => open,
            (true, _, _) => Streaming::Open { since: now },
            (false, _, _) => Streaming::Closed,
        };
        Ok(())
    }

    fn set(&mut self, settings: &Value, toggles: &Toggles, now: Duration) -> Result<(), Refusal> {
        let refused =
            |why: &str| Err(Refusal::new(code::SETTINGS_FAILED, format!("update config failed: {why}")));
        let Some(members) = settings.as_object() else { return refused("not an object") };
        if !members.contains_key("config") && !members.contains_key("card_link") {
            return match toggles.bare_settings {
                BareSettings::Ignored => Ok(()),
                BareSettings::Refused => refused("neither config nor card_link"),
            };
        }
        if let Some(other) = members.keys().find(|name| !matches!(name.as_str(), "config" | "card_link")) {
            return refused(&format!("unknown property {other}"));
        }
        if members.get("config").is_some_and(|config| !config.is_object()) {
            return refused("config is not an object");
        }
        merge(&mut self.json, settings, true);
        match settings.pointer("/config/streaming_mode") {
            Some(Value::Bool(true)) if !matches!(self.streaming, Streaming::Open { .. }) => {
                self.streaming = Streaming::Open { since: now };
            }
            Some(Value::Bool(false)) => self.streaming = Streaming::Closed,
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, id: &str, text: &str, toggles: &Toggles) -> Result<(), Refusal> {
        match (self.streaming, toggles.stream_expiry) {
            (Streaming::Open { .. }, _) => {}
            (Streaming::Expired, StreamExpiry::ReportedOnce) => {
                return Err(Refusal::new(code::STREAM_TIMEOUT, "streaming mode timed out"));
            }
            (Streaming::Expired, StreamExpiry::ClosedAtOnce) | (Streaming::Closed, _) => {
                return Err(Refusal::new(code::STREAM_CLOSED, "streaming mode is closed"));
            }
        }
        let Some(element) = find_mut(&mut self.json, id) else {
            return Err(Refusal::new(code::UPDATE_FAILED, format!("no element `{id}`")));
        };
        if !matches!(tag(element), "markdown" | "plain_text") {
            return Err(Refusal::new(code::NOT_TEXT, "only text elements can be streamed"));
        }
        merge(element, &json!({"content": text}), false);
        Ok(())
    }
}

fn add(card: &mut Value, place: Place, target: Option<&str>, elements: &[Value]) -> Result<(), Refusal> {
    let failed = |why: String| Refusal::new(code::ADD_FAILED, format!("add element failed: {why}"));
    let (list, at) = match (place, target) {
        (Place::Before, Some(id)) => {
            place_mut(card, id).ok_or_else(|| failed(format!("no element `{id}`")))?
        }
        (Place::After, Some(id)) => {
            let found = place_mut(card, id).ok_or_else(|| failed(format!("no element `{id}`")))?;
            (found.0, found.1 + 1)
        }
        (Place::End, Some(id)) => {
            let container = find_mut(card, id).ok_or_else(|| failed(format!("no element `{id}`")))?;
            let list = children_key(container).and_then(|key| container.get_mut(key)?.as_array_mut());
            let list = list.ok_or_else(|| failed(format!("`{id}` is no container")))?;
            let end = list.len();
            (list, end)
        }
        (Place::Before | Place::After | Place::End, None) => {
            let list = body_mut(card).ok_or_else(|| failed("no body".to_owned()))?;
            let end = list.len();
            (list, end)
        }
    };
    list.splice(at..at, elements.iter().cloned());
    Ok(())
}

fn patch(card: &mut Value, id: &str, partial: &Value, depth: PartialUpdate) -> Result<(), Refusal> {
    let Some(element) = find_mut(card, id) else {
        return Err(Refusal::new(code::UPDATE_FAILED, format!("no element `{id}`")));
    };
    if partial.get("tag").is_some_and(|tag| Some(tag) != element.get("tag")) {
        return Err(Refusal::new(code::TAG_CHANGE, "the tag of an element cannot be changed"));
    }
    merge(element, partial, depth == PartialUpdate::Deep);
    Ok(())
}
