//! Giving pages back: a leaf without entries is unlinked with the pages above it that had no other child, and a root with
//! one child takes that child's records.
//!
//! Pages that are merely poor stay: they fill again, or `compact` or a rebuild packs them.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{PAGE_BYTES, PageBytes, PageId};
use millpond_storage::page::header::{self, PageLink};
use millpond_storage::wal::page_op::{NEXT_AT, PREV_AT, link_bytes};
use millpond_storage::wal::{Mtr, PageOp};

use super::handle::{Step, Target, Tree, damaged, kind_of};
use super::node;
use super::split::apply;
use crate::error::AccessError;

/// Log of an unlinking: three small changes.
const UNLINK_BYTES: usize = 512;

/// Unlinks the leaf where `key` belongs, if it has no entry and is not the root, and gives its page back.
pub(crate) fn remove_empty_leaf(tree: &Tree, ask: &Ask<'_>, key: &[u8]) -> Result<(), AccessError> {
    let _structure = tree.structure.lock();
    unlink_empty_leaf(tree, ask, key)
}

/// As [`remove_empty_leaf`], under the structure lock.
pub(crate) fn unlink_empty_leaf(tree: &Tree, ask: &Ask<'_>, key: &[u8]) -> Result<(), AccessError> {
    check!(tree.structure.is_locked(), "B3: a leaf is unlinked without the structure lock");
    let path = tree.path(ask, Target::Key(key), 0)?;
    if path.len() == 1 {
        return Ok(());
    }
    // The highest page that goes is the one below the last page with another child.
    let stays = path[..path.len() - 1].iter().rposition(|step| step.count > 1);
    let is_unlinked = match stays {
        Some(stays) => unlink(tree, ask, &path[stays..])?,
        None => clear_root(tree, ask, &path)?,
    };
    if is_unlinked {
        let gone: Vec<PageId> = path[stays.unwrap_or(0) + 1..].iter().map(|step| step.page).collect();
        assert!(!gone.contains(&tree.root), "B1: the root {} goes", tree.root);
        tree.unit.give(ask, &gone)?;
        lower_roots(tree, ask)?;
    }
    Ok(())
}

/// Takes the way from the second page of `path` on out of the first one. False when the leaf has entries by now.
fn unlink(tree: &Tree, ask: &Ask<'_>, path: &[Step]) -> Result<bool, AccessError> {
    let (leaf_id, stays) = (path[path.len() - 1].page, path[0]);
    let id_of = |link: PageLink| PageId { db: tree.ctx.db(), file: link.file, page: link.page };
    // Links change under the structure lock only; the leaf before is latched before the leaf (B4).
    let prev = header::prev(&*tree.ctx.pool().shared(ask, leaf_id)?);
    let mut mtr = Mtr::begin(&tree.ctx.handle, ask, UNLINK_BYTES)?;
    let top = mtr.latch(stays.page)?;
    assert!(
        node::count(mtr.page(top)) == stays.count && stays.count > 1,
        "B3: page {} has {} children under the structure lock, {} were seen",
        stays.page,
        node::count(mtr.page(top)),
        stays.count
    );
    for step in &path[1..path.len() - 1] {
        let goes = mtr.latch(step.page)?;
        assert!(
            node::count(mtr.page(goes)) == 1,
            "page {} goes with another child than the empty leaf's way",
            step.page
        );
    }
    let left = match prev {
        Some(prev) => Some(mtr.latch(id_of(prev))?),
        None => None,
    };
    let leaf = mtr.latch(leaf_id)?;
    if node::count(mtr.page(leaf)) > 0 {
        return Ok(false);
    }
    let next = header::next(mtr.page(leaf));
    let right = match next {
        Some(next) => Some(mtr.latch(id_of(next))?),
        None => None,
    };
    let here = Some(PageLink { file: leaf_id.file, page: leaf_id.page });
    check!(left.is_none_or(|left| header::next(mtr.page(left)) == here), "the leaf before leads to {leaf_id}");
    check!(right.is_none_or(|right| header::prev(mtr.page(right)) == here), "the leaf after leads back to {leaf_id}");
    let gone = mtr.apply(top, PageOp::Delete { slot: stays.slot });
    gone.map_err(|error| damaged(stays.page)(error.into()))?;
    if let Some(left) = left {
        apply(&mut mtr, left, PageOp::Bytes { offset: NEXT_AT, bytes: &link_bytes(next) });
    }
    if let Some(right) = right {
        apply(&mut mtr, right, PageOp::Bytes { offset: PREV_AT, bytes: &link_bytes(prev) });
    }
    tree.raise_version();
    mtr.commit();
    Ok(true)
}

/// The tree's last leaf is empty: the root becomes a leaf.
fn clear_root(tree: &Tree, ask: &Ask<'_>, path: &[Step]) -> Result<bool, AccessError> {
    let mut mtr = Mtr::begin(&tree.ctx.handle, ask, UNLINK_BYTES)?;
    let mut pages = Vec::with_capacity(path.len());
    for (place, step) in path.iter().enumerate() {
        // Others may have filled the leaf since.
        let is_leaf = place + 1 == path.len();
        check!(is_leaf || step.count <= 1, "page {} goes, and has {} children", step.page, step.count);
        pages.push(mtr.latch(step.page)?);
    }
    if node::count(mtr.page(pages[pages.len() - 1])) > 0 {
        return Ok(false);
    }
    let ids = tree.ids;
    let format = PageOp::Format { kind: kind_of(ids, 0), object_id: ids.object_id, index_id: ids.index_id, level: 0 };
    apply(&mut mtr, pages[0], format);
    tree.raise_version();
    mtr.commit();
    Ok(true)
}

/// A root with one child becomes what that is, as often as it is so. Under the structure lock.
pub(super) fn lower_roots(tree: &Tree, ask: &Ask<'_>) -> Result<(), AccessError> {
    while lower_root(tree, ask)? {}
    Ok(())
}

/// Takes the records of the root's only child into the root. False when it has more than one, or none.
fn lower_root(tree: &Tree, ask: &Ask<'_>) -> Result<bool, AccessError> {
    let mut mtr = Mtr::begin(&tree.ctx.handle, ask, PAGE_BYTES + 512)?;
    let root = mtr.latch(tree.root)?;
    if header::level(mtr.page(root)) == 0 || node::count(mtr.page(root)) != 1 {
        return Ok(false);
    }
    let child_id = node::child(mtr.page(root), 0, tree.ctx.db()).map_err(damaged(tree.root))?;
    let child = mtr.latch(child_id)?;
    let copy: Box<PageBytes> = Box::new(*mtr.page(child));
    check!(
        header::level(&copy) + 1 == header::level(mtr.page(root)),
        "the root's child {child_id} is of the level below"
    );
    apply(&mut mtr, root, PageOp::Image { bytes: &copy });
    tree.raise_version();
    mtr.commit();
    tree.unit.give(ask, &[child_id])?;
    Ok(true)
}
