//! All open files of the instance, and the pool's way to them.
//!
//! What always holds: a file is found by database and number; a page of a file that is not open, or after its end, is
//! [`IoFailure::NoFile`]. What is read and written is accounted for by the file itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use millpond_device::{BlockDevice, MeterReading};
use parking_lot::{Mutex, RwLock};

use crate::ask::Ask;
use crate::contract::{DbId, FileId, IoFailure, PageBytes, PageId, SessionId, WriteReason};
use crate::file::io_watch::{FileWatch, IoEvent, IoWatch};
use crate::file::watched_device::{NO_DATABASE, WatchedDevice};
use crate::file::{StorageFile, offset_of};
use crate::page_io::{PageIo, PageRun};

/// The open files.
#[derive(Debug, Default)]
pub struct Volume {
    watch: Option<Arc<IoWatch>>,
    files: RwLock<BTreeMap<(DbId, FileId), Arc<StorageFile>>>,
    /// Files that are gone, with pages in use that lie in other files: until their space manager forgets them.
    gone: RwLock<BTreeMap<(DbId, FileId), Weak<StorageFile>>>,
    /// Devices that are no files of a database.
    devices: Mutex<Vec<Weak<WatchedDevice>>>,
    /// What was counted at places that no open file has any more, by directory.
    left: Mutex<BTreeMap<Option<PathBuf>, MeterReading>>,
}

impl Volume {
    /// No files yet; `watch` keeps an eye on those to come.
    #[must_use]
    pub fn watched(watch: Arc<IoWatch>) -> Volume {
        Volume { watch: Some(watch), ..Volume::default() }
    }

    /// Reports requests that take too long.
    pub fn look_for_slow(&self) {
        let Some(watch) = &self.watch else { return };
        for file in self.all() {
            if let Some(slow) = file.device().look_for_slow() {
                let (db, device) = (file.db(), file.device().name());
                watch.publish(IoEvent::Slow { db, file: file.id(), device, slow });
            }
        }
        let devices: Vec<_> = self.devices.lock().iter().filter_map(Weak::upgrade).collect();
        for device in devices {
            if let Some(slow) = device.look_for_slow() {
                watch.publish(IoEvent::Slow { db: NO_DATABASE, file: FileId(0), device: device.name().clone(), slow });
            }
        }
    }

    /// From now on requests of a device that is no file of a database are watched too.
    pub(crate) fn watched_device(&self, device: Arc<dyn BlockDevice>) -> Arc<dyn BlockDevice> {
        let Some(watch) = &self.watch else { return device };
        let watched = Arc::new(WatchedDevice::new(device, watch.clone()));
        let devices = &mut *self.devices.lock();
        devices.retain(|device| device.strong_count() > 0);
        devices.push(Arc::downgrade(&watched));
        watched
    }

    /// Makes a file known.
    pub fn add(&self, file: Arc<StorageFile>) {
        if let Some(watch) = &self.watch {
            file.device().set_watch(FileWatch::new(watch.clone(), file.db(), file.id()));
        }
        assert!(
            self.find_gone(file.db(), file.id()).is_none(),
            "number {} of {} is given again, and pages of the old file are in use",
            file.id(),
            file.db()
        );
        let replaced = self.files.write().insert((file.db(), file.id()), file);
        assert!(replaced.is_none(), "a file number is given once");
    }

    /// Forgets a file, which others may have then; I/Os that run keep it open until they end.
    pub fn remove(&self, db: DbId, file: FileId) -> Option<Arc<StorageFile>> {
        let removed = self.files.write().remove(&(db, file));
        if let Some(file) = &removed {
            file.device().unlock();
            self.leave(file.path(), file.device().reading_here());
        }
        removed
    }

    /// The file is gone from all lists; its pages can be had as long as another owner keeps it.
    pub(crate) fn retire(&self, file: &Arc<StorageFile>) {
        let key = (file.db(), file.id());
        // First, so that its pages are found all the time.
        self.gone.write().insert(key, Arc::downgrade(file));
        let removed = self.files.write().remove(&key);
        assert!(removed.is_some_and(|open| Arc::ptr_eq(&open, file)), "a file that is not open is retired");
    }

    /// Whether pages of that file are in use, be it gone or not.
    pub(crate) fn is_in_use(&self, db: DbId, file: FileId) -> bool {
        self.files.read().contains_key(&(db, file)) || self.find_gone(db, file).is_some()
    }

    fn find_gone(&self, db: DbId, file: FileId) -> Option<Arc<StorageFile>> {
        self.gone.read().get(&(db, file)).and_then(Weak::upgrade)
    }

    /// A file has left its place (`None`: memory), at which it counted so much.
    pub(crate) fn leave(&self, path: Option<PathBuf>, reading: MeterReading) {
        let dir = path.map(|path| path.parent().unwrap_or(Path::new("")).to_path_buf());
        let left = &mut *self.left.lock();
        let before = left.entry(dir).or_default();
        *before = *before + reading;
    }

    /// What files counted at places that they have left, by directory.
    pub(crate) fn left_devices(&self) -> Vec<(Option<PathBuf>, MeterReading)> {
        self.left.lock().iter().map(|(dir, reading)| (dir.clone(), *reading)).collect()
    }

    /// The file of that number.
    #[must_use]
    pub fn file(&self, db: DbId, file: FileId) -> Option<Arc<StorageFile>> {
        self.files.read().get(&(db, file)).cloned()
    }

    /// The files of a database, in order of their number.
    #[must_use]
    pub fn files(&self, db: DbId) -> Vec<Arc<StorageFile>> {
        self.files.read().range((db, FileId(0))..=(db, FileId(u16::MAX))).map(|(_, f)| f.clone()).collect()
    }

    /// All files.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<StorageFile>> {
        self.files.read().values().cloned().collect()
    }

    /// The session ended: its number may go to another.
    pub fn forget_session(&self, session: SessionId) {
        self.files.read().values().for_each(|file| file.forget_session(session));
    }

    fn find(&self, page: PageId) -> Result<Arc<StorageFile>, IoFailure> {
        let found = self.file(page.db, page.file).or_else(|| self.find_gone(page.db, page.file));
        found.ok_or(IoFailure::NoFile { page })
    }
}

impl PageIo for Volume {
    fn read_run(&self, _: &Ask<'_>, first: PageId, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure> {
        self.find(first)?.read_pages(first.page, pages)
    }

    fn write_run(
        &self,
        ask: &Ask<'_>,
        first: PageId,
        pages: &[&PageBytes],
        reason: WriteReason,
    ) -> Result<(), IoFailure> {
        self.find(first)?.write_pages(ask, first.page, pages, reason)
    }

    /// The runs of a file, one after the other in the batch, go to it together.
    fn write_batch(&self, ask: &Ask<'_>, runs: &[PageRun<'_>], reason: WriteReason) -> Vec<Result<(), IoFailure>> {
        let of_one_file = runs.chunk_by(|a, b| (a.first.db, a.first.file) == (b.first.db, b.first.file));
        let write = |runs: &[PageRun<'_>]| match self.find(runs[0].first) {
            Ok(file) => {
                let written = file.write_runs(ask, runs, reason);
                assert!(written.len() == runs.len(), "{} outcomes of {} writes", written.len(), runs.len());
                written
            }
            Err(_) => runs.iter().map(|run| Err(IoFailure::NoFile { page: run.first })).collect(),
        };
        let written: Vec<_> = of_one_file.flat_map(write).collect();
        assert!(written.len() == runs.len(), "{} outcomes of {} writes", written.len(), runs.len());
        written
    }

    fn read_at_last(&self, page: PageId, failures: u32, error: &str) {
        if let Some(file) = self.file(page.db, page.file) {
            file.device().report_late_read(offset_of(page.page), failures, error);
        }
    }
}
