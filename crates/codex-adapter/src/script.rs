//! From the static reading of an `exec` script to the neutral script of the core.

use std::sync::Arc;

use larkspan_core::tool_call::{
    CallInput, CommandDetail, ImageDetail, InputLanguage, LineBase, Mark, Marks, McpDetail, PatchDetail,
    Print, PrintedPart, Script, ScriptCall, ScriptReading, TerminalInputDetail, ToolCallDetail, ToolKind,
    ToolName, detail_of_call, string_member,
};
use serde_json::Value;

use crate::exec::{self, PrintKind, PrintValue, ReadOutcome, StaticArg, StaticCall, StaticValue};

/// Reads a script.
pub(crate) fn read(source: &str) -> Script {
    let reading = exec::read(source);
    let outcome = match &reading.outcome {
        ReadOutcome::Parsed => ScriptReading::Read,
        ReadOutcome::NotJavaScript { reason } => ScriptReading::NotAScript(reason.clone()),
        ReadOutcome::BoundExceeded { bound } => ScriptReading::Bounded(bound.to_string()),
    };
    // What notify() sends is no block of the output.
    let blocks = reading.prints.iter().filter(|print| print.kind != PrintKind::Notify);
    let prints = blocks.map(|print| Print {
        part: match (&print.kind, &print.value) {
            (PrintKind::Text, PrintValue::CallResult { call }) => PrintedPart::Result(*call),
            _ => PrintedPart::Other,
        },
        certain: print.certain,
    });
    Script {
        reading: outcome,
        calls: reading.calls.iter().map(call).collect(),
        prints: prints.collect(),
        source: reading.statements.join("\n").into(),
    }
}

fn call(call: &StaticCall) -> ScriptCall {
    // A name that the script computes stands as its source: none is invented.
    let is_computed = !call.tool.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    let name = if is_computed {
        ToolName { raw: call.tool.clone(), name: String::new() }
    } else {
        ToolName::bare(call.tool.as_str())
    };
    let mut marks: Marks =
        [(call.maybe, Mark::Maybe), (call.repeat, Mark::Repeat), (call.unawaited, Mark::Unawaited)]
            .into_iter()
            .filter_map(|(is, mark)| is.then_some(mark))
            .collect();
    let static_part = match &call.argument {
        StaticArg::None => Some(Value::Object(serde_json::Map::new())),
        StaticArg::Value(value) => static_part(value),
    };
    let is_static = match &call.argument {
        StaticArg::None => true,
        StaticArg::Value(value) => value.is_static(),
    };
    let source: Arc<str> = call.argument_source.as_str().into();
    let detail = match &static_part {
        Some(Value::String(text)) => detail_of_call(&name, CallInput::Text(text), LineBase::One),
        Some(value) => detail_of_call(&name, CallInput::Json(value), LineBase::One),
        None => ToolCallDetail::default(),
    };
    let detail = if is_static { detail } else { of_kind(&name, detail) };
    if !is_static {
        marks.insert(Mark::Unresolved);
    }
    let raw_input: Arc<str> = match (&static_part, is_static) {
        (Some(Value::String(text)), true) => text.as_str().into(),
        (Some(value), true) => value.to_string().into(),
        (Some(_), false) | (None, _) => source.clone(),
    };
    // A generic detail of a tool that has a kind of its own: the argument is not of its shape.
    let well_formed = !is_static || detail.kind() != ToolKind::Generic || name.kind() == ToolKind::Generic;
    ScriptCall {
        certain: call.certain && !is_computed,
        raw_input,
        unresolved: (!is_static).then_some(source),
        detail,
        marks,
        name,
        well_formed,
    }
}

/// The static members of a value that is not wholly static.
fn static_part(value: &StaticValue) -> Option<Value> {
    match value {
        StaticValue::Json(value) => Some(value.clone()),
        StaticValue::Object(members) => {
            let known = members.iter().filter_map(|(name, value)| Some((name.clone(), static_part(value)?)));
            Some(Value::Object(known.collect()))
        }
        StaticValue::Array(_) | StaticValue::Unresolved { .. } => None,
    }
}

/// The detail of a call whose argument is partly unknown: of its tool's kind, with what is known of it.
fn of_kind(name: &ToolName, known: ToolCallDetail) -> ToolCallDetail {
    let ToolCallDetail::Generic(generic) = &known else { return known };
    let members: Value = serde_json::from_str(&generic.input).unwrap_or_default();
    match name.kind() {
        ToolKind::Command => {
            let workdir = string_member(&members, &["workdir", "cwd"]).map(str::to_owned);
            ToolCallDetail::Command(CommandDetail { workdir, ..CommandDetail::default() })
        }
        ToolKind::TerminalInput => {
            let chars = string_member(&members, &["chars"]);
            ToolCallDetail::TerminalInput(TerminalInputDetail {
                chars: chars.unwrap_or_default().into(),
                is_poll: name.only_waits() || chars == Some(""),
                wait_ms: members.get("yield_time_ms").and_then(Value::as_u64),
                ..TerminalInputDetail::default()
            })
        }
        ToolKind::Patch => ToolCallDetail::Patch(PatchDetail::default()),
        ToolKind::Image => ToolCallDetail::Image(ImageDetail::default()),
        ToolKind::Mcp => match name.mcp() {
            Some((server, tool)) => ToolCallDetail::Mcp(McpDetail {
                server: server.to_owned(),
                tool: tool.to_owned(),
                input: "".into(),
            }),
            None => known,
        },
        ToolKind::FileRead
        | ToolKind::FileSearch
        | ToolKind::FileChange
        | ToolKind::WebFetch
        | ToolKind::WebSearch
        | ToolKind::Agent
        | ToolKind::Plan
        | ToolKind::ToolSearch
        | ToolKind::Script
        | ToolKind::Orchestration
        | ToolKind::Generic => ToolCallDetail::generic("", InputLanguage::JavaScript),
    }
}
