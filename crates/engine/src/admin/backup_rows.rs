//! What msdb keeps of a backup, as the statements that write it.
//!
//! It knows no session: who writes the rows, and when, is the interpreter's.

use std::fmt::Write;
use std::sync::Arc;

use millpond_builtin::unicode_literal;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::data_space::{DataSpaces, Filegroup};
use millpond_message::error::SqlError;
use millpond_storage::backup::BackupReport;
use millpond_storage::backup::format::{BackupFile, BackupHeader, BackupKind};
use millpond_storage::contract::DbId;
use millpond_storage::database::options::{DatabaseFlag, UserAccess};
use millpond_storage::file::file_header::FileKind;
use millpond_storage::instance::file_report::FileReport;
use millpond_storage::page::header::Lsn;
use millpond_types::collation::Collation;
use millpond_types::format::to_display;
use millpond_types::{Decimal, SqlType, Value};

use crate::engine::Engine;
use crate::metadata::recovery_name;

/// What a backup is called.
#[derive(Default)]
pub struct SetNames {
    /// NAME
    pub name: Option<String>,
    /// DESCRIPTION
    pub description: Option<String>,
    /// MEDIANAME
    pub media_name: Option<String>,
    /// MEDIADESCRIPTION
    pub media_description: Option<String>,
    /// EXPIREDATE, as `2099-12-31 00:00:00.000`.
    pub expires: Option<String>,
    /// RETAINDAYS, a number.
    pub retain_days: Option<String>,
}

impl SetNames {
    /// The expression of `expiration_date`.
    fn expiration(&self, started: &str) -> String {
        match (&self.expires, &self.retain_days) {
            (Some(moment), _) => format!("CONVERT(datetime, {}, 121)", unicode_literal(moment)),
            (None, Some(days)) => format!("dateadd(day, {days}, {started})"),
            (None, None) => "NULL".to_owned(),
        }
    }
}

/// The filegroups of a database by its name; those of a new one where it cannot be asked.
#[must_use]
pub fn spaces_now(engine: &Engine, database: &str) -> Arc<DataSpaces> {
    let id = engine.database_id(database);
    let dictionary = id.and_then(|id| engine.databases().dictionary(id).ok());
    dictionary.map(|known| Arc::clone(known.catalog().objects().data_spaces())).unwrap_or_default()
}

/// The filegroup of each data file of a database.
#[must_use]
pub fn filegroups(engine: &Engine, db: DbId) -> Vec<(u16, String)> {
    let Ok(dictionary) = engine.databases().dictionary(db) else { return Vec::new() };
    let spaces = Arc::clone(dictionary.catalog().objects().data_spaces());
    let files = engine.instance().files(db).into_iter().filter(|file| file.kind == FileKind::Data);
    let named =
        |file: FileReport| Some((file.file.0, spaces.group(spaces.group_of_file(file.file.0))?.name.to_string()));
    files.filter_map(named).collect()
}

/// The filegroups that have a file in a backup.
pub fn groups_of<'s>(header: &BackupHeader, spaces: &'s DataSpaces) -> Vec<&'s Filegroup> {
    let has_file = |group: &&Filegroup| {
        header.files.iter().any(|file| !file.log && spaces.group_of_file(file.file_id) == group.id)
    };
    spaces.filegroups.iter().filter(has_file).collect()
}

/// The rows of a backup that was made now, and its line in the error log.
pub fn backed_up(
    text: &mut String,
    (engine, login): (&Engine, &str),
    report: &BackupReport,
    path: &str,
    names: &SetNames,
) {
    set_rows(text, (engine, login), report, path, names);
    let (database, day, time, first, last, device) = logged(engine, report, path);
    engine.log_error(match report.header.kind {
        BackupKind::Full => SqlError::of(
            18_264,
            1,
            &[&database, &day, &time, &report.end.pages, &first, &last, &report.position, &device],
        ),
        BackupKind::Log => SqlError::of(18_265, 1, &[&database, &day, &time, &first, &last, &report.position, &device]),
    });
}

/// The rows of the backup that a database was restored from now, and the restore's line in the error log.
pub fn restored(text: &mut String, (engine, login): (&Engine, &str), report: &BackupReport, path: &str, name: &str) {
    set_rows(text, (engine, login), report, path, &SetNames::default());
    let (_, day, time, first, last, device) = logged(engine, report, path);
    engine.log_error(match report.header.kind {
        BackupKind::Full => SqlError::of(18_267, 1, &[&name, &day, &time, &first, &last, &report.position, &device]),
        BackupKind::Log => SqlError::of(18_268, 1, &[&name, &day, &time, &first, &last, &report.position, &device]),
    });
}

/// What the error log says of a backup: its database, the day and time on which that was made, its first and last log sequence
/// number, and its device.
fn logged(engine: &Engine, report: &BackupReport, path: &str) -> (String, String, String, String, String, String) {
    let (header, end) = (&report.header, &report.end);
    let created = datetime2_of_unix_us(local_us(engine, header.created_utc_us));
    let created = to_display(&Value::DateTime2(created), &SqlType::DateTime2 { scale: 0 });
    let (day, time) = created.split_once(' ').unwrap_or((&created, ""));
    let (day, first, last) = (day.replace('-', "/"), shown_lsn(&header.first_lsn), shown_lsn(&end.last_lsn));
    let device = format!("FILE={}, TYPE=DISK: {{'{path}'}}", report.position);
    (header.database.clone(), day, time.to_owned(), first, last, device)
}

/// A log sequence number as the error log writes it: its parts as decimals.
fn shown_lsn(digits: &str) -> String {
    lsn_of(digits).map_or_else(String::new, |lsn| format!("{}:{}:{}", lsn.sequence, lsn.block, lsn.slot))
}

/// The rows of a backup; `@set` has its number after them.
fn set_rows(text: &mut String, (engine, login): (&Engine, &str), report: &BackupReport, path: &str, names: &SetNames) {
    let (header, end) = (&report.header, &report.end);
    let id_now = engine.database_id(&header.database);
    let collation = id_now.map_or_else(Collation::default, |id| engine.databases().collation(id));
    let database_now = id_now.and_then(|id| engine.instance().database(id));
    let known = database_now.map(|database| database.options());
    let known = known.as_ref();
    let named = |name: &Option<String>| name.as_deref().map_or_else(|| "NULL".to_owned(), unicode_literal);
    let _ = write!(
        text,
        "INSERT dbo.backupmediaset (media_uuid, media_family_count, name, description, software_name, software_vendor_id, \
         MTF_major_version, mirror_count, is_password_protected, is_compressed, is_encrypted) VALUES (newid(), 1, {}, {}, \
         N'Millpond', 0, 1, 1, 0, 0, 0);\n\
         SET @media = scope_identity();\n\
         INSERT dbo.backupmediafamily (media_set_id, family_sequence_number, media_family_id, media_count, \
         physical_device_name, device_type, physical_block_size, mirror) VALUES (@media, 1, newid(), 1, {}, 2, 512, 0);\n",
        named(&names.media_name),
        named(&names.media_description),
        unicode_literal(path),
    );
    // What was written, log and heads of sections too.
    let size_bytes = report.size_bytes;
    let database = unicode_literal(&header.database);
    let started = moment(engine, header.started_utc_us);
    let spaces = spaces_now(engine, &header.database);
    let _ = write!(
        text,
        "INSERT dbo.backupset (backup_set_uuid, media_set_id, first_family_number, first_media_number, last_family_number, \
         last_media_number, position, expiration_date, name, description, user_name, software_major_version, software_minor_version, \
         software_build_version, time_zone, first_lsn, last_lsn, checkpoint_lsn, database_backup_lsn, \
         database_creation_date, backup_start_date, backup_finish_date, type, compatibility_level, backup_size, \
         database_name, server_name, machine_name, flags, collation_name, is_password_protected, recovery_model, \
         database_version, has_bulk_logged_data, is_snapshot, is_readonly, is_single_user, has_backup_checksums, is_damaged, \
         begins_log_chain, has_incomplete_metadata, is_force_offline, is_copy_only, database_guid, family_guid, \
         compressed_backup_size, last_valid_restore_time) SELECT newid(), @media, 1, 1, 1, 1, {position}, {expires}, {name}, {description}, {user}, \
         CAST(SERVERPROPERTY('ProductMajorVersion') AS tinyint), CAST(SERVERPROPERTY('ProductMinorVersion') AS tinyint), \
         CAST(SERVERPROPERTY('ProductBuild') AS smallint), datepart(tz, sysdatetimeoffset()) / 15, {first}, {last}, \
         {checkpoint}, coalesce((SELECT TOP (1) checkpoint_lsn FROM dbo.backupset WHERE database_guid = {guid} AND \
         type = 'D' AND is_copy_only = 0 ORDER BY backup_set_id DESC), 0), {created}, {started}, {finished}, '{kind}', \
         {level}, {size_bytes}, {database}, @@SERVERNAME, CAST(SERVERPROPERTY('MachineName') AS nvarchar(128)), \
         512, {collation}, 0, {model}, CAST(DATABASEPROPERTYEX('master', 'Version') AS int), 0, 0, {read_only}, {single}, 1, 0, 0, 0, 0, {copy_only}, {guid}, {guid}, {size_bytes}, {covered};\n\
         SET @set = scope_identity();\n",
        expires = names.expiration(&started),
        position = report.position,
        name = named(&names.name),
        description = named(&names.description),
        user = unicode_literal(login),
        first = number_of_lsn(&header.first_lsn),
        last = number_of_lsn(&end.last_lsn),
        checkpoint = number_of_lsn(&header.checkpoint_lsn),
        guid = guid(&header.guid),
        created = moment(engine, header.created_utc_us),
        finished = moment(engine, end.finished_utc_us),
        covered = if end.covered_utc_us > 0 { moment(engine, end.covered_utc_us) } else { "NULL".to_owned() },
        kind = kind(header),
        copy_only = u8::from(header.is_copy_only),
        level = known.map_or_else(|| "NULL".to_owned(), |options| options.compatibility_level.to_string()),
        collation = unicode_literal(collation.name()),
        model = known.map_or_else(|| "NULL".to_owned(), |options| unicode_literal(recovery_name(options.recovery))),
        read_only = u8::from(known.is_some_and(|options| options.is_on(DatabaseFlag::ReadOnly))),
        single = u8::from(known.is_some_and(|options| options.access == UserAccess::Single)),
    );
    for file in &header.files {
        file_row(text, file, &spaces);
    }
    for group in groups_of(header, &spaces) {
        let _ = writeln!(
            text,
            "INSERT dbo.backupfilegroup (backup_set_id, name, filegroup_id, type, type_desc, is_default, is_readonly) \
             VALUES (@set, {}, {}, 'FG', N'ROWS_FILEGROUP', {}, 0);",
            unicode_literal(&group.name),
            group.id,
            u8::from(group.id == spaces.default_group),
        );
    }
}

fn file_row(text: &mut String, file: &BackupFile, spaces: &DataSpaces) {
    let group = spaces.group(spaces.group_of_file(file.file_id)).map_or("PRIMARY", |group| &group.name);
    let size_bytes = u64::from(file.size_pages) * 8192;
    let _ = writeln!(
        text,
        "INSERT dbo.backupfile (backup_set_id, first_family_number, first_media_number, filegroup_name, page_size, file_number, \
         backed_up_page_count, file_type, source_file_block_size, file_size, logical_name, physical_name, state, \
         state_desc, backup_size, is_readonly, is_present) VALUES (@set, 1, 1, {}, 8192, {}, {}, '{}', 512, {size_bytes}, \
         {}, {}, 0, N'ONLINE', {size_bytes}, 0, 1);",
        if file.log { "NULL".to_owned() } else { unicode_literal(group) },
        file.file_id,
        file.size_pages,
        if file.log { 'L' } else { 'D' },
        unicode_literal(&file.name),
        unicode_literal(&file.path),
    );
}

/// `type` of `backupset`.
#[must_use]
pub fn kind(header: &BackupHeader) -> char {
    match header.kind {
        BackupKind::Full => 'D',
        BackupKind::Log => 'L',
    }
}

/// 32 digits as a literal of a uniqueidentifier.
#[must_use]
pub fn guid(digits: &str) -> String {
    match digits.is_ascii() && digits.len() == 32 {
        true => {
            format!("'{}-{}-{}-{}-{}'", &digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..])
        }
        false => "NULL".to_owned(),
    }
}

/// A log sequence number as a literal; NULL of what is none.
#[must_use]
pub fn number_of_lsn(digits: &str) -> String {
    match lsn(digits) {
        Value::Decimal(number) => number.to_string(),
        _ => "NULL".to_owned(),
    }
}

/// A moment of UTC as an expression of the server's local time, to the millisecond.
#[must_use]
pub fn moment(engine: &Engine, utc_us: i64) -> String {
    const DAY_MS: i64 = 86_400_000;
    let local_ms = local_us(engine, utc_us) / 1000;
    let (days, of_day_ms) = (local_ms.div_euclid(DAY_MS), local_ms.rem_euclid(DAY_MS));
    format!("dateadd(ms, {of_day_ms}, dateadd(day, {days}, CAST('19700101' AS datetime)))")
}

fn local_us(engine: &Engine, utc_us: i64) -> i64 {
    engine.instance().clock().wall().local_of(utc_us)
}

/// A log sequence number as one decimal: log part, block and slot, the latter two with ten and five digits.
#[must_use]
pub fn lsn(text: &str) -> Value {
    let number = lsn_of(text).map(Lsn::number);
    number.and_then(|number| Decimal::new(number, 0)).map_or(Value::Null, Value::Decimal)
}

/// A log sequence number by its digits; none of what is none.
fn lsn_of(text: &str) -> Option<Lsn> {
    let byte = |at: usize| text.get(2 * at..2 * at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    let bytes: Option<Vec<u8>> = (0..10).map(byte).collect();
    Some(Lsn::from_bytes(bytes?.try_into().ok()?))
}
