//! SQL Server's numbers and texts for what goes wrong in backups, restores, and changes of whole databases.

use millpond_storage::backup::format::BackupReadError;
use millpond_storage::backup::{BackupError, RestoreError};
use millpond_storage::database::BootError;
use millpond_storage::database::alter_error::AlterDatabaseError;
use millpond_storage::database::create::CreateDatabaseError;
use millpond_storage::database::plan::PlanError;

use super::{Place, error, of_checkpoint, of_pool, of_settings, of_unavailable, of_wal, unknown_database};
use crate::error::SqlError;

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
        BackupError::Temporary => error(3147, "Backup and restore operations are not allowed on database tempdb."),
        BackupError::Unavailable(cause) => of_unavailable(&cause),
        BackupError::SimpleModel => error(
            4208,
            "The statement BACKUP LOG is not allowed while the recovery model is SIMPLE. Use BACKUP DATABASE or change the \
             recovery model using ALTER DATABASE.",
        ),
        BackupError::NoFullBackup => {
            error(4214, "BACKUP LOG cannot be performed because there is no current database backup.")
        }
        BackupError::FileExists { path: file } => error(
            3271,
            format!("A backup is in '{}' already; use INIT or FORMAT to overwrite it, or another file.", path(&file)),
        ),
        BackupError::Write { path: file, source } => {
            error(3201, format!("Cannot open backup device '{}'. Operating system error {source}.", path(&file)))
        }
        BackupError::Read { path: file, source } => {
            error(3203, format!("Read on \"{}\" failed: {source}", path(&file)))
        }
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
        R::Kind { path } => error(
            3135,
            format!(
                "The backup set in file '{}' was created by another statement than this one restores and cannot be used for \
                 this restore operation.",
                path.display()
            ),
        ),
        R::OtherDatabase { name } => SqlError::new(
            3154,
            16,
            4,
            format!("The backup set holds a backup of a database other than the existing '{name}' database."),
        ),
        R::Exists { name } => error(
            3159,
            format!(
                "The tail of the log for the database \"{name}\" has not been backed up. Use BACKUP LOG WITH NORECOVERY to \
                 backup the log if it contains work you do not want to lose. Use the WITH REPLACE or WITH STOPAT clause of \
                 the RESTORE statement to just overwrite the contents of the log."
            ),
        ),
        R::OfTheSystem { .. } => {
            error(3108, format!("To restore the {database} database, the server must be running in single-user mode."))
        }
        R::NotRestoring { .. } => {
            error(3117, "The log or differential backup cannot be restored because no files are ready to rollforward.")
        }
        R::TooRecent { first, restored } => error(
            4305,
            format!(
                "The log in this backup set begins at LSN {first}, which is too recent to apply to the database. An earlier \
                 log backup that includes LSN {restored} can be restored."
            ),
        ),
        R::TooEarly { last, restored } => error(
            4326,
            format!(
                "The log in this backup set terminates at LSN {last}, which is too early to apply to the database. A more \
                 recent log backup that includes LSN {restored} can be restored."
            ),
        ),
        R::NoFile { name } => SqlError::new(
            3234,
            16,
            2,
            format!(
                "Logical file '{name}' is not part of database '{database}'. Use RESTORE FILELISTONLY to list the logical \
                 file names."
            ),
        ),
        R::Create(CreateDatabaseError::FileExists { path }) => error(
            1834,
            format!(
                "The file '{}' cannot be overwritten. It is being used by another database or is no file of this one.",
                path.display()
            ),
        ),
        R::Create(cause) => of_create(&cause, database),
        R::File { path, reason } => error(
            3634,
            format!(
                "The operating system returned the error '{reason}' while attempting to restore '{}'.",
                path.display()
            ),
        ),
        R::Settings(cause) => of_settings(&cause),
        R::Pool(cause) => of_pool(&cause),
        R::Checkpoint(cause) => of_checkpoint(&cause, database),
        R::Boot(cause) => of_boot(&cause, database),
        R::NoChance(cause) => error(1802, cause.to_string()),
    }
}

fn unreadable(path: &str, source: &BackupReadError) -> SqlError {
    match source {
        BackupReadError::Device(cause) => {
            SqlError::new(3201, 16, 2, format!("Cannot open backup device '{path}'. Operating system error {cause}."))
        }
        BackupReadError::Foreign => SqlError::new(
            3241,
            16,
            0,
            format!(
                "The media family on device '{path}' is incorrectly formed. SQL Server cannot process this media family."
            ),
        ),
        BackupReadError::Newer { .. } => {
            error(3169, format!("The backup on device '{path}' is of a newer version than this server: {source}."))
        }
        BackupReadError::Damaged { .. } => {
            error(3189, format!("Damage to the backup set was detected on device '{path}': {source}."))
        }
    }
}

/// A database that was not created.
#[must_use]
pub fn of_create(cause: &CreateDatabaseError, name: &str) -> SqlError {
    use CreateDatabaseError as C;
    let (number, text) = match cause {
        C::NameInUse { name } => (1801, format!("Database '{name}' already exists. Choose a different database name.")),
        C::TooManyDatabases => (1835, format!("Unable to create/attach any new database: {cause}.")),
        C::Plan(plan) => (plan_number(plan), format!("{plan}.")),
        C::NoDirectory { path } => (
            5133,
            format!(
                "Directory lookup for the file \"{}\" failed with the operating system error 2(No such file or directory).",
                path.display()
            ),
        ),
        C::FileExists { path } => (
            5170,
            format!(
                "Cannot create file '{}' because it already exists. Change the file path or the file name, and retry the operation.",
                path.display()
            ),
        ),
        C::Create { path, reason } => (
            5123,
            format!(
                "CREATE FILE encountered operating system error {reason} while attempting to open or create the physical file '{}'.",
                path.display()
            ),
        ),
        C::Settings(cause) => return of_settings(cause),
        C::NoChance(_) => (1802, format!("CREATE DATABASE '{name}' failed: {cause}.")),
    };
    SqlError::new(number, 16, 1, text)
}

fn plan_number(cause: &PlanError) -> i32 {
    match cause {
        PlanError::Name(name) if name.is_empty() => 1038,
        PlanError::Name(_) | PlanError::FileName(_) => 103,
        PlanError::NameTwice(_) => 1828,
        PlanError::Path(_) => 5105,
        PlanError::PrimaryTooSmall { .. } => 1803,
        PlanError::TooSmall { .. } => 5174,
        PlanError::MaxBelowSize { .. } => 5103,
        PlanError::GrowthAboveMax { .. } => 5169,
        PlanError::TooManyFiles => 5033,
    }
}

/// A change of a whole database that was not made.
#[must_use]
pub fn of_alter(cause: &AlterDatabaseError, name: &str) -> SqlError {
    use AlterDatabaseError as A;
    let (number, text) = match cause {
        A::NoDatabase { .. } => return unknown_database(name),
        A::OfTheSystem { .. } => {
            (5058, format!("Option or name of database '{name}' cannot be set: it is a system database."))
        }
        A::NameInUse { name } => (1801, format!("Database '{name}' already exists. Choose a different database name.")),
        A::BadName { name } => (103, format!("'{name}' is no name for a database.")),
        A::Unavailable(cause) => return of_unavailable(cause),
        A::Settings(cause) => return of_settings(cause),
        A::TooManyDatabases => (1835, format!("{cause}.")),
        A::File { .. } | A::Boot(_) | A::Checkpoint(_) | A::NotADatabase => {
            (5069, format!("ALTER DATABASE statement failed: {cause}."))
        }
    };
    SqlError::new(number, 16, 1, text)
}
