//! master, model and msdb: made at the first start, read and checked at every other.
//!
//! What always holds: a data file is opened only when its header, boot page and all its map pages are what was written
//! and agree with each other; checking writes nothing. New files are durable before [`create`] returns. A growth counts
//! when the header tells of it; what a crash left behind that size is cut off by [`cut_unfinished_growth`].

use std::path::Path;
use std::sync::Arc;

use millpond_device::chance;
use millpond_device::{BlockDevice, DeviceError, FileDevice, OpenMode, RamDevice};

use crate::ask::Ask;
use crate::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId, PageKind, WriteReason};
use crate::file::{Medium, StorageFile};
use crate::file_header::{BOOT_PAGE, FileHeader, FileKind};
use crate::growth::{Growth, Limits, PAGES_PER_MB};
use crate::map_init::{CheckedPages, make_maps, read_maps};
use crate::open_error::{FileProblem, OpenError, problem_of_opening};
use crate::page_set::PageSet;
use crate::space_state::{FileState, SpaceState};

/// A file of one of these databases.
#[derive(Clone, Copy, Debug)]
pub struct SystemFile {
    name: &'static str,
    path: &'static str,
    pages: u32,
    growth: Growth,
}

/// One of these databases.
#[derive(Clone, Copy, Debug)]
pub struct SystemDatabase {
    /// Number.
    pub id: DbId,
    /// Name.
    pub name: &'static str,
    data: SystemFile,
    log: SystemFile,
}

const fn file(name: &'static str, path: &'static str, megabytes: u32, growth: Growth) -> SystemFile {
    SystemFile { name, path, pages: megabytes * PAGES_PER_MB, growth }
}

const TEN_PERCENT: Growth = Growth::Percent(10);
const BY_64_MB: Growth = Growth::Pages(64 * PAGES_PER_MB);

/// The databases that outlive a restart, in order of their number.
pub const SYSTEM_DATABASES: [SystemDatabase; 3] = [
    SystemDatabase {
        id: DbId::MASTER,
        name: "master",
        data: file("master", "master.mdf", 4, TEN_PERCENT),
        log: file("mastlog", "mastlog.ldf", 1, TEN_PERCENT),
    },
    SystemDatabase {
        id: DbId::MODEL,
        name: "model",
        data: file("modeldev", "model.mdf", 8, BY_64_MB),
        log: file("modellog", "modellog.ldf", 8, BY_64_MB),
    },
    SystemDatabase {
        id: DbId::MSDB,
        name: "msdb",
        data: file("MSDBData", "MSDBData.mdf", 4, TEN_PERCENT),
        log: file("MSDBLog", "MSDBLog.ldf", 1, TEN_PERCENT),
    },
];

impl SystemDatabase {
    fn files(&self) -> [(SystemFile, FileId, FileKind); 2] {
        [(self.data, FileId(1), FileKind::Data), (self.log, FileId(2), FileKind::Log)]
    }
}

/// Makes all files of these databases, in `dir` or in memory. Files that exist are thrown away: whoever calls knows that
/// they are of a first start that did not finish.
///
/// # Errors
/// [`OpenError::File`].
pub fn create(ask: &Ask<'_>, dir: Option<&Path>, server_guid: [u8; 16]) -> Result<Vec<Arc<StorageFile>>, OpenError> {
    let mut files = Vec::new();
    for database in &SYSTEM_DATABASES {
        for (spec, id, kind) in database.files() {
            let (medium, device) = new_device(dir, spec)?;
            let header = FileHeader {
                db: database.id,
                file: id,
                file_guid: chance::guid()?,
                server_guid,
                size_pages: spec.pages,
                configured_pages: spec.pages,
                limits: Limits { max_pages: None, growth: spec.growth },
                kind,
                is_overflow: false,
                name: spec.name.into(),
            };
            let file = Arc::new(StorageFile::new(header, medium, device));
            fill(ask, &file, database).map_err(|reason| problem_at(dir, spec, reason))?;
            files.push(file);
        }
    }
    sync_all(&files).map_err(|(file, error)| OpenError::File {
        path: file.path().unwrap_or(Path::new("")).to_path_buf(),
        reason: error.into(),
    })?;
    Ok(files)
}

/// Refuses a directory in which one of these files exists already.
///
/// # Errors
/// [`OpenError::File`].
pub fn refuse_existing(dir: &Path) -> Result<(), OpenError> {
    for (spec, ..) in SYSTEM_DATABASES.iter().flat_map(SystemDatabase::files) {
        if dir.join(spec.path).symlink_metadata().is_ok() {
            return Err(problem_at(Some(dir), spec, FileProblem::Unexpected));
        }
    }
    Ok(())
}

fn problem_at(dir: Option<&Path>, spec: SystemFile, reason: FileProblem) -> OpenError {
    OpenError::File { path: dir.unwrap_or(Path::new("ram:")).join(spec.path), reason }
}

fn new_device(dir: Option<&Path>, spec: SystemFile) -> Result<(Medium, Arc<dyn BlockDevice>), OpenError> {
    let Some(dir) = dir else { return Ok((Medium::Ram, Arc::new(RamDevice::new(spec.path)))) };
    let path = dir.join(spec.path);
    let device = FileDevice::open_buffered(&path, OpenMode::CreateOrTruncate)
        .map_err(|e| problem_at(Some(dir), spec, problem_of_opening(e)))?;
    Ok((Medium::File(path), Arc::new(device)))
}

/// Gives a new file its length, header, maps and boot page.
fn fill(ask: &Ask<'_>, file: &StorageFile, database: &SystemDatabase) -> Result<(), FileProblem> {
    let pages = file.configured_pages();
    file.device().set_len(u64::from(pages) * PAGE_BYTES as u64)?;
    file.write_header(ask)?;
    if file.kind() == FileKind::Log {
        return Ok(());
    }
    let maps = PageSet::default();
    make_maps(ask, &maps, (file.db(), file.id()), 0, pages).expect("memory has all pages");
    let mut made = maps.into_pages();
    let mut boot = Box::new([0; PAGE_BYTES]);
    FileHeader { name: database.name.into(), ..file.header() }.write(&mut boot, BOOT_PAGE);
    made.push((PageId { db: file.db(), file: file.id(), page: BOOT_PAGE }, boot));
    write_runs(ask, file, &made)
}

/// Writes sorted pages, neighbours in one write.
fn write_runs(ask: &Ask<'_>, file: &StorageFile, pages: &[(PageId, Box<PageBytes>)]) -> Result<(), FileProblem> {
    for run in pages.chunk_by(|(a, _), (b, _)| a.page.0 + 1 == b.page.0) {
        let bytes: Vec<&PageBytes> = run.iter().map(|(_, bytes)| &**bytes).collect();
        file.write_pages(ask, run[0].0.page, &bytes, WriteReason::Growth).map_err(crate::map_init::MapDamage::from)?;
    }
    Ok(())
}

/// Syncs all files at once: one after the other, each would wait for a commit of the file system of its own.
fn sync_all(files: &[Arc<StorageFile>]) -> Result<(), (Arc<StorageFile>, DeviceError)> {
    let on_disk: Vec<_> = files.iter().filter(|f| f.path().is_some()).collect();
    std::thread::scope(|scope| {
        let syncs: Vec<_> = on_disk.iter().map(|file| scope.spawn(|| file.device().sync())).collect();
        for (file, sync) in on_disk.iter().zip(syncs) {
            sync.join().expect("syncing does not panic").map_err(|e| (Arc::clone(file), e))?;
        }
        Ok(())
    })
}

/// Opens the files of these databases without changing them.
///
/// # Errors
/// [`OpenError::File`].
pub fn open(dir: &Path, server_guid: [u8; 16]) -> Result<Vec<Arc<StorageFile>>, OpenError> {
    let mut files = Vec::new();
    for database in &SYSTEM_DATABASES {
        for (spec, id, kind) in database.files() {
            let path = dir.join(spec.path);
            let opened = open_file(&path, database, id, kind, server_guid);
            files.push(Arc::new(opened.map_err(|reason| OpenError::File { path, reason })?));
        }
    }
    Ok(files)
}

fn open_file(
    path: &Path,
    database: &SystemDatabase,
    id: FileId,
    kind: FileKind,
    server_guid: [u8; 16],
) -> Result<StorageFile, FileProblem> {
    let device = FileDevice::open_buffered(path, OpenMode::Existing).map_err(problem_of_opening)?;
    let header = FileHeader::read_from(&device)?;
    let is_right = (header.db, header.file, header.kind, header.server_guid) == (database.id, id, kind, server_guid);
    if !is_right {
        return Err(FileProblem::Misplaced);
    }
    let found = u32::try_from(device.len_bytes() / PAGE_BYTES as u64).unwrap_or(u32::MAX);
    if found < header.size_pages {
        return Err(FileProblem::Truncated { found, expected: header.size_pages });
    }
    Ok(StorageFile::new(header, Medium::File(path.to_path_buf()), Arc::new(device)))
}

/// Cuts a file to the size that its header tells.
///
/// # Errors
/// [`OpenError::File`].
pub fn cut_unfinished_growth(file: &StorageFile) -> Result<(), OpenError> {
    if file.size_pages() == file.opened_pages() {
        return Ok(());
    }
    let cut = file.device().set_len(u64::from(file.opened_pages()) * PAGE_BYTES as u64);
    let path = || file.path().unwrap_or(Path::new("")).to_path_buf();
    cut.map_err(|error| OpenError::File { path: path(), reason: error.into() })
}

/// Checks the boot page of a primary file and returns its space as its maps tell.
///
/// # Errors
/// [`OpenError::File`].
pub fn read_space(file: &Arc<StorageFile>) -> Result<SpaceState, OpenError> {
    let path = || file.path().unwrap_or(Path::new("")).to_path_buf();
    read_state(file).map_err(|reason| OpenError::File { path: path(), reason })
}

fn read_state(file: &Arc<StorageFile>) -> Result<SpaceState, FileProblem> {
    let pages = CheckedPages::read(file)?;
    let boot = pages.page(BOOT_PAGE, PageKind::Boot)?;
    let boot = FileHeader::read(&boot, PageId { db: file.db(), file: file.id(), page: BOOT_PAGE })?;
    if !SYSTEM_DATABASES.iter().any(|database| (database.id, database.name) == (file.db(), boot.name.as_str())) {
        return Err(FileProblem::Misplaced);
    }
    let mut state = SpaceState::new(file.db());
    let (map, uniform) = read_maps(&pages, file.opened_pages(), state.mixed_mut(file.is_overflow()))?;
    state.add_file(FileState::new(file.clone(), map, uniform));
    Ok(state)
}
