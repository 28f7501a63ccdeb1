//! The mock apps of Larkspan's end-to-end suite, and the real programs that they play against.
//!
//! * [`browser`]: a headless Chromium that opens a page and asks it.
//! * [`claude_cli`]: the real Claude Code CLI, isolated and offline, with the endpoint that it asks.
//! * [`scripted_model`]: a model provider that plays a script and checks every request.
//! * [`codex_cli`]: the real Codex CLI, isolated and offline.
//! * [`fake_feishu`]: the open platform, with cards, messages and the long connection; stricter than the real one.
//! * [`mcp_demo`]: an MCP server for it to call.
//! * [`sanitise`]: from a session log to a fixture.
//! * [`skip`]: a test that cannot run here says so.

pub mod browser;
pub mod claude_cli;
pub mod codex_cli;
pub mod fake_feishu;
pub mod mcp_demo;
pub mod sanitise;
pub mod scripted_model;
pub mod skip;
