//! Splits a program's arguments into options and operands, knowing which options take a value.
//!
//! The conventions are those of `getopt_long`: letters cluster (`-nA3`), a value follows in the same
//! word or in the next one, `--name=value` or `--name value`, options may follow operands, `--` ends them.

use super::syntax::{Word, WordKind};

/// The options of a program that take a value. Options that are not named here are flags.
pub(super) struct Spec {
    /// Letters.
    pub(super) short: &'static str,
    /// Long names without dashes, separated by blanks.
    pub(super) long: &'static str,
}

impl Spec {
    /// Whether a long option takes a value.
    pub(super) fn takes_value(&self, long: &str) -> bool {
        self.long.split_ascii_whitespace().any(|name| name == long)
    }
}

/// An option as it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name<'a> {
    Short(char),
    Long(&'a str),
}

/// A program's arguments, taken apart.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    pub(super) options: Vec<(Name<'a>, Option<&'a str>)>,
    pub(super) operands: Vec<&'a Word>,
    /// Where `--` stood among the operands.
    pub(super) separator: Option<usize>,
}

impl<'a> Arguments<'a> {
    pub(super) fn parse(words: &'a [Word], spec: &Spec) -> Self {
        let mut arguments = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.value.as_str();
            if arguments.separator.is_some() || text.len() < 2 || !text.starts_with('-') {
                arguments.operands.push(word);
            } else if text == "--" {
                arguments.separator = Some(arguments.operands.len());
            } else if let Some(long) = text.strip_prefix("--") {
                let (name, mut value) = match long.split_once('=') {
                    Some((name, value)) => (name, Some(value)),
                    None => (long, None),
                };
                if value.is_none() && spec.takes_value(name) {
                    value = words.next().map(|word| word.value.as_str());
                }
                arguments.options.push((Name::Long(name), value));
            } else {
                for (at, letter) in text.char_indices().skip(1) {
                    if !spec.short.contains(letter) {
                        arguments.options.push((Name::Short(letter), None));
                        continue;
                    }
                    let attached = text.get(at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
                    let value = attached.or_else(|| words.next().map(|word| word.value.as_str()));
                    arguments.options.push((Name::Short(letter), value));
                    break;
                }
            }
        }
        arguments
    }

    /// Whether one of the options was given.
    pub(super) fn has(&self, letters: &str, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| is_one_of(*name, letters, names))
    }

    /// The values given for one of the options, in order.
    pub(super) fn values(&self, letters: &str, names: &[&str]) -> Vec<&'a str> {
        let given = self.options.iter().filter(|(name, _)| is_one_of(*name, letters, names));
        given.filter_map(|(_, value)| *value).collect()
    }

    /// The operands that name files: not `-`, and no process substitution.
    pub(super) fn files(&self) -> Vec<String> {
        files(&self.operands)
    }
}

/// The words that name files: not `-`, and no process substitution.
pub(super) fn files(words: &[&Word]) -> Vec<String> {
    words.iter().filter(|word| names_file(word)).map(|word| word.value.clone()).collect()
}

/// Whether a word stands for a file of its own.
pub(super) fn names_file(word: &Word) -> bool {
    let substitution = word.kind == WordKind::Dynamic && word.value.starts_with(['<', '>']);
    !substitution && word.value != "-" && !word.value.is_empty()
}

fn is_one_of(name: Name<'_>, letters: &str, names: &[&str]) -> bool {
    match name {
        Name::Short(letter) => letters.contains(letter),
        Name::Long(long) => names.contains(&long),
    }
}
