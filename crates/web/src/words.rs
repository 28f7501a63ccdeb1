//! The words of the page in its two languages. What a card says is not among them.

/// The language of the page's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    ZhCn,
}

impl Language {
    /// The first of the two that the header `Accept-Language` names; a browser names the one its reader likes best first.
    pub fn of_accepted(header: &str) -> Self {
        let mut tags = header.split(',').map(|part| part.trim().to_ascii_lowercase());
        let first = tags.find(|tag| tag.starts_with("zh") || tag.starts_with("en"));
        if first.is_some_and(|tag| tag.starts_with("zh")) { Self::ZhCn } else { Self::En }
    }

    /// As HTML's `lang` names it.
    pub(crate) fn tag(self) -> &'static str {
        self.pick("zh-CN", "en")
    }

    /// The word in this language.
    pub(crate) fn pick(self, zh: &'static str, en: &'static str) -> &'static str {
        match self {
            Self::ZhCn => zh,
            Self::En => en,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn the_reader_is_asked_for_the_language() {
        for (header, expected) in [
            ("", Language::En),
            ("zh-CN,zh;q=0.9,en;q=0.8", Language::ZhCn),
            ("en-GB,en;q=0.9,zh;q=0.8", Language::En),
            ("fr, ZH-tw;q=0.5", Language::ZhCn),
            ("fr", Language::En),
        ] {
            assert_eq!(Language::of_accepted(header), expected, "{header}");
        }
    }
}
