//! RESTORE DATABASE and RESTORE LOG.
//!
//! ```text
//!   backup read to its end, all checksums ──▶ new files beside ──▶ entry Restoring ──▶ old files replaced ──▶ redo
//!        WITH RECOVERY:   undo (the caller's) ──▶ online              NORECOVERY: pages written, closed, waits for more
//! ```
//!
//! What always holds: nobody writes a backup while it is read, and one that cannot be read to its end, or was cancelled before that,
//! changes nothing. From the time when the first file is
//! replaced until the end the entry says Restoring, so that after a crash the half is not taken for the whole. A log
//! backup is taken only when it follows without a gap; files that came since the backup before are made of what its log says of
//! them, and files that went go. A restore that stops in between can be done again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError, OpenMode, chance};

use super::format::{self, BackupFile, BackupHeader, BackupKind, BackupReadError, Section};
use super::{BackupReport, lsn_of, verify};
use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, FileId, PAGE_BYTES, WriteReason};
use crate::database::checkpoint::run_checkpoint;
use crate::database::create::CreateDatabaseError;
use crate::database::databases::Databases;
use crate::database::files::{FileOwner, make_own};
use crate::database::open::{HowRecovered, close_files, closed, open_files, recover_database};
use crate::database::plan::is_name;
use crate::database::{BootError, Database, DatabaseState, create, snapshot_files};
use crate::file::claimed_files::ClaimedFile;
use crate::file::file_header::{FileHeader, FileKind, HEADER_PAGE};
use crate::file::growth::{Growth, Limits};
use crate::file::tier::Tier;
use crate::open_error::{FileFailure, FileProblem};
use crate::pool::PoolError;
use crate::services::StorageServices;
use crate::settings::SettingsError;
use crate::settings::databases::{Stage, StoredDatabase, StoredFile};
use crate::space::map_init::DATA_FILE_PAGES_MIN;
use crate::wal::checkpoint::CheckpointError;
use crate::wal::doublewrite::Copies;
use crate::wal::recovery::RecoveryError;
use millpond_device::guid::bytes_of_hex;

/// RESTORE DATABASE … FROM DISK … WITH …
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoreRequest {
    /// FROM DISK
    pub from: PathBuf,
    /// FILE: which backup of that file, from 1; the first where it is not said.
    pub file: Option<u32>,
    /// Name of the database.
    pub name: String,
    /// MOVE: logical names and where those files go.
    pub moves: Vec<(String, PathBuf)>,
    /// REPLACE: a database of that name is replaced, whatever it is.
    pub replace: bool,
    /// NORECOVERY
    pub no_recovery: bool,
    /// STOPAT, microseconds since 1970 UTC.
    pub stop_at_us: Option<i64>,
}

impl RestoreRequest {
    fn position(&self) -> u32 {
        self.file.unwrap_or(1)
    }

    /// Whether the database waits for more backups afterwards: it is to, or STOPAT lies after what this one has (4322).
    #[must_use]
    pub fn stays_restoring(&self, report: &BackupReport) -> bool {
        let end = &report.end;
        let covered_utc_us = if end.covered_utc_us == 0 { end.finished_utc_us } else { end.covered_utc_us };
        self.no_recovery || self.stop_at_us.is_some_and(|stop_at_us| stop_at_us > covered_utc_us)
    }
}

/// Why nothing was restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// 3201, 3203, 3241 …: the backup cannot be read; nothing was changed.
    #[error("{path}: {source}")]
    Backup {
        /// Backup.
        path: PathBuf,
        /// Why.
        source: BackupReadError,
    },
    /// 3118, 3135: a log backup where a full one is needed, or the other way round.
    #[error("{path} is a backup of another kind than this statement takes")]
    Kind {
        /// Backup.
        path: PathBuf,
    },
    /// 3154: the backup is of another database; REPLACE would take it.
    #[error("the backup is not of the existing database '{name}'")]
    OtherDatabase {
        /// Name.
        name: String,
    },
    /// 3159: the database is in use and was not said to be replaced.
    #[error("database '{name}' exists and is not being restored")]
    Exists {
        /// Name.
        name: String,
    },
    /// 3108, 5058: master, tempdb, model and msdb are not restored here.
    #[error("database {db} belongs to the system")]
    OfTheSystem {
        /// Number.
        db: DbId,
    },
    /// 3709: it has a database snapshot.
    #[error("the database snapshot '{name}' refers to it")]
    HasSnapshot {
        /// Snapshot.
        name: String,
    },
    /// 3002
    #[error("the database is a snapshot")]
    OfSnapshot,
    /// 3137: the names do not fit, there are other snapshots, or files are missing.
    #[error("the database cannot be put back to what it was in that snapshot")]
    CannotRevert,
    /// 3101: others came to it before its place was looked for.
    #[error("database '{name}' is in use")]
    InUse {
        /// Name.
        name: String,
    },
    /// 3117: no restore is under way that a log could follow.
    #[error("database '{name}' is not being restored")]
    NotRestoring {
        /// Name.
        name: String,
    },
    /// 4305: a log backup is missing in between.
    #[error("the log in this backup begins at {first}, too late for the database, which is at {restored}")]
    TooRecent {
        /// Where it begins.
        first: String,
        /// Where the database is.
        restored: String,
    },
    /// 4326: everything in it is there already.
    #[error("the log in this backup ends at {last}, before the database, which is at {restored}")]
    TooEarly {
        /// Where it ends.
        last: String,
        /// Where the database is.
        restored: String,
    },
    /// 4335, 4338: STOPAT lies before what is restored already, or before the end of a full backup.
    #[error("the database is rolled forward past that time already")]
    StopTooEarly,
    /// The asker was cancelled.
    #[error("the restore was cancelled")]
    Cancelled,
    /// 3241: the backup has pages of a file that it does not name.
    #[error("{path} has something of file {file}, which it does not name")]
    UnknownFile {
        /// Backup.
        path: PathBuf,
        /// Number.
        file: FileId,
    },
    /// 3234: MOVE names a file that the backup does not have.
    #[error("the backup has no file '{name}'")]
    NoFile {
        /// Name.
        name: String,
    },
    /// 1834, 5170, 5133, 5123 …
    #[error(transparent)]
    Create(#[from] CreateDatabaseError),
    /// A file could not be written, or the database cannot be opened.
    #[error("{path}: {reason}")]
    File {
        /// File.
        path: PathBuf,
        /// Why.
        reason: FileProblem,
    },
    /// The list of databases could not be stored.
    #[error("the list of databases could not be stored: {0}")]
    Settings(#[from] SettingsError),
    /// Restored pages could not be written.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The checkpoint after the restore failed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The restored database could not be changed.
    #[error(transparent)]
    Boot(#[from] BootError),
    /// The system gave no random numbers.
    #[error(transparent)]
    NoChance(#[from] chance::NoChance),
}

impl From<FileFailure> for RestoreError {
    fn from(failure: FileFailure) -> RestoreError {
        match failure.reason {
            FileProblem::Recovery(RecoveryError::Cancelled) => RestoreError::Cancelled,
            FileProblem::Recovery(RecoveryError::StopTooEarly) => RestoreError::StopTooEarly,
            reason => RestoreError::File { path: failure.path, reason },
        }
    }
}

fn write_failure(path: &Path) -> impl FnOnce(DeviceError) -> RestoreError {
    let path = path.to_path_buf();
    move |error| RestoreError::File { path, reason: error.into() }
}

/// A file that is being restored beside its place.
#[derive(Debug)]
struct Target {
    file: BackupFile,
    path: PathBuf,
    beside: PathBuf,
}

impl Target {
    fn new(file: &BackupFile, path: PathBuf) -> Target {
        let mut name = path.clone().into_os_string();
        name.push(".restoring");
        Target { file: file.clone(), path, beside: name.into() }
    }
}

/// RESTORE VERIFYONLY, HEADERONLY, FILELISTONLY: reads a backup to its end and checks all of it.
///
/// # Errors
/// [`RestoreError::Backup`].
pub fn verify_backup(
    databases: &Databases,
    ask: &Ask<'_>,
    from: &Path,
    position: u32,
) -> Result<BackupReport, RestoreError> {
    let path = databases.services.resolve_backup(from);
    let _claimed = claimed(&databases.services, &path)?;
    verified(databases, ask, &path, position)
}

/// RESTORE HEADERONLY: the same of all backups of a file; of the first one in any case.
///
/// # Errors
/// [`RestoreError::Backup`].
pub fn verify_backups(databases: &Databases, ask: &Ask<'_>, from: &Path) -> Result<Vec<BackupReport>, RestoreError> {
    let path = databases.services.resolve_backup(from);
    let _claimed = claimed(&databases.services, &path)?;
    let failed = |source| unreadable(&path, source);
    let device = databases.services.media.open(&path, OpenMode::ReadOnly).map_err(|error| failed(error.into()))?;
    let (mut starts, _) = format::sets(&*device).map_err(failed)?;
    check!(starts.first().is_none_or(|start| *start == 0), "the first backup of {} is not its begin", path.display());
    if starts.is_empty() {
        starts.push(0);
    }
    (1..).zip(starts).map(|set| verify(ask, &*device, set).map_err(failed)).collect()
}

/// A backup that nobody writes as long as this lives.
fn claimed(services: &StorageServices, path: &Path) -> Result<ClaimedFile, RestoreError> {
    let in_use = || RestoreError::Backup { path: path.to_path_buf(), source: BackupReadError::InUse };
    services.backups.to_read(services.identity(path)).ok_or_else(in_use)
}

fn verified(databases: &Databases, ask: &Ask<'_>, path: &Path, position: u32) -> Result<BackupReport, RestoreError> {
    let device = databases.services.media.open(path, OpenMode::ReadOnly).map_err(BackupReadError::from);
    let report = device.and_then(|device| verify(ask, &*device, (position, format::start_of(&*device, position)?)));
    report.map_err(|source| unreadable(path, source))
}

fn unreadable(path: &Path, source: BackupReadError) -> RestoreError {
    match source {
        BackupReadError::Cancelled => RestoreError::Cancelled,
        source => RestoreError::Backup { path: path.to_path_buf(), source },
    }
}

/// RESTORE DATABASE. Without NORECOVERY the database is online when this returns, or `Recovering` when transactions
/// are to be undone. Its sessions are gone.
///
/// # Errors
/// [`RestoreError`].
pub fn restore_database(
    databases: &Databases,
    ask: &Ask<'_>,
    request: &RestoreRequest,
) -> Result<Arc<Database>, RestoreError> {
    restore_claimed_database(databases, ask, request, &mut |_| true)
}

/// The same; `claim` is told the number before anything changes, and before anybody can find a new database by it. It says whether
/// the caller has that database for itself; nothing may be waited for there.
///
/// # Errors
/// [`RestoreError`].
pub fn restore_claimed_database(
    databases: &Databases,
    ask: &Ask<'_>,
    request: &RestoreRequest,
    claim: &mut dyn FnMut(DbId) -> bool,
) -> Result<Arc<Database>, RestoreError> {
    let from = databases.services.resolve_backup(&request.from);
    let _claimed = claimed(&databases.services, &from)?;
    let _altering = databases.altering.lock();
    let report = verified(databases, ask, &from, request.position())?;
    if report.header.kind != BackupKind::Full {
        return Err(RestoreError::Kind { path: request.from.clone() });
    }
    if request.stop_at_us.is_some_and(|stop_at_us| stop_at_us < report.header.started_utc_us) {
        return Err(RestoreError::StopTooEarly);
    }
    let owner = owner_to_restore(databases, request, &report.header)?;
    check_snapshots(databases, owner.db)?;
    let targets = targets_of(databases, request, &report.header, owner.db)?;
    write_beside(&databases.services, ask, (&from, &report), &targets.iter().collect::<Vec<_>>(), owner)?;
    let old = databases.entry(owner.db);
    let has_twin = match &old {
        // Others may be waiting for what it decided, and know it by its name of before.
        Some(old) if old.guid() == owner.guid => old.has_twin,
        _ => databases.is_identity_taken(owner.db, &owner.guid),
    };
    let entry = entry_to_restore(&databases.services, request, &report, (owner, has_twin), &targets);
    if !claim(owner.db) {
        targets.iter().for_each(|target| databases.services.remove(&target.beside));
        return Err(RestoreError::InUse { name: request.name.clone() });
    }
    put_in_place(databases, &entry, &targets)?;
    for file in old.iter().flat_map(|old| &old.files) {
        let path = databases.services.resolve(&file.path);
        if targets.iter().all(|target| target.path != path) {
            databases.services.remove(&path);
        }
    }
    finish_restore(databases, ask, &entry, &report, request)
}

/// RESTORE LOG: the next backup of the chain.
///
/// # Errors
/// [`RestoreError`].
pub fn restore_log(
    databases: &Databases,
    ask: &Ask<'_>,
    request: &RestoreRequest,
) -> Result<Arc<Database>, RestoreError> {
    let from = databases.services.resolve_backup(&request.from);
    let _claimed = claimed(&databases.services, &from)?;
    let _altering = databases.altering.lock();
    let report = verified(databases, ask, &from, request.position())?;
    if report.header.kind != BackupKind::Log {
        return Err(RestoreError::Kind { path: request.from.clone() });
    }
    let not_restoring = || RestoreError::NotRestoring { name: request.name.clone() };
    let database = databases.database_by_name(&request.name).ok_or_else(not_restoring)?;
    let old = databases.entry(database.id()).filter(is_being_restored).ok_or_else(not_restoring)?;
    if old.guid != report.header.guid {
        return Err(RestoreError::OtherDatabase { name: request.name.clone() });
    }
    check_chain(&old, &report)?;
    if request.stop_at_us.is_some_and(|stop_at_us| stop_at_us < old.restored_utc_us) {
        return Err(RestoreError::StopTooEarly);
    }
    let owner = FileOwner { db: old.id(), guid: old.guid() };
    let targets = targets_of_log(databases, request, &report.header, &old)?;
    let entry = entry_after_log(&databases.services, request, &old, &report.header, &targets);
    let (made, copied): (Vec<&Target>, Vec<&Target>) = targets.iter().partition(|target| !target.file.log);
    let written = make_beside(&databases.services, &made, owner)
        .and_then(|()| write_beside(&databases.services, ask, (&from, &report), &copied, owner));
    if let Err(error) = written {
        targets.iter().for_each(|target| databases.services.remove(&target.beside));
        return Err(error);
    }
    put_in_place(databases, &entry, &targets)?;
    let restored = finish_restore(databases, ask, &entry, &report, request)?;
    for file in old.files.iter().filter(|file| entry.files.iter().all(|kept| kept.path != file.path)) {
        databases.services.remove(&databases.services.resolve(&file.path));
    }
    Ok(restored)
}

/// What a log backup writes: its log files, and data files that came since the backup before, whose pages its log has.
fn targets_of_log(
    databases: &Databases,
    request: &RestoreRequest,
    header: &BackupHeader,
    entry: &StoredDatabase,
) -> Result<Vec<Target>, RestoreError> {
    let is_there = |file: &&BackupFile| {
        let stored = entry.files.iter().find(|stored| (stored.file_id, stored.log) == (file.file_id, file.log));
        stored.map(|stored| databases.services.resolve(&stored.path)).filter(|path| databases.services.exists(path))
    };
    let wanted = header.files.iter().filter(|file| file.log || is_there(file).is_none());
    let (known, new): (Vec<&BackupFile>, Vec<&BackupFile>) = wanted.partition(|file| is_there(file).is_some());
    let mut targets: Vec<Target> =
        known.into_iter().filter_map(|file| Some(Target::new(file, is_there(&file)?))).collect();
    targets.extend(targets_for(databases, request, (header, &new), entry.id())?);
    assert!(targets.iter().any(|target| target.file.file_id == 2), "database {} has no log file 2", entry.id);
    Ok(targets)
}

/// The entry with the files that the log ends with. A data file that is gone by then may be there at the time of STOPAT.
fn entry_after_log(
    services: &StorageServices,
    request: &RestoreRequest,
    old: &StoredDatabase,
    header: &BackupHeader,
    targets: &[Target],
) -> StoredDatabase {
    let mut entry = StoredDatabase { stage: Stage::Restoring, ..old.clone() };
    entry.files.retain(|stored| {
        let is_listed = header.files.iter().any(|file| (file.file_id, file.log) == (stored.file_id, stored.log));
        is_listed || !stored.log && request.stop_at_us.is_some()
    });
    for target in targets {
        entry.files.retain(|stored| stored.file_id != target.file.file_id);
        entry.files.push(stored_file(services, target));
    }
    if request.stop_at_us.is_none() {
        for stored in &mut entry.files {
            let named = header.files.iter().find(|file| file.file_id == stored.file_id);
            named.into_iter().for_each(|file| stored.name.clone_from(&file.name));
        }
    }
    entry.files.sort_by_key(|stored| stored.file_id);
    check!(
        entry.files.windows(2).all(|pair| pair[0].file_id < pair[1].file_id),
        "database {} has two files of a number after a log",
        entry.id
    );
    assert!(entry.is_sound(), "database {} loses one of its first two files to a log", entry.id);
    entry
}

fn stored_file(services: &StorageServices, target: &Target) -> StoredFile {
    StoredFile {
        file_id: target.file.file_id,
        name: target.file.name.clone(),
        path: services.stored_path(&target.path),
        log: target.file.log,
        spare: None,
    }
}

/// Makes data files that have their header and nothing else: the log says what is in them, size and limits too.
fn make_beside(services: &StorageServices, targets: &[&Target], owner: FileOwner) -> Result<(), RestoreError> {
    for target in targets {
        services.remove(&target.beside);
        let failed = write_failure(&target.beside);
        let device = services.create(&target.beside).map_err(write_failure(&target.beside))?;
        let header = FileHeader {
            db: owner.db,
            file: FileId(target.file.file_id),
            file_guid: chance::guid()?,
            server_guid: services.server_guid,
            database_guid: owner.guid,
            size_pages: DATA_FILE_PAGES_MIN,
            configured_pages: DATA_FILE_PAGES_MIN,
            limits: Limits { max_pages: None, growth: Growth::Pages(0) },
            kind: FileKind::Data,
            tier: Tier::FIRST,
            name: target.file.name.clone(),
        };
        check!(!target.file.log && header.file.0 > 2, "file {} is made of what the log says", header.file);
        let mut page = [0; PAGE_BYTES];
        header.write(&mut page, HEADER_PAGE);
        let made = device.set_len(u64::from(DATA_FILE_PAGES_MIN) * PAGE_BYTES as u64);
        made.and_then(|()| device.write_at(0, &page)).and_then(|()| device.sync()).map_err(failed)?;
    }
    Ok(())
}

/// RESTORE DATABASE … WITH RECOVERY without a backup: no more are to come.
///
/// # Errors
/// [`RestoreError`].
pub fn restore_finish(databases: &Databases, ask: &Ask<'_>, name: &str) -> Result<Arc<Database>, RestoreError> {
    let _altering = databases.altering.lock();
    let not_restoring = || RestoreError::NotRestoring { name: name.into() };
    let database = databases.database_by_name(name).ok_or_else(not_restoring)?;
    let entry = databases.entry(database.id()).filter(is_being_restored).ok_or_else(not_restoring)?;
    bring_online(databases, ask, &entry, HowRecovered::RESTORED)
}

/// A database with snapshots is not restored, and a snapshot is not either.
fn check_snapshots(databases: &Databases, db: DbId) -> Result<(), RestoreError> {
    if databases.entry(db).is_some_and(|entry| entry.source().is_some()) {
        return Err(RestoreError::OfSnapshot);
    }
    match snapshot_files::snapshots_of(databases, db).into_iter().next() {
        None => Ok(()),
        Some(entry) => Err(RestoreError::HasSnapshot { name: entry.name }),
    }
}

/// Whether a restore of the database goes on: one that is being put back to a snapshot is put back, or replaced.
fn is_being_restored(entry: &StoredDatabase) -> bool {
    entry.stage == Stage::Restoring && !entry.is_reverting
}

/// Which database becomes of it: the one of that name when it may be replaced, else a new one.
fn owner_to_restore(
    databases: &Databases,
    request: &RestoreRequest,
    header: &BackupHeader,
) -> Result<FileOwner, RestoreError> {
    let path = request.from.clone();
    let damaged = || RestoreError::Backup { path, source: BackupReadError::Foreign };
    let guid = bytes_of_hex(&header.guid).ok_or_else(damaged)?;
    let name = request.name.clone();
    let Some(old) = databases.database_by_name(&name) else {
        if !is_name(&name) {
            return Err(CreateDatabaseError::Plan(crate::database::plan::PlanError::Name(name)).into());
        }
        return Ok(FileOwner { db: create::free_id(databases)?, guid });
    };
    if old.id() <= DbId::MSDB {
        return Err(RestoreError::OfTheSystem { db: old.id() });
    }
    if !request.replace && old.guid() != guid {
        return Err(RestoreError::OtherDatabase { name });
    }
    if !request.replace && old.state() == DatabaseState::Online {
        return Err(RestoreError::Exists { name });
    }
    Ok(FileOwner { db: old.id(), guid })
}

/// Where the files go; places of other databases are refused.
fn targets_of(
    databases: &Databases,
    request: &RestoreRequest,
    header: &BackupHeader,
    db: DbId,
) -> Result<Vec<Target>, RestoreError> {
    targets_for(databases, request, (header, &header.files.iter().collect::<Vec<_>>()), db)
}

/// The same, for some of its files.
fn targets_for(
    databases: &Databases,
    request: &RestoreRequest,
    (header, files): (&BackupHeader, &[&BackupFile]),
    db: DbId,
) -> Result<Vec<Target>, RestoreError> {
    let has_file = |name: &str| header.files.iter().any(|file| file.name == name);
    if let Some((name, _)) = request.moves.iter().find(|(name, _)| !has_file(name)) {
        return Err(RestoreError::NoFile { name: name.clone() });
    }
    let own: Vec<PathBuf> = databases
        .entry(db)
        .map_or(Vec::new(), |entry| entry.files.iter().map(|file| databases.services.resolve(&file.path)).collect());
    let mut targets: Vec<Target> = Vec::new();
    for file in files {
        let moved = request.moves.iter().find(|(name, _)| *name == file.name).map(|(_, path)| path.clone());
        let path = databases.services.resolve(&moved.unwrap_or_else(|| PathBuf::from(&file.path)));
        if !databases.services.has_directory(&path) {
            return Err(CreateDatabaseError::NoDirectory { path }.into());
        }
        let is_taken = databases.services.exists(&path) && !own.contains(&path);
        if is_taken || targets.iter().any(|other| other.path == path) {
            return Err(CreateDatabaseError::FileExists { path }.into());
        }
        targets.push(Target::new(file, path));
    }
    Ok(targets)
}

fn entry_to_restore(
    services: &StorageServices,
    request: &RestoreRequest,
    report: &BackupReport,
    (owner, has_twin): (FileOwner, bool),
    targets: &[Target],
) -> StoredDatabase {
    StoredDatabase {
        id: owner.db.0,
        name: request.name.clone(),
        guid: report.header.guid.clone(),
        created_utc_us: report.header.created_utc_us,
        stage: Stage::Restoring,
        restored_lsn: String::new(),
        restored_utc_us: 0,
        snapshot_of: None,
        is_copy: false,
        has_twin,
        is_broken: false,
        is_reverting: false,
        is_transient: false,
        files: targets.iter().map(|target| stored_file(services, target)).collect(),
    }
}

/// Writes the files of a verified backup beside their places, durably. Nothing of it stays when that fails.
fn write_beside(
    services: &StorageServices,
    ask: &Ask<'_>,
    from: (&Path, &BackupReport),
    targets: &[&Target],
    owner: FileOwner,
) -> Result<(), RestoreError> {
    let written = write_all_beside(services, ask, from, targets, owner);
    if written.is_err() {
        targets.iter().for_each(|target| services.remove(&target.beside));
    }
    written
}

fn write_all_beside(
    services: &StorageServices,
    ask: &Ask<'_>,
    (from, report): (&Path, &BackupReport),
    targets: &[&Target],
    owner: FileOwner,
) -> Result<(), RestoreError> {
    let mut devices: HashMap<FileId, (&Target, Arc<dyn BlockDevice>)> = HashMap::new();
    for &target in targets {
        services.remove(&target.beside);
        let device = services.create(&target.beside).map_err(write_failure(&target.beside))?;
        let bytes = u64::from(target.file.size_pages) * PAGE_BYTES as u64;
        device.set_len(bytes).map_err(write_failure(&target.beside))?;
        devices.insert(FileId(target.file.file_id), (target, device));
    }
    let put = |file: &FileId, offset: u64, bytes: &[u8]| match devices.get(file) {
        Some((target, device)) => {
            ask.task.progress.add(bytes.len() as u64);
            // Backups of before the sizes at their end were noted have what lies beyond those at their begin.
            let end = offset.saturating_add(bytes.len() as u64).max(device.len_bytes());
            let put = device.set_len(end).and_then(|()| device.write_at(offset, bytes));
            put.map_err(write_failure(&target.beside))
        }
        None => Err(RestoreError::UnknownFile { path: from.to_path_buf(), file: *file }),
    };
    let backup = services.media.open(from, OpenMode::ReadOnly);
    let backup = backup.map_err(|error| Unreadable(error.into())).map_err(|e| e.at(from))?;
    let start = format::start_of(&*backup, report.position).map_err(|error| Unreadable(error).at(from))?;
    let _under_way = ask.task.progress.begin(report.size_bytes, services.clock.now_us());
    let copied = format::read::<Copying>(&*backup, start, |section| {
        if ask.task.is_cancelled() {
            return Err(Copying::Write(RestoreError::Cancelled));
        }
        match section {
            Section::Pages(file, first, pages) => put(file, u64::from(first.0) * PAGE_BYTES as u64, pages)?,
            Section::Log(file, offset, bytes) => put(file, *offset, bytes)?,
            Section::Header(_) | Section::End(_) => {}
        }
        Ok(())
    });
    copied.map_err(|error| error.at(from))?;
    for (target, device) in devices.values() {
        let finished = FileHeader::read_from(&**device)
            .map_err(FileProblem::from)
            .and_then(|header| {
                let bytes = u64::from(header.size_pages) * PAGE_BYTES as u64;
                Ok(device.set_len(bytes.max(device.len_bytes()))?)
            })
            .and_then(|()| make_own(&**device, owner, services.server_guid))
            .and_then(|()| Ok(device.sync()?));
        finished.map_err(|reason| RestoreError::File { path: target.beside.clone(), reason })?;
    }
    Ok(())
}

/// Replaces the files of the entry by the new ones; a database that was open is closed as it is.
fn put_in_place(databases: &Databases, entry: &StoredDatabase, targets: &[Target]) -> Result<(), RestoreError> {
    assert!(entry.stage == Stage::Restoring, "files are replaced, and database {} is not being restored", entry.id);
    let db = entry.id();
    databases.settings.change_databases(|list| {
        list.retain(|other| other.id() != db);
        list.push(StoredDatabase { stage: Stage::Restoring, ..entry.clone() });
    })?;
    if let Some(old) = databases.database(db) {
        if let Ok(Some(log)) = old.log() {
            log.close_broken("the database is being restored");
        }
        old.mark_dropped();
    }
    close_files(&databases.services, db);
    databases.registry.write().insert(db, Arc::new(closed(entry, DatabaseState::Restoring)));
    for target in targets {
        assert!(
            databases.services.volume.all().iter().all(|file| file.path().as_ref() != Some(&target.path)),
            "{} is replaced, and is in use",
            target.path.display()
        );
        databases.services.rename(&target.beside, &target.path).map_err(write_failure(&target.path))?;
    }
    let paths = targets.iter().map(|target| target.path.as_path());
    databases.services.sync_dirs(paths).map_err(write_failure(&targets[0].path))
}

fn finish_restore(
    databases: &Databases,
    ask: &Ask<'_>,
    entry: &StoredDatabase,
    report: &BackupReport,
    request: &RestoreRequest,
) -> Result<Arc<Database>, RestoreError> {
    check!(
        databases.entry(entry.id()).is_some_and(|stored| stored.stage == Stage::Restoring),
        "the files of database {} are replaced, and its entry does not say so",
        entry.id
    );
    if !request.stays_restoring(report) {
        // The pages of a full backup are newer than its begin, up to its end.
        let restored = match report.header.kind {
            BackupKind::Full => &report.end.last_lsn,
            BackupKind::Log => &entry.restored_lsn,
        };
        let (stop_at_us, restored) = (request.stop_at_us, lsn_of(restored).unwrap_or_default());
        return bring_online(databases, ask, entry, HowRecovered { stop_at_us, restored, ..HowRecovered::RESTORED });
    }
    let files = open_files(ask, &databases.services, entry, &Copies::default())?;
    let database = recover_database(ask, &databases.services, entry, &files, HowRecovered::RESTORED)?;
    // Written, but nothing logged: the next backup of the log goes on where this one ends.
    let flushed = databases.services.pool.flush(ask, entry.id(), WriteReason::Recovery);
    let synced = files.iter().try_for_each(|file| file.device().sync().map_err(write_failure(&entry.files[0].path)));
    if let Ok(Some(log)) = database.log() {
        log.close_broken("the database is being restored");
    }
    close_files(&databases.services, entry.id());
    flushed?;
    synced?;
    databases.settings.change_databases(|list| {
        list.iter_mut().filter(|other| other.id == entry.id).for_each(|other| {
            other.restored_lsn.clone_from(&report.end.last_lsn);
            other.restored_utc_us = report.header.started_utc_us;
        });
    })?;
    let restoring = Arc::new(closed(entry, DatabaseState::Restoring));
    databases.registry.write().insert(entry.id(), restoring.clone());
    Ok(restoring)
}

fn bring_online(
    databases: &Databases,
    ask: &Ask<'_>,
    entry: &StoredDatabase,
    how: HowRecovered,
) -> Result<Arc<Database>, RestoreError> {
    let files = open_files(ask, &databases.services, entry, &Copies::default())?;
    let database = recover_database(ask, &databases.services, entry, &files, how)?;
    // A restored database begins a chain of its own with its next full backup.
    database.set_chain(ask, None)?;
    run_checkpoint(ask, &databases.services, &database, WriteReason::Recovery)?;
    databases.settings.change_databases(|list| {
        for other in list.iter_mut().filter(|other| other.id == entry.id) {
            (other.stage, other.restored_lsn, other.restored_utc_us) = (Stage::Ready, String::new(), 0);
            // Files that came after the time of STOPAT are gone.
            let is_open = |file: &StoredFile| databases.services.volume.file(entry.id(), file.id()).is_some();
            other.files.retain(is_open);
            other.is_reverting = false;
        }
    })?;
    assert!(
        databases.entry(entry.id()).is_some_and(|stored| stored.stage == Stage::Ready),
        "database {} is restored, and the next start would wait for more",
        entry.id
    );
    let database = Arc::new(database);
    databases.registry.write().insert(entry.id(), database.clone());
    Ok(database)
}

/// Whether the log backup follows what is restored.
fn check_chain(entry: &StoredDatabase, report: &BackupReport) -> Result<(), RestoreError> {
    let (first, last) = (&report.header.first_lsn, &report.end.last_lsn);
    let restored = entry.restored_lsn.clone();
    match (lsn_of(first), lsn_of(last), lsn_of(&restored)) {
        (Some(first_lsn), Some(_), Some(at)) if first_lsn > at => {
            Err(RestoreError::TooRecent { first: first.clone(), restored })
        }
        (Some(_), Some(last_lsn), Some(at)) if last_lsn < at => {
            Err(RestoreError::TooEarly { last: last.clone(), restored })
        }
        (Some(_), Some(_), Some(_)) => Ok(()),
        _ => Err(RestoreError::NotRestoring { name: entry.name.clone() }),
    }
}

struct Unreadable(BackupReadError);

impl Unreadable {
    fn at(self, path: &Path) -> RestoreError {
        RestoreError::Backup { path: path.to_path_buf(), source: self.0 }
    }
}

/// What can go wrong while sections become files.
enum Copying {
    Read(BackupReadError),
    Write(RestoreError),
}

impl From<BackupReadError> for Copying {
    fn from(error: BackupReadError) -> Copying {
        Copying::Read(error)
    }
}

impl From<RestoreError> for Copying {
    fn from(error: RestoreError) -> Copying {
        Copying::Write(error)
    }
}

impl Copying {
    fn at(self, path: &Path) -> RestoreError {
        match self {
            Copying::Read(source) => RestoreError::Backup { path: path.to_path_buf(), source },
            Copying::Write(error) => error,
        }
    }
}
