//! The card as typed data: the few components that are used, each with the properties the platform knows.
//!
//! Invariant: whatever is built here serialises to card JSON 2.0 without a property that would be refused.

use serde::Serialize;

/// An id of an element: at most 20 characters, beginning with a letter.
pub(super) type Id = String;

/// A card.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Card {
    schema: &'static str,
    config: Config,
    header: Header,
    body: Body,
}

impl Card {
    /// A card of these parts.
    pub(super) fn new(config: Config, header: Header, elements: Vec<Element>) -> Self {
        let body = Body { direction: "vertical", vertical_spacing: "8px", elements };
        Self { schema: "2.0", config, header, body }
    }

    /// How many of its components are Markdown.
    pub(super) fn texts(&self) -> usize {
        self.body.elements.iter().map(|element| element.count().1).sum()
    }
}

/// How the card behaves.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Config {
    update_multi: bool,
    streaming_mode: bool,
    #[serde(rename = "streaming_config", skip_serializing_if = "Option::is_none")]
    typing: Option<Typing>,
    summary: Summary,
}

impl Config {
    /// With what a list of chats shows of it.
    pub(super) fn new(streaming: bool, summary: String) -> Self {
        let typing = streaming.then_some(Typing {
            frequency_ms: Everywhere { default: 70 },
            step: Everywhere { default: 4 },
            strategy: "fast",
        });
        Self { update_multi: true, streaming_mode: streaming, typing, summary: Summary { content: summary } }
    }
}

/// How text is typed.
#[derive(Debug, Clone, Serialize)]
struct Typing {
    #[serde(rename = "print_frequency_ms")]
    frequency_ms: Everywhere,
    #[serde(rename = "print_step")]
    step: Everywhere,
    #[serde(rename = "print_strategy")]
    strategy: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct Everywhere {
    default: u32,
}

#[derive(Debug, Clone, Serialize)]
struct Summary {
    content: String,
}

/// What stands above the body.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Header {
    title: PlainText,
    template: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    text_tag_list: Vec<TextTag>,
}

/// How many tags a header shows.
const HEADER_TAGS: usize = 3;

impl Header {
    /// With a title and tags, of which the first three are kept.
    pub(super) fn new(title: String, tags: Vec<(String, Color)>) -> Self {
        let tag = |(at, (text, color)): (usize, (String, Color))| TextTag {
            tag: "text_tag",
            element_id: format!("streaming_tag_{at}"),
            text: PlainText::new(text),
            color,
        };
        let text_tag_list = tags.into_iter().take(HEADER_TAGS).enumerate().map(tag).collect();
        Self { title: PlainText::new(title), template: "blue", text_tag_list }
    }
}

#[derive(Debug, Clone, Serialize)]
struct TextTag {
    tag: &'static str,
    element_id: Id,
    text: PlainText,
    color: Color,
}

#[derive(Debug, Clone, Serialize)]
struct PlainText {
    tag: &'static str,
    content: String,
}

impl PlainText {
    fn new(content: String) -> Self {
        Self { tag: "plain_text", content }
    }
}

/// The colours that are used, all of which tags and borders know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Color {
    Green,
    Grey,
    Neutral,
    Orange,
    Red,
    Turquoise,
    Yellow,
}

impl Color {
    /// As markup within Markdown names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Grey => "grey",
            Self::Neutral => "neutral",
            Self::Orange => "orange",
            Self::Red => "red",
            Self::Turquoise => "turquoise",
            Self::Yellow => "yellow",
        }
    }
}

#[derive(Debug, Clone, Serialize)]
struct Body {
    direction: &'static str,
    vertical_spacing: &'static str,
    elements: Vec<Element>,
}

/// What a body or a panel holds.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "tag", rename_all = "snake_case")]
pub(super) enum Element {
    Markdown(Markdown),
    CollapsiblePanel(Panel),
}

impl Element {
    /// How many components it is, and how many of them are Markdown.
    pub(super) fn count(&self) -> (usize, usize) {
        match self {
            Self::Markdown(_) => (1, 1),
            // Itself, its title and its icon.
            Self::CollapsiblePanel(panel) => panel.elements.iter().fold((3, 1), |sum, element| {
                let (components, texts) = element.count();
                (sum.0 + components, sum.1 + texts)
            }),
        }
    }
}

/// Text.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Markdown {
    element_id: Id,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_size: Option<&'static str>,
}

impl Markdown {
    /// Text of the usual size.
    pub(super) fn new(element_id: impl Into<Id>, content: String) -> Self {
        Self { element_id: element_id.into(), content, text_size: None }
    }

    /// Small text.
    pub(super) fn small(element_id: impl Into<Id>, content: String) -> Self {
        Self { element_id: element_id.into(), content, text_size: Some("notation") }
    }

    /// The same text under another id.
    #[must_use]
    pub(super) fn named(self, element_id: impl Into<Id>) -> Self {
        Self { element_id: element_id.into(), ..self }
    }
}

/// Elements that can be folded.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Panel {
    element_id: Id,
    expanded: bool,
    header: PanelHeader,
    border: Border,
    vertical_spacing: &'static str,
    padding: &'static str,
    pub(super) elements: Vec<Element>,
}

impl Panel {
    /// A folded panel.
    pub(super) fn folded(
        element_id: impl Into<Id>,
        title: String,
        color: Color,
        elements: Vec<Element>,
    ) -> Self {
        let icon = Icon { tag: "standard_icon", token: "down-small-ccm_outlined", size: "16px 16px" };
        Self {
            element_id: element_id.into(),
            expanded: false,
            header: PanelHeader {
                title: Title { tag: "markdown", content: title },
                vertical_align: "center",
                icon,
                icon_position: "follow_text",
                icon_expanded_angle: -180,
            },
            border: Border { color, corner_radius: "5px" },
            vertical_spacing: "8px",
            padding: "8px 8px 8px 8px",
            elements,
        }
    }

    /// The same, open or not.
    #[must_use]
    pub(super) fn expanded(self, expanded: bool) -> Self {
        Self { expanded, ..self }
    }
}

#[derive(Debug, Clone, Serialize)]
struct PanelHeader {
    title: Title,
    vertical_align: &'static str,
    icon: Icon,
    icon_position: &'static str,
    icon_expanded_angle: i32,
}

#[derive(Debug, Clone, Serialize)]
struct Title {
    tag: &'static str,
    content: String,
}

#[derive(Debug, Clone, Serialize)]
struct Icon {
    tag: &'static str,
    token: &'static str,
    size: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct Border {
    color: Color,
    corner_radius: &'static str,
}

/// A number as part of an id: the same for the same number, at most seven characters.
pub(super) fn number(number: u32) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    if number < 10_000_000 {
        return number.to_string();
    }
    let mut rest = number;
    let mut digits = Vec::with_capacity(7);
    for _ in 0..6 {
        digits.push(char::from(DIGITS.get((rest % 36) as usize).copied().unwrap_or(b'0')));
        rest /= 36;
    }
    digits.push('x');
    digits.into_iter().rev().collect()
}
