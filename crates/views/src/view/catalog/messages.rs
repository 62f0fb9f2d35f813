//! `sys.messages`: the table of messages that errors are made from, in English. No user adds to it: there is no
//! `sp_addmessage`.
//!
//! <https://learn.microsoft.com/sql/relational-databases/system-catalog-views/messages-for-errors-catalog-views-sys-messages>

use millpond_catalog::system_view::ViewDef;
use millpond_message::table::{Row, rows};

use crate::view::columns::{NVarChar, text};
use crate::view::row::{ViewRows, row, view};

/// us_english
const ENGLISH: i16 = 1033;

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
pub static MESSAGES: ViewDef = view("sys", "messages", &ViewRows(|_, _| Ok(rows().iter().map(message).collect())));

fn message(row: &Row) -> Messages {
    Messages {
        message_id: row.number,
        language_id: ENGLISH,
        severity: row.severity,
        is_event_logged: row.is_logged,
        text: text(row.text),
    }
}
