//! A headless Chromium, driven over its debugging protocol: opens a page, asks it, takes pictures of it.
//!
//! Invariants
//! - It has a profile of its own and no network but loopback; dropping it ends it and removes the profile.
//! - Nothing sleeps: a condition is asked for again until it holds or the time is up.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(30);
/// How often a condition is asked for.
const AGAIN: Duration = Duration::from_millis(50);

/// Where Chromium is, if it is here.
pub fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("LARKSPAN_CHROMIUM").map(PathBuf::from);
    let usual =
        ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|path| path.is_file())
}

/// A browser with one page.
#[derive(Debug)]
pub struct Browser {
    process: Child,
    /// Removed with it.
    _profile: tempfile::TempDir,
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    session: String,
    number: u64,
}

impl Browser {
    /// Starts it and opens a page.
    pub async fn open(program: &Path, url: &str) -> Result<Self> {
        let profile = tempfile::tempdir()?;
        let process = Command::new(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--hide-scrollbars", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} does not start", program.display()))?;
        let mut process = Killed(Some(process));
        let address = address(&profile.path().join("DevToolsActivePort")).await?;
        let (socket, _) = timeout(LIMIT, connect_async(address)).await?.context("no debugging connection")?;
        let process = process.0.take().context("the process is held until here")?;
        let mut browser = Self { process, _profile: profile, socket, session: String::new(), number: 0 };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"})).await?;
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", attach).await?;
        browser.session = attached["sessionId"].as_str().context("no session")?.to_owned();
        browser.call("Page.enable", json!({})).await?;
        browser.call("Page.navigate", json!({"url": url})).await?;
        Ok(browser)
    }

    /// What a script's expression is.
    pub async fn ask(&mut self, script: &str) -> Result<Value> {
        let ask = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", ask).await?;
        if let Some(problem) = answer.get("exceptionDetails") {
            bail!("{script}: {problem}");
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Waits until an expression is true.
    pub async fn until(&mut self, script: &str) -> Result<()> {
        let begun = Instant::now();
        loop {
            // While a page loads there may be nothing to ask.
            if self.ask(script).await.is_ok_and(|answer| answer == json!(true)) {
                return Ok(());
            }
            if begun.elapsed() > LIMIT {
                let text = self.ask("document.body.innerText").await.unwrap_or_default();
                bail!("not within {LIMIT:?}: {script}; the page says {text}");
            }
            sleep(AGAIN).await;
        }
    }

    /// The window's size in CSS pixels.
    pub async fn resize(&mut self, width: u32, height: u32) -> Result<()> {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 2, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", metrics).await.map(drop)
    }

    /// The colours that a person prefers: `light` or `dark`.
    pub async fn prefer(&mut self, scheme: &str) -> Result<()> {
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.call("Emulation.setEmulatedMedia", media).await.map(drop)
    }

    /// A picture of the window, as PNG.
    pub async fn picture(&mut self) -> Result<Vec<u8>> {
        let taken = self.call("Page.captureScreenshot", json!({"format": "png"})).await?;
        BASE64_STANDARD.decode(taken["data"].as_str().context("no picture")?).context("no base64")
    }

    async fn call(&mut self, method: &str, params: Value) -> Result<Value> {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).await?;
        let answer = async {
            while let Some(message) = self.socket.next().await {
                let Ok(answer) = serde_json::from_str::<Value>(message?.to_text().unwrap_or_default()) else {
                    continue;
                };
                if answer["id"] != json!(self.number) {
                    continue;
                }
                if let Some(error) = answer.get("error") {
                    bail!("{method}: {error}");
                }
                return Ok(answer["result"].clone());
            }
            bail!("the browser is gone")
        };
        timeout(LIMIT, answer).await.with_context(|| format!("{method}: no answer"))?
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

/// Ends the process if something fails before the browser is whole.
struct Killed(Option<Child>);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(end);
    }
}

fn end(process: &mut Child) {
    // It may have ended by itself.
    let _ = process.kill();
    let _ = process.wait();
}

/// Where it listens, as it writes down itself: the port, and the path on the next line.
async fn address(file: &Path) -> Result<String> {
    let begun = Instant::now();
    while begun.elapsed() < LIMIT {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some((port, path)) = text.split_once('\n')
            && !path.trim().is_empty()
        {
            return Ok(format!("ws://127.0.0.1:{port}{}", path.trim()));
        }
        sleep(AGAIN).await;
    }
    bail!("the browser does not listen within {LIMIT:?}")
}
