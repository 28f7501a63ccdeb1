//! The process's environment, read once: homes and the language.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use larkspan_core::presentation::Locale;

/// What the environment says.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment {
    user_home: Option<PathBuf>,
    larkspan_home: Option<PathBuf>,
    codex_home: Option<PathBuf>,
    claude_home: Option<PathBuf>,
    kimi_share: Option<PathBuf>,
    kimi_code_home: Option<PathBuf>,
    language: Option<String>,
    pub(super) feishu: FeishuEnvironment,
}

/// What the environment says of the app on Feishu or Lark.
#[derive(Clone, Default)]
pub(super) struct FeishuEnvironment {
    pub(super) app_id: Option<String>,
    pub(super) app_secret: Option<String>,
    pub(super) domain: Option<String>,
    pub(super) chat: Option<String>,
}

impl std::fmt::Debug for FeishuEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FeishuEnvironment").field("app_id", &self.app_id).finish_non_exhaustive()
    }
}

impl Environment {
    pub(super) fn of_process() -> Self {
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let text = |name: &str| {
            env::var_os(name).and_then(|value: OsString| value.into_string().ok()).filter(|v| !v.is_empty())
        };
        Self {
            user_home: env::home_dir().filter(|home| !home.as_os_str().is_empty()),
            larkspan_home: path("LARKSPAN_HOME"),
            codex_home: path("CODEX_HOME"),
            claude_home: path("CLAUDE_CONFIG_DIR"),
            kimi_share: path("KIMI_SHARE_DIR"),
            kimi_code_home: path("KIMI_CODE_HOME"),
            feishu: FeishuEnvironment {
                app_id: text("LARKSPAN_FEISHU_APP_ID"),
                app_secret: text("LARKSPAN_FEISHU_APP_SECRET"),
                domain: text("LARKSPAN_FEISHU_DOMAIN"),
                chat: text("LARKSPAN_FEISHU_CHAT"),
            },
            language: ["LARKSPAN_LOCALE", "LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(text),
        }
    }

    #[cfg(test)]
    pub(super) fn with_larkspan_home(home: &std::path::Path) -> Self {
        Self { larkspan_home: Some(home.to_owned()), ..Self::default() }
    }

    /// Where Larkspan keeps its state: `$LARKSPAN_HOME`, else `~/.larkspan`.
    pub(super) fn larkspan_home(&self) -> Result<PathBuf> {
        let default = || self.user_home.as_ref().map(|home| home.join(".larkspan"));
        self.larkspan_home.clone().or_else(default).context("no home folder: set LARKSPAN_HOME")
    }

    /// Where Codex keeps its sessions: `$CODEX_HOME`, else `~/.codex`.
    pub(super) fn codex_home(&self) -> Result<PathBuf> {
        let default = || self.user_home.as_ref().map(|home| home.join(".codex"));
        self.codex_home.clone().or_else(default).context("no home folder: set CODEX_HOME")
    }

    /// Where Claude Code keeps its sessions: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub(super) fn claude_home(&self) -> Result<PathBuf> {
        let default = || self.user_home.as_ref().map(|home| home.join(".claude"));
        self.claude_home.clone().or_else(default).context("no home folder: set CLAUDE_CONFIG_DIR")
    }

    /// Where Kimi's two programs keep their sessions: `$KIMI_SHARE_DIR`, else `~/.kimi`; `$KIMI_CODE_HOME`, else
    /// `~/.kimi-code`.
    pub(super) fn kimi_homes(&self) -> Result<Vec<PathBuf>> {
        let of = |own: &Option<PathBuf>, name: &str| {
            own.clone().or_else(|| self.user_home.as_ref().map(|home| home.join(name)))
        };
        let homes = [of(&self.kimi_share, ".kimi"), of(&self.kimi_code_home, ".kimi-code")];
        let homes: Vec<PathBuf> = homes.into_iter().flatten().collect();
        if homes.is_empty() {
            bail!("no home folder: set KIMI_SHARE_DIR or KIMI_CODE_HOME");
        }
        Ok(homes)
    }

    /// English where the environment asks for it, else Chinese.
    pub(super) fn locale(&self) -> Locale {
        match self.language.as_deref() {
            Some(language) if language.to_ascii_lowercase().starts_with("en") => Locale::En,
            _ => Locale::ZhCn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_and_language() {
        let home = Environment { user_home: Some("/h".into()), ..Environment::default() };
        assert_eq!(home.larkspan_home().ok(), Some("/h/.larkspan".into()));
        assert_eq!(home.codex_home().ok(), Some("/h/.codex".into()));
        let own = Environment { codex_home: Some("/c".into()), larkspan_home: Some("/l".into()), ..home };
        assert_eq!((own.codex_home().ok(), own.larkspan_home().ok()), (Some("/c".into()), Some("/l".into())));
        assert!(Environment::default().codex_home().is_err());
        for (language, locale) in
            [("en_GB.UTF-8", Locale::En), ("zh_CN.UTF-8", Locale::ZhCn), ("C.UTF-8", Locale::ZhCn)]
        {
            let environment = Environment { language: Some(language.into()), ..Environment::default() };
            assert_eq!(environment.locale(), locale, "{language}");
        }
    }
}
