//! Whose an executed item is: the four rules.
//!
//! An execution made inside a script has an id of its own and no word of its parent. Its owner is
//! 1. the one open script of its turn (or script in the background of an earlier one) whose text makes exactly this
//!    call, not yet seen to run;
//! 2. the one ended script, of any turn, whose text does;
//! 3. the only open script of its turn (or in the background), if its text makes some call of that kind that cannot be
//!    told from the text;
//! 4. none: it stands alone.
//!
//! No script of a later turn can have made it. What is ambiguous is never guessed.

use super::call::Call;
use super::matching::{agrees, is_exact};
use super::reducer::CallRef;
use super::state::Ordinal;
use crate::tool_call::{Mark, Script, ToolCallDetail};

/// A script that may be the owner.
pub(super) struct Candidate<'a> {
    pub(super) at: CallRef,
    /// The turn of the script.
    pub(super) ordinal: Ordinal,
    pub(super) call: &'a Call,
}

/// The owner, if the rules tell one. `turn` is the item's turn.
pub(super) fn owner(
    candidates: &[Candidate<'_>],
    turn: Ordinal,
    executed: &ToolCallDetail,
    cwd: Option<&str>,
) -> Option<CallRef> {
    let possible = || candidates.iter().filter(|c| c.ordinal <= turn);
    let is_open =
        |c: &&Candidate<'_>| c.call.is_open_wrapper() && (c.ordinal == turn || c.call.is_open_cell());
    let makes_it = |c: &&Candidate<'_>| free_exact_site(c.call, executed, cwd).is_some();

    if let Some(only) = only_one(possible().filter(is_open).filter(makes_it)) {
        return Some(only);
    }
    let ended = || possible().filter(|c| !is_open(c)).filter(makes_it);
    let of_its_turn = only_one(ended().filter(|c| c.ordinal == turn));
    let none_of_its_turn = !ended().any(|c| c.ordinal == turn);
    if let Some(only) = of_its_turn.or_else(|| only_one(ended()).filter(|_| none_of_its_turn)) {
        return Some(only);
    }
    let mut open = possible().filter(is_open);
    match (open.next(), open.next()) {
        (Some(only), None) => only
            .call
            .unwrapped()
            .is_some_and(|script| script.calls.iter().any(|c| c.is_open() && c.may_be(executed.kind())))
            .then_some(only.at),
        _ => None,
    }
}

fn only_one<'a>(mut candidates: impl Iterator<Item = &'a Candidate<'a>>) -> Option<CallRef> {
    let first = candidates.next()?;
    candidates.next().is_none().then_some(first.at)
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
