//! Sorting beyond memory gives what sorting in memory gives, and nothing of it stays in tempdb.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use millpond_storage::ask::Ask;
use millpond_txn::{SessionWork, Sorter, TxnError};
use proptest::prelude::*;

use crate::rig::Rig;
use millpond_txn::transaction;

fn entries() -> impl Strategy<Value = Vec<(Vec<u8>, Vec<u8>)>> {
    let key = proptest::collection::vec(0..4_u8, 0..12);
    let payload = (0..255_u8, 0..400_usize).prop_map(|(byte, length)| vec![byte; length]);
    proptest::collection::vec((key, payload), 0..300)
}

/// Sorts the first of each key; what comes out.
fn sorted(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    given: &BTreeMap<Vec<u8>, Vec<u8>>,
    order: &[Vec<u8>],
    memory_bytes: usize,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mark = transaction::begin_statement(work);
    let mut sorter = Sorter::new(memory_bytes);
    for key in order {
        sorter.add(work, ask, key, &given[key]).expect("tempdb has room");
    }
    let mut sorted = sorter.finish();
    let mut found = Vec::new();
    while let Some(entry) = sorted.next(ask).expect("readable") {
        found.push((entry.key.to_vec(), entry.payload.to_vec()));
    }
    assert!(sorted.next(ask).expect("readable").is_none());
    sorted.close(work, ask).expect("given back");
    transaction::end_statement(work, ask, mark).expect("nothing to undo");
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn what_is_sorted_is_in_order_whatever_fits(entries in entries(), memory_bytes in 100..20_000_usize) {
        let rig = Rig::new(None);
        let ask = rig.ask();
        let mut work = rig.session();
        let (mut given, mut order) = (BTreeMap::new(), Vec::new());
        for (key, payload) in entries {
            if let Entry::Vacant(place) = given.entry(key) {
                order.push(place.key().clone());
                place.insert(payload);
            }
        }
        // The first time the file may grow: its new map pages stay.
        sorted(&mut work, &ask, &given, &order, memory_bytes);
        let before = rig.allocated();
        let found = sorted(&mut work, &ask, &given, &order, memory_bytes);
        prop_assert_eq!(rig.allocated(), before);
        prop_assert_eq!(before.0, 0);
        prop_assert_eq!(found, given.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn two_entries_of_a_key_are_refused_in_a_run_and_neighbours_in_memory() {
    let rig = Rig::new(None);
    let ask = rig.ask();
    let mut work = rig.session();
    let mark = transaction::begin_statement(&mut work);
    let mut small = Sorter::new(200);
    let mut refused = None;
    for number in 0..100_u8 {
        if let Err(cause) = small.add(&mut work, &ask, &[7 - number % 8], &[number]) {
            refused = Some(cause);
            break;
        }
    }
    assert!(matches!(refused, Some(TxnError::Duplicate)));
    let (key, _) = small.take_duplicate().expect("it is reported");
    assert!(key[0] < 8);
    let mut large = Sorter::new(10_000);
    large.add(&mut work, &ask, b"b", b"1").expect("in memory");
    large.add(&mut work, &ask, b"a", b"2").expect("in memory");
    large.add(&mut work, &ask, b"b", b"3").expect("in memory");
    let mut sorted = large.finish();
    let mut keys = Vec::new();
    while let Some(entry) = sorted.next(&ask).expect("readable") {
        keys.push(entry.key.to_vec());
    }
    assert_eq!(keys, [b"a", b"b", b"b"]);
    transaction::end_statement(&mut work, &ask, mark).expect("nothing to undo");
}

#[test]
fn entries_that_come_in_order_can_be_taken_out_on_the_way() {
    let rig = Rig::new(None);
    let ask = rig.ask();
    let mut work = rig.session();
    let mut sorter = Sorter::new(1 << 20);
    let mut seen = Vec::new();
    for number in 0..100_u8 {
        sorter.add(&mut work, &ask, &[number], &[0; 100]).expect("in memory");
        if sorter.has_ascending(1000) {
            sorter
                .take_ascending::<TxnError>(|entries| {
                    seen.extend(entries.iter().map(|entry| entry.key[0]));
                    Ok(())
                })
                .expect("taken");
        }
    }
    assert!(seen.len() > 90 && seen.is_sorted());
    sorter.add(&mut work, &ask, &[3, 3], &[]).expect("in memory");
    assert!(!sorter.has_ascending(0), "it came after a greater one that is gone");
}
