//! `sys.messages`: the table of messages that errors are made from, in English. No user adds to it: there is no
//! `sp_addmessage`.
//!
//! <https://learn.microsoft.com/sql/relational-databases/system-catalog-views/messages-for-errors-catalog-views-sys-messages>

use millpond_catalog::system_view::ViewDef;
use millpond_message::table::{Row, rows};
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIT, INT, SMALLINT, TINYINT, bit, col, int, nvarchar};

/// us_english
const ENGLISH: i16 = 1033;

/// `sys.messages`
pub static MESSAGES: ViewDef = ViewDef {
    schema: "sys",
    name: "messages",
    columns: &[
        col("message_id", INT),
        col("language_id", SMALLINT),
        col("severity", TINYINT),
        col("is_event_logged", BIT),
        col("text", nvarchar(2048)),
    ],
    rows: &ViewRows(|_, _| Ok(rows().iter().map(message).collect())),
};

fn message(row: &Row) -> Vec<Value> {
    vec![
        int(row.number),
        Value::SmallInt(ENGLISH),
        Value::TinyInt(row.severity),
        bit(row.is_logged),
        Value::str(row.text),
    ]
}
