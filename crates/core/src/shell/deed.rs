//! Sums up a script: the deeds of its commands, joined by pipes and lists, become one [`Summary`].
//!
//! Rules: what changes or may change something is never hidden by what only looks; in a pipeline the first
//! telling stage speaks and later ones narrow it; in a list the most telling part does.

use super::action::{Action, WriteEffect};
use super::lines::Lines;
use super::program::{deed, is_sink};
use super::quote;
use super::syntax::{
    Command, CompoundCommand, CompoundKind, Pipeline, Redirect, RedirectOperator, Script, SimpleCommand,
    Word, WordKind,
};

/// No more paths than this are gathered from several commands: no title shows more.
const MOST_PATHS: usize = 32;

/// Where a command stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context {
    /// Its input is another command's output.
    pub(super) piped: bool,
    /// Its arguments come from `xargs`.
    pub(super) from_list: bool,
    /// How many prefixes stand before it.
    pub(super) prefixes: u32,
    /// How many scripts of launchers it is inside of.
    pub(super) scripts: u32,
}

impl Context {
    /// The command behind a prefix.
    pub(super) fn prefixed(self) -> Self {
        Self { prefixes: self.prefixes + 1, ..self }
    }
}

/// What one command does.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    /// Harmless, and says nothing of the purpose: `cd`, `echo`, `sort`.
    Quiet,
    /// Passes on a part of its input.
    Narrow(Lines),
    /// Searches its input.
    Match { query: String },
    /// Searches the files that its input lists.
    SearchList { query: String },
    /// Shows files.
    Read { paths: Vec<String>, lines: Lines },
    /// Lists files.
    Browse { paths: Vec<String> },
    /// Searches files.
    Search { query: String, paths: Vec<String> },
    /// Writes the files it names.
    Write { paths: Vec<String> },
    /// Makes ready for a write: `mkdir`.
    Prepare,
    /// Is there to change something.
    Change,
    /// Not known.
    Unknown,
    /// A script of its own.
    Nested(Summary),
}

/// A part of a script that tells what it is for.
#[derive(Debug, Clone)]
pub(super) enum Telling {
    Read { paths: Vec<String>, lines: Lines },
    Browse { paths: Vec<String> },
    Search { query: String, paths: Vec<String> },
}

/// What a script does, all in all.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary {
    /// Something in it is not known.
    pub(super) unknown: bool,
    /// Something in it is there to change things.
    pub(super) change: bool,
    /// Something in it makes ready for a write.
    pub(super) prepare: bool,
    /// The files it writes.
    pub(super) writes: Vec<String>,
    /// Its telling parts, in order.
    pub(super) tellings: Vec<Telling>,
}

impl Summary {
    /// The one action that stands for the whole.
    pub(super) fn action(&self) -> Action {
        if self.unknown || self.change {
            return Action::Run;
        }
        if !self.writes.is_empty() {
            return Action::Write { path: join_paths(&self.writes) };
        }
        if self.prepare {
            return Action::Run;
        }
        match self.main() {
            None => Action::Run,
            Some(Telling::Search { query, paths }) => {
                Action::Search { query, path: (!paths.is_empty()).then(|| join_paths(&paths)) }
            }
            Some(Telling::Browse { paths }) => {
                Action::Browse { path: (!paths.is_empty()).then(|| join_paths(&paths)) }
            }
            Some(Telling::Read { paths, lines }) => {
                let lines = lines.known().filter(|_| paths.len() == 1);
                Action::Read { path: join_paths(&paths), lines }
            }
        }
    }

    /// What it writes or changes, as far as that is known for certain.
    pub(super) fn effect(&self) -> Option<WriteEffect> {
        if !(self.change || self.prepare || !self.writes.is_empty()) {
            return None;
        }
        match self.action() {
            Action::Write { path } => Some(WriteEffect::File { path }),
            Action::Read { .. } | Action::Browse { .. } | Action::Search { .. } | Action::Run => {
                Some(WriteEffect::Other)
            }
        }
    }

    /// The most telling part: the first that reads or searches, else one that lists. Parts of its kind that
    /// name further files are taken together.
    fn main(&self) -> Option<Telling> {
        let looks = |telling: &&Telling| match telling {
            Telling::Read { .. } | Telling::Search { .. } => true,
            Telling::Browse { .. } => false,
        };
        let mut main = self.tellings.iter().find(looks).or(self.tellings.first())?.clone();
        match &mut main {
            Telling::Search { .. } => {}
            Telling::Browse { paths } => {
                for telling in self.tellings.iter().skip(1) {
                    if let Telling::Browse { paths: more } = telling {
                        add_paths(paths, more);
                    }
                }
            }
            Telling::Read { paths, lines } => {
                let mut reads = 0;
                for telling in &self.tellings {
                    if let Telling::Read { paths: more, .. } = telling {
                        reads += 1;
                        add_paths(paths, more);
                    }
                }
                if reads > 1 {
                    *lines = Lines::Part;
                }
            }
        }
        Some(main)
    }

    fn absorb(&mut self, other: Self) {
        self.unknown |= other.unknown;
        self.change |= other.change;
        self.prepare |= other.prepare;
        add_paths(&mut self.writes, &other.writes);
        self.tellings.extend(other.tellings);
    }

    /// Takes over what `other` does to the world, and nothing of what it tells.
    fn absorb_effects(&mut self, other: &Self) {
        self.unknown |= other.unknown;
        self.prepare |= other.prepare;
        // A file written inside a substitution is not what the command is for.
        self.change |= other.change || !other.writes.is_empty();
    }
}

/// Adds the paths that are new, as long as there are few.
fn add_paths(paths: &mut Vec<String>, more: &[String]) {
    for path in more {
        if paths.len() < MOST_PATHS && !paths.contains(path) {
            paths.push(path.clone());
        }
    }
}

/// One path as it is; several, quoted where needed, with spaces between.
fn join_paths(paths: &[String]) -> String {
    if let [path] = paths {
        return path.clone();
    }
    let quoted = paths.iter().map(|path| {
        if path.contains(char::is_whitespace) { quote::word(path) } else { path.as_str().into() }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Sums up a script.
pub(super) fn summarise(script: &Script, context: Context) -> Summary {
    let mut summary = Summary { unknown: !script.complete, ..Summary::default() };
    for pipeline in &script.pipelines {
        summary.absorb(pipeline_summary(pipeline, context));
    }
    summary
}

fn pipeline_summary(pipeline: &Pipeline, context: Context) -> Summary {
    let mut summary = Summary::default();
    let mut telling: Option<Telling> = None;
    // Whether what comes through the pipe is still the lines of the file that was read.
    let mut numbered = true;
    for (stage, command) in pipeline.commands.iter().enumerate() {
        let context = Context { piped: context.piped || stage > 0, ..context };
        let deed = match command {
            Command::Simple(simple) => simple_deed(simple, context, &mut summary),
            Command::Compound(compound) => Deed::Nested(compound_summary(compound, context)),
        };
        telling = match (telling, deed) {
            (Some(_), Deed::Read { .. } | Deed::Browse { .. } | Deed::Search { .. }) => {
                // It ignores its input: what the pipe is for is not clear.
                summary.unknown = true;
                None
            }
            (None, Deed::Read { paths, lines }) => Some(Telling::Read { paths, lines }),
            (None, Deed::Browse { paths }) => Some(Telling::Browse { paths }),
            (Some(Telling::Read { paths, lines }), Deed::Narrow(part)) => {
                let lines = if numbered { lines.then(part) } else { lines };
                Some(Telling::Read { paths, lines })
            }
            (None, Deed::Search { query, paths })
            | (Some(Telling::Read { paths, .. }), Deed::Match { query })
            | (Some(Telling::Browse { paths }), Deed::SearchList { query }) => {
                Some(Telling::Search { query, paths })
            }
            (None, Deed::Match { query }) if stage == 0 => Some(Telling::Search { query, paths: Vec::new() }),
            (None | Some(Telling::Read { .. }), Deed::SearchList { query }) => {
                Some(Telling::Search { query, paths: Vec::new() })
            }
            (kept, Deed::Narrow(_) | Deed::Match { .. } | Deed::SearchList { .. }) => kept,
            (kept, Deed::Quiet) => {
                numbered = false;
                kept
            }
            (kept, Deed::Write { paths }) => {
                add_paths(&mut summary.writes, &paths);
                kept
            }
            (kept, Deed::Prepare) => {
                summary.prepare = true;
                kept
            }
            (kept, Deed::Change) => {
                summary.change = true;
                kept
            }
            (kept, Deed::Unknown) => {
                summary.unknown = true;
                kept
            }
            (kept, Deed::Nested(mut nested)) => {
                let inner = nested.main();
                nested.tellings.clear();
                summary.absorb(nested);
                match (kept, inner) {
                    (kept, None) => {
                        numbered = false;
                        kept
                    }
                    (None, Some(inner)) => Some(inner),
                    (Some(_), Some(_)) => {
                        summary.unknown = true;
                        None
                    }
                }
            }
        };
    }
    summary.tellings.extend(telling);
    summary
}

/// What a simple command does; the effects of its substitutions and redirections go to `summary`.
fn simple_deed(command: &SimpleCommand, context: Context, summary: &mut Summary) -> Deed {
    let mut inner = Vec::new();
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    for word in command.assignments.iter().chain(&command.words).chain(targets) {
        inner.extend(substitutions(word, context, summary));
    }
    let mut deed = deed(&command.words, context);
    // With its input from a file, a program that reads its input reads that file.
    let input = command.redirects.iter().rev().find(|redirect| redirect.operator == RedirectOperator::Input);
    if let Some(input) = input {
        let paths = vec![input.target.value.clone()];
        deed = match deed {
            Deed::Narrow(lines) => Deed::Read { paths, lines },
            Deed::Match { query } => Deed::Search { query, paths },
            Deed::SearchList { query } => Deed::Search { query, paths: Vec::new() },
            Deed::Quiet
            | Deed::Read { .. }
            | Deed::Browse { .. }
            | Deed::Search { .. }
            | Deed::Write { .. }
            | Deed::Prepare
            | Deed::Change
            | Deed::Unknown
            | Deed::Nested(_) => deed,
        };
    }
    add_paths(&mut summary.writes, &redirect_writes(&command.redirects));
    // Text of the command's own (a here-document) is nobody's file.
    let own_text = [RedirectOperator::HereDocument, RedirectOperator::HereString];
    let has_text = command.redirects.iter().any(|redirect| own_text.contains(&redirect.operator));
    if has_text && matches!(deed, Deed::Narrow(_) | Deed::Match { .. }) {
        return Deed::Quiet;
    }
    // A command that says nothing lets its substitutions speak: `files=$(rg -l x)`.
    if matches!(deed, Deed::Quiet) && !inner.is_empty() {
        return Deed::Nested(Summary { tellings: inner, ..Summary::default() });
    }
    deed
}

/// Notes what a word's substitutions do, and gives back what they tell.
fn substitutions(word: &Word, context: Context, summary: &mut Summary) -> Vec<Telling> {
    let mut tellings = Vec::new();
    for script in &word.scripts {
        let inner = summarise(script, Context { scripts: context.scripts, ..Context::default() });
        summary.absorb_effects(&inner);
        tellings.extend(inner.main());
    }
    tellings
}

fn compound_summary(compound: &CompoundCommand, context: Context) -> Summary {
    let mut summary = Summary::default();
    let redirected = compound.redirects.iter().map(|redirect| &redirect.target);
    let mut spoken = Vec::new();
    for word in compound.words.iter().chain(redirected) {
        spoken.extend(substitutions(word, context, &mut summary));
    }
    for body in &compound.bodies {
        summary.absorb(summarise(body, context));
    }
    if let CompoundKind::For { variable } = &compound.kind {
        name_loop_files(&mut summary, variable, &compound.words);
    }
    if summary.tellings.is_empty() {
        summary.tellings = spoken;
    }
    let written = redirect_writes(&compound.redirects);
    add_paths(&mut summary.writes, &written);
    summary
}

/// In `for f in a b; do cat "$f"; done` the files are `a` and `b`.
fn name_loop_files(summary: &mut Summary, variable: &str, words: &[Word]) {
    if words.is_empty() {
        return;
    }
    let (plain, braced) = (format!("${variable}"), format!("${{{variable}}}"));
    let values: Vec<String> = words.iter().map(|word| word.value.clone()).collect();
    let fill = |paths: &mut Vec<String>| {
        if paths.iter().any(|path| *path == plain || *path == braced) {
            let named = std::mem::take(paths);
            for path in named {
                let is_variable = path == plain || path == braced;
                add_paths(paths, if is_variable { &values } else { std::slice::from_ref(&path) });
            }
        }
    };
    fill(&mut summary.writes);
    for telling in &mut summary.tellings {
        match telling {
            Telling::Read { paths, .. } | Telling::Browse { paths } | Telling::Search { paths, .. } => {
                fill(paths);
            }
        }
    }
}

/// The files that redirections write.
fn redirect_writes(redirects: &[Redirect]) -> Vec<String> {
    let writes = redirects.iter().filter(|redirect| {
        let target = &redirect.target;
        match redirect.operator {
            RedirectOperator::Input
            | RedirectOperator::DuplicateInput
            | RedirectOperator::HereString
            | RedirectOperator::HereDocument => false,
            // `>&2` and `>&-` duplicate or close; `>&file` writes.
            RedirectOperator::DuplicateOutput => {
                target.kind != WordKind::Dynamic
                    && !target.value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
            }
            RedirectOperator::Output
            | RedirectOperator::Append
            | RedirectOperator::ReadWrite
            | RedirectOperator::OutputAndError
            | RedirectOperator::AppendOutputAndError => {
                // `> >(cmd)` goes to a command, which is looked at itself.
                !(target.kind == WordKind::Dynamic && target.value.starts_with('>'))
            }
        }
    });
    let paths = writes.map(|redirect| redirect.target.value.clone());
    paths.filter(|path| !is_sink(path)).collect()
}
