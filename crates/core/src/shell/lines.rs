//! Which lines of a file a command shows: ranges, and what head, tail, sed and awk do to them.

/// The lines of a file that a command asks for, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: u64,
    /// The last line; nothing when it runs to the end of the file.
    pub last: Option<u64>,
}

/// What part of its input a program passes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// All of it, in order.
    All,
    /// These lines.
    Range(LineRange),
    /// The last so many.
    Last(u64),
    /// Some part that has no line numbers.
    Part,
}

impl Lines {
    pub(super) fn range(first: u64, last: Option<u64>) -> Self {
        let last_is_sound = last.is_none_or(|last| last >= first);
        if first >= 1 && last_is_sound { Self::Range(LineRange { first, last }) } else { Self::Part }
    }

    /// What is left of the file after `next` has read what `self` passed on.
    pub(super) fn then(self, next: Self) -> Self {
        match (self, next) {
            (lines, Self::All) | (Self::All, lines) => lines,
            (Self::Range(held), Self::Range(asked)) => {
                let first = held.first.saturating_add(asked.first - 1);
                let asked_last = asked.last.map(|last| held.first.saturating_add(last.saturating_sub(1)));
                let last = match (held.last, asked_last) {
                    (Some(one), Some(other)) => Some(one.min(other)),
                    (one, other) => one.or(other),
                };
                Self::range(first, last)
            }
            (Self::Range(LineRange { first, last: Some(last) }), Self::Last(count)) if count > 0 => {
                Self::range(first.max(last.saturating_sub(count - 1)), Some(last))
            }
            (Self::Range(_) | Self::Last(_) | Self::Part, _) => Self::Part,
        }
    }

    /// The range, if the lines have numbers and are not simply all.
    pub(super) fn known(self) -> Option<LineRange> {
        match self {
            Self::Range(range) => Some(range),
            Self::All | Self::Last(_) | Self::Part => None,
        }
    }
}
