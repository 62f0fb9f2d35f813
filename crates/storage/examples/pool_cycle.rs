//! What the buffer pool costs per page, without a device: the life of a temporary table's pages, a hit, a miss.
//!
//! `cargo run --release -p millpond-storage --example pool_cycle [-- THREADS]`
//!
//! * *cycle*: 12,800 pages are created one by one, then discarded extent by extent; the
//!   table's memory is recycled as in the tempdb loop. Once with and once without 8,007 bytes written to each page: the
//!   difference is the memory's cost, the rest is the pool's share.
//! * *cycle in a tenth of the memory*: the same with pages that must be written to make room, to a device that takes no
//!   time: sweep, checksum and gathers are what is added.
//! * *hit*: the shared latch of a page in memory, in an order without pattern.
//! * *dependent visit*: 1 GB of pages of which each names the next, so that nothing can be fetched ahead; and the same chain
//!   through an array of places and plain memory, without latches and without huge pages.
//! * *hot set*: a scan of ten times the memory beside pages that were used before; how many of them are still there.
//! * *miss*: a pool a tenth as large as the pages it reads; the device is a copy from memory. What copy and checksum take
//!   without a pool is printed before it.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{
    DbId, ExtentId, ExtentNo, FileId, IoFailure, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo, SessionId,
    WriteReason,
};
use millpond_storage::page::header;
use millpond_storage::page_io::PageIo;
use millpond_storage::pool::{Durability, Pool, PoolConfig};
use millpond_storage::wait::WaitStats;

const DB: DbId = DbId(2);
const FILE: FileId = FileId(1);
const TABLE_PAGES: u32 = 12_800;
const RECORD_BYTES: usize = 8007;

/// A device that has every page of a small file in memory and forgets what is written.
struct CopyDevice {
    pages: Vec<Box<PageBytes>>,
}

impl CopyDevice {
    fn new(pages: u32) -> CopyDevice {
        let page = |number| {
            let mut bytes = Box::new([0; PAGE_BYTES]);
            header::init(&mut bytes, id(number), PageKind::Data, 1);
            header::set_checksum(&mut bytes);
            bytes
        };
        CopyDevice { pages: (0..pages).map(page).collect() }
    }
}

impl PageIo for CopyDevice {
    fn read_run(&self, _: &Ask<'_>, first: PageId, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure> {
        for (index, page) in pages.iter_mut().enumerate() {
            page.copy_from_slice(&self.pages[first.page.0 as usize + index][..]);
        }
        Ok(())
    }

    fn write_run(&self, _: &Ask<'_>, _: PageId, _: &[&PageBytes], _: WriteReason) -> Result<(), IoFailure> {
        Ok(())
    }
}

fn id(page: u32) -> PageId {
    PageId { db: DB, file: FILE, page: PageNo(page) }
}

fn pool(max_bytes: u64, pages_on_device: u32) -> Arc<Pool> {
    let clock = Arc::new(SystemClock::new());
    let waits = Arc::new(WaitStats::new(clock.clone()));
    let pool = Pool::new(PoolConfig::new(max_bytes, clock), Arc::new(CopyDevice::new(pages_on_device)), waits);
    pool.attach_file(DB, FILE, Durability::Temporary);
    pool
}

/// Nanoseconds per page of five rounds: the least and the median.
fn print(name: &str, pages: u64, mut rounds_ns: Vec<f64>) {
    rounds_ns.sort_by(f64::total_cmp);
    let per_page = |ns: f64| ns / pages as f64;
    println!(
        "{name:<44} {:8.1} ns/page  (least {:.1})",
        per_page(rounds_ns[rounds_ns.len() / 2]),
        per_page(rounds_ns[0])
    );
}

fn rounds(count: u32, mut round: impl FnMut()) -> Vec<f64> {
    round();
    (0..count).map(|_| time(&mut round)).collect()
}

fn time(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}

/// One table's life in extents from `first_extent` on.
fn cycle(pool: &Pool, ask: &Ask<'_>, first_extent: u32, record: Option<&[u8]>) {
    let extents = TABLE_PAGES / 8;
    for extent in (first_extent..first_extent + extents).map(|e| ExtentId { db: DB, file: FILE, extent: ExtentNo(e) }) {
        for index in 0..8 {
            fill(pool.create(ask, extent.page(index), PageKind::Data, 7).expect("memory"), record);
        }
    }
    for extent in first_extent..first_extent + extents {
        pool.discard(ExtentId { db: DB, file: FILE, extent: ExtentNo(extent) });
    }
}

fn fill(mut page: millpond_storage::pool::ExclusivePage<'_>, record: Option<&[u8]>) {
    match record {
        Some(record) => page[96..96 + record.len()].copy_from_slice(record),
        None => {
            black_box(&mut page[96]);
        }
    }
}

fn cycles(threads: u32) {
    let pool = pool(4 << 30, 1);
    let record = vec![b'x'; RECORD_BYTES];
    for (name, record) in
        [("cycle, nothing written", None), ("cycle, 8,007 bytes written to each page", Some(&record[..]))]
    {
        let (task, object) = (Task::new(SessionId(51)), IoCount::default());
        let ask = Ask::new(&task, &object);
        print(name, TABLE_PAGES.into(), rounds(9, || cycle(&pool, &ask, 0, record)));
        let all = rounds(5, || {
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    let pool = &pool;
                    scope.spawn(move || {
                        let (task, object) = (Task::new(SessionId(51 + thread as u16)), IoCount::default());
                        let ask = Ask::new(&task, &object);
                        for _ in 0..4 {
                            cycle(pool, &ask, thread * TABLE_PAGES / 8, record);
                        }
                    });
                }
            });
        });
        print(&format!("  the same, {threads} threads, wall"), u64::from(TABLE_PAGES * threads * 4), all);
    }
    let report = pool.report();
    assert_eq!((report.writes, report.database), (0, 0), "nothing written, nothing left");
}

/// The cycle with a tenth of the memory that the table needs.
fn overflow() {
    let pool = pool(10 << 20, 1);
    let record = vec![b'x'; RECORD_BYTES];
    let (task, object) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &object);
    let name = "cycle in a tenth of the memory, device free";
    print(name, TABLE_PAGES.into(), rounds(9, || cycle(&pool, &ask, 0, Some(&record))));
    let report = pool.report();
    let per_page = report.writes as f64 / report.created as f64;
    let gather = report.writes as f64 / report.write_ios as f64;
    println!("  {per_page:.2} pages written per page created, {gather:.1} pages a write");
}

fn memory_alone() {
    let record = vec![b'x'; RECORD_BYTES];
    let mut pages = vec![0u8; TABLE_PAGES as usize * PAGE_BYTES];
    let round = || {
        for page in pages.chunks_exact_mut(PAGE_BYTES) {
            page[96..96 + RECORD_BYTES].copy_from_slice(&record);
        }
        black_box(&mut pages);
    };
    print("8,007 bytes to pages of a plain vector", TABLE_PAGES.into(), rounds(9, round));
}

/// Page numbers in an order without pattern that visits all.
fn shuffled(pages: u32) -> impl Iterator<Item = u32> {
    (0..pages).map(move |n| (u64::from(n) * 7_919 % u64::from(pages)) as u32)
}

fn hits() {
    let pages = 12_800;
    let pool = pool(1 << 30, pages);
    let (task, object) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &object);
    let visit = |few: u32| {
        for page in shuffled(pages) {
            black_box(pool.shared(&ask, id(page % few)).expect("in memory")[0]);
        }
    };
    print("hit, 12,800 pages in turn", pages.into(), rounds(9, || visit(pages)));
    print("hit, 16 pages in turn", pages.into(), rounds(9, || visit(16)));
    let pin = pool.shared(&ask, id(1)).expect("in memory").pin();
    let pinned = || {
        for _ in 0..pages {
            black_box(pin.shared(&ask)[0]);
        }
    };
    print("hit by a pin", pages.into(), rounds(9, pinned));
}

/// Which page is named by which: one ring over all, in an order without pattern.
fn next_page(page: u32, pages: u32) -> u32 {
    (page.wrapping_mul(16_389).wrapping_add(12_345)) % pages
}

fn dependent_visits() {
    let pages = 1 << 17;
    let visits = 1_u32 << 20;
    let pool = pool(2 << 30, 1);
    let (task, object) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &object);
    for page in 0..pages {
        let mut bytes = pool.create(&ask, id(page), PageKind::Data, 7).expect("memory");
        bytes[96..100].copy_from_slice(&next_page(page, pages).to_le_bytes());
    }
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes[96..100].try_into().expect("4 bytes"));
    let walk = |visit: &dyn Fn(u32) -> u32| {
        black_box((0..visits).fold(0, |page, _| visit(page)));
    };
    let through_pool = |page| number(&pool.shared(&ask, id(page)).expect("in memory")[..]);
    let mut memory = vec![0_u8; pages as usize * PAGE_BYTES];
    // Frames are not in order of the pages there either.
    let places: Vec<u64> = (0..pages).map(|page| u64::from(page * 7_919 % pages)).collect();
    for page in 0..pages {
        let at = places[page as usize] as usize * PAGE_BYTES;
        memory[at + 96..at + 100].copy_from_slice(&next_page(page, pages).to_le_bytes());
    }
    let plain = |page: u32| number(&memory[places[page as usize] as usize * PAGE_BYTES..][..100]);
    // In turn, as the machine's other work disturbs both.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        ours.push(time(&mut || walk(&through_pool)));
        theirs.push(time(&mut || walk(&plain)));
    }
    print("dependent visit through the pool", visits.into(), ours);
    print("dependent visit of plain memory", visits.into(), theirs);
}

fn hot_set() {
    let pages = 12_800;
    let pool = pool(10 << 20, pages);
    let (task, object) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &object);
    // Half the memory, used again and again while other pages come and go: a page that was used once is no part of it.
    let hot = 640;
    for round in 0..20 {
        for page in 0..hot {
            black_box(pool.shared(&ask, id(page)).expect("readable")[0]);
        }
        for page in 0..200 {
            black_box(pool.shared(&ask, id(hot + (round * 200 + page) % 4_000)).expect("readable")[0]);
        }
    }
    for page in hot..pages {
        black_box(pool.shared(&ask, id(page)).expect("readable")[0]);
    }
    let before = pool.report().reads;
    for page in 0..hot {
        black_box(pool.shared(&ask, id(page)).expect("readable")[0]);
    }
    let missed = pool.report().reads - before;
    println!(
        "hot set after a scan of ten times the memory     {:.1} % still there",
        100.0 - 100.0 * missed as f64 / f64::from(hot)
    );
}

fn misses() {
    let pages = 12_800;
    let pool = pool(10 << 20, pages);
    let (task, object) = (Task::new(SessionId(51)), IoCount::default());
    let ask = Ask::new(&task, &object);
    let visit = || {
        for page in shuffled(pages) {
            black_box(pool.shared(&ask, id(page)).expect("readable")[0]);
        }
    };
    let device = CopyDevice::new(pages);
    let mut frames = vec![[0; PAGE_BYTES]; 1280];
    let without_pool = || {
        for (page, frame) in shuffled(pages).zip((0..1280).cycle()) {
            device.read_run(&ask, id(page), &mut [&mut frames[frame]]).expect("in memory");
            header::verify(&frames[frame], id(page)).expect("sound");
            black_box(frames[frame][0]);
        }
    };
    print("copy and checksum alone", pages.into(), rounds(9, without_pool));
    print("miss, copy and checksum included", pages.into(), rounds(9, visit));
    let change = || {
        for page in shuffled(pages) {
            pool.exclusive(&ask, id(page)).expect("readable")[200] = 1;
        }
    };
    print("miss, and the victim is dirty", pages.into(), rounds(9, change));
    println!("{:?}", pool.report());
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    memory_alone();
    cycles(threads);
    overflow();
    hits();
    dependent_visits();
    misses();
    hot_set();
}
