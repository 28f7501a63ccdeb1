//! Statements.

use std::rc::Rc;

use super::Evaluator;
use super::control::{Completion, ControlKind};
use super::pattern::Binding;
use crate::exec::ast::{Block, Declared, Expr, Pattern, Stmt, Target};
use crate::exec::flow::RegionKind;
use crate::exec::value::Value;

impl Evaluator<'_> {
    /// Walks a statement list. What follows a `return` or `throw` is walked too, as code that may not run; what
    /// follows a `break` or `continue` does not run.
    pub(super) fn statements(&mut self, body: &[Stmt]) -> Completion {
        let mut left = Completion::Normal;
        for statement in body {
            let completion = self.statement(statement);
            if left != Completion::Normal {
                continue;
            }
            match completion {
                Completion::Normal => {}
                Completion::Left => left = completion,
                Completion::Break(_) | Completion::Continue(_) => return completion,
            }
        }
        left
    }

    fn block(&mut self, block: &Block) -> Completion {
        self.in_scope(&block.declared, |evaluator| evaluator.statements(&block.body))
    }

    fn statement(&mut self, statement: &Stmt) -> Completion {
        if !self.step() {
            return Completion::Normal;
        }
        let labels = std::mem::take(&mut self.labels);
        match statement {
            Stmt::Expr(expr) => {
                self.expression(expr);
            }
            Stmt::Declare { pattern, init, lexical } => match init {
                Some(init) => {
                    let value = self.expression(init);
                    self.bind(pattern, value, Binding::Declare);
                }
                None if *lexical => self.bind(pattern, Value::Undefined, Binding::Declare),
                None => {}
            },
            Stmt::Class { name, class } => self.class_declaration(name, class),
            Stmt::Block(block) => {
                if let [Stmt::ForOf { .. } | Stmt::Loop { .. } | Stmt::Labelled(..)] = block.body.as_slice() {
                    self.labels = labels;
                }
                return self.block(block);
            }
            Stmt::If { test, then, otherwise } => return self.branches(test, then, otherwise.as_deref()),
            Stmt::Loop { names, init, subject, target, test, body, update } => {
                if let Some(subject) = subject {
                    self.expression(subject);
                    self.may_throw();
                }
                self.in_scope(names, |evaluator| {
                    evaluator.statements(init);
                    evaluator.repeat(labels, |evaluator| {
                        if let Some(target) = target {
                            evaluator.bind_target(target, Value::unknown());
                        }
                        if let Some(test) = test {
                            evaluator.expression(test);
                        }
                        evaluator.statement(body);
                        if let Some(update) = update {
                            evaluator.expression(update);
                        }
                    });
                });
            }
            Stmt::ForOf { names, target, subject, awaits, body } => {
                return self.for_of(names, target, subject, *awaits, body, labels);
            }
            Stmt::Switch { subject, declared, cases } => return self.switch(subject, declared, cases),
            Stmt::Try { block, handler, finalizer, finalizer_jumps } => {
                let handler = handler.as_ref();
                return self.attempt(block, handler, finalizer.as_ref(), *finalizer_jumps);
            }
            Stmt::Return(value) => {
                let value = value.as_ref().map_or(Value::Undefined, |value| self.expression(value));
                let region = self.region;
                if let Some(returns) = self.returns.last_mut() {
                    returns.push((region, value));
                }
                self.leave_function();
                return Completion::Left;
            }
            Stmt::Throw(value) => {
                let value = self.expression(value);
                self.escape(&value);
                self.throw();
                return Completion::Left;
            }
            Stmt::Break(label) => {
                self.break_to(label.as_ref());
                return Completion::Break(label.clone());
            }
            Stmt::Continue(label) => {
                self.continue_to(label.as_ref());
                return Completion::Continue(label.clone());
            }
            Stmt::Labelled(label, body) => {
                let mut labels = labels;
                labels.push(Rc::clone(label));
                let completion = self.within(ControlKind::Label(Rc::clone(label)), |evaluator| {
                    evaluator.labels = labels;
                    evaluator.statement(body)
                });
                let here = completion == Completion::Break(Some(Rc::clone(label)));
                return if here { Completion::Normal } else { completion };
            }
        }
        Completion::Normal
    }

    fn branches(&mut self, test: &Expr, then: &Stmt, otherwise: Option<&Stmt>) -> Completion {
        match self.expression(test).truth() {
            Some(true) => self.statement(then),
            Some(false) => otherwise.map_or(Completion::Normal, |otherwise| self.statement(otherwise)),
            None => {
                let first = self.apart(&[RegionKind::Maybe], |evaluator| evaluator.statement(then));
                let second = otherwise.map(|otherwise| {
                    self.apart(&[RegionKind::Maybe], |evaluator| evaluator.statement(otherwise))
                });
                // Only if both leave, and in the same way, is it told that the code behind does not go on.
                if second.as_ref() == Some(&first) { first } else { Completion::Normal }
            }
        }
    }

    /// A loop whose rounds are not counted: its body is walked once, for all of them.
    fn repeat(&mut self, labels: Vec<Rc<str>>, round: impl FnOnce(&mut Self)) {
        self.within(ControlKind::Loop(labels.clone()), |evaluator| {
            evaluator.apart(&[RegionKind::Loop], |evaluator| {
                evaluator.within(ControlKind::Round(labels), round);
            });
        });
    }

    fn bind_target(&mut self, target: &Target, value: Value) {
        let binding = if target.declares { Binding::Declare } else { Binding::Assign };
        self.bind(&target.pattern, value, binding);
    }

    fn for_of(
        &mut self,
        names: &[Rc<Declared>],
        target: &Target,
        subject: &Expr,
        awaits: bool,
        body: &Stmt,
        labels: Vec<Rc<str>>,
    ) -> Completion {
        let subject = self.expression(subject);
        let Some(elements) = self.elements(&subject) else {
            self.may_throw();
            let value = Value::Unknown(self.taint(&subject));
            self.repeat(labels, |evaluator| {
                let value = if awaits { evaluator.awaited(&value) } else { value };
                evaluator.in_scope(names, |evaluator| {
                    evaluator.bind_target(target, value);
                    evaluator.statement(body);
                });
            });
            return Completion::Normal;
        };
        let own = labels.clone();
        let completion = self.within(ControlKind::Loop(labels), |evaluator| {
            for slot in elements {
                if evaluator.exceeded.is_some() {
                    break;
                }
                let completion = evaluator.within(ControlKind::Round(own.clone()), |evaluator| {
                    let value = if awaits { evaluator.awaited(&slot.value) } else { slot.value };
                    evaluator.in_scope(names, |evaluator| {
                        evaluator.bind_target(target, value);
                        evaluator.statement(body)
                    })
                });
                match completion {
                    Completion::Normal | Completion::Continue(None) => {}
                    Completion::Continue(Some(label)) if own.contains(&label) => {}
                    completion @ (Completion::Break(_) | Completion::Continue(_) | Completion::Left) => {
                        return completion;
                    }
                }
            }
            Completion::Normal
        });
        let here = matches!(&completion, Completion::Break(label)
            if label.as_ref().is_none_or(|label| own.contains(label)));
        if here { Completion::Normal } else { completion }
    }

    fn switch(
        &mut self,
        subject: &Expr,
        declared: &[Rc<Declared>],
        cases: &[(Option<Expr>, Vec<Stmt>)],
    ) -> Completion {
        let subject = self.expression(subject);
        let completion = self.within(ControlKind::Switch, |evaluator| {
            evaluator.in_scope(declared, |evaluator| match Self::chosen_case(&subject, cases) {
                Some(chosen) => {
                    for (_, body) in cases.iter().skip(chosen) {
                        let completion = evaluator.statements(body);
                        if completion != Completion::Normal {
                            return completion;
                        }
                    }
                    Completion::Normal
                }
                None => {
                    for (test, body) in cases {
                        evaluator.apart(&[RegionKind::Maybe], |evaluator| {
                            if let Some(test) = test {
                                evaluator.expression(test);
                            }
                            evaluator.statements(body);
                        });
                    }
                    Completion::Normal
                }
            })
        });
        if completion == Completion::Break(None) { Completion::Normal } else { completion }
    }

    /// The case a `switch` goes to, if its subject and all its tests are literals; past the end if it goes to none.
    fn chosen_case(subject: &Value, cases: &[(Option<Expr>, Vec<Stmt>)]) -> Option<usize> {
        let mut default = cases.len();
        let mut chosen = None;
        for (index, (test, _)) in cases.iter().enumerate() {
            let Some(test) = test else {
                default = index;
                continue;
            };
            let equal = literal(test)?.equals(subject)?;
            if equal && chosen.is_none() {
                chosen = Some(index);
            }
        }
        subject.equals(subject)?;
        Some(chosen.unwrap_or(default))
    }

    #[expect(clippy::type_complexity, reason = "a catch arm as the tree has it")]
    fn attempt(
        &mut self,
        block: &Block,
        handler: Option<&(Vec<Rc<Declared>>, Option<Pattern>, Block)>,
        finalizer: Option<&Block>,
        finalizer_jumps: bool,
    ) -> Completion {
        let mark = self.mark();
        let first_print = self.prints.len();
        // An `exit()` in a finalizer ends the script well, whatever led there.
        let hides_errors =
            handler.is_some() || finalizer_jumps || (finalizer.is_some() && self.program.exits);
        let mut completion = if hides_errors {
            self.within(ControlKind::Try, |evaluator| evaluator.block(block))
        } else {
            self.apart(&[], |evaluator| evaluator.block(block))
        };
        if let Some((names, pattern, body)) = handler {
            let caught = self.apart(&[RegionKind::Maybe], |evaluator| {
                evaluator.in_scope(names, |evaluator| {
                    if let Some(pattern) = pattern {
                        evaluator.bind(pattern, Value::unknown(), Binding::Declare);
                    }
                    evaluator.block(body)
                })
            });
            if caught != completion {
                completion = Completion::Normal;
            }
        }
        if let Some(finalizer) = finalizer {
            self.restore_for_finally(mark);
            let own_print = self.prints.len();
            let last = self.block(finalizer);
            self.displace(first_print, own_print, |_| true);
            self.restore(mark);
            if last != Completion::Normal {
                completion = last;
            }
        }
        completion
    }
}

fn literal(expr: &Expr) -> Option<Value> {
    use crate::exec::ast::ExprKind;
    if let ExprKind::Bool(value) = &expr.kind {
        return Some(Value::Bool(*value));
    }
    if let ExprKind::Number(number) = &expr.kind {
        return Some(Value::Number(*number));
    }
    if let ExprKind::Text(text) = &expr.kind {
        return Some(Value::Text(text.clone()));
    }
    matches!(expr.kind, ExprKind::Null).then_some(Value::Null)
}
