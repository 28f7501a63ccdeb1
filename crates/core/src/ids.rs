//! Newtypes for every identifier that crosses a port.
//!
//! An id is opaque text that somebody else chose (an agent, a platform): it is compared and printed, never parsed.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the id as it was given.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id)
            }
        }
    };
}

id! {
    /// One session (thread) of an agent: one log file.
    SessionId
}
id! {
    /// One turn of a session: from the user's message to the agent's final answer.
    TurnId
}
id! {
    /// A tool call's id as the log has it. Not unique by itself: see [`CallKey`](crate::tool_call::CallKey).
    CallId
}
