//! Objects: made, changed, let out of sight.

use std::collections::HashSet;
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
    /// It was made with getters: reading it runs code of the script.
    accessors: bool,
}

/// How many objects a search for tools looks at.
const SEARCHED: usize = 1_000;

impl Evaluator<'_> {
    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.heap[id.0].object
    }

    /// Whether reading an object's members runs code of the script.
    pub(super) fn runs_code(&self, id: ObjectId) -> bool {
        self.heap[id.0].accessors
    }

    /// Makes an object; one that is changed elsewhere in the script is born changed.
    pub(super) fn make(&mut self, made: Made, place: usize, object: Object) -> Value {
        let site = (made, place);
        let change = self.knowledge.changed.get(&site).cloned();
        let id = ObjectId(self.heap.len());
        let accessors = matches!(&object, Object::Record(record) if record.accessors);
        self.heap.push(Stored { site, object, accessors });
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
        let mut taint = Taint::none();
        self.collect_taint(value, &mut HashSet::new(), &mut taint);
        taint
    }

    /// Each object is looked at once, since one may be reached on very many ways.
    fn collect_taint(&self, value: &Value, seen: &mut HashSet<ObjectId>, taint: &mut Taint) {
        match value {
            Value::Tools => {
                taint.add(&Taint::tools());
            }
            Value::Tool(name) => {
                taint.add(&Taint::tool(name));
            }
            Value::Global(path) if &**path == "globalThis" => {
                taint.add(&Taint::tools());
            }
            Value::Unknown(unknown) => {
                taint.add(unknown);
            }
            Value::Object(id) => {
                if seen.len() >= SEARCHED || !seen.insert(*id) {
                    return;
                }
                match self.object(*id) {
                    Object::Array { items, .. } | Object::Iterator(items) => {
                        for slot in items {
                            self.collect_taint(&slot.value, seen, taint);
                        }
                    }
                    Object::Record(record) => {
                        taint.add(&record.taint);
                        for (_, slot) in &record.members {
                            self.collect_taint(&slot.value, seen, taint);
                        }
                    }
                    Object::Changed { taint: changed, .. } => {
                        taint.add(changed);
                    }
                }
            }
            Value::Promise(promise) => {
                if let Some(result) = self.results.get(promise.0) {
                    self.collect_taint(result, seen, taint);
                }
            }
            Value::OneOf(choice) => {
                for (_, option) in &choice.options {
                    self.collect_taint(option, seen, taint);
                }
            }
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
            | Value::Printed(_) => {}
        }
    }

    /// The promises a value is where `region` uses it, each with the regions that decide that.
    pub(super) fn promises_in(value: &Value, region: RegionId) -> Vec<(Vec<RegionId>, PromiseId)> {
        let mut promises = Vec::new();
        if let Value::Promise(promise) = value {
            promises.push((vec![region], *promise));
        }
        if let Value::OneOf(choice) = value {
            for (chosen, value) in &choice.options {
                for (mut regions, promise) in Self::promises_in(value, region) {
                    regions.push(*chosen);
                    promises.push((regions, promise));
                }
            }
        }
        promises
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
        let leaves =
            options.iter().map(|(_, value)| if let Value::OneOf(choice) = value { choice.leaves } else { 1 });
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
                None => {
                    // It may be a print, or `exit`.
                    for name in ["text", "notify", "exit"] {
                        self.escape_global(&name.into());
                    }
                    Value::Unknown(self.taint(object))
                }
            },
            Value::Object(id) => {
                if self.runs_code(*id) {
                    self.may_throw();
                }
                self.own_member(*id, key)
            }
            Value::Result(row) if key.is_some_and(|key| &**key == "output") => Value::Output(*row),
            Value::OneOf(choice) => {
                let choice = Rc::clone(choice);
                let members = choice.options.iter();
                let members =
                    members.map(|(region, value)| (*region, self.member(value, key, source))).collect();
                self.one_of(members)
            }
            Value::Unknown(_) | Value::Tool(_) | Value::Function(_) => {
                let taint = self.taint(object);
                Value::Unknown(self.member_taint(taint, key))
            }
            Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Result(_)
            | Value::Text(_)
            | Value::Partial(_)
            | Value::Promise(_)
            | Value::Output(_)
            | Value::Printed(_) => Value::unknown(),
        }
    }

    /// What the member of something unknown may be: a tool of that name, or what was assigned to such a member
    /// anywhere.
    pub(super) fn member_taint(&self, object: Taint, key: Option<&Rc<str>>) -> Taint {
        let Some(key) = key else { return object };
        let tool = if super::builtin::is_object_method(key) {
            false
        } else {
            object.may_be_tools() || (self.knowledge.tools_leaked && super::builtin::is_tool_name(key))
        };
        let mut taint = object;
        if tool {
            taint.add(&Taint::tool(key));
        }
        if let Some(leaked) = self.knowledge.leaked.get(key) {
            taint.add(leaked);
        }
        taint
    }

    /// A value is assigned to a member of something the walk does not follow.
    pub(super) fn leak(&mut self, key: Option<&Rc<str>>, value: &Value) {
        let taint = self.taint(value);
        self.leak_tools(&taint);
        if let Some(key) = key
            && self.knowledge.leaked.entry(Rc::clone(key)).or_default().add(&taint)
        {
            self.knowledge.grew = true;
        }
        self.escape(value);
    }

    /// Code the walk does not follow got hold of something.
    pub(super) fn leak_tools(&mut self, taint: &Taint) {
        if taint.may_be_tools() && !self.knowledge.tools_leaked {
            self.knowledge.tools_leaked = true;
            self.knowledge.grew = true;
        }
    }

    fn own_member(&mut self, id: ObjectId, key: Option<&Rc<str>>) -> Value {
        let object = Value::Object(id);
        let Some(key) = key else { return self.any_member(&object) };
        let unknown = |evaluator: &Self| Value::Unknown(evaluator.taint(&object));
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
            Object::Array { open: true, .. } | Object::Iterator(_) | Object::Changed { .. } => unknown(self),
        }
    }

    /// A member by a key that is not told: one of all.
    fn any_member(&mut self, object: &Value) -> Value {
        let Some(members) = self.members(object) else {
            // What is told of it can be reached, and changed, through the member.
            self.escape(object);
            return Value::Unknown(self.taint(object));
        };
        self.spend(members.len());
        let mut options = Vec::with_capacity(members.len() + 1);
        for (_, slot) in members {
            options.push((self.flow.enter(self.region, RegionKind::Maybe), slot.value));
        }
        options.push((self.region, Value::unknown()));
        self.one_of(options)
    }

    /// An object's record, if all its members are told.
    pub(super) fn whole_record(&self, value: &Value) -> Option<&Record> {
        let Value::Object(id) = value else { return None };
        if let Object::Record(record) = self.object(*id)
            && record.spreads.is_empty()
        {
            return Some(record);
        }
        None
    }

    /// The own members of an object or array in JavaScript's order, if they are told.
    pub(super) fn members(&self, value: &Value) -> Option<Vec<(Rc<str>, Slot)>> {
        if let Some(record) = self.whole_record(value) {
            return Some(record.ordered().into_iter().cloned().collect());
        }
        let Value::Object(id) = value else { return None };
        let Object::Array { items, open: false } = self.object(*id) else { return None };
        let members = items.iter().enumerate();
        Some(members.map(|(index, slot)| (index.to_string().into(), slot.clone())).collect())
    }

    /// The elements of what is iterated, if they are told. An iterator gives them once.
    pub(super) fn elements(&mut self, iterable: &Value) -> Option<Vec<Slot>> {
        let Value::Object(id) = iterable else { return None };
        if let Object::Array { items, .. } = self.object(*id) {
            self.spend(items.len() / 16);
        }
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
