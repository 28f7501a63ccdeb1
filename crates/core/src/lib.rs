//! The neutral model of what a coding agent did.
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
