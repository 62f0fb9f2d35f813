//! BACKUP DATABASE and BACKUP LOG.
//!
//! ```text
//!   full:  checkpoint ── pages of allocated extents, while work goes on ── log durable ── active log parts
//!   log:   checkpoint ── log durable ── active log parts, to be redone from the backup before on
//! ```
//!
//! What always holds: its file is claimed and locked until it is complete; no file of the database is added, removed or shrunk
//! meanwhile, and the sizes that it reports are those after the last byte was copied, because files grow; no other checkpoint runs
//! meanwhile, so the log is kept from the redo place of the backup on; what is copied of the log contains all changes of the copied
//! pages. A backup that failed leaves no file of its own, and backups before it in the file as they were; INIT gives them up. Log that is in a backup may be reused when the backup is durable.

pub mod format;
pub mod restore;
pub mod revert;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use format::{BackupEnd, BackupFile, BackupHeader, BackupKind, BackupReadError, BackupWriter, FileSize};
use millpond_device::{BlockDevice, DeviceError, OpenMode};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, EXTENT_PAGES, ExtentNo, FileId, PAGE_BYTES, PageBytes, PageId, PageNo, WriteReason};
use crate::database::checkpoint::{lock_checkpoint_unless_cancelled, run_checkpoint_locked};
use crate::database::databases::Databases;
use crate::database::options::RecoveryModel;
use crate::database::{BootError, Database, Unavailable};
use crate::file::StorageFile;
use crate::file::claimed_files::ClaimedFile;
use crate::file::file_header::FileKind;
use crate::pace::Pace;
use crate::page::header::{self, Lsn, PageDamage};
use crate::pool::PoolError;
use crate::services::{StorageServices, lock};
use crate::wal::Log;
use crate::wal::checkpoint::CheckpointError;
use crate::wal::image::{RedoPlace, image_anchor, last_checkpoint};
use crate::wal::log::retention;
use millpond_device::guid::hex;

pub use restore::{RestoreError, RestoreRequest};

/// Bytes of a log section.
const LOG_CHUNK_BYTES: usize = 1 << 20;
/// Bytes in front of a log part's blocks.
const PART_HEAD_BYTES: u64 = 4096;
/// Header page and anchors of a log file.
const LOG_HEAD_BYTES: u64 = 2 * PAGE_BYTES as u64;

/// WITH …
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupOptions {
    /// INIT: backups that are there are overwritten, and nothing else is: the file may be one that this server lives by. Otherwise
    /// the backup comes behind them.
    pub init: bool,
    /// COPY_ONLY: the chain of log backups does not notice.
    pub copy_only: bool,
    /// Names of the filegroups of the data files, by their numbers: this crate does not know them.
    pub filegroups: Vec<(u16, String)>,
}

/// Why there is no backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// 911
    #[error("there is no database {db}")]
    NoDatabase {
        /// Number.
        db: DbId,
    },
    /// 3147: tempdb.
    #[error("tempdb cannot be backed up")]
    Temporary,
    /// 3002
    #[error("a database snapshot is not backed up")]
    OfSnapshot,
    /// 942, 945 …
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// 3023
    #[error("files of the database are added, removed or made shorter")]
    Serialized,
    /// The asker was cancelled; there is no file then.
    #[error("the backup was cancelled")]
    Cancelled,
    /// 3201: another backup writes it, or a restore reads it.
    #[error("{path} is in use")]
    InUse {
        /// File.
        path: PathBuf,
    },
    /// 4208: BACKUP LOG while the recovery model is SIMPLE.
    #[error("the log of a database of recovery model SIMPLE is not backed up")]
    SimpleModel,
    /// 4214: there is no full backup yet.
    #[error("there is no full backup yet that a log backup could follow")]
    NoFullBackup,
    /// 3266: what lies behind the last whole backup is none: a crash, or damage.
    #[error("{path} does not end with a backup")]
    DamagedEnd {
        /// File.
        path: PathBuf,
    },
    /// 3242: what would be overwritten, or written behind, is no backup.
    #[error("{path} is no backup")]
    NoBackup {
        /// File.
        path: PathBuf,
    },
    /// 3201, 3202
    #[error("{path}: {source}")]
    Write {
        /// File.
        path: PathBuf,
        /// The system's reason.
        source: DeviceError,
    },
    /// 3203: the log could not be read.
    #[error("reading {path}: {source}")]
    Read {
        /// File.
        path: PathBuf,
        /// The system's reason.
        source: DeviceError,
    },
    /// A damaged page, or none in memory.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The checkpoint failed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The place of the backup could not be noted.
    #[error(transparent)]
    Boot(#[from] BootError),
}

fn lsn_text(lsn: Lsn) -> String {
    let text = hex(&lsn.to_bytes());
    check!(lsn_of(&text) == Some(lsn), "{lsn} does not read as it was written, {text}");
    text
}

/// The inverse of the text in a header.
fn lsn_of(text: &str) -> Option<Lsn> {
    let byte = |at: usize| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..10).map(byte).collect();
    Some(Lsn::from_bytes(bytes?.try_into().ok()?))
}

/// What a backup did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupReport {
    /// What it says of itself.
    pub header: BackupHeader,
    /// How it ended.
    pub end: BackupEnd,
    /// Which one of its file it is, from 1.
    pub position: u32,
    /// Bytes of it in the file.
    pub size_bytes: u64,
}

/// BACKUP DATABASE … TO DISK.
///
/// # Errors
/// [`BackupError`]; the file is then gone.
pub fn backup_database(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    path: &Path,
    options: BackupOptions,
) -> Result<BackupReport, BackupError> {
    let database = database_to_back_up(databases, db)?;
    let log = log_of(&database)?;
    let _same_files = database.file_work.begin_backup().ok_or(BackupError::Serialized)?;
    let _whole_log = log.minimal.log_everything();
    let _no_other_checkpoint = lock_checkpoint_unless_cancelled(ask, &database).ok_or(BackupError::Cancelled)?;
    run_checkpoint_locked(ask, &databases.services, &database, WriteReason::Checkpoint, &Pace::at_once())?;
    let place = last_checkpoint(log).ok_or(BackupError::NoFullBackup)?;
    check!(place.redo <= place.checkpoint, "a backup begins at {}, after its checkpoint", place.redo);
    let report = write_backup(databases, ask, &database, path, &options, BackupKind::Full, place)?;
    // Log backups go on from the last one of them, whatever full backups come in between.
    if !options.copy_only && database.chain().is_none() {
        note_chain(ask, &database, log, place)?;
    }
    Ok(report)
}

/// BACKUP LOG … TO DISK: what was logged since the log backup before, or since the full backup that began the chain.
///
/// # Errors
/// [`BackupError`]; the file is then gone.
pub fn backup_log(
    databases: &Databases,
    ask: &Ask<'_>,
    db: DbId,
    path: &Path,
    options: BackupOptions,
) -> Result<BackupReport, BackupError> {
    let database = database_to_back_up(databases, db)?;
    if database.options().recovery == RecoveryModel::Simple {
        return Err(BackupError::SimpleModel);
    }
    let _same_files = database.file_work.begin_backup().ok_or(BackupError::Serialized)?;
    let _no_other_checkpoint = lock_checkpoint_unless_cancelled(ask, &database).ok_or(BackupError::Cancelled)?;
    let since = database.boot().chain.ok_or(BackupError::NoFullBackup)?;
    run_checkpoint_locked(ask, &databases.services, &database, WriteReason::Checkpoint, &Pace::at_once())?;
    let log = log_of(&database)?;
    let next = last_checkpoint(log).unwrap_or(since);
    check!(since.redo <= next.redo, "log backups go back from {} to {}", since.redo, next.redo);
    let report = write_backup(databases, ask, &database, path, &options, BackupKind::Log, since)?;
    if !options.copy_only {
        note_chain(ask, &database, log, next)?;
    }
    Ok(report)
}

fn database_to_back_up(databases: &Databases, db: DbId) -> Result<Arc<Database>, BackupError> {
    if db == DbId::TEMPDB {
        return Err(BackupError::Temporary);
    }
    let database = databases.database(db).ok_or(BackupError::NoDatabase { db })?;
    if database.origin().is_snapshot() {
        return Err(BackupError::OfSnapshot);
    }
    database.check_online()?;
    Ok(database)
}

fn write_backup(
    databases: &Databases,
    ask: &Ask<'_>,
    database: &Database,
    path: &Path,
    options: &BackupOptions,
    kind: BackupKind,
    place: RedoPlace,
) -> Result<BackupReport, BackupError> {
    let path = databases.services.resolve_backup(path);
    let (claimed, device, position) = claimed(&databases.services, &path, options.init)?;
    let before_bytes = device.len_bytes();
    let written = write_to(databases, ask, database, (&path, device.clone()), options, kind, place);
    if written.is_err() {
        // Another name of the file has nothing of it either.
        let _ = device.set_len(before_bytes);
        if before_bytes == 0 {
            databases.services.remove(&path);
        }
    }
    drop(claimed);
    Ok(BackupReport { position, ..written? })
}

/// Opens the file of a backup, empty or with those before it, and claims it: no other backup or restore opens it meanwhile. Which one
/// the next will be.
fn claimed(
    services: &StorageServices,
    path: &Path,
    init: bool,
) -> Result<(ClaimedFile, Arc<dyn BlockDevice>, u32), BackupError> {
    let failed = |source| BackupError::Write { path: path.to_path_buf(), source };
    let in_use = || BackupError::InUse { path: path.to_path_buf() };
    let claim = || services.backups.to_write(services.identity(path)).ok_or_else(in_use);
    let is_new = !services.exists(path);
    let (claimed, device) = match is_new {
        true => {
            let device = made(services, path).map_err(failed)?;
            (claim()?, device)
        }
        false => {
            let claimed = claim()?;
            check_is_backup(services, path)?;
            (claimed, services.media.open(path, OpenMode::Existing).map_err(failed)?)
        }
    };
    // Another server may write it.
    if !lock(&*device).map_err(failed)? {
        return Err(in_use());
    }
    if is_new || init || device.len_bytes() == 0 {
        device.set_len(0).map_err(failed)?;
        return Ok((claimed, device, 1));
    }
    let (starts, end_bytes) = format::sets(&*device).map_err(|error| match error {
        BackupReadError::Device(source) => failed(source),
        _ => BackupError::NoBackup { path: path.to_path_buf() },
    })?;
    if end_bytes != device.len_bytes() {
        return Err(BackupError::DamagedEnd { path: path.to_path_buf() });
    }
    check!(!starts.is_empty(), "{} ends with a backup, and has none", path.display());
    Ok((claimed, device, starts.len() as u32 + 1))
}

/// Whether the file may be overwritten or made longer: a backup, or one without bytes.
fn check_is_backup(services: &StorageServices, path: &Path) -> Result<(), BackupError> {
    let is_ours = |device: &dyn BlockDevice| -> Result<bool, DeviceError> {
        let mut start = [0; format::MAGIC.len()];
        if device.len_bytes() < start.len() as u64 {
            return Ok(device.len_bytes() == 0);
        }
        device.read_at(0, &mut start)?;
        Ok(start == format::MAGIC)
    };
    let failed = |source| BackupError::Write { path: path.to_path_buf(), source };
    let is_file = services.media.is_file(path);
    if is_file && is_ours(&*services.media.open(path, OpenMode::ReadOnly).map_err(failed)?).map_err(failed)? {
        return Ok(());
    }
    Err(BackupError::NoBackup { path: path.to_path_buf() })
}

/// A new file, and the folders that it wants.
fn made(services: &StorageServices, path: &Path) -> Result<Arc<dyn BlockDevice>, DeviceError> {
    let media = &services.media;
    // SQL Server on Linux makes the folders of a backup, and maintenance scripts rely on it.
    let missing: Vec<&Path> =
        path.ancestors().skip(1).take_while(|dir| !dir.as_os_str().is_empty() && !media.exists(dir)).collect();
    if let Some(dir) = missing.first() {
        media.create_dir_all(dir)?;
        services.sync_dirs(missing.iter().copied())?;
    }
    media.open(path, OpenMode::CreateNew)
}

fn write_to(
    databases: &Databases,
    ask: &Ask<'_>,
    database: &Database,
    (path, device): (&Path, Arc<dyn BlockDevice>),
    options: &BackupOptions,
    kind: BackupKind,
    place: RedoPlace,
) -> Result<BackupReport, BackupError> {
    let failed = |source| BackupError::Write { path: path.to_path_buf(), source };
    check!(!options.init || device.len_bytes() == 0, "INIT, and {} has bytes", path.display());
    let mut header = header_of(&databases.services, database, options, kind, place);
    let mut writer = BackupWriter::begin(device, &header).map_err(failed)?;
    let pages = match kind {
        BackupKind::Full => copy_pages(&databases.services, ask, database, &mut writer, &failed)?,
        BackupKind::Log => 0,
    };
    let log = log_of(database)?;
    let (last, covered_utc_us) = (log.end_lsn(), databases.services.clock.wall().utc_us);
    log.make_durable(ask, last).map_err(BootError::from)?;
    let log_bytes = log.bytes_since(place.redo);
    copy_log(&databases.services, ask, database, log, place, &mut writer, &failed)?;
    let sizes = sizes_of(&databases.services, database);
    let finished_utc_us = databases.services.clock.wall().utc_us;
    let end = BackupEnd { finished_utc_us, covered_utc_us, last_lsn: lsn_text(last), pages, log_bytes, sizes };
    if ask.task.is_cancelled() {
        return Err(BackupError::Cancelled);
    }
    let size_bytes = writer.finish(&end).map_err(failed)?;
    databases.services.sync_dirs(std::iter::once(path)).map_err(failed)?;
    header.grow(&end);
    check!(header.is_sound(), "a backup of database {} names no two first files", database.id());
    Ok(BackupReport { header, end, position: 1, size_bytes })
}

/// How long the files are by now, also where a growth goes on whose header is not written yet: what was copied lies within.
fn sizes_of(services: &StorageServices, database: &Database) -> Vec<FileSize> {
    let files = services.volume.files(database.id());
    let size = |file: &Arc<StorageFile>| FileSize { file_id: file.id().0, size_pages: file.size_pages() };
    files.iter().map(size).collect()
}

fn header_of(
    services: &StorageServices,
    database: &Database,
    options: &BackupOptions,
    kind: BackupKind,
    place: RedoPlace,
) -> BackupHeader {
    let group_of = |file: &StorageFile| {
        let named = options.filegroups.iter().find(|(id, _)| *id == file.id().0 && file.kind() == FileKind::Data);
        named.map(|(_, name)| name.clone())
    };
    let file_of = |file: &Arc<StorageFile>| BackupFile {
        file_id: file.id().0,
        name: file.name(),
        path: file.path().map_or_else(|| file.device().name().to_string(), |path| path.display().to_string()),
        log: file.kind() == FileKind::Log,
        size_pages: file.size_pages(),
        filegroup: group_of(file),
    };
    BackupHeader {
        kind,
        database: database.name(),
        guid: hex(&database.guid()),
        created_utc_us: database.created_utc_us(),
        started_utc_us: services.clock.wall().utc_us,
        is_copy_only: options.copy_only,
        first_lsn: lsn_text(place.redo),
        checkpoint_lsn: lsn_text(place.checkpoint),
        files: services.volume.files(database.id()).iter().map(file_of).collect(),
    }
}

/// Copies the pages of all extents that are not free; returns how many.
fn copy_pages(
    services: &StorageServices,
    ask: &Ask<'_>,
    database: &Database,
    writer: &mut BackupWriter,
    failed: &dyn Fn(DeviceError) -> BackupError,
) -> Result<u64, BackupError> {
    let (mut count, all) = (0, database.space()?.supply.allocated_extents());
    let whole = all.iter().map(|(_, extents)| extents.len() as u64).sum();
    let _under_way = ask.task.progress.begin(whole, services.clock.now_us());
    for (file, extents) in all {
        for extent in extents {
            if ask.task.is_cancelled() {
                return Err(BackupError::Cancelled);
            }
            for (first, pages) in pages_of(services, ask, database, file, extent)? {
                writer.pages(file, first, &pages).map_err(failed)?;
                count += pages.len() as u64;
            }
            ask.task.progress.add(1);
        }
    }
    Ok(count)
}

/// The pages of an extent that were ever written, in runs.
fn pages_of(
    services: &StorageServices,
    ask: &Ask<'_>,
    database: &Database,
    file: FileId,
    extent: ExtentNo,
) -> Result<Vec<(PageNo, Vec<PageBytes>)>, BackupError> {
    let mut runs: Vec<(PageNo, Vec<PageBytes>)> = Vec::new();
    for number in 0..EXTENT_PAGES {
        let page = PageNo(extent.first_page().0 + number);
        let bytes = match services.pool.shared(ask, PageId { db: database.id(), file, page }) {
            Ok(shared) => *shared,
            Err(PoolError::Damaged(PageDamage::NeverWritten { .. })) => continue,
            Err(error) => return Err(error.into()),
        };
        let mut copy = bytes;
        header::set_checksum(&mut copy);
        check!(
            header::verify(&copy, PageId { db: database.id(), file, page }).is_ok(),
            "S1: page {page} of file {file} is copied, and is not whole"
        );
        match runs.last_mut() {
            Some((first, pages)) if first.0 + pages.len() as u32 == page.0 => pages.push(copy),
            _ => runs.push((page, vec![copy])),
        }
    }
    Ok(runs)
}

/// Copies the heads of all parts and what is active of the log.
fn copy_log(
    services: &StorageServices,
    ask: &Ask<'_>,
    database: &Database,
    log: &Log,
    place: RedoPlace,
    writer: &mut BackupWriter,
    failed: &dyn Fn(DeviceError) -> BackupError,
) -> Result<(), BackupError> {
    let parts = log.part_reports();
    let mut is_first = true;
    for file in services.volume.files(database.id()).iter().filter(|file| file.kind() == FileKind::Log) {
        copy_bytes(ask, file, (0, LOG_HEAD_BYTES), writer, failed)?;
        if is_first {
            let (anchor, places) = image_anchor(log, place);
            for at in places {
                writer.log(file.id(), at, &anchor).map_err(failed)?;
            }
            is_first = false;
        }
        for part in parts.iter().filter(|part| part.file == file.id()) {
            let bytes = if part.is_active { part.size_bytes } else { PART_HEAD_BYTES };
            copy_bytes(ask, file, (part.offset_bytes, bytes), writer, failed)?;
        }
    }
    assert!(!is_first, "a backup of database {} has no log", database.id());
    Ok(())
}

/// The next log backup begins at `place`; the log before it may go. In SIMPLE there is no next one.
fn note_chain(ask: &Ask<'_>, database: &Database, log: &Log, place: RedoPlace) -> Result<(), BackupError> {
    let _keeping = database.lock_keeping();
    if database.options().recovery == RecoveryModel::Simple {
        return Ok(());
    }
    database.set_chain(ask, Some(place))?;
    retention::set_backed_up(&log.core, place.redo);
    Ok(())
}

fn log_of(database: &Database) -> Result<&Arc<Log>, BackupError> {
    database.log()?.ok_or(BackupError::Temporary)
}

fn copy_bytes(
    ask: &Ask<'_>,
    file: &StorageFile,
    (from, bytes): (u64, u64),
    writer: &mut BackupWriter,
    failed: &dyn Fn(DeviceError) -> BackupError,
) -> Result<(), BackupError> {
    let mut buffer = vec![0; LOG_CHUNK_BYTES];
    let end = (from + bytes).min(file.device().len_bytes());
    let mut at = from;
    while at < end {
        if ask.task.is_cancelled() {
            return Err(BackupError::Cancelled);
        }
        let chunk = &mut buffer[..LOG_CHUNK_BYTES.min((end - at) as usize)];
        let read = file.device().read_at(at, chunk);
        read.map_err(|source| BackupError::Read { path: PathBuf::from(&*file.device().name()), source })?;
        writer.log(file.id(), at, chunk).map_err(failed)?;
        at += chunk.len() as u64;
    }
    Ok(())
}

/// Reads the backup of that position of a file, which begins there, to its end and checks every section (RESTORE VERIFYONLY, HEADERONLY, FILELISTONLY).
///
/// # Errors
/// [`BackupReadError`].
pub fn verify(
    ask: &Ask<'_>,
    device: &dyn BlockDevice,
    (position, start): (u32, u64),
) -> Result<BackupReport, BackupReadError> {
    let (mut header, end, size_bytes) = format::read(device, start, |_| match ask.task.is_cancelled() {
        true => Err(BackupReadError::Cancelled),
        false => Ok(()),
    })?;
    header.grow(&end);
    let report = BackupReport { header, end, position, size_bytes };
    if report.header.is_sound() { Ok(report) } else { Err(BackupReadError::Foreign) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{IoCount, Task};
    use crate::contract::SessionId;
    use crate::database::options::DatabaseOptions;
    use crate::database::plan::NewDatabase;
    use crate::database::{alter, create};
    use crate::instance::Instance;
    use crate::instance::config::InstanceConfig;
    use millpond_device::clock::SystemClock;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    /// A database that becomes SIMPLE while a backup ends has no chain of log backups: its log would be kept for one
    /// that cannot be taken.
    #[test]
    fn the_recovery_model_changes_while_backups_end() {
        let config = InstanceConfig {
            max_memory_bytes: Some(4 << 20),
            ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
        };
        let instance = Instance::open(config).expect("in memory");
        let (task, io) = (Task::new(SessionId(51)), IoCount::default());
        let ask = Ask::new(&task, &io);
        let database =
            create::create_database(instance.databases(), &ask, &NewDatabase::named("a")).expect("in memory");
        instance.checkpoint(&ask, database.id()).expect("memory has room");
        let log = log_of(&database).expect("it is durable");
        let place = last_checkpoint(log).expect("just taken");
        let is_over = AtomicBool::new(false);
        let set = |model| {
            let change = |options: &mut DatabaseOptions| options.recovery = model;
            alter::set_database_options(instance.databases(), &ask, database.id(), change).expect("memory has room");
        };
        std::thread::scope(|scope| {
            let backups = scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    note_chain(&ask, &database, log, place).expect("memory has room");
                }
            });
            for _ in 0..3000 {
                set(RecoveryModel::Simple);
                if backups.is_finished() {
                    break;
                }
                set(RecoveryModel::Full);
            }
            is_over.store(true, Relaxed);
        });
    }
}
