//! Undoing one change of an entry, a run of entries that were added, or all that a tree was filled with: at run time, and
//! after a crash for transactions that were open.
//!
//! The entries of a run may lie on several leaves by now. Each leaf is a compensation; all but the last say that the run
//! itself comes next, so that a crash in between undoes it again: what is gone already is passed over.

use std::cell::Cell;
use std::sync::Arc;

use millpond_access::tree::{Change, LeafRow, RowTag, Tree, Writer};
use millpond_storage::ask::Ask;
use millpond_storage::page::header::Lsn;
use millpond_storage::wal::{DatabaseHandle, LogError, Mtr, TxnLog};

use crate::error::TxnError;
use crate::lock::RangeStripe;
use crate::manager::TxnManager;
use crate::read::reader::place_of;
use crate::tree_rows::UndoWriter;
use crate::undo::row_undo::{Appended, FillUndo, OldRow, RowUndo, RunUndo};
use millpond_access::tree;

/// Makes an entry what it was, in a compensation whose next record is `next`.
pub(crate) fn apply_undo(
    ask: &Ask<'_>,
    manager: &TxnManager,
    tree: &Arc<Tree>,
    log: &mut TxnLog,
    next: Option<Lsn>,
    undo: &RowUndo<'_>,
) -> Result<(), TxnError> {
    let stripe = RangeStripe::of(place_of(tree));
    let mut writer = UndoWriter { manager, stripe, log, next, is_done: false };
    let change = match undo.old {
        None => Change::Remove,
        Some(OldRow { payload, is_ghost, tag, pad_bytes }) => Change::Restore { payload, is_ghost, tag, pad_bytes },
    };
    tree::modify::change_entry::<TxnError>(tree, ask, &mut writer, undo.key, &mut |_: Option<LeafRow<'_>>| Ok(change))?;
    if !writer.is_done {
        // The entry is what it was already. The log says so, so that recovery does not look again.
        Mtr::begin_undo(&tree.ctx().handle, ask).map_err(millpond_access::AccessError::from)?.commit_clr(log, next);
    }
    Ok(())
}

/// Takes all entries away that a tree was filled with, in a compensation whose next record is `next`.
pub(crate) fn apply_fill_undo(
    ask: &Ask<'_>,
    manager: &TxnManager,
    tree: &Arc<Tree>,
    log: &mut TxnLog,
    next: Option<Lsn>,
    undo: &FillUndo<'_>,
) -> Result<(), TxnError> {
    let stripe = RangeStripe::of(place_of(tree));
    let mut writer = UndoWriter { manager, stripe, log, next, is_done: false };
    match undo.appended {
        None => tree.unfill(ask, &mut writer)?,
        Some(Appended { key, rows }) => tree::graft::cut_off(tree, ask, &mut writer, key, rows)?,
    }
    Ok(())
}

/// Ends the compensations of a run.
struct RunWriter<'w> {
    manager: &'w TxnManager,
    stripe: RangeStripe,
    log: &'w mut TxnLog,
    /// The record that is undone next.
    next: &'w Cell<Option<Lsn>>,
}

impl Writer for RunWriter<'_> {
    fn begin<'a>(&mut self, db: &'a DatabaseHandle, ask: &Ask<'a>, _: usize) -> Result<Mtr<'a>, LogError> {
        Mtr::begin_undo(db, ask)
    }

    fn commit(&mut self, mtr: Mtr<'_>) {
        mtr.commit_clr(self.log, self.next.get());
    }

    fn may_purge(&self, tag: &RowTag) -> bool {
        self.manager.may_purge(tag, self.stripe)
    }
}

/// Takes a run of entries away that was logged as `own`, after which the record `next` is undone.
pub(crate) fn apply_run_undo(
    ask: &Ask<'_>,
    manager: &TxnManager,
    tree: &Arc<Tree>,
    log: &mut TxnLog,
    (own, next): (Lsn, Option<Lsn>),
    undo: &RunUndo<'_>,
) -> Result<(), TxnError> {
    let after = Cell::new(None);
    let stripe = RangeStripe::of(place_of(tree));
    let mut writer = RunWriter { manager, stripe, log, next: &after };
    let mut keys = &undo.keys[..];
    while !keys.is_empty() {
        let left = keys.len();
        let note = &mut |taken: usize| after.set(if taken == left { next } else { Some(own) });
        let taken = tree::run::remove_run(tree, ask, &mut writer, keys, note)?;
        assert!((1..=left).contains(&taken), "{taken} of {left} entries of a run are undone");
        keys = &keys[taken..];
    }
    Ok(())
}
