//! Calls: ids made unique, twins told once, answers bound to what they answer.

use std::collections::VecDeque;

use larkspan_core::ids::CallId;
use larkspan_core::time::Timestamp;
use larkspan_core::tool_call::{
    CallInput, LineBase, ToolCallAnswer, ToolCallRequest, ToolCallStatus, ToolCallStep, ToolKind, ToolName,
    detail_of_call,
};
use larkspan_core::transcript::Phase;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::twins::{Source, mark_of};
use super::{LogReader, Sink};
use crate::wire;

/// How many calls are remembered. A turn's open calls are far fewer.
const REMEMBERED: usize = 256;

/// The newest calls, oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Calls(VecDeque<Known>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Known {
    /// The id in the log.
    raw: String,
    /// The same, unique.
    id: CallId,
    kind: ToolKind,
    mark: u64,
    source: Source,
    /// Another kind of row has told of the same call: it answers for one twin only.
    has_twin: bool,
    /// By which kind of row the answer was told.
    answered: Option<Source>,
    answer_has_twin: bool,
}

impl Calls {
    /// Whether a call waits for its answer.
    pub(super) fn wait(&self) -> bool {
        self.0.iter().any(|call| call.answered.is_none())
    }

    /// A new turn began: answers that come late are to calls that wait.
    pub(super) fn forget_answered(&mut self) {
        self.0.retain(|call| call.answered.is_none());
    }

    fn insert(&mut self, call: Known) {
        if self.0.len() == REMEMBERED {
            // One that waits for nothing goes first.
            let gone = self.0.iter().position(|call| call.answered.is_some()).unwrap_or(0);
            self.0.remove(gone);
        }
        self.0.push_back(call);
    }

    fn has_twin(&mut self, raw: &str, source: Source, mark: u64) -> bool {
        let is_twin = |call: &&mut Known| {
            !call.has_twin && call.source != source && call.mark == mark && call.raw == raw
        };
        self.0.iter_mut().rfind(is_twin).is_some_and(|call| !std::mem::replace(&mut call.has_twin, true))
    }

    /// The call that an answer from such a row is to: the newest that waits, else the newest.
    fn asked(&mut self, raw: &str) -> Option<&mut Known> {
        let newest = self.0.iter().rposition(|call| call.raw == raw && call.answered.is_none());
        let newest = newest.or_else(|| self.0.iter().rposition(|call| call.raw == raw))?;
        self.0.get_mut(newest)
    }
}

/// To whom an answer goes.
enum Addressee {
    Call(CallId, ToolKind),
    /// It is told already.
    Told,
    Nobody,
}

impl LogReader {
    /// The agent asked for a call.
    pub(super) fn called(
        &mut self,
        source: Source,
        raw: &str,
        name: &str,
        arguments: &str,
        at: Option<Timestamp>,
        sink: &mut Sink<'_>,
    ) {
        self.flush_text(Some(Phase::Commentary), sink);
        let value = match arguments.trim() {
            "" => Some(Value::Object(Map::new())),
            given => wire::value(given),
        };
        let canonical = value.as_ref().map(Value::to_string);
        let mark = mark_of(&[name, canonical.as_deref().unwrap_or(arguments)]);
        if self.memory.calls.has_twin(raw, source, mark) {
            return;
        }
        self.in_turn(sink);
        self.memory.turns.answers();
        self.memory.turns.calls_tool();
        let name = ToolName::bare(name);
        let input = match &value {
            Some(value @ Value::Object(_)) => CallInput::Json(value),
            // Arguments that are none, or that are nested too deep: as they are.
            Some(_) | None => CallInput::Text(arguments),
        };
        let detail = detail_of_call(&name, input, LineBase::One);
        self.ask(
            source,
            raw,
            mark,
            at,
            ToolCallRequest { raw_input: arguments.into(), detail, name, script: None, ended: None },
            sink,
        );
    }

    /// Tells a call and remembers it.
    pub(super) fn ask(
        &mut self,
        source: Source,
        raw: &str,
        mark: u64,
        at: Option<Timestamp>,
        request: ToolCallRequest,
        sink: &mut Sink<'_>,
    ) {
        let id = CallId::new(self.memory.turns.scoped(raw));
        self.memory.calls.insert(Known {
            raw: raw.to_owned(),
            id: id.clone(),
            kind: request.name.kind(),
            mark,
            source,
            has_twin: false,
            answered: None,
            answer_has_twin: false,
        });
        sink.call(at, id, ToolCallStep::Called(request));
    }

    /// An answer came back. `read` takes it out of its envelope, which depends on the kind of the call.
    pub(super) fn answered(
        &mut self,
        source: Source,
        raw: &str,
        read: impl FnOnce(ToolKind) -> ToolCallAnswer,
        sink: &mut Sink<'_>,
    ) {
        if self.streams(raw) {
            self.flush_call(sink);
        }
        self.flush_text(None, sink);
        let (id, kind) = match self.addressee(source, raw) {
            Addressee::Told => return,
            Addressee::Call(id, kind) => (id, kind),
            Addressee::Nobody => {
                self.in_turn(sink);
                (CallId::new(self.memory.turns.scoped(raw)), ToolKind::Generic)
            }
        };
        let mut answer = read(kind);
        if self.memory.approvals.take_refusal(raw) && answer.status != Some(ToolCallStatus::Completed) {
            answer = super::answer::declined(answer);
        }
        sink.call(sink.at, id, ToolCallStep::Answered(answer));
    }

    fn addressee(&mut self, source: Source, raw: &str) -> Addressee {
        let Some(call) = self.memory.calls.asked(raw) else { return Addressee::Nobody };
        match call.answered {
            Some(by) if by != source && !std::mem::replace(&mut call.answer_has_twin, true) => {
                Addressee::Told
            }
            Some(_) => Addressee::Call(call.id.clone(), call.kind),
            None => {
                call.answered = Some(source);
                Addressee::Call(call.id.clone(), call.kind)
            }
        }
    }
}
