//! The device of the pool's tests: pages in memory, every I/O recorded, failures on demand.
//!
//! It holds the pool to three promises at every I/O: a page is never in two I/Os at once (an old write could land on a new
//! one), what is written has its checksum and its own number, and a page that was freed is not written.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};

use millpond_device::clock::{Clock, SystemClock};
use parking_lot::Mutex;

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{
    DbId, ExtentId, ExtentNo, FileId, IoFailure, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo, SessionId,
    WriteReason,
};
use crate::page::header;
use crate::page_io::{PageIo, PageRun};
use crate::pool::{Durability, EvictionPolicy, ExclusivePage, Pool, PoolConfig, PoolError};
use crate::wait::WaitStats;

/// A write as the device saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) first: PageId,
    pub(crate) count: usize,
    pub(crate) reason: WriteReason,
    pub(crate) session: SessionId,
}

#[derive(Default)]
pub(crate) struct TestDisk {
    pages: Mutex<HashMap<PageId, Box<PageBytes>>>,
    /// Pages that are being read or written; how many I/Os there are of each.
    busy: Mutex<HashMap<PageId, u32>>,
    /// A page may be read beside another read of it: one that is done again from the log is read without a frame.
    pub(crate) reads_overlap: AtomicBool,
    /// Pages that were freed and not created again: writing one is the bug that the pool must not have.
    pub(crate) freed: Mutex<HashSet<PageId>>,
    pub(crate) writes: Mutex<Vec<Written>>,
    /// Runs of each batch.
    pub(crate) batches: Mutex<Vec<usize>>,
    pub(crate) reads: Mutex<Vec<(PageId, usize)>>,
    /// Every n-th read or write fails; 0 is never.
    pub(crate) fail_reads: AtomicU32,
    pub(crate) fail_writes: AtomicU32,
    calls: AtomicU32,
    /// Writes to pages from this number on find no room.
    pub(crate) room_until: AtomicU64,
    /// Lets other threads run in the middle of an I/O.
    pub(crate) slow: AtomicBool,
    /// While set, writes wait.
    pub(crate) gate: Mutex<()>,
}

/// More than there are threads.
const ALONE: u32 = 1000;

impl TestDisk {
    /// `weight` 1 is of a read, [`ALONE`] of one that must have its pages alone.
    fn begin(&self, first: PageId, count: usize, weight: u32) {
        let mut busy = self.busy.lock();
        for id in ids(first, count) {
            let others = busy.entry(id).or_default();
            *others += weight;
            assert!(*others <= ALONE, "page {id} is in two I/Os at once");
        }
        drop(busy);
        if self.slow.load(Relaxed) {
            std::thread::yield_now();
        }
    }

    fn end(&self, first: PageId, count: usize, weight: u32) {
        let mut busy = self.busy.lock();
        ids(first, count).for_each(|id| *busy.get_mut(&id).expect("it began") -= weight);
    }

    fn fails(&self, every: &AtomicU32) -> bool {
        let every = every.load(Relaxed);
        every > 0 && self.calls.fetch_add(1, Relaxed).is_multiple_of(every)
    }

    /// Makes a page that is on the device only.
    pub(crate) fn put(&self, id: PageId, stamp: u64) {
        let mut bytes = Box::new([0; PAGE_BYTES]);
        header::init(&mut bytes, id, PageKind::Data, 1);
        write_stamp(&mut bytes, stamp);
        header::set_checksum(&mut bytes);
        self.pages.lock().insert(id, bytes);
    }

    /// Changes a byte of a page on the device.
    pub(crate) fn damage(&self, id: PageId) {
        self.pages.lock().get_mut(&id).expect("on the device")[4000] ^= 1;
    }

    /// The stamp of a page on the device.
    pub(crate) fn stamp(&self, id: PageId) -> Option<u64> {
        self.pages.lock().get(&id).map(|bytes| read_stamp(bytes))
    }

    pub(crate) fn pages_written(&self) -> usize {
        self.writes.lock().iter().map(|w| w.count).sum()
    }

    fn read_checked(&self, first: PageId, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure> {
        if self.fails(&self.fail_reads) {
            return Err(IoFailure::System { page: first, message: "the test says so".to_owned() });
        }
        let kept = self.pages.lock();
        for (id, page) in ids(first, pages.len()).zip(pages) {
            page.copy_from_slice(&kept.get(&id).ok_or(IoFailure::NoFile { page: id })?[..]);
        }
        Ok(())
    }

    fn write_checked(&self, first: PageId, pages: &[&PageBytes]) -> Result<(), IoFailure> {
        if self.fails(&self.fail_writes) {
            return Err(IoFailure::System { page: first, message: "the test says so".to_owned() });
        }
        if u64::from(first.page.0) + pages.len() as u64 > self.room_until.load(Relaxed) {
            return Err(IoFailure::NoSpace { page: first });
        }
        let mut kept = self.pages.lock();
        for (id, page) in ids(first, pages.len()).zip(pages) {
            header::verify(page, id).expect("a page leaves memory with its checksum and number");
            assert!(!self.freed.lock().contains(&id), "page {id} was freed and is written");
            kept.insert(id, Box::new(**page));
        }
        Ok(())
    }
}

fn ids(first: PageId, count: usize) -> impl Iterator<Item = PageId> {
    (0..count as u32).map(move |n| PageId { page: PageNo(first.page.0 + n), ..first })
}

impl PageIo for TestDisk {
    fn read_run(&self, _: &Ask<'_>, first: PageId, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure> {
        let weight = if self.reads_overlap.load(Relaxed) { 1 } else { ALONE };
        self.begin(first, pages.len(), weight);
        let result = self.read_checked(first, pages);
        self.end(first, pages.len(), weight);
        if result.is_ok() {
            self.reads.lock().push((first, pages.len()));
        }
        result
    }

    /// As if the pages that are not wanted were not there: they may be in another I/O.
    fn read_over(&self, _: &Ask<'_>, first: PageId, pages: &mut [Option<&mut PageBytes>]) -> Result<(), IoFailure> {
        let count = pages.len();
        let mut wanted: Vec<(PageId, &mut PageBytes)> =
            ids(first, count).zip(pages).filter_map(|(id, page)| Some((id, &mut **page.as_mut()?))).collect();
        wanted.iter().for_each(|(id, _)| self.begin(*id, 1, ALONE));
        let result = wanted.iter_mut().try_for_each(|(id, page)| self.read_checked(*id, &mut [&mut **page]));
        wanted.iter().for_each(|(id, _)| self.end(*id, 1, ALONE));
        if result.is_ok() {
            self.reads.lock().push((first, count));
        }
        result
    }

    fn write_run(
        &self,
        ask: &Ask<'_>,
        first: PageId,
        pages: &[&PageBytes],
        reason: WriteReason,
    ) -> Result<(), IoFailure> {
        self.begin(first, pages.len(), ALONE);
        drop(self.gate.lock());
        let result = self.write_checked(first, pages);
        self.end(first, pages.len(), ALONE);
        if result.is_ok() {
            self.writes.lock().push(Written { first, count: pages.len(), reason, session: ask.task.session });
        }
        result
    }

    fn write_batch(&self, ask: &Ask<'_>, runs: &[PageRun<'_>], reason: WriteReason) -> Vec<Result<(), IoFailure>> {
        self.batches.lock().push(runs.len());
        let write = |run: &PageRun<'_>| run.charged(ask, |ask| self.write_run(ask, run.first, run.pages, reason));
        runs.iter().map(write).collect()
    }
}

/// Stamps a page: the number at both ends of the body, so that a torn page shows.
pub(crate) fn write_stamp(page: &mut PageBytes, stamp: u64) {
    for at in [96, PAGE_BYTES - 8] {
        page[at..at + 8].copy_from_slice(&stamp.to_le_bytes());
    }
}

/// The stamp of a page.
pub(crate) fn read_stamp(page: &PageBytes) -> u64 {
    let at = |at: usize| u64::from_le_bytes(page[at..at + 8].try_into().expect("8 bytes"));
    assert_eq!(at(96), at(PAGE_BYTES - 8), "both ends of page {} agree", header::page_no(page));
    at(96)
}

pub(crate) const DB: DbId = DbId(2);
/// The tests' temporary file; file 2 of the database is durable.
pub(crate) const FILE: FileId = FileId(1);
pub(crate) const DURABLE: FileId = FileId(2);

pub(crate) fn page(page: u32) -> PageId {
    PageId { db: DB, file: FILE, page: PageNo(page) }
}

pub(crate) fn durable(number: u32) -> PageId {
    PageId { file: DURABLE, ..page(number) }
}

pub(crate) fn extent(extent: u32) -> ExtentId {
    ExtentId { db: DB, file: FILE, extent: ExtentNo(extent) }
}

thread_local! {
    /// The policy of the pools that this thread makes.
    static POLICY: Cell<EvictionPolicy> = const { Cell::new(EvictionPolicy::S3Fifo) };
}

/// Calls `work`, whose pools have a policy.
pub(crate) fn under<R>(policy: EvictionPolicy, work: impl FnOnce() -> R) -> R {
    // Shown when `work` panics.
    println!("under the policy {}:", policy.name());
    let before = POLICY.replace(policy);
    let result = work();
    POLICY.set(before);
    result
}

/// Calls `work` for each policy.
pub(crate) fn under_each_policy(work: impl Fn()) {
    EvictionPolicy::ALL.iter().for_each(|policy| under(*policy, &work));
}

/// A pool of so many frames over a [`TestDisk`].
pub(crate) struct Bench {
    pub(crate) pool: Arc<Pool>,
    pub(crate) disk: Arc<TestDisk>,
    pub(crate) waits: Arc<WaitStats>,
}

impl Bench {
    pub(crate) fn new(frames: u64) -> Bench {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let waits = Arc::new(WaitStats::new(clock.clone()));
        let disk = Arc::new(TestDisk { room_until: AtomicU64::new(u64::MAX), ..TestDisk::default() });
        let config = PoolConfig { eviction: POLICY.get(), ..PoolConfig::new(frames * PAGE_BYTES as u64, clock) };
        let pool = Pool::new(config, disk.clone(), waits.clone());
        pool.attach_file(DB, FILE, Durability::Temporary);
        pool.attach_file(DB, DURABLE, Durability::Durable);
        Bench { pool, disk, waits }
    }

    /// Creates a page with a stamp.
    pub(crate) fn create(&self, ask: &Ask<'_>, id: PageId, stamp: u64) {
        self.disk.freed.lock().remove(&id);
        let mut page = self.pool.create(ask, id, PageKind::Data, 1).expect("memory");
        write_stamp(&mut page, stamp);
    }

    /// Frees an extent: from now on its pages must not be written.
    pub(crate) fn discard(&self, extent: ExtentId) {
        self.pool.discard(extent);
        self.disk.freed.lock().extend((0..8).map(|n| extent.page(n)));
    }

    pub(crate) fn stamp(&self, ask: &Ask<'_>, id: PageId) -> Result<u64, PoolError> {
        let page = self.pool.shared(ask, id)?;
        assert_eq!((page.id(), header::page_no(&page)), (id, id.page));
        Ok(read_stamp(&page))
    }

    /// Waits until every frame has a page or is in a list: no frame is lost.
    pub(crate) fn settle(&self) {
        let settled = || {
            let report = self.pool.report();
            report.free + report.database == report.total
        };
        let attempts = (0..2000).take_while(|_| !settled());
        let slept = attempts.inspect(|_| std::thread::sleep(std::time::Duration::from_millis(5))).count();
        assert!(slept < 2000, "frames are lost: {:?}", self.pool.report());
    }

    pub(crate) fn stamp_page(&self, mut page: ExclusivePage<'_>, stamp: u64) {
        write_stamp(&mut page, stamp);
    }
}

/// Calls `work` as session `session`.
pub(crate) fn with_ask<R>(session: u16, work: impl FnOnce(&Ask<'_>) -> R) -> R {
    let (task, object) = (Task::new(SessionId(session)), IoCount::default());
    work(&Ask::new(&task, &object))
}
