//! Rows of temporary heaps as statements write them. A row that fits its record is written straight into its page.

use std::sync::Arc;

use millpond_access::heap;
use millpond_access::{Heap, ROW_BYTES_MAX};
use millpond_catalog::TableDef;
use millpond_catalog::large::{Large, OldValues};
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_storage::ask::Ask;
use millpond_txn::heap_rows;
use millpond_txn::{BulkInsert, SessionWork, ValueHome};
use millpond_types::{Value, Watch};

use crate::row::record_bytes;
use crate::unread::Unread;

/// The values beyond the records of a temporary heap.
pub fn large_of<'a>(def: &'a TableDef, heap: &'a Arc<Heap>, ask: Ask<'a>, watch: Watch<'a>) -> Large<'a> {
    let place = Place { schema: "", object: &def.name, database: "tempdb" };
    Large { layout: &def.layout, home: ValueHome::Heap(heap), ask, place, watch }
}

/// Adds a row to a bulk load.
///
/// # Errors
/// 511 for a row too long, and those of the layers below.
pub fn append(bulk: &mut BulkInsert<'_>, large: &Large<'_>, def: &TableDef, row: &[Value]) -> SqlResult<()> {
    let added = if def.layout.fits(row, ROW_BYTES_MAX) {
        let bytes = record_bytes(def, row)?;
        bulk.append(bytes, |record| {
            def.layout.encode_into(row, record).expect("measured above");
        })
    } else {
        let mut record = Vec::new();
        large.append_record(bulk, row, None, ROW_BYTES_MAX, &mut record)?;
        bulk.append(record.len(), |to| to.copy_from_slice(&record))
    };
    added.map(|_| ()).map_err(|error| message::of_txn(error, large.place))
}

/// Adds one row.
///
/// # Errors
/// As [`append`].
pub fn insert(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    heap: &Arc<Heap>,
    large: &Large<'_>,
    row: &[Value],
) -> SqlResult<()> {
    let mut record = Vec::new();
    large.append_record(work, row, None, ROW_BYTES_MAX, &mut record)?;
    let added = heap_rows::insert(work, ask, heap, record.len(), |to| to.copy_from_slice(&record));
    added.map(|_| ()).map_err(|error| message::of_txn(error, large.place))
}

/// The values of a row beyond its record, before it is changed.
///
/// # Errors
/// Those of the layers below.
pub fn old_values<'o>(
    ask: &Ask<'_>,
    heap: &Heap,
    large: &Large<'_>,
    rid: millpond_access::Rid,
    row: &'o [Value],
) -> SqlResult<OldValues<'o>> {
    let mut pointers = Vec::new();
    if large.layout.may_overflow() {
        let mut record = Vec::new();
        heap::scan::fetch(heap, ask, rid, &mut record).map_err(|cause| message::of_access(cause, large.place))?;
        pointers = large.pointers(&record)?;
    }
    Ok(OldValues::new(row, pointers))
}

/// A row that is to be changed, into its place in the input row; values beyond its record are read in the columns `reads`
/// alone.
///
/// # Errors
/// Those of the layers below.
pub fn read_to_change<'a>(
    ask: &Ask<'_>,
    heap: &Heap,
    large: &Large<'a>,
    rid: millpond_access::Rid,
    reads: &[bool],
    row: &mut [Value],
) -> SqlResult<Unread<'a>> {
    let (mut record, mut values) = (Vec::new(), Vec::new());
    heap::scan::fetch(heap, ask, rid, &mut record).map_err(|cause| message::of_access(cause, large.place))?;
    let unread = Unread::of_record(large, &record, Some(reads), &mut values)?;
    row.clone_from_slice(&values);
    Ok(unread)
}
