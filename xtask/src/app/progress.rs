//! Progress of long work: on standard error, and only where a person looks at it.

use std::io::{IsTerminal, stderr, stdout};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over the bytes of a file, or nothing. Where the output itself goes to the terminal, it shows the progress.
pub(super) fn over_file(path: &Path) -> ProgressBar {
    let is_watched = stderr().is_terminal() && !stdout().is_terminal();
    let length = std::fs::metadata(path).map(|file| file.len()).unwrap_or_default();
    if !is_watched || length == 0 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {binary_bytes_per_sec} {eta}")
    {
        bar.set_style(style);
    }
    bar
}
