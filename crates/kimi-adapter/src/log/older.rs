//! Rows of the older shape: the messages between the program's soul and its faces.

use std::borrow::Cow;

use larkspan_core::transcript::{NoticeKind, Phase, Role, TurnOutcome};
use serde_json::value::RawValue;

use super::answer::Told;
use super::twins::Source;
use super::{LogReader, Sink};
use crate::wire::{self, Envelope, Function, Payload};

impl LogReader {
    pub(super) fn older(&mut self, envelope: &Envelope<'_>, sink: &mut Sink<'_>) {
        self.announce(sink);
        let payload: Payload<'_> = wire::object(envelope.payload);
        match wire::text(envelope.kind).unwrap_or_default().as_ref() {
            "TurnBegin" => {
                self.start_turn(sink);
                self.steps_are_told();
                self.older_words(&payload, sink);
            }
            "SteerInput" => {
                self.flush(sink);
                self.in_turn(sink);
                self.older_words(&payload, sink);
            }
            "TurnEnd" => self.end_turn(TurnOutcome::Completed, None, sink),
            "StepBegin" => self.start_step(sink),
            "StepInterrupted" => {
                self.end_turn(TurnOutcome::Aborted, Some("interrupted".to_owned()), sink);
            }
            "ContentPart" => self.content_part(envelope.payload, sink),
            "ToolCall" => self.older_call(&payload, sink),
            "ToolCallPart" => {
                let part = wire::text(payload.arguments_part).unwrap_or_default();
                self.stream_arguments(&part, sink);
            }
            "ToolResult" => match wire::id(payload.tool_call_id) {
                Some(id) => {
                    let told = Told::by_event(payload.return_value.or(payload.result));
                    self.answered(Source::Event, &id, |kind| told.answer(kind), sink);
                }
                None => sink.unknown("ToolResult without a call", None),
            },
            "StatusUpdate" => self.status(&payload, sink),
            "ApprovalRequest" => {
                if let (Some(id), Some(call)) = (wire::id(payload.id), wire::id(payload.tool_call_id)) {
                    self.memory.approvals.ask(&id, &call);
                }
            }
            "ApprovalResponse" | "ApprovalRequestResolved" => {
                let response = wire::text(payload.response).unwrap_or_default();
                if let Some(id) = wire::id(payload.request_id) {
                    self.memory.approvals.answer(&id, response == "reject");
                }
            }
            "CompactionEnd" => {
                self.memory.turns.forget_prompts();
                self.note(NoticeKind::Compaction, "", sink);
            }
            "Notification" => {
                let words = [payload.title, payload.body].map(|raw| wire::text(raw).unwrap_or_default());
                let said: Vec<&str> =
                    words.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
                self.note(NoticeKind::Info, said.join(": "), sink);
            }
            "PlanDisplay" => {
                if let Some(plan) = wire::non_empty(payload.content) {
                    self.flush(sink);
                    self.in_turn(sink);
                    sink.message(sink.at, Role::Agent, Some(Phase::Commentary), &plan);
                }
            }
            "HookResolved" if wire::text(payload.action).as_deref() == Some("block") => {
                let reason = wire::non_empty(payload.reason).unwrap_or(Cow::Borrowed("a hook blocked"));
                self.note(NoticeKind::Warning, reason, sink);
            }
            // What a sub-agent does is its own log's; the call that gave it the work tells what came of it.
            "SubagentEvent"
            // Begins whose ends say all, twins of calls, and states of the program.
            | "CompactionBegin" | "HookTriggered" | "HookResolved" | "MCPLoadingBegin" | "MCPLoadingEnd"
            | "ToolCallRequest" | "QuestionRequest" | "QuestionResponse" => {}
            "" => sink.unknown("message without a type", None),
            other => sink.unknown(format!("message/{other}"), None),
        }
    }

    fn older_words(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let text = wire::text_of(&wire::parts(payload.user_input));
        if !text.trim().is_empty() {
            self.memory.turns.remember_prompt(&text);
            sink.message(sink.at, Role::User, None, &text);
        }
    }

    fn older_call(&mut self, payload: &Payload<'_>, sink: &mut Sink<'_>) {
        let Some(id) = wire::id(payload.id) else {
            sink.unknown("ToolCall without an id", None);
            return;
        };
        let function: Function<'_> = wire::object(payload.function);
        let name = wire::text(function.name).unwrap_or_default();
        // An object where text should be is not continued: it is whole as it is.
        let arguments = wire::text(function.arguments)
            .unwrap_or_else(|| function.arguments.map_or("", RawValue::get).into());
        self.stream_call(&id, &name, &arguments, sink);
    }
}
