//! The log, mini-transactions, checkpoints and recovery together.

pub(crate) mod crash_tests;
pub(crate) mod damage_tests;
pub(crate) mod room_tests;
pub(crate) mod test_world;

use std::io::{IoSlice, IoSliceMut};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use millpond_device::{BlockDevice, DeviceError, Meter};

use crate::contract::PageKind;
use crate::file::growth::{Growth, Limits};
use crate::page::header::{self, Lsn};
use crate::page::slotted;
use crate::wal::log::append::append_change;
use crate::wal::log::retention::{self, LogHold};
use crate::wal::log::{CommitMode, Log, LogError, LogOpenError, RecordKind, ReuseWait, TxnLog};
use crate::wal::mtr::Mtr;
use crate::wal::page_op::PageOp;
use crate::wal::tests::test_world::{Shape, World, config, file_on, log_on_ram, page, with_ask};

/// Makes page `number` with one record, as the system.
fn make_page(world: &World, number: u32, record: &[u8]) -> Lsn {
    with_ask(51, |ask| {
        let mut mtr = Mtr::begin(&world.handle, ask, 200).unwrap();
        let index = mtr.create(page(number), PageKind::Data, 7, 1, 0).unwrap();
        mtr.apply(index, PageOp::Insert { slot: 0, record }).unwrap();
        mtr.commit()
    })
}

/// Replaces the first record of a page in a transaction; the old record is its undo.
fn change(world: &World, txn: &mut TxnLog, number: u32, record: &[u8]) -> Lsn {
    with_ask(51, |ask| {
        let mut mtr = Mtr::begin(&world.handle, ask, 200).unwrap();
        let index = mtr.latch(page(number)).unwrap();
        let old = slotted::record(mtr.page(index), 0).unwrap().to_vec();
        mtr.apply(index, PageOp::Replace { slot: 0, record }).unwrap();
        mtr.commit_change(txn, &old)
    })
}

fn content(world: &World, number: u32) -> Vec<u8> {
    with_ask(51, |ask| slotted::record(&world.handle.pool.shared(ask, page(number)).unwrap(), 0).unwrap().to_vec())
}

/// Undoes a transaction as its owner would: newest record first.
fn undo(world: &World, mut txn: TxnLog) {
    let log = world.log();
    let mut next = txn.last;
    while let Some(lsn) = next {
        with_ask(0, |ask| {
            let record = log.records().read(ask, lsn).unwrap();
            next = match record.kind {
                RecordKind::Compensation => record.undo_next,
                _ => {
                    let mut mtr = Mtr::begin_undo(&world.handle, ask).unwrap();
                    let index = mtr.latch(record.pages[0]).unwrap();
                    mtr.apply(index, PageOp::Replace { slot: 0, record: &record.undo }).unwrap();
                    mtr.commit_clr(&mut txn, record.prev);
                    record.prev
                }
            };
        });
    }
    log.end_rollback(txn);
}

#[test]
fn committed_changes_survive_and_open_ones_are_undone() {
    let world = World::create(Shape::small(), 16);
    make_page(&world, 8, b"one");
    make_page(&world, 9, b"two");
    let (mut kept, mut lost) = (world.log().begin(), world.log().begin());
    change(&world, &mut kept, 8, b"kept");
    change(&world, &mut lost, 9, b"lost");
    change(&world, &mut lost, 9, b"lost again, and longer");
    let committed = with_ask(51, |ask| world.log().commit(ask, kept, CommitMode::Durable)).unwrap();
    assert!(world.log().durable_lsn() >= committed);
    assert_eq!(world.log().active_transactions().len(), 1);

    let again = World::open(Shape::small(), &world.images()).unwrap();
    assert!(matches!(again.log().check_available(), Err(LogError::Unavailable { .. })));
    let mut redone = again.redo(2).unwrap();
    assert_eq!((redone.damaged.len(), redone.losers.len(), redone.was_clean), (0, 1, false));
    assert_eq!((content(&again, 8), content(&again, 9)), (b"kept".to_vec(), b"lost again, and longer".to_vec()));
    let loser = redone.losers.pop().unwrap();
    assert_eq!((loser.id, loser.used_bytes, loser.reserved_bytes), (lost.id, lost.used_bytes, lost.reserved_bytes));
    undo(&again, loser);
    assert_eq!(content(&again, 9), b"two");
    assert!(again.log().begin().id > lost.id);
    assert_eq!(again.log().report().reserved_bytes, 0);
    again.checkpoint().unwrap();
    again.checkpoint().unwrap();

    let third = World::open(Shape::small(), &again.images()).unwrap();
    let redone = third.redo(1).unwrap();
    assert_eq!((redone.applied, redone.was_clean), (0, false), "it was not closed: {redone:?}");
    assert_eq!((content(&third, 8), content(&third, 9)), (b"kept".to_vec(), b"two".to_vec()));

    // Closed in order, but no sweep has looked for what the crashes left; then one has.
    with_ask(0, |ask| third.log().close(ask)).unwrap();
    let fourth = World::open(Shape::small(), &third.images()).unwrap();
    assert!(!fourth.redo(1).unwrap().was_clean);
    fourth.log().set_may_leak(false);
    with_ask(0, |ask| fourth.log().close(ask)).unwrap();
    let fifth = World::open(Shape::small(), &fourth.images()).unwrap();
    assert!(fifth.redo(1).unwrap().was_clean);
}

#[test]
fn an_undo_that_was_cut_short_goes_on_where_it_was() {
    let world = World::create(Shape::small(), 16);
    make_page(&world, 8, b"0");
    let mut txn = world.log().begin();
    for step in 1..=5_u8 {
        change(&world, &mut txn, 8, &[b'0' + step]);
    }
    let last = with_ask(0, |ask| world.log().records().read(ask, txn.last.unwrap())).unwrap();
    with_ask(0, |ask| {
        let mut mtr = Mtr::begin_undo(&world.handle, ask).unwrap();
        let index = mtr.latch(page(8)).unwrap();
        mtr.apply(index, PageOp::Replace { slot: 0, record: &last.undo }).unwrap();
        let lsn = mtr.commit_clr(&mut txn, last.prev);
        world.log().make_durable(ask, lsn).unwrap();
    });
    let again = World::open(Shape::small(), &world.images()).unwrap();
    let mut redone = again.redo(1).unwrap();
    assert_eq!(content(&again, 8), b"4");
    undo(&again, redone.losers.pop().unwrap());
    assert_eq!(content(&again, 8), b"0");
}

#[test]
fn the_log_wraps_as_checkpoints_free_it() {
    let fixed = Limits { max_pages: None, growth: Growth::Pages(0) };
    let world = World::create(Shape { log_limits: fixed, ..Shape::small() }, 64);
    make_page(&world, 8, &[0; 4000]);
    for turn in 0..2000_u32 {
        let mut txn = world.log().begin();
        change(&world, &mut txn, 8, &[turn as u8; 4000]);
        with_ask(51, |ask| world.log().commit(ask, txn, CommitMode::Delayed)).unwrap();
        if turn % 20 == 0 {
            world.checkpoint().unwrap();
        }
    }
    let report = world.log().report();
    assert!(report.appended_bytes > 10 * report.size_bytes, "many laps: {report:?}");
    assert_eq!(report.size_bytes, 1 << 20);
    world.log().close(&crate::ask::Ask::new(&Default::default(), &Default::default())).unwrap();
    let again = World::open(Shape::small(), &world.images()).unwrap();
    let redone = again.redo(2).unwrap();
    assert!(redone.losers.is_empty() && redone.damaged.is_empty());
    assert_eq!(content(&again, 8), [(1999_u32 % 256) as u8; 4000]);
}

#[test]
fn a_full_log_says_why_and_rolls_back_in_what_it_kept() {
    let fixed = Limits { max_pages: None, growth: Growth::Pages(0) };
    let world = World::create(Shape { log_limits: fixed, ..Shape::small() }, 64);
    make_page(&world, 8, &[0; 4000]);
    let mut txn = world.log().begin();
    let full = loop {
        let begun = with_ask(51, |ask| Mtr::begin(&world.handle, ask, 8300).map(drop));
        if let Err(full) = begun {
            break full;
        }
        change(&world, &mut txn, 8, &[1; 4000]);
        world.checkpoint().unwrap();
    };
    assert!(matches!(full, LogError::Full { reason: ReuseWait::ActiveTransaction }), "{full}");
    assert!(txn.used_bytes > 200_000);
    undo(&world, txn);
    assert_eq!(content(&world, 8), [0; 4000]);
    // The record of the first one may begin a part after the place that it names.
    world.checkpoint().unwrap();
    world.checkpoint().unwrap();
    assert_eq!(world.log().report().reuse_wait, ReuseWait::Nothing);
    with_ask(51, |ask| Mtr::begin(&world.handle, ask, 8300).map(drop)).unwrap();
}

#[test]
fn a_session_that_finds_the_log_full_waits_for_the_checkpoint_that_it_called() {
    let fixed = Limits { max_pages: None, growth: Growth::Pages(0) };
    let world = Arc::new(World::create(Shape { log_limits: fixed, ..Shape::small() }, 64));
    let (send, called) = std::sync::mpsc::channel();
    let end = send.clone();
    world.log().space.set_pressure(move || send.send(()).is_ok());
    let checkpointer = {
        let world = world.clone();
        std::thread::spawn(move || while called.recv().is_ok_and(|()| world.checkpoint().is_ok()) {})
    };
    make_page(&world, 8, &[0; 4000]);
    for turn in 0..1000_u32 {
        let mut txn = world.log().begin();
        change(&world, &mut txn, 8, &[turn as u8; 4000]);
        with_ask(51, |ask| world.log().commit(ask, txn, CommitMode::Delayed)).unwrap();
    }
    assert!(world.log().report().appended_bytes > 7 << 20);
    with_ask(0, |ask| world.log().close(ask)).unwrap();
    // It may have ended already: a call that was still waiting when the log was closed finds no log.
    let _ = end.send(());
    checkpointer.join().unwrap();
}

#[test]
fn the_log_grows_and_remembers_its_parts() {
    let world = World::create(Shape::small(), 64);
    make_page(&world, 8, &[0; 4000]);
    let mut txn = world.log().begin();
    for turn in 0..300_u32 {
        change(&world, &mut txn, 8, &[turn as u8; 4000]);
    }
    with_ask(51, |ask| world.log().commit(ask, txn, CommitMode::Durable)).unwrap();
    let report = world.log().report();
    assert!(report.size_bytes > 2 << 20 && report.parts > 4, "{report:?}");
    assert_eq!(world.log().part_reports().len(), report.parts);
    let images = world.images();
    let again = World::open(Shape::small(), &images).unwrap();
    assert_eq!(again.redo(2).unwrap().applied, 301);
    assert_eq!(content(&again, 8), [(299_u32 % 256) as u8; 4000]);

    let mut cut = images.clone();
    let bytes = cut["log"].len();
    cut.get_mut("log").unwrap().truncate(bytes - 8192);
    assert!(matches!(World::open(Shape::small(), &cut).map(drop), Err(LogOpenError::Truncated { .. })));
    cut.get_mut("log").unwrap().truncate(1 << 20);
    assert!(matches!(World::open(Shape::small(), &cut).map(drop), Err(LogOpenError::Truncated { .. })));
}

#[test]
fn the_log_of_another_database_is_refused() {
    let limits = Limits { max_pages: None, growth: Growth::Pages(64) };
    let (ram, log) = log_on_ram(1 << 20, limits);
    drop(log);
    let file = || vec![file_on(ram.clone(), 2, crate::file::file_header::FileKind::Log, limits)];
    let other = crate::wal::log::LogConfig { guid: [1; 16], ..config() };
    assert!(matches!(Log::open(other, file()), Err(LogOpenError::Foreign { .. })));
    assert!(Log::open(config(), file()).is_ok());
    millpond_device::BlockDevice::write_at(&*ram, 8192, &[0; 8192]).unwrap();
    assert!(matches!(Log::open(config(), file()), Err(LogOpenError::NoLog { .. })));
}

#[test]
fn a_failed_write_ends_the_log_and_acknowledges_nothing() {
    use millpond_device::{BlockDevice, FaultDevice, RamDevice, fault::Fault};
    let fault = Arc::new(FaultDevice::new(Arc::new(RamDevice::new("log"))));
    fault.set_len(1 << 20).unwrap();
    let limits = Limits { max_pages: None, growth: Growth::Pages(64) };
    let log = Log::create(config(), vec![file_on(fault.clone(), 2, crate::file::file_header::FileKind::Log, limits)])
        .unwrap();
    fault.order(Fault::SyncError, 0);
    let mut txn = log.begin();
    append_change(&log.core, &mut txn, &[0, 0, 0, 0, 0], 0);
    let failed = with_ask(51, |ask| log.commit(ask, txn, CommitMode::Durable));
    assert!(matches!(failed, Err(LogError::Unavailable { .. })), "{failed:?}");
    assert!(matches!(log.check_available(), Err(LogError::Unavailable { .. })));
    assert!(with_ask(51, |ask| log.commit(ask, log.begin(), CommitMode::Durable)).is_ok(), "nothing to make durable");
}

#[test]
fn a_log_that_is_kept_for_backups_is_cut_by_them() {
    let world = World::create(Shape::small(), 64);
    retention::set_keep_until_backup(&world.log().core, true);
    make_page(&world, 8, &[0; 4000]);
    for turn in 0..300_u32 {
        let mut txn = world.log().begin();
        change(&world, &mut txn, 8, &[turn as u8; 4000]);
        with_ask(51, |ask| world.log().commit(ask, txn, CommitMode::Delayed)).unwrap();
    }
    world.checkpoint().unwrap();
    let before = world.log().report();
    assert_eq!(before.reuse_wait, ReuseWait::LogBackup);
    let hold = LogHold::begin(world.log());
    assert_eq!(hold.from(), before.oldest);
    retention::set_backed_up(&world.log().core, before.end);
    assert_eq!(world.log().report().reuse_wait, ReuseWait::ActiveBackupOrRestore);
    drop(hold);
    let after = world.log().report();
    assert!(after.used_bytes < before.used_bytes / 2 && after.active_parts < before.active_parts, "{after:?}");
}

#[test]
fn lost_growth_of_the_data_file_is_made_up_for() {
    let world = World::create(Shape::small(), 16);
    make_page(&world, 8, b"here");
    with_ask(0, |ask| {
        crate::wal::recovery::PageHome::extend_to(&world, ask, page(40)).unwrap();
        let lsn = make_page(&world, 40, b"there");
        world.log().make_durable(ask, lsn).unwrap();
    });
    let mut images = world.images();
    images.get_mut("data").unwrap().truncate(16 * 8192);
    let again = World::open(Shape::small(), &images).unwrap();
    let redone = again.redo(2).unwrap();
    assert_eq!((redone.damaged.len(), again.extended.load(Relaxed)), (0, 1));
    assert_eq!((content(&again, 8), content(&again, 40)), (b"here".to_vec(), b"there".to_vec()));
}

#[test]
fn a_damaged_page_is_named_and_the_others_go_on() {
    let world = World::create(Shape::small(), 16);
    make_page(&world, 8, b"8");
    make_page(&world, 9, b"9");
    make_page(&world, 10, b"10");
    // Redo begins with a whole block; the second checkpoint begins after the one with these records.
    world.checkpoint().unwrap();
    world.checkpoint().unwrap();
    let mut txn = world.log().begin();
    for number in [8, 9, 10] {
        change(&world, &mut txn, number, b"new");
    }
    with_ask(51, |ask| world.log().commit(ask, txn, CommitMode::Durable)).unwrap();
    make_page(&world, 10, b"made anew");
    with_ask(51, |ask| world.log().make_durable(ask, world.log().end_lsn())).unwrap();
    let mut images = world.images();
    for number in [9, 10] {
        images.get_mut("data").unwrap()[number * 8192 + 3000] ^= 1;
    }
    let repaired = World::open(Shape::small(), &images).unwrap();
    assert_eq!((repaired.repaired, repaired.redo(2).unwrap().damaged.len()), (2, 0), "the area has copies");
    images.get_mut("area").unwrap().fill(0);
    let again = World::open(Shape::small(), &images).unwrap();
    let redone = again.redo(2).unwrap();
    assert_eq!(redone.damaged, [page(9)]);
    assert_eq!((content(&again, 8), content(&again, 10)), (b"new".to_vec(), b"made anew".to_vec()));
    with_ask(51, |ask| assert!(again.handle.pool.shared(ask, page(9)).is_err()));
}

#[test]
fn a_page_whose_old_state_contradicts_the_log_is_made_unreadable() {
    let world = World::create(Shape::small(), 16);
    make_page(&world, 8, b"8");
    make_page(&world, 9, b"9");
    world.checkpoint().unwrap();
    let old = world.images()["data"].clone();
    with_ask(51, |ask| {
        let mut mtr = Mtr::begin(&world.handle, ask, 200).unwrap();
        let index = mtr.latch(page(8)).unwrap();
        mtr.apply(index, PageOp::Insert { slot: 1, record: b"second" }).unwrap();
        mtr.commit();
    });
    world.checkpoint().unwrap();
    world.checkpoint().unwrap();
    let mut txn = world.log().begin();
    with_ask(51, |ask| {
        let mut mtr = Mtr::begin(&world.handle, ask, 200).unwrap();
        let index = mtr.latch(page(8)).unwrap();
        mtr.apply(index, PageOp::Replace { slot: 1, record: b"2" }).unwrap();
        mtr.commit_change(&mut txn, b"");
        world.log().commit(ask, txn, CommitMode::Durable).unwrap();
    });
    // A data file that lost a write that the checkpoint relied on: the record has no slot to go to.
    let mut images = world.images();
    images.insert("data".into(), old);
    let again = World::open(Shape::small(), &images).unwrap();
    assert_eq!(again.redo(1).unwrap().damaged, [page(8)]);
    with_ask(51, |ask| assert!(again.handle.pool.shared(ask, page(8)).is_err()));
    assert_eq!(content(&again, 9), b"9");
}

#[test]
fn the_page_says_which_record_changed_it_last_and_checkpoints_need_no_second_write() {
    let world = World::create(Shape::small(), 16);
    let lsn = make_page(&world, 8, b"x");
    with_ask(51, |ask| assert_eq!(header::lsn(&world.handle.pool.shared(ask, page(8)).unwrap()), lsn));
    assert_eq!(world.handle.pool.oldest_rec_lsn(crate::wal::tests::test_world::DB), Some(lsn.position()));
    let redo = world.checkpoint().unwrap();
    assert!(redo > lsn);
    assert_eq!(world.handle.pool.oldest_rec_lsn(crate::wal::tests::test_world::DB), None);
    let before = world.log().report();
    world.checkpoint().unwrap();
    world.checkpoint().unwrap();
    let idle = world.log().report().appended_bytes;
    world.checkpoint().unwrap();
    assert_eq!(world.log().report().appended_bytes, idle, "an idle checkpoint writes nothing");
    assert!(idle - before.appended_bytes < 200);
}

/// A backup taken while work goes on: pages of any point in time, and the log around them.
#[test]
fn blocks_that_were_copied_make_a_log_again() {
    use crate::wal::transfer::{ImportError, LogImport, copy_blocks};
    use millpond_device::{BlockDevice, RamDevice};
    let world = World::create(Shape::small(), 16);
    make_page(&world, 8, b"0");
    make_page(&world, 9, b"0");
    world.checkpoint().unwrap();
    let mut open = world.log().begin();
    change(&world, &mut open, 9, b"open");
    let hold = LogHold::begin(world.log());
    let data = world.images()["data"].clone();
    for turn in 0..600_u32 {
        let mut txn = world.log().begin();
        change(&world, &mut txn, 8, &turn.to_le_bytes().repeat(500));
        with_ask(51, |ask| world.log().commit(ask, txn, CommitMode::Delayed)).unwrap();
        if turn % 200 == 0 {
            world.checkpoint().unwrap();
        }
    }
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let end = world.log().end_lsn();
    let mut keep = |bytes: &[u8]| -> Result<(), ()> {
        blocks.push(bytes.to_vec());
        Ok(())
    };
    with_ask(0, |ask| copy_blocks(ask, world.log(), hold.from(), end, &mut keep)).unwrap();
    drop(hold);

    let limits = Limits { max_pages: None, growth: Growth::Pages(64) };
    let ram = Arc::new(RamDevice::new("log"));
    ram.set_len(16384).unwrap();
    let file = file_on(ram.clone(), 2, crate::file::file_header::FileKind::Log, limits);
    let mut import = LogImport::begin(config(), file);
    import.block(&blocks[0]).unwrap();
    assert!(matches!(import.block(&blocks[2]), Err(ImportError::Gap { .. })));
    assert!(matches!(import.block(&blocks[1][..100]), Err(ImportError::Damaged)));
    blocks.iter().for_each(|block| import.block(block).unwrap());
    drop(import.finish().unwrap());

    let mut images = world.images();
    let mut log = vec![0; ram.len_bytes() as usize];
    ram.read_at(0, &mut log).unwrap();
    images.insert("log".into(), log);
    images.insert("data".into(), data);
    images.get_mut("area").unwrap().fill(0);
    let restored = World::open(Shape::small(), &images).unwrap();
    let mut redone = restored.redo(2).unwrap();
    assert_eq!(content(&restored, 8), 599_u32.to_le_bytes().repeat(500));
    undo(&restored, redone.losers.pop().unwrap());
    assert_eq!(content(&restored, 9), b"0");
    restored.checkpoint().unwrap();
    make_page(&restored, 10, b"life goes on");
    let again = World::open(Shape::small(), &restored.images()).unwrap();
    with_ask(0, |ask| restored.log().close(ask)).unwrap();
    assert!(again.redo(1).unwrap().losers.is_empty());
}

#[test]
fn several_files_are_used_one_after_the_other() {
    use millpond_device::{BlockDevice, RamDevice};
    let fixed = Limits { max_pages: None, growth: Growth::Pages(0) };
    let devices: Vec<Arc<RamDevice>> = (0..2).map(|_| Arc::new(RamDevice::new("log"))).collect();
    devices.iter().for_each(|device| device.set_len(1 << 20).unwrap());
    let kind = crate::file::file_header::FileKind::Log;
    let file = |n: usize| file_on(devices[n].clone(), 2 + n as u16, kind, fixed);
    let log = Log::create(config(), vec![file(0)]).unwrap();
    let one = log.report();
    log.space.add_file(file(1)).unwrap();
    let two = log.report();
    assert_eq!((two.parts, two.size_bytes), (one.parts * 2, 2 << 20));
    assert_eq!(
        log.space.remove_file(crate::contract::FileId(2)),
        Err(crate::contract::FileId(2)),
        "the first one stays"
    );
    let mut txn = log.begin();
    let body = [&[0, 0, 0, 0, 0][..], &[7; 4000]].concat();
    while log.report().files[1].2 == 0 {
        append_change(&log.core, &mut txn, &body, 0);
    }
    let report = log.report();
    assert_eq!(report.files[0].1, report.files[0].2, "the first file is full");
    assert_eq!(log.space.remove_file(crate::contract::FileId(3)), Err(crate::contract::FileId(3)), "it is in use");
    with_ask(51, |ask| log.commit(ask, txn, CommitMode::Durable)).unwrap();
    with_ask(51, |ask| log.close(ask)).unwrap();
    assert!(matches!(Log::open(config(), vec![file(0)]), Err(LogOpenError::Truncated { .. })));
    assert!(Log::open(config(), vec![file(0), file(1)]).is_ok());
}

/// The bug: a file that was removed was still found by its number when another one had it. The log grew into the deleted
/// file, and the new file was given away though records lay in it.
#[test]
fn the_number_of_a_removed_file_is_given_to_another() {
    use millpond_device::{BlockDevice, RamDevice};
    let fixed = Limits { max_pages: None, growth: Growth::Pages(0) };
    let kind = crate::file::file_header::FileKind::Log;
    let device = || {
        let device = Arc::new(RamDevice::new("log"));
        device.set_len(1 << 20).unwrap();
        device
    };
    let (first, removed, again) = (device(), device(), device());
    let log = Log::create(config(), vec![file_on(first, 2, kind, fixed)]).unwrap();
    let number = crate::contract::FileId(3);
    log.space.add_file(file_on(removed.clone(), number.0, kind, fixed)).unwrap();
    log.space.remove_file(number).unwrap();
    assert_eq!((log.report().files.len(), log.report().size_bytes), (1, 1 << 20), "it is gone");
    assert_eq!(log.space.remove_file(number), Err(number), "it is no file of the log any more");
    log.space.add_file(file_on(again.clone(), number.0, kind, fixed)).unwrap();
    again.set_len(2 << 20).unwrap();
    log.space.extend_file(number).unwrap();
    let report = log.report();
    assert_eq!((report.files.len(), report.size_bytes), (2, 3 << 20));
    assert!(report.files[1].1 > (2 << 20) - (1 << 17), "all of the new file is used: {report:?}");
    let mut txn = log.begin();
    let body = [&[0, 0, 0, 0, 0][..], &[7; 4000]].concat();
    while log.report().files[1].2 == 0 {
        append_change(&log.core, &mut txn, &body, 0);
    }
    assert_eq!(log.space.remove_file(number), Err(number), "it is in use");
    with_ask(51, |ask| log.commit(ask, txn, CommitMode::Durable)).unwrap();
}

/// The bug: the place that was the end of the log at a checkpoint lay so near to the end of its part that the checkpoint's
/// own record went to the next part. Recovery began at a place without a block and found nothing.
#[test]
fn recovery_does_not_begin_where_a_part_was_left_empty() {
    let fixed = Limits { max_pages: None, growth: Growth::Pages(0) };
    let world = World::create(Shape { log_limits: fixed, ..Shape::small() }, 64);
    make_page(&world, 8, &[0; 4000]);
    let mut moved = 0;
    for length in 0..400_u32 {
        let mut txn = world.log().begin();
        change(&world, &mut txn, 8, &vec![length as u8; 1 + (length as usize * 37) % 3900]);
        with_ask(51, |ask| world.log().commit(ask, txn, CommitMode::Durable)).unwrap();
        let before = world.log().end_lsn();
        let redo = world.checkpoint().unwrap();
        if redo.sequence != before.sequence {
            moved += 1;
            let again = World::open(Shape::small(), &world.images()).unwrap();
            assert!(again.redo(1).unwrap().damaged.is_empty());
            assert_eq!(content(&again, 8), content(&world, 8));
        }
    }
    assert!(moved > 0, "the end of a part was met");
}

#[test]
fn a_delayed_commit_is_durable_before_long_though_others_follow() {
    let (_, log) = log_on_ram(1 << 20, Limits { max_pages: None, growth: Growth::Pages(64) });
    let commit = || {
        let mut txn = log.begin();
        append_change(&log.core, &mut txn, &[0, 0, 0, 0, 0], 0);
        with_ask(51, |ask| log.commit(ask, txn, CommitMode::Delayed)).unwrap()
    };
    let first = commit();
    // Fewer bytes than fill a block: only the writer's own nap makes them durable.
    let flushed = (0..500).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(2));
        commit();
        log.is_durable(first)
    });
    assert!(flushed);
}

/// Sessions that commit at the same time share writes and syncs; none is acknowledged before its own record is durable.
/// A device whose syncs take long enough for others to come meanwhile, on whatever machine.
#[derive(Debug)]
struct SlowSync(Arc<dyn BlockDevice>);

impl BlockDevice for SlowSync {
    fn name(&self) -> &Arc<str> {
        self.0.name()
    }

    fn read_vectored_at(&self, offset_bytes: u64, buffers: &mut [IoSliceMut<'_>]) -> Result<(), DeviceError> {
        self.0.read_vectored_at(offset_bytes, buffers)
    }

    fn write_vectored_at(&self, offset_bytes: u64, buffers: &[IoSlice<'_>]) -> Result<(), DeviceError> {
        self.0.write_vectored_at(offset_bytes, buffers)
    }

    fn sync(&self) -> Result<(), DeviceError> {
        std::thread::sleep(Duration::from_millis(1));
        self.0.sync()
    }

    fn len_bytes(&self) -> u64 {
        self.0.len_bytes()
    }

    fn set_len(&self, bytes: u64) -> Result<(), DeviceError> {
        self.0.set_len(bytes)
    }

    fn meter(&self) -> &Meter {
        self.0.meter()
    }
}

#[test]
fn commits_are_grouped() {
    let world = World::create_on(Shape::small(), 16, |log| Arc::new(SlowSync(log)));
    let (sessions, commits) = (16_u64, 60);
    let before = world.log().report().flushes;
    std::thread::scope(|scope| {
        for session in 0..sessions {
            let log = world.log();
            scope.spawn(move || {
                with_ask(51 + session as u16, |ask| {
                    for _ in 0..commits {
                        let mut txn = log.begin();
                        append_change(&log.core, &mut txn, &[0, 0, 0, 0, 0], 0);
                        let lsn = log.commit(ask, txn, CommitMode::Durable).unwrap();
                        assert!(log.is_durable(lsn));
                    }
                });
            });
        }
    });
    let groups = world.log().report().flushes - before;
    assert!(groups < sessions * commits, "{groups} groups for {} commits", sessions * commits);
    assert!(world.log().active_transactions().is_empty());
    world.log().close_broken("the test is over");
    let again = World::open(Shape::small(), &world.images()).unwrap();
    let redone = again.redo(1).unwrap();
    assert_eq!((redone.losers.len(), redone.records), (0, 2 * sessions * commits));
}
