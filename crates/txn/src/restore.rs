//! Undoing one change of an entry: at run time, and after a crash for transactions that were open.

use std::sync::Arc;

use millpond_access::tree::{Change, LeafRow, Tree};
use millpond_storage::ask::Ask;
use millpond_storage::header::Lsn;
use millpond_storage::wal::{Mtr, TxnLog};

use crate::change::UndoWriter;
use crate::error::TxnError;
use crate::lock::RangeStripe;
use crate::manager::TxnManager;
use crate::reader::place_of;
use crate::row_undo::{OldRow, RowUndo};

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
    tree.modify::<TxnError>(ask, &mut writer, undo.key, &mut |_: Option<LeafRow<'_>>| Ok(change))?;
    if !writer.is_done {
        // The entry is what it was already. The log says so, so that recovery does not look again.
        Mtr::begin_undo(&tree.ctx().handle, ask).map_err(millpond_access::AccessError::from)?.commit_clr(log, next);
    }
    Ok(())
}
