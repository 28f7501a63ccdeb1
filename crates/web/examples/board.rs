//! Shows the platform's example cards beside one that grows: `cargo run -p larkspan-web --example board`.
#![expect(clippy::print_stdout, reason = "an example speaks to its reader")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use larkspan_web::{Board, Card, serve};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let board = Arc::new(Board::new());
    let server = serve(0, board.clone()).await?;
    println!("Open {}", server.url());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/feishu");
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let card: Value = serde_json::from_slice(&fs::read(&path)?)?;
        board.show(Card { id: path.display().to_string(), session: "examples".to_owned() }, &card);
    }
    let mut text = String::new();
    for number in 1..=600 {
        writeln!(text, "Line {number} of a text that grows.\n")?;
        let card = json!({
            "header": {"template": "blue", "title": {"tag": "plain_text", "content": "A card that grows"}},
            "config": {"streaming_mode": true},
            "body": {"elements": [{"tag": "markdown", "element_id": "text", "content": text}]},
        });
        board.show(Card { id: "grows".to_owned(), session: "live".to_owned() }, &card);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    server.stop().await;
    Ok(())
}
