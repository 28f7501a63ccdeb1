//! The real Codex works, and its session becomes a live card.

#![cfg(test)]
#![cfg(unix)]

use larkspan_tests::codex_cli::{CODEX_VARIABLE, CodexCli, Lab, LabOptions};
use larkspan_tests::fake_feishu::{Endpoint, FakeFeishu, Rates, Reader, Settings};
use larkspan_tests::scripted_model::{Gate, Item, Script, ScriptedModel, Step};
use larkspan_tests::skip::skip;
use pretty_assertions::assert_eq;

use crate::support::program::{Home, Running};

/// A script with a command and a patch whose text holds an expression.
const SCRIPT: &str = r#"const a = await tools.exec_command({cmd: "echo one"});
text(a.output);
await tools.apply_patch("*** Begin Patch\n*** Add File: run.sh\n+echo ${HOME}\n*** End Patch");"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_codex_session_becomes_a_live_card() {
    let Some(cli) = CodexCli::find().unwrap() else {
        let why = format!("no Codex CLI (set {CODEX_VARIABLE} or put `codex` on PATH)");
        return skip("a_codex_session_becomes_a_live_card", &why);
    };
    let fake =
        FakeFeishu::start(Settings { rates: Rates::unlimited(), ..Settings::default() }).await.unwrap();
    let gate = Gate::default();
    let model = ScriptedModel::start(Script::one([
        Step::items([Item::message("I look first.").phase("commentary"), Item::exec(SCRIPT)]),
        Step::say("All of it is done.").hold(&gate),
    ]))
    .await
    .unwrap();
    let lab = Lab::new(&cli, &model.base_url(), LabOptions::model("gpt-5.6-sol")).unwrap();
    let home = Home::new();
    let mut command = home.command(["mirror", "--surface", "feishu", "--watch", "--from", "start"]);
    command
        .env("CODEX_HOME", lab.codex_home())
        .env("LARKSPAN_FEISHU_APP_ID", fake.app_id())
        .env("LARKSPAN_FEISHU_APP_SECRET", fake.app_secret())
        .env("LARKSPAN_FEISHU_DOMAIN", fake.base_url())
        .env("LARKSPAN_FEISHU_CHAT", fake.chat_id());
    let mirror = Running::start(command);
    let shows = |words: &'static str| {
        move |fake: &FakeFeishu| {
            fake.cards().iter().any(|card| card.message.is_some() && card.json.to_string().contains(words))
        }
    };
    let watched = async {
        // While Codex waits for the model its card already shows what was done.
        gate.reached().await;
        fake.until(shows("编排 2 个工具")).await;
        let cards = fake.cards();
        assert_eq!(cards.len(), 1);
        assert_eq!(cards[0].json["config"]["streaming_mode"], true, "it is live");
        gate.open();
        fake.until(shows("All of it is done.")).await;
        fake.until(|fake| fake.calls_of(Endpoint::ReactionAdd).len() == 1).await;
    };
    let (run, ()) = tokio::join!(lab.exec("Do it."), watched);
    let run = run.unwrap();
    assert!(run.status.success(), "{}", run.stderr);
    model.finish().unwrap();
    mirror.terminate();
    let (status, _, errors) = tokio::task::block_in_place(|| mirror.end());
    assert_eq!((status.code(), errors.as_str()), (Some(0), ""));

    let cards = fake.cards();
    assert_eq!(cards.len(), 1, "one turn, one card");
    let reader = Reader::of(&cards[0].json);
    assert_eq!(reader.problems(), Vec::<String>::new());
    assert_eq!(fake.rejections().len(), 0, "{:?}", fake.rejections());
    let text = reader.text();
    for present in ["Do it.", "I look first.", "echo one", "run.sh", "All of it is done."] {
        assert!(text.contains(present), "{present} not in {text}");
    }
    for absent in ["await tools", "Script completed", "Wall time"] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
    let patch = reader.shown().iter().find(|shown| shown.raw.contains("${HOME}")).unwrap();
    assert!(patch.raw.contains("\n    +echo ${HOME}\n"), "{}", patch.raw);
}
