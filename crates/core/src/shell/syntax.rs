//! The syntax tree of a shell script: what [`parse`] reads from a command line.
//!
//! The grammar is the part of POSIX sh and bash that agents write: quoting, expansions, lists and
//! pipelines, redirections with here-documents, groups, subshells and control structures. It comes
//! from the POSIX Shell Command Language and the bash reference manual.
//!
//! Invariants: [`parse`] never panics, nests at most [`MAX_DEPTH`] deep (so a tree is safe to walk
//! recursively and to drop), and takes time linear in the source. What it cannot read makes the
//! script incomplete ([`Script::complete`]); what was read up to there is kept.

use super::reader::Reader;

/// How deep groups, substitutions and control structures may nest before the reader gives up. People do not write
/// a tenth of it; reading and walking such a tree takes less than 256 KiB of stack, unoptimised.
pub const MAX_DEPTH: u32 = 32;

/// Reads a script.
///
/// ```
/// # use larkspan_core::shell::syntax::{Command, parse};
/// let script = parse("cd src && cat 'a file' | head -5");
/// assert!(script.complete);
/// assert_eq!(script.pipelines.len(), 2);
/// let Command::Simple(cat) = &script.pipelines[1].commands[0] else { panic!() };
/// assert_eq!(cat.words[1].value, "a file");
/// ```
pub fn parse(source: &str) -> Script {
    Reader::new(source, 0).script()
}

/// A list of pipelines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The pipelines, in order.
    pub pipelines: Vec<Pipeline>,
    /// Whether all of the source was read: no open quote, no stray operator, not nested too deep.
    /// On a nested script this is always true; the outermost one tells for all.
    pub complete: bool,
}

/// Commands joined by `|`, and how the next pipeline follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// The stages; at least one.
    pub commands: Vec<Command>,
    /// What stands after it.
    pub separator: Separator,
}

/// What joins a pipeline to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// `;`, a line feed, or the end.
    Sequence,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `&`
    Background,
}

/// One stage of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A program with arguments, or assignments and redirections alone.
    Simple(SimpleCommand),
    /// A group, a subshell, a control structure.
    Compound(CompoundCommand),
}

/// A program with its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// `NAME=value` words before the program.
    pub assignments: Vec<Word>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// The redirections, in order.
    pub redirects: Vec<Redirect>,
}

/// A command made of scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompoundCommand {
    /// Which construct it is.
    pub kind: CompoundKind,
    /// The words of its head: a loop's list, the subject and patterns of a `case`, the operands of a test.
    pub words: Vec<Word>,
    /// Its scripts, conditions included, in order.
    pub bodies: Vec<Script>,
    /// The redirections of the whole.
    pub redirects: Vec<Redirect>,
}

/// The compound constructs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompoundKind {
    /// `( … )`
    Subshell,
    /// `{ …; }`
    Group,
    /// `if`
    If,
    /// `for` and `select`, with the loop's variable (empty for `for ((…))`).
    For {
        /// The name that each word of the list is bound to.
        variable: String,
    },
    /// `while` and `until`
    While,
    /// `case`
    Case,
    /// A function definition, with its name.
    Function {
        /// The name the body is bound to.
        name: String,
    },
    /// `[[ … ]]`
    Test,
    /// `(( … ))`
    Arithmetic,
}

/// How much of a word is known without running anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordKind {
    /// Wholly literal: the value is what the program gets.
    Literal,
    /// A glob, a brace list or a tilde: the value is the pattern.
    Pattern,
    /// It holds a variable, a substitution or arithmetic: these stand in the value as written.
    Dynamic,
}

/// A word after quote removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text without its quotes; expansions stay as they are written.
    pub value: String,
    /// Whether the value is what the program gets.
    pub kind: WordKind,
    /// Whether any part of it was quoted or escaped.
    pub quoted: bool,
    /// The scripts of its command and process substitutions.
    pub scripts: Vec<Script>,
}

impl Word {
    /// A word without content.
    pub(super) fn empty() -> Self {
        Self { value: String::new(), kind: WordKind::Literal, quoted: false, scripts: Vec::new() }
    }

    /// The value, if the word is wholly literal.
    pub fn literal(&self) -> Option<&str> {
        (self.kind == WordKind::Literal).then_some(self.value.as_str())
    }
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The file descriptor before the operator, if one was written.
    pub fd: Option<u32>,
    /// The operator.
    pub operator: RedirectOperator,
    /// The file, the descriptor, the here-string; for a here-document its body.
    pub target: Word,
    /// Which of the reader's here-documents the target is, until it has been read.
    pub(super) here: Option<usize>,
}

/// The redirection operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Input,
    /// `<>`
    ReadWrite,
    /// `>` and `>|`
    Output,
    /// `>>`
    Append,
    /// `&>`
    OutputAndError,
    /// `&>>`
    AppendOutputAndError,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `<<<`
    HereString,
    /// `<<` and `<<-`
    HereDocument,
}
