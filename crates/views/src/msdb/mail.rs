//! Database Mail: what was sent, is waiting and failed, with attachments and events.

use millpond_catalog::system_view::ViewDef;
use millpond_types::DateTime;

use crate::catalog::nothing::nothing;
use crate::columns::{Char, NVarChar, NVarCharMax, Sysname, VarBinaryMax, VarChar, VarCharMax};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A mail: a row of `msdb.dbo.sysmail_allitems` and of the views of those in one state.
    struct SysmailItem {
        mailitem_id: Option<i32>,
        profile_id: Option<i32>,
        recipients: Option<VarCharMax>,
        copy_recipients: Option<VarCharMax>,
        blind_copy_recipients: Option<VarCharMax>,
        subject: Option<NVarChar<510>>,
        body: Option<VarCharMax>,
        body_format: Option<VarChar<20>>,
        importance: Option<VarChar<6>>,
        sensitivity: Option<VarChar<12>>,
        file_attachments: Option<VarCharMax>,
        attachment_encoding: Option<VarChar<20>>,
        query: Option<VarCharMax>,
        execute_query_database: Option<Sysname>,
        attach_query_result_as_file: Option<bool>,
        query_result_header: Option<bool>,
        query_result_width: Option<i32>,
        query_result_separator: Option<Char<1>>,
        exclude_query_output: Option<bool>,
        append_query_error: Option<bool>,
        send_request_date: Option<DateTime>,
        send_request_user: Option<Sysname>,
        sent_account_id: Option<i32>,
        sent_status: Option<VarChar<8>>,
        sent_date: Option<DateTime>,
        last_mod_date: Option<DateTime>,
        last_mod_user: Option<Sysname>,
    }
}

/// No mail.
const NO_ITEMS: &ViewRows<SysmailItem> = &ViewRows(|_, _| Ok(Rows::new()));

/// `msdb.dbo.sysmail_allitems`: none.
pub(super) static SYSMAIL_ALLITEMS: ViewDef = view("dbo", "sysmail_allitems", NO_ITEMS);

/// `msdb.dbo.sysmail_faileditems`: none.
pub(super) static SYSMAIL_FAILEDITEMS: ViewDef = view("dbo", "sysmail_faileditems", NO_ITEMS);

/// `msdb.dbo.sysmail_sentitems`: none.
pub(super) static SYSMAIL_SENTITEMS: ViewDef = view("dbo", "sysmail_sentitems", NO_ITEMS);

/// `msdb.dbo.sysmail_unsentitems`: none.
pub(super) static SYSMAIL_UNSENTITEMS: ViewDef = view("dbo", "sysmail_unsentitems", NO_ITEMS);

nothing! {
    in "dbo":
    SYSMAIL_EVENT_LOG SysmailEventLog "sysmail_event_log" { log_id: i32, event_type: VarChar<11>, log_date: DateTime,
        description: NVarCharMax, process_id: i32, mailitem_id: i32, account_id: i32, last_mod_date: DateTime,
        last_mod_user: Sysname, }
    SYSMAIL_MAILATTACHMENTS SysmailMailattachments "sysmail_mailattachments" { attachment_id: i32, mailitem_id: i32,
        filename: NVarChar<520>, filesize: i32, attachment: VarBinaryMax, last_mod_date: DateTime,
        last_mod_user: Sysname, }
}
