//! The neutral model of what a coding agent did: what it said, which tools it called, what really ran, how each call
//! ended.
//!
//! Coding agents write session logs, each in a format of its own. An *adapter* reads such a log and yields
//! [`TranscriptRecord`]s. This crate makes [`Turn`]s of them and words them: titles, details, Markdown. A *surface*
//! (a terminal, a page, a chat card, a program) prints what it is given and never looks at an agent's format.
//!
//! ```text
//! a log ─ adapter ─► TranscriptRecord ─► TurnReducer ─► Turn, Change ─► title, detail ─► a surface
//!                    transcript           turn           tool_call       presentation     ports
//! ```
//!
//! There is no I/O here, no async runtime, no clock: values in, values out. The crate builds for targets without an
//! operating system (`wasm32-unknown-unknown`).
//!
//! # Example
//!
//! Records in, titles and Markdown out. This is what an adapter yields for one turn with a command that fails:
//!
//! ```
//! use std::time::Duration;
//!
//! use larkspan_core::markdown::detail_markdown;
//! use larkspan_core::presentation::{DetailLevel, Locale, title};
//! use larkspan_core::tool_call::{
//!     CallInput, LineBase, Outcome, Output, ToolCallAnswer, ToolCallEvent, ToolCallRequest, ToolCallStatus,
//!     ToolCallStep, ToolName, detail_of_call,
//! };
//! use larkspan_core::transcript::{
//!     ChatLayer, Message, RecordBody, Role, TranscriptRecord, TurnEnd, TurnOutcome,
//! };
//! use larkspan_core::turn::{Change, ItemContent, TurnReducer};
//!
//! // What the agent asked for: the tool's name decides the kind, the arguments fill it.
//! let name = ToolName::bare("exec_command");
//! let arguments = serde_json::json!({"cmd": "cargo test -p demo"});
//! let detail = detail_of_call(&name, CallInput::Json(&arguments), LineBase::One);
//! let raw_input = arguments.to_string().into();
//! let called = ToolCallStep::Called(ToolCallRequest { name, raw_input, detail, script: None, ended: None });
//!
//! // What came back, taken out of the agent's own envelope.
//! let outcome = Outcome {
//!     exit_code: Some(101),
//!     duration: Some(Duration::from_millis(1234)),
//!     output: Some(Output::whole("test adds ... FAILED\n")),
//!     ..Outcome::default()
//! };
//! let answer = ToolCallAnswer { status: Some(ToolCallStatus::Failed), outcome, ..ToolCallAnswer::default() };
//!
//! let tool_call = |step| RecordBody::ToolCall(Box::new(ToolCallEvent { id: "call_1".into(), step }));
//! let bodies = [
//!     RecordBody::TurnStarted,
//!     RecordBody::Message(Message {
//!         role: Role::User,
//!         phase: None,
//!         text: "Run the tests.".into(),
//!         layer: ChatLayer::Item,
//!         id: None,
//!     }),
//!     tool_call(called),
//!     tool_call(ToolCallStep::Answered(answer)),
//!     RecordBody::TurnEnded(TurnEnd { outcome: TurnOutcome::Completed, reason: None }),
//! ];
//!
//! let mut reducer = TurnReducer::new();
//! let mut changes = Vec::new();
//! for (line, body) in bodies.into_iter().enumerate() {
//!     let position = line as u64; // Of a real log: the byte offset after the record's line.
//!     changes.extend(reducer.apply(TranscriptRecord { at: None, turn: Some("t1".into()), position, body }));
//! }
//!
//! // A live surface shows every change. History waits for the whole turn:
//! let Some(Change::TurnEnded(turn)) = changes.last() else { panic!("the turn has ended") };
//! let ItemContent::ToolCall(call) = &turn.items[1].content else { panic!("the second item is the call") };
//!
//! assert_eq!(
//!     title(call, Locale::En).to_string(),
//!     "⚠️ Run `cargo test -p demo` · exit 101 · 1.2s · 1 line of output",
//! );
//! assert_eq!(
//!     title(call, Locale::ZhCn).to_string(),
//!     "⚠️ 运行 `cargo test -p demo` · exit 101 · 1.2s · 输出 1 行",
//! );
//! assert_eq!(
//!     detail_markdown(call, DetailLevel::Full, Locale::En),
//!     "```bash\ncargo test -p demo\n```\n\n❌ exit 101\n\n```\ntest adds ... FAILED\n```",
//! );
//! ```
//!
//! # What is promised
//!
//! - **Nothing is faked.** A call is [`Completed`](tool_call::ToolCallStatus::Completed) on recorded evidence only.
//!   What a log does not tell is [`Unknown`](tool_call::ToolCallStatus::Unknown), and says so in its title.
//! - **Nothing is lost.** The raw name and the raw input of a call stay on it, whatever is made of them. A record that
//!   is not understood is counted and told ([`Change::Unknown`](turn::Change::Unknown)).
//! - **One wording.** A surface prints [`title`](presentation::title)s and [`Block`](presentation::Block)s. So a call
//!   reads the same live and from history, on every surface.
//! - **A function of the records.** The same records give the same changes with the same revisions, read at once or
//!   one by one, today or after a restart.
//! - **Bounded.** No text of a log makes anything here panic, and previews have hard limits. The reducer keeps the open
//!   turn, and of ended ones the calls that a later row may still amend, at most some hundreds.
//! - **Secrets are masked** in titles and details ([`redaction`]), never in the model itself.
//!
//! # The life of a call
//!
//! A log tells of a call in steps ([`ToolCallStep`](tool_call::ToolCallStep)), each with the call's id in the log:
//!
//! - *called*: the agent asked for it. Its arguments become a [`ToolCallDetail`](tool_call::ToolCallDetail), one variant
//!   per kind: a command, a patch, a file read, …;
//! - *answered*: the agent got its answer. The adapter takes it out of its envelope and fills an
//!   [`Outcome`](tool_call::Outcome): exit code, duration, output, reason of a failure;
//! - *executed*: some logs record, in a layer of their own, what was really run.
//!
//! The steps may come in any order, some never, some after the turn has ended. The reducer keeps them apart and derives
//! a [`ToolCallInfo`](tool_call::ToolCallInfo) from all of them, anew at each step. Ids repeat in real logs: a call is
//! known by its [`CallKey`](tool_call::CallKey) (turn, id, number).
//!
//! **Scripts.** An agent may write a script that calls tools. The adapter reads, without running it, which calls the text
//! makes ([`Script`](tool_call::Script)); the log may record which of them ran. The reducer joins the two. A script
//! that makes exactly one plain call becomes that call; one with several is a parent with
//! [`children`](tool_call::ToolCallInfo::children), and a call whose run nothing proves carries
//! [`Mark`](tool_call::Mark)s.
//!
//! # Writing an adapter
//!
//! Answer [`TranscriptSource`](ports::TranscriptSource) (read one log) and [`SessionCatalog`](ports::SessionCatalog)
//! (which logs there are). Yield what the log says, in its order, and infer nothing: joining, ordering and wording are
//! done here. [`detail_of_call`](tool_call::detail_of_call) knows the argument names of the usual tools.
//! Where a log says the same text in several layers, yield all of them with their
//! [`ChatLayer`](transcript::ChatLayer): the reducer shows one.
//!
//! # Writing a surface
//!
//! Answer [`CardSurface`](ports::CardSurface). It is given [`Change`](turn::Change)s in order, and the open turn as a
//! whole. A tool call comes again whenever it has changed, with a higher
//! [`rev`](tool_call::ToolCallInfo::rev); after a crash something may be told twice, with the same `rev`.
//!
//! # Modules
//!
//! | module | what it holds |
//! |---|---|
//! | [`transcript`] | the neutral record of a log |
//! | [`tool_call`] | the steps of a call, and all that is known of one |
//! | [`turn`] | the reducer: records in, turns and changes out |
//! | [`presentation`] | titles and details by locale (简体中文, English) |
//! | [`markdown`] | details as Markdown |
//! | [`shell`], [`patch`] | what a command line does; the `apply_patch` envelope and recorded changes |
//! | [`redaction`], [`text`] | secrets; preview limits, fences, terminal escapes |
//! | [`ports`] | what use cases ask of the world, and what adapters answer |
//! | [`ids`], [`time`], [`paths`] | newtypes, points in time, paths as text |
//!
//! # Features
//!
//! - `testing` (off by default): mocks of the ports, fakes, and the suites that every adapter of a port must pass.
//!
//! [`TranscriptRecord`]: transcript::TranscriptRecord
//! [`Turn`]: turn::Turn

pub mod ids;
pub mod markdown;
pub mod patch;
pub mod paths;
pub mod ports;
pub mod presentation;
pub mod redaction;
pub mod shell;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
pub mod time;
pub mod tool_call;
pub mod transcript;
pub mod turn;
