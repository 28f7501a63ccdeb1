//! The tree the evaluator works on: a script reduced to what static reading needs.
//!
//! The bridge ([`super::parse`]) builds it from the parser's own tree, which stays private there. Spans are byte
//! ranges in the whole input, pragma line included. What has no static meaning is kept as [`ExprKind::Opaque`] with
//! its parts, so that no call inside it is lost.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

/// An identifier or a property name.
pub(super) type Name = Rc<str>;

/// A byte range in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A string of the script. JavaScript strings may hold lone surrogates, which Rust's cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: Rc<str>,
    /// Lone surrogates were replaced by U+FFFD: good for showing, not for computing.
    pub(super) lossy: bool,
}

/// A whole script.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) body: Block,
    /// It has static imports, which Codex refuses before anything runs.
    pub(super) imports: bool,
    /// It can run code that is not in the tree (`eval`, the `Function` constructor).
    pub(super) dynamic_code: bool,
    /// It names `exit` somewhere.
    pub(super) exits: bool,
    /// Free names that are assigned somewhere.
    pub(super) assigned_globals: HashSet<Name>,
}

/// A statement list with a scope of its own.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) declared: Vec<Rc<Declared>>,
    pub(super) body: Vec<Stmt>,
}

/// One declared name of a scope.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: Name,
    /// Unique within the program.
    pub(super) id: usize,
    /// The function a hoisted declaration binds.
    pub(super) function: Option<Rc<Function>>,
    /// Assigned somewhere else than where it is declared, or declared in a way that leaves its value open.
    pub(super) reassigned: Cell<bool>,
}

#[derive(Debug)]
pub(super) struct Function {
    /// Unique within the program.
    pub(super) id: usize,
    pub(super) span: Span,
    /// The name a function expression is known by inside itself.
    pub(super) own_name: Option<Rc<Declared>>,
    pub(super) params: Vec<Param>,
    pub(super) param_names: Vec<Rc<Declared>>,
    pub(super) body: Block,
    pub(super) kind: FunctionKind,
    pub(super) is_arrow: bool,
    /// It reads its `arguments`, by which it can reach, and change, whatever it is given.
    pub(super) reads_arguments: bool,
}

/// What a call of a function gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionKind {
    /// What it returns.
    Ordinary,
    /// A promise of that.
    Async,
    /// A generator, asynchronous or not.
    Generator,
}

#[derive(Debug)]
pub(super) struct Param {
    pub(super) pattern: Pattern,
    pub(super) default: Option<Expr>,
    pub(super) rest: bool,
}

#[derive(Debug)]
pub(super) struct Class {
    pub(super) heritage: Option<Expr>,
    /// Computed keys, static fields and static blocks: run when the class is evaluated, in order.
    pub(super) eager: Vec<Expr>,
    /// Constructor, methods and instance fields: run who knows when.
    pub(super) methods: Vec<Rc<Function>>,
}

#[derive(Debug)]
pub(super) enum Stmt {
    Expr(Expr),
    /// One declarator; `init` is absent for `let x;`, where a lexical name becomes `undefined` and a `var` stays.
    Declare {
        pattern: Pattern,
        init: Option<Expr>,
        lexical: bool,
    },
    Class {
        name: Name,
        class: Class,
    },
    Block(Block),
    If {
        test: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    /// `while`, `do`, `for(;;)` and `for…in`: loops whose count is not told.
    Loop {
        names: Vec<Rc<Declared>>,
        init: Vec<Stmt>,
        /// Evaluated once before the loop: what a `for…in` walks.
        subject: Option<Expr>,
        /// Bound to something unknown in each round.
        target: Option<Target>,
        test: Option<Expr>,
        body: Box<Stmt>,
        update: Option<Expr>,
    },
    ForOf {
        names: Vec<Rc<Declared>>,
        target: Target,
        subject: Expr,
        awaits: bool,
        body: Box<Stmt>,
    },
    Switch {
        subject: Expr,
        declared: Vec<Rc<Declared>>,
        cases: Vec<(Option<Expr>, Vec<Stmt>)>,
    },
    Try {
        block: Block,
        /// Parameter names, parameter and body of the `catch`.
        handler: Option<(Vec<Rc<Declared>>, Option<Pattern>, Block)>,
        finalizer: Option<Block>,
        /// The finalizer can leave by a jump, which swallows an error.
        finalizer_jumps: bool,
    },
    Return(Option<Expr>),
    Throw(Expr),
    Break(Option<Name>),
    Continue(Option<Name>),
    Labelled(Name, Box<Stmt>),
}

/// What a `for…of` or `for…in` binds, and how.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) pattern: Pattern,
    /// Declared by the loop rather than assigned.
    pub(super) declares: bool,
}

#[derive(Debug)]
pub(super) enum Pattern {
    Name(Name),
    /// A member expression, in assignments.
    Member(Box<Expr>),
    Array {
        items: Vec<Option<PatternItem>>,
        rest: Option<Box<Pattern>>,
    },
    Object {
        items: Vec<(Key, PatternItem)>,
        rest: Option<Box<Pattern>>,
    },
}

#[derive(Debug)]
pub(super) struct PatternItem {
    pub(super) pattern: Pattern,
    pub(super) default: Option<Expr>,
}

#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Null,
    Bool(bool),
    Number(f64),
    Text(Text),
    This,
    Name(Name),
    Array(Vec<Element>),
    Object(Vec<Property>),
    Function(Rc<Function>),
    Class(Box<Class>),
    Template(Vec<Piece>),
    Tagged {
        tag: Box<Expr>,
        raws: Vec<Text>,
        holes: Vec<Expr>,
    },
    Member {
        object: Box<Expr>,
        key: Key,
        optional: bool,
    },
    Call {
        callee: Box<Expr>,
        args: Vec<Arg>,
        optional: bool,
    },
    /// The extent of an optional chain.
    Chain(Box<Expr>),
    New {
        callee: Box<Expr>,
        args: Vec<Arg>,
    },
    Assign {
        target: Box<Pattern>,
        value: Box<Expr>,
        op: AssignOp,
    },
    /// `++` and `--`
    Update(Box<Pattern>),
    Delete(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
    /// `===`, `!==`; `negated` for the latter.
    Equal {
        left: Box<Expr>,
        right: Box<Expr>,
        negated: bool,
    },
    Logical(LogicalOp, Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    Sequence(Vec<Expr>),
    Await(Box<Expr>),
    Yield(Option<Box<Expr>>),
    /// Parts that are evaluated in order, to a value that is not told.
    Opaque(Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AssignOp {
    Plain,
    /// `+=` and its like
    Compute,
    Logical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaryOp {
    Minus,
    Plus,
    Not,
    Void,
    /// `typeof`, `~`
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogicalOp {
    And,
    Or,
    Coalesce,
}

#[derive(Debug)]
pub(super) enum Key {
    Static(Name),
    Computed(Box<Expr>),
    /// `#name`
    Private,
}

#[derive(Debug)]
pub(super) enum Element {
    Hole,
    Item(Expr),
    Spread(Expr),
}

#[derive(Debug)]
pub(super) enum Property {
    Value {
        key: Key,
        value: Expr,
    },
    /// `__proto__: value`, which sets the prototype and is no member.
    Prototype(Expr),
    /// A getter, or with `setter` a setter.
    Accessor {
        key: Key,
        function: Rc<Function>,
    },
    Spread(Expr),
}

#[derive(Debug)]
pub(super) enum Piece {
    Text(Text),
    Hole(Expr),
}

#[derive(Debug)]
pub(super) struct Arg {
    pub(super) value: Expr,
    pub(super) spread: bool,
    /// The argument with its `...`.
    pub(super) span: Span,
}
