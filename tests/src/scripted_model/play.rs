//! The state of the play: which thread has which conversation, and what comes next. No I/O.
//!
//! Guarantees: a thread keeps its conversation; a step is played once; every request is recorded, also a refused one.

use serde_json::{Value, json};

use super::request::{self, ModelRequest};
use super::rules;
use super::script::{Answer, Beat, Claim, End, Gate, Item, Ready, Script, Step, Stream};

/// All conversations, the requests so far, and the rules that were broken.
#[derive(Debug)]
pub(super) struct Model {
    conversations: Vec<Playing>,
    requests: Vec<ModelRequest>,
    broken: Vec<String>,
}

/// A conversation and how far it got.
#[derive(Debug)]
struct Playing {
    name: String,
    claim: Claim,
    thread: Option<String>,
    steps: std::vec::IntoIter<Step>,
    answered: usize,
    /// Calls of the last complete answer: the next request has to bring their outputs.
    unanswered: Vec<Call>,
}

/// A call of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) id: String,
    /// The item type, as in `function_call`.
    pub(super) kind: String,
}

/// What to send for one request.
pub(super) struct Play {
    pub(super) answer: Ready,
    pub(super) hold: Option<Gate>,
    /// Which conversation answers, by index.
    pub(super) conversation: usize,
    /// The number of the request in it, from 0.
    pub(super) number: usize,
    /// The middle of every id in the answer: `<conversation>_<number>`.
    pub(super) place: String,
}

impl Model {
    pub(super) fn new(script: Script) -> Self {
        let conversations = script.conversations.into_iter().map(|conversation| Playing {
            name: conversation.name,
            claim: conversation.claim,
            thread: None,
            steps: conversation.steps.into_iter(),
            answered: 0,
            unanswered: Vec::new(),
        });
        Self { conversations: conversations.collect(), requests: Vec::new(), broken: Vec::new() }
    }

    /// Records the request and picks its answer; an error is the rules that the client broke, also kept for the end.
    pub(super) fn play(&mut self, mut request: ModelRequest) -> Result<Play, Vec<String>> {
        let played = match self.conversation_of(&request) {
            Some((index, playing)) => playing.answer(index, &mut request),
            None => {
                Err(vec![format!("no conversation of the script is for thread `{}`", request.thread_id())])
            }
        };
        self.requests.push(request);
        played.inspect_err(|broken| self.complain(broken))
    }

    /// Keeps broken rules for the end.
    pub(super) fn complain(&mut self, broken: &[String]) {
        self.broken.extend_from_slice(broken);
    }

    /// The client has taken a complete answer with these calls.
    pub(super) fn owe(&mut self, conversation: usize, calls: Vec<Call>) {
        if let Some(playing) = self.conversations.get_mut(conversation) {
            playing.unanswered = calls;
        }
    }

    /// The requests so far.
    pub(super) fn requests(&self) -> &[ModelRequest] {
        &self.requests
    }

    /// Everything that was wrong, the steps that nobody asked for included.
    pub(super) fn wrongs(&self) -> Vec<String> {
        let left = self.conversations.iter().filter(|playing| playing.steps.len() > 0).map(|playing| {
            format!("{} step(s) of conversation `{}` were never asked for", playing.steps.len(), playing.name)
        });
        self.broken.iter().cloned().chain(left).collect()
    }

    /// The conversation that the request's thread has, or the first free one that it may claim.
    fn conversation_of(&mut self, request: &ModelRequest) -> Option<(usize, &mut Playing)> {
        let thread = request.thread_id();
        let own = self.conversations.iter().position(|playing| playing.thread.as_deref() == Some(thread));
        let index = own.or_else(|| {
            self.conversations
                .iter()
                .position(|playing| playing.thread.is_none() && playing.claim.fits(request))
        })?;
        let playing = self.conversations.get_mut(index)?;
        playing.thread.get_or_insert_with(|| thread.to_owned());
        Some((index, playing))
    }
}

impl Playing {
    fn answer(&mut self, index: usize, request: &mut ModelRequest) -> Result<Play, Vec<String>> {
        let number = self.answered;
        self.answered += 1;
        request.conversation.clone_from(&self.name);
        request.step = number;
        let mut broken = rules::broken_rules(request, &std::mem::take(&mut self.unanswered));
        let Some(step) = self.steps.next() else {
            broken.push(format!("conversation `{}` has no step {number}", self.name));
            return Err(broken);
        };
        let place = format!("{}_{number}", self.name);
        let mut answer = match step.answer {
            Answer::Ready(ready) => ready,
            Answer::From(make) => match make(request) {
                Ok(items) => Ready::Stream(Stream { items, end: End::Completed }),
                Err(error) => {
                    broken.push(format!("step {place} could not be made: {error:#}"));
                    return Err(broken);
                }
            },
        };
        if let Ready::Stream(stream) = &mut answer {
            for (position, item) in stream.items.iter_mut().enumerate() {
                if let Beat::Output(item) = &mut item.0 {
                    complete_item(item, &format!("{place}_{position}"));
                }
            }
            if !step.may_call_unoffered_tools {
                broken.extend(rules::unoffered_calls(request, outputs(&stream.items)));
            }
        }
        if broken.is_empty() {
            Ok(Play { answer, hold: step.hold, conversation: index, number, place })
        } else {
            Err(broken)
        }
    }
}

impl Claim {
    fn fits(&self, request: &ModelRequest) -> bool {
        match self {
            Self::Anyone => true,
            Self::Agent(path) => request.turn_metadata("agent_name").as_deref() == Some(path),
            Self::Prompt(text) => request.texts("user").iter().any(|said| said.contains(text)),
        }
    }
}

/// The items that go out, without the pauses.
fn outputs(items: &[Item]) -> impl Iterator<Item = &Value> {
    items.iter().filter_map(|item| match &item.0 {
        Beat::Output(value) => Some(value),
        Beat::Pause(_) => None,
    })
}

/// The calls among the items: what has a call id.
pub(super) fn calls(items: &[Item]) -> Vec<Call> {
    let calls = outputs(items).filter(|item| item.get("call_id").is_some());
    calls
        .map(|item| Call {
            id: request::text(item, "call_id").to_owned(),
            kind: request::text(item, "type").to_owned(),
        })
        .collect()
}

/// Fills in what an item of its type must have and the script did not say.
fn complete_item(item: &mut Value, place: &str) {
    let prefix = match request::text(item, "type") {
        "function_call" => "fc",
        "custom_tool_call" => "ctc",
        "tool_search_call" => "tsc",
        "web_search_call" => "ws",
        "reasoning" => "rs",
        _ => "msg",
    };
    let Some(fields) = item.as_object_mut() else { return };
    fields.entry("id").or_insert_with(|| json!(format!("{prefix}_{place}")));
    if matches!(prefix, "fc" | "ctc" | "tsc") {
        fields.entry("call_id").or_insert_with(|| json!(format!("call_{place}")));
    }
    if prefix != "rs" {
        fields.entry("status").or_insert_with(|| json!("completed"));
    }
}
