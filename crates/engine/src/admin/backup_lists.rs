//! Backups as RESTORE HEADERONLY and FILELISTONLY list them.
//!
//! What always holds: a row has as many values as its list has columns. Times are UTC's, as they are in the file.

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_storage::backup::BackupReport;
use millpond_storage::backup::format::{BackupFile, BackupKind};
use millpond_types::{DateTime, MaxLen, SqlType, Value};

use super::backup_rows::lsn;
use crate::engine::Engine;

const NAME: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };
const LSN: SqlType = SqlType::numeric(25, 0);

/// A backup as RESTORE HEADERONLY lists it.
#[must_use]
pub fn header_row(engine: &Engine, report: &BackupReport) -> Vec<Value> {
    let header = &report.header;
    let kind = if header.kind == BackupKind::Full { 1 } else { 2 };
    let files_pages: u64 = header.files.iter().map(|file| u64::from(file.size_pages)).sum();
    vec![
        Value::Null,
        Value::Null,
        Value::SmallInt(kind),
        Value::Bit(false),
        Value::SmallInt(i16::try_from(report.position).unwrap_or(i16::MAX)),
        Value::str(engine.machine()),
        Value::str(&header.database),
        datetime_of(header.created_utc_us),
        Value::BigInt((files_pages * 8192).cast_signed()),
        lsn(&header.first_lsn),
        lsn(&report.end.last_lsn),
        lsn(&header.checkpoint_lsn),
        datetime_of(header.started_utc_us),
        datetime_of(report.end.finished_utc_us),
        Value::Bit(header.is_copy_only),
        Value::Bit(true),
    ]
}

/// The columns of that.
pub const HEADER_COLUMNS: [(&str, SqlType); 16] = [
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

/// A file of the database that was backed up, as RESTORE FILELISTONLY lists it.
#[must_use]
pub fn file_row(file: &BackupFile) -> Vec<Value> {
    vec![
        Value::str(&file.name),
        Value::str(&file.path),
        Value::str(if file.log { "L" } else { "D" }),
        if file.log { Value::Null } else { Value::str(file.filegroup.as_deref().unwrap_or("PRIMARY")) },
        Value::BigInt(i64::from(file.size_pages) * 8192),
        Value::BigInt(i64::from(file.file_id)),
        Value::Bit(true),
    ]
}

/// The columns of that.
pub const FILE_COLUMNS: [(&str, SqlType); 7] = [
    ("LogicalName", NAME),
    ("PhysicalName", SqlType::NVarChar { len: MaxLen::Limited(260) }),
    ("Type", SqlType::char(1)),
    ("FileGroupName", NAME),
    ("Size", SqlType::BigInt),
    ("FileId", SqlType::BigInt),
    ("IsPresent", SqlType::Bit),
];

fn datetime_of(utc_us: i64) -> Value {
    DateTime::from_datetime2(datetime2_of_unix_us(utc_us)).map_or(Value::Null, Value::DateTime)
}
