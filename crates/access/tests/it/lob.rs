//! Large values: what is written is read, in any range, and its pages come back.

use millpond_access::AccessError;
use millpond_access::lob::{LobPtr, LobStore, Owned, PIECE_BYTES};
use millpond_storage::wal::Mtr;

use crate::rig::{self, Session};

fn end(_: LobPtr, mtr: Mtr<'_>) {
    mtr.commit();
}

fn value(len: usize) -> Vec<u8> {
    (0..len as u32).map(|n| (n ^ n >> 7 ^ n >> 15) as u8).collect()
}

#[test]
fn values_of_all_lengths_are_read_as_they_were_written() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let store = LobStore::create(&rig::tempdb(&instance), &ask, 9, 1).expect("room");
    let empty = store.space(&ask).expect("readable").used;
    // The last ones have one full index page, and one link more.
    let lens =
        [0, 1, 100, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 1 << 20, 1349 * PIECE_BYTES, 1349 * PIECE_BYTES + 1];
    let mut pointers = Vec::new();
    for len in lens {
        let pointer = store.write(&ask, &value(len), &mut end).expect("room");
        let pointer = LobPtr::from_bytes(pointer.to_bytes()).expect("a pointer");
        assert_eq!(pointer.len, len as u64);
        pointers.push(pointer);
    }
    let again = LobStore::open(&rig::tempdb(&instance), 9, 1, store.iam());
    for (len, &pointer) in lens.into_iter().zip(&pointers) {
        let expected = value(len);
        assert!(again.read_all(&ask, pointer).expect("readable") == expected, "{len} bytes");
        for (offset, wanted) in [(0, 10), (PIECE_BYTES - 3, 7), (len / 2, 20_000), (len, 5), (len + 9, 5)] {
            let mut out = vec![0; wanted];
            let got = again.read(&ask, pointer, offset as u64, &mut out).expect("readable");
            let from = offset.min(len);
            assert!(out[..got] == expected[from..(from + wanted).min(len)], "{wanted} at {offset} of {len}");
        }
    }
    assert_eq!(store.reclaim(&ask, &mut pointers.iter().copied()).expect("room"), 0);
    for pointer in pointers {
        store.free_value(&ask, pointer).expect("room");
    }
    assert_eq!(store.space(&ask).expect("readable").used, empty);
}

#[test]
fn a_value_that_is_not_finished_leaves_nothing() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let store = LobStore::create(&rig::tempdb(&instance), &ask, 9, 1).expect("room");
    let empty = store.space(&ask).expect("readable").used;
    let mut writer = store.writer(&ask);
    (0..100).for_each(|_| writer.write(&value(3_000)).expect("room"));
    assert_eq!(writer.len(), 300_000);
    assert!(store.space(&ask).expect("readable").used > empty + 30);
    drop(writer);
    assert_eq!(store.space(&ask).expect("readable").used, empty);
}

#[test]
fn a_pointer_to_something_else_is_refused() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let ctx = rig::tempdb(&instance);
    let store = LobStore::create(&ctx, &ask, 9, 1).expect("room");
    let other = LobStore::create(&ctx, &ask, 10, 1).expect("room");
    let pointer = store.write(&ask, &value(100), &mut end).expect("room");
    assert!(matches!(other.read_all(&ask, pointer), Err(AccessError::NoSuchValue { .. })));
}

#[test]
fn pages_of_values_that_nobody_knows_are_reclaimed() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let store = LobStore::create(&rig::tempdb(&instance), &ask, 9, 1).expect("room");
    let kept = store.write(&ask, &value(100_000), &mut end).expect("room");
    let used = store.space(&ask).expect("readable").used;
    store.write(&ask, &value(50_000), &mut end).expect("room");
    assert_eq!(store.reclaim(&ask, &mut [kept].into_iter()).expect("room"), 8, "seven data pages and their index");
    assert_eq!(store.space(&ask).expect("readable").used, used);
    assert!(store.read_all(&ask, kept).expect("readable") == value(100_000));
    store.free(&ask).expect("room");
    assert!(matches!(store.space(&ask), Err(AccessError::Gone(_))));
}

/// Numbers from a seed, each below a bound.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn changed(value: &[u8], part: std::ops::Range<usize>, bytes: &[u8]) -> Vec<u8> {
    [&value[..part.start], bytes, &value[part.end..]].concat()
}

#[test]
fn a_changed_value_is_right_and_the_old_one_stays_until_it_is_freed() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let store = LobStore::create(&rig::tempdb(&instance), &ask, 9, 1).expect("room");
    let empty = store.space(&ask).expect("readable").used;
    let mut numbers = Numbers(7);
    for round in 0..12 {
        let begin = [0, 1, PIECE_BYTES - 1, PIECE_BYTES, 3 * PIECE_BYTES, 100_000][round % 6];
        let mut bytes = value(begin);
        let mut pointer = store.write(&ask, &bytes, &mut end).expect("room");
        let mut before = Vec::new();
        for step in 0..60 {
            let len = bytes.len();
            let start = if step % 3 == 0 { len } else { numbers.below(len + 1) };
            let until = start + if step % 4 == 0 { len - start } else { numbers.below(len - start + 1) };
            let amount = match step % 5 {
                0 => 0,
                1 => until - start,
                2 => numbers.below(5 * PIECE_BYTES),
                _ => numbers.below(300),
            };
            let new: Vec<u8> = (0..amount).map(|_| numbers.below(256) as u8).collect();
            let made = store.change(&ask, pointer, start as u64..until as u64, &new).expect("room");
            before.push((pointer, bytes.clone(), made.left));
            bytes = changed(&bytes, start..until, &new);
            pointer = LobPtr::from_bytes(made.pointer.to_bytes()).expect("a pointer");
            assert!(store.read_all(&ask, pointer).expect("readable") == bytes, "{start}..{until} of {len}, {amount}");
            if step % 7 == 6 {
                // Undone, and changed in another way: what the undone one had is not seen again.
                let undone = store.change(&ask, pointer, pointer.len..pointer.len, &value(9_000)).expect("room");
                store.free_owned(&ask, &Owned::Pages(undone.made)).expect("room");
            }
        }
        for (pointer, bytes, _) in &before {
            assert!(store.read_all(&ask, *pointer).expect("readable") == *bytes, "an older value changed");
        }
        let mut live: Vec<Owned> = before.iter().map(|(.., left)| Owned::Pages(left.clone())).collect();
        live.push(pointer.into());
        assert_eq!(store.check(&ask, &mut live.clone().into_iter()).expect("readable").problems, []);
        for owned in &live {
            store.free_owned(&ask, owned).expect("room");
        }
        assert_eq!(store.space(&ask).expect("readable").used, empty, "round {round}");
    }
}

#[test]
fn values_change_across_their_levels() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let store = LobStore::create(&rig::tempdb(&instance), &ask, 9, 1).expect("room");
    let empty = store.space(&ask).expect("readable").used;
    let full = 1349 * PIECE_BYTES;
    let mut bytes = value(10);
    let mut pointer = store.write(&ask, &bytes, &mut end).expect("room");
    let mut live = Vec::new();
    // From one page to two index levels; one byte more; a cut to one index page's; an overwrite across two index pages.
    let steps = [
        (10, 10, full),
        (full + 10, full + 10, 1),
        (20, full + 11, 0),
        (20, 20, full + 30_000),
        (full - 9, full + 9, 18),
    ];
    for (start, until, amount) in steps {
        let new = value(amount);
        let made = store.change(&ask, pointer, start as u64..until as u64, &new).expect("room");
        bytes = changed(&bytes, start..until, &new);
        live.push(Owned::Pages(made.left));
        pointer = made.pointer;
        assert!(store.read_all(&ask, pointer).expect("readable") == bytes, "{start}..{until} to {amount}");
    }
    live.push(pointer.into());
    assert_eq!(store.check(&ask, &mut live.clone().into_iter()).expect("readable").problems, []);
    live.iter().for_each(|owned| store.free_owned(&ask, owned).expect("room"));
    assert_eq!(store.space(&ask).expect("readable").used, empty);
}

#[test]
fn a_change_makes_the_pages_that_it_touches() {
    let (instance, session) = (rig::instance(), Session::new(51));
    let ask = session.ask();
    let store = LobStore::create(&rig::tempdb(&instance), &ask, 9, 1).expect("room");
    let len = 100 * PIECE_BYTES as u64 + 100;
    let pointer = store.write(&ask, &value(len as usize), &mut end).expect("room");
    let cost = |part: std::ops::Range<u64>, bytes: &[u8]| {
        let made = store.change(&ask, pointer, part, bytes).expect("room");
        (made.made.len(), made.left.len())
    };
    assert_eq!(cost(5_000..5_010, &[1; 10]), (2, 2), "a data page and the index page");
    assert_eq!(cost(PIECE_BYTES as u64 - 5..PIECE_BYTES as u64 + 5, &[1; 10]), (3, 3));
    assert_eq!(cost(50_000..len, &[]), (0, 94), "a cut writes nothing");
    assert_eq!(cost(len..len, &[1; 10]), (0, 0), "an append is written after what there is");
    assert_eq!(cost(len..len, &[1; 10]), (2, 2), "but not over what another change has written there");
    assert_eq!(cost(0..10, &[]), (102, 102), "what is after the part moves");
}
