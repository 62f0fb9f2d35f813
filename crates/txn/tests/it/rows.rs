//! Rows that come, change, move and go; scans beside them.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::{AccessError, ROW_BYTES_MAX, Rid, RowSource};
use millpond_storage::contract::EXTENT_PAGES;
use millpond_txn::{HeapKind, TxnError};

use crate::rig::{Rig, TINY_POOL_BYTES, create, insert, rows, values};
use millpond_access::heap;
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;

#[test]
fn rows_of_char_8000_take_a_page_each_and_go_with_the_drop() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let before = rig.allocated();
    let heap = create(&mut work, &ask, HeapKind::Table);
    assert_eq!((heap.reserved_pages(), heap.page_count()), (0, 0));
    for n in 0..100u8 {
        insert(&mut work, &ask, &heap, &[n; 8007]).unwrap();
    }
    assert_eq!((heap.row_count(), heap.page_count()), (100, 100));
    let used: u32 = heap.extents().iter().map(|e| e.pages_used).sum();
    assert_eq!(used, 100);
    let full = heap.extents()[0];
    assert_eq!((full.pages_used, full.pfs), (EXTENT_PAGES, [0x44; 8]));
    assert_eq!(heap.reserved_pages(), heap.extents().len() as u64 * 8 + heap.iam_pages().len() as u64);
    assert_eq!(rows(&ask, &heap).unwrap().len(), 100);
    heaps::drop_heap(&mut work, &ask, &heap).unwrap();
    assert_eq!(rig.allocated(), before);
    assert!(matches!(heap::scan::open(&heap).next_page(&ask, &mut |_, _| ControlFlow::Continue(())), Ok(false)));
    let again = heap_rows::insert(&mut work, &ask, &heap, 1, |_| ());
    assert!(matches!(again, Err(TxnError::NoSuchObject(_))));
}

#[test]
fn the_largest_row_fits_and_a_larger_one_is_refused() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    insert(&mut work, &ask, &heap, &[7; ROW_BYTES_MAX]).unwrap();
    let mark = transaction::begin_statement(&mut work);
    let long = heap_rows::insert(&mut work, &ask, &heap, ROW_BYTES_MAX + 1, |_| ());
    assert!(matches!(long, Err(TxnError::Access(AccessError::RowTooLong { row_bytes: 8061, .. }))));
    transaction::abort_statement(&mut work, &ask, mark).unwrap();
    assert_eq!(heap.row_count(), 1);
}

#[test]
fn a_row_that_outgrows_its_page_keeps_its_identifier() {
    let rig = Rig::new(Some(TINY_POOL_BYTES));
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let rids: Vec<_> = (0..40u8).map(|n| insert(&mut work, &ask, &heap, &[n; 900]).unwrap()).collect();
    for (len, rid) in [3000, 7000, 100, 8000].into_iter().flat_map(|len| [(len, rids[3]), (len, rids[20])]) {
        let mark = transaction::begin_statement(&mut work);
        heap_rows::update(&mut work, &ask, &heap, rid, &vec![99; len]).unwrap();
        transaction::end_statement(&mut work, &ask, mark).unwrap();
        let mut row = Vec::new();
        heap::scan::fetch(&heap, &ask, rid, &mut row).unwrap();
        assert_eq!(row, vec![99; len]);
        assert_eq!(rows(&ask, &heap).unwrap().iter().filter(|(r, b)| *r == rid && *b == row).count(), 1);
        assert_eq!(heap.row_count(), 40);
    }
    let mark = transaction::begin_statement(&mut work);
    heap_rows::delete(&mut work, &ask, &heap, rids[3]).unwrap();
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert!(matches!(heap::scan::fetch(&heap, &ask, rids[3], &mut Vec::new()), Err(AccessError::NoSuchRow(_))));
    assert_eq!(rows(&ask, &heap).unwrap().len(), 39);
}

#[test]
fn the_space_of_deleted_rows_is_used_again() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let rids: Vec<_> = (0..800u32).map(|n| insert(&mut work, &ask, &heap, &[n as u8; 1000]).unwrap()).collect();
    let pages = heap.page_count();
    for round in 0..5 {
        let mark = transaction::begin_statement(&mut work);
        let live = rows(&ask, &heap).unwrap();
        for (rid, _) in live.iter().step_by(2) {
            heap_rows::delete(&mut work, &ask, &heap, *rid).unwrap();
        }
        for _ in 0..live.len().div_ceil(2) {
            heap_rows::insert(&mut work, &ask, &heap, 1000, |to| to.fill(round)).unwrap();
        }
        transaction::end_statement(&mut work, &ask, mark).unwrap();
        assert_eq!((heap.row_count(), heap.page_count()), (800, pages));
    }
    assert!(rids.len() == 800);
}

#[test]
fn a_scan_sees_what_was_there_and_never_what_its_reader_adds() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    for n in 0..300u32 {
        insert(&mut work, &ask, &heap, &n.to_le_bytes().repeat(50)).unwrap();
    }
    // Holes ahead of the scan, which inserts would take were it not open.
    let mark = transaction::begin_statement(&mut work);
    for (rid, _) in rows(&ask, &heap).unwrap().into_iter().skip(150).take(100) {
        heap_rows::delete(&mut work, &ask, &heap, rid).unwrap();
    }
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    // INSERT #t SELECT * FROM #t, and every row grows too: each row is seen once.
    let mark = transaction::begin_statement(&mut work);
    let (mut scan, mut seen) = (heap::scan::open(&heap), Vec::new());
    loop {
        let mut page = Vec::new();
        let more = scan
            .next_page(&ask, &mut |rid, bytes| {
                page.push((rid, bytes.to_vec()));
                ControlFlow::Continue(())
            })
            .unwrap();
        for (rid, row) in page {
            heap_rows::insert(&mut work, &ask, &heap, row.len(), |to| to.copy_from_slice(&row)).unwrap();
            heap_rows::update(&mut work, &ask, &heap, rid, &row.repeat(10)).unwrap();
            seen.push(row);
        }
        if !more {
            break;
        }
    }
    drop(scan);
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert_eq!((seen.len(), heap.row_count()), (200, 400));
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 200);
    assert_eq!(values(&ask, &heap).iter().filter(|row| row.len() == 2000).count(), 200);
}

#[test]
fn parts_of_a_scan_read_every_row_once() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    for parts in [1, 2, 3, 7, 200] {
        let mut seen = Vec::new();
        for mut scan in heap::scan::open_parts(&heap, parts) {
            while scan
                .next_page(&ask, &mut |rid, _| {
                    seen.push(rid);
                    ControlFlow::Continue(())
                })
                .unwrap()
            {}
        }
        let rows = heap.row_count() as usize;
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), rows);
        for n in 0..150u8 {
            insert(&mut work, &ask, &heap, &[n; 3000]).unwrap();
        }
    }
}

#[test]
fn rows_of_a_page_together_are_the_rows_one_by_one() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    for n in 0..200u8 {
        insert(&mut work, &ask, &heap, &[n; 300]).unwrap();
    }
    // Holes, and rows that moved away.
    let mark = transaction::begin_statement(&mut work);
    for (index, (rid, row)) in rows(&ask, &heap).unwrap().into_iter().enumerate() {
        match index % 5 {
            0 => heap_rows::delete(&mut work, &ask, &heap, rid).unwrap(),
            1 => heap_rows::update(&mut work, &ask, &heap, rid, &row.repeat(6)).unwrap(),
            _ => {}
        }
    }
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    let (mut scan, mut together) = (heap::scan::open(&heap), Vec::new());
    let mut take = |rows: &[(Rid, &[u8])]| {
        together.extend(rows.iter().map(|(rid, row)| (*rid, row.to_vec())));
        ControlFlow::Continue(())
    };
    while scan.next_rows(&ask, &mut take).unwrap() {}
    together.sort();
    assert_eq!(together, rows(&ask, &heap).unwrap());
    assert_eq!(together.len(), 160);
}

#[test]
fn a_scan_stops_when_told_and_when_its_rows_are_gone() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    for n in 0..20u8 {
        insert(&mut work, &ask, &heap, &[n; 5000]).unwrap();
    }
    let mut scan = heap::scan::open(&heap);
    let mut seen = 0;
    let mut count = |_, _: &[u8]| {
        seen += 1;
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    while scan.next_page(&ask, &mut count).unwrap() {}
    assert_eq!(seen, 3);
    let (mut cancelled, mut emptied) = (heap::scan::open(&heap), heap::scan::open(&heap));
    let mut go_on = |_, _: &[u8]| ControlFlow::Continue(());
    assert!(cancelled.next_page(&ask, &mut go_on).unwrap());
    rig.task.cancel();
    assert!(matches!(cancelled.next_page(&ask, &mut go_on), Err(AccessError::Cancelled)));
    rig.task.clear_cancel();
    heaps::truncate_heap(&mut work, &ask, &heap).unwrap();
    assert!(matches!(emptied.next_page(&ask, &mut go_on), Err(AccessError::Gone(_))));
    assert_eq!(heap.row_count(), 0);
}

struct Numbers {
    next: u32,
    end: u32,
}

impl RowSource for Numbers {
    fn next_len(&mut self) -> Option<usize> {
        self.next += 1;
        (self.next <= self.end).then_some(4 + (self.next as usize * 37) % 400)
    }

    fn encode(&mut self, to: &mut [u8]) {
        to.fill(0);
        to[..4].copy_from_slice(&self.next.to_be_bytes());
    }
}

#[test]
fn a_bulk_load_adds_every_row_in_order() {
    let rig = Rig::new(Some(TINY_POOL_BYTES));
    let (ask, mut work) = (rig.ask(), rig.session());
    for eager in [0, 1] {
        rig.set_option("tempdb eager writes", eager);
        let heap = create(&mut work, &ask, HeapKind::Table);
        let mark = transaction::begin_statement(&mut work);
        let mut bulk = heap_rows::bulk_insert(&mut work, &ask, &heap).unwrap();
        bulk.append_rows(&mut Numbers { next: 0, end: 20_000 }).unwrap();
        bulk.append(4, |to| to.copy_from_slice(&20_001u32.to_be_bytes())).unwrap();
        assert_eq!(bulk.finish().unwrap(), 20_001);
        transaction::end_statement(&mut work, &ask, mark).unwrap();
        let seen = rows(&ask, &heap).unwrap();
        let mut numbers: Vec<_> =
            seen.iter().map(|(_, row)| u32::from_be_bytes([row[0], row[1], row[2], row[3]])).collect();
        numbers.sort();
        assert!(numbers.into_iter().eq(1..=20_001));
    }
}

/// One thread adds, deletes and truncates while another reads: the reader sees whole rows only, and ends.
#[test]
fn a_reader_on_another_thread_sees_whole_rows() {
    let rig = Rig::new(Some(TINY_POOL_BYTES));
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let reader_heap = Arc::clone(&heap);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let ask = rig.ask();
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                match rows(&ask, &reader_heap) {
                    Ok(rows) => {
                        assert!(rows.iter().all(|(_, row)| row.iter().all(|b| *b == row[0])))
                    }
                    Err(AccessError::Gone(_) | AccessError::NoSuchRow(_)) => {}
                    Err(other) => panic!("{other}"),
                }
            }
        });
        for round in 0..60u32 {
            let rids: Vec<_> = (0..40u8)
                .map(|n| insert(&mut work, &ask, &heap, &vec![n; 50 + (n as usize * 61) % 2500]).unwrap())
                .collect();
            let mark = transaction::begin_statement(&mut work);
            for (n, rid) in rids.iter().enumerate() {
                match n % 3 {
                    0 => heap_rows::delete(&mut work, &ask, &heap, *rid).unwrap(),
                    1 => heap_rows::update(&mut work, &ask, &heap, *rid, &[200; 3000]).unwrap(),
                    _ => {}
                }
            }
            if round % 2 == 0 {
                transaction::end_statement(&mut work, &ask, mark).unwrap();
            } else {
                transaction::abort_statement(&mut work, &ask, mark).unwrap();
            }
            if round % 10 == 9 {
                heaps::truncate_heap(&mut work, &ask, &heap).unwrap();
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
