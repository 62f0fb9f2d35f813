//! Threads against one tree: readers, writers, scans both ways, splits, unlinking and compaction, ghosts and purges.
//!
//! Keys are in three classes: *fixed* ones are there throughout, so every scan has to meet each of them exactly once;
//! *owned* ones belong to one writer each, which keeps a model of them; the rest come and go in bursts, so that leaves
//! are split and unlinked all the time.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use millpond_access::tree::{Change, Direction, KeyRange, RowTag, Tree, VersionPtr, Xsn};
use millpond_access::{AccessError, TreeCtx};

use crate::rig::{self, IDS, Plain, Session, check, get, put, remove};
use millpond_access::tree;

const FIXED: u64 = 3_000;
const WRITERS: u64 = 3;
/// Keys between two fixed ones.
const GAP: u64 = 64;

fn key(n: u64) -> [u8; 8] {
    n.to_be_bytes()
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().expect("8 bytes"))
}

/// A number from a number: good enough for tests, and the same each time.
fn mix(mut n: u64) -> u64 {
    n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}

/// Ends the readers when the writers are done, also by a panic.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// One full scan: ascending or descending without doubles, with every fixed key.
fn scan(tree: &Arc<Tree>, session: &Session, direction: Direction, breaks: bool) {
    let mut cursor = tree::cursor::open(tree, KeyRange::all(), direction);
    let (mut last, mut fixed, mut given) = (None, 0, 0_u64);
    loop {
        let more = cursor.next_page(&session.ask(), &mut |row| {
            let n = number(row.key);
            let in_order = match (last, direction) {
                (None, _) => true,
                (Some(last), Direction::Forward) => last < n,
                (Some(last), Direction::Backward) => last > n,
            };
            assert!(in_order, "{n} after {last:?}");
            if n.is_multiple_of(GAP) {
                assert!(!row.is_ghost);
                fixed += 1;
            }
            last = Some(n);
            given += 1;
            if breaks && given % 101 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if !more.expect("readable") {
            break;
        }
    }
    assert_eq!(fixed, FIXED, "every fixed key exactly once");
}

/// Inserts, changes, marks and removes keys of its own, and keeps a model of them.
fn write(tree: &Arc<Tree>, session: &Session, writer: u64, turns: u64) -> BTreeMap<u64, Vec<u8>> {
    let ask = session.ask();
    let mut model = BTreeMap::new();
    for turn in 0..turns {
        let chance = mix(turn * WRITERS + writer);
        let n = chance % FIXED * GAP + 1 + writer;
        match chance >> 32 & 7 {
            0..4 => {
                let payload = vec![chance as u8; (chance >> 40) as usize % 600];
                put(tree, &ask, &key(n), &payload).expect("room");
                model.insert(n, payload);
            }
            4..6 => {
                remove(tree, &ask, &key(n)).expect("room");
                model.remove(&n);
            }
            6 => {
                // A ghost with an old tag: any writer may purge it.
                let tag = Some(RowTag { xsn: Xsn(1), version: VersionPtr(0) });
                let mark = Change::Mark { is_ghost: true, tag };
                tree::modify::change_entry(tree, &ask, &mut Plain { purges_below: 2 }, &key(n), &mut |_| {
                    Ok::<_, AccessError>(mark)
                })
                .expect("room");
                model.remove(&n);
            }
            _ => {
                let found = tree::read::get(tree, &ask, &key(n), |row| (!row.is_ghost).then(|| row.payload.to_vec()));
                assert_eq!(found.expect("readable").flatten(), model.get(&n).cloned());
            }
        }
    }
    model
}

/// Fills a stretch between two fixed keys and empties it again.
fn burst(tree: &Tree, session: &Session, turns: u64) {
    let ask = session.ask();
    for turn in 0..turns {
        let base = mix(turn) % FIXED * GAP;
        let keys = || (8..GAP).map(|n| key(base + n));
        keys().for_each(|key| put(tree, &ask, &key, &[3; 900]).expect("room"));
        keys().for_each(|key| remove(tree, &ask, &key).expect("room"));
    }
}

fn run(ctx: &TreeCtx, turns: u64) {
    let first = Session::new(51);
    let (tree, _) = Tree::create(ctx, &first.ask(), IDS).expect("room");
    (0..FIXED).for_each(|n| put(&tree, &first.ask(), &key(n * GAP), &[9; 40]).expect("room"));
    let (stop, scans) = (AtomicBool::new(false), AtomicU64::new(0));
    let models: Vec<_> = std::thread::scope(|scope| {
        let (tree, stop, scans) = (&tree, &stop, &scans);
        let _stop = Stop(stop);
        for (number, direction) in [(60, Direction::Forward), (61, Direction::Backward)] {
            scope.spawn(move || {
                let session = Session::new(number);
                while !stop.load(Relaxed) {
                    scan(tree, &session, direction, false);
                    scan(tree, &session, direction, true);
                    scans.fetch_add(2, Relaxed);
                }
            });
        }
        scope.spawn(move || {
            let session = Session::new(62);
            let mut n = 0;
            while !stop.load(Relaxed) {
                n = mix(n + 1);
                let fixed = n % FIXED * GAP;
                assert_eq!(get(tree, &session.ask(), &key(fixed)), Some(vec![9; 40]));
                let next = tree::read::next_key(tree, &session.ask(), &key(fixed)).expect("readable");
                let next = next.map_or(u64::MAX, |bytes| number(&bytes));
                assert!(next > fixed && (next <= fixed + GAP || fixed == (FIXED - 1) * GAP));
            }
        });
        scope.spawn(move || {
            let session = Session::new(63);
            while !stop.load(Relaxed) {
                let report = tree::check::check_tree(tree, &session.ask()).expect("it can be checked");
                assert_eq!((report.problems.as_slice(), report.leaked_pages), (&[][..], 0));
            }
        });
        scope.spawn(move || {
            let session = Session::new(65);
            for turn in (0..=u8::MAX).cycle() {
                if stop.load(Relaxed) {
                    break;
                }
                tree::compact::compact(tree, &session.ask(), 60 + turn % 41).expect("room");
            }
        });
        let burst = scope.spawn(move || burst(tree, &Session::new(64), turns / 100));
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write(tree, &Session::new(70 + writer as u16), writer, turns)))
            .collect();
        let models = writers.into_iter().map(|writer| writer.join().expect("no panic")).collect();
        burst.join().expect("no panic");
        models
    });
    assert!(scans.load(Relaxed) > 0);
    same(&tree, &first, &models);
    empty(&tree, &first);
}

/// The tree has what the writers say, and the fixed keys.
fn same(tree: &Arc<Tree>, session: &Session, models: &[BTreeMap<u64, Vec<u8>>]) {
    let mut expected: BTreeMap<u64, Vec<u8>> = (0..FIXED).map(|n| (n * GAP, vec![9; 40])).collect();
    models.iter().for_each(|model| expected.extend(model.clone()));
    assert_eq!(check(tree, &session.ask()), expected.len() as u64);
    let mut found = BTreeMap::new();
    let mut cursor = tree::cursor::open(tree, KeyRange::all(), Direction::Forward);
    while cursor
        .next_page(&session.ask(), &mut |row| {
            if !row.is_ghost {
                found.insert(number(row.key), row.payload.to_vec());
            }
            ControlFlow::Continue(())
        })
        .expect("readable")
    {}
    assert!(found == expected);
}

/// Everything goes, ghosts too; the space comes back.
fn empty(tree: &Arc<Tree>, session: &Session) {
    let ask = session.ask();
    (0..FIXED * GAP).for_each(|n| remove(tree, &ask, &key(n)).expect("room"));
    assert_eq!(check(tree, &ask), 0);
    let iam_pages = tree.iam_pages(&ask).expect("readable").len() as u64;
    assert_eq!(tree.space(&ask).expect("readable").used, 1 + iam_pages);
}

#[test]
fn threads_leave_what_their_models_say_and_scans_miss_nothing() {
    let instance = rig::instance_with_files(2);
    run(&rig::tempdb(&instance), 6_000);
}
