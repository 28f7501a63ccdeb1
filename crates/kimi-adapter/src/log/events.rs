//! Events of the agent's loop: steps, text, calls, answers.

use std::borrow::Cow;

use larkspan_core::transcript::{Phase, TurnOutcome};
use serde_json::value::RawValue;

use super::answer::Told;
use super::pending::TextKind;
use super::twins::Source;
use super::usage::Reporter;
use super::{LogReader, Sink};
use crate::wire::{self, Display, LoopEvent, Part, Raw};

impl LogReader {
    pub(super) fn loop_event(&mut self, raw: Raw<'_>, sink: &mut Sink<'_>) {
        let event: LoopEvent<'_> = wire::object(raw);
        let turn = wire::id(event.turn_id);
        match wire::text(event.kind).unwrap_or_default().as_ref() {
            "step.begin" => {
                self.in_turn_of(turn.as_deref(), sink);
                self.start_step(sink);
                self.steps_are_told();
            }
            "content.part" => {
                self.in_turn_of(turn.as_deref(), sink);
                self.content_part(event.part, sink);
            }
            "tool.call" => {
                self.in_turn_of(turn.as_deref(), sink);
                self.loop_call(&event, sink);
            }
            "tool.result" => match wire::id(event.tool_call_id).or_else(|| wire::id(event.parent_uuid)) {
                Some(id) => {
                    let told = Told::by_event(event.result);
                    self.answered(Source::Event, &id, |kind| told.answer(kind), sink);
                }
                None => sink.unknown("tool.result without a call", None),
            },
            "step.end" => self.end_step(&event, sink),
            "" => sink.unknown("context.append_loop_event without a type", None),
            other => sink.unknown(format!("context.append_loop_event/{other}"), None),
        }
    }

    pub(super) fn content_part(&mut self, part: Raw<'_>, sink: &mut Sink<'_>) {
        for part in wire::parts(part) {
            match part {
                Part::Text(text) => self.part(TextKind::Said, &text, sink),
                Part::Think(text) => self.part(TextKind::Thought, &text, sink),
                Part::Media(media) => self.part(TextKind::Said, &format!("[{}]", media.mime), sink),
                Part::Other => sink.unknown("part of an unknown kind", None),
            }
        }
    }

    fn loop_call(&mut self, event: &LoopEvent<'_>, sink: &mut Sink<'_>) {
        let Some(id) = wire::id(event.tool_call_id).or_else(|| wire::id(event.uuid)) else {
            sink.unknown("tool.call without an id", None);
            return;
        };
        let display: Display<'_> = wire::object(event.display);
        if wire::text(display.kind).as_deref() == Some("command") && !names_directory(event.args) {
            self.memory.session.runs_in(wire::non_empty(display.cwd).map(Cow::into_owned));
            self.announce(sink);
        }
        let name = wire::text(event.name).unwrap_or_default();
        // Arguments that were no JSON stand as text.
        let arguments = wire::text(event.args).unwrap_or_else(|| event.args.map_or("", RawValue::get).into());
        self.called(Source::Event, &id, &name, &arguments, sink.at, sink);
    }

    fn end_step(&mut self, event: &LoopEvent<'_>, sink: &mut Sink<'_>) {
        let reason = wire::text(event.finish_reason).unwrap_or_default();
        // A step that called tools is not the last one, though nothing says so.
        let goes_on = matches!(reason.as_ref(), "tool_use" | "tool_calls")
            || reason.is_empty() && self.memory.turns.step_has_calls();
        let is_over = matches!(reason.as_ref(), "" | "end_turn") && !goes_on;
        self.flush_text(is_over.then_some(Phase::Final), sink);
        self.tokens(Reporter::Step, event.usage, true, sink);
        // Where it was cancelled, the turn has ended already.
        if goes_on || !self.memory.turns.is_open() {
            return;
        }
        if is_over {
            self.end_turn(TurnOutcome::Completed, None, sink);
        } else {
            self.end_turn(TurnOutcome::Aborted, Some(reason.replace('_', " ")), sink);
        }
    }
}

fn names_directory(args: Raw<'_>) -> bool {
    let args: Display<'_> = wire::object(args);
    args.cwd.is_some()
}
