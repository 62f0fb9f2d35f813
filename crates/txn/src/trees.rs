//! Trees come and go with a session's work: temporary ones, and those of durable databases.
//!
//! What was dropped keeps its pages until nothing can bring it back: to the end of the transaction. What was made in a
//! transaction that did not commit before a crash is claimed by no catalog: its pages are reclaimed as orphans.

use std::cell::RefCell;
use std::sync::Arc;

use millpond_access::tree::{Built, EntrySource, Filled, RowTag, Tree, TreeFill, TreeIds, TreeRoot};
use millpond_access::{AccessError, ObjectId, TreeCtx};
use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::DbId;
use millpond_storage::wal::DatabaseHandle;

use crate::error::TxnError;
use crate::kind::HeapKind;
use crate::lock::{LockMode, RangeStripe};
use crate::objects::own_trees::number_of;
use crate::open_trees;
use crate::read::reader::{is_temporary, place_of};
use crate::session::SessionWork;
use crate::transaction;
use crate::tree_rows::{ChangeWriter, address_of};
use crate::tree_runs;
use crate::undo::record::UndoRecord;
use crate::undo::row_undo::{self, Appended, FillUndo};
use crate::version::version_store::NONE;
use millpond_access::tree;

/// Where the session's trees of tempdb are made.
#[must_use]
pub fn temporary_ctx(work: &SessionWork, kind: HeapKind) -> TreeCtx {
    let instance = work.manager.instance();
    TreeCtx {
        handle: DatabaseHandle { db: DbId::TEMPDB, pool: Arc::clone(instance.pool()), log: None },
        space: Arc::clone(instance.tempdb_space()),
        owner: kind.owner(),
        usage: Arc::clone(work.shared.usage_of(kind)),
    }
}

/// Creates a temporary tree: an index or the rows of `#t` or `@t`. Its rows take no locks and have no versions.
///
/// # Errors
/// [`TxnError`]
pub fn create_temp_tree(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    kind: HeapKind,
    object: ObjectId,
    index_id: u16,
) -> Result<Arc<Tree>, TxnError> {
    let number = work.manager.next_object_id().0;
    let ids = TreeIds { hobt: number.into(), object_id: object.0, index_id };
    if let Some(undo) = work.undo_of(kind) {
        undo.stack.reserve(ask)?;
    }
    let (tree, _) = Tree::create(&temporary_ctx(work, kind), ask, ids)?;
    work.trees.add_temporary(&tree, kind);
    if let Some(undo) = work.undo_of(kind) {
        undo.stack.push(&UndoRecord::TreeMade(number));
    }
    Ok(tree)
}

/// As [`create_temp_tree`], of sorted entries: the undo of all of them is that of the tree.
///
/// # Errors
/// The source's and those of the tree.
pub fn build_temp_tree<E: From<AccessError> + From<TxnError>>(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    kind: HeapKind,
    (object, index_id): (ObjectId, u16),
    fill_percent: u8,
    source: &mut dyn EntrySource<E>,
) -> Result<Arc<Tree>, E> {
    let number = work.manager.next_object_id().0;
    let ids = TreeIds { hobt: number.into(), object_id: object.0, index_id };
    if let Some(undo) = work.undo_of(kind) {
        undo.stack.reserve(ask).map_err(TxnError::from)?;
    }
    let Built { tree, needs_checkpoint, .. } =
        tree::bulk::build(&temporary_ctx(work, kind), ask, ids, fill_percent, source)?;
    check!(!needs_checkpoint, "a tree of tempdb waits for a checkpoint");
    work.trees.add_temporary(&tree, kind);
    if let Some(undo) = work.undo_of(kind) {
        undo.stack.push(&UndoRecord::TreeMade(number));
    }
    Ok(tree)
}

/// A temporary tree of sorted entries, for the session's own use.
pub(crate) fn build_work_tree<E: From<AccessError>>(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    source: &mut dyn EntrySource<E>,
) -> Result<Arc<Tree>, E> {
    let number = work.manager.next_object_id().0;
    let ids = TreeIds { hobt: number.into(), object_id: number, index_id: 1 };
    let Built { tree, .. } = tree::bulk::build(&temporary_ctx(work, HeapKind::Work), ask, ids, 100, source)?;
    work.trees.add_temporary(&tree, HeapKind::Work);
    Ok(tree)
}

/// Drops a temporary tree: at once when it is a work table's, else when nothing can bring it back any more.
///
/// # Errors
/// [`TxnError`]
pub fn drop_temp_tree(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>) -> Result<(), TxnError> {
    check!(is_temporary(tree), "a tree of a stored table is dropped without a word in the log");
    let kind = work.trees.live(tree)?;
    let number = number_of(tree);
    let Some(undo) = work.undo_of(kind) else {
        work.destroy_tree(ask, number);
        return Ok(());
    };
    undo.stack.reserve(ask)?;
    undo.push_drop_tree(number, tree);
    work.trees.get_mut(number).expect("live above").is_dropped = true;
    transaction::settle(work, ask)
}

/// Creates a tree in a durable database. A rollback gives its pages back.
///
/// # Errors
/// [`TxnError`]
pub fn create_tree(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    ctx: &TreeCtx,
    ids: TreeIds,
) -> Result<(Arc<Tree>, TreeRoot), TxnError> {
    work.table.stack.reserve(ask)?;
    let (tree, root) = Tree::create(ctx, ask, ids)?;
    adopt_tree(work, ask, &tree)?;
    Ok((tree, root))
}

/// Takes over a durable tree that was built in bulk for this transaction: a rollback gives its pages back.
///
/// # Errors
/// [`TxnError`]; the tree is then freed, or by the rollback.
pub fn adopt_built(work: &mut SessionWork, ask: &Ask<'_>, built: &Built) -> Result<(), TxnError> {
    adopt_tree(work, ask, &built.tree)?;
    make_durable(work, ask, &built.tree, built.needs_checkpoint)
}

/// Begins to fill a tree: one that this transaction made, or one whose table it has locked with X, so that none of the
/// rows needs a lock. All keys lie after those of the rows that it has. All rows have one undo. The first
/// `logged_pages` pages are in the log in any case.
///
/// # Errors
/// [`TxnError`]
pub fn begin_tree_fill(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    logged_pages: u64,
) -> Result<Arc<TreeFill>, TxnError> {
    assert!(!is_temporary(tree), "rows of temporary trees are undone one by one");
    check!(
        work.trees.has(tree) || work.shared_work.has_table_locked(tree),
        "T3: a tree is filled without locks of its rows, and others may use it"
    );
    let at = work.prepare(ask, tree)?;
    work.table.stack.reserve(ask)?;
    let is_bare = tree.is_bare(ask)?;
    work.table.stack.push(&UndoRecord::FillBegun { db: tree.ctx().handle.db, undo: &fill_undo(tree, None) });
    let tag = work.databases[at].is_versioned.then_some(RowTag { xsn: work.xsn(), version: NONE });
    Ok(match is_bare {
        true => TreeFill::begin(tree, 100, tag, logged_pages),
        false => TreeFill::begin_after(tree, tag, logged_pages),
    })
}

/// All parts of the fill have ended: the tree has their rows. Says how many.
///
/// # Errors
/// [`TxnError`]; the statement is then to be aborted.
///
/// # Panics
/// A part has not ended.
pub fn end_tree_fill(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    fill: &TreeFill,
) -> Result<u64, TxnError> {
    let mut filled = fill.join(ask)?;
    make_durable(work, ask, tree, fill.needs_checkpoint())?;
    link_fill(work, ask, tree, fill, &mut filled)?;
    let mut rows = filled.rows();
    for few in filled.few() {
        let entries = few.entries()?;
        let added = tree_runs::insert_rows(work, ask, tree, &entries)?;
        if added < entries.len() {
            return Err(TxnError::Duplicate);
        }
        rows += added as u64;
    }
    Ok(rows)
}

fn link_fill(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    fill: &TreeFill,
    filled: &mut Filled,
) -> Result<(), TxnError> {
    let at = work.prepare(ask, tree)?;
    work.table.stack.reserve(ask)?;
    let manager = Arc::clone(&work.manager);
    let db = &mut work.databases[at];
    let (db_id, prev) = (db.db, db.log.last.unwrap_or_default());
    let appended = filled.first_key().filter(|_| fill.is_after()).map(|key| Appended { key, rows: filled.rows() });
    let (undo, stripe) = (RefCell::new(fill_undo(tree, appended)), RangeStripe::of(place_of(tree)));
    let mut writer = ChangeWriter { manager: &manager, stripe, log: &mut db.log, undo: &undo, is_done: false };
    let linked = fill.link(ask, &mut writer, filled);
    if writer.is_done {
        work.report_log_bytes();
        check!(
            work.databases[at].has_logged_since(Some(prev)),
            "L2: a fill of database {db_id} does not lie after the change before"
        );
        work.table.stack.push(&UndoRecord::Filled { db: db_id, prev, undo: &undo.borrow() });
    }
    Ok(linked?)
}

/// Where some of a tree's pages are not in the log a checkpoint stands in for it.
fn make_durable(work: &SessionWork, ask: &Ask<'_>, tree: &Tree, needs_checkpoint: bool) -> Result<(), TxnError> {
    if !needs_checkpoint {
        return Ok(());
    }
    let db = tree.ctx().handle.db;
    work.manager.instance().checkpoint(ask, db).map_err(|cause| TxnError::of_checkpoint(db, cause))
}

/// As [`adopt_built`], for a tree whose pages are all in the log.
fn adopt_tree(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>) -> Result<(), TxnError> {
    // G4: it may take the number of one that the transaction has walked over.
    work.shared_work.forget_ghosts();
    assert!(!is_temporary(tree), "temporary trees are made by create_temp_tree");
    if let Err(cause) = work.table.stack.reserve(ask) {
        work.manager.note_free(tree.free(ask));
        return Err(cause.into());
    }
    let tree = open_trees::note_tree(&work.manager, tree);
    let number = work.trees.add_durable(&tree);
    assert!(!tree.is_gone(), "a tree is taken over that is freed");
    work.table.stack.push(&UndoRecord::TreeMade(number));
    Ok(())
}

/// Drops a durable tree: its pages are free after the commit. The caller has its object locked with Sch-M.
///
/// # Errors
/// [`TxnError`]
pub fn drop_tree(work: &mut SessionWork, ask: &Ask<'_>, tree: &Arc<Tree>) -> Result<(), TxnError> {
    assert!(!is_temporary(tree), "temporary trees are dropped by drop_temp_tree");
    check!(
        work.trees.has(tree)
            || work.shared_work.locks.object_mode(place_of(tree).db, place_of(tree).object) == Some(LockMode::SchM),
        "T3: a tree is dropped that others may be using"
    );
    work.table.stack.reserve(ask)?;
    work.table.push_drop_tree(0, tree);
    transaction::settle(work, ask)
}

/// TRUNCATE TABLE: a new tree without rows takes the place of `tree`, whose pages are free after the commit. The
/// caller notes the new root in its catalog, in the same transaction, and has the object locked with Sch-M. On a
/// full disk the new tree gets its pages from those that are kept for work that makes room.
///
/// # Errors
/// [`TxnError`]
pub fn truncate_tree(
    work: &mut SessionWork,
    ask: &Ask<'_>,
    tree: &Arc<Tree>,
    ids: TreeIds,
) -> Result<(Arc<Tree>, TreeRoot), TxnError> {
    let made = create_tree(work, &ask.with_reserve(), tree.ctx(), ids)?;
    drop_tree(work, ask, tree)?;
    assert!(made.1.root != tree.place().root, "a tree and what takes its place lie at {}", made.1.root);
    Ok(made)
}

/// Notes that the catalog of a database changed for an object: what undoes the change notifies it
/// ([`crate::Definitions`]).
///
/// # Errors
/// [`TxnError::Log`]
pub fn note_catalog_change(work: &mut SessionWork, ask: &Ask<'_>, db: DbId, object: u32) -> Result<(), TxnError> {
    check!(work.catalog.is_set(), "a definition of database {db} is changed, and no catalog is notified of its undo");
    work.table.stack.reserve(ask)?;
    work.table.stack.push(&UndoRecord::Catalog { db, object });
    work.changed_definitions = true;
    Ok(())
}

/// The undo of a fill, begun or finished.
fn fill_undo(tree: &Tree, appended: Option<Appended<'_>>) -> Vec<u8> {
    let mut undo = Vec::new();
    row_undo::encode_fill(&mut undo, &FillUndo { tree: address_of(tree), appended });
    undo
}
