//! `larkspan mirror`.

use std::collections::HashSet;
use std::future::pending;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use larkspan_core::ports::{CardSurface, SessionCatalog, SourcePosition};
use larkspan_core::presentation::Locale;
use larkspan_logtail::ReadMode;
use larkspan_mirror::follow::{Follow, From, Until, follow};
use larkspan_mirror::json::{JsonOptions, Secrets};
use larkspan_mirror::json_lines::JsonLinesSurface;
use larkspan_mirror::state_files::StateFiles;
use larkspan_web::Board;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::agents::{Agent, AllSessions, of_tag, whose};
use super::cards::{self, Forgetful, Way};
use super::cli::{Begin, Mirror, Surface};
use super::environment::Environment;
use super::{output, say};

/// A file that was not written for this long no longer grows.
const STILL: Duration = Duration::from_mins(10);
/// How many of the newest sessions are followed at once.
const WATCHED: usize = 64;
/// How often the folder of sessions is looked at even if nothing is told.
const LOOK: Duration = Duration::from_secs(30);

/// One thread is enough: sources wait far more than they work.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime could not be started")
}

pub(super) fn run(environment: &Environment, arguments: Mirror) -> Result<()> {
    let locale = arguments.wording.locale.map_or_else(|| environment.locale(), Locale::from);
    let secrets = if arguments.wording.raw { Secrets::Raw } else { Secrets::Masked };
    arguments.check()?;
    let store = Arc::new(StateFiles::new(environment.larkspan_home()?.join("state")));
    let catalog = AllSessions::of(arguments.whose.agent, environment)?;
    runtime()?.block_on(async {
        let stop = stop_signal()?;
        // A wrong name is said before anything is opened.
        let choice = arguments.whose.agent;
        let named = match &arguments.which.session {
            Some(file) => Some((file.clone(), whose(file, choice, ReadMode::Follow, environment)?)),
            None => None,
        };
        let mut page = None;
        let way = match arguments.surface() {
            Surface::Jsonl => None,
            Surface::Feishu => {
                Some(cards::chat(environment, arguments.chat.clone(), locale, store.clone()).await?)
            }
            Surface::Preview => {
                let board = Arc::new(Board::new());
                let server = larkspan_web::serve(arguments.port, board.clone()).await.with_context(|| {
                    format!(
                        "the page cannot be served on port {}: is it in use? give another --port",
                        arguments.port
                    )
                })?;
                say::result(&format!("Cards: {}", server.url()))?;
                page = Some(server);
                Some(Way::Page { board, locale })
            }
        };
        let wiring = Wiring { store, options: JsonOptions { locale, secrets }, arguments, way };
        let until_stopped = stop.clone();
        let ended = if wiring.arguments.which.watches() {
            watch_all(Arc::new(wiring), &catalog, stop).await
        } else {
            let (session, agent) = match named {
                Some(named) => named,
                None => latest(&catalog).await?,
            };
            let from = wiring.from(&session);
            let out = wiring.arguments.out.clone();
            wiring.follow_one(&session, agent, from, out.as_deref(), stop).await
        };
        ended?;
        if let Some(page) = page {
            let mut stop = until_stopped;
            if !*stop.borrow() {
                say::result("That is all of it. The page stays until Ctrl-C.")?;
                let _ = stop.wait_for(|is_told| *is_told).await;
            }
            page.stop().await;
        }
        Ok(())
    })
}

async fn latest(catalog: &AllSessions) -> Result<(PathBuf, Agent)> {
    let newest = catalog.sessions(1).await;
    let newest = newest.context("are the agents' homes right? CODEX_HOME, CLAUDE_CONFIG_DIR, KIMI_SHARE_DIR, KIMI_CODE_HOME name them")?;
    let newest =
        newest.into_iter().find_map(|session| Some((PathBuf::from(&session.path), of_tag(&session.agent)?)));
    newest.with_context(|| format!("no session yet below {}", catalog.places()))
}

/// Becomes true when the process is asked to end.
fn stop_signal() -> Result<watch::Receiver<bool>> {
    let (tell, told) = watch::channel(false);
    // Before anything is written: a signal that comes early must not end the process in the middle of a line.
    #[cfg(unix)]
    let asked_to_end = {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut terminate, mut interrupt) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
    };
    #[cfg(not(unix))]
    let asked_to_end = async { drop(tokio::signal::ctrl_c().await) };
    tokio::spawn(async move {
        asked_to_end.await;
        let _ = tell.send(true);
    });
    Ok(told)
}

/// What following a session needs.
struct Wiring {
    store: Arc<StateFiles>,
    options: JsonOptions,
    arguments: Mirror,
    /// Cards; none: JSON lines.
    way: Option<Way>,
}

impl Wiring {
    /// Where a first attach begins.
    fn from(&self, session: &Path) -> From {
        let is_still = || {
            let modified = std::fs::metadata(session).and_then(|file| file.modified()).ok();
            let age = modified.and_then(|at| SystemTime::now().duration_since(at).ok());
            age.is_some_and(|age| age > STILL)
        };
        let is_all_of_it = || self.arguments.once || self.arguments.which.session.is_some() && is_still();
        match self.arguments.from {
            Some(Begin::Start) => From::Start,
            None if is_all_of_it() => From::Start,
            Some(Begin::Now) | None => From::Now,
        }
    }

    async fn follow_one(
        &self,
        session: &Path,
        agent: Agent,
        from: From,
        out: Option<&Path>,
        mut stop: watch::Receiver<bool>,
    ) -> Result<()> {
        if let Some(out) = out {
            output::check(session, out)?;
        }
        let surface: Box<dyn CardSurface> = match (&self.way, out) {
            (Some(way), _) => way.surface(session),
            (None, Some(path)) => Box::new(JsonLinesSurface::file(path, self.options)?),
            (None, None) => Box::new(JsonLinesSurface::pipe(io::stdout(), self.options)),
        };
        let (is_remembered, name) = match &self.way {
            Some(way) => (way.is_remembered(), format!("mirror/{}/of/{}", way.name(), absolute(session))),
            None => (!self.arguments.once || out.is_some(), state_name(session, out)),
        };
        let scratch;
        let (store, _lock) = if is_remembered {
            (self.store.as_ref() as &dyn larkspan_core::ports::StateStore, Some(self.store.lock(&name)?))
        } else {
            scratch = Forgetful;
            (&scratch as &dyn larkspan_core::ports::StateStore, None)
        };
        let path = session.to_owned();
        let open = move |from: Option<&SourcePosition>| agent.open(&path, ReadMode::Follow, from);
        let until = if self.arguments.once { Until::End } else { Until::Stopped };
        let what = Follow { open: &open, surface: surface.as_ref(), store, name: &name, from, until };
        let stopped = async move {
            if stop.wait_for(|is_told| *is_told).await.is_err() {
                pending::<()>().await;
            }
        };
        follow(what, stopped).await.with_context(|| format!("following {}", session.display()))
    }
}

/// Follows the newest sessions and those that begin later, until told to stop.
async fn watch_all(wiring: Arc<Wiring>, catalog: &AllSessions, stop: watch::Receiver<bool>) -> Result<()> {
    if let Some(folder) = &wiring.arguments.out {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    let mut followed: HashSet<String> = HashSet::new();
    let mut tasks: JoinSet<Result<()>> = JoinSet::new();
    let mut is_first_look = true;
    loop {
        match catalog.sessions(WATCHED).await {
            Ok(sessions) => {
                for session in sessions {
                    let is_wanted = wiring.arguments.subagents || !session.is_subagent;
                    if !is_wanted || !followed.insert(session.path.clone()) {
                        continue;
                    }
                    let Some(agent) = of_tag(&session.agent) else { continue };
                    let path = PathBuf::from(&session.path);
                    // A session that begins while we watch is told from its start.
                    let from = if is_first_look { wiring.from(&path) } else { From::Start };
                    let out = wiring
                        .arguments
                        .out
                        .as_ref()
                        .map(|folder| folder.join(file_name(session.id.as_str())));
                    let (wiring, stop) = (wiring.clone(), stop.clone());
                    tasks.spawn(
                        async move { wiring.follow_one(&path, agent, from, out.as_deref(), stop).await },
                    );
                }
            }
            Err(error) if wiring.arguments.once => return Err(error.into()),
            // The folder may come with the first session.
            Err(error) => tracing::info!("{error}"),
        }
        is_first_look = false;
        if wiring.arguments.once {
            while let Some(ended) = tasks.join_next().await {
                ended??;
            }
            return Ok(());
        }
        let mut stop = stop.clone();
        let stopping = async move { stop.wait_for(|is_told| *is_told).await.is_ok() };
        tokio::select! {
            _ = stopping => break,
            changed = catalog.changed(LOOK) => changed?,
            Some(ended) = tasks.join_next(), if !tasks.is_empty() => {
                // One session's failure is its own.
                if let Ok(Err(error)) = ended {
                    super::say::error(&error);
                }
            }
        }
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}

/// The state of one log on one surface.
fn state_name(session: &Path, out: Option<&Path>) -> String {
    let out = out.map_or_else(|| "-".to_owned(), absolute);
    format!("mirror/jsonl/{out}/of/{}", absolute(session))
}

fn absolute(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or(path).display().to_string()
}

/// A session's id as a file name.
fn file_name(id: &str) -> String {
    let safe: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' })
        .collect();
    format!("{safe}.jsonl")
}
