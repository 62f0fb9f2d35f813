//! SQL Server's numbers and texts for what goes wrong in backups, restores, and changes of whole databases.

use millpond_storage::backup::format::BackupReadError;
use millpond_storage::backup::{BackupError, RestoreError};
use millpond_storage::contract::PAGE_BYTES;
use millpond_storage::database::BootError;
use millpond_storage::database::alter_error::AlterDatabaseError;
use millpond_storage::database::create::{CreateDatabaseError, DATABASES_MAX};
use millpond_storage::database::plan::PlanError;
use millpond_storage::database::snapshot::SnapshotError;
use millpond_storage::instance::FileProblem;
use millpond_storage::settings::tempdb::{FILES_MAX, NAME_CHARS_MAX};

use super::{
    Place, cancelled, file_exists, no_directory, of_checkpoint, of_pool, of_settings, of_unavailable, of_wal,
    unknown_database,
};
use crate::error::SqlError;
use crate::missing;

/// Pages of a megabyte.
const PAGES_OF_MB: u32 = (1 << 20) / PAGE_BYTES as u32;

/// What the operating system says of a file that somebody has.
const IN_USE: &str = "32(The process cannot access the file because it is being used by another process.)";

fn of_boot(cause: &BootError, database: &str) -> SqlError {
    match cause {
        BootError::Unavailable(cause) => of_unavailable(cause),
        BootError::Log(cause) => of_wal(cause, Place { schema: "", object: "", database }),
        BootError::Pool(cause) => of_pool(cause),
    }
}

/// A backup that was not made.
#[must_use]
pub fn of_backup(cause: BackupError, database: &str) -> SqlError {
    let path = |path: &std::path::Path| path.display().to_string();
    match cause {
        BackupError::NoDatabase { .. } => unknown_database(database),
        BackupError::Temporary => SqlError::of(3147, 1, &[]),
        BackupError::OfSnapshot => SqlError::of(3002, 1, &[]),
        BackupError::Unavailable(cause) => of_unavailable(&cause),
        BackupError::Serialized => SqlError::of(3023, 2, &[]),
        BackupError::Cancelled => cancelled(),
        BackupError::InUse { path: file } => SqlError::of(3201, 1, &[&path(&file), &IN_USE]),
        BackupError::SimpleModel => SqlError::of(4208, 1, &[]),
        BackupError::NoFullBackup => SqlError::of(4214, 1, &[]),
        BackupError::DamagedEnd { path: file } => SqlError::of(3266, 1, &[&path(&file)]),
        BackupError::NoBackup { path: file } => SqlError::of(3242, 1, &[&path(&file)]),
        BackupError::Write { path: file, source } => SqlError::of(3201, 1, &[&path(&file), &source]),
        BackupError::Read { path: file, source } => SqlError::of(3203, 1, &[&path(&file), &source]),
        BackupError::Pool(cause) => of_pool(&cause),
        BackupError::Checkpoint(cause) => of_checkpoint(&cause, database),
        BackupError::Boot(cause) => of_boot(&cause, database),
    }
}

/// A restore that was not made.
#[must_use]
pub fn of_restore(cause: RestoreError, database: &str) -> SqlError {
    use RestoreError as R;
    match cause {
        R::Backup { path, source } => unreadable(&path.display().to_string(), &source),
        R::Kind { path } => SqlError::of(3135, 1, &[&path.display()]),
        R::OtherDatabase { name } => SqlError::of(3154, 4, &[&name]),
        R::Exists { name } => SqlError::of(3159, 1, &[&name]),
        R::OfTheSystem { .. } => SqlError::of(3108, 1, &[&database]),
        R::HasSnapshot { name } => SqlError::of(3709, 2, &[&"restore", &name]),
        R::OfSnapshot => SqlError::of(3002, 2, &[]),
        R::CannotRevert => SqlError::of(3137, 1, &[]),
        R::InUse { .. } => SqlError::of(3101, 1, &[]),
        R::Cancelled => cancelled(),
        R::StopTooEarly => SqlError::of(4335, 1, &[]),
        R::UnknownFile { path, .. } => SqlError::of(3241, 0, &[&path.display()]),
        R::NotRestoring { .. } => SqlError::of(3117, 1, &[]),
        R::TooRecent { first, restored } => SqlError::of(4305, 1, &[&first, &restored]),
        R::TooEarly { last, restored } => SqlError::of(4326, 1, &[&last, &restored]),
        R::NoFile { name } => SqlError::of(3234, 2, &[&name, &database]),
        R::Create(CreateDatabaseError::FileExists { path }) => SqlError::of(1834, 1, &[&path.display()]),
        R::Create(cause) => of_create(&cause, database),
        R::File { path, reason } => SqlError::of(3634, 1, &[&reason, &path.display()]),
        R::Settings(cause) => of_settings(&cause),
        R::Pool(cause) => of_pool(&cause),
        R::Checkpoint(cause) => of_checkpoint(&cause, database),
        R::Boot(cause) => of_boot(&cause, database),
        R::NoChance(cause) => SqlError::of(1802, 1, &[&database, &cause]),
    }
}

fn unreadable(path: &str, source: &BackupReadError) -> SqlError {
    match source {
        BackupReadError::Device(cause) => SqlError::of(3201, 2, &[&path, &cause]),
        BackupReadError::InUse => SqlError::of(3201, 2, &[&path, &IN_USE]),
        BackupReadError::Cancelled => cancelled(),
        BackupReadError::Foreign => SqlError::of(3241, 0, &[&path]),
        BackupReadError::NoSet { position } => SqlError::of(4038, 1, &[position, &path]),
        BackupReadError::Newer { .. } => SqlError::of(3169, 1, &[&path, &source]),
        BackupReadError::Damaged { .. } => SqlError::of(3189, 1, &[&path, &source]),
    }
}

/// A database that was not created.
#[must_use]
pub fn of_create(cause: &CreateDatabaseError, name: &str) -> SqlError {
    use CreateDatabaseError as C;
    match cause {
        C::NameInUse { name } => SqlError::of(1801, 1, &[name]),
        C::TooManyDatabases => SqlError::of(1835, 1, &[&DATABASES_MAX]),
        C::Plan(plan) => of_plan(plan),
        C::NoDirectory { path } => no_directory(path),
        C::FileExists { path } => file_exists(path),
        C::Create { path, reason } => SqlError::of(5123, 1, &[reason, &path.display()]),
        C::Settings(cause) => of_settings(cause),
        C::NoChance(cause) => SqlError::of(1802, 1, &[&name, cause]),
    }
}

/// A database snapshot that was not made.
#[must_use]
pub fn of_snapshot(cause: &SnapshotError, name: &str, source: &str) -> SqlError {
    use SnapshotError as S;
    match cause {
        S::OfTheSystem { .. } => SqlError::of(1816, 1, &[&source]),
        S::NoDatabase { .. } => unknown_database(source),
        S::OfSnapshot => SqlError::of(1821, 1, &[]),
        S::OfCopy => missing("CREATE DATABASE … AS COPY OF a copy or a snapshot, and AS SNAPSHOT OF a copy"),
        S::Unavailable(_) => SqlError::of(1822, 1, &[]),
        S::NoFile { name } => SqlError::of(5014, 3, &[&"file", name, &source]),
        S::FileMissing { name } => SqlError::of(5127, 1, &[name]),
        S::Create(cause) => of_create(cause, name),
        S::Checkpoint(cause) => of_checkpoint(cause, source),
        S::Boot(cause) => of_boot(cause, name),
        S::Log(cause) => of_wal(cause, Place { schema: "", object: "", database: source }),
        S::NotStarted { .. } => SqlError::of(1823, 1, &[]),
    }
}

/// 103: `name` is longer than a name may be; 1038 where there is none.
fn bad_name(name: &str) -> SqlError {
    if name.is_empty() {
        return SqlError::of(1038, 1, &[]);
    }
    let start: String = name.chars().take(NAME_CHARS_MAX).collect();
    SqlError::of(103, 1, &[&"identifier", &start, &NAME_CHARS_MAX])
}

fn of_plan(cause: &PlanError) -> SqlError {
    match cause {
        PlanError::Name(name) | PlanError::FileName(name) => bad_name(name),
        PlanError::NameTwice(name) => SqlError::of(1828, 1, &[name]),
        PlanError::Path(path) => SqlError::of(5105, 1, &[&path.display()]),
        PlanError::PrimaryTooSmall { min_pages } => SqlError::of(1803, 1, &[&min_pages.div_ceil(PAGES_OF_MB)]),
        PlanError::TooSmall { min_kb, .. } => SqlError::of(5174, 1, &[min_kb]),
        PlanError::MaxBelowSize { name } => SqlError::of(5103, 1, &[name]),
        PlanError::GrowthAboveMax { name } => SqlError::of(5169, 1, &[name]),
        PlanError::TooManyFiles => SqlError::of(5033, 1, &[&FILES_MAX]),
    }
}

/// A database that was not attached.
#[must_use]
pub fn of_attach(cause: &AlterDatabaseError, name: &str) -> SqlError {
    use AlterDatabaseError as A;
    match cause {
        A::NotADatabase => SqlError::of(5173, 2, &[]),
        A::File { reason, .. } if !matches!(reason, FileProblem::InUse) => SqlError::of(1802, 1, &[&name, cause]),
        A::Boot(_) | A::Checkpoint(_) => SqlError::of(1802, 1, &[&name, cause]),
        _ => of_alter(cause, name),
    }
}

/// A change of a whole database that was not made.
#[must_use]
pub fn of_alter(cause: &AlterDatabaseError, name: &str) -> SqlError {
    use AlterDatabaseError as A;
    match cause {
        A::NoDatabase { .. } => unknown_database(name),
        A::InUse => SqlError::of(3702, 4, &[&name]),
        A::OfTheSystem { .. } => SqlError::of(5058, 1, &[&"state or name", &format_args!(" in database '{name}'")]),
        A::NameInUse { name } => SqlError::of(1801, 1, &[name]),
        A::BadName { name } => bad_name(name),
        A::Unavailable(cause) => of_unavailable(cause),
        A::Settings(cause) => of_settings(cause),
        A::HasSnapshot { name, doing: doing @ ("drop" | "detach") } => SqlError::of(3709, 1, &[doing, name]),
        A::HasSnapshot { .. } => SqlError::of(5094, 2, &[]),
        A::OfCopy => missing("OFFLINE, EMERGENCY and DETACH of a copy of a database"),
        A::OfSnapshot { doing: "detach" } => SqlError::of(3706, 1, &[&"detach"]),
        A::OfSnapshot { .. } => SqlError::of(5093, 2, &[]),
        A::TooManyDatabases => SqlError::of(1835, 1, &[&DATABASES_MAX]),
        A::File { path, reason: FileProblem::InUse } => SqlError::of(5120, 101, &[&path.display(), &IN_USE]),
        A::File { .. } | A::Boot(_) | A::Checkpoint(_) | A::NotADatabase => {
            SqlError::of(5069, 1, &[&format_args!(": {cause}")])
        }
    }
}
