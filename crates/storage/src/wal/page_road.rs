//! The pool's road to the files: past the doublewrite area as soon as there is one.
//!
//! ```text
//!   pool ──▶ road ──▶ doublewrite ──▶ volume ──▶ files        temporary files and files in memory pass the area by
//!              ├─ while a start repairs pages ──▶ volume
//!              └─ eager writes of bulk operations ──▶ volume  pages that nothing needs after a crash
//! ```
//!
//! What always holds: the area is laid when all pages that it had copies of are repaired; an instance in memory has none.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use millpond_device::{BlockDevice, DeviceError, Media, OpenMode};

use crate::ask::Ask;
use crate::contract::{DbId, FileId, IoFailure, PageBytes, PageId, PageNo, WriteReason};
use crate::file::volume::Volume;
use crate::page_io::{PageIo, PageRun};
use crate::wal::doublewrite::{Copies, Databases, Doublewrite};

/// Name of the area in the data directory.
const AREA_NAME: &str = "doublewrite.area";

/// The road.
#[derive(Debug)]
pub struct PageRoad {
    volume: Arc<Volume>,
    doublewrite: OnceLock<Doublewrite>,
}

/// What the area asks about files.
#[derive(Debug)]
struct DurableFiles(Arc<Volume>);

impl Databases for DurableFiles {
    fn guid(&self, db: DbId) -> Option<[u8; 16]> {
        let file = self.0.file(db, FileId(1)).filter(|_| db != DbId::TEMPDB)?;
        // Copies of a database (RESTORE … WITH MOVE) share their database's identity, but not this one.
        (!file.is_ram()).then(|| file.guid())
    }

    fn sync(&self, db: DbId, file: FileId) -> Result<(), IoFailure> {
        match self.0.file(db, file) {
            Some(file) => file.device().sync().map_err(|error| file.failure(PageNo(0), error)),
            None => Ok(()),
        }
    }
}

impl PageRoad {
    /// Straight to the files.
    #[must_use]
    pub fn new(volume: Arc<Volume>) -> PageRoad {
        PageRoad { volume, doublewrite: OnceLock::new() }
    }

    /// From now on past the area. All pages of `copies` are repaired and durable.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn lay_area(&self, area: Arc<dyn BlockDevice>, copies: &Copies) -> Result<(), DeviceError> {
        let files = Arc::new(DurableFiles(self.volume.clone()));
        let area = self.volume.watched_device(area);
        let doublewrite = Doublewrite::new(area, copies, self.volume.clone(), files)?;
        let is_first = self.doublewrite.set(doublewrite).is_ok();
        assert!(is_first, "the doublewrite area is laid twice");
        Ok(())
    }

    fn way(&self, reason: WriteReason) -> &dyn PageIo {
        match self.doublewrite.get() {
            Some(doublewrite) if reason != WriteReason::Eager => doublewrite,
            _ => &*self.volume,
        }
    }
}

/// The area of a data directory, made when it is not there, and what it holds.
///
/// # Errors
/// [`DeviceError`].
pub fn open_area(media: &dyn Media, dir: &Path) -> Result<(Arc<dyn BlockDevice>, Copies), DeviceError> {
    let path = dir.join(AREA_NAME);
    let mode = if media.exists(&path) { OpenMode::Existing } else { OpenMode::CreateNew };
    let area = media.open(&path, mode)?;
    let copies = Copies::read(&*area)?;
    area.pass_cache();
    Ok((area, copies))
}

impl PageIo for PageRoad {
    fn read_run(&self, ask: &Ask<'_>, first: PageId, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure> {
        self.volume.read_run(ask, first, pages)
    }

    fn write_run(
        &self,
        ask: &Ask<'_>,
        first: PageId,
        pages: &[&PageBytes],
        reason: WriteReason,
    ) -> Result<(), IoFailure> {
        self.way(reason).write_run(ask, first, pages, reason)
    }

    fn read_at_last(&self, page: PageId, failures: u32, error: &str) {
        self.volume.read_at_last(page, failures, error);
    }

    fn write_batch(&self, ask: &Ask<'_>, runs: &[PageRun<'_>], reason: WriteReason) -> Vec<Result<(), IoFailure>> {
        self.way(reason).write_batch(ask, runs, reason)
    }
}
