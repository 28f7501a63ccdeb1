//! What stands around a turn's items: header, tags, tasks, status, summary.

use larkspan_core::redaction::redact;
use larkspan_core::text::{clip, collapse_whitespace};
use larkspan_core::transcript::{Role, TurnOutcome};
use larkspan_core::turn::{ItemContent, Turn};

use super::element::{Color, Config, Element, Header, Markdown};
use super::markdown::outbound;
use super::mask::{Domains, emails};
use super::{Phase, View, status, tasks, words};

/// Code points of a title, a tag and a summary.
const TITLE: usize = 60;
const TAG: usize = 40;
const SUMMARY: usize = 60;

/// What stands around the items.
pub(super) struct Frame {
    pub(super) config: Config,
    pub(super) header: Header,
    pub(super) tags: Option<Element>,
    /// Tasks and status.
    pub(super) foot: Vec<Element>,
}

pub(super) fn frame(view: &View<'_>) -> Frame {
    Frame {
        config: Config::new(view.phase == Phase::Live, summary(view)),
        header: header(view),
        tags: tags(view),
        foot: foot(view),
    }
}

/// Text on one line, without the marks that would stand there as they are.
fn plain(text: &str, most: usize) -> String {
    let masked = redact(text);
    let masked = emails(&masked, Domains::Any).replace(['`', '*'], "");
    clip(&collapse_whitespace(&masked), most).into_owned()
}

fn said(turn: &Turn, role: Role) -> impl DoubleEndedIterator<Item = &str> {
    turn.items.iter().filter_map(move |item| match &item.content {
        ItemContent::Message(message) if message.role == role && !message.text.trim().is_empty() => {
            Some(message.text.as_ref())
        }
        ItemContent::Message(_)
        | ItemContent::Reasoning(_)
        | ItemContent::Plan(_)
        | ItemContent::ToolCall(_)
        | ItemContent::Goal(_)
        | ItemContent::Notice(_) => None,
    })
}

/// Where the agent works.
fn folder(view: &View<'_>) -> Option<String> {
    let cwd = view.session?.cwd.as_deref()?;
    let name = cwd.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?;
    (!name.is_empty()).then(|| plain(name, TAG))
}

fn header(view: &View<'_>) -> Header {
    let request = said(view.turn, Role::User).next().map(|text| plain(text, TITLE));
    let request = request.unwrap_or_else(|| words::untitled(view.locale).to_owned());
    let title = match folder(view) {
        Some(folder) => format!("{folder} · {request}"),
        None => request,
    };
    let part = (view.part > 0).then(|| (words::part(view.locale, view.part), Color::Neutral));
    Header::new(title, part.into_iter().collect())
}

fn tags(view: &View<'_>) -> Option<Element> {
    let session = view.session?;
    let version =
        session.agent_version.as_deref().map(|version| format!("v{}", version.trim_start_matches('v')));
    let tags = [
        (Some(session.agent.clone()), Color::Orange),
        (session.model.clone(), Color::Turquoise),
        (version, Color::Neutral),
    ];
    let tags: Vec<String> = tags
        .into_iter()
        .filter_map(|(text, color)| {
            let text = plain(&text?, TAG).replace('&', "&#38;").replace('<', "&#60;");
            Some(format!("<text_tag color='{}'>{text}</text_tag>", color.name()))
        })
        .collect();
    Some(Element::Markdown(Markdown::small("runtime_meta_tags", tags.join(" "))))
}

fn foot(view: &View<'_>) -> Vec<Element> {
    let mut none = 0;
    let mut text = |text: &str| outbound(text, view.masking, &mut none);
    let (tasks, status) = match (view.phase, &view.turn.end) {
        (Phase::Sealed, _) => (None, ("streaming_status", words::goes_on(view.locale).to_owned())),
        (Phase::Final, Some(end)) => {
            (tasks::tasks(view.turn, view.locale), ("stream_done", status::done(view, end)))
        }
        (Phase::Live | Phase::Final, _) => {
            (tasks::tasks(view.turn, view.locale), ("streaming_status", status::live(view)))
        }
    };
    let tasks = tasks.map(|tasks| Element::Markdown(Markdown::new("streaming_tasks", text(&tasks))));
    let (id, status) = status;
    let status = Element::Markdown(Markdown::small(id, text(&status)));
    tasks.into_iter().chain([status]).collect()
}

/// What a list of chats shows.
fn summary(view: &View<'_>) -> String {
    let answer = || {
        let text = said(view.turn, Role::Agent).next_back()?;
        let mut lines = text.lines().map(|line| line.trim_matches(['#', '-', '*', '>', ' ']));
        Some(plain(lines.find(|line| !line.is_empty())?, SUMMARY))
    };
    match (view.phase, &view.turn.end) {
        (Phase::Sealed, _) => words::goes_on(view.locale).to_owned(),
        (Phase::Final, Some(end)) => {
            let answer = if end.outcome == TurnOutcome::Completed { answer() } else { None };
            answer.unwrap_or_else(|| words::outcome(view.locale, end.outcome).to_owned())
        }
        (Phase::Live | Phase::Final, _) if view.turn.items.is_empty() => {
            words::thinking(view.locale).to_owned()
        }
        (Phase::Live | Phase::Final, _) => words::working(view.locale).to_owned(),
    }
}
