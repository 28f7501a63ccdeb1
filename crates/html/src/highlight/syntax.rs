//! What languages look like, as far as their words are told apart.

/// What a language's comments and strings look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Syntax {
    /// What begins a comment up to the end of the line.
    pub(super) line_comments: &'static [&'static str],
    /// What begins and ends a comment over lines.
    pub(super) block_comment: Option<(&'static str, &'static str)>,
    /// What encloses strings.
    pub(super) quotes: &'static [char],
    /// What encloses strings over lines.
    pub(super) block_quotes: &'static [&'static str],
    /// Words that may stand right before a string, in lower case.
    pub(super) string_prefixes: &'static [&'static str],
    /// Whether a quote may stand alone, as in a lifetime.
    pub(super) has_lone_quotes: bool,
    pub(super) keywords: &'static [&'static str],
}

const C_LIKE: Syntax = Syntax {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: &['"', '\'', '`'],
    block_quotes: &["\"\"\""],
    string_prefixes: &[],
    has_lone_quotes: false,
    keywords: &[
        "abstract",
        "as",
        "async",
        "auto",
        "await",
        "bool",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "default",
        "defer",
        "delete",
        "do",
        "double",
        "else",
        "enum",
        "export",
        "extends",
        "extern",
        "false",
        "final",
        "finally",
        "float",
        "for",
        "from",
        "func",
        "function",
        "go",
        "if",
        "implements",
        "import",
        "in",
        "int",
        "interface",
        "let",
        "long",
        "map",
        "namespace",
        "new",
        "nil",
        "null",
        "of",
        "package",
        "private",
        "protected",
        "public",
        "range",
        "return",
        "select",
        "static",
        "string",
        "struct",
        "super",
        "switch",
        "template",
        "this",
        "throw",
        "true",
        "try",
        "type",
        "typedef",
        "typeof",
        "undefined",
        "unsigned",
        "using",
        "val",
        "var",
        "void",
        "when",
        "while",
        "yield",
    ],
};

const RUST: Syntax = Syntax {
    quotes: &['"', '\''],
    block_quotes: &[],
    string_prefixes: &["b", "c"],
    has_lone_quotes: true,
    keywords: &[
        "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
        "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref",
        "return", "self", "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use",
        "where", "while",
    ],
    ..C_LIKE
};

const PYTHON: Syntax = Syntax {
    line_comments: &["#"],
    block_comment: None,
    quotes: &['"', '\''],
    block_quotes: &["\"\"\"", "'''"],
    string_prefixes: &["b", "br", "f", "fr", "r", "rb", "rf", "u"],
    has_lone_quotes: false,
    keywords: &[
        "and", "as", "assert", "async", "await", "begin", "break", "class", "continue", "def", "del", "do",
        "elif", "else", "elsif", "end", "except", "False", "false", "finally", "for", "from", "function",
        "global", "if", "import", "in", "is", "lambda", "module", "next", "nil", "None", "nonlocal", "not",
        "or", "pass", "raise", "require", "return", "self", "True", "true", "try", "unless", "until",
        "while", "with", "yield",
    ],
};

const SHELL: Syntax = Syntax {
    line_comments: &["#"],
    block_comment: None,
    quotes: &['"', '\''],
    block_quotes: &[],
    string_prefixes: &[],
    has_lone_quotes: false,
    keywords: &[
        "break", "case", "continue", "do", "done", "elif", "else", "esac", "exit", "export", "fi", "for",
        "function", "if", "in", "local", "return", "set", "shift", "then", "trap", "unset", "until", "while",
    ],
};

const DATA: Syntax = Syntax {
    line_comments: &["#"],
    block_comment: None,
    quotes: &['"', '\''],
    block_quotes: &["\"\"\"", "'''"],
    string_prefixes: &[],
    has_lone_quotes: false,
    keywords: &["true", "false", "null", "yes", "no"],
};

const JSON: Syntax = Syntax { line_comments: &[], quotes: &['"'], block_quotes: &[], ..DATA };

const SQL: Syntax = Syntax {
    line_comments: &["--"],
    block_comment: Some(("/*", "*/")),
    quotes: &['"', '\''],
    block_quotes: &[],
    string_prefixes: &[],
    has_lone_quotes: false,
    keywords: &[
        "SELECT", "FROM", "WHERE", "INSERT", "INTO", "VALUES", "UPDATE", "SET", "DELETE", "CREATE", "TABLE",
        "INDEX", "DROP", "ALTER", "JOIN", "LEFT", "INNER", "ON", "AND", "OR", "NOT", "NULL", "ORDER",
        "GROUP", "BY", "LIMIT", "AS", "local", "function", "end", "then", "if", "else", "return", "nil",
    ],
};

const MARKUP: Syntax = Syntax {
    line_comments: &[],
    block_comment: Some(("<!--", "-->")),
    quotes: &['"'],
    block_quotes: &[],
    string_prefixes: &[],
    has_lone_quotes: false,
    keywords: &[],
};

/// The syntax of a language, if it is known.
pub(super) fn syntax_of(language: &str) -> Option<Syntax> {
    Some(match language.to_ascii_lowercase().as_str() {
        "rust" | "rs" => RUST,
        "c" | "cpp" | "c_sharp" | "dart" | "go" | "groovy" | "java" | "javascript" | "js" | "jsx"
        | "kotlin" | "objective_c" | "php" | "protobuf" | "scala" | "scss" | "css" | "swift" | "thrift"
        | "typescript" | "ts" | "tsx" => C_LIKE,
        "python" | "py" | "ruby" | "rb" | "r" | "julia" | "perl" => PYTHON,
        "bash" | "sh" | "shell" | "zsh" | "powershell" | "makefile" | "docker_file" | "dockerfile"
        | "nginx" => SHELL,
        "yaml" | "yml" | "toml" | "properties" | "ini" | "graphql" => DATA,
        "json" => JSON,
        "sql" | "lua" => SQL,
        "html" | "xml" => MARKUP,
        _ => return None,
    })
}
