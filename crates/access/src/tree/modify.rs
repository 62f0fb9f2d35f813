//! Changing one entry: find its place, ask what is to become of it, and do that in the writer's mini-transaction.
//!
//! ```text
//!   begin (log space) ──▶ descend, leaf exclusive ──▶ decide ──▶ room? ──yes──▶ ops ──▶ the writer commits
//!        ▲                                                        │ no
//!        └───────── split, a mini-transaction of the system ◀─────┘ all latches gone
//! ```
//!
//! What always holds: the writer's mini-transaction has the one leaf and no structure, so that undoing the change undoes
//! no split.

use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{PAGE_BYTES, PageBytes, PageId};
use millpond_storage::page::slotted;
use millpond_storage::wal::{Mtr, PageIx, PageOp};

use super::handle::{Tree, damaged};
use super::node::{self, ENTRY_BYTES_MAX, KEY_BYTES_MAX, Place};
use super::row::{Change, LeafRow, Writer};
use super::shrink;
use super::split;
use crate::error::{AccessError, NodeDamage};

/// Ghosts that are purged at most on behalf of one change.
const PURGED_MAX: usize = 256;
/// Log of one change: the new record, its undo, purged ghosts, entries of the page without their pads, and what surrounds
/// them.
const RESERVED_BYTES: usize = 2 * slotted::RECORD_BYTES_MAX + PAGE_BYTES + 8 * PURGED_MAX + 512;
/// Equal bytes between two patches that make them worth their own.
const PATCH_GAP_BYTES: usize = 12;
/// Patches of one change; what is after the last goes with it.
const PATCHES_MAX: usize = 4;

/// How an attempt ended.
enum Attempt {
    Done,
    /// The leaf has no entry any more.
    Emptied,
    /// The leaf has no room for a record of so many bytes.
    NoRoom {
        record_bytes: usize,
    },
}

/// That the tree takes such a key.
fn check_key(key: &[u8]) -> Result<(), AccessError> {
    if key.len() > KEY_BYTES_MAX {
        return Err(AccessError::KeyTooLong { key_bytes: key.len(), key_bytes_max: KEY_BYTES_MAX });
    }
    Ok(())
}

/// That a page takes such an entry.
pub(crate) fn check_entry(key: &[u8], payload: &[u8]) -> Result<(), AccessError> {
    check_key(key)?;
    let entry_bytes = key.len() + payload.len();
    if entry_bytes > ENTRY_BYTES_MAX {
        return Err(AccessError::EntryTooLong { entry_bytes, entry_bytes_max: ENTRY_BYTES_MAX });
    }
    Ok(())
}

/// Finds the place of `key`, asks `decide` with the entry there (a ghost too) under the exclusive latch of its page,
/// and carries the decision out. `decide` is asked again when the page had to be split first: it must be repeatable,
/// and must not touch trees. For [`Change::Keep`] the writer's mini-transaction is dropped, not committed.
///
/// # Errors
/// What `decide` returns; [`AccessError`]. Nothing is changed then.
pub fn change_entry<'c, E: From<AccessError>>(
    tree: &Tree,
    ask: &Ask<'_>,
    writer: &mut dyn Writer,
    key: &[u8],
    decide: &mut dyn FnMut(Option<LeafRow<'_>>) -> Result<Change<'c>, E>,
) -> Result<(), E> {
    check_key(key)?;
    loop {
        match attempt(tree, ask, writer, key, decide)? {
            Attempt::Done => return Ok(()),
            Attempt::NoRoom { record_bytes } => split::make_room(tree, ask, key, record_bytes)?,
            Attempt::Emptied => {
                // The change is done and committed; an empty leaf that stays because the maps or the log refuse is
                // used or unlinked by the next change there.
                let _ = shrink::remove_empty_leaf(tree, ask, key);
                return Ok(());
            }
        }
    }
}

fn attempt<'c, E: From<AccessError>>(
    tree: &Tree,
    ask: &Ask<'_>,
    writer: &mut dyn Writer,
    key: &[u8],
    decide: &mut dyn FnMut(Option<LeafRow<'_>>) -> Result<Change<'c>, E>,
) -> Result<Attempt, E> {
    let mut mtr = writer.begin(&tree.ctx.handle, ask, RESERVED_BYTES).map_err(AccessError::from)?;
    let (leaf, id) = tree.leaf_exclusive(ask, &mut mtr, key)?;
    let place = node::find(mtr.page(leaf), key).map_err(damaged(id))?;
    let found = match place.is_there {
        true => Some(node::leaf_row(mtr.page(leaf), place.slot).map_err(damaged(id))?),
        false => None,
    };
    let there_bytes = found.map_or(0, |row| row.record_bytes());
    let was_live = found.is_some_and(|row| !row.is_ghost);
    let change = decide(found)?;
    let is_live = match change {
        Change::Keep => was_live,
        Change::Put { is_ghost, .. } | Change::Restore { is_ghost, .. } => !is_ghost,
        Change::Mark { is_ghost, .. } => found.is_some() && !is_ghost,
        Change::Remove => false,
    };
    let kept = found.filter(|_| matches!(change, Change::Mark { .. })).map(|row| row.payload.to_vec());
    let mut spot = Spot { mtr: &mut mtr, leaf, id, place };
    let attempt = match change {
        Change::Put { payload, is_ghost, tag } => {
            check_entry(key, payload)?;
            spot.put(writer, &padded(writer, LeafRow { key, payload, is_ghost, tag, pad_bytes: 0 }, there_bytes))?
        }
        Change::Restore { payload, is_ghost, tag, pad_bytes } => {
            spot.put(writer, &LeafRow { key, payload, is_ghost, tag, pad_bytes })?
        }
        Change::Mark { is_ghost, tag } => match &kept {
            Some(payload) => {
                let row = LeafRow { key, payload, is_ghost, tag, pad_bytes: 0 };
                spot.put(writer, &padded(writer, row, there_bytes))?
            }
            None => return Ok(Attempt::Done),
        },
        Change::Remove if place.is_there => spot.remove()?,
        Change::Keep | Change::Remove => return Ok(Attempt::Done),
    };
    check!(
        matches!(attempt, Attempt::NoRoom { .. })
            || node::find(mtr.page(leaf), key).is_ok_and(|now| now.is_there == !matches!(change, Change::Remove)),
        "an entry of page {id} is where its key belongs, or gone"
    );
    if !matches!(attempt, Attempt::NoRoom { .. }) {
        writer.commit(mtr);
        if was_live != is_live {
            tree.entries.add(i64::from(is_live) - i64::from(was_live));
        } else if is_live && matches!(change, Change::Put { .. }) {
            tree.activity.updates.fetch_add(1, Relaxed);
        }
    }
    Ok(attempt)
}

/// The entry with so many bytes after it that it is no shorter than the one of `there_bytes` that it replaces, where
/// its writer wants that. Only a tagged one: the tag says when they may go.
fn padded<'r>(writer: &dyn Writer, row: LeafRow<'r>, there_bytes: usize) -> LeafRow<'r> {
    let missing = there_bytes.saturating_sub(row.record_bytes());
    if missing == 0 || row.tag.is_none() || !writer.keeps_room() {
        return row;
    }
    LeafRow { pad_bytes: missing as u16, ..row }
}

/// A place on a leaf that is latched exclusively.
struct Spot<'s, 'a> {
    mtr: &'s mut Mtr<'a>,
    leaf: PageIx,
    id: PageId,
    place: Place,
}

impl Spot<'_, '_> {
    fn page(&self) -> &PageBytes {
        self.mtr.page(self.leaf)
    }

    /// The first op may find that the page is damaged; by then nothing has changed.
    fn apply(&mut self, op: PageOp<'_>) -> Result<(), AccessError> {
        let had_ops = self.mtr.has_ops();
        let done = self.mtr.apply(self.leaf, op);
        assert!(done.is_ok() || !had_ops, "a page that took one op refuses the next: {done:?}");
        done.map_err(|error| damaged(self.id)(NodeDamage::Op(error)))
    }

    fn remove(&mut self) -> Result<Attempt, AccessError> {
        assert!(self.place.is_there, "slot {} of page {} is removed, and has another entry", self.place.slot, self.id);
        self.apply(PageOp::Delete { slot: self.place.slot })?;
        Ok(if node::count(self.page()) == 0 { Attempt::Emptied } else { Attempt::Done })
    }

    fn put(&mut self, writer: &dyn Writer, row: &LeafRow<'_>) -> Result<Attempt, AccessError> {
        let mut record = Vec::new();
        node::write_leaf(&mut record, row);
        if !self.has_room(record.len()) && !self.purge(writer, record.len())? {
            return Ok(Attempt::NoRoom { record_bytes: record.len() });
        }
        let slot = self.place.slot;
        if !self.place.is_there {
            self.apply(PageOp::Insert { slot, record: &record })?;
            check!(
                node::leaf_key(self.page(), slot).is_ok_and(|now| now == row.key),
                "slot {slot} of page {} has another key",
                self.id
            );
            return Ok(Attempt::Done);
        }
        let old = node::record(self.page(), slot).map_err(damaged(self.id))?;
        if old.len() != record.len() {
            self.apply(PageOp::Replace { slot, record: &record })?;
            return Ok(Attempt::Done);
        }
        for patch in differences(old, &record).into_iter().flatten() {
            self.apply(PageOp::Patch { slot, offset: patch.start as u16, bytes: &record[patch] })?;
        }
        check!(
            node::record(self.page(), slot).is_ok_and(|now| now == record),
            "patches make slot {slot} what it should be"
        );
        Ok(Attempt::Done)
    }

    fn has_room(&self, record_bytes: usize) -> bool {
        node::has_room(self.page(), self.place, record_bytes)
    }

    /// Deletes ghosts and pads that are not needed, if that makes the room that is missing.
    fn purge(&mut self, writer: &dyn Writer, record_bytes: usize) -> Result<bool, AccessError> {
        let Useless { ghosts, pads, bytes } = self.useless(writer)?;
        assert!(
            ghosts.len() + pads.len() <= PURGED_MAX,
            "{} ghosts and {} pads of one change",
            ghosts.len(),
            pads.len()
        );
        let old_bytes = match self.place.is_there {
            true => {
                node::record(self.page(), self.place.slot).map_err(damaged(self.id))?.len()
                    + slotted::RECORD_OVERHEAD_BYTES
            }
            false => 0,
        };
        let free = slotted::free_bytes(self.page()) + bytes + old_bytes;
        if ghosts.is_empty() && pads.is_empty() || free < record_bytes + slotted::RECORD_OVERHEAD_BYTES {
            return Ok(false);
        }
        for (slot, record) in &pads {
            self.apply(PageOp::Replace { slot: *slot, record })?;
        }
        for &slot in ghosts.iter().rev() {
            self.apply(PageOp::Delete { slot })?;
        }
        self.place.slot -= ghosts.iter().filter(|&&slot| slot < self.place.slot).count() as u16;
        check!(self.place.slot <= node::count(self.page()), "slot {} of {}", self.place.slot, node::count(self.page()));
        check!(self.has_room(record_bytes), "{record_bytes} bytes have room after the purge that was to make it");
        Ok(true)
    }

    fn useless(&self, writer: &dyn Writer) -> Result<Useless, AccessError> {
        let mut useless = Useless::default();
        for slot in 0..node::count(self.page()) {
            let row = node::leaf_row(self.page(), slot).map_err(damaged(self.id))?;
            let is_own = self.place.is_there && slot == self.place.slot;
            let is_old = || row.tag.is_none_or(|tag| writer.may_purge(&tag));
            if is_own || !(row.is_ghost || row.pad_bytes > 0) || useless.is_enough() || !is_old() {
                continue;
            }
            if row.is_ghost {
                useless.ghosts.push(slot);
                useless.bytes += row.record_bytes() + slotted::RECORD_OVERHEAD_BYTES;
            } else {
                let mut record = Vec::new();
                node::write_leaf(&mut record, &LeafRow { pad_bytes: 0, ..row });
                useless.pads.push((slot, record));
                useless.bytes += usize::from(row.pad_bytes);
            }
        }
        Ok(useless)
    }
}

/// What may go from a page.
#[derive(Default)]
struct Useless {
    /// Slots of ghosts, ascending.
    ghosts: Vec<u16>,
    /// Entries without their pads.
    pads: Vec<(u16, Vec<u8>)>,
    /// Bytes that this frees.
    bytes: usize,
}

impl Useless {
    fn is_enough(&self) -> bool {
        self.ghosts.len() + self.pads.len() == PURGED_MAX
    }
}

/// The ranges in which two records of one length differ; short equal stretches are swallowed.
fn differences(old: &[u8], new: &[u8]) -> [Option<std::ops::Range<usize>>; PATCHES_MAX] {
    assert!(old.len() == new.len(), "records of {} and {} bytes are compared", old.len(), new.len());
    let mut found: [Option<std::ops::Range<usize>>; PATCHES_MAX] = Default::default();
    let mut used = 0_usize;
    for at in (0..old.len()).filter(|&at| old[at] != new[at]) {
        match used.checked_sub(1).and_then(|last| found[last].as_mut()) {
            Some(last) if at < last.end + PATCH_GAP_BYTES || used == PATCHES_MAX => last.end = at + 1,
            _ => {
                found[used] = Some(at..at + 1);
                used += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn far_changes_are_patches_of_their_own_and_near_ones_are_not() {
        let old = [0; 100];
        let mut new = old;
        [3, 5, 40, 99].iter().for_each(|&at| new[at] = 1);
        let found: Vec<_> = differences(&old, &new).into_iter().flatten().collect();
        assert_eq!(found, [3..6, 40..41, 99..100]);
        assert!(differences(&old, &old).iter().all(Option::is_none));
    }

    proptest! {
        #[test]
        fn patches_make_the_new_record(old in proptest::collection::vec(0..2_u8, 200), new in proptest::collection::vec(0..2_u8, 200), keep in 0..200_usize) {
            let mut patched = old.clone();
            let mut new = new;
            new[keep..].copy_from_slice(&old[keep..]);
            for range in differences(&old, &new).into_iter().flatten() {
                patched[range.clone()].copy_from_slice(&new[range]);
            }
            prop_assert_eq!(patched, new);
        }
    }
}
