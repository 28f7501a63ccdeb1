//! The values of the evaluator: what is static, what is known by name only, and what is not known.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::ast::{Span, Text};
use super::flow::{PromiseId, RegionId};

/// A JavaScript value as far as it is told.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(Text),
    /// A string of which parts are not told; those stand as a placeholder in it.
    Partial(Rc<str>),
    Object(ObjectId),
    Function(ClosureId),
    /// A global or what hangs on one, by its path: `JSON.stringify`.
    Global(Rc<str>),
    /// The object `tools`.
    Tools,
    /// One of its members. The name of a member that is not told is its source, in brackets.
    Tool(Rc<str>),
    Promise(PromiseId),
    /// The whole result of a call, by its row.
    Result(usize),
    /// That result's `output`.
    Output(usize),
    /// That result as JSON text.
    Printed(usize),
    /// One of several.
    OneOf(Rc<Choice>),
    Unknown(Taint),
}

/// Several values, each the value if, and only if, its region ran.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) options: Vec<(RegionId, Value)>,
    /// How many values there are, those of inner choices included.
    pub(super) leaves: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ObjectId(pub(super) usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClosureId(pub(super) usize);

/// What an unknown value may turn out to be, as far as calls of tools go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Taint(Option<Rc<TaintSet>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TaintSet {
    tools: bool,
    names: BTreeSet<Rc<str>>,
}

impl Taint {
    pub(super) fn none() -> Self {
        Self(None)
    }

    pub(super) fn tools() -> Self {
        Self(Some(Rc::new(TaintSet { tools: true, names: BTreeSet::new() })))
    }

    pub(super) fn tool(name: &Rc<str>) -> Self {
        Self(Some(Rc::new(TaintSet { tools: false, names: BTreeSet::from([Rc::clone(name)]) })))
    }

    /// It may be the object `tools`, or hold it.
    pub(super) fn may_be_tools(&self) -> bool {
        self.0.as_ref().is_some_and(|set| set.tools)
    }

    /// The tools it may be.
    pub(super) fn names(&self) -> Vec<Rc<str>> {
        self.0.as_ref().map_or_else(Vec::new, |set| set.names.iter().cloned().collect())
    }

    /// Adds another taint; tells whether that changed anything.
    pub(super) fn add(&mut self, other: &Self) -> bool {
        let Some(more) = &other.0 else { return false };
        let Some(set) = &mut self.0 else {
            self.0 = Some(Rc::clone(more));
            return true;
        };
        if Rc::ptr_eq(set, more) || (more.tools <= set.tools && more.names.is_subset(&set.names)) {
            return false;
        }
        let set = Rc::make_mut(set);
        set.tools |= more.tools;
        set.names.extend(more.names.iter().cloned());
        true
    }

    pub(super) fn with(mut self, other: &Self) -> Self {
        self.add(other);
        self
    }
}

impl Value {
    pub(super) fn unknown() -> Self {
        Self::Unknown(Taint::none())
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Text(Text { text: text.into(), lossy: false })
    }

    /// Whether it is true in a condition, if that is told.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Undefined | Self::Null => Some(false),
            Self::Bool(value) => Some(*value),
            Self::Number(number) => Some(*number != 0.0 && !number.is_nan()),
            Self::Text(text) => Some(!text.text.is_empty()),
            Self::Object(_) | Self::Function(_) | Self::Tools | Self::Promise(_) => Some(true),
            Self::Partial(_)
            | Self::Global(_)
            | Self::Tool(_)
            | Self::Result(_)
            | Self::Output(_)
            | Self::Printed(_)
            | Self::OneOf(_)
            | Self::Unknown(_) => None,
        }
    }

    /// Whether it is `null` or `undefined`, if that is told. A tool's result never is.
    pub(super) fn is_nullish(&self) -> Option<bool> {
        match self {
            Self::Undefined | Self::Null => Some(true),
            Self::Bool(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::Partial(_)
            | Self::Object(_)
            | Self::Function(_)
            | Self::Tools
            | Self::Promise(_)
            | Self::Result(_)
            | Self::Printed(_) => Some(false),
            Self::Global(_) | Self::Tool(_) | Self::Output(_) | Self::OneOf(_) | Self::Unknown(_) => None,
        }
    }

    /// The value as a string, for what may stand in a template or a concatenation.
    pub(super) fn to_text(&self) -> Option<Rc<str>> {
        match self {
            Self::Undefined => Some("undefined".into()),
            Self::Null => Some("null".into()),
            Self::Bool(value) => Some(if *value { "true" } else { "false" }.into()),
            Self::Number(number) => Some(number_text(*number).into()),
            Self::Text(text) if !text.lossy => Some(Rc::clone(&text.text)),
            Self::Text(_)
            | Self::Partial(_)
            | Self::Object(_)
            | Self::Function(_)
            | Self::Global(_)
            | Self::Tools
            | Self::Tool(_)
            | Self::Promise(_)
            | Self::Result(_)
            | Self::Output(_)
            | Self::Printed(_)
            | Self::OneOf(_)
            | Self::Unknown(_) => None,
        }
    }

    /// The value as a property key.
    pub(super) fn to_key(&self) -> Option<Rc<str>> {
        if matches!(self, Self::Text(_) | Self::Number(_)) { self.to_text() } else { None }
    }

    /// `===` of two primitives; NaN is not itself.
    pub(super) fn equals(&self, other: &Self) -> Option<bool> {
        let kind = |value: &Self| {
            [
                matches!(value, Self::Undefined),
                matches!(value, Self::Null),
                matches!(value, Self::Bool(_)),
                matches!(value, Self::Number(_)),
                matches!(value, Self::Text(text) if !text.lossy),
            ]
            .into_iter()
            .position(|is| is)
        };
        if kind(self)? != kind(other)? {
            return Some(false);
        }
        Some(match (self, other) {
            // JavaScript's own equality: NaN equals nothing, 0 equals -0.
            (Self::Number(a), Self::Number(b)) => a.partial_cmp(b) == Some(std::cmp::Ordering::Equal),
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a.text == b.text,
            _ => true,
        })
    }
}

/// One slot of an array or an object: the value, and the source it came from.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) value: Value,
    pub(super) source: Span,
}

/// An object of the script.
#[derive(Clone, Debug)]
pub(super) enum Object {
    Array {
        items: Vec<Slot>,
        /// A spread of something unknown stands in it: its places are not told.
        open: bool,
    },
    Record(Record),
    /// Array-like, readable once: what `entries()` returns.
    Iterator(Vec<Slot>),
    /// An object that is changed somewhere: nothing is told of its members.
    Changed {
        taint: Taint,
        /// The promises in it, as long as it only grows.
        pushed: Vec<Pushed>,
        /// It is only ever pushed to.
        grows: bool,
    },
}

/// A promise that was put into an array, if these regions ran.
#[derive(Clone, Debug)]
pub(super) struct Pushed {
    pub(super) regions: Vec<RegionId>,
    pub(super) promise: PromiseId,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// Own members in the order of their making.
    pub(super) members: Vec<(Rc<str>, Slot)>,
    /// Spreads of something unknown, which may have set or overwritten any member before them.
    pub(super) spreads: Vec<Span>,
    /// What those may hold.
    pub(super) taint: Taint,
    /// Its prototype is not `Object.prototype`: members it lacks may be there.
    pub(super) prototype: bool,
    /// That prototype may say how it is serialised.
    pub(super) inherits_json: bool,
    /// It has getters.
    pub(super) accessors: bool,
}

impl Record {
    pub(super) fn get(&self, key: &str) -> Option<&Slot> {
        self.members.iter().find(|(name, _)| &**name == key).map(|(_, slot)| slot)
    }

    pub(super) fn set(&mut self, key: Rc<str>, slot: Slot) {
        match self.members.iter_mut().find(|(name, _)| *name == key) {
            Some((_, old)) => *old = slot,
            None => self.members.push((key, slot)),
        }
    }

    /// The members in JavaScript's order: array indices first, ascending.
    pub(super) fn ordered(&self) -> Vec<&(Rc<str>, Slot)> {
        let mut members: Vec<_> = self.members.iter().collect();
        members.sort_by_key(|(name, _)| array_index(name).map_or(u64::MAX, u64::from));
        members
    }
}

/// The array index a property name is, if it is one in its canonical form.
pub(super) fn array_index(name: &str) -> Option<u32> {
    let index: u32 = name.parse().ok()?;
    (index != u32::MAX && index.to_string() == name).then_some(index)
}

/// A number as JavaScript prints it (ECMA-262, `Number::toString`).
pub(super) fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    // Rust prints the shortest digits that read back as the same number, like JavaScript.
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let unsigned = if count <= point && point <= 21 {
        format!("{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
        format!("{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let sign = if point > 0 { '+' } else { '-' };
        format!("{first}{dot}{rest}e{sign}{}", (point - 1).abs())
    };
    if number < 0.0 { format!("-{unsigned}") } else { unsigned }
}
