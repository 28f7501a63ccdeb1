//! A card's JSON as a tree of components: walking, finding, changing.
//!
//! Invariant: what a callback carries (`behaviors`) is opaque; nothing in it is a component.

use serde_json::Value;

/// The member whose value belongs to the app.
const OPAQUE: &str = "behaviors";

/// The member in which a component keeps its children, if it is a container.
pub(super) fn children_key(component: &Value) -> Option<&'static str> {
    match tag(component) {
        "collapsible_panel" | "column" | "form" => Some("elements"),
        "column_set" => Some("columns"),
        _ => None,
    }
}

/// The children of a container, of which there are none elsewhere.
pub(in super::super) fn children(component: &Value) -> &[Value] {
    children_key(component)
        .and_then(|key| component.get(key))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A component's tag, empty when it has none.
pub(in super::super) fn tag(component: &Value) -> &str {
    text(component, "tag")
}

/// A member that is a string, empty when it is none.
pub(in super::super) fn text<'a>(object: &'a Value, member: &str) -> &'a str {
    object.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// Every object below `value` and itself, parents first.
pub(super) fn objects<'a>(value: &'a Value, visit: &mut impl FnMut(&'a Value)) {
    match value {
        Value::Object(members) => {
            visit(value);
            for (name, member) in members {
                if name != OPAQUE {
                    objects(member, visit);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| objects(item, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The objects that have a tag.
pub(in super::super) fn count_components(card: &Value) -> usize {
    let mut count = 0;
    objects(card, &mut |object| count += usize::from(object.get("tag").is_some_and(Value::is_string)));
    count
}

/// The component with this id.
pub(super) fn find_mut<'a>(value: &'a mut Value, id: &str) -> Option<&'a mut Value> {
    if text(value, "element_id") == id {
        return Some(value);
    }
    match value {
        Value::Object(members) => members
            .iter_mut()
            .filter(|(name, _)| *name != OPAQUE)
            .find_map(|(_, member)| find_mut(member, id)),
        Value::Array(items) => items.iter_mut().find_map(|item| find_mut(item, id)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The list in which the component with this id stands, and where.
pub(super) fn place_mut<'a>(value: &'a mut Value, id: &str) -> Option<(&'a mut Vec<Value>, usize)> {
    match value {
        Value::Object(members) => members
            .iter_mut()
            .filter(|(name, _)| *name != OPAQUE)
            .find_map(|(_, member)| place_mut(member, id)),
        Value::Array(items) => match items.iter().position(|item| text(item, "element_id") == id) {
            Some(at) => Some((items, at)),
            None => items.iter_mut().find_map(|item| place_mut(item, id)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The elements of the body.
pub(super) fn body_mut(card: &mut Value) -> Option<&mut Vec<Value>> {
    card.pointer_mut("/body/elements").and_then(Value::as_array_mut)
}

/// Takes over the members of `patch`; objects member by member when it goes deep.
pub(super) fn merge(target: &mut Value, patch: &Value, deep: bool) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (name, value) in patch {
                match target.get_mut(name) {
                    Some(old) if deep && old.is_object() && value.is_object() => merge(old, value, deep),
                    _ => drop(target.insert(name.clone(), value.clone())),
                }
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}
