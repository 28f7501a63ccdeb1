//! Whose an executed item is: the four rules.
//!
//! An execution made inside a script has an id of its own and no word of its parent. Its owner is
//! 1. the one open script of its turn (also one in the background) whose text makes exactly this call, not yet seen to
//!    run;
//! 2. the one ended script of its turn whose text does, unless the execution began after the script had ended;
//! 3. the only open script of its turn (also one in the background), if its text makes some call of that kind that
//!    cannot be told from the text;
//! 4. none: it stands alone.
//!
//! Scripts of one answer run one after the other: of those not yet answered only the first runs (but for those in the
//! background).
//!
//! An execution is of the turn that started its script, wherever its record lies: Codex is seen to name that turn in
//! every position. Where the log names no turn, the scripts of earlier turns may have made it too; those of later ones
//! never. What is ambiguous is never guessed.

use super::call::Call;
use super::matching::{agrees, is_exact};
use super::reducer::CallRef;
use super::state::Ordinal;
use crate::tool_call::{Mark, Script, ToolCallDetail, ToolCallExecution};

/// A script that may be the owner.
pub(super) struct Candidate<'a> {
    pub(super) at: CallRef,
    /// The turn of the script.
    pub(super) ordinal: Ordinal,
    pub(super) call: &'a Call,
}

/// The turn of an execution.
#[derive(Debug, Clone, Copy)]
pub(super) enum ItsTurn {
    /// The log names it.
    Named(Ordinal),
    /// The log names none: this one was open.
    Open(Ordinal),
}

/// The owner, if the rules tell one.
pub(super) fn owner(
    candidates: &[Candidate<'_>],
    turn: ItsTurn,
    executed: &ToolCallExecution,
    cwd: Option<&str>,
) -> Option<CallRef> {
    let possible = || {
        candidates.iter().filter(|c| match turn {
            ItsTurn::Named(turn) => c.ordinal == turn,
            ItsTurn::Open(turn) => c.ordinal <= turn,
        })
    };
    let is_open = |c: &&Candidate<'_>| c.call.is_open_wrapper();
    let first = possible().find(|c| is_open(c) && !c.call.is_open_cell()).map(|c| c.at);
    let runs = |c: &&Candidate<'_>| is_open(c) && (c.call.is_open_cell() || first == Some(c.at));
    let makes_it = |c: &&Candidate<'_>| free_exact_site(c.call, &executed.detail, cwd).is_some();
    let was_there = |c: &&Candidate<'_>| match (executed.started_at, c.call.ended_at) {
        (Some(began), Some(ended)) => began <= ended,
        (None, _) | (_, None) => true,
    };
    for may_run in [true, false] {
        match Found::of(possible().filter(|c| is_open(c) && runs(c) == may_run).filter(makes_it)) {
            Found::One(only) => return Some(only.at),
            Found::Several => return None,
            Found::None => {}
        }
    }
    match Found::of(possible().filter(|c| !is_open(c)).filter(makes_it).filter(was_there)) {
        Found::One(only) => return Some(only.at),
        Found::Several => return None,
        Found::None => {}
    }
    let may_make_it =
        |script: &Script| script.calls.iter().any(|c| c.is_open() && c.may_be(executed.detail.kind()));
    match Found::of(possible().filter(runs)) {
        Found::One(only) => {
            only.call.unwrapped().is_some_and(|script| may_make_it(script)).then_some(only.at)
        }
        Found::Several | Found::None => None,
    }
}

/// How many candidates there are.
enum Found<'a> {
    None,
    One(&'a Candidate<'a>),
    Several,
}

impl<'a> Found<'a> {
    fn of(mut candidates: impl Iterator<Item = &'a Candidate<'a>>) -> Self {
        match (candidates.next(), candidates.next()) {
            (None, _) => Self::None,
            (Some(only), None) => Self::One(only),
            (Some(_), Some(_)) => Self::Several,
        }
    }
}

/// The call site within its script that an execution is of.
///
/// The exact one not yet taken; else an unresolved one whose static parts agree; else one that stands for several.
/// `None`: the text does not tell, the execution is added at the end.
pub(super) fn site_of(call: &Call, executed: &ToolCallDetail, cwd: Option<&str>) -> Option<usize> {
    let script = call.unwrapped()?;
    let free = |site: &usize| !call.site_is_taken(*site);
    let repeats = |site: &usize| script.calls[*site].marks.has(Mark::Repeat);
    let agreeing = |script: &Script| -> Vec<usize> {
        let open = |(_, c): &(usize, &crate::tool_call::ScriptCall)| {
            c.marks.has(Mark::Unresolved) || c.marks.has(Mark::Repeat)
        };
        let sites = script.calls.iter().enumerate().filter(open);
        sites.filter(|(_, c)| agrees(c, executed, cwd)).map(|(site, _)| site).collect()
    };
    free_exact_site(call, executed, cwd).or_else(|| {
        let sites = agreeing(script);
        let once = sites.iter().find(|site| free(site) && !repeats(site));
        once.or_else(|| sites.iter().find(|site| repeats(site))).copied()
    })
}

/// An exact call site that is not taken; one whose working directory is given too before one that leaves it open.
fn free_exact_site(call: &Call, executed: &ToolCallDetail, cwd: Option<&str>) -> Option<usize> {
    let script = call.unwrapped()?;
    let fits = |site: &usize| {
        let of_script = &script.calls[*site];
        (of_script.marks.has(Mark::Repeat) || !call.site_is_taken(*site))
            && is_exact(of_script, executed, cwd)
    };
    let leaves_workdir_open = |site: &usize| matches!(&script.calls[*site].detail, ToolCallDetail::Command(command) if command.workdir.is_none());
    let sites = 0..script.calls.len();
    sites.clone().filter(fits).find(|site| !leaves_workdir_open(site)).or_else(|| {
        let mut sites = sites;
        sites.find(fits)
    })
}
