//! All scenarios: those that are only turns of one thread are data, the others say what they do.

mod agents;
mod direct;
mod example;
mod scripts;
mod threads;

use std::fs;

use anyhow::{Context, Result, ensure};
use larkspan_tests::scripted_model::{Item, Script, Step};
use serde_json::json;

use crate::recorder::Recorder;

/// A model that calls tools directly, by Codex's built-in catalogue.
const DIRECT: &str = "gpt-5.5";
/// A model that calls them in code mode.
const CODE_MODE: &str = "gpt-5.6-sol";
/// A model that the catalogue does not know: Codex falls back to its oldest set of tools.
const UNKNOWN: &str = "glm-5";

/// One recording, or a few that belong together.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    plot: Plot,
}

/// What happens in it.
enum Plot {
    /// Turns of one thread.
    Turns(Talk),
    /// A parent and its sub-agent, with (`all`) or without (`none`) the parent's history.
    SubAgent { fork_turns: &'static str },
    /// `codex exec`, then twice `codex exec resume`.
    Resume,
    /// A thread and its forks. The history mode is the app-server's own word for it.
    Fork { model: &'static str, history_mode: &'static str },
    /// The other agent tools: list, follow up, message, interrupt.
    AgentTools,
    /// The agent tools of models without the newer ones.
    OldAgentTools,
    /// The user speaks in the middle of a turn, and runs a command beside it.
    UserInTurn,
    /// A turn that is interrupted while its script has one call behind it, one running and one to come.
    InterruptedScript,
    /// The session of `examples/`.
    Example,
}

/// Turns of one thread, one after the other in one process.
struct Talk {
    model: &'static str,
    via: Via,
    turns: Vec<Turn>,
}

/// How Codex is run.
enum Via {
    /// `codex exec`: one turn.
    Exec,
    /// The app-server, with its usual (paginated) history.
    AppServer,
    /// The app-server, with the older (legacy) history.
    Legacy,
}

struct Turn {
    prompt: &'static str,
    steps: Vec<Step>,
    /// After the turn: wait until a command whose text contains this has ended.
    then_ends: Option<&'static str>,
}

/// The scenarios in the order in which they are recorded.
pub(crate) fn all() -> Vec<Scenario> {
    let mut all = vec![
        Scenario { name: "subagent", plot: Plot::SubAgent { fork_turns: "all" } },
        Scenario { name: "subagent_fresh", plot: Plot::SubAgent { fork_turns: "none" } },
        Scenario { name: "agent_tools", plot: Plot::AgentTools },
        Scenario { name: "agent_tools_v1", plot: Plot::OldAgentTools },
        Scenario { name: "user_in_turn", plot: Plot::UserInTurn },
        Scenario { name: "resume_cm", plot: Plot::Resume },
        Scenario { name: "fork", plot: Plot::Fork { model: DIRECT, history_mode: "paginated" } },
        Scenario { name: "fork_cm", plot: Plot::Fork { model: CODE_MODE, history_mode: "paginated" } },
        Scenario { name: "fork_legacy", plot: Plot::Fork { model: CODE_MODE, history_mode: "legacy" } },
        Scenario { name: "cm_interrupt_script", plot: Plot::InterruptedScript },
        Scenario { name: "example", plot: Plot::Example },
    ];
    all.extend(scripts::all());
    all.extend(direct::all());
    all
}

impl Scenario {
    /// Whether it is to be recorded: those whose name contains what was asked for, else all fixtures.
    pub(crate) fn is_asked_for(&self, only: Option<&str>) -> bool {
        match only {
            Some(only) => self.name.contains(only),
            None => !matches!(self.plot, Plot::Example),
        }
    }

    /// Plays it and writes its logs.
    pub(crate) async fn record(self, recorder: &Recorder) -> Result<()> {
        let name = self.name;
        match self.plot {
            Plot::Turns(talk) => talk.record(recorder, name).await,
            Plot::SubAgent { fork_turns } => agents::sub_agent(recorder, name, fork_turns).await,
            Plot::AgentTools => agents::tools(recorder, name).await,
            Plot::OldAgentTools => agents::old_tools(recorder, name).await,
            Plot::UserInTurn => threads::user_in_turn(recorder, name).await,
            Plot::Resume => threads::resume(recorder, name).await,
            Plot::Fork { model, history_mode } => threads::fork(recorder, name, model, history_mode).await,
            Plot::InterruptedScript => threads::interrupted_script(recorder, name).await,
            Plot::Example => example::record(recorder).await,
        }
    }

    /// One turn of `codex exec`: each script is a request's answer, then the model is done.
    fn exec(name: &'static str, model: &'static str, items: impl IntoIterator<Item = Item>) -> Self {
        Self::turns(name, model, Via::Exec, [Turn::of("Go.", items)])
    }

    fn turns(
        name: &'static str,
        model: &'static str,
        via: Via,
        turns: impl IntoIterator<Item = Turn>,
    ) -> Self {
        Self { name, plot: Plot::Turns(Talk { model, via, turns: turns.into_iter().collect() }) }
    }
}

impl Turn {
    /// Each item is a request's answer, then the model says that it is done.
    fn of(prompt: &'static str, items: impl IntoIterator<Item = Item>) -> Self {
        Self::steps(prompt, items.into_iter().map(Step::item).chain([Step::say("Done.")]))
    }

    fn steps(prompt: &'static str, steps: impl IntoIterator<Item = Step>) -> Self {
        Self { prompt, steps: steps.into_iter().collect(), then_ends: None }
    }

    fn then_ends(mut self, command: &'static str) -> Self {
        self.then_ends = Some(command);
        self
    }
}

/// A picture of one pixel, for the scenarios that look at one.
const PIXEL: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0,
    0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63,
    0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0, 0x05, 0, 0x01, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0, 0, 0, 0, 0x49, 0x45,
    0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

impl Talk {
    async fn record(self, recorder: &Recorder, name: &str) -> Result<()> {
        let mut prompts = Vec::new();
        let mut steps = Vec::new();
        for turn in self.turns {
            prompts.push((turn.prompt, turn.then_ends));
            steps.extend(turn.steps);
        }
        let (model, lab) = recorder.stage(self.model, Script::one(steps)).await?;
        fs::write(lab.workspace().join("pixel.png"), PIXEL)?;
        let history = match self.via {
            Via::Exec => {
                let (prompt, _) = *prompts.first().context("a scenario needs a turn")?;
                let run = lab.exec(prompt).await?;
                ensure!(run.status.success(), "codex failed: {:?} {}", run.events, run.stderr);
                model.finish()?;
                return recorder.save(&lab, run.thread_id().context("no thread")?, name);
            }
            Via::AppServer => json!({}),
            Via::Legacy => json!({"historyMode": "legacy"}),
        };
        let mut server = lab.app_server().await?;
        let thread = server.start_thread(history).await?;
        for (prompt, then_ends) in prompts {
            server.turn(&thread, prompt).await?;
            if let Some(command) = then_ends {
                let is_it =
                    |item: &serde_json::Value| item["command"].as_str().is_some_and(|c| c.contains(command));
                server.item_completed("commandExecution", is_it).await?;
            }
        }
        server.close().await?;
        model.finish()?;
        recorder.save(&lab, &thread, name)
    }
}
