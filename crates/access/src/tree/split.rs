//! Making room: a full page gives the upper part of its records to a new page on its right.
//!
//! ```text
//!        ┌──────── parent ────────┐            parent gets (new, separator) after the child
//!        │   … s1 │ s2 …          │
//!        └─────│──────────────────┘
//!          ┌───▼───┐    ┌───────┐
//!          │ page  │◀──▶│ next  │      page ◀──▶ new ◀──▶ next
//!          └───────┘    └───────┘
//! ```
//!
//! One mini-transaction per page that is split, from the highest full level down: after each of them the tree is whole.
//! The root does not split: its records move into a new page below it, and that one splits.
//!
//! Where a page is cut: in the middle of its bytes; but after the last record where keys arrive in ascending order
//! (the page is the last one, or the record before the new one is the one that was written last), so that ascending loads
//! leave full pages.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{PAGE_BYTES, PageBytes, PageId};
use millpond_storage::page::header::{self, PageLink};
use millpond_storage::page::slotted;
use millpond_storage::wal::page_op::{self, NEXT_AT, PREV_AT, link_bytes};
use millpond_storage::wal::{Mtr, PageIx, PageOp};

use super::handle::{Step, Target, Tree, damaged, kind_of};
use super::node::{self, CHILD_BYTES, KEY_BYTES_MAX, Place};
use crate::error::{AccessError, NodeDamage};

/// Log of one split: the new page, a separator, and what surrounds them.
const RESERVED_BYTES: usize = PAGE_BYTES + KEY_BYTES_MAX + 512;

/// How an attempt to split ended.
enum Split {
    Done,
    /// Somebody made room meanwhile.
    NotNeeded,
    /// The parent has no room for a record of so many bytes.
    ParentFull {
        record_bytes: usize,
    },
}

/// Where a page is cut and what separates the halves.
struct Cut {
    slot: u16,
    separator: Vec<u8>,
}

fn link(page: PageId) -> PageLink {
    PageLink { file: page.file, page: page.page }
}

/// Sees to room for a record of `record_bytes` where `key` belongs, or comes nearer to it.
pub(crate) fn make_room(tree: &Tree, ask: &Ask<'_>, key: &[u8], record_bytes: usize) -> Result<(), AccessError> {
    let _structure = tree.structure.lock();
    make_room_at(tree, ask, key, 0, record_bytes)
}

/// Splits the page of `level` where `key` belongs; those above it first where they are full.
pub(crate) fn make_room_at(
    tree: &Tree,
    ask: &Ask<'_>,
    key: &[u8],
    level: u8,
    record_bytes: usize,
) -> Result<(), AccessError> {
    check!(tree.structure.is_locked(), "B3: a page is split without the structure lock");
    loop {
        let path = tree.path(ask, Target::Key(key), level)?;
        let near = path[path.len() - 1].page;
        let new = tree.unit.take(ask, Some(near))?;
        let split = match path.len() {
            1 => grow_root(tree, ask, new).map(|()| None),
            _ => split_page(tree, ask, key, level, record_bytes, &path, new).map(Some),
        };
        match split {
            Ok(None) => {}
            Ok(Some(Split::Done)) => return Ok(()),
            Ok(Some(Split::NotNeeded)) => return tree.unit.give(ask, &[new]),
            Ok(Some(Split::ParentFull { record_bytes })) => {
                tree.unit.give(ask, &[new])?;
                make_room_at(tree, ask, key, level + 1, record_bytes)?;
            }
            Err(cause) => {
                // The page is leaked if the maps refuse too.
                let _ = tree.unit.give(ask, &[new]);
                return Err(cause);
            }
        }
    }
}

/// The tree gets a level more: the root's records move to a page below it. Under the structure lock.
pub(crate) fn raise_root(tree: &Tree, ask: &Ask<'_>) -> Result<(), AccessError> {
    check!(tree.structure.is_locked(), "B3: the root is raised without the structure lock");
    let new = tree.unit.take(ask, Some(tree.root))?;
    grow_root(tree, ask, new).inspect_err(|_| {
        // The page is leaked if the maps refuse too.
        let _ = tree.unit.give(ask, &[new]);
    })
}

/// Moves the root's records to `new`, which becomes its only child.
fn grow_root(tree: &Tree, ask: &Ask<'_>, new: PageId) -> Result<(), AccessError> {
    let mut mtr = Mtr::begin(&tree.ctx.handle, ask, RESERVED_BYTES)?;
    let root = mtr.latch(tree.root)?;
    let copy: Box<PageBytes> = Box::new(*mtr.page(root));
    let level = header::level(&copy);
    assert!(new != tree.root && level < 64, "B1: the records of level {level} move from the root to {new}");
    let ids = tree.ids;
    let child = mtr.create(new, kind_of(ids, level), ids.object_id, ids.index_id, level)?;
    let mut record = Vec::new();
    node::write_child(&mut record, new, &[]);
    tree.activity.note_split(level);
    let (kind, level) = (kind_of(ids, level + 1), level + 1);
    let format = PageOp::Format { kind, object_id: ids.object_id, index_id: ids.index_id, level };
    apply(&mut mtr, child, PageOp::Image { bytes: &copy });
    apply(&mut mtr, root, format);
    apply(&mut mtr, root, PageOp::Insert { slot: 0, record: &record });
    assert!(node::count(mtr.page(root)) == 1, "the root has one child");
    tree.raise_version();
    mtr.commit();
    Ok(())
}

fn split_page(
    tree: &Tree,
    ask: &Ask<'_>,
    key: &[u8],
    level: u8,
    record_bytes: usize,
    path: &[Step],
    new: PageId,
) -> Result<Split, AccessError> {
    let [.., above, at] = path else { unreachable!("the root has no parent and is not split") };
    let mut mtr = Mtr::begin(&tree.ctx.handle, ask, RESERVED_BYTES)?;
    let parent = parent(&mut mtr, *above)?;
    let page = mtr.latch(at.page)?;
    let before = node::count(mtr.page(page));
    let is_last = path[..path.len() - 1].iter().all(|step| step.slot + 1 == step.count);
    let cut = match level {
        0 => leaf_cut(mtr.page(page), key, record_bytes, is_last),
        _ => interior_cut(mtr.page(page), key, record_bytes, is_last),
    };
    let Some(cut) = cut.map_err(damaged(at.page))? else { return Ok(Split::NotNeeded) };
    assert!(
        cut.slot <= before && (level == 0 || cut.slot > 0),
        "page {} of {before} records is cut at {}",
        at.page,
        cut.slot
    );
    assert!(cut.separator.len() <= KEY_BYTES_MAX, "a separator of {} bytes", cut.separator.len());
    let parent_bytes = CHILD_BYTES + cut.separator.len();
    if !slotted::fits(mtr.page(parent), parent_bytes) {
        return Ok(Split::ParentFull { record_bytes: parent_bytes });
    }
    let upper = upper_part(tree, mtr.page(page), (at.page, new), level, cut.slot)?;
    let next = match header::next(mtr.page(page)) {
        Some(next) => Some(mtr.latch(PageId { db: tree.ctx.db(), file: next.file, page: next.page })?),
        None => None,
    };
    // The last step that may fail: from here on there are ops.
    let right = mtr.create(new, kind_of(tree.ids, level), tree.ids.object_id, tree.ids.index_id, level)?;
    apply(&mut mtr, right, PageOp::Image { bytes: &upper });
    if cut.slot < node::count(mtr.page(page)) {
        apply(&mut mtr, page, PageOp::Cut { slots: cut.slot });
    }
    if level == 0 {
        apply(&mut mtr, page, PageOp::Bytes { offset: NEXT_AT, bytes: &link_bytes(Some(link(new))) });
    }
    if let Some(next) = next {
        apply(&mut mtr, next, PageOp::Bytes { offset: PREV_AT, bytes: &link_bytes(Some(link(new))) });
    }
    let mut record = Vec::new();
    node::write_child(&mut record, new, &cut.separator);
    apply(&mut mtr, parent, PageOp::Insert { slot: above.slot + 1, record: &record });
    assert!(
        node::count(mtr.page(page)) + node::count(mtr.page(right)) == before,
        "a split of page {} into {new} loses a record",
        at.page
    );
    check!(slotted::check(mtr.page(right)).is_ok(), "the new page {new} is sound");
    check!(
        level > 0
            || header::next(mtr.page(page)) == Some(link(new))
                && header::prev(mtr.page(right)) == Some(link(at.page))
                && next.is_none_or(|next| header::prev(mtr.page(next)) == Some(link(new))),
        "B1: the leaf {new} is not linked between its neighbours"
    );
    tree.raise_version();
    mtr.commit();
    tree.activity.note_split(level);
    Ok(Split::Done)
}

/// The new page with the records from `cut` on.
pub(super) fn upper_part(
    tree: &Tree,
    page: &PageBytes,
    (left, new): (PageId, PageId),
    level: u8,
    cut: u16,
) -> Result<Box<PageBytes>, AccessError> {
    let mut upper: Box<PageBytes> = Box::new([0; PAGE_BYTES]);
    header::init(&mut upper, new, kind_of(tree.ids, level), tree.ids.object_id);
    header::set_index_id(&mut upper, tree.ids.index_id);
    header::set_level(&mut upper, level);
    if level == 0 {
        header::set_prev(&mut upper, Some(link(left)));
        header::set_next(&mut upper, header::next(page));
    }
    for slot in cut..node::count(page) {
        let record = node::record(page, slot).map_err(damaged(left))?;
        let op = PageOp::Insert { slot: slot - cut, record };
        page_op::apply(&mut upper, &op).map_err(|error| damaged(left)(error.into()))?;
    }
    Ok(upper)
}

/// A page above the leaves, latched in a mini-transaction under the structure lock.
pub(super) fn parent(mtr: &mut Mtr<'_>, seen: Step) -> Result<PageIx, AccessError> {
    let parent = mtr.latch(seen.page)?;
    assert!(
        node::count(mtr.page(parent)) == seen.count,
        "B3: page {} has {} children under the structure lock, {} were seen",
        seen.page,
        node::count(mtr.page(parent)),
        seen.count
    );
    Ok(parent)
}

/// Ops of a structure change fit, by the checks before them.
pub(crate) fn apply(mtr: &mut Mtr<'_>, page: PageIx, op: PageOp<'_>) {
    let done = mtr.apply(page, op);
    assert!(done.is_ok(), "page {} refuses a checked change: {done:?}", mtr.id(page));
}

/// Where a leaf is cut so that a record of `key` comes to fit; `None` when it fits already.
fn leaf_cut(page: &PageBytes, key: &[u8], record_bytes: usize, is_last: bool) -> Result<Option<Cut>, NodeDamage> {
    let place = node::find(page, key)?;
    if node::has_room(page, place, record_bytes) {
        return Ok(None);
    }
    let count = node::count(page);
    if !place.is_there && (is_last && place.slot == count || count == 1 || is_ascending(page, place)) {
        return cut_at_key(page, key, place.slot).map(Some);
    }
    assert!(count > 1, "a leaf of {count} entries is cut between two of them");
    let slot = middle(page, place, record_bytes)?;
    let separator = node::separator_between(node::leaf_key(page, slot - 1)?, node::leaf_key(page, slot)?);
    Ok(Some(Cut { slot, separator: separator.to_vec() }))
}

/// Whether the record before `place` was the last one to be written there.
fn is_ascending(page: &PageBytes, place: Place) -> bool {
    let Some(before) = place.slot.checked_sub(1) else { return false };
    let Ok(record) = node::record(page, before) else { return false };
    let end = record.as_ptr_range().end as usize - page.as_ptr() as usize;
    end == usize::from(header::free_data(page))
}

/// Cuts where the key belongs, so that it comes to an end of one of the halves.
fn cut_at_key(page: &PageBytes, key: &[u8], slot: u16) -> Result<Cut, NodeDamage> {
    let count = node::count(page);
    let separator = match slot {
        // The key will be alone on the left.
        0 => node::separator_between(key, node::leaf_key(page, 0)?),
        _ if slot == count => node::separator_between(node::leaf_key(page, slot - 1)?, key),
        // The key comes to the end of the left half.
        _ => node::separator_between(key, node::leaf_key(page, slot)?),
    };
    Ok(Cut { slot, separator: separator.to_vec() })
}

/// The slot that cuts the bytes in half, the new record counted; there are at least two records.
fn middle(page: &PageBytes, place: Place, record_bytes: usize) -> Result<u16, NodeDamage> {
    let count = node::count(page);
    let half = (slotted::used_bytes(page) + record_bytes) / 2;
    let mut left = 0;
    for slot in 0..count {
        if slot == place.slot {
            left += record_bytes;
        }
        left += node::record(page, slot)?.len() + slotted::RECORD_OVERHEAD_BYTES;
        if left >= half {
            return Ok(slot.clamp(1, count - 1));
        }
    }
    Ok(count - 1)
}

/// Where an interior page is cut so that a separator beside the child of `key` comes to fit.
fn interior_cut(page: &PageBytes, key: &[u8], record_bytes: usize, is_last: bool) -> Result<Option<Cut>, NodeDamage> {
    if slotted::fits(page, record_bytes) {
        return Ok(None);
    }
    let child = node::find_child(page, key)?;
    let count = node::count(page);
    let slot = match is_last && child + 1 == count {
        true => count - 1,
        false => middle(page, Place { slot: child + 1, is_there: false }, record_bytes)?,
    };
    Ok(Some(Cut { slot, separator: node::separator(page, slot)?.to_vec() }))
}
