//! What each eviction policy keeps in memory: one line per workload and policy.
//!
//! `cargo run --release -p millpond-storage --example eviction [-- POLICY]`
//!
//! A pool of 1,280 pages (10 MB) over a device in memory, one session, fixed seeds. The hit ratio is of reads by page number
//! alone, not of scans; a workload runs for a while before it is counted. The lazy writer is a thread, so the last digit may
//! move from run to run.
//!
//! * *zipf s*: point reads of 12,800 pages, of which the n-th in favour is asked for in proportion to n^-s.
//! * *zipf 1.0, changes*: a fifth of the pages that are asked for are changed.
//! * *zipf 1.0 beside a scan*: for each point read a page of a scan of 12,800 other pages is read, which begins anew at its end.
//! * *loop*: 1,408 pages, a tenth more than memory, in turn.
//! * *zipf 1.0 beside small temp tables*: for each point read two pages of temporary tables are created; a table is read
//!   once and dropped when it has 128 pages, a tenth of the memory.
//! * *zipf 1.0 beside large temp tables*: the same, with 2,560 pages, twice the memory.
//!
//! What does not depend on the policy: pages written are dirty victims, tables that are dropped in memory are never written.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{
    DbId, ExtentId, ExtentNo, FileId, IoFailure, PageBytes, PageId, PageKind, PageNo, SessionId, WriteReason,
};
use millpond_storage::page::header;
use millpond_storage::page_io::PageIo;
use millpond_storage::pool::{Durability, EvictionPolicy, Pool, PoolConfig};
use millpond_storage::wait::WaitStats;

const DB: DbId = DbId(2);
/// Tables.
const DATA: FileId = FileId(1);
/// Temporary tables.
const TEMP: FileId = FileId(2);
const MEMORY_PAGES: u32 = 1280;
const DATA_PAGES: u32 = 10 * MEMORY_PAGES;
const READS: u32 = 400_000;
const WARM_UP_READS: u32 = 100_000;

/// A device that has any page, and counts what it reads and writes.
#[derive(Default)]
struct MadeUpDevice {
    read: AtomicU64,
    written: AtomicU64,
}

impl PageIo for MadeUpDevice {
    fn read_run(&self, _: &Ask<'_>, first: PageId, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure> {
        for (number, page) in (first.page.0..).zip(pages.iter_mut()) {
            header::init(page, PageId { page: PageNo(number), ..first }, PageKind::Data, 1);
            header::set_checksum(page);
        }
        self.read.fetch_add(pages.len() as u64, Relaxed);
        Ok(())
    }

    fn write_run(&self, _: &Ask<'_>, _: PageId, pages: &[&PageBytes], _: WriteReason) -> Result<(), IoFailure> {
        self.written.fetch_add(pages.len() as u64, Relaxed);
        Ok(())
    }
}

/// A source of chance: splitmix64.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Page numbers of which some are in favour.
struct Zipf {
    /// How likely the first n are, together.
    sums: Vec<f64>,
    chance: Chance,
}

impl Zipf {
    fn new(exponent: f64, seed: u64) -> Zipf {
        let mut sum = 0.0;
        let weights = (1..=DATA_PAGES).map(|rank| f64::from(rank).powf(-exponent));
        let sums = weights.map(|weight| {
            sum += weight;
            sum
        });
        Zipf { sums: sums.collect(), chance: Chance(seed) }
    }

    fn page(&mut self) -> u32 {
        let at = self.chance.share() * self.sums[self.sums.len() - 1];
        let rank = self.sums.partition_point(|&sum| sum <= at) as u32;
        // Neighbours in favour are not neighbours in the file: 7,919 is a prime that does not divide the pages.
        (u64::from(rank) * 7_919 % u64::from(DATA_PAGES)) as u32
    }
}

/// A pool under a policy, and what was asked for so far.
struct Rig<'a> {
    pool: &'a Pool,
    device: &'a MadeUpDevice,
    ask: &'a Ask<'a>,
    reads: u64,
    misses: u64,
}

impl Rig<'_> {
    /// A read that the hit ratio is about.
    fn read(&mut self, number: u32) {
        let before = self.device.read.load(Relaxed);
        drop(self.pool.shared(self.ask, data(number)).expect("readable"));
        self.note(before);
    }

    /// The same, and the page is changed.
    fn change(&mut self, number: u32) {
        let before = self.device.read.load(Relaxed);
        self.pool.exclusive(self.ask, data(number)).expect("readable")[200] = 1;
        self.note(before);
    }

    fn note(&mut self, device_reads_before: u64) {
        self.reads += 1;
        self.misses += self.device.read.load(Relaxed) - device_reads_before;
    }

    /// A read that is not counted.
    fn pass(&self, id: PageId) {
        drop(self.pool.shared(self.ask, id).expect("readable"));
    }
}

fn data(number: u32) -> PageId {
    PageId { db: DB, file: DATA, page: PageNo(number) }
}

/// Temporary tables that come and go, some pages at a time.
struct TempTables {
    /// Of each table when it is dropped.
    pages_max: u32,
    /// Of the one that there is.
    pages: u32,
}

impl TempTables {
    fn grow(&mut self, rig: &Rig<'_>) {
        let extent = |number| ExtentId { db: DB, file: TEMP, extent: ExtentNo(number) };
        drop(rig.pool.create(rig.ask, extent(self.pages / 8).page(self.pages % 8), PageKind::Data, 7).expect("memory"));
        self.pages += 1;
        if self.pages == self.pages_max {
            (0..self.pages).for_each(|page| rig.pass(extent(page / 8).page(page % 8)));
            (0..self.pages / 8).for_each(|number| rig.pool.discard(extent(number)));
            self.pages = 0;
        }
    }
}

type Step = Box<dyn FnMut(&mut Rig<'_>)>;

/// Each workload as a name and what makes one step of it.
fn workloads() -> Vec<(&'static str, Step)> {
    let zipf = |exponent| -> Step {
        let mut zipf = Zipf::new(exponent, 1);
        Box::new(move |rig| rig.read(zipf.page()))
    };
    let mut changed = Zipf::new(1.0, 2);
    let mut beside_scan = (Zipf::new(1.0, 3), (DATA_PAGES..2 * DATA_PAGES).cycle());
    let mut in_turn = (0..MEMORY_PAGES + MEMORY_PAGES / 10).cycle();
    let beside_tables = |pages_max| -> Step {
        let (mut zipf, mut tables) = (Zipf::new(1.0, 4), TempTables { pages_max, pages: 0 });
        Box::new(move |rig| {
            rig.read(zipf.page());
            (0..2).for_each(|_| tables.grow(rig));
        })
    };
    vec![
        ("zipf 0.9", zipf(0.9)),
        ("zipf 1.0", zipf(1.0)),
        ("zipf 1.1", zipf(1.1)),
        (
            "zipf 1.0, changes",
            Box::new(move |rig| {
                let page = changed.page();
                if changed.chance.next().is_multiple_of(5) { rig.change(page) } else { rig.read(page) }
            }),
        ),
        (
            "zipf 1.0 beside a scan",
            Box::new(move |rig| {
                rig.read(beside_scan.0.page());
                rig.pass(data(beside_scan.1.next().expect("a cycle")));
            }),
        ),
        ("loop", Box::new(move |rig| rig.read(in_turn.next().expect("a cycle")))),
        ("zipf 1.0 beside small temp tables", beside_tables(MEMORY_PAGES / 10)),
        ("zipf 1.0 beside large temp tables", beside_tables(2 * MEMORY_PAGES)),
    ]
}

fn run(name: &str, mut step: Step, eviction: EvictionPolicy) {
    let clock = Arc::new(SystemClock::new());
    let waits = Arc::new(WaitStats::new(clock.clone()));
    let device = Arc::new(MadeUpDevice::default());
    let max_bytes = u64::from(MEMORY_PAGES) * size_of::<PageBytes>() as u64;
    let pool = Pool::new(PoolConfig { eviction, ..PoolConfig::new(max_bytes, clock) }, device.clone(), waits);
    for file in [DATA, TEMP] {
        pool.attach_file(DB, file, Durability::Temporary);
    }
    let (task, object) = (Task::new(SessionId(51)), IoCount::default());
    let mut rig = Rig { pool: &pool, device: &device, ask: &Ask::new(&task, &object), reads: 0, misses: 0 };
    (0..WARM_UP_READS).for_each(|_| step(&mut rig));
    let before = pool.report();
    (rig.reads, rig.misses) = (0, 0);
    let written_before = device.written.load(Relaxed);
    (0..READS).for_each(|_| step(&mut rig));
    let after = pool.report();
    println!(
        "{name:<35}{:<10}{:>6.1} % hits {:>9} pages written {:>9} evictions",
        eviction.name(),
        100.0 - 100.0 * rig.misses as f64 / rig.reads as f64,
        device.written.load(Relaxed) - written_before,
        after.evictions - before.evictions,
    );
}

fn main() {
    let wanted = std::env::args().nth(1);
    let is_wanted = |policy: &&EvictionPolicy| wanted.as_deref().is_none_or(|name| name == policy.name());
    for number in 0..workloads().len() {
        for policy in EvictionPolicy::ALL.iter().filter(is_wanted) {
            let (name, step) = workloads().swap_remove(number);
            run(name, step, *policy);
        }
    }
}
