//! What a person sees of a card: its texts, in order, without markup of blocks.
//!
//! Invariants
//! - Fences are left out, code is given byte for byte, also that of an indented block (without the indent).
//! - Entities are decoded in prose only, as the client does.

use serde_json::Value;

use super::document::{children, tag, text};
use super::markdown::{self, Line};

/// Characters that nobody sees and everybody copies.
const INVISIBLE: &[char] = &['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The header's title, subtitle or tag.
    Header,
    /// The title of a panel.
    PanelTitle,
    /// A text of the body.
    Text,
    /// The label of something to click or to fill in.
    Control,
}

/// A text of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Where it stands.
    pub part: Part,
    /// The id of its element, or else of the element that it is a part of; empty without one.
    pub element_id: String,
    /// As it is in the card.
    pub raw: String,
    /// As a person sees it.
    pub text: String,
}

/// The texts of one or more cards.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    shown: Vec<Shown>,
}

impl Reader {
    /// Reads a card's JSON.
    pub fn of(card: &Value) -> Self {
        let mut reader = Self::default();
        reader.read(card);
        reader
    }

    /// Reads the cards that continue each other.
    pub fn of_all<'a>(cards: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut reader = Self::default();
        cards.into_iter().for_each(|card| reader.read(card));
        reader
    }

    /// The texts, in order.
    pub fn shown(&self) -> &[Shown] {
        &self.shown
    }

    /// All that a person sees, a text a paragraph.
    pub fn text(&self) -> String {
        self.shown.iter().map(|shown| shown.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The texts of the body, without titles and controls.
    pub fn body(&self) -> String {
        let texts = self.shown.iter().filter(|shown| shown.part == Part::Text);
        texts.map(|shown| shown.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The titles of panels, in order.
    pub fn panel_titles(&self) -> Vec<&str> {
        let titles = self.shown.iter().filter(|shown| shown.part == Part::PanelTitle);
        titles.map(|shown| shown.text.as_str()).collect()
    }

    /// The text of the element with this id.
    pub fn element(&self, id: &str) -> Option<&str> {
        self.shown.iter().find(|shown| shown.element_id == id).map(|shown| shown.text.as_str())
    }

    /// The ids of everybody who would be notified.
    pub fn mentions(&self) -> Vec<String> {
        self.shown.iter().flat_map(|shown| markdown::mentions(&shown.raw)).collect()
    }

    /// What no card may have: fences that are not closed, characters that cannot be seen.
    pub fn problems(&self) -> Vec<String> {
        let mut found = Vec::new();
        for Shown { raw, element_id, .. } in &self.shown {
            if markdown::lines(raw).is_open {
                found.push(format!("`{element_id}` leaves a fence open"));
            }
            if let Some(c) = raw.chars().find(|c| INVISIBLE.contains(c)) {
                found.push(format!("`{element_id}` holds the invisible U+{:04X}", u32::from(c)));
            }
        }
        found
    }

    fn read(&mut self, card: &Value) {
        if let Some(header) = card.get("header") {
            for name in ["title", "subtitle"] {
                self.show(Part::Header, "", header.get(name));
            }
            for tag in header.get("text_tag_list").and_then(Value::as_array).into_iter().flatten() {
                self.show(Part::Header, text(tag, "element_id"), tag.get("text"));
            }
        }
        for element in card.pointer("/body/elements").and_then(Value::as_array).into_iter().flatten() {
            self.element_of(element);
        }
    }

    fn element_of(&mut self, element: &Value) {
        let id = text(element, "element_id");
        match tag(element) {
            "markdown" | "plain_text" => self.show(Part::Text, id, Some(element)),
            "div" => self.show(Part::Text, id, element.get("text")),
            "collapsible_panel" => self.show(Part::PanelTitle, id, element.pointer("/header/title")),
            "button" => self.show(Part::Control, id, element.get("text")),
            "input" | "select_static" | "multi_select_static" => {
                for name in ["label", "placeholder"] {
                    self.show(Part::Control, id, element.get(name));
                }
                for option in element.get("options").and_then(Value::as_array).into_iter().flatten() {
                    self.show(Part::Control, id, option.get("text"));
                }
            }
            _ => {}
        }
        for child in children(element) {
            self.element_of(child);
        }
    }

    fn show(&mut self, part: Part, element_id: &str, component: Option<&Value>) {
        let Some(component) = component else { return };
        let raw = text(component, "content");
        if raw.is_empty() {
            return;
        }
        let own = text(component, "element_id");
        self.shown.push(Shown {
            part,
            element_id: if own.is_empty() { element_id } else { own }.to_owned(),
            text: if tag(component) == "markdown" { seen(raw) } else { raw.to_owned() },
            raw: raw.to_owned(),
        });
    }
}

/// Markdown without the marks of blocks of code, prose decoded.
fn seen(markdown: &str) -> String {
    let lines = markdown::lines(markdown).lines.into_iter().filter_map(|line| match line {
        Line::Prose(line) => Some(decoded(line)),
        Line::Code(line) => Some(line.to_owned()),
        Line::Fence => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A line with its entities decoded, but not within inline code.
fn decoded(line: &str) -> String {
    let mut text = String::new();
    let mut is_code = false;
    for (at, piece) in line.split('`').enumerate() {
        if at > 0 {
            text.push('`');
            is_code = !is_code;
        }
        text.push_str(&if is_code { piece.to_owned() } else { without_entities(piece) });
    }
    text
}

fn without_entities(piece: &str) -> String {
    let mut text = String::new();
    let mut rest = piece;
    while let Some(start) = rest.find('&') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let named = rest.split_once(';').and_then(|(name, after)| Some((entity(&name[1..])?, after)));
        match named {
            Some((character, after)) => {
                text.push(character);
                rest = after;
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    text + rest
}

fn entity(name: &str) -> Option<char> {
    match name.strip_prefix('#') {
        Some(number) => char::from_u32(number.parse().ok()?),
        None => match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "sim" => Some('~'),
            "nbsp" => Some('\u{a0}'),
            "zwj" => Some('\u{200d}'),
            "quot" => Some('"'),
            _ => None,
        },
    }
}
