//! `larkspan history`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use larkspan_core::ports::SessionCatalog;
use larkspan_core::presentation::Locale;
use larkspan_core::redaction::redact;
use larkspan_logtail::ReadMode;
use larkspan_mirror::history::{self, Format, HistoryError, Html, JsonLines, Markdown, Style};
use larkspan_mirror::json::{JsonOptions, Secrets};

use super::agents::{Agent, AllSessions, whose};
use super::cli::{History, HistoryFormat};
use super::environment::Environment;
use super::say::Usage;
use super::{mirror, output, progress};

pub(super) fn run(environment: &Environment, arguments: &History) -> Result<()> {
    let locale = arguments.wording.locale.map_or_else(|| environment.locale(), Locale::from);
    let Some(file) = &arguments.file else {
        return list(environment, arguments);
    };
    if arguments.wording.raw && arguments.format != HistoryFormat::Json {
        bail!(Usage(
            "--raw shows secrets as they are and is for --format json only; see `larkspan history --help`"
        ));
    }
    let agent = whose(file, arguments.whose.agent, ReadMode::Whole, environment)?;
    if let Some(out) = &arguments.out {
        output::check(file, out)?;
    }
    let style = Style { locale };
    let secrets = if arguments.wording.raw { Secrets::Raw } else { Secrets::Masked };
    let mut format: Box<dyn Format> = match arguments.format {
        HistoryFormat::Markdown => Box::new(Markdown::new(style)),
        HistoryFormat::Json => Box::new(JsonLines { options: JsonOptions { locale, secrets } }),
        HistoryFormat::Html => Box::new(Html::new(style)),
    };
    let mut out: Box<dyn Write> = match &arguments.out {
        Some(path) => {
            let file = File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
            Box::new(BufWriter::with_capacity(1 << 18, file))
        }
        None => Box::new(BufWriter::with_capacity(1 << 18, io::stdout().lock())),
    };
    write(agent, file, format.as_mut(), out.as_mut())
}

fn write(agent: Agent, file: &Path, format: &mut dyn Format, out: &mut dyn Write) -> Result<()> {
    let bar = progress::over_file(file);
    let mut told = |offset: u64| bar.set_position(offset);
    let mut source = agent.open(file, ReadMode::Whole, None)?;
    let result = mirror::runtime()?.block_on(history::write(source.as_mut(), format, out, &mut told));
    bar.finish_and_clear();
    match result {
        // The reader of the pipe has seen enough.
        Err(HistoryError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

fn list(environment: &Environment, arguments: &History) -> Result<()> {
    let catalog = AllSessions::of(arguments.whose.agent, environment)?;
    let sessions = mirror::runtime()?.block_on(catalog.sessions(arguments.limit as usize));
    let sessions = sessions.context("are the agents' homes right? CODEX_HOME, CLAUDE_CONFIG_DIR, KIMI_SHARE_DIR, KIMI_CODE_HOME name them")?;
    let mut out = io::stdout().lock();
    let written = if arguments.json {
        sessions.iter().try_for_each(|session| {
            let mut session = session.clone();
            session.first_message = session.first_message.map(|words| redact(&words).into_owned());
            serde_json::to_writer(&mut out, &session)?;
            out.write_all(b"\n")
        })
    } else {
        sessions.iter().try_for_each(|session| {
            let at = session.modified_at.map(|at| at.to_string()).unwrap_or_default();
            let first = session.first_message.as_deref().unwrap_or("—");
            let mark = if session.is_subagent { " (sub-agent)" } else { "" };
            let first = redact(first);
            writeln!(
                out,
                "{at}  {:<6}  {:>9}  {first}{mark}\n    {}",
                session.agent,
                size(session.bytes),
                session.path
            )
        })
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// `950 B` · `1.2 MB`.
fn size(bytes: u64) -> String {
    let (unit, divisor) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => ("kB", 100),
        1_000_000..1_000_000_000 => ("MB", 100_000),
        _ => ("GB", 100_000_000),
    };
    let tenths = bytes / divisor;
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}
