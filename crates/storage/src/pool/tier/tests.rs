//! The extension under a pool: what enters and leaves, what changes outdate, and a device that fails.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use millpond_device::fault::Fault;
use millpond_device::{BlockDevice, FaultDevice, RamDevice};
use parking_lot::Mutex;
use proptest::prelude::*;

use crate::ask::Ask;
use crate::contract::{DbId, IoFailure, PAGE_BYTES, PageBytes, PageId, PageKind, WriteReason};
use crate::extension::ExtensionMode;
use crate::extension::device::{Extension, Parts};
use crate::page::header::{self, LogPos, Lsn};
use crate::pool::test_disk::{Bench, DB, durable, page, read_stamp, under, under_each_policy, with_ask, write_stamp};
use crate::pool::tier::{admission, destage, keeper};
use crate::pool::{EvictionPolicy, LogRule, LostPages, PoolError};

/// A log of the tests: the stamp of each change of each page, and whether it was asked for before a page was written.
#[derive(Default)]
struct TestLog {
    end: AtomicU64,
    changes: Mutex<Vec<(PageId, u64, u64)>>,
    durable: AtomicU64,
}

fn lsn_of(number: u64) -> Lsn {
    LogPos(1 << 32 | number).first_lsn()
}

impl LogRule for TestLog {
    fn make_log_durable(&self, _: PageId, page: &PageBytes) -> Result<(), IoFailure> {
        self.durable.fetch_max(u64::from(header::lsn(page).block), Relaxed);
        Ok(())
    }

    fn redo_pages(&self, db: DbId, from: LogPos, pages: &mut LostPages) -> Result<(), IoFailure> {
        for &(id, number, stamp) in self.changes.lock().iter() {
            let lsn = lsn_of(number);
            if id.db != db || lsn.position() < from {
                continue;
            }
            let Some(page) = pages.get_mut(&id) else { continue };
            let fresh = || {
                let mut page = Box::new([0; PAGE_BYTES]);
                header::init(&mut page, id, PageKind::Data, 1);
                page
            };
            let page = page.get_or_insert_with(fresh);
            if header::lsn(page) < lsn {
                write_stamp(page, stamp);
                header::set_lsn(page, lsn);
            }
        }
        Ok(())
    }
}

/// A pool with an extension of so many KB.
struct World {
    bench: Bench,
    log: Arc<TestLog>,
    device: Arc<FaultDevice>,
    extension: Arc<Extension>,
}

impl World {
    fn new(frames: u64, kilobytes: u64, mode: ExtensionMode) -> World {
        let bench = Bench::new(frames);
        bench.disk.reads_overlap.store(true, Relaxed);
        let log = Arc::new(TestLog::default());
        bench.pool.set_log_rule(log.clone());
        let device = Arc::new(FaultDevice::new(Arc::new(RamDevice::new("extension"))));
        device.set_len(kilobytes << 10).unwrap();
        let extension = Arc::new(Extension::new(Parts {
            device: device.clone(),
            path: PathBuf::from("extension"),
            size_bytes: kilobytes << 10,
            epoch: 1,
            mode,
            distrust: Box::new(|| Ok(())),
            marks_now: Box::new(Vec::new),
            publish: Box::new(|_| {}),
        }));
        extension.format([1; 16]).unwrap();
        bench.pool.tier().set(Some(extension.clone()));
        World { bench, log, device, extension }
    }

    /// Changes a durable page as a mini-transaction does.
    fn change(&self, ask: &Ask<'_>, id: PageId, stamp: u64, create: bool) -> Result<(), PoolError> {
        let pool = &self.bench.pool;
        let mut page = if create { pool.create(ask, id, PageKind::Data, 1)? } else { pool.exclusive(ask, id)? };
        write_stamp(&mut page, stamp);
        if id.file == crate::pool::test_disk::DURABLE {
            let number = self.log.end.fetch_add(1, Relaxed) + 1;
            page.note_rec_lsn(LogPos(1 << 32 | number));
            self.log.changes.lock().push((id, number, stamp));
            header::set_lsn(&mut page, lsn_of(number));
        }
        Ok(())
    }

    fn stamp(&self, ask: &Ask<'_>, id: PageId) -> u64 {
        self.bench.stamp(ask, id).expect("readable")
    }

    /// No slot has two owners or none, and slots and frames agree (X1, X4). The lazy writer may be at work for a
    /// short time longer.
    fn check(&self) {
        for _ in 0..500 {
            if self.problem().is_none() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        panic!("{}", self.problem().unwrap_or_default());
    }

    fn problem(&self) -> Option<String> {
        let slots = &self.extension.slots;
        let mut owners: HashMap<_, Vec<String>> = HashMap::new();
        for (frame, state) in self.bench.pool.buffers().states().filter(|(_, state)| state.page.load(Relaxed) != 0) {
            let Some(slot) = super::slot_of(state) else { continue };
            let id = PageId::from_bits(state.page.load(Relaxed));
            let is_same = slots.contents(slot).map(|contents| contents.page) == Some(id);
            if !is_same || slots.rec_pos(slot).is_some() != state.dirty.load(Relaxed) {
                return Some(format!("frame and slot of page {id} do not agree"));
            }
            owners.entry(slot).or_default().push(format!("{frame:?}"));
        }
        for (slot, id) in slots.all_used() {
            if self.bench.pool.buffers().files.word_of(id).place() == crate::pool::files::Place::Slot(slot) {
                owners.entry(slot).or_default().push("word".to_owned());
            }
            if owners.get(&slot).map(Vec::len) != Some(1) {
                return Some(format!("slot {slot:?} of page {id} has the owners {:?}", owners.get(&slot)));
            }
        }
        let counted = owners.len() as u32;
        let report = || format!("{counted} of {} slots have an owner: {}", slots.used(), slots.counts());
        (counted != slots.used()).then(report)
    }
}

#[test]
fn clean_pages_come_back_from_the_extension_and_dirty_ones_stay_out_of_a_clean_one() {
    let world = World::new(64, 8 << 10, ExtensionMode::Clean);
    with_ask(51, |ask| {
        (0..500).for_each(|n| world.bench.disk.put(durable(n), n.into()));
        (0..500).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), n.into()));
        world.bench.settle();
        assert!(world.extension.slots.used() > 400, "pages that left memory entered: {:?}", world.extension.report());
        let reads = world.bench.disk.reads.lock().len();
        (0..400).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), n.into()));
        assert!(world.bench.disk.reads.lock().len() - reads < 20, "they came back from there");

        // Changed pages leave it and do not come back dirty.
        (0..300).for_each(|n| world.change(ask, durable(n), 1000 + u64::from(n), false).unwrap());
        (400..500).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), n.into()));
        world.bench.settle();
        assert_eq!(world.extension.slots.dirty(), 0);
        let has = |n: u32| world.extension.slots.all_used().any(|(_, id)| id == durable(n));
        let back = (0..200).filter(|&n| has(n)).count();
        assert!(back < 100, "{back} changed pages came back, which only those do that leave memory clean");
        (0..300).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), 1000 + u64::from(n)));
        world.check();
    });
}

#[test]
fn dirty_pages_enter_and_are_destaged_once_in_large_writes() {
    let world = World::new(64, 16 << 10, ExtensionMode::WriteBack);
    with_ask(51, |ask| {
        (0..400).for_each(|n| world.bench.disk.put(durable(n), n.into()));
        for round in 1..=5 {
            (0..400).for_each(|n| world.change(ask, durable(n), round * 1000 + u64::from(n), false).unwrap());
        }
        world.bench.settle();
        let report = world.extension.report();
        assert!(report.dirty > 300, "{report:?}");
        // A page that was in use when it was to enter goes to its file.
        let written = world.bench.disk.pages_written();
        assert!(written < 40, "{written} of 2000 changed pages went to the data file");
        let oldest = world.bench.pool.oldest_rec_lsn(DB).expect("dirty pages");
        assert!(oldest <= LogPos(1 << 32 | 64), "what recovery needs is held: {oldest:?}");
        assert!(world.log.durable.load(Relaxed) > 1900, "the log went first");

        let written = world.bench.pool.flush(ask, DB, WriteReason::Checkpoint).expect("written");
        assert!(written > 380 && world.extension.slots.dirty() == 0, "{written}");
        assert_eq!(world.bench.pool.oldest_rec_lsn(DB), None);
        let writes = world.bench.disk.writes.lock().len();
        assert!(writes < 100, "{writes} writes for 400 pages");
        (0..400).for_each(|n| assert_eq!(world.bench.disk.stamp(durable(n)), Some(5000 + u64::from(n))));
        (0..400).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), 5000 + u64::from(n)));
        world.check();
    });
}

#[test]
fn a_full_extension_lets_pages_of_scans_go_by() {
    let world = World::new(64, 1 << 10, ExtensionMode::WriteBack);
    with_ask(51, |ask| {
        (0..1000).for_each(|n| world.bench.disk.put(durable(n), n.into()));
        // Some pages are used again and again.
        for _ in 0..20 {
            (0..90).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), n.into()));
        }
        world.bench.settle();
        let hot = || world.extension.slots.all_used().filter(|(_, id)| id.page.0 < 90).count();
        let (before, hot_before) = (world.extension.report(), hot());
        (90..1000).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), n.into()));
        world.bench.settle();
        let after = world.extension.report();
        let hot = hot();
        // How many were hot depends on when the lazy writer ran.
        assert!(after.refused > before.refused + 200, "{after:?}");
        assert!(hot * 2 > hot_before, "{hot} of {hot_before} hot pages are still there: {after:?}");
        world.check();
    });
}

#[test]
fn temporary_pages_enter_clean_only_and_freed_pages_leave() {
    let world = World::new(64, 8 << 10, ExtensionMode::WriteBack);
    with_ask(51, |ask| {
        (0..400).for_each(|n| world.bench.create(ask, page(n), n.into()));
        (0..400).for_each(|n| assert_eq!(world.stamp(ask, page(n)), n.into()));
        world.bench.settle();
        assert!(world.extension.slots.used() > 100);
        assert_eq!(world.extension.slots.dirty(), 0);
        (0..50).for_each(|extent| world.bench.discard(crate::pool::test_disk::extent(extent)));
        assert_eq!(world.extension.slots.used(), 0);
        world.check();
    });
}

#[test]
fn a_scan_reads_its_run_whole_or_from_a_few_pieces_of_the_extension() {
    let world = World::new(256, 16 << 10, ExtensionMode::WriteBack);
    with_ask(51, |ask| {
        (0..1024).for_each(|n| world.bench.disk.put(durable(n), n.into()));
        (0..1024).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), n.into()));
        // Some pages are newer in the extension than in the file.
        (0..64).step_by(2).for_each(|n| world.change(ask, durable(n), 7000 + u64::from(n), false).unwrap());
        let frame = |n: u32| Some((durable(n), world.bench.pool.buffers().files.word_of(durable(n)).frame()?));
        let changed: Vec<_> = (0..64).step_by(2).filter_map(frame).collect();
        let mut freed = Vec::new();
        admission::enter(&world.bench.pool.sweeper.writer, ask, &world.extension, changed, &mut freed);
        world.bench.pool.buffers().set_frames_free(&freed);
        world.bench.pool.drop_clean();
        world.bench.settle();
        let reads = world.bench.disk.reads.lock().len();
        let place = |n: u32| world.bench.pool.buffers().files.word_of(durable(n)).place();
        let newer = (0..64).step_by(2).filter(|&n| matches!(place(n), crate::pool::files::Place::Slot(_))).count();
        assert!(newer > 16, "{newer} changed pages are in the extension");
        world.bench.pool.read_ahead(ask, durable(0), 64);
        let expected = |n: u32| if n < 64 && n.is_multiple_of(2) { 7000 + u64::from(n) } else { n.into() };
        (0..64).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), expected(n)));
        assert!(world.bench.disk.reads.lock().len() - reads <= 33, "one read, or the pages that were too early");
        (0..1024).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), expected(n)));
        world.check();
    });
}

#[test]
fn a_damaged_copy_is_not_believed() {
    let world = World::new(64, 8 << 10, ExtensionMode::WriteBack);
    with_ask(51, |ask| {
        (0..300).for_each(|n| world.bench.disk.put(durable(n), n.into()));
        (0..300).for_each(|n| world.change(ask, durable(n), 1000 + u64::from(n), false).unwrap());
        world.bench.settle();
        // Every slot of the device is overwritten.
        let zeros = vec![0xa5; 7 << 20];
        world.device.write_at(512 << 10, &zeros).unwrap();
        (0..300).for_each(|n| assert_eq!(world.stamp(ask, durable(n)), 1000 + u64::from(n)));
        let report = world.extension.report();
        assert!(report.mismatched > 0 && report.rebuilt > 0, "{report:?}");
        world.check();
    });
}

/// The device fails at its n-th call while pages are changed and read; whatever was dirty there is done again.
#[test]
fn a_failing_device_loses_nothing_at_any_call() {
    for (fault, calls) in [(Fault::WriteError, 0..30), (Fault::ReadError, 0..60)] {
        for passing in calls {
            let world = World::new(64, 8 << 10, ExtensionMode::WriteBack);
            world.device.order(fault, passing * 3);
            with_ask(51, |ask| {
                let mut stamps = HashMap::new();
                for round in 1..6_u64 {
                    for n in (0..200).map(|n| n * 7 % 200) {
                        let stamp = round * 1000 + u64::from(n);
                        world.change(ask, durable(n), stamp, round == 1).unwrap();
                        stamps.insert(n, stamp);
                        let other = n * 3 % 200;
                        if let Some(&stamp) = stamps.get(&other) {
                            assert_eq!(world.stamp(ask, durable(other)), stamp, "{fault:?} after {passing}");
                        }
                    }
                }
                assert!(world.extension.failure().is_some() || world.device.pending() > 0);
                if world.extension.failure().is_some() {
                    // As the keeper does: a page that the lazy writer has latched is tried again.
                    let cleared = (0..10_000).any(|_| {
                        std::thread::sleep(std::time::Duration::from_micros(100));
                        keeper::clear_failed(&world.bench.pool.sweeper, ask, &world.extension)
                    });
                    assert!(cleared, "{fault:?} after {passing}: pages of the failed extension are still there");
                    assert_eq!(world.extension.slots.used(), 0);
                }
                for (n, stamp) in stamps {
                    assert_eq!(world.stamp(ask, durable(n)), stamp);
                }
                world.bench.pool.flush(ask, DB, WriteReason::Checkpoint).expect("written");
                assert_eq!(world.bench.pool.oldest_rec_lsn(DB), None);
            });
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Create(u32),
    Change(u32),
    Read(u32),
    Discard(u32),
    Flush,
    Destage(u8),
    DropClean,
    ReadAhead(u32),
    Mode(bool),
    Resize(u64),
    FailOnce(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let page = 0..400_u32;
    prop_oneof![
        8 => page.clone().prop_map(Step::Create),
        12 => page.clone().prop_map(Step::Change),
        12 => page.clone().prop_map(Step::Read),
        3 => (0..50_u32).prop_map(Step::Discard),
        1 => Just(Step::Flush),
        1 => any::<u8>().prop_map(Step::Destage),
        1 => Just(Step::DropClean),
        2 => page.prop_map(Step::ReadAhead),
        1 => any::<bool>().prop_map(Step::Mode),
        1 => (64..200_u64).prop_map(Step::Resize),
        1 => any::<bool>().prop_map(Step::FailOnce),
    ]
}

/// Even extents are durable, odd ones temporary.
fn place(number: u32) -> PageId {
    if (number / 8).is_multiple_of(2) { durable(number) } else { page(number) }
}

fn walk(steps: Vec<Step>, kilobytes: u64) {
    let world = World::new(64, kilobytes, ExtensionMode::WriteBack);
    let pool = &world.bench.pool;
    let mut model: HashMap<u32, u64> = HashMap::new();
    with_ask(51, |ask| {
        for (stamp, step) in (1..).zip(steps) {
            match step {
                Step::Create(n) => {
                    world.bench.disk.freed.lock().remove(&place(n));
                    world.change(ask, place(n), stamp, true).unwrap();
                    model.insert(n, stamp);
                }
                Step::Change(n) if model.contains_key(&n) => {
                    assert_eq!(read_stamp(&pool.exclusive(ask, place(n)).expect("readable")), model[&n]);
                    world.change(ask, place(n), stamp, false).unwrap();
                    model.insert(n, stamp);
                }
                Step::Read(n) if model.contains_key(&n) => assert_eq!(world.stamp(ask, place(n)), model[&n]),
                Step::Change(_) | Step::Read(_) => {}
                Step::Discard(number) => {
                    let first = place(number * 8);
                    let extent =
                        crate::contract::ExtentId { file: first.file, ..crate::pool::test_disk::extent(number) };
                    world.bench.discard(extent);
                    for n in 0..8 {
                        model.remove(&(number * 8 + n));
                    }
                }
                Step::Flush => drop(pool.flush(ask, DB, WriteReason::Checkpoint).expect("written")),
                Step::Destage(count) => drop(destage::oldest(&pool.sweeper, ask, count.into())),
                Step::DropClean => drop(pool.drop_clean()),
                Step::ReadAhead(n) => pool.read_ahead(ask, place(n), 16),
                Step::Mode(clean) => world.extension.set_mode(ExtensionMode::of_option(i64::from(!clean))),
                Step::Resize(frames) => drop(pool.set_max_bytes(frames * PAGE_BYTES as u64)),
                Step::FailOnce(read) if stamp % 5 == 0 => {
                    world.device.order(if read { Fault::ReadError } else { Fault::WriteError }, 1);
                }
                Step::FailOnce(_) => {}
            }
        }
        for (&n, &stamp) in &model {
            assert_eq!(world.stamp(ask, place(n)), stamp, "page {n}");
        }
        world.bench.settle();
        if world.extension.is_usable() {
            world.check();
        }
        pool.flush(ask, DB, WriteReason::Checkpoint).expect("written");
        assert_eq!(pool.oldest_rec_lsn(DB), None);
        let is_durable = |n: &&u32| place(**n).file == crate::pool::test_disk::DURABLE;
        for n in model.keys().filter(is_durable) {
            assert_eq!(world.bench.disk.stamp(place(*n)), Some(model[n]), "page {n} is in its file");
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn a_pool_with_an_extension_is_a_map_too(
        steps in proptest::collection::vec(step(), 1..500),
        kilobytes in 600..4000_u64,
        policy in proptest::sample::select(EvictionPolicy::ALL),
    ) {
        under(policy, || walk(steps, kilobytes));
    }
}

/// Threads change and read pages, one writes and drops them, and in some runs the device fails in the middle. The model of a
/// page changes under its exclusive latch, so a thread that has the latch must find exactly its stamp.
fn stress(seed: u64, fails: bool) {
    const PAGES: u32 = 240;
    let world = World::new(64, if seed.is_multiple_of(2) { 900 } else { 6 << 10 }, ExtensionMode::WriteBack);
    let pool = &world.bench.pool;
    let model: Vec<AtomicU64> = (0..PAGES).map(|_| AtomicU64::new(1)).collect();
    with_ask(51, |ask| (0..PAGES).for_each(|n| world.change(ask, durable(n), 1, true).unwrap()));
    let next = |chance: &mut u64| {
        *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*chance >> 33) as u32
    };
    std::thread::scope(|scope| {
        for session in 52..56_u16 {
            let (world, model) = (&world, &model);
            scope.spawn(move || {
                with_ask(session, |ask| {
                    let mut chance = seed * 1000 + u64::from(session);
                    for _ in 0..3000 {
                        let n = next(&mut chance) % PAGES;
                        let stamp = &model[n as usize];
                        if next(&mut chance) % 3 == 0 {
                            let page = world.bench.pool.shared(ask, durable(n)).expect("readable");
                            assert_eq!(read_stamp(&page), stamp.load(Relaxed), "page {n}");
                            continue;
                        }
                        let mut page = world.bench.pool.exclusive(ask, durable(n)).expect("readable");
                        let now = stamp.load(Relaxed);
                        assert_eq!(read_stamp(&page), now, "page {n}");
                        write_stamp(&mut page, now + 1);
                        let mut changes = world.log.changes.lock();
                        let number = world.log.end.fetch_add(1, Relaxed) + 1;
                        page.note_rec_lsn(LogPos(1 << 32 | number));
                        changes.push((durable(n), number, now + 1));
                        header::set_lsn(&mut page, lsn_of(number));
                        stamp.store(now + 1, Relaxed);
                    }
                });
            });
        }
        scope.spawn(|| {
            with_ask(60, |ask| {
                let mut chance = seed;
                for turn in 0..60 {
                    if fails && turn == 20 {
                        world
                            .device
                            .order(if seed.is_multiple_of(3) { Fault::ReadError } else { Fault::WriteError }, 0);
                    }
                    match next(&mut chance) % 4 {
                        0 => drop(pool.flush(ask, DB, WriteReason::Checkpoint).expect("written")),
                        1 => drop(destage::oldest(&pool.sweeper, ask, 40)),
                        2 => drop(pool.drop_clean()),
                        _ => pool.read_ahead(ask, durable(next(&mut chance) % PAGES), 32),
                    }
                    if !world.extension.is_usable() {
                        keeper::clear_failed(&pool.sweeper, ask, &world.extension);
                    }
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            });
        });
    });
    with_ask(51, |ask| {
        for (n, stamp) in model.iter().enumerate() {
            assert_eq!(world.stamp(ask, durable(n as u32)), stamp.load(Relaxed), "page {n}");
        }
        world.bench.settle();
        if world.extension.is_usable() {
            world.check();
        }
        pool.flush(ask, DB, WriteReason::Checkpoint).expect("written");
        for (n, stamp) in model.iter().enumerate() {
            assert_eq!(world.bench.disk.stamp(durable(n as u32)), Some(stamp.load(Relaxed)), "page {n} in its file");
        }
    });
}

#[test]
fn threads_find_every_page_as_it_was_left() {
    under_each_policy(|| (0..6).for_each(|seed| stress(seed, false)));
}

#[test]
fn threads_find_every_page_as_it_was_left_when_the_device_fails_under_them() {
    under_each_policy(|| (0..6).for_each(|seed| stress(seed, true)));
}
