//! `sys.messages`: the table of messages that errors are made from, in English, and those that users have added.
//!
//! <https://learn.microsoft.com/sql/relational-databases/system-catalog-views/messages-for-errors-catalog-views-sys-messages>

use millpond_catalog::system_view::ViewDef;
use millpond_catalog::user_message::{ENGLISH, UserMessage};
use millpond_message::table::{Row, rows};
use millpond_storage::contract::DbId;

use crate::columns::{NVarChar, text};
use crate::row::{ViewRows, row, view};

row! {
    /// A row of `sys.messages`.
    struct Messages {
        message_id: i32,
        language_id: i16,
        severity: u8,
        is_event_logged: bool,
        text: NVarChar<2048>,
    }
}

/// `sys.messages`
pub static MESSAGES: ViewDef = view(
    "sys",
    "messages",
    &ViewRows(|ctx, _| {
        let master = ctx.engine.databases().dictionary(DbId::MASTER)?.catalog().objects();
        Ok(rows().map(message).chain(master.user_messages.iter().map(of_user)).collect())
    }),
);

fn of_user(((number, language), message): (&(i32, i16), &UserMessage)) -> Messages {
    Messages {
        message_id: *number,
        language_id: *language,
        severity: message.severity,
        is_event_logged: message.is_logged,
        text: text(&message.text),
    }
}

fn message(row: &Row) -> Messages {
    Messages {
        message_id: row.number,
        language_id: ENGLISH,
        severity: row.severity,
        is_event_logged: row.is_logged,
        text: text(row.text),
    }
}
