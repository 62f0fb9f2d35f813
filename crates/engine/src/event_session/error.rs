//! Failures of targets as errors of statements.

use millpond_events::file::FileError;
use millpond_message::error::SqlError;

/// 25602: a target cannot begin, with the reason.
pub(super) fn of_file(failure: &FileError) -> SqlError {
    SqlError::of(25_602, 22, &[&"target", &"package0.event_file", &failure])
}

/// 25710: which session it was that could not begin.
pub(super) fn not_started(name: &str) -> SqlError {
    SqlError::of(25_710, 1, &[&name])
}

/// 15151: there is no such session.
pub(super) fn no_session(verb: &str, name: &str) -> SqlError {
    SqlError::of(15_151, 1, &[&verb, &"event session", &name])
}
