//! Opening the files of a durable database.
//!
//! ```text
//!   files of the entry ──headers──▶ boot page, maps ──▶ space ──▶ pool knows the files
//! ```
//!
//! What always holds: a database whose files are not what they should be is not opened, its files are not changed, and
//! the others do not notice. What a crash left of a growth that was not finished is cut off.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_device::DeviceError;

use crate::boot_page::BootFacts;
use crate::contract::{DbId, PAGE_BYTES, PageId, PageKind};
use crate::database::{Database, DatabaseState, OpenParts};
use crate::database_files::{FileOwner, open_file};
use crate::database_list::{Stage, StoredDatabase};
use crate::database_options::DatabaseOptions;
use crate::file::StorageFile;
use crate::file_header::{BOOT_PAGE, FileHeader, FileKind};
use crate::ground::Ground;
use crate::map_init::{CheckedPages, read_maps};
use crate::open_error::{FileFailure, FileProblem};
use crate::pool::Durability;
use crate::space::SpaceManager;
use crate::space_state::{FileState, SpaceState};
use crate::wal::DatabaseHandle;

fn failure_at(file: &StorageFile, reason: impl Into<FileProblem>) -> FileFailure {
    FileFailure { path: PathBuf::from(&**file.device().name()), reason: reason.into() }
}

/// Opens a database.
///
/// # Errors
/// [`FileFailure`]; nothing is changed then.
pub fn open_database(ground: &Ground, entry: &StoredDatabase) -> Result<Database, FileFailure> {
    let owner = FileOwner { db: entry.id(), guid: entry.guid() };
    let open = |stored: &crate::database_list::StoredFile| {
        let path = ground.resolve(&stored.path);
        let kind = if stored.log { FileKind::Log } else { FileKind::Data };
        open_file(ground, &path, owner, (stored.id(), kind)).map_err(|reason| FileFailure { path, reason })
    };
    let files = entry.files.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    assemble(ground, entry, &files)
}

/// Puts the opened or newly made files of a database together.
///
/// # Errors
/// [`FileFailure`].
pub fn assemble(ground: &Ground, entry: &StoredDatabase, files: &[Arc<StorageFile>]) -> Result<Database, FileFailure> {
    let data: Vec<_> = files.iter().filter(|file| file.kind() == FileKind::Data).collect();
    let mut state = SpaceState::new(entry.id());
    let mut boot = None;
    for file in &data {
        let pages = CheckedPages::read(file).map_err(|damage| failure_at(file, damage))?;
        if file.id().0 == 1 {
            boot = Some(read_boot(&pages, file, entry).map_err(|reason| failure_at(file, reason))?);
        }
        let maps = read_maps(&pages, file.opened_pages(), state.mixed_mut(file.is_overflow()));
        let (map, uniform) = maps.map_err(|damage| failure_at(file, damage))?;
        state.add_file(FileState::new((*file).clone(), map, uniform));
    }
    // From here on files change.
    files.iter().try_for_each(|file| cut_unfinished_growth(file).map_err(|error| failure_at(file, error)))?;
    for file in files {
        file.device().pass_cache();
        ground.volume.add(file.clone());
        if file.kind() == FileKind::Data {
            ground.pool.attach_file(file.db(), file.id(), Durability::Durable);
        }
    }
    let space = Arc::new(SpaceManager::new(state, entry.id(), false, ground.waits.clone()));
    let boot = boot.expect("an entry has a file 1");
    let handle = DatabaseHandle { db: entry.id(), pool: ground.pool.clone(), log: None };
    Ok(Database::open(
        (entry.id(), entry.guid()),
        &entry.name,
        DatabaseState::Online,
        boot,
        OpenParts { handle, space },
    ))
}

fn read_boot(pages: &CheckedPages<'_>, file: &StorageFile, entry: &StoredDatabase) -> Result<BootFacts, FileProblem> {
    let page = pages.page(BOOT_PAGE, PageKind::Boot)?;
    let header = FileHeader::read(&page, PageId { db: file.db(), file: file.id(), page: BOOT_PAGE })?;
    if header.database_guid != entry.guid() {
        return Err(FileProblem::Misplaced);
    }
    Ok(BootFacts::read(&page))
}

fn cut_unfinished_growth(file: &StorageFile) -> Result<(), DeviceError> {
    if file.size_pages() == file.opened_pages() {
        return Ok(());
    }
    file.device().set_len(u64::from(file.opened_pages()) * PAGE_BYTES as u64)
}

/// Makes the pool and the volume forget the files of a database; pages that were not written are lost.
pub fn close_files(ground: &Ground, db: DbId) {
    for file in ground.volume.files(db) {
        ground.pool.detach_file(file.db(), file.id());
        ground.volume.remove(file.db(), file.id());
    }
}

/// A database that cannot be opened, or that shall not be.
#[must_use]
pub fn closed(entry: &StoredDatabase, state: DatabaseState) -> Database {
    let boot = BootFacts::new(entry.created_utc_us, DatabaseOptions::default(), "");
    Database::closed((entry.id(), entry.guid()), &entry.name, state, boot)
}

/// What becomes of a database whose file fails: one that is not there or cannot be read may be there at the next start.
#[must_use]
pub fn state_after(failure: &FileFailure) -> DatabaseState {
    let reason = format!("{}: {}", failure.path.display(), failure.reason);
    match failure.reason {
        FileProblem::Missing | FileProblem::InUse | FileProblem::NoDirectory | FileProblem::Device(_) => {
            DatabaseState::RecoveryPending { reason }
        }
        _ => DatabaseState::Suspect { reason },
    }
}

/// Opens a database as its entry says; one that cannot be opened says why.
#[must_use]
pub fn open_or_explain(ground: &Ground, entry: &StoredDatabase) -> Database {
    match entry.stage {
        Stage::Offline => closed(entry, DatabaseState::Offline),
        Stage::Restoring => closed(entry, DatabaseState::Restoring),
        Stage::Ready | Stage::Creating | Stage::Dropping => {
            open_database(ground, entry).unwrap_or_else(|failure| closed(entry, state_after(&failure)))
        }
    }
}
