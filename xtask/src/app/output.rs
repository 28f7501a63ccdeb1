//! What may be written to: never the log itself.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Refuses an output that is the log itself, under whatever name: writing it would destroy what is to be read.
pub(super) fn check(log: &Path, out: &Path) -> Result<()> {
    let plain = log.extension().is_some_and(|ending| ending == "zst").then(|| log.with_extension(""));
    let packed = PathBuf::from(format!("{}.zst", log.display()));
    let names = [Some(log), plain.as_deref(), Some(packed.as_path())];
    if names.into_iter().flatten().any(|name| is_same_file(name, out)) {
        bail!("{} is the log itself: name another file to write to", out.display());
    }
    Ok(())
}

/// Whether two names are of one file, also through links. A file that is not there yet is known by its place.
fn is_same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (std::fs::metadata(one), std::fs::metadata(other)) {
        use std::os::unix::fs::MetadataExt;
        return (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    place(one) == place(other)
}

/// The real place of a name, whose last part need not exist.
fn place(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = path.canonicalize() {
        return Some(real);
    }
    let absolute = std::path::absolute(path).ok()?;
    Some(absolute.parent()?.canonicalize().ok()?.join(absolute.file_name()?))
}
