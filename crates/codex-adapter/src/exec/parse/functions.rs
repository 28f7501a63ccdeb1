//! Lowering of functions, classes and patterns.

use std::rc::Rc;

use boa_ast::Spanned;
use boa_ast::declaration::Binding;
use boa_ast::expression::Expression;
use boa_ast::expression::access::PropertyAccess;
use boa_ast::function::{
    ClassElement, ClassElementName, FormalParameterList, FunctionBody, FunctionExpression,
};
use boa_ast::pattern::{ArrayPatternElement, ObjectPatternElement, Pattern as BoaPattern};
use boa_ast::property::{MethodDefinitionKind, PropertyName};

use super::declarations::{Lowering, bound_names};
use crate::exec::ast::{
    Class, Declared, Expr, ExprKind, Function, FunctionKind, Key, Name, Param, Pattern, PatternItem, Stmt,
};

/// The flavour of a function.
#[derive(Clone, Copy)]
pub(super) struct Flavour {
    kind: FunctionKind,
    is_arrow: bool,
}

pub(super) const PLAIN: Flavour = Flavour { kind: FunctionKind::Ordinary, is_arrow: false };
pub(super) const ASYNC: Flavour = Flavour { kind: FunctionKind::Async, is_arrow: false };
pub(super) const GENERATOR: Flavour = Flavour { kind: FunctionKind::Generator, is_arrow: false };
pub(super) const ARROW: Flavour = Flavour { kind: FunctionKind::Ordinary, is_arrow: true };
pub(super) const ASYNC_ARROW: Flavour = Flavour { kind: FunctionKind::Async, is_arrow: true };

impl Flavour {
    pub(super) fn of_method(kind: MethodDefinitionKind) -> Self {
        match kind {
            MethodDefinitionKind::Get | MethodDefinitionKind::Set | MethodDefinitionKind::Ordinary => PLAIN,
            MethodDefinitionKind::Generator | MethodDefinitionKind::AsyncGenerator => GENERATOR,
            MethodDefinitionKind::Async => ASYNC,
        }
    }
}

impl Lowering<'_> {
    pub(super) fn function(
        &mut self,
        parameters: &FormalParameterList,
        body: &FunctionBody,
        flavour: Flavour,
        own_name: Option<Name>,
    ) -> Rc<Function> {
        let id = self.fresh_id();
        self.reads_arguments.push(false);
        let own_name = own_name.map(|name| self.declared(name, None));
        let mut params = Vec::new();
        let mut param_names: Vec<Rc<Declared>> = Vec::new();
        for parameter in parameters.as_ref() {
            let pattern = self.binding(parameter.variable().binding());
            for name in bound_names(&pattern) {
                param_names.push(self.declared(name, None));
            }
            let default = parameter.init().map(|init| self.expression(init));
            params.push(Param { pattern, default, rest: parameter.is_rest_param() });
        }
        let span = self.positions.span(body.span());
        let body = self.function_scope(|lowering| {
            let mut statements = Vec::new();
            for item in body.statements() {
                lowering.list_item(item, &mut statements);
            }
            statements
        });
        for declared in &body.declared {
            // A `var` named like a parameter begins with the parameter's value.
            if declared.function.is_none() && param_names.iter().any(|param| param.name == declared.name) {
                declared.reassigned.set(true);
            }
        }
        let reads_arguments = self.reads_arguments.pop().unwrap_or_default();
        if flavour.is_arrow
            && let Some(around) = self.reads_arguments.last_mut()
        {
            *around |= reads_arguments;
        }
        Rc::new(Function {
            id,
            span,
            own_name,
            params,
            param_names,
            body,
            kind: flavour.kind,
            is_arrow: flavour.is_arrow,
            reads_arguments,
        })
    }

    /// A parameterless function around one expression: how instance fields and static blocks are kept.
    fn thunk(&mut self, lower: impl FnOnce(&mut Self) -> Vec<Stmt>) -> Rc<Function> {
        let id = self.fresh_id();
        let body = self.function_scope(lower);
        Rc::new(Function {
            id,
            span: crate::exec::ast::Span::default(),
            own_name: None,
            params: Vec::new(),
            param_names: Vec::new(),
            body,
            kind: FunctionKind::Ordinary,
            is_arrow: false,
            reads_arguments: false,
        })
    }

    pub(super) fn class(
        &mut self,
        heritage: Option<&Expression>,
        constructor: Option<&FunctionExpression>,
        elements: &[ClassElement],
    ) -> Class {
        let heritage = heritage.map(|heritage| self.expression(heritage));
        let mut class = Class { heritage, eager: Vec::new(), methods: Vec::new() };
        if let Some(constructor) = constructor {
            let function = self.function(constructor.parameters(), constructor.body(), PLAIN, None);
            class.methods.push(function);
        }
        for element in elements {
            match element {
                ClassElement::MethodDefinition(method) => {
                    if let ClassElementName::PropertyName(PropertyName::Computed(key)) = method.name() {
                        let key = self.expression(key);
                        class.eager.push(key);
                    }
                    let flavour = Flavour::of_method(method.kind());
                    let function = self.function(method.parameters(), method.body(), flavour, None);
                    class.methods.push(function);
                }
                ClassElement::FieldDefinition(field) => {
                    self.field(field.name().computed(), field.initializer(), false, &mut class);
                }
                ClassElement::StaticFieldDefinition(field) => {
                    self.field(field.name().computed(), field.initializer(), true, &mut class);
                }
                ClassElement::PrivateFieldDefinition(field) => {
                    self.field(None, field.initializer(), false, &mut class);
                }
                ClassElement::PrivateStaticFieldDefinition(field) => {
                    self.field(None, field.initializer(), true, &mut class);
                }
                ClassElement::StaticBlock(block) => {
                    let function = self.thunk(|lowering| {
                        let mut statements = Vec::new();
                        for item in block.statements().statements() {
                            lowering.list_item(item, &mut statements);
                        }
                        statements
                    });
                    class.eager.push(immediate(function));
                }
            }
        }
        class
    }

    fn field(&mut self, key: Option<&Expression>, init: Option<&Expression>, eager: bool, class: &mut Class) {
        if let Some(key) = key {
            let key = self.expression(key);
            class.eager.push(key);
        }
        let Some(init) = init else { return };
        let function = self.thunk(|lowering| {
            let value = lowering.expression(init);
            vec![Stmt::Expr(value)]
        });
        if eager {
            class.eager.push(immediate(function));
        } else {
            class.methods.push(function);
        }
    }

    pub(super) fn binding(&mut self, binding: &Binding) -> Pattern {
        match binding {
            Binding::Identifier(identifier) => Pattern::Name(self.identifier(*identifier)),
            Binding::Pattern(pattern) => self.pattern(pattern),
        }
    }

    pub(super) fn pattern(&mut self, pattern: &BoaPattern) -> Pattern {
        match pattern {
            BoaPattern::Object(pattern) => {
                let mut items = Vec::new();
                let mut rest = None;
                for element in pattern.bindings() {
                    match element {
                        ObjectPatternElement::SingleName { name, ident, default_init } => {
                            let key = self.property_name(name);
                            let pattern = Pattern::Name(self.identifier(*ident));
                            items.push((key, self.item(pattern, default_init.as_ref())));
                        }
                        ObjectPatternElement::AssignmentPropertyAccess { name, access, default_init } => {
                            let key = self.property_name(name);
                            let pattern = self.access_pattern(access);
                            items.push((key, self.item(pattern, default_init.as_ref())));
                        }
                        ObjectPatternElement::Pattern { name, pattern, default_init } => {
                            let key = self.property_name(name);
                            let pattern = self.pattern(pattern);
                            items.push((key, self.item(pattern, default_init.as_ref())));
                        }
                        ObjectPatternElement::RestProperty { ident } => {
                            rest = Some(Box::new(Pattern::Name(self.identifier(*ident))));
                        }
                        ObjectPatternElement::AssignmentRestPropertyAccess { access } => {
                            rest = Some(Box::new(self.access_pattern(access)));
                        }
                    }
                }
                Pattern::Object { items, rest }
            }
            BoaPattern::Array(pattern) => {
                let mut items = Vec::new();
                let mut rest = None;
                for element in pattern.bindings() {
                    match element {
                        ArrayPatternElement::Elision => items.push(None),
                        ArrayPatternElement::SingleName { ident, default_init } => {
                            let pattern = Pattern::Name(self.identifier(*ident));
                            items.push(Some(self.item(pattern, default_init.as_ref())));
                        }
                        ArrayPatternElement::PropertyAccess { access, default_init } => {
                            let pattern = self.access_pattern(access);
                            items.push(Some(self.item(pattern, default_init.as_ref())));
                        }
                        ArrayPatternElement::Pattern { pattern, default_init } => {
                            let pattern = self.pattern(pattern);
                            items.push(Some(self.item(pattern, default_init.as_ref())));
                        }
                        ArrayPatternElement::SingleNameRest { ident } => {
                            rest = Some(Box::new(Pattern::Name(self.identifier(*ident))));
                        }
                        ArrayPatternElement::PropertyAccessRest { access } => {
                            rest = Some(Box::new(self.access_pattern(access)));
                        }
                        ArrayPatternElement::PatternRest { pattern } => {
                            rest = Some(Box::new(self.pattern(pattern)));
                        }
                    }
                }
                Pattern::Array { items, rest }
            }
        }
    }

    fn item(&mut self, pattern: Pattern, default: Option<&Expression>) -> PatternItem {
        PatternItem { pattern, default: default.map(|default| self.expression(default)) }
    }

    pub(super) fn access_pattern(&mut self, access: &PropertyAccess) -> Pattern {
        Pattern::Member(Box::new(self.access(access)))
    }

    pub(super) fn property_name(&mut self, name: &PropertyName) -> Key {
        match name {
            PropertyName::Literal(identifier) => Key::Static(self.identifier(*identifier)),
            PropertyName::Computed(key) => Key::Computed(Box::new(self.expression(key))),
        }
    }
}

/// A call of a function that runs at once.
fn immediate(function: Rc<Function>) -> Expr {
    let span = function.span;
    let callee = Box::new(Expr { kind: ExprKind::Function(function), span });
    Expr { kind: ExprKind::Call { callee, args: Vec::new(), optional: false }, span }
}
