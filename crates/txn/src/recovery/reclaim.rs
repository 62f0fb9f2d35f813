//! Space after an unclean start: what a crash left allocated without an owner is given back.
//!
//! ```text
//!   crash between    GAM bit and IAM bit, or in an undone creation or a committed drop   ⇒ extents of no chain
//!                    a page and its parent's link, or the unlinking and the release      ⇒ pages of a tree that nothing links
//! ```
//!
//! What always holds: nothing that lives is touched; done twice, the second time finds nothing. It does not know what
//! lives: the catalog above says so. Large values belong to the rows that hold their pointers, whose owner calls
//! `values::reclaim_values` after this.

use millpond_access::AccessError;
use millpond_access::tree::{TreeIds, TreeRoot};
use millpond_storage::ask::Ask;
use millpond_storage::contract::PageId;
use millpond_storage::database::Database;

use crate::error::TxnError;
use crate::manager::TxnManager;
use crate::open_trees;
use millpond_access::tree;

/// All that lives in a database.
#[derive(Clone, Copy, Debug, Default)]
pub struct Live<'l> {
    /// Trees, those of the catalog among them.
    pub trees: &'l [(TreeIds, TreeRoot)],
    /// First pages of the other IAM chains: stores of large values that belong to no tree.
    pub chains: &'l [PageId],
}

/// What was given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpaceReclaimed {
    /// Extents that no chain claimed.
    pub extents: u64,
    /// Single pages that were in no chain.
    pub single_pages: u64,
    /// Pages of trees that nothing linked.
    pub tree_pages: u64,
}

/// Gives back what a crash left: drops that it interrupted, trees whose creation was never committed, pages of
/// splits and merges that it cut in two. To be called once after a start, when the catalog can be read, before any
/// session changes the database. A database that was closed in order has nothing to give.
///
/// # Errors
/// [`TxnError`]; what was given back stays so, and the call may be repeated.
pub fn reclaim_database(
    manager: &TxnManager,
    ask: &Ask<'_>,
    database: &Database,
    live: Live<'_>,
) -> Result<SpaceReclaimed, TxnError> {
    if database.was_clean() {
        return Ok(SpaceReclaimed::default());
    }
    let ctx = open_trees::tree_ctx(database)?;
    let mut chains = live.chains.to_vec();
    for &(ids, place) in live.trees {
        chains.push(place.iam);
        let values = open_trees::open_tree(manager, &ctx, ids, place).values(ask)?;
        chains.extend(values.map(|values| values.iam()));
    }
    let orphans = manager.instance().reclaim_orphans(ask, database.id(), &chains).map_err(AccessError::from)?;
    let mut tree_pages = 0;
    for &(ids, place) in live.trees {
        tree_pages += tree::reclaim::reclaim_pages(&open_trees::open_tree(manager, &ctx, ids, place), ask)?;
    }
    Ok(SpaceReclaimed { extents: orphans.extents, single_pages: orphans.single_pages, tree_pages })
}
