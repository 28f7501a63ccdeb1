//! The same thing said by two shapes of row is told once.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// How many things wait for their twin at most.
const REMEMBERED: usize = 32;

/// Which kind of row says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Source {
    /// A prompt, as the person gave it.
    Prompt,
    /// An event, of the agent's loop or of the older shape.
    Event,
    /// A message, as the model gets it.
    Message,
}

/// What was said, and by which kind of row.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Twins(VecDeque<(Source, u64)>);

impl Twins {
    /// Whether another kind of row has said the same. It answers for one twin only.
    pub(super) fn take(&mut self, source: Source, said: u64) -> bool {
        let twin = self.0.iter().position(|(of, there)| *of != source && *there == said);
        twin.is_some_and(|at| self.0.remove(at).is_some())
    }

    /// Remembers what was said.
    pub(super) fn push(&mut self, source: Source, said: u64) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((source, said));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// A number that stands for these texts, in this order: FNV-1a, the same in every build.
pub(super) fn mark_of(texts: &[&str]) -> u64 {
    let mut mark = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        // No byte of a text is 0xff: it parts them.
        for byte in text.bytes().chain([0xff]) {
            mark = (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    mark
}
