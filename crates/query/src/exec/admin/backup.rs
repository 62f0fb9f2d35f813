//! BACKUP and RESTORE: what the statements say becomes requests to storage, what it reports becomes messages and rows.
//!
//! What always holds: a failure of either is followed by 3013, and has changed nothing but what its own text says. A
//! restored database is recovered before anybody sees it, and its definitions are read anew.

use std::path::PathBuf;
use std::time::Instant;

use millpond_engine::admin::alone::Alone;
use millpond_engine::admin::backup_lists::{FILE_COLUMNS, HEADER_COLUMNS, file_row, header_row};
use millpond_engine::admin::backup_options::{check_options, has};
use millpond_engine::admin::backup_rows::{SetNames, filegroups};
use millpond_engine::stay;
use millpond_message as message;
use millpond_message::backup::{of_backup, of_restore};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::backup;
use millpond_storage::backup::format::BackupKind;
use millpond_storage::backup::{BackupOptions, BackupReport, RestoreRequest, restore};
use millpond_storage::database::Database;
use millpond_tsql::ast::{
    Backup, BackupDevice, Expr, NamedOption, OptionValue, Restore, RestoreWhat, Statement, StopAt,
};
use millpond_types::format::to_display;
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::admin::history::{note_backup, note_restore};
use crate::exec::admin::users::{opened, users_of};
use crate::exec::admin::{databases, snapshot};
use crate::exec::batch::{BatchRun, scalar, send_rows};
use millpond_engine::admin::file_spec::path_of;
use millpond_rights::statements;

/// The last message of BACKUP and RESTORE: pages and time.
fn send_end(run: &mut BatchRun<'_>, verb: &str, begun: Instant, pages: u64) {
    let seconds = begun.elapsed().as_secs_f64().max(0.001);
    let rate = pages as f64 / 128.0 / seconds;
    run.inform(3014, &[&verb, &pages, &format_args!("{seconds:.3}"), &format_args!("{rate:.3}")]);
}

pub(in crate::exec) fn backup(run: &mut BatchRun<'_>, statement: &Statement, backup: &Backup) -> SqlResult<()> {
    let verb = if backup.log { "BACKUP LOG" } else { "BACKUP DATABASE" };
    let done = back_up(run, statement, backup, verb);
    ended(run, done, verb)
}

fn back_up(run: &mut BatchRun<'_>, statement: &Statement, backup: &Backup, verb: &str) -> SqlResult<()> {
    not_in_restore_transaction(run)?;
    if !backup.parts.is_empty() || !backup.mirrors.is_empty() {
        return Err(message::missing(&format!("{verb} of parts or with mirrors")));
    }
    check_options(&backup.options, "BACKUP")?;
    let name = named(run, &backup.database)?;
    let db = run.ctx.engine.database_id(&name).ok_or_else(|| message::unknown_database(&name))?;
    statements::check_backup(&run.ctx, db, backup.log)?;
    let path = device(run, statement, &backup.devices, verb)?;
    if has(&backup.options, "COMPRESSION") {
        run.inform(49_901, &[&name]);
    }
    let names = set_names(run, statement, &backup.options)?;
    let options = BackupOptions {
        init: has(&backup.options, "INIT") || has(&backup.options, "FORMAT"),
        copy_only: has(&backup.options, "COPY_ONLY"),
        filegroups: filegroups(&run.ctx.engine, db),
    };
    let begun = Instant::now();
    let ask = run.ctx.ask_other();
    let instance = run.ctx.engine.instance();
    let made = stay::using(&run.ctx, &mut run.session.work, db, || match backup.log {
        true => backup::backup_log(instance.databases(), &ask, db, &path, options),
        false => backup::backup_database(instance.databases(), &ask, db, &path, options),
    });
    let report = made?.map_err(|cause| of_backup(cause, &name))?;
    let pages = send_files(run, &report, &name);
    note_backup(run, &report, &path.display().to_string(), &names)?;
    send_end(run, verb, begun, pages);
    Ok(())
}

/// What the set and its medium are called, and until when it is kept.
fn set_names(run: &mut BatchRun<'_>, statement: &Statement, options: &[NamedOption]) -> SqlResult<SetNames> {
    let mut names = SetNames::default();
    for option in options {
        let OptionValue::Constant(value) = &option.value else { continue };
        let of_len = |len| SqlType::NVarChar { len: MaxLen::Limited(len) };
        let (part, place, sql) = match option.name.as_str() {
            "NAME" => (2, &mut names.name, of_len(128)),
            "DESCRIPTION" => (3, &mut names.description, of_len(255)),
            "MEDIANAME" => (4, &mut names.media_name, of_len(128)),
            "MEDIADESCRIPTION" => (5, &mut names.media_description, of_len(255)),
            "EXPIREDATE" => (6, &mut names.expires, SqlType::DateTime),
            "RETAINDAYS" => (7, &mut names.retain_days, SqlType::Int),
            _ => continue,
        };
        let written = scalar::scalar(run, statement, part, value, Some(sql))?;
        *place = (!written.is_null()).then(|| to_display(&written, &sql).trim_end().to_owned());
    }
    Ok(names)
}

/// 4035 for each file with something in the backup; how many pages that is in all.
fn send_files(run: &mut BatchRun<'_>, report: &BackupReport, name: &str) -> u64 {
    let header = &report.header;
    let mut sent = Vec::new();
    let data: Vec<_> = header.files.iter().filter(|file| !file.log).collect();
    if header.kind == BackupKind::Full {
        // Storage counts all data files together; where there are several their sizes divide the sum.
        let size_pages: u64 = data.iter().map(|file| u64::from(file.size_pages)).sum::<u64>().max(1);
        let mut left = report.end.pages;
        for (at, file) in data.iter().enumerate() {
            let share = match at + 1 == data.len() {
                true => left,
                false => report.end.pages * u64::from(file.size_pages) / size_pages,
            };
            left -= share;
            sent.push((file.name.clone(), share));
        }
    }
    if let Some(file) = header.files.iter().find(|file| file.log) {
        sent.push((file.name.clone(), report.end.log_pages()));
    }
    for (file, pages) in &sent {
        run.inform(4035, &[&pages, &name, &file, &report.position]);
    }
    sent.iter().map(|(_, pages)| pages).sum()
}

pub(in crate::exec) fn restore(run: &mut BatchRun<'_>, statement: &Statement, restore: &Restore) -> SqlResult<()> {
    match &restore.what {
        RestoreWhat::Database(name) => {
            let done = restore_database(run, statement, restore, name, false);
            ended(run, done, "RESTORE DATABASE")
        }
        RestoreWhat::Log(name) => {
            let done = restore_database(run, statement, restore, name, true);
            ended(run, done, "RESTORE LOG")
        }
        RestoreWhat::HeaderOnly => {
            let done = restore_header(run, statement, restore);
            ended(run, done, "RESTORE HEADERONLY")
        }
        RestoreWhat::FileListOnly => {
            let done = restore_files(run, statement, restore);
            ended(run, done, "RESTORE FILELIST")
        }
        RestoreWhat::VerifyOnly => {
            let done = verified(run, statement, restore).map(|report| run.inform(3262, &[&report.position]));
            ended(run, done, "VERIFY DATABASE")
        }
        RestoreWhat::LabelOnly => Err(message::missing("RESTORE LABELONLY")),
    }
}

/// The end of the statement; a failure is followed by 3013.
fn ended(run: &mut BatchRun<'_>, done: SqlResult<()>, verb: &str) -> SqlResult<()> {
    let Err(error) = done else {
        run.done_without_count();
        return Ok(());
    };
    if error.number == message::CANCELLED || error.number == message::MISSING {
        return Err(error);
    }
    run.complain(error)?;
    Err(SqlError::of(3013, 1, &[&verb]))
}

fn restore_database(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    restore: &Restore,
    name: &str,
    is_log: bool,
) -> SqlResult<()> {
    not_in_restore_transaction(run)?;
    if !restore.parts.is_empty() {
        return Err(message::missing("RESTORE of parts"));
    }
    check_options(&restore.options, "RESTORE")?;
    let name = named(run, name)?;
    statements::check_restore(&run.ctx, &name)?;
    if let Some(source) = restore.snapshot.as_deref().filter(|_| !is_log) {
        return snapshot::put_back(run, &name, source);
    }
    let there = run.ctx.engine.database_id(&name);
    let mut alone = there.and_then(|id| Alone::once_left(&run.ctx, id));
    if there.is_some() && alone.as_ref().is_none_or(|alone| users_of(run, alone) > 0) {
        return Err(SqlError::of(3101, 1, &[]));
    }
    let begun = Instant::now();
    if restore.devices.is_empty() {
        let ask = run.ctx.ask_other();
        alone.iter_mut().for_each(Alone::shut);
        let finished = restore::restore_finish(databases(&run.ctx), &ask, &name);
        restored(run, alone.as_mut(), &*finished.map_err(|cause| of_restore(cause, &name))?)?;
        let verb = if is_log { "RESTORE LOG" } else { "RESTORE DATABASE" };
        send_end(run, verb, begun, 0);
        return Ok(());
    }
    let request = request(run, statement, restore, &name)?;
    let ask = run.ctx.ask_other();
    let instance = run.ctx.engine.instance();
    // What is reported of the backup is read first: afterwards its file may be another's.
    let report = restore::verify_backup(instance.databases(), &ask, &request.from, request.file.unwrap_or(1));
    let report = report.map_err(|cause| of_restore(cause, &name))?;
    alone.iter_mut().for_each(Alone::shut);
    let made = match is_log {
        true => restore::restore_log(instance.databases(), &ask, &request),
        false => restore::restore_claimed_database(instance.databases(), &ask, &request, &mut |db| {
            if instance.database(db).is_none() {
                alone = Some(Alone::made(&run.ctx, db));
            }
            alone.as_ref().is_some_and(|alone| alone.database() == db)
        }),
    };
    restored(run, alone.as_mut(), &*made.map_err(|cause| of_restore(cause, &name))?)?;
    let pages = send_files(run, &report, &name);
    note_restore(run, &report, &request.from.display().to_string(), &request)?;
    let verb = if is_log { "RESTORE LOG" } else { "RESTORE DATABASE" };
    send_end(run, verb, begun, pages);
    if !request.no_recovery && request.stays_restoring(&report) {
        run.inform(4322, &[]);
    }
    Ok(())
}

/// 3101 for one that came into being meanwhile.
fn restored(run: &mut BatchRun<'_>, alone: Option<&mut Alone>, database: &Database) -> SqlResult<()> {
    match alone.filter(|alone| alone.database() == database.id()) {
        Some(alone) => opened(run, alone, database),
        None => Err(SqlError::of(3101, 1, &[])),
    }
}

fn request(run: &mut BatchRun<'_>, statement: &Statement, restore: &Restore, name: &str) -> SqlResult<RestoreRequest> {
    let mut moves = Vec::new();
    for (at, (logical, path)) in restore.moves.iter().enumerate() {
        let part = u16::try_from(3 + 2 * at).map_err(|_| message::missing("RESTORE with so many files"))?;
        let logical = words(run, statement, part, logical)?;
        moves.push((logical, path_of(&words(run, statement, part + 1, path)?)?));
    }
    let stop_at_us = match &restore.stop {
        None => None,
        Some(StopAt::Time(time)) => Some(moment_utc_us(run, statement, time)?),
        Some(_) => return Err(message::missing("RESTORE … WITH STOPATMARK")),
    };
    Ok(RestoreRequest {
        from: device(run, statement, &restore.devices, "RESTORE")?,
        file: file_of(run, statement, restore)?,
        name: name.to_owned(),
        moves,
        replace: has(&restore.options, "REPLACE"),
        no_recovery: has(&restore.options, "NORECOVERY"),
        stop_at_us,
    })
}

/// STOPAT is local time.
fn moment_utc_us(run: &mut BatchRun<'_>, statement: &Statement, time: &Expr) -> SqlResult<i64> {
    let value = scalar::scalar(run, statement, 2, time, Some(SqlType::DateTime2 { scale: 7 }))?;
    let Value::DateTime2(time) = value else {
        return Err(SqlError::of(3217, 1, &[]));
    };
    let (utc_us, local_us) = run.ctx.engine.now_us();
    Ok(time.ticks_since_1970() / 10 - (local_us - utc_us))
}

fn verified(run: &mut BatchRun<'_>, statement: &Statement, restore: &Restore) -> SqlResult<BackupReport> {
    let path = source(run, statement, restore)?;
    let position = file_of(run, statement, restore)?.unwrap_or(1);
    let read = restore::verify_backup(databases(&run.ctx), &run.ctx.ask_other(), &path, position);
    read.map_err(|cause| of_restore(cause, ""))
}

/// The file of a statement that reads backups alone.
fn source(run: &mut BatchRun<'_>, statement: &Statement, restore: &Restore) -> SqlResult<PathBuf> {
    check_options(&restore.options, "RESTORE")?;
    device(run, statement, &restore.devices, "RESTORE")
}

/// Beyond the parts of MOVE.
const FILE_PART: u16 = u16::MAX;

/// FILE: which backup of the file.
fn file_of(run: &mut BatchRun<'_>, statement: &Statement, restore: &Restore) -> SqlResult<Option<u32>> {
    let option = restore.options.iter().find(|option| option.name == "FILE");
    let Some(OptionValue::Constant(value)) = option.map(|option| &option.value) else { return Ok(None) };
    let number = scalar::scalar(run, statement, FILE_PART, value, Some(SqlType::BigInt))?.as_i64().unwrap_or(0);
    match u32::try_from(number) {
        Ok(position) if position > 0 => Ok(Some(position)),
        _ => Err(SqlError::of(3250, 1, &[&number, &"FILE"])),
    }
}

fn restore_header(run: &mut BatchRun<'_>, statement: &Statement, restore: &Restore) -> SqlResult<()> {
    let reports = match file_of(run, statement, restore)? {
        Some(_) => vec![verified(run, statement, restore)?],
        None => {
            let path = source(run, statement, restore)?;
            let read = restore::verify_backups(databases(&run.ctx), &run.ctx.ask_other(), &path);
            read.map_err(|cause| of_restore(cause, ""))?
        }
    };
    let rows: Vec<Vec<Value>> = reports.iter().map(|report| header_row(&run.ctx.engine, report)).collect();
    send_rows(run, &HEADER_COLUMNS, &rows)
}

fn restore_files(run: &mut BatchRun<'_>, statement: &Statement, restore: &Restore) -> SqlResult<()> {
    let report = verified(run, statement, restore)?;
    let rows: Vec<Vec<Value>> = report.header.files.iter().map(file_row).collect();
    send_rows(run, &FILE_COLUMNS, &rows)
}

/// A name, or the value of a variable.
fn named(run: &BatchRun<'_>, name: &str) -> SqlResult<String> {
    if !name.starts_with('@') {
        return Ok(name.to_owned());
    }
    let (slot, _) = run.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
    match &run.ctx.variables[slot] {
        Value::Str(name) => Ok(name.to_string()),
        _ => Err(message::unknown_database("NULL")),
    }
}

/// The one file of TO DISK or FROM DISK.
fn device(run: &mut BatchRun<'_>, statement: &Statement, devices: &[BackupDevice], verb: &str) -> SqlResult<PathBuf> {
    match devices {
        [BackupDevice::Disk(path)] => path_of(&words(run, statement, 1, path)?),
        [_] => Err(message::missing(&format!("{verb} to or from anything but DISK"))),
        _ => Err(message::missing(&format!("{verb} with several devices"))),
    }
}

fn words(run: &mut BatchRun<'_>, statement: &Statement, part: u16, expr: &Expr) -> SqlResult<String> {
    match scalar::scalar(run, statement, part, expr, Some(SqlType::NVarChar { len: MaxLen::Max }))? {
        Value::Str(words) if !words.is_empty() => Ok(words.to_string()),
        _ => Err(SqlError::of(3044, 1, &[])),
    }
}

fn not_in_restore_transaction(run: &BatchRun<'_>) -> SqlResult<()> {
    match run.ctx.facts.tran_count {
        0 => Ok(()),
        _ => Err(SqlError::of(3021, 0, &[])),
    }
}
