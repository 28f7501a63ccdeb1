//! The model is tested by a client of a few lines, so that nothing of it is taken on trust.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::play::Call;
use super::sse::Frames;
use super::*;

/// Long enough for a busy machine, short enough to end a hanging test.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request that keeps every rule, with these items after the prompt.
fn body(items: &[Value]) -> Value {
    let mut input = vec![json!({
        "type": "message", "role": "user", "content": [{"type": "input_text", "text": "Do it."}],
    })];
    input.extend_from_slice(items);
    json!({
        "model": "m", "stream": true, "input": input,
        "tools": [
            {"type": "function", "name": "exec_command"}, {"type": "custom", "name": "apply_patch"},
            {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]},
            {"type": "namespace", "name": "mcp__demo", "tools": [{"type": "function", "name": "add"}]},
            {"type": "tool_search"},
        ],
    })
}

fn request(body: Value) -> ModelRequest {
    let headers = [("content-type", "application/json"), ("accept", "text/event-stream")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    ModelRequest { conversation: String::new(), step: 0, headers: headers.into(), body }
}

/// Sends a request with these header lines more.
async fn connect(model: &ScriptedModel, target: &str, headers: &[&str], body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(model.address).await.unwrap();
    // HTTP/1.0: the body ends with the connection, so no chunks have to be undone.
    let (request, length) = (format!("{target} HTTP/1.0"), format!("content-length: {}", body.len()));
    let own = [request.as_str(), &length, "content-type: application/json", "accept: text/event-stream"];
    let head = [&own, headers].concat().join("\r\n");
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await.unwrap();
    stream
}

async fn read(mut stream: TcpStream) -> (u16, String) {
    let mut answer = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

const RESPONSES: &str = "POST /v1/responses";

/// Asks as a thread.
async fn ask(model: &ScriptedModel, thread: &str, body: Value) -> (u16, String) {
    read(connect(model, RESPONSES, &[&format!("thread-id: {thread}")], &body.to_string()).await).await
}

/// The events of a stream, after checking that each frame names its type, and that the numbers have no gap.
fn events(stream: &str) -> Vec<Value> {
    let frames: Vec<&str> = stream.split("\n\n").filter(|frame| !frame.is_empty()).collect();
    let parse = |(number, frame): (usize, &&str)| {
        let (event, data) = frame.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(event.strip_prefix("event: ").unwrap(), data["type"]);
        assert_eq!(data["sequence_number"], number);
        data
    };
    frames.iter().enumerate().map(parse).collect()
}

fn types(stream: &str) -> Vec<String> {
    let short = |event: &Value| event["type"].as_str().unwrap().trim_start_matches("response.").to_owned();
    events(stream).iter().map(short).collect()
}

#[tokio::test]
async fn every_kind_of_item_has_its_events() {
    async fn check(item: Item, expected: &[&str]) {
        let model = ScriptedModel::start(Script::one([Step::item(item)])).await.unwrap();
        let (status, stream) = ask(&model, "t", body(&[])).await;
        let begin = ["created", "in_progress", "output_item.added"];
        let expected: Vec<&str> =
            begin.iter().chain(expected).chain(&["output_item.done", "completed"]).copied().collect();
        assert_eq!(status, 200);
        assert_eq!(types(&stream), expected);
        model.finish().unwrap();
    }
    check(
        Item::message("short"),
        &["content_part.added", "output_text.delta", "output_text.done", "content_part.done"],
    )
    .await;
    check(
        Item::reasoning("thought"),
        &[
            "reasoning_summary_part.added",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.done",
            "reasoning_summary_part.done",
        ],
    )
    .await;
    check(Item::command("ls"), &["function_call_arguments.delta", "function_call_arguments.done"]).await;
    check(Item::exec("text(1)"), &["custom_tool_call_input.delta", "custom_tool_call_input.done"]).await;
    check(Item::apply_patch(""), &["custom_tool_call_input.done"]).await;
    check(Item::web_search("news"), &[]).await;
}

#[tokio::test]
async fn items_get_ids_from_their_place_and_the_usage_is_whole() {
    let steps = [Step::say("one"), Step::items([Item::message("two"), Item::exec("text(1)")])];
    let script = Script::default().with(Conversation::new("c", Claim::Anyone, steps));
    let model = ScriptedModel::start(script).await.unwrap();
    ask(&model, "t", body(&[])).await;
    let (_, stream) = ask(&model, "t", body(&[])).await;
    let events = events(&stream);
    let done: Vec<&Value> =
        events.iter().filter(|e| e["type"] == "response.output_item.done").map(|e| &e["item"]).collect();
    assert_eq!(done[0]["id"], "msg_c_1_0");
    assert_eq!((&done[1]["id"], &done[1]["call_id"]), (&json!("ctc_c_1_1"), &json!("call_c_1_1")));
    let response = &events.last().unwrap()["response"];
    assert_eq!(response["output"].as_array().unwrap().len(), 2);
    assert_eq!(
        response["usage"],
        json!({
            "input_tokens": 1001, "input_tokens_details": {"cached_tokens": 100},
            "output_tokens": 50, "output_tokens_details": {"reasoning_tokens": 7}, "total_tokens": 1051,
        })
    );
}

#[tokio::test]
async fn threads_have_conversations_of_their_own() {
    let script = Script::default()
        .with(Conversation::new(
            "sub",
            Claim::Agent("/root/sub1".to_owned()),
            [Step::say("from the sub-agent")],
        ))
        .with(Conversation::new("asked", Claim::Prompt("Do it.".to_owned()), [Step::say("asked")]))
        .with(Conversation::new("other", Claim::Anyone, [Step::say("other"), Step::say("other again")]));
    let model = ScriptedModel::start(script).await.unwrap();
    let other =
        json!({"model": "m", "stream": true, "input": [{"type": "message", "role": "user", "content": []}]});
    assert!(ask(&model, "b", other.clone()).await.1.contains("other"));
    assert!(ask(&model, "a", body(&[])).await.1.contains("asked"));
    assert!(ask(&model, "b", other).await.1.contains("other again"));
    let headers = ["thread-id: c", r#"x-codex-turn-metadata: {"agent_name":"/root/sub1"}"#];
    let sub = connect(&model, RESPONSES, &headers, &body(&[]).to_string()).await;
    assert!(read(sub).await.1.contains("from the sub-agent"));
    let (status, sentence) = ask(&model, "d", body(&[])).await;
    assert_eq!(
        (status, sentence.as_str()),
        (400, "The scripted model refuses: no conversation of the script is for thread `d`.")
    );
    let who: Vec<String> = model.requests().into_iter().map(|request| request.conversation).collect();
    assert_eq!(who, ["other", "asked", "other", "sub", ""]);
}

#[tokio::test]
async fn answers_that_are_no_complete_response() {
    let model = ScriptedModel::start(Script::one([
        Step::cut([Item::message("half")]),
        Step::failed("invalid_prompt", "no"),
        Step::http(429, "slow down"),
        Step::http_json(400, &json!({"error": {"code": "model_not_found"}})),
        Step::from_request(|request| {
            Ok(vec![Item::message(&format!("seen: {}", request.texts("user").join("")))])
        }),
    ]))
    .await
    .unwrap();
    let (_, cut) = ask(&model, "t", body(&[])).await;
    assert_eq!(types(&cut).last().unwrap(), "output_item.done");
    let (_, failed) = ask(&model, "t", body(&[])).await;
    assert_eq!(
        events(&failed).last().unwrap()["response"]["error"],
        json!({"code": "invalid_prompt", "message": "no"})
    );
    assert_eq!(ask(&model, "t", body(&[])).await, (429, "slow down".to_owned()));
    assert_eq!(
        ask(&model, "t", body(&[])).await,
        (400, r#"{"error":{"code":"model_not_found"}}"#.to_owned())
    );
    assert!(ask(&model, "t", body(&[])).await.1.contains("seen: Do it."));
    assert_eq!(model.finish().unwrap().len(), 5);
}

#[tokio::test]
async fn a_gate_holds_the_answer_and_a_client_that_leaves_owes_nothing() {
    let (before, within) = (Gate::default(), Gate::default());
    let model = ScriptedModel::start(Script::one([
        Step::say("held").hold(&before),
        Step::items([Item::message("first"), Item::pause(&within), Item::command("never taken")]),
        Step::say("asked again"),
    ]))
    .await
    .unwrap();
    let held = connect(&model, RESPONSES, &[], &body(&[]).to_string()).await;
    before.reached().await;
    model.received(1).await;
    before.open();
    assert!(read(held).await.1.contains("held"));

    let mut leaving = connect(&model, RESPONSES, &[], &body(&[]).to_string()).await;
    within.reached().await;
    let mut seen = String::new();
    while !seen.contains("output_item.done") {
        let mut piece = [0; 4096];
        let count = timeout(PATIENCE, leaving.read(&mut piece)).await.unwrap().unwrap();
        seen += std::str::from_utf8(&piece[..count]).unwrap();
    }
    drop(leaving);
    assert!(ask(&model, "", body(&[])).await.1.contains("asked again"));
    model.finish().unwrap();
}

#[tokio::test]
async fn a_call_must_come_back_answered() {
    let steps = || Script::one([Step::item(Item::command("ls")), Step::say("done")]);
    let call = json!({"type": "function_call", "name": "exec_command", "arguments": "{}", "call_id": "call_main_0_0"});
    let output = json!({"type": "function_call_output", "call_id": "call_main_0_0", "output": "ok"});

    let model = ScriptedModel::start(steps()).await.unwrap();
    ask(&model, "t", body(&[])).await;
    let (status, _) = ask(&model, "t", body(&[call, output])).await;
    assert_eq!(status, 200);
    let requests = model.finish().unwrap();
    assert_eq!(requests[1].last_output().as_deref(), Some("ok"));
    assert_eq!(requests[1].output_of("call_main_0_0").as_deref(), Some("ok"));

    let model = ScriptedModel::start(steps()).await.unwrap();
    ask(&model, "t", body(&[])).await;
    let (status, sentence) = ask(&model, "t", body(&[])).await;
    assert_eq!(status, 400);
    assert!(
        sentence.contains("function_call call_main_0_0 of the last answer has no function_call_output"),
        "{sentence}"
    );
    assert!(model.finish().unwrap_err().to_string().contains("has no function_call_output"));
}

#[tokio::test]
async fn finish_names_everything_that_went_wrong() {
    let model = ScriptedModel::start(Script::one([
        Step::item(Item::function_call("no_such_tool", json!({}))),
        Step::from_request(|_| anyhow::bail!("no session")),
        Step::item(Item::function_call("no_such_tool", json!({}))).with_unoffered_tools(),
        Step::say("left over"),
    ]))
    .await
    .unwrap();
    assert_eq!(ask(&model, "t", body(&[])).await.0, 400);
    assert_eq!(ask(&model, "t", body(&[])).await.0, 400);
    assert_eq!(ask(&model, "t", body(&[])).await.0, 200);
    assert_eq!(read(connect(&model, "GET /v1/models", &[], "").await).await.0, 400);
    assert_eq!(read(connect(&model, "GET /v1/responses", &[], "").await).await.0, 400);
    assert_eq!(read(connect(&model, RESPONSES, &[], "{").await).await.0, 400);
    let error = model.finish().unwrap_err().to_string();
    for wrong in [
        "the script calls no_such_tool, which the request does not offer",
        "step main_1 could not be made: no session",
        "GET /v1/models is no route of the model",
        "GET /v1/responses is no route of the model",
        "the body is not JSON: ",
        "1 step(s) of conversation `main` were never asked for",
    ] {
        assert!(error.contains(wrong), "{wrong} is missing in {error}");
    }

    let model = ScriptedModel::start(Script::one([])).await.unwrap();
    assert!(ask(&model, "t", body(&[])).await.1.contains("conversation `main` has no step 0"));
}

#[test]
fn each_rule_is_checked() {
    fn check(change: impl FnOnce(&mut ModelRequest), unanswered: &[Call], expected: &[&str]) {
        let mut request = request(body(&[]));
        change(&mut request);
        assert_eq!(rules::broken_rules(&request, unanswered), expected);
    }
    fn with(items: Value) -> impl FnOnce(&mut ModelRequest) {
        move |request| request.body["input"].as_array_mut().unwrap().extend(items.as_array().unwrap().clone())
    }
    let call = json!({"type": "function_call", "name": "f", "arguments": "{}", "call_id": "a"});
    let output = json!({"type": "function_call_output", "call_id": "a", "output": []});
    let custom = json!({"type": "custom_tool_call", "name": "exec", "input": "", "call_id": "b"});
    let custom_output = json!({"type": "custom_tool_call_output", "call_id": "b", "output": ""});
    check(|_| {}, &[], &[]);
    check(with(json!([call, custom, output, custom_output, custom_output])), &[], &[]);
    // Ids may repeat, as long as every call has its answer.
    check(with(json!([call, output, call, output])), &[], &[]);
    check(with(json!([call, output, call])), &[], &["call a has no function_call_output"]);
    check(
        with(json!([output, call])),
        &[],
        &["function_call_output for a, which nobody called", "call a has no function_call_output"],
    );
    check(
        with(json!([custom, output])),
        &[],
        &["function_call_output for a, which nobody called", "call b has no custom_tool_call_output"],
    );
    // An output of nobody's call has no id.
    check(with(json!([{"type": "function_call_output", "name": "goal_objective", "output": ""}])), &[], &[]);
    check(
        with(json!([{"type": "function_call", "name": "f", "arguments": {}, "call_id": "a"}, output])),
        &[],
        &["function_call a has no `arguments` string"],
    );
    check(
        with(json!([{"type": "custom_tool_call", "name": "f", "call_id": "b"}, custom_output])),
        &[],
        &["custom_tool_call b has no `input` string"],
    );
    check(
        with(json!([{"type": "function_call", "arguments": "", "call_id": "a"}, output])),
        &[],
        &["function_call a has no name"],
    );
    check(
        with(json!([call, {"type": "function_call_output", "call_id": "a"}])),
        &[],
        &["function_call_output a has no `output` that is a string or a list"],
    );
    check(with(json!([{"type": "message", "role": "tool"}])), &[], &["message has no known role"]);
    check(
        with(json!([{"type": "function_call", "name": "f", "arguments": ""}])),
        &[],
        &["function_call without a call_id"],
    );
    let owed = [Call { id: "s".to_owned(), kind: "tool_search_call".to_owned() }];
    check(|_| {}, &owed, &["tool_search_call s of the last answer has no tool_search_output"]);
    check(
        |request| drop(request.headers.remove("content-type")),
        &[],
        &["content-type is not application/json"],
    );
    check(|request| drop(request.headers.remove("accept")), &[], &["accept does not name text/event-stream"]);
    check(|request| request.body["model"] = json!(""), &[], &["`model` is missing or empty"]);
    check(|request| request.body["stream"] = json!(false), &[], &["`stream` is not true"]);
    check(|request| request.body["input"] = json!("text"), &[], &["`input` is missing, empty or not a list"]);
    check(
        |request| request.body["previous_response_id"] = json!("r"),
        &[],
        &["`previous_response_id` without server-side state"],
    );
}

#[test]
fn tools_are_found_wherever_they_are_offered() {
    let found = json!({
        "type": "tool_search_output", "call_id": "s",
        "tools": [{"type": "namespace", "name": "mcp__late", "tools": [{"type": "function", "name": "mul"}]}],
    });
    let lite = json!({"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "wait"}]});
    let request = request(body(&[found, lite]));
    let expected = [
        "apply_patch",
        "exec_command",
        "functions/exec",
        "mcp__demo/add",
        "mcp__late/mul",
        "tool_search",
        "wait",
    ];
    assert_eq!(request.offered_tools().iter().map(String::as_str).collect::<Vec<_>>(), expected);
    let calls = [
        json!({"type": "custom_tool_call", "name": "exec"}),
        json!({"type": "function_call", "name": "mul", "namespace": "mcp__late"}),
        json!({"type": "function_call", "name": "mul"}),
        json!({"type": "message"}),
    ];
    assert_eq!(
        rules::unoffered_calls(&request, calls.iter()),
        ["the script calls mul, which the request does not offer"]
    );
}

proptest! {
    #[test]
    fn deltas_add_up_to_any_text(text in any::<String>()) {
        let mut frames = Frames::new("r".to_owned());
        let stream = frames.begin()
            + &frames.item(&json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]}))
            + &frames.item(&json!({"type": "custom_tool_call", "id": "c", "input": text}))
            + &frames.complete(0);
        let events = events(&stream);
        for kind in ["response.output_text.delta", "response.custom_tool_call_input.delta"] {
            let deltas = events.iter().filter(|event| event["type"] == kind);
            let joined: String = deltas.map(|event| event["delta"].as_str().unwrap()).collect();
            prop_assert_eq!(&joined, &text);
        }
    }
}
