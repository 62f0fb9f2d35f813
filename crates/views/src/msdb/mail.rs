//! Database Mail: what was sent, is waiting and failed, with attachments and events.

use millpond_catalog::system_view::ViewDef;
use millpond_types::DateTime;

use crate::columns::{Char, NVarChar, NVarCharMax, Sysname, VarBinaryMax, VarChar, VarCharMax};
use crate::msdb::tables;
use crate::row::{Rows, ViewRows, row, view};

tables! {
    SYSMAIL_ALLITEMS SysmailAllitems "sysmail_allitems" { mailitem_id: i32, profile_id: i32, recipients: VarCharMax,
        copy_recipients: VarCharMax, blind_copy_recipients: VarCharMax, subject: NVarChar<510>, body: VarCharMax,
        body_format: VarChar<20>, importance: VarChar<6>, sensitivity: VarChar<12>, file_attachments: VarCharMax,
        attachment_encoding: VarChar<20>, query: VarCharMax, execute_query_database: Sysname,
        attach_query_result_as_file: bool, query_result_header: bool, query_result_width: i32,
        query_result_separator: Char<1>, exclude_query_output: bool, append_query_error: bool,
        send_request_date: DateTime, send_request_user: Sysname, sent_account_id: i32, sent_status: VarChar<8>,
        sent_date: DateTime, last_mod_date: DateTime, last_mod_user: Sysname, }
    SYSMAIL_EVENT_LOG SysmailEventLog "sysmail_event_log" { log_id: i32, event_type: VarChar<11>, log_date: DateTime,
        description: NVarCharMax, process_id: i32, mailitem_id: i32, account_id: i32, last_mod_date: DateTime,
        last_mod_user: Sysname, }
    SYSMAIL_FAILEDITEMS SysmailFaileditems "sysmail_faileditems" { mailitem_id: i32, profile_id: i32,
        recipients: VarCharMax, copy_recipients: VarCharMax, blind_copy_recipients: VarCharMax,
        subject: NVarChar<510>, body: VarCharMax, body_format: VarChar<20>, importance: VarChar<6>,
        sensitivity: VarChar<12>, file_attachments: VarCharMax, attachment_encoding: VarChar<20>, query: VarCharMax,
        execute_query_database: Sysname, attach_query_result_as_file: bool, query_result_header: bool,
        query_result_width: i32, query_result_separator: Char<1>, exclude_query_output: bool,
        append_query_error: bool, send_request_date: DateTime, send_request_user: Sysname, sent_account_id: i32,
        sent_status: VarChar<8>, sent_date: DateTime, last_mod_date: DateTime, last_mod_user: Sysname, }
    SYSMAIL_MAILATTACHMENTS SysmailMailattachments "sysmail_mailattachments" { attachment_id: i32, mailitem_id: i32,
        filename: NVarChar<520>, filesize: i32, attachment: VarBinaryMax, last_mod_date: DateTime,
        last_mod_user: Sysname, }
    SYSMAIL_SENTITEMS SysmailSentitems "sysmail_sentitems" { mailitem_id: i32, profile_id: i32,
        recipients: VarCharMax, copy_recipients: VarCharMax, blind_copy_recipients: VarCharMax,
        subject: NVarChar<510>, body: VarCharMax, body_format: VarChar<20>, importance: VarChar<6>,
        sensitivity: VarChar<12>, file_attachments: VarCharMax, attachment_encoding: VarChar<20>, query: VarCharMax,
        execute_query_database: Sysname, attach_query_result_as_file: bool, query_result_header: bool,
        query_result_width: i32, query_result_separator: Char<1>, exclude_query_output: bool,
        append_query_error: bool, send_request_date: DateTime, send_request_user: Sysname, sent_account_id: i32,
        sent_status: VarChar<8>, sent_date: DateTime, last_mod_date: DateTime, last_mod_user: Sysname, }
    SYSMAIL_UNSENTITEMS SysmailUnsentitems "sysmail_unsentitems" { mailitem_id: i32, profile_id: i32,
        recipients: VarCharMax, copy_recipients: VarCharMax, blind_copy_recipients: VarCharMax,
        subject: NVarChar<510>, body: VarCharMax, body_format: VarChar<20>, importance: VarChar<6>,
        sensitivity: VarChar<12>, file_attachments: VarCharMax, attachment_encoding: VarChar<20>, query: VarCharMax,
        execute_query_database: Sysname, attach_query_result_as_file: bool, query_result_header: bool,
        query_result_width: i32, query_result_separator: Char<1>, exclude_query_output: bool,
        append_query_error: bool, send_request_date: DateTime, send_request_user: Sysname, sent_account_id: i32,
        sent_status: VarChar<8>, sent_date: DateTime, last_mod_date: DateTime, last_mod_user: Sysname, }
}
