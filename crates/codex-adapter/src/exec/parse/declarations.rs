//! Scopes while lowering: which names a block or function declares, and the module as a whole.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use boa_ast::declaration::{
    Declaration, ExportDeclaration, ImportDeclaration, ImportKind, LexicalDeclaration, Variable,
};
use boa_ast::expression::Identifier;
use boa_ast::{Module, ModuleItem, StatementListItem};
use boa_interner::{Interner, Sym};

use super::positions::Positions;
use crate::exec::ast::{Block, Declared, Function, Name, Pattern, Program, Stmt, Text};
use crate::exec::resolve;

/// The names that `var` declares in the function being lowered.
#[derive(Default)]
pub(super) struct VarScope {
    names: Vec<Rc<Declared>>,
    /// How many statements are open around the current one.
    pub(super) nesting: usize,
}

/// Turns the parser's tree into ours.
pub(super) struct Lowering<'a> {
    interner: &'a Interner,
    pub(super) positions: Positions<'a>,
    names: HashMap<Sym, Name>,
    next_id: usize,
    vars: Vec<VarScope>,
    lexical: Vec<Vec<Rc<Declared>>>,
    /// Whether each function being lowered names `arguments`, innermost last.
    pub(super) reads_arguments: Vec<bool>,
    pub(super) dynamic_code: bool,
    /// `exit` is named somewhere.
    pub(super) exits: bool,
    /// Uses of a `.constructor`.
    pub(super) constructors: usize,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(interner: &'a Interner, source: &'a str, code_start: usize) -> Self {
        Self {
            interner,
            positions: Positions::new(source, code_start),
            names: HashMap::new(),
            next_id: 0,
            vars: Vec::new(),
            lexical: Vec::new(),
            reads_arguments: Vec::new(),
            dynamic_code: false,
            exits: false,
            constructors: 0,
        }
    }

    pub(super) fn program(mut self, module: &Module) -> Program {
        let mut imports = false;
        let body = self.function_scope(|lowering| {
            let mut body = Vec::new();
            for item in module.items().items() {
                match item {
                    ModuleItem::ImportDeclaration(import) => {
                        imports = true;
                        lowering.import(import);
                    }
                    ModuleItem::ExportDeclaration(export) => {
                        imports |= matches!(**export, ExportDeclaration::ReExport { .. });
                        lowering.export(export, &mut body);
                    }
                    ModuleItem::StatementListItem(item) => lowering.list_item(item, &mut body),
                }
            }
            body
        });
        let mut program = Program {
            body,
            imports,
            dynamic_code: self.dynamic_code || self.constructors > 0,
            exits: self.exits,
            assigned_globals: HashSet::new(),
        };
        program.assigned_globals = resolve::resolve(&program.body);
        program
    }

    /// Lowers a function's or the module's statements in a scope of their own, `var` names included.
    pub(super) fn function_scope(&mut self, lower: impl FnOnce(&mut Self) -> Vec<Stmt>) -> Block {
        self.vars.push(VarScope::default());
        self.lexical.push(Vec::new());
        let body = lower(self);
        let mut declared = self.lexical.pop().unwrap_or_default();
        let vars = self.vars.pop().unwrap_or_default();
        for var in vars.names {
            if let Some(twin) = declared.iter().find(|other| other.name == var.name) {
                twin.reassigned.set(true);
            } else {
                declared.push(var);
            }
        }
        Block { declared, body }
    }

    /// Lowers what is inside a block, in a lexical scope of its own.
    pub(super) fn block_scope<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<Rc<Declared>>, T) {
        self.lexical.push(Vec::new());
        if let Some(vars) = self.vars.last_mut() {
            vars.nesting += 1;
        }
        let lowered = lower(self);
        if let Some(vars) = self.vars.last_mut() {
            vars.nesting -= 1;
        }
        (self.lexical.pop().unwrap_or_default(), lowered)
    }

    pub(super) fn fresh_id(&mut self) -> usize {
        self.next_id += 1;
        self.next_id
    }

    pub(super) fn declared(&mut self, name: Name, function: Option<Rc<Function>>) -> Rc<Declared> {
        Rc::new(Declared { name, id: self.fresh_id(), function, reassigned: Cell::new(false) })
    }

    /// Declares a name in the innermost block.
    pub(super) fn declare(&mut self, name: Name, function: Option<Rc<Function>>) {
        let declared = self.declared(name, function);
        let Some(scope) = self.lexical.last_mut() else { return };
        for twin in scope.iter().filter(|other| other.name == declared.name) {
            twin.reassigned.set(true);
            declared.reassigned.set(true);
        }
        scope.push(declared);
    }

    /// Declares the names of a `var` pattern in the enclosing function. Only a single declaration at the function's
    /// own level tells the value.
    pub(super) fn declare_vars(&mut self, pattern: &Pattern, in_loop: bool) {
        for name in bound_names(pattern) {
            let declared = self.declared(name, None);
            let Some(scope) = self.vars.last_mut() else { return };
            let known = scope.names.iter().find(|other| other.name == declared.name).cloned();
            let open = in_loop || scope.nesting > 0 || known.is_some();
            let declared = known.unwrap_or_else(|| {
                scope.names.push(Rc::clone(&declared));
                declared
            });
            if open {
                declared.reassigned.set(true);
            }
        }
    }

    pub(super) fn list_item(&mut self, item: &StatementListItem, body: &mut Vec<Stmt>) {
        match item {
            StatementListItem::Statement(statement) => self.statement_into(statement, body),
            StatementListItem::Declaration(declaration) => self.declaration(declaration, body),
        }
    }

    fn declaration(&mut self, declaration: &Declaration, body: &mut Vec<Stmt>) {
        match declaration {
            Declaration::FunctionDeclaration(f) => {
                let function = self.function(f.parameters(), f.body(), super::functions::PLAIN, None);
                self.hoist(f.name(), function);
            }
            Declaration::GeneratorDeclaration(f) => {
                let function = self.function(f.parameters(), f.body(), super::functions::GENERATOR, None);
                self.hoist(f.name(), function);
            }
            Declaration::AsyncFunctionDeclaration(f) => {
                let function = self.function(f.parameters(), f.body(), super::functions::ASYNC, None);
                self.hoist(f.name(), function);
            }
            Declaration::AsyncGeneratorDeclaration(f) => {
                let function = self.function(f.parameters(), f.body(), super::functions::GENERATOR, None);
                self.hoist(f.name(), function);
            }
            Declaration::ClassDeclaration(class) => {
                let name = self.identifier(class.name());
                self.declare(Rc::clone(&name), None);
                let class = self.class(class.super_ref(), class.constructor(), class.elements());
                body.push(Stmt::Class { name, class });
            }
            Declaration::Lexical(lexical) => self.lexical_declaration(lexical, body),
        }
    }

    pub(super) fn hoist(&mut self, name: Identifier, function: Rc<Function>) {
        let name = self.identifier(name);
        self.declare(name, Some(function));
    }

    pub(super) fn lexical_declaration(&mut self, lexical: &LexicalDeclaration, body: &mut Vec<Stmt>) {
        for variable in lexical.variable_list().as_ref() {
            let pattern = self.binding(variable.binding());
            for name in bound_names(&pattern) {
                self.declare(name, None);
            }
            let init = variable.init().map(|init| self.expression(init));
            body.push(Stmt::Declare { pattern, init, lexical: true });
        }
    }

    pub(super) fn var_declaration(&mut self, variables: &[Variable], body: &mut Vec<Stmt>) {
        for variable in variables {
            let pattern = self.binding(variable.binding());
            self.declare_vars(&pattern, false);
            let init = variable.init().map(|init| self.expression(init));
            body.push(Stmt::Declare { pattern, init, lexical: false });
        }
    }

    fn import(&mut self, import: &ImportDeclaration) {
        let mut names: Vec<Identifier> = import.default().into_iter().collect();
        match import.kind() {
            ImportKind::DefaultOrUnnamed => {}
            ImportKind::Namespaced { binding } => names.push(*binding),
            ImportKind::Named { names: members } => {
                names.extend(members.iter().map(|member| member.binding()));
            }
        }
        for name in names {
            let name = self.identifier(name);
            self.declare(name, None);
        }
    }

    fn export(&mut self, export: &ExportDeclaration, body: &mut Vec<Stmt>) {
        match export {
            ExportDeclaration::ReExport { .. } | ExportDeclaration::List(_) => {}
            ExportDeclaration::VarStatement(var) => self.var_declaration(var.0.as_ref(), body),
            ExportDeclaration::Declaration(declaration) => self.declaration(declaration, body),
            ExportDeclaration::DefaultFunctionDeclaration(f) => {
                let declaration = Declaration::FunctionDeclaration(f.clone());
                self.declaration(&declaration, body);
            }
            ExportDeclaration::DefaultGeneratorDeclaration(f) => {
                let declaration = Declaration::GeneratorDeclaration(f.clone());
                self.declaration(&declaration, body);
            }
            ExportDeclaration::DefaultAsyncFunctionDeclaration(f) => {
                let declaration = Declaration::AsyncFunctionDeclaration(f.clone());
                self.declaration(&declaration, body);
            }
            ExportDeclaration::DefaultAsyncGeneratorDeclaration(f) => {
                let declaration = Declaration::AsyncGeneratorDeclaration(f.clone());
                self.declaration(&declaration, body);
            }
            ExportDeclaration::DefaultClassDeclaration(class) => {
                let declaration = Declaration::ClassDeclaration(class.clone());
                self.declaration(&declaration, body);
            }
            ExportDeclaration::DefaultAssignmentExpression(expression) => {
                let expression = self.expression(expression);
                body.push(Stmt::Expr(expression));
            }
        }
    }

    pub(super) fn identifier(&mut self, identifier: Identifier) -> Name {
        self.symbol(identifier.sym())
    }

    pub(super) fn symbol(&mut self, symbol: Sym) -> Name {
        if let Some(name) = self.names.get(&symbol) {
            return Rc::clone(name);
        }
        let name = self.text(symbol).text;
        self.names.insert(symbol, Rc::clone(&name));
        name
    }

    /// A string of the script. The interner keeps UTF-8 for what is valid Unicode.
    pub(super) fn text(&self, symbol: Sym) -> Text {
        match self.interner.resolve(symbol) {
            Some(string) => match string.utf8() {
                Some(text) => Text { text: text.into(), lossy: false },
                None => Text { text: String::from_utf16_lossy(string.utf16()).into(), lossy: true },
            },
            None => Text { text: "".into(), lossy: true },
        }
    }
}

/// The names a pattern binds, in order.
pub(super) fn bound_names(pattern: &Pattern) -> Vec<Name> {
    let mut names = Vec::new();
    let mut open = vec![pattern];
    while let Some(pattern) = open.pop() {
        match pattern {
            Pattern::Name(name) => names.push(Rc::clone(name)),
            Pattern::Member(_) => {}
            Pattern::Array { items, rest } => {
                open.extend(rest.iter().map(|rest| &**rest));
                open.extend(items.iter().rev().flatten().map(|item| &item.pattern));
            }
            Pattern::Object { items, rest } => {
                open.extend(rest.iter().map(|rest| &**rest));
                open.extend(items.iter().rev().map(|(_, item)| &item.pattern));
            }
        }
    }
    names
}
