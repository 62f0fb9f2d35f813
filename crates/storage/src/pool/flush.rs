//! All dirty pages of a database are written, in memory and in the extension: checkpoints, and what recovery begins with.
//!
//! What always holds: a page that goes from memory to the extension or back meanwhile is found in one of them (X5).

use std::sync::atomic::Ordering::{Acquire, Relaxed};

use crate::ask::Ask;
use crate::check;
use crate::contract::{DbId, PageId, WriteReason};
use crate::pace::{Pace, Progress};
use crate::page::header::LogPos;
use crate::pool::PoolError;
use crate::pool::buffers::Buffers;
use crate::pool::eviction::Sweeper;
use crate::pool::files::FileMap;
use crate::pool::latch::FrameState;
use crate::pool::tier::{destage, rebuild};
use crate::pool::write::{BATCH_PAGES_MAX, Gather, PageWriter};

/// Looks for pages that moved between memory and the extension while all were to be written.
const PASSES_MAX: u32 = 8;

/// Where the log was when the page of a database became dirty that is dirty for the longest time.
pub(crate) fn oldest_rec_pos(buffers: &Buffers, db: DbId) -> Option<LogPos> {
    buffers.tier.watch(db, || {
        let of_db = buffers.states().filter(|(_, s)| PageId::from_bits(s.page.load(Relaxed)).db == db);
        of_db.map(|(_, state)| state.rec_pos.load(Acquire)).filter(|pos| *pos != 0).min().map(LogPos)
    })
}

/// Writes the pages that became dirty before the log was at `before`, and those that no log knows.
pub(crate) fn write_older(
    sweeper: &Sweeper,
    ask: &Ask<'_>,
    db: DbId,
    before: LogPos,
    reason: WriteReason,
    pace: &Pace<'_>,
) -> Result<u64, PoolError> {
    let buffers = sweeper.buffers();
    let is_older = |page: PageId, pos: LogPos| page.db == db && pos < before;
    let mut written = 0;
    for pass in 0..PASSES_MAX {
        if let Some(extension) = buffers.tier.get() {
            rebuild::recover_lost(sweeper, ask, &extension);
        }
        let pages = dirty_pages_of(buffers, db, before);
        // A page that changes its frame meanwhile may be met twice; the second time it is not dirty any more.
        check!(pages.is_sorted(), "pages of {db} go to their files in their order");
        let in_slots = buffers
            .tier
            .get()
            .map_or(0, |extension| extension.slots.all_dirty().filter(|(_, page, pos)| is_older(*page, *pos)).count());
        let mut progress = Progress::of(pace, (pages.len() + in_slots) as u64);
        written += write_frames(&sweeper.writer, ask, &pages, reason, &mut progress)?;
        let Some(extension) = buffers.tier.get() else { break };
        if !extension.is_usable() && pass + 1 < PASSES_MAX {
            continue;
        }
        let (destaged, failure) = destage::chosen(sweeper, ask, reason, &mut progress, is_older);
        written += destaged;
        match failure {
            // It failed just now: its pages come back into memory in the next pass.
            Some(_) if !extension.is_usable() && pass + 1 < PASSES_MAX => continue,
            Some(failure) => return Err(failure.into()),
            None => {}
        }
        // Pages that went from memory to the extension, or back, while the others were written.
        let in_slots = extension.slots.all_dirty().any(|(_, page, pos)| is_older(page, pos));
        let in_frames = buffers.states().any(|(_, state)| {
            let (page, pos) = (state.page.load(Relaxed), state.rec_pos.load(Acquire));
            state.dirty.load(Relaxed) && pos != 0 && is_older(PageId::from_bits(page), LogPos(pos))
        });
        if !in_slots && !in_frames || pass + 1 == PASSES_MAX {
            break;
        }
    }
    Ok(written)
}

/// Writes pages in memory, when they are due.
fn write_frames(
    writer: &PageWriter,
    ask: &Ask<'_>,
    pages: &[PageId],
    reason: WriteReason,
    progress: &mut Progress<'_>,
) -> Result<u64, PoolError> {
    let rule = Gather::to_persist(reason);
    if !progress.is_spread() {
        return writer.write_all(ask, pages, rule);
    }
    let (mut written, mut failure) = (0, None);
    for some in pages.chunks(BATCH_PAGES_MAX / 2) {
        progress.wait(ask);
        progress.add(some.len());
        match writer.write_all(ask, some, rule) {
            Ok(count) => written += count,
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    failure.map_or(Ok(written), Err)
}

/// The dirty pages of the durable files of a database that are dirty since before a place of the log, in order of
/// their place.
fn dirty_pages_of(buffers: &Buffers, db: DbId, before: LogPos) -> Vec<PageId> {
    let is_older = |state: &FrameState| state.rec_pos.load(Acquire) < before.0;
    let dirty = buffers.states().filter(|(_, state)| state.dirty.load(Relaxed) && is_older(state));
    let ids = dirty.map(|(_, state)| PageId::from_bits(state.page.load(Relaxed))).filter(|id| id.db == db);
    let is_durable = |id: &PageId| buffers.files.attached(id.db, id.file).is_some_and(FileMap::is_durable);
    let mut ids: Vec<PageId> = ids.filter(is_durable).collect();
    ids.sort_unstable();
    ids
}

/// Writes all dirty pages of durable files.
pub(crate) fn write_database(
    sweeper: &Sweeper,
    ask: &Ask<'_>,
    db: DbId,
    reason: WriteReason,
) -> Result<u64, PoolError> {
    write_older(sweeper, ask, db, LogPos(u64::MAX), reason, &Pace::at_once())
}
