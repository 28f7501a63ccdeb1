//! Scope resolution: which declared names are assigned anywhere but where they are declared.
//!
//! Guarantee: a name whose `reassigned` flag is off has one value for its whole life, the one its declaration gives
//! it. The check is by place, not by time, so the order in which asynchronous code runs does not matter.

use std::collections::HashSet;
use std::rc::Rc;

use super::ast::{
    Arg, Block, Class, Declared, Element, Expr, ExprKind, Function, Key, Name, Pattern, Piece, Property,
    Stmt, Target,
};

/// Flags the reassigned names of a script and returns the free names that are assigned.
pub(super) fn resolve(body: &Block) -> HashSet<Name> {
    let mut resolver = Resolver { scopes: Vec::new(), globals: HashSet::new() };
    resolver.block(body);
    resolver.globals
}

struct Resolver<'p> {
    scopes: Vec<&'p [Rc<Declared>]>,
    globals: HashSet<Name>,
}

impl<'p> Resolver<'p> {
    fn scoped(&mut self, scope: &'p [Rc<Declared>], inside: impl FnOnce(&mut Self)) {
        self.scopes.push(scope);
        inside(self);
        self.scopes.pop();
    }

    fn assigned(&mut self, name: &Name) {
        let scope =
            self.scopes.iter().rev().find(|scope| scope.iter().any(|declared| declared.name == *name));
        match scope {
            Some(scope) => {
                for declared in scope.iter().filter(|declared| declared.name == *name) {
                    declared.reassigned.set(true);
                }
            }
            None => {
                self.globals.insert(Rc::clone(name));
            }
        }
    }

    fn block(&mut self, block: &'p Block) {
        self.scoped(&block.declared, |resolver| {
            for function in block.declared.iter().filter_map(|declared| declared.function.as_ref()) {
                resolver.function(function);
            }
            resolver.statements(&block.body);
        });
    }

    fn statements(&mut self, body: &'p [Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn function(&mut self, function: &'p Function) {
        self.scoped(function.own_name.as_slice(), |resolver| {
            resolver.scoped(&function.param_names, |resolver| {
                for param in &function.params {
                    resolver.pattern(&param.pattern, false);
                    resolver.expressions(&param.default);
                }
                resolver.block(&function.body);
            });
        });
    }

    fn class(&mut self, class: &'p Class) {
        self.expressions(&class.heritage);
        self.expressions(&class.eager);
        for method in &class.methods {
            self.function(method);
        }
    }

    fn statement(&mut self, statement: &'p Stmt) {
        match statement {
            Stmt::Expr(value) | Stmt::Throw(value) => self.expression(value),
            Stmt::Declare { pattern, init, .. } => {
                self.pattern(pattern, false);
                self.expressions(init);
            }
            Stmt::Class { class, .. } => self.class(class),
            Stmt::Block(block) => self.block(block),
            Stmt::If { test, then, otherwise } => {
                self.expression(test);
                self.statement(then);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise);
                }
            }
            Stmt::Loop { names, init, subject, target, test, body, update } => {
                self.expressions(subject);
                self.scoped(names, |resolver| {
                    resolver.statements(init);
                    if let Some(target) = target {
                        resolver.target(target);
                    }
                    resolver.expressions(test);
                    resolver.expressions(update);
                    resolver.statement(body);
                });
            }
            Stmt::ForOf { names, target, subject, body, .. } => {
                self.expression(subject);
                self.scoped(names, |resolver| {
                    resolver.target(target);
                    resolver.statement(body);
                });
            }
            Stmt::Switch { subject, declared, cases } => {
                self.expression(subject);
                self.scoped(declared, |resolver| {
                    for function in declared.iter().filter_map(|declared| declared.function.as_ref()) {
                        resolver.function(function);
                    }
                    for (test, body) in cases {
                        resolver.expressions(test);
                        resolver.statements(body);
                    }
                });
            }
            Stmt::Try { block, handler, finalizer, .. } => {
                self.block(block);
                if let Some((names, pattern, body)) = handler {
                    self.scoped(names, |resolver| {
                        if let Some(pattern) = pattern {
                            resolver.pattern(pattern, false);
                        }
                        resolver.block(body);
                    });
                }
                if let Some(finalizer) = finalizer {
                    self.block(finalizer);
                }
            }
            Stmt::Return(value) => self.expressions(value),
            Stmt::Break(_) | Stmt::Continue(_) => {}
            Stmt::Labelled(_, body) => self.statement(body),
        }
    }

    fn target(&mut self, target: &'p Target) {
        self.pattern(&target.pattern, !target.declares);
    }

    fn pattern(&mut self, pattern: &'p Pattern, assigns: bool) {
        match pattern {
            Pattern::Name(name) => {
                if assigns {
                    self.assigned(name);
                }
            }
            Pattern::Member(member) => self.expression(member),
            Pattern::Array { items, rest } => {
                for item in items.iter().flatten() {
                    self.pattern(&item.pattern, assigns);
                    self.expressions(&item.default);
                }
                if let Some(rest) = rest {
                    self.pattern(rest, assigns);
                }
            }
            Pattern::Object { items, rest } => {
                for (key, item) in items {
                    self.key(key);
                    self.pattern(&item.pattern, assigns);
                    self.expressions(&item.default);
                }
                if let Some(rest) = rest {
                    self.pattern(rest, assigns);
                }
            }
        }
    }

    fn key(&mut self, key: &'p Key) {
        match key {
            Key::Static(_) | Key::Private => {}
            Key::Computed(key) => self.expression(key),
        }
    }

    fn arguments(&mut self, args: &'p [Arg]) {
        for arg in args {
            self.expression(&arg.value);
        }
    }

    fn expressions(&mut self, expressions: impl IntoIterator<Item = &'p Expr>) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &'p Expr) {
        match &expression.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::This
            | ExprKind::Name(_) => {}
            ExprKind::Array(items) => {
                for item in items {
                    match item {
                        Element::Hole => {}
                        Element::Item(value) | Element::Spread(value) => self.expression(value),
                    }
                }
            }
            ExprKind::Object(properties) => {
                for property in properties {
                    match property {
                        Property::Value { key, value } => {
                            self.key(key);
                            self.expression(value);
                        }
                        Property::Accessor { key, function } => {
                            self.key(key);
                            self.function(function);
                        }
                        Property::Prototype(value) | Property::Spread(value) => self.expression(value),
                    }
                }
            }
            ExprKind::Function(function) => self.function(function),
            ExprKind::Class(class) => self.class(class),
            ExprKind::Template(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(_) => {}
                        Piece::Hole(hole) => self.expression(hole),
                    }
                }
            }
            ExprKind::Tagged { tag, holes, .. } => {
                self.expression(tag);
                self.expressions(holes);
            }
            ExprKind::Member { object, key, .. } => {
                self.expression(object);
                self.key(key);
            }
            ExprKind::Call { callee, args, .. } | ExprKind::New { callee, args } => {
                self.expression(callee);
                self.arguments(args);
            }
            ExprKind::Assign { target, value, .. } => {
                self.pattern(target, true);
                self.expression(value);
            }
            ExprKind::Update(target) => self.pattern(target, true),
            ExprKind::Delete(value)
            | ExprKind::Unary(_, value)
            | ExprKind::Chain(value)
            | ExprKind::Await(value) => {
                self.expression(value);
            }
            ExprKind::Add(left, right)
            | ExprKind::Equal { left, right, .. }
            | ExprKind::Logical(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Conditional(parts) => self.expressions(&**parts),
            ExprKind::Sequence(parts) | ExprKind::Opaque(parts) => self.expressions(parts),
            ExprKind::Yield(value) => self.expressions(value.as_deref()),
        }
    }
}
