//! Many new rows at once: runs of ascending keys, a leaf per log record and per record of undo.
//!
//! What holds for single changes (C1 to C5 of `tree_rows`) holds here: rows are locked before, undo is in the stack for all that
//! happened. What makes a row special (a ghost of its key, a reader's range lock on the gap, a temporary tree) sends it
//! the way of single changes.

use millpond_storage::check;
use std::cell::RefCell;
use std::sync::Arc;

use millpond_access::tree::{Entry, RowTag, Tree, Xsn};
use millpond_storage::ask::Ask;

use crate::error::TxnError;
use crate::lock::{KeyHash, LockMode, RangeStripe};
use crate::read::reader::{is_temporary, place_of};
use crate::session::SessionWork;
use crate::tree_rows;
use crate::tree_rows::{ChangeConflict, ChangeWriter, address_of};
use crate::undo::record::UndoRecord;
use crate::undo::row_undo;
use crate::version::version_store::NONE;
use millpond_access::tree;

/// Rows that are locked ahead of their run.
const LOCKED_AHEAD: usize = 256;

/// Adds rows of ascending keys. Says how many: less than all when the one after them is there already.
///
/// # Errors
/// As [`crate::tree_rows::insert`], after which the statement is to be aborted.
pub fn insert_rows(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    rows: &[Entry<'_>],
) -> Result<usize, TxnError> {
    check!(rows.is_sorted_by(|one, other| one.key <= other.key), "a run of rows is not in the order of its keys");
    let (mut done, mut locked) = (0, 0);
    let is_plain = !is_temporary(tree);
    while done < rows.len() {
        if is_plain {
            while locked < rows.len().min(done + LOCKED_AHEAD) {
                tree_rows::lock_row(work, ask, tree, KeyHash::of(rows[locked].key), LockMode::X)?;
                locked += 1;
            }
            let added = insert_run(work, ask, tree, &rows[done..locked])?;
            assert!(done + added <= locked, "{added} rows of a run were added, {} are locked", locked - done);
            done += added;
            if added > 0 {
                continue;
            }
        }
        match tree_rows::insert(work, ask, tree, rows[done].key, rows[done].payload) {
            Ok(()) => done += 1,
            Err(TxnError::Duplicate) => return Ok(done),
            Err(cause) => return Err(cause),
        }
    }
    Ok(done)
}

/// Adds the first of some rows that are locked; none when the first one needs more than that.
fn insert_run(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>, rows: &[Entry<'_>]) -> Result<usize, TxnError> {
    let at = work.prepare(ask, tree)?;
    work.table.stack.reserve(ask)?;
    let manager = Arc::clone(&work.manager);
    let xsn = work.xsn();
    assert!(xsn != Xsn(0), "N1: a transaction adds a run of rows without a number");
    check!(
        rows.iter().all(|row| work.shared_work.has_locked(tree, row.key)),
        "C1: a run of rows is added, and not all are locked with X"
    );
    let db = &mut work.databases[at];
    let (db_id, prev) = (db.db, db.log.last);
    let tag = db.is_versioned.then_some(RowTag { xsn, version: NONE });
    let (address, stripe) = (address_of(tree), RangeStripe::of(place_of(tree)));
    let undo = RefCell::new(std::mem::take(&mut work.undo_buffer));
    let mut writer = ChangeWriter { manager: &manager, stripe, log: &mut db.log, undo: &undo, is_done: false };
    let result = tree::run::insert_run(tree, ask, &mut writer, rows, tag, &mut |run| {
        // C3: under the latch no reader can come to the gap. Runs of ghosts are divided row by row.
        if !manager.ranges().is_quiet(stripe) {
            return Err(ChangeConflict::RangesChanged);
        }
        let undo = &mut *undo.borrow_mut();
        undo.clear();
        row_undo::encode_run(undo, &address, run.iter().map(|entry| entry.key));
        check!(
            row_undo::decode_run(db_id, undo).is_some_and(|read| read.keys.len() == run.len()),
            "C4: the undo of a run is not that of its {} rows",
            run.len()
        );
        Ok(())
    });
    let is_done = writer.is_done;
    let undo = undo.into_inner();
    if is_done {
        work.report_log_bytes();
        check!(
            work.databases[at].has_logged_since(prev),
            "L2: a run of database {db_id} does not lie after the change before"
        );
        let own = work.databases[at].log.last.unwrap_or_default();
        let prev = prev.unwrap_or_default();
        work.table.stack.push(&UndoRecord::Rows { db: db_id, prev, own, undo: &undo });
    }
    check!(is_done || !matches!(result, Ok(1..)), "C4: rows of database {db_id} are added, and nothing can undo them");
    work.undo_buffer = undo;
    match result {
        Ok(added) => Ok(added),
        Err(ChangeConflict::RangesChanged) => Ok(0),
        Err(ChangeConflict::Txn(cause)) => Err(cause),
    }
}
