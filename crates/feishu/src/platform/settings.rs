//! What is needed to reach the platform: where it is, and as which app.
//!
//! Invariant: the app secret is in no `Debug` output and in no error.

use std::str::FromStr;
use std::time::Duration;

use secrecy::SecretString;

/// Longest time that one request may take, unless it is set.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// An app of the open platform, and where to reach it.
#[derive(Debug, Clone)]
pub struct AppSettings {
    /// Which platform.
    pub domain: Domain,
    /// The app's id (`cli_…`), from its page 凭证与基础信息 in the console.
    pub app_id: String,
    /// The app's secret, from the same page.
    pub app_secret: SecretString,
    /// Longest time that one request may take; [`REQUEST_TIMEOUT`] by default.
    pub timeout: Duration,
}

impl AppSettings {
    /// An app, with the usual timeout.
    pub fn new(domain: Domain, app_id: impl Into<String>, app_secret: impl Into<SecretString>) -> Self {
        Self { domain, app_id: app_id.into(), app_secret: app_secret.into(), timeout: REQUEST_TIMEOUT }
    }
}

/// Which platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    /// Feishu (飞书), `https://open.feishu.cn`.
    Feishu,
    /// Lark, `https://open.larksuite.com`.
    Lark,
    /// Another address: a gateway of one's own, or a test server. Without `/open-apis` and without a slash at its end.
    Other(String),
}

impl Domain {
    /// The address that the paths of the API are added to.
    pub fn base(&self) -> &str {
        match self {
            Self::Feishu => "https://open.feishu.cn",
            Self::Lark => "https://open.larksuite.com",
            Self::Other(base) => base,
        }
    }
}

/// The text names no platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the Feishu domain {0:?} is none: write `feishu`, `lark`, or an address such as `https://open.feishu.cn`"
)]
pub struct DomainError(String);

impl FromStr for Domain {
    type Err = DomainError;

    /// `feishu`, `lark`, or an address with `http` or `https`. Nothing of an address is kept that could be a password.
    fn from_str(text: &str) -> Result<Self, DomainError> {
        let trimmed = text.trim().trim_end_matches('/');
        let trimmed = trimmed.strip_suffix("/open-apis").unwrap_or(trimmed);
        match trimmed.to_ascii_lowercase().as_str() {
            "feishu" | "https://open.feishu.cn" => return Ok(Self::Feishu),
            "lark" | "https://open.larksuite.com" => return Ok(Self::Lark),
            _ => {}
        }
        let url = reqwest::Url::parse(trimmed).ok();
        let usable = url.as_ref().is_some_and(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
                && url.fragment().is_none()
        });
        if usable {
            Ok(Self::Other(trimmed.to_owned()))
        } else {
            // An address may hold a password: no more than its beginning is repeated.
            let shown: String = text.trim().chars().take_while(|c| *c != ':' && *c != '@').take(40).collect();
            Err(DomainError(shown))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_read() {
        for (text, expected) in [
            ("feishu", Ok(Domain::Feishu)),
            (" Lark ", Ok(Domain::Lark)),
            ("https://open.feishu.cn/", Ok(Domain::Feishu)),
            ("https://open.larksuite.com/open-apis", Ok(Domain::Lark)),
            ("http://127.0.0.1:9000/", Ok(Domain::Other("http://127.0.0.1:9000".to_owned()))),
            (
                "https://gateway.example/feishu",
                Ok(Domain::Other("https://gateway.example/feishu".to_owned())),
            ),
            ("", Err(DomainError(String::new()))),
            ("dingtalk", Err(DomainError("dingtalk".to_owned()))),
            ("ftp://host", Err(DomainError("ftp".to_owned()))),
            ("https://user:hunter2@host", Err(DomainError("https".to_owned()))),
            ("https://host?a=b", Err(DomainError("https".to_owned()))),
        ] {
            assert_eq!(text.parse::<Domain>(), expected, "{text:?}");
        }
    }

    #[test]
    fn the_secret_is_in_no_debug_output() {
        let settings = AppSettings::new(Domain::Feishu, "cli_1", "hunter2");
        let shown = format!("{settings:?}");
        assert!(shown.contains("cli_1") && !shown.contains("hunter2"), "{shown}");
    }
}
