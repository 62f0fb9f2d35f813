//! The buffer pool.

use std::sync::Arc;

use millpond_device::clock::Clock;

use crate::ask::Ask;
use crate::contract::{DbId, ExtentId, FileId, IoFailure, PageBytes, PageId, PageIo, PageKind, WriteReason};
use crate::header::PageDamage;
use crate::wait::WaitStats;

pub use crate::pool_page::{ExclusivePage, PageRef, SharedPage};

/// What a pool is made with.
#[derive(Debug)]
pub struct PoolConfig {
    /// `max server memory`: bytes of frames, rounded down to pages; at least [`Pool::MIN_BYTES`] are used.
    pub max_bytes: u64,
    /// Time of reads, waits and page life.
    pub clock: Arc<dyn Clock>,
}

/// Which rules the pages of a file live by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Log before page; checkpoints write it.
    Durable,
    /// Gone after a restart: nobody writes it but the lazy writer, for memory.
    Temporary,
}

/// Why a page could not be had.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PoolError {
    /// Reading failed, or writing a page that was to be written now (823).
    #[error(transparent)]
    Io(#[from] IoFailure),
    /// The bytes that came from the file are not the page (824).
    #[error(transparent)]
    Damaged(#[from] PageDamage),
    /// Every frame is pinned, latched, or dirty without a place to write to (802).
    #[error("no frame could be freed for page {page}")]
    NoMemory {
        /// The page that wanted it.
        page: PageId,
    },
}

/// `log before page`: called before a page of a [`Durability::Durable`] file is written.
pub trait LogRule: Send + Sync {
    /// Returns when the log that covers the page's header LSN is durable.
    ///
    /// # Errors
    /// The log's failure; the page then stays dirty.
    fn make_log_durable(&self, id: PageId, page: &PageBytes) -> Result<(), IoFailure>;
}

/// Counters and sizes of the pool; pages unless the name says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolReport {
    /// `max server memory` in pages.
    pub target: u64,
    /// Frames that have memory.
    pub total: u64,
    /// Of them without a page.
    pub free: u64,
    /// Of them with a page.
    pub database: u64,
    /// Pages changed since they were last written.
    pub dirty: u64,
    /// Pages asked for.
    pub lookups: u64,
    /// Pages read because they were asked for.
    pub reads: u64,
    /// Pages read ahead.
    pub read_ahead: u64,
    /// Pages created without a read.
    pub created: u64,
    /// Pages discarded.
    pub discarded: u64,
    /// Dirty pages that were discarded: writes that never happened.
    pub discarded_dirty: u64,
    /// Pages written, for any reason.
    pub writes: u64,
    /// Pages written to make room, by the lazy writer or by whoever could not wait for it.
    pub lazy_writes: u64,
    /// Writes (I/Os) of these pages.
    pub write_ios: u64,
    /// Pages that lost their frame to another page.
    pub evictions: u64,
    /// Times a task found no free frame and had to make one.
    pub free_list_stalls: u64,
    /// Seconds that a page stays if nobody asks for it.
    pub page_life_s: u64,
}

/// A page in memory, for `sys.dm_os_buffer_descriptors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDescriptor {
    /// Page.
    pub page: PageId,
    /// Its kind; `None` for a number that is not known, or for a page that is latched exclusively at the moment.
    pub kind: Option<PageKind>,
    /// Object in the header.
    pub object_id: u32,
    /// Level in an index.
    pub level: u8,
    /// Slots.
    pub rows: u16,
    /// Free bytes.
    pub free_bytes: u16,
    /// Dirty.
    pub is_modified: bool,
    /// How long the read took that brought it in; 0 for a page created in memory.
    pub read_us: u32,
}

/// The buffer pool.
#[derive(Debug)]
pub struct Pool {}

impl Pool {
    /// The least memory that a pool works with: 64 pages.
    pub const MIN_BYTES: u64 = 64 * 8192;

    /// A pool without pages, and its lazy writer.
    #[must_use]
    pub fn new(config: PoolConfig, io: Arc<dyn PageIo>, waits: Arc<WaitStats>) -> Arc<Pool> {
        let _ = (config, io, waits);
        todo!()
    }

    /// Makes the pages of a file known; attaching an attached file changes its durability.
    pub fn attach_file(&self, db: DbId, file: FileId, durability: Durability) {
        let _ = (db, file, durability);
        todo!()
    }

    /// Forgets the pages of a file without writing them.
    pub fn detach_file(&self, db: DbId, file: FileId) {
        let _ = (db, file);
        todo!()
    }

    /// Sets the rule for durable pages; only the first call counts.
    pub fn set_log_rule(&self, rule: Arc<dyn LogRule>) {
        let _ = rule;
        todo!()
    }

    /// The page for reading.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn shared<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<SharedPage<'a>, PoolError> {
        let _ = (ask, id);
        todo!()
    }

    /// The page for changing; waits are charged as EX.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn exclusive<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<ExclusivePage<'a>, PoolError> {
        let _ = (ask, id);
        todo!()
    }

    /// As [`Pool::exclusive`], but waits are charged as UP: for allocation maps.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn update<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<ExclusivePage<'a>, PoolError> {
        let _ = (ask, id);
        todo!()
    }

    /// An empty page with a header, without a read; what the page held before is gone. Its body is not zeroed.
    ///
    /// # Errors
    /// [`PoolError`].
    pub fn create<'a>(
        &'a self,
        ask: &Ask<'a>,
        id: PageId,
        kind: PageKind,
        object_id: u32,
    ) -> Result<ExclusivePage<'a>, PoolError> {
        let _ = (ask, id, kind, object_id);
        todo!()
    }

    /// Creates up to `count` pages from `first` on and appends them to `out`: at least one, fewer than `count` when
    /// memory is short, so that many askers at once get on.
    ///
    /// # Errors
    /// [`PoolError`], then nothing was created.
    pub fn create_run<'a>(
        &'a self,
        ask: &Ask<'a>,
        first: PageId,
        count: u32,
        kind: PageKind,
        object_id: u32,
        out: &mut Vec<ExclusivePage<'a>>,
    ) -> Result<(), PoolError> {
        let _ = (ask, first, count, kind, object_id, out);
        todo!()
    }

    /// The extent was freed: its pages leave memory and are never written.
    ///
    /// # Panics
    /// When one of them is pinned.
    pub fn discard(&self, extent: ExtentId) {
        let _ = extent;
        todo!()
    }

    /// The page was freed: it leaves memory and is never written.
    ///
    /// # Panics
    /// When it is pinned.
    pub fn discard_page(&self, id: PageId) {
        let _ = id;
        todo!()
    }

    /// Brings pages into memory in the background, in large reads. Failures show when the pages are asked for.
    pub fn read_ahead(&self, ask: &Ask<'_>, first: PageId, count: u32) {
        let _ = (ask, first, count);
        todo!()
    }

    /// Writes those of the pages that are dirty, with their dirty neighbours.
    ///
    /// # Errors
    /// The first failure; the other pages are tried all the same.
    pub fn eager_write(&self, ask: &Ask<'_>, pages: &[PageId]) -> Result<u64, PoolError> {
        let _ = (ask, pages);
        todo!()
    }

    /// Writes the dirty pages of the durable files of a database, in order of their place; returns how many.
    /// The caller holds no latch.
    ///
    /// # Errors
    /// The first failure; the other pages are tried all the same.
    pub fn flush(&self, ask: &Ask<'_>, db: DbId, reason: WriteReason) -> Result<u64, PoolError> {
        let _ = (ask, db, reason);
        todo!()
    }

    /// `DBCC DROPCLEANBUFFERS`: all clean pages leave memory; returns how many.
    pub fn drop_clean(&self) -> u64 {
        todo!()
    }

    /// Changes the memory of the pool at once, downwards too: pages are written and evicted for it, and whole chunks
    /// go back to the system. Returns the bytes that are in use then, which are more than `bytes` where pinned pages
    /// or pages that cannot be written stand in the way.
    pub fn set_max_bytes(&self, bytes: u64) -> u64 {
        let _ = bytes;
        todo!()
    }

    /// Sizes and counters.
    #[must_use]
    pub fn report(&self) -> PoolReport {
        todo!()
    }

    /// The pages in memory, in no order.
    #[must_use]
    pub fn descriptors(&self) -> Vec<BufferDescriptor> {
        todo!()
    }
}
