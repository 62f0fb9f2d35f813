//! Pages whose only current copy was in a slot that cannot be read: done again from their data file and the log, one by
//! one, while work goes on.
//!
//! ```text
//!   lost slots ──▶ pages of the data files ──changes of the log from the oldest place on──▶ frames, dirty
//! ```
//!
//! What always holds: as long as a page is lost its word names its slot, so no task gets an older version; one that
//! asks for it waits here. The log still has all its changes (E3), and all of them are durable (E2). A page that cannot
//! be done again stays lost: a task that asks for it gets an error, and the next start recovers it from the same log.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{Relaxed, Release};

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{DbId, IoFailure, PAGE_BYTES, PageBytes, PageId};
use crate::extension::SlotNo;
use crate::extension::device::Extension;
use crate::page::header::{self, LogPos};
use crate::page_io::PageIo;
use crate::pool::eviction::Sweeper;
use crate::pool::files::{FileTable, Place, Word};
use crate::pool::policy::Arrival;
use crate::pool::tier::{set_slot, slot_of};
use crate::pool::{LostPages, PoolError};

/// Pages done again with one reading of the log: 8 MB of memory.
const BATCH: usize = 1024;

/// A lost page, its slot, and where its changes begin.
#[derive(Clone, Copy, Debug)]
struct Lost {
    id: PageId,
    slot: SlotNo,
    from: LogPos,
}

/// Redoes a page that is asked for, and others of its database with it.
///
/// # Errors
/// [`PoolError`].
pub(crate) fn page(
    sweeper: &Sweeper,
    ask: &Ask<'_>,
    extension: &Extension,
    id: PageId,
    slot: SlotNo,
) -> Result<(), PoolError> {
    let _alone = sweeper.buffers().tier.rebuilding.lock();
    if !is_still_in(&sweeper.buffers().files, id, slot) {
        return Ok(());
    }
    extension.slots.set_lost(slot);
    let of_db =
        lost_slots(&sweeper.buffers().files, extension).into_iter().filter(|lost| lost.id.db == id.db && lost.id != id);
    let Some(from) = extension.slots.rec_pos(slot) else { return Ok(()) };
    let batch: Vec<Lost> = [Lost { id, slot, from }].into_iter().chain(of_db.take(BATCH - 1)).collect();
    rebuild(sweeper, ask, extension, id.db, &batch)?;
    if is_still_in(&sweeper.buffers().files, id, slot) {
        let message = "its copy in the extension cannot be read, and the log could not replace it".to_owned();
        return Err(IoFailure::System { page: id, message }.into());
    }
    Ok(())
}

/// Does all lost pages again; returns how many are left.
pub(crate) fn all(sweeper: &Sweeper, ask: &Ask<'_>, extension: &Extension) -> usize {
    let _alone = sweeper.buffers().tier.rebuilding.lock();
    let mut by_db: BTreeMap<DbId, Vec<Lost>> = BTreeMap::new();
    for lost in lost_slots(&sweeper.buffers().files, extension) {
        by_db.entry(lost.id.db).or_default().push(lost);
    }
    for (db, lost) in by_db {
        for batch in lost.chunks(BATCH) {
            // What is left is an error for the task that asks for it, and tried again later.
            let _ = rebuild(sweeper, ask, extension, db, batch);
        }
    }
    lost_slots(&sweeper.buffers().files, extension).len()
}

/// Brings what is lost back into memory, as far as that is possible now.
pub(crate) fn recover_lost(sweeper: &Sweeper, ask: &Ask<'_>, extension: &Extension) {
    if !extension.is_usable() {
        sweeper.buffers().clear_slots(extension);
    }
    all(sweeper, ask, extension);
}

fn is_still_in(files: &FileTable, id: PageId, slot: SlotNo) -> bool {
    let word = files.known(id.db, id.file).and_then(|file| file.word(id.page));
    word.is_some_and(|word| word.place() == Place::Slot(slot))
}

/// The dirty slots that cannot be read and that no frame has.
fn lost_slots(files: &FileTable, extension: &Extension) -> Vec<Lost> {
    let all = !extension.is_usable();
    let lost = extension.slots.all_dirty().filter(|(slot, ..)| all || extension.slots.is_lost(*slot));
    let lost = lost.filter(|(slot, id, _)| is_still_in(files, *id, *slot));
    lost.map(|(slot, id, from)| Lost { id, slot, from }).collect()
}

fn rebuild(sweeper: &Sweeper, ask: &Ask<'_>, extension: &Extension, db: DbId, batch: &[Lost]) -> Result<(), PoolError> {
    check!(sweeper.buffers().tier.rebuilding.is_locked(), "pages are done again by several at once");
    check!(batch.iter().all(|lost| lost.id.db == db), "pages of other databases are done again with the log of {db}");
    let Some(from) = batch.iter().map(|lost| lost.from).min() else { return Ok(()) };
    batch.iter().for_each(|lost| extension.slots.set_lost(lost.slot));
    let mut pages: LostPages =
        batch.iter().map(|lost| (lost.id, read_base(&*sweeper.writer.io, ask, lost.id))).collect();
    check!(pages.len() == batch.len(), "X1: one of {} lost pages is lost twice", batch.len());
    let rule = sweeper.writer.log_rule.get().ok_or(IoFailure::NoFile { page: batch[0].id })?;
    rule.redo_pages(db, from, &mut pages)?;
    for lost in batch {
        let Some(Some(bytes)) = pages.get(&lost.id) else { continue };
        let expected = extension.slots.contents(lost.slot).map(|contents| contents.lsn);
        // A page that did not come as far as its lost copy is not the page.
        if expected == Some(header::lsn(bytes)) && put_rebuilt(sweeper, ask, extension, lost, bytes)? {
            add(&extension.tallies.rebuilt, 1);
        }
    }
    Ok(())
}

/// The page of the data file, if it is sound.
fn read_base(io: &dyn PageIo, ask: &Ask<'_>, id: PageId) -> Option<Box<PageBytes>> {
    let mut bytes = Box::new([0; PAGE_BYTES]);
    let read = io.read_run(ask, id, &mut [&mut bytes]);
    (read.is_ok() && header::verify(&bytes, id).is_ok()).then_some(bytes)
}

/// Gives the page a frame; false when it was freed or made anew meanwhile.
fn put_rebuilt(
    sweeper: &Sweeper,
    ask: &Ask<'_>,
    extension: &Extension,
    lost: &Lost,
    bytes: &PageBytes,
) -> Result<bool, PoolError> {
    let buffers = sweeper.buffers();
    if !is_still_in(&buffers.files, lost.id, lost.slot) {
        return Ok(false);
    }
    let hold = sweeper.take_frame(ask, lost.id)?;
    let word = buffers.files.word_of(lost.id);
    let Some(mut hold) = buffers.install(ask, word, hold, lost.id, Arrival::Read) else { return Ok(false) };
    let state = hold.state();
    match slot_of(state) {
        Some(slot) if slot == lost.slot => {}
        // It was made anew meanwhile, and has left memory since.
        Some(other) => {
            buffers.leave_to_slot(word, &hold, other);
            let frame = hold.frame();
            drop(hold);
            buffers.set_frames_free(&[frame]);
            return Ok(false);
        }
        None => {
            buffers.give_up(word, hold);
            return Ok(false);
        }
    }
    check!(
        header::verify(bytes, lost.id).is_ok() || header::page_no(bytes) == lost.id.page,
        "another page was done again"
    );
    assert!(lost.from.0 != 0, "E3: no log is kept for the lost page {}", lost.id);
    hold.copy_from_slice(bytes);
    state.dirty.store(true, Relaxed);
    state.rec_pos.store(lost.from.0, Release);
    set_slot(state, None);
    buffers.tier.give_up(extension, lost.id, lost.slot);
    state.io.store(false, Relaxed);
    Ok(true)
}

/// Whether the extension has the page and can be believed; `None` when the caller has to look again.
///
/// # Errors
/// [`PoolError`] when the page was lost and cannot be done again.
pub(crate) fn look_at_slot(
    sweeper: &Sweeper,
    ask: &Ask<'_>,
    word: Word<'_>,
    id: PageId,
    slot: SlotNo,
) -> Result<(), PoolError> {
    let Some(extension) = sweeper.buffers().tier.get() else { return Ok(()) };
    if extension.slots.is_lost(slot) || !extension.is_usable() {
        let is_clean = extension.slots.rec_pos(slot).is_none();
        if is_clean && !extension.slots.is_lost(slot) {
            if word.take_from(slot) {
                extension.slots.release(slot);
            }
        } else {
            page(sweeper, ask, &extension, id, slot)?;
        }
    }
    Ok(())
}
