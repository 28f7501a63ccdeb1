//! Card JSON as a document: its elements by id, what a batch does to it, how large it is.
//!
//! Pure. What the platform does with a write is told here once: by the planner (what must be sent), by delivery (what the
//! platform holds then) and by [`MemoryPlatform`](crate::MemoryPlatform).

use serde_json::{Map, Value, json};

/// One action of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Adds elements.
    Add {
        /// Where.
        place: Place,
        /// What.
        elements: Vec<Value>,
    },
    /// Takes elements away, with all that is in them.
    Delete(Vec<String>),
    /// Replaces an element.
    Update {
        /// Which.
        id: String,
        /// By what.
        element: Value,
    },
    /// Changes properties of an element.
    Partial {
        /// Which.
        id: String,
        /// The properties with their new values.
        properties: Map<String, Value>,
    },
    /// Changes the card's `config`.
    Config(Map<String, Value>),
}

/// Where elements are added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Behind an element.
    After(String),
    /// In front of an element.
    Before(String),
    /// At the end of a container.
    In(String),
    /// At the end of the card.
    End,
}

/// Why an action cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The card has no such element.
    #[error("the card has no element {0}")]
    NoElement(String),
    /// The element holds no others.
    #[error("{0} is no container")]
    NoContainer(String),
    /// The action is none that is known, or lacks something.
    #[error("not an action: {0}")]
    NotAnAction(String),
}

/// The members of containers that hold elements.
const CHILDREN: [&str; 2] = ["elements", "columns"];

impl Action {
    /// As the platform wants it.
    pub fn to_json(&self) -> Value {
        let (action, params) = match self {
            Self::Add { place, elements } => {
                let mut params = match place {
                    Place::After(id) => json!({"type": "insert_after", "target_element_id": id}),
                    Place::Before(id) => json!({"type": "insert_before", "target_element_id": id}),
                    Place::In(id) => json!({"type": "append", "target_element_id": id}),
                    Place::End => json!({"type": "append"}),
                };
                params["elements"] = json!(elements);
                ("add_elements", params)
            }
            Self::Delete(ids) => ("delete_elements", json!({"element_ids": ids})),
            Self::Update { id, element } => ("update_element", json!({"element_id": id, "element": element})),
            Self::Partial { id, properties } => {
                ("partial_update_element", json!({"element_id": id, "partial_element": properties}))
            }
            Self::Config(config) => ("partial_update_setting", json!({"settings": {"config": config}})),
        };
        json!({"action": action, "params": params})
    }

    /// Reads one as the platform would.
    pub fn from_json(value: &Value) -> Result<Self, DocumentError> {
        let params = &value["params"];
        let id = || params["element_id"].as_str().map(str::to_owned);
        let object = |value: &Value| value.as_object().cloned();
        let target = || params["target_element_id"].as_str().map(str::to_owned);
        let action = match value["action"].as_str().unwrap_or_default() {
            "add_elements" => {
                let place = match (params["type"].as_str().unwrap_or_default(), target()) {
                    ("insert_after", Some(id)) => Some(Place::After(id)),
                    ("insert_before", Some(id)) => Some(Place::Before(id)),
                    ("append", Some(id)) => Some(Place::In(id)),
                    ("append", None) => Some(Place::End),
                    _ => None,
                };
                place
                    .zip(params["elements"].as_array().cloned())
                    .map(|(place, elements)| Self::Add { place, elements })
            }
            "delete_elements" => params["element_ids"]
                .as_array()
                .map(|ids| Self::Delete(ids.iter().filter_map(Value::as_str).map(str::to_owned).collect())),
            "update_element" => id().map(|id| Self::Update { id, element: params["element"].clone() }),
            "partial_update_element" => id()
                .zip(object(&params["partial_element"]))
                .map(|(id, properties)| Self::Partial { id, properties }),
            "partial_update_setting" => object(&params["settings"]["config"]).map(Self::Config),
            _ => None,
        };
        action.ok_or_else(|| DocumentError::NotAnAction(value.to_string().chars().take(120).collect()))
    }
}

/// Applies actions, all or none.
pub fn apply(card: &mut Value, actions: &[Action]) -> Result<(), DocumentError> {
    let mut changed = card.clone();
    for action in actions {
        apply_one(&mut changed, action)?;
    }
    *card = changed;
    Ok(())
}

fn apply_one(card: &mut Value, action: &Action) -> Result<(), DocumentError> {
    match action {
        Action::Add { place, elements } => match place {
            Place::After(id) | Place::Before(id) => {
                let (list, at) = siblings(&mut card["body"], id).ok_or_else(|| missing(id))?;
                let at = if matches!(place, Place::After(_)) { at + 1 } else { at };
                list.splice(at..at, elements.iter().cloned());
            }
            Place::In(id) => {
                let container = find_mut(&mut card["body"], id).ok_or_else(|| missing(id))?;
                let list = container.get_mut("elements").and_then(Value::as_array_mut);
                list.ok_or_else(|| DocumentError::NoContainer(id.clone()))?.extend(elements.iter().cloned());
            }
            Place::End => {
                let list = card["body"]["elements"].as_array_mut();
                list.ok_or_else(|| DocumentError::NoContainer("the body".to_owned()))?
                    .extend(elements.iter().cloned());
            }
        },
        Action::Delete(ids) => {
            for id in ids {
                let (list, at) = siblings(&mut card["body"], id).ok_or_else(|| missing(id))?;
                list.remove(at);
            }
        }
        Action::Update { id, element } => {
            *find_mut(&mut card["body"], id).ok_or_else(|| missing(id))? = element.clone();
        }
        Action::Partial { id, properties } => {
            let element = find_mut(&mut card["body"], id).and_then(Value::as_object_mut);
            element.ok_or_else(|| missing(id))?.extend(properties.clone());
        }
        Action::Config(changes) => set_config(card, changes),
    }
    Ok(())
}

/// Changes the card's `config`.
pub fn set_config(card: &mut Value, changes: &Map<String, Value>) {
    if let Some(config) = card.get_mut("config").and_then(Value::as_object_mut) {
        config.extend(changes.clone());
    }
}

/// Sets the text of an element.
pub fn set_text(card: &mut Value, id: &str, text: &str) -> Result<(), DocumentError> {
    let element = find_mut(&mut card["body"], id).ok_or_else(|| missing(id))?;
    element["content"] = text.into();
    Ok(())
}

fn missing(id: &str) -> DocumentError {
    DocumentError::NoElement(id.to_owned())
}

/// The id of an element.
pub fn id_of(element: &Value) -> Option<&str> {
    element.get("element_id").and_then(Value::as_str)
}

/// The element with this id.
pub fn find<'a>(value: &'a Value, id: &str) -> Option<&'a Value> {
    children(value).find_map(|child| if id_of(child) == Some(id) { Some(child) } else { find(child, id) })
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    let root = value.get("body").into_iter();
    let lists = CHILDREN.iter().filter_map(|name| value.get(name).and_then(Value::as_array));
    root.chain(lists.flatten())
}

fn find_mut<'a>(value: &'a mut Value, id: &str) -> Option<&'a mut Value> {
    for name in CHILDREN {
        // Looked for twice, because the borrow of a found element must be the last.
        let at = value.get(name).and_then(Value::as_array).and_then(|list| {
            list.iter().position(|child| id_of(child) == Some(id) || find(child, id).is_some())
        });
        if let Some(at) = at {
            let child = value.get_mut(name)?.get_mut(at)?;
            return if id_of(child) == Some(id) { Some(child) } else { find_mut(child, id) };
        }
    }
    None
}

/// The list that holds an element, and its place in there.
fn siblings<'a>(value: &'a mut Value, id: &str) -> Option<(&'a mut Vec<Value>, usize)> {
    for name in CHILDREN {
        let list = value.get(name).and_then(Value::as_array);
        let at = list.and_then(|list| list.iter().position(|child| id_of(child) == Some(id)));
        if let Some(at) = at {
            return value.get_mut(name)?.as_array_mut().map(|list| (list, at));
        }
        let within = list.and_then(|list| list.iter().position(|child| find(child, id).is_some()));
        if let Some(within) = within {
            return siblings(value.get_mut(name)?.get_mut(within)?, id);
        }
    }
    None
}

/// How many components a card has: every object with a `tag` counts.
pub fn components(value: &Value) -> usize {
    match value {
        Value::Object(members) => {
            usize::from(members.contains_key("tag")) + members.values().map(components).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(components).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// The size of a card, or of a part of it, in bytes, as JSON.
pub fn bytes(value: &impl serde::Serialize) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Writing a value into a counter cannot fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}
