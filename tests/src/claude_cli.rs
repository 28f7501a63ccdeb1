//! The real Claude Code CLI, run offline against scripted answers of a Messages endpoint.
//!
//! Guarantees: nothing of the user's own Claude Code is read or written; a run has a time limit and is ended when it is
//! dropped; without the program there is `None`, so that a test can say that it was skipped.
//!
//! Facts: Claude Code 2.1.197. It probes the server with `HEAD` first, asks `POST /v1/messages?beta=true` for a stream, and
//! may ask small questions of its own (a title, a topic), which are answered with a word and use up no step.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Names the program, or the folder of an npm installation (`npm install --prefix`).
pub const CLAUDE_VARIABLE: &str = "LARKSPAN_CLAUDE";

/// It needs some seconds to start on a free core and many on a busy one.
const LIMIT: Duration = Duration::from_mins(2);

/// An installed Claude Code CLI.
#[derive(Debug, Clone)]
pub struct ClaudeCli {
    program: PathBuf,
}

impl ClaudeCli {
    /// The one that [`CLAUDE_VARIABLE`] names, if it is there.
    pub fn find() -> Option<Self> {
        let named = std::env::var_os(CLAUDE_VARIABLE).filter(|named| !named.is_empty())?;
        let path = Path::new(&named);
        let program = if path.is_dir() { path.join("node_modules/.bin/claude") } else { path.to_owned() };
        let program = std::path::absolute(program).ok()?;
        program.is_file().then_some(Self { program })
    }
}

/// What the model says in one answer.
#[derive(Debug, Clone)]
pub enum Said {
    /// Text, which ends the turn if nothing else is said.
    Text(String),
    /// A call of a tool.
    Call {
        /// The tool.
        name: String,
        /// Its input.
        input: Value,
    },
}

/// A Messages endpoint on loopback that plays one answer after the other. Dropping it stops it.
#[derive(Debug)]
pub struct ScriptedMessages {
    url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    steps: Mutex<VecDeque<Vec<Said>>>,
    number: Mutex<usize>,
}

impl ScriptedMessages {
    /// Starts it with the answers to play.
    pub async fn start(steps: impl IntoIterator<Item = Vec<Said>>) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let steps = Mutex::new(steps.into_iter().collect());
        let shared = Arc::new(Shared { steps, number: Mutex::new(0) });
        let app = axum::Router::new().fallback(answer).with_state(shared.clone());
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { url, shared, task })
    }

    /// How many answers were not asked for.
    pub fn left(&self) -> usize {
        self.shared.steps.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Drop for ScriptedMessages {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: axum::http::Uri,
    body: Bytes,
) -> Response {
    if method != Method::POST {
        return StatusCode::OK.into_response();
    }
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    if uri.path().ends_with("/count_tokens") {
        return as_json(&json!({"input_tokens": 10}));
    }
    if uri.path() != "/v1/messages" {
        return StatusCode::NOT_FOUND.into_response();
    }
    // Its own small questions come without the tools of its work.
    let has_tools =
        request["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "Bash"));
    let said = if has_tools {
        shared.steps.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    } else {
        None
    };
    let said = said.unwrap_or_else(|| vec![Said::Text("ok".to_owned())]);
    let number = {
        let mut number = shared.number.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        *number
    };
    let frames = frames(&said, number);
    if request["stream"] == true {
        let body = stream::iter([Ok::<_, Infallible>(Bytes::from(frames))]);
        return ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response();
    }
    let text = said.iter().find_map(|said| match said {
        Said::Text(text) => Some(text.clone()),
        Said::Call { .. } => None,
    });
    let message = json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "scripted",
        "content": [{"type": "text", "text": text.unwrap_or_default()}], "stop_reason": "end_turn",
        "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 2}});
    as_json(&message)
}

fn as_json(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// The stream of one answer.
fn frames(said: &[Said], number: usize) -> String {
    let mut out = String::new();
    let mut frame = |value: Value| {
        let kind = value["type"].as_str().unwrap_or_default().to_owned();
        out.push_str(&format_args!("event: {kind}\ndata: {value}\n\n").to_string());
    };
    frame(json!({"type": "message_start", "message": {"id": format!("msg_{number}"), "type": "message",
        "role": "assistant", "model": "scripted", "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 1000, "output_tokens": 1}}}));
    for (index, said) in said.iter().enumerate() {
        let (block, delta) = match said {
            Said::Text(text) => {
                (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}))
            }
            Said::Call { name, input } => (
                json!({"type": "tool_use", "id": format!("toolu_{number}_{index}"), "name": name, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": input.to_string()}),
            ),
        };
        frame(json!({"type": "content_block_start", "index": index, "content_block": block}));
        frame(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        frame(json!({"type": "content_block_stop", "index": index}));
    }
    let calls = said.iter().any(|said| matches!(said, Said::Call { .. }));
    let reason = if calls { "tool_use" } else { "end_turn" };
    frame(json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 20}}));
    frame(json!({"type": "message_stop"}));
    out
}

/// An isolated home and workspace. Dropping it removes both.
#[derive(Debug)]
pub struct ClaudeLab {
    cli: ClaudeCli,
    home: TempDir,
    url: String,
}

impl ClaudeLab {
    /// A place for the program, with the endpoint that it asks.
    pub fn new(cli: &ClaudeCli, model: &ScriptedMessages) -> Result<Self> {
        let home = tempfile::tempdir()?;
        std::fs::create_dir_all(home.path().join("work"))?;
        Ok(Self { cli: cli.clone(), home, url: model.url.clone() })
    }

    /// Its configuration folder, with the transcripts.
    pub fn config(&self) -> PathBuf {
        self.home.path().join(".claude")
    }

    /// Where it works.
    pub fn workspace(&self) -> PathBuf {
        self.home.path().join("work")
    }

    /// Runs it with a request; its status and what it printed.
    pub async fn run(&self, request: &str) -> Result<(ExitStatus, String)> {
        let mut command = Command::new(&self.cli.program);
        command
            .args([
                "-p",
                request,
                "--output-format",
                "stream-json",
                "--verbose",
                "--dangerously-skip-permissions",
            ])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("CLAUDE_CONFIG_DIR", self.config())
            .env("ANTHROPIC_BASE_URL", &self.url)
            .env("ANTHROPIC_API_KEY", "dummy")
            .env("NO_PROXY", "127.0.0.1")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("IS_SANDBOX", "1")
            .current_dir(self.workspace())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let output = timeout(LIMIT, command.output()).await.context("Claude Code does not end")??;
        let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        Ok((output.status, String::from_utf8_lossy(&said).into_owned()))
    }
}
