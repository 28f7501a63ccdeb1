//! Tool names and the kind each one stands for. One table for all agents: their names do not collide.

use serde::{Deserialize, Serialize};

/// What a call is, whatever the agent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// A shell command.
    Command,
    /// Input to a running terminal, or waiting for one.
    TerminalInput,
    /// A patch of several files.
    Patch,
    /// Reading a file.
    FileRead,
    /// Searching files.
    FileSearch,
    /// Changing or writing one file.
    FileChange,
    /// Fetching a web page.
    WebFetch,
    /// Searching the web.
    WebSearch,
    /// Work given to another agent.
    Agent,
    /// The plan or to-do list.
    Plan,
    /// Looking for tools.
    ToolSearch,
    /// A tool of an MCP server.
    Mcp,
    /// Viewing or making an image.
    Image,
    /// A script of the agent without calls.
    Script,
    /// A script of the agent that makes several calls.
    Orchestration,
    /// Anything else.
    Generic,
}

/// A tool's name: as recorded, and as compared and shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolName {
    /// The name field as recorded.
    pub raw: String,
    /// The full name: namespace and name, trimmed.
    pub name: String,
}

/// Namespaces that only group an agent's own tools: the bare name says it all.
const TRANSPARENT_NAMESPACES: [&str; 3] = ["functions", "collaboration", "multi_agent_v1"];

impl ToolName {
    /// A name without a namespace.
    pub fn bare(raw: impl Into<String>) -> Self {
        let raw = raw.into();
        let name = raw.trim().to_owned();
        Self { raw, name }
    }

    /// Joins a namespace and a name: a name that already starts with its namespace stays; a namespace ending in
    /// `__`, `/` or `.` is joined as it is; otherwise they are joined with `__`.
    pub fn namespaced(namespace: Option<&str>, raw: impl Into<String>) -> Self {
        let raw = raw.into();
        let bare = raw.trim();
        let name = match namespace.map(str::trim).filter(|ns| !ns.is_empty()) {
            None => bare.to_owned(),
            Some(ns) if TRANSPARENT_NAMESPACES.iter().any(|t| ns.eq_ignore_ascii_case(t)) => bare.to_owned(),
            Some(ns) if bare.starts_with(ns) => bare.to_owned(),
            Some(ns) if ns.ends_with("__") || ns.ends_with('/') || ns.ends_with('.') => format!("{ns}{bare}"),
            Some(ns) => format!("{ns}__{bare}"),
        };
        Self { raw, name }
    }

    /// The kind this name stands for. Case and surrounding space do not matter.
    pub fn kind(&self) -> ToolKind {
        let name = self.name.to_ascii_lowercase();
        match name.as_str() {
            "bash" | "shell" | "shell_command" | "exec_command" | "local_shell" => ToolKind::Command,
            "write_stdin" | "wait" | "bashoutput" | "taskoutput" => ToolKind::TerminalInput,
            "apply_patch" => ToolKind::Patch,
            "read" | "read_file" | "readfile" => ToolKind::FileRead,
            "grep" | "search" | "search_files" | "glob" => ToolKind::FileSearch,
            "edit" | "multiedit" | "notebookedit" | "strreplacefile" | "write" | "write_file"
            | "writefile" => ToolKind::FileChange,
            "fetchurl" | "fetch_url" | "webfetch" => ToolKind::WebFetch,
            "websearch" | "web_search" | "searchweb" | "web__run" => ToolKind::WebSearch,
            "agent" | "task" | "agentswarm" | "spawn_agent" => ToolKind::Agent,
            other if is_agent_follow_up(other) => ToolKind::Agent,
            "todolist" | "todo_list" | "todowrite" | "settodolist" | "taskcreate" | "taskupdate"
            | "tasklist" | "update_plan" => ToolKind::Plan,
            "tool_search" | "toolsearch" => ToolKind::ToolSearch,
            "view_image" | "readmediafile" => ToolKind::Image,
            other if other.starts_with("image_gen__") => ToolKind::Image,
            other if mcp_parts(other).is_some() => ToolKind::Mcp,
            _ => ToolKind::Generic,
        }
    }

    /// The server and tool of an MCP name (`mcp__server__tool`).
    pub fn mcp(&self) -> Option<(&str, &str)> {
        mcp_parts(&self.name)
    }

    /// Whether the tool goes on with work already given to an agent, rather than giving new work.
    pub fn is_agent_follow_up(&self) -> bool {
        is_agent_follow_up(&self.name.to_ascii_lowercase())
    }

    /// Whether the tool writes a whole file rather than editing one.
    pub fn writes_whole_file(&self) -> bool {
        matches!(self.name.to_ascii_lowercase().as_str(), "write" | "write_file" | "writefile")
    }

    /// Whether the tool only waits.
    pub fn only_waits(&self) -> bool {
        self.name.eq_ignore_ascii_case("wait")
    }
}

fn is_agent_follow_up(name: &str) -> bool {
    matches!(
        name,
        "followup_task"
            | "send_message"
            | "sendmessage"
            | "wait_agent"
            | "list_agents"
            | "interrupt_agent"
            | "send_input"
            | "close_agent"
            | "resume_agent"
    )
}

fn mcp_parts(name: &str) -> Option<(&str, &str)> {
    let prefix = name.get(..5).filter(|p| p.eq_ignore_ascii_case("mcp__"))?;
    let (server, tool) = name[prefix.len()..].split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_join_their_namespace_once() {
        for (namespace, raw, name) in [
            (None, " Bash ", "Bash"),
            (Some("functions"), "exec", "exec"),
            (Some("collaboration"), "spawn_agent", "spawn_agent"),
            (Some("mcp__demo"), "add", "mcp__demo__add"),
            (Some("mcp__demo"), "mcp__demo__add", "mcp__demo__add"),
            (Some("web__"), "run", "web__run"),
            (Some("a/"), "b", "a/b"),
            (Some("a."), "b", "a.b"),
            (Some(" "), "b", "b"),
        ] {
            assert_eq!(ToolName::namespaced(namespace, raw).name, name);
        }
    }

    #[test]
    fn every_name_has_its_kind() {
        for (name, kind) in [
            ("Bash", ToolKind::Command),
            ("local_shell", ToolKind::Command),
            ("wait", ToolKind::TerminalInput),
            ("BashOutput", ToolKind::TerminalInput),
            ("TaskOutput", ToolKind::TerminalInput),
            ("ToolSearch", ToolKind::ToolSearch),
            ("SendMessage", ToolKind::Agent),
            ("APPLY_PATCH", ToolKind::Patch),
            ("Read", ToolKind::FileRead),
            ("Glob", ToolKind::FileSearch),
            ("MultiEdit", ToolKind::FileChange),
            ("write_file", ToolKind::FileChange),
            ("StrReplaceFile", ToolKind::FileChange),
            ("SearchWeb", ToolKind::WebSearch),
            ("AgentSwarm", ToolKind::Agent),
            ("ReadMediaFile", ToolKind::Image),
            ("WebFetch", ToolKind::WebFetch),
            ("web__run", ToolKind::WebSearch),
            ("spawn_agent", ToolKind::Agent),
            ("wait_agent", ToolKind::Agent),
            ("update_plan", ToolKind::Plan),
            ("tool_search", ToolKind::ToolSearch),
            ("view_image", ToolKind::Image),
            ("image_gen__imagegen", ToolKind::Image),
            ("mcp__gh__get_pr", ToolKind::Mcp),
            ("mcp__gh", ToolKind::Generic),
            ("get_goal", ToolKind::Generic),
            ("", ToolKind::Generic),
            ("é", ToolKind::Generic),
        ] {
            assert_eq!(ToolName::bare(name).kind(), kind, "{name}");
        }
    }
}
