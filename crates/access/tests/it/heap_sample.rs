//! What a heap counts and shows of its rows for statistics.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use millpond_access::{Ctx, Heap, NoJournal, ObjectId, Rid, TreeCtx, heap};
use millpond_storage::instance::Instance;

use crate::rig::{Session, instance, tempdb};

fn new_heap(instance: &Instance) -> Arc<Heap> {
    let TreeCtx { handle, space, owner, usage, .. } = tempdb(instance);
    let ctx = Ctx { db: handle.db, pool: Arc::clone(&handle.pool), space, owner, usage };
    Heap::create(&ctx, ObjectId(77))
}

#[test]
fn a_sample_meets_each_row_once_and_changes_are_counted() {
    let instance = instance();
    let (heap, session) = (new_heap(&instance), Session::new(60));
    let ask = session.ask();
    let add = |number: u32| {
        let encode = |to: &mut [u8]| to[..4].copy_from_slice(&number.to_le_bytes());
        heap::append::insert(&heap, &ask, &mut NoJournal, 100, encode).expect("there is room")
    };
    let sample = |pages_max: usize| {
        let mut seen = Vec::new();
        let share = heap::sample::sample_pages(&heap, &ask, pages_max, &mut |rows| {
            seen.extend(rows.iter().map(|row| u32::from_le_bytes(*row.first_chunk().expect("of 100 bytes"))));
        });
        (share.expect("nothing fails"), seen)
    };
    assert_eq!(sample(10), (1.0, Vec::new()));
    let rids: Vec<Rid> = (0..5000).map(add).collect();
    assert_eq!((heap.changes(), heap.row_count()), (5000, 5000));
    for rid in &rids[..100] {
        heap::change::delete(&heap, &ask, &mut NoJournal, *rid).expect("it is there");
    }
    // Longer than its page has room for: it lies elsewhere then.
    let long: Vec<u8> = 4000_u32.to_le_bytes().into_iter().chain([7; 5000]).collect();
    heap::change::update(&heap, &ask, &mut NoJournal, rids[4000], &long).expect("there is room");
    assert_eq!((heap.changes(), heap.row_count()), (5100, 4900));
    let (share, mut seen) = sample(usize::MAX);
    seen.sort_unstable();
    assert_eq!((share, seen), (1.0, (100..5000).collect()));
    let (share, seen) = sample(10);
    let part = seen.len() as f64 / 4900.0;
    assert!(share < 0.2 && (part - share).abs() < 0.1, "{share} of the pages have {part} of the rows");
    let emptied = heap::undo::empty_out(&heap);
    assert_eq!((heap.changes(), heap.emptied()), (10_000, 1));
    heap::undo::refill(&heap, &ask, emptied).expect("nothing fails");
    assert_eq!((heap.changes(), heap.row_count()), (14_900, 4900));
    heap::undo::destroy(&heap, &ask).expect("nothing fails");
}

#[test]
fn what_is_kept_beside_rows_is_one_for_all_and_made_when_it_is_asked_for() {
    let instance = instance();
    let heap = new_heap(&instance);
    assert!(heap.known_beside::<AtomicU64>().is_none());
    let made = heap.beside::<AtomicU64>().expect("it is the first");
    assert!(heap.known_beside::<AtomicU64>().is_some_and(|known| Arc::ptr_eq(&known, &made)));
    assert!(heap.beside::<AtomicU64>().is_some_and(|known| Arc::ptr_eq(&known, &made)));
    assert!(heap.beside::<String>().is_none(), "it is of another type");
}
