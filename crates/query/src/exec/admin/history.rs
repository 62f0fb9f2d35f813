//! What msdb keeps of backups and restores: rows of `backupset`, `backupmediafamily`, `restorehistory` and their kin, written when
//! one has succeeded.
//!
//! ```text
//!   BACKUP, RESTORE ──report──▶ one text of INSERTs ──▶ an inner session as dbo of msdb
//!                                   └─ before it: each table that is a view without rows still (`views/src/msdb`) is made of it
//! ```
//! What always holds:
//! - H1: a history that cannot be written is 3009 and its cause, and changes nothing of what has succeeded.
//! - H2: the rows of one backup or restore are one transaction.
//! - H3: they are written as dbo of msdb, who has no rights outside of it: triggers and functions that users of msdb put behind these
//!   tables gain nothing on the server or in another database.

use std::fmt::Write;

use millpond_builtin::{bracketed, unicode_literal};
use millpond_engine::admin::backup_rows::{
    SetNames, backed_up, groups_of, guid, kind, moment, number_of_lsn, restored, spaces_now,
};
use millpond_engine::engine::Engine;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::backup::{BackupReport, RestoreRequest};
use millpond_storage::contract::DbId;

use crate::exec::admin::msdb::Owner;
use crate::exec::batch::BatchRun;

/// The tables that are written, each after those that it refers to.
const TABLES: [&str; 8] = [
    "backupmediaset",
    "backupmediafamily",
    "backupset",
    "backupfile",
    "backupfilegroup",
    "restorehistory",
    "restorefile",
    "restorefilegroup",
];

/// Tables whose first column numbers their rows.
const NUMBERED: [&str; 3] = ["backupmediaset", "backupset", "restorehistory"];

/// The server, and the login that backs up.
fn of_server<'r>(run: &'r BatchRun<'_>) -> (&'r Engine, &'r str) {
    (&run.ctx.engine, &run.ctx.facts.security.login_name)
}

/// Notes a backup.
///
/// # Errors
/// 3009, where a TRY waits.
pub(super) fn note_backup(
    run: &mut BatchRun<'_>,
    report: &BackupReport,
    path: &str,
    names: &SetNames,
) -> SqlResult<()> {
    let mut text = String::new();
    backed_up(&mut text, of_server(run), report, path, names);
    write_in_msdb(run, &text)
}

/// Notes a restore; the backup too, where it was made elsewhere.
///
/// # Errors
/// 3009, where a TRY waits.
pub(super) fn note_restore(
    run: &mut BatchRun<'_>,
    report: &BackupReport,
    path: &str,
    request: &RestoreRequest,
) -> SqlResult<()> {
    let header = &report.header;
    let mut text = format!(
        "SELECT @set = max(backup_set_id) FROM dbo.backupset WHERE database_guid = {} AND type = '{}' AND first_lsn = {} \
         AND last_lsn = {};\nIF @set IS NULL BEGIN\n",
        guid(&header.guid),
        kind(header),
        number_of_lsn(&header.first_lsn),
        number_of_lsn(&report.end.last_lsn),
    );
    restored(&mut text, of_server(run), report, path, &request.name);
    let stop_at = request.stop_at_us.map_or_else(|| "NULL".to_owned(), |utc_us| moment(&run.ctx.engine, utc_us));
    let _ = write!(
        text,
        "END;\nINSERT dbo.restorehistory (restore_date, destination_database_name, user_name, backup_set_id, restore_type, \
         replace, recovery, restart, stop_at, device_count, stop_before) VALUES (getdate(), {}, {}, @set, '{}', {}, {}, 0, \
         {stop_at}, 1, 0);\nSET @restore = scope_identity();\n",
        unicode_literal(&request.name),
        unicode_literal(&run.ctx.facts.security.login_name),
        kind(header),
        u8::from(request.replace),
        u8::from(!request.no_recovery),
    );
    for file in &header.files {
        let moved = request.moves.iter().find(|(name, _)| millpond_catalog::names_equal(name, &file.name));
        let path = moved.map_or_else(|| file.path.clone(), |(_, path)| path.display().to_string());
        let _ = writeln!(
            text,
            "INSERT dbo.restorefile (restore_history_id, file_number, destination_phys_name) VALUES (@restore, {}, {});",
            file.file_id,
            unicode_literal(&path),
        );
    }
    for group in groups_of(header, &spaces_now(&run.ctx.engine, &request.name)) {
        let _ = writeln!(
            text,
            "INSERT dbo.restorefilegroup (restore_history_id, filegroup_name) VALUES (@restore, {});",
            unicode_literal(&group.name),
        );
    }
    write_in_msdb(run, &text)
}

/// Notes that a database was put back to a snapshot of it, which is no backup and has no files of its own.
///
/// # Errors
/// 3009, where a TRY waits.
pub(super) fn note_revert(run: &mut BatchRun<'_>, name: &str) -> SqlResult<()> {
    let text = format!(
        "INSERT dbo.restorehistory (restore_date, destination_database_name, user_name, restore_type, replace, recovery, \
         restart, device_count) VALUES (getdate(), {}, {}, 'R', 0, 1, 0, 1);\n",
        unicode_literal(name),
        unicode_literal(&run.ctx.facts.security.login_name),
    );
    write_in_msdb(run, &text)
}

/// H1, H2. `text` uses `@media`, `@set` and `@restore`.
fn write_in_msdb(run: &mut BatchRun<'_>, text: &str) -> SqlResult<()> {
    let engine = &run.ctx.engine;
    // H3; and it waits for locks as long as the session that backs up wants to.
    let mut owner = Owner::new(engine, &run.session.shared, run.ctx.facts.settings.lock_timeout);
    let tables: String = TABLES.iter().filter_map(|name| made(engine, name)).collect();
    let rows = format!(
        "SET XACT_ABORT, NOCOUNT ON;\nBEGIN TRANSACTION;\nDECLARE @media int, @set int, @restore int;\n{text}COMMIT;\n"
    );
    // A text is bound as a whole: where a table is a view still, no statement of it can write that name.
    let wrote = owner.make(&tables, TABLES.len()).and_then(|()| owner.run(&rows));
    let Err(causes) = wrote else { return Ok(()) };
    // The backup has succeeded; its statement was cancelled all the same.
    run.ctx.heed_cancel()?;
    run.complain(SqlError::of(3009, 1, &[]))?;
    causes.iter().for_each(|cause| run.sink.message(cause));
    Ok(())
}

/// The statement that makes a table where it is a view still; nothing without such a view.
fn made(engine: &Engine, name: &str) -> Option<String> {
    let view = (engine.registry().view)(DbId::MSDB, "dbo", name)?;
    let columns = view.columns.iter().enumerate().map(|(at, column)| {
        let is_number = at == 0 && NUMBERED.contains(&name);
        let rest = if is_number { "IDENTITY (1, 1) PRIMARY KEY" } else { "NULL" };
        format!("{} {} {rest}", bracketed(column.name), column.sql)
    });
    let columns = columns.collect::<Vec<_>>().join(", ");
    Some(format!("IF OBJECT_ID(N'dbo.{name}', N'U') IS NULL CREATE TABLE dbo.{name} ({columns});\n"))
}
