//! Messages that users have added to the server; they lie in master.

use std::collections::BTreeMap;

/// The language that each message is in: us_english, as `sys.messages` counts.
pub const ENGLISH: i16 = 1033;

/// A message that a user has added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserMessage {
    /// Severity, the same in all languages.
    pub severity: u8,
    /// Each time it is raised it goes into the error log.
    pub is_logged: bool,
    /// Text with its places.
    pub text: String,
}

/// Messages by number and language.
pub type UserMessages = BTreeMap<(i32, i16), UserMessage>;
