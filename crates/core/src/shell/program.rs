//! What a single command does, by its program and arguments. Only programs that are known to be harmless, in
//! the way they are used, are ever called so.

use super::deed::{Context, Deed, Summary, summarise};
use super::filter_text::{self, Effect};
use super::launcher;
use super::lines::Lines;
use super::options::{self, Arguments, Name, Spec, names_file};
use super::syntax::{Word, WordKind, parse};
use super::tables::{
    ACK, AG, AWK, BASE64, BAT, CAT, CHANGING, CHANGING_GIT, DATE, EZA, FD, FLAGS_ONLY, GIT, GIT_GREP,
    GIT_LS_FILES, GREP, HEAD, INTERPRETERS, LESS, LS, NL, PREPARING, QUIET, RIPGREP, SED, SORT, TAIL, TREE,
    UNIQ, WORKING_FILTERS,
};

/// How many prefixes (`sudo`, `env`) may stand before a command.
const MAX_PREFIXES: u32 = 8;
/// How deep scripts (`bash -c`) may hold each other; together with the depth of each this bounds the stack.
const MAX_SCRIPTS: u32 = 2;

/// What the command with these words does. The redirections are the caller's.
pub(super) fn deed(words: &[Word], context: Context) -> Deed {
    let Some((program, arguments)) = words.split_first() else { return Deed::Quiet };
    let Some(name) = program_name(program) else { return Deed::Unknown };
    if context.prefixes > MAX_PREFIXES {
        return Deed::Unknown;
    }
    match name {
        "cat" => reading(arguments, &CAT, context, |_| Some(Lines::All)),
        "nl" => reading(arguments, &NL, context, |_| Some(Lines::All)),
        "bat" | "batcat" => reading(arguments, &BAT, context, bat_lines),
        "less" | "more" => reading(arguments, &LESS, context, less_lines),
        "head" | "tail" => head_or_tail(name, arguments, context),
        "sed" | "gsed" => sed(arguments, context),
        "awk" | "gawk" | "mawk" | "nawk" => awk(arguments, context),
        "rg" | "ripgrep" | "rga" => ripgrep(arguments, context),
        "grep" | "egrep" | "fgrep" | "rgrep" | "zgrep" => {
            let arguments = Arguments::parse(arguments, &GREP);
            let recursive = name == "rgrep" || arguments.has("rR", &["recursive", "dereference-recursive"]);
            search(&arguments, context, recursive)
        }
        "ag" | "ack" => silver_searcher(name, arguments, context),
        "git" => git(arguments, context),
        "fd" | "fdfind" => fd(arguments),
        "find" => find(arguments),
        "ls" | "dir" | "vdir" => browse(arguments, &LS),
        "eza" | "exa" | "lsd" => browse(arguments, &EZA),
        "tree" => tree(arguments),
        "tee" => written(Arguments::parse(arguments, &FLAGS_ONLY).files()),
        "sort" | "shuf" => sort(arguments),
        "base32" | "base64" => with_output(&Arguments::parse(arguments, &BASE64)),
        "date" => date(arguments),
        "uniq" => match Arguments::parse(arguments, &UNIQ).operands.as_slice() {
            [_, output, ..] => written(vec![output.value.clone()]),
            [] | [_] => Deed::Quiet,
        },
        "xargs" => xargs(arguments, context),
        "sudo" | "doas" | "env" | "nohup" | "timeout" | "nice" | "ionice" | "stdbuf" | "command"
        | "builtin" | "exec" | "noglob" | "nocorrect" | "setsid" | "gtimeout" => {
            prefixed(name, arguments, context)
        }
        _ if launcher::is_shell(&program.value) => match launcher::script(words) {
            Some(script) => nested(script, context),
            None => Deed::Unknown,
        },
        _ if WORKING_FILTERS.contains(&name) && !context.piped => Deed::Unknown,
        _ if QUIET.contains(&name) => Deed::Quiet,
        _ if PREPARING.contains(&name) => Deed::Prepare,
        _ if CHANGING.contains(&name) || INTERPRETERS.contains(&name) => Deed::Change,
        _ => Deed::Unknown,
    }
}

/// The name of the program a word runs: a bare name, or the last part of an absolute path. A relative path
/// may be anyone's script and is not taken for the program of that name.
fn program_name(word: &Word) -> Option<&str> {
    let value = word.literal()?;
    let name = match value.rsplit_once('/') {
        Some(_) if !value.starts_with('/') => return None,
        Some((_, name)) => name,
        None => value,
    };
    Some(name.strip_suffix(".exe").unwrap_or(name))
}

fn nested(script: &str, context: Context) -> Deed {
    if context.scripts >= MAX_SCRIPTS {
        return Deed::Unknown;
    }
    Deed::Nested(summarise(&parse(script), Context { scripts: context.scripts + 1, ..Context::default() }))
}

/// A program that shows the files it names, or passes on its input.
fn reading(
    words: &[Word],
    spec: &Spec,
    context: Context,
    lines: impl Fn(&Arguments<'_>) -> Option<Lines>,
) -> Deed {
    let arguments = Arguments::parse(words, spec);
    match lines(&arguments) {
        Some(lines) => read(arguments.files(), lines, context),
        None => Deed::Change,
    }
}

fn read(paths: Vec<String>, lines: Lines, context: Context) -> Deed {
    match (paths.is_empty(), context.from_list) {
        (false, _) => Deed::Read { paths, lines },
        // `xargs cat`: it reads files, but which?
        (true, true) => Deed::Unknown,
        (true, false) => Deed::Narrow(lines),
    }
}

/// Nothing when bat does something else than showing.
fn bat_lines(arguments: &Arguments<'_>) -> Option<Lines> {
    let manages_cache = arguments.operands.first().is_some_and(|word| word.value == "cache");
    if manages_cache || arguments.has("", &["pager"]) {
        return None;
    }
    match arguments.values("r", &["line-range"]).as_slice() {
        [] => Some(Lines::All),
        [range] => Some(bat_range(range)),
        [..] => Some(Lines::Part),
    }
}

/// `a:b`, `a:`, `:b`, `a`, `a:+n`.
fn bat_range(range: &str) -> Lines {
    let number = |text: &str| text.parse::<u64>().ok();
    match range.split_once(':') {
        None => number(range).map_or(Lines::Part, |line| Lines::range(line, Some(line))),
        Some(("", last)) => number(last).map_or(Lines::Part, |last| Lines::range(1, Some(last))),
        Some((first, "")) => number(first).map_or(Lines::Part, |first| Lines::range(first, None)),
        Some((first, last)) => match (number(first), last.strip_prefix('+').and_then(number), number(last)) {
            (Some(first), Some(more), _) => Lines::range(first, Some(first.saturating_add(more))),
            (Some(first), None, Some(last)) => Lines::range(first, Some(last)),
            (_, _, _) => Lines::Part,
        },
    }
}

/// Nothing when less is told to run a command or to write a log.
fn less_lines(arguments: &Arguments<'_>) -> Option<Lines> {
    let commanded = arguments.operands.iter().any(|word| word.value.starts_with('+'));
    (!commanded && !arguments.has("oO", &["log-file", "LOG-FILE"])).then_some(Lines::All)
}

fn head_or_tail(name: &str, words: &[Word], context: Context) -> Deed {
    // The old form `-20` is a count.
    let is_old = |word: &Word| {
        word.value.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let (old, rest) = match words.split_first() {
        Some((first, rest)) if is_old(first) => (first.value.strip_prefix('-'), rest),
        Some(_) | None => (None, words),
    };
    let arguments = Arguments::parse(rest, if name == "head" { &HEAD } else { &TAIL });
    let count = arguments.values("n", &["lines"]).last().copied().or(old);
    let by_bytes = arguments.has("c", &["bytes"]) || (name == "tail" && arguments.has("r", &[]));
    let lines = match (name, count.unwrap_or("10")) {
        _ if by_bytes => Lines::Part,
        ("head", count) => count.parse().map_or(Lines::Part, |count| Lines::range(1, Some(count))),
        (_, count) => match (count.strip_prefix('+'), count.trim_start_matches('-').parse()) {
            (Some(first), _) => {
                first.parse().map_or(Lines::Part, |first: u64| Lines::range(first.max(1), None))
            }
            (None, Ok(count)) => Lines::Last(count),
            (None, Err(_)) => Lines::Part,
        },
    };
    read(arguments.files(), lines, context)
}

fn sed(words: &[Word], context: Context) -> Deed {
    let in_place = |text: &str| {
        text.starts_with("--in-place")
            || (text.starts_with('-')
                && !text.starts_with("--")
                && text
                    .chars()
                    .skip(1)
                    .take_while(|&letter| !"efl".contains(letter))
                    .any(|letter| letter == 'i'))
    };
    let edits_files = words.iter().take_while(|word| word.value != "--").any(|word| in_place(&word.value));
    let arguments = Arguments::parse(words, &SED);
    if arguments.has("f", &["file"]) {
        return Deed::Change;
    }
    let scripts = arguments.values("e", &["expression"]);
    // On BSD the suffix of -i is a word of its own, most often empty.
    let operands: Vec<&Word> =
        arguments.operands.iter().copied().filter(|word| !word.value.is_empty()).collect();
    let (script, files, literal) = match (scripts.is_empty(), operands.split_first()) {
        (false, _) => {
            (scripts.join("\n"), operands.as_slice(), words.iter().all(|word| word.kind != WordKind::Dynamic))
        }
        (true, Some((script, files))) => (script.value.clone(), files, script.kind != WordKind::Dynamic),
        (true, None) => return if edits_files { Deed::Change } else { Deed::Quiet },
    };
    let files: Vec<String> =
        files.iter().filter(|word| names_file(word)).map(|word| word.value.clone()).collect();
    if edits_files {
        return if files.is_empty() { Deed::Change } else { Deed::Write { paths: files } };
    }
    let quiet = arguments.has("n", &["quiet", "silent"]);
    filtering(filter_text::sed(&script, quiet, literal), files, context)
}

fn awk(words: &[Word], context: Context) -> Deed {
    let arguments = Arguments::parse(words, &AWK);
    let known = arguments.options.iter().all(|(name, _)| matches!(name, Name::Short('F' | 'v')));
    let Some((program, files)) = arguments.operands.split_first().filter(|_| known) else {
        return Deed::Change;
    };
    let Some(text) = program.literal() else { return Deed::Change };
    // `name=value` operands are assignments.
    let files = files.iter().filter(|word| names_file(word) && !word.value.contains('='));
    filtering(filter_text::awk(text), files.map(|word| word.value.clone()).collect(), context)
}

fn filtering(effect: Effect, files: Vec<String>, context: Context) -> Deed {
    match effect {
        Effect::Prints(lines) => read(files, lines, context),
        Effect::Filters if files.is_empty() && !context.from_list => Deed::Quiet,
        Effect::Filters => Deed::Unknown,
        Effect::Unclear => Deed::Change,
    }
}

fn ripgrep(words: &[Word], context: Context) -> Deed {
    let arguments = Arguments::parse(words, &RIPGREP);
    if arguments.has("", &["pre", "hostname-bin"]) {
        return Deed::Change;
    }
    if arguments.has("", &["files"]) {
        return Deed::Browse { paths: arguments.files() };
    }
    search(&arguments, context, true)
}

/// A search whose patterns are `-e` values or else the first operand. `recursive` is whether it searches the
/// working directory when it is given no path and no input.
fn search(arguments: &Arguments<'_>, context: Context, recursive: bool) -> Deed {
    let mut patterns = arguments.values("e", &["regexp"]);
    let pattern_file = arguments.values("f", &["file"]);
    let mut operands = arguments.operands.as_slice();
    if patterns.is_empty() && pattern_file.is_empty() {
        let Some((pattern, rest)) = operands.split_first() else { return Deed::Quiet };
        patterns.push(&pattern.value);
        operands = rest;
    }
    // Several patterns are alternatives; those in a file stand for themselves.
    let mut query = patterns.join("|");
    if let (true, Some(file)) = (patterns.is_empty(), pattern_file.first()) {
        query = format!("-f {file}");
    }
    let reads_input = operands.iter().any(|word| word.value == "-");
    let paths = options::files(operands);
    if context.from_list {
        return Deed::SearchList { query };
    }
    if paths.is_empty() && (reads_input || context.piped || !recursive) {
        return Deed::Match { query };
    }
    Deed::Search { query, paths }
}

fn silver_searcher(name: &str, words: &[Word], context: Context) -> Deed {
    let arguments = Arguments::parse(words, if name == "ag" { &AG } else { &ACK });
    if arguments.has("", &["pager", "output"]) {
        return Deed::Change;
    }
    if arguments.has("g", &[]) {
        // The pattern is one of file names.
        return Deed::Browse { paths: options::files(arguments.operands.get(1..).unwrap_or_default()) };
    }
    if name == "ack" && arguments.has("f", &[]) {
        return Deed::Browse { paths: arguments.files() };
    }
    search(&arguments, context, true)
}

fn git(words: &[Word], context: Context) -> Deed {
    let mut rest = words;
    let mut directory = None;
    let (command, words) = loop {
        let Some((word, tail)) = rest.split_first() else { return Deed::Unknown };
        let text = word.value.as_str();
        if !text.starts_with('-') {
            break (text, tail);
        }
        let takes_value = match text.strip_prefix("--") {
            Some(long) => GIT.takes_value(long),
            None => text.len() == 2 && GIT.short.contains(text.chars().last().unwrap_or_default()),
        };
        let value = tail.first().filter(|_| takes_value).map(|word| word.value.as_str()).unwrap_or_default();
        match text {
            "-C" => directory = Some(value.to_owned()),
            // A setting can name a program to run; these cannot.
            "-c" if !["color.", "core.quotepath", "grep."].iter().any(|key| value.starts_with(key)) => {
                return Deed::Unknown;
            }
            _ if text.starts_with("--exec-path") || text.starts_with("--config-env") => return Deed::Unknown,
            _ => {}
        }
        rest = if takes_value { tail.get(1..).unwrap_or_default() } else { tail };
    };
    match command {
        "ls-files" => {
            let mut paths = Arguments::parse(words, &GIT_LS_FILES).files();
            if paths.is_empty() {
                paths.extend(directory);
            }
            Deed::Browse { paths }
        }
        "grep" => {
            let arguments = Arguments::parse(words, &GIT_GREP);
            let opens = |name: &Name<'_>| match *name {
                Name::Short(letter) => letter == 'O',
                Name::Long(long) => long.starts_with("open-files"),
            };
            if arguments.options.iter().any(|(name, _)| opens(name)) {
                return Deed::Change;
            }
            let mut deed = search(&arguments, Context { piped: false, ..context }, true);
            if let Deed::Search { paths, .. } = &mut deed
                && paths.is_empty()
            {
                paths.extend(directory);
            }
            deed
        }
        // Plumbing for other commands: `cd "$(git rev-parse --show-toplevel)"`.
        "merge-base" | "rev-parse" => Deed::Quiet,
        _ if CHANGING_GIT.contains(&command) => Deed::Change,
        _ => Deed::Unknown,
    }
}

fn fd(words: &[Word]) -> Deed {
    let arguments = Arguments::parse(words, &FD);
    if arguments.has("xX", &["exec", "exec-batch"]) {
        return Deed::Change;
    }
    let mut paths = options::files(arguments.operands.get(1..).unwrap_or_default());
    if paths.is_empty() {
        let places = arguments.values("", &["search-path", "base-directory"]);
        paths.extend(places.into_iter().map(str::to_owned));
    }
    Deed::Browse { paths }
}

fn find(words: &[Word]) -> Deed {
    const ACTS: [&str; 9] =
        ["-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls"];
    if words.iter().any(|word| ACTS.contains(&word.value.as_str())) {
        return Deed::Change;
    }
    let leading = words.iter().take_while(|word| matches!(word.value.as_str(), "-H" | "-L" | "-P")).count();
    let words = words.get(leading..).unwrap_or_default();
    let is_expression =
        |word: &Word| word.value.starts_with('-') || matches!(word.value.as_str(), "(" | ")" | "!" | ",");
    let count = words.iter().take_while(|word| !is_expression(word)).count();
    // An unquoted expansion after the first word could be any action.
    if words.iter().skip(1).any(|word| word.kind == WordKind::Dynamic && !word.quoted) {
        return Deed::Change;
    }
    let paths = words.get(..count).unwrap_or_default();
    Deed::Browse {
        paths: paths.iter().filter(|word| names_file(word)).map(|word| word.value.clone()).collect(),
    }
}

fn browse(words: &[Word], spec: &Spec) -> Deed {
    Deed::Browse { paths: Arguments::parse(words, spec).files() }
}

fn tree(words: &[Word]) -> Deed {
    let arguments = Arguments::parse(words, &TREE);
    match arguments.values("o", &[]).as_slice() {
        [] => Deed::Browse { paths: arguments.files() },
        [output, ..] => written(vec![(*output).to_owned()]),
    }
}

fn sort(words: &[Word]) -> Deed {
    let arguments = Arguments::parse(words, &SORT);
    if arguments.has("", &["compress-program"]) { Deed::Change } else { with_output(&arguments) }
}

/// A filter that may be told to write a file.
fn with_output(arguments: &Arguments<'_>) -> Deed {
    match arguments.values("o", &["output"]).as_slice() {
        [] => Deed::Quiet,
        [output, ..] => written(vec![(*output).to_owned()]),
    }
}

/// `date` prints, unless it is given a date to set.
fn date(words: &[Word]) -> Deed {
    let arguments = Arguments::parse(words, &DATE);
    let prints = arguments.operands.iter().all(|word| word.value.starts_with('+'));
    if prints && !arguments.has("s", &["set"]) { Deed::Quiet } else { Deed::Change }
}

/// The files that a command writes, devices aside.
fn written(mut paths: Vec<String>) -> Deed {
    paths.retain(|path| !is_sink(path));
    if paths.is_empty() { Deed::Quiet } else { Deed::Write { paths } }
}

/// Whether writing to this path changes nothing.
pub(super) fn is_sink(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/full")
        || path.starts_with("/dev/fd/")
        || path.starts_with("/proc/self/fd/")
}

fn xargs(words: &[Word], context: Context) -> Deed {
    const WITH_VALUE: &str = "IJnPLdsEaSRD";
    const LONG_WITH_VALUE: [&str; 7] =
        ["arg-file", "delimiter", "max-args", "max-procs", "max-lines", "max-chars", "replace"];
    let Some(words) = skip_options(words, WITH_VALUE, &LONG_WITH_VALUE) else { return Deed::Unknown };
    // `{}` stands for what xargs fills in.
    let command: Vec<Word> = words.iter().filter(|word| word.value != "{}").cloned().collect();
    match deed(&command, Context { piped: true, from_list: true, ..context.prefixed() }) {
        Deed::Quiet | Deed::Browse { .. } | Deed::Match { .. } => Deed::Quiet,
        Deed::SearchList { query } => Deed::SearchList { query },
        Deed::Change | Deed::Write { .. } | Deed::Prepare | Deed::Unknown => Deed::Change,
        Deed::Read { .. } | Deed::Narrow(_) | Deed::Search { .. } => Deed::Unknown,
        // `xargs sh -c '…'`: its arguments are unknown, so only its effects count.
        Deed::Nested(summary) => {
            let change = summary.change || summary.unknown;
            Deed::Nested(Summary { tellings: Vec::new(), unknown: true, change, ..summary })
        }
    }
}

/// A program that runs the command after its own options.
fn prefixed(name: &str, words: &[Word], context: Context) -> Deed {
    let (with_value, long): (&str, &[&str]) = match name {
        "sudo" => ("ugCDhpRrtTU", &["user", "group", "chdir", "host", "prompt", "chroot", "role", "type"]),
        "doas" => ("uC", &[]),
        "env" => ("uC", &["unset", "chdir"]),
        "timeout" | "gtimeout" => ("ks", &["kill-after", "signal"]),
        "nice" => ("n", &["adjustment"]),
        "ionice" => ("cnp", &["class", "classdata"]),
        "stdbuf" => ("ioe", &["input", "output", "error"]),
        "exec" => ("a", &[]),
        _ => ("", &[]),
    };
    let asks = |word: &Word| word.value.starts_with('-') && word.value.contains(['v', 'V']);
    if name == "command" && words.first().is_some_and(asks) {
        return Deed::Quiet;
    }
    if name == "env"
        && words.iter().any(|word| word.value.starts_with("-S") || word.value.starts_with("--split"))
    {
        return Deed::Unknown;
    }
    let Some(mut rest) = skip_options(words, with_value, long) else { return Deed::Unknown };
    if matches!(name, "timeout" | "gtimeout") {
        rest = rest.get(1..).unwrap_or_default();
    }
    if matches!(name, "env" | "sudo") {
        let assignments =
            rest.iter().take_while(|word| word.value.contains('=') && !word.value.starts_with('='));
        rest = rest.get(assignments.count()..).unwrap_or_default();
    }
    match (rest.is_empty(), name) {
        (false, _) => deed(rest, context.prefixed()),
        (true, "env" | "exec" | "command" | "builtin") => Deed::Quiet,
        (true, _) => Deed::Unknown,
    }
}

/// The words after a program's leading options. Nothing when an expansion stands among these.
fn skip_options<'a>(words: &'a [Word], with_value: &str, long: &[&str]) -> Option<&'a [Word]> {
    let mut rest = words;
    while let Some((word, tail)) = rest.split_first() {
        let text = word.value.as_str();
        if text == "--" {
            return Some(tail);
        }
        if text.len() < 2 || !text.starts_with('-') {
            break;
        }
        if word.kind == WordKind::Dynamic {
            return None;
        }
        let takes_next = match text.strip_prefix("--") {
            Some(name) => long.contains(&name),
            // The value is the next word only if its letter is the last one.
            None => text
                .chars()
                .skip(1)
                .position(|c| with_value.contains(c))
                .is_some_and(|at| at + 2 == text.chars().count()),
        };
        rest = if takes_next { tail.get(1..).unwrap_or_default() } else { tail };
    }
    Some(rest)
}
