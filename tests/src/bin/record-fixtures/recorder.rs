//! Where a scenario gets its model and its lab from, and where its logs go.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use larkspan_tests::codex_cli::{CodexCli, Lab, LabOptions, McpServer};
use larkspan_tests::sanitise;
use larkspan_tests::scripted_model::{Script, ScriptedModel};

/// The real Codex and the folder for what it writes.
#[derive(Debug)]
pub(crate) struct Recorder {
    cli: CodexCli,
    out: PathBuf,
    program: String,
}

impl Recorder {
    pub(crate) fn new(cli: CodexCli, out: PathBuf) -> Result<Self> {
        let program = std::env::current_exe().context("the recorder does not know its own path")?;
        Ok(Self { cli, out, program: program.to_string_lossy().into_owned() })
    }

    /// A model that plays `script`, and a lab whose Codex asks it and has the MCP server `demo`.
    pub(crate) async fn stage(&self, slug: &str, script: Script) -> Result<(ScriptedModel, Lab)> {
        let demo = McpServer {
            name: "demo".to_owned(),
            program: self.program.clone(),
            arguments: vec!["--serve-mcp".to_owned()],
        };
        let options = LabOptions { mcp_servers: vec![demo], ..LabOptions::model(slug) };
        let model = ScriptedModel::start(script).await?;
        let lab = Lab::new(&self.cli, &model.base_url(), options)?;
        Ok((model, lab))
    }

    /// Writes the session log of one thread as `r_<name>.jsonl`.
    pub(crate) fn save(&self, lab: &Lab, thread: &str, name: &str) -> Result<()> {
        self.save_as(lab, thread, &format!("r_{name}.jsonl"))
    }

    /// Writes the session log of one thread under this file name.
    pub(crate) fn save_as(&self, lab: &Lab, thread: &str, file_name: &str) -> Result<()> {
        let log = fs::read_to_string(lab.rollout(thread)?)?;
        let real = fs::canonicalize(lab.root())?;
        let mut paths = Vec::new();
        // A temporary folder may be reached by a link: both spellings can stand in the log.
        for root in [lab.root().to_owned(), real] {
            let path = |name: &str| root.join(name).to_string_lossy().into_owned();
            paths.push((path("demo"), "/workspace/demo".to_owned()));
            paths.push((path(".codex"), "/home/user/.codex".to_owned()));
            paths.push((root.to_string_lossy().into_owned(), "/home/user".to_owned()));
        }
        let file = self.out.join(file_name);
        fs::write(&file, sanitise::rollout(&log, &paths))
            .with_context(|| format!("cannot write {}", file.display()))
    }
}
