//! One open file of a database: its device, its limits, which sessions wrote to it and why.
//!
//! What always holds: every byte that goes to the device goes through here and is charged to a reason, to the session
//! that asked and to the task; the device's meter counts the same requests. The size in pages is the device's length. The
//! device may change while the file is open, the file's identity does not (`switchable_file`).

pub(crate) mod claimed_files;
pub mod file_header;
pub mod growth;
pub mod io_watch;
pub(crate) mod io_watcher;
pub(crate) mod remap;
pub(crate) mod sparse;
pub mod switchable_file;
pub mod tier;
pub mod volume;
pub mod watched_device;
pub mod write_rate;

use std::io::{IoSlice, IoSliceMut};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use millpond_device::{BlockDevice, DeviceError, WriteRequest};
use parking_lot::RwLock;

use crate::ask::{Ask, WriteCount};
use crate::check;
use crate::contract::{
    DbId, FileId, IoFailure, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo, SessionId, WriteReason,
};
use crate::file::file_header::{FileHeader, FileKind, HEADER_PAGE};
use crate::file::growth::{Limits, smaller_sizes};
use crate::file::switchable_file::SwitchableFile;
use crate::file::tier::Tier;
use crate::number_map::NumberMap;
use crate::page::header;
use crate::page_io::PageRun;

/// Where a file's bytes are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A file of the operating system.
    File(PathBuf),
    /// Memory of this process.
    Ram,
}

/// What counts the writes of a file whose bytes lie in other files.
pub(crate) trait ChargedElsewhere: std::fmt::Debug + Send + Sync {
    /// Counts one write to `offset_bytes` of the file where it went.
    fn charge(&self, ask: &Ask<'_>, reason: WriteReason, offset_bytes: u64, bytes: u64);
}

/// An open file.
#[derive(Debug)]
pub struct StorageFile {
    db: DbId,
    file: FileId,
    kind: FileKind,
    tier: Tier,
    guid: [u8; 16],
    server_guid: [u8; 16],
    database_guid: [u8; 16],
    opened_pages: u32,
    medium: RwLock<Medium>,
    device: SwitchableFile,
    state: RwLock<Changeable>,
    is_growing: AtomicBool,
    elsewhere: OnceLock<Arc<dyn ChargedElsewhere>>,
    writes: WriteCount,
    session_writes: RwLock<NumberMap<SessionId, Arc<WriteCount>>>,
}

#[derive(Clone, Debug)]
struct Changeable {
    name: String,
    configured_pages: u32,
    limits: Limits,
}

impl StorageFile {
    /// The file that `header` describes, on `device`.
    #[must_use]
    pub fn new(header: FileHeader, medium: Medium, device: Arc<dyn BlockDevice>) -> StorageFile {
        StorageFile {
            db: header.db,
            file: header.file,
            kind: header.kind,
            tier: header.tier,
            guid: header.file_guid,
            server_guid: header.server_guid,
            database_guid: header.database_guid,
            opened_pages: header.size_pages,
            medium: RwLock::new(medium),
            device: SwitchableFile::new(device),
            state: RwLock::new(Changeable {
                name: header.name,
                configured_pages: header.configured_pages,
                limits: header.limits,
            }),
            is_growing: AtomicBool::new(false),
            elsewhere: OnceLock::new(),
            writes: WriteCount::default(),
            session_writes: RwLock::default(),
        }
    }

    /// Its database.
    #[must_use]
    pub fn db(&self) -> DbId {
        self.db
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> FileId {
        self.file
    }

    /// Rows or log.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// When it gives space.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// Its identity.
    #[must_use]
    pub fn guid(&self) -> [u8; 16] {
        self.guid
    }

    /// Identity of its database.
    #[must_use]
    pub fn database_guid(&self) -> [u8; 16] {
        self.database_guid
    }

    /// Where its bytes are.
    #[must_use]
    pub fn medium(&self) -> Medium {
        self.medium.read().clone()
    }

    /// The file was moved.
    pub(crate) fn set_medium(&self, medium: Medium) {
        *self.medium.write() = medium;
    }

    /// Whether its bytes are in memory.
    #[must_use]
    pub fn is_ram(&self) -> bool {
        *self.medium.read() == Medium::Ram
    }

    /// Its path, when it has one.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        match &*self.medium.read() {
            Medium::File(path) => Some(path.clone()),
            Medium::Ram => None,
        }
    }

    /// The device, wherever it is.
    #[must_use]
    pub fn device(&self) -> &SwitchableFile {
        &self.device
    }

    /// Requests of its device that failed for good.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.device.failures()
    }

    /// Logical name.
    #[must_use]
    pub fn name(&self) -> String {
        self.state.read().name.clone()
    }

    /// Changes the logical name.
    pub fn set_name(&self, name: &str) {
        self.state.write().name = name.to_owned();
    }

    /// SIZE as configured: what it has after a restart, when it is temporary.
    #[must_use]
    pub fn configured_pages(&self) -> u32 {
        self.state.read().configured_pages
    }

    /// Changes the configured size.
    pub fn set_configured_pages(&self, pages: u32) {
        self.state.write().configured_pages = pages;
    }

    /// MAXSIZE and FILEGROWTH.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.state.read().limits
    }

    /// Changes MAXSIZE and FILEGROWTH.
    pub fn set_limits(&self, limits: Limits) {
        self.state.write().limits = limits;
    }

    /// Size.
    #[must_use]
    pub fn size_pages(&self) -> u32 {
        u32::try_from(self.device.len_bytes() / PAGE_BYTES as u64).unwrap_or(u32::MAX)
    }

    /// Size as the header said when the file was opened.
    #[must_use]
    pub fn opened_pages(&self) -> u32 {
        self.opened_pages
    }

    /// Whether it is being enlarged now.
    #[must_use]
    pub fn is_growing(&self) -> bool {
        self.is_growing.load(Relaxed)
    }

    /// The header as it should be on page 0.
    #[must_use]
    pub fn header(&self) -> FileHeader {
        let state = self.state.read().clone();
        FileHeader {
            db: self.db,
            file: self.file,
            file_guid: self.guid,
            server_guid: self.server_guid,
            database_guid: self.database_guid,
            size_pages: self.size_pages(),
            configured_pages: state.configured_pages,
            limits: state.limits,
            kind: self.kind,
            tier: self.tier,
            name: state.name,
        }
    }

    /// Takes over what page 0 says by now: its name and limits may have changed in the log.
    pub(crate) fn take_header(&self, header: &FileHeader) {
        *self.state.write() =
            Changeable { name: header.name.clone(), configured_pages: header.configured_pages, limits: header.limits };
    }

    /// Writes page 0.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn write_header(&self, ask: &Ask<'_>) -> Result<(), DeviceError> {
        let mut page = [0; PAGE_BYTES];
        self.header().write(&mut page, HEADER_PAGE);
        self.device.write_as(Some(ask), 0, &[IoSlice::new(&page)])?;
        self.charge(ask, WriteReason::Header, PAGE_BYTES as u64);
        Ok(())
    }

    /// Enlarges the file to `next_pages`, or by less when the medium has no room for that; returns the new size.
    ///
    /// # Errors
    /// [`DeviceError`]; the size is then unchanged.
    pub fn grow_to(&self, next_pages: u32) -> Result<u32, DeviceError> {
        let size_pages = self.size_pages();
        let was_growing = self.is_growing.swap(true, Relaxed);
        check!(!was_growing, "file {} of database {} is enlarged by two at once", self.file, self.db);
        assert!(
            size_pages <= next_pages,
            "file {} of database {} grows from {size_pages} to {next_pages} pages",
            self.file,
            self.db
        );
        let result = std::iter::once(next_pages)
            .chain(smaller_sizes(size_pages, next_pages))
            .find_map(|pages| match self.device.set_len(u64::from(pages) * PAGE_BYTES as u64) {
                Ok(()) => Some(Ok(pages)),
                Err(e) if e.is_no_space() => None,
                Err(e) => Some(Err(e)),
            })
            .unwrap_or_else(|| {
                let wanted_bytes = u64::from(next_pages - size_pages) * PAGE_BYTES as u64;
                Err(DeviceError::NoSpace { device: self.device.name(), wanted_bytes })
            });
        assert!(
            result.as_ref().is_err() || self.size_pages() >= size_pages,
            "file {} of database {} grew from {size_pages} pages to {}",
            self.file,
            self.db,
            self.size_pages()
        );
        assert!(
            result.as_ref().is_err() || result.as_ref().is_ok_and(|pages| self.size_pages() >= *pages),
            "file {} of database {} says it has {result:?} pages, and has {}",
            self.file,
            self.db,
            self.size_pages()
        );
        self.is_growing.store(false, Relaxed);
        result
    }

    /// Reads whole pages in one I/O.
    ///
    /// # Errors
    /// [`IoFailure`].
    pub fn read_pages(&self, first: PageNo, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure> {
        let offset_bytes = offset_of(first);
        let read = self.device.read_again(offset_bytes, &mut |device| {
            let mut slices: Vec<IoSliceMut<'_>> = pages.iter_mut().map(|p| IoSliceMut::new(&mut p[..])).collect();
            device.read_vectored_at(offset_bytes, &mut slices)
        });
        read.map_err(|e| self.failure(first, e))
    }

    /// Writes whole pages in one I/O.
    ///
    /// # Errors
    /// [`IoFailure`].
    pub fn write_pages(
        &self,
        ask: &Ask<'_>,
        first: PageNo,
        pages: &[&PageBytes],
        reason: WriteReason,
    ) -> Result<(), IoFailure> {
        check!(are_of_places(first, pages), "pages are written to {first} and on, and are others");
        let slices: Vec<IoSlice<'_>> = pages.iter().map(|p| IoSlice::new(&p[..])).collect();
        self.device.write_as(Some(ask), offset_of(first), &slices).map_err(|e| self.failure(first, e))?;
        self.charge_at(ask, reason_of(reason, pages), offset_of(first), (pages.len() * PAGE_BYTES) as u64);
        Ok(())
    }

    /// Writes runs of pages of this file, each in one I/O, several at a time where the device can do that; one result per
    /// run.
    ///
    /// # Errors
    /// [`IoFailure`], of each.
    pub fn write_runs(&self, ask: &Ask<'_>, runs: &[PageRun<'_>], reason: WriteReason) -> Vec<Result<(), IoFailure>> {
        check!(
            runs.iter().all(|run| (run.first.db, run.first.file) == (self.db, self.file)),
            "pages of others are written to file {} of database {}",
            self.file,
            self.db
        );
        check!(
            runs.iter().all(|run| are_of_places(run.first.page, run.pages)),
            "pages are written to places of others in file {}",
            self.file
        );
        let slices: Vec<Vec<IoSlice<'_>>> =
            runs.iter().map(|run| run.pages.iter().map(|page| IoSlice::new(&page[..])).collect()).collect();
        let requests: Vec<WriteRequest<'_>> = runs
            .iter()
            .zip(&slices)
            .map(|(run, buffers)| WriteRequest { offset_bytes: offset_of(run.first.page), buffers })
            .collect();
        let settle = |(run, result): (&PageRun<'_>, Result<(), DeviceError>)| {
            result.map_err(|error| self.failure(run.first.page, error))?;
            let bytes = (run.pages.len() * PAGE_BYTES) as u64;
            run.charged(ask, |ask| self.charge_at(ask, reason_of(reason, run.pages), offset_of(run.first.page), bytes));
            Ok(())
        };
        runs.iter().zip(self.device.write_many(Some(ask), &requests)).map(settle).collect()
    }

    /// What a lazy write to the last tier is called.
    fn reason_here(&self, reason: WriteReason) -> WriteReason {
        match reason {
            WriteReason::Lazy if self.tier.is_last() => WriteReason::Overflow,
            reason => reason,
        }
    }

    /// A device's error as the pool knows it.
    pub(crate) fn failure(&self, page: PageNo, error: DeviceError) -> IoFailure {
        let page = PageId { db: self.db, file: self.file, page };
        match error {
            DeviceError::NoSpace { .. } => IoFailure::NoSpace { page },
            DeviceError::BeyondEnd { .. } => IoFailure::NoFile { page },
            error @ DeviceError::System { .. } => IoFailure::System { page, message: error.to_string() },
        }
    }

    /// From now on its bytes lie in other files, and its writes count there.
    pub(crate) fn set_elsewhere(&self, elsewhere: Arc<dyn ChargedElsewhere>) {
        let was_first = self.elsewhere.set(elsewhere).is_ok();
        assert!(was_first, "the bytes of file {} of database {} leave it twice", self.file, self.db);
    }

    /// Counts one write of pages.
    pub(crate) fn charge_at(&self, ask: &Ask<'_>, reason: WriteReason, offset_bytes: u64, bytes: u64) {
        match self.elsewhere.get() {
            Some(elsewhere) => elsewhere.charge(ask, reason, offset_bytes, bytes),
            None => self.charge(ask, self.reason_here(reason), bytes),
        }
    }

    /// Counts one write.
    pub(crate) fn charge(&self, ask: &Ask<'_>, reason: WriteReason, bytes: u64) {
        self.writes.add(reason, bytes);
        ask.task.writes.add(reason, bytes);
        self.writes_of(ask.task.session).add(reason, bytes);
    }

    fn writes_of(&self, session: SessionId) -> Arc<WriteCount> {
        if let Some(count) = self.session_writes.read().get(&session) {
            return count.clone();
        }
        self.session_writes.write().entry(session).or_default().clone()
    }

    /// Writes by reason.
    #[must_use]
    pub fn writes(&self) -> &WriteCount {
        &self.writes
    }

    /// Writes by session, in order of the session.
    #[must_use]
    pub fn session_writes(&self) -> Vec<(SessionId, Arc<WriteCount>)> {
        let mut all: Vec<_> = self.session_writes.read().iter().map(|(s, w)| (*s, w.clone())).collect();
        all.sort_by_key(|(session, _)| *session);
        all
    }

    /// The session ended: its number may go to another.
    pub fn forget_session(&self, session: SessionId) {
        self.session_writes.write().remove(&session);
    }
}

/// Where a page begins.
pub(crate) fn offset_of(page: PageNo) -> u64 {
    u64::from(page.0) * PAGE_BYTES as u64
}

/// Of what a query has spilled a lazy write is called a spill.
/// Whether pages have the numbers of the places from `first` on; one of zeros has none.
fn are_of_places(first: PageNo, pages: &[&PageBytes]) -> bool {
    let is_right = |(page, number): (&&PageBytes, u32)| header::version(page) == 0 || header::page_no(page).0 == number;
    pages.iter().zip(first.0..).all(is_right)
}

fn reason_of(reason: WriteReason, pages: &[&PageBytes]) -> WriteReason {
    let is_spill = || pages.first().is_some_and(|page| header::kind(page) == Some(PageKind::Sort));
    if reason == WriteReason::Lazy && is_spill() { WriteReason::Spill } else { reason }
}
