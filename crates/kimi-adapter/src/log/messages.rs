//! Messages as the model gets them: the twins of events, or the only record of the work.

use larkspan_core::transcript::{Phase, TurnOutcome};

use super::answer::Told;
use super::pending::TextKind;
use super::twins::Source;
use super::{LogReader, Sink};
use crate::wire::{self, Call, Function, Message, Part, Raw};

impl LogReader {
    pub(super) fn message(&mut self, raw: Raw<'_>, sink: &mut Sink<'_>) {
        let message: Message<'_> = wire::object(raw);
        match wire::text(message.role).unwrap_or_default().as_ref() {
            "user" => self.heard(message.content, message.origin, sink),
            "assistant" => self.spoken(&message, sink),
            "tool" => match wire::id(message.tool_call_id) {
                Some(id) => {
                    let told = Told::by_message(&message);
                    self.answered(Source::Message, &id, |kind| told.answer(kind), sink);
                }
                None => sink.unknown("tool message without a call", None),
            },
            // Instructions for the model.
            "system" | "developer" => {}
            "" => sink.unknown("context.append_message without a role", None),
            other => sink.unknown(format!("context.append_message/{other}"), None),
        }
    }

    /// What the agent said and asked for in one step.
    fn spoken(&mut self, message: &Message<'_>, sink: &mut Sink<'_>) {
        // Of an origin of its own are only texts that the program wrote: the summary of a compaction.
        if wire::is_object(message.origin) {
            return;
        }
        self.flush(sink);
        let has_steps = self.memory.turns.has_steps();
        let calls = wire::array(message.tool_calls);
        let phase = if calls.is_empty() { Phase::Final } else { Phase::Commentary };
        let parts = wire::parts(message.content);
        let says = |part: &Part<'_>| matches!(part, Part::Text(text) if !text.trim().is_empty());
        let has_answer = parts.iter().any(says);
        if !has_steps
            && (has_answer || !calls.is_empty() || parts.iter().any(|part| matches!(part, Part::Think(_))))
        {
            self.start_step(sink);
        }
        let mut said = String::new();
        for part in &parts {
            match part {
                Part::Text(text) => said.push_str(text),
                Part::Think(text) => {
                    self.tell_said(&mut said, phase, sink);
                    self.tell_text(Source::Message, TextKind::Thought, text, None, sink.at, sink);
                }
                Part::Media(_) | Part::Other => {}
            }
        }
        self.tell_said(&mut said, phase, sink);
        for raw in &calls {
            let call: Call<'_> = wire::object(Some(raw));
            let function: Function<'_> = wire::object(call.function);
            let name = wire::text(call.name).or_else(|| wire::text(function.name)).unwrap_or_default();
            let arguments = call.arguments.or(function.arguments);
            let arguments =
                wire::text(arguments).unwrap_or_else(|| arguments.map_or("", |raw| raw.get()).into());
            match wire::id(call.id) {
                Some(id) => self.called(Source::Message, &id, &name, &arguments, sink.at, sink),
                None => sink.unknown("call without an id", None),
            }
        }
        // The steps of a turn tell when it ends; without them, an answer that asks for nothing does.
        if !has_steps && calls.is_empty() && has_answer && self.memory.turns.is_open() {
            self.end_turn(TurnOutcome::Completed, None, sink);
        }
    }

    fn tell_said(&mut self, said: &mut String, phase: Phase, sink: &mut Sink<'_>) {
        let said = std::mem::take(said);
        self.tell_text(Source::Message, TextKind::Said, &said, Some(phase), sink.at, sink);
    }
}
