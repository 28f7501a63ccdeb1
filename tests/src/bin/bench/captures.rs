//! The recorded logs that benchmarks are made of: whole sessions of the paginated kind, neither forks nor sub-agents,
//! since their turns can stand one after the other in one session.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// One recorded session.
#[derive(Debug)]
pub(crate) struct Capture {
    /// The session's id.
    pub(crate) session: String,
    /// The first line, which introduces the session.
    pub(crate) head: String,
    /// The lines of its turns.
    pub(crate) lines: Vec<String>,
    /// How many turns.
    pub(crate) turns: u64,
    /// The scripts given to `exec`, in order.
    pub(crate) scripts: Vec<String>,
}

/// The usable ones, in order of their names.
#[derive(Debug)]
pub(crate) struct Captures(pub(crate) Vec<Capture>);

impl Captures {
    /// Loads them from their folder.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let entries = fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.sort();
        let mut captures = Vec::new();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        {
            let text =
                fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
            captures.extend(capture(&text).with_context(|| format!("{} is no session log", path.display()))?);
        }
        if !captures.iter().any(Capture::is_code_mode) || captures.iter().all(Capture::is_code_mode) {
            bail!("{} holds too few sessions: some in code mode and some not are needed", folder.display());
        }
        Ok(Self(captures))
    }
}

impl Capture {
    /// Whether it calls tools from scripts.
    pub(crate) fn is_code_mode(&self) -> bool {
        !self.scripts.is_empty()
    }
}

/// A log as a capture; `None` if it cannot stand in the middle of another session.
fn capture(text: &str) -> Result<Option<Capture>> {
    let rows = text.lines().map(|line| Ok((line, serde_json::from_str::<Value>(line)?)));
    let rows = rows.collect::<Result<Vec<_>>>()?;
    let kind = |row: &Value| row["type"].as_str().map(str::to_owned);
    let Some(((head, meta), rows)) = rows.split_first() else { return Ok(None) };
    let payload = &meta["payload"];
    let is_whole = kind(meta).as_deref() == Some("session_meta")
        && payload["history_mode"] == "paginated"
        && ["forked_from_id", "parent_thread_id"].iter().all(|key| payload[*key].is_null())
        && rows.iter().all(|(_, row)| kind(row).as_deref() != Some("session_meta"));
    let turns = rows.iter().filter(|(_, row)| row["payload"]["type"] == "task_started").count() as u64;
    let Some(session) = payload["id"].as_str().filter(|_| is_whole && turns > 0) else { return Ok(None) };
    let scripts = rows.iter().map(|(_, row)| &row["payload"]);
    let scripts =
        scripts.filter(|payload| payload["type"] == "custom_tool_call" && payload["name"] == "exec");
    Ok(Some(Capture {
        session: session.to_owned(),
        head: (*head).to_owned(),
        lines: rows.iter().map(|(line, _)| (*line).to_owned()).collect(),
        turns,
        scripts: scripts.filter_map(|payload| payload["input"].as_str().map(str::to_owned)).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = r#"{"type":"session_meta","payload":{"id":"S","history_mode":"paginated"}}"#;
    const TURN: &str = r#"{"type":"event_msg","payload":{"type":"task_started"}}"#;
    const EXEC: &str = r#"{"payload":{"type":"custom_tool_call","name":"exec","input":"text(1)"}}"#;

    #[test]
    fn a_whole_session_is_taken_and_others_are_not() {
        let taken = capture(&[META, TURN, EXEC, TURN].join("\n")).unwrap().unwrap();
        assert_eq!((taken.session.as_str(), taken.turns, taken.lines.len()), ("S", 2, 3));
        assert_eq!((taken.scripts, taken.head.as_str()), (vec!["text(1)".to_owned()], META));
        let forked = META.replace("\"id\"", "\"forked_from_id\":\"P\",\"id\"");
        let legacy = META.replace("paginated", "legacy");
        for lines in [
            vec![],
            vec![META],
            vec![TURN, TURN],
            vec![META, TURN, META],
            vec![&forked, TURN],
            vec![&legacy, TURN],
        ] {
            assert!(capture(&lines.join("\n")).unwrap().is_none(), "{lines:?}");
        }
        assert!(capture("no JSON").is_err());
    }
}
