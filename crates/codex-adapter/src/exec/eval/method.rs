//! Method calls.

use std::rc::Rc;

use super::Evaluator;
use super::call::{Args, Site};
use super::heap::Made;
use super::json::join_separator;
use crate::exec::ast::Span;
use crate::exec::flow::RegionKind;
use crate::exec::value::{Object, ObjectId, Slot, Taint, Value};

/// Methods that call back for each element of a collection.
const ITERATES: [&str; 14] = [
    "every",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "flatMap",
    "forEach",
    "map",
    "reduce",
    "reduceRight",
    "some",
    "sort",
    "toSorted",
];

/// Methods of arrays that change them.
const CHANGES: [&str; 8] = ["copyWithin", "fill", "pop", "reverse", "shift", "sort", "splice", "unshift"];

impl Evaluator<'_> {
    /// A call of a member; `place` is where a computed key stands.
    pub(super) fn call_member(
        &mut self,
        receiver: &Value,
        key: Option<&Rc<str>>,
        place: Span,
        args: Args,
        site: Site,
    ) -> Value {
        if !self.step() {
            return Value::unknown();
        }
        match receiver {
            Value::Object(id) => self.call_own(*id, key, args, site),
            Value::Promise(promise) if key.is_some_and(|key| is_reaction(key)) => {
                let key = key.map(Rc::clone).unwrap_or_default();
                self.chained(*promise, &key, &args, site)
            }
            Value::Function(_) | Value::Tool(_) => self.call_of_function(receiver, key, args, site),
            Value::OneOf(choice) => {
                let choice = Rc::clone(choice);
                let mut options = Vec::with_capacity(choice.options.len());
                for (_, option) in &choice.options {
                    let args = args.clone();
                    options.push(self.apart(&[RegionKind::Maybe], |evaluator| {
                        (evaluator.region, evaluator.call_member(option, key, place, args, site))
                    }));
                }
                self.one_of(options)
            }
            Value::Tools | Value::Global(_) => {
                let source = self.bracketed(place);
                let method = self.member(receiver, key, source);
                self.call_value(&method, receiver, args, site)
            }
            Value::Unknown(_)
            | Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Partial(_)
            | Value::Promise(_)
            | Value::Result(_)
            | Value::Output(_)
            | Value::Printed(_) => {
                let taint = self.taint(receiver);
                self.call_unknown_method(&taint, key.map(|key| &**key), &args, site)
            }
        }
    }

    /// A method of something that is not told. `map` and its like call back once for each element; `then` may.
    fn call_unknown_method(&mut self, taint: &Taint, key: Option<&str>, args: &Args, site: Site) -> Value {
        let Some(key) = key else { return self.call_unknown(taint, None, args, site) };
        if ITERATES.contains(&key) || is_reaction(key) {
            self.clock += 1;
            self.may_throw();
            let regions: &[RegionKind] =
                if is_reaction(key) { &[RegionKind::Maybe] } else { &[RegionKind::Loop] };
            for value in args.all() {
                if matches!(value, Value::Object(_)) {
                    self.escape(value);
                } else if !matches!(value, Value::Undefined | Value::Null | Value::Number(_)) {
                    self.run_callback(value, regions, key == "forEach", site);
                }
            }
            return Value::Unknown(taint.clone());
        }
        let callee = self.member_taint(taint.clone(), Some(&key.into()));
        self.call_unknown(&callee, Some(key), args, site)
    }

    fn call_of_function(&mut self, function: &Value, key: Option<&Rc<str>>, args: Args, site: Site) -> Value {
        let this = args.get(0);
        match key.map(|key| &**key) {
            Some("call") => {
                let mut shifted = args;
                if !shifted.values.is_empty() {
                    shifted.values.remove(0);
                }
                self.call_value(function, &this, shifted, site)
            }
            Some("apply") => {
                let list = args.get(1);
                match self.elements(&list) {
                    Some(values) => {
                        let applied = Args { values, ..Args::default() };
                        self.call_value(function, &this, applied, site)
                    }
                    None if matches!(list, Value::Undefined | Value::Null) => {
                        self.call_value(function, &this, Args::default(), site)
                    }
                    None => {
                        self.escape(&list);
                        let mut applied = Args { open: true, ..Args::default() };
                        let source = args.values.get(1).map_or_else(Span::default, |slot| slot.source);
                        applied.add(Value::Unknown(self.taint(&list)), source);
                        self.call_value(function, &this, applied, site)
                    }
                }
            }
            Some("bind") if args.values.len() <= 1 && !args.open => {
                self.escape(&this);
                function.clone()
            }
            _ => {
                self.escape(function);
                let taint = self.taint(function);
                self.call_unknown(&taint, key.map(|key| &**key), &args, site)
            }
        }
    }

    fn call_own(&mut self, id: ObjectId, key: Option<&Rc<str>>, args: Args, site: Site) -> Value {
        let receiver = Value::Object(id);
        let Some(key) = key else {
            if !matches!(self.object(id), Object::Record(_)) {
                // It may be a method that changes the array.
                self.change(id, &Value::Undefined);
            }
            let method = self.member(&receiver, None, Span::default());
            return self.call_value(&method, &receiver, args, site);
        };
        match self.object(id) {
            Object::Array { items, open } => {
                let items = items.clone();
                let open = *open;
                self.call_of_array(id, &items, open, key, args, site)
            }
            Object::Record(record) => match record.get(key).map(|slot| slot.value.clone()) {
                Some(method) => {
                    if !matches!(
                        method,
                        Value::Function(_) | Value::Tool(_) | Value::Global(_) | Value::OneOf(_)
                    ) {
                        // Whatever it is may change its receiver.
                        self.change(id, &Value::Undefined);
                    }
                    self.call_value(&method, &receiver, args, site)
                }
                None if super::builtin::is_object_method(key) => {
                    self.clock += 1;
                    Value::unknown()
                }
                None => {
                    self.change(id, &Value::Undefined);
                    let taint = self.taint(&receiver);
                    self.call_unknown_method(&taint, Some(key), &args, site)
                }
            },
            Object::Changed { .. } if &**key == "push" => {
                for value in args.all() {
                    self.push(id, value);
                }
                Value::unknown()
            }
            Object::Changed { .. } | Object::Iterator(_) => {
                if !ITERATES.contains(&&**key)
                    && !matches!(&**key, "join" | "slice" | "concat" | "includes" | "at")
                {
                    self.change(id, &Value::Undefined);
                }
                let taint = self.taint(&receiver);
                self.call_unknown_method(&taint, Some(key), &args, site)
            }
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a call takes its arguments")]
    fn call_of_array(
        &mut self,
        id: ObjectId,
        items: &[Slot],
        open: bool,
        key: &Rc<str>,
        args: Args,
        site: Site,
    ) -> Value {
        let receiver = Value::Object(id);
        match &**key {
            "push" => {
                for value in args.all() {
                    self.push(id, value);
                }
                Value::unknown()
            }
            "map" | "forEach" if !open && !args.open => {
                let callback = args.get(0);
                for this in args.all().skip(1) {
                    self.escape(this);
                }
                let mapped = self.map_elements(items, &callback, Some(&receiver), site);
                if &**key == "map" { mapped } else { Value::Undefined }
            }
            "join" if !open => {
                let separator = join_separator(&args.get(0));
                match separator.and_then(|separator| join(items, &separator)) {
                    Some(text) => self.computed_text(&text),
                    None => {
                        self.may_throw();
                        Value::unknown()
                    }
                }
            }
            "entries" if !open => {
                let mut entries = Vec::with_capacity(items.len());
                for (index, slot) in items.iter().enumerate() {
                    let number = Slot { value: Value::Number(index as f64), source: slot.source };
                    let entry = self.make_array(Made::Entry, site.span.start, vec![number, slot.clone()]);
                    entries.push(Slot { value: entry, source: slot.source });
                }
                self.make(Made::Listed, site.span.start, Object::Iterator(entries))
            }
            "values" if !open => self.make(Made::Listed, site.span.start, Object::Iterator(items.to_vec())),
            name => {
                if CHANGES.contains(&name) || !super::builtin::is_common_method(name) {
                    self.change(id, &Value::Undefined);
                }
                if !matches!(name, "join" | "includes" | "indexOf" | "lastIndexOf" | "keys") {
                    // The elements are given to a callback, or to whoever gets the result.
                    for slot in items {
                        self.escape(&slot.value);
                    }
                }
                let taint = self.taint(&receiver);
                self.call_unknown_method(&taint, Some(name), &args, site)
            }
        }
    }

    /// Calls back for each element, in order; the array of what the callback returns.
    pub(super) fn map_elements(
        &mut self,
        items: &[Slot],
        callback: &Value,
        receiver: Option<&Value>,
        site: Site,
    ) -> Value {
        let mut mapped = Vec::with_capacity(items.len());
        for (index, slot) in items.iter().enumerate() {
            if self.exceeded.is_some() {
                break;
            }
            let mut args = Args::default();
            args.add(slot.value.clone(), slot.source);
            args.add(Value::Number(index as f64), Span::default());
            if let Some(receiver) = receiver {
                args.add(receiver.clone(), Span::default());
            }
            let value = self.call_value(callback, &Value::Undefined, args, site);
            mapped.push(Slot { value, source: site.span });
        }
        self.make_array(Made::Mapped, site.span.start, mapped)
    }
}

fn is_reaction(key: &str) -> bool {
    matches!(key, "then" | "catch" | "finally")
}

/// The elements joined, if all of them are told.
fn join(items: &[Slot], separator: &str) -> Option<String> {
    let mut text = String::new();
    for (index, slot) in items.iter().enumerate() {
        if index > 0 {
            text.push_str(separator);
        }
        if !matches!(slot.value, Value::Undefined | Value::Null) {
            text.push_str(&slot.value.to_text()?);
        }
        if text.len() > crate::exec::bounds::MAX_VALUE {
            break;
        }
    }
    Some(text)
}
