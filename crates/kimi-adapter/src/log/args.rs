//! How far streamed JSON has come, at the cost of one look at each byte.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    depth: u64,
    is_in_string: bool,
    is_escaped: bool,
    is_whole: bool,
}

impl Progress {
    /// Reads on.
    pub(super) fn read(&mut self, part: &str) {
        for byte in part.bytes() {
            if self.is_in_string {
                match byte {
                    _ if self.is_escaped => self.is_escaped = false,
                    b'\\' => self.is_escaped = true,
                    b'"' => self.is_in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.is_in_string = true,
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.is_whole |= self.depth == 0;
                }
                _ => {}
            }
        }
    }

    /// Whether an object has come to its end.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }
}
