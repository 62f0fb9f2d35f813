//! One thread: whatever is done to a tree, it has what a sorted map has.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use millpond_access::AccessError;
use millpond_access::tree::{
    Built, Change, Direction, Entry, EntrySource, KeyRange, RowTag, StatisticsMode, Tree, VersionPtr, Xsn,
};
use millpond_storage::ask::Ask;
use proptest::prelude::*;

use crate::rig::{self, IDS, Plain, Session, check, get, put, remove};
use millpond_access::tree;

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn entries(tree: &Arc<Tree>, ask: &Ask<'_>, range: KeyRange, direction: Direction) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut cursor = tree::cursor::open(tree, range, direction);
    let mut found = Vec::new();
    while cursor
        .next_page(ask, &mut |row| {
            found.push((row.key.to_vec(), row.payload.to_vec()));
            ControlFlow::Continue(())
        })
        .expect("readable")
    {}
    found
}

fn assert_same(tree: &Arc<Tree>, ask: &Ask<'_>, model: &Model) {
    assert_eq!(check(tree, ask), model.len() as u64);
    let expected: Vec<_> = model.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    assert_eq!(entries(tree, ask, KeyRange::all(), Direction::Forward), expected);
    let mut backwards = entries(tree, ask, KeyRange::all(), Direction::Backward);
    backwards.reverse();
    assert_eq!(backwards, expected);
}

#[derive(Clone, Debug)]
enum Step {
    Put(Vec<u8>, Vec<u8>),
    Remove(Vec<u8>),
    Get(Vec<u8>),
    Next(Vec<u8>),
    Range(Vec<u8>, Vec<u8>),
    Compact(u8),
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    let short = proptest::collection::vec(0..4_u8, 0..6);
    let long = (0..20_u8, 100..1700_usize).prop_map(|(n, len)| vec![n; len]);
    prop_oneof![4 => short, 1 => long]
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => 0..300_usize, 1 => 1000..6343_usize]
        .prop_flat_map(|len| any::<u8>().prop_map(move |b| vec![b; len]))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (key(), payload()).prop_map(|(k, p)| Step::Put(k, p)),
        4 => key().prop_map(Step::Remove),
        1 => key().prop_map(Step::Get),
        1 => key().prop_map(Step::Next),
        1 => (key(), key()).prop_map(|(a, b)| Step::Range(a, b)),
        1 => (1..=100_u8).prop_map(Step::Compact),
    ]
}

fn bounds(low: Vec<u8>, high: Vec<u8>) -> [KeyRange; 2] {
    [
        KeyRange { low: Bound::Included(low.clone()), high: Bound::Excluded(high.clone()) },
        KeyRange { low: Bound::Excluded(low), high: Bound::Included(high) },
    ]
}

fn of_model(model: &Model, range: &KeyRange) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (low, high) = (range.low.as_ref().map(Vec::as_slice), range.high.as_ref().map(Vec::as_slice));
    let found = model.range::<[u8], _>((low, high));
    found.map(|(k, v)| (k.clone(), v.clone())).collect()
}

fn run(tree: &Arc<Tree>, ask: &Ask<'_>, model: &mut Model, step: Step) {
    match step {
        Step::Put(key, payload) => {
            put(tree, ask, &key, &payload).expect("there is room");
            model.insert(key, payload);
        }
        Step::Remove(key) => {
            remove(tree, ask, &key).expect("removing needs nothing");
            model.remove(&key);
        }
        Step::Get(key) => assert_eq!(get(tree, ask, &key), model.get(&key).cloned()),
        Step::Next(key) => {
            let next = model.range::<[u8], _>((Bound::Excluded(key.as_slice()), Bound::Unbounded)).next();
            assert_eq!(tree::read::next_key(tree, ask, &key).expect("readable"), next.map(|(k, _)| k.clone()));
        }
        Step::Range(a, b) if a < b => {
            for range in bounds(a, b) {
                let expected = of_model(model, &range);
                assert_eq!(entries(tree, ask, range.clone(), Direction::Forward), expected);
                let mut found = entries(tree, ask, range, Direction::Backward);
                found.reverse();
                assert_eq!(found, expected);
            }
        }
        Step::Range(..) => {}
        Step::Compact(percent) => {
            let done = tree::compact::compact(tree, ask, percent).expect("room");
            assert!(done.removed <= done.moved && done.moved <= done.scanned, "{done:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn a_tree_is_a_sorted_map(steps in proptest::collection::vec(step(), 1..400)) {
        let (instance, session) = (rig::instance_with_files(3), Session::new(51));
        let ask = session.ask();
        let (tree, place) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
        let mut model = Model::new();
        for step in steps {
            run(&tree, &ask, &mut model, step);
        }
        assert_same(&tree, &ask, &model);
        let again = Tree::open(&rig::tempdb(&instance), IDS, place);
        assert_same(&again, &ask, &model);
    }
}

fn number(n: u64) -> [u8; 8] {
    n.to_be_bytes()
}

/// The numbers 0 to `count` - 1 in an order without pattern.
fn shuffled(count: u64) -> impl Iterator<Item = u64> {
    // Odd multiplier, power of two: a permutation.
    let size = count.next_power_of_two();
    (0..size).map(move |n| n.wrapping_mul(2_654_435_769) % size).filter(move |&n| n < count)
}

#[test]
fn ascending_loads_fill_pages_and_descending_ones_work() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    (0..20_000).for_each(|n| put(&tree, &ask, &number(n), &[1; 100]).expect("room"));
    assert_eq!(check(&tree, &ask), 20_000);
    let statistics = tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable");
    assert!(statistics.levels[0].used_percent() > 97.0, "{statistics:?}");
    assert!(statistics.levels[0].fragmentation_percent() < 1.0, "{statistics:?}");
    assert_eq!(statistics.depth as usize, statistics.levels.len());

    let (down, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    (0..20_000).rev().for_each(|n| put(&down, &ask, &number(n), &[1; 100]).expect("room"));
    assert_eq!(check(&down, &ask), 20_000);
}

/// A sample sees whole leaves, in the order of keys, far apart; what changes is counted both ways.
#[test]
fn leaves_are_sampled_in_order() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    let sampled = |pages_max: usize| {
        let (mut seen, mut pages) = (Vec::new(), 0);
        let share = tree::statistics::sample_leaves(&tree, &ask, pages_max, &mut |payloads| {
            pages += 1;
            seen.extend(payloads.iter().map(|payload| u32::from_be_bytes(*payload.first_chunk().expect("a number"))));
        });
        (share.expect("readable"), pages, seen)
    };
    assert_eq!(sampled(8), (1.0, 1, Vec::new()));
    let payload = |n: u64| [&(n as u32).to_be_bytes()[..], &[1; 96]].concat();
    (0..20_000).for_each(|n| put(&tree, &ask, &number(n), &payload(n)).expect("room"));
    let (share, pages, seen) = sampled(usize::MAX);
    assert_eq!((share, seen), (1.0, (0..20_000).collect::<Vec<u32>>()));
    let (part, some, seen) = sampled(10);
    assert!(some <= 10 && some > 5, "{some} of {pages}");
    assert_eq!(part, f64::from(some) / f64::from(pages));
    assert!(seen.is_sorted() && seen[0] == 0 && *seen.last().expect("some") > 17_000, "far apart");
    assert_eq!(tree.entry_changes(), 20_000);
    (0..500).for_each(|n| remove(&tree, &ask, &number(n)).expect("room"));
    assert_eq!((tree.entry_changes(), tree.known_entries()), (20_500, Some(19_500)));
}

/// What deletions and splits in the middle left becomes full pages, and a tree that is full stays as it is.
#[test]
fn poor_leaves_are_packed() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    (0..20_000).for_each(|n| put(&tree, &ask, &number(n), &[1; 100]).expect("room"));
    let leaf = || tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable").levels[0];
    let full = leaf();
    let done = tree::compact::compact(&tree, &ask, 100).expect("room");
    assert_eq!((done.scanned, done.moved, done.removed), (full.pages, 0, 0));

    (0..20_000).filter(|n| n % 3 > 0).for_each(|n| remove(&tree, &ask, &number(n)).expect("room"));
    let poor = leaf();
    assert!(poor.used_percent() < 40.0, "{poor:?}");
    let done = tree::compact::compact(&tree, &ask, 100).expect("room");
    let packed = leaf();
    assert_eq!(packed.pages, poor.pages - done.removed);
    assert!(packed.used_percent() > 90.0 && done.moved >= done.removed, "{packed:?} {done:?}");
    assert_eq!(check(&tree, &ask), 6_667);
    let iam_pages = tree.iam_pages(&ask).expect("readable").len() as u64;
    let levels = tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable").levels;
    let linked: u64 = levels.iter().map(|level| level.pages).sum();
    assert_eq!(tree.space(&ask).expect("readable").used, linked + iam_pages);
    assert_eq!(tree::compact::compact(&tree, &ask, 100).expect("room").removed, 0);

    // Half-full pages stay so where the index wants it, and an order without pattern is packed too.
    let (other, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    shuffled(20_000).for_each(|n| put(&other, &ask, &number(n), &[1; 100]).expect("room"));
    let leaf = || tree::statistics::of_tree(&other, &ask, StatisticsMode::Detailed).expect("readable").levels[0];
    assert!(leaf().used_percent() < 80.0, "{:?}", leaf());
    tree::compact::compact(&other, &ask, 100).expect("room");
    assert!(leaf().used_percent() > 90.0, "{:?}", leaf());
    let before = leaf();
    tree::compact::compact(&other, &ask, 50).expect("room");
    assert_eq!(leaf(), before);
    assert_eq!(check(&other, &ask), 20_000);
}

/// A cancelled walk ends, and leaves a sound tree.
#[test]
fn compacting_ends_when_it_is_cancelled() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &session.ask(), IDS).expect("there is room");
    (0..2_000).for_each(|n| put(&tree, &session.ask(), &number(n), &[1; 100]).expect("room"));
    session.ask().task.cancel();
    let done = tree::compact::compact(&tree, &session.ask(), 100);
    assert!(matches!(done, Err(AccessError::Cancelled)), "{done:?}");
}

/// Groups that each grow at their own end, as orders of many districts do.
#[test]
fn ascending_groups_fill_pages_too() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    for n in 0..2_000_u32 {
        for group in 0..10_u32 {
            let key = [group.to_be_bytes(), n.to_be_bytes()].concat();
            put(&tree, &ask, &key, &[1; 100]).expect("room");
        }
    }
    assert_eq!(check(&tree, &ask), 20_000);
    let statistics = tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable");
    assert!(statistics.levels[0].used_percent() > 90.0, "{statistics:?}");
}

#[test]
fn space_comes_back_when_entries_go() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let ctx = rig::tempdb(&instance);
    let (tree, _) = Tree::create(&ctx, &ask, IDS).expect("there is room");
    let small = tree.space(&ask).expect("readable");
    for turn in 0..3 {
        shuffled(20_000).for_each(|n| put(&tree, &ask, &number(n), &[turn; 100]).expect("room"));
        assert!(tree.space(&ask).expect("readable").used > 280);
        shuffled(20_000).for_each(|n| remove(&tree, &ask, &number(n)).expect("room"));
        let left = tree.space(&ask).expect("readable");
        assert_eq!((check(&tree, &ask), left.used), (0, small.used), "the root and the IAM page");
        assert_eq!(tree::statistics::of_tree(&tree, &ask, StatisticsMode::Limited).expect("readable").depth, 1);
    }
    tree.free(&ask).expect("room");
    assert!(matches!(tree::read::get(&tree, &ask, b"", |_| ()), Err(AccessError::Gone(_))));
    assert_eq!(rig::reserved_pages(&instance), 0);
}

#[test]
fn truncation_leaves_the_root() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    (0..5_000).for_each(|n| put(&tree, &ask, &number(n), &[1; 100]).expect("room"));
    tree.truncate(&ask).expect("room");
    assert_eq!(check(&tree, &ask), 0);
    assert_eq!(tree.space(&ask).expect("readable").used, 2);
    (0..5_000).for_each(|n| put(&tree, &ask, &number(n), &[1; 100]).expect("room"));
    assert_eq!(check(&tree, &ask), 5_000);
}

struct Numbers {
    next: u64,
    end: u64,
    key: [u8; 8],
    payload: Vec<u8>,
}

impl EntrySource<AccessError> for Numbers {
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, AccessError> {
        if self.next == self.end {
            return Ok(None);
        }
        self.key = number(self.next);
        self.next += 1;
        Ok(Some(Entry { key: &self.key, payload: &self.payload }))
    }
}

#[test]
fn a_tree_built_in_bulk_is_a_tree() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let ctx = rig::tempdb(&instance);
    for (rows, fill, leaves) in [(0, 0, 1), (1, 100, 1), (69, 100, 1), (30_000, 100, 429), (30_000, 50, 858)] {
        let mut source = Numbers { next: 0, end: rows, key: [0; 8], payload: vec![7; 100] };
        let Built { tree, rows: built, needs_checkpoint } =
            tree::bulk::build(&ctx, &ask, IDS, fill, &mut source).expect("room");
        assert_eq!((built, check(&tree, &ask), needs_checkpoint), (rows, rows, false));
        let place = tree.place();
        let statistics = tree::statistics::of_tree(&tree, &ask, StatisticsMode::Detailed).expect("readable");
        assert_eq!(statistics.levels[0].pages, leaves, "{rows} rows at {fill} %");
        let tree = Tree::open(&ctx, IDS, place);
        let model: Model = (0..rows).map(|n| (number(n).to_vec(), vec![7; 100])).collect();
        assert_same(&tree, &ask, &model);
        (0..rows).step_by(3).for_each(|n| put(&tree, &ask, &number(n), &[8; 300]).expect("room"));
        assert_eq!(check(&tree, &ask), rows);
        tree.free(&ask).expect("room");
    }
    assert_eq!(rig::reserved_pages(&instance), 0);
}

struct Two(Vec<&'static [u8]>);

impl EntrySource<AccessError> for Two {
    fn next_entry(&mut self) -> Result<Option<Entry<'_>>, AccessError> {
        Ok(self.0.pop().map(|key| Entry { key, payload: b"" }))
    }
}

#[test]
fn entries_out_of_order_build_nothing() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let ctx = rig::tempdb(&instance);
    for (keys, expected) in [([b"a", b"b"], false), ([b"a", b"a"], true)] {
        let keys: Vec<&'static [u8]> = keys.into_iter().map(|key| &key[..]).collect();
        let refused = tree::bulk::build(&ctx, &ask, IDS, 100, &mut Two(keys));
        assert!(matches!(refused, Err(AccessError::KeyOrder { is_equal }) if is_equal == expected));
    }
    assert_eq!(rig::reserved_pages(&instance), 0);
}

#[test]
fn what_is_too_long_is_refused() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    let key = vec![1; 1700];
    assert!(matches!(put(&tree, &ask, &[1; 1701], b""), Err(AccessError::KeyTooLong { key_bytes: 1701, .. })));
    assert!(matches!(put(&tree, &ask, &key, &[0; 6344]), Err(AccessError::EntryTooLong { entry_bytes: 8044, .. })));
    put(&tree, &ask, &key, &[0; 6343]).expect("8043 bytes fit");
    put(&tree, &ask, b"", &[0; 8043]).expect("so they do with an empty key");
    let tag = Some(RowTag { xsn: Xsn::MAX, version: VersionPtr(u64::MAX) });
    let mark = Change::Mark { is_ghost: true, tag };
    tree::modify::change_entry(&tree, &ask, &mut Plain::default(), &key, &mut |_| Ok::<_, AccessError>(mark))
        .expect("a tag has room");
    let row = tree::read::get(&tree, &ask, &key, |row| (row.payload.len(), row.is_ghost, row.tag)).expect("readable");
    assert_eq!(row, Some((6343, true, tag)));
    assert_eq!(check(&tree, &ask), 1);
}

#[test]
fn ghosts_make_room_when_nobody_needs_them() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    (0..70).for_each(|n| put(&tree, &ask, &number(10 * n), &[1; 90]).expect("room"));
    for n in 0..35 {
        let tag = Some(RowTag { xsn: Xsn(n), version: VersionPtr(0) });
        let mark = Change::Mark { is_ghost: true, tag };
        tree::modify::change_entry(&tree, &ask, &mut Plain::default(), &number(20 * n), &mut |_| {
            Ok::<_, AccessError>(mark)
        })
        .expect("room");
    }
    let mut old = Plain { purges_below: 20 };
    let fill = Change::Put { payload: &[2; 90], is_ghost: false, tag: None };
    let mut inserted = 0;
    while tree::check::check_tree(&tree, &ask).expect("checked").ghosts == 35 {
        tree::modify::change_entry(&tree, &ask, &mut old, &number(1001 + inserted), &mut |_| {
            Ok::<_, AccessError>(fill)
        })
        .expect("room");
        inserted += 1;
    }
    let report = tree::check::check_tree(&tree, &ask).expect("checked");
    assert_eq!((report.ghosts, report.rows, report.leaves), (15, 35 + inserted, 1));
}

#[test]
fn a_cursor_goes_on_behind_the_entry_where_it_stopped() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    (0..1_000).for_each(|n| put(&tree, &ask, &number(n), &[1; 100]).expect("room"));
    for direction in [Direction::Forward, Direction::Backward] {
        let mut cursor = tree::cursor::open(&tree, KeyRange::all(), direction);
        let mut seen = Vec::new();
        loop {
            let more = cursor.next_page(&ask, &mut |row| {
                seen.push(u64::from_be_bytes(row.key.try_into().expect("8 bytes")));
                if seen.len() % 7 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if !more.expect("readable") {
                break;
            }
            if seen.len() % 49 == 0 {
                let last = seen.pop().expect("something was seen");
                cursor.repeat();
                let mut first = None;
                cursor
                    .next_page(&ask, &mut |row| {
                        first = Some(u64::from_be_bytes(row.key.try_into().expect("8 bytes")));
                        ControlFlow::Break(())
                    })
                    .expect("readable");
                assert_eq!(first, Some(last));
                seen.push(last);
            }
        }
        let mut expected: Vec<u64> = (0..1_000).collect();
        if direction == Direction::Backward {
            expected.reverse();
        }
        assert_eq!(seen, expected);
    }
}

/// Entries of the parts into which keys divide a range.
fn part_sizes(tree: &Arc<Tree>, ask: &Ask<'_>, range: KeyRange, keys: Vec<Vec<u8>>) -> Vec<usize> {
    let mut lows = vec![range.low];
    lows.extend(keys.iter().cloned().map(Bound::Included));
    let mut highs: Vec<_> = keys.into_iter().map(Bound::Excluded).collect();
    highs.push(range.high);
    let entries = |(low, high)| entries(tree, ask, KeyRange { low, high }, Direction::Forward).len();
    lows.into_iter().zip(highs).map(entries).collect()
}

#[test]
fn dividers_cut_a_range_into_similar_parts() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let (tree, _) = Tree::create(&rig::tempdb(&instance), &ask, IDS).expect("there is room");
    assert!(tree::divide::dividers(&tree, &ask, &KeyRange::all(), 3).expect("readable").is_empty());
    (0..50_000).for_each(|n| put(&tree, &ask, &number(n), &[1; 100]).expect("room"));
    let middle =
        KeyRange { low: Bound::Excluded(number(10_000).to_vec()), high: Bound::Included(number(30_000).to_vec()) };
    for (range, rows) in [(KeyRange::all(), 50_000), (middle, 20_000)] {
        // More than the root has children, and more than there are pages in the range.
        for count in [1, 3, 15, 100, 5_000] {
            let keys = tree::divide::dividers(&tree, &ask, &range, count).expect("readable");
            assert!(keys.len() <= count && keys.is_sorted(), "{count}");
            assert!(count > 200 || keys.len() == count, "{} of {count}", keys.len());
            let parts = part_sizes(&tree, &ask, range.clone(), keys);
            assert_eq!(parts.iter().sum::<usize>(), rows);
            // No part is twice as large as it would be with all of the same size, but for a page.
            let most = 2 * rows / parts.len() + 150;
            assert!(parts.iter().all(|&part| part <= most), "{count}: {parts:?}");
        }
    }
    let narrow = KeyRange { low: Bound::Included(number(7).to_vec()), high: Bound::Included(number(8).to_vec()) };
    assert!(tree::divide::dividers(&tree, &ask, &narrow, 10).expect("readable").is_empty());
}
