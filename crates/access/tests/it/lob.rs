//! Large values: what is written is read, in any range, and its pages come back.

use millpond_access::AccessError;
use millpond_access::lob::{LobPtr, LobStore, PIECE_BYTES};
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
