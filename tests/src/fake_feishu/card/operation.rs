//! An operation on a card as it comes in: the body of the request read into edits.
//!
//! Invariants
//! - The body has the documented fields, each of its type and length, and no others.
//! - What is a string of JSON in the body is one, and what is an object within it is one: never escaped twice.

use serde_json::{Map, Value};

use super::super::endpoint::{Endpoint, Route};
use super::super::refusal::{Refusal, code};
use super::validate::is_element_id;

/// The longest id of a card, and of a target.
const ID_LENGTH: usize = 20;
/// The longest uuid of an operation.
const UUID_LENGTH: usize = 64;

/// One change of a card.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Edit {
    /// The whole card.
    Update(Value),
    /// `{config, card_link}`.
    Settings(Value),
    /// Elements beside or within the target, or at the end of the body.
    Add { place: Place, target: Option<String>, elements: Vec<Value> },
    /// A whole element.
    Replace { id: String, element: Value },
    /// Some properties of an element.
    Patch { id: String, partial: Value },
    /// The text of an element.
    Content { id: String, text: String },
    /// These elements with all that is in them.
    Delete(Vec<String>),
}

/// Where elements are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Before,
    After,
    End,
}

/// What one call asks for.
#[derive(Debug)]
pub(in super::super) struct Operation {
    pub(super) edits: Vec<Edit>,
    pub(in super::super) sequence: i64,
    pub(in super::super) uuid: Option<String>,
}

/// The members of a body; what is taken out and what is left is checked.
pub(in super::super) struct Fields(Map<String, Value>);

impl Fields {
    pub(in super::super) fn of(value: Value) -> Result<Self, Refusal> {
        if let Value::Object(members) = value {
            Ok(Self(members))
        } else {
            Err(Refusal::field("an object is expected"))
        }
    }

    /// A string of so many characters.
    pub(in super::super) fn text(&mut self, name: &str, limit: usize) -> Result<String, Refusal> {
        self.optional(name, limit)?.ok_or_else(|| Refusal::field(format!("{name} is required")))
    }

    /// The same where it may be absent; never empty.
    pub(in super::super) fn optional(&mut self, name: &str, limit: usize) -> Result<Option<String>, Refusal> {
        match self.0.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) if (1..=limit).contains(&text.chars().count()) => Ok(Some(text)),
            Some(Value::String(_)) => {
                Err(Refusal::field(format!("{name} must have 1 to {limit} characters")))
            }
            Some(_) => Err(Refusal::field(format!("{name} must be a string"))),
        }
    }

    pub(in super::super) fn value(&mut self, name: &str) -> Result<Value, Refusal> {
        self.0.remove(name).ok_or_else(|| Refusal::field(format!("{name} is required")))
    }

    pub(in super::super) fn maybe(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// A string that holds JSON.
    fn json(&mut self, name: &str, limit: usize) -> Result<Value, Refusal> {
        parse(&self.text(name, limit)?)
    }

    /// Nothing may be left.
    pub(in super::super) fn end(self) -> Result<(), Refusal> {
        match self.0.keys().next() {
            Some(name) => Err(Refusal::field(format!("{name} is not a field of this request"))),
            None => Ok(()),
        }
    }
}

fn parse(text: &str) -> Result<Value, Refusal> {
    serde_json::from_str(text).map_err(|error| {
        Refusal::new(code::NO_CARD_CONTENT, format!("cannot generate card content: {error}"))
    })
}

/// The card of a request that creates one.
pub(in super::super) fn created_card(body: Value) -> Result<Value, Refusal> {
    let mut fields = Fields::of(body)?;
    let card = card_data(&mut fields, 3_000_000)?;
    fields.end()?;
    Ok(card)
}

fn card_data(fields: &mut Fields, limit: usize) -> Result<Value, Refusal> {
    let kind = fields.text("type", 50)?;
    if kind != "card_json" {
        return Err(Refusal::new(code::BAD_PARAMETER, format!("type `{kind}`: the fake has no templates")));
    }
    fields.json("data", limit)
}

impl Operation {
    /// Reads the body of a call to one of the endpoints that change a card.
    pub(in super::super) fn read(route: &Route, body: Value) -> Result<Self, Refusal> {
        for (name, id) in [("card_id", &route.card), ("element_id", &route.element)] {
            if id.as_ref().is_some_and(|id| id.chars().count() > ID_LENGTH) {
                return Err(Refusal::field(format!("{name} is longer than {ID_LENGTH}")));
            }
        }
        let mut fields = Fields::of(body)?;
        let sequence = match fields.value("sequence")?.as_i64() {
            Some(number) if (0..=i64::from(i32::MAX)).contains(&number) => number,
            _ => return Err(Refusal::field("sequence must be a number from 1 to 2147483647")),
        };
        let uuid = fields.optional("uuid", UUID_LENGTH)?;
        let element = route.element.clone().unwrap_or_default();
        let edits = match route.endpoint {
            Endpoint::CardUpdate => {
                let mut card = Fields::of(fields.value("card")?)?;
                let data = card_data(&mut card, 1_000_000)?;
                card.end()?;
                vec![Edit::Update(data)]
            }
            Endpoint::CardSettings => vec![Edit::Settings(fields.json("settings", 100_000)?)],
            Endpoint::CardBatch => actions(fields.json("actions", 1_000_000)?)?,
            Endpoint::ElementCreate => {
                let elements = fields.json("elements", 1_000_000)?;
                vec![added(&mut fields, elements)?]
            }
            Endpoint::ElementReplace => {
                vec![Edit::Replace { id: element, element: fields.json("element", 1_000_000)? }]
            }
            Endpoint::ElementPatch => {
                vec![Edit::Patch {
                    id: element,
                    partial: object(fields.json("partial_element", 1_000_000)?)?,
                }]
            }
            Endpoint::ElementContent => {
                vec![Edit::Content { id: element, text: fields.text("content", 100_000)? }]
            }
            Endpoint::ElementDelete => vec![Edit::Delete(vec![element])],
            Endpoint::Token
            | Endpoint::BotInfo
            | Endpoint::CardCreate
            | Endpoint::MessageSend
            | Endpoint::MessageReply
            | Endpoint::MessagePatch
            | Endpoint::ReactionAdd
            | Endpoint::ReactionDelete
            | Endpoint::ImageUpload
            | Endpoint::ChatList
            | Endpoint::ChatGet
            | Endpoint::ConnectionEndpoint => Vec::new(),
        };
        fields.end()?;
        Ok(Self { edits, sequence, uuid })
    }
}

fn object(value: Value) -> Result<Value, Refusal> {
    if value.is_object() { Ok(value) } else { Err(Refusal::field("an object is expected, not escaped JSON")) }
}

fn added(fields: &mut Fields, elements: Value) -> Result<Edit, Refusal> {
    let place = match fields.text("type", 50)?.as_str() {
        "insert_before" => Place::Before,
        "insert_after" => Place::After,
        "append" => Place::End,
        other => return Err(Refusal::new(code::BAD_PARAMETER, format!("type `{other}` is invalid"))),
    };
    // The target may be empty: it is documented with 0 to 20 characters.
    let target = match fields.maybe("target_element_id") {
        Some(Value::String(id)) if id.is_empty() => None,
        Some(Value::String(id)) if is_element_id(&id) => Some(id),
        Some(_) => return Err(Refusal::field("target_element_id is invalid")),
        None => None,
    };
    if target.is_none() && place != Place::End {
        return Err(Refusal::new(code::BAD_PARAMETER, "target_element_id is required to insert"));
    }
    Ok(Edit::Add { place, target, elements: list("elements", elements)? })
}

fn actions(actions: Value) -> Result<Vec<Edit>, Refusal> {
    list("actions", actions)?.into_iter().map(action).collect()
}

/// A list with something in it.
fn list(name: &str, value: Value) -> Result<Vec<Value>, Refusal> {
    if let Value::Array(items) = value
        && !items.is_empty()
    {
        return Ok(items);
    }
    Err(Refusal::field(format!("{name} must be a list that is not empty")))
}

fn action(action: Value) -> Result<Edit, Refusal> {
    let mut fields = Fields::of(action)?;
    let name = fields.text("action", 50)?;
    let mut params = Fields::of(fields.value("params")?)?;
    fields.end()?;
    let edit = match name.as_str() {
        "partial_update_setting" => Edit::Settings(object(params.value("settings")?)?),
        "add_elements" => {
            let elements = params.value("elements")?;
            added(&mut params, elements)?
        }
        "delete_elements" => {
            let ids = list("element_ids", params.value("element_ids")?)?;
            let ids: Option<Vec<String>> = ids.iter().map(|id| id.as_str().map(str::to_owned)).collect();
            Edit::Delete(ids.ok_or_else(|| Refusal::field("element_ids must be strings"))?)
        }
        "partial_update_element" => Edit::Patch {
            id: params.text("element_id", ID_LENGTH)?,
            partial: object(params.value("partial_element")?)?,
        },
        "update_element" => Edit::Replace {
            id: params.text("element_id", ID_LENGTH)?,
            element: object(params.value("element")?)?,
        },
        other => return Err(Refusal::new(code::BAD_PARAMETER, format!("action `{other}` is invalid"))),
    };
    params.end()?;
    Ok(edit)
}
