//! Paths as text: logs come from other machines, so nothing here asks the file system.

/// `path` as seen from `base`, without `.` and `..`; `file://` URLs become paths. A path that is relative, without a base,
/// stays relative.
pub fn resolve(path: &str, base: Option<&str>) -> String {
    let path = strip_file_url(path);
    let joined = match base {
        Some(base) if !is_absolute(&path) => format!("{}/{path}", strip_file_url(base)),
        _ => path.into_owned(),
    };
    let absolute = joined.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            other => parts.push(other),
        }
    }
    let body = parts.join("/");
    if absolute { format!("/{body}") } else { body }
}

/// Whether a path is absolute, on Unix or on Windows.
pub fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with(['/', '\\'])
        || matches!(bytes, [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

/// The path of a `file://` URL (percent-encoding undone); other text as it is.
pub fn strip_file_url(path: &str) -> std::borrow::Cow<'_, str> {
    let Some(rest) = path.strip_prefix("file://") else { return path.into() };
    // `file:///C:/x` names the Windows path `C:/x`.
    let rest = match rest.as_bytes() {
        [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => &rest[1..],
        _ => rest,
    };
    if !rest.contains('%') {
        return rest.into();
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let [first, tail @ ..] = left {
        let hex = |at: usize| tail.get(at).and_then(|b| char::from(*b).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (first, hex(0), hex(1)) {
            bytes.push((high * 16 + low) as u8);
            left = &tail[2..];
        } else {
            bytes.push(*first);
            left = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_resolve_as_text() {
        for (path, base, expected) in [
            ("src", Some("/w"), "/w/src"),
            ("./a/../b", Some("/w/"), "/w/b"),
            ("/x/./y", Some("/w"), "/x/y"),
            ("../..", Some("/w"), "/"),
            ("../a", None, "../a"),
            ("file:///w/a%20b", None, "/w/a b"),
            ("src", Some("file:///w"), "/w/src"),
            ("C:\\w\\a", Some("/w"), "C:/w/a"),
            ("file:///C:/w", None, "C:/w"),
            ("a%zz", None, "a%zz"),
            ("file:///a%zz%", None, "/a%zz%"),
        ] {
            assert_eq!(resolve(path, base), expected, "{path}");
        }
    }
}
