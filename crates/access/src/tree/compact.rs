//! Compacting the leaves (ALTER INDEX … REORGANIZE): a leaf takes what has room of the one after it, and one that has no entry left
//! is unlinked.
//!
//! ```text
//!   parent  … │ L │ R │ …        L takes the first records of R            parent  … │ L │ …
//!             ┌─▼─┐ ┌─▼─┐      ─────────────────────────────────▶                    ┌─▼─┐
//!             │ab │ │cd │        all of them: R goes; else R has a new separator     │abcd│
//!             └───┘ └───┘                                                            └────┘
//! ```
//!
//! What always holds: a step is one mini-transaction under the structure lock, which goes in between, so that others split and
//! unlink meanwhile, and what was done stays done when the walk ends early. Records move as they are, ghosts, tags and pads with
//! them: what a rollback needs lies where its key leads to. Leaves of different parents stay apart, and no page changes its place.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{PAGE_BYTES, PageBytes, PageId};
use millpond_storage::page::header::{self, BODY_BYTES, PageLink};
use millpond_storage::page::slotted;
use millpond_storage::wal::page_op::{self, PREV_AT, link_bytes};
use millpond_storage::wal::{Mtr, PageOp};

use super::handle::{Step, Target, Tree, damaged};
use super::node;
use super::split::{apply, parent, upper_part};
use crate::error::AccessError;

/// Log of one step: two pages, a separator and a link.
const RESERVED_BYTES: usize = 2 * PAGE_BYTES + node::KEY_BYTES_MAX + 512;
/// A leaf that lacks less than this part of what it may hold takes no part of another.
const POOR_PART: usize = 8;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Leaves that were looked at.
    pub scanned: u64,
    /// Leaves of which records moved to the one before.
    pub moved: u64,
    /// Leaves that were given back.
    pub removed: u64,
}

/// How a step ended.
enum Done {
    /// The leaf after has no place of its own any more.
    Removed,
    /// The leaf is as full as it will be, and so many records came; the next one begins with this key.
    Next { key: Vec<u8>, has_moved: bool },
    /// It was the last leaf.
    End,
}

/// Compacts the leaves of a tree up to `fill_percent` of a page.
///
/// # Errors
/// [`AccessError::Cancelled`] when the task was asked to stop, and others; what was done until then stays.
pub fn compact(tree: &Tree, ask: &Ask<'_>, fill_percent: u8) -> Result<Compaction, AccessError> {
    let limit = BODY_BYTES * usize::from(fill_percent.clamp(1, 100)) / 100;
    let (mut done, mut low) = (Compaction::default(), None::<Vec<u8>>);
    loop {
        if ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        match step(tree, ask, low.as_deref(), limit)? {
            Done::Removed => {
                done.scanned += 1;
                done.moved += 1;
                done.removed += 1;
            }
            Done::Next { key, has_moved } => {
                done.scanned += 1;
                done.moved += u64::from(has_moved);
                low = Some(key);
            }
            Done::End => {
                done.scanned += 1;
                return Ok(done);
            }
        }
    }
}

/// Looks at the leaf of `low` and the one after it.
fn step(tree: &Tree, ask: &Ask<'_>, low: Option<&[u8]>, limit: usize) -> Result<Done, AccessError> {
    let _structure = tree.structure.lock();
    tree.check_live()?;
    let path = tree.path(ask, low.map_or(Target::First, Target::Key), 0)?;
    // The lowest page that leads further to the right says where the next leaf begins.
    let Some(turn) = path[..path.len() - 1].iter().rposition(|step| step.slot + 1 < step.count) else {
        return Ok(Done::End);
    };
    let (key, right) = {
        let page = tree.ctx.pool().shared(ask, path[turn].page)?;
        let slot = path[turn].slot + 1;
        let key = node::separator(&page, slot).map_err(damaged(path[turn].page))?.to_vec();
        (key, node::child(&page, slot, tree.ctx.db()).map_err(damaged(path[turn].page))?)
    };
    if turn + 2 != path.len() {
        return Ok(Done::Next { key, has_moved: false });
    }
    let (above, left) = (path[turn], path[turn + 1].page);
    check!(left != right, "two children of page {} are page {left}", above.page);
    check!(above.slot + 1 < above.count, "page {} has no child after slot {}", above.page, above.slot);
    if !is_worth_it(tree, ask, (left, right), limit)? {
        return Ok(Done::Next { key, has_moved: false });
    }
    match shift(tree, ask, (above, left, right), limit)? {
        None => Ok(Done::Next { key, has_moved: false }),
        Some(Shifted::Part(separator)) => Ok(Done::Next { key: separator, has_moved: true }),
        Some(Shifted::All) => {
            tree.unit.give(ask, &[right])?;
            super::shrink::lower_roots(tree, ask)?;
            Ok(Done::Removed)
        }
    }
}

/// A look without exclusive latches: whether the two have room in one, or the left one lacks much.
fn is_worth_it(tree: &Tree, ask: &Ask<'_>, (left, right): (PageId, PageId), limit: usize) -> Result<bool, AccessError> {
    let used = |id: PageId| -> Result<usize, AccessError> {
        let page = tree.ctx.pool().shared(ask, id)?;
        tree.check_node(&page, id, Some(0))?;
        Ok(slotted::used_bytes(&page))
    };
    let (left, right) = (used(left)?, used(right)?);
    Ok(left + right <= limit || is_poor(left, limit))
}

fn is_poor(used: usize, limit: usize) -> bool {
    used + limit / POOR_PART <= limit
}

/// What has left a leaf for the one before it.
enum Shifted {
    /// All; it is not linked any more.
    All,
    /// What lies before this separator.
    Part(Vec<u8>),
}

/// Moves records to the left leaf of a parent from the one after it. `None` where there is no room by now.
fn shift(
    tree: &Tree,
    ask: &Ask<'_>,
    (above, left_id, right_id): (Step, PageId, PageId),
    limit: usize,
) -> Result<Option<Shifted>, AccessError> {
    let mut mtr = Mtr::begin(&tree.ctx.handle, ask, RESERVED_BYTES)?;
    let parent = parent(&mut mtr, above)?;
    let left = mtr.latch(left_id)?;
    let right = mtr.latch(right_id)?;
    let count = node::count(mtr.page(right));
    let (taken, merged) = taken(mtr.page(left), (mtr.page(right), right_id), limit)?;
    let before = node::count(mtr.page(left)) + count;
    check!(taken <= count, "{taken} of the {count} records of page {right_id} are taken");
    check!(
        node::count(&merged) + count == before + taken,
        "page {left_id} gets the records that page {right_id} loses"
    );
    if taken == count {
        let next = header::next(mtr.page(right));
        let next_page = match next {
            Some(next) => Some(mtr.latch(PageId { db: tree.ctx.db(), file: next.file, page: next.page })?),
            None => None,
        };
        let mut merged = merged;
        header::set_next(&mut merged, next);
        let gone = mtr.apply(parent, PageOp::Delete { slot: above.slot + 1 });
        gone.map_err(|error| damaged(above.page)(error.into()))?;
        apply(&mut mtr, left, PageOp::Image { bytes: &merged });
        if let Some(page) = next_page {
            let link = Some(PageLink { file: left_id.file, page: left_id.page });
            apply(&mut mtr, page, PageOp::Bytes { offset: PREV_AT, bytes: &link_bytes(link) });
        }
        assert!(node::count(mtr.page(left)) == before, "a record of page {right_id} is lost on its way to {left_id}");
        tree.raise_version();
        mtr.commit();
        return Ok(Some(Shifted::All));
    }
    if taken == 0 || !is_poor(slotted::used_bytes(mtr.page(left)), limit) {
        return Ok(None);
    }
    let rest = upper_part(tree, mtr.page(right), (left_id, right_id), 0, taken)?;
    let last = node::leaf_key(&merged, node::count(&merged) - 1).map_err(damaged(left_id))?;
    let first = node::leaf_key(&rest, 0).map_err(damaged(right_id))?;
    check!(last < first, "keys of pages {left_id} and {right_id} are not in order");
    let separator = node::separator_between(last, first).to_vec();
    check!(*last < separator[..] && separator[..] <= *first, "B2: the separator lies between {left_id} and {right_id}");
    let mut record = Vec::new();
    node::write_child(&mut record, right_id, &separator);
    if !slotted::fits_instead(mtr.page(parent), above.slot + 1, record.len()) {
        return Ok(None);
    }
    let changed = mtr.apply(parent, PageOp::Replace { slot: above.slot + 1, record: &record });
    changed.map_err(|error| damaged(above.page)(error.into()))?;
    apply(&mut mtr, left, PageOp::Image { bytes: &merged });
    apply(&mut mtr, right, PageOp::Image { bytes: &rest });
    assert!(
        node::count(mtr.page(left)) + node::count(mtr.page(right)) == before,
        "a record of page {right_id} is lost on its way to {left_id}"
    );
    check!(slotted::check(mtr.page(left)).is_ok() && slotted::check(mtr.page(right)).is_ok(), "both pages are sound");
    tree.raise_version();
    mtr.commit();
    Ok(Some(Shifted::Part(separator)))
}

/// How many records of `right` have room on `left`, and the page with them.
fn taken(
    left: &PageBytes,
    (right, right_id): (&PageBytes, PageId),
    limit: usize,
) -> Result<(u16, Box<PageBytes>), AccessError> {
    let mut merged: Box<PageBytes> = Box::new(*left);
    let mut taken = 0;
    while taken < node::count(right) {
        let record = node::record(right, taken).map_err(damaged(right_id))?;
        if slotted::used_bytes(&merged) + record.len() + slotted::RECORD_OVERHEAD_BYTES > limit {
            break;
        }
        let op = PageOp::Insert { slot: node::count(&merged), record };
        page_op::apply(&mut merged, &op).map_err(|error| damaged(right_id)(error.into()))?;
        taken += 1;
    }
    check!(taken == 0 || slotted::used_bytes(&merged) <= limit, "a leaf is filled beyond its limit");
    Ok((taken, merged))
}
