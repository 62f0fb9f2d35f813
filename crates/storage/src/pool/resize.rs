//! `max server memory` at run time.
//!
//! Upwards only a number changes: memory is taken as pages come. Downwards frames are retired from the highest chunk on:
//! taken out of the lists, their pages written and evicted, until the resize has them all; then they circulate
//! no more, and a chunk without frames goes back to the system. A chunk with a pinned page, or one that cannot be
//! written, is put back, and a lower one is tried.
//!
//! What always holds: only one resizes at a time; the total never falls below the target, so no task takes fresh memory
//! while frames are retired; a frame in retirement is in no list and has no page (F1), so no task can get it.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::ask::{Ask, as_server};
use crate::check;
use crate::contract::{PAGE_BYTES, PageId, SessionId, WriteReason};
use crate::pool::arena::CHUNK_FRAMES;
use crate::pool::buffers::Victim;
use crate::pool::free::{Chunks, ShardNo};
use crate::pool::latch::{ExclusiveHold, FrameNo, Frames};
use crate::pool::pages_in;
use crate::pool::write::{Gather, PageWriter};

/// Looks at a chunk before it is put back; between two of them others finish what they do with a page.
const PASSES_MAX: u32 = 20;
const PAUSE: Duration = Duration::from_millis(1);

pub(crate) fn resize(writer: &PageWriter, bytes: u64) -> u64 {
    let buffers = &writer.buffers;
    let total = buffers.chunks.total();
    buffers.chunks.set_target(pages_in(bytes, buffers.frames.count()));
    buffers.ghosts.set_resident_max(buffers.chunks.target().into());
    let mut before = u32::MAX;
    while let Some(surplus) = surplus(&buffers.chunks) {
        let Some(range) = buffers.chunks.next_to_retire(before, surplus) else { break };
        if !as_server(|ask| retire(writer, ask, &range)) {
            before = range.start / CHUNK_FRAMES * CHUNK_FRAMES;
        }
    }
    assert!(
        buffers.chunks.total() >= total.min(buffers.chunks.target()),
        "{} frames circulate of {total}, and {} may",
        buffers.chunks.total(),
        buffers.chunks.target()
    );
    u64::from(buffers.chunks.total()) * PAGE_BYTES as u64
}

fn surplus(chunks: &Chunks) -> Option<u32> {
    chunks.total().checked_sub(chunks.target()).filter(|&surplus| surplus > 0)
}

/// Takes the frames of a range out of circulation; all or none.
fn retire(writer: &PageWriter, ask: &Ask<'_>, range: &Range<u32>) -> bool {
    let buffers = &writer.buffers;
    let mut taken: Vec<FrameNo> = Vec::with_capacity(range.len());
    for pass in 0..PASSES_MAX {
        buffers.free.withdraw(range, &mut taken);
        let possible = empty_frames(writer, ask, range, &mut taken, pass + 1 == PASSES_MAX);
        if taken.len() == range.len() {
            assert!(taken.iter().all(|frame| range.contains(&frame.0)), "F1: a frame outside of {range:?} is retired");
            check!(
                taken.iter().collect::<std::collections::BTreeSet<_>>().len() == taken.len(),
                "F1: a frame is taken twice"
            );
            check!(
                taken.iter().all(|frame| buffers.frames.state(*frame).page.load(Relaxed) == 0),
                "F1: a frame with a page is retired"
            );
            release_chunk_of(&buffers.frames, range);
            buffers.chunks.retire(range);
            return true;
        }
        if !possible {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    buffers.free.give(ShardNo::of(SessionId(0)), &taken);
    false
}

/// Evicts the pages of a range, dirty ones after writing them; false when one of them cannot go.
fn empty_frames(writer: &PageWriter, ask: &Ask<'_>, range: &Range<u32>, taken: &mut Vec<FrameNo>, last: bool) -> bool {
    let buffers = &writer.buffers;
    for frame in range.clone().map(FrameNo) {
        let state = buffers.frames.state(frame);
        if state.pins.load(Relaxed) > 0 {
            return false;
        }
        if state.page.load(Relaxed) == 0 {
            continue;
        }
        match buffers.evict(frame, false) {
            Victim::Freed => {
                check!(!taken.contains(&frame), "F1: {frame:?} had a page, and was in a list of free ones");
                taken.push(frame);
            }
            Victim::Dirty(id) => {
                if !write_to_retire(writer, ask, id) {
                    return false;
                }
                if buffers.evict(frame, false) == Victim::Freed {
                    taken.push(frame);
                }
            }
            Victim::Stays | Victim::ToExtension(_) if last => return false,
            Victim::Stays | Victim::ToExtension(_) => {}
        }
    }
    true
}

fn write_to_retire(writer: &PageWriter, ask: &Ask<'_>, id: PageId) -> bool {
    writer.write_gather(ask, id, Gather::to_make_room(WriteReason::Lazy)).is_ok()
}

/// Gives the memory of the range's chunk back to the system if the range is all of it that circulates.
fn release_chunk_of(frames: &Frames, range: &Range<u32>) {
    if !range.start.is_multiple_of(CHUNK_FRAMES) {
        return;
    }
    let end = (range.start + CHUNK_FRAMES).min(frames.count());
    assert!(range.end <= end, "{range:?} is more than a chunk, and its memory goes as one");
    // Readers that came by an old word hold a latch for a short time only (F1).
    let latch = |frame| frames.exclusive_of_free(FrameNo(frame));
    let mut holds: Vec<ExclusiveHold<'_>> = (range.start..end).map(latch).collect();
    assert!(
        holds.iter().all(|hold| hold.state().page.load(Relaxed) == 0),
        "F1: the memory of a page is given back to the system"
    );
    frames.release_memory(&mut holds);
}
