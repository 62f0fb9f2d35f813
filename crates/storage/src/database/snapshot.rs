//! CREATE DATABASE … AS SNAPSHOT OF, and AS COPY OF: a copy is a snapshot that may be changed.
//!
//! ```text
//!   checkpoint ─▶ all data files of the source stand still: log durable, its end is the split, sparse files begin to keep
//!              ─▶ log from the redo place to the split copied ─▶ a database over the source's file as a crash at the split
//!                 would have left it: redone, and what was open is undone (the caller's)
//! ```
//!
//! What always holds:
//! - V4: a snapshot is a database of its own, with its own log, over files that show the source's pages of the split. Nothing of
//!   the source's memory is looked at: what a crash may find in the files and the log is all that there is, so whatever holds for
//!   recovery (minimal logging too) holds here.
//!
//! It knows no names of tables and undoes nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError, chance};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, FileId, PAGE_BYTES, WriteReason};
use crate::database::checkpoint::{run_checkpoint, run_checkpoint_for_copy};
use crate::database::create::{Claim, CreateDatabaseError, check_places, free_id};
use crate::database::databases::Databases;
use crate::database::files::{FileOwner, FilePlan, own_head, sync_all};
use crate::database::open::{HowRecovered, close_files, recover_database};
use crate::database::options::DatabaseFlag;
use crate::database::plan::{PlanError, is_name, same_name};
use crate::database::snapshot_files::{Pair, release, shown, watch};
use crate::database::system::{delete_remains_of, entry_of};
use crate::database::{BootError, Database, Unavailable};
use crate::file::StorageFile;
use crate::file::file_header::{FileHeader, FileKind};
use crate::file::sparse::{Health, SparseFile};
use crate::file::switchable_file::Frozen;
use crate::open_error::{FileFailure, FileProblem, problem_of_opening};
use crate::page::header::Lsn;
use crate::services::{RAM_PREFIX, StorageServices, is_ram};
use crate::settings::SettingsError;
use crate::settings::databases::{Stage, StoredDatabase};
use crate::wal::checkpoint::CheckpointError;
use crate::wal::image::{ImageLayout, RedoPlace, copy_image, last_checkpoint, oldest_open};
use crate::wal::transfer::CopyError;
use crate::wal::{Log, LogError, LogHold};

/// Names of the log's files beside the sparse files.
const LOG_SUFFIX: &str = ".log";

/// The file of a log that has its anchors.
const FIRST_LOG: FileId = FileId(2);

/// CREATE DATABASE … AS SNAPSHOT OF.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSnapshot {
    /// Name.
    pub name: String,
    /// Of each data file of the source its name, and where its sparse file goes.
    pub files: Vec<(String, PathBuf)>,
    /// It is changed as any other database: CREATE DATABASE … AS COPY OF.
    pub is_copy: bool,
    /// It is needed while a statement runs alone, and does not outlive the process.
    pub is_transient: bool,
}

/// Why there is no snapshot. The numbers are SQL Server's.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// 1816
    #[error("database {db} belongs to the system")]
    OfTheSystem {
        /// Source.
        db: DbId,
    },
    /// 911
    #[error("there is no database {db}")]
    NoDatabase {
        /// Source.
        db: DbId,
    },
    /// A copy of a snapshot, or either of a copy.
    #[error("the source lies over the files of another database")]
    OfCopy,
    /// 1821
    #[error("the source is a snapshot")]
    OfSnapshot,
    /// 1822
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// 5014: the source has no such data file.
    #[error("there is no data file '{name}'")]
    NoFile {
        /// Name.
        name: String,
    },
    /// 5127
    #[error("data file '{name}' is not named")]
    FileMissing {
        /// Name.
        name: String,
    },
    /// 1801, 5170, 5133, 5123 …
    #[error(transparent)]
    Create(#[from] CreateDatabaseError),
    /// 9002 …: the checkpoint that it begins with failed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// What it says of itself could not be written.
    #[error(transparent)]
    Boot(#[from] BootError),
    /// The source's log failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// 1823: its files do not become a database.
    #[error("{path}: {reason}")]
    NotStarted {
        /// File.
        path: PathBuf,
        /// Why.
        reason: FileProblem,
    },
}

impl From<SettingsError> for SnapshotError {
    fn from(error: SettingsError) -> SnapshotError {
        SnapshotError::Create(error.into())
    }
}

impl From<FileFailure> for SnapshotError {
    fn from(failure: FileFailure) -> SnapshotError {
        SnapshotError::NotStarted { path: failure.path, reason: failure.reason }
    }
}

fn at_file(path: &Path) -> impl FnOnce(DeviceError) -> SnapshotError {
    let path = path.to_path_buf();
    move |error| SnapshotError::Create(CreateDatabaseError::Create { path, reason: error.into() })
}

/// CREATE DATABASE … AS SNAPSHOT OF: the snapshot is there, durable, when this returns; it is `Recovering` where transactions
/// were open in the source, which the caller undoes. `at_split` is called with the work of the split itself: by what it does
/// around it no transaction is prepared at that moment whose outcome another database knows. `claim` is told the number first.
///
/// # Errors
/// [`SnapshotError`]; nothing of it is there then.
pub fn create_snapshot(
    databases: &Databases,
    ask: &Ask<'_>,
    source: DbId,
    new: &NewSnapshot,
    at_split: &dyn Fn(&mut dyn FnMut()),
    claim: Claim<'_>,
) -> Result<Arc<Database>, SnapshotError> {
    let _altering = databases.altering.lock();
    if !is_name(&new.name) {
        return Err(CreateDatabaseError::Plan(PlanError::Name(new.name.clone())).into());
    }
    if databases.database_by_name(&new.name).is_some() {
        return Err(CreateDatabaseError::NameInUse { name: new.name.clone() }.into());
    }
    if [DbId::MASTER, DbId::MODEL, DbId::TEMPDB].contains(&source) {
        return Err(SnapshotError::OfTheSystem { db: source });
    }
    let database = databases.database(source).ok_or(SnapshotError::NoDatabase { db: source })?;
    if database.origin().source.is_some() {
        return Err(if database.origin().is_copy() || new.is_copy {
            SnapshotError::OfCopy
        } else {
            SnapshotError::OfSnapshot
        });
    }
    database.check_online()?;
    // It may be gone at the next start, and its number another's.
    if databases.entry(source).is_some_and(|entry| entry.is_transient) {
        return Err(SnapshotError::NoDatabase { db: source });
    }
    let (plans, layout) = plan(databases, &database, new)?;
    check_places(&databases.services, &plans)?;
    let owner = FileOwner { db: free_id(databases)?, guid: database.guid() };
    let created_utc_us = databases.services.clock.wall().utc_us;
    let entry = StoredDatabase {
        snapshot_of: Some(source.0),
        is_copy: new.is_copy,
        is_transient: new.is_transient,
        ..entry_of(&databases.services, owner, &new.name, created_utc_us, Stage::Creating, &plans)
    };
    databases.settings.change_databases(|list| list.push(entry.clone()))?;
    let made = make(databases, ask, &database, &entry, (&plans, layout), at_split).and_then(|snapshot| {
        databases.set_stage(owner.db, Stage::Ready)?;
        Ok(Arc::new(snapshot))
    });
    match made {
        Ok(snapshot) => {
            assert!(
                snapshot.origin().source == Some(source),
                "a snapshot of {source} says it is one of another database"
            );
            assert!(
                databases.entry(owner.db).is_some_and(|entry| entry.stage == Stage::Ready),
                "{} is there, and the next start would delete it",
                owner.db
            );
            claim(owner.db);
            databases.registry.write().insert(owner.db, snapshot.clone());
            watch(&databases.services, &databases.settings, &snapshot);
            Ok(snapshot)
        }
        Err(error) => {
            release(&databases.services, &entry);
            close_files(&databases.services, owner.db);
            delete_remains_of(&databases.services, &entry);
            // When the list cannot be stored either, the next start does the same again.
            let _ = databases.settings.change_databases(|list| list.retain(|other| other.id != entry.id));
            Err(error)
        }
    }
}

/// The files of the snapshot: a sparse one for each data file of the source, named by the statement, and beside the first of
/// them those of the log.
fn plan(
    databases: &Databases,
    source: &Database,
    new: &NewSnapshot,
) -> Result<(Vec<FilePlan>, ImageLayout), SnapshotError> {
    let files = databases.services.volume.files(source.id());
    let data: Vec<_> = files.iter().filter(|file| file.kind() == FileKind::Data).collect();
    if let Some((name, _)) = new.files.iter().find(|(name, _)| data.iter().all(|file| !same_name(&file.name(), name))) {
        return Err(SnapshotError::NoFile { name: name.clone() });
    }
    let mut plans: Vec<FilePlan> = Vec::new();
    // A source that is put back takes its snapshot's log over, with all its files.
    let may_grow = |file: &Arc<StorageFile>| file.limits().next_size(file.size_pages()).is_some();
    let logs = files.iter().filter(|file| file.kind() == FileKind::Log).count();
    let is_enough = files.iter().any(|file| file.id() == FIRST_LOG && may_grow(file)) && (new.is_copy || logs == 1);
    let layout = if is_enough { ImageLayout::Packed } else { ImageLayout::OfLog };
    let is_planned = |file: &&Arc<StorageFile>| {
        file.kind() == FileKind::Data || file.id() == FIRST_LOG || layout == ImageLayout::OfLog
    };
    for file in files.iter().filter(is_planned) {
        let name = file.name();
        let path = if file.kind() == FileKind::Log {
            log_path(databases, new, file.id())
        } else {
            let mut named = new.files.iter().filter(|(other, _)| same_name(other, &name));
            let Some((_, path)) = named.next() else { return Err(SnapshotError::FileMissing { name }) };
            if named.next().is_some() {
                return Err(CreateDatabaseError::Plan(PlanError::NameTwice(name)).into());
            }
            place_of(&databases.services, path)
        };
        if plans.iter().any(|other| other.path == path) {
            return Err(CreateDatabaseError::Plan(PlanError::Path(path)).into());
        }
        let size_pages = file.size_pages();
        plans.push(FilePlan { id: file.id(), kind: file.kind(), name, path, size_pages, limits: file.limits() });
    }
    plans.sort_by_key(|plan| plan.id);
    check!(plans.iter().filter(|plan| plan.kind == FileKind::Data).count() == data.len(), "a data file has no plan");
    check!(plans.windows(2).all(|pair| pair[0].id < pair[1].id), "two files of a snapshot have one number");
    Ok((plans, layout))
}

/// Where a file with that path lies: a relative one of an instance without a data directory in memory, as its databases do.
fn place_of(services: &StorageServices, path: &Path) -> PathBuf {
    match services.dir {
        None if path.is_relative() && !is_ram(path) => PathBuf::from(format!("{RAM_PREFIX}{}", path.display())),
        _ => services.resolve(path),
    }
}

fn log_path(databases: &Databases, new: &NewSnapshot, file: FileId) -> PathBuf {
    let first = new.files.first().map_or_else(|| PathBuf::from(&new.name), |(_, path)| path.clone());
    let mut path = place_of(&databases.services, &first).into_os_string();
    if file != FIRST_LOG {
        path.push(format!(".{file}"));
    }
    path.push(LOG_SUFFIX);
    path.into()
}

/// Makes the files, splits, and opens what they are.
fn make(
    databases: &Databases,
    ask: &Ask<'_>,
    source: &Database,
    entry: &StoredDatabase,
    (plans, layout): (&[FilePlan], ImageLayout),
    at_split: &dyn Fn(&mut dyn FnMut()),
) -> Result<Database, SnapshotError> {
    let services = &databases.services;
    let log = source.log()?.ok_or(SnapshotError::OfTheSystem { db: source.id() })?;
    let health = Arc::new(Health::of(entry.is_copy));
    let pairs = make_sparse(services, source, entry, plans, &health)?;
    // As with a backup: until the log is copied no other checkpoint moves the place from which it is needed.
    let checkpointing = source.lock_checkpoint();
    run_checkpoint_for_copy(ask, services, source)?;
    let place = last_checkpoint(log).ok_or_else(|| Unavailable { name: source.name(), state: source.state() })?;
    let hold = LogHold::begin(log);
    let mut split_at = None;
    at_split(&mut || split_at = Some(split(ask, log, &pairs)));
    let until = split_at.expect("the work of the split is done")?;
    let from = until.1.min(place.redo);
    assert!(place.checkpoint <= until.0, "V4: the split lies before the checkpoint that it is recovered from");
    check!(last_checkpoint(log) == Some(place), "V4: a checkpoint moved the redo place while a snapshot was made");
    for pair in &pairs {
        pair.sparse.set_split(until.0);
        // Durable with the files below, before the list says that they are a database.
        pair.sparse.put_head().map_err(at_file(&pair.path))?;
    }
    let log_files = copy_log(ask, services, source, entry, (plans, layout), (place, from, until.0))?;
    drop(hold);
    drop(checkpointing);
    let data = pairs.iter().map(|pair| shown(services, pair));
    let files: Vec<_> = data.chain(log_files).collect();
    sync_all(&files)?;
    let paths: Vec<PathBuf> = plans.iter().map(|plan| plan.path.clone()).collect();
    services.sync_dirs(paths.iter().map(PathBuf::as_path)).map_err(at_file(&paths[0]))?;
    files.iter().for_each(|file| services.volume.add(file.clone()));
    let database = recover_database(ask, services, entry, &files, HowRecovered::SPLIT)?;
    if entry.is_copy {
        // A template may be protected so; who copies it wants to change the copy.
        let mut options = database.options();
        if options.is_on(DatabaseFlag::ReadOnly) {
            options.set(DatabaseFlag::ReadOnly, false);
            database.set_options(ask, options)?;
        }
        // Its log is in no chain of its source's.
        if database.chain().is_some() {
            database.set_chain(ask, None)?;
        }
        check!(database.boot().chain.is_none(), "a copy has a chain of log backups of its source's");
    } else {
        // Nothing but its recovery ever changes it. A copy has checkpoints of its own, when there is something to write.
        run_checkpoint(ask, services, &database, WriteReason::Recovery)?;
    }
    match health.broken() {
        None => Ok(database.with_health(health)),
        Some(reason) => {
            let source = std::io::Error::other(reason);
            let device = plans[0].path.display().to_string().into();
            Err(at_file(&plans[0].path)(DeviceError::System { device, doing: "write to", source }))
        }
    }
}

/// Sparse files that keep nothing yet.
fn make_sparse(
    services: &StorageServices,
    source: &Database,
    entry: &StoredDatabase,
    plans: &[FilePlan],
    health: &Arc<Health>,
) -> Result<Vec<Pair>, SnapshotError> {
    let mut pairs = Vec::new();
    for plan in plans.iter().filter(|plan| plan.kind == FileKind::Data) {
        let Some(file) = services.volume.file(source.id(), plan.id) else { continue };
        let created = services.create(&plan.path).map_err(problem_of_opening);
        let device =
            created.map_err(|reason| CreateDatabaseError::from(FileFailure { path: plan.path.clone(), reason }))?;
        let file_guid = chance::guid().map_err(CreateDatabaseError::from)?;
        let header = FileHeader { db: entry.id(), file_guid, ..file.header() };
        device.set_sparse_len(PAGE_BYTES as u64).map_err(at_file(&plan.path))?;
        let sparse = Arc::new(SparseFile::new(device, header, health.clone()));
        // So that a crash leaves a file that is known as ours; one that the power took the head of begins with zeroes.
        sparse.put_head().map_err(at_file(&plan.path))?;
        pairs.push(Pair { source: file, sparse, path: plan.path.clone() });
    }
    Ok(pairs)
}

/// The split: the last durable place of the log, and the oldest record of what is open then. While it is found nothing is
/// written to the source's data files, and from then on their pages are kept.
fn split(ask: &Ask<'_>, log: &Log, pairs: &[Pair]) -> Result<(Lsn, Lsn), SnapshotError> {
    let mut gates: Vec<Frozen<'_>> = pairs.iter().map(|pair| pair.source.device().freeze()).collect();
    for (pair, gate) in pairs.iter().zip(&gates) {
        let pages = u32::try_from(gate.len_bytes() / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        pair.sparse.begin(pages).map_err(at_file(&pair.path))?;
    }
    log.make_durable(ask, log.end_lsn())?;
    let until = log.durable_lsn();
    let oldest = oldest_open(log, until);
    assert!(oldest <= until, "a transaction that is open at {until} began later, at {oldest}");
    check!(gates.len() == pairs.len(), "a data file of the source is written while it is split");
    for (pair, gate) in pairs.iter().zip(&mut gates) {
        gate.add_keeper(pair.sparse.clone());
    }
    Ok((until, oldest))
}

/// The log's own files: what of the source's log is between where recovery begins and the split.
fn copy_log(
    ask: &Ask<'_>,
    services: &StorageServices,
    source: &Database,
    entry: &StoredDatabase,
    (plans, layout): (&[FilePlan], ImageLayout),
    (place, from, until): (RedoPlace, Lsn, Lsn),
) -> Result<Vec<Arc<StorageFile>>, SnapshotError> {
    let log = source.log()?.ok_or(SnapshotError::OfTheSystem { db: source.id() })?;
    assert!(from <= place.redo && place.redo <= until, "V4: a snapshot's log goes from {from} to {until}");
    assert!(source.is_checkpointing(), "V4: the log is copied, and checkpoints may cut it");
    let owner = FileOwner { db: entry.id(), guid: entry.guid() };
    let is_small = layout == ImageLayout::Packed;
    // The room of a copy is its own: later a full disk is met by growth alone.
    let set_len = if is_small && entry.is_copy { BlockDevice::set_len } else { BlockDevice::set_sparse_len };
    let mut devices: Vec<(FileId, PathBuf, Arc<dyn BlockDevice>)> = Vec::new();
    for plan in plans.iter().filter(|plan| plan.kind == FileKind::Log) {
        let Some(file) = services.volume.file(source.id(), plan.id) else { continue };
        let created = services.create(&plan.path).map_err(problem_of_opening);
        let device =
            created.map_err(|reason| CreateDatabaseError::from(FileFailure { path: plan.path.clone(), reason }))?;
        // From the first on, so that a crash leaves a file that is known as ours.
        let mut head = [0; PAGE_BYTES];
        file.device().read_at(0, &mut head).map_err(at_file(&plan.path))?;
        own_head(&mut head, owner, services.server_guid)
            .map_err(|reason| FileFailure { path: plan.path.clone(), reason })?;
        let bytes = if is_small { PAGE_BYTES as u64 } else { file.device().len_bytes() };
        let written = device
            .set_sparse_len(PAGE_BYTES as u64)
            .and_then(|()| device.write_at(0, &head))
            .and_then(|()| device.set_sparse_len(bytes));
        written.map_err(at_file(&plan.path))?;
        devices.push((plan.id, plan.path.clone(), device));
    }
    let put = &mut |file: FileId, offset: u64, bytes: &[u8]| match devices.iter().find(|(id, ..)| *id == file) {
        Some((_, path, device)) => {
            let end = offset + bytes.len() as u64;
            if device.len_bytes() < end {
                set_len(&**device, end).map_err(at_file(path))?;
            }
            device.write_at(offset, bytes).map_err(at_file(path))
        }
        None => Ok(()),
    };
    copy_image(ask, log, place, (from, until), layout, put).map_err(|error| match error {
        CopyError::Log(cause) => SnapshotError::Log(cause),
        CopyError::Sink(cause) => cause,
        CopyError::Device(cause) => at_file(&plans[0].path)(cause),
        CopyError::Missing { .. } => {
            SnapshotError::Unavailable(Unavailable { name: source.name(), state: source.state() })
        }
    })?;
    let own = |(_, path, device): (FileId, PathBuf, Arc<dyn BlockDevice>)| {
        let failed = |reason| FileFailure { path: path.clone(), reason };
        // A log that grew while it was copied has parts after what was its end.
        let pages = (device.len_bytes() / PAGE_BYTES as u64) as u32;
        let header = FileHeader::read_from(&*device).map_err(|error| failed(error.into()))?;
        let configured_pages = if is_small { pages } else { header.configured_pages };
        let header = FileHeader { size_pages: pages, configured_pages, ..header };
        let file = StorageFile::new(header, services.medium_of(&path), device);
        file.write_header(ask).map_err(|error| failed(error.into()))?;
        Ok(Arc::new(file))
    };
    devices.into_iter().map(own).collect::<Result<Vec<_>, FileFailure>>().map_err(SnapshotError::from)
}
