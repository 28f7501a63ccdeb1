//! The language in which the schema is written, and the check of a value against it.
//!
//! Invariant: a property that the schema does not name is refused, as the platform does since 2.0.

use serde_json::{Map, Value};

use super::super::refusal::{Refusal, code};
use super::document::tag;
use super::schema;

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Any text.
    Text,
    /// Text of one to so many characters.
    Short(usize),
    /// True or false.
    Flag,
    /// A whole number in these bounds.
    Whole(i64, i64),
    /// One of these numbers.
    Number(&'static [i64]),
    /// One of these words.
    Word(&'static [&'static str]),
    /// The name of a colour, perhaps with a shade, as in `grey` or `blue-50`.
    Colour,
    /// One to four lengths, as in `8px 8px`, or one of the named spacings.
    Space,
    /// A width, as in `auto`, `weighted`, `120px`.
    Width,
    /// A web address.
    Url,
    /// The key of an image.
    ImageKey,
    /// What belongs to the app.
    Opaque,
    /// An object that belongs to the app.
    Members,
    /// An object with no other properties.
    Object(&'static [Property]),
    /// A list.
    List(&'static Shape),
    /// A list of at most so many.
    AtMost(usize, &'static Shape),
    /// A component with one of these tags.
    Component(&'static [&'static str]),
}

/// A property of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
}

/// A property that must be there.
pub(super) const fn must(name: &'static str, shape: Shape) -> Property {
    Property { name, shape, is_required: true }
}

/// A property that may be there.
pub(super) const fn may(name: &'static str, shape: Shape) -> Property {
    Property { name, shape, is_required: false }
}

fn refuse(message: &str, path: &[String]) -> Refusal {
    let path = path.join(", ");
    Refusal::new(code::UNKNOWN_PROPERTY, format!("parse card json err, {message}, path: [{path}]"))
}

/// Checks a value; `path` is where it stands, and is left as it was.
pub(super) fn check(value: &Value, shape: Shape, path: &mut Vec<String>) -> Result<(), Refusal> {
    let wrong = |what: &str, path: &[String]| {
        let mut shown = value.to_string();
        if let Some((end, _)) = shown.char_indices().nth(60) {
            shown.truncate(end);
        }
        Err(refuse(&format!("{shown} is not {what}"), path))
    };
    let text = value.as_str();
    match shape {
        Shape::Opaque => Ok(()),
        Shape::Members if value.is_object() => Ok(()),
        Shape::Members => wrong("an object", path),
        Shape::Text if text.is_some() => Ok(()),
        Shape::Text => wrong("a text", path),
        Shape::Short(limit) => match text.map(|text| text.chars().count()) {
            Some(length) if (1..=limit).contains(&length) => Ok(()),
            _ => wrong(&format!("a text of 1 to {limit} characters"), path),
        },
        Shape::Flag if value.is_boolean() => Ok(()),
        Shape::Flag => wrong("true or false", path),
        Shape::Whole(low, high) => match value.as_i64() {
            Some(number) if (low..=high).contains(&number) => Ok(()),
            _ => wrong(&format!("a whole number from {low} to {high}"), path),
        },
        Shape::Number(numbers) => match value.as_i64() {
            Some(number) if numbers.contains(&number) => Ok(()),
            _ => wrong(&format!("one of {numbers:?}"), path),
        },
        Shape::Word(words) => match text {
            Some(text) if words.contains(&text) => Ok(()),
            _ => wrong(&format!("one of {words:?}"), path),
        },
        Shape::Colour if text.is_some_and(is_colour) => Ok(()),
        Shape::Colour => wrong("a colour", path),
        Shape::Space if text.is_some_and(is_space) => Ok(()),
        Shape::Space => wrong("a spacing", path),
        Shape::Width if text.is_some_and(is_width) => Ok(()),
        Shape::Width => wrong("a width", path),
        Shape::Url if text.is_some_and(is_url) => Ok(()),
        Shape::Url => wrong("a web address", path),
        Shape::ImageKey => match text {
            Some(key) if key.starts_with("img_") => Ok(()),
            _ => Err(Refusal::new(code::INVALID_IMAGE, "card contains invalid image keys")),
        },
        Shape::Object(properties) => match value.as_object() {
            Some(members) => check_members(members, properties, &[], path),
            None => wrong("an object", path),
        },
        Shape::AtMost(limit, _) if value.as_array().is_some_and(|items| items.len() > limit) => {
            Err(refuse(&format!("more than {limit} items"), path))
        }
        Shape::List(item_shape) | Shape::AtMost(_, item_shape) => match value.as_array() {
            Some(items) => items.iter().enumerate().try_for_each(|(at, item)| {
                path.push(at.to_string());
                check(item, *item_shape, path)?;
                path.pop();
                Ok(())
            }),
            None => wrong("a list", path),
        },
        Shape::Component(tags) => check_component(value, tags, path),
    }
}

fn check_component(value: &Value, tags: &[&str], path: &mut Vec<String>) -> Result<(), Refusal> {
    let Value::Object(members) = value else {
        return Err(refuse("a component is not an object", path));
    };
    let tag = tag(value);
    if schema::REMOVED.contains(&tag) {
        let message = format!("cards of schema V2 no longer support this capability; unsupported tag {tag}");
        return Err(Refusal::new(code::REMOVED_TAG, message));
    }
    let Some(properties) = schema::component(tag) else {
        return Err(refuse(&format!("not support tag: {tag}"), path));
    };
    if !tags.contains(&tag) {
        return Err(refuse(&format!("tag {tag} is not allowed here"), path));
    }
    check_members(members, properties, &["tag", "element_id"], path)
}

fn check_members(
    members: &Map<String, Value>,
    properties: &[Property],
    common: &[&str],
    path: &mut Vec<String>,
) -> Result<(), Refusal> {
    for (name, member) in members {
        if common.contains(&name.as_str()) {
            continue;
        }
        let Some(property) = properties.iter().find(|property| property.name == name) else {
            return Err(refuse(&format!("unknown property: {name}"), path));
        };
        path.push(name.clone());
        check(member, property.shape, path)?;
        path.pop();
    }
    match properties.iter().find(|property| property.is_required && !members.contains_key(property.name)) {
        Some(property) => Err(refuse(&format!("property {} is missing", property.name), path)),
        None => Ok(()),
    }
}

fn is_colour(text: &str) -> bool {
    let (name, shade) = text.split_once('-').map_or((text, None), |(name, shade)| (name, Some(shade)));
    schema::COLOURS.contains(&name) && shade.is_none_or(|shade| schema::SHADES.contains(&shade))
}

fn is_pixels(text: &str) -> bool {
    let number = text.strip_suffix("px").unwrap_or_default();
    let digits = number.strip_prefix('-').unwrap_or(number);
    !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|c| c.is_ascii_digit())
}

fn is_space(text: &str) -> bool {
    let lengths: Vec<&str> = text.split(' ').collect();
    let is_named = ["small", "medium", "large", "extra_large"].contains(&text);
    is_named || (lengths.len() <= 4 && lengths.into_iter().all(is_pixels))
}

fn is_width(text: &str) -> bool {
    ["default", "fill", "auto", "weighted"].contains(&text) || is_pixels(text)
}

fn is_url(text: &str) -> bool {
    (text.starts_with("https://") || text.starts_with("http://")) && !text.contains(char::is_whitespace)
}
