//! BACKUP and RESTORE: what the statements say becomes requests to storage, what it reports becomes messages and rows.
//!
//! What always holds: a failure of either is followed by 3013, and has changed nothing but what its own text says. A
//! restored database is recovered before anybody sees it, and its definitions are read anew.

use std::path::PathBuf;
use std::time::Instant;

use millpond_message as message;
use millpond_message::backup::{of_backup, of_restore};
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Column;
use millpond_storage::backup::format::{BackupHeader, BackupKind};
use millpond_storage::backup::{BackupOptions, BackupReport, RestoreRequest};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database::Database;
use millpond_tsql::ast::{
    Backup, BackupDevice, Expr, NamedOption, OptionValue, Restore, RestoreWhat, Statement, StopAt,
};
use millpond_types::{Decimal, MaxLen, SqlType, Value};

use crate::exec::admin::path_of;
use crate::exec::batch::BatchRun;

/// Options that change nothing here: how media are written, and names of sets that nobody reads again.
const ACCEPTED: [&str; 29] = [
    "STATS",
    "NAME",
    "DESCRIPTION",
    "MEDIANAME",
    "MEDIADESCRIPTION",
    "CHECKSUM",
    "NO_CHECKSUM",
    "STOP_ON_ERROR",
    "SKIP",
    "NOSKIP",
    "NOFORMAT",
    "NOINIT",
    "INIT",
    "FORMAT",
    "COPY_ONLY",
    "NO_COMPRESSION",
    "BLOCKSIZE",
    "BUFFERCOUNT",
    "MAXTRANSFERSIZE",
    "RETAINDAYS",
    "EXPIREDATE",
    "REWIND",
    "NOREWIND",
    "UNLOAD",
    "NOUNLOAD",
    "RECOVERY",
    "NORECOVERY",
    "REPLACE",
    "LOADHISTORY",
];

fn has(options: &[NamedOption], name: &str) -> bool {
    options.iter().any(|option| option.name == name)
}

/// Whether all options are known to `verb`.
fn check_options(options: &[NamedOption], verb: &str) -> SqlResult<()> {
    let refused = |option: &&NamedOption| match option.name.as_str() {
        // A tail-log backup would leave the database behind in the state RESTORING.
        "NORECOVERY" | "RECOVERY" => verb == "BACKUP",
        "FILE" => {
            !matches!(&option.value, OptionValue::Constant(expr) if crate::exec::admin::database::whole(expr) == Some(1))
        }
        other => !ACCEPTED.contains(&other),
    };
    match options.iter().find(refused) {
        Some(option) => Err(message::missing(&format!("{verb} … WITH {}", option.name))),
        None => Ok(()),
    }
}

impl BatchRun<'_> {
    /// The last message of BACKUP and RESTORE: pages and time.
    fn tell_end(&mut self, verb: &str, begun: Instant, pages: u64) {
        let seconds = begun.elapsed().as_secs_f64().max(0.001);
        let rate = pages as f64 / 128.0 / seconds;
        self.inform(3014, &[&verb, &pages, &format_args!("{seconds:.3}"), &format_args!("{rate:.3}")]);
    }

    pub(in crate::exec) fn backup(&mut self, statement: &Statement, backup: &Backup) -> SqlResult<()> {
        let verb = if backup.log { "BACKUP LOG" } else { "BACKUP DATABASE" };
        let done = self.back_up(statement, backup, verb);
        self.ended(done, verb)
    }

    fn back_up(&mut self, statement: &Statement, backup: &Backup, verb: &str) -> SqlResult<()> {
        self.not_in_restore_transaction()?;
        if !backup.parts.is_empty() || !backup.mirrors.is_empty() {
            return Err(message::missing(&format!("{verb} of parts or with mirrors")));
        }
        check_options(&backup.options, "BACKUP")?;
        let name = self.named(&backup.database)?;
        let db = self.ctx.engine.database_id(&name).ok_or_else(|| message::unknown_database(&name))?;
        let path = self.device(statement, &backup.devices, verb)?;
        let options = BackupOptions {
            init: has(&backup.options, "INIT") || has(&backup.options, "FORMAT"),
            copy_only: has(&backup.options, "COPY_ONLY"),
        };
        let begun = Instant::now();
        let log_pages = self.log_pages(db);
        let ask = self.ctx.ask_other();
        let instance = self.ctx.engine.instance();
        let made = match backup.log {
            true => instance.backup_log(&ask, db, &path, options),
            false => instance.backup_database(&ask, db, &path, options),
        };
        let report = made.map_err(|cause| of_backup(cause, &name))?;
        let pages = self.tell_files(&report, &name, log_pages);
        self.tell_end(verb, begun, pages);
        Ok(())
    }

    /// Pages of log that a backup of it has to read.
    fn log_pages(&self, db: DbId) -> u64 {
        let database = self.ctx.engine.instance().database(db);
        let log = database.as_ref().and_then(|database| database.log().ok().flatten());
        log.map_or(0, |log| log.report().unbacked_bytes.div_ceil(8192))
    }

    /// 4035 for each file with something in the backup; how many pages that is in all.
    fn tell_files(&mut self, report: &BackupReport, name: &str, log_pages: u64) -> u64 {
        let header = &report.header;
        let mut told = Vec::new();
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
                told.push((file.name.clone(), share));
            }
        }
        if let Some(file) = header.files.iter().find(|file| file.log) {
            told.push((file.name.clone(), log_pages));
        }
        for (file, pages) in &told {
            self.inform(4035, &[&pages, &name, &file, &1]);
        }
        told.iter().map(|(_, pages)| pages).sum()
    }

    pub(in crate::exec) fn restore(&mut self, statement: &Statement, restore: &Restore) -> SqlResult<()> {
        match &restore.what {
            RestoreWhat::Database(name) => {
                let done = self.restore_database(statement, restore, name, false);
                self.ended(done, "RESTORE DATABASE")
            }
            RestoreWhat::Log(name) => {
                let done = self.restore_database(statement, restore, name, true);
                self.ended(done, "RESTORE LOG")
            }
            RestoreWhat::HeaderOnly => {
                let done = self.restore_header(statement, restore);
                self.ended(done, "RESTORE HEADERONLY")
            }
            RestoreWhat::FileListOnly => {
                let done = self.restore_files(statement, restore);
                self.ended(done, "RESTORE FILELIST")
            }
            RestoreWhat::VerifyOnly => {
                let done = self.verified(statement, restore).map(drop);
                if done.is_ok() {
                    self.inform(3262, &[&"1"]);
                }
                self.ended(done, "VERIFY DATABASE")
            }
            RestoreWhat::LabelOnly => Err(message::missing("RESTORE LABELONLY")),
        }
    }

    /// The end of the statement; a failure is followed by 3013.
    fn ended(&mut self, done: SqlResult<()>, verb: &str) -> SqlResult<()> {
        let Err(error) = done else {
            self.done_quietly(0);
            return Ok(());
        };
        if error.number == message::CANCELLED || error.number == message::MISSING {
            return Err(error);
        }
        self.complain(error)?;
        Err(SqlError::of(3013, 1, &[&verb]))
    }

    fn restore_database(
        &mut self,
        statement: &Statement,
        restore: &Restore,
        name: &str,
        is_log: bool,
    ) -> SqlResult<()> {
        self.not_in_restore_transaction()?;
        if !restore.parts.is_empty() || restore.snapshot.is_some() {
            return Err(message::missing("RESTORE of parts or from a snapshot"));
        }
        check_options(&restore.options, "RESTORE")?;
        let name = self.named(name)?;
        if let Some(id) = self.ctx.engine.database_id(&name)
            && self.users_of(id) > 0
        {
            return Err(SqlError::of(3101, 1, &[]));
        }
        let begun = Instant::now();
        if restore.devices.is_empty() {
            let ask = self.ctx.ask_other();
            let finished = self.ctx.engine.instance().restore_finish(&ask, &name);
            self.opened(&*finished.map_err(|cause| of_restore(cause, &name))?)?;
            let verb = if is_log { "RESTORE LOG" } else { "RESTORE DATABASE" };
            self.tell_end(verb, begun, 0);
            return Ok(());
        }
        let request = self.request(statement, restore, &name)?;
        let ask = self.ctx.ask_other();
        let instance = self.ctx.engine.instance();
        // What is told of the backup is read first: afterwards its file may be anybody's.
        let report = instance.verify_backup(&request.from).map_err(|cause| of_restore(cause, &name))?;
        let made = match is_log {
            true => instance.restore_log(&ask, &request),
            false => instance.restore_database(&ask, &request),
        };
        self.opened(&*made.map_err(|cause| of_restore(cause, &name))?)?;
        let log_pages = if is_log { report_log_pages(&report.header) } else { 0 };
        let pages = self.tell_files(&report, &name, log_pages);
        let verb = if is_log { "RESTORE LOG" } else { "RESTORE DATABASE" };
        self.tell_end(verb, begun, pages);
        Ok(())
    }

    fn request(&mut self, statement: &Statement, restore: &Restore, name: &str) -> SqlResult<RestoreRequest> {
        let mut moves = Vec::new();
        for (at, (logical, path)) in restore.moves.iter().enumerate() {
            let part = u16::try_from(3 + 2 * at).map_err(|_| message::missing("RESTORE with so many files"))?;
            let logical = self.words(statement, part, logical)?;
            moves.push((logical, path_of(&self.words(statement, part + 1, path)?)?));
        }
        let stop_at_us = match &restore.stop {
            None => None,
            Some(StopAt::Time(time)) => Some(self.moment_utc_us(statement, time)?),
            Some(_) => return Err(message::missing("RESTORE … WITH STOPATMARK")),
        };
        Ok(RestoreRequest {
            from: self.device(statement, &restore.devices, "RESTORE")?,
            name: name.to_owned(),
            moves,
            replace: has(&restore.options, "REPLACE"),
            no_recovery: has(&restore.options, "NORECOVERY"),
            stop_at_us,
        })
    }

    /// STOPAT is local time.
    fn moment_utc_us(&mut self, statement: &Statement, time: &Expr) -> SqlResult<i64> {
        const TICKS_TO_1970: i64 = 719_162 * 864_000_000_000;
        let value = self.scalar(statement, 2, time, Some(SqlType::DateTime2 { scale: 7 }))?;
        let Value::DateTime2(time) = value else {
            return Err(SqlError::of(3217, 1, &[]));
        };
        let (utc_us, local_us) = self.ctx.engine.now_us();
        Ok((time.total_ticks() - TICKS_TO_1970) / 10 - (local_us - utc_us))
    }

    /// A database that was made, attached or restored: what was open in it is undone, its definitions are read anew.
    pub(in crate::exec) fn opened(&mut self, database: &Database) -> SqlResult<()> {
        let engine = &self.ctx.engine;
        engine.databases().forget(database.id());
        if database.handle().is_err() {
            return Ok(());
        }
        let ask = self.ctx.ask_other();
        engine.txns().recover_database(&ask, database).map_err(|cause| {
            let name = database.name();
            SqlError::of(
                3414,
                1,
                &[&name, &cause, &"Diagnose the recovery errors and fix them, or restore from a known good backup"],
            )
        })?;
        engine.databases().dictionary(database.id()).map(drop)
    }

    fn verified(&mut self, statement: &Statement, restore: &Restore) -> SqlResult<BackupReport> {
        check_options(&restore.options, "RESTORE")?;
        let path = self.device(statement, &restore.devices, "RESTORE")?;
        self.ctx.engine.instance().verify_backup(&path).map_err(|cause| of_restore(cause, ""))
    }

    fn restore_header(&mut self, statement: &Statement, restore: &Restore) -> SqlResult<()> {
        let report = self.verified(statement, restore)?;
        let header = &report.header;
        let kind = if header.kind == BackupKind::Full { 1 } else { 2 };
        let files_pages: u64 = header.files.iter().map(|file| u64::from(file.size_pages)).sum();
        let row = vec![
            Value::Null,
            Value::Null,
            Value::SmallInt(kind),
            Value::Bit(false),
            Value::SmallInt(1),
            Value::str(self.ctx.engine.machine()),
            Value::str(&header.database),
            moment(header.created_utc_us),
            Value::BigInt((files_pages * 8192).cast_signed()),
            lsn(&header.first_lsn),
            lsn(&report.end.last_lsn),
            lsn(&header.checkpoint_lsn),
            moment(header.started_utc_us),
            moment(report.end.finished_utc_us),
            Value::Bit(header.is_copy_only),
            Value::Bit(true),
        ];
        let columns = [
            ("BackupName", NAME),
            ("BackupDescription", NAME),
            ("BackupType", SqlType::SmallInt),
            ("Compressed", SqlType::Bit),
            ("Position", SqlType::SmallInt),
            ("ServerName", NAME),
            ("DatabaseName", NAME),
            ("DatabaseCreationDate", SqlType::DateTime),
            ("BackupSize", SqlType::BigInt),
            ("FirstLSN", LSN),
            ("LastLSN", LSN),
            ("CheckpointLSN", LSN),
            ("BackupStartDate", SqlType::DateTime),
            ("BackupFinishDate", SqlType::DateTime),
            ("IsCopyOnly", SqlType::Bit),
            ("HasBackupChecksums", SqlType::Bit),
        ];
        self.send(&columns, vec![row])
    }

    fn restore_files(&mut self, statement: &Statement, restore: &Restore) -> SqlResult<()> {
        let report = self.verified(statement, restore)?;
        let row = |file: &millpond_storage::backup::format::BackupFile| {
            vec![
                Value::str(&file.name),
                Value::str(&file.path),
                Value::str(if file.log { "L" } else { "D" }),
                if file.log { Value::Null } else { Value::str("PRIMARY") },
                Value::BigInt(i64::from(file.size_pages) * 8192),
                Value::BigInt(i64::from(file.file_id)),
                Value::Bit(true),
            ]
        };
        let columns = [
            ("LogicalName", NAME),
            ("PhysicalName", SqlType::NVarChar { len: MaxLen::Limited(260) }),
            ("Type", SqlType::char(1)),
            ("FileGroupName", NAME),
            ("Size", SqlType::BigInt),
            ("FileId", SqlType::BigInt),
            ("IsPresent", SqlType::Bit),
        ];
        self.send(&columns, report.header.files.iter().map(row).collect())
    }

    fn send(&mut self, columns: &[(&str, SqlType)], rows: Vec<Vec<Value>>) -> SqlResult<()> {
        let closed = millpond_engine::system_call::closed;
        let column = |(name, sql_type): &(&str, SqlType)| Column::new(*name, *sql_type);
        let columns: Vec<Column> = columns.iter().map(column).collect();
        self.sink.columns(&columns).map_err(closed)?;
        for row in &rows {
            self.sink.row(row).map_err(closed)?;
        }
        self.done_rows(rows.len() as u64, crate::exec::batch::COMMAND_SELECT);
        Ok(())
    }

    /// A name, or the value of a variable.
    fn named(&self, name: &str) -> SqlResult<String> {
        if !name.starts_with('@') {
            return Ok(name.to_owned());
        }
        let (slot, _) = self.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
        match &self.ctx.variables[slot] {
            Value::Str(name) => Ok(name.to_string()),
            _ => Err(message::unknown_database("NULL")),
        }
    }

    /// The one file of TO DISK or FROM DISK.
    fn device(&mut self, statement: &Statement, devices: &[BackupDevice], verb: &str) -> SqlResult<PathBuf> {
        match devices {
            [BackupDevice::Disk(path)] => path_of(&self.words(statement, 1, path)?),
            [_] => Err(message::missing(&format!("{verb} to or from anything but DISK"))),
            _ => Err(message::missing(&format!("{verb} with several devices"))),
        }
    }

    fn words(&mut self, statement: &Statement, part: u16, expr: &Expr) -> SqlResult<String> {
        match self.scalar(statement, part, expr, Some(SqlType::NVarChar { len: MaxLen::Max }))? {
            Value::Str(words) if !words.is_empty() => Ok(words.to_string()),
            _ => Err(SqlError::of(3044, 1, &[])),
        }
    }

    fn not_in_restore_transaction(&self) -> SqlResult<()> {
        match self.ctx.facts.tran_count {
            0 => Ok(()),
            _ => Err(SqlError::of(3021, 0, &[])),
        }
    }

    /// Sessions that have a database as their current one; this one too.
    pub(in crate::exec) fn users_of(&self, id: DbId) -> usize {
        self.others_in(id).len() + usize::from(self.ctx.facts.database == id)
    }

    /// Other sessions that have a database as their current one, or a transaction that
    /// changed it; those that are being ended and have changed nothing do
    /// not count.
    pub(in crate::exec) fn others_in(
        &self,
        id: DbId,
    ) -> Vec<std::sync::Arc<millpond_engine::session_shared::SessionShared>> {
        let own = self.ctx.session.id;
        let open = self.ctx.engine.txns().transactions();
        let has_changed = |session: SessionId| {
            open.iter().any(|row| row.session == session && row.databases.iter().any(|(db, _)| *db == id))
        };
        let mut sessions = self.ctx.engine.sessions();
        sessions.retain(|session| {
            let is_in = session.status.lock().database == id && !(session.is_killed() && is_idle(session));
            session.id != own && (is_in || has_changed(session.id))
        });
        sessions
    }
}

fn is_idle(session: &millpond_engine::session_shared::SessionShared) -> bool {
    session.status.lock().request.is_none()
}

const NAME: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };
const LSN: SqlType = SqlType::numeric(25, 0);

fn moment(utc_us: i64) -> Value {
    let moment = millpond_catalog::clock::datetime2_of_unix_us(utc_us);
    millpond_types::DateTime::from_datetime2(moment).map_or(Value::Null, Value::DateTime)
}

/// The pages of log that the files in a header can have at most.
fn report_log_pages(header: &BackupHeader) -> u64 {
    header.files.iter().filter(|file| file.log).map(|file| u64::from(file.size_pages)).sum()
}

/// A log sequence number as one decimal: log part, block and slot, the latter two with ten and five digits.
fn lsn(text: &str) -> Value {
    let byte = |at: usize| text.get(2 * at..2 * at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    let bytes: Option<Vec<u8>> = (0..10).map(byte).collect();
    let Some(bytes) = bytes else { return Value::Null };
    let sequence = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"));
    let block = u32::from_le_bytes(bytes[4..8].try_into().expect("four bytes"));
    let slot = u16::from_le_bytes(bytes[8..].try_into().expect("two bytes"));
    let number = i128::from(sequence) * 1_000_000_000_000_000 + i128::from(block) * 100_000 + i128::from(slot);
    Decimal::new(number, 0).map_or(Value::Null, Value::Decimal)
}
