//! The extension's device: slots are read and written, the directory is kept, and the first failure ends it.
//!
//! ```text
//!   Serving ──OFF──▶ Draining ──▶ (gone)
//!      └──── any I/O fails ────▶ Failed ──keeper──▶ (gone)
//! ```
//!
//! What always holds: a failed extension is never read or written again, and its directory is believed by no start:
//! before recovery may begin after a change that the directory does not know, the settings say so
//! ([`Extension::distrust`]).

use std::io::{IoSlice, IoSliceMut};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64};

use millpond_device::{BlockDevice, DeviceError};
use parking_lot::{Mutex, RwLock};

use crate::ask::add;
use crate::check;
use crate::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId};
use crate::extension::format::{self, Header, Layout, Mark, Marks, Record};
use crate::extension::slots::Slots;
use crate::extension::{ExtensionMode, ExtensionReport, ExtensionState, SlotNo};
use crate::file::io_watch::ExtensionEvent;
use crate::number_map::NumberMap;

/// Slots of one write at most: 512 KB.
pub(crate) const WRITE_SLOTS_MAX: usize = 64;
/// Blocks of one write of the directory.
const WRITE_BLOCKS_MAX: usize = 64;

const SERVING: u8 = 0;
const DRAINING: u8 = 1;
const FAILED: u8 = 2;

/// Counters.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    pub(crate) pages_read: AtomicU64,
    pub(crate) pages_written: AtomicU64,
    pub(crate) write_ios: AtomicU64,
    pub(crate) destaged: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) mismatched: AtomicU64,
    pub(crate) rebuilt: AtomicU64,
    outstanding: AtomicU32,
}

/// Says durably that no start may believe the directory.
pub(crate) type Distrust = Box<dyn Fn() -> Result<(), String> + Send + Sync>;
/// Where the logs of the open databases are now.
pub(crate) type MarksNow = Box<dyn Fn() -> Vec<Mark> + Send + Sync>;

/// Writes to the error log.
pub(crate) type Publish = Box<dyn Fn(ExtensionEvent) + Send + Sync>;

/// An extension that is switched on.
pub(crate) struct Extension {
    device: Arc<dyn BlockDevice>,
    path: PathBuf,
    size_bytes: u64,
    layout: Layout,
    epoch: u64,
    pub(crate) slots: Slots,
    mode: AtomicU8,
    state: AtomicU8,
    failure: Mutex<Option<String>>,
    is_distrusted: AtomicBool,
    distrust: Distrust,
    marks_now: MarksNow,
    publish: Publish,
    /// Identities of attached files; pages of others leave no records.
    keys: RwLock<NumberMap<(DbId, FileId), u32>>,
    /// The directory's last marks; their holder writes the directory.
    directory: Mutex<Marks>,
    pub(crate) tallies: Tallies,
}

impl std::fmt::Debug for Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Extension").field("path", &self.path).field("slots", &self.layout.slots).finish_non_exhaustive()
    }
}

/// What an extension is made of.
pub(crate) struct Parts {
    pub(crate) device: Arc<dyn BlockDevice>,
    pub(crate) path: PathBuf,
    pub(crate) size_bytes: u64,
    pub(crate) epoch: u64,
    pub(crate) mode: ExtensionMode,
    pub(crate) distrust: Distrust,
    pub(crate) marks_now: MarksNow,
    pub(crate) publish: Publish,
}

/// What a start finds in a file.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) marks: Vec<Mark>,
    pub(crate) records: Vec<(SlotNo, Record)>,
}

impl Extension {
    /// Without pages; nothing is written yet.
    pub(crate) fn new(parts: Parts) -> Extension {
        let layout = Layout::of(parts.size_bytes);
        Extension {
            device: parts.device,
            path: parts.path,
            size_bytes: parts.size_bytes,
            layout,
            epoch: parts.epoch,
            slots: Slots::new(layout.slots),
            mode: AtomicU8::new(parts.mode as u8),
            state: AtomicU8::new(SERVING),
            failure: Mutex::default(),
            is_distrusted: AtomicBool::new(false),
            distrust: parts.distrust,
            marks_now: parts.marks_now,
            publish: parts.publish,
            keys: RwLock::default(),
            directory: Mutex::default(),
            tallies: Tallies::default(),
        }
    }

    /// Begins a directory without records.
    ///
    /// # Errors
    /// The device's.
    pub(crate) fn format(&self, server_guid: [u8; 16]) -> Result<(), DeviceError> {
        assert!(self.epoch > 0, "a directory of epoch 0 would never be believed");
        Header { server_guid, epoch: self.epoch, slots: self.layout.slots }.write(&*self.device)?;
        self.device.sync()
    }

    /// Reads the directory, if it is the server's and of this epoch.
    ///
    /// # Errors
    /// The device's.
    pub(crate) fn find(&self, server_guid: [u8; 16]) -> Result<Option<Found>, DeviceError> {
        let expected = Header { server_guid, epoch: self.epoch, slots: self.layout.slots };
        if self.device.len_bytes() < self.size_bytes || Header::read(&*self.device)? != Some(expected) {
            return Ok(None);
        }
        let marks = Marks::read(&*self.device)?;
        let mut records = Vec::new();
        let mut bytes = vec![0; WRITE_BLOCKS_MAX * format::BLOCK_BYTES];
        for first in (0..self.layout.blocks()).step_by(WRITE_BLOCKS_MAX) {
            let count = (self.layout.blocks() - first).min(WRITE_BLOCKS_MAX as u32);
            let part = &mut bytes[..count as usize * format::BLOCK_BYTES];
            self.device.read_at(Layout::block_at(first), part)?;
            for (index, block) in part.chunks(format::BLOCK_BYTES).enumerate() {
                records.extend(format::decode_block(first + index as u32, self.epoch, block));
            }
        }
        records.retain(|(slot, _)| slot.0 < self.layout.slots);
        let found = Found { marks: marks.marks.clone(), records };
        *self.directory.lock() = marks;
        Ok(Some(found))
    }

    pub(crate) fn mode(&self) -> ExtensionMode {
        ExtensionMode::of_option(self.mode.load(Relaxed).into())
    }

    pub(crate) fn set_mode(&self, mode: ExtensionMode) {
        self.mode.store(mode as u8, Relaxed);
    }

    /// Whether pages may be read from it.
    pub(crate) fn is_usable(&self) -> bool {
        self.state.load(Acquire) != FAILED
    }

    /// Whether pages may enter.
    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Acquire) == SERVING
    }

    /// No page enters from now on, or again.
    pub(crate) fn set_draining(&self, on: bool) {
        let (from, to) = if on { (SERVING, DRAINING) } else { (DRAINING, SERVING) };
        let _ = self.state.compare_exchange(from, to, AcqRel, Relaxed);
        check!(!on || !self.is_open(), "pages enter an extension that is being emptied");
    }

    /// It is not used any more.
    pub(crate) fn fail(&self, doing: &str, error: &DeviceError) {
        if self.state.swap(FAILED, AcqRel) != FAILED {
            let reason = format!("{doing}: {error}");
            *self.failure.lock() = Some(reason.clone());
            (self.publish)(ExtensionEvent::Failed { reason });
        }
    }

    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.lock().clone()
    }

    /// Says durably, once, that no start may believe the directory.
    ///
    /// # Errors
    /// Why it could not be said; it is tried again by the next caller.
    pub(crate) fn distrust(&self) -> Result<(), String> {
        if !self.is_distrusted.load(Acquire) {
            (self.distrust)()?;
            self.is_distrusted.store(true, Release);
        }
        Ok(())
    }

    fn counted<R>(&self, io: impl FnOnce() -> R) -> R {
        self.tallies.outstanding.fetch_add(1, Relaxed);
        let result = io();
        self.tallies.outstanding.fetch_sub(1, Relaxed);
        result
    }

    /// Reads consecutive slots in one I/O. A failure ends the extension.
    pub(crate) fn read_slots(&self, first: SlotNo, pages: &mut [&mut PageBytes]) -> bool {
        assert!(
            first.0 as usize + pages.len() <= self.layout.slots as usize,
            "{} slots from {} on are read, there are {}",
            pages.len(),
            first.0,
            self.layout.slots
        );
        if !self.is_usable() {
            return false;
        }
        let mut buffers: Vec<IoSliceMut<'_>> = pages.iter_mut().map(|page| IoSliceMut::new(&mut page[..])).collect();
        let read = self.counted(|| self.device.read_vectored_at(self.layout.slot_at(first), &mut buffers));
        match read {
            Ok(()) => add(&self.tallies.pages_read, pages.len() as u64),
            Err(ref error) => self.fail("reading pages", error),
        }
        read.is_ok()
    }

    /// Writes consecutive slots in one I/O. A failure ends the extension.
    pub(crate) fn write_slots(&self, first: SlotNo, pages: &[&PageBytes]) -> bool {
        assert!(
            first.0 as usize + pages.len() <= self.layout.slots as usize,
            "{} slots from {} on are written, there are {}",
            pages.len(),
            first.0,
            self.layout.slots
        );
        assert!(pages.len() <= WRITE_SLOTS_MAX, "{} slots are written at once", pages.len());
        if !self.is_usable() {
            return false;
        }
        let buffers: Vec<IoSlice<'_>> = pages.iter().map(|page| IoSlice::new(&page[..])).collect();
        let written = self.counted(|| self.device.write_vectored_at(self.layout.slot_at(first), &buffers));
        match written {
            Ok(()) => {
                add(&self.tallies.pages_written, pages.len() as u64);
                add(&self.tallies.write_ios, 1);
            }
            Err(ref error) => self.fail("writing pages", error),
        }
        written.is_ok()
    }

    /// Which file the records of an attached file's pages name.
    pub(crate) fn set_key(&self, db: DbId, file: FileId, key: u32) {
        self.keys.write().insert((db, file), key);
    }

    pub(crate) fn forget_key(&self, db: DbId, file: FileId) {
        self.keys.write().remove(&(db, file));
    }

    fn key(&self, page: PageId) -> Option<u32> {
        self.keys.read().get(&(page.db, page.file)).copied()
    }

    /// Writes the blocks of the directory that have changed; with `durable`, and where a database has come or gone since
    /// the last marks, returns after they survive a power failure. False when that failed: then the extension has ended.
    pub(crate) fn write_directory(&self, durable: bool) -> bool {
        let mut marks = self.directory.lock();
        if !self.is_usable() {
            return false;
        }
        let now = (self.marks_now)();
        let result = self.counted(|| {
            self.write_blocks()?;
            if durable || !marks.are_of(&now) {
                marks.write(&now, &*self.device)?;
                self.device.sync()?;
            }
            check!(marks.are_of(&now), "E1: the directory has marks of other databases than are open");
            Ok(())
        });
        if let Err(error) = &result {
            self.fail("writing the directory", error);
        }
        result.is_ok()
    }

    fn write_blocks(&self) -> Result<(), DeviceError> {
        let changed = self.slots.take_changed();
        for run in changed.chunk_by(|a, b| a + 1 == *b).flat_map(|run| run.chunks(WRITE_BLOCKS_MAX)) {
            check!(
                run.iter().all(|block| *block < self.layout.blocks()),
                "the directory has {} blocks",
                self.layout.blocks()
            );
            let record = |slot: SlotNo| {
                let contents = (slot.0 < self.layout.slots).then(|| self.slots.contents(slot))??;
                Some(Record { contents, file_key: self.key(contents.page)? })
            };
            let bytes: Vec<u8> =
                run.iter().flat_map(|&block| format::encode_block(block, self.epoch, record)).collect();
            assert!(
                Layout::block_at(run[0]) + bytes.len() as u64 <= self.layout.slot_at(SlotNo(0)),
                "{} bytes of the directory from block {} on are written over slots",
                bytes.len(),
                run[0]
            );
            self.device.write_at(Layout::block_at(run[0]), &bytes)?;
        }
        Ok(())
    }

    /// Reports to the error log what was done.
    pub(crate) fn publish(&self, event: ExtensionEvent) {
        (self.publish)(event);
    }

    /// Everything that is counted, now.
    pub(crate) fn report(&self) -> ExtensionReport {
        let tallies = &self.tallies;
        let state = match self.state.load(Acquire) {
            SERVING => ExtensionState::Enabled,
            DRAINING => ExtensionState::Disabling,
            _ => ExtensionState::Disabled,
        };
        ExtensionReport {
            path: Some(self.path.clone()),
            state,
            mode: self.mode(),
            failure: self.failure(),
            size_bytes: self.size_bytes,
            slots: self.layout.slots,
            used: self.slots.used(),
            dirty: self.slots.dirty(),
            pages_read: tallies.pages_read.load(Relaxed),
            pages_written: tallies.pages_written.load(Relaxed),
            write_ios: tallies.write_ios.load(Relaxed),
            evicted: self.slots.evicted(),
            destaged: tallies.destaged.load(Relaxed),
            refused: tallies.refused.load(Relaxed),
            mismatched: tallies.mismatched.load(Relaxed),
            rebuilt: tallies.rebuilt.load(Relaxed),
            outstanding: tallies.outstanding.load(Relaxed),
            unreferenced_s: self.slots.unreferenced_us() / 1_000_000,
        }
    }

    pub(crate) fn path(&self) -> &PathBuf {
        &self.path
    }
}

const _: () = assert!(PAGE_BYTES.is_multiple_of(format::BLOCK_BYTES));
