//! How waits are counted.

use millpond_device::clock::ManualClock;
use millpond_storage::ask::Task;
use millpond_storage::ask::TypeWaits;
use millpond_storage::contract::{DbId, PageId};
use millpond_storage::contract::{FileId, PageNo, SessionId};
use millpond_storage::wait::*;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

fn setup() -> (Arc<ManualClock>, WaitStats, Task) {
    let clock = Arc::new(ManualClock::default());
    let stats = WaitStats::new(clock.clone());
    (clock, stats, Task::new(SessionId(51)))
}

#[test]
fn a_wait_counts_at_its_start_and_gets_time_at_its_end() {
    let (clock, stats, task) = setup();
    let page = PageId { db: DbId(2), file: FileId(1), page: PageNo(1) };
    let mut guard = WaitGuard::begin(&stats, &task, WaitType::PAGELATCH_UP, Some(page));
    clock.advance_us(70);
    let row = stats.report_of(WaitType::PAGELATCH_UP);
    assert_eq!((row.waits, row.wait_us), (1, 0));
    assert_eq!(WaitType::from_task_field(task.wait_type.load(Relaxed)), Some(WaitType::PAGELATCH_UP));
    assert_eq!(PageId::from_bits(task.wait_resource.load(Relaxed)), page);

    guard.signalled_at(stats.now_us());
    clock.advance_us(30);
    assert_eq!(guard.end(), 100);
    let row = stats.report_of(WaitType::PAGELATCH_UP);
    assert_eq!((row.waits, row.wait_us, row.max_us, row.signal_us), (1, 100, 100, 30));
    assert_eq!(task.wait_type.load(Relaxed), 0);
    assert_eq!(WaitType::from_task_field(task.last_wait_type.load(Relaxed)), Some(WaitType::PAGELATCH_UP));
    let of_type = TypeWaits { number: row.wait_type.number(), waits: 1, wait_us: 100, max_us: 100, signal_us: 30 };
    assert_eq!(task.waits_by_type.report(), [of_type]);
    WaitGuard::begin(&stats, &task, WaitType::WRITELOG, None).end();
    assert_eq!(task.waits_by_type.report().len(), 2);
    task.waits_by_type.clear();
    assert!(task.waits_by_type.report().is_empty());
}

#[test]
fn a_task_knows_how_long_it_waited_for_tempdb_for_data_and_for_memory() {
    let (clock, stats, task) = setup();
    let page = |db| Some(PageId { db: DbId(db), file: FileId(1), page: PageNo(1) });
    let waits = [
        (WaitType::WRITE_COMPLETION, page(2), 1),
        (WaitType::IO_COMPLETION, page(2), 2),
        (WaitType::MEMORY_ALLOCATION_EXT, page(2), 4),
        (WaitType::PAGEIOLATCH_SH, page(5), 8),
        (WaitType::RESOURCE_SEMAPHORE, None, 16),
        (WaitType::MEMORY_ALLOCATION_EXT, page(5), 32),
        (WaitType::CXPACKET, None, 64),
        (WaitType::PAGELATCH_EX, page(2), 128),
    ];
    for (wait_type, page, wait_us) in waits {
        let guard = WaitGuard::begin(&stats, &task, wait_type, page);
        clock.advance_us(wait_us);
        drop(guard);
    }
    let times = &task.waits;
    let read = [&times.tempdb_us, &times.data_us, &times.memory_us].map(|time| time.load(Relaxed));
    assert_eq!(read, [1 + 2 + 4, 8, 16 + 32]);
}

#[test]
fn waits_for_latches_are_counted_by_class_and_cleared_apart() {
    let (clock, stats, task) = setup();
    let page = PageId { db: DbId(5), file: FileId(1), page: PageNo(1) };
    for wait_us in [3, 5] {
        let guard = WaitGuard::begin(&stats, &task, WaitType::PAGELATCH_EX, Some(page));
        clock.advance_us(wait_us);
        drop(guard);
    }
    let guard = WaitGuard::begin_latch(&stats, &task, LatchClass::FgcbAddRemove);
    clock.advance_us(7);
    drop(guard);
    WaitGuard::begin(&stats, &task, WaitType::PAGEIOLATCH_SH, Some(page)).end();
    let shown = stats.latches().map(|row| (row.class.name(), row.waits, row.wait_us, row.max_us));
    assert_eq!(shown, [("BUFFER", 2, 8, 5), ("ALLOC_EXTENT_CACHE", 0, 0, 0), ("FGCB_ADD_REMOVE", 1, 7, 7)]);
    stats.clear_latches();
    assert!(stats.latches().iter().all(|row| (row.waits, row.wait_us, row.max_us) == (0, 0, 0)));
    assert_eq!(stats.report_of(WaitType::LATCH_EX).wait_us, 7);
}

#[test]
fn shards_add_up_and_clear_empties_them() {
    let (clock, stats, _) = setup();
    for session in 51..61 {
        let task = Task::new(SessionId(session));
        let guard = WaitGuard::begin(&stats, &task, WaitType::WAITFOR, None);
        clock.advance_us(u64::from(session));
        drop(guard);
    }
    let row = stats.report_of(WaitType::WAITFOR);
    assert_eq!((row.waits, row.wait_us, row.max_us), (10, (51..61).sum(), 60));
    assert_eq!(stats.report().len(), WaitType::COUNT);
    stats.clear();
    assert!(stats.report().iter().all(|r| (r.waits, r.wait_us, r.max_us, r.signal_us) == (0, 0, 0, 0)));
}

#[test]
fn names_are_the_documented_ones_and_unique() {
    let mut names: Vec<_> = WaitType::ALL.iter().map(|t| t.name()).collect();
    assert!(names.contains(&"LCK_M_RIn_NL_LOW_PRIORITY"));
    assert!(WaitType::ALL.iter().enumerate().all(|(i, t)| t.number() as usize == i));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), WaitType::COUNT);
    assert_eq!(WaitType::from_task_field(0), None);
    assert_eq!(WaitType::from_task_field(u32::MAX), None);
}
