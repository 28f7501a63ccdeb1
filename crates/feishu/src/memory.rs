//! A platform in memory: it applies the operations to documents and tells an observer. For the local page and for tests.
//!
//! It keeps to the rules that delivery depends on (growing sequences, one message a card, streaming), so that whoever is
//! shown its cards sees what Feishu would hold.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;

use crate::document::{self, Action};
use crate::platform::{
    CardKey, CardPlatform, ChatKey, Destination, MessageKey, PlatformError, Rejection, Sent, Stamp,
};

/// Is told each card that was sent, whenever it changes.
pub type Observer = Box<dyn Fn(&CardKey, &Value) + Send + Sync>;

/// A platform in memory.
pub struct MemoryPlatform {
    state: Mutex<State>,
    observer: Observer,
}

#[derive(Default)]
struct State {
    cards: HashMap<CardKey, Card>,
    /// Messages by the uuid they were sent with.
    sent: HashMap<String, Sent>,
    messages: u64,
    said: Vec<String>,
    reactions: Vec<(MessageKey, String)>,
}

struct Card {
    json: Value,
    sequence: i32,
    is_sent: bool,
}

impl MemoryPlatform {
    /// A platform that tells `observer` what is to be seen.
    pub fn new(observer: Observer) -> Self {
        Self { state: Mutex::default(), observer }
    }

    /// The card as it is.
    pub fn card(&self, card: &CardKey) -> Option<Value> {
        self.lock().cards.get(card).map(|card| card.json.clone())
    }

    /// What was said in plain messages, in order.
    pub fn said(&self) -> Vec<String> {
        self.lock().said.clone()
    }

    /// The reactions, in order.
    pub fn reactions(&self) -> Vec<(MessageKey, String)> {
        self.lock().reactions.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(
        &self,
        card: &CardKey,
        stamp: &Stamp,
        change: impl FnOnce(&mut Value) -> Result<(), PlatformError>,
    ) -> Result<(), PlatformError> {
        let seen = {
            let mut state = self.lock();
            let held = state.cards.get_mut(card).ok_or_else(|| refusal(Rejection::CardGone, 200_740))?;
            if stamp.sequence <= held.sequence {
                return Err(refusal(Rejection::Sequence, 300_317));
            }
            held.sequence = stamp.sequence;
            change(&mut held.json)?;
            held.is_sent.then(|| held.json.clone())
        };
        if let Some(json) = seen {
            (self.observer)(card, &json);
        }
        Ok(())
    }

    fn deliver(&self, uuid: &str, to: &Destination) -> Sent {
        let mut state = self.lock();
        if let Some(sent) = state.sent.get(uuid) {
            return sent.clone();
        }
        state.messages += 1;
        let chat = match to {
            Destination::Chat(chat) => chat.clone(),
            Destination::Reply(_) => ChatKey("oc_memory".to_owned()),
        };
        let sent = Sent { message: MessageKey(format!("om_{}", state.messages)), chat };
        state.sent.insert(uuid.to_owned(), sent.clone());
        sent
    }
}

fn refusal(rejection: Rejection, code: i64) -> PlatformError {
    PlatformError::Rejected { rejection, code, context: format!("refused with {code}") }
}

fn streams(card: &Value) -> bool {
    card["config"]["streaming_mode"] == true
}

#[async_trait]
impl CardPlatform for MemoryPlatform {
    async fn create(&self, card: &Value) -> Result<CardKey, PlatformError> {
        let mut state = self.lock();
        let key = CardKey(format!("card_{}", state.cards.len() + 1));
        state.cards.insert(key.clone(), Card { json: card.clone(), sequence: 0, is_sent: false });
        Ok(key)
    }

    async fn send(&self, card: &CardKey, to: &Destination, uuid: &str) -> Result<Sent, PlatformError> {
        let sent = self.deliver(uuid, to);
        let json = {
            let mut state = self.lock();
            let held = state.cards.get_mut(card).ok_or_else(|| refusal(Rejection::CardGone, 200_740))?;
            held.is_sent = true;
            held.json.clone()
        };
        (self.observer)(card, &json);
        Ok(sent)
    }

    async fn replace(&self, card: &CardKey, json: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        self.write(card, stamp, |held| {
            *held = json.clone();
            Ok(())
        })
    }

    async fn batch(&self, card: &CardKey, actions: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        let actions = actions.as_array().into_iter().flatten().map(Action::from_json);
        let diverged = |_| refusal(Rejection::Diverged, 300_313);
        let actions: Vec<Action> = actions.collect::<Result<_, _>>().map_err(diverged)?;
        self.write(card, stamp, |held| document::apply(held, &actions).map_err(diverged))
    }

    async fn content(
        &self,
        card: &CardKey,
        element: &str,
        text: &str,
        stamp: &Stamp,
    ) -> Result<(), PlatformError> {
        self.write(card, stamp, |held| {
            if !streams(held) {
                return Err(refusal(Rejection::StreamClosed, 300_309));
            }
            document::set_text(held, element, text).map_err(|_| refusal(Rejection::Diverged, 300_313))
        })
    }

    async fn settings(&self, card: &CardKey, settings: &Value, stamp: &Stamp) -> Result<(), PlatformError> {
        let changes = settings["config"].as_object().cloned().unwrap_or_default();
        self.write(card, stamp, |held| {
            document::set_config(held, &changes);
            Ok(())
        })
    }

    async fn react(&self, message: &MessageKey, emoji: &str) -> Result<(), PlatformError> {
        self.lock().reactions.push((message.clone(), emoji.to_owned()));
        Ok(())
    }

    async fn say(&self, to: &Destination, text: &str, uuid: &str) -> Result<Sent, PlatformError> {
        let is_new = !self.lock().sent.contains_key(uuid);
        let sent = self.deliver(uuid, to);
        if is_new {
            self.lock().said.push(text.to_owned());
        }
        Ok(sent)
    }
}
