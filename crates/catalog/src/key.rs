//! Keys of rows as bytes, and the bounds of those that are wanted.

use std::ops::Bound;

use millpond_types::Value;

use super::{IndexKind, TableDef};

/// Bounds of the keys of a range.
pub type KeyBounds = (Bound<Vec<u8>>, Bound<Vec<u8>>);

/// The least byte string above all that begin with `bytes`; none when there is none.
pub fn after_all(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = bytes.pop() {
        if last < u8::MAX {
            bytes.push(last + 1);
            return Some(bytes);
        }
    }
    None
}

/// The key of a row in the tree of the rows; `number` is for heaps and keys that are not unique.
pub fn row_key(def: &TableDef, row: &[Value], number: i64, key: &mut Vec<u8>) {
    key.clear();
    let index = &def.indexes[0];
    if index.kind == IndexKind::Heap {
        key.extend_from_slice(&number.to_be_bytes());
        return;
    }
    index.append_key(&def.columns, |column| &row[column], key);
    if !index.unique {
        key.extend_from_slice(&number.to_be_bytes());
    }
}
