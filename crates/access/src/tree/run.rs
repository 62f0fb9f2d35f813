//! Many entries at once: a run of ascending keys goes to its leaf, or leaves it, in one mini-transaction.
//!
//! ```text
//!   begin ──▶ descend to the leaf of the first key, noting where its keys end ──▶ which of the run belong here and fit?
//!         ──▶ the caller prepares undo for these ──▶ ops ──▶ the writer commits; the caller goes on with the rest
//! ```
//!
//! What always holds: as with single changes, the mini-transaction has the one leaf and no structure.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{PAGE_BYTES, PageBytes, PageId};
use millpond_storage::page::header;
use millpond_storage::page::slotted::{self, RECORD_OVERHEAD_BYTES};
use millpond_storage::wal::{Mtr, PageIx, PageOp};

use super::handle::{Tree, damaged};
use super::modify::check_entry;
use super::node;
use super::row::{Entry, LeafRow, RowTag, Writer};
use super::shrink;
use super::split;
use super::split::apply;
use crate::error::{AccessError, NodeDamage};

/// Log of one run: a page of records with what surrounds each.
const RESERVED_BYTES: usize = 3 * PAGE_BYTES;
/// Entries of one run.
const RUN_MAX: usize = 1024;
/// Bytes of keys of one run, two more for each: its undo is one record.
const RUN_KEY_BYTES_MAX: usize = 7 << 10;

/// Where the entries of a run go on a leaf.
#[derive(Default)]
struct Plan {
    slots: Vec<u16>,
    /// Of the first entry that did not fit.
    no_room_bytes: Option<usize>,
}

/// Adds the first entries of `entries`, whose keys ascend, as far as they belong to one leaf, fit there and are not
/// there (as ghosts neither), all with `tag`. Says how many: 0 when the first one's key is there. `prepare` sees
/// those that are about to be added, under the latch of the leaf; it must not touch trees.
///
/// # Errors
/// What `prepare` returns; [`AccessError`]. Nothing is changed then.
pub fn insert_run<E: From<AccessError>>(
    tree: &Tree,
    ask: &Ask<'_>,
    writer: &mut dyn Writer,
    entries: &[Entry<'_>],
    tag: Option<RowTag>,
    prepare: &mut dyn FnMut(&[Entry<'_>]) -> Result<(), E>,
) -> Result<usize, E> {
    let Some(first) = entries.first() else { return Ok(0) };
    let mut record = Vec::new();
    loop {
        check_entry(first.key, first.payload)?;
        let mut mtr = writer.begin(&tree.ctx.handle, ask, RESERVED_BYTES).map_err(AccessError::from)?;
        let (leaf, id, fence) = leaf_with_fence(tree, ask, &mut mtr, first.key)?;
        let plan = plan(mtr.page(leaf), fence.as_deref(), entries, tag).map_err(damaged(id))?;
        if plan.slots.is_empty() {
            let Some(record_bytes) = plan.no_room_bytes else { return Ok(0) };
            mtr.abandon();
            split::make_room(tree, ask, first.key, record_bytes)?;
            continue;
        }
        let taken = &entries[..plan.slots.len()];
        let before = node::count(mtr.page(leaf));
        prepare(taken)?;
        for (Entry { key, payload }, &slot) in taken.iter().zip(&plan.slots) {
            node::write_leaf(&mut record, &LeafRow { key, payload, is_ghost: false, tag, pad_bytes: 0 });
            apply(&mut mtr, leaf, PageOp::Insert { slot, record: &record });
        }
        assert!(
            usize::from(node::count(mtr.page(leaf))) == usize::from(before) + taken.len(),
            "all {} entries of a run are on page {id}",
            taken.len()
        );
        check!(
            node::find(mtr.page(leaf), first.key).is_ok_and(|place| place.is_there),
            "a run is where its keys belong"
        );
        writer.commit(mtr);
        tree.entries.add(taken.len() as i64);
        return Ok(taken.len());
    }
}

/// Removes the entries of the first of `keys`, which ascend, as far as they belong to one leaf; those that are not
/// there are passed over. Says how many keys that were; `prepare` is called before the writer commits.
///
/// # Errors
/// [`AccessError`]
pub fn remove_run(
    tree: &Tree,
    ask: &Ask<'_>,
    writer: &mut dyn Writer,
    keys: &[&[u8]],
    prepare: &mut dyn FnMut(usize),
) -> Result<usize, AccessError> {
    let Some(first) = keys.first() else { return Ok(0) };
    let mut mtr = writer.begin(&tree.ctx.handle, ask, RESERVED_BYTES)?;
    let (leaf, id, fence) = leaf_with_fence(tree, ask, &mut mtr, first)?;
    let (mut count, mut removed) = (0, 0);
    for key in keys.iter().take_while(|key| fence.as_deref().is_none_or(|fence| **key < fence)) {
        let place = node::find(mtr.page(leaf), key).map_err(damaged(id))?;
        if place.is_there {
            let is_ghost = node::leaf_row(mtr.page(leaf), place.slot).map_err(damaged(id))?.is_ghost;
            removed += i64::from(!is_ghost);
            apply(&mut mtr, leaf, PageOp::Delete { slot: place.slot });
        }
        count += 1;
    }
    prepare(count);
    assert!(count <= keys.len(), "{count} of {} keys were removed", keys.len());
    let is_empty = node::count(mtr.page(leaf)) == 0;
    writer.commit(mtr);
    tree.entries.add(-removed);
    if is_empty {
        // As after a single removal: an empty leaf that stays is used or unlinked by the next change there.
        let _ = shrink::remove_empty_leaf(tree, ask, first);
    }
    Ok(count)
}

/// As [`Tree::leaf_exclusive`], with the key that all keys of the leaf are below; none at the right end.
fn leaf_with_fence<'a>(
    tree: &'a Tree,
    ask: &Ask<'a>,
    mtr: &mut Mtr<'a>,
    key: &[u8],
) -> Result<(PageIx, PageId, Option<Vec<u8>>), AccessError> {
    loop {
        let (mut page, mut id) = (tree.root_shared(ask)?, tree.root);
        let mut fence = None;
        while header::level(&page) > 0 {
            let slot = node::find_child(&page, key).map_err(damaged(id))?;
            note_fence(&page, slot, &mut fence).map_err(damaged(id))?;
            if header::level(&page) == 1 {
                let child = node::child(&page, slot, tree.ctx.db()).map_err(damaged(id))?;
                let leaf = mtr.latch(child)?;
                tree.check_node(mtr.page(leaf), child, Some(0))?;
                return Ok((leaf, child, fence));
            }
            (page, id) = tree.child_shared(ask, (&page, id), slot)?;
        }
        drop(page);
        let leaf = mtr.latch(tree.root)?;
        if header::level(mtr.page(leaf)) == 0 {
            return Ok((leaf, tree.root, None));
        }
        // It grew in between.
        mtr.release(leaf);
    }
}

/// The separator after the child, if there is one, is nearer than any above.
fn note_fence(page: &PageBytes, slot: u16, fence: &mut Option<Vec<u8>>) -> Result<(), NodeDamage> {
    if slot + 1 < node::count(page) {
        *fence = Some(node::separator(page, slot + 1)?.to_vec());
    }
    Ok(())
}

fn plan(
    page: &PageBytes,
    fence: Option<&[u8]>,
    entries: &[Entry<'_>],
    tag: Option<RowTag>,
) -> Result<Plan, NodeDamage> {
    let mut plan = Plan::default();
    let (mut free, mut key_bytes) = (slotted::free_bytes(page), 0);
    let count = node::count(page);
    let mut at_end = false;
    let mut before: Option<&[u8]> = None;
    for entry in entries.iter().take(RUN_MAX) {
        let Entry { key, payload } = *entry;
        key_bytes += key.len() + 2;
        let belongs = fence.is_none_or(|fence| key < fence) && check_entry(key, payload).is_ok();
        let ascends = before.replace(key).is_none_or(|before| before < key);
        let goes_on = belongs && ascends && key_bytes <= RUN_KEY_BYTES_MAX;
        if !goes_on && !plan.slots.is_empty() {
            break;
        }
        let slot = if at_end {
            count
        } else {
            let place = node::find(page, key)?;
            if place.is_there {
                break;
            }
            at_end = place.slot == count;
            place.slot
        };
        let bytes = LeafRow { key, payload, is_ghost: false, tag, pad_bytes: 0 }.record_bytes();
        if bytes + RECORD_OVERHEAD_BYTES > free {
            plan.no_room_bytes = Some(bytes);
            break;
        }
        free -= bytes + RECORD_OVERHEAD_BYTES;
        check!(plan.slots.last().is_none_or(|&last| last < slot + plan.slots.len() as u16), "entries of a run ascend");
        plan.slots.push(slot + plan.slots.len() as u16);
    }
    Ok(plan)
}
