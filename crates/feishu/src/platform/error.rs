//! Why the platform did not do what it was asked, cut by what the caller can do.

use std::time::Duration;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// Too many calls: not before this time has passed.
    #[error("too many requests: again in {:.1} s", .retry_after.as_secs_f64())]
    RateLimited {
        /// As told by the platform, else a second.
        retry_after: Duration,
    },
    /// The outcome is not known: no answer in time, a lost connection, an answer that cannot be read, a failure of the
    /// server. It may have been applied.
    #[error("{context}")]
    Unknown {
        /// What was being done, and what came instead of an answer.
        context: String,
        /// Why.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The call never reached the platform: it has not been applied.
    #[error("{context}")]
    Unreachable {
        /// What was being done, and what to check.
        context: String,
        /// Why.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The platform refused the call; nothing was applied, unless the rejection says otherwise.
    #[error("{context}")]
    Rejected {
        /// What it means for the caller.
        rejection: Rejection,
        /// The platform's code.
        code: i64,
        /// A sentence for a person: what was being done, what the platform says, what to do.
        context: String,
    },
}

/// What a refusal means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rejection {
    /// The sequence is not above the last one (300317): jump ahead, and replace the whole card.
    Sequence,
    /// The uuid was seen (200770): on a retry of the very same call it is already applied.
    UuidSeen,
    /// The stream's ten minutes are over (200850, 200510): open it again, or go on by replacing the card.
    StreamExpired,
    /// The card does not stream (300309): open the stream, or go on by replacing the card.
    StreamClosed,
    /// The card would be too large (200860, 230025, 300305, 11310 for elements): go on in another card.
    TooLarge,
    /// Too many tables (11310 for tables): fence them.
    TooManyTables,
    /// An image is none of the platform's (200570): leave images out. Also an image that is too large to be uploaded,
    /// with code 0.
    BadImage,
    /// Somebody interacts with the card (200810, 11310 for the lock): again in a moment.
    Locked,
    /// The new card is not known everywhere yet (230099/11310 `cardid is invalid`): again in a moment.
    NotYetVisible,
    /// The card is gone: unknown, expired, another app's (200740, 200750, 300311).
    CardGone,
    /// The message is gone: recalled, deleted, unknown, too old (230011, 231003, 230110, 230031).
    MessageGone,
    /// A part of the card is not as we believe (300301, 300313, 300314, 300315, 300121, 300122, 300312): replace the
    /// whole card.
    Diverged,
    /// The content was refused by an audit (230022, 230028): mask and send once more.
    Audit,
    /// The frequency limit of a chat or message (230020): skip this frame.
    ChatBusy,
    /// The message is being sent (230049): wait, with the same uuid.
    BeingSent,
    /// The chat cannot be written to (230002, 230006, 230013, 230001): the bot is not in it, or may not.
    Chat,
    /// The app's id or secret is wrong (10003, 10014; 99991661, 99991663, 99991664, 99991671 after a new token; any code
    /// that refuses a token).
    Credentials,
    /// A scope is missing (99991672, 99991679).
    Scope,
    /// The app may not call at all: address refused, quota used up (99991401, 99991403); or clicks have no receiver
    /// (200340, shown to the person who clicks).
    Forbidden,
    /// The platform's own failure (300120 and the like): again, later.
    Internal,
    /// The call itself is wrong, which is a defect of ours (10002, 99992402, 200621, 200861 …), or the code is not known.
    /// With code 0 it was not made at all.
    Defect,
}
