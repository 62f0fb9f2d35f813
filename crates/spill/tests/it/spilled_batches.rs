//! Batches that come back in any order.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use datafusion::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use millpond_spill::SpilledBatches;

use crate::rig;

fn batch(first: i32, rows: i32) -> RecordBatch {
    let numbers: Int32Array = (first..first + rows).map(|n| (n % 7 != 0).then_some(n)).collect();
    let texts: StringArray = (first..first + rows).map(|n| Some(format!("row {n}"))).collect();
    RecordBatch::try_from_iter([("n", Arc::new(numbers) as ArrayRef), ("s", Arc::new(texts))]).expect("two columns")
}

#[test]
fn batches_come_back_in_any_order_and_leave_nothing() {
    let tempdb = rig::tempdb(64 << 20);
    let space = tempdb.space();
    let mut spilled = SpilledBatches::new("SortedRows", batch(0, 1).schema(), &rig::task(&space, 1 << 20));
    let batches: Vec<RecordBatch> = (0..200).map(|n| batch(n * 1000, 1 + n * 50)).collect();
    batches.iter().for_each(|batch| spilled.push(batch.clone()).expect("room"));
    for number in (0..200).rev().chain([7, 3, 3]) {
        assert_eq!(spilled.read(number).expect("there"), batches[number]);
    }
    assert!(spilled.read(200).is_err());
    assert_eq!(space.account().sorts.runs.load(Relaxed), 200);
    assert!(space.account().written_bytes() > 16 << 20, "more than its memory");
    drop(spilled);
    rig::assert_nothing_left(&tempdb);
}

#[test]
fn what_finds_no_space_is_an_error_and_gives_all_back() {
    let tempdb = rig::tempdb(8 << 20);
    let space = tempdb.space();
    let mut spilled = SpilledBatches::new("SortedRows", batch(0, 1).schema(), &rig::task(&space, 1 << 20));
    let full = (0..2000).find_map(|n| spilled.push(batch(n, 1000)).err()).expect("a bound");
    assert!(full.to_string().contains("spill"), "{full}");
    drop(spilled);
    rig::assert_nothing_left(&tempdb);
}
