//! Sessions of extended events as a text among those of modules in master, and back.
//!
//! ```text
//!   number  CREATE EVENT SESSION …
//! ```
//! A line each, with a tab between; without any there is no text.
//!
//! What always holds: one transaction at a time changes them, under a lock of all of them to its end. A rollback reads all of them
//! again. It does not know what is in the statements: the engine reads and writes them.

use std::fmt::Write as _;
use std::sync::Arc;

use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_txn::Resource;
use millpond_txn::lock::LockMode;

use super::codec::damaged;
use super::user_messages::{escaped, unescaped};
use super::{Dictionary, Io, names};
use crate::ObjectId;
use crate::event_session::EventSessions;

/// The number under which the text lies among those of modules; types have others below zero.
const TEXT: ObjectId = ObjectId(i32::MIN + 11);

/// Changes them: the text under the transaction, what is in memory at once.
///
/// # Errors
/// 1222, 1205; what `change` gives, and what the rows' change gives.
pub fn change<T>(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    change: impl FnOnce(&mut EventSessions) -> SqlResult<T>,
) -> SqlResult<T> {
    let resource = Resource::metadata(dictionary.database(), names::EVENT_SESSIONS, 0);
    names::lock(dictionary, io, resource, "event session", LockMode::SchM)?;
    let mut sessions = EventSessions::clone(&dictionary.catalog.objects().event_sessions);
    let changed = change(&mut sessions)?;
    dictionary.put_text(io, TEXT, super::EVENT_SESSIONS_EVENT, &text_of(&sessions))?;
    dictionary.catalog.change(|objects| objects.event_sessions = Arc::new(sessions));
    Ok(changed)
}

/// Reads them anew.
pub(super) fn load(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    if dictionary.database() != DbId::MASTER {
        return Ok(());
    }
    let sessions = read(&dictionary.text(io, TEXT)?)?;
    dictionary.catalog.change(|objects| objects.event_sessions = Arc::new(sessions));
    Ok(())
}

fn text_of(sessions: &EventSessions) -> String {
    let mut out = String::new();
    for (number, text) in sessions {
        let _ = writeln!(out, "{number}\t{}", escaped(text));
    }
    out
}

fn read(text: &str) -> SqlResult<EventSessions> {
    let session = |line: &str| {
        let (number, text) = line.split_once('\t').ok_or_else(|| damaged("an event session has no statement"))?;
        let number = number.parse().map_err(|_| damaged("an event session has no number"))?;
        Ok((number, Arc::from(unescaped(text))))
    };
    text.split('\n').filter(|line| !line.is_empty()).map(session).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_an_error() {
        let texts = ["CREATE EVENT SESSION [a\n\tb\\n\r] ON SERVER", ""];
        let sessions: EventSessions = (1..).zip(texts.map(Arc::from)).collect();
        assert_eq!(read(&text_of(&sessions)).unwrap(), sessions);
        for text in ["x", "x\ty", "\tcreate"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
