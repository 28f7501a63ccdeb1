//! What is known of a turn's cards, over restarts.

use larkspan_core::ids::{SessionId, TurnId};
use larkspan_core::ports::StateStore;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::card::{Delivered, Slice};
use crate::plan::Trust;
use crate::platform::{CardKey, Sent};

/// The version of the saved state.
const VERSION: u32 = 1;
/// How many sequences are reserved at once.
const RESERVED: i32 = 64;
/// How far the sequence jumps when the platform knows a higher one.
const JUMP: i32 = 1_000;

/// A turn's cards.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TurnState {
    version: u32,
    pub(crate) parts: Vec<Part>,
    /// The end is shown.
    pub(crate) is_done: bool,
    /// When it was done, in milliseconds since 1970.
    pub(crate) done_at: Option<i64>,
    /// When it was saved by whoever goes on with it, in milliseconds since 1970.
    #[serde(default)]
    pub(crate) saved_at: i64,
    /// Nobody went on with it, and its card says so.
    #[serde(default)]
    pub(crate) is_ended_for_now: bool,
}

/// One card.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) card: Option<CardKey>,
    pub(crate) sent: Option<Sent>,
    /// The highest sequence that may have been used.
    reserved: i32,
    /// The highest that was used by this process.
    #[serde(skip)]
    used: Option<i32>,
    /// What it shows.
    pub(crate) shown: Vec<Slice>,
    /// It shows this for good; the turn goes on in the next.
    pub(crate) is_sealed: bool,
    /// The platform has lost it: nothing more is sent to it.
    pub(crate) is_dead: bool,
    /// What the platform has accepted.
    pub(crate) shadow: Option<Value>,
    pub(crate) trust: Trust,
    pub(crate) is_streaming: bool,
}

impl Default for TurnState {
    fn default() -> Self {
        Self {
            version: VERSION,
            parts: vec![Part::default()],
            is_done: false,
            done_at: None,
            saved_at: 0,
            is_ended_for_now: false,
        }
    }
}

impl Default for Part {
    fn default() -> Self {
        Self {
            card: None,
            sent: None,
            reserved: 0,
            used: None,
            shown: Vec::new(),
            is_sealed: false,
            is_dead: false,
            shadow: None,
            trust: Trust::Unknown,
            is_streaming: false,
        }
    }
}

/// What the names of all turns' states begin with.
pub(super) const PREFIX: &str = "feishu/turn/";

/// The name of a turn's state in the store.
pub(crate) fn state_name(scope: &str, session: &SessionId, turn: &TurnId) -> String {
    format!("{PREFIX}{scope}/{session}/{turn}")
}

impl TurnState {
    pub(crate) async fn load(store: &dyn StateStore, name: &str) -> Self {
        let bytes = match store.get(name).await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Self::default(),
            Err(error) => {
                tracing::warn!("the state of a card cannot be read, a new card is made: {error}");
                return Self::default();
            }
        };
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(mut state) if state.version == VERSION && !state.parts.is_empty() => {
                // A call may have been in flight.
                state.parts.iter_mut().for_each(|part| part.trust = Trust::Unknown);
                state
            }
            Ok(_) | Err(_) => {
                tracing::warn!("the state {name} of a card cannot be used, a new card is made");
                Self::default()
            }
        }
    }

    pub(crate) async fn save(&self, store: &dyn StateStore, name: &str) {
        let saved = match serde_json::to_vec(self) {
            Ok(bytes) => store.put(name, &bytes).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = saved {
            tracing::warn!(
                "the state of a card cannot be saved: after a crash it may be shown anew: {error}"
            );
        }
    }

    /// What the sealed cards show.
    pub(crate) fn delivered(&self) -> Delivered {
        let mut delivered = Delivered::default();
        for slice in self.parts.iter().filter(|part| part.is_sealed).flat_map(|part| &part.shown) {
            delivered.0.insert(slice.seq, slice.to);
        }
        delivered
    }
}

impl Part {
    /// A card of its own for what this part shows, not sent yet.
    pub(crate) fn begin(&mut self, card: CardKey, json: Value) {
        let shown = std::mem::take(&mut self.shown);
        let is_streaming = json["config"]["streaming_mode"] == true;
        *self = Self {
            card: Some(card),
            shown,
            is_sealed: self.is_sealed,
            shadow: Some(json),
            trust: Trust::Trusted,
            is_streaming,
            ..Self::default()
        };
    }

    /// The next sequence, and whether more must be reserved, and saved, before it is used.
    pub(crate) fn next_sequence(&mut self) -> (i32, bool) {
        // What an earlier process may have used is not used again.
        let next = self.used.unwrap_or(self.reserved).saturating_add(1);
        self.used = Some(next);
        let must_save = next > self.reserved;
        if must_save {
            self.reserved = next.saturating_add(RESERVED);
        }
        (next, must_save)
    }

    /// The platform knows a higher sequence.
    pub(crate) fn jump(&mut self) {
        let used = self.used.unwrap_or(self.reserved);
        self.used = Some(used.saturating_add(JUMP));
    }

    /// The card is lost: what it shows stays shown, in it or nowhere.
    pub(crate) fn die(&mut self) {
        self.is_dead = true;
        self.is_sealed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_used_once_over_restarts() {
        let mut part = Part::default();
        let mut saved = part.clone();
        let mut used = Vec::new();
        for at in 0..200 {
            let (next, must_save) = part.next_sequence();
            if must_save {
                saved = serde_json::from_value(serde_json::to_value(&part).unwrap()).unwrap();
            }
            used.push(next);
            if at % 7 == 6 {
                // A crash: only what was saved is known.
                part = saved.clone();
            }
        }
        assert!(used.is_sorted_by(|a, b| a < b), "{used:?}");
        assert_eq!(used[0], 1);
    }

    #[test]
    fn a_jump_goes_far_ahead_and_is_reserved() {
        let mut part = Part::default();
        part.next_sequence();
        part.jump();
        assert_eq!(part.next_sequence(), (1_002, true));
    }
}
