//! Content: text, or a list of parts.

use std::borrow::Cow;
use std::fmt::Write as _;

use larkspan_core::tool_call::Media;
use serde::Deserialize;

use super::{Raw, array, is_object, object, text};

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Text to read.
    Text(Cow<'a, str>),
    /// What the agent thinks.
    Think(Cow<'a, str>),
    /// An image, a sound, a film.
    Media(Media),
    /// Anything else.
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawPart<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    text: Raw<'a>,
    #[serde(borrow)]
    think: Raw<'a>,
    #[serde(borrow, alias = "imageUrl")]
    image_url: Raw<'a>,
    #[serde(borrow, alias = "videoUrl")]
    video_url: Raw<'a>,
    #[serde(borrow, alias = "audioUrl")]
    audio_url: Raw<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Link<'a> {
    #[serde(borrow)]
    url: Raw<'a>,
}

/// The parts of a message's content.
pub(crate) fn parts(raw: Raw<'_>) -> Vec<Part<'_>> {
    if let Some(text) = text(raw) {
        return vec![Part::Text(text)];
    }
    if is_object(raw) {
        return vec![part(raw)];
    }
    array(raw).into_iter().map(|raw| part(Some(raw))).collect()
}

fn part(raw: Raw<'_>) -> Part<'_> {
    if let Some(text) = text(raw) {
        return Part::Text(text);
    }
    let part: RawPart<'_> = object(raw);
    let kind = text(part.kind).unwrap_or_default();
    let link = part.image_url.or(part.video_url).or(part.audio_url);
    match kind.as_ref() {
        "text" | "" if part.text.is_some() => Part::Text(text(part.text).unwrap_or_default()),
        "think" => Part::Think(text(part.think).or_else(|| text(part.text)).unwrap_or_default()),
        _ if link.is_some() => Part::Media(media(&kind, link)),
        _ => Part::Other,
    }
}

/// The type and size of what is written into the log itself; of what is elsewhere, only its kind.
fn media(kind: &str, link: Raw<'_>) -> Media {
    let url = text(link).or_else(|| text(object::<Link<'_>>(link).url)).unwrap_or_default();
    let kind = kind.strip_suffix("_url").unwrap_or(kind);
    match url.strip_prefix("data:").and_then(|data| data.split_once(',')) {
        Some((head, data)) => Media {
            mime: head.split(';').next().unwrap_or(kind).to_owned(),
            encoded_bytes: data.len() as u64,
        },
        None => Media { mime: kind.to_owned(), encoded_bytes: 0 },
    }
}

/// The text of content, without thoughts. Media stand as `[image]`.
pub(crate) fn text_of(parts: &[Part<'_>]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Media(media) => {
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
                let kind = media.mime.split('/').next().unwrap_or_default();
                let _ = write!(out, "[{kind}]");
            }
            Part::Think(_) | Part::Other => {}
        }
    }
    out
}
