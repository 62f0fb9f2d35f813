//! The buffer pool: pages of attached files in frames of one arena.
//!
//! ```text
//!   Pool         what callers see ──▶ fetch, readahead, through (reads) · flush (checkpoints) · resize · report
//!     │ has
//!   Sweeper      eviction: the hand makes room ◀── sweep (lazy writer)
//!     │ has
//!   PageWriter   write: gathers, log first ──▶ PageIo, LogRule
//!     │ has
//!   Buffers      buffers: frames (latch, arena) · files (translation) · free (lists, chunks) · policy (which page is a victim)
//!                · tallies · tier (what of a page the extension has)
//! ```
//!
//! Each of the four knows the one that it has and no other; what needs several is a function of its file. Between memory
//! and the files there may be an [`crate::extension`]: `tier` has what goes there and comes back.
//!
//! What always holds (T: translation, F: free frames, L: latches have theirs in their files):
//!
//! * P1: a page is taken from its frame, or written, under a latch only, and never while it is pinned (taken) or latched
//!   exclusively by another (written).
//! * P2: a dirty page leaves memory in two ways: written, or discarded because it was freed. A discarded page is never
//!   written afterwards: discarding takes the exclusive latch, writing begins with it and then holds it shared.
//! * P3: a page that leaves memory has a checksum, and one that comes is believed only with checksum and own number.
//! * P4: before a page of a durable file is written, the [`LogRule`] has been asked. A temporary page has no log.
//! * P5: a task that makes room takes latches by trying only, so it cannot wait for one that waits for room.
//!
//! # Life of a frame
//!
//! ```text
//!   no memory ──grow──▶ free ──install──▶ page, latched exclusively ──▶ page ⇄ latched, pinned, dirty, being written
//!       ▲                │ ▲                                              │
//!       └──────retire────┘ └────────────── evict, discard ────────────────┘
//! ```
//!
//! Order of latches and locks: page latches, in any order that their users keep among themselves; under them the lists of
//! free frames, the chunk table, the lazy writer's wakeup, all leaves. The same thread must not latch a page that it
//! holds.
//!
//! The pool knows no rows, no allocation and no transactions.

pub(crate) mod arena;
pub(crate) mod buffers;
pub(crate) mod eviction;
pub(crate) mod fetch;
pub(crate) mod files;
pub(crate) mod flush;
pub(crate) mod free;
pub(crate) mod latch;
pub(crate) mod page;
pub(crate) mod policy;
pub(crate) mod readahead;
pub(crate) mod report;
pub(crate) mod resize;
#[cfg(test)]
mod stress;
pub(crate) mod sweep;
pub(crate) mod tallies;
#[cfg(test)]
pub(crate) mod test_disk;
#[cfg(test)]
mod tests;
pub mod through;
pub(crate) mod tier;
pub(crate) mod write;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

use millpond_device::clock::Clock;
use millpond_ghost::Ghosts;
use parking_lot::Mutex;

use crate::ask::Ask;
use crate::contract::{
    DbId, ExtentId, FileId, IoFailure, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo, WriteReason,
};
use crate::pace::Pace;
use crate::page::header::{LogPos, PageDamage};
use crate::page_io::PageIo;
use crate::pool::buffers::{Buffers, Purpose};
use crate::pool::eviction::{Hand, Sweeper};
use crate::pool::files::FileTable;
use crate::pool::free::{Chunks, FreeLists};
use crate::pool::latch::Frames;
use crate::pool::policy::PoolPolicy;
use crate::pool::readahead::ReadAhead;
use crate::pool::sweep::LazyWriter;
use crate::pool::tallies::Tallies;
use crate::pool::through::{PageBuffer, PendingRead};
use crate::pool::tier::ExtensionTier;
use crate::pool::write::PageWriter;
use crate::wait::WaitStats;

pub use crate::pool::page::{ExclusivePage, PageRef, SharedPage};
pub use crate::pool::policy::EvictionPolicy;
pub use crate::pool::report::{BufferDescriptor, PoolReport, counters};

/// What a pool is made with.
#[derive(Debug)]
pub struct PoolConfig {
    /// `max server memory`: bytes of frames, rounded down to pages; at least [`Pool::MIN_BYTES`] are used.
    pub max_bytes: u64,
    /// Time of reads, waits and page life.
    pub clock: Arc<dyn Clock>,
    /// Which pages leave memory when frames are needed for others.
    pub eviction: EvictionPolicy,
}

impl PoolConfig {
    /// With the default policy.
    #[must_use]
    pub fn new(max_bytes: u64, clock: Arc<dyn Clock>) -> PoolConfig {
        PoolConfig { max_bytes, clock, eviction: EvictionPolicy::default() }
    }
}

/// Which rules the pages of a file live by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Log before page; checkpoints write it.
    Durable,
    /// Gone after a restart: only the lazy writer writes it, for memory.
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

/// Pages to be done again, each as its data file has it; `None` where that has no sound one yet.
pub type LostPages = BTreeMap<PageId, Option<Box<PageBytes>>>;

/// `log before page`: called before a page of a [`Durability::Durable`] file is written, while the page is latched
/// exclusively; it must not ask the pool for pages.
pub trait LogRule: Send + Sync {
    /// Returns when the log that covers the page's header LSN is durable.
    ///
    /// # Errors
    /// The log's failure; the page then stays dirty.
    fn make_log_durable(&self, id: PageId, page: &PageBytes) -> Result<(), IoFailure>;

    /// Whether that would return at once: neighbours that would wait are left out of a write.
    fn is_log_durable(&self, _id: PageId, _page: &PageBytes) -> bool {
        true
    }

    /// Does to pages of a database what its log says, from a place of the log to its durable end. A page that is not
    /// there begins with the change that makes it; one that stays `None` was never made.
    ///
    /// # Errors
    /// The log's failure; the pages are then of no use.
    fn redo_pages(&self, db: DbId, _from: LogPos, _pages: &mut LostPages) -> Result<(), IoFailure> {
        let page = PageId { db, file: FileId(0), page: PageNo(0) };
        Err(IoFailure::System { page, message: "there is no log".to_owned() })
    }
}

/// The buffer pool.
pub struct Pool {
    pub(crate) sweeper: Sweeper,
    lazy_writer: LazyWriter,
    pub(crate) reader: ReadAhead,
    /// Held by the change of the size.
    resizing: Mutex<()>,
    pub(crate) me: Weak<Pool>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("total", &self.buffers().chunks.total()).finish_non_exhaustive()
    }
}

/// Pages in `bytes`, within what a pool can have.
pub(crate) fn pages_in(bytes: u64, pages_max: u32) -> u32 {
    let pages = (bytes / PAGE_BYTES as u64).min(u64::from(pages_max)) as u32;
    pages.max((Pool::MIN_BYTES / PAGE_BYTES as u64) as u32)
}

impl Pool {
    /// The least memory that a pool works with: 64 pages.
    pub const MIN_BYTES: u64 = 64 * PAGE_BYTES as u64;

    /// A pool without pages, and its lazy writer. It reserves address space for the machine's memory, so that its size
    /// can be raised later; memory is taken as pages come.
    ///
    /// # Panics
    /// When the process has no address space for [`Pool::MIN_BYTES`].
    #[must_use]
    pub fn new(config: PoolConfig, io: Arc<dyn PageIo>, waits: Arc<WaitStats>) -> Arc<Pool> {
        let pages_min = pages_in(0, u32::MAX);
        let machine_bytes = millpond_device::machine::memory().total_bytes;
        // Where address space is limited, the other half is for all that is not a page: stacks, plans, the allocator.
        let addressable = millpond_device::machine::address_space_left_bytes().map_or(u64::MAX, |left| left / 2);
        let reserved = pages_in(config.max_bytes.max(machine_bytes).min(addressable), PAGES_MAX);
        let frames = Frames::reserve(reserved, pages_min, config.clock.clone()).expect("address space for 64 pages");
        assert!(frames.count() >= pages_min, "a pool of {} frames", frames.count());
        let target = pages_in(config.max_bytes, frames.count());
        assert!(target <= frames.count(), "a pool of {target} pages with {} frames", frames.count());
        let buffers = Buffers {
            files: FileTable::default(),
            free: FreeLists::default(),
            chunks: Chunks::new(frames.count(), target),
            policy: PoolPolicy::new(config.eviction, frames.count()),
            tallies: Tallies::default(),
            ghosts: Ghosts::new(target.into(), config.clock.now_us()),
            tier: ExtensionTier::default(),
            waits,
            clock: config.clock,
            frames,
        };
        let hand = Hand::new(buffers.clock.now_us());
        let writer = PageWriter { buffers, io, log_rule: OnceLock::new() };
        let lazy_writer = LazyWriter::default();
        let pool = Arc::new_cyclic(|me| Pool {
            sweeper: Sweeper { writer, hand, wakeup: lazy_writer.wakeup.clone() },
            lazy_writer,
            reader: ReadAhead::default(),
            resizing: Mutex::new(()),
            me: me.clone(),
        });
        pool.lazy_writer.start(&pool);
        pool
    }

    /// What lies between the frames and the extension.
    #[inline]
    pub(crate) fn tier(&self) -> &ExtensionTier {
        &self.buffers().tier
    }

    /// The frames.
    #[inline]
    pub(crate) fn buffers(&self) -> &Buffers {
        self.sweeper.buffers()
    }

    /// Makes the pages of a file known; attaching an attached file changes its durability.
    ///
    /// # Panics
    /// For database 0: the number 0 means "no page".
    pub fn attach_file(&self, db: DbId, file: FileId, durability: Durability) {
        assert!(db.0 != 0, "databases have numbers from 1");
        assert!(file.0 != 0, "files have numbers from 1");
        self.buffers().files.attach(db, file, durability);
    }

    /// Which rules the pages of a file live by; `None` when it is not attached.
    #[must_use]
    pub fn durability(&self, db: DbId, file: FileId) -> Option<Durability> {
        let is_durable = self.buffers().files.attached(db, file)?.is_durable();
        Some(if is_durable { Durability::Durable } else { Durability::Temporary })
    }

    /// Forgets the pages of a file without writing them.
    ///
    /// # Panics
    /// When one of them is pinned.
    pub fn detach_file(&self, db: DbId, file: FileId) {
        let Some(map) = self.buffers().files.detach(db, file) else { return };
        for page in map.resident() {
            self.buffers().drop_pages(&[PageId { db, file, page }]);
        }
        self.buffers().ghosts.free_all(|page| (PageId::from_bits(page).db, PageId::from_bits(page).file) == (db, file));
        if let Some(extension) = self.buffers().tier.get() {
            extension.forget_key(db, file);
        }
    }

    /// Sets the rule for durable pages; only the first call counts.
    pub fn set_log_rule(&self, rule: Arc<dyn LogRule>) {
        let was_first = self.sweeper.writer.log_rule.set(rule).is_ok();
        assert!(was_first, "P4: a pool asks one log rule, from its beginning on");
    }

    /// The page for reading.
    ///
    /// # Errors
    /// [`PoolError`].
    #[inline]
    pub fn shared<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<SharedPage<'a>, PoolError> {
        fetch::shared(self, ask, id)
    }

    /// The page for changing; waits are charged as EX.
    ///
    /// # Errors
    /// [`PoolError`].
    #[inline]
    pub fn exclusive<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<ExclusivePage<'a>, PoolError> {
        fetch::exclusive(self, ask, id, Purpose::Change)
    }

    /// As [`Pool::exclusive`], but waits are charged as UP: for allocation maps.
    ///
    /// # Errors
    /// [`PoolError`].
    #[inline]
    pub fn update<'a>(&'a self, ask: &Ask<'a>, id: PageId) -> Result<ExclusivePage<'a>, PoolError> {
        fetch::exclusive(self, ask, id, Purpose::Update)
    }

    /// An empty page with a header, without a read; what the page held before is gone. Its body is not zeroed, and it
    /// is not counted as a logical read.
    ///
    /// # Errors
    /// [`PoolError`].
    #[inline]
    pub fn create<'a>(
        &'a self,
        ask: &Ask<'a>,
        id: PageId,
        kind: PageKind,
        object_id: u32,
    ) -> Result<ExclusivePage<'a>, PoolError> {
        fetch::create(self, ask, id, kind, object_id)
    }

    /// The extent was freed: its pages leave memory and are never written (P2).
    ///
    /// # Panics
    /// When one of them is pinned.
    pub fn discard(&self, extent: ExtentId) {
        self.buffers().drop_pages(&std::array::from_fn::<_, 8, _>(|index| extent.page(index as u32)));
    }

    /// The page was freed: it leaves memory and is never written (P2).
    ///
    /// # Panics
    /// When it is pinned.
    pub fn discard_page(&self, id: PageId) {
        self.buffers().drop_pages(&[id]);
    }

    /// Brings pages into memory in the background, in large reads. Failures show when the pages are asked for.
    pub fn read_ahead(&self, ask: &Ask<'_>, first: PageId, count: u32) {
        readahead::begin(self, ask, first, count);
    }

    /// Brings pages into memory now, in large reads. Failures show when the pages are asked for. The caller holds no latch.
    pub fn read_together(&self, ask: &Ask<'_>, first: PageId, count: u32) {
        readahead::at_once(&self.sweeper, ask, first, count);
    }

    /// Copies consecutive pages into `out`, which should be aligned to 4096 bytes: those in memory from there, the others
    /// from the file, in runs as long as they are.
    ///
    /// # Errors
    /// [`PoolError`]
    pub fn read_through(&self, ask: &Ask<'_>, first: PageId, out: &mut [PageBytes]) -> Result<(), PoolError> {
        through::copy(self, ask, first, out, true)
    }

    /// Begins to read consecutive pages past the pool on another thread. `None`, and `buffer` is as it was: they are in
    /// memory, or too much is being read already.
    pub fn read_behind(&self, first: PageId, count: usize, buffer: &mut PageBuffer) -> Option<PendingRead> {
        through::begin(self, first, count, buffer)
    }

    /// Writes those of the pages that are dirty, with their dirty neighbours; a latched page is left out. Returns the
    /// pages written.
    ///
    /// # Errors
    /// The first failure; the other pages are tried all the same.
    pub fn eager_write(&self, ask: &Ask<'_>, pages: &[PageId]) -> Result<u64, PoolError> {
        self.sweeper.writer.write_eagerly(ask, pages)
    }

    /// Writes pages that were made without the log, each once, straight to its place: while nothing refers to them no
    /// copy protects them (M1 of minimal logging). The caller holds no latch.
    ///
    /// # Errors
    /// The first failure; the other pages are tried all the same.
    pub fn write_made(&self, ask: &Ask<'_>, pages: &[PageRef]) -> Result<(), PoolError> {
        self.sweeper.writer.write_alone(ask, pages, WriteReason::Eager)
    }

    /// Writes the dirty pages of the durable files of a database, in order of their place; returns how many.
    /// The caller holds no latch.
    ///
    /// # Errors
    /// The first failure; the other pages are tried all the same.
    pub fn flush(&self, ask: &Ask<'_>, db: DbId, reason: WriteReason) -> Result<u64, PoolError> {
        flush::write_database(&self.sweeper, ask, db, reason)
    }

    /// As [`Pool::flush`], for the pages that became dirty before the log was at `before`, and those that no log knows.
    ///
    /// # Errors
    /// The first failure; the other pages are tried all the same.
    pub fn flush_before(
        &self,
        ask: &Ask<'_>,
        db: DbId,
        before: LogPos,
        reason: WriteReason,
        pace: &Pace<'_>,
    ) -> Result<u64, PoolError> {
        flush::write_older(&self.sweeper, ask, db, before, reason, pace)
    }

    /// Where the log was when the page became dirty that is dirty for the longest time; `None` when none is that has a
    /// log. Recovery begins no later.
    #[must_use]
    pub fn oldest_rec_lsn(&self, db: DbId) -> Option<LogPos> {
        flush::oldest_rec_pos(self.buffers(), db)
    }

    /// `DBCC DROPCLEANBUFFERS`: all clean pages leave memory but pinned and latched ones; returns how many.
    pub fn drop_clean(&self) -> u64 {
        self.buffers().evict_clean()
    }

    /// Changes the memory of the pool at once, downwards too: pages are written and evicted for it, and whole chunks
    /// go back to the system. Returns the bytes that are in use then, which are more than `bytes` where pinned pages
    /// or pages that cannot be written stand in the way.
    pub fn set_max_bytes(&self, bytes: u64) -> u64 {
        let _alone = self.resizing.lock();
        resize::resize(&self.sweeper.writer, bytes)
    }

    /// Sizes and counters.
    #[must_use]
    pub fn report(&self) -> PoolReport {
        report::count_all(&self.sweeper)
    }

    /// What more memory would have hit.
    #[must_use]
    pub fn ghosts(&self) -> &Ghosts {
        &self.buffers().ghosts
    }

    /// The pages in memory, in no order.
    #[must_use]
    pub fn descriptors(&self) -> Vec<BufferDescriptor> {
        report::describe_all(self.buffers())
    }
}

/// Frame numbers are 32 bits in the words; 16 TB of frames are beyond any machine that this runs on.
const PAGES_MAX: u32 = 1 << 31;

impl Drop for Pool {
    fn drop(&mut self) {
        self.lazy_writer.stop();
        self.reader.stop();
    }
}
