//! What all databases of an instance stand on: the medium, the open files, the pool, time and waits. Passed around so
//! that opening and making databases does not know the instance.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::health::HealthHistory;
use millpond_device::{BlockDevice, Clock, DeviceError, FileIdentity, Media, OpenMode, RamDevice};
use parking_lot::Mutex;

use crate::file::claimed_files::ClaimedFiles;
use crate::file::io_watch::IoWatch;
use crate::file::volume::Volume;
use crate::file::{Medium, StorageFile};
use crate::pool::Pool;
use crate::wait::WaitStats;
use crate::wal::Logs;
use crate::wal::page_road::PageRoad;
use millpond_device::wakeup::Wakeup;

/// Begins the paths of files in memory.
pub const RAM_PREFIX: &str = "ram:";

/// Files in memory by path.
type RamFiles = Mutex<BTreeMap<PathBuf, Arc<RamDevice>>>;

/// Where files lie whose place no statement says; each is the data directory where it is `None`. None for an instance in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// Data files of new databases.
    pub data: Option<PathBuf>,
    /// Their logs.
    pub log: Option<PathBuf>,
    /// Backups.
    pub backup: Option<PathBuf>,
}

/// The parts that databases share.
#[derive(Clone, Debug)]
pub struct StorageServices {
    /// Where files come from.
    pub media: Arc<dyn Media>,
    /// The data directory; `None`: all in memory.
    pub dir: Option<PathBuf>,
    /// Where else files lie.
    pub folders: Folders,
    /// The server's identity.
    pub server_guid: [u8; 16],
    /// Open files.
    pub volume: Arc<Volume>,
    /// What is reported of their I/O.
    pub watch: Arc<IoWatch>,
    /// The pool's road to them.
    pub(crate) road: Arc<PageRoad>,
    /// Pages in memory.
    pub pool: Arc<Pool>,
    /// Waits of all tasks.
    pub waits: Arc<WaitStats>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// What the process and the machine did in each minute.
    pub health: Arc<HealthHistory>,
    /// Logs of the open databases, which the pool asks before it writes a page.
    pub(crate) logs: Arc<Logs>,
    /// Wakes the checkpointer when a log fills.
    pub(crate) wakeup: Arc<Wakeup>,
    /// Files in memory; they stay while their database is offline.
    pub(crate) ram: Arc<RamFiles>,
    /// Backups that are written or read now.
    pub(crate) backups: Arc<ClaimedFiles>,
}

/// Whether a path is one of memory.
pub(crate) fn is_ram(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with(RAM_PREFIX))
}

fn refused(path: &Path, kind: ErrorKind) -> DeviceError {
    DeviceError::System { device: path.display().to_string().into(), doing: "open", source: kind.into() }
}

/// Keeps all others from a file, as [`BlockDevice::try_lock`] does. Where the file system has no locks, nobody is kept out.
///
/// # Errors
/// [`DeviceError::System`].
pub fn lock(device: &dyn BlockDevice) -> Result<bool, DeviceError> {
    match device.try_lock() {
        Err(DeviceError::System { source, .. }) if source.kind() == ErrorKind::Unsupported => Ok(true),
        locked => locked,
    }
}

impl StorageServices {
    /// Where a file with that path lies: relative paths begin in the data directory.
    #[must_use]
    pub fn resolve(&self, path: &Path) -> PathBuf {
        match &self.dir {
            Some(dir) if !is_ram(path) => dir.join(path),
            _ => path.to_path_buf(),
        }
    }

    /// The place of a backup.
    #[must_use]
    pub fn resolve_backup(&self, path: &Path) -> PathBuf {
        assert!(self.dir.is_some() || self.folders == Folders::default(), "an instance in memory has folders");
        match &self.folders.backup {
            Some(folder) => self.resolve(&folder.join(path)),
            None => self.resolve(path),
        }
    }

    /// A path as it is stored: relative when it lies in the data directory itself, so that the directory can be moved,
    /// but for a name that would be read as one of memory.
    #[must_use]
    pub fn stored_path(&self, path: &Path) -> PathBuf {
        let within = self.dir.as_ref().and_then(|dir| path.strip_prefix(dir).ok()).filter(|within| !is_ram(within));
        within.unwrap_or(path).to_path_buf()
    }

    /// What a file with that path lies on.
    #[must_use]
    pub fn medium_of(&self, path: &Path) -> Medium {
        if is_ram(path) { Medium::Ram } else { Medium::File(path.to_path_buf()) }
    }

    /// Makes a file that does not exist yet. Nobody else has it ([`lock`]).
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn create(&self, path: &Path) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        if !is_ram(path) {
            let device = self.media.open(path, OpenMode::CreateNew)?;
            return if lock(&*device)? { Ok(device) } else { Err(refused(path, ErrorKind::AlreadyExists)) };
        }
        let mut files = self.ram.lock();
        if files.contains_key(path) {
            return Err(refused(path, ErrorKind::AlreadyExists));
        }
        let name = path.display().to_string();
        let device = Arc::new(RamDevice::new(name.trim_start_matches(RAM_PREFIX)));
        files.insert(path.to_path_buf(), device.clone());
        Ok(device)
    }

    /// Opens a file that exists.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        if !is_ram(path) {
            return self.media.open(path, mode);
        }
        match self.ram.lock().get(path) {
            Some(device) => Ok(device.clone()),
            None => Err(refused(path, ErrorKind::NotFound)),
        }
    }

    /// What a path leads to, however it is written.
    #[must_use]
    pub fn identity(&self, path: &Path) -> FileIdentity {
        if is_ram(path) { FileIdentity::Path(path.to_path_buf()) } else { self.media.identity(path) }
    }

    /// Whether something has that name.
    #[must_use]
    pub fn exists(&self, path: &Path) -> bool {
        if is_ram(path) { self.ram.lock().contains_key(path) } else { self.media.exists(path) }
    }

    /// Whether the directory of a file exists.
    #[must_use]
    pub fn has_directory(&self, path: &Path) -> bool {
        let parent = path.parent();
        is_ram(path) || parent.is_some_and(|dir| dir.as_os_str().is_empty() || self.media.is_dir(dir))
    }

    /// Renames a file over another one.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        if !is_ram(from) {
            return self.media.rename(from, to);
        }
        let mut files = self.ram.lock();
        let device = files.remove(from).ok_or_else(|| refused(from, ErrorKind::NotFound))?;
        files.insert(to.to_path_buf(), device);
        Ok(())
    }

    /// Deletes a file. One that cannot be deleted stays: it is no longer ours.
    pub fn remove(&self, path: &Path) {
        if is_ram(path) {
            self.ram.lock().remove(path);
        } else {
            let _ = self.media.remove(path);
        }
    }

    /// Returns after files made, renamed and removed beside `paths` are durable.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn sync_dirs<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Result<(), DeviceError> {
        let mut dirs: Vec<&Path> = paths.filter(|path| !is_ram(path)).filter_map(Path::parent).collect();
        dirs.sort_unstable();
        dirs.dedup();
        let here = |dir: &'p Path| if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
        dirs.into_iter().map(here).try_for_each(|dir| self.media.sync_dir(dir))
    }

    /// Forgets a file and deletes it.
    pub(crate) fn throw_away(&self, file: &StorageFile) {
        self.pool.detach_file(file.db(), file.id());
        self.volume.remove(file.db(), file.id());
        assert!(
            self.pool.durability(file.db(), file.id()).is_none(),
            "'{}' is deleted, and its pages can be asked for",
            file.name()
        );
        match file.medium() {
            Medium::File(path) => self.remove(&path),
            Medium::Ram => self.remove(Path::new(&*file.device().name())),
        }
    }

    /// Deletes what lies at a place that no file has any more.
    pub(crate) fn forget_place(&self, medium: &Medium, device: &str) {
        match medium {
            Medium::File(path) => self.remove(path),
            Medium::Ram => self.remove(Path::new(device)),
        }
    }
}
