//! The files of a durable database: made with header, maps and boot page, opened with checks, deleted.
//!
//! What always holds: the header is written before anything else, so that a file that a crash left is known as
//! ours; a file is opened only when its header names this instance, this database and this number; checking writes
//! nothing. A new file is durable when [`sync_all`] has returned. An open file is locked until it is closed, so that no other
//! instance opens it, nor this one by another name.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use millpond_device::{BlockDevice, DeviceError, OpenMode, chance};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId, WriteReason};
use crate::database::boot_page::BootFacts;
use crate::file::StorageFile;
use crate::file::file_header::{BOOT_PAGE, FileHeader, FileKind, HEADER_PAGE, HeaderError};
use crate::file::growth::Limits;
use crate::file::tier::Tier;
use crate::open_error::{FileFailure, FileProblem, problem_of_opening};
use crate::services::{StorageServices, lock};
use crate::space::map_init::{MapDamage, make_maps};
use crate::space::page_set::PageSet;

/// How often a lock that somebody has is asked for.
const LOCK_TRIES: u32 = 20;
/// Between two of these.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOwner {
    /// Database.
    pub db: DbId,
    /// Its identity.
    pub guid: [u8; 16],
}

/// A file to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan {
    /// Number.
    pub id: FileId,
    /// Rows or log.
    pub kind: FileKind,
    /// Logical name.
    pub name: String,
    /// Where ([`StorageServices`] knows which paths are in memory).
    pub path: PathBuf,
    /// SIZE.
    pub size_pages: u32,
    /// MAXSIZE and FILEGROWTH.
    pub limits: Limits,
}

/// Makes the files of a database, the boot page with `boot` in the first. When one cannot be made, those made before are
/// deleted again.
///
/// # Errors
/// [`FileFailure`].
pub fn make_files(
    ask: &Ask<'_>,
    services: &StorageServices,
    owner: FileOwner,
    db_name: &str,
    plans: &[FilePlan],
    boot: &BootFacts,
) -> Result<Vec<Arc<StorageFile>>, FileFailure> {
    let mut files = Vec::new();
    for plan in plans {
        match make_file(ask, services, owner, db_name, plan, boot) {
            Ok(file) => files.push(file),
            Err(reason) => {
                plans.iter().take(files.len()).for_each(|made| services.remove(&made.path));
                return Err(FileFailure { path: plan.path.clone(), reason });
            }
        }
    }
    Ok(files)
}

/// Makes one file; when that fails, it is deleted again.
///
/// # Errors
/// [`FileProblem`].
pub fn make_file(
    ask: &Ask<'_>,
    services: &StorageServices,
    owner: FileOwner,
    db_name: &str,
    plan: &FilePlan,
    boot: &BootFacts,
) -> Result<Arc<StorageFile>, FileProblem> {
    assert!(plan.id.0 > 0 && owner.db.0 > 0, "file {} of {} would have no owner", plan.id, owner.db);
    let device = services.create(&plan.path).map_err(problem_of_opening)?;
    let file_guid = chance::guid().map_err(|e| FileProblem::Chance(e.to_string()))?;
    let header = FileHeader {
        db: owner.db,
        file: plan.id,
        file_guid,
        server_guid: services.server_guid,
        database_guid: owner.guid,
        size_pages: plan.size_pages,
        configured_pages: plan.size_pages,
        limits: plan.limits,
        kind: plan.kind,
        tier: Tier::FIRST,
        name: plan.name.clone(),
    };
    let file = Arc::new(StorageFile::new(header, services.medium_of(&plan.path), device));
    let filled = fill(ask, &file, db_name, boot);
    if filled.is_err() {
        services.remove(&plan.path);
    }
    filled.map(|()| file)
}

/// Gives a new file its header, then its length, then maps and boot page.
fn fill(ask: &Ask<'_>, file: &StorageFile, db_name: &str, boot: &BootFacts) -> Result<(), FileProblem> {
    let header = FileHeader { size_pages: file.configured_pages(), ..file.header() };
    let mut page = [0; PAGE_BYTES];
    header.write(&mut page, HEADER_PAGE);
    file.device().set_len(PAGE_BYTES as u64)?;
    file.device().write_at(0, &page)?;
    file.charge(ask, WriteReason::Header, PAGE_BYTES as u64);
    file.device().set_len(u64::from(header.size_pages) * PAGE_BYTES as u64)?;
    assert!(
        file.size_pages() == header.size_pages,
        "a new file has {} pages, and its header says {}",
        file.size_pages(),
        header.size_pages
    );
    if file.kind() == FileKind::Log {
        return Ok(());
    }
    let maps = PageSet::default();
    make_maps(ask, &maps, (file.db(), file.id()), 0, header.size_pages).expect("memory has all pages");
    let mut made = maps.into_pages();
    if file.id() == FileId(1) {
        made.push(boot_page(&header, db_name, boot));
        made.sort_unstable_by_key(|(id, _)| id.page);
    }
    write_runs(ask, file, &made)
}

fn boot_page(header: &FileHeader, db_name: &str, boot: &BootFacts) -> (PageId, Box<PageBytes>) {
    let mut page = Box::new([0; PAGE_BYTES]);
    FileHeader { name: db_name.into(), ..header.clone() }.write(&mut page, BOOT_PAGE);
    boot.write(&mut page);
    crate::page::header::set_checksum(&mut page);
    (PageId { db: header.db, file: header.file, page: BOOT_PAGE }, page)
}

/// Writes sorted pages, neighbours in one write.
fn write_runs(ask: &Ask<'_>, file: &StorageFile, pages: &[(PageId, Box<PageBytes>)]) -> Result<(), FileProblem> {
    assert!(
        pages.windows(2).all(|pair| pair[0].0.page < pair[1].0.page),
        "pages are written in their order, each once"
    );
    assert!(
        pages.iter().all(|(id, _)| (id.db, id.file) == (file.db(), file.id())),
        "pages of others are written to file {}",
        file.id()
    );
    check!(
        pages.iter().all(|(id, bytes)| crate::page::header::verify(bytes, *id).is_ok()),
        "a page of a new file has no checksum"
    );
    for run in pages.chunk_by(|(a, _), (b, _)| a.page.0 + 1 == b.page.0) {
        let bytes: Vec<&PageBytes> = run.iter().map(|(_, bytes)| &**bytes).collect();
        file.write_pages(ask, run[0].0.page, &bytes, WriteReason::Growth).map_err(MapDamage::from)?;
    }
    Ok(())
}

/// Syncs all files at once: one after the other, each would wait for a commit of the file system of its own.
///
/// # Errors
/// [`FileFailure`].
pub fn sync_all(files: &[Arc<StorageFile>]) -> Result<(), FileFailure> {
    let on_disk: Vec<_> = files.iter().filter(|f| f.path().is_some()).collect();
    let sync = |file: &StorageFile| {
        let failed = |error: DeviceError| FileFailure { path: file.path().unwrap_or_default(), reason: error.into() };
        file.device().sync().map_err(failed)
    };
    std::thread::scope(|scope| {
        let syncs: Vec<_> = on_disk.iter().map(|file| scope.spawn(|| sync(file))).collect();
        syncs.into_iter().try_for_each(|one| one.join().expect("syncing does not panic"))
    })
}

/// Opens a file that others are kept from while it is open.
///
/// # Errors
/// [`FileProblem::InUse`] when somebody has it: a process that ends gets a moment to let go.
pub fn open_alone(services: &StorageServices, path: &Path) -> Result<Arc<dyn BlockDevice>, FileProblem> {
    let device = services.open(path, OpenMode::Existing).map_err(problem_of_opening)?;
    for _ in 0..LOCK_TRIES {
        if lock(&*device)? {
            return Ok(device);
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    Err(FileProblem::InUse)
}

/// Opens a file and checks that it is the one that is meant; a header that a power failure tore is repaired. Its length is not looked at: recovery may have to complete
/// a growth.
///
/// # Errors
/// [`FileProblem`].
pub fn open_file(
    services: &StorageServices,
    path: &Path,
    owner: FileOwner,
    (id, kind): (FileId, FileKind),
    torn_header: Option<&PageBytes>,
) -> Result<Arc<StorageFile>, FileProblem> {
    let device = open_alone(services, path)?;
    let header = match (FileHeader::read_from(&*device), torn_header) {
        (Err(HeaderError::Damaged(_)), Some(copy)) => {
            device.write_at(0, copy)?;
            device.sync()?;
            FileHeader::read_from(&*device)?
        }
        (header, _) => header?,
    };
    let is_right = (header.db, header.file, header.kind) == (owner.db, id, kind)
        && (header.server_guid, header.database_guid) == (services.server_guid, owner.guid);
    if !is_right {
        return Err(FileProblem::Misplaced);
    }
    let found = u32::try_from(device.len_bytes() / PAGE_BYTES as u64).unwrap_or(u32::MAX);
    if found < header.size_pages {
        return Err(FileProblem::Truncated { found, expected: header.size_pages });
    }
    Ok(Arc::new(StorageFile::new(header, services.medium_of(path), device)))
}

/// Page 0 says whose file it is from now on; the caller syncs.
///
/// # Errors
/// [`FileProblem`].
pub fn make_own(device: &dyn BlockDevice, owner: FileOwner, server_guid: [u8; 16]) -> Result<(), FileProblem> {
    let mut page: PageBytes = [0; PAGE_BYTES];
    device.read_at(0, &mut page)?;
    own_head(&mut page, owner, server_guid)?;
    device.write_at(0, &page)?;
    Ok(())
}

/// What page 0 of a file says becomes what it says where the file is that owner's, with an identity of its own.
///
/// # Errors
/// [`FileProblem`].
pub fn own_head(page: &mut PageBytes, owner: FileOwner, server_guid: [u8; 16]) -> Result<(), FileProblem> {
    let header = FileHeader::parse(page)?;
    let file_guid = chance::guid().map_err(|error| FileProblem::Chance(error.to_string()))?;
    FileHeader { db: owner.db, server_guid, file_guid, ..header }.put(page);
    crate::page::header::set_checksum(page);
    check!(
 FileHeader::parse(page).is_ok_and(|header| (header.db, header.server_guid, header.file_guid) == (owner.db, server_guid, file_guid)),
 "the header of a file that changes hands does not say whose it is"
);
    Ok(())
}

/// Deletes what an unfinished creation or drop left at `path`: a file that carries the mark of that database, or nothing
/// at all yet. Anything else is a user's data and stays, and so does what somebody has open.
pub fn delete_remains(services: &StorageServices, path: &Path, owner: FileOwner) {
    let Ok(device) = services.open(path, OpenMode::ReadOnly) else { return };
    let is_ours = match FileHeader::read_from(&*device) {
        Ok(header) => (header.db, header.database_guid) == (owner.db, owner.guid),
        Err(HeaderError::Foreign) => has_no_bytes(&*device),
        Err(HeaderError::Damaged(_)) => true,
        Err(HeaderError::Newer { .. } | HeaderError::Device(_)) => false,
    };
    if is_ours && matches!(lock(&*device), Ok(true)) {
        services.remove(path);
    }
}

/// Whether somebody has the file open, or it says that it is of another instance or database.
pub fn is_anothers(services: &StorageServices, path: &Path, owner: FileOwner) -> bool {
    let Ok(device) = services.open(path, OpenMode::ReadOnly) else { return false };
    let own = (services.server_guid, owner.db, owner.guid);
    let is_own = |header: FileHeader| (header.server_guid, header.db, header.database_guid) == own;
    matches!(lock(&*device), Ok(false)) || FileHeader::read_from(&*device).is_ok_and(|header| !is_own(header))
}

/// Whether nothing was written to the first page yet.
fn has_no_bytes(device: &dyn BlockDevice) -> bool {
    let mut page = [0; PAGE_BYTES];
    let bytes = page.len().min(device.len_bytes() as usize);
    device.read_at(0, &mut page[..bytes]).is_ok() && page.iter().all(|byte| *byte == 0)
}
