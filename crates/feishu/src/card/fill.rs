//! Filling a card with a turn's items, in order, as far as they fit.
//!
//! Invariants
//! - An item that does not fit is shown in part, and where that part ends is told; nothing comes behind it.
//! - Room is taken before an element is placed, by its size as JSON and its number of components.

use larkspan_core::presentation::title;
use larkspan_core::tool_call::{ToolCallInfo, ToolCallStatus};
use larkspan_core::turn::{ItemContent, TurnItem};

use super::element::{Color, Element, Markdown, Panel, number};
use super::markdown::{outbound, outbound_line};
use super::piece::{Place, floor};
use super::text::{Body, Size, body, call_source, is_shown};
use super::{Slice, View, words};
use crate::document::bytes;

/// The most bytes of text in one element.
const ELEMENT: usize = 6_000;
/// The fewest bytes of text for which an element is worth it.
const WORTH: usize = 200;

/// What a card still takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) bytes: usize,
    pub(super) components: usize,
    pub(super) texts: usize,
}

impl Room {
    /// What is left when all of an element is placed; false, and nothing is taken, if it does not fit.
    pub(super) fn take(&mut self, element: &Element) -> bool {
        let (components, texts) = element.count();
        // A comma too.
        let size = bytes(element) + 1;
        let left = (|| {
            Some(Self {
                bytes: self.bytes.checked_sub(size)?,
                components: self.components.checked_sub(components)?,
                texts: self.texts.checked_sub(texts)?,
            })
        })();
        if let Some(left) = left {
            *self = left;
        }
        left.is_some()
    }
}

/// What is to be shown of an item: from where to where, in bytes of its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) from: usize,
    /// `None`: all of it, also what is still to come.
    pub(super) to: Option<usize>,
}

/// Calls that follow each other.
struct Group {
    first: u32,
    panels: Vec<Element>,
    is_running: bool,
    has_failed: bool,
}

/// A card that is being filled.
pub(super) struct Filling<'a> {
    view: &'a View<'a>,
    pub(super) room: Room,
    tables: usize,
    pub(super) elements: Vec<Element>,
    group: Option<Group>,
    pub(super) shown: Vec<Slice>,
}

impl<'a> Filling<'a> {
    pub(super) fn new(view: &'a View<'a>, room: Room) -> Self {
        Self { view, room, tables: view.max_tables, elements: Vec::new(), group: None, shown: Vec::new() }
    }

    /// Places an item; false if not all of it fits.
    pub(super) fn item(&mut self, item: &TurnItem, span: Span) -> bool {
        if !is_shown(self.view.turn, &item.content) {
            return true;
        }
        match body(&item.content, self.view.locale) {
            Body::Call(call) => self.call(item.seq, call, span),
            Body::Text { source, folded_from, size } => {
                self.close_group();
                let end = self.text(item.seq, &source, folded_from, size, span);
                self.tell(item.seq, span, source.len(), end)
            }
        }
    }

    /// Places all of an item's text above everything else; false if it does not fit.
    pub(super) fn answer(&mut self, item: &TurnItem) -> bool {
        let Body::Text { source, .. } = body(&item.content, self.view.locale) else { return false };
        let name =
            |at: usize| if at == 0 { "final_content".to_owned() } else { format!("final_content_{at}") };
        let all = Span { from: 0, to: None };
        let end = self.chunks(&source, 0, source.len(), Size::Usual, &name, Self::push);
        self.tell(item.seq, all, source.len(), end)
    }

    /// A card is full: what does not fit into it any more is said to be missing.
    pub(super) fn say_no_room(&mut self, seq: u32) {
        let text = words::no_room(self.view.locale).to_owned();
        let note = Element::Markdown(Markdown::small(format!("no_room_{}", number(seq)), text));
        if self.room.take(&note) {
            self.close_group();
            self.elements.push(note);
        }
    }

    /// Ends the group of calls, if one is open.
    pub(super) fn close_group(&mut self) {
        let Some(group) = self.group.take() else { return };
        let color = match (group.is_running, group.has_failed) {
            (true, _) => Color::Yellow,
            (false, true) => Color::Red,
            (false, false) => Color::Grey,
        };
        let title = words::calls(self.view.locale, group.panels.len());
        let id = format!("stream_tool_{}", number(group.first));
        self.elements.push(Element::CollapsiblePanel(Panel::folded(id, title, color, group.panels)));
    }

    fn tell(&mut self, seq: u32, span: Span, length: usize, end: usize) -> bool {
        let is_whole = end >= span.to.unwrap_or(length).min(length);
        if end > span.from || is_whole {
            let to = if is_whole { span.to } else { Some(end) };
            self.shown.push(Slice { seq, from: span.from, to });
        }
        is_whole
    }

    fn push(&mut self, element: Element) {
        self.elements.push(element);
    }

    fn text(&mut self, seq: u32, source: &str, folded_from: Option<usize>, size: Size, span: Span) -> usize {
        let end = floor(source, span.to.unwrap_or(source.len()));
        let name = |at: usize| match at {
            0 => format!("stream_txt_{}", number(seq)),
            _ => format!("txt_{}_{at}", number(seq)),
        };
        let fold = folded_from.unwrap_or(end).min(end);
        let mut at = span.from;
        if at < fold {
            at = self.chunks(source, at, fold, size, &name, Self::push);
            if at < fold {
                return at;
            }
        }
        if at >= end {
            return at;
        }
        let rest = source[floor(source, at)..end].chars().count();
        let title = words::rest(self.view.locale, rest);
        let id = format!("stream_rest_{}", number(seq));
        let mut panel = Panel::folded(id, title, Color::Grey, Vec::new());
        let before = self.room;
        if !self.room.take(&Element::CollapsiblePanel(panel.clone())) {
            return at;
        }
        let name = |at: usize| format!("rest_{}_{at}", number(seq));
        let mut inner = Vec::new();
        let reached = self.chunks(source, at, end, size, &name, |_, element| inner.push(element));
        if inner.is_empty() {
            self.room = before;
            return at;
        }
        panel.elements = inner;
        self.elements.push(Element::CollapsiblePanel(panel));
        reached
    }

    /// Places text in elements as large as they fit; where it ends.
    fn chunks(
        &mut self,
        source: &str,
        from: usize,
        to: usize,
        size: Size,
        name: &dyn Fn(usize) -> String,
        mut place: impl FnMut(&mut Self, Element),
    ) -> usize {
        let mut place_at = Place::new(&source[..floor(source, to)], from);
        let mut placed = 0;
        while !place_at.is_at_end() {
            let at = place_at.offset();
            let mut most = ELEMENT;
            let end = loop {
                let end = place_at.cut(most);
                let mut tables = self.tables;
                let content = outbound(&place_at.piece(end), self.view.masking, &mut tables);
                if content.is_empty() {
                    break end;
                }
                let id = name(placed);
                let element = Element::Markdown(match size {
                    Size::Usual => Markdown::new(id, content),
                    Size::Small => Markdown::small(id, content),
                });
                if self.room.take(&element) {
                    self.tables = tables;
                    place(self, element);
                    placed += 1;
                    break end;
                }
                most = most.min(end - at) / 2;
                if most < WORTH {
                    return at;
                }
            };
            place_at.advance(end);
        }
        place_at.offset()
    }

    fn call(&mut self, seq: u32, call: &ToolCallInfo, span: Span) -> bool {
        let locale = self.view.locale;
        let source = call_source(call, locale);
        let before = self.room;
        let group = self.group.as_ref().map_or(seq, |group| group.first);
        if self.group.is_none() {
            let title = words::calls(locale, 1_000);
            let empty =
                Panel::folded(format!("stream_tool_{}", number(seq)), title, Color::Yellow, Vec::new());
            if !self.room.take(&Element::CollapsiblePanel(empty)) {
                return false;
            }
        }
        let mut heading = outbound_line(&title(call, locale).to_string(), self.view.masking);
        if span.from > 0 {
            heading.push_str(words::continued(locale));
        }
        let id = format!("st_{}_t_{}", number(group), number(seq));
        let mut panel = Panel::folded(id, heading, color(call.status), Vec::new());
        let mut elements = Vec::new();
        let mut end = span.from;
        let has_room = self.room.take(&Element::CollapsiblePanel(panel.clone()));
        if has_room {
            let to = span.to.unwrap_or(source.len());
            let name = |at: usize| format!("sc_{}_{at}", number(seq));
            end =
                self.chunks(&source, span.from, to, Size::Small, &name, |_, element| elements.push(element));
            if elements.is_empty() && end >= to.min(source.len()) {
                let note = Markdown::small(name(0), words::nothing_more(locale).to_owned());
                let note = Element::Markdown(note);
                if self.room.take(&note) {
                    elements.push(note);
                }
            }
        }
        if elements.is_empty() {
            self.room = before;
            return false;
        }
        panel.elements = elements;
        let group = self.group.get_or_insert(Group {
            first: seq,
            panels: Vec::new(),
            is_running: false,
            has_failed: false,
        });
        group.is_running |= call.status == ToolCallStatus::Running;
        group.has_failed |= call.status == ToolCallStatus::Failed;
        group.panels.push(Element::CollapsiblePanel(panel));
        self.tell(seq, span, source.len(), end)
    }
}

/// The border of a call.
fn color(status: ToolCallStatus) -> Color {
    match status {
        ToolCallStatus::Running => Color::Yellow,
        ToolCallStatus::Completed => Color::Green,
        ToolCallStatus::Failed => Color::Red,
        ToolCallStatus::Aborted | ToolCallStatus::Unknown => Color::Grey,
    }
}

/// Whether an item is text of the agent.
pub(super) fn is_agent_text(content: &ItemContent) -> bool {
    matches!(content, ItemContent::Message(message) if message.role == larkspan_core::transcript::Role::Agent)
}
