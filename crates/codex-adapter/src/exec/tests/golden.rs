//! The golden shapes: what a script of each known shape must yield, field by field.

use serde_json::Value;

use crate::exec::{StaticCall, StaticValue, read};

const SHAPES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/codex/exec-shapes.jsonl"));

/// A member of a call's argument.
fn member(call: &StaticCall, key: &str) -> Option<StaticValue> {
    call.argument.value()?.get(key)
}

/// The files a patch names.
fn patched_files(patch: &str) -> Vec<String> {
    let heads = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
    patch
        .lines()
        .filter_map(|line| heads.iter().find_map(|head| line.strip_prefix(head)))
        .map(str::to_owned)
        .collect()
}

/// What is wrong with a call, held against its expectation.
fn faults(call: &StaticCall, expected: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let expected = expected.as_object().unwrap();
    let mark = |name: &str| expected.contains_key(name);
    if call.maybe != mark("conditional") {
        faults.push(format!("maybe is {}", call.maybe));
    }
    if call.repeat != mark("repeat") {
        faults.push(format!("repeat is {}", call.repeat));
    }
    if call.unawaited != mark("unawaited") {
        faults.push(format!("unawaited is {}", call.unawaited));
    }
    for (key, value) in expected {
        let fine = match key.as_str() {
            "tool" => value == call.tool.as_str(),
            "cmd" if value.is_null() => !member(call, "cmd").unwrap().is_static(),
            "cmd" | "path" | "task_name" => member(call, key).unwrap().as_json() == Some(value),
            "partial" => match member(call, "cmd") {
                Some(StaticValue::Unresolved { partial: Some(partial), .. }) => value == partial.as_str(),
                _ => false,
            },
            "files" => {
                let patch = call.argument.value().unwrap().as_str().unwrap();
                *value == Value::from(patched_files(patch))
            }
            "unawaited" | "conditional" => *value == Value::Bool(true),
            "repeat" => value == "unknown",
            "or_unresolved" => true,
            other => panic!("the shapes have a field this test does not know: {other}"),
        };
        if !fine {
            faults.push(format!("{key} is not {value}"));
        }
    }
    faults
}

#[test]
fn every_golden_shape_comes_out() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in SHAPES.lines() {
        let shape: Value = serde_json::from_str(line).unwrap();
        let reading = read(shape["input"].as_str().unwrap());
        let expected = shape["expect"].as_array().unwrap();
        count += 1;
        let mut faults_here: Vec<String> =
            reading.calls.iter().zip(expected).flat_map(|(call, expected)| faults(call, expected)).collect();
        if reading.calls.len() != expected.len() {
            faults_here.push(format!("{} calls instead of {}", reading.calls.len(), expected.len()));
        }
        if !faults_here.is_empty() {
            wrong.push(format!("{}: {faults_here:?} in {reading:?}", shape["id"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(count, 45);
}
