//! tempdb's files at a start: checked first, then made anew, all of them or none.
//!
//! What always holds: a file that exists is thrown away only when it is empty, carries the header of a tempdb file, or is
//! in the list that an earlier start stored, and no other process has it open; everything is checked before the first
//! file is changed. Their contents are never synced: they do not outlive the process, and a power failure may leave
//! anything, their headers lost among it. The header says the configured size, whatever the file's length is now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError, Media, OpenMode, RamDevice, chance};

use crate::ask::Ask;
use crate::contract::{DbId, PAGE_BYTES, PageId, PageKind};
use crate::file::file_header::{BOOT_PAGE, FileHeader, FileKind, HEADER_PAGE, HeaderError};
use crate::file::{Medium, StorageFile};
use crate::open_error::{FileProblem, OpenError, problem_of_opening};
use crate::pool::{Durability, Pool};
use crate::services::{StorageServices, lock};
use crate::settings::tempdb::{DeviceKind, TempFileSpec};
use crate::space::map_init::make_maps;
use crate::space::map_pages::{MapError, MapPages};

/// A file whose place is known to be ours to use.
#[derive(Debug)]
pub struct Prepared {
    spec: TempFileSpec,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Ram,
    New(PathBuf),
    /// An old one, opened and locked.
    Old(PathBuf, Arc<dyn BlockDevice>),
}

/// An empty device to which a file can be moved.
#[derive(Debug)]
pub struct NewPlace {
    /// Where it is.
    pub medium: Medium,
    /// The device; its bytes are zeroes.
    pub device: Arc<dyn BlockDevice>,
}

impl Prepared {
    /// The place without a file in it yet.
    ///
    /// # Errors
    /// [`OpenError::Tempdb`].
    pub fn open_empty(self, services: &StorageServices) -> Result<NewPlace, OpenError> {
        let Prepared { spec, place } = self;
        let (path, opened) = match place {
            Place::Ram => return Ok(NewPlace { medium: Medium::Ram, device: Arc::new(ram_of(&spec)) }),
            Place::New(path) => (path.clone(), services.create(&path)),
            Place::Old(path, device) => (path, device.set_len(0).map(|()| device)),
        };
        match opened {
            Ok(device) => {
                device.pass_cache();
                Ok(NewPlace { medium: Medium::File(path), device })
            }
            Err(error) => Err(OpenError::Tempdb { name: spec.name, path, reason: problem_of_opening(error) }),
        }
    }
}

fn ram_of(spec: &TempFileSpec) -> RamDevice {
    RamDevice::with_limit(&spec.name, u64::from(spec.max_pages.unwrap_or(u32::MAX)) * PAGE_BYTES as u64)
}

/// Where a file with that path lies.
#[must_use]
pub fn resolve(dir: Option<&Path>, path: &Path) -> PathBuf {
    dir.map_or_else(|| path.to_path_buf(), |dir| dir.join(path))
}

/// What may be at the place of a file that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Nothing.
    Nothing,
    /// An old file of tempdb.
    TempdbFile,
    /// Anything but a file of another database: the place is that of a file which an earlier start made.
    OwnFile,
}

/// Looks whether a file can be made; changes nothing.
///
/// # Errors
/// [`OpenError::Tempdb`].
pub fn prepare(
    media: &dyn Media,
    dir: Option<&Path>,
    spec: &TempFileSpec,
    may_replace: Replace,
) -> Result<Prepared, OpenError> {
    let place = match (spec.device, &spec.path) {
        (DeviceKind::Ram, _) | (_, None) => Place::Ram,
        (DeviceKind::File, Some(path)) => {
            let path = resolve(dir, path);
            let checked = check_place(media, &path, may_replace);
            checked.map_err(|reason| OpenError::Tempdb { name: spec.name.clone(), path, reason })?
        }
    };
    Ok(Prepared { spec: spec.clone(), place })
}

fn check_place(media: &dyn Media, path: &Path, may_replace: Replace) -> Result<Place, FileProblem> {
    if !path.parent().is_some_and(|dir| dir.as_os_str().is_empty() || media.is_dir(dir)) {
        return Err(FileProblem::NoDirectory);
    }
    let device = match media.open(path, OpenMode::Existing).map_err(problem_of_opening) {
        Ok(device) => device,
        Err(FileProblem::Missing) => return Ok(Place::New(path.to_path_buf())),
        Err(problem) => return Err(problem),
    };
    if may_replace == Replace::Nothing {
        return Err(FileProblem::Unexpected);
    }
    if !lock(&*device)? {
        return Err(FileProblem::InUse);
    }
    if device.len_bytes() > 0 && !is_of_tempdb(&*device, may_replace)? {
        return Err(FileProblem::Foreign);
    }
    Ok(Place::Old(path.to_path_buf(), device))
}

/// Whether the file carries the mark of a tempdb file. A damaged or newer header is still a mark: what is after it is
/// worthless in any case.
fn is_of_tempdb(device: &dyn BlockDevice, may_replace: Replace) -> Result<bool, FileProblem> {
    match FileHeader::read_from(device) {
        Ok(header) => Ok(header.db == DbId::TEMPDB),
        Err(HeaderError::Damaged(_) | HeaderError::Newer { .. }) => Ok(true),
        // A header that was never synced before a power failure is no header.
        Err(HeaderError::Foreign) => Ok(may_replace == Replace::OwnFile),
        Err(HeaderError::Device(error)) => Err(error.into()),
    }
}

/// Makes a file: its header first, so that a crash in between leaves a file that is known as ours, then its length.
///
/// # Errors
/// [`OpenError::Tempdb`]; a file that was not there before is removed again.
pub fn make(ask: &Ask<'_>, services: &StorageServices, prepared: Prepared) -> Result<Arc<StorageFile>, OpenError> {
    let Prepared { spec, place } = prepared;
    let new_path = if let Place::New(path) = &place { Some(path.clone()) } else { None };
    let made = make_at(ask, services, &spec, place, chance::guid()?);
    made.map(Arc::new).map_err(|(path, error)| {
        if let Some(path) = &new_path
            && !matches!(&error, DeviceError::System { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists)
        {
            services.remove(path);
        }
        OpenError::Tempdb { name: spec.name.clone(), path, reason: problem_of_opening(error) }
    })
}

fn make_at(
    ask: &Ask<'_>,
    services: &StorageServices,
    spec: &TempFileSpec,
    place: Place,
    file_guid: [u8; 16],
) -> Result<StorageFile, (PathBuf, DeviceError)> {
    let header = FileHeader {
        db: DbId::TEMPDB,
        file: spec.id(),
        file_guid,
        server_guid: services.server_guid,
        database_guid: [0; 16],
        size_pages: spec.size_pages,
        configured_pages: spec.size_pages,
        limits: spec.limits(),
        kind: spec.kind(),
        tier: spec.tier,
        name: spec.name.clone(),
    };
    let len_bytes = u64::from(spec.size_pages) * PAGE_BYTES as u64;
    let (path, device) = match place {
        Place::Ram => {
            let device = ram_of(spec);
            device.set_len(len_bytes).map_err(|e| (PathBuf::from(&**device.name()), e))?;
            return Ok(StorageFile::new(header, Medium::Ram, Arc::new(device)));
        }
        Place::New(path) => {
            let device = services.create(&path).map_err(|e| (path.clone(), e))?;
            (path, device)
        }
        Place::Old(path, device) => (path, device),
    };
    let file = StorageFile::new(header, Medium::File(path.clone()), device);
    write_first(ask, &file, len_bytes).map_err(|e| (path, e))?;
    file.device().pass_cache();
    Ok(file)
}

/// The header, then the length. What an old file held stays after the header: no map names it, and space that the disk
/// has given once costs nothing to get and less to write again.
fn write_first(ask: &Ask<'_>, file: &StorageFile, len_bytes: u64) -> Result<(), DeviceError> {
    if file.size_pages() == 0 {
        file.device().set_len(PAGE_BYTES as u64)?;
    }
    file.write_header(ask)?;
    if file.device().len_bytes() != len_bytes {
        file.device().set_len(len_bytes)?;
    }
    assert!(
        file.device().len_bytes() == len_bytes,
        "'{}' has {} bytes, and was made with {len_bytes}",
        file.name(),
        file.device().len_bytes()
    );
    Ok(())
}

/// Makes a file's pages known to the pool, and its maps in memory.
///
/// # Errors
/// [`MapError`].
pub fn attach(ask: &Ask<'_>, pool: &Pool, file: &StorageFile) -> Result<(), MapError> {
    if file.kind() == FileKind::Log {
        return Ok(());
    }
    let (db, id) = (file.db(), file.id());
    pool.attach_file(db, id, Durability::Temporary);
    make_maps(ask, pool, (db, id), 0, file.size_pages())?;
    let header = file.header();
    let page_id = |page| PageId { db, file: id, page };
    if file.is_ram() {
        // Nothing is written to memory only to be read back; on disk the header is there already.
        pool.create_map(ask, page_id(HEADER_PAGE), PageKind::FileHeader, &mut |page| header.write(page, HEADER_PAGE))?;
    }
    if id.0 == 1 {
        let boot = FileHeader { name: "tempdb".into(), ..header };
        pool.create_map(ask, page_id(BOOT_PAGE), PageKind::Boot, &mut |page| boot.write(page, BOOT_PAGE))?;
    }
    Ok(())
}
