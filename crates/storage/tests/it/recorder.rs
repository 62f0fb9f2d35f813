//! Files on a tape that remembers what they were called when: for power cuts while files move.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::{BlockDevice, DeviceError, Media, OpenMode, Tape, TapedMedia};
use parking_lot::Mutex;

/// Names on the tape by path.
pub type Names = BTreeMap<PathBuf, Arc<str>>;

/// Directory operations with the place of the tape where they happened.
#[derive(Debug)]
pub struct Recorder {
    tape: Arc<Tape>,
    media: TapedMedia,
    names: Mutex<Vec<(usize, Names)>>,
}

impl Recorder {
    /// Files on `tape`, none yet.
    pub fn new(tape: &Arc<Tape>) -> Recorder {
        Recorder { tape: tape.clone(), media: TapedMedia::new(tape.clone()), names: Mutex::default() }
    }

    /// Places of the tape where names changed.
    pub fn changes(&self) -> Vec<usize> {
        self.names.lock().iter().map(|(at, _)| *at).collect()
    }

    fn record<R>(&self, result: R) -> R {
        self.names.lock().push((self.tape.position(), self.media.names()));
        result
    }

    /// What files were called there.
    pub fn names_at(&self, position: usize) -> Names {
        let names = self.names.lock();
        names.iter().take_while(|(at, _)| *at <= position).last().unwrap().1.clone()
    }
}

impl Media for Recorder {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        self.record(self.media.open(path, mode))
    }

    fn exists(&self, path: &Path) -> bool {
        self.media.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.media.is_dir(path)
    }

    fn remove(&self, path: &Path) -> Result<(), DeviceError> {
        self.record(self.media.remove(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        self.record(self.media.rename(from, to))
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DeviceError> {
        self.media.sync_dir(dir)
    }

    fn create_dir_all(&self, dir: &Path) -> Result<(), DeviceError> {
        self.media.create_dir_all(dir)
    }
}
