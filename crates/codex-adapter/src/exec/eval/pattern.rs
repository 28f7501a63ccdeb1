//! Destructuring: binding and assigning.

use std::rc::Rc;

use super::Evaluator;
use super::heap::Made;
use crate::exec::ast::{Expr, Key, Pattern, PatternItem, Span};
use crate::exec::flow::RegionKind;
use crate::exec::value::{Object, Record, Value};

/// What a pattern does with its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Declare,
    Assign,
}

impl Evaluator<'_> {
    pub(super) fn bind(&mut self, pattern: &Pattern, value: Value, binding: Binding) {
        if !self.step() {
            return;
        }
        match pattern {
            Pattern::Name(name) => match binding {
                Binding::Declare => self.initialise(name, value),
                Binding::Assign => self.assign_name(name, &value),
            },
            Pattern::Member(member) => self.assign_member(member, &value),
            Pattern::Array { items, rest } => self.bind_array(items, rest.as_deref(), &value, binding),
            Pattern::Object { items, rest } => {
                let mut taken = Vec::new();
                for (key, item) in items {
                    let (key, place) = self.key(key);
                    let member = self.member(&value, key.as_ref(), place);
                    taken.push(key);
                    self.bind_item(item, member, binding);
                }
                if let Some(rest) = rest {
                    let left = self.without(&value, &taken, pattern);
                    self.bind(rest, left, binding);
                }
            }
        }
    }

    fn bind_array(
        &mut self,
        items: &[Option<PatternItem>],
        rest: Option<&Pattern>,
        value: &Value,
        binding: Binding,
    ) {
        let Some(elements) = self.elements(value) else {
            // Unknown, or no array: iterating it may fail.
            self.may_throw();
            let unknown = Value::Unknown(self.taint(value));
            for item in items.iter().flatten() {
                self.bind_item(item, unknown.clone(), binding);
            }
            if let Some(rest) = rest {
                self.bind(rest, unknown, binding);
            }
            return;
        };
        let mut elements = elements.into_iter();
        for item in items {
            let element = elements.next().map_or(Value::Undefined, |slot| slot.value);
            if let Some(item) = item {
                self.bind_item(item, element, binding);
            }
        }
        if let Some(rest) = rest {
            let left = self.make_array(Made::Rest, std::ptr::from_ref(rest).addr(), elements.collect());
            self.bind(rest, left, binding);
        }
    }

    fn bind_item(&mut self, item: &PatternItem, value: Value, binding: Binding) {
        let value = self.or_default(value, item.default.as_ref());
        self.bind(&item.pattern, value, binding);
    }

    /// A value, or its default where it is `undefined`.
    pub(super) fn or_default(&mut self, value: Value, default: Option<&Expr>) -> Value {
        let Some(default) = default else { return value };
        match value {
            Value::Undefined => self.expression(default),
            Value::Unknown(_) | Value::OneOf(_) | Value::Output(_) | Value::Global(_) | Value::Tool(_) => {
                let given = self.region;
                let (region, other) = self.apart(&[RegionKind::Maybe], |evaluator| {
                    (evaluator.region, evaluator.expression(default))
                });
                self.one_of(vec![(given, value), (region, other)])
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Partial(_)
            | Value::Object(_)
            | Value::Function(_)
            | Value::Tools
            | Value::Promise(_)
            | Value::Result(_)
            | Value::Printed(_) => value,
        }
    }

    /// What `...rest` of an object pattern gets.
    fn without(&mut self, value: &Value, taken: &[Option<Rc<str>>], pattern: &Pattern) -> Value {
        let record = self.whole_record(value).filter(|_| taken.iter().all(Option::is_some));
        let Some(record) = record else {
            // What is told of it can be reached, and changed, through the rest.
            self.escape(value);
            return Value::Unknown(self.taint(value));
        };
        let left = record.members.iter().filter(|(name, _)| !taken.iter().flatten().any(|key| key == name));
        let record = Record { members: left.cloned().collect(), ..Record::default() };
        self.make(Made::Rest, std::ptr::from_ref(pattern).addr(), Object::Record(record))
    }

    /// A property key, if it is told, and where it stands: with its brackets if it is computed.
    pub(super) fn key(&mut self, key: &Key) -> (Option<Rc<str>>, Span) {
        match key {
            Key::Static(name) => (Some(Rc::clone(name)), Span::default()),
            Key::Computed(key) => (self.expression(key).to_key(), key.span),
            Key::Private => (None, Span::default()),
        }
    }

    /// `object.key = value`: the object is no longer what it was.
    pub(super) fn assign_member(&mut self, member: &Expr, value: &Value) {
        let (object, key) = self.assigned_object(member);
        self.change_value(&object, key.as_ref(), value);
        self.may_throw();
    }

    /// Something is assigned to, deleted from or added to a value.
    pub(super) fn change_value(&mut self, object: &Value, key: Option<&Rc<str>>, value: &Value) {
        match object {
            Value::Object(id) => self.change(*id, value),
            Value::Global(_) | Value::Tools | Value::Tool(_) => {
                self.knowledge.tampered = true;
                self.escape(value);
            }
            Value::OneOf(choice) => {
                let choice = Rc::clone(choice);
                for (_, option) in &choice.options {
                    self.change_value(option, key, value);
                }
            }
            Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Partial(_)
            | Value::Function(_)
            | Value::Promise(_)
            | Value::Result(_)
            | Value::Output(_)
            | Value::Printed(_)
            | Value::Unknown(_) => self.leak(key, value),
        }
    }
}
