//! The local page: cards as Feishu would show them, live.
//!
//! It takes the very card JSON 2.0 that Feishu would get, and knows nothing of who made it. A [`Board`] keeps the newest
//! JSON of each card; [`render()`] makes HTML of it on the server; [`serve`] shows the board to browsers of this machine
//! and tells them what changes.
//!
//! ```no_run
//! # async fn example() -> Result<(), larkspan_web::ServeError> {
//! use std::sync::Arc;
//!
//! use larkspan_web::{Board, Card, serve};
//!
//! let board = Arc::new(Board::new());
//! let server = serve(0, board.clone()).await?;
//! eprintln!("open {}", server.url());
//! let card = serde_json::json!({
//!     "schema": "2.0",
//!     "body": {"elements": [{"tag": "markdown", "content": "**Hello**"}]},
//! });
//! board.show(Card { id: "card-1".into(), session: "demo".into() }, &card);
//! server.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! Invariants
//! - [`Board::show`] never waits for a browser, and what a board holds is bounded.
//! - A browser gets each state at most once, and the newest: what came in between is skipped, not queued.
//! - Nothing in a card becomes markup, script or style of the page; see [`render()`].
//! - Only this machine is served, only with a token that was told once, and only under the names of this machine.

mod board;
mod feed;
mod gate;
mod pages;
mod render;
mod server;
mod words;

pub use board::{Board, Card};
pub use render::render;
pub use server::{ServeError, Server, serve};
pub use words::Language;
