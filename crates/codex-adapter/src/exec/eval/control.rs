//! Control flow: where jumps and errors lead, and which region the walk is in.
//!
//! An *event* (a jump, a possible error, a suspension) makes everything up to its target uncertain: the walk goes on in
//! a new region, and constructs that end before the target hand that on when they restore their own region.

use std::rc::Rc;

use super::Evaluator;
use crate::exec::flow::{PromiseId, RegionId, RegionKind};

#[derive(Clone, Debug)]
pub(super) enum ControlKind {
    Script,
    /// A function; an asynchronous one with its promise.
    Function(Option<PromiseId>),
    /// Where an error is caught.
    Try,
    Loop(Vec<Rc<str>>),
    /// One round of a loop.
    Round(Vec<Rc<str>>),
    Switch,
    Label(Rc<str>),
}

#[derive(Clone, Debug)]
pub(super) struct Control {
    kind: ControlKind,
    /// The last jump or error that leads here.
    jumped: u32,
    /// The last event that leads here if the function's promise is not fulfilled.
    suspended: u32,
}

impl Control {
    pub(super) fn new(kind: ControlKind) -> Self {
        Self { kind, jumped: 0, suspended: 0 }
    }
}

/// How a statement ended, as far as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Completion {
    Normal,
    Break(Option<Rc<str>>),
    Continue(Option<Rc<str>>),
    /// `return`, `throw`
    Left,
}

/// Where the walk stood when a construct began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) region: RegionId,
    events: u32,
}

impl Evaluator<'_> {
    pub(super) fn mark(&self) -> Mark {
        Mark { region: self.region, events: self.events }
    }

    /// Restores the region of a mark, cut by the events since then whose targets are still open.
    pub(super) fn restore(&mut self, mark: Mark) {
        self.region = mark.region;
        let mut behind = None;
        for control in &self.control {
            if control.jumped > mark.events {
                self.region = self.flow.enter(self.region, RegionKind::Maybe);
                return;
            }
            if let ControlKind::Function(Some(promise)) = control.kind
                && control.suspended > mark.events
            {
                behind = Some(promise);
            }
        }
        if let Some(promise) = behind {
            self.region = self.flow.enter(self.region, RegionKind::Behind(promise));
        }
    }

    /// Like [`Self::restore`], but for what runs whatever jump was taken: a `finally`.
    pub(super) fn restore_for_finally(&mut self, mark: Mark) {
        self.region = mark.region;
        if self.control.first().is_some_and(|script| script.jumped > mark.events) {
            self.region = self.flow.enter(self.region, RegionKind::Maybe);
        }
        if let Some((index, Some(promise))) = self.function()
            && self.control.get(index).is_some_and(|function| function.suspended > mark.events)
        {
            self.region = self.flow.enter(self.region, RegionKind::Behind(promise));
        }
    }

    /// Walks `inside` as the extent of a construct that jumps or errors can lead to.
    pub(super) fn within<T>(&mut self, kind: ControlKind, inside: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.mark();
        self.control.push(Control::new(kind));
        let done = inside(self);
        self.control.pop();
        self.restore(mark);
        done
    }

    /// Walks `inside` in regions of its own.
    pub(super) fn apart<T>(&mut self, kinds: &[RegionKind], inside: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.mark();
        for kind in kinds {
            self.region = self.flow.enter(self.region, *kind);
        }
        let done = inside(self);
        self.restore(mark);
        done
    }

    fn jump(&mut self, target: usize) {
        self.events += 1;
        if let Some(control) = self.control.get_mut(target) {
            control.jumped = self.events;
            self.region = self.flow.enter(self.region, RegionKind::Maybe);
        }
    }

    fn cut_behind(&mut self, target: usize, promise: PromiseId) {
        self.events += 1;
        if let Some(control) = self.control.get_mut(target) {
            control.suspended = self.events;
            self.region = self.flow.enter(self.region, RegionKind::Behind(promise));
        }
    }

    /// Where an error at this place leads: a `try`, or an asynchronous function whose promise it rejects.
    fn handler(&self) -> Option<(usize, Option<PromiseId>)> {
        self.control.iter().enumerate().rev().find_map(|(index, control)| match control.kind {
            ControlKind::Try => Some((index, None)),
            ControlKind::Function(Some(promise)) => Some((index, Some(promise))),
            ControlKind::Script
            | ControlKind::Function(None)
            | ControlKind::Loop(_)
            | ControlKind::Round(_)
            | ControlKind::Switch
            | ControlKind::Label(_) => None,
        })
    }

    /// An error may leave the current code here.
    pub(super) fn may_throw(&mut self) {
        let Some((target, promise)) = self.handler() else { return };
        // Nothing was noted since the last cut of this kind: another one would say no more.
        if self.last_cut == Some((target, self.clock, self.results.len(), self.region)) {
            return;
        }
        match promise {
            Some(promise) => self.cut_behind(target, promise),
            None => self.jump(target),
        }
        self.last_cut = Some((target, self.clock, self.results.len(), self.region));
    }

    /// The asynchronous function being walked gives up control here, and may get it back as an error or never.
    pub(super) fn suspend(&mut self) {
        self.may_throw();
        if matches!(self.handler(), Some((_, None)))
            && let Some((target, Some(promise))) = self.function()
        {
            self.cut_behind(target, promise);
        }
    }

    /// The innermost function's place and promise.
    fn function(&self) -> Option<(usize, Option<PromiseId>)> {
        let mut outwards = self.control.iter().enumerate().rev();
        outwards.find_map(|(index, control)| {
            if let ControlKind::Function(promise) = control.kind { Some((index, promise)) } else { None }
        })
    }

    /// The promise of the asynchronous function being walked, and whether an error here is caught inside it.
    pub(super) fn awaiting(&self) -> (Option<PromiseId>, bool) {
        let mut caught = false;
        for control in self.control.iter().rev() {
            match control.kind {
                ControlKind::Try => caught = true,
                ControlKind::Function(promise) => return (promise, caught),
                ControlKind::Script
                | ControlKind::Loop(_)
                | ControlKind::Round(_)
                | ControlKind::Switch
                | ControlKind::Label(_) => {}
            }
        }
        (None, caught)
    }

    /// `return`, or the end of an explicit error in a function that does not catch it.
    pub(super) fn leave_function(&mut self) {
        self.jump(self.function().map_or(0, |(index, _)| index));
    }

    /// `throw`: what follows may not run. An error that leaves the function is a possible error to its caller.
    pub(super) fn throw(&mut self) {
        let function = self.function().map_or(0, |(index, _)| index);
        let caught = self
            .control
            .iter()
            .enumerate()
            .skip(function)
            .rev()
            .find_map(|(index, control)| matches!(control.kind, ControlKind::Try).then_some(index));
        if caught.is_none() {
            self.may_throw();
        }
        self.jump(caught.unwrap_or(function));
    }

    /// `exit()`: nothing after it is certain, whoever catches what it throws.
    pub(super) fn exit(&mut self) {
        self.jump(0);
    }

    /// `break`
    pub(super) fn break_to(&mut self, label: Option<&Rc<str>>) {
        let target = self.control.iter().rposition(|control| match (&control.kind, label) {
            (ControlKind::Loop(_) | ControlKind::Switch, None) => true,
            (ControlKind::Loop(labels), Some(label)) => labels.contains(label),
            (ControlKind::Label(own), Some(label)) => own == label,
            _ => false,
        });
        self.jump(target.unwrap_or(0));
    }

    /// `continue`
    pub(super) fn continue_to(&mut self, label: Option<&Rc<str>>) {
        let target = self.control.iter().rposition(|control| match (&control.kind, label) {
            (ControlKind::Round(_), None) => true,
            (ControlKind::Round(labels), Some(label)) => labels.contains(label),
            _ => false,
        });
        self.jump(target.unwrap_or(0));
    }
}
