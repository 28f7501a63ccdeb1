//! Lowering of expressions.
//!
//! The parser's spans are kept where they are whole. Two are not and are mended here: a call's begins at its `(`, and
//! an index's ends before its `]`.

use boa_ast::expression::access::{PropertyAccess, PropertyAccessField};
use boa_ast::expression::literal::{
    Literal, LiteralKind, ObjectLiteral, PropertyDefinition, TemplateElement,
};
use boa_ast::expression::operator::assign::{AssignOp as BoaAssignOp, AssignTarget};
use boa_ast::expression::operator::binary::{
    ArithmeticOp, BinaryOp, LogicalOp as BoaLogicalOp, RelationalOp,
};
use boa_ast::expression::operator::unary::UnaryOp as BoaUnaryOp;
use boa_ast::expression::operator::update::UpdateTarget;
use boa_ast::expression::operator::{Assign, Binary, Unary};
use boa_ast::expression::{Expression, Identifier, Optional, OptionalOperationKind, TaggedTemplate};
use boa_ast::property::MethodDefinitionKind;
use boa_ast::{Span as BoaSpan, Spanned};

use super::declarations::Lowering;
use super::functions::{ARROW, ASYNC, ASYNC_ARROW, Flavour, GENERATOR, PLAIN};
use crate::exec::ast::{
    Arg, AssignOp, Element, Expr, ExprKind, Key, LogicalOp, Pattern, Piece, Property, Span, UnaryOp,
};

impl Lowering<'_> {
    pub(super) fn expression(&mut self, expression: &Expression) -> Expr {
        match expression {
            Expression::This(this) => self.spanned(this, ExprKind::This),
            Expression::Identifier(identifier) => self.name(*identifier),
            Expression::Literal(literal) => self.literal(literal),
            Expression::RegExpLiteral(regex) => self.spanned(regex, ExprKind::Opaque(Vec::new())),
            Expression::ArrayLiteral(array) => {
                let items = array.as_ref().iter().map(|item| self.element(item.as_ref())).collect();
                self.spanned(array, ExprKind::Array(items))
            }
            Expression::ObjectLiteral(object) => self.object(object),
            Expression::Spread(spread) => {
                let target = self.expression(spread.target());
                self.spanned(spread, ExprKind::Opaque(vec![target]))
            }
            Expression::FunctionExpression(f) => {
                let own = f.has_binding_identifier().then(|| f.name()).flatten();
                let own = own.map(|name| self.identifier(name));
                let function = self.function(f.parameters(), f.body(), PLAIN, own);
                self.spanned(f, ExprKind::Function(function))
            }
            Expression::AsyncFunctionExpression(f) => {
                let own = f.has_binding_identifier().then(|| f.name()).flatten();
                let own = own.map(|name| self.identifier(name));
                let function = self.function(f.parameters(), f.body(), ASYNC, own);
                self.spanned(f, ExprKind::Function(function))
            }
            Expression::GeneratorExpression(f) => {
                let own = f.has_binding_identifier().then(|| f.name()).flatten();
                let own = own.map(|name| self.identifier(name));
                let function = self.function(f.parameters(), f.body(), GENERATOR, own);
                self.spanned(f, ExprKind::Function(function))
            }
            Expression::AsyncGeneratorExpression(f) => {
                let own = f.has_binding_identifier().then(|| f.name()).flatten();
                let own = own.map(|name| self.identifier(name));
                let function = self.function(f.parameters(), f.body(), GENERATOR, own);
                self.spanned(f, ExprKind::Function(function))
            }
            Expression::ArrowFunction(f) => {
                let function = self.function(f.parameters(), f.body(), ARROW, None);
                self.spanned(f, ExprKind::Function(function))
            }
            Expression::AsyncArrowFunction(f) => {
                let function = self.function(f.parameters(), f.body(), ASYNC_ARROW, None);
                self.spanned(f, ExprKind::Function(function))
            }
            Expression::ClassExpression(class) => {
                let span = self.positions.span(class.span());
                let class = self.class(class.super_ref(), class.constructor(), class.elements());
                Expr { kind: ExprKind::Class(Box::new(class)), span }
            }
            Expression::TemplateLiteral(template) => {
                let pieces = template.elements().iter().map(|element| match element {
                    TemplateElement::String(text) => Piece::Text(self.text(*text)),
                    TemplateElement::Expr(hole) => Piece::Hole(self.expression(hole)),
                });
                let pieces = pieces.collect();
                self.spanned(template, ExprKind::Template(pieces))
            }
            Expression::TaggedTemplate(template) => self.tagged(template),
            Expression::PropertyAccess(access) => self.access(access),
            Expression::New(new) => {
                let callee = Box::new(self.expression(new.constructor()));
                let args = self.arguments(new.arguments());
                self.spanned(new, ExprKind::New { callee, args })
            }
            Expression::Call(call) => {
                let callee = self.expression(call.function());
                let args = self.arguments(call.args());
                let span = Span { start: callee.span.start, end: self.positions.byte(call.span().end()) };
                Expr { kind: ExprKind::Call { callee: Box::new(callee), args, optional: false }, span }
            }
            Expression::SuperCall(call) => {
                let args = call.arguments().iter().map(|arg| self.expression(arg)).collect();
                self.spanned(call, ExprKind::Opaque(args))
            }
            Expression::ImportCall(import) => {
                let mut parts = vec![self.expression(import.specifier())];
                parts.extend(import.options().map(|options| self.expression(options)));
                self.spanned(import, ExprKind::Opaque(parts))
            }
            Expression::Optional(optional) => self.optional(optional),
            Expression::NewTarget(target) => self.spanned(target, ExprKind::Opaque(Vec::new())),
            Expression::ImportMeta(meta) => self.spanned(meta, ExprKind::Opaque(Vec::new())),
            Expression::Assign(assign) => self.assign(assign),
            Expression::Unary(unary) => self.unary(unary),
            Expression::Update(update) => {
                let target = match update.target() {
                    UpdateTarget::Identifier(name) => Pattern::Name(self.identifier(*name)),
                    UpdateTarget::PropertyAccess(access) => self.access_pattern(access),
                };
                self.spanned(update, ExprKind::Update(Box::new(target)))
            }
            Expression::Binary(binary) => self.binary(binary),
            Expression::BinaryInPrivate(binary) => {
                let right = self.expression(binary.rhs());
                self.spanned(binary, ExprKind::Opaque(vec![right]))
            }
            Expression::Conditional(conditional) => {
                let test = self.expression(conditional.condition());
                let then = self.expression(conditional.if_true());
                let otherwise = self.expression(conditional.if_false());
                let span = Span { start: test.span.start, end: otherwise.span.end };
                Expr { kind: ExprKind::Conditional(Box::new([test, then, otherwise])), span }
            }
            Expression::Await(awaited) => {
                let target = self.expression(awaited.target());
                self.prefixed(awaited.span(), target, |target| ExprKind::Await(Box::new(target)))
            }
            Expression::Yield(yielded) => {
                let target = yielded.target().map(|target| Box::new(self.expression(target)));
                self.spanned(yielded, ExprKind::Yield(target))
            }
            Expression::Parenthesized(parenthesized) => {
                // The parentheses belong to the expression's source, but mean nothing more.
                let inner = self.expression(parenthesized.expression());
                self.spanned(parenthesized, inner.kind)
            }
        }
    }

    fn spanned(&self, node: &impl Spanned, kind: ExprKind) -> Expr {
        Expr { kind, span: self.positions.span(node.span()) }
    }

    /// An expression that ends where its operand does.
    fn prefixed(&self, span: BoaSpan, operand: Expr, kind: impl FnOnce(Expr) -> ExprKind) -> Expr {
        let span = Span { start: self.positions.byte(span.start()), end: operand.span.end };
        Expr { kind: kind(operand), span }
    }

    fn name(&mut self, identifier: Identifier) -> Expr {
        let name = self.identifier(identifier);
        self.dynamic_code |= matches!(&*name, "eval" | "Function");
        self.exits |= &*name == "exit";
        if &*name == "arguments"
            && let Some(reads_arguments) = self.reads_arguments.last_mut()
        {
            *reads_arguments = true;
        }
        self.spanned(&identifier, ExprKind::Name(name))
    }

    fn literal(&mut self, literal: &Literal) -> Expr {
        let kind = match literal.kind() {
            LiteralKind::String(text) => ExprKind::Text(self.text(*text)),
            LiteralKind::Num(number) => ExprKind::Number(*number),
            LiteralKind::Int(number) => ExprKind::Number(f64::from(*number)),
            LiteralKind::BigInt(_) => ExprKind::Opaque(Vec::new()),
            LiteralKind::Bool(value) => ExprKind::Bool(*value),
            LiteralKind::Null => ExprKind::Null,
            LiteralKind::Undefined => ExprKind::Name("undefined".into()),
        };
        self.spanned(literal, kind)
    }

    fn element(&mut self, item: Option<&Expression>) -> Element {
        match item {
            None => Element::Hole,
            Some(Expression::Spread(spread)) => Element::Spread(self.expression(spread.target())),
            Some(item) => Element::Item(self.expression(item)),
        }
    }

    fn object(&mut self, object: &ObjectLiteral) -> Expr {
        let mut properties = Vec::new();
        for property in object.properties() {
            properties.push(match property {
                PropertyDefinition::IdentifierReference(identifier) => Property::Value {
                    key: Key::Static(self.identifier(*identifier)),
                    value: self.name(*identifier),
                },
                // Only in a pattern, which the parser has turned into one.
                PropertyDefinition::CoverInitializedName(identifier, value) => Property::Value {
                    key: Key::Static(self.identifier(*identifier)),
                    value: self.expression(value),
                },
                PropertyDefinition::Property(name, value) => {
                    let key = self.property_name(name);
                    let value = self.expression(value);
                    if matches!(&key, Key::Static(key) if &**key == "__proto__") {
                        Property::Prototype(value)
                    } else {
                        Property::Value { key, value }
                    }
                }
                PropertyDefinition::SpreadObject(spread) => Property::Spread(self.expression(spread)),
                PropertyDefinition::MethodDefinition(method) => {
                    let key = self.property_name(method.name());
                    let flavour = Flavour::of_method(method.kind());
                    let function = self.function(method.parameters(), method.body(), flavour, None);
                    match method.kind() {
                        MethodDefinitionKind::Get | MethodDefinitionKind::Set => {
                            Property::Accessor { key, function }
                        }
                        MethodDefinitionKind::Ordinary
                        | MethodDefinitionKind::Generator
                        | MethodDefinitionKind::AsyncGenerator
                        | MethodDefinitionKind::Async => {
                            let span = function.span;
                            Property::Value { key, value: Expr { kind: ExprKind::Function(function), span } }
                        }
                    }
                }
            });
        }
        self.spanned(object, ExprKind::Object(properties))
    }

    fn tagged(&mut self, template: &TaggedTemplate) -> Expr {
        let tag = self.expression(template.tag());
        let raws = template.raws().iter().map(|raw| self.text(*raw)).collect();
        let holes = template.exprs().iter().map(|hole| self.expression(hole)).collect();
        let span = Span { start: tag.span.start, end: self.positions.byte(template.span().end()) };
        Expr { kind: ExprKind::Tagged { tag: Box::new(tag), raws, holes }, span }
    }

    pub(super) fn access(&mut self, access: &PropertyAccess) -> Expr {
        match access {
            PropertyAccess::Simple(access) => {
                let object = self.expression(access.target());
                self.member(object, access.field(), false, None)
            }
            PropertyAccess::Private(access) => {
                let object = self.expression(access.target());
                let span = Span { start: object.span.start, end: self.positions.byte(access.span().end()) };
                let kind = ExprKind::Member { object: Box::new(object), key: Key::Private, optional: false };
                Expr { kind, span }
            }
            PropertyAccess::Super(access) => {
                let mut parts = Vec::new();
                if let PropertyAccessField::Expr(key) = access.field() {
                    parts.push(self.expression(key));
                }
                self.spanned(access, ExprKind::Opaque(parts))
            }
        }
    }

    fn member(
        &mut self,
        object: Expr,
        field: &PropertyAccessField,
        optional: bool,
        end: Option<usize>,
    ) -> Expr {
        let (key, field_end) = match field {
            PropertyAccessField::Const(identifier) => {
                let end = self.positions.byte(identifier.span().end());
                let name = self.identifier(*identifier);
                match &*name {
                    // `x.constructor("code")` runs code that is not in the tree; `x.constructor.name` is harmless.
                    "constructor" => self.constructors += 1,
                    "name" if is_constructor(&object) => self.constructors -= 1,
                    "exit" => self.exits = true,
                    _ => {}
                }
                (Key::Static(name), end)
            }
            PropertyAccessField::Expr(key) => {
                let key = self.expression(key);
                let end = self.positions.behind_bracket(key.span.end);
                (Key::Computed(Box::new(key)), end)
            }
        };
        let span = Span { start: object.span.start, end: end.unwrap_or(field_end) };
        Expr { kind: ExprKind::Member { object: Box::new(object), key, optional }, span }
    }

    fn optional(&mut self, chain: &Optional) -> Expr {
        let mut expr = self.expression(chain.target());
        for operation in chain.chain() {
            let start = expr.span.start;
            let end = self.positions.byte(operation.span().end());
            let optional = operation.shorted();
            let object = Box::new(expr);
            expr = match operation.kind() {
                OptionalOperationKind::SimplePropertyAccess { field } => {
                    self.member(*object, field, optional, Some(end))
                }
                OptionalOperationKind::PrivatePropertyAccess { .. } => {
                    let kind = ExprKind::Member { object, key: Key::Private, optional };
                    Expr { kind, span: Span { start, end } }
                }
                OptionalOperationKind::Call { args } => {
                    let args = self.arguments(args);
                    Expr {
                        kind: ExprKind::Call { callee: object, args, optional },
                        span: Span { start, end },
                    }
                }
            };
        }
        let span = expr.span;
        Expr { kind: ExprKind::Chain(Box::new(expr)), span }
    }

    fn arguments(&mut self, args: &[Expression]) -> Vec<Arg> {
        let args = args.iter().map(|arg| {
            if let Expression::Spread(spread) = arg {
                let value = self.expression(spread.target());
                let start = self.positions.byte(spread.span().start());
                let span = Span { start, end: value.span.end };
                return Arg { value, spread: true, span };
            }
            let value = self.expression(arg);
            let span = value.span;
            Arg { value, spread: false, span }
        });
        args.collect()
    }

    fn assign(&mut self, assign: &Assign) -> Expr {
        let start = match assign.lhs() {
            AssignTarget::Identifier(identifier) => self.positions.byte(identifier.span().start()),
            AssignTarget::Pattern(pattern) => self.positions.byte(pattern.span().start()),
            AssignTarget::Access(access) => self.positions.byte(access.span().start()),
        };
        let target = match assign.lhs() {
            AssignTarget::Identifier(identifier) => Pattern::Name(self.identifier(*identifier)),
            AssignTarget::Access(access) => self.access_pattern(access),
            AssignTarget::Pattern(pattern) => self.pattern(pattern),
        };
        let value = self.expression(assign.rhs());
        let op = match assign.op() {
            BoaAssignOp::Assign => AssignOp::Plain,
            BoaAssignOp::BoolAnd | BoaAssignOp::BoolOr | BoaAssignOp::Coalesce => AssignOp::Logical,
            BoaAssignOp::Add
            | BoaAssignOp::Sub
            | BoaAssignOp::Mul
            | BoaAssignOp::Div
            | BoaAssignOp::Mod
            | BoaAssignOp::Exp
            | BoaAssignOp::And
            | BoaAssignOp::Or
            | BoaAssignOp::Xor
            | BoaAssignOp::Shl
            | BoaAssignOp::Shr
            | BoaAssignOp::Ushr => AssignOp::Compute,
        };
        let span = Span { start, end: value.span.end };
        Expr { kind: ExprKind::Assign { target: Box::new(target), value: Box::new(value), op }, span }
    }

    fn unary(&mut self, unary: &Unary) -> Expr {
        let target = self.expression(unary.target());
        self.prefixed(unary.span(), target, |target| {
            let target = Box::new(target);
            match unary.op() {
                BoaUnaryOp::Minus => ExprKind::Unary(UnaryOp::Minus, target),
                BoaUnaryOp::Plus => ExprKind::Unary(UnaryOp::Plus, target),
                BoaUnaryOp::Not => ExprKind::Unary(UnaryOp::Not, target),
                BoaUnaryOp::Void => ExprKind::Unary(UnaryOp::Void, target),
                BoaUnaryOp::Tilde | BoaUnaryOp::TypeOf => ExprKind::Unary(UnaryOp::Other, target),
                BoaUnaryOp::Delete => ExprKind::Delete(target),
            }
        })
    }

    /// Left-associative chains can be thousands of operators long: they are walked in a loop.
    fn binary(&mut self, binary: &Binary) -> Expr {
        let mut operators = vec![binary];
        let mut first = binary.lhs();
        while let Expression::Binary(left) = first {
            operators.push(left);
            first = left.lhs();
        }
        let mut left = self.expression(first);
        for operator in operators.into_iter().rev() {
            let right = self.expression(operator.rhs());
            left = combine(operator.op(), left, right);
        }
        left
    }
}

fn is_constructor(object: &Expr) -> bool {
    matches!(&object.kind, ExprKind::Member { key: Key::Static(key), .. } if &**key == "constructor")
}

fn combine(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = Span { start: left.span.start, end: right.span.end };
    let kind = match op {
        BinaryOp::Arithmetic(ArithmeticOp::Add) => ExprKind::Add(Box::new(left), Box::new(right)),
        BinaryOp::Relational(op @ (RelationalOp::StrictEqual | RelationalOp::StrictNotEqual)) => {
            ExprKind::Equal {
                left: Box::new(left),
                right: Box::new(right),
                negated: op == RelationalOp::StrictNotEqual,
            }
        }
        BinaryOp::Logical(op) => {
            let op = match op {
                BoaLogicalOp::And => LogicalOp::And,
                BoaLogicalOp::Or => LogicalOp::Or,
                BoaLogicalOp::Coalesce => LogicalOp::Coalesce,
            };
            ExprKind::Logical(op, Box::new(left), Box::new(right))
        }
        BinaryOp::Comma => {
            let mut left = left;
            if let ExprKind::Sequence(parts) = &mut left.kind {
                parts.push(right);
                left.kind
            } else {
                ExprKind::Sequence(vec![left, right])
            }
        }
        BinaryOp::Arithmetic(_) | BinaryOp::Bitwise(_) | BinaryOp::Relational(_) => {
            ExprKind::Opaque(vec![left, right])
        }
    };
    Expr { kind, span }
}
