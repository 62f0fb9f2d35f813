//! An allocator that counts what the current thread has allocated, so that tests can hold decoders, and operators
//! that spill, to a bound.
#![allow(unsafe_code)]
// Proof: every call is passed on unchanged to the system's allocator, whose contract is therefore kept; the counters are
// thread-local cells of plain numbers with constant initialisers, which never allocate and need no destructor.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static LIVE_BYTES: Cell<isize> = const { Cell::new(0) };
    static PEAK_BYTES: Cell<isize> = const { Cell::new(0) };
}

fn add(bytes: isize) {
    let live = LIVE_BYTES.get() + bytes;
    LIVE_BYTES.set(live);
    PEAK_BYTES.set(PEAK_BYTES.get().max(live));
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).expect("a layout has at most isize::MAX bytes")
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(signed(layout.size()));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(-signed(layout.size()));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `work` and returns its result with the most bytes that it held at a time.
pub fn peak_bytes<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE_BYTES.get();
    PEAK_BYTES.set(before);
    let result = work();
    (result, usize::try_from(PEAK_BYTES.get() - before).unwrap_or(0))
}

#[test]
fn the_counter_counts() {
    let (vector, peak) = peak_bytes(|| {
        drop(vec![0_u8; 10_000]);
        vec![0_u8; 5_000]
    });
    assert_eq!(vector.len(), 5_000);
    assert!((10_000..12_000).contains(&peak), "{peak}");
}
