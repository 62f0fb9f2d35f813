//! Opening a durable database: its files are checked, its log is done again, its space is read.
//!
//! ```text
//!   files of the entry ──headers──▶ log opened ──redo──▶ headers again, boot page, maps ──▶ space ──▶ growth completed
//!        (or new ones) ───────────▶ log made  ───────────────┘
//! ```
//!
//! What always holds: a database whose files are not what they should be is not opened, and the others do not notice;
//! until the log was read and believed, nothing is changed. What the log says counts: sizes, names and maps are read after
//! redo. A growth that a crash interrupted is completed.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_device::OpenMode;
use parking_lot::Mutex;

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, FileId, IoFailure, PageBytes, PageId, PageKind, PageNo};
use crate::database::boot_page::BootFacts;
use crate::database::files::{FileOwner, open_file};
use crate::database::options::{DatabaseOptions, RecoveryModel};
use crate::database::{Database, DatabaseState, OpenParts, Recovered};
use crate::extension::key_of;
use crate::file::StorageFile;
use crate::file::file_header::{BOOT_PAGE, FileHeader, FileKind, HEADER_PAGE};
use crate::file::growth::round_up;
use crate::open_error::{FileFailure, FileProblem};
use crate::page::header::{self, Lsn};
use crate::pool::{Durability, PoolError};
use crate::services::StorageServices;
use crate::settings::databases::{StoredDatabase, StoredFile};
use crate::space::map_init::{MapDamage, read_maps};
use crate::space::maps;
use crate::space::state::{FileState, SpaceState};
use crate::space::{GrowthError, SpaceManager};
use crate::wal::doublewrite::Copies;
use crate::wal::log::retention;
use crate::wal::recovery::{AtDamage, PageHome, RecoveryError, RedoOptions, redo};
use crate::wal::two_phase::name_voter;
use crate::wal::{DatabaseHandle, Log, LogConfig, LogOpenError};

fn failure_at(file: &StorageFile, reason: impl Into<FileProblem>) -> FileFailure {
    FileFailure { path: PathBuf::from(&*file.device().name()), reason: reason.into() }
}

/// How the log of a database is done again.
#[derive(Clone, Copy, Debug)]
pub struct HowRecovered {
    /// Commits after that time (microseconds since 1970, UTC) never happened.
    pub stop_at_us: Option<i64>,
    /// What the pages have already: stopping before it is refused.
    pub restored: Lsn,
    /// What becomes of a damaged log.
    pub at_damage: AtDamage,
    /// It is a backup's: it can be cancelled, and done again, and may have files that came later.
    pub of_backup: bool,
}

impl HowRecovered {
    /// At a start: all of it, and only if it is sound.
    pub const WHOLE: HowRecovered = HowRecovered::of(AtDamage::Refuse);
    /// What can be read of a damaged one.
    pub const CUT_OFF: HowRecovered = HowRecovered::of(AtDamage::CutOff);
    /// Of a snapshot, whose log was copied to the record that it ends with.
    pub const SPLIT: HowRecovered = HowRecovered::of(AtDamage::Pass);
    /// Of a backup, whose sections have checksums.
    pub const RESTORED: HowRecovered = HowRecovered { of_backup: true, ..HowRecovered::of(AtDamage::Pass) };

    const fn of(at_damage: AtDamage) -> HowRecovered {
        HowRecovered { stop_at_us: None, restored: Lsn { sequence: 0, block: 0, slot: 0 }, at_damage, of_backup: false }
    }
}

/// Opens a database. One with transactions to be undone is `Recovering` then.
///
/// # Errors
/// [`FileFailure`].
pub fn open_database(
    ask: &Ask<'_>,
    services: &StorageServices,
    entry: &StoredDatabase,
    how: HowRecovered,
) -> Result<Database, FileFailure> {
    let files = open_files(ask, services, entry, &Copies::default())?;
    recover_database(ask, services, entry, &files, how)
}

/// Opens the files of a database and repairs the pages that a power failure tore. The pool knows nothing of them yet.
///
/// # Errors
/// [`FileFailure`].
pub fn open_files(
    ask: &Ask<'_>,
    services: &StorageServices,
    entry: &StoredDatabase,
    copies: &Copies,
) -> Result<Vec<Arc<StorageFile>>, FileFailure> {
    let owner = FileOwner { db: entry.id(), guid: entry.guid() };
    let identity = identity_of(services, entry);
    let torn_header = |id: FileId| {
        let copies = copies.of(&identity);
        copies.into_iter().find(|copy| (copy.page.file, copy.page.page) == (id, HEADER_PAGE)).map(|copy| copy.bytes)
    };
    let open = |stored: &StoredFile| {
        let path = services.resolve(&stored.path);
        let kind = if stored.log { FileKind::Log } else { FileKind::Data };
        let copy = torn_header(stored.id());
        let opened = open_file(services, &path, owner, (stored.id(), kind), copy.as_deref());
        opened.map_err(|reason| FileFailure { path, reason })
    };
    let files = entry.files.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    files.iter().for_each(|file| services.volume.add(file.clone()));
    if let Err(failure) = repair(ask, services, (owner.db, identity), &files, copies) {
        close_files(services, owner.db);
        return Err(failure);
    }
    Ok(files)
}

/// The identity of the primary file, by which the doublewrite area knows the database. It lies in the first sector of the
/// header, which is whole even when the page is torn.
fn identity_of(services: &StorageServices, entry: &StoredDatabase) -> [u8; 16] {
    let primary = entry.files.iter().find(|file| file.file_id == 1).map(|file| services.resolve(&file.path));
    let device = primary.and_then(|path| services.open(&path, OpenMode::ReadOnly).ok());
    device.and_then(|device| FileHeader::read_identity(&*device)).unwrap_or_default()
}

/// Repairs the pages that a power failure tore, of a database that the area knows as `identity`.
pub(crate) fn repair(
    ask: &Ask<'_>,
    services: &StorageServices,
    (db, identity): (DbId, [u8; 16]),
    files: &[Arc<StorageFile>],
    copies: &Copies,
) -> Result<(), FileFailure> {
    let repaired = copies.repair(ask, (&identity, db), &*services.volume, &|id| {
        files.iter().any(|file| (file.id(), file.kind()) == (id, FileKind::Data))
    });
    let repaired = repaired.map_err(|error| failure_at(&files[0], MapDamage::from(error)))?;
    for file in files.iter().filter(|file| repaired.iter().any(|page| page.file == file.id())) {
        file.device().sync().map_err(|error| failure_at(file, error))?;
    }
    Ok(())
}

/// Does the log of opened files again.
///
/// # Errors
/// [`FileFailure`]; the files are closed then.
pub fn recover_database(
    ask: &Ask<'_>,
    services: &StorageServices,
    entry: &StoredDatabase,
    files: &[Arc<StorageFile>],
    how: HowRecovered,
) -> Result<Database, FileFailure> {
    let log_files = of_kind(files, FileKind::Log);
    let opened = Log::open(log_config(services, entry), log_files.clone())
        .map_err(|error| of_log(&log_files, error))
        .and_then(|log| {
            name_voter(&log, entry.voter());
            let handle = attach(services, entry.id(), files, log);
            let (recovered, damaged) = recover(ask, services, &handle, files, how)?;
            let files = match how.of_backup {
                true => without_later_files(ask, services, &handle, files, &damaged),
                false => files.to_vec(),
            };
            assemble(ask, services, entry, handle, &files, recovered)
        });
    opened.inspect_err(|_| close_files(services, entry.id()))
}

/// Makes the log of newly made files and puts all together.
///
/// # Errors
/// [`FileFailure`].
pub fn open_new(
    ask: &Ask<'_>,
    services: &StorageServices,
    entry: &StoredDatabase,
    files: &[Arc<StorageFile>],
) -> Result<Database, FileFailure> {
    files.iter().for_each(|file| services.volume.add(file.clone()));
    let log_files = of_kind(files, FileKind::Log);
    let log = Log::create(log_config(services, entry), log_files.clone()).map_err(|e| of_log(&log_files, e))?;
    let handle = attach(services, entry.id(), files, log);
    let opened = assemble(ask, services, entry, handle, files, Recovered { losers: Vec::new(), was_clean: true });
    opened.inspect_err(|_| close_files(services, entry.id()))
}

fn of_kind(files: &[Arc<StorageFile>], kind: FileKind) -> Vec<Arc<StorageFile>> {
    files.iter().filter(|file| file.kind() == kind).cloned().collect()
}

fn of_log(files: &[Arc<StorageFile>], error: LogOpenError) -> FileFailure {
    let file = match &error {
        LogOpenError::TooSmall { file, .. }
        | LogOpenError::NoLog { file }
        | LogOpenError::Foreign { file }
        | LogOpenError::Newer { file, .. }
        | LogOpenError::Truncated { file } => files.iter().find(|other| other.id() == *file),
        LogOpenError::Device(_) => None,
    };
    failure_at(file.unwrap_or(&files[0]), FileProblem::Log(error))
}

fn log_config(services: &StorageServices, entry: &StoredDatabase) -> LogConfig {
    LogConfig {
        db: entry.id(),
        guid: entry.guid(),
        clock: services.clock.clone(),
        waits: services.waits.clone(),
        // What the boot page says is known after redo; until then nothing is cut.
        keep_until_backup: true,
    }
}

/// Makes the pool know the files and the log.
fn attach(services: &StorageServices, db: DbId, files: &[Arc<StorageFile>], log: Arc<Log>) -> DatabaseHandle {
    assert!(files.iter().all(|file| file.db() == db), "{db} is opened with files of another database");
    let redo = log.core.anchor.lock().redo.position();
    let is_known = services.pool.tier().knows_log(db, key_of(&log.core.guid), redo);
    for file in files {
        file.device().pass_cache();
        if file.kind() == FileKind::Data {
            services.pool.attach_file(db, file.id(), Durability::Durable);
            services.pool.tier().adopt(
                &services.pool.buffers().files,
                db,
                file.id(),
                key_of(&file.guid()),
                redo,
                is_known,
            );
        }
    }
    let wakeup = services.wakeup.clone();
    log.space.set_pressure(move || {
        wakeup.wake();
        wakeup.is_attended()
    });
    services.logs.add(db, log.clone());
    DatabaseHandle { db, pool: services.pool.clone(), log: Some(log) }
}

/// Makes the pool, the volume and the log rule forget a database; pages that were not written are lost.
pub fn close_files(services: &StorageServices, db: DbId) {
    for file in services.volume.files(db) {
        services.pool.detach_file(db, file.id());
        services.volume.remove(db, file.id());
    }
    services.logs.remove(db);
    // What changes the files now does it without the log; the extension's failure is reported to its keeper.
    let _ = services.pool.tier().persist(PageId { db, ..PageId::from_bits(0) });
}

/// The files for pages that the log knows.
struct Home<'g> {
    services: &'g StorageServices,
    /// Held while a file grows: several threads redo its pages, and a length that is set late would cut off what another
    /// one has added.
    growing: Mutex<()>,
}

impl<'g> Home<'g> {
    fn new(services: &'g StorageServices) -> Home<'g> {
        Home { services, growing: Mutex::default() }
    }
}

impl PageHome for Home<'_> {
    fn own(&self, page: PageId, bytes: &mut PageBytes) {
        let file = self.services.volume.file(page.db, page.file);
        if let (Some(file), Ok(header)) = (file, FileHeader::parse(bytes)) {
            let FileHeader { db, file_guid, server_guid, .. } = file.header();
            check!(header.file == page.file, "the header of file {} is redone in file {}", header.file, page.file);
            FileHeader { db, file_guid, server_guid, ..header }.put(bytes);
        }
    }

    fn extend_to(&self, _: &Ask<'_>, page: PageId) -> Result<(), IoFailure> {
        // A log may have the number that a file of pages had.
        let file = self.services.volume.file(page.db, page.file).filter(|file| file.kind() == FileKind::Data);
        let file = file.ok_or(IoFailure::NoFile { page })?;
        let wanted = round_up(page.page.0.saturating_add(1));
        if file.size_pages() >= wanted {
            return Ok(());
        }
        let _one = self.growing.lock();
        if file.size_pages() < wanted {
            let grown = file.grow_to(wanted).map_err(|error| file.failure(page.page, error))?;
            if grown <= page.page.0 {
                return Err(IoFailure::NoSpace { page });
            }
        }
        assert!(file.size_pages() > page.page.0, "page {page} is redone after the end of its file");
        Ok(())
    }
}

fn recover(
    ask: &Ask<'_>,
    services: &StorageServices,
    handle: &DatabaseHandle,
    files: &[Arc<StorageFile>],
    HowRecovered { stop_at_us, restored, at_damage, of_backup }: HowRecovered,
) -> Result<(Recovered, Vec<PageId>), FileFailure> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let redone =
        redo(ask, handle, &Home::new(services), RedoOptions { threads, stop_at_us, restored, at_damage, of_backup });
    let redone = redone.map_err(|error| {
        let named = match &error {
            RecoveryError::Damaged { file, .. } => files.iter().find(|other| other.id() == *file).cloned(),
            _ => None,
        };
        failure_at(&named.unwrap_or_else(|| of_kind(files, FileKind::Log)[0].clone()), error)
    })?;
    Ok((Recovered { losers: redone.losers, was_clean: redone.was_clean }, redone.damaged))
}

/// A restore that stops before a file was added has made it too early: nothing of it is in the log so far, and it goes.
fn without_later_files(
    ask: &Ask<'_>,
    services: &StorageServices,
    handle: &DatabaseHandle,
    files: &[Arc<StorageFile>],
    damaged: &[PageId],
) -> Vec<Arc<StorageFile>> {
    let is_later = |file: &&Arc<StorageFile>| {
        let first_map = PageId { db: file.db(), file: file.id(), page: maps::pfs_page_of(PageNo(0)) };
        file.kind() == FileKind::Data
            && file.id() != FileId(1)
            && damaged.iter().all(|page| page.file != file.id())
            && matches!(
                handle.pool.shared(ask, first_map),
                Err(PoolError::Damaged(header::PageDamage::NeverWritten { .. }))
            )
    };
    let (later, there): (Vec<_>, Vec<_>) = files.iter().partition(is_later);
    check!(
        later.iter().all(|file| file.id().0 > 2),
        "{} loses one of its first two files to a time before it was made",
        handle.db
    );
    later.into_iter().for_each(|file| services.throw_away(file));
    there.into_iter().cloned().collect()
}

/// Reads what the recovered pages say and makes the database of it.
fn assemble(
    ask: &Ask<'_>,
    services: &StorageServices,
    entry: &StoredDatabase,
    handle: DatabaseHandle,
    files: &[Arc<StorageFile>],
    recovered: Recovered,
) -> Result<Database, FileFailure> {
    let mut state = SpaceState::new(entry.id());
    let mut unfinished = Vec::new();
    let mut boot = None;
    for file in of_kind(files, FileKind::Data) {
        let header = redone_header(ask, &handle, &file).map_err(|reason| failure_at(&file, reason))?;
        file.take_header(&header);
        if file.size_pages() != header.size_pages {
            unfinished.push(file.clone());
        }
        let read = |page, kind| read_page(ask, &handle, &file, page, kind);
        let maps = read_maps(file.id(), &read, header.size_pages, state.mixed_mut(file.tier()));
        let (map, uniform) = maps.map_err(|damage| failure_at(&file, damage))?;
        state.add_file(FileState::new(file.clone(), map, uniform));
        if file.id() == FileId(1) {
            boot = Some(read_boot(ask, &handle, &file, entry).map_err(|reason| failure_at(&file, reason))?);
        }
    }
    let space = Arc::new(SpaceManager::new(state, entry.id(), true, services.waits.clone()));
    for file in unfinished {
        let completed = space.supply.grow_file(ask, &handle, &file, file.size_pages());
        completed.map_err(|error| failure_at(&file, problem_of_growth(error)))?;
    }
    let boot = boot.expect("an entry has a file 1");
    // A snapshot's log is kept for no backup, whatever its source says.
    let boot = if entry.is_snapshot() { BootFacts { chain: None, ..boot } } else { boot };
    set_log_keeping(&handle, &boot);
    check!(
        files
            .iter()
            .all(|file| services.volume.file(file.db(), file.id()).is_some_and(|open| Arc::ptr_eq(&open, file))),
        "{} stands on files that the pool does not know",
        entry.id()
    );
    let database =
        Database::open((entry.id(), entry.guid()), &entry.name, boot, OpenParts { handle, space }, recovered);
    Ok(database.over_source(entry))
}

/// FULL keeps the log for a backup once there is a full backup that it could belong to.
pub fn set_log_keeping(handle: &DatabaseHandle, boot: &BootFacts) {
    if let Some(log) = &handle.log {
        retention::set_keep_until_backup(
            &log.core,
            boot.options.recovery != RecoveryModel::Simple && boot.chain.is_some(),
        );
    }
}

fn problem_of_growth(error: GrowthError) -> FileProblem {
    match error {
        GrowthError::Device(error) => FileProblem::Device(error),
        GrowthError::Maps(error) => FileProblem::Maps(error),
    }
}

fn read_page(
    ask: &Ask<'_>,
    handle: &DatabaseHandle,
    file: &StorageFile,
    page: PageNo,
    expected: PageKind,
) -> Result<PageBytes, MapDamage> {
    let id = PageId { db: file.db(), file: file.id(), page };
    let bytes = *handle.pool.shared(ask, id)?;
    if header::kind(&bytes) != Some(expected) {
        return Err(MapDamage::Kind { page: id, expected });
    }
    Ok(bytes)
}

/// The header as the log left it, and a file as long as it says: a growth that a restored log has comes after the
/// file was made.
fn redone_header(ask: &Ask<'_>, handle: &DatabaseHandle, file: &StorageFile) -> Result<FileHeader, FileProblem> {
    let bytes = read_page(ask, handle, file, HEADER_PAGE, PageKind::FileHeader)?;
    let header = FileHeader::parse(&bytes)?;
    if file.size_pages() < header.size_pages && file.grow_to(header.size_pages)? < header.size_pages {
        return Err(FileProblem::Truncated { found: file.size_pages(), expected: header.size_pages });
    }
    Ok(header)
}

fn read_boot(
    ask: &Ask<'_>,
    handle: &DatabaseHandle,
    file: &StorageFile,
    entry: &StoredDatabase,
) -> Result<BootFacts, FileProblem> {
    let page = read_page(ask, handle, file, BOOT_PAGE, PageKind::Boot)?;
    if FileHeader::parse(&page)?.database_guid != entry.guid() {
        return Err(FileProblem::Misplaced);
    }
    Ok(BootFacts::read(&page))
}

/// A database that cannot be opened, or that shall not be.
#[must_use]
pub fn closed(entry: &StoredDatabase, state: DatabaseState) -> Database {
    assert!(
        !matches!(state, DatabaseState::Online | DatabaseState::Recovering),
        "{} is not open, and {}",
        entry.id(),
        state.name()
    );
    let boot = BootFacts::new(entry.created_utc_us, DatabaseOptions::default(), "");
    Database::closed((entry.id(), entry.guid()), &entry.name, state, boot).over_source(entry)
}

/// What becomes of a database whose file fails: one that is not there or cannot be read may be there at the next start.
#[must_use]
pub fn state_after(failure: &FileFailure) -> DatabaseState {
    let reason = format!("{}: {}", failure.path.display(), failure.reason);
    match failure.reason {
        FileProblem::Missing
        | FileProblem::InUse
        | FileProblem::NoDirectory
        | FileProblem::Device(_)
        | FileProblem::Maps(_)
        | FileProblem::Log(LogOpenError::Device(_)) => DatabaseState::RecoveryPending { reason },
        _ => DatabaseState::Suspect { reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{IoCount, Task};
    use crate::contract::{EXTENT_PAGES, SessionId};
    use crate::database::create;
    use crate::database::plan::NewDatabase;
    use crate::instance::Instance;
    use crate::instance::config::InstanceConfig;
    use millpond_device::clock::SystemClock;

    /// Pages of one file are redone by several threads: none of them makes the file shorter than another one has made it.
    #[test]
    fn a_file_that_several_threads_extend_becomes_longer_only() {
        const THREADS: u32 = 4;
        const ROUNDS: u32 = 500;
        let config = InstanceConfig {
            max_memory_bytes: Some(4 << 20),
            ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
        };
        let instance = Instance::open(config).expect("in memory");
        let (task, io) = (Task::new(SessionId(51)), IoCount::default());
        let database = create::create_database(instance.databases(), &Ask::new(&task, &io), &NewDatabase::named("a"))
            .expect("in memory");
        let file = instance.databases().services.volume.file(database.id(), FileId(1)).expect("it is open");
        let (home, first) = (Home::new(&instance.databases().services), file.size_pages());
        for round in 0..ROUNDS {
            let start = std::sync::Barrier::new(THREADS as usize);
            std::thread::scope(|scope| {
                for thread in 0..THREADS {
                    let (home, file, start) = (&home, &file, &start);
                    scope.spawn(move || {
                        let (task, io) = (Task::new(SessionId(51)), IoCount::default());
                        let page = PageNo(first + (round * THREADS + thread) * EXTENT_PAGES);
                        let id = PageId { db: file.db(), file: file.id(), page };
                        start.wait();
                        home.extend_to(&Ask::new(&task, &io), id).expect("memory has room");
                        assert!(file.size_pages() > page.0, "page {page} is cut off again");
                    });
                }
            });
        }
        assert_eq!(file.size_pages(), first + ROUNDS * THREADS * EXTENT_PAGES);
    }
}
