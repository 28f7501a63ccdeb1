//! The globals of a script: JavaScript's own and Codex's.

use std::rc::Rc;

use super::Evaluator;
use super::call::{Args, Site};
use super::heap::Made;
use crate::exec::PrintKind;
use crate::exec::flow::{Flow, PromiseId, RegionKind, UseKind};
use crate::exec::value::{Object, Slot, Taint, Value};

/// Globals that the reading relies on, or whose calls neither change nor keep what they are given.
const KNOWN: [&str; 50] = [
    "ALL_TOOLS",
    "AggregateError",
    "Array",
    "BigInt",
    "Boolean",
    "Date",
    "Error",
    "EvalError",
    "Infinity",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "WeakMap",
    "WeakSet",
    "clearTimeout",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "exit",
    "forward_output",
    "generatedImage",
    "globalThis",
    "image",
    "isFinite",
    "isNaN",
    "load",
    "notify",
    "parseFloat",
    "parseInt",
    "setTimeout",
    "store",
    "text",
    "undefined",
    "yield_control",
];

/// Calls (and constructions) that leave their arguments alone and give back something fresh.
const PURE: [&str; 37] = [
    "Array.isArray",
    "BigInt",
    "Boolean",
    "Date",
    "Date.now",
    "Date.parse",
    "JSON.parse",
    "JSON.stringify",
    "Number",
    "Number.isFinite",
    "Number.isInteger",
    "Number.isNaN",
    "Number.parseFloat",
    "Number.parseInt",
    "Object.entries",
    "Object.is",
    "Object.keys",
    "Object.hasOwn",
    "Object.values",
    "RegExp",
    "String",
    "String.fromCharCode",
    "Symbol",
    "clearTimeout",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "isFinite",
    "isNaN",
    "load",
    "parseFloat",
    "parseInt",
    "store",
    "yield_control",
    "String.raw",
    "Object.getOwnPropertyNames",
];

/// What every object inherits: no members of `tools`.
const OBJECT_METHODS: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// Tools of Codex that scripts were seen to call.
const TOOLS: [&str; 20] = [
    "apply_patch",
    "create_goal",
    "exec_command",
    "followup_task",
    "get_goal",
    "interrupt_agent",
    "list_agents",
    "list_mcp_resource_templates",
    "list_mcp_resources",
    "read_mcp_resource",
    "request_user_input",
    "send_message",
    "shell",
    "shell_command",
    "spawn_agent",
    "tool_search",
    "update_goal",
    "update_plan",
    "view_image",
    "write_stdin",
];

/// Methods of JavaScript's own objects: a call of one is no call of a tool, whatever it is called on.
const COMMON_METHODS: [&str; 58] = [
    "add",
    "apply",
    "at",
    "bind",
    "call",
    "catch",
    "clear",
    "concat",
    "delete",
    "endsWith",
    "entries",
    "every",
    "fill",
    "filter",
    "finally",
    "find",
    "findIndex",
    "findLast",
    "flat",
    "flatMap",
    "forEach",
    "get",
    "has",
    "includes",
    "indexOf",
    "join",
    "keys",
    "lastIndexOf",
    "map",
    "match",
    "matchAll",
    "next",
    "padEnd",
    "padStart",
    "pop",
    "push",
    "reduce",
    "repeat",
    "replace",
    "replaceAll",
    "reverse",
    "set",
    "shift",
    "slice",
    "some",
    "sort",
    "splice",
    "split",
    "startsWith",
    "substring",
    "test",
    "then",
    "toFixed",
    "trim",
    "trimEnd",
    "trimStart",
    "unshift",
    "values",
];

pub(super) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
}

pub(super) fn is_pure(path: &str) -> bool {
    PURE.contains(&path) || path.starts_with("Math.")
}

/// Whether a method is one of Codex's tools by its name, so that a call of it on something unknown may be theirs.
pub(super) fn is_tool_name(name: &str) -> bool {
    name.contains("__") || TOOLS.contains(&name)
}

pub(super) fn is_object_method(name: &str) -> bool {
    OBJECT_METHODS.contains(&name)
}

pub(super) fn is_common_method(name: &str) -> bool {
    COMMON_METHODS.contains(&name) || is_object_method(name)
}

/// Whether reading a member of a value cannot fail although it may be nullish by its kind.
pub(super) fn is_sound(value: &Value) -> bool {
    if let Value::Global(path) = value {
        return is_known(path.split('.').next().unwrap_or_default());
    }
    matches!(value, Value::Tool(_))
}

/// How a print function prints.
fn print_kind(path: &str) -> Option<(PrintKind, bool)> {
    match path {
        "text" => Some((PrintKind::Text, true)),
        "image" => Some((PrintKind::Image, true)),
        // An image, and a text block if the result has a hint.
        "generatedImage" => Some((PrintKind::Image, false)),
        "notify" => Some((PrintKind::Notify, true)),
        _ => None,
    }
}

impl Evaluator<'_> {
    /// A global reaches code the walk does not see.
    pub(super) fn escape_global(&mut self, path: &Rc<str>) {
        if print_kind(path).is_some() || matches!(&**path, "exit" | "forward_output") {
            let callback = Value::Global(Rc::clone(path));
            self.run_unseen(&callback, &[RegionKind::Maybe, RegionKind::Loop], false);
        }
    }

    pub(super) fn call_global(&mut self, path: &Rc<str>, args: Args, site: Site) -> Value {
        if let Some((kind, exact)) = print_kind(path) {
            let value = args.get(0);
            self.print(kind, value, exact && !args.open);
            if args.open {
                // A print of nobody knows what is still one print; what is given to it still escapes.
                for value in args.all().cloned().collect::<Vec<_>>() {
                    self.escape(&value);
                }
            }
            return Value::Undefined;
        }
        match &**path {
            "forward_output" => {
                self.apart(&[RegionKind::Maybe], |evaluator| {
                    evaluator.print(PrintKind::Text, Value::unknown(), false);
                });
                Value::Undefined
            }
            "exit" => {
                self.clock += 1;
                self.exit();
                Value::unknown()
            }
            "setTimeout" => {
                self.clock += 1;
                let callback = args.get(0);
                self.run_callback(&callback, &[RegionKind::Maybe], true, site);
                for value in args.all().skip(1) {
                    self.escape(value);
                }
                Value::unknown()
            }
            "JSON.stringify" => self.json_stringify(&args),
            "Object.keys" | "Object.values" | "Object.entries" => self.list_members(path, &args, site),
            "Object.freeze" => args.get(0),
            "Object.assign" if !args.open => self.object_assign(&args),
            "Promise.resolve" => {
                let value = args.get(0);
                if matches!(value, Value::Promise(_)) {
                    return value;
                }
                Value::Promise(self.new_promise(self.region, value))
            }
            "Promise.reject" => {
                for value in args.all() {
                    self.escape(value);
                }
                let promise = self.new_promise(self.region, Value::unknown());
                Value::Promise(promise)
            }
            "Promise.all" => self.promise_all(&args, site),
            "Promise.allSettled" => self.promise_all_settled(&args, site),
            "Promise.race" | "Promise.any" => self.promise_race(&args),
            "Array.from" => self.array_from(&args, site),
            "Array.of" => self.make_array(Made::Mapped, site.span.start, args.values),
            _ if is_pure(path) => {
                self.clock += 1;
                self.may_throw();
                Value::unknown()
            }
            _ => {
                let changes = path.starts_with("Object.") || path.starts_with("Reflect.");
                if changes && args.all().any(|value| matches!(value, Value::Global(_) | Value::Tools)) {
                    self.knowledge.tampered = true;
                }
                self.call_unknown(&Taint::none(), None, &args, site)
            }
        }
    }

    fn json_stringify(&mut self, args: &Args) -> Value {
        self.may_throw();
        let plain = matches!(args.get(1), Value::Undefined | Value::Null);
        if !plain || args.open {
            // A replacer gets hold of what is serialised.
            for value in args.all() {
                self.escape(value);
            }
            return Value::unknown();
        }
        let indent = args.get(2);
        let indent = if let Value::Number(width) = indent {
            " ".repeat(width.clamp(0.0, 10.0) as usize)
        } else if matches!(indent, Value::Undefined | Value::Null) {
            String::new()
        } else if let Value::Text(text) = indent {
            text.text.chars().take(10).collect()
        } else {
            return Value::unknown();
        };
        let value = args.get(0);
        if let Value::Result(row) = value
            && indent.chars().all(char::is_whitespace)
        {
            return Value::Printed(row);
        }
        self.stringify(&value, &indent).unwrap_or_else(Value::unknown)
    }

    /// `Object.assign(target, …)`: the target is changed; what the others hold can be reached through it.
    fn object_assign(&mut self, args: &Args) -> Value {
        self.may_throw();
        let target = args.get(0);
        for source in args.all().skip(1) {
            match self.members(source) {
                Some(members) => {
                    for (key, slot) in members {
                        self.change_value(&target, Some(&key), &slot.value);
                    }
                }
                None => self.change_value(&target, None, source),
            }
        }
        target
    }

    fn list_members(&mut self, path: &str, args: &Args, site: Site) -> Value {
        self.may_throw();
        let value = args.get(0);
        let Some(members) = self.members(&value) else {
            let taint = if path == "Object.keys" { Taint::none() } else { self.taint(&value) };
            return Value::Unknown(taint);
        };
        self.charge_elements(members.len());
        let mut items = Vec::with_capacity(members.len());
        for (name, slot) in members {
            let key = Slot { value: Value::text(&name), source: slot.source };
            items.push(match path {
                "Object.keys" => key,
                "Object.values" => slot,
                _ => {
                    let source = slot.source;
                    let entry = self.make_array(Made::Entry, site.span.start, vec![key, slot]);
                    Slot { value: entry, source }
                }
            });
        }
        self.make_array(Made::Listed, site.span.start, items)
    }

    /// `Promise.all`: fulfilled only if every promise in it is.
    fn promise_all(&mut self, args: &Args, site: Site) -> Value {
        let value = args.get(0);
        let all = self.new_promise(self.region, Value::unknown());
        match self.elements(&value) {
            Some(items) => {
                let kind = if items.len() == 1 { UseKind::Adopted(all) } else { UseKind::OneOfAll(all) };
                let mut results = Vec::with_capacity(items.len());
                for slot in items {
                    self.use_promises(&slot.value, kind);
                    let value = self.settled(&slot.value);
                    results.push(Slot { value, source: slot.source });
                }
                let results = self.make_array(Made::Mapped, site.span.start, results);
                self.results[all.0] = results;
            }
            None => {
                self.use_pushed(&value, UseKind::OneOfAll(all));
                self.results[all.0] = Value::Unknown(self.taint(&value));
            }
        }
        self.flow.ended(all, self.clock);
        Value::Promise(all)
    }

    /// `Promise.allSettled`: settled once every promise in it is, and never rejected.
    fn promise_all_settled(&mut self, args: &Args, site: Site) -> Value {
        let value = args.get(0);
        let all = self.new_promise(self.region, Value::unknown());
        match self.elements(&value) {
            Some(items) => {
                let mut results = Vec::with_capacity(items.len());
                for slot in items {
                    self.use_promises(&slot.value, UseKind::Absorbed(all));
                    let result = self.settled(&slot.value);
                    self.escape(&result);
                    let value = Value::Unknown(self.taint(&slot.value));
                    results.push(Slot { value, source: slot.source });
                }
                let results = self.make_array(Made::Mapped, site.span.start, results);
                self.results[all.0] = results;
            }
            None => {
                self.use_pushed(&value, UseKind::Absorbed(all));
                self.results[all.0] = Value::Unknown(self.taint(&value));
            }
        }
        self.flow.ended(all, self.clock);
        Value::Promise(all)
    }

    /// Credits the promises that were pushed into an array which only grows.
    fn use_pushed(&mut self, value: &Value, kind: UseKind) {
        let Value::Object(id) = value else { return };
        let Object::Changed { pushed, grows: true, .. } = self.object(*id) else {
            if let Object::Array { items, open: true } = self.object(*id) {
                let items: Vec<Value> = items.iter().map(|slot| slot.value.clone()).collect();
                for item in items {
                    self.use_promises(&item, kind);
                }
            }
            return;
        };
        let pushed = pushed.clone();
        self.spend(pushed.len());
        for pushed in pushed {
            let mut regions = pushed.regions;
            regions.push(self.region);
            self.flow.use_promise(pushed.promise, regions, kind);
            self.escape(&Value::Promise(pushed.promise));
        }
    }

    /// `Promise.race`, `Promise.any`: the others may still be running when it is settled.
    fn promise_race(&mut self, args: &Args) -> Value {
        let value = args.get(0);
        let first = self.new_promise(self.region, Value::unknown());
        match self.elements(&value) {
            Some(items) => {
                if let [only] = items.as_slice() {
                    self.use_promises(&only.value, UseKind::Adopted(first));
                    let result = self.settled(&only.value);
                    self.results[first.0] = result;
                } else {
                    let taint =
                        items.iter().fold(Taint::none(), |taint, slot| taint.with(&self.taint(&slot.value)));
                    self.results[first.0] = Value::Unknown(taint);
                    for slot in &items {
                        let result = self.settled(&slot.value);
                        self.escape(&result);
                    }
                }
            }
            None => self.results[first.0] = Value::Unknown(self.taint(&value)),
        }
        self.flow.ended(first, self.clock);
        Value::Promise(first)
    }

    fn array_from(&mut self, args: &Args, site: Site) -> Value {
        let value = args.get(0);
        let map = args.get(1);
        for this in args.all().skip(2) {
            self.escape(this);
        }
        match (self.elements(&value), &map) {
            (Some(items), Value::Undefined) => self.make_array(Made::Mapped, site.span.start, items),
            (Some(items), _) => self.map_elements(&items, &map, None, site),
            (None, _) => {
                self.may_throw();
                if !matches!(map, Value::Undefined) {
                    self.run_callback(&map, &[RegionKind::Loop], false, site);
                }
                Value::Unknown(self.taint(&value))
            }
        }
    }

    /// The promise of a `.then`, `.catch` or `.finally`.
    pub(super) fn chained(&mut self, source: PromiseId, key: &str, args: &Args, site: Site) -> Value {
        let derived = self.new_promise(self.region, Value::unknown());
        let given = self.results.get(source.0).cloned().unwrap_or_else(Value::unknown);
        let here = vec![self.region];
        let callable = |value: &Value| !matches!(value, Value::Undefined | Value::Null);
        let (on_success, on_failure) = match key {
            "then" => (args.get(0), args.get(1)),
            "catch" => (Value::Undefined, args.get(0)),
            _ => (args.get(0), Value::Undefined),
        };
        let kind = if callable(&on_failure) { UseKind::Absorbed(derived) } else { UseKind::Adopted(derived) };
        self.flow.use_promise(source, here, kind);
        let mut options = Vec::new();
        if callable(&on_success) {
            let success = if key == "finally" { Args::default() } else { one(&given) };
            let regions: &[RegionKind] = if callable(&on_failure) {
                // Which of the two ran is not told.
                &[RegionKind::Maybe, RegionKind::Behind(derived)]
            } else {
                &[RegionKind::Behind(derived)]
            };
            let own_print = self.prints.len();
            options.push(self.reaction(derived, &on_success, success, regions, site));
            if key == "finally" {
                self.displace(0, own_print, |print| print.region != Flow::ROOT);
            }
        } else {
            options.push((self.region, given.clone()));
        }
        if callable(&on_failure) {
            let regions = [RegionKind::Maybe, RegionKind::Behind(derived)];
            options.push(self.reaction(derived, &on_failure, one(&Value::unknown()), &regions, site));
        }
        let result = if key == "finally" { given } else { self.one_of(options) };
        self.results[derived.0] = result;
        self.flow.ended(derived, self.clock);
        Value::Promise(derived)
    }

    /// A callback of a promise: what it returns decides the derived promise.
    fn reaction(
        &mut self,
        derived: PromiseId,
        callback: &Value,
        args: Args,
        regions: &[RegionKind],
        site: Site,
    ) -> (crate::exec::flow::RegionId, Value) {
        self.apart(regions, |evaluator| {
            let control = super::control::ControlKind::Function(Some(derived));
            evaluator.within(control, |evaluator| {
                evaluator.clock += 1;
                let result = evaluator.call_value(callback, &Value::Undefined, args, site);
                let region = evaluator.region;
                for (regions, promise) in Evaluator::promises_in(&result, region) {
                    evaluator.flow.use_promise(promise, regions, UseKind::Adopted(derived));
                }
                (region, evaluator.settled(&result))
            })
        })
    }
}

fn one(value: &Value) -> Args {
    let mut args = Args::default();
    args.add(value.clone(), crate::exec::ast::Span::default());
    args
}
