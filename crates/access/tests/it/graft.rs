//! Trees that have entries and are filled after them, and from which that is cut off again.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use millpond_access::AccessError;
use millpond_access::tree::{Change, Direction, KeyRange, LOGGED_PAGES, RowTag, Tree, TreeFill, VersionPtr, Xsn};
use millpond_storage::ask::Ask;

use crate::rig::{self, IDS, Plain, Session, check, get, put, remove};
use millpond_access::tree;

/// Keys of one length, in the order of their numbers: long ones make high trees of few entries.
#[derive(Clone, Copy)]
struct Keys {
    bytes: usize,
}

impl Keys {
    fn key(self, number: u64) -> Vec<u8> {
        let mut key = vec![0; self.bytes - 8];
        key.extend_from_slice(&number.to_be_bytes());
        key
    }
}

const SHORT: Keys = Keys { bytes: 8 };
/// Four to a page, on all levels.
const LONG: Keys = Keys { bytes: 1600 };

fn payload(number: u64) -> Vec<u8> {
    vec![number as u8; 100]
}

fn put_all(tree: &Tree, ask: &Ask<'_>, keys: Keys, numbers: Range<u64>) {
    numbers.for_each(|number| put(tree, ask, &keys.key(number), &payload(number)).expect("room"));
}

/// The first number of a run, and how many it has.
type Run = (u64, u64);

fn numbers_of(&(first, count): &Run) -> Range<u64> {
    first..first + count
}

/// Fills runs after what is there, the last one first; the first key that is cut off again, if there are runs.
fn fill_runs(tree: &Arc<Tree>, ask: &Ask<'_>, keys: Keys, runs: &[Run]) -> Result<Option<(Vec<u8>, u64)>, AccessError> {
    let fill = TreeFill::begin_after(tree, None, LOGGED_PAGES);
    for run in runs.iter().rev() {
        let mut part = fill.part();
        numbers_of(run).try_for_each(|number| part.add(ask, &keys.key(number), &payload(number)))?;
        part.end_run(ask)?;
    }
    let mut filled = fill.join(ask)?;
    let first = filled.first_key().map(|key| (key.to_vec(), filled.rows()));
    fill.link(ask, &mut Plain::default(), &mut filled)?;
    for few in filled.few() {
        few.entries()?.iter().try_for_each(|entry| put(tree, ask, entry.key, entry.payload))?;
    }
    Ok(first)
}

fn numbers(tree: &Arc<Tree>, ask: &Ask<'_>, direction: Direction) -> Vec<u64> {
    let mut numbers = Vec::new();
    let mut cursor = tree::cursor::open(tree, KeyRange::all(), direction);
    let mut visit = |row: millpond_access::tree::LeafRow<'_>| {
        let number = u64::from_be_bytes(*row.key.last_chunk().expect("a number"));
        assert_eq!(row.payload, payload(number));
        numbers.push(number);
        ControlFlow::Continue(())
    };
    while cursor.next_page(ask, &mut visit).expect("readable") {}
    numbers
}

/// That the tree is sound and has just these entries, both ways, and as many as it says.
fn assert_has(tree: &Arc<Tree>, ask: &Ask<'_>, expected: impl Iterator<Item = u64>) {
    let expected: Vec<u64> = expected.collect();
    assert_eq!(check(tree, ask), expected.len() as u64);
    assert_eq!(tree::statistics::entry_count(tree, ask).expect("readable"), expected.len() as u64);
    assert_eq!(numbers(tree, ask, Direction::Forward), expected);
    let mut backward = numbers(tree, ask, Direction::Backward);
    backward.reverse();
    assert_eq!(backward, expected);
}

#[test]
fn runs_are_hung_behind_entries_at_any_height_and_cut_off_again() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    for keys in [SHORT, LONG] {
        for there in [1, 75, 3_000] {
            for runs in [
                vec![(there + 5, 1)],
                vec![(there, 90)],
                vec![(there, 5), (there + 5, 2), (there + 20, 380)],
                vec![(there, 1_900), (there + 9_000, 1)],
                vec![(there, 5_000)],
            ] {
                let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
                put_all(&tree, &ask, keys, 0..there);
                // Twice, the second time after the first.
                for round in 0..2 {
                    let runs: Vec<Run> = runs.iter().map(|(first, count)| (first + round * 20_000, *count)).collect();
                    let before = numbers(&tree, &ask, Direction::Forward);
                    let first = fill_runs(&tree, &ask, keys, &runs).expect("room");
                    let all: Vec<u64> = before.iter().copied().chain(runs.iter().flat_map(numbers_of)).collect();
                    assert_has(&tree, &ask, all.iter().copied());
                    let Some((key, rows)) = first else { continue };
                    // What was added one by one after the cut goes first, as in a rollback.
                    let few = all.len() - before.len() - rows as usize;
                    let few_max = if keys.bytes == 8 { 60 } else { 3 };
                    let small: Vec<u64> =
                        runs.iter().filter(|(_, count)| *count <= few_max).flat_map(numbers_of).collect();
                    assert_eq!(small.len(), few);
                    small.iter().for_each(|&number| remove(&tree, &ask, &keys.key(number)).expect("room"));
                    tree::graft::cut_off(&tree, &ask, &mut Plain::default(), &key, rows).expect("room");
                    tree::reclaim::reclaim_pages(&tree, &ask).expect("room");
                    assert_has(&tree, &ask, before.iter().copied());
                    fill_runs(&tree, &ask, keys, &runs).expect("room");
                    assert_has(&tree, &ask, all.iter().copied());
                }
                tree.free(&ask).expect("room");
            }
        }
    }
    assert_eq!(rig::reserved_pages(&instance), 0);
}

#[test]
fn what_is_hung_is_a_part_of_the_tree() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    for keys in [SHORT, LONG] {
        let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
        put_all(&tree, &ask, keys, 0..500);
        let (key, _) = fill_runs(&tree, &ask, keys, &[(500, 2_500), (4_000, 2_000)]).expect("room").expect("two runs");
        // Entries between, after and in the place of others split and unlink pages on both sides.
        put_all(&tree, &ask, keys, 3_000..4_000);
        put_all(&tree, &ask, keys, 6_000..7_000);
        (0..2_000).for_each(|number| remove(&tree, &ask, &keys.key(number)).expect("room"));
        assert_has(&tree, &ask, 2_000..7_000);
        put_all(&tree, &ask, keys, 0..2_000);
        assert_has(&tree, &ask, 0..7_000);
        tree::graft::cut_off(&tree, &ask, &mut Plain::default(), &key, 6_500).expect("room");
        tree::reclaim::reclaim_pages(&tree, &ask).expect("room");
        assert_has(&tree, &ask, 0..500);
        tree.free(&ask).expect("room");
    }
    assert_eq!(rig::reserved_pages(&instance), 0);
}

#[test]
fn keys_before_those_that_are_there_are_refused_and_nothing_is_left() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    for there in [10, 5_000] {
        let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
        put_all(&tree, &ask, SHORT, 0..there);
        for (start, is_equal) in [(there - 1, true), (there - 2, false), (0, false)] {
            let refused = fill_runs(&tree, &ask, SHORT, &[(start, 500)]);
            assert!(matches!(refused, Err(AccessError::KeyOrder { is_equal: e }) if e == is_equal), "{refused:?}");
            tree::reclaim::reclaim_pages(&tree, &ask).expect("room");
            assert_has(&tree, &ask, 0..there);
        }
        tree.free(&ask).expect("room");
    }
}

#[test]
fn a_tree_whose_last_ghosts_go_meanwhile_is_filled_all_the_same() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    for ghosts in [1, 300] {
        let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("room");
        let tag = Some(RowTag { xsn: Xsn(1), version: VersionPtr(0) });
        for number in 0..ghosts {
            let ghost = Change::Put { payload: b"", is_ghost: true, tag };
            let put = tree::modify::change_entry(&tree, &ask, &mut Plain::default(), &SHORT.key(number), &mut |_| {
                Ok::<_, AccessError>(ghost)
            });
            put.expect("room");
        }
        let fill = TreeFill::begin_after(&tree, None, LOGGED_PAGES);
        let mut part = fill.part();
        (1_000..2_000).for_each(|number| part.add(&ask, &SHORT.key(number), &payload(number)).expect("room"));
        part.end_run(&ask).expect("room");
        drop(part);
        (0..ghosts).for_each(|number| remove(&tree, &ask, &SHORT.key(number)).expect("room"));
        assert!(tree.is_bare(&ask).expect("readable"));
        let mut filled = fill.join(&ask).expect("room");
        let key = filled.first_key().expect("a run").to_vec();
        fill.link(&ask, &mut Plain::default(), &mut filled).expect("room");
        assert_has(&tree, &ask, 1_000..2_000);
        tree::graft::cut_off(&tree, &ask, &mut Plain::default(), &key, 1_000).expect("room");
        tree::reclaim::reclaim_pages(&tree, &ask).expect("room");
        assert!(tree.is_bare(&ask).expect("readable"));
        assert_eq!((check(&tree, &ask), get(&tree, &ask, &key)), (0, None));
        tree.free(&ask).expect("room");
    }
    assert_eq!(rig::reserved_pages(&instance), 0);
}
