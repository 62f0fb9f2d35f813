//! Reading single entries, and going over the pages of one level.

use millpond_storage::check;
use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId};
use millpond_storage::page::header;

use super::handle::{Target, Tree, damaged};
use super::node;
use super::row::LeafRow;
use crate::error::AccessError;

/// Sees a page, its number and the least key that belongs there.
type NodeVisit<'v> = &'v mut dyn FnMut(&PageBytes, PageId, Option<&[u8]>) -> Result<(), AccessError>;

/// Reads the entry of `key`, ghost or not, under the shared latch of its page.
///
/// # Errors
/// [`AccessError`]
pub fn get<R>(
    tree: &Tree,
    ask: &Ask<'_>,
    key: &[u8],
    read: impl FnOnce(LeafRow<'_>) -> R,
) -> Result<Option<R>, AccessError> {
    let (page, id) = tree.leaf_shared(ask, Target::Key(key))?;
    let place = node::find(&page, key).map_err(damaged(id))?;
    if !place.is_there {
        return Ok(None);
    }
    let row = node::leaf_row(&page, place.slot).map_err(damaged(id))?;
    Ok(Some(read(row)))
}

/// The key of the first entry after `key`, ghosts included: what a key-range lock is taken on.
///
/// # Errors
/// [`AccessError`]
pub fn next_key(tree: &Tree, ask: &Ask<'_>, key: &[u8]) -> Result<Option<Vec<u8>>, AccessError> {
    'descend: loop {
        let (mut page, mut id) = tree.leaf_shared(ask, Target::Key(key))?;
        let place = node::find(&page, key).map_err(damaged(id))?;
        let mut slot = place.slot + u16::from(place.is_there);
        loop {
            if slot < node::count(&page) {
                return Ok(Some(node::leaf_key(&page, slot).map_err(damaged(id))?.to_vec()));
            }
            let Some(link) = header::next(&page) else { return Ok(None) };
            let version = tree.version.load(Relaxed);
            drop(page);
            id = PageId { db: tree.ctx.db(), file: link.file, page: link.page };
            let next = tree.ctx.pool().shared(ask, id);
            if tree.version.load(Relaxed) != version {
                continue 'descend;
            }
            page = next?;
            tree.check_node(&page, id, Some(0))?;
            slot = 0;
        }
    }
}

/// Visits the pages of `level` from left to right, each latched shared, with the least key that belongs there (none
/// for the first). Pages that are split meanwhile may be seen in part, none twice with the same entries.
pub(crate) fn for_each_node(tree: &Tree, ask: &Ask<'_>, level: u8, visit: NodeVisit<'_>) -> Result<(), AccessError> {
    for_each_node_to_the_end(tree, ask, level, &mut |page, id, low| match ask.task.is_cancelled() {
        true => Err(AccessError::Cancelled),
        false => visit(page, id, low),
    })
}

/// As [`for_each_node`], for what is done when a task was cancelled too.
pub(crate) fn for_each_node_to_the_end(
    tree: &Tree,
    ask: &Ask<'_>,
    level: u8,
    visit: NodeVisit<'_>,
) -> Result<(), AccessError> {
    let mut low: Option<Vec<u8>> = None;
    loop {
        let target = low.as_deref().map_or(Target::First, Target::Key);
        let mut high: Option<Vec<u8>> = None;
        let (mut page, mut id) = (tree.root_shared(ask)?, tree.root);
        if header::level(&page) < level {
            return Ok(());
        }
        while header::level(&page) > level {
            let slot = target.child_slot(&page).map_err(damaged(id))?;
            if slot + 1 < node::count(&page) {
                high = Some(node::separator(&page, slot + 1).map_err(damaged(id))?.to_vec());
            }
            (page, id) = tree.child_shared(ask, (&page, id), slot)?;
        }
        check!(header::level(&page) == level, "page {id} of level {level}");
        visit(&page, id, low.as_deref())?;
        drop(page);
        if high.is_none() {
            return Ok(());
        }
        low = high;
    }
}
