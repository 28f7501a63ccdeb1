//! `larkspan doctor`: what works, what does not, what to do.

use std::path::Path;

use anyhow::{Result, bail};
use larkspan_core::ports::SessionCatalog;
use larkspan_feishu::platform::{BotStatus, ChatKey, PlatformError};
use serde::Serialize;

use super::agents::AllSessions;
use super::cards::platform;
use super::cli::{AgentChoice, Doctor};
use super::config;
use super::environment::Environment;
use super::{mirror, say};

/// What was found.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    state: State,
    /// What is there; where it does not work, why, and what to do.
    says: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    /// Not set up, which may be wanted.
    Absent,
    Failed,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Absent => "–",
            Self::Failed => "FAILED",
        }
    }
}

pub(super) fn run(environment: &Environment, arguments: Doctor) -> Result<()> {
    let mut findings = vec![home(environment)];
    mirror::runtime()?.block_on(async {
        findings.extend(sessions(environment).await);
        app(environment, arguments.chat, &mut findings).await;
    });
    for finding in &findings {
        if arguments.json {
            say::result(&serde_json::to_string(finding)?)?;
        } else {
            say::result(&format!("{:<7} {:<9} {}", finding.state.word(), finding.check, finding.says))?;
        }
    }
    if findings.iter().any(|finding| finding.state == State::Failed) {
        bail!("not everything works: see above");
    }
    Ok(())
}

fn finding(check: &'static str, state: State, says: impl Into<String>) -> Finding {
    Finding { check, state, says: says.into() }
}

fn failed(check: &'static str, error: &anyhow::Error) -> Finding {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    finding(check, State::Failed, causes.join(": "))
}

/// Whether state can be kept.
fn home(environment: &Environment) -> Finding {
    let folder = match environment.larkspan_home() {
        Ok(folder) => folder,
        Err(error) => return failed("home", &error),
    };
    match writable(&folder) {
        Ok(()) => finding("home", State::Ok, format!("state is kept in {}", folder.display())),
        Err(error) => finding(
            "home",
            State::Failed,
            format!(
                "{} cannot be written to ({error}): set LARKSPAN_HOME to a folder of yours",
                folder.display()
            ),
        ),
    }
}

fn writable(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(probe)
}

/// Whether there is something to follow, of each agent.
async fn sessions(environment: &Environment) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (choice, name) in
        [(AgentChoice::Codex, "codex"), (AgentChoice::Claude, "claude"), (AgentChoice::Kimi, "kimi")]
    {
        let catalog = match AllSessions::of(choice, environment) {
            Ok(catalog) => catalog,
            Err(error) => {
                findings.push(failed(name, &error));
                continue;
            }
        };
        findings.push(match catalog.sessions(1).await {
            Ok(newest) => match newest.first() {
                Some(newest) => finding(name, State::Ok, format!("the newest session is {}", newest.path)),
                None => finding(name, State::Absent, format!("no session yet below {}", catalog.places())),
            },
            Err(error) => finding(name, State::Absent, error.to_string()),
        });
    }
    findings
}

/// Whether the app on Feishu can do what it must.
async fn app(environment: &Environment, chat: Option<String>, findings: &mut Vec<Finding>) {
    let feishu = match config::feishu(environment) {
        Ok(feishu) => feishu,
        Err(error) => {
            let is_set = environment.feishu.app_id.is_some() || environment.feishu.app_secret.is_some();
            let state = if is_set { State::Failed } else { State::Absent };
            findings.push(Finding { state, ..failed("feishu", &error) });
            return;
        }
    };
    let platform = match platform(&feishu) {
        Ok(platform) => platform,
        Err(error) => return findings.push(failed("feishu", &error)),
    };
    match platform.bot_info().await {
        Ok(bot) if bot.status == BotStatus::Enabled => {
            findings.push(finding(
                "feishu",
                State::Ok,
                format!("the app {} signs in as the bot {}", feishu.app_id, bot.name),
            ));
        }
        Ok(bot) => {
            let says = format!(
                "the app {} signs in, but its bot is {:?}: publish a version with the bot ability (机器人) and have it approved",
                feishu.app_id, bot.status
            );
            findings.push(finding("feishu", State::Failed, says));
        }
        Err(error) => return findings.push(refused("feishu", &error)),
    }
    let Some(chat) = chat.or(feishu.chat) else {
        findings.push(finding(
            "chat",
            State::Absent,
            "no chat is configured: set LARKSPAN_FEISHU_CHAT, or give --chat oc_…",
        ));
        return;
    };
    match platform.chat(&ChatKey(chat.clone())).await {
        Ok(info) => findings.push(finding("chat", State::Ok, format!("{} ({chat})", info.name))),
        Err(error) => findings.push(refused("chat", &error)),
    }
}

fn refused(check: &'static str, error: &PlatformError) -> Finding {
    finding(check, State::Failed, error.to_string())
}
