//! Dirty slots go to their data files: in order of their places there, in large batches, by the road of all pages.
//!
//! ```text
//!   oldest dirty slots ──sorted by page──▶ frames (read from their slots together) ──write_batched──▶ data file
//!                                                     └──▶ evicted again: the slots, clean now, keep the pages
//! ```
//!
//! What always holds: a page is destaged from a frame that is latched while it is read and while it is written, so no
//! task changes it meanwhile and no older version is written over a newer one.

use std::sync::atomic::Ordering::Relaxed;

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{IoFailure, PageBytes, PageId, SessionId, WriteReason};
use crate::extension::SlotNo;
use crate::extension::device::Extension;
use crate::pace::{Pace, Progress};
use crate::page::header::LogPos;
use crate::pool::buffers::{Buffers, Victim};
use crate::pool::eviction::{HUNGER, Sweeper, TRIES_MAX};
use crate::pool::files::Place;
use crate::pool::free::ShardNo;
use crate::pool::latch::{ExclusiveHold, FrameNo};
use crate::pool::policy::Arrival;
use crate::pool::tier::{SlotRead, slot_of};
use crate::pool::write::Gather;

/// Pages destaged together: what one batch of the doublewrite area takes.
const BATCH: usize = 64;

/// Destages the dirty slots that `wanted` chooses, when they are due; returns how many pages were written and the
/// first failure.
pub(crate) fn chosen(
    sweeper: &Sweeper,
    ask: &Ask<'_>,
    reason: WriteReason,
    progress: &mut Progress<'_>,
    wanted: impl Fn(PageId, LogPos) -> bool,
) -> (u64, Option<IoFailure>) {
    let Some(extension) = sweeper.buffers().tier.get() else { return (0, None) };
    let dirty = extension.slots.all_dirty().filter(|(_, page, pos)| wanted(*page, *pos));
    let mut pages: Vec<(PageId, SlotNo)> = dirty.map(|(slot, page, _)| (page, slot)).collect();
    pages.sort_unstable();
    destage_pages(sweeper, ask, &extension, &pages, reason, progress)
}

/// Destages so many of the dirty slots that are dirty for the longest time.
pub(crate) fn oldest(sweeper: &Sweeper, ask: &Ask<'_>, count: usize) -> (u64, Option<IoFailure>) {
    let Some(extension) = sweeper.buffers().tier.get() else { return (0, None) };
    let mut dirty: Vec<_> = extension.slots.all_dirty().map(|(slot, page, pos)| (pos, page, slot)).collect();
    dirty.sort_unstable();
    let mut pages: Vec<_> = dirty.into_iter().take(count).map(|(_, page, slot)| (page, slot)).collect();
    pages.sort_unstable();
    let (pace, total) = (Pace::at_once(), pages.len() as u64);
    destage_pages(sweeper, ask, &extension, &pages, WriteReason::Lazy, &mut Progress::of(&pace, total))
}

fn destage_pages(
    sweeper: &Sweeper,
    ask: &Ask<'_>,
    extension: &Extension,
    pages: &[(PageId, SlotNo)],
    reason: WriteReason,
    progress: &mut Progress<'_>,
) -> (u64, Option<IoFailure>) {
    let buffers = sweeper.buffers();
    check!(pages.is_sorted_by(|one, other| one < other), "pages go to their files in their order, each once");
    let (mut count, mut failure) = (0, None);
    let mut rest = pages;
    while !rest.is_empty() {
        // Before it takes frames, which others may want meanwhile.
        progress.wait(ask);
        let mut frames = frames_for(sweeper, ask, rest.len().min(BATCH));
        for _ in 0..TRIES_MAX {
            if !frames.is_empty() || ask.task.is_cancelled() {
                break;
            }
            buffers.free.wait(HUNGER);
            frames = frames_for(sweeper, ask, rest.len().min(BATCH));
        }
        if frames.is_empty() {
            let (page, message) = (rest[0].0, "no memory to write the extension's pages".to_owned());
            failure.get_or_insert(IoFailure::System { page, message });
            break;
        }
        let (batch, later) = rest.split_at(frames.len());
        rest = later;
        progress.add(batch.len());
        let loaded = load_slots(buffers, ask, extension, batch, &mut frames, &mut failure);
        buffers.set_frames_free(&frames);
        let ids: Vec<PageId> = batch.iter().map(|(id, _)| *id).collect();
        let (written, failed) = sweeper.writer.write_batched(ask, &ids, Gather::to_persist(reason));
        count += written.len() as u64;
        failure = failure.or(failed);
        let freed: Vec<_> = loaded.into_iter().filter(|&frame| buffers.evict(frame, false) == Victim::Freed).collect();
        buffers.set_frames_free(&freed);
    }
    add(&extension.tallies.destaged, count);
    (count, failure)
}

/// Up to so many empty frames: free ones, else made so, without waiting.
fn frames_for(sweeper: &Sweeper, ask: &Ask<'_>, count: usize) -> Vec<FrameNo> {
    let shard = ShardNo::of(SessionId(0));
    let mut frames: Vec<FrameNo> = std::iter::from_fn(|| sweeper.buffers().find_free(shard)).take(count).collect();
    if frames.is_empty() {
        frames = sweeper.make_room(ask, count);
        let surplus = frames.split_off(frames.len().min(count));
        sweeper.buffers().set_frames_free(&surplus);
    }
    check!(frames.len() <= count, "{} frames for {count} pages", frames.len());
    frames
}

/// Brings pages from their slots into frames, with one I/O for slots that lie together; returns the frames used.
fn load_slots(
    buffers: &Buffers,
    ask: &Ask<'_>,
    extension: &Extension,
    pages: &[(PageId, SlotNo)],
    frames: &mut Vec<FrameNo>,
    failure: &mut Option<IoFailure>,
) -> Vec<FrameNo> {
    let mut holds: Vec<(SlotNo, PageId, ExclusiveHold<'_>)> = Vec::new();
    for &(id, slot) in pages {
        let word = buffers.files.attached(id.db, id.file).and_then(|file| file.word(id.page));
        let Some(word) = word.filter(|word| word.place() == Place::Slot(slot)) else { continue };
        if extension.slots.is_lost(slot) || !extension.is_usable() {
            let message = "its copy in the extension is being done again from the log".to_owned();
            failure.get_or_insert(IoFailure::System { page: id, message });
            continue;
        }
        let Some(frame) = frames.pop() else { break };
        let hold = buffers.frames.exclusive_of_free(frame);
        let Some(hold) = buffers.install(ask, word, hold, id, Arrival::Read) else { continue };
        match slot_of(hold.state()) {
            Some(slot) => holds.push((slot, id, hold)),
            None => buffers.give_up(word, hold),
        }
    }
    holds.sort_unstable_by_key(|(slot, ..)| *slot);
    let read = read_together(extension, &mut holds);
    let settle = |((_, id, hold), read): ((SlotNo, PageId, ExclusiveHold<'_>), bool)| {
        let word = buffers.files.word_of(id);
        match buffers.settle_slot(extension, word, id, &hold, read) {
            SlotRead::Read => {
                hold.state().io.store(false, Relaxed);
                Some(hold.frame())
            }
            SlotRead::Dropped => {
                buffers.give_up(word, hold);
                None
            }
            SlotRead::Lost => {
                let message = "its copy in the extension cannot be read".to_owned();
                failure.get_or_insert(IoFailure::System { page: id, message });
                let frame = hold.frame();
                drop(hold);
                buffers.set_frames_free(&[frame]);
                buffers.tier.wakeup.wake();
                None
            }
        }
    };
    holds.into_iter().zip(read).filter_map(settle).collect()
}

/// Reads the slots of frames in order of the slots; says of each whether it was read.
pub(crate) fn read_together(extension: &Extension, holds: &mut [(SlotNo, PageId, ExclusiveHold<'_>)]) -> Vec<bool> {
    check!(holds.is_sorted_by(|one, other| one.0 < other.0), "X1: two pages are read from one slot, or out of order");
    let mut read = Vec::with_capacity(holds.len());
    for run in holds.chunk_by_mut(|a, b| a.0.0 + 1 == b.0.0) {
        let first = run[0].0;
        let mut pages: Vec<&mut PageBytes> = run.iter_mut().map(|(_, _, hold)| &mut **hold).collect();
        let ok = extension.read_slots(first, &mut pages);
        read.extend(std::iter::repeat_n(ok, run.len()));
    }
    check!(read.len() == holds.len(), "{} of {} slots were read", read.len(), holds.len());
    read
}
