//! The decoders of undo records over any bytes: what fuzz targets look in at. No part of the server.
//!
//! What must hold: nothing panics; what is read is written as something that reads as the same again.

use millpond_access::tree::LeafRow;
use millpond_storage::contract::DbId;

use crate::undo::record::UndoRecord;
use crate::undo::row_undo::{decode, decode_fill, decode_run, encode, encode_fill, encode_run};

const DB: DbId = DbId(5);

/// `bytes` as an undo record of a session's stack, and as the undo of rows that the log holds.
///
/// # Panics
/// What must hold does not.
pub fn undo(bytes: &[u8]) {
    if let Some(record) = UndoRecord::decode(bytes) {
        let mut again = Vec::new();
        record.encode(&mut again);
        assert_eq!(UndoRecord::decode(&again), Some(record), "an undo record reads as it was written");
        match record {
            UndoRecord::Row { undo, .. } | UndoRecord::Rows { undo, .. } => rows(undo),
            UndoRecord::FillBegun { undo, .. } | UndoRecord::Filled { undo, .. } => rows(undo),
            _ => {}
        }
    }
    rows(bytes);
}

fn rows(bytes: &[u8]) {
    let mut again = Vec::new();
    if let Some(read) = decode(DB, bytes) {
        let row = read.old.map(|old| LeafRow {
            key: read.key,
            payload: old.payload,
            is_ghost: old.is_ghost,
            tag: old.tag,
            pad_bytes: old.pad_bytes,
        });
        encode(&mut again, &read.tree, read.key, row.as_ref());
        assert_eq!(decode(DB, &again), Some(read), "the undo of a row reads as it was written");
    }
    again.clear();
    if let Some(read) = decode_run(DB, bytes) {
        encode_run(&mut again, &read.tree, read.keys.iter().copied());
        assert_eq!(again, bytes, "the undo of a run is written as it was read");
    }
    again.clear();
    if let Some(read) = decode_fill(DB, bytes) {
        encode_fill(&mut again, &read);
        assert_eq!(again, bytes, "the undo of a fill is written as it was read");
    }
}
