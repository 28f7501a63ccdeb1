//! Lowering of statements.

use boa_ast::Statement;
use boa_ast::StatementList;
use boa_ast::declaration::Binding;
use boa_ast::statement::iteration::{ForLoopInitializer, IterableLoopInitializer};
use boa_ast::statement::{Block as BoaBlock, LabelledItem, Switch, Try};

use super::declarations::{Lowering, bound_names};
use super::functions::PLAIN;
use crate::exec::ast::{Block, Expr, ExprKind, Pattern, Span, Stmt, Target};

impl Lowering<'_> {
    pub(super) fn statement_into(&mut self, statement: &Statement, body: &mut Vec<Stmt>) {
        match statement {
            Statement::Empty | Statement::Debugger => {}
            Statement::Var(var) => self.var_declaration(var.0.as_ref(), body),
            Statement::Block(_)
            | Statement::Expression(_)
            | Statement::If(_)
            | Statement::DoWhileLoop(_)
            | Statement::WhileLoop(_)
            | Statement::ForLoop(_)
            | Statement::ForInLoop(_)
            | Statement::ForOfLoop(_)
            | Statement::Switch(_)
            | Statement::Continue(_)
            | Statement::Break(_)
            | Statement::Return(_)
            | Statement::Labelled(_)
            | Statement::Throw(_)
            | Statement::Try(_)
            | Statement::With(_) => {
                let statement = self.statement(statement);
                body.push(statement);
            }
        }
    }

    /// A statement inside another one.
    fn nested(&mut self, statement: &Statement) -> Box<Stmt> {
        let (declared, body) = self.block_scope(|lowering| {
            let mut body = Vec::new();
            lowering.statement_into(statement, &mut body);
            body
        });
        Box::new(Stmt::Block(Block { declared, body }))
    }

    fn list(&mut self, list: &StatementList) -> Block {
        let (declared, body) = self.block_scope(|lowering| {
            let mut body = Vec::new();
            for item in list.statements() {
                lowering.list_item(item, &mut body);
            }
            body
        });
        Block { declared, body }
    }

    fn block(&mut self, block: &BoaBlock) -> Block {
        self.list(block.statement_list())
    }

    fn statement(&mut self, statement: &Statement) -> Stmt {
        match statement {
            Statement::Empty | Statement::Debugger => Stmt::Block(Block::default()),
            Statement::Var(var) => {
                let mut body = Vec::new();
                self.var_declaration(var.0.as_ref(), &mut body);
                Stmt::Block(Block { declared: Vec::new(), body })
            }
            Statement::Block(block) => Stmt::Block(self.block(block)),
            Statement::Expression(expression) => Stmt::Expr(self.expression(expression)),
            Statement::If(branch) => {
                let test = self.expression(branch.cond());
                let then = self.nested(branch.body());
                let otherwise = branch.else_node().map(|otherwise| self.nested(otherwise));
                Stmt::If { test, then, otherwise }
            }
            Statement::DoWhileLoop(repeat) => {
                let body = self.nested(repeat.body());
                let test = self.expression(repeat.cond());
                simple_loop(test, body)
            }
            Statement::WhileLoop(repeat) => {
                let test = self.expression(repeat.condition());
                let body = self.nested(repeat.body());
                simple_loop(test, body)
            }
            Statement::ForLoop(repeat) => {
                let (names, (init, test, update, body)) = self.block_scope(|lowering| {
                    let mut init = Vec::new();
                    match repeat.init() {
                        None => {}
                        Some(ForLoopInitializer::Expression(expression)) => {
                            init.push(Stmt::Expr(lowering.expression(expression)));
                        }
                        Some(ForLoopInitializer::Var(var)) => {
                            lowering.var_declaration(var.0.as_ref(), &mut init);
                        }
                        Some(ForLoopInitializer::Lexical(lexical)) => {
                            lowering.lexical_declaration(lexical.declaration(), &mut init);
                        }
                    }
                    let test = repeat.condition().map(|test| lowering.expression(test));
                    let update = repeat.final_expr().map(|update| lowering.expression(update));
                    (init, test, update, lowering.nested(repeat.body()))
                });
                Stmt::Loop { names, init, subject: None, target: None, test, body, update }
            }
            Statement::ForInLoop(repeat) => {
                let subject = self.expression(repeat.target());
                let (names, (target, body)) = self.block_scope(|lowering| {
                    let target = lowering.loop_target(repeat.initializer());
                    (target, lowering.nested(repeat.body()))
                });
                Stmt::Loop {
                    names,
                    init: Vec::new(),
                    subject: Some(subject),
                    target: Some(target),
                    test: None,
                    body,
                    update: None,
                }
            }
            Statement::ForOfLoop(repeat) => {
                let subject = self.expression(repeat.iterable());
                let (names, (target, body)) = self.block_scope(|lowering| {
                    let target = lowering.loop_target(repeat.initializer());
                    (target, lowering.nested(repeat.body()))
                });
                Stmt::ForOf { names, target, subject, awaits: repeat.r#await(), body }
            }
            Statement::Switch(switch) => self.switch(switch),
            Statement::Continue(jump) => Stmt::Continue(jump.label().map(|label| self.symbol(label))),
            Statement::Break(jump) => Stmt::Break(jump.label().map(|label| self.symbol(label))),
            Statement::Return(jump) => Stmt::Return(jump.target().map(|value| self.expression(value))),
            Statement::Throw(throw) => Stmt::Throw(self.expression(throw.target())),
            Statement::Labelled(labelled) => {
                let label = self.symbol(labelled.label());
                let body = match labelled.item() {
                    LabelledItem::Statement(statement) => self.nested(statement),
                    LabelledItem::FunctionDeclaration(f) => {
                        let function = self.function(f.parameters(), f.body(), PLAIN, None);
                        self.hoist(f.name(), function);
                        Box::new(Stmt::Block(Block::default()))
                    }
                };
                Stmt::Labelled(label, body)
            }
            Statement::Try(attempt) => self.attempt(attempt),
            Statement::With(with) => {
                // No module has one; its body would read names from an object.
                let object = self.expression(with.expression());
                let test = Expr { span: Span::default(), kind: ExprKind::Opaque(vec![object]) };
                Stmt::If { test, then: self.nested(with.statement()), otherwise: None }
            }
        }
    }

    fn loop_target(&mut self, initializer: &IterableLoopInitializer) -> Target {
        match initializer {
            IterableLoopInitializer::Identifier(identifier) => {
                Target { pattern: Pattern::Name(self.identifier(*identifier)), declares: false }
            }
            IterableLoopInitializer::Access(access) => {
                Target { pattern: self.access_pattern(access), declares: false }
            }
            IterableLoopInitializer::Pattern(pattern) => {
                Target { pattern: self.pattern(pattern), declares: false }
            }
            IterableLoopInitializer::Var(variable) => {
                let pattern = self.binding(variable.binding());
                self.declare_vars(&pattern, true);
                Target { pattern, declares: true }
            }
            IterableLoopInitializer::Let(binding) | IterableLoopInitializer::Const(binding) => {
                let pattern = self.loop_binding(binding);
                Target { pattern, declares: true }
            }
        }
    }

    fn loop_binding(&mut self, binding: &Binding) -> Pattern {
        let pattern = self.binding(binding);
        for name in bound_names(&pattern) {
            self.declare(name, None);
        }
        pattern
    }

    fn switch(&mut self, switch: &Switch) -> Stmt {
        let subject = self.expression(switch.val());
        let (declared, cases) = self.block_scope(|lowering| {
            let mut cases = Vec::new();
            for case in switch.cases() {
                let test = case.condition().map(|test| lowering.expression(test));
                let mut body = Vec::new();
                for item in case.body().statements() {
                    lowering.list_item(item, &mut body);
                }
                cases.push((test, body));
            }
            cases
        });
        Stmt::Switch { subject, declared, cases }
    }

    fn attempt(&mut self, attempt: &Try) -> Stmt {
        let block = self.block(attempt.block());
        let handler = attempt.catch().map(|catch| {
            let (names, (pattern, block)) = self.block_scope(|lowering| {
                let pattern = catch.parameter().map(|binding| lowering.loop_binding(binding));
                (pattern, lowering.block(catch.block()))
            });
            (names, pattern, block)
        });
        let finalizer = attempt.finally().map(|finally| self.block(finally.block()));
        let finalizer_jumps = finalizer.as_ref().is_some_and(|block| block.body.iter().any(jumps));
        Stmt::Try { block, handler, finalizer, finalizer_jumps }
    }
}

fn simple_loop(test: Expr, body: Box<Stmt>) -> Stmt {
    Stmt::Loop {
        names: Vec::new(),
        init: Vec::new(),
        subject: None,
        target: None,
        test: Some(test),
        body,
        update: None,
    }
}

/// Whether a statement can leave by a jump; jumps that stay inside it count too.
fn jumps(statement: &Stmt) -> bool {
    let any = |body: &[Stmt]| body.iter().any(jumps);
    match statement {
        Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_) => true,
        Stmt::Expr(_) | Stmt::Declare { .. } | Stmt::Class { .. } | Stmt::Throw(_) => false,
        Stmt::Block(block) => any(&block.body),
        Stmt::If { then, otherwise, .. } => {
            jumps(then) || otherwise.as_ref().is_some_and(|otherwise| jumps(otherwise))
        }
        Stmt::Loop { body, .. } | Stmt::ForOf { body, .. } | Stmt::Labelled(_, body) => jumps(body),
        Stmt::Switch { cases, .. } => cases.iter().any(|(_, body)| any(body)),
        Stmt::Try { block, handler, finalizer, .. } => {
            any(&block.body)
                || handler.as_ref().is_some_and(|(_, _, block)| any(&block.body))
                || finalizer.as_ref().is_some_and(|block| any(&block.body))
        }
    }
}
