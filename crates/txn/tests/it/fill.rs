//! Several threads that append to one heap.

use std::sync::Arc;

use millpond_access::{AccessError, Fill, Heap, RowSource};
use millpond_storage::ask::{Ask, IoCount};
use millpond_storage::contract::EXTENT_PAGES;
use millpond_txn::{HeapKind, SessionWork, TxnError};

use crate::rig::{Rig, TINY_POOL_BYTES, create, insert, rows, values};
use millpond_access::heap;
use millpond_txn::heap_rows;
use millpond_txn::heaps;
use millpond_txn::transaction;

/// Rows of a thread: its number, theirs, and some bytes more.
struct Rows {
    thread: u8,
    next: u32,
    end: u32,
}

impl Rows {
    fn new(thread: u8, count: u32) -> Rows {
        Rows { thread, next: 0, end: count }
    }
}

impl RowSource for Rows {
    fn next_len(&mut self) -> Option<usize> {
        self.next += 1;
        (self.next <= self.end).then_some(5 + (self.next as usize * 37) % 400)
    }

    fn encode(&mut self, to: &mut [u8]) {
        to.fill(0);
        to[0] = self.thread;
        to[1..5].copy_from_slice(&self.next.to_be_bytes());
    }
}

fn expected(threads: u8, count: u32) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for thread in 0..threads {
        let mut source = Rows::new(thread, count);
        while let Some(len) = source.next_len() {
            let mut row = vec![0; len];
            source.encode(&mut row);
            all.push(row);
        }
    }
    all.sort();
    all
}

/// Each thread appends `count` rows, some at a time.
fn fill_by_threads(rig: &Rig, fill: &Arc<Fill>, threads: u8, count: u32) -> Vec<Result<(), AccessError>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|thread| {
                let mut part = fill.part();
                scope.spawn(move || {
                    let (io, mut source) = (IoCount::default(), Rows::new(thread, 0));
                    let ask = Ask::new(&rig.task, &io);
                    while source.end < count {
                        source.end = (source.end + 100).min(count);
                        part.append_rows(&ask, &mut source)?;
                        source.next -= 1;
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("does not panic")).collect()
    })
}

fn load(rig: &Rig, work: &mut SessionWork, ask: &Ask<'_>, heap: &Arc<Heap>, threads: u8, count: u32) -> u64 {
    let mut bulk = heap_rows::bulk_insert(work, ask, heap).unwrap();
    let fill = bulk.begin_fill().unwrap().expect("writes are not eager");
    fill_by_threads(rig, &fill, threads, count).into_iter().for_each(|done| done.unwrap());
    bulk.end_fill(&fill);
    bulk.finish().unwrap()
}

#[test]
fn threads_add_all_their_rows_and_a_rollback_takes_all_of_them_away() {
    let rig = Rig::new(Some(TINY_POOL_BYTES));
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    insert(&mut work, &ask, &heap, &[200; 3000]).unwrap();
    let before = rig.allocated();

    let mark = transaction::begin_statement(&mut work);
    assert_eq!(load(&rig, &mut work, &ask, &heap, 3, 4000), 12_000);
    assert_eq!(heap.row_count(), 12_001);
    transaction::abort_statement(&mut work, &ask, mark).unwrap();
    assert_eq!((heap.row_count(), heap.page_count(), rig.allocated()), (1, 1, before));
    assert_eq!(values(&ask, &heap), [[200; 3000]]);

    let mark = transaction::begin_statement(&mut work);
    assert_eq!(load(&rig, &mut work, &ask, &heap, 3, 4000), 12_000);
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    let mut all = expected(3, 4000);
    all.push(vec![200; 3000]);
    all.sort();
    assert_eq!(values(&ask, &heap), all);
}

#[test]
fn what_a_fill_leaves_empty_is_room_for_later_rows() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let mark = transaction::begin_statement(&mut work);
    load(&rig, &mut work, &ask, &heap, 4, 1500);
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    heap::grow::settle(&heap, &ask).unwrap();
    let empty: u32 = heap.extents().iter().flat_map(|used| used.pfs).filter(|pfs| *pfs == 0x40).count() as u32;
    assert!(empty < 4 * EXTENT_PAGES, "{empty} pages");
    let pages = heap.page_count();
    for n in 0..empty {
        insert(&mut work, &ask, &heap, &[n as u8; 7900]).unwrap();
    }
    assert_eq!(heap.page_count(), pages, "no page more");
    assert_eq!(heap.row_count(), 6000 + u64::from(empty));
    assert_eq!(rows(&ask, &heap).unwrap().len() as u64, heap.row_count());
    let mark = transaction::begin_statement(&mut work);
    heaps::drop_heap(&mut work, &ask, &heap).unwrap();
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert_eq!(rig.allocated().0, Rig::new(None).allocated().0);
}

#[test]
fn few_rows_take_few_pages_and_none_take_none() {
    let rig = Rig::new(None);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let mark = transaction::begin_statement(&mut work);
    load(&rig, &mut work, &ask, &heap, 4, 0);
    assert_eq!((heap.page_count(), heap.reserved_pages()), (0, 0));
    load(&rig, &mut work, &ask, &heap, 4, 3);
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    assert_eq!((heap.page_count(), heap.row_count()), (4, 12), "one page for each thread");
}

#[test]
fn a_fill_that_finds_no_space_is_undone() {
    let rig = Rig::with_limits(1024, 1024);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    let before = rig.allocated();
    let mark = transaction::begin_statement(&mut work);
    let mut bulk = heap_rows::bulk_insert(&mut work, &ask, &heap).unwrap();
    let fill = bulk.begin_fill().unwrap().expect("writes are not eager");
    let done = fill_by_threads(&rig, &fill, 3, 1_000_000);
    assert!(done.iter().all(Result::is_err), "{done:?}");
    bulk.end_fill(&fill);
    let added = bulk.finish().unwrap();
    assert_eq!((added, rows(&ask, &heap).unwrap().len() as u64), (heap.row_count(), heap.row_count()));
    transaction::abort_statement(&mut work, &ask, mark).unwrap();
    assert_eq!((heap.row_count(), rig.allocated()), (0, before));
}

#[test]
fn pages_that_are_written_as_they_fill_are_one_threads_business() {
    let rig = Rig::new(None);
    rig.set_option("tempdb eager writes", 1);
    let (ask, mut work) = (rig.ask(), rig.session());
    let heap = create(&mut work, &ask, HeapKind::Table);
    assert!(heap_rows::bulk_insert(&mut work, &ask, &heap).unwrap().begin_fill().unwrap().is_none());
    let mark = transaction::begin_statement(&mut work);
    heaps::drop_heap(&mut work, &ask, &heap).unwrap();
    transaction::end_statement(&mut work, &ask, mark).unwrap();
    let gone = heap_rows::bulk_insert(&mut work, &ask, &heap).map(|_| ());
    assert!(matches!(gone, Err(TxnError::NoSuchObject(_))));
}
