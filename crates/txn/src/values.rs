//! Large values beside rows: written before the row that points to them, freed when no reader can follow the pointer.
//!
//! ```text
//!   put_value ──▶ the transaction's ──row is written──▶ the row's ──row is changed, drop_value──▶ the transaction's
//!                     │ undone                                                                     │ undone: the row's again
//!                     └──────────▶ waiting for the horizon ◀────────────── committed ──────────────┘
//!                                        └──▶ freed
//! ```
//!
//! What always holds:
//! - L1: a value has one owner: the newest row that points to it and is no ghost; or the open transaction that wrote it or
//!   took it out of its row; or the list of values that wait. A ghost or an older version points to a value, and does not
//!   own it. Of a value that was changed in a part, the row of the new value owns the pages that both have; what each has
//!   alone is owned as if it were a value.
//! - L2: a value of a durable tree is freed when the transaction that let it go is below the horizon. A session that
//!   follows pointers has a snapshot from before it read the row, or a lock that keeps the row
//!   (`Reader::hold_values`).
//! - L3: the log has the record that ends the ownership before it has the freeing: a crash in between leaks the value until
//!   the values of the tree are reclaimed at the next start, and never frees one that is owned.
//! - L4: values of tempdb are freed as soon as nothing can bring their row back: no other session reads them.
//!
//! It does not know where in a row a pointer stands.

use millpond_storage::check;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond_access::lob::{LobPtr, LobStore, Owned};
use millpond_access::tree::{Tree, Xsn};
use millpond_access::{AccessError, Heap, ROW_BYTES_MAX};
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;

use crate::error::TxnError;
use crate::kind::HeapKind;
use crate::manager::TxnManager;
use crate::read::reader::is_temporary;
use crate::session::SessionWork;
use crate::undo::Deferred;
use crate::version::loose_value::{LooseValue, WaitingValue, write_value};

/// Where rows are that point to large values.
#[derive(Clone, Copy, Debug)]
pub enum ValueHome<'h> {
    /// Entries of a tree.
    Tree(&'h Arc<Tree>),
    /// Rows of a temporary heap.
    Heap(&'h Arc<Heap>),
    /// Rows that have no large values.
    Nowhere,
}

/// A store, and the durable tree whose values it has.
type StoreOfTree = (Arc<LobStore>, Option<Arc<Tree>>);

fn too_long(value_bytes: usize) -> TxnError {
    let row_bytes = value_bytes.max(ROW_BYTES_MAX + 1);
    AccessError::RowTooLong { row_bytes, row_bytes_max: ROW_BYTES_MAX }.into()
}

impl ValueHome<'_> {
    /// Fills `out` with the bytes of a value from `offset` on.
    ///
    /// # Errors
    /// [`TxnError::Access`]: `NoSuchValue` where the pointer leads to no value of that length.
    pub fn read(&self, ask: &Ask<'_>, pointer: LobPtr, offset: u64, out: &mut [u8]) -> Result<(), TxnError> {
        let store = match self {
            ValueHome::Tree(tree) => tree.values(ask)?,
            ValueHome::Heap(heap) => heap.values(),
            ValueHome::Nowhere => None,
        };
        let store = store.ok_or(AccessError::NoSuchValue { page: pointer.first_page(DbId(0)) })?;
        match store.read(ask, pointer, offset, out)? {
            read if read == out.len() => Ok(()),
            _ => Err(AccessError::NoSuchValue { page: pointer.first_page(DbId(0)) }.into()),
        }
    }
}

/// Writes a value for a row that is to be written next, in the same statement. It goes again if the statement or the
/// transaction does.
///
/// # Errors
/// [`TxnError`]; nothing is kept of the value.
pub fn put_value(work: &mut SessionWork, ask: &Ask<'_>, home: ValueHome<'_>, value: &[u8]) -> Result<LobPtr, TxnError> {
    let kind = kind_of_home(work, ask, home)?;
    if let Some(undo) = work.undo_of(kind) {
        undo.stack.reserve(ask)?;
    }
    let (store, tree) = match home {
        ValueHome::Tree(tree) => (tree.values_to_write(ask)?, (!is_temporary(tree)).then(|| Arc::clone(tree))),
        ValueHome::Heap(heap) => (heap.values_to_write(ask)?, None),
        ValueHome::Nowhere => return Err(too_long(value.len())),
    };
    let pointer = write_value(ask, &store, value)?;
    if let Some(undo) = work.undo_of(kind) {
        undo.push_made(LooseValue { store, owned: pointer.into(), tree });
    }
    Ok(pointer)
}

/// Puts bytes in place of a part of a row's value; the row is to be written next, in the same statement, with the new
/// pointer. What only the old value has is returned, for [`drop_value`] when that is done.
///
/// # Errors
/// [`TxnError`]; nothing is kept of the new value.
///
/// # Panics
/// For a part that reaches beyond the value.
pub fn change_value(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    home: ValueHome<'_>,
    old: LobPtr,
    part: Range<u64>,
    bytes: &[u8],
) -> Result<(LobPtr, Owned), TxnError> {
    let kind = kind_of_home(work, ask, home)?;
    if let Some(undo) = work.undo_of(kind) {
        undo.stack.reserve(ask)?;
    }
    let (store, tree) = store_of(ask, home, old)?;
    let removed_bytes = part.end - part.start;
    let changed = store.change(ask, old, part, bytes)?;
    if !changed.made.is_empty()
        && let Some(undo) = work.undo_of(kind)
    {
        check!(
            changed.pointer.len == old.len - removed_bytes + bytes.len() as u64,
            "a value of {} bytes becomes one of {}",
            old.len,
            changed.pointer.len
        );
        undo.push_made(LooseValue { store, owned: Owned::Pages(changed.made), tree });
    }
    Ok((changed.pointer, Owned::Pages(changed.left)))
}

/// The store of a value that is there, with the durable tree that it belongs to.
fn store_of(ask: &Ask<'_>, home: ValueHome<'_>, pointer: LobPtr) -> Result<StoreOfTree, TxnError> {
    let (store, tree) = match home {
        ValueHome::Tree(tree) => (tree.values(ask)?, (!is_temporary(tree)).then(|| Arc::clone(tree))),
        ValueHome::Heap(heap) => (heap.values(), None),
        ValueHome::Nowhere => (None, None),
    };
    let store = store.ok_or(AccessError::NoSuchValue { page: pointer.first_page(DbId(0)) })?;
    Ok((store, tree))
}

/// The row that pointed to a value does not any more, in the same statement, or points to a value that left some of
/// its pages: they go when nothing can bring the value back and no session can be reading it.
///
/// # Errors
/// [`TxnError`]
pub fn drop_value(work: &mut SessionWork, ask: &Ask<'_>, home: ValueHome<'_>, owned: Owned) -> Result<(), TxnError> {
    let pointer = match &owned {
        Owned::Value(pointer) => *pointer,
        Owned::Pages(pages) if pages.is_empty() => return Ok(()),
        Owned::Pages(_) => LobPtr::EMPTY,
    };
    let kind = kind_of_home(work, ask, home)?;
    let (store, tree) = store_of(ask, home, pointer)?;
    let loose = LooseValue { store, owned, tree };
    let Some(undo) = work.undo_of(kind) else {
        let_go(work, ask, loose);
        return Ok(());
    };
    undo.stack.reserve(ask)?;
    undo.push_drop_value(loose);
    Ok(())
}

/// Values of a tree that the open transaction has let go, and what changed values left.
#[must_use]
pub fn loose_values(work: &SessionWork, tree: &Arc<Tree>) -> Vec<Owned> {
    let is_of = |value: &&LooseValue| value.tree.as_ref().is_some_and(|other| Arc::ptr_eq(other, tree));
    let loose = work.table.let_go().chain(work.local.let_go());
    loose.filter(is_of).map(|value| value.owned.clone()).collect()
}

/// Which undo the rows of a home have; a durable database is entered by it.
fn kind_of_home(work: &mut SessionWork, ask: &Ask<'_>, home: ValueHome<'_>) -> Result<HeapKind, TxnError> {
    match home {
        ValueHome::Nowhere => Ok(HeapKind::Work),
        ValueHome::Heap(heap) => Ok(work.objects.live(heap.object_id())?.kind),
        ValueHome::Tree(tree) if is_temporary(tree) => work.trees.live(tree),
        ValueHome::Tree(tree) => {
            work.prepare(ask, tree)?;
            Ok(HeapKind::Table)
        }
    }
}

/// L2, L4
pub(crate) fn let_go(work: &mut SessionWork, ask: &Ask<'_>, LooseValue { store, owned, tree }: LooseValue) {
    match tree {
        None => note_value_freed(&work.manager, store.free_owned(ask, &owned)),
        Some(tree) => {
            let handle = &tree.ctx().handle;
            work.manager.cleaner().add_value(
                work.xsn(),
                WaitingValue {
                    db: handle.db,
                    tree: Arc::downgrade(&tree),
                    store: Arc::downgrade(&store),
                    is_gone: Arc::clone(store.is_gone()),
                    owned,
                    log: handle.log.clone(),
                },
            );
        }
    }
}

/// A value that was written for a change that is undone.
pub(crate) fn undo_made_value(work: &mut SessionWork, ask: &Ask<'_>, kind: HeapKind) {
    if let Some(loose) = work.undo_of(kind).and_then(|undo| undo.pop_made()) {
        let_go(work, ask, loose);
    }
}

/// A value that was let go is the row's again.
pub(crate) fn undo_dropped_value(work: &mut SessionWork, kind: HeapKind) {
    let deferred = work.undo_of(kind).and_then(|undo| undo.pop_deferred());
    assert!(matches!(deferred, Some(Deferred::FreeValue(_))), "L1: another thing waits than a value that was let go");
}

/// Frees the values that no session can read any more.
pub(crate) fn free_values(manager: &TxnManager, ask: &Ask<'_>, horizon: Xsn) {
    while let Some(value) = manager.cleaner().next_value(horizon) {
        free_waiting(manager, ask, value);
    }
}

/// A value whose tree is gone went with it.
fn free_waiting(manager: &TxnManager, ask: &Ask<'_>, value: WaitingValue) {
    if value.is_gone.load(Ordering::Relaxed) {
        return;
    }
    let (Some(_tree), Some(store)) = (value.tree.upgrade(), value.store.upgrade()) else {
        if let Some(log) = value.log {
            log.note_leak();
        }
        return;
    };
    let freed = store.free_owned(ask, &value.owned);
    if let (Err(_), Some(log)) = (&freed, &value.log) {
        log.note_leak();
    }
    note_value_freed(manager, freed);
}

fn note_value_freed(manager: &TxnManager, freed: Result<(), AccessError>) {
    match freed {
        Err(AccessError::Gone(_)) => {}
        freed => manager.note_free(freed),
    }
}

/// Values of a tree that no row points to any more, and what changed values left, as far as they are not freed yet.
#[must_use]
pub fn waiting_values(manager: &TxnManager, tree: &Arc<Tree>) -> Vec<Owned> {
    let is_of = |value: &WaitingValue| value.tree.upgrade().is_some_and(|other| Arc::ptr_eq(&other, tree));
    manager.cleaner().values(|value| is_of(value).then(|| value.owned.clone()))
}

/// Gives back the values of a tree that are not in `live`: what a crash left. No other session uses the tree
/// meanwhile. Returns how many pages there were.
///
/// # Errors
/// [`TxnError`]
pub fn reclaim_values(
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    live: &mut dyn Iterator<Item = LobPtr>,
) -> Result<u64, TxnError> {
    match tree.values(ask)? {
        None => Ok(0),
        Some(store) => Ok(store.reclaim(ask, live)?),
    }
}
