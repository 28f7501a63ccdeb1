//! Static reading of the scripts Codex runs in code mode (the custom tool `exec`): which tools a script calls, with
//! which arguments, and what it prints. Nothing is ever executed.
//!
//! Codex runs the input as an asynchronous module in a bare V8 isolate; its tools hang on the global `tools`. The input
//! passes, in this order: the pragma line (`pragma`), a pre-scan that bounds what the parser may see (`bounds`), the
//! parser and its bridge (`parse`), scope resolution (`resolve`), the evaluator (`eval`) with its proof of what ran
//! (`flow`). Everything from the parser on happens on one thread with a large stack and a time budget (`worker`).
//!
//! Invariants
//! - What is neither [`StaticCall::maybe`] nor [`StaticCall::repeat`] nor [`StaticCall::unawaited`] and has a static
//!   argument ran with that argument, if the script completed.
//! - A call site of the script yields at least one row, unless it stands in code that provably never runs.
//! - No input makes [`read`] panic, hang, or use unbounded memory or stack.

mod ast;
mod bounds;
mod budget;
mod eval;
mod flow;
mod parse;
mod pragma;
mod resolve;
mod scan;
mod statements;
mod value;
mod worker;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub use bounds::{
    Bound, MAX_CALLS, MAX_CODE, MAX_DEPTH, MAX_LINKS, MAX_NAMES, MAX_NESTING, MAX_OPEN_RUNS, MAX_OPERATORS,
    MAX_RUN, MAX_SOURCE, MAX_STEPS, MAX_VALUE, MAX_VALUES,
};
pub use pragma::Pragma;

/// What the input of one `exec` call says.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptReading {
    /// Whether it could be read.
    pub outcome: ReadOutcome,
    /// The pragma line, if there is a valid one.
    pub pragma: Option<Pragma>,
    /// The calls, in the order of evaluation; functions that nothing calls have theirs where they stand. Empty unless
    /// the input was parsed.
    pub calls: Vec<StaticCall>,
    /// What the script prints, in order. Empty unless the input was parsed.
    pub prints: Vec<Print>,
    /// The top-level statements, for showing one a line. Joined they are the code without the pragma line and without
    /// white space between statements. For what was not parsed, the input's own lines.
    pub statements: Vec<String>,
}

/// How reading ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    /// It is a script and was read.
    Parsed,
    /// It is no script Codex would run: a bare patch, a shell line, JSON, TypeScript, cut code, a bad pragma, nothing.
    NotJavaScript {
        /// Why, for a person.
        reason: String,
    },
    /// It was not read, or not to the end.
    BoundExceeded {
        /// The bound; its `Display` names it.
        bound: Bound,
    },
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one statement about the call")]
pub struct StaticCall {
    /// The member of `tools`. For a name that is not told, its source: `[name]` for `tools[name]`,
    /// the called expression in parentheses for an alias of too many tools.
    pub tool: String,
    /// The first argument; Codex ignores further ones.
    pub argument: StaticArg,
    /// The source of the first argument, empty if there is none.
    pub argument_source: String,
    /// Byte range of the call expression in the input.
    pub span: (usize, usize),
    /// It may not have run.
    pub maybe: bool,
    /// It stands for an unknown number of calls.
    pub repeat: bool,
    /// Nothing proves that the script waited for it; Codex drops what is still pending at the end.
    pub unawaited: bool,
    /// If the script completed, this call ran exactly once and did not fail.
    pub certain: bool,
}

/// The argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum StaticArg {
    /// There is none, or it is `undefined`.
    None,
    /// There is one.
    Value(StaticValue),
}

/// A value as far as it is told by the script: what `JSON.stringify` makes of it, since that is what Codex gets.
#[derive(Clone, Debug, PartialEq)]
pub enum StaticValue {
    /// Wholly static. Numbers without JSON (NaN, infinities) are `null`; lone surrogates are U+FFFD.
    Json(Value),
    /// An object of which at least one member is not told. Members that are not told as a whole (`...spread`) stand
    /// last, under the source of the spread.
    Object(Vec<(String, StaticValue)>),
    /// An array of which at least one item is not told.
    Array(Vec<StaticValue>),
    /// Not told.
    Unresolved {
        /// Its source.
        source: String,
        /// For a string of which parts are told: the string, with `${source}` or `…` for the others.
        partial: Option<String>,
    },
}

/// One print: a call of `text`, `image` or `notify`, or of a helper that does the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// What it adds.
    pub kind: PrintKind,
    /// What is printed.
    pub value: PrintValue,
    /// It ran exactly once and in this place: every print of its channel before it did, too. Output blocks (text and
    /// images) are one channel, notifications another. In a script that failed this holds for the blocks that are
    /// there.
    pub certain: bool,
}

/// The kind of a print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintKind {
    /// A text block of the output.
    Text,
    /// An image block of the output (`generatedImage` adds a text block at will).
    Image,
    /// An output of its own, outside the script's.
    Notify,
}

/// What a print shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintValue {
    /// The whole result of one call, by its index in [`ScriptReading::calls`]: itself or as JSON.
    CallResult {
        /// Index of the call.
        call: usize,
    },
    /// The member `output` of that result.
    Output {
        /// Index of the call.
        call: usize,
    },
    /// Anything else.
    Other,
}

impl StaticArg {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&StaticValue> {
        match self {
            Self::None => None,
            Self::Value(value) => Some(value),
        }
    }

    fn doubted(self, source: &str) -> Self {
        match self {
            Self::None => Self::None,
            Self::Value(_) => Self::Value(StaticValue::unresolved(source)),
        }
    }
}

impl StaticValue {
    /// The value, if it is wholly static.
    pub fn as_json(&self) -> Option<&Value> {
        match self {
            Self::Json(value) => Some(value),
            Self::Object(_) | Self::Array(_) | Self::Unresolved { .. } => None,
        }
    }

    /// Whether it is wholly static.
    pub fn is_static(&self) -> bool {
        self.as_json().is_some()
    }

    /// A member of an object, wherever it is told.
    pub fn get(&self, key: &str) -> Option<StaticValue> {
        match self {
            Self::Json(value) => value.get(key).cloned().map(Self::Json),
            Self::Object(members) => {
                members.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
            }
            Self::Array(_) | Self::Unresolved { .. } => None,
        }
    }

    /// The string it is, if it is told.
    pub fn as_str(&self) -> Option<&str> {
        self.as_json().and_then(Value::as_str)
    }

    fn unresolved(source: &str) -> Self {
        Self::Unresolved { source: source.to_owned(), partial: None }
    }

    fn array(items: Vec<Self>) -> Self {
        if items.iter().all(Self::is_static) {
            Self::Json(Value::Array(items.into_iter().filter_map(Self::into_json).collect()))
        } else {
            Self::Array(items)
        }
    }

    fn object(members: Vec<(String, Self)>) -> Self {
        if members.iter().all(|(_, value)| value.is_static()) {
            let members = members.into_iter().filter_map(|(name, value)| Some((name, value.into_json()?)));
            Self::Json(Value::Object(members.collect::<Map<_, _>>()))
        } else {
            Self::Object(members)
        }
    }

    fn into_json(self) -> Option<Value> {
        match self {
            Self::Json(value) => Some(value),
            Self::Object(_) | Self::Array(_) | Self::Unresolved { .. } => None,
        }
    }
}

/// Reads the input of one `exec` call. The answer depends on the input alone.
///
/// ```
/// use larkspan_codex_adapter::exec::{PrintValue, read};
///
/// let reading = read("const r = await tools.exec_command({cmd: `ls ${\"src\"}`});\ntext(r.output);");
/// let call = &reading.calls[0];
/// assert_eq!(call.tool, "exec_command");
/// let cmd = call.argument.value().and_then(|argument| argument.get("cmd"));
/// assert_eq!(cmd.as_ref().and_then(|cmd| cmd.as_str()), Some("ls src"));
/// assert!(call.certain);
/// assert_eq!(reading.prints[0].value, PrintValue::Output { call: 0 });
/// assert_eq!(reading.statements.len(), 2);
/// ```
pub fn read(source: &str) -> ScriptReading {
    let unread = |outcome, pragma| ScriptReading {
        outcome,
        pragma,
        calls: Vec::new(),
        prints: Vec::new(),
        statements: statements::lines(source),
    };
    let (pragma, code_start) = match pragma::split(source) {
        Ok(split) => split,
        Err(reason) => return unread(ReadOutcome::NotJavaScript { reason }, None),
    };
    let code = source.get(code_start..).unwrap_or_default();
    if let Some(reason) = statements::plainly_no_script(code) {
        return unread(ReadOutcome::NotJavaScript { reason: reason.to_owned() }, pragma);
    }
    let mut statements = statements::Pieces::of(code);
    let evaluated = bounds::check(code, |token| statements.add(token)).map_err(worker::Failure::Bound);
    match evaluated.and_then(|()| worker::evaluate(source, code_start)) {
        Ok(evaluated) => ScriptReading {
            outcome: ReadOutcome::Parsed,
            pragma,
            calls: evaluated.calls,
            prints: evaluated.prints,
            statements: statements.finish(),
        },
        Err(worker::Failure::Bound(bound)) => unread(ReadOutcome::BoundExceeded { bound }, pragma),
        Err(worker::Failure::Syntax(reason)) => unread(ReadOutcome::NotJavaScript { reason }, pragma),
    }
}
