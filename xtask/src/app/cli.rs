//! The arguments, and the help that teaches them.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use larkspan_core::presentation::Locale;

use super::say::Usage;

/// Reads what coding agents log while they work, and shows every tool call as what it was: what really ran, and how it
/// ended.
#[derive(Debug, Parser)]
#[command(name = "larkspan", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(super) struct Cli {
    /// Say more on standard error; twice for even more.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(super) verbose: u8,
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  larkspan history --list                        the newest sessions, and where their logs are
  larkspan history ~/.codex/sessions/…/rollout-….jsonl | less
  larkspan history FILE --format html > session.html
  larkspan mirror                                live cards of every session in a local page
  larkspan doctor                                what works, what does not, what to do

Sessions are looked for below $CODEX_HOME (else ~/.codex). State is kept in $LARKSPAN_HOME (else ~/.larkspan).
Exit codes: 0 done, 1 failure, 2 wrong usage.";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    History(History),
    Mirror(Mirror),
    Doctor(Doctor),
}

/// Say what works, what does not, and what to do: folders, sessions, and the Feishu app if one is configured.
#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Look whether this chat can be written to. Default: the configured one.
    #[arg(long, value_name = "CHAT_ID")]
    pub(super) chat: Option<String>,
    /// One JSON object a check.
    #[arg(long)]
    pub(super) json: bool,
}

/// Read a finished or running session from its log, turn by turn.
///
/// Every tool call stands with what was asked, what really ran (also inside scripts), its exit code, duration and
/// output. Nothing is shown as run that the log does not record as run. Memory use does not grow with the log.
#[derive(Debug, Args)]
#[command(after_help = HISTORY_EXAMPLES)]
pub(super) struct History {
    /// The session's log: rollout-….jsonl, rollout-….jsonl.zst, or the saved output of `codex exec --json`.
    #[arg(required_unless_present = "list")]
    pub(super) file: Option<PathBuf>,
    /// Show the newest sessions instead.
    #[arg(long, conflicts_with_all = ["file", "format", "out", "raw"])]
    pub(super) list: bool,
    /// With --list: how many.
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "file", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) limit: u32,
    /// With --list: one JSON object a line.
    #[arg(long, conflicts_with = "file")]
    pub(super) json: bool,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t = HistoryFormat::Markdown)]
    pub(super) format: HistoryFormat,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) whose: Whose,
    #[command(flatten)]
    pub(super) wording: Wording,
}

const HISTORY_EXAMPLES: &str = "\
Examples:
  larkspan history --list
  larkspan history FILE                          Markdown, for the terminal or an editor
  larkspan history FILE --format html --out page.html
  larkspan history FILE --format json | jq 'select(.type == \"tool_call\") | .title'";

/// Follow sessions while they grow: live cards in a local page or in a Feishu chat, or a line of JSON for each change.
///
/// The first time it shows the turn in progress from its start (or everything, with --from start); after that, also
/// over restarts, what came after. Nothing is lost. With --out each change stands in the file exactly once; on a pipe a
/// line may come again after a crash, with the same session, turn, call and revision.
#[derive(Debug, Args)]
#[command(after_help = MIRROR_EXAMPLES)]
pub(super) struct Mirror {
    #[command(flatten)]
    pub(super) which: Which,
    /// Where to begin the first time. Default: now; start with --once and for a FILE that has not grown for 10 minutes.
    #[arg(long, value_enum)]
    pub(super) from: Option<Begin>,
    /// Stop at the end of what is there. Without --out this remembers nothing: it is the same every time.
    #[arg(long)]
    pub(super) once: bool,
    /// Where turns are shown. Default: preview; jsonl with --out.
    #[arg(long, value_enum)]
    pub(super) surface: Option<Surface>,
    /// With --surface feishu: the chat (oc_…). Default: the variable `LARKSPAN_FEISHU_CHAT`, else the configuration.
    #[arg(long, value_name = "CHAT_ID")]
    pub(super) chat: Option<String>,
    /// With --surface preview: the page's port. Default: any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(super) port: u16,
    /// Write to this file instead of standard output; with --watch, to one file a session in this folder.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// With --watch: follow sessions of sub-agents too.
    #[arg(long, conflicts_with_all = ["session", "latest"])]
    pub(super) subagents: bool,
    #[command(flatten)]
    pub(super) whose: Whose,
    #[command(flatten)]
    pub(super) wording: Wording,
}

const MIRROR_EXAMPLES: &str = "\
Examples:
  larkspan mirror                                every session, as cards in a local page
  larkspan mirror --session FILE --from start    one session from its start
  larkspan mirror --surface feishu --chat oc_…   live cards on your phone
  larkspan mirror --session FILE --once --surface jsonl | jq .title
  larkspan mirror --watch --out feed/            every session, one file each";

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(super) struct Which {
    /// Follow this log.
    #[arg(long, value_name = "FILE")]
    pub(super) session: Option<PathBuf>,
    /// Follow the session that was written to last.
    #[arg(long)]
    pub(super) latest: bool,
    /// Follow every session, also those that begin later. The default.
    #[arg(long)]
    pub(super) watch: bool,
}

#[derive(Debug, Args)]
pub(super) struct Whose {
    /// The agent whose logs are read. Default: any, told by what is in a log.
    #[arg(long, value_enum, default_value_t = AgentChoice::Auto)]
    pub(super) agent: AgentChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum AgentChoice {
    /// Any.
    Auto,
    /// Codex.
    Codex,
    /// Claude Code.
    Claude,
    /// Kimi, of both of its programs.
    Kimi,
}

#[derive(Debug, Args)]
pub(super) struct Wording {
    /// The language of titles. Default: by `$LARKSPAN_LOCALE`, `$LC_ALL`, `$LC_MESSAGES`, `$LANG`; else zh-CN.
    #[arg(long, value_enum)]
    pub(super) locale: Option<Language>,
    /// Do not mask secrets (JSON only): for your own eyes.
    #[arg(long)]
    pub(super) raw: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum HistoryFormat {
    /// For reading.
    Markdown,
    /// For programs: one object a line.
    Json,
    /// One self-contained page.
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Begin {
    /// At the log's start.
    Start,
    /// At the turn in progress.
    Now,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Surface {
    /// A local page with the cards that Feishu would show; no account needed.
    Preview,
    /// Live cards in a Feishu or Lark chat; see docs/feishu-setup.md.
    Feishu,
    /// One JSON object a line.
    Jsonl,
}

impl Mirror {
    /// Where turns are shown.
    pub(super) fn surface(&self) -> Surface {
        let default = if self.out.is_some() { Surface::Jsonl } else { Surface::Preview };
        self.surface.unwrap_or(default)
    }

    /// What makes no sense together, and cannot be said in the table of arguments.
    pub(super) fn check(&self) -> Result<(), Usage> {
        let surface = self.surface();
        let is_jsonl = surface == Surface::Jsonl;
        for (is_wrong, why) in [
            (self.out.is_some() && !is_jsonl, "--out is for --surface jsonl"),
            (self.wording.raw && !is_jsonl, "--raw is for --surface jsonl: cards always mask secrets"),
            (self.chat.is_some() && surface != Surface::Feishu, "--chat is for --surface feishu"),
            (self.port != 0 && surface != Surface::Preview, "--port is for --surface preview"),
        ] {
            if is_wrong {
                return Err(Usage(why));
            }
        }
        Ok(())
    }
}

impl Which {
    /// Whether every session is followed.
    pub(super) fn watches(&self) -> bool {
        self.session.is_none() && !self.latest
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// 简体中文
    #[value(name = "zh-CN")]
    ZhCn,
    /// English
    En,
}

impl From<Language> for Locale {
    fn from(language: Language) -> Self {
        match language {
            Language::ZhCn => Self::ZhCn,
            Language::En => Self::En,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn the_surface_goes_with_the_rest() {
        for (arguments, expected) in [
            ("larkspan mirror", Some(Surface::Preview)),
            ("larkspan mirror --latest --port 9000", Some(Surface::Preview)),
            ("larkspan mirror --out feed", Some(Surface::Jsonl)),
            ("larkspan mirror --surface feishu --chat oc_1", Some(Surface::Feishu)),
            ("larkspan mirror --surface preview --out feed", None),
            ("larkspan mirror --raw", None),
            ("larkspan mirror --chat oc_1", None),
            ("larkspan mirror --surface jsonl --port 1", None),
        ] {
            let Command::Mirror(mirror) = Cli::parse_from(arguments.split(' ')).command else { panic!() };
            assert_eq!(mirror.check().ok().map(|()| mirror.surface()), expected, "{arguments}");
        }
    }

    #[test]
    fn wrong_usage_is_refused() {
        for arguments in [
            "larkspan history",
            "larkspan history --list FILE",
            "larkspan history FILE --json",
            "larkspan mirror --latest --watch",
            "larkspan mirror --latest --subagents",
            "larkspan history FILE --format pdf",
            "larkspan history --list --limit 0",
        ] {
            assert!(Cli::try_parse_from(arguments.split(' ')).is_err(), "{arguments}");
        }
    }
}
