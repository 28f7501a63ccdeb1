//! The agents whose logs are read: which there are, whose log a file is, and where their sessions lie.
//!
//! The one place that names them; nothing behind it knows which agent it was.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use async_trait::async_trait;
use futures_util::future::select_all;
use larkspan_core::ports::{
    CatalogError, SessionCatalog, SessionSummary, SourceError, SourcePosition, TranscriptSource,
};
use larkspan_logtail::{Head, LogCatalog, LogFolder, LogSource, ReadMode};
use {larkspan_claude_adapter as claude, larkspan_codex_adapter as codex, larkspan_kimi_adapter as kimi};

use super::cli::AgentChoice;
use super::environment::Environment;

/// An agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    Codex,
    Claude,
    Kimi,
}

impl Agent {
    const ALL: [Self; 3] = [Self::Codex, Self::Claude, Self::Kimi];

    /// Those that are asked for.
    pub(super) fn chosen(choice: AgentChoice) -> &'static [Self] {
        match choice {
            AgentChoice::Auto => &Self::ALL,
            AgentChoice::Codex => &[Self::Codex],
            AgentChoice::Claude => &[Self::Claude],
            AgentChoice::Kimi => &[Self::Kimi],
        }
    }

    /// Its name in tags.
    fn tag(self) -> &'static str {
        match self {
            Self::Codex => codex::AGENT,
            Self::Claude => claude::AGENT,
            Self::Kimi => kimi::AGENT,
        }
    }

    /// Its name for a person.
    fn name(self) -> &'static str {
        match self {
            Self::Codex => "Codex",
            Self::Claude => "Claude Code",
            Self::Kimi => "Kimi",
        }
    }

    fn wrote(self, head: &Head) -> bool {
        head.has(match self {
            Self::Codex => codex::log::looks_like_codex,
            Self::Claude => claude::log::looks_like_claude,
            Self::Kimi => kimi::log::looks_like_kimi,
        })
    }

    /// The folders with its logs that are there.
    pub(super) fn folders(self, environment: &Environment) -> Result<Vec<LogFolder>> {
        Ok(match self {
            Self::Codex => vec![codex::sessions_of(environment.codex_home()?)],
            Self::Claude => vec![claude::sessions_of(environment.claude_home()?)],
            Self::Kimi => environment.kimi_homes()?.into_iter().map(kimi::sessions_of).collect(),
        })
    }

    /// Opens one of its logs.
    pub(super) fn open(
        self,
        path: &Path,
        mode: ReadMode,
        from: Option<&SourcePosition>,
    ) -> Result<Box<dyn TranscriptSource>, SourceError> {
        Ok(match self {
            Self::Codex => Box::new(LogSource::<codex::log::LogReader>::open(path, mode, from)?),
            Self::Claude => Box::new(LogSource::<claude::log::LogReader>::open(path, mode, from)?),
            Self::Kimi => Box::new(LogSource::<kimi::log::LogReader>::open(path, mode, from)?),
        })
    }

    fn catalog(self, folder: LogFolder) -> Box<dyn SessionCatalog> {
        match self {
            Self::Codex => Box::new(LogCatalog::<codex::log::LogReader>::new(folder)),
            Self::Claude => Box::new(LogCatalog::<claude::log::LogReader>::new(folder)),
            Self::Kimi => Box::new(LogCatalog::<kimi::log::LogReader>::new(folder)),
        }
    }
}

/// Whose log a file is, by what is in it; of an empty one, by where it lies.
pub(super) fn whose(
    path: &Path,
    choice: AgentChoice,
    mode: ReadMode,
    environment: &Environment,
) -> Result<Agent> {
    let agents = Agent::chosen(choice);
    let head = Head::read(path)?;
    if head.is_empty() {
        match mode {
            ReadMode::Whole => bail!("{} is empty: nothing has been logged yet", path.display()),
            ReadMode::Follow => return Ok(by_place(path, agents, environment)),
        }
    }
    if let Some(agent) = agents.iter().find(|agent| agent.wrote(&head)) {
        return Ok(*agent);
    }
    if head.is_cut_json() {
        return Ok(by_place(path, agents, environment));
    }
    let names: Vec<&str> = agents.iter().map(|agent| agent.name()).collect();
    Err(head.no_log(&names.join(", ")).into())
}

fn by_place(path: &Path, agents: &[Agent], environment: &Environment) -> Agent {
    let lies_there = |agent: &&Agent| {
        let folders = agent.folders(environment).unwrap_or_default();
        folders.iter().any(|folder| path.starts_with(&folder.path))
    };
    let first = agents.first().copied().unwrap_or(Agent::Codex);
    agents.iter().find(lies_there).copied().unwrap_or(first)
}

/// The sessions of several agents.
pub(super) struct AllSessions {
    catalogs: Vec<Box<dyn SessionCatalog>>,
    folders: Vec<PathBuf>,
}

impl AllSessions {
    /// Those of the agents that are asked for.
    pub(super) fn of(choice: AgentChoice, environment: &Environment) -> Result<Self> {
        let (mut catalogs, mut folders) = (Vec::new(), Vec::new());
        for agent in Agent::chosen(choice) {
            for folder in agent.folders(environment)? {
                folders.push(folder.path.clone());
                catalogs.push(agent.catalog(folder));
            }
        }
        Ok(Self { catalogs, folders })
    }

    /// Where they are looked for.
    pub(super) fn places(&self) -> String {
        let places: Vec<String> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        places.join(", ")
    }
}

#[async_trait]
impl SessionCatalog for AllSessions {
    async fn sessions(&self, limit: usize) -> Result<Vec<SessionSummary>, CatalogError> {
        let (mut all, mut missing) = (Vec::new(), 0);
        for catalog in &self.catalogs {
            match catalog.sessions(limit).await {
                Ok(sessions) => all.extend(sessions),
                // Who does not use an agent has no folder of it.
                Err(CatalogError::Missing(_)) => missing += 1,
                Err(error) => return Err(error),
            }
        }
        if missing == self.catalogs.len() {
            return Err(CatalogError::Missing(self.places()));
        }
        all.sort_by_key(|session| std::cmp::Reverse(session.modified_at));
        all.truncate(limit);
        Ok(all)
    }

    async fn changed(&self, timeout: Duration) -> Result<(), CatalogError> {
        if self.catalogs.is_empty() {
            tokio::time::sleep(timeout).await;
            return Ok(());
        }
        let (first, _, _) = select_all(self.catalogs.iter().map(|catalog| catalog.changed(timeout))).await;
        first
    }
}

/// The agent that a summary names.
pub(super) fn of_tag(tag: &str) -> Option<Agent> {
    Agent::ALL.into_iter().find(|agent| agent.tag() == tag)
}
