//! The pre-scan: what is refused before the parser sees it.
//!
//! `boa_parser` 0.22 recurses without a limit and some shapes cost it more than linear time, so a script has to pass
//! these bounds first. They are far above anything a model writes (the deepest nesting seen is below 20) and far
//! below what the parser's stack holds (measured: 256 MiB last for about 8 000 brackets, 30 KB each, in release and
//! 6 500 in debug, and for 60 000 levels of anything else).

use std::fmt;

use super::scan::{Class, Scanner, Token};

/// Largest script, in bytes.
pub const MAX_SOURCE: usize = 512 * 1024;
/// Largest part of a script that is neither string nor template text, in bytes.
pub const MAX_CODE: usize = 64 * 1024;
/// Deepest nesting of brackets, `${` included.
pub const MAX_DEPTH: usize = 200;
/// Most prefix and right-associative operators and statement heads in a row at one bracket level.
pub const MAX_RUN: usize = 200;
/// Most of them open at once over all bracket levels.
pub const MAX_OPEN_RUNS: usize = 1_000;
/// Largest sum over all tokens of their nesting depth, squared: what the parser's worst shapes take time by.
pub const MAX_NESTING: usize = 60_000_000;
/// Most commas at one bracket level, and most declaring keywords: the parser is quadratic in the names it declares.
pub const MAX_NAMES: usize = 4_000;
/// Longest chain of member accesses and calls (the parser is quadratic in it).
pub const MAX_LINKS: usize = 1_000;
/// Longest chain of left-associative operators.
pub const MAX_OPERATORS: usize = 10_000;
/// Largest single static value, in bytes.
pub const MAX_VALUE: usize = 1024 * 1024;
/// Largest sum of all static values built or reported, in bytes.
pub const MAX_VALUES: usize = 4 * 1024 * 1024;
/// Most calls that unrolling yields; past it a call site stands once more, marked as repeated.
pub const MAX_CALLS: usize = 64;
/// Most evaluation steps.
pub const MAX_STEPS: u32 = 200_000;

/// What a script exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// [`MAX_SOURCE`]
    Source,
    /// [`MAX_CODE`]
    Code,
    /// [`MAX_DEPTH`]
    Depth,
    /// [`MAX_RUN`] or [`MAX_OPEN_RUNS`]
    Run,
    /// [`MAX_NESTING`]
    Nesting,
    /// [`MAX_NAMES`]
    Names,
    /// [`MAX_LINKS`]
    Links,
    /// [`MAX_OPERATORS`]
    Operators,
    /// [`MAX_VALUE`]
    Value,
    /// [`MAX_VALUES`]
    Values,
    /// [`MAX_STEPS`]
    Steps,
    /// The time a script may take to be read.
    Time,
    /// The stack of the reading thread.
    Stack,
    /// Scripts given up on earlier still occupy all reading threads.
    Threads,
    /// The parser failed in a way that is no syntax error.
    Parser,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source => write!(f, "script larger than {} KiB", MAX_SOURCE / 1024),
            Self::Code => write!(f, "code outside strings larger than {} KiB", MAX_CODE / 1024),
            Self::Depth => write!(f, "bracket depth > {MAX_DEPTH}"),
            Self::Run => write!(f, "nested operators > {MAX_RUN}"),
            Self::Nesting => f.write_str("deep nesting throughout the script"),
            Self::Names => write!(f, "names or items > {MAX_NAMES}"),
            Self::Links => write!(f, "chained accesses > {MAX_LINKS}"),
            Self::Operators => write!(f, "chained operators > {MAX_OPERATORS}"),
            Self::Value => write!(f, "static value larger than {} KiB", MAX_VALUE / 1024),
            Self::Values => write!(f, "static values larger than {} KiB in all", MAX_VALUES / 1024),
            Self::Steps => write!(f, "evaluation steps > {MAX_STEPS}"),
            Self::Time => f.write_str("time to read exceeded"),
            Self::Stack => f.write_str("parser stack exhausted"),
            Self::Threads => f.write_str("reader busy with scripts it gave up on"),
            Self::Parser => f.write_str("parser failure"),
        }
    }
}

/// Counters of one bracket level.
#[derive(Clone, Copy, Default)]
struct Level {
    run: usize,
    links: usize,
    operators: usize,
    commas: usize,
}

impl Level {
    /// The level behind a statement or a comma.
    fn next(self) -> Self {
        Self { commas: self.commas, ..Self::default() }
    }
}

/// The bound that is exceeded within the brackets that are open.
fn exceeded(
    outer: &[Level],
    level: Level,
    open_runs: usize,
    nesting: usize,
    declarations: usize,
) -> Option<Bound> {
    if outer.len() > MAX_DEPTH {
        Some(Bound::Depth)
    } else if level.run > MAX_RUN || open_runs > MAX_OPEN_RUNS {
        Some(Bound::Run)
    } else if nesting > MAX_NESTING {
        Some(Bound::Nesting)
    } else if level.commas.max(declarations) > MAX_NAMES {
        Some(Bound::Names)
    } else if level.links > MAX_LINKS {
        Some(Bound::Links)
    } else if level.operators > MAX_OPERATORS {
        Some(Bound::Operators)
    } else {
        None
    }
}

/// Checks `code` against the bounds that hold before parsing, and hands out its tokens.
pub(super) fn check(code: &str, mut token_seen: impl FnMut(Token)) -> Result<(), Bound> {
    if code.len() > MAX_SOURCE {
        return Err(Bound::Source);
    }
    let mut text = 0;
    let mut open_runs = 0;
    let mut nesting = 0_usize;
    let mut declarations = 0;
    let mut outer: Vec<Level> = Vec::new();
    let mut level = Level::default();
    for token in Scanner::new(code) {
        token_seen(token);
        if token.boundary {
            open_runs -= level.run;
            level = level.next();
        }
        match token.class {
            Class::Text { link } => {
                text += token.end - token.start;
                level.links += usize::from(link);
            }
            Class::Nesting => {
                level.run += 1;
                level.links = 0;
                open_runs += 1;
            }
            Class::Infix => {
                level.operators += 1;
                level.links = 0;
            }
            Class::Link => level.links += 1,
            Class::Comma => {
                open_runs -= level.run;
                level = level.next();
                level.commas += 1;
            }
            Class::Declaration => declarations += 1,
            Class::Open { link } => {
                level.links += usize::from(link);
                outer.push(std::mem::take(&mut level));
            }
            Class::Close => {
                if let Some(around) = outer.pop() {
                    open_runs -= level.run;
                    level = around;
                }
            }
            Class::Comment | Class::Operand | Class::Other => {}
        }
        nesting = nesting.saturating_add((outer.len() + open_runs).pow(2));
        if let Some(bound) = exceeded(&outer, level, open_runs, nesting, declarations) {
            return Err(bound);
        }
    }
    if code.len() - text > MAX_CODE {
        return Err(Bound::Code);
    }
    Ok(())
}
