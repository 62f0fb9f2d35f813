//! CREATE DATABASE and DROP DATABASE.
//!
//! ```text
//!   create   entry Creating ──▶ files made, synced ──▶ entry Ready ──▶ registry
//!   drop     registry ──▶ entry Dropping ──▶ pages forgotten ──▶ files deleted ──▶ entry gone
//! ```
//!
//! What always holds: each arrow is durable before the next, so that a start after a crash finds the whole database or
//! deletes what there is of it. A refused statement leaves no file and no entry.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_device::chance;

use crate::ask::Ask;
use crate::contract::{DbId, FileId};
use crate::database::alter_error::AlterDatabaseError;
use crate::database::boot_page::{BootFacts, COLLATION_BYTES_MAX};
use crate::database::databases::{Databases, FIRST_USER_ID};
use crate::database::files::{FileOwner, FilePlan, is_anothers, make_files, sync_all};
use crate::database::open::{close_files, open_new};
use crate::database::options::DatabaseOptions;
use crate::database::plan::{ModelSizes, NewDatabase, PlanError, plan};
use crate::database::system::{MODEL_SIZES, delete_remains_of, entry_of};
use crate::database::{Database, DatabaseState, snapshot_files};
use crate::file::StorageFile;
use crate::open_error::{FileFailure, FileProblem};
use crate::services::StorageServices;
use crate::settings::SettingsError;
use crate::settings::databases::{Stage, StoredDatabase};

/// Most databases of an instance.
pub const DATABASES_MAX: u16 = 32767;

/// Why a database was not created. The numbers are SQL Server's.
#[derive(Debug, thiserror::Error)]
pub enum CreateDatabaseError {
    /// 1801
    #[error("there is a database '{name}' already")]
    NameInUse {
        /// Name.
        name: String,
    },
    /// 1835, 5033 …
    #[error("an instance has at most {DATABASES_MAX} databases")]
    TooManyDatabases,
    /// 103, 1803, 1828, 5103, 5169, 5174
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// 5133
    #[error("the directory of {path} does not exist")]
    NoDirectory {
        /// File.
        path: PathBuf,
    },
    /// 5170
    #[error("{path} exists already")]
    FileExists {
        /// File.
        path: PathBuf,
    },
    /// 5123, 5149: the system's reason is inside; a full disk among them.
    #[error("{path} cannot be made: {reason}")]
    Create {
        /// File.
        path: PathBuf,
        /// Why.
        reason: FileProblem,
    },
    /// The list of databases could not be stored.
    #[error("the list of databases could not be stored: {0}")]
    Settings(#[from] SettingsError),
    /// The system gave no random numbers for the database's identity.
    #[error(transparent)]
    NoChance(#[from] chance::NoChance),
}

impl From<FileFailure> for CreateDatabaseError {
    fn from(failure: FileFailure) -> CreateDatabaseError {
        let FileFailure { path, reason } = failure;
        match reason {
            FileProblem::Unexpected => CreateDatabaseError::FileExists { path },
            FileProblem::NoDirectory => CreateDatabaseError::NoDirectory { path },
            reason => CreateDatabaseError::Create { path, reason },
        }
    }
}

/// CREATE DATABASE: the database is there, durable and online, when this returns.
///
/// # Errors
/// [`CreateDatabaseError`].
pub fn create_database(
    databases: &Databases,
    ask: &Ask<'_>,
    new: &NewDatabase,
) -> Result<Arc<Database>, CreateDatabaseError> {
    create(databases, ask, new, false, &mut |_| ())
}

/// Who makes a database is told its number before anybody can find it. Nothing may be waited for there.
pub type Claim<'c> = &'c mut dyn FnMut(DbId);

/// The same, claimed.
///
/// # Errors
/// [`CreateDatabaseError`].
pub fn create_claimed_database(
    databases: &Databases,
    ask: &Ask<'_>,
    new: &NewDatabase,
    claim: Claim<'_>,
) -> Result<Arc<Database>, CreateDatabaseError> {
    create(databases, ask, new, false, claim)
}

/// The same of one that is dropped by the next start, unless [`keep_database`] says otherwise before.
///
/// # Errors
/// [`CreateDatabaseError`].
pub fn create_transient_database(
    databases: &Databases,
    ask: &Ask<'_>,
    new: &NewDatabase,
    claim: Claim<'_>,
) -> Result<Arc<Database>, CreateDatabaseError> {
    create(databases, ask, new, true, claim)
}

/// A transient database stays from here on.
///
/// # Errors
/// The list of databases cannot be stored.
pub fn keep_database(databases: &Databases, db: DbId) -> Result<(), AlterDatabaseError> {
    let _altering = databases.altering.lock();
    let keep = |entry: &mut StoredDatabase| entry.is_transient = false;
    databases.settings.change_databases(|list| list.iter_mut().filter(|entry| entry.id() == db).for_each(keep))?;
    Ok(())
}

fn create(
    databases: &Databases,
    ask: &Ask<'_>,
    new: &NewDatabase,
    is_transient: bool,
    claim: Claim<'_>,
) -> Result<Arc<Database>, CreateDatabaseError> {
    let _altering = databases.altering.lock();
    if databases.database_by_name(&new.name).is_some() {
        return Err(CreateDatabaseError::NameInUse { name: new.name.clone() });
    }
    let plans =
        plan(new, model_sizes(&databases.services), databases.services.dir.as_deref(), &databases.services.folders)?;
    check_places(&databases.services, &plans)?;
    let owner = FileOwner { db: free_id(databases)?, guid: chance::guid()? };
    assert!(
        databases.database(owner.db).is_none() && databases.services.volume.files(owner.db).is_empty(),
        "number {} has a database already",
        owner.db
    );
    let boot = boot_of_new(databases, new);
    let entry = StoredDatabase {
        is_transient,
        ..entry_of(&databases.services, owner, &new.name, boot.created_utc_us, Stage::Creating, &plans)
    };
    databases.settings.change_databases(|list| list.push(entry.clone()))?;
    let made = make_files(ask, &databases.services, owner, &new.name, &plans, &boot)
        .and_then(|files| finish_creation(&databases.services, ask, &entry, &files));
    let made = made.map_err(CreateDatabaseError::from).and_then(|database| {
        databases.set_stage(owner.db, Stage::Ready)?;
        Ok(Arc::new(database))
    });
    match made {
        Ok(database) => {
            assert!(
                databases.entry(owner.db).is_some_and(|entry| entry.stage == Stage::Ready),
                "{} is there, and the next start would delete it",
                owner.db
            );
            claim(owner.db);
            databases.registry.write().insert(owner.db, database.clone());
            Ok(database)
        }
        Err(error) => {
            forget(databases, &entry);
            Err(error)
        }
    }
}

/// Makes the files durable and opens the database that they are.
fn finish_creation(
    services: &StorageServices,
    ask: &Ask<'_>,
    entry: &StoredDatabase,
    files: &[Arc<StorageFile>],
) -> Result<Database, FileFailure> {
    sync_all(files)?;
    let paths: Vec<PathBuf> = entry.files.iter().map(|file| services.resolve(&file.path)).collect();
    let synced = services.sync_dirs(paths.iter().map(PathBuf::as_path));
    synced.map_err(|error| FileFailure { path: paths[0].clone(), reason: error.into() })?;
    open_new(ask, services, entry, files)
}

/// Closes and deletes whatever there is of a database that was not finished, then its entry.
fn forget(databases: &Databases, entry: &StoredDatabase) {
    close_files(&databases.services, entry.id());
    assert!(databases.database(entry.id()).is_none(), "{} is used, and forgotten", entry.id());
    delete_remains_of(&databases.services, entry);
    // When the list cannot be stored either, the next start does the same again.
    let _ = databases.settings.change_databases(|list| list.retain(|other| other.id != entry.id));
}

/// DROP DATABASE: its sessions are gone and its locks are the caller's. A database that is not open goes too; the files of one
/// that is offline stay.
///
/// # Errors
/// [`AlterDatabaseError`].
pub fn drop_database(databases: &Databases, db: DbId) -> Result<(), AlterDatabaseError> {
    let _altering = databases.altering.lock();
    let database = databases.user_database(db)?;
    snapshot_files::check_none(databases, db, "drop")?;
    let source = database.origin().source.and_then(|source| databases.entry(source));
    if source.is_some_and(|source| source.is_reverting) {
        return Err(AlterDatabaseError::InUse);
    }
    let was_open = database.handle().is_ok();
    let forgotten = || databases.settings.change_databases(|list| list.retain(|other| other.id() != db));
    let is_offline = database.state() == DatabaseState::Offline;
    if is_offline { forgotten() } else { databases.set_stage(db, Stage::Dropping) }?;
    leave_registry(databases, db);
    database.mark_dropped();
    if is_offline {
        return Ok(());
    }
    let entry = databases.entry(db).expect("a database that is not tempdb has an entry");
    assert!(entry.stage == Stage::Dropping, "files of {db} go, and the list says it is there");
    if let Ok(Some(log)) = database.log() {
        log.close_broken("the database is dropped");
    }
    snapshot_files::release(&databases.services, &entry);
    close_files(&databases.services, db);
    let paths: Vec<PathBuf> = entry.files.iter().map(|file| databases.services.resolve(&file.path)).collect();
    let owner = FileOwner { db, guid: entry.guid() };
    // Files of a database that is closed may have been given to another one.
    let stays = |path: &PathBuf| !was_open && is_anothers(&databases.services, path, owner);
    paths.iter().filter(|path| !stays(path)).for_each(|path| databases.services.remove(path));
    // When a directory cannot be synced, the entry stays and the next start deletes what is left.
    if databases.services.sync_dirs(paths.iter().map(PathBuf::as_path)).is_ok() {
        forgotten()?;
    }
    Ok(())
}

/// What a new database has of model.
pub(crate) fn model_sizes(services: &StorageServices) -> ModelSizes {
    let pages = |file| services.volume.file(DbId::MODEL, FileId(file)).map(|file| file.size_pages());
    ModelSizes {
        data_pages: pages(1).unwrap_or(MODEL_SIZES.data_pages),
        log_pages: pages(2).unwrap_or(MODEL_SIZES.log_pages),
    }
}

fn boot_of_new(databases: &Databases, new: &NewDatabase) -> BootFacts {
    let model = databases.database(DbId::MODEL).map(|model| (model.options(), model.collation()));
    let (options, model_collation) = model.unwrap_or((DatabaseOptions::default(), String::new()));
    let collation = new.collation.clone().unwrap_or(model_collation);
    debug_assert!(collation.len() <= COLLATION_BYTES_MAX, "collations have short names");
    BootFacts::new(databases.services.clock.wall().utc_us, options, &collation)
}

pub(crate) fn free_id(databases: &Databases) -> Result<DbId, CreateDatabaseError> {
    let entries = databases.settings.stored_databases();
    assert!(databases.altering.is_locked(), "two look for a number at the same time");
    let mut gone = databases.gone.lock();
    let mut free = (FIRST_USER_ID..=DATABASES_MAX).filter(|id| entries.iter().all(|entry| entry.id != *id));
    if let Some(fresh) = free.clone().find(|id| !gone.contains_key(id)) {
        return Ok(DbId(fresh));
    }
    // All were given since the start: those that are free begin again.
    gone.clear();
    free.next().map(DbId).ok_or(CreateDatabaseError::TooManyDatabases)
}

/// The database leaves the registry for good.
pub(crate) fn leave_registry(databases: &Databases, db: DbId) {
    assert!(databases.altering.is_locked(), "{db} leaves while others look for a number");
    let name = databases.database(db).map_or_else(String::new, |database| database.name());
    databases.gone.lock().insert(db.0, name);
    databases.registry.write().remove(&db);
}

/// What a database was called that is gone, for who remembers its number.
#[must_use]
pub fn name_of_gone(databases: &Databases, db: DbId) -> Option<String> {
    databases.gone.lock().get(&db.0).filter(|name| !name.is_empty()).cloned()
}

/// Whether files can be made there: their directories exist and they do not.
pub(crate) fn check_places(services: &StorageServices, plans: &[FilePlan]) -> Result<(), CreateDatabaseError> {
    for path in plans.iter().map(|plan| &plan.path) {
        if !services.has_directory(path) {
            return Err(CreateDatabaseError::NoDirectory { path: path.clone() });
        }
        if services.exists(path) {
            return Err(CreateDatabaseError::FileExists { path: path.clone() });
        }
    }
    Ok(())
}
