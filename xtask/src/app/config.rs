//! The configuration: `config.toml` in Larkspan's home, and the environment, which is stronger.
//!
//! Unknown keys are refused, with the key that was probably meant. A secret is never printed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use larkspan_feishu::platform::AppSettings;
use serde::Deserialize;

use super::environment::{Environment, FeishuEnvironment};

/// The file's name in Larkspan's home.
const FILE: &str = "config.toml";
/// The keys of `[feishu]`.
const FEISHU_KEYS: [&str; 4] = ["app_id", "app_secret", "chat", "domain"];

/// What the file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    feishu: FeishuFile,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FeishuFile {
    app_id: Option<String>,
    app_secret: Option<String>,
    domain: Option<String>,
    chat: Option<String>,
}

impl std::fmt::Debug for FeishuFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FeishuFile").field("app_id", &self.app_id).finish_non_exhaustive()
    }
}

/// The app on Feishu or Lark, as configured.
#[derive(Clone)]
pub(super) struct Feishu {
    pub(super) app_id: String,
    pub(super) app_secret: String,
    /// `feishu`, `lark`, or a base URL.
    pub(super) domain: String,
    pub(super) chat: Option<String>,
}

impl Feishu {
    /// What the client needs.
    pub(super) fn settings(&self) -> Result<AppSettings> {
        let domain = self.domain.parse()?;
        Ok(AppSettings::new(domain, self.app_id.as_str(), self.app_secret.as_str()))
    }
}

/// Where the configuration file is.
pub(super) fn path(environment: &Environment) -> Result<PathBuf> {
    Ok(environment.larkspan_home()?.join(FILE))
}

/// The app's credentials.
pub(super) fn feishu(environment: &Environment) -> Result<Feishu> {
    let path = path(environment)?;
    let file = read(&path)?.feishu;
    let FeishuEnvironment { app_id, app_secret, domain, chat } = environment.feishu.clone();
    let how = || {
        format!(
            "set LARKSPAN_FEISHU_APP_ID and LARKSPAN_FEISHU_APP_SECRET, or app_id and app_secret under [feishu] in {}; \
             docs/feishu-setup.md shows how to make an app",
            path.display()
        )
    };
    let app_id = app_id.or(file.app_id).with_context(|| format!("no Feishu app is configured: {}", how()))?;
    let app_secret = app_secret
        .or(file.app_secret)
        .with_context(|| format!("the secret of the Feishu app {app_id} is not configured: {}", how()))?;
    let domain = domain.or(file.domain).unwrap_or_else(|| "feishu".to_owned());
    Ok(Feishu { app_id, app_secret, domain, chat: chat.or(file.chat) })
}

fn read(path: &Path) -> Result<File> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(File::default()),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    };
    warn_if_others_may_read(path);
    parse(&text).with_context(|| format!("{} is not right", path.display()))
}

fn parse(text: &str) -> Result<File> {
    match toml::from_str(text) {
        Ok(file) => Ok(file),
        Err(error) => {
            // The message alone: the parser's picture of the place could show a secret.
            let message = error.message().to_owned();
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            match message.split('`').nth(1).filter(|_| message.starts_with("unknown field")) {
                Some(key) => {
                    let known = FEISHU_KEYS.iter().chain(&["feishu"]);
                    let meant = known.filter(|known| is_near(known, key)).copied().next();
                    let meant = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
                    bail!("{place}there is no setting {key}{meant}")
                }
                None => bail!("{place}{message}"),
            }
        }
    }
}

/// Whether one may have been typed for the other: the same letters but for separators, or a few of them wrong.
fn is_near(known: &str, typed: &str) -> bool {
    let letters = |text: &str| -> Vec<char> {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    distance(&letters(known), &letters(typed)) <= 2
}

/// How many letters must be added, dropped or changed.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, x) in a.iter().enumerate() {
        let mut before = at;
        row[0] = at + 1;
        for (other, y) in b.iter().enumerate() {
            let change = before + usize::from(x != y);
            before = row[other + 1];
            row[other + 1] = change.min(before + 1).min(row[other] + 1);
        }
    }
    row[b.len()]
}

#[cfg(unix)]
fn warn_if_others_may_read(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map(|file| file.permissions().mode()).unwrap_or_default();
    if mode & 0o077 != 0 {
        tracing::warn!("others may read {}, which may hold a secret: chmod 600 it", path.display());
    }
}

#[cfg(not(unix))]
fn warn_if_others_may_read(_: &Path) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_key_is_refused_with_the_right_one() {
        for (text, expected) in [
            ("[feishu]\nappid = \"x\"", "line 2: there is no setting appid; did you mean app_id?"),
            (
                "[feishu]\napp_secrets = \"s3cr3t\"",
                "line 2: there is no setting app_secrets; did you mean app_secret?",
            ),
            ("[feishuu]\n", "line 1: there is no setting feishuu; did you mean feishu?"),
            ("[feishu]\ncolour = 1", "line 2: there is no setting colour"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert_eq!(error, expected);
            assert!(!error.contains("s3cr3t"));
        }
        let broken = parse("[feishu]\napp_secret = \"s3cr3t").expect_err("no end").to_string();
        assert!(!broken.contains("s3cr3t"), "{broken}");
    }

    #[test]
    fn the_environment_is_stronger_than_the_file() {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(home.path().join(FILE), "[feishu]\napp_id = \"a\"\napp_secret = \"b\"\nchat = \"oc_1\"\n")
            .expect("a file");
        let environment = Environment::with_larkspan_home(home.path());
        let read = feishu(&environment).expect("complete");
        assert_eq!(
            (read.app_id.as_str(), read.domain.as_str(), read.chat.as_deref()),
            ("a", "feishu", Some("oc_1"))
        );
        let mut environment = environment;
        environment.feishu.app_id = Some("other".to_owned());
        assert_eq!(feishu(&environment).expect("complete").app_id, "other");
    }

    #[test]
    fn what_is_missing_is_said() {
        let home = tempfile::tempdir().expect("a folder");
        let error =
            feishu(&Environment::with_larkspan_home(home.path())).err().expect("nothing there").to_string();
        assert!(
            error.contains("LARKSPAN_FEISHU_APP_ID") && error.contains("docs/feishu-setup.md"),
            "{error}"
        );
    }
}
