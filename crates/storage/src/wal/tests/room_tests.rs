//! A log that may grow never refuses, however small it is and however little it grows by.

use std::sync::Arc;

use crate::contract::PageKind;
use crate::file::growth::{Growth, Limits};
use crate::wal::log::CommitMode;
use crate::wal::mtr::Mtr;
use crate::wal::page_op::PageOp;
use crate::wal::tests::test_world::{Shape, World, page, with_ask};

const GROWTHS: [Growth; 5] =
    [Growth::Pages(8), Growth::Pages(16), Growth::Percent(1), Growth::Percent(10), Growth::Pages(64)];

fn world(log_bytes: u64, growth: Growth) -> World {
    let shape = Shape { frames: 64, log_bytes, log_limits: Limits { max_pages: None, growth } };
    let world = World::create(shape, 64);
    for number in 8..16 {
        with_ask(51, |ask| {
            let mut mtr = Mtr::begin(&world.handle, ask, 100).unwrap();
            let index = mtr.create(page(number), PageKind::Index, 7, 1, 0).unwrap();
            mtr.apply(index, PageOp::Insert { slot: 0, record: &[0; 4000] }).unwrap();
            mtr.commit();
        });
    }
    world
}

/// Changes in one transaction, so that nothing of the log can be cut.
fn work(world: &World, number: u32, undo: &[u8], turns: u32) {
    with_ask(51, |ask| {
        let mut txn = world.log().begin();
        for turn in 0..turns {
            let mut mtr = Mtr::begin(&world.handle, ask, 4100 + undo.len()).expect("a log that may grow");
            let index = mtr.latch(page(number)).unwrap();
            mtr.apply(index, PageOp::Replace { slot: 0, record: &[turn as u8; 4000] }).unwrap();
            mtr.commit_change(&mut txn, undo);
        }
        world.log().commit(ask, txn, CommitMode::Durable).unwrap();
    });
}

#[test]
fn small_logs_with_small_growth_take_what_comes() {
    for growth in GROWTHS {
        for log_bytes in [300 << 10, 512 << 10, 1 << 20] {
            let world = world(log_bytes, growth);
            work(&world, 8, &[1; 100], 400);
            work(&world, 9, &[2; 60_000], 20);
            world.checkpoint().unwrap();
            assert!(world.log().report().size_bytes > 2 << 20, "{growth:?}");
        }
    }
}

#[test]
fn recovery_begins_in_a_fresh_part_where_the_log_has_room() {
    let world = world(4 << 20, Growth::Pages(8));
    work(&world, 8, &[1; 100], 60);
    let before = world.log().end_lsn();
    let begun = world.checkpoint_in_fresh_part().unwrap();
    assert_eq!((begun.sequence, begun.position().block()), (before.sequence + 1, 8), "after {before}");
    assert_eq!(world.checkpoint_in_fresh_part().unwrap().sequence, begun.sequence, "nothing was appended");
    work(&world, 8, &[1; 100], 2);
    assert_eq!(world.checkpoint_in_fresh_part().unwrap().sequence, begun.sequence, "a copy of little");
    let shape = Shape { frames: 64, log_bytes: 0, log_limits: Limits { max_pages: None, growth: Growth::Pages(8) } };
    let again = World::open(shape, &world.images()).unwrap();
    assert_eq!(again.redo(1).unwrap().losers.len(), 0);

    // An open transaction needs the parts before, and half of a log stays free.
    let mut txn = world.log().begin();
    with_ask(51, |ask| {
        let mut mtr = Mtr::begin(&world.handle, ask, 4200).unwrap();
        let index = mtr.latch(page(9)).unwrap();
        mtr.apply(index, PageOp::Replace { slot: 0, record: &[9; 4000] }).unwrap();
        mtr.commit_change(&mut txn, &[1; 100]);
    });
    let mut parts = Vec::new();
    for _ in 0..40 {
        work(&world, 8, &[1; 100], 40);
        parts.push(world.checkpoint_in_fresh_part().unwrap().sequence);
    }
    assert!(parts.windows(2).all(|pair| pair[0] <= pair[1]), "{parts:?}");
    assert!(world.log().report().size_bytes < 16 << 20, "{}", world.log().report().size_bytes);
    with_ask(51, |ask| world.log().commit(ask, txn, CommitMode::Durable)).unwrap();
}

#[test]
fn many_sessions_fill_a_small_log_at_once() {
    for growth in GROWTHS {
        let world = Arc::new(world(300 << 10, growth));
        std::thread::scope(|scope| {
            for number in 8..16 {
                let world = world.clone();
                scope.spawn(move || work(&world, number, &[3; 1000], 100));
            }
        });
        world.checkpoint().unwrap();
    }
}

#[test]
fn the_parts_of_small_growths_are_found_again() {
    let world = world(300 << 10, Growth::Pages(8));
    work(&world, 8, &[1; 100], 400);
    let shape = Shape { frames: 64, log_bytes: 0, log_limits: Limits { max_pages: None, growth: Growth::Pages(8) } };
    let again = World::open(shape, &world.images()).unwrap();
    assert_eq!(again.redo(1).unwrap().losers.len(), 0);
    assert_eq!(again.log().part_reports().len(), world.log().part_reports().len());
}
