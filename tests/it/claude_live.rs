//! The real Claude Code works, and its session becomes a live card.

#![cfg(test)]
#![cfg(unix)]

use larkspan_tests::claude_cli::{CLAUDE_VARIABLE, ClaudeCli, ClaudeLab, Said, ScriptedMessages};
use larkspan_tests::fake_feishu::{Endpoint, FakeFeishu, Rates, Reader, Settings};
use larkspan_tests::skip::skip;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::program::{Home, Running};

fn call(name: &str, input: Value) -> Said {
    Said::Call { name: name.to_owned(), input }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claude_session_becomes_a_live_card() {
    let Some(cli) = ClaudeCli::find() else {
        return skip(
            "a_claude_session_becomes_a_live_card",
            &format!("no Claude Code CLI (set {CLAUDE_VARIABLE})"),
        );
    };
    let fake =
        FakeFeishu::start(Settings { rates: Rates::unlimited(), ..Settings::default() }).await.unwrap();
    let file = "notes.txt";
    let model = ScriptedMessages::start([
        vec![
            Said::Text("I look first.".to_owned()),
            call("Bash", json!({"command": "echo oops >&2; exit 3", "description": "Fail"})),
        ],
        vec![call("Write", json!({"file_path": file, "content": "one ${HOME}\n"}))],
        vec![Said::Text("All of it is done.".to_owned())],
    ])
    .await
    .unwrap();
    let lab = ClaudeLab::new(&cli, &model).unwrap();
    let home = Home::new();
    let mut command = home.command(["mirror", "--surface", "feishu", "--agent", "claude", "--from", "start"]);
    command
        .env("CLAUDE_CONFIG_DIR", lab.config())
        .env("LARKSPAN_FEISHU_APP_ID", fake.app_id())
        .env("LARKSPAN_FEISHU_APP_SECRET", fake.app_secret())
        .env("LARKSPAN_FEISHU_DOMAIN", fake.base_url())
        .env("LARKSPAN_FEISHU_CHAT", fake.chat_id());
    let mirror = Running::start(command);
    let (status, said) = lab.run("Do it.").await.unwrap();
    assert!(status.success(), "{said}");
    assert_eq!(model.left(), 0, "{said}");
    let is_done = |fake: &FakeFeishu| fake.calls_of(Endpoint::ReactionAdd).len() == 1;
    let waited = tokio::time::timeout(std::time::Duration::from_mins(1), fake.until(is_done)).await;
    let cards = fake.cards();
    assert!(waited.is_ok(), "{:#?}", cards.iter().map(|card| card.json.to_string()).collect::<Vec<_>>());
    mirror.terminate();
    let (status, _, errors) = tokio::task::block_in_place(|| mirror.end());
    assert_eq!((status.code(), errors.as_str()), (Some(0), ""));

    let [card] = cards.as_slice() else { panic!("{} cards", cards.len()) };
    let reader = Reader::of(&card.json);
    assert_eq!(reader.problems(), Vec::<String>::new());
    let text = reader.text();
    for present in
        ["Do it.", "I look first.", "exit 3", "oops", "notes.txt", "one ${HOME}", "All of it is done."]
    {
        assert!(text.contains(present), "{present} not in {text}");
    }
    assert!(reader.element("runtime_meta_tags").unwrap().contains("claude"), "{text}");
}
