//! Whether an execution is of a call that a script's text makes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::paths::resolve;
use crate::tool_call::{CommandDetail, Mark, McpDetail, PatchDetail, ScriptCall, ToolCallDetail};

/// Whether the call's argument is static and the execution is of exactly that argument.
pub(super) fn is_exact(call: &ScriptCall, executed: &ToolCallDetail, cwd: Option<&str>) -> bool {
    !call.marks.has(Mark::Unresolved) && same(&call.detail, executed, cwd)
}

/// Whether the execution is of the same kind and contradicts nothing of the call that is static.
pub(super) fn agrees(call: &ScriptCall, executed: &ToolCallDetail, cwd: Option<&str>) -> bool {
    if !call.may_be(executed.kind()) {
        return false;
    }
    match (&call.detail, executed) {
        (ToolCallDetail::Command(stat), ToolCallDetail::Command(ran)) => {
            (stat.command.is_empty() || stat.command == ran.command) && same_workdir(stat, ran, cwd)
        }
        (ToolCallDetail::Mcp(stat), ToolCallDetail::Mcp(ran)) => same_tool(stat, ran),
        (ToolCallDetail::Patch(stat), ToolCallDetail::Patch(ran)) => {
            stat.files.is_empty() || files(stat, cwd) == files(ran, cwd)
        }
        (ToolCallDetail::Image(stat), ToolCallDetail::Image(ran)) => {
            stat.target.is_empty() || resolve(&stat.target, cwd) == resolve(&ran.target, cwd)
        }
        _ => true,
    }
}

/// Whether two details ask for the same thing.
pub(super) fn same(stat: &ToolCallDetail, ran: &ToolCallDetail, cwd: Option<&str>) -> bool {
    match (stat, ran) {
        (ToolCallDetail::Command(stat), ToolCallDetail::Command(ran)) => {
            stat.command == ran.command && same_workdir(stat, ran, cwd)
        }
        (ToolCallDetail::Patch(stat), ToolCallDetail::Patch(ran)) => {
            let files_of = files(stat, cwd);
            !files_of.is_empty() && files_of == files(ran, cwd)
        }
        (ToolCallDetail::Mcp(stat), ToolCallDetail::Mcp(ran)) => {
            same_tool(stat, ran) && same_input(stat, ran)
        }
        (ToolCallDetail::Image(stat), ToolCallDetail::Image(ran)) => {
            !stat.target.is_empty() && resolve(&stat.target, cwd) == resolve(&ran.target, cwd)
        }
        (ToolCallDetail::WebSearch(stat), ToolCallDetail::WebSearch(ran)) => stat.query == ran.query,
        _ => false,
    }
}

/// A working directory that the call does not give agrees with any: it is the session's, which may change.
fn same_workdir(stat: &CommandDetail, ran: &CommandDetail, cwd: Option<&str>) -> bool {
    match (&stat.workdir, &ran.workdir) {
        (Some(stat), Some(ran)) => resolve(stat, cwd) == resolve(ran, cwd),
        (None, _) | (_, None) => true,
    }
}

/// The files that a patch touches, before and after, wherever they were named from.
fn files(patch: &PatchDetail, cwd: Option<&str>) -> BTreeSet<String> {
    let base = patch.workdir.as_deref().map(|dir| resolve(dir, cwd));
    let base = base.as_deref().or(cwd);
    patch
        .files
        .iter()
        .flat_map(|file| std::iter::once(&file.path).chain(&file.to))
        .map(|path| resolve(path, base))
        .collect()
}

/// Scripts spell names as identifiers: any other character stands as `_`, so where the server's name ends is not told.
fn same_tool(stat: &McpDetail, ran: &McpDetail) -> bool {
    let normal = |c: char| if c.is_ascii_alphanumeric() || c == '$' { c } else { '_' };
    let full =
        |mcp: &McpDetail| format!("{}__{}", mcp.server, mcp.tool).chars().map(normal).collect::<String>();
    full(stat) == full(ran)
}

fn same_input(stat: &McpDetail, ran: &McpDetail) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(if text.is_empty() { "{}" } else { text });
    match (value(&stat.input), value(&ran.input)) {
        (Ok(stat), Ok(ran)) => stat == ran,
        _ => stat.input == ran.input,
    }
}
