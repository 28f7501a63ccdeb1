//! Calls: of tools, of the script's own functions, and of what is not known.

use std::rc::Rc;

use super::control::ControlKind;
use super::heap::Made;
use super::pattern::Binding;
use super::scope::{Receiver, Scope};
use super::{Closure, Evaluator, Printed, Row};
use crate::exec::ast::{Arg, Expr, ExprKind, Function, FunctionKind, Span};
use crate::exec::bounds::MAX_CALLS;
use crate::exec::flow::{PromiseId, RegionId, RegionKind, UseKind};
use crate::exec::value::{ClosureId, Slot, Taint, Value};
use crate::exec::{PrintKind, StaticArg, StaticValue};

/// Deepest nesting of calls that is followed.
const MAX_ACTIVE: usize = 48;
/// How often a function may be inside itself with arguments that are told.
const MAX_RECURSION: usize = 6;

/// How many tools an ambiguous callee is spelt out as.
const MAX_GUESSES: usize = 4;

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    pub(super) values: Vec<Slot>,
    /// A spread of something unknown follows the values; what stands behind it has no place.
    pub(super) open: bool,
    pub(super) behind: Vec<Value>,
    /// What those may hold.
    pub(super) taint: Taint,
}

impl Args {
    pub(super) fn add(&mut self, value: Value, source: Span) {
        self.values.push(Slot { value, source });
    }

    /// Arguments of which nothing is known.
    fn unknown() -> Self {
        Self { open: true, ..Self::default() }
    }

    pub(super) fn get(&self, index: usize) -> Value {
        match self.values.get(index) {
            Some(slot) => slot.value.clone(),
            None if self.open => Value::Unknown(self.taint.clone()),
            None => Value::Undefined,
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().map(|slot| &slot.value).chain(&self.behind)
    }
}

/// Where a call stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// The whole call.
    pub(super) span: Span,
    /// What is called.
    pub(super) callee: Span,
}

impl Evaluator<'_> {
    /// A member access, a call, or a chain of them.
    pub(super) fn chain(&mut self, expr: &Expr) -> Value {
        let mut unsure = false;
        let ExprKind::Chain(inner) = &expr.kind else {
            return self.link(expr, &mut unsure).unwrap_or(Value::Undefined);
        };
        let given = self.region;
        let (region, value) = self.apart(&[], |evaluator| {
            let value = evaluator.link(inner, &mut unsure);
            (evaluator.region, value)
        });
        match value {
            None => Value::Undefined,
            Some(value) if unsure => self.one_of(vec![(region, value), (given, Value::Undefined)]),
            Some(value) => value,
        }
    }

    /// One link of a chain. `None` when an optional link ends it; `unsure` when one may.
    fn link(&mut self, expr: &Expr, unsure: &mut bool) -> Option<Value> {
        if let ExprKind::Member { object, key, optional } = &expr.kind {
            let object = self.link_object(object, *optional, unsure)?;
            let (key, place) = self.key(key);
            let source = self.bracketed(place);
            return Some(self.member(&object, key.as_ref(), source));
        }
        let ExprKind::Call { callee, args, optional } = &expr.kind else {
            return Some(self.expression(expr));
        };
        let site = Site { span: expr.span, callee: callee.span };
        let ExprKind::Member { object, key, optional: optional_member } = &callee.kind else {
            let value = self.link_object(callee, *optional, unsure)?;
            let args = self.args(args);
            return Some(self.call_value(&value, &Value::Undefined, args, site));
        };
        let receiver = self.link_object(object, *optional_member, unsure)?;
        let (key, place) = self.key(key);
        if *optional {
            // Whether the method exists is not told, unless the object says so.
            let source = self.bracketed(place);
            let method = self.member(&receiver, key.as_ref(), source);
            self.optional_link(&method, unsure)?;
        }
        let args = self.args(args);
        Some(self.call_member(&receiver, key.as_ref(), place, args, site))
    }

    fn link_object(&mut self, expr: &Expr, optional: bool, unsure: &mut bool) -> Option<Value> {
        let value = if matches!(expr.kind, ExprKind::Member { .. } | ExprKind::Call { .. }) {
            self.link(expr, unsure)?
        } else {
            self.expression(expr)
        };
        if optional {
            self.optional_link(&value, unsure)?;
        } else if value.is_nullish() != Some(false) && !super::builtin::is_sound(&value) {
            self.may_throw();
        }
        Some(value)
    }

    fn optional_link(&mut self, value: &Value, unsure: &mut bool) -> Option<()> {
        match value.is_nullish() {
            Some(true) => None,
            Some(false) => Some(()),
            None => {
                *unsure = true;
                self.region = self.flow.enter(self.region, RegionKind::Maybe);
                Some(())
            }
        }
    }

    /// A computed key, without the brackets the script has around it.
    pub(super) fn bracketed(&self, key: Span) -> Span {
        let start =
            self.source.get(..key.start).and_then(|before| before.rfind('[')).map_or(key.start, |at| at + 1);
        Span { start, end: key.end }
    }

    /// The object whose member is assigned or deleted, and the member's name if it is told.
    pub(super) fn assigned_object(&mut self, target: &Expr) -> (Value, Option<Rc<str>>) {
        if let ExprKind::Chain(inner) = &target.kind {
            return self.apart(&[RegionKind::Maybe], |evaluator| evaluator.assigned_object(inner));
        }
        let ExprKind::Member { object, key, .. } = &target.kind else {
            self.expression(target);
            return (Value::unknown(), None);
        };
        let object = self.expression(object);
        let (key, _) = self.key(key);
        (object, key)
    }

    pub(super) fn args(&mut self, args: &[Arg]) -> Args {
        let mut evaluated = Args::default();
        for arg in args {
            let value = self.expression(&arg.value);
            let known = if arg.spread {
                self.elements(&value)
            } else {
                Some(vec![Slot { value: value.clone(), source: arg.span }])
            };
            match known {
                Some(slots) if !evaluated.open => {
                    if arg.spread {
                        self.charge_elements(slots.len());
                    }
                    evaluated.values.extend(slots);
                }
                Some(slots) => evaluated.behind.extend(slots.into_iter().map(|slot| slot.value)),
                None => {
                    self.may_throw();
                    if !evaluated.open {
                        let value = Value::Unknown(self.taint(&value));
                        evaluated.values.push(Slot { value, source: arg.span });
                        evaluated.open = true;
                    }
                    evaluated.behind.push(value);
                }
            }
        }
        for value in &evaluated.behind {
            // It has no place: any parameter behind the spread may be it.
            evaluated.taint.add(&self.taint(value));
            self.escape(value);
        }
        evaluated
    }

    pub(super) fn call_value(&mut self, callee: &Value, this: &Value, args: Args, site: Site) -> Value {
        if !self.step() {
            return Value::unknown();
        }
        match callee {
            Value::Function(id) => self.call_function(*id, this.clone(), args, site),
            Value::Tool(name) => self.call_tool(name, &args, site),
            Value::Global(path) => self.call_global(&Rc::clone(path), args, site),
            Value::OneOf(choice) => {
                let choice = Rc::clone(choice);
                let mut options = Vec::with_capacity(choice.options.len());
                for (_, option) in &choice.options {
                    let args = args.clone();
                    options.push(self.apart(&[RegionKind::Maybe], |evaluator| {
                        (evaluator.region, evaluator.call_value(option, this, args, site))
                    }));
                }
                self.one_of(options)
            }
            Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Text(_)
            | Value::Partial(_)
            | Value::Object(_)
            | Value::Tools
            | Value::Promise(_)
            | Value::Result(_)
            | Value::Output(_)
            | Value::Printed(_)
            | Value::Unknown(_) => {
                let taint = self.taint(callee);
                self.call_unknown(&taint, None, &args, site)
            }
        }
    }

    /// A call of something the walk does not know: everything given to it escapes.
    pub(super) fn call_unknown(
        &mut self,
        taint: &Taint,
        key: Option<&str>,
        args: &Args,
        site: Site,
    ) -> Value {
        self.clock += 1;
        let mut result = taint.clone();
        for value in args.all() {
            let given = self.taint(value);
            self.leak_tools(&given);
            self.escape(value);
            for name in given.names() {
                // Whatever is called, it may call the tool.
                let argument = StaticArg::Value(StaticValue::unresolved(self.slice(site.span)));
                self.apart(&[RegionKind::Maybe, RegionKind::Loop], |evaluator| {
                    evaluator.note(&name, argument, &Args::default(), site)
                });
            }
            result.add(&given);
        }
        let names = match key {
            Some(key) if super::builtin::is_common_method(key) => Vec::new(),
            Some(key) if taint.may_be_tools() => vec![Rc::from(key)],
            _ => taint.names(),
        };
        if names.is_empty() {
            self.may_throw();
            return Value::Unknown(result);
        }
        let names = if names.len() > MAX_GUESSES {
            vec![format!("({})", self.slice(site.callee)).into()]
        } else {
            names
        };
        let mut options = Vec::with_capacity(names.len());
        for name in names {
            let unresolved = self.unresolved(args);
            options.push(self.apart(&[RegionKind::Maybe], |evaluator| {
                (evaluator.region, evaluator.note(&name, unresolved, args, site))
            }));
        }
        self.may_throw();
        self.one_of(options)
    }

    pub(super) fn unresolved(&self, args: &Args) -> StaticArg {
        match args.values.first() {
            None => StaticArg::None,
            Some(slot) => StaticArg::Value(StaticValue::unresolved(self.slice(slot.source))),
        }
    }

    pub(super) fn call_tool(&mut self, name: &Rc<str>, args: &Args, site: Site) -> Value {
        let argument = match args.values.first() {
            None => StaticArg::None,
            Some(slot) => {
                let (argument, runs_code) = self.argument(&slot.value, slot.source);
                if runs_code {
                    self.may_throw();
                }
                argument
            }
        };
        self.note(name, argument, args, site)
    }

    /// Notes a call of a tool; its value is the promise of its result.
    fn note(&mut self, name: &str, argument: StaticArg, args: &Args, site: Site) -> Value {
        self.clock += 1;
        let repeats = self.flow.repeats(self.region);
        let known =
            self.sites.get(&(site.span, name.into())).map(|known| known.rows.as_slice()).unwrap_or_default();
        let overflow = self.rows.len() >= MAX_CALLS && !known.is_empty();
        let twin = known.iter().any(|row| {
            let row = &self.rows[*row];
            self.flow.repeats(row.region) && row.argument == argument
        });
        let region = self.region;
        let promise = self.new_promise(region, Value::unknown());
        self.flow.ended(promise, self.clock);
        let overflowed = self.sites.get(&(site.span, name.into())).is_some_and(|known| known.overflowed);
        if (overflow && overflowed) || (repeats && twin) {
            return Value::Promise(promise);
        }
        let argument = if overflow { self.unresolved(args) } else { argument };
        let region = if overflow { self.flow.enter(region, RegionKind::Loop) } else { region };
        let row = self.rows.len();
        let argument_source = args.values.first().map_or("", |slot| self.slice(slot.source)).to_owned();
        self.charge(argument_source.len());
        self.rows.push(Row {
            tool: name.to_owned(),
            argument,
            argument_source,
            span: site.span,
            region,
            promise,
            anchor: if self.uncalled { usize::MAX } else { self.anchor.unwrap_or(site.span.start) },
        });
        let known = self.sites.entry((site.span, name.into())).or_default();
        known.rows.push(row);
        known.overflowed |= overflow;
        if !overflow && !repeats {
            self.results[promise.0] = Value::Result(row);
        }
        Value::Promise(promise)
    }

    /// Notes a print.
    pub(super) fn print(&mut self, kind: PrintKind, value: Value, exact: bool) {
        self.clock += 1;
        if !self.uncalled {
            self.prints.push(Printed { kind, value, region: self.region, exact, displaced: false });
        }
    }

    /// A `finally` was walked that printed from `finally` on. If an error led there, what `guards` prints before it is
    /// missing, and its own prints stand in their place.
    pub(super) fn displace(&mut self, from: usize, finally: usize, guards: impl Fn(&Printed) -> bool) {
        if self.prints.len() == finally {
            return;
        }
        let (guarded, own) = self.prints.split_at_mut(finally);
        for print in guarded.iter_mut().skip(from).filter(|print| guards(print)) {
            print.displaced = true;
        }
        for print in own {
            print.displaced = true;
        }
    }

    pub(super) fn new_promise(&mut self, region: RegionId, result: Value) -> PromiseId {
        self.results.push(result);
        self.flow.promise(region)
    }

    #[expect(clippy::needless_pass_by_value, reason = "a call takes its arguments")]
    fn call_function(&mut self, id: ClosureId, this: Value, args: Args, site: Site) -> Value {
        let Some(closure) = self.closures.get(id.0).cloned() else { return Value::unknown() };
        let function = closure.function.id;
        let inside = self.active.iter().filter(|active| **active == function).count();
        let told =
            !args.open && args.all().all(|value| !matches!(value, Value::Unknown(_) | Value::OneOf(_)));
        if self.active.len() < MAX_ACTIVE {
            if inside == 0 || (told && inside < MAX_RECURSION) {
                return self.run(id, &closure, this, &args, site);
            }
            // Deeper rounds of a recursion are walked once more, for all of them.
            for value in args.all() {
                self.escape(value);
            }
            if !self.folded.insert(function) {
                return Value::unknown();
            }
            let value = self.apart(&[RegionKind::Loop], |evaluator| {
                evaluator.run(id, &closure, Value::unknown(), &Args::unknown(), site)
            });
            self.folded.remove(&function);
            return value;
        }
        // Too deep to follow: the function may print, and if it is not walked elsewhere it counts as uncalled.
        for value in args.all() {
            self.escape(value);
        }
        self.apart(&[RegionKind::Maybe], |evaluator| {
            evaluator.print(PrintKind::Text, Value::unknown(), false);
            evaluator.print(PrintKind::Notify, Value::unknown(), false);
        });
        Value::unknown()
    }

    fn run(&mut self, id: ClosureId, closure: &Closure, this: Value, args: &Args, site: Site) -> Value {
        let function = &*closure.function;
        self.called.insert(function.id);
        let outer_scope = Rc::clone(&self.scope);
        let outer_anchor = self.anchor;
        self.anchor.get_or_insert(site.span.start);
        self.active.push(function.id);
        self.returns.push(Vec::new());
        // A generator's is never settled: nothing tells that anybody asks for its next value.
        let waits = function.kind != FunctionKind::Ordinary;
        if function.reads_arguments {
            for value in args.all() {
                self.escape(value);
            }
        }
        let promise = waits.then(|| self.new_promise(self.region, Value::unknown()));
        let taint = args.all().fold(Taint::none(), |taint, value| taint.with(&self.taint(value)));
        let receiver = (!function.is_arrow).then_some(Receiver { this, arguments: taint });

        let regions: &[RegionKind] =
            if function.kind == FunctionKind::Generator { &[RegionKind::Maybe] } else { &[] };
        let (region, left) = self.apart(regions, |evaluator| {
            evaluator.within(ControlKind::Function(promise), |evaluator| {
                let own = function.own_name.as_slice();
                evaluator.scope = Scope::inside(&closure.scope, own, None);
                if let Some(own) = &function.own_name {
                    evaluator.initialise(&own.name, Value::Function(id));
                }
                evaluator.scope = Scope::inside(&evaluator.scope, &function.param_names, receiver);
                evaluator.bind_params(function, args);
                let inside = Rc::clone(&evaluator.scope);
                evaluator.scope = Scope::inside(&inside, &function.body.declared, None);
                evaluator.hoist(&function.body.declared);
                let completion = evaluator.statements(&function.body.body);
                (evaluator.region, completion)
            })
        });

        let mut returned = self.returns.pop().unwrap_or_default();
        self.active.pop();
        self.scope = outer_scope;
        self.anchor = outer_anchor;
        if left == super::control::Completion::Normal {
            returned.push((region, Value::Undefined));
        }
        if function.kind == FunctionKind::Generator {
            let mut taint = Taint::none();
            for (_, value) in &returned {
                taint.add(&self.taint(value));
                self.escape(value);
            }
            return Value::Unknown(taint);
        }
        let Some(promise) = promise else {
            return if returned.is_empty() { Value::unknown() } else { self.one_of(returned) };
        };
        let mut settled = Vec::with_capacity(returned.len());
        for (region, value) in returned {
            for (regions, inner) in Evaluator::promises_in(&value, region) {
                self.flow.use_promise(inner, regions, UseKind::Adopted(promise));
            }
            let value = self.settled(&value);
            settled.push((region, value));
        }
        let result = if settled.is_empty() { Value::unknown() } else { self.one_of(settled) };
        self.results[promise.0] = result;
        self.flow.ended(promise, self.clock);
        Value::Promise(promise)
    }

    fn bind_params(&mut self, function: &Function, args: &Args) {
        for (index, param) in function.params.iter().enumerate() {
            let value = if param.rest {
                let rest = args.values.get(index..).unwrap_or_default().to_vec();
                if args.open {
                    let mut taint = args.taint.clone();
                    for slot in &rest {
                        taint.add(&self.taint(&slot.value));
                        self.escape(&slot.value);
                    }
                    Value::Unknown(taint)
                } else {
                    self.make_array(Made::Rest, function.id, rest)
                }
            } else {
                self.or_default(args.get(index), param.default.as_ref())
            };
            self.bind(&param.pattern, value, Binding::Declare);
        }
    }

    /// Walks a function as called by code that is not in the script. `dropped` when its result is thrown away.
    pub(super) fn run_unseen(&mut self, function: &Value, regions: &[RegionKind], dropped: bool) {
        let closure = if let Value::Function(id) = function { self.closures.get(id.0) } else { None };
        let span = closure.map(|closure| closure.function.span).unwrap_or_default();
        self.run_callback(function, regions, dropped, Site { span, callee: span });
    }

    /// Walks a method that JavaScript calls on its object when it likes.
    pub(super) fn run_method(&mut self, method: &Value, object: &Value) {
        self.apart(&[RegionKind::Maybe, RegionKind::Loop], |evaluator| {
            let span = Span::default();
            let site = Site { span, callee: span };
            let result = evaluator.call_value(method, object, Args::unknown(), site);
            evaluator.use_promises(&result, UseKind::Returned);
            evaluator.escape(&result);
        });
    }

    /// Walks what is given to a builtin or an unknown function to be called, with arguments that are not told.
    pub(super) fn run_callback(
        &mut self,
        callback: &Value,
        regions: &[RegionKind],
        dropped: bool,
        site: Site,
    ) {
        self.apart(regions, |evaluator| {
            let result = evaluator.call_value(callback, &Value::unknown(), Args::unknown(), site);
            if !dropped {
                evaluator.use_promises(&result, UseKind::Returned);
            }
            evaluator.escape(&result);
        });
    }

    /// `new callee(…)`
    pub(super) fn construct(&mut self, callee: &Expr, args: &[Arg], span: Span) -> Value {
        let value = self.expression(callee);
        let args = self.args(args);
        let site = Site { span, callee: callee.span };
        if let Value::Global(path) = &value {
            if &**path == "Promise" {
                return self.new_promise_with(&args, site);
            }
            if super::builtin::is_pure(path) {
                self.clock += 1;
                return Value::unknown();
            }
        }
        if matches!(value, Value::Tool(_)) {
            // Works, oddly: the function returns its promise.
            return self.apart(&[RegionKind::Maybe], |evaluator| {
                evaluator.call_value(&value, &Value::Undefined, args, site)
            });
        }
        if matches!(value, Value::Function(_)) {
            let result = self.call_value(&value, &Value::unknown(), args, site);
            self.escape(&result);
            return Value::unknown();
        }
        // What it makes is a new object: what that holds of its arguments is found by the members it is assigned to.
        let taint = self.taint(&value);
        self.call_unknown(&taint, None, &args, site);
        Value::unknown()
    }

    /// `new Promise(executor)`: the executor runs at once; an error in it rejects the promise.
    fn new_promise_with(&mut self, args: &Args, site: Site) -> Value {
        let promise = self.new_promise(self.region, Value::unknown());
        let executor = args.get(0);
        self.within(ControlKind::Try, |evaluator| {
            let args = Args::unknown();
            let result = evaluator.call_value(&executor, &Value::Undefined, args, site);
            evaluator.escape(&result);
        });
        self.flow.ended(promise, self.clock);
        Value::Promise(promise)
    }
}
