//! The abstract evaluator: walks a script the way it would run and notes the calls it makes.
//!
//! Nothing is executed. Where a value is told by the script itself it is computed; where it is not, both ways are
//! walked and what they find is marked. The rules that keep this honest:
//!
//! - A name that is assigned twice has no value ([`super::resolve`]); an object that is changed anywhere has none
//!   either. Changes are found while walking, so the walk is repeated with what it learnt until it learns nothing new
//!   ([`Knowledge`]). Both are facts about a place in the script, not about a moment, so no order of asynchronous
//!   execution can break them.
//! - A value that reaches code the walk does not know *escapes*: objects count as changed, functions are walked as
//!   called with unknown arguments.
//! - What may be `tools`, or hold it, stays tainted, so that a call through it still yields a row.
//! - Conditions, loops, jumps and possible errors cut the walk into regions ([`super::flow`]), from which the marks
//!   follow in the end.

mod builtin;
mod call;
mod control;
mod expression;
mod heap;
mod json;
mod method;
mod pattern;
mod scope;
mod statement;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::ast::{Function, Program, Span};
use super::bounds::{Bound, MAX_STEPS};
use super::budget::Budget;
use super::flow::{Evidence, Flow, PromiseId, RegionId, RegionKind};
use super::value::{ClosureId, Taint, Value};
use super::{Print, PrintKind, PrintValue, StaticArg, StaticCall};
use control::{Control, ControlKind};
use heap::{Site, Stored};
use scope::Scope;

/// What the walk found.
#[derive(Debug)]
pub(super) struct Evaluated {
    pub(super) calls: Vec<StaticCall>,
    pub(super) prints: Vec<Print>,
}

/// Reads a script's calls and prints.
pub(super) fn evaluate(program: &Program, source: &str, budget: Budget) -> Result<Evaluated, Bound> {
    let mut knowledge = Knowledge::default();
    let mut steps = 0;
    loop {
        knowledge.grew = false;
        let mut evaluator = Evaluator::new(program, source, budget, &mut knowledge);
        evaluator.steps = steps;
        evaluator.script();
        if let Some(bound) = evaluator.exceeded {
            return Err(bound);
        }
        steps = evaluator.steps;
        if !evaluator.knowledge.grew {
            return Ok(evaluator.finish());
        }
    }
}

/// What earlier walks learnt about places in the script. It only grows.
#[derive(Debug, Default)]
struct Knowledge {
    /// Where objects are made that are changed later.
    changed: HashMap<Site, heap::Change>,
    /// What reassigned names may hold, by declaration.
    names: HashMap<usize, Taint>,
    /// What assigned free names may hold.
    globals: HashMap<Rc<str>, Taint>,
    /// What was assigned to members of objects the walk does not follow, by name.
    leaked: HashMap<Rc<str>, Taint>,
    /// Code the walk does not follow has the object `tools`.
    tools_leaked: bool,
    /// Something that every script relies on is changed (`Promise.all = …`).
    tampered: bool,
    /// The current walk learnt something.
    grew: bool,
}

/// A function value: a function and the scope it was made in.
#[derive(Clone, Debug)]
struct Closure {
    function: Rc<Function>,
    scope: Rc<Scope>,
}

/// One call found.
#[derive(Debug)]
struct Row {
    tool: String,
    argument: StaticArg,
    argument_source: String,
    span: Span,
    region: RegionId,
    promise: PromiseId,
    /// Where the top-level code that led here stands.
    anchor: usize,
}

/// One print found.
#[derive(Debug)]
struct Printed {
    kind: PrintKind,
    value: Value,
    region: RegionId,
    /// It yields exactly one output block.
    exact: bool,
    /// An error can skip it, or prints before it, without ending the script at once: a `finally` prints, too.
    displaced: bool,
}

/// What is known of one place that calls one tool.
#[derive(Debug, Default)]
struct SiteRows {
    rows: Vec<usize>,
    overflowed: bool,
}

struct Evaluator<'a> {
    program: &'a Program,
    source: &'a str,
    budget: Budget,
    knowledge: &'a mut Knowledge,
    steps: u32,
    bytes: usize,
    exceeded: Option<Bound>,
    heap: Vec<Stored>,
    closures: Vec<Closure>,
    flow: Flow,
    /// What each promise is fulfilled with.
    results: Vec<Value>,
    control: Vec<Control>,
    region: RegionId,
    /// Counts jumps and possible errors.
    events: u32,
    /// The last cut a possible error made: its target and what had been noted by then.
    last_cut: Option<(usize, u32, usize, RegionId)>,
    /// Counts everything whose order matters.
    clock: u32,
    rows: Vec<Row>,
    prints: Vec<Printed>,
    sites: HashMap<(Span, Rc<str>), SiteRows>,
    scope: Rc<Scope>,
    /// Labels of the statement about to be walked.
    labels: Vec<Rc<str>>,
    /// What the functions being walked return, innermost last.
    returns: Vec<Vec<(RegionId, Value)>>,
    /// Functions being walked, innermost last.
    active: Vec<usize>,
    /// Functions whose recursion is being walked once more for all further rounds.
    folded: HashSet<usize>,
    /// Functions that were walked as called, by their id.
    called: HashSet<usize>,
    escaped: HashSet<ClosureId>,
    anchor: Option<usize>,
    /// Walking functions that nothing calls: what they print is never printed.
    uncalled: bool,
}

impl<'a> Evaluator<'a> {
    fn new(program: &'a Program, source: &'a str, budget: Budget, knowledge: &'a mut Knowledge) -> Self {
        Self {
            program,
            source,
            budget,
            knowledge,
            steps: 0,
            bytes: 0,
            exceeded: None,
            heap: Vec::new(),
            closures: Vec::new(),
            flow: Flow::new(),
            results: Vec::new(),
            control: vec![Control::new(ControlKind::Script)],
            region: Flow::ROOT,
            events: 0,
            last_cut: None,
            clock: 0,
            rows: Vec::new(),
            prints: Vec::new(),
            sites: HashMap::new(),
            scope: Rc::new(Scope::root()),
            labels: Vec::new(),
            returns: Vec::new(),
            active: Vec::new(),
            folded: HashSet::new(),
            called: HashSet::new(),
            escaped: HashSet::new(),
            anchor: None,
            uncalled: false,
        }
    }

    fn script(&mut self) {
        if self.program.imports {
            self.region = self.flow.enter(self.region, RegionKind::Maybe);
        }
        let program = self.program;
        self.scope = Scope::inside(&self.scope, &program.body.declared, None);
        self.hoist(&program.body.declared);
        self.statements(&program.body.body);
        self.walk_uncalled();
    }

    /// Walks the functions that were made and never called, so that each call site yields a row.
    fn walk_uncalled(&mut self) {
        self.uncalled = true;
        let mut next = 0;
        while let Some(closure) = self.closures.get(next) {
            if !self.called.contains(&closure.function.id) {
                self.region = Flow::ROOT;
                self.run_unseen(&Value::Function(ClosureId(next)), &[RegionKind::Maybe], false);
            }
            next += 1;
        }
    }

    /// Takes one step; `false` when the walk has to stop.
    fn step(&mut self) -> bool {
        if self.exceeded.is_some() {
            return false;
        }
        self.steps += 1;
        if self.steps > MAX_STEPS {
            self.exceeded = Some(Bound::Steps);
        } else if self.steps.is_multiple_of(4096) && self.budget.is_spent() {
            self.exceeded = Some(Bound::Time);
        }
        self.exceeded.is_none()
    }

    /// Takes several steps: for what costs by the number of elements.
    fn spend(&mut self, steps: usize) {
        self.steps = self.steps.saturating_add(u32::try_from(steps).unwrap_or(u32::MAX));
        if self.steps > MAX_STEPS {
            self.exceeded.get_or_insert(Bound::Steps);
        }
    }

    fn slice(&self, span: Span) -> &'a str {
        self.source.get(span.start..span.end).unwrap_or_default()
    }

    /// Puts the marks on what was found.
    fn finish(self) -> Evaluated {
        let doubtful = self.program.dynamic_code || self.knowledge.tampered;
        let order = self.row_order();
        let mut place = vec![0; self.rows.len()];
        for (new, old) in order.iter().enumerate() {
            place[*old] = new;
        }
        let mut repeats = vec![false; self.rows.len()];
        let mut calls: Vec<Option<StaticCall>> = Vec::with_capacity(self.rows.len());
        let flow = &self.flow;
        for (index, row) in self.rows.into_iter().enumerate() {
            let evidence = flow.evidence(row.promise);
            let maybe = doubtful || flow.may_be_skipped(row.region);
            let repeat = flow.repeats(row.region);
            repeats[index] = repeat;
            let argument = if doubtful { row.argument.doubted(&row.argument_source) } else { row.argument };
            calls.push(Some(StaticCall {
                tool: row.tool,
                argument,
                argument_source: row.argument_source,
                span: (row.span.start, row.span.end),
                maybe,
                repeat,
                unawaited: evidence == Evidence::Nothing,
                certain: evidence == Evidence::Fulfilled && !maybe && !repeat,
            }));
        }
        let ordered = order.iter().filter_map(|index| calls.get_mut(*index).and_then(Option::take)).collect();
        let bound = |row: usize| (!repeats.get(row).copied().unwrap_or(true)).then(|| place[row]);
        // Blocks and notifications reach the log on different ways, each in its own order.
        let mut certain = [!doubtful; 2];
        let prints = self.prints.into_iter().map(|print| {
            let value = if let Value::Output(row) = print.value {
                bound(row).map(|call| PrintValue::Output { call })
            } else if let Value::Result(row) | Value::Printed(row) = print.value {
                bound(row).map(|call| PrintValue::CallResult { call })
            } else {
                None
            };
            let certain = &mut certain[usize::from(print.kind == PrintKind::Notify)];
            *certain &= flow.in_order(print.region);
            let here = *certain && !print.displaced;
            *certain &= print.exact;
            Print { kind: print.kind, value: value.unwrap_or(PrintValue::Other), certain: here }
        });
        Evaluated { prints: prints.collect(), calls: ordered }
    }

    /// The order in which rows are shown: as they were found, but those of uncalled functions where they stand.
    fn row_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::with_capacity(self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            if row.anchor == usize::MAX {
                let stands = |other: &usize| {
                    let other = &self.rows[*other];
                    if other.anchor == usize::MAX { other.span.start } else { other.anchor }
                };
                let at = order.iter().position(|other| stands(other) > row.span.start);
                order.insert(at.unwrap_or(order.len()), index);
            } else {
                order.push(index);
            }
        }
        order
    }
}
