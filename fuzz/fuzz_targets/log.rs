//! The bytes of a log, as a damaged file or a forged backup may hold them: blocks, records, page ops, checkpoints, anchors,
//! and the undo that records carry. The first byte says which decoder gets the rest.
//!
//! What must hold: nothing panics; what is read is written as the same bytes, or reads as the same again; a page that
//! refuses an op is as it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond_storage::contract::PAGE_BYTES;
use millpond_storage::wal::any_bytes;

/// A page that begins with some of the input, and ops from the rest.
fn ops(bytes: &[u8]) {
    let Some((&split, bytes)) = bytes.split_first() else { return };
    let (head, ops) = bytes.split_at(bytes.len().min(usize::from(split)));
    let mut page = [0; PAGE_BYTES];
    page[..head.len()].copy_from_slice(head);
    any_bytes::ops(&mut page, ops);
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&decoder, bytes)) = bytes.split_first() else { return };
    match decoder % 6 {
        0 => any_bytes::records(bytes),
        1 => ops(bytes),
        2 => any_bytes::block(bytes),
        3 => any_bytes::anchor(bytes),
        4 => any_bytes::checkpoint(bytes),
        _ => millpond_txn::any_bytes::undo(bytes),
    }
});
