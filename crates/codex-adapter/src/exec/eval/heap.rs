//! Objects: made, changed, let out of sight.

use std::rc::Rc;

use super::Evaluator;
use crate::exec::ast::Span;
use crate::exec::flow::{PromiseId, RegionId, RegionKind, UseKind};
use crate::exec::value::{Choice, ClosureId, Object, ObjectId, Pushed, Record, Slot, Taint, Value};

/// What made an object, for telling apart several made at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Made {
    Array,
    Record,
    Rest,
    Mapped,
    Listed,
    Entry,
}

/// Where in the script an object is made.
pub(super) type Site = (Made, usize);

/// What is known of a changed object.
#[derive(Clone, Debug)]
pub(super) struct Change {
    taint: Taint,
    /// It is only ever pushed to.
    grows: bool,
}

#[derive(Debug)]
pub(super) struct Stored {
    site: Site,
    pub(super) object: Object,
}

/// How deep a search through objects goes.
const SEARCH_DEPTH: usize = 8;

impl Evaluator<'_> {
    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.heap[id.0].object
    }

    /// Makes an object; one that is changed elsewhere in the script is born changed.
    pub(super) fn make(&mut self, made: Made, place: usize, object: Object) -> Value {
        let site = (made, place);
        let change = self.knowledge.changed.get(&site).cloned();
        let id = ObjectId(self.heap.len());
        self.heap.push(Stored { site, object });
        if let Some(change) = change {
            self.blur(id, change.grows);
            if let Object::Changed { taint, .. } = &mut self.heap[id.0].object {
                taint.add(&change.taint);
            }
        }
        Value::Object(id)
    }

    pub(super) fn make_array(&mut self, made: Made, place: usize, items: Vec<Slot>) -> Value {
        self.make(made, place, Object::Array { items, open: false })
    }

    /// Forgets an object's members. They can now be reached in ways the walk does not see.
    fn blur(&mut self, id: ObjectId, grows: bool) {
        let members: Vec<Value> = match &self.heap[id.0].object {
            Object::Array { items, .. } | Object::Iterator(items) => {
                items.iter().map(|slot| slot.value.clone()).collect()
            }
            Object::Record(Record { members, .. }) => {
                members.iter().map(|(_, slot)| slot.value.clone()).collect()
            }
            Object::Changed { .. } => return,
        };
        let mut taint = self.taint(&Value::Object(id));
        let mut pushed = Vec::new();
        for member in &members {
            taint.add(&self.taint(member));
            let promises = Evaluator::promises_in(member, self.region);
            pushed.extend(promises.into_iter().map(|(regions, promise)| Pushed { regions, promise }));
        }
        self.heap[id.0].object = Object::Changed { taint, pushed, grows };
        for member in &members {
            self.escape(member);
        }
    }

    /// An object is changed; `value` is what it gets.
    pub(super) fn change(&mut self, id: ObjectId, value: &Value) {
        self.change_with(id, value, false);
    }

    /// A value is pushed into an array.
    pub(super) fn push(&mut self, id: ObjectId, value: &Value) {
        let promises = Evaluator::promises_in(value, self.region);
        self.change_with(id, value, true);
        if let Object::Changed { pushed, .. } = &mut self.heap[id.0].object {
            pushed.extend(promises.into_iter().map(|(regions, promise)| Pushed { regions, promise }));
        }
    }

    fn change_with(&mut self, id: ObjectId, value: &Value, pushed: bool) {
        self.blur(id, pushed);
        let more = self.taint(value);
        let site = self.heap[id.0].site;
        if let Object::Changed { taint, grows, .. } = &mut self.heap[id.0].object {
            taint.add(&more);
            *grows &= pushed;
            let known = self.knowledge.changed.get_mut(&site);
            self.knowledge.grew |= match known {
                Some(change) => {
                    let stopped = change.grows && !pushed;
                    change.grows &= pushed;
                    change.taint.add(taint) || stopped
                }
                None => {
                    let change = Change { taint: taint.clone(), grows: pushed };
                    self.knowledge.changed.insert(site, change);
                    true
                }
            };
        }
        self.escape(value);
    }

    /// A value reaches code the walk does not see.
    pub(super) fn escape(&mut self, value: &Value) {
        match value {
            Value::Object(id) => match self.object(*id) {
                Object::Changed { grows: false, .. } => {}
                Object::Changed { .. } | Object::Array { .. } | Object::Record(_) | Object::Iterator(_) => {
                    self.change(*id, &Value::Undefined);
                }
            },
            Value::Function(id) => self.escape_function(*id),
            Value::Global(path) => self.escape_global(path),
            Value::Promise(promise) => {
                if let Some(result) = self.results.get_mut(promise.0) {
                    // Taken out while it escapes, so that a circle ends.
                    let result = std::mem::replace(result, Value::Undefined);
                    self.escape(&result);
                    self.results[promise.0] = result;
                }
            }
            Value::OneOf(choice) => {
                for (_, value) in &choice.options {
                    self.escape(value);
                }
            }
            Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Partial(_)
            | Value::Tools
            | Value::Tool(_)
            | Value::Result(_)
            | Value::Output(_)
            | Value::Printed(_)
            | Value::Unknown(_) => {}
        }
    }

    fn escape_function(&mut self, id: ClosureId) {
        if self.escaped.insert(id) {
            self.run_unseen(&Value::Function(id), &[RegionKind::Maybe, RegionKind::Loop], false);
        }
    }

    /// What a value may be, or hold, as far as tools go.
    pub(super) fn taint(&self, value: &Value) -> Taint {
        self.taint_within(value, SEARCH_DEPTH)
    }

    fn taint_within(&self, value: &Value, depth: usize) -> Taint {
        let Some(depth) = depth.checked_sub(1) else { return Taint::none() };
        let union = |values: &mut dyn Iterator<Item = &Value>| {
            values.fold(Taint::none(), |taint, value| taint.with(&self.taint_within(value, depth)))
        };
        match value {
            Value::Tools => Taint::tools(),
            Value::Tool(name) => Taint::tool(name),
            Value::Global(path) if &**path == "globalThis" => Taint::tools(),
            Value::Unknown(taint) => taint.clone(),
            Value::Object(id) => match self.object(*id) {
                Object::Array { items, .. } | Object::Iterator(items) => {
                    union(&mut items.iter().map(|slot| &slot.value))
                }
                Object::Record(record) => {
                    union(&mut record.members.iter().map(|(_, slot)| &slot.value)).with(&record.taint)
                }
                Object::Changed { taint, .. } => taint.clone(),
            },
            Value::Promise(promise) => self
                .results
                .get(promise.0)
                .map_or_else(Taint::none, |result| self.taint_within(result, depth)),
            Value::OneOf(choice) => union(&mut choice.options.iter().map(|(_, value)| value)),
            Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Partial(_)
            | Value::Function(_)
            | Value::Global(_)
            | Value::Result(_)
            | Value::Output(_)
            | Value::Printed(_) => Taint::none(),
        }
    }

    /// The promises a value is where `region` uses it, each with the regions that decide that.
    pub(super) fn promises_in(value: &Value, region: RegionId) -> Vec<(Vec<RegionId>, PromiseId)> {
        match value {
            Value::Promise(promise) => vec![(vec![region], *promise)],
            Value::OneOf(choice) => {
                let mut promises = Vec::new();
                for (chosen, value) in &choice.options {
                    for (mut regions, promise) in Evaluator::promises_in(value, region) {
                        regions.push(*chosen);
                        promises.push((regions, promise));
                    }
                }
                promises
            }
            _ => Vec::new(),
        }
    }

    /// Notes for each promise a value is that it was used.
    pub(super) fn use_promises(&mut self, value: &Value, kind: UseKind) {
        for (regions, promise) in Evaluator::promises_in(value, self.region) {
            self.flow.use_promise(promise, regions, kind);
        }
    }

    /// One of several values, each tied to the region that chose it.
    pub(super) fn one_of(&mut self, options: Vec<(RegionId, Value)>) -> Value {
        const MOST: usize = 16;
        if let [(_, only)] = options.as_slice() {
            return only.clone();
        }
        if let Some(((_, first), rest)) = options.split_first()
            && rest.iter().all(|(_, value)| first.equals(value) == Some(true))
        {
            return first.clone();
        }
        let matters = options.iter().any(|(_, value)| {
            matches!(
                value,
                Value::Object(_)
                    | Value::Function(_)
                    | Value::Global(_)
                    | Value::Tools
                    | Value::Tool(_)
                    | Value::Promise(_)
                    | Value::OneOf(_)
            )
        });
        let leaves = options.iter().map(|(_, value)| match value {
            Value::OneOf(choice) => choice.leaves,
            _ => 1,
        });
        let leaves = leaves.sum();
        if matters && leaves <= MOST {
            return Value::OneOf(Rc::new(Choice { options, leaves }));
        }
        let mut taint = Taint::none();
        for (_, value) in &options {
            taint.add(&self.taint(value));
            self.escape(value);
        }
        Value::Unknown(taint)
    }

    /// What a value's member is. Getters are no members: an object with one has that member unknown.
    pub(super) fn member(&mut self, object: &Value, key: Option<&Rc<str>>, source: Span) -> Value {
        match object {
            Value::Tools => match key {
                Some(key) if super::builtin::is_object_method(key) => Value::unknown(),
                Some(key) => Value::Tool(Rc::clone(key)),
                None => Value::Tool(format!("[{}]", self.slice(source)).into()),
            },
            Value::Global(path) => match key {
                Some(key) if &**path == "globalThis" => super::scope::global(key),
                Some(key) => Value::Global(format!("{path}.{key}").into()),
                None => Value::Unknown(self.taint(object)),
            },
            Value::Object(id) => self.own_member(*id, key),
            Value::Result(row) if key.is_some_and(|key| &**key == "output") => Value::Output(*row),
            Value::OneOf(choice) => {
                let choice = Rc::clone(choice);
                let members = choice.options.iter();
                let members =
                    members.map(|(region, value)| (*region, self.member(value, key, source))).collect();
                self.one_of(members)
            }
            Value::Unknown(taint) => Value::Unknown(match key {
                Some(key) if taint.may_be_tools() && !super::builtin::is_object_method(key) => {
                    taint.clone().with(&Taint::tool(key))
                }
                _ => taint.clone(),
            }),
            Value::Tool(_) => Value::Unknown(self.taint(object)),
            Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Result(_)
            | Value::Text(_)
            | Value::Partial(_)
            | Value::Function(_)
            | Value::Promise(_)
            | Value::Output(_)
            | Value::Printed(_) => Value::unknown(),
        }
    }

    fn own_member(&self, id: ObjectId, key: Option<&Rc<str>>) -> Value {
        let unknown = || Value::Unknown(self.taint(&Value::Object(id)));
        let Some(key) = key else { return unknown() };
        match self.object(id) {
            Object::Array { items, open: false } => {
                if &**key == "length" {
                    return Value::Number(items.len() as f64);
                }
                match crate::exec::value::array_index(key) {
                    Some(index) => {
                        items.get(index as usize).map_or(Value::Undefined, |slot| slot.value.clone())
                    }
                    None => Value::unknown(),
                }
            }
            Object::Record(record) => match record.get(key) {
                Some(slot) => slot.value.clone(),
                None if !record.spreads.is_empty() || record.prototype => {
                    Value::Unknown(record.taint.clone())
                }
                None if super::builtin::is_object_method(key) => Value::unknown(),
                None => Value::Undefined,
            },
            Object::Array { open: true, .. } | Object::Iterator(_) | Object::Changed { .. } => unknown(),
        }
    }

    /// The elements of what is iterated, if they are told. An iterator gives them once.
    pub(super) fn elements(&mut self, iterable: &Value) -> Option<Vec<Slot>> {
        let Value::Object(id) = iterable else { return None };
        match &mut self.heap[id.0].object {
            Object::Array { items, open: false } => Some(items.clone()),
            object @ Object::Iterator(_) => {
                let used = Object::Changed { taint: Taint::none(), pushed: Vec::new(), grows: false };
                match std::mem::replace(object, used) {
                    Object::Iterator(items) => Some(items),
                    Object::Array { .. } | Object::Record(_) | Object::Changed { .. } => None,
                }
            }
            Object::Array { .. } | Object::Record(_) | Object::Changed { .. } => None,
        }
    }
}
