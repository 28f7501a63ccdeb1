//! Expressions.

use std::rc::Rc;

use super::Evaluator;
use super::heap::Made;
use super::pattern::Binding;
use crate::exec::ast::{
    AssignOp, Class, Element, Expr, ExprKind, LogicalOp, Pattern, Piece, Property, Span, Text, UnaryOp,
};
use crate::exec::flow::{RegionId, RegionKind, UseKind};
use crate::exec::value::{Object, Record, Slot, Taint, Value};

impl Evaluator<'_> {
    pub(super) fn expression(&mut self, expr: &Expr) -> Value {
        if !self.step() {
            return Value::unknown();
        }
        match &expr.kind {
            ExprKind::Null => Value::Null,
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Number(number) => Value::Number(*number),
            ExprKind::Text(text) => Value::Text(text.clone()),
            ExprKind::This => self.this(),
            ExprKind::Name(name) => self.read_name(name),
            ExprKind::Array(items) => self.array(items, expr.span),
            ExprKind::Object(properties) => self.record(properties, expr.span),
            ExprKind::Function(function) => self.close_over(function),
            ExprKind::Class(class) => self.class(class),
            ExprKind::Template(pieces) => self.template(pieces),
            ExprKind::Tagged { tag, raws, holes } => self.tagged(tag, raws, holes, expr.span),
            ExprKind::Member { .. } | ExprKind::Call { .. } | ExprKind::Chain(_) => self.chain(expr),
            ExprKind::New { callee, args } => self.construct(callee, args, expr.span),
            ExprKind::Assign { target, value, op } => self.assign(target, value, *op),
            ExprKind::Update(target) => {
                self.bind(target, Value::unknown(), Binding::Assign);
                Value::unknown()
            }
            ExprKind::Delete(target) => {
                let (object, key) = self.assigned_object(target);
                self.change_value(&object, key.as_ref(), &Value::Undefined);
                Value::unknown()
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Add(..) => self.add(expr),
            ExprKind::Equal { left, right, negated } => {
                let left = self.expression(left);
                let right = self.expression(right);
                left.equals(&right).map_or_else(Value::unknown, |equal| Value::Bool(equal != *negated))
            }
            ExprKind::Logical(op, left, right) => self.logical(*op, left, right),
            ExprKind::Conditional(parts) => {
                let [test, then, otherwise] = &**parts;
                self.conditional(test, then, otherwise)
            }
            ExprKind::Sequence(parts) => {
                let mut last = Value::Undefined;
                for part in parts {
                    last = self.expression(part);
                }
                last
            }
            ExprKind::Await(operand) => {
                let value = self.expression(operand);
                self.awaited(&value)
            }
            ExprKind::Yield(operand) => {
                if let Some(operand) = operand {
                    let value = self.expression(operand);
                    self.escape(&value);
                }
                self.may_throw();
                Value::unknown()
            }
            ExprKind::Opaque(parts) => {
                let mut taint = Taint::none();
                for part in parts {
                    let value = self.expression(part);
                    taint.add(&self.taint(&value));
                    self.escape(&value);
                }
                self.may_throw();
                Value::Unknown(taint)
            }
        }
    }

    /// Waits for a value: what a promise is fulfilled with.
    pub(super) fn awaited(&mut self, value: &Value) -> Value {
        let (within, caught) = self.awaiting();
        self.use_promises(value, UseKind::Awaited { within, caught });
        for (_, promise) in Evaluator::promises_in(value, self.region) {
            self.flow.awaited(promise, self.clock);
        }
        let result = self.settled(value);
        self.clock += 1;
        self.suspend();
        result
    }

    /// What a value is once it is waited for, without waiting.
    pub(super) fn settled(&mut self, value: &Value) -> Value {
        if let Value::Promise(promise) = value {
            return self.results.get(promise.0).cloned().unwrap_or_else(Value::unknown);
        }
        if let Value::OneOf(choice) = value {
            let choice = Rc::clone(choice);
            let options = choice.options.iter();
            let options = options.map(|(region, value)| (*region, self.settled(value))).collect();
            return self.one_of(options);
        }
        value.clone()
    }

    fn array(&mut self, elements: &[Element], span: Span) -> Value {
        let mut items = Vec::with_capacity(elements.len());
        let mut open = false;
        for element in elements {
            match element {
                Element::Hole => items.push(Slot { value: Value::Undefined, source: Span::default() }),
                Element::Item(item) => {
                    let value = self.expression(item);
                    items.push(Slot { value, source: item.span });
                }
                Element::Spread(spread) => {
                    let value = self.expression(spread);
                    match self.elements(&value) {
                        Some(more) => {
                            self.charge_elements(more.len());
                            items.extend(more);
                        }
                        None => {
                            open = true;
                            self.may_throw();
                            let value = Value::Unknown(self.taint(&value));
                            let source =
                                Span { start: spread.span.start.saturating_sub(3), end: spread.span.end };
                            items.push(Slot { value, source });
                        }
                    }
                }
            }
        }
        if open {
            // Where the items stand is not told: what is read from the array may be any of them.
            for slot in &items {
                self.escape(&slot.value);
            }
        }
        self.make(Made::Array, span.start, Object::Array { items, open })
    }

    fn record(&mut self, properties: &[Property], span: Span) -> Value {
        let mut record = Record::default();
        // What JavaScript itself calls, who knows when: getters, and the methods it asks for.
        let mut implicit = Vec::new();
        for property in properties {
            match property {
                Property::Value { key, value } => {
                    let (key, _) = self.key(key);
                    let source = value.span;
                    let value = self.expression(value);
                    if key
                        .as_ref()
                        .is_some_and(|key| matches!(&**key, "toString" | "valueOf" | "toJSON" | "then"))
                    {
                        implicit.push(value.clone());
                    }
                    self.set_member(&mut record, key, Slot { value, source });
                }
                Property::Accessor { key, function } => {
                    let (key, _) = self.key(key);
                    implicit.push(self.close_over(function));
                    record.accessors = true;
                    let slot = Slot { value: Value::unknown(), source: function.span };
                    self.set_member(&mut record, key, slot);
                }
                Property::Prototype(prototype) => self.prototype(&mut record, prototype),
                Property::Spread(spread) => {
                    let source = spread.span;
                    let value = self.expression(spread);
                    self.spread_into(&mut record, &value, source);
                }
            }
        }
        let object = self.make(Made::Record, span.start, Object::Record(record));
        for method in implicit {
            if matches!(method, Value::Function(_)) {
                self.run_method(&method, &object);
            } else {
                self.escape(&method);
            }
        }
        object
    }

    /// `__proto__: value`: no member, but members that the object lacks may be found there.
    fn prototype(&mut self, record: &mut Record, expr: &Expr) {
        let prototype = self.expression(expr);
        record.taint.add(&self.taint(&prototype));
        if matches!(prototype, Value::Undefined | Value::Bool(_) | Value::Number(_) | Value::Text(_)) {
            return;
        }
        record.prototype = true;
        let inherited = self.whole_record(&prototype).cloned();
        let plain = |inherited: &Record| !inherited.prototype && inherited.get("toJSON").is_none();
        record.inherits_json |= !matches!(prototype, Value::Null) && !inherited.as_ref().is_some_and(plain);
        match inherited {
            // A literal in this place can be reached through the object only, where nothing of it is told.
            Some(inherited) if matches!(expr.kind, ExprKind::Object(_)) => {
                for (_, slot) in &inherited.members {
                    self.escape(&slot.value);
                }
            }
            _ => self.escape(&prototype),
        }
    }

    fn set_member(&mut self, record: &mut Record, key: Option<Rc<str>>, slot: Slot) {
        match key {
            Some(key) => record.set(key, slot),
            None => {
                // A key that is not told may be any of the members so far.
                let taint = self.taint(&slot.value);
                self.escape(&slot.value);
                self.overwrite(record, &taint, slot.source);
            }
        }
    }

    /// Any member so far may have been overwritten by something unknown.
    fn overwrite(&mut self, record: &mut Record, taint: &Taint, source: Span) {
        for (_, slot) in &mut record.members {
            self.escape(&slot.value);
            let old = if let Value::Unknown(old) = &slot.value { old.clone() } else { Taint::none() };
            slot.value = Value::Unknown(old.with(taint));
        }
        record.taint.add(taint);
        record.spreads.push(source);
    }

    fn spread_into(&mut self, record: &mut Record, value: &Value, source: Span) {
        if matches!(value, Value::Undefined | Value::Null | Value::Bool(_) | Value::Number(_)) {
            return;
        }
        if let Value::Object(id) = value
            && self.runs_code(*id)
        {
            self.may_throw();
        }
        match self.members(value) {
            Some(members) => {
                self.charge_elements(members.len());
                for (key, slot) in members {
                    record.set(key, slot);
                }
            }
            None => {
                let taint = self.taint(value);
                self.overwrite(record, &taint, source);
            }
        }
    }

    fn class(&mut self, class: &Class) -> Value {
        if let Some(heritage) = &class.heritage {
            let heritage = self.expression(heritage);
            self.escape(&heritage);
        }
        for part in &class.eager {
            self.expression(part);
        }
        for method in &class.methods {
            let method = self.close_over(method);
            self.escape(&method);
        }
        Value::unknown()
    }

    pub(super) fn class_declaration(&mut self, name: &Rc<str>, class: &Class) {
        let value = self.class(class);
        self.initialise(name, value);
    }

    fn template(&mut self, pieces: &[Piece]) -> Value {
        if let [Piece::Text(text), Piece::Hole(hole), Piece::Text(end)] = pieces
            && text.text.is_empty()
            && end.text.is_empty()
        {
            // A call's output is a string already: the template changes nothing.
            let value = self.expression(hole);
            if matches!(value, Value::Output(_) | Value::Printed(_)) {
                return value;
            }
            let mut text = PartialText::default();
            text.push_hole(&value, self.slice(hole.span));
            return text.finish(self);
        }
        let mut text = PartialText::default();
        for piece in pieces {
            match piece {
                Piece::Text(piece) => text.push_text(piece),
                Piece::Hole(hole) => {
                    let value = self.expression(hole);
                    if value.to_text().is_none() && !matches!(value, Value::Partial(_)) {
                        self.may_throw();
                    }
                    text.push_hole(&value, self.slice(hole.span));
                }
            }
        }
        text.finish(self)
    }

    /// `+`, chains of it in one go: a patch may be put together from a thousand lines.
    fn add(&mut self, expr: &Expr) -> Value {
        let mut operands = Vec::new();
        let mut first = expr;
        while let ExprKind::Add(left, right) = &first.kind {
            operands.push(&**right);
            first = left;
        }
        let mut sum = self.expression(first);
        let mut text: Option<PartialText> = None;
        for operand in operands.into_iter().rev() {
            let value = self.expression(operand);
            match &mut text {
                Some(text) => text.push_operand(&value),
                None => match (&sum, &value) {
                    (Value::Number(left), Value::Number(right)) => sum = Value::Number(left + right),
                    _ if is_string(&sum) || is_string(&value) => {
                        let mut begun = PartialText::default();
                        begun.push_operand(&sum);
                        begun.push_operand(&value);
                        text = Some(begun);
                    }
                    _ => sum = Value::unknown(),
                },
            }
        }
        match text {
            Some(text) => text.finish(self),
            None => sum,
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Value {
        let value = self.expression(operand);
        match (op, &value) {
            (UnaryOp::Void, _) => Value::Undefined,
            (UnaryOp::Not, value) => value.truth().map_or_else(Value::unknown, |truth| Value::Bool(!truth)),
            (UnaryOp::Minus, Value::Number(number)) => Value::Number(-number),
            (UnaryOp::Plus, Value::Number(number)) => Value::Number(*number),
            (UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Other, _) => Value::unknown(),
        }
    }

    fn assign(&mut self, target: &Pattern, value: &Expr, op: AssignOp) -> Value {
        match op {
            AssignOp::Plain => {
                let value = self.expression(value);
                self.bind(target, value.clone(), Binding::Assign);
                value
            }
            AssignOp::Compute => {
                self.expression(value);
                self.bind(target, Value::unknown(), Binding::Assign);
                Value::unknown()
            }
            AssignOp::Logical => {
                let value = self.apart(&[RegionKind::Maybe], |evaluator| {
                    let value = evaluator.expression(value);
                    evaluator.bind(target, value.clone(), Binding::Assign);
                    value
                });
                Value::Unknown(self.taint(&value))
            }
        }
    }

    fn logical(&mut self, op: LogicalOp, left: &Expr, right: &Expr) -> Value {
        let value = self.expression(left);
        let goes_on = match op {
            LogicalOp::And => value.truth(),
            LogicalOp::Or => value.truth().map(|truth| !truth),
            LogicalOp::Coalesce => value.is_nullish(),
        };
        match goes_on {
            Some(true) => self.expression(right),
            Some(false) => value,
            None => {
                let given = self.region;
                let (region, other) = self.branch(right);
                self.one_of(vec![(given, value), (region, other)])
            }
        }
    }

    fn conditional(&mut self, test: &Expr, then: &Expr, otherwise: &Expr) -> Value {
        match self.expression(test).truth() {
            Some(true) => self.expression(then),
            Some(false) => self.expression(otherwise),
            None => {
                let first = self.branch(then);
                let second = self.branch(otherwise);
                self.one_of(vec![first, second])
            }
        }
    }

    /// An expression that may not be evaluated, and the region that decides it.
    fn branch(&mut self, expr: &Expr) -> (RegionId, Value) {
        self.apart(&[RegionKind::Maybe], |evaluator| {
            let region = evaluator.region;
            (region, evaluator.expression(expr))
        })
    }

    fn tagged(&mut self, tag: &Expr, raws: &[Text], holes: &[Expr], span: Span) -> Value {
        let callee = self.expression(tag);
        let mut args = super::call::Args::default();
        args.add(Value::unknown(), Span::default());
        let mut values = Vec::with_capacity(holes.len());
        for hole in holes {
            let value = self.expression(hole);
            values.push(value.clone());
            args.add(value, hole.span);
        }
        if matches!(&callee, Value::Global(path) if &**path == "String.raw") {
            let mut text = PartialText::default();
            let mut values = values.iter().zip(holes);
            for raw in raws {
                text.push_text(raw);
                if let Some((value, hole)) = values.next() {
                    text.push_hole(value, self.slice(hole.span));
                }
            }
            return text.finish(self);
        }
        self.call_value(&callee, &Value::Undefined, args, super::call::Site { span, callee: tag.span })
    }
}

/// Whether a value is a string, told or not.
fn is_string(value: &Value) -> bool {
    matches!(value, Value::Text(_) | Value::Partial(_) | Value::Output(_) | Value::Printed(_))
}

/// A string being put together, parts of which may not be told.
#[derive(Default)]
struct PartialText {
    text: String,
    /// A part is not told.
    partial: bool,
    /// A part is told.
    told: bool,
    /// A part has lone surrogates, which may pair up with their neighbours.
    lossy: bool,
}

impl PartialText {
    fn push_text(&mut self, text: &Text) {
        self.told |= !text.text.is_empty();
        self.lossy |= text.lossy;
        self.text.push_str(&text.text);
    }

    fn push_hole(&mut self, value: &Value, source: &str) {
        self.push(value, |text| {
            text.push_str("${");
            text.push_str(source);
            text.push('}');
        });
    }

    fn push_operand(&mut self, value: &Value) {
        self.push(value, |text| text.push('…'));
    }

    fn push(&mut self, value: &Value, placeholder: impl FnOnce(&mut String)) {
        if let Value::Text(text) = value {
            self.push_text(text);
        } else if let Value::Partial(partial) = value {
            self.partial = true;
            self.told = true;
            self.text.push_str(partial);
        } else if let Some(text) = value.to_text() {
            self.told |= !text.is_empty();
            self.text.push_str(&text);
        } else {
            self.partial = true;
            placeholder(&mut self.text);
        }
    }

    fn finish(self, evaluator: &mut Evaluator<'_>) -> Value {
        if self.lossy || (self.partial && !self.told) {
            return Value::unknown();
        }
        if self.partial {
            evaluator.charge(self.text.len());
            return Value::Partial(self.text.into());
        }
        evaluator.computed_text(&self.text)
    }
}
