//! A Responses-API model on loopback that plays a script and checks every request.
//!
//! Owns the HTTP server: `POST /v1/responses` answers with the next [`Step`] of the thread's conversation, as the
//! event stream that Codex reads. Guarantees: every request is recorded; a request that breaks a rule of the
//! protocol, asks beyond the script, or comes from a thread that no conversation claims gets HTTP 400 with a
//! sentence (which Codex shows at once, without retries) and fails [`ScriptedModel::finish`].
//!
//! Facts: what the Codex CLI 0.171.0 sends and accepts.

mod play;
mod request;
mod rules;
mod script;
mod server;
mod sse;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, bail};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use play::Model;
pub use request::ModelRequest;
pub use script::{Claim, Conversation, Gate, Item, Script, Step};

/// The running server. Dropping it stops it.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<Model>,
    /// How many requests came in so far.
    count: watch::Sender<usize>,
}

impl ScriptedModel {
    /// Starts on a free loopback port, on the current runtime.
    pub async fn start(script: Script) -> Result<Self> {
        let shared = Arc::new(Shared { state: Mutex::new(Model::new(script)), count: watch::Sender::new(0) });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("no free loopback port")?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(server::serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, server })
    }

    /// The provider's base URL, as in `http://127.0.0.1:40123/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// All requests so far, in order of arrival.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.shared.lock().requests().to_vec()
    }

    /// Returns once `count` requests have come in.
    pub async fn received(&self, count: usize) {
        // The sender lives in `self`, so the channel cannot close while we wait.
        let _ = self.shared.count.subscribe().wait_for(|seen| *seen >= count).await;
    }

    /// Ends the play: all requests, or an error that names every broken rule and every step nobody asked for.
    pub fn finish(self) -> Result<Vec<ModelRequest>> {
        let model = self.shared.lock();
        let wrongs = model.wrongs();
        if !wrongs.is_empty() {
            bail!("the client left the script:\n  {}", wrongs.join("\n  "));
        }
        Ok(model.requests().to_vec())
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    /// A poisoned lock means that another test thread panicked; its data is still worth reading.
    fn lock(&self) -> MutexGuard<'_, Model> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
