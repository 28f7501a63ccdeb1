//! What a card looks like: a turn as card JSON 2.0.
//!
//! Pure. Guarantees
//! - A card shows items in the order of the turn; in a turn's last card the answer stands above the others.
//! - What one card shows of an item and what the next shows of it is the item: nothing is left out, nothing stands twice.
//! - A card stays within the platform's limits, with room for what its calls still bring.

mod element;
mod fence;
mod fill;
mod frame;
mod inline;
mod markdown;
mod mask;
mod piece;
mod status;
mod tasks;
mod text;
pub(crate) mod words;

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use larkspan_core::presentation::Locale;
use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{SessionInfo, TurnOutcome};
use larkspan_core::turn::{ItemContent, Turn, TurnItem};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::element::{Card, Color, Element, Markdown, Panel};
use self::fill::{Filling, Room, Span, is_agent_text};
use self::frame::frame;
use crate::document;
use crate::plan::GROWING;

/// Where a turn goes on in the next card: components, bytes of JSON, Markdown elements.
const FULL: Room = Room { components: 149, bytes: 24_999, texts: 139 };
/// What the platform takes at most, with a margin: a sealed card may grow that far.
const HARD: Room = Room { components: 195, bytes: 28_500, texts: 190 };

/// A part of an item: its number in the turn, and from where to where its text goes, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// The item's number.
    pub seq: u32,
    /// Where it begins.
    pub from: usize,
    /// Where it ends; `None`: with the item, also when it grows.
    pub to: Option<usize>,
}

/// How far items are shown by earlier cards, by number; `None`: to their end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivered(pub BTreeMap<u32, Option<usize>>);

/// What of a turn a card shows.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// What earlier cards do not show, as far as it fits.
    From(&'a Delivered),
    /// This.
    Exactly(&'a [Slice]),
}

/// Where a card is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Its turn goes on.
    Live,
    /// Its turn goes on in the next card.
    Sealed,
    /// Its turn has ended.
    Final,
}

/// What is masked beside secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masking {
    /// E-mail addresses in prose.
    Usual,
    /// E-mail addresses and phone numbers, in code too: the tenant's audit has refused the card.
    Audit,
}

/// All that a card depends on.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The turn.
    pub turn: &'a Turn,
    /// Who writes the log.
    pub session: Option<&'a SessionInfo>,
    /// The language.
    pub locale: Locale,
    /// Where the reader's clocks are.
    pub zone: &'a TimeZone,
    /// Now.
    pub now: Timestamp,
    /// When the agent last said something.
    pub last_text_at: Option<Timestamp>,
    /// Where the card is in its life.
    pub phase: Phase,
    /// What is masked.
    pub masking: Masking,
    /// The card's number among those of its turn, from 0.
    pub part: usize,
    /// How many tables may be shown as such.
    pub max_tables: usize,
}

/// A card.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// Card JSON 2.0.
    pub json: Value,
    /// What it shows.
    pub shown: Vec<Slice>,
    /// Whether that is all there is to show.
    pub is_complete: bool,
}

/// Renders a card.
pub fn render(view: &View<'_>, content: Content<'_>) -> Rendered {
    let pending = pending(view.turn, content);
    // A turn that failed or was stopped has no answer: what was shown stays where it was.
    let has_answer = view
        .turn
        .end
        .as_ref()
        .is_some_and(|end| !matches!(end.outcome, TurnOutcome::Failed | TurnOutcome::Aborted));
    if let (Phase::Final, Content::From(_)) = (view.phase, content)
        && has_answer
        && let Some(rendered) = with_answer(view, &pending)
    {
        return rendered;
    }
    let mut canvas = Canvas::new(view, content);
    let mut is_complete = true;
    for (item, span) in &pending {
        is_complete &= canvas.filling.item(item, *span);
        match content {
            Content::From(_) if !is_complete => break,
            Content::Exactly(_) if !is_complete => {
                canvas.filling.say_no_room(item.seq);
                is_complete = true;
            }
            Content::From(_) | Content::Exactly(_) => {}
        }
    }
    canvas.filling.close_group();
    let growing = if view.phase == Phase::Live && is_complete { canvas.growing() } else { None };
    let history = canvas.history(true);
    canvas.finish(history.into_iter().chain(growing).collect(), is_complete)
}

/// The items with something to show, and what of them.
fn pending<'t>(turn: &'t Turn, content: Content<'_>) -> Vec<(&'t TurnItem, Span)> {
    let exactly: BTreeMap<u32, &Slice> = match content {
        Content::From(_) => BTreeMap::new(),
        Content::Exactly(slices) => slices.iter().map(|slice| (slice.seq, slice)).collect(),
    };
    let span = |seq: u32| match content {
        Content::From(delivered) => match delivered.0.get(&seq) {
            None => Some(Span { from: 0, to: None }),
            Some(None) => None,
            Some(Some(end)) => Some(Span { from: *end, to: None }),
        },
        Content::Exactly(_) => exactly.get(&seq).map(|slice| Span { from: slice.from, to: slice.to }),
    };
    turn.items.iter().filter_map(|item| Some((item, span(item.seq)?))).collect()
}

/// A last card with the answer above the rest, folded; if all of that fits.
fn with_answer(view: &View<'_>, pending: &[(&TurnItem, Span)]) -> Option<Rendered> {
    let (at, (answer, span)) =
        pending.iter().enumerate().rev().find(|(_, (item, _))| is_agent_text(&item.content))?;
    let is_last = pending[at + 1..].iter().all(|(item, _)| item.content.tool_call().is_none());
    // What cannot fit need not be tried.
    let is_short =
        matches!(&answer.content, ItemContent::Message(message) if message.text.len() < FULL.bytes);
    if span.from > 0 || !is_last || !is_short {
        return None;
    }
    let mut canvas = Canvas::new(view, Content::From(&Delivered::default()));
    let is_complete = canvas.filling.answer(answer) && {
        canvas.above = canvas.filling.elements.drain(..).collect();
        pending.iter().all(|(item, span)| item.seq == answer.seq || canvas.filling.item(item, *span))
    };
    if !is_complete {
        return None;
    }
    canvas.filling.close_group();
    let mut elements = std::mem::take(&mut canvas.above);
    elements.extend(canvas.history(false));
    Some(canvas.finish(elements, true))
}

/// A card around its items.
struct Canvas<'a> {
    view: &'a View<'a>,
    frame: frame::Frame,
    filling: Filling<'a>,
    above: Vec<Element>,
}

impl<'a> Canvas<'a> {
    fn new(view: &'a View<'a>, content: Content<'_>) -> Self {
        let frame = frame(view);
        let limit = match content {
            Content::From(_) => FULL,
            Content::Exactly(_) => HARD,
        };
        // The frame, with an empty history and what may stand below it.
        let around: Vec<Element> = frame.tags.iter().chain(&frame.foot).cloned().collect();
        let more = [history(view, true, Vec::new()), placeholder()];
        let card = Card::new(frame.config.clone(), frame.header.clone(), [around, more.to_vec()].concat());
        let value = serde_json::to_value(&card).unwrap_or_default();
        let texts = card.texts();
        let room = Room {
            bytes: limit.bytes.saturating_sub(document::bytes(&value)),
            components: limit.components.saturating_sub(document::components(&value)),
            texts: limit.texts.saturating_sub(texts),
        };
        Self { view, frame, filling: Filling::new(view, room), above: Vec::new() }
    }

    /// What stands below the history of a turn that goes on: the agent's newest text, or that it thinks.
    fn growing(&mut self) -> Option<Element> {
        let is_running = status::running(self.view.turn).is_some();
        let last = self.view.turn.items.iter().rfind(|item| text::is_shown(self.view.turn, &item.content));
        let is_newest = last.is_some_and(|item| is_agent_text(&item.content));
        match self.filling.elements.pop() {
            Some(Element::Markdown(text)) if is_newest => Some(Element::Markdown(text.named(GROWING))),
            other => {
                self.filling.elements.extend(other);
                (!is_running && !is_newest).then(placeholder)
            }
        }
    }

    fn history(&mut self, is_expanded: bool) -> Option<Element> {
        let elements = std::mem::take(&mut self.filling.elements);
        (!elements.is_empty()).then(|| history(self.view, is_expanded, elements))
    }

    fn finish(self, elements: Vec<Element>, is_complete: bool) -> Rendered {
        let all = self.frame.tags.into_iter().chain(elements).chain(self.frame.foot).collect();
        let card = Card::new(self.frame.config, self.frame.header, all);
        // Strings and numbers only: this cannot fail.
        let json = serde_json::to_value(&card).unwrap_or_default();
        Rendered { json, shown: self.filling.shown, is_complete }
    }
}

fn history(view: &View<'_>, is_expanded: bool, elements: Vec<Element>) -> Element {
    let title = format!("**{}**", words::history(view.locale));
    let panel = Panel::folded("stream_history", title, Color::Grey, elements);
    Element::CollapsiblePanel(panel.expanded(is_expanded))
}

fn placeholder() -> Element {
    Element::Markdown(Markdown::new(GROWING, words::THINKING.to_owned()))
}

#[cfg(test)]
mod tests;
