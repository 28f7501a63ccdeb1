//! An isolated place for one Codex: home, configuration, workspace; and `codex exec` in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;

use super::process::{Group, isolate};
use super::{AppServer, CodexCli};

/// Codex needs about a second to start on a free core and many on a busy one.
const DEFAULT_LIMIT: Duration = Duration::from_mins(2);

/// The name of the provider in the configuration.
pub(super) const PROVIDER: &str = "lab";

/// A stdio MCP server that Codex is to start.
#[derive(Debug, Clone)]
pub struct McpServer {
    /// Its name in the configuration; the tools are `mcp__<name>__…`.
    pub name: String,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// How the Codex of a [`Lab`] is set up.
#[derive(Debug, Clone)]
pub struct LabOptions {
    /// The model's slug. Codex's built-in catalogue decides by it which tools there are: `gpt-5.5` calls directly,
    /// `gpt-5.6-sol` in code mode.
    pub model: String,
    /// MCP servers.
    pub mcp_servers: Vec<McpServer>,
    /// More lines for the top of `config.toml`, in TOML.
    pub config: String,
    /// How long any single wait may take.
    pub limit: Duration,
}

impl LabOptions {
    /// A lab for this model, with nothing else.
    pub fn model(slug: &str) -> Self {
        Self { model: slug.to_owned(), mcp_servers: Vec::new(), config: String::new(), limit: DEFAULT_LIMIT }
    }
}

/// An isolated home and workspace. Dropping it removes both.
#[derive(Debug)]
pub struct Lab {
    cli: CodexCli,
    pub(super) options: LabOptions,
    home: TempDir,
}

/// What one `codex exec` did.
#[derive(Debug)]
pub struct ExecRun {
    /// 0 on `turn.completed`, 1 on `turn.failed`.
    pub status: ExitStatus,
    /// The lines of `--json`, parsed; a line that is no JSON as a string.
    pub events: Vec<Value>,
    /// Everything on stderr.
    pub stderr: String,
}

impl ExecRun {
    /// The thread that ran, from `thread.started`.
    pub fn thread_id(&self) -> Option<&str> {
        self.events.iter().find_map(|event| event.get("thread_id").and_then(Value::as_str))
    }
}

impl Lab {
    /// Sets up a home and an empty workspace whose model is at `base_url`.
    pub fn new(cli: &CodexCli, base_url: &str, options: LabOptions) -> Result<Self> {
        let home = tempfile::Builder::new().prefix("codex-lab-").tempdir().context("no temporary folder")?;
        let lab = Self { cli: cli.clone(), options, home };
        fs::create_dir_all(lab.workspace())?;
        fs::create_dir_all(lab.codex_home())?;
        fs::write(lab.codex_home().join("config.toml"), lab.config(base_url))?;
        Ok(lab)
    }

    fn config(&self, base_url: &str) -> String {
        let quoted = |text: &str| Value::from(text).to_string(); // JSON strings are TOML basic strings.
        let mut lines = vec![
            format!("model = {}", quoted(&self.options.model)),
            format!("model_provider = \"{PROVIDER}\""),
            "check_for_update_on_startup = false".to_owned(),
            self.options.config.clone(),
            format!("[model_providers.{PROVIDER}]"),
            format!("name = \"{PROVIDER}\""),
            format!("base_url = {}", quoted(base_url)),
            "wire_api = \"responses\"".to_owned(),
            "[analytics]".to_owned(),
            "enabled = false".to_owned(),
            format!("[projects.{}]", quoted(&self.workspace().to_string_lossy())),
            "trust_level = \"trusted\"".to_owned(),
        ];
        for server in &self.options.mcp_servers {
            let arguments: Vec<String> = server.arguments.iter().map(|argument| quoted(argument)).collect();
            lines.push(format!("[mcp_servers.{}]", server.name));
            lines.push(format!("command = {}", quoted(&server.program)));
            lines.push(format!("args = [{}]", arguments.join(", ")));
        }
        lines.join("\n") + "\n"
    }

    /// The temporary folder that holds everything.
    pub fn root(&self) -> &Path {
        self.home.path()
    }

    /// The folder in which Codex works.
    pub fn workspace(&self) -> PathBuf {
        self.home.path().join("demo")
    }

    /// The `CODEX_HOME`.
    pub fn codex_home(&self) -> PathBuf {
        self.home.path().join(".codex")
    }

    /// A Codex command with the lab's environment, in the workspace, with its own group and no stdin.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(self.cli.program());
        isolate(&mut command, self.home.path(), &self.codex_home());
        command.current_dir(self.workspace());
        command
    }

    /// `codex exec` with this prompt, to its end.
    pub async fn exec(&self, prompt: &str) -> Result<ExecRun> {
        self.run_exec(&[prompt]).await
    }

    /// `codex exec resume` of this thread, to its end.
    pub async fn resume(&self, thread_id: &str, prompt: &str) -> Result<ExecRun> {
        self.run_exec(&["resume", thread_id, prompt]).await
    }

    async fn run_exec(&self, arguments: &[&str]) -> Result<ExecRun> {
        let mut command = self.command();
        command
            .args(["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = Group::spawn(command)?;
        let mut out = group.child.stdout.take().context("stdout is piped")?;
        let mut err = group.child.stderr.take().context("stderr is piped")?;
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let limit = self.options.limit;
        // All at once: a full pipe would hold the child up for ever. The reading has a limit of its own, since whoever
        // inherited a pipe and left the group can keep it open.
        let (status, read) = tokio::join!(
            group.wait(limit),
            timeout(limit, async {
                tokio::join!(out.read_to_end(&mut stdout), err.read_to_end(&mut stderr))
            }),
        );
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        let status = status.with_context(|| format!("codex exec said: {stderr}"))?;
        let (read_out, read_err) = read.context("codex exec ended, but its output stayed open")?;
        read_out.context("cannot read stdout")?;
        read_err.context("cannot read stderr")?;
        let events = String::from_utf8_lossy(&stdout)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| Value::from(line)))
            .collect();
        Ok(ExecRun { status, events, stderr })
    }

    /// Starts `codex app-server` and says hello to it.
    pub async fn app_server(&self) -> Result<AppServer> {
        AppServer::start(self).await
    }

    /// All session logs of this lab, oldest first.
    pub fn rollouts(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut folders = vec![self.codex_home().join("sessions")];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                    found.push(path);
                }
            }
        }
        // The names begin with the time and end with a time-ordered id.
        found.sort();
        Ok(found)
    }

    /// The session log of one thread.
    pub fn rollout(&self, thread_id: &str) -> Result<PathBuf> {
        let suffix = format!("{thread_id}.jsonl");
        self.rollouts()?
            .into_iter()
            .find(|path| path.to_string_lossy().ends_with(&suffix))
            .with_context(|| format!("thread {thread_id} has no session log"))
    }
}
