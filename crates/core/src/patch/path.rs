//! Paths as strings, of POSIX or Windows style, whatever system this runs on: a log may come from another.

/// The path as seen from a directory: what a title or a diff shows.
///
/// Both are cleaned of `.` and `..` by their text alone. A path inside the directory loses it; one outside stays
/// absolute, and so does any path where the directory is unknown, relative or a root. A relative path is only
/// cleaned. Windows paths (a drive, or two backslashes) compare without regard to ASCII case and to the kind of
/// slash, and keep their own.
///
/// ```
/// # use larkspan_core::patch::relative_to;
/// assert_eq!(relative_to("/w/demo/src/a.py", "/w/demo/"), "src/a.py");
/// assert_eq!(relative_to("/w/other/a.py", "/w/demo"), "/w/other/a.py");
/// assert_eq!(relative_to("./src/../a.py", "/w/demo"), "a.py");
/// assert_eq!(relative_to(r"C:\w\Demo\a.py", "c:/w/demo"), "a.py");
/// ```
pub fn relative_to(path: &str, workdir: &str) -> String {
    let path = Parts::of(path);
    let workdir = Parts::of(workdir);
    let comparable = path.root.is_some() && !workdir.names.is_empty() && path.same_root(&workdir);
    let inside = comparable
        && path.names.len() >= workdir.names.len()
        && workdir.names.iter().zip(&path.names).all(|(one, other)| path.same_name(one, other));
    if inside { path.join(workdir.names.len(), false) } else { path.join(0, true) }
}

/// A path taken apart.
struct Parts<'a> {
    /// `/`, `C:\`, `\\server\share\` as written; nothing for a relative path.
    root: Option<&'a str>,
    names: Vec<&'a str>,
    windows: bool,
}

impl<'a> Parts<'a> {
    fn of(path: &'a str) -> Self {
        let path = path.strip_prefix(r"\\?\").unwrap_or(path);
        let bytes = path.as_bytes();
        let has_drive = matches!(bytes, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
        let windows = has_drive || path.starts_with(r"\\");
        let root_length = if has_drive {
            3
        } else if windows {
            2
        } else {
            usize::from(path.starts_with('/'))
        };
        let (root, rest) = path.split_at_checked(root_length).unwrap_or(("", path));
        let root = (!root.is_empty()).then_some(root);
        let separators: &[char] = if windows { &['/', '\\'] } else { &['/'] };
        let mut names: Vec<&str> = Vec::new();
        for name in rest.split(separators) {
            match name {
                "" | "." => {}
                ".." if names.last().is_some_and(|last| *last != "..") => {
                    names.pop();
                }
                // Above a root there is nothing.
                ".." if root.is_some() => {}
                _ => names.push(name),
            }
        }
        Self { root, names, windows }
    }

    fn same_root(&self, other: &Self) -> bool {
        match (self.root, other.root) {
            (Some(one), Some(other_root)) if self.windows && other.windows => {
                one.replace('/', r"\").eq_ignore_ascii_case(&other_root.replace('/', r"\"))
            }
            (Some(one), Some(other_root)) => self.windows == other.windows && one == other_root,
            (Some(_) | None, _) => false,
        }
    }

    fn same_name(&self, one: &str, other: &str) -> bool {
        if self.windows { one.eq_ignore_ascii_case(other) } else { one == other }
    }

    fn join(&self, from: usize, with_root: bool) -> String {
        let separator = match (self.windows, self.root) {
            (true, Some(root)) if root.ends_with('\\') => r"\",
            (_, _) => "/",
        };
        let names = self.names.get(from..).unwrap_or_default().join(separator);
        match self.root.filter(|_| with_root) {
            Some(root) => format!("{root}{names}"),
            None if names.is_empty() => ".".to_owned(),
            None => names,
        }
    }
}
