//! A client of `codex app-server`: JSON-RPC, one message a line, over stdio.
//!
//! The client is sequential: a request waits for its answer, everything else that arrives is kept in order and can be
//! waited for afterwards.

use std::collections::VecDeque;
use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::ChildStdin;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

use super::Lab;
use super::process::Group;

/// A running app-server and the connection to it. Dropping it kills the server's process group.
#[derive(Debug)]
pub struct AppServer {
    group: Group,
    stdin: ChildStdin,
    messages: mpsc::UnboundedReceiver<Value>,
    /// Messages that arrived while something else was waited for.
    kept: VecDeque<Value>,
    next_id: u64,
    limit: Duration,
    model: String,
    workspace: PathBuf,
    stderr: PathBuf,
}

impl AppServer {
    pub(super) async fn start(lab: &Lab) -> Result<Self> {
        let stderr = lab.root().join("app-server.stderr");
        let mut command = lab.command();
        command
            .arg("app-server")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&stderr).context("cannot keep the app-server's stderr")?);
        let mut group = Group::spawn(command)?;
        let stdin = group.child.stdin.take().context("stdin is piped")?;
        let stdout = group.child.stdout.take().context("stdout is piped")?;
        let (sender, messages) = mpsc::unbounded_channel();
        // A task of its own: the server must never wait for a client that waits for something else.
        tokio::spawn(async move {
            let mut lines = BufReader::new(stdout).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                if let Ok(message) = serde_json::from_str(&line)
                    && sender.send(message).is_err()
                {
                    break;
                }
            }
        });
        let mut server = Self {
            group,
            stdin,
            messages,
            kept: VecDeque::new(),
            next_id: 0,
            limit: lab.options.limit,
            model: lab.options.model.clone(),
            workspace: lab.workspace(),
            stderr,
        };
        server
            .request(
                "initialize",
                json!({
                    "clientInfo": {"name": "larkspan_tests", "title": "Larkspan tests", "version": "0.1.0"},
                    "capabilities": {"experimentalApi": true, "requestAttestation": false},
                }),
            )
            .await?;
        server.write(&json!({"method": "initialized"})).await?;
        Ok(server)
    }

    async fn write(&mut self, message: &Value) -> Result<()> {
        let line = format!("{message}\n");
        let written = timeout(self.limit, self.stdin.write_all(line.as_bytes())).await;
        written.map_err(|_| anyhow!("the app-server does not read"))?.context("the app-server has gone")
    }

    /// Sends a request and returns its `result`; an `error` is an error.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.next_id += 1;
        let id = self.next_id;
        self.write(&json!({"id": id, "method": method, "params": params})).await?;
        let deadline = Instant::now() + self.limit;
        loop {
            let mut message = self.receive(method, deadline).await?;
            // Requests of the server have ids of their own counter, and a method.
            if message.get("id") != Some(&json!(id)) || message.get("method").is_some() {
                self.kept.push_back(message);
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("{method}: {error}");
            }
            return Ok(message["result"].take());
        }
    }

    async fn receive(&mut self, reason: &str, deadline: Instant) -> Result<Value> {
        match timeout_at(deadline, self.messages.recv()).await {
            Ok(Some(message)) => Ok(message),
            Ok(None) => {
                let stderr = std::fs::read_to_string(&self.stderr).unwrap_or_default();
                bail!("the app-server ended during {reason}; it said: {stderr}")
            }
            Err(_) => bail!("the app-server did not send what {reason} waits for within {:?}", self.limit),
        }
    }

    /// The next message of this method that fits, notification or request of the server. Messages before it stay.
    pub async fn wait_for(&mut self, method: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let wanted = |message: &Value| {
            message.get("method").and_then(Value::as_str) == Some(method)
                && fits(message.get("params").unwrap_or(&Value::Null))
        };
        if let Some(message) = self.kept.iter().position(wanted).and_then(|index| self.kept.remove(index)) {
            return Ok(message);
        }
        let deadline = Instant::now() + self.limit;
        loop {
            let message = self.receive(method, deadline).await?;
            if wanted(&message) {
                return Ok(message);
            }
            self.kept.push_back(message);
        }
    }

    /// `thread/start` with the lab's model and no approvals; `more` adds or replaces parameters. Returns the thread's id.
    pub async fn start_thread(&mut self, more: Value) -> Result<String> {
        let params = merged(
            json!({
                "model": self.model, "modelProvider": super::lab::PROVIDER, "cwd": self.workspace,
                "approvalPolicy": "never", "sandbox": "danger-full-access",
            }),
            more,
        );
        thread_id(&self.request("thread/start", params).await?)
    }

    /// `thread/fork`; `more` adds parameters such as `lastTurnId`. Returns the new thread's id.
    pub async fn fork_thread(&mut self, thread: &str, more: Value) -> Result<String> {
        let params = merged(
            json!({
                "threadId": thread, "cwd": self.workspace,
                "approvalPolicy": "never", "sandbox": "danger-full-access",
            }),
            more,
        );
        thread_id(&self.request("thread/fork", params).await?)
    }

    /// `turn/start`. Returns the turn's id at once, while the turn runs.
    pub async fn start_turn(&mut self, thread: &str, prompt: &str) -> Result<String> {
        let params =
            json!({"threadId": thread, "input": [{"type": "text", "text": prompt, "text_elements": []}]});
        let result = self.request("turn/start", params).await?;
        let id = result.pointer("/turn/id").and_then(Value::as_str).context("turn/start gave no turn id")?;
        Ok(id.to_owned())
    }

    /// Waits for the end of a turn; returns its status: `completed`, `interrupted` or `failed`.
    pub async fn turn_ended(&mut self, turn: &str) -> Result<String> {
        let is_turn = |params: &Value| params.pointer("/turn/id").and_then(Value::as_str) == Some(turn);
        let message = self.wait_for("turn/completed", is_turn).await?;
        let status = message.pointer("/params/turn/status").and_then(Value::as_str);
        Ok(status.context("turn/completed has no status")?.to_owned())
    }

    /// One whole turn.
    pub async fn turn(&mut self, thread: &str, prompt: &str) -> Result<String> {
        let turn = self.start_turn(thread, prompt).await?;
        self.turn_ended(&turn).await
    }

    /// `turn/interrupt`.
    pub async fn interrupt(&mut self, thread: &str, turn: &str) -> Result<()> {
        self.request("turn/interrupt", json!({"threadId": thread, "turnId": turn})).await.map(drop)
    }

    /// Waits until an item of this kind (`commandExecution`, …) has started; `fits` looks at the item.
    pub async fn item_started(&mut self, kind: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let wanted = |params: &Value| {
            params
                .get("item")
                .is_some_and(|item| item.get("type").and_then(Value::as_str) == Some(kind) && fits(item))
        };
        self.wait_for("item/started", wanted).await
    }

    /// Like [`Self::item_started`], for the end of an item.
    pub async fn item_completed(&mut self, kind: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let wanted = |params: &Value| {
            params
                .get("item")
                .is_some_and(|item| item.get("type").and_then(Value::as_str) == Some(kind) && fits(item))
        };
        self.wait_for("item/completed", wanted).await
    }

    /// Closes the connection and waits until the server has written everything and left.
    pub async fn close(mut self) -> Result<()> {
        drop(self.stdin);
        self.group.wait(self.limit).await.map(drop)
    }
}

fn merged(mut params: Value, more: Value) -> Value {
    if let (Some(params), Value::Object(more)) = (params.as_object_mut(), more) {
        params.extend(more);
    }
    params
}

fn thread_id(result: &Value) -> Result<String> {
    let id = result.pointer("/thread/id").and_then(Value::as_str);
    Ok(id.context("the app-server gave no thread id")?.to_owned())
}
