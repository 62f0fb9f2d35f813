//! BACKUP and RESTORE.

use super::name::Ident;
use super::option::NamedOption;
use super::query::Expr;

/// `BACKUP DATABASE|LOG name [parts] TO device, … [WITH …]`
#[derive(Clone, Debug)]
pub struct Backup {
    /// LOG
    pub log: bool,
    /// Database; with its `@` when it is a variable.
    pub database: Ident,
    /// `FILE = …`, `FILEGROUP = …`, `READ_WRITE_FILEGROUPS`
    pub parts: Vec<NamedOption>,
    /// TO
    pub devices: Vec<BackupDevice>,
    /// MIRROR TO, each with its devices.
    pub mirrors: Vec<Vec<BackupDevice>>,
    /// `INIT`, `FORMAT`, `CHECKSUM`, `NAME = …`, `STATS = 10`, …
    pub options: Vec<NamedOption>,
}

/// Where a backup lies.
#[derive(Clone, Debug)]
pub enum BackupDevice {
    /// `DISK = path`: a string or variable.
    Disk(Expr),
    /// `URL = address`: a string or variable.
    Url(Expr),
    /// `TAPE = name`: a string or variable.
    Tape(Expr),
    /// A logical device; with its `@` when it is a variable.
    Logical(Ident),
}

/// `RESTORE … FROM device, … [WITH …]`
#[derive(Clone, Debug)]
pub struct Restore {
    /// What is restored or shown.
    pub what: RestoreWhat,
    /// `FILE = …`, `FILEGROUP = …`, `PAGE = …`, `READ_WRITE_FILEGROUPS`
    pub parts: Vec<NamedOption>,
    /// FROM; empty for `RESTORE DATABASE name WITH RECOVERY`.
    pub devices: Vec<BackupDevice>,
    /// `FROM DATABASE_SNAPSHOT = name`
    pub snapshot: Option<Ident>,
    /// `MOVE 'logical' TO 'path'`: strings or variables.
    pub moves: Vec<(Expr, Expr)>,
    /// STOPAT and its kind.
    pub stop: Option<StopAt>,
    /// `RECOVERY`, `NORECOVERY`, `STANDBY = …`, `REPLACE`, `FILE = 2`, `CHECKSUM`, …
    pub options: Vec<NamedOption>,
}

/// What RESTORE does. A database is named with its `@` when it is a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreWhat {
    /// `DATABASE name`
    Database(Ident),
    /// `LOG name`
    Log(Ident),
    /// HEADERONLY
    HeaderOnly,
    /// FILELISTONLY
    FileListOnly,
    /// LABELONLY
    LabelOnly,
    /// VERIFYONLY
    VerifyOnly,
}

/// Where the restored log ends: strings or variables.
#[derive(Clone, Debug)]
pub enum StopAt {
    /// `STOPAT = time`
    Time(Expr),
    /// `STOPATMARK = mark [AFTER time]`
    Mark {
        /// Name of a marked transaction, or `lsn:n`.
        mark: Expr,
        /// AFTER
        after: Option<Expr>,
    },
    /// `STOPBEFOREMARK = mark [AFTER time]`
    BeforeMark {
        /// Name of a marked transaction, or `lsn:n`.
        mark: Expr,
        /// AFTER
        after: Option<Expr>,
    },
}
