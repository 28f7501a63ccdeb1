//! What the rows to come are about: calls that wait for results, work in the background, the task list. Bounded.

use std::collections::VecDeque;

use larkspan_core::ids::TurnId;
use larkspan_core::tool_call::ToolKind;
use serde::{Deserialize, Serialize};

/// How many calls wait at most. Those of one answer run side by side; there are few.
const CALLS: usize = 256;
/// How much goes on in the background at most.
const BACKGROUND: usize = 64;
/// How many entries of the task list are remembered.
const TASKS: usize = 256;

/// A list of the newest entries.
fn push<T>(list: &mut VecDeque<T>, entry: T, bound: usize) {
    list.push_back(entry);
    if list.len() > bound {
        list.pop_front();
    }
}

/// A call that waits for its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) id: String,
    pub(super) kind: ToolKind,
    /// The turn it was made in.
    pub(super) turn: Option<TurnId>,
}

/// The calls that wait for their results.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Calls(VecDeque<Asked>);

impl Calls {
    pub(super) fn insert(&mut self, asked: Asked) {
        push(&mut self.0, asked, CALLS);
    }

    /// The newest call with this id, which waits no more.
    pub(super) fn take(&mut self, id: &str) -> Option<Asked> {
        let at = self.0.iter().rposition(|asked| asked.id == id)?;
        self.0.remove(at)
    }
}

/// A call whose work goes on after its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct InBackground {
    /// The id it goes on under.
    pub(super) task: String,
    pub(super) call: Asked,
}

/// What goes on in the background.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Background(VecDeque<InBackground>);

impl Background {
    pub(super) fn insert(&mut self, work: InBackground) {
        push(&mut self.0, work, BACKGROUND);
    }

    /// The work of this call, or under this id, which is over.
    pub(super) fn take(&mut self, call: Option<&str>, task: Option<&str>) -> Option<InBackground> {
        let is_it =
            |work: &InBackground| call == Some(&work.call.id) || call.is_none() && task == Some(&work.task);
        let at = self.0.iter().rposition(is_it)?;
        self.0.remove(at)
    }
}

/// The agent's task list: number and subject of each entry.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tasks(VecDeque<(String, String)>);

impl Tasks {
    pub(super) fn insert(&mut self, id: String, subject: String) {
        self.0.retain(|(known, _)| *known != id);
        push(&mut self.0, (id, subject), TASKS);
    }

    pub(super) fn subject(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == id).map(|(_, subject)| subject.as_str())
    }
}
