//! Shows the platform's example cards beside one that grows: `cargo run -p larkspan-web --example board`.
#![expect(clippy::print_stdout, reason = "an example speaks to its reader")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use larkspan_web::{Board, Card, serve};
use serde_json::{Value, json};

/// What Markdown can hold.
const MARKDOWN: &str = r#"#### Rounding, and where it went wrong
The minutes were cut off **before** the seconds were rounded, so `119.7` became <font color='red'>1m 60s</font>.
See [the tests](https://example.com/tests). &#60;script&#62; is text. <text_tag color='green'>fixed</text_tag>

1. Round once.
2. Then split:
    - minutes
    - seconds ~~and a rest~~

| Seconds | Before | After |
|--------:|:------:|-------|
| 59.96 | `60.0s` | `1m 0s` |
| 119.7 | `1m 60s` | `2m 0s` |

```python
def short(seconds: float) -> str:
    """A duration, rounded before it is split."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m {rest}s"  # never 60
```

An indented block keeps every byte:

    for f in *; do echo "${f}"; done

> 中文与 English 混排，`代码` 也在其中。

---
- [x] the tests pass
- [ ] `slow_check.py`"#;

const PATCH: &str = "```diff\n--- a/fmt.py\n+++ b/fmt.py\n@@ -1,3 +1,3 @@\n def short(seconds):\n-    minutes = int(seconds // 60)\n+    minutes, rest = divmod(round(seconds), 60)\n     return minutes\n```";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let board = Arc::new(Board::new());
    let server = serve(0, board.clone()).await?;
    println!("Open {}", server.url());
    let show = |session: &str, id: &str, card: &Value| {
        board.show(Card { id: id.to_owned(), session: session.to_owned() }, card);
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/feishu");
    for name in ["question_form.json", "approval_card.json", "streaming_turn.json"] {
        show("examples", name, &serde_json::from_slice(&fs::read(folder.join(name))?)?);
    }
    let text = json!({"tag": "markdown", "content": MARKDOWN});
    show(
        "markdown",
        "all",
        &card("green", "Markdown", false, &[text, json!({"tag": "not_yet_known", "value": 1})]),
    );
    for step in 1..=600 {
        show("live", "turn", &turn(step));
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    server.stop().await;
    Ok(())
}

/// A turn after so many steps: calls that run and end, and a text that grows.
fn turn(step: usize) -> Value {
    let calls = step.div_ceil(3).min(40);
    let call = |n: usize| {
        let (border, mark) = if n * 3 > step { ("yellow", "⏳") } else { ("green", "💻") };
        json!({"tag": "collapsible_panel", "element_id": format!("call_{n}"), "expanded": n == 1,
            "header": {"title": {"tag": "markdown", "content": format!("{mark} 运行 `python3 -m unittest` · {n}")},
                "icon": {"tag": "standard_icon", "token": "down-small-ccm_outlined"}, "icon_position": "follow_text"},
            "border": {"color": border},
            "elements": [{"tag": "markdown", "element_id": format!("body_{n}"), "content": PATCH, "text_size": "notation"}]})
    };
    let words = "The tests still fail, one after the other, and so the text grows. ".repeat(step.min(200));
    let mut elements: Vec<Value> = (1..=calls).map(call).collect();
    elements.push(json!({"tag": "markdown", "element_id": "text", "content": words}));
    let status = format!("12:00:00 · 已运行 {step}s · 上次响应 0s · Context 42k(16%)");
    elements
        .push(json!({"tag": "markdown", "element_id": "status", "content": status, "text_size": "notation"}));
    card("blue", "A turn that goes on", true, &elements)
}

fn card(colour: &str, title: &str, is_live: bool, elements: &[Value]) -> Value {
    json!({
        "schema": "2.0",
        "header": {"template": colour, "title": {"tag": "plain_text", "content": title},
            "text_tag_list": [{"tag": "text_tag", "color": "orange", "text": {"tag": "plain_text", "content": "codex"}}]},
        "config": {"streaming_mode": is_live, "summary": {"content": title}},
        "body": {"elements": elements},
    })
}
