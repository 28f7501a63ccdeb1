//! The bridge to `boa_parser`: text in, our own tree ([`super::ast`]) out. No boa type leaves this module.
//!
//! Guarantees, on the thread of [`super::worker`]: no recursion of the parser runs past the stack and no parse past
//! its budget. Both are checked where the parser reads a character ([`Watch`]): it cannot descend without reading.

mod declarations;
mod expressions;
mod functions;
mod positions;
mod statements;

use std::hint::black_box;
use std::io::{self, Read};

use boa_ast::scope::Scope;
use boa_interner::Interner;
use boa_parser::{Parser, Source};

use super::ast::Program;
use super::bounds::Bound;
use super::budget::Budget;

/// What a parse may use up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// An address near the bottom of the thread's stack.
    pub(super) stack_base: usize,
    /// Bytes of stack the parser may use below it.
    pub(super) stack: usize,
    pub(super) budget: Budget,
}

/// Why there is no tree.
#[derive(Debug)]
pub(super) enum Failure {
    /// The parser's message.
    Syntax(String),
    Bound(Bound),
}

/// An address on the current stack frame.
pub(super) fn stack_address() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(black_box(&here)).addr()
}

/// A reader that stops the parser when it is too deep or too late.
struct Watch<'s, 'f> {
    rest: &'s [u8],
    reads: u32,
    limits: Limits,
    stopped: &'f std::cell::Cell<Option<Bound>>,
}

/// How many reads pass between two looks at the clock.
const READS_PER_CLOCK: u32 = 1024;

impl Read for Watch<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.limits.stack_base.abs_diff(stack_address()) > self.limits.stack {
            self.stopped.set(Some(Bound::Stack));
        }
        self.reads = self.reads.wrapping_add(1);
        if self.reads.is_multiple_of(READS_PER_CLOCK) && self.limits.budget.is_spent() {
            self.stopped.set(Some(Bound::Time));
        }
        if self.stopped.get().is_some() {
            return Err(io::ErrorKind::Other.into());
        }
        self.rest.read(buffer)
    }
}

/// Parses the code of `source` from byte `code_start` on as a module.
pub(super) fn parse(source: &str, code_start: usize, limits: Limits) -> Result<Program, Failure> {
    let code = source.get(code_start..).unwrap_or_default();
    let stopped = std::cell::Cell::new(None);
    let watch = Watch { rest: code.as_bytes(), reads: 0, limits, stopped: &stopped };
    let mut interner = Interner::default();
    let mut parser = Parser::new(Source::from_reader(watch, None));
    let parsed = parser.parse_module(&Scope::new_global(), &mut interner);
    if let Some(bound) = stopped.get() {
        return Err(Failure::Bound(bound));
    }
    match parsed {
        Ok(module) => Ok(declarations::Lowering::new(&interner, source, code_start).program(&module)),
        Err(error) => Err(Failure::Syntax(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn parse_within(source: &str, stack: usize, time: Duration) -> Result<Program, Failure> {
        parse(source, 0, Limits { stack_base: stack_address(), stack, budget: Budget::begin(time) })
    }

    #[test]
    fn the_parser_stops_before_its_stack_ends() {
        let deep = format!("{}1{}", "(".repeat(60), ")".repeat(60));
        let stopped = parse_within(&deep, 256 * 1024, Duration::from_secs(9));
        assert!(matches!(stopped, Err(Failure::Bound(Bound::Stack))), "{stopped:?}");
        let flat = parse_within("text(1)", 256 * 1024, Duration::from_secs(9));
        assert!(flat.is_ok(), "{flat:?}");
    }

    #[test]
    fn the_parser_stops_when_its_time_is_spent() {
        let long = format!("// {}", "x".repeat(100 * READS_PER_CLOCK as usize));
        let stopped = parse_within(&long, 256 * 1024, Duration::ZERO);
        assert!(matches!(stopped, Err(Failure::Bound(Bound::Time))), "{stopped:?}");
    }
}
