//! Card JSON 2.0 as a whitelist: the components that Larkspan may use, and their properties.
//!
//! Facts: the documentation of each component. What is documented and not of use here (charts, people, pickers of
//! dates) is left out on purpose: a card that holds it is a mistake.

use super::shape::Shape::{
    AtMost, Colour, Component, Flag, ImageKey, List, Members, Number, Object, Opaque, Short, Space, Text,
    Url, Whole, Width, Word,
};
use super::shape::{Property, Shape, may, must};

/// Tags that 1.0 had.
pub(super) const REMOVED: &[&str] = &["note", "action"];

/// Names of colours.
pub(super) const COLOURS: &[&str] = &[
    "default",
    "neutral",
    "grey",
    "blue",
    "wathet",
    "turquoise",
    "green",
    "lime",
    "yellow",
    "orange",
    "red",
    "carmine",
    "violet",
    "purple",
    "indigo",
];

/// Shades, as in `blue-50`.
pub(super) const SHADES: &[&str] =
    &["50", "100", "200", "300", "350", "400", "500", "600", "700", "800", "900"];

/// Colours of a tag in the header.
const TAG_COLOURS: &[&str] = &[
    "neutral",
    "blue",
    "turquoise",
    "lime",
    "orange",
    "violet",
    "indigo",
    "wathet",
    "green",
    "yellow",
    "red",
    "purple",
    "carmine",
];

/// Colours of a header.
const TEMPLATES: &[&str] = &[
    "blue",
    "wathet",
    "turquoise",
    "green",
    "yellow",
    "orange",
    "red",
    "carmine",
    "violet",
    "purple",
    "indigo",
    "grey",
    "default",
];

const TEXT_SIZES: &[&str] = &[
    "heading-0",
    "heading-1",
    "heading-2",
    "heading-3",
    "heading-4",
    "heading",
    "normal",
    "notation",
    "xxxx-large",
    "xxx-large",
    "xx-large",
    "x-large",
    "large",
    "medium",
    "small",
    "x-small",
];

const HORIZONTAL: Shape = Word(&["left", "center", "right"]);
const VERTICAL: Shape = Word(&["top", "center", "bottom"]);
const DIRECTION: Shape = Word(&["vertical", "horizontal"]);
const PLAIN: Shape = Component(&["plain_text"]);
const ICON: Shape = Component(&["standard_icon", "custom_icon"]);

/// What may stand at the root.
const ROOT: Shape = Component(&[
    "markdown",
    "div",
    "collapsible_panel",
    "hr",
    "column_set",
    "img",
    "button",
    "form",
    "input",
    "select_static",
    "multi_select_static",
    "table",
]);

/// What may stand in a container: neither a form nor a table.
const INNER: Shape = Component(&[
    "markdown",
    "div",
    "collapsible_panel",
    "hr",
    "column_set",
    "img",
    "button",
    "input",
    "select_static",
    "multi_select_static",
]);

/// The card as a whole.
pub(super) const CARD: Shape = Object(&[
    must("schema", Word(&["2.0"])),
    may(
        "config",
        Object(&[
            may("update_multi", Flag),
            may("streaming_mode", Flag),
            may(
                "streaming_config",
                Object(&[
                    may("print_frequency_ms", PRINT_NUMBER),
                    may("print_step", PRINT_NUMBER),
                    may("print_strategy", Word(&["fast", "delay"])),
                ]),
            ),
            may("summary", Object(&[must("content", Text), may("i18n_content", Opaque)])),
            may("enable_forward", Flag),
            may("enable_forward_interaction", Flag),
            may("width_mode", Word(&["default", "compact", "fill"])),
            may("use_custom_translation", Flag),
            may("locales", List(&Text)),
            may("style", Opaque),
        ]),
    ),
    may("card_link", Object(LINKS)),
    may("header", Object(HEADER)),
    must(
        "body",
        Object(&[
            may("direction", DIRECTION),
            may("padding", Space),
            may("horizontal_spacing", Space),
            may("horizontal_align", HORIZONTAL),
            may("vertical_spacing", Space),
            may("vertical_align", VERTICAL),
            must("elements", List(&ROOT)),
        ]),
    ),
]);

const PRINT_NUMBER: Shape = Object(&[
    may("default", Whole(1, 100_000)),
    may("android", Whole(1, 100_000)),
    may("ios", Whole(1, 100_000)),
    may("pc", Whole(1, 100_000)),
]);

const LINKS: &[Property] =
    &[may("url", Url), may("android_url", Url), may("ios_url", Url), may("pc_url", Url)];

const HEADER: &[Property] = &[
    must("title", PLAIN),
    may("subtitle", PLAIN),
    may("template", Word(TEMPLATES)),
    may("icon", ICON),
    may("padding", Space),
    may("text_tag_list", AtMost(3, &Component(&["text_tag"]))),
];

/// The properties of a component beside `tag` and `element_id`.
pub(super) fn component(tag: &str) -> Option<&'static [Property]> {
    Some(match tag {
        "plain_text" => PLAIN_TEXT,
        "markdown" => MARKDOWN,
        "text_tag" => TEXT_TAG,
        "standard_icon" => STANDARD_ICON,
        "custom_icon" => CUSTOM_ICON,
        "div" => DIV,
        "hr" => HR,
        "img" => IMG,
        "collapsible_panel" => COLLAPSIBLE_PANEL,
        "column_set" => COLUMN_SET,
        "column" => COLUMN,
        "button" => BUTTON,
        "form" => FORM,
        "input" => INPUT,
        "select_static" => SELECT,
        "multi_select_static" => MULTI_SELECT,
        "table" => TABLE,
        _ => return None,
    })
}

const PLAIN_TEXT: &[Property] = &[
    must("content", Text),
    may("i18n_content", Opaque),
    may("text_size", Word(TEXT_SIZES)),
    may("text_color", Colour),
    may("text_align", HORIZONTAL),
    may("lines", Whole(1, 1000)),
];

const MARKDOWN: &[Property] = &[
    must("content", Text),
    may("i18n_content", Opaque),
    may("text_size", Word(TEXT_SIZES)),
    may("text_align", HORIZONTAL),
    may("icon", ICON),
    may("margin", Space),
];

const TEXT_TAG: &[Property] = &[must("text", PLAIN), may("color", Word(TAG_COLOURS))];

const STANDARD_ICON: &[Property] = &[must("token", Short(100)), may("color", Colour), may("size", Space)];

const CUSTOM_ICON: &[Property] = &[must("img_key", ImageKey), may("size", Space)];

const DIV: &[Property] = &[must("text", PLAIN), may("icon", ICON), may("width", Width), may("margin", Space)];

const HR: &[Property] = &[may("margin", Space)];

const IMG: &[Property] = &[
    must("img_key", ImageKey),
    may("alt", PLAIN),
    may("title", PLAIN),
    may("corner_radius", Space),
    may("scale_type", Word(&["crop_center", "crop_top", "fit_horizontal"])),
    may("size", Text),
    may("transparent", Flag),
    may("preview", Flag),
    may("margin", Space),
];

const COLLAPSIBLE_PANEL: &[Property] = &[
    may("direction", DIRECTION),
    may("expanded", Flag),
    may("background_color", Colour),
    may("padding", Space),
    may("margin", Space),
    may("vertical_spacing", Space),
    may("horizontal_spacing", Space),
    may("vertical_align", VERTICAL),
    may("horizontal_align", HORIZONTAL),
    may("border", Object(&[may("color", Colour), may("corner_radius", Space)])),
    must("elements", List(&INNER)),
    must(
        "header",
        Object(&[
            must("title", Component(&["plain_text", "markdown"])),
            may("background_color", Colour),
            may("padding", Space),
            may("position", Word(&["top", "bottom"])),
            may("width", Word(&["fill", "auto", "auto_when_fold"])),
            may("vertical_align", VERTICAL),
            may("icon", ICON),
            may("icon_position", Word(&["left", "right", "follow_text"])),
            may("icon_expanded_angle", Number(&[-180, -90, 90, 180])),
        ]),
    ),
];

const COLUMN_SET: &[Property] = &[
    may("flex_mode", Word(&["none", "stretch", "flow", "bisect", "trisect"])),
    may("background_style", Colour),
    may("horizontal_spacing", Space),
    may("horizontal_align", HORIZONTAL),
    may("margin", Space),
    must("columns", List(&Component(&["column"]))),
];

const COLUMN: &[Property] = &[
    may("width", Width),
    may("weight", Whole(1, 5)),
    may("direction", DIRECTION),
    may("background_style", Colour),
    may("padding", Space),
    may("margin", Space),
    may("vertical_spacing", Space),
    may("horizontal_spacing", Space),
    may("vertical_align", VERTICAL),
    may("horizontal_align", HORIZONTAL),
    must("elements", List(&INNER)),
];

const BUTTON: &[Property] = &[
    may(
        "type",
        Word(&[
            "default",
            "primary",
            "danger",
            "text",
            "primary_text",
            "danger_text",
            "primary_filled",
            "danger_filled",
            "laser",
        ]),
    ),
    may("size", Word(&["tiny", "small", "medium", "large"])),
    may("width", Width),
    must("text", PLAIN),
    may("icon", ICON),
    may("hover_tips", PLAIN),
    may("disabled", Flag),
    may("disabled_tips", PLAIN),
    may("confirm", CONFIRM),
    may("behaviors", BEHAVIORS),
    may("name", Short(100)),
    may("required", Flag),
    may("form_action_type", Word(&["submit", "reset"])),
    may("margin", Space),
];

const CONFIRM: Shape = Object(&[must("title", PLAIN), must("text", PLAIN)]);

const BEHAVIORS: Shape = List(&Object(&[
    must("type", Word(&["callback", "open_url"])),
    may("value", Members),
    may("default_url", Url),
    may("android_url", Url),
    may("ios_url", Url),
    may("pc_url", Url),
]));

/// A form: everything that may stand in a container stands in it.
const FORM: &[Property] = &[
    must("name", Short(100)),
    may("direction", DIRECTION),
    may("padding", Space),
    may("margin", Space),
    may("vertical_spacing", Space),
    may("horizontal_spacing", Space),
    may("vertical_align", VERTICAL),
    may("horizontal_align", HORIZONTAL),
    must("elements", List(&INNER)),
];

const INPUT: &[Property] = &[
    may("name", Short(100)),
    may("required", Flag),
    may("disabled", Flag),
    may("placeholder", PLAIN),
    may("default_value", Text),
    may("width", Width),
    may("max_length", Whole(1, 1000)),
    may("input_type", Word(&["text", "multiline_text", "password"])),
    may("rows", Whole(1, 100)),
    may("auto_resize", Flag),
    may("max_rows", Whole(1, 100)),
    may("show_icon", Flag),
    may("label", PLAIN),
    may("label_position", Word(&["top", "left"])),
    may("value", Opaque),
    may("behaviors", BEHAVIORS),
    may("confirm", CONFIRM),
    may("margin", Space),
];

const OPTIONS: Shape = List(&Object(&[must("text", PLAIN), must("value", Short(1000)), may("icon", ICON)]));

const SELECT: &[Property] = &[
    may("type", Word(&["default", "text"])),
    may("name", Short(100)),
    may("required", Flag),
    may("disabled", Flag),
    may("placeholder", PLAIN),
    may("width", Width),
    must("options", OPTIONS),
    may("initial_option", Text),
    may("initial_index", Whole(1, 1000)),
    may("behaviors", BEHAVIORS),
    may("confirm", CONFIRM),
    may("margin", Space),
];

const MULTI_SELECT: &[Property] = &[
    may("type", Word(&["default", "text"])),
    may("name", Short(100)),
    may("required", Flag),
    may("disabled", Flag),
    may("placeholder", PLAIN),
    may("width", Width),
    must("options", OPTIONS),
    may("selected_values", List(&Text)),
    may("behaviors", BEHAVIORS),
    may("confirm", CONFIRM),
    may("margin", Space),
];

const TABLE: &[Property] = &[
    may("page_size", Whole(1, 10)),
    may("row_height", Text),
    may("freeze_first_column", Flag),
    may("header_style", Opaque),
    must(
        "columns",
        AtMost(
            50,
            &Object(&[
                must("name", Short(100)),
                may("display_name", Text),
                may("width", Text),
                may("horizontal_align", HORIZONTAL),
                may("vertical_align", VERTICAL),
                may("data_type", Word(&["text", "lark_md", "markdown", "number", "date", "options"])),
                may("format", Opaque),
                may("date_format", Text),
            ]),
        ),
    ),
    must("rows", List(&Opaque)),
    may("margin", Space),
];
