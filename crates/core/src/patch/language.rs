//! The language of a file by its name, as fences call it.

/// Languages by file name, for files whose extension says nothing or the wrong thing.
const NAMES: [(&str, &str); 42] = [
    (".bash_profile", "bash"),
    (".bashrc", "bash"),
    (".dockerignore", "gitignore"),
    (".editorconfig", "ini"),
    (".env", "bash"),
    (".gitattributes", "gitattributes"),
    (".gitconfig", "ini"),
    (".gitignore", "gitignore"),
    (".gitmodules", "ini"),
    (".npmrc", "ini"),
    (".prettierrc", "json"),
    (".profile", "bash"),
    (".vimrc", "vim"),
    (".zprofile", "zsh"),
    (".zshrc", "zsh"),
    ("brewfile", "ruby"),
    ("build.bazel", "python"),
    ("caddyfile", "caddyfile"),
    ("cargo.lock", "toml"),
    ("cmakelists.txt", "cmake"),
    ("containerfile", "dockerfile"),
    ("dockerfile", "dockerfile"),
    ("gemfile", "ruby"),
    ("gnumakefile", "makefile"),
    ("go.mod", "go"),
    ("go.work", "go"),
    ("jenkinsfile", "groovy"),
    ("justfile", "just"),
    ("makefile", "makefile"),
    ("meson.build", "meson"),
    ("nginx.conf", "nginx"),
    ("pipfile", "toml"),
    ("pipfile.lock", "json"),
    ("pkgbuild", "bash"),
    ("podfile", "ruby"),
    ("poetry.lock", "toml"),
    ("procfile", "yaml"),
    ("rakefile", "ruby"),
    ("tiltfile", "python"),
    ("uv.lock", "toml"),
    ("vagrantfile", "ruby"),
    ("yarn.lock", "yaml"),
];

/// Languages by extension.
const EXTENSIONS: [(&str, &str); 168] = [
    ("adb", "ada"),
    ("asm", "asm"),
    ("astro", "astro"),
    ("awk", "awk"),
    ("bash", "bash"),
    ("bat", "batch"),
    ("bazel", "python"),
    ("bzl", "python"),
    ("c", "c"),
    ("cc", "cpp"),
    ("cjs", "javascript"),
    ("cl", "c"),
    ("clj", "clojure"),
    ("cljs", "clojure"),
    ("cmake", "cmake"),
    ("cmd", "batch"),
    ("coffee", "coffeescript"),
    ("conf", "ini"),
    ("cpp", "cpp"),
    ("cr", "crystal"),
    ("cs", "csharp"),
    ("csproj", "xml"),
    ("css", "css"),
    ("csv", "csv"),
    ("cts", "typescript"),
    ("cu", "cpp"),
    ("cxx", "cpp"),
    ("d", "d"),
    ("dart", "dart"),
    ("desktop", "ini"),
    ("diff", "diff"),
    ("dockerfile", "dockerfile"),
    ("el", "lisp"),
    ("elm", "elm"),
    ("env", "bash"),
    ("erl", "erlang"),
    ("ets", "typescript"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("f90", "fortran"),
    ("fish", "fish"),
    ("fs", "fsharp"),
    ("fsx", "fsharp"),
    ("gd", "gdscript"),
    ("geojson", "json"),
    ("glsl", "glsl"),
    ("go", "go"),
    ("gql", "graphql"),
    ("gradle", "groovy"),
    ("graphql", "graphql"),
    ("groovy", "groovy"),
    ("h", "c"),
    ("handlebars", "handlebars"),
    ("hbs", "handlebars"),
    ("hcl", "hcl"),
    ("hh", "cpp"),
    ("hlsl", "hlsl"),
    ("hpp", "cpp"),
    ("hrl", "erlang"),
    ("hs", "haskell"),
    ("htm", "html"),
    ("html", "html"),
    ("hxx", "cpp"),
    ("ini", "ini"),
    ("ino", "cpp"),
    ("ipynb", "json"),
    ("java", "java"),
    ("jinja", "jinja"),
    ("jinja2", "jinja"),
    ("jl", "julia"),
    ("js", "javascript"),
    ("json", "json"),
    ("json5", "json5"),
    ("jsonc", "jsonc"),
    ("jsonl", "json"),
    ("jsx", "jsx"),
    ("just", "just"),
    ("kt", "kotlin"),
    ("kts", "kotlin"),
    ("less", "less"),
    ("lisp", "lisp"),
    ("lua", "lua"),
    ("m", "objectivec"),
    ("make", "makefile"),
    ("markdown", "markdown"),
    ("md", "markdown"),
    ("mdx", "mdx"),
    ("mjs", "javascript"),
    ("mk", "makefile"),
    ("ml", "ocaml"),
    ("mli", "ocaml"),
    ("mm", "objectivec"),
    ("mts", "typescript"),
    ("nim", "nim"),
    ("nix", "nix"),
    ("nu", "nu"),
    ("patch", "diff"),
    ("php", "php"),
    ("pl", "perl"),
    ("plist", "xml"),
    ("pm", "perl"),
    ("prisma", "prisma"),
    ("properties", "properties"),
    ("proto", "protobuf"),
    ("ps1", "powershell"),
    ("psd1", "powershell"),
    ("psm1", "powershell"),
    ("purs", "purescript"),
    ("py", "python"),
    ("pyi", "python"),
    ("pyx", "python"),
    ("r", "r"),
    ("rake", "ruby"),
    ("rb", "ruby"),
    ("rego", "rego"),
    ("rkt", "racket"),
    ("ron", "rust"),
    ("rs", "rust"),
    ("rst", "rst"),
    ("s", "asm"),
    ("sass", "sass"),
    ("sbt", "scala"),
    ("scala", "scala"),
    ("scm", "scheme"),
    ("scss", "scss"),
    ("service", "ini"),
    ("sh", "bash"),
    ("sln", "text"),
    ("sol", "solidity"),
    ("sql", "sql"),
    ("star", "python"),
    ("sv", "verilog"),
    ("svelte", "svelte"),
    ("svg", "xml"),
    ("swift", "swift"),
    ("tcl", "tcl"),
    ("tex", "latex"),
    ("tf", "hcl"),
    ("tfvars", "hcl"),
    ("thrift", "thrift"),
    ("toml", "toml"),
    ("ts", "typescript"),
    ("tsv", "csv"),
    ("tsx", "tsx"),
    ("txt", "text"),
    ("typ", "typst"),
    ("v", "verilog"),
    ("vb", "vbnet"),
    ("vert", "glsl"),
    ("vhd", "vhdl"),
    ("vhdl", "vhdl"),
    ("vim", "vim"),
    ("vue", "vue"),
    ("wat", "wasm"),
    ("webmanifest", "json"),
    ("wgsl", "wgsl"),
    ("xaml", "xml"),
    ("xhtml", "html"),
    ("xml", "xml"),
    ("xsd", "xml"),
    ("xsl", "xml"),
    ("yaml", "yaml"),
    ("yang", "yang"),
    ("yml", "yaml"),
    ("zig", "zig"),
    ("zsh", "zsh"),
    ("zsh-theme", "zsh"),
    ("zshrc", "zsh"),
];

/// The fence language of a file, by its name or extension, without regard to case. Nothing if it is not known.
///
/// ```
/// # use larkspan_core::patch::language;
/// assert_eq!(language("src/app.TS"), Some("typescript"));
/// assert_eq!(language(r"C:\app\Dockerfile"), Some("dockerfile"));
/// assert_eq!(language("LICENSE"), None);
/// ```
pub fn language(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    if let Some(language) = find(&NAMES, &name) {
        return Some(language);
    }
    let (stem, extension) = name.rsplit_once('.')?;
    match find(&EXTENSIONS, extension) {
        // `Dockerfile.dev`, `.env.local`: the name before the extension says it.
        None => find(&NAMES, stem).filter(|_| !stem.is_empty()),
        found => found,
    }
}

/// The language that all of the files have, or nothing if they differ or one of them is not known.
pub fn common_language<'a>(paths: impl IntoIterator<Item = &'a str>) -> Option<&'static str> {
    let mut languages = paths.into_iter().map(language);
    let first = languages.next()??;
    languages.all(|language| language == Some(first)).then_some(first)
}

fn find(table: &[(&str, &'static str)], key: &str) -> Option<&'static str> {
    table
        .binary_search_by(|(name, _)| (*name).cmp(key))
        .ok()
        .and_then(|at| table.get(at))
        .map(|(_, language)| *language)
}

#[cfg(test)]
mod tests {
    use super::{EXTENSIONS, NAMES, common_language, language};

    #[test]
    fn tables_are_sorted() {
        assert!(NAMES.is_sorted_by(|one, other| one.0 < other.0));
        assert!(EXTENSIONS.is_sorted_by(|one, other| one.0 < other.0));
    }

    #[test]
    fn languages_of_files() {
        let check = |path: &str, expected: Option<&str>| assert_eq!(language(path), expected, "{path}");
        check("a.rs", Some("rust"));
        check("/w/x.y/a.test.tsx", Some("tsx"));
        check("CMakeLists.txt", Some("cmake"));
        check("notes.txt", Some("text"));
        check("Makefile", Some("makefile"));
        check("Dockerfile.dev", Some("dockerfile"));
        check(".env.local", Some("bash"));
        check(".gitignore", Some("gitignore"));
        check("a", None);
        check("a.", None);
        check("", None);
        check("a.unknown", None);
        check("dir.rs/file", None);
    }

    #[test]
    fn a_common_language_is_one_of_all() {
        assert_eq!(common_language(["a.rs", "b.rs"]), Some("rust"));
        assert_eq!(common_language(["a.rs", "b.py"]), None);
        assert_eq!(common_language(["a.rs", "LICENSE"]), None);
        assert_eq!(common_language([]), None);
    }
}
