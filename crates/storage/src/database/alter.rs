//! ALTER DATABASE … SET and MODIFY NAME; offline, online and detached.
//!
//! What always holds: a change is durable before its success is reported. Options lie in the boot page, names in the
//! list of databases.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{FileIdentity, OpenMode};

use crate::ask::Ask;
use crate::contract::{DbId, WriteReason};
use crate::database::alter_error::AlterDatabaseError;
use crate::database::checkpoint::run_checkpoint;
use crate::database::create::Claim;
use crate::database::databases::Databases;
use crate::database::files::{FileOwner, make_own, open_alone};
use crate::database::open::{
    HowRecovered, close_files, closed, open_database, open_files, recover_database, set_log_keeping, state_after,
};
use crate::database::options::DatabaseOptions;
use crate::database::plan::{is_name, same_name};
use crate::database::{BootError, Database, DatabaseState, Unavailable, create, snapshot_files};
use crate::file::file_header::{FileHeader, FileKind};
use crate::open_error::{FileFailure, FileProblem, problem_of_opening};
use crate::services::StorageServices;
use crate::settings::databases::{Stage, StoredDatabase, StoredFile};
use crate::wal::doublewrite::Copies;
use crate::wal::recovery::AtDamage;
use millpond_device::guid::hex;

/// ALTER DATABASE … MODIFY NAME.
///
/// # Errors
/// [`AlterDatabaseError`].
pub fn rename_database(databases: &Databases, db: DbId, name: &str) -> Result<(), AlterDatabaseError> {
    let _altering = databases.altering.lock();
    let database = databases.user_database(db)?;
    refuse_snapshot(&database, "alter")?;
    if !is_name(name) {
        return Err(AlterDatabaseError::BadName { name: name.into() });
    }
    let others = databases.all_databases().into_iter().filter(|other| other.id() != db);
    if others.into_iter().any(|other| same_name(&other.name(), name)) {
        return Err(AlterDatabaseError::NameInUse { name: name.into() });
    }
    databases.settings.change_databases(|list| {
        list.iter_mut().filter(|entry| entry.id() == db).for_each(|entry| entry.name = name.to_owned());
    })?;
    database.set_name(name);
    assert!(
        databases.entry(db).is_some_and(|entry| entry.name == database.name()),
        "{db} is called '{name}', and the list has another name"
    );
    Ok(())
}

/// ALTER DATABASE … SET: `change` gets the options as they are and says what they become. Whether other sessions
/// stand in the way is the caller's business.
///
/// # Errors
/// [`AlterDatabaseError`]; options of tempdb cannot be changed.
pub fn set_database_options(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    change: impl FnOnce(&mut DatabaseOptions),
) -> Result<Arc<Database>, AlterDatabaseError> {
    let _altering = databases.altering.lock();
    if db == DbId::TEMPDB {
        return Err(AlterDatabaseError::OfTheSystem { db });
    }
    let database = databases.database(db).ok_or(AlterDatabaseError::NoDatabase { db })?;
    refuse_snapshot(&database, "alter")?;
    let mut options = database.options();
    change(&mut options);
    let keeping = database.lock_keeping();
    database.set_options(ask, options)?;
    set_log_keeping(database.handle()?, &database.boot());
    drop(keeping);
    Ok(database)
}

/// ALTER DATABASE … COLLATE: `name` is that of a collation, which this crate does not know.
///
/// # Errors
/// [`AlterDatabaseError`]; a database of the system keeps its own.
pub fn set_collation(databases: &Databases, ask: &Ask<'_>, db: DbId, name: &str) -> Result<(), AlterDatabaseError> {
    let _altering = databases.altering.lock();
    let database = databases.user_database(db)?;
    refuse_snapshot(&database, "alter")?;
    Ok(database.set_collation(ask, name)?)
}

/// A snapshot stays as it is.
fn refuse_snapshot(database: &Database, doing: &'static str) -> Result<(), AlterDatabaseError> {
    if database.origin().is_snapshot() { Err(AlterDatabaseError::OfSnapshot { doing }) } else { Ok(()) }
}

/// What lies over the files of another database is open whenever that is, and nowhere else.
fn refuse_overlaid(database: &Database, doing: &'static str) -> Result<(), AlterDatabaseError> {
    if database.origin().is_copy() {
        return Err(AlterDatabaseError::OfCopy);
    }
    refuse_snapshot(database, doing)
}

/// SET OFFLINE: checkpointed and closed; its files are closed until it is online again. Its sessions are gone.
///
/// # Errors
/// [`AlterDatabaseError`].
pub fn set_offline(databases: &Databases, ask: &Ask<'_>, db: DbId) -> Result<(), AlterDatabaseError> {
    let _altering = databases.altering.lock();
    let database = databases.user_database(db)?;
    refuse_overlaid(&database, "alter")?;
    snapshot_files::check_none(databases, db, "close")?;
    close_database(databases, ask, &database)?;
    databases.set_stage(db, Stage::Offline)?;
    replace(databases, db, Some(DatabaseState::Offline));
    Ok(())
}

/// SET ONLINE: opened as at a start. One that is open already stays as it is; one that cannot be opened says why and
/// can be tried again. A database with transactions to be undone is `Recovering` then.
///
/// # Errors
/// [`AlterDatabaseError::File`].
pub fn set_online(databases: &Databases, ask: &Ask<'_>, db: DbId) -> Result<Arc<Database>, AlterDatabaseError> {
    let _altering = databases.altering.lock();
    open_again(databases, ask, db, HowRecovered::WHOLE)
}

fn open_again(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    how: HowRecovered,
) -> Result<Arc<Database>, AlterDatabaseError> {
    let database = databases.user_database(db)?;
    if database.handle().is_ok() {
        return Ok(database);
    }
    let entry = databases.entry(db).ok_or(AlterDatabaseError::NoDatabase { db })?;
    refuse_overlaid(&database, "alter")?;
    let files = open_files(ask, &databases.services, &entry, &Copies::default());
    // Before the log is redone: what it changes has to be kept.
    let snapshots = if files.is_ok() { snapshot_files::open_all(databases, ask, db) } else { Vec::new() };
    let opened = files.and_then(|files| recover_database(ask, &databases.services, &entry, &files, how));
    snapshot_files::recover_all(databases, ask, snapshots);
    if let Err(failure) = &opened {
        replace(databases, db, Some(state_after(failure)));
    }
    let opened = Arc::new(opened?);
    if how.at_damage == AtDamage::CutOff {
        // From here on the log begins after what was given up.
        run_checkpoint(ask, &databases.services, &opened, WriteReason::Recovery)?;
    }
    databases.set_stage(db, Stage::Ready)?;
    database.mark_dropped();
    assert!(opened.id() == db && opened.guid() == database.guid(), "another database is opened in the place of {db}");
    databases.registry.write().insert(db, opened.clone());
    Ok(opened)
}

/// SET EMERGENCY: the administrator takes what can be had of a database that is suspect or waits for its
/// recovery, by [`repair_database`] or with its files. Until the next start.
///
/// # Errors
/// [`AlterDatabaseError`]; [`AlterDatabaseError::Unavailable`] with the state when it is another one.
pub fn set_emergency(databases: &Databases, db: DbId) -> Result<(), AlterDatabaseError> {
    let _altering = databases.altering.lock();
    let database = databases.user_database(db)?;
    refuse_overlaid(&database, "alter")?;
    let reason = match database.state() {
        DatabaseState::Suspect { reason }
        | DatabaseState::RecoveryPending { reason }
        | DatabaseState::Emergency { reason } => reason,
        state => return Err(Unavailable { name: database.name(), state }.into()),
    };
    database.set_state(DatabaseState::Emergency { reason });
    Ok(())
}

/// Opens a database that is in [`DatabaseState::Emergency`] with what can be read of its log; what lies after the
/// damage is lost, and pages may be newer than their log. It is `Recovering` where transactions are to be undone.
///
/// # Errors
/// [`AlterDatabaseError::Unavailable`] when it is in another state; [`AlterDatabaseError::File`]: it is suspect again.
pub fn repair_database(databases: &Databases, ask: &Ask<'_>, db: DbId) -> Result<Arc<Database>, AlterDatabaseError> {
    let _altering = databases.altering.lock();
    let database = databases.user_database(db)?;
    match database.state() {
        DatabaseState::Emergency { .. } => {
            let database = open_again(databases, ask, db, HowRecovered::CUT_OFF)?;
            // No log backup leads over what was cut off.
            database.set_chain(ask, None)?;
            Ok(database)
        }
        state => Err(Unavailable { name: database.name(), state }.into()),
    }
}

/// sp_detach_db: closed and forgotten; returns where its files are.
///
/// # Errors
/// [`AlterDatabaseError`].
pub fn detach_database(databases: &Databases, ask: &Ask<'_>, db: DbId) -> Result<Vec<PathBuf>, AlterDatabaseError> {
    let _altering = databases.altering.lock();
    let database = databases.user_database(db)?;
    refuse_overlaid(&database, "detach")?;
    snapshot_files::check_none(databases, db, "detach")?;
    close_database(databases, ask, &database)?;
    let entry = databases.entry(db).ok_or(AlterDatabaseError::NoDatabase { db })?;
    databases.settings.change_databases(|list| list.retain(|other| other.id() != db))?;
    replace(databases, db, None);
    assert!(databases.entry(db).is_none() && databases.database(db).is_none(), "{db} is detached, and still known");
    Ok(entry.files.iter().map(|file| databases.services.resolve(&file.path)).collect())
}

/// Checkpoints and closes a database that is open.
pub(crate) fn close_database(
    databases: &Databases,
    ask: &Ask<'_>,
    database: &Database,
) -> Result<(), AlterDatabaseError> {
    if let Ok(Some(log)) = database.log() {
        run_checkpoint(ask, &databases.services, database, WriteReason::Checkpoint)?;
        log.close(ask).map_err(BootError::from)?;
    }
    database.mark_dropped();
    assert!(
        databases.altering.is_locked() && !database.is_temporary(),
        "{} is closed, and others may be opening it",
        database.id()
    );
    close_files(&databases.services, database.id());
    Ok(())
}

/// Puts a closed database in its place, or nothing.
fn replace(databases: &Databases, db: DbId, state: Option<DatabaseState>) {
    let entry = databases.entry(db).zip(state);
    assert!(databases.altering.is_locked(), "{db} is replaced while others alter databases");
    assert!(databases.services.volume.files(db).is_empty(), "{db} is closed, and its files are open");
    if let Some(old) = databases.database(db) {
        old.mark_dropped();
    }
    match entry {
        Some((entry, state)) => _ = databases.registry.write().insert(db, Arc::new(closed(&entry, state))),
        None => create::leave_registry(databases, db),
    }
}

/// CREATE DATABASE … FOR ATTACH: takes over the files of a database that was detached here or elsewhere, all of them,
/// in any order; those that are not named are looked for in the folder of the first. A database that was not closed in order is
/// recovered. `claim` is told the number first.
///
/// # Errors
/// [`AlterDatabaseError`]; the files stay where they are.
pub fn attach_database(
    databases: &Databases,
    ask: &Ask<'_>,
    name: &str,
    paths: &[PathBuf],
    claim: Claim<'_>,
) -> Result<Arc<Database>, AlterDatabaseError> {
    let _altering = databases.altering.lock();
    if !is_name(name) {
        return Err(AlterDatabaseError::BadName { name: name.into() });
    }
    if databases.database_by_name(name).is_some() {
        return Err(AlterDatabaseError::NameInUse { name: name.into() });
    }
    let entry = entry_to_attach(databases, name, paths)?;
    let owner = FileOwner { db: entry.id(), guid: entry.guid() };
    take_over(&databases.services, &entry, owner)?;
    assert!(databases.database(entry.id()).is_none(), "number {} has a database already", entry.id());
    let database = Arc::new(open_database(ask, &databases.services, &entry, HowRecovered::WHOLE)?);
    if let Err(error) = databases.settings.change_databases(|list| list.push(entry.clone())) {
        close_files(&databases.services, entry.id());
        return Err(error.into());
    }
    claim(entry.id());
    databases.registry.write().insert(entry.id(), database.clone());
    Ok(database)
}

/// The headers of the files say whose they are from now on; none of them does where somebody has one.
fn take_over(services: &StorageServices, entry: &StoredDatabase, owner: FileOwner) -> Result<(), FileFailure> {
    let paths: Vec<PathBuf> = entry.files.iter().map(|file| services.resolve(&file.path)).collect();
    let failed = |path: &PathBuf, reason: FileProblem| FileFailure { path: path.clone(), reason };
    let open = |path: &PathBuf| open_alone(services, path).map_err(|reason| failed(path, reason));
    let devices = paths.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    for (path, device) in paths.iter().zip(&devices) {
        make_own(&**device, owner, services.server_guid).map_err(|reason| failed(path, reason))?;
        device.sync().map_err(|error| failed(path, error.into()))?;
    }
    Ok(())
}

/// The files that the instance has listed, whether their databases are open or not.
fn listed_files(databases: &Databases) -> BTreeSet<FileIdentity> {
    let services = &databases.services;
    let durable = databases.settings.stored_databases().into_iter().flat_map(|entry| entry.files).map(|file| file.path);
    let temporary = databases.settings.tempdb_files().into_iter().filter_map(|spec| spec.path);
    durable.chain(temporary).map(|path| services.identity(&services.resolve(&path))).collect()
}

fn stored_file(databases: &Databases, path: &Path, header: FileHeader) -> StoredFile {
    let (file_id, log) = (header.file.0, header.kind == FileKind::Log);
    StoredFile { file_id, name: header.name, path: databases.services.stored_path(path), log, spare: None }
}

/// The files of a database in the folder of one of them; what cannot be read is none.
fn files_beside(databases: &Databases, path: &Path, guid: [u8; 16]) -> Vec<StoredFile> {
    let entries = path.parent().and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    let header_of = |path: &PathBuf| {
        let device = databases.services.open(path, OpenMode::ReadOnly).ok()?;
        FileHeader::read_from(&*device).ok().filter(|header| header.database_guid == guid)
    };
    files.filter_map(|path| header_of(&path).map(|header| stored_file(databases, &path, header))).collect()
}

/// The entry that the headers of the files make: all of one database, its first two files among them.
fn entry_to_attach(databases: &Databases, name: &str, paths: &[PathBuf]) -> Result<StoredDatabase, AlterDatabaseError> {
    let listed = listed_files(databases);
    let mut guids = Vec::new();
    let mut files: Vec<StoredFile> = Vec::new();
    for path in paths.iter().map(|path| databases.services.resolve(path)) {
        let failed = |reason| FileFailure { path: path.clone(), reason };
        if listed.contains(&databases.services.identity(&path)) {
            return Err(failed(FileProblem::InUse).into());
        }
        let device = databases.services.open(&path, OpenMode::ReadOnly).map_err(|e| failed(problem_of_opening(e)))?;
        let header = FileHeader::read_from(&*device).map_err(|error| failed(error.into()))?;
        guids.push(header.database_guid);
        files.push(stored_file(databases, &path, header));
    }
    if let (Some(first), Some(guid)) = (paths.first(), guids.first()) {
        let given: Vec<u16> = files.iter().map(|file| file.file_id).collect();
        let mut found = files_beside(databases, &databases.services.resolve(first), *guid);
        found.retain(|file| !listed.contains(&databases.services.identity(&databases.services.resolve(&file.path))));
        // A file that is there twice is a copy of the other: which one counts is for the caller to say.
        let numbers: Vec<u16> = found.iter().map(|file| file.file_id).collect();
        found.retain(|file| {
            let is_only = numbers.iter().filter(|number| **number == file.file_id).count() == 1;
            is_only && !given.contains(&file.file_id)
        });
        files.extend(found);
    }
    files.sort_by_key(|file| file.file_id);
    let db = create::free_id(databases).map_err(|_| AlterDatabaseError::TooManyDatabases)?;
    let guid = guids.first().copied().unwrap_or_default();
    let entry = StoredDatabase {
        id: db.0,
        name: name.to_owned(),
        guid: hex(&guid),
        created_utc_us: databases.services.clock.wall().utc_us,
        stage: Stage::Ready,
        restored_lsn: String::new(),
        restored_utc_us: 0,
        snapshot_of: None,
        is_copy: false,
        has_twin: databases.is_identity_taken(db, &guid),
        is_broken: false,
        is_reverting: false,
        is_transient: false,
        files,
    };
    let is_one = guids.windows(2).all(|pair| pair[0] == pair[1]);
    match entry.is_sound() && is_one {
        true => Ok(entry),
        false => Err(AlterDatabaseError::NotADatabase),
    }
}
