//! Trees that several threads fill, each with runs of keys of its own.

use std::sync::Arc;

use millpond_access::AccessError;
use millpond_access::tree::{LOGGED_PAGES, RowTag, StatisticsMode, Tree, TreeFill, VersionPtr, Xsn};
use millpond_storage::ask::Ask;

use crate::rig::{self, IDS, Plain, Session, check, get, put};
use millpond_access::tree;

fn key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

fn add_run(fill: &Arc<TreeFill>, ask: &Ask<'_>, keys: std::ops::Range<u64>) -> Result<(), AccessError> {
    let mut part = fill.part();
    keys.into_iter().try_for_each(|number| part.add(ask, &key(number), &[number as u8; 100]))?;
    part.end_run(ask)
}

#[test]
fn runs_of_several_threads_are_one_tree() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
    let fill = TreeFill::begin(&tree, 100, None, LOGGED_PAGES);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let fill = &fill;
            scope.spawn(move || {
                let session = Session::new(60 + thread as u16);
                let ask = session.ask();
                // Runs lie between those of the others; what is between two of them belongs to none.
                for run in [3, 0, 7, 1] {
                    let first = (run * 3 + thread) * 10_000;
                    add_run(fill, &ask, first..first + 1 + run * 1_400).expect("room");
                }
            });
        }
    });
    assert_eq!(get(&tree, &ask, &key(0)), None, "nothing is there before the end");
    let rows = 3 * (1 + 1_401 + 4_201 + 9_801);
    assert_eq!(
        (fill.finish(&ask, &mut Plain::default()).expect("room"), check(&tree, &ask), fill.needs_checkpoint()),
        (rows, rows, false)
    );
    assert_eq!(get(&tree, &ask, &key(70_000 * 3 + 9_800)), Some(vec![(70_000_u64 * 3 + 9_800) as u8; 100]));
    (0..600).for_each(|n| put(&tree, &ask, &key(n * 401), &[1; 300]).expect("room"));
    check(&tree, &ask);
    tree.free(&ask).expect("room");
    assert_eq!(rig::reserved_pages(&instance), 0);
}

#[test]
fn a_tree_is_no_higher_than_its_entries_need() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    for (rows, depth) in [(0, 1), (1, 1), (70, 1), (71, 2), (20_000, 2), (40_000, 3)] {
        let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
        let fill = TreeFill::begin(&tree, 100, None, LOGGED_PAGES);
        if rows > 0 {
            add_run(&fill, &ask, 0..rows).expect("room");
        }
        assert_eq!((fill.finish(&ask, &mut Plain::default()).expect("room"), check(&tree, &ask)), (rows, rows));
        let shape = tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable");
        assert_eq!(shape.depth, depth, "{rows} rows");
        tree.free(&ask).expect("room");
    }
    assert_eq!(rig::reserved_pages(&instance), 0);
}

#[test]
fn runs_that_are_filled_side_by_side_lie_apart_in_the_file() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
    let fill = TreeFill::begin(&tree, 100, None, LOGGED_PAGES);
    let mut parts = [fill.part(), fill.part()];
    for number in 0..60_000 {
        for (run, part) in parts.iter_mut().enumerate() {
            part.add(&ask, &key(run as u64 * 100_000 + number), &[0; 100]).expect("room");
        }
    }
    parts.into_iter().for_each(|mut part| part.end_run(&ask).expect("room"));
    assert_eq!(fill.finish(&ask, &mut Plain::default()).expect("room"), 120_000);
    let shape = tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable");
    let (leaves, fragments) = (shape.levels[0].pages, shape.levels[0].fragments);
    assert!(leaves > 1_600 && fragments * 25 < leaves, "{fragments} fragments of {leaves} leaves");
    check(&tree, &ask);
}

#[test]
fn entries_have_the_tag_that_the_fill_began_with() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
    let tag = Some(RowTag { xsn: Xsn(17), version: VersionPtr(0) });
    let fill = TreeFill::begin(&tree, 100, tag, 0);
    add_run(&fill, &ask, 0..200).expect("room");
    fill.finish(&ask, &mut Plain::default()).expect("room");
    assert_eq!(tree::read::get(&tree, &ask, &key(199), |row| row.tag).expect("readable"), Some(tag));
}

#[test]
fn runs_that_overlap_and_keys_that_do_not_ascend_are_refused() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    for (second, is_equal) in [(150..160, false), (200..210, false), (199..210, true), (0..100, false)] {
        let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
        let fill = TreeFill::begin(&tree, 100, None, LOGGED_PAGES);
        add_run(&fill, &ask, 100..200).expect("room");
        add_run(&fill, &ask, second.clone()).expect("room");
        match second.start {
            200 | 0 => assert!(fill.finish(&ask, &mut Plain::default()).is_ok()),
            _ => assert!(
                matches!(fill.finish(&ask, &mut Plain::default()), Err(AccessError::KeyOrder { is_equal: e }) if e == is_equal)
            ),
        }
        let mut part = fill.part();
        part.add(&ask, b"b", b"").expect("room");
        assert!(matches!(part.add(&ask, b"a", b""), Err(AccessError::KeyOrder { is_equal: false })));
        assert!(matches!(part.add(&ask, b"b", b""), Err(AccessError::KeyOrder { is_equal: true })));
        drop(part);
        tree.free(&ask).expect("what was begun goes with the tree");
    }
    assert_eq!(rig::reserved_pages(&instance), 0);
}

#[test]
fn whoever_is_told_to_stop_stops() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
    let fill = TreeFill::begin(&tree, 100, None, LOGGED_PAGES);
    session.task.cancel();
    assert!(matches!(add_run(&fill, &ask, 0..5_000), Err(AccessError::Cancelled)));
}
