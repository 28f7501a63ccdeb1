//! A child process that cannot outlive its owner: own process group, killed as a whole on drop.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// A running child and its group.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) child: Child,
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    /// Starts the command as the leader of a new group. The streams are the caller's choice.
    pub(super) fn spawn(mut command: Command) -> Result<Self> {
        #[cfg(unix)]
        command.process_group(0);
        command.kill_on_drop(true);
        let program = command.as_std().get_program().to_owned();
        let child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        #[cfg(unix)]
        let leader = child.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
        Ok(Self {
            child,
            #[cfg(unix)]
            leader,
        })
    }

    /// Waits for the end, at most `limit`; a child that is late is killed.
    pub(super) async fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        let Ok(status) = timeout(limit, self.child.wait()).await else {
            self.kill();
            bail!("the process did not end within {limit:?} and was killed");
        };
        status.context("cannot wait for the process")
    }

    /// Kills whatever is left of the group. Harmless when nothing is.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader {
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
        let _ = self.child.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The environment of a Codex child: only what it needs, nothing of the user's. Loopback never goes to a proxy.
pub(super) fn isolate(command: &mut Command, home: &Path, codex_home: &Path) {
    command.env_clear().stdin(Stdio::null()).env("HOME", home).env("CODEX_HOME", codex_home);
    for name in ["PATH", "TMPDIR", "SystemRoot"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.env("LANG", "C.UTF-8").env("TZ", "UTC");
    for name in ["NO_PROXY", "no_proxy"] {
        command.env(name, "127.0.0.1,localhost,::1");
    }
}
