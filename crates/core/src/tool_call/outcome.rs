//! What came of a call: exit code, duration, output, failure.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::text;
use crate::time::duration_ms;

/// How many lines an output has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Lines {
    /// The number.
    pub count: u64,
    /// Whether the output may have more, since only a part of it was recorded.
    pub at_least: bool,
}

/// Text that a call printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Output {
    /// The text, as far as recorded (or kept), without any transport envelope.
    pub text: Arc<str>,
    /// Its lines, of the whole output where the log tells.
    pub lines: Lines,
    /// Whether the log holds, or this program kept, only a part.
    pub cut: bool,
}

impl Output {
    /// A whole output.
    pub fn whole(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let lines = Lines { count: text::line_count(&text) as u64, at_least: false };
        Self { text, lines, cut: false }
    }

    /// A part of an output; `total` is its number of lines where the log tells it.
    pub fn part(text: impl Into<Arc<str>>, total: Option<u64>) -> Self {
        let text = text.into();
        let lines = match total {
            Some(count) => Lines { count, at_least: false },
            None => Lines { count: text::line_count(&text) as u64, at_least: true },
        };
        Self { text, lines, cut: true }
    }

    /// Whether there is nothing to show: an empty body is no output.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// An image or file in an output, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Media {
    /// The MIME type, as recorded.
    pub mime: String,
    /// Size of the recorded data in bytes, as encoded in the log.
    pub encoded_bytes: u64,
}

/// What came of a call, as far as recorded. A blank field is "not said", never "none".
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Outcome {
    /// The process's exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// How long it took.
    #[serde(
        rename = "duration_ms",
        serialize_with = "duration_ms::serialize",
        skip_serializing_if = "Option::is_none"
    )]
    pub duration: Option<Duration>,
    /// The id of the terminal or cell that went on in the background when this very call returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_session: Option<String>,
    /// Whether a time limit ended it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// What it printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// Why it failed, the first line first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Arc<str>>,
    /// Whether it failed because a person or a policy refused it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub declined: bool,
    /// The call itself is recorded as above, but the script that made it failed afterwards, for this reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_failure: Option<Arc<str>>,
    /// Images in its output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
}

impl Outcome {
    /// Fills what this does not say from `other`; of two outputs the less truncated stays, this one's on a tie.
    pub fn fill_from(&mut self, other: &Self) {
        self.exit_code = self.exit_code.or(other.exit_code);
        self.duration = self.duration.or(other.duration);
        if self.running_session.is_none() {
            self.running_session.clone_from(&other.running_session);
        }
        self.timed_out |= other.timed_out;
        self.declined |= other.declined;
        self.output = match (self.output.take(), &other.output) {
            (Some(mine), Some(theirs)) => Some(fuller(mine, theirs)),
            (mine, theirs) => mine.or_else(|| theirs.clone()),
        };
        if self.failure.is_none() {
            self.failure.clone_from(&other.failure);
        }
        if self.script_failure.is_none() {
            self.script_failure.clone_from(&other.script_failure);
        }
        if self.media.is_empty() {
            self.media.clone_from(&other.media);
        }
    }
}

fn fuller(mine: Output, theirs: &Output) -> Output {
    let theirs_is_fuller = match (mine.cut, theirs.cut) {
        (true, false) => !theirs.is_empty(),
        (true, true) => theirs.text.len() > mine.text.len(),
        (false, _) => mine.is_empty() && !theirs.is_empty(),
    };
    // The exact total belongs to the output, whichever part of it is kept.
    let exact = [&mine.lines, &theirs.lines].into_iter().find(|l| !l.at_least).copied();
    let mut kept = if theirs_is_fuller { theirs.clone() } else { mine };
    if kept.cut
        && let Some(lines) = exact
    {
        kept.lines = lines;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_less_truncated_output_stays_with_the_exact_total() {
        let item = Outcome { output: Some(Output::part("1\n2\n3\n4\n", None)), ..Outcome::default() };
        let answer = Outcome { output: Some(Output::part("1\n2\n", Some(30_000))), ..Outcome::default() };
        let mut merged = item.clone();
        merged.fill_from(&answer);
        let output = merged.output.expect("an output");
        assert_eq!(&*output.text, "1\n2\n3\n4\n");
        assert_eq!(output.lines, Lines { count: 30_000, at_least: false });

        let mut merged = answer;
        merged.fill_from(&Outcome { output: Some(Output::whole("all\n")), ..Outcome::default() });
        assert_eq!(merged.output.map(|o| (o.text.to_string(), o.cut)), Some(("all\n".to_owned(), false)));
    }

    #[test]
    fn blank_never_erases() {
        let said = Outcome { exit_code: Some(3), failure: Some("why".into()), ..Outcome::default() };
        let mut merged = said.clone();
        merged.fill_from(&Outcome::default());
        assert_eq!(merged, said);
        let mut blank = Outcome::default();
        blank.fill_from(&said);
        assert_eq!(blank, said);
    }
}
