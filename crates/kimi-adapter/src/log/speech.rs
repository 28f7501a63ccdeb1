//! What stands under the person's name: words, notices, and text that was put in for the model.

use std::borrow::Cow;

use larkspan_core::transcript::{NoticeKind, Role};

use super::twins::{Source, mark_of};
use super::{LogReader, Sink};
use crate::wire::{self, Origin, Raw};

/// Whose words they are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// The person's, or, in a sub-agent's own log, its parent's.
    User(String),
    /// The program's, of something that happened.
    Notice(NoticeKind, String),
    /// The program's, for the model alone.
    Hidden,
}

/// Whose words these are, by where they come from.
pub(super) fn voice(origin: Raw<'_>, text: String) -> Voice {
    let origin: Origin<'_> = wire::object(origin);
    let named = |name, args| format!("/{name} {args}").trim_end().to_owned();
    let kind = of(origin.kind);
    match kind.as_ref() {
        // Builds that name no origin mark what they put in.
        "" if text.trim_start().starts_with("<system-reminder>") => Voice::Hidden,
        "skill_activation" if of(origin.trigger) == "user-slash" => {
            Voice::User(named(of(origin.skill_name), of(origin.skill_args)))
        }
        "plugin_command" => Voice::User(named(of(origin.command_name), of(origin.command_args))),
        "shell_command" if of(origin.phase) == "output" => Voice::Notice(NoticeKind::Info, text),
        "" | "user" | "shell_command" => Voice::User(text),
        "system_trigger" if of(origin.name) == "subagent" => Voice::User(text),
        "system_trigger" => Voice::Notice(NoticeKind::Info, of(origin.name).replace('_', " ")),
        "background_task" => Voice::Notice(
            NoticeKind::Agents,
            format!("background task {} {}", of(origin.task_id), of(origin.status)).trim_end().to_owned(),
        ),
        "cron_job" => Voice::Notice(NoticeKind::Info, format!("cron job {}: {text}", of(origin.job_id))),
        "injection" | "compaction_summary" | "hook_result" | "retry" | "cron_missed" | "skill_activation" => {
            Voice::Hidden
        }
        other => Voice::Notice(NoticeKind::Info, format!("{}: {text}", other.replace('_', " "))),
    }
}

fn of(raw: Raw<'_>) -> Cow<'_, str> {
    wire::text(raw).unwrap_or_default()
}

/// Whether the row's words are the task of a sub-agent.
pub(super) fn is_task_of_subagent(origin: Raw<'_>) -> bool {
    let origin: Origin<'_> = wire::object(origin);
    of(origin.kind) == "system_trigger" && of(origin.name) == "subagent"
}

impl LogReader {
    /// A prompt that begins a turn, unless its message came first and began it.
    pub(super) fn prompt(&mut self, content: Raw<'_>, origin: Raw<'_>, sink: &mut Sink<'_>) {
        let text = wire::text_of(&wire::parts(content));
        let mark = mark_of(&[&text]);
        let has_begun =
            self.memory.turns.is_fresh() && (text.is_empty() || self.memory.heard.take(Source::Prompt, mark));
        if has_begun {
            return;
        }
        self.start_turn(sink);
        self.memory.heard.push(Source::Prompt, mark);
        self.hear(voice(origin, text), sink);
    }

    /// Words that the person adds while the agent works.
    pub(super) fn steer(&mut self, content: Raw<'_>, origin: Raw<'_>, sink: &mut Sink<'_>) {
        let text = wire::text_of(&wire::parts(content));
        self.flush_text(None, sink);
        self.in_turn(sink);
        self.memory.heard.push(Source::Prompt, mark_of(&[&text]));
        self.hear(voice(origin, text), sink);
    }

    /// A message under the person's name: the twin of a prompt, or the only word of one.
    pub(super) fn heard(&mut self, content: Raw<'_>, origin: Raw<'_>, sink: &mut Sink<'_>) {
        let text = wire::text_of(&wire::parts(content));
        let mark = mark_of(&[&text]);
        if self.memory.heard.take(Source::Message, mark) {
            return;
        }
        let voice = voice(origin, text);
        if let Voice::User(_) = &voice {
            // While calls wait for their answers it is a word in between; else it asks for something new.
            let goes_on = self.memory.turns.is_fresh() || self.memory.calls.wait();
            if !self.memory.turns.is_open() || !goes_on {
                self.start_turn(sink);
            }
            self.memory.heard.push(Source::Message, mark);
        }
        self.hear(voice, sink);
    }

    fn hear(&mut self, voice: Voice, sink: &mut Sink<'_>) {
        match voice {
            Voice::User(text) => {
                if !text.trim().is_empty() {
                    self.memory.turns.remember_prompt(&text);
                    sink.message(sink.at, Role::User, None, &text);
                }
            }
            Voice::Notice(kind, text) => self.note(kind, text, sink),
            Voice::Hidden => {}
        }
    }
}
