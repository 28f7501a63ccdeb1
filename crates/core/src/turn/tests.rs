//! The reducer on hand-made records: what no capture shows.

use std::sync::Arc;

use pretty_assertions::assert_eq;

use super::*;
use crate::ids::CallId;
use crate::presentation::{Locale, title};
use crate::tool_call::{
    CallInput, CellState, CellUpdate, ExecutionOrigin, LineBase, Mark, Marks, Outcome, Output, Print,
    PrintedBlock, PrintedPart, Script, ScriptCall, ScriptReading, ToolCallAnswer, ToolCallDetail,
    ToolCallEvent, ToolCallExecution, ToolCallRequest, ToolCallStatus, ToolCallStep, ToolName,
    detail_of_call,
};
use crate::transcript::{ChatLayer, RecordBody, Role, TranscriptRecord, TurnOutcome};

/// Builds the records of a log, one a line.
struct Log {
    records: Vec<TranscriptRecord>,
    turn: Option<TurnId>,
}

impl Log {
    fn new(records_nested: bool) -> Self {
        let info = SessionInfo {
            id: "s".into(),
            agent: "test".into(),
            agent_version: None,
            cwd: Some("/w".into()),
            model: None,
            parent: None,
            is_subagent: false,
            records_nested,
        };
        Self { records: Vec::new(), turn: None }.with(RecordBody::Session(info))
    }

    fn with(mut self, body: RecordBody) -> Self {
        let position = (self.records.len() as u64 + 1) * 10;
        self.records.push(TranscriptRecord { at: None, turn: self.turn.clone(), position, body });
        self
    }

    fn turn(mut self, id: &str) -> Self {
        self.turn = Some(id.into());
        self.with(RecordBody::TurnStarted)
    }

    fn of(mut self, id: Option<&str>) -> Self {
        self.turn = id.map(Into::into);
        self
    }

    fn ends(self, outcome: TurnOutcome) -> Self {
        self.with(RecordBody::TurnEnded(TurnEnd { outcome, reason: None }))
    }

    fn step(self, id: &str, step: ToolCallStep) -> Self {
        self.with(RecordBody::ToolCall(Box::new(ToolCallEvent { id: CallId::new(id), step })))
    }

    fn calls(self, id: &str, command: &str) -> Self {
        let name = ToolName::bare("exec_command");
        let request = ToolCallRequest {
            detail: command_detail(command),
            name,
            raw_input: command.into(),
            script: None,
            ended: None,
        };
        self.step(id, ToolCallStep::Called(request))
    }

    fn scripts(self, id: &str, calls: Vec<ScriptCall>, prints: Vec<Print>) -> Self {
        let script = Script { reading: ScriptReading::Read, calls, prints, source: "…".into() };
        let request = ToolCallRequest {
            name: ToolName::bare("exec"),
            raw_input: "…".into(),
            detail: ToolCallDetail::default(),
            script: Some(Arc::new(script)),
            ended: None,
        };
        self.step(id, ToolCallStep::Called(request))
    }

    fn answers(self, id: &str, status: ToolCallStatus) -> Self {
        self.step(
            id,
            ToolCallStep::Answered(ToolCallAnswer { status: Some(status), ..ToolCallAnswer::default() }),
        )
    }

    fn yields(self, id: &str, cell: &str) -> Self {
        let outcome = Outcome { running_session: Some(cell.into()), ..Outcome::default() };
        let cell = Some(CellUpdate { id: cell.into(), state: CellState::Running });
        let status = Some(ToolCallStatus::Running);
        self.step(
            id,
            ToolCallStep::Answered(ToolCallAnswer { status, outcome, cell, ..ToolCallAnswer::default() }),
        )
    }

    fn runs(self, id: &str, command: &str, exit_code: i64) -> Self {
        let status = if exit_code == 0 { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        let origin = if id.starts_with("exec-") { ExecutionOrigin::Nested } else { ExecutionOrigin::Call };
        let execution = ToolCallExecution {
            name: ToolName::bare("exec_command"),
            item_type: "CommandExecution".into(),
            detail: command_detail(command),
            status,
            outcome: Outcome { exit_code: Some(exit_code), ..Outcome::default() },
            origin,
            started_at: None,
        };
        self.step(id, ToolCallStep::Executed(execution))
    }

    fn says(self, role: Role, layer: ChatLayer, id: Option<&str>, text: &str) -> Self {
        let id = id.map(str::to_owned);
        self.with(RecordBody::Message(Message { role, phase: None, text: text.into(), layer, id }))
    }
}

fn command_detail(command: &str) -> ToolCallDetail {
    let input = serde_json::json!({"cmd": command});
    detail_of_call(&ToolName::bare("exec_command"), CallInput::Json(&input), LineBase::One)
}

fn site(command: &str, marks: &[Mark], certain: bool) -> ScriptCall {
    let unresolved = marks.contains(&Mark::Unresolved);
    ScriptCall {
        name: ToolName::bare("exec_command"),
        raw_input: command.into(),
        detail: command_detail(if unresolved { "" } else { command }),
        unresolved: unresolved.then(|| command.into()),
        marks: marks.iter().copied().collect::<Marks>(),
        certain,
        well_formed: true,
    }
}

/// The last state of every call, in order: `title` and, indented, those of its children.
fn calls_of(log: &Log) -> Vec<String> {
    let mut reducer = TurnReducer::new();
    let mut changes: Vec<Change> =
        log.records.iter().flat_map(|record| reducer.apply(record.clone())).collect();
    changes.extend(reducer.finish());
    let mut order = Vec::new();
    let mut last = std::collections::HashMap::new();
    for change in changes {
        if let Change::Item { item: TurnItem { content: ItemContent::ToolCall(call), .. }, .. } = change {
            if !last.contains_key(&call.key) {
                order.push(call.key.clone());
            }
            if let Some(before) = last.insert(call.key.clone(), call.clone()) {
                let before: Arc<ToolCallInfo> = before;
                assert_eq!(before.rev + 1, call.rev, "revisions count up");
            }
        }
    }
    let mut lines = Vec::new();
    for key in order {
        let call = &last[&key];
        lines.push(title(call, Locale::ZhCn).to_string());
        lines.extend(call.children.iter().map(|child| format!("  {}", title(child, Locale::ZhCn))));
    }
    lines
}

fn check(log: &Log, expected: &[&str]) {
    assert_eq!(calls_of(log), expected);
}

const DONE: ToolCallStatus = ToolCallStatus::Completed;

#[test]
fn an_id_used_again_opens_a_new_call() {
    let log = Log::new(true)
        .turn("1")
        .calls("c", "a")
        .answers("c", DONE)
        .calls("c", "b")
        .answers("c", ToolCallStatus::Failed);
    check(&log, &["💻 运行 `a`", "❌ 运行 `b`"]);
}

#[test]
fn rule_1_the_one_open_script_that_makes_this_call() {
    let log = Log::new(true)
        .turn("1")
        .scripts("x", vec![site("a", &[], true), site("b", &[], true)], vec![])
        .yields("x", "1")
        .scripts("y", vec![site("c", &[], true)], vec![])
        .runs("exec-1", "a", 3)
        .runs("exec-2", "c", 0)
        .answers("y", DONE)
        .ends(TurnOutcome::Completed);
    check(
        &log,
        &[
            "❔ 编排 2 个工具 · `exec_command` · 1 个失败 · 后台终端 `1` · 无结果记录",
            "  ⚠️ 运行 `a` · exit 3",
            "  ❔ 运行 `b` · 未见执行记录",
            "💻 运行 `c`",
        ],
    );
}

#[test]
fn rule_1_ambiguity_is_not_guessed() {
    let log = Log::new(true)
        .turn("1")
        .scripts("x", vec![site("a", &[], true)], vec![])
        .yields("x", "1")
        .scripts("y", vec![site("a", &[], true)], vec![])
        .yields("y", "2")
        .runs("exec-1", "a", 0);
    check(
        &log,
        &[
            "❔ 运行 `a` · 后台终端 `1` · 未见执行记录",
            "❔ 运行 `a` · 后台终端 `2` · 未见执行记录",
            "💻 运行 `a`",
        ],
    );
}

#[test]
fn rule_1_of_scripts_not_answered_the_first_runs() {
    let log = Log::new(true)
        .turn("1")
        .scripts("x", vec![site("a", &[], true)], vec![])
        .scripts("y", vec![site("a", &[], true)], vec![])
        .runs("exec-1", "a", 1)
        .answers("x", DONE)
        .runs("exec-2", "a", 2)
        .answers("y", DONE);
    check(&log, &["⚠️ 运行 `a` · exit 1", "⚠️ 运行 `a` · exit 2"]);
}

#[test]
fn rule_2_an_ended_script_of_an_earlier_turn() {
    let log = Log::new(true)
        .turn("1")
        .scripts("x", vec![site("a", &[], true)], vec![])
        .answers("x", DONE)
        .ends(TurnOutcome::Completed)
        .turn("2")
        .of(Some("1"))
        .runs("exec-1", "a", 0);
    check(&log, &["💻 运行 `a`"]);
}

#[test]
fn a_script_of_a_later_turn_cannot_have_made_it() {
    let log = Log::new(true)
        .turn("1")
        .ends(TurnOutcome::Completed)
        .turn("2")
        .scripts("x", vec![site("a", &[], true)], vec![])
        .of(Some("1"))
        .runs("exec-1", "a", 0)
        .of(Some("2"))
        .answers("x", DONE);
    check(&log, &["❔ 运行 `a` · 未见执行记录", "💻 运行 `a`"]);
}

#[test]
fn rule_3_the_only_open_script_with_a_call_the_text_does_not_tell() {
    let open = Log::new(true)
        .turn("1")
        .scripts("x", vec![site("load()", &[Mark::Unresolved, Mark::Repeat], false)], vec![])
        .runs("exec-1", "a", 0)
        .runs("exec-2", "b", 1)
        .answers("x", DONE);
    check(
        &open,
        &["🧩 编排 2 个工具 · `exec_command` · 1 个失败", "  💻 运行 `a`", "  ⚠️ 运行 `b` · exit 1"],
    );
    let told = Log::new(true)
        .turn("1")
        .scripts("x", vec![site("c", &[], true)], vec![])
        .runs("exec-1", "a", 0)
        .answers("x", DONE);
    check(&told, &["❔ 运行 `c` · 未见执行记录", "💻 运行 `a`"]);
}

#[test]
fn rule_4_an_unknown_id_adopts_the_only_running_call_that_asks_the_same() {
    let only = Log::new(false).turn("1").calls("c", "a").runs("other", "a", 2);
    check(&only, &["⚠️ 运行 `a` · exit 2"]);
    let two = Log::new(false)
        .turn("1")
        .calls("c", "a")
        .calls("d", "a")
        .runs("other", "a", 2)
        .ends(TurnOutcome::Aborted);
    check(&two, &["⏹️ 运行 `a` · 已中断", "⏹️ 运行 `a` · 已中断", "⚠️ 运行 `a` · exit 2"]);
}

#[test]
fn the_more_exact_site_is_taken_first() {
    let mut with_workdir = site("ls", &[], true);
    with_workdir.detail = {
        let input = serde_json::json!({"cmd": "ls", "workdir": "src"});
        detail_of_call(&ToolName::bare("exec_command"), CallInput::Json(&input), LineBase::One)
    };
    let log = Log::new(true).turn("1").scripts("x", vec![site("ls", &[], true), with_workdir], vec![]);
    let input = serde_json::json!({"cmd": "ls", "workdir": "/w/src"});
    let execution = ToolCallExecution {
        name: ToolName::bare("exec_command"),
        item_type: "CommandExecution".into(),
        detail: detail_of_call(&ToolName::bare("exec_command"), CallInput::Json(&input), LineBase::One),
        status: ToolCallStatus::Failed,
        outcome: Outcome { exit_code: Some(2), ..Outcome::default() },
        origin: ExecutionOrigin::Nested,
        started_at: None,
    };
    let log = log.step("exec-1", ToolCallStep::Executed(execution)).answers("x", DONE);
    let lines = calls_of(&log);
    assert_eq!(lines[1..], ["  ❔ 浏览 `.` · 未见执行记录", "  ⚠️ 浏览 `.` · exit 2"]);
}

#[test]
fn where_nested_calls_are_not_recorded_only_certain_ones_have_run() {
    let calls = vec![site("a", &[], true), site("b", &[Mark::Maybe], false), site("c", &[], false)];
    let log = Log::new(false).turn("1").scripts("x", calls.clone(), vec![]).answers("x", DONE);
    check(
        &log,
        &[
            "🧩 编排 3 个工具 · `exec_command`",
            "  💻 运行 `a`",
            "  ❔ 运行 `b` · 无结果记录 · 可能",
            "  ❔ 运行 `c` · 无结果记录",
        ],
    );
    let failed = Log::new(false).turn("1").scripts("x", calls, vec![]).answers("x", ToolCallStatus::Failed);
    assert!(calls_of(&failed)[1].contains('❔'), "a failed script proves nothing of one of several");
}

#[test]
fn a_printed_result_fills_what_no_item_says() {
    let prints = [Print { part: PrintedPart::Result(0), certain: true }];
    let result = Outcome { exit_code: Some(4), output: Some(Output::whole("x\n")), ..Outcome::default() };
    let block = PrintedBlock { text: Some(Output::whole("{…}")), result: Some(Box::new(result)) };
    let answer = ToolCallAnswer { status: Some(DONE), blocks: vec![block], ..ToolCallAnswer::default() };
    let log = |certain| {
        let prints = prints.iter().map(|p| Print { certain, ..*p }).collect();
        Log::new(false)
            .turn("1")
            .scripts("x", vec![site("a", &[], true)], prints)
            .step("x", ToolCallStep::Answered(answer.clone()))
    };
    check(&log(true), &["⚠️ 运行 `a` · exit 4 · 输出 1 行"]);
    // Without certainty about its place the print is only text.
    check(&log(false), &["💻 运行 `a` · 输出 1 行"]);
}

#[test]
fn states_that_a_turns_end_implies_yield_to_evidence() {
    let log = Log::new(true).turn("1").calls("c", "a").ends(TurnOutcome::Aborted);
    check(&log, &["⏹️ 运行 `a` · 已中断"]);
    let log = log.turn("2").of(Some("1")).runs("c", "a", 1);
    check(&log, &["⚠️ 运行 `a` · exit 1"]);
}

#[test]
fn one_layer_is_the_chat() {
    let texts = |log: &Log| -> Vec<String> {
        let mut reducer = TurnReducer::new();
        let mut changes: Vec<Change> = log.records.iter().flat_map(|r| reducer.apply(r.clone())).collect();
        changes.extend(reducer.finish());
        let turns = changes
            .into_iter()
            .filter_map(|change| if let Change::TurnEnded(turn) = change { Some(turn) } else { None });
        let items = turns.flat_map(|turn| turn.items.clone());
        items
            .filter_map(|item| {
                let ItemContent::Message(message) = item.content else { return None };
                Some(message.text.to_string())
            })
            .collect()
    };
    let (item, event, model) = (ChatLayer::Item, ChatLayer::Event, ChatLayer::Model);
    let agent = Role::Agent;
    let start = || Log::new(true).turn("1");
    for (log, expected) in [
        (start().says(agent, model, Some("1"), "a").says(agent, item, Some("1"), "a"), vec!["a"]),
        (start().says(agent, event, None, "a").says(agent, model, Some("1"), "a"), vec!["a"]),
        (start().says(agent, event, None, "a").says(agent, item, Some("1"), "a"), vec!["a"]),
        // Two equal messages that are meant stay two.
        (start().says(agent, event, None, "a").says(agent, event, None, "a"), vec!["a", "a"]),
        (start().says(agent, item, Some("1"), "a").says(agent, item, Some("2"), "a"), vec!["a", "a"]),
        (
            start()
                .says(agent, event, None, "a")
                .says(agent, item, Some("1"), "a")
                .says(agent, event, None, "a"),
            vec!["a", "a"],
        ),
        (start().says(agent, item, Some("1"), "a").says(agent, item, Some("1"), "a"), vec!["a"]),
        // Without any layer of the user interface the model's is read.
        (start().says(agent, model, Some("1"), "a").says(agent, model, Some("2"), "b"), vec!["a", "b"]),
    ] {
        assert_eq!(texts(&log), expected);
    }
}

#[test]
fn logs_without_turn_ids_begin_a_turn_with_the_users_words() {
    let log = Log::new(false)
        .says(Role::User, ChatLayer::Model, None, "one")
        .calls("c", "a")
        .says(Role::User, ChatLayer::Model, None, "two")
        .calls("c", "b");
    let mut reducer = TurnReducer::new();
    let changes: Vec<Change> = log.records.iter().flat_map(|record| reducer.apply(record.clone())).collect();
    let started: Vec<&str> = changes
        .iter()
        .filter_map(
            |change| if let Change::TurnStarted { turn, .. } = change { Some(turn.as_str()) } else { None },
        )
        .collect();
    assert_eq!(started, ["turn-1", "turn-2"]);
    check(&log, &["❔ 运行 `a` · 无结果记录", "❔ 运行 `b` · 无结果记录"]);
}

#[test]
fn going_on_from_a_snapshot_gives_the_same_changes() {
    let log = Log::new(true)
        .turn("1")
        .calls("c", "a")
        .answers("c", DONE)
        .runs("c", "a", 0)
        .ends(TurnOutcome::Completed)
        .turn("2")
        .calls("c", "b")
        .runs("c", "b", 1)
        .answers("c", ToolCallStatus::Failed)
        .of(Some("1"))
        .runs("exec-late", "x", 0)
        .of(Some("2"))
        .ends(TurnOutcome::Completed)
        .with(RecordBody::Unknown(UnknownRecord { kind: "k".into(), sample: None }));
    let mut whole = TurnReducer::new();
    let changes: Vec<Vec<Change>> = log.records.iter().map(|record| whole.apply(record.clone())).collect();
    let mut snapshots = 0;
    let mut reducer = TurnReducer::new();
    for (at, record) in log.records.iter().enumerate() {
        reducer.apply(record.clone());
        if let Some(snapshot) = reducer.snapshot() {
            snapshots += 1;
            let json = serde_json::to_string(&snapshot).expect("a snapshot is JSON");
            let mut resumed = TurnReducer::resume(serde_json::from_str(&json).expect("a snapshot"));
            for (record, expected) in log.records.iter().zip(&changes).skip(at + 1) {
                assert_eq!(&resumed.apply(record.clone()), expected, "resumed after record {at}");
            }
        }
    }
    assert!(snapshots >= 2, "between turns there are snapshots: {snapshots}");
}

#[test]
fn what_is_kept_is_bounded() {
    let mut reducer = TurnReducer::new();
    let mut log = Log::new(true);
    for turn in 0..200 {
        log = log.turn(&format!("t{turn}"));
        for call in 0..20 {
            log = log.calls(&format!("c{call}"), "a");
        }
        log = log.ends(TurnOutcome::Aborted);
    }
    for record in log.records {
        reducer.apply(record);
    }
    assert!(reducer.held_calls() <= 512, "{}", reducer.held_calls());
}

#[test]
fn consecutive_calls_share_a_section() {
    let log = Log::new(true)
        .turn("1")
        .calls("a", "a")
        .with(RecordBody::Reasoning(Reasoning { text: "hm".into(), layer: ChatLayer::Item, id: None }))
        .calls("b", "b")
        .says(Role::Agent, ChatLayer::Item, None, "text")
        .calls("c", "c");
    let mut reducer = TurnReducer::new();
    for record in log.records {
        reducer.apply(record);
    }
    let turn = reducer.turn().expect("an open turn");
    let shape = |sections: Vec<Section<'_>>| -> Vec<usize> {
        sections
            .iter()
            .map(|s| match s {
                Section::Tools(calls) => calls.len(),
                Section::Item(_) => 0,
            })
            .collect()
    };
    assert_eq!(shape(turn.sections(|_| true)), [1, 0, 1, 0, 1]);
    let visible = |content: &ItemContent| !matches!(content, ItemContent::Reasoning(_));
    assert_eq!(shape(turn.sections(visible)), [2, 0, 1]);
}
