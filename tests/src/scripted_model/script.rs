//! What the scripted model is to say: conversations, steps, output items, gates.
//!
//! A [`Script`] holds one [`Conversation`] per thread that is expected to speak; a conversation is a queue of
//! [`Step`]s, one for each `POST /v1/responses` of its thread. Nothing here touches the network, and a script
//! decides nothing by time: where a test must hold the model back, it does so with a [`Gate`].

use std::fmt;

use anyhow::Result;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::ModelRequest;

/// The conversations that a [`ScriptedModel`](super::ScriptedModel) will have, in the order in which new threads
/// may claim them.
#[derive(Debug, Default)]
pub struct Script {
    pub(super) conversations: Vec<Conversation>,
}

impl Script {
    /// A script for one thread, whoever it is: the common case.
    pub fn one(steps: impl IntoIterator<Item = Step>) -> Self {
        Self::default().with(Conversation::new("main", Claim::Anyone, steps))
    }

    /// Adds a conversation. A new thread claims the first free one whose [`Claim`] fits.
    #[must_use]
    pub fn with(mut self, conversation: Conversation) -> Self {
        self.conversations.push(conversation);
        self
    }
}

/// What the model says in one thread.
#[derive(Debug)]
pub struct Conversation {
    pub(super) name: String,
    pub(super) claim: Claim,
    pub(super) steps: Vec<Step>,
}

impl Conversation {
    /// `name` is part of every id that the model mints here, so that a log shows who said what.
    pub fn new(name: &str, claim: Claim, steps: impl IntoIterator<Item = Step>) -> Self {
        Self { name: name.to_owned(), claim, steps: steps.into_iter().collect() }
    }
}

/// Which thread a conversation belongs to. It is asked once, at a thread's first request; afterwards the thread
/// keeps its conversation, also across processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The first thread that finds it free.
    Anyone,
    /// The thread of the agent with this path, as in `/root/sub1`; a session's own thread is `/root`.
    Agent(String),
    /// The thread one of whose user messages contains this text.
    Prompt(String),
}

/// The answer to one request.
pub struct Step {
    pub(super) answer: Answer,
    pub(super) hold: Option<Gate>,
    pub(super) may_call_unoffered_tools: bool,
}

/// Where an answer comes from.
pub(super) enum Answer {
    /// It is known beforehand.
    Ready(Ready),
    /// A complete response that depends on the request, such as one that needs a session id from an earlier output.
    From(MakeItems),
}

/// Makes the items of an answer from the request.
type MakeItems = Box<dyn FnOnce(&ModelRequest) -> Result<Vec<Item>> + Send>;

/// The forms an answer can take.
#[derive(Debug)]
pub(super) enum Ready {
    /// An event stream.
    Stream(Stream),
    /// A plain HTTP answer instead of one.
    Http { status: u16, content_type: &'static str, body: String },
}

/// An event stream: its items, and how it ends.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) items: Vec<Item>,
    pub(super) end: End,
}

/// How a stream ends.
#[derive(Debug)]
pub(super) enum End {
    /// With `response.completed`.
    Completed,
    /// Without a last event.
    Cut,
    /// With `response.failed`.
    Failed { code: String, message: String },
}

impl Step {
    fn new(answer: Answer) -> Self {
        Self { answer, hold: None, may_call_unoffered_tools: false }
    }

    fn stream(items: impl IntoIterator<Item = Item>, end: End) -> Self {
        Self::new(Answer::Ready(Ready::Stream(Stream { items: items.into_iter().collect(), end })))
    }

    fn plain(status: u16, content_type: &'static str, body: String) -> Self {
        Self::new(Answer::Ready(Ready::Http { status, content_type, body }))
    }

    /// A complete response with these items.
    pub fn items(items: impl IntoIterator<Item = Item>) -> Self {
        Self::stream(items, End::Completed)
    }

    /// A complete response of one item.
    pub fn item(item: Item) -> Self {
        Self::items([item])
    }

    /// A complete response of one final answer: the end of a turn.
    pub fn say(text: &str) -> Self {
        Self::item(Item::message(text).phase("final_answer"))
    }

    /// A complete response made from the request that it answers. An error counts as a broken rule.
    pub fn from_request(make: impl FnOnce(&ModelRequest) -> Result<Vec<Item>> + Send + 'static) -> Self {
        Self::new(Answer::From(Box::new(make)))
    }

    /// A stream that breaks off after these items: the client has to ask again.
    pub fn cut(items: impl IntoIterator<Item = Item>) -> Self {
        Self::stream(items, End::Cut)
    }

    /// A stream that ends with `response.failed`. The code decides whether the client asks again.
    pub fn failed(code: &str, message: &str) -> Self {
        Self::stream([], End::Failed { code: code.to_owned(), message: message.to_owned() })
    }

    /// An HTTP error with a `text/plain` body.
    pub fn http(status: u16, body: &str) -> Self {
        Self::plain(status, "text/plain", body.to_owned())
    }

    /// An HTTP error with a JSON body.
    pub fn http_json(status: u16, body: &Value) -> Self {
        Self::plain(status, "application/json", body.to_string())
    }

    /// Waits for `gate` before the first byte of the answer.
    #[must_use]
    pub fn hold(mut self, gate: &Gate) -> Self {
        self.hold = Some(gate.clone());
        self
    }

    /// Allows calls of tools that the request did not offer: for what a client does with a model that makes names up.
    #[must_use]
    pub fn with_unoffered_tools(mut self) -> Self {
        self.may_call_unoffered_tools = true;
        self
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.answer {
            Answer::Ready(ready) => ready.fmt(f),
            Answer::From(_) => f.write_str("From(request)"),
        }
    }
}

/// One output item of a response, or a pause between two.
///
/// Items without an id get one from their place: `fc_main_2_0` is the first item of the third answer of `main`.
#[derive(Debug, Clone)]
pub struct Item(pub(super) Beat);

/// What an [`Item`] puts into the stream.
#[derive(Debug, Clone)]
pub(super) enum Beat {
    /// An item in the wire's own form.
    Output(Value),
    /// Nothing, until the gate opens.
    Pause(Gate),
}

impl Item {
    /// Any item, in the wire's own form (`{"type": …}`).
    pub fn raw(item: Value) -> Self {
        Self(Beat::Output(item))
    }

    /// A pause: what came before has been sent, the rest follows when the gate opens.
    pub fn pause(gate: &Gate) -> Self {
        Self(Beat::Pause(gate.clone()))
    }

    /// A call of a function tool.
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!({…}) in place")]
    pub fn function_call(name: &str, arguments: Value) -> Self {
        Self::raw(json!({"type": "function_call", "name": name, "arguments": arguments.to_string()}))
    }

    /// A call of a custom (free-form) tool.
    pub fn custom_call(name: &str, input: &str) -> Self {
        Self::raw(json!({"type": "custom_tool_call", "name": name, "input": input}))
    }

    /// A shell command, called directly.
    pub fn command(cmd: &str) -> Self {
        Self::function_call("exec_command", json!({"cmd": cmd}))
    }

    /// A code-mode script.
    pub fn exec(script: &str) -> Self {
        Self::custom_call("exec", script)
    }

    /// A patch, called directly.
    pub fn apply_patch(patch: &str) -> Self {
        Self::custom_call("apply_patch", patch)
    }

    /// An assistant message.
    pub fn message(text: &str) -> Self {
        Self::raw(json!({
            "type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }))
    }

    /// A reasoning item with one summary part.
    pub fn reasoning(summary: &str) -> Self {
        Self::raw(json!({
            "type": "reasoning", "summary": [{"type": "summary_text", "text": summary}],
            "encrypted_content": "scripted-reasoning",
        }))
    }

    /// A search that the provider ran itself: it has no call id and no output.
    pub fn web_search(query: &str) -> Self {
        Self::raw(json!({"type": "web_search_call", "action": {"type": "search", "query": query}}))
    }

    /// Sets one field of the item.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Beat::Output(item) = &mut self.0
            && let Some(fields) = item.as_object_mut()
        {
            fields.insert(name.to_owned(), value.into());
        }
        self
    }

    /// The phase of a message: `commentary` or `final_answer`.
    #[must_use]
    pub fn phase(self, phase: &str) -> Self {
        self.field("phase", phase)
    }

    /// The namespace of a call, as in `collaboration` or `mcp__demo`.
    #[must_use]
    pub fn namespace(self, namespace: &str) -> Self {
        self.field("namespace", namespace)
    }

    /// The call id, instead of one from the item's place.
    #[must_use]
    pub fn call_id(self, id: &str) -> Self {
        self.field("call_id", id)
    }
}

/// Holds the model back until the test says go.
#[derive(Debug, Clone)]
pub struct Gate(watch::Sender<GateState>);

#[derive(Debug, Clone, Copy, Default)]
struct GateState {
    reached: bool,
    open: bool,
}

impl Default for Gate {
    fn default() -> Self {
        Self(watch::Sender::new(GateState::default()))
    }
}

impl Gate {
    /// Lets the model go on, now or when it gets there.
    pub fn open(&self) {
        self.0.send_modify(|state| state.open = true);
    }

    /// Returns once the model stands at the gate.
    pub async fn reached(&self) {
        self.until(|state| state.reached).await;
    }

    /// The model's side: announces itself and waits.
    pub(super) async fn pass(&self) {
        self.0.send_modify(|state| state.reached = true);
        self.until(|state| state.open).await;
    }

    async fn until(&self, condition: impl Fn(&GateState) -> bool) {
        // The sender lives in `self`, so the channel cannot close while we wait.
        let _ = self.0.subscribe().wait_for(|state| condition(state)).await;
    }
}
