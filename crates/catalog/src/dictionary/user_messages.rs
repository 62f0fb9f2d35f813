//! Messages of users as a text among those of modules in master, and back.
//!
//! ```text
//!   number  language  severity  logged  text
//! ```
//! A line each, with tabs between; without any there is no text.
//!
//! What always holds: one transaction at a time changes them, under a lock of all of them to its end; a message in another language
//! than English stands beside an English one of its severity. A rollback reads all of them again.

use std::fmt::Write as _;
use std::sync::Arc;

use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_txn::Resource;
use millpond_txn::lock::LockMode;

use super::codec::damaged;
use super::{Dictionary, Io, names};
use crate::ObjectId;
use crate::run::user_message::{UserMessage, UserMessages};

/// The number under which the text lies among those of modules; types have others below zero.
const TEXT: ObjectId = ObjectId(i32::MIN + 9);

/// Changes them: the text under the transaction, what is in memory at once.
///
/// # Errors
/// 1222, 1205; what `change` gives, and what the rows' change gives.
pub fn change(
    dictionary: &Dictionary,
    io: &mut Io<'_, '_>,
    change: impl FnOnce(&mut UserMessages) -> SqlResult<()>,
) -> SqlResult<()> {
    let resource = Resource::metadata(dictionary.database(), names::USER_MESSAGES, 0);
    names::lock(dictionary, io, resource, "message", LockMode::SchM)?;
    let mut messages = UserMessages::clone(&dictionary.catalog.objects().user_messages);
    change(&mut messages)?;
    dictionary.put_text(io, TEXT, super::USER_MESSAGES_EVENT, &text_of(&messages))?;
    dictionary.catalog.change(|objects| objects.user_messages = Arc::new(messages));
    Ok(())
}

/// Reads them anew.
pub(super) fn load(dictionary: &Dictionary, io: &mut Io<'_, '_>) -> SqlResult<()> {
    if dictionary.database() != DbId::MASTER {
        return Ok(());
    }
    let messages = read(&dictionary.text(io, TEXT)?)?;
    dictionary.catalog.change(|objects| objects.user_messages = Arc::new(messages));
    Ok(())
}

fn text_of(messages: &UserMessages) -> String {
    let mut out = String::new();
    for ((number, language), message) in messages {
        let (severity, is_logged) = (message.severity, u8::from(message.is_logged));
        let text = escaped(&message.text);
        let _ = writeln!(out, "{number}\t{language}\t{severity}\t{is_logged}\t{text}");
    }
    out
}

fn read(text: &str) -> SqlResult<UserMessages> {
    let mut messages = UserMessages::new();
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        let mut fields = line.splitn(5, '\t');
        let mut field = || fields.next().ok_or_else(|| damaged("a line of the messages of users is too short"));
        let no_number = |_| damaged("a line of the messages of users has no number where one belongs");
        let key = (field()?.parse().map_err(no_number)?, field()?.parse().map_err(no_number)?);
        let severity = field()?.parse().map_err(no_number)?;
        let is_logged = field()? == "1";
        messages.insert(key, UserMessage { severity, is_logged, text: unescaped(field()?) });
    }
    Ok(messages)
}

/// A text without ends of lines.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

/// The text that [`escaped`] made it of.
pub(super) fn unescaped(text: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(text.len()), text.chars());
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some(other)) => out.push(other),
            (c, _) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::user_message::ENGLISH;

    #[test]
    fn what_is_written_is_read() {
        let mut messages = UserMessages::new();
        let message = |text: &str| UserMessage { severity: 16, is_logged: true, text: text.to_owned() };
        messages.insert((50_001, ENGLISH), message("a\tb\\n\r\nc %s"));
        messages.insert((i32::MAX, 1031), message(""));
        assert_eq!(read(&text_of(&messages)).unwrap(), messages);
    }

    #[test]
    fn damage_is_an_error() {
        for text in ["x", "1\t2", "1\t2\t3\t0", "1\tx\t3\t0\ttext", "1\t2\t999\t0\ttext"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
