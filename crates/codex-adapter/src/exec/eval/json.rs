//! Values as text and as JSON: what `JSON.stringify` makes of them, and what a tool is given.

use std::fmt::Write as _;
use std::rc::Rc;

use serde_json::Value as Json;

use super::Evaluator;
use crate::exec::ast::Span;
use crate::exec::bounds::{Bound, MAX_VALUE, MAX_VALUES};
use crate::exec::value::{Object, Record, Slot, Value, number_text};
use crate::exec::{StaticArg, StaticValue};

/// What `JSON.stringify` does with a value.
enum Shape<'v> {
    /// Left out of objects, `null` in arrays.
    Absent,
    Null,
    Bool(bool),
    Number(f64),
    Text(&'v str),
    Object(&'v Object),
    Unknown,
}

/// A value's serialisation as far as it is told, built with a size limit.
struct Writer<'e, 'a> {
    evaluator: &'e Evaluator<'a>,
    size: usize,
    too_large: bool,
    /// Serialising runs code of the script: a getter, a `toJSON`.
    runs_code: bool,
}

impl Evaluator<'_> {
    /// Charges a static value to the bounds.
    pub(super) fn charge(&mut self, size: usize) {
        self.bytes += size;
        if size > MAX_VALUE {
            self.exceeded.get_or_insert(Bound::Value);
        } else if self.bytes > MAX_VALUES {
            self.exceeded.get_or_insert(Bound::Values);
        }
    }

    /// Charges the copies of elements.
    pub(super) fn charge_elements(&mut self, count: usize) {
        self.charge(count * size_of::<Slot>());
    }

    /// A string computed by the script.
    pub(super) fn computed_text(&mut self, text: &str) -> Value {
        self.charge(text.len());
        Value::text(text)
    }

    /// What a tool gets as its argument, and whether making it runs code of the script, which may fail.
    pub(super) fn argument(&mut self, value: &Value, source: Span) -> (StaticArg, bool) {
        if matches!(value, Value::Undefined) {
            return (StaticArg::None, false);
        }
        let source = self.slice(source);
        let mut writer = Writer { evaluator: self, size: 0, too_large: false, runs_code: false };
        let told = writer.value(value, source);
        let (size, too_large, runs_code) = (writer.size, writer.too_large, writer.runs_code);
        self.charge(if too_large { MAX_VALUE + 1 } else { size });
        (StaticArg::Value(told), runs_code)
    }

    /// `JSON.stringify(value, null, indent)`, if it is told.
    pub(super) fn stringify(&mut self, value: &Value, indent: &str) -> Option<Value> {
        let mut writer = Writer { evaluator: self, size: 0, too_large: false, runs_code: false };
        let mut text = String::new();
        let told = writer.stringify(value, indent, 0, &mut text);
        if writer.too_large {
            self.charge(MAX_VALUE + 1);
            return None;
        }
        if told? { Some(self.computed_text(&text)) } else { Some(Value::Undefined) }
    }
}

impl<'e> Writer<'e, '_> {
    fn grow(&mut self, size: usize) {
        self.size += size;
        self.too_large |= self.size > MAX_VALUE;
    }

    fn shape<'v>(&self, value: &'v Value) -> Shape<'v>
    where
        'e: 'v,
    {
        match value {
            Value::Undefined | Value::Function(_) => Shape::Absent,
            Value::Bool(value) => Shape::Bool(*value),
            Value::Number(number) if number.is_finite() => Shape::Number(*number),
            Value::Null | Value::Number(_) => Shape::Null,
            Value::Text(text) => Shape::Text(&text.text),
            Value::Object(id) => Shape::Object(self.evaluator.object(*id)),
            Value::Partial(_)
            | Value::Global(_)
            | Value::Tools
            | Value::Tool(_)
            | Value::Promise(_)
            | Value::Result(_)
            | Value::Output(_)
            | Value::Printed(_)
            | Value::OneOf(_)
            | Value::Unknown(_) => Shape::Unknown,
        }
    }

    /// A value for a tool; `source` stands for what is not told.
    fn value(&mut self, value: &Value, source: &str) -> StaticValue {
        self.grow(source.len().min(16) + 8);
        if self.too_large {
            return StaticValue::unresolved(source);
        }
        match self.shape(value) {
            // At the top of an argument only: a function has no JSON.
            Shape::Absent => StaticValue::unresolved(source),
            Shape::Null => StaticValue::Json(Json::Null),
            Shape::Bool(value) => StaticValue::Json(Json::Bool(value)),
            Shape::Number(number) => StaticValue::Json(json_number(number)),
            Shape::Text(text) => {
                self.grow(text.len());
                StaticValue::Json(Json::String(text.to_owned()))
            }
            Shape::Object(object) => {
                if let Value::Object(id) = value {
                    self.runs_code |= self.evaluator.runs_code(*id);
                }
                self.object(object, source)
            }
            Shape::Unknown => {
                self.grow(source.len());
                let partial = if let Value::Partial(text) = value { Some(text.to_string()) } else { None };
                self.grow(partial.as_ref().map_or(0, String::len));
                StaticValue::Unresolved { source: source.to_owned(), partial }
            }
        }
    }

    fn object(&mut self, object: &Object, source: &str) -> StaticValue {
        match object {
            Object::Array { items, .. } => {
                let mut values = Vec::with_capacity(items.len());
                for slot in items {
                    values.push(match self.shape(&slot.value) {
                        Shape::Absent => StaticValue::Json(Json::Null),
                        Shape::Null
                        | Shape::Bool(_)
                        | Shape::Number(_)
                        | Shape::Text(_)
                        | Shape::Object(_)
                        | Shape::Unknown => self.value(&slot.value, self.evaluator.slice(slot.source)),
                    });
                    if self.too_large {
                        break;
                    }
                }
                StaticValue::array(values)
            }
            Object::Record(record) if !has_own_serialisation(record) => {
                let mut members = Vec::with_capacity(record.members.len());
                for (name, slot) in record.ordered() {
                    let absent = matches!(self.shape(&slot.value), Shape::Absent);
                    if !absent {
                        self.grow(name.len());
                        let value = self.value(&slot.value, self.evaluator.slice(slot.source));
                        members.push((name.to_string(), value));
                    }
                    if self.too_large {
                        break;
                    }
                }
                for spread in &record.spreads {
                    let source = self.evaluator.slice(*spread);
                    self.grow(source.len());
                    members.push((format!("...{source}"), StaticValue::unresolved(source)));
                }
                StaticValue::object(members)
            }
            Object::Record(_) | Object::Iterator(_) | Object::Changed { .. } => {
                self.runs_code |= matches!(object, Object::Record(_));
                self.grow(source.len());
                StaticValue::unresolved(source)
            }
        }
    }

    /// Appends a value's JSON to `text`. `Some(false)` for what has none, `None` for what is not told.
    fn stringify(&mut self, value: &Value, indent: &str, depth: usize, text: &mut String) -> Option<bool> {
        self.grow(2);
        if self.too_large {
            return None;
        }
        if matches!(value, Value::Text(text) if text.lossy) {
            return None;
        }
        match self.shape(value) {
            Shape::Absent => return Some(false),
            Shape::Null => text.push_str("null"),
            Shape::Bool(value) => text.push_str(if value { "true" } else { "false" }),
            Shape::Number(number) => text.push_str(&number_text(number)),
            Shape::Text(string) => {
                self.grow(string.len());
                quote(string, text);
            }
            Shape::Object(Object::Array { items, open: false }) => {
                let separator = Separator::new(indent, depth);
                text.push('[');
                for (index, slot) in items.iter().enumerate() {
                    separator.before(index, text);
                    if !self.stringify(&slot.value, indent, depth + 1, text)? {
                        text.push_str("null");
                    }
                }
                separator.end(items.len(), text);
                text.push(']');
            }
            Shape::Object(Object::Record(record))
                if record.spreads.is_empty() && !has_own_serialisation(record) =>
            {
                let separator = Separator::new(indent, depth);
                let mut written = 0;
                text.push('{');
                for (name, slot) in record.ordered() {
                    let undo = text.len();
                    separator.before(written, text);
                    self.grow(name.len());
                    quote(name, text);
                    text.push_str(if indent.is_empty() { ":" } else { ": " });
                    if self.stringify(&slot.value, indent, depth + 1, text)? {
                        written += 1;
                    } else {
                        text.truncate(undo);
                    }
                }
                separator.end(written, text);
                text.push('}');
            }
            Shape::Object(
                Object::Array { .. } | Object::Record(_) | Object::Iterator(_) | Object::Changed { .. },
            )
            | Shape::Unknown => return None,
        }
        Some(true)
    }
}

/// An object that says itself how it is serialised, or may inherit that.
fn has_own_serialisation(record: &Record) -> bool {
    record.inherits_json
        || record.get("toJSON").is_some_and(|slot| {
            !matches!(
                slot.value,
                Value::Undefined | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_)
            )
        })
}

struct Separator<'i> {
    indent: &'i str,
    depth: usize,
}

impl<'i> Separator<'i> {
    fn new(indent: &'i str, depth: usize) -> Self {
        Self { indent, depth }
    }

    fn line(&self, depth: usize, text: &mut String) {
        if !self.indent.is_empty() {
            text.push('\n');
            for _ in 0..depth {
                text.push_str(self.indent);
            }
        }
    }

    fn before(&self, index: usize, text: &mut String) {
        if index > 0 {
            text.push(',');
        }
        self.line(self.depth + 1, text);
    }

    fn end(&self, count: usize, text: &mut String) {
        if count > 0 {
            self.line(self.depth, text);
        }
    }
}

/// A string in JSON's quotes, escaped as `JSON.stringify` does.
fn quote(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

/// A number as JSON: what Codex reads from JavaScript's text of it.
fn json_number(number: f64) -> Json {
    if number.fract() == 0.0 {
        let text = number_text(number);
        let integer = text.parse::<i64>().map(Json::from).or_else(|_| text.parse::<u64>().map(Json::from));
        if let Ok(integer) = integer {
            return integer;
        }
    }
    Json::from(number)
}

/// The separator `join` is given, if it is told.
pub(super) fn join_separator(value: &Value) -> Option<Rc<str>> {
    if matches!(value, Value::Undefined) { Some(",".into()) } else { value.to_text() }
}
