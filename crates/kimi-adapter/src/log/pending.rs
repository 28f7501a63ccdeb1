//! What comes in parts: text, and the arguments of a call. Told when it is whole.

use larkspan_core::time::Timestamp;
use larkspan_core::transcript::{Phase, Role};
use serde::{Deserialize, Serialize};

use super::args::Progress;
use super::twins::{Source, mark_of};
use super::{LogReader, Sink};

/// How long text may get before it is told in pieces, in bytes.
const TEXT_MAX: usize = 1 << 18;
/// How much of streamed arguments is kept, in bytes.
const ARGUMENTS_MAX: usize = 4 << 20;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Pending {
    text: Option<Words>,
    call: Option<Streamed>,
}

/// What kind of text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TextKind {
    Said,
    Thought,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Words {
    kind: TextKind,
    text: String,
    at: Option<Timestamp>,
}

/// A call whose arguments are not complete yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Streamed {
    id: String,
    name: String,
    arguments: String,
    progress: Progress,
    at: Option<Timestamp>,
}

impl LogReader {
    /// A part of what the agent says or thinks.
    pub(super) fn part(&mut self, kind: TextKind, text: &str, sink: &mut Sink<'_>) {
        self.in_turn(sink);
        self.memory.turns.answers();
        self.flush_call(sink);
        let goes_on = |there: &Words| there.kind == kind && there.text.len() + text.len() <= TEXT_MAX;
        match self.memory.pending.text.as_mut().filter(|there| goes_on(there)) {
            Some(there) => there.text.push_str(text),
            None => {
                self.flush_text(None, sink);
                self.memory.pending.text = Some(Words { kind, text: text.to_owned(), at: sink.at });
            }
        }
    }

    /// Tells all that waits.
    pub(super) fn flush(&mut self, sink: &mut Sink<'_>) {
        self.flush_text(None, sink);
        self.flush_call(sink);
    }

    pub(super) fn flush_text(&mut self, phase: Option<Phase>, sink: &mut Sink<'_>) {
        if let Some(Words { kind, text, at }) = self.memory.pending.text.take() {
            self.tell_text(Source::Event, kind, &text, phase, at, sink);
        }
    }

    /// Tells what the agent says or thinks, unless another kind of row has told it.
    pub(super) fn tell_text(
        &mut self,
        source: Source,
        kind: TextKind,
        text: &str,
        phase: Option<Phase>,
        at: Option<Timestamp>,
        sink: &mut Sink<'_>,
    ) {
        if text.trim().is_empty() {
            return;
        }
        let name = match kind {
            TextKind::Said => "said",
            TextKind::Thought => "thought",
        };
        let mark = mark_of(&[name, text]);
        if self.memory.said.take(source, mark) {
            return;
        }
        self.in_turn(sink);
        self.memory.said.push(source, mark);
        match kind {
            TextKind::Said => sink.message(at, Role::Agent, phase, text),
            TextKind::Thought => sink.reasoning(at, text),
        }
    }

    /// A call of which more arguments may come.
    pub(super) fn stream_call(&mut self, id: &str, name: &str, arguments: &str, sink: &mut Sink<'_>) {
        self.flush_text(Some(Phase::Commentary), sink);
        self.flush_call(sink);
        self.in_turn(sink);
        let (id, name, at) = (id.to_owned(), name.to_owned(), sink.at);
        let call = Streamed { id, name, arguments: String::new(), progress: Progress::default(), at };
        self.memory.pending.call = Some(call);
        self.stream_arguments(arguments, sink);
    }

    /// More arguments of the call that streams in.
    pub(super) fn stream_arguments(&mut self, part: &str, sink: &mut Sink<'_>) {
        let Some(call) = &mut self.memory.pending.call else {
            if !part.trim().is_empty() {
                sink.unknown("ToolCallPart without a call", None);
            }
            return;
        };
        if call.arguments.len() + part.len() <= ARGUMENTS_MAX {
            call.arguments.push_str(part);
            call.progress.read(part);
            if call.progress.is_whole() {
                self.flush_call(sink);
            }
        } else {
            // It will not be whole any more: told as it is, and marked.
            call.arguments.push_str(" [cut]");
            self.flush_call(sink);
        }
    }

    pub(super) fn flush_call(&mut self, sink: &mut Sink<'_>) {
        if let Some(call) = self.memory.pending.call.take() {
            self.called(Source::Event, &call.id, &call.name, &call.arguments, call.at, sink);
        }
    }

    /// Whether the call with this id waits for its arguments.
    pub(super) fn streams(&self, id: &str) -> bool {
        self.memory.pending.call.as_ref().is_some_and(|call| call.id == id)
    }
}
