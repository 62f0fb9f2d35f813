//! Where devices come from: files by path, and what else a directory can do. The server's way to its file system, so that
//! a test puts memory, faults or power cuts under a whole instance.
//!
//! What always holds: a device that was opened keeps working after its file was renamed or removed. A creation, rename or
//! removal is durable after [`Media::sync_dir`] of its directory; a length and bytes after [`BlockDevice::sync`]. Nothing
//! here knows what the files hold.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::block::{BlockDevice, DeviceError};
use crate::emulator::volume::VolumeReport;
use crate::fault::FaultDevice;
use crate::file::{FileDevice, OpenMode};
use crate::ram::RamDevice;

/// What a file is, however its path is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileIdentity {
    /// Device and number that the file system gave it: of all its names the same.
    Inode(u64, u64),
    /// Nothing but its path says what it is, or it is not there.
    Path(PathBuf),
}

/// Files by path.
pub trait Media: Send + Sync + std::fmt::Debug {
    /// Opens or creates a file, through the system's cache until [`BlockDevice::pass_cache`].
    ///
    /// # Errors
    /// [`DeviceError::System`] with the kinds `NotFound` and `AlreadyExists` where they say it.
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError>;

    /// Whether something has that name: a file, a directory, a link to nowhere.
    fn exists(&self, path: &Path) -> bool;

    /// Whether it is a directory.
    fn is_dir(&self, path: &Path) -> bool;

    /// Whether it is a file that may be opened without waiting for anybody, or a link to one: no directory, no pipe.
    fn is_file(&self, path: &Path) -> bool {
        self.exists(path) && !self.is_dir(path)
    }

    /// What a path leads to: the same for all spellings, links and other names of one file, as far as the medium can tell.
    fn identity(&self, path: &Path) -> FileIdentity {
        FileIdentity::Path(path.to_path_buf())
    }

    /// Removes a file.
    ///
    /// # Errors
    /// [`DeviceError::System`].
    fn remove(&self, path: &Path) -> Result<(), DeviceError>;

    /// Renames a file; one that has the new name goes.
    ///
    /// # Errors
    /// [`DeviceError::System`].
    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError>;

    /// Returns after all creations, renames and removals in the directory are durable.
    ///
    /// # Errors
    /// [`DeviceError::System`].
    fn sync_dir(&self, dir: &Path) -> Result<(), DeviceError>;

    /// Makes a directory and those above it; one that exists is fine.
    ///
    /// # Errors
    /// [`DeviceError::System`].
    fn create_dir_all(&self, dir: &Path) -> Result<(), DeviceError>;

    /// Counters of the emulated devices, in order of their names; none where files are files.
    fn volume_reports(&self) -> Vec<VolumeReport> {
        Vec::new()
    }

    /// Name of the emulated device on which a file with that name lies; `None`: it is a plain file.
    fn volume_of(&self, _path: &Path) -> Option<Arc<str>> {
        None
    }
}

/// The operating system's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

fn failed(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> DeviceError {
    let device: Arc<str> = path.display().to_string().into();
    move |source| DeviceError::of_write(&device, doing, 0, source)
}

impl Media for FileSystem {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        Ok(Arc::new(FileDevice::open_buffered(path, mode)?))
    }

    fn exists(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn identity(&self, path: &Path) -> FileIdentity {
        #[cfg(unix)]
        if let Ok(found) = path.metadata() {
            use std::os::unix::fs::MetadataExt;
            return FileIdentity::Inode(found.dev(), found.ino());
        }
        let beside = || Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
        FileIdentity::Path(path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_path_buf()))
    }

    fn remove(&self, path: &Path) -> Result<(), DeviceError> {
        std::fs::remove_file(path).map_err(failed(path, "remove"))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        std::fs::rename(from, to).map_err(failed(from, "rename"))
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DeviceError> {
        // Elsewhere a directory cannot be opened; renames are as durable as the file system makes them.
        if !cfg!(unix) {
            return Ok(());
        }
        std::fs::File::open(dir).and_then(|dir| dir.sync_all()).map_err(failed(dir, "sync"))
    }

    fn create_dir_all(&self, dir: &Path) -> Result<(), DeviceError> {
        let mut builder = std::fs::DirBuilder::new();
        // Of new directories, as of new files: nothing for others than owner and group.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o750);
        builder.recursive(true).create(dir).map_err(failed(dir, "create directory"))
    }
}

/// Files in memory, each behind a [`FaultDevice`], for tests of a whole instance. Every directory exists. The files
/// outlive the instance that used them: opening another one over the same media is a restart.
#[derive(Debug, Default)]
pub struct RamMedia {
    files: Mutex<BTreeMap<PathBuf, Arc<FaultDevice>>>,
}

impl RamMedia {
    /// No files.
    #[must_use]
    pub fn new() -> RamMedia {
        RamMedia::default()
    }

    /// The device of a file, to order faults or look at its bytes.
    #[must_use]
    pub fn device(&self, path: &Path) -> Option<Arc<FaultDevice>> {
        self.files.lock().get(path).cloned()
    }

    /// All files, in order of their paths.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.lock().keys().cloned().collect()
    }

    /// A copy of all files as they are now: what a crash of the process would leave.
    ///
    /// # Panics
    /// When a fault strikes the reads.
    #[must_use]
    pub fn snapshot(&self) -> RamMedia {
        let files = self.files.lock().clone();
        let copy_of = |path: &Path, device: &Arc<FaultDevice>| {
            let copy = new_device(path);
            copy.set_len(device.len_bytes()).expect("memory");
            copy_bytes(&**device, &*copy);
            copy
        };
        RamMedia { files: Mutex::new(files.iter().map(|(path, d)| (path.clone(), copy_of(path, d))).collect()) }
    }
}

/// Zeroes are not copied: a chunk of a RAM device that was never written stays without memory.
fn copy_bytes(from: &dyn BlockDevice, to: &dyn BlockDevice) {
    let mut block = vec![0; 64 << 10];
    let mut at = 0;
    while at < from.len_bytes() {
        let bytes = block.len().min((from.len_bytes() - at) as usize);
        from.read_at(at, &mut block[..bytes]).expect("no fault was ordered");
        if block[..bytes].iter().any(|byte| *byte != 0) {
            to.write_at(at, &block[..bytes]).expect("memory");
        }
        at += bytes as u64;
    }
}

fn new_device(path: &Path) -> Arc<FaultDevice> {
    Arc::new(FaultDevice::new(Arc::new(RamDevice::new(&path.display().to_string()))))
}

fn refused(path: &Path, doing: &'static str, kind: ErrorKind) -> DeviceError {
    DeviceError::System { device: path.display().to_string().into(), doing, source: kind.into() }
}

impl Media for RamMedia {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        let mut files = self.files.lock();
        let found = files.get(path).cloned();
        let device = match (mode, found) {
            (OpenMode::Existing | OpenMode::ReadOnly, Some(device)) => return Ok(device),
            (OpenMode::Existing | OpenMode::ReadOnly, None) => return Err(refused(path, "open", ErrorKind::NotFound)),
            (OpenMode::CreateNew, Some(_)) => return Err(refused(path, "open", ErrorKind::AlreadyExists)),
            (OpenMode::CreateOrTruncate, Some(device)) => {
                device.set_len(0)?;
                return Ok(device);
            }
            (OpenMode::CreateNew | OpenMode::CreateOrTruncate, None) => new_device(path),
        };
        files.insert(path.to_path_buf(), device.clone());
        Ok(device)
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.lock().contains_key(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        !self.exists(path)
    }

    fn remove(&self, path: &Path) -> Result<(), DeviceError> {
        let removed = self.files.lock().remove(path);
        removed.map(|_| ()).ok_or_else(|| refused(path, "remove", ErrorKind::NotFound))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        let mut files = self.files.lock();
        let device = files.remove(from).ok_or_else(|| refused(from, "rename", ErrorKind::NotFound))?;
        files.insert(to.to_path_buf(), device);
        Ok(())
    }

    fn sync_dir(&self, _: &Path) -> Result<(), DeviceError> {
        Ok(())
    }

    fn create_dir_all(&self, _: &Path) -> Result<(), DeviceError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same story over both media.
    fn files_come_and_go(media: &dyn Media, dir: &Path) {
        let (one, two) = (dir.join("one"), dir.join("two"));
        assert!(!media.exists(&one));
        assert!(media.open(&one, OpenMode::Existing).is_err());
        let device = media.open(&one, OpenMode::CreateNew).unwrap();
        device.set_len(8192).unwrap();
        device.write_at(10, b"bytes").unwrap();
        device.sync().unwrap();
        media.sync_dir(dir).unwrap();
        let again = media.open(&one, OpenMode::CreateNew).unwrap_err();
        assert!(matches!(again, DeviceError::System { source, .. } if source.kind() == ErrorKind::AlreadyExists));
        media.rename(&one, &two).unwrap();
        assert!(media.exists(&two) && !media.exists(&one));
        let mut back = [0; 5];
        media.open(&two, OpenMode::ReadOnly).unwrap().read_at(10, &mut back).unwrap();
        assert_eq!(&back, b"bytes");
        assert_eq!(media.open(&two, OpenMode::CreateOrTruncate).unwrap().len_bytes(), 0);
        media.remove(&two).unwrap();
        assert!(media.remove(&two).is_err());
        assert!(media.rename(&two, &one).is_err());
        media.create_dir_all(&dir.join("deep/er")).unwrap();
        assert!(media.is_dir(&dir.join("deep/er")));
    }

    #[test]
    fn files_of_the_system_and_files_in_memory_behave_alike() {
        let dir = tempfile::tempdir().unwrap();
        files_come_and_go(&FileSystem, dir.path());
        files_come_and_go(&RamMedia::new(), Path::new("/ram"));
    }

    #[test]
    fn a_snapshot_does_not_see_later_writes() {
        let media = RamMedia::new();
        let path = Path::new("/ram/a");
        let device = media.open(path, OpenMode::CreateNew).unwrap();
        device.set_len(300_000).unwrap();
        device.write_at(299_999, &[7]).unwrap();
        let copy = media.snapshot();
        device.write_at(299_999, &[8]).unwrap();
        let mut byte = [0];
        copy.device(path).unwrap().read_at(299_999, &mut byte).unwrap();
        assert_eq!((byte, copy.paths()), ([7], vec![path.to_path_buf()]));
    }
}
