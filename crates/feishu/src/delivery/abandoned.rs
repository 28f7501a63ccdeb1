//! Cards that nobody goes on with: what followed their session is gone. They are brought to an end, so that none stays
//! in progress for ever. Whoever follows the session again goes on with them all the same.

use std::time::Duration;

use serde_json::{Value, json};

use super::Hub;
use super::state::{PREFIX, TurnState};
use crate::card::words::{INTERRUPTED, THINKING};
use crate::document::{self, Action};
use crate::plan::GROWING;
use crate::platform::{PlatformError, Rejection, Stamp};

/// A delivery saves its state at least every heartbeat; whose state is older than this has none.
const ABANDONED: Duration = Duration::from_mins(5);

impl Hub {
    /// Ends the cards in progress that no process has written to for some minutes. A card that cannot be written to
    /// now is tried again with the next call.
    pub async fn end_abandoned(&self) {
        let now = self.clock.now().as_millis();
        for name in self.store.names(PREFIX).await.unwrap_or_default() {
            if self.is_claimed(&name) {
                continue;
            }
            let mut state = TurnState::load(self.store.as_ref(), &name).await;
            let age = u64::try_from(now.saturating_sub(state.saved_at)).unwrap_or_default();
            if state.is_done || state.is_ended_for_now || Duration::from_millis(age) < ABANDONED {
                continue;
            }
            let mut is_ended = true;
            for at in 0..state.parts.len() {
                is_ended &= self.end_part(&mut state, at, &name).await;
            }
            state.is_ended_for_now = is_ended;
            state.save(self.store.as_ref(), &name).await;
        }
    }

    /// Ends a card, if it is in progress; false if it must be tried again.
    async fn end_part(&self, state: &mut TurnState, at: usize, name: &str) -> bool {
        let Some(part) = state.parts.get(at) else { return true };
        let (Some(card), Some(_), false) =
            (part.card.clone(), part.sent.as_ref(), part.is_dead || part.is_sealed)
        else {
            return true;
        };
        let Some(json) = part.shadow.clone().map(ended) else { return true };
        let off = json!({"config": {"streaming_mode": false, "summary": json["config"]["summary"]}});
        for write in [Some(off), None] {
            let Some(part) = state.parts.get_mut(at) else { return true };
            if write.is_some() && !part.is_streaming {
                continue;
            }
            let (sequence, must_save) = part.next_sequence();
            if must_save {
                state.save(self.store.as_ref(), name).await;
            }
            let stamp = Stamp { sequence, uuid: format!("{:032x}-{sequence}", hash(&card.0)) };
            let written = match &write {
                Some(settings) => self.platform.settings(&card, settings, &stamp).await,
                None => self.platform.replace(&card, &json, &stamp).await,
            };
            let Some(part) = state.parts.get_mut(at) else { return true };
            match written {
                Ok(()) if write.is_some() => part.is_streaming = false,
                Ok(()) => part.shadow = Some(json.clone()),
                // It is not in progress any more: that is what is wanted.
                Err(PlatformError::Rejected {
                    rejection: Rejection::StreamClosed | Rejection::StreamExpired,
                    ..
                }) => part.is_streaming = false,
                Err(PlatformError::Rejected {
                    rejection: Rejection::CardGone | Rejection::MessageGone,
                    ..
                }) => {
                    part.die();
                    return true;
                }
                Err(error) => {
                    if let PlatformError::Rejected { rejection: Rejection::Sequence, .. } = error {
                        part.jump();
                    }
                    tracing::info!("a card that nobody goes on with is still in progress: {error}");
                    return false;
                }
            }
        }
        tracing::info!("a card that nobody went on with is ended");
        true
    }
}

/// The card as it is, with its end.
fn ended(mut card: Value) -> Value {
    card["config"]["streaming_mode"] = false.into();
    if let Some(config) = card["config"].as_object_mut() {
        config.remove("streaming_config");
    }
    card["config"]["summary"]["content"] = INTERRUPTED.into();
    // Elements that are not there need no end.
    let _ = document::set_text(&mut card, "streaming_status", INTERRUPTED);
    let is_thinking = document::find(&card, GROWING).is_some_and(|element| element["content"] == THINKING);
    if is_thinking {
        let _ = document::apply(&mut card, &[Action::Delete(vec![GROWING.to_owned()])]);
    }
    card
}

fn hash(card: &str) -> u128 {
    twox_hash::XxHash3_128::oneshot(card.as_bytes())
}
