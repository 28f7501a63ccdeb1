//! Scopes at evaluation time: declared names and their values.

use std::cell::RefCell;
use std::rc::Rc;

use super::Evaluator;
use crate::exec::ast::{Declared, Name};
use crate::exec::value::{ClosureId, Taint, Value};

/// What `this` and `arguments` are inside a function.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    pub(super) this: Value,
    pub(super) arguments: Taint,
}

/// The names of one block or function in one of its runs.
#[derive(Debug)]
pub(super) struct Scope {
    /// A name without a value is not initialised yet.
    names: RefCell<Vec<(Rc<Declared>, Option<Value>)>>,
    receiver: Option<Receiver>,
    parent: Option<Rc<Scope>>,
}

impl Scope {
    pub(super) fn root() -> Self {
        Self { names: RefCell::default(), receiver: None, parent: None }
    }

    pub(super) fn inside(
        parent: &Rc<Self>,
        declared: &[Rc<Declared>],
        receiver: Option<Receiver>,
    ) -> Rc<Self> {
        let names = declared.iter().map(|declared| (Rc::clone(declared), None)).collect();
        Rc::new(Self { names: RefCell::new(names), receiver, parent: Some(Rc::clone(parent)) })
    }

    fn receiver(&self) -> Option<&Receiver> {
        self.receiver.as_ref().or_else(|| self.parent.as_ref()?.receiver())
    }

    /// The declaration of a name and its value, if it has one yet.
    fn find(&self, name: &Name) -> Option<(Rc<Declared>, Option<Value>)> {
        let mut scope = Some(self);
        while let Some(current) = scope {
            let names = current.names.borrow();
            let found = names.iter().rev().find(|(declared, _)| declared.name == *name);
            if let Some((declared, value)) = found {
                return Some((Rc::clone(declared), value.clone()));
            }
            scope = current.parent.as_deref();
        }
        None
    }

    fn initialise(&self, name: &Name, value: Value) {
        let mut scope = Some(self);
        while let Some(current) = scope {
            let mut names = current.names.borrow_mut();
            if let Some((_, slot)) = names.iter_mut().rev().find(|(declared, _)| declared.name == *name) {
                *slot = Some(value);
                return;
            }
            scope = current.parent.as_deref();
        }
    }
}

impl Evaluator<'_> {
    /// The value of a name where it is read.
    pub(super) fn read_name(&mut self, name: &Name) -> Value {
        if let Some((declared, value)) = self.scope.find(name) {
            if declared.reassigned.get() {
                return Value::Unknown(self.knowledge.names.get(&declared.id).cloned().unwrap_or_default());
            }
            // A name that has no value yet is an error where it is read, or is read later than the walk thinks.
            return value.unwrap_or_else(|| {
                self.may_throw();
                Value::unknown()
            });
        }
        if &**name == "arguments"
            && let Some(receiver) = self.scope.receiver()
        {
            return Value::Unknown(receiver.arguments.clone());
        }
        if self.program.assigned_globals.contains(name) {
            let taint = self.knowledge.globals.get(name).cloned().unwrap_or_default();
            return Value::Unknown(taint.with(&self.taint(&global(name))));
        }
        let value = global(name);
        if matches!(value, Value::Global(_)) && !super::builtin::is_known(name) {
            // Codex's isolate has no such global, as far as is known: reading it is an error.
            self.may_throw();
        }
        value
    }

    pub(super) fn this(&self) -> Value {
        self.scope.receiver().map_or(Value::Undefined, |receiver| receiver.this.clone())
    }

    /// Gives a declared name its value.
    pub(super) fn initialise(&mut self, name: &Name, value: Value) {
        if let Some((declared, _)) = self.scope.find(name)
            && declared.reassigned.get()
        {
            self.assign_declared(&declared, &value);
        }
        self.scope.initialise(name, value);
    }

    fn assign_declared(&mut self, declared: &Declared, value: &Value) {
        let taint = self.taint(value);
        if self.knowledge.names.entry(declared.id).or_default().add(&taint) {
            self.knowledge.grew = true;
        }
        self.escape(value);
    }

    /// Assigns to a name that is declared elsewhere or nowhere: its value is no longer told.
    pub(super) fn assign_name(&mut self, name: &Name, value: &Value) {
        if let Some((declared, _)) = self.scope.find(name) {
            self.assign_declared(&declared, value);
            return;
        }
        if &**name != "tools" && super::builtin::is_known(name) {
            self.knowledge.tampered = true;
        }
        let taint = self.taint(value);
        if self.knowledge.globals.entry(Rc::clone(name)).or_default().add(&taint) {
            self.knowledge.grew = true;
        }
        self.escape(value);
    }

    /// Makes the functions that a scope declares, before its statements run.
    pub(super) fn hoist(&mut self, declared: &[Rc<Declared>]) {
        for declared in declared {
            if let Some(function) = &declared.function {
                let closure = self.close_over(function);
                self.initialise(&declared.name, closure);
            }
        }
    }

    pub(super) fn close_over(&mut self, function: &Rc<crate::exec::ast::Function>) -> Value {
        self.closures.push(super::Closure { function: Rc::clone(function), scope: Rc::clone(&self.scope) });
        Value::Function(ClosureId(self.closures.len() - 1))
    }

    /// Runs `inside` in a scope of its own.
    pub(super) fn in_scope<T>(
        &mut self,
        declared: &[Rc<Declared>],
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if declared.is_empty() {
            return inside(self);
        }
        let outer = Rc::clone(&self.scope);
        self.scope = Scope::inside(&outer, declared, None);
        self.hoist(declared);
        let done = inside(self);
        self.scope = outer;
        done
    }
}

/// What a free name stands for.
pub(super) fn global(name: &Name) -> Value {
    match &**name {
        "undefined" => Value::Undefined,
        "NaN" => Value::Number(f64::NAN),
        "Infinity" => Value::Number(f64::INFINITY),
        "tools" => Value::Tools,
        _ => Value::Global(Rc::clone(name)),
    }
}
