//! The pool against a model, first step by step with generated steps, then under threads.
//!
//! The model of a page is the stamp that it must have; in the threaded runs it is changed under the page's exclusive
//! latch, so a thread that holds the latch, shared or exclusive, must find exactly the model's stamp: a lost write, a
//! stale read from the device, a torn page or another page's bytes all show. Private extents come and go meanwhile, and
//! the disk panics when a freed page is written or a page is in two I/Os at once. All of it under each eviction policy:
//! which page goes is a policy's business, that none is lost is not.

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use proptest::prelude::*;

use crate::ask::Ask;
use crate::contract::{PAGE_BYTES, PageId, PageKind, WriteReason};
use crate::pool::EvictionPolicy;
use crate::pool::test_disk::{
    Bench, DB, durable, extent, page, read_stamp, under, under_each_policy, with_ask, write_stamp,
};

/// What may happen to a pool.
#[derive(Clone, Copy, Debug)]
enum Step {
    Create(u32),
    Change(u32),
    Read(u32),
    Discard(u32),
    Flush,
    EagerWrite(u32),
    DropClean,
    ReadAhead(u32),
    Resize(u64),
    FailReads(bool),
    FailWrites(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let page = 0..400u32;
    prop_oneof![
        8 => page.clone().prop_map(Step::Create),
        8 => page.clone().prop_map(Step::Change),
        8 => page.clone().prop_map(Step::Read),
        3 => (0..50u32).prop_map(Step::Discard),
        1 => Just(Step::Flush),
        2 => page.clone().prop_map(Step::EagerWrite),
        1 => Just(Step::DropClean),
        1 => page.prop_map(Step::ReadAhead),
        1 => (64..400u64).prop_map(Step::Resize),
        1 => any::<bool>().prop_map(Step::FailReads),
        1 => any::<bool>().prop_map(Step::FailWrites),
    ]
}

/// Even pages are durable, odd ones temporary; so runs of neighbours are mixed with holes in both files.
fn place(number: u32) -> PageId {
    if (number / 8).is_multiple_of(2) { durable(number) } else { page(number) }
}

struct Walk {
    bench: Bench,
    model: HashMap<PageId, u64>,
    stamp: u64,
}

impl Walk {
    fn take(&mut self, ask: &Ask<'_>, step: Step) {
        self.stamp += 1;
        let pool = &self.bench.pool;
        match step {
            Step::Create(number) => {
                self.bench.create(ask, place(number), self.stamp);
                self.model.insert(place(number), self.stamp);
            }
            Step::Change(number) => self.change(ask, place(number)),
            Step::Read(number) => self.read(ask, place(number)),
            Step::Discard(number) => self.discard(number),
            // Failures are the device's; the pages stay dirty, which the reads below find out.
            Step::Flush => drop(pool.flush(ask, DB, WriteReason::Checkpoint)),
            Step::EagerWrite(number) => drop(pool.eager_write(ask, &[place(number)])),
            Step::DropClean => drop(pool.drop_clean()),
            Step::ReadAhead(number) => pool.read_ahead(ask, place(number), 16),
            Step::Resize(frames) => drop(pool.set_max_bytes(frames * PAGE_BYTES as u64)),
            Step::FailReads(fails) => self.bench.disk.fail_reads.store(u32::from(fails) * 3, Relaxed),
            Step::FailWrites(fails) => self.bench.disk.fail_writes.store(u32::from(fails) * 3, Relaxed),
        }
    }

    fn change(&mut self, ask: &Ask<'_>, id: PageId) {
        let Some(stamp) = self.model.get_mut(&id) else { return };
        if let Ok(mut page) = self.bench.pool.exclusive(ask, id) {
            assert_eq!(read_stamp(&page), *stamp);
            write_stamp(&mut page, self.stamp);
            *stamp = self.stamp;
        }
    }

    fn read(&self, ask: &Ask<'_>, id: PageId) {
        let expected = self.model.get(&id);
        match (self.bench.stamp(ask, id), expected) {
            (Ok(stamp), Some(&expected)) => assert_eq!(stamp, expected, "page {id}"),
            (Err(_), Some(_)) => assert!(self.bench.disk.fail_reads.load(Relaxed) > 0, "page {id} is lost"),
            // What a freed page has on the device does not matter.
            (_, None) => {}
        }
    }

    fn discard(&mut self, number: u32) {
        let first = place(number * 8);
        self.bench.discard(crate::contract::ExtentId { file: first.file, ..extent(number) });
        for n in 0..8 {
            self.model.remove(&place(number * 8 + n));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60 * EvictionPolicy::ALL.len() as u32, ..ProptestConfig::default() })]

    #[test]
    fn the_pool_is_a_map_from_pages_to_stamps(
        steps in proptest::collection::vec(step(), 1..400),
        policy in proptest::sample::select(EvictionPolicy::ALL),
    ) {
        let bench = under(policy, || Bench::new(64));
        let mut walk = Walk { bench, model: HashMap::new(), stamp: 0 };
        with_ask(51, |ask| {
            steps.into_iter().for_each(|step| walk.take(ask, step));
            walk.take(ask, Step::FailReads(false));
            walk.take(ask, Step::FailWrites(false));
            (0..400).for_each(|number| walk.read(ask, place(number)));
        });
        walk.bench.settle();
    }
}

/// Pages that all threads share, from number 0 on in both files.
const SHARED_PAGES: u32 = 160;
/// Private extents of a thread, after them.
const EXTENTS_OF_THREAD: u32 = 6;

/// A source of chance: splitmix64.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % u64::from(bound)) as u32
    }
}

struct Arena {
    bench: Bench,
    model: Vec<AtomicU64>,
}

impl Arena {
    fn new(frames: u64) -> Arena {
        let bench = Bench::new(frames);
        bench.disk.slow.store(true, Relaxed);
        let model = (0..SHARED_PAGES).map(|_| AtomicU64::new(1)).collect();
        with_ask(51, |ask| (0..SHARED_PAGES).for_each(|n| bench.create(ask, place(n), 1)));
        Arena { bench, model }
    }

    fn read(&self, ask: &Ask<'_>, number: u32) {
        if let Ok(page) = self.bench.pool.shared(ask, place(number)) {
            assert_eq!(read_stamp(&page), self.model[number as usize].load(Relaxed), "page {number}");
        }
    }

    fn change(&self, ask: &Ask<'_>, number: u32) {
        if let Ok(mut page) = self.bench.pool.exclusive(ask, place(number)) {
            let stamp = self.model[number as usize].load(Relaxed);
            assert_eq!(read_stamp(&page), stamp, "page {number}");
            write_stamp(&mut page, stamp + 1);
            self.model[number as usize].store(stamp + 1, Relaxed);
        }
    }

    /// Holds two pages at once, as threads do that follow a chain; in the order of their numbers, so that only the pool
    /// itself could make two of them wait for each other.
    fn change_pair(&self, ask: &Ask<'_>, numbers: [u32; 2]) {
        let (low, high) = (numbers[0].min(numbers[1]), numbers[0].max(numbers[1]));
        let Ok(mut first) = self.bench.pool.exclusive(ask, place(low)) else { return };
        if low != high {
            self.change(ask, high);
        }
        let stamp = self.model[low as usize].load(Relaxed);
        assert_eq!(read_stamp(&first), stamp, "page {low}");
        write_stamp(&mut first, stamp + 1);
        self.model[low as usize].store(stamp + 1, Relaxed);
    }

    fn change_pinned(&self, ask: &Ask<'_>, number: u32, turns: u32) {
        let Ok(page) = self.bench.pool.shared(ask, place(number)) else { return };
        let pin = page.pin();
        drop(page);
        for _ in 0..turns {
            let mut page = pin.exclusive(ask);
            assert_eq!(page.id(), place(number));
            let stamp = self.model[number as usize].load(Relaxed);
            assert_eq!(read_stamp(&page), stamp, "page {number}");
            write_stamp(&mut page, stamp + 1);
            self.model[number as usize].store(stamp + 1, Relaxed);
        }
    }

    /// A temporary table's life: some extents are filled, read back, and freed.
    fn live_as_table(&self, ask: &Ask<'_>, thread: u32, stamp: u64) {
        let first = 100 + thread * EXTENTS_OF_THREAD;
        for number in first..first + EXTENTS_OF_THREAD {
            for n in 0..8 {
                self.bench.disk.freed.lock().remove(&extent(number).page(n));
            }
            for id in (0..8).map(|n| extent(number).page(n)) {
                let mut page = self.bench.pool.create(ask, id, PageKind::Data, 1).expect("memory");
                write_stamp(&mut page, stamp);
            }
        }
        for number in first..first + EXTENTS_OF_THREAD {
            for id in (0..8).map(|n| extent(number).page(n)) {
                if let Ok(found) = self.bench.stamp(ask, id) {
                    assert_eq!(found, stamp, "page {id}");
                }
            }
        }
        (first..first + EXTENTS_OF_THREAD).for_each(|number| self.bench.discard(extent(number)));
    }

    fn work(&self, thread: u32, turns: u32) {
        let mut chance = Chance(thread.into());
        with_ask(51 + thread as u16, |ask| {
            for turn in 0..turns {
                let number = chance.below(SHARED_PAGES);
                match chance.below(40) {
                    0..=15 => self.read(ask, number),
                    16..=25 => self.change(ask, number),
                    26..=31 => self.change_pair(ask, [number, chance.below(SHARED_PAGES)]),
                    32..=33 => self.change_pinned(ask, number, 3),
                    34..=35 => self.bench.pool.read_ahead(ask, place(number), 16),
                    // Reads the others' private extents ahead, whatever state they are in.
                    36 => self.bench.pool.read_ahead(ask, page(800 + chance.below(400)), 16),
                    37 => drop(self.bench.pool.eager_write(ask, &[place(number)])),
                    38 => self.live_as_table(ask, thread, u64::from(turn) << 8 | u64::from(thread)),
                    _ => drop(self.bench.pool.flush(ask, DB, WriteReason::Checkpoint)),
                }
            }
        });
    }

    /// Everything that an administrator can do to a busy pool.
    fn administrate(&self, stop: &AtomicBool, frames_max: u32) {
        let mut chance = Chance(4711);
        while !stop.load(Relaxed) {
            match chance.below(5) {
                0 => drop(self.bench.pool.drop_clean()),
                1 => drop(self.bench.pool.descriptors()),
                2 => drop(self.bench.pool.report()),
                _ => {
                    let frames = 64 + u64::from(chance.below(frames_max - 63));
                    self.bench.pool.set_max_bytes(frames * PAGE_BYTES as u64);
                }
            }
            std::thread::yield_now();
        }
    }

    /// Runs `threads` workers and the administrator, then looks at every page.
    fn run(&self, threads: u32, turns: u32, frames_max: u32) {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || self.work(thread, turns))).collect();
            let administrator = (frames_max > 64).then(|| scope.spawn(|| self.administrate(&stop, frames_max)));
            let results: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
            stop.store(true, Relaxed);
            if let Some(administrator) = administrator {
                administrator.join().expect("no panic");
            }
            results.into_iter().for_each(|result| result.expect("no panic"));
        });
        self.bench.disk.fail_reads.store(0, Relaxed);
        self.bench.disk.fail_writes.store(0, Relaxed);
        with_ask(51, |ask| {
            for number in 0..SHARED_PAGES {
                let expected = self.model[number as usize].load(Relaxed);
                assert_eq!(self.bench.stamp(ask, place(number)).expect("readable"), expected);
            }
        });
        self.bench.settle();
    }
}

/// Turns of a worker; `POOL_STRESS_TURNS` makes a long run of it.
fn turns() -> u32 {
    std::env::var("POOL_STRESS_TURNS").ok().and_then(|text| text.parse().ok()).unwrap_or(700)
}

#[test]
fn ten_threads_get_on_with_sixty_four_frames() {
    under_each_policy(|| {
        let arena = Arena::new(64);
        arena.run(10, turns(), 64);
        let report = arena.bench.pool.report();
        assert!(report.evictions > 0 && report.discarded > 0 && report.lazy_writes > 0, "{report:?}");
    });
}

#[test]
fn a_busy_pool_may_change_its_size() {
    under_each_policy(|| Arena::new(600).run(6, turns(), 900));
}

#[test]
fn failing_io_loses_no_change() {
    under_each_policy(|| {
        let arena = Arena::new(96);
        arena.bench.disk.fail_reads.store(13, Relaxed);
        arena.bench.disk.fail_writes.store(7, Relaxed);
        arena.run(6, turns(), 128);
    });
}

#[test]
fn pages_all_in_memory_are_never_written_by_busy_sessions() {
    let arena = Arena::new(2000);
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let arena = &arena;
            scope.spawn(move || {
                with_ask(51 + thread as u16, |ask| {
                    for turn in 0..turns() / 10 {
                        arena.live_as_table(ask, thread, u64::from(turn) << 8 | u64::from(thread));
                        (0..10).for_each(|n| arena.change(ask, (turn + n) % SHARED_PAGES));
                    }
                });
            });
        }
    });
    assert_eq!(arena.bench.disk.pages_written(), 0);
    arena.bench.settle();
}
