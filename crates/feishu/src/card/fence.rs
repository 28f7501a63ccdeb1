//! Fences: where code begins and ends in Markdown, and what the platform calls its language.

/// An open fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence<'a> {
    mark: char,
    length: usize,
    /// How far it is indented.
    pub(super) indent: usize,
    /// What stands behind it.
    pub(super) info: &'a str,
}

impl<'a> Fence<'a> {
    /// The fence that a line opens. Within a list it may be indented as far as it likes.
    pub(super) fn open(line: &'a str, is_in_list: bool) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let (indent, length) = (line.len() - text.len(), text.len() - info.len());
        let is_fence = length >= 3 && (indent <= 3 || is_in_list) && !(mark == '`' && info.contains('`'));
        is_fence.then_some(Self { mark, length, indent, info: info.trim() })
    }

    /// Whether a line closes it.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        let indent = line.len() - line.trim_start_matches(' ').len();
        indent <= self.indent.max(3) && text.len() >= self.length && text.chars().all(|c| c == self.mark)
    }

    /// The line that opens it, again.
    pub(super) fn opening(&self) -> String {
        format!("{}{}", self.closing(), self.info)
    }

    /// A line that closes it.
    pub(super) fn closing(&self) -> String {
        let indent = " ".repeat(self.indent.min(3));
        indent + &String::from(self.mark).repeat(self.length)
    }

    /// The platform's name of its language.
    pub(super) fn language(&self) -> &'static str {
        language(self.info.split([' ', '{', ',']).next().unwrap_or_default())
    }
}

/// Languages that the platform knows, by the names that people write.
#[rustfmt::skip]
const LANGUAGES: &[(&str, &[&str])] = &[
    ("bash", &["bash", "sh", "zsh", "shell", "console", "shellsession", "fish"]),
    ("c", &["c", "h"]),
    ("c_sharp", &["c#", "cs", "csharp", "c_sharp"]),
    ("cpp", &["cpp", "c++", "cc", "cxx", "hpp"]),
    ("css", &["css"]),
    ("dart", &["dart"]),
    ("diff", &["diff", "patch", "udiff"]),
    ("docker_file", &["dockerfile", "docker", "docker_file"]),
    ("go", &["go", "golang"]),
    ("graphql", &["graphql", "gql"]),
    ("groovy", &["groovy", "gradle"]),
    ("html", &["html", "htm", "vue", "svelte"]),
    ("http", &["http"]),
    ("java", &["java"]),
    ("javascript", &["javascript", "js", "jsx", "mjs", "cjs"]),
    ("json", &["json", "jsonc", "json5", "jsonl"]),
    ("julia", &["julia", "jl"]),
    ("kotlin", &["kotlin", "kt", "kts"]),
    ("lua", &["lua"]),
    ("makefile", &["makefile", "make", "mk"]),
    ("markdown", &["markdown", "md", "mdx"]),
    ("nginx", &["nginx"]),
    ("objective_c", &["objective-c", "objectivec", "objc", "objective_c", "m"]),
    ("perl", &["perl", "pl"]),
    ("php", &["php"]),
    ("powershell", &["powershell", "ps1", "pwsh"]),
    ("properties", &["properties", "ini", "env", "dotenv"]),
    ("protobuf", &["protobuf", "proto"]),
    ("python", &["python", "py", "python3"]),
    ("r", &["r"]),
    ("ruby", &["ruby", "rb"]),
    ("rust", &["rust", "rs"]),
    ("scala", &["scala", "sbt"]),
    ("scss", &["scss", "sass"]),
    ("sql", &["sql", "postgres", "postgresql", "mysql", "sqlite"]),
    ("swift", &["swift"]),
    ("thrift", &["thrift"]),
    ("toml", &["toml"]),
    ("typescript", &["typescript", "ts", "tsx", "mts", "cts"]),
    ("xml", &["xml", "svg", "plist"]),
    ("yaml", &["yaml", "yml"]),
];

/// What is no language.
pub(super) const PLAIN_TEXT: &str = "plain_text";

fn language(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let known = LANGUAGES.iter().find(|(_, names)| names.contains(&name.as_str()));
    known.map_or(PLAIN_TEXT, |(language, _)| language)
}

#[cfg(test)]
mod tests {
    use super::Fence;

    #[test]
    fn fences_open_and_close_as_in_markdown() {
        let open = |line, in_list| Fence::open(line, in_list).map(|fence| fence.language());
        for (line, in_list, language) in [
            ("```rust", false, Some("rust")),
            ("   ~~~ TSX {1}", false, Some("typescript")),
            ("    ```", false, None),
            ("     ```js", true, Some("javascript")),
            ("``` a`b", false, None),
            ("``", false, None),
            ("````brainfuck", false, Some("plain_text")),
        ] {
            assert_eq!(open(line, in_list), language, "{line}");
        }
        let fence = Fence::open("````md", false).unwrap();
        assert!(!fence.is_closed_by("```") && fence.is_closed_by("`````") && !fence.is_closed_by("````x"));
        assert_eq!((fence.opening().as_str(), fence.closing().as_str()), ("````md", "````"));
    }
}
