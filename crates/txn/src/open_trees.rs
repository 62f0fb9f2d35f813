//! Trees of durable databases as objects: every session gets the same one, as long as any has it.
//!
//! The trees are kept by their roots in the manager (`TxnManager::tree_at`).

use std::sync::Arc;

use millpond_access::TreeCtx;
use millpond_access::tree::{Tree, TreeIds, TreeRoot};
use millpond_storage::check;
use millpond_storage::database::Database;
use millpond_storage::space::Owner;

use crate::error::TxnError;
use crate::manager::TxnManager;

/// The tree that lies at `root`: the same object for every session, as long as any has it.
#[must_use]
pub fn open_tree(manager: &TxnManager, ctx: &TreeCtx, ids: TreeIds, root: TreeRoot) -> Arc<Tree> {
    manager.tree_at(ctx, root.root, || Tree::open(ctx, ids, root))
}

/// Makes a tree the one that every session gets.
pub(crate) fn note_tree(manager: &TxnManager, tree: &Arc<Tree>) -> Arc<Tree> {
    check!(!tree.is_gone(), "a tree of {:?} that was freed is given to other sessions", tree.ids());
    manager.tree_at(tree.ctx(), tree.place().root, || Arc::clone(tree))
}

/// What trees of a database need: its pages, its log, its space.
///
/// # Errors
/// [`TxnError::DatabaseUnavailable`].
pub fn tree_ctx(database: &Database) -> Result<TreeCtx, TxnError> {
    let unavailable = |_| TxnError::DatabaseUnavailable(database.id());
    Ok(TreeCtx {
        handle: database.handle().map_err(unavailable)?.clone(),
        space: Arc::clone(database.space().map_err(unavailable)?),
        owner: Owner::User,
        usage: Arc::default(),
    })
}
