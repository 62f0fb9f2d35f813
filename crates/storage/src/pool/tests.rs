//! What the pool promises, one promise a test: pages survive eviction, freed pages are never written, neighbours become one
//! write, failures stay where they happen, memory shrinks and grows.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{IoFailure, PAGE_BYTES, PageBytes, PageId, PageKind, SessionId, WriteReason};
use crate::page::header::{PageDamage, set_free_data, set_slot_count};
use crate::pool::test_disk::{Bench, DB, DURABLE, FILE, Written, durable, extent, page, under, with_ask, write_stamp};
use crate::pool::{BufferDescriptor, EvictionPolicy, LogRule, PageRef, Pool, PoolError, fetch};
use crate::wait::WaitType;

#[test]
fn pages_beyond_memory_come_back_as_they_were() {
    let bench = Bench::new(64);
    with_ask(51, |ask| {
        (0..1000).for_each(|n| bench.create(ask, page(n), n.into()));
        for round in 0..2 {
            for n in 0..1000 {
                assert_eq!(bench.stamp(ask, page(n)).expect("readable"), u64::from(n) + round * 7);
                bench.stamp_page(bench.pool.exclusive(ask, page(n)).expect("readable"), u64::from(n) + round * 7 + 7);
            }
        }
        assert_eq!(ask.task.io.logical_reads.load(Relaxed), 4000);
        assert!(ask.task.io.physical_reads.load(Relaxed) > 1500);
    });
    bench.settle();
    let report = bench.pool.report();
    assert_eq!((report.target, report.total), (64, 64));
    assert!(report.lazy_writes > 2500 && report.lazy_writes == report.writes, "{report:?}");
    let waits = [WaitType::PAGEIOLATCH_SH, WaitType::PAGEIOLATCH_EX].map(|t| bench.waits.report_of(t).waits);
    assert!(waits[0] + waits[1] >= report.reads, "a wait for a page being written counts too");
}

/// The bug: a read-ahead that had looked its file up brought a page of it into memory after the file was detached. The next
/// file of that number had the page of the one before.
#[test]
fn no_page_comes_after_a_file_that_is_detached() {
    let bench = Bench::new(64);
    let (pool, id) = (&bench.pool, page(7));
    with_ask(51, |ask| {
        bench.create(ask, page(8), 8);
        let map = pool.buffers().files.attached(id.db, id.file).expect("attached");
        let (word, hold) = (map.word_or_map(id.page).expect("room"), pool.sweeper.take_frame(ask, id).expect("memory"));
        pool.detach_file(id.db, id.file);
        assert!(
            pool.buffers().install(ask, word, hold, id, crate::pool::policy::Arrival::Read).is_none(),
            "its file is gone"
        );
        assert_eq!(map.resident().count(), 0, "no page of it is in memory");
        let gone = |result: Result<_, PoolError>| matches!(result, Err(PoolError::Io(IoFailure::NoFile { .. })));
        assert!(gone(fetch::fault(&pool.sweeper, ask, word, id, crate::pool::buffers::Purpose::Read).map(drop)));
        assert!(gone(pool.create(ask, id, PageKind::Data, 1).map(drop)));
        pool.attach_file(id.db, id.file, crate::pool::Durability::Temporary);
        bench.create(ask, id, 7);
        assert_eq!(bench.stamp(ask, id).expect("made anew"), 7);
    });
    bench.settle();
}

#[test]
fn a_table_that_fits_is_never_written() {
    let bench = Bench::new(1000);
    with_ask(51, |ask| {
        for round in 0..20 {
            for n in 0..800 {
                bench.create(ask, page(n), round);
            }
            (0..100).for_each(|e| bench.discard(extent(e)));
        }
        assert_eq!(ask.task.io.pages_dirtied.load(Relaxed), 16_000);
    });
    let report = bench.pool.report();
    assert_eq!((report.created, report.discarded, report.discarded_dirty), (16_000, 16_000, 16_000));
    assert_eq!((report.database, report.dirty, report.reads), (0, 0, 0));
    assert!(report.total <= 1000, "frames are reused: {report:?}");
    assert_eq!(bench.disk.pages_written(), 0);
}

/// The disk panics when a freed page is written; here tables are larger than memory, so the lazy writer is always at work.
#[test]
fn memory_is_taken_as_pages_come() {
    let bench = Bench::new(100_000);
    assert_eq!(bench.pool.report().total, 0, "an idle pool has none");
    with_ask(51, |ask| {
        (0..100).for_each(|n| bench.create(ask, page(n), 1));
        assert_eq!(bench.pool.report().total, 256, "one chunk");
        (100..1000).for_each(|n| bench.create(ask, page(n), 1));
        assert_eq!(bench.pool.report().total, 1024);
        (0..125).for_each(|e| bench.discard(extent(e)));
        // Another session takes what the first one freed before it takes fresh memory.
        with_ask(52, |ask| (1000..1900).for_each(|n| bench.create(ask, page(n), 1)));
        assert_eq!(bench.pool.report().total, 1024);
    });
}

#[test]
fn freed_pages_are_not_written_under_pressure_either() {
    let bench = Bench::new(64);
    with_ask(51, |ask| {
        for round in 0..50 {
            (0..200).for_each(|n| bench.create(ask, page(n), round));
            (0..25).for_each(|e| bench.discard(extent(e)));
        }
    });
    assert!(bench.disk.pages_written() <= 50 * 200, "at most one byte for each byte inserted");
}

#[test]
fn discarding_waits_for_a_write_under_way() {
    let bench = Bench::new(64);
    with_ask(51, |ask| {
        bench.create(ask, page(8), 1);
        std::thread::scope(|scope| {
            let gate = bench.disk.gate.lock();
            scope.spawn(|| with_ask(52, |ask| bench.pool.eager_write(ask, &[page(8)]).expect("written")));
            while !bench.pool.buffers().states().any(|(_, state)| state.io.load(Relaxed)) {
                std::thread::yield_now();
            }
            let discarder = scope.spawn(|| bench.discard(extent(1)));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!discarder.is_finished(), "the page is being written");
            drop(gate);
        });
        bench.create(ask, page(8), 2);
        assert_eq!(bench.stamp(ask, page(8)).expect("created"), 2);
    });
}

fn runs(bench: &Bench) -> Vec<(u32, usize)> {
    bench.disk.writes.lock().drain(..).map(|w| (w.first.page.0, w.count)).collect()
}

#[test]
fn neighbours_become_one_write() {
    let bench = Bench::new(256);
    with_ask(51, |ask| {
        for n in (100..140).chain(200..204).chain([300]) {
            bench.create(ask, durable(n), n.into());
        }
        assert_eq!(bench.pool.flush(ask, DB, WriteReason::Checkpoint).expect("written"), 45);
        assert_eq!(runs(&bench), [(100, 32), (132, 8), (200, 4), (300, 1)]);
        assert_eq!(bench.pool.flush(ask, DB, WriteReason::Checkpoint).expect("nothing to write"), 0);

        // Clean pages, and pages that are held, are where a gather stops.
        for n in [110, 111, 112, 114, 115] {
            bench.create(ask, durable(n), 0);
        }
        assert_eq!(bench.pool.eager_write(ask, &[durable(111)]).expect("written"), 3);
        let held = bench.pool.shared(ask, durable(115)).expect("in memory");
        assert_eq!(bench.pool.eager_write(ask, &[durable(114)]).expect("written"), 1);
        drop(held);
        assert_eq!(runs(&bench), [(110, 3), (114, 1)]);
    });
}

#[test]
fn remains_of_other_pages_do_not_reach_a_file() {
    let bench = Bench::new(64);
    with_ask(51, |ask| {
        let mut page = bench.pool.create(ask, durable(1), PageKind::Data, 1).expect("memory");
        page[96..].fill(0xEE);
        set_slot_count(&mut page, 3);
        set_free_data(&mut page, 500);
        drop(page);
        bench.pool.flush(ask, DB, WriteReason::Checkpoint).expect("written");
        bench.pool.drop_clean();
        let page = bench.pool.shared(ask, durable(1)).expect("readable");
        assert!(page[96..500].iter().chain(&page[PAGE_BYTES - 6..]).all(|&byte| byte == 0xEE), "rows and slots");
        assert!(page[500..PAGE_BYTES - 6].iter().all(|&byte| byte == 0));
    });
}

#[test]
fn a_cancelled_task_does_not_wait_for_memory() {
    let bench = Bench::new(64);
    bench.disk.room_until.store(0, Relaxed);
    with_ask(51, |ask| {
        let held: Vec<_> =
            (0..64).map(|n| bench.pool.create(ask, page(n), PageKind::Data, 1).expect("memory")).collect();
        ask.task.cancel();
        assert!(matches!(bench.stamp(ask, page(99)), Err(PoolError::NoMemory { .. })));
        drop(held);
    });
    assert_eq!(bench.waits.report_of(WaitType::MEMORY_ALLOCATION_EXT).waits, 0);
}

#[test]
fn lazy_writes_gather_too_and_are_charged_to_the_pages_owner() {
    let bench = Bench::new(64);
    with_ask(77, |ask| (0..512).for_each(|n| bench.create(ask, page(n), n.into())));
    let writes = bench.disk.writes.lock();
    assert!(writes.iter().all(|w| w.reason == WriteReason::Lazy && w.session == SessionId(77)));
    let pages: usize = writes.iter().map(|w: &Written| w.count).sum();
    assert!(pages >= writes.len() * 4, "{} writes of {pages} pages", writes.len());
    assert!(writes.iter().all(|w| w.count <= 32));
}

/// Pages of two sessions that have no neighbours: what makes room is written together, and each owner pays for its own.
#[test]
fn victims_of_tempdb_are_written_together_each_for_its_owner() {
    let bench = Bench::new(64);
    for n in 0..256 {
        with_ask(70 + (n % 2) as u16, |ask| bench.create(ask, page(2 * n), n.into()));
    }
    let most = bench.disk.batches.lock().iter().copied().max();
    assert!(most >= Some(4), "{most:?} runs at a time");
    let writes = bench.disk.writes.lock();
    assert!(writes.iter().all(|w| w.count == 1 && w.session == SessionId(70 + (w.first.page.0 / 2 % 2) as u16)));
    assert!(writes.len() >= 256 - 64);
}

#[test]
fn a_checkpoint_leaves_temporary_pages_and_other_databases_alone() {
    let bench = Bench::new(256);
    with_ask(51, |ask| {
        bench.create(ask, page(1), 1);
        bench.create(ask, durable(1), 1);
        assert_eq!(bench.pool.flush(ask, crate::contract::DbId(9), WriteReason::Checkpoint).expect("nothing"), 0);
        assert_eq!(bench.pool.flush(ask, DB, WriteReason::Checkpoint).expect("written"), 1);
        assert_eq!(bench.disk.writes.lock()[0].first, durable(1));
        assert_eq!(bench.pool.report().dirty, 1);
    });
}

struct CountingRule {
    calls: AtomicU64,
    durable_until: AtomicU64,
}

impl LogRule for CountingRule {
    fn make_log_durable(&self, id: PageId, _: &PageBytes) -> Result<(), IoFailure> {
        self.calls.fetch_add(1, Relaxed);
        if u64::from(id.page.0) < self.durable_until.load(Relaxed) {
            Ok(())
        } else {
            Err(IoFailure::NoSpace { page: id })
        }
    }
}

#[test]
fn the_log_comes_before_a_durable_page_and_temporary_pages_have_none() {
    let bench = Bench::new(256);
    let rule = Arc::new(CountingRule { calls: AtomicU64::new(0), durable_until: AtomicU64::new(12) });
    bench.pool.set_log_rule(rule.clone());
    with_ask(51, |ask| {
        (10..15).for_each(|n| bench.create(ask, durable(n), 5));
        bench.create(ask, page(1), 5);
        assert_eq!(bench.pool.eager_write(ask, &[page(1)]).expect("no log needed"), 1);
        assert_eq!(rule.calls.load(Relaxed), 0);
        assert!(bench.pool.flush(ask, DB, WriteReason::Checkpoint).is_err());
        assert_eq!((bench.disk.stamp(durable(11)), bench.disk.stamp(durable(12))), (Some(5), None));
        rule.durable_until.store(100, Relaxed);
        assert_eq!(bench.pool.flush(ask, DB, WriteReason::Checkpoint).expect("log is durable"), 3);
    });
}

#[test]
fn a_failed_read_is_reported_and_leaves_nothing() {
    let bench = Bench::new(64);
    bench.disk.put(page(5), 55);
    with_ask(51, |ask| {
        bench.disk.fail_reads.store(1, Relaxed);
        assert!(matches!(bench.stamp(ask, page(5)), Err(PoolError::Io(IoFailure::System { .. }))));
        bench.disk.fail_reads.store(0, Relaxed);
        assert_eq!(bench.stamp(ask, page(5)).expect("readable now"), 55);
        assert!(matches!(bench.stamp(ask, page(6)), Err(PoolError::Io(IoFailure::NoFile { .. }))));
        let nowhere = PageId { file: crate::contract::FileId(9), ..page(5) };
        assert!(matches!(bench.stamp(ask, nowhere), Err(PoolError::Io(IoFailure::NoFile { page })) if page == nowhere));
        let far = bench.stamp(ask, page(u32::MAX));
        assert!(matches!(far, Err(PoolError::Io(IoFailure::NoFile { .. }))), "{far:?}");
    });
    assert_eq!(bench.pool.report().database, 1);
}

#[test]
fn a_damaged_page_is_not_believed() {
    let bench = Bench::new(64);
    bench.disk.put(page(5), 55);
    bench.disk.damage(page(5));
    with_ask(51, |ask| {
        let error = bench.stamp(ask, page(5)).expect_err("damaged");
        assert!(matches!(error, PoolError::Damaged(PageDamage::Checksum { expected, .. }) if expected == page(5)));
        bench.pool.read_ahead(ask, page(5), 1);
        assert!(bench.stamp(ask, page(5)).is_err());
    });
    assert_eq!(bench.pool.report().database, 0);
}

#[test]
fn pages_without_room_on_the_device_stay_and_others_go() {
    let bench = Bench::new(64);
    bench.disk.room_until.store(1000, Relaxed);
    with_ask(51, |ask| {
        (1000..1020).for_each(|n| bench.create(ask, page(n), n.into()));
        (0..500).for_each(|n| bench.create(ask, page(n), n.into()));
        for n in (0..500).chain(1000..1020) {
            assert_eq!(bench.stamp(ask, page(n)).expect("in memory or written"), n.into());
        }
        assert!((1000..1020).all(|n| bench.disk.stamp(page(n)).is_none()));
    });
}

#[test]
fn a_gather_that_meets_the_end_of_the_room_writes_what_has_its_place() {
    let bench = Bench::new(64);
    bench.disk.room_until.store(15, Relaxed);
    with_ask(51, |ask| {
        (10..20).for_each(|n| bench.create(ask, page(n), n.into()));
        assert_eq!(bench.pool.eager_write(ask, &[page(12)]).expect("five have room"), 5);
        assert!(matches!(
            bench.pool.eager_write(ask, &[page(17)]),
            Err(PoolError::Io(IoFailure::NoSpace { page: first })) if first == page(15) || first == page(19)
        ));
    });
    assert_eq!(bench.pool.report().dirty, 5);
}

#[test]
fn memory_full_of_pages_that_cannot_go_is_an_error_and_recovers() {
    let bench = Bench::new(64);
    bench.disk.room_until.store(0, Relaxed);
    with_ask(51, |ask| {
        (0..64).for_each(|n| bench.create(ask, page(n), n.into()));
        let error = bench.pool.create(ask, page(64), PageKind::Data, 1).expect_err("nothing can go");
        assert!(matches!(error, PoolError::NoMemory { page: wanted } if wanted == page(64)));
        bench.discard(extent(3));
        bench.create(ask, page(64), 64);
        for n in (0..24).chain(32..65) {
            assert_eq!(bench.stamp(ask, page(n)).expect("in memory"), n.into());
        }
    });
}

#[test]
fn a_pinned_page_stays_and_is_latched_without_a_look_up() {
    let bench = Bench::new(64);
    with_ask(51, |ask| {
        let mut pins: Vec<PageRef> = Vec::new();
        for n in 0..20 {
            bench.create(ask, page(n), n.into());
            pins.push(bench.pool.shared(ask, page(n)).expect("in memory").pin());
        }
        (100..600).for_each(|n| bench.create(ask, page(n), n.into()));
        assert!(bench.disk.writes.lock().iter().all(|w| w.first.page.0 >= 100), "its owner is still filling it");
        for (n, pin) in pins.iter_mut().enumerate() {
            assert_eq!(pin.id(), page(n as u32));
            bench.stamp_page(pin.exclusive(ask), 1000 + n as u64);
            assert_eq!(crate::pool::test_disk::read_stamp(&pin.shared(ask)), 1000 + n as u64);
            let next = bench.pool.create(ask, page(50 + n as u32), PageKind::Data, 1).expect("memory");
            pin.move_to(&next);
            bench.stamp_page(next, n as u64);
        }
        (100..600).for_each(|n| bench.create(ask, page(n), n.into()));
        assert!((0..20).all(|n| bench.stamp(ask, page(n)).expect("written") == 1000 + u64::from(n)));
        assert!(pins.iter().enumerate().all(|(n, pin)| pin.id() == page(50 + n as u32)));
        drop(pins);
        bench.discard(extent(6));
        bench.settle();
    });
}

#[test]
#[should_panic(expected = "is pinned and cannot be discarded")]
fn discarding_a_pinned_page_is_a_broken_assumption() {
    let bench = Bench::new(64);
    with_ask(51, |ask| {
        let _pin = bench.pool.create(ask, page(9), PageKind::Data, 1).expect("memory").pin();
        bench.pool.discard(extent(1));
    });
}

#[test]
fn memory_shrinks_and_grows_with_its_pages_intact() {
    let bench = Bench::new(1500);
    with_ask(51, |ask| {
        (0..1500).for_each(|n| bench.create(ask, page(n), n.into()));
        let pinned = bench.pool.shared(ask, page(700)).expect("in memory").pin();
        let left = bench.pool.set_max_bytes(300 * PAGE_BYTES as u64);
        assert_eq!(left, 300 * PAGE_BYTES as u64);
        let report = bench.pool.report();
        assert_eq!((report.target, report.total), (300, 300));
        assert!(report.database <= 300 && report.lazy_writes >= 1200);
        assert_eq!(pinned.id(), page(700));
        (0..1500).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("readable"), n.into()));
        assert!(bench.pool.set_max_bytes(2000 * PAGE_BYTES as u64) <= 2000 * PAGE_BYTES as u64);
        (0..1500).for_each(|n| bench.create(ask, page(n), u64::from(n) + 1));
        assert_eq!(bench.pool.report().database, 1500);
        (0..1500).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("readable"), u64::from(n) + 1));
        assert_eq!(bench.pool.set_max_bytes(0), 256 * PAGE_BYTES as u64, "the pinned page holds its chunk");
        drop(pinned);
        assert_eq!(bench.pool.set_max_bytes(0), Pool::MIN_BYTES);
    });
}

#[test]
fn what_cannot_leave_keeps_its_memory_when_the_pool_shrinks() {
    let bench = Bench::new(512);
    with_ask(51, |ask| {
        (0..512).for_each(|n| bench.create(ask, page(n), n.into()));
        bench.disk.room_until.store(0, Relaxed);
        assert_eq!(bench.pool.set_max_bytes(256 * PAGE_BYTES as u64), 512 * PAGE_BYTES as u64);
        (0..512).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("in memory"), n.into()));
        bench.disk.room_until.store(u64::MAX, Relaxed);
        assert_eq!(bench.pool.set_max_bytes(256 * PAGE_BYTES as u64), 256 * PAGE_BYTES as u64);
        (0..512).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("written"), n.into()));
    });
}

#[test]
fn clean_pages_can_be_dropped() {
    let bench = Bench::new(256);
    with_ask(51, |ask| {
        (0..50).for_each(|n| bench.disk.put(page(n), n.into()));
        (0..50).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("readable"), n.into()));
        (100..120).for_each(|n| bench.create(ask, page(n), 0));
        assert_eq!(bench.pool.drop_clean(), 50);
        let report = bench.pool.report();
        assert_eq!((report.database, report.dirty, report.reads), (20, 20, 50));
        (0..50).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("readable"), n.into()));
        assert_eq!(bench.pool.report().reads, 100);
    });
}

#[test]
fn read_ahead_reads_in_large_runs_and_the_scan_finds_the_pages() {
    let bench = Bench::new(1024);
    with_ask(51, |ask| {
        (0..200).for_each(|n| bench.disk.put(page(n), n.into()));
        assert_eq!(bench.stamp(ask, page(70)).expect("readable"), 70);
        bench.pool.read_ahead(ask, page(0), 200);
        assert_eq!(ask.task.io.read_ahead_reads.load(Relaxed), 199);
        while bench.pool.report().read_ahead < 199 {
            std::thread::yield_now();
        }
        (0..200).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("readable"), n.into()));
        let mut runs: Vec<_> = bench.disk.reads.lock().iter().map(|(first, count)| (first.page.0, *count)).collect();
        runs.sort_unstable();
        assert_eq!(runs, [(0, 64), (64, 64), (70, 1), (128, 64), (192, 8)], "page 70 is read over");
        assert_eq!(bench.pool.report().reads, 1);
        // Beyond the end of the file it fails silently; a read gets the error.
        bench.pool.read_ahead(ask, page(195), 20);
        assert!(bench.stamp(ask, page(205)).is_err());
    });
}

#[test]
fn a_read_of_pages_together_has_them_then_and_is_charged_the_wait() {
    let bench = Bench::new(1024);
    with_ask(51, |ask| {
        (0..100).for_each(|n| bench.disk.put(page(n), n.into()));
        assert_eq!(bench.stamp(ask, page(70)).expect("readable"), 70);
        let waits = |bench: &Bench| bench.waits.report_of(WaitType::PAGEIOLATCH_SH).waits;
        let before = waits(&bench);
        bench.pool.read_together(ask, page(10), 70);
        let runs: Vec<_> = bench.disk.reads.lock().iter().map(|(first, count)| (first.page.0, *count)).collect();
        assert_eq!(runs, [(70, 1), (10, 64), (74, 6)]);
        bench.pool.read_together(ask, page(20), 50);
        assert_eq!((bench.disk.reads.lock().len(), waits(&bench) - before), (3, 1), "they are there");
        (10..80).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("in memory"), n.into()));
        assert_eq!(ask.task.io.read_ahead_reads.load(Relaxed), 69);
    });
}

#[test]
fn a_read_goes_over_a_few_pages_that_are_in_memory_and_leaves_them_as_they_are() {
    let bench = Bench::new(1024);
    with_ask(51, |ask| {
        (0..60).for_each(|n| bench.disk.put(page(n), n.into()));
        // Four at a time are read over, five are not, and no read ends with some.
        let resident = || (10..14).chain([16]).chain(30..35).chain(56..60);
        resident().for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("readable"), n.into()));
        bench.disk.reads.lock().clear();
        resident().for_each(|n| bench.disk.put(page(n), 1000 + u64::from(n)));
        bench.pool.read_together(ask, page(0), 60);
        let runs: Vec<_> = bench.disk.reads.lock().iter().map(|(first, count)| (first.page.0, *count)).collect();
        assert_eq!(runs, [(0, 30), (35, 21)]);
        (0..60).for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("in memory"), n.into()));
        assert_eq!((bench.disk.reads.lock().len(), ask.task.io.read_ahead_reads.load(Relaxed)), (2, 46));
    });
}

#[test]
fn latch_waits_are_charged_by_purpose_with_their_page() {
    let bench = Bench::new(64);
    with_ask(51, |ask| {
        bench.create(ask, page(1), 1);
        type Latch = fn(&Bench, &Ask<'_>);
        let purposes: [(WaitType, Latch); 3] = [
            (WaitType::PAGELATCH_SH, |b, ask| drop(b.pool.shared(ask, page(1)))),
            (WaitType::PAGELATCH_EX, |b, ask| drop(b.pool.exclusive(ask, page(1)))),
            (WaitType::PAGELATCH_UP, |b, ask| drop(b.pool.update(ask, page(1)))),
        ];
        for (wait_type, latch) in purposes {
            let held = bench.pool.exclusive(ask, page(1)).expect("in memory");
            let task = Task::new(SessionId(52));
            std::thread::scope(|scope| {
                let (bench, task) = (&bench, &task);
                scope.spawn(move || latch(bench, &Ask::new(task, &IoCount::default())));
                while task.wait_type.load(Relaxed) == 0 {
                    std::thread::yield_now();
                }
                assert_eq!(WaitType::from_task_field(task.wait_type.load(Relaxed)), Some(wait_type));
                assert_eq!(PageId::from_bits(task.wait_resource.load(Relaxed)), page(1));
                drop(held);
            });
            assert_eq!(bench.waits.report_of(wait_type).waits, 1);
        }
    });
}

#[test]
fn detached_files_are_forgotten_unwritten() {
    let bench = Bench::new(256);
    with_ask(51, |ask| {
        (0..100).for_each(|n| bench.create(ask, page(n), 1));
        bench.create(ask, durable(1), 1);
        bench.pool.detach_file(DB, FILE);
        assert_eq!((bench.pool.report().database, bench.disk.pages_written()), (1, 0));
        assert!(matches!(bench.pool.shared(ask, page(1)).err(), Some(PoolError::Io(IoFailure::NoFile { .. }))));
        assert!(bench.pool.create(ask, page(1), PageKind::Data, 1).is_err());
        bench.disk.put(page(1), 9);
        bench.pool.attach_file(DB, FILE, crate::pool::Durability::Temporary);
        assert_eq!(bench.stamp(ask, page(1)).expect("from the device"), 9);
        bench.pool.detach_file(DB, DURABLE);
        assert_eq!(bench.disk.pages_written(), 0);
    });
}

#[test]
fn descriptors_tell_what_is_in_memory() {
    let bench = Bench::new(64);
    bench.disk.put(page(3), 0);
    with_ask(51, |ask| {
        let mut created = bench.pool.create(ask, page(8), PageKind::Iam, 4711).expect("memory");
        set_slot_count(&mut created, 2);
        drop(created);
        bench.stamp(ask, page(3)).expect("readable");
        let held = bench.pool.exclusive(ask, page(3)).expect("in memory");
        let mut descriptors = bench.pool.descriptors();
        descriptors.sort_by_key(|d| d.page);
        assert_eq!((descriptors.len(), descriptors[0].page, descriptors[0].kind), (2, page(3), None));
        let expected = BufferDescriptor {
            page: page(8),
            kind: Some(PageKind::Iam),
            object_id: 4711,
            index_id: Some(0),
            level: 0,
            rows: 2,
            free_bytes: 8096,
            is_modified: true,
            read_us: 0,
            is_in_extension: false,
        };
        assert_eq!(descriptors[1], expected);
        drop(held);
        assert!(!bench.pool.descriptors().iter().any(|d| d.page == page(3) && d.is_modified));
    });
}

#[test]
fn creating_a_page_that_is_in_memory_starts_it_anew() {
    let bench = Bench::new(64);
    bench.disk.put(page(3), 1);
    with_ask(51, |ask| {
        bench.stamp(ask, page(3)).expect("readable");
        bench.create(ask, page(3), 2);
        assert_eq!(bench.stamp(ask, page(3)).expect("in memory"), 2);
        let mut held = bench.pool.exclusive(ask, page(3)).expect("in memory");
        write_stamp(&mut held, 3);
        let shared = held.downgrade();
        assert_eq!(
            crate::pool::test_disk::read_stamp(&bench.pool.shared(ask, page(3)).expect("shared with the other")),
            3
        );
        drop(shared);
        assert_eq!(bench.pool.report().database, 1);
    });
}

#[test]
fn a_dropped_pool_ends_its_threads_and_writes_nothing() {
    let bench = Bench::new(64);
    with_ask(51, |ask| {
        (0..10).for_each(|n| bench.create(ask, page(n), 1));
        bench.pool.read_ahead(ask, page(100), 8);
    });
    let (pool, disk) = (Arc::downgrade(&bench.pool), bench.disk.clone());
    drop(bench);
    while pool.strong_count() > 0 {
        std::thread::yield_now();
    }
    assert_eq!(disk.pages_written(), 0);
}

/// Which page goes is the policy's business; none of the promises is. (The default has had them above.)
#[test]
fn every_promise_is_kept_under_each_other_policy() {
    let promises: &[fn()] = &[
        pages_beyond_memory_come_back_as_they_were,
        no_page_comes_after_a_file_that_is_detached,
        a_table_that_fits_is_never_written,
        memory_is_taken_as_pages_come,
        freed_pages_are_not_written_under_pressure_either,
        discarding_waits_for_a_write_under_way,
        neighbours_become_one_write,
        remains_of_other_pages_do_not_reach_a_file,
        a_cancelled_task_does_not_wait_for_memory,
        lazy_writes_gather_too_and_are_charged_to_the_pages_owner,
        victims_of_tempdb_are_written_together_each_for_its_owner,
        a_checkpoint_leaves_temporary_pages_and_other_databases_alone,
        the_log_comes_before_a_durable_page_and_temporary_pages_have_none,
        a_failed_read_is_reported_and_leaves_nothing,
        a_damaged_page_is_not_believed,
        pages_without_room_on_the_device_stay_and_others_go,
        a_gather_that_meets_the_end_of_the_room_writes_what_has_its_place,
        memory_full_of_pages_that_cannot_go_is_an_error_and_recovers,
        a_pinned_page_stays_and_is_latched_without_a_look_up,
        memory_shrinks_and_grows_with_its_pages_intact,
        what_cannot_leave_keeps_its_memory_when_the_pool_shrinks,
        clean_pages_can_be_dropped,
        read_ahead_reads_in_large_runs_and_the_scan_finds_the_pages,
        a_read_of_pages_together_has_them_then_and_is_charged_the_wait,
        latch_waits_are_charged_by_purpose_with_their_page,
        detached_files_are_forgotten_unwritten,
        descriptors_tell_what_is_in_memory,
        creating_a_page_that_is_in_memory_starts_it_anew,
        a_dropped_pool_ends_its_threads_and_writes_nothing,
    ];
    for policy in EvictionPolicy::ALL.iter().filter(|policy| **policy != EvictionPolicy::default()) {
        promises.iter().for_each(|promise| under(*policy, promise));
    }
}
