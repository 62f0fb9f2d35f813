//! A sparse file of a database snapshot, and the device that shows it together with the file that it was taken of.
//!
//! ```text
//!   the source writes a page ──▶ kept here already? ──no──▶ old page ─▶ here, synced ──▶ the source's write goes on
//!   the snapshot reads a page ─▶ here? ──yes──▶ from here       no ──▶ from the source's file, and looked again
//!
//!   0      head: a file header of the snapshot │ 4096 magic │ 4104 pages │ 4108 split (10) │ 4118 is broken u8
//!   8192   place of page 0 │ place of page 1 │ …        a hole: not kept │ zero mark: a page of zeroes │ else the page
//! ```
//!
//! What always holds:
//! - V1: a page of the source that was there at the split is overwritten only after the snapshot has it, durably, or has
//!   been marked as broken, durably. One that is here is never taken again. A copy is not marked: the source's write fails.
//! - V2: what the snapshot reads of the source was there at the split: after the read the place here is looked at again.
//! - V3: a place that a power failure tore counts as a hole while the source still has the page of before the split.
//!
//! It knows pages by their numbers, no logs and no databases.

use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use millpond_device::{BlockDevice, DeviceError, Meter};
use parking_lot::{Mutex, RwLock};

use crate::ask::{Ask, as_server};
use crate::check;
use crate::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId, PageNo, WriteReason};
use crate::file::StorageFile;
use crate::file::file_header::{FileHeader, HEADER_PAGE, HeaderError};
use crate::file::switchable_file::Keeper;
use crate::page::header::{self, Lsn};

const MAGIC: [u8; 8] = *b"MPSPARSE";
/// First bytes of the place of a page that was all zeroes; no page begins so, and a place of zeroes is a hole.
const ZERO_MARK: [u8; 16] = *b"MPSPARSE zeroes.";
/// Pages that are kept at a time.
const RUN_PAGES: u32 = 64;

mod at {
    pub const MAGIC: usize = 4096;
    pub const PAGES: usize = 4104;
    pub const SPLIT: usize = 4108;
    pub const BROKEN: usize = 4118;
}

/// What is known of the place of a page.
mod place {
    /// The file was opened, and the place was not read yet.
    pub(super) const UNKNOWN: u8 = 0;
    pub(super) const HOLE: u8 = 1;
    pub(super) const PAGE: u8 = 2;
    pub(super) const ZEROES: u8 = 3;
}

/// Called once when a snapshot has lost a page: why, and whether its file says so.
type OnBroken = Box<dyn Fn(&str, bool) + Send + Sync>;

/// Whether all files of a snapshot have what they should.
#[derive(Default)]
pub(crate) struct Health {
    is_broken: AtomicBool,
    /// The source waits until a page is kept: what was committed in a copy is not given up for a write of its source.
    is_waited_for: bool,
    reason: Mutex<Option<String>>,
    on_broken: OnceLock<OnBroken>,
}

impl std::fmt::Debug for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Health").field("reason", &*self.reason.lock()).finish_non_exhaustive()
    }
}

impl Health {
    /// Of a snapshot, or of a copy.
    pub(crate) fn of(is_copy: bool) -> Health {
        Health { is_waited_for: is_copy, ..Health::default() }
    }

    /// Why the snapshot is of no use, if it is.
    pub(crate) fn broken(&self) -> Option<String> {
        self.is_broken.load(Ordering::Acquire).then(|| self.reason.lock().clone().unwrap_or_default())
    }

    /// `on_broken` is called when a page is lost; at once, if one is already.
    pub(crate) fn watch(&self, on_broken: OnBroken) {
        let _ = self.on_broken.set(on_broken);
        if let Some(reason) = self.broken() {
            self.report(&reason, false);
        }
    }

    fn report(&self, reason: &str, is_marked: bool) {
        if let Some(on_broken) = self.on_broken.get() {
            on_broken(reason, is_marked);
        }
    }
}

/// One sparse file.
#[derive(Debug)]
pub struct SparseFile {
    device: Arc<dyn BlockDevice>,
    header: FileHeader,
    /// Pages that the source had at the split: one byte of [`place`] each.
    places: RwLock<Vec<AtomicU8>>,
    /// Pages that the snapshot's file has; more than the source had where its recovery made the file longer.
    pages: AtomicU32,
    split: Mutex<Lsn>,
    /// Held while a place changes.
    changing: Mutex<()>,
    health: Arc<Health>,
    /// The file that the kept pages are charged to.
    charged: OnceLock<Weak<StorageFile>>,
}

impl SparseFile {
    /// A new one on an empty device; nothing is kept before [`SparseFile::begin`]. Its length, like its head, is durable after
    /// [`SparseFile::write_head`].
    pub(crate) fn new(device: Arc<dyn BlockDevice>, header: FileHeader, health: Arc<Health>) -> SparseFile {
        SparseFile {
            device,
            header,
            places: RwLock::default(),
            pages: AtomicU32::new(0),
            split: Mutex::new(Lsn::default()),
            changing: Mutex::new(()),
            health,
            charged: OnceLock::new(),
        }
    }

    /// The source has `pages` pages now, and this is the split. The source is not written meanwhile.
    pub(crate) fn begin(&self, pages: u32) -> Result<(), DeviceError> {
        assert!(self.places.read().is_empty(), "a split is taken twice in {}", self.device.name());
        check!(pages > 0, "a source has no pages");
        self.device.set_sparse_len(place_of(pages))?;
        check!(self.is_hole_from(place_of(0)), "a new sparse file has something in it already");
        *self.places.write() = (0..pages).map(|_| AtomicU8::new(place::HOLE)).collect();
        self.pages.store(pages, Ordering::Release);
        Ok(())
    }

    /// All records before this are in the source's pages or in the snapshot's log, none after it.
    pub(crate) fn set_split(&self, split: Lsn) {
        check!(split != Lsn::default(), "a split lies before all of the log");
        *self.split.lock() = split;
    }

    /// Writes the head, durably.
    pub(crate) fn write_head(&self) -> Result<(), DeviceError> {
        self.put_head()?;
        self.device.sync()
    }

    /// Writes the head; it is durable with the next page that is kept, or the next sync of the file.
    pub(crate) fn put_head(&self) -> Result<(), DeviceError> {
        let mut page = [0; PAGE_BYTES];
        let pages = self.pages.load(Ordering::Acquire);
        FileHeader { size_pages: pages, ..self.header.clone() }.write(&mut page, HEADER_PAGE);
        page[at::MAGIC..at::MAGIC + 8].copy_from_slice(&MAGIC);
        page[at::PAGES..at::PAGES + 4].copy_from_slice(&(self.places.read().len() as u32).to_le_bytes());
        page[at::SPLIT..at::SPLIT + 10].copy_from_slice(&self.split.lock().to_bytes());
        page[at::BROKEN] = self.health.is_broken.load(Ordering::Acquire).into();
        header::set_checksum(&mut page);
        check!(FileHeader::parse(&page).is_ok_and(|read| read.db == self.header.db), "a head is of another database");
        check!(self.places.read().len() <= pages as usize, "a snapshot has {pages} pages, and its source had more");
        self.device.write_at(0, &page)
    }

    /// Opens one whose head says what it is. What is wrong with it is the caller's business: whose file it is, and whether it
    /// is broken.
    pub(crate) fn open(device: Arc<dyn BlockDevice>, health: Arc<Health>) -> Result<SparseFile, HeaderError> {
        let header = FileHeader::read_from(&*device)?;
        let mut page = [0; PAGE_BYTES];
        device.read_at(0, &mut page)?;
        if page[at::MAGIC..at::MAGIC + 8] != MAGIC {
            return Err(HeaderError::Foreign);
        }
        let pages = u32::from_le_bytes(page[at::PAGES..at::PAGES + 4].try_into().expect("four bytes"));
        let split = Lsn::from_bytes(page[at::SPLIT..at::SPLIT + 10].try_into().expect("ten bytes"));
        if page[at::BROKEN] != 0 {
            *health.reason.lock() = Some(format!("{} could not take a page of its source", device.name()));
            health.is_broken.store(true, Ordering::Release);
        }
        check!(pages <= header.size_pages, "a snapshot has {} pages, and its source had {pages}", header.size_pages);
        let file = SparseFile::new(device, header, health);
        *file.places.write() = (0..pages).map(|_| AtomicU8::new(place::UNKNOWN)).collect();
        file.pages.store(file.header.size_pages, Ordering::Release);
        file.set_split(split);
        Ok(file)
    }

    /// Whose file it is.
    pub(crate) fn header(&self) -> &FileHeader {
        &self.header
    }

    /// Its number.
    pub(crate) fn file(&self) -> FileId {
        self.header.file
    }

    /// Pages that the file has as the snapshot's database sees it.
    pub(crate) fn pages(&self) -> u32 {
        self.pages.load(Ordering::Acquire)
    }

    /// The database has written this page itself, as its copy beside says: what is in its place is that, or torn.
    pub(crate) fn note_own(&self, page: u32) {
        assert!(page < self.pages(), "page {page} is a copy's own, and lies after its end");
        if let Some(known) = self.places.read().get(page as usize) {
            check!(known.load(Ordering::Relaxed) != place::HOLE, "page {page} was looked at before its copy beside");
            let _ = known.compare_exchange(place::UNKNOWN, place::PAGE, Ordering::AcqRel, Ordering::Acquire);
        }
    }

    /// Pages that are kept are charged to this file.
    pub(crate) fn charge_to(&self, file: &Arc<StorageFile>) {
        let _ = self.charged.set(Arc::downgrade(file));
    }

    /// Whether the device is long enough for what the head says.
    pub(crate) fn is_whole(&self) -> bool {
        self.device.len_bytes() >= place_of(self.pages.load(Ordering::Acquire))
    }

    /// Whether the first place is a hole: nothing was written there.
    fn is_hole_from(&self, offset_bytes: u64) -> bool {
        let mut byte = [0];
        self.device.read_at(offset_bytes, &mut byte).is_ok() && byte == [0]
    }

    fn known(&self, page: u32) -> u8 {
        self.places.read().get(page as usize).map_or(place::PAGE, |known| known.load(Ordering::Acquire))
    }

    fn set_known(&self, pages: Range<u32>, what: &dyn Fn(u32) -> u8) {
        let places = self.places.read();
        for page in pages {
            if let Some(known) = places.get(page as usize) {
                let what = what(page);
                check!(
                    matches!(what, place::PAGE | place::ZEROES),
                    "V1: page {page} was kept, and its place is a hole"
                );
                known.store(what, Ordering::Release);
            }
        }
    }

    /// What the place of a page has. `read_source` gives the page as the source has it now.
    fn look(
        &self,
        page: u32,
        read_source: &dyn Fn(&mut PageBytes) -> Result<(), DeviceError>,
    ) -> Result<u8, DeviceError> {
        let known = self.known(page);
        if known != place::UNKNOWN {
            return Ok(known);
        }
        assert!(page < self.pages.load(Ordering::Acquire), "page {page} lies after the end of a snapshot's file");
        let mut bytes = [0; PAGE_BYTES];
        self.device.read_at(place_of(page), &mut bytes)?;
        let found = self.found(page, &bytes, read_source);
        let places = self.places.read();
        let Some(slot) = places.get(page as usize) else { return Ok(place::PAGE) };
        // Who has put a page there meanwhile knows better.
        let _ = slot.compare_exchange(place::UNKNOWN, found, Ordering::AcqRel, Ordering::Acquire);
        check!(
            slot.load(Ordering::Relaxed) != place::UNKNOWN,
            "the place of page {page} was looked at, and is not known"
        );
        Ok(slot.load(Ordering::Acquire))
    }

    /// What a place has whose bytes were read.
    fn found(
        &self,
        page: u32,
        bytes: &PageBytes,
        read_source: &dyn Fn(&mut PageBytes) -> Result<(), DeviceError>,
    ) -> u8 {
        let id = PageId { db: self.header.db, file: self.header.file, page: PageNo(page) };
        if bytes.iter().all(|byte| *byte == 0) {
            place::HOLE
        } else if bytes[..ZERO_MARK.len()] == ZERO_MARK {
            place::ZEROES
        } else if header::verify(bytes, id).is_ok() {
            place::PAGE
        } else {
            let mut source = [0; PAGE_BYTES];
            let is_old = read_source(&mut source).is_ok()
                && header::verify(&source, id).is_ok()
                && header::lsn(&source).position() <= self.split.lock().position();
            if is_old { place::HOLE } else { place::PAGE }
        }
    }

    fn keep_pages(&self, ask: Option<&Ask<'_>>, from: &dyn BlockDevice, pages: Range<u32>) -> Result<(), DeviceError> {
        assert!(self.changing.is_locked(), "V1: two keep pages of one file");
        check!(
            pages.end as usize <= self.places.read().len(),
            "pages are kept that the source did not have at the split"
        );
        let mut kept: Vec<(Range<u32>, Vec<u8>)> = Vec::new();
        let mut page = pages.start;
        while page < pages.end {
            let read_source = |bytes: &mut PageBytes| from.read_at(source_offset(page), &mut bytes[..]);
            if self.look(page, &read_source)? != place::HOLE {
                page += 1;
                continue;
            }
            let mut end = page + 1;
            while end < pages.end && end - page < RUN_PAGES && self.known(end) == place::HOLE {
                end += 1;
            }
            let mut bytes = vec![0; (end - page) as usize * PAGE_BYTES];
            from.read_at(source_offset(page), &mut bytes)?;
            let known = self.put(page, &mut bytes)?;
            check!(known.len() == (end - page) as usize, "{} places of {page}..{end} are known", known.len());
            if let Some(file) = self.charged.get().and_then(Weak::upgrade) {
                let charge = |ask: &Ask<'_>| file.charge(ask, WriteReason::Snapshot, bytes.len() as u64);
                ask.map_or_else(|| as_server(charge), charge);
            }
            kept.push((page..end, known));
            page = end;
        }
        if kept.is_empty() {
            return Ok(());
        }
        self.device.sync()?;
        check!(kept.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "a page is kept twice");
        for (pages, known) in kept {
            check!(pages.clone().all(|page| self.known(page) == place::HOLE), "V1: a page that is here is taken again");
            self.set_known(pages.clone(), &|page| known[(page - pages.start) as usize]);
        }
        Ok(())
    }

    /// Writes pages to their places; says what each place has then. Pages of zeroes are marked, in `bytes` too.
    fn put(&self, first: u32, bytes: &mut [u8]) -> Result<Vec<u8>, DeviceError> {
        assert!(bytes.len().is_multiple_of(PAGE_BYTES), "{} bytes are no pages", bytes.len());
        let mut known = Vec::with_capacity(bytes.len() / PAGE_BYTES);
        for page in bytes.chunks_exact_mut(PAGE_BYTES) {
            let is_zero = page.iter().all(|byte| *byte == 0);
            if is_zero {
                page[..ZERO_MARK.len()].copy_from_slice(&ZERO_MARK);
            }
            check!(page[0] != 0 || page.iter().any(|byte| *byte != 0), "a place that is taken looks like a hole");
            known.push(if is_zero { place::ZEROES } else { place::PAGE });
        }
        self.device.write_at(place_of(first), bytes)?;
        Ok(known)
    }

    /// The snapshot has lost a page. Durably: where the head cannot be written the file goes, which the report sees to.
    fn fail(&self, reason: &str) {
        if self.health.is_broken.swap(true, Ordering::AcqRel) {
            return;
        }
        *self.health.reason.lock() = Some(reason.to_owned());
        assert!(self.health.broken().is_some(), "a snapshot that has lost a page passes as whole");
        // The head has its place already: a full disk takes it.
        let is_marked = self.write_head().is_ok();
        self.health.report(reason, is_marked);
    }

    /// Copies the pages that are kept here over those of the source, which is not used by anything else: it becomes what it
    /// was at the split.
    pub(crate) fn put_back(&self, source: &dyn BlockDevice) -> Result<(), DeviceError> {
        assert!(self.health.broken().is_none(), "a source is put back to a snapshot that has lost pages");
        assert!(self.is_whole(), "a source is put back to a part of a snapshot");
        let pages = self.pages.load(Ordering::Acquire);
        let bytes = source_offset(pages);
        if source.len_bytes() != bytes {
            source.set_len(bytes)?;
        }
        let mut page = 0;
        let mut written = 0..0;
        while page < pages {
            // A snapshot has few pages of many: what it has no place for is not looked at one by one.
            if place_of(page) >= written.end {
                let Some(next) = self.device.written_after(place_of(page)) else { break };
                page = page.max(page_at(next.start));
                written = next;
                continue;
            }
            let end = pages.min(page + RUN_PAGES).min(page_at(written.end - 1) + 1);
            self.put_back_run(page..end, source)?;
            page = end;
        }
        check!(source.len_bytes() == bytes, "V7: a source is put back, and has another length");
        source.sync()
    }

    /// What is kept of a few pages that follow each other is read and written at once.
    fn put_back_run(&self, pages: Range<u32>, source: &dyn BlockDevice) -> Result<(), DeviceError> {
        assert!(pages.end <= self.pages(), "pages {pages:?} are put back, after the end of the snapshot");
        let mut bytes = vec![0; pages.len() * PAGE_BYTES];
        self.device.read_at(place_of(pages.start), &mut bytes)?;
        let mut unwritten = 0;
        let write = |from: usize, to: usize, bytes: &[u8]| match &bytes[from..to] {
            [] => Ok(()),
            kept => source.write_at(source_offset(pages.start) + from as u64, kept),
        };
        for (page, at) in pages.clone().zip((0..).step_by(PAGE_BYTES)) {
            let read_source = |bytes: &mut PageBytes| source.read_at(source_offset(page), &mut bytes[..]);
            let kept: &mut PageBytes = (&mut bytes[at..at + PAGE_BYTES]).try_into().expect("a page");
            let what = match self.known(page) {
                place::UNKNOWN => self.found(page, kept, &read_source),
                known => known,
            };
            match what {
                place::HOLE => {
                    write(unwritten, at, &bytes)?;
                    unwritten = at + PAGE_BYTES;
                }
                place::ZEROES => kept.fill(0),
                _ => {}
            }
        }
        write(unwritten, bytes.len(), &bytes)
    }
}

impl Keeper for SparseFile {
    fn db(&self) -> DbId {
        self.header.db
    }

    /// Pages that are not kept yet are, durably (V1). Where that cannot be done a snapshot is broken, and the source goes on; a
    /// copy stays as it is, and the source does not go on.
    fn keep(&self, ask: Option<&Ask<'_>>, from: &dyn BlockDevice, bytes: Range<u64>) -> Result<(), DeviceError> {
        if self.health.is_broken.load(Ordering::Acquire) {
            return Ok(());
        }
        let page_bytes = PAGE_BYTES as u64;
        let end = bytes.end.min(from.len_bytes()).div_ceil(page_bytes);
        let end = end.min(self.places.read().len() as u64) as u32;
        let pages = (bytes.start / page_bytes).min(u64::from(end)) as u32..end;
        if pages.clone().all(|page| matches!(self.known(page), place::PAGE | place::ZEROES)) {
            return Ok(());
        }
        let _one = self.changing.lock();
        match self.keep_pages(ask, from, pages) {
            Err(error) if !self.health.is_waited_for => self.fail(&error.to_string()),
            other => return other,
        }
        Ok(())
    }
}

/// Where the place of a page is in the sparse file.
fn place_of(page: u32) -> u64 {
    (u64::from(page) + 1) * PAGE_BYTES as u64
}

/// The page whose place has this byte of the file, which is none of its header's.
fn page_at(offset_bytes: u64) -> u32 {
    (offset_bytes / PAGE_BYTES as u64 - 1) as u32
}

/// Where a page is in the source's file.
fn source_offset(page: u32) -> u64 {
    u64::from(page) * PAGE_BYTES as u64
}

/// A file of a snapshot as its database sees it: the pages of the sparse file, and of the source those that are not there.
#[derive(Debug)]
pub(crate) struct Overlay {
    sparse: Arc<SparseFile>,
    source: Arc<StorageFile>,
    meter: Meter,
}

impl Overlay {
    /// The file of `sparse` over the one that it was taken of.
    pub(crate) fn new(sparse: Arc<SparseFile>, source: Arc<StorageFile>) -> Overlay {
        assert!(sparse.file() == source.id(), "file {} of a snapshot lies over file {}", sparse.file(), source.id());
        assert!(sparse.header.db != source.db(), "a snapshot is of itself");
        check!(
            sparse.header.database_guid == source.database_guid(),
            "a snapshot lies over a file of another database"
        );
        Overlay { sparse, source, meter: Meter::default() }
    }

    fn failed(&self, doing: &'static str) -> DeviceError {
        let reason = self.sparse.health.broken().unwrap_or_default();
        DeviceError::System { device: self.name().clone(), doing, source: std::io::Error::other(reason) }
    }

    fn check_range(&self, offset_bytes: u64, bytes: u64) -> Result<(), DeviceError> {
        let len_bytes = self.len_bytes();
        if offset_bytes.checked_add(bytes).is_some_and(|end| end <= len_bytes) {
            return Ok(());
        }
        Err(DeviceError::BeyondEnd { device: self.name().clone(), offset_bytes, bytes, len_bytes })
    }

    /// Whole pages from `first` on.
    fn read_pages(&self, first: u32, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let count = (bytes.len() / PAGE_BYTES) as u32;
        check!(source_offset(first + count) <= self.len_bytes(), "pages after the end of a snapshot's file are read");
        let mut page = first;
        while page < first + count {
            let kind = self.look(page)?;
            let mut end = page + 1;
            while end < first + count && self.look(end)? == kind {
                end += 1;
            }
            let part = &mut bytes[(page - first) as usize * PAGE_BYTES..(end - first) as usize * PAGE_BYTES];
            match kind {
                place::ZEROES => part.fill(0),
                place::HOLE => {
                    let read = self.source.device().read_at(source_offset(page), part);
                    // V2; a source that was cut off has given its pages here before.
                    let has_changed = (page..end).any(|page| self.sparse.known(page) != place::HOLE);
                    if self.sparse.health.broken().is_some() {
                        return Err(self.failed("read"));
                    }
                    if has_changed {
                        continue;
                    }
                    read?;
                }
                _ => self.sparse.device.read_at(place_of(page), part)?,
            }
            page = end;
        }
        Ok(())
    }

    fn look(&self, page: u32) -> Result<u8, DeviceError> {
        let read_source = |bytes: &mut PageBytes| self.source.device().read_at(source_offset(page), &mut bytes[..]);
        self.sparse.look(page, &read_source)
    }

    fn read(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let page_bytes = PAGE_BYTES as u64;
        let wanted: u64 = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        self.check_range(offset_bytes, wanted)?;
        if self.sparse.health.broken().is_some() {
            return Err(self.failed("read"));
        }
        let first = offset_bytes / page_bytes;
        let end = (offset_bytes + wanted).div_ceil(page_bytes);
        let mut bytes = vec![0; ((end - first) * page_bytes) as usize];
        self.read_pages(first as u32, &mut bytes)?;
        let mut rest = &bytes[(offset_bytes % page_bytes) as usize..];
        for buffer in buffers {
            let (part, left) = rest.split_at(buffer.len());
            buffer.copy_from_slice(part);
            rest = left;
        }
        Ok(())
    }

    fn write(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let mut bytes: Vec<u8> = Vec::new();
        buffers.iter().for_each(|buffer| bytes.extend_from_slice(buffer));
        self.check_range(offset_bytes, bytes.len() as u64)?;
        assert!(
            offset_bytes.is_multiple_of(PAGE_BYTES as u64) && bytes.len().is_multiple_of(PAGE_BYTES),
            "{} bytes of a snapshot are written at {offset_bytes}, and not by pages",
            bytes.len()
        );
        let first = (offset_bytes / PAGE_BYTES as u64) as u32;
        let _one = self.sparse.changing.lock();
        let known = self.sparse.put(first, &mut bytes)?;
        self.sparse.set_known(first..first + known.len() as u32, &|page| known[(page - first) as usize]);
        Ok(())
    }
}

impl BlockDevice for Overlay {
    fn name(&self) -> &Arc<str> {
        self.sparse.device.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        self.meter.read(bytes, || self.read(offset_bytes, buffers))
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        self.meter.write(bytes, || self.write(offset_bytes, buffers))
    }

    fn sync(&self) -> Result<(), DeviceError> {
        self.meter.sync(|| self.sparse.device.sync())
    }

    fn len_bytes(&self) -> u64 {
        source_offset(self.sparse.pages.load(Ordering::Acquire))
    }

    /// Recovery of a snapshot, and work in a copy, makes its file longer; it has no pages of the source there.
    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        let pages = u32::try_from(bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        assert!(pages as usize >= self.sparse.places.read().len(), "a snapshot loses pages of its source");
        self.sparse.device.set_sparse_len(place_of(pages))?;
        self.sparse.pages.store(pages, Ordering::Release);
        self.sparse.write_head()
    }

    fn occupied_bytes(&self) -> u64 {
        self.sparse.device.occupied_bytes()
    }

    fn pass_cache(&self) {
        self.sparse.device.pass_cache();
    }

    fn unlock(&self) {
        self.sparse.device.unlock();
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }
}
