//! The settings that a scenario runs under.

use std::time::Duration;

use larkspan_tests::fake_feishu::{
    Audit, BareSettings, Batch, ChatLimit, EmptyMarkdown, EntityPatch, ErrorForm, FailedOperation, Images,
    PartialUpdate, StreamClock, StreamExpiry, Toggles, UuidReuse,
};

/// A setting and its name.
pub(super) type Setting = (&'static str, Toggles);

/// Turns one toggle.
type Turned = (&'static str, fn(&mut Toggles));

const TURNED: [Turned; 15] = [
    ("errors come with HTTP 200", |toggles| toggles.errors = ErrorForm::Ok),
    ("failed operations use up sequences", |toggles| {
        toggles.failed_operation = FailedOperation::ConsumesSequence;
    }),
    ("batches are applied step by step", |toggles| toggles.batch = Batch::StepByStep),
    ("a repeated uuid succeeds", |toggles| toggles.uuid_reuse = UuidReuse::Replays),
    ("a full update starts the stream anew", |toggles| toggles.stream_clock = StreamClock::ArmedByFullUpdate),
    ("an expired stream is closed at once", |toggles| toggles.stream_expiry = StreamExpiry::ClosedAtOnce),
    ("patches of card messages are refused", |toggles| toggles.entity_patch = EntityPatch::Refused),
    ("a new card is not known everywhere", |toggles| {
        toggles.card_visible_after = Duration::from_millis(1_500);
    }),
    ("five tables", |toggles| toggles.table_cap = 5),
    ("bare settings are refused", |toggles| toggles.bare_settings = BareSettings::Refused),
    ("partial updates are deep", |toggles| toggles.partial_update = PartialUpdate::Deep),
    ("empty Markdown is taken", |toggles| toggles.empty_markdown = EmptyMarkdown::Accepted),
    ("only uploaded images", |toggles| toggles.images = Images::Uploaded),
    ("a chat's limit has a code", |toggles| toggles.chat_limit = ChatLimit::Code),
    ("an audit", |toggles| toggles.audit = Audit::EmailsAndPhones),
];

/// The documented setting, each toggle turned by itself, and all of them.
pub(super) fn every() -> Vec<Setting> {
    let mut all = Toggles::default();
    let mut settings = vec![("as documented", Toggles::default())];
    for (name, turn) in TURNED {
        let mut toggles = Toggles::default();
        turn(&mut toggles);
        turn(&mut all);
        settings.push((name, toggles));
    }
    settings.push(("all turned", all));
    settings
}

/// Those of [`every`] under which this holds, beside the documented one.
pub(super) fn those(is: impl Fn(&str) -> bool) -> Vec<Setting> {
    let kept =
        every().into_iter().filter(|(name, _)| ["as documented", "all turned"].contains(name) || is(name));
    kept.collect()
}
